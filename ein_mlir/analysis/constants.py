"""The numbers of constants."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa


def known_int(value: SSAValue) -> int | None:
    """The number of a constant integer or index; None for other values."""
    number = ConstantLike.get_constant_value(value)
    return number.value.data if isa(number, IntegerAttr) else None
