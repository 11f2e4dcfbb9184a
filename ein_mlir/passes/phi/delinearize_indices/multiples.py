"""Accumulations at multiples of indices, as slices of zeros."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import cached_property, reduce

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import replace


@dataclass(frozen=True)
class _Multiple:
    """The positions ``start``, ``start + step``, ..: one for each value of an index."""

    number: int
    """The number of the index."""
    start: int
    step: int
    is_whole: bool
    """Whether they are all positions of the axis."""


@dataclass(frozen=True)
class _Part:
    """An accumulation whose values are at multiples of its indices, one for each axis."""

    op: phi.AccumulateOp
    axes: Sequence[_Multiple]
    sizes: Sequence[LinearForm]
    """The number of positions along each axis."""
    term: phi.GetOp | None
    """The element of it that a comprehension adds to others, if that is all."""

    def place(self) -> Hashable:
        """That of all terms of a sum with the same positions along an axis, or none in common."""
        total = self.op if self.term is None else _sum_of(self.term)
        strides = ((axis.step, axis.start < axis.step) for axis in self.axes)
        return total, *strides, *self.sizes

    @cached_property
    def table(self) -> SSAValue:
        """The array of the values."""
        *_, value = leaf_values(self.op.yielded())
        self.op.yield_instead(value)
        body = self.op.detach_region(self.op.body)
        return Builder.before(self.op).emit(phi.ArrayOp(list(self.op.sizes), body))


def accumulate_in_slices(ops: Sequence[phi.AccumulateOp], forms: IndexForms) -> None:
    """``accumulate (i < n) into (m) { 2*i + 1, e }  -->
    update_slice (array (p < m) { 0 })[1 by 2], array (i < n) { e }``

    if each index has an axis of its own, whose positions are in bounds. Sums of such accumulations
    are slices of one array.
    """
    groups = defaultdict[Hashable, list[_Part]](list)
    for op in ops:
        if (part := _part(op, forms)) is not None:
            groups[part.place()].append(part)
    for parts in groups.values():
        _write(parts)


def _term_of(op: phi.AccumulateOp) -> phi.GetOp | None:
    """The element of an accumulation that a comprehension adds to others, if that is all."""
    uses = list(op.result.uses)
    read = uses[0].operation if len(uses) == 1 else None
    loop = read.parent_op() if read is not None else None
    if not isinstance(read, phi.GetOp) or not isinstance(loop, phi.ArrayOp):
        return None
    if loop.parent is not op.parent:
        return None
    is_term = read.is_at(loop.indices) and len(loop.indices) == len(op.extents)
    user = next(iter(read.result.uses)).operation if read.result.has_one_use() else None
    return read if is_term and isinstance(user, arith.AddfOp) else None


def _sum_of(term: phi.GetOp) -> Operation:
    """The last addition of a sum that has a term."""
    op: Operation = term
    while op.results[0].has_one_use():
        (use,) = op.results[0].uses
        if not isinstance(use.operation, arith.AddfOp):
            break
        op = use.operation
    return op


def _write(parts: Sequence[_Part]) -> None:
    """Replace an accumulation, or all that are terms of a sum, by slices of one array."""
    first, *others = parts
    tables = [part.table for part in parts]
    extents, rank = list(first.op.extents), len(first.axes)
    place = phi.ArrayOp.of(first.term.parent_op()) if first.term and others else first.op
    build = Builder.before(place)
    extents += [build.size(tables[0], rank + k) for k in range(phi.rank_of(tables[0].type) - rank)]
    for part in others:
        term = phi.GetOp.of(part.term)
        (use,) = term.result.uses
        Rewriter.replace_op(use.operation, (), (use.operation.operands[1 - use.index],))
        Rewriter.erase_op(term)
        Rewriter.erase_op(part.op)
    replace(first.op, _spread(build, parts, extents, ()))


def _part(op: phi.AccumulateOp, forms: IndexForms) -> _Part | None:
    """An accumulation at multiples of its indices, of which at least one leaves elements out."""
    *positions, _ = leaf_values(op.yielded())
    is_one = len(op.accumulators) == 1 and op.accumulators[0].kind == "add"
    if not is_one or not len(positions) == len(op.extents) == len(op.sizes):
        return None
    pairs = zip(positions, op.extents, strict=True)
    found = [_multiple(op, position, extent, forms) for position, extent in pairs]
    axes = [each for each in found if each is not None]
    numbers = {each.number for each in axes}
    if len(numbers) < len(found) or all(each.step == 1 for each in axes):
        return None
    sizes = [forms.integer(op.sizes[each.number]) for each in axes]
    return _Part(op, axes, sizes, _term_of(op))


def _multiple(
    op: phi.AccumulateOp,
    position: SSAValue,
    extent: SSAValue,
    forms: IndexForms,
) -> _Multiple | None:
    """The index that a position is a multiple of, if that is in bounds."""
    end = forms.integer(extent)
    form = forms.integer(forms.unclipped(position, forms.form(extent)))
    if len(form.coefficients) != 1 or not forms.is_nonnegative(form):
        return None
    if not forms.is_below(form, end):
        return None
    ((index, step),) = form.coefficients.items()
    if index not in op.indices or step < 1 or form.constant < 0:
        return None
    number = op.indices.index(index)
    is_whole = step == 1 and form.constant == 0 and forms.integer(op.sizes[number]) == end
    return _Multiple(number, form.constant, step, is_whole)


def _spread(
    build: Builder,
    parts: Sequence[_Part],
    extents: Sequence[SSAValue],
    own: Sequence[SSAValue],
) -> SSAValue:
    """The array of some extents with the elements of tables at multiples, and zeros elsewhere.

    ``own`` are the indices of the axes before, at which all parts have elements.
    """
    level, table = len(own), parts[0].table
    if level == len(parts[0].axes):
        values = list[SSAValue]()
        for part in parts:
            known = {axis.number: index for axis, index in zip(part.axes, own, strict=True)}
            values.append(build.get(part.table, [known[number] for number in range(level)]))
        return reduce(build.add, values)
    array: SSAValue | None = None
    by_start = defaultdict[int, list[_Part]](list)
    for part in parts:
        by_start[part.axes[level].start].append(part)
    for start, same in by_start.items():

        def row(inner: Builder, indices: Sequence[SSAValue], same: list[_Part] = same) -> SSAValue:
            return _spread(inner, same, extents, [*own, *indices])

        axis = same[0].axes[level]
        rows = build.comprehension([build.size(same[0].table, axis.number)], row)
        if axis.is_whole:
            return rows
        if array is None:
            array = build.zeros(extents[level:], phi.scalar_of(table.type))
        places = build.integer(start), build.integer(axis.step)
        array = build.emit(phi.UpdateSliceOp(array, *places, rows))
    assert array is not None
    return array
