"""The rule for sorting: a partition of Bools, else a merge sort of positions and their elements.

The merge sort goes bottom up.

Runs of ``width`` positions are in order. Each pass merges pairs of neighbouring runs into second
arrays and copies these back, until one run has all positions. The elements move with their
positions, so that all reads are of neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i1, i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.values import Array

PASSES = MOST.bit_length()
"""The most passes: each doubles the width of a run."""


def argsort(conversion: Conversion, op: phi.ArgsortOp) -> None:
    """The positions in order."""
    vector = conversion.array(op.vec)
    order = conversion.target(op.result, 0, i64, vector.sizes)
    (_partition if vector.element == i1 else _merge_sort)(conversion, vector, order)
    conversion.bind(op.result, [order])


def _partition(conversion: Conversion, vector: Array, order: Array) -> None:
    """The positions of false, and then those of true."""
    (size,) = vector.sizes
    zero = conversion.index(0)

    def count(at: SSAValue, found: Sequence[SSAValue]) -> list[SSAValue]:
        following = conversion.value_of(arith.AddiOp(found[0], conversion.index(1)))
        is_true = conversion.load(vector.at([at]))
        return [conversion.value_of(arith.SelectOp(is_true, following, found[0]))]

    (trues,) = conversion.sequential(size, [zero], count)

    first_true = conversion.value_of(arith.SubiOp(size, trues))

    def place(at: SSAValue, ends: Sequence[SSAValue]) -> list[SSAValue]:
        """Write the position behind the others of its kind; carried are the ends of both kinds."""
        is_true = conversion.load(vector.at([at]))
        end = conversion.value_of(arith.SelectOp(is_true, ends[1], ends[0]))
        conversion.store(conversion.cast(at, i64), order.at([end]))
        following = conversion.value_of(arith.AddiOp(end, conversion.index(1)))
        return [
            conversion.value_of(arith.SelectOp(is_true, ends[0], following)),
            conversion.value_of(arith.SelectOp(is_true, following, ends[1])),
        ]

    conversion.sequential(size, [zero, first_true], place)


def _merge_sort(conversion: Conversion, vector: Array, order: Array) -> None:
    """Merges of runs of 1, 2, 4, .. positions."""
    (size,) = vector.sizes
    pairs = [
        (each, conversion.allocate(each.element, [size]))
        for each in (order, conversion.copied(vector))
    ]
    conversion.parallel(
        [size], lambda at: conversion.store(conversion.cast(at[0], i64), order.at(at))
    )

    def double(_: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        (width,) = carried
        pair = conversion.value_of(arith.AddiOp(width, width))

        def merge() -> None:
            _merge_all(conversion, pairs, width, pair)
            for runs, merged in pairs:
                conversion.copy(merged, runs)

        conversion.when(conversion.compare(width, size, "slt"), merge)
        return [pair]

    conversion.sequential(conversion.index(PASSES), [conversion.index(1)], double)


def _merge_all(
    conversion: Conversion,
    arrays: Sequence[tuple[Array, Array]],
    width: SSAValue,
    pair: SSAValue,
) -> None:
    """Merge each run of ``width`` positions with the next one; the same for their elements."""
    (size,) = arrays[0][0].sizes
    one = conversion.index(1)
    last = conversion.value_of(arith.SubiOp(size, one))
    rounded = conversion.value_of(arith.AddiOp(last, pair))
    pairs = conversion.value_of(arith.DivSIOp(rounded, pair))

    def merge(number: SSAValue, _: Sequence[SSAValue]) -> tuple[()]:
        start = conversion.value_of(arith.MuliOp(number, pair))
        middle = _at_most(conversion, start, width, size)
        end = _at_most(conversion, start, pair, size)

        def take(k: SSAValue, heads: Sequence[SSAValue]) -> list[SSAValue]:
            """The smaller of the heads of both runs, the first one of equal ones."""
            place = conversion.value_of(arith.AddiOp(start, k))
            at = [conversion.value_of(arith.MinSIOp(head, last)) for head in heads]
            found = [[conversion.load(runs.at([p])) for p in at] for runs, _ in arrays]
            is_second = _is_second(conversion, found[1], heads, (middle, end))
            for (first, second), (_, merged) in zip(found, arrays, strict=True):
                taken = conversion.value_of(arith.SelectOp(is_second, second, first))
                conversion.store(taken, merged.at([place]))
            following = [conversion.value_of(arith.AddiOp(head, one)) for head in heads]
            return [
                conversion.value_of(arith.SelectOp(is_second, heads[0], following[0])),
                conversion.value_of(arith.SelectOp(is_second, following[1], heads[1])),
            ]

        count = conversion.value_of(arith.SubiOp(end, start))
        conversion.sequential(count, [start, middle], take)
        return ()

    conversion.sequential(pairs, [], merge)


def _at_most(conversion: Conversion, start: SSAValue, length: SSAValue, size: SSAValue) -> SSAValue:
    end = conversion.value_of(arith.AddiOp(start, length))
    return conversion.value_of(arith.MinSIOp(end, size))


def _is_second(
    conversion: Conversion,
    elements: Sequence[SSAValue],
    heads: Sequence[SSAValue],
    ends: Sequence[SSAValue],
) -> SSAValue:
    """Whether the second run has an element, and the first one none that comes before it."""
    x, y = elements
    is_done = conversion.compare(heads[0], ends[0], "sge")
    is_left = conversion.compare(heads[1], ends[1], "slt")
    either = conversion.value_of(arith.OrIOp(is_done, _is_less(conversion, y, x)))
    return conversion.value_of(arith.AndIOp(is_left, either))


def _is_less(conversion: Conversion, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Whether a number comes before another one: NaN comes last, and false before true."""
    if isa(lhs.type, IntegerType):
        return conversion.compare(lhs, rhs, "ult" if lhs.type == i1 else "slt")
    less, number, other = (
        conversion.value_of(arith.CmpfOp(x, y, predicate))
        for x, y, predicate in ((lhs, rhs, "olt"), (lhs, lhs, "ord"), (rhs, rhs, "uno"))
    )
    return conversion.value_of(arith.OrIOp(less, conversion.value_of(arith.AndIOp(number, other))))
