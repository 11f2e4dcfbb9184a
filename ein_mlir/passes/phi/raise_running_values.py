"""``raise-running-values``: scalars that a fold carries become scans before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.index_ranges import THIN
from ein_mlir.analysis.phi.loops.carried import Combined, Field, Fields, Improved, Taken
from ein_mlir.analysis.phi.loops.combinations import Link, Reset
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.reductions import SEARCHES, kind_of, worst
from ein_mlir.rewriting.phi.builders import chosen, comprehension, integer, leaves_of
from ein_mlir.rewriting.phi.fields import replace_fields
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.reductions.searches import compared
from ein_mlir.rewriting.phi.resets import ResetScan
from ein_mlir.rewriting.phi.step_values import Known, StepBuilder, StepValues, scan_after


class _Running:
    """The construction of the values of a field after each number of steps."""

    def __init__(self, op: phi.FoldOp, field: Field, init: SSAValue, build: Builder):
        self._op = op
        self._field = field
        self._init = init
        self._build = build
        self._values = StepValues(op)

    def values(self) -> StepBuilder:
        """Build the values."""
        match self._field.carried:
            case Combined() as found:
                return self._combined(found.links)
            case Taken() as found:
                return self._taken(
                    lambda inner, step: self._is_taken(inner, found.choice, step),
                    lambda inner, step: self._choice(inner, found.choice, step),
                )
            case Improved() as found:
                return self._improved(found)
            case Reset() as found:
                return self._restarted(found)

    def _combined(self, links: Sequence[Link]) -> StepBuilder:
        def term(inner: Builder, step: SSAValue) -> SSAValue:
            return self._values.terms(inner, links, {self._op.counter: step}).total()

        return self._scanned(links[0].kind, self._values.over_steps(self._build, term))

    def _scanned(self, kind: str, elements: SSAValue) -> StepBuilder:
        """The initial value combined with all elements of the steps before."""
        size = self._build.insert(arith.AddiOp(self._op.count, integer(self._build, 1))).result
        scanned = scan_after(self._build, kind, self._init, elements, size)

        def after(inner: Builder, steps: SSAValue) -> SSAValue:
            place = inner.insert(arith.AddiOp(steps, integer(inner, 1))).result
            return inner.insert(phi.GetOp(scanned, [place])).result

        return after

    def _restarted(self, reset: Reset) -> StepBuilder:
        """The sum since the last reset."""
        values = ResetScan(self._op, reset, self._values, {}).build(self._build, self._init)
        return lambda inner, steps: inner.insert(phi.GetOp(values, [steps])).result

    def _taken(self, is_taken: StepBuilder, value: StepBuilder) -> StepBuilder:
        """The value of the last step that takes one, or the initial one."""
        last = self._values.last_steps(
            self._build, lambda inner, step: Test(is_taken(inner, step), True)
        )
        size = self._build.insert(arith.AddiOp(self._op.count, integer(self._build, 1))).result

        def at(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            step = inner.insert(phi.GetOp(last, own)).result
            some = inner.insert(arith.CmpiOp(step, integer(inner, 0), "sge")).result
            return inner.insert(arith.SelectOp(some, value(inner, step), self._init)).result

        values = comprehension(self._build, [size], at)
        return lambda inner, steps: inner.insert(phi.GetOp(values, [steps])).result

    def _is_taken(self, build: Builder, choice: SSAValue, step: SSAValue) -> SSAValue:
        """Whether selections select a value of the step, and not the previous one."""
        if (branches := self._branches(choice)) is None:
            is_taken = choice not in self._field.previous
            return build.insert(arith.ConstantOp(IntegerAttr(int(is_taken), i1))).result
        condition = self._values.value(build, branches.cond, step)
        sides = [self._is_taken(build, side, step) for side in (branches.lhs, branches.rhs)]
        return build.insert(arith.SelectOp(condition, *sides)).result

    def _choice(self, build: Builder, choice: SSAValue, step: SSAValue) -> SSAValue:
        """The value of the step that selections select, if it is not the previous one."""
        if (branches := self._branches(choice)) is None:
            return self._values.value(build, choice, step)
        sides = [side for side in (branches.lhs, branches.rhs) if not self._is_previous(side)]
        if len(sides) == 1:
            return self._choice(build, sides[0], step)
        condition = self._values.value(build, branches.cond, step)
        values = [self._choice(build, side, step) for side in sides]
        return build.insert(arith.SelectOp(condition, *values)).result

    def _branches(self, choice: SSAValue) -> arith.SelectOp | None:
        """The selection that makes a choice; None for a value of the step, or the previous one."""
        op = choice.owner
        is_value = self._is_previous(choice) or choice in self._parts()
        return op if isinstance(op, arith.SelectOp) and not is_value else None

    def _is_previous(self, choice: SSAValue) -> bool:
        """Whether a value is the previous one in any case."""
        op = choice.owner
        if isinstance(op, arith.SelectOp) and choice not in self._parts():
            return self._is_previous(op.lhs) and self._is_previous(op.rhs)
        return choice in self._field.previous

    def _parts(self) -> Sequence[SSAValue]:
        found = self._field.carried
        return found.parts

    def _improved(self, found: Improved) -> StepBuilder:
        """The last element that is better than all before it.

        The best ones are a scan; for Floats they are read again, since a minimum of zeros is
        either.
        """
        search = found.search
        start = worst(search.predicate, self._init.type)
        assert start is not None
        reduction = next(op for op in SEARCHES[search.predicate] if identity(op, start.type))
        (element,) = search.candidates

        def computed(inner: Builder, step: SSAValue) -> list[SSAValue]:
            known: Known = {self._op.counter: step}
            return self._values.computed(inner, [element, *search.guards], known)

        def candidate(inner: Builder, step: SSAValue) -> SSAValue:
            value, *guards = computed(inner, step)
            tests = [Test(guard, True) for guard in guards]
            if isa(start, FloatAttr):
                is_number = inner.insert(arith.CmpfOp(value, value, "ord")).result
                tests.append(Test(is_number, True))
            neutral = inner.insert(arith.ConstantOp(start)).result
            return chosen(inner, tests, value, neutral) if tests else value

        best = self._scanned(kind_of(reduction), self._values.over_steps(self._build, candidate))
        if not isa(start, FloatAttr):
            return best

        def is_better(inner: Builder, step: SSAValue) -> SSAValue:
            value, *guards = computed(inner, step)
            better = compared(inner, search.predicate, value, best(inner, step))
            for guard in guards:
                better = inner.insert(arith.AndIOp(better, guard)).result
            return better

        return self._taken(is_better, lambda inner, k: self._values.value(inner, element, k))


class RunningValueRaiser(FoldRaiser):
    """Takes the fields that are known before a fold out of it."""

    def fold(self, op: phi.FoldOp) -> None:
        """Take out one field after the other."""
        left: phi.FoldOp | None = op
        while left is not None:
            field = Fields(left).known()
            if field is None or not self._may_be_known(left, field):
                return
            left = self._take(left, field)

    def _may_be_known(self, op: phi.FoldOp, field: Field) -> bool:
        """Whether errors and memory allow arrays of the values in all steps."""
        count = known_int(op.count)
        if count is not None and count <= THIN:
            return False
        parts = list(field.carried.parts)
        return self._may_run_at_once(op, parts, is_guarded=isinstance(field.carried, Combined))

    def _take(self, op: phi.FoldOp, field: Field) -> phi.FoldOp | None:
        """``fold ((x, y) = ..) { (x + e, f(x, y)) }  -->  fold (y = ..) { f(scan[k], y) }``

        The fold of the other fields, if there are any.
        """
        self.has_new_folds = True
        counter, name = name_of(op.counter), name_of(op.accumulator)
        self._note(op, f"field {field.number} of {name} in the fold over {counter} is a scan")
        build = Builder(InsertPoint.before(op))
        inits = leaves_of(build, op.init)
        values = _Running(op, field, inits[field.number], build).values()
        final = values(build, op.count)
        self._read(op, field, values)
        return replace_fields(op, inits, {field.number: final}, self._free)

    def _read(self, op: phi.FoldOp, field: Field, values: StepBuilder) -> None:
        """Read the known values in the steps of the other fields."""
        block = op.body.block
        first = block.first_op
        assert first is not None
        inner = Builder(InsertPoint.before(first))
        before = values(inner, op.counter)
        after = values(inner, inner.insert(arith.AddiOp(op.counter, integer(inner, 1))).result)
        is_computed = field.step not in field.carried.parts
        for value in field.previous:
            value.replace_all_uses_with(before)
        if is_computed:
            field.step.replace_all_uses_with(after)


@dataclass(frozen=True)
class RaiseRunningValuesPass(FoldPass):
    """Turns scalars that a fold carries, and that other fields of it read, into scans.

    Before::

        %r = phi.fold (%k < %n, %state = %init) -> tuple<f64, !phi.vec<f64>> {
          %acc = phi.proj %state, 0 : tuple<f64, !phi.vec<f64>> -> f64
          %x = phi.get %a[%k] : !phi.vec<f64>[i64]
          %sum = arith.addf %acc, %x : f64
          %out = phi.proj %state, 1 : tuple<f64, !phi.vec<f64>> -> !phi.vec<f64>
          %new = phi.update %out[%k], %sum : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
          %next = phi.tuple (%sum, %new) : tuple<f64, !phi.vec<f64>>
          phi.yield %next : tuple<f64, !phi.vec<f64>>
        }

    After, with ``%sums`` the scan of the initial value and all of ``%a``::

        %final = phi.get %sums[%last] : !phi.vec<f64>[i64]
        %r_1 = phi.fold (%k < %n, %out = %init_1) -> !phi.vec<f64> {
          %sum = phi.get %sums[%k_2] : !phi.vec<f64>[i64]
          %new = phi.update %out[%k], %sum : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
          phi.yield %new : !phi.vec<f64>
        }
        %r = phi.tuple (%final, %r_1) : tuple<f64, !phi.vec<f64>>

    The next value of such a field may be its previous one combined with a value of the step, the
    better one of both, or one of both by a condition of the step: then the last step that takes a
    value is a scan. All may have conditions, and may depend on fields that are already known. A
    field stays in the loop if another field reads it that would stay a loop anyway, if an array of
    the values of its steps would be larger than the arrays that are read, and if the steps are
    provably few.
    """

    name = "raise-running-values"

    differentiable: bool = False
    """Whether a value whose derivative may be infinite is computed only in the steps that take it.
    """

    def raiser(self, function: func.FuncOp, analyses: AnalysisManager) -> RunningValueRaiser:
        return RunningValueRaiser(function, analyses, differentiable=self.differentiable)
