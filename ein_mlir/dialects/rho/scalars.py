"""Numbers, and operators on each element."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import Float64Type, FloatAttr, StringAttr, f64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, Pure

from ein_mlir.dialects.operation import op_definition
from ein_mlir.dialects.rho.base import RhoOp, parse_value
from ein_mlir.dialects.rho.types import ARRAY, IDENTITY, ONLY_FULL, ArrayType, Vector

ARITHMETIC = ("+", "-", "*", "/")
COMPARISONS = ("=", "!=", ">", ">=", "<", "<=")


@op_definition
class ScalarOp(RhoOp):
    """A number: an array of rank 0.

    Example:
    ```mlir
    %x = rho.scalar 2.5
    ```
    """

    name = "rho.scalar"

    value = prop_def(FloatAttr.constr(Float64Type))
    result = result_def(ArrayType)

    traits = traits_def(Pure())

    def __init__(self, value: float):
        super().__init__(result_types=[ARRAY], properties={"value": FloatAttr(value, f64)})

    @property
    def number(self) -> float:
        """The number."""
        return self.value.value.data

    @classmethod
    def parse(cls, parser: Parser) -> ScalarOp:
        return cls(float(parser.parse_number()))

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {number_text(self.number)}")


def number_text(number: float) -> str:
    """A number without a needless fraction.

    >>> number_text(2.0), number_text(2.5)
    ('2', '2.5')
    """
    return str(int(number)) if number.is_integer() and abs(number) < 1e16 else repr(number)


class BinaryOp(RhoOp):
    """An operator on two arrays of one shape, or on an array and a scalar on the right."""

    OPERATORS: ClassVar[tuple[str, ...]]

    operator = prop_def(StringAttr)
    lhs = operand_def(ArrayType)
    rhs = operand_def(ArrayType)
    result = result_def(ArrayType)

    def __init__(self, operator: str, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[ARRAY],
            properties={"operator": StringAttr(operator)},
        )

    def verify_(self) -> None:
        if self.operator.data not in self.OPERATORS:
            known = " ".join(self.OPERATORS)
            raise self.fail(f"there is no operator '{self.operator.data}'; there are: {known}")

    @classmethod
    def parse(cls, parser: Parser) -> BinaryOp:
        operator = parser.parse_str_literal()
        lhs = parse_value(parser)
        parser.parse_punctuation(",")
        return cls(operator, lhs, parse_value(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string(f' "{self.operator.data}" ')
        printer.print_list(self.operands, printer.print_ssa_value)


@op_definition
class ArithOp(BinaryOp):
    """Arithmetic on each element: ``+``, ``-``, ``*`` or ``/``. Division by zero is an error.

    A scalar on the right is combined with each element.

    Example:
    ```mlir
    %c = rho.arith "+" %a, %b
    ```
    """

    name = "rho.arith"

    OPERATORS: ClassVar = ARITHMETIC

    traits = traits_def(NoMemoryEffect())

    def propagation(self, operand: int) -> Vector:
        """The shape of the result is that of the left operand."""
        return ONLY_FULL if operand else IDENTITY

    def propagation_in_thesis(self, operand: int) -> Vector:
        return IDENTITY


@op_definition
class CompareOp(BinaryOp):
    """A comparison of all elements: 1 if it holds for every pair, else 0.

    Example:
    ```mlir
    %c = rho.compare "<" %a, %b
    ```
    """

    name = "rho.compare"

    OPERATORS: ClassVar = COMPARISONS

    traits = traits_def(NoMemoryEffect())

    def propagation(self, operand: int) -> Vector:
        return ONLY_FULL


class UnaryOp(RhoOp):
    """An operator on one array."""

    operand = operand_def(ArrayType)
    result = result_def(ArrayType)

    def __init__(self, operand: SSAValue | Operation):
        super().__init__(operands=[operand], result_types=[ARRAY])

    @classmethod
    def parse(cls, parser: Parser) -> UnaryOp:
        return cls(parse_value(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.operand)


@op_definition
class NegateOp(UnaryOp):
    """The negative of each element.

    Example:
    ```mlir
    %b = rho.negate %a
    ```
    """

    name = "rho.negate"

    traits = traits_def(Pure())

    def propagation(self, operand: int) -> Vector:
        return IDENTITY


@op_definition
class AbsOp(UnaryOp):
    """The absolute value of each element.

    Example:
    ```mlir
    %b = rho.abs %a
    ```
    """

    name = "rho.abs"

    traits = traits_def(Pure())

    def propagation(self, operand: int) -> Vector:
        return IDENTITY


@op_definition
class NotOp(UnaryOp):
    """1 if all elements are 0, else 0.

    Example:
    ```mlir
    %b = rho.not %a
    ```
    """

    name = "rho.not"

    traits = traits_def(Pure())

    def propagation(self, operand: int) -> Vector:
        return ONLY_FULL
