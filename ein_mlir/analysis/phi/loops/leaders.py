"""Fields that a loop may compute before all others, which read elements that are final."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.fold_components import fields_read
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.final_elements import FinalElements
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Leader:
    """An array that depends on no other field, though others depend on it."""

    field: int
    readers: Sequence[phi.GetOp | phi.SizeOp]
    """What a step reads of the array: elements that no later step writes, and sizes."""
    early: Sequence[phi.GetOp]
    """The reads of elements that no step before has written."""


def leaders(op: phi.FoldOp, forms: IndexForms) -> Iterator[Leader]:
    """The leaders among the fields of an accumulator.

    ``b[k] := b[k - 1] + x[k]`` leads ``a[k] := b[k - 1] * y[k]``, by final elements, and
    ``b[k] := b[k] * y`` leads ``a[k] := b[k]``, by initial ones.
    """
    read, steps = fields_read(op), leaf_values(op.yielded())
    if read is None:
        return
    for number, step in enumerate(steps):
        is_read = any(number in read.get(other, ()) for k, other in enumerate(steps) if k != number)
        is_alone = steps.count(step) == 1
        if is_read and is_alone and read.get(step) == frozenset({number}):
            leader = _leader(op, number, step, forms)
            if leader is not None:
                yield leader


def _leader(op: phi.FoldOp, number: int, step: SSAValue, forms: IndexForms) -> Leader | None:
    """An array by what reads it before or after the writes of a step.

    None if some elements are neither final nor initial.
    """
    final = FinalElements(op, number, step, forms)
    if not final.writes:
        return None
    others = [value for value in leaf_values(op.yielded()) if value is not step]
    needed = {each for own in slice_of(op.body.block, others) for each in operations_in(own)}
    needed -= {write.target for write in final.writes}
    olds = [x for each in op.body.block.ops for x in each.results]
    arrays = [x for x in olds if field_of(x, op.accumulator) == number]
    news = [write.result for write in final.writes]
    if not {*arrays, *news}.isdisjoint(others):
        return None  # another field is the array as a whole
    readers, early = list[phi.GetOp | phi.SizeOp](), list[phi.GetOp]()
    for array in [*arrays, *news]:
        for user in needed.intersection(use.operation for use in array.uses):
            if isinstance(user, phi.SizeOp):
                readers.append(user)
            elif not isinstance(user, phi.GetOp):
                return None
            elif final.has(user, is_new=array is step):
                readers.append(user)
            elif array in arrays and final.is_initial(user):
                early.append(user)
            else:
                return None
    return Leader(number, readers, early)
