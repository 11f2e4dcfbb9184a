"""The ranges of the scalar operators that all levels share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import ClassVar

from xdsl.ir import Operation

from ein_mlir.analysis.arithmetic import RANGES, Level, Range
from ein_mlir.analysis.arithmetic.ranges import floored_remainder
from ein_mlir.dialects import sigma


class ScalarLevel(Level):
    """A level whose scalars are computed by ``arith``, ``math`` and ``sigma``."""

    RANGES: ClassVar[Mapping[type[Operation], Callable[..., Range]]] = {
        **RANGES,
        sigma.FloorModOp: floored_remainder,
    }
