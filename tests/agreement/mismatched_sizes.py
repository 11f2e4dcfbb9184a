"""Arrays whose sizes do not fit: each backend raises the error of the reference interpreter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ein_mlir import Function
from tests.agreement.comparison import given


def _changed(arguments: Sequence[Any]) -> Iterator[list[Any]]:
    """The arguments with one element more along one axis of one array."""
    for number, array in enumerate(arguments):
        for axis in range(array.ndim if isinstance(array, np.ndarray) else 0):
            if array.shape[axis]:
                longer = np.concatenate([array, np.take(array, [0], axis)], axis)
                yield [*arguments[:number], longer, *arguments[number + 1 :]]


def _error(function: Function, arguments: Sequence[Any], backend: str) -> str | None:
    try:
        function.eval(*arguments, backend=backend)
    except ValueError as error:
        return str(error)
    return None


def assert_same_errors(function: Function, arguments: Sequence[Any], backend: str) -> None:
    """Assert that a backend raises the errors of the interpreter where one axis is longer.

    JAX compiles for each shape, which takes long, and compares sizes as PyTorch does.
    """
    if backend == "jax":
        return
    library = "torch" if backend == "torch" else "numpy"
    for changed in _changed(arguments):
        actual = _error(function, [given(each, library) for each in changed], backend)
        assert actual == _error(function, changed, "naive")
