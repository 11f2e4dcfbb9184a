"""``coalesce-folds``: reductions of rows of several lengths, in a fold, become one sequence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.ragged_folds import (
    PrefixesOfRows,
    RaggedFold,
    has_regular_steps,
    prefixes_of_rows,
    ragged_fold,
)
from ein_mlir.analysis.phi.segment_keys import keys_of
from ein_mlir.analysis.phi.selections import Step
from ein_mlir.analysis.scopes import captured, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import kind_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.insertion import Builder, Contributions
from ein_mlir.rewriting.phi.replacement import replace as replace_operation
from ein_mlir.rewriting.phi.rows import RaggedNest, StepsOfRows, extreme_of
from ein_mlir.rewriting.phi.step_values import Known, StepValues, with_start


class Coalescer(FoldRaiser["CoalesceFoldsPass"]):
    """Replaces the ragged folds of a function."""

    def fold(self, op: phi.FoldOp) -> None:
        """Replace a reduction of a row, or with it the fold over rows if that continues it."""
        prefixes = prefixes_of_rows(op) if self._options.prefixes else None
        if prefixes is not None and not self._free.of(op.result):
            self._scan(prefixes)
            return
        found = ragged_fold(op, lambda: self._forms)
        if found is None or not self._may_replace(found):
            return
        outer, nest = found.outer, RaggedNest([found.outer, op], found.outer)
        self._note(op, f"the rows of the fold over {name_of(outer.counter)} are one sequence")
        rows = nest.known(Builder.before(nest.place(), self._free.add))
        build = Builder.before(outer, self._free.add)
        steps = replace(rows.steps(build, op.counter), offsets=self._offsets(found))
        terms = _Terms(found, nest.values(), steps)
        if found.is_continued:
            replace_operation(outer, terms.total(build), self._free)
        else:
            totals, build = terms.of_rows(build), Builder.before(op, self._free.add)
            total = build.get(totals, [outer.counter])
            replace_operation(op, with_start(build, op, found.step, total), self._free)

    def _scan(self, found: PrefixesOfRows) -> None:
        """``fold (k < c[i]) { acc + e }  -->  scan (array (k < max c) { e })[c[i]]``

        There is a scan for each column. A negative count is an error: then it is that of the array.
        """
        op, nest, columns = found.inner, found.nest, [fold.counter for fold in found.columns]
        self._note(op, f"is a scan: the fold over {name_of(nest[0].counter)} reads its prefixes")
        build = Builder.before(nest[0], self._free.add)

        def is_another(value: SSAValue) -> bool:
            return is_within(value, nest[0]) and not is_within(value, op)

        least, most = (
            extreme_of(build, nest, op.count, best) for best in (arith.MinSIOp, arith.MaxSIOp)
        )
        count = build.select(build.compare(least, "slt", 0), least, most)
        values, kind = StepValues(op), kind_of(found.step.combine.name)

        def sums_of(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            known: Known = dict(zip(columns, map(inner.as_int, own), strict=True))
            for each in captured(op) if columns else ():
                inner.recomputed(each, known, is_another)
            elements = values.over_steps(
                inner,
                lambda body, k: _term(values, found.step, body, {**known, op.counter: k}),
                count,
            )
            return inner.scan(kind, elements)

        outer = [build.max(fold.count, 0) for fold in found.columns]
        sums = build.comprehension(outer, sums_of, columns) if columns else sums_of(build, [])
        build = Builder.before(op, self._free.add)
        total = with_start(build, op, found.step, build.get(sums, [*columns, op.count]))
        replace_operation(op, total, self._free)

    def _offsets(self, found: RaggedFold) -> SSAValue | None:
        """``v`` if the number of steps of row i is ``v[i + 1] - v[i]``, which is not negative."""
        ends = found.inner.count.owner
        reads = [each.owner for each in ends.operands] if isinstance(ends, arith.SubiOp) else []
        match reads:
            case [phi.GetOp() as end, phi.GetOp() as start] if end.array is start.array:
                forms = [self._forms.form(each) for each in (*end.positions, *start.positions)]
                row = self._forms.form(found.outer.counter)
                is_outside = not is_within(end.array, found.outer)
                return end.array if is_outside and forms == [row + 1, row] else None
            case _:
                return None

    def _may_replace(self, found: RaggedFold) -> bool:
        """Whether a sequence of all steps is better: rows are the same for all indices.

        Sums of rows are stored, if no index would make them more than the rows.
        """
        inner = found.inner
        if self._free.of(inner.count):
            return False
        if self._options.keyed:
            return found.is_continued and bool(keys_of(inner, found.step, self._forms)[0])
        if found.is_continued:
            return True
        is_row = not any(map(self._free.of, captured(inner)))
        return is_row and has_regular_steps(inner, inner, found.outer)


class _Terms:
    """The terms of all rows."""

    def __init__(self, found: RaggedFold, values: StepValues, steps: StepsOfRows):
        self._found, self._values, self._steps = found, values, steps

    def total(self, build: Builder) -> SSAValue:
        """``fold (i < m) { fold (k < n_i) { acc + e } }  -->  fold (p < sum n) { acc + e }``"""
        outer, inner = self._found.outer, self._found.inner

        def step(body: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
            _, term = self._term(body, counter)
            return body.same(self._found.step.combine, accumulator, term)

        names = inner.counter, outer.accumulator
        return build.fold_over(self._steps.count, outer.init, step, names)

    def of_rows(self, build: Builder) -> SSAValue:
        """``fold (k < n_i) { acc + e }`` for each i: ``accumulate (p < sum n) { i, e }``"""
        outer, inner = self._found.outer, self._found.inner

        def step(body: Builder, own: Sequence[SSAValue]) -> Contributions:
            row, term = self._term(body, body.as_int(own[0]))
            return [([row], term)]

        into = [(kind_of(self._found.step.combine.name), [outer.count])]
        return build.accumulation([self._steps.count], into, step, [inner.counter])

    def _term(self, build: Builder, counter: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The row of a step of the sequence, and the term of the step."""
        row, step = self._steps.place(build, counter)
        known: Known = {self._found.outer.counter: row, self._found.inner.counter: step}
        return row, _term(self._values, self._found.step, build, known)


def _term(values: StepValues, step: Step, build: Builder, known: Known) -> SSAValue:
    """What a step combines; the identity if a test fails."""
    return values.selected(build, step, values.tests(build, step.tests, known), known)


@dataclass(frozen=True)
class CoalesceFoldsPass(FoldPass):
    """Makes reductions of rows of several lengths, in the steps of a fold, one sequence of steps.

    Before::

        %s = phi.fold (%i < %m, %acc = %zero) -> f64 {
          %t = phi.fold (%k < %lengths[%i], %acc_1 = %zero) -> f64 { %acc_1 + %a[%starts[%i] + %k] }
          phi.yield %acc + %t : f64
        }

    After (``%count`` is the sum of the lengths, ``%rows`` has the row of each step, and ``%before``
    the number of steps before each row)::

        %s = phi.fold (%k < %count, %acc = %zero) -> f64 {
          %i = phi.get %rows[%k] : !phi.vec<i64>[i64]
          phi.yield %acc + %a[%starts[%i] + %k - %before[%i]] : f64
        }

    The result is a sum over all steps, or one of the values of each key. Where a step of the outer
    fold does anything else with the sum of its row, the sums of all rows are accumulated before it.
    That needs an element for each row: it is left where the terms vary with an index, as the fold
    is then one for each index. A fold is left also if its terms depend on an accumulator, if a
    step around it has loops that its terms need, or if no array that it reads has a part for each
    row: the steps of a triangle, whose counts are computed, are more than those arrays have
    elements. Lengths ``o[i + 1] - o[i]`` add up to ``o[i] - o[0]``: rows that start at ``o[i]``
    follow each other in one slice. With the option ``keyed``, for backends whose loops are fast, a
    fold is replaced only where it then is an accumulation of the values of keys.

    Where all rows take a prefix of the same steps, as ``%w[%k]`` for ``%k < %lengths[%i]``, there
    is a scan of the longest one, which each row reads at its length. With ``prefixes=false``, for
    backends whose sizes are those of arguments, there is none.

    With ``derivatives`` it is for functions that have some, before they are expanded: cotangents
    have one element for each step of the sequence, and rows of several lengths would need a loop.
    """

    keyed: bool = False
    prefixes: bool = True
    derivatives: bool = False

    name = "coalesce-folds"
    raiser = Coalescer
