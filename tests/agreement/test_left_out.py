"""Each pass can be left out: programs compute the same without it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from ein_mlir import function
from ein_mlir.runtimes import BACKENDS
from tests.agreement.comparison import assert_agree, given, leaves
from tests.agreement.programs import PROGRAMS

PROGRAMS_OF_PASSES = (
    "nested_fields",
    "padded_filters",
    "pairwise_l1",
    "prefixes_and_suffixes",
    "reduce_of_records",
    "searches",
    "selections_written_in_other_ways",
    "softmax_rows",
    "sums_of_terms",
    "updates_of_matrices",
    "waves",
    "window",
)
"""Programs that contain, together, the candidates of each pass."""


def inputs(name: str, size: int) -> tuple[Any, ...]:
    return PROGRAMS[name].inputs(size, np.float64, np.random.default_rng(size))


@cache
def expected(name: str, size: int) -> list[Any]:
    return leaves(PROGRAMS[name].function.eval(*inputs(name, size), backend="naive"))


@pytest.mark.every_turn
@pytest.mark.parametrize("left_out", sorted(set(BACKENDS["numpy"].pipeline)))
def test_each_pass_can_be_left_out(left_out: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if left_out.startswith("convert-"):
        pytest.skip("a lowering cannot be left out")
    numpy = BACKENDS["numpy"]
    pipeline = tuple(flag for flag in numpy.pipeline if flag != left_out)
    monkeypatch.setitem(BACKENDS, "numpy", replace(numpy, pipeline=pipeline))
    for name in PROGRAMS_OF_PASSES:
        run = function(PROGRAMS[name].function.__wrapped__)
        for size in (0, 1, 4):
            arguments = [given(value, "numpy") for value in inputs(name, size)]
            actual = run.eval(*arguments, backend="numpy")
            assert_agree(leaves(actual), expected(name, size), {"float64": 1e-12}, f"{name} {size}")
