"""Accumulators that are combined after the loop share memory: the loop combines them in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, takes_any_order
from ein_mlir.dialects.reductions import combination

Shared: TypeAlias = Mapping[int, tuple[int, phi.GetOp]]
"""Accumulators in the memory of an earlier one, with the read that then is the identity."""


def shared_accumulators(op: phi.AccumulateOp) -> Shared:
    """``a, b = accumulate into "add" (m), "add" (m); array (i < m) { a[i] + b[i] }``  -->
    ``a`` in which the values of both are added; ``b[i] == 0``

    Each is read in one place, and combined there with the other at the same positions. Products of
    Floats stay apart: in another order they may overflow.
    """
    firsts, shared = dict[object, int](), dict[int, tuple[int, phi.GetOp]]()
    for number, read in _only_reads(op):
        accumulator = op.accumulators[number]
        combine = _combines(accumulator.kind, read.result.type)
        if combine is None:
            continue
        places = tuple(map(phi.uncast, read.positions))
        key = (combine, _combined(read.result, combine), places, tuple(accumulator.extents))
        first = firsts.setdefault(key, number)
        if first != number:
            shared[number] = (first, read)
    return shared


def _only_reads(op: phi.AccumulateOp) -> Iterator[tuple[int, phi.GetOp]]:
    """The accumulators of which one operation reads one element, and nothing else reads any."""
    users = [use.operation for use in op.result.uses]
    fields = [each for each in users if isinstance(each, phi.ProjOp)]
    if len(op.accumulators) == 1 or len(fields) < len(users):
        return
    for number, accumulator in enumerate(op.accumulators):
        own = [each.result for each in fields if each.field.value.data == number]
        reads = [use.operation for value in own for use in value.uses]
        if len(own) == 1 and len(reads) == 1 and isinstance(read := reads[0], phi.GetOp):
            rank = phi.rank_of(read.array.type)
            if read.array is own[0] and len(read.positions) == len(accumulator.extents) == rank:
                yield number, read


def _combines(kind: str, type_: Attribute) -> type[Operation] | None:
    """The operation of a kind, if values may be combined in any order."""
    name = combination(kind, type_)
    return OPERATIONS[name] if name is not None and takes_any_order(name) else None


def _combined(value: SSAValue, combine: type[Operation]) -> SSAValue:
    """The result of all operations of a class that only lead to each other, from a value on."""
    while value.has_one_use():
        (use,) = value.uses
        if not isinstance(use.operation, combine) or use.operation.parent is not value.owner.parent:
            break
        (value,) = use.operation.results
    return value
