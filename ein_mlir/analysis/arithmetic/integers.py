"""Facts about the Ints of a program: linear forms, ranges, and comparisons as integers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import chain
from typing import ClassVar, Self, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic.forms import LinearForm
from ein_mlir.analysis.arithmetic.ranges import (
    INTS,
    MOST,
    RANGES,
    SIZES,
    SUMS_OF_SIZES,
    Range,
    ints_of,
)
from ein_mlir.analysis.hints import isa

MOST_BOUNDS = 64
"""The most bounds of a linear form that are tried in a proof that it is non-negative."""

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
    return value.type.width.data if isa(value.type, IntegerType) else 64


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


class Integers:
    """Linear forms and ranges of the Ints of a program, computed when they are asked for.

    A subclass that knows equal Ints brings forms to normal form (`canonical`).
    """

    def __init__(self, level: Level):
        self._level = level
        self._forms: dict[SSAValue, LinearForm] = {}
        self._known: dict[SSAValue, Range] = {}
        self._ranges: dict[SSAValue, Range] = {}

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

    def is_exact(self, form: LinearForm) -> bool:
        """Whether a form, as an integer, provably is an Int: then it is the Int that it equals."""
        return self.range_of(form) in INTS

    # Proofs about integers

    def integer(self, value: SSAValue, known: Range = INTS) -> LinearForm:
        """A canonical form that is equal to an Int as an integer.

        Integers that are equal modulo 2^64 are equal if they differ by less than that. The range of
        the Int may be ``known`` at the place of the question.
        """
        exact = self.exact_form(value, known)
        return self.canonical(LinearForm.of(self._origin(value)) if exact is None else exact)

    def exact_form(self, value: SSAValue, known: Range = INTS) -> LinearForm | None:
        """The form of an Int, in values that dominate it, if it is equal to it as an integer."""
        form = self.form(value)
        difference = self.range_of(form) - (self.range(value) & known)
        return form if difference.magnitude < 2**64 else None

    def _origin(self, value: SSAValue) -> SSAValue:
        """The first value that a value is a copy of."""
        while (same := self._level.same(value)) is not value:
            value = same
        return value

    def distance(self, a: SSAValue, b: SSAValue) -> int | None:
        """The number ``a - b``, if it is constant and no-wrap in sums with positions in bounds."""
        number = (self.form(a) - self.form(b)).known()
        return number if number is not None and abs(number) <= INTS.high - MOST else None

    def is_nonnegative(self, form: LinearForm, *known: LinearForm) -> bool:
        """Whether a form, as an integer, is provably non-negative, where known ones are.

        Its atoms are bounded by ranges, by ``index < size``, by ``max(a, b) >= a``, and so on.
        """
        form = self.canonical(form)
        known = *map(self.canonical, known), *self._last_indices([form])
        if self._is_nonnegative(form, known, [MOST_BOUNDS]):
            return True
        other = self._congruent(form)
        return other is not None and self._is_nonnegative(other, (), [MOST_BOUNDS])

    def _congruent(self, form: LinearForm) -> LinearForm | None:
        """A lower bound of a form in the Ints that its atoms are computed from.

        For ``i < n - 2*r`` and ``k < 2*r + 1``, the form ``n - 1 - i - k`` is at least 0, whatever
        r is: sizes are small, so a sum of them that is 0 modulo 2^64 is 0.
        """
        least = self._limited(form, self.last_index)
        expansions = {atom: self.form(atom) for atom in least.coefficients}
        if all(own == LinearForm.of(atom) for atom, own in expansions.items()):
            return None
        known = ranges_of_sizes(last + 1 for last in self._last_indices([form]))
        total, expanded = Range.of(least.constant), LinearForm.number(least.constant)
        for atom, coefficient in least.coefficients.items():
            total += known.get(atom, self.range(atom)) * Range.of(coefficient)
            expanded += expansions[atom] * coefficient
        expanded = self.canonical(expanded.reduced())
        is_new = expanded.coefficients != least.coefficients
        is_small = max(total.magnitude, self.range_of(expanded).magnitude) < 2**63
        return expanded if is_new and is_small else None

    def _is_nonnegative(
        self, form: LinearForm, known: Sequence[LinearForm], left: list[int]
    ) -> bool:
        """A proof from forms that are known to be, in a number of attempts, counted down.

        The form itself is the last attempt: ``max(j, 0) - k - 1`` for ``k < j`` has a group of
        bounds that the last index of k, which j is gone from, has not.
        """
        left[0] -= 1
        forms = [self._limited(form, least) for least in (self.last_index, self._least)]
        forms.append(form)
        return any(self._is_bounded(form, known, left) for form in dict.fromkeys(forms))

    def _is_bounded(self, form: LinearForm, known: Sequence[LinearForm], left: list[int]) -> bool:
        """The same for a form without subtracted indices."""
        if any(self.range_of(form - least).low >= 0 for least in (LinearForm(), *known)):
            return True
        groups = list(self._lower_bounds(form))
        known = [*known, *self._last_indices(chain.from_iterable(groups))]
        return any(
            left[0] > 0 and all(self._is_nonnegative(bound, known, left) for bound in bounds)
            for bounds in groups
        )

    def _last_indices(self, forms: Iterable[LinearForm]) -> list[LinearForm]:
        """``n - 1`` for each ``index < n`` in some forms: it is an index, too."""
        limits = (self._level.limit(atom) for form in forms for atom in form.coefficients)
        return [self.extent(limit) - 1 for limit in dict.fromkeys(limits) if limit is not None]

    def is_at_most(self, a: LinearForm, b: LinearForm) -> bool:
        """Whether ``a <= b`` provably holds for the integers."""
        return self.is_nonnegative(b - a)

    def is_below(self, a: LinearForm, b: LinearForm) -> bool:
        """Whether ``a < b`` provably holds for the integers."""
        return self.is_nonnegative(b - a - 1)

    def extent(self, size: SSAValue) -> LinearForm:
        """The size of a comprehension that is not empty, as an integer: ``e`` for ``max(e, 0)``.

        For ``max(e, f)`` it is ``e`` if that is provably the larger one.
        """
        known = indices_below(self.range(size)) + Range.of(1)
        computed = self._level.computation(size)
        if computed is not None and computed[0] is arith.MaxSIOp:
            lhs, rhs = computed[1]
            for kept, bound in ((lhs, rhs), (rhs, lhs)):
                excess = self.integer(kept) - self.integer(bound)
                if self.range(bound).high <= 0 or self.range_of(excess).low >= 0:
                    return self.integer(kept, known)
        return self.integer(size, known)

    def _limited(
        self, form: LinearForm, least: Callable[[SSAValue, int], LinearForm | None]
    ) -> LinearForm:
        """A lower bound without the subtracted atoms that have a least multiple.

        For ``t < n - i`` and ``i < n``, t goes first: its multiple cancels i.
        """
        for _ in range(MOST_BOUNDS):
            found = {
                atom: bound
                for atom, coefficient in form.coefficients.items()
                if coefficient < 0 and (bound := least(atom, coefficient)) is not None
            }
            if not found:
                break
            limiting = {each for bound in found.values() for each in bound.coefficients}
            atom = next((atom for atom in found if atom not in limiting), next(iter(found)))
            form = self.canonical(form.without([atom]) + found[atom])
        return form

    def last_index(self, atom: SSAValue, coefficient: int = 1) -> LinearForm | None:
        """``c * (n - 1)`` for an index or a counter ``i < n``; at most ``c * i`` if ``c < 0``."""
        limit = self._level.limit(atom)
        return None if limit is None else (self.extent(limit) - 1) * coefficient

    def _least(self, atom: SSAValue, coefficient: int) -> LinearForm | None:
        """The same, and ``-c * (x // k) >= -m * x`` for a quotient with ``c <= k*m``.

        Of a multiple ``c == k*m``, or if x is non-negative.
        """
        last = self.last_index(atom, coefficient)
        if last is not None:
            return last
        computed = self._level.computation(atom)
        if computed is not None and computed[0] is arith.FloorDivSIOp:
            dividend, divisor = computed[1]
            k = self._level.constant(divisor)
            if k is None or k <= 0:
                return None
            if coefficient % k == 0 or self.range(dividend).low >= 0:
                return self.integer(dividend) * (coefficient // k)
        return None

    def _lower_bounds(self, form: LinearForm) -> Iterator[Sequence[LinearForm]]:
        """Groups of forms: a form is non-negative if all forms of a group are.

        A maximum may be replaced by either operand if it is added, and must be by both if it is
        subtracted; minima the other way round.
        """
        for atom, coefficient in form.coefficients.items():
            computed = self._level.computation(atom)
            if computed is None or computed[0] not in (arith.MaxSIOp, arith.MinSIOp):
                continue
            rest = form.without([atom])
            bounds = [
                self.canonical(rest + self.integer(operand) * coefficient)
                for operand in computed[1]
            ]
            if (computed[0] is arith.MaxSIOp) == (coefficient > 0):
                yield from ([bound] for bound in bounds)
            else:
                yield bounds


_LINEAR = (arith.AddiOp, arith.SubiOp, arith.MuliOp)
