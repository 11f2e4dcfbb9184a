"""Versions of programs for equal sizes of arrays that are fields of records, on every backend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import array, fold, fold_sum, function, sin, value_and_grad
from tests.agreement.comparison import leaves
from tests.libraries import BACKENDS

SHAPES = [(3, 3, 3), (3, 4, 3), (4, 3, 4), (3, 3, 2), (1, 1, 1), (0, 0, 0)]
"""Of a matrix, and of a vector: all sizes are equal in the first of them."""


def steps(points: Any, given: Any) -> Any:
    """Matrices in steps that keep their sizes if all are equal; first, a record of another size."""
    a, (b, scale) = given
    n = a.size(0)

    def step(k: Any, v: Any) -> Any:
        return array(lambda i, j: 0.5 * v[i, j] + v[j, k] * b[i] * scale, size=(n, n))

    last: Any = fold(a, step, count=n)
    rest = fold_sum(lambda k: points[0][k] * points[1][k])
    return fold_sum(lambda i, j: sin(last[i, j]), count=(n, n)) + rest


def moved(points: Any, given: Any) -> Any:
    """Rows of three numbers, a size that steps give the matrix."""
    a, (b, scale) = given
    n = b.size()

    def step(k: Any, v: Any) -> Any:
        return array(lambda i, c: v[i, c] * scale + b[i] * points[1][k], size=(n, 3))

    last: Any = fold(a, step, count=points[0].size())
    return fold_sum(lambda i, c: last[i, c] ** 2.0, count=(n, 3))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", [steps, moved], ids=lambda each: each.__name__)
def test_programs_of_records_agree_for_all_sizes(program: Any, backend: str) -> None:
    value, both = function(program), function(value_and_grad(program, 1))
    for rows, columns, length in SHAPES:
        rng = np.random.default_rng(rows + columns)
        points = np.array([0.5, 2.0]), np.array([0.25, -1.0])
        given = rng.normal(size=(rows, columns)), (rng.normal(size=length), 0.75)
        for each in (value, both):
            size = (rows, rows) if program is steps else (length, 3)
            if each is both and (rows, columns) != size:  # an error: no derivative of another size
                continue
            found = each.eval(points, given, backend=backend)
            wanted = each.eval(points, given, backend="naive")
            for one, other in zip(leaves(found), leaves(wanted), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-9)


def test_a_version_takes_records_of_equal_sizes() -> None:
    def given(rows: int, columns: int) -> Any:
        return np.ones((rows, columns)), (np.ones(rows), 0.5)

    @function
    def program(arguments: Any) -> Any:
        a, (b, scale) = arguments
        n = a.size(0)

        def step(k: Any, v: Any) -> Any:
            return array(lambda i, j: 0.5 * v[i, j] + v[j, k] * b[i] * scale, size=(n, n))

        return fold(a, step, count=n)

    message = "this version takes equal sizes: arguments[0] along axis 0, arguments[0] along axis 1"
    assert message in program.source(given(3, 3))
    for shape in [(3, 3), (3, 4), (4, 3)]:
        found = program(given(*shape))
        wanted = program.eval(given(*shape), backend="naive")
        np.testing.assert_allclose(found, wanted)
