"""The helpers of emitted programs that are the same for all libraries.

Each prelude imports them beside its own files. They call no library: a function of one that they
need is an argument.
"""

import functools
import math
import operator
from collections.abc import Callable
from typing import Any


def named_factors(products: Any) -> Any:
    """The factors of nested products, each with the names of its axes; of divisors 1 / x."""
    letters, *parts = products
    if not isinstance(parts[0], tuple):
        return [(letters[1:], 1 / parts[0]) if letters[:1] == "/" else (letters, parts[0])]
    return [factor for part in parts for factor in named_factors(part)]


def cut(products: Any, letter: str, part: Any) -> Any:
    """The same products of a part of each factor along an axis."""
    letters, *parts = products
    if isinstance(parts[0], tuple):
        return (letters, *(cut(each, letter, part) for each in parts))
    places = tuple(part if k == letter else slice(None) for k in letters.removeprefix("/"))
    return letters, parts[0][places]


def summed_products(
    products: Any,
    einsum: Callable[..., Any],
    times: Callable[..., Any],
    masked: Callable[..., Any] = list,
) -> Any:
    """Products of factors from left to right, summed along the axes that the result lacks.

    ``masked`` are the factors of a product whose derivatives are wanted.
    """
    letters, *parts = products
    if not isinstance(parts[0], tuple):
        return parts[0]
    axes = [part[0].removeprefix("/") for part in parts]
    names = "".join(dict.fromkeys(letters + "".join(axes)))
    values = [summed_products(part, einsum, times, masked) for part in parts]
    pairs = zip(values, axes, strict=True)
    product, *arrays = masked([spread(x, own, names, einsum) for x, own in pairs])
    for part, array in zip(parts[1:], arrays, strict=True):
        product = product / array if part[0][:1] == "/" else times(product, array)
    summed = tuple(range(len(letters), len(names)))
    return product.sum(summed) if summed else product


def summed_in_blocks(
    products: Any,
    einsum: Callable[..., Any],
    times: Callable[..., Any],
    join: Callable[..., Any],
    masked: Callable[..., Any] = list,
) -> Any:
    """The same in blocks along the longest axis, so that the products of a block are few."""
    named = named_factors(products)
    sizes = {k: n for letters, f in named for k, n in zip(letters, f.shape, strict=True)}
    longest = max(sizes, key=sizes.__getitem__, default="")
    step = max(1, 2**22 * sizes.get(longest, 1) // max(1, math.prod(sizes.values())))
    if step >= sizes.get(longest, 1):
        return summed_products(products, einsum, times, masked)
    cuts = [cut(products, longest, slice(k, k + step)) for k in range(0, sizes[longest], step)]
    blocks = [summed_products(each, einsum, times, masked) for each in cuts]
    letters = products[0]
    if longest in letters:
        return join(blocks, letters.index(longest))
    return functools.reduce(operator.add, blocks)


def spread(array: Any, letters: str, names: str, einsum: Callable[..., Any]) -> Any:
    """An array with named axes in an order; those that it lacks have size 1."""
    own = "".join(name for name in names if name in letters)
    array = einsum(f"{letters}->{own}", array)  # transposes, takes diagonals
    return array[tuple(slice(None) if name in own else None for name in names)]


def strided_parts(place: Any, sizes: Any, steps: Any, distances: Any) -> tuple[slice, ...]:
    """The elements at distances from a place, whose numbers count steps, along each axis."""
    return tuple(
        slice(start * step, start * step + (size - 1) * distance + 1, distance)
        for start, size, step, distance in zip(place, sizes, steps, distances, strict=True)
    )


def places_in_order(sizes: Any, steps: Any) -> Any:
    """The axes of arrays of some sizes in an order in which ``r * i + s * j`` counts 0, 1, 2, ..

    There is such a place for each pair of axes: all i precede all j. Without the order, None.
    """
    if 0 in sizes:
        return None
    count, axes = len(sizes) // 2, list[int]()
    for k in range(count):
        for inner, outer in ((count + k, k), (k, count + k)):
            is_dense = steps[inner] == 1 or sizes[inner] == 1
            if is_dense and (steps[outer] == sizes[inner] or sizes[outer] == 1):
                axes += [outer, inner]
                break
        else:
            return None
    return axes
