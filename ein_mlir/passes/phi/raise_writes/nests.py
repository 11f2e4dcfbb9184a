"""Nested folds that accumulate at computed positions, as one accumulation over all steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.loops.combinations import Link
from ein_mlir.analysis.phi.loops.summary import (
    Accumulation,
    Comprehension,
    Summaries,
    Summary,
)
from ein_mlir.analysis.phi.loops.writes import Write
from ein_mlir.analysis.scopes import dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.raise_writes.segments import positions_in_step
from ein_mlir.rewriting.phi.builders import Contributions, accumulation, comprehension
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import Known, StepValues, combined, step_of_index


@dataclass(frozen=True)
class AccumulatingNest:
    """Folds, each the only step of the one before, of which the last one accumulates."""

    folds: Sequence[phi.FoldOp]
    write: Write
    links: Sequence[Link]

    def result(self, build: Builder) -> SSAValue:
        """``a + accumulate (i < n, j < m) into "add" { positions, e }``"""
        init, link = self.folds[0].init, self.links[0]
        sizes = [build.size(init, axis) for axis in range(phi.rank_of(init.type))]
        counters = [fold.counter for fold in self.folds]
        counts = [fold.count for fold in self.folds]
        totals = accumulation(build, counts, [(link.kind, sizes)], self._contributions, counters)

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            return combined(inner, link, inner.get(init, own), inner.get(totals, own))

        return comprehension(build, sizes, element)

    def _contributions(self, build: Builder, indices: Sequence[SSAValue]) -> Contributions:
        """The positions and the value of a step."""
        first, *others = self.folds
        values, known = StepValues(first, [fold.body.block for fold in others]), Known()
        for fold, index in zip(self.folds, indices, strict=True):
            known[fold.counter] = step_of_index(build, fold, index)
        keys = positions_in_step(build, values, self.write, known)
        return [(keys, values.terms(build, self.links, known).total())]


def accumulating_nest(op: phi.FoldOp, summaries: Summaries) -> AccumulatingNest | None:
    """The nest that a fold is the outermost loop of; None for other folds.

    Counts are those of whole rows: each is the same in all steps.
    """
    folds = [op]
    while (inner := _only_step(folds[-1])) is not None:
        if is_within(inner.count, op):
            return None
        folds.append(inner)
    found = summaries.accumulation(folds[-1]) if len(folds) > 1 else None
    if found is None or found.write.around is not None:
        return None
    if not _may_meet(folds, found.write.positions, summaries.of(folds[-1])):
        return None
    return AccumulatingNest(folds, found.write, found.links)


def _may_meet(
    folds: Sequence[phi.FoldOp], positions: Sequence[SSAValue], last: Summary | None
) -> bool:
    """Whether steps of several folds may write one element.

    If not, each fold is an array or a sum by itself. In the last one they do not if it writes one
    element, or each element along an axis at a position that varies with no other fold.
    """
    if isinstance(last, Accumulation):
        return True
    varying = [dependents(fold.body.block, fold.counter) for fold in folds]
    depths = [sum(position in values for values in varying) for position in positions]
    return isinstance(last, Comprehension) and max(depths) > 1


def _only_step(op: phi.FoldOp) -> phi.FoldOp | None:
    """The fold that each step of another one goes on with, if nothing else reads the array."""
    inner, array = op.yielded().owner, op.accumulator
    if not isinstance(inner, phi.FoldOp) or inner.init is not array or inner.irregular is not None:
        return None
    users = {use.operation for use in array.uses} - {inner}
    return inner if all(isinstance(user, phi.SizeOp) for user in users) else None


def outermost(op: phi.FoldOp) -> phi.FoldOp:
    """The outermost of the folds that a fold is the only step of; itself if there is none."""
    outer = op.parent_op()
    while isinstance(outer, phi.FoldOp) and _only_step(outer) is op:
        op, outer = outer, outer.parent_op()
    return op
