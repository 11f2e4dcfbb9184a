"""``unbind-rows``: loops that read a row of an array in each step read a list of its rows."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.emitpy.parts import is_whole
from ein_mlir.rewriting.passes import FunctionPass

HELPER = "torch.rows_along"


@dataclass(frozen=True)
class _Read:
    """``x[:, k]`` or ``x.narrow(1, k, 1)``: a row at a position along an axis of an array."""

    op: emitpy.SubscriptOp | emitpy.MethodOp
    array: SSAValue
    axis: int
    position: SSAValue


def unbind_rows(function: func.FuncOp) -> None:
    """Make the lists of the rows that the loops of a function read."""
    lists = dict[tuple[SSAValue, int, emitpy.ForOp], SSAValue]()
    for loop in [op for op in operations_in(function) if isinstance(op, emitpy.ForOp)]:
        if loop.is_condition or loop.conditional is not None or loop.count.type != emitpy.OBJECT:
            continue
        for read in list(_reads(loop)):
            place = _outermost(loop, (read.array, loop.count))
            key = read.array, read.axis, place
            if key not in lists:
                lists[key] = _list(read, loop, place)
            _replace(read, lists[key])


def _reads(loop: emitpy.ForOp) -> Iterator[_Read]:
    """The rows that a step reads of arrays from before the loop, each at a position of its own."""
    for op in loop.body.block.ops:
        read = _subscript(op) or _narrow(op)
        if (
            read is not None
            and isa(yarr.element_of(read.array), AnyFloat)
            and not is_within(read.array, loop)
            and is_within(read.position, loop)
        ):
            yield read


def _subscript(op: Operation) -> _Read | None:
    """``x[:, k]``"""
    if not isinstance(op, emitpy.SubscriptOp) or not isa(op.object.type, TensorType):
        return None
    places = [k for k, index in enumerate(op.indices) if not is_whole(index)]
    if len(places) != 1 or not isa(op.result.type, TensorType):
        return None
    (axis,) = places
    is_row = yarr.rank_of(op.result) == yarr.rank_of(op.object) - 1
    position = op.indices[axis]
    is_number = position.type == emitpy.OBJECT and not isinstance(position.owner, emitpy.SliceOp)
    return _Read(op, op.object, axis, position) if is_row and is_number else None


def _narrow(op: Operation) -> _Read | None:
    """``x.narrow(1, k, 1)``"""
    if not isinstance(op, emitpy.MethodOp) or op.method.data != "narrow":
        return None
    axis, position, size = op.positional
    place = emitpy.literal_data(axis)
    if emitpy.literal_data(size) != 1 or not isinstance(place, int):
        return None
    return _Read(op, op.receiver, place, position) if position.type == emitpy.OBJECT else None


def _outermost(loop: emitpy.ForOp, values: tuple[SSAValue, ...]) -> emitpy.ForOp:
    """The outermost loop around one, but for conditions, before which values are defined."""
    outer = loop.parent_op()
    if not isinstance(outer, emitpy.ForOp) or outer.is_condition:
        return loop
    return loop if any(is_within(each, outer) for each in values) else _outermost(outer, values)


def _list(read: _Read, loop: emitpy.ForOp, place: emitpy.ForOp) -> SSAValue:
    """The rows along an axis of an array, before a loop."""
    shape = [*yarr.shape_of(read.array)]
    shape.insert(0, shape.pop(read.axis))
    axis = emitpy.LiteralOp(read.axis)
    operands = read.array, axis.result, loop.count
    rows = emitpy.HelperOp(
        HELPER, operands, yarr.tensor(yarr.element_of(read.array), shape), view=True, first=True
    )
    rows.location = read.op.location
    Rewriter.insert_op([axis, rows], InsertPoint.before(place))
    return rows.result


def _replace(read: _Read, rows: SSAValue) -> None:
    """Read a row of the list."""
    old = read.op.result
    if isinstance(read.op, emitpy.SubscriptOp):
        Rewriter.replace_op(read.op, row := emitpy.SubscriptOp(rows, [read.position], old.type))
        row.result.name_hint = old.name_hint
        return
    type_ = yarr.tensor(yarr.element_of(old), [*yarr.shape_of(rows)][1:])
    row = emitpy.SubscriptOp(rows, [read.position], type_)
    indices = [*(emitpy.SliceOp() for _ in range(read.axis)), emitpy.LiteralOp(None)]
    longer = emitpy.SubscriptOp(row, indices, old.type)
    longer.result.name_hint = old.name_hint
    Rewriter.replace_op(read.op, [row, *indices, longer], [longer.result])


class UnbindRowsPass(FunctionPass):
    """Lets loops read rows of a list, where derivatives may be recorded.

    Before::

        for k in range(n):
            s = s + x[:, k]

    After::

        rows = rows_along(x, 1, n)
        for k in range(n):
            s = s + rows[k]

    in IR, with an ``emitpy.helper`` for the list. The derivative of each ``x[:, k]`` that PyTorch
    records is an array as large as x; together they take quadratic time. That of ``unbind`` is one
    array for all rows. The helper makes no list where nothing is recorded, and where a loop reads a
    small part of the rows. A ``conditional`` loop may read few of them.
    """

    name = "unbind-rows"
    looks_for = (emitpy.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        unbind_rows(function)
