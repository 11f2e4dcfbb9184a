"""Searches among selected elements, for all indices of the selection at once.

And folds that keep the value of the first, or the last, step in which tests hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i64
from xdsl.ir import BlockArgument, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import INTS
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.carried import Field
from ein_mlir.analysis.phi.loops.first_taken import First, first_taken
from ein_mlir.analysis.phi.searches import SelectedSearch, best_of_two
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.speculation import any_may_fail, body_may_fail
from ein_mlir.analysis.predicates import NEGATED
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.reductions import SEARCHES, kind_of, worst
from ein_mlir.rewriting.phi.builders import folded
from ein_mlir.rewriting.phi.fields import replace_fields
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Raising, Replacement, insert_before
from ein_mlir.rewriting.phi.step_values import StepBuilder, StepValues

LARGEST = 2**63 - 1
"""The position of no element."""

_FALSE, _TRUE = map(IntegerAttr.from_bool, (False, True))


class Candidates:
    """The elements of a search that some tests select, and the result for a found position."""

    def __init__(self, op: phi.FoldOp, found: SelectedSearch, tests: Sequence[Test]):
        self._op = op
        self._found = found
        self._tests = tests
        self.steps = StepValues(op)
        start = worst(found.predicate, found.element.type)
        assert start is not None
        self.worst = start

    @property
    def are_steps(self) -> bool:
        """Whether the best element is its own position."""
        return self._found.best is None

    @property
    def kind(self) -> str:
        """The kind of the reduction to the best element."""
        names = SEARCHES[self._found.predicate]
        return kind_of(next(op for op in names if identity(op, self.worst.type)))

    def element(self, build: Builder, step: SSAValue) -> SSAValue:
        """The element of a step, or the worst one if it is NaN or not selected."""
        known: dict[SSAValue, SSAValue] = {self._op.counter: step}
        (value,) = self.steps.computed(build, [self._found.element], known)
        tests = self.steps.tests(build, self._tests, known)
        if isa(self.worst, FloatAttr):
            is_number = build.compare(value, "ord", value)
            tests.append(Test(is_number, True))
        if not tests:
            return value
        return build.chosen(tests, value, build.constant(self.worst))

    def is_better(self, build: Builder, element: SSAValue, than: SSAValue) -> SSAValue:
        """Whether an element is better than another."""
        return build.compare(element, self._found.predicate, than)

    def is_equal(self, build: Builder, element: SSAValue, other: SSAValue) -> SSAValue:
        """Whether two elements are equal."""
        if isa(self.worst, FloatAttr):
            return build.compare(element, "oeq", other)
        return build.compare(element, "eq", other)

    def result(self, build: Builder, position: SSAValue, best: SSAValue) -> SSAValue:
        """The values at a position, if the best element is better than the initial one.

        Any step is better than none.
        """
        found = self._found
        starts = build.leaves(self._op.init)
        start = build.integer(-1) if found.best is None else starts[found.best]
        better = self.is_better(build, best, start)
        leaves = list[SSAValue]()
        for number, (candidate, start) in enumerate(zip(found.candidates, starts, strict=True)):
            wanted = found.element if number == found.best else candidate
            value = self.steps.value(build, wanted, position)
            leaves.append(build.select(better, value, start))
        return build.record(self._op.init.type, leaves)


def first_of_segments(
    build: Builder,
    candidates: Candidates,
    keys: Callable[[Builder, SSAValue], Sequence[SSAValue]],
    indices: Sequence[BlockArgument],
) -> SSAValue:
    """The result of a search in the segment of each index, given the keys of a step.

    The best element of each segment is a reduction, and so is the first position that has it.
    """
    steps, sizes = candidates.steps, [phi.size_of_index(index) for index in indices]
    elements = steps.over_steps(build, candidates.element)

    def own(inner: Builder, step: SSAValue) -> tuple[Sequence[SSAValue], SSAValue]:
        return keys(inner, step), inner.get(elements, [step])

    best = steps.accumulated(build, candidates.kind, sizes, own)
    if candidates.are_steps:
        last = build.get(best, indices)
        return candidates.result(build, last, last)

    def place(inner: Builder, step: SSAValue) -> tuple[Sequence[SSAValue], SSAValue]:
        at, element = own(inner, step)
        most = inner.get(best, at)
        is_best = candidates.is_equal(inner, element, most)
        return at, inner.select(is_best, step, LARGEST)

    first = steps.accumulated(build, "min", sizes, place)
    position = build.get(first, indices)
    return candidates.result(build, position, build.get(best, indices))


def first_of_range(
    build: Builder, candidates: Candidates, bound: SSAValue, *, suffix: bool
) -> SSAValue:
    """The result of a search in the elements before a position, or from it on.

    It is the last position before it with an element that is better than all earlier ones, or the
    first one from it on that has the best of all following elements.
    """
    elements = candidates.steps.over_steps(build, candidates.element)
    best = build.scan(candidates.kind, elements, suffixes=suffix)
    if candidates.are_steps:
        last = build.get(best, [bound])
        return candidates.result(build, last, last)

    def is_found(inner: Builder, step: SSAValue) -> Test:
        compare = candidates.is_equal if suffix else candidates.is_better
        own, other = (inner.get(array, [step]) for array in (elements, best))
        return Test(compare(inner, own, other), True)

    steps = candidates.steps
    found = (steps.next_steps if suffix else steps.last_steps)(build, is_found)
    position = build.get(found, [bound])
    return candidates.result(build, position, build.get(best, [bound]))


def take_last(
    op: phi.FoldOp, found: SelectedSearch, raising: Raising, *, differentiable: bool
) -> bool:
    """``fold (acc = x) { where(t, e, acc) }  -->  where(k >= 0, e[k], x)``

    where ``k = fold_max(where(t, k, -1))``, if ``raising`` replaces that; whether it does. If the
    program is differentiable, a value whose derivative may be infinite needs its guard.
    """
    may_fail = found.best is not None or any_may_fail(op)
    if may_fail or (differentiable and any(map(is_singular, operations_in(op)))):
        return False
    none = arith.ConstantOp(IntegerAttr(-1, i64))
    position = raising.value(op, _extreme_step(op, found.tests, none, arith.MaxSIOp))
    if position is None:
        return False
    build = Replacement(op)
    result = Candidates(op, found, ()).result(build, position, position)
    build.finish(result, raising.free)
    return True


def _extreme_step(
    op: phi.FoldOp,
    tests: Sequence[Test],
    none: arith.ConstantOp,
    extreme: type[arith.MinSIOp | arith.MaxSIOp] = arith.MinSIOp,
) -> phi.FoldOp:
    """The fold to the first counter for which tests hold, or with a maximum to the last one."""

    def step(build: Builder, counter: SSAValue, found: SSAValue) -> SSAValue:
        copies = build.copied_tests(op.body.block, tests, {op.counter: counter})
        return build.chosen(copies, build.emit(extreme(counter, found)), found)

    return folded(op, none, step)


def take_first_of_two(op: phi.FoldOp, found: SelectedSearch, raising: Raising) -> bool:
    """``argmax (k < n) { where(t[k], 1, 0) }  -->  where(r < n, r, 0)``

    where ``r = fold_min(where(t, k, n))``, if ``raising`` replaces that; whether it does.
    """
    test = None if found.tests or found.best is None else best_of_two(found)
    if test is None or any_may_fail(op):
        return False
    tests, none = list(conjuncts(test)), arith.ConstantOp(IntegerAttr(INTS.high, i64))
    first = raising.value(op, _extreme_step(op, tests, none))
    if first is None:
        return False
    build, candidates = Replacement(op), Candidates(op, found, ())
    is_found = build.compare(first, "slt", INTS.high)
    step = build.select(is_found, first, build.integer(0))
    best = StepValues(op).value(build, found.element, step)
    has_steps = Test(build.compare(op.count, "sgt", 0), True)
    best = build.chosen([has_steps], best, build.constant(candidates.worst))
    build.finish(candidates.result(build, step, best), raising.free)
    return True


def search_of_first(op: phi.FoldOp, forms: IndexForms) -> phi.FoldOp:
    """``fold (k, s = -1) { where(t & (s < 0), e, s) }  -->  where(r < 2^63 - 1, e[k := r], -1)``

    with ``r = fold (k, m = 2^63 - 1) { where(t, min(k, m), m) }``, where no ``e`` is negative.
    The new fold; the old one if it is of another kind.
    """
    found = first_taken(op, op.init, op.yielded(), [op.accumulator], forms)
    if found is None or not isinstance(value := found.value, SSAValue) or body_may_fail(op):
        return op
    none = arith.ConstantOp(IntegerAttr(INTS.high, i64))
    search = _extreme_step(op, found.tests, none)
    insert_before(op, [none, search], forms.free)
    after = Replacement(op)
    is_found = after.compare(search.result, "slt", INTS.high)
    kept = StepValues(op).value(after, value, search.result)
    result = after.select(is_found, kept, op.init)
    after.finish(result, forms.free)
    return search


def take_first(op: phi.FoldOp, field: Field, raising: Raising) -> tuple[bool, phi.FoldOp | None]:
    """``fold ((s, x) = (a, ..)) { (where(t & (s == a), e, s), f(s, x)) }
    -->  fold (x = ..) { f(where(r < k, e[k := r], a), x) }``, with the first step r where t holds.

    If ``raising`` replaces the search for that. Whether it does, and the fold of other fields.
    """
    found = field.carried
    assert isinstance(found, First)
    none = arith.ConstantOp(IntegerAttr(INTS.high, i64))
    first = raising.value(op, _extreme_step(op, found.tests, none))
    if first is None:
        return False, None
    build = Builder.before(op, raising.free.add)
    inits = build.leaves(op.init)
    first = build.max(build.min(first, op.count), 0)  # in a range, so that sums are exact
    values = values_after_first(build, op, found, inits[field.number], first)
    final = values(build, op.count)
    compare_with_first(Builder.at_start(op.body.block), op.counter, field, first)
    read_values(op, field, values)
    return True, replace_fields(op, inits, {field.number: final}, raising.free)


def values_after_first(
    build: Builder, op: phi.FoldOp, found: First, init: SSAValue, first: SSAValue
) -> StepBuilder:
    """The value of a field after each number of steps, given the first step that takes one."""
    if isinstance(found.value, SSAValue):
        value = StepValues(op).value(build, found.value, first)
    else:
        value = build.constant(found.value)
    before, behind = map(ConstantLike.get_constant_value, (init, value))
    if (before, behind) in ((_FALSE, _TRUE), (_TRUE, _FALSE)):
        predicate = "slt" if behind == _TRUE else "sge"
        return lambda inner, steps: inner.compare(first, predicate, steps)
    return lambda inner, steps: inner.select(inner.compare(first, "slt", steps), value, init)


def compare_with_first(build: Builder, step: SSAValue, field: Field, first: SSAValue) -> None:
    """Let a step compare its number with the first step, instead of the values before."""
    found = field.carried
    assert isinstance(found, First)
    for test, predicate in [(found.choice, "eq"), *((each, "sle") for each in found.before)]:
        if test is not None and test.condition not in field.previous:
            predicate = predicate if test.expected else NEGATED[predicate]
            test.condition.replace_all_uses_with(build.compare(step, predicate, first))


def read_values(op: phi.FoldOp, field: Field, values: StepBuilder) -> None:
    """Read the known values of a field in the steps of the other fields."""
    inner = Builder.at_start(op.body.block)
    before = values(inner, op.counter)
    after = values(inner, inner.add(op.counter, 1))
    is_computed = field.step not in field.carried.parts
    for value in field.previous:
        value.replace_all_uses_with(before)
    if is_computed:
        field.step.replace_all_uses_with(after)
