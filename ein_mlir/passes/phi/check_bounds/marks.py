"""Marks: the values by which a program shows that a position is out of bounds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, TupleType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.demand import counts_of
from ein_mlir.analysis.phi.index_ranges import IndexRange
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder

Mark: TypeAlias = Sequence[SSAValue]
"""The fields of a mark."""


@dataclass(frozen=True)
class Access:
    """A position that may be out of bounds: its number, value, and the size of its axis."""

    number: int
    position: SSAValue
    size: SSAValue
    is_out: SSAValue


class Marking(ABC):
    """A kind of marks."""

    names_steps: bool
    """Whether a mark has the numbers of steps."""

    @abstractmethod
    def none(self, build: Builder) -> Mark:
        """The mark of no position."""

    @abstractmethod
    def of(self, build: Builder, access: Access) -> Mark:
        """The mark of a position, if it is out of bounds."""

    @abstractmethod
    def where(self, build: Builder, condition: SSAValue, mark: Mark) -> Mark:
        """A mark under a condition."""

    @abstractmethod
    def either(self, build: Builder, first: Mark, second: Mark) -> Mark:
        """The first of two marks that there is."""

    @abstractmethod
    def first(self, build: Builder, size: SSAValue, marks: Mark) -> tuple[SSAValue | None, Mark]:
        """The first mark in vectors of the fields of marks, and its index."""

    def at_step(self, mark: Mark, depth: int, step: SSAValue) -> Mark:
        """A mark with the number of a step of the loop at a depth."""
        return mark


class Flags(Marking):
    """A mark is a truth value: whether any position is out of bounds."""

    names_steps = False

    def none(self, build: Builder) -> Mark:
        return (build.constant(IntegerAttr.from_bool(False)),)

    def of(self, build: Builder, access: Access) -> Mark:
        return (access.is_out,)

    def where(self, build: Builder, condition: SSAValue, mark: Mark) -> Mark:
        return (build.and_(condition, mark[0]),)

    def either(self, build: Builder, first: Mark, second: Mark) -> Mark:
        return (build.or_(first[0], second[0]),)

    def first(self, build: Builder, size: SSAValue, marks: Mark) -> tuple[SSAValue | None, Mark]:
        """``reduce marks by |``"""
        (none,) = self.none(build)
        return None, (build.reduce(marks[0], none, arith.OrIOp),)


@dataclass
class Offenders(Marking):
    """A mark is a record of Ints: the number of an access from 1 on, the position, the size, and
    the numbers of the steps of the loops around it. The first one is 0 if there is none.
    """

    depth: int
    """The number of loops around the innermost access."""

    names_steps = True
    FIELDS = 3
    """The number of fields before the numbers of steps."""

    def none(self, build: Builder) -> Mark:
        return (build.integer(0),) * (self.FIELDS + self.depth)

    def of(self, build: Builder, access: Access) -> Mark:
        steps = (build.integer(0),) * self.depth
        mark = build.integer(access.number), access.position, access.size, *steps
        return self.where(build, access.is_out, mark)

    def where(self, build: Builder, condition: SSAValue, mark: Mark) -> Mark:
        return self._chosen(build, condition, mark, self.none(build))

    def either(self, build: Builder, first: Mark, second: Mark) -> Mark:
        return self._chosen(build, self._is_some(build, first), first, second)

    def first(self, build: Builder, size: SSAValue, marks: Mark) -> tuple[SSAValue | None, Mark]:
        """The marks at the first index at which there is one."""

        def order(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
            found = (inner.get(marks[0], indices),)
            branches = inner.integer(0), inner.integer(1)
            return inner.select(self._is_some(inner, found), *branches)

        ordered = build.comprehension([size], order)
        index = build.emit(phi.ArgreduceOp(ordered, "<"))
        return index, [build.get(mark, [index]) for mark in marks]

    def at_step(self, mark: Mark, depth: int, step: SSAValue) -> Mark:
        slot = self.FIELDS + depth
        return (*mark[:slot], step, *mark[slot + 1 :])

    def _is_some(self, build: Builder, mark: Mark) -> SSAValue:
        return build.compare(mark[0], "ne", 0)

    def _chosen(self, build: Builder, condition: SSAValue, taken: Mark, otherwise: Mark) -> Mark:
        return [build.select(condition, *fields) for fields in zip(taken, otherwise, strict=True)]


def first_of(
    build: Builder,
    sizes: Sequence[SSAValue],
    named: Mapping[int, SSAValue],
    element: Callable[[Builder, Sequence[SSAValue]], Mark],
    marking: Marking,
    depth: int,
) -> Mark:
    """The first of the marks of a comprehension over some of its indices, by their numbers."""

    def over(build: Builder, numbers: Sequence[int], values: Sequence[SSAValue]) -> Mark:
        if not numbers:
            return element(build, values)
        number, *rest = numbers
        vectors = build.comprehensions(
            [sizes[number]],
            lambda inner, own: over(inner, rest, (*values, *own)),
            [named[number]],
        )
        step, first = marking.first(build, sizes[number], vectors)
        return first if step is None else marking.at_step(first, depth + number, step)

    return over(build, list(named), ())


def first_in(build: Builder, op: phi.ArrayOp, vectors: Mark, marking: Marking, depth: int) -> Mark:
    """The first of the marks in vectors of all indices of a comprehension."""

    def element(build: Builder, values: Sequence[SSAValue]) -> Mark:
        return [build.get(vector, values) for vector in vectors]

    named = dict(enumerate(op.indices))
    return first_of(build, op.sizes, named, element, marking, depth)


def fields_of(record: SSAValue) -> list[phi.ProjOp]:
    """The reads of all fields of a record, outside of the program."""
    assert isa(record.type, TupleType)
    return [phi.ProjOp(record, number) for number in range(len(record.type.types))]


def is_positive(build: Builder, number: SSAValue) -> SSAValue:
    """``number > 0``"""
    return build.compare(number, "sgt", 0)


def has_steps(build: Builder, loop: Operation) -> SSAValue:
    """Whether the body of a loop runs."""
    counts = list(counts_of(loop))
    if isinstance(loop, phi.ReduceOp):
        counts = [build.size(loop.vec, 0)]
    elif isinstance(loop, phi.WhileOp):
        more = build.proj(loop.init, 0)
        return build.all_of([more, is_positive(build, loop.count)])
    return build.all_of([is_positive(build, count) for count in counts])


def runs(
    build: Builder, range_: IndexRange, value: Callable[[LinearForm], SSAValue]
) -> Iterator[SSAValue]:
    """Truth values that all hold if a range is not empty, given the values of forms."""
    for lower, upper in product(range_.lowers, range_.uppers):
        width = (upper - lower).known()
        if width is None or width <= 0:
            yield build.compare(value(lower), "slt", value(upper))
