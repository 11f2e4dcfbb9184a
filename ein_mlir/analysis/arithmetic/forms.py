"""Linear forms: sums of multiples of atoms, modulo 2^64."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Literal, Protocol, TypeVar

from xdsl.ir import SSAValue

from ein_mlir.host.dataclass import dataclass

T = TypeVar("T")


def wrapped(number: int) -> int:
    """The Int that is equal to a number modulo 2^64.

    >>> wrapped(2**63) == -(2**63)
    True
    """
    return (number + 2**63) % 2**64 - 2**63


@dataclass(frozen=True, eq=False)
class LinearForm:
    """``sum of coefficient * atom, plus constant``; atoms are values of the program.

    As an integer, a form is this sum over the integers, and so are sums and multiples of forms.
    Forms are equal if they are so modulo 2^64 for all atoms.
    """

    coefficients: Mapping[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    constant: int = 0

    @staticmethod
    def of(value: SSAValue) -> LinearForm:
        """The form of an atom."""
        return LinearForm({value: 1})

    @staticmethod
    def number(number: int) -> LinearForm:
        """The form of a constant."""
        return LinearForm({}, number)

    def __add__(self, other: LinearForm | int) -> LinearForm:
        return self._plus(other, 1)

    def _plus(self, other: LinearForm | int, factor: int) -> LinearForm:
        if isinstance(other, int):
            return LinearForm(self.coefficients, self.constant + other * factor)
        constant = self.constant + other.constant * factor
        if not other.coefficients:
            return LinearForm(self.coefficients, constant)
        total = dict(self.coefficients)
        for atom, coefficient in other.coefficients.items():
            total[atom] = total.get(atom, 0) + coefficient * factor
        return LinearForm({atom: c for atom, c in total.items() if c}, constant)

    def __mul__(self, factor: int) -> LinearForm:
        multiples = {atom: c * factor for atom, c in self.coefficients.items() if factor}
        return LinearForm(multiples, self.constant * factor)

    def __neg__(self) -> LinearForm:
        return self * -1

    def __sub__(self, other: LinearForm | int) -> LinearForm:
        return self._plus(other, -1)

    def reduced(self) -> LinearForm:
        """The equal form whose coefficients and constant are Ints."""
        coefficients = {atom: wrapped(c) for atom, c in self.coefficients.items()}
        nonzero = {atom: c for atom, c in coefficients.items() if c}
        return LinearForm(nonzero, wrapped(self.constant))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearForm):
            return NotImplemented
        if self.constant == other.constant and self.coefficients == other.coefficients:
            return True
        return (self - other).known() == 0

    def __hash__(self) -> int:
        coefficients = self.coefficients
        if not all(0 < abs(c) < 2**63 for c in coefficients.values()):
            coefficients = self.reduced().coefficients
        return hash((frozenset(coefficients.items()), wrapped(self.constant)))

    def without(self, atoms: Iterable[SSAValue]) -> LinearForm:
        """The form without the terms of some atoms."""
        dropped = set(atoms)
        kept = {atom: c for atom, c in self.coefficients.items() if atom not in dropped}
        return LinearForm(kept, self.constant)

    def split(self, atom: SSAValue) -> tuple[int, LinearForm]:
        """The factor of an atom, and the form without its term."""
        return self.coefficients.get(atom, 0), self.without([atom])

    def substituted(self, atom: SSAValue, value: LinearForm) -> LinearForm:
        """The form with a value in the place of an atom."""
        factor, rest = self.split(atom)
        return rest + value * factor if factor else self

    def extremes(
        self, ends: Mapping[SSAValue, tuple[LinearForm, LinearForm]]
    ) -> tuple[LinearForm, LinearForm]:
        """The least and the largest value, given the first and the last one of some atoms."""
        least = most = self.without(ends)
        for atom, (first, last) in ends.items():
            factor = self.coefficients.get(atom, 0)
            low, high = (first, last) if factor > 0 else (last, first)
            if factor:
                least, most = least + low * factor, most + high * factor
        return least, most

    def solved_for(self, atom: SSAValue) -> LinearForm | None:
        """``p`` where the form is 0 just if ``atom == p``; None without the factor 1 or -1."""
        factor, rest = self.split(atom)
        return rest * -factor if abs(factor) == 1 else None

    def is_atom(self, value: SSAValue) -> bool:
        """Whether the form is that of an atom, as an integer."""
        return self.constant == 0 and self.coefficients == {value: 1}

    def known(self) -> int | None:
        """The Int that a form without terms is equal to; None for others."""
        reduced = self.reduced()
        return None if reduced.coefficients else reduced.constant


class Operators(Protocol[T]):
    """The operators that compute the value of a form: operations, or calls that build them."""

    def integer(self, number: int, /) -> T:
        """A constant."""
        ...

    def combined(self, lhs: T, symbol: Literal["+", "-", "*"], rhs: T, /) -> T:
        """A sum, a difference or a product."""
        ...

    def negated(self, operand: T, /) -> T:
        """A negation."""
        ...


def value_of_form(
    form: LinearForm, operators: Operators[T], value_of: Callable[[SSAValue], T]
) -> T:
    """The Int that a form is equal to, given its atoms: added terms first, the constant last."""
    form = form.reduced()
    result: T | None = None
    for atom, factor in sorted(form.coefficients.items(), key=lambda term: _symbol(term[1])):
        term = value_of(atom)
        if abs(factor) != 1:
            term = operators.combined(operators.integer(_size(factor)), "*", term)
        if result is None:
            result = term if _symbol(factor) == "+" else operators.negated(term)
        else:
            result = operators.combined(result, _symbol(factor), term)
    if result is None:
        return operators.integer(form.constant)
    if form.constant:
        distance = operators.integer(_size(form.constant))
        result = operators.combined(result, _symbol(form.constant), distance)
    return result


def _symbol(number: int) -> Literal["+", "-"]:
    """Whether a number is added, or its negation subtracted; -2^63 has no negation."""
    return "-" if -(2**63) < number < 0 else "+"


def _size(number: int) -> int:
    return -number if _symbol(number) == "-" else number
