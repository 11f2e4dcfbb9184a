"""The values of a field of a fold after each number of steps, before the fold."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, i1, i64
from xdsl.ir import SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.loops.carried import Field, Improved, Taken
from ein_mlir.analysis.phi.loops.combinations import Combined, Modular, Reset, Weighted
from ein_mlir.analysis.phi.loops.first_taken import First, only_step_of
from ein_mlir.analysis.phi.searches import SelectedSearch
from ein_mlir.analysis.phi.selections import Test, is_zero
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.selected_searches import Candidates, values_after_first
from ein_mlir.rewriting.phi.step_values import Known, StepBuilder, StepValues, running_total
from ein_mlir.rewriting.phi.weighted_scans import ModularScan, WeightedScan, weighted_values


class Running:
    """The construction of the values of a field after each number of steps."""

    def __init__(self, op: phi.FoldOp, field: Field, init: SSAValue, build: Builder):
        self._op = op
        self._field = field
        self._init = init
        self._build = build
        self._values = StepValues(op)
        self.first: SSAValue | None = None
        """The first step that takes a value, where there is one; else the number of steps."""

    def final(self) -> SSAValue:
        """The value after all steps, of a field that no other reads."""
        build, found = self._build, self._field.carried
        if isinstance(found, Weighted):
            return WeightedScan(self._op, found, self._values, {}).final(build, self._init)
        if isinstance(found, Modular):
            return ModularScan(self._op, found, self._values, {}).final(build, self._init)
        if isinstance(found, First) and (value := self._literal(found)) is not None:
            if is_zero(value) and value.type == i1 and known_int(self._init):
                return self._over_steps(found, holds=False)
            return build.select(self._over_steps(found, holds=True), value, self._init)
        if not isinstance(found, Taken):
            return self.values()(build, self._op.count)
        step = self._only_step(found)
        if step is None:
            step = self._values.last_step(
                build, lambda inner, k: Test(self._is_taken(inner, found, k), True)
            )
        some = build.compare(step, "sge", 0)
        return build.select(some, self._choice(build, found, step), self._init)

    def _literal(self, found: First) -> SSAValue | None:
        """The value that the first step takes, if it is a literal."""
        if not isinstance(found.value, SSAValue):
            return self._build.constant(found.value)
        literal = ConstantLike.get_constant_value(found.value)
        if isa(literal, FloatAttr) or isa(literal, IntegerAttr):
            return self._build.constant(literal)
        return None

    def _over_steps(self, found: First, *, holds: bool) -> SSAValue:
        """Whether the tests of a value hold in any step, or hold in none."""
        build, op = self._build, self._op

        def truth(inner: Builder, step: SSAValue) -> SSAValue:
            tests = self._values.tests(inner, found.tests, {op.counter: step})
            return inner.chosen(tests, inner.truth(holds), inner.truth(not holds))

        each = self._values.over_steps(build, truth)
        combine = arith.OrIOp if holds else arith.AndIOp
        return build.reduce(each, build.truth(not holds), combine)

    def _only_step(self, found: Taken) -> SSAValue | None:
        """The step that takes a value, or -1, if a test holds in one step only."""
        build, (tests, _), *others = self._build, *found.values
        step = None if others else only_step_of(tests, self._op)
        if step is None:
            return None
        is_step = build.compare(step, "ult", self._op.count)
        step = build.select(is_step, step, -1)
        return build.select(self._is_taken(build, found, step), step, -1)

    def values(self) -> StepBuilder:
        """Build the values."""
        match self._field.carried:
            case Taken() as found:
                return self._taken(
                    lambda inner, step: self._is_taken(inner, found, step),
                    lambda inner, step: self._choice(inner, found, step),
                )
            case Improved() as found:
                return self._improved(found)
            case First() as found:
                return self._first(found)
            case found:
                return self._combined(found)

    def _first(self, found: First) -> StepBuilder:
        """The value of the first step that takes one from the next step on."""
        build, op = self._build, self._op

        def number(inner: Builder, step: SSAValue) -> SSAValue:
            tests = self._values.tests(inner, found.tests, {op.counter: step})
            return inner.chosen(tests, step, op.count)

        numbers = self._values.over_steps(build, number)
        first = self.first = build.reduce(numbers, op.count, arith.MinSIOp)
        return values_after_first(build, op, found, self._init, first)

    def _combined(self, found: Combined) -> StepBuilder:
        """The value as a scan, perhaps with weights, or as a multiple of the number of steps."""
        if isinstance(found, Weighted | Modular | Reset):
            size = self._build.add(self._op.count, 1)
            values = weighted_values(self._op, found, self._values, {}).build(
                self._build, self._init, size
            )
            return lambda inner, steps: inner.get(values, [steps])

        def term(inner: Builder, step: SSAValue) -> SSAValue:
            return self._values.terms(inner, found.links, {self._op.counter: step}).total()

        is_int = found.kind == "add" and self._init.type == i64
        if is_int and not any(is_within(part, self._op) for part in found.parts):
            by = term(self._build, self._op.count)
            return lambda inner, steps: inner.add(self._init, inner.mul(by, steps))
        return self._scanned(found.kind, self._values.over_steps(self._build, term))

    def _scanned(self, kind: str, elements: SSAValue) -> StepBuilder:
        """The initial value combined with all elements of the steps before."""
        size = self._build.add(self._op.count, 1)
        return running_total(self._build, kind, self._init, elements, size)

    def _taken(self, is_taken: StepBuilder, value: StepBuilder) -> StepBuilder:
        """The value of the last step that takes one, or the initial one."""
        last = self._last(is_taken)
        size = self._build.add(self._op.count, 1)

        def at(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            step = last(inner, own[0])
            some = inner.compare(step, "sge", 0)
            return inner.select(some, value(inner, step), self._init)

        values = self._build.comprehension([size], at)
        return lambda inner, steps: inner.get(values, [steps])

    def _last(self, is_taken: StepBuilder) -> StepBuilder:
        """The last step that takes a value after a number of steps, or -1."""
        match self._field.carried:
            case Taken(values=[((), _)]):
                return lambda inner, steps: inner.sub(inner.as_int(steps), 1)
            case _:
                last = self._values.last_steps(
                    self._build, lambda inner, step: Test(is_taken(inner, step), True)
                )
                return lambda inner, steps: inner.get(last, [steps])

    def _is_taken(self, build: Builder, found: Taken, step: SSAValue) -> SSAValue:
        """Whether a step takes one of the values."""
        known: Known = {self._op.counter: step}
        true, taken = build.truth(True), build.truth(False)
        for tests, _ in found.values:
            taken = build.chosen(self._values.tests(build, tests, known), true, taken)
        return taken

    def _choice(self, build: Builder, found: Taken, step: SSAValue) -> SSAValue:
        """The value that a step takes, if it takes one."""
        (_, first), *others = found.values
        known: Known = {self._op.counter: step}
        (value,) = self._values.computed(build, [first], known)
        for tests, other in others:
            (new,) = self._values.computed(build, [other], known)
            value = build.chosen(self._values.tests(build, tests, known), new, value)
        return value

    def _improved(self, found: Improved) -> StepBuilder:
        """The last element that is better than all before it.

        The best ones are a scan; for Floats they are read again, since a minimum of zeros is
        either.
        """
        search = found.search
        (element,) = search.candidates
        guards = [Test(guard, True) for guard in search.guards]
        selected = SelectedSearch(search.predicate, element, 0, [element], guards)
        candidates = Candidates(self._op, selected, guards)
        elements = self._values.over_steps(self._build, candidates.element)
        best = self._scanned(candidates.kind, elements)
        if not isa(self._init.type, AnyFloat):
            return best

        def is_better(inner: Builder, step: SSAValue) -> SSAValue:
            known: Known = {self._op.counter: step}
            value, *tests = self._values.computed(inner, [element, *search.guards], known)
            better = candidates.is_better(inner, value, best(inner, step))
            for test in tests:
                better = inner.and_(better, test)
            return better

        return self._taken(is_better, lambda inner, k: self._values.value(inner, element, k))
