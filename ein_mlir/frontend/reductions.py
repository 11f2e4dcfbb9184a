"""Sums, products, extremes, truth and positions of extremes: ``fold_*`` and ``reduce_*``.

Both take the summand as a function of the counter and infer the count from the arrays that it
indexes. A fold runs in order; a reduction may be regrouped, and so runs in parallel. Of no
elements, both are the identity: the largest number for a minimum, 0 for a position.

With several counters they nest, the first counter outermost:
``fold_sum(lambda i, j: a[i, j])`` is ``fold_sum(lambda i: fold_sum(lambda j: a[i, j]))``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, cast, overload

from ein_mlir.errors import EinTypeError
from ein_mlir.frontend.combinators import Size, array_named, fold_named, sizes_by_name, where
from ein_mlir.frontend.complex_numbers import Complex, complex_type
from ein_mlir.frontend.index_sets import Over, Pair, parts_of_product
from ein_mlir.frontend.indexing import check_comes_first, check_vector
from ein_mlir.frontend.ordering import as_ordered, extended, restored, stored_type
from ein_mlir.frontend.signatures import names_its_arguments, parameter_names
from ein_mlir.frontend.size_inference import size_of
from ein_mlir.frontend.types import (
    Limit,
    RecordType,
    VectorType,
    describe,
    element_of,
    kind_of,
    resolve,
)
from ein_mlir.frontend.values import Bool, Int, Scalar, Vec, encode, identity_of, weak
from ein_mlir.host.elements import ScalarType
from ein_mlir.host.locations import at

S = TypeVar("S", bound=Scalar)
T = TypeVar("T")
N = TypeVar("N")
M = TypeVar("M")
K = TypeVar("K")
One = Callable[[Int], S]
"""The summand at each value of the counter."""
Summand = (
    Callable[[Int], S]
    | Callable[[Int, Int], S]
    | Callable[[Int, Int, Int], S]
    | Callable[[Int, Int, Int, Int], S]
)
"""The summand at each value of the counters."""
Counts: TypeAlias = "Size | tuple[Size, ...]"
"""The count of each counter; None if it is inferred."""

_LARGEST, _SMALLEST = Limit(1), Limit(-1)


class _Reduction(Protocol):
    """A reduction over counters, or over the indices of sets.

    Type checkers take overloads in order, nested ones exponentially: the most frequent is first.
    """

    @overload
    def __call__(self, f: Summand[S], count: Counts = None) -> S: ...
    @overload
    def __call__(self, f: Callable[[N], S], count: Over[N]) -> S: ...
    @overload
    def __call__(self, f: Callable[[N, M], S], count: tuple[Over[N], Over[M]]) -> S: ...
    @overload
    def __call__(self, f: Callable[[N, M, K], S], count: tuple[Over[N], Over[M], Over[K]]) -> S: ...


class _Search(Protocol):
    """The position of an extreme: a counter, or an index of a set."""

    @overload
    def __call__(self, f: Callable[[N], Scalar], count: Over[N]) -> N: ...
    @overload
    def __call__(self, f: One[Any], count: Size = None) -> Int: ...


def _of_indices(f: Callable[..., Any]) -> _Reduction:
    return cast(_Reduction, names_its_arguments(f))


def _of_index(f: Callable[..., Any]) -> _Search:
    return cast(_Search, names_its_arguments(f))


def _add(x: Any, y: Any) -> Any:
    return x + y


def _multiply(x: Any, y: Any) -> Any:
    return x * y


def _smaller(x: Any, y: Any) -> Any:
    return x.min(y)


def _larger(x: Any, y: Any) -> Any:
    return x.max(y)


def _either(x: Any, y: Any) -> Any:
    return x | y


def _both(x: Any, y: Any) -> Any:
    return x & y


class _ComplexError(Exception):
    """The elements of a fold turn out to be complex numbers."""


def _fold(
    name: str, f: Summand[Any], init: Any, combine: Callable[[Any, Any], Any], counts: Counts
) -> Any:
    def once(g: One[Any], counter: str, count: Size) -> Any:
        def step(k: Int, acc: Any) -> Any:
            value = g(k)
            if isinstance(value, Complex) and not isinstance(acc, Complex):
                raise _ComplexError
            return combine(acc, value)

        try:
            return fold_named(init, step, (counter, "acc"), count)
        except _ComplexError:
            return fold_named(Complex(init, 0.0), step, (counter, "acc"), count)

    return _nested(name, f, _in_another_type(once, isinstance(init, Limit)), counts)


def _reduce(
    name: str, f: Summand[Any], identity: Any, combine: Callable[[Any, Any], Any], counts: Counts
) -> Any:
    def once(g: One[Any], counter: str, count: Size) -> Any:
        vector = array_named(g, (counter,), count)
        is_complex = complex_type(element_of(encode(vector).type)) is not None
        return vector.reduce(Complex(identity, 0.0) if is_complex else identity, combine)

    return _nested(name, f, _in_another_type(once, isinstance(identity, Limit)), counts)


def _in_another_type(
    once: Callable[[One[Any], str, Size], Any], is_extreme: bool
) -> Callable[[One[Any], str, Size], Any]:
    """A reduction of numbers of types for storage in a type to compute with.

    Small floats are combined as f32, and the result is rounded once. An extreme of numbers without
    a sign is one of signed numbers in the same order.
    """
    convert = as_ordered if is_extreme else extended

    def reduced(g: One[Any], counter: str, count: Size) -> Any:
        types = list[ScalarType]()

        def element(k: Int) -> Any:
            value = g(k)
            converted = convert(value)
            if converted is not value and (type_ := stored_type(value)) is not None:
                types.append(type_)
            return converted

        result = once(element, counter, count)
        return restored(result, types[0]) if types else result

    return reduced


def _nested(
    name: str, f: Callable[..., Any], once: Callable[[One[Any], str, Size], Any], counts: Counts
) -> Any:
    """``once`` over each parameter of ``f``, the first one outermost."""
    noun = "summand" if name.endswith("sum") else "element"
    counters = parameter_names(f, f"the {noun} of {name}()", f"{name}(lambda i: a[i])")
    loops = list(zip(counters, sizes_by_name(counts, counters, "count"), strict=True))

    def inside(*outer: Int) -> Any:
        if len(outer) == len(loops):
            return _checked(name, f(*outer))
        counter, count = loops[len(outer)]
        if parts := parts_of_product(count):
            names = f"{counter}.first", f"{counter}.second"
            return _over_pairs(once, names, parts, lambda k: inside(*outer, k))
        return once(lambda k: inside(*outer, k), counter, count)

    return inside()


def _checked(name: str, value: Any) -> Any:
    """An element of a reduction: a Bool of ``any`` and ``all``, a number of all others."""
    type_ = resolve(encode(value, leaf=weak).type)
    if isinstance(type_, VectorType):
        raise EinTypeError(
            f"{name} acts on scalars, not on {describe(type_)}: write it for each element, as in "
            f"array(lambda j: {name}(lambda i: a[i, j])){at()}"
        )
    if isinstance(type_, RecordType) and not isinstance(value, Complex | complex):
        raise EinTypeError(
            f"{name} acts on scalars, not on {describe(type_)}: write one for each field{at()}"
        )
    wants_bools = name.endswith(("any", "all"))
    if wants_bools != (kind_of(type_) == "bool"):
        expected = "a Bool" if wants_bools else "a number"
        advice = "compare it, for example `x != 0`" if wants_bools else "write `x.int()`"
        raise EinTypeError(f"{name}: expected {expected}, not {describe(type_)}; {advice}{at()}")
    return value


def _over_pairs(
    once: Callable[[One[Any], str, Any], Any],
    names: tuple[str, str],
    parts: Sequence[Any],
    f: One[Any],
) -> Any:
    """``once`` over both index sets of a product."""

    def rows(first: Int) -> Any:
        return once(lambda second: f(Pair(first, second)), names[1], parts[1])

    return once(rows, names[0], parts[0])


def _counter(name: str, f: One[Any]) -> str:
    (counter,) = parameter_names(f, f"the key of {name}()", f"{name}(lambda i: a[i])", 1)
    return counter


@_of_indices
def fold_sum(f: Summand[S], count: Counts = None) -> S:
    """The sum of ``f(k)``, in order.

    >>> from ein_mlir import wrap
    >>> a = wrap([1.0, 2.0, 3.0])
    >>> fold_sum(lambda k: a[k] * a[k]).eval(backend="naive")
    np.float64(14.0)
    >>> fold_sum(lambda i, j: a[i] * a[j]).eval(backend="naive")
    np.float64(36.0)
    """
    return _fold("fold_sum", f, 0, _add, count)


@_of_indices
def fold_prod(f: Summand[S], count: Counts = None) -> S:
    """The product of ``f(k)``, in order."""
    return _fold("fold_prod", f, 1, _multiply, count)


@_of_indices
def fold_min(f: Summand[S], count: Counts = None) -> S:
    """The smallest ``f(k)``; for a count of 0, infinity or the largest Int."""
    return _fold("fold_min", f, _LARGEST, _smaller, count)


@_of_indices
def fold_max(f: Summand[S], count: Counts = None) -> S:
    """The largest ``f(k)``; for a count of 0, minus infinity or the smallest Int."""
    return _fold("fold_max", f, _SMALLEST, _larger, count)


@_of_indices
def fold_any(f: Summand[Bool], count: Counts = None) -> Bool:
    """Whether ``f(k)`` holds for some k."""
    return _fold("fold_any", f, False, _either, count)


@_of_indices
def fold_all(f: Summand[Bool], count: Counts = None) -> Bool:
    """Whether ``f(k)`` holds for all k."""
    return _fold("fold_all", f, True, _both, count)


@_of_index
def fold_argmin(f: One[S], count: Size = None) -> Int:
    """The first k with the smallest ``f(k)``; 0 for a count of 0."""
    return _fold_position("fold_argmin", f, _LARGEST, lambda x, y: x < y, count)


@_of_index
def fold_argmax(f: One[S], count: Size = None) -> Int:
    """The first k with the largest ``f(k)``; 0 for a count of 0."""
    return _fold_position("fold_argmax", f, _SMALLEST, lambda x, y: x > y, count)


def _fold_position(
    name: str, f: One[Any], worst: Limit, better: Callable[[Any, Any], Bool], count: Size
) -> Any:
    def step(k: Int, best: Any) -> Any:
        value = as_ordered(_checked(name, f(k)))
        return where(better(value, best[0]), (value, k), best)

    return fold_named((worst, 0), step, (_counter(name, f), "best"), count)[1]


@_of_indices
def reduce_sum(f: Summand[S], count: Counts = None) -> S:
    """The sum of ``f(k)``.

    >>> reduce_sum(lambda k: k, count=5).eval(backend="naive")
    np.int64(10)
    """
    return _reduce("reduce_sum", f, 0, _add, count)


@_of_indices
def reduce_prod(f: Summand[S], count: Counts = None) -> S:
    """The product of ``f(k)``."""
    return _reduce("reduce_prod", f, 1, _multiply, count)


@_of_indices
def reduce_min(f: Summand[S], count: Counts = None) -> S:
    """The smallest ``f(k)``; for a count of 0, infinity or the largest Int."""
    return _reduce("reduce_min", f, _LARGEST, _smaller, count)


@_of_indices
def reduce_max(f: Summand[S], count: Counts = None) -> S:
    """The largest ``f(k)``; for a count of 0, minus infinity or the smallest Int."""
    return _reduce("reduce_max", f, _SMALLEST, _larger, count)


@_of_indices
def reduce_any(f: Summand[Bool], count: Counts = None) -> Bool:
    """Whether ``f(k)`` holds for some k."""
    return _reduce("reduce_any", f, False, _either, count)


@_of_indices
def reduce_all(f: Summand[Bool], count: Counts = None) -> Bool:
    """Whether ``f(k)`` holds for all k."""
    return _reduce("reduce_all", f, True, _both, count)


@_of_index
def reduce_argmin(f: One[S], count: Size = None) -> Int:
    """The first k with the smallest ``f(k)``; 0 for a count of 0."""
    return _reduce_position("reduce_argmin", f, _LARGEST, lambda x, y: x < y, count)


@_of_index
def reduce_argmax(f: One[S], count: Size = None) -> Int:
    """The first k with the largest ``f(k)``; 0 for a count of 0."""
    return _reduce_position("reduce_argmax", f, _SMALLEST, lambda x, y: x > y, count)


@names_its_arguments
def scan(vector: Vec[T], identity: Any, f: Callable[[T, T], T]) -> Vec[T]:
    """Element i is the combination of the elements 0 to i, in order, by an associative function.

    Like ``vector.reduce(identity, f)`` of each prefix.

    >>> from ein_mlir import wrap
    >>> scan(wrap([1, 2, 3, 4]), 0, lambda x, y: x + y).eval(backend="naive")
    array([ 1,  3,  6, 10])
    """
    check_comes_first(vector, "scan")
    size = Int(size_of(check_vector(encode(vector), "scan"), 0))
    start = identity_of(vector, identity, f, "scan")

    def step(k: Int, state: tuple[T, Vec[T]]) -> tuple[T, Vec[T]]:
        before, combined = state
        value = f(before, vector[k])

        def element(i: Int) -> T:
            return where(i == k, value, combined[i])

        return value, array_named(element, ("i",), size)

    def empty(_: Int) -> T:
        return start

    init = start, array_named(empty, ("i",), size)
    return fold_named(init, step, ("k", "state"), size)[1]


def _reduce_position(
    name: str, f: One[Any], worst: Limit, better: Callable[[Any, Any], Bool], count: Size
) -> Any:
    """The position of an extreme, by a reduction of pairs: of ties the first one wins."""

    def pair(k: Int) -> Any:
        return as_ordered(_checked(name, f(k))), k

    def best(x: Any, y: Any) -> Any:
        return where(better(y[0], x[0]), y, x)

    return array_named(pair, (_counter(name, f),), count).reduce((worst, 0), best)[1]
