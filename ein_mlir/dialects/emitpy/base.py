"""What the operations of emitpy share."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Attribute, SSAValue

from ein_mlir.dialects.operation import EinOp


class EmitPyOp(EinOp):
    """An expression or a statement of Python."""

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        """The operands and yielded values whose memory a result may be part of.

        None where the result has memory of its own, ``()`` where it has none: a scalar.
        ``scalars_are_views`` says that a scalar read from an array is a view of it, as in PyTorch.
        """
        return None


def has_memory(type_: Attribute) -> bool:
    """Whether a value of a type may be an array, or have one."""
    return isinstance(type_, TensorType | TupleType)


def rank_of(type_: Attribute) -> int:
    """The number of axes of an array; 0 for any other value."""
    return len(type_.shape) if isinstance(type_, TensorType) else 0
