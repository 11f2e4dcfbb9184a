"""Conditions of branches."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue


def all_of(tests: Sequence[SSAValue], ops: list[Operation]) -> SSAValue:
    """The conjunction of some conditions, by operations that are added to others."""
    condition, *others = tests
    for test in others:
        ops.append(both := arith.AndIOp(condition, test))
        condition = both.result
    return condition
