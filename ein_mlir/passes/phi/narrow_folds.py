"""``narrow-folds``: folds whose steps have an effect in a range of the counter run in it only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.bounds import Bound
from ein_mlir.analysis.phi.element_cost import short_count
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.selections import Test, reduction, step_of
from ein_mlir.analysis.phi.small_loops import is_on_numbers
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.predicates import CHOICES, conjoined
from ein_mlir.analysis.scopes import (
    ancestors,
    block_of,
    dependents,
    innermost_first,
    nested,
    operations_in,
    operations_of,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_product, is_quotient, is_sum
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.aligned_ranges import align, aligned, may_align, varying_with_reductions
from ein_mlir.rewriting.phi.longest_folds import with_longest_count
from ein_mlir.rewriting.phi.ranges import bounds_of_steps, exceptions_of_steps, narrow, one_side
from ein_mlir.rewriting.phi.replacement import Raising, insert_before, replace
from ein_mlir.rewriting.phi.sentinels import replace_by_selected
from ein_mlir.rewriting.phi.sliding_ranges import slide
from ein_mlir.rewriting.phi.sorted_windows import bound_by_sorted_keys


def _bounds(
    op: phi.FoldOp,
    forms: IndexForms,
    *,
    irregular: bool,
    raised: bool,
    initial: bool,
) -> Iterator[Bound]:
    """The bounds of the counter, one from each side, that are the same in all steps.

    They must vary with no index, nor with the step of a reduction that may be one with the fold, as
    the count does, unless it may be ``irregular`` or reductions have been ``raised``. A fold of a
    few steps stays regular: it is unrolled.
    """
    sides = set[bool]()
    if short_count(op) is not None:
        irregular = initial = False
    rows = _row_indices(op, forms) if irregular else frozenset[BlockArgument]()
    for bound in bounds_of_steps(op, forms, initial=initial):
        indices = bound.free(forms.free)
        is_possible = not indices or (irregular and indices.isdisjoint(rows))
        if is_possible and not irregular and not raised:
            is_possible = varying_with_reductions(op).isdisjoint(bound.parts)
        if is_possible and bound.suffix not in sides:
            sides.add(bound.suffix)
            yield bound


def _has_bounds(function: func.FuncOp, analyses: AnalysisManager) -> bool:
    """Whether there are conditions, or counts that may vary with a step of another loop."""
    if not analyses.get(classes_of, function).isdisjoint(CHOICES):
        return True
    folds = operations_of(function, phi.FoldOp)
    return any(block_of(op.count) is not function.body.block for op in folds)


def _row_indices(op: phi.FoldOp, forms: IndexForms) -> frozenset[BlockArgument]:
    """The indices along which steps read rows, ``b[k, j]``: with one count they vectorise."""
    variable, rows = dependents(op.body.block, op.counter), frozenset[BlockArgument]()
    for get in operations_in(op):
        if isinstance(get, phi.GetOp) and get.positions:
            *others, last = get.positions
            if last not in variable and not variable.isdisjoint(others):
                rows |= forms.free.of(last)
    return frozenset(index for index in rows if not _is_chosen(index, forms))


def _is_chosen(index: BlockArgument, forms: IndexForms) -> bool:
    """Whether an equation chooses the elements at an index: ``where(j == i + p, e, a[i, j])``."""
    array = index.block.parent_op()
    choice = array.yielded().owner if isinstance(array, phi.ArrayOp) else None
    tests = conjoined(choice.cond) if isinstance(choice, arith.SelectOp) else ()
    equations = map(forms.equation, tests)
    return any(form is not None and index in form.coefficients for form in equations)


def _is_row(op: phi.FoldOp) -> bool:
    """Whether a fold in the steps of another one has no loop in its own."""
    inner = (each for each in nested(op.body.block) if isinstance(each, phi.FoldOp | phi.WhileOp))
    return isinstance(op.parent_op(), phi.FoldOp) and not any(inner)


def _exception(op: phi.FoldOp, forms: IndexForms) -> tuple[Test, LinearForm] | None:
    """A test that fails in one step, which is the same for all elements.

    None in a reduction, which may be one operation if its steps have the same sizes; and none
    unless the fold is a sum of products: two take as long as one, where a mask would need all
    products. What others combine is computed by calls: one for all steps, not one for each side.
    """
    if not _sums_products(op):
        return None
    loops = ancestors(op, phi.FoldOp)
    if any(reduction(loop) for loop in loops):
        return None
    return next(
        (
            (test, position)
            for test, position in exceptions_of_steps(op, forms)
            if not any(map(forms.free.of, position.coefficients))
        ),
        None,
    )


def _sums_products(op: phi.FoldOp) -> bool:
    """Whether a fold adds up products or quotients, where the conditions of its steps hold."""
    step = step_of(op)
    value = step.value if step is not None and is_sum(step.combine.name) else None
    return (
        isinstance(value, SSAValue)
        and isinstance(value.owner, Operation)
        and (is_product(value.owner.name) or is_quotient(value.owner.name))
    )


def split(op: phi.FoldOp, test: Test, position: LinearForm, free: FreeIndices) -> list[phi.FoldOp]:
    """``fold { where(k != p, e, acc) }  -->  fold { where(k < p, ..) }, fold { where(k > p, ..) }``

    The second fold goes on with the result of the first. Innermost first, like all folds.
    """
    parts, init = list[phi.FoldOp](), op.init
    for is_before in (True, False):
        part = one_side(op, test, position, init, is_before=is_before)
        Rewriter.insert_op(part, InsertPoint.before(op))
        free.add(part)
        parts, init = [part, *parts], part.result
    free.replace(op.result, init)
    Rewriter.replace_op(op, (), (init,))
    return parts


def _parts(function: func.FuncOp, forms: IndexForms, irregular: bool) -> Iterator[phi.FoldOp]:
    """The folds of a function, innermost first, and those before and after an exception."""
    for op in innermost_first(function, phi.FoldOp):
        found = None if irregular else _exception(op, forms)
        if found is None:
            yield op
        else:
            yield from split(op, *found, forms.free)


def _with_longest(op: phi.FoldOp, forms: IndexForms) -> phi.FoldOp:
    """``sum (i < n) { sum (k < i) { e } }  -->  sum (i, k < n) { where(k < i, e, 0) }``

    Where both may be one operation. The new fold, or the old one where nothing is changed.
    """
    if reduction(op) is None or op.count not in varying_with_reductions(op) or body_may_fail(op):
        return op
    longer = with_longest_count(op, forms)
    if longer is None:
        return op
    insert_before(op, [longer])
    replace(op, longer.result, forms.free)
    return longer


@dataclass(frozen=True)
class NarrowFoldsPass(FunctionPass):
    """Runs the steps of a fold only where a comparison of the counter gives them an effect.

    Before::

        %r = phi.fold (%k < %n, %acc = %zero) -> f64 { %acc + select (%k < %i), %a[%k], 0 }

    After, where %count is ``min(max(i, 0), n)``::

        %r = phi.fold (%k < %count, %acc = %zero) -> f64 { %acc + %a[%k] }

    The accumulator may be of any type: a step has no effect if each field, and each element of an
    array, is that of the step before.

    The bound may be the counter of a loop around the fold, an argument or any other Int that varies
    with no index: arrays stay rectangular. With the option ``irregular`` it may be any Int, for
    backends whose loops need no rectangles, except one that varies along the rows that steps read,
    or of a fold that is unrolled; and a step has no effect, either, that stores the number which an
    element is before the loop, where no other step writes: the cells of a table outside of a
    triangle or a band, whose border may have other numbers. Nor has one that combines a value again
    by ``max``, or another idempotent operation: where ``i < n`` is known,
    ``max (k < n) { where((k < i) & t, e, c) }`` is ``max(max (k < i) { where(t, e, -inf) }, c)``.
    With ``bands`` a step may store the number of the initial array outside of a band, in the step
    of another fold. With ``aligned``, a fold with bounds on both sides that vary with one index
    runs for the longest of these ranges: step d is that of ``k = p + d``, if this is below q. If
    one bound is the same for all, the longest range may be all of the axis. Ranges as long as an
    axis, of offsets that are cut at the ends of an array, stay conditions. No bound varies with a
    step of a reduction around a reduction: both may be one operation, as in
    ``sum (i, j) { where(i < j, abs(a[i] - a[j]), 0) }``, or operations on blocks of steps. Nor does
    that of another fold in a reduction, which may run for all elements at once. With the option
    ``raised`` those that may be have become operations, and the others are loops. With ``aligned``,
    a count that varies so becomes a condition: ``sum (i < n) { sum (k < i) { e } }`` is
    ``sum (i, k < n) { where(k < i, e, 0) }``. With ``numbers``, a fold of few steps stays in a loop
    that computes numbers and replaces single elements of arrays, where it is unrolled:
    ``x[i] = b[i] - sum (d < 3) { where(d < i, ..) }``. There may be one bound on each side. Other
    conditions remain. With the option ``sorted``, a comparison with elements of a vector,
    ``where((x[k] > p) & (k <= i), e, 0)``, bounds the steps if the vector ascends, which is tested
    at run time: another fold takes all steps if it does not (see
    ``ein_mlir.rewriting.phi.sorted_windows``). In a loop that is no reduction, a sum of products
    with a condition ``k != p`` is two: of the steps before p, and of those after it.

    With ``sliding`` nothing else is done than this: ranges ``0 <= i - s*k < l`` of a length that is
    the same for all elements take ``ceil(l / s)`` steps, the first of which varies with the index
    i. They stay as long as a range where that is not less than the count: another comprehension has
    the elements then. This is early in a pipeline, since ``i // s`` and ``i mod s`` become indices.
    """

    irregular: bool = False
    raised: bool = False
    """Whether reductions that may be operations have become operations."""

    uniform: bool = True
    """Whether folds are narrowed to ranges that are the same for all elements."""

    aligned: bool = False
    """Whether ranges that differ by element take their steps together, for the longest range."""

    sorted: bool = False
    """Whether elements that a step compares bound it, if they ascend, as is tested at run time."""

    bands: bool = False
    """Whether rows of tables run in a band, outside of which they have the initial number."""

    numbers: bool = False
    """Whether folds of few steps stay, if they are unrolled in a loop that computes numbers."""

    sliding: bool = False
    """Only run folds for ranges of one length, which slide along an index."""

    name = "narrow-folds"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if not _has_bounds(function, analyses):
            return
        forms = analyses.get(index_forms, function)
        if self.sliding:
            for op in slide(function, forms):
                analyses.note(op, f"the fold over {name_of(op.counter)} runs in a sliding range")
            return
        for op in _parts(function, forms, self.irregular or not self.uniform):
            other = self._bound_by_keys(op, forms) if self.sorted else None
            if other is not None:
                analyses.note(op, f"the fold over {name_of(op.counter)} runs between sorted keys")
                self._narrow(other, forms, analyses)
            if self.aligned:
                op = _with_longest(op, forms)
            if not self._narrow(op, forms, analyses) and self.irregular:
                narrow_ = partial(self._narrow, forms=forms, analyses=analyses)
                replace_by_selected(op, Raising(narrow_, forms, forms.free), counted=False)

    def _found(self, op: phi.FoldOp, forms: IndexForms) -> list[Bound]:
        """The bounds, those of steps that store the number of the initial array included."""

        def bounds(*, initial: bool) -> list[Bound]:
            found = _bounds(
                op, forms, irregular=self.irregular, raised=self.raised, initial=initial
            )
            return list(found)

        if self.numbers and is_on_numbers(op, forms.free):
            return []
        found = bounds(initial=self.irregular)
        if self.bands and len(found) < 2 and _is_row(op):
            band = bounds(initial=True)
            return band if len(band) == 2 else found
        return found

    def _bound_by_keys(self, op: phi.FoldOp, forms: IndexForms) -> phi.FoldOp | None:
        def may_vary(parts: Sequence[SSAValue]) -> bool:
            indices = frozenset(index for part in parts for index in forms.free.of(part))
            if self.irregular:
                return short_count(op) is None and indices.isdisjoint(_row_indices(op, forms))
            return may_align(op, indices, parts, forms.free)

        return bound_by_sorted_keys(op, forms, may_vary, at_once=not self.irregular)

    def _narrow(self, op: phi.FoldOp, forms: IndexForms, analyses: AnalysisManager) -> bool:
        """Run a fold in a range of its counter; whether it does."""
        counter = name_of(op.counter)
        bounds = self._found(op, forms) if self.uniform else []
        if bounds:
            analyses.note(op, f"the fold over {counter} runs in a range of it only")
            narrow(op, bounds, forms)
            if any(bound.free(forms.free) for bound in bounds):
                op.irregular = UnitAttr()
        if self.aligned and (longest := aligned(op, forms)):
            analyses.note(op, f"the fold over {counter} runs for its longest range")
            align(op, longest, forms)
            return True
        return bool(bounds)
