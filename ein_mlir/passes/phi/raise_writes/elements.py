"""The array after all steps of a fold, by its rows and elements."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.loops.writes import Write
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import chosen, comprehension
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
        return comprehension(
            build,
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
            return chosen(build, tests, new, old)
        sizes = [self._size(build, len(at) + axis) for axis in range(rank)]

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            return self._chosen(inner, tests, inner.get(new, own), [*at, *own])

        return comprehension(build, sizes, element)
