"""Positions that are sums of variables, solved for variables."""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.arithmetic.inverses import (
    End,
    Steps,
    beyond_ends,
    inverses,
    is_implied,
    restrict,
)
from ein_mlir.analysis.predicates import NEGATED, Relation

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


def nonpositive(difference: LinearForm, predicate: str, expected: bool) -> LinearForm:
    """The form that is at most 0 where ``d < 0`` or the like holds, or does not."""
    relation = Relation(N, predicate if expected else NEGATED[predicate], N)
    found = relation.nonpositive(difference, LinearForm())
    assert found is not None
    return found


def beyond(
    position: LinearForm, extent: LinearForm, *differences: tuple[LinearForm, str, bool]
) -> tuple[End, End] | None:
    """The positions beyond the ends of the steps with comparisons ``d < 0`` or the like."""
    steps = {each: Steps(LinearForm(), size - 1) for each, size in SIZES.items()}
    limits = list[LinearForm]()
    for each in differences:
        limits.append(nonpositive(*each))
        restrict(steps, limits[-1])
    return beyond_ends(position, extent, steps, limits, lambda form: W not in form.coefficients)


def test_positions_beyond_the_ends() -> None:
    assert beyond(i + k, n + w - 1) == (0, 0)
    assert beyond(i - 2, n) == (2, 0)
    assert beyond(n - i, n) == (0, 1)
    assert beyond(i + k, n) is None
    assert beyond(i, m) == (0, n - m)
    assert beyond(i + 2**20, n) is None


def test_comparisons_restrict_steps() -> None:
    less, at_most, greater, at_least = "slt", "sle", "sgt", "sge"
    assert beyond(i - 2, n, (i - 1, greater, True)) == (0, 0)
    assert beyond(i - 2, n, (i - 1, at_least, True)) == (1, 0)
    assert beyond(i - 2, n, (-i, less, True)) == (1, 0)
    assert beyond(i - 2, n, (i - 1, at_most, False)) == (0, 0)
    assert beyond(i + 1, n, (i - n + 1, less, True)) == (0, 0)
    assert beyond(i + 1, n, (i - n + 1, at_most, True)) == (0, 1)
    assert beyond(i + 1, n, (n - 1 - i, at_most, False)) == (0, 0)
    for unrelated in (i - m, i - j, i * 2 - 4):
        assert beyond(i - 2, n, (unrelated, greater, True)) == (2, 0)


def test_comparisons_of_positions_keep_them_within_the_ends() -> None:
    less, at_least = "slt", "sge"
    assert beyond(i + k - 1, n, (i + k - 1, at_least, True)) is None
    inside = (i + k - 1, at_least, True), (i + k - 1 - n, less, True)
    assert beyond(i + k - 1, n, *inside) == (0, 0)
    assert beyond(i + k - 1, n, (i + k, at_least, True), inside[1]) == (1, 0)
    below, above = (nonpositive(*each) for each in inside)
    assert is_implied(below, i + k - 1, n)
    assert is_implied(above, i + k - 1, n)
    assert not is_implied(below + 1, i + k - 1, n)
    assert not is_implied(above, i + k - 2, n)


def test_only_comparisons_make_tests_of_steps_needless() -> None:
    steps: dict[SSAValue, Steps] = {H: Steps(LinearForm(), n - 1)}
    assert not steps[H].is_after(0)
    assert not steps[H].is_before(n - 1)
    restrict(steps, -i + 1)
    restrict(steps, i - n + 2)
    assert steps[H].is_after(0)
    assert steps[H].is_before(n - 1)
