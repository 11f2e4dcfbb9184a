"""The rectangle around the steps of a counted loop: each row has some of the steps of all rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import MOST, LinearForm
from ein_mlir.analysis.arithmetic.scalars import ranges_of_sizes
from ein_mlir.analysis.phi.counted_loops import CountedLoop
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import ORDINARY, is_argument
from ein_mlir.analysis.phi.longest_loops import largest
from ein_mlir.analysis.scopes import operations_in, outermost_without
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder

_MOST_OFFSETS = 8
"""The offsets that are compared, at all positions that steps read."""

_FAR = 4 * MOST
"""Numbers of steps below this are of sizes, indices and constants."""

_MOST_PARTS = 4
"""The minima and maxima of a bound that are taken apart."""


@dataclass(frozen=True)
class Rectangle:
    """The steps ``first <= k + offset < min(ends)``, of which a row has those that pass tests."""

    offset: LinearForm
    first: LinearForm
    ends: Sequence[LinearForm]
    starts_of_rows: Sequence[LinearForm]
    """Steps of a row are at or behind these, which vary from row to row,"""

    ends_of_rows: Sequence[LinearForm]
    """and before these."""

    def count(self, loop: CountedLoop, forms: IndexForms) -> SSAValue:
        """The number of steps, before all loops that define no value that it depends on.

        Passes that compute arrays before these loops then know their sizes.
        """
        lengths = self.lengths(forms)
        atoms = [atom for length in lengths for atom in length.coefficients]
        _hoist_sizes(atoms)
        build = Builder.before(outermost_without(loop.op, atoms), forms.add)
        count = build.linear_value(lengths[0])
        for length in lengths[1:]:
            count = build.min(count, build.linear_value(length))
        if all(map(forms.is_nonnegative, lengths)):
            return count
        return build.max(count, 0)

    def lengths(self, forms: IndexForms) -> Sequence[LinearForm]:
        """The numbers of which the least is the number of steps."""
        return [forms.canonical(end - self.first) for end in self.ends]

    def step(self, number: SSAValue, forms: IndexForms) -> LinearForm:
        """The counter of the loop in a step of the rectangle."""
        return forms.canonical(LinearForm.of(number) + self.first - self.offset)

    def limits(
        self, loop: CountedLoop, build: Builder, forms: IndexForms
    ) -> Iterator[tuple[str, SSAValue]]:
        """The comparisons with limits that hold for the numbers of the steps of a row."""
        known = {forms.canonical(forms.form(loop.end)): loop.end}
        for predicate, limits in (("sge", self.starts_of_rows), ("slt", self.ends_of_rows)):
            for each in limits:
                limit = forms.canonical(each - self.first)
                yield predicate, known.get(limit) or build.linear_value(limit)


def _hoist_sizes(values: Sequence[SSAValue]) -> None:
    """Move the sizes among values before all loops that do not define their arrays."""
    for op in (value.owner for value in values):
        if isinstance(op, phi.SizeOp) and (place := outermost_without(op, op.operands)) is not op:
            Builder.before(place).move(op)


def rectangle(loop: CountedLoop, forms: IndexForms) -> Rectangle | None:
    """The rectangle in which the most positions are the same in all rows.

    Rows of one length start together. So do those of ``min(n - i, m)`` steps: ``min(n, m)`` are all
    then, and n if rows end together. But positions stay linear that are: those of a convolution.
    None if a bound of the steps is no minimum, or maximum, of linear functions of indices.
    """
    offsets = _offsets(loop, forms)
    found = {each: _rectangle(loop, each, forms) for each in offsets}
    best = next((each for each in offsets if found[each] is not None), None)
    if best is None:
        return None
    linear, longest = offsets[best][1], set(_lengths(found[best], forms))
    for offset, (_, others) in offsets.items():
        if others >= linear and longest < set(_lengths(found[offset], forms)):
            return found[offset]
    return found[best]


def _lengths(found: Rectangle | None, forms: IndexForms) -> Sequence[LinearForm]:
    return () if found is None else found.lengths(forms)


def by_another_array(loop: CountedLoop, found: Rectangle, forms: IndexForms) -> Rectangle | None:
    """A rectangle of which sizes, and nothing that is known of them, say whether it is shorter.

    Its rows read the same element of another array in the same step, maybe from behind: the
    products of two polynomials are rectangles of as many steps as one or the other has terms.
    """
    positions = list(_positions(loop, forms))
    offsets = [forms.canonical(p.rest * p.factor) for p in positions if abs(p.factor) == 1]
    linear = _fit(positions, found.offset, forms)
    for offset in dict.fromkeys(offsets[:_MOST_OFFSETS]):
        other = _rectangle(loop, offset, forms)
        if other is None or _fit(positions, offset, forms) < linear:
            continue
        lengths = found.lengths(forms), other.lengths(forms)
        if any(map(_is_of_sizes, chain(*lengths))) and _are_open(*lengths, forms):
            return other
    return None


def _are_open(
    lengths: Sequence[LinearForm], others: Sequence[LinearForm], forms: IndexForms
) -> bool:
    """Whether positive sizes say which of the least ones of some and other numbers is smaller."""
    sizes = (atom for each in (*lengths, *others) for atom in each.coefficients)
    forms = forms.assuming(ranges_of_sizes(LinearForm.of(each) - 1 for each in sizes))
    return all(
        any(not any(forms.is_at_most(each, one) for each in some) for one in rest)
        for some, rest in ((lengths, others), (others, lengths))
    )


def from_first_steps(
    loop: CountedLoop, sizes: Sequence[SSAValue], forms: IndexForms
) -> Rectangle | None:
    """The rectangle whose rows start together, where some Ints are legal sizes."""
    forms = forms.assuming(ranges_of_sizes(map(forms.form, sizes)))
    return _rectangle(loop, -forms.form(loop.start), forms)


def fewest_steps(loop: CountedLoop, forms: IndexForms) -> LinearForm | None:
    """The least number of steps that a row takes, if positive, for a linear one of unit strides.

    There are no more numbers from it to the largest one than rows.
    """
    length = forms.canonical(forms.form(loop.end) - forms.form(loop.start))
    varying = [n for atom, n in length.coefficients.items() if forms.free.of(atom)]
    if not is_linear(length, forms) or any(abs(n) != 1 for n in varying):
        return None
    found = largest(-length, {}, forms)
    return None if found is None else forms.canonical(-found)


def wide_ints(loop: CountedLoop, forms: IndexForms) -> list[SSAValue]:
    """The arguments that are all that keeps a loop from a rectangle, since sums may wrap."""
    bounds = map(forms.form, (loop.start, loop.end))
    seen = set[SSAValue]()
    operands = (each for bound in bounds for each in _operands(bound, forms, seen))
    found = dict.fromkeys(atom for form in operands for atom in form.coefficients)
    wide = [x for x in found if is_argument(x) and forms.range(x) not in ORDINARY]
    if not wide or rectangle(loop, forms) is not None:
        return []
    forms = forms.assuming(dict.fromkeys(wide, ORDINARY))
    return wide if rectangle(loop, forms) is not None else []


def _operands(form: LinearForm, forms: IndexForms, seen: set[SSAValue]) -> Iterator[LinearForm]:
    """The form, and those of minima and maxima in it that were not seen before."""
    yield form
    for atom in form.coefficients:
        if atom not in seen and isinstance(atom.owner, arith.MinSIOp | arith.MaxSIOp):
            seen.add(atom)
            for each in atom.owner.operands:
                yield from _operands(forms.form(each), forms, seen)


# Offsets ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Position:
    """A position ``factor*k + rest`` that steps read."""

    factor: int
    rest: LinearForm


def _positions(loop: CountedLoop, forms: IndexForms) -> Iterator[_Position]:
    for get in operations_in(loop.op):
        for position in get.positions if isinstance(get, phi.GetOp) else ():
            form = forms.form(position)
            for atom, factor in form.coefficients.items():
                if loop.path_of(atom) == loop.counter:
                    yield _Position(factor, form.without([atom]))


def _offsets(loop: CountedLoop, forms: IndexForms) -> Mapping[LinearForm, tuple[int, int]]:
    """The numbers that may be added to the counter, the best ones first.

    With the numbers of positions that are the same in all rows then, and that are linear. Rows
    start together, end together, or read the same element in the same step.
    """
    positions = list(_positions(loop, forms))
    start = -forms.form(loop.start)
    if not _varies(forms.canonical(forms.form(loop.end) + start), forms):
        return {start: (0, 0)}
    offsets = [start, -forms.form(loop.end), *(p.rest for p in positions if p.factor == 1)]
    offsets = list(dict.fromkeys(map(forms.canonical, offsets)))[:_MOST_OFFSETS]

    fits = {offset: _fit(positions, offset, forms) for offset in offsets}
    return dict(sorted(fits.items(), key=lambda each: each[1], reverse=True))


def _fit(positions: Sequence[_Position], offset: LinearForm, forms: IndexForms) -> tuple[int, int]:
    """The numbers of positions that are the same in all rows with an offset, and linear."""
    rests = [forms.canonical(p.rest - offset * p.factor) for p in positions]
    fixed = sum(not _varies(rest, forms) for rest in rests)
    return fixed, sum(is_linear(rest, forms) for rest in rests)


def _varies(form: LinearForm, forms: IndexForms) -> bool:
    """Whether a form varies from row to row."""
    return any(map(forms.free.of, form.coefficients))


def is_linear(form: LinearForm, forms: IndexForms) -> bool:
    """Whether a form is a linear function of indices."""
    return all(
        phi.is_comprehension_index(atom) or not forms.free.of(atom) for atom in form.coefficients
    )


# Bounds -----------------------------------------------------------------------------------------


def _rectangle(loop: CountedLoop, offset: LinearForm, forms: IndexForms) -> Rectangle | None:
    """The rectangle with an offset, if its bounds are known."""
    starts = _parts(forms.form(loop.start) + offset, -1, forms)
    ends = _parts(forms.form(loop.end) + offset, 1, forms)
    if not all(map(forms.is_exact, [*starts, *ends])):
        if starts != [LinearForm()]:
            return None
        ends = [forms.canonical(forms.form(loop.end) + offset)]
    fixed = [each for each in ends if not _varies(each, forms)]  # no test of a row has these
    bounding = fixed if any(map(_is_of_sizes, fixed)) else ends
    last = [largest(each, {}, forms) for each in bounding]
    first = [largest(-each, {}, forms) for each in starts]
    if None in last or None in first:
        return None
    lower = _tightest([-each for each in first if each is not None], -1, forms)[0]
    upper = _tightest([each for each in last if each is not None], 1, forms)
    if lower.known() != 0 and not all(forms.is_exact(each - lower) for each in (*ends, *upper)):
        return None
    if not any(_is_length(forms.canonical(each - lower), forms) for each in upper):
        return None
    return Rectangle(
        offset,
        lower,
        upper,
        [each for each in starts if not forms.is_at_most(each, lower)],
        [each for each in ends if _varies(each, forms)],
    )


def _is_length(form: LinearForm, forms: IndexForms) -> bool:
    """Whether a number of steps is that of a row, or no error: sums with Ints may be far longer."""
    return form in map(LinearForm.of, form.coefficients) or forms.range_of(form).high <= _FAR


def _is_of_sizes(form: LinearForm) -> bool:
    """Whether a bound is that of the elements of arrays: no row is much longer than they are."""
    atoms = form.coefficients
    return bool(atoms) and all(isinstance(atom.owner, phi.SizeOp) for atom in atoms)


def _parts(form: LinearForm, sign: int, forms: IndexForms) -> list[LinearForm]:
    """``[a + x, b + x]`` for ``min(a, b) + x``, or ``x - max(-a, -b)``.

    With the sign -1, those of maxima: the form is the largest of its parts, not the least.
    """
    pending, parts = [forms.canonical(form)], list[LinearForm]()
    while pending:
        form = pending.pop()
        split = _split(form, sign, forms) if len(pending) + len(parts) < _MOST_PARTS else None
        if split is None:
            parts.append(form)
        else:
            atom, factor, op = split
            rest = form.without([atom])
            operands = [forms.form(each) * factor for each in op.operands]
            pending.extend(forms.canonical(rest + each) for each in reversed(operands))
    return parts


def _split(
    form: LinearForm, sign: int, forms: IndexForms
) -> tuple[SSAValue, int, Operation] | None:
    """A minimum in a form that varies from row to row, or a maximum for the sign -1."""
    for atom, factor in form.coefficients.items():
        kind = arith.MinSIOp if factor * sign > 0 else arith.MaxSIOp
        if isinstance(atom.owner, kind) and forms.free.of(atom):
            return atom, factor, atom.owner
    return None


def _tightest(bounds: Sequence[LinearForm], sign: int, forms: IndexForms) -> list[LinearForm]:
    """The upper bounds without those as high as another, numbers first; lower ones for -1."""
    kept = list[LinearForm]()
    for bound in sorted(bounds, key=lambda each: each.known() is None):
        if not any(forms.is_at_most(other * sign, bound * sign) for other in kept):
            kept = [k for k in kept if not forms.is_at_most(bound * sign, k * sign)]
            kept.append(bound)
    return kept
