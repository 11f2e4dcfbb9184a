"""Whether an array after all steps of a fold may be computed as a whole, and is better so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.arithmetic import INTS
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import THIN, is_thin
from ein_mlir.analysis.phi.loops.dependence import Dependences
from ein_mlir.analysis.phi.loops.summary import Recurrence, Scatter, Summaries
from ein_mlir.analysis.phi.loops.writes import Write
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.predicates import conjoined, predicate_of
from ein_mlir.analysis.scopes import around, captured, dependents
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_writes.lines import Edges
from ein_mlir.rewriting.phi.fold_passes import MayRunAtOnce


@dataclass(frozen=True)
class Decisions:
    """The decisions about the folds of a function, by errors, memory and numbers of elements.

    An element of a vector that an outer loop carries is better updated in place. A row or column of
    a carried matrix is better computed: it has fewer elements than the matrix.
    """

    free: FreeIndices
    forms: IndexForms
    may_run_at_once: MayRunAtOnce
    differentiable: bool
    triangles: bool

    def may_compute_axis(self, op: phi.FoldOp, write: Write, edges: Edges) -> bool:
        """Whether all elements along an axis may be computed, those that no step writes, too.

        If few are written, these are better updated in place.
        """
        if not edges.are_none and (
            is_thin(op.count)
            or is_element_of_carried(op, write)
            or (not self.triangles and self._is_triangle(op))
        ):
            return False
        return self._may_run(op, write, is_guarded=True)

    def may_group(self, op: phi.FoldOp, write: Write, *, is_stored: bool = False) -> bool:
        """Whether all elements may be computed after the steps, from the values of these.

        If the values are stored at once, they may be those of a vector that an outer loop carries.
        """
        is_possible = is_stored or not is_element_of_carried(op, write)
        return is_possible and self._may_run(op, write)

    def may_scan(self, op: phi.FoldOp, write: Write, parts: Sequence[SSAValue]) -> bool:
        """Whether arrays of parts of all steps may be scanned for the elements."""
        return (
            (bool(parts) or not write.bodies)
            and not body_may_fail(op)
            and self.may_run_at_once(op, parts, is_guarded=True)
        )

    def may_have_windows(self, op: phi.FoldOp, write: Write) -> bool:
        """Whether windows of steps are better than a loop: its steps are operations on scalars.

        Only after ``skew-folds``, which takes the tables that rows of operations compute.
        """
        return not write.bodies and not self.free.of(op.result) and not is_thin(op.count)

    def may_run_any_step(self, op: phi.FoldOp) -> bool:
        """Whether speculation is legal: steps that the fold does not run may be computed."""
        has_guards = self.differentiable and any(map(is_singular, op.body.walk()))
        forms = self.forms.in_step(op)
        count = forms.integer(op.count)
        is_size = forms.is_nonnegative(count) or forms.is_nonnegative(count, *forms.last_steps(op))
        return not has_guards and is_size

    def _is_triangle(self, op: phi.FoldOp) -> bool:
        """Whether the count of a fold varies with the step of the loop around it."""
        outer = op.parent_op()
        if not isinstance(outer, phi.FoldOp):
            return False
        return op.count in dependents(outer.body.block, outer.counter)

    def _may_run(self, op: phi.FoldOp, write: Write, *, is_guarded: bool = False) -> bool:
        """Whether errors and memory allow computing all steps at once.

        Elements of reductions take room beside a vector, if they are many, but little beside a
        matrix.
        """
        written = set[SSAValue]((op.counter, *write.indices, *self.free.of(op.result)))
        row = write.update.value.owner
        while isinstance(row, phi.ArrayOp):
            written.update(row.indices)
            row = row.yielded().owner
        written.update(_indices_of_parts(op, write.update.value))
        is_matrix = phi.rank_of(op.result.type) > 1
        return self.may_run_at_once(
            op,
            [op.yielded()],
            written=frozenset(written),
            is_guarded=is_guarded,
            reduced=INTS.high if is_matrix else THIN,
        )


def _indices_of_parts(op: phi.FoldOp, row: SSAValue) -> Iterator[SSAValue]:
    """The indices of arrays of a step with fewer axes than a row that a loop in it writes.

    The row has room for them, as for the values of all steps that a derivative saves.
    """
    if not isinstance(row.owner, phi.ProjOp | phi.FoldOp):
        return
    rank = phi.rank_of(row.type)
    for each in op.body.block.walk():
        if isinstance(each, phi.ArrayOp) and phi.rank_of(each.result.type) < rank:
            yield from each.indices


def is_element_of_carried(op: phi.FoldOp, write: Write) -> bool:
    """Whether a write is of an element of a vector that is carried, perhaps with other updates."""
    is_vector = phi.rank_of(op.result.type) == len(write.positions) == 1
    return write.around is None and is_vector and _is_carried(op.init)


def _is_carried(value: SSAValue) -> bool:
    """Whether an array is an accumulator, perhaps with updated elements."""
    while True:
        match value.owner:
            case Block() as block:
                return isinstance(block.parent_op(), phi.FoldOp)
            case phi.FoldOp() as op:
                value = op.init
            case phi.UpdateOp() as op:
                value = op.array
            case phi.ProjOp() as op:
                value = op.record
            case _:
                return False


def row_of(op: phi.FoldOp, forms: IndexForms, summaries: Summaries) -> Recurrence | None:
    """The row of numbers that the steps of a fold compute from those before it, one by one."""
    outer = op.parent_op()
    if not isinstance(outer, phi.FoldOp):
        return None
    if any(each.regions for each in op.body.block.ops):
        return None
    found = summaries.of(op)
    if isinstance(found, Recurrence) and _depends_on_rows(op, outer, found, forms):
        return found
    return None


def has_least(op: phi.FoldOp, least: int) -> bool:
    """Whether a fold is in a version of a nest that runs where it has at least so many steps."""

    def compares(value: SSAValue) -> bool:
        test = value.owner
        if not isinstance(test, arith.CmpiOp) or predicate_of(test) != "sge":
            return False
        bound = known_int(test.rhs)
        return test.lhs is op.count and bound is not None and bound >= least

    for each in around(op):
        choice = each.count.owner if isinstance(each, phi.FoldOp) else None
        if not isinstance(choice, arith.SelectOp) or known_int(choice.rhs) != 0:
            continue
        if any(map(compares, conjoined(choice.cond))):
            return True
    return False


def is_stored_row(op: phi.FoldOp, summaries: Summaries) -> bool:
    """Whether the steps of a fold store numbers in a vector that a fold around it carries."""
    if not isinstance(op.parent_op(), phi.FoldOp) or any(x.regions for x in op.body.block.ops):
        return False
    found = summaries.of(op)
    return isinstance(found, Scatter) and is_element_of_carried(op, found.write)


def _depends_on_rows(
    op: phi.FoldOp, outer: phi.FoldOp, found: Recurrence, forms: IndexForms
) -> bool:
    """Whether elements of a row depend on the rows that earlier steps have computed."""
    varying = dependents(outer.body.block, outer.accumulator)
    if not varying.isdisjoint(captured(op)):
        return True
    if op.init not in varying:
        return False
    return len(found.write.positions) == 1 or _reads_other_rows(op, found, forms)


def _reads_other_rows(op: phi.FoldOp, found: Recurrence, forms: IndexForms) -> bool:
    """Whether a step reads an element of another row than the written one."""

    def row(positions: Sequence[SSAValue]) -> list[SSAValue]:
        return [each for axis, each in enumerate(positions) if axis != found.walk.number]

    own, same = row(found.write.positions), Dependences(op, forms).same
    reads = [use.operation for use in op.accumulator.uses]
    return any(isinstance(each, phi.GetOp) and not same(row(each.positions), own) for each in reads)
