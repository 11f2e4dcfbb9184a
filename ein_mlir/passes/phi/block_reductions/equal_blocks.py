"""Blocks of equal size, for a library that compiles programs for known sizes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import reduce

from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.memory_cost import axes_of_steps
from ein_mlir.analysis.phi.selections import factor_pairs, reduction
from ein_mlir.analysis.phi.size_equivalence import unasserted
from ein_mlir.analysis.scopes import dependents, depth_of, is_within, nested
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_sum, takes_any_order
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.rewriting.phi.insertion import Emitter
from ein_mlir.rewriting.phi.reductions import Raiser, Reason
from ein_mlir.rewriting.phi.step_blocks import block_steps, equal_blocks_of, steps_of_size


class EqualBlockRaiser(Raiser):
    """Raises folds of rows of matrix products in blocks that have at most some elements."""

    def __init__(self, free: FreeIndices, elements: int):
        super().__init__(free)
        self._elements = elements
        self._too_large: phi.FoldOp | None = None
        self._block: phi.FoldOp | None = None

    def fold(self, op: phi.FoldOp) -> None:
        if has_contracted_rows(op, self._free):
            super().fold(op)

    def _fits(self, op: phi.FoldOp, summand: SSAValue, combine: type[Operation] | None) -> bool:
        if op is self._block or super()._fits(op, summand, combine):
            return True
        self._too_large = op
        return False

    def _stays(self, op: phi.FoldOp) -> Reason | None:
        why = super()._stays(op)
        lengths = self._lengths(op) if why is not None and op is self._too_large else []
        if any(is_within(size, op) for sizes in lengths for size in sizes):
            return why
        for block in self._cut(op, lengths) if lengths else ():
            self._block = block
            why = super()._stays(block)
        return why

    def _lengths(self, op: phi.FoldOp) -> list[tuple[SSAValue, ...]]:
        """The sizes of each of the largest arrays of a step."""
        axes = dict.fromkeys(axes_of_steps(op, self._free))
        largest = [own - {op.counter} for own in axes if not any(own < other for other in axes)]
        return list(dict.fromkeys(tuple(sizes_of(own)) for own in largest))

    def _cut(self, op: phi.FoldOp, lengths: Collection[tuple[SSAValue, ...]]) -> list[phi.FoldOp]:
        """``fold (k < n) { .. }  -->  fold (block) { fold (k < length) { .. start + k .. } }``

        A second such fold has the steps behind the blocks. Returns the inner folds.
        """
        build = Emitter()
        fitting = (steps_of_size(build, self._elements, sizes) for sizes in lengths)
        steps = block_steps(build, op.count, reduce(build.min, fitting))
        (outer, inner), (last, tail) = equal_blocks_of(build, op, steps)
        last.operands[1] = outer.result
        self._replace(op, [*build.ops, outer, last])
        return [inner, tail]


def sizes_of(axes: Iterable[SSAValue]) -> list[SSAValue]:
    """The sizes of axes, from those of outer comprehensions to those of inner ones."""
    return [unasserted(phi.size_of_index(axis)) for axis in sorted(axes, key=_place)]


def _place(axis: SSAValue) -> tuple[int, int]:
    """The depth of the comprehension of an index, and the number of the index."""
    assert isinstance(axis, BlockArgument)
    op = axis.block.parent_op()
    assert op is not None
    return depth_of(op), axis.index


def has_contracted_rows(op: phi.FoldOp, free: FreeIndices, rank: int = 1) -> bool:
    """Whether a fold combines, in any order, values that are computed from rows of matrix products.

    The products have a number of axes, or more. Where a step has loops, it is a loop itself.
    """
    found = reduction(op)
    if found is None or not takes_any_order(found[0].name):
        return False
    inside = list(nested(op.body.block))
    variable = dependents(op.body.block, op.counter)
    return not any(isinstance(each, phi.FoldOp | phi.WhileOp) for each in inside) and any(
        is_row(each, variable.__contains__, free, rank) for each in inside
    )


def is_row(
    each: Operation,
    varies: Callable[[SSAValue], bool],
    free: FreeIndices,
    rank: int = 1,
) -> bool:
    """Whether an operation sums products of two factors, of which one varies with the step and not
    with all indices of the sum, and the other with all of these alone: a matrix times a vector.
    """
    if not isinstance(each, phi.ReduceOp):
        return False
    left = free.of(each.result)
    if len(left) < rank:
        return False
    combine, elements = single_operation(each.body), each.vec.owner
    if combine is None or not is_sum(combine.name) or not isinstance(elements, phi.ArrayOp):
        return False
    return any(
        varies(one) and not varies(other) and left <= free.of(other) and not left <= free.of(one)
        for one, other in factor_pairs(elements.yielded())
    )
