"""Tables whose sizes, and counts of loops, are arguments: in a step these are not negative."""

from __future__ import annotations

from typing import Any

import pytest

from ein_mlir import Function, Int, array, fold, function, where
from tests.agreement.comparison import assert_agree
from tests.libraries import in_64_bits, on


def put(t: Any, i: Any, j: Any, x: Any) -> Any:
    return array(lambda p, q: where((p == i) & (q == j), x, t[p, q]))


@function
def pascal(n: Int):
    """A size above the counts."""
    table = array(lambda i, j: where(j == 0, 1, 0), size=(n + 1, n + 1))

    def row(i: Any, t: Any):
        def cell(j: Any, t: Any):
            return put(t, i + 1, j + 1, t[i, j] + t[i, j + 1])

        return fold(t, cell, count=n)

    return fold(table, row, count=n)


@function
def pascal_with_cases(n: Int):
    """The sizes are the counts; cases where a position is out of bounds."""

    def row(i: Any, t: Any):
        def cell(j: Any, t: Any):
            above = t[i - 1, j] + where(j > 0, t[i - 1, j - 1], 0)
            return put(t, i, j, where(i == 0, where(j == 0, 1, 0), above))

        return fold(t, cell, count=n)

    return fold(array(lambda i, j: 0, size=(n, n)), row, count=n)


@function
def stirling(n: Int, m: Int):
    """Two arguments; the table is written from the end of each row."""
    table = array(lambda i, j: where((i == 0) & (j == 0), 1.0, 0.0), size=(n + 1, m + 1))

    def row(i: Any, t: Any):
        def cell(k: Any, t: Any):
            j = m - k
            return put(t, i + 1, j, t[i, j - 1] + j.float() * t[i, j])

        return fold(t, cell, count=m)

    return fold(table, row, count=n)


@function
def ahead(n: Int, m: Int):
    """A step reads what the next one writes, and clips where m is the larger argument."""
    table = array(lambda i, j: 1.0 * i.float() + j.float(), size=(n, n))

    def row(i: Any, t: Any):
        def cell(j: Any, t: Any):
            return put(t, i, j, t[i, j + 1] + t[i, j])

        return fold(t, cell, count=m)

    return fold(table, row, count=n)


def outcome(program: Function[..., Any], arguments: tuple[int, ...], backend: str) -> Any:
    """The results of a call, or whether a size is negative."""
    try:
        return program.eval(*arguments, backend=backend)
    except ValueError as error:
        return "is negative" in str(error)


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize("program", [pascal, pascal_with_cases, stirling, ahead])
def test_tables(program: Function[..., Any], backend: str) -> None:
    sizes = [(n,) for n in (-2, -1, 0, 1, 2, 5)]
    if program in (stirling, ahead):
        sizes = [(0, 0), (1, 2), (2, 1), (4, 3), (3, 5), (0, -1), (2, -1), (-1, 2)]
    for arguments in sizes:
        expected = outcome(program, arguments, "naive")
        with in_64_bits(backend):
            found = outcome(program, arguments, backend)
        if isinstance(expected, bool):
            assert found is expected, f"{arguments}"
        else:
            assert_agree(found, expected, {"float64": 1e-12}, f"{arguments}")


@pytest.mark.parametrize("program", [pascal, pascal_with_cases, stirling])
def test_rows_are_written_as_a_whole(program: Function[..., Any]) -> None:
    arguments = (9, 9) if program is stirling else (9,)
    assert "writes each element of t once" in program.explain(*arguments, backend="numpy")
    assert program.source(*arguments, backend="numpy").count("\n        for ") <= 1
