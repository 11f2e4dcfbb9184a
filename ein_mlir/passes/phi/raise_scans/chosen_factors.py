"""Terms with a choice among their factors, ``where(k < p, x, 0) * y``: those of a prefix."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.phi.bounds import Bound, bound_of
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.selections import Step, Test, selected
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import kind_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.decays import OF_INTS, Product, made_of, product_of
from ein_mlir.passes.phi.raise_scans.fallbacks import failures, terms_if
from ein_mlir.passes.phi.raise_scans.selection import position_of, split, varying_tests
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues
from ein_mlir.rewriting.phi.ranges import copies_of
from ein_mlir.rewriting.phi.replacement import Raising, Replacement
from ein_mlir.rewriting.phi.step_values import Known, StepValues, with_start


@dataclass(frozen=True)
class Factor:
    """A factor or divisor of a value of a step."""

    value: SSAValue
    is_divisor: bool
    tests: Sequence[Test]
    """Those of the choices ``where(t, x, 0)`` that it is in."""


def chosen_factors(
    product: Product, value: SSAValue, step: Step, around: Sequence[Test] = ()
) -> tuple[list[Factor], list[Test]]:
    """The factors of a value of a step, as of `Product.factors`, with those in choices among them.

    And the tests of the choices: without one of these, the value is the neutral element of the step
    if all factors outside of the choice are finite.
    """
    factors, tests = list[Factor](), list[Test]()
    for factor, is_divisor in product.factors(value):
        found, inner = ([], factor) if is_divisor else selected(made_of(factor), step.neutral)
        tests.extend(found)
        if not found:
            factors.append(Factor(factor, is_divisor, around))
        elif isinstance(inner, SSAValue):
            within = chosen_factors(product, inner, step, [*around, *found])
            factors.extend(within[0])
            tests.extend(within[1])
    return factors, tests


def indices_beside(
    op: phi.FoldOp, bound: Bound, free: FreeIndices
) -> Sequence[BlockArgument] | None:
    """The indices around a fold that it varies with, outermost first: all but those of a bound.

    None if its value cannot be computed again at these.
    """
    values = RecomputedValues(op, free.of(op.result) - bound.free(free), free)
    return values.indices if not values.indices or values.can_have([op.result]) else None


def scan_chosen(
    op: phi.FoldOp,
    step: Step,
    raising: Raising,
    may_run: Callable[[Bound, Sequence[SSAValue]], bool],
    *,
    static: bool,
) -> bool:
    """``sum_k where(k < p, e, 0) * c  -->  scan (array { e * c }) [p]``

    Whether the fold was replaced. Where the total of all steps is not finite, a c may not be, and
    the steps run; those of Ints are.
    """
    product, value = product_of(step.combine), step.value
    if isinstance(step.combine, arith.AddiOp):
        product = OF_INTS
    if product is None or not isinstance(value, SSAValue):
        return False
    factors, chosen = chosen_factors(product, value, step)
    tests, forms, free = varying_tests(op, step.tests), raising.forms, raising.free
    if not chosen or len(tests) < len(step.tests):
        return False
    parts = [factor.value for factor in factors]
    found = split(op, [*tests, *chosen], parts, free, lambda test: bound_of(op, test, forms))
    if found is None:
        return False
    bound, others = found
    indices = indices_beside(op, bound, free)
    parts += [test.condition for test in others]
    if indices is None or not may_run(bound, parts):
        return False
    build, values, test = Replacement(op), StepValues(op), bound.test

    def element(inner: Builder, k: SSAValue) -> SSAValue:
        known: Known = {op.counter: k, test.condition: inner.truth(test.expected)}
        own = [each for each in others if each in tests]
        return values.selected(inner, step, values.tests(inner, own, known), known)

    elements = values.over_steps(build, element)
    sums = build.scan(kind_of(step.combine.name), elements, suffixes=bound.suffix)
    place = position_of(build, op.count, bound, copies_of(build, op, bound.parts))
    total = with_start(build, op, step, build.get(sums, [place]))
    if product is not OF_INTS:
        last = build.get(sums, [build.integer(0) if bound.suffix else op.count])
        is_rare = failures(build, last, indices)
        total = terms_if(build, op, is_rare, total, free, static=static)
    build.finish(total, free)
    return True
