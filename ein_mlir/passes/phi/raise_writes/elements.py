"""The array after all steps of a fold, by its rows and elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.summary import Comprehension, Meeting
from ein_mlir.analysis.phi.loops.writes import Write
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import folded
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import StepValues

Values: TypeAlias = Mapping[SSAValue, SSAValue]
"""Indices of a write mapped to those of the comprehensions that replace them."""


class Elements(ABC):
    """The construction of the array after all steps of a fold."""

    def __init__(self, op: phi.FoldOp, write: Write):
        self._op = op
        self._write = write
        self._values = StepValues(op, write.bodies)

    def result(self, build: Builder) -> SSAValue:
        """Build the array."""
        indices = self._write.indices
        if not indices:
            return self._rows(build, [], {})
        sizes = [self._size(build, axis) for axis in range(len(indices))]
        return build.comprehension(
            sizes,
            lambda inner, own: self._rows(inner, own, dict(zip(indices, own, strict=True))),
            indices,
        )

    @abstractmethod
    def _rows(self, build: Builder, indices: Sequence[SSAValue], values: Values) -> SSAValue:
        """The array, or its row at the indices of the comprehension around a write."""

    def _size(self, build: Builder, axis: int) -> SSAValue:
        return build.size(self._op.init, axis)

    def _chosen(
        self, build: Builder, tests: Sequence[Test], new: SSAValue, at: Sequence[SSAValue]
    ) -> SSAValue:
        """A value if tests hold, otherwise the initial value at a position."""
        rank = phi.rank_of(new.type)
        if not tests:
            return new
        if not rank:
            old = build.get(self._op.init, at)
            return build.chosen(tests, new, old)
        sizes = [self._size(build, len(at) + axis) for axis in range(rank)]

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            return self._chosen(inner, tests, inner.get(new, own), [*at, *own])

        return build.comprehension(sizes, element)


def element_after(build: Builder, op: phi.FoldOp, write: Write) -> SSAValue:
    """``fold (v = a) { v[p] := e }  -->  a[p] := fold (x = a[p]) { e }``, with x for v[p] in e."""
    places = build.copied(op.body.block, write.positions, {})
    start = build.get(op.init, places)

    def step(inner: Builder, counter: SSAValue, element: SSAValue) -> SSAValue:
        known: dict[SSAValue, SSAValue] = {op.counter: counter}
        (value,) = inner.copied(op.body.block, [write.update.value], known)
        tests = inner.copied_tests(op.body.block, write.tests, known)
        return inner.chosen(tests, value, element)

    fold = build.insert(folded(op, start, step))
    _read_element(fold.body.block, op, fold.accumulator, len(places))
    return build.update(op.init, places, fold.result)


def _read_element(body: Block, op: phi.FoldOp, element: SSAValue, depth: int) -> None:
    """Replace reads in a copy of a step by the element at ``depth`` positions, or initial sizes."""
    readers = [inner for inner in body.walk() if op.accumulator in inner.operands]
    for inner in readers:
        if isinstance(inner, phi.SizeOp):
            inner.operands[0] = op.init
        elif len(rest := inner.operands[1 + depth :]):
            Rewriter.replace_op(inner, phi.GetOp(element, rest))
        else:
            Rewriter.replace_op(inner, (), (element,))


def split_at(op: phi.FoldOp, found: Comprehension, meeting: Meeting, forms: IndexForms) -> None:
    """``fold (k < n, v = a) { v[k] := f(v[p]) }``  -->
    ``fold (k < n, v = a) { v[k] := f(select (k <= p, a[p], f(a[p]))) }``

    In step p itself the element is the initial one.
    """
    before = Builder.before(op)
    step = before.linear_value(meeting.step)
    written = _Written(op, found.write, step).result(before)
    start = Builder.before(op.body.block.first_op or op)
    is_safe = forms.is_nonnegative(meeting.step)
    is_old = start.compare(op.counter, "sle" if is_safe else "ule", step)
    for read in meeting.reads:
        build, rest = Builder.before(read), read.positions[found.write.depth :]
        own = [*read.positions[: len(found.write.indices)], *rest]
        old = build.get(op.init, read.positions)
        new = build.get(written, own) if own else written
        Rewriter.replace_op(read, (), (build.select(is_old, old, new),))


class _Written(Elements):
    """The element, or row, that a step writes, for all indices around the write."""

    def __init__(self, op: phi.FoldOp, write: Write, step: SSAValue):
        super().__init__(op, write)
        self._step = step

    def _rows(self, build: Builder, indices: Sequence[SSAValue], values: Values) -> SSAValue:
        known = {**values, self._op.counter: self._step}
        places = self._values.computed(build, self._write.positions, known)
        (new,) = self._values.computed(build, [self._write.update.value], known)
        tests = self._values.tests(build, self._write.tests, known)
        return self._chosen(build, tests, new, [*indices, *places])
