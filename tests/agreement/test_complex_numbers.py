"""Complex numbers: the arithmetic of NumPy and the derivatives of JAX, on every backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ein_mlir as ein
from ein_mlir import (
    Complex,
    EinTypeError,
    ShapedArray,
    array,
    fold,
    fold_prod,
    fold_sum,
    fold_while,
    function,
    grad,
    hessian,
    jacobian,
    jvp,
    reduce_max,
    reduce_prod,
    reduce_sum,
    vjp,
    where,
)
from tests.libraries import in_64_bits
from tests.selection import in_turn

BACKENDS = ["naive", "numpy", "torch", "jax", "native"]
DTYPES = ["complex64", "complex128"]
Array = NDArray[Any]


def numbers(dtype: str, *shape: int, seed: int = 0) -> Array:
    """Complex numbers in all quadrants."""
    random = np.random.default_rng(seed)
    return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(dtype)


def assert_close(actual: Any, expected: Any) -> None:
    """Assert equal dtypes and shapes, and elements that are equal but for rounding."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    is_single = actual.dtype in (np.complex64, np.float32)
    np.testing.assert_allclose(actual, expected, rtol=2e-5 if is_single else 1e-12, atol=1e-6)


ELEMENTWISE: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "sum": (lambda x, y: x + y, lambda x, y: x + y),
    "difference": (lambda x, y: x - y, lambda x, y: x - y),
    "product": (lambda x, y: x * y, lambda x, y: x * y),
    "quotient": (lambda x, y: x / y, lambda x, y: x / y),
    "negation": (lambda x, y: -x, lambda x, y: -x),
    "conjugate": (lambda x, y: x.conj(), lambda x, y: x.conj()),
    "conjugate in Python": (lambda x, y: x.conjugate(), lambda x, y: x.conj()),
    "real": (lambda x, y: x.real, lambda x, y: x.real),
    "imag": (lambda x, y: x.imag, lambda x, y: x.imag),
    "abs": (lambda x, y: abs(x), lambda x, y: abs(x)),
    "angle": (lambda x, y: x.angle(), lambda x, y: np.angle(x)),
    "exp": (lambda x, y: ein.exp(x), lambda x, y: np.exp(x)),
    "log": (lambda x, y: ein.log(x), lambda x, y: np.log(x)),
    "sqrt": (lambda x, y: ein.sqrt(x), lambda x, y: np.sqrt(x)),
    "cube": (lambda x, y: x**3, lambda x, y: x**3),
    "one": (lambda x, y: x**0, lambda x, y: x**0),
    "inverse square": (lambda x, y: x**-2, lambda x, y: x**-2),
    "power": (lambda x, y: x**y, lambda x, y: x**y),
    "literals": (
        lambda x, y: 2 * x + 1j * y - 3.0 + (1 - 2j) / x - x / 2,
        lambda x, y: 2 * x + 1j * y - 3.0 + (1 - 2j) / x - x / 2,
    ),
    "literals beside floats": (
        lambda x, y: (x.real + 2j) * (1j - x.imag) / (y.real - 1j) + y.imag / (2j) * 2**x,
        lambda x, y: (x.real + 2j) * (1j - x.imag) / (y.real - 1j) + y.imag / (2j) * 2**x,
    ),
    "floats that equal": (
        lambda x, y: (x.real == x) | (abs(x) != y) & (y.real == 1j),
        lambda x, y: (x.real == x) | (abs(x) != y) & (y.real == 1j),
    ),
    "choice of a literal": (
        lambda x, y: where(x.real > 0.0, x, 0j) + where(y.real > 0.0, y.imag, y),
        lambda x, y: np.where(x.real > 0, x, 0) + np.where(y.real > 0, y.imag, y),
    ),
    "real factor": (lambda x, y: x * y.real / y.imag, lambda x, y: x * y.real / y.imag),
    "equal": (lambda x, y: (x == y) | (x == x), lambda x, y: (x == y) | (x == x)),
    "unequal": (lambda x, y: x != y, lambda x, y: x != y),
    "choice": (
        lambda x, y: where(x.real > 0.0, x, y),
        lambda x, y: np.where(x.real > 0, x, y),
    ),
    "parts": (
        lambda x, y: Complex(x.imag, y.real),
        lambda x, y: x.imag + y.real * x.dtype.type(1j),
    ),
}


@pytest.mark.parametrize(("name", "backend", "dtype"), in_turn(list(ELEMENTWISE), BACKENDS, DTYPES))
def test_elementwise(name: str, backend: str, dtype: str) -> None:
    staged, plain = ELEMENTWISE[name]
    x, y = numbers(dtype, 7), numbers(dtype, 7, seed=1)
    f = function(lambda x, y: array(lambda i: staged(x[i], y[i])))
    assert_close(f.eval(x, y, backend=backend), plain(x, y))


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_square_overflows(backend: str) -> None:
    f = function(lambda z: array(lambda i: (abs(z[i]), z[i] / z[i])))
    z = np.array([3e200 + 4e200j, 1e-200j, 0.5])
    sizes, ones = f.eval(z, backend=backend)
    assert_close(sizes, abs(z))
    assert_close(ones, np.ones(3, complex))


@pytest.mark.parametrize("backend", BACKENDS)
def test_special_values(backend: str) -> None:
    f = function(lambda z: array(lambda i: (abs(z[i]), z[i].sqrt())))
    z = np.array([0, -4, -4 - 0.0j, 4, 2j, -2j, 3 + 0j])
    sizes, roots = f.eval(z, backend=backend)
    assert_close(sizes, abs(z))
    assert_close(abs(np.asarray(roots)), abs(np.sqrt(z)))
    assert_close(np.asarray(roots) ** 2, z)


@pytest.mark.parametrize("backend", BACKENDS)
def test_powers_of_zero(backend: str) -> None:
    f = function(lambda z: array(lambda i: 0j ** z[i]))
    z = np.array([0.5 + 1j, 2, 0, -1, 1j])
    assert_close(f.eval(z, backend=backend), np.array([0, 0, 1, np.nan * 1j, np.nan * 1j]))


@pytest.mark.parametrize("backend", BACKENDS)
def test_phases_of_indices(backend: str) -> None:
    @function
    def transform(x: Any) -> Any:
        def term(k: Any, t: Any) -> Any:
            return x[t] * ein.exp(-2j * np.pi * (k * t).float() / n.float())

        n = x.size()
        return array(lambda k: fold_sum(lambda t: term(k, t), count=n), size=n)

    x = np.random.default_rng(0).normal(size=6)
    assert_close(transform.eval(x, backend=backend), np.fft.fft(x))


@pytest.mark.parametrize(("dtype", "backend", "size"), in_turn(DTYPES, BACKENDS, [0, 1, 7]))
def test_reductions(dtype: str, backend: str, size: int) -> None:
    @function
    def f(z: Any) -> Any:
        sums = fold_sum(lambda i: z[i]), reduce_sum(lambda i: z[i])
        return *sums, fold_prod(lambda i: z[i]), reduce_prod(lambda i: z[i])

    z = numbers(dtype, size)
    found = f.eval(z, backend=backend)
    for actual, expected in zip(found, (z.sum(), z.sum(), z.prod(), z.prod()), strict=True):
        assert_close(actual, expected)


@pytest.mark.parametrize(("dtype", "backend", "size"), in_turn(DTYPES, BACKENDS, [0, 1, 7]))
def test_literals_as_initial_values(dtype: str, backend: str, size: int) -> None:
    """Real literals are complex numbers in loops of complex numbers, also in their records."""

    @function
    def f(z: Any) -> Any:
        doubled = fold_while((0, 0.0), lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2 + 1j))
        return (
            fold(0.0, lambda k, acc: acc + z[k]),
            fold({"n": 0, "of": (1, 0.0)}, lambda k, s: {"n": s["n"] + 1, "of": (s["of"][0] * z[k],
                 s["of"][1] + z[k].real)}),
            ein.scan(z, 0.0, lambda x, y: x + y),
            z.reduce(1, lambda x, y: x * y),
            doubled[1] + z[0] * 0,
        )  # fmt: skip

    z = numbers(dtype, size)
    with in_64_bits(backend):
        found = f.eval(z, backend=backend)
    total, record, prefixes, product, doubled = found
    assert_close(total, z.sum())
    assert np.asarray(record["n"]) == size
    assert_close(record["of"][0], z.prod())
    assert_close(record["of"][1], np.sum(np.real(z)))
    assert_close(prefixes, z.cumsum())
    assert_close(product, z.prod())
    assert_close(doubled, z.dtype.type(7j))


@pytest.mark.parametrize(("dtype", "backend", "size"), in_turn(DTYPES, BACKENDS, [0, 1, 5]))
def test_products_of_matrices(dtype: str, backend: str, size: int) -> None:
    f = function(lambda a, b: array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j].conj())))
    a, b = numbers(dtype, 3, size), numbers(dtype, size, 4, seed=1)
    assert_close(f.eval(a, b, backend=backend), a @ b.conj())


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [1, 2, 9])
def test_a_fourier_transform(size: int, backend: str) -> None:
    @function
    def dft(x: Any) -> Any:
        n = x.size(0)
        step = Complex(0.0, -2.0 * np.pi / n.float())
        return array(
            lambda k: fold_sum(lambda t: x[t] * ein.exp(step * (k * t % n).float())), size=n
        )

    x = numbers("complex128", size)
    assert_close(dft.eval(x, backend=backend), np.fft.fft(x))


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_mandelbrot_set(backend: str) -> None:
    @function
    def steps(c: Any) -> Any:
        def escape(c: Any) -> Any:
            def step(k: Any, state: Any) -> Any:
                z, count = state
                is_inside = abs(z) <= 2.0
                return where(is_inside, z * z + c, z), count + is_inside.int()

            return fold((Complex(0.0, 0.0), 0), step, count=30)[1]

        return array(lambda i, j: escape(c[i, j]))

    c = np.linspace(-2, 1, 11)[None, :] + 1j * np.linspace(-1, 1, 7)[:, None]
    z, expected = np.zeros_like(c), np.zeros(c.shape, int)
    for _ in range(30):
        is_inside = abs(z) <= 2
        expected += is_inside
        z = np.where(is_inside, z * z + c, z)
    np.testing.assert_array_equal(np.asarray(steps.eval(c, backend=backend)), expected)


# Arguments and results ------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_records_scalars_and_strides(backend: str) -> None:
    f = function(lambda r, k: (r[0], r[0][1] * k, array(lambda i: (r[0][i] * r[1][i], r[1][i]))))
    z = numbers("complex128", 8)[::-2]
    same, scalar, (products, reals) = f.eval((z, np.arange(4.0)), 2j, backend=backend)
    assert_close(same, z)
    assert_close(scalar, z[1] * 2j)
    assert_close(products, z * np.arange(4.0))
    assert_close(reals, np.arange(4.0))


def test_arrays_of_libraries_and_their_gradients() -> None:
    import jax
    import jax.numpy as jnp
    import torch

    f = function(lambda z: fold_sum(lambda i: abs(ein.exp(z[i])) ** 2.0))
    z = numbers("complex128", 5)
    with jax.enable_x64(True):
        expected = jax.grad(lambda z: jnp.sum(jnp.abs(jnp.exp(z)) ** 2))(jnp.asarray(z))
        assert_close(jax.grad(lambda z: f(z))(jnp.asarray(z)), expected)
    tensor = torch.tensor(z, requires_grad=True)
    value: Any = f(tensor)
    value.backward()
    assert tensor.grad is not None
    assert_close(tensor.grad.conj().resolve_conj().numpy(), expected)  # PyTorch's has no conjugate


def test_shapes() -> None:
    f = function(lambda z, n: array(lambda i: z[i] * z[i], size=n))
    assert f.shapes(ShapedArray((3,), "complex64"), 2) == ShapedArray((2,), "complex64")


def test_parts_are_views() -> None:
    from ein_mlir import compile

    f = function(lambda z: array(lambda i: z[i].real + 1.0))
    lines = compile(f.phi(np.zeros(3, complex)), backend="numpy").source.splitlines()
    assert "    t0 = z.real" in lines
    assert not any("copy" in line for line in lines)


# Derivatives ----------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_are_those_of_jax(backend: str) -> None:
    import jax
    import jax.numpy as jnp

    f = function(lambda z, w: fold_sum(lambda i: abs(z[i] * w[i] + ein.exp(z[i])) ** 2.0))
    z, w = numbers("complex128", 5), numbers("complex128", 5, seed=1)
    with jax.enable_x64(True):
        plain = jax.grad(lambda z, w: jnp.sum(jnp.abs(z * w + jnp.exp(z)) ** 2), (0, 1))
        expected = plain(jnp.asarray(z), jnp.asarray(w))
    found = grad(f, (0, 1)).eval(z, w, backend=backend)
    for actual, known in zip(found, expected, strict=True):
        assert_close(actual, known)


def test_directions_are_those_of_jax() -> None:
    import jax
    import jax.numpy as jnp

    f = function(lambda z: array(lambda i: ein.sqrt(z[i]) * z[i].conj() + z[i] ** 3 / (z[i] + 2.0)))
    z, c = numbers("complex128", 5), numbers("complex128", 5, seed=1)
    with jax.enable_x64(True):

        def plain(z: Any) -> Any:
            return jnp.sqrt(z) * jnp.conj(z) + z**3 / (z + 2)

        value, pullback = jax.vjp(plain, jnp.asarray(z))
        expected = pullback(jnp.asarray(c))[0], jax.jvp(plain, (z,), (c,))[1]
    found, pull = vjp(f, z)
    assert_close(found, value)
    assert_close(pull(c)[0], expected[0])
    assert_close(jvp(f, (z,), (c,))[1], expected[1])


# Errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda z: z[0] < z[1], "complex numbers have no order"),
        (lambda z: reduce_max(lambda i: z[i]), "complex numbers have no order"),
        (lambda z: ein.sin(z[0]), "sin is not for complex numbers; there are exp, log, sqrt"),
        (lambda z: Complex(1.0, z.size(0)), "the parts are Floats, not Int"),
        (lambda z: z[z[0]], "a position is an Int"),
        (lambda z: z[0] + z[0].real.float("f32"), r"Float \(f64\) \+ Float \(f32\)"),
        (lambda z: ein.sort(z), "the keys are numbers or Bools"),
        (lambda z: jacobian(lambda z: z)(z), "jvp and vjp are for them"),
        (lambda z: hessian(lambda z: abs(z[0]))(z), "jvp and vjp are for them"),
        (lambda z: grad(lambda z: z[0])(z), "the result is a Float, not Complex"),
    ],
)
def test_errors(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(EinTypeError, match=message):
        function(f).eval(numbers("complex128", 3), backend="naive")


def test_an_argument_of_another_dtype() -> None:
    from ein_mlir import compile

    f = compile(function(lambda z: z).phi(np.zeros(3, "complex64")), backend="numpy")
    with pytest.raises(EinTypeError, match="expected an array of complex64 and rank 1"):
        f(np.zeros(3, "complex128"))
