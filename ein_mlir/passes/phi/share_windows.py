"""``share-windows``: values and folds of steps from overlapping windows are computed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AnyFloat, i64
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.shifts import Shift, Shifts
from ein_mlir.analysis.phi.size_bounds import counted_by
from ein_mlir.analysis.phi.speculation import Sized, may_fail, may_fail_first, negative_sizes
from ein_mlir.analysis.phi.variables import Variables
from ein_mlir.analysis.scopes import (
    around,
    blocks_around,
    is_defined_in,
    is_within,
    of_kinds,
    operations_in,
    reached,
    sources_within,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.windows import Window, indices_around, share_window, window_of

WORK = (phi.FoldOp, phi.ReduceOp)
"""The operations for which an array of results is profitable."""

CHEAP = (arith.SelectOp, arith.ConstantOp, phi.GetOp, phi.SizeOp)
"""Operations of Floats that do no arithmetic: a guard of a read is a case of its own."""

# Values of steps --------------------------------------------------------------------------------


class _Windows:
    """The windows of a function."""

    def __init__(self, function: func.FuncOp, forms: IndexForms):
        self.values = Shifts(function, forms)
        self._forms = forms

    def may_shift(self, op: Operation) -> bool:
        """Whether an operation may combine a counter with an index."""
        if not isinstance(op, arith.AddiOp | arith.SubiOp | arith.CmpiOp):
            return False
        varying = self.values.variables(op.result)
        return any(map(phi.is_comprehension_index, varying)) and any(map(counted_by, varying))

    def of(self, op: Operation) -> Window | None:
        """An operation in a fold as a window whose elements are arithmetic."""
        varying = self.values.variables(op.results[0])
        left = indices_around(op, set(filter(phi.is_comprehension_index, varying)))
        root = left[0].block.parent_op() if left else None
        if root is None:
            return None
        shifts = self._shifts(op, left, self._varying(op.results[0], root))
        if not shifts or not all(is_nonnegative(shift.fold.count) for shift in shifts):
            return None
        folds = [shift.fold for shift in shifts]

        def is_fixed(value: SSAValue) -> bool:
            is_inside = any(is_within(value, fold) for fold in folds)
            return not is_inside and not self._varying(value, root)

        window = window_of(op, shifts, is_fixed)
        if window is None or any(each.regions for each in window.needed):
            return None
        return window if self._is_profitable(window, root) and self._is_free(window) else None

    def _varying(self, value: SSAValue, root: Operation) -> Variables:
        """The variables that a value varies with in the loops of an operation.

        Those of loops around it, such as the state before a step, are the same for all elements.
        """
        return frozenset(each for each in self.values.variables(value) if is_within(each, root))

    def _shifts(
        self, op: Operation, left: Sequence[BlockArgument], varying: Variables
    ) -> Sequence[Shift]:
        """A shift for each counter that a value varies with; empty if one has none."""
        (result,) = op.results
        rest, found = list(left), list[Shift]()
        variables = dict.fromkeys(x for term in self.values.terms(result) for x, _ in term)
        for variable in [x for x in variables if x in varying and x not in left]:
            loop = counted_by(variable)
            is_fold = isinstance(loop, phi.FoldOp)
            shift = self.values.shift(result, loop, rest) if is_fold else None
            if shift is None:
                return ()
            rest.remove(shift.index)
            found.append(shift)
        return found

    def _is_profitable(self, window: Window, root: Operation) -> bool:
        """Whether elements are more than reads, and no more than those of an array that is read."""
        reads = [op for op in window.needed if isinstance(op, phi.GetOp)]
        varying = self._varying(window.op.results[0], root)
        is_work = any(
            isa(op.results[0].type, AnyFloat)
            and (not isinstance(op, CHEAP) or self._is_joint(op, varying, root))
            for op in window.needed
        ) or any(self._is_scattered(read) for read in reads)
        return is_work and any(self._varying(read.result, root) == varying for read in reads)

    def _is_joint(self, op: Operation, varying: Variables, root: Operation) -> bool:
        """Whether a value is ``where(i >= k, a[i - k], b[k - i])``, a choice of two windows."""
        branches = op.operands[1:] if isinstance(op, arith.SelectOp) else ()
        varies = (self._varying(each, root) == varying for each in branches)
        return bool(branches) and all(varies)

    def _is_scattered(self, read: phi.GetOp) -> bool:
        """Whether a position is no linear form: a reflected or periodic one."""
        return any(
            self.values.variables(position)
            and position.type == i64
            and any(not isinstance(a, BlockArgument) for a in self._varying_atoms(position))
            for position in read.positions
        )

    def _varying_atoms(self, position: SSAValue) -> Iterator[SSAValue]:
        form = self._forms.form(position)
        return (atom for atom in form.coefficients if self.values.variables(atom))

    def _is_free(self, window: Window) -> bool:
        """Whether a window may be computed before its outermost fold, once for all its indices."""
        outermost, place = window.outermost, window.place
        if any(may_fail(op) for op in window.needed):
            return False
        if not all(is_within(index, place) for index in window.indices):
            return False
        return not any(is_within(value, outermost) for value in window.captured())


def _candidates(function: func.FuncOp) -> list[Operation]:
    """The operations of Floats in folds, users before their operands."""
    ops = operations_in(function)
    inside = {op for fold in of_kinds(ops, phi.FoldOp) for op in operations_in(fold)}
    return [
        op
        for op in reversed(ops)
        if op in inside
        and not op.regions
        and len(op.results) == 1
        and isa(op.results[0].type, AnyFloat)
    ]


def share_values(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Share the Floats of steps."""
    pending = _candidates(function)
    if not pending:
        return
    windows = _Windows(function, analyses.get(index_forms, function))
    if not any(map(windows.may_shift, operations_in(function))):
        return
    for op in pending:
        if op.parent is None or op.results[0].first_use is None:
            continue
        window = windows.of(op)
        if window is None:
            continue
        windows.values.add(share_window(window).at)
        names = ", ".join(shift.text for shift in window.shifts)
        analyses.note(window.outermost, f"elements of windows are computed once for each {names}")


# Folds in steps ---------------------------------------------------------------------------------


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


def _candidate_folds(root: Operation) -> list[phi.FoldOp]:
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


def share_folds(function: func.FuncOp, analyses: AnalysisManager, *, once: bool = False) -> None:
    """Share the rows of windows, which read them at the position of a step."""
    pending = _candidate_folds(function)
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
                shared = share_window(row)
                free.add(*shared.before)
                free.add(*shared.at)
                free.replace(op.results[0], shared.at[-1].results[0])
                pending.extend(_candidate_folds(shared.before[-1]))
                shifts = Shifts(function, forms)


@dataclass(frozen=True)
class ShareWindowsPass(FunctionPass):
    """Computes a value or a fold once that the steps at several indices need.

    Before::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          phi.fold (%k < %m, %acc = %zero) -> f64 { %acc + (%a[%i + %k] - %mean) }
        }

    After, with ``%size = max(%n + %m - 1, 0)``::

        %b = phi.array (%i < %size) -> !phi.vec<f64> { %a[%i] - %mean }
        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          phi.fold (%k < %m, %acc = %zero) -> f64 { %acc + %b[%i + %k] }
        }

    The law: a value that varies with a counter only by its sum with an index, or the difference,
    has the same value wherever that is the same. Its values with constant 0 for the counter are
    those for all counters. Several counters have an index each, as in a window of two axes. The
    window is then a view: a call of a library reads its elements as they are. Values are shared
    where they do arithmetic, or read an element at a position that is no linear form (at a
    reflected border), and vary with no more indices than an element that they read. A choice
    between two windows is one window, if the condition compares such a sum or difference: a
    Toeplitz matrix, ``where(i >= k, a[i - k], b[k - i])``.

    With ``folds``, the shared values are folds in the steps of others: a window of ``h * w``
    elements takes ``h + w`` steps. Each sum has the same terms in the same order as before, so the
    folds may be of any operation. These rows of windows are computed before all loops that define
    no part of them. They have the axes of the free indices of the inner fold, and need no more
    memory than the result. An error of the inner fold, whose count may be negative, is raised if
    the outer one is reached and has steps; other operations that may raise an error are not moved.
    """

    name = "share-windows"
    looks_for = (phi.FoldOp,)

    folds: bool = False
    """Whether folds are shared, in place of other values."""

    once: bool = False
    """Whether the rows must serve all elements, on backends that compute each element in loops:
    steps of loops around the inner fold that the rows vary with may be in between."""

    derivatives: bool = False
    """Whether it is for functions with derivatives only: a cotangent of a window is summed once."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if self.folds:
            share_folds(function, analyses, once=self.once)
        else:
            share_values(function, analyses)
