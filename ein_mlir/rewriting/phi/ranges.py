"""Ranges of the steps of a fold that have an effect: the bounds in its conditions."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import TupleType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import MOST, LinearForm, Range
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.bounds import Bound, bound_of, exception_of
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.searches import selected_search
from ein_mlir.analysis.phi.selections import (
    Step,
    Test,
    invariant_tests,
    is_neutral,
    reduction,
    step_of,
)
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.phi.unchanged import tests_to_change
from ein_mlir.analysis.predicates import Relation, relation_of
from ein_mlir.analysis.scopes import block_of, dependents, is_within, of_kinds, operations_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.replacement import Replacement
from ein_mlir.rewriting.phi.step_values import with_start


def _tests(
    op: phi.FoldOp, forms: IndexForms, *, initial: bool = False, nested: bool = False
) -> Sequence[Test]:
    """The tests without which a step leaves the accumulator as it is.

    With ``nested``, also those of all steps of another fold that goes on with it.
    """
    if nested and (row := _row_of(op)) is not None:
        varying = dependents(row.body.block, row.counter, row.accumulator)
        inner = _tests(row, forms, nested=True)
        return [test for test in inner if test.condition not in varying]
    if (step := step_of(op)) is not None:
        return step.tests
    if (search := selected_search(op)) is not None:
        return search.tests
    return tests_to_change(op, forms, initial=initial)


def _row_of(op: phi.FoldOp) -> phi.FoldOp | None:
    """The reduction whose result each step of another one combines, or goes on with."""
    found = reduction(op)
    if found is None:
        row = op.yielded().owner
        return row if isinstance(row, phi.FoldOp) and row.init is op.accumulator else None
    combine, value = found
    row, neutral = value.owner, identity(combine.name, value.type)
    if not isinstance(row, phi.FoldOp) or neutral is None or not is_neutral(row.init, neutral):
        return None
    own = reduction(row)
    return row if own is not None and own[0].name == combine.name else None


def bounds_of_steps(
    op: phi.FoldOp, forms: IndexForms, *, initial: bool = False, multiples: bool = False
) -> Iterator[Bound]:
    """The bounds of the counter that are the same in all steps.

    With ``initial``, also of steps that store the number that all elements are before the loop;
    with ``multiples``, also of multiples of the counter, and of all steps of another fold in each.
    """
    tests = _tests(op, forms, initial=initial, nested=multiples)
    found = (bound_of(op, test, forms, multiples=multiples) for test in tests)
    bounds = [bound for bound in found if bound is not None]
    variable = dependents(op.body.block, op.counter, op.accumulator) if bounds else set[SSAValue]()
    yield from (
        bound
        for bound in bounds
        if variable.isdisjoint(bound.parts) and not any(_is_inner(part, op) for part in bound.parts)
    )


def _is_inner(value: SSAValue, op: phi.FoldOp) -> bool:
    """Whether a value is defined in an operation of the steps of a fold: it may vary there."""
    return is_within(value, op) and block_of(value) is not op.body.block


def exceptions_of_steps(op: phi.FoldOp, forms: IndexForms) -> Iterator[tuple[Test, LinearForm]]:
    """The tests of a reduction that fail in one step only, each with the step."""
    step, block = step_of(op), op.body.block
    variable = dependents(block, op.counter, op.accumulator)
    for test in () if step is None else step.tests:
        position = exception_of(op, test, forms)
        if position is not None and variable.isdisjoint(position.coefficients):
            yield test, position


def only_step(op: phi.FoldOp, forms: IndexForms) -> tuple[Test, LinearForm] | None:
    """A test that holds in one step only, without which a step has no effect, and the step.

    Of a fold of numbers, any step of which may be taken alone.
    """
    is_scalar = not isa(op.result.type, TupleType) and not phi.rank_of(op.result.type)
    if not is_scalar or not (tests := _tests(op, forms)):
        return None
    if not is_size(op.count) or not is_regular(op) or body_may_fail(op):
        return None
    variable = dependents(op.body.block, op.counter, op.accumulator)
    for test in tests:
        position = exception_of(op, Test(test.condition, not test.expected), forms)
        if position is None or not variable.isdisjoint(position.coefficients):
            continue
        if not any(_is_inner(atom, op) for atom in position.coefficients):
            return test, position
    return None


def one_side(
    op: phi.FoldOp, test: Test, position: LinearForm, init: SSAValue, *, is_before: bool
) -> phi.FoldOp:
    """The fold of the steps before that in which ``k != position`` fails, or of those after it.

    The test is ``k < position`` or ``k > position`` in it.
    """
    values = dict[SSAValue, SSAValue]()
    part = copy_of(op, values)
    part.operands[1] = init
    condition = values[test.condition]
    assert isinstance(condition.owner, Operation)
    build = Builder.before(condition.owner)
    place = build.linear_value(position, lambda atom: values.get(atom, atom))
    predicates = ("slt", "sge") if is_before else ("sgt", "sle")
    compare = build.compare(part.counter, predicates[not test.expected], place)
    condition.replace_all_uses_with(compare)
    return part


def copies_of(
    build: Builder, op: phi.FoldOp, parts: Sequence[SSAValue]
) -> Callable[[SSAValue], SSAValue]:
    """The values of parts in front of a fold, as copies of those in its body."""
    values: dict[SSAValue, SSAValue] = {}
    build.copied(op.body.block, parts, values)
    return lambda part: values.get(part, part)


def clipped_bound(
    build: Builder,
    op: phi.FoldOp,
    bound: Bound,
    forms: IndexForms,
    value_of: Callable[[SSAValue], SSAValue],
) -> SSAValue:
    """``clip(p, 0, n)`` for the bound p, and ``clip(p, -1, n - 1) + 1`` for the bound ``p + 1``.

    The latter is no-wrap. A number that steps start at may be more than n: there are no steps then.
    ``value_of`` has the parts of the bound at the place.
    """
    if isinstance(bound.position, SSAValue):
        position = value_of(bound.position)
        form = forms.integer(bound.position)
    else:
        form = bound.position
        position = build.linear_value(form, value_of)
    plus = int(bound.plus_one)
    if not forms.is_nonnegative(form + plus):
        position = build.max(position, -plus)
    is_start = bound.suffix and not form.coefficients and not plus
    is_asserted = isinstance(op.count.owner, phi.AssertEqOp)  # its user keeps an assertion alive
    if not is_start and (is_asserted or not forms.is_at_most(form + plus, forms.integer(op.count))):
        high = op.count
        if plus:
            high = build.sub(high, plus)
        position = build.min(position, high)
    return build.add(position, plus) if plus else position


def all_steps_unless(
    build: Builder, op: phi.FoldOp, condition: SSAValue, *, expected: bool = True
) -> phi.FoldOp:
    """``fold (n) { e }  -->  fold (where(c, n, 0), fold (where(c, 0, n)) { e }) { e }``

    The other one, before it, takes all steps where the condition is not as expected.
    """
    none = build.min(op.count, 0)
    own, rest = (op.count, none) if expected else (none, op.count)
    other = op.clone()
    other.operands[0] = build.select(condition, rest, own)
    op.operands[0], op.operands[1] = build.select(condition, own, rest), build.emit(other)
    return other


def length_of(build: Inserter, start: SSAValue, end: SSAValue) -> SSAValue:
    """The number of steps from a start to an end, which may be before it."""
    return build.max(build.sub(end, start), 0)


def largest(build: Builder, lengths: SSAValue) -> SSAValue:
    """The largest of non-negative Ints; 0 for none."""
    return build.reduce(lengths, 0, arith.MaxSIOp)


def start_at(build: Builder, op: phi.FoldOp, start: SSAValue) -> SSAValue:
    """Let ``start + d`` replace the counter d in the steps of a fold; return it."""
    place = build.insert(arith.AddiOp(start, start))
    op.counter.replace_all_uses_with(place.result)
    place.operands[1] = op.counter
    place.result.name_hint = op.counter.name_hint
    return place.result


def assume(build: Builder, op: phi.FoldOp, test: Test) -> None:
    """Let a test hold, wherever it stands: the steps of a fold pass it anyway."""
    condition, expected = test.condition, test.expected
    compares = [each.results[0] for each in operations_of(op, arith.CmpiOp)]
    equal = [each for each in compares if computes_same(condition, each)]
    truth = build.truth(expected)
    for each in dict.fromkeys([condition, *equal]):
        for choice, index in [(use.operation, use.index) for use in each.uses]:
            if isinstance(choice, arith.SelectOp) and index == 0 and op.is_ancestor(choice):
                taken = choice.lhs if expected else choice.rhs
                choice.result.replace_all_uses_with(taken)
        each.replace_uses_with_if(truth, lambda use: op.is_ancestor(use.operation))


def range_of(
    build: Builder,
    op: phi.FoldOp,
    bounds: Sequence[Bound],
    forms: IndexForms,
    value_of: Callable[[SSAValue], SSAValue],
) -> tuple[SSAValue | None, SSAValue]:
    """The first step, if there is a bound of it, and the number of steps between bounds."""
    start, count = None, op.count
    for bound in bounds:
        position = clipped_bound(build, op, bound, forms, value_of)
        if bound.suffix:
            start = position
        else:
            count = position
    return start, count if start is None else length_of(build, start, count)


def narrow(op: phi.FoldOp, bounds: Sequence[Bound], forms: IndexForms) -> None:
    """``fold (k < n) { where(p <= k < q, e, acc) }  -->  fold (d < q' - p') { e }``

    with ``p' + d`` for k, where p' and q' are p and q in bounds.
    """
    before, inside = Builder.before(op), Builder.at_start(op.body.block)
    parts = [part for bound in bounds for part in bound.parts]
    start, count = range_of(before, op, bounds, forms, copies_of(before, op, parts))
    for bound in bounds:
        assume(inside, op, bound.test)
    if start is not None:
        start_at(inside, op, start)
    op.operands[0] = checked_count(before, op.count, count)
    forms.renew(op)


def keep_steps(build: Builder, op: phi.FoldOp, is_step: SSAValue) -> None:
    """Let the steps where a condition fails have no effect; the builder is at the end of one."""
    pairs = zip(build.leaves(op.yielded()), build.leaves(op.accumulator), strict=True)
    kept = [build.select(is_step, after, acc) for after, acc in pairs]
    op.yield_instead(build.record(op.result.type, iter(kept)))


def checked_count(build: Inserter, count: SSAValue, narrow: SSAValue) -> SSAValue:
    """The number of steps in a range; the count itself if it is an error."""
    if is_size(count):
        return narrow
    most = build.integer(MOST)
    is_count = build.compare(count, "ule", most)
    return build.select(is_count, narrow, count)


def check_size(array: phi.ArrayOp, axis: int, sizes: SizeEquivalence) -> None:
    """Replace the size of an index by that of an array, so that a negative size is an error."""
    size = array.sizes[axis]
    if is_size(size):
        return
    checked = checked_size(Builder.before(array), array.indices[axis], size)
    sizes.inherit(checked, size)
    array.operands[axis] = checked


def checked_size(build: Builder, index: BlockArgument, size: SSAValue) -> SSAValue:
    """A size as that of an array of its indices: an error if it is negative or too large."""
    indices = build.comprehension([size], lambda inner, own: inner.as_int(own[0]), [index])
    return build.size(indices, 0)


FAR = 2**60
"""A distance beyond those of all positions; its sum with a position does not wrap."""

_INSIDE = {"sle": (0, True), "slt": (1, True), "sgt": (0, False), "sge": (1, False)}
"""For each predicate of a distance and r: the number to subtract from r, and if it holds within."""


def expand_magnitudes(op: phi.FoldOp, forms: IndexForms) -> bool:
    """``abs(k - p) <= r  -->  (k >= p - r) & (k < p + r + 1)``, for the counter k of a fold.

    Likewise for ``<``, and for ``>`` and ``>=`` by the complement. Whether anything changed. The
    comparison may be in a comprehension, if it is the same for all its elements.
    """
    block, found = op.body.block, False
    ops = [each for loop in (op, *of_kinds(block.ops, phi.ArrayOp)) for each in loop.body.block.ops]
    if not any(isinstance(each, math.AbsIOp) for each in ops):
        return False
    varying = dependents(block, op.counter, op.accumulator)
    for each in ops:
        relation = relation_of(each.results[0]) if each.results else None
        readings = () if relation is None else relation.readings
        found |= any(_expand(op, each, reading, varying, forms) for reading in readings)
    if found:
        erase_unused(block)
    return found


def _expand(
    op: phi.FoldOp,
    compare: Operation,
    found: Relation,
    varying: Container[SSAValue],
    forms: IndexForms,
) -> bool:
    """Replace a comparison of a distance from the counter, if the other number is invariant."""
    distance, predicate, radius = found.lhs.owner, found.predicate, found.rhs
    if not isinstance(distance, math.AbsIOp) or radius in varying or _is_inner(radius, op):
        return False
    form = forms.exact_form(distance.operand)
    if form is None or forms.range_of(form) not in Range(-FAR, FAR) or predicate not in _INSIDE:
        return False
    factor, rest = form.split(op.counter)
    atoms = rest.coefficients
    if abs(factor) != 1 or any(atom in varying or _is_inner(atom, op) for atom in atoms):
        return False
    place = op.body.block.find_ancestor_op_in_block(compare)
    assert place is not None
    build = Builder.before(place, forms.add)
    inside = _within(build, op.counter, rest * -factor, _radius(build, radius, predicate))
    inside = build.is_as_expected(inside, _INSIDE[predicate][1])
    Rewriter.replace_op(compare, (), (inside,))
    return True


def _radius(build: Builder, radius: SSAValue, predicate: str) -> SSAValue | int:
    """The largest distance within, cut to those that exist; -1 if there is none."""
    less, _ = _INSIDE[predicate]
    known = known_int(radius)
    if known is not None:
        return min(max(known, less - 1), FAR) - less
    return build.sub(build.min(build.max(radius, less - 1), FAR), less)


def _within(
    build: Builder, counter: SSAValue, centre: LinearForm, radius: SSAValue | int
) -> SSAValue:
    """``(k >= p - r) & (k < p + r + 1)``"""
    far = LinearForm.number(radius) if isinstance(radius, int) else LinearForm.of(radius)
    first = build.linear_value(centre - far)
    behind = build.linear_value(centre + far + 1)
    is_late = build.compare(counter, "sge", first)
    is_early = build.compare(counter, "slt", behind)
    return build.and_(is_late, is_early)


def select_total(
    op: phi.FoldOp, step: Step, free: FreeIndices, around: Sequence[phi.FoldOp] = ()
) -> bool:
    """``fold { where(c, acc + e, acc) }  -->  where(c, fold { acc + e }, 0)``, for a c of all steps

    The steps of a loop around the fold may be those in a window that c selects. Whether there is
    such a c, which does not vary with the folds ``around`` either.
    """
    tests = step.tests
    for each in (op, *around):
        tests = invariant_tests(each, tests)
    if not tests:
        return False
    build, values = Replacement(op), dict[SSAValue, SSAValue]()
    fold, neutral = copy_of(op, values), build.constant(step.neutral)
    fold.operands[1] = neutral
    inside = Builder.at_start(fold.body.block)
    for test in tests:
        assume(inside, fold, Test(values.get(test.condition, test.condition), test.expected))
    outside = build.copied_tests(op.body.block, tests, {})
    total = build.chosen(outside, build.insert(fold).result, neutral)
    build.finish(with_start(build, op, step, total), free)
    return True
