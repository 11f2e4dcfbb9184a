"""Extremes of windows: of slices of one array, whose starts are a grid."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import rank

_EXTREMES = {"torch.maximum": "torch.largest_of_windows", "torch.minimum": "torch.least_of_windows"}

LEAST_SLICES = 3
"""Of two slices, the derivatives of one call take as long."""

MOST_AXES = 2
"""The maximal number of axes of windows of a library."""


class ExtremeOfWindows(RewritePattern):
    """``torch.maximum(torch.maximum(x[:-2:2], x[1:-1:2]), x[2::2])``  -->
    ``largest_of_windows(x, x[:-2:2], (0,), (3,), (1,), (2,))``

    The derivative of each call of ``maximum`` is an array as large as x, that of the helper one
    for all. Other operands remain, the identity does not.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.CallOp, rewriter: PatternRewriter) -> None:
        function = op.callee.data
        if function not in _EXTREMES or _continues(op):
            return
        parts = dict.fromkeys(_operands(op, function))
        groups: dict[SSAValue, list[_Part]] = {}
        for value in parts:
            if (part := _part(value)) is not None:
                groups.setdefault(part.array, []).append(part)
        found = [(group, grid) for group in groups.values() if (grid := _grid(group)) is not None]
        if not found:
            return
        fused = {part.value for group, _ in found for part in group}
        helper = _EXTREMES[function]
        extremes = [_insert(rewriter, helper, group[0], grid) for group, grid in found]
        rest = [x for x in parts if x not in fused and not _is_identity(x, function)]
        total, *others = (*extremes, *rest)
        for other in others:
            call = emitpy.CallOp(function, (total, other), op.result.type)
            total = rewriter.insert(call).result
        rewriter.replace(op, [], [total])


@dataclass(frozen=True)
class _Part:
    """A slice of an array, with the start and the step along each axis."""

    value: SSAValue
    array: SSAValue
    starts: tuple[int, ...]
    steps: tuple[int, ...]


@dataclass(frozen=True)
class _Grid:
    """The starts of slices: ``count`` numbers at a distance along each axis, and the steps."""

    starts: Sequence[int]
    counts: Sequence[int]
    distances: Sequence[int]
    steps: Sequence[int]


def _continues(op: emitpy.CallOp) -> bool:
    """Whether the only user of a result is a call of the same function."""
    use = op.result.first_use
    return use is not None and op.result.has_one_use() and _is_call(use.operation, op.callee.data)


def _is_call(op: Operation | Block, function: str) -> bool:
    return isinstance(op, emitpy.CallOp) and op.callee.data == function


def _operands(op: emitpy.CallOp, function: str) -> Iterator[SSAValue]:
    """The operands of nested calls of a function, whose results have no other users."""
    for value in op.positional:
        inner = value.owner
        if isinstance(inner, emitpy.CallOp) and _is_call(inner, function) and value.has_one_use():
            yield from _operands(inner, function)
        else:
            yield value


def _is_identity(value: SSAValue, function: str) -> bool:
    """Whether a value is the infinity that no extreme needs: ``torch.tensor(-torch.inf)``."""
    op = value.owner
    if isinstance(op, emitpy.CallOp) and op.callee.data == "torch.tensor":
        op = op.positional[0].owner
    if function == "torch.maximum":
        op = op.operand.owner if isinstance(op, emitpy.UnaryOp) else None
    return isinstance(op, emitpy.NameOp) and op.target.data == "torch.inf"


def _part(value: SSAValue) -> _Part | None:
    """The slice of an array of floats that a value is."""
    op = value.owner
    if not isinstance(op, emitpy.SubscriptOp) or not rank(op.object) == rank(value) > 0:
        return None
    if not isa(yarr.element_of(value), Float32Type | Float64Type):
        return None
    bounds = [_bounds(index.owner) for index in op.indices]
    known = [each for each in bounds if each is not None]
    if len(known) < len(bounds):
        return None
    known += [(0, 1)] * (rank(value) - len(known))
    starts, steps = zip(*known, strict=True)
    return _Part(value, op.object, starts, steps)


def _bounds(index: Operation | Block) -> tuple[int, int] | None:
    """The start and the step of a slice, if they are numbers that count from the front."""
    if not isinstance(index, emitpy.SliceOp):
        return None
    start, _, step = (*(_number(bound) for bound in index.bounds), 1, 1, 1)[:3]
    start = start if index.bounds else 0
    return (start, step) if start is not None and step is not None and start >= 0 < step else None


def _number(bound: SSAValue) -> int | None:
    """The number of a bound: 0 for one that is left out, None if it is not known."""
    if not isinstance(bound.owner, emitpy.LiteralOp):
        return None
    data = bound.owner.data
    return 0 if data is None else data if type(data) is int else None


def _grid(parts: Sequence[_Part]) -> _Grid | None:
    """The grid of the starts of slices, if there is one."""
    if len(parts) < LEAST_SLICES or len({part.steps for part in parts}) > 1:
        return None
    places = [sorted(set(starts)) for starts in zip(*(part.starts for part in parts), strict=True)]
    distances = [each[1] - each[0] if len(each) > 1 else 1 for each in places]
    axes = [*zip(places, distances, parts[0].steps, strict=True)]
    is_even = all(b - a == distance for each, distance, _ in axes for a, b in pairwise(each))
    widths = [len(each) for each in places]
    moving = [width > 1 or step > 1 for width, (_, _, step) in zip(widths, axes, strict=True)]
    if not is_even or math.prod(widths) != len(parts) or sum(moving) > MOST_AXES:
        return None
    return _Grid([each[0] for each in places], widths, distances, parts[0].steps)


def _insert(rewriter: PatternRewriter, helper: str, part: _Part, grid: _Grid) -> SSAValue:
    """The call for the windows of a grid."""
    lists = (grid.starts, grid.counts, grid.distances, grid.steps)
    literals = (rewriter.insert(emitpy.LiteralOp(tuple(each))).result for each in lists)
    call = emitpy.HelperOp(helper, (part.array, part.value, *literals), part.value.type)
    return rewriter.insert(call).result
