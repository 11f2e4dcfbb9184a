"""The law of floats: only the rounding of sums may differ from the program.

No finite result becomes infinite or NaN, no infinity or NaN of an argument is lost, and an empty
sum is its identity. A regrouping may avoid an overflow or an underflow of the program, not add one:
where the program overflows although its arguments are finite, the result may be finite.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ein_mlir import (
    Float,
    Function,
    Int,
    Vec,
    array,
    erf,
    exp,
    fold,
    fold_max,
    fold_min,
    fold_prod,
    fold_sum,
    function,
    max,
    sin,
    sqrt,
    where,
)
from tests.agreement.comparison import given
from tests.libraries import BACKENDS
from tests.selection import combinations

inf, nan = np.inf, np.nan

# Programs -------------------------------------------------------------------------------------


@function
def factor_of_a_sum(a: Vec[Float], b: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_sum(lambda k: a[i] * b[k]))


@function
def factor_behind(a: Vec[Float], b: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_sum(lambda k: b[k] * a[i]))


@function
def literal_factor(a: Vec[Float], b: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_sum(lambda k: 0.1 * (a[i] * b[k])))


@function
def large_literal(b: Vec[Float]) -> Float:
    return fold_sum(lambda k: -3.0 * b[k])


@function
def three_factors(a: Vec[Vec[Float]], b: Vec[Float], c: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_sum(lambda k: a[i, k] * b[k] * c[k]))


@function
def below_the_diagonal(a: Vec[Vec[Float]], b: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_sum(lambda k: where(k < i, a[i, k] * b[k], 0.0)))


@function
def off_the_diagonal(a: Vec[Vec[Float]], b: Vec[Vec[Float]]) -> Vec[Vec[Float]]:
    return array(lambda i, j: fold_sum(lambda k: where(k == i, 0.0, a[i, k] * b[k, j] * 2.0)))


@function
def grouped_factors(a: Vec[Vec[Float]], b: Vec[Float], c: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_sum(lambda k: a[i, k] * (b[k] * c[k])))


@function
def weighted_product(a: Vec[Vec[Float]], b: Vec[Float], c: Vec[Float]) -> Vec[Vec[Float]]:
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * a[j, k] * (b[k] * c[k])))


@function
def weights_last(a: Vec[Vec[Float]], b: Vec[Float], c: Vec[Float]) -> Vec[Vec[Float]]:
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * a[j, k] * b[k] * c[j]))


@function
def divided(a: Vec[Vec[Float]], b: Vec[Float], c: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_sum(lambda k: a[i, k] * b[k] / c[k]))


@function
def divided_rows(a: Vec[Vec[Float]], b: Vec[Float], c: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_sum(lambda k: a[i, k] / c[i] * b[k]))


@function
def divided_sums(a: Vec[Vec[Float]], b: Vec[Float], c: Vec[Float]) -> Vec[Vec[Float]]:
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * a[j, k] * b[k] / c[j]))


@function
def divided_factors(a: Vec[Vec[Float]], b: Vec[Float], c: Vec[Float]) -> Vec[Vec[Float]]:
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * (a[j, k] / b[k]) / c[k]))


@function
def bilinear(a: Vec[Vec[Float]], b: Vec[Float], c: Vec[Float]) -> Float:
    return fold_sum(lambda i: fold_sum(lambda k: b[i] * a[i, k] * c[k]))


@function
def separate_sums(a: Vec[Float], b: Vec[Float], c: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_sum(lambda j: fold_sum(lambda k: a[i] * b[j] * c[k])))


@function
def product_of_difference(a: Vec[Float], b: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_sum(lambda k: a[i] * b[k] - b[k]))


@function
def constants(a: Vec[Float]) -> Vec[Float]:
    return array(lambda i: 0.5 * (2.0 * a[i]))


@function
def quotients(a: Vec[Float], b: Vec[Float]) -> Vec[Vec[Float]]:
    return array(lambda i, k: a[i] / b[k] / 1e30)


@function
def products(a: Vec[Float], b: Vec[Float]) -> Float:
    return fold(a[0], lambda k, acc: acc * b[k] * a[k], count=b.size())


@function
def products_of_products(a: Vec[Float], b: Vec[Float]) -> Float:
    return fold_prod(lambda i: fold_prod(lambda k: a[i] * b[k]))


@function
def extrema(a: Vec[Float], b: Vec[Float]) -> Vec[Float]:
    return array(lambda i: fold_max(lambda k: a[i] * b[k]) - fold_min(lambda k: max(a[i], b[k])))


@function
def standardised(a: Vec[Float]) -> Vec[Float]:
    n = a.size().float()
    mean = fold_sum(lambda k: a[k]) / n
    variance = fold_sum(lambda k: (a[k] - mean) * (a[k] - mean)) / n
    return array(lambda i: (a[i] - mean) / sqrt(variance + 1e-5))


@function
def softmax(a: Vec[Float]) -> Vec[Float]:
    top = fold_max(lambda k: a[k])
    total = fold_sum(lambda k: exp(a[k] - top))
    return array(lambda i: exp(a[i] - top) / total)


@function
def gelu(a: Vec[Float]) -> Vec[Float]:
    return array(lambda i: 0.5 * (a[i] * (1.0 + erf(a[i] * 0.7071067811865476))))


@function
def means(a: Vec[Float], b: Vec[Float]) -> Vec[Float]:
    n = b.size().float()
    inside = array(lambda i: fold_sum(lambda k: a[i] * b[k] / n))
    return array(lambda i: inside[i] - fold_sum(lambda k: 0.25 * b[k]))


@function
def equal_terms(a: Vec[Float], b: Vec[Float]) -> Vec[Float]:
    """The sum of one element for each element of another array, and for each of both."""
    each = array(lambda i: fold_sum(lambda k: a[i], count=b.size()))
    both = fold_sum(lambda i, k: a[i], count=(a.size(), b.size()))
    return array(lambda i: each[i] - both)


# Hazards --------------------------------------------------------------------------------------

HAZARDS: list[tuple[Function[..., Any], tuple[Any, ...]]] = [
    (factor_of_a_sum, ([inf], [])),
    (factor_of_a_sum, ([nan, 1.0, -inf, 0.0], [])),
    (factor_of_a_sum, ([0.0, 0.1], ["huge", "huge"])),
    (factor_of_a_sum, ([0.1, inf, nan, -inf, 0.0], [1.0, 2.5, -3.0])),
    (factor_of_a_sum, ([0.1, inf, -inf, 0.0], [inf, 2.5])),
    (factor_behind, ([inf], [])),
    (factor_behind, ([0.0, 0.1, -0.1], ["huge", "huge", "huge"])),
    (literal_factor, ([1.0, 0.0], ["huge", "huge", "-huge"])),
    (large_literal, (["huge", 1.0],)),
    (large_literal, ([],)),
    (below_the_diagonal, ([[1.0, 2.0], [3.0, 4.0]], [inf, 1.0])),
    (below_the_diagonal, ([[1.0, 2.0], [3.0, 4.0]], [1.0, inf])),
    (below_the_diagonal, ([[nan, inf], [3.0, nan]], [1.0, nan])),
    (below_the_diagonal, ([["large", 2.0], ["large", 4.0]], ["large", 1.0])),
    (below_the_diagonal, ([[], []], [])),
    (off_the_diagonal, ([[inf, 2.0], [3.0, nan]], [[1.0, 2.0], [3.0, 4.0]])),
    (off_the_diagonal, ([[1.0, 2.0], [0.0, 4.0]], [[inf, nan], [3.0, 4.0]])),
    (three_factors, ([["tiny"]], ["large"], ["large"])),
    (three_factors, ([["large", 1.0]], ["small", 1.0], ["small", 1.0])),
    (three_factors, ([["large", 2.0]], [0.0, 1.0], ["small", 1.0])),
    (three_factors, ([[0.0, 2.0]], ["large", 1.0], ["large", 1.0])),
    (three_factors, ([[inf, 2.0]], ["tiny", 1.0], ["tiny", 1.0])),
    (three_factors, ([[], []], [], [])),
    (grouped_factors, ([["tiny"]], ["large"], ["large"])),
    (weighted_product, ([["tiny", 1.0], ["small", 2.0]], ["large", 1.0], ["large", 0.0])),
    (weighted_product, ([["tiny", 1.0], ["small", 2.0]], ["small", 1.0], ["small", 0.0])),
    (weights_last, ([["small", 1.0], [2.0, 3.0]], ["tiny", 1.0], ["large", 0.001])),
    (divided, ([[1.0, 2.0]], [0.0, 1.0], [0.0, 1.0])),
    (divided, ([[0.0, 2.0]], [1.0, 1.0], [0.0, 1.0])),
    (divided, ([["large"]], ["small"], ["tiny"])),
    (divided, ([["small"]], ["small"], ["large"])),
    (divided, ([[1.0, 0.0], [1.0, -1.0]], [1.0, 1.0], [inf, -inf])),
    (divided, ([[], []], [], [])),
    (divided_rows, ([["small", 1.0], [1.0, 2.0]], [1.0, 1.0], ["tiny", 0.0])),
    (divided_rows, ([["large", 1.0], [1.0, -1.0]], ["large", 1.0], ["large", 0.0])),
    (divided_rows, ([[], []], [], [0.0, nan])),
    (divided_sums, ([["large", 1.0]], ["large", 1.0], ["large"])),
    (divided_sums, ([[1.0, -1.0]], [1.0, 1.0], [0.0])),
    (divided_sums, ([[], []], [], [0.0, inf])),
    (divided_factors, ([["small", 1.0]], ["large", 1.0], ["small", 1.0])),
    (bilinear, ([["tiny"]], ["large"], ["large"])),
    (bilinear, ([["tiny", 1.0], [2.0, 0.0]], ["large", 1.0], ["large", 0.001])),
    (bilinear, ([[1.0, 1.0]], [inf], [0.0, 1.0])),
    (bilinear, ([[]], [inf], [])),
    (separate_sums, ([inf], [], [1.0])),
    (separate_sums, (["tiny", 0.0], ["large", "large"], ["large", 1.0])),
    (product_of_difference, ([1.0, inf], [inf, 2.0])),
    (product_of_difference, ([inf], [])),
    (constants, (["huge", 1.0, inf, nan, "tiny", 0.0],)),
    (quotients, (["huge", 1.0, inf], ["large", 1.0, 0.0])),
    (products, (["tiny", "large", "large"], ["large", "small", "large"])),
    (products, ([1.0, "large", "large"], ["small", "small", 1.0])),
    (products, ([inf], [])),
    (products_of_products, (["large", "small"], ["small", "large", "small"])),
    (products_of_products, (["large"], [])),
    (extrema, ([-1.0, nan, inf, 0.0, -inf], [-2.0, 1.0, inf])),
    (extrema, ([-1.0, "huge"], ["huge", "-huge"])),
    (standardised, (["large", 1.0, "-large"],)),
    (standardised, ([inf, 1.0],)),
    (standardised, ([3.0, 3.0],)),
    (softmax, ([inf, 1.0, -inf],)),
    (softmax, ([-inf, -inf],)),
    (softmax, (["huge", "-huge", 0.0],)),
    (gelu, (["huge", "-huge", inf, nan, -3.0],)),
    (means, (["tiny", 0.5], ["huge", "huge"])),
    (means, ([inf], [])),
    (equal_terms, ([inf, nan, 1.0], [])),
    (equal_terms, ([inf, 1.0, -0.0], [1.0, 2.0, 3.0])),
    (equal_terms, (["huge", "-large"], [1.0])),
]

EXPONENTS = {"float64": 1, "float32": 8}
TOLERANCE = {"float64": 1e-12, "float32": 1e-5}


def number(value: float | str, dtype: str) -> float:
    """A number, or one of a size by name: the product of two large ones overflows."""
    if not isinstance(value, str):
        return value
    sign = -1.0 if value.startswith("-") else 1.0
    size = {"huge": 308.0, "large": 200.0, "small": -200.0, "tiny": -300.0}[value.lstrip("-")]
    return sign * 10.0 ** (size / EXPONENTS[dtype])


def arguments(values: tuple[Any, ...], dtype: str) -> list[NDArray[Any]]:
    """Nested lists as arrays of a dtype."""

    def converted(value: Any) -> Any:
        return list(map(converted, value)) if isinstance(value, list) else number(value, dtype)

    return [np.array(converted(value), dtype) for value in values]


def run(f: Function[..., Any], args: list[NDArray[Any]], backend: str) -> NDArray[Any]:
    """The result on a backend, as a NumPy array."""
    library = "torch" if backend == "torch" else "numpy"
    return np.asarray(f.eval(*[given(arg, library) for arg in args], backend=backend))


@pytest.mark.parametrize(("case", "backend", "dtype"), combinations(range(len(HAZARDS))))
def test_hazards(case: int, backend: str, dtype: str) -> None:
    """The interpreter, and with it every backend, has no hazard of a regrouping."""
    f, values = HAZARDS[case]
    args = arguments(values, dtype)
    expected = np.asarray(f.eval(*args, backend="naive"))
    actual = run(f, args, backend)
    assert actual.dtype == expected.dtype
    least = float(np.finfo(dtype).tiny)
    np.testing.assert_allclose(actual, expected, rtol=TOLERANCE[dtype], atol=4 * least)


# Random arguments -----------------------------------------------------------------------------

POLYNOMIALS: dict[str, tuple[Function[..., Any], str, str, tuple[int, ...]]] = {
    "factor_of_a_sum": (factor_of_a_sum, "i k", "i,k->i", (0, 1)),
    "factor_behind": (factor_behind, "i k", "k,i->i", (1, 0)),
    "three_factors": (three_factors, "ik k k", "ik,k,k->i", (0, 1, 2)),
    "grouped_factors": (grouped_factors, "ik k k", "ik,k,k->i", (0, 1, 2)),
    "weights_last": (weights_last, "ik k j", "ik,jk,k,j->ij", (0, 0, 1, 2)),
    "weighted_product": (weighted_product, "ik k k", "ik,jk,k,k->ij", (0, 0, 1, 2)),
    "divided": (divided, "ik k k", "ik,k,/k->i", (0, 1, 2)),
    "divided_rows": (divided_rows, "ik k i", "ik,/i,k->i", (0, 2, 1)),
    "divided_sums": (divided_sums, "ik k j", "ik,jk,k,/j->ij", (0, 0, 1, 2)),
    "divided_factors": (divided_factors, "ik k k", "ik,jk,/k,/k->ij", (0, 0, 1, 2)),
    "bilinear": (bilinear, "ik i k", "i,ik,k->", (1, 0, 2)),
    "separate_sums": (separate_sums, "i j k", "i,j,k->i", (0, 1, 2)),
}
"""Sums of products: the axes of the arguments, and the factors in the order of the program, with a
slash before a divisor."""


def drawn(shape: tuple[int, ...], dtype: str, random: np.random.Generator) -> NDArray[Any]:
    """Ordinary numbers, some of which are replaced by special ones or have another exponent."""
    values = random.normal(size=shape)
    exponents = random.integers(-290, 290, size=shape) / EXPONENTS[dtype]
    special = random.choice([inf, -inf, nan, 0.0, -0.0, 1.0], size=shape)
    kinds = random.choice([[1.0, 0.0, 0.0], [0.4, 0.6, 0.0], [0.7, 0.2, 0.1]])
    kind = random.choice(3, size=shape, p=kinds)
    return np.choose(kind, [values, values * 10.0**exponents, special]).astype(dtype)


def drawn_arguments(axes: str, dtype: str, random: np.random.Generator) -> list[NDArray[Any]]:
    """Arguments with named axes; some axes are empty."""
    sizes = dict(zip("ik", random.choice([0, 1, 2, 3, 3, 3], size=2), strict=True))
    sizes["j"] = sizes["i"]
    return [drawn(tuple(sizes[name] for name in names), dtype, random) for names in axes.split()]


@pytest.mark.parametrize(("name", "backend", "dtype"), combinations(POLYNOMIALS))
def test_random_arguments(name: str, backend: str, dtype: str) -> None:
    f, axes, subscripts, numbers = POLYNOMIALS[name]
    random = np.random.default_rng(sum(map(ord, name)))
    for _ in range(10 if backend == "jax" else 40):
        args = drawn_arguments(axes, dtype, random)
        with np.errstate(all="ignore"):
            expected = np.asarray(f.eval(*args, backend="naive"))
            wide = [args[k].astype(np.longdouble) for k in numbers]
            terms = zip(subscripts.split(","), wide, strict=True)
            factors = [1 / x if term.startswith("/") else x for term, x in terms]
            exact = np.einsum(subscripts.replace("/", ""), *factors)
            magnitude = np.einsum(subscripts.replace("/", ""), *map(np.abs, factors))
        is_given = all(np.isfinite(arg).all() for arg in args)
        actual = run(f, args, backend)
        assert actual.shape == expected.shape
        for place in np.ndindex(expected.shape):
            what = actual[place], expected[place], exact[place], magnitude[place]
            assert is_lawful(*what, is_given, dtype), (args, *what)


def is_lawful(
    actual: Any, expected: Any, exact: Any, magnitude: Any, is_given: bool, dtype: str
) -> bool:
    """Whether a result differs by rounding, or by an overflow or underflow that it avoids.

    ``is_given``: all arguments are finite. Terms whose magnitudes add up to more than the largest
    number may overflow in another order.
    """
    info = np.finfo(dtype)
    if not np.isfinite(actual):
        return not np.isfinite(expected) or bool(is_given and magnitude > info.max / 2)
    if not np.isfinite(expected) and not is_given:
        return False
    allowed = TOLERANCE[dtype] * magnitude + 16 * info.tiny
    return any(np.isfinite(x) and abs(actual - x) <= allowed for x in (expected, exact))


# The sign of zero -----------------------------------------------------------------------------


@function
def signed_zeros(a: Vec[Float], b: Vec[Float]) -> Vec[Vec[Float]]:
    """The infinities of the signs of zeros, by operations on single numbers."""

    def zeros(i: Int) -> list[Any]:
        x, y = a[i], b[i]
        return [-x, x + y, x - y, 0.0 - x, x - 0.0, x + 0.0, x * y, -1.0 * x, x / 4.0, sin(-x)]

    return array(
        lambda i, k: 1.0 / chosen([*zeros(i), 0.5 * (2.0 * a[i]), abs(b[i])], k), size=(4, 12)
    )


def chosen(values: list[Any], k: Int) -> Any:
    """The element of a list at a staged position."""
    result = values[0]
    for number, value in enumerate(values[1:], 1):
        result = where(k == number, value, result)
    return result


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("backend", BACKENDS)
def test_signs_of_zeros(backend: str, dtype: str) -> None:
    """The sign of a zero is that of IEEE 754, where no sum over an axis is taken."""
    args = arguments(([0.0, -0.0, 0.0, -0.0], [0.0, 0.0, -0.0, -0.0]), dtype)
    expected = np.asarray(signed_zeros.eval(*args, backend="naive"))
    assert not np.isfinite(expected).any()
    actual = run(signed_zeros, args, backend)
    if backend == "jax":
        assert actual[1, 5] in (np.inf, -np.inf)  # XLA replaces x + 0.0 by x
        actual = np.where(np.arange(12) == 5, expected, actual)
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize("backend", BACKENDS)
def test_sums_of_zeros_are_zeros(backend: str) -> None:
    """Of either sign: that is unspecified."""
    args = [np.array([-0.0, 0.0, -1.0]), np.array([-0.0, -0.0])]
    assert run(large_literal, args[1:], backend) == 0.0
    np.testing.assert_array_equal(run(factor_of_a_sum, args, backend), [0.0, 0.0, 0.0])


# Long products --------------------------------------------------------------------------------


@function
def long_product(a: Vec[Float]) -> Float:
    return fold_prod(lambda k: a[k])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("period", [1, 4, 16])
def test_long_products(backend: str, period: int) -> None:
    """Libraries would multiply large factors with each other, if they are some places apart."""
    factor = 1e200 if period == 1 else 2.0**100
    a = np.array([*[factor] * period, *[1 / factor] * period] * 64)
    with np.errstate(all="ignore"):
        expected = long_product.eval(a, backend="naive")
    actual = run(long_product, [a], backend)
    if backend in ("jax", "torch") and not np.isfinite(expected):
        expected = np.where(actual == 1.0, 1.0, expected)  # products in blocks may avoid overflow
    np.testing.assert_allclose(actual, expected, rtol=1e-9)


@function
def factors_of_bools(a: Vec[Float], b: Vec[Float]) -> tuple[Vec[Float], Float, Vec[Float]]:
    """Bools as numbers, which are factors."""
    large = array(lambda i: where(b[i] > 1.0, 1.0, 0.0))
    return (
        array(lambda i: a[i] * large[i]),
        fold_sum(lambda i: where(b[i] > 2.0, 1.0, 0.0) * a[i]),
        array(lambda i: fold_sum(lambda k: a[i] * where(b[k] > a[k], 1.0, 0.0))),
    )


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("special", [nan, inf])
def test_nothing_times_nan(special: float, backend: str) -> None:
    arguments = np.array([3.0, special, 1.0]), np.array([2.0, 0.5, 3.0])
    expected = factors_of_bools.eval(*arguments, backend="naive")
    actual = factors_of_bools.eval(*(given(each, backend) for each in arguments), backend=backend)
    for result, reference in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(result), reference)


# Powers ---------------------------------------------------------------------------------------


@function
def powers_by_literals(a: Vec[Float]) -> Vec[Vec[Float]]:
    """Products, their inverses, and powers whose exponents are too large for these."""
    return array(
        lambda i, k: chosen([a[i] ** n for n in (0, 1, 2, 5, 8, 15, 17, -1, -2, -4, -7, -17)], k),
        size=(a.size(0), 12),
    )


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("backend", BACKENDS)
def test_powers_by_literals(backend: str, dtype: str) -> None:
    """Their digits may differ, but neither their signs nor what is infinite or NaN."""
    info = np.finfo(dtype)
    tiny, largest = float(info.tiny), float(info.max)
    special = [0.0, -0.0, inf, -inf, nan, 1.0, -1.0, 1.5, -0.3, tiny, -largest, largest**0.249]
    args = arguments((special,), dtype)
    with np.errstate(all="ignore"):
        expected = np.asarray(powers_by_literals.eval(*args, backend="naive"))
    actual = run(powers_by_literals, args, backend)
    np.testing.assert_allclose(actual, expected, rtol=64 * float(info.eps), atol=4 * tiny)
    is_number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(actual)[is_number], np.signbit(expected)[is_number])
