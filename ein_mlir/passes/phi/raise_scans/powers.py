"""Sums of the steps up to a bound, by powers of the distance to it, as linear recurrences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from xdsl.dialects import arith, math
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.bounds import Bound
from ein_mlir.analysis.phi.element_cost import SHORT
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.scopes import block_of, dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.parts import steps_if
from ein_mlir.passes.phi.raise_scans.selection import bound_of, position_of, split, varying_tests
from ein_mlir.rewriting.phi.float_tests import is_infinite
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues
from ein_mlir.rewriting.phi.ranges import copies_of, largest
from ein_mlir.rewriting.phi.replacement import Raising, Replacement
from ein_mlir.rewriting.phi.step_values import Known, StepValues, with_start


@dataclass(frozen=True)
class Power:
    """``x ** d``, or ``exp(c * d)``, for a distance d that varies with the steps of a fold."""

    result: SSAValue
    distance: SSAValue
    """The distance, an Int or the float that it is."""
    others: Sequence[SSAValue]
    """The other values that the power is computed from."""

    @property
    def integer(self) -> SSAValue:
        """The distance as an Int."""
        cast = self.distance.owner
        return cast.input if isinstance(cast, arith.SIToFPOp) else self.distance

    def of(self, build: Builder, op: phi.FoldOp, distance: int) -> SSAValue:
        """The power of another distance, in front of the fold."""
        known = {self.distance: build.value(distance, self.distance.type)}
        return build.copied(op.body.block, [self.result], known)[0]


def power_of(op: Operation, steps: Collection[SSAValue]) -> Power | None:
    """The power that the result of an operation is, of something that is the same in all steps."""
    match op:
        case math.FPowIOp() if op.lhs not in steps and op.rhs in steps:
            return Power(op.result, op.rhs, [op.lhs])
        case math.PowFOp() if op.lhs not in steps and isinstance(op.rhs.owner, arith.SIToFPOp):
            return Power(op.result, op.rhs, [op.lhs])
        case math.ExpOp():
            return _exponential(op, steps)
        case _:
            return None


def _exponential(op: math.ExpOp, steps: Collection[SSAValue]) -> Power | None:
    value, others = op.operand, list[SSAValue]()
    while not isinstance(part := value.owner, arith.SIToFPOp):
        match part:
            case arith.NegfOp():
                value = part.operand
            case arith.MulfOp() if part.lhs not in steps:
                value = part.rhs
                others.append(part.lhs)
            case arith.MulfOp() | arith.DivfOp() if part.rhs not in steps:
                value = part.lhs
                others.append(part.rhs)
            case _:
                return None
    return Power(op.result, value, others)


@dataclass(frozen=True)
class Powers:
    """The terms ``x ** (q - k) * r`` of the steps k before a bound, or ``x ** (k - q) * r`` from
    one on.
    """

    power: Power
    is_divisor: bool
    """Whether the terms are ``r / x ** ..``."""
    bound: Bound
    tests: list[Test]
    """The other tests."""
    least: int
    """The distance of the step next to the bound."""
    indices: Sequence[BlockArgument]
    """Those around that the terms vary with, outermost first: all but those of the bound."""


def powers_of(op: phi.FoldOp, step: Step, raising: Raising) -> Powers | None:
    """The powers that the terms of a sum have as a factor, if only these vary with the bound.

    A fold of few known steps has none: its steps are taken at once.
    """
    count = known_int(op.count)
    tests = varying_tests(op, step.tests)
    is_sum = isinstance(step.combine, arith.AddfOp) and isinstance(step.value, SSAValue)
    if not is_sum or len(tests) < len(step.tests) or (count is not None and count <= SHORT):
        return None
    steps = dependents(op.body.block, op.counter)
    powers = (power_of(each, steps) for each in op.body.block.ops)
    found = (_powers(op, step, tests, power, raising) for power in powers if power is not None)
    return next((each for each in found if each is not None), None)


def _powers(
    op: phi.FoldOp, step: Step, tests: list[Test], power: Power, raising: Raising
) -> Powers | None:
    forms, free = raising.forms, raising.free
    others, is_divisor, product = list(power.others), False, power.result
    while product is not step.value:
        use = product.get_user_of_unique_use()
        if not isinstance(use, arith.MulfOp | arith.DivfOp):
            return None
        is_divisor ^= isinstance(use, arith.DivfOp) and use.rhs is product
        others.append(use.rhs if use.lhs is product else use.lhs)
        product = use.result
    found = split(op, tests, others, free, lambda test: bound_of(op, test, forms))
    place = None if found is None else found[0].form(forms)
    if found is None or place is None:
        return None
    bound, rest = found
    distance, factor = forms.integer(power.integer), 1 if bound.suffix else -1
    nearest = place if bound.suffix else place - 1
    least = forms.canonical(distance.without([op.counter]) + nearest * factor).known()
    if distance.coefficients.get(op.counter) != factor or least is None:
        return None
    own = frozenset[BlockArgument]().union(*map(free.of, bound.parts))
    values = RecomputedValues(op, free.of(op.result) - own, free)
    is_within = forms.is_nonnegative(place) and forms.is_at_most(place, forms.integer(op.count))
    if not is_within or (values.indices and not values.can_have([op.result])):
        return None
    return Powers(power, is_divisor, bound, rest, least, values.indices)


def recur(op: phi.FoldOp, step: Step, found: Powers, raising: Raising, *, static: bool) -> None:
    """``fold (k < n, a = x) { where(k < p, a + z ** (p - 1 - k) * r(k), a) }  -->  x + s[p]``

    with ``s[k + 1] = z * s[k] + r(k)``, which a loop computes. Where a value of it is not finite,
    the last one is not, and the sums of terms may be: a loop computes these then, and has no steps
    otherwise. If its count must be ``static``, it is one by a condition.
    """
    build, bound = Replacement(op), found.bound
    sums = _sums(build, op, step, found)
    last = build.get(sums, [build.integer(0) if bound.suffix else op.count])
    place = position_of(build, op.count, bound, copies_of(build, op, bound.parts))
    value = with_start(build, op, step, build.get(sums, [place]))
    is_rare = build.compare(_failures(build, last, found.indices, {}), "sgt", 0)
    terms_if = _steps_while if static else steps_if
    build.finish(terms_if(build, op, is_rare, value), raising.free)


def _steps_while(build: Builder, op: phi.FoldOp, test: SSAValue, otherwise: SSAValue) -> SSAValue:
    """The same as `steps_if`, as a loop by a condition, whose limit is the count of the fold."""
    init = build.select(test, op.init, otherwise)

    def step(inner: Builder, k: SSAValue, before: SSAValue) -> SSAValue:
        known: Known = {op.counter: k, op.accumulator: inner.leaves(before)[1]}
        return inner.tuple([test, *inner.copied(op.body.block, [op.yielded()], known)])

    loop = build.fold_over(
        op.count, build.tuple([test, init]), step, [op.counter], loop=phi.WhileOp
    )
    return build.leaves(loop)[1]


def _sums(build: Builder, op: phi.FoldOp, step: Step, found: Powers) -> SSAValue:
    """The sums up to each number of steps, or from each step on."""
    values, is_suffix = StepValues(op), found.bound.suffix
    base, scale = (found.power.of(build, op, distance) for distance in (1, found.least))
    if found.is_divisor:
        base = build.emit(arith.DivfOp(build.number(1.0, base.type), base))
    zero = build.number(0.0, base.type)
    zeros = build.comprehension([build.add(op.count, 1)], lambda _, __: zero)

    def sum_(inner: Builder, k: SSAValue, before: SSAValue) -> SSAValue:
        total, array = inner.leaves(before)
        place = inner.sub(inner.sub(op.count, 1), k) if is_suffix else k
        known: Known = {op.counter: place, found.power.result: scale}
        term = values.selected(inner, step, values.tests(inner, found.tests, known), known)
        total = inner.add(inner.mul(base, total), term)
        after = place if is_suffix else inner.add(place, 1)
        return inner.tuple([total, inner.update(array, [after], total)])

    init = build.tuple([zero, zeros])
    _, sums = build.leaves(build.fold_over(op.count, init, sum_, [op.counter]))
    return sums


def _failures(
    build: Builder,
    value: SSAValue,
    indices: Sequence[BlockArgument],
    known: Mapping[SSAValue, SSAValue],
) -> SSAValue:
    """1 if a value in front of a fold is not finite at some of the indices around, 0 otherwise."""
    if not indices:
        value = build.recomputed(value, dict(known), partial(_is_around, known, block_of(value)))
        return build.select(is_infinite(build, value), 1, 0)
    index, *others = indices

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        return _failures(inner, value, others, {**known, index: own[0]})

    return largest(build, build.comprehension([phi.size_of_index(index)], element, [index]))


def _is_around(known: Mapping[SSAValue, SSAValue], block: Block | None, value: SSAValue) -> bool:
    """Whether a value is in a block, or in a comprehension over one of some indices."""
    if not known:
        return False
    arrays = (index.owner.parent_op() for index in known if isinstance(index.owner, Block))
    return block_of(value) is block or any(
        array is not None and is_within(value, array) for array in arrays
    )
