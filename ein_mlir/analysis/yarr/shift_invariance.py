"""Values that shift others before ``exp``, and that no result depends on.

::

    m = max(x, axis 1)
    e = exp(x - m)          // a number more in m: e times exp(-1), in each row
    s = sum(e, axis 1)      // likewise
    e / s                   // the same
    m + log(s)              // the same

The derivatives of such results by m are 0 whatever m is, so it may be a constant for them.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.scopes import operands_within
from ein_mlir.dialects import yarr


class _Change(NamedTuple):
    """What c more in the shift does to a value: ``+ power * c``, or ``* exp(power * c)``."""

    power: int
    is_factor: bool
    is_reduced: bool
    """Whether the value lacks the axes along which the shift was reduced: c is the same on them."""


def is_only_a_shift(op: yarr.ReduceOp) -> bool:
    """Whether no result depends on a reduction, apart from rounding and overflows."""
    block = op.parent
    assert block is not None
    changes: dict[SSAValue, _Change] = {op.result: _Change(1, is_factor=False, is_reduced=True)}
    is_later = False
    for user in block.ops:
        is_later |= user is op
        if not is_later or user is op or changes.keys().isdisjoint(operands_within(user)):
            continue
        if isinstance(user, yarr.SizeOp):
            continue
        change = _change_of(user, op.axes, changes)
        if change is None:
            return False
        if change.power:
            changes[user.results[0]] = change
    return True


def _change_of(
    op: Operation, axes: tuple[int, ...], changes: dict[SSAValue, _Change]
) -> _Change | None:
    """The change of a result, given those of operands; None for an operation that has none."""
    match op:
        case yarr.UnsqueezeOp() if op.axes == axes and changes[op.array].is_reduced:
            return changes[op.array]._replace(is_reduced=False)
        case yarr.ReduceOp() if op.axes == axes and op.combine == arith.AddfOp.name:
            found = changes.get(op.array)
            is_sum = found is not None and found.is_factor and not found.is_reduced
            return found._replace(is_reduced=True) if found is not None and is_sum else None
        case yarr.ElementwiseOp():
            return _change_of_scalars(op, changes)
        case _:
            return None


def _change_of_scalars(op: yarr.ElementwiseOp, changes: dict[SSAValue, _Change]) -> _Change | None:
    scalar = op.scalar_operation()
    known = [changes[each] for each in op.arguments if each in changes]
    first = known[0]
    if any(each[1:] != first[1:] for each in known):
        return None
    powers = [changes[each].power if each in changes else 0 for each in op.arguments]
    if len(powers) == 1:
        is_log = isinstance(scalar, math.LogOp) and first.is_factor
        if is_log or (isinstance(scalar, math.ExpOp) and not first.is_factor):
            return first._replace(is_factor=not first.is_factor)
        is_negative = isinstance(scalar, arith.NegfOp) and not first.is_factor
        return first._replace(power=-first.power) if is_negative else None
    left, right = powers if len(powers) == 2 else (0, 0)
    if isinstance(scalar, arith.MulfOp if first.is_factor else arith.AddfOp):
        return first._replace(power=left + right)
    if isinstance(scalar, arith.DivfOp if first.is_factor else arith.SubfOp):
        return first._replace(power=left - right)
    return None
