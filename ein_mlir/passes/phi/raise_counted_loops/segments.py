"""Loops whose numbers of steps vary with one index: sequences of the steps of rows, or scans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.counted_loops import CountedLoop
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.ragged_folds import reads_rows
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.scopes import (
    block_of,
    is_within,
    operations_in,
    outermost_without,
    reached,
    slice_within,
    sources_within,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import SCAN_KINDS, is_reduction, kind_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_counted_loops.steps import folds_around, replace, resume
from ein_mlir.rewriting.phi.insertion import Builder, Contributions
from ein_mlir.rewriting.phi.rows import KnownRows, as_size

FEW_ROWS = 2**10
"""The most elements of a result whose loops are a sequence of steps though they read no parts of
their own. A step of a loop over more takes longer than its calls.
"""

FEW_STEPS = 2**21
"""The most values of such a sequence, which are arrays that the program does not have."""


@dataclass(frozen=True)
class Term:
    """A field of a loop whose steps combine it with a value that depends on no such field."""

    combine: Operation
    initial: SSAValue
    value: SSAValue

    @property
    def kind(self) -> str:
        return kind_of(self.combine.name)


def terms_of(loop: CountedLoop) -> list[Term] | None:
    """The terms of all fields, if each is one."""
    found = [_term(loop, path) for path in loop.fields]
    return [term for term in found if term is not None] if found and all(found) else None


def _term(loop: CountedLoop, path: phi.Path) -> Term | None:
    combine = loop.next(path).owner
    if not isinstance(combine, Operation) or len(combine.operands) != 2:
        return None
    initial = loop.initial(path)
    if not is_reduction(combine.name, initial.type):
        return None
    for old, value in (combine.operands, reversed(combine.operands)):
        if loop.path_of(old) == path and _is_independent(loop, value):
            return Term(combine, initial, value)
    return None


def _is_independent(loop: CountedLoop, value: SSAValue) -> bool:
    """Whether a value depends on no field of the accumulator but the counter."""
    own = frozenset((None, loop.counter))
    return all(
        loop.path_of(each) in own and each is not loop.op.counter
        for each in reached([value], partial(_step_sources, loop))
    )


def _step_sources(loop: CountedLoop, value: SSAValue) -> Iterable[SSAValue]:
    """The values that a value of a step is computed from, if it is no field of the accumulator."""
    is_in_step = block_of(value) is loop.op.body.block and loop.path_of(value) is None
    return sources_within(value) if is_in_step else ()


@dataclass(frozen=True)
class CountedRows:
    """A loop whose number of steps varies with one index of the comprehension around it."""

    loop: CountedLoop
    around: phi.ArrayOp
    index: BlockArgument

    def place(self, forms: IndexForms) -> Builder:
        """A builder before all loops in which the numbers of steps are the same."""
        bounds = [self.loop.start, self.loop.end]
        needed = slice_within(self.around, bounds)
        used = [*self.around.sizes, *bounds, *(value for op in needed for value in op.operands)]
        outside = [value for value in used if not is_within(value, self.around)]
        return Builder.before(outermost_without(self.around, outside), forms.add)

    def lengths(self, build: Builder) -> SSAValue:
        """The numbers of steps of all rows."""

        def element(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
            bounds = [self.loop.start, self.loop.end]
            found = inner.copied(self.around.body.block, bounds, {self.index: indices[0]})
            return length(inner, *found)

        size = self.around.sizes[self.index.index]
        return build.comprehension([size], element, [self.index])

    def most(self, build: Builder) -> SSAValue:
        """The largest number of steps."""
        return build.reduce(self.lengths(build), 0, arith.MaxSIOp)


def length(build: Builder, start: SSAValue, end: SSAValue) -> SSAValue:
    """``where(start < end, end - start, 0)``"""
    return build.select(build.compare(start, "slt", end), build.sub(end, start), 0)


@dataclass(frozen=True)
class Rows(CountedRows):
    """Rows whose steps only combine values."""

    terms: Sequence[Term]
    are_shared: bool
    """Whether all rows have the same terms, but not as many."""

    are_own: bool
    """Whether a row reads parts of arrays of its own, so that these have about as many elements as
    all rows have steps.
    """

    @property
    def are_regular(self) -> bool:
        """Whether no loop remains."""
        return self.are_shared or self.are_own

    def sequence(self, build: Builder) -> SSAValue:
        """The numbers of steps of all rows that one sequence takes: all of them, or none where that
        is too long.
        """
        lengths, size = self.lengths(build), self.around.sizes[self.index.index]
        if self.are_own:
            return lengths

        def limited(most: SSAValue) -> SSAValue:
            return build.comprehension(
                [size], lambda inner, at: inner.min(inner.get(lengths, at), most), [self.index]
            )

        width = build.integer(1)
        for other in self.others:
            width = build.mul(width, self.around.sizes[other.index])
        total = build.reduce(limited(build.integer(FEW_STEPS + 1)), 0, arith.AddiOp)
        sizes = [(build.mul(width, size), FEW_ROWS), (build.mul(width, total), FEW_STEPS)]
        fits = build.all_of([build.compare(x, "sle", build.integer(most)) for x, most in sizes])
        return limited(build.select(fits, build.integer(FEW_STEPS), build.integer(0)))

    @property
    def others(self) -> list[BlockArgument]:
        """The other indices of the comprehension."""
        return [each for each in self.around.indices if each is not self.index]


def rows_of(loop: CountedLoop, forms: IndexForms) -> Rows | None:
    """The rows, if their steps only combine values."""
    folds = list(folds_around(loop))
    around = (folds[-1] if folds else loop.op).parent_op()
    indices = forms.free.of(loop.start) | forms.free.of(loop.end)
    terms = terms_of(loop)
    if not isinstance(around, phi.ArrayOp) or len(indices) != 1 or terms is None:
        return None
    (index,) = indices
    blocks = [each.body.block for each in (around, *folds)]
    if index.block is not blocks[0] or not all(
        _is_cheap(op) or op in folds for block in blocks for op in block.ops
    ):
        return None
    are_shared = _are_shared(loop, indices, terms, forms)
    are_own = _have_parts_of_their_own(loop, index, forms)
    return Rows(loop, around, index, terms, are_shared, are_own)


def size_of_shared(loop: CountedLoop, forms: IndexForms) -> SSAValue | None:
    """The size of an array whose elements all rows combine from the first one on, if they do.

    A row may have more steps, since positions clip.
    """
    indices, terms = forms.free.of(loop.end), terms_of(loop)
    if known_int(loop.start) != 0 or not indices or terms is None:
        return None
    is_singular_step = any(map(is_singular, operations_in(loop.op)))  # its derivative needs guards
    if is_singular_step or not _are_shared(loop, indices, terms, forms):
        return None
    for get in operations_in(loop.op):
        if isinstance(get, phi.GetOp) and not is_within(get.array, loop.op):
            for axis, place in enumerate(get.positions):
                atoms = forms.form(place).coefficients
                if any(loop.path_of(atom) == loop.counter for atom in atoms):
                    return Builder.before(loop.op, forms.add).size(get.array, axis)
    return None


def _are_shared(
    loop: CountedLoop, indices: frozenset[BlockArgument], terms: Sequence[Term], forms: IndexForms
) -> bool:
    """Whether no row has other terms, as in sums of ``a[k]``: then it has the first of them.

    The terms may vary with other indices, as those of ``a[i, k]``, if arrays of them are no larger
    than the result, or an array that is read.
    """
    variables = _variables(loop, terms, forms)
    others = variables.intersection(each for index in indices for each in index.block.args)
    ends = (forms.form(loop.end) - LinearForm.of(index) for index in indices)
    is_index = any(each.known() is not None for each in ends)
    are_few = not others or is_index or _reads_all(loop, others)
    are_same = not indices <= variables
    return all(term.kind in SCAN_KINDS for term in terms) and are_same and are_few


def _variables(
    loop: CountedLoop, terms: Sequence[Term], forms: IndexForms
) -> frozenset[BlockArgument]:
    """The indices that the first position, and terms at the same positions, vary with."""
    wanted = [loop.start, *(term.value for term in terms)]
    behind = reached(wanted, lambda value: () if loop.path_of(value) else sources_within(value))
    outside = [each for each in behind if block_of(each) is not loop.op.body.block]
    variables = [each for each in outside if isinstance(each, BlockArgument)]
    leaves = ((each, leaf) for each in variables for leaf in range(len(leaf_types(each.type))))
    return frozenset(index for each, leaf in leaves for index in forms.free.of(each, leaf))


def _reads_all(loop: CountedLoop, indices: frozenset[BlockArgument]) -> bool:
    """Whether an array is read at indices and at the counter."""
    reads = (each for each in operations_in(loop.op) if isinstance(each, phi.GetOp))
    return any(
        indices.issubset(map(phi.uncast, get.positions))
        and any(loop.path_of(place) == loop.counter for place in get.positions)
        for get in reads
    )


def _have_parts_of_their_own(loop: CountedLoop, index: BlockArgument, forms: IndexForms) -> bool:
    """Whether a row reads elements of its own, as ``a[start[i] + k]`` and ``b[i, k]``.

    The sequence of all steps is about as long as such an array. It may be much longer than arrays
    that all rows read.
    """
    if index in forms.free.of(loop.start):
        return True

    def is_counter(value: SSAValue) -> bool:
        return loop.path_of(value) == loop.counter

    def is_of_row(value: SSAValue) -> bool:
        return not is_counter(value) and index in forms.free.of(value)

    return reads_rows(loop.op, is_counter, is_of_row, forms)


def _is_cheap(op: Operation) -> bool:
    """Whether an operation may be done again: it has no body, or is a loop, which is not copied.

    It has a result by which it is found, as no assertion has.
    """
    is_found = bool(op.results) or isinstance(op, phi.YieldOp)
    return is_found and (not op.regions or isinstance(op, phi.WhileOp))


def flat(rows: Rows, forms: IndexForms) -> None:
    """All steps of all rows, one after another, as values that accumulate in their rows.

    ``array (i < m) { while (k < n_i) { acc + x } }  -->  accumulate (p < sum n) { row_p, x }``

    If rows read no parts of their own, that may be much longer than any array, so that a loop
    remains for where it is.

    Values that take loops are an array: its other indices may be rows of these loops.
    """
    index = rows.index
    build = Builder.before(rows.around, forms.add)
    place, size = rows.place(forms), rows.around.sizes[index.index]
    lengths = rows.sequence(place)
    steps = KnownRows.of(place, lengths, size, checked=False).steps(place)
    sizes = [steps.count, *(rows.around.sizes[other.index] for other in rows.others)]

    def terms(inner: Builder, at: Sequence[SSAValue]) -> Sequence[SSAValue]:
        row, step = steps.place(inner, at[0])
        known: dict[SSAValue, SSAValue] = dict(zip(rows.others, at[1:], strict=True))
        return _summands(inner, rows, {**known, rows.index: row}, step)

    has_loops = any(isinstance(op, phi.WhileOp) for op in operations_in(rows.loop.op)[1:])
    known = build.comprehensions(sizes, terms) if has_loops else None

    def contributions(inner: Builder, at: Sequence[SSAValue]) -> Contributions:
        row, _ = steps.place(inner, at[0])
        order = map(inner.as_int, at[1:])
        positions = [row if each is index else next(order) for each in rows.around.indices]
        values = terms(inner, at) if known is None else [inner.get(each, at) for each in known]
        return [(positions, value) for value in values]

    into = [(term.kind, list(rows.around.sizes)) for term in rows.terms]
    combined = build.accumulation(sizes, into, contributions)
    arrays = build.unpacked(combined, len(rows.terms))
    counts = None if rows.are_own else lengths
    _read(rows, arrays, lambda _: list(rows.around.indices), forms, counts)


def prefixes(rows: Rows, forms: IndexForms) -> None:
    """The combinations of the first terms, of which each row has one by its number of steps.

    ``array (i < m) { while (k < n_i) { acc + x } }  -->
    array (i < m) { acc + (scan (array (k < max n) { x }))[n_i] }``

    There is a scan for each other index that terms vary with.
    """
    place, build = rows.place(forms), Builder.before(rows.around, forms.add)
    most = rows.most(place)
    found = _variables(rows.loop, rows.terms, forms)
    others = [index for index in rows.others if index in found]
    sizes = [rows.around.sizes[index.index] for index in others]

    def terms(inner: Builder, at: Sequence[SSAValue]) -> Sequence[SSAValue]:
        known: dict[SSAValue, SSAValue] = dict(zip(others, at, strict=False))
        return _summands(inner, rows, known, inner.as_int(at[-1]))

    def scans(inner: Builder, at: Sequence[SSAValue]) -> Sequence[SSAValue]:
        pairs = zip(rows.terms, arrays, strict=True)
        rows_of_terms = ((term, inner.get(each, at) if at else each) for term, each in pairs)
        return [inner.scan(term.kind, each) for term, each in rows_of_terms]

    def at_ends(inner: Builder) -> Sequence[SSAValue]:
        return [*others, length(inner, rows.loop.start, rows.loop.end)]

    arrays = build.comprehensions([*sizes, as_size(place, most)], terms)
    combined = build.comprehensions(sizes, scans, others) if others else scans(build, ())
    _read(rows, combined, at_ends, forms)


def _summands(
    build: Builder, rows: Rows, known: dict[SSAValue, SSAValue], step: SSAValue
) -> list[SSAValue]:
    """The values of the terms in a step, given the indices; that of the row may be an Int."""

    def value_at(value: SSAValue) -> SSAValue:
        return build.recomputed(value, known, lambda each: is_within(each, rows.around))

    counter = build.add(value_at(rows.loop.start), step)
    for op in operations_in(rows.loop.op):
        known.update((x, counter) for x in op.results if rows.loop.path_of(x) == rows.loop.counter)
    return [value_at(term.value) for term in rows.terms]


def _read(
    rows: Rows,
    combined: Sequence[SSAValue],
    positions: Callable[[Builder], Sequence[SSAValue]],
    forms: IndexForms,
    counts: SSAValue | None = None,
) -> None:
    """Replace the loop by the initial values, combined with elements of other combinations.

    If rows may have more steps than those, ``counts`` are the numbers of them.
    """
    build = Builder.before(rows.loop.op, forms.add)
    at, final = positions(build), list[SSAValue]()
    for term, array in zip(rows.terms, combined, strict=True):
        found = build.get(array, at)
        final.append(build.same(term.combine, term.initial, found))
    if counts is None:
        replace(rows.loop, build, final, forms)
    else:
        counter = build.add(rows.loop.start, build.get(counts, [rows.index]))
        resume(rows.loop, build, counter, final, forms)
