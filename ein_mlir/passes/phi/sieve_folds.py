"""``sieve-folds``: folds over the divisors of an index write the multiples of each divisor."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, Region, SSAValue

from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.phases import phase_of
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import ancestors, captured, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Replacement
from ein_mlir.rewriting.phi.sentinels import replace_by_selected


@dataclass(frozen=True)
class Sieve:
    """A fold of a comprehension each of whose steps concerns the multiples of a number."""

    array: phi.ArrayOp
    needed: Sequence[Operation]
    """The operations of the comprehension that a step depends on."""
    step: Step


class Sieving(FoldRaiser["SieveFoldsPass"]):
    """Replaces the folds of a function by loops over arrays."""

    def fold(self, op: phi.FoldOp) -> None:
        """Replace a fold, or one of the elements that a test selects."""
        if not self._raise(op):
            replace_by_selected(op, self._raising(self._raise))

    def _raise(self, op: phi.FoldOp) -> bool:
        found = self._sieve(op)
        if found is None:
            return False
        name = name_of(op.counter)
        self._note(op, f"each step of the fold over {name} writes the multiples of a number")
        array = self._loop(op, found)
        read = Replacement(op)
        read.finish(read.get(array, found.array.indices), self._free, self._sizes)
        return True

    def _sieve(self, op: phi.FoldOp) -> Sieve | None:
        """A fold as a sieve. The values that its steps share are computed again in each.

        So these need no loop.
        """
        array, step = op.parent_op(), step_of(op)
        if not isinstance(array, phi.ArrayOp) or step is None:
            return None
        if any(ancestors(array, phi.ComprehensionOp)):
            return None
        if is_within(op.init, array) and not isinstance(op.init.owner, arith.ConstantOp):
            return None
        if self._free.of(op.count) or not is_nonnegative(op.count):
            return None
        needed = slice_of(array.body.block, list(captured(op)))
        if any(each.regions or may_fail(each) for each in (*needed, *op.body.walk())):
            return None
        return Sieve(array, needed, step) if self._has_multiples(op, array, step) else None

    def _has_multiples(self, op: phi.FoldOp, array: phi.ArrayOp, step: Step) -> bool:
        """Whether a step concerns the multiples of a number that grows with the counter."""
        phases = (
            phase_of(test, array.indices, lambda value: bool(self._free.of(value)), self._forms)
            for test in step.tests
        )
        return any(phase is not None and self._grows(op, phase.step) for phase in phases)

    def _grows(self, op: phi.FoldOp, value: SSAValue) -> bool:
        """Whether a value, or an operand of a maximum, is a multiple of the counter and more."""
        if isinstance(value.owner, arith.MaxSIOp):
            return any(self._grows(op, each) for each in value.owner.operands)
        return self._forms.form(value).coefficients.get(op.counter, 0) > 0

    def _loop(self, op: phi.FoldOp, found: Sieve) -> SSAValue:
        """``fold (k < n, a = array { init }) { array (i) { where(tests, a[i] + e, a[i]) } }``"""
        array = found.array
        build = Builder.before(array, self._forms.add)

        def first(inner: Builder, _: Sequence[SSAValue]) -> SSAValue:
            owner = op.init.owner
            return inner.copy(owner).results[0] if isinstance(owner, arith.ConstantOp) else op.init

        start = build.comprehension(array.sizes, first, array.indices)
        body = fold_body(op, start.type)
        counter, accumulator = body.args

        def element(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
            old = inner.get(accumulator, indices)
            known = dict(zip(array.indices, indices, strict=True))
            return _next(inner, op, found, {**known, op.counter: counter, op.accumulator: old})

        end = Builder.at_end(body)
        sizes = [end.size(accumulator, axis) for axis in range(len(array.sizes))]
        end.yield_(end.comprehension(sizes, element, array.indices))
        result = build.emit(op.again(start, Region(body)))
        result.name_hint = op.result.name_hint
        return result


def _next(
    build: Builder, op: phi.FoldOp, found: Sieve, known: dict[SSAValue, SSAValue]
) -> SSAValue:
    """``where(tests, acc + e, acc)`` of a step, in the body of a comprehension."""
    step, old = found.step, known[op.accumulator]
    parts = slice_of(op.body.block, step.parts(step.tests))
    build.copy_all((*found.needed, *parts), known)
    tests = [Test(known.get(x.condition, x.condition), x.expected) for x in step.tests]
    value = build.value(step.value)
    combined = build.same(step.combine, old, known.get(value, value))
    return build.select(build.hold(tests), combined, old)


@dataclass(frozen=True)
class SieveFoldsPass(FoldPass):
    """Turns folds over the divisors of an index into loops over these, which write multiples.

    Before::

        %b = phi.array (%i < %n) -> !phi.vec<i64> {
          phi.fold (%k < %m, %acc = %zero) -> i64 { %acc + select (%i mod %k_1 == 0), %k_1, 0 }
        }

    After, where %k_1 is ``k + 1``, too::

        %a = phi.array (%i < %n) -> !phi.vec<i64> { %zero }
        %b = phi.fold (%k < %m, %acc = %a) -> !phi.vec<i64> {
          phi.array (%i < %n) { select (%i mod %k_1 == 0), %acc[%i] + %k_1, %acc[%i] }
        }

    ``raise-updates`` lets a step write every d-th element alone: n log n elements are written
    instead of n tests in each of n steps. Each element combines the same values in the same order.
    The number whose multiples are taken must be at least 1, and a multiple of the counter and more,
    or the maximum of one and another Int; the remainder may be any that varies with no index.
    Extremes may have a value in place of those that the tests leave out. Steps that may raise an
    error are not moved, nor are folds in nested comprehensions.
    """

    name = "sieve-folds"
    raiser = Sieving
