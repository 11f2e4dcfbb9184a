"""The insertion of operations of phi on numbers, elements and records, which have methods.

As with MLIR's ``ArithBuilder``, the type of the operands selects the operation, and numbers may
stand for constants: ``build.add(x, 1)`` inserts a constant and a sum, and returns the sum.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.predicates import FLOAT_PREDICATES, INT_PREDICATES
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.creation import integer_attribute, made, made_like, same_operation

OperationT = TypeVar("OperationT", bound=Operation)

INT_OPERATORS: Mapping[str, type[arith.AddiOp | arith.SubiOp | arith.MuliOp]] = {
    "+": arith.AddiOp,
    "-": arith.SubiOp,
    "*": arith.MuliOp,
}

_FLOATS: Mapping[type[Operation], type[Operation]] = {
    arith.AddiOp: arith.AddfOp,
    arith.SubiOp: arith.SubfOp,
    arith.MuliOp: arith.MulfOp,
}

Int: TypeAlias = SSAValue | int
"""A value, or the number of a constant Int."""

Literal: TypeAlias = IntegerAttr | FloatAttr
"""A number of a type."""

Number: TypeAlias = SSAValue | Literal | float
"""A value, or that of a constant; a number without a type takes that of another one, or is an Int.
"""


def literal(number: float, type_: Attribute) -> IntegerAttr | FloatAttr:
    """A number of a scalar type."""
    if isa(type_, IntegerType):
        return IntegerAttr(int(number), type_)
    assert isa(type_, AnyFloat)
    return FloatAttr(float(number), type_)


class Operators(ABC):
    """A receiver of operations; those on numbers, elements and records have methods."""

    @abstractmethod
    def insert(self, op: OperationT, /) -> OperationT:
        """Add an operation."""

    def emit(self, op: Operation) -> SSAValue:
        """Add an operation, and return its first value."""
        return self.insert(op).results[0]

    # Constants

    def constant(self, value: IntegerAttr | FloatAttr) -> SSAValue:
        """A constant."""
        return self.emit(made(arith.ConstantOp, (), (value.get_type(),), {"value": value}))

    def number(self, value: float, type_: Attribute) -> SSAValue:
        """A constant of a scalar type."""
        return self.constant(literal(value, type_))

    def value(self, value: Number, type_: Attribute = i64) -> SSAValue:
        """A value itself, or a constant; that of a number without a type has the given one."""
        if isinstance(value, SSAValue):
            return value
        if isinstance(value, IntegerAttr | FloatAttr):
            return self.constant(value)
        return self.number(value, type_)

    def integer(self, value: int) -> SSAValue:
        """A constant Int."""
        return self.constant(integer_attribute(value, i64))

    def truth(self, value: bool) -> SSAValue:
        """A constant Bool."""
        return self.constant(IntegerAttr.from_bool(value))

    def _numbers(self, lhs: Number, rhs: Number) -> tuple[SSAValue, SSAValue]:
        """Two values of one type."""
        first = self.value(lhs, rhs.type if isinstance(rhs, SSAValue) else i64)
        return first, self.value(rhs, first.type)

    # Arithmetic of Ints and Floats, named as in Python's ``operator``

    def _arithmetic(self, operation: type[Operation], lhs: Number, rhs: Number) -> SSAValue:
        values = self._numbers(lhs, rhs)
        if _is_float(values[0]):
            operation = _FLOATS[operation]
        return self.emit(made_like(operation, *values))

    def add(self, lhs: Number, rhs: Number) -> SSAValue:
        """``lhs + rhs``"""
        return self._arithmetic(arith.AddiOp, lhs, rhs)

    def sub(self, lhs: Number, rhs: Number) -> SSAValue:
        """``lhs - rhs``"""
        return self._arithmetic(arith.SubiOp, lhs, rhs)

    def mul(self, lhs: Number, rhs: Number) -> SSAValue:
        """``lhs * rhs``"""
        return self._arithmetic(arith.MuliOp, lhs, rhs)

    def negated(self, operand: SSAValue, /) -> SSAValue:
        """``0 - x``, or ``-x`` of a Float."""
        if _is_float(operand):
            return self.emit(made_like(arith.NegfOp, operand))
        return self.sub(0, operand)

    def compare(self, lhs: Number, predicate: str, rhs: Number) -> SSAValue:
        """A comparison by a symbol, or the name of a predicate of ``arith.cmpi`` or ``cmpf``."""
        values = self._numbers(lhs, rhs)
        if _is_float(values[0]):
            return self.emit(arith.CmpfOp(*values, FLOAT_PREDICATES.get(predicate, predicate)))
        return self.emit(arith.CmpiOp(*values, INT_PREDICATES.get(predicate, predicate)))

    def floordiv(self, lhs: Int, rhs: Int) -> SSAValue:
        """``lhs // rhs``"""
        return self._arithmetic(arith.FloorDivSIOp, lhs, rhs)

    def floormod(self, lhs: Int, rhs: Int) -> SSAValue:
        """``lhs % rhs``"""
        return self._arithmetic(sigma.FloorModOp, lhs, rhs)

    def max(self, lhs: Int, rhs: Int) -> SSAValue:
        """The larger one."""
        return self._arithmetic(arith.MaxSIOp, lhs, rhs)

    def min(self, lhs: Int, rhs: Int) -> SSAValue:
        """The smaller one."""
        return self._arithmetic(arith.MinSIOp, lhs, rhs)

    def power_of_two(self, exponent: SSAValue, /) -> SSAValue:
        """``1 << exponent``"""
        return self.emit(arith.ShLIOp(self.integer(1), exponent))

    def combined(self, lhs: SSAValue, symbol: str, rhs: SSAValue, /) -> SSAValue:
        """A sum, a difference or a product."""
        return self._arithmetic(INT_OPERATORS[symbol], lhs, rhs)

    def same(self, op: Operation, *operands: SSAValue) -> SSAValue:
        """The same scalar operation on other operands."""
        return self.emit(same_operation(op, *operands))

    # Bools, and values of any type

    def and_(self, lhs: Int, rhs: Int) -> SSAValue:
        """The conjunction of Bools, or of the bits of Ints."""
        return self._arithmetic(arith.AndIOp, lhs, rhs)

    def or_(self, lhs: Int, rhs: Int) -> SSAValue:
        """The disjunction of Bools, or of the bits of Ints."""
        return self._arithmetic(arith.OrIOp, lhs, rhs)

    def select(self, condition: SSAValue, lhs: Number, rhs: Number) -> SSAValue:
        """``lhs`` where a Bool is true, else ``rhs``."""
        return self.emit(made_like(arith.SelectOp, condition, *self._numbers(lhs, rhs)))

    def as_int(self, value: SSAValue) -> SSAValue:
        """An index, or an integer of fewer bits, as an Int."""
        if value.type == i64:
            return value
        cast = arith.IndexCastOp if isinstance(value.type, IndexType) else arith.ExtSIOp
        return self.emit(cast(value, i64))

    # Arrays and records

    def get(self, array: SSAValue, positions: Sequence[SSAValue]) -> SSAValue:
        """``array[positions]``"""
        return self.emit(phi.GetOp(array, positions))

    def update(self, array: SSAValue, positions: Sequence[SSAValue], value: SSAValue) -> SSAValue:
        """The array with a value at some positions."""
        return self.emit(phi.UpdateOp(array, positions, value))

    def scan(self, kind: str, array: SSAValue, *, suffixes: bool = False) -> SSAValue:
        """The combinations of the first elements, or of the last ones."""
        return self.emit(phi.ScanOp(kind, array, suffixes=suffixes))

    def size(self, array: SSAValue, axis: int = 0) -> SSAValue:
        """The size of an array along an axis."""
        return self.emit(phi.SizeOp(array, axis))

    def sizes_of(self, array: SSAValue) -> list[SSAValue]:
        """The sizes of an array along all axes."""
        return [self.size(array, axis) for axis in range(phi.rank_of(array.type))]

    def proj(self, record: SSAValue, field: int) -> SSAValue:
        """A field of a record."""
        return self.emit(phi.ProjOp(record, field))

    def fields(self, record: SSAValue) -> list[SSAValue]:
        """The fields of a record."""
        assert isa(record.type, TupleType)
        return [self.proj(record, k) for k in range(len(record.type.types))]

    def field(self, value: SSAValue, path: phi.Path) -> SSAValue:
        """The field of a (nested) record at a path."""
        for number in path:
            value = self.proj(value, number)
        return value

    def tuple(self, fields: Sequence[SSAValue]) -> SSAValue:
        """The record of some fields."""
        return self.emit(phi.TupleOp(fields))

    def leaves(self, value: SSAValue) -> list[SSAValue]:
        """The fields of a (nested) record; any other value itself."""
        if not isa(value.type, TupleType):
            return [value]
        op = value.owner
        fields = op.fields if isinstance(op, phi.TupleOp) else self.fields(value)
        return [leaf for field in fields for leaf in self.leaves(field)]

    def record(self, type_: Attribute, leaves: Iterable[SSAValue]) -> SSAValue:
        """The (nested) record of a type that has these fields."""
        rest = iter(leaves)
        if not isa(type_, TupleType):
            return next(rest)
        return self.tuple([self.record(field, rest) for field in type_.types])

    def yield_(self, value: SSAValue) -> None:
        """The end of a body."""
        self.insert(phi.YieldOp(value))


def _is_float(value: SSAValue) -> bool:
    return not isinstance(value.type, IntegerType | IndexType)
