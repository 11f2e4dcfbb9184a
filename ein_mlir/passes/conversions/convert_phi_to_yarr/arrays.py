"""Rules for comprehensions, sizes, concatenation, records, assertions and calls.

::

    A[phi.array (i < n) { e }] = <axes - i, E with i as the outermost own dimension>
    A[phi.size e, k]           = <[], size(E, |axes| + k)>       where A[e] = <axes, E>
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import index_name, where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.size_bounds import counted_by
from ein_mlir.analysis.phi.size_equivalence import Term
from ein_mlir.analysis.scopes import reached, sources
from ein_mlir.dialects import phi, yarr
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import (
    Axial,
    Index,
    Value,
    leaves,
    map_leaves,
    union,
)
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import Conversion, convert_type


def checked_size(
    conversion: Conversion,
    size: SSAValue,
    variable: SSAValue,
    op: Operation,
    what: str = "size of index",
) -> SSAValue:
    """The size of an index or the count of a fold, with a check if it could be negative."""
    name = index_name(variable).removeprefix("%")
    value = conversion.plain(size, f"the {what} {name}", op)
    if is_size(size):
        return value
    checked = conversion.emit(yarr.AssertSizeOp(value, f"{what} {name}")).result
    checked.owner.location = op.location
    return checked


def array(conversion: Conversion, op: phi.ArrayOp) -> None:
    """``A[Phi i[n]. e] = <axes - i, E with i as the outermost own dimension>``"""
    own, outermost = list[Index](), _is_block(op, conversion.function)
    for argument, size in zip(op.indices, op.sizes, strict=True):
        value = checked_size(conversion, size, argument, op)
        index = conversion.new_index(value, argument.name_hint, outermost=outermost)
        conversion.indices[argument] = index
        own.append(index)
    conversion.block(op.body.block)

    def close(leaf: Axial) -> Axial:
        outer = tuple(index for index in leaf.axes if index not in own)
        return Axial(outer, conversion.align_fully(leaf, (*outer, *own)))

    conversion.bind(op.result, map_leaves(close, conversion.value(op.yielded())))


def _is_block(op: phi.ArrayOp, function: func.FuncOp) -> bool:
    """Whether a comprehension is a block of the steps of a loop that is an array's first axis.

    Other axes may be longer, and the innermost axis, which is contiguous, should be long for a
    reduction. A search is faster along the innermost axis, unless the elements are those of a
    reduction, which are computed once then. Within a block, ranges that it bounds are long.
    """
    if not _reads_counter(op.sizes[0]) or _is_in_block(op):
        return False
    if _is_reduced(op):
        return True
    names = _names(op)
    return any(isinstance(use.operation, phi.ArgreduceOp) for use in op.result.uses) and any(
        isinstance(other, phi.ArrayOp) and _is_reduced(other) and _names(other) == names
        for other in function.walk()
    )


def _is_in_block(op: phi.ArrayOp) -> bool:
    outer = op.parent_op()
    return isinstance(outer, phi.ArrayOp) and (
        _reads_counter(outer.sizes[0]) or _is_in_block(outer)
    )


def _is_reduced(op: phi.ArrayOp | phi.ConcatOp | phi.ProjOp) -> bool:
    """Whether all uses of an array, or of its fields, are reductions.

    Those of a concatenation with other elements before it count, too.
    """
    return all(
        isinstance(user := use.operation, phi.ReduceOp)
        or (isinstance(user, phi.ConcatOp | phi.ProjOp) and _is_reduced(user))
        for use in op.result.uses
    )


def _names(op: phi.ArrayOp) -> list[str]:
    """The operations of an element."""
    return sorted(inner.name for inner in op.body.walk())


def _reads_counter(size: SSAValue) -> bool:
    """Whether a size is computed from the counter of a fold, by arithmetic."""
    kind = arith.SignlessIntegerBinaryOperation
    values = reached([size], lambda x: sources(x) if isinstance(x.owner, kind) else ())
    return any(isinstance(counted_by(value), phi.FoldOp) for value in values)


def size(conversion: Conversion, op: phi.SizeOp) -> None:
    """``A[size_k e] = <[], the size of E along |axes| + k>`` where ``A[e] = <axes, E>``"""
    axial = conversion.axial(op.array)
    axis = len(axial.axes) + op.axis.value.data
    conversion.bind(
        op.result, Axial((), conversion.emit(yarr.SizeOp(axial.value, axis), op).result)
    )


def concat(conversion: Conversion, op: phi.ConcatOp) -> None:
    """Concatenate two vectors, aligned to the same axes, along the first own dimension."""
    lhs, rhs = conversion.axial(op.lhs), conversion.axial(op.rhs)
    axes = union([lhs.axes, rhs.axes])
    left, right = conversion.align_fully(lhs, axes), conversion.align_fully(rhs, axes)
    for axis in range(1, lhs.own_rank):
        if not conversion.sizes.same(Term(op.lhs, (), axis), Term(op.rhs, (), axis), op):
            message = f"concat: sizes along axis {axis} differ"
            conversion.assert_equal_sizes(left, right, axis, len(axes), message)
    size = op.size and conversion.plain(op.size, "the size", op)
    result = conversion.emit(yarr.ConcatOp([left, right], len(axes), size), op).result
    conversion.bind(op.result, Axial(axes, result))


def tuple_(conversion: Conversion, op: phi.TupleOp) -> None:
    """A record is the tuple of the values of its fields."""
    conversion.bind(op.result, tuple(conversion.value(field) for field in op.fields))


def proj(conversion: Conversion, op: phi.ProjOp) -> None:
    """A field of a record."""
    conversion.bind(op.result, conversion.record(op.record)[op.field.value.data])


def assert_eq(conversion: Conversion, op: phi.AssertEqOp) -> None:
    """Translate an assertion of equal sizes."""
    lhs = conversion.plain(op.lhs, "an asserted size", op)
    rhs = conversion.plain(op.rhs, "an asserted size", op)
    result = conversion.emit(yarr.AssertEqOp(lhs, rhs, op.message.data), op).result
    conversion.bind(op.result, Axial((), result))


def extern(conversion: Conversion, op: phi.ExternOp) -> None:
    """Call an extrinsic, which broadcasts over leading axes: all arguments get all axes."""
    arguments = [conversion.value(argument) for argument in op.arguments]
    axes = union([leaf.axes for argument in arguments for leaf in leaves(argument)])
    operands = [pack(conversion, argument, axes) for argument in arguments]
    type_ = _with_leading_axes(op.result.type, len(axes))
    call = conversion.emit(yarr.ExternOp(op.callee, operands, type_, len(axes)), op)
    conversion.bind(op.result, unpack(conversion, call.result, axes))


def _with_leading_axes(type_: Attribute, count: int) -> Attribute:
    if isa(type_, TupleType):
        return phi.tuple_of(_with_leading_axes(field, count) for field in type_.types)
    return convert_type(phi.vec_of(type_, count))


def pack(conversion: Conversion, value: Value, axes: Sequence[Index] = ()) -> SSAValue:
    """A yarr value, or tuple of them, with the given axes leading."""
    if isinstance(value, Axial):
        return conversion.align_fully(value, axes)
    fields = [pack(conversion, field, axes) for field in value]
    return conversion.emit(yarr.TupleOp(fields)).result


def unpack(conversion: Conversion, value: SSAValue, axes: tuple[Index, ...] = ()) -> Value:
    """The Axials of a yarr value whose leading dimensions run over the given axes."""
    if not isa(value.type, TupleType):
        return Axial(axes, value)
    fields = [conversion.emit(yarr.ProjOp(value, k)).result for k in range(len(value.type.types))]
    return tuple(unpack(conversion, field, axes) for field in fields)


def call(conversion: Conversion, op: Operation) -> None:
    """Reject a call: calls are inlined before the translation."""
    raise PassFailedException(
        "func.call: run inline-calls before convert-phi-to-yarr" + where_written(op)
    )
