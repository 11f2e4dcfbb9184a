"""Computing shared values before a loop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, f64, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.scopes import is_within, slice_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.passes.phi.share_elements.values import Shared, nest, size_of
from ein_mlir.rewriting.phi.insertion import Emitter

MOST_ELEMENTS = 1 << 20
"""The most elements of an array of shared values that is larger than the result of the loop."""


def versions(place: phi.ArrayOp | phi.FoldOp, large: Sequence[Shared]) -> SSAValue:
    """Two loops for one, of which one has no steps; whether it is the second.

    ``place`` is the first, and shares values if their arrays are small at run time.
    """
    build = Emitter()
    room = _real(build, MOST_ELEMENTS)
    if isinstance(place, phi.ArrayOp):
        known = [size for each in nest(place) for size in each.sizes if not is_within(size, place)]
        room = _largest(build, [_elements(build, known), room])
    sizes = [_elements(build, [size_of(axis, place) for axis in each.axes]) for each in large]
    fits = build.emit(arith.CmpfOp(_largest(build, sizes), room, "ole"))
    size, zero = place.operands[0], build.integer(0)
    first = build.select(fits, size, zero)
    second = build.select(fits, zero, size)
    Rewriter.insert_op(build.ops, InsertPoint.before(place))
    rest = copy_of(place)
    place.operands[0], rest.operands[0] = first, second
    new = [rest] if isinstance(place, phi.FoldOp) else [rest, _both(place, rest, size)]
    Rewriter.insert_op(new, InsertPoint.after(place))
    result = new[-1].results[0]
    result.name_hint = place.result.name_hint
    place.result.replace_uses_with_if(result, lambda use: use.operation is not new[-1])
    if isinstance(rest, phi.FoldOp):
        rest.operands[1] = place.result
    return fits


def _both(first: Operation, second: Operation, size: SSAValue) -> Operation:
    both = phi.ConcatOp(first, second, size)
    both.location = first.location
    return both


def _elements(build: Emitter, sizes: Sequence[SSAValue]) -> SSAValue:
    """The number of elements of an array, as a float: it does not wrap around."""
    floats = [build.emit(arith.SIToFPOp(size, f64)) for size in sizes]
    return reduce(lambda x, y: build.emit(arith.MulfOp(x, y)), floats)


def _largest(build: Emitter, values: Sequence[SSAValue]) -> SSAValue:
    return reduce(lambda x, y: build.emit(arith.MaximumfOp(x, y)), values)


def _real(build: Emitter, value: int) -> SSAValue:
    return build.constant(FloatAttr(value, f64))


def share(found: Shared, fits: SSAValue | None = None) -> None:
    """Compute a value before the loop that it does not vary with, over its axes.

    If a condition is given, the array is empty without it.
    """
    values = dict[SSAValue, SSAValue]()
    needed = slice_within(found.place, [found.value])
    ops = list[Operation]()
    if not found.axes:
        for op in needed:
            ops.append(copy_of(op, values))
        result = values[found.value]
    else:
        build = Emitter()
        array = build.insert(_array_of(found, needed, build, fits))
        ops.extend(build.ops)
        result = array.result
    for op in ops:
        op.location = found.place.location
    Rewriter.insert_op(ops, InsertPoint.before(found.place))
    owner = found.value.owner
    assert isinstance(owner, Operation)
    if found.axes:
        read = phi.GetOp(result, found.axes)
        read.location = owner.location
        Rewriter.insert_op(read, InsertPoint.after(owner))
        result = read.result
    result.name_hint = found.value.name_hint
    found.value.replace_all_uses_with(result)


def _array_of(
    found: Shared, needed: Sequence[Operation], build: Emitter, fits: SSAValue | None
) -> phi.ArrayOp:
    """The array of a value over its axes; a negative size is an error of the loop only."""
    body = Block(arg_types=[IndexType()] * len(found.axes))
    values = dict[SSAValue, SSAValue]()
    for new, old in zip(body.args, found.axes, strict=True):
        new.name_hint = old.name_hint
        values[old] = new
        if old.type == i64:
            body.add_op(number := arith.IndexCastOp(new, i64))
            values[old] = number.result
    body.add_ops([copy_of(op, values) for op in needed])
    body.add_op(phi.YieldOp(values[found.value]))
    sizes = [_nonnegative(size_of(axis, found.place), build) for axis in found.axes]
    if fits is not None:
        sizes[0] = build.select(fits, sizes[0], 0)
    return phi.ArrayOp(sizes, Region(body))


def _nonnegative(size: SSAValue, build: Emitter) -> SSAValue:
    """``max(n, 0)``"""
    if is_size(size):
        return size
    return build.max(size, 0)
