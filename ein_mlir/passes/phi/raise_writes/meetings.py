"""Reads of an element that one step of a fold writes: the old one up to it, then the new one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.summary import Comprehension, Meeting
from ein_mlir.analysis.phi.loops.writes import Write
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.raise_writes.elements import Elements, Values
from ein_mlir.rewriting.phi.insertion import Builder


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
