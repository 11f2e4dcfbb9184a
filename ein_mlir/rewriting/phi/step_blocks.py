"""Folds over blocks of steps, with a fold over the steps of each block."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Region, SSAValue

from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.ranges import checked_count


def steps_of_size(build: Inserter, elements: int, lengths: Sequence[SSAValue]) -> SSAValue:
    """The number of arrays of some sizes that have a number of elements together.

    A size that a choice makes zero counts as 1: as many arrays of no elements are few blocks.
    """
    fitting = build.integer(elements)
    for length in lengths:
        is_chosen = isinstance(length.owner, arith.SelectOp)
        fitting = build.floordiv(fitting, build.max(length, 1) if is_chosen else length)
    return fitting


def block_steps(build: Inserter, count: SSAValue, fitting: SSAValue) -> SSAValue:
    """The number of steps of a block: at most the count, and at least 1."""
    return build.max(build.min(fitting, count), 1)


def number_of_blocks(build: Inserter, op: phi.FoldOp, steps: SSAValue) -> SSAValue:
    """The count of a fold over the size of a block, rounded up; the count itself if it is an error.

    The error names the counter.
    """
    total = build.add(op.count, build.sub(steps, 1))
    return checked_count(build, op.count, build.floordiv(total, steps))


def blocks_of(
    op: phi.FoldOp,
    steps: SSAValue,
    blocks: SSAValue,
    values: dict[SSAValue, SSAValue] | None = None,
) -> tuple[phi.FoldOp, phi.FoldOp]:
    """The fold over blocks of steps, and the fold over the steps of a block in it.

    The copies in that are added to ``values``.
    """
    body = Block(arg_types=(i64, op.init.type))
    inside = Builder.at_end(body)
    number, accumulator = body.args
    number.name_hint = "block" if is_size(op.count) else op.counter.name_hint
    accumulator.name_hint = op.accumulator.name_hint
    zero = inside.integer(0)
    start = inside.max(inside.mul(number, steps), zero)
    length = inside.max(inside.min(steps, inside.sub(op.count, start)), zero)
    start.name_hint, length.name_hint = "start", "length"
    inner = inside.insert(
        _shifted(op, start, length, accumulator, {} if values is None else values)
    )
    inside.yield_(inner.result)
    return phi.FoldOp(blocks, op.init, Region(body)), inner


def equal_blocks_of(
    build: Inserter, op: phi.FoldOp, steps: SSAValue
) -> list[tuple[phi.FoldOp, phi.FoldOp]]:
    """The same for blocks that have all their steps, and then for a block of the others, if any.

    The initial value of both folds is that of the fold. No block leaves the bounds.
    """
    whole = checked_count(build, op.count, build.floordiv(op.count, steps))
    first, count = build.mul(whole, steps), op.count
    rest = build.min(build.max(build.sub(count, first), 0), count)
    return [
        _blocks(op, whole, build.min(steps, count), None),
        _blocks(op, build.min(rest, 1), rest, first),
    ]


def _blocks(
    op: phi.FoldOp, count: SSAValue, length: SSAValue, first: SSAValue | None
) -> tuple[phi.FoldOp, phi.FoldOp]:
    """The fold over some blocks of a length, or over one that begins with some step."""
    body = Block(arg_types=(i64, op.init.type))
    inside = Builder.at_end(body)
    number, accumulator = body.args
    number.name_hint, accumulator.name_hint = "block", op.accumulator.name_hint
    place = inside.max(first or inside.mul(number, length), 0)
    start = inside.min(place, inside.sub(op.count, length))
    start.name_hint = "start"
    inner = inside.insert(_shifted(op, start, length, accumulator, {}))
    inside.yield_(inner.result)
    return phi.FoldOp(count, op.init, Region(body)), inner


def _shifted(
    op: phi.FoldOp,
    start: SSAValue,
    length: SSAValue,
    init: SSAValue,
    values: dict[SSAValue, SSAValue],
) -> phi.FoldOp:
    """The fold of some of the steps of a fold, from a start on."""
    body = fold_body(op, op.init.type)
    position = Builder.at_end(body).add(start, body.args[0])
    values.update({op.counter: position, op.accumulator: body.args[1]})
    body.add_ops([copy_of(inner, values) for inner in op.body.block.ops])
    fold = phi.FoldOp(length, init, Region(body))
    fold.location = op.location
    return fold
