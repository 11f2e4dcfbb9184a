"""Constants of yarr programs."""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr
from xdsl.ir import SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.yarr import operations as yarr


def unrepeated(value: SSAValue) -> SSAValue:
    """The array that a value repeats along new axes or old ones."""
    while isinstance(value.owner, yarr.UnsqueezeOp | yarr.RepeatOp):
        value = value.owner.array
    return value


def constant_value(value: SSAValue) -> int | None:
    """The constant of an Int; None if it is not constant."""
    if not isinstance(value.owner, arith.ConstantOp) or value.type != yarr.SIZE_TYPE:
        return None
    elements = value.owner.value
    number = elements.get_values()[0] if isa(elements, DenseIntOrFPElementsAttr) else None
    return number if isinstance(number, int) else None


def literal_float(value: SSAValue) -> float | None:
    """The number of a literal float, of any rank; None if it is no literal, or has several."""
    while isinstance(value.owner, yarr.UnsqueezeOp | yarr.SqueezeOp):
        value = value.owner.array
    if not isinstance(value.owner, arith.ConstantOp):
        return None
    number = value.owner.value
    if not isa(number, DenseIntOrFPElementsAttr[AnyFloat]):
        return None
    first, *others = number.get_values()
    return first if all(other == first for other in others) else None


def is_zero(value: SSAValue) -> bool:
    """Whether an array is a literal of zeros, or an unsqueezed or repeated one."""
    numbers = _repeated_numbers(value)
    return numbers is not None and not any(numbers)


def is_of_zero_bits(value: SSAValue) -> bool:
    """Whether an array is one of zeros, and none of them is ``-0.0``."""
    return is_zero(value) and all(copysign(1.0, x) > 0 for x in _repeated_numbers(value) or ())


def _repeated_numbers(value: SSAValue) -> Sequence[Any] | None:
    """The numbers of a literal, or an unsqueezed or repeated one."""
    while isinstance(value.owner, yarr.RepeatOp | yarr.UnsqueezeOp):
        value = value.owner.array
    if not isinstance(value.owner, arith.ConstantOp):
        return None
    numbers = value.owner.value
    return numbers.get_values() if isinstance(numbers, DenseIntOrFPElementsAttr) else None
