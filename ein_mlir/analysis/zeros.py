"""Which floats are zeros by construction, unless something is not finite: ``0.0 * x``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike
from xdsl.utils.hints import isa

Conditions = tuple[SSAValue, ...]
"""Values all of which must be finite for another one to be a zero; it is NaN if one is not."""

MOST_CONDITIONS = 4
"""Of more than so many, the zero itself takes the place."""


def zeros_among(ops: Iterable[Operation]) -> Mapping[SSAValue, Conditions]:
    """The results of operations in order that are zeros, or NaN.

    Closed under products with anything, sums and differences, choices, and changes of the sign or
    the type::

        0.0 * x       is a zero if x is finite
        z * y         if z is one, and y is finite
        z + y         if both are
        where(c, z, y)  if it is finite, where both z and y are zeros or NaN
    """
    zeros: dict[SSAValue, Conditions] = {}

    def of(value: SSAValue) -> Conditions | None:
        return () if _literal(value) == 0 else zeros.get(value)

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
            case arith.NegfOp() | math.AbsFOp() | arith.ExtFOp() | arith.TruncFOp():
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
    literal = _literal(value)
    return literal is not None and abs(literal) < float("inf")


def _literal(value: SSAValue) -> float | None:
    literal = ConstantLike.get_constant_value(value)
    return literal.value.data if isa(literal, FloatAttr) else None
