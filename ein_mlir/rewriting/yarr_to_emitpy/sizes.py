"""Sizes as linear forms, for bounds of slices in their simplest form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.rewriting.yarr_to_emitpy.builder import PythonBuilder

Key = tuple[SSAValue, int]
"""A size of an array: the array and an axis."""


@dataclass(frozen=True)
class Linear:
    """``2 * n - m + 1``: terms, and a constant."""

    terms: Mapping[SSAValue, int]
    constant: int = 0

    def __add__(self, other: Linear | int) -> Linear:
        if isinstance(other, int):
            return Linear(self.terms, self.constant + other)
        terms = dict(self.terms)
        for atom, factor in other.terms.items():
            terms[atom] = terms.get(atom, 0) + factor
        nonzero = {atom: factor for atom, factor in terms.items() if factor}
        return Linear(nonzero, self.constant + other.constant)

    def __mul__(self, factor: int) -> Linear:
        terms = {atom: factor * number for atom, number in self.terms.items() if factor}
        return Linear(terms, factor * self.constant)

    def __sub__(self, other: Linear | int) -> Linear:
        return self + other * -1

    def known(self) -> int | None:
        """The constant, if the form has no terms; else None."""
        return None if self.terms else self.constant


class Sizes:
    """The linear forms of the sizes in a yarr function.

    Sizes that the function asserts to be equal are the same term from there on. Only facts from the
    function's own block are recorded: they hold at, and dominate, every use.
    """

    def __init__(self, entry: Block) -> None:
        self._entry = entry
        self._forms: dict[SSAValue, Linear] = {}
        self._sizes: dict[Key, Linear] = {}
        self._equal: dict[SSAValue, Linear] = {}
        self._maxima: dict[SSAValue, tuple[Linear, Linear]] = {}
        self._minima: dict[SSAValue, tuple[Linear, Linear]] = {}
        self._nonnegative = set[SSAValue]()

    def of(self, value: SSAValue | int) -> Linear:
        """The form of a size; a term of its own if no form is known."""
        if isinstance(value, int):
            return self.constant(value)
        return self._resolve(self._forms.get(value) or Linear({value: 1}))

    @staticmethod
    def constant(number: int) -> Linear:
        """The form of a constant."""
        return Linear({}, number)

    def define(self, value: SSAValue, form: Linear) -> None:
        """Record the form of a size."""
        self._forms[value] = form

    def define_maximum(self, value: SSAValue, lhs: Linear, rhs: Linear) -> None:
        """Record that a value is the larger of two forms."""
        self._maxima[value] = lhs, rhs

    def define_minimum(self, value: SSAValue, lhs: Linear, rhs: Linear) -> None:
        """Record that a value is the smaller of two forms."""
        self._minima[value] = lhs, rhs

    def define_nonnegative(self, value: SSAValue) -> None:
        """Record that a value is non-negative, as the counter of a loop is."""
        self._nonnegative.add(value)

    def extents(self, size: SSAValue | int) -> list[Linear]:
        """Forms whose minimum is a size, or 0 if that is negative."""
        form = self.of(size)
        bounds = self._maximum(form)
        if len(bounds) == 2 and any(bound.known() == 0 for bound in bounds):
            form = bounds[bounds[0].known() == 0]
        pending = [form]
        found = list[Linear]()
        while pending:
            form = pending.pop()
            minimum = next((a for a, f in form.terms.items() if f == 1 and a in self._minima), None)
            if minimum is None:
                found.append(form)
            else:
                rest = form - Linear({minimum: 1})
                pending.extend(self._resolve(bound) + rest for bound in self._minima[minimum])
        return found

    def is_nonnegative(self, form: Linear) -> bool:
        """Whether a form is a sum of non-negative terms, or a maximum with such a sum."""
        return any(
            bound.constant >= 0
            and all(f > 0 and atom in self._nonnegative for atom, f in bound.terms.items())
            for bound in self._maximum(form)
        )

    def _maximum(self, form: Linear) -> Sequence[Linear]:
        """The forms whose maximum is a form: two for a maximum plus a constant, else itself."""
        (atom, factor), *others = form.terms.items() or ((None, 0),)
        if atom is None or factor != 1 or others or atom not in self._maxima:
            return (form,)
        return [self._resolve(bound) + form.constant for bound in self._maxima[atom]]

    def define_size(self, value: SSAValue, array: SSAValue, axis: int) -> None:
        """Record that a value is the size of an array."""
        key = array, axis
        self.define_nonnegative(value)
        if value.owner.parent is self._entry:
            self._sizes.setdefault(key, Linear({value: 1}))
        if key in self._sizes:
            self._forms[value] = self._sizes[key]

    def define_size_of(self, array: SSAValue, axis: int, form: Linear) -> None:
        """Record the size of an array, in terms that dominate the array."""
        self._sizes[array, axis] = form

    def size(self, array: SSAValue, axis: int) -> Linear | None:
        """The form of the size of an array, if the function has read that size."""
        form = self._sizes.get((array, axis))
        return form and self._resolve(form)

    def equate(self, op: Operation, lhs: SSAValue, rhs: SSAValue) -> None:
        """Record that an operation asserts two sizes to be equal."""
        if op.parent is not self._entry:
            return
        kept, dropped = self.of(lhs), self.of(rhs)
        if kept != dropped and len(dropped.terms) == 1 and dropped.constant == 0:
            ((atom, factor),) = dropped.terms.items()
            if factor == 1 and atom not in kept.terms:
                self._equal[atom] = kept

    def _resolve(self, form: Linear) -> Linear:
        """The form with its terms replaced by the terms that they are asserted to be equal to."""
        if not any(atom in self._equal for atom in form.terms):
            return form
        result = Linear({}, form.constant)
        for atom, factor in form.terms.items():
            if atom in self._equal:
                self._equal[atom] = self._resolve(self._equal[atom])
                result += self._equal[atom] * factor
            else:
                result += Linear({atom: factor})
        return result

    def emit(
        self, form: Linear, build: PythonBuilder, lowered: Callable[[SSAValue], SSAValue]
    ) -> SSAValue:
        """The value of a form in Python, positive terms first."""
        result: SSAValue | None = None
        for atom, factor in sorted(form.terms.items(), key=lambda term: term[1] < 0):
            term = lowered(atom)
            if abs(factor) != 1:
                term = build.binary(build.literal(abs(factor)), "*", term)
            if result is not None:
                result = build.binary(result, "+" if factor > 0 else "-", term)
            else:
                result = term if factor > 0 else build.unary("-", term)
        if result is None:
            return build.literal(form.constant)
        if form.constant:
            operator = "+" if form.constant > 0 else "-"
            result = build.binary(result, operator, build.literal(abs(form.constant)))
        return result
