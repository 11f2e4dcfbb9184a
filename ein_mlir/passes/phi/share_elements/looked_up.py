"""Functions of elements that are looked up, ``f(a[k[i]], b[k[i]])``: one value for each place.

An element of ``array (c < n) { f(a[c], b[c]) }`` is the same value. A table of few places is
computed in less time than a function at many positions, and read once for several arrays. A
function of an Int in a small range, ``f(x[i] % 26)``, is one of a position in a table, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import Range
from ein_mlir.analysis.phi.element_cost import DIVISION, FUNCTION, cost
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.singularities import is_scalar_operator, is_singular
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.strided_positions import size_of_variable
from ein_mlir.analysis.scopes import (
    around,
    home_of,
    is_within,
    needed_within,
    operations_in,
    outermost_without,
    values_behind,
)
from ein_mlir.dialects import phi, sigma
from ein_mlir.host.dataclass import dataclass

FEW_PLACES = 64
"""The most places of a table that is computed in any case, if its sizes are known."""

FEW_VALUES = 256
"""The most values of an Int of which functions are positions in a table."""

LEAST_COST = 6
"""The least cost of a function of such an Int: that of a gather, on a library."""

_BOUNDED = arith.AndIOp, arith.ExtUIOp, arith.MaxSIOp, arith.MinSIOp, sigma.FloorModOp
"""The operations whose results may be in a small range, whatever that of their operands is."""

NONE = frozenset[SSAValue]()


@dataclass(frozen=True)
class Reads:
    """What a scalar is computed from."""

    widest: tuple[SSAValue, ...] = ()
    """The positions of an element that is read at all of the positions."""
    positions: frozenset[SSAValue] = NONE
    """The positions of elements."""
    outside: frozenset[SSAValue] = NONE
    """The arrays that are read, and values from outside of the block."""
    variables: frozenset[SSAValue] = NONE
    """The variables of the block."""
    gets: int = 0
    """The number of elements that are read."""
    cost: int = 0


@dataclass(frozen=True)
class LookedUp:
    """A value that depends on the place in a table alone."""

    value: SSAValue
    place: phi.BodyOp
    """The outermost loop around it that computes none of the arrays that are read."""
    axes: tuple[SSAValue, ...]
    """The positions, those of the widest read first."""
    arrays: tuple[tuple[tuple[SSAValue, int], ...], ...]
    """For each axis, the arrays that are read there, and their axes."""
    is_small: bool
    """Whether the table is small, has places, and all arrays are as large."""
    values: int | None = None
    """The number of values of the position, if no array is read."""
    variables: tuple[BlockArgument, ...] = ()
    """The indices that the value depends on as well."""
    uses: int = 1
    """The number of positions at which the same table is read."""
    is_product: bool = False
    """Whether it has a derivative that needs all elements that are read there to be finite."""
    is_sum: bool = False
    """Whether it is a sum of products, which takes less time as a product of matrices."""

    def needed(self) -> list[Operation]:
        """The operations that compute the value from the positions, in order."""
        values = values_behind(
            [self.value], lambda x: x not in self.axes and is_within(x, self.place)
        )
        ops = {value.owner for value in values}
        return [
            op
            for op in operations_in(self.place)
            if op in ops and not any(each in ops for each in around(op.parent_op()))
        ]


class Finder:
    """Finds the values of a function that depend on places of tables alone."""

    def __init__(self, function: func.FuncOp, *, folds: bool, differentiable: bool):
        self._function = function
        self._least_gets = 2 if folds else None
        self._differentiable = differentiable
        self._has_values = folds and not differentiable
        """Whether Ints in a small range may be places."""
        self._reads = dict[SSAValue, Reads]()

    def found(self) -> list[LookedUp]:
        """These values, of which no user is one, in order."""
        ops = operations_in(self._function, bodies_first=True)
        if not self._has_places(ops):
            return []
        for op in ops:
            if len(op.results) == 1 and phi.is_scalar_type(op.results[0].type):
                reads = self._reads_of(op)
                if reads is not None:
                    self._reads[op.results[0]] = reads
        roots = [value for value in self._reads if not self._is_part(value)]
        return [each for root in roots if (each := self._looked_up(root)) is not None]

    def _has_places(self, ops: Sequence[Operation]) -> bool:
        """Whether any position is read itself, or is an Int in a small range: most are indices."""
        gets = [op for op in ops if isinstance(op, phi.GetOp)]
        positions = dict.fromkeys(phi.uncast(x) for op in gets for x in op.positions)
        needed = needed_within(self._function, positions)
        return any(isinstance(op, phi.GetOp) for op in needed) or (
            self._has_values and any(isinstance(op, _BOUNDED) for op in ops)
        )

    def _is_part(self, value: SSAValue) -> bool:
        """Whether all users of a value depend on the same places."""
        positions = self._reads[value].positions
        users = [use.operation for use in value.uses]
        return all(
            len(user.results) == 1
            and (reads := self._reads.get(user.results[0])) is not None
            and reads.positions == positions
            and not reads.variables
            and not isinstance(user, phi.GetOp)
            for user in users
        )

    def _reads_of(self, op: Operation) -> Reads | None:
        """What the result of an operation is computed from, if that is positions and arrays."""
        if isinstance(op, phi.GetOp):
            places = tuple(map(phi.uncast, op.positions))
            return Reads(places, frozenset(places), frozenset([op.array]), gets=1)
        if is_scalar_operator(op) and not (self._differentiable and is_singular(op)):
            return _joined([self._of_operand(x, op.parent) for x in op.operands], cost(op))
        return None

    def _of_operand(self, value: SSAValue, block: Block | None) -> Reads | None:
        owner = value.owner
        if owner is block:
            return Reads(variables=frozenset([value]))
        if isinstance(owner, Block) or owner.parent is not block:
            return Reads(outside=frozenset([value]))
        found = self._reads.get(value)
        is_free = found is None or found.variables or all(map(_is_variable, found.positions))
        if is_free and self._values_of(value) is not None:
            return Reads((value,), frozenset([value]))
        return found

    def _values_of(self, value: SSAValue) -> int | None:
        """The number of values of an Int in a small range from 0, for a library."""
        if not self._has_values or not isinstance(value.owner, _BOUNDED):
            return None
        found = self._forms.range(value)
        is_small = value.type == i64 and found in Range(0, FEW_VALUES - 1)
        return found.high + 1 if is_small else None

    def _looked_up(self, value: SSAValue) -> LookedUp | None:
        """A value of some cost at positions that are read themselves."""
        reads, owner = self._reads[value], value.owner
        if reads.variables or not reads.widest or not self._is_costly(reads):
            return None
        assert isinstance(owner, Operation)
        place = outermost_without(owner, reads.outside)
        if place is owner or not isinstance(place, phi.BodyOp):
            return None
        axes = tuple(x for x in dict.fromkeys(reads.widest) if is_within(x, place))
        if not any(_is_read(axis, place) for axis in axes) or _are_related(axes, place):
            return None
        if not reads.gets:
            return LookedUp(value, place, axes, (), is_small=True, values=self._values_of(axes[0]))
        arrays = tuple(map(tuple, _arrays(value, axes)))
        return LookedUp(value, place, axes, arrays, self._is_small(arrays))

    def _is_costly(self, reads: Reads) -> bool:
        least = DIVISION if self._has_values else FUNCTION
        is_function = reads.cost >= (least if reads.gets else LEAST_COST)
        return is_function or (self._least_gets is not None and reads.gets >= self._least_gets)

    def _is_small(self, arrays: Iterable[Sequence[tuple[SSAValue, int]]]) -> bool:
        """Whether all sizes of a table are known, and few."""
        count = 1
        for own in arrays:
            sizes = {self._forms.size(array, axis) for array, axis in own}
            size = sizes.pop()
            known = None if size is None or sizes else size.known()
            if known is None or known <= 0:
                return False
            count *= known
        return count <= FEW_PLACES

    def are_equal(self, own: Sequence[tuple[SSAValue, int]]) -> bool:
        """Whether the arrays of an axis have equal sizes in any case."""
        forms = [self._forms.size(array, axis) for array, axis in own]
        return forms[0] is not None and all(form == forms[0] for form in forms)

    def have_equal_sizes(self, first: BlockArgument, second: BlockArgument) -> bool:
        """Whether two variables have equal sizes in any case."""
        sizes = [size_of_variable(each) for each in (first, second)]
        if sizes[0] is sizes[1]:
            return True
        forms = [self._forms.canonical(self._forms.form(size)) for size in sizes]
        return forms[0] == forms[1]

    @cached_property
    def _forms(self) -> IndexForms:
        """The sizes of arrays, if any value needs them."""
        sizes = SizeEquivalence(self._function)
        return IndexForms(self._function, sizes, FreeIndices(self._function))


def _is_variable(position: SSAValue) -> bool:
    """Whether a position is an index or counter: elements are read one after the other."""
    return isinstance(position, BlockArgument)


def _arrays(value: SSAValue, axes: Sequence[SSAValue]) -> Iterable[list[tuple[SSAValue, int]]]:
    """For each axis of a table, the arrays that are read there, and their axes."""
    block = home_of(value)
    gets = [op for op in slice_of(block, [value], axes) if isinstance(op, phi.GetOp)]
    for axis in axes:
        found = dict[tuple[SSAValue, int], None]()
        for op in gets:
            for number, position in enumerate(map(phi.uncast, op.positions)):
                if position is axis:
                    found[op.array, number] = None
        yield list(found)


def _joined(parts: Sequence[Reads | None], own: int | None) -> Reads | None:
    """What several values are computed from, if one element is read at all positions."""
    known = [each for each in parts if each is not None]
    if own is None or len(known) < len(parts):
        return None
    widest = max(known, key=lambda each: len(each.positions), default=Reads())
    positions = NONE.union(*(each.positions for each in known))
    if positions != widest.positions:
        return None
    return Reads(
        widest.widest,
        positions,
        NONE.union(*(each.outside for each in known)),
        NONE.union(*(each.variables for each in known)),
        sum(each.gets for each in known),
        own + sum(each.cost for each in known),
    )


def _is_read(position: SSAValue, place: Operation) -> bool:
    """Whether a position depends on an element that is read in a loop."""
    if _is_variable(position):
        return False
    return any(isinstance(op, phi.GetOp) for op in needed_within(place, [position]))


def _are_related(axes: Sequence[SSAValue], place: Operation) -> bool:
    """Whether a position depends on another one: tables have no fewer places than that."""
    return any(
        phi.uncast(x) in axes
        for axis in axes
        for op in needed_within(place, [axis])
        for x in op.operands
    )
