"""``raise-scans``: sums over the prefix or the suffix of each index become one running sum."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import takewhile

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.bounds import Bound, bound_of, exception_of
from ein_mlir.analysis.phi.derivatives import is_differentiated
from ein_mlir.analysis.phi.fold_components import fold_components
from ein_mlir.analysis.phi.loops.carried import Fields
from ein_mlir.analysis.phi.searches import SelectedSearch, selected_search
from ein_mlir.analysis.phi.selections import Step, Test, invariant_tests, step_of
from ein_mlir.analysis.phi.shifts import Shift, Shifts
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.speculation import any_may_fail, body_may_fail, may_fail
from ein_mlir.analysis.predicates import CHOICES
from ein_mlir.analysis.scopes import blocks_around, innermost_first, operations_in
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.algebra import algebra_of
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.dialects.reductions import SCAN_KINDS, kind_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.chosen_factors import scan_chosen
from ein_mlir.passes.phi.raise_scans.comparisons import comparisons
from ein_mlir.passes.phi.raise_scans.decays import is_product
from ein_mlir.passes.phi.raise_scans.equal_keys import (
    join_keys,
    total_at_index,
    total_of_equal_keys,
)
from ein_mlir.passes.phi.raise_scans.groups import total_of_group
from ein_mlir.passes.phi.raise_scans.mixed_terms import split_mixed_terms
from ein_mlir.passes.phi.raise_scans.nearest_steps import nearest_step
from ein_mlir.passes.phi.raise_scans.parts import (
    combine_parts,
    multiple,
    narrow,
    raise_at_all_steps,
    replace_by_longest,
    replace_by_number,
    split_alternatives,
    split_choices,
    split_intervals,
    take_out_factor,
)
from ein_mlir.passes.phi.raise_scans.powers import decays_of, multiply_in_any_order, recur
from ein_mlir.passes.phi.raise_scans.repeated_steps import leave_out_repeated
from ein_mlir.passes.phi.raise_scans.searching_loops import replace_by_search
from ein_mlir.passes.phi.raise_scans.selection import (
    Value,
    gap_of,
    is_stored_once,
    position_of,
    range_of_steps,
    reached,
    repeated_value,
    split,
    varying_tests,
    window_of,
)
from ein_mlir.passes.phi.raise_scans.shifted_steps import raise_shifted
from ein_mlir.passes.phi.raise_scans.sorted_steps import (
    Facts,
    Least,
    are_few,
    sort_steps,
)
from ein_mlir.rewriting.phi.fields import raise_fields
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.longest_folds import with_longest_count
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues, combined_ranges, selected
from ein_mlir.rewriting.phi.ranges import (
    checked_count,
    copies_of,
    expand_magnitudes,
    one_side,
    select_total,
)
from ein_mlir.rewriting.phi.replacement import Replacement, erase_all, insert_before
from ein_mlir.rewriting.phi.selected_searches import (
    Candidates,
    first_of_range,
    take_first,
    take_first_of_two,
    take_last,
)
from ein_mlir.rewriting.phi.sentinels import replace_by_selected, search_before
from ein_mlir.rewriting.phi.separate_terms import separate_terms
from ein_mlir.rewriting.phi.shifted_extremes import shift_extremes
from ein_mlir.rewriting.phi.step_values import (
    Known,
    StepValues,
    combine_once,
    combine_truths_once,
    with_start,
)


class ScanRaiser(FoldRaiser["RaiseScansPass"]):
    """Raises the folds of a function."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager, options: RaiseScansPass):
        super().__init__(function, analyses, options)
        self._function = function
        self._is_shifted = self._multiplies = False
        self._least = Least(
            options.least_limits, options.least_pairs, options.once or options.static
        )

    def fold(self, op: phi.FoldOp) -> None:
        """Replace a fold over a window, a range, or the prefixes or suffixes of an index."""
        may_replace = not self._options.derivatives or _is_differentiated(op)
        if may_replace and not self._around_product(op) and not self._replace_fold(op):
            raising, windows = self._raising(self._replace_fold), not self._options.once
            raise_at_all_steps(op, raising, windows=windows)

    def loop(self, op: phi.WhileOp) -> None:
        """Replace a loop that searches for a position by a fold, if that is replaced.

        With ``once``, by a scan only: loops that end early take less time than other searches.
        """
        if not self._options.derivatives:
            raise_ = self._only_scan if self._options.once else self._replace_fold
            replace_by_search(op, self._raising(raise_))

    def _only_scan(self, op: phi.FoldOp) -> bool:
        """Replace a fold by a scan, if its bound alone varies with the index."""
        step = step_of(op)
        if step is None or self._split(op, step) is None:
            return False
        return self._scan(op, step)

    def _replace_fold(self, op: phi.FoldOp) -> bool:
        """Replace a fold, or the fields of one that are independent of others; whether it did."""
        expand_magnitudes(op, self._forms)
        combines, parts = step_of(op) is not None, self._raising(self._raise)
        return (
            leave_out_repeated(op, self._raising(self._replace_fold))
            or separate_terms(op, parts)
            or shift_extremes(op, parts)
            or (self._combining(op) if combines else self._keeping(op))
        )

    def _combining(self, op: phi.FoldOp) -> bool:
        """Replace a fold whose steps combine the accumulator with values."""
        return (
            self._of_steps(op)
            or replace_by_longest(op, self._raising(self._raise))
            or replace_by_selected(op, self._raising(self._of_steps))
            or split_choices(op, self._raising(self._of_chosen))
        )

    def _keeping(self, op: phi.FoldOp) -> bool:
        """Replace a fold with other steps, as those of searches, and of several fields."""
        rules = (self._of_differences, self._fields, self._of_search, self._of_first)
        return any(rule(op) for rule in (*rules, self._shifted, self._before))

    def _of_differences(self, op: phi.FoldOp) -> bool:
        """Raise a fold of steps ``acc - e`` as the sum of the terms ``-e``."""
        if not isinstance(op.yielded().owner, arith.SubfOp | arith.SubiOp):
            return False
        fold = copy_of(op)
        if not combine_once(fold):
            fold.erase()
            return False
        return self._raising(self._combining).replace(op, fold)

    def _raise(self, op: phi.FoldOp) -> bool:
        """Narrow a fold to a window, or replace it by a scan, if its tests select the steps."""
        if (step := step_of(op)) is None:
            return False
        window = window_of(op, step, self._forms)
        if window is None or any_may_fail(op):
            return self._scan(op, step) or self._number(op, step) or self._shifted(op)
        self._note_fold(op, f"is over windows of {window.size}")
        narrow(op, window)
        self._forms.renew(op)
        if not self._has_infinite_derivatives(op):
            select_total(op, step, self._free)
        return True

    def _has_infinite_derivatives(self, op: phi.FoldOp) -> bool:
        """Whether derivatives of values of a fold may be infinite: these need their guards."""
        return self._differentiable and any(map(is_singular, operations_in(op)))

    def _of_steps(self, op: phi.FoldOp) -> bool:
        """Raise a fold, or those of the steps that one or the other test selects."""
        return self._raise(op) or split_alternatives(op, self._raising(self._of_steps))

    def _of_chosen(self, op: phi.FoldOp) -> bool:
        """Raise a fold, or those of the steps before and behind a bound."""
        return self._of_steps(op) or split_choices(op, self._raising(self._of_chosen))

    def _fields(self, op: phi.FoldOp) -> bool:
        """Replace independent fields of a fold by folds of their own, if these are replaced.

        Or the only one.
        """
        groups = fold_components(op)
        is_number_in_record = groups == [[0]] and isinstance(op.result.type, TupleType)
        if len(groups) < 2 and not is_number_in_record:
            return False
        return raise_fields(op, groups, self._replace_fold, self._free) is not None

    def _of_search(self, op: phi.FoldOp) -> bool:
        found = selected_search(op)
        if found is None or self._search(op, found):
            return found is not None
        parts = self._raising(self._raise)
        return take_first_of_two(op, found, parts) or take_last(
            op, found, parts, differentiable=self._differentiable
        )

    def _of_first(self, op: phi.FoldOp) -> bool:
        """Take out a field that the first step with conditions sets, and replace the others."""
        if body_may_fail(op) or self._has_infinite_derivatives(op):
            return False
        combine_truths_once(op)
        field = Fields(op, self._forms).first()
        if field is None:
            return False
        is_taken, rest = take_first(op, field, self._raising(self._replace_fold))
        if rest is not None:
            self._replace_fold(rest)
        return is_taken

    def _before(self, op: phi.FoldOp) -> bool:
        if self._has_infinite_derivatives(op):
            return False
        return search_before(op, self._raising(self._replace_fold))

    def _shifted(self, op: phi.FoldOp) -> bool:
        if self._is_shifted or body_may_fail(op):
            return False
        self._is_shifted = True  # the new fold is not shifted again
        is_raised = raise_shifted(op, self._raising(self._replace_fold))
        self._is_shifted = False
        return is_raised

    def _search(self, op: phi.FoldOp, found: SelectedSearch) -> bool:
        """``fold (k < n) { where(k < p, better of best and e, best) }  -->  found[p]``

        Whether the fold was replaced. The other values are those of the steps that are found.
        """
        values = [found.element]
        if body_may_fail(op) or self._has_infinite_derivatives(op):
            values += found.others
        bounds = split(op, found.tests, values, self._free, partial(self._bound, op))
        if bounds is None:
            return False
        bound, others = bounds
        parts = [*values, *(test.condition for test in others), *bound.parts]
        if not self._may_run_at_once(op, parts):
            return False
        self._note_fold(op, "is a search in all ranges")
        build = Replacement(op)
        position = self._position(build, op, bound)
        candidates = Candidates(op, found, others)
        result = first_of_range(build, candidates, position, suffix=bound.suffix)
        build.finish(result, self._free)
        return True

    def _scan(self, op: phi.FoldOp, step: Step, *, is_sorted: bool = False) -> bool:
        """``fold (k < n, a = x) { where(k < p, a + e, a) }  -->  x + scan (array { e }) [p]``

        Positions clip, so a bound out of bounds selects no elements, or all of them. A fold
        that takes its steps in order was one whose steps may run at once.
        """
        kind = kind_of(step.combine.name)
        if kind not in SCAN_KINDS:
            return False
        found = self._split(op, step)
        if found is None:
            return self._without_bound(op, step, kind, is_sorted=is_sorted)
        bound, others = found
        parts = [*step.parts(others), *bound.parts]
        if not is_sorted and not self._may_run_at_once(op, parts):
            if not self._may_run_at_once(op, parts, is_guarded=True):
                return False
            tests = reached(op, bound, self._forms)
            if tests is None:
                return False
            others.extend(tests)
        value = repeated_value(op, step)
        if not others and kind == "add" and value and is_nonnegative(op.count):
            self._count(op, step, bound, value)
            return True
        values = step.parts(others)
        is_stored = not self._options.once or is_sorted
        if not is_stored and not is_stored_once(op, bound.parts, values, self._forms):
            return False
        which = "suffixes" if bound.suffix else "prefixes"
        self._note_fold(op, f"is a scan of all {which}")
        build = Replacement(op)
        elements = self._elements(build, op, step, others)
        scanned = build.scan(kind, elements, suffixes=bound.suffix)
        scanned.name_hint = op.result.name_hint
        total = build.get(scanned, [self._position(build, op, bound)])
        self._replace(op, step, build, total)
        return True

    def _split(self, op: phi.FoldOp, step: Step) -> tuple[Bound, list[Test]] | None:
        """The bound of a prefix or a suffix of the steps, and the other tests."""
        tests = varying_tests(op, step.tests)
        return split(op, tests, step.parts(()), self._free, partial(self._bound, op))

    def _without_bound(self, op: phi.FoldOp, step: Step, kind: str, *, is_sorted: bool) -> bool:
        """Replace a fold whose tests select no prefix, in the way that takes the fewest steps.

        In derivatives, only scans have rules that take as long as they do.
        """
        if self._others(op, step, kind):
            return True
        may_loop = not (self._options.derivatives and self._options.static)
        if may_loop and self._recurrence(op, step):
            return True
        if not self._options.derivatives and (self._range(op, step) or self._sliding(op, step)):
            return True
        if is_sorted:
            return False
        if self._nearest(op, step) or self._sort(op, step, self._least):
            return True
        parts = self._raising(self._raise)
        return not self._options.derivatives and (
            self._around(op, step)
            or split_intervals(op, step, parts)
            or self._chosen(op, step)
            or self._fixed_factor(op, step)
            or self._mixed_terms(op, step)
        )

    def _mixed_terms(self, op: phi.FoldOp, step: Step) -> bool:
        """Replace a sum by those of the terms on each side of an order, as of ``abs(x - y[k])``.

        Where there are few limits or keys, it takes its steps.
        """
        least, self._least = self._least, Least()
        raising, static = self._raising(self._raise), self._options.static
        is_split = split_mixed_terms(op, step, raising, least, static=static)
        self._least = least
        if is_split:
            self._note_fold(op, "is a sum of each of its terms")
        return is_split

    def _fixed_factor(self, op: phi.FoldOp, step: Step) -> bool:
        """Take a factor out of a sum that is raised without it.

        On libraries with derivatives only one that is a scan then: others are much to compile.
        """
        raising = self._raising(self._only_scan if self._differentiable else self._raise)
        return take_out_factor(op, step, raising, static=self._options.static)

    def _chosen(self, op: phi.FoldOp, step: Step) -> bool:
        """Replace a sum of products with choices by a scan."""

        def may_run(bound: Bound, values: Sequence[SSAValue]) -> bool:
            is_stored = not self._options.once
            return self._may_run_at_once(op, [*values, *bound.parts]) and (
                is_stored or is_stored_once(op, bound.parts, values, self._forms)
            )

        static = self._options.static
        is_scan = scan_chosen(op, step, self._raising(self._raise), may_run, static=static)
        if is_scan:
            self._note_fold(op, "is a scan of products with choices")
        return is_scan

    def _recurrence(self, op: phi.FoldOp, step: Step) -> bool:
        """Replace a sum of terms by factors that decay with the distance by a recurrence."""
        raising, forms = self._raising(self._raise), self._forms

        def fails(each: Operation) -> bool:
            is_count = isinstance(each, phi.FoldOp) and forms.is_nonnegative(
                forms.integer(each.count)
            )
            return may_fail(each) and not is_count

        found = None if any(map(fails, operations_in(op))) else decays_of(op, step, raising)
        if found is not None:
            self._note_fold(op, "is a linear recurrence")
            static, derivatives = self._options.static, self._options.derivatives
            recur(op, step, found, raising, static=static, derivatives=derivatives)
        return found is not None

    def _around_product(self, op: phi.FoldOp) -> bool:
        """Replace the fold around a product of the elements between its steps and a bound.

        Before the product is, which would be an array of all of them.
        """
        outer = op.parent_op()
        if not isinstance(outer, phi.FoldOp) or self._options.derivatives:
            return False
        if not is_product(op, outer):
            return False
        return self._of_positions(outer) or self._at_all_steps(op, outer)

    def _at_all_steps(self, op: phi.FoldOp, outer: phi.FoldOp) -> bool:
        """The same for a bound that is the counter of a loop around both.

        The product takes as many steps as the longest one: none has a negative number.
        """
        longest = with_longest_count(op, self._forms)
        if longest is None:
            return False
        insert_before(op, [longest], self._free)
        op.result.replace_all_uses_with(longest.result)
        op.detach()  # a rule that fails may erase what has no use
        if raise_at_all_steps(outer, self._raising(self._of_positions), windows=False):
            op.erase()
            return True
        Rewriter.insert_op(op, InsertPoint.before(longest))
        longest.result.replace_all_uses_with(op.result)
        erase_all([longest])
        return False

    def _of_positions(self, op: phi.FoldOp) -> bool:
        """Replace a fold over steps, or over the positions that these read, by a recurrence."""
        raising = self._raising(self._of_decays)
        return self._of_decays(op) or raise_shifted(op, raising, products=True)

    def _of_decays(self, op: phi.FoldOp) -> bool:
        step = step_of(op)
        return step is not None and self._recurrence(op, step)

    def _nearest(self, op: phi.FoldOp, step: Step) -> bool:
        """Replace a fold by a search for the step next to a bound whose key a test selects."""
        build = Replacement(op)
        total = nearest_step(build, op, step, self._facts(Least()))
        if total is not None:
            self._note_fold(op, "is a search for the nearest step")
            self._replace(op, step, build, total)
        return total is not None

    def _others(self, op: phi.FoldOp, step: Step, kind: str) -> bool:
        """``fold (k < n, a = x) { where(k != p, a + e, a) }  -->  x + before[p] + after[p + 1]``

        Likewise for the steps outside of a range. Positions clip, so a position out of bounds
        leaves out no element.
        """
        algebra = algebra_of(step.combine.name)
        gap = partial(gap_of, op, forms=self._forms)
        found = split(op, varying_tests(op, step.tests), step.parts(()), self._free, gap)
        if algebra is None or not algebra.takes_any_order or found is None:
            return False
        interval, others = found
        if not self._may_run_at_once(op, [*step.parts(others), *interval.parts]):
            return False
        self._note_fold(op, "is two scans, around some steps")
        build = Replacement(op)
        elements = self._elements(build, op, step, others)
        places = interval.ends(build, op.count, copies_of(build, op, interval.parts), self._forms)
        parts = list[SSAValue]()
        for is_suffix, place in zip((False, True), places, strict=True):
            scanned = build.scan(kind, elements, suffixes=is_suffix)
            parts.append(build.get(scanned, [place]))
        total = build.same(step.combine, *parts)
        self._replace(op, step, build, total)
        return True

    def _around(self, op: phi.FoldOp, step: Step) -> bool:
        """``fold { where(t & (k != p), a + e, a) }`` as the folds of ``k < p`` and ``k > p``.

        If these are raised: ``(key[k] == key[p]) & (k < p)`` is a range of the steps in order.
        """
        found = [
            (test, position)
            for test in varying_tests(op, step.tests)
            if (position := exception_of(op, test, self._forms)) is not None
        ]
        algebra = algebra_of(step.combine.name)
        if algebra is None or not algebra.takes_any_order or len(found) != 1:
            return False

        sides = (
            one_side(op, *found[0], arith.ConstantOp(step.neutral).result, is_before=is_before)
            for is_before in (True, False)
        )
        return combine_parts(op, step, sides, self._raising(self._raise))

    def _range(self, op: phi.FoldOp, step: Step) -> bool:
        """``fold (k < n, a = x) { where((p <= k) & (k < q), a + e, a) }  -->  x + ranges[p, q]``"""
        found = range_of_steps(op, step, self._forms)
        algebra = algebra_of(step.combine.name)
        if found is None or algebra is None or not algebra.takes_any_order:
            return False
        interval, others = found
        if not self._may_run_at_once(op, [*step.parts(others), *interval.parts]):
            return False
        build, copies = Replacement(op), partial(copies_of, op=op, parts=interval.parts)
        value = repeated_value(op, step)
        if algebra.kind == "add" and value and not others:
            number = interval.range(build, op.count, copies(build), self._forms)[1]
            total = multiple(build, op, number, value)
        elif algebra.is_invertible:
            sums = build.scan("add", self._elements(build, op, step, others))
            ends = interval.ends(build, op.count, copies(build), self._forms)
            before, until = (build.get(sums, [end]) for end in ends)
            total = build.sub(until, before)
        elif value and replace_by_number(op, step, value, self._raising(self._raise)):
            return True
        else:
            indices = interval.free(self._free)
            taken = {index for part in step.parts(others) for index in self._free.of(part)}
            values = RecomputedValues(op, indices, self._free)
            may_recompute = indices and indices.isdisjoint(taken)
            if not may_recompute or not values.can_have(interval.parts):
                return False

            def range_at(inner: Builder, own: Sequence[SSAValue]) -> tuple[SSAValue, SSAValue]:
                return interval.range(inner, op.count, values.at(inner, own), self._forms)

            elements, indices = self._elements(build, op, step, others), values.indices
            total = combined_ranges(
                build, step, elements, indices, range_at, static=self._options.static
            )
        self._note_fold(op, "is over ranges of steps")
        self._replace(op, step, build, total)
        return True

    def _sliding(self, op: phi.FoldOp, step: Step) -> bool:
        """``fold (k < w, a = x) { a + e[i + k] }  -->  x + (sums[i + w] - sums[i])``, of Ints.

        The width w is that of a run, since windows of few steps are better added.
        """
        shift = self._shift(op, step)
        if shift is None or body_may_fail(op):
            return False
        index, parts = shift.index, step.parts(step.tests)
        values = RecomputedValues(op, [index], self._free)
        if not values.can_have(parts, [op.counter]):
            return False
        build = Replacement(op)
        behind = build.sub(build.add(phi.size_of_index(index), op.count), 1)
        size = checked_count(build, op.count, build.max(behind, 0))

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            at = values.at(inner, own, {op.counter: inner.integer(0)})
            return selected(inner, step, step.tests, at)

        elements = build.comprehension([size], element, [op.counter])
        sums = build.scan("add", elements)
        first = build.as_int(index)
        until, before = (build.get(sums, [each]) for each in (build.add(first, op.count), first))
        self._note_fold(op, f"is over windows of {shift.text}")
        build.finish(with_start(build, op, step, build.sub(until, before)), self._free)
        for inner in innermost_first(phi.ArrayOp.of(elements), phi.FoldOp):
            self.fold(inner)
        return True

    def _shift(self, op: phi.FoldOp, step: Step) -> Shift | None:
        """The one shift with which the values of a sum of Ints vary, on libraries."""
        algebra = algebra_of(step.combine.name)
        is_of_size = isinstance(op.count.owner, phi.SizeOp) or known_int(op.count) is not None
        if algebra is None or not algebra.is_invertible or is_of_size or self._free.of(op.count):
            return None
        if self._options.static or self._options.once:
            return None
        indices = RecomputedValues(op, self._free.of(op.result), self._free).indices
        if not indices:
            return None
        shifts = Shifts(self._function, self._forms)
        parts = [part for part in step.parts(step.tests) if shifts.variables(part)]
        found = {shifts.shift(part, op, indices) for part in parts}
        shift = found.pop() if len(found) == 1 else None
        if shift is None or shift.is_reversed:
            return None
        within = takewhile(
            lambda block: block is not shift.index.block, reversed(blocks_around(op))
        )
        is_in_fold = any(isinstance(block.parent_op(), phi.FoldOp) for block in within)
        return None if is_in_fold else shift

    def _number(self, op: phi.FoldOp, step: Step) -> bool:
        """Replace a fold of equal literals by a multiple of the number of steps."""
        value = repeated_value(op, step)
        if value is None or isinstance(value, SSAValue):
            return False
        return replace_by_number(op, step, value, self._raising(self._raise))

    def _replace(self, op: phi.FoldOp, step: Step, build: Replacement, total: SSAValue) -> None:
        """Replace a fold by its initial value, combined with the total of the selected steps.

        A test that is the same in all steps selects the total.
        """
        tests = invariant_tests(op, step.tests)
        if tests:
            value_of = copies_of(build, op, [test.condition for test in tests])
            copies = [Test(value_of(test.condition), test.expected) for test in tests]
            total = build.chosen(copies, total, step.neutral)
        build.finish(with_start(build, op, step, total), self._free)

    def _sort(self, op: phi.FoldOp, step: Step, least: Least) -> bool:
        """Let a fold whose steps a comparison of elements selects take them in order.

        Equations of other keys select from the steps in this order.
        """
        algebra = algebra_of(step.combine.name)
        if algebra is None or not (algebra.takes_any_order or self._multiplies):
            return self._sort_factors(op, step, least)
        selection = comparisons(op, step, self._forms)
        if self._options.derivatives and (len(selection.found) != 1 or selection.equations):
            return False
        if not selection.found or are_few(op, step, selection):
            return False
        facts = self._facts(least)
        if join_keys(op, step, selection, facts):
            joined = step_of(op)
            return joined is not None and self._sort(op, joined, Least())
        build = Replacement(op)
        totals = (
            rule(build, op, step, selection, facts)
            for rule in (total_at_index, total_of_equal_keys, total_of_group)
        )
        total = next((total for total in totals if total is not None), None)
        if total is not None:
            self._note_fold(op, "combines the values of equal keys")
            self._replace(op, step, build, total)
            return True
        if not sort_steps(op, step, selection, facts):
            return False
        self._note_fold(op, "takes its steps in order")
        in_order = step_of(op)
        if in_order is not None and not self._scan(op, in_order, is_sorted=True):
            self._sort(op, in_order, Least())
        return True

    def _sort_factors(self, op: phi.FoldOp, step: Step, least: Least) -> bool:
        """Let a product of floats take its steps in the order of a key."""
        if self._multiplies or self._options.derivatives or any_may_fail(op):
            return False
        self._multiplies = True

        def rule(fold: phi.FoldOp) -> bool:
            own = step_of(fold)
            return own is not None and self._sort(fold, own, least)

        raising, static = self._raising(rule), self._options.static
        is_sorted = multiply_in_any_order(op, step, raising, static=static)
        self._multiplies = False
        return is_sorted

    def _facts(self, least: Least) -> Facts:
        options = self._options
        return Facts(
            self._forms,
            self._free,
            self._may_run_at_once,
            least,
            options.once,
            not options.static,
        )

    def _position(self, build: Builder, op: phi.FoldOp, bound: Bound) -> SSAValue:
        return position_of(build, op.count, bound, copies_of(build, op, bound.parts))

    def _bound(self, op: phi.FoldOp, test: Test) -> Bound | None:
        return bound_of(op, test, self._forms)

    def _elements(
        self, build: Builder, op: phi.FoldOp, step: Step, others: Sequence[Test]
    ) -> SSAValue:
        """The array of the values that the steps combine, if the tests hold."""
        values = StepValues(op)

        def element(inner: Builder, k: SSAValue) -> SSAValue:
            known: Known = {op.counter: k}
            return values.selected(inner, step, values.tests(inner, others, known), known)

        return values.over_steps(build, element)

    def _count(self, op: phi.FoldOp, step: Step, bound: Bound, value: Value) -> None:
        """``fold (k < n, a = x) { where(k < p, a + c, a) }  -->  x + min(max(p, 0), n) * c``"""
        self._note_fold(op, "is a number of steps")
        build = Replacement(op)
        number, form = self._position(build, op, bound), bound.form(self._forms)
        if form is None or not self._forms.is_nonnegative(form):
            number = build.max(number, 0)
        if form is None or not self._forms.is_at_most(form, self._forms.integer(op.count)):
            number = build.min(number, op.count)
        if bound.suffix:
            number = build.sub(op.count, number)
        self._replace(op, step, build, multiple(build, op, number, value))


def _is_differentiated(op: phi.FoldOp) -> bool:
    """Whether a fold is a sum or a product of floats within a derivative."""
    step = step_of(op)
    is_sum = step is not None and isinstance(step.combine, arith.AddfOp | arith.MulfOp)
    return is_sum and is_differentiated(op)


@dataclass(frozen=True)
class RaiseScansPass(FoldPass):
    """Turns folds that combine the elements before an index, or from it on, into scans.

    Before::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          phi.fold (%k < %n, %acc = %zero) -> f64 { %acc + select (%k < %i), %a[%k], 0 }
        }

    After::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          %0 = phi.array (%k < %n) -> !phi.vec<f64> { %a[%k] }
          %s = phi.scan "add" %0 : !phi.vec<f64>
          phi.yield %s[%i] : f64
        }

    That takes n steps instead of n times n. The bound may be any Int that varies with an index and
    not with the counter, on either side of ``<``, ``<=``, ``>`` or ``>=``; other tests stay with
    the value. Searches before an index, or from it on, also for the last step in which a test
    holds, are scans, too. A fold stays a loop if the values would need more memory than the arrays
    that are read; the rule is in ``ein_mlir.analysis.phi.memory_cost``.

    A fold of all elements but one, ``k != i``, or but a range, is a scan of the prefixes and one of
    the suffixes. The variable may be that of a loop around the fold, if the values do not vary with
    the loop. A bound may be the count itself, if it varies with the counter of a loop around the
    fold; such a fold is one in a comprehension before the loop where only that makes it a scan, as
    of ``x[i + k]`` for the counter i. A test that is the same in all steps selects their total.

    A fold over a range, ``(p <= k) & (k < q)`` or ``abs(k - p) <= r``, is the difference of two
    prefixes for Ints and Bools. So is a sum of Ints ``x[i + k]`` over a width that is known when
    the program runs, on libraries. Differences of floats would have the rounding of elements
    outside of the range: these are combined from runs of 1, 2, 4, .. elements. A test ``x[k] <= y``
    selects a prefix of the steps in the order of x, and ``x[k] == y`` with a bound, ``k < i``, a
    range; with ``k != i`` it is two ranges. With a comparison of another element,
    ``(x[k] == y) & (z[k] < w)``, it is a range of the order by x of the order by z
    (``sorted_steps``). Keys ``x[k, f]`` have an order for each f, if there are many limits for each
    f. Without any of these, the values of equal keys are accumulated at one place
    (``equal_keys``). Ints that are compared with an index, ``x[k] <= i``, are places themselves:
    the totals at these need no order, but a scan, too. Equal keys with a bound are
    groups in the stable order of keys, up to a step: scans within these (``groups``). Products of
    floats are those in such an order if no part of them may overflow or underflow (``powers``).
    Equations of several keys are one of a number for all of them (``equal_keys``). A sum of Ints
    over the steps whose interval holds a number, ``(a[k] <= y) & (y < b[k])``, is the difference of
    two sums. Sums of equal whole numbers are those of Ints for all of that, as are tests whether
    any or all steps hold. The values of the last step that tests select are those at the largest
    such counter, which is a reduction (``selected_searches``); the first of ``where(t, 1, 0)`` are
    those at the least one. That of a step next to an index, as the last one with
    ``(k < i) & (x[k] < x[i])``, is found by halves (``nearest_steps``). A factor that is the same
    in all steps is taken out of the sum, and such a term out of a maximum or minimum of floats, as
    in ``x[i] - x[k]`` (``shifted_extremes``). The terms of a sum on either side of an order, as of
    ``abs(x[i] - x[k])`` or ``max(x[i], x[k])``, are sums of their own (``mixed_terms``). That of
    ``abs(i - k)`` is one of the steps on either side of i. A bound may be that of a choice within a
    product, ``where(k < i, x[k], 0) * y[k]`` (``chosen_factors``).

    Elements at each distance from an index, ``x[i + k]`` up to an end, are those at all positions
    from the index on (``shifted_steps``), and the distance itself is a difference of positions. Few
    of them, as is tested at run time, are windows, whose steps stay. An
    extreme of ``x[min(k, i)]`` is one of the elements up to i (``repeated_steps``). A loop by a
    condition that counts up to the first position where this fails is a search for it
    (``searching_loops``). The steps that either of two tests selects are those of two folds,
    and so are those before and behind a bound that chooses a part of their value (``parts``). Sums
    of terms by powers of the distance to a bound, ``g ** (k - i) * x[k]`` for the steps ``k >= i``,
    or by products of elements from the bound up to the step, are linear
    recurrences (``powers``, ``decays``). Independent fields of a record have a fold each. A field
    that the first step with a condition sets, as ``done | c``, is the search for that step, if
    raised; other fields then combine the steps before it.
    """

    name = "raise-scans"
    looks_for = (phi.FoldOp, phi.WhileOp)
    beside = (
        *CHOICES,
        arith.AddiOp,
        arith.AndIOp,
        arith.MaxSIOp,
        arith.MaximumfOp,
        arith.MinSIOp,
        arith.MinimumfOp,
        arith.OrIOp,
        arith.SubiOp,
        math.AbsFOp,
        math.AbsIOp,
        sigma.SignOp,
    )
    raiser = ScanRaiser

    derivatives: bool = False
    """Whether the pass is for sums and products in derivatives, before these are expanded."""

    differentiable: bool = False
    """Whether folds of values whose derivative may be infinite stay loops, which guard them, unless
    the prefixes are those of an index: a test guards the steps that none of them has."""

    static: bool = False
    """Whether loops take as many steps as sizes say, for a library that compiles them."""

    once: bool = False
    """Whether a scan must serve all elements that it is read for, on backends that compute each
    element in loops: one in the loop over the bounds would take as long as the fold."""

    least_limits: int = 0
    """The least number of limits for which elements are sorted. It is no gain for a few on backends
    that compare all pairs of elements fast."""

    least_pairs: int = 0
    """The least number of pairs of limits and elements, likewise."""
