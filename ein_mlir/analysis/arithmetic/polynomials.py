"""Polynomials of Ints modulo 2^64: sums of multiples of products."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic.integers import Integers
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Polynomial:
    """Products of Ints with their multiples in a sum."""

    terms: Mapping[tuple[SSAValue, ...], int]
    """The multiples, none of which is zero. The factors of a product are in the order of `id`."""

    @classmethod
    def number(cls, value: int) -> Polynomial:
        """A constant."""
        return _sum([((), value)])

    @property
    def atoms(self) -> Iterator[SSAValue]:
        """The factors of all products."""
        return (factor for product in self.terms for factor in product)

    def __add__(self, other: Polynomial) -> Polynomial:
        return _sum([*self.terms.items(), *other.terms.items()])

    def __sub__(self, other: Polynomial) -> Polynomial:
        return self + -other

    def __neg__(self) -> Polynomial:
        return self * Polynomial.number(-1)

    def __mul__(self, other: Polynomial) -> Polynomial:
        return _sum(
            (tuple(sorted((*lhs, *rhs), key=id)), first * second)
            for lhs, first in self.terms.items()
            for rhs, second in other.terms.items()
        )

    def divided_by(self, factor: SSAValue) -> tuple[Polynomial, Polynomial]:
        """``(q, r)`` with ``q * factor + r`` for the polynomial, where no product of r has it."""
        quotient, rest = list[tuple[tuple[SSAValue, ...], int]](), dict(self.terms)
        for product in [each for each in rest if factor in each]:
            place = product.index(factor)
            quotient.append(((*product[:place], *product[place + 1 :]), rest.pop(product)))
        return _sum(quotient), Polynomial(rest)


def _sum(terms: Iterable[tuple[tuple[SSAValue, ...], int]]) -> Polynomial:
    total = defaultdict[tuple[SSAValue, ...], int](int)
    for product, number in terms:
        total[product] += number
    return Polynomial({product: number for product, number in total.items() if number})


def polynomial_of(value: SSAValue, ints: Integers) -> Polynomial:
    """The polynomial that an Int is, in those that it is computed from by sums and products."""
    form = ints.canonical(ints.form(value))
    total = Polynomial.number(form.constant)
    for atom, number in form.coefficients.items():
        part = Polynomial({(atom,): 1})
        if isinstance(atom.owner, arith.MuliOp):
            lhs, rhs = (polynomial_of(each, ints) for each in atom.owner.operands)
            part = lhs * rhs
        total += part * Polynomial.number(number)
    return total
