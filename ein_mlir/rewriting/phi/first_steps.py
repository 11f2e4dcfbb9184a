"""Folds that keep the value of the first step in which a test holds, as searches for that step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import INTS, Range
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import copied, folded, is_as_expected
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Replacement, insert_before
from ein_mlir.rewriting.phi.step_values import StepValues

_OUTSIDE: Mapping[str, Callable[[Range, int], bool]] = {
    "slt": lambda values, number: values.low >= number,
    "sle": lambda values, number: values.low > number,
    "eq": lambda values, number: not values.low <= number <= values.high,
}
"""Predicate -> whether no value of a range is less than, at most, or equal to a number."""


def search_of_first(op: phi.FoldOp, forms: IndexForms, free: FreeIndices) -> phi.FoldOp:
    """``fold (k, s = -1) { where(t & (s < 0), e, s) }  -->  where(r < 2^63 - 1, e[k := r], -1)``

    with ``r = fold (k, m = 2^63 - 1) { where(t & (k < m), k, m) }``, where no ``e`` is negative.
    The new fold; the old one if it is of another kind.
    """
    found = _first(op, forms)
    if found is None or body_may_fail(op):
        return op
    tests, value = found
    worst = arith.ConstantOp(IntegerAttr(INTS.high, i64))

    def step(build: Builder, counter: SSAValue, best: SSAValue) -> SSAValue:
        known: dict[SSAValue, SSAValue] = {op.counter: counter}
        is_first = build.compare(counter, "slt", best)
        for test in tests:
            (condition,) = copied(build, op.body.block, [test.condition], known)
            is_first = build.and_(is_as_expected(build, condition, test.expected), is_first)
        return build.select(is_first, counter, best)

    search = folded(op, worst, step)
    insert_before(op, [worst, search], free)
    after = Replacement(op)
    is_found = after.compare(search.result, "slt", INTS.high)
    kept = StepValues(op).value(after, value, search.result)
    result = after.select(is_found, kept, op.init)
    after.finish(result, free)
    return search


def _first(op: phi.FoldOp, forms: IndexForms) -> tuple[Sequence[Test], SSAValue] | None:
    """The tests of a step, and the Int that it takes unless an earlier step has taken one."""
    select = op.yielded().owner
    if op.result.type != i64 or not isinstance(select, arith.SelectOp):
        return None
    is_taken = select.rhs is op.accumulator
    value, kept = (select.lhs, select.rhs) if is_taken else (select.rhs, select.lhs)
    varying = dependents(op.body.block, op.accumulator)
    tests = list(conjuncts(Test(select.cond, is_taken)))
    own = [test for test in tests if test.condition in varying]
    if kept is not op.accumulator or value in varying or len(own) != 1:
        return None
    others = [test for test in tests if test is not own[0]]
    return (others, value) if _is_unset(own[0], value, op, forms) else None


def _is_unset(test: Test, value: SSAValue, op: phi.FoldOp, forms: IndexForms) -> bool:
    """Whether a test on the accumulator holds for the initial value, and for no value taken."""
    found, start = relation_of(test.condition), known_int(op.init)
    if found is None or found.lhs is not op.accumulator or found.predicate not in _OUTSIDE:
        return False
    number = known_int(found.rhs)
    if not test.expected or number is None or start is None:
        return False
    is_outside = _OUTSIDE[found.predicate]
    return not is_outside(Range.of(start), number) and is_outside(forms.range(value), number)
