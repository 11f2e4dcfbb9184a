"""``tile-parallel-axes``: groups of whole-array operations run block by block."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from xdsl.dialects import func
from xdsl.ir import Block, Operation, Use
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import around, operands_within
from ein_mlir.dialects import yarr
from ein_mlir.dialects.creation import copy_of
from ein_mlir.passes.yarr.tile_parallel_axes.build import TileBuilder
from ein_mlir.passes.yarr.tile_parallel_axes.groups import (
    FEWEST_AXES,
    OUTSIDE_OF_TILES,
    AxesCut,
    Group,
    find_groups,
)
from ein_mlir.passes.yarr.tile_parallel_axes.recomputation import recompute
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass


def tile_block(block: Block) -> None:
    """Replace the groups of a block, and of the loops left in it, by tiles."""
    _replace_groups(block, OUTSIDE_OF_TILES)
    for op in block.ops:
        if isinstance(op, yarr.FoldOp):
            tile_block(op.body.block)


def _replace_groups(block: Block, cut: AxesCut) -> None:
    """Replace the groups of a block by tiles, also the groups along other axes in their bodies."""
    groups = find_groups(block, cut)
    if recompute(groups):
        groups = find_groups(block, cut)
    if not groups:
        return
    _gather(block, groups)
    for group in reversed(_in_order(block, groups)):
        _replace(group)
    _erase_unused(block)


def _gather(block: Block, groups: Sequence[Group]) -> None:
    """Reorder a block so that the operations of a group are adjacent.

    Operations move only down: after the last one of the group that they belong to or depend on.
    """
    ops = list(block.ops)
    units = {op: group.members for group in groups for op in group.members}
    positions = {op: position for position, op in enumerate(ops)}
    unit_of = {op: units.get(op, (op,)) for op in ops}
    waiting, users = dict[Operation, int](), dict[Operation, list[Operation]]()
    for op in ops:
        if op is not unit_of[op][-1]:
            continue
        needed = {
            unit_of[v.owner][-1]
            for member in unit_of[op]
            for v in operands_within(member)
            if isinstance(v.owner, Operation) and v.owner.parent is block
        } - {op}
        waiting[op] = len(needed)
        for producer in needed:
            users.setdefault(producer, []).append(op)
    ready = [positions[op] for op, count in waiting.items() if not count]
    heapify(ready)
    for op in ops:
        op.detach()
    while ready:
        op = ops[heappop(ready)]
        block.add_ops(unit_of[op])
        for user in users.get(op, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heappush(ready, positions[user])


def _in_order(block: Block, groups: Sequence[Group]) -> list[Group]:
    """The groups in their order in a block."""
    first = {group.members[0]: group for group in groups}
    return [first[op] for op in block.ops if op in first]


def _replace(group: Group) -> None:
    """Replace a group by a tile; the groups that use its results are already replaced."""
    _leave_views_outside(group)
    builder = TileBuilder(group)
    operations, replaced = builder.build()
    Rewriter.insert_op(operations, InsertPoint.before(group.members[0]))
    for old, new in zip(replaced, operations[-1].results, strict=True):
        old.replace_all_uses_with(new)
    for op in reversed(group.members):
        op.detach()
        op.erase()
    tile = operations[-1]
    assert isinstance(tile, yarr.TileOp)
    cut = builder.axes_cut()
    if any(yarr.rank_of(value) - len(axes) >= FEWEST_AXES for value, axes in cut.items()):
        _replace_groups(tile.body.block, cut)


def _leave_views_outside(group: Group) -> None:
    """Let users of a view outside of a group read one of the array, which blocks may store too."""
    members = set(group.members)

    def is_outside(use: Use) -> bool:
        return members.isdisjoint(around(use.operation))

    for op in reversed(group.members):
        is_view = isinstance(op, yarr.TransposeOp | yarr.UnsqueezeOp | yarr.SqueezeOp)
        if is_view and any(map(is_outside, op.result.uses)):
            view = copy_of(op)
            Rewriter.insert_op(view, InsertPoint.after(group.members[-1]))
            op.result.replace_uses_with_if(view.result, is_outside)


def _erase_unused(block: Block) -> None:
    """Erase operations that only groups used, and that their tiles repeat on blocks."""
    for op in reversed(list(block.ops)):
        if isinstance(op, yarr.RangeOp | yarr.RepeatOp | yarr.UnsqueezeOp) and not any(
            result.uses for result in op.results
        ):
            op.detach()
            op.erase()


class TileParallelAxesPass(FunctionPass):
    """Runs operations on large arrays block by block, so that temporaries stay in the cache.

    Operations are tiled together if they are parallel along one axis (see
    ``analysis/yarr/parallel_axes.py``) and use each other's results: elementwise operations,
    reductions of other axes, gathers, folds whose steps are parallel, stacks of products of
    matrices, and contractions that read an array once. Products of matrices stay whole, and so do
    views of values that are not computed in blocks; the tile cuts them. In blocks with two or more
    further axes, tiles along these are formed again.

    Before::

        %s = yarr.elementwise { arith.addf } %a, %b : ...
        %t = yarr.elementwise { arith.mulf } %s, %a : ...
        %u = yarr.elementwise { math.exp } %t : ...
        %c = yarr.elementwise { math.sqrt } %u : (tensor<?xf64>) -> tensor<?xf64>

    After::

        %n = yarr.size %a, 0 : tensor<?xf64>
        %c = yarr.tile (%start, %length of %n, %x = %a along 0, %y = %b along 0)
          : (tensor<?xf64>, tensor<?xf64>) -> (tensor<?xf64> along 0) {
          %0 = yarr.elementwise { arith.addf } %x, %y : ...
          %1 = yarr.elementwise { arith.mulf } %0, %x : ...
          %2 = yarr.elementwise { math.exp } %1 : ...
          %3 = yarr.elementwise { math.sqrt } %2 : (tensor<?xf64>) -> tensor<?xf64>
          yarr.yield %3 : tensor<?xf64>
        }

    A group that reads many arrays of another one computes them again, if that takes less time than
    to store them: in the gradient of a filter, the weights of all neighbours.

    Groups of few operations gain nothing and are unchanged. Values do not change: each position of
    the axis is computed as before.
    """

    name = "tile-parallel-axes"

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        erase_unused(function.body.block)  # dead code would form groups without results
        tile_block(function.body.block)
