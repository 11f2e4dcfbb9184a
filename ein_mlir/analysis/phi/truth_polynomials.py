"""Conditions as polynomials of conditions, where true is 1 and false 0.

``p | q`` is ``1 - (1-p)*(1-q)``, and ``p != q`` is ``p + q - 2*p*q``. Where only zero matters,
``p + q`` stands for ``p | q``: a sum of it tests whether any step is true.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.variables import Variables

MOST_PRODUCTS = 6
"""The most products of a polynomial: more of them cost more than the condition itself."""

_Key: TypeAlias = tuple[tuple[int, bool], ...]
"""A product: the numbers of its conditions in order, each with its expected value."""
_Polynomial: TypeAlias = Mapping[_Key, int]
"""Products and their coefficients."""

_ONE: _Polynomial = {(): 1}


@dataclass(frozen=True)
class Product:
    """A product of tests, and its coefficient."""

    coefficient: int
    tests: Sequence[Test]


class TruthPolynomials:
    """Writes conditions as polynomials; ``variables`` are those that each value varies with.

    A condition is taken apart if no part of it varies with all of its variables: the sum of a
    product of the parts needs no array of the condition. With ``counts`` a polynomial is 1 where
    the condition holds; without, it is positive there, and has no negative coefficient.
    """

    def __init__(self, variables: Mapping[SSAValue, Variables], *, counts: bool):
        self._variables = variables
        self._counts = counts
        self._numbers = dict[SSAValue, int]()
        self._known = dict[Test, _Polynomial]()

    def of(self, tests: Sequence[Test]) -> Sequence[Product]:
        """The products of a conjunction of tests: the one of these if there were too many."""
        found = _product(map(self._polynomial, tests))
        if len(found) > MOST_PRODUCTS:
            found = _product(map(self._literal, tests))
        conditions = list(self._numbers)
        return [
            Product(coefficient, [Test(conditions[number], expected) for number, expected in key])
            for key, coefficient in found.items()
        ]

    def _literal(self, test: Test) -> _Polynomial:
        number = self._numbers.setdefault(test.condition, len(self._numbers))
        return {((number, test.expected),): 1}

    def _polynomial(self, test: Test) -> _Polynomial:
        if test not in self._known:
            found = self._taken_apart(test)
            if found is None or len(found) > MOST_PRODUCTS:
                found = self._literal(test)
            self._known[test] = found
        return self._known[test]

    def _taken_apart(self, test: Test) -> _Polynomial | None:
        """The polynomial of a test by those of its parts; None if it has none, or stays whole."""
        if len(parts := list(conjuncts(test))) > 1:
            factors = self._of_parts(test, parts)
            return None if factors is None else _product(factors)
        if parts != [test]:
            return self._polynomial(parts[0])
        if len(parts := list(conjuncts(_negated(test)))) > 1:
            factors = self._of_parts(test, parts if self._counts else map(_negated, parts))
            return None if factors is None else self._either(factors)
        if (sides := _compared_bools(test)) is not None:
            factors = self._of_parts(test, sides)
            return None if factors is None else self._different(*sides, *factors)
        return None

    def _of_parts(self, test: Test, parts: Iterable[Test]) -> Sequence[_Polynomial] | None:
        """The polynomials of parts; None if one stays whole and varies as much as the test."""
        found = list[_Polynomial]()
        for part in parts:
            found.append(polynomial := self._polynomial(part))
            if _is_literal(polynomial) and self._varying(part) >= self._varying(test):
                return None
        return found

    def _varying(self, test: Test) -> Variables:
        return self._variables.get(test.condition, frozenset())

    def _either(self, factors: Sequence[_Polynomial]) -> _Polynomial:
        """``p | q = 1 - (1-p)*(1-q)`` by the negated factors, or ``p + q`` by the factors."""
        if self._counts:
            return _sum(_ONE, _product(factors), -1)
        return reduce(_sum, factors)

    def _different(self, left: Test, right: Test, p: _Polynomial, q: _Polynomial) -> _Polynomial:
        """``p != q = p + q - 2*p*q``, or ``p*(1-q) + (1-p)*q``"""
        if self._counts:
            return _sum(_sum(p, q), _times(p, q), -2)
        not_p, not_q = (self._polynomial(_negated(side)) for side in (left, right))
        return _sum(_times(p, not_q), _times(not_p, q))


def _negated(test: Test) -> Test:
    return Test(test.condition, not test.expected)


def _compared_bools(test: Test) -> tuple[Test, Test] | None:
    """The sides of ``p != q``, and p and ``~q`` of ``p == q``."""
    match test.condition.owner:
        case arith.XOrIOp() as op:
            differ = test.expected
        case arith.CmpiOp(predicate=predicate) as op if (
            op.lhs.type == i1 and predicate.value.data in (0, 1)
        ):
            differ = test.expected == (predicate.value.data == 1)
        case _:
            return None
    return Test(op.lhs, True), Test(op.rhs, differ)


def _is_literal(polynomial: _Polynomial) -> bool:
    return len(polynomial) == 1 and len(next(iter(polynomial))) == 1


def _product(factors: Iterable[_Polynomial]) -> _Polynomial:
    """The product, or the first part of it with more than `MOST_PRODUCTS`."""
    found = _ONE
    for factor in factors:
        found = _times(found, factor)
        if len(found) > MOST_PRODUCTS:
            break
    return found


def _times(p: _Polynomial, q: _Polynomial) -> _Polynomial:
    """``p * q``, where ``x*x = x`` and ``x*(1-x) = 0``"""
    found = Counter[_Key]()
    for first, x in p.items():
        for second, y in q.items():
            key = tuple(sorted({*first, *second}))
            if len({number for number, _ in key}) == len(key):
                found[key] += x * y
    return _without_zeros(found)


def _sum(p: _Polynomial, q: _Polynomial, factor: int = 1) -> _Polynomial:
    """``p + factor * q``"""
    found = Counter[_Key](p)
    for key, x in q.items():
        found[key] += factor * x
    return _without_zeros(found)


def _without_zeros(polynomial: _Polynomial) -> _Polynomial:
    return {key: x for key, x in polynomial.items() if x}
