"""The selection of combinations that the tests run."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, cast

import pytest

from tests import selection
from tests.selection import (
    ALONE,
    MANY,
    TURNS,
    combinations,
    examples,
    in_turn,
    next_turn,
    of_turn,
    one_in_turn,
    sizes_on,
    some,
)

PROGRAMS, BACKENDS = list("pqrstuvw"), ["numpy", "jax"]


@pytest.fixture(params=[False, True])
def is_whole(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(selection, "IS_WHOLE", request.param)
    return request.param


def test_each_program_runs_on_each_backend_in_one_dtype(is_whole: bool) -> None:
    chosen = [each.values for each in combinations(PROGRAMS, BACKENDS)]
    pairs = {(program, backend) for program in PROGRAMS for backend in BACKENDS}
    assert {each[:2] for each in chosen} == pairs
    assert len(chosen) == len(pairs) * (2 if is_whole else 1)
    narrow = sorted(each[:2] for each in chosen if each[2] == "float32")
    turns = [("p", "numpy"), ("q", "jax"), ("t", "numpy"), ("u", "jax")]
    assert len(narrow) == 16 if is_whole else narrow == turns


def test_choices_in_turn(is_whole: bool) -> None:
    pairs = in_turn(PROGRAMS, BACKENDS)
    chosen = [("p", "numpy"), ("q", "jax"), ("r", "numpy"), ("s", "jax")]
    assert len(pairs) == 16 if is_whole else pairs[:4] == chosen


def test_each_choice_meets_each_value(is_whole: bool) -> None:
    chosen = in_turn(PROGRAMS, BACKENDS, [0, 1, 7])
    assert len(chosen) == 48 if is_whole else len(chosen) == 16
    assert {each[:2] for each in chosen} == {(p, b) for p in PROGRAMS for b in BACKENDS}
    assert {each[1:] for each in chosen} == {(b, n) for b in BACKENDS for n in (0, 1, 7)}


def test_some(is_whole: bool) -> None:
    assert some(PROGRAMS) == (PROGRAMS if is_whole else ["p", "s", "v"])


@pytest.mark.parametrize(("backend", "selected"), [("numpy", [0, 1, 2, 5]), ("jax", [5])])
def test_sizes(is_whole: bool, backend: str, selected: list[int]) -> None:
    expected = [0, 1, 2, 5] if is_whole else selected
    assert list(sizes_on(backend, [0, 1, 2, 5], "q")) == expected


def test_programs_on_jax_take_the_largest_size_and_some_one_of_the_least(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(selection, "IS_WHOLE", False)
    chosen = [sizes_on("jax", [0, 1, 2, 5], f"program {number}") for number in range(100)]
    assert set(map(tuple, chosen)) == {(0, 5), (1, 5), (5,)}
    assert 10 < sum(len(sizes) == 2 for sizes in chosen) < 40


BY_TURNS = {
    values: {"program": values[0], "backend": values[1], "dtype": values[2]}
    for values in (each.values for each in combinations(PROGRAMS, ["numpy", "jax", "native"]))
}


def test_each_combination_has_a_turn() -> None:
    turns = [of_turn(BY_TURNS, turn) for turn in range(TURNS)]
    assert set().union(*turns) == set(BY_TURNS)
    assert all(len(chosen) < len(BY_TURNS) / 2 for chosen in turns)


@pytest.mark.parametrize("turn", range(TURNS))
def test_each_backend_is_in_each_turn_of_as_many_programs(turn: int) -> None:
    tests: dict[tuple[int, str], dict[str, int | str]] = {
        (program, backend): {"program": program, "backend": backend}
        for program, backend in product(range(TURNS), BACKENDS)
    }
    chosen = of_turn(tests, turn)
    assert {backend for _, backend in chosen} == set(BACKENDS)
    assert len(chosen) == len(BACKENDS)


def test_a_parameter_alone_has_its_values_by_turns() -> None:
    tests = {name: {"backend": name} for name in ("numpy", "torch", "jax", "native")}
    turns = [of_turn(tests, turn) for turn in range(TURNS)]
    assert set().union(*turns) == set(tests)
    assert sum(map(len, turns)) == len(tests)
    assert of_turn(tests, 1 - TURNS) == turns[1]


def test_tests_without_parameters_are_in_one_of_some_turns() -> None:
    chosen = [len(of_turn({"test": {}}, turn)) for turn in range(2 * ALONE)]
    assert chosen == [1, *[0] * (ALONE - 1)] * 2


@dataclass(frozen=True)
class OfOneFunction:
    """A test, as far as a selection reads it."""

    name: int
    parent: None = None
    originalname: str = "test"


def test_many_combinations_are_in_one_of_two_turns() -> None:
    few, many = ([*map(OfOneFunction, range(count))] for count in (MANY - 1, MANY))
    even, odd = (next_turn(cast(Any, many), turn) for turn in (0, 1))
    assert even | odd == {*many}
    assert not even & odd
    assert not next_turn(cast(Any, few), 0)


def test_values_one_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    found = list[object]()
    for turn in (None, *range(TURNS)):
        monkeypatch.setattr(selection, "TURN", turn)
        found.append(tuple(one_in_turn("abc")))
    assert found[:5] == [("a", "b", "c"), ("a",), ("b",), ("c",), ("a",)]
    assert not one_in_turn(())


def test_few_sizes() -> None:
    assert list(sizes_on("jax", [3])) == [3]


def test_examples(is_whole: bool) -> None:
    assert examples(25) == (25 if is_whole else 2 if selection.TURN is not None else 9)
    assert examples(25, is_drawn=True) == (25 if is_whole else 9)
