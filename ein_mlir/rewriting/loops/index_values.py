"""Linear forms of indices as operations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, i1
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm, value_of_form
from ein_mlir.dialects.creation import made_like


class IndexValues:
    """Computes linear forms of indices, and conditions on them."""

    def __init__(self, build: Builder):
        self.build = build
        self._constants = dict[int, SSAValue]()
        self._indices = dict[SSAValue, SSAValue]()

    def integer(self, number: int, /) -> SSAValue:
        """A constant, once."""
        if number not in self._constants:
            op = arith.ConstantOp(IntegerAttr(number, IndexType()))
            self._constants[number] = self.build.insert(op).result
        return self._constants[number]

    def combined(self, lhs: SSAValue, symbol: Literal["+", "-", "*"], rhs: SSAValue, /) -> SSAValue:
        """A sum, a difference or a product."""
        op = {"+": arith.AddiOp, "-": arith.SubiOp, "*": arith.MuliOp}[symbol]
        return self.value(made_like(op, lhs, rhs))

    def negated(self, operand: SSAValue, /) -> SSAValue:
        """A negation."""
        return self.combined(self.integer(0), "-", operand)

    def index(self, value: SSAValue) -> SSAValue:
        """An Int as an index, once."""
        if isinstance(value.type, IndexType):
            return value
        if value not in self._indices:
            op = arith.IndexCastOp(value, IndexType())
            self._indices[value] = self.build.insert(op).result
        return self._indices[value]

    def form(self, form: LinearForm) -> SSAValue:
        """The value of a form."""
        return value_of_form(form, self, self.index)

    def value(self, op: Operation) -> SSAValue:
        """The result of a new operation."""
        return self.build.insert(op).results[0]

    def compared(self, value: SSAValue, predicate: str, number: int) -> SSAValue:
        """A comparison with a constant."""
        return self.value(arith.CmpiOp(value, self.integer(number), predicate))

    def all(self, conditions: Sequence[SSAValue]) -> SSAValue:
        """The conjunction of conditions."""
        first, *rest = conditions
        for condition in rest:
            first = self.value(arith.AndIOp(first, condition, i1))
        return first
