"""Notes that passes take of what they decided, as ``CompiledFunction.explain`` shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue

Note: TypeAlias = Callable[[Operation, str], None]
"""Called with an operation and what was decided about it."""


def no_note(op: Operation, text: str) -> None:
    """For callers that do not ask."""


def name_of(value: SSAValue) -> str:
    """What a note calls a value: its name, the constant that it is, or nothing in particular."""
    if value.name_hint:
        return value.name_hint
    owner = value.owner
    if isinstance(owner, arith.ConstantOp):
        return str(owner.value).partition(" :")[0]
    if isinstance(owner, arith.IndexCastOp):
        return name_of(owner.input)
    return f"#{value.index}" if isinstance(value, BlockArgument) else "..."


def names_of(values: Iterable[SSAValue]) -> str:
    """Several names, in order of the alphabet."""
    return ", ".join(sorted(map(name_of, values)))
