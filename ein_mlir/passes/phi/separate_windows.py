"""``separate-windows``: folds over rows of overlapping windows are computed once for each row."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.shifts import Shifts
from ein_mlir.analysis.phi.speculation import Sized, may_fail, may_fail_first, negative_sizes
from ein_mlir.analysis.scopes import (
    around,
    blocks_around,
    is_defined_in,
    is_within,
    operations_in,
    reached,
    sources_within,
)
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.windows import Window, indices_around, share_window, window_of

WORK = (phi.FoldOp, phi.ReduceOp)
"""The operations for which an array of results is profitable."""


# Recognition ----------------------------------------------------------------------------------


class _Rows:
    """The values of steps of a fold that vary with its counter as with an index."""

    def __init__(self, fold: phi.FoldOp, free: FreeIndices, shifts: Shifts):
        self._fold, self._free, self._shifts = fold, free, shifts

    def of(self, op: Operation) -> Window | None:
        """An operation of the body as a row of windows, if it is one."""
        (result,) = op.results
        if not phi.is_scalar_type(result.type):
            return None
        indices = indices_around(op, self._free.of(result))
        shift = self._shifts.shift(result, self._fold, indices)
        row = None if shift is None else window_of(op, [shift], self._is_in_front)
        return None if row is None or self._may_fail_early(row) else row

    def _may_fail_early(self, row: Window) -> bool:
        """Whether a row may raise an error before the loops that the program does not raise.

        If there are only comprehensions around the fold, it is reached in any case, and
        ``share_window`` sees to its counts.
        """
        inner = [each for op in row.needed for each in operations_in(op)]
        loops = [each for each in around(row.outermost) if row.place.is_ancestor(each)]
        if not all(isinstance(each, phi.ComprehensionOp) for each in loops[1:]):
            return any(may_fail_first(each, row.place) for each in inner)
        return any(
            not isinstance(each, Sized)
            or any(is_within(size, row.place) for size in negative_sizes(each))
            for each in inner
            if may_fail(each)
        )

    def _is_in_front(self, value: SSAValue) -> bool:
        """Whether a value is defined before the fold, and varies with none of the indices."""
        return not is_defined_in(value, self._fold.body.block) and not self._free.of(value)


# Rewriting ------------------------------------------------------------------------------------


def _share(row: Window, free: FreeIndices) -> phi.ArrayOp:
    """Compute a row at all positions before the fold, and read it at the position of a step."""
    shared = share_window(row)
    array, read = shared.before[-1], shared.at[-1]
    free.add(*shared.before)
    free.add(*shared.at)
    free.replace(row.op.results[0], read.results[0])
    assert isinstance(array, phi.ArrayOp)
    return array


def _candidates(root: Operation) -> list[phi.FoldOp]:
    """The folds in comprehensions with folds in their steps, outermost first."""
    return [
        op
        for op in operations_in(root)
        if isinstance(op, phi.FoldOp)
        and any(isinstance(inner, WORK) for inner in op.body.block.ops)
        and any(isinstance(block.parent_op(), phi.ArrayOp) for block in blocks_around(op))
    ]


def _is_shared(row: Window) -> bool:
    """Whether the array of rows can leave the comprehensions whose indices it has as axes.

    It cannot if it varies with another variable of them, or of loops in them: it would be computed
    for each element. Constants among its operands leave them, too (``outline``).
    """

    def is_inside(value: SSAValue) -> bool:
        return any(is_within(value, index.block) for index in row.indices)

    found = reached(row.captured(), lambda x: sources_within(x) if is_inside(x) else ())
    return not any(isinstance(value, BlockArgument) and is_inside(value) for value in found)


def separate_windows(
    function: func.FuncOp, analyses: AnalysisManager, *, once: bool = False
) -> None:
    """Share the rows of windows in a function."""
    pending = _candidates(function)
    if not pending:
        return
    free, forms = analyses.get(free_indices, function), analyses.get(index_forms, function)
    shifts, seen = Shifts(function, forms), set[phi.FoldOp]()
    while pending:
        fold = pending.pop(0)
        if fold in seen or fold.parent is None:
            continue
        seen.add(fold)
        for op in list(fold.body.block.ops):
            row = _Rows(fold, free, shifts).of(op) if isinstance(op, WORK) else None
            if row is not None and (_is_shared(row) or not once):
                (shift,) = row.shifts
                analyses.note(fold, f"a step is computed once for each {shift.text}")
                pending.extend(_candidates(_share(row, free)))
                shifts = Shifts(function, forms)


@dataclass(frozen=True)
class SeparateWindowsPass(FunctionPass):
    """Computes an inner fold once if the steps at other indices need it, too.

    Before::

        %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
          %s = phi.fold (%p < %three, %acc = %zero) -> f64 {
            %t = phi.fold (%q < %three, %acc_1 = %zero) -> f64 {
              %0 = arith.addi %i, %p : i64
              %1 = arith.addi %j, %q : i64
              %x = phi.get %a[%0, %1] : !phi.vec<!phi.vec<f64>>[i64, i64]
              %2 = arith.addf %acc_1, %x : f64
              phi.yield %2 : f64
            }
            %3 = arith.addf %acc, %t : f64
            phi.yield %3 : f64
          }
          phi.yield %s : f64
        }

    After, with ``%size = max(%n + %three - 1, 0)``::

        %rows = phi.array (%i < %size, %j < %m) -> !phi.vec<!phi.vec<f64>> {
          %t = phi.fold (%q < %three, %acc_1 = %zero) -> f64 {
            %0 = arith.addi %i, %first : i64
            %1 = arith.addi %j, %q : i64
            %x = phi.get %a[%0, %1] : !phi.vec<!phi.vec<f64>>[i64, i64]
            ...
          }
          phi.yield %t : f64
        }
        %r = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
          %s = phi.fold (%p < %three, %acc = %zero) -> f64 {
            %4 = arith.addi %i, %p : i64
            %t = phi.get %rows[%4, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
            %3 = arith.addf %acc, %t : f64
            phi.yield %3 : f64
          }
          phi.yield %s : f64
        }

    so that a window of ``h * w`` elements takes ``h + w`` steps. Each sum has the same terms in the
    same order as before, so the folds may be of any operation. The only precondition is that the
    inner fold varies with the index and the counter only by ``i + p``, or ``i - p``: its values
    with constant 0 for the counter are those for all counters. The rows are computed before all
    loops that define no part of them.

    The rows have the axes of the free indices of the inner fold, and need no more memory than the
    result. An error of the inner fold, whose count may be negative, is raised if the outer one is
    reached and has steps; other operations that may raise an error are not moved.
    """

    name = "separate-windows"
    looks_for = (phi.FoldOp,)

    once: bool = False
    """Whether the rows must serve all elements, on backends that compute each element in loops:
    steps of loops around the inner fold that the rows vary with may be in between."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        separate_windows(function, analyses, once=self.once)
