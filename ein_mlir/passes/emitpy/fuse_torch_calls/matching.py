"""The parts of expressions of emitpy: each function matches one form; None for others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import emitpy
from ein_mlir.host.dataclass import dataclass


def rank(value: SSAValue) -> int:
    """The rank of a tensor; 0 for other values."""
    return value.type.get_num_dims() if isa(value.type, TensorType) else 0


def length(value: SSAValue, axis: int) -> int:
    """The size of a tensor along an axis, by its type."""
    assert isa(value.type, TensorType)
    return value.type.get_shape()[axis]


def number(value: SSAValue) -> float | None:
    """``2.0``"""
    op = value.owner
    return op.data if isinstance(op, emitpy.LiteralOp) and type(op.data) is float else None


def called(value: SSAValue, function: str) -> SSAValue | None:
    """The ``x`` of ``function(x)``."""
    op = value.owner
    if isinstance(op, emitpy.CallOp) and op.callee.data == function and len(op.arguments) == 1:
        return op.arguments[0]
    return None


def operands(value: SSAValue, operator: str) -> Sequence[SSAValue]:
    """The ``(x, y)`` of ``x + y``; nothing for other forms."""
    op = value.owner
    if isinstance(op, emitpy.BinaryOp) and op.operator.data == operator:
        return op.operands
    return ()


def either_way(value: SSAValue, operator: str) -> Sequence[tuple[SSAValue, SSAValue]]:
    """The ``(x, y)`` and the ``(y, x)`` of ``x + y``; nothing for other forms."""
    pair = operands(value, operator)
    return [(pair[0], pair[1]), (pair[1], pair[0])] if pair else []


def contracted(value: SSAValue) -> tuple[str, Operation] | None:
    """The subscripts of a contraction, and the operation whose last operands are its factors.

    ``torch.einsum("ij,ij->i", x, y)`` or ``x @ y`` itself, or the tuple of
    ``sum_of_products("ij,ij->i", (x, y))`` if it has no other user.
    """
    op = value.owner
    if isinstance(op, emitpy.BinaryOp) and op.operator.data == "@":
        return _product_of_matrices(rank(op.lhs), rank(op.rhs)), op
    if isinstance(op, emitpy.CallOp) and op.callee.data == "torch.einsum":
        subscripts, owner = op.positional[0], op
    elif isinstance(op, emitpy.HelperOp) and op.callee.data == "torch.sum_of_products":
        subscripts, factors = op.positional
        owner = factors.owner
        if not isinstance(owner, emitpy.TupleOp) or not factors.has_one_use():
            return None
    else:
        return None
    text = emitpy.literal_data(subscripts)
    return (text, owner) if isinstance(text, str) else None


@dataclass(frozen=True)
class ContractedFactor:
    """A factor of a contraction of two, and the other one."""

    letters: str
    """The names of its axes."""
    value: SSAValue
    other: tuple[str, SSAValue]
    """The names of the axes of the other factor, and that itself."""
    output: str
    owner: Operation
    """The operation whose last operands the factors are."""


def factors_of(product: SSAValue) -> Iterator[ContractedFactor]:
    """Each factor of a contraction of two."""
    contraction = contracted(product)
    if contraction is None:
        return
    text, owner = contraction
    inputs, _, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != 2:
        return
    pairs = [*zip(terms, owner.operands[-2:], strict=True)]
    for (letters, value), other in (pairs, pairs[::-1]):
        yield ContractedFactor(letters, value, other, output, owner)


def _product_of_matrices(left: int, right: int) -> str:
    """``"aij,ajk->aik"``, the subscripts of ``x @ y`` by their ranks; vectors have no i or no k."""
    row, column = "i" * (left > 1), "k" * (right > 1)
    batch = "abcdefgh"[: max(left, right, 2) - 2]
    first, second = batch[len(batch) - max(left - 2, 0) :], batch[len(batch) - max(right - 2, 0) :]
    return f"{first}{row}j,{second}j{column}->{batch}{row}{column}"


def with_number(value: SSAValue, operator: str) -> tuple[float, SSAValue] | None:
    """The ``(2.0, x)`` of ``2.0 * x`` or ``x * 2.0``."""
    for side, other in either_way(value, operator):
        known = number(side)
        if known is not None:
            return known, other
    return None


def negated(value: SSAValue) -> SSAValue | None:
    """The ``x`` of ``-x``."""
    op = value.owner
    return op.operand if isinstance(op, emitpy.UnaryOp) and op.operator.data == "-" else None


def uses_beside_conditions(value: SSAValue) -> int:
    """The number of uses of a value outside of conditions, which may compute it anew."""
    block, count = value.owner.parent if isinstance(value.owner, Operation) else None, 0
    for use in value.uses:
        user = None if block is None else block.find_ancestor_op_in_block(use.operation)
        count += not (isinstance(user, emitpy.ForOp) and user.is_condition)
    return count


def repeated(value: SSAValue, axis: int, axes: int) -> SSAValue | None:
    """The ``x`` of ``x[:, None]``, whose axis of size 1 is one of ``axes`` axes.

    A tensor without axes is broadcast along the only axis of others.
    """
    return repeated_along(value, [k for k in range(axes) if k != axis], axes)


def repeated_along(value: SSAValue, kept: Sequence[int], axes: int) -> SSAValue | None:
    """The ``x`` of ``x[None, :, None]``, whose axes are some of ``axes`` axes.

    A tensor without axes is broadcast.
    """
    if not kept:
        return value if rank(value) == 0 and isa(value.type, TensorType) else None
    if len(kept) == axes:
        return value
    return _subscripted(value, [slice(None) if k in kept else None for k in range(axes)])


def repeated_along_last(value: SSAValue, count: int, axes: int) -> SSAValue | None:
    """The ``x`` of ``x[:, None, None]``, whose last ``count`` of ``axes`` axes have size 1."""
    if count == axes:
        return value if rank(value) == 0 and isa(value.type, TensorType) else None
    return _subscripted(value, [*(slice(None) for _ in range(axes - count)), *[None] * count])


def as_row(value: SSAValue, axes: int) -> SSAValue | None:
    """The ``x`` of ``x[None, :]``, a vector along the last one of ``axes`` axes."""
    if axes == 1:
        return value if rank(value) == 1 else None
    return _subscripted(value, [*(None for _ in range(axes - 1)), slice(None)])


def _subscripted(value: SSAValue, indices: Sequence[slice | None]) -> SSAValue | None:
    op = value.owner
    if not isinstance(op, emitpy.SubscriptOp) or len(op.indices) > len(indices):
        return None
    missing = len(indices) - len(op.indices)
    given = [*map(_whole_or_new, op.indices), *(slice(None) for _ in range(missing))]
    return op.object if given == indices else None


def _whole_or_new(index: SSAValue) -> slice | str | None:
    op = index.owner
    if isinstance(op, emitpy.SliceOp) and not op.bounds:
        return slice(None)
    return None if isinstance(op, emitpy.LiteralOp) and op.data is None else "other"


def reduced(value: SSAValue, method: str) -> tuple[SSAValue, int] | None:
    """The ``(x, 1)`` of ``x.sum(dim=1)``, a reduction along one axis."""
    op = value.owner
    if not isinstance(op, emitpy.MethodOp) or op.method.data != method or op.positional:
        return None
    keywords = op.keyword_arguments
    if not keywords and rank(op.receiver) == 1:
        return op.receiver, 0
    axis = _axis(keywords["dim"]) if keywords.keys() == {"dim"} else None
    return None if axis is None else _untransposed(op.receiver, axis)


def summed_along(value: SSAValue) -> tuple[SSAValue, tuple[int, ...]] | None:
    """The ``(x, (0, 2))`` of ``x.sum(dim=(0, 2))`` or ``sum_along(x, (0, 2))``."""
    if (along_one := reduced(value, "sum")) is not None:
        return along_one[0], (along_one[1],)
    op = value.owner
    if isinstance(op, emitpy.HelperOp) and op.callee.data == "torch.sum_along":
        array, dims = op.arguments
    elif isinstance(op, emitpy.MethodOp) and op.method.data == "sum" and not op.positional:
        array, dims = op.receiver, op.keyword_arguments.get("dim")
        if dims is None and op.keyword_arguments:
            return None
    else:
        return None
    axes = tuple(range(rank(array))) if dims is None else emitpy.literal_data(dims)
    return (array, axes) if isinstance(axes, tuple) else None


def summed_along_last(value: SSAValue) -> tuple[SSAValue, int] | None:
    """The ``(x, 2)`` of ``x.sum(dim=(1, 2))``, a sum along the last two of three axes."""
    found = summed_along(value)
    if found is None:
        return None
    array, axes = found
    is_last = axes == tuple(range(rank(array)))[-len(axes) :]
    return (array, len(axes)) if axes and is_last else None


def extreme(value: SSAValue, helper: str) -> tuple[SSAValue, int] | None:
    """The ``(x, 1)`` of ``amax(x, (1,))``, along one axis."""
    op = value.owner
    if not isinstance(op, emitpy.HelperOp) or op.callee.data != helper:
        return None
    array, axes = op.arguments
    axis = _axis(axes)
    return None if axis is None else _untransposed(array, axis)


def _untransposed(array: SSAValue, axis: int) -> tuple[SSAValue, int]:
    """The ``(x, 0)`` of ``(x.T, 1)``, where the other axes are in the same order in both."""
    whole, order = order_of_axes(array)
    others = [*order[:axis], *order[axis + 1 :]]
    return (whole, order[axis]) if others == sorted(others) else (array, axis)


def order_of_axes(array: SSAValue) -> tuple[SSAValue, Sequence[int]]:
    """The ``(x, (2, 0, 1))`` of ``x.permute(2, 0, 1)``, also of ``x.T``; x itself in order."""
    op, axes = array.owner, range(rank(array))
    match op:
        case emitpy.AttrOp() if op.attribute.data == "T" and len(axes) == 2:
            return op.object, (1, 0)
        case emitpy.MethodOp() if op.method.data == "permute":
            order = [axis for each in op.positional if (axis := _axis(each)) is not None]
            return (op.receiver, order) if sorted(order) == [*axes] else (array, axes)
        case emitpy.MethodOp() if op.method.data == "swapaxes":
            order = [*axes]
            one, other = (_axis(each) for each in op.positional)
            if one is None or other is None:
                return array, axes
            order[one], order[other] = order[other], order[one]
            return op.receiver, order
        case _:
            return array, axes


def sliced(value: SSAValue) -> emitpy.HelperOp | None:
    """The ``clipped_slice(x, 1, 0, n, 1)`` that a value is."""
    op = value.owner
    if isinstance(op, emitpy.HelperOp) and op.callee.data == "torch.clipped_slice":
        return op
    return None


def are_equal(one: SSAValue, other: SSAValue) -> bool:
    """Whether two values are the same one, or equal literals."""
    return one is other or emitpy.literal_data(one) == emitpy.literal_data(other) is not None


def _axis(value: SSAValue) -> int | None:
    """The axis of ``1`` or ``(1,)``."""
    data = emitpy.literal_data(value)
    if isinstance(data, tuple) and len(data) == 1:
        return data[0]
    return data if isinstance(data, int) else None
