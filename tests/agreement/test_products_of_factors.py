"""Sums of products of three and more factors, which native code multiplies in pairs."""

from __future__ import annotations

from itertools import pairwise, takewhile
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import arith

from ein_mlir import Float, Int, Vec, array, exp, fold, fold_max, fold_sum, function, grad, where
from ein_mlir.analysis import scopes
from ein_mlir.analysis.phi.unchanged import branch_of
from ein_mlir.dialects import phi
from ein_mlir.pipelines import NATIVE, run_pipeline
from tests.agreement.comparison import given
from tests.libraries import BACKENDS
from tests.selection import sizes_on

inf, nan = np.inf, np.nan
Matrix = Vec[Vec[Float]]
Cube = Vec[Vec[Vec[Float]]]


@function
def chain(a: Matrix, b: Matrix, c: Matrix) -> Matrix:
    return array(lambda i, j: fold_sum(lambda k, m: a[i, k] * b[k, m] * c[m, j]))


@function
def outer_factors_first(a: Matrix, b: Matrix, c: Matrix) -> Matrix:
    return array(lambda i, j: fold_sum(lambda k, m: a[i, k] * c[m, j] * b[k, m]))


@function
def chain_of_ints(a: Vec[Vec[Int]], b: Vec[Vec[Int]], c: Vec[Vec[Int]]) -> Vec[Vec[Int]]:
    return array(lambda i, j: fold_sum(lambda k, m: a[i, k] * (b[k, m] * c[m, j])))


@function
def in_one_number(a: Matrix, b: Matrix, c: Vec[Float]) -> Float:
    return fold_sum(lambda i: fold_sum(lambda j, k: a[i, j] * b[j, k] * c[k]))


@function
def around(a: Matrix, b: Matrix, c: Matrix) -> Vec[Float]:
    """The diagonal of a product of three matrices."""
    return array(lambda i: fold_sum(lambda j, k: a[i, j] * b[j, k] * c[k, i]))


@function
def with_elements(a: Matrix, b: Matrix, c: Matrix) -> Float:
    return fold_sum(lambda i, j, k: a[i, j] * b[j, k] * c[i, k])


@function
def four(g: Cube, a: Matrix, b: Matrix, c: Matrix) -> Cube:
    return array(lambda d, e, f: fold_sum(lambda i, j, k: g[i, j, k] * a[i, d] * b[j, e] * c[k, f]))


@function
def divided(a: Matrix, b: Matrix, x: Vec[Float]) -> Vec[Float]:
    p, q = b.size(0), b.size(1)
    return array(
        lambda r: fold_sum(lambda j, m: a[r // p, j] * b[r % p, m] * x[j * q + m]),
        size=a.size(0) * p,
    )


@function
def divided_in_part(a: Matrix, b: Matrix, x: Vec[Float], n: Int, p: Int) -> Vec[Float]:
    return array(
        lambda r: fold_sum(lambda j, m: a[r // p, j] * b[r % p, m] * x[j + m]),
        size=n,
    )


@function
def sums_of_sums(a: Matrix, b: Matrix, c: Matrix) -> Matrix:
    return array(
        lambda i, j: 1.0 + fold_sum(lambda k: fold_sum(lambda m: c[m, j] * b[k, m]) * a[i, k])
    )


@function
def computed_factors(a: Matrix, b: Matrix, c: Matrix) -> Matrix:
    return array(
        lambda i, j: fold_sum(
            lambda k, m: exp(-a[i, k]) * where(k < m, b[k, m], 1.0) * (c[m, j] - c[0, j])
        )
    )


@function
def subtracted(a: Matrix, b: Matrix, c: Matrix) -> Matrix:
    """The negative of a product: sums of differences."""

    def element(i: Int, j: Int) -> Float:
        def row(k: Int) -> Float:
            return fold(0.0, lambda m, x: x - a[i, k] * b[k, m] * c[m, j], count=c.size(0))

        return fold_sum(row)

    return array(element, size=(a.size(0), c.size(1)))


@function
def in_steps(a: Matrix, b: Matrix, x: Matrix) -> Matrix:
    def step(_: Int, x: Matrix) -> Matrix:
        return array(
            lambda i, j: x[i, j] + fold_sum(lambda k, m: a[i, k] * x[k, m] * b[m, j]),
            size=(x.size(0), x.size(1)),
        )

    return fold(x, step, count=3)


@function
def factor_of_a_row(a: Matrix, b: Matrix, c: Matrix) -> Matrix:
    def row(i: Int) -> Vec[Float]:
        most = fold_max(lambda k: a[i, k])
        return array(lambda j: fold_sum(lambda k, m: (a[i, k] - most) * b[k, m] * c[m, j]))

    return array(row)


@function
def means_squared(a: Matrix, x: Vec[Float]) -> Float:
    n = a.size(1).float()
    return fold_sum(lambda i: fold_sum(lambda j: a[i, j] / n * x[j]) ** 2.0, count=a.size(0))


@function
def sums_of_quotients(a: Matrix, x: Vec[Float]) -> Matrix:
    def inner(s: Int, j: Int) -> Float:
        return fold_sum(lambda k: a[s, k] * a[k, j] / x[k])

    return array(lambda i, j: fold_sum(lambda s: a[i, s] / x[i] * inner(s, j)))


@function
def quotients_on_the_diagonal(a: Matrix, x: Vec[Float]) -> Float:
    def element(i: Int, j: Int) -> Float:
        return fold_sum(lambda s: a[i, s] * x[j] / a[i, j], count=x.size())

    t = array(element, size=(x.size(), x.size()))
    return fold_sum(lambda i: t[i, i] * x[i])


def loss_of_four(g: Cube, a: Matrix, b: Matrix, c: Matrix) -> Float:
    t = array(lambda d, e, f: fold_sum(lambda i, j, k: g[i, j, k] * a[i, d] * b[j, e] * c[k, f]))
    return fold_sum(lambda d, e, f: t[d, e, f] ** 2.0)


def loss_of_a_train(g: Cube, a: Matrix, c: Matrix) -> Float:
    t = array(lambda d, e, f: fold_sum(lambda i, k: a[d, i] * g[i, e, k] * c[k, f]))
    return fold_sum(lambda d, e, f: t[d, e, f] ** 2.0)


def matrices(rng: np.random.Generator, *sizes: int, dtype: Any = np.float64) -> list[Any]:
    pairs = pairwise(sizes)
    return [rng.integers(-4, 5, pair).astype(dtype) + dtype(rng.integers(1, 3)) for pair in pairs]


SHAPES = [
    (3, 4, 5, 2),
    (1, 1, 1, 1),
    (0, 3, 2, 2),
    (2, 0, 3, 2),
    (2, 3, 0, 2),
    (2, 3, 2, 0),
    (9, 7, 8, 11),
]


@pytest.mark.parametrize("sizes", SHAPES, ids=str)
@pytest.mark.parametrize(
    "f",
    [chain, sums_of_sums, computed_factors, factor_of_a_row, subtracted],
    ids=lambda f: f.__name__,
)
def test_chain(f: Any, sizes: tuple[int, ...]) -> None:
    agree(f, matrices(np.random.default_rng(1), *sizes), "native")


@pytest.mark.parametrize("sizes", SHAPES, ids=str)
def test_three_matrices(sizes: tuple[int, ...]) -> None:
    n, m, p, _ = sizes
    for dtype in (np.float64, np.float32):
        a, b, c = matrices(np.random.default_rng(5), n, m, p, n, dtype=dtype)
        agree(around, [a, b, c], "native")
        agree(with_elements, [a, b, np.ascontiguousarray(c.T)], "native")


def test_three_matrices_at_the_ends_of_the_range() -> None:
    rng = np.random.default_rng(6)
    for factors in ([1e200, 1e-200, 1e200], [1e200, 1e200, 1e-300], [np.inf, 1.0, 0.0]):
        a, b, c = (factor * rng.integers(1, 4, (3, 3)).astype(float) for factor in factors)
        agree(around, [a, b, c], "native")
        agree(with_elements, [a, b, c], "native")
        agree(subtracted, [a, b, c], "native")


@pytest.mark.parametrize("sizes", SHAPES, ids=str)
def test_other_types(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    agree(chain_of_ints, matrices(rng, *sizes, dtype=np.int64), "native")
    agree(chain, matrices(rng, *sizes, dtype=np.float32), "native")


def test_ints_wrap_around() -> None:
    rng = np.random.default_rng(3)
    agree(chain_of_ints, [rng.integers(-(2**63), 2**63 - 1, (3, 3)) for _ in range(3)], "native")


@pytest.mark.parametrize("backend", BACKENDS)
def test_more_products(backend: str) -> None:
    rng = np.random.default_rng(4)
    for n in sizes_on(backend, (0, 1, 2, 5)):
        square = [rng.normal(size=(n, n)) for _ in range(3)]
        agree(in_one_number, [*square[:2], rng.normal(size=n)], backend)
        others = rng.normal(size=(n, 2, n)), rng.normal(size=(2, 3))
        agree(four, [others[0], square[0], others[1], square[1]], backend)
        agree(in_steps, square, backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients(backend: str) -> None:
    """Cotangents of products are arrays over more axes than they vary with."""
    rng = np.random.default_rng(8)
    four, train = grad(loss_of_four, argnums=(0, 1, 2, 3)), grad(loss_of_a_train, argnums=(0, 1, 2))
    library = backend if backend in ("torch", "jax") else "numpy"
    for n in sizes_on(backend, (0, 1, 2, 3)):
        for f, sizes in (
            (four, ((n, 2, 1), (n, 2), (2, n), (1, 2))),
            (train, ((n, 2, 3), (2, n), (3, n))),
        ):
            args = [rng.normal(size=each) for each in sizes]
            result = f.eval(*(given(x, library) for x in args), backend=backend)
            for x, y in zip(result, f.eval(*args, backend="naive"), strict=True):
                np.testing.assert_allclose(np.asarray(x), y, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "f", [means_squared, sums_of_quotients, quotients_on_the_diagonal], ids=lambda f: f.__name__
)
def test_divisors_of_nested_sums(f: Any, backend: str) -> None:
    rng = np.random.default_rng(7)
    for n in sizes_on(backend, (0, 1, 2, 5)):
        agree(f, [rng.normal(size=(n, n)), rng.normal(size=n)], backend)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "sizes", [(2, 3, 4, 5), (1, 1, 1, 1), (2, 3, 0, 2), (0, 2, 3, 4), (3, 0, 2, 2)]
)
def test_divided_index(sizes: tuple[int, ...], backend: str) -> None:
    rng, (k, p, n, q) = np.random.default_rng(5), sizes
    a, b = rng.normal(size=(k, n)), rng.normal(size=(p, q))
    agree(divided, [a, b, rng.normal(size=n * q)], backend)


@pytest.mark.parametrize("n", [0, 1, 7, 12])
@pytest.mark.parametrize("p", [-2, 0, 1, 3, 20])
def test_divided_by_any_number(n: int, p: int) -> None:
    rng = np.random.default_rng(6)
    a, b, x = rng.normal(size=(4, 3)), rng.normal(size=(3, 2)), rng.normal(size=6)
    agree(divided_in_part, [a, b, x, n, p], "native")


def agree(f: Any, args: list[Any], backend: str) -> None:
    """Compare with the interpreter; floats up to the rounding of sums."""
    library = backend if backend in ("torch", "jax") else "numpy"
    result = np.asarray(f.eval(*(given(x, library) for x in args), backend=backend))
    expected = np.asarray(f.eval(*args, backend="naive"))
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    if expected.dtype.kind == "i":
        np.testing.assert_array_equal(result, expected)
    else:
        rounding = 1e-4 if expected.dtype == np.float32 else 1e-11
        np.testing.assert_allclose(result, expected, rtol=rounding, atol=rounding)


# Overflow and underflow: the program says which products there are --------------------------------


def scaled(*scales: float) -> list[Any]:
    return [np.full((2, 2), scale) for scale in scales]


SUBNORMAL = "two factors are nearly normal"
HAZARDS: dict[str, list[Any]] = {
    "two factors overflow, 1": scaled(1e200, 1e200, 1e-200),
    "two factors overflow, 2": scaled(1e-200, 1e200, 1e200),
    "two factors underflow, 1": scaled(1e-200, 1e-200, 1e200),
    "two factors underflow, 2": scaled(1e200, 1e-200, 1e-200),
    SUBNORMAL: scaled(1e-170, 1.1e-150, 1e160),
    "a sum overflows": [np.full((2, 2), 1e-10), np.full((2, 40), 1e307), np.full((40, 2), 1e-200)],
    "an infinity and no terms": [np.full((2, 3), inf), np.ones((3, 0)), np.ones((0, 2))],
    "zeros and small factors": [np.eye(2) * 1e200, np.eye(2) * 1e-200, np.eye(2) * 1e-200],
    "an infinite factor": [np.full((2, 2), inf), np.ones((2, 2)), np.ones((2, 2))],
    "an infinity times zero": [np.full((2, 2), inf), np.zeros((2, 2)), np.ones((2, 2))],
    "NaN": [np.full((2, 2), nan), np.ones((2, 2)), np.ones((2, 2))],
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [chain, outer_factors_first], ids=lambda f: f.__name__)
@pytest.mark.parametrize("args", HAZARDS.values(), ids=list(HAZARDS))
def test_no_new_overflow(args: list[Any], f: Any, backend: str) -> None:
    if backend == "jax" and args is HAZARDS[SUBNORMAL]:
        pytest.skip("XLA computes with zero for subnormal numbers")
    expected = np.asarray(f.eval(*args, backend="naive"))
    library = backend if backend in ("torch", "jax") else "numpy"
    result = np.asarray(f.eval(*(given(x, library) for x in args), backend=backend))
    checked = np.isfinite(expected) | ~np.all([np.isfinite(x).all() for x in args])
    np.testing.assert_allclose(result[checked], expected[checked], rtol=1e-12)


@pytest.mark.parametrize("f", [chain, outer_factors_first, around], ids=lambda f: f.__name__)
def test_the_sums_of_the_program_stay_in_a_branch(f: Any) -> None:
    before_loops = takewhile(lambda each: each != "convert-phi-to-loops", NATIVE)
    module = run_pipeline(f.phi(*(np.ones((2, 2)) for _ in range(3))), list(before_loops))
    sums = [op for op in module.walk() if isinstance(op, phi.FoldOp) and _is_nested(op)]
    assert sums
    assert all(any(map(branch_of, scopes.around(op))) for op in sums)


def _is_nested(op: phi.FoldOp) -> bool:
    """Whether a sum has a sum of products of three factors in its terms."""
    inner = [each for each in op.body.block.walk() if isinstance(each, phi.FoldOp)]
    return any(sum(isinstance(x, arith.MulfOp) for x in each.walk()) == 2 for each in inner)


def test_results_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    args = [np.random.default_rng(7).normal(size=(70, 70)) for _ in range(3)]
    results = list[bytes]()
    for threads in ("1", "2", "7"):
        monkeypatch.setenv("EIN_NUM_THREADS", threads)
        results.append(np.asarray(chain.eval(*args, backend="native")).tobytes())
    assert len(set(results)) == 1


def test_a_negative_count_is_an_error() -> None:
    @function
    def f(a: Vec[Vec[Float]], b: Vec[Vec[Float]], c: Vec[Float], n: Int) -> Vec[Float]:
        return array(lambda i: fold_sum(lambda j, k: a[i, j] * b[j, k] * c[k], count=(n, n)))

    a = np.ones((2, 2))
    with pytest.raises(ValueError, match="count of j is negative: -1"):
        f.eval(a, a, a[0], -1, backend="native")
