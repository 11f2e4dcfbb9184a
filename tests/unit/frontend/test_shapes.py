"""``f.shapes``: arguments of every kind, records, sizes that depend on elements, and errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from ein_mlir import (
    EinTypeError,
    EinValueError,
    Float,
    Function,
    ShapedArray,
    Vec,
    array,
    concat,
    ext,
    filter,
    fold,
    fold_sum,
    function,
    where,
    wrap,
)
from tests.libraries import needs


@function
def product(a, b):
    return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))


def test_placeholders_and_arrays() -> None:
    expected = ShapedArray((10**9, 10**10))
    assert product.shapes(ShapedArray((10**9, 3)), b=ShapedArray((3, 10**10))) == expected
    assert product.shapes(np.ones((2, 3)), ShapedArray((3, 4))) == ShapedArray((2, 4))
    assert product.shapes(np.ones((2, 3), "f4"), np.ones((3, 0), "f4")) == ShapedArray(
        (2, 0), "float32"
    )


def test_nothing_is_compiled() -> None:
    f = function(lambda a: array(lambda i: a[i] + 1.0))
    assert f.shapes(ShapedArray((3,))) == ShapedArray((3,))
    assert not vars(f._compiled)


def test_unequal_sizes_are_an_error() -> None:
    """Those that the sizes of the result rely on."""

    @function
    def added(a, b):
        return array(lambda i: a[i] + b[i])

    with pytest.raises(EinValueError, match=r"added: index i: .*: 3 != 5"):
        added.shapes(ShapedArray((3,)), ShapedArray((5,)))


def test_a_negative_size_is_an_error() -> None:
    f = function(lambda n: array(lambda i: i, size=n - 5))
    assert f.shapes(7) == ShapedArray((2,), "int64")
    with pytest.raises(EinValueError, match="negative: -2"):
        f.shapes(3)


@dataclass
class Pair:
    x: Vec[Float]
    y: Float


@function
def pair(p: Pair, names: dict[str, Any]):
    return {"pair": Pair(concat(p.x, p.x), p.y), "n": (names["a"], 1)}


def test_records() -> None:
    given = Pair(ShapedArray((3,)), 2.0)  # pyright: ignore[reportArgumentType]
    found = pair.shapes(given, {"a": np.ones((2, 2), np.int32)})
    scalar = ShapedArray((), "float64")
    assert found["pair"] == Pair(ShapedArray((6,)), scalar)  # pyright: ignore[reportArgumentType]
    assert found["n"] == (ShapedArray((2, 2), "int32"), ShapedArray((), "int64"))


def test_a_size_that_varies_from_step_to_step() -> None:
    """The fold is the recurrence of the size, with as many steps."""

    @function
    def grow(a, n):
        return fold((a, a), lambda k, c: (concat(c[0], c[1]), where(k > 0, c[1], a)), count=n)

    assert grow.shapes(ShapedArray((3,)), 4) == (ShapedArray((15,)), ShapedArray((3,)))
    assert [np.shape(x) for x in grow(np.ones(3), 4)] == [(15,), (3,)]


def test_sizes_of_steps_that_depend_on_each_other() -> None:
    @function
    def fibonacci(a, b, n):
        return fold((a, b), lambda k, c: (c[1], concat(c[0], c[1])), count=n)

    given = np.ones(1), np.ones(2), 6
    expected = [ShapedArray(np.shape(x)) for x in fibonacci.eval(*given, backend="naive")]
    assert list(fibonacci.shapes(ShapedArray((1,)), ShapedArray((2,)), 6)) == expected


def test_a_long_loop_that_keeps_its_sizes_takes_no_step() -> None:
    f = function(lambda a, n: fold(a, lambda k, v: array(lambda i: v[i] + k.float()), count=n))
    assert f.shapes(ShapedArray((10**6,)), 10**12) == ShapedArray((10**6,))


def test_a_size_that_is_an_element() -> None:
    f = function(lambda v, a: (array(lambda i: a[0], size=v[1]), a))
    found = f.shapes(np.array([2, 5]), ShapedArray((7,), "float32"))
    assert found == (ShapedArray((5,), "float32"), ShapedArray((7,), "float32"))
    with pytest.raises(EinTypeError, match="depend on the elements of v: give its value"):
        f.shapes(ShapedArray((2,), "int64"), ShapedArray((7,)))


def test_the_number_of_elements_that_are_kept() -> None:
    f = function(lambda v: filter(v, lambda x: x > 0))
    assert f.shapes(np.array([1.0, -1.0, 2.0])) == ShapedArray((2,))


def test_captured_arrays() -> None:
    a = wrap(np.ones((2, 3)))
    f = function(lambda v: array(lambda i, j, k: a[i, j] * v[k]))
    assert f.shapes(ShapedArray((4,))) == ShapedArray((2, 3, 4))


def test_an_extrinsic_is_called_on_zeros() -> None:
    seen = list[Any]()

    def doubled(v: Any) -> Any:
        seen.append(v)
        return np.concatenate([v, v], axis=-1)

    double = ext(doubled, ([Vec[Float]], Vec[Float]))
    f = function(lambda a: array(lambda i: double(array(lambda j: a[i, j] + 1.0))))
    assert f.shapes(ShapedArray((5, 3))) == ShapedArray((5, 6))
    assert [v.tolist() for v in seen] == [[0.0, 0.0, 0.0]]


def test_a_chain_of_updates() -> None:
    """The values of a block are made in order: the depth of recursion does not grow with them."""

    def chain(a: Any) -> Any:
        for step in range(400):
            a = array(lambda i, a=a, step=step: where(i == step, 0.0, a[i]))
        return a

    f: Function[..., Any] = function(chain)
    assert f.shapes(ShapedArray((3,))) == ShapedArray((3,))


@needs("jax")
def test_placeholders_of_jax() -> None:
    import jax

    given = jax.ShapeDtypeStruct((2, 3), np.float32), jax.ShapeDtypeStruct((3, 4), np.float32)
    assert product.shapes(*given) == ShapedArray((2, 4), "float32")


@needs("torch")
def test_tensors() -> None:
    import torch

    given = torch.ones(2, 3, dtype=torch.float32, device="meta")
    assert product.shapes(given, torch.ones(3, 4)) == ShapedArray((2, 4), "float32")
    f = function(lambda v: array(lambda i: v[i], size=v[0]))
    assert f.shapes(torch.tensor([3, 1])) == ShapedArray((3,), "int64")


def test_staged_arguments_are_an_error() -> None:
    with pytest.raises(EinTypeError, match="expected arrays and numbers"):
        product.shapes(wrap(np.ones((2, 2))), np.ones((2, 2)))
