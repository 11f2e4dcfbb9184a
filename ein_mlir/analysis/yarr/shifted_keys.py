"""Keys of accumulations that add two indices each, as those of a convolution do."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from itertools import chain

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.scopes import needed_within
from ein_mlir.dialects import yarr
from ein_mlir.dialects.algebra import is_product
from ein_mlir.dialects.yarr.constants import constant_value
from ein_mlir.host.dataclass import dataclass

LARGEST_STEP = 64
"""The largest distance of the positions of neighbours: there is an array of all positions."""


@dataclass
class Shift:
    """The key ``a * first + b * second + c * start + ..`` for constants a, b and c."""

    indices: dict[int, int] = field(default_factory=dict[int, int])
    """The factors of indices, by the axes of the values along which they run."""
    sizes: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])
    """The numbers of their values."""
    starts: list[tuple[int, SSAValue]] = field(default_factory=list[tuple[int, SSAValue]])
    """The other Ints, with their factors."""
    clips: bool = False
    """Whether positions out of bounds are the first and the last one."""

    @property
    def axes(self) -> list[int]:
        """The axes of the indices, in order."""
        return sorted(self.indices)

    def add(self, value: SSAValue, axes: Mapping[int, int], factor: int) -> bool:
        """Add the terms of a part of the key, if it is linear in different indices.

        ``axes`` are those of the key for the axes of the part.
        """
        op = value.owner
        match op:
            case yarr.RangeOp():
                is_new = axes[0] not in self.indices
                self.indices[axes[0]], self.sizes[axes[0]] = factor, op.size
                return is_new
            case yarr.UnsqueezeOp():
                kept = [axis for axis in range(yarr.rank_of(value)) if axis not in op.axes]
                return self.add(op.array, {k: axes[axis] for k, axis in enumerate(kept)}, factor)
            case yarr.ElementwiseOp() if len(op.arguments) == 2:
                return self._add_combined(op, axes, factor)
            case _:
                self.starts.append((factor, value))
                return not yarr.rank_of(value)

    def _add_combined(self, op: yarr.ElementwiseOp, axes: Mapping[int, int], factor: int) -> bool:
        single = op.scalar_operation()
        if single is None:
            return False
        lhs, rhs = (op.arguments[op.body.block.args.index(v)] for v in single.operands)
        match single:
            case arith.AddiOp() | arith.SubiOp():
                other = -factor if isinstance(single, arith.SubiOp) else factor
                return self.add(lhs, axes, factor) and self.add(rhs, axes, other)
            case arith.MuliOp():
                number = constant_value(_scalar(rhs))
                return number is not None and self.add(lhs, axes, factor * number)
            case _:
                return False


def _unclipped(key: SSAValue, size: SSAValue) -> SSAValue | None:
    """The key ``k`` of ``max(min(k, size - 1), 0)``, or by turns; none for another one."""
    bounds = dict[type[Operation], SSAValue]()
    for _ in range(2):
        op = key.owner
        if not isinstance(op, yarr.ElementwiseOp):
            return None
        single = op.scalar_operation()
        if not isinstance(single, arith.MaxSIOp | arith.MinSIOp):
            return None
        key, bound = op.arguments
        bounds[type(single)] = _scalar(bound)
    first, last = (bounds.get(extreme) for extreme in (arith.MaxSIOp, arith.MinSIOp))
    if first is None or last is None or constant_value(first) != 0:
        return None
    return key if _is_last(last, size) else None


def _is_last(value: SSAValue, size: SSAValue) -> bool:
    """Whether an Int is ``size - 1``, or the size is that Int and 1."""
    number = constant_value(size)
    if number is not None:
        return constant_value(value) == number - 1
    return _is_next(value, size, arith.SubiOp) or _is_next(size, value, arith.AddiOp)


def _is_next(value: SSAValue, other: SSAValue, kind: type[Operation]) -> bool:
    """Whether an Int is the sum, or difference, of another one and 1."""
    op = value.owner
    return (
        isinstance(op, yarr.ElementwiseOp)
        and isinstance(op.scalar_operation(), kind)
        and op.arguments[0] is other
        and constant_value(op.arguments[1]) == 1
    )


def _scalar(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, yarr.UnsqueezeOp):
        value = value.owner.array
    return value


def _shift_of(key: SSAValue, size: SSAValue) -> Shift | None:
    """A key of an axis, if it is linear in different indices, or clipped."""
    axes, op = list(range(yarr.rank_of(key))), key.owner
    if isinstance(op, yarr.UnsqueezeOp):
        axes, key = [axis for axis in axes if axis not in op.axes], op.array
    inner = _unclipped(key, size)
    shift = Shift(clips=inner is not None)
    return shift if shift.add(inner or key, dict(enumerate(axes)), 1) else None


def shifted_keys(op: yarr.AccumulateOp) -> Sequence[Shift] | None:
    """The keys of an accumulation, if each is a sum of two indices, and each index is in one.

    The values may be rows, and repeated along axes of keys.
    """
    shifts = list[Shift]()
    for key, size in zip(op.keys, op.sizes, strict=True):
        if (shift := _shift_of(key, size)) is None:
            return None
        shifts.append(shift)
    rank = yarr.rank_of(op.keys[0])
    axes = sorted(axis for shift in shifts for axis in shift.axes)
    factors = [abs(factor) for shift in shifts for factor in shift.indices.values()]
    if axes != list(range(rank)) or any(len(s.axes) != 2 for s in shifts):
        return None
    return shifts if all(1 <= factor <= LARGEST_STEP for factor in factors) else None


def behind_shifted_keys(block: Block) -> Collection[Operation]:
    """The operations of a block that compute such keys, of which a library makes no array."""
    keys = [
        key
        for op in block.ops
        if isinstance(op, yarr.AccumulateOp) and shifted_keys(op) is not None
        for key in op.keys
    ]
    place = block.parent_op()
    return () if place is None else needed_within(place, keys)


Part = tuple[SSAValue, Sequence[int]]
"""An array, and some of its axes: others have one element."""


def separate_factors(values: SSAValue, shifts: Sequence[Shift]) -> tuple[Part, Part] | None:
    """The factors of a product of which each varies along one axis of each shift, and no other."""
    op = values.owner
    if yarr.rank_of(values) != 2 * len(shifts) or any(shift.clips for shift in shifts):
        return None
    if not isinstance(op, yarr.ElementwiseOp) or len(op.arguments) != 2:
        return None
    single = op.scalar_operation()
    if single is None or not is_product(single.name):
        return None
    first, second = (
        [axis for shift in shifts for axis in shift.axes if yarr.shape_of(factor)[axis] != 1]
        for factor in op.arguments
    )
    pairs = [sorted(pair) for pair in zip(first, second, strict=False)]
    if pairs != [shift.axes for shift in shifts] or len(first) != len(second):
        return None
    return (op.arguments[0], first), (op.arguments[1], second)


@dataclass(frozen=True)
class Overlap:
    """A contraction of an array and filters whose results are added up where windows overlap."""

    arrays: tuple[SSAValue, SSAValue]
    letters: tuple[str, str]
    """Those of the axes of the arrays."""
    batch: str
    channels: str
    outputs: str
    axes: tuple[Sequence[int], Sequence[int]]
    """The axes of the values, one of each shift, along which each array varies."""
    places: tuple[str, str]
    """Their letters."""
    rows: str
    """Those of the other axes of the values."""


def overlap_of(values: SSAValue, shifts: Sequence[Shift]) -> Overlap | None:
    """The factors of a sum of products of which each varies along one axis of each shift."""
    order = list(range(yarr.rank_of(values)))
    while isinstance(values.owner, yarr.TransposeOp):
        order = [values.owner.axes[axis] for axis in order]
        values = values.owner.array
    op = values.owner
    if not isinstance(op, yarr.EinsumOp) or len(op.arrays) != 2:
        return None
    (first, second), output = yarr.split_subscripts(op.subscripts.data)
    if len({*first}) < len(first) or len({*second}) < len(second):
        return None
    named = "".join(output[axis] for axis in order)
    both, rows = {*first} & {*second}, named[2 * len(shifts) :]
    own = [axis for axis in range(2 * len(shifts)) if named[axis] in {*first} - both]
    others = [axis for axis in range(2 * len(shifts)) if named[axis] in {*second} - both]
    if not all({*own} & {*s.axes} and {*others} & {*s.axes} for s in shifts) or both & {*output}:
        return None
    if {*chain(first, second)} - both != {*output}:
        return None
    axes = tuple([next(k for k in s.axes if k in side) for s in shifts] for side in (own, others))
    batch, outputs = ("".join(x for x in rows if x in side) for side in (first, second))
    return Overlap(
        (op.arrays[0], op.arrays[1]),
        (first, second),
        batch,
        "".join(sorted(both)),
        outputs,
        (axes[0], axes[1]),
        ("".join(named[k] for k in axes[0]), "".join(named[k] for k in axes[1])),
        rows,
    )
