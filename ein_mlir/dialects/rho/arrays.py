"""Arrays: from parts, by their shapes, and elements of them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import operand_def, region_def, result_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, Pure

from ein_mlir.dialects.operation import op_definition
from ein_mlir.dialects.rho.base import RhoOp, WithBody, parse_value
from ein_mlir.dialects.rho.scalars import UnaryOp
from ein_mlir.dialects.rho.types import (
    ARRAY,
    IDENTITY,
    NOTHING,
    ONLY_FULL,
    ArrayType,
    Vector,
    vector,
)


@op_definition
class StackOp(RhoOp):
    """An array of parts along a new first axis; all parts have one shape.

    Example:
    ```mlir
    %v = rho.stack [%x, %y]
    %empty = rho.stack []
    ```
    """

    name = "rho.stack"

    parts = var_operand_def(ArrayType)
    result = result_def(ArrayType)

    traits = traits_def(NoMemoryEffect())

    def __init__(self, parts: Sequence[SSAValue | Operation]):
        super().__init__(operands=[parts], result_types=[ARRAY])

    def propagation(self, operand: int) -> Vector:
        """The first part has the shape of all."""
        return ONLY_FULL if operand else IDENTITY

    def propagation_in_thesis(self, operand: int) -> Vector:
        """An array is a value, and its parts are not looked at."""
        return NOTHING

    @classmethod
    def parse(cls, parser: Parser) -> StackOp:
        return cls(
            parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_value(parser))
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_square_brackets():
            printer.print_list(self.parts, printer.print_ssa_value)


@op_definition
class ShapeOp(UnaryOp):
    """The shape of an array: a vector.

    Example:
    ```mlir
    %s = rho.shape %a
    ```
    """

    name = "rho.shape"

    traits = traits_def(Pure())

    def propagation(self, operand: int) -> Vector:
        return vector(0, 0, 1, 2)


@op_definition
class DimOp(UnaryOp):
    """The number of axes of an array: a scalar.

    Example:
    ```mlir
    %d = rho.dim %a
    ```
    """

    name = "rho.dim"

    traits = traits_def(Pure())

    def propagation(self, operand: int) -> Vector:
        return vector(0, 0, 0, 1)


@op_definition
class SelectOp(RhoOp):
    """The element, or the part, of an array at an index vector; it counts from the first axis.

    An index beyond the bounds is an error.

    Example:
    ```mlir
    %x = rho.select %a[%iv]
    ```
    """

    name = "rho.select"

    array = operand_def(ArrayType)
    index = operand_def(ArrayType)
    result = result_def(ArrayType)

    traits = traits_def(NoMemoryEffect())

    assembly_format = "$array `[` $index `]` attr-dict"

    def __init__(self, array: SSAValue | Operation, index: SSAValue | Operation):
        super().__init__(operands=[array, index], result_types=[ARRAY])

    def propagation(self, operand: int) -> Vector:
        """``dim a[iv] = dim a - (shape iv)[0]``, and likewise for shapes"""
        return vector(0, 2, 2, 3) if operand else IDENTITY


@op_definition
class RestOp(RhoOp):
    """The elements of a vector from a position on; rewriting makes shapes of parts with it.

    Example:
    ```mlir
    %v = rho.rest %shape, %k
    ```
    """

    name = "rho.rest"

    array = operand_def(ArrayType)
    start = operand_def(ArrayType)
    result = result_def(ArrayType)

    traits = traits_def(NoMemoryEffect())

    assembly_format = "$array `,` $start attr-dict"

    def __init__(self, array: SSAValue | Operation, start: SSAValue | Operation):
        super().__init__(operands=[array, start], result_types=[ARRAY])

    def propagation(self, operand: int) -> Vector:
        """The result is a vector; its size is a difference of sizes."""
        return vector(0, 0, 3, 3) if operand else vector(0, 0, 2, 3)


@op_definition
class ConcatOp(RhoOp):
    """Two arrays end to end along the first axis; their other sizes are equal.

    Example:
    ```mlir
    %c = rho.concat %a, %b
    ```
    """

    name = "rho.concat"

    lhs = operand_def(ArrayType)
    rhs = operand_def(ArrayType)
    result = result_def(ArrayType)

    traits = traits_def(NoMemoryEffect())

    assembly_format = "$lhs `,` $rhs attr-dict"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[lhs, rhs], result_types=[ARRAY])

    def propagation(self, operand: int) -> Vector:
        """Both have the same number of axes; the first sizes are added."""
        return vector(0, 0, 2, 3) if operand else IDENTITY


GENERATED = vector(0, 2, 3, 3)
"""The demand on a generator's shape, whose elements are the sizes of the result."""


@op_definition
class FillOp(RhoOp):
    """An array of a shape that repeats a default, whose shape is the end of the given one.

    A scalar is a shape of one axis.

    Example:
    ```mlir
    %a = rho.fill %shape, %default
    ```
    """

    name = "rho.fill"

    shape = operand_def(ArrayType)
    default = operand_def(ArrayType)
    result = result_def(ArrayType)

    traits = traits_def(NoMemoryEffect())

    assembly_format = "$shape `,` $default attr-dict"

    def __init__(self, shape: SSAValue | Operation, default: SSAValue | Operation):
        super().__init__(operands=[shape, default], result_types=[ARRAY])

    def propagation(self, operand: int) -> Vector:
        return ONLY_FULL if operand else GENERATED

    def propagation_in_thesis(self, operand: int) -> Vector:
        """The demand on the result, as it is."""
        return IDENTITY


@op_definition
class GenOp(WithBody):
    """An array of a shape: the body's value at each index from ``lower`` up to ``upper``.

    Elsewhere it is the default. The default has the shape of a part, and so has the body's value.
    The bounds are vectors, or scalars for one axis; the index in the body is like them.

    Example:
    ```mlir
    %a = rho.gen %shape, %default with %l <= %iv < %u {
      %x = rho.select %b[%iv]
      rho.yield %x
    }
    ```
    """

    name = "rho.gen"

    shape = operand_def(ArrayType)
    default = operand_def(ArrayType)
    lower = operand_def(ArrayType)
    upper = operand_def(ArrayType)
    result = result_def(ArrayType)
    body = region_def("single_block")

    traits = traits_def(NoMemoryEffect())

    def __init__(
        self,
        shape: SSAValue | Operation,
        default: SSAValue | Operation,
        lower: SSAValue | Operation,
        upper: SSAValue | Operation,
        body: Region,
    ):
        operands = [shape, default, lower, upper]
        super().__init__(operands=operands, result_types=[ARRAY], regions=[body])

    @property
    def index(self) -> BlockArgument:
        """The index vector in the body."""
        return self.body.block.args[0]

    def propagation(self, operand: int) -> Vector:
        return ONLY_FULL if operand else GENERATED

    def propagation_in_thesis(self, operand: int) -> Vector:
        """The demand on the result; for bounds, an analysis adds that of the body on the index."""
        return NOTHING if operand > 1 else IDENTITY

    def verify_(self) -> None:
        self.verify_bodies(1)

    @classmethod
    def parse(cls, parser: Parser) -> GenOp:
        shape = parse_value(parser)
        parser.parse_punctuation(",")
        default = parse_value(parser)
        parser.parse_keyword("with")
        lower = parse_value(parser)
        parser.parse_punctuation("<")
        parser.parse_punctuation("=")
        index = parser.parse_argument(expect_type=False).resolve(ARRAY)
        parser.parse_punctuation("<")
        upper = parse_value(parser)
        return cls(shape, default, lower, upper, parser.parse_region([index]))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list((self.shape, self.default), printer.print_ssa_value)
        printer.print_string(" with ")
        printer.print_ssa_value(self.lower)
        printer.print_string(" <= ")
        printer.print_ssa_value(self.index)
        printer.print_string(" < ")
        printer.print_ssa_value(self.upper)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
