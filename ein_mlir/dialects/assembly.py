"""Shared assembly-format directives.

They give region-carrying operations a declarative format that reads like the mathematics:
``(%i < %n, %j < %m)`` binds indices to sizes, ``(%acc = %init)`` binds loop-carried values, and
``{ arith.addf }`` is the short form of a region that holds one scalar operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, OptionalDef
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer


def parse_bound_arguments(
    parser: Parser, separator: Literal["<", "="]
) -> tuple[list[Parser.UnresolvedArgument], list[UnresolvedOperand]]:
    """Parse ``%name <separator> %operand`` pairs, separated by commas, up to the closing paren."""
    names: list[Parser.UnresolvedArgument] = []
    operands: list[UnresolvedOperand] = []
    while True:
        names.append(parser.parse_argument(expect_type=False))
        parser.parse_punctuation(separator)
        operands.append(parser.parse_unresolved_operand())
        if parser.parse_optional_punctuation(",") is None:
            return names, operands


def print_bound_argument(printer: Printer, name: SSAValue, separator: str, value: SSAValue) -> None:
    """Print ``%name <separator> %value``."""
    printer.print_ssa_value(name)
    printer.print_string(f" {separator} ")
    printer.print_ssa_value(value)


def single_operation(region: Region) -> Operation | None:
    """The only operation of a region that forwards its arguments, in order, to that operation.

    This is the condition under which ``{ arith.addf }`` is complete: one operation, no attributes,
    default properties, operands equal to the block arguments, results yielded unchanged. None if
    the long form is needed.
    """
    block = region.blocks.first
    if block is None or block is not region.blocks.last:
        return None
    op = block.first_op
    terminator = block.last_op
    if op is None or terminator is None or op.next_op is not terminator:
        return None
    if op.regions or op.attributes or terminator.attributes or len(op.operands) == 0:
        return None
    if tuple(op.operands) != tuple(block.args) or tuple(terminator.operands) != tuple(op.results):
        return None
    if not isinstance(op, IRDLOperation):
        return None
    rebuilt = _default_properties(type(op))
    if rebuilt is None or rebuilt != dict(op.properties):
        return None
    return op


def _default_properties(op_type: type[IRDLOperation]) -> dict[str, Attribute] | None:
    """The default properties of an operation; None if one is required."""
    properties: dict[str, Attribute] = {}
    for name, prop in op_type.get_irdl_definition().properties.items():
        if prop.default_value is not None:
            properties[name] = prop.default_value
        elif not isinstance(prop, OptionalDef):
            return None
    return properties


def parse_single_operation(
    parser: Parser,
    argument_types: Sequence[Attribute],
    result_types: Sequence[Attribute],
    name: str,
    make_yield: Callable[[Sequence[SSAValue]], Operation],
    position: int | None = None,
) -> Region:
    """The region of the short form ``{ name }``, parsed at ``position``."""
    op_type = parser.ctx.get_optional_op(name)
    if op_type is None:
        parser.raise_error(f"unknown operation '{name}' in the short form of a region", position)
    if not issubclass(op_type, IRDLOperation) or (
        (properties := _default_properties(op_type)) is None
    ):
        parser.raise_error(
            f"operation '{name}' has no short form, write its region in full", position
        )
    block = Block(arg_types=argument_types)
    op = op_type.create(
        operands=list(block.args), result_types=list(result_types), properties=properties
    )
    block.add_ops([op, make_yield(op.results)])
    return Region(block)


def parse_function_type(parser: Parser) -> tuple[Sequence[Attribute], Sequence[Attribute]]:
    """Parse ``(types) -> types`` and return its two sides."""
    position = parser.pos
    type_ = parser.parse_type()
    if not isinstance(type_, FunctionType):
        parser.raise_error("expected a function type '(operands) -> results'", position)
    return tuple(type_.inputs), tuple(type_.outputs)


def resolve_arguments(
    names: Sequence[Parser.UnresolvedArgument], types: Sequence[Attribute], parser: Parser
) -> list[Parser.Argument]:
    """The block arguments for names that were parsed without types."""
    if len(names) != len(types):
        parser.raise_error(f"expected {len(types)} block arguments, got {len(names)}")
    return [name.resolve(type_) for name, type_ in zip(names, types, strict=True)]
