"""Linear forms as values of the program."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.index_forms import LinearForm


def integer(build: Builder, value: int) -> SSAValue:
    """A constant Int."""
    return build.insert(arith.ConstantOp(IntegerAttr(value, i64))).result


def linear_value(
    build: Builder, form: LinearForm, value_of: Callable[[SSAValue], SSAValue]
) -> SSAValue:
    """Build the Int that a linear form is, given the Ints or indices that its atoms are."""
    result: SSAValue | None = None
    for atom, factor in sorted(form.coefficients.items(), key=lambda term: term[1] < 0):
        term = value_of(atom)
        if term.type != i64:
            term = build.insert(arith.IndexCastOp(term, i64)).result
        if abs(factor) != 1:
            term = build.insert(arith.MuliOp(integer(build, abs(factor)), term)).result
        if result is None and factor > 0:
            result = term
        else:
            operator = arith.AddiOp if factor > 0 else arith.SubiOp
            left = integer(build, 0) if result is None else result
            result = build.insert(operator(left, term)).result
    if result is None:
        return integer(build, form.constant)
    if form.constant:
        operator = arith.AddiOp if form.constant > 0 else arith.SubiOp
        number = integer(build, abs(form.constant))
        result = build.insert(operator(result, number)).result
    return result
