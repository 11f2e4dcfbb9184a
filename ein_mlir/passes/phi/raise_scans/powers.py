"""Sums of the steps up to a bound, by factors that decay with the distance, as recurrences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from xdsl.dialects import arith, math
from xdsl.ir import Block, BlockArgument, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.bounds import Bound
from ein_mlir.analysis.phi.element_cost import SHORT
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.scopes import block_of, dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.decays import (
    Decay,
    Factors,
    Product,
    decay_of,
    product_of,
)
from ein_mlir.passes.phi.raise_scans.parts import steps_if
from ein_mlir.passes.phi.raise_scans.selection import bound_of, position_of, split, varying_tests
from ein_mlir.rewriting.phi.float_tests import is_infinite, is_large
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues
from ein_mlir.rewriting.phi.ranges import copies_of, largest
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

    @property
    def varies(self) -> bool:
        """Whether some factor is another one in each step."""
        return any(factors.varies for _, factors, _ in self.factors)


def decays_of(op: phi.FoldOp, step: Step, raising: Raising) -> Decays | None:
    """The factors of the terms of a sum that vary with its bound, if these are decays.

    A fold of few known steps has none: its steps are taken at once.
    """
    count, value = known_int(op.count), step.value
    product, tests = product_of(step.combine), varying_tests(op, step.tests)
    if product is None or not isinstance(value, SSAValue) or len(tests) < len(step.tests):
        return None
    if count is not None and count <= SHORT:
        return None
    steps = dependents(op.body.block, op.counter)
    forms, free = raising.forms, raising.free
    decays, others = list[tuple[Decay, bool]](), list[SSAValue]()
    for factor, is_divisor in product.factors(value):
        decay = decay_of(op, factor, product, steps, forms) if factor in steps else None
        if decay is None:
            others.append(factor)
        else:
            decays.append((decay, is_divisor))
            others.extend(decay.fixed)
    if not decays or len({decay.value for decay, _ in decays}) < len(decays):
        return None
    found = split(op, tests, others, free, lambda test: bound_of(op, test, forms))
    place = None if found is None else found[0].form(forms)
    if found is None or place is None:
        return None
    bound, rest = found
    own = frozenset[BlockArgument]().union(*map(free.of, bound.parts))
    varying = list[tuple[SSAValue, Factors, bool]]()
    for decay, is_divisor in decays:
        factors = decay.factors(place, bound.suffix, forms)
        if factors is not None:
            varying.append((decay.value, factors, is_divisor))
        elif not own.isdisjoint(free.of(decay.value)):
            return None
    values = RecomputedValues(op, free.of(op.result) - own, free)
    is_within = forms.is_nonnegative(place) and forms.is_at_most(place, forms.integer(op.count))
    if not varying or not is_within or (values.indices and not values.can_have([op.result])):
        return None
    return Decays(varying, product, bound, rest, values.indices)


def recur(op: phi.FoldOp, step: Step, found: Decays, raising: Raising, *, static: bool) -> None:
    """``fold (k < n, a = x) { where(k < p, a + z ** (p - 1 - k) * r(k), a) }  -->  x + s[p]``

    with ``s[k + 1] = z * s[k] + r(k)``, which a loop computes; z may be another factor in each
    step. Where a value of it is not finite, the last one is not, and the sums of terms may be: a
    loop computes these then, and has no steps otherwise, and so where factors that vary may have
    let a value underflow that would not be small at the end. If the count of the loop must be
    ``static``, it is one by a condition.
    """
    build, bound = Replacement(op), found.bound
    base, scales = _base(build, op, found), _scales(build, found)
    sums = _sums(build, op, step, found, base, scales)
    last = build.get(sums, [build.integer(0) if bound.suffix else op.count])
    if found.varies and isinstance(step.combine, arith.AddfOp):
        last = _unless_large(build, _growth(build, op, base), last)
    place = position_of(build, op.count, bound, copies_of(build, op, bound.parts))
    value = with_start(build, op, step, build.get(sums, [place]))
    is_rare = failures(build, last, found.indices)
    build.finish(_terms_if(build, op, is_rare, value, raising.free, static=static), raising.free)


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
    is_rare = failures(build, _unless_large(build, growth, growth), values.indices)
    total = with_start(build, op, step, total)
    build.finish(_terms_if(build, op, is_rare, total, raising.free, static=static), raising.free)
    return True


def _unless_large(build: Builder, growth: SSAValue, value: SSAValue) -> SSAValue:
    return build.select(is_large(build, growth), float("inf"), value)


def _terms_if(
    build: Builder,
    op: phi.FoldOp,
    test: SSAValue,
    otherwise: SSAValue,
    free: FreeIndices,
    *,
    static: bool,
) -> SSAValue:
    """The value of a fold if a test holds; another value otherwise."""
    if static:
        return _at_indices_if(build, op, test, otherwise, free)
    return steps_if(build, op, test, otherwise)


def _at_indices_if(
    build: Builder, op: phi.FoldOp, test: SSAValue, otherwise: SSAValue, free: FreeIndices
) -> SSAValue:
    """The same as `steps_if`, with the value of one index after the other: loops of numbers.

    These compile in a fraction of the time of loops of arrays. Their count is that of the index.
    """
    values = RecomputedValues(op, free.of(op.result), free)
    if len(values.indices) != 1 or not values.can_have([op.result]):
        return _steps_while(build, op, test, otherwise)
    (index,) = values.indices
    size, zero = phi.size_of_index(index), build.number(0.0, op.result.type)
    zeros = build.comprehension([size], lambda _, __: zero)

    def step(inner: Builder, k: SSAValue, before: SSAValue) -> SSAValue:
        total = values.at(inner, [k])(op.result)
        return inner.tuple([test, inner.update(inner.leaves(before)[1], [k], total)])

    loop = build.fold_over(size, build.tuple([test, zeros]), step, loop=phi.WhileOp)
    return build.select(test, build.get(build.leaves(loop)[1], [index]), otherwise)


def _steps_while(build: Builder, op: phi.FoldOp, test: SSAValue, otherwise: SSAValue) -> SSAValue:
    """The same as `steps_if`, as a loop by a condition, whose limit is the count of the fold."""
    init = build.select(test, op.init, otherwise)

    def step(inner: Builder, k: SSAValue, before: SSAValue) -> SSAValue:
        known: Known = {op.counter: k, op.accumulator: inner.leaves(before)[1]}
        return inner.tuple([test, *inner.copied(op.body.block, [op.yielded()], known)])

    loop = build.fold_over(
        op.count, build.tuple([test, init]), step, [op.counter], loop=phi.WhileOp
    )
    return build.leaves(loop)[1]


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
) -> SSAValue:
    """The sums up to each number of steps, or from each step on."""
    values, is_suffix = StepValues(op), found.bound.suffix
    zero = build.constant(step.neutral)
    zeros = build.comprehension([build.add(op.count, 1)], lambda _, __: zero)

    def sum_(inner: Builder, k: SSAValue, before: SSAValue) -> SSAValue:
        total, array = inner.leaves(before)
        place = inner.sub(inner.sub(op.count, 1), k) if is_suffix else k
        known: Known = {op.counter: place}
        known |= {value: scale(inner, place) for value, scale in scales.items()}
        term = values.selected(inner, step, values.tests(inner, found.tests, known), known)
        total = found.product.of(inner, base(inner, place), total, divides=False)
        total = inner.same(step.combine, total, term)
        after = place if is_suffix else inner.add(place, 1)
        return inner.tuple([total, inner.update(array, [after], total)])

    init = build.tuple([zero, zeros])
    _, sums = build.leaves(build.fold_over(op.count, init, sum_, [op.counter]))
    return sums


def _growth(build: Builder, op: phi.FoldOp, base: StepBuilder) -> SSAValue:
    """The product of all factors that are not less than 1, by which what underflows may grow."""

    def longer(inner: Builder, step: SSAValue, growth: SSAValue) -> SSAValue:
        size = inner.emit(math.AbsFOp(base(inner, step)))
        one = inner.number(1.0, size.type)
        return inner.mul(growth, inner.emit(arith.MaximumfOp(size, one)))

    one = build.number(1.0, op.result.type)
    return build.fold_over(op.count, one, longer, [op.counter])


def failures(build: Builder, value: SSAValue, indices: Sequence[BlockArgument]) -> SSAValue:
    """Whether a value in front of a fold is not finite at some of the indices around."""
    return build.compare(_number_of_failures(build, value, indices, {}), "sgt", 0)


def _number_of_failures(
    build: Builder,
    value: SSAValue,
    indices: Sequence[BlockArgument],
    known: Mapping[SSAValue, SSAValue],
) -> SSAValue:
    """1 if there are some, 0 otherwise."""
    if not indices:
        value = build.recomputed(value, dict(known), partial(_is_around, known, block_of(value)))
        return build.select(is_infinite(build, value), 1, 0)
    index, *others = indices

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        return _number_of_failures(inner, value, others, {**known, index: own[0]})

    return largest(build, build.comprehension([phi.size_of_index(index)], element, [index]))


def _is_around(known: Mapping[SSAValue, SSAValue], block: Block | None, value: SSAValue) -> bool:
    """Whether a value is in a block, or in a comprehension over one of some indices."""
    if not known:
        return False
    arrays = (index.owner.parent_op() for index in known if isinstance(index.owner, Block))
    return block_of(value) is block or any(
        array is not None and is_within(value, array) for array in arrays
    )
