"""``carry-prefixes``: a fold over the steps so far is carried from step to step."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import captured, dependents, innermost_first, is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import copied, linear_value
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class _Prefix:
    """``fold (s < t + c) { .. }`` in the steps t of another fold."""

    fold: phi.FoldOp
    first: LinearForm
    """The number of steps before the first one of the other fold, c."""


def _folds(op: phi.FoldOp) -> list[phi.FoldOp]:
    """The folds in the steps of another one."""
    return [inner for inner in op.body.block.ops if isinstance(inner, phi.FoldOp)]


def _prefix(op: phi.FoldOp, forms: IndexForms) -> _Prefix | None:
    """The first fold in the steps of another one that takes one more step each time."""
    block = op.body.block
    varying = dependents(block, op.counter, op.accumulator)
    for fold in _folds(op):
        count = forms.integer(fold.count)
        first = forms.canonical(count - LinearForm({op.counter: 1}))
        is_next = forms.is_exact(count) and forms.is_nonnegative(first)
        if is_next and not any(is_within(part, block) for part in first.coefficients):
            values = {fold.init, *captured(fold)}
            body_may_fail = any(map(may_fail, operations_in(fold)[1:]))
            if values.isdisjoint(varying) and not body_may_fail:
                return _Prefix(fold, first)
    return None


def _carry(op: phi.FoldOp, prefix: _Prefix) -> phi.FoldOp:
    """``fold (t < n, x = y) { .. fold (s < t, a = b) { f(s, a) } .. }  -->
    fold (t < n, (x, a) = (y, b)) { .. a .. f(t, a) }``, and f(t, a) is the value if s <= t.
    """
    block, fold = op.body.block, prefix.fold
    is_inclusive = prefix.first.known() == 1
    first = LinearForm() if is_inclusive else prefix.first

    before, outside = Builder.before(op), dict[SSAValue, SSAValue]()
    needed = [value for value in (fold.init, *captured(fold)) if is_within(value, block)]
    copied(before, block, needed, outside)
    steps = linear_value(before, first)
    start = before.insert(fold.clone(outside))
    start.operands[0] = steps

    record = block.insert_arg(phi.tuple_of((op.init.type, fold.init.type)), 2)
    record.name_hint = op.accumulator.name_hint
    inside, place = Builder.at_start(block), Builder.before(fold)
    old, state = inside.proj(record, 0), inside.proj(record, 1)
    state.name_hint = fold.result.name_hint
    step = linear_value(place, first + LinearForm({op.counter: 1}))
    known: dict[SSAValue, SSAValue] = {fold.counter: step, fold.accumulator: state}
    (following,) = copied(place, fold.body.block, [fold.yielded()], known)
    Rewriter.replace_op(fold, [], [following if is_inclusive else state])

    op.accumulator.replace_all_uses_with(old)
    block.erase_arg(block.args[1])
    op.yield_instead(Builder.before_end(block).tuple([op.yielded(), following]))
    init = before.tuple([op.init, start.result])
    carried = before.insert(op.again(init, Region(op.body.detach_block(block))))
    Rewriter.replace_op(op, [], [before.proj(carried.result, 0)])
    return carried


class CarryPrefixesPass(FunctionPass):
    """Lets a fold carry the value of a fold over its steps so far.

    Before::

        %r = phi.fold (%t < %n, %acc = %zero) -> f64 {
          %p = phi.fold (%s < %t, %state = %one) -> f64 {
            %x = phi.get %a[%s] : !phi.vec<f64>[i64]
            %next_state = arith.mulf %state, %x : f64
            phi.yield %next_state : f64
          }
          %next = arith.addf %acc, %p : f64
          phi.yield %next : f64
        }

    After::

        %init = phi.tuple (%zero, %one) : tuple<f64, f64>
        %s = phi.fold (%t < %n, %acc = %init) -> tuple<f64, f64> {
          %acc_1 = phi.proj %acc, 0 : tuple<f64, f64> -> f64
          %p = phi.proj %acc, 1 : tuple<f64, f64> -> f64
          %next = arith.addf %acc_1, %p : f64
          %x = phi.get %a[%t] : !phi.vec<f64>[i64]
          %next_p = arith.mulf %p, %x : f64
          %0 = phi.tuple (%next, %next_p) : tuple<f64, f64>
          phi.yield %0 : tuple<f64, f64>
        }
        %r = phi.proj %s, 0 : tuple<f64, f64> -> f64

    That takes n steps instead of n times n / 2. Steps of the inner fold vary with nothing else of
    the outer one. Prefixes that are scans need no loop: ``raise-scans`` comes before.
    """

    name = "carry-prefixes"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in innermost_first(function, phi.FoldOp):
            while _folds(op):  # others need no analysis
                prefix = _prefix(op, analyses.get(index_forms, function))
                if prefix is None:
                    break
                counter = name_of(op.counter)
                analyses.note(op, f"the fold over {counter} carries that of the steps so far")
                op = _carry(op, prefix)
                analyses.invalidate(function)
