"""Conditions without which a step of a fold leaves the accumulator, or a part of it, as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.writes import unconditional
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.dialects import phi


def tests_to_change(op: phi.FoldOp, forms: IndexForms) -> Sequence[Test]:
    """The tests without which a step yields its accumulator: all of them hold in other steps.

    ``where(t & u, x, acc)``, ``array (i) { where(t & (i == p), x, acc[i]) }``, an update at
    ``where(t, p, -1)``, and records of these need ``t``. A condition in a comprehension may depend
    on its indices.
    """
    return _tests(op.yielded(), lambda value: value is op.accumulator, forms) or ()


def _tests(
    value: SSAValue, is_old: Callable[[SSAValue], bool], forms: IndexForms
) -> Sequence[Test] | None:
    """The tests without which a value is the old one; None if it always is."""
    if is_old(value):
        return None
    match value.owner:
        case arith.SelectOp() as op:
            return _tests_of_choice(op, is_old, forms)
        case phi.TupleOp() as op:
            fields = [
                _tests(field, lambda value, k=k: _is_field(value, k, is_old), forms)
                for k, field in enumerate(op.fields)
            ]
            return _common([tests for tests in fields if tests is not None])
        case phi.UpdateOp() as op if is_old(op.array):
            return [test for place in op.positions for test in unconditional(place)[1]]
        case phi.ArrayOp() as op:
            return _tests(op.yielded(), lambda value: _is_element(value, op, is_old, forms), forms)
        case _:
            return ()


def _tests_of_choice(
    op: arith.SelectOp, is_old: Callable[[SSAValue], bool], forms: IndexForms
) -> Sequence[Test] | None:
    for kept, other, expected in ((op.rhs, op.lhs, True), (op.lhs, op.rhs, False)):
        if is_old(kept):
            tests = _tests(other, is_old, forms)
            return None if tests is None else [*conjuncts(Test(op.cond, expected)), *tests]
    return ()


def _common(tests: Sequence[Sequence[Test]]) -> Sequence[Test] | None:
    """The tests that are in all of several sequences."""
    if not tests:
        return None
    first, *others = tests
    return [test for test in first if all(_is_among(test, each) for each in others)]


def _is_among(test: Test, others: Sequence[Test]) -> bool:
    return any(
        test.expected == other.expected and computes_same(test.condition, other.condition)
        for other in others
    )


def _is_field(value: SSAValue, number: int, is_old: Callable[[SSAValue], bool]) -> bool:
    op = value.owner
    return isinstance(op, phi.ProjOp) and op.field.value.data == number and is_old(op.record)


def _is_element(
    value: SSAValue, op: phi.ArrayOp, is_old: Callable[[SSAValue], bool], forms: IndexForms
) -> bool:
    """Whether a value is the element of an old array at the indices, which have its sizes."""
    get = value.owner
    return (
        isinstance(get, phi.GetOp)
        and is_old(get.array)
        and tuple(get.positions) == tuple(op.indices)
        and phi.rank_of(get.array.type) == len(op.indices)
        and all(
            forms.integer(size) == forms.size(get.array, axis) for axis, size in enumerate(op.sizes)
        )
    )
