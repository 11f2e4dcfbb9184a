"""Bounds of sizes that vary with loops, as values outside of the loops."""

from __future__ import annotations

from typing import TypeGuard

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.scopes import around, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.rewriting.phi.builders import comprehension, integer, linear_value


def place_of(value: SSAValue) -> Operation:
    """The operation of the block of the function that contains the definition of a value."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    return next(each for each in around(op) if isinstance(each.parent_op(), func.FuncOp))


def bound_value(build: Builder, form: LinearForm) -> SSAValue:
    """A bound; if it may be too large or negative, the size of an array that long, or 0."""
    value = linear_value(build, form)
    if not is_size(value):
        value = build.insert(arith.MaxSIOp(value, integer(build, 0))).result
    if not is_size(value):
        array = comprehension(build, [value], lambda _, own: value)
        value = build.insert(phi.SizeOp(array, 0)).result
    return value


def promise_sizes(function: func.FuncOp) -> list[phi.ConcatOp]:
    """``concat a, b  -->  concat a, b of (size a + size b)``, in loops, where it needs a bound."""
    return [op for op in operations_in(function) if _promise_size(op)]


def _promise_size(op: Operation) -> TypeGuard[phi.ConcatOp]:
    loop = op.parent_op()
    if not isinstance(op, phi.ConcatOp) or op.size is not None or isinstance(loop, func.FuncOp):
        return False
    build = Builder(InsertPoint.before(op))
    size = build.insert(arith.AddiOp(_length(build, op.lhs), _length(build, op.rhs)))
    op.operands = (op.lhs, op.rhs, size.result)
    return True


def _length(build: Builder, vec: SSAValue) -> SSAValue:
    """The size of a vector; that of a comprehension or of joined vectors is an operand of it."""
    op = vec.owner
    if isinstance(op, phi.ArrayOp):
        return op.sizes[0]
    if isinstance(op, phi.ConcatOp) and op.size is not None:
        return op.size
    return build.insert(phi.SizeOp(vec, 0)).result
