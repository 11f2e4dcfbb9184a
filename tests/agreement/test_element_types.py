"""Elements of every integer type: the arithmetic of NumPy, on every backend.

Integers of 8, 16 and 32 bits wrap, also in positions and sizes; those without a sign are compared,
divided and converted as such.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ein_mlir import (
    EinTypeError,
    Vec,
    accumulate,
    argsort,
    array,
    ext,
    fold_argmax,
    fold_max,
    fold_min,
    fold_sum,
    function,
    reduce_argmin,
    reduce_max,
    reduce_min,
    reduce_prod,
    scan,
    sort,
    top_k,
    unique,
    where,
)
from ein_mlir.host.elements import SCALARS
from tests.selection import in_turn

TYPES = [type_.dtype for type_ in SCALARS if type_.kind == "int" and type_.bits < 64]
COMPILING = ["numpy", "torch", "jax", "native"]
ALL = ["naive", *COMPILING]
Array = NDArray[Any]


def ends(dtype: str) -> tuple[Array, Array]:
    """Numbers at the ends of a type, each with each."""
    limits = np.iinfo(dtype)
    middle, least = limits.max // 2, [limits.min, limits.min + 1]
    one = [0, 1, 2, 5, 7, middle, middle + 1, limits.max - 1, limits.max, *least]
    x, y = np.meshgrid(np.array(one, dtype), np.array(one, dtype))
    return x.ravel(), y.ravel()


def numpy_of(values: Any) -> Any:
    """Results as NumPy arrays, in nested tuples."""
    return tuple(map(numpy_of, values)) if isinstance(values, tuple) else np.asarray(values)


def assert_same(actual: Any, expected: Any) -> None:
    """Assert equal arrays of equal dtypes, in nested tuples."""
    if isinstance(expected, tuple):
        assert len(actual) == len(expected)
        for pair in zip(actual, expected, strict=True):
            assert_same(*pair)
        return
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected)


def agree(f: Any, *args: Any, backend: str) -> None:
    """Assert that a backend gives the result of the interpreter."""
    assert_same(numpy_of(f.eval(*args, backend=backend)), numpy_of(f.eval(*args, backend="naive")))


# Operators ------------------------------------------------------------------------------------


@function
def operators(a: Vec, b: Vec) -> Any:
    return array(
        lambda i: (
            a[i] + b[i],
            a[i] - b[i],
            a[i] * b[i],
            a[i] // b[i],
            a[i] % b[i],
            -a[i],
            ~a[i],
            abs(a[i]),
            a[i].sign(),
            a[i] & b[i],
            a[i] | b[i],
            a[i] ^ b[i],
            a[i].min(b[i]),
            a[i].max(b[i]),
            a[i] < b[i],
            a[i] <= b[i],
            a[i] > b[i],
            a[i] >= b[i],
            a[i] == b[i],
            a[i] != b[i],
            a[i] / b[i],
            where(a[i] < b[i], a[i], b[i]),
        )
    )


def operators_of_numpy(a: Array, b: Array) -> Any:
    with np.errstate(all="ignore"):
        return (
            a + b,
            a - b,
            a * b,
            a // b,
            a % b,
            -a,
            ~a,
            abs(a),
            np.sign(a),
            a & b,
            a | b,
            a ^ b,
            np.minimum(a, b),
            np.maximum(a, b),
            a < b,
            a <= b,
            a > b,
            a >= b,
            a == b,
            a != b,
            a.astype(np.float64) / b.astype(np.float64),
            np.where(a < b, a, b),
        )


@pytest.mark.parametrize("dtype", TYPES)
def test_operators_are_those_of_numpy(dtype: str) -> None:
    x, y = ends(dtype)
    assert_same(numpy_of(operators.eval(x, y, backend="naive")), operators_of_numpy(x, y))


@pytest.mark.parametrize("backend", COMPILING)
@pytest.mark.parametrize("dtype", TYPES)
def test_operators(dtype: str, backend: str) -> None:
    agree(operators, *ends(dtype), backend=backend)


@pytest.mark.parametrize("backend", COMPILING)
@pytest.mark.parametrize("dtype", TYPES)
def test_shifts_and_powers(dtype: str, backend: str) -> None:
    @function
    def f(a: Vec, n: Vec) -> Any:
        return array(
            lambda i: (a[i] << n[i], a[i] >> n[i], a[i] ** n[i], (a[i] & 7).float() ** (n[i] & 7))
        )

    bits = np.iinfo(dtype).bits
    a, n = np.meshgrid(ends(dtype)[0][:11], np.array([0, 1, 2, 3, bits - 1, bits, bits + 1], dtype))
    with np.errstate(all="ignore"):
        expected = (a << n, a >> n, a**n)
    found = f.eval(a.ravel(), n.ravel(), backend="naive")
    np.testing.assert_array_equal(found[2], expected[2].ravel())
    agree(f, a.ravel(), n.ravel(), backend=backend)


@pytest.mark.parametrize("backend", COMPILING)
@pytest.mark.parametrize("dtype", TYPES)
def test_shifts_by_known_distances(dtype: str, backend: str) -> None:
    """Parts of packed numbers, which are converted to floats."""

    @function
    def f(a: Vec) -> Any:
        return array(lambda i: (a[i] >> 3, (a[i] >> 4) & 15, (a[i] >> 4).int().float()))

    agree(f, ends(dtype)[0], backend=backend)


@pytest.mark.parametrize("backend", ALL)
@pytest.mark.parametrize("dtype", [*TYPES, "int64"])
def test_conversions(dtype: str, backend: str) -> None:
    """To every integer type modulo two to its width, and to both floats."""

    @function
    def f(a: Vec) -> Any:
        ints = tuple(array(lambda i, to=to: a[i].int(to)) for to in [*TYPES, "int64"])
        return ints, array(lambda i: (a[i].float(), a[i].float("f32"), a[i] != 0))

    x = ends(dtype)[0][:11]
    ints = tuple(x.astype(to) for to in [*TYPES, "int64"])
    floats = x.astype(np.float64), x.astype(np.float32), x != 0
    assert_same(numpy_of(f.eval(x, backend=backend)), (ints, floats))


@pytest.mark.parametrize("backend", ALL)
@pytest.mark.parametrize("dtype", TYPES)
def test_floats_and_bools_become_integers(dtype: str, backend: str) -> None:
    @function
    def f(x: Vec, p: Vec) -> Any:
        return array(lambda i: (x[i].int(dtype), p[i].int(dtype)))

    limits = np.iinfo(dtype)
    x = np.array([0.0, 0.9, 1.5, limits.max - 0.5, max(limits.min, -100) + 0.0])
    expected = np.trunc(x).astype(dtype), (x > 1).astype(dtype)
    assert_same(numpy_of(f.eval(x, x > 1, backend=backend)), expected)


# Loops ----------------------------------------------------------------------------------------


@function
def loops(a: Vec) -> Any:
    return (
        fold_sum(lambda i: a[i]),
        reduce_prod(lambda i: a[i]),
        fold_max(lambda i: a[i]),
        fold_min(lambda i: a[i]),
        reduce_max(lambda i: a[i]),
        reduce_min(lambda i: a[i]),
        fold_argmax(lambda i: a[i]),
        reduce_argmin(lambda i: a[i]),
        scan(a, 0, lambda x, y: x + y),
    )


@pytest.mark.parametrize(("dtype", "backend", "size"), in_turn(TYPES, COMPILING, [0, 1, 7]))
def test_loops(dtype: str, backend: str, size: int) -> None:
    agree(loops, ends(dtype)[0][3 : 3 + size], backend=backend)


@pytest.mark.parametrize("dtype", TYPES)
def test_loops_are_those_of_numpy(dtype: str) -> None:
    a = ends(dtype)[0][:11]
    found = numpy_of(loops.eval(a, backend="naive"))
    expected = (
        a.sum(dtype=dtype),
        a.prod(dtype=dtype),
        *(a.max(), a.min()) * 2,
        a.argmax(),
        a.argmin(),
        np.cumsum(a, dtype=dtype),
    )
    assert_same(found, numpy_of(expected))


@pytest.mark.parametrize("backend", ALL)
@pytest.mark.parametrize("dtype", TYPES)
def test_order(dtype: str, backend: str) -> None:
    @function
    def f(a: Vec) -> Any:
        return sort(a), argsort(a), top_k(a, 3)

    a = ends(dtype)[0][:11]
    order = np.argsort(a, kind="stable")
    largest = np.argsort(-a.astype(np.int64), kind="stable")[:3]
    expected = a[order], order, (a[largest], largest)
    assert_same(numpy_of(f.eval(a, backend=backend)), expected)


@pytest.mark.parametrize("backend", ["naive", "numpy", "torch", "native"])
def test_unique(backend: str) -> None:
    a = np.array([200, 3, 255, 3, 0, 200], np.uint8)
    f = function(lambda a: unique(a))
    assert_same(np.asarray(f.eval(a, backend=backend)), np.unique(a))


@pytest.mark.parametrize("backend", ALL)
@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_matrices_wrap(dtype: str, backend: str) -> None:
    @function
    def f(a: Any, b: Any) -> Any:
        return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))

    random = np.random.default_rng(0)
    limits = np.iinfo(dtype)
    a, b = (random.integers(limits.min, limits.max, shape, dtype) for shape in ((5, 7), (7, 3)))
    assert_same(np.asarray(f.eval(a, b, backend=backend)), a @ b)


@pytest.mark.parametrize("backend", ALL)
def test_accumulated_bytes_wrap(backend: str) -> None:
    f = function(lambda p, x: accumulate(lambda i: (p[i], x[i]), 3))
    p, x = np.array([0, 2, 0, 255, 2], np.uint8), np.array([200, 1, 100, 7, 2], np.uint8)
    assert_same(np.asarray(f.eval(p, x, backend=backend)), np.array([44, 0, 3], np.uint8))


# Positions and sizes --------------------------------------------------------------------------

LONG = np.arange(300.0)
BYTES = np.array([200, 100, 255, 0, 1], np.uint8), np.array([100, 100, 1, 0, 255], np.uint8)
POSITIONS: dict[str, Callable[..., Any]] = {
    "sum": lambda x, u, v: array(lambda i: x[u[i] + v[i]]),
    "difference": lambda x, u, v: array(lambda i: x[u[i] - v[i]]),
    "product": lambda x, u, v: array(lambda i: x[u[i] * v[i]]),
    "negation": lambda x, u, v: array(lambda i: x[-u[i]]),
    "shift": lambda x, u, v: array(lambda i: x[(u[i] << 1) + 1]),
    "signed product": lambda x, u, v: array(
        lambda i: x[(u[i].int("i8") * v[i].int("i8")).int() + 128]
    ),
    "smallest": lambda x, u, v: array(lambda i: x[abs(u[i].int("i8")).int() + 200]),
    "index of 8 bits": lambda x, u, v: array(lambda i: x[i.int("u8")], size=300),
    "index with a sign": lambda x, u, v: array(lambda i: x[i.int("i8") + 3], size=300),
    "shifted index": lambda x, u, v: array(lambda i: x[i.int("u8") + 10], size=300),
    "doubled index": lambda x, u, v: array(lambda i: x[(i.int("i8") * 2).int()], size=300),
    "index below": lambda x, u, v: array(lambda i: where(i.int("u8") < 200, x[i], -1.0)),
    "index from 0 on": lambda x, u, v: array(lambda i: where(i.int("i8") >= 0, x[i], -1.0)),
    "index and successor": lambda x, u, v: array(
        lambda i: where(i.int("u8") + 10 > i.int("u8"), x[i], -1.0)
    ),
    "running": lambda x, u, v: array(lambda i: x[fold_sum(lambda k: u[k]) + v[i]]),
    "bytes of all": lambda x, u, v: accumulate(lambda i: (i.int("u8"), x[i]), 300),
    "blocks": lambda x, u, v: array(
        lambda i: x[i.int("u8") // 16 * 16 + i.int("u8") % 16], size=300
    ),
}


@pytest.mark.parametrize("backend", COMPILING)
@pytest.mark.parametrize("name", POSITIONS)
def test_positions_wrap(name: str, backend: str) -> None:
    agree(function(POSITIONS[name]), LONG, *BYTES, backend=backend)


def test_the_position_of_a_wrapped_sum() -> None:
    found = function(POSITIONS["sum"]).eval(LONG, *BYTES, backend="numpy")
    np.testing.assert_array_equal(found, [44, 200, 0, 0, 0])


@pytest.mark.parametrize("backend", ALL)
def test_sizes_wrap(backend: str) -> None:
    f = function(lambda n, m: array(lambda i: i, size=n + m))
    assert len(f.eval(np.uint8(200), np.uint8(100), backend=backend)) == 44


@pytest.mark.parametrize("backend", ALL)
def test_checked_positions_have_no_sign(backend: str) -> None:
    """With ``bounds="check"``, 200 of 8 bits is a position in bounds."""
    f = function(lambda x, u: array(lambda i: x[u[i]]), bounds="check")
    np.testing.assert_array_equal(f.eval(LONG, BYTES[0], backend=backend), BYTES[0].astype(float))
    with pytest.raises(IndexError, match="position 255 is out of bounds"):
        f.eval(LONG[:250], BYTES[0], backend=backend)


# Arguments and results ------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ALL)
def test_records_and_scalars(backend: str) -> None:
    f = function(lambda r, k: (r[0][0], k + 1, array(lambda i: (r[0][i], r[1][i] * 2.0)), r))
    record = BYTES[0], np.arange(5.0)
    actual = numpy_of(f.eval(record, np.uint8(255), backend=backend))
    expected = np.uint8(200), np.uint8(0), (record[0], record[1] * 2), record
    assert_same(actual, numpy_of(expected))


@pytest.mark.parametrize("dtype", TYPES)
def test_tensors_and_arrays_of_libraries(dtype: str) -> None:
    import jax.numpy as jnp
    import torch

    f = function(lambda a: array(lambda i: a[i] // 3 + a[i]))
    a = ends(dtype)[0][:11]
    expected = f.eval(a, backend="naive")
    tensor: Any = f(torch.from_numpy(a))
    assert tensor.dtype == getattr(torch, dtype)
    np.testing.assert_array_equal(tensor.numpy(), expected)
    traced: Any = f(jnp.asarray(a))
    assert traced.dtype == dtype
    np.testing.assert_array_equal(np.asarray(traced), expected)


def test_a_result_shares_no_memory_with_its_argument() -> None:
    a = BYTES[0].copy()
    result = function(lambda a: a).eval(a, backend="numpy")
    assert not np.shares_memory(a, result)


def test_shapes_have_the_dtypes_of_the_host() -> None:
    f = function(lambda a, n: array(lambda i: a[i], size=n))
    shape = f.shapes(BYTES[0], np.uint8(3))
    assert (shape.shape, shape.dtype) == ((3,), np.uint8)


# Errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda u: array(lambda i: u[i] + 256), r"256 does not fit Int \(u8\)"),
        (lambda u: array(lambda i: u[i] - -1), r"-1 does not fit Int \(u8\)"),
        (lambda u: array(lambda i: u[i] + u[i].int("i8")), r"write `x.int\(\)` for both operands"),
        (lambda u: array(lambda i: u[i] + u[i].int("i16")), r'write `x.int\("i16"\)` for the left'),
        (lambda u: array(lambda i: u[i] + 0.5), r"0.5 does not go with Int \(u8\)"),
        (lambda u: accumulate(lambda i: (i, u[i]), 3, by="max"), r"with a sign, not Int \(u8\)"),
        (lambda u: ext(abs, ([np.uint8], np.uint8))(u[0]), r"neither takes nor returns Int \(u8\)"),
    ],
)
def test_errors_name_the_type(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(EinTypeError, match=message):
        function(f).eval(BYTES[0], backend="naive")


@pytest.mark.parametrize("dtype", ["complex256", "uint64"])
def test_types_that_ein_lacks(dtype: str) -> None:
    with pytest.raises(EinTypeError, match=f"arrays of {dtype} have no type in Ein"):
        function(lambda a: a).eval(np.zeros(3, dtype))
