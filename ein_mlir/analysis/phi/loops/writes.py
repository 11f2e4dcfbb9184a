"""The writes of a step: the updates of the array that a fold carries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Write:
    """``base[i, .., p, ..] := value where tests hold``, for all indices of a comprehension around.

    There is no comprehension for a write of one element or row.
    """

    update: phi.UpdateOp
    around: phi.ArrayOp | None
    positions: Sequence[SSAValue]
    """The positions of the write, without the tests."""
    tests: Sequence[Test]

    @property
    def indices(self) -> Sequence[BlockArgument]:
        """The indices of the rows that are updated."""
        return self.around.indices if self.around is not None else ()

    @property
    def target(self) -> phi.UpdateOp | phi.GetOp:
        """The operation whose first operand is the array before the write."""
        row = self.update.array.owner
        return row if self.around is not None and isinstance(row, phi.GetOp) else self.update

    @property
    def base(self) -> SSAValue:
        """The array before the write."""
        return self.target.array

    @property
    def result(self) -> SSAValue:
        """The array after the write."""
        return self.update.result if self.around is None else self.around.result

    @property
    def depth(self) -> int:
        """The number of leading axes of the array that the write has an index or position for."""
        return len(self.indices) + len(self.positions)

    @property
    def parts(self) -> list[SSAValue]:
        """The values that a step computes for the write."""
        return [self.update.value, *(test.condition for test in self.tests), *self.positions]

    @property
    def row(self) -> phi.ArrayOp | None:
        """The comprehension of the written row; None for a scalar, or for another array."""
        owner = self.update.value.owner
        is_row = (
            isinstance(owner, phi.ArrayOp)
            and owner.parent is self.update.parent
            and owner.result.has_one_use()
            and len(owner.indices) == phi.rank_of(owner.result.type)
        )
        return owner if is_row and isinstance(owner, phi.ArrayOp) else None

    @property
    def element(self) -> SSAValue | None:
        """The value of a written element, in the innermost body; None if it has none."""
        if not phi.rank_of(self.update.value.type):
            return self.update.value
        return self.row.yielded() if self.row is not None else None

    @property
    def variables(self) -> list[SSAValue]:
        """The position of the written element along each axis."""
        row = self.row.indices if self.row is not None else ()
        return [*self.indices, *self.positions, *row]

    @property
    def bodies(self) -> list[Block]:
        """The bodies of the comprehensions around a written element, outermost first."""
        return [op.body.block for op in (self.around, self.row) if op is not None]


def writes_of(op: phi.FoldOp) -> list[Write] | None:
    """The writes of a step of a fold over an array, first to last; None if it does otherwise."""
    found = writes_behind(op.yielded(), op.body.block, lambda value: value is op.accumulator)
    return None if found is None else found[::-1]


def writes_behind(
    value: SSAValue, block: Block, is_base: Callable[[SSAValue], bool]
) -> list[Write] | None:
    """The writes, last to first, that a value of a body is made by from a base; None for others."""
    writes = list[Write]()
    while not is_base(value):
        write = last_write(value, block)
        if write is None:
            return None
        writes.append(write)
        value = write.base
    return writes


def last_write(value: SSAValue, block: Block) -> Write | None:
    """The write that an array is the result of, in the body of a fold."""
    last = value.owner
    if not isinstance(last, Operation) or last.parent is not block:
        return None
    around = last if isinstance(last, phi.ArrayOp) else None
    update = last if around is None else around.yielded().owner
    if not isinstance(update, phi.UpdateOp):
        return None
    if around is not None:
        row = update.array.owner
        if (
            not isinstance(row, phi.GetOp)
            or tuple(row.positions) != tuple(around.indices)
            or not row.result.has_one_use()
        ):
            return None
    found = [unconditional(position) for position in update.positions]
    tests = [test for _, tests in found for test in tests]
    return Write(update, around, [place for place, _ in found], tests)


def unconditional(position: SSAValue) -> tuple[SSAValue, list[Test]]:
    """``select (c, p, -1)`` as p under the test c: an update at -1 has no effect."""
    tests = list[Test]()
    while isinstance(choice := position.owner, arith.SelectOp):
        if _is_before(choice.rhs):
            position, expected = choice.lhs, True
        elif _is_before(choice.lhs):
            position, expected = choice.rhs, False
        else:
            break
        tests.append(Test(choice.cond, expected))
    return position, tests


def _is_before(position: SSAValue) -> bool:
    """Whether a position is provably negative."""
    number = known_int(position)
    return number is not None and number < 0


def readers_of(op: phi.FoldOp, writes: Sequence[Write]) -> Iterator[Operation]:
    """The operations that read elements of the array before or between writes, not just sizes."""
    arrays = {write.base for write in writes} | {op.accumulator}
    skipped = {part for write in writes for part in (write.update, write.update.array.owner)}
    for each in slice_of(op.body.block, [op.yielded()]):
        for inner in each.walk():
            if (
                inner not in skipped
                and not isinstance(inner, phi.SizeOp)
                and not arrays.isdisjoint(inner.operands)
            ):
                yield inner
