"""The base class of the operations of emitpy."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Attribute, SSAValue

from ein_mlir.dialects.operation import EinOp


class EmitPyOp(EinOp):
    """An expression or a statement of Python."""

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        """The operands and yielded values whose memory a result may be part of.

        None for memory of its own, ``()`` for a scalar, which has no memory. With
        ``scalars_are_views`` a scalar read from an array is a view of it, as in PyTorch.
        """
        return None


def has_memory(type_: Attribute) -> bool:
    """Whether a value of a type may be or contain an array."""
    return type(type_) is TensorType or type(type_) is TupleType


def is_array(value: SSAValue) -> bool:
    """Whether a value is an array with axes, and not a scalar of a library."""
    return rank_of(value.type) > 0


def rank_of(type_: Attribute) -> int:
    """The number of axes of an array; 0 for any other value."""
    return len(type_.shape.data) if type(type_) is TensorType else 0
