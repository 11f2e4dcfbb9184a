"""Computing shared values before a loop."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, UnitAttr, f64, i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.scopes import is_within, slice_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import is_nonnegative, is_size
from ein_mlir.dialects.phi.verification import irregularities
from ein_mlir.passes.phi.share_elements.values import Shared, nest, size_of
from ein_mlir.rewriting.phi.insertion import Builder

MOST_ELEMENTS = 1 << 20
"""The most elements of an array of shared values that is larger than the result of the loop."""


def small(place: phi.ArrayOp | phi.AccumulateOp | phi.FoldOp, large: Sequence[Shared]) -> SSAValue:
    """Whether arrays of shared values before a loop are small at run time."""
    build = Builder.before(place)
    room = build.constant(FloatAttr(MOST_ELEMENTS, f64))
    if isinstance(place, phi.ArrayOp):
        known = [size for each in nest(place) for size in each.sizes if not is_within(size, place)]
        room = _largest(build, [_elements(build, known), room])
    sizes = [_elements(build, [size_of(axis, place) for axis in each.axes]) for each in large]
    return build.compare(_largest(build, sizes), "ole", room)


def _elements(build: Builder, sizes: Sequence[SSAValue]) -> SSAValue:
    """The number of elements of an array, as a float: it does not wrap around."""
    floats = [build.emit(arith.SIToFPOp(size, f64)) for size in sizes]
    return reduce(lambda x, y: build.mul(x, y), floats)


def _largest(build: Builder, values: Sequence[SSAValue]) -> SSAValue:
    return reduce(lambda x, y: build.emit(arith.MaximumfOp(x, y)), values)


def share(found: Shared, fits: SSAValue | None = None) -> None:
    """Compute a value before the loop that it does not vary with, over its axes.

    If a condition is given, the array is empty without it.
    """
    values = dict[SSAValue, SSAValue]()
    needed, build = slice_within(found.place, [found.value]), Builder.before(found.place)
    if not found.axes:
        _copy(needed, build, values, found)
        result = values[found.value]
    else:
        owner = found.value.owner
        assert isinstance(owner, Operation)
        array = _array_of(found, needed, build, fits)
        result = Builder.after(owner).get(array, found.axes)
    result.name_hint = found.value.name_hint
    found.value.replace_all_uses_with(result)


def _copy(
    needed: Sequence[Operation], build: Builder, values: dict[SSAValue, SSAValue], found: Shared
) -> None:
    """Copy the operations of a value; loops have no steps without elements that need it."""
    tests = [build.compare(size, "sgt", 0) for size in found.guards]
    has_elements = build.all_of(tests) if tests else None
    for op in needed:
        new = copy_of(op, values)
        if has_elements is not None and isinstance(new, phi.FoldOp | phi.WhileOp):
            none = 0 if is_nonnegative(new.count) else build.min(new.count, 0)
            new.operands[0] = build.select(has_elements, new.count, none)
        build.insert(new)


def _array_of(
    found: Shared, needed: Sequence[Operation], build: Builder, fits: SSAValue | None
) -> SSAValue:
    """The array of a value over its axes; a negative size is an error of the loop only.

    Counts that varied with counters vary with indices.
    """

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        values = dict[SSAValue, SSAValue](zip(found.axes, own, strict=True))
        for axis in found.axes:
            if axis.type == i64:
                values[axis] = inner.as_int(values[axis])
        _copy(needed, inner, values, found)
        return values[found.value]

    sizes = [_nonnegative(size_of(axis, found.place), build) for axis in found.axes]
    if fits is not None:
        sizes[0] = build.select(fits, sizes[0], 0)
    array = build.comprehension(sizes, element, found.axes)
    for each in list(irregularities(phi.ArrayOp.of(array))):
        assert isinstance(each.op, phi.FoldOp)
        each.op.irregular = UnitAttr()
    return array


def _nonnegative(size: SSAValue, build: Builder) -> SSAValue:
    """``max(n, 0)``"""
    if is_size(size):
        return size
    return build.max(size, 0)
