"""Functions for which steps wait, and small arrays that loops carry until a condition fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    array,
    atan2,
    cos,
    erf,
    exp,
    expm1,
    fold,
    fold_max,
    fold_sum,
    fold_while,
    function,
    log,
    log1p,
    sin,
    where,
)
from tests.agreement.comparison import assert_agree, assert_call_agrees, interpreted
from tests.selection import sizes_on

SPECIAL = np.array([0.5, -0.0, np.nan, 2.0, np.inf, 0.0, -1.5, -np.inf, 1e308, 5e-324])


@function
def adaptive(a: Any, limit: Any) -> Any:
    """Steps of a size of their own for each element, on a state of two numbers."""

    def solve(i: Any) -> Any:
        def slope(y: Any) -> Any:
            return array(lambda d: where(d == 0, y[1], -a[i] * y[0]), size=2)

        def step(s: Any) -> Any:
            t, h, y = s
            k = slope(y)
            middle = slope(array(lambda d: y[d] + 0.5 * h * k[d], size=2))
            error = fold_max(lambda d: abs(h * (middle[d] - k[d])))
            good = error < 0.01
            after = array(lambda d: where(good, y[d] + h * middle[d], y[d]), size=2)
            return where(good, t + h, t), h * (0.1 + error) ** -0.1 * 0.7, after

        start = array(lambda d: a[i] + d.float(), size=2)
        return fold_while((0.0, 0.1, start), lambda s: s[0] < 1.0, step, limit)[2]

    return array(solve)


@function
def exchanged(a: Any, limit: Any) -> Any:
    """Two small arrays that change places, and a limit of the steps."""
    x = array(lambda i: i.float(), size=3)
    y = array(lambda i: 1.0, size=3)

    def step(s: Any) -> Any:
        x, y, k = s
        return y, array(lambda i: x[2 - i] + sin(y[i]), size=3), k + 1

    x, y, k = fold_while((x, y, 0), lambda s: s[2] < a.size(), step, limit)
    return array(lambda i: x[i] + y[2 - i]), k


@function
def chains(a: Any, limit: Any) -> Any:
    """Functions of the number that a fold carries, of each element, and in a branch."""

    def step(k: Any, x: Any) -> Any:
        y = exp(-abs(x)) + log(1.5 + a[k] ** 2.0) + erf(x) * expm1(-abs(a[k]))
        return where(a[k] > 1.0, y + cos(x) * log1p(abs(x)), y + atan2(x, 1.0 + a[k] * a[k]))

    return fold(0.5, step, count=a.size())


@function
def beside_sums(a: Any, limit: Any) -> Any:
    """Functions beside loops of which the next ones depend on them."""

    def step(k: Any, x: Any) -> Any:
        total = fold_sum(lambda j: a[j] * a[j] * x)
        return exp(-total) * cos(x + a[k]) * 0.5

    return fold(0.5, step, count=a.size())


PROGRAMS = [adaptive, exchanged, chains, beside_sums]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_agreement(program: Any, backend: str, dtype: str) -> None:
    tolerance = {"float64": 1e-11, "float32": 1e-4}
    for n in sizes_on(backend, (0, 1, 2, 5, 9), program.__name__):
        a = np.random.default_rng(n).random(n).astype(dtype) * 2.0
        assert_call_agrees(program, (a.astype(dtype), 20), backend, tolerance)


def test_special_numbers() -> None:
    powers = function(
        lambda a: array(lambda i: fold(a[i], lambda k, x: (abs(x) + 0.5) ** a[k], count=a.size()))
    )
    for program in (chains, powers):
        arguments = (SPECIAL, 5) if program is chains else (SPECIAL,)
        for number in range(len(SPECIAL)):
            part = (SPECIAL[: number + 1], *arguments[1:])
            with np.errstate(all="ignore"):
                expected = interpreted(program, part)
            assert_agree(program.native(*part), expected, {"float64": 1e-12})


def test_code() -> None:
    """The state is on the stack."""
    loops = adaptive.ir("loops", np.ones(3), 20, backend="native")
    assert "scf.while" in loops
    assert loops.count("memref.alloca()") >= 2
    carried = loops[loops.index("scf.while") :].split("{", 1)[0]
    assert "memref" not in carried
