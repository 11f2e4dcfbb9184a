"""``pad-windows``: guarded reads of windows become reads of an array with the padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import FloatAttr, IndexType, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.traits import ConstantLike

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES, LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.strided_positions import is_variable
from ein_mlir.analysis.scopes import around, innermost_first, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_product
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import comprehension, integer, linear_value
from ein_mlir.rewriting.phi.replacement import replace

MOST_STEP = 2**16
"""The largest factor of an index or a counter in a position: no sum of multiples wraps."""


@dataclass(frozen=True)
class Extent:
    """A position, and its least and largest value in all steps."""

    form: LinearForm
    low: LinearForm
    high: LinearForm


@dataclass(frozen=True)
class Window:
    """``where(c, x[p, ..], 0)`` where the condition depends on the positions only."""

    select: arith.SelectOp
    get: phi.GetOp
    place: Operation
    """The outermost loop that does not define the array."""
    extents: Sequence[Extent | None]
    """For each axis the read positions, if the condition depends on its position."""


# Recognition ----------------------------------------------------------------------------------


class _Recogniser:
    """Finds the windows in a function."""

    def __init__(self, forms: IndexForms):
        self._forms = forms

    def window(self, select: arith.SelectOp) -> Window | None:
        """A selection as a window, if it is one and a factor of a product."""
        get = select.lhs.owner
        if not _is_zero(select.rhs) or not isinstance(get, phi.GetOp):
            return None
        if not any(is_product(use.operation.name) for use in select.result.uses):
            return None
        place = _place(select, get.array)
        if place is None:
            return None
        tested = self._tested(select, get, place)
        if tested is None:
            return None
        extents = [
            self._extent(position, place) if number in tested else None
            for number, position in enumerate(get.positions)
        ]
        if any(extents[number] is None for number in tested):
            return None
        return Window(select, get, place, extents)

    def _tested(self, select: arith.SelectOp, get: phi.GetOp, place: Operation) -> set[int] | None:
        """The axes whose positions the selection depends on; None if on another value of a loop.

        There must be an axis along which the windows of several elements overlap.
        """
        numbers = self._forms_of_positions(get, place)
        found, pending = set[int](), [select.cond]
        while pending:
            value = pending.pop()
            if not is_within(value, place):
                continue
            number = numbers.get(self._forms.form(value)) if value.type == i64 else None
            if number is not None:
                found.add(number)
            elif isinstance(value.owner, Operation) and not value.owner.regions:
                pending.extend(value.owner.operands)
            else:
                return None
        mixed = {number for form, number in numbers.items() if _is_mixed(form, place)}
        return found if not found.isdisjoint(mixed) else None

    def _forms_of_positions(self, get: phi.GetOp, place: Operation) -> dict[LinearForm, int]:
        """The axes by the forms of their positions."""
        positions = (_unclipped(position, place) for position in get.positions)
        return {self._forms.form(position): number for number, position in enumerate(positions)}

    def _extent(self, position: SSAValue, place: Operation) -> Extent | None:
        """The least and the largest value of a position in all steps."""
        form = self._forms.exact_form(_unclipped(position, place))
        if form is None:
            return None
        low = high = form
        for atom, factor in form.coefficients.items():
            if abs(factor) > MOST_STEP:
                return None
            if not is_within(atom, place):
                if self._forms.range(atom) not in SUMS_OF_SIZES:
                    return None
                continue
            if not is_variable(atom) or is_within(size := _size(atom), place) or not is_size(size):
                return None
            last = (self._forms.integer(size) - 1) * factor
            low = low.without([atom]) + (last if factor < 0 else LinearForm())
            high = high.without([atom]) + (last if factor > 0 else LinearForm())
        return Extent(form, low, high)


def _is_zero(value: SSAValue) -> bool:
    number = ConstantLike.get_constant_value(value)
    return isa(number, FloatAttr) and number.value.data == 0


def _place(op: Operation, array: SSAValue) -> Operation | None:
    """The outermost loop around an operation that does not define an array."""
    loops = (each for each in around(op) if isinstance(each, phi.ArrayOp | phi.FoldOp))
    return next((each for each in reversed(list(loops)) if not is_within(array, each)), None)


def _unclipped(position: SSAValue, place: Operation) -> SSAValue:
    """``p`` of ``max(min(p, n - 1), 0)``, where the bounds are fixed."""
    while isinstance(position.owner, arith.MaxSIOp | arith.MinSIOp):
        varying = [side for side in position.owner.operands if is_within(side, place)]
        if len(varying) != 1:
            break
        position = varying[0]
    return position


def _is_mixed(form: LinearForm, place: Operation) -> bool:
    """Whether a position mixes a counter and an index: windows of several elements overlap."""
    variables = [atom for atom in form.coefficients if is_within(atom, place) and is_variable(atom)]
    is_index = [isinstance(variable.type, IndexType) for variable in variables]
    return any(is_index) and not all(is_index)


def _size(variable: BlockArgument) -> SSAValue:
    op = variable.block.parent_op()
    return op.count if isinstance(op, phi.FoldOp) else phi.size_of_index(variable)


# Rewriting ------------------------------------------------------------------------------------


def _pad(window: Window, forms: IndexForms) -> phi.GetOp:
    """``where(c(p), x[p], 0)  -->  y[p - low]`` with ``y = array (j) { where(c(j + low), ..) }``"""
    before, build = (Builder(InsertPoint.before(op)) for op in (window.place, window.select))
    sizes = [_elements(before, window, axis) for axis in range(len(window.extents))]
    padded = comprehension(
        before, sizes, lambda inner, own: _Copy(inner, window, forms, own).result()
    )
    positions = list[SSAValue]()
    for position, extent in zip(window.get.positions, window.extents, strict=True):
        if extent is not None:
            position = linear_value(build, extent.form - extent.low)
        positions.append(position)
    return build.insert(phi.GetOp(padded, positions))


def _elements(build: Builder, window: Window, axis: int) -> SSAValue:
    """The number of positions along an axis."""
    extent = window.extents[axis]
    if extent is None:
        return build.insert(phi.SizeOp(window.get.array, axis)).result
    count = linear_value(build, extent.high - extent.low + 1)
    return build.insert(arith.MaxSIOp(count, integer(build, 0))).result


class _Copy:
    """A copy of a guarded read at the indices of the padded array."""

    def __init__(
        self, build: Builder, window: Window, forms: IndexForms, indices: Sequence[SSAValue]
    ):
        self._build, self._window, self._forms = build, window, forms
        self._indices = indices
        self._copies = dict[SSAValue, SSAValue]()
        self._places = dict[LinearForm, SSAValue]()
        for index, extent in zip(indices, window.extents, strict=True):
            if extent is not None:
                place = LinearForm.of(index) + extent.low
                self._places[extent.form] = linear_value(build, place)

    def result(self) -> SSAValue:
        get, select = self._window.get, self._window.select
        positions = [
            index if extent is None else self._value(position)
            for index, extent, position in zip(
                self._indices, self._window.extents, get.positions, strict=True
            )
        ]
        read = self._build.insert(phi.GetOp(get.array, positions)).result
        condition, zero = self._value(select.cond), self._value(select.rhs)
        return self._build.insert(arith.SelectOp(condition, read, zero)).result

    def _value(self, value: SSAValue) -> SSAValue:
        """A value in terms of the positions."""
        if not is_within(value, self._window.place):
            return value
        if value not in self._copies:
            self._copies[value] = self._copied(value)
        return self._copies[value]

    def _copied(self, value: SSAValue) -> SSAValue:
        place = self._places.get(self._forms.form(value)) if value.type == i64 else None
        if place is not None:
            return place
        op = value.owner
        assert isinstance(op, Operation)
        known = {operand: self._value(operand) for operand in op.operands}
        return self._build.insert(op.clone(known)).results[0]


def pad_windows(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Pad the windows of a function."""
    forms, free = analyses.get(index_forms, function), analyses.get(free_indices, function)
    recogniser = _Recogniser(forms)
    for select in innermost_first(function, arith.SelectOp):
        window = recogniser.window(select)
        if window is not None:
            analyses.note(select, f"windows of {name_of(window.get.array)} are padded")
            read = _pad(window, forms)
            assert isinstance(read.array.owner, Operation)
            free.add(read.array.owner)
            replace(select, read.result, free)


class PadWindowsPass(FunctionPass):
    """Computes a guarded read of windows once for each position, as a padded array.

    Before (a convolution with the step 2, of an image with a border of zeros)::

        %r = phi.array (%i < %m) -> !phi.vec<f64> {
          %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
            %p = ..                                       // 2*i + k - 1
            %c = arith.cmpi sge, %p, %none : i64
            %x = phi.get %a[%p] : !phi.vec<f64>[i64]
            %y = arith.select %c, %x, %zero : f64
            %w = phi.get %weights[%k] : !phi.vec<f64>[i64]
            %z = arith.mulf %w, %y : f64
            ..

    After, where ``%n`` is ``max(2*(m - 1) + (taps - 1) + 1, 0)``::

        %padded = phi.array (%j < %n) -> !phi.vec<f64> {
          %p = ..                                         // j - 1
          %c = arith.cmpi sge, %p, %none : i64
          %x = phi.get %a[%p] : !phi.vec<f64>[i64]
          %y = arith.select %c, %x, %zero : f64
          phi.yield %y : f64
        }
        %r = phi.array (%i < %m) -> !phi.vec<f64> {
          %s = phi.fold (%k < %taps, %acc = %zero) -> f64 {
            %q = ..                                       // 2*i + k
            %y = phi.get %padded[%q] : !phi.vec<f64>[i64]
            ..

    The condition may be any function of the positions. All reads of the padded array are in
    bounds, so the sum is a contraction of slices, or a convolution. The value is 0 where the
    condition fails, and a factor; some position mixes an index and a counter, and is linear in
    both. The array is computed before the outermost loop that does not define the array that is
    read, and no position of it may wrap.
    """

    name = "pad-windows"
    looks_for = (arith.SelectOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        pad_windows(function, analyses)
