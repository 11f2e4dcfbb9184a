"""Nests of parallel loops around reductions, and whether neighbouring results read neighbours."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue, Use

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.reductions import is_reduction
from ein_mlir.analysis.loops.unrolled import is_unrolled
from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.scopes import dependents, operations_in, reached, sources

MOST_STRIDE = 4
"""The most elements from one result's operand to the next one's: vectors of them are shuffled."""


_SIMPLE = (memref.LoadOp, memref.StoreOp, scf.YieldOp, scf.ReduceOp)


def is_simple(op: Operation) -> bool:
    """Whether an operation is scalar: arithmetic, a load or a store."""
    if type(op) in _SIMPLE:
        return True
    return not op.regions and op.name.split(".")[0] in ("arith", "math")


Buffer: TypeAlias = memref.AllocOp | memref.AllocaOp


def has_scalar_loops(op: Operation, buffers: Collection[Buffer] = ()) -> bool:
    """Whether a body has scalar operations and loops that carry scalars, and nothing else.

    It may have some buffers of its own, too.
    """
    own = {each for buffer in buffers for each in (buffer, *_frees(buffer))}
    for inner in operations_in(op)[1:]:
        if isinstance(inner, scf.ForOp):
            if any(isinstance(arg.type, MemRefType) for arg in inner.iter_args):
                return False
        elif not is_simple(inner) and inner not in own:
            return False
    return True


def _frees(buffer: Buffer) -> Iterator[Operation]:
    users = (use.operation for use in buffer.memref.uses)
    return (user for user in users if isinstance(user, memref.DeallocOp))


def own_buffers(op: scf.ParallelOp, *, on_stack: bool = False) -> list[Buffer]:
    """The buffers of a body itself whose elements it writes and reads, and nothing else.

    With ``on_stack`` also those of few elements, which have registers in a body that stays.
    """
    types = (memref.AllocOp, memref.AllocaOp) if on_stack else memref.AllocOp
    return [
        each
        for each in op.body.block.ops
        if isinstance(each, types) and all(map(_is_access, each.memref.uses))
    ]


def _is_access(use: Use) -> bool:
    is_stored_to = isinstance(use.operation, memref.StoreOp) and use.index == 1
    return is_stored_to or isinstance(use.operation, memref.LoadOp | memref.DeallocOp)


def varying(op: scf.ParallelOp, axis: int = -1) -> set[SSAValue]:
    """The values in a body that vary with an index, the last; those that a loop carries all do."""
    found: set[SSAValue] = {op.body.block.args[axis]}
    for inner in operations_in(op)[1:]:
        if isinstance(inner, scf.ForOp):
            found.update((*inner.body.block.args[1:], *inner.res))
        elif any(operand in found for operand in inner.operands):
            found.update(inner.results)
    return found


def loads_in_loops(op: scf.ParallelOp) -> Iterator[memref.LoadOp]:
    """The loads in the loops of a body."""
    return (each for each in _in_loops(op) if isinstance(each, memref.LoadOp))


def stores_in_loops(op: scf.ParallelOp) -> Iterator[memref.StoreOp]:
    """The stores in the loops of a body, such as those of a scan."""
    return (each for each in _in_loops(op) if isinstance(each, memref.StoreOp))


def _in_loops(op: scf.ParallelOp) -> Iterator[Operation]:
    for loop in op.body.block.ops:
        if isinstance(loop, scf.ForOp):
            yield from operations_in(loop)


def is_near(
    position: SSAValue, index: SSAValue, vary: set[SSAValue], most: int = MOST_STRIDE
) -> bool:
    """Whether a position follows an index in steps of at most a number, up to clipping."""
    if position not in vary:
        return False
    op = position.owner
    match op:
        case arith.IndexCastOp():
            return is_near(op.input, index, vary, most)
        case arith.AddiOp() | arith.MinSIOp() | arith.MaxSIOp():
            terms = [each for each in op.operands if each in vary]
            return len(terms) == 1 and is_near(terms[0], index, vary, most)
        case arith.SubiOp():
            return op.rhs not in vary and is_near(op.lhs, index, vary, most)
        case arith.MuliOp():
            stride = known_int(op.rhs)
            is_short = stride is not None and 1 <= stride <= most
            return is_short and is_near(op.lhs, index, vary, most // (stride or 1))
        case _:
            return position is index


def is_data(position: SSAValue, vary: set[SSAValue]) -> bool:
    """Whether a position is carried by a loop or read from memory: it is random in every order."""
    found = reached([position], lambda value: sources(value) if value in vary else ())
    return any(_is_carried_or_read(value) for value in found if value in vary)


def _is_carried_or_read(value: SSAValue) -> bool:
    if isinstance(value.owner, Block):
        return isinstance(value.owner.parent_op(), scf.ForOp)
    return isinstance(value.owner, memref.LoadOp)


def reads_neighbours(load: memref.LoadOp, index: SSAValue, vary: set[SSAValue]) -> bool:
    """Whether a load is of neighbours, or the same, for successive indices; or random anyway.

    Terms of a sum along rows at random positions are neighbours for its steps.
    """
    if any(is_data(each, vary) for each in load.indices):
        return not _is_along_row(load, vary)
    varies = any(each in vary for each in load.indices)
    return not varies or near_axis(load, index, vary) == len(load.indices) - 1


def _is_along_row(load: memref.LoadOp, vary: set[SSAValue]) -> bool:
    """Whether the steps of a sum load neighbours: ``a[p, k]`` in step k."""
    loop, last = load.parent_op(), load.indices[-1]
    if not isinstance(loop, scf.ForOp) or not is_reduction(loop) or last in vary:
        return False
    counter = loop.body.block.args[0]
    return is_near(last, counter, dependents(loop.body.block, counter), 1)


def near_axis(
    op: memref.LoadOp | memref.StoreOp, index: SSAValue, vary: set[SSAValue]
) -> int | None:
    """The axis along which an element follows an index, if its other positions do not vary."""
    axes = [axis for axis, each in enumerate(op.indices) if each in vary]
    is_one = len(axes) == 1 and is_near(op.indices[axes[0]], index, vary)
    return axes[0] if is_one else None


def writes_neighbours(op: scf.ParallelOp, vary: set[SSAValue]) -> bool:
    """Whether the stores in the loops of a body are to neighbours, for successive indices."""
    index = op.body.block.args[-1]
    return all(
        near_axis(store, index, vary) == len(store.indices) - 1 for store in stores_in_loops(op)
    )


def _has_functions_of_states(op: scf.ForOp) -> bool:
    return not is_reduction(op) and any(map(is_function, op.body.block.ops))


def has_uniform_loops(op: scf.ParallelOp, vary: set[SSAValue]) -> bool:
    """Whether a body has loops that are not unrolled, whose steps are the same for all indices.

    Nor are recurrences by functions, of which LLVM would not find those of several indices.
    """
    inside = operations_in(op)[1:]
    loops = [
        each
        for each in inside
        if isinstance(each, scf.ForOp) and (not is_unrolled(each) or _has_functions_of_states(each))
    ]
    return bool(loops) and not any(
        bound in vary for loop in loops for bound in (loop.lb, loop.ub, loop.step)
    )
