"""Scalar functions of whole arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import region_def, result_def, traits_def, var_operand_def
from xdsl.traits import RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.scopes import is_defined_in
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.operation import Canonical, op_definition, value_of
from ein_mlir.dialects.phi import SCALAR_TYPES
from ein_mlir.dialects.yarr.assembly import Mapping
from ein_mlir.dialects.yarr.base import BodyOp, Size, YarrOp, YieldOp, size_of_broadcast
from ein_mlir.dialects.yarr.types import (
    TENSOR,
    broadcast_shapes,
    element_of,
    listed,
    rank_of,
    shape_of,
    show,
    tensor,
)

_TAKING_OVER = (arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp, arith.NegfOp)
"""Operations with a finite result only for finite operands, except for divisors."""


@op_definition
class ElementwiseOp(BodyOp):
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

    BINDS_OPERANDS: ClassVar = True

    arguments = var_operand_def(TENSOR)
    result = result_def(TENSOR)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), Canonical())

    custom_directives = (Mapping,)
    assembly_format = (
        "custom<Mapping>($arguments, type($arguments), type($result), $body) attr-dict"
    )

    def __init__(self, arguments: Sequence[SSAValue | Operation], body: Region):
        values = [value_of(argument) for argument in arguments]
        shapes = list(dict.fromkeys(map(shape_of, values)))
        shape = shapes[0] if len(shapes) == 1 else broadcast_shapes(shapes)
        terminator = body.block.last_op
        if shape is None or not isinstance(terminator, YieldOp):
            raise ValueError("the operands of yarr.elementwise do not broadcast")
        super().__init__(
            operands=[values],
            result_types=[tensor(terminator.values[0].type, shape)],
            regions=[body],
        )

    def size_of_result(self, axis: int) -> Size | None:
        return size_of_broadcast(self.arguments, axis)

    def scalar_operation(self) -> Operation | None:
        return single_operation(self.body)

    def is_binary(self, operator: type[Operation]) -> bool:
        """Whether one scalar operator is applied to two values."""
        return isinstance(self.scalar_operation(), operator) and len(self.arguments) == 2

    def takes_over(self, number: int) -> bool:
        """Whether each result is finite only where an operand is, and NaN where the operand is."""
        block = self.body.block
        taken: set[SSAValue] = {block.args[number]}
        for op in block.ops:
            values = op.operands[:1] if isinstance(op, arith.DivfOp) else op.operands
            if isinstance(op, _TAKING_OVER) and not taken.isdisjoint(values):
                taken.update(op.results)
        terminator = block.last_op
        assert isinstance(terminator, YieldOp)
        return taken.issuperset(terminator.values)

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
        self.verify_ones(self.result, shape)


def verify_scalar_body(
    op: YarrOp, block: Block, arguments: Sequence[Attribute], results: Sequence[Attribute]
) -> None:
    """Check that a body consists of scalar operations and has the given types."""
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
        if not all(is_defined_in(operand, block) for operand in inner.operands):
            raise VerifyException(
                f"{op.name}: '{inner.name}' in the body uses a value from outside; make it an "
                "operand" + where_written(op)
            )
        if inner is not terminator and (
            inner.name.partition(".")[0] not in ("arith", "math", "sigma")
            or not all(r.type in SCALAR_TYPES for r in inner.results)
        ):
            raise VerifyException(
                f"{op.name}: the body works on scalars with arith, math and sigma operations, "
                f"'{inner.name}' is none of them" + where_written(op)
            )
