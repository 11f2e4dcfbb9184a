"""Accumulators that native programs overwrite agree with the reference interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp

from ein_mlir import (
    Float,
    Function,
    Vec,
    array,
    compile,
    fold,
    fold_min,
    fold_sum,
    function,
    max,
    min,
    sqrt,
    where,
)
from ein_mlir.analysis.scopes import around
from ein_mlir.pipelines import run_pipeline
from tests.agreement.comparison import assert_agree

pytest.importorskip("llvmlite")

Vector = Vec[Float]
Matrix = Vec[Vector]


@function
def columns(a: Matrix) -> Matrix:
    """Each step reads the whole matrix first, then replaces a column."""

    def column(j: Any, lower: Matrix) -> Matrix:
        rest = array(lambda i: a[i, j] - fold_sum(lambda k: lower[i, k] * lower[j, k], count=j))
        root = sqrt(rest[j] * rest[j] + 1.0)
        return array(lambda i, c: where((c == j) & (i >= j), rest[i] / root, lower[i, c]))

    return fold(array(lambda i, j: 0.0 * a[i, j]), column, count=a.size())


@function
def from_own_row(a: Matrix) -> Matrix:
    def column(j: Any, x: Matrix) -> Matrix:
        return array(lambda i, c: where(c == j, x[i, c - 1] + 0.5 * x[i, c + 1], x[i, c]))

    return fold(a, column, count=a.size(1))


@function
def from_another_row(a: Matrix) -> Matrix:
    """The row before is overwritten earlier: it must be read from the old matrix."""

    def column(j: Any, x: Matrix) -> Matrix:
        return array(lambda i, c: where(c == j, x[i - 1, c] + 0.5 * x[i, c], x[i, c]))

    return fold(a, column, count=a.size(1))


@function
def from_one_row(a: Matrix) -> Matrix:
    def column(j: Any, x: Matrix) -> Matrix:
        return array(lambda i, c: where(c == j, x[1, i // 1] + x[i, c], x[i, c]))

    return fold(a, column, count=a.size(1))


@function
def after_a_sum(a: Matrix) -> Matrix:
    def step(j: Any, x: Matrix) -> Matrix:
        total = fold_sum(lambda i: x[i, j] * x[j, i], count=a.size(0))
        return array(lambda i, c: 0.5 * x[i, c] + total / 64.0)

    return fold(a, step, count=a.size(1))


@function
def two_arrays(a: Matrix) -> tuple[Matrix, Matrix]:
    """The second array is computed in the loop of the first, from other elements of it."""

    def step(j: Any, state: Any) -> Any:
        x, y = state
        return (
            array(lambda i, c: 0.5 * x[i, c] + y[i, c]),
            array(lambda i, c: x[i, c + 1] - 0.25 * y[i, c]),
        )

    return fold((a, a), step, count=a.size(1))


@function
def changing_places(a: Matrix) -> tuple[Matrix, Matrix]:
    def step(j: Any, state: Any) -> Any:
        x, y = state
        return array(lambda i, c: y[i, c] + 1.0), array(lambda i, c: 0.5 * x[i, c])

    return fold((a, a), step, count=a.size(1))


def _with(x: Matrix, i: Any, j: Any, value: Any) -> Matrix:
    return array(lambda p, q: where((p == i) & (q == j), value, x[p, q]))


@function
def rows_of_cells(a: Matrix) -> Matrix:
    """A loop in each step replaces the elements of a row, one after the other."""

    def row(i: Any, x: Matrix) -> Matrix:
        def cell(j: Any, x: Matrix) -> Matrix:
            return _with(x, i, j, x[i, j] + 0.5 * x[i, j - 1] + 0.25 * x[i - 1, j])

        return fold(x, cell, count=a.size(1))

    return fold(a, row, count=a.size(0))


@function
def cells_and_total(a: Matrix) -> tuple[Matrix, Float]:
    """The matrix is a field of what both loops carry."""

    def row(i: Any, state: Any) -> Any:
        def cell(j: Any, state: Any) -> Any:
            x, total = state
            return _with(x, i, j, 0.5 * (x[i, j] + x[i, j + 1])), total + 0.125 * x[i, j]

        return fold(state, cell, count=a.size(1))

    return fold((a, 0.0), row, count=a.size(0))


@function
def read_after_the_loop(a: Matrix) -> Matrix:
    """A step still reads the old matrix after the loop that replaces its elements."""

    def row(i: Any, x: Matrix) -> Matrix:
        y = fold(x, lambda j, y: _with(y, i, j, y[i, j - 1] + 1.0), count=a.size(1))
        total = fold_sum(lambda j: x[i, j], count=a.size(1))
        return fold(y, lambda j, y: _with(y, j, i, y[j, i] - 0.125 * total), count=a.size(0))

    return fold(a, row, count=a.size(0))


@function
def loops_change_places(a: Matrix) -> tuple[Matrix, Matrix]:
    """The results of the loops are carried in each other's place."""

    def row(i: Any, state: Any) -> Any:
        x, y = state
        u = fold(x, lambda j, u: _with(u, i, j, 0.5 * u[i, j - 1] + 1.0), count=a.size(1))
        v = fold(y, lambda j, v: _with(v, i, j, 0.25 * v[i, j + 1] - 1.0), count=a.size(1))
        return v, u

    return fold((a, a), row, count=a.size(0))


@function
def one_loop_twice(a: Matrix) -> tuple[Matrix, Matrix]:
    """Both arrays go on with the result of one loop."""

    def row(i: Any, state: Any) -> Any:
        x, _ = state
        u = fold(x, lambda j, u: _with(u, i, j, 0.5 * u[i, j - 1] + 1.0), count=a.size(1))
        return u, u

    return fold((a, a), row, count=a.size(0))


@function
def whole_matrix_in_a_loop(a: Matrix) -> Matrix:
    """The loop in a step needs a second buffer: all elements change at once."""

    def row(i: Any, x: Matrix) -> Matrix:
        def mix(j: Any, x: Matrix) -> Matrix:
            return array(lambda p, q: 0.5 * (x[p, q] + x[p, q + 1]))

        return fold(x, mix, count=i)

    return fold(a, row, count=a.size(0))


@function
def shortest_paths(a: Matrix) -> Matrix:
    """Each step reads a row and a column of the old matrix; both change if a length is negative."""

    def step(k: Any, x: Matrix) -> Matrix:
        return array(lambda i, j: x[i, j].min(x[i, k] + x[k, j]))

    return fold(a, step, count=a.size(0).min(a.size(1)))


@function
def elimination(a: Matrix) -> tuple[Matrix, Float]:
    """The matrix is a field; the pivot is read too."""

    def step(k: Any, state: Any) -> Any:
        x, total = state
        pivot = x[k, k] * x[k, k] + 1.0
        return (
            array(lambda i, j: where(i > k, x[i, j] - x[i, k] * x[k, j] / pivot, x[i, j])),
            total + pivot,
        )

    return fold((a, 0.0), step, count=a.size(0))


@function
def transposed(a: Matrix) -> Matrix:
    """The element at exchanged indices is no slice."""

    def step(k: Any, x: Matrix) -> Matrix:
        return array(lambda i, j: 0.5 * x[j, i] + 0.25 * x[k, j], size=(a.size(0), a.size(1)))

    return fold(a, step, count=a.size(0))


@function
def pivots(a: Matrix) -> Matrix:
    """Each step computes two matrices, one from the other: a column, and then the rest."""

    def step(k: Any, x: Matrix) -> Matrix:
        y = array(lambda i, j: where((j == k) & (i > k), x[i, j] / (x[k, k] ** 2 + 1.0), x[i, j]))
        return array(lambda i, j: where((i > k) & (j > k), y[i, j] - y[i, k] * y[k, j], y[i, j]))

    return fold(a, step, count=a.size(0))


@function
def old_after_new(a: Matrix) -> Matrix:
    """The old matrix is still read in the second comprehension, or at other places."""

    def step(k: Any, x: Matrix) -> Matrix:
        y = array(lambda i, j: where(j == k, x[i, j] + x[k, j].tanh(), x[i, j]))
        z = array(lambda i, j: where(i == k, y[i, j] + x[i, j].tanh(), y[i, j]))
        return array(lambda i, j: 0.25 * z[i, j] + z[k, j] - 0.5 * y[i, j].tanh())

    return fold(a, step, count=a.size(0))


@function
def two_from_one(a: Matrix) -> tuple[Matrix, Matrix]:
    """Both next values are computed from one matrix of the step."""

    def step(k: Any, state: Any) -> Any:
        x, y = state
        z = array(lambda i, j: where(j == k, x[i, k] * y[i, j].tanh(), x[i, j]))
        return array(lambda i, j: z[i, j] - z[k, j]), array(lambda i, j: 0.5 * z[i, j] + y[i, j])

    return fold((a, a), step, count=a.size(0))


@function
def intervals(a: Matrix) -> Matrix:
    """A step replaces a diagonal, and reads those before it in other rows and columns."""
    n = a.size(0)

    def longer(t: Any, c: Matrix) -> Matrix:
        def cell(i: Any, j: Any) -> Any:
            best = fold_min(lambda k: c[i, i + k] + c[i + k + 1, i + t + 1], count=t + 1)
            return where(j == i + t + 1, best + a[j, 0], c[i, j])

        return array(cell, size=(n, n))

    return fold(array(lambda i, j: 0.5 * a[i, 0], size=(n, n)), longer, count=n)


@function
def clipped_neighbours(a: Matrix) -> Matrix:
    """A diagonal of the neighbours before it, at positions that the program clips."""
    n = a.size(0)

    def longer(d: Any, c: Matrix) -> Matrix:
        def cell(i: Any, j: Any) -> Any:
            other = c[min(i + 1, n - 1), j] - 0.5 * c[i, max(j - 1, 0)]
            return where(j == i + d, where(d == 0, a[i, 0], 0.25 * other + a[j, 0]), c[i, j])

        return array(cell, size=(n, n))

    return fold(array(lambda i, j: 0.5 * a[i, 0], size=(n, n)), longer, count=n)


@function
def diagonal_from_itself(a: Matrix) -> Matrix:
    """A step reads the elements that other rows replace, on either side."""
    n = a.size(0)

    def longer(t: Any, c: Matrix) -> Matrix:
        def cell(i: Any, j: Any) -> Any:
            other = c[i + 1, i + t + 2] - 0.5 * c[i - 1, i + t] + a[j, 0]
            return where(j == i + t + 1, 0.25 * other + c[i, j], c[i, j])

        return array(cell, size=(n, n))

    return fold(array(lambda i, j: a[i, 0] + a[j, 0], size=(n, n)), longer, count=n)


@function
def clipped_diagonal(a: Matrix) -> Matrix:
    """Positions beyond the last row are clipped to one that is replaced."""
    n = a.size(0)

    def longer(t: Any, c: Matrix) -> Matrix:
        def cell(i: Any, j: Any) -> Any:
            return where(j == i - t, c[i + 2, i + t + 2] + a[j, 0], c[i, j])

        return array(cell, size=(n, n))

    return fold(array(lambda i, j: a[i, 0] + a[j, 0], size=(n, n)), longer, count=n)


@function
def rows_before(a: Matrix) -> Matrix:
    """Each row from neighbours in the row before it."""
    n, m = a.size(0), a.size(1)

    def step(k: Any, x: Matrix) -> Matrix:
        least = lambda j: min(x[k, j], x[k, max(j - 1, 0)], x[k, min(j + 1, m - 1)])  # noqa: E731
        new = array(lambda j: a[k + 1, j] + least(j), size=m)
        return array(lambda i, j: where(i == k + 1, new[j], x[i, j]), size=(n, m))

    return fold(a, step, count=max(n, 1) - 1)


@function
def rows_around(a: Matrix) -> Matrix:
    """The row after the last one is the first: of a matrix of one row it is the same."""
    n, m = a.size(0), a.size(1)

    def step(k: Any, x: Matrix) -> Matrix:
        new = array(lambda j: a[k, j] - 0.5 * x[k, m - 1 - j], size=m)
        return array(lambda i, j: where(i == (k + 1) % n, new[j], x[i, j]), size=(n, m))

    return fold(a, step, count=n)


@function
def rows_to_the_last(a: Matrix) -> Matrix:
    """The row after the last one is the last."""
    n, m = a.size(0), a.size(1)

    def step(k: Any, x: Matrix) -> Matrix:
        new = array(lambda j: a[k, j] - 0.5 * x[k, m - 1 - j], size=m)
        return array(lambda i, j: where(i == min(k + 1, n - 1), new[j], x[i, j]), size=(n, m))

    return fold(a, step, count=n)


@function
def band(a: Matrix) -> Matrix:
    """A factorisation of a matrix by its band: a column changes those after it, then itself."""
    w, n = a.size(0), a.size(1)

    def column(j: Any, x: Matrix) -> Matrix:
        d = sqrt(abs(x[0, j]) + 1.0)

        def element(b: Any, i: Any) -> Any:
            s = i - j
            is_later = (i > j) & (s < w) & (s + b < w)
            other = x[b, i] - x[min(s, w - 1), j] / d * (x[min(s + b, w - 1), j] / d)
            own = where(b == 0, d, x[b, j] / d)
            return where(i == j, own, where(is_later, other, x[b, i]))

        return array(element, size=(w, n))

    return fold(a, column, count=n)


@function
def slices_at_other_positions(a: Matrix) -> Matrix:
    """Positions in a column and a row that are no indices, beyond the ends and backwards."""
    n, m = a.size(0), a.size(1)

    def step(k: Any, x: Matrix) -> Matrix:
        def element(i: Any, j: Any) -> Any:
            column = x[i + j - 1, k] + x[n - 1 - i, k] - x[2 * i, m - 1]
            row = fold_sum(lambda t: x[k, j - t] + x[k, j], count=2)
            changed = (j - k < 2) & (k - i <= 1) & (1 - j + k <= 2)
            return x[i, j] + where(changed, 0.1 * column + 0.2 * row, 0.0)

        return array(element, size=(n, m))

    return fold(a, step, count=min(n, m))


@function
def slices_of_a_later_array(a: Matrix) -> Matrix:
    """The second comprehension of a step reads slices of the old matrix, the third an element."""
    n, m = a.size(0), a.size(1)

    def step(k: Any, x: Matrix) -> Matrix:
        y = array(lambda i, j: x[i, j] + 0.5 * x[i, k] * x[k, j], size=(n, m))
        z = array(lambda i, j: y[i, j] - 0.5 * x[n - 1 - i, k] + x[k, j + 1], size=(n, m))
        return array(lambda i, j: where(j == k, x[i, k] + z[i, j], z[i, j] + x[k, k]), size=(n, m))

    return fold(a, step, count=m)


@function
def old_elements_of_a_later_array(a: Matrix) -> Matrix:
    """The second comprehension of a step reads elements, and a row that the first one chooses."""
    n, m = a.size(0), a.size(1)

    def step(k: Any, x: Matrix) -> Matrix:
        y = array(lambda i, j: x[i, j] + 0.5 * x[i, k], size=(n, m))
        p = where(y[0, 0] > x[0, 0], 1, 0)
        return array(lambda i, j: y[i, j] - 0.5 * x[p, j] + 0.25 * x[i, j - 1], size=(n, m))

    return fold(a, step, count=m)


PROGRAMS: dict[str, Function] = {
    f.__name__: f
    for f in (
        columns,
        from_own_row,
        from_another_row,
        from_one_row,
        after_a_sum,
        two_arrays,
        changing_places,
        rows_of_cells,
        cells_and_total,
        read_after_the_loop,
        loops_change_places,
        one_loop_twice,
        whole_matrix_in_a_loop,
        shortest_paths,
        elimination,
        transposed,
        pivots,
        old_after_new,
        two_from_one,
        intervals,
        clipped_neighbours,
        diagonal_from_itself,
        clipped_diagonal,
        rows_before,
        rows_around,
        rows_to_the_last,
        band,
        slices_at_other_positions,
        slices_of_a_later_array,
        old_elements_of_a_later_array,
    )
}


@pytest.mark.one_turn
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_agree(name: str, dtype: str) -> None:
    rng = np.random.default_rng(5)
    text = PROGRAMS[name].ir("phi", np.ones((1, 1), dtype))
    native, naive = (compile(text, backend=backend) for backend in ("native", "naive"))
    for shape in ((0, 0), (0, 2), (1, 1), (2, 2), (5, 5), (3, 4), (4, 3), (17, 6)):
        given = rng.normal(size=shape).astype(dtype)
        before = given.copy()
        tolerance = {"float64": 1e-10, "float32": 1e-3}
        assert_agree(native(given), naive(given), tolerance, f"{name} of {shape}")
        np.testing.assert_array_equal(given, before)


@pytest.mark.parametrize(
    "name",
    [
        *("columns", "from_own_row", "after_a_sum", "shortest_paths", "elimination"),
        *("intervals", "clipped_neighbours", "rows_before", "band", "slices_at_other_positions"),
    ],
)
def test_no_step_copies_the_matrix(name: str) -> None:
    module = run_pipeline(PROGRAMS[name].phi(), "loops")
    assert max(_carried_matrices(module)) <= 1
    _check_allocations(module)


@pytest.mark.parametrize("name", ["diagonal_from_itself", "clipped_diagonal", "pivots"])
def test_dependent_steps_take_a_second_matrix(name: str) -> None:
    """Those of ``pivots`` write the rows and columns behind the pivot to it, in the same time."""
    assert 2 in _carried_matrices(run_pipeline(PROGRAMS[name].phi(), "loops"))


def _carried_matrices(module: ModuleOp) -> list[int]:
    """The number of matrices that each loop carries: none if steps write a matrix before it."""
    loops = (op for op in module.walk() if isinstance(op, scf.ForOp))
    return [sum(_is_matrix(v.type) for v in op.iter_args) for op in loops]


@pytest.mark.parametrize("name", ["rows_of_cells", "cells_and_total"])
def test_loops_in_steps_take_the_matrix_over(name: str) -> None:
    _check_allocations(run_pipeline(PROGRAMS[name].phi(), "loops"))


def _check_allocations(module: ModuleOp) -> None:
    """No step allocates or copies a matrix."""
    for op in module.walk():
        if isinstance(op, memref.AllocOp) and _is_matrix(op.memref.type):
            loops = [each for each in around(op.parent_op()) if isinstance(each, scf.ForOp)]
            assert not loops or isinstance(op.parent_op(), scf.IfOp)


def _is_matrix(type_: Any) -> bool:
    return isinstance(type_, MemRefType) and type_.get_num_dims() == 2


def test_merged_arrays_are_written_in_place() -> None:
    """No step allocates memory."""
    module = run_pipeline(two_arrays.phi(), "loops")
    for op in module.walk():
        if isinstance(op, memref.AllocOp):
            loops = [each for each in around(op.parent_op()) if isinstance(each, scf.ForOp)]
            assert not loops or isinstance(op.parent_op(), scf.IfOp)


@function
def relaxed(a: Matrix) -> Matrix:
    """Distances by way of each vertex: most elements stay in a step."""

    def through(k: Any, x: Matrix) -> Matrix:
        return array(lambda i, j: min(x[i, j], x[i, k] + x[k, j]))

    return fold(a, through, count=a.size())


@function
def raised(a: Matrix) -> Matrix:
    def through(k: Any, x: Matrix) -> Matrix:
        return array(lambda i, j: max(x[i, k] - x[k, j], x[i, j]))

    return fold(a, through, count=a.size())


def test_columns_are_read_in_rows() -> None:
    """A step of many rows copies no column of what it overwrites."""
    module = run_pipeline(relaxed.phi(), "loops")
    nests = [op for op in module.walk() if isinstance(op, scf.ParallelOp)]
    assert any(isinstance(op.parent_op(), scf.ParallelOp) for op in nests)


@pytest.mark.one_turn
@pytest.mark.parametrize("program", [relaxed, raised])
@pytest.mark.parametrize("n", [0, 1, 2, 9, 19])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_extremes_in_place(program: Function[..., Any], n: int, dtype: Any):
    """NaN is the result if either is NaN, the old element or the new one."""
    rng = np.random.default_rng(n)
    a = rng.normal(size=(n, n)).astype(dtype)
    exact = {"float64": 0.0, "float32": 0.0}
    assert_agree(program.native(a), program.eval(a, backend="naive"), exact)
    if n > 1:
        a[rng.integers(n), rng.integers(n)] = np.nan
        a[0, 1], a[1, 0] = np.inf, -np.inf
        assert_agree(program.native(a), program.eval(a, backend="naive"), exact)
