"""Loops of rows of several lengths, in the steps of a fold, as loops by a condition."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, takewhile

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Region, SSAValue

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import step_of
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import (
    around,
    dependents,
    inputs_of,
    is_within,
    of_kinds,
    reached,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import irregularities
from ein_mlir.rewriting.phi.insertion import Builder, named_body
from ein_mlir.rewriting.phi.replacement import replace
from ein_mlir.rewriting.phi.rows import extreme_of


def ragged_loops(op: phi.FoldOp) -> dict[phi.FoldOp, list[phi.FoldOp]]:
    """The loops in a step that are all that varies with it: of scalars, and no reductions.

    No step affects the count of another one. It is read, so the values of all steps are no more
    than what is read. Each has the folds whose counters decide its count, outermost first.
    """
    block, found = op.body.block, dict[phi.FoldOp, list[phi.FoldOp]]()
    if not any(isinstance(each, phi.FoldOp) for each in block.ops):
        return {}
    affected = dependents(block, op.accumulator)
    for each in irregularities(op):
        loop = each.op
        if not isinstance(loop, phi.FoldOp) or loop.parent is not block or each.operand != 0:
            return {}
        if loop.count in affected or not _takes_steps(loop, block):
            return {}
        if (nest := _nest_of(loop)) is None:
            return {}
        found[loop] = nest
    return found


def _takes_steps(loop: phi.FoldOp, block: Block) -> bool:
    """Whether the steps of a loop wait for each other, as many as data decide, and carry scalars.

    Counts that counters decide on are known to other passes: most are prefixes.
    """
    is_scalar = all(map(phi.is_scalar_type, leaf_types(loop.init.type)))
    if loop.irregular is not None or step_of(loop) is not None or not is_scalar:
        return False
    return any(isinstance(each, phi.GetOp) for each in slice_of(block, [loop.count]))


def check_count(loop: phi.FoldOp, nest: Sequence[phi.FoldOp]) -> SSAValue:
    """The count of a loop in the steps of a nest; a negative one is that of a fold before it."""
    build = Builder.before(nest[0])
    least = extreme_of(build, nest, loop.count, arith.MinSIOp)
    names = [loop.counter, loop.accumulator]
    none = build.fold_over(least, build.integer(0), lambda _, counter, zero: zero, names)
    return Builder.before(loop).add(loop.count, none)


def _nest_of(loop: phi.FoldOp) -> list[phi.FoldOp] | None:
    """The folds whose counters decide the count of a loop in their steps, outermost first.

    None if what they carry decides it, too, or a step may raise an error before.
    """
    outer = list(takewhile(lambda op: isinstance(op, phi.FoldOp), around(loop.parent_op())))
    folds = of_kinds(reversed(outer), phi.FoldOp)

    def sources(value: SSAValue) -> list[SSAValue]:
        return [each for each in inputs_of(value) if is_within(each, folds[0])]

    behind = set(reached([loop.count], sources))
    nest = list(dropwhile(lambda fold: fold.counter not in behind, folds))
    owners = [value.owner for value in behind - {fold.counter for fold in nest}]
    known = not any(isinstance(each, Block) or may_fail(each) for each in owners)
    is_regular = not any(is_within(fold.count, nest[0]) for fold in nest[1:])
    return nest if known and is_regular else None


def loop_by_condition(loop: phi.FoldOp, count: SSAValue) -> None:
    """``fold (k < n, y = x) { e }  -->  while ((more, k, y) = (0 < n, 0, x)) { k + 1 < n, .. }``"""
    build = Builder.before(loop)

    def state(inner: Builder, number: SSAValue, value: SSAValue) -> SSAValue:
        more = inner.compare(number, "slt", count)
        return inner.tuple([more, inner.tuple([number, value])])

    start = state(build, build.integer(0), loop.init)
    body = named_body((i64, start.type), [loop.counter])
    inner = Builder.at_end(body)
    number, value = (inner.proj(inner.proj(body.args[1], 1), k) for k in range(2))
    for old, new in zip(loop.body.block.args, (number, value), strict=True):
        old.replace_all_uses_with(new)
    after = loop.yielded()
    inner.move(*list(loop.body.block.ops)[:-1])
    inner.yield_(state(inner, inner.add(number, inner.integer(1)), after))
    last = build.emit(phi.WhileOp(build.integer(MOST), start, Region(body)))
    result = build.proj(build.proj(last, 1), 1)
    replace(loop, result)
