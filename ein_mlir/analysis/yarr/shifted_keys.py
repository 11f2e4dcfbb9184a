"""Keys of accumulations that add two indices each, as those of a convolution do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.dialects import yarr
from ein_mlir.dialects.algebra import is_product
from ein_mlir.dialects.yarr.constants import constant_value
from ein_mlir.host.dataclass import dataclass

LARGEST_STEP = 8
"""The largest distance of the positions of neighbours: there is an array of all positions."""


@dataclass
class Shift:
    """The key ``a * first + b * second + c * start + ..`` for constants a, b and c."""

    indices: dict[int, int] = field(default_factory=dict[int, int])
    """The factors of indices, by the axes of the values along which they run."""
    starts: list[tuple[int, SSAValue]] = field(default_factory=list[tuple[int, SSAValue]])
    """The other Ints, with their factors."""

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
                self.indices[axes[0]] = factor
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
                number = _number(rhs)
                return number is not None and self.add(lhs, axes, factor * number)
            case _:
                return False


def _number(value: SSAValue) -> int | None:
    while isinstance(value.owner, yarr.UnsqueezeOp):
        value = value.owner.array
    return constant_value(value)


def shifted_keys(op: yarr.AccumulateOp) -> Sequence[Shift] | None:
    """The keys of an accumulation, if each is a sum of two indices, and each index is in one.

    No axis of the values is repeated.
    """
    shifts = list[Shift]()
    for key in op.keys:
        shift = Shift()
        if not shift.add(key, {axis: axis for axis in range(yarr.rank_of(key))}, 1):
            return None
        shifts.append(shift)
    axes = sorted(axis for shift in shifts for axis in shift.axes)
    factors = [abs(factor) for shift in shifts for factor in shift.indices.values()]
    if axes != list(range(yarr.rank_of(op.array))) or any(len(s.axes) != 2 for s in shifts):
        return None
    if 1 in yarr.shape_of(op.array):
        return None
    return shifts if all(1 <= factor <= LARGEST_STEP for factor in factors) else None


Part = tuple[SSAValue, Sequence[int]]
"""An array, and some of its axes: others have one element."""


def separate_factors(values: SSAValue, shifts: Sequence[Shift]) -> tuple[Part, Part] | None:
    """The factors of a product of which each varies along one axis of each shift."""
    op = values.owner
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
