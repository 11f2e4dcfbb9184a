"""Whether an array after all steps of a fold may be computed as a whole, and is better so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_ranges import THIN
from ein_mlir.analysis.phi.loops.writes import Write
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_nonnegative
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
    may_run_at_once: MayRunAtOnce
    differentiable: bool

    def may_compute_axis(self, op: phi.FoldOp, write: Write, edges: Edges) -> bool:
        """Whether all elements along an axis may be computed, those that no step writes, too.

        If few are written, these are better updated in place.
        """
        if not edges.are_none and (_has_few_steps(op) or is_element_of_carried(op, write)):
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
        return not write.bodies and not self.free.of(op.result) and not _has_few_steps(op)

    def may_run_any_step(self, op: phi.FoldOp) -> bool:
        """Whether speculation is legal: steps that the fold does not run may be computed."""
        has_guards = self.differentiable and any(map(is_singular, op.body.walk()))
        return is_nonnegative(op.count) and not has_guards

    def _may_run(self, op: phi.FoldOp, write: Write, *, is_guarded: bool = False) -> bool:
        """Whether errors and memory allow computing all steps at once."""
        written = set[SSAValue]((op.counter, *write.indices, *self.free.of(op.result)))
        row = write.update.value.owner
        while isinstance(row, phi.ArrayOp):
            written.update(row.indices)
            row = row.yielded().owner
        written.update(_indices_of_parts(op, write.update.value))
        return self.may_run_at_once(
            op, [op.yielded()], written=frozenset(written), is_guarded=is_guarded
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


def _has_few_steps(op: phi.FoldOp) -> bool:
    """Whether a fold provably has few steps."""
    count = known_int(op.count)
    return count is not None and count <= THIN


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
