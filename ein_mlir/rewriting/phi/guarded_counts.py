"""Counts in the steps of a fold that raise an error only if the fold has steps."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.speculation import Sized, is_required, may_fail_first, negative_sizes
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.insertion import Builder, Inserter


def unguarded(op: phi.FoldOp, besides: Operation | None = None) -> Sequence[Sized] | None:
    """The operations in a fold whose sizes or counts may be negative where it has no steps.

    ``besides`` one of them. None if a step may raise another error, or computes a size.
    """
    walk = (inner for inner in op.body.walk() if inner is not besides)
    found = [inner for inner in walk if may_fail_first(inner, op)]
    sized = [inner for inner in found if isinstance(inner, Sized)]
    sizes = (size for inner in sized for size in _failing(inner, op))
    is_known = len(sized) == len(found) and not any(is_within(size, op) for size in sizes)
    return sized if is_known else None


def guard(op: phi.FoldOp, inner: Sequence[Sized], build: Inserter | None = None) -> None:
    """``fold (k < n) { fold (l < m) }  -->  fold (k < n) { fold (l < where(n > 0, m, 0)) }``

    Then the inner fold may be computed before the outer one. ``build`` inserts before that.
    """
    build, guarded = build or Builder.before(op), dict[SSAValue, SSAValue]()
    for each in inner:
        for size in _failing(each, op):
            if size not in guarded:
                guarded[size] = if_any_step(build, op, size)
            _replace_sizes(each, size, guarded[size])


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
