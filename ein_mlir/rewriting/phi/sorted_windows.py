"""Steps that comparisons with the elements of a vector select, if these ascend: a range of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IntegerType, i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.bounds import bound_of
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Test, step_of
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.analysis.scopes import dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues, bit_length, number_by_halves
from ein_mlir.rewriting.phi.ranges import all_steps_unless
from ein_mlir.rewriting.phi.step_values import StepValues

LEAST = 64
"""Of fewer steps, all take less time than the search for those in a range."""
MOST_TERMS, NEAR = 2, 2**61
"""Sums of Ints with no more terms beside an element do not wrap if all are nearer to 0."""

_LESS = ("slt", "sle", "olt", "ole")
_GREATER = ("sgt", "sge", "ogt", "oge")


@dataclass(frozen=True)
class _Ascent:
    """A value that ascends, or descends, with the elements of a vector."""

    keys: SSAValue
    descends: bool
    distance: int
    """That of the element from the counter."""
    terms: tuple[SSAValue, ...]
    """The other terms, if it is a sum: it may be NaN if the element is infinite."""


@dataclass(frozen=True)
class _Side:
    """A test that holds in the steps before one of them, or from it on."""

    test: Test
    ascent: _Ascent
    suffix: bool
    limit: SSAValue
    """The operand of the comparison that is the same in all steps,"""
    operands: tuple[SSAValue, SSAValue]
    """both of them,"""
    negated: int | None
    """and the one whose opposite is compared, if any."""

    def position(self, build: Builder, values: StepValues, count: SSAValue) -> SSAValue:
        """The first step whose test does not hold, or does: the number of those before."""
        place = self.operands.index(self.limit)
        if not isinstance(self.operands[1 - place].owner, phi.GetOp) or self.negated is not None:
            bits = bit_length(build, build.max(count, 0))
            return number_by_halves(build, bits, count, partial(self._is_before, values))
        (limit,) = values.computed(build, [self.limit], {})
        compare = self.test.condition.owner
        assert isinstance(compare, arith.CmpfOp | arith.CmpiOp)
        is_right = predicate_of(compare)[1:] in (("le", "gt") if place else ("lt", "ge"))
        found = build.emit(phi.SearchsortedOp(self.ascent.keys, limit, right=is_right))
        if isa(limit.type, AnyFloat) and self.suffix != self.test.expected:
            is_nan = build.compare(limit, "une", limit)
            found = build.select(is_nan, 0, found)
        return build.sub(found, self.ascent.distance)

    def _is_before(self, values: StepValues, build: Builder, step: SSAValue) -> SSAValue:
        """Whether a step is before the position: the test holds there, or does not."""
        compare = self.test.condition.owner
        assert isinstance(compare, arith.CmpfOp | arith.CmpiOp)
        operands = [values.value(build, operand, step) for operand in self.operands]
        if self.negated is not None:
            operands[self.negated] = build.negated(operands[self.negated])
        truth = build.same(compare, *operands)
        holds = build.is_as_expected(truth, self.test.expected)
        return build.is_as_expected(holds, not self.suffix)


def bound_by_sorted_keys(
    op: phi.FoldOp,
    forms: IndexForms,
    may_vary: Callable[[Sequence[SSAValue]], bool],
    *,
    at_once: bool,
) -> phi.FoldOp | None:
    """``where((x[k] > p) & (x[k] < q), e, 0)  -->  where((k >= a) & (k < b), e, 0)``

    for the first step a whose test holds, and the first one b whose test does not, if x ascends:

        fold (k < where(ascends, n, 0), fold (k < where(ascends, 0, n)) { .. }) { .. }

    Steps have bounds on both sides then, one of which may be a comparison of the counter. Elements
    of x may be compared as terms of a sum with a number that is the same in all steps, which may be
    the operand of ``abs``; of Ints no sum may wrap. ``may_vary`` says whether bounds may be
    computed from some values; the fold may run ``at_once`` for all elements. The fold whose steps
    take all elements, if bounds were added.
    """
    step, count = step_of(op), known_int(op.count)
    is_version = isinstance(op.count.owner, arith.SelectOp)
    if step is None or is_version or (count is not None and count < LEAST):
        return None
    steps = dependents(op.body.block, op.counter, op.accumulator)
    sides = [side for test in step.tests for side in _sides(op, test, steps, forms)]
    sides = [side for side in sides if side.ascent.keys is sides[0].ascent.keys]
    bounds = [bound for test in step.tests if (bound := bound_of(op, test, forms)) is not None]
    own = [bound for bound in bounds if steps.isdisjoint(bound.parts)]
    found, known = {side.suffix for side in sides}, {bound.suffix for bound in own}
    if not found - known or found | known != {True, False}:
        return None
    parts = [part for bound in own for part in bound.parts]
    limits = [part for side in sides for part in (side.limit, *side.ascent.terms)]
    if not may_vary([*parts, *limits]):
        return None
    before = Builder.before(op, forms.add)
    values = StepValues(op)
    truths = [_ascends(before, op, sides)]
    terms = [term for side in sides for term in side.ascent.terms if term.type == i64]
    if terms:
        indices = {index for term in terms if at_once for index in forms.free.of(term)}
        truths.append(_are_near(before, terms, RecomputedValues(op, indices, forms.free)))
    other = all_steps_unless(before, op, before.all_of(truths))
    # Without steps, there is nothing to search for.
    positions = [(side, side.position(before, values, op.count)) for side in sides]
    inside = Builder.at_start(op.body.block)
    for test in dict.fromkeys(side.test for side in sides):
        truths = [
            inside.compare(op.counter, "sge" if side.suffix else "slt", position)
            for side, position in positions
            if side.test is test
        ]
        truth = inside.is_as_expected(inside.all_of(truths), test.expected)
        test.condition.replace_all_uses_with(truth)
    erase_unused(op.body.block)
    forms.free.add(op)
    forms.add(op)
    return other


def _sides(op: phi.FoldOp, test: Test, steps: set[SSAValue], forms: IndexForms) -> list[_Side]:
    """The sides of a comparison of a value that ascends with the steps and one that is invariant.

    Those of a magnitude are two.
    """
    compare = test.condition.owner
    if not isinstance(compare, arith.CmpfOp | arith.CmpiOp) or compare.parent is not op.body.block:
        return []
    name, operands = predicate_of(compare), (compare.lhs, compare.rhs)
    own = [k for k, operand in enumerate(operands) if operand in steps]
    if name not in (*_LESS, *_GREATER) or len(own) != 1:
        return []
    (place,) = own
    is_less = ((name in _LESS) == test.expected) == (place == 0)
    value, other = operands[place], operands[1 - place]
    magnitude = value.owner if is_less and test.expected else None
    if isinstance(magnitude, math.AbsFOp | math.AbsIOp):
        value = magnitude.operand
    ascent = _ascent(op, value, steps, forms)
    if ascent is None:
        return []
    pair = (value, other) if place == 0 else (other, value)
    side = _Side(test, ascent, is_less == ascent.descends, other, pair, None)
    if not isinstance(magnitude, math.AbsFOp | math.AbsIOp):
        return [side]
    return [side, replace(side, suffix=not side.suffix, negated=place)]


def _ascent(
    op: phi.FoldOp, value: SSAValue, steps: set[SSAValue], forms: IndexForms
) -> _Ascent | None:
    """How a value ascends with the steps: sums are monotone in each term, if no Int wraps."""
    descends, terms = False, tuple[SSAValue, ...]()
    while not isinstance(value.owner, phi.GetOp):
        match value.owner:
            case arith.AddfOp() | arith.SubfOp() | arith.AddiOp() | arith.SubiOp() as total:
                own = [k for k, operand in enumerate(total.operands) if operand in steps]
                is_small = isinstance(total.result.type, IntegerType) and total.result.type != i64
                if len(own) != 1 or is_small:
                    return None
                descends ^= isinstance(total, arith.SubfOp | arith.SubiOp) and own == [1]
                value, terms = total.operands[own[0]], (*terms, total.operands[1 - own[0]])
            case arith.NegfOp() as opposite:
                descends, value = not descends, opposite.operand
            case _:
                return None
    get = value.owner
    if is_within(get.array, op) or len(get.positions) != 1:
        return None
    distance = (forms.form(get.positions[0]) - forms.form(op.counter)).known()
    if distance is None or (value.type == i64 and not _may_be_near(terms, forms)):
        return None
    return _Ascent(get.array, descends, distance, terms)


def _may_be_near(terms: Sequence[SSAValue], forms: IndexForms) -> bool:
    """Whether a test at run time may find that a sum of Ints and an element does not wrap.

    A sum with an index, ``i + offsets[k]``, is left alone: the elements of a step are a slice.
    """
    atoms = (atom for term in terms for atom in forms.form(term).coefficients)
    return len(terms) <= MOST_TERMS and not any(map(phi.is_comprehension_index, atoms))


def _ascends(build: Builder, op: phi.FoldOp, sides: Sequence[_Side]) -> SSAValue:
    """Whether there are many elements, which ascend, and no sum of them is NaN."""
    keys = sides[0].ascent.keys
    last = build.max(build.sub(build.size(keys, 0), 1), 0)

    def is_next(inner: Inserter, at: Sequence[SSAValue]) -> SSAValue:
        first = inner.get(keys, at)
        return inner.compare(first, "<=", inner.get(keys, [inner.add(at[0], 1)]))

    truths = [build.all_hold([last], is_next), build.compare(op.count, "sge", LEAST)]
    for end in (build.integer(0), last) if any(side.ascent.terms for side in sides) else ():
        element = build.get(keys, [end])
        if element.type == i64:
            truths.append(_is_near(build, element))
            continue
        zero_or_nan = build.sub(element, element)
        truths.append(build.compare(zero_or_nan, "ord", zero_or_nan))
    return build.all_of(truths)


def _is_near(build: Inserter, value: SSAValue) -> SSAValue:
    """Whether an Int is near to 0: no sum of it and ``MOST_TERMS`` others like it wraps."""
    return build.compare(build.add(value, NEAR), "ult", 2 * NEAR)


def _are_near(build: Builder, terms: Sequence[SSAValue], values: RecomputedValues) -> SSAValue:
    """Whether the terms of sums of Ints are so at all indices."""

    def near(inner: Inserter, own: Sequence[SSAValue]) -> SSAValue:
        at = values.at(inner, own)
        return inner.all_of([_is_near(inner, at(term)) for term in dict.fromkeys(terms)])

    sizes = [phi.size_of_index(index) for index in values.indices]
    return build.all_hold(sizes, near, values.indices)
