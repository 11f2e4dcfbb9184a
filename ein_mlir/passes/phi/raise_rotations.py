"""``raise-rotations``: steps of folds that read around the end of an axis read at remainders."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import TypeIs
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.index_ranges import IndexRanges
from ein_mlir.analysis.phi.size_bounds import counted_by
from ein_mlir.analysis.scopes import around, of_kinds, operations_in
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.phi.integers import PhiLevel
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.remainders import reduce_remainder
from ein_mlir.rewriting.phi.replacement import replace


def _turned(op: arith.SelectOp, forms: IndexForms) -> SSAValue | None:
    """A choice of elements as an element at a remainder, or one of positions as a remainder."""
    lhs, rhs = op.lhs.owner, op.rhs.owner
    if isinstance(lhs, phi.GetOp) and isinstance(rhs, phi.GetOp) and lhs.array is rhs.array:
        return _element(op, lhs, rhs, forms)
    sizes = [forms.size(use.operation.operands[0], use.index - 1) for use in op.result.uses]
    return _position(op, op.lhs, op.rhs, sizes, forms)


def _is_place(op: Operation) -> TypeIs[arith.SelectOp]:
    """Whether an operation in a fold chooses an element of an array, or a position of elements."""
    if not isinstance(op, arith.SelectOp) or not any(
        isinstance(each, phi.FoldOp) for each in around(op)
    ):
        return False
    lhs, rhs = op.lhs.owner, op.rhs.owner
    if isinstance(lhs, phi.GetOp) and isinstance(rhs, phi.GetOp) and lhs.array is rhs.array:
        return True
    is_position = all(isinstance(use.operation, phi.GetOp) for use in op.result.uses)
    return op.result.type == i64 and is_position


def _element(
    op: arith.SelectOp, lhs: phi.GetOp, rhs: phi.GetOp, forms: IndexForms
) -> SSAValue | None:
    """``where(i + 1 < n, x[i + 1, j], x[0, j])  -->  x[(i + 1) mod n, j]``"""
    pairs = list(zip(lhs.positions, rhs.positions, strict=True))
    axes = [n for n, pair in enumerate(pairs) if not forms.equal(*map(forms.form, pair))]
    if len(axes) != 1:
        return None
    size = forms.size(lhs.array, axes[0])
    position = _position(op, *pairs[axes[0]], [size], forms)
    if position is None:
        return None
    positions = [position if n == axes[0] else lhs for n, (lhs, _) in enumerate(pairs)]
    return Builder.before(op).get(lhs.array, positions)


def _position(
    op: arith.SelectOp,
    lhs: SSAValue,
    rhs: SSAValue,
    sizes: Sequence[LinearForm | None],
    forms: IndexForms,
) -> SSAValue | None:
    """``where(i + 1 < n, i + 1, 0)  -->  (i + 1) mod n``, ``where(i > 0, i - 1, n - 1)``"""
    for near, far, expected in ((lhs, rhs, True), (rhs, lhs, False)):
        form, other = forms.form(near), forms.form(far)
        counter, step = next(iter(form.coefficients), None), form.constant
        if counter is None or step not in (1, -1) or form != LinearForm({counter: 1}) + step:
            continue
        loop = counted_by(counter)
        if not isinstance(loop, phi.FoldOp) or not _selects(
            op.cond, loop, step, forms, expected=expected
        ):
            continue
        count = forms.extent(loop.count)
        opposite = LinearForm() if step > 0 else count - 1
        is_opposite = any(forms.equal(other, end) for end in (opposite, form - count * step))
        if is_opposite and all(size is not None and forms.equal(size, count) for size in sizes):
            build = Builder.before(op)
            return build.floormod(build.add(counter, step), loop.count)
    return None


def _selects(
    condition: SSAValue, loop: phi.FoldOp, step: int, forms: IndexForms, *, expected: bool
) -> bool:
    """Whether a condition is as expected in all steps but the last one, or but the first one."""
    ranges = IndexRanges(loop, forms, None)
    found, whole = ranges.comparison(condition), ranges.whole(loop.counter)
    if found is None or found.index is not loop.counter:
        return False
    parts = ranges.cut(whole, ranges.size(loop.counter) - 1 if step > 0 else LinearForm.number(1))
    near, end = parts if step > 0 else reversed(parts)
    return [ranges.holds(found, part) for part in (near, end)] == [expected, not expected]


@dataclass(frozen=True)
class RaiseRotationsPass(FunctionPass):
    """Turns choices between a neighbour and the other end of an axis into remainders, in folds.

    Before, where ``%n`` is the size of ``%x``::

        %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
          .. select (%i + 1 < %n), %x[%i + 1], %x[%first] ..
        }

    After::

        %s = phi.fold (%i < %n, %acc = %zero) -> f64 { .. %x[(%i + 1) mod %n] .. }

    Later passes know the array read so as a rotated one. So is the neighbour before,
    ``where(i > 0, x[i - 1], x[n - 1])``, along one axis of several, and a choice of positions,
    ``x[where(i == n - 1, 0, i + 1)]``. In a comprehension the choice stays: its ends are parts of
    the result (``split-index-ranges``), without a copy of the array.

    With ``derivatives`` it is for functions that have some, before these are expanded: cotangents
    of a rotated array are rotated back then, and ``((i + 1) mod n - 1) mod n`` is i.
    """

    name = "raise-rotations"
    looks_for = (arith.SelectOp, sigma.FloorModOp)

    derivatives: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        remainders = of_kinds(operations_in(function), sigma.FloorModOp)
        for op in remainders:
            reduce_remainder(op, Integers(PhiLevel()))
        for op in filter(_is_place, operations_in(function)):
            forms = analyses.get(index_forms, function)
            if (found := _turned(op, forms)) is not None:
                analyses.note(op, "the first element follows the last one: a rotation")
                replace(op, found)
