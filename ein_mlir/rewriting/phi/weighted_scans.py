"""Carried values after each number of steps, as scans with weights.

Values ``x[j + 1] = max(x[j] + cost[j], limit[j])``, and remainders of sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, f64
from xdsl.ir import SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.loops.combinations import Modular, Reset, Weighted
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import identity_of
from ein_mlir.rewriting.phi.insertion import Builder, StepOfFold
from ein_mlir.rewriting.phi.reset_scans import CarriedScan, ResetScan
from ein_mlir.rewriting.phi.step_values import (
    StepValues,
    after_first,
    combined,
    neutral_of,
    running_total,
)

_Step: TypeAlias = Callable[[Builder, SSAValue, SSAValue], tuple[SSAValue, SSAValue]]
"""Builds the place and the value of an element, from the step and the value before."""


class WeightedScan(CarriedScan[Weighted]):
    """The construction of the values of a field, or of elements, after each number of steps.

    Sums of floats distribute over maxima unless a sum of costs is infinite: added to the limit of
    nothing, minus infinity, it is NaN. Sums of Ints may wrap. If there may be such a sum, a loop
    over the steps runs instead, unless costs and limits of Ints provably ``are_small``.
    """

    def __init__(
        self,
        op: phi.FoldOp,
        found: Weighted,
        values: StepValues,
        known: Mapping[SSAValue, SSAValue],
        *,
        are_small: bool = False,
    ):
        super().__init__(op, found, values, known)
        self._are_small = are_small
        self._links = links = found.links
        self._kind = found.kind
        self._sums = [link for link in links if link.kind == found.weight]
        parts = [part for link in self._sums for part in link.parts]
        self._is_constant = dependents(op.body.block, op.counter).isdisjoint(parts)

    def build(self, build: Builder, first: SSAValue, size: SSAValue) -> SSAValue:
        """The array of the values after 0, 1, .. steps, ``size`` in all."""
        limits = after_first(build, first, self._values.over_steps(build, self._limit), size)
        costs = self._costs(build)
        if not self._is_constant:
            costs = after_first(build, neutral_of(build, self._sums[0]), costs, size)

        def step(inner: Builder, step: SSAValue, before: SSAValue) -> tuple[SSAValue, SSAValue]:
            return inner.add(step, 1), self._next(inner, step, before)

        return self._scanned(build, limits, costs, first, step)

    def after_steps(self, build: Builder, first: SSAValue) -> SSAValue:
        """The array of the values after 1, 2, .. steps, if the first step computes a value."""

        def chosen(inner: Builder, step: SSAValue, value: SSAValue) -> SSAValue:
            return inner.select(inner.compare(step, "eq", 0), first, value)

        def limit(inner: Builder, step: SSAValue) -> SSAValue:
            return chosen(inner, step, self._limit(inner, step))

        def step(inner: Builder, step: SSAValue, before: SSAValue) -> tuple[SSAValue, SSAValue]:
            return step, chosen(inner, step, self._next(inner, step, before))

        limits = self._values.over_steps(build, limit)
        return self._scanned(build, limits, self._costs(build), first, step)

    def _costs(self, build: Builder) -> SSAValue:
        """The cost of each step, or that of all."""
        if self._is_constant:
            return self._cost(build, build.integer(0))
        return self._values.over_steps(build, self._cost)

    def _scanned(
        self, build: Builder, limits: SSAValue, costs: SSAValue, first: SSAValue, step: _Step
    ) -> SSAValue:
        """The scan; a loop over the steps instead, if a sum may be infinite, or wrap."""
        scanned = build.emit(phi.WeightedScanOp(self._kind, limits, costs))
        left = self._steps_left(build, limits, costs, first)
        return scanned if left is None else _stepped(build, left, scanned, first, step)

    def _steps_left(
        self, build: Builder, limits: SSAValue, costs: SSAValue, first: SSAValue
    ) -> SSAValue | None:
        """The steps of a loop that runs instead, if a test fails; None where none is needed."""
        if self._found.is_exact:
            return None
        if isa(first.type, AnyFloat):
            is_plain = self._has_finite_sums(build, costs)
        elif self._are_small:
            return None
        else:
            is_plain = _are_small(build, self._op.count, costs, [limits, first])
        return build.select(is_plain, build.integer(0), self._op.count)

    def final(self, build: Builder, first: SSAValue) -> SSAValue:
        """The value after all steps: each limit, and the first value, with the costs behind it."""
        limits = self._values.over_steps(build, self._limit)
        costs = self._values.over_steps(build, self._cost)
        behind = build.scan(self._found.weight, costs, suffixes=True)
        weigh, combine = (
            next(link for link in self._links if link.kind == kind)
            for kind in (self._found.weight, self._kind)
        )

        def better(inner: Builder, step: SSAValue, before: SSAValue) -> SSAValue:
            cost = inner.get(behind, [inner.add(step, 1)])
            value = combined(inner, weigh, inner.get(limits, [step]), cost)
            return combined(inner, combine, before, value)

        start = combined(build, weigh, first, build.get(behind, [build.integer(0)]))
        value = build.fold_over(self._op.count, start, better, [self._op.counter])
        left = self._steps_left(build, limits, costs, first)
        if left is None:
            return value
        return _after_loop(build, left, value, first, self._next, self._op)

    def _next(self, build: Builder, step: SSAValue, before: SSAValue) -> SSAValue:
        return self._terms(build, self._links, step).applied_to(before)

    def _limit(self, build: Builder, step: SSAValue) -> SSAValue:
        return self._terms(build, self._links, step).limit(self._found.weight)

    def _cost(self, build: Builder, step: SSAValue) -> SSAValue:
        return self._terms(build, self._sums, step).cost(self._found.weight)

    def _has_finite_sums(self, build: Builder, costs: SSAValue) -> SSAValue:
        """Whether no sum of costs is infinite, except for costs that are worse than all limits."""
        type_ = self._links[0].other.type
        infinity = identity_of(self._kind, type_)
        assert infinity is not None
        worst, zero = build.constant(infinity), build.number(0.0, type_)

        def magnitude(inner: Builder, cost: SSAValue) -> SSAValue:
            is_worst = inner.compare(cost, "oeq", worst)
            return inner.select(is_worst, zero, inner.emit(math.AbsFOp(cost)))

        total = _total(build, self._op.count, _largest(build, costs, magnitude, zero))
        return build.compare(total, "olt", build.number(float("inf"), type_))


def _are_small(
    build: Builder, count: SSAValue, costs: SSAValue, others: Sequence[SSAValue]
) -> SSAValue:
    """Whether sums of Ints, as floats, are far from the ends of their range."""

    def magnitude(inner: Builder, value: SSAValue) -> SSAValue:
        return inner.emit(math.AbsFOp(inner.number_as(value, f64)))

    zero = build.number(0.0, f64)
    total = _total(build, count, _largest(build, costs, magnitude, zero))
    for value in others:
        total = build.add(total, _largest(build, value, magnitude, zero))
    return build.compare(total, "olt", build.number(2.0**62, f64))


def _total(build: Builder, count: SSAValue, cost: SSAValue) -> SSAValue:
    """A cost times the number of steps."""
    return build.mul(cost, build.number_as(count, cost.type))


def _largest(
    build: Builder,
    values: SSAValue,
    magnitude: Callable[[Builder, SSAValue], SSAValue],
    zero: SSAValue,
) -> SSAValue:
    """The largest magnitude of some values, or that of one."""
    if not isinstance(values.type, phi.VecType):
        return magnitude(build, values)

    def larger(inner: Builder, place: SSAValue, most: SSAValue) -> SSAValue:
        return inner.emit(arith.MaximumfOp(most, magnitude(inner, inner.get(values, [place]))))

    return build.fold_over(build.size(values), zero, larger)


def _stepped(
    build: Builder, count: SSAValue, values: SSAValue, first: SSAValue, step: _Step
) -> SSAValue:
    """``fold (k < n, x = first, v = a) { x' = max(x + c, e); v[k + 1] := x' }``"""

    def written(inner: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
        before, array = (inner.proj(carried, number) for number in range(2))
        place, new = step(inner, counter, before)
        return inner.tuple([new, inner.update(array, [place], new)])

    return build.proj(build.fold_over(count, build.tuple([first, values]), written), 1)


def _after_loop(
    build: Builder,
    left: SSAValue,
    value: SSAValue,
    first: SSAValue,
    step: StepOfFold,
    like: phi.FoldOp,
) -> SSAValue:
    """The last value of a scan; if steps are left, that of a loop over these from the first one."""
    start = build.select(build.compare(left, "eq", 0), value, first)
    return build.fold_over(left, start, step, [like.counter])


class ModularScan(CarriedScan[Modular]):
    """The values of ``x' = (x + e) % m`` after each number of steps: remainders of sums of Ints.

    If a sum may wrap, a loop over the steps runs instead.
    """

    def build(self, build: Builder, first: SSAValue, size: SSAValue) -> SSAValue:
        """The array of the values after 0, 1, .. steps, ``size`` in all."""
        summands = self._values.over_steps(build, self._summand)
        sums = running_total(build, "add", first, summands, size)

        def value(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            steps = inner.as_int(own[0])
            return self._after(inner, steps, first, sums(inner, steps))

        def step(inner: Builder, step: SSAValue, before: SSAValue) -> tuple[SSAValue, SSAValue]:
            return inner.add(step, 1), self._next(inner, step, before)

        scanned = build.comprehension([size], value)
        return _stepped(build, self._steps_left(build, summands, first), scanned, first, step)

    def final(self, build: Builder, first: SSAValue) -> SSAValue:
        """The value after all steps."""
        summands, count = self._values.over_steps(build, self._summand), self._op.count

        def longer(inner: Builder, step: SSAValue, total: SSAValue) -> SSAValue:
            return inner.add(total, inner.get(summands, [step]))

        total = build.fold_over(count, first, longer, [self._op.counter])
        value = self._after(build, count, first, total)
        left = self._steps_left(build, summands, first)
        return _after_loop(build, left, value, first, self._next, self._op)

    def _after(self, build: Builder, steps: SSAValue, first: SSAValue, total: SSAValue) -> SSAValue:
        """The value after some steps, by the sum of all before."""
        rest = build.floormod(total, self._modulus(build))
        return build.select(build.compare(steps, "sgt", 0), rest, first)

    def _steps_left(self, build: Builder, summands: SSAValue, first: SSAValue) -> SSAValue:
        others = [first, self._modulus(build)]
        is_plain = _are_small(build, self._op.count, summands, others)
        return build.select(is_plain, build.integer(0), self._op.count)

    def _next(self, build: Builder, step: SSAValue, before: SSAValue) -> SSAValue:
        return build.floormod(build.add(before, self._summand(build, step)), self._modulus(build))

    def _modulus(self, build: Builder) -> SSAValue:
        """The modulus, which may be a constant of the step."""
        return self._values.value(build, self._found.modulus, build.integer(0), self._known)


def weighted_values(
    op: phi.FoldOp,
    found: Weighted | Modular | Reset,
    values: StepValues,
    known: Mapping[SSAValue, SSAValue],
    *,
    are_small: bool = False,
) -> WeightedScan | ModularScan | ResetScan:
    """The construction of the values after each number of steps."""
    if isinstance(found, Reset):
        return ResetScan(op, found, values, known)
    if isinstance(found, Modular):
        return ModularScan(op, found, values, known)
    return WeightedScan(op, found, values, known, are_small=are_small)
