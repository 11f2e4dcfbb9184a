"""Reductions in the steps of a fold that read rows of several lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Step, is_neutral, reduction, step_of
from ein_mlir.analysis.scopes import captured, dependents, is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import takes_any_order
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class RaggedFold:
    """``fold (i < m) { .. fold (k < length[i], b) { b + a[start[i] + k] } .. }``"""

    outer: phi.FoldOp
    inner: phi.FoldOp
    step: Step
    """The step of the inner fold: its terms depend on no accumulator."""

    @property
    def is_continued(self) -> bool:
        """Whether each step of the outer fold adds all terms of its row to the accumulator."""
        outer, inner, found = self.outer, self.inner, reduction(self.outer)
        if outer.yielded() is inner.result:
            return inner.init is outer.accumulator and outer.accumulator.has_one_use()
        if found is None or found[1] is not inner.result or not inner.result.has_one_use():
            return False
        return found[0].name == self.step.combine.name and is_neutral(inner.init, self.step.neutral)


def ragged_fold(inner: phi.FoldOp, forms: Callable[[], IndexForms]) -> RaggedFold | None:
    """A fold in the step of another one, if that step alone decides which part of arrays it reads.

    The steps of all rows are then about as many as such an array has elements. Those of a triangle,
    whose count is computed from the counter alone, are more.
    """
    outer, step = inner.parent_op(), step_of(inner)
    if not isinstance(outer, phi.FoldOp) or step is None or not takes_any_order(step.combine.name):
        return None
    block = outer.body.block
    if not (read := _elements_behind(inner.count, block)):
        return None
    varying, carried = (dependents(block, each) for each in (outer.counter, outer.accumulator))
    used = {inner.count, *captured(inner)} - {inner.init}
    if not carried.isdisjoint(used) or varying.isdisjoint(read):
        return None
    cheap = all(not op.regions for op in slice_of(block, list(used)))
    return (
        RaggedFold(outer, inner, step) if cheap and _reads_rows(inner, varying, forms()) else None
    )


def _elements_behind(count: SSAValue, block: Block) -> Sequence[SSAValue]:
    """The elements of arrays that a step reads to compute a count."""
    needed = slice_of(block, [count]) if is_within(count, block) else ()
    return [op.result for op in needed if isinstance(op, phi.GetOp)]


def _reads_rows(inner: phi.FoldOp, varying: set[SSAValue], forms: IndexForms) -> bool:
    """Whether a step reads an element at its counter, and at a place that is that of its row."""
    of_rows = varying - dependents(inner.body.block, inner.counter, inner.accumulator)
    return reads_rows(inner, lambda atom: atom is inner.counter, of_rows.__contains__, forms)


def reads_rows(
    loop: Operation,
    is_counter: Callable[[SSAValue], bool],
    is_of_row: Callable[[SSAValue], bool],
    forms: IndexForms,
) -> bool:
    """Whether a loop reads an element at its counter, and at a place that is that of a row."""
    for op in operations_in(loop):
        positions = op.positions if isinstance(op, phi.GetOp) else ()
        atoms = {atom for each in positions for atom in forms.form(each).coefficients}
        if any(map(is_counter, atoms)) and any(map(is_of_row, atoms)):
            return True
    return False
