"""Values are unchanged by sharing, and the time is linear."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.context import Context

from ein_mlir.analysis.dominance import check_dominance
from ein_mlir.entry import parse
from ein_mlir.passes.phi.share_elements import ShareElementsPass
from tests.fuzzing.phi import programs
from tests.selection import examples
from tests.unit.passes.large_programs import applied, assert_near_linear, outcome


@settings(max_examples=examples(150))
@given(programs(), st.integers(0, 3), st.integers(-1, 3), st.booleans())
def test_evaluation_is_unchanged(text: str, size: int, n: int, folds: bool) -> None:
    """The error of an unused value may be lost, but no error is added."""
    module = parse(text)
    expected = outcome(module, size, n)
    ShareElementsPass(folds=folds).apply(Context(), module)
    module.verify()
    check_dominance(module)
    if expected is not None:
        assert outcome(module, size, n) == expected


@pytest.mark.one_turn
def test_the_time_is_linear() -> None:
    assert_near_linear(applied(ShareElementsPass()))
