"""``narrow-arrays``: of an array of which only a part is read, that part is computed."""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import Integers
from ein_mlir.analysis.effects import is_pure
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.dialects import yarr
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.yarr.canonicalization import SliceAll, SliceOfScan, SliceOfSlice
from ein_mlir.dialects.yarr.integers import YarrLevel
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.yarr.builders import elementwise

_Array: TypeAlias = yarr.ElementwiseOp | yarr.EinsumOp


def narrow_arrays(block: Block) -> bool:
    """Narrow the arrays of a block, and of the blocks in it, users first; whether there are any."""
    has_changed = False
    for each in reversed(list(block.ops)):
        op: Operation | None = each
        for region in each.regions:
            if not isinstance(each, yarr.ElementwiseOp):
                has_changed |= narrow_arrays(region.block)
        while isinstance(op, yarr.ElementwiseOp | yarr.EinsumOp):
            op = _narrowed(op)
            has_changed |= op is not None
    return has_changed


def _narrowed(op: yarr.ElementwiseOp | yarr.EinsumOp) -> _Array | None:
    """The operation on slices of operands that replaces an operation; None if it stays."""
    users = list(dict.fromkeys(use.operation for use in op.result.uses))
    part = next(filter(_is_part, users), None)
    if not isinstance(part, yarr.SliceOp) or any(use.index for use in op.result.uses):
        return None
    axes = _axes(op, part.axis.value.data)
    if axes is None or not all(user.parent is op.parent and _reads(user, part) for user in users):
        return None
    moved = list[Operation]()
    if not all(_is_known_at(op, size, moved) for size in (part.start, part.size)):
        return None
    for each in moved:
        each.detach()
    known, slices = dict[SSAValue, SSAValue](), list[Operation]()
    for operand, axis in zip(op.operands, axes, strict=True):
        if axis is not None and operand not in known:
            slices += _sliced(operand, axis, part)
            known[operand] = slices[-1].results[0]
    new = copy_of(op, known)
    Rewriter.insert_op([*moved, *slices, new], InsertPoint.before(op))
    for user in users:
        _read(user, new.results[0])
    Rewriter.erase_op(op)
    return new


def _axes(op: _Array, axis: int) -> list[int | None] | None:
    """The axes of the operands along which a slice of the result reads a slice."""
    if isinstance(op, yarr.ElementwiseOp):
        return [None if yarr.shape_of(v)[axis] == 1 else axis for v in op.arguments]
    inputs, output = yarr.split_subscripts(op.subscripts.data)
    letter = output[axis]
    if any(side.count(letter) > 1 for side in inputs):
        return None
    return [side.index(letter) if letter in side else None for side in inputs]


def _sliced(operand: SSAValue, axis: int, part: yarr.SliceOp) -> list[Operation]:
    """The slice of an operand; of positions, which no array holds, those from the start on."""
    if not isinstance(operand.owner, yarr.RangeOp):
        return [yarr.SliceOp(operand, axis, part.start, part.size)]
    positions, start = yarr.RangeOp(part.size), yarr.UnsqueezeOp(part.start, [0])
    return [positions, start, elementwise(arith.AddiOp, positions.result, start.result)]


def _is_part(user: Operation) -> bool:
    return isinstance(user, yarr.SliceOp) and user.clip is None and user.step.value.data == 1


def _reads(user: Operation, part: yarr.SliceOp) -> bool:
    """Whether a user reads a slice, or the first element of one that has elements."""
    match user:
        case yarr.SliceOp():
            is_same = user.start is part.start and user.size is part.size
            return is_same and user.axis == part.axis and _is_part(user)
        case yarr.TakeOp() if user.in_bounds is not None and user.position is part.start:
            return user.axis == part.axis and _has_elements(part.size)
        case _:
            return False


def _has_elements(size: SSAValue) -> bool:
    """Whether a size is provably not zero: ``n - i`` for a counter i below n."""
    level = YarrLevel()
    integers, computed = Integers(level), level.computation(level.same(size))
    sides = computed[1] if computed is not None and computed[0] is arith.MaxSIOp else ()
    return any(integers.is_nonnegative(integers.integer(each) - 1) for each in (size, *sides))


def _is_known_at(op: Operation, value: SSAValue, moved: list[Operation]) -> bool:
    """Whether an Int is known at an operation, once those that it is computed by are moved."""
    owner = value.owner
    if not isinstance(owner, Operation) or owner.parent is not op.parent or owner in moved:
        return True
    if owner is op or owner.is_before_in_block(op):
        return owner is not op
    if not is_pure(owner) or any(yarr.rank_of(each) for each in owner.operands):
        return False
    known = all(_is_known_at(op, operand, moved) for operand in owner.operands)
    moved.append(owner)
    return known


def _read(user: Operation, part: SSAValue) -> None:
    """Replace a slice by the computed part, and read the first element of that."""
    if isinstance(user, yarr.SliceOp):
        Rewriter.replace_op(user, (), (part,))
        return
    assert isinstance(user, yarr.TakeOp)
    zero = yarr.size_constant(0)
    take = yarr.TakeOp(part, user.axis.value.data, zero, in_bounds=True)
    Rewriter.insert_op(zero, InsertPoint.before(user))
    Rewriter.replace_op(user, take)


class NarrowArraysPass(FunctionPass):
    """Computes only the part of an array that is read, where that is one slice.

    Before (a column of a triangular factor)::

        %p = yarr.einsum "ij,j->i" %l, %r : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
        %x = yarr.elementwise { arith.subf } %c, %p : .. -> tensor<?xf64>
        %d = yarr.take %x, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
        %y = yarr.slice %x, 0, %k, %n step 1 : tensor<?xf64> -> tensor<?xf64>

    After, if ``%n`` is provably not zero::

        %m = yarr.slice %l, 0, %k, %n step 1 : tensor<?x?xf64> -> tensor<?x?xf64>
        %p = yarr.einsum "ij,j->i" %m, %r : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?xf64>
        %b = yarr.slice %c, 0, %k, %n step 1 : tensor<?xf64> -> tensor<?xf64>
        %y = yarr.elementwise { arith.subf } %b, %p : .. -> tensor<?xf64>
        %d = yarr.take %y, 0, %zero in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>

    All users read the same slice, or its first element, in the block of the operation: elementwise
    operations and contractions. Operands are sliced, which copies nothing; slices of slices and of
    scans are one.
    """

    name = "narrow-arrays"
    looks_for = (yarr.SliceOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if narrow_arrays(function.body.block):
            laws = GreedyRewritePatternApplier([SliceAll(), SliceOfSlice(), SliceOfScan()])
            PatternRewriteWalker(laws).rewrite_region(function.body)
