"""Sums and tests over conditions on pairs, and products of matrices of Ints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    Bool,
    Float,
    Int,
    Vec,
    array,
    fold,
    fold_all,
    fold_any,
    fold_sum,
    function,
    log,
    max,
    where,
)
from ein_mlir.frontend.function import Function
from tests.agreement.comparison import assert_agree, assert_call_agrees, given, leaves
from tests.libraries import on
from tests.selection import sizes_on

BACKENDS = on("numpy", "torch", "jax", "native")


@function
def common(a: Vec[Vec[Bool]], b: Vec[Vec[Int]], x: Vec[Float]):
    """Counts, and sums of literals."""

    def at(i: Any, j: Any):
        both = fold_sum(lambda k: where(a[i, k] & (b[j, k] > 1), 1, 0))
        neither = fold_sum(lambda k: where(~a[i, k] & ~(b[j, k] > 1), 0.5, 0.0))
        return both.float() * x[i] + neither

    return array(at)


@function
def values(a: Vec[Vec[Bool]], b: Vec[Vec[Int]], x: Vec[Float]):
    """Sums of Ints, and of Floats that may be infinite."""

    def at(i: Any, j: Any):
        ints = fold_sum(lambda k: where(a[i, k] & (b[j, k] != 2), b[j, k] * 3, 0))
        floats = fold_sum(lambda k: where(a[i, k] & (b[j, k] > 1), x[k], 0.0))
        return ints.float() + floats

    return array(at)


@function
def separate(a: Vec[Vec[Bool]], b: Vec[Vec[Int]], x: Vec[Float]):
    """Each condition varies with one variable, and one with none."""
    n = a.size(1)
    return array(
        lambda i: fold_sum(lambda k: where((x[i] > 0) & (x[k] < 1) & (n > 2), 1, 0), count=n),
        size=b.size(0),
    )


@function
def disjunctions(a: Vec[Vec[Bool]], b: Vec[Vec[Int]], x: Vec[Float]):
    """Numbers of steps, sums of a literal, and of Ints."""

    def at(i: Any, j: Any):
        either = fold_sum(lambda k: where(a[i, k] | (b[j, k] > 1), 1, 0))
        differ = fold_sum(lambda k: where(a[i, k] != (b[j, k] > 1), -0.3, 0.0))
        equal = fold_sum(lambda k: where(a[i, k] == (b[j, k] < 2), b[j, k], 0))
        return (either + 100 * equal).float() + x[i] + differ

    return array(at)


@function
def mixed(a: Vec[Vec[Bool]], b: Vec[Vec[Int]], x: Vec[Float]):
    """Three conditions, of which one stays the same in all steps; a start that is not zero."""

    def at(i: Any, j: Any):
        p, q = (lambda k: a[i, k]), (lambda k: b[j, k] > 1)
        some = fold(
            0.5, lambda k, s: where((p(k) & q(k)) | (b[j, 0] > 2), s + 2.0, s), count=a.size(1)
        )
        return some + fold_sum(lambda k: where((p(k) ^ q(k)) & ~(p(k) & (x[k] < 1)), 1.0, 0.0))

    return array(at)


@function
def searches(a: Vec[Vec[Bool]], b: Vec[Vec[Int]], x: Vec[Float]):
    """Tests of any and of all steps, which are never and always true without steps."""

    def at(i: Any, j: Any):
        p, q = (lambda k: a[i, k]), (lambda k: b[j, k] > 1)
        found = (
            fold_any(lambda k: p(k) & q(k)),
            fold_all(lambda k: p(k) | q(k)),
            fold_any(lambda k: p(k) | (q(k) & (b[j, 0] > 2))),
            fold_all(lambda k: p(k) == q(k)),
            fold_any(lambda k: (p(k) != q(k)) & (x[k] < 1)),
            fold(b[j, 0] > 2, lambda k, s: s | (p(k) & ~q(k)), count=a.size(1)),
        )
        total = 0
        for number, each in enumerate(found):
            total = total + where(each, 2**number, 0)
        return total

    return array(at)


def arguments(n: int, m: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n + m)
    a, b = rng.random((n, m)) > 0.5, rng.integers(0, 4, (n + 1, m))
    x = rng.normal(size=max(n, m))
    x[: min(1, len(x))] = np.inf
    return a, b, x


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "program",
    [common, values, separate, disjunctions, mixed, searches],
    ids=lambda each: each.__name__,
)
def test_conjunctions(program: Function, backend: str):
    for n, m in sizes_on(backend, ((0, 2), (2, 0), (1, 1), (5, 4), (3, 5))):
        arrays = arguments(n, m)
        arrays = (*arrays[:2], arrays[2][: n if program in (common, disjunctions) else m])
        expected = program.eval(*arrays, backend="naive")
        found = program.eval(*(given(each, backend) for each in arrays), backend=backend)
        assert_agree(leaves(found), leaves(expected), {"float64": 1e-12})


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_undefined_products(backend: str, dtype: str):
    for n in (6, 3, 1, 0):
        rng = np.random.default_rng(n)
        a, b = rng.random((n, n)) > 0.3, rng.integers(0, 4, (n, n))
        for special in (1.0, np.inf, np.nan):
            x = rng.normal(size=n)
            x[: min(1, n)] *= special
            x = x.astype(dtype)
            assert_call_agrees(undefined, (a, b, x), backend, {"float64": 1e-12, "float32": 1e-5})


def test_counts_are_products_of_matrices():
    assert "int_matmul(" in common.source()
    assert "int_matmul(" in disjunctions.source()
    assert searches.source().count(" @ ") >= 3


@function
def undefined(a: Vec[Vec[Bool]], b: Vec[Vec[Int]], x: Vec[Float]):
    """Products that are not finite where they are masked: quotients by zero, and logarithms."""
    n, m = a.size(0), a.size(1)
    c = array(lambda i, k: b[i, k].float() - 1.0, size=(n, m))

    def entropy(i: Any):
        return fold_sum(lambda k: where(c[i, k] > 0.0, c[i, k] * log(c[i, k]) * x[k], 0.0), count=m)

    def quotient(i: Any):
        return fold_sum(
            lambda k: where(c[i, k] != 0.0, x[i] / c[i, k] * b[k, i].float(), 0.0), count=m
        )

    def force(i: Any, j: Any):
        def pair(k: Any):
            d = c[i, j] - c[k, j]
            return where((c[k, 0] != c[i, 0]) & a[i, k], d / (c[k, 0] - c[i, 0]), 0.0)

        return fold_sum(pair, count=n)

    return array(entropy, size=n), array(quotient, size=n), array(force, size=(n, m))


@function
def steps(a: Vec[Vec[Bool]], x: Any):
    def at(i: Any, j: Any):
        differ = fold(x[j], lambda k, s: where(a[i, k] != a[j, k], s + 1.5, s), count=a.size(1))
        either = fold(x[j], lambda k, s: where(a[i, k] | a[j, k], s - 0.1, s), count=a.size(1))
        return differ + either

    return array(at)


@pytest.mark.parametrize("backend", BACKENDS)
def test_numbers_of_steps_in_f32(backend: str):
    rng = np.random.default_rng(1)
    a, x = rng.random((6, 9)) > 0.5, rng.random(6).astype(np.float32)
    expected = steps.eval(a, x, backend="naive")
    found = steps.eval(given(a, backend), given(x, backend), backend=backend)
    assert_agree(leaves(found), leaves(expected), {"float32": 1e-5})


def test_sums_of_negative_literals_have_no_negative_zero():
    nothing = np.zeros((2, 3), bool)

    @function
    def total(a: Vec[Vec[Bool]]):
        return array(lambda i, j: fold_sum(lambda k: where(a[i, k] != a[j, k], -1.0, 0.0)))

    assert not np.signbit(total(nothing)).any()


@function
def product(a: Any, b: Any):
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))


ENDS = [
    ("int64", -9, 9),
    ("int64", -(2**40), 2**40),
    ("int64", -(2**63), 2**63 - 1),
    ("int32", -(2**31), 2**31 - 1),
    ("uint16", 0, 2**16 - 1),
    ("int8", -128, 127),
]


@function
def factors_of_pairs(x: Vec[Vec[Float]], y: Vec[Vec[Float]]):
    """Sums over pairs of columns, over the rows in which both have a number."""

    def known(z: Any):
        return z == z

    def at(i: Any, j: Any):
        def total(element: Any):
            return fold_sum(lambda t: where(known(x[t, i]) & known(y[t, j]), element(t), 0.0))

        missing = fold_sum(
            lambda t: where(~known(x[t, i]) | ~known(y[t, j]), 0.0, x[t, i] * y[t, j])
        )
        positive = fold_sum(lambda t: where(x[t, i] > 0, where(y[t, j] > 0, y[t, j], 0.0), 0.0))
        alone = fold_sum(lambda t: where(x[t, i] > 0, y[t, j], 0.0))
        return (
            total(lambda t: x[t, i]),
            total(lambda t: x[t, i] * y[t, j]),
            total(lambda t: 0.5),
            missing,
            positive,
            alone,
        )

    return array(at)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("special", [1.0, np.nan, np.inf])
def test_masks_of_pairs_are_factors(special: float, backend: str):
    """Also of elements that are infinite or NaN, where a mask of the other column is false."""
    rng = np.random.default_rng(3)
    for n, m, k in ((7, 3, 2), (1, 1, 1), (0, 2, 2), (3, 0, 2), (5, 2, 0)):
        columns = [rng.choice([0.0, 1.0, -2.5, special], (n, size)) for size in (m, k)]
        expected = factors_of_pairs.eval(*columns, backend="naive")
        found = factors_of_pairs.eval(*(given(x, backend) for x in columns), backend=backend)
        assert_agree(leaves(found), leaves(expected), {"float64": 1e-12})


def test_masks_of_pairs_are_products_of_matrices():
    source = factors_of_pairs.source()
    assert source.count(" @ ") == 6
    assert ".sum(" not in source[source.rindex("def factors_of_pairs") :]


@pytest.mark.parametrize("backend", on("numpy", "torch", "jax", "native"))
@pytest.mark.parametrize(("dtype", "low", "high"), ENDS)
def test_products_of_ints_wrap(dtype: str, low: int, high: int, backend: str):
    """Products that floats hold exactly, and others: both are exact modulo the type's range."""
    rng = np.random.default_rng(0)
    for rows, inner, columns in ((40, 50, 30), (2, 3, 2), (0, 4, 3), (3, 0, 3)):
        a = rng.integers(low, high, (rows, inner), dtype, endpoint=True)
        b = rng.integers(low, high, (inner, columns), dtype, endpoint=True)
        found = np.asarray(product.eval(given(a, backend), given(b, backend), backend=backend))
        exact = a.astype(object) @ b.astype(object) if inner else np.zeros((rows, columns), object)
        bits = np.dtype(dtype).itemsize * 8
        assert found.dtype == dtype
        assert found.shape == (rows, columns)
        assert all(
            int(x) % 2**bits == y % 2**bits for x, y in zip(found.flat, exact.flat, strict=True)
        )


@function
def divergence(p: Any, q: Any) -> Any:
    entropies = array(
        lambda i: fold_sum(lambda k: where(p[i, k] > 0.0, p[i, k] * p[i, k].log(), 0.0))
    )
    return entropies, fold_sum(lambda i, k: (p[i, k] - q[i, k]) ** 2 / max(q[i, k], 1e-9))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [0, 1, 2, 9])
def test_products_of_elements(size: int, backend: str) -> None:
    """Logarithms are infinite where their masks are false."""
    p, q = (np.random.default_rng(seed).integers(0, 3, (size, size)) / 2 for seed in (1, 2))
    assert_call_agrees(divergence, (p, q), backend, {"float64": 1e-12})


def test_products_of_elements_need_no_test() -> None:
    whole = function(lambda p: fold_sum(lambda k: where(p[k] > 0.0, p[k] * p[k].log(), 0.0)))
    assert "in_order(" not in whole.source(np.ones(2))


@function
def present(x: Any, y: Any) -> Any:
    def pair(i: Any, j: Any) -> Any:
        def product(t: Any) -> Any:
            both = (x[t, i] == x[t, i]) & (y[t, j] == y[t, j])
            return where(both, x[t, i] * y[t, j], 0.0)

        return fold_sum(product)

    return array(pair, size=(x.size(1), y.size(1)))


@pytest.mark.parametrize("transformed", ["torch", "torch, batched", "jax"])
def test_gradients_outside_of_masks(transformed: str) -> None:
    """A factor that is NaN or infinite has no part in the derivatives of masked products."""
    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=(9, columns)).astype(np.float32) for columns in (4, 3))
    x[3, 1], x[7, 0], y[5, 2] = np.nan, np.inf, np.nan
    expected = ~np.isnan(x) * np.nansum(y, axis=1, keepdims=True)
    backend, _, batched = transformed.partition(", ")
    library = pytest.importorskip(backend)

    def total(x: Any) -> Any:
        other = y if backend == "jax" else library.from_numpy(y)
        return present.eval(x, other, backend=backend).sum()

    if backend == "jax":
        gradient = library.grad(total)(x)
    elif batched:
        gradient = library.func.vmap(library.func.grad(total))(library.from_numpy(x)[None])[0]
    else:
        gradient = library.func.grad(total)(library.from_numpy(x))
    np.testing.assert_allclose(np.asarray(gradient), expected, rtol=1e-5)


@function
def differences(g: Vec[Vec[Float]], b: Vec[Vec[Float]], x: Vec[Float], y: Vec[Float]) -> Any:
    """A mask of a sum of products is one of each product, in a loop and alone."""

    def total(v: Vec[Float], w: Vec[Float]) -> Vec[Float]:
        return array(
            lambda i: fold_sum(lambda k: where(k != i, g[i, k] * v[k] - b[i, k] * w[k], 0.0))
        )

    both = fold((x, y), lambda _, v: (total(v[0], v[1]), total(v[1], v[0])), count=3)
    return both, total(x, y)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("special", [1.0, np.nan, np.inf])
def test_masks_of_sums_of_products(special: float, backend: str) -> None:
    rng = np.random.default_rng(8)
    for n in sizes_on(backend, (1, 2, 5)):
        g, b = rng.normal(size=(2, n, n))
        x, y = rng.normal(size=(2, n))
        g[0, 0] = special
        found = differences.eval(*(given(z, backend) for z in (g, b, x, y)), backend=backend)
        with np.errstate(all="ignore"):
            expected = differences.eval(g, b, x, y, backend="naive")
        assert_agree(leaves(found), leaves(expected), {"float64": 1e-12})


def test_masks_of_sums_leave_loops() -> None:
    square, row = np.zeros((3, 3)), np.zeros(3)
    source = differences.source(square, square, row, row)
    source = source[source.rindex("def differences") :]
    assert source.count(" @ ") + source.count(".dot(") == 6


@function
def diagonal(c: Vec[Vec[Float]], d: Vec[Vec[Vec[Vec[Float]]]], v: Vec[Vec[Float]]) -> Any:
    """A mask of products whose first factor is a diagonal."""

    def total(i: Any, k: Any) -> Any:
        return fold_sum(lambda j: where(c[i, j] > 0.0, d[i, j, k, j] * v[j, k], 0.0))

    return array(total)


@pytest.mark.parametrize("backend", BACKENDS)
def test_masks_of_diagonals(backend: str) -> None:
    rng = np.random.default_rng(9)
    for n in sizes_on(backend, (0, 1, 3)):
        arguments = [rng.normal(size=(n,) * rank) for rank in (2, 4, 2)]
        assert_call_agrees(diagonal, arguments, backend, {"float64": 1e-12})


@function
def decayed(x: Vec[Float], g: Float) -> Any:
    """A mask of one factor, beside one that is infinite where the mask is false."""
    n = x.size()
    weight = array(lambda t, k: g ** (t - k), size=(n, n))
    return array(lambda t: fold_sum(lambda k: where(k <= t, x[k], 0.0) * weight[t, k] * x[k]))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("factor", [0.0, 0.5, 1e-300])
def test_masks_of_one_factor(factor: float, backend: str) -> None:
    for n in sizes_on(backend, (0, 1, 4)):
        with np.errstate(all="ignore"):
            assert_call_agrees(
                decayed, (np.arange(1.0, n + 1), factor), backend, {"float64": 1e-12}
            )
