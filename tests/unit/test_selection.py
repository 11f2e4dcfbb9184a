"""The selection of combinations that the tests run."""

from __future__ import annotations

import pytest

from tests import selection
from tests.selection import combinations, examples, in_turn, sizes_on, some

PROGRAMS, BACKENDS = list("pqrstuvw"), ["numpy", "jax"]


@pytest.fixture(params=[False, True])
def is_whole(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(selection, "IS_WHOLE", request.param)
    return request.param


def test_each_program_runs_on_each_backend_in_f64_and_a_quarter_on_one_in_f32(
    is_whole: bool,
) -> None:
    chosen = {each.values for each in combinations(PROGRAMS, BACKENDS)}
    assert {each[:2] for each in chosen if each[2] == "float64"} == {
        (program, backend) for program in PROGRAMS for backend in BACKENDS
    }
    narrow = sorted(each[:2] for each in chosen if each[2] == "float32")
    assert len(narrow) == 16 if is_whole else narrow == [("q", "numpy"), ("u", "jax")]


def test_choices_in_turn(is_whole: bool) -> None:
    pairs = in_turn(PROGRAMS, BACKENDS)
    chosen = [("p", "numpy"), ("q", "jax"), ("r", "numpy"), ("s", "jax")]
    assert len(pairs) == 16 if is_whole else pairs[:4] == chosen


def test_some(is_whole: bool) -> None:
    assert some(PROGRAMS) == (PROGRAMS if is_whole else ["p", "s", "v"])


@pytest.mark.parametrize(
    ("backend", "dtype", "selected"),
    [
        ("numpy", "float64", [0, 1, 2, 5]),
        ("numpy", "float32", [0, 1, 2, 5]),
        ("jax", "float64", [0, 5]),
        ("jax", "float32", [5]),
    ],
)
def test_sizes(is_whole: bool, backend: str, dtype: str, selected: list[int]) -> None:
    expected = [0, 1, 2, 5] if is_whole else selected
    assert list(sizes_on(backend, [0, 1, 2, 5], dtype)) == expected


def test_programs_on_jax_take_one_of_the_least_sizes_or_the_next() -> None:
    chosen = {tuple(sizes_on("jax", [0, 1, 2, 5], program=name)) for name in PROGRAMS}
    assert chosen == {(0, 5), (1, 5)}


def test_few_sizes() -> None:
    assert list(sizes_on("jax", [3])) == [3]


def test_examples(is_whole: bool) -> None:
    assert examples(25) == (25 if is_whole else 9)
