"""``separate-recurrences``: values that no step affects are computed before loops over elements."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.index_ranges import THIN
from ein_mlir.analysis.phi.loops.dependence import Dependences
from ein_mlir.analysis.phi.loops.writes import Write, readers_of, writes_of
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts, slice_of
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import (
    dependents_among,
    innermost_first,
    is_defined_in,
    operands_within,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import SUM_OF
from ein_mlir.dialects.fastmath import takes_any_order
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.dialects.reductions import REDUCTIONS
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import difference, sum_of
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import StepValues


class _Separation:
    """The separation of one fold that writes a scalar element in each step."""

    def __init__(self, op: phi.FoldOp, write: Write, forms: IndexForms, free: FreeIndices):
        self._op = op
        self._write = write
        self._forms = forms
        self._free = free
        self._block = op.body.block

    def separate(self) -> bool:
        """Compute the parts of a step that no other step affects before the loop, if any."""
        affected = self._affected()
        if affected is None or self._write.update.value not in affected:
            return False
        for op in list(self._block.ops):
            self._regroup(op, affected)
        wanted = [value for value in self._unaffected(affected) if self._is_computed(value)]
        if not wanted or not may_materialise_parts(self._op, wanted, self._free):
            return False
        if any(may_fail(inner) for op in slice_of(self._block, wanted) for inner in op.walk()):
            return False
        self._replace(wanted)
        return True

    def _affected(self) -> set[SSAValue] | None:
        """The values of a step that depend on an element that an earlier one may have written.

        None if a step reads the array in other ways than element by element.
        """
        depth, dependences = self._write.depth, Dependences(self._op, self._forms)
        sizes = [self._forms.size(self._op.init, axis) for axis in range(depth)]
        lagging = list[SSAValue]()
        for read in readers_of(self._op, [self._write]):
            if not isinstance(read, phi.GetOp) or read.parent is not self._block:
                return None
            if len(read.positions) != depth:
                return None
            met = dependences.distances(
                self._write.variables[:depth], read.positions[:depth], sizes=sizes
            )
            if read.array is not self._op.accumulator or met.may_be_positive:
                lagging.append(read.result)
        return dependents_among(self._block.ops, *lagging)

    # Sums

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
        whole, rest = self._combined(build, op, own), self._combined(build, op, added)
        less = self._combined(build, op, subtracted)
        if rest is not None and less is not None:
            rest, less = build.emit(difference(op, rest, less)), None
        assert whole is not None
        for value, combine in ((rest, self._combination(op)), (less, difference)):
            if value is not None:
                whole = build.emit(combine(op, whole, value))
                affected.add(whole)
        op.results[0].replace_all_uses_with(whole)

    def _combination(self, op: Operation) -> Callable[[Operation, SSAValue, SSAValue], Operation]:
        """The operation of a reduction on two values: a sum for a difference."""
        return lambda _, lhs, rhs: sum_of(op).create(
            operands=[lhs, rhs], result_types=[lhs.type], properties=dict(op.properties)
        )

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
        self, build: Builder, op: Operation, terms: Sequence[SSAValue]
    ) -> SSAValue | None:
        """The combination of terms; None if there are none."""
        total, combine = next(iter(terms), None), self._combination(op)
        for term in terms[1:]:
            assert total is not None
            total = build.emit(combine(op, total, term))
        return total

    # Arrays

    def _unaffected(self, affected: Collection[SSAValue]) -> list[SSAValue]:
        """The values of a step that affected ones are computed from, except for positions."""
        found = dict[SSAValue, None]()
        for op in slice_of(self._block, [self._write.update.value]):
            if op.results[0] not in affected or isinstance(op, phi.GetOp):
                continue
            for value in operands_within(op):
                if is_defined_in(value, self._block) and value not in affected:
                    found[value] = None
        return [value for value in found if phi.is_scalar_type(value.type)]

    def _is_computed(self, value: SSAValue) -> bool:
        """Whether a value varies with the counter, and is more than one read or one sum of Ints."""
        ops = slice_of(self._block, [value])
        places = {p for op in ops if isinstance(op, phi.GetOp) for p in op.positions}
        own = [op for op in ops if not self._is_place(op, places)]
        varies = any(self._op.counter in op.operands for op in ops)
        return varies and len(own) > 1

    def _is_place(self, op: Operation, places: Collection[SSAValue]) -> bool:
        """Whether an operation computes a position, or is a constant."""
        return isinstance(op, arith.ConstantOp) or any(
            result in places or isinstance(result.type, IndexType) for result in op.results
        )

    def _replace(self, wanted: Sequence[SSAValue]) -> None:
        """Read values from arrays of them for all steps."""
        inside = Builder.at_start(self._block)
        for value in wanted:
            read = inside.get(self._array(value), [self._op.counter])
            read.name_hint = value.name_hint
            value.replace_all_uses_with(read)
        erase_unused(self._block)

    def _array(self, value: SSAValue) -> SSAValue:
        """The array of a value in all steps, before the loop."""
        values = StepValues(self._op)
        return values.over_steps(
            Builder.before(self._op), lambda inner, step: values.value(inner, value, step)
        )


def _write(op: phi.FoldOp) -> Write | None:
    """The write of a fold that writes one element in each step, if it may have many steps."""
    count = known_int(op.count)
    if not is_nonnegative(op.count) or (count is not None and count <= THIN):
        return None
    writes = writes_of(op) if isinstance(op.result.type, phi.VecType) else None
    if not writes or len(writes) != 1:
        return None
    (write,) = writes
    return None if write.around or phi.rank_of(write.update.value.type) else write


class SeparateRecurrencesPass(FunctionPass):
    """Computes values that no other step affects before a loop whose steps depend on each other.

    Before::

        %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
          %p = arith.addi %k, %one : i64
          %x = phi.get %v[%k] : !phi.vec<f64>[i64]
          %y = phi.get %v[%p] : !phi.vec<f64>[i64]
          %z = phi.get %b[%k] : !phi.vec<f64>[i64]
          %0 = arith.addf %y, %x : f64
          %1 = arith.addf %0, %z : f64
          %2 = arith.divf %1, %three : f64
          %w = phi.update %v[%p], %2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
          phi.yield %w : !phi.vec<f64>
        }

    After::

        %c = phi.array (%k < %n) -> !phi.vec<f64> {
          %y = phi.get %a[%p] : !phi.vec<f64>[i64]
          %z = phi.get %b[%k] : !phi.vec<f64>[i64]
          %3 = arith.addf %y, %z : f64
          phi.yield %3 : f64
        }
        %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> {
          %4 = phi.get %c[%k] : !phi.vec<f64>[i64]
          %x = phi.get %v[%k] : !phi.vec<f64>[i64]
          %1 = arith.addf %x, %4 : f64
          %2 = arith.divf %1, %three : f64
          %w = phi.update %v[%p], %2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
          phi.yield %w : !phi.vec<f64>
        }

    A read of the carried array is that of its initial value if no earlier step has written the
    element. Terms of sums, minima and other reductions are grouped so that the last one is the
    element that a step waits for. The loop then has a few operations on numbers in each step, and
    all others are on arrays. Nothing moves if an array of it would be larger than the arrays that
    are read, or if it may raise an error.
    """

    name = "separate-recurrences"
    looks_for = (phi.UpdateOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        forms, free = analyses.get(index_forms, function), analyses.get(free_indices, function)
        for op in innermost_first(function, phi.FoldOp):
            write = _write(op)
            if write is not None and _Separation(op, write, forms, free).separate():
                analyses.note(
                    op, f"parts of the steps over {name_of(op.counter)} are arrays before it"
                )
