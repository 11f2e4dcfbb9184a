"""Shapes, element types and constants of tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import attrgetter

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    TensorType,
    i1,
    i64,
)
from xdsl.ir import (
    Attribute,
    SSAValue,
)
from xdsl.irdl import (
    base,
    eq,
)

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.creation import integer_attribute, made

_DATA = attrgetter("data")

DYNAMIC = DYNAMIC_INDEX
"""The static size of an axis of dynamic size."""

SIZE_TYPE: TensorType[Attribute] = TensorType(i64, [])
"""The type of a size, a count or a position: a scalar Int."""

TENSOR = base(TensorType)
SIZE = eq(SIZE_TYPE)


def tensor(element: Attribute, shape: Iterable[int]) -> TensorType[Attribute]:
    """A tensor type; ``DYNAMIC`` represents a dynamic size."""
    return _tensor(element, tuple(shape))


@lru_cache(maxsize=1024)
def _tensor(element: Attribute, shape: tuple[int, ...]) -> TensorType[Attribute]:
    """A tensor type, cached because programs have few of them."""
    return TensorType(element, shape)


def constant(value: IntegerAttr | FloatAttr) -> arith.ConstantOp:
    """A scalar constant, as a tensor."""
    elements = _scalar(value)
    return made(arith.ConstantOp, types=[elements.type], properties={"value": elements})


@lru_cache(maxsize=1024)
def _scalar(value: IntegerAttr | FloatAttr) -> DenseIntOrFPElementsAttr:
    """The elements of a tensor that is one number."""
    if isinstance(value, FloatAttr):
        floats = TensorType(value.type, [])
        return DenseIntOrFPElementsAttr.from_list(floats, [value.value.data])
    integers = TensorType(value.type, [])
    return DenseIntOrFPElementsAttr.from_list(integers, [value.value.data])


def size_constant(size: int) -> arith.ConstantOp:
    """``arith.constant dense<size> : tensor<i64>``"""
    return constant(integer_attribute(size, i64))


def shape_of(value: SSAValue | Attribute) -> tuple[int, ...]:
    """The static shape of a tensor value or type."""
    type_ = value.type if isinstance(value, SSAValue) else value
    assert type(type_) is TensorType
    return tuple(map(_DATA, type_.shape.data))


def rank_of(value: SSAValue | Attribute) -> int:
    """The number of axes of a tensor value or type."""
    type_ = value.type if isinstance(value, SSAValue) else value
    assert type(type_) is TensorType
    return len(type_.shape.data)


def element_of(value: SSAValue | Attribute) -> Attribute:
    """The element type of a tensor value or type."""
    type_ = value.type if isinstance(value, SSAValue) else value
    assert type(type_) is TensorType
    return type_.element_type


def unsigned_type(element: Attribute) -> Attribute:
    """The unsigned integers of the same width; a Bool is unsigned itself."""
    if not isa(element, IntegerType) or element == i1:
        return element
    return IntegerType(element.width.data, Signedness.UNSIGNED)


def broadcast_shapes(shapes: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """The shape that arrays of equal rank broadcast to; None if two static sizes cannot agree."""
    result: list[int] = []
    for sizes in zip(*shapes, strict=True):
        known = {size for size in sizes if size not in (1, DYNAMIC)}
        if len(known) > 1:
            return None
        if known:
            result.append(known.pop())
        else:
            result.append(DYNAMIC if DYNAMIC in sizes else 1)
    return tuple(result)


def compatible(actual: Sequence[int], expected: Sequence[int]) -> bool:
    """Whether two static shapes may be equal at run time."""
    return len(actual) == len(expected) and all(
        a == e or DYNAMIC in (a, e) for a, e in zip(actual, expected, strict=True)
    )


def show(shape: Sequence[int]) -> str:
    """A shape as in a tensor type, ``?x3``; ``[]`` for a scalar."""
    return "x".join("?" if size == DYNAMIC else str(size) for size in shape) or "[]"


def insert_ones(shape: Sequence[int], axes: Sequence[int]) -> list[int]:
    """The shape with new axes of size 1, numbered as in the result."""
    result, rest = list[int](), iter(shape)
    for axis in range(len(shape) + len(axes)):
        result.append(1 if axis in axes else next(rest))
    return result


def without_axis(axis: int, shape: Sequence[int]) -> list[int]:
    """The shape with a dynamic size along one axis."""
    return [DYNAMIC if d == axis else size for d, size in enumerate(shape)]


def filled_shape(axis: int, shape: Sequence[int]) -> list[int]:
    """The shape with an axis of size 0 grown to 1."""
    return [1 if d == axis and size == 0 else size for d, size in enumerate(shape)]


def scanned_shape(axis: int, shape: Sequence[int]) -> list[int]:
    """The shape with an additional element along an axis."""
    grown = [size if size == DYNAMIC else size + 1 for size in shape]
    return [grown[d] if d == axis else size for d, size in enumerate(shape)]


def listed(types: Iterable[Attribute]) -> str:
    """The list of types in a diagnostic."""
    return ", ".join(str(t) for t in types)


def block_type(type_: Attribute, axis: int) -> TensorType[Attribute]:
    """The type of a block of an array along an axis."""
    return tensor(element_of(type_), without_axis(axis, shape_of(type_)))
