"""``simplify-arithmetic``: scalar arithmetic without slow or repeated operations."""

from __future__ import annotations

import math as python_math
from collections.abc import Callable
from functools import cache

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, ModuleOp, i1
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.traits import ConstantLike

from ein_mlir.analysis.constants import known_float, known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.predicates import NEGATED, predicate_of
from ein_mlir.dialects.algebra import EVEN, ODD
from ein_mlir.dialects.fastmath import permits
from ein_mlir.rewriting.passes import FixpointPass
from ein_mlir.rewriting.worklist import Rules, Simplifier

LARGEST_POWER = 4
"""The largest exponent for which products are faster than the power."""


class FunctionOfNegation(RewritePattern):
    """``f(-x) --> -f(x)`` for odd functions, ``f(-x) --> f(x)`` for even ones

    So ``f(x)`` and ``f(-x)`` in a program become one call.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, (*ODD, *EVEN)):
            return
        positive = _negated(op.operands[0])
        if positive is None:
            return
        function = type(op).create(
            operands=[positive(rewriter)],
            result_types=[op.results[0].type],
            properties=dict(op.properties),
        )
        if isinstance(op, EVEN):
            rewriter.replace(op, function)
        else:
            rewriter.replace(op, (function, arith.NegfOp(function.results[0])))


def _negated(value: SSAValue) -> Callable[[PatternRewriter], SSAValue] | None:
    """A function that builds ``x`` for a value ``-x``; None for other values.

    ``-x`` may be a factor, a dividend or a divisor, since ``(-x) * y = -(x * y)`` is exact.
    """
    op = value.owner
    if isinstance(op, arith.NegfOp):
        operand = op.operand
        return lambda _: operand
    if not isinstance(op, arith.MulfOp | arith.DivfOp) or not value.has_one_use():
        return None
    for k, operand in enumerate(op.operands):
        positive = _negated(operand)
        if positive is not None:
            return _rebuilt(op, k, positive)
    return None


def _rebuilt(
    op: arith.MulfOp | arith.DivfOp, k: int, positive: Callable[[PatternRewriter], SSAValue]
) -> Callable[[PatternRewriter], SSAValue]:
    def build(rewriter: PatternRewriter) -> SSAValue:
        x = positive(rewriter)
        lhs, rhs = (x, op.rhs) if k == 0 else (op.lhs, x)
        rewriter.insert(new := type(op)(lhs, rhs))
        return new.result

    return build


class SumWithNegation(RewritePattern):
    """``x + -y --> x - y``, ``-x + y --> y - x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.AddfOp, rewriter: PatternRewriter) -> None:
        for kept, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if isinstance(negation := other.owner, arith.NegfOp):
                rewriter.replace(op, arith.SubfOp(kept, negation.operand))
                return


class DifferenceWithNegation(RewritePattern):
    """``x - -y --> x + y``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.SubfOp, rewriter: PatternRewriter) -> None:
        if isinstance(negation := op.rhs.owner, arith.NegfOp):
            rewriter.replace(op, arith.AddfOp(op.lhs, negation.operand))


class NegationOfNegation(RewritePattern):
    """``-(-x) --> x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.NegfOp, rewriter: PatternRewriter) -> None:
        if isinstance(inner := op.operand.owner, arith.NegfOp):
            rewriter.replace(op, (), (inner.operand,))


class SumWithZero(RewritePattern):
    """``x + -0 --> x``, ``-0 + x --> x``, ``x - 0 --> x``

    A sum with 0 is unchanged, since that of -0 and 0 is 0, unless the program permits ``nsz``.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if isinstance(op, arith.AddfOp):
            sides, sign = ((op.lhs, op.rhs), (op.rhs, op.lhs)), -1.0
        elif isinstance(op, arith.SubfOp):
            sides, sign = ((op.lhs, op.rhs),), 1.0
        else:
            return
        for kept, other in sides:
            number = known_float(other)
            if number == 0 and (python_math.copysign(1.0, number) == sign or permits(op, "nsz")):
                rewriter.replace(op, (), (kept,))
                return


class OneElsewhere(RewritePattern):
    """``select(a == b, 0, 1) --> select(a != b, 1, 0)``, which is a conversion of the Bool

    The same applies to any comparison of integers without other users.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.SelectOp, rewriter: PatternRewriter) -> None:
        compare = op.cond.owner
        if not isinstance(compare, arith.CmpiOp) or not op.cond.has_one_use():
            return
        if [_number(op.lhs), _number(op.rhs)] != ["0", "1"]:
            return
        opposite = arith.CmpiOp(compare.lhs, compare.rhs, NEGATED[predicate_of(compare)])
        rewriter.replace(op, (opposite, arith.SelectOp(opposite, op.rhs, op.lhs)))


class ChoiceOfTruth(RewritePattern):
    """``select(c, true, x) --> c | x``, ``select(c, x, false) --> c & x``, of Bools"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.SelectOp, rewriter: PatternRewriter) -> None:
        if op.result.type != i1:
            return
        if known_int(op.lhs) in (1, -1):
            rewriter.replace(op, arith.OrIOp(op.cond, op.rhs))
        elif known_int(op.rhs) == 0:
            rewriter.replace(op, arith.AndIOp(op.cond, op.lhs))


def _number(value: SSAValue) -> str | None:
    """The number of a constant, or None: ``-0.0`` and 0 are different."""
    constant = ConstantLike.get_constant_value(value)
    if isa(constant, IntegerAttr):
        return str(constant.value.data)
    return f"{constant.value.data:g}" if isa(constant, FloatAttr) else None


class ConversionBack(RewritePattern):
    """``truncf (extf x) --> x``, ``trunci (extsi x) --> x`` if ``x`` has the type of the result

    The wider type holds the value exactly.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        match op:
            case arith.TruncFOp(input=value) if isinstance(value.owner, arith.ExtFOp):
                original = value.owner.input
            case arith.TruncIOp(input=value) if isinstance(
                value.owner, arith.ExtSIOp | arith.ExtUIOp
            ):
                original = value.owner.input
            case _:
                return
        if original.type == op.results[0].type:
            rewriter.replace(op, (), (original,))


class ProductWithOne(RewritePattern):
    """``x * 1 --> x``, ``1 * x --> x``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.MulfOp, rewriter: PatternRewriter) -> None:
        for kept, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if known_float(other) == 1:
                rewriter.replace(op, (), (kept,))
                return


class QuotientByPowerOfTwo(RewritePattern):
    """``x / 4 --> x * 0.25``, ``x / 1 --> x``: exact, and products are faster than quotients

    With ``arcp`` so are all quotients by a literal whose reciprocal is no subnormal number.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.DivfOp, rewriter: PatternRewriter) -> None:
        divisor = known_float(op.rhs)
        if divisor == 1:
            rewriter.replace(op, (), (op.lhs,))
        elif divisor is not None and (
            _is_small_power_of_two(divisor)
            or (permits(op, "arcp") and 2.0**-64 < abs(divisor) < 2.0**64)
        ):
            inverse = arith.ConstantOp(FloatAttr(1 / divisor, op.rhs.type))  # pyright: ignore
            rewriter.replace(op, (inverse, arith.MulfOp(op.lhs, inverse)))


class SmallPower(RewritePattern):
    """``x ** 3 --> x * x * x``, for exponents from 1 to ``LARGEST_POWER``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: math.FPowIOp, rewriter: PatternRewriter) -> None:
        exponent = ConstantLike.get_constant_value(op.rhs)
        if not isa(exponent, IntegerAttr) or not 1 <= exponent.value.data <= LARGEST_POWER:
            return
        power = op.lhs
        for digit in f"{exponent.value.data:b}"[1:]:
            rewriter.insert(square := arith.MulfOp(power, power))
            power = square.result
            if digit == "1":
                rewriter.insert(product := arith.MulfOp(power, op.lhs))
                power = product.result
        rewriter.replace(op, (), (power,))


class PowerOfTwo(RewritePattern):
    """``2 ** n --> 1 << n`` on Ints: both are 0 for a negative ``n``, and for all bits or more"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: math.IPowIOp, rewriter: PatternRewriter) -> None:
        type_ = op.result.type
        if known_int(op.lhs) == 2 and isinstance(type_, IntegerType):
            one = arith.ConstantOp(IntegerAttr(1, type_))
            rewriter.replace(op, (one, arith.ShLIOp(one, op.rhs)))


class SquareRoot(RewritePattern):
    """``x ** 0.5 --> sqrt x``, with ``afn``: they differ for minus infinity"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: math.PowFOp, rewriter: PatternRewriter) -> None:
        if known_float(op.rhs) == 0.5 and permits(op, "afn"):
            rewriter.replace(op, math.SqrtOp(op.lhs))


def _is_small_power_of_two(number: float) -> bool:
    """Whether the inverse of a number is exact in every type of floats."""
    mantissa, exponent = python_math.frexp(number)
    return abs(mantissa) == 0.5 and abs(exponent) < 64


PATTERNS: tuple[tuple[RewritePattern, tuple[type[Operation], ...]], ...] = (
    (FunctionOfNegation(), (*ODD, *EVEN)),
    (NegationOfNegation(), (arith.NegfOp,)),
    (SumWithNegation(), (arith.AddfOp,)),
    (DifferenceWithNegation(), (arith.SubfOp,)),
    (SumWithZero(), (arith.AddfOp, arith.SubfOp)),
    (ProductWithOne(), (arith.MulfOp,)),
    (QuotientByPowerOfTwo(), (arith.DivfOp,)),
    (SmallPower(), (math.FPowIOp,)),
    (PowerOfTwo(), (math.IPowIOp,)),
    (SquareRoot(), (math.PowFOp,)),
    (ConversionBack(), (arith.TruncFOp, arith.TruncIOp)),
    (OneElsewhere(), (arith.SelectOp,)),
    (ChoiceOfTruth(), (arith.SelectOp,)),
)
"""The patterns in order, each with the operations that it rewrites."""


@cache
def _rules_of(op: type[Operation]) -> Rules:
    """The patterns for a class of operations."""
    return Rules(tuple(each for each, rewritten in PATTERNS if op in rewritten), folds=False)


class SimplifyArithmeticPass(FixpointPass):
    """Rewrites scalar arithmetic without changing values, except the last digits of a power.

    A negation moves out of odd functions and disappears in even ones, sums and differences, so
    expressions of ``x`` and of ``-x`` become common subexpressions. Powers with a small exponent
    become products, and so do quotients by a power of two; a power of the Int 2 is a shift. Neutral
    elements and round trips of conversions are removed. A selection of 0 by a comparison of Ints,
    and 1 otherwise, is the opposite comparison.

    Before::

        %0 = arith.negf %x : f64
        %1 = math.erf %0 : f64
        %2 = arith.addf %one, %1 : f64

    After::

        %1 = math.erf %x : f64
        %2 = arith.subf %one, %1 : f64
    """

    name = "simplify-arithmetic"

    def rewrite(self, ctx: Context, module: ModuleOp) -> bool:
        return Simplifier(ctx, _rules_of).simplify(module)
