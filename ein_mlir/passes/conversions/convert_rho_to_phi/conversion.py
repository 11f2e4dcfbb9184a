"""Values of rho as values of phi, and the operations of phi that rules make."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, f64, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.dialects import phi, rho
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Value:
    """A value: a number or an array of phi, an Int, or the list of the parts of a vector."""

    rank: int
    ssa: SSAValue | None = None
    integer: SSAValue | None = None
    parts: tuple[Value, ...] | None = None
    constant: float | None = None


Numbers: TypeAlias = Callable[[Sequence[Value]], Value]


Rules: TypeAlias = "Mapping[type[Operation], Callable[[Conversion, Any], Value]]"
"""Operation -> its rule."""


class Conversion:
    """Makes operations of phi, in the body that is current."""

    def __init__(self, rules: Rules):
        self._rules = rules
        self.operations = list[Operation]()
        self._values = dict[SSAValue, Value]()
        self._functions = dict[str, rho.FunctionOp]()
        self._active = list[str]()
        self._guards = list[SSAValue]()

    def bind(self, old: SSAValue, value: Value) -> None:
        """Let a value of rho be a value of phi."""
        self._values[old] = value

    def of(self, old: SSAValue) -> Value:
        """The value of phi."""
        return self._values[old]

    def body(self, block: Block) -> Value:
        """The value of a body, whose operations are converted here."""
        for op in block.ops:
            if isinstance(op, rho.YieldOp):
                return self.of(op.value)
            if isinstance(op, rho.FunctionOp):
                self._functions[op.sym_name.data] = op
            else:
                self.bind(op.results[0], self._rules[type(op)](self, op))
        raise AssertionError("a body ends in rho.yield")

    # Operations of phi

    def emit(self, op: Operation) -> Any:
        """Add an operation; its result, if it has one."""
        self.operations.append(op)
        return op.results[0] if op.results else None

    def int_constant(self, number: int) -> SSAValue:
        """An Int."""
        return self.emit(arith.ConstantOp(IntegerAttr(number, i64)))

    def literal(self, number: float) -> Value:
        """A number, which is an Int if it is an integer."""
        if number.is_integer() and abs(number) < 2**53:
            return Value(0, integer=self.int_constant(int(number)), constant=number)
        return Value(0, self.emit(arith.ConstantOp(FloatAttr(number, f64))), constant=number)

    def number(self, value: Value) -> SSAValue:
        """A scalar as a float."""
        if value.ssa is not None:
            return value.ssa
        return self.emit(arith.SIToFPOp(value.integer, f64))  # pyright: ignore[reportArgumentType]

    def integer(self, value: Value) -> SSAValue:
        """A scalar as an Int."""
        if value.integer is not None:
            return value.integer
        assert value.ssa is not None
        return self.emit(arith.FPToSIOp(value.ssa, i64))

    def array(self, value: Value) -> SSAValue:
        """A value that is no scalar as an array."""
        if value.parts is None:
            assert value.ssa is not None
            return value.ssa
        numbers = [self.number(part) for part in value.parts] or [self.number(self.literal(0.5))]

        def element(index: Sequence[Value]) -> Value:
            found = numbers[-1]
            for k in reversed(range(len(numbers) - 1)):
                is_here = self.compared("eq", self.integer(index[0]), self.int_constant(k))
                found = self.emit(arith.SelectOp(is_here, numbers[k], found))
            return Value(0, found)

        return self.comprehension([self.int_constant(len(value.parts))], element)

    def comprehension(self, sizes: Sequence[SSAValue], element: Numbers) -> SSAValue:
        """``array (i < n, ..) { element([i, ..]) }``"""
        block = Block(arg_types=[IndexType()] * len(sizes))
        with self._in(block):
            index = [self.emit(arith.IndexCastOp(arg, i64)) for arg in block.args]
            value = element([Value(0, integer=each) for each in index])
            self.emit(phi.YieldOp(self.array(value) if value.rank else self.number(value)))
        return self.emit(phi.ArrayOp(sizes, Region(block)))

    def fold(
        self, count: SSAValue, start: SSAValue, step: Callable[[SSAValue, SSAValue], SSAValue]
    ) -> SSAValue:
        """``fold (k < n, x = start) { step(k, x) }``"""
        block = Block(arg_types=[i64, start.type])
        with self._in(block):
            self.emit(phi.YieldOp(step(*block.args)))
        return self.emit(phi.FoldOp(count, start, Region(block)))

    @contextmanager
    def _in(self, block: Block) -> Generator[None]:
        outer, self.operations = self.operations, list[Operation]()
        yield
        block.add_ops(self.operations)
        self.operations = outer

    def compared(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """A comparison of Ints."""
        return self.emit(arith.CmpiOp(lhs, rhs, predicate))

    def size(self, value: Value, axis: int) -> SSAValue:
        """A size as an Int."""
        if value.parts is not None:
            return self.int_constant(len(value.parts))
        return self.emit(phi.SizeOp(self.array(value), axis))

    def sizes(self, value: Value) -> list[SSAValue]:
        """All sizes."""
        return [self.size(value, axis) for axis in range(value.rank)]

    def at(self, value: Value, index: Sequence[Value]) -> Value:
        """The part at an index."""
        if not index:
            return value
        k = index[0].constant
        if value.parts is not None and k is not None and 0 <= k < len(value.parts):
            return value.parts[int(k)]
        positions = [self.integer(position) for position in index]
        found = self.emit(phi.GetOp(self.array(value), positions))
        return Value(value.rank - len(index), found)

    def guarded_size(self, size: SSAValue) -> SSAValue:
        """A size, and 0 in a branch that is not taken: it may be negative there."""
        for guard in self._guards:
            size = self.emit(arith.SelectOp(guard, size, self.int_constant(0)))
        return size

    def equal_sizes(self, a: SSAValue, b: SSAValue, what: str) -> SSAValue:
        """A size that both are, in a branch that is taken."""
        for guard in self._guards:
            b = self.emit(arith.SelectOp(guard, b, a))
        return self.emit(phi.AssertEqOp(a, b, what))

    @contextmanager
    def guard(self, condition: SSAValue) -> Generator[None]:
        """The operations of a branch."""
        self._guards.append(condition)
        yield
        self._guards.pop()

    def mapped(self, values: Sequence[Value], sizes: Sequence[SSAValue], each: Numbers) -> Value:
        """``each`` of the elements of arrays of some sizes; a scalar is the same for all."""
        rank = len(sizes)
        if rank == 0:
            return each(values)
        arrays = [Value(v.rank, self.array(v)) if v.rank else v for v in values]

        def element(index: Sequence[Value]) -> Value:
            return each([self.at(v, index) if v.rank else v for v in arrays])

        return Value(rank, self.comprehension(sizes, element))

    def chosen(
        self, condition: SSAValue, a: Value, b: Value, sizes: Sequence[SSAValue] | None = None
    ) -> Value:
        """``a`` or ``b``, whose sizes may differ unless they are given."""

        def one(values: Sequence[Value]) -> Value:
            if all(value.integer is not None for value in values):
                ints = [self.integer(value) for value in values]
                return Value(0, integer=self.emit(arith.SelectOp(condition, *ints)))
            floats = [self.number(value) for value in values]
            return Value(0, self.emit(arith.SelectOp(condition, *floats)))

        if a.parts is not None and b.parts is not None and len(a.parts) == len(b.parts):
            pairs = zip(a.parts, b.parts, strict=True)
            return Value(1, parts=tuple(one(pair) for pair in pairs))
        if sizes is None:
            pairs = zip(self.sizes(a), self.sizes(b), strict=True)
            sizes = [self.emit(arith.SelectOp(condition, m, n)) for m, n in pairs]
        return self.mapped([a, b], sizes, one)

    def inlined(self, op: rho.CallOp) -> Value:
        """The value of a call; raises PassFailedException for recursion."""
        if op.function in self._active:
            raise failure(op, f"@{op.function} calls itself")
        function = self._functions[op.function]
        arguments = [self.of(argument) for argument in op.arguments]
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            self.bind(parameter, argument)
        self._active.append(op.function)
        value = self.body(function.body.block)
        self._active.pop()
        return value


def failure(op: Operation, message: str) -> PassFailedException:
    """The failure of the pass at an operation."""
    return PassFailedException(f"{op.name}: {message}{where_written(op)}")


def parts_of(op: Operation, value: Value, what: str) -> tuple[Value, ...]:
    """The parts of a vector whose length is known; a scalar is one part."""
    if value.rank == 0:
        return (value,)
    if value.rank > 1 or value.parts is None:
        raise failure(op, f"{what} has a length that is decided at run time")
    return value.parts
