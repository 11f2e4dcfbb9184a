"""Transposes, squeezes and unsqueezes: a chain of them is one arrangement of axes.

An arrangement maps each axis of the result to an axis of the source, or to None for a new axis of
size 1. Any arrangement needs at most two operations, since axes of size 1 are interchangeable: they
are moved without a transpose, and none is squeezed and unsqueezed elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from ein_mlir.dialects.yarr import operations as yarr
from ein_mlir.dialects.yarr.canonicalization.replacement import replace_by, replace_with

ViewOp: TypeAlias = yarr.TransposeOp | yarr.SqueezeOp | yarr.UnsqueezeOp

Arrangement: TypeAlias = Sequence[int | None]
"""For each axis of the result its axis of the source; None for a new one."""

Step: TypeAlias = tuple[type[ViewOp], tuple[int, ...]]
"""A view and its axes."""


class ShortestView(RewritePattern):
    """``view_1(... view_n(x)) --> the shortest chain of views with the same arrangement``

    ```
    transpose(p, transpose(q, x))    --> transpose(q . p, x)
    transpose(identity, x)           --> x
    squeeze(A, unsqueeze(A, x))      --> x, and partially
    unsqueeze(A, squeeze(A, x))      --> x, and partially
    squeeze(A, squeeze(B, x))        --> squeeze(B + A, x), and so for unsqueeze
    transpose(p, unsqueeze(A, x))    --> unsqueeze(p A, x), where p moves only axes of size 1
    ```
    The chain gets shorter, or has fewer transposes at the same length.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ViewOp)
        chain = chain_of(op)
        if len(chain) == 1 and not isinstance(op, yarr.TransposeOp) and len(op.axes):
            return  # one view of another rank
        source = chain[0].array
        steps = shortest_steps(yarr.shape_of(source), arrangement_of(chain))
        if steps is None or _cost([view for view, _ in steps]) >= _cost([type(v) for v in chain]):
            return
        if not steps:
            replace_by(op, source, rewriter)
            return
        views = build_steps(source, steps)
        if yarr.compatible(yarr.shape_of(views[-1].result), yarr.shape_of(op.result)):
            replace_with(op, views, rewriter)


def _cost(views: Sequence[type[ViewOp]]) -> tuple[int, int]:
    return len(views), views.count(yarr.TransposeOp)


def chain_of(op: ViewOp) -> list[ViewOp]:
    """The chain of views that ends in a view, in order from the source."""
    chain: list[ViewOp] = [op]
    while isinstance(owner := chain[-1].array.owner, ViewOp):
        chain.append(owner)
    return chain[::-1]


def arrangement_of(chain: Sequence[ViewOp]) -> Arrangement:
    """The arrangement of a chain of views."""
    axes: Arrangement = range(yarr.rank_of(chain[0].array))
    for view in chain:
        match view:
            case yarr.TransposeOp():
                axes = [axes[axis] for axis in view.axes]
            case yarr.SqueezeOp():
                axes = [axis for d, axis in enumerate(axes) if d not in view.axes]
            case yarr.UnsqueezeOp():
                rest = iter(axes)
                rank = len(axes) + len(view.axes)
                axes = [None if d in view.axes else next(rest) for d in range(rank)]
    return axes


def shortest_steps(shape: Sequence[int], axes: Arrangement) -> list[Step] | None:
    """The shortest chain with an arrangement; None if an axis of dynamic size is squeezed.

    >>> shortest_steps((5, 1, 7), (0, None, None, 2))
    [(<class 'ein_mlir.dialects.yarr.views.UnsqueezeOp'>, (2,))]
    """
    unit = [size == 1 for size in shape]
    if any(not unit[d] for d in set(range(len(shape))) - set(axes)):
        return None
    kept = [d for d in axes if d is not None and not unit[d]]
    before = _unit_runs(unit)
    after = _unit_runs([d is None or unit[d] for d in axes])
    if kept != sorted(kept) or (len(shape) == len(axes) and before != after):
        return _with_transpose(unit, axes)
    return _without_transpose(before, after)


def _unit_runs(unit: Sequence[bool]) -> list[int]:
    """The numbers of axes of size 1 before, between and after the other ones.

    >>> _unit_runs([True, False, False, True, True])
    [1, 0, 2]
    """
    runs = [0]
    for is_unit in unit:
        if is_unit:
            runs[-1] += 1
        else:
            runs.append(0)
    return runs


def _without_transpose(before: Sequence[int], after: Sequence[int]) -> list[Step]:
    """The steps that squeeze surplus axes and unsqueeze missing ones in each run of size 1."""
    squeezed, unsqueezed = list[int](), list[int]()
    start, end = 0, 0
    for old, new in zip(before, after, strict=True):
        squeezed.extend(range(start + new, start + old))
        unsqueezed.extend(range(end + old, end + new))
        start, end = start + old + 1, end + new + 1
    return _steps((yarr.SqueezeOp, squeezed), (yarr.UnsqueezeOp, unsqueezed))


def _with_transpose(unit: Sequence[bool], axes: Arrangement) -> list[Step]:
    """The steps that move all axes, reuse squeezed ones as new ones, and adjust the rest."""
    spare = [d for d in range(len(unit)) if d not in axes]
    permutation, unsqueezed = list[int](), list[int]()
    for d, axis in enumerate(axes):
        if axis is not None:
            permutation.append(axis)
        elif spare:
            permutation.append(spare.pop(0))
        else:
            unsqueezed.append(d)
    squeezed = range(len(permutation), len(permutation) + len(spare))
    return _steps(
        (yarr.TransposeOp, [*permutation, *spare]),
        (yarr.SqueezeOp, squeezed),
        (yarr.UnsqueezeOp, unsqueezed),
    )


def _steps(*steps: tuple[type[ViewOp], Sequence[int]]) -> list[Step]:
    return [(view, tuple(axes)) for view, axes in steps if axes]


def build_steps(source: SSAValue, steps: Sequence[Step]) -> list[ViewOp]:
    """The operations of a chain of steps."""
    views = list[ViewOp]()
    for view, axes in steps:
        views.append(view(source, axes))
        source = views[-1].result
    return views
