"""``raise-scans``: sums over the prefix or the suffix of each index become one running sum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import INTS, LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.bounds import Bound, bound_of, bounds_of, exception_of
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.searches import selected_search
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.phi.variables import variables_around
from ein_mlir.analysis.scopes import dependents, is_within, operations_in, outermost_without
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of
from ein_mlir.dialects.phi.integers import is_nonnegative, range_of
from ein_mlir.dialects.reductions import SCAN_KINDS, kind_of
from ein_mlir.rewriting.phi.builders import copied, integer, linear_value, number_as, same_operation
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.ranges import assume, start_at
from ein_mlir.rewriting.phi.replacement import replace_by_block
from ein_mlir.rewriting.phi.selected_searches import Candidates, first_of_prefix
from ein_mlir.rewriting.phi.sentinels import replace_by_selected
from ein_mlir.rewriting.phi.step_values import Known, StepValues, with_start

# Recognition ----------------------------------------------------------------------------------


MOST_PLACES = 64
"""The largest size of a window that is summed element by element."""


def split(
    op: phi.FoldOp,
    tests: Sequence[Test],
    values: Sequence[SSAValue],
    free: FreeIndices,
    find: Callable[[Test], Bound | None],
) -> tuple[Bound, list[Test]] | None:
    """The bound by a variable that no value and no other test varies with, and the other tests.

    It is the same in all steps. The variable is an index, or one of a loop around the fold: a scan
    of values that do not vary with the loop is before it.
    """
    block = op.body.block
    varying = dependents(block, op.counter) | dependents(block, op.accumulator)
    for test in tests:
        bound = find(test)
        if bound is None or not varying.isdisjoint(bound.parts):
            continue
        others = [other for other in tests if other is not test]
        parts = [*values, *(other.condition for other in others)]
        taken = {index for part in parts for index in free.of(part)}
        indices = bound.free(free)
        if indices.isdisjoint(taken) if indices else _serves_a_loop(op, bound, parts):
            return bound, others
    return None


def _serves_a_loop(op: phi.FoldOp, bound: Bound, parts: Sequence[SSAValue]) -> bool:
    """Whether a loop around a fold, whose variables the parts do not vary with, changes a bound."""
    loops = [v.block.parent_op() for v in variables_around(op, bound.parts)]
    loops = [loop for loop in loops if isinstance(loop, phi.FoldOp | phi.WhileOp)]
    if not loops:
        return False
    place = outermost_without(op, variables_around(op, [op.count, *parts]))
    return any(map(place.is_ancestor, loops))


@dataclass(frozen=True)
class Window:
    """``first <= k < first + size``"""

    first: LinearForm
    size: int
    bounds: tuple[Bound, Bound]


def window_of(op: phi.FoldOp, step: Step, forms: IndexForms) -> Window | None:
    """The window of constant size that tests of a step restrict the counter to."""
    found = [bound for test in step.tests for bound in bounds_of(op, test, forms)]
    for first in (bound for bound in found if bound.suffix):
        for last in (bound for bound in found if not bound.suffix):
            low, high = (bound.form(forms) for bound in (first, last))
            if low is None or high is None or any(is_within(a, op) for a in low.coefficients):
                continue
            size = forms.canonical(high - low).known()
            if size is not None and 0 < size <= MOST_PLACES and low.coefficients:
                return Window(low, size, (first, last))
    return None


def runs_all_steps(op: phi.FoldOp, bound: Bound, forms: IndexForms) -> bool:
    """Whether the prefix of some element has all steps: ``k <= i`` for as many indices as steps."""
    position = bound.form(forms)
    if position is None or bound.suffix:
        return False
    indices = [atom for atom in position.coefficients if isinstance(atom.type, IndexType)]
    if len(indices) != 1 or position.coefficients[indices[0]] != 1:
        return False
    size = forms.integer(phi.size_of_index(indices[0]))
    return forms.is_at_most(forms.integer(op.count), position.without(indices) + size - 1)


# Rewriting ------------------------------------------------------------------------------------


class ScanRaiser(FoldRaiser):
    """Raises the folds of a function."""

    def fold(self, op: phi.FoldOp) -> None:
        """Replace a fold over a window, or the prefixes or suffixes of an index."""
        if step_of(op) is None:
            self._search(op)
        elif not self._raise(op):
            replace_by_selected(op, self._raise, self._free)

    def _raise(self, op: phi.FoldOp) -> bool:
        """Narrow a fold to a window, or replace it by a scan, if its tests select the steps."""
        step = step_of(op)
        window = None if step is None else window_of(op, step, self._forms)
        if window is None or any(map(may_fail, operations_in(op))):
            return step is not None and self._scan(op, step)
        self._note(op, f"the fold over {name_of(op.counter)} is over windows of {window.size}")
        narrow(op, window)
        self._free.add(op)
        return True

    def _search(self, op: phi.FoldOp) -> None:
        """``fold (k < n) { where(k < p, better of best and e, best) }  -->  found[p]``"""
        found = selected_search(op)
        if found is None:
            return
        values = [found.element, *found.others]
        bounds = split(op, found.tests, values, self._free, partial(self._bound, op))
        if bounds is None or bounds[0].suffix:
            return
        bound, others = bounds
        parts = [*values, *(test.condition for test in others), *bound.parts]
        if not self._may_run_at_once(op, parts):
            return
        self._note(op, f"the fold over {name_of(op.counter)} is a search in all prefixes")
        scratch = Block()
        build = Builder(InsertPoint.at_end(scratch))
        position = _position(build, op, bound)
        result = first_of_prefix(build, Candidates(op, found, others), position)
        replace_by_block(op, scratch, result, self._free)

    def _scan(self, op: phi.FoldOp, step: Step) -> bool:
        """``fold (k < n, a = x) { where(k < p, a + e, a) }  -->  x + scan (array { e }) [p]``

        Positions clip, so a bound out of bounds selects no elements, or all of them.
        """
        kind = kind_of(step.combine.name)
        found = split(op, step.tests, step.parts(()), self._free, partial(self._bound, op))
        if kind not in SCAN_KINDS:
            return False
        if found is None:
            return self._others(op, step, kind)
        bound, others = found
        parts = [*step.parts(others), *bound.parts]
        if not self._may_run_at_once(op, parts, is_guarded=runs_all_steps(op, bound, self._forms)):
            return False
        if not others and kind == "add" and _is_one(step) and is_nonnegative(op.count):
            self._count(op, step, bound)
            return True
        which = "suffixes" if bound.suffix else "prefixes"
        self._note(op, f"the fold over {name_of(op.counter)} is a scan of all {which}")
        scratch = Block()
        build = Builder(InsertPoint.at_end(scratch))
        elements = self._elements(build, op, step, others)
        scanned = build.insert(phi.ScanOp(kind, elements, suffixes=bound.suffix)).result
        scanned.name_hint = op.result.name_hint
        total = build.insert(phi.GetOp(scanned, [_position(build, op, bound)])).result
        replace_by_block(op, scratch, with_start(build, op, step, total), self._free)
        return True

    def _others(self, op: phi.FoldOp, step: Step, kind: str) -> bool:
        """``fold (k < n, a = x) { where(k != p, a + e, a) }  -->  x + before[p] + after[p + 1]``

        Positions clip, so a position out of bounds leaves out no element.
        """
        algebra = algebra_of(step.combine.name)
        found = split(op, step.tests, step.parts(()), self._free, partial(self._exception, op))
        if algebra is None or not algebra.takes_any_order or found is None:
            return False
        exception, others = found
        if not self._may_run_at_once(op, [*step.parts(others), *exception.parts]):
            return False
        self._note(op, f"the fold over {name_of(op.counter)} is two scans, around one step")
        scratch = Block()
        build = Builder(InsertPoint.at_end(scratch))
        elements = self._elements(build, op, step, others)
        position = build.insert(arith.MinSIOp(_position(build, op, exception), op.count)).result
        after = build.insert(arith.AddiOp(position, integer(build, 1))).result
        parts = list[SSAValue]()
        for is_suffix, place in ((False, position), (True, after)):
            scanned = build.insert(phi.ScanOp(kind, elements, suffixes=is_suffix))
            parts.append(build.insert(phi.GetOp(scanned, [place])).result)
        total = build.insert(same_operation(step.combine, *parts)).results[0]
        replace_by_block(op, scratch, with_start(build, op, step, total), self._free)
        return True

    def _bound(self, op: phi.FoldOp, test: Test) -> Bound | None:
        return bound_of(op, test, self._forms)

    def _exception(self, op: phi.FoldOp, test: Test) -> Bound | None:
        """The position of the only step that fails a test."""
        position = exception_of(op, test, self._forms)
        return None if position is None else Bound(test, position, False, False)

    def _elements(
        self, build: Builder, op: phi.FoldOp, step: Step, others: Sequence[Test]
    ) -> SSAValue:
        """The array of the values that the steps combine, if the tests hold."""
        values = StepValues(op)

        def element(inner: Builder, k: SSAValue) -> SSAValue:
            known: Known = {op.counter: k}
            return values.selected(inner, step, values.tests(inner, others, known), known)

        return values.over_steps(build, element)

    def _count(self, op: phi.FoldOp, step: Step, bound: Bound) -> None:
        """``fold (k < n, a = x) { where(k < p, a + 1, a) }  -->  x + min(max(p, 0), n)``"""
        self._note(op, f"the fold over {name_of(op.counter)} is a number of steps")
        scratch = Block()
        build = Builder(InsertPoint.at_end(scratch))
        number, form = _position(build, op, bound), bound.form(self._forms)
        if form is None or not self._forms.is_nonnegative(form):
            number = build.insert(arith.MaxSIOp(number, integer(build, 0))).result
        if form is None or not self._forms.is_at_most(form, self._forms.integer(op.count)):
            number = build.insert(arith.MinSIOp(number, op.count)).result
        if bound.suffix:
            number = build.insert(arith.SubiOp(op.count, number)).result
        number = number_as(build, number, op.result.type)
        replace_by_block(op, scratch, with_start(build, op, step, number), self._free)


def narrow(op: phi.FoldOp, window: Window) -> None:
    """``fold (k < n) { where(p <= k < p + c, e, acc) }  -->  fold (d < c) { .. }``

    with ``p + d`` for k, if that is a step of the old fold.
    """
    block = op.body.block
    before, start = Builder(InsertPoint.before(op)), Builder(InsertPoint.at_start(block))
    count = op.count
    op.operands[0] = integer(before, window.size)
    place = start_at(start, op, linear_value(start, window.first))
    for bound in window.bounds:
        assume(start, bound)
    terminator = block.last_op
    assert terminator is not None
    end = Builder(InsertPoint.before(terminator))
    is_step = end.insert(arith.CmpiOp(place, count, "ult")).result
    step = end.insert(arith.SelectOp(is_step, op.yielded(), op.accumulator))
    terminator.operands[0] = step.result


def _is_one(step: Step) -> bool:
    """Whether a step combines the accumulator with a literal 1."""
    value = step.value
    literal = ConstantLike.get_constant_value(value) if isinstance(value, SSAValue) else value
    return (isa(literal, IntegerAttr) or isa(literal, FloatAttr)) and literal.value.data == 1


def _position(build: Builder, op: phi.FoldOp, bound: Bound) -> SSAValue:
    """The position of a bound, from copies of its parts."""
    copies = copied(build, op.body.block, bound.parts, {})
    if isinstance(bound.position, LinearForm):
        values = dict(zip(bound.parts, copies, strict=True))
        return linear_value(build, bound.position, lambda atom: values.get(atom, atom))
    (position,) = copies
    if bound.plus_one:
        if range_of(position).high == INTS.high:
            position = build.insert(arith.MinSIOp(position, op.count)).result
        position = build.insert(arith.AddiOp(position, integer(build, 1))).result
    return position


@dataclass(frozen=True)
class RaiseScansPass(FoldPass):
    """Turns folds that combine the elements before an index, or from it on, into scans.

    Before::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
            %i_1 = arith.index_cast %i : index to i64
            %before = arith.cmpi slt, %k, %i_1 : i64
            %x = phi.get %a[%k] : !phi.vec<f64>[i64]
            %y = arith.select %before, %x, %zero : f64
            %next = arith.addf %acc, %y : f64
            phi.yield %next : f64
          }
          phi.yield %s : f64
        }

    After::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          %i_1 = arith.index_cast %i : index to i64
          %0 = phi.array (%k < %n) -> !phi.vec<f64> {
            %k_1 = arith.index_cast %k : index to i64
            %x = phi.get %a[%k_1] : !phi.vec<f64>[i64]
            phi.yield %x : f64
          }
          %s = phi.scan "add" %0 : !phi.vec<f64>
          %s_1 = phi.get %s[%i_1] : !phi.vec<f64>[i64]
          phi.yield %s_1 : f64
        }

    That takes n steps instead of n times n. The bound may be any Int that varies with an index and
    not with the counter, on either side of ``<``, ``<=``, ``>`` or ``>=``; other tests stay with
    the value. Searches before an index, also for the last step in which a test holds, are scans,
    too. A fold stays a loop if the values would need more memory than the arrays that are
    read; the rule is in ``ein_mlir.analysis.phi.memory_cost``.

    A fold of all elements but one, ``k != i``, is a scan of the prefixes and one of the suffixes.
    The variable may be that of a loop around the fold, if the values do not vary with the loop.
    """

    name = "raise-scans"

    differentiable: bool = False
    """Whether folds of values whose derivative may be infinite stay loops, which guard them, unless
    the prefix of some element has all steps."""

    def raiser(self, function: func.FuncOp, analyses: AnalysisManager) -> ScanRaiser:
        return ScanRaiser(function, analyses, differentiable=self.differentiable)
