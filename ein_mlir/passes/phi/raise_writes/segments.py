"""Folds that write or accumulate at positions that may meet, by reductions of segments."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.loops.combinations import Link
from ein_mlir.analysis.phi.loops.summary import Accumulation, Overlay, Scatter
from ein_mlir.analysis.phi.loops.writes import Write
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.raise_writes.elements import Elements, Values
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import Known, StepValues, combined


class Segments(Elements):
    """The construction of an array whose elements are the segments of the steps that write them."""

    def __init__(self, op: phi.FoldOp, found: Scatter | Accumulation):
        super().__init__(op, found.write)
        self._found = found

    def _rows(self, build: Builder, indices: Sequence[SSAValue], values: Values) -> SSAValue:
        """The array along the axes of the positions, or its part at some indices."""
        count, first = len(self._write.positions), len(indices)
        sizes = [self._size(build, first + axis) for axis in range(count)]
        found = self._found
        if isinstance(found, Scatter):
            last = self._segments(build, "max", values, sizes)
            return build.comprehension(
                sizes, lambda inner, own: self._last(inner, last, indices, own, values)
            )
        row = self._write.row
        if row is None:
            totals = self._segments(build, found.links[0].kind, values, sizes)
        else:
            rows = [self._size(build, first + count + k) for k in range(len(row.indices))]
            totals = build.comprehension(
                rows,
                lambda inner, own: self._segments(
                    inner,
                    found.links[0].kind,
                    {**values, **dict(zip(row.indices, own, strict=True))},
                    sizes,
                ),
                row.indices,
            )
            sizes = [*sizes, *rows]

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            old = inner.get(self._op.init, [*indices, *own])
            total = inner.get(totals, [*own[count:], *own[:count]])
            return combined(inner, found.links[0], old, total)

        return build.comprehension(sizes, element)

    def _segments(
        self, build: Builder, kind: str, values: Values, sizes: Sequence[SSAValue]
    ) -> SSAValue:
        """The reductions of the values of the steps by their positions."""
        links = self._found.links if isinstance(self._found, Accumulation) else ()
        return segments(build, self._op, self._write, links, kind, values, sizes)

    def _last(
        self,
        build: Builder,
        last: SSAValue,
        before: Sequence[SSAValue],
        own: Sequence[SSAValue],
        values: Values,
    ) -> SSAValue:
        """The value of the last step that writes an element, or the initial one."""
        step = build.get(last, own)
        is_written = build.compare(step, "sge", 0)
        value = self._values.value(build, self._write.update.value, step, values)
        return self._chosen(build, [Test(is_written, True)], value, [*before, *own])


class Overlaid:
    """The construction of an array whose elements are those of the last write."""

    def __init__(self, op: phi.FoldOp, found: Overlay):
        self._op = op
        self._writes = found.writes
        self._values = StepValues(op)

    def result(self, build: Builder) -> SSAValue:
        """Build the array."""
        sizes = build.sizes_of(self._op.init)
        lasts = [segments(build, self._op, write, (), "max", {}, sizes) for write in self._writes]

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            value = inner.get(self._op.init, own)
            latest = inner.integer(0)
            for write, last in zip(self._writes, lasts, strict=True):
                step = inner.get(last, own)
                new = self._values.value(inner, write.update.value, step)
                is_later = inner.compare(step, "sge", latest)
                value = inner.select(is_later, new, value)
                latest = inner.max(latest, step)
            return value

        return build.comprehension(sizes, element)


def segments(
    build: Builder,
    op: phi.FoldOp,
    write: Write,
    links: Sequence[Link],
    kind: str,
    values: Values,
    sizes: Sequence[SSAValue],
) -> SSAValue:
    """The reductions of the terms of links, or of the steps, by the positions of a write."""
    copies = StepValues(op, write.bodies)

    def contribution(inner: Builder, step: SSAValue) -> tuple[list[SSAValue], SSAValue]:
        known = {**values, op.counter: step}
        keys = _positions_in_step(inner, copies, write, known)
        return keys, copies.terms(inner, links, known).total() if links else step

    return copies.accumulated(build, kind, sizes, contribution)


def _positions_in_step(
    build: Builder, values: StepValues, write: Write, known: Known
) -> list[SSAValue]:
    """The positions of a write in a step; none of an array if a test fails."""
    keys = values.computed(build, write.positions, known)
    if write.tests:
        tests = values.tests(build, write.tests, known)
        keys[0] = build.chosen(tests, keys[0], -1)
    return keys
