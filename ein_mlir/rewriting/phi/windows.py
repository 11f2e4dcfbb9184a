"""Values of steps that are the same wherever the sum of an index and a counter is: as arrays."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.shifts import Shift
from ein_mlir.analysis.phi.speculation import Sized, is_required, negative_sizes
from ein_mlir.analysis.scopes import (
    blocks_around,
    captured,
    depth_of,
    is_within,
    operations_in,
    outermost_without,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.guarded_counts import if_any_step
from ein_mlir.rewriting.phi.insertion import Builder, Emitter


@dataclass(frozen=True)
class Window:
    """A value that varies with each counter only by its shift."""

    op: Operation
    shifts: Sequence[Shift]
    outermost: phi.FoldOp
    """The fold around all others."""
    indices: Sequence[BlockArgument]
    """The indices that it varies with, outermost first."""
    needed: Sequence[Operation]
    """The operations that compute it in order, ending with its own."""

    def captured(self) -> Iterator[SSAValue]:
        """The sizes, counts and other values that the array of its elements is computed from."""
        yield from (shift.fold.count for shift in self.shifts)
        yield from (phi.size_of_index(index) for index in self.indices)
        known = {*self.indices, *(shift.fold.counter for shift in self.shifts)}
        for op in self.needed:
            for value in (*op.operands, *captured(op)):
                if value not in known and value.owner not in self.needed:
                    yield value

    @property
    def place(self) -> Operation:
        """The outermost loop that defines no captured value: its steps share one array."""
        return outermost_without(self.outermost, self.captured())


def window_of(
    op: Operation, shifts: Sequence[Shift], is_fixed: Callable[[SSAValue], bool]
) -> Window | None:
    """The window of a value with some shifts; None if it varies with other variables of loops.

    Operations of fixed values are not part of it.
    """
    counters = {shift.fold.counter for shift in shifts}
    needed, indices, pending = {op}, set[BlockArgument](), [op]
    while pending:
        current = pending.pop()
        for value in (*current.operands, *captured(current)):
            owner = value.owner
            if isinstance(value, BlockArgument) and isinstance(value.type, IndexType):
                indices.add(value)
            elif value in counters or is_fixed(value):
                continue
            elif isinstance(owner, Block):
                return None
            elif owner not in needed:
                needed.add(owner)
                pending.append(owner)
    ordered = [each for block in blocks_around(op) for each in block.ops if each in needed]
    outermost = min((shift.fold for shift in shifts), key=depth_of)
    return Window(op, shifts, outermost, indices_around(op, indices), ordered)


def indices_around(op: Operation, which: Container[SSAValue]) -> list[BlockArgument]:
    """The given indices of the comprehensions around an operation, outermost first."""
    return [arg for block in blocks_around(op) for arg in block.args if arg in which]


@dataclass(frozen=True)
class Shared:
    """The operations that replace a window."""

    before: Sequence[Operation]
    """Those before the outermost loop; the last one is the comprehension of its elements."""
    at: Sequence[Operation]
    """Those in its place; the last one is the read of an element."""


def share_window(window: Window) -> Shared:
    """``f(i + k) --> v[i + k]``, with ``v = array (s < n + m - 1) { f(s) }`` before the loops"""
    before, at = Emitter(), Emitter()
    array = _elements(window, before)
    shifted = {shift.index: shift for shift in window.shifts}
    place = [
        _position(at, shifted[index]) if index in shifted else index for index in window.indices
    ]
    read = phi.GetOp(array, place)
    for op in (*before.ops, *at.ops, read):
        op.location = window.op.location
    read.result.name_hint = window.op.results[0].name_hint
    Rewriter.insert_op(before.ops, InsertPoint.before(window.place))
    Rewriter.replace_op(window.op, (*at.ops, read), (read.result,))
    return Shared(before.ops, (*at.ops, read))


def _elements(window: Window, build: Emitter) -> SSAValue:
    """The values at all positions: with counter 0, or the last one if that is subtracted."""
    one, zero = build.integer(1), build.integer(0)
    fixed = _counts(window, build)
    sizes = {index: phi.size_of_index(index) for index in window.indices}
    for shift in window.shifts:
        count = shift.fold.count
        last = build.sub(fixed.get(count, count), one)
        sizes[shift.index] = build.max(build.add(sizes[shift.index], last), zero)
        fixed[shift.fold.counter] = last if shift.is_reversed else zero

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        values = {**fixed, **dict[SSAValue, SSAValue](zip(window.indices, own, strict=True))}
        inner.copy_all(window.needed, values)
        return values[window.op.results[0]]

    return build.comprehension(list(sizes.values()), element, window.indices)


def _counts(window: Window, build: Emitter) -> dict[SSAValue, SSAValue]:
    """A valid count for each that may be negative: that is an error of the fold alone.

    A count of steps in the fold is one if the fold has steps, ``where(n > 0, m, 0)``.
    """
    fold = window.outermost
    sized = (op for each in window.needed for op in operations_in(each) if isinstance(op, Sized))
    inner = dict.fromkeys(size for op in sized for size in negative_sizes(op))
    known = {result for op in window.needed for result in op.results}
    counts = dict[SSAValue, SSAValue]()
    for count in inner:
        if count not in known and not is_within(count, window.place):
            if is_required(count, fold):
                counts[count] = build.count_or_none(count)
            else:
                counts[count] = if_any_step(build, fold, count)
    for shift in window.shifts:
        count = shift.fold.count
        if count not in counts and not is_nonnegative(count):
            counts[count] = build.count_or_none(count)
    return counts


def _position(build: Emitter, shift: Shift) -> SSAValue:
    """``index + counter``, or ``index + (count - 1 - counter)``"""
    step: SSAValue = shift.fold.counter
    if shift.is_reversed:
        step = build.sub(build.sub(shift.fold.count, 1), step)
    return build.add(build.as_int(shift.index), step)
