"""Values that do not vary with all loops around them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile
from math import inf, prod

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.bounding_sizes import changing_sizes
from ein_mlir.analysis.phi.element_cost import CHEAP, FUNCTION, total_cost
from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.searches import fold_search
from ein_mlir.analysis.phi.selections import reduction
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.speculation import Sized, may_fail, negative_sizes, runs_with
from ein_mlir.analysis.phi.strided_positions import size_of_variable
from ein_mlir.analysis.phi.unchanged import branch_of
from ein_mlir.analysis.phi.variables import Variables, variables_of
from ein_mlir.analysis.scopes import (
    around,
    is_within,
    needed_within,
    nesting,
    of_kinds,
    operations_in,
    reached,
    sources,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass

MOST_AXES = 1
"""The most axes of an array of shared values, unless an array that they are computed from has as
many: so no array is much larger than those that the program has anyway.
"""

FEW_ELEMENTS = 1 << 12
"""The most elements of an array of shared values that is computed whatever sizes loops have."""

_OF_ARRAYS = (phi.SortOp, phi.ArgsortOp, phi.SearchsortedOp)
_LOOPS = (phi.WhileOp, phi.ScanOp, phi.WeightedScanOp, phi.SortOp, phi.ArgsortOp)


@dataclass(frozen=True)
class Shared:
    """A value that is computed too often, and a better place for it."""

    value: SSAValue
    place: Operation
    """The outermost loop around the value that it does not vary with."""
    first: int
    """The number of the first index of that loop that it does not vary with."""
    axes: tuple[BlockArgument, ...]
    """The variables of that and of inner loops that it varies with."""
    missing: Variables
    """The variables of these loops that it does not vary with."""
    guards: tuple[SSAValue, ...] = ()
    """The sizes without which loops have no steps, since these may be errors."""
    is_large: bool = False
    """Whether sizes decide at run time, since its array may be larger than those of the program."""


class Sharer:
    """Finds the values of a function to share."""

    def __init__(self, function: func.FuncOp, *, folds: bool = False, loops: bool = False):
        """With ``folds``, only the values of functions that leave a fold that stays a loop; with
        ``loops``, only results of such folds, scans and sorts, however large their arrays are.
        """
        self._function = function
        self._folds = folds
        self._loops_only = loops
        self._staying = dict[Operation, bool]()
        self._loops = dict[Block | None, Sequence[phi.BodyOp]]()
        self._moved = dict[Operation, list[Variables]]()
        """The operations that shared values depend on, and the variables that these leave."""
        self.orders = dict[Operation, tuple[BlockArgument, ...]]()
        """Comprehensions with arrays in their elements that loops compute, too large to store for
        all elements, and the indices that these vary with: if they come first, loops around the
        others share the arrays.
        """

    def shared(self) -> list[Shared]:
        """The values to share, in order; users are visited before their operands."""
        found = list[Shared]()
        ops = operations_in(self._function, bodies_first=True)
        if self._folds:
            staying = filter(self._stays, of_kinds(ops, phi.FoldOp))
            inside = {op for each in staying for op in operations_in(each)}
            ops = [op for op in ops if op in inside]
        if self._loops_only:
            ops = list(filter(self._is_of_loop, ops))
        for op in reversed(ops):
            if len(op.results) == 1 and not isinstance(op, phi.YieldOp | func.FuncOp):
                each = self._shared(op.results[0])
                each = None if each is None else self._root(op, each)
                if each is not None:
                    found.append(each)
        return found[::-1]

    def _shared(self, value: SSAValue) -> Shared | None:
        """The best place of a value, if that is further out than where it is."""
        variables = self._variables[value]
        if isinstance(value.type, TupleType) or not isinstance(value.owner, Operation):
            return None
        loops = self._loops_around(value.owner.parent)
        for depth, loop in enumerate(loops):
            missing = next((c for c in counters(loop) if c not in variables), None)
            if missing is None or branch_of(loop) or (self._folds and not self._stays(loop)):
                continue
            inside = [c for each in loops[depth:] for c in counters(each)]
            first = missing.index if isinstance(loop, phi.ArrayOp) else 0
            axes = tuple(c for c in inside[first:] if c in variables)
            if self._is_movable(loop, loops[depth:], variables, axes):
                return Shared(value, loop, first, axes, frozenset(inside) - variables)
        return None

    def _loops_around(self, block: Block | None) -> Sequence[phi.BodyOp]:
        """The loops around the operations of a block, outermost first."""
        if block not in self._loops:
            parents = around(None if block is None else block.parent_op())
            self._loops[block] = [op for op in parents if isinstance(op, phi.BodyOp)][::-1]
        return self._loops[block]

    def _is_of_loop(self, op: Operation) -> bool:
        """Whether a value is a result of a loop that computes more than one number."""
        loop = op.record.owner if isinstance(op, phi.ProjOp) else op
        return isinstance(loop, _LOOPS) or (isinstance(loop, Operation) and self._stays(loop))

    def _stays(self, loop: Operation) -> bool:
        """Whether a loop is a fold that is neither a reduction nor a search."""
        if loop not in self._staying:
            self._staying[loop] = (
                isinstance(loop, phi.FoldOp)
                and reduction(loop) is None
                and fold_search(loop) is None
            )
        return self._staying[loop]

    def _is_movable(
        self,
        place: Operation,
        loops: Sequence[phi.BodyOp],
        variables: Variables,
        axes: Sequence[BlockArgument],
    ) -> bool:
        """Whether a value depends on no accumulator of these loops, and its axes have sizes."""
        if not all(isinstance(loop, phi.ComprehensionOp | phi.FoldOp) for loop in loops):
            return False
        if any(v in variables for loop in loops for v in loop.variables()):
            return False
        return not any(is_within(size_of(axis, place), place) for axis in axes)

    def _root(self, op: Operation, found: Shared) -> Shared | None:
        """A value that is not cheap, and has a user that is not shared itself."""
        if all(self._is_moved(use.operation, found) for use in op.results[0].uses):
            return None
        needed = needed_within(found.place, [found.value])
        if any(self._is_repeated(each, found) for each in needed):
            return None
        cost_of_value = _cost(needed)
        is_cheap = cost_of_value <= CHEAP or (found.axes and _has_cheap_elements(op))
        is_kept = is_cheap and not self._loops_only
        guards = None if is_kept else self._guards(needed, found)
        if guards is None:
            return None
        found = replace(found, guards=tuple(guards))
        has_bound = cost_of_value < inf or isinstance(found.place, phi.ArrayOp)
        is_costly = has_bound and cost_of_value >= FUNCTION
        if self._folds and not is_costly:
            return None
        inside = [inner for each in needed for inner in operations_in(each)]
        if any(self._is_ragged(inner, found) for inner in inside):
            return None
        if (
            not self._loops_only
            and not self._fits(found, inside)
            and not (is_costly and _is_small(found))
        ):
            if cost_of_value == inf and _are_rows_of_indices(found):
                self.orders.setdefault(found.place, found.axes)
            if not is_costly or not _may_have_versions(found):
                return None
            found = replace(found, is_large=True)
        for inner in inside:
            self._moved.setdefault(inner, []).append(found.missing)
        return found

    def _is_ragged(self, op: Operation, found: Shared) -> bool:
        """Whether a size varies with the axes of an array of the value, which has no such sizes.

        On machine code the count of a fold may.
        """
        if isinstance(op, phi.FoldOp) and not (self._folds or self._loops_only):
            return False
        sizes = op.sizes_and_counts() if isinstance(op, phi.PhiOp) else ()
        axes = frozenset(found.axes)
        return any(not axes.isdisjoint(self._variables.get(size, ())) for size in sizes)

    def _is_repeated(self, op: Operation, found: Shared) -> bool:
        """Whether each shared value would compute an array or function of fewer axes again."""
        is_work = isinstance(op, phi.ArrayOp) or _cost([op]) >= FUNCTION
        return is_work and not self._variables[op.results[0]].issuperset(found.axes)

    def _guards(self, needed: Iterable[Operation], found: Shared) -> Sequence[SSAValue] | None:
        """The sizes without which loops must have no steps, since these may be errors, if any.

        There are none if an error may be one that the place does not raise itself.
        """
        place, indices = found.place, sorted(found.missing, key=nesting)
        failing = [op for op in needed if self._fails(op, place)]
        if not failing:
            return ()
        is_possible = isinstance(place, phi.ArrayOp) and all(
            isinstance(op, phi.FoldOp | phi.WhileOp)
            and runs_with(op, place)
            and not any(isinstance(each, phi.ExternOp) for each in operations_in(op))
            for op in failing
        )
        sizes = [size_of(index, place) for index in indices]
        return None if not is_possible or any(is_within(size, place) for size in sizes) else sizes

    def _fails(self, op: Operation, place: Operation) -> bool:
        """Whether an operation, or one in it, may raise an error that a loop does not raise itself.

        A negative size is an error of a comprehension that evaluates the operation.
        """
        return not all(
            (runs_with(each, place) or set(negative_sizes(each)) <= set(place.sizes))
            if isinstance(each, Sized) and isinstance(place, phi.ArrayOp)
            else isinstance(each, phi.WhileOp) and self._keeps_sizes(each)
            for each in filter(may_fail, operations_in(op))
        )

    def _keeps_sizes(self, op: phi.WhileOp) -> bool:
        """Whether a loop with a limit that is not negative is no error."""
        return is_nonnegative(op.count) and not any(changing_sizes(op, self._proven_sizes))

    def _is_moved(self, user: Operation, found: Shared) -> bool:
        """Whether a user leaves all loops that a value does not vary with."""
        return any(found.missing <= each for each in self._moved.get(user, ()))

    def _fits(self, found: Shared, inside: Sequence[Operation]) -> bool:
        """Whether an array over the axes is no larger than one that is read, or computed here.

        A vector without further axes is as large as it was.
        """
        if not found.axes or len(found.axes) + phi.rank_of(found.value.type) <= MOST_AXES:
            return True
        reads = [op for op in inside if isinstance(op, phi.GetOp)]
        arrays = [(op.array, list(map(phi.uncast, op.positions))) for op in reads]
        arrays.extend(_computed(found))
        return any(self._has_room(array, positions, found) for array, positions in arrays)

    def _has_room(self, array: SSAValue, positions: Sequence[SSAValue], found: Shared) -> bool:
        """Whether an array has the axes of a value, by positions, and those of its elements."""
        if not set(found.axes) <= set(positions):
            return False
        rank = phi.rank_of(found.value.type)
        if rank == 0:
            return True
        free = [
            size
            for axis in range(phi.rank_of(array.type))
            if axis >= len(positions) or positions[axis] not in found.axes
            if (size := self._forms.size(array, axis)) is not None
        ]
        own = [self._forms.size(found.value, axis) for axis in range(rank)]
        return all(self._take(free, size) for size in own)

    def _take(self, free: list[LinearForm], size: LinearForm | None) -> bool:
        """Remove a size from a list that another one exceeds by one at most, as that of a scan."""
        for number, each in enumerate(free):
            values = [] if size is None else self._choices(size)
            if values and all(self._forms.is_at_most(value, each + 1) for value in values):
                del free[number]
                return True
        return False

    def _choices(self, size: LinearForm) -> list[LinearForm]:
        """What a size may be: that of an order is 0 where there are few elements."""
        for choice in size.coefficients:
            if isinstance(op := choice.owner, arith.SelectOp):
                values = map(self._forms.integer, (op.lhs, op.rhs))
                return [size.substituted(choice, value) for value in values]
        return [size]

    @cached_property
    def _variables(self) -> Mapping[SSAValue, Variables]:
        return variables_of(self._function)

    @cached_property
    def _proven_sizes(self) -> SizeEquivalence:
        """The equal sizes whatever is asserted, if any loop carries arrays."""
        return SizeEquivalence(self._function, assertions=False)

    @cached_property
    def _forms(self) -> IndexForms:
        """The sizes of arrays, if any value needs them."""
        sizes = SizeEquivalence(self._function)
        return IndexForms(self._function, sizes, FreeIndices(self._function))


def _computed(found: Shared) -> Iterator[tuple[SSAValue, list[SSAValue]]]:
    """The arrays that a loop computes, or each step of a fold, with their indices."""
    owner = found.value.owner
    assert isinstance(owner, Operation)
    inside = takewhile(lambda op: op is not found.place, around(owner.parent_op()))
    for loop in inside if isinstance(found.place, phi.FoldOp) else (found.place,):
        if isinstance(loop, phi.ArrayOp):
            indices: list[SSAValue] = [index for each in nest(loop) for index in each.indices]
            yield from ((array, indices) for array in _arrays(loop.result))


def _arrays(value: SSAValue) -> Iterator[SSAValue]:
    """The value, if it is an array, or those of the arrays of a record that are used."""
    if isinstance(value.type, phi.VecType):
        yield value
    for use in value.uses:
        if isinstance(use.operation, phi.ProjOp):
            yield from _arrays(use.operation.result)


def nest(loop: phi.ArrayOp) -> list[phi.ArrayOp]:
    """A comprehension, and those that are its elements, from the outside in."""
    loops = [loop]
    while isinstance(inner := loops[-1].yielded().owner, phi.ArrayOp) and is_within(
        inner.result, loop
    ):
        loops.append(inner)
    return loops


def _is_small(found: Shared) -> bool:
    """Whether a scalar has few values, by sizes that are numbers."""
    sizes = [known_int(size_of(axis, found.place)) for axis in found.axes]
    known = [size for size in sizes if size is not None and size >= 0]
    is_known = len(known) == len(sizes) and phi.is_scalar_type(found.value.type)
    return is_known and prod(known) <= FEW_ELEMENTS


def _are_rows_of_indices(found: Shared) -> bool:
    """Whether a vector varies with some indices of one comprehension alone."""
    if not isinstance(found.place, phi.ArrayOp) or phi.is_scalar_type(found.value.type):
        return False
    return set(found.axes) <= set(found.place.indices)


def _may_have_versions(found: Shared) -> bool:
    """Whether a scalar leaves a loop of which there may be two."""
    return phi.is_scalar_type(found.value.type) and has_versions(found.place)


def has_versions(place: Operation) -> bool:
    """Whether a loop is a fold, arrays of scalars, or sums of them: there may be two of each."""
    if isinstance(place, phi.AccumulateOp):
        rank = phi.rank_of(place.result.type)
        kinds = [each.kind for each in place.accumulators]
        return kinds == ["add"] and rank == len(place.extents) > 0
    if not isinstance(place, phi.ArrayOp):
        return isinstance(place, phi.FoldOp)
    return all(map(phi.is_scalar_type, leaf_types(nest(place)[-1].yielded().type)))


def _cost(needed: Iterable[Operation]) -> float:
    """The cost of a value, by the cost rule: a row costs nothing."""
    return total_cost(each for each in needed if not _is_row(each))


def _has_cheap_elements(op: Operation) -> bool:
    """Whether the elements of a comprehension cost no more than loads of them would.

    An order and a search by halves take the whole array, not the elements that are needed.
    """
    loop = op.record.owner if isinstance(op, phi.ProjOp) else op
    if not isinstance(loop, phi.ArrayOp) or _cost(loop.body.block.ops) > CHEAP:
        return False
    return not any(isinstance(use.operation, _OF_ARRAYS) for use in op.results[0].uses)


def _is_row(op: Operation) -> bool:
    return isinstance(op, phi.GetOp) and isinstance(op.result.type, phi.VecType)


def counters(loop: phi.BodyOp) -> Sequence[BlockArgument]:
    """The variables of a loop; a reduction has its elements."""
    return loop.counters() or loop.variables()


def size_of(variable: BlockArgument, place: Operation) -> SSAValue:
    """The size of an index, or the count of a counter, by a value from outside of ``place``.

    If there is none, the value is within. Sizes that are asserted to be equal are the same.
    """
    size = size_of_variable(variable)
    equal = reached([size], lambda x: sources(x) if isinstance(x.owner, phi.AssertEqOp) else ())
    return next((each for each in equal if not is_within(each, place)), size)
