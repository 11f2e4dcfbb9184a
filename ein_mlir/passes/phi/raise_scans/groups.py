"""Folds over the steps of one key before another step, or from it on: scans within groups."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.phi.bounds import Bound
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.phi.strided_positions import size_of_variable
from ein_mlir.analysis.scopes import inputs_of, reached
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import Algebra, algebra_of
from ein_mlir.dialects.reductions import unweighable
from ein_mlir.passes.phi.raise_scans.comparisons import (
    Comparison,
    Selection,
    parts_besides,
    tests_besides,
)
from ein_mlir.passes.phi.raise_scans.parts import multiple
from ein_mlir.passes.phi.raise_scans.selection import position_of, repeated_value
from ein_mlir.passes.phi.raise_scans.sorted_steps import (
    Facts,
    index_of_tie,
    inverted,
    keys_of_steps,
    position_by_halves,
    skip_few,
)
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import copies_of
from ein_mlir.rewriting.phi.step_values import Known, StepBuilder, StepValues


def total_of_group(
    build: Builder, op: phi.FoldOp, step: Step, selection: Selection, facts: Facts
) -> SSAValue | None:
    """``fold { where((x[k] == y) & (k < p), a + e[k], a) }
    -->  where(x[order[q - 1]] == y, totals[q - 1], 0)``

    where q is the number of steps before the bound in the stable order of keys, and ``totals`` are
    those of the runs of equal keys in this order, up to each step. The order is reversed for the
    steps from a bound on. None for other tests.
    """
    equation, algebra = selection.equation, algebra_of(step.combine.name)
    if equation is None or equation.tie is None or algebra is None:
        return None
    if unweighable(algebra.kind, op.result.type, i1) is not None:
        return None
    parts, limits = parts_besides(op, step, selection), selection.parts
    if not facts.may_store(op, limits, parts):
        return None
    skip_few(op, selection.found, parts, facts)
    others = tests_besides(op, step, selection)
    return _Group(build, op, step, equation, equation.tie, others, facts.forms).total(algebra)


def _places(
    op: phi.FoldOp, equation: Comparison, forms: IndexForms
) -> tuple[SSAValue, tuple[BlockArgument, int] | None]:
    """The number of steps, and the index whose step has the limit as its key, as that of a tie.

    The step of the last index may be one more, whose key is then computed, too.
    """
    own = index_of_tie(op, equation, forms)
    if own is not None:
        return op.count, own
    own = index_of_tie(op, equation, forms, one_more=True)
    size = op.count if own is None else size_of_variable(own[0])
    return (size, own) if _errors(op.count) <= _errors(size) else (op.count, None)


def _errors(value: SSAValue) -> set[Operation]:
    """The operations that a value depends on and that may raise an error."""
    owners = (each.owner for each in reached([value], inputs_of))
    return {each for each in owners if isinstance(each, Operation) and any_may_fail(each)}


class _Group:
    """The construction of the total of the steps of one key up to a bound."""

    def __init__(
        self,
        build: Builder,
        op: phi.FoldOp,
        step: Step,
        equation: Comparison,
        bound: Bound,
        others: Sequence[Test],
        forms: IndexForms,
    ):
        self._build = build
        self._op = op
        self._step = step
        self._equation = equation
        self._bound = bound
        self._others = others
        self._forms = forms
        self._values = StepValues(op)
        self._number, self._own = _places(op, equation, forms)
        keys = keys_of_steps(build, op, equation.key, is_reversed=False, count=self._number)
        self._sorted = build.emit(phi.ArgsortOp(keys))
        self._sorted_keys = self._over_places(
            lambda inner, k: inner.get(keys, [inner.get(self._sorted, [k])])
        )
        self._order = self._directed(self._sorted)
        self._keys = self._directed(self._sorted_keys)

    def total(self, algebra: Algebra) -> SSAValue:
        """The total at the bound: for one at a step of the fold, read from those at all steps."""
        build, op, own = self._build, self._op, self._own
        last, total = self._last(algebra), self._totals(algebra)
        if own is None:
            (limit,) = build.copied(op.body.block, [self._equation.limit], {})
            return self._selected(build, last(build, self._before(limit)), limit, total)
        index, distance = own
        behind = 1 - distance if self._bound.suffix else distance

        def own_total(inner: Builder, place: SSAValue) -> SSAValue:
            limit, before = inner.get(self._keys, [place]), inner.add(place, behind)
            return self._selected(inner, last(inner, before), limit, total)

        totals = self._over_places(own_total)
        places = inverted(build, op, self._order, self._number)
        return build.get(totals, [build.get(places, [index])])

    def _directed(self, array: SSAValue) -> SSAValue:
        """An array of the places in increasing order, in reverse for the steps from a bound on."""
        if not self._bound.suffix:
            return array
        return self._over_places(
            lambda inner, k: inner.get(array, [inner.sub(inner.sub(self._number, k), 1)])
        )

    def _over_places(self, element: StepBuilder) -> SSAValue:
        return self._values.over_steps(self._build, element, self._number)

    def _before(self, limit: SSAValue) -> SSAValue:
        """The number of places before the bound."""
        build, op, bound = self._build, self._op, self._bound
        step = position_of(build, op.count, bound, copies_of(build, op, bound.parts))
        place = position_by_halves(build, self._sorted_keys, self._sorted, limit, step)
        return build.sub(self._number, place) if bound.suffix else place

    def _selected(
        self, build: Builder, last: SSAValue, limit: SSAValue, total: StepBuilder
    ) -> SSAValue:
        """The total at a place, if there is one, and its key is the limit."""
        is_some = build.compare(last, "sge", 0)
        is_own = build.compare(build.get(self._keys, [last]), "==", limit)
        tests = [Test(is_some, True), Test(is_own, True)]
        return build.chosen(tests, total(build, last), self._step.neutral)

    def _last(self, algebra: Algebra) -> StepBuilder:
        """The last place before a place that the total depends on."""
        if not self._others or not self._is_last_step(algebra):
            return lambda inner, before: inner.sub(before, 1)

        def place(inner: Builder, k: SSAValue) -> SSAValue:
            tests = self._values.tests(inner, self._others, {self._op.counter: self._at(inner, k)})
            return inner.chosen(tests, k, -1)

        lasts = self._build.scan("max", self._over_places(place))
        return lambda inner, before: inner.get(lasts, [before])

    def _totals(self, algebra: Algebra) -> StepBuilder:
        """The total of the group of a place up to it, by the least work that the laws allow."""
        if self._is_last_step(algebra):
            return lambda inner, last: self._element(inner, last, ())
        if algebra.kind == "add" and algebra.is_invertible:
            return self._differences()
        elements = self._over_places(lambda inner, k: self._element(inner, k, self._others))
        totals = self._build.emit(phi.WeightedScanOp(algebra.kind, elements, self._goes_on()))
        return lambda inner, last: inner.get(totals, [last])

    def _is_last_step(self, algebra: Algebra) -> bool:
        """Whether the total is the value of the last step: the largest, or one of equal ones."""
        value = self._step.value
        if algebra.idempotent and repeated_value(self._op, self._step) is not None:
            return True
        if not isinstance(value, SSAValue) or algebra.kind not in ("min", "max"):
            return False
        form = self._forms.form(value)
        factor = form.coefficients.get(self._op.counter, 0)
        increases = (factor > 0) != self._bound.suffix
        is_of_counter = list(form.coefficients) == [self._op.counter]
        return is_of_counter and self._forms.is_exact(form) and increases == (algebra.kind == "max")

    def _differences(self) -> StepBuilder:
        """The sum of all places up to one, without those before its group."""
        build, value = self._build, repeated_value(self._op, self._step)
        goes_on = self._goes_on()

        def first(inner: Builder, k: SSAValue) -> SSAValue:
            return inner.select(inner.get(goes_on, [k]), 0, k)

        firsts = build.scan("max", self._over_places(first))
        if value is not None and not self._others:

            def number(inner: Builder, last: SSAValue) -> SSAValue:
                behind = inner.add(last, 1)
                length = inner.sub(behind, inner.get(firsts, [behind]))
                return multiple(inner, self._op, length, value)

            return number
        elements = self._over_places(lambda inner, k: self._element(inner, k, self._others))
        sums = build.scan("add", elements)

        def difference(inner: Builder, last: SSAValue) -> SSAValue:
            behind = inner.add(last, 1)
            start = inner.get(firsts, [behind])
            return inner.sub(inner.get(sums, [behind]), inner.get(sums, [start]))

        return difference

    def _goes_on(self) -> SSAValue:
        """Whether each place has the key of the one before it."""

        def is_equal(inner: Builder, k: SSAValue) -> SSAValue:
            own, before = (inner.get(self._keys, [at]) for at in (k, inner.sub(k, 1)))
            return inner.and_(inner.compare(k, "sgt", 0), inner.compare(before, "==", own))

        return self._over_places(is_equal)

    def _element(self, build: Builder, place: SSAValue, tests: Sequence[Test]) -> SSAValue:
        """The value of the step at a place; the identity if tests fail."""
        known: Known = {self._op.counter: self._at(build, place)}
        tests = self._values.tests(build, tests, known)
        return self._values.selected(build, self._step, tests, known)

    def _at(self, build: Builder, place: SSAValue) -> SSAValue:
        """The step at a place."""
        return build.get(self._order, [place])
