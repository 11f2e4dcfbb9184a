"""Reductions along an axis, and sums of products, of which a condition leaves out positions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import yarr
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.yarr.constants import constant_value, literal_float, unrepeated
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class MaskedRows:
    """A reduction of the rows of an array at which a mask has a value."""

    mask: SSAValue
    """The Bools along the reduced axis."""
    expected: bool
    rows: SSAValue


def masked_rows(op: yarr.ReduceOp) -> MaskedRows | None:
    """``reduce(where(mask[:, None], a, e), [0])`` for the identity e as the rows ``a[mask]``.

    The axis is not the last one, so that rows are contiguous, and no other operation reads the
    array of all rows.
    """
    masked = op.array.owner
    if len(op.axes) != 1 or not isinstance(masked, yarr.ElementwiseOp):
        return None
    (axis,) = op.axes
    if axis == yarr.rank_of(op.array) - 1 or not op.array.has_one_use():
        return None
    for mask, expected, rows in _choices(masked, op.combine):
        bools = _along(mask, axis)
        if bools is not None and _is_whole(rows, op.array):
            return MaskedRows(bools, expected, rows)
    return None


@dataclass(frozen=True)
class MaskedSteps:
    """A sum of products that are zero but where a mask of a summed axis has a value."""

    mask: SSAValue
    expected: bool
    axes: Mapping[SSAValue, int]
    """The factors with the axis, and its number in each."""


def masked_steps(op: yarr.EinsumOp) -> MaskedSteps | None:
    """``einsum("i,ij->j", where(mask, x, 0), a)``, where several factors have the axis."""
    inputs, output = yarr.split_subscripts(op.subscripts.data)
    factors = dict(zip(op.arrays, inputs, strict=True))
    if len(factors) < len(inputs) or any(len(set(each)) < len(each) for each in inputs):
        return None
    for factor, letters in factors.items():
        if not isinstance(masked := factor.owner, yarr.ElementwiseOp):
            continue
        for mask, expected, _ in _choices(masked, arith.AddfOp.name):
            for axis, letter in enumerate(letters):
                bools = mask if len(letters) == 1 else _along(mask, axis)
                axes = {each: own.index(letter) for each, own in factors.items() if letter in own}
                if bools is None or letter in output or len(axes) < 2:
                    continue
                if yarr.shape_of(bools)[0] == yarr.shape_of(factor)[axis]:
                    return MaskedSteps(bools, expected, axes)
    return None


def _choices(masked: yarr.ElementwiseOp, combine: str) -> Iterator[tuple[SSAValue, bool, SSAValue]]:
    """The conditions, their required values and the elements of a choice with an identity."""
    single = single_operation(masked.body)
    if single is None:
        return
    operands = [masked.arguments[masked.body.block.args.index(o)] for o in single.operands]
    if isinstance(single, arith.SelectOp):
        mask, taken, other = operands
        if _is_identity(other, combine):
            yield mask, True, taken
        if _is_identity(taken, combine):
            yield mask, False, other
    elif _NEUTRAL_IN.get(type(single)) == combine and single.results[0].type == i1:
        expected = isinstance(single, arith.AndIOp)
        yield operands[0], expected, operands[1]
        yield operands[1], expected, operands[0]


_NEUTRAL_IN: dict[type[Operation], str] = {
    arith.AndIOp: arith.OrIOp.name,
    arith.OrIOp: arith.AndIOp.name,
}
"""``c & x`` is the identity of *any* where c is false, ``c | x`` that of *all* where it is true."""


def _is_identity(value: SSAValue, combine: str) -> bool:
    """Whether a value is a literal, repeated, that is the identity of an operation."""
    value = unrepeated(value)
    neutral: Attribute | None = identity(combine, yarr.element_of(value))
    if isa(neutral, FloatAttr):
        return literal_float(value) == neutral.value.data
    return isa(neutral, IntegerAttr) and constant_value(value) == neutral.value.data


def _along(mask: SSAValue, axis: int) -> SSAValue | None:
    """The Bools of a mask that has only one axis."""
    op = mask.owner
    if not isinstance(op, yarr.UnsqueezeOp) or yarr.rank_of(op.array) != 1:
        return None
    return op.array if axis not in op.axes else None


def _is_whole(rows: SSAValue, result: SSAValue) -> bool:
    """Whether an array has all axes of another one: none is repeated."""
    sizes = zip(yarr.shape_of(rows), yarr.shape_of(result), strict=True)
    return all(a != 1 or b == 1 for a, b in sizes)
