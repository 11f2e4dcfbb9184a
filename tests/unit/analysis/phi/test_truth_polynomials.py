"""Conditions as polynomials: their values on all truth values of their parts."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import product
from typing import TypeAlias

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.phi import selections
from ein_mlir.analysis.phi.truth_polynomials import MOST_PRODUCTS, TruthPolynomials
from ein_mlir.analysis.phi.variables import Variables

ROW, COLUMN, STEP = Block(arg_types=[IndexType()] * 3).args
PAIRS = [frozenset(pair) for pair in ((ROW, STEP), (COLUMN, STEP), (ROW, COLUMN))]

Connective: TypeAlias = Callable[
    [SSAValue, SSAValue], arith.AndIOp | arith.OrIOp | arith.XOrIOp | arith.CmpiOp
]
CONNECTIVES: list[Connective] = [
    lambda x, y: arith.AndIOp(x, y),
    lambda x, y: arith.OrIOp(x, y),
    lambda x, y: arith.XOrIOp(x, y),
    lambda x, y: arith.CmpiOp(x, y, "eq"),
    lambda x, y: arith.CmpiOp(x, y, "ne"),
]


class Conditions:
    """Random conditions on Bools that vary with two variables each."""

    def __init__(self, seed: int, parts: int):
        self.rng = random.Random(seed)
        self.parts = Block(arg_types=[i1] * parts).args
        self.variables: dict[SSAValue, Variables] = {
            part: PAIRS[number % 3] for number, part in enumerate(self.parts)
        }

    def condition(self, depth: int) -> SSAValue:
        if depth == 0:
            return self.rng.choice(self.parts)
        sides = [self.condition(depth - 1) for _ in range(2)]
        if self.rng.random() < 0.3:
            true = arith.ConstantOp(IntegerAttr.from_bool(True)).result
            sides[0] = self._known(arith.XOrIOp(sides[0], true).result, sides[:1])
        return self._known(self.rng.choice(CONNECTIVES)(*sides).result, sides)

    def _known(self, value: SSAValue, sides: list[SSAValue]) -> SSAValue:
        none: Variables = frozenset()
        self.variables[value] = none.union(*(self.variables[x] for x in sides))
        return value


def value_of(value: SSAValue, known: dict[SSAValue, bool]) -> bool:
    """A condition for some values of its parts."""
    match value.owner:
        case arith.ConstantOp():
            return True
        case arith.AndIOp(lhs=lhs, rhs=rhs):
            return value_of(lhs, known) and value_of(rhs, known)
        case arith.OrIOp(lhs=lhs, rhs=rhs):
            return value_of(lhs, known) or value_of(rhs, known)
        case arith.XOrIOp(lhs=lhs, rhs=rhs):
            return value_of(lhs, known) != value_of(rhs, known)
        case arith.CmpiOp(lhs=lhs, rhs=rhs, predicate=predicate):
            equal = value_of(lhs, known) == value_of(rhs, known)
            return equal == (predicate.value.data == 0)
        case _:
            return known[value]


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("seed", range(60))
def test_values_of_polynomials(seed: int, counts: bool):
    """The value is 1 where the condition holds; without ``counts`` it is positive."""
    conditions = Conditions(seed, 3 + seed % 3)
    tests = [selections.Test(conditions.condition(1 + seed % 3), conditions.rng.random() < 0.5)]
    tests.append(selections.Test(conditions.condition(1), True))
    products = TruthPolynomials(conditions.variables, counts=counts).of(tests)
    assert len(products) <= MOST_PRODUCTS
    assert counts or all(each.coefficient > 0 for each in products)
    for values in product((False, True), repeat=len(conditions.parts)):
        known: dict[SSAValue, bool] = dict(zip(conditions.parts, values, strict=True))
        found = sum(
            each.coefficient
            for each in products
            if all(value_of(test.condition, known) == test.expected for test in each.tests)
        )
        expected = all(value_of(test.condition, known) == test.expected for test in tests)
        assert (found if counts else found > 0) == expected


def different(*parts: SSAValue) -> SSAValue:
    first, *rest = parts
    for each in rest:
        first = arith.XOrIOp(first, each).result
    return first


@pytest.mark.parametrize("counts", [True, False])
def test_conditions_with_many_products_stay_whole(counts: bool):
    """A polynomial of n parts that differ has 2^n - 1 products."""
    parts, indices = Block(arg_types=[i1] * 60).args, Block(arg_types=[IndexType()] * 60).args
    variables: dict[SSAValue, Variables] = {
        part: frozenset([index]) for part, index in zip(parts, indices, strict=True)
    }
    whole = different(*parts)
    value = whole
    while isinstance(op := value.owner, arith.XOrIOp):
        variables[value] = frozenset(indices)
        value = op.lhs
    found = TruthPolynomials(variables, counts=counts).of([selections.Test(whole, True)])
    assert len(found) <= MOST_PRODUCTS


def test_a_part_that_varies_as_much_as_the_whole_stays():
    p, q, r = Block(arg_types=[i1] * 3).args
    some, whole = (pair := arith.OrIOp(p, q)).result, arith.AndIOp(pair, r).result
    both, one = PAIRS[0], PAIRS[1]
    variables: dict[SSAValue, Variables] = {p: both, q: frozenset([STEP]), some: both, r: one}
    variables[whole] = both | one
    (product_,) = TruthPolynomials(variables, counts=True).of([selections.Test(whole, True)])
    assert [test.condition for test in product_.tests] == [some, r]
