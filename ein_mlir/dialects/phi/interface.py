"""The facts about an operation of phi: analyses and passes query the operation only.

`PhiOp` is the interface. The default of a method is conservative. A method without a safe default
has none, and ``tests/unit/test_completeness.py`` names the definitions that an operation lacks.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from enum import Enum, auto
from typing import ClassVar, NamedTuple, Self, TypeAlias

from xdsl.dialects import arith
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import Range
from ein_mlir.analysis.arithmetic.scalars import RangeOf
from ein_mlir.dialects.operation import EinOp

Path: TypeAlias = tuple[int, ...]
"""A field of a field of ... of a record; empty for the value itself."""


class Term(NamedTuple):
    """The size of (a field of) a value along an axis, or the Int itself if ``axis`` is None."""

    value: SSAValue
    path: Path = ()
    axis: int | None = None

    @property
    def source(self) -> Term | None:
        """An equal term, by the operation that computes the value; None if it defines none."""
        op = self.value.owner
        return op.size_of_result(self.path, self.axis) if isinstance(op, PhiOp) else None

    @property
    def origin(self) -> Term:
        """The size or Int that a size is, by the operations that define those of their results."""
        term = self
        while term.axis is not None and (found := term.source) is not None:
            term = found
        return term


class Flow(NamedTuple):
    """Field ``taken`` of an operand becomes field ``put`` of ``target``, or a part of that field.

    Fields of fields keep their places, and scalars are moved unchanged. In a ``mixed`` flow each
    field of the target may depend on each field of field ``taken``. Such an operand may select the
    scalars that are moved, but if any are moved, none of them is its own.
    """

    target: SSAValue
    taken: Path = ()
    put: Path = ()
    mixed: bool = False
    without: frozenset[BlockArgument] = frozenset()
    """The indices that the target does not vary with, even if the operand does."""

    def follow(self, path: Path) -> Path | None:
        """The field of the target that field ``path`` flows into; None if there is no flow."""
        is_inside = path[: len(self.taken)] == self.taken
        is_around = self.taken[: len(path)] == path
        if self.mixed:
            return () if is_inside or is_around else None
        if is_inside:
            return (*self.put, *path[len(self.taken) :])
        return self.put if is_around else None


class OnRecords(Enum):
    """The conversion of an operation when arrays of records become records of arrays."""

    NEVER = auto()
    """None of its types has records."""

    WHOLE = auto()
    """It works on records of arrays as on arrays of records: only its types change."""

    EACH_FIELD = auto()
    """It is applied to each field: ``op (x, y), n --> (op x, n; op y, n)``."""

    ANY_FIELD = auto()
    """Its result is the same for each field, and is computed from one: ``op (x, y) --> op x``."""


class PhiOp(EinOp):
    """An operation of phi, and the facts about it."""

    ON_RECORDS: ClassVar[OnRecords]
    """Its conversion on arrays of records; no default is safe."""

    @classmethod
    def of(cls, found: SSAValue | Operation | Block | None) -> Self:
        """The operation that computes a value, or is given: it is known to be of this class."""
        op = found.owner if isinstance(found, SSAValue) else found
        assert isinstance(op, cls), f"{op} is no {cls.__name__}"
        return op

    @abstractmethod
    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """A term equal to the size of (a field of) the result along an axis; None if unknown.

        If ``axis`` is None, the field is an Int, and the term is equal to the Int itself. There is
        no default: an operation with arrays of unknown sizes states this explicitly.
        """

    def size_or_count(self, operand: int) -> str | None:
        """The description of an operand that is a size or count, ``the size of %i``; else None.

        Sizes and counts must not depend on an index. An operation with an operand that is always an
        Int defines this method: its default is not safe there.
        """

    def sizes_and_counts(self) -> list[SSAValue]:
        """The operands that are sizes or counts."""
        numbered = enumerate(self._operands)
        return [value for k, value in numbered if self.size_or_count(k) is not None]

    def flow(self, operand: int) -> Iterable[Flow]:
        """The flows from an operand; by default mixed flows into all results."""
        return [Flow(result, mixed=True) for result in self.results]

    def may_fail(self) -> bool:
        """Whether the operation itself, apart from its body, may raise an error.

        Such an operation must not be hoisted out of a loop that may have no step.
        """
        return True

    def range_of(self, value: SSAValue, range_of: RangeOf) -> Range | None:
        """The range of an Int result, or of an argument of the body, given those of other Ints."""

    def limit(self, value: SSAValue) -> SSAValue | None:
        """The size or count that an argument of the body is less than; None for others."""


def flow(op: Operation, operand: int) -> Iterable[Flow]:
    """The flows from an operand of any operation."""
    if isinstance(op, PhiOp):
        return op.flow(operand)
    is_choice = operand > 0 and type(op) is arith.SelectOp
    return [Flow(result, mixed=not is_choice) for result in op.results]
