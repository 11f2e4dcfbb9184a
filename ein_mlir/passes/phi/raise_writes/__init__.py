"""``raise-writes``: folds that write elements of an array become comprehensions, scans, .."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.fold_components import separate_fields
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.index_ranges import SHORT_ROW, WINDOWED_ROW
from ein_mlir.analysis.phi.int_bounds import IntBounds, Ordinary
from ein_mlir.analysis.phi.loops.combinations import Weighted
from ein_mlir.analysis.phi.loops.leaders import leaders
from ein_mlir.analysis.phi.loops.summary import (
    Accumulation,
    Comprehension,
    Element,
    Overlay,
    Part,
    Recurrence,
    Scatter,
    Summaries,
    Summary,
)
from ein_mlir.analysis.phi.size_equivalence import loops_around
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import takes_any_order
from ein_mlir.dialects.reductions import combination
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_writes.decisions import (
    Decisions,
    has_least,
    is_stored_row,
    row_of,
)
from ein_mlir.passes.phi.raise_writes.elements import Elements, element_after, split_at
from ein_mlir.passes.phi.raise_writes.lines import Written, edges
from ein_mlir.passes.phi.raise_writes.preparation import (
    Preparation,
    UsedSizes,
    distributed,
    read_back,
    undo,
)
from ein_mlir.passes.phi.raise_writes.scans import (
    Scanned,
    chain,
    has_small_totals,
    is_of_windows,
    is_scan,
)
from ein_mlir.passes.phi.raise_writes.segments import Overlaid, Segments
from ein_mlir.rewriting.phi.fields import Parts, raise_fields, raised, replace_fields
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.insertion import Builder, Emitter
from ein_mlir.rewriting.phi.ranges import bounds_of_steps, narrow
from ein_mlir.rewriting.phi.replacement import erase_all, erase_unused_among, insert_before, replace
from ein_mlir.rewriting.phi.versions import Versions, nest_around

# Rewriting ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Built:
    """A replacement, still outside of the program."""

    note: str
    ops: list[Operation]
    result: SSAValue
    premises: frozenset[Ordinary] = frozenset()
    """The premises about Ints under which it is legal."""


_NOTES: dict[type, str] = {
    Element: "the fold over {} changes one element of {}",
    Comprehension: "the fold over {} writes each element of {} once",
    Recurrence: "the fold over {} is a scan of the elements of {}",
    Accumulation: "the fold over {} accumulates segments in {}",
    Overlay: "the fold over {} writes the last of several values to each element of {}",
    Scatter: "the fold over {} writes the last value of each segment to {}",
}


class WriteRaiser(FoldRaiser["RaiseWritesPass"]):
    """Replaces the folds of a function by comprehensions, scans and reductions of segments."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager, options: RaiseWritesPass):
        super().__init__(function, analyses, options)
        self._sizes = UsedSizes(function)
        self._forms = IndexForms(function, self._sizes, self._free)
        self._bounds = IntBounds(function)
        self._function = function
        self._ordinary_bounds: IntBounds | None = None
        self._versions: dict[phi.FoldOp, Versions] = {}
        self._long = set[phi.FoldOp]()
        self._summaries = Summaries(self._forms, self._sizes)
        self._preparation = Preparation(self._free, self._sizes)
        self._has_short_rows = options.scans and not self._differentiable
        facts = self._free, self._forms, self._may_run_at_once
        self._decisions = Decisions(*facts, self._differentiable, options.triangles)

    def fold(self, op: phi.FoldOp) -> None:
        """Raise a fold, or those fields of its accumulator that depend on no other."""
        if not isa(op.result.type, TupleType):
            self._raise(op)
            return
        if (rest := self._lead(op)) is not None:
            self.fold(rest)
        elif groups := separate_fields(op, phi.UpdateOp, phi.ArrayOp):
            raise_fields(op, groups, self._raise, self._free, self._sizes)

    def _lead(self, op: phi.FoldOp) -> phi.FoldOp | None:
        """``fold ((x, y) = ..) { (f(x), g(x, y)) }  -->  (raised x, fold (y = ..) { g(x, y) })``

        for an array x of which the other fields read final elements. The fold of these, if any.
        """
        known = (self._free, self._sizes)
        for leader in leaders(op, self._forms):
            emitter = Emitter()
            inits = emitter.leaves(op.init)
            insert_before(op, emitter.ops, *known)
            values = raised(Parts(op, inits), [leader.field], self._raise_in_range, known)
            if values:
                for reader in leader.readers:
                    reader.operands[0] = values[leader.field]
                for reader in leader.early:
                    reader.operands[0] = inits[leader.field]
                self.has_new_folds = True
                return replace_fields(op, inits, values, *known)
            erase_unused_among(emitter.ops)
        return None

    def _raise_in_range(self, op: phi.FoldOp) -> bool:
        """Raise a fold over the steps that have an effect."""
        bounds = {bound.suffix: bound for bound in bounds_of_steps(op, self._forms)}
        if bounds and not any(bound.free(self._free) for bound in bounds.values()):
            narrow(op, list(bounds.values()), self._forms)
        return self._raise(op)

    def _raise(self, op: phi.FoldOp) -> bool:
        """Replace a fold over an array, if there is a better form; whether there is one."""
        self._preparation.prepare(op)
        row = row_of(op, self._forms, self._summaries) if self._has_short_rows else None
        if row is not None or (self._options.stores and is_stored_row(op, self._summaries)):
            least = WINDOWED_ROW if row is not None and is_of_windows(row) else SHORT_ROW
            if self._forms.range(op.count).high < least:
                return False
            if not self._options.windows:
                self._separate_short(op, least)
            elif not has_least(op, least):
                return False
        order, reads = self._order(op)
        folds = [op] if order is None else distributed(op, order)
        if order is not None:
            insert_before(op, folds, self._free, self._sizes)
        found = [self._built(fold) for fold in folds]
        built = [each for each in found if each is not None]
        if len(built) < len(folds):
            if order is not None:
                erase_all([*folds, *(op for each in built for op in each.ops)])
            undo(reads)
            return False
        if order is not None:
            replace(op, folds[-1].result, self._free, self._sizes)
        for fold, each in zip(folds, built, strict=True):
            self._note(fold, each.note)
            if each.premises:
                self._assume(fold, each.premises)
            self._replace(fold, each.ops, each.result)
        return True

    def _order(self, op: phi.FoldOp) -> tuple[list[Part] | None, list[phi.GetOp]]:
        """The order of folds for the writes of a step, and reads in it that make one possible."""
        found = self._summaries.order(op, exchanges=self._options.exchanges)
        if found is not None or not (reads := read_back(op, self._forms)):
            return found, []
        self._add(reads)
        return self._summaries.order(op, exchanges=self._options.exchanges), reads

    def _built(self, op: phi.FoldOp) -> _Built | None:
        """The replacement of a fold, still outside of the program."""
        scratch, premises = Block(), frozenset[Ordinary]()
        found = self._summaries.of(op)
        elements = self._elements(op, found)
        if isinstance(found, Recurrence) and elements is not None:
            premises = self._premises(op, found) or premises
        build = Builder.at_end(scratch)
        if isinstance(found, Element):
            self.has_new_folds = True
            result = element_after(build, op, found.write)
        elif elements is not None:
            result = elements.result(build)
        else:
            return None
        note = _NOTES[type(found)].format(name_of(op.counter), name_of(op.accumulator))
        return _Built(note, list(scratch.ops), result, premises)

    def _elements(self, op: phi.FoldOp, found: Summary | None) -> Elements | Overlaid | None:
        """The construction of the array after a fold; None if it stays a loop."""
        match found:
            case Comprehension():
                return self._written(op, found)
            case Recurrence():
                return self._scanned(op, found)
            case Accumulation() | Scatter():
                return self._segments(op, found)
            case Overlay():
                return self._overlaid(op, found)
            case _:
                return None

    def _written(self, op: phi.FoldOp, found: Comprehension) -> Elements | None:
        """``fold (k < n, v = a) { v[k] := e }  -->  array (k < m) { select (k < n, e, a[k]) }``"""
        write, walk = found.write, found.walk
        axis = len(write.indices) + walk.number
        around = edges(op, axis, walk, 0, self._forms, self._sizes)
        if not self._decisions.may_compute_axis(op, write, around):
            return None
        if found.meeting is not None:
            if not self._decisions.may_run_any_step(op):
                return None
            split_at(op, found, found.meeting, self._forms)
            self._free.add(op)
        in_place = next(loops_around(op), None) is not None and self._decisions.may_run_any_step(op)
        return Written(op, found, around, in_place=in_place)

    def _scanned(self, op: phi.FoldOp, found: Recurrence) -> Elements | None:
        """``fold (j < n, v = a) { v[j + 1] := v[j] + e }  -->  scan (concat [a[0]], array { e })``

        The first of the combinations, that of no elements, is left out. Elements out of bounds
        depend on those in bounds, and not the other way round.
        """
        if not self._options.scans or not is_scan(found) or self._premises(op, found) is None:
            return None
        if not self._decisions.may_scan(op, found.write, found.parts):
            return None
        has_windows = self._options.windows and self._decisions.may_have_windows(op, found.write)
        if is_of_windows(found) and not has_windows:
            return None
        self.has_new_folds |= is_of_windows(found)
        axis = len(found.write.indices) + found.walk.number
        beyond = 0 if found.first else found.distance
        around = edges(op, axis, chain(found), beyond, self._forms, self._sizes)
        size = self._forms.size(op.init, axis)
        is_exact = (
            size is not None
            and beyond == 1
            and self._forms.equal(self._forms.form(op.count) + 1, size)
        )
        return Scanned(op, found, around, is_exact=is_exact)

    def _premises(self, op: phi.FoldOp, found: Recurrence) -> frozenset[Ordinary] | None:
        """The premises under which a scan does not overflow; None if it may."""
        if not isinstance(found.step, Weighted) or is_of_windows(found):
            return frozenset()
        if has_small_totals(op, found, self._bounds):
            return frozenset()
        if self._ordinary_bounds is None:
            self._ordinary_bounds = IntBounds(self._function, ordinary=True)
        bounds = self._ordinary_bounds
        if not self._options.versions or not has_small_totals(op, found, bounds):
            return None
        others = [link.other for link in found.step.links]
        firsts = [first for _, first in found.first.values()]
        return bounds.premises(op.init, *others, *firsts, counts=[op.count])

    def _segments(self, op: phi.FoldOp, found: Accumulation | Scatter) -> Elements | None:
        """``fold (k < n, v = a) { v[p] := v[p] + e }  -->  a + accumulate "add" e by p``"""
        if isinstance(found, Accumulation):
            combine = combination(found.links[0].kind, phi.scalar_of(op.result.type))
            if combine is None or not takes_any_order(combine):
                return None
        is_stored = isinstance(found, Scatter) and self._options.stores
        may_group = self._decisions.may_group(op, found.write, is_stored=is_stored)
        return Segments(op, found) if may_group else None

    def _overlaid(self, op: phi.FoldOp, found: Overlay) -> Overlaid | None:
        """``fold (k < n, v = a) { v[p] := e; v[q] := f }`` by the last step of each write."""
        is_legal = all(self._decisions.may_group(op, write) for write in found.writes)
        return Overlaid(op, found) if is_legal else None

    def _assume(self, op: phi.FoldOp, premises: frozenset[Ordinary]) -> None:
        """Let the nest around a fold run in those runs only in which premises hold."""
        nest = nest_around(op, self._long)
        versions = self._versions.get(nest) or self._versions_of(nest)
        self._versions[versions.first] = versions
        self._add(versions.assume(premises))

    def _separate_short(self, op: phi.FoldOp, least: int) -> None:
        """Let the nest around a row run as it is where rows are short, to raise the other one."""
        outer = op.parent_op()
        if not isinstance(outer, phi.FoldOp) or is_within(op.count, outer):
            return
        place = list(outer.walk()).index(op)
        versions = self._versions_of(outer)
        self._long.add(versions.first)
        self._add(versions.where(lambda build: [build.compare(op.count, "sge", least)]))
        short = list(versions.nest.walk())[place]
        before = Builder.before(versions.nest, self._free.add, self._sizes.add)
        short.operands[0] = before.min(op.count, least - 1)

    def _versions_of(self, nest: phi.FoldOp) -> Versions:
        versions = Versions(nest)
        self._free.replace(nest.result, versions.result)
        self._add(versions.ops)
        self._sizes.inherit(versions.result, nest.result)
        return versions

    def _add(self, new: Sequence[Operation]) -> None:
        self._free.add(*new)
        self._sizes.add(*new)

    def _replace(self, op: phi.FoldOp, new: Sequence[Operation], result: SSAValue) -> None:
        for each in new:
            each.detach()
        insert_before(op, new, self._free, self._sizes)
        replace(op, result, self._free, self._sizes)


@dataclass(frozen=True)
class RaiseWritesPass(FoldPass):
    """Turns folds that write one element, or row, of an array in each step into comprehensions.

    Before::

        %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<f64> { phi.update %v[%k], %b[%k] }

    After, where ``%a`` provably has n elements::

        %m = phi.size %a, 0 : !phi.vec<f64>
        %r = phi.array (%i < %m) -> !phi.vec<f64> { %b[%i] }

    An array of several, of which the others read elements that no later step writes, or no earlier
    one, is replaced first; they then read its final or its initial value.

    Otherwise the values of all steps are one array, and a comprehension selects from its elements
    and those of ``%a``: ``split-index-ranges`` splits it into parts.

    The position is ``k + c`` or ``c - k``, along any axis; further positions are loop invariant, so
    two nested folds over the positions of a matrix become nested comprehensions. Rows may be
    updated in a comprehension of rows, and writes may be conditional. The value may depend on
    elements of the accumulator that no earlier step has written: the element itself, or one that a
    later step writes. If all steps read one element, or row, that one of them writes, as in
    ``d[i, j] := min(d[i, j], d[i, k] + d[k, j])``, they read the initial one up to that step, and
    the new one, which is computed first, from then on. Sizes that each step compares with those of
    the accumulator are compared before the fold, if it runs a step.

    A fold that updates one element in all steps, and reads no other, is a fold of that element. So
    updates of the elements of a matrix in three nested folds become sums, and those a contraction.

    A recurrence of Ints, ``max(v[k] - c, e)``, is a scan if no sum of costs overflows. If that
    depends on Ints from outside of all loops, the nest of folds has two versions: the scan runs if
    these Ints, and the counts of steps, are small (``versions``). One of floats is a scan with
    weights with the option ``windows``, after ``skew-folds``, if its steps are operations on
    scalars.

    Several updates in a step become a fold for each. Their values may be initial elements, which
    other updates of the step replace: ``v[p], v[q] = v[q], v[p]``. A value that one writes and
    others use is read from the array.

    A fold stays a loop

    - if a step depends on elements that others have written, or may raise an error;
    - if an array of the values of all steps would be larger than the arrays that are read and than
      the result;
    - if some elements may be unchanged, and its steps are provably few, or an outer loop carries
      the vector: then elements are better updated in place;
    - if it computes a row of numbers from the row of an earlier step of a fold, where the row has
      less than 32 elements, or 256 if it is a scan with weights: these runs have a version of their
      own, which is made without the option ``windows``;
    - if it stores values at computed positions of a vector that an outer loop carries: it is
      updated in place. With the option ``stores``, for a library that stores many values at once,
      rows of 32 elements or more are.
    """

    name = "raise-writes"
    raiser = WriteRaiser
    looks_for = (phi.UpdateOp,)

    differentiable: bool = False
    """Whether a value whose derivative may be infinite is computed only in the steps that run."""

    scans: bool = True
    """Whether recurrences become scans."""

    versions: bool = True
    """Whether a nest may have two versions, of which the Ints in it decide."""

    exchanges: bool = True
    """Whether steps that exchange elements become a fold for each write."""

    windows: bool = False
    """Whether floats ``max(x + c, e)``, and combinations since a reset, are scans with weights."""

    stores: bool = False
    """Whether values are stored at once at positions of a vector that an outer loop carries."""

    triangles: bool = True
    """Whether parts of rows, of lengths that vary with the row, are chosen from whole rows."""
