"""``extend-small-floats``: arithmetic of floats of 16 bits becomes that of f32, rounded."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import BFloat16Type, Float16Type, FloatAttr, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.rewriting.passes import FunctionPass

_ARITHMETIC = frozenset(("arith", "math", "sigma"))
_KEEP_BITS = (arith.ConstantOp, arith.SelectOp, arith.BitcastOp, arith.ExtFOp, arith.TruncFOp)
"""The operators that need no arithmetic, and conversions."""


def _is_small(type_: Attribute) -> bool:
    return type(type_) is Float16Type or type(type_) is BFloat16Type


def _works_on_small_floats(op: Operation) -> bool:
    if op.name.partition(".")[0] not in _ARITHMETIC or isinstance(op, _KEEP_BITS):
        return False
    return any(_is_small(value.type) for value in (*op.operands, *op.results))


def _extended(value: SSAValue, point: InsertPoint) -> SSAValue:
    """The same number as an f32."""
    if not _is_small(value.type):
        return value
    literal = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
    wide = (
        arith.ConstantOp(FloatAttr(literal.value.data, f32))
        if isa(literal, FloatAttr)
        else arith.ExtFOp(value, f32)
    )
    Rewriter.insert_op(wide, point)
    return wide.result


def extend(op: Operation) -> None:
    """``f(x, ..) : f16  -->  truncf(f(extf(x), ..) : f32)``"""
    point = InsertPoint.before(op)
    new = type(op).create(
        operands=[_extended(value, point) for value in op.operands],
        result_types=[f32 if _is_small(result.type) else result.type for result in op.results],
        properties=op.properties,
        attributes=op.attributes,
    )
    new.location = op.location
    results: Sequence[SSAValue] = new.results
    rounded = [
        arith.TruncFOp(result, old.type)
        for result, old in zip(results, op.results, strict=True)
        if _is_small(old.type)
    ]
    Rewriter.replace_op(op, (new, *rounded), [each.result for each in rounded] or results)


class ExtendSmallFloatsPass(FunctionPass):
    """Computes with f16 and bf16 in f32, and rounds each result.

    Before::

        %r = arith.mulf %x, %y : f16

    After::

        %a = arith.extf %x : f16 to f32
        %b = arith.extf %y : f16 to f32
        %p = arith.mulf %a, %b : f32
        %r = arith.truncf %p : f32 to f16

    An f32 has more than twice the digits, so sums, products, quotients and square roots are rounded
    as if once. Arrays keep their elements of 16 bits.
    """

    name = "extend-small-floats"

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if _works_on_small_floats(op):
                extend(op)
