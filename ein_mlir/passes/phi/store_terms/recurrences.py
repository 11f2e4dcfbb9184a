"""Elements that depend on earlier ones: the values of a step that no other step affects."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.dependence import Dependences
from ein_mlir.analysis.phi.loops.writes import Write, readers_of, writes_of
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.scopes import dependents_among
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import SUM_OF
from ein_mlir.dialects.fastmath import takes_any_order
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.dialects.reductions import REDUCTIONS
from ein_mlir.rewriting.phi.builders import addition, difference, sum_of
from ein_mlir.rewriting.phi.insertion import Builder


class Recurrence:
    """A fold that writes a scalar element in each step."""

    def __init__(self, op: phi.FoldOp, write: Write, forms: IndexForms):
        self._op = op
        self._write = write
        self._forms = forms
        self._block = op.body.block

    def affected(self) -> set[SSAValue]:
        """The values of a step that depend on an element that an earlier one may have written.

        None if the written element is not among them, or if a step reads the array in other ways
        than element by element. Sums are grouped, so that few values are affected.
        """
        affected = self._affected()
        if self._write.update.value not in affected:
            return set()
        for op in list(self._block.ops):
            self._regroup(op, affected)
        return affected

    def users(self) -> Iterator[Operation]:
        """The operations that compute the written element, except for reads at positions."""
        needed = slice_of(self._block, [self._write.update.value])
        return (op for op in needed if not isinstance(op, phi.GetOp))

    def is_term(self, value: SSAValue) -> bool:
        """Whether a value varies with the counter, and is more than one read or one sum of Ints."""
        ops = slice_of(self._block, [value])
        places = {p for op in ops if isinstance(op, phi.GetOp) for p in op.positions}
        own = [op for op in ops if not self._is_place(op, places)]
        varies = any(self._op.counter in op.operands for op in ops)
        return varies and len(own) > 1 and phi.is_scalar_type(value.type)

    def _is_place(self, op: Operation, places: Collection[SSAValue]) -> bool:
        """Whether an operation computes a position, or is a constant."""
        return isinstance(op, arith.ConstantOp) or any(
            result in places or isinstance(result.type, IndexType) for result in op.results
        )

    def _affected(self) -> set[SSAValue]:
        depth, dependences = self._write.depth, Dependences(self._op, self._forms)
        sizes = [self._forms.size(self._op.init, axis) for axis in range(depth)]
        lagging = list[SSAValue]()
        for read in readers_of(self._op, [self._write]):
            if not isinstance(read, phi.GetOp) or read.parent is not self._block:
                return set()
            if len(read.positions) != depth:
                return set()
            met = dependences.distances(
                self._write.variables[:depth], read.positions[:depth], sizes=sizes
            )
            if read.array is not self._op.accumulator or met.may_be_positive:
                lagging.append(read.result)
        return dependents_among(self._block.ops, *lagging)

    def _regroup(self, op: Operation, affected: set[SSAValue]) -> None:
        """``(a + x) - b  -->  x + (a - b)`` for an affected x, and other reductions likewise."""
        if not self._is_grouped(op, affected) or any(
            self._is_part(use.operation, op, affected) for use in op.results[0].uses
        ):
            return
        terms = list(self._terms(op, affected))
        own = [value for value, _ in terms if value in affected]
        added, subtracted = (
            [value for value, sign in terms if sign == is_negative and value not in affected]
            for is_negative in (False, True)
        )
        if len(added) + len(subtracted) < 2:
            return
        build = Builder.before(op)
        whole, rest, less = (
            self._combined(build, op, parts, affected) for parts in (own, added, subtracted)
        )
        if rest is not None and less is not None:
            rest, less = build.emit(difference(op, rest, less)), None
        assert whole is not None
        for value, combine in ((rest, addition), (less, difference)):
            if value is not None:
                whole = build.emit(combine(op, whole, value))
                affected.add(whole)
        op.results[0].replace_all_uses_with(whole)

    def _is_grouped(self, op: Operation, affected: Collection[SSAValue]) -> bool:
        """Whether an operation is a reduction that takes its operands in any order.

        A difference is one if its second operand is not affected.
        """
        if len(op.operands) != 2 or op.results[0] not in affected:
            return False
        is_difference = op.name in SUM_OF
        return (
            SUM_OF.get(op.name, op.name) in REDUCTIONS
            and takes_any_order(op)
            and not (is_difference and op.operands[1] in affected)
        )

    def _is_part(self, user: Operation, op: Operation, affected: Collection[SSAValue]) -> bool:
        """Whether a reduction goes on in its only user."""
        return (
            user.parent is self._block
            and op.results[0].has_one_use()
            and sum_of(user) is sum_of(op)
            and self._is_grouped(user, affected)
        )

    def _terms(
        self, op: Operation, affected: Collection[SSAValue]
    ) -> Iterator[tuple[SSAValue, bool]]:
        """The operands of a reduction, and of those that are its operands and have no other use.

        With each, whether it is subtracted.
        """
        for number, side in enumerate(op.operands):
            inner = side.owner
            if (
                isinstance(inner, Operation)
                and self._is_grouped(inner, affected)
                and self._is_part(op, inner, affected)
            ):
                yield from self._terms(inner, affected)
            else:
                yield side, number == 1 and op.name in SUM_OF

    def _combined(
        self, build: Builder, op: Operation, terms: Sequence[SSAValue], affected: set[SSAValue]
    ) -> SSAValue | None:
        """The combination of terms, of which all or none are affected; None if there are none."""
        total = next(iter(terms), None)
        for term in terms[1:]:
            assert total is not None
            total = build.emit(addition(op, total, term))
            if term in affected:
                affected.add(total)
        return total


def recurrence_of(op: phi.FoldOp, forms: IndexForms) -> Recurrence | None:
    """The recurrence that a fold is, if it writes one element in each step."""
    writes = writes_of(op) if isinstance(op.result.type, phi.VecType) else None
    if not is_nonnegative(op.count) or not writes or len(writes) != 1:
        return None
    (write,) = writes
    is_scalar = not write.around and not phi.rank_of(write.update.value.type)
    return Recurrence(op, write, forms) if is_scalar else None
