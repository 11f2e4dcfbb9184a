"""What the operations of all dialects share: diagnostics, laws, and the terminators of bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait, OpTrait
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.diagnostics import where_written


class EinOp(IRDLOperation):
    """An operation whose diagnostics have its name and the place where it was written."""

    def fail(self, message: str) -> VerifyException:
        """The error that the operation is invalid."""
        return VerifyException(f"{self.name}: {message}{where_written(self)}")


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
    """The operation ends a body: it stands in an operation of a class."""

    parent: type[Operation]
    parents: str
    """The operations of the class, as a diagnostic lists them."""

    def verify(self, op: Operation) -> None:
        parent = op.parent_op()
        if parent is not None and not isinstance(parent, self.parent):
            raise VerifyException(
                f"{op.name}: it ends the body of {self.parents}, not of {parent.name}"
                + where_written(op)
            )
