"""Scalar functions of whole arrays."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    TensorType,
)
from xdsl.ir import (
    Attribute,
    Block,
    Operation,
    Region,
    SSAValue,
)
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    Pure,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ein_mlir.dialects.assembly import (
    parse_bound_arguments,
    parse_function_type,
    parse_single_operation,
    print_bound_argument,
    resolve_arguments,
    single_operation,
)
from ein_mlir.dialects.phi import where_written
from ein_mlir.dialects.yarr.base import CanonicalOp, YarrOp, block_of
from ein_mlir.dialects.yarr.types import (
    ELEMENT_TYPES,
    TENSOR,
    broadcast_shapes,
    element_of,
    listed,
    rank_of,
    shape_of,
    show,
    tensor,
)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends the body of an elementwise operation, a reduction, a fold or a tile.

    Example:
    ```mlir
    yarr.yield %x, %y : tensor<?xf64>, tensor<i64>
    ```
    """

    name = "yarr.yield"

    values = var_operand_def(AnyAttr())

    traits = lazy_traits_def(lambda: (IsTerminator(), Pure(), HasParent(*_with_body())))

    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, *values: SSAValue | Operation):
        super().__init__(operands=[values])


def _with_body() -> tuple[type[Operation], ...]:
    """The operations that a yield may end."""
    from ein_mlir.dialects.yarr.loops import FoldOp
    from ein_mlir.dialects.yarr.reductions import ReduceOp, TreeReduceOp
    from ein_mlir.dialects.yarr.tiles import TileOp

    return ElementwiseOp, ReduceOp, FoldOp, TreeReduceOp, TileOp


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
        assert isinstance(op, ElementwiseOp)
        single = single_operation(op.body)
        if single is not None:
            printer.print_string(f" {{ {single.name} }} ")
            printer.print_list(op.arguments, printer.print_ssa_value)
        else:
            printer.print_string(" (")
            printer.print_list(
                zip(op.body.block.args, op.arguments, strict=True),
                lambda pair: print_bound_argument(printer, pair[0], "=", pair[1]),
            )
            printer.print_string(")")
        printer.print_string(" : (")
        printer.print_list(op.arguments.types, printer.print_attribute)
        printer.print_string(") -> ")
        printer.print_attribute(op.result.type)
        if single is None:
            printer.print_string(" ")
            printer.print_region(op.body, print_entry_block_args=False)


@irdl_op_definition
class ElementwiseOp(YarrOp):
    """A scalar function applied at each position of arrays that broadcast.

    The arrays have one rank; an axis of static size 1 is repeated against the others. The region
    holds ``arith``, ``math`` and ``sigma`` operations on scalars.

    Example:
    ```mlir
    %c = yarr.elementwise { arith.addf } %a, %b
      : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %d = yarr.elementwise (%x = %c) : (tensor<?x?xf64>) -> tensor<?x?xf64> {
      %0 = arith.mulf %x, %x : f64
      yarr.yield %0 : f64
    }
    ```
    """

    name = "yarr.elementwise"

    arguments = var_operand_def(TENSOR)
    result = result_def(TENSOR)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), CanonicalOp())

    custom_directives = (Mapping,)
    assembly_format = (
        "custom<Mapping>($arguments, type($arguments), type($result), $body) attr-dict"
    )

    def __init__(self, arguments: Sequence[SSAValue | Operation], body: Region):
        values = [SSAValue.get(argument) for argument in arguments]
        shape = broadcast_shapes([shape_of(value) for value in values])
        terminator = body.block.last_op
        if shape is None or not isinstance(terminator, YieldOp):
            raise ValueError("the operands of yarr.elementwise do not broadcast")
        super().__init__(
            operands=[values],
            result_types=[tensor(terminator.values[0].type, shape)],
            regions=[body],
        )

    def verify_(self) -> None:
        ranks = {rank_of(argument) for argument in self.arguments}
        if len(ranks) > 1:
            raise self.fail(f"operands must have one rank, got {sorted(ranks)}")
        shape = broadcast_shapes([shape_of(argument) for argument in self.arguments])
        if shape is None:
            shapes = ", ".join(show(shape_of(argument)) for argument in self.arguments)
            raise self.fail(f"shapes {shapes} do not broadcast")
        verify_scalar_body(
            self,
            self.body.block,
            [element_of(argument) for argument in self.arguments],
            [element_of(self.result)],
        )
        self.verify_result(self.result, element_of(self.result), shape)


def verify_scalar_body(
    op: YarrOp, block: Block, arguments: Sequence[Attribute], results: Sequence[Attribute]
) -> None:
    """Check that a body is made of scalar operations, and has the types given."""
    if [arg.type for arg in block.args] != list(arguments):
        raise VerifyException(
            f"{op.name}: the body must take ({listed(arguments)}), "
            f"not ({listed(a.type for a in block.args)})" + where_written(op)
        )
    terminator = block.last_op
    if not isinstance(terminator, YieldOp):
        raise VerifyException(f"{op.name}: the body must end in yarr.yield" + where_written(op))
    if list(terminator.values.types) != list(results):
        raise VerifyException(
            f"{op.name}: the body must yield ({listed(results)}), "
            f"not ({listed(terminator.values.types)})" + where_written(op)
        )
    for inner in block.ops:
        if any(block_of(operand) is not block for operand in inner.operands):
            raise VerifyException(
                f"{op.name}: '{inner.name}' in the body uses a value from outside; make it an "
                "operand" + where_written(op)
            )
        if inner is not terminator and (
            inner.name.partition(".")[0] not in ("arith", "math", "sigma")
            or not all(r.type in ELEMENT_TYPES for r in inner.results)
        ):
            raise VerifyException(
                f"{op.name}: the body works on scalars with arith, math and sigma operations, "
                f"'{inner.name}' is none of them" + where_written(op)
            )
