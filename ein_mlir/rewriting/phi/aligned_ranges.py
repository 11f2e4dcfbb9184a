"""Folds whose ranges differ by element, and run for the longest of them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.phi.bounds import Bound
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.searches import fold_search
from ein_mlir.analysis.phi.selections import reduction, summed
from ein_mlir.analysis.scopes import around, dependents, nested, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues
from ein_mlir.rewriting.phi.ranges import (
    assume,
    bounds_of_steps,
    checked_count,
    copies_of,
    largest,
    range_of,
    start_at,
)


def varying_with_reductions(op: phi.FoldOp) -> set[SSAValue]:
    """The values that vary with a step of a reduction around a fold that may be one with it.

    Or that may run other folds for all of its steps at once.
    """
    varying, of_reductions = set[SSAValue](), _combines(op)
    for loop in around(op.parent_op()):
        if isinstance(loop, phi.FoldOp) and (
            _is_regular_reduction(loop) if of_reductions else reduction(loop)
        ):
            varying |= dependents(loop.body.block, loop.counter)
    return varying


def _is_regular_reduction(op: phi.FoldOp) -> bool:
    """Whether a fold and all loops in its steps are reductions: it may be one operation."""
    inner = (each for each in nested(op.body.block) if isinstance(each, phi.FoldOp | phi.WhileOp))
    return all(isinstance(each, phi.FoldOp) and _combines(each) for each in (op, *inner))


def _combines(op: phi.FoldOp) -> bool:
    """Whether a fold is a reduction or a search, or goes on with one in each step.

    One that goes on with a search or an extreme: sums that go on stay loops over rows.
    """
    if reduction(op) is not None or fold_search(op) is not None:
        return True
    row = op.yielded().owner
    if not isinstance(row, phi.FoldOp) or row.init is not op.accumulator:
        return False
    return summed(row) is None and _combines(row)


def aligned(op: phi.FoldOp, forms: IndexForms) -> list[Bound]:
    """The bounds on both sides, if both vary with the same index.

    They may not vary with the step of a reduction that may be one with the fold. None if steps read
    an array that has the axes of the index and the counter both: it is as large as the steps for
    all elements, which a whole-array operation takes at once.
    """
    sides = {bound.suffix: bound for bound in bounds_of_steps(op, forms)}
    if len(sides) < 2 or op.irregular is not None:
        return []
    first, end = sides[True], sides[False]
    indices = first.free(forms.free)
    if end.free(forms.free) != indices or _is_whole(first, end, forms):
        return []
    is_possible = may_align(op, indices, [*first.parts, *end.parts], forms.free)
    return [first, end] if is_possible else []


def may_align(
    op: phi.FoldOp, indices: frozenset[BlockArgument], parts: Sequence[SSAValue], free: FreeIndices
) -> bool:
    """Whether bounds may be computed from some values for all elements of one index.

    Sizes and counts that depend on the counter would vary with the index, as its start does.
    """
    if len(indices) != 1 or not indices.isdisjoint(free.of(op.count)) or not is_regular(op):
        return False
    can_move = RecomputedValues(op, indices, free).can_have(parts)
    if not can_move or not varying_with_reductions(op).isdisjoint(parts):
        return False
    return not _reads_table(op, indices, free)


def _is_whole(first: Bound, end: Bound, forms: IndexForms) -> bool:
    """Whether the ranges are as long as an axis, as the offsets ``0 <= i + k - 1 < n``.

    A fold over all offsets is no longer, but cut at the ends of the array.
    """
    low, high = first.form(forms), end.form(forms)
    if low is None or high is None:
        return False
    lengths = forms.canonical(high - low)
    return any(isinstance(atom.owner, phi.SizeOp) for atom in lengths.coefficients)


def _reads_table(op: phi.FoldOp, indices: frozenset[BlockArgument], free: FreeIndices) -> bool:
    """Whether steps read an array at the counter along one axis and an index along another."""
    steps = dependents(op.body.block, op.counter)
    for get in operations_in(op):
        if isinstance(get, phi.GetOp) and not steps.isdisjoint(get.positions):
            rest = [get.array, *(position for position in get.positions if position not in steps)]
            if any(not indices.isdisjoint(free.of(value)) for value in rest):
                return True
    return False


def align(op: phi.FoldOp, bounds: Sequence[Bound], forms: IndexForms) -> None:
    """``fold (k < n) { where(p <= k < q, e, acc) }  -->  fold (d < most) { where(d < l, e, acc) }``

    with ``p' + d`` for k, where p' and q' are p and q in bounds, the lengths ``l`` of all ranges
    are ``max(q' - p', 0)``, and ``most`` is the greatest.
    """
    first, end = bounds
    before, inside = Builder.before(op), Builder.at_start(op.body.block)
    (index,) = first.free(forms.free)
    values = RecomputedValues(op, [index], forms.free)

    def length_at(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        return range_of(inner, op, bounds, forms, values.at(inner, own))[1]

    lengths = before.comprehension([phi.size_of_index(index)], length_at, [index])
    count = before.max(before.min(largest(before, lengths), op.count), 0)
    parts = [*first.parts, *end.parts]
    start, length = range_of(before, op, bounds, forms, copies_of(before, op, parts))
    assert start is not None
    start_at(inside, op, start)
    assume(inside, op, first.test)
    predicate = "slt" if end.test.expected else "sge"
    is_step = inside.compare(op.counter, predicate, length)
    end.test.condition.replace_all_uses_with(is_step)
    op.operands[0] = checked_count(before, op.count, count)
    forms.renew(op)
