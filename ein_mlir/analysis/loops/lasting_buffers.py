"""Buffers of the steps of a parallel loop that each thread allocates once, for all of its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.scopes import is_within
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class LastingBuffers:
    """The buffers that all steps allocate and release, with sizes from outside of the loop.

    Those of a branch are left out: no step may take it.
    """

    allocations: list[memref.AllocOp] = field(default_factory=list[memref.AllocOp])
    releases: list[memref.DeallocOp] = field(default_factory=list[memref.DeallocOp])

    def operations(self) -> Sequence[Operation]:
        """The operations that a step leaves out."""
        return (*self.allocations, *self.releases)


def lasting_buffers(op: scf.ParallelOp) -> LastingBuffers:
    """The lasting buffers of a parallel loop."""
    found, pending = LastingBuffers(), [op.body.block]
    while pending:
        block = pending.pop()
        for each in block.ops:
            if type(each) is scf.ForOp or type(each) is scf.ParallelOp:
                pending.append(each.body.block)
        for made, released in (*_kept(block), *_exchanged(block)):
            if not any(is_within(size, op) for each in made for size in each.dynamic_sizes):
                found.allocations.extend(made)
                found.releases.extend(released)
    return found


_Group = tuple[Sequence[memref.AllocOp], Sequence[memref.DeallocOp]]


def _kept(block: Block) -> Iterator[_Group]:
    """The buffers that a block allocates and releases."""
    for op in block.ops:
        if type(op) is memref.AllocOp and (release := _release(op.memref, block)):
            yield (op,), (release,)


def _exchanged(block: Block) -> Iterator[_Group]:
    """Buffers that a block allocates and, after a loop in which they change places, releases."""
    for loop in block.ops:
        if type(loop) is not scf.ForOp:
            continue
        for cycle in _cycles(loop):
            made = [loop.iter_args[place].owner for place in cycle]
            releases = [_release(loop.results[place], block) for place in cycle]
            allocations = [each for each in made if isinstance(each, memref.AllocOp)]
            found = [each for each in releases if each is not None]
            are_own = all(each.parent is block for each in allocations)
            if are_own and len(set(allocations)) == len(found) == len(cycle):
                yield allocations, found


def _cycles(loop: scf.ForOp) -> Iterator[Sequence[int]]:
    """The places of values that a loop carries and only exchanges, each set of places once."""
    carried = loop.body.block.args[1:]
    last = loop.body.block.last_op
    assert last is not None
    numbers = dict[SSAValue, int](zip(carried, range(len(carried)), strict=True))
    origins = [numbers.get(value) for value in last.operands]
    for start in range(len(carried)):
        cycle, place = [start], origins[start]
        while place is not None and place != start and len(cycle) <= len(carried):
            cycle.append(place)
            place = origins[place]
        if place == start and start == min(cycle):
            yield cycle


def _release(buffer: SSAValue, block: Block) -> memref.DeallocOp | None:
    """The operation of a block that releases a buffer."""
    for use in buffer.uses:
        if isinstance(use.operation, memref.DeallocOp) and use.operation.parent is block:
            return use.operation
    return None
