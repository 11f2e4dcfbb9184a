"""Nested folds that accumulate at computed positions, as one accumulation over all steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.phi.loops.combinations import Link
from ein_mlir.analysis.phi.loops.summary import Accumulation, Comprehension, Summaries, Summary
from ein_mlir.analysis.phi.loops.writes import Write
from ein_mlir.analysis.scopes import dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import irregularities
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_writes.segments import positions_in_step
from ein_mlir.rewriting.phi.builders import Contributions, accumulation, comprehension
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.rows import KnownRows, RaggedNest
from ein_mlir.rewriting.phi.step_values import Known, StepValues, combined, step_of_index


@dataclass(frozen=True)
class AccumulatingNest:
    """Folds, each the only step of the one before, of which the last one accumulates."""

    folds: Sequence[phi.FoldOp]
    write: Write
    links: Sequence[Link]
    rows: phi.FoldOp | None
    """The fold whose steps decide the count of the last one."""

    def result(self, build: Builder, rows: KnownRows | None) -> SSAValue:
        """``a + accumulate (i < n, j < m) into "add" { positions, e }``"""
        init, link = self.folds[0].init, self.links[0]
        sizes = [build.size(init, axis) for axis in range(phi.rank_of(init.type))]
        last, counts = self.folds[-1], {fold: fold.count for fold in self.folds}
        steps = rows.steps(build, last.counter) if rows else None
        if self.rows is not None and steps is not None:
            counts[last] = steps.count
            del counts[self.rows]

        def contributions(inner: Builder, indices: Sequence[SSAValue]) -> Contributions:
            at = dict(zip(counts, indices, strict=True))
            known: Known = {f.counter: step_of_index(inner, f, at[f]) for f in counts}
            if self.rows is not None and steps is not None:
                known[self.rows.counter], known[last.counter] = steps.place(inner, at[last])
            return self._contributions(inner, known)

        counters = [fold.counter for fold in counts]
        into = [(link.kind, sizes)]
        totals = accumulation(build, list(counts.values()), into, contributions, counters)

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            return combined(inner, link, inner.get(init, own), inner.get(totals, own))

        return comprehension(build, sizes, element)

    @property
    def ragged(self) -> phi.FoldOp | None:
        """The last fold, if its count varies."""
        return self.folds[-1] if self.rows is not None else None

    def has_regular_steps(self) -> bool:
        """Whether no size or count varies with a step, but that of the last fold."""
        found = (each for fold in self.folds for each in irregularities(fold))
        return all(each.op is self.ragged for each in found)

    @property
    def _values(self) -> StepValues:
        return StepValues(self.folds[0], [fold.body.block for fold in self.folds[1:]])

    def known_rows(self, build: Callable[[Operation], Builder]) -> KnownRows | None:
        """The rows by the counts of the last fold, if each has its own; built at a place."""
        if self.rows is None:
            return None
        nest = RaggedNest(self.folds, self.rows)
        return nest.known(build(nest.place()))

    def _contributions(self, build: Builder, known: Known) -> Contributions:
        """The positions and the value of a step, given its counters."""
        keys = positions_in_step(build, self._values, self.write, known)
        return [(keys, self._values.terms(build, self.links, known).total())]


def accumulating_nest(
    op: phi.FoldOp, summaries: Summaries, *, ragged: bool
) -> AccumulatingNest | None:
    """The nest that a fold is the outermost loop of; None for other folds.

    Counts are the same in all steps, but that the last one may vary with the steps of one fold.
    """
    folds = _nest(op)
    varying = [fold for fold in folds if is_within(fold.count, op)]
    rows = [fold for fold in folds[:-1] if _varies_with(folds[-1].count, fold.counter)]
    if varying and not (ragged and varying == folds[-1:] and len(rows) == 1):
        return None
    if any(_varies_with(folds[-1].count, fold.accumulator) for fold in folds):
        return None
    found = summaries.accumulation(folds[-1]) if len(folds) > 1 else None
    if found is None or found.write.around is not None:
        return None
    if not _may_meet(folds, found.write.positions, summaries.of(folds[-1])):
        return None
    return AccumulatingNest(folds, found.write, found.links, next(iter(rows), None))


def _nest(op: phi.FoldOp) -> list[phi.FoldOp]:
    """A fold and those that are the only step of the one before."""
    folds = [op]
    while (inner := _only_step(folds[-1])) is not None:
        folds.append(inner)
    return folds


def _varies_with(count: SSAValue, variable: SSAValue) -> bool:
    block = variable.owner
    return isinstance(block, Block) and count in dependents(block, variable)


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
