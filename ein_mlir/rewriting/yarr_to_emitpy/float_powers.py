"""Powers of floats by counters and other whole numbers, as products."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import LinearForm, value_of_form
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.rewriting.yarr_to_emitpy.builder import (
    PythonBuilder,
    is_object,
    literal_float,
    literal_int,
)
from ein_mlir.rewriting.yarr_to_emitpy.sizes import PythonInts


def is_array(value: SSAValue) -> bool:
    """Whether a value has elements."""
    return not is_object(value) and yarr.rank_of(value) > 0


def have_own_axes(base: SSAValue, exponent: SSAValue) -> bool:
    """Whether an array of exponents has no axis of the base, which need not be positive."""
    number = literal_float(base)
    if not is_array(exponent) or (number is not None and number >= 0):
        return False
    if not is_array(base):
        return True
    shapes = yarr.shape_of(base), yarr.shape_of(exponent)
    return all(1 in sizes for sizes in zip(*shapes, strict=True))


def range_of(build: PythonBuilder, value: SSAValue) -> tuple[SSAValue, SSAValue] | None:
    """The first and the step of the Ints ``first + step * k``, or of a view or conversion of them.

    The first may be another number where it would be -1.
    """
    found = _range_of(value)
    if found is None or not found[1]:
        return None
    first, step = found
    return value_of_form(first, PythonInts(build), lambda atom: atom), build.literal(step)


def _range_of(value: SSAValue) -> tuple[LinearForm, int] | None:
    """The first and the step of a range; the step of a single number is 0."""
    number = literal_int(value)
    if number is not None:
        return LinearForm({}, number), 0
    if is_object(value):
        return LinearForm.of(value), 0
    match value.owner:
        case emitpy.SubscriptOp() as op:
            return _range_of(op.object)
        case emitpy.MethodOp() as op if op.method.data in ("astype", "to"):
            return _range_of(op.receiver)
        case emitpy.CallOp() as op if op.callee.data.endswith(".arange"):
            return (LinearForm(), 1) if len(op.positional) == 1 else None
        case emitpy.CallOp() as op if op.callee.data.endswith(".where"):
            return _of_others(*op.positional)
        case emitpy.BinaryOp() as op if op.operator.data in ("+", "-", "*"):
            return _combined(op)
        case _:
            return None


def _of_others(test: SSAValue, _: SSAValue, others: SSAValue) -> tuple[LinearForm, int] | None:
    """The range k - 1 of ``where(k == 0, x, k - 1)``."""
    op, found = test.owner, _range_of(others)
    if not isinstance(op, emitpy.BinaryOp) or op.operator.data != "==" or found is None:
        return None
    is_first = _range_of(op.lhs) == (LinearForm(), 1) and literal_int(op.rhs) == 0
    return found if is_first and found == (LinearForm({}, -1), 1) else None


def _combined(op: emitpy.BinaryOp) -> tuple[LinearForm, int] | None:
    """The range of a sum, a difference, or a multiple by a literal."""
    lhs, rhs = map(_range_of, op.operands)
    if lhs is None or rhs is None:
        return None
    if op.operator.data == "*":
        number, (first, step) = (lhs[0], rhs) if literal_int(op.lhs) is not None else (rhs[0], lhs)
        factor = number.known()
        return None if factor is None else (first * factor, step * factor)
    sign = 1 if op.operator.data == "+" else -1
    return lhs[0] + rhs[0] * sign, lhs[1] + rhs[1] * sign
