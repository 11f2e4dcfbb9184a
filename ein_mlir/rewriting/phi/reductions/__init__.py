"""Folds that are reductions or searches as named operations, and the rest of other folds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from math import prod
from typing import NamedTuple, TypeGuard

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import Note, SlowPart, name_of, names_of, no_note
from ein_mlir.analysis.phi.element_cost import is_function, short_count
from ein_mlir.analysis.phi.fold_components import fold_components, reduction_components
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.memory_cost import may_materialise, stored_factors
from ein_mlir.analysis.phi.searches import Search, fold_search, is_search, leaf_values
from ein_mlir.analysis.phi.selections import is_constant, reduction
from ein_mlir.analysis.phi.shape_demand import returned
from ein_mlir.analysis.phi.size_equivalence import unasserted
from ein_mlir.analysis.phi.window_products import sums_filters
from ein_mlir.analysis.scopes import dependents, operations_in, reached
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity, is_sum
from ein_mlir.dialects.creation import same_operation
from ein_mlir.dialects.fastmath import takes_any_order
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.dialects.reductions import is_reduction, worst
from ein_mlir.rewriting.phi.fields import raise_fields
from ein_mlir.rewriting.phi.guarded_counts import guard, unguarded
from ein_mlir.rewriting.phi.insertion import Emitter
from ein_mlir.rewriting.phi.reductions.distribution import distribution
from ein_mlir.rewriting.phi.reductions.searches import (
    as_extreme,
    found_after_fold,
    found_in_fold,
    found_in_rows,
    never_better,
    reduction_as_fold,
    searched_rows,
)
from ein_mlir.rewriting.phi.replacement import insert_before, replace
from ein_mlir.rewriting.phi.step_values import after_first, array_of_steps, combine_once


class Reason(NamedTuple):
    """The reason why a fold stays a loop, and a rewrite that would help, if there is one."""

    text: str
    hint: str = ""
    is_memory: bool = False


MAY_FAIL = Reason(
    "a step may raise an error, which a fold without steps must not",
    "compare the sizes before the fold",
)


class Library(NamedTuple):
    """The reductions that a library computes well, in addition to those of arrays that exist."""

    fuses_all: bool = False
    """It computes elements where it combines them."""
    fuses_functions: bool = False
    """The same, as fast as in a loop if they are functions such as ``exp``."""
    splits_axes: bool = False
    """It reduces few elements of each block of an axis as fast as slices."""
    joins_axes: bool = False
    """The same if other axes are reduced in the same call, and not only if those are rows."""
    convolves: bool = False
    """It convolves in one call: sums of products of windows and filters stay loops till then."""
    is_nested: bool = False
    """It has loops: it searches rows as fast as all their elements together, and a product may
    begin with any factor.
    """
    views: bool = False
    """It multiplies windows of an array, which are a view, without an array of them."""


class Raiser:
    """Raises the folds of a program; ``note`` receives the outcome for each."""

    def __init__(
        self,
        free: FreeIndices,
        note: Note = no_note,
        library: Library | None = None,
        forms: IndexForms | None = None,
    ):
        self._free = free
        self._note = note
        self._library = library or Library()
        self._forms = forms
        self._stored = defaultdict[SSAValue, set[frozenset[SSAValue]]](set)
        """For each size, the other axes of the factors that sums store, and of the results."""
        self._large = list[tuple[phi.FoldOp, Reason]]()
        """Loops because of their memory, unless a later sum stores as large arrays."""
        self.waiting = list[phi.FoldOp]()
        """Short folds in the steps of others, to be raised after these."""

    def results(self, function: func.FuncOp) -> None:
        """Take the arrays that a function returns as stored: sums for each row may be as large."""
        for value in returned(function):
            sizes = dict[SSAValue, SSAValue]()
            while isinstance(value.owner, phi.ArrayOp):
                sizes.update(zip(value.owner.body.block.args, value.owner.sizes, strict=True))
                value = value.owner.yielded()
            for index, size in sizes.items():
                self._stored[unasserted(size)].add(frozenset(sizes) - {index})

    def fold(self, op: phi.FoldOp) -> None:
        """Raise a fold that is a reduction or a search, or fields of its accumulator that are."""
        if _waits(op):
            self.waiting.append(op)
        else:
            self.raise_now(op)

    def raise_now(self, op: phi.FoldOp) -> None:
        """The same for a fold that does not wait."""
        why = self._stays(op)
        if why is None or self._split(op, why):
            return
        if why.is_memory:
            self._large.append((op, why))
        else:
            self._note_fold(op, why)

    def finish(self) -> None:
        """Raise the folds that waited for others, and those as large as what others store."""
        for op in self.waiting:
            if op.parent is not None:
                self.raise_now(op)
        for op, why in self._large:
            is_stored = op.parent is not None and self._stored.get(unasserted(op.count))
            if not is_stored or self._stays(op) is not None:
                self._note_fold(self._with_position(op), why)

    def _with_position(self, op: phi.FoldOp) -> phi.FoldOp:
        """A loop that keeps the position of the best element in place of values to compute there.

        The loop itself if it is no such search.
        """
        search = fold_search(op)
        new = None if search is None else found_after_fold(op, search)
        if new is None:
            return op
        self._replace(op, new)
        return next(each for each in new if isinstance(each, phi.FoldOp))

    def _note_fold(self, op: phi.FoldOp, why: Reason) -> None:
        self._note_loop(op, f"the fold over {name_of(op.counter)} is a loop", why)

    def _note_loop(self, op: phi.FoldOp, text: str, why: Reason) -> None:
        self._note(op, SlowPart(f"{text}: {why.text}", why.hint))

    def _stays(self, op: phi.FoldOp) -> Reason | None:
        """Raise a fold if memory allows it; return the reason if not."""
        if op.irregular is not None:
            return Reason("its count is irregular")
        step = op.yielded()
        if combine_once(op):
            self._free.remove(step)
            self._free.add(op)
        found = reduction(op)
        if found is not None:
            return self._reduction(op, *found)
        search = fold_search(op)
        if search is not None:
            return self._search(op, search)
        return Reason("a step depends on the previous one, and is no sum, product, minimum, ...")

    def _reduction(self, op: phi.FoldOp, combine: Operation, summand: SSAValue) -> Reason | None:
        """``fold (k < n, acc = x) { acc + e }  -->  x + reduce (array (k < n) { e }) by { + }``

        A product of floats begins with its initial value, as ``x`` is its first factor.
        """
        terms = distribution(op, combine, summand, self._free)
        if terms is not None:
            self._replace(op, terms.ops)
            for fold in terms.folds:
                self.fold(fold)
            return None
        neutral = identity(combine.name, op.result.type)
        if neutral is None:
            return Reason(f"libraries do not reduce '{op.result.type}' by {combine.name}")
        starts_from_identity = is_constant(op.init, neutral)
        is_first_factor = not starts_from_identity and not takes_any_order(combine)
        if is_first_factor and self._library.is_nested:
            return Reason("a loop begins with the first factor, an array would be joined to it")
        if (why := self._needs_loop(op, summand, type(combine))) is not None:
            return why
        self._note(op, f"the fold over {name_of(op.counter)} is a reduction by {combine.name}")
        emitter = Emitter()
        elements = emitter.emit(array_of_steps(op, [summand]))
        if is_first_factor:
            elements = after_first(emitter, op.init, elements)
            starts_from_identity = True
        start = emitter.constant(neutral)
        total = emitter.reduce(elements, start, partial(same_operation, combine))
        if not starts_from_identity:
            emitter.same(combine, op.init, total)
        self._replace(op, emitter.ops)
        self._retry(elements.owner)
        return None

    def _retry(self, elements: Operation | Block) -> None:
        """Raise the folds of steps that have become elements: sums of them are matrix products."""
        if isinstance(elements, phi.ArrayOp):
            for inner in list(elements.body.block.ops):
                if isinstance(inner, phi.FoldOp) and _waits(inner):
                    self.waiting.append(inner)
                elif isinstance(inner, phi.FoldOp):
                    self._stays(inner)

    def _search(self, op: phi.FoldOp, search: Search) -> Reason | None:
        """``fold (k < n, best = x) { where(e < best, e, best) }`` by the position of the best e."""
        element = search.candidates[search.best]
        start = worst(search.predicate, element.type)
        assert start is not None
        if isa(element.type, IntegerType) and len(search.candidates) == 1:
            return self._reduction(op, *as_extreme(op, search))
        rows = None if self._library.is_nested else searched_rows(op, search)
        if search.guards and not rows and never_better(search.predicate, start) is None:
            return Reason(f"libraries do not search '{element.type}' in this way")
        if (why := self._needs_loop(op, element, None)) is not None:
            return why
        self._note(op, f"the fold over {name_of(op.counter)} is a search by {search.predicate}")
        new = found_in_fold(op, search) if rows is None else found_in_rows(op, search, rows)
        self._replace(op, new)
        return None

    def _needs_loop(
        self, op: phi.FoldOp, summand: SSAValue, combine: type[Operation] | None
    ) -> Reason | None:
        """The reason against computing all steps at once; None if there is none."""
        if (failing := unguarded(op)) is None:
            return MAY_FAIL
        if not is_regular(op):
            text = f"a size or a count in a step depends on {name_of(op.counter)}"
            return Reason(text, "give all steps the largest size, and choose elements by where()")
        if not self._fits(op, summand, combine):
            axes = names_of({op.counter, *self._free.of(summand)})
            text = f"an array over {axes} would be larger than the arrays that are read"
            return Reason(text, is_memory=True)
        if combine is not None and is_sum(combine.name):
            self._stored[unasserted(op.count)].update(stored_factors(op, summand, self._free))
        guard(op, failing)
        return None

    def _fits(self, op: phi.FoldOp, summand: SSAValue, combine: type[Operation] | None) -> bool:
        """Whether memory allows the values of all steps at once, unless a library convolves."""
        forms = self._forms
        if forms is not None and sums_filters(op, forms, "outputs"):
            return False
        fuses = self._library.fuses_all or (self._library.fuses_functions and _has_function(op))
        is_fused = (
            fuses
            and combine is not None
            and short_count(op) is None
            and is_elementwise(op.body.block)
        )
        joins = isinstance(summand.owner, phi.ReduceOp) and _reads_blocks(
            op, of_rows=not self._library.joins_axes
        )
        blocks = self._library.splits_axes or joins
        stored = self._stored[unasserted(op.count)]
        return is_fused or may_materialise(
            op,
            summand,
            combine,
            self._free,
            blocks=blocks,
            stored=stored,
            views=self._library.views,
            forms=forms,
        )

    def _split(self, op: phi.FoldOp, why: Reason) -> bool:
        """``fold (k < n, (x, y) = (a, b)) { (x + e, f(y)) }  -->  (reduce.., fold.. { f(y) })``

        Fields that depend on no other field are raised separately if possible. Whether any field is
        raised.
        """
        components = fold_components(op)
        if len(components) == 1:
            return False
        left = list[phi.FoldOp]()

        def raise_(part: phi.FoldOp) -> bool:
            if self._stays(part) is not None:
                left.append(part)
            return part not in left

        record = raise_fields(op, components, raise_, self._free)
        if record is not None and left:
            counter = name_of(op.counter)
            self._note_loop(op, f"the rest of the fold over {counter} is a loop", why)
        return record is not None

    def reduce(self, op: phi.ReduceOp) -> None:
        """Raise a reduction of records whose fields, or the best one, are found as by a fold."""
        components, steps = reduction_components(op), leaf_values(op.yielded())
        others = [group for group in components if not is_search(op, group)]
        are_raised = all(len(group) == 1 and _is_combination(steps[group[0]]) for group in others)
        if not are_raised or len(others) == len(steps) == 1:
            return
        self._free.remove(op.yielded())
        result = op.result
        fold = reduction_as_fold(op, self._free.add)
        self._free.replace(result, fold.result)
        self.fold(fold)

    def _replace(self, op: phi.FoldOp, new: Sequence[Operation]) -> None:
        """Replace an operation by others, the last of which returns its result."""
        self._free.remove(op.yielded())
        insert_before(op, new, self._free)
        result = new[-1].results[0]
        self._free.replace(op.result, result)
        replace(op, result)


def _is_combination(step: SSAValue) -> bool:
    """Whether a step is an operation by which a fold is a reduction."""
    return isinstance(step.owner, Operation) and is_reduction(step.owner.name, step.type)


def _has_function(op: phi.FoldOp) -> bool:
    """Whether a step computes a function such as ``exp`` that varies with the counter."""
    varying = dependents(op.body.block, op.counter)
    return any(is_function(each) and each.results[0] in varying for each in op.body.block.ops)


def is_elementwise(step: Block) -> bool:
    """Whether a step computes scalars of elements: no array, and no loop of its own."""
    return not any(op.regions for op in step.ops) and all(
        phi.is_scalar_type(result.type) for op in step.ops for result in op.results
    )


def raise_reductions(
    function: func.FuncOp, analyses: AnalysisManager, library: Library | None = None
) -> None:
    """Raise the folds of a function, innermost first.

    A short fold in the steps of another one waits: if these become elements of an array, its own
    steps may be whole arrays, and it is unrolled, where its elements would need more memory.
    """
    free = analyses.get(free_indices, function)
    convolves = library is not None and library.convolves
    forms = analyses.get(index_forms, function) if convolves else None
    raiser = Raiser(free, analyses.note, library, forms)
    raiser.results(function)
    for op in reversed(operations_in(function)):
        if isinstance(op, phi.FoldOp):
            raiser.fold(op)
        elif isinstance(op, phi.ReduceOp):
            raiser.reduce(op)
    raiser.finish()


def _waits(op: phi.FoldOp) -> bool:
    """Whether a short fold of a scalar is in the steps of a longer one of a scalar.

    Or in a nest of short ones with more steps together, of which it reads windows.
    """
    steps = short_count(op)
    if steps is None or not _is_of_scalar(op):
        return False
    outer, nest = op.parent_op(), dict[SSAValue, int]()
    while isinstance(outer, phi.ArrayOp) or _is_short(outer):
        assert outer is not None
        if _is_of_scalar(outer):
            nest[outer.counter] = short_count(outer) or 1
        outer = outer.parent_op()
    is_in_nest = steps < prod(nest.values()) and _reads_windows(op, {*nest})
    return _is_of_scalar(outer) or is_in_nest


def _is_of_scalar(op: Operation | None) -> TypeGuard[phi.FoldOp]:
    return isinstance(op, phi.FoldOp) and phi.is_scalar_type(op.result.type)


def _reads_windows(op: phi.FoldOp, others: set[SSAValue]) -> bool:
    """Whether a position in a step is a sum of its counter and others: ``a[i + k]``."""
    gets = [each for each in operations_in(op) if isinstance(each, phi.GetOp)]
    sums = [set(reached([position], _terms)) for get in gets for position in get.positions]
    return any(op.counter in found and not others.isdisjoint(found) for found in sums)


def _terms(value: SSAValue) -> Sequence[SSAValue]:
    owner = value.owner
    is_sum = isinstance(owner, arith.AddiOp | arith.SubiOp | arith.IndexCastOp)
    return owner.operands if is_sum else ()


def _reads_blocks(op: phi.FoldOp, *, of_rows: bool) -> bool:
    """Whether the steps read disjoint blocks: ``a[4*i + k]`` for k below 4.

    With ``of_rows``, not of neighbours along the last axis of an array.
    """
    varying = dependents(op.body.block, op.counter)
    gets = [each for each in operations_in(op) if isinstance(each, phi.GetOp)]
    read = [(get, position) for get in gets for position in get.positions if position in varying]
    return all(
        _is_in_block(position, op) and not (of_rows and position is get.positions[-1])
        for get, position in read
    )


def _is_in_block(position: SSAValue, op: phi.FoldOp) -> bool:
    """Whether a position is the sum of the counter of a fold and a multiple of its count."""
    count = known_int(op.count)
    return any(
        factor is op.count or (count is not None and known_int(factor) == count)
        for term in reached([position], _terms)
        if isinstance(term.owner, arith.MuliOp)
        for factor in term.owner.operands
    )


def _is_short(op: Operation | None) -> bool:
    return isinstance(op, phi.FoldOp) and short_count(op) is not None
