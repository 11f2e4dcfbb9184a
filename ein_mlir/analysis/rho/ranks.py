"""Ranks of rho that are known before the run, without a look at callers."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ein_mlir.dialects import rho


def rank_of(value: SSAValue) -> int | None:
    """The rank of a value, or None if it is decided at run time."""
    match value.owner:
        case rho.ScalarOp() | rho.CompareOp() | rho.NotOp() | rho.DimOp():
            return 0
        case rho.ShapeOp() | rho.RestOp():
            return 1
        case rho.ArithOp() | rho.ConcatOp() as op:
            return rank_of(op.lhs)
        case rho.NegateOp() | rho.AbsOp() as op:
            return rank_of(op.operand)
        case rho.StackOp() as op:
            return _above(rank_of(op.parts[0]), 1) if op.parts else 1
        case rho.SelectOp() as op:
            return _difference(rank_of(op.array), _length(op.index))
        case rho.FillOp() | rho.GenOp() as op:
            return 1 if rank_of(op.shape) == 0 else _length(op.shape)
        case _:
            return None


def is_array(value: SSAValue) -> bool:
    """Whether a value is certainly no scalar."""
    match value.owner:
        case rho.StackOp() | rho.ConcatOp():
            return True
        case rho.ArithOp() as op:
            return is_array(op.lhs)
        case rho.NegateOp() | rho.AbsOp() as op:
            return is_array(op.operand)
        case _:
            return (rank_of(value) or 0) > 0


def _length(vector: SSAValue) -> int | None:
    """The number of elements of a vector that is written as a list, or None."""
    return len(vector.owner.parts) if isinstance(vector.owner, rho.StackOp) else None


def _above(rank: int | None, axes: int) -> int | None:
    return None if rank is None else rank + axes


def _difference(rank: int | None, axes: int | None) -> int | None:
    return None if rank is None or axes is None else rank - axes
