"""``split-masks``: sums over conditions become sums of products of masks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, f32, f64, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.selections import Step, Test, is_constant, step_of
from ein_mlir.analysis.phi.truth_polynomials import Product, TruthPolynomials
from ein_mlir.analysis.phi.variables import Variables, variables_of
from ein_mlir.analysis.scopes import dependents, innermost_first
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, algebra_for, is_sum
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import chosen, copied_tests, difference, folded, same_operation
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
            return self._search(op, step)
        products = [Product(1, step.tests)]
        if not self._conjunctions:
            products = TruthPolynomials(self._variables, counts=True).of(step.tests)
        if isa(step.neutral, IntegerAttr[IntegerType]) or _is_conjunction(products):
            return self._sum(op, step, products)
        return self._count(op, step, products)

    def _sum(self, op: phi.FoldOp, step: Step, products: Sequence[Product]) -> bool:
        """``acc + where(p & q, x, 0)  -->  acc + where(p, x, 0) * where(q, 1, 0)``

        The law is ``0 * x = 0``, which holds for Ints, and for Floats that are literals.
        """
        if isa(step.neutral, FloatAttr) and _literal(step) is None:
            return False
        if not self._are_apart(products, step.value):
            return False
        build = Builder.before_end(op.body.block)
        value = step.value
        if not isinstance(value, SSAValue):
            value = build.constant(value)
        summand = self._sum_of_products(build, products, value)
        op.yield_instead(build.emit(same_operation(step.combine, op.accumulator, summand)))
        erase_unused(op.body.block)
        return True

    def _count(self, op: phi.FoldOp, step: Step, products: Sequence[Product]) -> bool:
        """``fold { acc + where(p != q, c, 0) }  -->  init + c * fold { acc + (p + q - 2*p*q) }``

        The literal c is a Float. The second fold is a number of steps, which f64 holds exactly.
        """
        literal = _literal(step)
        if literal is None or not self._are_apart(products, literal):
            return False
        build = Builder.before(op)
        total = self._number_of_steps(build, op, products, f64)
        factor = build.constant(FloatAttr(literal.value.data, f64))
        total = build.emit(arith.MulfOp(total, factor))
        if op.result.type != f64:
            total = build.emit(arith.TruncFOp(total, op.result.type))
        if literal.value.data < 0 or not is_constant(op.init, step.neutral):
            total = build.emit(same_operation(step.combine, op.init, total))
        self._replace(op, total)
        return True

    def _search(self, op: phi.FoldOp, step: Step) -> bool:
        """``any (p & q)  -->  sum p*q > 0``, and ``all (p & q)  -->  not any ~(p & q)``

        Nothing is negative: a sum in f32 is zero if and only if all of its terms are. A condition
        that stays the same in all steps needs no sum.
        """
        if self._conjunctions:
            return False
        products = TruthPolynomials(self._variables, counts=False).of(step.tests)
        varying = dependents(op.body.block, op.counter)
        inner = [
            replace(each, tests=[test for test in each.tests if test.condition in varying])
            for each in products
        ]
        if not self._are_apart(inner, step.neutral):
            return False
        build = Builder.before(op)
        total = self._number_of_steps(build, op, products, f32)
        is_all = step.neutral == IntegerAttr.from_bool(True)
        zero = build.constant(FloatAttr(0.0, f32))
        found = build.emit(arith.CmpfOp(total, zero, "oeq" if is_all else "ogt"))
        if not is_constant(op.init, step.neutral):
            found = build.emit(same_operation(step.combine, op.init, found))
        self._replace(op, found)
        return True

    def _number_of_steps(
        self, build: Builder, op: phi.FoldOp, products: Sequence[Product], type_: Attribute
    ) -> SSAValue:
        """The sum of products over the steps of a fold, as a fold of its own."""

        def step(inside: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
            known: dict[SSAValue, SSAValue] = {op.counter: counter}
            copies = [
                replace(each, tests=copied_tests(inside, op.body.block, each.tests, known))
                for each in products
            ]
            for old, new in zip(products, copies, strict=True):
                for test, copy in zip(old.tests, new.tests, strict=True):
                    varying = self._variables.get(test.condition, frozenset())
                    self._variables[copy.condition] = varying
            summand = self._sum_of_products(inside, copies, inside.number(1, type_))
            return inside.emit(_operation("add", total, summand))

        return build.emit(folded(op, build.number(0, type_), step))

    def _replace(self, op: phi.FoldOp, value: SSAValue) -> None:
        self._variables[value] = self._variables[op.result]
        replace_operation(op, value)

    def _are_apart(self, products: Sequence[Product], value: SSAValue | Attribute) -> bool:
        """Whether neither a test nor the value varies with all of their variables."""
        return len(self._factors([test for each in products for test in each.tests], value)) > 1

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

    def _sum_of_products(
        self, build: Inserter, products: Sequence[Product], value: SSAValue
    ) -> SSAValue:
        """``p*x + q*x - 2*p*q*x`` for a value x; a coefficient is positive."""
        first, *rest = sorted(products, key=lambda each: each.coefficient < 0)
        total = self._product(build, first, value)
        for each in rest:
            op = _operation("add", total, self._product(build, each, value))
            if each.coefficient < 0:
                op = difference(op, *op.operands)
            total = build.emit(op)
        return total

    def _product(self, build: Inserter, product: Product, value: SSAValue) -> SSAValue:
        """``where(p, c*x, 0) * where(q, 1, 0)``"""
        factors = self._factors(product.tests, value)
        zero, one = (build.number(number, value.type) for number in (0, 1))
        if abs(product.coefficient) != 1:
            scale = build.number(abs(product.coefficient), value.type)
            value = build.emit(_operation("mul", value, scale))
        result, *others = (
            chosen(build, each.tests, value if each.has_value else one, zero) for each in factors
        )
        for mask in others:
            result = build.emit(_operation("mul", result, mask))
        return result


def _axes_of(function: func.FuncOp) -> dict[SSAValue, Variables]:
    """The variables that each value varies with, but those of loops that carry arrays.

    The steps of such a loop follow one another: its counter and its arrays are no axes.
    """
    loops = (op for op in function.walk() if isinstance(op, phi.FoldOp | phi.WhileOp))
    carrying = [op for op in loops if not phi.is_scalar_type(op.results[0].type)]
    steps = {arg for op in carrying for region in op.regions for arg in region.block.args}
    return {value: found - steps for value, found in variables_of(function).items()}


def _is_conjunction(products: Sequence[Product]) -> bool:
    return len(products) == 1 and products[0].coefficient == 1


def _literal(step: Step) -> FloatAttr | None:
    """The value of a step if it is a Float that is in the program, and finite."""
    value = step.value
    literal = ConstantLike.get_constant_value(value) if isinstance(value, SSAValue) else value
    return literal if isa(literal, FloatAttr) and math.isfinite(literal.value.data) else None


def _operation(kind: str, *operands: SSAValue) -> Operation:
    """The sum or product of two numbers."""
    type_ = operands[0].type
    laws = algebra_for(kind, type_)
    assert laws is not None
    return OPERATIONS[laws.name].create(operands=operands, result_types=[type_])


@dataclass(frozen=True)
class SplitMasksPass(FunctionPass):
    """Multiplies masks instead of combining their conditions, in sums and tests over both.

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
    contraction. Other conditions are polynomials of their parts: ``p | q`` is ``1 - (1-p)*(1-q)``,
    and ``p != q`` is ``p + q - 2*p*q``. Conditions stay together where one varies with all
    variables of the other, so no mask is split that has an element for each element of the whole.
    Variables of loops that carry arrays do not count, since each step computes such a sum anew.
    The law is ``0 * x = 0``, which holds for Ints, and for finite literals. A sum of one Float for
    each step with such a condition is their number, which f64 holds exactly, times the Float.

    A test whether a condition holds in any step is whether such a sum is positive::

        %s = phi.fold (%k < %n, %acc = %false) -> i1 {
          %c = arith.andi %p, %q : i1
          %next = arith.ori %acc, %c : i1
          phi.yield %next : i1
        }

        %t = phi.fold (%k < %n, %acc = %zero) -> f32 {
          %x = arith.mulf %u, %v : f32
          %next = arith.addf %acc, %x : f32
          phi.yield %next : f32
        }
        %s = arith.cmpf ogt, %t, %zero : f32
    """

    name = "split-masks"
    looks_for = (phi.FoldOp,)

    conjunctions: bool = False
    """Whether to split conjunctions in sums alone: a loop tests other conditions step by step."""

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
