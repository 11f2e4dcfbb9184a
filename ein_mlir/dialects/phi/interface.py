"""What is known of an operation of phi: analyses and passes ask the operation, and no other place.

`PhiOp` is the interface. A method has a default where one is safe: nothing is known, anything may
happen. Where none is safe there is none, and ``tests/unit/test_completeness.py`` names what an
operation still has to say.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import ClassVar, TypeAlias

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.dialects.operation import EinOp

Path: TypeAlias = tuple[int, ...]
"""A field of a field of ... of a record; the value itself where it is empty."""


@dataclass(frozen=True)
class Term:
    """The size of (a field of) a value along an axis, or the Int itself where ``axis`` is None."""

    value: SSAValue
    path: Path = ()
    axis: int | None = None


@dataclass(frozen=True)
class Flow:
    """Field ``taken`` of an operand becomes field ``put`` of ``target``, or a part of that field.

    Fields of fields keep their places, and scalars are moved, not computed with. Where the flow is
    ``mixed``, each field of the target may depend on each of the operand, in any way: the operand
    may say which scalars are moved, but where any are, it gives none itself.
    """

    target: SSAValue
    taken: Path = ()
    put: Path = ()
    mixed: bool = False
    without: frozenset[BlockArgument] = frozenset()
    """The indices that the target does not vary with, even if the operand does."""

    def follow(self, path: Path) -> Path | None:
        """The field of the target that field ``path`` flows into; None where it does not flow."""
        if self.mixed:
            return ()
        if path[: len(self.taken)] == self.taken:
            return (*self.put, *path[len(self.taken) :])
        return self.put if self.taken[: len(path)] == path else None


class OnRecords(Enum):
    """What becomes of an operation when arrays of records become records of arrays."""

    NEVER = auto()
    """None of its types has records."""

    WHOLE = auto()
    """It takes and gives records of arrays as it does arrays of records: only its types change."""

    EACH_FIELD = auto()
    """It is done to each field: ``op (x, y), n --> (op x, n; op y, n)``."""

    ANY_FIELD = auto()
    """It gives the same of each field, and is asked of one: ``op (x, y) --> op x``."""


class PhiOp(EinOp):
    """An operation of phi, and what is known of it."""

    ON_RECORDS: ClassVar[OnRecords]
    """What becomes of it on arrays of records; no default is safe."""

    MAY_HOLD_ZERO: ClassVar[bool] = True
    """Whether what its operands flow into may also hold zeros, as where an empty axis is read."""

    @abstractmethod
    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """What the size of (a field of) the result along an axis equals, None if that is unknown.

        Where ``axis`` is None, the field is an Int, and the answer is about the Int itself. No
        default: an operation that gives arrays of unknown sizes should say so.
        """

    def size_or_count(self, operand: int) -> str | None:
        """What size or count an operand is, ``the size of %i``; None where it is neither.

        Those must not depend on an index. An operation with an operand that is always an Int
        defines this: for it, the default is not safe.
        """

    def flow(self, operand: int) -> Iterable[Flow]:
        """What depends on an operand, and how; by default all results, in any way."""
        return [Flow(result, mixed=True) for result in self.results]

    def may_fail(self) -> bool:
        """Whether it may raise an error when it is run, apart from what is in its body.

        Such an operation must not leave a loop that may run zero times.
        """
        return True

    def lower_bounds(self, value: SSAValue) -> Sequence[SSAValue | int]:
        """What a result, or an argument of the body, is never less than: numbers and values."""
        return ()


def flow(op: Operation, operand: int) -> Iterable[Flow]:
    """What depends on an operand of any operation, and how."""
    if isinstance(op, PhiOp):
        return op.flow(operand)
    is_choice = isinstance(op, arith.SelectOp) and operand > 0
    return [Flow(result, mixed=not is_choice) for result in op.results]
