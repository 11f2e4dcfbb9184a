"""The numbers of constants."""

from __future__ import annotations

from functools import cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa


def known_int(value: SSAValue) -> int | None:
    """The number of a constant integer or index; None for other values."""
    owner = value.owner
    if type(owner) is arith.ConstantOp:
        number = owner.properties["value"]
    elif may_be_constant(type(owner)):
        number = ConstantLike.get_constant_value(value)
    else:
        return None
    return number.value.data if isa(number, IntegerAttr) else None


@cache
def may_be_constant(owner: type[Operation | Block]) -> bool:
    """Whether values of a class of owners may be constants: a look at its traits takes longer."""
    return issubclass(owner, Operation) and owner.has_trait(ConstantLike)


def known_float(value: SSAValue) -> float | None:
    """The number of a floating-point constant; None for other values."""
    constant = ConstantLike.get_constant_value(value)
    return constant.value.data if isa(constant, FloatAttr) else None
