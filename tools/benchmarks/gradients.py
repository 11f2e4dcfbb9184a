"""The time of a value and all of its gradients over that of the value, for each case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ein_mlir import Function, function, vjp
from tests.agreement.cases.case import Case
from tests.agreement.comparison import given, leaves
from tests.agreement.test_derivatives import is_float, mapped
from tools.benchmarks.report import Report
from tools.benchmarks.timing import QUICK, Effort, interleaved
from tools.benchmarks.ways import finished, in_64_bits

BACKENDS = ("numpy", "native")
BY_HAND = "jax / jax.vjp"
"""The column of our gradient on JAX, over that of hand-written JAX."""


def measure_gradients(report: Report, cases: Sequence[Case], sizes: str, quick: bool) -> None:
    """The ratio for each program with Floats as arguments and results."""
    effort = QUICK if quick else Effort(seconds=0.3, fewest=5, most=15)
    rows: list[dict[str, Any]] = []
    with report.progress() as progress:
        for case in progress.track(cases, description="gradients"):
            size = case.large if sizes == "large" else case.small[-1]
            inputs = case.inputs(size, "float64", np.random.default_rng(0))
            if any(map(is_float, leaves(inputs))) and has_floats(case, inputs):
                ratios = {each: _ratio(report, case, each, inputs, effort) for each in BACKENDS}
                ratios[BY_HAND] = _jax_ratio(report, case, inputs, effort)
                rows.append({"case": case.name, **ratios})
    report.show("gradients", "Time of a program and its gradients over that of the program", rows)


def has_floats(case: Case, inputs: Sequence[Any]) -> bool:
    """Whether a program has a result with a gradient."""
    return any(map(is_float, leaves(case.program.eval(*inputs, backend="numpy"))))


def with_gradients(case: Case, backend: str) -> Function[..., Any]:
    """The values of a program, and the cotangents of its arguments for one of its result."""

    def both(arguments: Any, cotangent: Any) -> Any:
        value, backwards = vjp(case.program, *arguments)
        return value, backwards(cotangent)

    return function(both, backend=backend)


def _ratio(
    report: Report, case: Case, backend: str, inputs: Sequence[Any], effort: Effort
) -> float | None:
    program = function(case.program, backend=backend)
    ours, (arguments, cotangent) = (
        with_gradients(case, backend),
        given_with_ones(case, backend, inputs),
    )
    actions = {
        "program": lambda: finished(program(*arguments)),
        "both": lambda: finished(ours(arguments, cotangent)),
    }
    return _times_over(report, f"{case.name} on {backend}", actions, effort)


def given_with_ones(case: Case, backend: str, inputs: Sequence[Any]) -> tuple[Any, Any]:
    """The arguments of a program, and the cotangent 1 of all Floats of its result."""
    result = case.program.eval(*inputs, backend="numpy")
    ones = mapped(result, lambda leaf: np.ones_like(leaf) if is_float(leaf) else leaf)
    cotangent = mapped(ones, lambda leaf: given(leaf, backend))
    return tuple(given(value, backend) for value in inputs), cotangent


def _jax_ratio(report: Report, case: Case, inputs: Sequence[Any], effort: Effort) -> float | None:
    with in_64_bits():
        ours = with_gradients(case, "jax")
        arguments, cotangent = given_with_ones(case, "jax", inputs)
        by_hand = [inputs[k] if k in _counts(inputs) else x for k, x in enumerate(arguments)]
        theirs = jax.jit(_by_hand(case), static_argnums=[k + 1 for k in _counts(inputs)])
        ones = [jnp.ones_like(leaf) for leaf in leaves(case.jax(*by_hand)) if _is_inexact(leaf)]
        actions = {
            "program": lambda: finished(theirs(ones, *by_hand)),
            "both": lambda: finished(ours(arguments, cotangent)),
        }
        return _times_over(report, f"{case.name} on JAX", actions, effort)


def _by_hand(case: Case) -> Callable[..., Any]:
    """Hand-written JAX, with the cotangents of its Floats for those of its result."""

    def both(cotangents: Sequence[Any], *values: Any) -> Any:
        numbers = [k for k, value in enumerate(values) if _is_inexact(value)]

        def floats(*chosen: Any) -> tuple[list[Any], list[Any]]:
            given = dict(zip(numbers, chosen, strict=True))
            result = case.jax(*(given.get(k, value) for k, value in enumerate(values)))
            found = leaves(result)
            others = [leaf for leaf in found if not _is_inexact(leaf)]
            return [leaf for leaf in found if _is_inexact(leaf)], others

        chosen = (values[k] for k in numbers)
        results, backwards, others = jax.vjp(floats, *chosen, has_aux=True)
        return results, others, backwards(list(cotangents))

    return both


def _counts(inputs: Sequence[Any]) -> Sequence[int]:
    """The arguments that are static by hand: JAX has no gradient of other numbers of steps."""
    return [k for k, value in enumerate(inputs) if isinstance(value, int)]


def _is_inexact(value: Any) -> bool:
    return jnp.issubdtype(jnp.result_type(value), jnp.floating)


def _times_over(
    report: Report, name: str, actions: dict[str, Callable[[], Any]], effort: Effort
) -> float | None:
    """The time of ``both`` over that of ``program``."""
    try:
        for action in actions.values():
            action()
    except Exception as error:  # a program without a derivative is a row of the table
        report.say(f"{name}: {error}")
        return None
    times = interleaved(actions, effort)
    return times["both"].least / times["program"].least
