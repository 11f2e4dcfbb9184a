"""Loops whose steps compute small arrays, if sizes of the arguments are small.

::

    func.func @orbit(%y: !phi.vec<f64>, %n: i64) -> !phi.vec<f64> {
      %d = phi.size %y, 0 : !phi.vec<f64>
      %r = phi.fold (%t < %n, %v = %y) -> !phi.vec<f64> {
        %w = phi.array (%i < %d) -> !phi.vec<f64> { .. }
        phi.yield %w : !phi.vec<f64>
      }

For a ``y`` of two or three elements, steps on numbers take a tenth of the time of steps on arrays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation

from ein_mlir.analysis.phi.element_cost import short_count
from ein_mlir.analysis.phi.extents import Extents
from ein_mlir.analysis.phi.free_indices import FreeIndices, Leaf, leaf_paths, leaf_types
from ein_mlir.analysis.phi.records import origin
from ein_mlir.analysis.phi.searches import fold_search
from ein_mlir.analysis.phi.selections import reduction
from ein_mlir.analysis.phi.small_arrays import COMPUTED, NUMBERS, SCALARIZED
from ein_mlir.analysis.predicates import conjoined, relation_of
from ein_mlir.analysis.scopes import ancestors, is_within, nested, operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.extents import Bounds, Number, arguments_in

MOST_ON_NUMBERS = 8
"""The most steps of an inner loop that take less time on numbers than a call does."""

_LOOPS = phi.FoldOp, phi.WhileOp


class SmallLoop(NamedTuple):
    """A loop, as functions of the sizes of arguments.

    The axes are those that its arrays depend on, and are not known when the program is compiled:
    the number of an argument that is no record, and the axis, or None for an Int.
    """

    axes: Collection[tuple[int, int | None]]
    shapes: Bounds
    steps: Number | None


def small_loops(function: func.FuncOp) -> Sequence[SmallLoop]:
    """The loops of a function that may compute small arrays in each step, the outermost of each.

    None if it has several blocks: the conversion of the program says that it must have one.
    """
    if len(function.body.blocks) > 1:
        return ()
    leaves = phi.leaves_of_arguments(function)
    known = {(leaves[leaf][0].index, axis) for leaf, axis in phi.fixed_sizes(function)}
    found = _loops(function.body.block, Extents(function.body.block))
    plain = {argument.index for argument, path, _ in leaves if not path}
    unknown = (each._replace(axes={*each.axes} - known) for each in found)
    return [each for each in unknown if each.axes and plain.issuperset(k for k, _ in each.axes)]


def _loops(block: Block, extents: Extents) -> Iterator[SmallLoop]:
    for op in block.ops:
        if isinstance(op, phi.FoldOp | phi.WhileOp) and not _is_reduction(op):
            shapes = _shapes(op, extents)
            if shapes:
                axes = {axis for shape in shapes for size in shape for axis in arguments_in(size)}
                yield SmallLoop(axes, tuple(map(tuple, shapes)), extents.number(op.count))
            else:
                yield from _loops(op.body.block, extents)


def _is_reduction(op: Operation) -> bool:
    return isinstance(op, phi.FoldOp) and reduction(op) is not None


def _is_call(op: phi.FoldOp) -> bool:
    """Whether a fold is one call, on arrays: a sum, an extreme, the place of one, .."""
    return _is_reduction(op) or fold_search(op) is not None


def _shapes(op: phi.FoldOp | phi.WhileOp, extents: Extents) -> Sequence[Sequence[Number]]:
    """The sizes of the arrays of a step, and the counts of its reductions; none if they are not
    known, or no element is computed.

    An array of which steps replace single elements may be large.
    """
    types, paths = leaf_types(op.init.type), leaf_paths(op.init.type)
    if len(paths) != len(types) or not all(phi.scalar_of(type_) in NUMBERS for type_ in types):
        return ()
    shapes = [
        extents.shape(op.init, phi.rank_of(type_), path)
        for number, (type_, path) in enumerate(zip(types, paths, strict=True))
        if phi.rank_of(type_) and not _is_replaced((op.yielded(), number))
    ]
    computed = 0
    for each in operations_in(op):
        if isinstance(each, phi.PhiOp) and not isinstance(each, SCALARIZED):
            return ()
        if isinstance(each, phi.ArrayOp) and replaces_element(each):
            continue
        if isinstance(each, COMPUTED):
            computed += 1
            shapes.append(extents.shape(each.result, phi.rank_of(each.result.type)))
        elif isinstance(each, phi.FoldOp) and _is_call(each):
            computed += 1
            count = extents.number(each.count)
            shapes.append(None if count is None else [count])
    return () if None in shapes or not computed else [shape for shape in shapes if shape]


def _is_replaced(leaf: Leaf) -> bool:
    """Whether a carried array is one of which loops replace single elements."""
    value, number = origin(*leaf)
    match value.owner:
        case phi.UpdateOp():
            return True
        case phi.ArrayOp() as op:
            return replaces_element(op)
        case phi.FoldOp() | phi.WhileOp() as op:
            return _is_replaced((op.yielded(), number))
        case _:
            return False


def replaces_element(op: phi.ArrayOp) -> bool:
    """``array (i < n) { where(i == p, x, a[i]) }``, of which ``raise-updates`` makes an update."""
    choice = op.yielded().owner
    if not isinstance(choice, arith.SelectOp) or not isinstance(old := choice.rhs.owner, phi.GetOp):
        return False
    equal = (relation_of(each) for each in conjoined(choice.cond))
    sides = {
        phi.uncast(side)
        for each in equal
        if each is not None and each.predicate == "eq"
        for side in (each.lhs, each.rhs)
    }
    return old.is_at(op.indices) and not is_within(old.array, op) and sides >= set(op.indices)


def is_on_numbers(op: phi.FoldOp, free: FreeIndices) -> bool:
    """Whether a fold of few steps is one of the numbers that a loop computes, and nothing else.

    The loop replaces single elements of arrays, and its other folds have few steps, too.
    """
    loop = next(ancestors(op, *_LOOPS), None)
    if loop is None or not _has_few_steps(op):
        return False
    if free.of(op.result) or not phi.is_scalar_type(op.result.type):
        return False
    return all(
        _has_few_steps(each) if isinstance(each, _LOOPS) else replaces_element(each)
        for each in nested(loop.body.block)
        if isinstance(each, (*_LOOPS, phi.ArrayOp))
    )


def _has_few_steps(op: Operation) -> bool:
    count = short_count(op) if isinstance(op, phi.FoldOp) else None
    return count is not None and count <= MOST_ON_NUMBERS
