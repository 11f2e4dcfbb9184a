"""Rules for indexing: each position takes the cheapest legal form.

For ``phi.get a[p, ...]`` with ``A[a] = <axes, E>`` and positions from the outermost own dimension:

- an index ``i`` that ranges over exactly this dimension, while ``a`` and the earlier positions do
  not vary with it: nothing is computed, the dimension becomes the axis ``i``;
- an index that they do vary with, if it ranges over exactly both dimensions: the diagonal;
- a position that is affine in such an index: a slice with a step, clipped if it may leave the
  bounds;
- a position ``(i + x) mod n``, where n is the size of the dimension and i ranges over exactly it:
  two slices, concatenated (a rotation); for several such positions, or an i that ranges over a few
  more, slices of the array with each end repeated at the other;
- a position that is affine in several such indices, or whose step is an Int of the program: an
  axis for each of them, a view where all positions are in bounds;
- positions ``i // m`` and ``i mod m`` in adjacent dimensions, where m is the size of the second:
  both as one, and a slice of it;
- a position that varies with no index: ``take`` with a scalar, which is a view;
- one position that varies with indices which ``a`` does not vary with: ``take``;
- any other: ``gather``; shared indices become positions themselves.
"""

from __future__ import annotations

import string
from dataclasses import field
from functools import partial, reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i1, i64
from xdsl.ir import Block, BlockArgument, Region, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.notes import SlowPart, name_of
from ein_mlir.analysis.phi.divided_indices import division, is_flat, is_whole
from ein_mlir.analysis.phi.size_equivalence import Term, loops_around
from ein_mlir.analysis.phi.strided_positions import Sum, strided_position
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi, sigma, yarr
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import Axial, Index, union
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import Conversion

_TAKEN = "taken along one axis"
_GATHERED = "gathered, with an array of positions"


@dataclass
class _Reading:
    """An array whose positions are being resolved: the meaning of each of its dimensions.

    ``dims`` holds, for each dimension of ``value``, the index that it runs over, the number of a
    position that is still to be applied to it, or None for a dimension that is kept.
    """

    value: SSAValue
    dims: list[Index | int | None]
    pending: dict[int, Axial] = field(default_factory=dict[int, Axial])
    forms: dict[int, str] = field(default_factory=dict[int, str])
    """A description of the form of each position, for notes."""

    def axes(self) -> tuple[Index, ...]:
        return tuple(d for d in self.dims if isinstance(d, Index))


def get(conversion: Conversion, op: phi.GetOp) -> None:
    """Resolve views first, then emit one ``take`` or ``gather`` for the remaining positions."""
    array = conversion.axial(op.array)
    count = len(op.positions)
    reading = _Reading(
        array.value,
        [*array.axes, *range(count), *([None] * (array.own_rank - count))],
    )
    for number, position in enumerate(op.positions):
        if number in reading.forms:
            continue
        if not (
            _as_flat(conversion, op, reading, number)
            or _as_axis(conversion, op, reading, number, position)
        ):
            reading.pending[number] = position_axial(conversion, position)
    for number in list(reading.pending):
        if _is_loop_invariant(conversion, op, reading, number):
            _as_slice(conversion, op, reading, number, op.positions[number])
            del reading.pending[number]
    for number, axial in list(reading.pending.items()):
        if not axial.axes:
            _take(conversion, op, reading, number)
    for number in list(reading.pending):
        position = op.positions[number]
        if (
            _as_slice(conversion, op, reading, number, position)
            or _as_rotation(conversion, op, reading, number, position)
            or _as_strided(conversion, op, reading, number, position)
        ):
            del reading.pending[number]
    if len(reading.pending) == 1:
        ((number, axial),) = reading.pending.items()
        if not set(axial.axes) & set(reading.axes()):
            _take(conversion, op, reading, number)
    if reading.pending:
        _gather(conversion, op, reading)
    text = _description(op, reading)
    conversion.note(op, SlowPart(text) if _TAKEN in text or _GATHERED in text else text)
    _bind(conversion, op, reading)


def _description(op: phi.GetOp, reading: _Reading) -> str:
    """``a[i, ...]: i is an axis; ... is a slice``"""
    names = [name_of(position) for position in op.positions]
    forms = [f"{names[number]} is {reading.forms[number]}" for number in range(len(names))]
    return f"{name_of(op.array)}[{', '.join(names)}]: {'; '.join(forms)}"


def position_axial(conversion: Conversion, position: SSAValue) -> Axial:
    """The Axial of a position, as 64-bit Ints."""
    if isinstance(position.type, IndexType):
        assert isinstance(position, BlockArgument)
        return conversion.position(position)
    axial = conversion.axial(position)
    if yarr.element_of(axial.value) == i64:
        return axial
    block = Block(arg_types=(yarr.element_of(axial.value),))
    block.add_op(wide := arith.ExtSIOp(block.args[0], i64))
    block.add_op(yarr.YieldOp(wide))
    return Axial(
        axial.axes, conversion.emit(yarr.ElementwiseOp([axial.value], Region(block))).result
    )


def _comprehension_index(position: SSAValue) -> BlockArgument | None:
    """The index that a position is equal to, directly or as an Int."""
    if isinstance(position.owner, arith.IndexCastOp):
        position = position.owner.input
    if isinstance(position.type, IndexType) and isinstance(position, BlockArgument):
        return position
    return None


def _covers(conversion: Conversion, op: phi.GetOp, number: int, position: SSAValue) -> bool:
    """Whether a position ranges over exactly the positions of the dimension, in order."""
    dimension = Term(op.array, (), number)
    index = _comprehension_index(position)
    if index is not None:
        return conversion.sizes.same(phi.size_of_index(index), dimension, op)
    if isinstance(position, BlockArgument) and position.index == 0:
        fold = position.block.parent_op()
        return isinstance(fold, phi.FoldOp) and conversion.sizes.same(fold.count, dimension, op)
    return False


def _as_axis(
    conversion: Conversion, op: phi.GetOp, reading: _Reading, number: int, position: SSAValue
) -> bool:
    """``<axes, E>[i] = <axes + i, E>`` where i runs over the dimension and is not in axes."""
    argument = _comprehension_index(position)
    if argument is None or argument in conversion.positions:
        return False
    if not _covers(conversion, op, number, position):
        return False
    index = conversion.indices[argument]
    if index in reading.dims:
        return _as_diagonal(conversion, reading, number, index)
    reading.forms[number] = "an axis of the array: nothing is computed"
    reading.dims[reading.dims.index(number)] = index
    return True


def _as_diagonal(conversion: Conversion, reading: _Reading, number: int, index: Index) -> bool:
    """``<axes + i, E>[i] = <axes + i, the diagonal of E along both>``, a view."""
    if yarr.element_of(reading.value) == i1:
        return False
    letters = list(string.ascii_letters[: len(reading.dims)])
    letters[reading.dims.index(number)] = letters[reading.dims.index(index)]
    kept = [letter for letter, d in zip(letters, reading.dims, strict=True) if d != number]
    subscripts = f"{''.join(letters)}->{''.join(kept)}"
    reading.value = conversion.emit(yarr.EinsumOp(subscripts, [reading.value])).result
    reading.dims.remove(number)
    reading.forms[number] = "the diagonal, a view"
    return True


def _as_slice(
    conversion: Conversion, op: phi.GetOp, reading: _Reading, number: int, position: SSAValue
) -> bool:
    """``<axes, E>[c*i + x] = <axes + i, slice(E, start x, step c)>`` where i is not in axes."""
    array_size = conversion.forms.size(op.array, number)
    affine = conversion.forms.affine(position, array_size)
    if affine is None or affine.index in conversion.positions:
        return False
    index = conversion.indices[affine.index]
    if index in reading.dims:
        return False
    clip = not conversion.forms.is_within(affine, op.array, number)
    dim = reading.dims.index(number)
    start = conversion.value_of(affine.start)
    sliced = yarr.SliceOp(reading.value, dim, start, index.size, affine.step, clip=clip)
    reading.value = conversion.emit(sliced).result
    reading.dims[dim] = index
    reading.forms[number] = (
        "a slice, clipped where it leaves the bounds" if clip else "a slice, a view"
    )
    return True


def _is_loop_invariant(
    conversion: Conversion, op: phi.GetOp, reading: _Reading, number: int
) -> bool:
    """Whether a position is a slice of an array from its start on that no step of a loop changes.

    It is taken before the single positions of a step, and once for all steps.
    """
    loop = next(loops_around(op), None)
    if loop is None or is_within(op.array, loop):
        return False
    if not any(
        not axial.axes and is_within(op.positions[other], loop)
        for other, axial in reading.pending.items()
    ):
        return False
    affine = conversion.forms.affine(op.positions[number], conversion.forms.size(op.array, number))
    if affine is None or affine.step != 1 or affine.start != LinearForm():
        return False
    if affine.index in conversion.positions or conversion.indices[affine.index] in reading.dims:
        return False
    return not is_within(phi.size_of_index(affine.index), loop)


def _as_rotation(
    conversion: Conversion, op: phi.GetOp, reading: _Reading, number: int, position: SSAValue
) -> bool:
    """``<axes, E>[(i + x) mod n] = <axes + i, E[x mod n:] ++ E[:x mod n]>`` where n is E's size.

    Several such readings are slices of one array: E with elements of each end at the other end.
    """
    rotation = conversion.forms.rotation(position, conversion.forms.size(op.array, number))
    if rotation is None or rotation.index in conversion.positions:
        return False
    index = conversion.indices[rotation.index]
    if index in reading.dims:
        return False
    dim, ends = reading.dims.index(number), conversion.forms.ends(op.array, number)
    if any(ends) and rotation.neighbours is not None:
        extended = _with_ends(conversion, reading.value, dim, *ends)
        start = conversion.integer(ends[0] + rotation.start.constant)
        reading.value = conversion.emit(yarr.SliceOp(extended, dim, start, index.size)).result
        reading.forms[number] = "a slice of the axis with each end repeated at the other"
    elif not rotation.beyond:
        reading.value = _rotated(conversion, reading.value, dim, rotation.start, index.size)
        reading.forms[number] = "a rotation of the axis"
    else:
        return False
    reading.dims[dim] = index
    return True


def _as_flat(conversion: Conversion, op: phi.GetOp, reading: _Reading, number: int) -> bool:
    """``<axes, E>[i // m, i mod m] = <axes + i, slice(flatten(E))>`` where m is the second size."""
    if not is_flat(op, number, conversion.sizes):
        return False
    row = division(op.positions[number])
    assert row is not None
    if row.index in conversion.positions:
        return False
    index, dim = conversion.indices[row.index], reading.dims.index(number)
    if index in reading.dims:
        return False
    flat = conversion.emit(yarr.FlattenOp(reading.value, dim)).result
    if not is_whole(phi.size_of_index(row.index), row.divisor, conversion.sizes):
        zero = conversion.integer(0)
        flat = conversion.emit(yarr.SliceOp(flat, dim, zero, index.size)).result
    reading.value = flat
    reading.dims[dim : dim + 2] = [index]
    reading.forms[number] = reading.forms[number + 1] = "two axes read as one"
    return True


def _as_strided(
    conversion: Conversion, op: phi.GetOp, reading: _Reading, number: int, position: SSAValue
) -> bool:
    """``<axes, E>[i*c + j*d + x] = <axes + i + j, strided(E, start x, steps c, d)>``"""
    size = conversion.forms.size(op.array, number)
    strided = strided_position(conversion.forms.unclipped(position, size), conversion.free.of)
    if strided is None or not strided.steps:
        return False
    if not conversion.positions.keys().isdisjoint(strided.steps):
        return False
    steps = {conversion.indices[index]: step for index, step in strided.steps.items()}
    others = [axial.axes for other, axial in reading.pending.items() if other != number]
    if not steps.keys().isdisjoint(union([reading.axes(), *others])):
        return False  # Elements of a view with an axis more would be gathered.
    indices, dim = union([list(steps)]), reading.dims.index(number)
    view = yarr.StridedOp(
        reading.value,
        dim,
        _sum(conversion, strided.start),
        [index.size for index in indices],
        [_sum(conversion, steps[index]) for index in indices],
    )
    reading.value = conversion.emit(view).result
    reading.dims[dim : dim + 1] = indices
    reading.forms[number] = "strided, a view where it is in bounds"
    return True


def _sum(conversion: Conversion, products: Sum) -> SSAValue:
    """The value of a sum of products of Ints that vary with no index."""
    total: SSAValue | None = None
    for product in products:
        factors = [conversion.axial(value).value for value in product.values]
        if product.factor != 1 or not factors:
            factors.append(conversion.integer(product.factor))
        term = reduce(partial(conversion.arithmetic, arith.MuliOp), factors)
        total = term if total is None else conversion.arithmetic(arith.AddiOp, total, term)
    return conversion.integer(0) if total is None else total


def _with_ends(
    conversion: Conversion, array: SSAValue, axis: int, before: int, behind: int
) -> SSAValue:
    """An array padded periodically: with elements of itself, at positions modulo its size.

    An empty axis is filled with zeros: an element of an empty axis is zero.
    """
    filled = conversion.emit(yarr.FillEmptyOp(array, axis)).result
    length = conversion.emit(yarr.SizeOp(filled, axis)).result
    one = conversion.integer(1)

    def element(position: int) -> SSAValue:
        place = conversion.integer(position)
        if position:
            place = conversion.arithmetic(sigma.FloorModOp, place, length)
        return conversion.emit(yarr.SliceOp(filled, axis, place, one)).result

    parts = [*map(element, range(-before, 0)), filled, *map(element, range(behind))]
    return conversion.emit(yarr.ConcatOp(parts, axis)).result


def _rotated(
    conversion: Conversion, array: SSAValue, axis: int, start: LinearForm, size: SSAValue
) -> SSAValue:
    """An array rotated along an axis: it begins at a start, modulo the size of the axis."""
    if start == LinearForm():
        return array
    zero = conversion.integer(0)
    first = conversion.arithmetic(sigma.FloorModOp, conversion.value_of(start), size)
    rest = conversion.arithmetic(arith.SubiOp, size, first)
    parts = ((first, rest), (zero, first))
    slices = [conversion.emit(yarr.SliceOp(array, axis, *part)).result for part in parts]
    return conversion.emit(yarr.ConcatOp(slices, axis)).result


def _in_bounds(conversion: Conversion, op: phi.GetOp, number: int) -> bool:
    """Whether a position is in bounds of a dimension that is not empty."""
    position = op.positions[number]
    if any(is_(conversion, op, number, position) for is_ in (_covers, _is_found, _is_remainder)):
        return True
    size = conversion.forms.size(op.array, number)
    return size is not None and conversion.places.is_in_step(position, size, op)


def _is_found(conversion: Conversion, op: phi.GetOp, number: int, position: SSAValue) -> bool:
    """Whether a search along a dimension of the same size found a position."""
    search = position.owner
    return isinstance(search, phi.ArgreduceOp) and conversion.sizes.same(
        Term(search.vec, (), 0), Term(op.array, (), number), op
    )


def _is_remainder(conversion: Conversion, op: phi.GetOp, number: int, position: SSAValue) -> bool:
    """Whether a position is modulo the size of the dimension: it is 0 if that is empty."""
    remainder = phi.uncast(position).owner
    return isinstance(remainder, sigma.FloorModOp) and conversion.sizes.same(
        remainder.rhs, Term(op.array, (), number), op
    )


def _fill_empty(conversion: Conversion, op: phi.GetOp, reading: _Reading, number: int) -> None:
    """Fill a dimension that may be empty: an element of an empty dimension is zero."""
    if not _covers(conversion, op, number, op.positions[number]):
        dim = reading.dims.index(number)
        reading.value = conversion.emit(yarr.FillEmptyOp(reading.value, dim)).result


def _take(conversion: Conversion, op: phi.GetOp, reading: _Reading, number: int) -> None:
    """Emit a ``take``: the axes of the position replace the dimension."""
    dim = reading.dims.index(number)
    axial = reading.pending[number]
    position = None if axial.axes else _clipped(conversion, op, number, axial.value)
    if position is None:
        _fill_empty(conversion, op, reading, number)
        in_bounds = _in_bounds(conversion, op, number)
        taken = yarr.TakeOp(reading.value, dim, axial.value, in_bounds=in_bounds)
    else:
        taken = yarr.TakeOp(reading.value, dim, position, in_bounds=True)
    del reading.pending[number]
    reading.value = conversion.emit(taken).result
    reading.dims[dim : dim + 1] = axial.axes
    reading.forms[number] = _TAKEN if axial.axes else "a single position, a view"


def _clipped(
    conversion: Conversion, op: phi.GetOp, number: int, position: SSAValue
) -> SSAValue | None:
    """A single position, clipped at 0 if it may be negative.

    None if the dimension may be empty, or the position may exceed the upper bound.
    """
    forms, wanted = conversion.forms, op.positions[number]
    size = forms.size(op.array, number)
    integer = forms.integer(wanted)
    if size is None or not forms.is_positive(size, op) or not forms.is_below(integer, size):
        return None
    if forms.is_nonnegative(integer):
        return position
    return conversion.arithmetic(arith.MaxSIOp, position, conversion.integer(0))


def _gather(conversion: Conversion, op: phi.GetOp, reading: _Reading) -> None:
    """Emit a ``gather``: indexed dimensions lead; axes shared with positions are positions, too."""
    for number in reading.pending:
        _fill_empty(conversion, op, reading, number)
    axes = union([axial.axes for axial in reading.pending.values()])
    leading = [d for d in reading.dims if isinstance(d, int) or (d is not None and d in axes)]
    rest = [n for n, d in enumerate(reading.dims) if d is None or d not in leading]
    order = [reading.dims.index(d) for d in leading]
    value = conversion.transpose(reading.value, [*order, *rest])
    positions = [
        conversion.align(reading.pending[d] if isinstance(d, int) else Axial((d,), d.range), axes)
        for d in leading
    ]
    in_bounds = [
        axis
        for axis, d in enumerate(leading)
        if not isinstance(d, int) or _in_bounds(conversion, op, d)
    ]
    gathered = yarr.GatherOp(value, positions, in_bounds=in_bounds)
    reading.dims = [*axes, *(reading.dims[n] for n in rest)]
    reading.value = conversion.emit(gathered).result
    reading.forms.update(dict.fromkeys(reading.pending, _GATHERED))
    reading.pending.clear()


def _bind(conversion: Conversion, op: phi.GetOp, reading: _Reading) -> None:
    """Transpose the axes to the front, in the order of nesting."""
    axes = union([reading.axes()])
    own = [n for n, d in enumerate(reading.dims) if d is None]
    order = [*(reading.dims.index(index) for index in axes), *own]
    value = conversion.transpose(reading.value, order)
    if value is not conversion.axial(op.array).value and value.name_hint is None:
        value.name_hint = op.result.name_hint
    conversion.bind(op.result, Axial(axes, value))
