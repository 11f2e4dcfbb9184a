"""Bounds of the numbers of elements that functions of PyTorch compute."""

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, where
from ein_mlir.analysis.emitpy.extents import bounds_of_computed
from ein_mlir.host.extents import most_elements
from ein_mlir.pipelines import run_pipeline
from tests.libraries import needs


@function
def powers(a: Any, x: Any, steps: Any) -> Any:
    return fold(x, lambda t, x: array(lambda i: fold_sum(lambda k: a[i, k] * x[k])), count=steps)


@function
def powers_of_record(model: Any, steps: Any) -> Any:
    a, (x, _) = model
    return powers(a, x, steps)


@function
def knapsack(weights: Any, capacity: Any) -> Any:
    def item(i: Any, best: Any) -> Any:
        return array(lambda w: where(w >= weights[i], best[w - weights[i]] + 1, best[w]))

    return fold(array(lambda w: w * 0, size=capacity + 1), item, count=weights.size())


@function
def rows(a: Any) -> Any:
    return fold(0.0, lambda t, s: s + fold_sum(lambda k: (a[t, k] * s).exp()), count=a.size(0))


@function
def bags(table: Any, words: Any) -> Any:
    return array(lambda i, d: fold_sum(lambda t: table[words[i, t], d]))


@needs("torch")
@pytest.mark.parametrize(
    ("program", "arguments", "expected"),
    [
        (powers, (np.ones((3, 3)), np.ones(3), 2), 3),
        (powers_of_record, ((np.ones((3, 3)), (np.ones(3), 0.5)), 2), 3),
        (knapsack, (np.ones(2, int), 9), 10),
        (rows, (np.ones((4, 7)),), 8 * 7),
        (bags, (np.ones((9, 5)), np.ones((2, 3), int)), 2 * 3 * 5),
    ],
)
def test_elements_in_loops(program: Any, arguments: tuple[Any, ...], expected: int) -> None:
    module = program.phi(*arguments)
    run_pipeline(module, "torch")
    (function,) = module.ops
    bounds = bounds_of_computed(function)
    assert bounds is not None
    assert most_elements(bounds[0], arguments) == expected
