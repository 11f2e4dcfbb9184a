"""Choices, functions and calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects.builtin import FlatSymbolRefAttrConstr, StringAttr, SymbolRefAttr
from xdsl.ir import BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import operand_def, prop_def, region_def, result_def, traits_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect, RecursiveMemoryEffect

from ein_mlir.dialects.operation import op_definition
from ein_mlir.dialects.rho.base import RhoOp, WithBody, parse_body, print_body
from ein_mlir.dialects.rho.types import ARRAY, CONDITION, ArrayType, Vector
from ein_mlir.errors import counted


@op_definition
class IfOp(WithBody):
    """A choice by a scalar, which is false if it is 0. Only the chosen branch is evaluated.

    The branches may have values of different shapes.

    Example:
    ```mlir
    %r = rho.if %c {
      rho.yield %a
    } else {
      rho.yield %b
    }
    ```
    """

    name = "rho.if"

    condition = operand_def(ArrayType)
    result = result_def(ArrayType)
    then = region_def("single_block")
    otherwise = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())

    assembly_format = "$condition $then `else` $otherwise attr-dict"

    def __init__(self, condition: SSAValue | Operation, then: Region, otherwise: Region):
        super().__init__(operands=[condition], result_types=[ARRAY], regions=[then, otherwise])

    def propagation(self, operand: int) -> Vector:
        """The condition decides about everything that is known of the result."""
        return CONDITION

    def verify_(self) -> None:
        self.verify_bodies(0, 0)


class ScopeOp(WithBody):
    """A function or the program: a body with parameters."""

    body = region_def("single_block")

    @property
    def parameters(self) -> Sequence[BlockArgument]:
        """The parameters."""
        return self.regions[0].block.args


@op_definition
class FunctionOp(ScopeOp):
    """A function of one or more parameters; its body may use values around it, and call itself.

    Later operations of its block, and of bodies in these, may call it. Names are unique in a
    program.

    Example:
    ```mlir
    rho.function @twice(%x) {
      %y = rho.arith "+" %x, %x
      rho.yield %y
    }
    ```
    """

    name = "rho.function"

    sym_name = prop_def(StringAttr)

    def __init__(self, name: str, body: Region):
        super().__init__(properties={"sym_name": StringAttr(name)}, regions=[body])

    @classmethod
    def parse(cls, parser: Parser) -> FunctionOp:
        name = parser.parse_symbol_name().data
        return cls(name, parse_body(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        print_body(printer, self.body)

    def verify_(self) -> None:
        self.verify_bodies(len(self.parameters))
        if not self.parameters:
            raise self.fail("a function takes at least one parameter")


@op_definition
class CallOp(RhoOp):
    """A call of a function with all of its arguments.

    Example:
    ```mlir
    %y = rho.call @twice(%x)
    ```
    """

    name = "rho.call"

    callee = prop_def(FlatSymbolRefAttrConstr)
    arguments = var_operand_def(ArrayType)
    result = result_def(ArrayType)

    traits = traits_def(NoMemoryEffect())

    assembly_format = "$callee `(` $arguments `)` attr-dict"

    def __init__(self, callee: str, arguments: Sequence[SSAValue | Operation]):
        super().__init__(
            operands=[arguments],
            result_types=[ARRAY],
            properties={"callee": SymbolRefAttr(callee)},
        )

    @property
    def function(self) -> str:
        """The name of the function."""
        return self.callee.string_value()


@op_definition
class ProgramOp(ScopeOp):
    """A program: an expression, whose parameters are its inputs.

    Example:
    ```mlir
    rho.program (%x) {
      %y = rho.shape %x
      rho.yield %y
    }
    ```
    """

    name = "rho.program"

    def __init__(self, body: Region):
        super().__init__(regions=[body])

    @classmethod
    def parse(cls, parser: Parser) -> ProgramOp:
        return cls(parse_body(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_body(printer, self.body)

    def verify_(self) -> None:
        self.verify_bodies(len(self.parameters))
        for message in _calls_of_unknown(self, {}, set()):
            raise message


def _calls_of_unknown(
    scope: Operation, visible: Mapping[str, FunctionOp], defined: set[str]
) -> Iterator[Exception]:
    """The errors of calls: each names a function that is visible, with all of its arguments."""
    for region in scope.regions:
        known = dict(visible)
        for op in region.block.ops:
            if isinstance(op, FunctionOp):
                name = op.sym_name.data
                if name in defined:
                    yield op.fail(f"@{name} is defined twice")
                defined.add(name)
                known[name] = op
            elif isinstance(op, CallOp):
                yield from _check_call(op, known)
            if op.regions:
                yield from _calls_of_unknown(op, known, defined)


def _check_call(call: CallOp, known: Mapping[str, FunctionOp]) -> Iterator[Exception]:
    function = known.get(call.function)
    if function is None:
        yield call.fail(f"there is no function @{call.function} here")
    elif len(call.arguments) != len(function.parameters):
        yield call.fail(
            f"@{call.function} takes {counted(len(function.parameters), 'argument')}, "
            f"got {len(call.arguments)}"
        )
