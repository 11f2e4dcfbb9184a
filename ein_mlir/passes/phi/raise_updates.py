"""``raise-updates``: comprehensions that replace one element of an array become updates of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.size_equivalence import (
    Term,
    is_asserted,
    unasserted_equal_sizes,
)
from ein_mlir.analysis.scopes import (
    dependents,
    innermost_first,
    is_within,
    operands_within,
)
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import (
    comprehension,
    copied,
    integer,
    is_as_expected,
    linear_value,
    truth,
)
from ein_mlir.rewriting.phi.optional_terms import OptionalTerm, optional_term
from ein_mlir.rewriting.phi.replacement import replace

# Recognition ----------------------------------------------------------------------------------


@dataclass
class _Update:
    """``where(i == p & c, x, old)``: the positions of the compared indices, and the rest."""

    positions: dict[BlockArgument, LinearForm]
    conditions: list[tuple[SSAValue, bool]]
    """Bools with their required values."""
    choices: list[tuple[SSAValue, bool]]
    """Conditions that vary with the indices that are not compared."""
    value: SSAValue
    old: SSAValue
    """The value elsewhere."""
    tests: list[Test]
    """The comparisons that give the positions."""


@dataclass
class _Updates:
    """Updates of the array of some elements of a comprehension, the last one first."""

    element: SSAValue
    steps: list[_Update]
    array: SSAValue | None = None
    """The array of these elements, if there is one."""


class _Recogniser:
    """Finds updates in the comprehensions of a function, given the facts about its indices."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager):
        self.free = analyses.get(free_indices, function)
        self.sizes = analyses.get(unasserted_equal_sizes, function)
        self.forms = IndexForms(function, self.sizes, self.free)

    def updates(self, op: phi.ArrayOp, value: SSAValue) -> _Updates | None:
        """The updates that the element of a comprehension, or a field of it, selects from.

        Updates of an array do not use the sizes of the compared indices: an assertion among them
        would be lost.
        """
        steps = list[_Update]()
        while isinstance(value.owner, arith.SelectOp) and value.owner.parent is op.body.block:
            step = self._update(op, value.owner)
            if step is None:
                break
            steps.append(step)
            value = step.old
        get = value.owner
        compared = {index for step in steps for index in step.positions}
        if (
            steps
            and isinstance(get, phi.GetOp)
            and self._is_element(op, get)
            and not any(is_asserted(op.sizes[index.index]) for index in compared)
        ):
            return _Updates(value, steps, get.array)
        if not steps or _is_reduced(op.result) or any(map(_is_edge, steps)):
            return None
        return _Updates(value, steps)

    def choose_terms(self, op: phi.ArrayOp, value: SSAValue) -> None:
        """Write optional terms at positions as choices, if they are all that updates an array."""
        terms = list[OptionalTerm]()
        while isinstance(inner := value.owner, Operation) and inner.parent is op.body.block:
            if isinstance(inner, arith.SelectOp):
                step = self._update(op, inner)
                if step is None:
                    return
                value = step.old
                continue
            term = optional_term(inner)
            if term is None or not all(self._has_position(op, test) for test in term.tests):
                break
            terms.append(term)
            value = term.base
        get = value.owner
        if isinstance(get, phi.GetOp) and self._is_element(op, get):
            for term in reversed(terms):
                Rewriter.replace_op(term.operation, (), (term.chosen(),))

    def _has_position(self, op: phi.ArrayOp, test: Test) -> bool:
        """Whether a test compares an index with a position."""
        return any(
            self._position(op, each.condition, each.expected, each.condition) is not None
            for each in conjuncts(test)
        )

    def _is_element(self, op: phi.ArrayOp, get: phi.GetOp) -> bool:
        """Whether an array is read at the indices of a comprehension over all of it."""
        return list(map(phi.uncast, get.positions)) == list(op.indices) and self.is_over(
            op, get.array
        )

    def is_over(self, op: phi.ArrayOp, array: SSAValue) -> bool:
        """Whether a comprehension has the leading axes of an array that does not vary in it."""
        return self.is_fixed(op, array) and all(
            self.sizes.same(size, Term(array, (), axis)) and not _is_asserted_in_steps(size)
            for axis, size in enumerate(op.sizes)
        )

    def is_fixed(self, op: phi.ArrayOp, value: SSAValue) -> bool:
        """Whether a value is the same at all indices of a comprehension."""
        return self.free.of(value).isdisjoint(op.indices) and not is_within(value, op)

    def _update(self, op: phi.ArrayOp, select: arith.SelectOp) -> _Update | None:
        """A selection as an update."""
        for negated, new, old in ((False, select.lhs, select.rhs), (True, select.rhs, select.lhs)):
            positions = dict[BlockArgument, LinearForm]()
            tests = list[Test]()
            conditions = list[tuple[SSAValue, bool]]()
            for test in conjuncts(Test(select.cond, not negated)):
                value, truth = test.condition, test.expected
                found = self._position(op, value, truth, new)
                if found is not None and found[0] not in positions:
                    positions[found[0]] = found[1]
                    tests.append(test)
                else:
                    conditions.append((value, truth))
            others = set(op.indices) - positions.keys()
            choices = [c for c in conditions if not self.free.of(c[0]).isdisjoint(others)]
            if positions and self._have_same_sizes(new, old):
                conditions = [c for c in conditions if c not in choices]
                return _Update(positions, conditions, choices, new, old, tests)
        return None

    def _have_same_sizes(self, new: SSAValue, old: SSAValue) -> bool:
        """Whether two elements that are vectors provably have the same sizes."""
        return all(
            self.sizes.same(Term(new, (), axis), Term(old, (), axis))
            for axis in range(phi.rank_of(new.type))
        )

    def _position(
        self, op: phi.ArrayOp, value: SSAValue, truth: bool, new: SSAValue
    ) -> tuple[BlockArgument, LinearForm] | None:
        """``i - k == 1`` as ``(i, k + 1)``: the innermost index, and its position."""
        compare = value.owner
        if not isinstance(compare, arith.CmpiOp) or compare.lhs.type != i64:
            return None
        if arith.CMPI_COMPARISON_OPERATIONS[compare.predicate.value.data] != (
            "eq" if truth else "ne"
        ):
            return None
        difference = (self.forms.form(compare.lhs) - self.forms.form(compare.rhs)).reduced()
        own = [
            atom
            for atom in difference.coefficients
            if not self.free.of(atom).isdisjoint(op.indices)
        ]
        if not own or not all(atom in op.indices for atom in own):
            return None
        index = max((atom for atom in op.indices if atom in own), key=lambda atom: atom.index)
        if len(own) > 1 and not _is_costly(op, new, index):
            return None
        rest = difference.without([index])
        match difference.coefficients[index]:
            case 1:
                return index, -rest
            case -1:
                return index, rest
            case _:
                return None


def _is_asserted_in_steps(size: SSAValue) -> bool:
    """Whether each step of a loop asserts a size: ``raise-writes`` moves that before the loop."""
    owner = size.owner
    return isinstance(owner, phi.AssertEqOp) and isinstance(owner.parent_op(), phi.LoopOp)


def _is_costly(op: phi.ArrayOp, value: SSAValue, index: BlockArgument) -> bool:
    """Whether a value reads arrays in the body of a comprehension, at positions of an index."""
    varying = dependents(op.body.block, index)
    return any(
        (each.regions or isinstance(each, phi.GetOp))
        and not varying.isdisjoint(operands_within(each))
        for each in slice_of(op.body.block, [value])
    )


def _is_edge(update: _Update) -> bool:
    """Whether a position depends on sizes only: an element at an edge is no exception among others.

    Elements next to an edge are better computed apart from the others.
    """
    return any(
        all(isinstance(atom.owner, phi.SizeOp) for atom in form.coefficients)
        for form in update.positions.values()
    )


def _is_reduced(array: SSAValue) -> bool:
    """Whether an array is only reduced: then its elements need no memory."""
    return any(isinstance(use.operation, phi.ReduceOp) for use in array.uses)


# Construction ---------------------------------------------------------------------------------


@dataclass
class _Place:
    """A place where operations are built, and the values of a comprehension at it."""

    build: Builder
    values: dict[SSAValue, SSAValue]


class _Construction:
    """Builds an update before its comprehension."""

    def __init__(self, op: phi.ArrayOp, update: _Update, *, is_first: bool):
        """``is_first`` if no other update is before it: then its old value is that of the body."""
        self.op = op
        self.update = update
        self.is_first = is_first
        self.before = _Place(Builder(InsertPoint.before(op)), {})
        self.places = dict[BlockArgument, SSAValue]()
        self._place([i for i in update.positions if not self._varies(i)], self.before)

    def _varies(self, index: BlockArgument) -> bool:
        """Whether the position of a compared index depends on another index."""
        return any(atom in self.op.indices for atom in self.update.positions[index].coefficients)

    def _place(self, indices: Sequence[BlockArgument], place: _Place) -> None:
        """Compute the positions of compared indices; the first one is -1 where conditions fail."""
        for index in indices:
            position = self.update.positions[index]
            value = linear_value(place.build, position, lambda atom: self._value(place, atom))
            place.values[index] = self.places[index] = value
            if self.update.conditions and index is next(iter(self.update.positions)):
                self.places[index] = self._under_conditions(place, value)

    def _under_conditions(self, place: _Place, position: SSAValue) -> SSAValue:
        """``p if c else -1``: an update at -1 has no effect."""
        build, taken = place.build, self._all_of(self.update.conditions, place)
        return build.insert(arith.SelectOp(taken, position, integer(build, -1))).result

    def _value(self, place: _Place, value: SSAValue) -> SSAValue:
        """A value of the comprehension at a place."""
        return copied(place.build, self.op.body.block, [value], place.values)[0]

    def _all_of(self, conditions: Sequence[tuple[SSAValue, bool]], place: _Place) -> SSAValue:
        """Whether all values satisfy their constraints."""
        build, taken = place.build, None
        for condition, expected in conditions:
            value = is_as_expected(build, self._value(place, condition), expected)
            taken = value if taken is None else build.insert(arith.AndIOp(taken, value)).result
        assert taken is not None
        return taken

    def updated(self, array: SSAValue) -> SSAValue:
        """The array after the update."""
        return self._rows(self.before, array, list(self.op.indices))

    def _rows(self, place: _Place, array: SSAValue, indices: Sequence[BlockArgument]) -> SSAValue:
        """The array, whose axes the indices run over, after the update."""
        count = self._leading(indices)
        leading, rest = indices[:count], indices[count:]
        if leading[0] in self.update.positions:
            self._place([index for index in leading if self._varies(index)], place)
            positions = [self.places[index] for index in leading]
            return self._insert(
                place, phi.UpdateOp(array, positions, self._new(place, array, positions, rest))
            )
        return self._comprehension(
            place, leading, lambda inner, own: self._new(inner, array, own, rest)
        )

    def _new(
        self,
        place: _Place,
        array: SSAValue,
        positions: Sequence[SSAValue],
        rest: Sequence[BlockArgument],
    ) -> SSAValue:
        """The new element of the array at some positions."""
        if any(index in self.update.positions for index in rest):
            row = self._insert(place, phi.GetOp(array, positions))
            return self._rows(place, row, rest)
        if rest:
            return self._comprehension(
                place, rest, lambda inner, own: self._element(inner, array, [*positions, *own])
            )
        return self._element(place, array, positions)

    def _element(self, place: _Place, array: SSAValue, positions: Sequence[SSAValue]) -> SSAValue:
        """The new element, or the old one, as the conditions select."""
        for test in self.update.tests:
            place.values[test.condition] = truth(place.build, test.expected)
        update, block = self.update, self.op.body.block
        needed = {x for op in slice_of(block, [update.value]) for x in op.operands}
        if update.old in needed and not self.is_first:
            at = [place.values[index] for index in self.op.indices[-len(positions) :]]
            place.values[update.old] = self._insert(place, phi.GetOp(array, at))
        value = self._value(place, update.value)
        if not update.choices:
            return value
        taken = self._all_of(update.choices, place)
        old = place.values.get(update.old)
        if old is None:
            old = self._insert(place, phi.GetOp(array, positions))
        return self._insert(place, arith.SelectOp(taken, value, old))

    def _leading(self, indices: Sequence[BlockArgument]) -> int:
        """The number of leading indices that are all compared, or all not compared."""
        is_compared = [index in self.update.positions for index in indices]
        return next(
            (k for k, value in enumerate(is_compared) if value != is_compared[0]), len(indices)
        )

    def _comprehension(
        self,
        place: _Place,
        indices: Sequence[BlockArgument],
        element: Callable[[_Place, Sequence[SSAValue]], SSAValue],
    ) -> SSAValue:
        """A comprehension over some of the indices."""

        def at(build: Builder, own: Sequence[SSAValue]) -> SSAValue:
            known = dict(zip(indices, own, strict=True))
            return element(_Place(build, {**place.values, **known}), own)

        sizes = [self.op.sizes[index.index] for index in indices]
        array = comprehension(place.build, sizes, at, indices)
        assert isinstance(array.owner, phi.ArrayOp)
        array.owner.location = self.op.location
        return array

    def _insert(self, place: _Place, op: Operation) -> SSAValue:
        op.location = self.op.location
        return place.build.insert(op).results[0]


def _comprehension_of(op: phi.ArrayOp, element: SSAValue, free: FreeIndices) -> SSAValue:
    """A comprehension of another element of the body of ``op``, before it."""

    def copy(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        known: dict[SSAValue, SSAValue] = dict(zip(op.indices, own, strict=True))
        return copied(inner, op.body.block, [element], known)[0]

    result = comprehension(Builder(InsertPoint.before(op)), op.sizes, copy, op.indices)
    result.name_hint = op.result.name_hint
    assert isinstance(result.owner, phi.ArrayOp)
    result.owner.location = op.location
    free.add(result.owner)
    return result


def _of_fields(op: phi.ArrayOp, record: phi.TupleOp, free: FreeIndices) -> SSAValue:
    """``array { (x, y) }  -->  (array { x }, array { y })``"""
    fields = [_comprehension_of(op, field, free) for field in record.fields]
    return Builder(InsertPoint.before(op)).insert(phi.TupleOp(fields)).result


# Choices --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Choice:
    """``where(c, a, b)`` of two arrays that are a base with updates, the first one first."""

    condition: SSAValue
    base: SSAValue
    branches: tuple[Sequence[phi.UpdateOp], Sequence[phi.UpdateOp]]


def _updates_of(array: SSAValue) -> list[phi.UpdateOp]:
    """The updates that an array is the result of, the last one first, if they have no other use."""
    updates = list[phi.UpdateOp]()
    while isinstance(update := array.owner, phi.UpdateOp) and array.has_one_use():
        updates.append(update)
        array = update.array
    return updates


def _choice(op: phi.ArrayOp, recogniser: _Recogniser) -> _Choice | None:
    """The choice between two arrays that a comprehension makes element by element."""
    select = op.yielded().owner
    if not isinstance(select, arith.SelectOp) or not recogniser.is_fixed(op, select.cond):
        return None
    branches = list[list[phi.UpdateOp]]()
    arrays = list[list[SSAValue]]()
    for side in (select.lhs, select.rhs):
        get = side.owner
        if not isinstance(get, phi.GetOp) or list(get.positions) != list(op.indices):
            return None
        updates = _updates_of(get.array)
        branches.append(updates)
        arrays.append([get.array, *(update.array for update in updates)])
    base = next((array for array in arrays[0] if array in arrays[1]), None)
    if base is None or any(map(is_asserted, op.sizes)) or not recogniser.is_over(op, base):
        return None
    first, second = (
        updates[: found.index(base)][::-1] for updates, found in zip(branches, arrays, strict=True)
    )
    return _Choice(select.cond, base, (first, second)) if first or second else None


def _updated_if(op: phi.ArrayOp, choice: _Choice) -> SSAValue:
    """``where(c, update(a, p, x), a)  -->  update(a, where(c, p, -1), x)``

    and ``where(c, update(a, p, x), update(a, p, y))  -->  update(a, p, where(c, x, y))``.
    """
    build, (first, second) = Builder(InsertPoint.before(op)), choice.branches

    def chosen(a: SSAValue, b: SSAValue) -> SSAValue:
        return build.insert(arith.SelectOp(choice.condition, a, b)).result

    if len(first) == len(second) == 1 and not phi.rank_of(first[0].value.type):
        (one,), (other,) = first, second
        if list(one.positions) == list(other.positions):
            value = chosen(one.value, other.value)
            return build.insert(phi.UpdateOp(choice.base, one.positions, value)).result
    array, nowhere = choice.base, integer(build, -1)
    for updates, expected in ((first, True), (second, False)):
        for update in updates:
            place, *rest = update.positions
            place = chosen(place, nowhere) if expected else chosen(nowhere, place)
            array = build.insert(phi.UpdateOp(array, [place, *rest], update.value)).result
    return array


def raise_updates(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Raise the comprehensions of a function, innermost first."""
    recogniser = _Recogniser(function, analyses)
    for op in innermost_first(function, phi.ArrayOp):
        record = op.yielded().owner
        for value in record.fields if isinstance(record, phi.TupleOp) else [op.yielded()]:
            recogniser.choose_terms(op, value)
        if isinstance(record, phi.TupleOp) and any(
            recogniser.updates(op, field) for field in record.fields
        ):
            replace(op, _of_fields(op, record, recogniser.free), recogniser.free)
    for op in innermost_first(function, phi.ArrayOp):
        updates = recogniser.updates(op, op.yielded())
        if updates is None:
            continue
        array = updates.array or _comprehension_of(op, updates.element, recogniser.free)
        for number, update in enumerate(reversed(updates.steps)):
            array = _Construction(op, update, is_first=number == 0).updated(array)
        replace(op, array, recogniser.free)
    for op in reversed(innermost_first(function, phi.ArrayOp)):
        choice = _choice(op, recogniser)
        if choice is not None:
            replace(op, _updated_if(op, choice), recogniser.free)


class RaiseUpdatesPass(FunctionPass):
    """Turns comprehensions that replace one element of an array into updates of the array.

    Before::

        %b = phi.array (%i < %n) -> !phi.vec<f64> {
          %0 = arith.index_cast %i : index to i64
          %1 = arith.cmpi eq, %0, %p : i64
          %2 = phi.get %a[%i] : !phi.vec<f64>[index]
          %3 = arith.select %1, %x, %2 : f64
          phi.yield %3 : f64
        }

    After::

        %b = phi.update %a[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

    where ``%n`` is provably the size of ``%a``; otherwise, or if other elements are computed, a
    comprehension of those is updated. If not all indices are compared, rows or columns are updated.
    The position may be any Int that varies with none of the indices, or depend on the indices
    before it if the value is costly: ``where(j - i == d, x[j], a[i, j])`` updates one element of
    each row.
    Further conditions may depend
    on the indices: if they vary along a row, they select between its new and old elements. Of
    nested selections the outermost is the last update. Optional terms are such selections:
    ``a[i] + where(i == p, x, 0) - where(i == q, y, 0)`` updates two elements.

    A choice between two arrays that are updates of one is one array with both updates: each has an
    effect if its branch is taken.
    """

    name = "raise-updates"
    looks_for = (arith.SelectOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        raise_updates(function, analyses)
