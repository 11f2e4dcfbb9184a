"""``share-windows``: what steps compute from overlapping windows is computed once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AnyFloat, IndexType, i1, i64
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.phi.variables import Variables, variables_of
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import around, blocks_around, is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.windows import Shift, Window, share_window

CHEAP = (arith.SelectOp, arith.ConstantOp, phi.GetOp, phi.SizeOp)
"""Operations of Floats that do no arithmetic: a guard of a read is a case of its own."""


MOST_STEP = 2**16
"""The largest factor of an index or a counter in a compared Int: no sum of multiples wraps."""


# Recognition ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Parts:
    """The variables that a value varies with, by their places in what computes it."""

    shifts: Mapping[BlockArgument, Shift] = field(default_factory=dict[BlockArgument, Shift])
    """The counters in shifts."""
    alone: frozenset[BlockArgument] = frozenset()
    """The variables outside of shifts."""


def _joined(parts: Sequence[_Parts | None]) -> _Parts | None:
    """The parts of a value from those of its operands; None if a counter has two shifts."""
    shifts, alone = dict[BlockArgument, Shift](), set[BlockArgument]()
    for each in parts:
        if each is None:
            return None
        alone |= each.alone
        for counter, shift in each.shifts.items():
            if shifts.setdefault(counter, shift) != shift:
                return None
    return _Parts(shifts, frozenset(alone))


class _Windows:
    """The windows of a function."""

    def __init__(self, function: func.FuncOp, forms: IndexForms):
        self._variables = variables_of(function)
        self._forms = forms
        self._parts = dict[SSAValue, _Parts | None]()

    def add(self, ops: Iterable[Operation]) -> None:
        """Note operations that were added in a fold."""
        none: Variables = frozenset()
        for op in ops:
            varying = none.union(*(self._variables.get(value, none) for value in op.operands))
            self._variables.update(dict.fromkeys(op.results, varying))
        self._parts.clear()

    def of(self, op: Operation) -> Window | None:
        """An operation in a fold as a window whose elements are arithmetic."""
        varying = self._variables[op.results[0]]
        shifts = self._shifts(op.results[0], varying)
        if not shifts or not all(is_nonnegative(shift.fold.count) for shift in shifts):
            return None
        outermost = min((shift.fold for shift in shifts), key=_depth)
        indices = [arg for arg in _indices_around(op) if arg in varying]
        window = Window(op, shifts, outermost, indices, self._needed(op, varying, outermost))
        return window if self._is_profitable(window) and self._is_free(window) else None

    def _shifts(self, value: SSAValue, varying: Variables) -> Sequence[Shift]:
        """The shift of each counter that a value varies with; empty if one has none."""
        parts = self._parts_of(value)
        if parts is None:
            return ()
        found = parts.shifts
        partners = [shift.index for shift in found.values()]
        is_shifted = all(each in found or phi.is_comprehension_index(each) for each in varying)
        is_own = len(set(partners)) == len(partners) and not parts.alone & {*found, *partners}
        return tuple(found.values()) if is_shifted and is_own else ()

    def _parts_of(self, value: SSAValue) -> _Parts | None:
        """The parts of a value, found once; None if it is no arithmetic on shifts and variables."""
        pending = [value]
        while pending:
            missing = () if pending[-1] in self._parts else self._visit(pending[-1])
            if missing:
                pending.extend(missing)
            else:
                pending.pop()
        return self._parts[value]

    def _visit(self, value: SSAValue) -> Sequence[SSAValue]:
        """Set the parts of a value, unless those of some operands are missing: return these."""
        owner = value.owner
        if not self._variables.get(value):
            parts = _Parts()
        elif isinstance(value, BlockArgument):
            parts = _Parts(alone=frozenset((value,)))
        elif (shift := self._shift(value)) is not None:
            parts = _Parts({shift.fold.counter: shift})
        elif isinstance(owner, Operation) and not owner.regions:
            missing = [operand for operand in owner.operands if operand not in self._parts]
            if missing:
                return missing
            parts = _joined([self._parts[operand] for operand in reversed(owner.operands)])
        else:
            parts = None
        self._parts[value] = parts
        return ()

    def _shift(self, value: SSAValue) -> Shift | None:
        """``c * (index + counter) + x``, or with a difference; x varies with neither.

        Or the comparison of such a form with zero.
        """
        form = self._difference(value) if value.type == i1 else None
        if value.type == i64:
            form = self._forms.form(value)
        if form is None:
            return None
        varying = {atom: k for atom, k in form.coefficients.items() if self._variables.get(atom)}
        if len(varying) != 2:
            return None
        indices = [atom for atom in varying if isinstance(atom.type, IndexType)]
        counters = [fold for atom in varying if (fold := _fold_of(atom)) is not None]
        if len(indices) != 1 or len(counters) != 1:
            return None
        (index,), (fold,) = indices, counters
        step = varying[fold.counter]
        if not isinstance(index, BlockArgument) or varying[index] not in (step, -step):
            return None
        return Shift(fold, index, varying[index] == -step)

    def _difference(self, value: SSAValue) -> LinearForm | None:
        """The difference of compared Ints, if it is exact wherever the shift is in its range."""
        found = relation_of(value)
        if found is None or found.is_unsigned:
            return None
        sides = [self._forms.exact_form(side) for side in (found.lhs, found.rhs)]
        if any(side is None or not self._is_small(side) for side in sides):
            return None
        return self._forms.form(found.lhs) - self._forms.form(found.rhs)

    def _is_small(self, form: LinearForm) -> bool:
        """Whether a form is exact for indices and counters of twice their range, too."""
        return all(
            abs(factor) <= MOST_STEP and self._forms.range(atom) in SUMS_OF_SIZES
            for atom, factor in form.coefficients.items()
        )

    def _needed(
        self, op: Operation, varying: Variables, outermost: phi.FoldOp
    ) -> Sequence[Operation]:
        """The operations that compute a value, of those in a fold and those that vary as it."""
        found, pending = dict[Operation, None](), [op]
        while pending:
            current = pending.pop()
            if current in found:
                continue
            found[current] = None
            for value in current.operands:
                owner = value.owner
                is_varying = bool(self._variables.get(value, frozenset()) & varying)
                if isinstance(owner, Operation) and (is_varying or is_within(value, outermost)):
                    pending.append(owner)
        return [each for block in blocks_around(op) for each in block.ops if each in found]

    def _is_profitable(self, window: Window) -> bool:
        """Whether elements are more than reads, and no more than those of an array that is read."""
        reads = [op for op in window.needed if isinstance(op, phi.GetOp)]
        varying = self._variables[window.op.results[0]]
        is_work = any(
            isinstance(op.results[0].type, AnyFloat)
            and (not isinstance(op, CHEAP) or self._is_joint(op, varying))
            for op in window.needed
        ) or any(self._is_scattered(read) for read in reads)
        return is_work and any(self._variables[read.result] == varying for read in reads)

    def _is_joint(self, op: Operation, varying: Variables) -> bool:
        """Whether a value is ``where(i >= k, a[i - k], b[k - i])``, a choice of two windows."""
        branches = op.operands[1:] if isinstance(op, arith.SelectOp) else ()
        varies = (self._variables.get(each, frozenset()) == varying for each in branches)
        return bool(branches) and all(varies)

    def _is_scattered(self, read: phi.GetOp) -> bool:
        """Whether a position is no linear form: a reflected or periodic one."""
        return any(
            self._variables.get(position)
            and position.type == i64
            and any(not isinstance(a, BlockArgument) for a in self._varying_atoms(position))
            for position in read.positions
        )

    def _varying_atoms(self, position: SSAValue) -> Iterator[SSAValue]:
        form = self._forms.form(position)
        return (atom for atom in form.coefficients if self._variables.get(atom))

    def _is_free(self, window: Window) -> bool:
        """Whether a window may be computed before its outermost fold."""
        outermost = window.outermost
        if any(may_fail(op) for op in window.needed):
            return False
        return not any(is_within(value, outermost) for value in window.captured())


def _fold_of(value: SSAValue) -> phi.FoldOp | None:
    """The fold whose counter a value is."""
    parent = value.block.parent_op() if isinstance(value, BlockArgument) else None
    return parent if isinstance(parent, phi.FoldOp) and value is parent.counter else None


def _depth(op: Operation) -> int:
    return len(list(around(op)))


def _indices_around(op: Operation) -> list[BlockArgument]:
    """The indices of the comprehensions around an operation, outermost first."""
    return [
        arg for block in blocks_around(op) for arg in block.args if phi.is_comprehension_index(arg)
    ]


def _candidates(function: func.FuncOp) -> list[Operation]:
    """The operations of Floats in folds, users before what they use."""
    return [
        op
        for op in reversed(operations_in(function))
        if len(op.results) == 1
        and isinstance(op.results[0].type, AnyFloat)
        and not op.regions
        and any(isinstance(each, phi.FoldOp) for each in around(op.parent_op()))
    ]


class ShareWindowsPass(FunctionPass):
    """Computes an element once that the steps at several indices need.

    Before::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
            %0 = arith.addi %i, %k : i64
            %x = phi.get %a[%0] : !phi.vec<f64>[i64]
            %1 = arith.subf %x, %mean : f64
            %2 = arith.addf %acc, %1 : f64
            phi.yield %2 : f64
          }
          phi.yield %s : f64
        }

    After, with ``%size = max(%n + %m - 1, 0)``::

        %b = phi.array (%i < %size) -> !phi.vec<f64> {
          %x = phi.get %a[%i] : !phi.vec<f64>[i64]
          %1 = arith.subf %x, %mean : f64
          phi.yield %1 : f64
        }
        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          %s = phi.fold (%k < %m, %acc = %zero) -> f64 {
            %0 = arith.addi %i, %k : i64
            %1 = phi.get %b[%0] : !phi.vec<f64>[i64]
            %2 = arith.addf %acc, %1 : f64
            phi.yield %2 : f64
          }
          phi.yield %s : f64
        }

    The law is that of ``separate-windows``: a value that varies with a counter only by its sum with
    an index, or the difference, has the same value wherever that is the same. Several counters have
    an index each, as in a window of two axes. The window is then a view: a call of a library reads
    its elements as they are. Values are shared where they do arithmetic, or read an element at a
    position that is no linear form (at a reflected border), and vary with no more indices than an
    element that they read. A choice between two windows is one window, if the condition compares
    such a sum or difference: a Toeplitz matrix, ``where(i >= k, a[i - k], b[k - i])``.
    """

    name = "share-windows"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        pending = _candidates(function)
        if not pending:
            return
        windows = _Windows(function, analyses.get(index_forms, function))
        for op in pending:
            if op.parent is None or op.results[0].first_use is None:
                continue
            window = windows.of(op)
            if window is None:
                continue
            windows.add(share_window(window).at)
            names = ", ".join(shift.text for shift in window.shifts)
            analyses.note(
                window.outermost, f"elements of windows are computed once for each {names}"
            )
