"""Bounds of sizes that vary with loops, as values outside of the loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeGuard

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.scopes import around, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.rewriting.phi.insertion import Builder, Inserter


def place_of(value: SSAValue) -> Operation:
    """The operation of the block of the function that contains the definition of a value."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    return next(each for each in around(op) if isinstance(each.parent_op(), func.FuncOp))


def bound_value(build: Builder, form: LinearForm) -> SSAValue:
    """A bound; if it may be too large or negative, the size of an array that long, or 0."""
    value = build.linear_value(form)
    if not is_size(value):
        value = build.max(value, 0)
    if not is_size(value):
        array = build.comprehension([value], lambda _, own: value)
        value = build.size(array, 0)
    return value


def promise_sizes(function: func.FuncOp) -> list[phi.ConcatOp]:
    """``concat a, b  -->  concat a, b of (size a + size b)``, in loops, where it needs a bound."""
    return [op for op in operations_in(function) if _promise_size(op)]


def _promise_size(op: Operation) -> TypeGuard[phi.ConcatOp]:
    loop = op.parent_op()
    if not isinstance(op, phi.ConcatOp) or op.size is not None or isinstance(loop, func.FuncOp):
        return False
    build = Builder.before(op)
    size = build.add(_length(build, op.lhs), _length(build, op.rhs))
    op.operands = (op.lhs, op.rhs, size)
    return True


def _length(build: Builder, vec: SSAValue) -> SSAValue:
    """The size of a vector; that of a comprehension or of joined vectors is an operand of it."""
    op = vec.owner
    if isinstance(op, phi.ArrayOp):
        return op.sizes[0]
    if isinstance(op, phi.ConcatOp) and op.size is not None:
        return op.size
    return build.size(vec, 0)


def resized(
    build: Inserter,
    array: SSAValue,
    sizes: Mapping[int, SSAValue],
    inside: Mapping[int, SSAValue],
    filling: SSAValue | None = None,
) -> SSAValue:
    """``array (i < N) { select (i < n), v[i], filling }``, with other sizes for some axes.

    The elements ``inside`` of other sizes, if there are any, are followed by a filling, or by 0.
    """
    axes = range(phi.rank_of(array.type))
    full = [sizes[axis] if axis in sizes else build.size(array, axis) for axis in axes]
    if inside and filling is None:
        filling = build.number(0, phi.scalar_of(array.type))

    def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
        value = inner.get(array, indices)
        for axis, size in inside.items():
            assert filling is not None
            test = inner.compare(inner.as_int(indices[axis]), "slt", size)
            value = inner.select(test, value, filling)
        return value

    return build.comprehension(full, element)
