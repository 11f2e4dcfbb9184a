"""The array after all steps of a fold, by its rows and elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter

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
