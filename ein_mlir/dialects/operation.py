"""Shared interfaces of all operations: diagnostics, laws, and the terminators of bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import BlockArgument, Operation
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, OpTrait
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.diagnostics import where_written


class EinOp(IRDLOperation):
    """An operation: its diagnostics, its drawing, and the roles of its body's arguments.

    All except the diagnostics have defaults that fit most operations.
    """

    NAMED_BY: ClassVar[str | None] = None
    """The property that a drawing shows in place of the name of the operation."""

    BINDS_OPERANDS: ClassVar[bool] = False
    """Whether the arguments of its body represent its operands, one for one."""

    def fail(self, message: str) -> VerifyException:
        """The error for an invalid operation."""
        return VerifyException(f"{self.name}: {message}{where_written(self)}")

    def counters(self) -> Sequence[BlockArgument]:
        """The indices of a comprehension or the counter of a loop, arguments of its body."""
        return ()

    def variables(self) -> Sequence[BlockArgument]:
        """The arguments of its body that hold the values yielded by earlier steps."""
        return ()

    def scalar_operation(self) -> Operation | None:
        """The only scalar operation of its body; None if there are more."""

    def label(self, terms: Sequence[str]) -> str | None:
        """The label of a drawing, given the names of its operands: ``a[i, k]``.

        None is the default: its name, its properties and, if they matter, its operands.
        """

    def literal(self) -> str | None:
        """The text of a drawing at each use of its result; None if it has a node."""


def subscripted(terms: Sequence[str]) -> str:
    """The label of an indexing.

    >>> subscripted(["a", "i", "k"])
    'a[i, k]'
    """
    return f"{terms[0]}[{', '.join(terms[1:])}]"


def shortened(text: str) -> str:
    """A text, shortened to the length of a label."""
    return text if len(text) <= 50 else f"{text[:47]}..."


_LAWS: dict[type[Operation], tuple[RewritePattern, ...]] = {}


def register_laws(laws: Mapping[type[Operation], tuple[RewritePattern, ...]]) -> None:
    """Register the laws of the operations of a dialect that have the trait `Canonical`."""
    _LAWS.update(laws)


class Canonical(HasCanonicalizationPatternsTrait):
    """The operation has laws, which ``canonicalize`` applies; its dialect registers them."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        return _LAWS.get(op, ())

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return tuple(pattern for patterns in _LAWS.values() for pattern in patterns)


@dataclass(frozen=True)
class EndsBody(OpTrait):
    """The operation ends the body of an operation of a class."""

    parent: type[Operation]
    parents: str
    """The names of the operations of the class in a diagnostic."""

    def verify(self, op: Operation) -> None:
        parent = op.parent_op()
        if parent is not None and not isinstance(parent, self.parent):
            raise VerifyException(
                f"{op.name}: it ends the body of {self.parents}, not of {parent.name}"
                + where_written(op)
            )
