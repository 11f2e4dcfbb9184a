"""The ways to run a case, and their comparison."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from math import log
from time import perf_counter
from typing import Any

import jax
import numpy as np

from ein_mlir import Function
from tests.agreement.cases.case import Arguments, Case
from tests.agreement.comparison import assert_agree, given, leaves
from tools.benchmarks.report import Report
from tools.benchmarks.timing import Action, once

EIN = ("numpy", "jax", "torch", *(["native"] if find_spec("llvmlite") else []))
"""The backends that are installed."""
HAND_WRITTEN = ("idiomatic NumPy", "expert NumPy", "hand-written JAX", "hand-written torch")
WAYS = (*(f"Ein {backend}" for backend in EIN), *HAND_WRITTEN)
"""The names of all ways to run a case, except those of other compilers."""
FIRST_CALLS = {f"first call, {way}": way for way in WAYS if way.endswith(("jax", "JAX"))}
"""The names of first calls on JAX, which compiles loops step by step -> their ways.

First calls on other libraries compile the same for all sizes, or a version for small ones.
"""

LIMIT = 30.0
"""Seconds that one call may take."""


WaysAt = Callable[[int], Mapping[str, Action]]
"""The ways to run a case, given a size."""


class WrongResultError(Exception):
    """A way to run a case raises an error, or its result differs from the others."""


@contextmanager
def attempt(report: Report, case: Case) -> Iterator[None]:
    """Report an error inside as a failure of a case, so that others are measured."""
    try:
        yield
    except WrongResultError as error:
        report.fail(str(error))
    except Exception as error:
        report.fail(f"{case.name}: {error!r}")


@contextmanager
def in_64_bits() -> Iterator[None]:
    """Compute in 64 bits with JAX inside, like the compiled programs."""
    with jax.enable_x64(True):
        yield


def inputs(case: Case, size: int) -> Arguments:
    """The arguments of a case at a size, in 64 bits; deterministic."""
    return case.inputs(size, "float64", np.random.default_rng(size))


def chosen_size(case: Case, sizes: str) -> int:
    """The size of a case named ``tiny``, ``small`` or ``large``."""
    sizes_by_name = {"tiny": case.small[-1], "small": case.sweep[len(case.sweep) // 2]}
    return sizes_by_name.get(sizes, case.large)


def untraced(program: Function) -> Function:
    """A program without its compiled code."""
    return Function(inspect.unwrap(program))


def implementations(case: Case, program: Function | None = None) -> dict[str, Callable[..., Any]]:
    """The callable of each way; programs and jitted functions are compiled by their first call.

    A case without an expert's version has no such way.
    """
    program = untraced(program or case.program)
    jitted = jax.jit(case.jax, static_argnums=case.static)
    expert = {"expert NumPy": case.expert} if case.expert else {}
    native = {"Ein native": program.native} if "native" in EIN else {}
    return {
        "Ein numpy": program.numpy,
        "Ein jax": lambda *args: finished(program.jax(*args)),
        "Ein torch": program.torch,
        **native,
        "idiomatic NumPy": case.idiomatic,
        **expert,
        "hand-written JAX": lambda *args: finished(jitted(*args)),
        "hand-written torch": case.torch,
    }


def finished(result: Any) -> Any:
    """A result of JAX after it is computed: JAX returns it before."""
    jax.block_until_ready(leaves(result))
    return result


def actions(case: Case, arguments: Arguments) -> dict[str, Action]:
    """Each way to run a case, on arguments that are arrays of its library."""
    converted = {
        library: [given(value, library) for value in arguments]
        for library in ("numpy", "jax", "torch")
    }
    return {
        name: partial(f, *converted[library_of(name)]) for name, f in implementations(case).items()
    }


def library_of(way: str) -> str:
    """The library of the arrays that a way takes."""
    return next((library for library in ("jax", "torch") if library in way.lower()), "numpy")


def check(case: Case, actions: Mapping[str, Action]) -> dict[str, float]:
    """Raise WrongResultError unless all ways agree with idiomatic NumPy, or the first without it.

    Returns the duration of the first call of each, in seconds.
    """
    expected = actions.get("idiomatic NumPy", next(iter(actions.values())))()
    return {name: _check(case, name, action, expected) for name, action in actions.items()}


def check_small(case: Case) -> None:
    """Raise WrongResultError unless idiomatic NumPy, which others are compared with, and the oracle
    agree with the reference interpreter at a small size.
    """
    arguments = inputs(case, case.small[-1])
    expected = case.program.eval(*arguments, backend="naive")
    for name, way in {"idiomatic NumPy": case.idiomatic, "the oracle": case.oracle}.items():
        _check(case, name, partial(way, *arguments), expected)


def _check(case: Case, name: str, action: Action, expected: Any) -> float:
    """Raise WrongResultError unless a way agrees; its duration in seconds."""
    start = perf_counter()
    try:
        result = action()
    except Exception as error:
        raise WrongResultError(f"{case.name}: {name} raises {error!r}") from error
    seconds = perf_counter() - start
    try:
        assert_agree(result, expected, case.tolerance, dtypes=False)
    except AssertionError as error:
        reason = " ".join(str(error).split())[:300]
        raise WrongResultError(f"{case.name}: {name} gives a wrong result: {reason}") from error
    return seconds


@dataclass(frozen=True)
class Forecast:
    """The expected times of ways to run a case, from those at the two least sizes of its sweep.

    A program that a backend compiles to more work than necessary takes minutes or days at a size
    that suits the others. Times grow by a power of the size, those of calls at least linearly.
    """

    small: int
    medium: int
    before: Mapping[str, float]
    """The seconds at the small size, of calls and, under names of their own, of first calls."""
    times: Mapping[str, float]
    """Those at the medium size."""

    def seconds(self, way: str, n: int) -> float:
        """The expected time at a size."""
        power = log(self.times[way] / self.before[way]) / log(self.medium / self.small)
        return self.times[way] * (n / self.medium) ** max(way not in FIRST_CALLS, power)

    def slow(self, n: int) -> set[str]:
        """The ways of which a call or the first call should take longer than `LIMIT` at a size."""
        return {FIRST_CALLS.get(way, way) for way in self.times if self.seconds(way, n) > LIMIT}


def forecast(case: Case, ways: WaysAt) -> Forecast:
    """The forecast for a case, after calls of the given ways at two sizes."""
    small, medium = case.sweep[:2]
    return Forecast(small, medium, _probe(case, ways(small)), _probe(case, ways(medium)))


def slow_ways(case: Case, size: int, ways: WaysAt) -> set[str]:
    """The ways of which a call or the first call should take longer than `LIMIT` at a size.

    Such a forecast is confirmed by calls at larger sizes, as far as they are not slow there: a
    library or a compiler may have another version for small arguments.
    """
    expected = forecast(case, ways)
    slow = expected.slow(size)
    for larger in (n for n in case.sweep[2:] if n < size):
        doubtful = (slow & set(expected.times)) - expected.slow(larger)
        if not doubtful:
            break
        expected = _refined(expected, larger, doubtful, case, ways)
        slow = (slow - doubtful) | expected.slow(size)
    return slow


def feasible_size(case: Case, size: int, ways: WaysAt) -> int:
    """The largest size of the sweep at which no way to run a case is slow; the size itself if it is
    not the intended size of the case.
    """
    if size != case.large:
        return size
    expected = forecast(case, ways)
    for larger in case.sweep[2:]:
        if not expected.slow(size):
            return size
        if expected.slow(larger):
            break
        expected = _refined(expected, larger, set(expected.times), case, ways)
    return expected.medium


def _refined(
    expected: Forecast, larger: int, chosen: AbstractSet[str], case: Case, ways: WaysAt
) -> Forecast:
    """The forecast of some ways, and of idiomatic NumPy, after their calls at a larger size."""
    compared = chosen | ({"idiomatic NumPy"} - expected.slow(larger))
    found = {way: action for way, action in ways(larger).items() if way in compared}
    return Forecast(expected.medium, larger, expected.times, _probe(case, found))


def _probe(case: Case, ways: Mapping[str, Action]) -> dict[str, float]:
    """The time of each way: without compilation, and that of its first call."""
    first = check(case, ways)
    again = {way: min(once(action) for _ in range(2)) for way, action in ways.items()}
    return again | {name: first[way] for name, way in FIRST_CALLS.items() if way in first}
