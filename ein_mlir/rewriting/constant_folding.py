"""Constant folding of scalar operations that xDSL does not fold."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, i1, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import ConstantLike

from ein_mlir.analysis.constants import known_float, known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.predicates import SIGNED, predicate_of

Number = TypeVar("Number", int, float)

EXACT = 2**24
"""Every integer up to this number is exact in all float types."""

INTS: dict[type[Operation], Callable[[int, int], int]] = {
    arith.FloorDivSIOp: int.__floordiv__,
    arith.MaxSIOp: max,
    arith.MinSIOp: min,
    arith.ShLIOp: int.__lshift__,
    arith.ShRSIOp: int.__rshift__,
}
"""Functions of two Ints, before they wrap."""


class FunctionOfConstants(RewritePattern):
    """``7 // 3 --> 2``, ``1 << 3 --> 8``, ``max(2, 3) --> 3``"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if op.results[0].type != i64:
            return
        lhs, rhs = map(known_int, op.operands)
        if lhs is None or rhs is None or not _is_defined(op, rhs):
            return
        number = INTS[type(op)](lhs, rhs)
        wrapped = (number + 2**63) % 2**64 - 2**63
        rewriter.replace(op, arith.ConstantOp.from_int_and_width(wrapped, 64))


def _is_defined(op: Operation, rhs: int) -> bool:
    """Whether a divisor is not 0, and a distance is one of bits."""
    match op:
        case arith.FloorDivSIOp():
            return rhs != 0
        case arith.ShLIOp() | arith.ShRSIOp():
            return 0 <= rhs < 64
        case _:
            return True


class Logic(RewritePattern):
    """``x & true --> x``, ``x & false --> false``, ``x | false --> x``, ``x | true --> true``

    For the bits of Ints, too, ``x & x --> x``, ``x | x --> x``, ``x & (x | y) --> x``,
    ``x | (x & y) --> x``.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, arith.AndIOp | arith.OrIOp)
        for kept, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if self._is_absorbed(op, kept, other):
                rewriter.replace(op, (), (kept,))
                return
            constant = ConstantLike.get_constant_value(other)
            if op.result.type == i1 and isa(constant, IntegerAttr):
                is_neutral = (constant.value.data != 0) == isinstance(op, arith.AndIOp)
                rewriter.replace(op, (), (kept if is_neutral else other,))
                return

    def _is_absorbed(self, op: arith.AndIOp | arith.OrIOp, kept: SSAValue, other: SSAValue) -> bool:
        dual = arith.OrIOp if isinstance(op, arith.AndIOp) else arith.AndIOp
        return kept is other or (isinstance(other.owner, dual) and kept in other.owner.operands)


class ExclusiveWithConstant(RewritePattern):
    """``x ^ false --> x``, ``true ^ true --> false``"""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, arith.XOrIOp) or op.result.type != i1:
            return
        lhs, rhs = (ConstantLike.get_constant_value(side) for side in op.operands)
        if isa(lhs, IntegerAttr) and isa(rhs, IntegerAttr):
            differ = lhs.value.data != rhs.value.data
            rewriter.replace(op, arith.ConstantOp(IntegerAttr.from_bool(differ)))
        elif isa(rhs, IntegerAttr) and not rhs.value.data:
            rewriter.replace(op, (), (op.lhs,))


class ComparisonOfConstants(RewritePattern):
    """``0 == 1 --> false``, and the like for signed Ints"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.CmpiOp, rewriter: PatternRewriter) -> None:
        test = SIGNED.get(predicate_of(op))
        _decide(op, test, known_int(op.lhs), known_int(op.rhs), rewriter)


_COMPARISONS_OF_FLOATS: dict[str, Callable[[float, float], bool]] = {
    "oeq": operator.eq,
    "ogt": operator.gt,
    "oge": operator.ge,
    "olt": operator.lt,
    "ole": operator.le,
    "une": operator.ne,
}
"""Those that Python has: false for NaN, except for ``une``."""


class ComparisonOfNumbers(RewritePattern):
    """``0.5 == 0.0 --> false``, and the like"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.CmpfOp, rewriter: PatternRewriter) -> None:
        test = _COMPARISONS_OF_FLOATS.get(predicate_of(op))
        _decide(op, test, known_float(op.lhs), known_float(op.rhs), rewriter)


def _decide(
    op: Operation,
    test: Callable[[Number, Number], bool] | None,
    lhs: Number | None,
    rhs: Number | None,
    rewriter: PatternRewriter,
) -> None:
    """Replace a comparison by its truth, if both numbers and the test are known."""
    if test is not None and lhs is not None and rhs is not None:
        rewriter.replace(op, arith.ConstantOp(IntegerAttr.from_bool(test(lhs, rhs))))


class ConversionOfConstant(RewritePattern):
    """``uitofp true --> 1.0``, ``extui false --> 0``, ``sitofp 2 --> 2.0``

    Masks leave such conversions if their conditions are constant.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, arith.ExtUIOp | arith.UIToFPOp | arith.SIToFPOp):
            return
        constant = ConstantLike.get_constant_value(op.input)
        if not isa(constant, IntegerAttr):
            return
        number, type_ = constant.value.data, op.results[0].type
        if (op.input.type == i1) == isinstance(op, arith.SIToFPOp) or abs(number) > EXACT:
            return  # an unsigned Int, or a signed Bool, is read in another way
        number = abs(number) if op.input.type == i1 else number
        if isa(type_, AnyFloat):
            rewriter.replace(op, arith.ConstantOp(FloatAttr(number, type_)))
        elif isa(type_, IntegerType):
            rewriter.replace(op, arith.ConstantOp(IntegerAttr(number, type_)))


PATTERNS: Mapping[type[Operation], RewritePattern] = {
    **dict.fromkeys(INTS, FunctionOfConstants()),
    **dict.fromkeys((arith.ExtUIOp, arith.UIToFPOp, arith.SIToFPOp), ConversionOfConstant()),
    **dict.fromkeys((arith.AndIOp, arith.OrIOp), Logic()),
    arith.XOrIOp: ExclusiveWithConstant(),
    arith.CmpiOp: ComparisonOfConstants(),
    arith.CmpfOp: ComparisonOfNumbers(),
}
"""The pattern of each class of operations."""
