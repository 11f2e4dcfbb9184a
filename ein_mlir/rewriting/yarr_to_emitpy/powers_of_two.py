"""Divisions by powers of two as shifts and masks, and powers of such numbers as shifts."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import Integers, Range
from ein_mlir.analysis.arithmetic.ranges import RANGES
from ein_mlir.analysis.arithmetic.scalars import indices_below
from ein_mlir.backends.forms import Operator
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy.base import rank_of
from ein_mlir.dialects.yarr.integers import YarrLevel
from ein_mlir.rewriting.yarr_to_emitpy.builder import PythonBuilder, is_object, literal_int

_BITS = 62
"""The exponent of the largest power of two that is an Int; that after it is negative."""


def by_bits(
    build: PythonBuilder, symbol: str, operands: Sequence[SSAValue]
) -> tuple[Operator, Sequence[SSAValue]] | None:
    """``x >> 3`` for ``x // 8`` and ``x & 7`` for ``x % 8``"""
    divisor = literal_int(operands[1])
    if divisor is None or divisor <= 0 or divisor & (divisor - 1):
        return None
    match symbol:
        case "//":
            return Operator(">>"), (operands[0], build.literal(divisor.bit_length() - 1))
        case "%":
            return Operator("&"), (operands[0], build.literal(divisor - 1))
        case _:
            return None


def exponent_of(build: PythonBuilder, divisor: SSAValue, emitted: SSAValue) -> SSAValue | None:
    """The emitted n of ``1 << n`` that is an Int and positive; ``n[:, None]`` for its view"""
    power, shift = _computation(divisor), emitted.owner
    if not isinstance(power, arith.ShLIOp | math.IPowIOp) or _bits_of(power) is None:
        return None
    view = shift if isinstance(shift, emitpy.SubscriptOp) else None
    shift = shift if view is None else view.object.owner
    if not isinstance(shift, emitpy.BinaryOp) or shift.operator.data != "<<":
        return None
    if view is None or is_object(shift.rhs) or rank_of(shift.rhs.type) != rank_of(view.object.type):
        return shift.rhs if view is None else None
    return build.subscript(shift.rhs, view.indices, view.result.type)


def _bits_of(power: arith.ShLIOp | math.IPowIOp) -> int | None:
    """The m of ``1 << m * n``, if a power is that of a literal and no Int is too small for it."""
    constant = _computation(power.lhs)
    base = None if constant is None else YarrLevel().constant(constant.results[0])
    if isinstance(power, arith.ShLIOp):
        bits = int(base == 1)
    else:
        is_power = base is not None and base > 1 and not base & (base - 1)
        bits = base.bit_length() - 1 if base is not None and is_power else 0
    exponent = _range(power.rhs)
    return bits if bits and exponent * Range.of(bits) in Range(0, _BITS) else None


def shifted_power(
    build: PythonBuilder, op: math.IPowIOp, exponent: SSAValue
) -> tuple[SSAValue, SSAValue] | None:
    """The 1 and the ``2 * n`` of ``1 << 2 * n``, for ``4 ** n`` that is an Int and positive"""
    bits = _bits_of(op)
    if bits is None:
        return None
    return build.literal(1), build.binary(exponent, "*", build.literal(bits), exponent.type)


def _computation(value: SSAValue) -> Operation | None:
    """The scalar operation that computes a value, or the elements of an array."""
    match value.owner:
        case yarr.UnsqueezeOp() as op:
            return _computation(op.array)
        case yarr.ElementwiseOp() as op:
            return _computation(_yielded(op)) if len(op.results) == 1 else None
        case Block() as block if isinstance(op := block.parent_op(), yarr.ElementwiseOp):
            return _computation(op.arguments[block.args.index(value)])
        case Operation() as op:
            return op
        case _:
            return None


def _range(value: SSAValue) -> Range:
    """The range of an Int, or of the elements of an array."""
    ints = Integers(YarrLevel())
    match _computation(value):
        case yarr.RangeOp() as op:
            return indices_below(ints.range(op.size))
        case arith.AddiOp() | arith.SubiOp() | arith.MuliOp() as op:
            return RANGES[type(op)](*map(_range, op.operands))
        case arith.ConstantOp() as op:
            return ints.range(op.result)
        case _:
            return ints.range(value)


def _yielded(op: yarr.ElementwiseOp) -> SSAValue:
    last = op.body.block.last_op
    assert isinstance(last, yarr.YieldOp)
    return last.values[0]
