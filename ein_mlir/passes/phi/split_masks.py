"""``split-masks``: sums over conditions become sums of products of masks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import field

from xdsl.dialects import func
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f32, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.element_cost import short_count
from ein_mlir.analysis.phi.selections import Step, Test, conjuncts, is_constant, step_of
from ein_mlir.analysis.phi.variables import Variables, variables_of
from ein_mlir.analysis.scopes import dependents, innermost_first
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, algebra_for, is_sum
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import difference, folded
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.replacement import replace as replace_operation


@dataclass
class _Factor:
    """Conditions that vary with some variables at most, and perhaps the value that is summed."""

    variables: Variables
    tests: list[Test] = field(default_factory=list[Test])
    has_value: bool = False


class _Splitter:
    """Splits the masks of the sums of a function; with ``conjunctions`` those of no others."""

    def __init__(self, function: func.FuncOp, *, conjunctions: bool):
        self._variables = _axes_of(function)
        self._conjunctions = conjunctions

    def split(self, op: phi.FoldOp, step: Step) -> bool:
        """Split the masks of a fold; whether it has such."""
        if step.combine.results[0].type == i1:
            return not self._conjunctions and self._search(op, step)
        return self._sum(op, step)

    def _sum(self, op: phi.FoldOp, step: Step) -> bool:
        """``acc + where(p & q, x, 0)  -->  acc + where(p, x, 0) * where(q, 1, 0)``

        The law is ``0 * x = 0``, which holds for Ints, and for Floats that are literals. For Ints
        also ``acc + where(p | q, x, 0)  -->  acc + (x - where(~p, x, 0) * where(~q, 1, 0))``.
        """
        is_float, tests = isa(step.neutral, FloatAttr), step.tests
        if is_float and _literal(step) is None:
            return False
        is_disjunction = not self._are_apart(tests, step.value)
        if is_disjunction:
            is_legal = len(tests) == 1 and not (is_float or self._conjunctions)
            # ~p and ~q where p | q fails
            tests = list(conjuncts(Test(tests[0].condition, not tests[0].expected)))
            if not is_legal or not self._are_apart(tests, step.value):
                return False
        build, value = Builder.before_end(op.body.block), step.value
        if not isinstance(value, SSAValue):
            value = build.constant(value)
        summand = self._product(build, tests, value)
        if is_disjunction:
            summand = build.emit(difference(step.combine, value, summand))
        op.yield_instead(build.same(step.combine, op.accumulator, summand))
        erase_unused(op.body.block)
        return True

    def _search(self, op: phi.FoldOp, step: Step) -> bool:
        """``any (p & q)  -->  sum p*q > 0``, and ``all (p | q)  -->  not any (~p & ~q)``

        Nothing is negative: a sum in f32 is zero if and only if all of its terms are. A condition
        that stays the same in all steps needs no sum, nor do a few steps, which are unrolled.
        """
        if short_count(op) is not None:
            return False
        varying = dependents(op.body.block, op.counter)
        inner = [test for test in step.tests if test.condition in varying]
        if not self._are_apart(inner, step.neutral):
            return False
        build = Builder.before(op)
        total = self._number_of_steps(build, op, step.tests)
        is_all = step.neutral == IntegerAttr.from_bool(True)
        zero = build.constant(FloatAttr(0.0, f32))
        found = build.compare(total, "oeq" if is_all else "ogt", zero)
        if not is_constant(op.init, step.neutral):
            found = build.same(step.combine, op.init, found)
        self._replace(op, found)
        return True

    def _number_of_steps(self, build: Builder, op: phi.FoldOp, tests: Sequence[Test]) -> SSAValue:
        """The number of the steps of a fold for which tests hold, as a fold of its own."""

        def step(inside: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
            copies = inside.copied_tests(op.body.block, tests, {op.counter: counter})
            for test, copy in zip(tests, copies, strict=True):
                varying = self._variables.get(test.condition, frozenset())
                self._variables[copy.condition] = varying
            summand = self._product(inside, copies, inside.number(1, f32))
            return inside.add(total, summand)

        return build.emit(folded(op, build.number(0, f32), step))

    def _replace(self, op: phi.FoldOp, value: SSAValue) -> None:
        self._variables[value] = self._variables[op.result]
        replace_operation(op, value)

    def _are_apart(self, tests: Sequence[Test], value: SSAValue | Attribute) -> bool:
        """Whether neither a test nor the value varies with all of their variables."""
        return len(self._factors(tests, value)) > 1

    def _factors(self, tests: Iterable[Test], value: SSAValue | Attribute) -> list[_Factor]:
        """The tests and a value, together where one varies with all variables of the other.

        Those with most variables come first.
        """
        none: Variables = frozenset()
        parts = [(self._variables.get(test.condition, none), test) for test in tests]
        of_value = self._variables.get(value, none) if isinstance(value, SSAValue) else none
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

    def _product(self, build: Inserter, tests: Sequence[Test], value: SSAValue) -> SSAValue:
        """``where(p, x, 0) * where(q, 1, 0)`` for a value x"""
        factors = self._factors(tests, value)
        zero, one = (build.number(number, value.type) for number in (0, 1))
        result, *others = (
            build.chosen(each.tests, value if each.has_value else one, zero) for each in factors
        )
        laws = algebra_for("mul", value.type)
        assert laws is not None
        for mask in others:
            times = OPERATIONS[laws.name]
            result = build.emit(times.create(operands=[result, mask], result_types=[value.type]))
        return result


def _axes_of(function: func.FuncOp) -> dict[SSAValue, Variables]:
    """The variables that each value varies with, but those of loops that carry arrays.

    The steps of such a loop follow one another: its counter and its arrays are no axes.
    """
    loops = (op for op in function.walk() if isinstance(op, phi.FoldOp | phi.WhileOp))
    carrying = [op for op in loops if not phi.is_scalar_type(op.results[0].type)]
    steps = {arg for op in carrying for region in op.regions for arg in region.block.args}
    return {value: found - steps for value, found in variables_of(function).items()}


def _literal(step: Step) -> FloatAttr | None:
    """The value of a step if it is a Float that is in the program, and finite."""
    value = step.value
    literal = ConstantLike.get_constant_value(value) if isinstance(value, SSAValue) else value
    return literal if isa(literal, FloatAttr) and math.isfinite(literal.value.data) else None


@dataclass(frozen=True)
class SplitMasksPass(FunctionPass):
    """Multiplies masks instead of combining their conditions, in sums and tests over both.

    Before (the pairs of rows with a common neighbour)::

        %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
          %acc + select (%a[%i, %k] & %a[%j, %k]), 1, 0
        }

    After::

        %s = phi.fold (%k < %n, %acc = %zero) -> i64 {
          %acc + (select %a[%i, %k], 1, 0) * (select %a[%j, %k], 1, 0)
        }

    The conjunction varies with i, j and k, and each factor with two of them: the sum is a
    contraction. A sum of Ints over ``p | q`` is the total without that over ``~p & ~q``. Conditions
    stay together where one varies with all variables of the other, so no mask is split that has an
    element for each element of the whole. Variables of loops that carry arrays do not count, since
    each step computes such a sum anew. The law is ``0 * x = 0``, which holds for Ints, and for
    finite literals.

    A test whether a conjunction holds in any step is whether such a sum, of floats of 32 bits, is
    positive.
    """

    name = "split-masks"
    looks_for = (phi.FoldOp,)

    conjunctions: bool = False
    """Whether to split conjunctions in sums alone: a loop tests others step by step."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        splitter: _Splitter | None = None
        for op in innermost_first(function, phi.FoldOp):
            step = step_of(op)
            if step is None or not step.tests:
                continue
            if is_sum(step.combine.name) or step.combine.results[0].type == i1:
                splitter = splitter or _Splitter(function, conjunctions=self.conjunctions)
                if splitter.split(op, step):
                    analyses.invalidate(function)
