"""The table of the agreement tests shows their omissions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.agreement_table import Cell, comparisons, table

TESTS = """
import pytest

@pytest.mark.parametrize("size", [0, 1])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("backend", ["numpy", "torch"])
@pytest.mark.parametrize("name", ["sum_of_squares", pytest.param("other", marks=pytest.mark.skip)])
def test_some(name, backend, dtype, size):
    assert (backend, dtype, size) != ("torch", "float32", 1)
"""


@pytest.mark.one_turn
def test_what_is_skipped_or_fails_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "test_some.py"
    path.write_text(TESTS)
    collected = comparisons([str(path)], run=False)
    assert collected[Cell("sum_of_squares", "torch", "float32")]
    assert not collected[Cell("other", "numpy", "float64")]
    run = comparisons([str(path)], run=True)
    assert not run[Cell("sum_of_squares", "torch", "float32")]
    assert table(run).splitlines() == [
        "| numpy | torch | jax | native | programs |",
        "|---|---|---|---|---|",
        "| f64 f32 | f64 | — | — | sum of squares |",
        "| — | — | — | — | other |",
    ]
