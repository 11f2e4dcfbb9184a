"""Comprehensions whose elements are computed in the loop of the operation that reads them.

An array is not stored if a scan is its only user, and its elements are cheap: that loop is in
order, so other elements are better computed by threads. Nor is it if the search for its best
elements is: threads search, and few elements are computed twice. Nor is one of which only sizes are
read: these have been checked.
"""

from __future__ import annotations

from math import inf

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.element_cost import CHEAP, total_cost
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi


def deferred_arrays(function: func.FuncOp) -> set[phi.ArrayOp]:
    """The comprehensions of a function that are computed by their users."""
    found = set[phi.ArrayOp]()
    for op in operations_in(function):
        if isinstance(op, phi.ScanOp | phi.TopKOp):
            array = array_of(op.vec)
            if array is not None and _is_deferrable(array, op):
                found.add(array)
        elif isinstance(op, phi.ArrayOp) and has_only_sizes(op):
            found.add(op)
    return found


def has_only_sizes(array: phi.ArrayOp) -> bool:
    """Whether only the sizes of the indices of a comprehension are read."""
    users = [use.operation for use in array.result.uses]
    return all(isinstance(op, phi.SizeOp) and op.axis.value.data < len(array.sizes) for op in users)


def array_of(value: SSAValue) -> phi.ArrayOp | None:
    """The comprehension that computes an array, or the records that it is a field of."""
    if isinstance(value.owner, phi.ProjOp):
        value = value.owner.record
    return value.owner if isinstance(value.owner, phi.ArrayOp) else None


def _is_deferrable(array: phi.ArrayOp, user: phi.ScanOp | phi.TopKOp) -> bool:
    """Whether an array has elements without loops, which a user next to it reads alone.

    Those that a scan reads are cheap.
    """
    if array.parent is not user.parent or len(array.indices) != 1:
        return False
    element = array.yielded()
    fields = element.owner.fields if isinstance(element.owner, phi.TupleOp) else (element,)
    if not all(phi.is_scalar_type(field.type) for field in fields):
        return False
    most = inf if isinstance(user, phi.TopKOp) else CHEAP + 1
    is_taken = total_cost(array.body.block.ops) < most
    return is_taken and _is_read_by(array, user) and _is_unchanged(array, user)


def _is_read_by(array: phi.ArrayOp, user: Operation) -> bool:
    """Whether an operation alone reads an array, or the fields of its records."""
    users = [use.operation for use in array.result.uses]
    fields = [op for op in users if isinstance(op, phi.ProjOp)]
    users = [op for op in users if op not in fields]
    users += [use.operation for field in fields for use in field.result.uses]
    return set(users) == {user}


def _is_unchanged(array: phi.ArrayOp, user: Operation) -> bool:
    """Whether no operation between a comprehension and its user may overwrite an array.

    A comprehension may: one that computes an accumulator in place.
    """
    op: Operation | None = array.next_op
    while op is not None and op is not user:
        is_scalar = all(phi.is_scalar_type(result.type) for result in op.results)
        is_plain = isinstance(op, phi.ProjOp) or (is_scalar and not op.regions)
        if not is_plain:
            return False
        op = op.next_op
    return op is user
