"""Polynomials of Ints."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import Block

from ein_mlir.analysis.arithmetic.polynomials import Polynomial

X, Y = Block(arg_types=[i64, i64]).args
x, y = Polynomial({(X,): 1}), Polynomial({(Y,): 1})


def test_laws() -> None:
    one = Polynomial.number(1)
    assert (x + y) * (x - y) == x * x - y * y
    assert x * y == y * x
    assert x * one + x * Polynomial.number(-1) == Polynomial.number(0)
    assert not (x - x).terms


def test_division_by_a_factor() -> None:
    quotient, rest = (x * y + x + y).divided_by(X)
    assert quotient == y + Polynomial.number(1)
    assert rest == y
    assert set((x * x).divided_by(X)[0].atoms) == {X}
