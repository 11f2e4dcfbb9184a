"""Random programs, compiled for NumPy, agree with the reference interpreter.

A compiled program may miss the error of an unused value. It raises no other error, and computes
no other value. Reductions by a random body are left out: most are not associative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ein_mlir.compiler import CompiledFunction, compile
from tests.agreement.comparison import leaves
from tests.unit.passes.random_programs import arguments, programs


def outcome(program: CompiledFunction, values: list[Any]) -> list[Any] | None:
    """The arrays of the results; None if the program raises an error."""
    try:
        return list(map(np.asarray, leaves(program(*values))))
    except ValueError:
        return None


@settings(max_examples=100)
@given(programs(), st.integers(0, 3), st.integers(-1, 3))
def test_random_programs(text: str, size: int, n: int) -> None:
    assume("by (" not in text)
    values = arguments(size, n)
    expected = outcome(compile(text, "f", backend="naive"), values)
    actual = outcome(compile(text, "f"), values)
    if expected is None:
        return
    assert actual is not None
    for a, e in zip(actual, expected, strict=True):
        assert (a.shape, a.dtype) == (e.shape, e.dtype)
        np.testing.assert_allclose(a, e, rtol=1e-9, atol=1e-9)
