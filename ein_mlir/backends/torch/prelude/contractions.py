"""Sums of products, and products in order where another order is not safe."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import functools
import math
import operator
from typing import Any

import torch

from ein_mlir.backends.shared_prelude import named_factors, summed_in_blocks, summed_products
from ein_mlir.backends.torch.prelude.indexing import known_number
from ein_mlir.backends.torch.prelude.scalars import wrapped
from ein_mlir.backends.torch.prelude.windows import strided


def int_einsum(subscripts: str, arrays: tuple[Any, ...]) -> Any:
    """``torch.einsum`` on ints, for which only the CPU has a product of matrices: a slow one."""
    if arrays[0].device.type == "cpu":
        if not has_exact_sums(subscripts, arrays):
            return torch.einsum(subscripts, *arrays)
        product = torch.einsum(subscripts, *(array.double() for array in arrays))
        return product.long().to(arrays[0].dtype)
    inputs, output = subscripts.split("->")
    letters = output + "".join(sorted({*inputs} - {*output, ","}))
    factors: list[Any] = []
    for term, array in zip(inputs.split(","), arrays, strict=True):
        own = "".join(letter for letter in letters if letter in term)
        aligned = torch.einsum(f"{term}->{own}", array)  # transposes, takes diagonals
        factors.append(aligned[tuple(slice(None) if k in own else None for k in letters)])
    product = functools.reduce(operator.mul, factors)
    summed = tuple(range(len(output), len(letters)))
    return product.sum(summed, dtype=product.dtype) if summed else product


def sum_of_products(subscripts: str, arrays: tuple[Any, ...]) -> Any:
    """``torch.einsum`` of arrays, of which the first has all axes.

    It would be a stack of products of two vectors, which take up to 30 times as long if their
    elements are no neighbours, up to 6 times if they are, and ints 100 times.
    """
    inputs, output = subscripts.split("->")
    letters, *others = inputs.split(",")
    products, *rest = arrays
    summed = tuple(axis for axis, letter in enumerate(letters) if letter not in output)
    if others == [letters] and output == letters[:-1] and 0 < products.shape[-1] <= 4:
        return sum_of_columns(products, *rest)
    if products.is_floating_point() and are_fast_products(letters, others, summed, products):
        return torch.einsum(subscripts, *arrays)
    for term, array in zip(others, rest, strict=True):
        products = products * aligned_to(letters, term, array)
    sums = products.sum(summed, dtype=products.dtype) if summed else products
    return aligned_to(output, "".join(letter for letter in letters if letter in output), sums)


def aligned_to(letters: str, term: str, array: Any) -> Any:
    """A view of an array with the axes of a term that has those of all letters, in their order."""
    if term == letters:
        return array
    own = [letter for letter in letters if letter in term]
    factor = array.permute([term.index(letter) for letter in own])
    return factor[tuple(slice(None) if k in own else None for k in letters)]


def products_at(subscripts: str, table: Any, positions: Any, factor: Any) -> Any:
    """``torch.einsum`` of the matrices of a table at positions, one for each row, and a factor.

    Rows with one matrix are multiplied at once, if that takes less time than a matrix for each row.
    """
    inputs, output = subscripts.split("->")
    letters, term = inputs.split(",")
    matrix, count = math.prod(table.shape[1:]), len(table)
    is_slow = matrix < 64 or not count or len(positions) * matrix < 2**13 * count
    is_known = not is_slow and isinstance(known_number(positions[0]), int)
    if not is_known or not table.is_floating_point():
        return sum_of_products(subscripts, (table.index_select(0, positions), factor))
    counts = torch.bincount(positions, minlength=count).tolist()
    axis, place = term.index(letters[0]), output.index(letters[0])
    order, each = positions.argsort(), f"{letters[1:]},{term}->{output}"
    groups = factor.index_select(axis, order).split(counts, axis)
    products = torch.cat(
        [torch.einsum(each, m, rows) for m, rows in zip(table.unbind(0), groups, strict=True)],
        place,
    )
    return products.index_select(place, order.argsort())


def sum_of_columns(array: Any, factor: Any) -> Any:
    """The sums of products along a last axis of few elements, for which no call is fast."""
    total, *columns = zip(array.unbind(-1), factor.unbind(-1), strict=True)
    return functools.reduce(lambda x, pair: torch.addcmul(x, *pair), columns, operator.mul(*total))


def products_of_windows(
    subscripts: str, array: Any, axis: int, start: Any, sizes: Any, steps: Any, factor: Any
) -> Any:
    """``sum_of_products`` of ``strided(array, axis, start, sizes, steps)`` and a factor.

    No view has negative steps: the factor, or the sums, are reversed along such axes.
    """
    inputs, output = subscripts.split("->")
    letters, term = inputs.split(",")
    start, *steps = map(known_number, (start, *steps))
    backwards = [k for k, step in enumerate(steps) if isinstance(step, int) and step < 0]
    if backwards and isinstance(start, int):
        for k in backwards:
            start, steps[k] = wrapped(start + steps[k] * (sizes[k] - 1)), -steps[k]
        names = [letters[axis + k] for k in backwards]
        factor = factor.flip([term.index(name) for name in names if name in term])
    else:
        names: list[Any] = []
    windows = strided(array, axis, start, sizes, steps)
    sums = stacked_products(letters, term, output, windows, factor)
    places = [output.index(name) for name in names if name in output]
    return sums.flip(places) if places else sums


def stacked_products(letters: str, term: str, output: str, windows: Any, factor: Any) -> Any:
    """The sums of products of windows that overlap and a factor; at most 2^20 of them are copied.

    A stack with several axes would be copied: there is a call for each of the large products along
    the first ones, and for each block of others.
    """
    stacks = [letter for letter in output if letter in term]
    own, other, place = (names.index(stacks[0]) for names in (letters, term, output))
    count, total = windows.shape[own], windows.numel()
    if len(stacks) > 1 and count > 1 and total > 2**14 * count:
        first, second, sums = (names.replace(stacks[0], "") for names in (letters, term, output))
        parts = zip(windows.unbind(own), factor.unbind(other), strict=True)
        return torch.stack([stacked_products(first, second, sums, *part) for part in parts], place)
    if total <= 2**20 or count < 2:
        return torch.einsum(f"{term},{letters}->{output}", factor, windows)
    length = max(2**20 * count // total, 1)
    parts = zip(windows.split(length, own), factor.split(length, other), strict=True)
    return torch.cat([stacked_products(letters, term, output, *part) for part in parts], place)


def are_fast_products(letters: str, others: list[str], summed: Any, products: Any) -> bool:
    """Whether a stack of products takes less time than an array of all products, and their sum.

    Of few elements each that are neighbours, or if the array is large: fresh memory is slow, except
    on GPUs.
    """
    if products.device.type != "cpu":
        return False
    are_neighbours = len(letters) - 1 in summed
    if not are_neighbours and all(len(term) == len(letters) for term in others):
        return False
    if products.numel() > 2**21:
        return True
    rest = {letter for axis, letter in enumerate(letters) if axis not in summed}
    if not are_neighbours and not all(map(rest.isdisjoint, others)):
        return False
    return math.prod(products.shape[axis] for axis in summed) < 16


def has_exact_sums(subscripts: str, arrays: tuple[Any, ...]) -> bool:
    """Whether floats have the same sums of products of ints, and many of them.

    They have if no sum of magnitudes is above 2^53.
    """
    inputs, output = subscripts.split("->")
    pairs = zip(inputs.split(","), arrays, strict=True)
    sizes = {letter: n for term, a in pairs for letter, n in zip(term, a.shape, strict=True)}
    products = math.prod(sizes.values())
    if products < 2**15 or products < 16 * sum(array.numel() for array in arrays):
        return False
    if torch.compiler.is_compiling():
        return False
    try:
        largest = math.prod(max(int(array.max()), -int(array.min())) for array in arrays)
    except RuntimeError:  # torch.func.vmap does not reveal values
        return False
    return largest * math.prod(n for letter, n in sizes.items() if letter not in output) <= 2**53


# Products in order


def hold(tests: Any) -> list[bool]:
    """Whether tests hold: the program waits once for a GPU that makes them."""
    tests = list(tests)
    if not tests or tests[0].device.type == "cpu":
        return [bool(test) for test in tests]
    return torch.stack([test.to(tests[0].device) for test in tests]).tolist()


def has_finite_sum(array: Any) -> Any:
    """Whether the sum of all elements is finite. If it is, they are."""
    return array.detach().sum().isfinite()


def is_normal(array: Any) -> Any:
    """Whether no element is near or below the least normal number."""
    array = array.detach()
    return (array.abs().min() if array.numel() else array.new_ones(())) >= least_safe(array)


def is_zero_or_normal(array: Any, root: int) -> Any:
    """Whether all elements but zeros are above a root of the same bound."""
    array = array.detach()
    return ((array.abs() >= least_safe(array) ** (1 / root)) | (array == 0)).all()


def least_safe(array: Any) -> float:
    """A number that is small, and whose products with numbers that are not small are normal."""
    info = torch.finfo(array.dtype)
    return info.tiny / info.eps


def is_safe(finite: Any, normal: Any, factors: Any) -> bool:
    """Whether products that a program does not compute had neither overflow nor underflow.

    Arrays with zeros are no proof. Then the factors are, if they are zero or not small. Tensors
    without known values are no proof either.
    """
    if torch.compiler.is_compiling():
        return False
    try:
        found = hold((*map(has_finite_sum, finite), *map(is_normal, normal)))
        unknown = [array for array, is_known in zip(finite, found, strict=False) if not is_known]
        if not all(hold(array.detach().isfinite().all() for array in unknown)):
            return False
        if all(found[len(finite) :]):
            return True
        arrays = [array for array in factors if array.dtype != torch.bool]
        return all(hold(is_zero_or_normal(array, len(arrays)) for array in arrays))
    except RuntimeError:  # torch.func.vmap does not reveal values
        return False


def in_order(array: Any, finite: Any, normal: Any, products: Any) -> Any:
    """A sum of products in another order, or in order if the tests of the other order fail."""
    if is_safe(finite, normal, [factor for _, factor in named_factors(products)]):
        return array
    if torch.compiler.is_compiling():
        return summed_products(products, torch.einsum, times, masked_factors)
    return summed_in_blocks(products, torch.einsum, times, torch.cat, masked_factors)


def times(product: Any, factor: Any) -> Any:
    """The product with one more factor; one of Bools is a mask, outside of which it is 0."""
    return torch.where(factor, product, 0) if factor.dtype == torch.bool else product * factor


def masked_factors(factors: Any) -> Any:
    """The factors, 1 where a mask behind them is false: their derivatives are 0 there, not 0 times
    infinity.
    """
    for k, mask in enumerate(factors):
        if mask.dtype == torch.bool:
            before = [f if f.dtype == torch.bool else torch.where(mask, f, 1) for f in factors[:k]]
            factors = [*before, *factors[k:]]
    return factors
