"""``interchange-reductions``: nested folds that can be whole-array operations become innermost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import names_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.memory_cost import may_materialise_nest
from ein_mlir.analysis.phi.selections import is_constant, reduction
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import block_of, dependents_among, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.fastmath import takes_any_order
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.guarded_counts import if_any_step
from ein_mlir.rewriting.phi.insertion import Builder

POSITIONS = (
    phi.GetOp,
    arith.IndexCastOp,
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.MinSIOp,
    arith.MaxSIOp,
    arith.CmpiOp,
    arith.AndIOp,
    arith.OrIOp,
)
"""Operations that may be repeated for each step of a new enclosing loop."""


@dataclass(frozen=True)
class Step:
    """A step ``acc + e`` of a fold that may be exchanged with another one."""

    fold: phi.FoldOp
    combine: Operation
    summand: SSAValue


@dataclass(frozen=True)
class Nest:
    """Nested folds, each of which sums the results of the next one, outermost first."""

    steps: Sequence[Step]

    def around(self) -> list[Operation]:
        """The operations of the bodies around the innermost one, except the nest itself."""
        own = {op for step in self.steps for op in (step.fold, step.combine)}
        return [
            op
            for step in self.steps[:-1]
            for op in step.fold.body.block.ops
            if op not in own and not isinstance(op, phi.YieldOp)
        ]

    def innermost(self) -> list[Operation]:
        """The operations of the innermost body, also nested ones, except the combination."""
        step = self.steps[-1]
        return [
            inner
            for op in step.fold.body.block.ops
            if op is not step.combine and not isinstance(op, phi.YieldOp)
            for inner in op.walk()
        ]

    def reducible(self, free: FreeIndices) -> list[bool]:
        """For each fold, whether it could be a reduction if it were innermost."""
        last = self.steps[-1]
        ops = [*self.around(), *self.innermost()]
        return [
            may_materialise_nest(ops, step.fold.counter, last.summand, type(last.combine), free)
            for step in self.steps
        ]

    def reorder(self, order: Sequence[int]) -> None:
        """Make the k-th fold run over the counter of fold ``order[k]``.

        Operations of the outer bodies that depend on counters move into the innermost one first.
        """
        self._sink()
        folds = [step.fold for step in self.steps]
        counts = self._counts(order)
        names = [fold.counter.name_hint for fold in folds]
        places = [fold.location for fold in folds]
        uses = [list(fold.counter.uses) for fold in folds]
        for fold, source in zip(folds, order, strict=True):
            fold.operands[0] = counts[source]
            fold.counter.name_hint = names[source]
            fold.location = places[source]
            for use in uses[source]:
                use.operation.operands[use.index] = fold.counter

    def keeps_errors(self, order: Sequence[int]) -> bool:
        """Whether no fold whose count may be negative moves inwards."""
        return all(
            is_nonnegative(self.steps[source].fold.count)
            or all(outer < source for outer in order[:place])
            for place, source in enumerate(order)
        )

    def _counts(self, order: Sequence[int]) -> list[SSAValue]:
        """The counts of the folds. One that may be negative is 0 if an outer fold had no steps."""
        build = Builder.before(self.steps[0].fold)
        counts = [step.fold.count for step in self.steps]
        for place, source in enumerate(order):
            if not is_nonnegative(counts[source]):
                for inner in order[place + 1 :]:
                    if inner < source:
                        fold = self.steps[inner].fold
                        counts[source] = if_any_step(build, fold, counts[source])
        return counts

    def _sink(self) -> None:
        around = self.around()
        counted = set[SSAValue]()
        for step in self.steps[:-1]:
            counted |= dependents_among(around, step.fold.counter)
        sunk = [op for op in around if not counted.isdisjoint(op.results)]
        Builder.at_start(self.steps[-1].fold.body.block).move(*sunk)


def step_of(fold: phi.FoldOp) -> Step | None:
    """``acc + e`` or ``e + acc``, if the accumulator has no other user and nothing may fail."""
    found = reduction(fold)
    if found is None or not takes_any_order(found[0]):
        return None
    return Step(fold, *found)


def nest_of(fold: phi.FoldOp) -> Nest | None:
    """The longest nest whose outermost fold is this one; None if it is a single fold."""
    step = step_of(fold)
    steps = list[Step]()
    bodies = set[Block]()
    while step is not None:
        steps.append(step)
        bodies.add(step.fold.body.block)
        step = _next(step, bodies)
    return Nest(steps) if len(steps) > 1 else None


def _next(step: Step, bodies: set[Block]) -> Step | None:
    """The step of the fold whose result is the summand of a step, if the two may be exchanged.

    Its count must be defined before the nest, and its initial value must be the identity.
    """
    inner = step.summand.owner
    block = step.fold.body.block
    if not isinstance(inner, phi.FoldOp) or inner.parent is not block:
        return None
    if not step.summand.has_one_use() or block_of(inner.count) in bodies:
        return None
    found = step_of(inner)
    if found is None or found.combine.name != step.combine.name:
        return None
    neutral = identity(step.combine.name, inner.result.type)
    others = (op for op in block.ops if op not in (inner, step.combine, block.last_op))
    if (
        neutral is None
        or not is_constant(inner.init, neutral)
        or not all(isinstance(op, (*POSITIONS, arith.ConstantOp)) for op in others)
    ):
        return None
    return found


def _nests(function: func.FuncOp) -> Iterator[Nest]:
    """All nests of a function; each fold is in at most one."""
    seen = set[phi.FoldOp]()
    for op in operations_in(function):
        if isinstance(op, phi.FoldOp) and op not in seen and (nest := nest_of(op)) is not None:
            seen.update(step.fold for step in nest.steps)
            yield nest


class InterchangeReductionsPass(FunctionPass):
    """Reorders nested sums, so that those that can be whole-array operations are innermost.

    Before (a convolution: positions mix the indices of the result with %p)::

        %s = phi.fold (%c < %n, %acc = %zero) -> f64 {
          %t = phi.fold (%p < %m, %u = %zero) -> f64 { %u + %x[%c, %i + %p] * %w[%o, %c, %p] }
          phi.yield %acc + %t : f64
        }

    After::

        %s = phi.fold (%p < %m, %acc = %zero) -> f64 {
          %t = phi.fold (%c < %n, %u = %zero) -> f64 { %u + %x[%c, %i + %p] * %w[%o, %c, %p] }
          phi.yield %acc + %t : f64
        }

    where the sum over ``%c`` is a matrix product, and the loop over ``%p`` has few steps. In the
    original order, neither an array over ``%p``, ``%i``, and ``%o`` was allowed, nor one over
    ``%c`` of loops.

    The same for minima, maxima, logical reductions, and products of Ints; products of floats stay.
    Folds are exchanged if each sums the results of the next one, from the identity, and is their
    only user; if all counts are defined before the nest; and if the bodies around the innermost one
    only compute positions, elements at them, and conditions. The order is otherwise kept. A fold
    whose count may be negative, which is an error, moves outwards at most, and then its count is 0
    where a fold that was around it has no steps. ``analysis.phi.memory_cost`` decides which folds
    may be whole-array operations.
    """

    name = "interchange-reductions"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for nest in _nests(function):
            if any(may_fail(op) for op in nest.innermost()):
                continue
            reducible = nest.reducible(analyses.get(free_indices, function))
            order = sorted(range(len(reducible)), key=reducible.__getitem__)
            if order != list(range(len(order))) and nest.keeps_errors(order):
                nest.reorder(order)
                inside = [
                    s.fold.counter for s, k in zip(nest.steps, order, strict=True) if reducible[k]
                ]
                outermost = nest.steps[0].fold
                analyses.note(
                    outermost,
                    f"the folds are exchanged: those over {names_of(inside)} become innermost",
                )
