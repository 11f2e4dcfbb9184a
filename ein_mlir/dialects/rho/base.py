"""The base class of operations, and the terminator of bodies."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import operand_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

from ein_mlir.dialects.operation import EinOp, op_definition
from ein_mlir.dialects.rho.types import ARRAY, ArrayType, Vector
from ein_mlir.errors import counted


class RhoOp(EinOp):
    """An operation of rho: the demand of its result on its operands is part of it."""

    def propagation(self, operand: int) -> Vector:
        """The level of an operand that is needed for each level of the result."""
        raise NotImplementedError(self.name)

    def propagation_in_thesis(self, operand: int) -> Vector:
        """The same by the rules of the thesis, where these differ."""
        return self.propagation(operand)


class WithBody(RhoOp):
    """An operation whose bodies end in ``rho.yield``."""

    def verify_bodies(self, *arguments: int) -> None:
        """Check the number of arguments of each body, and their types; and its terminator."""
        for region, count in zip(self.regions, arguments, strict=True):
            block = region.block
            if len(block.args) != count or any(arg.type != ARRAY for arg in block.args):
                raise self.fail(f"a body must take {counted(count, 'argument')} of type '{ARRAY}'")
            if not isinstance(block.last_op, YieldOp):
                raise self.fail("a body must end in rho.yield")


@op_definition
class YieldOp(RhoOp):
    """The terminator of a body: its value.

    Example:
    ```mlir
    rho.yield %x
    ```
    """

    name = "rho.yield"

    value = operand_def(ArrayType)

    traits = traits_def(IsTerminator())

    def __init__(self, value: SSAValue | Operation):
        super().__init__(operands=[value])

    @classmethod
    def parse(cls, parser: Parser) -> YieldOp:
        return cls(parse_value(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)


def parse_value(parser: Parser) -> SSAValue:
    """An operand; all have one type."""
    return parser.resolve_operand(parser.parse_unresolved_operand(), ARRAY)


def parse_body(parser: Parser) -> Region:
    """``(%a, %b) { body }``: a body with parameters."""
    names = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    return parser.parse_region([name.resolve(ARRAY) for name in names])


def print_body(printer: Printer, body: Region) -> None:
    """Print a body with parameters."""
    with printer.in_parens():
        printer.print_list(body.block.args, printer.print_ssa_value)
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)


def yielded(region: Region) -> SSAValue:
    """The value of a body."""
    terminator = region.block.last_op
    assert isinstance(terminator, YieldOp)
    return terminator.value


def new_body(names: Sequence[str | None]) -> tuple[Region, Sequence[BlockArgument]]:
    """An empty body with named arguments."""
    block = Block(arg_types=[ARRAY] * len(names))
    for argument, name in zip(block.args, names, strict=True):
        argument.name_hint = name
    return Region(block), block.args
