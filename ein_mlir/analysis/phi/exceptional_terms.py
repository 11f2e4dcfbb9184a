"""Sums with one exceptional term at a known position, and floats that are zeros, as others are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from xdsl.dialects import arith
from xdsl.dialects import math as phi_math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.bounds import exception_of
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test, reduction, step_of
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.scopes import dependents, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_sum, neutral_of
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Exceptional:
    """``acc + e``, where ``e`` is another term at the step that equals a position."""

    combine: Operation
    term: SSAValue
    condition: SSAValue
    position: LinearForm
    equal: bool
    """Whether the condition holds at the position; otherwise it holds everywhere else."""

    @property
    def neutral(self) -> IntegerAttr | FloatAttr:
        """The zero of the sum."""
        return neutral_of(self.combine)


def exceptional(op: phi.FoldOp, forms: IndexForms) -> Exceptional | None:
    """The exceptional term of a sum whose other terms vary with no index of its position.

    A sum of a single term is a selection, and not an exception.
    """
    found = reduction(op)
    step = step_of(op)
    if found is None or not is_sum(found[0].name) or (step is not None and step.tests):
        return None
    combine, term = found
    if body_may_fail(op):
        return None
    for inner in slice_of(op.body.block, [term]):
        for equal in (True, False) if isinstance(inner, arith.CmpiOp) else ():
            condition = inner.results[0]
            position = exception_of(op, Test(condition, not equal), forms)
            if position is not None and _is_alone(op, term, inner, position, forms.free):
                return Exceptional(combine, term, condition, position, equal)
    return None


def _is_alone(
    op: phi.FoldOp, term: SSAValue, condition: Operation, position: LinearForm, free: FreeIndices
) -> bool:
    """Whether a term varies with the indices of a position only through a condition."""
    body = op.body.block
    if not dependents(body, op.counter).isdisjoint(position.coefficients):
        return False
    indices = frozenset[SSAValue]().union(*map(free.of, position.coefficients))
    compared = set(slice_of(body, condition.operands))
    rest = [each for each in slice_of(body, [term]) if each not in {*compared, condition}]
    return bool(indices) and all(
        indices.isdisjoint(free.of(operand))
        for inner in rest
        for operand in operands_within(inner)
        if operand.owner in compared or not is_within(operand, op)
    )


Conditions = tuple[SSAValue, ...]
"""Values that must all be finite for another one to be a zero; otherwise it is NaN."""

MOST_CONDITIONS = 4
"""The most conditions of a zero; beyond that the zero itself is the condition."""


def zeros_among(ops: Iterable[Operation]) -> Mapping[SSAValue, Conditions]:
    """The results of operations in order that are zeros, or NaN.

    The zeros are closed under products with any value, sums and differences, choices, and changes
    of the sign or the type::

        0.0 * x       is a zero if x is finite
        z * y         if z is a zero, and y is finite
        z + y         if both are
        where(c, z, y)  if it is finite, where both z and y are zeros or NaN
    """
    zeros: dict[SSAValue, Conditions] = {}

    def of(value: SSAValue) -> Conditions | None:
        return () if _number(value) == 0 else zeros.get(value)

    for op in ops:
        found = [of(operand) for operand in op.operands]
        conditions: Conditions | None = None
        match op:
            case arith.MulfOp() if found[0] is not None or found[1] is not None:
                parts = [
                    (() if is_finite(operand) else (operand,)) if own is None else own
                    for operand, own in zip(op.operands, found, strict=True)
                ]
                conditions = (*parts[0], *parts[1])
            case arith.AddfOp() | arith.SubfOp() if None not in found:
                conditions = tuple(x for part in found for x in part or ())
            case arith.NegfOp() | phi_math.AbsFOp() | arith.ExtFOp() | arith.TruncFOp():
                conditions = found[0]
            case arith.SelectOp() if None not in found[1:]:
                conditions = (op.result,) if any(found[1:]) else ()
            case _:
                pass
        if conditions is not None:
            distinct = tuple(dict.fromkeys(conditions))
            zeros[op.results[0]] = (
                distinct if len(distinct) <= MOST_CONDITIONS else (op.results[0],)
            )
    return zeros


def is_finite(value: SSAValue) -> bool:
    """Whether a float is finite by construction: a literal, or an integer in another type."""
    if isinstance(value.owner, arith.SIToFPOp | arith.UIToFPOp):
        return True
    number = _number(value)
    return number is not None and abs(number) < math.inf


def _number(value: SSAValue) -> float | None:
    """The constant of a value, also before conversions; 1 for true."""
    while isinstance(value.owner, arith.ExtUIOp | arith.SIToFPOp | arith.UIToFPOp):
        value = value.owner.input
    literal = ConstantLike.get_constant_value(value)
    if isa(literal, IntegerAttr):
        return float(abs(literal.value.data)) if literal.type == i1 else float(literal.value.data)
    return literal.value.data if isa(literal, FloatAttr) else None
