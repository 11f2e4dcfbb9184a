"""Folds whose steps write one element each, and read none of the last ones: blocks of steps."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from xdsl.dialects.builtin import TupleType
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.element_cost import short_count
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.writes import Write, readers_of, writes_of
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.builders import comprehension, copied, fold_over, linear_value
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import checked_count

LEAST = 64
"""The least number of steps of a block for which its calls take less time than they do."""


@dataclass(frozen=True)
class Lags:
    """A fold whose step k writes element ``k + offset``, and reads those at lags before it."""

    op: phi.FoldOp
    write: Write
    offset: LinearForm
    lags: Sequence[LinearForm]


def lags_of(op: phi.FoldOp, forms: IndexForms, free: FreeIndices) -> Lags | None:
    """The fold as one of lags that are the same in all steps and for all indices, if it is one."""
    is_vector = isa(op.result.type, phi.VecType) and phi.rank_of(op.result.type) == 1
    if not is_vector or isa(phi.scalar_of(op.result.type), TupleType) or op.irregular is not None:
        return None
    writes = None if short_count(op) else writes_of(op)
    if not writes or len(writes) > 1 or body_may_fail(op):
        return None
    (write,), reads = writes, list(readers_of(op, writes))
    if write.around is not None or write.tests or not reads:
        return None
    position = forms.form(write.positions[0])
    offset = position.without([op.counter])
    lags = [
        position - forms.form(read.positions[0])
        for read in reads
        if isinstance(read, phi.GetOp) and read.array is op.accumulator
    ]
    known = [lag.known() for lag in lags]
    if len(lags) < len(reads) or any(each is not None and each < LEAST for each in known):
        return None
    atoms = [atom for each in (offset, *lags) for atom in each.coefficients]
    if position != offset + LinearForm.of(op.counter) or any(
        is_within(atom, op) or free.of(atom) for atom in atoms
    ):
        return None
    size, end = forms.size(op.init, 0), forms.integer(op.count) + offset
    is_inside = size is not None and forms.is_at_most(end, size) and forms.is_nonnegative(offset)
    return Lags(op, write, offset, lags) if is_inside else None


def replace_by_blocks(found: Lags) -> None:
    """``fold (k < n, v) { v[k] := e(v[k - d]) }
    -->  fold (b < m, v) { v[p .. p + l] := array (j < l) { e(v[p + j - d]) } }``

    for blocks of as many steps as the least d. The first one is step 0 alone: reads before the
    first element clip to it. Where d is small or negative, all steps are taken one by one.
    """
    op, build = found.op, Builder.before(found.op)
    lags = [linear_value(build, lag) for lag in dict.fromkeys(found.lags)]
    shortest, offset = functools.reduce(build.min, lags), linear_value(build, found.offset)
    is_long = build.compare(shortest, "sge", LEAST)
    length = build.min(build.max(shortest, 1), build.max(op.count, 1))
    others = build.floordiv(build.add(build.sub(op.count, 2), length), length)
    blocks = build.select(is_long, build.max(build.add(others, 1), 0), 0)

    def block(inner: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
        before = inner.max(inner.sub(counter, 1), 0)
        is_first = inner.compare(counter, "eq", 0)
        first = inner.select(is_first, 0, inner.add(inner.mul(before, length), 1))
        most = inner.select(is_first, 1, length)
        number = inner.max(inner.min(most, inner.sub(op.count, first)), 0)

        def element(body: Builder, own: Sequence[SSAValue]) -> SSAValue:
            step = body.add(first, body.as_int(own[0]))
            known: dict[SSAValue, SSAValue] = {op.counter: step, op.accumulator: carried}
            return copied(body, op.body.block, [found.write.update.value], known)[0]

        new = comprehension(inner, [number], element, [op.counter])
        start = inner.add(first, offset)
        return inner.emit(phi.UpdateSliceOp(carried, start, inner.integer(1), new))

    names = op.body.block.args
    count = checked_count(build, op.count, blocks)
    rest = build.select(is_long, build.min(op.count, 0), op.count)
    op.operands[0], op.operands[1] = rest, fold_over(build, count, op.init, block, names)
