"""Loops that carry the sizes of their arrays, where steps change these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.searches import field_of
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.fields import extended
from ein_mlir.rewriting.phi.insertion import Builder

Place: TypeAlias = tuple[int, int]
"""A leaf of an accumulator, and an axis of it."""


def size_reads(op: phi.FoldOp, places: Sequence[Place]) -> dict[SSAValue, int]:
    """The reads of sizes at some places of the accumulator in the body, with the place's number."""
    found = dict[SSAValue, int]()
    for each in op.body.block.walk():
        if isinstance(each, phi.SizeOp):
            leaf = field_of(each.array, op.accumulator)
            if leaf is not None and (leaf, each.axis.value.data) in places:
                found[each.result] = places.index((leaf, each.axis.value.data))
    return found


def size_of(build: Builder, array: SSAValue, axis: int) -> SSAValue:
    """The size of an array as the operation defines it that makes the array."""
    op = array.owner
    if isinstance(op, phi.ConcatOp) and axis == 0:
        if op.size is not None:
            return op.size
        return build.add(size_of(build, op.lhs, 0), size_of(build, op.rhs, 0))
    if isinstance(op, phi.ScanOp) and axis == 0:
        return build.add(size_of(build, op.vec, 0), 1)
    if isinstance(op, phi.PhiOp) and not isinstance(op, phi.FoldOp):
        term = op.size_of_result((), axis)
        if term is not None and term.axis is None:
            return term.value
        if term is not None and not term.path:
            return size_of(build, term.value, term.axis or 0)
    return build.size(array, axis)


def carrying_sizes(
    op: phi.FoldOp, places: Sequence[Place], first: Sequence[SSAValue]
) -> phi.FoldOp:
    """A loop before a fold that takes its steps, and also carries sizes, given the first ones: its
    last fields are the largest size at each place, and then those after the last step.
    """
    loop = Builder.before(op).insert(op.clone())
    block = loop.body.block
    end = Builder.before_end(block)
    after = end.leaves(loop.yielded())
    following = [size_of(end, after[leaf], axis) for leaf, axis in places]
    most, sizes = ([block.insert_arg(i64, len(block.args)) for _ in places] for _ in range(2))
    largest = [end.max(old, new) for old, new in zip(most, following, strict=True)]
    for read, number in size_reads(loop, places).items():
        read.replace_all_uses_with(sizes[number])
    new = extended(loop, [*most, *sizes], [*first, *first], [*largest, *following])
    Rewriter.erase_op(loop)
    assert isinstance(new, phi.FoldOp)
    return new
