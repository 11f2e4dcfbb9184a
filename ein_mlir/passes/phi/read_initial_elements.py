"""``read-initial-elements``: elements that no step has written are those before the loop."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.loops.final_elements import FinalElements
from ein_mlir.analysis.phi.loops.writes import Write
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.analysis.scopes import ancestors
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.insertion import Builder


class _Reader(FoldRaiser["ReadInitialElementsPass"]):
    """Lets the steps of the folds of a function read arrays before the loop."""

    def fold(self, op: phi.FoldOp) -> None:
        for number, written in enumerate(leaf_values(op.yielded())):
            if phi.rank_of(written.type) and self._may_be_kept(op, number):
                self._leaf(op, number, written)

    def _may_be_kept(self, op: phi.FoldOp, number: int) -> bool:
        """Whether the array before a loop may be kept: the loop may not overwrite it then.

        A loop in others would copy it each time, unless nothing needs the array after it.
        """
        is_outermost = not any(ancestors(op, phi.FoldOp))
        return is_outermost or not _is_used(op, number)

    def _leaf(self, op: phi.FoldOp, number: int, written: SSAValue) -> None:
        """Read a leaf before the loop, if no other use of it is left then."""
        found = FinalElements(op, number, written, self._forms)
        reads = _reads_of(op, found.writes) if found.writes else None
        if not reads or not all(map(found.is_initial, reads)):
            return
        initial = Builder.before(op).leaves(op.init)[number]
        self._note(op, f"steps of the fold over {name_of(op.counter)} read initial elements")
        for read in reads:
            read.operands[0] = initial


def _is_used(op: phi.FoldOp, number: int) -> bool:
    """Whether a field of the result of a fold may be used."""
    fields = [
        field_of(value, op.result) for use in op.result.uses for value in use.operation.results
    ]
    return not fields or any(field in (number, None) for field in fields)


def _reads_of(op: phi.FoldOp, writes: Sequence[Write]) -> list[phi.GetOp] | None:
    """The reads of elements in a step; None if it uses the array otherwise, or between writes."""
    value, targets = writes[-1].base, {write.target for write in writes}
    needed = {each for outer in slice_of(op.body.block, [op.yielded()]) for each in outer.walk()}
    arrays = {value, *(write.result for write in writes[1:])}
    users = [use.operation for array in arrays for use in array.uses]
    reads = [user for user in users if user in needed and user not in targets]
    reads = [read for read in reads if not isinstance(read, phi.SizeOp)]
    if not all(isinstance(read, phi.GetOp) and read.array is value for read in reads):
        return None
    return [read for read in reads if isinstance(read, phi.GetOp)]


class ReadInitialElementsPass(FoldPass):
    """Lets steps of a fold read the array before the loop, where no step before has written.

    Before::

        %r = phi.fold (%k < %n, (%sum, %a) = %init) -> tuple<f64, !phi.vec<f64>> {
          (%sum + %a[%k], phi.update %a[%k], %zero)
        }

    After, with ``%a_0`` the field of ``%init``: the sum depends on no other field::

        %r = phi.fold (%k < %n, (%sum, %a) = %init) -> tuple<f64, !phi.vec<f64>> {
          (%sum + %a_0[%k], phi.update %a[%k], %zero)
        }

    The steps of a derivative read the cotangents of elements that a loop has written so. An array
    with other reads stays, and so does one of a loop in others that needs its result: it is
    overwritten in place.
    """

    name = "read-initial-elements"
    raiser = _Reader
