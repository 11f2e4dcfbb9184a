"""Accumulators of which each step of a loop writes the elements at one position."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xdsl.ir import Operation

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.integers import YarrLevel
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Written:
    """An update of an accumulator at a position that moves by ``stride`` in each step."""

    number: int
    """The accumulator."""
    update: yarr.UpdateOp
    start: LinearForm
    """The position in the first step."""
    stride: int

    @property
    def loop(self) -> yarr.FoldOp:
        """The loop that carries the accumulator."""
        loop = self.update.parent_op()
        assert isinstance(loop, yarr.FoldOp)
        return loop


def written_elements(op: yarr.FoldOp) -> Iterator[Written]:
    """The accumulators of which each step writes the elements at one position, in bounds."""
    integers, end = Integers(YarrLevel()), op.body.block.last_op
    assert isinstance(end, yarr.YieldOp)
    for number, (value, old) in enumerate(zip(end.values, op.accumulators, strict=True)):
        update = value.owner
        if not isinstance(update, yarr.UpdateOp) or update.array is not old:
            continue
        if update.in_bounds is None or update.condition is not None or len(update.axes) != 1:
            continue
        form = integers.form(update.positions[0])
        stride, start = form.split(op.counter)
        if stride and not any(is_within(atom, op) for atom in start.coefficients):
            yield Written(number, update, start, stride)


def collects(op: yarr.FoldOp, written: Written, reads: Collection[Operation] = ()) -> bool:
    """Whether neighbouring elements are written, and nothing reads the array but some reads.

    Its sizes are those of the initial value.
    """
    accumulator, result = op.accumulators[written.number], written.update.result
    ignored = {written.update, *reads}
    users = [use.operation for use in accumulator.uses]
    for user in users:
        if isinstance(user, yarr.FillEmptyOp | yarr.TransposeOp):
            users += [use.operation for use in user.result.uses]
        elif user not in ignored and not isinstance(user, yarr.SizeOp):
            return False
    return abs(written.stride) == 1 and result.has_one_use()


def collected_rows(op: yarr.FoldOp) -> dict[int, Written]:
    """The accumulators that only collect rows."""
    return {w.number: w for w in written_elements(op) if collects(op, w)}
