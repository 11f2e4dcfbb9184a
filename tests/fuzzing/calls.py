"""The forms of calls: arguments as views, other sizes before, and several threads at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

THREADS = 3


def _each_second(array: NDArray[Any]) -> NDArray[Any]:
    """The array as every second element, along each axis, of a larger one."""
    buffer = np.ones([2 * size for size in array.shape], array.dtype)
    view = buffer[tuple(slice(None, None, 2) for _ in array.shape)]
    view[...] = array
    return view


def _backwards(array: NDArray[Any]) -> NDArray[Any]:
    """The array as a view with negative strides."""
    turned = tuple(slice(None, None, -1) for _ in array.shape)
    return np.ascontiguousarray(array[turned])[turned]


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    array = array.copy()
    array.flags.writeable = False
    return array


def _unaligned(array: NDArray[Any]) -> NDArray[Any]:
    """The array at an odd address."""
    buffer = np.zeros(array.nbytes + 1, np.uint8)[1:]
    view = np.ndarray(array.shape, array.dtype, buffer)
    view[...] = array
    return view


LAYOUTS: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "each second element": _each_second,
    "columns first": np.asfortranarray,
    "backwards": _backwards,
    "read-only": _read_only,
    "unaligned": _unaligned,
}
"""The layouts of an array of NumPy with the same elements."""

SIZES: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "after half of each axis": lambda array: array[tuple(slice(s // 2) for s in array.shape)],
    "after empty arrays": lambda array: array[tuple(slice(0) for _ in array.shape)],
    "after twice each axis": lambda array: np.tile(array, [2] * array.ndim),
}
"""Arrays of other sizes: those of equal axes stay equal."""

IN_THREADS = "in threads"

LIBRARY_LAYOUTS = {
    "numpy": tuple(LAYOUTS), "native": tuple(LAYOUTS), "jax": (),
    "torch": ("each second element", "columns first"),
}  # fmt: skip
"""The layouts that a library has, on the backends that take its arrays as they are."""


def forms_of(backend: str) -> list[str]:
    """The forms of calls of a backend."""
    return [*LIBRARY_LAYOUTS[backend], *SIZES, IN_THREADS]


def mapped(f: Callable[[NDArray[Any]], NDArray[Any]], value: Any) -> Any:
    """A value whose arrays are changed."""
    if isinstance(value, tuple):
        return tuple(mapped(f, field) for field in value)
    return f(value) if isinstance(value, np.ndarray) and value.ndim else value


def called(run: Callable[..., Any], values: Sequence[Any], times: int, threads: bool) -> list[Any]:
    """The results of calls with the same arguments."""
    if not threads:
        return [run(*values) for _ in range(times)]
    with ThreadPoolExecutor(THREADS) as pool:
        return [each.result() for each in [pool.submit(run, *values) for _ in range(2 * THREADS)]]
