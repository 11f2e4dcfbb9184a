"""Folds whose count varies with the counter of a loop around them."""

from __future__ import annotations

from collections.abc import Callable

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.longest_loops import independent_counters, largest
from ein_mlir.analysis.scopes import outermost_without
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import linear_value
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import raised, replace


def replace_by_longest(
    op: phi.FoldOp, raise_: Callable[[phi.FoldOp], bool], forms: IndexForms, free: FreeIndices
) -> bool:
    """``fold (k < i + 1) { e }  -->  fold (k < n) { where(k < i + 1, e, acc) }``

    for the counter i of a fold of n steps around it, if ``raise_`` replaces the new fold.
    """
    count = forms.form(op.count)
    counters = independent_counters(op, count)
    if counters.keys().isdisjoint(count.coefficients):
        return False
    longest = largest(count, counters, forms, free)
    if longest is None or not all(map(forms.is_exact, (count, longest))):
        return False
    if not forms.is_nonnegative(count) or not forms.is_nonnegative(longest):
        return False
    place = outermost_without(op, longest.coefficients)
    build = Builder.before(place, forms.add)
    fold = op.clone()
    fold.operands[0] = linear_value(build, longest)
    end = Builder.before_end(fold.body.block)
    is_step = end.compare(fold.counter, "slt", op.count)
    fold.yield_instead(end.select(is_step, fold.yielded(), fold.accumulator))
    forms.add(fold)
    result = raised(op, fold, raise_, free)
    if result is not None:
        replace(op, result, free)
    return result is not None
