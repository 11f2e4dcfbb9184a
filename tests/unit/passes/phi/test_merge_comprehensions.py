"""Values are unchanged by merging, and the time is linear."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.entry import parse
from ein_mlir.passes.phi.merge_comprehensions import MergeComprehensionsPass
from tests.fuzzing.phi import programs
from tests.selection import examples
from tests.unit.passes.large_programs import applied, assert_near_linear, chains, nests, outcome


@settings(max_examples=examples(150))
@given(programs(), st.integers(0, 3), st.integers(-1, 3))
def test_evaluation_is_unchanged(text: str, size: int, n: int) -> None:
    """The error of an unused value may be lost, but no error is added."""
    module = parse(text)
    expected = outcome(module, size, n)
    MergeComprehensionsPass().apply(Context(), module)
    module.verify()
    check_dominance(module)
    if expected is not None:
        assert outcome(module, size, n) == expected


@pytest.mark.one_turn
@pytest.mark.parametrize("program", [nests, chains])
def test_the_time_is_linear(program: Callable[[int], ModuleOp]) -> None:
    assert_near_linear(applied(MergeComprehensionsPass()), program=program)
