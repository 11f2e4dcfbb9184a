"""Which operations must not run where the program would not have run them."""

from __future__ import annotations

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Operation

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.nonnegative import is_nonnegative


def may_fail(op: Operation) -> bool:
    """Whether an operation, apart from what is in its body, may raise an error when it is run.

    Such an operation must not leave a loop that may run zero times.
    """
    match op:
        case phi.ArrayOp() | phi.SegmentReduceOp():
            return not all(is_nonnegative(size) for size in op.sizes)
        case phi.FoldOp() | phi.TopKOp():
            return not is_nonnegative(op.count)
        case phi.ReduceOp():
            return isa(op.vec.type, TupleType)
        case phi.ConcatOp():
            assert isinstance(op.result.type, phi.VecType)
            return _has_sizes(op.result.type.element_type)
        case _:
            return isinstance(op, phi.AssertEqOp | phi.ExternOp)


def _has_sizes(type_: Attribute) -> bool:
    """Whether values of a type have sizes, which may disagree."""
    if isa(type_, TupleType):
        return any(_has_sizes(field) for field in type_.types)
    return isinstance(type_, phi.VecType)
