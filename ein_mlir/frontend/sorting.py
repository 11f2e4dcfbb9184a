"""Order: `argsort`, `sort` and `searchsorted`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.frontend.combinators import array_named, fold_while, where
from ein_mlir.frontend.expr import Argsort
from ein_mlir.frontend.indexing import check_vector
from ein_mlir.frontend.size_inference import size_of
from ein_mlir.frontend.types import ScalarType, describe, element_of, resolve
from ein_mlir.frontend.values import Int, Scalar, Vec, decode, encode
from ein_mlir.host.locations import at

T = TypeVar("T")
S = TypeVar("S", bound=Scalar)


def argsort(vector: Vec[T], key: Callable[[T], Scalar] | None = None) -> Vec[Int]:
    """The positions of the elements in increasing order, or in that of their keys.

    Equal elements keep their order. NaN comes last, and False before True.

    >>> from ein_mlir import wrap
    >>> argsort(wrap([3.0, 1.0, 2.0])).eval(backend="naive")
    array([1, 2, 0])
    >>> argsort(wrap([3.0, 1.0, 2.0]), key=lambda x: -x).eval(backend="naive")
    array([0, 2, 1])
    """
    check_vector(encode(vector), "argsort")
    expr = encode(vector if key is None else _each(vector, key))
    element = resolve(element_of(expr.type, 1))
    if not isinstance(element, ScalarType):
        raise EinTypeError(
            f"argsort: the keys are numbers or Bools, not {describe(element)}; "
            f"give a key, as in argsort(v, key=lambda x: x[0]){at()}"
        )
    return decode(Argsort(expr))


def sort(vector: Vec[T], key: Callable[[T], Scalar] | None = None) -> Vec[T]:
    """The elements in increasing order, or in that of their keys; see `argsort`.

    >>> from ein_mlir import wrap
    >>> sort(wrap([3.0, 1.0, 2.0])).eval(backend="naive")
    array([1., 2., 3.])
    """
    order = argsort(vector, key)

    def element(i: Int) -> T:
        return vector[order[i]]

    return array_named(element, ("i",), Int(size_of(encode(order), 0)))


def _each(vector: Vec[T], key: Callable[[T], Scalar]) -> Vec[Any]:
    """The keys of the elements."""

    def key_of(i: Int) -> Scalar:
        return key(vector[i])

    return array_named(key_of, ("i",), None)


def searchsorted(vector: Vec[S], value: S | float, side: Literal["left", "right"] = "left") -> Int:
    """The position in a sorted vector at which a value keeps it sorted.

    Before the elements that are equal to the value, or with ``side="right"`` behind them.

    >>> from ein_mlir import wrap
    >>> searchsorted(wrap([1.0, 2.0, 2.0, 5.0]), 2.0).eval(backend="naive")
    np.int64(1)
    >>> searchsorted(wrap([1.0, 2.0, 2.0, 5.0]), 2.0, side="right").eval(backend="naive")
    np.int64(3)
    """
    if side not in ("left", "right"):
        raise EinValueError(f"searchsorted: the side is 'left' or 'right', not {side!r}{at()}")
    check_vector(encode(vector), "searchsorted")

    def halved(bounds: tuple[Int, Int]) -> tuple[Int, Int]:
        low, high = bounds
        middle = (low + high) // 2
        found: Any = vector[middle]
        is_before = _less(found, value) if side == "left" else ~_less(value, found)
        return where(is_before, middle + 1, low), where(is_before, high, middle)

    zero, size = Int(encode(0)), Int(size_of(encode(vector), 0))
    return fold_while((zero, size), lambda bounds: bounds[0] < bounds[1], halved)[0]


def _less(x: Any, y: Any) -> Any:
    """Whether a number comes before another one; NaN comes last."""
    return (x < y) | ((y != y) & (x == x))
