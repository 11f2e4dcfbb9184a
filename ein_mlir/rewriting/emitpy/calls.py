"""Calls of a library that return arrays, and their forms that write into an array."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.emitpy.shapes import PythonShapes
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.backends.numpy.tables import OPERATOR_UFUNCS, UFUNCS, UNARY_UFUNCS
from ein_mlir.backends.torch import tables as torch
from ein_mlir.dialects import emitpy
from ein_mlir.host.dataclass import dataclass

_ELEMENTWISE = frozenset((*UFUNCS, "np.where", *torch.ELEMENTWISE))

COMMUTATIVE = frozenset("+*&|^")
"""Commutative operators."""


@dataclass(frozen=True)
class Forms:
    """The functions of a library that take ``out=``."""

    copy: str
    """The method that copies an array."""
    operators: Mapping[str, str]
    """The function of each operator on two operands."""
    unary: Mapping[str, str]
    """The function of each operator before one operand."""
    functions: frozenset[str]
    """The functions that are called by name."""
    methods: Mapping[str, str]
    """The function of each method that works element by element."""
    takes_numbers: bool
    """Whether the first operand of a function may be a number."""
    copies_overlaps: bool
    """Whether a function may write to elements that it reads elsewhere: it copies them first."""
    fills_larger: bool
    """Whether a function may write to a larger array than its result, which is repeated there."""
    scalars_are_views: bool
    """Whether a scalar that is read from an array changes with the array."""
    into_others: frozenset[str] = frozenset()
    """The functions that are several times as fast if they do not overwrite their operand."""


NUMPY = Forms(
    "copy",
    OPERATOR_UFUNCS,
    UNARY_UFUNCS,
    UFUNCS,
    {},
    takes_numbers=True,
    copies_overlaps=True,
    fills_larger=True,
    scalars_are_views=False,
    into_others=frozenset(["np.sign"]),
)
TORCH = Forms(
    "clone",
    torch.OPERATORS,
    torch.UNARY_OPERATORS,
    torch.WITH_OUT,
    {"clamp": "torch.clamp"},
    takes_numbers=False,
    copies_overlaps=False,
    fills_larger=False,
    scalars_are_views=True,
)

WRITES = (emitpy.AugmentOp, emitpy.CallIntoOp, emitpy.StoreOp)
"""Operations that overwrite an array."""


def is_copy(op: Operation) -> bool:
    """``a.copy()``, ``a.clone()``"""
    return isinstance(op, emitpy.MethodOp) and op.method.data in ("copy", "clone")


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


def is_elementwise(op: Operation, forms: Forms = NUMPY) -> bool:
    """Whether an operation has a function that writes its elements into an array."""
    match op:
        case emitpy.BinaryOp():
            return op.operator.data in forms.operators and _has_array_first(op, forms)
        case emitpy.UnaryOp():
            return op.operator.data in forms.unary
        case emitpy.CallOp():
            return op.callee.data in forms.functions and op.keywords is None
        case emitpy.MethodOp():
            return op.method.data in forms.methods
        case _:
            return False


def _has_array_first(op: emitpy.BinaryOp, forms: Forms) -> bool:
    """Whether the first operand of an operator, or of its mirror image, may be that of a call."""
    return forms.takes_numbers or isa(op.lhs.type, TensorType) or op.operator.data in COMMUTATIVE


def is_by_element(op: emitpy.CallOp) -> bool:
    """Whether a call without options computes each element of its result from those of arrays."""
    return op.callee.data in _ELEMENTWISE and op.keywords is None


def call_into(
    op: Operation, target: SSAValue, indices: Sequence[SSAValue] = (), forms: Forms = NUMPY
) -> emitpy.CallIntoOp:
    """The call that writes the result of an operation into an array, or a part of one.

    The operation is elementwise, or ``np.take`` with ``mode="clip"``.
    """
    function = op.callee.data if is_clipped_take(op) else ufunc_of(op, forms)
    operands, keywords = arguments_of(op, forms)
    return emitpy.CallIntoOp(target, function, operands, indices, keywords)


def arguments_of(
    op: Operation, forms: Forms
) -> tuple[Sequence[SSAValue], Mapping[str, SSAValue] | None]:
    """The arguments of the function that an operation calls, and its options."""
    if is_clipped_take(op):
        return op.positional, op.keyword_arguments
    if isinstance(op, emitpy.MethodOp):
        return (op.receiver, *op.positional), op.keyword_arguments
    operands = op.operands
    if not forms.takes_numbers and not isa(operands[0].type, TensorType):
        operands = operands[::-1]
    return operands, None


def ufunc_of(op: Operation, forms: Forms = NUMPY) -> str:
    """The function that an elementwise operation calls."""
    match op:
        case emitpy.BinaryOp():
            return forms.operators[op.operator.data]
        case emitpy.UnaryOp():
            return forms.unary[op.operator.data]
        case emitpy.CallOp():
            return op.callee.data
        case emitpy.MethodOp():
            return forms.methods[op.method.data]
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
