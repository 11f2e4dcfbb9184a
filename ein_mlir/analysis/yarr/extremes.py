"""Extremes of an array beside the search for their positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Operation

from ein_mlir.dialects import yarr

_COMBINED = {">": "arith.maximumf", "<": "arith.minimumf"}
"""The operation that combines the elements that a search for the first of the best prefers."""

OperationT = TypeVar("OperationT", yarr.ReduceOp, yarr.ArgreduceOp)


def search_beside(op: yarr.ReduceOp) -> yarr.ArgreduceOp | None:
    """The search for the positions of the floats that a reduction finds, in the same block."""
    found = (each for each in _users(op, yarr.ArgreduceOp) if _are_alike(op, each))
    return next(found, None)


def extremes_beside(op: yarr.ArgreduceOp) -> yarr.ReduceOp | None:
    """The reduction that finds the floats whose positions a search finds, in the same block."""
    found = (each for each in _users(op, yarr.ReduceOp) if search_beside(each) is op)
    return next(found, None)


def _users(op: yarr.ReduceOp | yarr.ArgreduceOp, kind: type[OperationT]) -> Iterator[OperationT]:
    """The operations of a kind that take the array of another one, in its block."""
    users: Iterator[Operation] = (use.operation for use in op.array.uses)
    return (each for each in users if isinstance(each, kind) and each.parent is op.parent)


def _are_alike(op: yarr.ReduceOp, search: yarr.ArgreduceOp) -> bool:
    """Whether a reduction and a search prefer the same floats along one axis."""
    return (
        op.axes == (search.axis.value.data,)
        and op.combine == _COMBINED.get(search.predicate.data)
        and isinstance(yarr.element_of(op.array), Float32Type | Float64Type)
    )
