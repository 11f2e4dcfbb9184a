"""Selections of floats, by masks that may be irregular: a branch for each element takes long."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import Float16Type, Float32Type, Float64Type, TensorType
from xdsl.ir import SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import literal_data
from ein_mlir.dialects.emitpy.base import is_array

_FLOATS = (Float16Type, Float32Type, Float64Type)


def choices_by_data(
    function: func.FuncOp,
) -> Iterator[tuple[emitpy.CallOp | emitpy.CallIntoOp, SSAValue]]:
    """The selections of floats that arithmetic on bits may replace, and their masks.

    These are masks of data that are as large as the result, and on PyTorch, which computes with
    vectors except where it selects, smaller masks outside of which elements are 0.
    """
    data = set[SSAValue]()
    for op in operations_in(function):
        for region in op.regions:
            data.update(filter(is_array, region.block.args))
        if op.regions or any(operand in data for operand in op.operands):
            data.update(filter(is_array, op.results))
        if not isinstance(op, emitpy.CallOp | emitpy.CallIntoOp):
            continue
        mask = _mask_of_copy(op) if isinstance(op, emitpy.CallIntoOp) else _mask_of_selection(op)
        if mask is None or not _is_float_array(op.result) or not isa(mask.type, TensorType):
            continue
        if mask in data if is_whole(mask, op.result) else _leaves_zeros(op):
            yield op, mask


def _mask_of_selection(op: emitpy.CallOp) -> SSAValue | None:
    """The mask of ``np.where(c, x, y)``, or that of PyTorch."""
    is_selection = op.callee.data in ("np.where", "torch.where") and len(op.operands) == 3
    return op.operands[0] if is_selection else None


def _mask_of_copy(op: emitpy.CallIntoOp) -> SSAValue | None:
    """The mask of ``np.copyto(a, b, where=mask)`` into a whole array."""
    is_copy = op.callee.data == "np.copyto" and not op.indices
    return op.keyword_arguments.get("where") if is_copy else None


def _is_float_array(value: SSAValue) -> bool:
    """Whether a value is an array of floats that NumPy and PyTorch have bits of."""
    is_float = isa(value.type, TensorType) and isinstance(value.type.element_type, _FLOATS)
    return is_float and yarr.rank_of(value) > 0


def is_whole(mask: SSAValue, result: SSAValue) -> bool:
    """Whether the result is as large as the mask."""
    return yarr.shape_of(mask) == yarr.shape_of(result)


def _leaves_zeros(op: emitpy.CallOp | emitpy.CallIntoOp) -> bool:
    """Whether a selection of PyTorch by a mask of the same rank has zeros in place of an array."""
    if op.callee.data != "torch.where" or yarr.rank_of(op.operands[0]) != yarr.rank_of(op.result):
        return False
    values = op.operands[1:]
    return any(map(is_array, values)) and any(str(literal_data(value)) == "0.0" for value in values)
