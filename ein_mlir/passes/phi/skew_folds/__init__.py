"""``skew-folds``: two nested folds over a table compute its elements one diagonal at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import ConstantLike

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.loops.nests import Nest, nest_of
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.skew_folds.ahead import ahead_of, element_at, replace_at_once
from ein_mlir.passes.phi.skew_folds.intervals import IntervalRows, intervals_of
from ein_mlir.passes.phi.skew_folds.lags import lags_of, replace_by_blocks
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder

LEAST = 64
"""The least count of both folds for which the calls of a diagonal take less time than its steps."""
LONGEST = 4
"""The most steps of the outer fold for each of the inner one: diagonals are as long as a column."""
MOST_ROWS = 2**14
"""The largest table, in steps of each fold, that is kept for a fold that carries rows only."""


class _Diagonals:
    """The table of a nest by diagonals: row ``s`` has the elements ``(p, s - a * p)`` at each p."""

    def __init__(self, nest: Nest, slope: int, least: int):
        self._nest = nest
        self._slope = slope
        self._least = least
        self._build = Builder.before(nest.outer)
        self._count, self._inner_count = nest.outer.count, nest.inner.count
        self._shift = int(nest.line.number is not None and nest.first[1] == 0)
        """The number of columns before the table, for a number before each row without a place."""
        self._first = (nest.first[0], nest.first[1] + self._shift)
        self._start = slope * self._first[0] + self._first[1]
        """The first diagonal with an element that a step writes."""

    def replace(self) -> None:
        """Compute the table by diagonals if it has many, and by the nest if not."""
        outer, build = self._nest.outer, self._build
        is_long = self._is_long()
        zero, one = build.integer(0), build.integer(1)
        steps = self._sum(build, (self._slope, self._count), (1, self._inner_count), -self._slope)
        steps = build.select(is_long, steps, zero)
        steps = build.max(steps, zero)
        diagonals = self._fold(steps, self._table(steps, is_long))
        users = [use.operation for use in outer.result.uses]
        by_nest = build.select(is_long, zero, one)
        after = Builder.after(outer)
        rest = self._if(after, by_nest, outer.init, self._again)
        if all(map(self._is_element, users)):
            for user in users:
                self._replace_element(user, is_long, diagonals, rest)
        else:
            by_diagonals = build.select(is_long, one, zero)
            result = self._if(
                after, by_diagonals, rest, lambda inner, _: self._result(inner, diagonals)
            )
            result.name_hint = outer.result.name_hint
            outer.result.replace_all_uses_with(result)
        Rewriter.erase_op(outer)

    def _if(
        self,
        build: Builder,
        count: SSAValue,
        otherwise: SSAValue,
        value: Callable[[Builder, SSAValue], SSAValue],
    ) -> SSAValue:
        """``fold (_ < count, t = otherwise) { value }``, for a count of 0 or 1."""
        names = self._nest.outer.body.block.args
        return build.fold_over(count, otherwise, lambda inner, _, table: value(inner, table), names)

    def _again(self, build: Builder, init: SSAValue) -> SSAValue:
        """The nest."""
        return build.copy(self._nest.outer, {self._nest.outer.init: init}).results[0]

    def _is_element(self, user: Operation) -> bool:
        return isinstance(user, phi.GetOp) and isinstance(
            user.result.type, type(self._nest.value.type)
        )

    def _replace_element(
        self, user: Operation, is_long: SSAValue, diagonals: SSAValue, rest: SSAValue
    ) -> None:
        """Replace an element of the result."""
        assert isinstance(user, phi.GetOp)
        build = Builder.before(user)
        place = [self._clipped(build, p, axis) for axis, p in enumerate(user.positions)]
        new = self._element_of_result(build, diagonals, place)
        old = build.get(rest, user.positions)
        chosen = arith.SelectOp(is_long, new, old)
        chosen.result.name_hint = user.result.name_hint
        Rewriter.replace_op(user, chosen)

    def _clipped(self, build: Builder, position: SSAValue, axis: int) -> SSAValue:
        """A position of the result as an Int in bounds."""
        if isinstance(position.type, IndexType):
            position = build.as_int(position)
        size = build.size(self._nest.outer.init, axis)
        position = build.max(position, 0)
        return build.min(position, build.sub(size, 1))

    def _is_long(self) -> SSAValue:
        """Whether diagonals are long, and together not much larger than the table."""
        build = self._build
        n, m = self._count, self._inner_count
        tests = [(n, "sge", build.integer(self._least)), (m, "sge", build.integer(self._least))]
        if self._slope:
            tests.append((n, "sle", build.mul(m, LONGEST)))
        if self._nest.carries_rows:
            tests += [(count, "sle", build.integer(MOST_ROWS)) for count in (n, m)]
        return build.all_of([build.compare(a, to, b) for a, to, b in tests])

    def _rows(self, is_long: SSAValue) -> SSAValue:
        """The number of rows of the table; without diagonals, of rows that the fold carries, 1."""
        if not self._nest.carries_rows:
            return self._build.size(self._nest.outer.init, 0)
        self._count = self._build.max(self._build.select(is_long, self._count, 0), 0)
        return self._build.add(self._count, 1)

    # Elements

    def _table(self, steps: SSAValue, is_long: SSAValue) -> SSAValue:
        """The diagonals of the table before the first step."""
        build, nest, rows = self._build, self._nest, self._rows(is_long)
        rank, zero = phi.rank_of(nest.outer.init.type), build.integer(0)
        columns = build.size(nest.outer.init, rank - 1)
        whole = self._sum(build, (self._slope, rows), (1, columns), self._shift - self._slope)
        whole = build.select(is_long, whole, zero)
        written = self._sum(build, (1, steps), self._start)
        extent = build.max(written, whole)

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            s, p = (inner.as_int(index) for index in own)
            q = self._sum(inner, (1, s), (-self._slope, p))
            if not self._nest.carries_rows:
                return element_at(inner, self._nest.outer.init, [p, q])
            return self._element_of_row(inner, p, q)

        return self._build.comprehension([extent, rows], element)

    def _element_of_row(self, build: Builder, p: SSAValue, q: SSAValue) -> SSAValue:
        """The element of the row before step ``p - 1`` of the outer fold; row 0 is the first."""
        outer, line = self._nest.outer, self._nest.line
        place = self._sum(build, (1, q), -self._shift)
        first = element_at(build, outer.init, [place])
        values: dict[SSAValue, SSAValue] = {outer.counter: self._sum(build, (1, p), -1)}
        if line.init is not outer.accumulator:
            later = element_at(build, line.init, [place], values)
            is_first = build.compare(p, "eq", 0)
            first = build.select(is_first, first, later)
        if self._shift:
            assert line.first_number is not None
            (number,) = build.copied(outer.body.block, [line.first_number], values)
            first = build.select(build.compare(q, "eq", 0), number, first)
        return first

    def _fold(self, steps: SSAValue, table: SSAValue) -> SSAValue:
        """The fold over diagonals: each is computed from those before it."""
        rows = self._build.size(table, 1)

        def step(inner: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
            s = self._sum(inner, (1, counter), self._start)
            low, high = self._range(inner, s)

            def element(build: Builder, own: Sequence[SSAValue]) -> SSAValue:
                p = build.as_int(own[0])
                old = build.get(carried, [s, own[0]])
                value = self._value(build, carried, s, p)
                for bound, predicate in ((high, "slt"), (low, "sge")):
                    value = build.select(build.compare(p, predicate, bound), value, old)
                return value

            diagonal = inner.comprehension([rows], element)
            return inner.update(carried, [s], diagonal)

        names = self._nest.inner.counter, self._nest.outer.accumulator
        return self._build.fold_over(steps, table, step, names)

    def _range(self, build: Builder, s: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The rows of the table that a step writes in a diagonal: from the first to the second.

        ``c <= p < n + c`` and ``d <= s - a * p < m + d``
        """
        rows, columns = self._first
        low = build.integer(rows)
        high = self._sum(build, (1, self._count), rows)
        if self._slope:
            past = self._sum(build, (1, s), (-1, self._inner_count), -columns)
            ahead = self._sum(build, (1, s), -columns)
            ends = [self._sum(build, (1, self._steps(build, end)), 1) for end in (past, ahead)]
            low = build.max(low, ends[0])
            high = build.min(high, ends[1])
            high = build.max(low, high)
        return low, high

    def _steps(self, build: Builder, distance: SSAValue) -> SSAValue:
        """``distance // a``"""
        if self._slope == 1:
            return distance
        slope = build.integer(self._slope)
        return build.floordiv(distance, slope)

    def _value(self, build: Builder, table: SSAValue, s: SSAValue, p: SSAValue) -> SSAValue:
        """The element that step ``(i, j)`` writes, with ``p = i + c`` and ``s - a * p = j + d``."""
        nest, (rows, columns) = self._nest, self._first
        i = self._sum(build, (1, p), -rows)
        j = self._sum(build, (1, s), (-self._slope, p), -columns)
        known: dict[SSAValue, SSAValue] = {nest.outer.counter: i, nest.inner.counter: j}
        for read, (d, e) in nest.reads.items():
            row = self._sum(build, (1, s), -(self._slope * d + e))
            place = [row, self._sum(build, (1, p), -d)]
            known[read] = build.get(table, place)
        line = nest.line
        if line.number is not None and not self._shift and not _starts_with_number(nest):
            assert line.first_number is not None
            (number,) = build.copied(nest.outer.body.block, [line.first_number], known)
            is_first = build.compare(j, "eq", 0)
            known[line.number] = build.select(is_first, number, known[line.number])
        wanted = [op for op in nest.outer.body.block.ops if op is not nest.inner]
        used = {operand for op in nest.inner.body.walk() for operand in op.operands}
        needed = [r for op in wanted for r in op.results if r in used and r not in known]
        build.copied(nest.outer.body.block, needed, known)
        return build.copied(nest.inner.body.block, [nest.value], known)[0]

    def _result(self, build: Builder, diagonals: SSAValue) -> SSAValue:
        """The result of the outer fold, from the diagonals."""
        init = self._nest.outer.init
        axes = range(phi.rank_of(init.type))
        sizes = [build.size(init, axis) for axis in axes]

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            place = [inner.as_int(index) for index in own]
            return self._element_of_result(inner, diagonals, place)

        return build.comprehension(sizes, element)

    def _element_of_result(
        self, build: Builder, diagonals: SSAValue, place: Sequence[SSAValue]
    ) -> SSAValue:
        p = self._count if self._nest.carries_rows else place[0]
        s = self._sum(build, (self._slope, p), (1, place[-1]), self._shift)
        return build.get(diagonals, [s, p])

    # Numbers

    def _sum(self, build: Builder, *terms: tuple[int, SSAValue] | int) -> SSAValue:
        """A sum of multiples and of a number."""
        total = None
        for term in terms:
            factor, value = (term, None) if isinstance(term, int) else term
            if factor == 0:
                continue
            part = build.integer(abs(factor)) if value is None else value
            if value is not None and abs(factor) != 1:
                part = build.mul(value, abs(factor))
            if total is None:
                total = part if factor > 0 else build.negated(part)
            else:
                total = build.combined(total, "+" if factor > 0 else "-", part)
        return build.integer(0) if total is None else total


def _starts_with_number(nest: Nest) -> bool:
    """Whether each row starts with the number that the inner fold carries first."""
    row = nest.line.init.owner
    if not isinstance(row, phi.ArrayOp) or nest.line.first_number is None:
        return False
    values = row.yielded(), nest.line.first_number
    literals = [ConstantLike.get_constant_value(value) for value in values]
    return values[0] is values[1] or (literals[0] is not None and literals[0] == literals[1])


def _slope(nest: Nest, forms: IndexForms, least: int) -> int | None:
    """The slope of the diagonals; None if none is legal, or a count is provably small.

    Rows that a comprehension around computes for all of its indices are not kept as a table.
    """
    if any(forms.range(fold.count).high < least for fold in (nest.outer, nest.inner)):
        return None
    if nest.carries_rows and forms.free.of(nest.outer.result):
        return None
    return nest.slope()


@dataclass(frozen=True)
class SkewFoldsPass(FunctionPass):
    """Computes a table one diagonal at a time if each element depends on its neighbours.

    Before::

        %r = phi.fold (%i < %n, %t = %a) -> !phi.vec<!phi.vec<f64>> {
          phi.fold (%j < %m, %v = %t) -> !phi.vec<!phi.vec<f64>> {
            phi.update %v[%i + 1, %j + 1], min(%v[%i, %j + 1], %v[%i + 1, %j])
          }
        }

    After, where row s of ``%d`` has the elements ``(p, s - p)`` of the table ``%a``::

        %e = phi.fold (%k < %diagonals, %v = %d) -> !phi.vec<!phi.vec<f64>> {
          %s = arith.addi %k, %two : i64
          %c = phi.array (%b < %rows) { .. min(%v[%s - 1, %p - 1], %v[%s - 1, %p]) .. }
          phi.update %v[%s], %c
        }

    The transformation is the unimodular one of the iteration space: step ``(i, j)`` runs at
    ``a * i + j``, for the least slope ``a`` at which each step follows those that it depends on:
    1 for the neighbours above, before and between; 2 if an element also depends on the one above
    and after it; 0 if only on elements of its own row. Values do not change, not even by rounding.

    The outer fold carries the table, or only the last row of it. The inner one may also carry the
    element of the step before as a number.

    A fold whose step k writes the diagonal ``t[i, i + k + c]``, as programs over intervals do, has
    the diagonals of the table as rows: the step writes a row, at any size of the table. One whose
    step k writes ``v[k]`` and reads elements at least 32 steps before it, as ``v[k - delay]``,
    writes as many elements at once as the least of these lags (``lags``). At a shorter lag that is
    known at run time, ``v[k - delay] + e`` is a scan of each chain of such elements. One whose step
    k writes ``v[c - k]`` and reads ``v[c - k - w]``, as knapsacks do, or the same upwards, writes
    all elements at once where w is not negative, which is decided at run time.

    The diagonals take the place of the nest at run time where both folds have at least 64 steps,
    and where the outer one has at most four times the steps of the inner one: the diagonals are
    as long as the table is high. The table of a fold that carries rows is not kept beyond 2^14
    steps of a fold. A nest stays one if

    - a position is not that of the step and a constant, or is out of bounds where it is used: the
      tests of selections say where, as in ``where(i == 0, 0, t[max(i - 1, 0), j])``;
    - steps depend on each other in another way than by one element, or may raise an error.
    """

    name = "skew-folds"
    looks_for = (phi.FoldOp,)

    least: int = LEAST
    """The least count of both folds."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        forms = analyses.get(index_forms, function)
        for op in operations_in(function):
            if not isinstance(op, phi.FoldOp):
                continue
            nest = nest_of(op, forms)
            slope = None if nest is None else _slope(nest, forms, self.least)
            if nest is not None and slope is not None:
                names = f"{name_of(nest.outer.counter)} and {name_of(nest.inner.counter)}"
                analyses.note(op, f"steps over {names} run by diagonals where these are long")
                _Diagonals(nest, slope, self.least).replace()
            elif (intervals := intervals_of(op, forms)) is not None:
                analyses.note(
                    op, f"steps over {name_of(op.counter)} write diagonals, which are rows"
                )
                IntervalRows(intervals, forms).replace()
            elif (lags := lags_of(op, forms)) is not None:
                analyses.note(op, f"steps over {name_of(op.counter)} run in blocks up to a lag")
                replace_by_blocks(lags)
            elif (ahead := ahead_of(op, forms)) is not None:
                analyses.note(op, f"steps over {name_of(op.counter)} run at once if they may")
                replace_at_once(ahead)
