"""Gradients of random programs are those of PyTorch, and central differences."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ein_mlir import function, value_and_grad
from ein_mlir.entry import find_entry
from ein_mlir.interpreters import reference
from ein_mlir.rewriting.phi.derivatives.tangents import NoDerivativeError
from tests.agreement.comparison import leaves
from tests.agreement.test_derivatives import by_torch
from tests.fuzzing import derived
from tests.fuzzing.derivatives import Program, arguments
from tests.fuzzing.samples import Sample
from tests.libraries import needs

SEEDS = range(8)
FLOATS = (0, 1, 2)


@needs("torch")
@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_of_random_programs(seed: int) -> None:
    """On NumPy, every third on native code."""
    program = Program(seed)
    backend = "native" if seed % 3 == 0 else "numpy"
    of_program: Any = function(program, backend=backend)
    for n, m in ((4, 3), (1, 2)):
        given = arguments(seed, n, m)
        value, found = value_and_grad(of_program, FLOATS)(*given)
        expected = by_torch(function(program), given, np.float64(1.0))
        for own, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-8, atol=1e-9)
        assert np.isfinite(value)


class _Primal:
    """A random function of Floats, at normal numbers and in one direction."""

    def __init__(self, kind: str, seed: int):
        text, names, arguments = derived.write_primal(random.Random(seed), kind)
        head, self._body = text.split("\n", 1)
        self._parameters = head.removeprefix("def f(").removesuffix("):").split(", ")
        self._names, rng = names.split(", "), np.random.default_rng(seed)
        values = dict(zip(self._parameters, arguments, strict=True))
        self._arguments = {k: _normal(value, rng) for k, value in values.items()}
        self.direction = [rng.normal(size=values[name].shape) for name in self._names]

    def value(self, step: float = 0.0) -> list[NDArray[Any]]:
        """The value some steps in the direction."""
        moved = zip(self._names, self.direction, strict=True)
        at = {name: self._arguments[name] + step * tangent for name, tangent in moved}
        return self._run("g({names})", {**self._arguments, **at})

    def tangent(self) -> list[NDArray[Any]]:
        tangents = [f"d_{name}" for name in self._names]
        given = dict(zip(tangents, self.direction, strict=True))
        derivative = f"jvp(g, ({{names}}), ({', '.join(tangents)}))[1]"
        return self._run(derivative, self._arguments | given)

    def cotangents(self) -> list[NDArray[Any]]:
        """Those of the parameters, for the value as cotangent."""
        return self._run("(lambda found: found[1](found[0]))(vjp(g, {names}))", self._arguments)

    def _run(self, result: str, arguments: dict[str, Any]) -> list[NDArray[Any]]:
        returned = result.format(names=", ".join(self._names))
        text = f"def f({', '.join(arguments)}):\n{self._body}    return {returned}\n"
        module = Sample("derived", 0, text, tuple(arguments.values())).module()
        name = find_entry(module, None).sym_name.data
        found = reference.run(module, name, tuple(arguments.values()))
        return [np.asarray(leaf, float) for leaf in leaves(found)]


def _normal(value: Any, rng: np.random.Generator) -> Any:
    """Normal numbers in place of Floats."""
    is_float = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return 2.0 * rng.normal(size=value.shape) if is_float else value


def _dot(xs: Sequence[NDArray[Any]], ys: Sequence[NDArray[Any]]) -> float:
    return sum(float(np.sum(x * y)) for x, y in zip(xs, ys, strict=True))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", derived.FLOATS)
def test_directional_derivatives_of_loops(kind: str, seed: int) -> None:
    """Those of the interpreter are central differences, but at jumps; backwards, transposes."""
    primal, step = _Primal(kind, seed), 1e-6
    try:
        value, tangent = primal.value(), primal.tangent()
        above, below = primal.value(step), primal.value(-step)
    except ValueError:
        pytest.skip("the program raises an error")
    if not all(np.all(np.isfinite(found)) for found in (*value, *tangent)):
        pytest.skip("the program has no finite derivative")
    for v, t, high, low in zip(value, tangent, above, below, strict=True):
        error = np.abs((high - low) / (2 * step) - t)
        is_jump = np.abs(high - low) > 1e-2
        assert np.all((error <= 1e-3 * (1 + np.abs(t) + np.abs(v))) | is_jump)
    try:
        cotangents = primal.cotangents()
    except NoDerivativeError:
        return
    size = sum(float(np.sum(np.abs(v * t))) for v, t in zip(value, tangent, strict=True))
    assert abs(_dot(value, tangent) - _dot(cotangents, primal.direction)) <= 1e-8 * (1 + size)
