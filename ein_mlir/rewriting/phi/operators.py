"""The insertion of operations of phi on numbers, elements and records, which have methods.

As with MLIR's ``ArithBuilder``, numbers may stand for constants: ``build.add(x, 1)`` inserts a
constant and a sum, and returns the sum.
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
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.creation import integer_attribute, made, made_like

OperationT = TypeVar("OperationT", bound=Operation)

INT_OPERATORS: Mapping[str, type[arith.AddiOp | arith.SubiOp | arith.MuliOp]] = {
    "+": arith.AddiOp,
    "-": arith.SubiOp,
    "*": arith.MuliOp,
}

Int: TypeAlias = SSAValue | int
"""A value, or the number of a constant Int."""


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

    def integer(self, value: int) -> SSAValue:
        """A constant Int."""
        return self.constant(integer_attribute(value, i64))

    def truth(self, value: bool) -> SSAValue:
        """A constant Bool."""
        return self.constant(IntegerAttr.from_bool(value))

    def _value(self, value: Int) -> SSAValue:
        return self.integer(value) if isinstance(value, int) else value

    # Arithmetic of Ints, named as in Python's ``operator``

    def _arithmetic(self, operation: type[Operation], lhs: Int, rhs: Int) -> SSAValue:
        return self.emit(made_like(operation, self._value(lhs), self._value(rhs)))

    def add(self, lhs: Int, rhs: Int) -> SSAValue:
        """``lhs + rhs``"""
        return self._arithmetic(arith.AddiOp, lhs, rhs)

    def sub(self, lhs: Int, rhs: Int) -> SSAValue:
        """``lhs - rhs``"""
        return self._arithmetic(arith.SubiOp, lhs, rhs)

    def mul(self, lhs: Int, rhs: Int) -> SSAValue:
        """``lhs * rhs``"""
        return self._arithmetic(arith.MuliOp, lhs, rhs)

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

    def combined(self, lhs: SSAValue, symbol: str, rhs: SSAValue, /) -> SSAValue:
        """A sum, a difference or a product."""
        return self._arithmetic(INT_OPERATORS[symbol], lhs, rhs)

    def negated(self, operand: SSAValue, /) -> SSAValue:
        """``0 - x``"""
        return self.sub(0, operand)

    # Bools, and values of any type

    def and_(self, lhs: Int, rhs: Int) -> SSAValue:
        """The conjunction of Bools, or of the bits of Ints."""
        return self._arithmetic(arith.AndIOp, lhs, rhs)

    def or_(self, lhs: Int, rhs: Int) -> SSAValue:
        """The disjunction of Bools, or of the bits of Ints."""
        return self._arithmetic(arith.OrIOp, lhs, rhs)

    def compare(self, lhs: Int, predicate: str, rhs: Int) -> SSAValue:
        """A comparison of Ints, with the name of its predicate in ``arith.cmpi``."""
        return self.emit(arith.CmpiOp(self._value(lhs), self._value(rhs), predicate))

    def select(self, condition: SSAValue, lhs: Int, rhs: Int) -> SSAValue:
        """``lhs`` where a Bool is true, else ``rhs``."""
        return self.emit(made_like(arith.SelectOp, condition, self._value(lhs), self._value(rhs)))

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

    def size(self, array: SSAValue, axis: int = 0) -> SSAValue:
        """The size of an array along an axis."""
        return self.emit(phi.SizeOp(array, axis))

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
