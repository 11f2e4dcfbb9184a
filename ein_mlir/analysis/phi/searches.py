"""Folds and reductions that search for the smallest or the largest element.

A step of a search compares an element with the best one so far, and replaces that and its other
fields if the element is better::

    better = element < best
    best, at, ... = where(better, (element, k, ...), (best, at, ...))

The tie rule is given by the program's choice of ``<`` or ``<=``, and so is the treatment of NaN,
for which no comparison holds. A step of a reduction does the same with the right one of two
elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ein_mlir.analysis.constants import known_float, known_int
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.free_indices import fields_at, leaf_types
from ein_mlir.analysis.phi.selections import Test, conjuncts, is_constant
from ein_mlir.analysis.predicates import NEGATED, SWAPPED, SYMBOLS, conjoined, predicate_of
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import STRICT, worst
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Search:
    """A step of a search; the fields of (nested) records are numbered over the flattened record."""

    predicate: str
    """The comparison of the element with the best one so far: a key of ``SEARCHES``."""
    best: int
    """The field that holds the best element so far."""
    candidates: tuple[SSAValue, ...]
    """The new value of each field if the element is better; that of ``best`` is the element."""
    guards: tuple[SSAValue, ...]
    """The conditions in addition to the comparison."""


def fold_search(op: phi.FoldOp) -> Search | None:
    """The search that a fold implements, if it is one."""
    found = search_of(op.yielded(), lambda value: field_of(value, op.accumulator))
    if found is None:
        return None
    varying = dependents(op.body.block, op.accumulator)
    return found if varying.isdisjoint((*found.candidates, *found.guards)) else None


@dataclass(frozen=True)
class SelectedSearch:
    """A search among the elements for which tests hold; of ties it finds the first one."""

    predicate: str
    element: SSAValue
    """The compared value: the counter, in a search for the last step."""
    best: int | None
    """The field that holds the best element so far; None if none holds the counter."""
    candidates: Sequence[SSAValue]
    """The new value of each field if the element is better."""
    tests: Sequence[Test]

    @property
    def others(self) -> list[SSAValue]:
        """The values that are kept with the element."""
        return [value for k, value in enumerate(self.candidates) if k != self.best]


def selected_search(op: phi.FoldOp) -> SelectedSearch | None:
    """The search of a fold for the best element, or the last step, that tests select."""
    return _best_selected(op) or _last_selected(op)


def _best_selected(op: phi.FoldOp) -> SelectedSearch | None:
    """The search of a fold, with the tests in its guards and around its element.

    ``where(t, x, infinity)`` is never less than another element if the test fails.
    """
    search = fold_search(op)
    if search is None or search.predicate not in STRICT:
        return None
    element = search.candidates[search.best]
    start = worst(search.predicate, element.type)
    assert start is not None
    tests = [test for guard in search.guards for test in conjuncts(Test(guard, True))]
    while isinstance(select := element.owner, arith.SelectOp):
        if is_constant(select.rhs, start):
            tests.extend(conjuncts(Test(select.cond, True)))
            element = select.lhs
        elif is_constant(select.lhs, start):
            tests.extend(conjuncts(Test(select.cond, False)))
            element = select.rhs
        else:
            break
    return SelectedSearch(search.predicate, element, search.best, search.candidates, tests)


def _last_selected(op: phi.FoldOp) -> SelectedSearch | None:
    """``where(t, x, before)``: the values of the last step for which tests hold."""
    values, tests = leaf_values(op.yielded()), list[Test]()
    if not all(phi.is_scalar_type(value.type) for value in values):
        return None
    varying = dependents(op.body.block, op.accumulator)
    while not varying.isdisjoint(values):
        choice = _choice_of(values, lambda value: field_of(value, op.accumulator))
        if choice is None or choice.condition in varying:
            return None
        tests.extend(conjuncts(Test(choice.condition, not choice.negated)))
        values = choice.candidates
    return SelectedSearch(">", op.counter, None, values, tests)


def best_of_two(found: SelectedSearch) -> Test | None:
    """The test that selects the better one, if elements of a search are one of two numbers.

    ``where(t, 1, 0)`` is largest where t holds; ``t`` as a number, too.
    """
    match found.element.owner:
        case arith.ExtUIOp() | arith.UIToFPOp() as op if op.input.type == i1:
            return Test(op.input, found.predicate == ">")
        case arith.SelectOp() as op:
            first, second = map(_number, (op.lhs, op.rhs))
            if first is None or second is None or not (first < second or first > second):
                return None
            return Test(op.cond, (first > second) == (found.predicate == ">"))
        case _:
            return None


def _number(value: SSAValue) -> float | None:
    known = known_int(value)
    return known_float(value) if known is None else known


def is_search(op: phi.ReduceOp, fields: Sequence[int]) -> bool:
    """Whether a reduction searches for some fields; its left element is the best so far."""
    (left, right), steps = op.body.block.args, leaf_values(op.yielded())
    if max(fields) >= len(steps):
        return False  # a whole record
    numbers = {field: number for number, field in enumerate(fields)}

    def number_of(value: SSAValue) -> int | None:
        field = field_of(value, left)
        return None if field is None else numbers.get(field)

    found = search_of_fields([steps[field] for field in fields], number_of)
    if found is None or found.guards:
        return False
    return [field_of(candidate, right) for candidate in found.candidates] == fields


def leaf_values(value: SSAValue) -> list[SSAValue]:
    """The fields of a (nested) ``phi.tuple`` in order; another value itself."""
    if not isinstance(value.owner, phi.TupleOp):
        return [value]
    return [leaf for field in value.owner.fields for leaf in leaf_values(field)]


def is_made_of_fields(record: SSAValue) -> bool:
    """Whether a record is a tuple of its fields, not the result of another operation."""
    return len(leaf_values(record)) == len(leaf_types(record.type))


def search_of(step: SSAValue, field: Callable[[SSAValue], int | None]) -> Search | None:
    """The search that yields ``step``; ``field`` is the accumulator field of a value, if any."""
    return search_of_fields(leaf_values(step), field) if is_made_of_fields(step) else None


def search_of_fields(
    steps: Sequence[SSAValue], field: Callable[[SSAValue], int | None]
) -> Search | None:
    """The search whose fields have the next values ``steps``; elements of its type are ordered.

    The choice of the better element may be in choices between its result and the old fields.
    """
    values, guards = steps, list[SSAValue]()
    while (choice := _choice_of(values, field)) is not None:
        found = _compared(choice, field)
        if found is not None:
            return replace(found, guards=(*guards, *found.guards))
        if choice.negated:
            break
        guards.extend(conjoined(choice.condition))
        values = choice.candidates
    return None


def _compared(choice: _Choice, field: Callable[[SSAValue], int | None]) -> Search | None:
    """The search whose condition is that of a choice."""
    negated, candidates = choice.negated, choice.candidates
    conditions = conjoined(choice.condition)
    for condition in conditions:
        compared = _comparison(condition, field)
        if compared is not None:
            predicate, element, best = compared
            guards = tuple(other for other in conditions if other is not condition)
            # A single comparison of Ints has an opposite: they have no NaN.
            has_opposite = isinstance(condition.owner, arith.CmpiOp) and not guards
            if not computes_same(candidates[best], element) or (negated and not has_opposite):
                return None
            predicate = NEGATED[predicate] if negated else predicate
            is_searchable = worst(predicate, element.type) is not None
            return Search(predicate, best, candidates, guards) if is_searchable else None
    return None


@dataclass(frozen=True)
class _Choice:
    """``where(condition, candidates, fields)``, or with negated condition."""

    condition: SSAValue
    negated: bool
    candidates: tuple[SSAValue, ...]


def _choice_of(
    values: Sequence[SSAValue], field: Callable[[SSAValue], int | None]
) -> _Choice | None:
    """The choice between all fields of an accumulator and other values."""
    choices = [value.owner for value in values]
    selects = [choice for choice in choices if isinstance(choice, arith.SelectOp)]
    if len(selects) != len(values) or len({each.cond for each in selects}) != 1:
        return None
    negated = field(selects[0].lhs) == 0
    kept = [select.lhs if negated else select.rhs for select in selects]
    if [field(value) for value in kept] != list(range(len(kept))):
        return None
    candidates = (select.rhs if negated else select.lhs for select in selects)
    return _Choice(selects[0].cond, negated, tuple(candidates))


def _comparison(
    condition: SSAValue, field: Callable[[SSAValue], int | None]
) -> tuple[str, SSAValue, int] | None:
    """``element < best`` or ``best > element`` as (<, element, the number of the best field)."""
    op = condition.owner
    if not isinstance(op, arith.CmpiOp | arith.CmpfOp):
        return None
    predicate = SYMBOLS.get(predicate_of(op))
    if predicate in (None, "==", "!="):
        return None
    if (best := field(op.rhs)) is not None:
        return predicate, op.lhs, best
    if (best := field(op.lhs)) is not None:
        return SWAPPED[predicate], op.rhs, best
    return None


def field_of(value: SSAValue, record: SSAValue) -> int | None:
    """The number of a value's field in a flattened record; 0 for the record itself if scalar."""
    start = 0
    while value is not record:
        if not isinstance(value.owner, phi.ProjOp):
            return None
        projection, value = value.owner, value.owner.record
        start += fields_at(value.type, (projection.field.value.data,)).start
    return start
