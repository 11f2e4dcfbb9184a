"""Random Ein functions, compiled, agree with the reference interpreter.

They agree in each call, return fresh arrays, and change no argument.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ein_mlir import EinTypeError
from tests.agreement.comparison import assert_agree, leaves
from tests.agreement.comparison import given as as_arrays_of
from tests.agreement.random_functions import function_of, make_arguments, write_function
from tests.libraries import on

TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, tuple[Any, ...], str]:
    """The text of a function, arguments for it, and the dtype of their Floats."""
    dtype = draw(st.sampled_from(sorted(TOLERANCE, reverse=True)))
    return write_function(draw), make_arguments(draw, dtype), dtype


def assert_same(call: tuple[str, tuple[Any, ...], str], backend: str) -> None:
    """Two calls agree with the interpreter, if the program is well typed and raises no error."""
    text, values, dtype = call
    run = function_of(text, dtype)
    try:
        expected = leaves(run.eval(*values, backend="naive"))
    except (ValueError, EinTypeError):
        return
    arguments = [as_arrays_of(v, "torch" if backend == "torch" else "numpy") for v in values]
    given_arrays = [np.asarray(v) for v in arguments if not np.isscalar(v)]
    found = [leaves(run.eval(*arguments, backend=backend)) for _ in range(2)]
    for actual in found:
        assert_agree(actual, expected, TOLERANCE, text)
    arrays = [*given_arrays, *(np.asarray(a) for actual in found for a in actual)]
    for number, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[number + 1 :]), text
    for value, after in zip(values, arguments, strict=True):
        np.testing.assert_array_equal(np.asarray(after), value, text)


@settings(max_examples=60)
@given(calls())
def test_random_functions(call: tuple[str, tuple[Any, ...], str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(call, "numpy")


@pytest.mark.parametrize("backend", on("torch", "jax", "native"))
@settings(max_examples=10)
@given(call=calls())
def test_random_functions_of_other_libraries(
    backend: str, call: tuple[str, tuple[Any, ...], str]
) -> None:
    assert_same(call, backend)
