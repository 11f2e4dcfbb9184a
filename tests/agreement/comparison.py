"""The agreement of two results, and arguments as the arrays of a library."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ein_mlir import Function


def leaves(value: Any) -> list[Any]:
    """The arrays and scalars of a result, however it is nested."""
    if isinstance(value, dict):
        return [leaf for field in value.values() for leaf in leaves(field)]
    if is_dataclass(value):
        return leaves({field.name: getattr(value, field.name) for field in fields(value)})
    if isinstance(value, tuple | list):
        return [leaf for field in value for leaf in leaves(field)]
    return [value]


def given(value: Any, library: str) -> Any:
    """An argument as a fresh array of ``numpy``, ``torch`` or ``jax``.

    Numbers are unchanged.
    """
    if not isinstance(value, np.ndarray):
        return value
    if library == "torch":
        import torch

        return torch.tensor(value)
    if library == "jax":
        import jax

        with jax.enable_x64(True):
            return jax.numpy.array(value)
    return np.copy(value)


def assert_agree(
    actual: Any, expected: Any, tolerance: Mapping[str, float], what: str = "", dtypes: bool = True
) -> None:
    """Assert that results have the same arrays: equal in number, shapes and values.

    The tolerance, relative and absolute, is that of the expected dtype; Ints and Bools are equal.
    With ``dtypes`` these are equal, too. ``what`` is the message if they differ.
    """
    results, references = _arrays(actual), _arrays(expected)
    assert len(results) == len(references), what
    for result, reference in zip(results, references, strict=True):
        assert result.shape == reference.shape, f"{what}: {result.shape} != {reference.shape}"
        if dtypes:
            assert result.dtype == reference.dtype, f"{what}: {result.dtype} != {reference.dtype}"
        allowed = tolerance.get(reference.dtype.name, 0.0)
        np.testing.assert_allclose(result, reference, rtol=allowed, atol=allowed, err_msg=what)


_INTERPRETED: dict[Hashable, tuple[Function[..., Any], Any]] = {}


def interpreted(program: Function[..., Any], arguments: Sequence[Any]) -> Any:
    """The results of the interpreter, computed once in a process: the backends share them."""
    key = (id(program), *map(_content, arguments))
    if key not in _INTERPRETED:
        _INTERPRETED[key] = program, program.eval(*arguments, backend="naive")
    return _INTERPRETED[key][1]


def _content(value: Any) -> Hashable:
    """A key that is the same for arguments of one type with the same bits."""
    array = np.asarray(value)
    return type(value), array.dtype, array.shape, array.tobytes()


def assert_call_agrees(
    program: Function[..., Any],
    arguments: Sequence[Any],
    backend: str,
    tolerance: Mapping[str, float],
) -> None:
    """Assert that a call agrees with the interpreter, and changes no argument."""
    expected = interpreted(program, arguments)
    library = backend if backend == "torch" else "numpy"
    values = [given(value, library) for value in arguments]
    found = program.eval(*values, backend=backend)
    assert_agree(found, expected, tolerance, f"{arguments}")
    for value, original in zip(values, arguments, strict=True):
        np.testing.assert_array_equal(np.asarray(value), original)


def assert_limits_agree(
    program: Function[..., Any],
    keys: np.ndarray[Any, Any],
    limits: np.ndarray[Any, Any],
    backend: str,
    tolerance: Mapping[str, float],
) -> None:
    """Assert that a program of keys, with an element for each limit, agrees with the interpreter.

    An element follows from its limit and the keys alone: equal limits are interpreted once.
    """
    _, first, places = np.unique(limits.view(np.int64), return_index=True, return_inverse=True)
    expected = np.asarray(interpreted(program, (keys, limits[first])))[places]
    values = [given(value, backend if backend == "torch" else "numpy") for value in (keys, limits)]
    assert_agree(program.eval(*values, backend=backend), expected, tolerance, f"{keys} {limits}")


def assert_ulps(actual: Any, expected: Any, ulps: int = 4) -> None:
    """Assert that Floats are a few units in the last place apart: libraries round independently.

    NaN and infinities are in the same places, and all signs are equal, including those of zeros.

    >>> assert_ulps(np.cbrt(np.array([-27.0, np.inf, np.nan])), [-3.0, np.inf, np.nan])
    """
    result = np.asarray(actual)
    reference = np.asarray(expected, result.dtype)
    is_finite, is_number = np.isfinite(reference), ~np.isnan(reference)
    np.testing.assert_array_equal(
        np.where(np.isfinite(result), 0, result), np.where(is_finite, 0, reference)
    )
    np.testing.assert_array_equal(
        np.signbit(result) & is_number, np.signbit(reference) & is_number, "signs differ"
    )
    np.testing.assert_array_max_ulp(result[is_finite], reference[is_finite], ulps)


def _arrays(value: Any) -> Sequence[NDArray[Any]]:
    return [np.asarray(leaf) for leaf in leaves(value)]


def differences(f: Callable[[Any], Any], x: Any) -> Any:
    """The derivatives by central differences, in the last axis."""
    step = 1e-6
    found = [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(len(x))]
    return np.stack(found, -1) if found else np.zeros((*np.shape(f(x)), 0))


def argument(size: int) -> Any:
    """A vector of Floats that functions of positive numbers take."""
    return np.random.default_rng(size).uniform(0.5, 1.5, size)
