"""Positions that are sums of variables, solved for variables."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.inverse_positions import beyond_ends, inverses

H, J, K, N, M, W = Block(arg_types=[IndexType(), IndexType(), i64, i64, i64, i64]).args
i, j, k, n, m, w = map(LinearForm.of, (H, J, K, N, M, W))
SIZES: dict[SSAValue, LinearForm] = {H: n, J: m, K: w}


def solved(*positions: LinearForm) -> dict[int, tuple[object, LinearForm]] | None:
    """The variable of each axis, and its solution where all positions are 0."""
    found = inverses(positions, SIZES)
    if found is None:
        return None
    return {each.axis: (each.variable, each.solution(LinearForm())) for each in found}


def test_indices_are_solved_before_counters() -> None:
    assert solved(i + k - 2) == {0: (H, -k + 2)}
    assert solved(n - 1 - i) == {0: (H, n - 1)}
    assert solved(k * 3 - j, i) == {0: (J, k * 3), 1: (H, LinearForm())}


def test_an_equation_follows_those_that_it_needs() -> None:
    assert solved(i + j, i) == {1: (H, LinearForm()), 0: (J, -i)}
    assert [each.axis for each in inverses([i + j, i], SIZES) or ()] == [1, 0]


def test_each_variable_is_solved_once() -> None:
    assert solved(i, i) is None
    assert solved(n) is None
    assert solved(i + j, i - j) is None


def test_elements_are_no_sums_over_all_steps_of_a_large_loop() -> None:
    """``2 * i + k`` for a window: an element for each ``k`` is cheap, one for each ``i`` is not."""
    assert solved(i * 2 + k) is None
    assert solved(i + k * 9) is None
    few: dict[SSAValue, LinearForm] = {**SIZES, J: LinearForm.number(4)}
    assert [each.variable for each in inverses([i + j], few) or ()] == [H]


def test_positions_beyond_the_ends() -> None:
    assert beyond_ends(i + k, n + w - 1, SIZES) == (0, 0)
    assert beyond_ends(i - 2, n, SIZES) == (2, 0)
    assert beyond_ends(n - i, n, SIZES) == (0, 1)
    assert beyond_ends(i + k, n, SIZES) is None
    assert beyond_ends(i, m, SIZES) is None
    assert beyond_ends(i + 2**20, n, SIZES) is None
