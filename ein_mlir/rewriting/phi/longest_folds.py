"""Folds whose counts vary with the counters of others take as many steps as the longest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.element_cost import SHORT
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.longest_loops import independent_counters, largest
from ein_mlir.analysis.scopes import outermost_without
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder


def with_longest_count(op: phi.FoldOp, forms: IndexForms) -> phi.FoldOp | None:
    """``fold (k < i + 1) { e }  -->  fold (k < n) { where(k < i + 1, e, acc) }``

    for the counter i of a fold of n steps around it: a new fold, or None if no such bound is known.
    The bound of ``min(i, 3)`` is 3, of few steps. A bound that may be negative is an operand of the
    new count, which is an error where the old one is.
    """
    bounds = list(_bounds(op, op.count, forms))
    signed = [bound for bound in bounds if not bound.is_nonnegative]
    if not any(bound.varies for bound in bounds) or any(bound.varies for bound in signed):
        return None
    known = [each.largest for each in bounds if each.largest is not None and each not in signed]
    if not known and not signed:
        return None
    few = [bound for bound in known if (number := bound.known()) is not None and number <= SHORT]
    taken = [*(few[:1] or known), *(each.form for each in signed)]
    fold = op.clone()
    fold.operands[0] = _least(op, few[:1] or known, [each.form for each in signed], forms)
    end = Builder.before_end(fold.body.block)
    others = (each.count for each in bounds if each.varies or each.form not in taken)
    tests = [end.compare(fold.counter, "slt", each) for each in others]
    is_step = reduce(end.and_, tests)
    fold.yield_instead(end.guarded_step(is_step, fold.yielded(), fold.accumulator))
    erase_unused(fold.body.block)
    forms.add(fold)
    return fold


def is_over_windows(op: phi.FoldOp, forms: IndexForms) -> bool:
    """Whether some bounds of a count are the same in all steps around, and others are not."""
    varies = [bound.varies for bound in _bounds(op, op.count, forms)]
    return any(varies) and not all(varies)


@dataclass(frozen=True)
class _Bound:
    """An upper bound of a count: that itself, or an operand of a minimum that it is."""

    count: SSAValue
    form: LinearForm
    largest: LinearForm | None
    """Its largest value, if that is known."""
    varies: bool
    is_nonnegative: bool


def _least(
    op: phi.FoldOp, bounds: Sequence[LinearForm], signed: Sequence[LinearForm], forms: IndexForms
) -> SSAValue:
    """The least of some bounds, before all loops that define no value of them.

    It is negative, which is an error, just where one of ``signed`` is.
    """
    atoms = [atom for bound in (*bounds, *signed) for atom in bound.coefficients]
    build = Builder.before(outermost_without(op, atoms), forms.add)
    values = list(map(build.linear_value, bounds))
    if not all(map(forms.is_nonnegative, bounds)):
        values = [build.max(reduce(build.min, values), 0)]
    return reduce(build.min, [*values, *map(build.linear_value, signed)])


def _bounds(op: phi.FoldOp, count: SSAValue, forms: IndexForms) -> Iterator[_Bound]:
    """The upper bounds of a count."""
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
    varies = not counters.keys().isdisjoint(form.coefficients)
    yield _Bound(count, form, longest, varies, forms.is_nonnegative(form))
