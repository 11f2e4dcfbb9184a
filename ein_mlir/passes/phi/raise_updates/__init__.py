"""``raise-updates``: comprehensions that replace some elements of an array become updates of it."""

from __future__ import annotations

from xdsl.dialects import arith, func

from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.scopes import innermost_first
from ein_mlir.dialects import phi, sigma
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_updates.choices import choice_of, lift_choices, updated_if
from ein_mlir.passes.phi.raise_updates.construction import (
    comprehension_of,
    of_fields,
    rows_of,
    updated,
)
from ein_mlir.passes.phi.raise_updates.recognition import (
    Recogniser,
    Slice,
    is_in_step,
    updated_row,
)
from ein_mlir.passes.phi.raise_updates.slices import Parts, Slices, Windows
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.replacement import replace


@dataclass(frozen=True)
class RaiseUpdatesPass(FunctionPass):
    """Turns comprehensions that replace one element of an array into updates of the array.

    Before::

        %b = phi.array (%i < %n) -> !phi.vec<f64> { select (%i == %p), %x, %a[%i] }

    After::

        %b = phi.update %a[%p], %x : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

    where ``%n`` is provably the size of ``%a``; otherwise, or if other elements are computed, a
    comprehension of those is updated. If not all indices are compared, rows or columns are updated.
    The position may be any Int that varies with none of the indices, or depend on the indices
    before it if the value is costly: ``where(j - i == d, x[j], a[i, j])`` updates one element of
    each row. Further conditions may depend on the indices: if they vary along a row, they select
    between its new and old elements. ``where((i == p) | (i == q), x, a[i])`` updates two elements,
    each once, as ``where((i == p) & (j == q) | (i == q) & (j == p), x, m[i, j])`` does. Of nested
    selections the outermost is the last update; a choice that is the same at all indices has the
    updates of its branch. Optional terms are such selections:
    ``a[i] + where(i == p, x, 0) - where(i == q, y, 0)`` updates two elements, and so do terms that
    are all of the elements but for zeros.

    Rows that are updated and then read element by element are rows of the result:
    ``array(i, j: update(a[i], p, x)[j])`` is ``array(i: update(a[i], p, x))``.

    A choice between two arrays that are updates of one is one array with both updates: each has an
    effect if its branch is taken.

    With ``derivatives`` it is for updates of arrays that exist, in functions with derivatives,
    before these are expanded: they save no arrays that loops write once.

    With ``slices``, it is for comprehensions that replace every p-th element instead:
    ``where((i % p == 0) & (i >= t), x, a[i])`` updates a slice by p from the first multiple of p
    that is no less than t, where ``p`` is provably at least 1. The remainder of ``i + c`` may be
    any Int below ``%p`` that varies with no index. The choice stays if both values need the same
    loop. Conditions that vary with no index let the slice be empty, or an accumulator be written in
    a fold of one step or none. ``%old & ~%e`` of Bools is the selection of a literal. Several
    indices may have slices, and several slices of an array may be written. Elements that are not
    written cost nothing, in a loop whose array is updated in place.

    With ``diagonals`` as well, ``where((i + j) % 2 == r, x, a[i, j])`` updates a slice of the rows
    with each remainder, as for the fields of one colour of a board, and a choice by a remainder
    alone, ``where(i % 2 == 0, x, where(c, y, a[i]))``, updates slices on both sides. In machine
    code the elements that are not written cost less than strided ones.

    With ``parts``, it is for steps of loops that write the elements of an accumulator in a range,
    ``acc[i] + where((i >= p) & (i < q), x, 0)``, or only where a condition holds: a slice by 1 is
    updated, or all in a fold of one step or none. A range whose bounds are provably in order is
    left to ``split-index-ranges``, and so is one whose new elements depend on old ones elsewhere.
    Passes that look for the writes of a loop come before. A step whose bounds are sums with Ints of
    the step, which may wrap, is one for ordinary Ints, or one with the condition for others.
    Elements at single positions are computed apart, too, if choices are inside of an element:
    ``2 * where(i == p, x, a[i])`` is ``where(i == p, 2 * x, 2 * a[i])``, and
    ``m[where(i == p, q, i), j]`` is ``where(i == p, m[q, j], m[i, j])``.

    With ``windows``, it is for steps that write elements of an accumulator between two bounds, of
    which the distance is a size before the loop, ``acc[i] + where((i >= t - m) & (i < t), x, 0)``:
    m elements, all inside of the array, are chosen anew. Where sizes are the same in each step.
    """

    name = "raise-updates"
    looks_for = (arith.SelectOp, arith.AndIOp, arith.OrIOp, phi.UpdateOp)

    derivatives: bool = False
    slices: bool = False
    diagonals: bool = False
    parts: bool = False
    windows: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if self.windows:
            if any(map(is_in_step, innermost_first(function, phi.ArrayOp))):
                self._update(function, Windows(function, analyses), analyses)
            return
        if self.parts:
            parts = Parts(function, analyses)
            for op in innermost_first(function, phi.ArrayOp):
                parts.separate(op)
            self._update(function, parts, analyses)
            self._lift(function, Recogniser(function, analyses), analyses)
            return
        if self.slices:
            if sigma.FloorModOp in analyses.get(classes_of, function):
                self._update(
                    function, Slices(function, analyses, diagonals=self.diagonals), analyses
                )
            return
        recogniser = Recogniser(function, analyses)
        for op in innermost_first(function, phi.ArrayOp):
            if (row := updated_row(op, recogniser)) is not None:
                replace(op, rows_of(op, row, recogniser.free), recogniser.free, recogniser.sizes)
        for op in innermost_first(function, phi.ArrayOp):
            element = op.yielded()
            for field in leaf_values(element):
                recogniser.choose_terms(op, field, fills=not self.derivatives)
            is_record = isinstance(element.owner, phi.TupleOp)
            if is_record and any(recogniser.updates(op, field) for field in leaf_values(element)):
                replace(op, of_fields(op, element, recogniser.free), recogniser.free)
        self._update(function, recogniser, analyses)
        for op in reversed(innermost_first(function, phi.ArrayOp)):
            choice = choice_of(op, recogniser)
            if choice is not None:
                replace(op, updated_if(op, choice), recogniser.free)

    def _lift(
        self, function: func.FuncOp, recogniser: Recogniser, analyses: AnalysisManager
    ) -> None:
        """Let elements at single positions be computed apart in the steps of loops."""
        for op in innermost_first(function, phi.ArrayOp):
            if lift_choices(op, recogniser):
                self._update_of(op, recogniser, analyses)

    def _update(
        self, function: func.FuncOp, recogniser: Recogniser, analyses: AnalysisManager
    ) -> None:
        for op in innermost_first(function, phi.ArrayOp):
            self._update_of(op, recogniser, analyses)

    def _update_of(
        self, op: phi.ArrayOp, recogniser: Recogniser, analyses: AnalysisManager
    ) -> None:
        updates = recogniser.updates(op, op.yielded())
        if updates is None or (self.derivatives and updates.array is None):
            return
        places = updates.steps[0].places
        if any(isinstance(place, Slice) for place in places.values()):
            analyses.note(op, f"a slice along {', '.join(map(name_of, places))} is written")
        elif not places:
            analyses.note(op, "an array is written in some steps")
        array = updates.array or comprehension_of(op, updates.element, recogniser.free)
        for number, update in enumerate(reversed(updates.steps)):
            array = updated(op, update, array, recogniser.forms, is_first=number == 0)
        replace(op, array, recogniser.free, recogniser.sizes)
