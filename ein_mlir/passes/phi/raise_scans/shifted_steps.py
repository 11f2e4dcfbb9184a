"""Folds that read elements at a distance from an index, as folds over the positions of these."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.bounds import Bound
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Test, step_of
from ein_mlir.analysis.phi.size_bounds import counted_by
from ein_mlir.analysis.scopes import operations_in, outermost_without
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.selection import MOST_PLACES, repeated_value
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import (
    assume,
    bounds_of_steps,
    checked_count,
    keep_steps,
    start_at,
)
from ein_mlir.rewriting.phi.replacement import Raising

FEW_STEPS = 32
"""Fewer steps take less time one by one than runs of 1, 2, 4, .. elements that make up windows."""


@dataclass(frozen=True)
class _Shift:
    """The first of all positions at an index, and their number at all indices."""

    bound: Bound
    index: BlockArgument
    first: LinearForm
    behind: LinearForm


def raise_shifted(op: phi.FoldOp, raising: Raising, *, products: bool = False) -> bool:
    """``fold (k < c) { where(i + k < n, f(x[i + k]), acc) }
    -->  fold (q < n) { where(q >= i, f(x[q]), acc) }``

    Likewise for ``i - k >= 0``, where q is ``m - 1 - i + k`` for m indices. Whether ``raising``
    replaces the new fold, as it may if the elements vary with q alone. If it combines a range of
    positions, few steps stay, as those of windows: the new fold takes them where there are more.
    With ``products``, it may be that products of elements up to a step vary with q alone.
    """
    shifts = _shifts(op, raising.forms, products=products)
    return any(_is_raised(op, shift, raising) for shift in shifts)


def _is_raised(op: phi.FoldOp, shift: _Shift, raising: Raising) -> bool:
    new, is_range = _over_positions(op, shift, raising.forms)
    if not is_range or not _combines_elements(op):
        return raising.replace(op, new)
    outside = Builder.before(outermost_without(op, [op.count]), raising.forms.add)
    is_few, none = outside.compare(op.count, "sle", FEW_STEPS), outside.min(op.count, 0)
    few = outside.select(is_few, op.count, none)
    new.operands[0] = Builder.before(op, raising.forms.add).select(is_few, none, new.count)
    total = raising.value(op, new)
    if total is not None:
        op.operands[0], op.operands[1] = few, total
        raising.forms.renew(op)
    return total is not None


def _start_at_first(op: phi.FoldOp, shift: _Shift, forms: IndexForms) -> None:
    """``fold (j < q - i) { f(i + j) }  -->  fold (j < q) { where(j >= i, f(j), acc) }``

    in a step q. Its count does not vary with the index then, and is not negative for q < i.
    """
    count = forms.form(op.count) + shift.first
    op.operands[0] = Builder.before(op).linear_value(count)
    start, last = Builder.at_start(op.body.block), Builder.before_end(op.body.block)
    start_at(start, op, start.linear_value(-shift.first))
    keep_steps(last, op, last.compare(op.counter, "sge", last.linear_value(shift.first)))


def _combines_elements(op: phi.FoldOp) -> bool:
    """Whether a number of steps combines elements, in an order that does not matter.

    The numbers of equal steps and sums of Ints are differences.
    """
    step = step_of(op)
    if step is None or known_int(op.count) is not None or repeated_value(op, step):
        return False
    algebra = algebra_of(step.combine.name)
    return algebra is not None and algebra.takes_any_order and not algebra.is_invertible


def _shifts(op: phi.FoldOp, forms: IndexForms, *, products: bool) -> Iterator[_Shift]:
    """The shifts by an index with which the last step is the same, and some position that is read.

    None of few steps: these are windows.
    """
    count = known_int(op.count)
    if not forms.free.of(op.result) or (count is not None and count <= MOST_PLACES):
        return
    for bound in bounds_of_steps(op, forms):
        behind = None if bound.suffix else bound.form(forms)
        varying = [atom for atom in behind.coefficients if forms.free.of(atom)] if behind else []
        if behind is None or len(varying) != 1 or not phi.is_comprehension_index(varying[0]):
            continue
        (index,) = varying
        assert isinstance(index, BlockArgument)
        factor, first = behind.coefficients[index], LinearForm.of(index)
        if factor == 1:
            first = forms.form(phi.size_of_index(index)) - 1 - first
        all_of_them = forms.canonical(behind + first)
        is_shift = abs(factor) == 1 and forms.is_exact(all_of_them)
        if is_shift and _reads(op, index, factor, forms, products=products):
            yield _Shift(bound, index, first, all_of_them)


def _reads(
    op: phi.FoldOp, index: SSAValue, factor: int, forms: IndexForms, *, products: bool
) -> bool:
    """Whether a position that steps read varies with the shifted counter, and not with the index.

    It has the counter with the same factor as the index, or with the opposite one. The last
    position of ``products`` may be it.
    """
    gets = (each for each in operations_in(op) if isinstance(each, phi.GetOp))
    positions = (
        forms.unclipped(position, forms.size(get.array, axis))
        for get in gets
        for axis, position in enumerate(get.positions)
    )
    found = (forms.form(position) for position in positions)
    if products:
        found = (_at_end(form, op, forms) for form in found)
    pairs = ((x.coefficients.get(op.counter, 0), x.coefficients.get(index, 0)) for x in found)
    return any(step and step == -factor * other for step, other in pairs)


def _at_end(position: LinearForm, op: phi.FoldOp, forms: IndexForms) -> LinearForm:
    """A position behind the steps of the folds in those of another one."""
    for atom, factor in position.coefficients.items():
        fold = counted_by(atom)
        if isinstance(fold, phi.FoldOp) and fold.parent_op() is op:
            position += (forms.integer(fold.count) - LinearForm.of(atom)) * factor
    return position


def _over_positions(op: phi.FoldOp, shift: _Shift, forms: IndexForms) -> tuple[phi.FoldOp, bool]:
    """The fold over all positions, of which those of the index have an effect; if it has an end.

    There are no more than the steps from the last index on, however far away the limit is.
    """
    before, values = Builder.before(op, forms.add), dict[SSAValue, SSAValue]()
    count = before.linear_value(shift.behind)
    if not forms.is_nonnegative(shift.behind):
        count = before.max(count, 0)
    reached = forms.form(phi.size_of_index(shift.index)) + forms.form(op.count)
    if forms.is_exact(reached) and not forms.is_at_most(shift.behind, reached):
        count = before.min(count, before.max(before.linear_value(reached), 0))
    new, end = copy_of(op, values), shift.bound.form(forms)
    new.operands[0] = checked_count(before, op.count, count)
    block = new.body.block
    start = Builder.at_start(block)
    step = start_at(start, new, start.linear_value(-shift.first))
    test = shift.bound.test
    assume(start, new, Test(values.get(test.condition, test.condition), test.expected))
    for each in list(block.ops):
        if isinstance(each, phi.FoldOp) and shift.index in forms.form(each.count).coefficients:
            _start_at_first(each, shift, forms)
    _cancel(new, shift.index, forms)
    last, counter = Builder.before_end(block), new.counter
    is_step = last.compare(counter, "sge", last.linear_value(shift.first))
    is_range = end is None or not forms.is_at_most(end, forms.integer(op.count))
    if is_range:
        is_step = last.and_(is_step, last.compare(step, "slt", op.count))
    keep_steps(last, new, is_step)
    erase_unused(block)
    return new, is_range


def _cancel(op: phi.FoldOp, index: BlockArgument, forms: IndexForms) -> None:
    """``(q - i) + i  -->  q``, for all sums with an index in the steps of a fold."""
    for each in operations_in(op):
        if isinstance(each, arith.AddiOp | arith.SubiOp) and each.result.type == i64:
            form = forms.form(each.result)
            if op.counter in form.coefficients and index not in form.coefficients:
                each.result.replace_all_uses_with(Builder.before(each).linear_value(form))
