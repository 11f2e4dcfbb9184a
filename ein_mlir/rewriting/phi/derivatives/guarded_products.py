"""Multiples of cotangents that selections may make zero: zero, whatever the factor is."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_float
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.selections import is_zero
from ein_mlir.analysis.phi.singularities import SINGULAR
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.derivatives.contributions import choice_of, let_through, place_of
from ein_mlir.rewriting.phi.derivatives.scalars import cotangent_of
from ein_mlir.rewriting.phi.derivatives.sizes import is_visible
from ein_mlir.rewriting.phi.derivatives.transposition import Transposition
from ein_mlir.rewriting.phi.insertion import Inserter


def contributed(
    t: Transposition, build: Inserter, op: Operation, number: int, cotangent: SSAValue
) -> SSAValue:
    """``(select c, x, 0) * y  -->  select c, x * y, 0``: zero, also where ``y`` is infinite or NaN.

    The cotangent of a branch not taken is zero; other sums and products of such ones are tested.
    """
    choice = choice_of(cotangent)
    if choice is not None and choice.parent is op.parent:
        return let_through(
            build, choice, lambda each: contributed(t, build, op, number, t.copies.now(each))
        )
    if (unit := _unit_element(op, number)) is not None:
        return let_through(
            build,
            unit,
            lambda each: cotangent if known_float(each) == 1.0 else build.mul(cotangent, each),
        )
    found = cotangent_of(build, op, number, cotangent)
    if found is not cotangent and _may_be_infinite(t, op) and is_chosen(t, cotangent):
        is_some = build.compare(_chosen_factor(t, cotangent), "!=", 0.0)
        t.tested.add(found)
        found = build.select(is_some, found, 0.0)
    if isinstance(op, arith.MulfOp | arith.DivfOp):
        return _supported(t, build, place_of(op)[0], cotangent, found)
    return found


def _supported(
    t: Transposition, build: Inserter, block: Block, cotangent: SSAValue, multiple: SSAValue
) -> SSAValue:
    """``r[i] * y  -->  select i >= j, r[i] * y, 0``, for an array that is zero elsewhere

    Later passes leave out the steps of loops where it is zero.
    """
    found = dict.fromkeys(limit for limit, _ in t.collector.sums.limits(cotangent, block))
    for limit in found:
        if all(is_visible(atom, block) for atom in limit.coefficients):
            multiple = build.select(_at_most_zero(build, limit), multiple, 0.0)
    return multiple


def _at_most_zero(build: Inserter, limit: LinearForm) -> SSAValue:
    """``j - i + 1 <= 0`` as ``i > j``"""
    less = LinearForm({x: factor for x, factor in limit.coefficients.items() if factor > 0})
    more, is_strict = less - limit, limit.constant > 0
    lhs, rhs = build.linear_value(more + int(is_strict)), build.linear_value(less)
    return build.compare(lhs, "sgt" if is_strict else "sge", rhs)


def _unit_element(op: Operation, number: int) -> arith.SelectOp | None:
    """``select p == q, y, 0``, the other factor of a product: a multiple of a unit vector's element

    ``x * (select p == q, y, 0)`` has ``select p == q, r' * y, 0``: a sum over ``q`` has one term.
    """
    factor = op.operands[1 - number].owner if isinstance(op, arith.MulfOp) else None
    if not isinstance(factor, arith.SelectOp) or is_zero(factor.lhs) == is_zero(factor.rhs):
        return None
    test = factor.cond.owner
    wanted = "ne" if is_zero(factor.lhs) else "eq"
    is_test = isinstance(test, arith.CmpiOp) and predicate_of(test) == wanted
    return factor if is_test else None


def _may_be_infinite(t: Transposition, op: Operation) -> bool:
    """Whether a linear operation multiplies by a value that is computed by singular functions.

    Quotients are such values. Those that are finite for finite operands do no harm.
    """
    if isinstance(op, arith.MulfOp):
        return any(_is_singular(t, each) for each in op.operands)
    return isinstance(op, arith.DivfOp) and not _is_safe_divisor(t, op.rhs)


def _is_safe_divisor(t: Transposition, value: SSAValue) -> bool:
    """Whether a divisor is far from zero, or a number of elements: of none there is no mean."""
    op = t.copies.now(value).owner
    is_size = isinstance(op, arith.SIToFPOp) and isinstance(op.input.owner, phi.SizeOp)
    return is_size or t.ranges.is_far_from_zero(value)


def _is_singular(t: Transposition, value: SSAValue) -> bool:
    """Whether a value may be infinite or NaN where those that it is computed from are not."""
    pending, seen = [value], set[SSAValue]()
    while pending:
        each = t.copies.now(pending.pop())
        op = each.owner
        if each in seen or each in t.regular or each in t.linear or isinstance(op, Block):
            continue
        seen.add(each)
        if _is_singular_function(t, op):
            return True
        pending += _floats_of(t, op)
    t.regular |= seen
    return False


def _is_singular_function(t: Transposition, op: Operation) -> bool:
    match op:
        case arith.DivfOp():
            return not _is_safe_divisor(t, op.rhs)
        case math.ExpOp():
            return t.ranges.of(op.result)[1] == inf
        case math.SqrtOp():
            return t.ranges.of(op.operand)[0] < 0.0
        case _:
            return type(op) in SINGULAR


def _floats_of(t: Transposition, op: Operation) -> Sequence[SSAValue]:
    """The Floats that a scalar is computed from, also as an element of a comprehension.

    Those of products that a sum adds are not: a test of each takes longer than the product. Nor
    are divisors, which are far from zero here: a quotient by infinity is zero.
    """
    if isinstance(op, phi.GetOp):
        array = t.copies.now(op.array).owner
        is_summed = isinstance(op.parent_op(), phi.FoldOp)
        return (array.yielded(),) if isinstance(array, phi.ArrayOp) and not is_summed else ()
    if isinstance(op, arith.DivfOp):
        return (op.lhs,)
    operands = () if isinstance(op, phi.PhiOp) else op.operands
    return [each for each in operands if isa(each.type, AnyFloat)]


def is_chosen(t: Transposition, cotangent: SSAValue) -> bool:
    """Whether a cotangent is computed by selections of zero, or multiplied by Bools.

    One that is computed only where another one is not zero needs no other test.
    """
    pending, seen = [cotangent], set[SSAValue]()
    while pending:
        value = t.copies.now(pending.pop())
        if value in t.chosen or _is_choice(value):
            t.chosen.add(cotangent)
            return True
        if value not in seen and value not in t.whole and value not in t.tested:
            seen.add(value)
            pending += _linear_operands(value)
    t.whole |= seen
    return False


def _chosen_factor(t: Transposition, cotangent: SSAValue) -> SSAValue:
    """The factor of a cotangent that selections make zero, ``r`` of ``r * y / z``.

    Its axes may be fewer, and sums of products of it are contractions.
    """
    while not _is_choice(cotangent) and isinstance(
        op := cotangent.owner, arith.MulfOp | arith.DivfOp | arith.NegfOp
    ):
        if not is_chosen(t, op.operands[0]):
            break
        cotangent = op.operands[0]
    return cotangent


def _is_choice(value: SSAValue) -> bool:
    """``select c, x, 0``, or a product with a number of Bools that hold."""
    op = value.owner
    if isinstance(op, arith.SelectOp):
        return choice_of(value) is not None
    factors = op.operands if isinstance(op, arith.MulfOp) else ()
    return any(_is_count(factor) for factor in factors)


def _is_count(value: SSAValue) -> bool:
    """A number, or a multiple of one: see ``share`` in the table of derivatives."""
    if isinstance(value.owner, arith.MulfOp):
        value = value.owner.lhs
    return isinstance(value.owner, arith.SIToFPOp)


def _linear_operands(value: SSAValue) -> Sequence[SSAValue]:
    """The values that a cotangent is a sum or a multiple of, also those of elements."""
    match value.owner:
        case phi.GetOp() as op:
            return (op.array,)
        case phi.ArrayOp() as op:
            return (op.yielded(),)
        case phi.FoldOp() as op:
            return op.init, op.yielded()
        case (
            phi.ProjOp() | phi.TupleOp() | arith.AddfOp() | arith.SubfOp() | arith.SelectOp() as op
        ):
            return op.operands
        case arith.MulfOp() | arith.DivfOp() | arith.NegfOp() as op:
            return op.operands[:1]
        case _:
            return ()
