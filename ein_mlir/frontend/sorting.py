"""Order and selection: `argsort`, `sort`, `searchsorted`, `top_k`, `filter` and `unique`."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeVar, cast, overload

from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.frontend.combinators import Size, array_named, fold_while, where
from ein_mlir.frontend.expr import Argsort
from ein_mlir.frontend.indexing import check_comes_first, check_vector
from ein_mlir.frontend.ordering import as_ordered, is_stored
from ein_mlir.frontend.reductions import reduce_sum
from ein_mlir.frontend.signatures import names_its_arguments, parameter_names
from ein_mlir.frontend.size_inference import size_of
from ein_mlir.frontend.types import (
    BOOL,
    WeakType,
    describe,
    describe_pair,
    element_of,
    kind_of,
    resolve,
    unify,
)
from ein_mlir.frontend.values import Bool, Int, Scalar, Vec, decode, encode, int_expr
from ein_mlir.host.elements import ScalarType
from ein_mlir.host.locations import at

T = TypeVar("T")
S = TypeVar("S", bound=Scalar)


@names_its_arguments
def argsort(vector: Vec[T], key: Callable[[T], Scalar] | None = None) -> Vec[Int]:
    """The positions of the elements in increasing order, or in that of their keys.

    Equal elements keep their order. NaN comes last, and False before True.

    >>> from ein_mlir import wrap
    >>> argsort(wrap([3.0, 1.0, 2.0])).eval(backend="naive")
    array([1, 2, 0])
    >>> argsort(wrap([3.0, 1.0, 2.0]), key=lambda x: -x).eval(backend="naive")
    array([0, 2, 1])
    """
    return _order(vector, key, "argsort")


@names_its_arguments
def sort(vector: Vec[T], key: Callable[[T], Scalar] | None = None) -> Vec[T]:
    """The elements in increasing order, or in that of their keys; see `argsort`.

    >>> from ein_mlir import wrap
    >>> sort(wrap([3.0, 1.0, 2.0])).eval(backend="naive")
    array([1., 2., 3.])
    """
    return _at(vector, _order(vector, key, "sort"))


def _order(vector: Vec[Any], key: Callable[[Any], Scalar] | None, caller: str) -> Vec[Int]:
    """The positions of the elements in the order of their keys."""
    check_vector(encode(vector), caller)
    return decode(Argsort(encode(_keys(vector, key, caller))))


def _keys(vector: Vec[Any], key: Callable[[Any], Scalar] | None, caller: str) -> Vec[Any]:
    """The keys of the elements, which have an order."""
    example = f"{caller}(v, key=lambda x: x[0])"
    if key is not None:
        parameter_names(key, f"the key of {caller}()", example, 1)
    keys = vector if key is None else _each(vector, key)
    element = resolve(element_of(encode(keys).type, 1))
    if isinstance(element, WeakType):
        return _each(keys, _decided)
    if not isinstance(element, ScalarType):
        advice = "" if caller == "unique" else f"; give a key, as in {example}"
        raise EinTypeError(
            f"{caller}: the keys are numbers or Bools, not {describe(element)}{advice}{at()}"
        )
    return _each(keys, as_ordered) if is_stored(element) else keys


def _decided(key: Any) -> Any:
    """A key with a type of its own: the order is the same, whichever type its number gets."""
    return key.float("f64") if kind_of(key.expr.type) == "float" else key.int()


def _each(vector: Vec[T], f: Callable[[T], S]) -> Vec[S]:
    """A function of each element."""

    def element(i: Int) -> S:
        return f(vector[i])

    return array_named(element, ("i",), None)


@names_its_arguments
def searchsorted(vector: Vec[S], value: S | float, side: Literal["left", "right"] = "left") -> Int:
    """The position in a sorted vector at which a value keeps it sorted.

    Before the elements that are equal to the value, or with ``side="right"`` after them.

    >>> from ein_mlir import wrap
    >>> searchsorted(wrap([1.0, 2.0, 2.0, 5.0]), 2.0).eval(backend="naive")
    np.int64(1)
    >>> searchsorted(wrap([1.0, 2.0, 2.0, 5.0]), 2.0, side="right").eval(backend="naive")
    np.int64(3)
    """
    if side not in ("left", "right"):
        raise EinValueError(f"searchsorted: the side is 'left' or 'right', not {side!r}{at()}")
    element = element_of(check_vector(encode(vector), "searchsorted").type, 1)
    if kind_of(encode(value).type) is None:
        raise EinTypeError(
            f"searchsorted: the value is a scalar, not {describe(encode(value).type)}: write it "
            f"for each element, as in array(lambda i: searchsorted(v, x[i])){at()}"
        )
    if isinstance(value, Scalar) and unify(element, value.expr.type) is not None:
        elements, other = describe_pair(element, value.expr.type)
        raise EinTypeError(
            f"searchsorted: the elements are {elements}, but the value is {other}{at()}"
        )

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


@names_its_arguments
def top_k(
    vector: Vec[T], k: Int | int, key: Callable[[T], Scalar] | None = None
) -> tuple[Vec[T], Vec[Int]]:
    """The k largest elements, the largest first, and their positions; all if there are fewer.

    Of equal elements the first one comes first. NaN comes last.

    >>> from ein_mlir import evaluate, wrap
    >>> evaluate(top_k(wrap([3.0, 1.0, 4.0]), 2), backend="naive")
    (array([4., 3.]), array([2, 0]))
    """
    check_vector(encode(vector), "top_k")
    number = int_expr(k, "top_k: k")
    if isinstance(k, int) and k < 0:
        raise EinValueError(f"top_k: k is negative: {k}{at()}")
    keys = _keys(vector, key, "top_k")
    order = argsort(keys, key=_reversed)
    count = Int(size_of(encode(vector), 0)).min(number if isinstance(number, int) else Int(number))
    positions = _first(order, count)
    return _at(vector, positions), positions


def _reversed(key: Any) -> Any:
    """A key in the opposite order. No Int overflows: ``-1 - x`` is a complement."""
    if isinstance(key, Bool):
        return ~key
    return -1 - key if isinstance(key, Int) else -key


@overload
def filter(vector: Vec[T], keep: Callable[[T], Bool], size: Size = None) -> Vec[T]: ...
@overload
def filter(vector: Callable[[T], Any] | None, keep: Iterable[T]) -> builtins.filter[T]: ...
def filter(vector: Any, keep: Any, size: Size = None) -> Any:
    """The elements for which ``keep`` holds, in order.

    ``size`` is their number where it must be known before the data, as for ``jax.jit``. Elements
    beyond are left out; a larger size repeats the last one. Other values than staged ones go to
    Python's ``filter``.

    >>> from ein_mlir import wrap
    >>> filter(wrap([3.0, -1.0, 4.0]), lambda x: x > 0).eval(backend="naive")
    array([3., 4.])
    """
    if not isinstance(vector, Vec):
        if isinstance(keep, Vec):
            check_comes_first(vector, "filter")
        return builtins.filter(vector, cast(Any, keep))
    found = cast(Vec[Any], vector)
    parameter_names(keep, "the condition of filter()", "filter(v, lambda x: x > 0)", 1)
    return _at(found, _positions(_each(found, keep), size, "filter"))


@names_its_arguments
def unique(vector: Vec[S], size: Size = None) -> Vec[S]:
    """The different elements, in increasing order; for ``size``, see `filter`.

    NaN comes last, and once.

    >>> from ein_mlir import wrap
    >>> unique(wrap([2.0, 1.0, 2.0])).eval(backend="naive")
    array([1., 2.])
    """
    in_order = _at(vector, _order(vector, None, "unique"))

    def is_first(i: Int) -> Bool:
        return (i == 0) | _less(in_order[i - 1], in_order[i])

    count = Int(size_of(encode(in_order), 0))
    return _at(in_order, _positions(array_named(is_first, ("i",), count), size, "unique"))


def _positions(kept: Vec[Bool], size: Size, caller: str) -> Vec[Int]:
    """The positions that are kept; with a size, as many."""
    element = resolve(element_of(encode(kept).type, 1))
    if element is not BOOL:
        raise EinTypeError(f"{caller}: keep returns a Bool, not {describe(element)}{at()}")
    if isinstance(size, int) and size < 0:
        raise EinValueError(f"{caller}: size is negative: {size}{at()}")
    order = argsort(kept, key=_reversed)

    def count(i: Int) -> Int:
        return kept[i].int()

    number = reduce_sum(count)
    if size is None:
        return _first(order, number)

    def position(i: Int) -> Int:
        return order[i.min(number - 1)]

    return array_named(position, ("i",), size)


def _first(order: Vec[Int], count: Int) -> Vec[Int]:
    def position(i: Int) -> Int:
        return order[i]

    return array_named(position, ("i",), count)


def _at(vector: Vec[T], positions: Vec[Int]) -> Vec[T]:
    def element(i: Int) -> T:
        return vector[positions[i]]

    return array_named(element, ("i",), None)
