"""The Ints of a program: their linear forms modulo 2^64, and their ranges."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from typing import ClassVar, Self, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic.forms import LinearForm
from ein_mlir.analysis.arithmetic.ranges import (
    INTS,
    RANGES,
    SIZES,
    SUMS_OF_SIZES,
    Range,
    ints_of,
)

DEEPEST = 32
"""The most nested operations that determine a range."""

RangeOf: TypeAlias = Callable[[SSAValue], Range]


class Level(ABC):
    """The meaning of the Ints of a level of IR."""

    RANGES: ClassVar[Mapping[type[Operation], Callable[..., Range]]] = RANGES
    """The ranges of the results of scalar operators."""

    def same(self, value: SSAValue) -> SSAValue:
        """The value that a value is a copy of; itself if there is none."""
        return value

    @abstractmethod
    def constant(self, value: SSAValue) -> int | None:
        """The number of a constant."""

    @abstractmethod
    def computation(self, value: SSAValue) -> tuple[type[Operation], Sequence[SSAValue]] | None:
        """The scalar operator that computes a value, and its operands."""

    @abstractmethod
    def range(self, value: SSAValue, range_of: RangeOf) -> Range | None:
        """The range of another value, given those of the values that it depends on."""

    @abstractmethod
    def limit(self, value: SSAValue) -> SSAValue | None:
        """The size or count that an index or counter is less than; None for other values."""


def width_of(value: SSAValue) -> int:
    """The number of bits of an integer; an index has those of an Int."""
    is_integer = type(value.type) is IntegerType
    return value.type.width.data if is_integer else 64  # pyright: ignore


def indices_below(size: Range) -> Range:
    """The range of the indices below a size, which is checked unless it is a sum of sizes."""
    highest = size.high if size.high <= SUMS_OF_SIZES.high else SIZES.high
    return Range(0, max(highest - 1, 0))


def ranges_of_sizes(sizes: Iterable[LinearForm]) -> dict[SSAValue, Range]:
    """The ranges of the atoms of some sizes, each of which is an atom plus a constant."""
    found = dict[SSAValue, Range]()
    for size in sizes:
        if list(size.coefficients.values()) == [1] and SIZES - Range.of(size.constant) in INTS:
            found[next(iter(size.coefficients))] = SIZES - Range.of(size.constant)
    return found


class Scalars:
    """Linear forms and ranges of the Ints of a program, computed when they are asked for.

    A subclass that knows equal Ints brings forms to normal form (`canonical`).
    """

    def __init__(self, level: Level):
        self._level = level
        self._forms: dict[SSAValue, LinearForm] = {}
        self._known: dict[SSAValue, Range] = {}
        self._ranges: dict[SSAValue, Range] = {}
        self._limits: dict[tuple[SSAValue, int], list[LinearForm]] = {}

    def bounded(self) -> Self:
        """The same facts, to which bounds of atoms may be added."""
        other = copy(self)
        other._forms, other._limits = {}, {**self._limits}
        other._known, other._ranges = {**self._known}, {**self._known}
        return other

    def bound(
        self, value: SSAValue, limits: Iterable[tuple[int, LinearForm]], every: Range = INTS
    ) -> None:
        """Add that an atom is at most a limit, with sign 1, or at least, with -1, as integers."""
        known = self.range(value) & every
        for sign, limit in limits:
            found = self.range_of(limit)
            if limit.coefficients:
                self._limits.setdefault((value, sign), []).append(self.canonical(limit))
            most = Range(INTS.low, found.high) if sign > 0 else Range(found.low, INTS.high)
            known &= most
        self._known[value] = self._ranges[value] = known

    def assuming(self, known: Mapping[SSAValue, Range]) -> Self:
        """The same facts at a place where the ranges of some atoms are known."""
        other = copy(self)
        narrower = {value: self.range(value) & range_ for value, range_ in known.items()}
        other._known = {**self._known, **narrower}
        other._ranges = dict(other._known)
        return other

    def forget(self, values: Iterable[SSAValue]) -> None:
        """Compute the forms and ranges of values anew, whose operations have other operands."""
        for value in values:
            self._forms.pop(value, None)
            if value not in self._known:
                self._ranges.pop(value, None)

    # Forms, modulo 2^64

    def form(self, value: SSAValue) -> LinearForm:
        """The linear form of an Int or index, in atoms that dominate it."""
        pending = [value]
        while value not in self._forms:
            current = pending[-1]
            parts = [part for part in self._parts(current) if part not in self._forms]
            if parts:
                pending.extend(parts)
            else:
                self._forms[current] = self._evaluate(current)
                pending.pop()
        return self._forms[value]

    def _parts(self, value: SSAValue) -> Sequence[SSAValue]:
        """The Ints that the form of an Int is a combination of."""
        if (same := self._level.same(value)) is not value:
            return (same,)
        computed = self._level.computation(value)
        is_known = computed is not None and computed[0] in (*_LINEAR, arith.MaxSIOp, arith.MinSIOp)
        return computed[1] if computed is not None and is_known and width_of(value) == 64 else ()

    def _evaluate(self, value: SSAValue) -> LinearForm:
        number = self._level.constant(value)
        parts = self._parts(value)
        if number is not None:
            return LinearForm.number(number)
        if len(parts) == 1:
            return self._forms[parts[0]]
        if not parts:
            return LinearForm.of(value)
        lhs, rhs = (self._forms[part] for part in parts)
        computed = self._level.computation(value)
        assert computed is not None
        match computed[0]:
            case arith.AddiOp:
                return (lhs + rhs).reduced()
            case arith.SubiOp:
                return (lhs - rhs).reduced()
            case arith.MaxSIOp | arith.MinSIOp as extreme:
                form = self._extreme(lhs, rhs, 1 if extreme is arith.MaxSIOp else -1)
                return LinearForm.of(value) if form is None else form
            case _:
                for known, other in ((lhs.known(), rhs), (rhs.known(), lhs)):
                    if known is not None:
                        return (other * known).reduced()
                return LinearForm.of(value)

    def _extreme(self, lhs: LinearForm, rhs: LinearForm, sign: int) -> LinearForm | None:
        """The larger of two Ints, or with sign -1 the smaller one, if their ranges decide it.

        An extreme that is a number stays: its operands may prove that a size is positive.
        """
        for kept, other in ((lhs, rhs), (rhs, lhs)):
            excess = self.range_of((kept - other) * sign)
            if kept.coefficients and excess.low >= 0 and all(map(self.is_exact, (lhs, rhs))):
                return kept
        return None

    def canonical(self, form: LinearForm) -> LinearForm:
        """The form with one atom for all Ints that are provably equal."""
        return form

    def equal(self, a: LinearForm, b: LinearForm) -> bool:
        """Whether two forms are provably the same Int."""
        return self.canonical(a - b).known() == 0

    # Ranges

    def range(self, value: SSAValue) -> Range:
        """The range of an integer of any width."""
        return self._range(value, 0)

    def _range(self, value: SSAValue, depth: int) -> Range:
        if value in self._ranges:
            return self._ranges[value]
        every = ints_of(width_of(value))
        if depth > DEEPEST or every.high == 1:
            return every
        found = self._find_range(value, lambda other: self._range(other, depth + 1))
        self._ranges[value] = found if found is not None and found in every else every
        return self._ranges[value]

    def _find_range(self, value: SSAValue, range_of: RangeOf) -> Range | None:
        """The range of an integer, which may be larger than its type."""
        number = self._level.constant(value)
        if number is not None:
            return Range.of(number)
        if (same := self._level.same(value)) is not value:
            return range_of(same) & (self._level.range(value, range_of) or INTS)
        computed = self._level.computation(value)
        if computed is None or computed[0] not in self._level.RANGES:
            return self._level.range(value, range_of)
        operation, operands = computed
        found = self._level.RANGES[operation](*map(range_of, operands))
        if operation is arith.ExtSIOp and width_of(operands[0]) == 1:
            return -found  # the true of an i1 is -1
        if operation is arith.ExtUIOp and found.low < 0:
            return Range(0, 2 ** width_of(operands[0]) - 1)
        return found

    def range_of(self, form: LinearForm) -> Range:
        """The range of a form as an integer."""
        total = Range.of(form.constant)
        for atom, coefficient in form.coefficients.items():
            total += self.range(atom) * Range.of(coefficient)
        return total

    def _lowest(self, form: LinearForm) -> int:
        """The lower bound of the range of a form."""
        total = form.constant
        for atom, coefficient in form.coefficients.items():
            found = self.range(atom)
            total += coefficient * (found.low if coefficient > 0 else found.high)
        return total

    def is_exact(self, form: LinearForm) -> bool:
        """Whether a form, as an integer, provably is an Int: then it is the Int that it equals."""
        return self.range_of(form) in INTS


_LINEAR = (arith.AddiOp, arith.SubiOp, arith.MuliOp)
