"""Calls and attributes of compiled functions; their mistakes are in the catalogue of messages."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from ein_mlir import array, compile, function
from ein_mlir.errors import EinTypeError

A = np.array([1.0, 2.0])


@function
def scaled(a, k, b):
    return array(lambda i: k * a[i] + b[i])


COMPILED = compile(scaled.phi(A, 2.0, A))


@pytest.mark.parametrize(
    ("args", "named"),
    [((A,), {"b": A + 1, "k": 3.0}), ((), {"b": A + 1, "a": A, "k": 3.0}), ((A, 3.0, A + 1), {})],
)
def test_arguments_by_name(args, named):
    np.testing.assert_array_equal(COMPILED(*args, **named), [5.0, 9.0])


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((A, 3.0), {"a": A}, "no further argument 'a'"),
        ((A, 3.0), {"c": A}, "no further argument 'c'"),
        ((A,), {"b": A}, "takes 3 arguments, got 2"),
    ],
)
def test_other_names(args, named, message):
    with pytest.raises(EinTypeError, match=message):
        COMPILED(*args, **named)


def test_a_function_has_attributes_of_the_user():
    scaled.calls = 3  # pyright: ignore
    assert scaled.calls == 3  # pyright: ignore
    del scaled.calls  # pyright: ignore
    assert not hasattr(scaled, "calls")
    assert not hasattr(COMPILED, "calls")


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f))]
)
def test_copies(again):
    np.testing.assert_array_equal(again(COMPILED)(A, 3.0, A + 1), [5.0, 9.0])
