"""Elements at a distance that neighbouring results read or write, and functions that pay for it."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref, scf
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.loops.neighbours import (
    loads_in_loops,
    near_axis,
    reads_neighbours,
    stores_in_loops,
)
from ein_mlir.analysis.loops.reductions import is_reduction
from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.scopes import depth_of, operations_in

MOST_DISTANT = 4
"""The most elements at a distance for a function: together they take less time than it saves."""


def functions_of_states(op: scf.ParallelOp, vary: set[SSAValue]) -> list[Operation]:
    """The functions of a result in the steps of a recurrence: no loop over steps vectorises them,
    or none that is long.
    """
    return [
        each
        for loop in operations_in(op)[1:]
        if isinstance(loop, scf.ForOp) and not is_reduction(loop) and _is_outermost(loop, op)
        for each in operations_in(loop)
        if is_function(each) and not vary.isdisjoint(each.operands)
    ]


def _is_outermost(loop: scf.ForOp, nest: scf.ParallelOp) -> bool:
    return loop.parent_op() is nest


def distant_accesses(
    op: scf.ParallelOp, vary: set[SSAValue]
) -> Iterator[memref.LoadOp | memref.StoreOp]:
    """The accesses in the loops of a body that are not of neighbours for successive results."""
    index = op.body.block.args[-1]
    yield from (load for load in loads_in_loops(op) if not reads_neighbours(load, index, vary))
    for store in stores_in_loops(op):
        if near_axis(store, index, vary) != len(store.indices) - 1:
            yield store


def admits_distance(op: scf.ParallelOp, vary: set[SSAValue]) -> bool:
    """Whether all accesses are of neighbours, or functions take more time than those that are not.

    Loops over the elements of rows stay: loads at a distance must be in loops around functions.
    """
    distant = list(distant_accesses(op, vary))
    if not distant:
        return True
    index, functions = op.body.block.args[-1], functions_of_states(op, vary)
    deepest = max(map(depth_of, functions), default=0)
    return len(distant) <= MOST_DISTANT * len(functions) and all(
        near_axis(each, index, vary) is not None
        and depth_of(each) + isinstance(each, memref.LoadOp) <= deepest
        for each in distant
    )
