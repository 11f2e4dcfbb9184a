"""``narrow-folds``: folds whose steps have an effect in a range of the counter run in it only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i1
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.bounds import Bound, bound_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.selections import Test, conjuncts, step_of
from ein_mlir.analysis.scopes import dependents, innermost_first, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import copied, integer, linear_value


def _tests(op: phi.FoldOp) -> Sequence[Test]:
    """The tests without which a step leaves the accumulator as it is."""
    step = step_of(op)
    if step is not None:
        return step.tests
    select = op.yielded().owner
    if not isinstance(select, arith.SelectOp):
        return ()
    for old, expected in ((select.rhs, True), (select.lhs, False)):
        if old is op.accumulator:
            return list(conjuncts(Test(select.cond, expected)))
    return ()


def _bounds(
    op: phi.FoldOp, forms: IndexForms, free: FreeIndices, irregular: bool
) -> Iterator[Bound]:
    """The bounds of the counter, one from each side, that are the same in all steps.

    They must vary with no index, as the count does, unless it may be ``irregular``.
    """
    block, sides = op.body.block, set[bool]()
    variable = dependents(block, op.counter) | dependents(block, op.accumulator)
    rows = _row_indices(op, variable, free) if irregular else frozenset[BlockArgument]()
    for test in _tests(op):
        bound = bound_of(op, test, forms)
        if bound is None or bound.suffix in sides:
            continue
        indices = bound.free(free)
        if indices and not (irregular and indices.isdisjoint(rows)):
            continue
        if variable.isdisjoint(bound.parts):
            sides.add(bound.suffix)
            yield bound


def _row_indices(
    op: phi.FoldOp, variable: set[SSAValue], free: FreeIndices
) -> frozenset[BlockArgument]:
    """The indices along which steps read rows, ``b[k, j]``: with one count they vectorise."""
    rows = frozenset[BlockArgument]()
    for get in operations_in(op):
        if isinstance(get, phi.GetOp) and get.positions:
            *others, last = get.positions
            if last not in variable and not variable.isdisjoint(others):
                rows |= free.of(last)
    return rows


def _position(build: Builder, op: phi.FoldOp, bound: Bound, forms: IndexForms) -> SSAValue:
    """``clip(p, 0, n)`` for the bound p, and ``clip(p, -1, n - 1) + 1`` for the bound ``p + 1``.

    The latter is no-wrap.
    """
    known = copied(build, op.body.block, bound.parts, {})
    values = dict(zip(bound.parts, known, strict=True))
    if isinstance(bound.position, SSAValue):
        position, form = values[bound.position], forms.integer(bound.position)
    else:
        form = bound.position
        position = linear_value(build, form, lambda atom: values.get(atom, atom))
    plus = int(bound.plus_one)
    if not forms.is_nonnegative(form + plus):
        position = build.insert(arith.MaxSIOp(position, integer(build, -plus))).result
    if not forms.is_at_most(form + plus, forms.integer(op.count)):
        high = op.count
        if plus:
            high = build.insert(arith.SubiOp(high, integer(build, plus))).result
        position = build.insert(arith.MinSIOp(position, high)).result
    return build.insert(arith.AddiOp(position, integer(build, plus))).result if plus else position


def narrow(op: phi.FoldOp, bounds: Sequence[Bound], forms: IndexForms) -> None:
    """``fold (k < n) { where(p <= k < q, e, acc) }  -->  fold (d < q' - p') { e }``

    with ``p' + d`` for k, where p' and q' are p and q in bounds.
    """
    before, inside = Builder(InsertPoint.before(op)), Builder(InsertPoint.at_start(op.body.block))
    count, start = op.count, None
    for bound in bounds:
        position = _position(before, op, bound, forms)
        if bound.suffix:
            start = position
        else:
            count = position
        holds = inside.insert(arith.ConstantOp(IntegerAttr(int(bound.test.expected), i1)))
        bound.test.condition.replace_all_uses_with(holds.result)
    if start is not None:
        steps = before.insert(arith.SubiOp(count, start))
        count = before.insert(arith.MaxSIOp(steps, integer(before, 0))).result
        place = inside.insert(arith.AddiOp(start, start))
        op.counter.replace_all_uses_with(place.result)
        place.operands[1] = op.counter
        place.result.name_hint = op.counter.name_hint
    op.operands[0] = count if is_size(op.count) else _checked(before, op.count, count)


def _checked(build: Builder, count: SSAValue, narrow: SSAValue) -> SSAValue:
    """The number of steps in a range; the count itself if it is an error."""
    most = integer(build, MOST)
    is_count = build.insert(arith.CmpiOp(count, most, "ule")).result
    return build.insert(arith.SelectOp(is_count, narrow, count)).result


def narrow_folds(
    function: func.FuncOp, analyses: AnalysisManager, *, irregular: bool = False
) -> None:
    """Narrow the folds of a function, innermost first."""
    forms, free = analyses.get(index_forms, function), analyses.get(free_indices, function)
    for op in innermost_first(function, phi.FoldOp):
        bounds = list(_bounds(op, forms, free, irregular))
        if bounds:
            analyses.note(op, f"the fold over {name_of(op.counter)} runs in a range of it only")
            narrow(op, bounds, forms)
            if any(bound.free(free) for bound in bounds):
                op.irregular = UnitAttr()
            free.add(op)


@dataclass(frozen=True)
class NarrowFoldsPass(FunctionPass):
    """Runs the steps of a fold only where a comparison of the counter gives them an effect.

    Before::

        %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
          %before = arith.cmpi slt, %k, %i : i64
          %x = phi.get %a[%k] : !phi.vec<f64>[i64]
          %y = arith.select %before, %x, %zero : f64
          %next = arith.addf %acc, %y : f64
          phi.yield %next : f64
        }

    After::

        %0 = arith.constant 0 : i64
        %1 = arith.maxsi %i, %0 : i64
        %2 = arith.minsi %1, %n : i64
        %r = phi.fold (%k < %2, %acc = %zero) -> f64 {
          %before = arith.constant true
          %x = phi.get %a[%k] : !phi.vec<f64>[i64]
          %y = arith.select %before, %x, %zero : f64
          %next = arith.addf %acc, %y : f64
          phi.yield %next : f64
        }

    The bound may be the counter of a loop around the fold, an argument or any other Int that varies
    with no index: arrays stay rectangular. With the option ``irregular`` it may be any Int, for
    backends whose loops need no rectangles, except one that varies along the rows that steps read.
    There may be one on each side. Other conditions remain.
    """

    irregular: bool = False

    name = "narrow-folds"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        narrow_folds(function, analyses, irregular=self.irregular)
