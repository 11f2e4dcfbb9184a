"""Folds that write each element at most once, as comprehensions along the written axis."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.dependence import Walk
from ein_mlir.analysis.phi.loops.summary import Comprehension, Recurrence
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_writes.elements import Elements, Values
from ein_mlir.rewriting.phi.insertion import Builder

Source: TypeAlias = Callable[[Builder, SSAValue, Sequence[SSAValue]], SSAValue]
"""Builds the new element, or row, given its number in the walk and its position."""


@dataclass(frozen=True)
class Edges:
    """Whether elements may remain before the first one of a walk, after the last, or between."""

    before: bool
    behind: bool
    between: bool

    @property
    def are_none(self) -> bool:
        """Whether the walk meets all elements."""
        return self.are_none_outside and not self.between

    @property
    def are_none_outside(self) -> bool:
        """Whether there are no elements before the first one or after the last."""
        return not self.before and not self.behind


def edges(
    op: phi.FoldOp, axis: int, walk: Walk, beyond: int, forms: IndexForms, sizes: SizeEquivalence
) -> Edges:
    """The elements that a walk of ``count + beyond`` positions may not meet."""
    count, start, step = forms.extent(op.count) + beyond, walk.start, abs(walk.stride)
    size = forms.size(op.init, axis)
    if size is None and sizes.same(op.count, Term(op.init, (), axis)):
        size = forms.extent(op.count)
    if size is None:
        return Edges(True, True, step > 1)
    if walk.stride > 0:
        first, last = -start, size - 1 - start
    else:
        first, last = start - size + 1, start
    known = forms.with_sizes([size, forms.extent(op.count)])
    if not known.is_exact(first) or not known.is_exact(last):
        return Edges(True, True, step > 1)
    is_before = not known.is_nonnegative(first)
    return Edges(is_before, not known.is_below(last, count * step), step > 1)


class Lines(Elements):
    """The construction of the written and the unchanged elements of a fold."""

    def __init__(self, op: phi.FoldOp, found: Comprehension | Recurrence, edges: Edges):
        super().__init__(op, found.write)
        self._walk = found.walk
        self._edges = edges

    def _count(self, build: Builder) -> SSAValue:
        """The number of positions in the walk."""
        return self._op.count

    def _rows(self, build: Builder, indices: Sequence[SSAValue], values: Values) -> SSAValue:
        """The array, or its row at some indices, after all steps."""
        before = self._write.positions[: self._walk.number]
        if not before:
            return self._line(build, indices, values)
        places = self._values.computed(build, before, dict(values))
        line = self._line(build, [*indices, *places], values)
        row = self._op.init
        if indices:
            row = build.get(row, indices)
        return build.update(row, places, line)

    def _line(self, build: Builder, before: Sequence[SSAValue], values: Values) -> SSAValue:
        """The elements, or rows, along the axis of the walk."""
        start = None
        if self._walk.start != LinearForm() or self._walk.stride < 0:
            start = build.linear_value(self._walk.start, lambda atom: values.get(atom, atom))
        source = self._source(build, before, values, start)

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            place = inner.as_int(own[0])
            place.name_hint = self._op.counter.name_hint
            number, tests = self._inside(inner, self._number(inner, place, start))
            at, behind = [*before, own[0]], self._behind(inner, number, values)
            new = source(inner, number, [*at, *behind])
            new = self._chosen(inner, tests, new, [*at, *behind])
            if behind:
                row = inner.get(self._op.init, at)
                new = inner.update(row, behind, new)
            return new

        return build.comprehension([self._size(build, len(before))], element)

    @abstractmethod
    def _source(
        self, build: Builder, before: Sequence[SSAValue], values: Values, start: SSAValue | None
    ) -> Source:
        """The construction of the new elements of a line; shared values are built before it."""

    def _position(self, build: Builder, number: SSAValue, start: SSAValue | None) -> SSAValue:
        """``start + stride * number``"""
        step = abs(self._walk.stride)
        if step > 1:
            number = build.mul(step, number)
        if start is None:
            return number
        operator = arith.AddiOp if self._walk.stride > 0 else arith.SubiOp
        return build.emit(operator(start, number))

    def _number(self, build: Builder, place: SSAValue, start: SSAValue | None) -> SSAValue:
        """The distance of a position from the start of the walk."""
        if start is not None:
            sides = (place, start) if self._walk.stride > 0 else (start, place)
            place = build.emit(arith.SubiOp(*sides))
        return place

    def _inside(self, build: Builder, place: SSAValue) -> tuple[SSAValue, list[Test]]:
        """The number of a position in the walk, rounded down, and the tests that it is there."""
        if not self._edges.between:
            return place, list(self._between_edges(build, place))
        step = build.integer(abs(self._walk.stride))
        rest = build.floormod(place, step)
        number = build.floordiv(place, step)
        test = build.compare(rest, "eq", 0)
        if not self._edges.are_none_outside:
            test = build.and_(test, build.compare(number, "ult", self._count(build)))
        return number, [Test(test, True)]

    def _between_edges(self, build: Builder, number: SSAValue) -> Iterator[Test]:
        """The tests that a position is neither before the walk nor after it."""
        for is_needed, predicate, end in (
            (self._edges.before, "sge", lambda: build.integer(0)),
            (self._edges.behind, "slt", lambda: self._count(build)),
        ):
            if is_needed:
                yield Test(build.compare(number, predicate, end()), True)

    def _behind(self, build: Builder, step: SSAValue, values: Values) -> list[SSAValue]:
        """The positions of a step after the one that walks."""
        behind = self._write.positions[self._walk.number + 1 :]
        return self._values.computed(build, behind, {**values, self._op.counter: step})


class Written(Lines):
    """Elements that depend on no earlier step."""

    def __init__(self, op: phi.FoldOp, found: Comprehension, edges: Edges, *, in_place: bool):
        """With ``in_place`` values are computed at their use, so that an outer fold may be raised,
        too; otherwise once for each step, and read for the written element.
        """
        super().__init__(op, found, edges)
        self._in_place = in_place or edges.are_none

    def _source(
        self, build: Builder, before: Sequence[SSAValue], values: Values, start: SSAValue | None
    ) -> Source:
        if self._in_place:
            return lambda inner, step, at: self._value(inner, step, at, values)

        def element(inner: Builder, step: SSAValue) -> SSAValue:
            place = self._position(inner, step, start)
            at = [*before, place, *self._behind(inner, step, values)]
            return self._value(inner, step, at, values)

        steps = self._values.over_steps(build, element)
        return lambda inner, step, at: inner.get(steps, [step])

    def _value(
        self, build: Builder, step: SSAValue, at: Sequence[SSAValue], values: Values
    ) -> SSAValue:
        """The value at a position after the step that writes to it."""
        known = {**values, self._op.counter: step}
        (new,) = self._values.computed(build, [self._write.update.value], known)
        tests = self._values.tests(build, self._write.tests, known)
        return self._chosen(build, tests, new, at)
