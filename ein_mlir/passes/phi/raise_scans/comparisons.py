"""Comparisons of elements that select the steps of a fold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType, i1, i64
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.bounds import Bound, bound_of
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.predicates import NEGATED, SWAPPED, SYMBOLS, predicate_of
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.selection import selects_often, varying_tests

_SORTED_FLOATS = (Float32Type(), Float64Type())


@dataclass(frozen=True)
class Comparison:
    """``key < limit`` in the steps that a test selects."""

    test: Test
    key: SSAValue
    """It varies with the step, and not with the indices of the limit."""
    predicate: str
    limit: SSAValue
    tie: Bound | None = None
    """A bound of the counter: of the steps whose key is the limit, those before or from it on."""
    selects_nan: bool = False
    """Whether it is ``~(key >= limit)`` of floats, which holds if one is NaN."""

    @property
    def parts(self) -> list[SSAValue]:
        """The values that the limit is computed from."""
        return [self.limit, *(() if self.tie is None else self.tie.parts)]

    def free(self, free: FreeIndices) -> frozenset[BlockArgument]:
        """The indices that the limit varies with."""
        return frozenset(index for part in self.parts for index in free.of(part))

    @property
    def is_below(self) -> bool:
        """Whether the steps of the least keys are selected."""
        return self.predicate in ("<", "<=")


def tests_of(found: Sequence[Comparison]) -> list[Test]:
    """The tests that comparisons stand for."""
    ties = [each.tie.test for each in found if each.tie is not None]
    return [*(each.test for each in found), *ties]


@dataclass(frozen=True)
class Selection:
    """The comparisons of one key that select steps."""

    found: Sequence[Comparison] = ()
    equations: Sequence[Comparison] = ()
    """Those of other keys. In the order of the first one, the steps are a range, which is a tie."""

    @property
    def parts(self) -> list[SSAValue]:
        """The values that limits are computed from."""
        return [part for each in (*self.found, *self.equations) for part in each.parts]

    @property
    def equation(self) -> Comparison | None:
        """The only test, if it is an equation with one bound of steps at the most: the bounded one
        of its two comparisons.
        """
        if [each.predicate for each in self.found] != ["<=", ">="] or self.equations:
            return None
        first, last = self.found
        is_one = first.test is last.test and None in (first.tie, last.tie)
        return (first if last.tie is None else last) if is_one else None


def comparisons(op: phi.FoldOp, step: Step, forms: IndexForms) -> Selection:
    """The tests that compare one key with limits that vary with more than the step itself.

    But for equations of other keys, if need be. Tests that are the same in all steps are of no
    concern: they select the total.
    """
    block = op.body.block
    steps, carried = dependents(block, op.counter), dependents(block, op.accumulator)
    if not phi.is_scalar_type(op.result.type) or not carried.isdisjoint(step.parts(step.tests)):
        return Selection()
    varying = varying_tests(op, step.tests)
    bounds = [bound for test in varying if (bound := bound_of(op, test, forms)) is not None]
    bounds = [bound for bound in bounds if steps.isdisjoint(bound.parts)]
    known = [each for test in varying for each in comparisons_of(op, test, steps, bounds, forms)]
    known += [each for test in varying for each in _lexicographic(op, test, steps, forms)]
    others = [test for test in varying if not any(each.test is test for each in known)]
    known += [
        each
        for test in others
        for each in comparisons_of(op, test, steps, (), forms, with_nan=True)
    ]
    tests = [each.test for each in known]
    equations = [each for each in known if tests.count(each.test) == 2]
    for later, first in product(([], equations), known):
        same = [each for each in known if computes_same(each.key, first.key)]
        found = Selection(same, [each for each in later if each not in same])
        parts = parts_besides(op, step, found)
        if any(selects_often(op, each, parts, forms.free) for each in same):
            return found
    return Selection()


def tests_besides(op: phi.FoldOp, step: Step, selection: Selection) -> list[Test]:
    """The varying tests of a step that a selection does not stand for."""
    own = [*tests_of(selection.found), *(each.test for each in selection.equations)]
    return [test for test in varying_tests(op, step.tests) if test not in own]


def parts_besides(op: phi.FoldOp, step: Step, selection: Selection) -> list[SSAValue]:
    """The keys of a selection, and the other tests and the value of a step."""
    keys = (each.key for each in (selection.found[0], *selection.equations))
    return [*keys, *step.parts(tests_besides(op, step, selection))]


def _lexicographic(
    op: phi.FoldOp, test: Test, steps: set[SSAValue], forms: IndexForms
) -> Iterator[Comparison]:
    """``(key < limit) | ((key == limit) & (k < i))``: a comparison of keys, and then of steps."""
    either = test.condition.owner
    if not isinstance(either, arith.OrIOp) or not test.expected:
        return
    for strict, equal in (either.operands, reversed(either.operands)):
        both = equal.owner
        if not isinstance(both, arith.AndIOp):
            continue
        found = list(comparisons_of(op, Test(strict, True), steps, (), forms))
        for equation, limited in (both.operands, reversed(both.operands)):
            bound = bound_of(op, Test(limited, True), forms)
            ends = list(comparisons_of(op, Test(equation, True), steps, (), forms))
            if (
                bound is not None
                and steps.isdisjoint(bound.parts)
                and len(found) == 1
                and len(ends) == 2
                and found[0].predicate in ("<", ">")
                and computes_same(found[0].key, ends[0].key)
                and computes_same(found[0].limit, ends[0].limit)
            ):
                tie, predicate = replace(bound, test=test), f"{found[0].predicate}="
                yield Comparison(test, found[0].key, predicate, found[0].limit, tie)
                return


def comparisons_of(
    op: phi.FoldOp,
    test: Test,
    steps: set[SSAValue],
    bounds: Sequence[Bound],
    forms: IndexForms,
    *,
    with_nan: bool = False,
) -> Iterator[Comparison]:
    """A comparison of numbers, one of which varies with the step; an equation is two.

    That of the counter itself needs no order. One before and one from a step on are taken together
    with an equation: the order is that of keys, and then of steps. None selects NaN, unless
    ``with_nan`` permits it.
    """
    compare, selects_nan = test.condition.owner, False
    match compare:
        case arith.CmpiOp() if isa(compare.lhs.type, IntegerType) and compare.lhs.type != i1:
            name = predicate_of(compare)
            predicate = SYMBOLS.get(name if test.expected else NEGATED[name])
        case arith.CmpfOp() if compare.lhs.type in _SORTED_FLOATS:
            name = predicate_of(compare)
            predicate = SYMBOLS.get(name) if test.expected else {"une": "=="}.get(name)
            if with_nan and not test.expected and name[1:] in ("lt", "le", "gt", "ge"):
                predicate, selects_nan = NEGATED.get(SYMBOLS.get(name, "")), True
        case _:
            return
    sides = [compare.lhs in steps, compare.rhs in steps]
    if predicate in (None, "!=") or sides[0] == sides[1] or bound_of(op, test, forms) is not None:
        return
    key, limit = (compare.lhs, compare.rhs) if sides[0] else (compare.rhs, compare.lhs)
    if predicate != "==":
        predicate = predicate if sides[0] else SWAPPED[predicate]
        yield Comparison(test, key, predicate, limit, selects_nan=selects_nan)
    elif key.type != i64 or op.counter not in forms.form(key).coefficients:
        ties = {bound.suffix: bound for bound in reversed(bounds)}
        yield Comparison(test, key, "<=", limit, ties.get(False))
        yield Comparison(test, key, ">=", limit, ties.get(True))
