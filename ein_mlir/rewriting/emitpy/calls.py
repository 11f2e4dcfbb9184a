"""Calls of NumPy that return arrays, and their forms that write into an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.emitpy.shapes import PythonShapes
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.backends.numpy.tables import OPERATOR_UFUNCS, UFUNCS, UNARY_UFUNCS
from ein_mlir.backends.torch import tables as torch
from ein_mlir.dialects import emitpy

_ELEMENTWISE = frozenset((*UFUNCS, "np.where", *torch.ELEMENTWISE))

WRITES = (emitpy.AugmentOp, emitpy.CallIntoOp, emitpy.StoreOp)
"""Operations that overwrite an array."""


def is_copy(op: Operation) -> bool:
    """``a.copy()``"""
    return isinstance(op, emitpy.MethodOp) and op.method.data == "copy"


def is_choice(op: Operation) -> bool:
    """``np.where(c, x, y)``"""
    return isinstance(op, emitpy.CallOp) and op.callee.data == "np.where" and len(op.operands) == 3


def shapes_of(function: func.FuncOp, analyses: AnalysisManager) -> PythonShapes:
    """An analysis: the sizes of the arrays of a function."""
    return PythonShapes(function, _ELEMENTWISE)


def is_clipped_take(op: Operation) -> TypeGuard[emitpy.CallOp]:
    """``np.take(a, p, axis=0, mode="clip")``: without the mode, NumPy copies before it writes."""
    return (
        isinstance(op, emitpy.CallOp)
        and op.callee.data == "np.take"
        and op.keyword_arguments.keys() == {"axis", "mode"}
    )


def is_elementwise(op: Operation) -> bool:
    """Whether an operation is a ufunc of NumPy, in any form."""
    match op:
        case emitpy.BinaryOp():
            return op.operator.data in OPERATOR_UFUNCS
        case emitpy.UnaryOp():
            return op.operator.data in UNARY_UFUNCS
        case emitpy.CallOp():
            return op.callee.data in UFUNCS and op.keywords is None
        case _:
            return False


def is_by_element(op: emitpy.CallOp) -> bool:
    """Whether a call without options computes each element of its result from those of arrays."""
    return op.callee.data in _ELEMENTWISE and op.keywords is None


def call_into(
    op: Operation, target: SSAValue, indices: Sequence[SSAValue] = ()
) -> emitpy.CallIntoOp:
    """The call that writes the result of an operation into an array, or a part of one.

    The operation is elementwise, or ``np.take`` with ``mode="clip"``.
    """
    if is_clipped_take(op):
        keywords = op.keyword_arguments
        return emitpy.CallIntoOp(target, op.callee.data, op.positional, indices, keywords)
    return emitpy.CallIntoOp(target, ufunc_of(op), op.operands, indices)


def ufunc_of(op: Operation) -> str:
    """The ufunc that an elementwise operation calls."""
    match op:
        case emitpy.BinaryOp():
            return OPERATOR_UFUNCS[op.operator.data]
        case emitpy.UnaryOp():
            return UNARY_UFUNCS[op.operator.data]
        case emitpy.CallOp():
            return op.callee.data
        case _:
            raise AssertionError(op.name)


def replace_in_place(op: Operation, replacement: emitpy.AugmentOp | emitpy.CallIntoOp) -> None:
    """Replace an operation by one that writes the result into an array, with its name."""
    replacement.location = op.location
    replacement.result.name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, replacement)


def is_empty(op: Operation) -> bool:
    """``np.empty(shape)``"""
    return isinstance(op, emitpy.CallOp) and op.callee.data == "np.empty"
