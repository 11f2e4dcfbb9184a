"""Directives of the assembly formats."""

from __future__ import annotations

from itertools import islice

from xdsl.dialects.builtin import DenseArrayBase, IntegerType, TensorType, i64
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OperandVariable,
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.assembly import (
    parse_bound_arguments,
    parse_function_type,
    parse_single_operation,
    print_bound_argument,
    resolve_arguments,
    single_operation,
)
from ein_mlir.dialects.yarr.base import YieldOp
from ein_mlir.dialects.yarr.types import SIZE_TYPE, block_type, element_of, rank_of


@irdl_custom_directive
class Mapping(CustomDirective):
    """``{ arith.addf } %a, %b : types`` or ``(%x = %a, %y = %b) : types { body }``."""

    arguments: VariadicOperandVariable
    argument_types: TypeDirective
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        name, names = None, list[Parser.UnresolvedArgument]()
        opening = parser.pos
        if parser.parse_optional_punctuation("{") is not None:
            name = parser.parse_identifier()
            parser.parse_punctuation("}")
            operands = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_unresolved_operand
            )
        else:
            parser.parse_punctuation("(")
            operands = list[UnresolvedOperand]()
            if parser.parse_optional_punctuation(")") is None:
                names, operands = parse_bound_arguments(parser, "=")
                parser.parse_punctuation(")")
        parser.parse_punctuation(":")
        start = parser.pos
        inputs, outputs = parse_function_type(parser)
        if len(outputs) != 1 or not all(isa(t, TensorType) for t in (*inputs, *outputs)):
            parser.raise_error("expected tensor types and one result", start)
        scalars = [element_of(t) for t in inputs]
        if name is not None:
            body = parse_single_operation(
                parser, scalars, [element_of(outputs[0])], name, lambda v: YieldOp(*v), opening
            )
        else:
            body = parser.parse_region(resolve_arguments(names, scalars, parser))
        self.arguments.set(state, operands)
        self.argument_types.set(state, inputs)
        self.result.set(state, outputs)
        self.body.set(state, body)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        body, arguments = self.body.get(op), self.arguments.get(op)
        single = single_operation(body)
        if single is not None:
            printer.print_string(f" {{ {single.name} }} ")
            printer.print_list(arguments, printer.print_ssa_value)
        else:
            printer.print_string(" (")
            printer.print_list(
                zip(body.block.args, arguments, strict=True),
                lambda pair: print_bound_argument(printer, pair[0], "=", pair[1]),
            )
            printer.print_string(")")
        printer.print_string(" : (")
        printer.print_list(arguments.types, printer.print_attribute)
        printer.print_string(") -> ")
        printer.print_list(self.result.get(op), printer.print_attribute)
        if single is None:
            printer.print_string(" ")
            printer.print_region(body, print_entry_block_args=False)


@irdl_custom_directive
class Loop(CustomDirective):
    """``(%k < %n, %acc = %init, ...) -> types { body }``: a counter and accumulators."""

    count: OperandVariable
    inits: VariadicOperandVariable
    init_types: TypeDirective
    results: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("(")
        counter = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("<")
        self.count.set(state, parser.parse_unresolved_operand())
        names, inits = list[Parser.UnresolvedArgument](), []
        if parser.parse_optional_punctuation(",") is not None:
            names, inits = parse_bound_arguments(parser, "=")
        parser.parse_punctuation(")")
        types: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        self.inits.set(state, inits)
        self.init_types.set(state, types)
        self.results.set(state, types)
        arguments = resolve_arguments((counter, *names), (SIZE_TYPE, *types), parser)
        self.body.set(state, parser.parse_region(arguments))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        body = self.body.get(op)
        counter, *accumulators = body.block.args
        printer.print_string(" (")
        print_bound_argument(printer, counter, "<", self.count.get(op))
        for accumulator, init in zip(accumulators, self.inits.get(op), strict=True):
            printer.print_string(", ")
            print_bound_argument(printer, accumulator, "=", init)
        printer.print_string(")")
        if types := self.results.get(op):
            printer.print_string(" -> ")
            printer.print_list(types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(body, print_entry_block_args=False)


@irdl_custom_directive
class Combiner(CustomDirective):
    """``{ arith.addf }`` or ``(%x, %y) { body }``: the scalar operation of a reduction."""

    argument_type: TypeDirective
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        name, names = None, list[Parser.UnresolvedArgument]()
        opening = parser.pos
        if parser.parse_optional_punctuation("{") is not None:
            name = parser.parse_identifier()
            parser.parse_punctuation("}")
        else:
            names = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
            )
        parser.parse_punctuation(":")
        start = parser.pos
        type_ = parser.parse_type()
        parser.parse_punctuation("->")
        result = parser.parse_type()
        if not isa(type_, TensorType) or not isa(result, TensorType):
            parser.raise_error("expected tensor types", start)
        scalar = element_of(type_)
        if name is not None:
            body = parse_single_operation(
                parser, (scalar, scalar), (scalar,), name, lambda v: YieldOp(*v), opening
            )
        else:
            body = parser.parse_region(resolve_arguments(names, (scalar, scalar), parser))
        self.argument_type.set(state, (type_,))
        self.result.set(state, (result,))
        self.body.set(state, body)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        body = self.body.get(op)
        single = single_operation(body)
        if single is not None:
            printer.print_string(f" {{ {single.name} }}")
        else:
            printer.print_string(" (")
            printer.print_list(body.block.args, printer.print_ssa_value)
            printer.print_string(")")
        printer.print_string(" : ")
        printer.print_list(self.argument_type.get(op), printer.print_attribute)
        printer.print_string(" -> ")
        printer.print_list(self.result.get(op), printer.print_attribute)
        if single is None:
            printer.print_string(" ")
            printer.print_region(body, print_entry_block_args=False)


@irdl_custom_directive
class Blocks(CustomDirective):
    """``(%start, %length of %n, %x = %a along 0) : (type) -> (type along 0) { body }``."""

    extent: OperandVariable
    arrays: VariadicOperandVariable
    array_types: TypeDirective
    array_axes: AttributeVariable
    results: TypeDirective
    result_axes: AttributeVariable
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("(")
        names = [parser.parse_argument(expect_type=False)]
        parser.parse_punctuation(",")
        names.append(parser.parse_argument(expect_type=False))
        parser.parse_keyword("of")
        self.extent.set(state, parser.parse_unresolved_operand())
        arrays, axes = list[UnresolvedOperand](), list[int]()
        while parser.parse_optional_punctuation(",") is not None:
            names.append(parser.parse_argument(expect_type=False))
            parser.parse_punctuation("=")
            arrays.append(parser.parse_unresolved_operand())
            axes.append(_parse_axis(parser))
        parser.parse_punctuation(")")
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        parser.parse_punctuation("->")
        results = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: (parser.parse_type(), _parse_axis(parser))
        )
        if len(types) != len(axes) or any(
            not isa(type_, TensorType) or axis >= rank_of(type_)
            for type_, axis in zip(types, axes, strict=False)
        ):
            parser.raise_error("expected a tensor type with the axis for each array")
        blocks = [block_type(type_, axis) for type_, axis in zip(types, axes, strict=True)]
        self.arrays.set(state, arrays)
        self.array_types.set(state, types)
        self.array_axes.set(state, DenseArrayBase.from_list(i64, axes))
        self.results.set(state, [type_ for type_, _ in results])
        self.result_axes.set(state, DenseArrayBase.from_list(i64, [axis for _, axis in results]))
        arguments = resolve_arguments(names, (SIZE_TYPE, SIZE_TYPE, *blocks), parser)
        self.body.set(state, parser.parse_region(arguments))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        body, arrays = self.body.get(op), self.arrays.get(op)
        start, length, *blocks = body.block.args
        printer.print_string(" (")
        printer.print_ssa_value(start)
        printer.print_string(", ")
        print_bound_argument(printer, length, "of", self.extent.get(op))
        for block, array, axis in zip(blocks, arrays, _axes(self.array_axes.get(op)), strict=True):
            printer.print_string(", ")
            print_bound_argument(printer, block, "=", array)
            printer.print_string(f" along {axis}")
        printer.print_string(") : (")
        printer.print_list(arrays.types, printer.print_attribute)
        printer.print_string(") -> (")
        printer.print_list(
            zip(self.results.get(op), _axes(self.result_axes.get(op)), strict=True),
            lambda pair: _print_result(printer, *pair),
        )
        printer.print_string(") ")
        printer.print_region(body, print_entry_block_args=False)


def _parse_axis(parser: Parser) -> int:
    parser.parse_keyword("along")
    return parser.parse_integer(allow_boolean=False, allow_negative=False)


def _axes(attribute: Attribute | None) -> tuple[int, ...]:
    assert isa(attribute, DenseArrayBase[IntegerType])
    return attribute.get_values()


def _print_result(printer: Printer, type_: Attribute, axis: int) -> None:
    printer.print_attribute(type_)
    printer.print_string(f" along {axis}")


@irdl_custom_directive
class Signature(CustomDirective):
    """``(types) -> type`` of an update, with any number of positions, and a condition or none."""

    array: TypeDirective
    positions: TypeDirective
    value: TypeDirective
    condition: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        inputs, outputs = parse_function_type(parser)
        counts = [len(operands or ()) for operands in state.operands]
        if sum(counts) != len(inputs):
            parser.raise_error(f"expected {sum(counts)} types of operands", start)
        types = iter(inputs)
        sides = self.array, self.positions, self.value, self.condition
        for side, count in zip(sides, counts, strict=True):
            side.set(state, tuple(islice(types, count)))
        self.result.set(state, outputs)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        printer.print_string(" (")
        printer.print_list(op.operand_types, printer.print_attribute)
        printer.print_string(") -> ")
        printer.print_list(op.result_types, printer.print_attribute)
