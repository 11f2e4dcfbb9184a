"""Sequential folds."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import (
    Attribute,
    BlockArgument,
    Operation,
    Region,
    SSAValue,
)
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    OperandVariable,
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    RecursiveMemoryEffect,
)

from ein_mlir.dialects.assembly import (
    parse_bound_arguments,
    print_bound_argument,
    resolve_arguments,
)
from ein_mlir.dialects.yarr.base import CanonicalOp, YarrOp
from ein_mlir.dialects.yarr.elementwise import YieldOp
from ein_mlir.dialects.yarr.types import SIZE, SIZE_TYPE, TENSOR, listed


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
        assert isinstance(op, FoldOp)
        printer.print_string(" (")
        print_bound_argument(printer, op.counter, "<", op.count)
        for accumulator, init in zip(op.accumulators, op.inits, strict=True):
            printer.print_string(", ")
            print_bound_argument(printer, accumulator, "=", init)
        printer.print_string(")")
        if op.res:
            printer.print_string(" -> ")
            printer.print_list((r.type for r in op.res), printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(op.body, print_entry_block_args=False)


@irdl_op_definition
class FoldOp(YarrOp):
    """A loop over whole arrays: accumulators start as the initial values, a step yields the next.

    Example:
    ```mlir
    %s = yarr.fold (%k < %n, %acc = %init) -> tensor<?xf64> {
      %x = yarr.take %a, 0, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
      %0 = yarr.elementwise { arith.addf } %acc, %x : ...
      yarr.yield %0 : tensor<?xf64>
    }
    ```
    """

    name = "yarr.fold"

    count = operand_def(SIZE)
    inits = var_operand_def(TENSOR)
    res = var_result_def(TENSOR)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), CanonicalOp())

    custom_directives = (Loop,)
    assembly_format = "custom<Loop>($count, $inits, type($inits), type($res), $body) attr-dict"

    def __init__(
        self, count: SSAValue | Operation, inits: Sequence[SSAValue | Operation], body: Region
    ):
        types = [SSAValue.get(init).type for init in inits]
        super().__init__(operands=[count, inits], result_types=[types], regions=[body])

    @property
    def counter(self) -> BlockArgument:
        """The number of the step, from 0."""
        return self.body.block.args[0]

    @property
    def accumulators(self) -> Sequence[BlockArgument]:
        """The values that the steps hand on."""
        return self.body.block.args[1:]

    def verify_(self) -> None:
        block = self.body.block
        types = [init.type for init in self.inits]
        if [arg.type for arg in block.args] != [SIZE_TYPE, *types]:
            raise self.fail(
                f"the body must take ({listed((SIZE_TYPE, *types))}), "
                f"not ({listed(a.type for a in block.args)})"
            )
        if not isinstance(block.last_op, YieldOp):
            raise self.fail("the body must end in yarr.yield")
        if list(block.last_op.values.types) != types:
            raise self.fail(
                f"the body must yield ({listed(types)}), not ({listed(block.last_op.values.types)})"
            )
        if [r.type for r in self.res] != types:
            raise self.fail(f"results must have the types of the initial values: {listed(types)}")
