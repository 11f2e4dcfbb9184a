"""``carry-values``: a loop carries values that it has computed and needs in the next step."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import f64, i64
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.element_cost import CHEAP, total_cost
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import field_of, is_made_of_fields, leaf_values
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.predicates import conjoined
from ein_mlir.analysis.scopes import dependents, is_within, operands_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.fields import carried, field_reads
from ein_mlir.rewriting.phi.insertion import Builder

_Loop: TypeAlias = phi.FoldOp | phi.WhileOp


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
    block = op.body.block
    needed = slice_of(block, [key.best], [key.position])
    return (
        any(isinstance(inner, phi.GetOp) for each in needed for inner in each.walk())
        and _is_function(block, key.best, [key.position])
        and key.element not in dependents(block, op.accumulator)
    )


def _next_best(block: Block, key: _Key) -> SSAValue:
    """``where(e(k) < e(p), e(k), e(p))``: the element of the next position."""
    is_kept = key.choice.lhs is key.position
    pair = (key.best, key.element) if is_kept else (key.element, key.best)
    return Builder.before_end(block).select(key.choice.cond, *pair)


def _computed_again(op: _Loop) -> tuple[SSAValue, SSAValue] | None:
    """A costly ``f(x)`` of carried fields, and ``f(x')`` of the next ones, in the same step."""
    block, following = op.body.block, leaf_values(op.yielded())
    next_of = {value: following[number] for value, number in field_reads(op)}
    own = [each.results[0] for each in block.ops if each.results]
    changed = [value for value in following if value in own and value not in next_of]
    after = dependents(block, *changed)
    for new in (value for value in reversed(own) if value in after and value not in changed):
        alike = (old for old in own if old not in after and old.owner.name == new.owner.name)
        if phi.is_scalar_type(new.type) and _is_function(block, new, following):
            for old in alike:
                # A value may be read twice from the next state, too
                if (
                    computes_same(old, new, next_of)
                    and _is_function(block, old, next_of)
                    and _is_costly(block, old, next_of)
                ):
                    return old, new
    return None


def _is_function(block: Block, value: SSAValue, known: Collection[SSAValue]) -> bool:
    """Whether a value of a step depends on it by known values alone, and does not fail."""
    needed = slice_of(block, [value], known)
    inputs = {each for op in needed for each in operands_within(op)}.difference(known)
    return not any(each.owner is block for each in inputs) and not any(
        may_fail(inner) for op in needed for inner in op.walk()
    )


def _is_costly(block: Block, value: SSAValue, known: Collection[SSAValue]) -> bool:
    return total_cost(slice_of(block, [value], known)) > CHEAP


def _carried(op: _Loop) -> tuple[SSAValue, SSAValue] | None:
    """A value that a loop should carry, and its next one, if each field that it yields is known."""
    if not is_made_of_fields(op.yielded()):
        return None
    if isinstance(op, phi.FoldOp) and (key := _key(op)) is not None:
        return key.best, _next_best(op.body.block, key)
    return _computed_again(op)


def _carry_power(op: _Loop, forms: IndexForms) -> _Loop | None:
    """The loop that carries a power of a number by the counter, in double precision, if any."""
    for power in op.body.block.ops:
        if not isinstance(power, math.FPowIOp | math.PowFOp) or is_within(power.lhs, op):
            continue
        exponent, cast = power.rhs, power.rhs.owner
        if isinstance(power, math.PowFOp):
            if not isinstance(cast, arith.SIToFPOp) or cast.input.type != i64:
                continue
            exponent = cast.input
        first = forms.canonical(forms.integer(exponent) - forms.integer(op.counter)).known()
        if first is None or first < 0:
            continue
        base, type_, build = power.lhs, power.result.type, Builder.before(op)
        if type_ != f64:
            base = build.emit(arith.ExtFOp(base, f64))
        if type_ != f64 or isinstance(power, math.PowFOp):
            wide = math.FPowIOp(base, exponent)
            narrow = [] if type_ == f64 else [arith.TruncFOp(wide.result, type_)]
            Rewriter.replace_op(power, [wide, *narrow])
            power = wide
        following = Builder.before_end(op.body.block).mul(power.result, base)
        start = build.emit(math.FPowIOp(base, build.integer(first)))
        return carried(op, [power.result], [start], [following])
    return None


def _carry(op: _Loop) -> _Loop | None:
    """``fold (x = a) { .. f(x) .. }  -->  fold (x = a, y = f(a)) { .. y .. }``, with the next y."""
    found = _carried(op)
    if found is None:
        return None
    build, (value, following) = Builder.before(op), found
    start = build.record(op.init.type, build.leaves(op.init))
    first = build.copied(op.body.block, [value], {op.accumulator: start})
    return carried(op, [value], first, [following])


@dataclass(frozen=True)
class CarryValuesPass(FunctionPass):
    """Lets a loop carry values that it has computed and needs in the next step.

    A fold that keeps the position of the best element keeps the element, too. Before::

        %r = phi.fold (%k < %n, %p = %zero) -> i64 { select (%a[%k] < %a[%p]), %k, %p }

    After::

        %init = phi.tuple (%zero, %a[%zero]) : tuple<i64, f64>
        %s = phi.fold (%k < %n, (%p, %best) = %init) -> tuple<i64, f64> {
          %less = %a[%k] < %best
          phi.yield (select %less, %k, %p, select %less, %a[%k], %best) : tuple<i64, f64>
        }
        %r = phi.proj %s, 0 : tuple<i64, f64> -> i64

    Such a fold is a search, which ``raise-reductions`` and ``raise-segment-reductions`` know. The
    step computes the element already, to compare it.

    Likewise a costly scalar ``f(x)`` of carried fields, if the step computes ``f(x')`` of their
    next values, too: the distance in ``while f(x) > e: x = x + f(x)`` is computed once in a step.

    With the option ``powers``, a loop carries the powers ``x ** (k + c)`` of a number by its
    counter instead, as products: with the rounding of each, as those of a linear recurrence.
    """

    name = "carry-values"
    looks_for = (phi.FoldOp, phi.WhileOp)

    powers: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in reversed(operations_in(function)):
            while isinstance(op, _Loop):
                forms = analyses.get(index_forms, function) if self.powers else None
                new = _carry(op) if forms is None else _carry_power(op, forms)
                if new is not None:
                    analyses.note(
                        new, f"the loop over {name_of(new.counter)} carries a computed value"
                    )
                    analyses.invalidate(function)
                op = new
