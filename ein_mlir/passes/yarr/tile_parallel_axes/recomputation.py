"""Values that a group computes again, as it takes longer to read them from another group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.scopes import around, operands_within, operations_in, reached
from ein_mlir.analysis.yarr.parallel_axes import is_cheap
from ein_mlir.dialects import yarr
from ein_mlir.dialects.creation import copy_of
from ein_mlir.passes.yarr.tile_parallel_axes.groups import Group, passes

FEWEST_VALUES = 8
"""The fewest values that a group computes again: a few take little memory."""

PASSES_OF_MEMORY = 4
"""The passes over blocks in the cache that take as long as an array in memory."""

PASSES_OF_FUNCTION = 5
"""The passes that take as long as a function such as ``exp``."""


def recompute(groups: Sequence[Group]) -> bool:
    """Let groups compute again what they read from others, where that takes less time.

    Whether there are such groups.
    """
    owners = {op: number for number, group in enumerate(groups) for op in group.members}
    is_changed = False
    for number, group in enumerate(groups):
        for other, values in _values_read(number, group, owners).items():
            if len(values) >= FEWEST_VALUES:
                is_changed |= _recompute(group, groups[other], values)
    return is_changed


def _values_read(
    number: int, group: Group, owners: Mapping[Operation, int]
) -> Mapping[int, Set[SSAValue]]:
    """For each other group, the values of it that a group reads, and no third one."""
    found = defaultdict[int, set[SSAValue]](set)
    for value in {value for op in group.members for value in operands_within(op)}:
        other = _group_of(value, owners)
        if other not in (None, number) and {number, other}.issuperset(_readers(value, owners)):
            found[other].add(value)
    return found


def _group_of(value: SSAValue, owners: Mapping[Operation, int]) -> int | None:
    return owners.get(value.owner) if isinstance(value.owner, Operation) else None


def _readers(value: SSAValue, owners: Mapping[Operation, int]) -> Iterable[int | None]:
    """The groups that read a value; None for an operation that is in none."""
    for use in value.uses:
        yield next((owners[op] for op in around(use.operation) if op in owners), None)


def _recompute(group: Group, other: Group, values: Set[SSAValue]) -> bool:
    """Copy the operations of another group that compute some values, before their readers."""
    places = {op: place for place, op in enumerate(other.members)}
    needed = _computation(values, places)
    if not all(isinstance(op, yarr.ElementwiseOp) or is_cheap(op) for op in needed):
        return False
    if sum(map(_cost, needed)) > PASSES_OF_MEMORY * len(values):
        return False
    copies = dict[SSAValue, SSAValue]()
    for op in group.members:
        read = [value for value in operands_within(op) if value in values]
        for each in _computation(read, places):
            if each.results[0] not in copies:
                Rewriter.insert_op(copy_of(each, copies), InsertPoint.before(op))
        for inner in operations_in(op):
            inner.operands = [copies.get(operand, operand) for operand in inner.operands]
    return True


def _computation(
    values: Iterable[SSAValue], places: Mapping[Operation, int]
) -> Sequence[Operation]:
    """The operations among some that compute values, in order."""

    def inputs(value: SSAValue) -> Sequence[SSAValue]:
        op = value.owner
        return op.operands if isinstance(op, Operation) and op in places else ()

    owners = {value.owner for value in reached(values, inputs)}
    found = (op for op in owners if isinstance(op, Operation) and op in places)
    return sorted(found, key=places.__getitem__)


def _cost(op: Operation) -> int:
    """The passes of an operation."""
    functions = sum(map(is_function, operations_in(op)))
    return passes(op) + (PASSES_OF_FUNCTION - 1) * functions
