"""Floats of 16 bits: stored as such, computed in f32 and rounded, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ein_mlir import (
    CompilationError,
    EinTypeError,
    Vec,
    accumulate,
    argsort,
    array,
    fold,
    fold_argmax,
    fold_max,
    fold_prod,
    fold_sum,
    function,
    grad,
    reduce_min,
    reduce_sum,
    searchsorted,
    sort,
    top_k,
    unique,
    where,
)

COMPILING = ["numpy", "torch", "jax", "native"]
ALL = ["naive", *COMPILING]
SIZES = [0, 1, 2, 7]
Array = NDArray[Any]


def halves(*shape: int) -> Array:
    """Random numbers of 16 bits."""
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float16)


def numpy_of(values: Any) -> Any:
    """Results as NumPy arrays in nested tuples; those of bf16 as f32, which holds them exactly."""
    if isinstance(values, tuple):
        return tuple(map(numpy_of, values))
    if str(values.dtype).endswith("bfloat16"):
        import torch

        values = values.float() if isinstance(values, torch.Tensor) else values.astype("float32")
    return np.asarray(values)


_EPSILONS = {"float16": 2.0**-10, "bfloat16": 2.0**-7}


def assert_same(actual: Any, expected: Any, ulps: int = 0) -> None:
    """Assert equal arrays of equal dtypes, in nested tuples; of floats up to some ulps."""
    if isinstance(expected, tuple):
        for pair in zip(actual, expected, strict=True):
            assert_same(*pair, ulps)
        return
    assert actual.dtype == expected.dtype
    epsilon = _EPSILONS.get(expected.dtype.name, 0.0)
    np.testing.assert_allclose(actual, expected, rtol=ulps * epsilon, atol=0)


def on(backend: str, dtype: str, array: Array) -> Any:
    """Numbers as an array of a small float type, of the library of a backend."""
    if dtype == "f16":
        return array
    if backend == "torch":
        import torch

        return torch.from_numpy(array.astype(np.float32)).to(torch.bfloat16)
    import jax.numpy as jnp

    bf16 = jnp.asarray(array).astype(jnp.bfloat16)
    return bf16 if backend == "jax" else np.asarray(bf16)


TYPES = [("f16", backend) for backend in COMPILING] + [("bf16", "torch"), ("bf16", "jax")]


def agree(f: Any, *args: Array, dtype: str, backend: str) -> None:
    """Assert that a backend gives the result of the interpreter.

    XLA may leave out the rounding of a product that is added (docs/semantics.md).
    """
    expected = f.eval(*(on("naive", dtype, arg) for arg in args), backend="naive")
    found = f.eval(*(on(backend, dtype, arg) for arg in args), backend=backend)
    assert_same(numpy_of(found), numpy_of(expected), ulps=1 if backend == "jax" else 0)


@function
def operators(a: Vec, b: Vec) -> Any:
    return array(
        lambda i: (
            a[i] + b[i],
            a[i] - 1.5,
            a[i] * b[i] + 1,
            a[i] / b[i],
            a[i] // b[i],
            a[i] % b[i],
            -a[i],
            abs(a[i]),
            a[i].sign(),
            a[i].floor(),
            a[i].sqrt(),
            a[i].min(b[i]),
            a[i].max(b[i]),
            a[i] < b[i],
            a[i] == b[i],
            where(a[i] < b[i], a[i], b[i]),
            a[i] ** 2,
        )
    )


@pytest.mark.parametrize(("dtype", "backend"), TYPES)
@pytest.mark.parametrize("size", SIZES)
def test_operators(size: int, dtype: str, backend: str) -> None:
    agree(operators, halves(size), halves(size)[::-1].copy(), dtype=dtype, backend=backend)


def test_operators_are_those_of_numpy() -> None:
    x, y = halves(50), halves(51)[:50]
    found = operators.eval(x, y, backend="naive")
    with np.errstate(all="ignore"):
        expected = x + y, x - np.float16(1.5), x * y + np.float16(1), x / y
        assert_same(found[:4], expected)
        assert_same(found[6:9], (-x, abs(x), np.sign(x)))
        assert_same(found[10], np.sqrt(x))


@pytest.mark.parametrize(("dtype", "backend"), TYPES)
@pytest.mark.parametrize("size", SIZES)
def test_conversions(size: int, dtype: str, backend: str) -> None:
    @function
    def f(a: Vec) -> Any:
        return array(
            lambda i: (
                a[i].float(),
                a[i].float("f32"),
                (a[i] * 100.0).int("i8"),
                a[i].int(),
                i.float(dtype),
                (i < 3).float(dtype),
                (a[i].float("f32") / 3.0).float(dtype),
                a[i].float("f16").float("bf16").float(),
            )
        )

    if backend in ("numpy", "native"):
        f = function(lambda a: array(lambda i: (a[i].float(), a[i].int(), i.float("f16"))))
    agree(f, halves(size), dtype=dtype, backend=backend)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_float_of_64_bits_is_rounded_once(backend: str) -> None:
    """Not to an f32 first, which may be halfway between two floats of 16 bits.

    XLA does so on some processors.
    """
    half = 2.0**-11
    x = np.array([1 + half, 1 + half + 1e-13, 1 + 3 * half - 1e-13, 2050.9999999, 65519.9999999])
    x = np.concatenate([x, -x, [6e-8, 2.98e-8, 1e-8, 65520.0, 1e300, np.inf, np.nan, 0.0, -0.0]])
    f = function(lambda x: array(lambda i: x[i].float("f16")))
    with np.errstate(all="ignore"):
        assert_same(np.asarray(f.eval(x, backend=backend)), x.astype(np.float16))


@function
def loops(a: Vec) -> Any:
    return (
        fold_sum(lambda i: a[i] * a[i]),
        reduce_sum(lambda i: a[i]),
        fold_max(lambda i: a[i]),
        reduce_min(lambda i: a[i]),
        fold_argmax(lambda i: a[i]),
        fold_prod(lambda i: a[i]),
        fold(0.0, lambda i, total: total + a[i]),
        sort(a),
        argsort(a),
        top_k(a, 2),
        searchsorted(sort(a), 0.5),
        unique(a, size=2),
        accumulate(lambda i: (i % 2, a[i]), 2),
        accumulate(lambda i: (i % 2, (a[i], i)), 2, by="max"),
    )


@pytest.mark.parametrize(("dtype", "backend"), TYPES)
@pytest.mark.parametrize("size", SIZES)
def test_loops(size: int, dtype: str, backend: str) -> None:
    """With numbers of few digits, whose sums are exact in an f32."""
    agree(loops, np.round(halves(size) * 4) / 4, dtype=dtype, backend=backend)


@pytest.mark.parametrize("backend", ALL)
def test_sums_are_rounded_once(backend: str) -> None:
    """Sums by name keep 24 digits; an accumulator of 11 digits stays at 2048."""
    f = function(lambda a: (fold_sum(lambda i: a[i]), fold(0.0, lambda i, total: total + a[i])))
    total, steps = numpy_of(f.eval(np.ones(3000, np.float16), backend=backend))
    assert (total.dtype, steps.dtype) == (np.float16, np.float16)
    assert (total, steps) == (3000, 2048)


@pytest.mark.parametrize(("dtype", "backend"), TYPES)
@pytest.mark.parametrize("size", [0, 1, 5])
def test_products_of_matrices(size: int, dtype: str, backend: str) -> None:
    f = function(lambda a, b: array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j])))
    a, b = np.round(halves(3, size) * 4) / 4, np.round(halves(size, 2) * 4) / 4
    agree(f, a, b, dtype=dtype, backend=backend)


@pytest.mark.parametrize("backend", ALL)
def test_arrays_keep_their_bits(backend: str) -> None:
    f = function(lambda a, s: (array(lambda i: array(lambda j: a[i, j] * s)), a[0, 0] + s, a))
    a = halves(3, 4)
    found = numpy_of(f.eval(a, np.float16(2), backend=backend))
    assert_same(found, (a * np.float16(2), a[0, 0] + np.float16(2), a))
    assert f.shapes(a, 2.0)[0].dtype == np.float16


@pytest.mark.parametrize("backend", ALL)
def test_gradients(backend: str) -> None:
    f = grad(function(lambda x: fold_sum(lambda i: x[i] * x[i])))
    assert_same(numpy_of(f.eval(halves(5), backend=backend)), halves(5) * np.float16(2))


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_tensors_of_the_device(dtype: str) -> None:
    import torch

    x = torch.arange(4).to(torch.float16 if dtype == "f16" else torch.bfloat16)
    f = function(lambda x: array(lambda i: x[i] * 0.5))
    found: Any = f(x)
    assert found.dtype == x.dtype
    assert torch.equal(found, x * 0.5)


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: array(lambda i: x[i] + 70000), r"70000 does not fit Float \(f16\)"),
        (lambda x: array(lambda i: x[i] + 2049), r"2049 is not exact as Float \(f16\)"),
        (lambda x: array(lambda i: x[i].float("bf16") + 257), r"257 is not exact as Float \(bf16"),
        (lambda x: array(lambda i: x[i] + x[i].float("f32")), r'write `x.float\("f32"\)` for the'),
        (
            lambda x: accumulate(lambda i: (i, x), 2, count=2),
            r"arrays of Float \(f16\) are not combined",
        ),
    ],
)
def test_errors_name_the_type(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(EinTypeError, match=message):
        function(f).eval(halves(3), backend="naive")


@pytest.mark.parametrize(("backend", "library"), [("numpy", "np"), ("native", "machine code")])
def test_backends_without_bf16_say_so(backend: str, library: str) -> None:
    f = function(lambda x: array(lambda i: x[i].float("bf16") * 2.0))
    with pytest.raises(CompilationError, match=f"{library} has no bf16: convert to f32"):
        f.eval(halves(3), backend=backend)


def test_cotangents_at_positions_need_more_digits() -> None:
    f = grad(function(lambda x, p: fold_sum(lambda i: x[p[i]])))
    with pytest.raises(CompilationError, match="cotangents of 'f16' are not added at positions"):
        f.eval(halves(3), np.array([0, 2, 0]), backend="numpy")
