"""Fields that a loop may compute before all others, which read elements that are final."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.fold_components import fields_read
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.final_elements import FinalElements
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Leader:
    """An array that depends on no other field, though others depend on it."""

    field: int
    readers: Sequence[phi.GetOp | phi.SizeOp]
    """What a step reads of the array: elements that no later step writes, and sizes."""


def leaders(op: phi.FoldOp, forms: IndexForms) -> Iterator[Leader]:
    """The leaders among the fields of an accumulator.

    ``b[k] := b[k - 1] + x[k]`` leads ``a[k] := b[k - 1] * y[k]``.
    """
    read, steps = fields_read(op), leaf_values(op.yielded())
    if read is None:
        return
    for number, step in enumerate(steps):
        is_read = any(number in read.get(other, ()) for k, other in enumerate(steps) if k != number)
        is_alone = steps.count(step) == 1
        if is_read and is_alone and read.get(step) == frozenset({number}):
            readers = _readers(op, number, step, forms)
            if readers is not None:
                yield Leader(number, readers)


def _readers(
    op: phi.FoldOp, number: int, step: SSAValue, forms: IndexForms
) -> list[phi.GetOp | phi.SizeOp] | None:
    """What reads the array before or after the writes of a step; None for elements not final."""
    final = FinalElements(op, number, step, forms)
    if not final.writes:
        return None
    skipped = {write.target for write in final.writes} | {step.owner, op.body.block.last_op}
    olds = [x for each in op.body.block.ops for x in each.results]
    arrays = [x for x in olds if field_of(x, op.accumulator) == number]
    readers = list[phi.GetOp | phi.SizeOp]()
    for array in [*arrays, *(write.result for write in final.writes)]:
        for user in {use.operation for use in array.uses} - skipped:
            is_final = isinstance(user, phi.GetOp) and final.has(user, is_new=array is step)
            if not is_final and not isinstance(user, phi.SizeOp):
                if array is step and isinstance(user, phi.TupleOp) and _is_yielded(user, op):
                    continue
                return None
            assert isinstance(user, phi.GetOp | phi.SizeOp)
            readers.append(user)
    return readers


def _is_yielded(record: Operation, op: phi.FoldOp) -> bool:
    """Whether a record is the next accumulator, or a record in it, and nothing else."""
    while isinstance(record, phi.TupleOp) and record.result.has_one_use():
        (use,) = record.result.uses
        record = use.operation
    return record is op.body.block.last_op
