"""Folds whose ranges slide along an index, with a length that is the same for all elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.bounds import Bound
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.scopes import innermost_first, is_within, operations_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import bounds_of_steps, checked_size, start_at
from ein_mlir.rewriting.phi.versions import versions

FEW = 16
"""The most steps of a range that need no test of whether the fold has more of them."""


@dataclass(frozen=True)
class Range:
    """The steps k with ``first <= factor * k < end``."""

    first: Bound
    end: Bound
    low: LinearForm
    high: LinearForm

    @property
    def factor(self) -> int:
        """The number that the counter is multiplied with."""
        return self.first.factor

    @property
    def most(self) -> int | None:
        """The most steps, if they are a known number."""
        known = (self.high - self.low).known()
        return None if known is None else max(-(-known // self.factor), 0)

    def length(self, build: Builder) -> SSAValue:
        """The most steps of an element, from values outside of the comprehension."""
        length = build.linear_value(self.high - self.low + (self.factor - 1))
        if self.factor > 1:
            length = build.floordiv(length, build.integer(self.factor))
        return build.max(length, 0)

    def start(self, build: Builder, length: SSAValue) -> tuple[SSAValue, LinearForm]:
        """The first step of an element, and a form of its multiple.

        With a factor the last steps are those before the end: ``o // factor + 1`` is the end where
        ``o - factor * k >= 0``.
        """
        factor = self.factor
        if factor == 1:
            return build.linear_value(self.low), self.low
        whole, rest = divmod(self.high.constant + factor - 1, factor)
        dividend = self.high - self.high.constant + rest
        value = build.linear_value(dividend)
        remainder = LinearForm.of(build.floormod(value, factor))
        behind = LinearForm.number(whole) - LinearForm.of(length)
        start = LinearForm.of(build.floordiv(value, factor)) + behind
        return build.linear_value(start), dividend - remainder + behind * factor


def slide(function: Operation, forms: IndexForms) -> list[phi.FoldOp]:
    """Run folds for the steps of ranges that are shorter than they are; those that do.

    ``array (o) { fold (k < n) { where(p <= s*k < p + l, e, acc) } }  -->
    array (o) { fold (d < t) { where((0 <= k < n) & .., e, acc) } }``

    with ``t = ceil(l / s)``, ``k = ceil(p / s) + d``, and a position p that varies with the index
    o. Where n may be less than t another comprehension has the elements as they are.
    """
    done = list[phi.FoldOp]()
    for array in innermost_first(function, phi.ArrayOp):
        found = {
            op: range_
            for op in operations_of(array, phi.FoldOp)
            if op not in done and (range_ := _range_of(op, array, forms)) is not None
        }
        if found:
            _slide_all(array, found, forms)
            done += found
    return done


def _range_of(op: phi.FoldOp, array: phi.ArrayOp, forms: IndexForms) -> Range | None:
    """The range of a fold that slides along an index of a comprehension."""
    if is_within(op.count, array) or not _reads_at_counter(op, forms):
        return None
    sides = {bound.suffix: bound for bound in bounds_of_steps(op, forms, multiples=True)}
    if len(sides) < 2 or sides[True].factor != sides[False].factor:
        return None
    first, end = sides[True], sides[False]
    low, high = first.form(forms), end.form(forms)
    if low is None or high is None or not forms.is_exact(high + first.factor):
        return None
    length = high - low
    indices = [atom for atom in array.body.block.args if atom in high.coefficients]
    if len(indices) != 1 or abs(high.coefficients[indices[0]]) != 1:
        return None
    if not forms.is_exact(length) or any(is_within(each, array) for each in length.coefficients):
        return None
    if any(is_within(each, array) for each in high.without(indices).coefficients):
        return None
    size, count = (forms.integer(each) for each in (phi.size_of_index(indices[0]), op.count))
    if forms.is_at_most(size, length) or forms.is_at_most(count * first.factor, length):
        return None
    # The window of a stencil is shorter than the axis that its elements are within.
    is_window = not _is_of_size(length, forms) or not _is_of_size(count, forms)
    return None if first.factor == 1 and is_window else Range(first, end, low, high)


def _reads_at_counter(op: phi.FoldOp, forms: IndexForms) -> bool:
    """Whether steps read at positions that the counter moves: other sums may be products."""
    return any(
        op.counter in forms.form(position).coefficients
        for get in operations_of(op, phi.GetOp)
        for position in get.positions
    )


def _is_of_size(length: LinearForm, forms: IndexForms) -> bool:
    """Whether a length or a number of steps is that of an axis: other ranges are aligned later."""
    return any(isinstance(atom.owner, phi.SizeOp) for atom in forms.canonical(length).coefficients)


def _slide_all(array: phi.ArrayOp, found: Mapping[phi.FoldOp, Range], forms: IndexForms) -> None:
    """Run folds of a comprehension for their ranges, if these are shorter.

    Where they are not, those run for theirs whose ranges are shorter exactly then.
    """
    build = Builder.before(array, forms.add)
    opposed = _opposed(found, forms)
    own = {op: range_ for op, range_ in found.items() if op not in opposed}
    lengths = counts = [each.length(build) for each in own.values()]
    tests = [
        build.compare(length, "slt", op.count)
        for (op, range_), length in zip(own.items(), lengths, strict=True)
        if range_.most is None or range_.most > FEW
    ]
    if tests:
        fits = build.all_of(tests)
        if not is_size(array.operands[0]):
            array.operands[0] = checked_size(build, array.indices[0], array.operands[0])
        rest = versions(build, array, fits)
        forms.add(rest)
        pairs = zip(operations_of(array, phi.FoldOp), operations_of(rest, phi.FoldOp), strict=True)
        for op, other in pairs:
            range_ = _range_of(other, rest, forms) if op in opposed else None
            if range_ is not None:
                length = range_.length(build)
                _slide(other, range_, length, build.select(fits, 0, length), forms)
            elif op in found:
                other.operands[0] = build.select(fits, 0, op.count)
            if op in opposed:
                op.operands[0] = build.select(fits, op.count, 0)
        counts = [build.select(fits, length, 0) for length in lengths]
    for (op, range_), length, count in zip(own.items(), lengths, counts, strict=True):
        _slide(op, range_, length, count, forms)


def _opposed(found: Mapping[phi.FoldOp, Range], forms: IndexForms) -> set[phi.FoldOp]:
    """The folds whose ranges have as many steps as the first fold, which has those of their ranges.

    ``sum_t x[t, i - t] + sum_k y[i - k, k]``, with ``t < n`` and ``k < l``: either is shorter.
    """
    first, *others = found

    def sizes(op: phi.FoldOp) -> tuple[LinearForm, LinearForm]:
        return found[op].high - found[op].low, forms.integer(op.count)

    length, count = map(forms.canonical, sizes(first))
    return {op for op in others if [*map(forms.canonical, sizes(op))] == [count, length]}


def _slide(
    op: phi.FoldOp, range_: Range, length: SSAValue, count: SSAValue, forms: IndexForms
) -> None:
    """Run a fold for the steps of its range, and count them from the first one.

    All steps of it, or none if the fold is a version that does not run.
    """
    before, inside = Builder.before(op, forms.add), Builder.at_start(op.body.block)
    positions = list(_positions(op, range_.factor, forms))
    start, multiple = range_.start(before, length)
    multiple = multiple + LinearForm.of(op.counter) * range_.factor
    k = start_at(inside, op, start)
    tests = [inside.compare(k, "sge", 0)]
    if range_.factor > 1:
        tests.append(inside.compare(inside.linear_value(multiple - range_.low), "sge", 0))
    _replace(range_.first, inside, inside.all_of(tests))
    _replace(range_.end, inside, inside.compare(k, "slt", op.count))
    for get, axis, factor, rest in positions:
        position = multiple * factor + rest
        if not any(map(phi.is_comprehension_index, position.coefficients)):
            get.operands[1 + axis] = Builder.before(get).linear_value(position)
    op.operands[0] = count
    forms.renew(op)


def _positions(
    op: phi.FoldOp, factor: int, forms: IndexForms
) -> Iterator[tuple[phi.GetOp, int, int, LinearForm]]:
    """Positions in reads that are ``multiple * (factor * k) + rest``, for the counter k."""
    for get in operations_of(op, phi.GetOp):
        for axis, position in enumerate(get.positions):
            own, others = forms.form(position).split(op.counter)
            times, rest = divmod(own, factor)
            if times and not rest:
                yield get, axis, times, others


def _replace(bound: Bound, build: Builder, inside: SSAValue) -> None:
    """Let another test stand in the place of a bound."""
    bound.test.condition.replace_all_uses_with(build.is_as_expected(inside, bound.test.expected))
