"""Sums, minima, .. that a condition sets to another value, as scans."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.loops.combinations import Reset
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import chosen, comprehension, number_as
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import StepBuilder, StepValues, after_first


class ResetScan:
    """The values of ``x' = where(t, x + e, r)`` after each number of steps.

    With ``s[j]`` the sum of the summands of the first j steps, and ``p`` the last step with a reset
    among them::

        x[j] = r[p] + s[j] - s[p + 1]          if there is one
             = x[0] + s[j]                     otherwise

    Sums of Ints are exact modulo 2^64, in any order. The difference of two sums of floats would
    cancel: these, and other combinations, are a scan in which resets end the prefix.
    """

    def __init__(
        self,
        op: phi.FoldOp,
        reset: Reset,
        values: StepValues,
        known: Mapping[SSAValue, SSAValue],
    ):
        self._op = op
        self._reset = reset
        self._values = values
        self._known = known

    def build(self, build: Builder, first: SSAValue) -> SSAValue:
        """The array of the values after 0, 1, .. steps."""
        if not self._reset.is_invertible:
            return self._with_weights(build, first)
        sums, last = self._sums(build), self._values.last_steps(build, self._test)
        size = build.add(self._op.count, 1)

        def value(inner: Builder, own: SSAValue) -> SSAValue:
            total = sums(inner, inner.as_int(own))
            step = inner.get(last, [own])
            some = inner.compare(step, "sge", 0)
            before = sums(inner, inner.add(step, 1))
            start = self._values.value(inner, self._reset.value, step, self._known)
            restarted = inner.add(start, inner.sub(total, before))
            return inner.select(some, restarted, inner.add(first, total))

        return comprehension(build, [size], lambda inner, own: value(inner, own[0]))

    def _with_weights(self, build: Builder, first: SSAValue) -> SSAValue:
        """``y[j] = where(t, y[j - 1], 0) + where(t, e, r)``"""

        def element(inner: Builder, step: SSAValue) -> SSAValue:
            value = self._values.value(inner, self._reset.value, step, self._known)
            return chosen(inner, [self._test(inner, step)], value, self._summand(inner, step))

        def goes_on(inner: Builder, step: SSAValue) -> SSAValue:
            false, true = inner.truth(False), inner.truth(True)
            return chosen(inner, [self._test(inner, step)], false, true)

        size, over_steps = build.add(self._op.count, 1), self._values.over_steps
        elements = after_first(build, first, over_steps(build, element), size)
        weights = after_first(build, build.truth(True), over_steps(build, goes_on), size)
        return build.emit(phi.WeightedScanOp(self._reset.kind, elements, weights))

    def _sums(self, build: Builder) -> StepBuilder:
        """The sums of the summands of steps: multiples of a loop-invariant one, else a scan."""
        block, counter = self._op.body.block, self._op.counter
        if dependents(block, counter).isdisjoint(
            part for link in self._reset.links for part in link.parts
        ):
            each = self._summand(build, build.integer(0))
            return lambda inner, steps: inner.mul(number_as(inner, steps, each.type), each)
        summands = self._values.over_steps(build, self._summand)
        sums = build.emit(phi.ScanOp("add", summands))
        return lambda inner, steps: inner.get(sums, [steps])

    def _summand(self, build: Builder, step: SSAValue) -> SSAValue:
        """The sum of the links of a step."""
        known = {**self._known, self._op.counter: step}
        return self._values.terms(build, self._reset.links, known).total()

    def _test(self, build: Builder, step: SSAValue) -> Test:
        known = {**self._known, self._op.counter: step}
        (test,) = self._values.tests(build, [self._reset.test], known)
        return test
