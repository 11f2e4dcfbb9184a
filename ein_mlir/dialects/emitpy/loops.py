"""Loops and local functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    lazy_traits_def,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import HasParent, IsTerminator, Pure, RecursiveMemoryEffect

from ein_mlir.dialects.emitpy.assembly import Iteration
from ein_mlir.dialects.emitpy.base import EmitPyOp
from ein_mlir.dialects.emitpy.expressions import ConditionalOp
from ein_mlir.dialects.emitpy.literals import LiteralOp, literal_data
from ein_mlir.dialects.emitpy.types import OBJECT, OBJECT_VALUE, VALUE
from ein_mlir.dialects.operation import op_definition


@op_definition
class YieldOp(EmitPyOp):
    """The terminator of a body: it yields the next accumulators, or a local function's result."""

    name = "emitpy.yield"

    values = var_operand_def(VALUE)

    traits = lazy_traits_def(lambda: (IsTerminator(), Pure(), HasParent(DefOp, ForOp)))

    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, *values: SSAValue | Operation):
        super().__init__(operands=[values])


@op_definition
class ForOp(EmitPyOp):
    """``for k in range(n):`` with accumulators, which are variables that each step assigns.

    With a step it is ``for k in range(0, n, step):``. A ``conditional`` loop ends as soon as its
    first accumulator is false: ``if not on: break`` precedes each step.

    Example:
    ```mlir
    %s = emitpy.for (%k < %n, %acc = %init) : !emitpy.object -> tensor<f64> {
      %0 = emitpy.binary %acc "+" %k : (tensor<f64>, !emitpy.object) -> tensor<f64>
      emitpy.yield %0 : tensor<f64>
    }
    ```
    """

    name = "emitpy.for"

    BINDS_OPERANDS: ClassVar = True

    count = operand_def(VALUE)
    inits = var_operand_def(VALUE)
    step = opt_operand_def(OBJECT_VALUE)
    conditional = opt_prop_def(UnitAttr)
    res = var_result_def(VALUE)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())

    custom_directives = (Iteration,)
    assembly_format = (
        "(`conditional` $conditional^)? "
        "custom<Iteration>($count, type($count), $step, $inits, type($inits), type($res), $body) "
        "attr-dict"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        count: SSAValue | Operation,
        inits: Sequence[SSAValue | Operation],
        body: Region,
        step: SSAValue | Operation | None = None,
        *,
        conditional: bool = False,
    ):
        types = [SSAValue.get(init).type for init in inits]
        super().__init__(
            operands=[count, inits, step],
            result_types=[types],
            regions=[body],
            properties={"conditional": UnitAttr() if conditional else None},
        )

    @property
    def counter(self) -> BlockArgument:
        """The number of the step, from 0."""
        return self.body.block.args[0]

    @property
    def accumulators(self) -> Sequence[BlockArgument]:
        """The carried values."""
        return self.body.block.args[1:]

    @property
    def is_condition(self) -> bool:
        """Whether the loop has at most one step, and so computes nothing twice."""
        match self.count.owner:
            case LiteralOp(data=int(steps)):
                return steps <= 1
            case ConditionalOp() as choice:
                return all(literal_data(n) in (0, 1) for n in (choice.if_true, choice.if_false))
            case _:
                return False

    def counters(self) -> Sequence[BlockArgument]:
        return (self.counter,)

    def variables(self) -> Sequence[BlockArgument]:
        return self.accumulators

    def verify_(self) -> None:
        types = [init.type for init in self.inits]
        if self.conditional is not None and not types:
            raise self.fail("a conditional loop needs an accumulator")
        if [arg.type for arg in self.body.block.args] != [OBJECT, *types]:
            raise self.fail("the body must take an !emitpy.object and the accumulators")
        terminator = self.body.block.last_op
        if not isinstance(terminator, YieldOp):
            raise self.fail("the body must end in emitpy.yield")
        if list(terminator.values.types) != types or [r.type for r in self.res] != types:
            raise self.fail("initial values, yielded values and results must have the same types")

    @property
    def yielded(self) -> Sequence[SSAValue]:
        """The values that a step yields: the accumulators of the next one."""
        terminator = self.body.block.last_op
        assert isinstance(terminator, YieldOp)
        return terminator.values

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        return (*self.inits, *self.yielded)


@op_definition
class DefOp(EmitPyOp):
    """A local function, which may capture variables: the body of a library's loop.

    Example:
    ```mlir
    %step = emitpy.def {
    ^bb0(%k: tensor<i64>, %acc: tensor<f64>):
      %x = emitpy.subscript %a[%k] : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
      %0 = emitpy.binary %acc "+" %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
      emitpy.yield %0 : tensor<f64>
    }
    %s = emitpy.helper "jnp.fold"(%n, %step, %init)
      : (!emitpy.object, !emitpy.object, tensor<f64>) -> tensor<f64>
    ```
    """

    name = "emitpy.def"

    body = region_def("single_block")
    result = result_def(OBJECT_VALUE)

    traits = traits_def(Pure())

    assembly_format = "$body attr-dict"

    def __init__(self, body: Region):
        super().__init__(result_types=[OBJECT], regions=[body])

    @property
    def returned(self) -> SSAValue:
        """The value that the function returns."""
        terminator = self.body.block.last_op
        assert isinstance(terminator, YieldOp)
        return terminator.values[0]

    def verify_(self) -> None:
        terminator = self.body.block.last_op
        if not isinstance(terminator, YieldOp) or len(terminator.values) != 1:
            raise self.fail("the body must end in emitpy.yield of one value")
