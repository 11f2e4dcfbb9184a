"""Rules for constants, indices and scalar operators: the applicative part of the translation.

Each equation is the dissertation's (3.6.2), with ``A[e]`` for the Axial of ``e``::

    A[c]              = <[], c>
    A[index_cast i]   = <[i], range(size of i)>
    A[s(e1, ..., en)] = <axes, elementwise_s(align(E1), ..., align(En))>
                        where A[ek] = <axes_k, Ek> and axes = axes_1 + ... + axes_n
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, TensorType
from xdsl.ir import Block, BlockArgument, Operation, Region
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.dialects import phi, yarr
from ein_mlir.passes.convert_phi_to_yarr.axial import Axial, leaves, map_leaves, union
from ein_mlir.passes.convert_phi_to_yarr.conversion import Conversion


def constant(conversion: Conversion, op: arith.ConstantOp) -> None:
    """``A[c] = <[], c>``"""
    scalar = op.result.type
    if not phi.is_scalar_type(scalar):
        raise PassFailedException(
            f"arith.constant: '{scalar}' is not a scalar of the phi dialect" + phi.where_written(op)
        )
    type_ = cast(TensorType, yarr.tensor(scalar, ()))  # pyright: ignore[reportMissingTypeArgument, reportUnknownVariableType]
    value = op.value.value.data  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
    dense = DenseIntOrFPElementsAttr.from_list(type_, [value])  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    conversion.bind(op.result, Axial((), conversion.emit(arith.ConstantOp(dense), op).result))


def index_cast(conversion: Conversion, op: arith.IndexCastOp) -> None:
    """``A[index_cast i] = <[i], range(size of i)>``"""
    source = op.input
    if not isinstance(source, BlockArgument) or source not in conversion.indices:
        raise PassFailedException(
            "arith.index_cast: the operand must be an index of a phi.array" + phi.where_written(op)
        )
    index = conversion.indices[source]
    axial = Axial((index,), index.range)
    if isinstance(op.result.type, IndexType):
        raise PassFailedException(
            "arith.index_cast: an Int cannot become an index" + phi.where_written(op)
        )
    if op.result.type != yarr.element_of(index.range):
        block = Block(arg_types=(yarr.element_of(index.range),))
        block.add_op(cast_op := arith.TruncIOp(block.args[0], op.result.type))  # pyright: ignore[reportArgumentType]
        block.add_op(yarr.YieldOp(cast_op))
        narrow = conversion.emit(yarr.ElementwiseOp([index.range], Region(block)), op)
        axial = Axial((index,), narrow.result)
    conversion.bind(op.result, axial)


def scalar_operator(conversion: Conversion, op: Operation) -> None:
    """``A[s(e1, ..., en)] = <axes, elementwise_s(align(E1), ..., align(En))>``"""
    for value in (*op.operands, *op.results):
        if not phi.is_scalar_type(value.type):
            raise PassFailedException(
                f"{op.name}: operates on scalars, not on '{value.type}'; use phi.array to apply it "
                "to each element" + phi.where_written(op)
            )
    operands = list(dict.fromkeys(op.operands))
    axials = [conversion.axial(operand) for operand in operands]
    axes = union([axial.axes for axial in axials])
    arguments = [conversion.align(axial, axes) for axial in axials]
    block = Block(arg_types=[operand.type for operand in operands])
    for argument, operand in zip(block.args, operands, strict=True):
        argument.name_hint = operand.name_hint
    body = op.clone(
        {operand: argument for operand, argument in zip(operands, block.args, strict=True)}
    )
    block.add_ops([body, yarr.YieldOp(*body.results)])
    elementwise = conversion.emit(yarr.ElementwiseOp(arguments, Region(block)), op)
    conversion.bind(op.results[0], Axial(axes, elementwise.result))


def select(conversion: Conversion, op: arith.SelectOp) -> None:
    """Both branches are evaluated; arrays and records are selected element by element."""
    if phi.is_scalar_type(op.result.type):
        scalar_operator(conversion, op)
        return
    condition = conversion.axial(op.cond)
    lhs, rhs = conversion.value(op.lhs), conversion.value(op.rhs)
    others = iter(leaves(rhs))
    conversion.bind(
        op.result,
        map_leaves(lambda leaf: _select(conversion, condition, leaf, next(others)), lhs),
    )


def _select(conversion: Conversion, condition: Axial, lhs: Axial, rhs: Axial) -> Axial:
    axes, rank = union([condition.axes, lhs.axes, rhs.axes]), lhs.own_rank
    where = conversion.align(condition, axes)
    if rank:
        own = range(len(axes), len(axes) + rank)
        where = conversion.emit(yarr.UnsqueezeOp(where, list(own))).result
    sides = [conversion.align(side, axes) for side in (lhs, rhs)]
    for axis in range(rank):
        message = f"select: sizes along axis {axis} differ"
        conversion.assert_equal_sizes(*sides, axis, len(axes), message)
    arguments = [where, *sides]
    block = Block(arg_types=[yarr.element_of(argument) for argument in arguments])
    block.add_op(body := arith.SelectOp(*block.args))
    block.add_op(yarr.YieldOp(body))
    return Axial(axes, conversion.emit(yarr.ElementwiseOp(arguments, Region(block))).result)
