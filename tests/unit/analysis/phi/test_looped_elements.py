"""The bounds of the elements of programs that become loops."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ein_mlir import array, cos, fold, fold_max, fold_sum, function, jvp, where
from ein_mlir.analysis.phi.looped_elements import FUNCTION, SLOW_FUNCTION, bounds_of_loops
from ein_mlir.entry import function_of
from ein_mlir.host.extents import most_elements

VECTOR, MATRIX = np.ones(7), np.ones((5, 3))


def most(program: Callable[..., Any], *values: Any) -> int | None:
    """The bound for some arguments, if a loop is to be expected."""
    module = function(program).phi(*values)
    bounds = bounds_of_loops(function_of(module, program.__name__))
    return None if bounds is None else most_elements(bounds, values)


def products(a: Any, b: Any) -> Any:
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[j, k]))


def distances(a: Any, b: Any) -> Any:
    return array(lambda i, j: fold_sum(lambda k: abs(a[i, k] - b[j, k])))


def of_rows(a: Any, b: Any) -> Any:
    return array(lambda i: fold_max(lambda k: abs(a[i, k])))


def prefixes(a: Any, b: Any) -> Any:
    sums = lambda i, j: fold_sum(lambda k: where(k <= j, a[i, k], 0.0))  # noqa: E731
    return array(sums, size=(a.size(0), a.size(1)))


@pytest.mark.parametrize("program", [products, of_rows, prefixes])
def test_sums_of_the_elements_of_an_array_or_of_products_are_no_loops(program: Any) -> None:
    assert most(program, MATRIX, MATRIX) is None


def test_other_sums_are_loops_over_all_terms() -> None:
    assert most(distances, MATRIX, MATRIX) == 5 * 5 * 3


def test_products_with_windows_of_vectors_are_loops() -> None:
    def filtered(w: Any, x: Any) -> Any:
        return array(lambda i: fold_sum(lambda k: w[k] * x[i - k]), size=x.size())

    assert most(filtered, np.ones(3), VECTOR) == 7 * 3


def test_records_of_sums_are_sums() -> None:
    def forces(a: Any) -> Any:
        def step(i: Any, j: Any, s: Any) -> Any:
            return s[0] + abs(a[i] - a[j]), s[1] + a[j] ** 3

        return array(lambda i: fold((0.0, 0.0), lambda j, s: step(i, j, s), count=a.size()))

    assert most(forces, VECTOR) == FUNCTION * 7 * 7  # for the power


def test_waves_count_more_than_other_functions() -> None:
    def waves(a: Any) -> Any:
        return array(lambda i: fold_sum(lambda j: cos(a[i] * a[j])))

    assert most(waves, VECTOR) == SLOW_FUNCTION * 7 * 7


def test_steps_of_a_loop_are_not_computed_at_once() -> None:
    def heated(a: Any, n: Any) -> Any:
        return fold(a, lambda k, b: array(lambda i: b[i] + 0.5 * b[i - 1]), count=n)

    assert most(heated, VECTOR, 1000) == 7


def test_counts_that_vary_have_the_limits_of_their_counters() -> None:
    def solved(a: Any) -> Any:
        def step(k: Any, x: Any) -> Any:
            found = fold_sum(lambda j: abs(a[k, j] - x[j]), count=k)
            return array(lambda i: where(i == k, found, x[i]))

        return fold(array(lambda i: 0.0 * a[i, 0]), step, count=a.size(0))

    assert most(solved, MATRIX) == 5


def test_sizes_of_carried_arrays_and_of_computed_ints() -> None:
    def carried(a: Any, n: Any) -> Any:
        start = array(lambda i: 0.0, size=2 * n + a.size())
        return fold(start, lambda k, b: array(lambda i: b[i] + b[i - 1]), count=3)

    assert most(carried, VECTOR, 4) == 15


def test_derivatives_are_not_looked_at() -> None:
    def squares(a: Any) -> Any:
        return fold(a, lambda k, c: array(lambda i: c[i] * c[i - 1]), count=2)

    def derived(a: Any) -> Any:
        return jvp(squares, (a,), (a,))[1]

    assert most(squares, VECTOR) == 7
    assert most(derived, VECTOR) is None


def test_sizes_that_depend_on_elements_are_not_known() -> None:
    def read(a: Any, p: Any) -> Any:
        start = array(lambda i: 0.0, size=p[0])
        return fold(start, lambda k, b: array(lambda i: b[i] + a[k]), count=a.size())

    assert most(read, VECTOR, np.arange(3)) is None
