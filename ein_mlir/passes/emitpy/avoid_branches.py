"""``avoid-branches``: floats are selected by arithmetic on bits where a mask is irregular."""

from __future__ import annotations

from collections.abc import Container

from xdsl.dialects import func
from xdsl.dialects.builtin import Float16Type, Float32Type, Float64Type, TensorType
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy.base import is_array
from ein_mlir.rewriting.passes import FunctionPass

_FLOATS = (Float16Type, Float32Type, Float64Type)


def avoid_branches(op: emitpy.CallOp | emitpy.CallIntoOp, data: Container[SSAValue]) -> None:
    """Replace a selection of floats, by a mask that is one of the values of data, by a helper."""
    mask = _mask_of_copy(op) if isinstance(op, emitpy.CallIntoOp) else _mask_of_selection(op)
    if mask is None or mask not in data or not _is_whole(mask, op.result):
        return
    if isinstance(op, emitpy.CallIntoOp):
        keywords = {"where": mask}
        new = emitpy.CallIntoOp(op.target, "np.choose_into", op.positional, keywords=keywords)
    else:
        library = op.callee.data.partition(".")[0]
        new = emitpy.HelperOp(f"{library}.choose", op.operands, op.result.type)
    new.location = op.location
    new.result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, new)


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


def _values_of_data(function: func.FuncOp) -> set[SSAValue]:
    """The arrays that are computed from those of arguments or of loops, not from positions."""
    found = set[SSAValue]()
    for op in operations_in(function):
        for region in op.regions:
            found.update(filter(is_array, region.block.args))
        if op.regions or any(operand in found for operand in op.operands):
            found.update(filter(is_array, op.results))
    return found


class AvoidBranchesPass(FunctionPass):
    """Selects floats by functions that multiply bits by a mask, if that is irregular.

    Before::

        y = np.where(c, x, 0.0)
        np.copyto(z, x, where=c)

    After::

        y = choose(c, x, 0.0)
        choose_into(z, x, where=c)

    in IR, where the functions are ``emitpy.helper`` and ``emitpy.call_into``. NumPy and PyTorch
    branch for each element. Where the processor cannot predict the branch, as for conditions on
    data, it takes ten times as long as arithmetic. The functions look at a part of the mask. Those
    of positions alone stay, and those that are smaller than the result: all elements of a row take
    the same branch.
    """

    name = "avoid-branches"
    looks_for = (emitpy.CallOp, emitpy.CallIntoOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        data = _values_of_data(function)
        for op in operations_in(function):
            if isinstance(op, emitpy.CallOp | emitpy.CallIntoOp):
                avoid_branches(op, data)
