"""``split-masks``: sums over conjunctions of conditions become sums of products of masks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.analysis.phi.variables import Variables, variables_of
from ein_mlir.analysis.scopes import innermost_first
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, algebra_for, is_sum
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import chosen, same_operation


@dataclass
class _Factor:
    """Conditions that vary with some variables at most, and perhaps the value that is summed."""

    variables: Variables
    tests: list[Test] = field(default_factory=list[Test])
    has_value: bool = False


def _factors(step: Step, variables: Mapping[SSAValue, Variables]) -> list[_Factor]:
    """The tests and the value of a step, together where one varies with all variables of the other.

    Those with most variables come first.
    """
    none: Variables = frozenset()
    parts = [(variables.get(test.condition, none), test) for test in step.tests]
    value = step.value if isinstance(step.value, SSAValue) else None
    of_value = none if value is None else variables.get(value, none)
    found = list[_Factor]()
    for varying, test in sorted([*parts, (of_value, None)], key=lambda part: -len(part[0])):
        factor = next((each for each in found if varying <= each.variables), None)
        if factor is None:
            factor = _Factor(varying)
            found.append(factor)
        if test is None:
            factor.has_value = True
        else:
            factor.tests.append(test)
    return found


def _is_exact(step: Step) -> bool:
    """Whether ``0 * x = 0`` for the value: it is an Int, or a literal that is finite."""
    value = step.value
    literal = ConstantLike.get_constant_value(value) if isinstance(value, SSAValue) else value
    if isa(literal, FloatAttr):
        return math.isfinite(literal.value.data)
    return not isa(step.neutral, FloatAttr)


def _product(build: Builder, step: Step, factors: Sequence[_Factor]) -> SSAValue:
    """``where(p, 1, 0) * where(q, x, 0)``"""
    type_ = step.combine.results[0].type
    laws = algebra_for("mul", type_)
    assert laws is not None
    unit = laws.identity(type_)
    assert unit is not None
    zero, one = (build.insert(arith.ConstantOp(each)).result for each in (step.neutral, unit))
    value = step.value
    if not isinstance(value, SSAValue):
        value = build.insert(arith.ConstantOp(value)).result
    result, *others = (
        chosen(build, factor.tests, value if factor.has_value else one, zero) for factor in factors
    )
    for mask in others:
        product = OPERATIONS[laws.name].create(operands=[result, mask], result_types=[type_])
        result = build.insert(product).results[0]
    return result


def split_masks(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Split the masks of the sums of a function."""
    variables: dict[SSAValue, Variables] | None = None
    for op in innermost_first(function, phi.FoldOp):
        step = step_of(op)
        if step is None or len(step.tests) < 2 or not is_sum(step.combine.name):
            continue
        variables = variables_of(function) if variables is None else variables
        factors = _factors(step, variables)
        if len(factors) > 1 and _is_exact(step):
            yielded = op.body.block.last_op
            assert isinstance(yielded, phi.YieldOp)
            build = Builder(InsertPoint.before(yielded))
            product = _product(build, step, factors)
            total = build.insert(same_operation(step.combine, op.accumulator, product))
            yielded.operands[0] = total.results[0]
            erase_unused(op.body.block)
            analyses.invalidate(function)


class SplitMasksPass(FunctionPass):
    """Multiplies masks instead of combining their conditions, in sums over both.

    Before (the pairs of rows with a common neighbour)::

        %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
          %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
          %q = phi.get %a[%j, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
          %c = arith.andi %p, %q : i1
          %x = arith.select %c, %one, %zero : i64
          %next = arith.addi %acc, %x : i64
          phi.yield %next : i64
        }

    After::

        %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
          %p = phi.get %a[%i, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
          %q = phi.get %a[%j, %k] : !phi.vec<!phi.vec<i1>>[index, i64]
          %u = arith.select %p, %one, %zero : i64
          %v = arith.select %q, %one, %zero : i64
          %x = arith.muli %u, %v : i64
          %next = arith.addi %acc, %x : i64
          phi.yield %next : i64
        }

    The conjunction varies with i, j and k, and each factor with two of them: the sum is a
    contraction. Conditions stay together where one varies with all variables of the other, so no
    mask is split that has an element for each element of the conjunction. The law is ``0 * x = 0``,
    which holds for Ints, and for finite literals.
    """

    name = "split-masks"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        split_masks(function, analyses)
