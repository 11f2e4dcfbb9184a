"""``carry-keys``: a search that keeps the position of the best element keeps the element, too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.predicates import conjoined
from ein_mlir.analysis.scopes import dependents, innermost_first, operands_within
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import copied, fold_over
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class _Key:
    """``where(e(k) < e(p), k, p)``: the element of a carried position, and that of the step."""

    choice: arith.SelectOp
    position: SSAValue
    """The carried position, p."""
    field: int
    """Its number in the accumulator."""
    best: SSAValue
    """``e(p)``"""
    element: SSAValue
    """``e(k)``"""


def _key(op: phi.FoldOp) -> _Key | None:
    """The first carried position of a fold at which a step reads an element to compare."""
    for field, value in enumerate(leaf_values(op.yielded())):
        choice = value.owner
        if value.type == i64 and isinstance(choice, arith.SelectOp):
            for found in _candidates(op, choice, field):
                if _is_carried(op, found):
                    return found
    return None


def _candidates(op: phi.FoldOp, choice: arith.SelectOp, field: int) -> Iterator[_Key]:
    """The comparisons of a choice between a carried position and another one."""
    for old, new in ((choice.rhs, choice.lhs), (choice.lhs, choice.rhs)):
        if field_of(old, op.accumulator) == field:
            for condition in conjoined(choice.cond):
                if isinstance(compared := condition.owner, arith.CmpiOp | arith.CmpfOp):
                    for best, element in (compared.operands, reversed(compared.operands)):
                        if computes_same(best, element, {old: new}):
                            yield _Key(choice, old, field, best, element)


def _is_carried(op: phi.FoldOp, key: _Key) -> bool:
    """Whether an element is read, is that of the position alone, and nothing of it may fail."""
    block, needed = op.body.block, slice_of(op.body.block, [key.best], [key.position])
    inputs = {value for each in needed for value in operands_within(each)} - {key.position}
    return (
        any(isinstance(inner, phi.GetOp) for each in needed for inner in each.walk())
        and not any(may_fail(inner) for each in needed for inner in each.walk())
        and not any(value.owner is block for value in inputs)
        and key.element not in dependents(block, op.accumulator)
    )


def _carry(op: phi.FoldOp, key: _Key) -> phi.FoldOp:
    """``fold (p = q) { .. e(k) < e(p) .. }  -->  fold (p = q, x = e(q)) { .. e(k) < x .. }``"""
    build, block = Builder.before(op), op.body.block
    init = build.leaves(op.init)
    (first,) = copied(build, block, [key.best], {key.position: init[key.field]})

    def step(inner: Builder, counter: SSAValue, fields: SSAValue) -> SSAValue:
        *old, best = inner.leaves(fields)
        known = {op.counter: counter, op.accumulator: inner.record(op.init.type, old)}
        known |= {key.position: old[key.field], key.best: best}
        wanted = [op.yielded(), key.choice.cond, key.element]
        result, condition, element = copied(inner, block, wanted, known)
        pair = (element, best) if key.choice.rhs is key.position else (best, element)
        return inner.tuple([*inner.leaves(result), inner.select(condition, *pair)])

    start = build.tuple([*init, first])
    result = fold_over(build, op.count, start, step, block.args)
    Rewriter.replace_op(op, [], [build.record(op.result.type, build.leaves(result)[:-1])])
    assert isinstance(result.owner, phi.FoldOp)
    return result.owner


class CarryKeysPass(FunctionPass):
    """Lets a fold that keeps the position of the best element keep the element, too.

    Before::

        %r = phi.fold (%k < %n, %p = %zero) -> i64 {
          %x = phi.get %a[%k] : !phi.vec<f64>[i64]
          %best = phi.get %a[%p] : !phi.vec<f64>[i64]
          %less = arith.cmpf olt, %x, %best : f64
          %next = arith.select %less, %k, %p : i64
          phi.yield %next : i64
        }

    After::

        %first = phi.get %a[%zero] : !phi.vec<f64>[i64]
        %init = phi.tuple (%zero, %first) : tuple<i64, f64>
        %s = phi.fold (%k < %n, %p = %init) -> tuple<i64, f64> {
          %p_1 = phi.proj %p, 0 : tuple<i64, f64> -> i64
          %best = phi.proj %p, 1 : tuple<i64, f64> -> f64
          %x = phi.get %a[%k] : !phi.vec<f64>[i64]
          %less = arith.cmpf olt, %x, %best : f64
          %next = arith.select %less, %k, %p_1 : i64
          %next_best = arith.select %less, %x, %best : f64
          %0 = phi.tuple (%next, %next_best) : tuple<i64, f64>
          phi.yield %0 : tuple<i64, f64>
        }
        %r = phi.proj %s, 0 : tuple<i64, f64> -> i64

    Such a fold is a search, which ``raise-reductions`` and ``raise-segment-reductions`` know. The
    step computes the element already, to compare it.
    """

    name = "carry-keys"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in innermost_first(function, phi.FoldOp):
            while (key := _key(op)) is not None:
                analyses.note(op, f"the fold over {name_of(op.counter)} keeps the best element")
                op = _carry(op, key)
                analyses.invalidate(function)
