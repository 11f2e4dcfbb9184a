"""The steps of a counted loop in another one, and the replacement of the loop by its fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from xdsl.dialects import arith
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.counted_loops import CountedLoop
from ein_mlir.analysis.phi.free_indices import leaf_paths
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.scopes import around
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.insertion import Builder


def folds_around(loop: CountedLoop) -> Iterator[phi.FoldOp]:
    """The folds between a loop and the operation around it that is none, innermost first."""
    for each in around(loop.op.parent_op()):
        if not isinstance(each, phi.FoldOp):
            return
        yield each


def step(
    build: Builder,
    loop: CountedLoop,
    counter: SSAValue,
    fields: Sequence[SSAValue],
    known: Mapping[SSAValue, SSAValue] = MappingProxyType({}),
) -> dict[SSAValue, SSAValue]:
    """Copies of the operations of a step, for a counter, the other fields and some known values."""
    accumulator = record(build, loop, counter, fields, condition=True)
    values: dict[SSAValue, SSAValue] = {**known, loop.op.accumulator: accumulator}
    for each in loop.op.body.block.ops:
        if not isinstance(each, phi.YieldOp):
            build.insert_copy(each, values)
    return values


def record(
    build: Builder,
    loop: CountedLoop,
    counter: SSAValue,
    fields: Sequence[SSAValue],
    *,
    condition: SSAValue | bool,
) -> SSAValue:
    """The accumulator with given fields."""
    if isinstance(condition, bool):
        condition = build.emit(arith.ConstantOp.from_int_and_width(condition, 1))
    known = {(0,): condition, loop.counter: counter}
    known |= dict(zip(loop.fields, fields, strict=True))
    type_ = loop.op.init.type
    return build.record(type_, [known[path] for path in leaf_paths(type_)])


def replace(
    loop: CountedLoop, build: Builder, fields: Sequence[SSAValue], forms: IndexForms
) -> None:
    """Replace a loop, given the final values of its fields; the counter ends at ``max(p, n)``."""
    end = build.max(loop.start, loop.end)
    result = record(build, loop, end, fields, condition=False)
    forms.free.inherit(result, loop.op.result)
    Rewriter.replace_op(loop.op, (), (result,))


def resume(
    loop: CountedLoop,
    build: Builder,
    counter: SSAValue,
    fields: Sequence[SSAValue],
    forms: IndexForms,
) -> None:
    """Replace a loop by its rest, given the counter and the other fields after some steps."""
    init = record(build, loop, counter, fields, condition=build.compare(counter, "slt", loop.end))
    rest = build.insert(phi.WhileOp(loop.op.count, init, loop.op.body.clone()))
    leaves = dict(zip(leaf_paths(init.type), build.leaves(rest.result), strict=True))
    replace(loop, build, [leaves[path] for path in loop.fields], forms)
