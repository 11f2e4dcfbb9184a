"""Numbers as literals of Python."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from xdsl.ir import SSAValue

from ein_mlir.dialects import emitpy


def shortest_f32(number: float) -> float:
    """The float with the fewest digits that rounds to the same f32.

    >>> shortest_f32(0.10000000149011612)
    0.1
    """
    for digits in range(6, 10):
        short = float(f"{number:.{digits}g}")
        if math.isfinite(short) and struct.pack("f", short) == struct.pack("f", number):
            return short
    return number


def is_indicator(values: Sequence[SSAValue]) -> bool:
    """Whether values are the literals 1 and 0, of any type; -0.0 is another number."""
    numbers = [str(v.owner.data) for v in values if isinstance(v.owner, emitpy.LiteralOp)]
    return numbers in (["1", "0"], ["1.0", "0.0"])
