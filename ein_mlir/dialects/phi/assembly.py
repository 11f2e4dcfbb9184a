"""Directives of the assembly formats."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerType,
    StringAttr,
    TupleType,
    i64,
)
from xdsl.ir import Attribute, Region, SSAValue
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
    parse_single_operation,
    print_bound_argument,
    resolve_arguments,
    single_operation,
)
from ein_mlir.dialects.phi.base import YieldOp
from ein_mlir.dialects.phi.types import VecType, element_of, too_many
from ein_mlir.errors import counted


@irdl_custom_directive
class Comprehension(CustomDirective):
    """``(%i < %n, %j < %m) -> type { body }``: indices bound to their sizes."""

    sizes: VariadicOperandVariable
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        names = _parse_indices(parser, state, self.sizes)
        parser.parse_punctuation("->")
        self.result.set(state, (parser.parse_type(),))
        self.body.set(state, parser.parse_region(names))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        body = self.body.get(op)
        _print_indices(printer, body, self.sizes.get(op))
        _print_result_and_body(printer, self.result.get(op), body)


def _print_result_and_body(printer: Printer, types: Sequence[Attribute], body: Region) -> None:
    """`` -> type { body }``, without the variables of the body."""
    printer.print_string(" -> ")
    printer.print_list(types, printer.print_attribute)
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)


@irdl_custom_directive
class Accumulations(CustomDirective):
    """``(%i < %n) into "add" (%rows, %cols), "max" () -> type { body }``: indices, accumulators."""

    sizes: VariadicOperandVariable
    kinds: AttributeVariable
    ranks: AttributeVariable
    extents: VariadicOperandVariable
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        names = _parse_indices(parser, state, self.sizes)
        parser.parse_keyword("into")
        into = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, lambda: _parse_accumulator(parser)
        )
        self.kinds.set(state, ArrayAttr(StringAttr(kind) for kind, _ in into))
        self.ranks.set(state, DenseArrayBase.from_list(i64, [len(each) for _, each in into]))
        extents = [extent for _, each in into for extent in each]
        self.extents.set(state, extents)
        self.extents.set_types(state, (i64,) * len(extents))
        parser.parse_punctuation("->")
        self.result.set(state, (parser.parse_type(),))
        self.body.set(state, parser.parse_region(names))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        body = self.body.get(op)
        _print_indices(printer, body, self.sizes.get(op))
        printer.print_string(" into ")
        kinds, ranks = self.kinds.get(op), self.ranks.get(op)
        assert isa(kinds, ArrayAttr[StringAttr])
        assert isa(ranks, DenseArrayBase[IntegerType])
        extents = iter(self.extents.get(op))
        groups = [[next(extents) for _ in range(rank)] for rank in ranks.get_values()]

        def accumulator(pair: tuple[StringAttr, Sequence[SSAValue]]) -> None:
            printer.print_attribute(pair[0])
            printer.print_string(" ")
            with printer.in_parens():
                printer.print_list(pair[1], printer.print_ssa_value)

        printer.print_list(zip(kinds, groups, strict=True), accumulator)
        _print_result_and_body(printer, self.result.get(op), body)


def _parse_accumulator(parser: Parser) -> tuple[str, list[UnresolvedOperand]]:
    kind = parser.parse_str_literal("the kind of an accumulator")
    return kind, parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )


def _parse_indices(
    parser: Parser, state: ParsingState, sizes: VariadicOperandVariable
) -> list[Parser.Argument]:
    """Parse ``(%i < %n, %j < %m)``: the indices."""
    parser.parse_punctuation("(")
    names, operands = parse_bound_arguments(parser, "<")
    parser.parse_punctuation(")")
    sizes.set(state, operands)
    sizes.set_types(state, (i64,) * len(operands))
    return resolve_arguments(names, (IndexType(),) * len(names), parser)


def _print_indices(printer: Printer, body: Region, sizes: Sequence[SSAValue]) -> None:
    printer.print_string(" (")
    printer.print_list(
        zip(body.block.args, sizes, strict=True),
        lambda pair: print_bound_argument(printer, pair[0], "<", pair[1]),
    )
    printer.print_string(")")


@irdl_custom_directive
class Iteration(CustomDirective):
    """``(%k < %n, %acc = %init) -> type { body }``: a counter and an accumulator."""

    count: OperandVariable
    init: OperandVariable
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("(")
        counter = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("<")
        self.count.set(state, parser.parse_unresolved_operand())
        parser.parse_punctuation(",")
        accumulator = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        self.init.set(state, parser.parse_unresolved_operand())
        parser.parse_punctuation(")")
        parser.parse_punctuation("->")
        type_ = parser.parse_type()
        self.result.set(state, (type_,))
        self.init.set_types(state, (type_,))
        self.count.set_types(state, (i64,))
        arguments = resolve_arguments((counter, accumulator), (i64, type_), parser)
        self.body.set(state, parser.parse_region(arguments))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        body = self.body.get(op)
        counter, accumulator = body.block.args
        printer.print_string(" (")
        print_bound_argument(printer, counter, "<", self.count.get(op))
        printer.print_string(", ")
        print_bound_argument(printer, accumulator, "=", self.init.get(op))
        printer.print_string(") -> ")
        printer.print_list(self.result.get(op), printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(body, print_entry_block_args=False)


@irdl_custom_directive
class Combination(CustomDirective):
    """``%v identity %zero by (%x, %y) -> type { body }``, or ``by { arith.addf } -> type``.

    The type of a record of vectors follows it: ``%v : type identity ...``.
    """

    vec: OperandVariable
    vec_type: TypeDirective
    identity: OperandVariable
    identity_type: TypeDirective
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.vec.set(state, parser.parse_unresolved_operand())
        columns = parser.parse_optional_punctuation(":") and parser.parse_type()
        parser.parse_keyword("identity")
        self.identity.set(state, parser.parse_unresolved_operand())
        parser.parse_keyword("by")
        type_ = self._parse_body(parser, state)
        self.vec_type.set(state, (columns or VecType(type_),))
        self.identity_type.set(state, (type_,))
        self.result.set(state, (type_,))

    def _parse_body(self, parser: Parser, state: ParsingState) -> Attribute:
        """Parse the region and the type of the result; return the type."""
        if parser.parse_optional_punctuation("{") is not None:
            position = parser.pos
            name = parser.parse_identifier()
            parser.parse_punctuation("}")
            parser.parse_punctuation("->")
            type_ = parser.parse_type()
            body = parse_single_operation(
                parser, (type_, type_), (type_,), name, lambda values: YieldOp(values[0]), position
            )
        else:
            names = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
            )
            parser.parse_punctuation("->")
            type_ = parser.parse_type()
            arguments = resolve_arguments(names, (type_,) * 2, parser)
            body = parser.parse_region(arguments)
        self.body.set(state, body)
        return type_

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        body, vec = self.body.get(op), self.vec.get(op)
        (result_type,) = self.result.get(op)
        printer.print_string(" ")
        printer.print_ssa_value(vec)
        if not isinstance(vec.type, VecType):
            printer.print_string(" : ")
            printer.print_attribute(vec.type)
        printer.print_string(" identity ")
        printer.print_ssa_value(self.identity.get(op))
        printer.print_string(" by")
        single = single_operation(body)
        if single is not None:
            printer.print_string(f" {{ {single.name} }} -> ")
            printer.print_attribute(result_type)
            return
        printer.print_string(" (")
        printer.print_list(body.block.args, printer.print_ssa_value)
        printer.print_string(") -> ")
        printer.print_attribute(result_type)
        printer.print_string(" ")
        printer.print_region(body, print_entry_block_args=False)


@irdl_custom_directive
class Indexing(CustomDirective):
    """``%a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]``; the result type follows."""

    array: OperandVariable
    array_type: TypeDirective
    positions: VariadicOperandVariable
    position_types: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.array.set(state, parser.parse_unresolved_operand())
        positions = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        self.positions.set(state, positions)
        parser.parse_punctuation(":")
        start = parser.pos
        type_ = parser.parse_type()
        self.array_type.set(state, (type_,))
        types = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_type)
        self.position_types.set(state, tuple(types))
        element = element_of(type_, len(positions))
        if element is None:
            parser.raise_error(too_many(len(positions), "positions", type_), start)
        self.result.set(state, (element,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        array, positions = self.array.get(op), self.positions.get(op)
        printer.print_string(" ")
        printer.print_ssa_value(array)
        with printer.in_square_brackets():
            printer.print_list(positions, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_attribute(array.type)
        with printer.in_square_brackets():
            printer.print_list(positions.types, printer.print_attribute)


@irdl_custom_directive
class Fields(CustomDirective):
    """``(%a, %b) : tuple<f64, i64>``: the fields of a record, typed by the record."""

    fields: VariadicOperandVariable
    field_types: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        fields = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        self.fields.set(state, fields)
        parser.parse_punctuation(":")
        start = parser.pos
        type_ = parser.parse_type()
        if not isa(type_, TupleType):
            parser.raise_error(f"expected a tuple type, got '{type_}'", start)
        if len(type_.types) != len(fields):
            parser.raise_error(
                f"expected a tuple of {counted(len(fields), 'field')}, got '{type_}'", start
            )
        self.field_types.set(state, tuple(type_.types))
        self.result.set(state, (type_,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.fields.get(op), printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list(self.result.get(op), printer.print_attribute)


@irdl_custom_directive
class Differentiation(CustomDirective):
    """``(%x = %a by %da) : type by type -> type { body }``; one type for both is written once."""

    point: OperandVariable
    point_type: TypeDirective
    direction: OperandVariable
    direction_type: TypeDirective
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("(")
        parameter = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        self.point.set(state, parser.parse_unresolved_operand())
        parser.parse_keyword("by")
        self.direction.set(state, parser.parse_unresolved_operand())
        parser.parse_punctuation(")")
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        self.point_type.set(state, (type_,))
        is_given = parser.parse_optional_keyword("by") is not None
        self.direction_type.set(state, (parser.parse_type() if is_given else type_,))
        parser.parse_punctuation("->")
        self.result.set(state, (parser.parse_type(),))
        self.body.set(state, parser.parse_region(resolve_arguments((parameter,), (type_,), parser)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        body, point, direction = self.body.get(op), self.point.get(op), self.direction.get(op)
        printer.print_string(" (")
        print_bound_argument(printer, body.block.args[0], "=", point)
        printer.print_string(" by ")
        printer.print_ssa_value(direction)
        printer.print_string(") : ")
        printer.print_attribute(point.type)
        if direction.type != point.type:
            printer.print_string(" by ")
            printer.print_attribute(direction.type)
        _print_result_and_body(printer, self.result.get(op), body)


@irdl_custom_directive
class LinearMap(CustomDirective):
    """``(%dx = %a, %dy = %b) by %ct -> tuple<types> : type { body }``, the types of a and b."""

    like: VariadicOperandVariable
    like_types: TypeDirective
    cotangent: OperandVariable
    cotangent_type: TypeDirective
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("(")
        names, like = parse_bound_arguments(parser, "=")
        parser.parse_punctuation(")")
        parser.parse_keyword("by")
        self.cotangent.set(state, parser.parse_unresolved_operand())
        parser.parse_punctuation("->")
        start = parser.pos
        result = parser.parse_type()
        if not isa(result, TupleType) or len(result.types) != len(like):
            parser.raise_error(
                f"expected a tuple of {counted(len(like), 'field')}, got '{result}'", start
            )
        types = tuple(result.types)
        self.like.set(state, like)
        self.like_types.set(state, types)
        self.result.set(state, (result,))
        parser.parse_punctuation(":")
        self.cotangent_type.set(state, (parser.parse_type(),))
        self.body.set(state, parser.parse_region(resolve_arguments(names, types, parser)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        body, cotangent = self.body.get(op), self.cotangent.get(op)
        printer.print_string(" (")
        printer.print_list(
            zip(body.block.args, self.like.get(op), strict=True),
            lambda pair: print_bound_argument(printer, pair[0], "=", pair[1]),
        )
        printer.print_string(") by ")
        printer.print_ssa_value(cotangent)
        printer.print_string(" -> ")
        printer.print_list(self.result.get(op), printer.print_attribute)
        printer.print_string(" : ")
        printer.print_attribute(cotangent.type)
        printer.print_string(" ")
        printer.print_region(body, print_entry_block_args=False)
