"""``permute-buffers``: the last axis of a buffer is that along which neighbours are accessed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeAlias, TypeGuard, TypeVar

from xdsl.dialects import func, memref, scf
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.loops.neighbours import (
    has_scalar_loops,
    has_uniform_loops,
    loads_in_loops,
    near_axis,
    own_buffers,
    reads_neighbours,
    varying,
)
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.rewriting.passes import FunctionPass

Access: TypeAlias = memref.LoadOp | memref.StoreOp
T = TypeVar("T")


# Analysis ---------------------------------------------------------------------------------------


class _Nests:
    """The nests of a function, each with the values that vary with its last index.

    ``movable`` are buffers that are stored with any axis last.
    """

    def __init__(self, movable: Collection[SSAValue]) -> None:
        self._movable = movable
        self._vary = dict[scf.ParallelOp, set[SSAValue]]()

    def near_axes(self, access: Access) -> list[int | None]:
        """The axes along which neighbouring steps may access neighbours, the best one first.

        Neighbouring steps are those of the last index of a nest, also if there is a loop between:
        `interchange-loops` exchanges these if the loads in it are of neighbours. Else they are
        those of the innermost loop; loads may be along that in any case.
        """
        nest = inner = access.parent_op()
        while isinstance(nest, scf.ForOp):
            nest = nest.parent_op()
        axis = _axis_of_counter(access, inner) if isinstance(inner, scf.ForOp) else None
        if isinstance(nest, scf.ParallelOp):
            vary = self._varying(nest)
            if nest is inner or self._is_exchangeable(nest, vary):
                best = near_axis(access, nest.body.block.args[-1], vary)
                return [best, axis] if isinstance(access, memref.LoadOp) else [best]
        return [axis]

    def _is_exchangeable(self, nest: scf.ParallelOp, vary: set[SSAValue]) -> bool:
        """Whether the loops of a body may run for a block of neighbouring results at once."""
        index = nest.body.block.args[-1]
        return (
            has_scalar_loops(nest, own_buffers(nest))
            and has_uniform_loops(nest, vary)
            and all(
                reads_neighbours(load, index, vary)
                or (load.memref in self._movable and near_axis(load, index, vary) is not None)
                for load in loads_in_loops(nest)
            )
        )

    def _varying(self, nest: scf.ParallelOp) -> set[SSAValue]:
        if nest not in self._vary:
            self._vary[nest] = varying(nest)
        return self._vary[nest]


def _axis_of_counter(access: Access, loop: scf.ForOp) -> int | None:
    """The axis whose position is the counter of a loop, if no other depends on its steps."""
    counter = loop.body.block.args[0]
    axes = [axis for axis, place in enumerate(access.indices) if is_within(place, loop)]
    return axes[0] if len(axes) == 1 and access.indices[axes[0]] is counter else None


def _is_access(op: Operation, buffer: memref.AllocOp) -> TypeGuard[Access]:
    """Whether an operation reads or writes an element of a buffer."""
    return isinstance(op, memref.LoadOp) or (
        isinstance(op, memref.StoreOp) and op.memref is buffer.memref
    )


def best_axes(function: func.FuncOp) -> dict[memref.AllocOp, int]:
    """The axes along which all accesses of buffers are of neighbours.

    The loops of a nest may read several buffers: they are exchanged if all of these move.
    """
    found = dict.fromkeys(op for op in operations_in(function) if _has_axes(op))
    while True:
        nests = _Nests({buffer.memref for buffer in found})
        axes = {buffer: _common_axis(buffer, nests) for buffer in found}
        found = {buffer: axis for buffer, axis in axes.items() if axis is not None}
        if len(found) == len(axes):
            return found


def _has_axes(op: Operation) -> TypeGuard[memref.AllocOp]:
    """Whether an operation makes a buffer of several axes, of sizes that are known at run time."""
    if type(op) is not memref.AllocOp:
        return False
    rank = len(op.memref.type.get_shape())
    return rank >= 2 and len(op.dynamic_sizes) == rank


def _common_axis(buffer: memref.AllocOp, nests: _Nests) -> int | None:
    """The axis along which all accesses of a buffer are of neighbours: the best one, or else the
    only one that all of them may have.
    """
    accesses = [use.operation for use in buffer.memref.uses]
    axes = [
        nests.near_axes(op) if _is_access(op, buffer) else [None]
        for op in accesses
        if not isinstance(op, memref.DeallocOp)
    ]
    best, common = {each[0] for each in axes}, set[int | None]()
    if len(best) > 1:
        common = set(axes[0]).intersection(*axes[1:])
    found = best if len(best) == 1 else common
    return found.pop() if len(found) == 1 else None


# Rewriting --------------------------------------------------------------------------------------


def _moved(items: Iterable[T], axis: int) -> list[T]:
    """The items with that of an axis as the last one."""
    all_ = list(items)
    return [*all_[:axis], *all_[axis + 1 :], all_[axis]]


def permute(buffer: memref.AllocOp, axis: int) -> None:
    """Store a buffer with an axis as its last one."""
    old = buffer.memref
    new = memref.AllocOp.get(
        old.type.element_type,
        shape=_moved(old.type.get_shape(), axis),
        dynamic_sizes=_moved(buffer.dynamic_sizes, axis),
    )
    for use in list(old.uses):
        op = use.operation
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            _reindex(op, axis)
    Rewriter.replace_op(buffer, new)


def _reindex(op: Access, axis: int) -> None:
    first = len(op.operands) - len(op.indices)
    for number, place in enumerate(_moved(op.indices, axis), first):
        op.operands[number] = place


class PermuteBuffersPass(FunctionPass):
    """Stores buffers so that neighbouring steps write and read neighbouring elements.

    Before (sums along columns)::

        %b = memref.alloc(%m, %n) : memref<?x?xf64>
        scf.parallel (%j) = (%zero) to (%m) step (%one) {
          scf.for %k = %zero to %n step %one iter_args(%acc = %start) -> (f64) {
            ..
            memref.store %next, %b[%j, %k] : memref<?x?xf64>
            scf.yield %next : f64
          }
        }
        scf.parallel (%i, %j) = (%zero, %zero) to (%n, %m) step (%one, %one) {
          %x = memref.load %b[%j, %i] : memref<?x?xf64>
          ..

    After::

        %b = memref.alloc(%n, %m) : memref<?x?xf64>
        .. memref.store %next, %b[%k, %j] .. %x = memref.load %b[%i, %j] ..

    `interchange-loops` then runs the sums of neighbouring columns at once. Loops of a body that
    read elements along the counter may have either order. A buffer stays as it is if no axis is
    good for all accesses, or several are, if it may be replaced by another one, or if it is an
    argument or a result, whose layout is fixed.
    """

    name = "permute-buffers"
    looks_for = (memref.AllocOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for buffer, axis in best_axes(function).items():
            if axis < len(buffer.dynamic_sizes) - 1:
                analyses.note(buffer, f"{name_of(buffer.memref)} is stored with axis {axis} last")
                permute(buffer, axis)
