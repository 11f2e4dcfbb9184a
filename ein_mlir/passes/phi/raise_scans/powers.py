"""Sums of the steps up to a bound, by factors that decay with the distance, as recurrences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, math
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.bounds import Bound
from ein_mlir.analysis.phi.element_cost import SHORT
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.chosen_factors import Factor, chosen_factors, indices_beside
from ein_mlir.passes.phi.raise_scans.decays import (
    Decay,
    Factors,
    Product,
    decay_of,
    product_of,
)
from ein_mlir.passes.phi.raise_scans.fallbacks import failures, terms_if
from ein_mlir.passes.phi.raise_scans.selection import bound_of, position_of, split, varying_tests
from ein_mlir.rewriting.phi.float_tests import is_infinite, is_large
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues
from ein_mlir.rewriting.phi.ranges import copies_of
from ein_mlir.rewriting.phi.replacement import Raising, Replacement
from ein_mlir.rewriting.phi.step_values import (
    Known,
    StepBuilder,
    StepValues,
    fold_of_step,
    with_start,
)


@dataclass(frozen=True)
class Decays:
    """The terms ``x ** (q - k) * r`` of the steps k before a bound, or ``x ** (k - q) * r`` from
    one on; products over the steps between both are such factors, too.
    """

    factors: Sequence[tuple[SSAValue, Factors, bool]]
    """The factors, and whether each divides."""
    product: Product
    """That of the factors, over which the combination of the terms distributes."""
    bound: Bound
    tests: list[Test]
    """The other tests."""
    indices: Sequence[BlockArgument]
    """Those around that the terms vary with, outermost first: all but those of the bound."""
    unselected: Sequence[tuple[Callable[[Builder, int], SSAValue], bool]]
    """Values that are finite if factors outside of the choice of the steps are, and if each
    divides."""
    outside: int
    """The most steps by which the bound is out of range then."""

    @property
    def varies(self) -> bool:
        """Whether some factor is another one in each step."""
        return any(factors.varies for _, factors, _ in self.factors)


def decays_of(op: phi.FoldOp, step: Step, raising: Raising) -> Decays | None:
    """The factors of the terms of a sum that vary with its bound, if these are decays.

    A fold of few known steps has none: its steps are taken at once. A bound may be out of range
    where no steps are selected.
    """
    count, value = known_int(op.count), step.value
    product, tests = product_of(step.combine), varying_tests(op, step.tests)
    if product is None or not isinstance(value, SSAValue) or len(tests) < len(step.tests):
        return None
    if count is not None and count <= SHORT:
        return None
    steps = dependents(op.body.block, op.counter)
    forms, free = raising.forms, raising.free
    decays, others = list[tuple[Decay, Factor]](), list[SSAValue]()
    parts, chosen = chosen_factors(product, value, step)
    for part in parts:
        own = part.value
        decay = decay_of(op, own, product, steps, forms) if own in steps else None
        if decay is None:
            others.append(own)
        else:
            decays.append((decay, part))
            others.extend(decay.fixed)
    if not decays or len({decay.value for decay, _ in decays}) < len(decays):
        return None
    found = split(op, [*tests, *chosen], others, free, lambda test: bound_of(op, test, forms))
    place = None if found is None else found[0].form(forms)
    if found is None or place is None:
        return None
    bound, rest = found
    own, indices = bound.free(free), indices_beside(op, bound, free)
    count = forms.integer(op.count)
    may_be = forms.is_nonnegative(place if bound.suffix else count - place)
    outside = _most_outside(count - place if bound.suffix else place, forms)
    varying, unselected = (
        list[tuple[SSAValue, Factors, bool]](),
        list[tuple[Callable[[Builder, int], SSAValue], bool]](),
    )
    for decay, part in decays:
        factors = decay.factors(place, bound.suffix, forms)
        if factors is not None:
            varying.append((decay.value, factors, part.is_divisor))
            if factors.beyond is not None and bound.test not in (*tests, *part.tests):
                may_be &= outside is not None
                unselected.append((factors.beyond, part.is_divisor))
        elif not own.isdisjoint(free.of(decay.value)):
            return None
    if not varying or not may_be or indices is None:
        return None
    rest = [test for test in rest if test in tests]
    return Decays(varying, product, bound, rest, indices, unselected, outside or 0)


def _most_outside(distance: LinearForm, forms: IndexForms) -> int | None:
    """The number of steps by which a bound may be out of range, if that is known."""
    for number in (0, -distance.constant):
        if number >= 0 and forms.is_nonnegative(distance + number):
            return number
    return None


def recur(
    op: phi.FoldOp,
    step: Step,
    found: Decays,
    raising: Raising,
    *,
    static: bool,
    derivatives: bool,
) -> None:
    """``fold (k < n, a = x) { where(k < p, a + z ** (p - 1 - k) * r(k), a) }  -->  x + s[p]``

    with ``s[k + 1] = z * s[k] + r(k)``, which a loop computes; z may be another factor in each
    step. Where a value of it is not finite, the last one is not, and the sums of terms may be: a
    loop computes these then, and has no steps otherwise, and so where factors that vary may have
    let a value underflow that would not be small at the end. If the count of the loop must be
    ``static``, it is one by a condition. In ``derivatives`` the recurrence has no steps then, whose
    sums would be multiplied by cotangents that are zero: it is computed again for its value.
    """
    build, bound = Replacement(op), found.bound
    base, scales = _base(build, op, found), _scales(build, found)
    sums = _sums(build, op, step, found, base, scales, op.count)
    last = build.get(sums, [build.integer(0) if bound.suffix else op.count])
    if found.varies and isinstance(step.combine, arith.AddfOp):
        last = _unless(build, is_large(build, _growth(build, op, base)), last)
    for beyond, is_divisor in found.unselected:
        value = found.product.of(build, None, beyond(build, found.outside), divides=is_divisor)
        last = _unless(build, is_infinite(build, value), last)
    is_rare = failures(build, last, found.indices)
    if derivatives:
        number = build.select(is_rare, 0, op.count)
        sums = _sums(build, op, step, found, base, scales, number)
    place = position_of(build, op.count, bound, copies_of(build, op, bound.parts))
    value = with_start(build, op, step, build.get(sums, [place]))
    build.finish(terms_if(build, op, is_rare, value, raising.free, static=static), raising.free)


def multiply_in_any_order(op: phi.FoldOp, step: Step, raising: Raising, *, static: bool) -> bool:
    """Replace a product of floats by that of its factors in another order, if ``raising`` does.

    The steps run as they are if the product of all large factors may be infinite, or let a part of
    the product that underflows grow again.
    """
    value = step.value
    if not isinstance(step.combine, arith.MulfOp) or not isinstance(value, SSAValue):
        return False
    values = RecomputedValues(op, raising.free.of(value), raising.free)
    if values.indices and not values.can_have([op.result]):
        return False
    total = raising.value(op, fold_of_step(op, step))
    if total is None:
        return False
    build, steps = Replacement(op), StepValues(op)
    growth = _growth(build, op, lambda inner, step: steps.value(inner, value, step))
    is_rare = failures(build, _unless(build, is_large(build, growth), growth), values.indices)
    total = with_start(build, op, step, total)
    build.finish(terms_if(build, op, is_rare, total, raising.free, static=static), raising.free)
    return True


def _unless(build: Builder, test: SSAValue, value: SSAValue) -> SSAValue:
    """A value, or infinity if a test holds."""
    return build.select(test, float("inf"), value)


def _base(build: Builder, op: phi.FoldOp, found: Decays) -> StepBuilder:
    """The factor of the sums in each step."""
    bases = list[tuple[StepBuilder, bool]]()
    for _, factors, is_divisor in found.factors:
        base = factors.base(build)
        if is_divisor and not factors.varies:
            value = found.product.of(build, None, base(build, op.count), divides=True)
            base, is_divisor = _same(value), False
        bases.append((base, is_divisor))

    def at(inner: Builder, place: SSAValue) -> SSAValue:
        total: SSAValue | None = None
        for base, is_divisor in bases:
            total = found.product.of(inner, total, base(inner, place), divides=is_divisor)
        assert total is not None
        return total

    return at


def _same(value: SSAValue) -> StepBuilder:
    return lambda _, __: value


def _scales(build: Builder, found: Decays) -> Mapping[SSAValue, StepBuilder]:
    """The values of the factors in the step next to the bound."""
    return {value: factors.scale(build) for value, factors, _ in found.factors}


def _sums(
    build: Builder,
    op: phi.FoldOp,
    step: Step,
    found: Decays,
    base: StepBuilder,
    scales: Mapping[SSAValue, StepBuilder],
    number: SSAValue,
) -> SSAValue:
    """The sums up to each number of steps, or from each step on, after a number of these."""
    values, is_suffix, test = StepValues(op), found.bound.suffix, found.bound.test
    zero = build.constant(step.neutral)
    zeros = build.comprehension([build.add(op.count, 1)], lambda _, __: zero)

    def sum_(inner: Builder, k: SSAValue, before: SSAValue) -> SSAValue:
        total, array = inner.leaves(before)
        place = inner.sub(inner.sub(op.count, 1), k) if is_suffix else k
        known: Known = {op.counter: place}
        known |= {value: scale(inner, place) for value, scale in scales.items()}
        if test not in step.tests:
            known[test.condition] = inner.truth(test.expected)
        term = values.selected(inner, step, values.tests(inner, found.tests, known), known)
        total = found.product.of(inner, base(inner, place), total, divides=False)
        total = inner.same(step.combine, total, term)
        after = place if is_suffix else inner.add(place, 1)
        return inner.tuple([total, inner.update(array, [after], total)])

    init = build.tuple([zero, zeros])
    _, sums = build.leaves(build.fold_over(number, init, sum_, [op.counter]))
    return sums


def _growth(build: Builder, op: phi.FoldOp, base: StepBuilder) -> SSAValue:
    """The product of all factors that are not less than 1, by which what underflows may grow."""

    def longer(inner: Builder, step: SSAValue, growth: SSAValue) -> SSAValue:
        size = inner.emit(math.AbsFOp(base(inner, step)))
        one = inner.number(1.0, size.type)
        return inner.mul(growth, inner.emit(arith.MaximumfOp(size, one)))

    one = build.number(1.0, op.result.type)
    return build.fold_over(op.count, one, longer, [op.counter])
