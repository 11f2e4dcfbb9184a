"""Folds whose counts vary with the counters of others take as many steps as the longest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.element_cost import SHORT
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.longest_loops import independent_counters, largest
from ein_mlir.analysis.scopes import outermost_without
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder


def with_longest_count(op: phi.FoldOp, forms: IndexForms) -> phi.FoldOp | None:
    """``fold (k < i + 1) { e }  -->  fold (k < n) { where(k < i + 1, e, acc) }``

    for the counter i of a fold of n steps around it: a new fold, or None if no such bound is known.
    The bound of ``min(i, 3)`` is 3, of few steps.
    """
    bounds = list(_bounds(op, op.count, forms))
    if not any(varies for _, varies in bounds) or not forms.is_nonnegative(forms.form(op.count)):
        return None
    known = [bound for bound, _ in bounds if bound is not None]
    if not known:
        return None
    few = [bound for bound in known if (number := bound.known()) is not None and number <= SHORT]
    longest = few[:1] or known
    fold = op.clone()
    fold.operands[0] = _least(op, longest, forms)
    end = Builder.before_end(fold.body.block)
    is_step = end.compare(fold.counter, "slt", op.count)
    fold.yield_instead(end.guarded_step(is_step, fold.yielded(), fold.accumulator))
    erase_unused(fold.body.block)
    forms.add(fold)
    return fold


def _least(op: phi.FoldOp, bounds: Sequence[LinearForm], forms: IndexForms) -> SSAValue:
    """The least of some bounds, from 0 on, before all loops that define no value of them."""
    atoms = [atom for bound in bounds for atom in bound.coefficients]
    build = Builder.before(outermost_without(op, atoms), forms.add)
    least = build.linear_value(bounds[0])
    for bound in bounds[1:]:
        least = build.min(least, build.linear_value(bound))
    return least if all(map(forms.is_nonnegative, bounds)) else build.max(least, 0)


def _bounds(
    op: phi.FoldOp, count: SSAValue, forms: IndexForms
) -> Iterator[tuple[LinearForm | None, bool]]:
    """Upper bounds of a count, or of the operands of a minimum, and whether these vary."""
    if isinstance(count.owner, arith.MinSIOp):
        for each in count.owner.operands:
            yield from _bounds(op, each, forms)
        return
    form = forms.form(count)
    counters = independent_counters(op, form)
    longest = largest(form, counters, forms)
    if longest is not None and not all(map(forms.is_exact, (form, longest))):
        longest = None
    elif longest is not None and longest + 1 in map(forms.form, counters.values()):
        longest += 1  # all of an axis, not all but one element
    yield longest, not counters.keys().isdisjoint(form.coefficients)
