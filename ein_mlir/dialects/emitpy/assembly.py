"""Directives of the assembly formats."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OperandVariable,
    OptionalOperandVariable,
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
    print_bound_argument,
    resolve_arguments,
)
from ein_mlir.dialects.emitpy.types import OBJECT


@irdl_custom_directive
class Arguments(CustomDirective):
    """``(%a, %b, axis = %k)``: positional operands, then keyword ones."""

    arguments: VariadicOperandVariable
    keywords: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        operands, keywords = list[UnresolvedOperand](), list[StringAttr]()

        def parse_argument() -> None:
            keyword = parser.parse_optional_identifier()
            if keyword is not None:
                parser.parse_punctuation("=")
                keywords.append(StringAttr(keyword))
            elif keywords:
                parser.raise_error("a positional argument cannot follow a keyword")
            operands.append(parser.parse_unresolved_operand())

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)
        self.arguments.set(state, operands)
        if keywords:
            self.keywords.set(state, ArrayAttr(keywords))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        arguments, keywords = self.arguments.get(op), self.keywords.get(op)
        names = list(keywords) if isa(keywords, ArrayAttr[StringAttr]) else []
        positional = len(arguments) - len(names)

        def print_argument(numbered: tuple[int, SSAValue]) -> None:
            number, value = numbered
            if number >= positional:
                printer.print_string(f"{names[number - positional].data} = ")
            printer.print_ssa_value(value)

        with printer.in_parens():
            printer.print_list(enumerate(arguments), print_argument)
        state.should_emit_space = True
        state.last_was_punctuation = False


@irdl_custom_directive
class Iteration(CustomDirective):
    """``(%k < %n step %b, %acc = %init, ...) : type of %n -> types { body }``."""

    count: OperandVariable
    count_type: TypeDirective
    step: OptionalOperandVariable
    inits: VariadicOperandVariable
    init_types: TypeDirective
    results: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("(")
        counter = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("<")
        self.count.set(state, parser.parse_unresolved_operand())
        step = None
        if parser.parse_optional_keyword("step") is not None:
            step = parser.parse_unresolved_operand()
        self.step.set(state, step)
        names, inits = list[Parser.UnresolvedArgument](), list[UnresolvedOperand]()
        if parser.parse_optional_punctuation(",") is not None:
            names, inits = parse_bound_arguments(parser, "=")
        parser.parse_punctuation(")")
        parser.parse_punctuation(":")
        self.count_type.set(state, (parser.parse_type(),))
        types: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        self.inits.set(state, inits)
        self.init_types.set(state, types)
        self.results.set(state, types)
        arguments = resolve_arguments((counter, *names), (OBJECT, *types), parser)
        self.body.set(state, parser.parse_region(arguments))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        body = self.body.get(op)
        count, step, inits = self.count.get(op), self.step.get(op), self.inits.get(op)
        counter, *accumulators = body.block.args
        printer.print_string(" (")
        print_bound_argument(printer, counter, "<", count)
        if step is not None:
            printer.print_string(" step ")
            printer.print_ssa_value(step)
        for accumulator, init in zip(accumulators, inits, strict=True):
            printer.print_string(", ")
            print_bound_argument(printer, accumulator, "=", init)
        printer.print_string(") : ")
        printer.print_attribute(count.type)
        if types := self.results.get(op):
            printer.print_string(" -> ")
            printer.print_list(types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(body, print_entry_block_args=False)
