"""The values that loops carry from step to step, and the buffers of carried arrays."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field

from xdsl.dialects import memref
from xdsl.ir import Block, BlockArgument, SSAValue

from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.values import Array, Buffer, Leaf


@dataclass
class Carried:
    """A leaf of the accumulator: an argument of the loop, and a second buffer if one is needed."""

    argument: BlockArgument
    initial: SSAValue
    value: Leaf
    sizes: Sequence[SSAValue] | None = None
    """The sizes of an array, if no step changes them."""
    spare: Array | None = field(default=None)
    """The second buffer, which the next value is written into."""

    @property
    def buffers(self) -> list[SSAValue]:
        """The buffers that the loop has for an array."""
        return [self.argument, *([] if self.spare is None else [self.spare.buffer.memref])]

    def second(self, body: Block) -> Array:
        """The second buffer of an array, added to the loop when it is first needed."""
        if self.spare is None:
            assert self.sizes is not None
            argument = body.insert_arg(self.argument.type, len(body.args))
            self.spare = Array(Buffer(argument, tuple(self.sizes), body), own=True)
        return self.spare

    def place_of_spare(self) -> int:
        """The number of the argument of the loop that is the second buffer."""
        assert self.spare is not None
        argument = self.spare.buffer.memref
        assert isinstance(argument, BlockArgument)
        return argument.index


def next_values(
    conversion: Conversion,
    body: Block,
    carried: Sequence[Carried],
    results: Sequence[Leaf],
    gone: AbstractSet[SSAValue],
) -> list[SSAValue]:
    """The values that a step yields: the leaves, then the buffers to be written next."""
    taken = _take(conversion, body, carried, results, gone)
    yielded = list[SSAValue]()
    for number, (each, result) in enumerate(zip(carried, results, strict=True)):
        if isinstance(result, SSAValue):
            yielded.append(result)
        elif each.sizes is not None:
            yielded.append(taken[number])
        else:
            yielded.append(_grown(conversion, each, result))
    for each, new in zip(carried, yielded, strict=True):
        if isinstance(each.value, Array) and each.sizes is None and new is not each.argument:
            conversion.emit(memref.DeallocOp.get(each.argument))
    return [*yielded, *_left_over(conversion, carried, taken, gone)]


def _grown(conversion: Conversion, each: Carried, result: Array) -> SSAValue:
    """The buffer of the next value of an array that may change its size."""
    assert isinstance(each.value, Array)
    if result.buffer is each.value.buffer and result.is_whole:
        return each.argument
    return conversion.owned_copy(result)


def _take(
    conversion: Conversion,
    body: Block,
    carried: Sequence[Carried],
    results: Sequence[Leaf],
    gone: AbstractSet[SSAValue],
) -> dict[int, SSAValue]:
    """The buffer of the next value of each array that keeps its size.

    An array that is in a buffer of the loop keeps it, unless another one has it already: so arrays
    may change places. The result of a loop that took over the buffer is in one of its own. Others
    are copied into their second buffers.
    """
    arrays = {
        n: result
        for n, (each, result) in enumerate(zip(carried, results, strict=True))
        if each.sizes is not None and isinstance(result, Array)
    }
    taken = dict[int, SSAValue]()
    for number, result in arrays.items():
        if result.is_whole and result.buffer.memref in carried[number].buffers:
            taken[number] = result.buffer.memref
    buffers = {buffer for number in arrays for buffer in carried[number].buffers}
    for number, result in arrays.items():
        memory = result.buffer.memref
        if number in taken or not result.is_whole or memory in taken.values():
            continue
        if memory in buffers and memory.type == carried[number].argument.type:
            taken[number] = memory
    for number, result in arrays.items():
        is_lent = not gone.isdisjoint(carried[number].buffers)
        if is_lent and conversion.give_away(result):
            taken[number] = result.buffer.memref
        if number not in taken:
            spare = carried[number].second(body)
            conversion.copy(result, spare)
            taken[number] = spare.buffer.memref
    return taken


def _left_over(
    conversion: Conversion,
    carried: Sequence[Carried],
    taken: dict[int, SSAValue],
    gone: AbstractSet[SSAValue],
) -> list[SSAValue]:
    """The buffers for the second place of each array: those that no next value is in.

    Arrays that change places have the same sizes, and so have their buffers. If loops in the step
    took over both buffers of an array, one has the next value, and the other one is new.
    """
    groups = _groups(carried, taken)
    used = {*taken.values(), *gone}
    free = {
        number: [buffer for buffer in carried[number].buffers if buffer not in used]
        for number in taken
    }
    spares = [n for n, each in enumerate(carried) if each.spare is not None]
    chosen = dict[int, SSAValue]()
    for number in sorted(spares, key=lambda n: not free[n]):
        sources = [number, *(n for n in taken if groups[n] == groups[number])]
        source = next((n for n in sources if free[n]), None)
        chosen[number] = (
            new_buffer(conversion, carried[number]) if source is None else free[source].pop()
        )
    order = sorted(spares, key=lambda n: carried[n].place_of_spare())
    return [chosen[number] for number in order]


def new_buffer(conversion: Conversion, each: Carried) -> SSAValue:
    """The memory of a second buffer for an array, which a loop takes over."""
    assert isinstance(each.value, Array)
    assert each.sizes is not None
    array = conversion.allocate(each.value.element, each.sizes)
    conversion.give_away(array)
    return array.buffer.memref


def _groups(carried: Sequence[Carried], taken: dict[int, SSAValue]) -> dict[int, int]:
    """A number for each array: equal for those that change places."""
    groups = {number: number for number in taken}
    for number, buffer in taken.items():
        owner = next((n for n in taken if buffer in carried[n].buffers), number)
        old, new = groups[number], groups[owner]
        groups = {n: new if group == old else group for n, group in groups.items()}
    return groups
