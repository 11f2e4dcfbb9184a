"""``pad-windows``: reads of windows, with guards or around the ends, read a padded array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.phi.strided_positions import is_variable, size_of_variable
from ein_mlir.analysis.scopes import innermost_first, is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.pad_windows.products import distribute_masks
from ein_mlir.passes.phi.pad_windows.windows import (
    FAR,
    Extent,
    Recogniser,
    Window,
    comparison,
    is_int,
    related,
)
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import replace

LIMIT = 4 * FAR
"""Terms of a position that are larger are as good as this number: in both cases it is not read."""

# Rewriting ------------------------------------------------------------------------------------


def _pad(window: Window, forms: IndexForms) -> SSAValue:
    """``where(c(p) & d, e(p), 0)  -->  where(d, y[p - low], 0)``

    with ``y = array (j) { where(c(j + low), e(j + low), 0) }``
    """
    before, build = (Builder.before(op) for op in (window.place, window.root))
    fixed = _fixed(before, window.place)
    sizes = [_elements(before, window, axis, fixed) for axis in range(len(window.extents))]
    padded = before.comprehension(
        sizes,
        lambda inner, own: _Copy(inner, window, forms, fixed, own).result(),
        [_index_of(window, axis) for axis in range(len(sizes))],
    )
    positions = list[SSAValue]()
    for position, extent in zip(window.get.positions, window.extents, strict=True):
        if extent is not None:
            position = build.linear_value(extent.form - extent.low)
        positions.append(position)
    read = build.get(padded, positions)
    return read if isinstance(window.root, phi.GetOp) else _selected(build, window, read)


def _index_of(window: Window, axis: int) -> SSAValue:
    """The index of a position, which gives its name to that of the padded array."""
    position, extent = window.get.positions[axis], window.extents[axis]
    if extent is None:
        return position
    return next(filter(phi.is_comprehension_index, extent.form.coefficients), position)


def _selected(build: Builder, window: Window, read: SSAValue) -> SSAValue:
    """The choice by the conditions that do not depend on positions."""
    assert isinstance(window.root, arith.SelectOp)
    return build.chosen(window.others, read, window.root.rhs)


_Fixed: TypeAlias = Callable[[SSAValue], SSAValue]
"""Copies of the values of a loop that depend on no variable of it, before it."""


def _fixed(build: Builder, place: Operation) -> _Fixed:
    known = dict[SSAValue, SSAValue]()
    return lambda value: build.recomputed(value, known, lambda each: is_within(each, place))


def _elements(build: Builder, window: Window, axis: int, fixed: _Fixed) -> SSAValue:
    """The number of positions along an axis."""
    extent = window.extents[axis]
    if extent is None:
        return build.size(window.get.array, axis)
    count = build.linear_value(extent.high - extent.low + 1, _steps(build, extent, fixed))
    return build.max(count, 0)


def _steps(build: Builder, extent: Extent, fixed: _Fixed) -> Callable[[SSAValue], SSAValue]:
    """The fixed values, and counts of which others are errors of their folds."""

    def value_of(atom: SSAValue) -> SSAValue:
        value = fixed(atom)
        return build.count_or_none(value) if atom in extent.counts else value

    return value_of


def _first(build: Builder, extent: Extent, fixed: _Fixed) -> SSAValue:
    """The least value of a position; terms with which sums wrap are limited to ``LIMIT``."""
    steps = _steps(build, extent, fixed)
    if not extent.wide.coefficients:
        return build.linear_value(extent.low, steps)
    wide = build.linear_value(extent.wide, fixed)
    most, least = (build.integer(bound) for bound in (LIMIT, -LIMIT))
    wide = build.min(wide, most)
    wide = build.max(wide, least)
    rest = build.linear_value(extent.low - extent.wide, steps)
    return build.add(wide, rest)


class _Copy:
    """A copy of a guarded read at the indices of the padded array."""

    def __init__(
        self,
        build: Builder,
        window: Window,
        forms: IndexForms,
        fixed: _Fixed,
        indices: Sequence[SSAValue],
    ):
        self._build, self._window, self._forms = build, window, forms
        self._fixed, self._indices = fixed, indices
        self._copies = dict[SSAValue, SSAValue]()
        self._places = dict[LinearForm, SSAValue]()
        for index, extent in zip(indices, window.extents, strict=True):
            if extent is not None:
                self._places[extent.form] = self._position(index, extent)
        self._copies[window.get.result] = self._read()

    def _position(self, index: SSAValue, extent: Extent) -> SSAValue:
        if not extent.wide.coefficients and not extent.counts:
            return self._build.linear_value(LinearForm.of(index) + extent.low, self._fixed)
        number = self._build.linear_value(LinearForm.of(index))
        first = _first(self._build, extent, self._fixed)
        return self._build.add(number, first)

    def _read(self) -> SSAValue:
        get = self._window.get
        positions = [
            index if extent is None else self._value(position)
            for index, extent, position in zip(
                self._indices, self._window.extents, get.positions, strict=True
            )
        ]
        return self._build.get(get.array, positions)

    def result(self) -> SSAValue:
        """The element: a read, or a selection by the conditions on positions."""
        root = self._window.root
        if isinstance(root, phi.GetOp):
            return self._copies[root.result]
        tests = self._window.tests if self._window.others else [Test(root.cond, True)]
        copies = [Test(self._value(test.condition), test.expected) for test in tests]
        return self._build.chosen(copies, self._value(root.lhs), self._value(root.rhs))

    def _value(self, value: SSAValue) -> SSAValue:
        """A value in terms of the positions."""
        if not is_within(value, self._window.place):
            return value
        if value not in self._copies:
            self._copies[value] = self._copied(value)
        return self._copies[value]

    def _copied(self, value: SSAValue) -> SSAValue:
        if is_int(value):
            place = self._place(self._forms.form(value))
            if place is not None:
                return place
        op = value.owner
        assert isinstance(op, Operation)
        compared = comparison(self._forms, value, self._places, self._window.place)
        if compared is None:
            operands = [self._value(operand) for operand in op.operands]
        else:
            bound = self._build.linear_value(compared.bound, self._fixed)
            operands = [self._places[compared.position], bound]
            operands = operands if compared.is_left else operands[::-1]
        known = dict(zip(op.operands, operands, strict=True))
        return self._build.copy(op, known).results[0]

    def _place(self, form: LinearForm) -> SSAValue | None:
        """A position, or a value that differs from one by its sign and by fixed values."""
        for position, place in self._places.items():
            found = related(form, position, self._window.place)
            if found is not None:
                factor, rest = found
                moved = LinearForm.of(place) * factor + rest
                return self._build.linear_value(moved, self._fixed)
        return None


def _is_long(window: Window, least: int) -> bool:
    """Whether some counter of a window may have at least so many steps."""
    atoms = {atom for extent in window.extents if extent for atom in extent.form.coefficients}
    counters = {atom for atom in atoms if is_variable(atom) and atom.type == i64}
    counts = [known_int(size_of_variable(counter)) for counter in counters]
    return not least or any(count is None or count >= least for count in counts)


@dataclass(frozen=True)
class PadWindowsPass(FunctionPass):
    """Computes a guarded read of windows once for each position, as a padded array.

    Before (a convolution with the step 2, of an image with a border of zeros), where %p is
    ``2*i + k - 1``::

        %r = phi.array (%i < %m) -> !phi.vec<f64> {
          phi.fold (%k < %taps, %acc = %zero) -> f64 {
            %acc + %weights[%k] * select (%p >= 0), %a[%p], 0
          }
        }

    After, where ``%n`` is ``max(2*(m - 1) + (taps - 1) + 1, 0)``::

        %padded = phi.array (%j < %n) -> !phi.vec<f64> { select (%j - 1 >= 0), %a[%j - 1], 0 }
        %r = phi.array (%i < %m) -> !phi.vec<f64> {
          phi.fold (%k < %taps, %acc = %zero) -> f64 { %acc + %weights[%k] * %padded[2*%i + %k] }
        }

    The condition may be any function of the positions, and so may the value, such as ``a[p] == 2``:
    it is computed once for each position. Where the condition fails there is a literal. Conditions
    on other values stay. All reads of the padded array are in bounds, so a sum is a contraction of
    slices, or a convolution. A read at a function of positions, ``a[(i + k) % n]``, clipped or
    reflected ones, is the same without a condition. With a condition,
    ``where((i - k) % 2 == 0, a[(i - k) // 2], 0)``, the padded array has an element for each
    ``i - k``: a transposed convolution is one of elements with zeros in between.

    With the option ``products``, the sum of ``where(c, u * a[p], 0)`` is that of
    ``u * where(c, a[p], 0)`` if all u are finite, which is tested at run time. Nested
    sums are tested as a whole. With ``masks``, it is that of ``where(c, u * where(c, a[p], 0), 0)``
    without a test: windows are slices, but the sum has a mask.

    Some position mixes a counter with an index or another counter, and is linear in both. The array
    is computed before the outermost loop that defines neither the array that is read nor sizes of
    loops in it. No position may wrap where the condition holds; one that a function is applied to
    may.
    """

    name = "pad-windows"
    looks_for = (phi.FoldOp,)

    products: bool = False
    """Whether a mask of a product is that of a window among its factors, if the others are finite.
    The sum of products is in the program twice then."""

    masks: bool = False
    """Whether a window among the factors has the mask too, for libraries that trace programs."""

    whole: bool = False
    """Whether arrays whose elements sum products are in the program twice, instead of their sums,
    for backends that compute one element after another."""

    least: int = 0
    """The fewest steps of a counter of a window, if they are known: native code unrolls others."""

    cut: bool = False
    """Whether only windows are padded that tests cut at both ends of an axis, and that are not as
    long as it: before folds run in the ranges that the tests leave of them."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        rare = self._distribute_masks(function, analyses)
        forms, free = analyses.get(index_forms, function), analyses.get(free_indices, function)
        recogniser, is_changed = Recogniser(forms), False

        def pad(window: Window) -> None:
            nonlocal is_changed
            is_changed = True
            analyses.note(window.root, f"windows of {name_of(window.get.array)} are padded")
            padded = _pad(window, forms)
            assert isinstance(window.place.prev_op, Operation)
            free.add(window.place.prev_op)
            replace(window.root, padded, free)

        for select in innermost_first(function, arith.SelectOp):
            if self.cut and not isinstance(select.cond.owner, arith.AndIOp):
                continue  # tests of two ends
            window = recogniser.window(select)
            if window is None or (self.cut and not recogniser.is_cut(window)):
                continue
            if _is_long(window, self.least):
                pad(window)
        if is_changed:
            erase_unused(function.body.block)
        if self.cut:
            return
        for get in innermost_first(function, phi.GetOp):
            is_rare = any(loop.is_ancestor(get) for loop in rare)
            window = None if is_rare else recogniser.wrapped(get)
            if window is not None and _is_long(window, self.least):
                pad(window)

    def _distribute_masks(
        self, function: func.FuncOp, analyses: AnalysisManager
    ) -> Sequence[phi.ArrayOp | phi.FoldOp]:
        if not self.products and not self.masks:
            return ()
        return distribute_masks(function, analyses, are_tested=self.products, whole=self.whole)
