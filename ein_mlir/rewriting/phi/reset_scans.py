"""Carried values that a condition resets, after each number of steps, as scans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import INTS, MOST, Integers, Range
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.loops.combinations import Link, Modular, Reset, Weighted
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import PhiLevel
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import StepBuilder, StepValues, Terms, after_first

FoundT = TypeVar("FoundT", Weighted, Modular, Reset)


class CarriedScan(Generic[FoundT]):
    """The construction of the values of a field, or of elements, after each number of steps."""

    def __init__(
        self, op: phi.FoldOp, found: FoundT, values: StepValues, known: Mapping[SSAValue, SSAValue]
    ):
        """``known`` has values that are the same in all steps."""
        self._op = op
        self._found = found
        self._values = values
        self._known = known

    def _terms(self, build: Builder, links: Sequence[Link], step: SSAValue) -> Terms:
        """The terms of a step."""
        return self._values.terms(build, links, {**self._known, self._op.counter: step})

    def _summand(self, build: Builder, step: SSAValue) -> SSAValue:
        """The sum of the links of a step."""
        return self._terms(build, self._found.links, step).total()


class ResetScan(CarriedScan[Reset]):
    """The values of ``x' = where(t, x + e, r)`` after each number of steps.

    With ``s[j]`` the sum of the summands of the first j steps, and ``p`` the last step with a reset
    among them::

        x[j] = s[j] + (r[p] - s[p + 1])       if there is one
             = s[j] + x[0]                    otherwise

    Sums of Ints are exact modulo 2^64, in any order. If no summand is negative, these differences
    fall from reset to reset: the last one is the least. The difference of two sums of floats would
    cancel: these, and other combinations, are a scan in which resets end the prefix.
    """

    def build(self, build: Builder, first: SSAValue, size: SSAValue) -> SSAValue:
        """The array of the values after 0, 1, .. steps, ``size`` in all."""
        if not self._found.is_invertible:
            return self._with_weights(build, first, size)
        each = self._repeated(build)
        sums = self._sums(build, each)
        if each is not None and (since := self._since(build, sums, first, each)) is not None:
            return build.comprehension([size], lambda inner, own: since(inner, own[0]))
        start = self._least(build, sums, first) if each is None else None
        start = start or self._last(build, sums, first, each)

        def value(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            steps = inner.as_int(own[0])
            return inner.add(start(inner, steps), sums(inner, steps))

        return build.comprehension([size], value)

    def _since(
        self, build: Builder, sums: StepBuilder, first: SSAValue, each: SSAValue
    ) -> StepBuilder | None:
        """``r + e * (j - p - 1)``, if with some p before all resets that is ``x[0] + e * j``.

        For numbers; None for others.
        """
        known = [known_int(number) for number in (each, self._found.value, first)]
        if None in known or not known[0]:
            return None
        step, reset, start = (number or 0 for number in known)
        before, rest = divmod(reset - start - step, step)
        if rest or before > 0 or first.type != i64:
            return None
        last = self._values.last_steps(build, self._test, before)

        def since(inner: Builder, steps: SSAValue) -> SSAValue:
            place = inner.max(inner.get(last, [steps]), before)
            total = inner.sub(sums(inner, inner.as_int(steps)), sums(inner, place))
            return inner.add(total, inner.number(reset - step, first.type))

        return since

    def _last(
        self, build: Builder, sums: StepBuilder, first: SSAValue, each: SSAValue | None
    ) -> StepBuilder:
        """What the sum of some steps is added to: the difference at the last reset."""
        last = self._values.last_steps(build, self._test)
        offset = self._offset(sums, each)
        offsets = self._values.over_steps(build, offset) if each is None else None

        def start(inner: Builder, steps: SSAValue) -> SSAValue:
            step = inner.get(last, [steps])
            some = inner.compare(step, "sge", 0)
            value = offset(inner, step) if offsets is None else inner.get(offsets, [step])
            return inner.select(some, value, first)

        return start

    def _offset(self, sums: StepBuilder, each: SSAValue | None) -> StepBuilder:
        """``r[p] - s[p + 1]``"""

        def offset(inner: Builder, step: SSAValue) -> SSAValue:
            value = self._values.value(inner, self._found.value, step, self._known)
            if each is not None:
                return inner.sub(inner.sub(value, each), sums(inner, step))
            return inner.sub(value, sums(inner, inner.add(step, 1)))

        return offset

    def _least(self, build: Builder, sums: StepBuilder, first: SSAValue) -> StepBuilder | None:
        """The same as the least difference so far, if differences never rise; None if they may."""
        if first.type != i64 or not self._falls(first):
            return None
        offset = self._offset(sums, None)

        def offset_of_reset(inner: Builder, step: SSAValue) -> SSAValue:
            none = inner.integer(INTS.high)
            return inner.chosen([self._test(inner, step)], offset(inner, step), none)

        offsets = self._values.over_steps(build, offset_of_reset)
        least = build.scan("min", offsets)
        return lambda inner, steps: inner.min(first, inner.get(least, [steps]))

    def _falls(self, first: SSAValue) -> bool:
        """Whether ``r[p] - s[p + 1]`` never rises, from ``x[0]`` on, and nothing wraps.

        No summand e is negative, and ``r - e`` is at most r and x[0], of all steps.
        """
        (link, *others), value = self._found.links, self._found.value
        if others or link.is_difference:
            return False
        ints = Integers(PhiLevel())
        summand, start = ints.range(link.other), ints.range(first)
        distance, reset = ints.form(value) - ints.form(link.other), ints.range(value)
        if link.tests:
            summand, distance = summand | Range(0, 0), ints.form(value)
        most = ints.range_of(distance).high
        is_small = all(each.magnitude < 2**62 for each in (reset, start))
        is_between = summand.low >= 0 and summand.high * MOST < 2**62
        return is_small and is_between and most <= min(reset.low, start.low)

    def _with_weights(self, build: Builder, first: SSAValue, size: SSAValue) -> SSAValue:
        """``y[j] = where(t, y[j - 1], 0) + where(t, e, r)``"""

        def element(inner: Builder, step: SSAValue) -> SSAValue:
            value = self._values.value(inner, self._found.value, step, self._known)
            return inner.chosen([self._test(inner, step)], value, self._summand(inner, step))

        def goes_on(inner: Builder, step: SSAValue) -> SSAValue:
            false, true = inner.truth(False), inner.truth(True)
            return inner.chosen([self._test(inner, step)], false, true)

        over_steps = self._values.over_steps
        elements = after_first(build, first, over_steps(build, element), size)
        weights = after_first(build, build.truth(True), over_steps(build, goes_on), size)
        return build.emit(phi.WeightedScanOp(self._found.kind, elements, weights))

    def _repeated(self, build: Builder) -> SSAValue | None:
        """The summand that all steps have; None if they vary."""
        varying = dependents(self._op.body.block, self._op.counter)
        parts = (part for link in self._found.links for part in link.parts)
        return self._summand(build, build.integer(0)) if varying.isdisjoint(parts) else None

    def _sums(self, build: Builder, each: SSAValue | None) -> StepBuilder:
        """The sums of the summands of steps: multiples of the only one, else a scan."""
        if each is not None:
            return lambda inner, steps: inner.mul(inner.number_as(steps, each.type), each)
        summands = self._values.over_steps(build, self._summand)
        sums = build.scan("add", summands)
        return lambda inner, steps: inner.get(sums, [steps])

    def _test(self, build: Builder, step: SSAValue) -> Test:
        known = {**self._known, self._op.counter: step}
        (test,) = self._values.tests(build, [self._found.test], known)
        return test
