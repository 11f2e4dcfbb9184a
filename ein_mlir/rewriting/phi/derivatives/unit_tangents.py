"""Tangents with a single element that is not zero, as those of the columns of a Jacobian.

Where a program multiplies such a tangent by a value, only the chosen element is multiplied: a sum
of the products has one term, and a matrix of all derivatives is no product with a unit matrix.
"""

from __future__ import annotations

from functools import partial

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, unasserted
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.derivatives.contributions import choice_of, let_through
from ein_mlir.rewriting.phi.derivatives.preparation import arithmetic_array, compute, is_index
from ein_mlir.rewriting.phi.insertion import Builder


def select_elements(tangent: SSAValue, sizes: SizeEquivalence) -> None:
    """``array (k < n) { select c(k), 1, 0 }[i] * y  -->  select c(i), y, 0``

    The array may be a copy, ``array (k < n) { t[k] }``, of such a one.
    """
    array = tangent.owner
    read = array.yielded().owner if isinstance(array, phi.ArrayOp) else None
    if isinstance(read, phi.GetOp) and (unit := _unit(read.array)) is not None:
        compute(read, unit)
    if (array := _unit(tangent)) is None:
        return
    for use in list(tangent.uses):
        get = use.operation
        if isinstance(get, phi.GetOp) and len(get.positions) == len(array.sizes):
            pairs = zip(get.positions, array.sizes, strict=True)
            if all(is_index(*pair, sizes) or _is_element(*pair) for pair in pairs):
                _let_through(compute(get, array))


def _is_element(position: SSAValue, size: SSAValue) -> bool:
    """Whether a number is a position in an axis of a known size."""
    number, count = known_int(position), known_int(unasserted(size))
    return number is not None and count is not None and 0 <= number < count


def _unit(tangent: SSAValue) -> phi.ArrayOp | None:
    """The comprehension of an array, if arithmetic chooses between a number and zero."""
    array = arithmetic_array(tangent)
    return None if array is None or choice_of(array.yielded()) is None else array


def _let_through(value: SSAValue) -> None:
    """``(select c, x, 0) * y  -->  select c, x * y, 0``, for all multiples of a choice."""
    choice = choice_of(value)
    for use in list(value.uses) if choice is not None else ():
        user = use.operation
        is_dividend = isinstance(user, arith.DivfOp) and not use.index
        if choice is None or not (is_dividend or isinstance(user, arith.MulfOp | arith.NegfOp)):
            continue
        build = Builder.before(user)
        multiple = let_through(build, choice, partial(_with_operand, build, user, value))
        Rewriter.replace_op(user, (), (multiple,))
        for each in (choice.lhs, choice.rhs, multiple):
            _let_through(each)


def _with_operand(build: Builder, op: Operation, old: SSAValue, new: SSAValue) -> SSAValue:
    return build.copy(op, {old: new}).results[0]
