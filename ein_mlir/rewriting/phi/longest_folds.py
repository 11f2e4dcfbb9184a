"""Folds whose counts vary with the counters of others take as many steps as the longest."""

from __future__ import annotations

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.longest_loops import independent_counters, largest
from ein_mlir.analysis.scopes import outermost_without
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.builders import guarded_step, linear_value
from ein_mlir.rewriting.phi.insertion import Builder


def with_longest_count(op: phi.FoldOp, forms: IndexForms, free: FreeIndices) -> phi.FoldOp | None:
    """``fold (k < i + 1) { e }  -->  fold (k < n) { where(k < i + 1, e, acc) }``

    for the counter i of a fold of n steps around it: a new fold, or None if no such bound is known.
    """
    count = forms.form(op.count)
    counters = independent_counters(op, count)
    if counters.keys().isdisjoint(count.coefficients):
        return None
    longest = largest(count, counters, forms, free)
    if longest is None or not all(map(forms.is_exact, (count, longest))):
        return None
    if not forms.is_nonnegative(count):
        return None
    if longest + 1 in map(forms.form, counters.values()):
        longest += 1  # all of an axis, not all but one element
    build = Builder.before(outermost_without(op, longest.coefficients), forms.add)
    most = linear_value(build, longest)
    fold = op.clone()
    fold.operands[0] = most if forms.is_nonnegative(longest) else build.max(most, 0)
    end = Builder.before_end(fold.body.block)
    is_step = end.compare(fold.counter, "slt", op.count)
    fold.yield_instead(guarded_step(end, is_step, fold.yielded(), fold.accumulator))
    erase_unused(fold.body.block)
    forms.add(fold)
    return fold
