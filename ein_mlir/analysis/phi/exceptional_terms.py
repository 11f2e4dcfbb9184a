"""Sums with one exceptional term at a known position; all other terms are alike."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.bounds import exception_of
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test, reduction, step_of
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.scopes import dependents, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_sum, neutral_of
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Exceptional:
    """``acc + e``, where ``e`` is another term at the step that equals a position."""

    combine: Operation
    term: SSAValue
    condition: SSAValue
    position: LinearForm
    equal: bool
    """Whether the condition holds at the position; otherwise it holds everywhere else."""

    @property
    def neutral(self) -> IntegerAttr | FloatAttr:
        """The zero of the sum."""
        return neutral_of(self.combine)


def exceptional(op: phi.FoldOp, forms: IndexForms) -> Exceptional | None:
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
    for inner in slice_of(op.body.block, [term]):
        for equal in (True, False) if isinstance(inner, arith.CmpiOp) else ():
            condition = inner.results[0]
            position = exception_of(op, Test(condition, not equal), forms)
            if position is not None and _is_alone(op, term, inner, position, forms.free):
                return Exceptional(combine, term, condition, position, equal)
    return None


def _is_alone(
    op: phi.FoldOp, term: SSAValue, condition: Operation, position: LinearForm, free: FreeIndices
) -> bool:
    """Whether a term varies with the indices of a position only through a condition."""
    body = op.body.block
    if not dependents(body, op.counter).isdisjoint(position.coefficients):
        return False
    indices = frozenset[SSAValue]().union(*map(free.of, position.coefficients))
    compared = set(slice_of(body, condition.operands))
    rest = [each for each in slice_of(body, [term]) if each not in {*compared, condition}]
    return bool(indices) and all(
        indices.isdisjoint(free.of(operand))
        for inner in rest
        for operand in operands_within(inner)
        if operand.owner in compared or not is_within(operand, op)
    )
