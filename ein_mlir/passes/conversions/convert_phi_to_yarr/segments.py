"""The rule for segment reductions: free indices of keys become keys, those of values stay axes.

::

    A[segment_reduce v by k into n] = <P + (Q - P), segment_reduce V by range(P).., K into P.., n>
                                      where A[k] = <P, K> and A[v] = <Q, V>

A key that varies with an index ``b`` defines separate segments for each ``b``, of the values at the
same ``b``. So the axis of ``b`` is one more axis of positions, and its range one more key.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ein_mlir.dialects import phi, yarr
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import Axial, Index, union
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import Conversion


def segment_reduce(conversion: Conversion, op: phi.SegmentReduceOp) -> None:
    """``A[segment_reduce v by k into n]``, by the law above."""
    keys, values = [conversion.over_positions(op.keys[0], key) for key in op.keys], op.values
    selected = union([key.axes for key in keys])
    value = conversion.over_positions(op.keys[0], values)
    others = tuple(index for index in value.axes if index not in selected)
    ranges = [conversion.align(Axial((index,), index.range), selected) for index in selected]
    rank = phi.rank_of(values.type)
    result = conversion.emit(
        yarr.AccumulateOp(
            op.kind.data,
            _with_axes_around(conversion, value, selected, others),
            [
                *(_with_trailing_ones(conversion, range_, rank) for range_ in ranges),
                *(conversion.align(key, selected) for key in keys),
            ],
            [*(index.size for index in selected), *_sizes(conversion, op)],
        ),
        op,
    ).result
    axes = union([selected, others])
    own = range(len(selected), len(selected) + len(op.keys))
    order = [*selected, *own, *others]
    result = conversion.transpose(result, [*(order.index(index) for index in axes), *own])
    conversion.bind(op.result, Axial(axes, result))


def _sizes(conversion: Conversion, op: phi.SegmentReduceOp) -> list[SSAValue]:
    """The sizes of the result, with a check of those that could be negative."""
    sizes = list[SSAValue]()
    for axis, size in enumerate(op.sizes):
        value = conversion.plain(size, f"size {axis} of segments", op)
        if not is_size(size):
            value = conversion.emit(yarr.AssertSizeOp(value, f"size {axis} of segments")).result
            value.owner.location = op.location
        sizes.append(value)
    return sizes


def _with_axes_around(
    conversion: Conversion, value: Axial, leading: Sequence[Index], trailing: Sequence[Index]
) -> SSAValue:
    """The value with some axes before its own dimensions, broadcast if missing, others after."""
    aligned = conversion.align(value, (*leading, *trailing))
    first, last = len(leading), len(leading) + len(trailing)
    own = range(last, yarr.rank_of(aligned))
    return conversion.transpose(aligned, [*range(first), *own, *range(first, last)])


def _with_trailing_ones(conversion: Conversion, value: SSAValue, count: int) -> SSAValue:
    rank = yarr.rank_of(value)
    return conversion.emit(yarr.UnsqueezeOp(value, list(range(rank, rank + count)))).result
