"""``raise-segment-reductions``: sums over the segments of a key become one pass over the keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects import arith
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.derivatives import is_differentiated
from ein_mlir.analysis.phi.fold_components import separate_fields
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import SHORT_ROW
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts, slice_of
from ein_mlir.analysis.phi.searches import leaf_values, selected_search
from ein_mlir.analysis.phi.segment_keys import Key, keys_among, keys_of
from ein_mlir.analysis.phi.selections import Step, Test, reduction, step_of
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.predicates import CHOICES
from ein_mlir.analysis.scopes import captured, dependents, is_within, operations_in, operations_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import takes_any_order
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.dialects.reductions import SCAN_KINDS, kind_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.fields import raise_fields
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.index_limits import LimitedKey, limited_key
from ein_mlir.rewriting.phi.insertion import Builder, Contributions
from ein_mlir.rewriting.phi.keyed_values import read_at_keys
from ein_mlir.rewriting.phi.placed_rows import (
    MOST,
    accumulated_rows,
    are_read,
    are_read_at_distances,
    are_short,
    placed_rows,
)
from ein_mlir.rewriting.phi.ranges import checked_size
from ein_mlir.rewriting.phi.replacement import Replacement, replace
from ein_mlir.rewriting.phi.selected_searches import (
    Candidates,
    first_of_segments,
    search_of_first,
    take_first_of_two,
)
from ein_mlir.rewriting.phi.sentinels import replace_by_selected
from ein_mlir.rewriting.phi.separate_terms import separate_terms
from ein_mlir.rewriting.phi.step_values import Known, StepValues, step_of_index, with_start
from ein_mlir.rewriting.phi.stored_terms import array_of_term, never_fail
from ein_mlir.rewriting.phi.versions import versions


class SegmentRaiser(FoldRaiser["RaiseSegmentReductionsPass"]):
    """Raises the folds of a function."""

    def fold(self, op: phi.FoldOp) -> None:
        """Replace a fold over the segments of a key, or the fields of a record that are such."""
        if self._options.derivatives:
            self._raise_differentiated(op)
            return
        if not isa(op.result.type, TupleType):
            if self._options.firsts:
                op = search_of_first(op, self._forms)
            if self._raise_terms(op) or self._search(op):
                return
            if not replace_by_selected(op, self._raising(self._raise), nests=True):
                self._store(op)
        elif not self._search(op) and (groups := separate_fields(op, Operation)):
            raise_fields(op, groups, self._raise_terms, self._free)

    def _raise_differentiated(self, op: phi.FoldOp) -> None:
        """Replace a fold over rows at places within a derivative."""
        step = step_of(op) if is_differentiated(op) else None
        if step is None or not takes_any_order(step.combine.name):
            return
        self._add_rows(op, step)

    def _raise_terms(self, op: phi.FoldOp) -> bool:
        return self._raise(op) or separate_terms(op, self._raising(self._raise))

    def _search(self, op: phi.FoldOp) -> bool:
        """``fold (k < n) { where(key[k] == c, better of best and e, best) }  -->  found[c]``

        And ``where(key[k] == c, e, last)``. Whether the fold was a search in the segments of a key.
        """
        found = selected_search(op)
        if found is None:
            return False
        values = [found.element, *found.others]
        keys, others = keys_among(op, found.tests, values, self._forms)
        parts = [*values, *(test.condition for test in others)]
        if not keys or not self._may_hold(op, parts, keys):
            return take_first_of_two(op, found, self._raising(self._raise_terms))
        self._note_fold(op, "is a search in segments")
        build, candidates = Replacement(op), Candidates(op, found, others)
        result = first_of_segments(
            build,
            candidates,
            lambda build, step: _positions(build, keys, candidates.steps, {op.counter: step}),
            [key.index for key in keys],
        )
        build.finish(result, self._free)
        return True

    def _store(self, op: phi.FoldOp) -> bool:
        """``fold (c < m) { .. fold (k < n) { where(key[k] == c, acc + e, acc) } .. }`` reads
        ``array (c < m) { fold (k < n) { .. } }``, if that becomes an accumulation.
        """
        outer = op.parent_op()
        if not isinstance(outer, phi.FoldOp) or is_within(op.count, outer):
            return False
        if not _compares_counter(op, outer, self._forms):
            return False
        if op.result in dependents(outer.body.block, outer.accumulator):
            return False
        if not (is_regular(outer) and never_fail(outer, [op.result])):
            return False
        terms = array_of_term(outer, op.result, self._free.add)
        array = phi.ArrayOp.of(terms)
        stored = phi.FoldOp.of(array.yielded())
        self.fold(stored)
        if stored.parent is not None:
            Rewriter.erase_op(array)
            return False
        after = Builder.before(op, self._free.add)
        replace(op, after.get(terms, [outer.counter]), self._free)
        return True

    def _may_hold(
        self,
        op: phi.FoldOp,
        parts: Sequence[SSAValue],
        keys: Sequence[Key],
        *,
        is_guarded: bool = False,
    ) -> bool:
        """Whether arrays of keys and parts of all steps may replace a loop.

        They may have the axes of the result with the counter in place of the keys: a loop would
        take a step of the size of the result for each row of them. With several axes beside the
        keys the loop must be short.
        """
        parts = [*(part for key in keys for part in key.parts), *parts]
        found = {key.index for key in keys}
        others = {index for part in parts for index in self._free.of(part)} - found
        is_small = len(others) < 2 or self._forms.range(op.count).high <= SHORT_ROW
        written = frozenset({op.counter, *others}) if is_small else frozenset[SSAValue]()
        return self._may_run_at_once(op, parts, written=written, is_guarded=is_guarded)

    def _raise(self, op: phi.FoldOp) -> bool:
        """``fold (k < n, acc = x) { where(key[k] == c, acc + e, acc) }  -->  x + segments[c]``

        where ``segments = accumulate (k < n) into "add" (the size of c) { key[k], e }``.
        Whether the fold was raised.
        """
        step = step_of(op)
        if step is None or not takes_any_order(step.combine.name):
            return False
        if (inner := _accumulated(op, step)) is not None:
            return self._merge(op, step, *inner)
        if read_at_keys(op, step, self._forms):
            return self._raise(op)
        keys, others = keys_of(op, step, self._forms)
        if not keys and self._add_rows(op, step):
            return True
        limited = self._limited(op, step, keys, others) if keys else None
        others = [test for test in others if limited is None or test is not limited.test]
        parts = [*step.parts(others), *(() if limited is None else (limited.key,))]
        if not keys or not self._may_hold(op, parts, keys, is_guarded=True):
            return False
        names = " and ".join(name_of(key.index) for key in keys)
        self._note_fold(op, f"is an accumulation, with an element for each {names}")
        build = Replacement(op)
        segments = self._segments(build, op, step, keys, others, limited)
        segments.name_hint = op.result.name_hint
        positions: list[SSAValue] = [key.index for key in keys]
        if limited is not None:
            segments = _scans(build, step, keys, segments, limited)
            positions.append(limited.limit.position(build, is_below=limited.is_below))
        total = build.get(segments, positions)
        build.finish(with_start(build, op, step, total), self._free)
        return True

    def _limited(
        self, op: phi.FoldOp, step: Step, keys: Sequence[Key], others: Sequence[Test]
    ) -> LimitedKey | None:
        """A test that compares another key with an index, which nothing else varies with.

        ``where((key[k] == c) & (x[k] <= i), e[k], 0)`` is a running total along the index i.
        """
        for test in others:
            found = limited_key(op, test, self._forms)
            if found is None or kind_of(step.combine.name) not in SCAN_KINDS:
                continue
            rest = [found.key, *step.parts([other for other in others if other is not test])]
            rest += [part for key in keys for part in key.parts]
            varying = {index for part in rest for index in self._free.of(part)}
            if found.limit.index not in varying | {key.index for key in keys}:
                return found
        return None

    def _add_rows(self, op: phi.FoldOp, step: Step) -> bool:
        """``fold (k < n, acc = x) { where(0 <= i - p(k) < m, acc + f[k, i - p(k)], acc) }
        -->  x + (accumulate (k < n, j < m) into "add" (the size of i) { p(k) + j, f[k, j] })[i]``

        Whether the fold was raised. Elements of a row that are out of bounds are computed, too.
        Rows that are no array yet are so if they are short; else the fold takes its steps.
        """
        rows = placed_rows(op, step, self._forms)
        if rows is None or self._needs_guard(rows.op, rows.parts):
            return False
        op, step = rows.op, rows.step
        if not are_read(rows, self._free):
            array = rows.indices[0].owner.parent_op()
            assert isinstance(array, phi.ArrayOp)
            is_read, counts = are_read_at_distances(rows, self._forms), rows.counts
            if not is_read or any(is_within(n, array) or _is_chosen(n) for n in counts):
                return False
            most = self._options.block
            fits = partial(are_short, found=rows, free=self._free, most_in_block=most)
            self._take_steps_unless(op, array, fits)
        self._note_fold(op, "adds rows at their places")
        build = Replacement(op)
        total = build.get(accumulated_rows(build, rows, self._free), rows.indices)
        build.finish(with_start(build, op, step, total), self._free)
        return True

    def _take_steps_unless(
        self, op: phi.FoldOp, array: phi.ArrayOp, fits: Callable[[Builder], SSAValue]
    ) -> None:
        """``array (i < s) { fold (k < n) { .. } }  -->
        concat (array (i < (fits ? s : 0)) { fold (k < (fits ? n : 0)) { .. } },
                array (i < (fits ? 0 : s)) { fold (k < (fits ? 0 : n)) { .. } })``
        """
        build = Builder.before(array, self._free.add)
        test, count, zero = fits(build), op.count, build.integer(0)
        if not is_size(array.operands[0]):
            array.operands[0] = checked_size(build, array.indices[0], array.operands[0])
        rest = versions(build, array, test)
        pairs = zip(operations_of(array, phi.FoldOp), operations_of(rest, phi.FoldOp), strict=True)
        other = next(other for each, other in pairs if each is op)
        other.operands[0] = build.select(test, zero, count)
        op.operands[0] = build.select(test, count, zero)
        self._free.add(rest)

    def _segments(
        self,
        build: Builder,
        op: phi.FoldOp,
        step: Step,
        keys: Sequence[Key],
        others: Sequence[Test],
        limited: LimitedKey | None,
    ) -> SSAValue:
        """The accumulation of the values of all steps at their keys, and at that with a limit.

        A value whose derivative may be infinite is computed only for keys in bounds.
        """
        values, sizes = StepValues(op), [phi.size_of_index(key.index) for key in keys]
        is_guarded = self._needs_guard(op, step.parts(others))
        if limited is not None:
            sizes.append(limited.limit.size)

        def contribution(inner: Builder, k: SSAValue) -> tuple[Sequence[SSAValue], SSAValue]:
            known: Known = {op.counter: k}
            at = _positions(inner, keys, values, known)
            if limited is not None:
                (key,) = values.computed(inner, [limited.key], known)
                at.append(limited.limit.place(inner, key, limited.predicate))
            tests = values.tests(inner, others, known)
            if is_guarded:
                pairs = zip(at, sizes, strict=True)  # one comparison of the bits for both bounds
                tests += [Test(inner.compare(key, "ult", size), True) for key, size in pairs]
            return at, values.selected(inner, step, tests, known)

        return values.accumulated(build, kind_of(step.combine.name), sizes, contribution)

    def _needs_guard(self, op: phi.FoldOp, parts: Sequence[SSAValue]) -> bool:
        """Whether the derivative of a part of a step may be infinite, and be needed."""
        needed = (x for each in slice_of(op.body.block, parts) for x in operations_in(each))
        return self._differentiable and any(map(is_singular, needed))

    def _merge(self, op: phi.FoldOp, step: Step, own: phi.GetOp, inner: phi.AccumulateOp) -> bool:
        """``fold (k < n, acc = x) { acc + (accumulate (i < m) into "add" (s) { p, e })[c] }
        -->  x + (accumulate (k < n, i < m) into "add" (s) { p, e })[c]``

        Whether the fold was merged with the accumulation in its steps. A loop would take a step of
        the size of the accumulation for each row of keys and values: one row along one axis is
        allowed, of elements or of parts that the result has, too.
        """
        if any(is_within(size, op) for size in inner.sizes):
            return False
        if not self._may_run_at_once(op, list(captured(inner)), is_guarded=True):
            return False
        is_row = len(inner.indices) == 1
        if not is_row and not may_materialise_parts(op, [inner.result], self._free):
            return False
        self._note_fold(op, "continues an accumulation")
        build = Replacement(op)
        merged = _merged(build, op, inner)
        merged.name_hint = op.result.name_hint
        total = build.get(merged, own.positions)
        build.finish(with_start(build, op, step, total), self._free)
        return True


def _compares_counter(op: phi.FoldOp, outer: phi.FoldOp, forms: IndexForms) -> bool:
    """Whether a step compares a value of its own with the counter of the fold around."""
    for each in op.body.block.ops:
        for expected in (True, False) if isinstance(each, arith.CmpiOp) else ():
            form = forms.equation(each.results[0], expected=expected)
            if form is not None and outer.counter in form.coefficients:
                return any(is_within(part, op) for part in form.coefficients)
    return False


def _is_chosen(count: SSAValue) -> bool:
    """Whether a fold is a version of another one, which has been raised."""
    choice = count.owner
    return isinstance(choice, arith.SelectOp) and 0 in map(known_int, choice.operands[1:])


def _scans(
    build: Builder, step: Step, keys: Sequence[Key], segments: SSAValue, limited: LimitedKey
) -> SSAValue:
    """The scans of segments along their last axis, that of limits."""

    def scan(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        row, kind = inner.get(segments, own), kind_of(step.combine.name)
        return inner.scan(kind, row, suffixes=not limited.is_below)

    indices = [key.index for key in keys]
    return build.comprehension([phi.size_of_index(each) for each in indices], scan, indices)


def _accumulated(op: phi.FoldOp, step: Step) -> tuple[phi.GetOp, phi.AccumulateOp] | None:
    """The element that every step of a fold adds, and the accumulation in the step."""
    term = reduction(op)
    own = None if term is None else term[1].owner
    found = own.array.owner if isinstance(own, phi.GetOp) else None
    if not isinstance(found, phi.AccumulateOp) or found.parent is not op.body.block:
        return None
    assert isinstance(own, phi.GetOp)
    fixed = (*own.positions, *found.extents)
    if not own.array.has_one_use() or any(is_within(each, op) for each in fixed):
        return None
    same = [each.data for each in found.kinds] == [kind_of(step.combine.name)]
    return (own, found) if same and len(own.positions) == len(found.extents) else None


def _merged(build: Builder, op: phi.FoldOp, inner: phi.AccumulateOp) -> SSAValue:
    """The accumulation over the steps of a fold and the indices of one in its body."""
    values = StepValues(op, [inner.body.block])

    def at(body: Builder, own: Sequence[SSAValue]) -> Contributions:
        known: Known = dict(zip(inner.indices, own[1:], strict=True))
        known[op.counter] = step_of_index(body, op, own[0])
        *positions, value = values.computed(body, leaf_values(inner.yielded()), known)
        return [(positions, value)]

    (kind,) = (each.data for each in inner.kinds)
    sizes, names = [op.count, *inner.sizes], [op.counter, *inner.indices]
    return build.accumulation(sizes, [(kind, list(inner.extents))], at, names)


def _positions(
    build: Builder, keys: Sequence[Key], values: StepValues, known: Known
) -> list[SSAValue]:
    """The index of each key in a step; -1 if the key is a multiple of none."""
    return [_position(build, key, values, known) for key in keys]


def _position(build: Builder, key: Key, values: StepValues, known: Known) -> SSAValue:
    """``where(key % factor == 0, key // factor, -1)``"""
    values.computed(build, key.parts, known)
    value = build.linear_value(key.key, lambda part: known.get(part, part))
    if key.factor == 1:
        return value
    factor = build.integer(key.factor)
    is_multiple = build.compare(build.floormod(value, factor), "eq", 0)
    quotient = build.floordiv(value, factor)
    return build.chosen([Test(is_multiple, True)], quotient, -1)


@dataclass(frozen=True)
class RaiseSegmentReductionsPass(FoldPass):
    """Turns folds that combine the values of a key at an index into accumulations.

    Before::

        %h = phi.array (%c < %m) -> !phi.vec<f64> {
          phi.fold (%k < %n, %acc = %zero) -> f64 { %acc + select (%keys[%k] == %c), %a[%k], 0 }
        }

    After::

        %s = phi.accumulate (%k < %n) into "add" (%m) -> !phi.vec<f64> { (%keys[%k], %a[%k]) }
        %h = phi.array (%c < %m) -> !phi.vec<f64> { %s[%c] }

    That takes n + m steps instead of n times m. The selection may have any form of an equation of
    an index and a value that does not vary with it: ``c == key``, ``2 * c == key``, conjunctions,
    ``where(key != c, 0.0, x)``, ``where(key == c, acc + x, acc)``, sums of Bools. Searches in the
    segments of a key, also for the last one, ``where(key == c, x, last)``, become accumulations of
    steps. The first value that a test selects, ``where((s < 0) & t, k, s)``, is found by a search
    for its step. A product with a mask is no selection: zero times NaN is NaN. A value that varies
    with the index is that at the key, ``where(key == c, x - mean[c], 0)`` has ``mean[key]``. A fold
    that combines such a segment of each step is part of the reduction: its positions are then along
    two axes. A fold stays a loop if keys or values would need more memory than the arrays that are
    read; the rule is in ``ein_mlir.analysis.phi.memory_cost``. Steps that add a row of an array at
    a place, ``where((i - p >= 0) & (i - p < m), f[k, i - p], 0)``, have a key for each element; so
    have those of rows that are no array yet, ``x[k] * w[i - p]``, if they are short. If
    another key is compared with an index, ``where((key == c) & (x <= i), e, 0)``, it is a place,
    too, and the segments are scanned along these. A term that any of several equations selects, as
    of an edge at a node, ``where((a == c) | (b == c), e, 0)``, is a segment for each of them. A key
    may be compared with the counter of a fold around, too, ``sum_c where(any_k x[k] == c, 1, 0)``:
    that fold then reads the segments of all its steps.
    """

    name = "raise-segment-reductions"
    beside = (*CHOICES, phi.AccumulateOp)
    raiser = SegmentRaiser

    differentiable: bool = False
    """Whether a value whose derivative may be infinite is computed only if a key selects it."""

    derivatives: bool = False
    """Whether it is for rows at places in derivatives only: the transpose of their accumulation
    takes a step for each of their elements, that of the fold one for each place."""

    block: int = MOST
    """The most elements of a block of rows along several axes: more are added in steps."""

    firsts: bool = True
    """Whether folds that keep the value of the first selected step become searches for it."""
