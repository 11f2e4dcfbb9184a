"""The rule for sorting: by exchanges, by ranks, or from a length on by the digits of keys.

A few elements, whose number is known, are sorted by exchanges of pairs that do not depend on the
elements (a network of Batcher's; Knuth, The Art of Computer Programming 3, 5.3.4): code without
branches, which is vectorised where each element of a comprehension sorts some.

A Bool has one digit. Other elements have keys of 64 bits, in the order of the elements if they are
read as unsigned: their differences from the smallest one. A pass for each digit of eight bits, the
last one first, places positions and keys after those with smaller digits, in stable order
(Knuth, The Art of Computer Programming 3, 5.2.5). A digit that is that of all keys needs no pass:
the more alike the elements, the fewer passes. If a few elements at the start are all that is read,
these are found in one pass (`selections`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, f64, i1, i64
from xdsl.ir import Attribute, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.indexing import clipped
from ein_mlir.passes.conversions.convert_phi_to_loops.read_positions import number_read
from ein_mlir.passes.conversions.convert_phi_to_loops.selections import Heap, first_keys
from ein_mlir.passes.conversions.convert_phi_to_loops.values import Array

BITS = 8
DIGITS = 64 // BITS
VALUES = 2**BITS
SIGN = -(2**63)
"""The Int of the sign bit alone."""
MOST_IN_NETWORK = 16
"""The most elements that are sorted by exchanges: the code has one for each."""
FEW = 64
"""The most elements that are sorted by ranks: comparisons of all pairs vectorise."""
SHARE = 16
"""A part of so many times as many elements is found in a pass over all."""
INDEX = IndexType()

Pairs: TypeAlias = "Sequence[tuple[Array, Array]]"
"""Arrays that are sorted together, the keys first; each with one for the sorted elements."""


def argsort(conversion: Conversion, op: phi.ArgsortOp) -> None:
    """The positions move with their keys."""
    vector = conversion.array(op.vec)
    order = conversion.target(op.result, 0, i64, vector.sizes)
    conversion.bind(op.result, [order])
    if vector.element == i1:
        _partition(conversion, vector, order)
        return
    keys, _ = _keys(conversion, vector, are_zeros_equal=True)

    def all_() -> None:
        conversion.parallel(
            vector.sizes, lambda at: conversion.store(conversion.cast(at[0], i64), order.at(at))
        )
        _sort(conversion, [keys, order])

    def some(first: Heap) -> None:
        conversion.parallel(
            [first.size],
            lambda at: conversion.store(conversion.load(first.places.at(at)), order.at(at)),
        )

    _first_or_all(conversion, op, keys, some, all_)


def sort(conversion: Conversion, op: phi.SortOp) -> None:
    """The elements are those of the sorted keys."""
    vector = conversion.array(op.vec)
    result = conversion.target(op.result, 0, vector.element, vector.sizes)
    conversion.bind(op.result, [result])
    if vector.element == i1:
        first_true = _first_true(conversion, vector)
        conversion.parallel(
            vector.sizes,
            lambda at: conversion.store(
                conversion.compare(at[0], first_true, "sge"), result.at(at)
            ),
        )
        return
    keys, smallest = _keys(conversion, vector, are_zeros_equal=False)

    def write(found: Array, size: SSAValue) -> None:
        def element(at: Sequence[SSAValue]) -> None:
            key = conversion.value_of(arith.AddiOp(conversion.load(found.at(at)), smallest))
            conversion.store(_element(conversion, key, vector.element), result.at(at))

        conversion.parallel([size], element)

    def all_() -> None:
        _sort(conversion, [keys])
        write(keys, vector.sizes[0])

    _first_or_all(conversion, op, keys, lambda first: write(first.values, first.size), all_)


def _first_or_all(
    conversion: Conversion,
    op: phi.ArgsortOp | phi.SortOp,
    keys: Array,
    some: Callable[[Heap], None],
    all_: Callable[[], None],
) -> None:
    """Sort all elements, or only the first ones, if few are read."""
    (size,) = keys.sizes
    number, known = number_read(conversion, op, size), known_int(size)
    if number is None or (known is not None and known <= FEW):
        all_()
        return
    least = conversion.value_of(arith.MuliOp(number, conversion.index(SHARE)))
    few = arith.AndIOp(
        conversion.compare(least, size, "sle"),
        conversion.compare(size, conversion.index(FEW), "sgt"),
    )
    conversion.choose(
        conversion.value_of(few), lambda: some(first_keys(conversion, keys, number)), all_
    )


def searchsorted(conversion: Conversion, op: phi.SearchsortedOp) -> None:
    """The place by halves, from the largest power of two that is not above the size."""
    vector, value = conversion.array(op.vec), conversion.scalar(op.value)
    (size,), zero, one = vector.sizes, conversion.index(0), conversion.index(1)
    zeros = math.CountLeadingZerosOp(conversion.cast(size, i64))
    bits = arith.SubiOp(_bits(conversion, 64), conversion.value_of(zeros))
    count = conversion.cast(conversion.value_of(bits), INDEX)

    def halve(k: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        bit = arith.SubiOp(conversion.value_of(arith.SubiOp(count, one)), k)
        step = arith.ShLIOp(one, conversion.value_of(bit))
        further = conversion.value_of(arith.AddiOp(carried[0], conversion.value_of(step)))
        last = conversion.value_of(arith.SubiOp(further, one))
        place = clipped(conversion, last, size, is_above=True)
        is_step = conversion.compare(further, size, "sle")
        is_before = _is_before(conversion, conversion.load(vector.at([place])), value, op)
        is_taken = conversion.value_of(arith.AndIOp(is_step, is_before))
        return [_select(conversion, is_taken, further, carried[0])]

    (position,) = conversion.sequential(count, [zero], halve)
    conversion.bind(op.result, [conversion.cast(position, i64)])


def _is_before(
    conversion: Conversion, element: SSAValue, value: SSAValue, op: phi.SearchsortedOp
) -> SSAValue:
    """Whether an element is less than a value, or with ``right`` not greater; NaN is greater."""
    first, second = (element, value) if op.right is None else (value, element)
    if isa(element.type, IntegerType):
        predicate = "ult" if element.type == i1 else "slt"
        is_less = conversion.compare(first, second, predicate)
    else:
        is_number = conversion.value_of(arith.CmpfOp(first, first, "ord"))
        is_below = conversion.value_of(arith.CmpfOp(first, second, "ult"))
        is_less = conversion.value_of(arith.AndIOp(is_number, is_below))
    if op.right is None:
        return is_less
    true = conversion.constant(IntegerAttr.from_bool(True))
    return conversion.value_of(arith.XOrIOp(is_less, true))


# Bools ------------------------------------------------------------------------------------------


def _partition(conversion: Conversion, vector: Array, order: Array) -> None:
    """The positions of false, and then those of true."""

    def place(at: SSAValue, ends: Sequence[SSAValue]) -> list[SSAValue]:
        """Write the position after the others of its kind; carried are the ends of both kinds."""
        is_true = conversion.load(vector.at([at]))
        end = _select(conversion, is_true, ends[1], ends[0])
        conversion.store(conversion.cast(at, i64), order.at([end]))
        following = _next(conversion, end)
        return [
            _select(conversion, is_true, ends[0], following),
            _select(conversion, is_true, following, ends[1]),
        ]

    starts = [conversion.index(0), _first_true(conversion, vector)]
    conversion.sequential(vector.sizes[0], starts, place)


def _first_true(conversion: Conversion, vector: Array) -> SSAValue:
    """How many elements are false."""
    (size,) = vector.sizes

    def count(at: SSAValue, found: Sequence[SSAValue]) -> list[SSAValue]:
        is_true = conversion.load(vector.at([at]))
        return [_select(conversion, is_true, found[0], _next(conversion, found[0]))]

    return conversion.sequential(size, [conversion.index(0)], count)[0]


# Keys -------------------------------------------------------------------------------------------


def _keys(conversion: Conversion, vector: Array, are_zeros_equal: bool) -> tuple[Array, SSAValue]:
    """The keys of the elements, and the number that they are differences from."""
    (size,) = vector.sizes
    keys = conversion.allocate(i64, [size])

    def least(at: SSAValue, found: Sequence[SSAValue]) -> list[SSAValue]:
        key = _key(conversion, conversion.load(vector.at([at])), are_zeros_equal)
        conversion.store(key, keys.at([at]))
        return [conversion.value_of(arith.MinUIOp(found[0], key))]

    (smallest,) = conversion.sequential(size, [_bits(conversion, -1)], least)

    def difference(at: Sequence[SSAValue]) -> None:
        key = arith.SubiOp(conversion.load(keys.at(at)), smallest)
        conversion.store(conversion.value_of(key), keys.at(at))

    conversion.parallel([size], difference)
    return keys, smallest


def _key(conversion: Conversion, element: SSAValue, are_zeros_equal: bool) -> SSAValue:
    """An Int with its sign inverted; of a float the bits, all inverted if it is negative.

    The key of NaN is the largest.
    """
    sign = _bits(conversion, SIGN)
    if isa(element.type, IntegerType):
        if element.type != i64:
            element = conversion.value_of(arith.ExtSIOp(element, i64))
        return conversion.value_of(arith.XOrIOp(element, sign))
    if element.type != f64:
        element = conversion.value_of(arith.ExtFOp(element, f64))
    is_nan = conversion.value_of(arith.CmpfOp(element, element, "uno"))
    if are_zeros_equal:
        element = conversion.value_of(arith.AddfOp(element, conversion.number(0.0, f64)))
    bits = conversion.value_of(arith.BitcastOp(element, i64))
    signs = conversion.value_of(arith.ShRSIOp(bits, _bits(conversion, 63)))
    key = arith.XOrIOp(bits, conversion.value_of(arith.OrIOp(signs, sign)))
    return _select(conversion, is_nan, _bits(conversion, -1), conversion.value_of(key))


def _element(conversion: Conversion, key: SSAValue, type_: Attribute) -> SSAValue:
    """The element of a key."""
    sign = _bits(conversion, SIGN)
    flipped = conversion.value_of(arith.XOrIOp(key, sign))
    if isa(type_, IntegerType):
        return flipped if type_ == i64 else conversion.value_of(arith.TruncIOp(flipped, type_))
    inverted = conversion.value_of(arith.XOrIOp(key, _bits(conversion, -1)))
    is_positive = conversion.compare(key, _bits(conversion, 0), "slt")
    bits = _select(conversion, is_positive, flipped, inverted)
    number = conversion.value_of(arith.BitcastOp(bits, f64))
    return number if type_ == f64 else conversion.value_of(arith.TruncFOp(number, type_))


# Sorting ----------------------------------------------------------------------------------------


def _sort(conversion: Conversion, arrays: Sequence[Array]) -> None:
    """Sort keys, the first array; the others move with them."""
    (size,) = arrays[0].sizes
    known = known_int(size)
    if known is not None and known <= MOST_IN_NETWORK:
        _by_exchanges(conversion, arrays, known)
        return
    pairs = [(each, conversion.allocate(each.element, [size])) for each in arrays]
    conversion.choose(
        conversion.compare(size, conversion.index(FEW), "sle"),
        lambda: _by_ranks(conversion, pairs),
        lambda: _by_digits(conversion, pairs),
    )


def _by_exchanges(conversion: Conversion, arrays: Sequence[Array], size: int) -> None:
    """Exchange elements whose keys are not in order; equal ones are by their positions, if any."""
    places = [conversion.index(number) for number in range(size)]
    rows = [[conversion.load(each.at([at])) for each in arrays] for at in places]
    for first, second in exchanges(size):
        rows[first], rows[second] = _in_order(conversion, rows[first], rows[second])
    for at, row in zip(places, rows, strict=True):
        for value, array in zip(row, arrays, strict=True):
            conversion.store(value, array.at([at]))


def exchanges(size: int) -> Iterator[tuple[int, int]]:
    """The pairs of places that are exchanged if need be, in order: Batcher's merge exchange.

    >>> list(exchanges(3))
    [(0, 2), (0, 1), (1, 2)]
    """
    top = 1 << max(size - 1, 0).bit_length() >> 1
    width = top
    while width:
        bit, distance, limit = 0, width, top
        while True:
            yield from (
                (place, place + distance)
                for place in range(size - distance)
                if place & width == bit
            )
            if limit == width:
                break
            bit, distance, limit = width, limit - width, limit >> 1
        width >>= 1


def _in_order(
    conversion: Conversion, first: Sequence[SSAValue], second: Sequence[SSAValue]
) -> tuple[list[SSAValue], list[SSAValue]]:
    """Two elements in order: of keys alone the least and the greatest."""
    if len(first) == 1:
        least = conversion.value_of(arith.MinUIOp(first[0], second[0]))
        return [least], [conversion.value_of(arith.MaxUIOp(first[0], second[0]))]
    is_less = conversion.compare(first[0], second[0], "ult")
    is_equal = conversion.compare(first[0], second[0], "eq")
    is_earlier = conversion.compare(first[1], second[1], "slt")
    is_tie = conversion.value_of(arith.AndIOp(is_equal, is_earlier))
    holds = conversion.value_of(arith.OrIOp(is_less, is_tie))
    pairs = list(zip(first, second, strict=True))
    return (
        [_select(conversion, holds, one, other) for one, other in pairs],
        [_select(conversion, holds, other, one) for one, other in pairs],
    )


def _by_ranks(conversion: Conversion, pairs: Pairs) -> None:
    """Move each element to its rank: how many keys are smaller, or equal and earlier."""
    keys, _ = pairs[0]
    (size,) = keys.sizes

    def place(at: SSAValue, _: Sequence[SSAValue]) -> tuple[()]:
        key = conversion.load(keys.at([at]))

        def count(other: SSAValue, found: Sequence[SSAValue]) -> list[SSAValue]:
            before = conversion.load(keys.at([other]))
            is_less = conversion.compare(before, key, "ult")
            is_equal = conversion.compare(before, key, "eq")
            is_earlier = conversion.compare(other, at, "slt")
            is_tie = conversion.value_of(arith.AndIOp(is_equal, is_earlier))
            is_before = conversion.value_of(arith.OrIOp(is_less, is_tie))
            return [_select(conversion, is_before, _next(conversion, found[0]), found[0])]

        (rank,) = conversion.sequential(size, [conversion.index(0)], count)
        for source, target in pairs:
            conversion.store(conversion.load(source.at([at])), target.at([rank]))
        return ()

    conversion.sequential(size, [], place)
    for source, target in pairs:
        conversion.copy(target, source)


def _by_digits(conversion: Conversion, pairs: Pairs) -> None:
    """A pass for each digit in which the keys differ, the last one first."""
    keys, _ = pairs[0]
    (size,) = keys.sizes
    ends = conversion.allocate(i64, [conversion.index(VALUES)])

    def sort_by(digit: SSAValue, _: Sequence[SSAValue]) -> tuple[()]:
        shift = arith.MuliOp(conversion.cast(digit, i64), _bits(conversion, BITS))
        place = conversion.value_of(shift)
        _count(conversion, keys, place, ends)
        first = _digit(conversion, conversion.load(keys.at([conversion.index(0)])), place)
        alike = conversion.load(ends.at([first]))
        differ = conversion.compare(alike, conversion.cast(size, i64), "slt")
        conversion.when(differ, lambda: _distribute(conversion, pairs, place, ends))
        return ()

    conversion.sequential(conversion.index(DIGITS), [], sort_by)


def _count(conversion: Conversion, keys: Array, shift: SSAValue, counts: Array) -> None:
    """How many keys have each value of a digit."""
    zero = _bits(conversion, 0)
    conversion.fill(counts, zero)

    def count(at: SSAValue, _: Sequence[SSAValue]) -> tuple[()]:
        value = _digit(conversion, conversion.load(keys.at([at])), shift)
        before = conversion.load(counts.at([value]))
        conversion.store(_next(conversion, before), counts.at([value]))
        return ()

    conversion.sequential(keys.sizes[0], [], count)


def _distribute(conversion: Conversion, pairs: Pairs, shift: SSAValue, ends: Array) -> None:
    """Move each element after those with its digit, all after those with smaller ones."""
    keys, _ = pairs[0]

    def start(value: SSAValue, found: Sequence[SSAValue]) -> list[SSAValue]:
        count = conversion.load(ends.at([value]))
        conversion.store(found[0], ends.at([value]))
        return [conversion.value_of(arith.AddiOp(found[0], count))]

    conversion.sequential(conversion.index(VALUES), [_bits(conversion, 0)], start)

    def move(at: SSAValue, _: Sequence[SSAValue]) -> tuple[()]:
        value = _digit(conversion, conversion.load(keys.at([at])), shift)
        end = conversion.load(ends.at([value]))
        place = conversion.cast(end, INDEX)
        for source, target in pairs:
            conversion.store(conversion.load(source.at([at])), target.at([place]))
        conversion.store(_next(conversion, end), ends.at([value]))
        return ()

    conversion.sequential(keys.sizes[0], [], move)
    for source, target in pairs:
        conversion.copy(target, source)


def _digit(conversion: Conversion, key: SSAValue, shift: SSAValue) -> SSAValue:
    shifted = conversion.value_of(arith.ShRUIOp(key, shift))
    digit = conversion.value_of(arith.AndIOp(shifted, _bits(conversion, VALUES - 1)))
    return conversion.cast(digit, INDEX)


def _bits(conversion: Conversion, number: int) -> SSAValue:
    return conversion.constant(IntegerAttr(number, i64))


def _next(conversion: Conversion, number: SSAValue) -> SSAValue:
    one = _bits(conversion, 1) if number.type == i64 else conversion.index(1)
    return conversion.value_of(arith.AddiOp(number, one))


def _select(
    conversion: Conversion, condition: SSAValue, then: SSAValue, otherwise: SSAValue
) -> SSAValue:
    return conversion.value_of(arith.SelectOp(condition, then, otherwise))
