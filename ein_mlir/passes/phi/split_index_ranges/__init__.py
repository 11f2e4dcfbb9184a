"""``split-index-ranges``: comprehensions are split where conditions on their indices change."""

from __future__ import annotations

from itertools import islice

from xdsl.dialects import arith, func, math
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import Note, name_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.index_ranges import ORDINARY, Comparison, IndexRange, IndexRanges
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, equal_sizes
from ein_mlir.analysis.scopes import innermost_first, is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.split_index_ranges.cuts import MOST_OPERATIONS, Cuts, chosen_by
from ein_mlir.passes.phi.split_index_ranges.padding import pad_guarded
from ein_mlir.passes.phi.split_index_ranges.parts import Splitter
from ein_mlir.passes.phi.split_index_ranges.unfolding import Unfolding
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ordinary import copy_for_others
from ein_mlir.rewriting.phi.ranges import check_size


def split_array(
    array: phi.ArrayOp,
    forms: IndexForms,
    sizes: SizeEquivalence,
    note: Note,
    *,
    static: bool,
) -> SSAValue | None:
    """Cut a comprehension into parts if that decides something; the joined parts, or None.

    Sums with any Int may wrap: parts are for Ints far from the ends of the range, unless cuts must
    be ``static``.
    """
    ranges = IndexRanges(array, forms, forms.free, sums=not static)
    for op in list(array.body.walk()):
        if isinstance(op, arith.SelectOp):
            merge_clipped_choice(op, ranges)
    unfolding = Unfolding(array, ranges)
    wide = _wide_ints(array, ranges) if not static else []
    forms = forms.assuming(dict.fromkeys(wide, ORDINARY))
    ranges = IndexRanges(array, forms, forms.free, sums=not static)
    if not _is_worth_cutting(Cuts(array, ranges, static=static)):
        unfolding.undo()
        _decide(array, IndexRanges(array, forms, forms.free, sums=not static))
        return None
    for axis in range(len(array.sizes)):
        check_size(array, axis, sizes)
    if wide:
        copy_for_others(array, wide)
    ranges = IndexRanges(array, forms, forms.free, sums=not static)
    cuts = Cuts(array, ranges, static=static)
    for index, parts in zip(array.indices, cuts.parts, strict=True):
        if len(parts) > 1:
            note(array, f"{name_of(index)} is cut into {len(parts)} ranges, each a case of its own")
    return Splitter(array, ranges, cuts.parts).split()


def _decide(array: phi.ArrayOp, ranges: IndexRanges) -> None:
    """``select (i >= 0), x, y  -->  x``, for conditions that are the same for all indices."""
    for condition in set(chosen_by(list(array.body.walk()))):
        found = ranges.comparison(condition)
        truth = None if found is None else ranges.holds(found, ranges.whole(found.index))
        if truth is not None:
            condition.replace_all_uses_with(Builder.at_start(array.body.block).truth(truth))


def _wide_ints(array: phi.ArrayOp, ranges: IndexRanges) -> list[SSAValue]:
    """The Ints in conditions that could decide parts if sums with these Ints were no-wrap."""
    body = list(islice(array.body.walk(), MOST_OPERATIONS))
    found = (atom for value in chosen_by(body) for atom in ranges.wide_ints(value))
    return list(dict.fromkeys(found))


def _is_worth_cutting(cuts: Cuts) -> bool:
    is_cut = any(len(parts) > 1 for parts in cuts.parts)
    return is_cut and cuts.operations * cuts.count() <= MOST_OPERATIONS


def _may_split(array: phi.ArrayOp) -> bool:
    """Whether an array may be split into parts: not if it is only reduced."""
    is_reduced = all(isinstance(use.operation, phi.ReduceOp) for use in array.result.uses)
    return not is_reduced and not any(isinstance(op, phi.ExternOp) for op in array.body.walk())


def _written_elements(array: phi.ArrayOp, free: FreeIndices) -> phi.ArrayOp | None:
    """``array (i) { a[i][p] := x }  -->  c = array (i) { x }; array (i) { a[i][p] := c[i] }``

    The new comprehension, if the rows of another array are updated, all at the same positions. Cut
    into parts, it has the elements that are written, and the rows would all be copied.
    """
    update = array.yielded().owner
    if not isinstance(update, phi.UpdateOp) or update.parent is not array.body.block:
        return None
    row = update.array.owner
    is_row = isinstance(row, phi.GetOp) and row.is_at(array.indices)
    if not is_row or any(
        is_within(p, array) or not free.of(p).isdisjoint(array.indices) for p in update.positions
    ):
        return None
    elements = Builder.before(array, free.add).elements_of(array, update.value)
    read = Builder.before(update, free.add).get(elements, array.indices)
    update.operands[len(update.operands) - 1] = read
    erase_unused(array.body.block)
    assert isinstance(elements.owner, phi.ArrayOp)
    return elements.owner


def merge_clipped_choice(op: arith.SelectOp, ranges: IndexRanges) -> None:
    """``select (i > 0), a[i - 1], a[i]  -->  a[i - 1]``: the position clips to that of the other.

    The same applies to any comparison, such as ``i == 0``, and either side, if both read the same
    end where the first is not taken.
    """
    comparison = ranges.comparison(op.cond)
    if comparison is None:
        return
    index = comparison.index
    for kept, other, elsewhere in (
        (op.lhs, op.rhs, _where(comparison, False, ranges)),
        (op.rhs, op.lhs, _where(comparison, True, ranges)),
    ):
        if elsewhere and _agree(kept.owner, other.owner, elsewhere, index, ranges):
            Rewriter.replace_op(op, (), (kept,))
            return


def _where(comparison: Comparison, truth: bool, ranges: IndexRanges) -> IndexRange | None:
    """The range of the indices for which a comparison is true, or false; None if there are two."""
    below, above = ranges.cut(ranges.whole(comparison.index), comparison.threshold)
    if comparison.predicate in ("<", ">="):
        return below if truth == (comparison.predicate == "<") else above
    if truth != (comparison.predicate == "=="):
        return None
    equal, _ = ranges.cut(above, comparison.thresholds()[1])
    return equal


def _agree(
    kept: Operation | Block,
    other: Operation | Block,
    range_: IndexRange,
    index: BlockArgument,
    ranges: IndexRanges,
) -> bool:
    """Whether two reads of one array are equal for all indices of a range."""
    if not isinstance(kept, phi.GetOp) or not isinstance(other, phi.GetOp):
        return False
    if kept.array is not other.array or len(kept.positions) != len(other.positions):
        return False
    for number, positions in enumerate(zip(kept.positions, other.positions, strict=True)):
        if positions[0] is positions[1]:
            continue
        for get in (kept, other):
            found = ranges.position(get, number)
            if found is None or found[0].index is not index:
                return False
        first, second = (ranges.clipped(get, number, range_) for get in (kept, other))
        if first is None or second is None or not ranges.same(first, second):
            return False
    return True


@dataclass(frozen=True)
class SplitIndexRangesPass(FunctionPass):
    """Splits comprehensions where conditions on an index change.

    Before::

        %b = phi.array (%i < %n) -> !phi.vec<f64> {
          select (%i > 0), %a[%i] - %a[%i - 1], %a[%i]
        }

    After, without selection, and with positions that are provably in bounds::

        %0 = phi.array (%i < min(%n, 1)) -> !phi.vec<f64> { %a[%i] }
        %1 = phi.array (%i < max(%n - 1, 0)) -> !phi.vec<f64> { %a[%i + 1] - %a[(%i + 1) - 1] }
        %b = phi.concat %0, %1 of %n : !phi.vec<f64>

    A selection that clipping implements anyway, such as ``i > 0 ? a[i - 1] : a[i]``, is left to it
    and causes no cut: shifted copies can share one padded array. An equation of an index and an Int
    causes a cut only next to a bound: ``i == k`` next to ``i > k``. Bounds may be any Ints that
    vary with no index, in any order and out of range. If sums of an index and an argument, or a
    value of a step of a loop, may wrap, as in ``i - s > 0``, the parts are for Ints far from the
    ends of the range: their size is 0 for others, for which a copy of the comprehension follows.
    A position that is mirrored, such as ``|i - 1|``, or chosen by conditions on an index is one
    linear form in each part (`Unfolding`).
    A condition that is the same for all indices is decided where nothing is cut, too.
    Axes are cut in sequence, and small parts along one axis are not cut along the next: a body is
    copied once for each face of the domain and once for its interior, not for edges and corners.
    The parts of a comprehension have at most ``MOST_OPERATIONS`` operations together.

    With ``padded``, neighbours with guards, ``where(i > 0, a[i - 1], 0)`` and
    ``where(i < n - 1, a[i + 1], 0)``, are ``b[i]`` and ``b[i + 2]``, and only ``b`` has parts::

        %0 = phi.array (%i < %one) -> !phi.vec<f64> { %zero }
        %1 = phi.concat %0, %a : !phi.vec<f64>
        %b = phi.concat %1, %0 of %m : !phi.vec<f64>                      // m = n + 2
    """

    name = "split-index-ranges"
    looks_for = (arith.CmpiOp, math.AbsIOp, phi.UpdateOp)  # conditions, and rows that are written

    static: bool = False
    """Cut only where shapes decide: by constants, and by sizes that no step of a loop computes."""

    padded: bool = False
    """Whether guarded elements at several offsets are reads of one array with a border, in place of
    three parts or more."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        sizes, free = analyses.get(equal_sizes, function), analyses.get(free_indices, function)
        forms = analyses.get(index_forms, function)
        for array in innermost_first(function, phi.ArrayOp):
            if not _may_split(array):
                continue
            array = _written_elements(array, free) or array
            ranges = IndexRanges(array, forms, free, sums=not self.static)
            borders = pad_guarded(array, forms, ranges, sizes) if self.padded else []
            for each in (*borders, array):
                joined = split_array(each, forms, sizes, analyses.note, static=self.static)
                if joined is not None:
                    sizes.inherit(joined, each.result)
                    Rewriter.replace_op(each, (), (joined,))
