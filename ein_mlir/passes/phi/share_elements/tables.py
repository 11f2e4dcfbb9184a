"""Computing functions of elements that are looked up once for each place."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.scopes import ancestors, is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.share_elements.looked_up import Finder, LookedUp
from ein_mlir.passes.phi.share_elements.looked_up_rows import rows_looked_up
from ein_mlir.passes.phi.share_elements.values import counters, has_versions, size_of
from ein_mlir.rewriting.phi.float_tests import has_finite_square
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.versions import outermost, versions

MOST_BITS = 60
"""The bits of a product of sizes, which is multiplied by two."""

WIDENING = 8
"""How often the elements of a row of an array may be those of a row of a table."""


def share_looked_up(
    function: func.FuncOp,
    analyses: AnalysisManager,
    *,
    folds: bool,
    differentiable: bool,
    static: bool,
) -> None:
    """Compute the functions of elements that are looked up before the loops that look them up.

    With ``static`` no test of elements chooses between loops. Users come before their operands:
    those may be positions of a table, or parts of its elements.
    """
    finder = Finder(function, folds=folds, differentiable=differentiable)
    found = finder.found()
    if folds:
        rows = rows_looked_up(function, finder.have_equal_sizes, differentiable=differentiable)
        rows = [each for each in _others(rows, found) if not (static and each.is_product)]
        found = [*_others(found, rows), *rows]
    found = [each for each in found if each.is_small or _may_have_versions(each)]
    by_place = defaultdict[phi.BodyOp, list[LookedUp]](list)
    for each in found:
        if not each.is_small:
            by_place[each.place].append(each)
    large = outermost(by_place)
    fits = {
        place: _versions(values, finder)
        for place, values in large.items()
        if not isinstance(place, phi.AccumulateOp)
    }
    for each in reversed(found):
        name = name_of(each.value)
        if each.is_small:
            analyses.note(each.place, f"{name} is computed before the loop")
            tabulate(each)
        elif each.place in large:
            analyses.note(each.place, f"{name}: computed before the loop, if there are few places")
            alone = each if each.place in fits else of_values(each)
            tabulate(alone, fits.get(each.place) or _versions([alone], finder))


def _others(found: Sequence[LookedUp], known: Sequence[LookedUp]) -> list[LookedUp]:
    """The values that are no parts of known ones."""
    inside = {op for each in known for whole in each.needed() for op in operations_in(whole)}
    return [each for each in found if _owner(each) not in inside]


def _owner(found: LookedUp) -> Operation:
    """The operation that computes a value."""
    assert isinstance(found.value.owner, Operation)
    return found.value.owner


def _may_have_versions(found: LookedUp) -> bool:
    """Whether a value leaves a loop of which there may be two, or is accumulated, often enough.

    An irregular fold is a row of its own length, and rarely has two steps for each place.
    """
    place = found.place
    if not _counts(found) or (isinstance(place, phi.FoldOp) and place.irregular is not None):
        return False
    if isinstance(place, phi.AccumulateOp):
        return _owner(found).parent_op() is place
    return has_versions(place)


def of_values(found: LookedUp) -> LookedUp:
    """The same value in a comprehension of its own, which an accumulation reads."""
    place, copies = phi.AccumulateOp.of(found.place), list[SSAValue]()

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        known = dict[SSAValue, SSAValue](zip(place.indices, own, strict=True))
        copies.extend(inner.copied(place.body.block, [found.value, *found.axes], known))
        return copies[0]

    array = Builder.before(place).comprehension(place.sizes, element, place.indices)
    result = Builder.before(_owner(found)).get(array, place.indices)
    found.value.replace_all_uses_with(result)
    return replace(found, value=copies[0], place=phi.ArrayOp.of(array), axes=tuple(copies[1:]))


def _versions(found: Sequence[LookedUp], finder: Finder) -> SSAValue:
    """Two versions of a loop: whether it has steps, since sizes are such that there are tables."""
    place = found[0].place
    assert isinstance(place, phi.ArrayOp | phi.FoldOp)
    build = Builder.before(place)
    tables = {
        (each.place, each.axes if each.uses == 1 else each.arrays, each.variables): each
        for each in found
    }
    tests = [test for each in tables.values() for test in _tests(build, each, finder)]
    fits = build.all_of(list(dict.fromkeys(tests)))
    versions(build, place, fits)
    return fits


def _counts(found: LookedUp) -> list[SSAValue]:
    """The numbers of values that are looked up in each row of a table, as far as they are known
    before the loop; one alone if there are none.
    """
    loops = list(ancestors(_owner(found), phi.BodyOp))
    inside = loops[: loops.index(found.place) + 1]
    counts = [
        size_of(c, found.place)
        for each in inside
        for c in counters(each)
        if c not in found.variables
    ]
    return [n for n in counts if not is_within(n, found.place)]


def _tests(build: Builder, found: LookedUp, finder: Finder) -> list[SSAValue]:
    """Whether arrays are as large, and a table has places, at most half as many as values.

    One that is read at several positions has three quarters: an image may become a little smaller.
    One of sums of products may have twice as many: there are so many distances of two indices.
    Ints, since a program of f32 has no floats of 64 bits; limited, so that no product wraps.
    """
    sizes = [[build.size(array, axis) for array, axis in own] for own in found.arrays]
    known = _counts(found)
    most = 1 << MOST_BITS // max(len(sizes), len(known), 3)
    places = [own[0] for own in sizes]
    values = _product(build, known, most)
    tests = [build.compare(1, "sle", size) for size in places]
    tests.extend(build.compare(size, "sle", most) for size in places)
    least, most_uses = (4, 3 * found.uses) if found.uses > 1 else (2, 4 if found.is_sum else 1)
    values = build.mul(values, most_uses) if most_uses > 1 else values
    tests.append(build.compare(build.mul(reduce(build.mul, places), least), "sle", values))
    for own, arrays in zip(sizes, found.arrays, strict=True):
        if not finder.are_equal(arrays):
            tests.extend(build.compare(own[0], "eq", size) for size in own[1:])
    if found.variables and not found.is_sum:
        tests.append(_are_short_rows(build, found))
    if found.is_product:
        fits = build.all_of(tests)
        arrays = [array for own in found.arrays for array, _ in own]
        tests.extend(_are_finite(build, array, fits) for array in arrays)
    return tests


def _are_short_rows(build: Builder, found: LookedUp) -> SSAValue:
    """Whether the rows of a table are not much longer than those that it is computed from."""
    ((array, axis), *_), *_ = found.arrays
    others = [build.size(array, k) for k in range(phi.rank_of(array.type)) if k != axis]
    own = [size_of(index, found.place) for index in found.variables]
    most = 1 << (MOST_BITS - WIDENING.bit_length()) // max(len(own), len(others))
    wide = build.mul(_product(build, others, most), WIDENING)
    return build.compare(_product(build, own, most), "sle", wide)


def _product(build: Builder, numbers: Sequence[SSAValue], most: int) -> SSAValue:
    """The product of some numbers, each limited to be from 0 to ``most``."""
    limited = [build.min(build.max(number, 0), most) for number in numbers]
    return reduce(build.mul, limited) if limited else build.integer(1)


def _are_finite(build: Builder, array: SSAValue, fits: SSAValue) -> SSAValue:
    """Whether all elements of an array have finite sums and products; they are read if it fits."""
    counts = build.sizes_of(array)
    counts[0] = build.select(fits, counts[0], 0)
    return build.all_hold(counts, lambda inner, at: has_finite_square(inner, inner.get(array, at)))


def tabulate(found: LookedUp, fits: SSAValue | None = None) -> None:
    """``f(a[k], b[k])  -->  t = array (c < n) { f(a[c], b[c]) }; t[k]`` before a loop.

    Likewise ``f(k)`` with n values of k. If a condition is given, the table is empty without it.
    """
    needed = found.needed()
    axes = *found.axes, *found.variables

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        known = dict[SSAValue, SSAValue](zip(axes, own, strict=True))
        if found.values is not None:
            known = {found.axes[0]: inner.as_int(own[0])}
        for op in needed:
            inner.insert_copy(op, known)
        return known[found.value]

    build = Builder.before(found.place)
    sizes = [build.size(*own[0]) for own in found.arrays]
    sizes.extend(size_of(index, found.place) for index in found.variables)
    if found.values is not None:
        sizes = [build.integer(found.values)]
    if fits is not None:
        sizes[0] = build.select(fits, sizes[0], 0)
    table = build.comprehension(sizes, element, [])
    result = Builder.after(_owner(found)).get(table, axes)
    result.name_hint = found.value.name_hint
    found.value.replace_all_uses_with(result)
