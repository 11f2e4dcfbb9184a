"""Elements in loops on scalars: by positions along all axes of arrays from before the loop."""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.emitpy.shared_memory import array_before
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.base import is_array
from ein_mlir.passes.emitpy.use_python_numbers.plan import is_number
from ein_mlir.rewriting.emitpy.reuse import reads_shape


def simplify_places(loop: emitpy.ForOp) -> None:
    """``filled[i, j]``, where ``filled = fill_empty(a, 1)`` before the loop, for elements of rows.

    In a loop that computes no arrays, ``fill_empty(b[i], 0)[j]`` is ``fill_empty(a, 1)[i, j]`` if
    ``b`` is the array ``a`` from before the loop, which steps update in place. Sizes of ``b`` are
    those of ``a``.
    """
    if not all(map(_is_simple, operations_in(loop))):
        return
    for op in operations_in(loop):
        if (new := _of_whole_array(op)) is not None:
            Rewriter.replace_op(op, new)
    for op in operations_in(loop):
        if _is_filled(op) or reads_shape(op):
            op.operands[0] = array_before(loop, op.operands[0])
    _hoist(loop)


def _is_simple(op: Operation) -> bool:
    """Whether an operation computes no array, except rows and elements to read."""
    if isinstance(op, emitpy.StoreOp | emitpy.ForOp | emitpy.SubscriptOp):
        return True
    return _is_filled(op) or not any(map(is_array, op.results))


def _is_filled(op: Operation) -> bool:
    return isinstance(op, emitpy.HelperOp) and op.callee.data == "np.fill_empty"


def _of_whole_array(op: Operation) -> list[Operation] | None:
    """An operation on a row as one on the array of the rows: ``a[i][j] --> a[i, j]``"""
    match op:
        case emitpy.HelperOp() if _is_filled(op):
            return _filled_rows(op)
        case emitpy.SubscriptOp(object=array) if (row := _row(array)) is not None:
            indices = (*row.indices, *op.indices)
            return [emitpy.SubscriptOp(row.object, indices, op.result.type)]
        case emitpy.SubscriptOp() if op.object.type == emitpy.OBJECT:
            return _size_of_rows(op)
        case _:
            return None


def _row(array: SSAValue) -> emitpy.SubscriptOp | None:
    """The operation that reads a row, as a view, by positions along leading axes."""
    op = array.owner
    if not isinstance(op, emitpy.SubscriptOp) or not (is_array(op.object) and is_array(array)):
        return None
    return op if all(map(is_number, op.indices)) else None


def _filled_rows(op: emitpy.HelperOp) -> list[Operation] | None:
    """``fill_empty(a[i], d) --> fill_empty(a, 1 + d)[i]``"""
    array, axis = op.positional
    row, number = _row(array), _literal(axis)
    if row is None or number is None or array.type != op.results[0].type:
        return None
    moved = emitpy.LiteralOp(number + len(row.indices))
    filled = emitpy.HelperOp("np.fill_empty", [row.object, moved], row.object.type, view=True)
    return [moved, filled, emitpy.SubscriptOp(filled, row.indices, op.results[0].type)]


def _size_of_rows(op: emitpy.SubscriptOp) -> list[Operation] | None:
    """``a[i].shape[d] --> a.shape[1 + d]``"""
    shape, number = op.object.owner, _literal(op.indices[0])
    row = _row(shape.object) if isinstance(shape, emitpy.AttrOp) and reads_shape(shape) else None
    if row is None or number is None:
        return None
    moved = emitpy.LiteralOp(number + len(row.indices))
    sizes = emitpy.AttrOp(row.object, "shape", emitpy.OBJECT)
    return [moved, sizes, emitpy.SubscriptOp(sizes, [moved], emitpy.OBJECT)]


def _literal(value: SSAValue) -> int | None:
    number = emitpy.literal_data(value)
    return number if isinstance(number, int) else None


def _hoist(loop: emitpy.ForOp) -> None:
    """Move sizes and filled arrays before a loop, equal ones once; remove rows without readers."""
    known = dict[Hashable, Operation]()
    for op in operations_in(loop):
        if not _is_of_sizes(op) or any(is_within(value, loop) for value in op.operands):
            continue
        key = (type(op), tuple(op.operands), str(op.properties), op.results[0].type)
        if (same := known.setdefault(key, op)) is op:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(loop))
            if isinstance(op, emitpy.SubscriptOp) and op.result.name_hint is None:
                op.result.name_hint = "size"
        else:
            Rewriter.replace_op(op, [], same.results)
    for op in reversed(operations_in(loop)):
        is_read = any(result.first_use is not None for result in op.results)
        if isinstance(op, emitpy.SubscriptOp | emitpy.AttrOp) and not is_read:
            Rewriter.erase_op(op)


def _is_of_sizes(op: Operation) -> bool:
    """Whether an operation computes sizes and positions of their kind, or fills an empty array."""
    if isinstance(op, emitpy.BinaryOp):
        return op.operator.data in "+-" and op.result.type == emitpy.OBJECT
    if isinstance(op, emitpy.CallOp):
        return op.callee.data in ("min", "max") and op.results[0].type == emitpy.OBJECT
    is_size = isinstance(op, emitpy.SubscriptOp) and op.object.type == emitpy.OBJECT
    return isinstance(op, emitpy.LiteralOp) or is_size or reads_shape(op) or _is_filled(op)
