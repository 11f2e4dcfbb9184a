"""Arrays: allocation, views, elements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects import arith, func, llvm, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr, MemRefType, i1, i8, i64
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.backends.native import abi
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import POINTER
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import (
    FLAG,
    Conversion,
    Memref,
    Rule,
    check_layout,
    is_row_major,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.nests import nest


def address(c: Conversion, array: Memref, indices: Sequence[SSAValue]) -> SSAValue:
    """The address of an element: ``(i * m + j) * k + ..``, or ``i * s + j * t + ..``."""
    build = c.build
    if not indices:
        return array.pointer
    if array.strides is None:
        position = indices[0]
        for size, index in zip(array.sizes[1:], indices[1:], strict=True):
            position = build.sum(build.product(position, size), index)
    else:
        terms = [build.product(i, s) for i, s in zip(indices, array.strides, strict=True)]
        position = terms[0]
        for term in terms[1:]:
            position = build.sum(position, term)
    return build.element(array.pointer, position, array.storage)


def replaced_element(op: memref.StoreOp) -> memref.LoadOp | None:
    """The load of the element that a store replaces by the lesser or greater of it and another."""
    extreme = op.value.owner
    if not isinstance(extreme, (arith.MinimumfOp, arith.MaximumfOp)):
        return None
    for operand in extreme.operands:
        old = operand.owner
        if (
            isinstance(old, memref.LoadOp)
            and (old.memref, *old.indices) == (op.memref, *op.indices)
            and old.parent is op.parent
            and _is_unchanged_between(old, op)
        ):
            return old
    return None


def _is_unchanged_between(load: memref.LoadOp, store: memref.StoreOp) -> bool:
    """Whether no operation between a load and a store in its block writes to memory."""
    current = load.next_op
    while current is not None and current is not store:
        if current.regions or isinstance(current, (memref.StoreOp, memref.CopyOp, func.CallOp)):
            return False
        current = current.next_op
    return current is store


def _chosen(c: Conversion, op: memref.StoreOp, replaced: memref.LoadOp) -> SSAValue:
    """``min(old, new)  -->  where(not (old <= new) and old == old, new, old)``

    Lanes with the old element are not written: a line of the cache in which no element changes
    stays clean, and need not go back to a cache further away.
    """
    extreme = op.value.owner
    assert isinstance(extreme, (arith.MinimumfOp, arith.MaximumfOp))
    new = next((v for v in extreme.operands if v is not replaced.res), replaced.res)
    old, other = c.scalar(replaced.res), c.scalar(new)
    predicate = "ugt" if isinstance(extreme, arith.MinimumfOp) else "ult"
    better = c.build.compare_floats(predicate, old, other)
    number = c.build.compare_floats("ord", old, old)
    changes = c.build.add(llvm.AndOp, (better, number), i1)
    return c.build.select(changes, other, old)


def load(c: Conversion, op: memref.LoadOp) -> None:
    """An element; a truth value is a byte that is not 0."""
    array = c.memref(op.memref)
    value = c.build.load(address(c, array, [c.scalar(i) for i in op.indices]), array.storage)
    if array.element == i1:
        value = c.build.compare("ne", value, c.build.integer(0, i8))
    c.bind(op.res, value)


def store(c: Conversion, op: memref.StoreOp) -> None:
    """Write an element; a truth value becomes the byte 0 or 1."""
    array, value = c.memref(op.memref), c.scalar(op.value)
    replaced = replaced_element(op)
    if replaced is not None:
        value = _chosen(c, op, replaced)
    if array.element == i1:
        value = c.build.add(llvm.ZExtOp, (value,), i8)
    c.build.store(value, address(c, array, [c.scalar(i) for i in op.indices]))


def dim(c: Conversion, op: memref.DimOp) -> None:
    """A size, of a constant axis."""
    owner = op.index.owner
    value = owner.properties.get("value") if isinstance(owner, Operation) else None
    array = c.memref(op.source)
    if not isa(value, IntegerAttr) or not 0 <= value.value.data < len(array.sizes):
        raise PassFailedException(
            f"{FLAG}: memref.dim: expected a constant axis{where_written(op)}"
        )
    c.bind(op.result, array.sizes[value.value.data])


def alloc(c: Conversion, op: memref.AllocOp) -> None:
    """Memory that belongs to the call until it is released or returned."""
    type_ = op.memref.type
    if not is_row_major(type_):
        raise PassFailedException(
            f"{FLAG}: memref.alloc: expected a row-major array, got '{type_}'{where_written(op)}"
        )
    sizes = [c.scalar(size) for size in op.dynamic_sizes]
    array = c.array(type_, c.call, sizes)
    memory = c.library(abi.ALLOCATE, (c.call, bytes_of(c, array)), POINTER)
    assert memory is not None
    number = c.build.add(llvm.PtrToIntOp, (memory,), i64)
    given = c.build.compare("ne", number, c.build.integer(0))
    c.fail_unless(given, c.build.integer(abi.OUT_OF_MEMORY))
    c.bind(op.memref, Memref(memory, array.sizes, None, array.element))


def bytes_of(c: Conversion, array: Memref) -> SSAValue:
    """The number of bytes of an array; the largest number there is if they are more than that."""
    total = c.build.integer(array.width)
    for size in array.sizes:
        scale = c.build.integer(0, abi.SCALE)
        total = c.build.intrinsic("llvm.umul.fix.sat.i64", (total, size, scale), i64)
    return total


def dealloc(c: Conversion, op: memref.DeallocOp) -> None:
    """Release memory of the call."""
    c.library(abi.RELEASE, (c.call, c.memref(op.memref).pointer))


def alloca(c: Conversion, op: memref.AllocaOp) -> None:
    """A few elements on the stack, the same for all steps of a loop."""
    type_ = op.memref.type
    shape = type_.get_shape()
    if DYNAMIC_INDEX in shape or not is_row_major(type_):
        raise PassFailedException(
            f"{FLAG}: memref.alloca: expected a row-major array of known sizes, got '{type_}'"
            f"{where_written(op)}"
        )
    count = 1
    for size in shape:
        count *= size
    c.bind(op.memref, c.array(type_, c.build.words(count), ()))


def copy(c: Conversion, op: memref.CopyOp) -> None:
    """Copy all elements of an array to another of the same sizes."""
    source, target = c.memref(op.source), c.memref(op.destination)
    if source.strides is None and target.strides is None:
        size = reduce(c.build.product, source.sizes, c.build.integer(source.width))
        volatile = c.build.integer(0, i1)
        c.build.run("llvm.memcpy.p0.p0.i64", (target.pointer, source.pointer, size, volatile))
        return

    def element(indices: Sequence[SSAValue]) -> None:
        value = c.build.load(address(c, source, indices), source.storage)
        c.build.store(value, address(c, target, indices))

    nest(c, source.sizes, element)


def subview(c: Conversion, op: memref.SubviewOp) -> None:
    """A part of an array: another first element, other sizes, strides times those of the part."""
    array, type_ = c.memref(op.source), op.result.type
    check_layout(op, type_)
    offsets = mixed(c, op.static_offsets.get_values(), op.offsets)
    sizes = mixed(c, op.static_sizes.get_values(), op.sizes)
    steps = mixed(c, op.static_strides.get_values(), op.strides)
    strides = [c.build.product(s, t) for s, t in zip(strides_of(c, array), steps, strict=True)]
    pointer = address(c, array, offsets)
    kept = kept_axes(op)
    part = Memref(
        pointer,
        tuple(sizes[axis] for axis in kept),
        None if is_row_major(type_) else tuple(strides[axis] for axis in kept),
        array.element,
    )
    c.bind(op.result, part)


def reinterpret_cast(c: Conversion, op: memref.ReinterpretCastOp) -> None:
    """The memory of an array, with another first element, other sizes and strides."""
    array = c.memref(op.source)
    check_layout(op, op.result.type)
    (offset,) = mixed(c, op.static_offsets.get_values(), op.offsets)
    sizes = mixed(c, op.static_sizes.get_values(), op.sizes)
    strides = mixed(c, op.static_strides.get_values(), op.strides)
    pointer = c.build.element(array.pointer, offset, array.storage)
    c.bind(op.result, Memref(pointer, tuple(sizes), tuple(strides), array.element))


def kept_axes(op: memref.SubviewOp) -> Sequence[int]:
    """The axes of the source that the result has: some of constant size 1 may be left out."""
    sizes, shape = op.static_sizes.get_values(), op.result.type.get_shape()
    spare = len(sizes) - len(shape)
    kept = list[int]()
    for axis, size in enumerate(sizes):
        matches = len(kept) < len(shape) and shape[len(kept)] == size
        if spare and size == 1 and not (matches and _fits_after(sizes, axis, shape, len(kept))):
            spare -= 1
        else:
            kept.append(axis)
    return kept


def _fits_after(sizes: Sequence[int], axis: int, shape: Sequence[int], place: int) -> bool:
    """Whether an axis of size 1 may be kept, with enough of size 1 after it to leave out."""
    spare = (len(sizes) - axis) - (len(shape) - place)
    return sum(size == 1 for size in sizes[axis + 1 :]) >= spare


def mixed(c: Conversion, static: Sequence[int], dynamic: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Numbers of which some are known."""
    rest = iter(dynamic)
    return [
        c.scalar(next(rest)) if number == DYNAMIC_INDEX else c.build.integer(number)
        for number in static
    ]


def strides_of(c: Conversion, array: Memref) -> Sequence[SSAValue]:
    """The strides of an array: of one that is row-major the products of the sizes after an axis."""
    if array.strides is not None:
        return array.strides
    strides = [c.build.integer(1)]
    for size in reversed(array.sizes[1:]):
        strides.append(c.build.product(strides[-1], size))
    return strides[::-1]


def cast(c: Conversion, op: memref.CastOp) -> None:
    """The same array, more or less of its type known."""
    array, type_ = c.memref(op.source), op.dest.type
    if not isa(type_, MemRefType):
        raise PassFailedException(
            f"{FLAG}: memref.cast: expected an array of known rank, got '{type_}'"
            f"{where_written(op)}"
        )
    check_layout(op, type_)
    strides = None if is_row_major(type_) else tuple(strides_of(c, array))
    c.bind(op.dest, Memref(array.pointer, array.sizes, strides, array.element))


RULES: dict[type[Operation], Rule] = {
    memref.AllocOp: alloc,
    memref.AllocaOp: alloca,
    memref.CastOp: cast,
    memref.CopyOp: copy,
    memref.DeallocOp: dealloc,
    memref.DimOp: dim,
    memref.LoadOp: load,
    memref.ReinterpretCastOp: reinterpret_cast,
    memref.StoreOp: store,
    memref.SubviewOp: subview,
}
