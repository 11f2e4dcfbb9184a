"""Guarded reads of windows, and reads around the ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, LinearForm, Range
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.strided_positions import is_variable, size_of_variable, unclipped
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import around, is_within, reached, sources
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.host.dataclass import dataclass

MOST_STEP = 2**16
"""The largest factor of an index or a counter in a position: no sum of multiples wraps."""

MOST_SPREAD = 8
"""The largest factor of a variable in a read position that is a function of others."""

FAR = 2**60
"""No sum of multiples of variables is larger, nor a bound that it is compared with."""

NEAR = Range(-FAR, FAR)

MOST_OPERATIONS = 32
"""The most operations among which the reads of a selected value are found."""


@dataclass(frozen=True)
class Extent:
    """A position, and its least and largest value in all steps."""

    form: LinearForm
    low: LinearForm
    high: LinearForm
    wide: LinearForm
    """The terms of it that may be so large that sums wrap, but then the condition fails."""
    counts: Sequence[SSAValue]
    """The counts that may be negative or too large: those are errors of folds in the loop."""


@dataclass(frozen=True)
class Window:
    """``where(c, e, 0)`` where e reads arrays at positions, and c depends on the positions only.

    Or a read at functions of positions, such as ``x[p % n]``.
    """

    root: arith.SelectOp | phi.GetOp
    tests: Sequence[Test]
    """The conditions of the selection that depend on positions."""
    others: Sequence[Test]
    get: phi.GetOp
    """A read at all positions."""
    place: Operation
    """The outermost loop that defines neither the array nor sizes of loops in it."""
    extents: Sequence[Extent | None]
    """For each axis the read positions, if the element depends on its position."""


class Recogniser:
    """Finds the windows in a function."""

    def __init__(self, forms: IndexForms):
        self._forms = forms

    def window(self, select: arith.SelectOp) -> Window | None:
        """A selection as a window, if it is one: windows of several elements overlap."""
        get = _widest_read(select)
        if get is None or ConstantLike.get_constant_value(select.rhs) is None:
            return None
        windows = (self._window(select, get, place) for place in _places(select, get.array))
        return next((found for found in windows if found is not None), None)

    def _window(self, select: arith.SelectOp, get: phi.GetOp, place: Operation) -> Window | None:
        """A selection as a window that is padded before a loop."""
        numbers = self._forms_of_positions(get, place)
        mixed = {number for form, number in numbers.items() if _is_mixed(form, place)}
        axes = self._axes([select.lhs], get, numbers, place) if mixed else None
        if axes is None:
            return None
        tests, others = list[Test](), list[Test]()
        for test in conjuncts(Test(select.cond, True)):
            tested = self._axes([test.condition], get, numbers, place)
            (others if tested is None else tests).append(test)
            axes |= tested or set()
        if axes.isdisjoint(mixed) or not tests:
            return None
        extents = [
            self._extent(position, place, tests) if number in axes else None
            for number, position in enumerate(get.positions)
        ]
        if any(not self._is_read_often(extents[n], get.positions[n], place) for n in axes):
            return None
        return Window(select, tests, others, get, place, extents)

    def is_cut(self, window: Window) -> bool:
        """Whether tests cut windows of another size at both ends of an axis of an array."""
        for axis, extent in enumerate(window.extents):
            if extent is None or not _is_mixed(extent.form, window.place):
                continue
            sides = {x for test in window.tests for x in self._bounded_sides(test, extent.form)}
            own = self._forms.size(window.get.array, axis)
            counters = [x for x in extent.form.coefficients if is_variable(x) and x.type == i64]
            sizes = [self._forms.integer(size_of_variable(counter)) for counter in counters]
            if sides == {"low", "high"} and own not in sizes:
                return True
        return False

    def wrapped(self, get: phi.GetOp) -> Window | None:
        """A read at functions of positions, ``x[(i + k) % n]``, as a window, if it is one."""
        if all(isinstance(position, BlockArgument) for position in get.positions):
            return None
        windows = (self._wrapped(get, place) for place in _places(get, get.array))
        return next((found for found in windows if found is not None), None)

    def _wrapped(self, get: phi.GetOp, place: Operation) -> Window | None:
        extents = list[Extent | None]()
        for position in get.positions:
            source = self._source(position, place)
            is_bent = source is not None and source is not position
            extents.append(self._wrapping_extent(source, place) if is_bent and source else None)
            if is_bent and not _is_dense(extents[-1], place):
                return None
        return Window(get, (), (), get, place, extents) if any(extents) else None

    def _source(self, position: SSAValue, place: Operation) -> SSAValue | None:
        """The sum of multiples of variables that a position is a function of, if it is one.

        The first of several that differ by sign and by fixed values, as in reflected positions.
        """
        found, pending, seen = dict[LinearForm, SSAValue](), [position], set[SSAValue]()
        while pending:
            value = pending.pop()
            if value in seen or _is_fixed(value, place):
                continue
            seen.add(value)
            if is_int(value) and self._is_sum(value, place):
                found[self._forms.form(value)] = value
            elif isinstance(value.owner, Block | phi.GetOp) or value.owner.regions:
                return None
            else:
                pending.extend(value.owner.operands)
        first, *others = found or (None,)
        alike = all(related(form, first, place) for form in others if first is not None)
        return found[first] if first is not None and alike else None

    def _axes(
        self,
        values: Sequence[SSAValue],
        get: phi.GetOp,
        numbers: Mapping[LinearForm, int],
        place: Operation,
    ) -> set[int] | None:
        """The axes whose positions values depend on; None if they depend on other values."""
        found, pending, seen = set[int](), list(values), set[SSAValue]()
        while pending:
            value = pending.pop()
            if value in seen or value is get.result or not is_within(value, place):
                continue
            seen.add(value)
            number = self._number(value, numbers, place) if is_int(value) else None
            compared = comparison(self._forms, value, numbers, place)
            if number is not None:
                found.add(number)
            elif compared is not None:
                found.add(numbers[compared.position])
            elif isinstance(value.owner, Operation) and not value.owner.regions:
                pending.extend(value.owner.operands)
            else:
                return None
        return found

    def _number(
        self, value: SSAValue, numbers: Mapping[LinearForm, int], place: Operation
    ) -> int | None:
        """The axis of the position that a value differs from by its sign and by fixed values."""
        form = self._forms.form(value)
        if _is_fixed_form(form, place):
            return numbers.get(form)
        return next((n for each, n in numbers.items() if related(form, each, place)), None)

    def _forms_of_positions(self, get: phi.GetOp, place: Operation) -> dict[LinearForm, int]:
        """The axes by the forms of their positions."""
        positions = (self._argument(position, place) for position in get.positions)
        return {self._forms.form(position): number for number, position in enumerate(positions)}

    def _argument(self, position: SSAValue, place: Operation) -> SSAValue:
        """The sum that a position is a function of: ``p`` of ``min(p, n - 1)`` and ``p // 2``."""
        plain = _unclipped(position, place)
        source = None if self._is_sum(plain, place) else self._source(plain, place)
        return plain if source is None else source

    def _is_sum(self, value: SSAValue, place: Operation) -> bool:
        """Whether an Int is a sum of multiples of variables and fixed values."""
        atoms = self._forms.form(value).coefficients
        return all(is_variable(atom) or _is_fixed(atom, place) for atom in atoms)

    def _is_read_often(self, extent: Extent | None, position: SSAValue, place: Operation) -> bool:
        """Whether an array over the sums that a position is a function of has few others."""
        return extent is not None and (
            self._is_sum(_unclipped(position, place), place) or _has_small_factors(extent)
        )

    def _extent(
        self, position: SSAValue, place: Operation, tests: Sequence[Test] = ()
    ) -> Extent | None:
        """The least and the largest value of a position in all steps."""
        argument = self._argument(position, place)
        form = self._forms.form(argument)
        wide = {
            atom: factor
            for atom, factor in form.coefficients.items()
            if _is_fixed(atom, place) and self._forms.range(atom) not in SUMS_OF_SIZES
        }
        if not self._is_limited(argument, form.without(wide), tests if wide else None):
            return None
        return self._extent_of(form, place, LinearForm(wide))

    def _wrapping_extent(self, position: SSAValue, place: Operation) -> Extent | None:
        """That of a position of which a function is read: it may wrap, but not its variables."""
        form = self._forms.form(position)
        fixed = [atom for atom in form.coefficients if _is_fixed(atom, place)]
        if self._forms.range_of(form.without(fixed)) not in NEAR:
            return None
        return self._extent_of(form, place, LinearForm())

    def _extent_of(self, form: LinearForm, place: Operation, wide: LinearForm) -> Extent | None:
        ends, counts = dict[SSAValue, tuple[LinearForm, LinearForm]](), list[SSAValue]()
        for atom, factor in form.coefficients.items():
            if abs(factor) > MOST_STEP:
                return None
            if _is_fixed(atom, place):
                continue
            if not is_variable(atom) or is_within(size := size_of_variable(atom), place):
                return None
            if not is_size(size) and size not in place.operands:
                counts.append(size)
            ends[atom] = LinearForm(), self._count(size, place) - 1
        return Extent(form, *form.extremes(ends), wide, counts)

    def _count(self, size: SSAValue, place: Operation) -> LinearForm:
        is_known = is_size(size) or size in place.operands
        return self._forms.integer(size) if is_known else LinearForm.of(size)

    def _is_limited(
        self, argument: SSAValue, narrow: LinearForm, tests: Sequence[Test] | None
    ) -> bool:
        """Whether a position does not wrap, or some of the tests fail where it may.

        Then they are met by positions below ``FAR`` alone, and the other terms, which are
        ``narrow``, do not reach it.
        """
        if tests is None:
            return self._forms.exact_form(argument) is not None
        form = self._forms.form(argument)
        bounds = {side for test in tests for side in self._bounded_sides(test, form)}
        return bounds == {"low", "high"} and self._forms.range_of(narrow) in NEAR

    def _bounded_sides(self, test: Test, form: LinearForm) -> Iterator[str]:
        """``low`` if a test is met only above ``-FAR``, ``high`` if only below ``FAR``."""
        found = relation_of(test.condition, expected=test.expected)
        for each in () if found is None else found.readings:
            is_near = self._forms.range(each.rhs) in NEAR
            if is_near and self._forms.form(each.lhs) == form:
                if each.predicate in ("sge", "sgt", "eq"):
                    yield "low"
                if each.predicate in ("sle", "slt", "eq"):
                    yield "high"


def related(form: LinearForm, other: LinearForm, place: Operation) -> tuple[int, LinearForm] | None:
    """``1`` or ``-1``, and the fixed values, if a form is a multiple of another one plus these."""
    for factor in (1, -1):
        rest = form - other * factor
        if _is_fixed_form(rest, place):
            return factor, rest
    return None


@dataclass(frozen=True)
class Comparison:
    """``p < b``: a position is compared with an Int that depends on no variable of a loop."""

    position: LinearForm
    bound: LinearForm
    is_left: bool
    """Whether the position is the left operand."""


def comparison(
    forms: IndexForms, value: SSAValue, positions: Iterable[LinearForm], place: Operation
) -> Comparison | None:
    """``k < n - i``, which holds for the integers, as ``i + k < n``, if ``i + k`` is a position.

    None if a side is a position already.
    """
    found = relation_of(value)
    if found is None or found.is_unsigned:
        return None
    left, right = forms.exact_form(found.lhs), forms.exact_form(found.rhs)
    if left is None or right is None:
        return None
    for position in positions:
        if position in (left, right):
            return None
        for is_left, bound in ((True, right - left + position), (False, left - right + position)):
            if _is_fixed_form(bound, place) and forms.is_exact(position) and forms.is_exact(bound):
                return Comparison(position, bound, is_left)
    return None


def is_int(value: SSAValue) -> bool:
    """Whether a value is an Int or an index."""
    return value.type == i64 or isinstance(value.type, IndexType)


def _widest_read(select: arith.SelectOp) -> phi.GetOp | None:
    """The read of most axes among those that the value of a selection is computed from."""
    reads = (op for op in _near(select.lhs) if isinstance(op, phi.GetOp))
    return max(reads, key=lambda op: len(op.positions), default=None)


def _near(value: SSAValue) -> Iterator[Operation]:
    """The first operations, without regions, that a value is computed by."""
    pending, seen = [value], set[Operation]()
    while pending and len(seen) < MOST_OPERATIONS:
        op = pending.pop().owner
        if isinstance(op, Operation) and op not in seen and not op.regions:
            seen.add(op)
            yield op
            pending.extend(op.operands)


def _places(op: Operation, array: SSAValue) -> Iterator[Operation]:
    """The loops around an operation that do not define an array, outermost first."""
    loops = (each for each in around(op) if isinstance(each, phi.ArrayOp | phi.FoldOp))
    return (each for each in reversed(list(loops)) if not is_within(array, each))


def _unclipped(position: SSAValue, place: Operation) -> SSAValue:
    """A position without bounds that depend on no variable of a loop."""
    return unclipped(position, lambda value: not _is_fixed(value, place))


def _is_fixed(value: SSAValue, place: Operation) -> bool:
    """Whether a value depends on no variable of a loop."""
    if not is_within(value, place):
        return True
    found = reached([value], lambda x: sources(x) if is_within(x, place) else ())
    return not any(
        isinstance(x.owner, Block) or x.owner.regions for x in found if is_within(x, place)
    )


def _is_fixed_form(form: LinearForm, place: Operation) -> bool:
    return all(_is_fixed(atom, place) for atom in form.coefficients)


def _is_mixed(form: LinearForm, place: Operation) -> bool:
    """Whether a position mixes a counter and another variable: windows of several steps overlap."""
    variables = [atom for atom in form.coefficients if is_within(atom, place) and is_variable(atom)]
    return len(variables) > 1 and not all(isinstance(each.type, IndexType) for each in variables)


def _is_dense(extent: Extent | None, place: Operation) -> bool:
    """Whether positions mix a counter and an index, and most of them are read."""
    return extent is not None and _is_mixed(extent.form, place) and _has_small_factors(extent)


def _has_small_factors(extent: Extent) -> bool:
    return all(abs(factor) <= MOST_SPREAD for factor in extent.form.coefficients.values())
