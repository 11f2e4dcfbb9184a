"""Accumulations over an index that positions divide as such over two."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.divided_indices import (
    division,
    divisions,
)
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import ORDINARY
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import is_defined_in, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.reductions import identity_of
from ein_mlir.passes.phi.delinearize_indices.splitting import rows_or_none, split_index
from ein_mlir.rewriting.phi.insertion import Builder, Contributions
from ein_mlir.rewriting.phi.replacement import replace


def split_accumulation(
    op: phi.AccumulateOp, number: int, form: LinearForm, sizes: SizeEquivalence, forms: IndexForms
) -> phi.AccumulateOp:
    """``accumulate (p < k*m) { e(p // m, p mod m) }  -->  accumulate (q < k, r < m) { e(q, r) }``

    Beside a copy if the size is not ``k * m`` for sizes, or numbers. Returns the one over rows.
    """
    build, size = Builder.before(op), op.sizes[number]
    divisor = build.linear_value(form)
    for user, _ in list(divisions(op.indices[number])):
        user.operands[1] = divisor
    rows = rows_or_none(build, size, divisor, sizes)
    if rows is None:
        return _split_beside_copy(op, number, divisor, sizes, forms)
    result = _split(op, number, (rows, divisor), op.extents, divisor)
    Rewriter.replace_op(op, result)
    return result


def _split_beside_copy(
    op: phi.AccumulateOp,
    number: int,
    divisor: SSAValue,
    known_sizes: SizeEquivalence,
    forms: IndexForms,
) -> phi.AccumulateOp:
    """``accumulate (p < n) into (l) { e(p // m, p mod m) }`` for any n and m, by two of which one
    has no steps and no elements::

        accumulate (q < k, r < w) into (l') { e(q, r) } ++
        accumulate (p < n') into (l - l') { e(p // m, p mod m) }

    where ``w = max(min(m, n), 1)``, or m if it is a number, and k is ``n // w`` if m is positive
    and w divides n: then quotients and remainders by w are those by m, and rows of w elements have
    no element in common. If a position is q or r, clipped or not, the size of its axis must be k or
    w, too: then it is an index of its own. So is another index along the first axis, ``i < l``: it
    has no values where that axis has no elements.
    """
    build, size = Builder.before(op), op.sizes[number]
    one, zero = build.integer(1), build.integer(0)
    known = known_int(divisor) or 0
    is_ordinary = 1 <= known <= ORDINARY.high
    width = build.integer(known) if is_ordinary else build.max(build.min(divisor, size), one)
    counts, extents = [build.floordiv(size, width), width], list(op.extents)
    places = _own_places(op, number, forms)
    tests = [
        build.compare(build.floormod(size, width), "eq", zero),
        *(build.compare(counts[own], "eq", extents[place]) for place, (own, _) in places.items()),
    ]
    if not is_ordinary:
        tests.append(build.compare(divisor, "sge", one))
        tests.append(build.compare(divisor, "sle", ORDINARY.high))
    fits = build.all_of(tests)
    others = copy_of(op)
    for user, _ in list(divisions(op.indices[number])):
        user.operands[1] = width
    others.operands[number] = build.select(fits, zero, size)
    for first in accumulate((0, *op.ranks[:-1])):
        others.operands[len(op.sizes) + first] = build.select(fits, zero, extents[first])
        extents[first] = build.select(fits, extents[first], zero)
    counts = [build.select(fits, count, zero) for count in counts]
    record = phi.TupleOp.of(op.yielded())
    for place, (own, position) in places.items():
        counts[own] = extents[place]
        record.operands[place] = position
    leading = _leading_index(op, number, known_sizes, forms)
    if leading is not None:
        op.operands[leading] = extents[0]
        others.operands[leading] = others.extents[0]
    first = _split(op, number, counts, extents, width)
    for each in (first, others):
        build.insert(each)
    _replace_by_joined(build, op, first, others)
    return first


def _leading_index(
    op: phi.AccumulateOp, number: int, sizes: SizeEquivalence, forms: IndexForms
) -> int | None:
    """The number of another index that is the first position of the only accumulator, and has all
    positions of its axis.
    """
    if len(op.accumulators) != 1:
        return None
    extent = op.extents[0]
    position = phi.uncast(forms.unclipped(leaf_values(op.yielded())[0], forms.form(extent)))
    for other, index in enumerate(op.indices):
        if position is index and other != number and sizes.same(op.sizes[other], extent):
            return other
    return None


def _replace_by_joined(
    build: Builder, op: phi.AccumulateOp, first: phi.AccumulateOp, others: phi.AccumulateOp
) -> None:
    """Replace an accumulation by two, which are concatenated along the first axis of positions."""
    rows, rest = (build.unpacked(each.result, len(op.ranks)) for each in (first, others))
    joined = [
        build.concat(lhs, rhs, each.extents[0])
        for lhs, rhs, each in zip(rows, rest, op.accumulators, strict=True)
    ]
    result = build.packed(joined)
    result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, (), (result,))


def _own_places(
    op: phi.AccumulateOp, number: int, forms: IndexForms
) -> dict[int, tuple[int, SSAValue]]:
    """The positions of the only accumulator that are the quotient, or the remainder, of an index.

    Each with 0 for the quotient and 1 for the remainder, and without clips at the ends of the axis.
    There are two only if the first position is one: one axis has elements in both accumulations.
    """
    found = dict[int, tuple[int, SSAValue]]()
    positions = leaf_values(op.yielded())[:-1] if len(op.accumulators) == 1 else []
    for place, (position, extent) in enumerate(zip(positions, op.extents, strict=False)):
        position = forms.unclipped(position, forms.form(extent))
        own = division(position)
        if own is not None and own.index is op.indices[number]:
            role = int(own.is_remainder)
            if all(role != other for other, _ in found.values()) and (not found or 0 in found):
                found[place] = role, position
    return found


def _split(
    op: phi.AccumulateOp,
    number: int,
    counts: Sequence[SSAValue],
    extents: Sequence[SSAValue],
    divisor: SSAValue,
) -> phi.AccumulateOp:
    """The accumulation with the body of another one, over rows and columns."""
    sizes = [*op.sizes[:number], *counts, *op.sizes[number + 1 :]]
    ranks, ends = op.ranks, list(accumulate(op.ranks))
    parts = [extents[end - rank : end] for rank, end in zip(ranks, ends, strict=True)]
    into = [(each.kind, part) for each, part in zip(op.accumulators, parts, strict=True)]
    result = phi.AccumulateOp(sizes, into, op.detach_region(op.body))
    split_index(result.body.block, number, divisor)
    return result


def fields_of(op: phi.AccumulateOp) -> list[list[SSAValue]]:
    """The positions and the value of each accumulator."""
    leaves, ranks = leaf_values(op.yielded()), op.ranks
    ends = accumulate(rank + 1 for rank in ranks)
    return [leaves[end - rank - 1 : end] for end, rank in zip(ends, ranks, strict=True)]


def separated(op: phi.AccumulateOp) -> list[phi.AccumulateOp]:
    """The accumulators of an accumulation, each as an accumulation of its own."""
    build = Builder.before(op)
    pairs = zip(op.accumulators, fields_of(op), strict=True)
    results = [_single(build, op, each, fields) for each, fields in pairs]
    Rewriter.replace_op(op, (), (build.packed(results),))
    return [each.owner for each in results if isinstance(each.owner, phi.AccumulateOp)]


def _single(
    build: Builder, op: phi.AccumulateOp, accumulator: phi.Accumulator, fields: Sequence[SSAValue]
) -> SSAValue:
    def contributions(body: Builder, indices: Sequence[SSAValue]) -> Contributions:
        known = dict[SSAValue, SSAValue](zip(op.indices, indices, strict=True))
        *places, value = body.copied(op.body.block, fields, known)
        return [(places, value)]

    into = [(accumulator.kind, accumulator.extents)]
    return build.accumulation(op.sizes, into, contributions, op.indices)


def adds_rows(op: phi.AccumulateOp, number: int, forms: IndexForms) -> bool:
    """Whether arrays of cheap elements are added at the quotient of the only index alone."""
    *_, value = leaf_values(op.yielded())
    array = value.owner
    return (
        (len(op.sizes), op.ranks, op.accumulators[0].kind) == (1, (1,), "add")
        and isinstance(array, phi.ArrayOp)
        and not any(is_within(size, op) for size in array.sizes)
        and not any(each.regions for each in op.body.walk() if each is not array)
        and any(not role for role, _ in _own_places(op, number, forms).values())
    )


def sum_rows(op: phi.AccumulateOp, sizes: SizeEquivalence) -> None:
    """``accumulate (q < k, r < m) into (k) { q, array (i < n) { e } }  -->
    array (q < k, i < n) { sum (r < m) { e } }``

    Unchanged if the position may be clipped.
    """
    position, value = leaf_values(op.yielded())
    rows, array = phi.uncast(position), phi.ArrayOp.of(value)
    if rows is not op.indices[0] or not sizes.same(op.sizes[0], op.extents[0]):
        return
    outer = [x for x in operands_within(array) if is_defined_in(x, op.body.block)]
    zero = identity_of("add", array.yielded().type)
    assert zero is not None
    start = Builder.before(op).constant(zero)

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        def step(body: Builder, column: SSAValue, total: SSAValue) -> SSAValue:
            indices = (rows, op.indices[1], *array.indices)
            known = dict[SSAValue, SSAValue](zip(indices, (own[0], column, *own[1:]), strict=True))
            body.copied(op.body.block, outer, known)
            (term,) = body.copied(array.body.block, [array.yielded()], known)
            return body.add(total, term)

        return inner.fold_over(op.sizes[1], start, step, [op.indices[1]])

    names = [rows, *array.indices]
    replace(op, Builder.before(op).comprehension([op.sizes[0], *array.sizes], element, names))
