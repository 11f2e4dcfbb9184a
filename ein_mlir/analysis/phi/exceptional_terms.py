"""Sums with one exceptional term at a known position; all other terms are alike."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import reduction, step_of
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import dependents, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_sum, neutral_of


@dataclass(frozen=True)
class Exceptional:
    """``acc + e``, where ``e`` is another term at the step that equals a position."""

    combine: Operation
    term: SSAValue
    condition: SSAValue
    position: SSAValue
    equal: bool
    """Whether the condition holds at the position; otherwise it holds everywhere else."""

    @property
    def neutral(self) -> IntegerAttr | FloatAttr:
        """The zero of the sum."""
        return neutral_of(self.combine)


def exceptional(op: phi.FoldOp, free: FreeIndices) -> Exceptional | None:
    """The exceptional term of a sum whose other terms vary with no index of its position.

    A sum of a single term is a selection, and not an exception.
    """
    found = reduction(op)
    step = step_of(op)
    if found is None or not is_sum(found[0].name) or (step is not None and step.tests):
        return None
    combine, term = found
    if body_may_fail(op):
        return None
    varying = dependents(op.body.block, op.counter)
    for inner in slice_of(op.body.block, [term]):
        match = _position(inner, op)
        if match is None or match[0] in varying or not free.of(match[0]):
            continue
        position, equal = match
        if not _varies_otherwise(op, term, inner, position, free):
            return Exceptional(combine, term, inner.results[0], position, equal)
    return None


def _position(condition: Operation, op: phi.FoldOp) -> tuple[SSAValue, bool] | None:
    """``k == p`` or ``p == k`` as p and true, ``k != p`` as p and false."""
    found = relation_of(condition.results[0])
    if found is None or found.predicate not in ("eq", "ne"):
        return None
    return next(
        (
            (each.rhs, each.predicate == "eq")
            for each in found.readings
            if each.lhs is op.counter and each.rhs is not op.counter
        ),
        None,
    )


def _varies_otherwise(
    op: phi.FoldOp, term: SSAValue, condition: Operation, position: SSAValue, free: FreeIndices
) -> bool:
    """Whether a term varies with an index of a position other than through a condition."""
    body = op.body.block
    indices = free.of(position)
    rest = set(slice_of(body, [term])) - set(slice_of(body, [position])) - {condition}
    return any(
        not indices.isdisjoint(free.of(operand))
        for inner in rest
        for operand in operands_within(inner)
        if operand is position or not is_within(operand, op)
    )
