"""Folds whose steps repeat one another, as those of ``max_k e(min(k, t))`` behind t."""

from __future__ import annotations

from collections.abc import Container, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.element_cost import short_count
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.searches import leaf_values, selected_search
from ein_mlir.analysis.phi.selections import step_of
from ein_mlir.analysis.scopes import dependents, is_defined_in, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import keep_steps
from ein_mlir.rewriting.phi.replacement import Raising


@dataclass(frozen=True)
class _Clip:
    """``min(p, t)`` or ``max(p, t)``, for a position ``p = x + k`` or ``x - k``."""

    op: arith.MinSIOp | arith.MaxSIOp
    position: SSAValue
    form: LinearForm
    """That of the position."""
    limit: SSAValue
    is_behind: bool
    """Whether the clip has an effect in later steps, not in earlier ones,"""
    end: LinearForm
    """and the last k, or the last -k, where it has none."""

    @property
    def predicate(self) -> str:
        """That of the position and the limit where the clip has no effect."""
        return "sle" if isinstance(self.op, arith.MinSIOp) else "sge"


def leave_out_repeated(op: phi.FoldOp, raising: Raising) -> bool:
    """``fold (k < n) { max(acc, e(min(k, t))) }
    -->  fold (k < n) { where(k <= t, max(acc, e(k)), acc) }``

    for t >= 0: the steps behind t are those at t, and have no effect where a step that is
    taken twice has none. Likewise for ``max(k, t)`` with t < n, and for ``x + k`` and ``x - k``.
    Steps that are unrolled stay as they are. If ``raising`` replaces the new fold; whether it does.
    """
    if short_count(op) is not None or not _is_idempotent(op):
        return False
    forms = raising.forms
    clips = _clips(op, forms)
    if not clips or len({(clip.is_behind, forms.canonical(clip.end)) for clip in clips}) > 1:
        return False
    return raising.replace(op, _without(op, clips))


def _without(op: phi.FoldOp, clips: Sequence[_Clip]) -> phi.FoldOp:
    """The fold of the steps where clips have no effect, without these."""
    values, first = dict[SSAValue, SSAValue](), clips[0]
    new = copy_of(op, values)
    for clip in clips:
        values[clip.op.result].replace_all_uses_with(values[clip.position])
    build = Builder.before_end(new.body.block)
    position = build.linear_value(first.form, lambda atom: values.get(atom, atom))
    limit = values.get(first.limit, first.limit)
    keep_steps(build, new, build.compare(position, first.predicate, limit))
    erase_unused(new.body.block)
    return new


def _is_idempotent(op: phi.FoldOp) -> bool:
    """Whether a step that is taken twice has the effect of one."""
    step = step_of(op)
    if step is None:
        return selected_search(op) is not None
    algebra = algebra_of(step.combine.name)
    return algebra is not None and algebra.idempotent


def _clips(op: phi.FoldOp, forms: IndexForms) -> list[_Clip]:
    """The clips of positions that are all that steps use of the counter; none if they use others.

    Each has no effect in the first step, or in the last, from where the clipped ones are farthest.
    """
    varying = dependents(op.body.block, op.counter, op.accumulator)
    found, pending = list[_Clip](), list[SSAValue]([op.counter])
    while pending:
        value = pending.pop()
        for user in {use.operation for use in value.uses}:
            if isinstance(user, arith.AddiOp | arith.SubiOp):
                pending.append(user.result)
            if isinstance(user, arith.AddiOp | arith.SubiOp) or _keeps(op, user, value):
                continue
            clip = _clip_of(op, value, user, varying, forms)
            if clip is None:
                return []
            found.append(clip)
    return found


def _keeps(op: phi.FoldOp, user: Operation, value: SSAValue) -> bool:
    """Whether a search keeps a value with an element: no step that repeats another is better."""
    search = selected_search(op)
    if search is None or search.best is None or value is search.element:
        return False
    return value in search.others and user.results[0] in leaf_values(op.yielded())


def _clip_of(
    op: phi.FoldOp,
    position: SSAValue,
    user: Operation,
    varying: Container[SSAValue],
    forms: IndexForms,
) -> _Clip | None:
    """The clip of a position by the same limit in all steps, if it has no effect in some step."""
    if not isinstance(user, arith.MinSIOp | arith.MaxSIOp) or user.lhs is user.rhs:
        return None
    limit, form = user.rhs if user.lhs is position else user.lhs, forms.form(position)
    factor, rest = form.split(op.counter)
    is_fixed = all(_is_fixed(each, op, varying) for each in (limit, *rest.coefficients))
    if abs(factor) != 1 or not is_fixed or not forms.is_exact(form):
        return None
    sign = 1 if isinstance(user, arith.MinSIOp) else -1
    end, is_behind = (forms.integer(limit) - rest) * sign, factor == sign
    first = LinearForm() if is_behind else -(forms.integer(op.count) - 1)
    has_no_effect = forms.is_nonnegative(end - first)
    return _Clip(user, position, form, limit, is_behind, end) if has_no_effect else None


def _is_fixed(value: SSAValue, op: phi.FoldOp, varying: Container[SSAValue]) -> bool:
    """Whether a value is the same in all steps, and known at the end of each."""
    return value not in varying and (
        not is_within(value, op) or is_defined_in(value, op.body.block)
    )
