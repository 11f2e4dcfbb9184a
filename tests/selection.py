"""The combinations that the tests run: a selection, or all of them with ``EIN_TESTS=whole``.

With ``EIN_TESTS=turns`` a run takes one part of the selection, and the runs of the next days the
others: see `this_turn` and `examples`.

Each program runs on each backend. The selection leaves out what repeats the path of another test:
an f32 program differs from the f64 one in its types alone, all sizes above 1 run the same code, and
JAX compiles for each shape. So a program has one dtype on a backend, and few sizes on JAX. Turns
decide, not chance: on each backend many programs have each dtype and each size. Tests of the scalar
operations, one by one, and random programs have both dtypes. In a selection, XLA also compiles with
less effort: half of the time of such tests was its own.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import date
from itertools import product
from typing import Any, TypeVar
from zlib import crc32

import pytest

from tests.libraries import BACKENDS

Size = TypeVar("Size")
Test = TypeVar("Test", bound=Hashable)

IS_WHOLE = os.environ.get("EIN_TESTS") == "whole"
"""Whether all combinations run."""

TURNS = 30
"""The number of runs that a selection is distributed over, a multiple of `ALONE` and `PARTS`."""

PARTS = 5
"""A run by turns has one in so many slow tests, and examples of a random test: others each turn."""

MANY = 3
"""From so many combinations on, a test of no whole program has every second of them in a turn."""

ALONE = 5
"""A test of a whole program without parameters is in one of so many turns, a part of `TURNS`."""

TURN = None
"""The number of the turn that runs; None where all combinations of the selection run."""

if os.environ.get("EIN_TESTS") == "turns":
    TURN = int(os.environ.setdefault("EIN_TURN", str(date.today().toordinal()))) % TURNS


def combinations(programs: Iterable[Any], backends: Sequence[Any] = BACKENDS) -> list[Any]:
    """The values of a program, a backend and a dtype: each program runs on each backend.

    The dtype is f32 for every fourth of them: on the next backend for the next program, and f64 on
    all others.
    """
    return [
        pytest.param(program, name, dtype, marks=marks)
        for turn, program in enumerate(programs)
        for place, (name, marks) in enumerate(map(_parts, backends))
        for dtype in ("float64", "float32")
        if IS_WHOLE or dtype == ("float64", "float32")[(turn - place) % 4 == 0]
    ]


def in_turn(*factors: Sequence[Any]) -> list[Any]:
    """All combinations of the values of some parameters, but with one value of the last in turn.

    The sum of the numbers of the other values chooses it: each value of the last parameter meets
    each value of the others, if these are as many.
    """
    *others, choices = factors
    return [
        (*(value for _, value in chosen), choice)
        for chosen in product(*map(enumerate, others))
        for place, choice in enumerate(choices)
        if IS_WHOLE or place == sum(number for number, _ in chosen) % len(choices)
    ]


def some(values: Sequence[Any], of: int = 3) -> Sequence[Any]:
    """Every so many of the values of a parameter."""
    return values if IS_WHOLE else values[::of]


def _parts(backend: Any) -> tuple[str, Sequence[pytest.MarkDecorator]]:
    """The name in a value of a parameter, and its marks."""
    return (backend, ()) if isinstance(backend, str) else (backend.values[0], backend.marks)


def sizes_on(backend: str, sizes: Sequence[Size], program: str = "") -> Sequence[Size]:
    """The sizes of a program on a backend: on JAX the largest, and for every fourth one more.

    The additional size is one of the least two. The name of the program chooses it.
    """
    if IS_WHOLE or backend != "jax":
        return sizes
    least, turn = sizes[:-1][:2], crc32(program.encode()) % 8
    return (*(least[turn : turn + 1]), sizes[-1])


def this_turn(tests: Iterable[pytest.Item], turn: int) -> set[pytest.Item]:
    """The tests of a turn, among tests with parameters.

    The parameters of a test are a program and a backend, for example: a program runs on each
    backend in turn. Each combination is in a turn, and each backend in a turn of `TURNS` programs.
    Functions begin with different values: those with few combinations have different backends in a
    turn.
    """
    chosen = set[pytest.Item]()
    for name, each in _by_function(tests):
        first = crc32(name.encode())
        chosen |= of_turn({test: _parameters(test) for test in each}, turn - first)
    return chosen


def next_turn(tests: Iterable[pytest.Item], turn: int) -> set[pytest.Item]:
    """The tests that a turn leaves to the next one, among tests of no whole programs."""
    functions = [each for _, each in _by_function(tests) if len(each) >= MANY]
    return {test for each in functions for test in each[turn % 2 :: 2]}


def _by_function(tests: Iterable[pytest.Item]) -> Iterable[tuple[str, Sequence[pytest.Item]]]:
    """The tests of each function, with its name."""
    functions = defaultdict[tuple[Hashable, str], list[pytest.Item]](list)
    for test in tests:
        functions[test.parent, getattr(test, "originalname", test.name)].append(test)
    return [(name, each) for (_, name), each in functions.items()]


def _parameters(test: pytest.Item) -> Mapping[str, Hashable]:
    """The parameters of a test, each with a key of its value."""
    call = getattr(test, "callspec", None)
    values: Mapping[str, Any] = call.params if call is not None else {}
    return {name: _key(value) for name, value in values.items()}


def _key(value: Any) -> Hashable:
    return value if isinstance(value, str | int | float | None) else id(value)


def of_turn(tests: Mapping[Test, Mapping[str, Hashable]], turn: int) -> set[Test]:
    """The tests of one function in a turn, by the sums of the numbers of their values.

    One without parameters is in one of `ALONE` turns.
    """
    numbers = defaultdict[str, dict[Hashable, int]](dict)
    sums = {
        test: sum(
            numbers[name].setdefault(value, len(numbers[name]))
            for name, value in parameters.items()
        )
        for test, parameters in tests.items()
    }
    turns = TURNS if numbers else ALONE
    return {test for test, number in sums.items() if (number - turn) % turns == 0}


def one_in_turn(values: Sequence[Any]) -> Sequence[Any]:
    """Values that a test takes one after the other: in a turn one of them, others in the next."""
    return values if TURN is None or not values else (values[TURN % len(values)],)


def examples(count: int, is_drawn: bool = False) -> int:
    """The number of random examples of a test: a third of all.

    A turn has a fifth of these, and each turn others; but all of a test that itself is drawn.
    """
    parts = 1 if is_drawn or TURN is None else PARTS
    return count if IS_WHOLE else -(-count // (3 * parts))
