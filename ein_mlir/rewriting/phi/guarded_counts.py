"""Counts, and comparisons of sizes, in the steps of a fold: errors only if the fold has steps."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.demand import counts_of
from ein_mlir.analysis.phi.speculation import Sized, is_required, may_fail_first, negative_sizes
from ein_mlir.analysis.scopes import around, is_within, outermost_without
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.insertion import Builder, Inserter

Guarded = Sized | phi.AssertEqOp
"""Operations whose errors are those of sizes, which may be known before a fold."""


def unguarded(op: phi.FoldOp, besides: Operation | None = None) -> Sequence[Guarded] | None:
    """The operations in a fold whose sizes or counts may be negative where it has no steps.

    And those that compare sizes. ``besides`` one of them. None if a step may raise another error,
    or computes a size.
    """
    walk = (inner for inner in op.body.walk() if inner is not besides)
    found = [inner for inner in walk if may_fail_first(inner, op)]
    known = [inner for inner in found if isinstance(inner, Guarded) and _is_known(inner, op)]
    return known if len(known) == len(found) else None


def _is_known(inner: Guarded, op: phi.FoldOp) -> bool:
    """Whether a fold determines no size of an operation in it, nor whether that is reached."""
    if not isinstance(inner, phi.AssertEqOp):
        return not any(is_within(size, op) for size in _failing(inner, op))
    loops = _loops_between(inner, op)
    counts = (count for loop in loops for count in counts_of(loop))
    return all(isinstance(loop, phi.FoldOp | phi.ArrayOp) for loop in loops) and not any(
        is_within(value, op) for value in (*inner.operands, *counts)
    )


def _loops_between(inner: Operation, op: Operation) -> list[Operation]:
    return [loop for loop in around(inner.parent_op()) if op.is_ancestor(loop) and loop is not op]


def guard(op: phi.FoldOp, inner: Sequence[Guarded], build: Inserter | None = None) -> None:
    """``fold (k < n) { fold (l < m) }  -->  fold (k < n) { fold (l < where(n > 0, m, 0)) }``

    Then the inner fold may be computed before the outer one. Sizes are compared before that.
    ``build`` inserts there.
    """
    guarded = dict[SSAValue, SSAValue]()
    for each in inner:
        if isinstance(each, phi.AssertEqOp):
            _compare_before(build or Builder.before(op), op, each)
            continue
        for size in _failing(each, op):
            if size not in guarded:  # outside of all loops that allow it: it is no size of a step
                place = build or Builder.before(outermost_without(op, [op.count, size]))
                guarded[size] = if_any_step(place, op, size)
            _replace_sizes(each, size, guarded[size])


def _compare_before(build: Inserter, op: phi.FoldOp, inner: phi.AssertEqOp) -> None:
    """``fold (k < n) { assert_eq a, b }  -->  assert_eq a, where(n > 0, b, a)``"""
    folds = [op, *(loop for loop in _loops_between(inner, op) if isinstance(loop, phi.FoldOp))]
    other = inner.rhs
    for fold in folds:
        other = if_any_step(build, fold, other, inner.lhs)
    moved = build.insert(phi.AssertEqOp(inner.lhs, other, inner.message.data))
    moved.location = inner.location
    Rewriter.replace_op(inner, (), moved.results)


def if_any_step(
    build: Inserter, op: phi.FoldOp, value: SSAValue, otherwise: SSAValue | None = None
) -> SSAValue:
    """``where(n > 0, value, otherwise)`` for the count ``n`` of a fold; otherwise 0."""
    none = build.integer(0)
    return build.select(build.compare(op.count, "sgt", none), value, otherwise or none)


def _failing(op: Sized, place: Operation) -> list[SSAValue]:
    return [size for size in negative_sizes(op) if not is_required(size, place)]


def _replace_sizes(op: Sized, old: SSAValue, new: SSAValue) -> None:
    for number, operand in enumerate(op.operands):
        if operand is old and op.size_or_count(number) is not None:
            op.operands[number] = new
