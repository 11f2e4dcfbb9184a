"""``gather-contributions``: only the contributions that a mask of data keeps are computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.element_cost import FUNCTION, cost
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.selections import Test, conjuncts, selected, step_of
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.scopes import (
    dependents,
    is_within,
    nesting,
    of_kinds,
    operands_within,
    operations_in,
    outermost_without,
    slice_within,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_nonnegative, is_size
from ein_mlir.dialects.reductions import identity_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import replace

SPARSE = 4
"""The mask is sparse if less than one of so many of its elements holds."""

LEAST = 1 << 14
"""The least contributions that are worth a search for those that the mask keeps."""


FAST = ("add", "and", "or")
"""The kinds of accumulations that take little time for each value."""

LEAST_COST = 8
"""The least cost of a value that is worth it where one of a fast accumulation is the identity."""


@dataclass(frozen=True)
class Masked:
    """An accumulation, or a fold, whose steps have no effect where a mask of data does not hold."""

    op: phi.AccumulateOp | phi.FoldOp
    tests: Sequence[Test]
    """The mask is their conjunction."""
    axes: Sequence[int]
    """The numbers of the indices that the mask varies with; 0 for the counter of a fold."""
    around: Sequence[SSAValue]
    """The sizes of the indices around the operation that its result varies with."""

    @property
    def steps(self) -> Sequence[SSAValue]:
        """The numbers of steps along each index."""
        return self.op.sizes if isinstance(self.op, phi.AccumulateOp) else [self.op.count]

    @property
    def sizes(self) -> Sequence[SSAValue]:
        """The sizes of the mask."""
        return [self.steps[axis] for axis in self.axes]

    @property
    def variables(self) -> Sequence[SSAValue]:
        """The indices that the mask varies with."""
        return [self.op.body.block.args[axis] for axis in self.axes]


def masked(op: phi.AccumulateOp | phi.FoldOp, free: FreeIndices) -> Masked | None:
    """The steps of an operation with their mask, if they have one."""
    if body_may_fail(op):
        return None
    found = _masked_sum(op, free) if isinstance(op, phi.FoldOp) else _masked_values(op, free)
    return found if found is not None and found.axes and all(map(is_size, found.sizes)) else None


def _masked_sum(op: phi.FoldOp, free: FreeIndices) -> Masked | None:
    """A fold of elements at indices that combines values under conditions of its steps alone."""
    step = step_of(op) if free.of(op.result) else None
    if step is None:
        return None
    variable = dependents(op.body.block, op.counter)
    tests = [
        test
        for test in step.tests
        if test.condition in variable and not free.of(test.condition) and _reads_data(op, test)
    ]
    return Masked(op, tests, [0], _sizes_around(op, free)) if tests else None


def _masked_values(op: phi.AccumulateOp, free: FreeIndices) -> Masked | None:
    """An accumulation of numbers with the mask of the fewest indices, if it has one."""
    accumulator, *others = op.accumulators
    *positions, value = leaf_values(op.yielded())
    is_number = len(positions) == accumulator.rank and phi.is_scalar_type(value.type)
    if others or not is_number or _is_step(accumulator, value):
        return None
    pairs = zip(positions, accumulator.extents, strict=True)
    drops = [test for position, extent in pairs for test in _tests_of_position(position, extent)]
    tests = [each for each in (*drops, *_tests_of_value(op, value)) if _reads_data(op, each)]
    axes = [_axes(op, test, free) for test in tests]
    found = min((each for each in axes if each), key=len, default=frozenset[int]())
    own = [test for test, each in zip(tests, axes, strict=True) if each and each <= found]
    is_fast = accumulator.kind in FAST and not any(test in drops for test in own)
    if is_fast and len(found) == len(op.sizes) and _cost(op) <= LEAST_COST:
        return None
    return Masked(op, own, sorted(found), _sizes_around(op, free))


def _is_step(accumulator: phi.Accumulator, value: SSAValue) -> bool:
    """Whether the first or last step at a position is sought: ``raise-scatters`` finds that."""
    return isinstance(value.owner, arith.IndexCastOp) and accumulator.kind in ("min", "max")


def _cost(op: phi.AccumulateOp) -> int:
    """The cost of a contribution."""
    costs = map(cost, op.body.block.ops)
    return sum(FUNCTION if each is None else each for each in costs)


def _sizes_around(op: phi.AccumulateOp | phi.FoldOp, free: FreeIndices) -> Sequence[SSAValue]:
    return [phi.size_of_index(index) for index in sorted(free.of(op.result), key=nesting)]


def _tests_of_value(op: phi.AccumulateOp, value: SSAValue) -> Sequence[Test]:
    """The tests without which a value is the identity."""
    neutral = _identity(op.accumulators[0].kind, value)
    return selected(value, neutral)[0] if is_within(value, op) else ()


def _identity(kind: str, value: SSAValue) -> IntegerAttr | FloatAttr:
    """The result of a kind of combination of no values."""
    neutral = identity_of(kind, value.type)
    assert neutral is not None
    return neutral


def _tests_of_position(position: SSAValue, extent: SSAValue) -> Iterable[Test]:
    """``where(t, where(u, p, -1), -1)`` as ``t & u``"""
    while isinstance(op := position.owner, arith.SelectOp):
        if _is_outside(op.rhs, extent):
            yield from conjuncts(Test(op.cond, True))
            position = op.lhs
        elif _is_outside(op.lhs, extent):
            yield from conjuncts(Test(op.cond, False))
            position = op.rhs
        else:
            return


def _is_outside(position: SSAValue, extent: SSAValue) -> bool:
    """Whether a position is out of bounds: a negative number, or the size."""
    number = known_int(position)
    return position is extent or (number is not None and number < 0)


def _reads_data(op: Operation, test: Test) -> bool:
    """Whether a condition is computed in a body from elements of arrays."""
    return any(isinstance(each, phi.GetOp) for each in slice_within(op, [test.condition]))


def _axes(op: phi.AccumulateOp, test: Test, free: FreeIndices) -> frozenset[int]:
    """The numbers of the indices that a condition varies with; none if with others, too."""
    varying, own = free.of(test.condition), list(op.indices)
    return frozenset(map(own.index, varying)) if varying <= {*own} else frozenset()


class _Gatherer:
    """The parts of the new program for steps with a mask."""

    def __init__(self, found: Masked):
        self.found, self.op = found, found.op
        known = [*self._behind(), *found.steps, *found.around]
        self.place = Builder.before(outermost_without(self.op, known))
        self.mask = self._whole_mask()
        """The elements of the mask."""
        self.total = self._product(found.sizes)
        """Their number."""

    def _product(self, sizes: Sequence[SSAValue]) -> SSAValue:
        return reduce(self.place.mul, sizes)

    def _behind(self) -> Iterable[SSAValue]:
        """The values from outside of the body that the mask depends on."""
        conditions = [test.condition for test in self.found.tests]
        ops = slice_within(self.op, conditions)
        values = [*conditions, *(value for each in ops for value in operands_within(each))]
        return (value for value in values if not is_within(value, self.op))

    def _whole_mask(self) -> SSAValue:
        found = self.found

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            numbers = own if isinstance(self.op, phi.AccumulateOp) else [inner.as_int(own[0])]
            known = dict[SSAValue, SSAValue](zip(found.variables, numbers, strict=True))
            return inner.hold(inner.copied_tests(self.op.body.block, found.tests, known))

        return self.place.comprehension(found.sizes, element, found.variables)

    def _count(self, build: Builder) -> SSAValue:
        """The number of elements that hold."""

        def number(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            return inner.emit(arith.ExtUIOp(self._at(inner, own[0]), i64))

        numbers = build.comprehension([self.total], number, self.found.variables)
        return build.reduce(numbers, 0, arith.AddiOp)

    def _at(self, build: Builder, position: SSAValue) -> SSAValue:
        """The element of the mask at a position in row-major order."""
        return build.get(self.mask, self._split(build, build.as_int(position)))

    def _split(self, build: Builder, position: SSAValue) -> list[SSAValue]:
        """The place along each axis of the mask of a position in row-major order."""
        places = list[SSAValue]()
        for size in reversed(self.found.sizes[1:]):
            places.append(build.floormod(position, size))
            position = build.floordiv(position, size)
        return [position, *reversed(places)]

    def is_sparse(self) -> SSAValue:
        """Whether there are many steps, of which the mask keeps few."""
        place = self.place
        steps = self._product([*self.found.steps, *self.found.around])
        are_many = place.compare(steps, "sge", LEAST)
        are_few = place.compare(place.mul(self._count(place), SPARSE), "slt", self.total)
        return place.and_(are_many, are_few)

    def few(self, build: Builder) -> SSAValue:
        """The operation on the steps that the mask keeps."""
        found, count = self.found, self._count(build)

        def fails(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            return inner.is_as_expected(self._at(inner, own[0]), expected=False)

        order = build.emit(phi.ArgsortOp(build.comprehension([self.total], fails)))
        rest = [axis for axis in range(len(found.steps)) if axis not in found.axes]

        def known(inner: Builder, own: Sequence[SSAValue]) -> dict[SSAValue, SSAValue]:
            places = self._split(inner, inner.get(order, own[:1]))
            variables = [*found.variables, *(self.op.body.block.args[axis] for axis in rest)]
            truths = {each.condition: inner.truth(each.expected) for each in found.tests}
            return {**dict(zip(variables, [*places, *own[1:]], strict=True)), **truths}

        return self._again(build, [count, *(found.steps[axis] for axis in rest)], known)

    def all(self, build: Builder) -> SSAValue:
        """The operation on all steps."""
        found = self.found

        def known(inner: Builder, own: Sequence[SSAValue]) -> dict[SSAValue, SSAValue]:
            element = inner.get(self.mask, [own[axis] for axis in found.axes])
            first, *others = found.tests
            return {
                **dict(zip(self.op.body.block.args, own, strict=False)),
                **{each.condition: inner.truth(each.expected) for each in others},
                first.condition: inner.is_as_expected(element, first.expected),
            }

        return self._again(build, found.steps, known)

    def _again(
        self,
        build: Builder,
        sizes: Sequence[SSAValue],
        known: Callable[[Builder, Sequence[SSAValue]], dict[SSAValue, SSAValue]],
    ) -> SSAValue:
        """The operation on other steps, of a body with other values for some."""
        op = self.op
        if isinstance(op, phi.FoldOp):

            def step(inner: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
                values = {**known(inner, [counter]), op.accumulator: carried}
                return inner.copied(op.body.block, [op.yielded()], values)[0]

            return build.fold_over(sizes[0], op.init, step, op.body.block.args)
        block = Block(arg_types=[IndexType()] * len(sizes))
        inner = Builder.at_end(block)
        values = known(inner, block.args)
        inner.yield_(inner.copied(op.body.block, [op.yielded()], values)[0])
        return build.emit(op.again(sizes, Region(block)))

    def start(self, build: Builder) -> SSAValue:
        """The result without steps."""
        if isinstance(self.op, phi.FoldOp):
            return self.op.init
        (accumulator,) = self.op.accumulators
        neutral = _identity(accumulator.kind, leaf_values(self.op.yielded())[-1])
        if not accumulator.rank:
            return build.constant(neutral)
        sizes = [
            size if is_nonnegative(size) else build.max(size, 0) for size in accumulator.extents
        ]
        return build.comprehension(sizes, lambda inner, _own: inner.constant(neutral))


def gather(found: Masked) -> None:
    """``accumulate (i < n) { where(mask[i], p, -1), x }``  -->
    ``accumulate (k < count) { p[kept[k]], x[kept[k]] }`` if the mask is sparse
    """
    new, build = _Gatherer(found), Builder.before(found.op)
    is_sparse = new.is_sparse()
    steps = [build.steps_if(Test(is_sparse, expected)) for expected in (True, False)]
    few = build.fold_over(steps[0], new.start(build), lambda inner, _k, _start: new.few(inner))
    replace(found.op, build.fold_over(steps[1], few, lambda inner, _k, _few: new.all(inner)))


class GatherContributionsPass(FunctionPass):
    """Computes only the contributions to accumulations that a mask of data keeps, if few.

    Before::

        %h = phi.accumulate (%i < %n, %t < %m) into "add" (%size) -> !phi.vec<i64> {
          (select %edges[%i], %p, %outside, %one)
        }

    After::

        %count = .. the number of elements of %edges that hold
        %few = phi.fold (%_ < %steps, %start = %zeros) -> !phi.vec<i64> {
          %kept = phi.argsort .. the positions of those come first
          phi.accumulate (%k < %count, %t < %m) into "add" (%size) -> !phi.vec<i64> {
            %i = phi.get %kept[%k] : !phi.vec<i64>[index]
            phi.yield (%p, %one) : tuple<i64, i64>
          }
        }
        %h = phi.fold (%_ < %others, %few_1 = %few) -> !phi.vec<i64> {
          .. the accumulation of all contributions
        }

    A contribution is dropped where its position is out of bounds, and has no effect where its value
    is the identity. The mask holds if all conditions do that compare elements of arrays, and that
    vary with the fewest indices. A test finds out at run time whether it is sparse: there are at
    least `LEAST` contributions, and less than one of `SPARSE` elements of the mask holds.
    """

    name = "gather-contributions"
    looks_for = (phi.AccumulateOp, phi.FoldOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        free = analyses.get(free_indices, function)
        for op in of_kinds(
            operations_in(function, bodies_first=True), phi.AccumulateOp, phi.FoldOp
        ):
            found = masked(op, free)
            if found is not None:
                analyses.note(op, "contributions that a mask keeps are gathered, if it is sparse")
                gather(found)
