"""Operations of xDSL's dialects, which passes recognise and read as fast as ours."""

from __future__ import annotations

import sys
from functools import cache

from xdsl.irdl import IRDLOperation
from xdsl.universe import XDSL_UNIVERSE

from ein_mlir.dialects.operation import Nominal, access_directly

_NAMES = ("arith", "cf", "func", "llvm", "math", "memref", "scf")
"""The dialects of xDSL that the operations of lowered programs are from."""


def accelerate_loaded() -> None:
    """Prepare the dialects of xDSL that are loaded: the others are not loaded for that.

    Tests of classes and accesses to operands become one step each, which saves a twentieth of the
    time of the passes to native code. Their results stay the same.
    """
    for name in _NAMES:
        if f"xdsl.dialects.{name}" in sys.modules:
            _accelerate(name)


@cache
def _accelerate(name: str) -> None:
    for op in XDSL_UNIVERSE.all_dialects[name]().operations:
        assert issubclass(op, IRDLOperation)
        op.__class__ = Nominal  # pyright: ignore[reportAttributeAccessIssue]
        access_directly(op)
