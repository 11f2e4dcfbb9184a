"""The marks of the bodies of a function, innermost first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.demand import ALWAYS, Both, Condition, Either, InSomeStep
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.index_ranges import IndexRanges
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.phi.variables import Variables, variables_around
from ein_mlir.analysis.scopes import home_of, is_within, operands_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.check_bounds.accesses import Unproven, Uses
from ein_mlir.passes.phi.check_bounds.boxes import Box
from ein_mlir.passes.phi.check_bounds.conditions import conjunction, parts_of, spans_of
from ein_mlir.passes.phi.check_bounds.marks import (
    Access,
    Flags,
    Mark,
    Marking,
    fields_of,
    first_in,
    first_of,
    has_steps,
    is_positive,
    runs,
)
from ein_mlir.rewriting.phi.builders import folded
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class Place:
    """The place of a check: an access, or its box."""

    number: int
    """The number of the access from 1 on."""
    access: Unproven
    box: Box | None

    @property
    def op(self) -> Operation:
        """The operation after which the check is made."""
        return self.access.op if self.box is None else self.box.loop

    @property
    def sides(self) -> tuple[bool, bool]:
        """Whether the position may be below, or beyond, the bounds."""
        below, beyond = self.access.may_be_below, self.access.may_be_beyond
        if self.box is None:
            return below, beyond
        return below and self.box.may_be_below(), beyond and self.box.may_be_beyond()


class Checker:
    """Adds marks to one function."""

    def __init__(
        self,
        function: func.FuncOp,
        analyses: AnalysisManager,
        uses: Uses,
        places: Sequence[Place],
        marking: Marking,
    ):
        self._uses = uses
        self._forms = analyses.get(index_forms, function)
        self._marking = marking
        self._places = defaultdict[Operation, list[Place]](list)
        for place in places:
            self._places[place.op].append(place)
        self._marked = {parent for place in self._places for parent in _parents(place)}
        self._replaced: dict[SSAValue, SSAValue] = {}
        self._loops: dict[Operation, phi.BodyOp] = {}
        self._carriers = set[Operation]()
        self._conditions: dict[tuple[Condition, Block], SSAValue] = {}

    def function(self, block: Block) -> Mark:
        """The mark of a function, at its end."""
        return self._merged(Builder.before_end(block), self._block(block))

    def _block(self, block: Block, depth: int = 0) -> Sequence[Mark]:
        """The marks of a block, at its end: one for each set of variables that they depend on."""
        found = list[tuple[Condition, Mark]]()
        for op in list(block.ops):
            condition = self._uses.of(op)
            if condition is None:
                continue
            places = self._places.get(op, ())
            if op in self._marked:
                assert isinstance(op, phi.BodyOp)
                inner = self._block(op.regions[0].block, depth + len(op.counters()))
                marks = self._around(op, inner, self._marking, depth)
                found.extend((condition, mark) for mark in marks)
            found.extend((condition, self._of_place(place)) for place in places)
        build = Builder.before_end(block)
        for number, (condition, mark) in enumerate(found):
            if condition is not ALWAYS:
                mark = self._marking.where(build, self._value(condition, block), mark)
            found[number] = condition, mark
        return self._grouped(block, [mark for _, mark in found])

    def _grouped(self, block: Block, marks: Sequence[Mark]) -> list[Mark]:
        """Marks that depend on the same variables as one; all, if marks name steps."""
        groups = defaultdict[Variables, list[Mark]](list)
        for mark in marks:
            needed: Variables = (
                frozenset() if self._marking.names_steps else _variables(block, mark)
            )
            groups[needed].append(mark)
        return [self._merged(Builder.before_end(block), group) for group in groups.values()]

    def _merged(self, build: Builder, marks: Sequence[Mark]) -> Mark:
        """The first of some marks that there is."""
        mark, *others = marks
        for other in others:
            mark = self._marking.either(build, mark, other)
        return mark

    def _of_place(self, place: Place) -> Mark:
        if place.box is not None:
            return self._of_box(place, place.box)
        op, build = place.access.op, Builder.after(place.access.op)
        position = op.positions[place.access.axis]
        if position.type != i64:
            cast = arith.IndexCastOp if isinstance(position.type, IndexType) else arith.ExtSIOp
            position = build.emit(cast(position, i64))
        size = build.size(op.array, place.access.axis)
        is_out = _is_out(build, place, position, position, size)
        return self._marking.of(build, Access(place.number, position, size, is_out))

    def _of_box(self, place: Place, box: Box) -> Mark:
        build = Builder.before_end(home_of(self._loops.get(box.loop, box.loop)))
        value = partial(build.linear_value, value_of=self._current)
        low = value(box.low)
        high = low if box.low == box.high else value(box.high)
        if box.size is None:
            size = build.size(self._current(box.array), place.access.axis)
        else:
            size = value(box.size)
        spans = [each for span in box.spans for each in runs(build, span, value)]
        return (build.all_of([*spans, _is_out(build, place, low, high, size)]),)

    # Conditions

    def _value(self, condition: Condition, block: Block) -> SSAValue:
        """A condition as a truth value at the end of a block."""
        pending = [condition]
        while (condition, block) not in self._conditions:
            current = pending[-1]
            missing = [p for p in parts_of(current) if (p, block) not in self._conditions]
            pending.extend(missing)
            if not missing:
                self._conditions[current, block] = self._computed(current, block)
                pending.pop()
        return self._conditions[condition, block]

    def _computed(self, condition: Condition, block: Block) -> SSAValue:
        build = Builder.before_end(block)
        parts = [self._conditions[part, block] for part in parts_of(condition)]
        match condition:
            case Both(test=Test() as test):
                parts.append(self._test(build, test))
            case Either():
                return build.any_of(parts)
            case InSomeStep():
                parts.append(self._in_some_step(condition, build))
            case _:
                pass
        return build.all_of(parts)

    def _test(self, build: Builder, test: Test) -> SSAValue:
        return build.is_as_expected(self._current(test.condition), test.expected)

    def _in_some_step(self, condition: InSomeStep, build: Builder) -> SSAValue:
        """Whether a condition holds in some step of a loop."""
        assert condition.loop is not None
        loop = self._loops.get(condition.loop, condition.loop)
        tests = self._exists(build, loop, condition.inner)
        return build.all_of([has_steps(build, loop), *tests])

    def _exists(self, build: Builder, loop: phi.BodyOp, condition: Condition) -> Sequence[SSAValue]:
        """Truth values that all hold if a condition holds in some step of a loop that has steps.

        ``(i < n) & (i == p)`` holds for some ``i`` if ``0 <= p < n``.
        """
        if condition is ALWAYS:
            return ()
        if isinstance(condition, Either):
            parts = [self._exists(build, loop, part) for part in condition.parts]
            return (build.any_of([build.all_of(part) for part in parts]),)
        known = self._closed(build, loop, condition)
        if known is not None:
            return known
        inner = self._value(condition, loop.regions[0].block)
        return [mark[0] for mark in self._around(loop, [(inner,)], Flags(), 0)]

    def _closed(
        self, build: Builder, loop: phi.BodyOp, condition: Condition
    ) -> Sequence[SSAValue] | None:
        """`_exists` for tests of values outside, and of one index each; None for others."""
        tests = conjunction(condition)
        if tests is None or any(test.condition in self._replaced for test in tests):
            return None
        inside = [test for test in tests if is_within(test.condition, loop)]
        outside = [self._test(build, test) for test in tests if test not in inside]
        if not inside:
            return outside
        if not isinstance(loop, phi.ArrayOp):
            return None
        spans = spans_of(loop, inside, IndexRanges(loop, self._forms, None))
        if spans is None:
            return None
        value = partial(build.linear_value, value_of=self._current)
        return [*outside, *(each for span in spans for each in runs(build, span, value))]

    def _current(self, value: SSAValue) -> SSAValue:
        while value in self._replaced:
            value = self._replaced[value]
        return value

    # Loops

    def _around(
        self, op: phi.BodyOp, marks: Sequence[Mark], marking: Marking, depth: int
    ) -> list[Mark]:
        """The marks of a loop, at the end of its block, from those of its body."""
        if isinstance(op, phi.FoldOp):
            carried, others = self._by_accumulator(op, marks, marking)
            found = [self._around_fold(op, mark, marking) for mark in others]
            return [*found, *(self._carried(op, mark, marking, depth) for mark in carried)]
        if isinstance(op, phi.ComprehensionOp):
            return [self._around_comprehension(op, mark, marking, depth) for mark in marks]
        mark = self._merged(Builder.before_end(op.regions[0].block), marks)
        if isinstance(op, phi.WhileOp):
            return [self._around_while(op, mark, marking, depth)]
        assert isinstance(op, phi.ReduceOp)
        return [self._around_reduction(op, mark, marking)]

    def _by_accumulator(
        self, op: phi.FoldOp, marks: Sequence[Mark], marking: Marking
    ) -> tuple[list[Mark], list[Mark]]:
        """The mark that depends on the accumulator of a fold, if any does, and the others."""
        carried, others = list[Mark](), list[Mark]()
        for mark in marks:
            depends = marking.names_steps or op.accumulator in _variables(op.body.block, mark)
            (carried if depends else others).append(mark)
        if carried:
            carried = [self._merged(Builder.before_end(op.body.block), carried)]
        return carried, others

    def _around_comprehension(
        self, op: phi.ComprehensionOp, mark: Mark, marking: Marking, depth: int
    ) -> Mark:
        """``reduce (array (i < n) { mark }) by |``, over the indices that the mark depends on.

        If a fold in the body carries the mark, an array has both values: the fold is not run twice.
        """
        current = phi.ComprehensionOp.of(self._loops.get(op, op))
        op = current
        needed = slice_of(op.body.block, mark)
        inside = (inner for each in needed for inner in operations_in(each))
        if isinstance(op, phi.ArrayOp) and any(inner in self._carriers for inner in inside):
            vectors = self._beside(op, mark)
            new = phi.ArrayOp.of(self._loops[op])
            return first_in(Builder.before_end(home_of(new)), new, vectors, marking, depth)
        used = {*mark, *(value for each in needed for value in operands_within(each))}
        kept = [
            number
            for number, index in enumerate(op.indices)
            if marking.names_steps or index in used
        ]

        def element(build: Builder, values: Sequence[SSAValue]) -> Mark:
            known = dict[SSAValue, SSAValue]()
            known.update(zip((op.indices[number] for number in kept), values, strict=True))
            return build.copied(op.body.block, mark, known)

        build = Builder.before_end(home_of(op))
        named = {number: op.indices[number] for number in kept}
        found = first_of(build, op.sizes, named, element, marking, depth)
        runs = [is_positive(build, size) for k, size in enumerate(op.sizes) if k not in kept]
        return marking.where(build, build.all_of(runs), found) if runs else found

    def _beside(self, op: phi.ArrayOp, mark: Mark) -> Mark:
        """``array (i < n) { (e, mark) }``: the vectors of marks; the others replace the array."""
        self._yield(op.body.block, mark)
        type_ = phi.struct_of_arrays(phi.vec_of(op.yielded().type, len(op.sizes)))
        before = Builder.before(op)
        return self._replace(op, phi.ArrayOp(op.sizes, op.detach_region(0), type_), before)

    def _around_fold(self, op: phi.FoldOp, mark: Mark, marking: Marking) -> Mark:
        """A fold of its own for a mark that does not depend on the accumulator.

        ``fold (k < n, m = none) { m | mark }``
        """
        needed = slice_of(op.body.block, mark)
        used = {*mark, *(value for each in needed for value in operands_within(each))}
        build = Builder.before_end(home_of(op))
        is_safe = not any(may_fail(inner) for each in needed for inner in operations_in(each))
        if is_safe and op.counter not in used:
            found = build.copied(op.body.block, mark, {})
            return marking.where(build, has_steps(build, op), found)

        def step(inner: Builder, counter: SSAValue, marked: SSAValue) -> SSAValue:
            marked.name_hint = None  # it is no value of the program
            found = inner.copied(op.body.block, mark, {op.counter: counter})
            return marking.either(inner, (marked,), found)[0]

        (none,) = marking.none(build)
        return (build.emit(folded(op, none, step)),)

    def _carried(self, op: phi.FoldOp, mark: Mark, marking: Marking, depth: int) -> Mark:
        """``fold (k < n, (x, m) = (a, none)) { (e, m | mark) }``"""
        before = Builder.before(op)
        init = before.tuple([op.init, *marking.none(before)])
        block = op.body.block
        (carried,) = self._widened(block, 1, init.type)
        build = Builder.before_end(block)
        found = marking.at_step(mark, depth, op.counter)
        self._yield(block, marking.either(build, carried, found))
        new = op.again(init, op.detach_region(0))
        return self._replace(op, new, before)

    def _around_while(self, op: phi.WhileOp, mark: Mark, marking: Marking, depth: int) -> Mark:
        """``while (c, x, m) = (c, a, none) { (e.0, e, m | mark) }``: the mark needs all steps."""
        before = Builder.before(op)
        more = before.proj(op.init, 0)
        init = before.tuple([more, op.init, *marking.none(before)])
        (carried,) = self._widened(op.body.block, 1, init.type, field=1)
        build = Builder.before_end(op.body.block)
        found = marking.either(build, carried, marking.at_step(mark, depth, op.counter))
        after = build.proj(op.yielded(), 0)
        op.yield_instead(build.tuple([after, op.yielded(), *found]))
        new = phi.WhileOp(op.count, init, op.detach_region(0))
        return self._replace(op, new, before, first=1)

    def _around_reduction(self, op: phi.ReduceOp, mark: Mark, marking: Marking) -> Mark:
        """``reduce (v, none ..) identity (z, none) by ((x, m), (y, n)) { (e, m | n | mark) }``"""
        before, block = Builder.before(op), op.body.block
        none = marking.none(before)
        identity = before.tuple([op.identity, *none])
        size = before.size(op.vec, 0)
        marks = [before.comprehension([size], lambda _, own, value=value: value) for value in none]
        vectors = before.tuple([op.vec, *marks])
        carried = self._widened(block, 0, identity.type, identity.type)
        build = Builder.before_end(block)
        for each in carried[::-1]:
            mark = marking.either(build, each, mark)
        self._yield(block, mark)
        return self._replace(op, phi.ReduceOp(vectors, identity, op.detach_region(0)), before)

    def _widened(self, block: Block, first: int, *types: Attribute, field: int = 0) -> list[Mark]:
        """Give arguments of a block the types of records of which they were a field.

        Returns the fields behind it of each.
        """
        others = list[Mark]()
        start = InsertPoint.at_start(block)
        for number, type_ in enumerate(types, first):
            old = block.args[number]
            new = block.insert_arg(type_, number)
            new.name_hint = old.name_hint
            fields = fields_of(new)
            Rewriter.insert_op(fields, start)
            self._replace_value(old, fields[field].result)
            block.erase_arg(old)
            others.append([each.result for each in fields[field + 1 :]])
        return others

    def _yield(self, block: Block, mark: Mark) -> None:
        """Yield a mark with the value of a block."""
        last = phi.YieldOp.of(block.last_op)
        record = phi.TupleOp([last.value, *mark])
        Rewriter.insert_op(record, InsertPoint.before(last))
        last.operands[0] = record.result

    def _replace(self, op: phi.BodyOp, new: phi.BodyOp, build: Builder, first: int = 0) -> Mark:
        """Replace a loop by one whose value, field ``first``, is followed by a mark."""
        new.results[0].name_hint = op.results[0].name_hint
        fields = [build.insert(each) for each in (new, *fields_of(new.results[0]))][1:]
        value, *mark = (each.results[0] for each in fields[first:])
        self._loops[op] = new
        self._carriers.add(new)
        for old, current in list(self._loops.items()):
            if current is op:
                self._loops[old] = new
        self._replace_value(op.results[0], value)
        Rewriter.erase_op(op)
        return mark

    def _replace_value(self, old: SSAValue, new: SSAValue) -> None:
        self._replaced[old] = new
        new.name_hint = new.name_hint or old.name_hint
        old.replace_all_uses_with(new)


def _variables(block: Block, mark: Mark) -> Variables:
    """The variables of the loops around a block, and of its own, that a mark depends on."""
    last = block.last_op
    assert last is not None
    found = variables_around(last, mark)
    return frozenset(each for each in found if isinstance(each.block.parent_op(), phi.BodyOp))


def _is_out(
    build: Builder, place: Place, low: SSAValue, high: SSAValue, size: SSAValue
) -> SSAValue:
    """``low < 0 | high >= size``, without impossible parts; unsigned if both are equal."""
    below, beyond = place.sides
    if below and beyond and low is high:
        return build.compare(low, "uge", size)
    sides = list[SSAValue]()
    if below:
        sides.append(build.compare(low, "slt", 0))
    if beyond:
        sides.append(build.compare(high, "sge", size))
    return build.any_of(sides)


def _parents(op: Operation) -> Sequence[Operation]:
    parents = list[Operation]()
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, func.FuncOp):
        parents.append(parent)
        parent = parent.parent_op()
    return parents
