"""Selections of floats, by masks that may be irregular: a branch for each element takes long."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import Float16Type, Float32Type, Float64Type, TensorType
from xdsl.ir import SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy.base import is_array

_FLOATS = (Float16Type, Float32Type, Float64Type)


def choices_by_data(
    function: func.FuncOp,
) -> Iterator[tuple[emitpy.CallOp | emitpy.CallIntoOp, SSAValue]]:
    """The selections of floats by masks of data that are as large as the result, and the masks."""
    data = set[SSAValue]()
    for op in operations_in(function):
        for region in op.regions:
            data.update(filter(is_array, region.block.args))
        if op.regions or any(operand in data for operand in op.operands):
            data.update(filter(is_array, op.results))
        if not isinstance(op, emitpy.CallOp | emitpy.CallIntoOp):
            continue
        mask = _mask_of_copy(op) if isinstance(op, emitpy.CallIntoOp) else _mask_of_selection(op)
        if mask is not None and mask in data and _is_whole(mask, op.result):
            yield op, mask


def _mask_of_selection(op: emitpy.CallOp) -> SSAValue | None:
    """The mask of ``np.where(c, x, y)``, or that of PyTorch."""
    is_selection = op.callee.data in ("np.where", "torch.where") and len(op.operands) == 3
    return op.operands[0] if is_selection else None


def _mask_of_copy(op: emitpy.CallIntoOp) -> SSAValue | None:
    """The mask of ``np.copyto(a, b, where=mask)`` into a whole array."""
    is_copy = op.callee.data == "np.copyto" and not op.indices
    return op.keyword_arguments.get("where") if is_copy else None


def _is_whole(mask: SSAValue, result: SSAValue) -> bool:
    """Whether the result is an array of floats as large as the mask."""
    if not isa(result.type, TensorType) or not isa(mask.type, TensorType):
        return False
    is_float = isinstance(result.type.element_type, _FLOATS)
    shape = yarr.shape_of(result)
    return is_float and len(shape) > 0 and yarr.shape_of(mask) == shape
