"""Searches among selected elements, for all indices of the selection at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.searches import SelectedSearch
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.reductions import SEARCHES, kind_of, worst
from ein_mlir.rewriting.phi.builders import (
    Contributions,
    Emitter,
    accumulation,
    chosen,
    comprehension,
    integer,
)
from ein_mlir.rewriting.phi.reductions.searches import compared
from ein_mlir.rewriting.phi.step_values import StepValues

LARGEST = 2**63 - 1
"""The position of no element."""


class Candidates:
    """The elements of a search that some tests select, and the result for a found position."""

    def __init__(self, op: phi.FoldOp, found: SelectedSearch, tests: Sequence[Test]):
        self._op = op
        self._found = found
        self._tests = tests
        self._values = StepValues(op)
        start = worst(found.search.predicate, found.element.type)
        assert start is not None
        self._start = start

    @property
    def kind(self) -> str:
        """The kind of the reduction to the best element."""
        names = SEARCHES[self._found.search.predicate]
        return kind_of(next(op for op in names if identity(op, self._start.type)))

    def over_steps(
        self, build: Builder, element: Callable[[Builder, SSAValue], SSAValue]
    ) -> SSAValue:
        """The array of a value for each step."""

        def at(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            step = inner.insert(arith.IndexCastOp(own[0], i64)).result
            step.name_hint = self._op.counter.name_hint
            return element(inner, step)

        return comprehension(build, [self._op.count], at, [self._op.counter])

    def accumulated(
        self,
        build: Builder,
        kind: str,
        keys: Sequence[Callable[[Builder, SSAValue], SSAValue]],
        sizes: Sequence[SSAValue],
        element: Callable[[Builder, SSAValue], SSAValue],
    ) -> SSAValue:
        """The accumulation of a value of each step at some keys."""

        def at(inner: Builder, own: Sequence[SSAValue]) -> Contributions:
            step = inner.insert(arith.IndexCastOp(own[0], i64)).result
            step.name_hint = self._op.counter.name_hint
            return [([key(inner, step) for key in keys], element(inner, step))]

        return accumulation(build, [self._op.count], [(kind, sizes)], at, [self._op.counter])

    def value(self, build: Builder, value: SSAValue, step: SSAValue) -> SSAValue:
        """A value of a step."""
        return self._values.computed(build, [value], {self._op.counter: step})[0]

    def element(self, build: Builder, step: SSAValue) -> SSAValue:
        """The element of a step, or the worst one if it is NaN or not selected."""
        known: dict[SSAValue, SSAValue] = {self._op.counter: step}
        (value,) = self._values.computed(build, [self._found.element], known)
        tests = self._values.tests(build, self._tests, known)
        if isa(self._start, FloatAttr):
            is_number = build.insert(arith.CmpfOp(value, value, "ord")).result
            tests.append(Test(is_number, True))
        if not tests:
            return value
        return chosen(build, tests, value, build.insert(arith.ConstantOp(self._start)).result)

    def is_better(self, build: Builder, element: SSAValue, than: SSAValue) -> SSAValue:
        """Whether an element is better than another."""
        return compared(build, self._found.search.predicate, element, than)

    def is_equal(self, build: Builder, element: SSAValue, other: SSAValue) -> SSAValue:
        """Whether two elements are equal."""
        if isa(self._start, FloatAttr):
            return build.insert(arith.CmpfOp(element, other, "oeq")).result
        return build.insert(arith.CmpiOp(element, other, "eq")).result

    def result(self, build: Builder, position: SSAValue, best: SSAValue) -> SSAValue:
        """The values at a position, if the best element is better than the initial one."""
        search, emitter = self._found.search, Emitter()
        starts = emitter.leaves(self._op.init)
        for op in emitter.ops:
            build.insert(op)
        better = self.is_better(build, best, starts[search.best])
        leaves = list[SSAValue]()
        for number, (candidate, start) in enumerate(zip(search.candidates, starts, strict=True)):
            wanted = self._found.element if number == search.best else candidate
            value = position if wanted is self._op.counter else self.value(build, wanted, position)
            leaves.append(build.insert(arith.SelectOp(better, value, start)).result)
        emitter = Emitter()
        result = emitter.record(self._op.init.type, iter(leaves))
        for op in emitter.ops:
            build.insert(op)
        return result


def first_of_segments(
    build: Builder,
    candidates: Candidates,
    keys: Sequence[Callable[[Builder, SSAValue], SSAValue]],
    indices: Sequence[SSAValue],
    sizes: Sequence[SSAValue],
) -> SSAValue:
    """The result of a search in the segment of some keys at each index.

    The best element of each segment is a reduction, and so is the first position that has it.
    """
    elements = candidates.over_steps(build, candidates.element)

    def own(inner: Builder, step: SSAValue) -> SSAValue:
        return inner.insert(phi.GetOp(elements, [step])).result

    best = candidates.accumulated(build, candidates.kind, keys, sizes, own)

    def place(inner: Builder, step: SSAValue) -> SSAValue:
        at = [key(inner, step) for key in keys]
        most = inner.insert(phi.GetOp(best, at)).result
        is_best = candidates.is_equal(inner, own(inner, step), most)
        return inner.insert(arith.SelectOp(is_best, step, integer(inner, LARGEST))).result

    first = candidates.accumulated(build, "min", keys, sizes, place)
    position = build.insert(phi.GetOp(first, indices)).result
    return candidates.result(build, position, build.insert(phi.GetOp(best, indices)).result)


def first_of_prefix(build: Builder, candidates: Candidates, bound: SSAValue) -> SSAValue:
    """The result of a search in the elements before a position.

    It is the last position with an element that is better than all before it.
    """
    elements = candidates.over_steps(build, candidates.element)
    best = build.insert(phi.ScanOp(candidates.kind, elements)).result

    def place(inner: Builder, step: SSAValue) -> SSAValue:
        own = inner.insert(phi.GetOp(elements, [step])).result
        is_better = candidates.is_better(inner, own, inner.insert(phi.GetOp(best, [step])).result)
        return inner.insert(arith.SelectOp(is_better, step, integer(inner, -1))).result

    last = build.insert(phi.ScanOp("max", candidates.over_steps(build, place))).result
    position = build.insert(phi.GetOp(last, [bound])).result
    return candidates.result(build, position, build.insert(phi.GetOp(best, [bound])).result)
