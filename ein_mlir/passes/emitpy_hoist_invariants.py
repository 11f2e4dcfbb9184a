"""``emitpy-hoist-invariants``: what is the same in every step of a loop is computed before it."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy import OBJECT

TOTAL_OPERATORS = frozenset(("+", "-", "*", "<", "<=", ">", ">=", "==", "!=", "&", "|"))
"""The operators that raise no error on numbers, or on an array and a number."""

TOTAL_METHODS = frozenset(("clamp", "permute", "swapaxes", "to"))
"""Methods that raise no error for any elements and sizes."""

TOTAL_FUNCTIONS = frozenset(("float", "max", "min"))
"""Functions that raise no error on numbers."""

TOTAL_HELPERS = frozenset(("torch.fill_empty", "torch.segment_numbers", "torch.wrapped"))
"""Helpers that raise no error for any elements and sizes."""


def hoist_invariants(loop: emitpy.ForOp) -> None:
    """Move what depends on no step of a loop, and can raise no error, in front of the loop.

    Literals and the like are no work: copies of them go along with what reads them.
    """
    for op in list(loop.body.block.ops):
        if _is_leaf(op) or not _is_total(op):
            continue
        if all(
            _is_outside(operand, loop) or _is_moveable(operand, loop) for operand in op.operands
        ):
            for operand in dict.fromkeys(op.operands):
                if not _is_outside(operand, loop):
                    _copy_before(operand, loop, op)
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(loop))


def _is_outside(value: SSAValue, loop: emitpy.ForOp) -> bool:
    """Whether a value is not computed in a loop. What is moved out is outside from then on."""
    owner = value.owner
    block = owner.parent if isinstance(owner, Operation) else owner
    return block is not loop.body.block


def _is_leaf(op: Operation) -> bool:
    """Whether an operation is part of the expression that reads it: a literal, a slice, a tuple."""
    return isinstance(op, emitpy.LiteralOp | emitpy.NameOp | emitpy.SliceOp | emitpy.TupleOp)


def _is_moveable(value: SSAValue, loop: emitpy.ForOp) -> bool:
    """Whether a value is a leaf that nothing in a loop has a part in."""
    op = value.owner
    return (
        isinstance(op, Operation)
        and _is_leaf(op)
        and all(_is_outside(operand, loop) for operand in op.operands)
    )


def _copy_before(value: SSAValue, loop: emitpy.ForOp, reader: Operation) -> None:
    """Let an operation read a copy, in front of a loop, of what it reads."""
    assert isinstance(value.owner, Operation)
    copy = value.owner.clone()
    Rewriter.insert_op(copy, InsertPoint.before(loop))
    for number, operand in enumerate(reader.operands):
        if operand is value:
            reader.operands[number] = copy.results[0]


def _is_total(op: Operation) -> bool:
    """Whether an operation raises no error, so that a loop without steps may do without it."""
    match op:
        case emitpy.AttrOp():
            return True
        case emitpy.SubscriptOp():
            return op.object.type == OBJECT or all(map(_keeps_elements, op.indices))
        case emitpy.BinaryOp():
            return op.operator.data in TOTAL_OPERATORS and _meets_no_array(op.lhs, op.rhs)
        case emitpy.UnaryOp():
            return True
        case emitpy.MethodOp():
            return op.method.data in TOTAL_METHODS
        case emitpy.CallOp():
            return op.callee.data in TOTAL_FUNCTIONS
        case emitpy.HelperOp():
            return op.callee.data in TOTAL_HELPERS
        case _:
            return False


def _keeps_elements(index: SSAValue) -> bool:
    """``:`` or ``None``, an index that fits every array."""
    op = index.owner
    if isinstance(op, emitpy.SliceOp):
        return not op.bounds
    return isinstance(op, emitpy.LiteralOp) and op.data is None


def _meets_no_array(lhs: SSAValue, rhs: SSAValue) -> bool:
    """Whether two operands cannot differ in size: one of them is a number."""
    return any(value.type == OBJECT or _rank(value.type) == 0 for value in (lhs, rhs))


def _rank(type_: Attribute) -> int | None:
    return type_.get_num_dims() if isa(type_, TensorType) else None


class EmitpyHoistInvariantsPass(ModulePass):
    """Computes in front of a loop what is the same in all of its steps.

    Only where no error can be raised: a loop may have no step. For libraries whose operations
    change no array in place.

    Before::

        for _ in range(n):
            x = x * a[:, None] + b.clamp(min=1)

    After::

        t0 = a[:, None]
        t1 = b.clamp(min=1)
        for _ in range(n):
            x = x * t0 + t1
    """

    name = "emitpy-hoist-invariants"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                loops = [inner for inner in function.walk() if isinstance(inner, emitpy.ForOp)]
                for loop in reversed(loops):  # inner ones first
                    hoist_invariants(loop)
