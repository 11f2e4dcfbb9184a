"""Two nested folds that write each element of a table from elements of earlier steps.

Step ``(i, j)`` writes ``t[i + c, j + d]``. A read of ``t[i + r, j + s]`` meets the write of step
``(i - (c - r), j - (d - s))``: its *distance* is ``(c - r, d - s)``. A lexicographically positive
distance leads to an earlier step. Any other leads to a step that has not run: that element still
has its initial value, as has one that no step writes.

The outer fold carries the table, or only its last row: row ``i + 1`` of the table is then the row
after step ``i``, and row 0 the initial one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.dependence import MOST
from ein_mlir.analysis.phi.loops.writes import last_write
from ein_mlir.analysis.phi.position_bounds import PositionBounds
from ein_mlir.analysis.phi.selections import tests_around
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

Distance = tuple[int, int]
"""The steps of the outer and of the inner fold from a write to a read."""

STEEPEST = 3
"""The most steps by which the inner fold is late in the next step of the outer one."""


@dataclass(frozen=True)
class Line:
    """The values that an inner fold carries: an array, and perhaps a number before it."""

    array: SSAValue
    """The array in a step."""
    written: SSAValue
    """The array after a step."""
    init: SSAValue
    """The array before the fold."""
    number: SSAValue | None = None
    """The number in a step."""
    next_number: SSAValue | None = None
    """The number after a step."""
    first_number: SSAValue | None = None
    """The number before the fold."""


@dataclass(frozen=True)
class Nest:
    """Two nested folds that write a table."""

    outer: phi.FoldOp
    inner: phi.FoldOp
    line: Line
    value: SSAValue
    """The element that a step writes."""
    first: Distance
    """The position of the first write."""
    reads: Mapping[SSAValue, Distance]
    """The elements of the table that a step reads, and the number that the inner fold carries."""

    @property
    def carries_rows(self) -> bool:
        """Whether the outer fold carries only the last row of the table."""
        return phi.rank_of(self.outer.result.type) == 1

    def slope(self) -> int | None:
        """The least ``a`` for which the steps of equal ``a * i + j`` may run at the same time.

        For a distance ``(d, e)`` to an earlier step, ``a * d + e`` must be positive: that step runs
        before. For any other it must not be.
        """
        distances = set(self.reads.values())
        for slope in range(STEEPEST + 1):
            if all((slope * d + e > 0) == ((d, e) > (0, 0)) for d, e in distances):
                return slope
        return None


def nest_of(outer: phi.FoldOp, forms: IndexForms) -> Nest | None:
    """The nest that a fold is the outer loop of; None for other folds."""
    inner = _inner(outer)
    if inner is None or is_within(inner.count, outer):
        return None
    if outer.irregular is not None or inner.irregular is not None:
        return None
    line, rank = _line(inner), phi.rank_of(outer.result.type)
    if line is None or rank > 2 or (line.number is not None and rank != 1):
        return None
    return _Classification(outer, inner, line, forms).nest()


def _inner(outer: phi.FoldOp) -> phi.FoldOp | None:
    """The fold in a step whose array the outer fold carries."""
    result = outer.yielded()
    if isinstance(result.owner, phi.ProjOp):
        result = result.owner.record
    inner = result.owner
    if not isinstance(inner, phi.FoldOp) or inner.parent is not outer.body.block:
        return None
    is_array = isa(outer.result.type, phi.VecType)
    is_plain = is_array and not isa(phi.scalar_of(outer.result.type), TupleType)
    return inner if is_plain else None


def _line(inner: phi.FoldOp) -> Line | None:
    """The values that a fold carries; None if they are others than a number and an array."""
    after = inner.yielded()
    if isa(inner.result.type, phi.VecType):
        return Line(inner.accumulator, after, inner.init)
    start, end, fields = inner.init.owner, after.owner, _fields(inner)
    if not isinstance(start, phi.TupleOp) or not isinstance(end, phi.TupleOp) or fields is None:
        return None
    place = int(phi.is_scalar_type(fields[0].type))
    if not _is_only_field(inner.result, place):
        return None
    (number, next_number, first_number), (array, written, init) = (
        (fields[field], end.fields[field], start.fields[field]) for field in (1 - place, place)
    )
    return Line(array, written, init, number, next_number, first_number)


def _fields(inner: phi.FoldOp) -> tuple[SSAValue, SSAValue] | None:
    """A number and an array of a carried pair in a step, each the result of one projection."""
    users = [use.operation for use in inner.accumulator.uses]
    found = {
        user.field.value.data: user.result
        for user in users
        if isinstance(user, phi.ProjOp) and user.parent is inner.body.block
    }
    if len(users) != 2 or set(found) != {0, 1}:
        return None
    fields = sorted(found.values(), key=lambda field: phi.is_scalar_type(field.type))
    is_pair = isa(fields[0].type, phi.VecType) and phi.is_scalar_type(fields[1].type)
    return (found[0], found[1]) if is_pair else None


def _is_only_field(record: SSAValue, field: int) -> bool:
    """Whether only one field of a pair is used."""
    users = [use.operation for use in record.uses]
    return all(isinstance(user, phi.ProjOp) and user.field.value.data == field for user in users)


class _Classification:
    """The classification of the write and the reads of two nested folds."""

    def __init__(self, outer: phi.FoldOp, inner: phi.FoldOp, line: Line, forms: IndexForms):
        self._outer = outer
        self._inner = inner
        self._line = line
        self._forms = forms
        self._rank = phi.rank_of(outer.result.type)
        self._bounds = PositionBounds(forms)

    def nest(self) -> Nest | None:
        """The nest, if each access is at a constant distance from the counters."""
        line, write = self._line, last_write(self._line.written, self._inner.body.block)
        if write is None or write.around is not None or write.tests or write.base is not line.array:
            return None
        value, first = write.update.value, self._offsets(write.positions, 1)
        if first is None or min(first) < 0 or not self._is_in_bounds(first):
            return None
        if line.next_number is not None and line.next_number is not value:
            return None
        reads = self._distances(first, write.update)
        if reads is None or not self._is_plain():
            return None
        return Nest(self._outer, self._inner, line, value, first, reads)

    def _distances(self, first: Distance, update: Operation) -> dict[SSAValue, Distance] | None:
        """The distance of each read; None if there is one in another form."""
        found = dict[SSAValue, Distance]()
        for read, row in self._reads(update):
            if read is None:
                return None
            positions = self._unclipped(read)
            offsets = self._offsets(positions, row)
            if offsets is None or not self._is_read_in_bounds(read, positions):
                return None
            distance = (first[0] - offsets[0], first[1] - offsets[1])
            if distance <= (0, 0) and self._line.init is self._outer.accumulator:
                distance = (distance[0] + 2 - self._rank, distance[1])
            found[read.result] = distance
        if self._line.number is not None:
            found[self._line.number] = (0, 1)
        return found

    def _reads(self, update: Operation) -> Iterator[tuple[phi.GetOp | None, int]]:
        """The reads of elements in a step, each with its row if the outer fold carries rows.

        None for another user.
        """
        skipped = {update, self._inner, self._inner.init.owner}
        for array, row in ((self._line.array, 1), (self._outer.accumulator, 0)):
            for use in array.uses:
                op = use.operation
                if op in skipped or isinstance(op, phi.SizeOp):
                    continue
                is_read = isinstance(op, phi.GetOp) and op.parent is self._inner.body.block
                yield (op if is_read and isinstance(op, phi.GetOp) else None), row

    def _offsets(self, positions: Sequence[SSAValue], row: int) -> Distance | None:
        """The position of an access in the table, less that of the step."""
        if len(positions) != self._rank:
            return None
        counters = (self._outer.counter, self._inner.counter)[2 - self._rank :]
        found = [self._offset(*pair) for pair in zip(positions, counters, strict=True)]
        known = [row] * (2 - self._rank) + [each for each in found if each is not None]
        return (known[0], known[1]) if len(known) == 2 else None

    def _offset(self, position: SSAValue, counter: SSAValue) -> int | None:
        difference = self._forms.form(position) - self._forms.form(counter)
        known = self._forms.canonical(difference).known()
        return known if known is not None and abs(known) <= MOST else None

    def _is_in_bounds(self, first: Distance) -> bool:
        """Whether no write is out of bounds, and each row has the size of the first one."""
        counts, axes = (self._outer.count, self._inner.count), range(2 - self._rank, 2)
        sizes = [self._forms.size(self._outer.init, axis) for axis in range(self._rank)]
        own = self._forms.size(self._line.init, self._rank - 1)
        return all(
            size is not None
            and self._forms.is_at_most(self._forms.extent(counts[axis]) + first[axis], size)
            for axis, size in zip(axes, sizes, strict=True)
        ) and (
            self._line.init is self._outer.accumulator
            or (own is not None and sizes[-1] is not None and self._forms.equal(own, sizes[-1]))
        )

    def _unclipped(self, read: phi.GetOp) -> list[SSAValue]:
        """The positions of a read, without extremes that have no effect on it."""
        sizes = [self._forms.size(self._outer.init, axis) for axis in range(self._rank)]
        return list(map(self._forms.unclipped, read.positions, sizes))

    def _is_read_in_bounds(self, read: phi.GetOp, positions: Sequence[SSAValue]) -> bool:
        """Whether a read at positions does not clip wherever its value is used."""
        counts = (self._outer.count, self._inner.count)
        known = self._bounds.where(tests_around(read.result), counts)
        return all(
            known.is_above(position) and known.is_below(position, self._outer.init, axis)
            for axis, position in enumerate(positions)
        )

    def _is_plain(self) -> bool:
        """Whether no step raises an error, and only the inner fold depends on earlier steps."""
        varying = dependents(self._outer.body.block, self._outer.accumulator)
        skipped = (self._inner, self._inner.init.owner)
        for op in self._outer.body.block.ops:
            if op is self._inner:
                break
            if op not in skipped and not varying.isdisjoint(op.results):
                return False
        bodies = (self._outer.body, self._inner.body)
        ops = [op for body in bodies for op in body.walk() if op is not self._inner]
        return self._is_table_of_its_own() and not any(map(may_fail, ops))

    def _is_table_of_its_own(self) -> bool:
        """Whether the inner fold starts with the table, or with a row that no step affects."""
        if self._line.init is self._outer.accumulator:
            return True
        varying = dependents(self._outer.body.block, self._outer.accumulator)
        return self._rank == 1 and self._line.init not in varying
