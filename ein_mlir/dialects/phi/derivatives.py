"""Derivatives: operations that `differentiate` expands, so that they nest."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import I64, IntegerAttr, TupleType, i64
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import RecursiveMemoryEffect

from ein_mlir.dialects.operation import op_definition
from ein_mlir.dialects.phi.assembly import Differentiation, LinearMap
from ein_mlir.dialects.phi.base import BodyOp, YieldOp
from ein_mlir.dialects.phi.interface import Flow, Path, Term
from ein_mlir.dialects.phi.types import VALUE, tuple_of


def _yielded_type(body: Region) -> Attribute:
    terminator = body.block.last_op
    if not isinstance(terminator, YieldOp):
        raise ValueError("the body of a derivative must end in phi.yield")
    return terminator.value.type


class DerivativeOp(BodyOp):
    """An operation that passes expand before all others; no backend has a rule for it."""

    def may_fail(self) -> bool:
        return False

    @abstractmethod
    def arguments(self) -> Iterable[tuple[BlockArgument, SSAValue]]:
        """The arguments of the body, each with a value of the same sizes."""


class DerivativeAtPointOp(DerivativeOp):
    """The value of a function at a point, and a derivative there in a direction."""

    @property
    def point(self) -> SSAValue:
        """The argument of the function."""
        return self.operands[0]

    @property
    def direction(self) -> SSAValue:
        """The tangent of the argument, or the cotangent of the result."""
        return self.operands[1]

    @property
    def parameter(self) -> BlockArgument:
        """The argument in the body."""
        return self.regions[0].block.args[0]

    def arguments(self) -> Iterable[tuple[BlockArgument, SSAValue]]:
        return [(self.parameter, self.point)]

    def flow(self, operand: int) -> Iterable[Flow]:
        derivative = Flow(self.results[0], put=(1,), mixed=True)
        return [derivative] if operand else [Flow(self.parameter), derivative]

    def flow_of_step(self) -> Iterable[Flow]:
        result = self.results[0]
        return [Flow(result, put=(0,)), Flow(result, put=(1,), mixed=True)]

    def _verify_types(self, direction: Attribute, derivative: Attribute) -> None:
        value = self.yielded().type if isinstance(self.regions[0].block.last_op, YieldOp) else None
        if value is not None:
            self.verify_body((self.point.type,), value)
        if self.direction.type != direction:
            raise self.fail(f"the direction must be a '{direction}', not '{self.direction.type}'")
        expected = tuple_of((self.yielded().type, derivative))
        if self.results[0].type != expected:
            raise self.fail(f"the result must be a '{expected}', not '{self.results[0].type}'")


@op_definition
class JvpOp(DerivativeAtPointOp):
    """The value of a function, and its derivative in the direction of a tangent.

    The function is the body, as one of its argument; captured values are constants. Tangents of
    Ints and Bools are nothing: those given are ignored, and those of the result are zero.

    Example:
    ```mlir
    %r = phi.jvp (%x = %a by %da) : f64 -> tuple<f64, f64> {
      %y = math.sin %x : f64
      phi.yield %y : f64
    }
    ```
    """

    name = "phi.jvp"

    point_ = operand_def(VALUE)
    tangent = operand_def(VALUE)
    result = result_def(TupleType)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())

    custom_directives = (Differentiation,)
    assembly_format = (
        "custom<Differentiation>($point_, type($point_), $tangent, type($tangent), type($result), "
        "$body) attr-dict"
    )

    def __init__(self, point: SSAValue | Operation, tangent: SSAValue | Operation, body: Region):
        type_ = _yielded_type(body)
        super().__init__(
            operands=[point, tangent], result_types=[tuple_of((type_, type_))], regions=[body]
        )

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.jvp (x = a by da) { e }|`` has the sizes of ``e`` in both fields"""
        return None if axis is None and path[0] else Term(self.yielded(), path[1:], axis)

    def verify_(self) -> None:
        self._verify_types(self.point.type, self.yielded().type)


@op_definition
class VjpOp(DerivativeAtPointOp):
    """The value of a function, and the cotangent of its argument for one of its result.

    The cotangent of the argument is the transposed derivative, applied to that of the result: the
    gradient of a Float for 1.0. Those of Ints and Bools are ignored, or zero, as in ``phi.jvp``.

    A loop that saves more than ``checkpoint`` bytes saves every sqrt(n)-th step only, and computes
    the other ones again.

    Example:
    ```mlir
    %r = phi.vjp (%x = %a by %ct) : !phi.vec<f64> by f64 -> tuple<f64, !phi.vec<f64>> {
      %y = phi.get %x[%zero] : !phi.vec<f64>[i64]
      phi.yield %y : f64
    }
    ```
    """

    name = "phi.vjp"

    point_ = operand_def(VALUE)
    cotangent = operand_def(VALUE)
    result = result_def(TupleType)
    body = region_def("single_block")
    checkpoint = opt_prop_def(IntegerAttr[I64])

    traits = traits_def(RecursiveMemoryEffect())

    custom_directives = (Differentiation,)
    assembly_format = (
        "(`checkpoint` $checkpoint^)? "
        "custom<Differentiation>($point_, type($point_), $cotangent, type($cotangent), "
        "type($result), $body) attr-dict"
    )

    def __init__(
        self,
        point: SSAValue | Operation,
        cotangent: SSAValue | Operation,
        body: Region,
        *,
        checkpoint: int | None = None,
    ):
        types = _yielded_type(body), SSAValue.get(point).type
        bound = None if checkpoint is None else IntegerAttr(checkpoint, i64)
        super().__init__(
            operands=[point, cotangent],
            result_types=[tuple_of(types)],
            regions=[body],
            properties={"checkpoint": bound},
        )

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.vjp (x = a by ct) { e }|`` has the sizes of ``e``, and then those of ``a``"""
        if path[0] == 0:
            return Term(self.yielded(), path[1:], axis)
        return None if axis is None else Term(self.point, path[1:], axis)

    def verify_(self) -> None:
        self._verify_types(self.yielded().type, self.point.type)


@op_definition
class TransposeOp(DerivativeOp):
    """The transpose of a linear map, applied to a cotangent: `linearize` makes it of ``phi.vjp``.

    The body is linear in its arguments, Floats and arrays of them; each has the sizes of its
    operand. The result is the record of their cotangents.

    Example:
    ```mlir
    %r = phi.transpose (%dx = %a) by %ct -> tuple<f64> : f64 {
      %dy = arith.mulf %dx, %c : f64
      phi.yield %dy : f64
    }
    ```
    """

    name = "phi.transpose"

    like = var_operand_def(VALUE)
    cotangent = operand_def(VALUE)
    result = result_def(TupleType)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())

    custom_directives = (LinearMap,)
    assembly_format = (
        "custom<LinearMap>($like, type($like), $cotangent, type($cotangent), type($result), $body) "
        "attr-dict"
    )

    def __init__(
        self,
        like: Sequence[SSAValue | Operation],
        cotangent: SSAValue | Operation,
        body: Region,
    ):
        types = tuple_of(SSAValue.get(value).type for value in like)
        super().__init__(operands=[like, cotangent], result_types=[types], regions=[body])

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.transpose (dx = a) by ct { e }|`` has the sizes of ``a``"""
        return None if axis is None else Term(self.like[path[0]], path[1:], axis)

    def arguments(self) -> Iterable[tuple[BlockArgument, SSAValue]]:
        return zip(self.body.block.args, self.like, strict=True)

    def flow(self, operand: int) -> Iterable[Flow]:
        return [Flow(self.result, mixed=True)] if operand == len(self.like) else ()

    def flow_of_step(self) -> Iterable[Flow]:
        return [Flow(self.result, mixed=True)]

    def verify_(self) -> None:
        self.verify_body(tuple(self.like.types), self.cotangent.type)
        expected = tuple_of(self.like.types)
        if self.result.type != expected:
            raise self.fail(f"the result must be a '{expected}', not '{self.result.type}'")
