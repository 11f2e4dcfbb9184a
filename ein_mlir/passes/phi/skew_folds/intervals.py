"""Folds that write one diagonal of a table in each step: the diagonals become rows."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import is_thin
from ein_mlir.analysis.phi.loops.dependence import MOST
from ein_mlir.analysis.phi.loops.writes import last_write
from ein_mlir.analysis.phi.position_bounds import PositionBounds
from ein_mlir.analysis.phi.selections import tests_around
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class Intervals:
    """A fold whose step k writes ``t[i, i + k + offset]`` for all rows i."""

    op: phi.FoldOp
    body: Block
    """The body that computes the element of a row."""
    index: BlockArgument
    """The index of the row in it."""
    value: SSAValue
    """The element."""
    offset: int
    last: phi.ArrayOp
    """The table after a step."""

    def sizes(self, axis: int) -> list[SSAValue]:
        """The sizes of comprehensions along an axis of the table."""
        loops = (self.last, self.body.parent_op())
        return [
            loop.sizes[axis]
            for loop in loops
            if isinstance(loop, phi.ArrayOp) and len(loop.sizes) > axis
        ]


def intervals_of(op: phi.FoldOp, forms: IndexForms) -> Intervals | None:
    """The fold as one that writes diagonals; None for another one."""
    last = op.yielded().owner
    is_table = isa(op.result.type, phi.VecType) and phi.rank_of(op.result.type) == 2
    if op.irregular is not None or not is_table or isa(phi.scalar_of(op.result.type), TupleType):
        return None
    if not isinstance(last, phi.ArrayOp) or last.parent is not op.body.block:
        return None
    if is_thin(op.count):
        return None
    found = _by_updates(op, last, forms) or _by_choice(op, last, forms)
    return found if found is not None and _is_legal(found, forms) else None


def _by_updates(op: phi.FoldOp, last: phi.ArrayOp, forms: IndexForms) -> Intervals | None:
    """``array (i) { update t[i] at [i + k + c], v }``, or ``v[i]``"""
    write = last_write(last.result, op.body.block)
    if write is None or write.around is not last or write.tests or len(write.indices) != 1:
        return None
    if write.base is not op.accumulator or len(write.positions) != 1:
        return None
    index, value = write.indices[0], write.update.value
    offset = _offset(forms.form(write.positions[0]), index, op, forms)
    if offset is None or not phi.is_scalar_type(value.type):
        return None
    elements = _elements_of(value.owner, index, op, last, forms)
    if elements is not None:
        return Intervals(op, *elements, offset, last)
    return Intervals(op, last.body.block, index, value, offset, last)


def _elements_of(
    new: Operation | Block, row: SSAValue, op: phi.FoldOp, last: phi.ArrayOp, forms: IndexForms
) -> tuple[Block, BlockArgument, SSAValue] | None:
    """``v[i]`` of ``v = array (i) { x }`` in a step: the body, its index, and x."""
    elements = new.array.owner if isinstance(new, phi.GetOp) else None
    if (
        not isinstance(new, phi.GetOp)
        or not isinstance(elements, phi.ArrayOp)
        or elements.parent is not op.body.block
        or len(elements.indices) != 1
        or list(map(phi.uncast, new.positions)) != [row]
        or not elements.result.has_one_use()
        or not forms.equal(forms.extent(elements.sizes[0]), forms.extent(last.sizes[0]))
    ):
        return None
    return elements.body.block, elements.indices[0], elements.yielded()


def _by_choice(op: phi.FoldOp, last: phi.ArrayOp, forms: IndexForms) -> Intervals | None:
    """``array (i, j) { select (j == i + k + c, v[i], t[i, j]) }``"""
    choice = last.yielded().owner
    if not isinstance(choice, arith.SelectOp) or len(last.indices) != 2:
        return None
    test, old = choice.cond.owner, choice.rhs.owner
    if not isinstance(test, arith.CmpiOp) or test.predicate.value.data != 0:
        return None
    row, column = last.indices
    elements = _elements_of(choice.lhs.owner, row, op, last, forms)
    if elements is None or not isinstance(old, phi.GetOp):
        return None
    if old.array is not op.accumulator or list(map(phi.uncast, old.positions)) != [row, column]:
        return None
    difference = forms.form(test.lhs) - forms.form(test.rhs)
    if difference.coefficients.get(column) == -1:
        difference = -difference
    if difference.coefficients.get(column) != 1:
        return None
    offset = _offset(-difference.without([column]), row, op, forms)
    return None if offset is None else Intervals(op, *elements, offset, last)


def _offset(position: LinearForm, index: SSAValue, op: phi.FoldOp, forms: IndexForms) -> int | None:
    """``c`` of a position ``i + k + c``, if it is not negative."""
    rest = forms.canonical(position - LinearForm.of(index) - LinearForm.of(op.counter)).known()
    return rest if rest is not None and 0 <= rest <= MOST else None


def _is_legal(found: Intervals, forms: IndexForms) -> bool:
    """Whether each read is in bounds where its element is written and needs it, and nothing may
    fail.
    """
    op = found.op
    rows, columns = forms.size(op.init, 0), forms.size(op.init, 1)
    if rows is None or columns is None:
        return False
    if not forms.equal(forms.extent(found.last.sizes[0]), rows):
        return False
    position = LinearForm.of(found.index) + LinearForm.of(op.counter) + found.offset
    room = columns - 1 - position
    known = PositionBounds(forms, [room]).where([], [op.count])
    kept = {found.last, *found.last.body.walk()}
    for use in op.accumulator.uses:
        read = use.operation
        if isinstance(read, phi.SizeOp) or (read in kept and not _is_in(read, found.body)):
            continue
        if isinstance(read, phi.GetOp) and len(read.positions) == 1 and _is_row(read, found):
            continue
        if not isinstance(read, phi.GetOp) or len(read.positions) != 2:
            return False
        needed = [form for test in tests_around(read.result) for form in known.bounds_by(test)]
        inside = known.knowing([*needed, *(room + form for form in needed)])
        if not _is_in(read, found.body) or not all(
            inside.is_above(place) and inside.is_below(place, op.init, axis)
            for axis, place in enumerate(read.positions)
        ):
            return False
    return not any(may_fail(each) for each in op.body.walk() if not isinstance(each, phi.ArrayOp))


def _is_in(op: Operation, body: Block) -> bool:
    parent = body.parent_op()
    return parent is not None and parent.is_ancestor(op)


def _is_row(read: phi.GetOp, found: Intervals) -> bool:
    """Whether a row is read to be updated."""
    users = [use.operation for use in read.result.uses]
    return all(isinstance(user, phi.UpdateOp) and user.parent is found.body for user in users)


class IntervalRows:
    """The table of a fold with the elements ``(p, q)`` in row ``q - p + n - 1``, at p."""

    def __init__(self, found: Intervals, forms: IndexForms):
        self._found = found
        self._distances = {
            read.result: forms.form(read.positions[1]) - forms.form(read.positions[0])
            for use in found.op.accumulator.uses
            if isinstance(read := use.operation, phi.GetOp)
            and len(read.positions) == 2
            and _is_in(read, found.body)
        }
        """The column of each read less its row."""
        self._build = Builder.before(found.op)
        self._rows, self._columns = map(self._size, range(2))

    def _size(self, axis: int) -> SSAValue:
        """The size of an axis of the table, with the assertions about it."""
        outside = [size for size in self._found.sizes(axis) if not is_within(size, self._found.op)]
        size = self._build.size(self._found.op.init, axis)
        return self._build.common_size([size, *outside])

    def replace(self) -> None:
        """Compute the diagonals as rows, and read the table from them."""
        op, after = self._found.op, Builder.after(self._found.op)
        diagonals = self._fold(self._table())
        table = after.comprehension(
            [self._rows, self._columns], lambda inner, own: self._read(inner, diagonals, own)
        )
        table.name_hint = op.result.name_hint
        op.result.replace_all_uses_with(table)
        Rewriter.erase_op(op)

    def _table(self) -> SSAValue:
        """The diagonals before the first step."""
        count = self._build.sub(self._build.add(self._rows, self._columns), 1)
        count = self._build.max(count, 0)

        def element(build: Builder, own: Sequence[SSAValue]) -> SSAValue:
            s, p = (build.as_int(index) for index in own)
            q = build.add(s, p)
            q = build.sub(q, self._last_row(build))
            return build.get(self._found.op.init, [p, q])

        return self._build.comprehension([count, self._rows], element)

    def _last_row(self, build: Builder) -> SSAValue:
        return build.sub(self._rows, 1)

    def _read(self, build: Builder, table: SSAValue, place: Sequence[SSAValue]) -> SSAValue:
        """The element at a row and a column."""
        p, q = (build.as_int(each) for each in place)
        s = build.add(build.sub(q, p), self._last_row(build))
        return build.get(table, [s, p])

    def _fold(self, table: SSAValue) -> SSAValue:
        """The fold that writes a row in each step."""
        op, found = self._found.op, self._found
        block = fold_body(op, table.type)
        counter, carried = block.args
        build = Builder.at_end(block)
        known: dict[SSAValue, SSAValue] = {op.counter: counter, op.accumulator: carried}
        outer = found.body.parent_op()
        for each in op.body.block.ops:
            if each not in (found.last, outer) and not isinstance(each, phi.YieldOp):
                build.copy(each, known)
        ahead = build.add(counter, found.offset)
        s = build.add(ahead, self._last_row(build))

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            known[found.index] = own[0]
            for each in found.body.ops:
                if not isinstance(each, phi.YieldOp | phi.UpdateOp):
                    inner.copy(each, known)
            value = known.get(found.value, found.value)
            place = inner.add(inner.as_int(own[0]), ahead)
            is_written = inner.compare(place, "slt", self._columns)
            return inner.select(is_written, value, inner.get(carried, [s, own[0]]))

        row = build.comprehension([self._rows], element, [found.index])
        build.yield_(build.update(carried, [s], row))
        self._reread(carried, known)
        return self._build.emit(phi.FoldOp(op.count, table, Region(block)))

    def _reread(self, carried: SSAValue, known: dict[SSAValue, SSAValue]) -> None:
        """Read the elements of the table, at rows and columns, from the diagonals."""
        for old, distance in self._distances.items():
            read = phi.GetOp.of(known[old])
            build = Builder.before(read)
            along = build.linear_value(distance, lambda atom: known.get(atom, atom))
            s = build.add(along, self._last_row(build))
            Rewriter.replace_op(read, phi.GetOp(carried, [s, read.positions[0]]))
        for use in list(carried.uses):
            op = use.operation
            if isinstance(op, phi.SizeOp):
                axis = op.axis.value.data
                op.result.replace_all_uses_with((self._rows, self._columns)[axis])
                Rewriter.erase_op(op)
            elif isinstance(op, phi.GetOp) and not op.result.uses and len(op.positions) == 1:
                Rewriter.erase_op(op)
