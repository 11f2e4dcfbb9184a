"""The groups of operations that are tiled together along a common axis.

There are three steps, each one walk over the operations:

1. Each operation is *marked* with an axis of its result, from users to operands: the axis along
   which its users need it, or else the one along which most of its operands are parallel too.
2. Each operation gets a *stage*. A user of a marked value that needs it whole, or along another
   axis, is in a later stage, because it has to wait for all blocks.
3. Marked operations of a stage that use each other are a *group*. Stages ensure that no path leaves
   a group and returns to it, so the group can become one operation.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.disjoint_set import DisjointSet

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import is_within, operands_within
from ein_mlir.analysis.yarr.counted_conditions import counted_condition
from ein_mlir.analysis.yarr.found_positions import found_position
from ein_mlir.analysis.yarr.parallel_axes import (
    Demand,
    FoldCuts,
    fold_cuts,
    is_cheap,
    is_generated,
    is_one_pass,
    operand_cuts,
    origin_of_size,
    static_size,
)
from ein_mlir.analysis.yarr.shifted_keys import behind_shifted_keys
from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.constants import constant_value
from ein_mlir.dialects.yarr.integers import is_at_most_one
from ein_mlir.host.dataclass import dataclass

LOOKAHEAD = 64
"""The maximal number of counted passes in the choice of an axis without a demand of a user."""

FEWEST_PASSES = 4
"""Three passes over large arrays cost about as much as the calls for each block."""

SMALL = 4096
"""Arrays with fewer elements, by their type, stay in the cache anyway."""

FEWEST_AXES = 2
"""The fewest axes that surrounding tiles leave whole of an array that is cut again: one row is
rarely too large."""

COPIES = (yarr.GatherOp, yarr.TakeOp, yarr.SliceOp)
"""Operations that copy elements, unless they are views."""

AxesCut: TypeAlias = Mapping[SSAValue, frozenset[int]]
"""The axes that values are already cut along; none for values that are not in it."""

OUTSIDE_OF_TILES: AxesCut = MappingProxyType({})


@dataclass(frozen=True)
class Group:
    """Operations in the order of the program, each with the demands of its blocks."""

    members: tuple[Operation, ...]
    marks: Marks


def find_groups(block: Block, cut: AxesCut) -> list[Group]:
    """The groups of a block for which tiles are profitable.

    ``cut`` holds the axes that the surrounding tiles cut values of the block along.
    """
    marks = Marks(block, cut)
    needs = {op: [*_needs(op, block, marks)] for op in block.ops}
    stages = _stages(marks, needs)
    return [
        group
        for members in _connected(marks, needs, stages)
        if is_worthwhile(group := Group(members, marks))
    ]


# Marks ----------------------------------------------------------------------------------------


class Marks:
    """The axis that each marked value of a block is cut along."""

    def __init__(self, block: Block, cut: AxesCut):
        self.axes: dict[SSAValue, int] = {}
        self.cut = cut
        self.folds: dict[Operation, FoldCuts] = {}
        self._wanted: dict[SSAValue, Counter[int]] = {}
        self._block = block
        whole = {*_invariant(block), *behind_shifted_keys(block)}
        for op in reversed(list(block.ops)):
            if op not in whole:
                self._mark(op)
        for op in block.ops:
            self._leave_outside(op)

    def is_marked(self, op: Operation) -> bool:
        """Whether an operation is to be computed in blocks."""
        return any(result in self.axes for result in op.results)

    def demands(self, op: Operation) -> list[Demand]:
        """The operands that a marked operation needs for a block, each with its cut."""
        if op in self.folds:
            return list(self.folds[op].outside)
        cuts = operand_cuts(op, self.axes[op.results[0]])
        assert cuts is not None
        return list(zip(op.operands, cuts, strict=True))

    def fuses(self, demand: Demand) -> bool:
        """Whether a value is demanded along the axis that its own operation is marked with."""
        value, cut = demand
        return cut is not None and self.axes.get(value) == cut

    def _mark(self, op: Operation) -> None:
        """Choose an axis, and record the demands on the operands."""
        if isinstance(op, yarr.FoldOp):
            if not _is_choice(op):
                self._mark_fold(op)
        elif len(op.results) == 1 and isa(op.results[0].type, TensorType):
            (result,) = op.results
            axis = self._choose(op, result) if result.first_use is not None else None
            if axis is None or is_generated(result, axis):
                return
            self.axes[result] = axis
        if self.is_marked(op):
            for value, cut in self.demands(op):
                if cut is not None:
                    self._wanted.setdefault(value, Counter())[cut] += 1

    def _choose(self, op: Operation, result: SSAValue) -> int | None:
        """The axis that most users demand, or that reaches furthest; the outermost of equals."""
        wanted = self._wanted.get(result)
        uncut = (d for d in self._uncut(result) if wanted is None or d in wanted)
        axes = [d for d in uncut if operand_cuts(op, d) is not None]
        if wanted is not None:
            return max(axes, key=lambda d: wanted[d], default=None)
        if len(axes) > 1:
            return max(axes, key=lambda d: self._reach(op, d))
        return axes[0] if axes else None

    def _mark_fold(self, op: yarr.FoldOp) -> None:
        for number, result in enumerate(op.res):
            if result.first_use is None:
                continue
            wanted = self._wanted.get(result)
            axes = self._uncut(result)
            axis = max(axes, key=wanted.__getitem__) if wanted else next(iter(axes), None)
            cuts = fold_cuts(op, number, axis) if axis is not None else None
            if cuts is not None:
                self.folds[op] = cuts
                results = zip(op.res, cuts.of_results(op), strict=True)
                self.axes.update((value, cut) for value, cut in results if cut is not None)
            return

    def rank_left(self, value: SSAValue) -> int:
        """The number of axes of a value that the surrounding tiles do not cut."""
        return yarr.rank_of(value) - len(self.cut.get(value, ()))

    def _uncut(self, value: SSAValue) -> list[int]:
        """The axes that a value can still be cut along."""
        cut = self.cut.get(value, frozenset())
        return [d for d, size in enumerate(yarr.shape_of(value)) if size != 1 and d not in cut]

    def _reach(self, op: Operation, axis: int) -> int:
        """The number of passes over arrays as large as the result that blocks along an axis cover.

        Counting ends at the same number along all axes. Views do not count: there may be more of
        them along one axis than along another.
        """
        seen, pending, rank = {(op, axis)}, [(op, axis)], yarr.rank_of(op.results[0])
        count = 0
        while pending and count < LOOKAHEAD and len(seen) < 4 * LOOKAHEAD:
            current, along = pending.pop()
            cuts = operand_cuts(current, along)
            if cuts is None:
                continue
            count += passes(current, rank)
            for operand, cut in zip(current.operands, cuts, strict=True):
                owner = operand.owner
                if (
                    cut is not None
                    and isinstance(owner, Operation)
                    and owner.parent is self._block
                    and (owner, cut) not in seen
                ):
                    seen.add((owner, cut))
                    pending.append((owner, cut))
        return min(count, LOOKAHEAD)

    def _leave_outside(self, op: Operation) -> None:
        """Unmark a view of a value that is not computed in blocks: cutting it is as cheap.

        Also from the sum of two products of matrices, which can be computed in the memory of one of
        them: blocks of both would have to wait for the last of all products. And the ones that
        a sum counts where a condition holds are not computed at all.
        """
        if (
            self.is_marked(op)
            and (is_cheap(op) or isinstance(op, yarr.RepeatOp) or self._joins_products(op))
            and not any(map(self.fuses, self.demands(op)))
        ) or (len(op.results) == 1 and _is_counted(op.results[0])):
            for result in op.results:
                self.axes.pop(result, None)

    def _joins_products(self, op: Operation) -> bool:
        """Whether an operation combines two or more products of matrices without other users."""
        return (
            isinstance(op, yarr.ElementwiseOp)
            and len(op.arguments) > 1
            and all(
                v.type == op.result.type and v.has_one_use() and self._is_sum_of_products(v.owner)
                for v in op.arguments
            )
        )

    def _is_sum_of_products(self, op: Operation | Block) -> bool:
        return isinstance(op, yarr.EinsumOp | yarr.ElementwiseOp) and (
            op.parent is self._block and not self.is_marked(op)
        )


def _is_choice(op: yarr.FoldOp) -> bool:
    """Whether a fold is one step on the accumulators of another, or none: its step has blocks."""
    return is_at_most_one(op.count) and any(isinstance(v, BlockArgument) for v in op.inits)


def _is_branch(loop: yarr.FoldOp | yarr.WhileOp) -> bool:
    """Whether a fold has one step or none, outside of other loops."""
    return (
        isinstance(loop, yarr.FoldOp)
        and is_at_most_one(loop.count)
        and isinstance(loop.parent_op(), func.FuncOp)
    )


def _is_counted(numbers: SSAValue) -> bool:
    """Whether the only reader of an array counts all ones in it, or finds a position of one."""
    use = numbers.get_user_of_unique_use()
    if use is None or (counted_condition(use) is None and found_position(use) is None):
        return False
    return not yarr.rank_of(use.results[0])


def _invariant(block: Block) -> set[Operation]:
    """The operations of a loop that compute the same in each step: they leave it as arrays.

    Those of a branch outside of other loops stay.
    """
    found, loop = set[Operation](), block.parent_op()
    if isinstance(loop, yarr.FoldOp | yarr.WhileOp) and not _is_branch(loop):
        for op in block.ops:
            values = (value for value in operands_within(op) if is_within(value, block))
            owners = [value.owner for value in values if not is_within(value, op)]
            if all(isinstance(owner, Operation) and owner in found for owner in owners):
                found.add(op)
    return found


# Stages ---------------------------------------------------------------------------------------


Needs: TypeAlias = Mapping[Operation, Sequence[tuple[Operation, bool]]]
"""The operations of a block, in order, each with those that it needs, and whether that fuses."""


def _stages(marks: Marks, needs: Needs) -> dict[Operation, int]:
    """The stage of each operation.

    Nothing moves before an assertion that guards it.
    """
    stages, earliest = dict[Operation, int](), 0
    for op, needed in needs.items():
        waits = (
            stages[producer] + (marks.is_marked(producer) and not fuses)
            for producer, fuses in needed
        )
        stages[op] = max((earliest, *waits))
        if isinstance(op, yarr.AssertEqOp | yarr.AssertSizeOp):
            earliest = stages[op]
    _delay(marks, needs, stages)
    return stages


def _needs(op: Operation, block: Block, marks: Marks) -> Iterator[tuple[Operation, bool]]:
    """The operations of a block whose results an operation reads, and whether that fuses them.

    A fold may also read values that its blocks do not need, for results without users.
    """
    demands = marks.demands(op) if marks.is_marked(op) else []
    known = {value for value, _ in demands}
    others = [(value, None) for value in operands_within(op) if value not in known]
    for demand in (*demands, *others):
        owner = demand[0].owner
        if isinstance(owner, Operation) and owner.parent is block:
            yield owner, marks.fuses(demand)


def _delay(marks: Marks, needs: Needs, stages: dict[Operation, int]) -> None:
    """Move marked operations to the stage of their users if that is legal."""
    latest = dict[Operation, int]()
    joins = dict[Operation, int]()
    for op, needed in reversed([*needs.items()]):
        if marks.is_marked(op) and joins.get(op) == latest.get(op, -1):
            stages[op] = max(stages[op], latest[op])
        for producer, fuses in needed:
            limit = stages[op] - (marks.is_marked(producer) and not fuses)
            latest[producer] = min(limit, latest.get(producer, limit))
            if fuses:
                joins[producer] = min(stages[op], joins.get(producer, stages[op]))


def _connected(
    marks: Marks, needs: Needs, stages: dict[Operation, int]
) -> list[tuple[Operation, ...]]:
    """The marked operations of a stage that use each other."""
    members = [op for op in needs if marks.is_marked(op)]
    classes = DisjointSet(members)
    for op in members:
        for producer, fuses in needs[op]:
            if fuses and stages[producer] == stages[op]:
                classes.union(op, producer)
    groups = dict[Operation, list[Operation]]()
    for op in members:
        groups.setdefault(classes.find(op), []).append(op)
    return [tuple(group) for group in groups.values()]


# Cost ----------------------------------------------------------------------------------------


def is_worthwhile(group: Group) -> bool:
    """Whether blocks are profitable: they save several passes over arrays that may be large.

    Copies of elements that nothing in the group computes save none.
    Within a block of another tile they need ``FEWEST_AXES``.
    """
    results = [result for op in group.members for result in op.results]
    rank = max(yarr.rank_of(result) for result in results if result in group.marks.axes)
    counts = {op: passes(op, rank) for op in group.members}
    return (
        sum(counts.values()) >= FEWEST_PASSES
        and any(count and not isinstance(op, COPIES) for op, count in counts.items())
        and not all(map(_is_small, results))
        and (not group.marks.cut or max(map(group.marks.rank_left, results)) >= FEWEST_AXES)
    )


def passes(op: Operation, rank: int = 0) -> int:
    """The number of passes of an operation over arrays of a rank or more, each of them a call.

    A fold counts twice: it has two steps at least, or it costs little.
    """
    match op:
        case yarr.FoldOp():
            return 2 * sum(passes(inner, rank) for inner in op.body.block.ops)
        case yarr.ElementwiseOp() if yarr.rank_of(op.result) >= rank:
            body = (inner for inner in op.body.block.ops if not isinstance(inner, yarr.YieldOp))
            return sum(not isinstance(inner, arith.ConstantOp) for inner in body)
        case yarr.ReduceOp() if yarr.rank_of(op.array) >= rank:
            return 1
        case yarr.EinsumOp() if max(map(yarr.rank_of, op.arrays)) >= rank:
            return is_one_pass(op)
        case _ if isinstance(op, COPIES) and yarr.rank_of(op.result) >= rank:
            return not is_cheap(op)
        case _:
            return 0


def _is_small(value: OpResult) -> bool:
    """Whether an array provably has few elements."""
    sizes = [_known_size(value, axis) for axis in range(yarr.rank_of(value))]
    known = [size for size in sizes if size is not None]
    return len(known) == len(sizes) and math.prod(known) < SMALL


def _known_size(value: OpResult, axis: int) -> int | None:
    """The size of an array along an axis, if it is a number."""
    origin = origin_of_size(value, axis)
    if isinstance(origin, SSAValue):
        return constant_value(origin)
    size = static_size(*origin)
    return None if size == yarr.DYNAMIC else size
