"""Folds that write or accumulate at positions that may meet, by reductions of segments."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.phi.loops.summary import Accumulation, Scatter
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.raise_writes.elements import Elements, Values
from ein_mlir.rewriting.phi.builders import chosen, comprehension, integer
from ein_mlir.rewriting.phi.step_values import combined


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
            return comprehension(
                build, sizes, lambda inner, own: self._last(inner, last, indices, own, values)
            )
        row = self._write.row
        if row is None:
            totals = self._segments(build, found.links[0].kind, values, sizes)
        else:
            rows = [self._size(build, first + count + k) for k in range(len(row.indices))]
            totals = comprehension(
                build,
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
            old = inner.insert(phi.GetOp(self._op.init, [*indices, *own]))
            total = inner.insert(phi.GetOp(totals, [*own[count:], *own[:count]]))
            return combined(inner, found.links[0], old.result, total.result)

        return comprehension(build, sizes, element)

    def _segments(
        self, build: Builder, kind: str, values: Values, sizes: Sequence[SSAValue]
    ) -> SSAValue:
        """The reductions of the values of the steps by their positions."""
        body = Block(arg_types=(IndexType(),))
        body.args[0].name_hint = self._op.counter.name_hint
        inner = Builder(InsertPoint.at_end(body))
        step = inner.insert(arith.IndexCastOp(body.args[0], i64)).result
        known = {**values, self._op.counter: step}
        keys = self._values.computed(inner, self._write.positions, known)
        if self._write.tests:
            tests = self._values.tests(inner, self._write.tests, known)
            keys[0] = chosen(inner, tests, keys[0], integer(inner, -1))
        value = step
        if isinstance(self._found, Accumulation):
            value = self._values.terms(inner, self._found.links, known).total()
        record = inner.insert(phi.TupleOp([*keys, value])).result
        inner.insert(phi.YieldOp(record))
        type_ = phi.struct_of_arrays(phi.vec_of(record.type))
        elements = build.insert(phi.ArrayOp([self._op.count], Region(body), type_))
        *columns, reduced = (
            build.insert(phi.ProjOp(elements, field)).result for field in range(len(keys) + 1)
        )
        return build.insert(phi.SegmentReduceOp(kind, reduced, columns, sizes)).result

    def _last(
        self,
        build: Builder,
        last: SSAValue,
        before: Sequence[SSAValue],
        own: Sequence[SSAValue],
        values: Values,
    ) -> SSAValue:
        """The value of the last step that writes an element, or the initial one."""
        step = build.insert(phi.GetOp(last, own)).result
        is_written = build.insert(arith.CmpiOp(step, integer(build, 0), "sge")).result
        known = {**values, self._op.counter: step}
        (value,) = self._values.computed(build, [self._write.update.value], known)
        return self._chosen(build, [Test(is_written, True)], value, [*before, *own])
