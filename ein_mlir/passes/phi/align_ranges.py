"""``align-ranges``: folds over ranges that differ by element take their steps together.

The range of a fold is bounded by conditions of its steps. All elements run for the longest range:
the work is that of the ranges, not of the whole axis for each element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.bounds import Bound
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import (
    dependents,
    innermost_first,
    is_within,
    operands_within,
    operations_in,
    slice_within,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import comprehension
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import (
    assume,
    bounds_of_steps,
    checked_count,
    clipped_bound,
    largest,
    length_of,
    start_at,
)

Values: TypeAlias = Mapping[SSAValue, SSAValue]
"""The copies of values."""

ElementAt: TypeAlias = Callable[[Builder, Values], SSAValue]
"""Builds an element from the copies of the values that it depends on."""


@dataclass(frozen=True)
class Ranges:
    """The steps ``first <= k < end`` of a fold, which differ along an index."""

    op: phi.FoldOp
    first: Bound
    end: Bound
    index: BlockArgument
    place: phi.ArrayOp
    """The comprehension of the index."""
    needed: Sequence[Operation]
    """The operations in it that compute the bounds, in order."""


def ranges_of(op: phi.FoldOp, forms: IndexForms, free: FreeIndices) -> Ranges | None:
    """The ranges of a fold, if both of their ends vary with the same index, and with nothing else.

    None if steps read an array that has the axes of the index and the counter both: it is as large
    as the steps for all elements, which a whole-array operation takes at once.
    """
    sides = {bound.suffix: bound for bound in bounds_of_steps(op, forms)}
    if len(sides) < 2 or op.irregular is not None:
        return None
    first, end = sides[True], sides[False]
    if first.free(free) != end.free(free) or len(first.free(free)) != 1:
        return None
    (index,) = first.free(free)
    place = index.block.parent_op()
    if not isinstance(place, phi.ArrayOp) or not place.is_ancestor(op):
        return None
    needed = slice_within(place, [*first.parts, *end.parts])
    is_movable = (
        not is_within(op.count, place)
        and not any(may_fail(inner) for each in needed for inner in operations_in(each))
        and _depends_only_on(index, place, needed)
    )
    if not is_movable or _reads_table(op, index, free) or _is_whole(first, end, forms):
        return None
    return Ranges(op, first, end, index, place, needed)


def _is_whole(first: Bound, end: Bound, forms: IndexForms) -> bool:
    """Whether the ranges are as long as an axis, as the offsets ``0 <= i + k - 1 < n``.

    A fold over all offsets is no longer, but cut at the ends of the array.
    """
    low, high = first.form(forms), end.form(forms)
    if low is None or high is None:
        return False
    lengths = forms.canonical(high - low)
    return any(isinstance(atom.owner, phi.SizeOp) for atom in lengths.coefficients)


def _depends_only_on(index: BlockArgument, place: Operation, ops: Sequence[Operation]) -> bool:
    """Whether operations use no variable of a loop within ``place`` but an index."""
    used = (
        value
        for op in ops
        for value in operands_within(op)
        if isinstance(value, BlockArgument) and not is_within(value, op)
    )
    return all(value is index or not is_within(value, place) for value in used)


def _reads_table(op: phi.FoldOp, index: BlockArgument, free: FreeIndices) -> bool:
    """Whether steps read an array at the counter along one axis and an index along another."""
    steps = dependents(op.body.block, op.counter)
    for get in operations_in(op):
        if isinstance(get, phi.GetOp) and not steps.isdisjoint(get.positions):
            rest = [get.array, *(position for position in get.positions if position not in steps)]
            if any(index in free.of(value) for value in rest):
                return True
    return False


def align(found: Ranges, forms: IndexForms) -> None:
    """``fold (k < n) { where(p <= k < q, e, acc) }  -->  fold (d < most) { where(d < l, e, acc) }``

    with ``p' + d`` for k, where p' and q' are p and q in bounds, the lengths ``l`` of all ranges
    are ``max(q' - p', 0)``, and ``most`` is the greatest.
    """
    op, before = found.op, Builder.before(found.place)
    around, inside = (
        Builder.before(op),
        Builder.at_start(op.body.block),
    )
    starts = _array(before, found, lambda build, values: _start(build, found, forms, values))
    lengths = _array(before, found, lambda build, values: _length(build, found, forms, values))
    count = before.max(before.min(largest(before, lengths), op.count), 0)
    length = around.get(lengths, [found.index])
    start_at(inside, op, around.get(starts, [found.index]))
    assume(inside, found.first)
    predicate = "slt" if found.end.test.expected else "sge"
    is_step = inside.compare(op.counter, predicate, length)
    found.end.test.condition.replace_all_uses_with(is_step)
    op.operands[0] = checked_count(before, op.count, count)


def _array(build: Builder, found: Ranges, element: ElementAt) -> SSAValue:
    """A value of each range, given the copies of all that it depends on."""

    def copied_element(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        values = dict[SSAValue, SSAValue](zip([found.index], indices, strict=True))
        for op in found.needed:
            inner.insert(copy_of(op, values))
        return element(inner, values)

    return comprehension(build, [phi.size_of_index(found.index)], copied_element, [found.index])


def _start(build: Builder, found: Ranges, forms: IndexForms, values: Values) -> SSAValue:
    return clipped_bound(build, found.op, found.first, forms, values)


def _length(build: Builder, found: Ranges, forms: IndexForms, values: Values) -> SSAValue:
    end = clipped_bound(build, found.op, found.end, forms, values)
    return length_of(build, _start(build, found, forms, values), end)


class AlignRangesPass(FunctionPass):
    """Runs a fold whose steps have an effect between two bounds for the longest such range.

    Before::

        %r = phi.array (%i < %m) -> !phi.vec<f64> {
          %p = phi.get %ps[%i] : !phi.vec<i64>[index]
          %q = phi.get %qs[%i] : !phi.vec<i64>[index]
          %s = phi.fold (%k < %n, %acc = %zero) -> f64 {
            %behind = arith.cmpi sge, %k, %p : i64
            %before = arith.cmpi slt, %k, %q : i64
            %is_in = arith.andi %behind, %before : i1
            %x = phi.get %a[%k] : !phi.vec<f64>[i64]
            %y = arith.select %is_in, %x, %zero : f64
            %next = arith.addf %acc, %y : f64
            phi.yield %next : f64
          }
          phi.yield %s : f64
        }

    After::

        %starts = phi.array (%i < %m) -> !phi.vec<i64> { .. clip(p, 0, n) .. }
        %lengths = phi.array (%i < %m) -> !phi.vec<i64> { .. max(clip(q, 0, n) - start, 0) .. }
        %most = phi.reduce %lengths identity %none by { arith.maxsi } -> i64
        ..
        %r = phi.array (%i < %m) -> !phi.vec<f64> {
          %length = phi.get %lengths[%i] : !phi.vec<i64>[index]
          %start = phi.get %starts[%i] : !phi.vec<i64>[index]
          %s = phi.fold (%d < %most, %acc = %zero) -> f64 {
            %k = arith.addi %start, %d : i64
            %before = arith.cmpi slt, %d, %length : i64
            ..
          }
          phi.yield %s : f64
        }

    Both bounds vary with one index: else the longest range may be all of the axis. They depend on
    nothing else in the comprehension, and are computed before it. Ranges as long as an axis, of
    offsets that are cut at the ends of an array, stay conditions.
    """

    name = "align-ranges"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        forms, free = analyses.get(index_forms, function), analyses.get(free_indices, function)
        for op in innermost_first(function, phi.FoldOp):
            found = ranges_of(op, forms, free)
            if found is not None:
                analyses.note(op, f"the fold over {name_of(op.counter)} runs for its longest range")
                align(found, forms)
