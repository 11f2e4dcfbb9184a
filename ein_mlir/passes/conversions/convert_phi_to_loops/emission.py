"""The emission of operations of loops: scalars, checks, loops and memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import reduce
from typing import Any, TypeVar

from xdsl.builder import Builder
from xdsl.dialects import arith, cf, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.arithmetic import MOST, SUMS_OF_SIZES, Range
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.creation import integer_attribute, made, made_like
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_phi_to_loops.values import (
    Array,
    Buffer,
    buffer_type,
    element_of,
)

OperationT = TypeVar("OperationT", bound=Operation)

INDEX = IndexType()


@dataclass
class Frame:
    """A block that is being emitted, and the memory that is released at the end of it."""

    builder: Builder
    allocated: list[SSAValue] = field(default_factory=list[SSAValue])
    guarded: list[tuple[SSAValue, SSAValue]] = field(
        default_factory=list[tuple[SSAValue, SSAValue]]
    )
    """Memory that exists only if a condition holds, and that condition."""


class Emission:
    """Emits operations into blocks: scalars, checks, loops and memory."""

    def __init__(self) -> None:
        self.operands: SSAValue | None = None
        """The last argument of the function: the numbers of a failing assertion."""
        self._frames: list[Frame] = []
        self._constants: dict[Attribute, SSAValue] = {}
        self._exemptions = list[SSAValue]()
        """Conditions under which no check is made."""

    @property
    def frame(self) -> Frame:
        """The innermost block that is being emitted."""
        return self._frames[-1]

    def emit(self, op: OperationT, like: Operation | None = None) -> OperationT:
        """Insert an operation, with the source location and the names of ``like``."""
        if like is not None:
            op.location = like.location
            for result, source in zip(op.results, like.results, strict=False):
                result.name_hint = source.name_hint
        return self.frame.builder.insert(op)

    def value_of(self, op: Operation) -> SSAValue:
        """Insert an operation, and return its value."""
        return self.emit(op).results[0]

    @contextmanager
    def emitting_into(self, block: Block) -> Generator[Frame]:
        """Emit operations at the end of a block, and release its memory before it ends."""
        frame = Frame(Builder(InsertPoint.at_end(block)))
        self._frames.append(frame)
        try:
            yield frame
        finally:
            self._frames.pop()
        _release(block, frame)

    def constant(self, value: IntegerAttr[Any] | FloatAttr[Any]) -> SSAValue:
        """A literal, once for each function."""
        if value not in self._constants:
            op = made(arith.ConstantOp, (), (value.type,), {"value": value})
            block = self._frames[0].builder.insertion_point.block
            Builder(InsertPoint.at_start(block)).insert(op)
            self._constants[value] = op.result
        return self._constants[value]

    def index(self, value: int) -> SSAValue:
        """A literal of type ``index``."""
        return self.constant(integer_attribute(value, INDEX))

    def number(self, value: float, type_: Attribute) -> SSAValue:
        """A literal of a scalar type."""
        if isa(type_, IntegerType) or isinstance(type_, IndexType):
            return self.constant(integer_attribute(int(value), type_))
        assert isa(type_, AnyFloat)
        return self.constant(FloatAttr(float(value), type_))

    def cast(self, value: SSAValue, type_: Attribute) -> SSAValue:
        """An Int as an index, or an index as an Int."""
        if value.type == type_:
            return value
        source = value.owner
        if isinstance(source, arith.IndexCastOp) and source.input.type == type_:
            return source.input
        if isinstance(source, arith.ConstantOp) and isinstance(source.value, IntegerAttr):
            return self.constant(IntegerAttr(source.value.value.data, type_))  # pyright: ignore
        return self.value_of(made(arith.IndexCastOp, (value,), (type_,)))

    def compare(self, lhs: SSAValue, rhs: SSAValue, predicate: str) -> SSAValue:
        """A comparison of integers."""
        number = integer_attribute(arith.CMPI_COMPARISON_OPERATIONS.index(predicate), i64)
        return self.value_of(made(arith.CmpiOp, (lhs, rhs), (i1,), {"predicate": number}))

    def check(
        self, holds: SSAValue, message: str, lhs: SSAValue, rhs: SSAValue | None = None
    ) -> None:
        """Assert a condition; ``lhs`` and ``rhs`` are the numbers of its message."""
        assert self.operands is not None
        for exemption in self._exemptions:
            holds = self.value_of(made_like(arith.OrIOp, holds, exemption))
        fails = self.value_of(
            made_like(arith.XOrIOp, holds, self.constant(integer_attribute(1, i1)))
        )
        then = Block()
        with self.emitting_into(then):
            for place, number in enumerate((lhs, rhs)):
                if number is not None:
                    number = self.cast(number, i64)
                    self.emit(memref.StoreOp.get(number, self.operands, [self.index(place)]))
            self.emit(scf.YieldOp())
        self.emit(scf.IfOp(fails, [], Region(then)))
        self.emit(cf.AssertOp(holds, message))

    def check_size(self, number: SSAValue, range_: Range, what: str) -> None:
        """Assert that an Int of a range is a size or count."""
        for is_possible, predicate, bound, problem in (
            (range_.low < 0, "sge", 0, "negative"),
            (range_.high > SUMS_OF_SIZES.high, "sle", MOST, "too large"),
        ):
            if is_possible:
                holds = self.compare(number, self.number(bound, number.type), predicate)
                self.check(holds, f"{_escaped(what)} is {problem}: {{0}}", number)

    def check_equal(self, lhs: SSAValue, rhs: SSAValue, message: str) -> None:
        """Assert that two Ints or sizes are equal."""
        if lhs is not rhs:
            holds = self.compare(lhs, rhs, "eq")
            self.check(holds, f"{_escaped(message)}: {{0}} != {{1}}", lhs, rhs)

    # Loops

    def parallel(
        self, sizes: Sequence[SSAValue], body: Callable[[Sequence[SSAValue]], None]
    ) -> None:
        """A loop over indices in any order; the outermost index first."""
        block = Block(arg_types=[INDEX] * len(sizes))
        with self.emitting_into(block):
            body(block.args)
            self.emit(scf.ReduceOp())
        zero, one = self.index(0), self.index(1)
        count = len(sizes)
        self.emit(scf.ParallelOp([zero] * count, sizes, [one] * count, Region(block)))

    def sequential(
        self,
        count: SSAValue,
        initial: Sequence[SSAValue],
        step: Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """A loop in order that carries values; its results are their final values."""
        block = Block(arg_types=[INDEX, *(value.type for value in initial)])
        with self.emitting_into(block):
            self.emit(scf.YieldOp(*step(block.args[0], block.args[1:])))
        loop = scf.ForOp(self.index(0), count, self.index(1), initial, Region(block))
        return self.emit(loop).res

    def nest(self, sizes: Sequence[SSAValue], body: Callable[[Sequence[SSAValue]], None]) -> None:
        """Loops in order over positions, the outermost first."""

        def step(inner: Sequence[SSAValue], positions: Sequence[SSAValue]) -> tuple[()]:
            if inner:
                self.sequential(inner[0], [], lambda k, _: step(inner[1:], (*positions, k)))
            else:
                body(positions)
            return ()

        step(sizes, ())

    def when(self, condition: SSAValue, body: Callable[[], None]) -> None:
        """Emit operations that run if a condition holds."""
        then = Block()
        with self.emitting_into(then):
            body()
            self.emit(scf.YieldOp())
        self.emit(scf.IfOp(condition, [], Region(then)))

    def choose(
        self, condition: SSAValue, then: Callable[[], None], otherwise: Callable[[], None]
    ) -> None:
        """Emit operations that run if a condition holds, and others that run if not."""
        blocks = [Block(), Block()]
        for block, body in zip(blocks, (then, otherwise), strict=True):
            with self.emitting_into(block):
                body()
                self.emit(scf.YieldOp())
        first, second = map(Region, blocks)
        self.emit(scf.IfOp(condition, [], first, second))

    # Memory

    def allocate(self, element: Attribute, sizes: Sequence[SSAValue]) -> Array:
        """A fresh array, released at the end of the block unless it is given away."""
        op = self.emit(memref.AllocOp(sizes, (), buffer_type(element, len(sizes))))
        self.frame.allocated.append(op.memref)
        return Array(Buffer(op.memref, tuple(sizes), op), own=True)

    def adopt(self, value: SSAValue, sizes: Sequence[SSAValue] | None = None) -> Array:
        """An array that an operation of the current block allocated, by default of any sizes."""
        self.frame.allocated.append(value)
        home = value.owner
        if sizes is None:
            sizes = self.dimensions(value)
            home = sizes[-1].owner
        return Array(Buffer(value, tuple(sizes), home), own=True)

    def dimensions(self, value: SSAValue) -> list[SSAValue]:
        """The sizes of a buffer."""
        assert isa(value.type, MemRefType)
        axes = map(self.index, range(value.type.get_num_dims()))
        return [self.value_of(memref.DimOp(value, axis)) for axis in axes]

    def give_away(self, array: Array) -> bool:
        """Give the memory of an array to another owner, if the current block owns all of it."""
        allocated = self.frame.allocated
        if not array.is_whole or not array.own or array.buffer.memref not in allocated:
            return False
        allocated.remove(array.buffer.memref)
        return True

    def owned_copy(self, array: Array) -> SSAValue:
        """The memory of an array, or of a copy of it, that the current block no longer owns."""
        if not self.give_away(array):
            array = self.copied(array)
            self.give_away(array)
        return array.buffer.memref

    def copied(self, array: Array, into: Array | None = None) -> Array:
        """A copy of an array, in fresh memory unless there is an array to copy it into."""
        copy = into or self.allocate(array.element, array.sizes)
        if not array.buffer.is_undefined:
            self.copy(array, copy)
        return copy

    def copy(self, source: Array, target: Array) -> None:
        """Copy the elements of an array."""
        self.parallel(
            list(source.sizes), lambda at: self.store(self.load(source.at(at)), target.at(at))
        )

    def fill(self, target: Array, value: SSAValue) -> None:
        """Set all elements of an array."""
        self.parallel(list(target.sizes), lambda at: self.store(value, target.at(at)))

    def load(self, scalar: Array) -> SSAValue:
        """The scalar at the prefix of an array of no axes."""
        source = self.filled(scalar.buffer) if scalar.reads_filled else scalar.buffer.memref
        assert isa(source.type, MemRefType)
        return self.value_of(
            made(memref.LoadOp, (source, *scalar.prefix), (source.type.element_type,))
        )

    def store(self, value: SSAValue, scalar: Array) -> None:
        """Set the scalar at the prefix of an array of no axes."""
        self.emit(made(memref.StoreOp, (value, scalar.buffer.memref, *scalar.prefix)))

    def filled(self, buffer: Buffer) -> SSAValue:
        """A buffer that is safe to read at clipped positions: zeros, if it has no elements."""
        if buffer.filled is None:
            with self._at_home(buffer) as frame:
                buffer.filled = self._fill_empty(buffer, frame)
        return buffer.filled

    def _zeros(self, buffer: Buffer) -> SSAValue:
        """Zeros to read in place of a buffer, allocated before the loops that carry the array."""
        if buffer.outer is not None:
            return self._zeros(buffer.outer)
        if buffer.zeros is None:
            with self._at_home(buffer) as frame:
                is_empty, none = self._is_empty(buffer), self.index(0)
                sizes = [
                    self.value_of(arith.SelectOp(is_empty, size, none))
                    for size in self._sizes_of_zeros(buffer)
                ]
                buffer.zeros = self._filled_with_zeros(buffer, sizes)
                frame.allocated.append(buffer.zeros)
        return buffer.zeros

    @contextmanager
    def _at_home(self, buffer: Buffer) -> Generator[Frame]:
        """Emit where a buffer becomes available; the frame of that block releases the memory."""
        home = buffer.home
        point = InsertPoint.at_start(home) if isinstance(home, Block) else InsertPoint.after(home)
        frame = next(f for f in self._frames if f.builder.insertion_point.block is point.block)
        self._frames.append(Frame(Builder(point)))
        yield frame
        self._frames.pop()

    def _fill_empty(self, buffer: Buffer, frame: Frame) -> SSAValue:
        """``if some size is 0 { zeros of sizes max(n, 1) } else { buffer }``"""
        if not any(map(_may_be_zero, buffer.sizes)):
            return buffer.memref
        is_empty = self._is_empty(buffer)
        zeros = None if buffer.outer is None else self._zeros(buffer.outer)
        then, otherwise = Block(), Block()
        with self.emitting_into(then):
            fresh = zeros or self._filled_with_zeros(buffer, self._sizes_of_zeros(buffer))
            self.emit(scf.YieldOp(fresh))
        with self.emitting_into(otherwise):
            self.emit(scf.YieldOp(buffer.memref))
        choice = scf.IfOp(is_empty, [buffer.memref.type], Region(then), Region(otherwise))
        result = self.emit(choice).output[0]
        if zeros is None:
            frame.guarded.append((result, is_empty))
        return result

    def _is_empty(self, buffer: Buffer) -> SSAValue:
        """Whether some size of a buffer is 0."""
        sizes = filter(_may_be_zero, buffer.sizes)
        empty = (self.compare(size, self.index(0), "eq") for size in sizes)
        return reduce(lambda one, other: self.value_of(arith.OrIOp(one, other)), empty)

    def _sizes_of_zeros(self, buffer: Buffer) -> list[SSAValue]:
        """``max(n, 1)`` along each axis."""
        one = self.index(1)
        return [
            self.value_of(arith.MaxSIOp(size, one)) if _may_be_zero(size) else size
            for size in buffer.sizes
        ]

    def _filled_with_zeros(self, buffer: Buffer, sizes: Sequence[SSAValue]) -> SSAValue:
        """Zeros of some sizes, of the type of a buffer; the caller releases them."""
        element = element_of(buffer.memref)
        zeros = self.allocate(element, sizes)
        self.fill(zeros, self.number(0, element))
        self.give_away(zeros)
        return zeros.buffer.memref


def _may_be_zero(size: SSAValue) -> bool:
    """Whether a size is not a positive constant."""
    return not known_int(size)


def _release(block: Block, frame: Frame) -> None:
    """Release the memory that a block allocated, after its last use."""
    if not frame.allocated and not frame.guarded:
        return
    order = {op: number for number, op in enumerate(block.ops)}
    for value, condition in reversed(frame.guarded):
        then = Block([memref.DeallocOp.get(value), scf.YieldOp()])
        _insert_after_last_use(block, order, value, scf.IfOp(condition, [], Region(then)))
    for value in frame.allocated:
        _insert_after_last_use(block, order, value, memref.DeallocOp.get(value))


def _insert_after_last_use(
    block: Block, order: dict[Operation, int], value: SSAValue, release: Operation
) -> None:
    last: Operation | None = value.owner if isinstance(value.owner, Operation) else None
    pending, place = [value], -1 if last is None else order.get(last, -1)
    while pending:
        for use in pending.pop().uses:
            op = block.find_ancestor_op_in_block(use.operation)
            if op is None or op not in order:
                continue
            if order[op] > place:
                last, place = op, order[op]
            if isinstance(use.operation, scf.YieldOp):
                pending.extend(r for r in op.results if r.type == value.type)
    assert last is not None
    if last is block.last_op:
        block.insert_op_before(release, last)
    else:
        block.insert_op_after(release, last)


def _escaped(text: str) -> str:
    """A text for the message of an assertion: braces are doubled."""
    return text.replace("{", "{{").replace("}", "}}")
