"""``raise-scans``: sums over the prefix or the suffix of each index become one running sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.arithmetic import INTS, LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.bounds import Bound, bound_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts, slice_of
from ein_mlir.analysis.phi.searches import selected_search
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import dependents, innermost_first, is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.dialects.reductions import SCAN_KINDS, kind_of
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import Emitter, Inserter, copied, integer, linear_value
from ein_mlir.rewriting.phi.ranges import assume, start_at
from ein_mlir.rewriting.phi.replacement import replace_by_block
from ein_mlir.rewriting.phi.selected_searches import Candidates, first_of_prefix
from ein_mlir.rewriting.phi.sentinels import replace_by_selected
from ein_mlir.rewriting.phi.step_arrays import (
    array_of_body,
    body_of_steps,
    replace_fold,
    selected_value,
)

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
    """The bound by an index that no value and no other test varies with, and the other tests."""
    for test in tests:
        bound = bound_of(op, test, forms)
        if bound is None or not bound.free(free):
            continue
        others = [other for other in tests if other is not test]
        parts = [*values, *(other.condition for other in others)]
        taken = {index for part in parts for index in free.of(part)}
        if bound.free(free).isdisjoint(taken):
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


class ScanRaiser:
    """Raises the folds of a function."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager, *, differentiable: bool):
        self._free = analyses.get(free_indices, function)
        self._forms = analyses.get(index_forms, function)
        self._note = analyses.note
        self._differentiable = differentiable

    def fold(self, op: phi.FoldOp) -> None:
        """Replace a fold over a window, or the prefixes or suffixes of an index."""
        step = step_of(op)
        if step is None:
            self._search(op)
            return
        window = window_of(op, step, self._forms)
        if window is not None and not any(map(may_fail, operations_in(op))):
            self._note(op, f"the fold over {name_of(op.counter)} is over windows of {window.size}")
            narrow(op, window)
            self._free.add(op)
        elif not self._scan(op, step):
            replace_by_selected(op, self._scan_of, self._free)

    def _search(self, op: phi.FoldOp) -> bool:
        """``fold (k < n) { where(k < p, better of best and e, best) }  -->  found[p]``

        Whether the fold was a search in the prefixes of an index.
        """
        found = selected_search(op)
        if found is None or any(may_fail(inner) for inner in op.body.walk()):
            return False
        values = [found.element, *found.others]
        bounds = split(op, found.tests, values, self._free, self._forms)
        if bounds is None or bounds[0].suffix:
            return False
        bound, others = bounds
        parts = [*values, *(test.condition for test in others)]
        if self._is_variable(op, bound) or not may_materialise_parts(op, parts, self._free):
            return False
        if self._differentiable and any(map(is_singular, op.body.walk())):
            return False
        self._note(op, f"the fold over {name_of(op.counter)} is a search in all prefixes")
        scratch = Block()
        build = Builder(InsertPoint.at_end(scratch))
        atoms = dict(zip(bound.parts, copied(build, op.body.block, bound.parts, {}), strict=True))
        position = _position(build, op, bound, atoms)
        result = first_of_prefix(build, Candidates(op, found, others), position)
        replace_by_block(op, scratch, result, self._free)
        return True

    def _is_variable(self, op: phi.FoldOp, bound: Bound) -> bool:
        """Whether a bound differs from step to step."""
        block = op.body.block
        variable = dependents(block, op.counter) | dependents(block, op.accumulator)
        return not variable.isdisjoint(bound.parts)

    def _scan_of(self, op: phi.FoldOp) -> bool:
        step = step_of(op)
        return step is not None and self._scan(op, step)

    def _scan(self, op: phi.FoldOp, step: Step) -> bool:
        """``fold (k < n, a = x) { where(k < p, a + e, a) }  -->  x + scan (array { e }) [p]``

        Positions clip, so a bound out of bounds selects no elements, or all of them.
        """
        if kind_of(step.combine.name) not in SCAN_KINDS:
            return False
        values = step.parts(())
        found = split(op, step.tests, values, self._free, self._forms)
        if found is None or any(may_fail(inner) for inner in op.body.walk()):
            return False
        bound, others = found
        parts = step.parts(others)
        needed = slice_of(op.body.block, parts)
        is_singular_ = self._differentiable and any(map(is_singular, needed))
        if is_singular_ and not runs_all_steps(op, bound, self._forms):
            return False
        if self._is_variable(op, bound) or not may_materialise_parts(op, parts, self._free):
            return False
        which = "suffixes" if bound.suffix else "prefixes"
        self._note(op, f"the fold over {name_of(op.counter)} is a scan of all {which}")
        new = [*_hoisted(op, bound.parts), *_scanned(op, step, bound, others)]
        replace_fold(op, step, new, self._free)
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


def _hoisted(op: phi.FoldOp, values: Sequence[SSAValue]) -> list[Operation]:
    """The operations of a fold's body that compute values, detached from it."""
    operations = slice_of(op.body.block, values)
    for inner in operations:
        inner.detach()
    return operations


def _scanned(op: phi.FoldOp, step: Step, bound: Bound, others: Sequence[Test]) -> list[Operation]:
    """The comprehension of the values, its scan, and the element at the bound."""
    body = body_of_steps(op, step.parts(others))
    elements = array_of_body(op, body, selected_value(step, others, body))
    scan = phi.ScanOp(kind_of(step.combine.name), elements, suffixes=bound.suffix)
    scan.result.name_hint = op.result.name_hint
    emitter = Emitter()
    position = _position(emitter, op, bound, {})
    return [elements, scan, *emitter.ops, phi.GetOp(scan, [position])]


def _position(
    build: Inserter, op: phi.FoldOp, bound: Bound, values: Mapping[SSAValue, SSAValue]
) -> SSAValue:
    """The position of a bound, given the values that replace its parts."""
    if isinstance(bound.position, LinearForm):
        return linear_value(build, bound.position, lambda atom: values.get(atom, atom))
    position = values.get(bound.position, bound.position)
    if bound.plus_one:
        if range_of(position).high == INTS.high:
            position = build.insert(arith.MinSIOp(position, op.count)).result
        position = build.insert(arith.AddiOp(position, integer(build, 1))).result
    return position


def raise_scans(
    function: func.FuncOp, analyses: AnalysisManager, *, differentiable: bool = False
) -> None:
    """Raise the folds of a function, innermost first."""
    raiser = ScanRaiser(function, analyses, differentiable=differentiable)
    for op in innermost_first(function, phi.FoldOp):
        raiser.fold(op)


@dataclass(frozen=True)
class RaiseScansPass(FunctionPass):
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
    the value. A fold stays a loop if the values would need more memory than the arrays that are
    read; the rule is in ``ein_mlir.analysis.phi.memory_cost``.
    """

    name = "raise-scans"
    looks_for = (phi.FoldOp,)

    differentiable: bool = False
    """Whether folds of values whose derivative may be infinite stay loops, which guard them, unless
    the prefix of some element has all steps."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        raise_scans(function, analyses, differentiable=self.differentiable)
