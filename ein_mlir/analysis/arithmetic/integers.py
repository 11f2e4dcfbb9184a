"""Facts about the Ints of a program: comparisons as integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic.forms import LinearForm
from ein_mlir.analysis.arithmetic.ranges import INTS, MOST, Range
from ein_mlir.analysis.arithmetic.scalars import Scalars, indices_below, ranges_of_sizes
from ein_mlir.host.dataclass import dataclass

MOST_BOUNDS = 64
"""The most bounds of a linear form that are tried in a proof that it is non-negative."""

MOST_LIMITS = 24
"""The same where atoms have bounds, of which the best are tried first: a traceback takes 23."""

LARGEST_DIVISOR = 64
"""The largest divisor whose quotients are bounded exactly."""


@dataclass
class _Attempts:
    """The attempts of a proof: those that are left, and what was tried where bounds are cyclic."""

    left: int
    made: set[LinearForm] = field(default_factory=set[LinearForm])


class Integers(Scalars):
    """Facts about the Ints of a program as integers, which do not wrap."""

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
        if not form.coefficients or form.is_atom(value):
            return form
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
        given = dict.fromkeys([*map(self.canonical, known), *self._last_indices([form])])
        if self._is_nonnegative(form, given, self._attempts()):
            return True
        other = self._congruent(form)
        return other is not None and self._is_nonnegative(other, {}, self._attempts())

    def _attempts(self) -> _Attempts:
        return _Attempts(MOST_LIMITS if self._limits else MOST_BOUNDS)

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
        self, form: LinearForm, known: Mapping[LinearForm, None], attempts: _Attempts
    ) -> bool:
        """A proof from forms that are known to be, in a number of attempts, counted down.

        The form itself is the last attempt: ``max(j, 0) - k - 1`` for ``k < j`` has a group of
        bounds that the last index of k, which j is gone from, has not.
        """
        attempts.left -= 1
        if self._limits:
            if form in attempts.made:
                return False
            attempts.made.add(form)
        forms = [self._limited(form, self.last_index), form]
        if any(self._is_quotient(atom) for each in forms for atom in each.coefficients):
            forms.insert(1, self._limited(form, self._least))
        return any(self._is_bounded(form, known, attempts) for form in dict.fromkeys(forms))

    def _is_quotient(self, atom: SSAValue) -> bool:
        """Whether an atom is a quotient, or an index below one."""
        limit = self._level.limit(atom)
        if limit is not None:
            return self._is_quotient(limit)
        computed = self._level.computation(atom)
        return computed is not None and computed[0] is arith.FloorDivSIOp

    def _is_bounded(
        self, form: LinearForm, known: Mapping[LinearForm, None], attempts: _Attempts
    ) -> bool:
        """The same for a form without subtracted indices."""
        if self._lowest(form) >= 0 or any(self._lowest(form - least) >= 0 for least in known):
            return True
        groups = list(self._lower_bounds(form))
        known = {**known, **dict.fromkeys(self._last_indices(chain.from_iterable(groups)))}
        return any(
            attempts.left > 0
            and all(self._is_nonnegative(bound, known, attempts) for bound in bounds)
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

        Of a multiple ``c == k*m``, or if x is non-negative. For ``i < x // k`` it is that of the
        quotient itself, whatever other size is equal to it.
        """
        limit = self._level.limit(atom)
        if limit is not None:
            least = self._least(limit, coefficient) if self._is_quotient(limit) else None
            return self.last_index(atom, coefficient) if least is None else least - coefficient
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
        subtracted; minima the other way round. So may an atom be by a bound of it. Where atoms have
        bounds, a choice must be replaced by both of its operands.
        """
        limited = [
            form.substituted(atom, limit)
            for atom, coefficient in form.coefficients.items()
            for limit in self._limits.get((atom, -1 if coefficient > 0 else 1), ())
        ]
        limited.sort(key=lambda bound: (len(bound.coefficients), -bound.constant))
        yield from ([bound] for bound in limited)
        for atom, coefficient in form.coefficients.items():
            rest = form.without([atom])
            computed = self._level.computation(atom)
            if computed is not None and computed[0] is arith.FloorDivSIOp:
                yield from self._without_quotient(rest, coefficient, *computed[1])
            is_choice = computed is not None and computed[0] is arith.SelectOp and self._limits
            is_extreme = computed is not None and computed[0] in (arith.MaxSIOp, arith.MinSIOp)
            if computed is None or not (is_choice or is_extreme):
                continue
            bounds = [
                self.canonical(rest + self.integer(operand) * coefficient)
                for operand in computed[1][-2:]
            ]
            if is_extreme and (computed[0] is arith.MaxSIOp) == (coefficient > 0):
                yield from ([bound] for bound in bounds)
            else:
                yield bounds

    def _without_quotient(
        self, rest: LinearForm, coefficient: int, dividend: SSAValue, divisor: SSAValue
    ) -> Iterator[Sequence[LinearForm]]:
        """``r - c * (x // k) >= 0`` if ``k*r - c*x + k - 1 >= 0``, and ``r + x // k`` likewise."""
        k = self._level.constant(divisor)
        if k is not None and 2 <= k <= LARGEST_DIVISOR and coefficient <= 1:
            more = k - 1 if coefficient < 0 else 0
            yield [self.canonical(rest * k + self.integer(dividend) * coefficient + more)]
