"""``raise-scans``: sums over the prefix or the suffix of each index become one running sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import INTS
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import Note, name_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts, slice_of
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import dependents, innermost_first
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.dialects.reductions import SCAN_KINDS, kind_of
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import Emitter, integer
from ein_mlir.rewriting.phi.step_arrays import (
    array_of_body,
    body_of_steps,
    replace_fold,
    selected_value,
)

# Recognition ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bound:
    """The steps before a position, or from it on: ``k < position`` or ``k >= position``."""

    position: SSAValue
    plus_one: bool
    """Whether the position is the successor of the value."""
    suffix: bool


_OPPOSITE = {"slt": "sge", "sge": "slt", "sle": "sgt", "sgt": "sle"}
_SWAPPED = {"slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle"}
_BOUNDS = {"slt": (False, False), "sle": (True, False), "sgt": (True, True), "sge": (False, True)}
"""For each predicate of ``k`` and a value: whether the bound is the successor, and of a suffix."""


def bound_of(op: phi.FoldOp, test: Test) -> Bound | None:
    """The bound by a comparison of the counter with a value from outside of the fold."""
    compare = test.condition.owner
    if not isinstance(compare, arith.CmpiOp) or compare.lhs.type != i64:
        return None
    predicate = arith.CMPI_COMPARISON_OPERATIONS[compare.predicate.value.data]
    if predicate not in _BOUNDS:
        return None
    if compare.lhs is op.counter:
        position = compare.rhs
    elif compare.rhs is op.counter:
        position, predicate = compare.lhs, _SWAPPED[predicate]
    else:
        return None
    plus_one, suffix = _BOUNDS[predicate if test.expected else _OPPOSITE[predicate]]
    return Bound(position, plus_one, suffix)


def split(op: phi.FoldOp, step: Step, free: FreeIndices) -> tuple[Bound, list[Test]] | None:
    """The bound by an index that no other value of the step varies with, and the other tests."""
    for test in step.tests:
        bound = bound_of(op, test)
        if bound is None or not free.of(bound.position):
            continue
        others = [other for other in step.tests if other is not test]
        taken = {index for value in step.parts(others) for index in free.of(value)}
        if free.of(bound.position).isdisjoint(taken):
            return bound, others
    return None


# Rewriting ------------------------------------------------------------------------------------


def raise_fold(
    op: phi.FoldOp, free: FreeIndices, note: Note, *, differentiable: bool = False
) -> None:
    """``fold (k < n, a = x) { where(k < p, a + e, a) }  -->  x + scan (array (k < n) { e }) [p]``

    Positions clip, so a bound out of bounds selects no elements, or all of them.
    """
    step = step_of(op)
    if step is None or kind_of(step.combine.name) not in SCAN_KINDS:
        return
    found = split(op, step, free)
    if found is None or any(may_fail(inner) for inner in op.body.walk()):
        return
    bound, others = found
    parts = step.parts(others)
    needed = slice_of(op.body.block, parts)
    if differentiable and any(map(is_singular, needed)):
        return
    variable = dependents(op.body.block, op.counter) | dependents(op.body.block, op.accumulator)
    if bound.position in variable or not may_materialise_parts(op, parts, free):
        return
    which = "suffixes" if bound.suffix else "prefixes"
    note(op, f"the fold over {name_of(op.counter)} is a scan of all {which}")
    new = [*_hoisted(op, bound.position), *_scanned(op, step, bound, others)]
    replace_fold(op, step, new, free)


def _hoisted(op: phi.FoldOp, value: SSAValue) -> list[Operation]:
    """The operations of a fold's body that compute a value, detached from it."""
    operations = slice_of(op.body.block, [value])
    for inner in operations:
        inner.detach()
    return operations


def _scanned(op: phi.FoldOp, step: Step, bound: Bound, others: Sequence[Test]) -> list[Operation]:
    """The comprehension of the values, its scan, and the element at the bound."""
    body = body_of_steps(op, step.parts(others))
    elements = array_of_body(op, body, selected_value(step, others, body))
    scan = phi.ScanOp(kind_of(step.combine.name), elements, suffixes=bound.suffix)
    scan.result.name_hint = op.result.name_hint
    position, emitter = bound.position, Emitter()
    if bound.plus_one:
        if range_of(position).high == INTS.high:
            position = emitter.emit(arith.MinSIOp(position, op.count))
        position = emitter.emit(arith.AddiOp(position, integer(emitter, 1)))
    return [elements, scan, *emitter.ops, phi.GetOp(scan, [position])]


def raise_scans(
    function: func.FuncOp, analyses: AnalysisManager, *, differentiable: bool = False
) -> None:
    """Raise the folds of a function, innermost first."""
    free = analyses.get(free_indices, function)
    for op in innermost_first(function, phi.FoldOp):
        raise_fold(op, free, analyses.note, differentiable=differentiable)


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
    """Whether folds of values whose derivative may be infinite stay loops, which guard them."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        raise_scans(function, analyses, differentiable=self.differentiable)
