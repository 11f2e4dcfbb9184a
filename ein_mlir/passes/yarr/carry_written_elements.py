"""``carry-written-elements``: loops carry the elements that their last steps have written."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from xdsl.dialects import arith, func
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import Integers
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import dependents, operations_in, slice_within
from ein_mlir.analysis.yarr.written_elements import Written, collects, written_elements
from ein_mlir.dialects import yarr
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.yarr.constants import constant_value
from ein_mlir.dialects.yarr.integers import YarrLevel
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.yarr.builders import elementwise

MOST_STEPS_BACK = 4
"""The elements of at most so many steps are carried."""

STEPS_AHEAD = 2**31
"""Elements that so many later steps write are those of the initial value."""


def _end(op: yarr.FoldOp) -> yarr.YieldOp:
    last = op.body.block.last_op
    assert isinstance(last, yarr.YieldOp)
    return last


def _steps_back(take: yarr.TakeOp, written: Written) -> int | None:
    """How many steps ago the elements were written that an operation reads, if any step did it.

    At most 0 for elements that no step has written.
    """
    integers = Integers(YarrLevel())
    position, is_known = take.position, take.in_bounds is not None
    if (lower := _without_lower_bound(position)) is not None:
        position, is_known = lower, False
    distance = (integers.form(written.update.positions[0]) - integers.form(position)).known()
    if distance is None or distance % written.stride:
        return None
    steps = distance // written.stride
    least, most = (-STEPS_AHEAD, MOST_STEPS_BACK) if is_known else (0, 1)
    return steps if least <= steps <= most else None


def _without_lower_bound(position: SSAValue) -> SSAValue | None:
    """``e`` of ``max(e, 0)``: where an element was written, both are its position."""
    op = position.owner
    if not isinstance(op, yarr.ElementwiseOp) or not op.is_binary(arith.MaxSIOp):
        return None
    first, second = op.arguments
    return first if constant_value(second) == 0 else None


def _reads(op: yarr.FoldOp, written: Written) -> Mapping[yarr.TakeOp, int]:
    """The reads of elements that a step wrote, or none has written.

    All, if the array has no others; else those of the first kind that other accumulators depend on.
    """
    found = dict[yarr.TakeOp, int]()
    for take in op.body.block.ops:
        if not isinstance(take, yarr.TakeOp) or take.result.type != written.update.value.type:
            continue
        is_row = _source(take) == (written.update.array, written.update.axes[0])
        steps = _steps_back(take, written) if is_row else None
        if steps is not None:
            found[take] = steps
    if collects(op, written, reads=found):
        return found
    others = {value for k, value in enumerate(_end(op).values) if k != written.number}
    depends = partial(dependents, op.body.block)
    return {
        take: steps
        for take, steps in found.items()
        if steps > 0 and not depends(take.result).isdisjoint(others)
    }


def _source(take: yarr.TakeOp) -> tuple[SSAValue, int]:
    """The array that is read, and the axis: a matrix may be transposed."""
    array, axis = take.array, take.axis.value.data
    while True:
        match array.owner:
            case yarr.FillEmptyOp() as op if op.axis.value.data == axis:
                array = op.array
            case yarr.TransposeOp() as op if yarr.rank_of(array) == 2:
                array, axis = op.array, op.axes[axis]
            case _:
                return array, axis


def _first(op: yarr.FoldOp, written: Written, steps: int) -> yarr.TakeOp:
    """The element of the initial value that is read in the first step."""
    (position,), axis = written.update.positions, written.update.axes[0]
    zero = yarr.size_constant(0)
    known: dict[SSAValue, SSAValue] = {op.counter: zero.result}
    place = InsertPoint.before(op)
    Rewriter.insert_op(zero, place)
    for each in slice_within(op, [position]):
        Rewriter.insert_op(copy_of(each, known), place)
    back = yarr.size_constant(steps * written.stride)
    start = elementwise(arith.SubiOp, known.get(position, position), back.result)
    filled = yarr.FillEmptyOp(op.inits[written.number], axis)
    take = yarr.TakeOp(filled, axis, start)
    Rewriter.insert_op([back, start, filled, take], place)
    return take


def _read_initial(op: yarr.FoldOp, written: Written, take: yarr.TakeOp) -> None:
    """Read an element that no step has written from the initial value."""
    array, axis = op.inits[written.number], written.update.axes[0]
    Rewriter.replace_op(take, yarr.TakeOp(array, axis, take.position, in_bounds=True))


def _carry(op: yarr.FoldOp, written: Written, reads: Mapping[yarr.TakeOp, int]) -> yarr.FoldOp:
    """Carry the elements of the last steps in further accumulators, and read these."""
    most, end = max(reads.values()), _end(op)
    firsts = [_first(op, written, steps) for steps in range(1, most + 1)]
    block = op.body.block
    carried = [block.insert_arg(first.result.type, len(block.args)) for first in firsts]
    for take, steps in reads.items():
        carried[steps - 1].name_hint = take.result.name_hint
        Rewriter.replace_op(take, (), (carried[steps - 1],))
    following = [*end.values, written.update.value, *carried[:-1]]
    Rewriter.replace_op(end, yarr.YieldOp(*following))
    body = op.detach_region(op.body)
    loop = yarr.FoldOp(op.count, [*op.inits, *(first.result for first in firsts)], body)
    loop.attributes.update(op.attributes)
    loop.location = op.location
    Rewriter.insert_op(loop, InsertPoint.before(op))
    Rewriter.replace_op(op, (), loop.results[: len(op.results)])
    return loop


class CarryWrittenElementsPass(FunctionPass):
    """Carries the elements that a step writes to the next steps, if these read them.

    Before::

        %x, %y = yarr.fold (%k < %n, %a = %a0, %b = %b0) -> tensor<?xf64>, tensor<?xf64> {
          %p = yarr.take %a, 0, %k in_bounds : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
          %q = ..                                                       // of %p and %b
          %next = yarr.elementwise { arith.addi } %k, %one : ..
          %c = yarr.update %a[%next] along [0], %p2 in_bounds : ..
          %d = yarr.update %b[%next] along [0], %q in_bounds : ..
          yarr.yield %c, %d : tensor<?xf64>, tensor<?xf64>
        }

    After, with ``%first`` the element of ``%a0`` at 0::

        %x, %y, %_ = yarr.fold (%k < %n, %a = %a0, %b = %b0, %p = %first) -> .. {
          %q = ..
          %c = yarr.update %a[%next] along [0], %p2 in_bounds : ..
          %d = yarr.update %b[%next] along [0], %q in_bounds : ..
          yarr.yield %c, %d, %p2 : tensor<?xf64>, tensor<?xf64>, tensor<f64>
        }

    XLA overwrites an array of a loop only if nothing else reads it in the step: if the next value
    of another one depends on its elements, it copies the whole array in each step. So trajectories
    of several variables took quadratic time. The position of the update moves by a constant, and is
    in bounds; that of the read is the position of an earlier step. An array that no other depends
    on is overwritten anyway, but not its cotangent: if its own steps read it, and elements of the
    last steps alone, these are carried too, and elements that no step has written are read from the
    initial value. Then the array only collects rows.
    """

    name = "carry-written-elements"
    looks_for = (yarr.UpdateOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        loops = [op for op in operations_in(function) if isinstance(op, yarr.FoldOp)]
        for op in loops:
            for written in list(written_elements(op)):
                reads = _reads(op, written)
                for take in [take for take, steps in reads.items() if steps <= 0]:
                    _read_initial(op, written, take)
                if last := {take: steps for take, steps in reads.items() if steps > 0}:
                    op = _carry(op, written, last)
