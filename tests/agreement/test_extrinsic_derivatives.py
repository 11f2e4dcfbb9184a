"""Derivatives of extrinsics: functions of Ein that are registered beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    CompilationError,
    EinTypeError,
    Float,
    Int,
    ScopeError,
    Vec,
    array,
    cos,
    ext,
    fold_sum,
    function,
    grad,
    hessian,
    jvp,
    sin,
    where,
    wrap,
)
from tests.libraries import INSTALLED

BACKENDS = ("naive", *INSTALLED)
SIZES = (3, 2, 1, 0)


def library_of(backend: str) -> Any:
    """The library whose functions a backend calls."""
    if backend == "torch":
        import torch

        return torch
    if backend == "jax":
        import jax.numpy

        return jax.numpy
    return np


def solver(backend: str) -> Any:
    """The solution of a linear system, with both derivatives."""
    lib = library_of(backend)

    def solved(m: Any, b: Any) -> Any:
        return lib.linalg.solve(m, b[..., None])[..., 0]

    def backwards(m: Any, b: Any, x: Any, ct: Any) -> Any:
        w = solve(array(lambda i, j: m[j, i]), ct)
        return array(lambda i, j: -w[i] * x[j]), w

    def forwards(m: Any, b: Any, x: Any, dm: Any, db: Any) -> Any:
        return solve(m, array(lambda i: db[i] - fold_sum(lambda j: dm[i, j] * x[j])))

    signature = ([Vec[Vec[Float]], Vec[Float]], Vec[Float])
    solve = ext(solved, signature, jvp=forwards, vjp=backwards)
    return solve


def eliminated(m: Any, b: Any) -> Any:
    """The same for two unknowns, by hand."""
    d = m[0, 0] * m[1, 1] - m[0, 1] * m[1, 0]
    first, second = b[0] * m[1, 1] - m[0, 1] * b[1], m[0, 0] * b[1] - m[1, 0] * b[0]
    return array(lambda i: where(i == 0, first, second) / d, size=2)


@pytest.mark.parametrize("backend", BACKENDS)
def test_functions_of_numbers(backend: str) -> None:
    """A rule that calls other extrinsics has second derivatives, and runs in comprehensions."""
    lib = library_of(backend)
    sine = ext(lib.sin, ([Float], Float), jvp=lambda x, y, dx: dx * cosine(x))
    cosine = ext(lib.cos, ([Float], Float), jvp=lambda x, y, dx: -dx * sine(x))

    def by(f: Any) -> Any:
        return lambda a: fold_sum(lambda i: f(a[i] * a[i]) * a[0])

    for size in SIZES:
        x = np.linspace(0.3, 2.0, size)
        for derivative in (grad, hessian):
            found = derivative(function(by(sine), backend=backend))(x)
            expected = derivative(function(by(sin), backend="numpy"))(x)
            np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-9, atol=1e-12)
    assert np.isclose(
        float(grad(function(lambda x: cosine(x), backend=backend))(0.5)), -np.sin(0.5)
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_functions_of_arrays(backend: str) -> None:
    """A linear system: the cotangent solves another one. Also one for each index."""
    solve = solver(backend)

    def cubes(f: Any) -> Any:
        def total(m: Any, b: Any) -> Any:
            x = f(m, b)
            return fold_sum(lambda i: x[i] ** 3.0)

        return total

    def batch(f: Any) -> Any:
        def total(m: Any, b: Any) -> Any:
            x = array(lambda k: f(m, array(lambda i: b[i] * cos((k + 1).float() * b[i]))), size=3)
            return fold_sum(lambda k: fold_sum(lambda i: sin(x[k, i])))

        return total

    m, b = np.array([[3.0, 1.0], [0.5, 2.0]]), np.array([0.7, -1.2])
    directions = (0.1 * m, 0.3 * b)
    for of in (cubes, batch):
        ours, hand = function(of(solve), backend=backend), function(of(eliminated), backend="numpy")
        for found, wanted in zip(grad(ours, (0, 1))(m, b), grad(hand, (0, 1))(m, b), strict=True):
            np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-9)
        found, wanted = hessian(ours, 1)(m, b), hessian(hand, 1)(m, b)
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-8, atol=1e-10)
        found, wanted = (jvp(f, (m, b), directions)[1] for f in (ours, hand))
        np.testing.assert_allclose(float(found), wanted, rtol=1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
def test_cotangents_alone(backend: str) -> None:
    """Tangents are those of the transposed rule."""
    lib = library_of(backend)

    def backwards(x: Any, y: Any, ct: Any) -> Any:
        return array(lambda i: fold_sum(lambda j: where(j >= i, ct[j], 0.0)), size=ct.size(0))

    sums = ext(lambda x: lib.cumsum(x, -1), ([Vec[Float]], Vec[Float]), vjp=backwards)

    def total(x: Any) -> Any:
        y = sums(x)
        return fold_sum(lambda i: y[i] ** 2.0)

    for size in SIZES:
        x = np.linspace(-1.0, 2.0, size)
        ones = np.tril(np.ones((size, size)))
        program = function(total, backend=backend)
        np.testing.assert_allclose(np.asarray(grad(program)(x)), 2 * ones.T @ ones @ x, atol=1e-12)
        np.testing.assert_allclose(np.asarray(hessian(program)(x)), 2 * ones.T @ ones)
        slope = jvp(function(lambda x: sums(x), backend=backend), (x,), (x + 1.0,))[1]
        np.testing.assert_allclose(np.asarray(slope), np.cumsum(x + 1.0))


def test_records() -> None:
    """An argument that is a record has a tangent like it; Ints have none."""

    def power(args: Any) -> Any:
        x, k = args
        return x**k

    def slope(args: Any, y: Any, direction: Any) -> Any:
        x, k = args
        return direction[0] * k.float() * x ** (k.float() - 1.0)

    raised = ext(power, ([tuple[Float, Int]], Float), jvp=slope)
    found = grad(function(lambda x: raised((x, 3)), backend="numpy"))(2.0)
    assert float(found) == 12.0


def test_messages() -> None:
    middle = ext(np.median, ([Vec[Float]], Float))
    with pytest.raises(CompilationError, match=r"phi\.extern: it has no derivative; ext\("):
        grad(function(lambda x: middle(x)))(np.ones(2))
    wrong = ext(np.sin, ([Float], Float), jvp=lambda x, y, dx: (dx, dx))
    with pytest.raises(EinTypeError, match="the jvp of the extrinsic sin"):
        grad(function(lambda x: wrong(x)))(1.0)
    given = wrap(np.ones(3))
    outside = ext(np.sin, ([Float], Float), jvp=lambda x, y, dx: dx * given[0])
    with pytest.raises(ScopeError, match="depends on other values than its parameters"):
        grad(function(lambda x: outside(x)))(1.0)
    longer = ext(
        np.sort, ([Vec[Float]], Vec[Float]), vjp=lambda x, y, ct: array(lambda i: 1.0, size=5)
    )
    with pytest.raises(ValueError, match="cotangent: size of the value along axis 0"):
        grad(function(lambda x: fold_sum(lambda i: longer(x)[i]), backend="numpy"))(np.ones(3))
