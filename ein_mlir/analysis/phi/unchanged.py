"""Conditions without which a step of a fold leaves the accumulator, or a part of it, as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.writes import unconditional
from ein_mlir.analysis.phi.selections import Test, conjuncts, selected
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.reductions import REDUCTIONS
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class _Part:
    """A part of the accumulator: itself, a field of it, or an element."""

    is_old: Callable[[SSAValue], bool]
    """Whether a value is that of the step before."""
    first: SSAValue | None = None
    """The initial value, or that of an element."""
    places: Mapping[SSAValue, LinearForm] = field(default_factory=dict[SSAValue, LinearForm])
    """The position of the element along each index of the initial array."""
    counters: frozenset[BlockArgument] = frozenset()
    """The counters of the loops that go on from the initial value."""
    outer: phi.FoldOp | None = None
    """The outermost of these."""
    array: _Part | None = None
    """The array that this is an element of."""
    at: Sequence[LinearForm] = ()
    """The position of the element."""

    def is_unchanged(self, value: SSAValue, forms: IndexForms) -> bool:
        """Whether a value is the old one, or the initial one of an element of this step alone."""
        if self.is_old(value) or self._is_read(value, forms):
            return True
        number = None if self.counters else _number(value)
        return number is not None and number == self._initial_number(forms)

    def _is_read(self, value: SSAValue, forms: IndexForms) -> bool:
        """Whether a value is the element, read from the old array at its position."""
        return (
            isinstance(get := value.owner, phi.GetOp)
            and self.array is not None
            and self.array.is_old(get.array)
            and [forms.integer(place) for place in get.positions] == list(self.at)
        )

    def _initial_number(self, forms: IndexForms) -> Attribute | None:
        """The number that the element is before the loop, if it is known to be one."""
        value = self.first
        while value is not None and isinstance(choice := value.owner, arith.SelectOp):
            holds = self._holds(choice.cond, forms)
            value = None if holds is None else choice.lhs if holds else choice.rhs
        return None if value is None else _number(value)

    def _holds(self, condition: SSAValue, forms: IndexForms) -> bool | None:
        """Whether a condition of the initial array holds for the element, if that is known."""
        for expected in (True, False):
            tests = conjuncts(Test(condition, expected))
            relations = [relation_of(test.condition, expected=test.expected) for test in tests]
            found = [each and forms.holds(each, self.places) for each in relations]
            if all(found) or False in found:
                return expected is all(found)
        return None

    def field(self, number: int) -> _Part:
        """The part that is a field of this one."""
        record = None if self.first is None else self.first.owner
        first = record.fields[number] if isinstance(record, phi.TupleOp) else None

        def is_old(value: SSAValue) -> bool:
            return _is_field(value, number, self.is_old)

        return replace(self, is_old=is_old, first=first, array=None)

    def element(self, is_old: Callable[[SSAValue], bool], positions: Sequence[LinearForm]) -> _Part:
        """The part that is the element of this one, an array, at some positions."""
        array = None if self.first is None else self.first.owner
        part = replace(self, is_old=is_old, first=None, array=self, at=positions)
        if not isinstance(array, phi.ArrayOp):
            return part
        places = {**self.places, **dict(zip(array.indices, positions, strict=False))}
        return replace(part, first=array.yielded(), places=places)

    def where(self, zeros: Sequence[LinearForm], forms: IndexForms) -> _Part:
        """The same part in the steps in which some forms are 0, which may fix its position.

        A form of one counter alone has a value in one step of its loop only.
        """
        places = {index: _solved(place, zeros, forms) for index, place in self.places.items()}
        at = [_solved(place, zeros, forms) for place in self.at]
        found = set[BlockArgument]()
        for form in zeros:
            own = form.without(filter(phi.is_comprehension_index, form.coefficients))
            counters = self.counters.intersection(own.coefficients)
            fixed = own.without(counters).coefficients
            is_known = not any(self.outer is not None and is_within(x, self.outer) for x in fixed)
            if len(counters) == 1 and is_known:
                (counter,) = counters
                found |= counters if abs(own.coefficients[counter]) == 1 else set()
        return replace(self, places=places, at=at, counters=self.counters - found)


def tests_to_change(op: phi.FoldOp, forms: IndexForms, *, initial: bool) -> Sequence[Test]:
    """The tests without which a step yields its accumulator: all of them hold in other steps.

    ``where(t & u, x, acc)``, ``array (i) { where(t & (i == p), x, acc[i]) }``, an update at
    ``where(t, p, -1)``, and records of these need ``t``. A condition in a comprehension may depend
    on its indices. With ``initial``, so does an element that one step alone replaces, by
    ``where(t, x, c)`` if all elements are the number c before the loop. Sums, minima, .. with
    ``where(t, x, identity)`` need t, too.
    """
    part = _Part(lambda value: value is op.accumulator)
    if initial:
        first, counters, outer = _initial(op)
        part = replace(part, first=first, counters=counters, outer=outer)
    return _tests(op.yielded(), part, forms) or ()


def _initial(op: phi.FoldOp) -> tuple[SSAValue, frozenset[BlockArgument], phi.FoldOp]:
    """The initial value of a fold, also of the folds around it whose step it is; their counters."""
    counters, outer = {op.counter}, op
    while outer.init.owner is outer.parent and isinstance(above := outer.parent_op(), phi.FoldOp):
        if outer.init is not above.accumulator or above.yielded() is not outer.result:
            break
        counters.add(above.counter)
        outer = above
    return outer.init, frozenset(counters), outer


def _number(value: SSAValue) -> Attribute | None:
    return ConstantLike.get_constant_value(value)


def _tests(value: SSAValue, part: _Part, forms: IndexForms) -> Sequence[Test] | None:
    """The tests without which a value is the old one; None if it always is."""
    if part.is_unchanged(value, forms):
        return None
    match value.owner:
        case arith.SelectOp() as op:
            return _tests_of_choice(op, part, forms)
        case phi.TupleOp() as op:
            fields = [_tests(field, part.field(k), forms) for k, field in enumerate(op.fields)]
            return _common([tests for tests in fields if tests is not None])
        case phi.UpdateOp() as op if part.is_old(op.array):
            return _tests_of_update(op, part, forms)
        case phi.ArrayOp() as op:
            own = [LinearForm.of(index) for index in op.indices]
            element = part.element(lambda x: _is_element(x, op, part.is_old, forms), own)
            return _tests(op.yielded(), element, forms)
        case phi.FoldOp() as op if part.is_old(op.init) and (test := branch_of(op)) is not None:
            return list(conjuncts(test))
        case Operation() as op if op.name in REDUCTIONS:
            return _tests_of_combination(op, part)
        case _:
            return ()


def _solved(place: LinearForm, zeros: Iterable[LinearForm], forms: IndexForms) -> LinearForm:
    """A place that is an index, as the position that it has where some forms are 0."""
    index = next(filter(place.is_atom, place.coefficients), None)
    found = (form.solved_for(index) for form in zeros if index is not None)
    return next((p for p in found if p is not None and forms.is_exact(p)), place)


def _tests_of_choice(op: arith.SelectOp, part: _Part, forms: IndexForms) -> Sequence[Test] | None:
    for kept, other, expected in ((op.rhs, op.lhs, True), (op.lhs, op.rhs, False)):
        if part.is_unchanged(kept, forms) or _is_equal(op.cond, part, kept, expected=not expected):
            own = list(conjuncts(Test(op.cond, expected)))
            tests = _tests(other, part.where(_zeros(own, forms), forms), forms)
            return None if tests is None else [*own, *tests]
    return ()


def _is_equal(condition: SSAValue, part: _Part, value: SSAValue, *, expected: bool) -> bool:
    """Whether the old Int equals a value if a condition is as expected: ``where(v == 0, 0, x)``."""
    relation = relation_of(condition, expected=expected)
    if relation is None or relation.predicate != "eq" or value.type != relation.lhs.type:
        return False
    readings = relation.readings
    return isa(value.type, IntegerType) and any(
        part.is_old(each.lhs) and computes_same(each.rhs, value) for each in readings
    )


def _tests_of_combination(op: Operation, part: _Part) -> Sequence[Test]:
    """The tests without which the old value is combined with the identity."""
    neutral = identity(op.name, op.results[0].type)
    for old, other in (op.operands, op.operands[::-1]):
        if part.is_old(old) and neutral is not None:
            tests = selected(other, neutral)[0]
            if isinstance(op, arith.AndIOp | arith.OrIOp) and old.type == i1:
                tests.append(Test(old, isinstance(op, arith.AndIOp)))
            return tests
    return ()


def branch_of(op: Operation | None) -> Test | None:
    """The test by which a fold has one step, or none: ``fold (k < (c ? 1 : 0), ..)``."""
    choice = op.count.owner if isinstance(op, phi.FoldOp) else None
    if isinstance(choice, arith.SelectOp) and choice.cond.type == i1:
        steps = known_int(choice.lhs), known_int(choice.rhs)
        if steps in ((1, 0), (0, 1)):
            return Test(choice.cond, steps == (1, 0))
    return None


def _zeros(tests: Sequence[Test], forms: IndexForms) -> list[LinearForm]:
    """The forms that are 0 where tests hold."""
    relations = (relation_of(test.condition) for test in tests if test.expected)
    found = [each for each in relations if each is not None and each.predicate == "eq"]
    return [forms.form(each.lhs) - forms.form(each.rhs) for each in found]


def _tests_of_update(op: phi.UpdateOp, part: _Part, forms: IndexForms) -> Sequence[Test] | None:
    places = [unconditional(place) for place in op.positions]
    own = [test for _, tests in places for test in tests]
    at = [forms.form(place) for place, _ in places]
    positions = [forms.integer(place) for place, _ in places]
    element = replace(part.element(lambda _: False, positions).where(at, forms), at=positions)
    tests = _tests(op.value, element, forms)
    return None if tests is None else [*own, *tests]


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
