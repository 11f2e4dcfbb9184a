"""Loops of scalars that read positions from arrays agree with the interpreter, in bounds or not."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from ein_mlir import Bool, Float, Int, Vec, array, fold, fold_while, function, where
from tests.agreement.comparison import assert_agree


@function
def automaton(text: Vec[Int], table: Vec[Vec[Int]], final: Vec[Bool], start: Int):
    """States by a table of rows, from a constant and from an argument."""

    def step(k: Any, s: Any) -> Any:
        a, b, count, last = s
        a, b = table[a, text[k]], table[b, text[text.size() - 1 - k]]
        return a, b, where(final[a], count + 1, count), where(final[b], k, last)

    return fold((1, start, 0, -1), step, count=text.size())


@function
def accounts(source: Vec[Int], target: Vec[Int], start: Vec[Float]):
    """Steps that read and write elements at two positions; a position of a position."""

    def step(k: Any, s: Any):
        money, owner, moved = s
        p, q = source[k], target[source[k]]
        amount = money[p] * 0.5 + start[q]
        money = array(lambda i: where(i == q, money[i] + amount, money[i]))
        owner = array(lambda i: where(i == p, owner[q] + 1, owner[i]))
        return money, owner, moved + amount * owner[p].float()

    return fold((start, target, 0.0), step, count=source.size())


@function
def written(links: Vec[Int], keys: Vec[Int]):
    """Positions that steps write, and loops in a loop."""

    def twice(_: Any, j: Any) -> Any:
        return links[links[j]]

    def is_below(j: Any) -> Any:
        return links[j] > j

    def above(j: Any) -> Any:
        return links[j]

    def step(k: Any, s: Any):
        p, found = s
        root = fold(keys[k], twice, count=2)
        up = fold_while(keys[k], is_below, above, limit=9)
        return array(lambda i: where(i == keys[k], p[p[keys[k]]], p[i])), found + p[root] + up

    return fold((links, 0), step, count=keys.size())


def _positions(rng: np.random.Generator, size: int, bound: int, form: str) -> np.ndarray:
    """Positions in bounds, or with some that are not: negative, at the end, and far beyond."""
    found = rng.integers(0, max(bound, 1), size)
    if form != "inside" and size:
        found[rng.integers(size)] = {"below": -1, "above": bound, "far": 2**62}[form]
    return found


@pytest.mark.parametrize("steps", [0, 1, 2, 9, 40])
def test_positions_from_arrays(steps: int) -> None:
    rng = np.random.default_rng(steps)
    forms = ("inside", "below", "above", "far")
    for size, form, is_inside in product((0, 1, 2, 7), forms, (True, False)):
        other = "inside" if is_inside else form
        text, table = _positions(rng, steps, 3, other), _positions(rng, 3 * size, size, form)
        arguments = text, table.reshape(size, 3), rng.random(size) < 0.5, int(size > 2)
        _agree(automaton, arguments)
        source, target = _positions(rng, steps, size, form), _positions(rng, size, size, other)
        _agree(accounts, (source, target, rng.standard_normal(size)))
        _agree(written, (target, source))


def _agree(program: Any, arguments: tuple[Any, ...]) -> None:
    expected = program.eval(*arguments, backend="naive")
    assert_agree(program(*arguments), expected, {"float64": 1e-12})


def test_positions_are_tested_before_a_loop() -> None:
    arguments = np.zeros(3, int), np.zeros((2, 2), int), np.zeros(2, bool), 0
    assert "are_positions" in automaton.source(*arguments)
