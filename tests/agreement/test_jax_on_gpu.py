"""Programs as JAX runs them on a GPU, here on the CPU: results, and the steps of loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax")

import jax
from jax.extend.core import jaxprs_in_params

from ein_mlir import Float, Function, Int, Vec, fold, fold_sum, fold_while, function
from ein_mlir.backends.jax import runtime
from tests.agreement.cases import CASES
from tests.agreement.cases.case import Case
from tests.agreement.comparison import assert_agree, leaves
from tests.agreement.programs import PROGRAMS
from tests.agreement.second_set import SECOND_SET
from tests.selection import IS_WHOLE

ALL: dict[str, Case] = {**CASES, **SECOND_SET}
TOLERANCE = {"float64": 1e-9, "float32": 1e-4}

UNKNOWN = 1000
"""The steps of a loop that ends by a condition."""
FEW_STEPS = 64
"""Those of loops over few things, as clusters or digits."""
STAGED = ("binary-search",)
"""Programs of which NumPy computes a size before each call."""


@pytest.fixture(autouse=True)
def _on_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are compiled as if JAX had found a GPU; other tests do not get this code."""
    monkeypatch.setattr(runtime, "has_gpu", lambda: True)
    monkeypatch.setattr(runtime, "is_on_gpu", lambda _: True)


def agree(program: Function, inputs: Any, size: int, dtype: str) -> None:
    arguments = inputs(size, dtype, np.random.default_rng(size))
    expected = program.eval(*arguments, backend="naive")
    # A function that was called before would keep its code.
    actual = Function(program.__wrapped__).jax(*arguments)
    assert_agree(actual, leaves(expected), TOLERANCE, f"size {size}")


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    for size in (0, 1, 2, 5) if IS_WHOLE else (5,):
        agree(PROGRAMS[name].function, PROGRAMS[name].inputs, size, "float64")


@pytest.mark.parametrize("name", ALL)
def test_cases(name: str) -> None:
    case = ALL[name]
    for size in case.small if IS_WHOLE else case.small[-1:]:
        agree(case.program, case.inputs, size, "float64")


@function
def levels(counts: Vec[Int], x: Vec[Float], limit: Float) -> Float:
    """The condition needs the result of a loop whose steps have counts."""

    def step(state: tuple[Float, Int]) -> tuple[Float, Int]:
        total, k = state

        def row(t: Int, acc: Float) -> Float:
            return acc + fold_sum(lambda j: x[j + k], count=counts[t + k])

        return fold(total + 1.0, row, count=counts.size(0)), k + 1

    return fold_while((0.0, 0), lambda state: state[0] < limit, step)[0]


@pytest.mark.parametrize("counts", [[], [2], [0, 3], [1, 2, 0]])
def test_counts_beside_a_condition(counts: Sequence[int]) -> None:
    arguments = np.array(counts, int), np.linspace(0.5, 1.0, 5), 9.0
    found = Function(levels.__wrapped__).jax(*arguments)
    assert_agree(found, levels.eval(*arguments, backend="naive"), TOLERANCE)


@pytest.mark.parametrize("name", [name for name in ALL if name not in STAGED])
def test_steps_in_a_chain(name: str) -> None:
    """A step of a loop starts kernels: a program has at most three times those by hand, and few."""
    case = ALL[name]
    arguments = case.inputs(case.large, "float32", np.random.default_rng(0))
    ours = steps_of(Function(case.program.__wrapped__).jax, arguments)
    assert ours <= 3 * steps_of(case.jax, arguments) + FEW_STEPS


def steps_of(function: Callable[..., Any], arguments: Sequence[Any]) -> int:
    """The steps of loops in a function, each of which waits for the one before."""
    static = [k for k, value in enumerate(arguments) if not isinstance(value, np.ndarray)]
    traced = jax.make_jaxpr(lambda *given: leaves(function(*given)), static_argnums=static)
    with jax.enable_x64(True):
        return _steps(traced(*arguments).jaxpr)


def _steps(jaxpr: Any) -> int:
    return sum(map(_steps_in, jaxpr.eqns))


def _steps_in(equation: Any) -> int:
    inner = max(map(_steps, jaxprs_in_params(equation.params)), default=0)
    match equation.primitive.name:
        case "scan":
            return equation.params["length"] * max(1, inner)
        case "while":
            return UNKNOWN * max(1, inner)
        case _:
            return inner
