"""Notes about the decisions of passes, as ``CompiledFunction.explain`` shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue

Note: TypeAlias = Callable[[Operation, str], None]
"""Called with an operation and the decision about it."""


class SlowPart(str):
    """A note about a loop or about gathered elements, whose time grows with the sizes.

    ``hint`` is a rewrite that would help, if there is one.
    """

    hint: str

    def __new__(cls, text: str, hint: str = "") -> SlowPart:
        """A note with a hint."""
        note = super().__new__(cls, text)
        note.hint = hint
        return note


def no_note(op: Operation, text: str) -> None:
    """Discard a note."""


def name_of(value: SSAValue) -> str:
    """The name of a value in a note: its name hint, its constant, or a placeholder."""
    if value.name_hint:
        return value.name_hint
    owner = value.owner
    if isinstance(owner, arith.ConstantOp):
        return str(owner.value).partition(" :")[0]
    if isinstance(owner, arith.IndexCastOp):
        return name_of(owner.input)
    return f"#{value.index}" if isinstance(value, BlockArgument) else "..."


def names_of(values: Iterable[SSAValue]) -> str:
    """The names of values in alphabetical order."""
    return ", ".join(sorted(map(name_of, values)))
