"""Parallel axes: the axes of its operands along which an operation works position by position.

An operation is *parallel* along an axis of its result if the elements at a position of that axis
depend on each operand either at the same position of one of its axes only, or as a whole. Then a
block of the result can be computed from blocks of the operands::

    elementwise    a, b -> c         axis d of c:  axis d of a and b, all of one of size 1 there
    reduce         a -> s            the axis of a that becomes axis d of s
    transpose      a -> t            axis permutation[d] of a
    take, gather   a, p -> r         an axis of a with all of p, or an axis of p with all of a;
                                     not that of a rotation, which is copied in two parts
    einsum         a, b -> c         an axis that a and b have too; any, if a has all axes
    in_order       a of f, g -> a    the axis of a, and those of its letter in the factors
    fold           inits -> results  the axis along which every step keeps an accumulator parallel
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.analysis.yarr.rotations import rotation
from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.contractions import letters_of_factors
from ein_mlir.host.dataclass import dataclass

Cut: TypeAlias = int | None
"""The axis that a value is cut along; None if it is needed as a whole."""

Demand: TypeAlias = tuple[SSAValue, Cut]
"""A value and its cut."""

VIEWS = (
    yarr.SliceOp,
    yarr.SqueezeOp,
    yarr.TransposeOp,
    yarr.UnsqueezeOp,
)
"""Operations that copy no elements, except for a slice that is clipped."""


def operand_cuts(op: Operation, axis: int) -> list[Cut] | None:
    """The cuts of the operands for a block of the result along an axis; None if not parallel.

    A fold has its own rule, see ``FoldCuts``.
    """
    return None if _goes_around(op, axis) else operand_axes(op, axis)


def _goes_around(op: Operation, axis: int) -> bool:
    """Whether the positions along an axis are a rotation, which is two slices if it is not cut."""
    match op:
        case yarr.TakeOp():
            first = op.axis.value.data
            return first <= axis < first + yarr.rank_of(op.position) and bool(rotation(op.position))
        case yarr.GatherOp():
            return axis < yarr.rank_of(op.positions[0]) and all(map(rotation, op.positions))
        case _:
            return False


def operand_axes(op: Operation, axis: int) -> list[Cut] | None:
    """The axes of the operands along which a block of the result reads blocks; None if unknown."""
    match op:
        case yarr.ElementwiseOp():
            return [None if yarr.shape_of(v)[axis] == 1 else axis for v in op.arguments]
        case yarr.ReduceOp():
            kept = [d for d in range(yarr.rank_of(op.array)) if d not in op.axes]
            return [kept[axis]]
        case yarr.TransposeOp():
            return [op.axes[axis]]
        case yarr.UnsqueezeOp():
            return [axis - sum(d < axis for d in op.axes)] if axis not in op.axes else None
        case yarr.SqueezeOp():
            kept = [d for d in range(yarr.rank_of(op.array)) if d not in op.axes]
            return [kept[axis]]
        case yarr.RepeatOp():
            return [None if op.axis.value.data == axis else axis, None]
        case yarr.RangeOp():
            return [None]
        case yarr.SliceOp():
            return [axis, None, None] if op.axis.value.data != axis else None
        case yarr.TakeOp():
            return _take(op, axis)
        case yarr.GatherOp():
            return _gather(op, axis)
        case yarr.EinsumOp():
            return _einsum(op, axis)
        case yarr.InOrderOp():
            return _sum_in_order(op, axis)
        case _:
            return None


def _take(op: yarr.TakeOp, axis: int) -> list[Cut] | None:
    taken, rank = op.axis.value.data, yarr.rank_of(op.position)
    if axis < taken:
        return [axis, None]
    if axis < taken + rank:
        return [None, axis - taken]
    return [axis - rank + 1, None]


def _gather(op: yarr.GatherOp, axis: int) -> list[Cut] | None:
    rank = yarr.rank_of(op.positions[0])
    if axis >= rank:
        return [axis - rank + len(op.positions), *(None for _ in op.positions)]
    return [None, *(None if yarr.shape_of(p)[axis] == 1 else axis for p in op.positions)]


def _einsum(op: yarr.EinsumOp, axis: int) -> list[Cut] | None:
    """The cuts along an axis of a stack of products, or of a contraction with one pass.

    The rows of a matrix product are not cut, as each block of them would read the other matrix.
    """
    inputs, output = yarr.split_subscripts(op.subscripts.data)
    letter = output[axis]
    if any(side.count(letter) > 1 for side in inputs):
        return None
    is_stacked = all(letter in side for side in inputs)
    if not is_stacked and not is_one_pass(op):
        return None
    return [side.index(letter) if letter in side else None for side in inputs]


def _sum_in_order(op: yarr.InOrderOp, axis: int) -> list[Cut] | None:
    """The cuts along an axis of a sum of products, if what is tested is a part of it."""
    output, parts = yarr.ordered_products(op.subscripts.data)
    names = [each.removeprefix(yarr.DIVIDES) for each in letters_of_factors(parts)]
    letter, cuts = output[axis], dict[SSAValue, Cut]({op.array: axis})
    for factor, each in zip(op.factors, names, strict=True):
        own = [d for d, size in enumerate(yarr.shape_of(factor)) if each[d] == letter and size != 1]
        cut = next(iter(own), None)
        if len(own) > 1 or cuts.setdefault(factor, cut) != cut:
            return None
    found = [cuts.get(each) for each in op.operands]
    return found if cuts.keys() >= {*op.operands} else None


def is_one_pass(op: yarr.EinsumOp) -> bool:
    """Whether a contraction has one product for each element of an operand.

    It then takes the time of reading that operand: ``ij,j->i``, but not ``ij,jk->ik``.
    """
    inputs, _ = yarr.split_subscripts(op.subscripts.data)
    letters = {letter for side in inputs for letter in side}
    return any(len(side) == len(letters) for side in inputs)


def is_cheap(op: Operation) -> bool:
    """Whether repeating an operation for each block is cheap: a view, or work on a scalar."""
    match op:
        case yarr.SliceOp():
            return op.clip is None
        case yarr.SqueezeOp() | yarr.TransposeOp() | yarr.UnsqueezeOp():
            return True
        case yarr.TakeOp():
            return yarr.rank_of(op.position) == 0
        case yarr.ElementwiseOp() | arith.ConstantOp():
            return all(size == 1 for size in yarr.shape_of(op.results[0]))
        case _:
            return False


def is_generated(value: SSAValue, axis: int) -> bool:
    """Whether blocks of a value read no array: repeated scalars, positions, their views."""
    while True:
        op = value.owner
        match op:
            case yarr.RangeOp():
                return True
            case yarr.RepeatOp() if op.axis.value.data == axis:
                return all(size == 1 for size in yarr.shape_of(_unrepeated(op.array)))
            case yarr.RepeatOp() | yarr.UnsqueezeOp() | yarr.SqueezeOp() | yarr.TransposeOp():
                cuts = operand_cuts(op, axis)
                if cuts is None or cuts[0] is None:
                    return False
                value, axis = op.operands[0], cuts[0]
            case _:
                return False


def _unrepeated(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, yarr.RepeatOp):
        value = value.owner.array
    return value


# Folds ----------------------------------------------------------------------------------------


@dataclass
class FoldCuts:
    """The cuts of the values in a fold for a block of its results.

    ``cuts`` holds the cuts of each value that the body defines: one for its accumulators and those
    of inner folds, one or two for other values. ``outside`` holds the demands on captured values.
    """

    cuts: dict[SSAValue, list[Cut]] = field(default_factory=dict[SSAValue, list[Cut]])
    outside: dict[Demand, None] = field(default_factory=dict[Demand, None])

    def of_results(self, fold: yarr.FoldOp) -> list[Cut]:
        """The cut of each result; None for one that is not needed."""
        return [self.cuts[a][0] if a in self.cuts else None for a in fold.accumulators]


def fold_cuts(fold: yarr.FoldOp, number: int, axis: int) -> FoldCuts | None:
    """The cuts of a fold for a block of one of its results along an axis; None if not parallel.

    If it is parallel, all used results are parallel along axes of one size, no step changes a size,
    and only views and scalars are needed as a whole. A fold with assertions is not parallel:
    assertions stay outside of blocks.
    """
    if any(isinstance(op, yarr.AssertEqOp | yarr.AssertSizeOp) for op in operations_in(fold)):
        return None
    found = FoldCuts()
    used = [k for k, result in enumerate(fold.res) if result.first_use is not None]
    extent = origin_of_size(fold.inits[number], axis)
    for k in (number, *used):
        accumulator = fold.accumulators[k]
        if accumulator in found.cuts:
            continue
        wanted = axis if k == number else _axis_of_size(fold.inits[k], extent)
        if wanted is None or not _follow(fold, (accumulator, wanted), found):
            return None
    if any(found.cuts[fold.accumulators[k]][0] is None for k in used):
        return None
    return found if all(map(_keeps_sizes, found.cuts)) else None


def _keeps_sizes(value: SSAValue) -> bool:
    """Whether an accumulator of a fold has the sizes of its initial value in each step.

    The other accumulators are assumed to do so: the check finds the first one that does not.
    """
    if not isinstance(value, BlockArgument):
        return True
    fold = value.block.parent_op()
    assert isinstance(fold, yarr.FoldOp)
    terminator = fold.body.block.last_op
    assert isinstance(terminator, yarr.YieldOp)
    number = value.index - 1
    return value is fold.counter or all(
        not origins_of_size(fold.inits[number], axis).isdisjoint(
            origins_of_size(terminator.values[number], axis)
        )
        for axis in range(yarr.rank_of(value))
    )


def _axis_of_size(value: SSAValue, origin: object) -> Cut:
    """The first axis whose size has the given origin, if there is one."""
    axes = range(yarr.rank_of(value))
    return next((d for d in axes if origin_of_size(value, d) == origin), None)


def _follow(fold: yarr.FoldOp, start: Demand, found: FoldCuts) -> bool:
    """Note all demands of a value in a fold, direct and indirect; False if it is not parallel."""
    pending = [start]
    while pending:
        value, cut = pending.pop()
        if not is_within(value, fold):
            found.outside[value, cut] = None
            continue
        known = found.cuts.setdefault(value, [])
        if cut in known:
            continue
        known.append(cut)
        needed = _needed_by(value, cut, is_first=len(known) == 1)
        if needed is None:
            return False
        pending.extend(reversed(needed))
    return True


def _needed_by(value: SSAValue, cut: Cut, *, is_first: bool) -> Sequence[Demand] | None:
    """The direct demands of a value in a fold; None if it cannot be cut in this way."""
    if isinstance(value, BlockArgument):
        fold = value.block.parent_op()
        assert isinstance(fold, yarr.FoldOp)
        if value is fold.counter:
            return ((fold.count, None),)
        return _needed_by_accumulator(fold, value, cut) if is_first else None
    assert isinstance(value, OpResult)
    op = value.op
    if isinstance(op, yarr.FoldOp):
        return ((op.accumulators[value.index], cut),)
    if isinstance(op, yarr.SizeOp):
        return ((op.array, None),)
    if cut is None:
        return [(operand, None) for operand in op.operands] if is_cheap(op) else None
    cuts = operand_cuts(op, cut)
    return None if cuts is None else list(zip(op.operands, cuts, strict=True))


def _needed_by_accumulator(
    fold: yarr.FoldOp, accumulator: BlockArgument, cut: Cut
) -> Sequence[Demand]:
    number = accumulator.index - 1
    terminator = fold.body.block.last_op
    assert isinstance(terminator, yarr.YieldOp)
    return (fold.inits[number], cut), (terminator.values[number], cut), (fold.count, None)


# Sizes ----------------------------------------------------------------------------------------


SIZED_BY_OPERANDS = (yarr.RangeOp, yarr.RepeatOp, *VIEWS)
"""Operations whose sizes follow from their operands, without computing the result."""


def size_source(value: SSAValue, axis: int) -> SSAValue | tuple[SSAValue, int]:
    """The source of a size of a parallel operation's result: a size, or an array and its axis.

    An accumulator of a fold has the sizes of its initial value. A block of a tile has those of its
    array as upper bounds.
    """
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        if isinstance(loop, yarr.TileOp):
            return loop.arrays[value.index - 2], axis
        assert isinstance(loop, yarr.FoldOp)
        return loop.inits[value.index - 1], axis
    assert isinstance(value, OpResult)
    match value.op:
        case yarr.FoldOp() as op:
            return op.inits[value.index], axis
        case yarr.TileOp() as op:
            return op.yielded[value.index], axis
        case yarr.RangeOp() as op:
            return op.size
        case yarr.RepeatOp() | yarr.SliceOp() as op if op.axis.value.data == axis:
            return op.size
        case yarr.InOrderOp() as op:
            return op.array, axis
        case yarr.EinsumOp() as op:
            inputs, output = yarr.split_subscripts(op.subscripts.data)
            letter = output[axis]
            sides = zip(op.arrays, inputs, strict=True)
            return next((array, side.index(letter)) for array, side in sides if letter in side)
        case op:
            cuts = operand_axes(op, axis)
            assert cuts is not None
            pairs = zip(op.operands, cuts, strict=True)
            return next((operand, cut) for operand, cut in pairs if cut is not None)


def origin_of_size(value: SSAValue, axis: int) -> SSAValue | tuple[SSAValue, int]:
    """A size or an array and its axis: sizes with one origin are equal."""
    origin: SSAValue | tuple[SSAValue, int] = (value, axis)
    while isinstance(origin, tuple) and _has_size_source(*origin):
        origin = size_source(*origin)
    if isinstance(origin, SSAValue) and isinstance(origin.owner, yarr.SizeOp):
        return origin_of_size(origin.owner.array, origin.owner.axis.value.data)
    return origin


def origins_of_size(value: SSAValue, axis: int) -> set[SSAValue | tuple[SSAValue, int] | int]:
    """All origins that the size of a value along an axis is known to be equal to.

    They have the form of `origin_of_size`. Initial values represent accumulators.
    """
    found = set[SSAValue | tuple[SSAValue, int] | int]()
    pending, seen = [(value, axis)], {(value, axis)}
    while pending:
        place = pending.pop()
        known = static_size(*place)
        sources = [known] if known != yarr.DYNAMIC else _size_sources(*place) or [place]
        for source in sources:
            if isinstance(source, SSAValue) and isinstance(source.owner, yarr.SizeOp):
                source = source.owner.array, source.owner.axis.value.data
            if not isinstance(source, tuple) or source == place:
                found.add(source)
            elif source not in seen:
                seen.add(source)
                pending.append(source)
    return found


def _size_sources(value: SSAValue, axis: int) -> Sequence[SSAValue | tuple[SSAValue, int]]:
    """The sizes that the size of a value is equal to; empty if none is known."""
    if isinstance(value, BlockArgument):
        is_accumulator = isinstance(value.block.parent_op(), yarr.FoldOp)
        return [size_source(value, axis)] if is_accumulator else []
    match value.owner:
        case yarr.ElementwiseOp() as op:
            return [(v, axis) for v in op.arguments if yarr.shape_of(v)[axis] != 1]
        case op if _has_size_source(value, axis):
            assert isinstance(op, Operation)
            return [size_source(value, axis)]
        case _:
            return []


def static_size(value: SSAValue, axis: int) -> int:
    """The size of a value along an axis as its type states it; 1 if an operation adds the axis.

    The type may state less: the initial value of an accumulator has the type of that.
    """
    op = value.owner
    is_new = isinstance(op, yarr.UnsqueezeOp) and axis in op.axes
    return 1 if is_new else yarr.shape_of(value)[axis]


def _has_size_source(value: SSAValue, axis: int) -> bool:
    """Whether `size_source` is defined for a size."""
    op = value.owner
    if static_size(value, axis) != yarr.DYNAMIC or isinstance(op, Block):
        return False
    if isinstance(op, (yarr.EinsumOp, yarr.FoldOp, *SIZED_BY_OPERANDS)):
        return True
    return operand_axes(op, axis) is not None
