"""``simplify-arithmetic``: scalar arithmetic without slow or repeated operations."""

from __future__ import annotations

import math as python_math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, ModuleOp, f32, f64, i1, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.analysis.constants import known_float, known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.divided_indices import is_index_of, is_same
from ein_mlir.analysis.predicates import NEGATED, implied, predicate_of
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.algebra import EVEN, ODD
from ein_mlir.dialects.fastmath import permits
from ein_mlir.dialects.phi.integers import PhiLevel
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FixpointPass
from ein_mlir.rewriting.phi.choices import common_operand, common_operand_of_terms, sum_of_exclusive
from ein_mlir.rewriting.phi.insertion import Emitter
from ein_mlir.rewriting.worklist import Rules, Simplifier

LARGEST_POWER = 16
"""The largest exponent for which products are faster than the power,"""
LARGEST_SMALL_POWER = 4
"""and that in 16 bits, where the products round more than the power."""


Equal: TypeAlias = SSAValue | Sequence[Operation] | None
"""The value that an operation is equal to, or new operations, the last of which has it."""


@dataclass(frozen=True)
class Law(RewritePattern):
    """The replacement of operations by equal ones."""

    equal: Callable[[Any], Equal]
    """The equal of an operation; None if the law does not apply."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        match self.equal(op):
            case None:
                pass
            case SSAValue() as value:
                rewriter.replace(op, (), (value,))
            case new:
                rewriter.replace(op, new)


# Negations ------------------------------------------------------------------------------------


def function_of_negation(op: Operation) -> Equal:
    """``f(-x) --> -f(x)`` for odd functions, ``f(-x) --> f(x)`` for even ones

    So ``f(x)`` and ``f(-x)`` in a program become one call.
    """
    found = _positive(op.operands[0])
    if found is None:
        return None
    new, operand = found
    function = type(op).create(
        operands=[operand], result_types=[op.results[0].type], properties=dict(op.properties)
    )
    return [*new, function] if isinstance(op, EVEN) else [*new, function, arith.NegfOp(function)]


def _positive(value: SSAValue) -> tuple[list[Operation], SSAValue] | None:
    """``x`` for a value ``-x``, and the new operations that compute it; None for other values.

    ``-x`` may be a factor, a dividend or a divisor, since ``(-x) * y = -(x * y)`` is exact.
    """
    op = value.owner
    if isinstance(op, arith.NegfOp):
        return [], op.operand
    if not isinstance(op, arith.MulfOp | arith.DivfOp) or not value.has_one_use():
        return None
    for k, operand in enumerate(op.operands):
        if (found := _positive(operand)) is not None:
            new, x = found
            product = type(op)(x, op.rhs) if k == 0 else type(op)(op.lhs, x)
            return [*new, product], product.result
    return None


def sum_with_negation(op: arith.AddfOp) -> Equal:
    """``x + -y --> x - y``, ``-x + y --> y - x``"""
    for kept, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if isinstance(negation := other.owner, arith.NegfOp):
            return [arith.SubfOp(kept, negation.operand)]
    return None


def difference_with_negation(op: arith.SubfOp) -> Equal:
    """``x - -y --> x + y``"""
    negation = op.rhs.owner
    return [arith.AddfOp(op.lhs, negation.operand)] if isinstance(negation, arith.NegfOp) else None


def negation_of_negation(op: arith.NegfOp) -> Equal:
    """``-(-x) --> x``"""
    inner = op.operand.owner
    return inner.operand if isinstance(inner, arith.NegfOp) else None


# Neutral elements -----------------------------------------------------------------------------


def remainder_of_index(op: sigma.FloorModOp) -> Equal:
    """``i mod n --> i`` for an index of a loop of size n"""
    return op.lhs if is_index_of(op.lhs, op.rhs) else None


def sum_with_zero(op: arith.AddfOp | arith.SubfOp) -> Equal:
    """``x + -0 --> x``, ``-0 + x --> x``, ``x - 0 --> x``

    A sum with 0 is unchanged, since that of -0 and 0 is 0, unless the program permits ``nsz``.
    """
    sides, sign = [(op.lhs, op.rhs)], 1.0
    if isinstance(op, arith.AddfOp):
        sides, sign = [*sides, (op.rhs, op.lhs)], -1.0
    for kept, other in sides:
        number = known_float(other)
        if number == 0 and (python_math.copysign(1.0, number) == sign or permits(op, "nsz")):
            return kept
    return None


def product_with_one(op: arith.MulfOp) -> Equal:
    """``x * 1 --> x``, ``1 * x --> x``"""
    sides = ((op.lhs, op.rhs), (op.rhs, op.lhs))
    return next((kept for kept, other in sides if known_float(other) == 1), None)


def conversion_back(op: arith.TruncFOp | arith.TruncIOp) -> Equal:
    """``truncf (extf x) --> x``, ``trunci (extsi x) --> x`` if ``x`` has the type of the result

    The wider type holds the value exactly.
    """
    wider = (arith.ExtFOp,) if isinstance(op, arith.TruncFOp) else (arith.ExtSIOp, arith.ExtUIOp)
    extension = op.input.owner
    if isinstance(extension, wider) and extension.input.type == op.result.type:
        return extension.input
    return None


def conversion_of_extension(op: arith.SIToFPOp | arith.UIToFPOp) -> Equal:
    """``sitofp (extui x) --> uitofp x``, ``sitofp (extsi x) --> sitofp x``, which are one pass

    The wider type holds the value exactly, and no number that is extended is negative there.
    """
    extension = op.input.owner
    if isinstance(extension, arith.ExtUIOp):
        return [arith.UIToFPOp(extension.input, op.result.type)]
    if isinstance(extension, arith.ExtSIOp) and isinstance(op, arith.SIToFPOp):
        return [arith.SIToFPOp(extension.input, op.result.type)]
    return None


# Choices --------------------------------------------------------------------------------------


def one_elsewhere(op: arith.SelectOp) -> Equal:
    """``select(a == b, 0, 1) --> select(a != b, 1, 0)``, which is a conversion of the Bool

    The same applies to any comparison of integers without other users.
    """
    compare = op.cond.owner
    if not isinstance(compare, arith.CmpiOp) or not op.cond.has_one_use():
        return None
    if [_number(op.lhs), _number(op.rhs)] != ["0", "1"]:
        return None
    opposite = arith.CmpiOp(compare.lhs, compare.rhs, NEGATED[predicate_of(compare)])
    return [opposite, arith.SelectOp(opposite, op.rhs, op.lhs)]


def choice_of_truth(op: arith.SelectOp) -> Equal:
    """``select(c, true, x) --> c | x``, ``select(c, x, false) --> c & x``, of Bools"""
    if op.result.type != i1:
        return None
    if known_int(op.lhs) in (1, -1):
        return [arith.OrIOp(op.cond, op.rhs)]
    return [arith.AndIOp(op.cond, op.lhs)] if known_int(op.rhs) == 0 else None


def clamped_int(op: arith.SelectOp) -> Equal:
    """``select(x < 0, 0, x) --> max(x, 0)``, for Ints, any number and any order"""
    compare = op.cond.owner
    if not isinstance(compare, arith.CmpiOp) or op.result.type == i1:
        return None
    if all(known_int(each) is None for each in compare.operands):
        return None
    is_less, sides = predicate_of(compare) in ("slt", "sle"), compare.operands
    if not is_less and predicate_of(compare) not in ("sgt", "sge"):
        return None
    for taken, other in (sides, sides[::-1]):
        if _is_same(op.lhs, taken) and _is_same(op.rhs, other):
            is_smaller = is_less == (taken is compare.lhs)
            return [(arith.MinSIOp if is_smaller else arith.MaxSIOp)(taken, other)]
    return None


def _is_same(value: SSAValue, other: SSAValue) -> bool:
    """Whether two Ints are equal, also as sums and differences of the same Ints."""
    if is_same(value, other):
        return True
    one, two = value.owner, other.owner
    for kind in (arith.AddiOp, arith.SubiOp):
        if isinstance(one, kind) and isinstance(two, kind):
            return is_same(one.lhs, two.lhs) and is_same(one.rhs, two.rhs)
    return False


def nested_choice(op: arith.SelectOp) -> Equal:
    """``select(c, x, select(c, y, z)) --> select(c, x, z)``, and the same for the other branch

    So it is for comparisons of the same Ints, one of which decides the other. A branch that has the
    value of the other branch where that is chosen is the whole choice:
    ``select(i > p, x, select(i == p, y, x)) --> select(i == p, y, x)``.
    """
    sides = [op.lhs, op.rhs]
    for number, side in enumerate(sides):
        inner = side.owner
        if isinstance(inner, arith.SelectOp):
            if _chosen(inner, op.cond, expected=bool(number)) is sides[1 - number]:
                return side
            if (chosen := _chosen(inner, op.cond, expected=not number)) is not None:
                sides[number] = chosen
                return [arith.SelectOp(op.cond, *sides)]
    return None


def _chosen(op: arith.SelectOp, by: SSAValue, *, expected: bool) -> SSAValue | None:
    """What a choice takes where another condition has a truth value, if that decides it."""
    truth = implied(op.cond, by, expected=expected)
    return None if truth is None else op.lhs if truth else op.rhs


def masked_value(op: arith.MuliOp) -> Equal:
    """``x * int(c) --> select(c, x, 0)`` for a sum x that a fold carries: it starts anew"""
    fold, type_ = op.parent_op(), op.result.type
    if not isinstance(fold, phi.FoldOp) or not isa(type_, IntegerType):
        return None
    for x, mask in (op.operands, op.operands[::-1]):
        cast = mask.owner
        if isinstance(cast, arith.ExtUIOp) and isinstance(x.owner, arith.AddiOp | arith.SubiOp):
            varying = dependents(fold.body.block, fold.accumulator)
            if cast.input.type == i1 and x in varying and mask not in varying:
                zero = arith.ConstantOp(IntegerAttr(0, type_))
                return [zero, arith.SelectOp(cast.input, x, zero)]
    return None


def _number(value: SSAValue) -> str | None:
    """The number of a constant, or None: ``-0.0`` and 0 are different."""
    constant = ConstantLike.get_constant_value(value)
    if isa(constant, IntegerAttr):
        return str(constant.value.data)
    return f"{constant.value.data:g}" if isa(constant, FloatAttr) else None


def difference_of_sum(op: arith.SubiOp) -> Equal:
    """``(x + y - z) - y --> x - z`` on Ints, which holds modulo 2^64

    Contributions at ``i + y - z`` come from steps whose tests compare ``i``.
    """
    value, outer = op.lhs, list[arith.AddiOp | arith.SubiOp]()
    while isinstance(term := value.owner, arith.AddiOp | arith.SubiOp):
        if isinstance(term, arith.AddiOp) and op.rhs in term.operands:
            value = term.lhs if term.rhs is op.rhs else term.rhs
            rebuilt = list[Operation]()
            for each in reversed(outer):
                rebuilt.append(type(each)(value, each.rhs))
                value = rebuilt[-1].results[0]
            return rebuilt or value
        outer.append(term)
        value = term.lhs
    return None


# Quotients and powers -------------------------------------------------------------------------


def quotient_of_multiples(op: arith.FloorDivSIOp) -> Equal:
    """``(4*i + 1) // 2 --> 2*i`` for indices i and a positive number, where no sum wraps"""
    divisor, forms = known_int(op.rhs) or 0, Integers(PhiLevel())
    form = forms.form(op.lhs) if divisor > 1 and op.result.type == i64 else LinearForm()
    factors = form.coefficients.values()
    if not factors or any(by % divisor for by in factors) or not forms.is_exact(form):
        return None
    atoms = {atom: by // divisor for atom, by in form.coefficients.items()}
    build = Emitter()
    value = build.linear_value(LinearForm(atoms, form.constant // divisor))
    return build.ops or value


def quotient_by_power_of_two(op: arith.DivfOp) -> Equal:
    """``x / 4 --> x * 0.25``, ``x / 1 --> x``: exact, and products are faster than quotients

    With ``arcp`` so are all quotients by a literal whose reciprocal is no subnormal number.
    """
    divisor = known_float(op.rhs)
    if divisor == 1:
        return op.lhs
    if divisor is None or not (
        _is_small_power_of_two(divisor)
        or (permits(op, "arcp") and 2.0**-64 < abs(divisor) < 2.0**64)
    ):
        return None
    inverse = arith.ConstantOp(FloatAttr(1 / divisor, op.rhs.type))  # pyright: ignore
    return [inverse, arith.MulfOp(op.lhs, inverse)]


def _is_small_power_of_two(number: float) -> bool:
    """Whether the inverse of a number is exact in every type of floats."""
    mantissa, exponent = python_math.frexp(number)
    return abs(mantissa) == 0.5 and abs(exponent) < 64


def small_power(op: math.FPowIOp) -> Equal:
    """``x ** 3 --> x * x * x``, for exponents up to ``LARGEST_POWER``; ``x ** 0 --> 1``

    For negative ones it is 1 over that, ``x ** -2 --> 1 / (x * x)``; not in 16 bits, where the
    product may be infinite though its inverse is no subnormal number.
    """
    exponent = known_int(op.rhs)
    is_wide = op.result.type in (f32, f64)
    if exponent is None or abs(exponent) > (LARGEST_POWER if is_wide else LARGEST_SMALL_POWER):
        return None
    if exponent < 0 and not is_wide:
        return None
    one = arith.ConstantOp(FloatAttr(1.0, op.result.type))  # pyright: ignore
    if exponent == 0:
        return [one]
    power, new = op.lhs, list[Operation]()
    for digit in f"{abs(exponent):b}"[1:]:
        new.append(arith.MulfOp(power, power))
        if digit == "1":
            new.append(arith.MulfOp(new[-1].results[0], op.lhs))
        power = new[-1].results[0]
    if exponent < 0:
        new += [one, arith.DivfOp(one, power)]
    return new or power


def power_of_two(op: math.IPowIOp) -> Equal:
    """``2 ** n --> 1 << n`` on Ints: both are 0 for a negative ``n``, and for all bits or more"""
    type_ = op.result.type
    if known_int(op.lhs) != 2 or not isinstance(type_, IntegerType):
        return None
    one = arith.ConstantOp(IntegerAttr(1, type_))
    return [one, arith.ShLIOp(one, op.rhs)]


def square_root(op: math.PowFOp) -> Equal:
    """``x ** 0.5 --> sqrt x``, with ``afn``: they differ for minus infinity"""
    is_root = known_float(op.rhs) == 0.5 and permits(op, "afn")
    return [math.SqrtOp(op.lhs)] if is_root else None


LAWS: tuple[tuple[Callable[[Any], Equal], tuple[type[Operation], ...]], ...] = (
    (function_of_negation, (*ODD, *EVEN)),
    (negation_of_negation, (arith.NegfOp,)),
    (sum_with_negation, (arith.AddfOp,)),
    (difference_with_negation, (arith.SubfOp,)),
    (sum_of_exclusive, (arith.AddfOp,)),
    (difference_of_sum, (arith.SubiOp,)),
    (quotient_of_multiples, (arith.FloorDivSIOp,)),
    (remainder_of_index, (sigma.FloorModOp,)),
    (sum_with_zero, (arith.AddfOp, arith.SubfOp)),
    (product_with_one, (arith.MulfOp,)),
    (quotient_by_power_of_two, (arith.DivfOp,)),
    (small_power, (math.FPowIOp,)),
    (power_of_two, (math.IPowIOp,)),
    (square_root, (math.PowFOp,)),
    (conversion_back, (arith.TruncFOp, arith.TruncIOp)),
    (conversion_of_extension, (arith.SIToFPOp, arith.UIToFPOp)),
    (one_elsewhere, (arith.SelectOp,)),
    (choice_of_truth, (arith.SelectOp,)),
    (nested_choice, (arith.SelectOp,)),
    (clamped_int, (arith.SelectOp,)),
    (common_operand, (arith.SelectOp,)),
    (common_operand_of_terms, (arith.SelectOp,)),
    (masked_value, (arith.MuliOp,)),
)
"""The laws in order, each with the operations that it rewrites."""


@cache
def _rules_of(op: type[Operation]) -> Rules:
    """The laws for a class of operations."""
    return Rules(tuple(Law(equal) for equal, ops in LAWS if op in ops), folds=False)


class SimplifyArithmeticPass(FixpointPass):
    """Rewrites scalar arithmetic without changing values, except the last digits of a power.

    A negation moves out of odd functions and disappears in even ones, sums and differences, so
    expressions of ``x`` and of ``-x`` become common subexpressions. Powers with a small exponent
    become products, and so do quotients by a power of two; a power of the Int 2 is a shift. Neutral
    elements, round trips of conversions and extensions before conversions are removed. A selection
    of 0 by a comparison of Ints, and 1 otherwise, is the opposite comparison. A choice between an
    Int and a number that it is compared with is an extreme. A choice in a branch of one by the same
    condition, or by one that decides it, is its own branch. A sum of choices of one value, at most
    one of which is not zero, is a choice. A choice between two results of one operation that share
    an operand becomes one operation on a choice. A sum that a fold carries and multiplies by a
    truth value is a choice between it and 0. An Int that is added and subtracted is left out. The
    remainder of an index by the size of its loop is the index, and a quotient of multiples of the
    divisor is a sum.

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
