"""Which Ints are provably not negative, wherever the program runs to completion."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, i64
from xdsl.ir import BlockArgument, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.phi import operations as phi


def is_nonnegative(value: SSAValue) -> bool:
    """Whether an Int is at least 0: sizes, counters, indices, constants, and maxima of such.

    An assertion is at least 0 if either side is, since it is both of them. Sums and products are
    not, since they wrap around.
    """
    pending = [value]
    seen: set[SSAValue] = set()
    while pending:
        current = pending.pop()
        if _is_nonnegative_source(current):
            return True
        if current not in seen:
            seen.add(current)
            pending.extend(_lower_bounds(current))
    return False


def _is_nonnegative_source(value: SSAValue) -> bool:
    """Whether the operation that defines a value says by itself that it is at least 0."""
    constant = ConstantLike.get_constant_value(value)
    if isa(constant, IntegerAttr):
        return constant.value.data >= 0
    owner = value.owner
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        return isinstance(parent, phi.FoldOp) and value is parent.counter
    if isinstance(owner, arith.IndexCastOp):
        return isinstance(owner.input.type, IndexType) and owner.result.type == i64
    return isinstance(owner, phi.SizeOp)


def _lower_bounds(value: SSAValue) -> Sequence[SSAValue]:
    """Values that ``value`` is never less than."""
    match value.owner:
        case phi.AssertEqOp() | arith.MaxSIOp():
            return value.owner.operands
        case _:
            return ()
