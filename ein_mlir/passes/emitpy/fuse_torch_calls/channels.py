"""Functions of all elements that share a position along one axis: batch normalisation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.dialects import emitpy
from ein_mlir.passes.emitpy.fuse_torch_calls.groups import GROUP_NORM
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import (
    called,
    contracted,
    either_way,
    length,
    number,
    operands,
    rank,
    repeated_along,
    summed_along,
    with_number,
)
from ein_mlir.passes.emitpy.fuse_torch_calls.normalisation import (
    PatternOfSizes,
    as_int,
    factors,
    quotients,
)

BATCH_NORM = "torch.batch_norm"

_AXES = {BATCH_NORM: (1, 1), GROUP_NORM: (2, 2)}
"""The number of the argument that is the first axis of channels, and how many these axes are."""


class BatchNorm(PatternOfSizes):
    """``d / torch.sqrt(v + 1e-5)[None, :]  -->  batch_norm(x, 1, 1e-5)``

    for ``d = x - (x.sum(dim=0) / n)[None, :]`` and ``v = torch.einsum("ij,ij->j", d, d) / n``,
    where n is the number of elements of x at each position of its axis 1. That may be any axis but
    the first, and x have more. The divisor may be a factor ``torch.rsqrt(..)``, and d in the
    quotient have a factor for each position: ``batch_norm(x, 1, 1e-5, weight)``.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        for scaled, squared, axis in _standardised(op):
            epsilon, variance = with_number(squared, "+") or (0.0, squared)
            for deviation, weight in _weighted(scaled, axis):
                x = self._centred(deviation, axis)
                if x is not None and self._centred_square(variance, axis) is x:
                    numbers = (rewriter.insert(emitpy.LiteralOp(v)).result for v in (axis, epsilon))
                    rewriter.replace(op, _call((x, *numbers, *weight), op))
                    return

    def _centred(self, deviation: SSAValue, axis: int) -> SSAValue | None:
        """The x of ``x - (x.sum(dim=0) / n)[None, :]``."""
        sides = operands(deviation, "-")
        mean = repeated_along(sides[1], [axis], rank(sides[0])) if sides else None
        for total, divisor in () if mean is None else quotients(mean):
            if self._is_sum_of(total, sides[0], axis) and self._counts(divisor, sides[0], axis):
                return sides[0]
        return None

    def _centred_square(self, variance: SSAValue, axis: int) -> SSAValue | None:
        """The x of ``(d * d).sum(dim=0) / n``."""
        for total, divisor in quotients(variance):
            deviation = _squared(total, axis)
            if deviation is not None and self._counts(divisor, deviation, axis):
                return self._centred(deviation, axis)
        return None

    def _is_sum_of(self, total: SSAValue, x: SSAValue, axis: int) -> bool:
        return summed_along(total) == (x, _others(x, axis))

    def _counts(self, divisor: SSAValue, array: SSAValue, axis: int) -> bool:
        """Whether a divisor is the number of elements at each position of an axis."""
        counted = list(map(self._shapes.number, factors(as_int(divisor))))
        for k in _others(array, axis):
            size = self._shapes.of(array)[k]
            if size not in counted:
                return False
            counted.remove(size)
        return not counted


def _others(array: SSAValue, axis: int) -> tuple[int, ...]:
    return tuple(k for k in range(rank(array)) if k != axis)


def _call(arguments: Sequence[SSAValue], op: emitpy.BinaryOp) -> emitpy.HelperOp:
    return emitpy.HelperOp(BATCH_NORM, arguments, op.result.type)


def _standardised(op: emitpy.BinaryOp) -> Iterator[tuple[SSAValue, SSAValue, int]]:
    """The ``(d, v, 1)`` of ``d / torch.sqrt(v)[None, :]`` or ``d * torch.rsqrt(v)[None, :]``."""
    axes = rank(op.result)
    pairs = [(op.lhs, op.rhs)] if op.operator.data == "/" else either_way(op.result, "*")
    for side, other in pairs:
        for axis in range(1, axes):
            column = repeated_along(other, [axis], axes)
            squared = None if column is None else _root(column, op.operator.data)
            if squared is not None and rank(side) == axes:
                yield side, squared, axis


def _root(value: SSAValue, operator: str) -> SSAValue | None:
    """The v of a divisor ``torch.sqrt(v)``, or a factor ``torch.rsqrt(v)`` or
    ``1.0 / torch.sqrt(v)``.
    """
    if operator == "/":
        return called(value, "torch.sqrt")
    sides = operands(value, "/")
    if sides and number(sides[0]) == 1.0:
        return called(sides[1], "torch.sqrt")
    return called(value, "torch.rsqrt")


def _weighted(value: SSAValue, axis: int) -> Iterator[tuple[SSAValue, Sequence[SSAValue]]]:
    """The d and the g of ``g[None, :] * d``; the value itself without a g."""
    yield value, ()
    for side, other in either_way(value, "*"):
        weight = _of_channels(other, side, axis)
        if weight is not None:
            yield side, (weight,)


def _of_channels(value: SSAValue, array: SSAValue, axis: int, count: int = 1) -> SSAValue | None:
    """The g of ``g[None, :]``, which has an element for each position along an axis, or several."""
    axes = range(axis, axis + count)
    vector = repeated_along(value, axes, rank(array)) if rank(array) >= axis + count else None
    if vector is None or any(length(vector, k) != length(array, axis + k) for k in range(count)):
        return None
    return vector


def _squared(value: SSAValue, axis: int) -> SSAValue | None:
    """The d of ``torch.einsum("ij,ij->j", d, d)`` or ``(d * d).sum(dim=0)``."""
    if (contraction := contracted(value)) is not None:
        text, owner = contraction
        letters, pair = text.partition(",")[0], owner.operands[-2:]
        is_sum = text == f"{letters},{letters}->{letters[axis : axis + 1]}"
        is_sum = is_sum and len({*letters}) == len(letters)
    elif (summed := summed_along(value)) is not None:
        pair = operands(summed[0], "*")
        is_sum = summed[1] == _others(summed[0], axis)
    else:
        return None
    return pair[0] if is_sum and len(pair) == 2 and pair[0] is pair[1] else None


class AffineChannels(RewritePattern):
    """``batch_norm(x, 1, 1e-5) * a[None, :] + b[None, :]  -->  batch_norm(x, 1, 1e-5, a, b)``

    Also for ``norm_of_groups(y, x, 1, 1e-5)`` and factors of all groups and their channels.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        missing = {"*": 1, "+": 2}.get(op.operator.data, 0)
        for side, other in either_way(op.result, op.operator.data) if missing else ():
            call = side.owner
            if not isinstance(call, emitpy.HelperOp) or call.callee.data not in _AXES:
                continue
            place, count = _AXES[call.callee.data]
            axis = emitpy.literal_data(call.positional[place])
            assert isinstance(axis, int)
            vector = _of_channels(other, side, axis, count)
            given = list(call.positional)
            if len(given) <= place + 1 + missing and vector is not None and side.has_one_use():
                while len(given) < place + 1 + missing:
                    given.append(rewriter.insert(emitpy.LiteralOp(None)).result)
                arguments = (*given, vector)
                fused = emitpy.HelperOp(call.callee.data, arguments, op.result.type)
                rewriter.replace(op, fused)
                return
