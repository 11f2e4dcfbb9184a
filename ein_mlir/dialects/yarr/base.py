"""What the operations of Yarr share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.ir import (
    Attribute,
    Block,
    Operation,
    SSAValue,
)
from xdsl.irdl import (
    IRDLOperation,
)
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import (
    HasCanonicalizationPatternsTrait,
)
from xdsl.utils.exceptions import VerifyException

from ein_mlir.dialects.phi import where_written
from ein_mlir.dialects.yarr.types import compatible, element_of, shape_of, tensor


class CanonicalOp(HasCanonicalizationPatternsTrait):
    """The laws of an operation stand in a table, under its class."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        from ein_mlir.passes.canonicalization_patterns import yarr

        return yarr.PATTERNS.get(op, ())

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from ein_mlir.passes.canonicalization_patterns import yarr

        return tuple(pattern for patterns in yarr.PATTERNS.values() for pattern in patterns)


class YarrOp(IRDLOperation):
    """Diagnostics that the operations share."""

    def fail(self, message: str) -> VerifyException:
        """The error that an operation is wrong, with its name and where it was written."""
        return VerifyException(f"{self.name}: {message}" + where_written(self))

    def verify_result(
        self,
        result: SSAValue,
        element: Attribute,
        shape: Sequence[int],
        what: str = "the result",
    ) -> None:
        """Check a result against the type that the operands give it."""
        expected = tensor(element, shape)
        if element_of(result) != element or not compatible(shape_of(result), shape):
            raise self.fail(f"{what} must be a '{expected}', not a '{result.type}'")

    def verify_axis(self, axis: int, rank: int, what: str = "axis") -> None:
        """Check that an array of a rank has an axis."""
        if not 0 <= axis < rank:
            raise self.fail(f"{what} {axis} is not an axis of an array of rank {rank}")


def block_of(value: SSAValue) -> Block | None:
    """The block that defines a value."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def verify_increasing(op: YarrOp, axes: Sequence[int], rank: int) -> None:
    """Check that axes of an array of a rank are given in increasing order."""
    if any(a >= b for a, b in pairwise(axes)):
        raise VerifyException(f"{op.name}: axes {list(axes)} must increase" + where_written(op))
    for axis in axes:
        op.verify_axis(axis, rank)
