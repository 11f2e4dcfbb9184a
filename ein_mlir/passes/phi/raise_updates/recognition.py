"""Comprehensions that replace elements of an array, as updates: their recognition."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from functools import partial
from itertools import chain
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import Comparison, IndexRanges
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.phases import Phase
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.size_equivalence import (
    SizeEquivalence,
    Term,
    is_asserted,
    unasserted_equal_sizes,
)
from ein_mlir.analysis.phi.variables import element_read
from ein_mlir.analysis.scopes import dependents, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.optional_terms import OptionalTerm, optional_term


@dataclass(frozen=True)
class Slice:
    """The indices of a phase, or all of them, between some bounds."""

    phase: Phase | None = None
    lowers: list[Comparison] = field(default_factory=list[Comparison])
    uppers: list[Comparison] = field(default_factory=list[Comparison])
    window: LinearForm | None = None
    """The number of indices from the first lower bound on, of which some may keep old elements."""

    def restrict(self, bound: Comparison, *, expected: bool) -> Slice:
        """The slice, with a bound that must hold, or must not."""
        is_upper = (bound.predicate in ("<", "<=")) == expected
        (self.uppers if is_upper else self.lowers).append(bound)
        return self


Place: TypeAlias = LinearForm | Slice
"""The written positions along an axis: one, or a slice."""


@dataclass
class Update:
    """``where(i == p & c, x, old)``: the places of the compared indices, and the rest."""

    places: dict[BlockArgument, Place]
    conditions: list[Test]
    """Those that hold for all elements written, or for none;"""
    choices: list[Test]
    """and the others."""
    value: SSAValue | IntegerAttr
    """A value of the program, or a literal that is not in the program."""
    old: SSAValue
    """The value elsewhere."""
    tests: list[Test]
    """The comparisons that give the places."""

    @property
    def bounds(self) -> int:
        """The number of bounds of its slices."""
        slices = (each for each in self.places.values() if isinstance(each, Slice))
        return sum(len(each.lowers) + len(each.uppers) for each in slices)

    def under(self, test: Test) -> Update:
        """The update if a test holds, too."""
        return dataclasses.replace(self, conditions=[test, *self.conditions])


@dataclass
class _Link:
    """Updates, the last one first, and the element that they replace."""

    steps: Sequence[Update]
    old: SSAValue


@dataclass
class Updates:
    """Updates of the array of some elements of a comprehension, the last one first."""

    element: SSAValue
    steps: Sequence[Update]
    array: SSAValue | None = None
    """The array of these elements, if there is one."""


class Recogniser:
    """Finds updates in the comprehensions of a function, given the facts about its indices."""

    needs_places = True

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager):
        self.free = analyses.get(free_indices, function)
        self.sizes: SizeEquivalence = analyses.get(unasserted_equal_sizes, function)
        self.forms = IndexForms(function, self.sizes, self.free)

    def updates(self, op: phi.ArrayOp, value: SSAValue) -> Updates | None:
        """The updates that the element of a comprehension, or a field of it, selects from.

        Updates of an array do not use the sizes of the compared indices: an assertion among them
        would be lost.
        """
        steps, links = list[Update](), dict[SSAValue, _Link | None]()
        while (link := self._link(op, value, links)) is not None:
            steps.extend(link.steps)
            value = link.old
        array = self.array_of(op, value) if steps else None
        compared = {index for step in steps for index in step.places}
        if array is not None and not any(is_asserted(op.sizes[index.index]) for index in compared):
            return Updates(value, steps, array)
        places = (each for step in steps for each in step.places.items())
        if not steps or is_reduced(op.result) or any(self._is_edge(op, *each) for each in places):
            return None
        return Updates(value, steps)

    def _link(
        self, op: phi.ArrayOp, value: SSAValue, links: dict[SSAValue, _Link | None]
    ) -> _Link | None:
        """The last update that a value selects from; those of both branches of a choice.

        ``links`` has those of other values.
        """
        choice = value.owner
        if not isinstance(choice, arith.SelectOp) or choice.parent is not op.body.block:
            return None
        if value not in links:
            step = self.update(op, value)
            links[value] = (
                _Link([step], step.old)
                if step
                else self._at_any(op, choice) or self._guarded(op, choice, links)
            )
        return links[value]

    def _at_any(self, op: phi.ArrayOp, choice: arith.SelectOp) -> _Link | None:
        """``where(((i == p) | (i == q)) & c, x, old)``: an element at each position.

        One that varies with the index is computed from elements that are replaced only once: those
        at q if they are not at p.
        """
        value, old = choice.lhs, choice.rhs
        if not self._may_update(op, value, old):
            return None
        varies = not self.free.of(value).isdisjoint(op.indices)
        tests = list(conjuncts(Test(choice.cond, True)))
        for number, test in enumerate(tests):
            others, steps = [*tests[:number], *tests[number + 1 :]], list[Update]()
            for one in _alternatives(test):
                steps.append(self._at(op, [*conjuncts(one), *others], value, old))
                others += [Test(one.condition, not one.expected)] if varies else []
            if all(step.places for step in steps):
                return _Link(steps[::-1], old)
        return None

    def _guarded(
        self, op: phi.ArrayOp, choice: arith.SelectOp, links: dict[SSAValue, _Link | None]
    ) -> _Link | None:
        """``where(c, where(i == p, x, old), old)``: the updates of each branch, if it is taken.

        The later one of two different values is no element that the other one replaces.
        """
        if not self.is_fixed(op, choice.cond):
            return None
        olds, steps = {True: choice.lhs, False: choice.rhs}, list[Update]()
        while olds[True] is not olds[False]:
            side = _is_later(olds[True], olds[False])
            link = self._link(op, olds[side], links)
            if link is None:
                return None
            steps.extend(step.under(Test(choice.cond, side)) for step in link.steps)
            olds[side] = link.old
        return _Link(steps, olds[True]) if steps else None

    def choose_terms(self, op: phi.ArrayOp, value: SSAValue, *, fills: bool = False) -> None:
        """Write optional terms at positions as choices, if they are all that updates an array.

        With ``fills`` also if they are all of the elements but for a constant.
        """
        terms = list[OptionalTerm]()
        while isinstance(inner := value.owner, Operation) and inner.parent is op.body.block:
            if isinstance(inner, arith.SelectOp):
                step = self.update(op, value)
                if step is None:
                    return
                value = step.old
                continue
            term = optional_term(inner, partial(self._has_position, op))
            if term is None:
                break
            terms.append(term)
            value = term.base
        is_filled = fills and isinstance(value.owner, arith.ConstantOp)
        if is_filled or self.array_of(op, value) is not None:
            for term in reversed(terms):
                Rewriter.replace_op(term.operation, (), (term.chosen(self.free.add),))

    def _has_position(self, op: phi.ArrayOp, test: Test) -> bool:
        """Whether a test compares an index with a position, or with one of several."""
        if any(self._place(op, each, each.condition) is not None for each in conjuncts(test)):
            return True
        several = _alternatives(test)
        return len(several) > 1 and all(self._has_position(op, each) for each in several)

    def exception(self, op: phi.ArrayOp, test: Test) -> tuple[BlockArgument, LinearForm] | None:
        """The index that is at one position if a test holds, if that varies with no other index."""
        for each in conjuncts(test):
            index, place = self._place(op, each, each.condition) or (op.indices[0], None)
            if not isinstance(place, LinearForm) or self._is_edge(op, index, place):
                continue
            if place.coefficients.keys().isdisjoint(op.indices):
                return index, place
        return None

    def _is_edge(self, op: phi.ArrayOp, index: BlockArgument, place: Place) -> bool:
        """Whether a position depends on sizes only: an element at an edge is no exception.

        Elements next to an edge are better computed apart from the others. The last one of ``n``
        is at an edge, too, if ``n`` is an Int of the program.
        """
        if not isinstance(place, LinearForm):
            return False
        from_end = self.forms.integer(op.sizes[index.index]) - place
        return from_end.known() is not None or all(
            isinstance(atom.owner, phi.SizeOp) for atom in place.coefficients
        )

    def is_bounded(self, op: phi.ArrayOp, values: Iterable[SSAValue]) -> bool:
        """Whether some of the values are bounds of the indices of a comprehension."""
        ranges = IndexRanges(op, self.forms, self.free)
        found = map(ranges.comparison, values)
        return any(each is not None and each.predicate not in ("==", "!=") for each in found)

    def array_of(self, op: phi.ArrayOp, value: SSAValue) -> SSAValue | None:
        """The array whose element at the indices of a comprehension over all of it a value is."""
        array = element_read(value.owner, op)
        return array if array is not None and self.is_over(op, array) else None

    def is_over(self, op: phi.ArrayOp, array: SSAValue) -> bool:
        """Whether a comprehension has the leading axes of an array that does not vary in it."""
        is_like = self.is_fixed(op, array) and self.sizes.are_of(array, op.sizes)
        return is_like and not any(map(self._is_lost, op.sizes))

    def is_fixed(self, op: phi.ArrayOp, value: SSAValue) -> bool:
        """Whether a value is the same at all indices of a comprehension."""
        return self.free.of(value).isdisjoint(op.indices) and not is_within(value, op)

    def _is_lost(self, size: SSAValue) -> bool:
        """Whether each step of a loop asserts a size: `raise-writes` moves that before the loop."""
        owner = size.owner
        return isinstance(owner, phi.AssertEqOp) and isinstance(owner.parent_op(), phi.LoopOp)

    def update(self, op: phi.ArrayOp, value: SSAValue) -> Update | None:
        """A selection as an update: of an array, if it is one."""
        found = list[Update]()
        for tests, new, old in choices(value):
            update = self._at(op, chain.from_iterable(map(conjuncts, tests)), new, old)
            if (update.places or not self.needs_places) and self._may_update(op, new, old):
                found.append(update)
        return (
            min(found, key=partial(self.order, op)) if len(found) > 1 else next(iter(found), None)
        )

    def order(self, op: phi.ArrayOp, update: Update) -> tuple[bool, int]:
        """Those of arrays come first, with the fewest elements."""
        return self.array_of(op, update.old) is None, -update.bounds

    def _at(
        self,
        op: phi.ArrayOp,
        found: Iterable[Test],
        new: SSAValue | IntegerAttr,
        old: SSAValue,
    ) -> Update:
        """The update where all tests hold, at the places that they give, if they give any."""
        places, tests, others = dict[BlockArgument, Place](), list[Test](), list[Test]()
        for each in found:
            place = self._place(op, each, new)
            if place is not None and place[0] not in places:
                places[place[0]] = place[1]
                tests.append(each)
            else:
                others.append(each)
        others = self._others(op, others, places)
        conditions = [c for c in others if self._is_condition(op, c, places)]
        choices = [c for c in others if c not in conditions]
        return Update(places, conditions, choices, new, old, tests)

    def _others(
        self, op: phi.ArrayOp, tests: list[Test], places: dict[BlockArgument, Place]
    ) -> list[Test]:
        """The tests that restrict no place any further."""
        return tests

    def _is_condition(
        self, op: phi.ArrayOp, test: Test, places: dict[BlockArgument, Place]
    ) -> bool:
        """Whether a test varies with none of the indices that are not compared."""
        return self.free.of(test.condition).isdisjoint(set(op.indices) - places.keys())

    def _may_update(self, op: phi.ArrayOp, new: SSAValue | IntegerAttr, old: SSAValue) -> bool:
        """Whether two elements that are vectors provably have the same sizes."""
        return isinstance(new, SSAValue) and all(
            self.sizes.same(Term(new, (), axis), Term(old, (), axis))
            for axis in range(phi.rank_of(new.type))
        )

    def _place(
        self, op: phi.ArrayOp, test: Test, new: SSAValue | IntegerAttr
    ) -> tuple[BlockArgument, Place] | None:
        """``i - k == 1`` as ``(i, k + 1)``: the innermost index, and its position."""
        difference = self.forms.equation(test.condition, expected=test.expected)
        if difference is None or not isinstance(new, SSAValue):
            return None
        atoms = difference.coefficients
        varying = [atom for atom in atoms if not self.free.of(atom).isdisjoint(op.indices)]
        own = [index for index in op.indices if index in varying]
        if not own or not all(atom in own for atom in varying):
            return None
        index = own[-1]
        if len(own) > 1 and not _is_costly(op, new, own):
            return None
        position = difference.solved_for(index)
        return None if position is None else (index, position)


def updated_row(op: phi.ArrayOp, recogniser: Recogniser) -> SSAValue | None:
    """The row, updated in a comprehension, whose elements at the last indices that has."""
    get = op.yielded().owner
    if not isinstance(get, phi.GetOp) or not isinstance(get.array.owner, phi.UpdateOp):
        return None
    row, own = get.array, op.indices[-len(get.positions) :]
    is_row = (
        len(own) < len(op.indices)
        and get.is_at(own)
        and is_within(row, op)
        and recogniser.free.of(row).isdisjoint(own)
        and phi.is_scalar_type(get.result.type)
    )
    sizes = op.sizes[-len(own) :]
    is_whole = is_row and all(
        recogniser.sizes.same(size, Term(row, (), axis)) and not is_asserted(size)
        for axis, size in enumerate(sizes)
    )
    return row if is_whole else None


def is_in_step(op: phi.ArrayOp) -> bool:
    """Whether a comprehension is in a step of a loop; the pairs of a reduction are no steps."""
    loop = op.parent_op()
    return isinstance(loop, phi.LoopOp) and not isinstance(loop, phi.ReduceOp)


def _alternatives(test: Test) -> list[Test]:
    """The tests of which a test needs one: ``a | b``."""
    none = conjuncts(Test(test.condition, not test.expected))
    return [Test(each.condition, not each.expected) for each in none]


def choices(
    value: SSAValue,
) -> Iterator[tuple[Sequence[Test], SSAValue | IntegerAttr, SSAValue]]:
    """Tests, the value if all hold, and the other value: a selection, read in all ways.

    ``x & y`` of Bools is ``where(~y, false, x)``, and ``x | y`` is ``where(y, true, x)``.
    """
    match value.owner:
        case arith.SelectOp():
            yield from _nested_choices((), value, None)
        case arith.AndIOp() | arith.OrIOp() as op if value.type == i1:
            decides = isinstance(op, arith.OrIOp)
            for other, condition in (op.operands, reversed(op.operands)):
                yield [Test(condition, decides)], IntegerAttr.from_bool(decides), other
        case _:
            pass


def _nested_choices(
    tests: Sequence[Test], value: SSAValue, other: SSAValue | None
) -> Iterator[tuple[Sequence[Test], SSAValue, SSAValue]]:
    """``where(c, where(d, x, old), old)``: x if both hold."""
    op = value.owner
    if not isinstance(op, arith.SelectOp):
        return
    for expected, new, old in ((True, op.lhs, op.rhs), (False, op.rhs, op.lhs)):
        if other is None or old is other:
            both = [*tests, Test(op.cond, expected)]
            yield both, new, old
            yield from _nested_choices(both, new, old)


def _is_later(a: SSAValue, b: SSAValue) -> bool:
    """Whether a value of a block is computed after another one, or that is no value of it."""
    one, other = a.owner, b.owner
    if isinstance(one, Block) or isinstance(other, Block):
        return isinstance(one, Operation)
    return one.parent is not other.parent or other.is_before_in_block(one)


def _is_costly(op: phi.ArrayOp, value: SSAValue, own: Sequence[SSAValue]) -> bool:
    """Whether a value has loops that vary with some indices, or reads elements that vary with the
    last of these: with any in a step of a loop, whose array may be overwritten.
    """
    varying = dependents(op.body.block, *own)
    of_reads = varying if is_in_step(op) else dependents(op.body.block, own[-1])
    return any(
        not (varying if each.regions else of_reads).isdisjoint(operands_within(each))
        for each in slice_of(op.body.block, [value])
        if each.regions or isinstance(each, phi.GetOp)
    )


def is_reduced(array: SSAValue) -> bool:
    """Whether an array is only reduced: then its elements need no memory."""
    return any(isinstance(use.operation, phi.ReduceOp) for use in array.uses)
