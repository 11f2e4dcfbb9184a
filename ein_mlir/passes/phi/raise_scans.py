"""``raise-scans``: sums over the prefix or the suffix of each index become one running sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.arithmetic import INTS, LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.bounds import Bound, bound_of
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.searches import selected_search
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import dependents, is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.dialects.reductions import SCAN_KINDS, kind_of
from ein_mlir.rewriting.phi.builders import copied, integer, linear_value
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
    forms: IndexForms,
) -> tuple[Bound, list[Test]] | None:
    """The bound by an index that no value and no other test varies with, and the other tests.

    It is the same in all steps.
    """
    block = op.body.block
    varying = dependents(block, op.counter) | dependents(block, op.accumulator)
    for test in tests:
        bound = bound_of(op, test, forms)
        if bound is None or not bound.free(free):
            continue
        others = [other for other in tests if other is not test]
        parts = [*values, *(other.condition for other in others)]
        taken = {index for part in parts for index in free.of(part)}
        if bound.free(free).isdisjoint(taken) and varying.isdisjoint(bound.parts):
            return bound, others
    return None


@dataclass(frozen=True)
class Window:
    """``first <= k < first + size``"""

    first: LinearForm
    size: int
    bounds: tuple[Bound, Bound]


def window_of(op: phi.FoldOp, step: Step, forms: IndexForms) -> Window | None:
    """The window of constant size that tests of a step restrict the counter to."""
    found = [bound for test in step.tests if (bound := bound_of(op, test, forms)) is not None]
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
        bounds = split(op, found.tests, values, self._free, self._forms)
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
        found = split(op, step.tests, step.parts(()), self._free, self._forms)
        if kind not in SCAN_KINDS or found is None:
            return False
        bound, others = found
        parts = [*step.parts(others), *bound.parts]
        if not self._may_run_at_once(op, parts, is_guarded=runs_all_steps(op, bound, self._forms)):
            return False
        which = "suffixes" if bound.suffix else "prefixes"
        self._note(op, f"the fold over {name_of(op.counter)} is a scan of all {which}")
        scratch, values = Block(), StepValues(op)
        build = Builder(InsertPoint.at_end(scratch))

        def element(inner: Builder, k: SSAValue) -> SSAValue:
            known: Known = {op.counter: k}
            return values.selected(inner, step, values.tests(inner, others, known), known)

        elements = values.over_steps(build, element)
        scanned = build.insert(phi.ScanOp(kind, elements, suffixes=bound.suffix)).result
        scanned.name_hint = op.result.name_hint
        total = build.insert(phi.GetOp(scanned, [_position(build, op, bound)])).result
        replace_by_block(op, scratch, with_start(build, op, step, total), self._free)
        return True


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
    """

    name = "raise-scans"

    differentiable: bool = False
    """Whether folds of values whose derivative may be infinite stay loops, which guard them, unless
    the prefix of some element has all steps."""

    def raiser(self, function: func.FuncOp, analyses: AnalysisManager) -> ScanRaiser:
        return ScanRaiser(function, analyses, differentiable=self.differentiable)
