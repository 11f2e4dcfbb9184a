"""Rules for constants, indices and scalar operators: the applicative part of the translation.

Each equation is the dissertation's (3.6.2), with ``A[e]`` for the Axial of ``e``::

    A[c]              = <[], c>
    A[index_cast i]   = <[i], range(size of i)>
    A[s(e1, ..., en)] = <axes, elementwise_s(align(E1), ..., align(En))>
                        where A[ek] = <axes_k, Ek> and axes = axes_1 + ... + axes_n
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.dialects import phi, yarr
from ein_mlir.dialects.creation import append, copy_of, made
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import Axial, leaves, map_leaves, union
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import Conversion


def constant(conversion: Conversion, op: arith.ConstantOp) -> None:
    """``A[c] = <[], c>``"""
    value = op.value
    if not isinstance(value, IntegerAttr | FloatAttr) or not phi.is_scalar_type(op.result.type):
        raise PassFailedException(
            f"arith.constant: '{op.result.type}' is not a scalar of the phi dialect"
            + where_written(op)
        )
    conversion.bind(op.result, Axial((), conversion.emit(yarr.constant(value), op).result))


def index_cast(conversion: Conversion, op: arith.IndexCastOp) -> None:
    """``A[index_cast i] = <[i], range(size of i)>``"""
    source = op.input
    if not isinstance(source, BlockArgument) or source not in conversion.indices:
        raise PassFailedException(
            "arith.index_cast: the operand must be an index of a phi.array" + where_written(op)
        )
    axial = conversion.position(source)
    if isinstance(op.result.type, IndexType):
        raise PassFailedException(
            "arith.index_cast: an Int cannot become an index" + where_written(op)
        )
    if op.result.type != yarr.element_of(axial.value):
        assert isinstance(op.result.type, IntegerType)
        block = Block(arg_types=(yarr.element_of(axial.value),))
        block.add_op(cast_op := arith.TruncIOp(block.args[0], op.result.type))
        block.add_op(yarr.YieldOp(cast_op))
        narrow = conversion.emit(yarr.ElementwiseOp([axial.value], Region(block)), op)
        axial = Axial(axial.axes, narrow.result)
    conversion.bind(op.result, axial)


def scalar_operator(conversion: Conversion, op: Operation) -> None:
    """``A[s(e1, ..., en)] = <axes, elementwise_s(align(E1), ..., align(En))>``"""
    operands = list(dict.fromkeys(op._operands))
    for value in (*operands, *op.results):
        if not phi.is_scalar_type(value.type):
            raise PassFailedException(
                f"{op.name}: operates on scalars, not on '{value.type}'; use phi.array to apply it "
                "to each element" + where_written(op)
            )
    axials = [conversion.axial(operand) for operand in operands]
    axes = union([axial.axes for axial in axials])
    arguments = [conversion.align(axial, axes) for axial in axials]
    block = Block(arg_types=[operand.type for operand in operands])
    for argument, operand in zip(block.args, operands, strict=True):
        argument._name = operand._name
    mapper: dict[SSAValue, SSAValue] = dict(zip(operands, block.args, strict=True))
    body = copy_of(op, mapper)
    append(body, block)
    append(made(yarr.YieldOp, body.results), block)
    elementwise = conversion.emit(yarr.ElementwiseOp(arguments, Region(block)), op)
    conversion.bind(op.results[0], Axial(axes, elementwise.result))


def select(conversion: Conversion, op: arith.SelectOp) -> None:
    """Select element by element, also arrays and records; both branches are evaluated."""
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
    left, right = conversion.align(lhs, axes), conversion.align(rhs, axes)
    for axis in range(rank):
        message = f"select: sizes along axis {axis} differ"
        conversion.assert_equal_sizes(left, right, axis, len(axes), message)
    arguments = [where, left, right]
    block = Block(arg_types=[yarr.element_of(argument) for argument in arguments])
    block.add_op(body := arith.SelectOp(*block.args))
    block.add_op(yarr.YieldOp(body))
    return Axial(axes, conversion.emit(yarr.ElementwiseOp(arguments, Region(block))).result)
