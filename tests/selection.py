"""The combinations that the tests run: a selection, or all of them with ``EIN_TESTS=whole``.

The selection leaves out what repeats the path of another test: an f32 program differs from the f64
one in its types alone, all sizes above 1 run the same code, and JAX compiles for each shape. Tests
of the scalar operations, one by one, and random programs have both dtypes. In a selection, XLA also
compiles with less effort: half of the time of such tests was its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

import pytest

from tests.libraries import BACKENDS

IS_WHOLE = os.environ.get("EIN_TESTS") == "whole"
"""Whether all combinations run."""


def combinations(programs: Iterable[Any], backends: Sequence[Any] = BACKENDS) -> list[Any]:
    """The values of a program, a backend and a dtype: each program runs on each backend in f64.

    In f32 every fourth program runs, on one backend, and the next of them on the next backend.
    """
    return [
        pytest.param(program, name, dtype, marks=marks)
        for turn, program in enumerate(programs)
        for place, (name, marks) in enumerate(map(_parts, backends))
        for dtype in ("float64", "float32")
        if IS_WHOLE or dtype == "float64" or 4 * place + 1 == turn % (4 * len(backends))
    ]


def in_turn(programs: Sequence[Any], choices: Sequence[Any]) -> list[Any]:
    """The pairs of a program and a choice: one choice for each program, the next for the next."""
    return [
        (program, choice)
        for turn, program in enumerate(programs)
        for place, choice in enumerate(choices)
        if IS_WHOLE or place == turn % len(choices)
    ]


def some(values: Sequence[Any], of: int = 3) -> Sequence[Any]:
    """Every so many of the values of a parameter."""
    return values if IS_WHOLE else values[::of]


def _parts(backend: Any) -> tuple[str, Sequence[pytest.MarkDecorator]]:
    """The name in a value of a parameter, and its marks."""
    return (backend, ()) if isinstance(backend, str) else (backend.values[0], backend.marks)


def sizes_on(
    backend: str, sizes: Sequence[int], dtype: str = "float64", program: str = ""
) -> Sequence[int]:
    """The sizes of a program on a backend: on JAX the largest and, in f64, one of the least two.

    The name of the program chooses it.
    """
    if IS_WHOLE or backend != "jax":
        return sizes
    least = sizes[:-1][:2] if dtype == "float64" else ()
    return (*least[crc32(program.encode()) % 2 :][:1], sizes[-1])


def examples(count: int) -> int:
    """The number of random examples of a test, which are the same in each run: a third of all."""
    return count if IS_WHOLE else -(-count // 3)
