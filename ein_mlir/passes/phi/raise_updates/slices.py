"""Comprehensions that replace the elements of slices, as updates: their recognition."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.index_ranges import Comparison, IndexRanges, is_argument
from ein_mlir.analysis.phi.phases import Phase, diagonals_of, phase_of
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.size_equivalence import equal_sizes
from ein_mlir.analysis.phi.variables import is_kept
from ein_mlir.analysis.scopes import is_within, of_kinds, slice_within
from ein_mlir.dialects import phi, sigma
from ein_mlir.passes.phi.raise_updates.recognition import (
    Place,
    Recogniser,
    Slice,
    Update,
    Updates,
    choices,
    is_in_step,
)
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ordinary import step_if_ordinary
from ein_mlir.rewriting.phi.replacement import replace


class Slices(Recogniser):
    """Finds updates of slices; the positions of a slice vary with no index, as those around it."""

    def __init__(
        self, function: func.FuncOp, analyses: AnalysisManager, *, diagonals: bool = False
    ):
        """With ``diagonals`` also along those of indices, and on both sides of a choice."""
        self._diagonals = diagonals
        self.free = analyses.get(free_indices, function)
        self.sizes = analyses.get(equal_sizes, function)
        self.forms = analyses.get(index_forms, function)

    def updates(self, op: phi.ArrayOp, value: SSAValue) -> Updates | None:
        """The updates that the element of a comprehension selects from."""
        first = self._of_choice(op, value)
        last, steps, old = first, list(first), value
        while last:
            old = last[0].old
            steps += (last := self._of_choice(op, old))
        if (array := self.array_of(op, old)) is not None and steps:
            return Updates(old, steps, array)
        if self._diagonals and (both := self._on_both_sides(op, value)):
            return Updates(old := both[0].old, both, self.array_of(op, old))
        return Updates(first[0].old, first) if first else None

    def _of_choice(self, op: phi.ArrayOp, value: SSAValue) -> Sequence[Update]:
        """The update that a choice is, or those along the diagonals of two indices."""
        one = self.update(op, value)
        if one is not None or not self._diagonals:
            return () if one is None else [one]
        readings = [(list(_all_of(tests)), new, old) for tests, new, old in choices(value)]
        return self._along_diagonals(op, readings)

    def _on_both_sides(self, op: phi.ArrayOp, value: SSAValue) -> Sequence[Update]:
        """``where(i % 2 == 0, where(c, x, old), y)``: updates of the array of old elements."""
        choice = value.owner
        if not isinstance(choice, arith.SelectOp):
            return ()
        sides = (Test(choice.cond, True), choice.lhs), (Test(choice.cond, False), choice.rhs)
        for get in of_kinds(op.body.block.ops, phi.GetOp):
            old = get.result
            if old.type == value.type and self.array_of(op, old) is not None:
                written = [self._on_side(op, test, new, old) for test, new in sides]
                if all(written):
                    return [step for steps in written for step in steps]
        return ()

    def _on_side(
        self, op: phi.ArrayOp, test: Test, value: SSAValue, old: SSAValue
    ) -> Sequence[Update]:
        """The updates of old elements that are a value where a test holds."""
        found = [([*_all_of(tests)], new) for tests, new, other in choices(value) if other is old]
        readings = [([*conjuncts(test), *tests], new, old) for tests, new in (*found, ([], value))]
        ones = [self._at(op, *reading) for reading in readings]
        placed = [each for each in ones if each.places and self._may_update(op, each.value, old)]
        if placed:
            return [min(placed, key=partial(self.order, op))]
        return self._along_diagonals(op, readings)

    def _along_diagonals(
        self,
        op: phi.ArrayOp,
        readings: Sequence[tuple[list[Test], SSAValue | IntegerAttr, SSAValue]],
    ) -> Sequence[Update]:
        """``where((i + j) % 2 == r, x, old)`` as updates of the rows with each remainder.

        Not of values at other remainders: those of all elements are rotations.
        """
        found = list[Sequence[Update]]()
        for tests, new, old in readings:
            if not self._may_update(op, new, old):
                continue
            for number, test in enumerate(tests):
                rest = [*tests[:number], *tests[number + 1 :]]
                values = [each.condition for each in rest]
                values += [new] if isinstance(new, SSAValue) else []
                if of_kinds(slice_within(op, values), sigma.FloorModOp):
                    continue
                pairs = diagonals_of(test, op.indices, partial(self._varies, op), self.forms)
                if pairs:
                    found.append([self._at_phases(op, x, test, rest, new, old) for x in pairs])
        return min(found, key=lambda steps: self.order(op, steps[0]), default=())

    def _at_phases(
        self,
        op: phi.ArrayOp,
        phases: Sequence[Phase],
        test: Test,
        rest: list[Test],
        new: SSAValue | IntegerAttr,
        old: SSAValue,
    ) -> Update:
        """The update at indices with some remainders, by which a test holds."""
        places = dict[BlockArgument, Place]((each.index, Slice(each)) for each in phases)
        others = self._others(op, rest, places)
        conditions = [c for c in others if self._is_condition(op, c, places)]
        choices = [c for c in others if c not in conditions]
        return Update(places, conditions, choices, new, old, [test])

    def _is_lost(self, size: SSAValue) -> bool:
        return False

    def _may_update(self, op: phi.ArrayOp, new: SSAValue | IntegerAttr, old: SSAValue) -> bool:
        """Whether elements are scalars that do not share a loop, which would run for both."""
        if not phi.is_scalar_type(old.type):
            return False
        needed = slice_within(op, [old] if isinstance(new, SSAValue) else [])
        own = slice_within(op, [new] if isinstance(new, SSAValue) else [])
        return not any(each.regions and each in needed for each in own)

    def _others(
        self, op: phi.ArrayOp, tests: list[Test], places: dict[BlockArgument, Place]
    ) -> list[Test]:
        """The tests that are no bounds of an index in its slice."""
        others = list[Test]()
        for test in tests:
            found = self._bound(op, test)
            own = None if found is None else places.get(found.index)
            if found is None or not isinstance(own, Slice):
                others.append(test)
            else:
                own.restrict(found, expected=test.expected)
        return others

    def _bound(self, op: phi.ArrayOp, test: Test) -> Comparison | None:
        """The bound of an index that a test is."""
        ranges = IndexRanges(op, self.forms, self.free)
        found = ranges.comparison(test.condition) or ranges.relation(test.condition)
        return None if found is None or found.predicate in ("==", "!=") else found

    def _is_condition(
        self, op: phi.ArrayOp, test: Test, places: dict[BlockArgument, Place]
    ) -> bool:
        """Whether a test varies with no index."""
        return not self.free.of(test.condition)

    def _place(
        self, op: phi.ArrayOp, test: Test, new: SSAValue | IntegerAttr
    ) -> tuple[BlockArgument, Place] | None:
        found = phase_of(test, op.indices, partial(self._varies, op), self.forms)
        return None if found is None else (found.index, Slice(found))

    def _varies(self, op: phi.ArrayOp, value: SSAValue) -> bool:
        """Whether a value varies with an index, or is not known before a comprehension."""
        return is_within(value, op) or bool(self.free.of(value))


class Parts(Slices):
    """Finds updates of accumulators in a range of indices, or in some steps of a loop only."""

    needs_places = False

    def updates(self, op: phi.ArrayOp, value: SSAValue) -> Updates | None:
        """The updates that each write a part of an accumulator."""
        if self._has_element(op):
            self.choose_terms(op, value)
            found = Recogniser.updates(self, op, op.yielded())
            if found is not None and found.array is not None:
                return found if all(self._is_part(op, each) for each in found.steps) else None
        return None

    def separate(self, op: phi.ArrayOp) -> None:
        """Let a step that bounds indices by sums with any Ints be one for ordinary Ints, or not."""
        if not self._has_element(op):
            return
        self.choose_terms(op, op.yielded())
        found = Recogniser.updates(self, op, op.yielded())
        if found is None or found.array is None or not self._is_elementwise(op, found.array):
            return
        wide = [i for step in found.steps for test in step.choices for i in self._wide(op, test)]
        if wide:
            build = Builder.before(op, self.free.add, self.sizes.add)
            new = step_if_ordinary(build, op, found.array, list(dict.fromkeys(wide)))
            replace(op, new, self.free, self.sizes)

    def _has_element(self, op: phi.ArrayOp) -> bool:
        """Whether a step reads the elements that an update of an accumulator leaves."""
        gets = (each.result for each in op.body.block.ops if isinstance(each, phi.GetOp))
        return is_in_step(op) and any(self.array_of(op, each) is not None for each in gets)

    def _wide(self, op: phi.ArrayOp, test: Test) -> Collection[SSAValue]:
        """The Ints of a bound that may wrap; those of arguments are left to another pass."""
        found = IndexRanges(op, self.forms, self.free).wide_ints(
            test.condition, only_arguments=False
        )
        return () if all(map(is_argument, found)) else found

    def array_of(self, op: phi.ArrayOp, value: SSAValue) -> SSAValue | None:
        array = super().array_of(op, value)
        return array if array is not None and is_kept(array) else None

    def _has_position(self, op: phi.ArrayOp, test: Test) -> bool:
        """Whether a test bounds an index, or varies with none."""
        return any(
            not self.free.of(each.condition) or self._bound(op, each) or self._wide(op, each)
            for each in conjuncts(test)
        )

    def _place(
        self, op: phi.ArrayOp, test: Test, new: SSAValue | IntegerAttr
    ) -> tuple[BlockArgument, Place] | None:
        found = self._bound(op, test)
        if found is None:
            return None
        return found.index, Slice().restrict(found, expected=test.expected)

    def _is_part(self, op: phi.ArrayOp, update: Update) -> bool:
        """Whether no other part depends on a part that is written, or if it is in some steps."""
        if update.conditions:
            return True
        ranges, array = IndexRanges(op, self.forms, self.free), self.array_of(op, update.old)
        slices = [(i, each) for i, each in update.places.items() if isinstance(each, Slice)]
        if all(self._has_order(each, ranges.size(i)) for i, each in slices):
            return False
        if any(ranges.wide_ints(test.condition) for test in update.choices):
            return False
        return self._is_elementwise(op, array)

    def _is_elementwise(self, op: phi.ArrayOp, array: SSAValue | None) -> bool:
        """Whether a new element depends on the old one alone, or on some for all indices."""
        reads = [inner for inner in op.body.walk() if array in inner.operands]
        return all(
            list(map(phi.uncast, get.operands[1:])) == list(op.indices)
            or not self.free.of(get.results[0]).issuperset(op.indices)
            for get in reads
        )

    def _has_order(self, found: Slice, size: LinearForm) -> bool:
        """Whether the bounds of a slice are near the ends of the axis, or provably in order.

        Then it is one of few parts into which ``split-index-ranges`` cuts the axis.
        """
        bounds = [*found.lowers, *found.uppers]
        thresholds = [each.threshold for each in bounds]
        distances = [(each, self.forms.canonical(size - each)) for each in thresholds]
        if all(any(form.known() is not None for form in pair) for pair in distances):
            return True
        ends = [LinearForm(), *thresholds, size]
        return all(each.predicate in ("<", ">=") for each in bounds) and all(
            itertools.starmap(self.forms.is_at_most, itertools.pairwise(ends))
        )


class Windows(Parts):
    """Finds updates of accumulators in windows, whose sizes are those of arrays in all steps."""

    def updates(self, op: phi.ArrayOp, value: SSAValue) -> Updates | None:
        """The updates in windows; none if one writes another part of an accumulator."""
        if not self._has_element(op) or not any(self._has_window(op)):
            return None
        self.choose_terms(op, value)
        found = Recogniser.updates(self, op, op.yielded())
        if found is None or found.array is None or not self._is_elementwise(op, found.array):
            return None
        windows = (self._in_window(op, each) for each in found.steps)
        steps = [each for each in windows if each is not None]
        is_all = len(steps) == len(found.steps)
        return Updates(found.element, steps, found.array) if is_all else None

    def _has_window(self, op: phi.ArrayOp) -> Iterator[bool]:
        """Whether the tests of each choice bound a window."""
        for choice in of_kinds(op.body.block.ops, arith.SelectOp):
            for tests, new, old in choices(choice.result):
                yield bool(self._in_window(op, self._at(op, _all_of(tests), new, old)))

    def _others(
        self, op: phi.ArrayOp, tests: list[Test], places: dict[BlockArgument, Place]
    ) -> list[Test]:
        """All tests: elements of a window that the bounds leave out are chosen, too."""
        super()._others(op, tests, places)
        return tests

    def _in_window(self, op: phi.ArrayOp, update: Update) -> Update | None:
        """An update by choices in a window, which moves from step to step; None if it has none."""
        [(index, place), *others] = [*update.places.items()] or [(None, None)]
        if index is None or others or not isinstance(place, Slice):
            return None
        for lower, upper in itertools.product(place.lowers, place.uppers):
            length = self.forms.canonical(_first(upper) - _first(lower))
            if self._is_window(op, index, lower.threshold, length):
                tests = [*update.tests, *update.conditions, *update.choices]
                window = Slice(None, [lower], [upper], length)
                return Update({index: window}, [], tests, update.value, update.old, [])
        return None

    def _is_window(
        self, op: phi.ArrayOp, index: BlockArgument, first: LinearForm, length: LinearForm
    ) -> bool:
        """Whether a size depends on sizes before the loop alone, and a first index on the step."""
        loop, size = op.parent_op(), self.forms.size(op.result, index.index)
        assert loop is not None
        is_known = all(
            isinstance(atom.owner, phi.SizeOp) and isinstance(atom.owner.array.owner, Block)
            for atom in length.coefficients
        )
        moves = any(is_within(atom, loop) for atom in first.coefficients)
        is_whole = size is not None and self.forms.is_at_most(size, length)
        return is_known and moves and not is_whole


def _first(bound: Comparison) -> LinearForm:
    """The first index behind those that a bound separates."""
    return bound.threshold + 1 if bound.predicate in ("<=", ">") else bound.threshold


def _all_of(tests: Iterable[Test]) -> Iterator[Test]:
    """The tests that are conjuncts of some tests."""
    return itertools.chain.from_iterable(map(conjuncts, tests))
