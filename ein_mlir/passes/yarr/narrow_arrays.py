"""``narrow-arrays``: of an array of which only a part is read, that part is computed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import Integers
from ein_mlir.analysis.effects import is_pure
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.dialects import yarr
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.yarr.canonicalization import PATTERNS
from ein_mlir.dialects.yarr.constants import constant_value
from ein_mlir.dialects.yarr.integers import YarrLevel
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.yarr.builders import elementwise

_Array: TypeAlias = yarr.ElementwiseOp | yarr.EinsumOp


def narrow_arrays(block: Block) -> bool:
    """Narrow the arrays of a block, and of the blocks in it, users first; whether there are any."""
    has_changed, hulls = False, _Hulls(block)
    for each in reversed(list(block.ops)):
        op: Operation | None = each
        for region in each.regions:
            if not isinstance(each, yarr.ElementwiseOp):
                has_changed |= narrow_arrays(region.block)
        while isinstance(op, yarr.ElementwiseOp | yarr.EinsumOp):
            new = _narrowed(op, hulls)
            has_changed |= new is not None or hulls.narrow(op)
            op = new
    return has_changed


def _narrowed(op: _Array, hulls: _Hulls) -> _Array | None:
    """The operation on slices of operands that replaces an operation; None if it stays."""
    users = list(dict.fromkeys(use.operation for use in op.result.uses))
    part = next(filter(_is_part, users), None)
    if not isinstance(part, yarr.SliceOp) or any(use.index for use in op.result.uses):
        return None
    if not all(user.parent is op.parent and _reads(user, part) for user in users):
        return None
    new = _part(op, part.axis.value.data, part.start, part.size)
    if new is None:
        return None
    for user in users:
        _read(user, new.results[0])
    hulls.keep_other_axes(op, new, part.axis.value.data)
    Rewriter.erase_op(op)
    return new


def _part(op: _Array, axis: int, start: SSAValue, size: SSAValue) -> _Array | None:
    """The operation on slices of operands, before an operation; None if it cannot be there."""
    axes, moved = _axes(op, axis), list[Operation]()
    if axes is None or not all(_is_known_at(op, each, moved) for each in (start, size)):
        return None
    for each in moved:
        each.detach()
    known, slices = dict[SSAValue, SSAValue](), list[Operation]()
    for operand, own in zip(op.operands, axes, strict=True):
        if own is not None and operand not in known:
            slices += _sliced(operand, own, start, size)
            known[operand] = slices[-1].results[0]
    new = copy_of(op, known)
    Rewriter.insert_op([*moved, *slices, new], InsertPoint.before(op))
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


def _sliced(operand: SSAValue, axis: int, start: SSAValue, size: SSAValue) -> list[Operation]:
    """The slice of an operand; of positions, which no array holds, those from the start on."""
    if not isinstance(operand.owner, yarr.RangeOp):
        return [yarr.SliceOp(operand, axis, start, size)]
    positions, first = yarr.RangeOp(size), yarr.UnsqueezeOp(start, [0])
    return [positions, first, elementwise(arith.AddiOp, positions.result, first.result)]


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


@dataclass(frozen=True)
class _Clipped:
    """The size of a slice that clips, and whether at the end."""

    size: SSAValue
    at_end: bool


class _Hulls:
    """The parts of the arrays of a block that contain several slices of them.

    An array is narrowed if it is computed from slices that clip, and its part is not: these are
    views then.
    """

    def __init__(self, block: Block) -> None:
        self._integers = Integers(YarrLevel())
        self._known: dict[tuple[SSAValue, int, int, SSAValue], tuple[SSAValue, SSAValue]] = {}
        self._clipped = defaultdict[tuple[SSAValue, int], list[_Clipped]](list)
        for op in block.ops:
            match op:
                case yarr.SliceOp(clip=clip) if clip is not None and op.step.value.data == 1:
                    if start := constant_value(op.start):
                        clipped = _Clipped(op.size, start > 0)
                        self._clipped[op.result, op.axis.value.data].append(clipped)
                case yarr.ElementwiseOp():
                    self._combine(op)
                case _:
                    pass

    def _combine(self, op: yarr.ElementwiseOp) -> None:
        for axis in range(yarr.rank_of(op.result)):
            found = (self._clipped.get((each, axis), ()) for each in op.arguments)
            if ends := list(dict.fromkeys(chain.from_iterable(found))):
                self._clipped[op.result, axis] = ends

    def keep_other_axes(self, op: _Array, part: _Array, axis: int) -> None:
        """A part of an array along one axis has the others as they are."""
        for other in range(yarr.rank_of(op.results[0])):
            if other != axis and (op.results[0], other) in self._clipped:
                self._clipped[part.results[0], other] = self._clipped[op.results[0], other]

    def narrow(self, op: _Array) -> bool:
        """Compute the part that all slices of an array are in, if that avoids clipping."""
        slices = [use.operation for use in op.result.uses]
        parts = [each for each in slices if isinstance(each, yarr.SliceOp) and _is_part(each)]
        if len(parts) < max(2, len(slices)) or any(use.index for use in op.result.uses):
            return False
        first, starts = parts[0], [constant_value(each.start) for each in parts]
        known = [start for start in starts if start is not None]
        if len(known) < len(parts) or not all(
            each.size is first.size and each.axis == first.axis and each.parent is op.parent
            for each in parts
        ):
            return False
        least = min(known)
        hull = self._hull(op, first, least, max(known))
        new = hull and _part(op, first.axis.value.data, *hull)
        if new is None:
            return False
        for each, own in zip(parts, known, strict=True):
            each.operands[0] = new.results[0]
            if least:
                start = yarr.size_constant(own - least)
                Rewriter.insert_op(start, InsertPoint.before(each))
                each.operands[1] = start.result
        Rewriter.erase_op(op)
        return True

    def _hull(
        self, op: _Array, part: yarr.SliceOp, least: int, most: int
    ) -> tuple[SSAValue, SSAValue] | None:
        """The start and size of what slices from ``least`` to ``most`` are in.

        Both are known where one of the slices is. None if that clips as much as the array.
        """
        integers, axis = self._integers, part.axis.value.data
        end = integers.integer(part.size) + most
        for clipped in self._clipped.get((op.results[0], axis), ()):
            is_last_read = integers.is_nonnegative(end - integers.integer(clipped.size))
            if is_last_read if clipped.at_end else least == 0:
                continue
            key = part.size, least, most, clipped.size
            if key not in self._known:
                start = yarr.size_constant(least)
                sizes = list(_size_of_hull(part.size, start.result, most - least, clipped.size))
                Rewriter.insert_op([start, *sizes], InsertPoint.before(part))
                self._known[key] = start.result, sizes[-1].results[0]
            return self._known[key]
        return None


def _size_of_hull(
    part: SSAValue, start: SSAValue, reach: int, size: SSAValue
) -> Iterator[Operation]:
    """``min(part + reach, max(size - start, 0))``: no more than the array has."""
    yield (further := yarr.size_constant(reach))
    yield (hull := elementwise(arith.AddiOp, part, further.result))
    if constant_value(start):
        yield (rest := elementwise(arith.SubiOp, size, start))
        yield (zero := yarr.size_constant(0))
        yield (others := elementwise(arith.MaxSIOp, rest.result, zero.result))
        size = others.result
    yield elementwise(arith.MinSIOp, hull.result, size)


class _SliceOfClippedSlice(RewritePattern):
    """``slice(slice(x, d, s, n clip), e, t, m) --> slice(slice(x, e, t, m), d, s, n clip)``

    The axes differ, and the inner slice has no other use: where it is a copy, it is a smaller one.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.SliceOp, rewriter: PatternRewriter) -> None:
        inner = op.array.owner
        if (
            not isinstance(inner, yarr.SliceOp)
            or inner.axis == op.axis
            or inner.clip is None
            or op.clip is not None
            or inner.result.has_more_than_one_use()
        ):
            return
        part = op.clone({op.array: inner.array})
        rewriter.replace(op, [part, inner.clone({inner.array: part.result})])
        rewriter.erase(inner)


class NarrowArraysPass(FunctionPass):
    """Computes only the part of an array that is read, where that is one slice or near ones.

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

    Slices of one size from constant starts on are in a larger one. That is computed if it is not
    the whole array and reads no further than slices that clip, which are views then. Before (fluxes
    between neighbours, of which the last one is not read)::

        %next = yarr.slice %u, 0, %one, %n step 1 clip : tensor<?xf64> -> tensor<?xf64>
        %flux = yarr.elementwise { arith.addf } %u, %next : .. -> tensor<?xf64>
        %right = yarr.slice %flux, 0, %one, %m step 1 : tensor<?xf64> -> tensor<?xf64>
        %left = yarr.slice %flux, 0, %zero, %m step 1 : tensor<?xf64> -> tensor<?xf64>

    After, with ``%part`` the smaller one of ``%m + 1`` and ``%n``::

        %own = yarr.slice %u, 0, %zero, %part step 1 : tensor<?xf64> -> tensor<?xf64>
        %next = yarr.slice %u, 0, %one, %part step 1 clip : tensor<?xf64> -> tensor<?xf64>
        %flux = yarr.elementwise { arith.addf } %own, %next : .. -> tensor<?xf64>
        %right = yarr.slice %flux, 0, %one, %m step 1 : tensor<?xf64> -> tensor<?xf64>
        %left = yarr.slice %flux, 0, %zero, %m step 1 : tensor<?xf64> -> tensor<?xf64>
    """

    name = "narrow-arrays"
    looks_for = (yarr.SliceOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if narrow_arrays(function.body.block):
            laws = GreedyRewritePatternApplier([*PATTERNS[yarr.SliceOp], _SliceOfClippedSlice()])
            PatternRewriteWalker(laws).rewrite_region(function.body)
