"""Work on one block of an axis after the other."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase, TensorType, i64
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
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
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.hints import isa

from ein_mlir.dialects.assembly import print_bound_argument, resolve_arguments
from ein_mlir.dialects.yarr.base import CanonicalOp, YarrOp
from ein_mlir.dialects.yarr.elementwise import YieldOp
from ein_mlir.dialects.yarr.types import (
    DYNAMIC,
    SIZE,
    SIZE_TYPE,
    TENSOR,
    compatible,
    element_of,
    listed,
    rank_of,
    shape_of,
    tensor,
    without_axis,
)


def block_type(type_: Attribute, axis: int) -> TensorType[Attribute]:
    """The type of a block of an array along an axis."""
    return tensor(element_of(type_), without_axis(axis, shape_of(type_)))


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
        assert isinstance(op, TileOp)
        printer.print_string(" (")
        printer.print_ssa_value(op.start)
        printer.print_string(", ")
        print_bound_argument(printer, op.length, "of", op.extent)
        for block, array, axis in zip(op.blocks, op.arrays, op.array_axes, strict=True):
            printer.print_string(", ")
            print_bound_argument(printer, block, "=", array)
            printer.print_string(f" along {axis}")
        printer.print_string(") : (")
        printer.print_list(op.arrays.types, printer.print_attribute)
        printer.print_string(") -> (")
        printer.print_list(
            zip(op.res, op.result_axes, strict=True), lambda pair: _print_result(printer, *pair)
        )
        printer.print_string(") ")
        printer.print_region(op.body, print_entry_block_args=False)


def _parse_axis(parser: Parser) -> int:
    parser.parse_keyword("along")
    return parser.parse_integer(allow_boolean=False, allow_negative=False)


def _print_result(printer: Printer, result: SSAValue, axis: int) -> None:
    printer.print_attribute(result.type)
    printer.print_string(f" along {axis}")


@irdl_op_definition
class TileOp(YarrOp):
    """Arrays cut into blocks along an axis, worked on one after the other; results put together.

    The body computes, from blocks of the arrays, blocks of the results. It also gets where the
    block starts and how long it is, and may read other values whole. It works on each position of
    the axis for itself: the results do not depend on how the axis is cut, which is the backend's
    choice (all of it in one block, or as much as stays in a cache). Nothing runs where the axis is
    empty.

    Each array has the size ``extent`` along its axis. ``sizes`` are the sizes of the results along
    their other axes that their types do not tell, result by result.

    Example:
    ```mlir
    %c = yarr.tile sizes (%m) (%start, %length of %n, %x = %a along 0, %y = %b along 0)
      : (tensor<?x?xf64>, tensor<?x?xf64>) -> (tensor<?x?xf64> along 0) {
      %0 = yarr.elementwise { arith.addf } %x, %y : ...
      %1 = yarr.elementwise { math.exp } %0 : ...
      yarr.yield %1 : tensor<?x?xf64>
    }
    ```
    """

    name = "yarr.tile"

    extent = operand_def(SIZE)
    arrays = var_operand_def(TENSOR)
    sizes = var_operand_def(SIZE)
    array_axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="array_axes")
    result_axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="result_axes")
    res = var_result_def(TENSOR)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), CanonicalOp())
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    custom_directives = (Blocks,)
    assembly_format = (
        "(`sizes` `(` $sizes^ `)`)? custom<Blocks>($extent, $arrays, type($arrays), $array_axes, "
        "type($res), $result_axes, $body) attr-dict"
    )

    def __init__(
        self,
        extent: SSAValue | Operation,
        arrays: Sequence[SSAValue | Operation],
        array_axes: Sequence[int],
        sizes: Sequence[SSAValue | Operation],
        result_types: Sequence[Attribute],
        result_axes: Sequence[int],
        body: Region,
    ):
        super().__init__(
            operands=[extent, arrays, sizes],
            result_types=[result_types],
            properties={
                "array_axes": DenseArrayBase.from_list(i64, array_axes),
                "result_axes": DenseArrayBase.from_list(i64, result_axes),
            },
            regions=[body],
        )

    @property
    def array_axes(self) -> tuple[int, ...]:
        """The axis that each array is cut along."""
        return self.array_axes_attr.get_values()

    @property
    def result_axes(self) -> tuple[int, ...]:
        """The axis that the blocks of each result are put together along."""
        return self.result_axes_attr.get_values()

    @property
    def start(self) -> BlockArgument:
        """The first position of the block."""
        return self.body.block.args[0]

    @property
    def length(self) -> BlockArgument:
        """The size of the block."""
        return self.body.block.args[1]

    @property
    def blocks(self) -> Sequence[BlockArgument]:
        """The blocks of the arrays."""
        return self.body.block.args[2:]

    @property
    def yielded(self) -> Sequence[SSAValue]:
        """The blocks of the results."""
        assert isinstance(self.body.block.last_op, YieldOp)
        return self.body.block.last_op.values

    def shape_of_result(self, number: int) -> list[int | SSAValue]:
        """The size of a result along each axis: a number or a size."""
        sizes, shape = iter(self.sizes), list[int | SSAValue]()
        for position, (result, tiled) in enumerate(zip(self.res, self.result_axes, strict=True)):
            shape = [
                self.extent if axis == tiled else next(sizes) if size == DYNAMIC else size
                for axis, size in enumerate(shape_of(result))
            ]
            if position == number:
                break
        return shape

    def verify_(self) -> None:
        for values, axes, what in (
            (self.arrays, self.array_axes, "array"),
            (self.res, self.result_axes, "result"),
        ):
            if len(values) != len(axes):
                raise self.fail(f"an axis for each {what} is needed: {len(axes)} for {len(values)}")
            for value, axis in zip(values, axes, strict=True):
                self.verify_axis(axis, rank_of(value), f"{what} axis")
        blocks = [block_type(t, d) for t, d in zip(self.arrays.types, self.array_axes, strict=True)]
        expected = (SIZE_TYPE, SIZE_TYPE, *blocks)
        if [argument.type for argument in self.body.block.args] != list(expected):
            given = listed(argument.type for argument in self.body.block.args)
            raise self.fail(f"the body must take ({listed(expected)}), not ({given})")
        if not isinstance(self.body.block.last_op, YieldOp):
            raise self.fail("the body must end in yarr.yield")
        if len(self.yielded) != len(self.res):
            raise self.fail(f"{len(self.yielded)} blocks do not make {len(self.res)} results")
        for block, result, axis in zip(self.yielded, self.res, self.result_axes, strict=True):
            type_ = block_type(result.type, axis)
            if element_of(block) != element_of(result) or not compatible(
                shape_of(block), shape_of(type_)
            ):
                raise self.fail(f"blocks of type '{block.type}' do not make a '{result.type}'")
        unknown = sum(
            size == DYNAMIC
            for result, tiled in zip(self.res, self.result_axes, strict=True)
            for axis, size in enumerate(shape_of(result))
            if axis != tiled
        )
        if len(self.sizes) != unknown:
            raise self.fail(f"{len(self.sizes)} sizes for {unknown} axes of results")
