"""Loops whose numbers of steps vary with one index: one sequence of the steps of all rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.phi.counted_loops import CountedLoop
from ein_mlir.analysis.scopes import block_of, is_within, operations_in, reached, sources_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import is_reduction, kind_of
from ein_mlir.passes.phi.raise_counted_loops.steps import Facts, replace
from ein_mlir.rewriting.phi.builders import (
    Contributions,
    accumulation,
    comprehension,
    copied,
    recomputed,
    same_operation,
)
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.rows import KnownRows


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
class Rows:
    """A loop whose number of steps varies with one index of the comprehension around it."""

    loop: CountedLoop
    around: phi.ArrayOp
    index: BlockArgument
    terms: Sequence[Term]

    @property
    def others(self) -> list[BlockArgument]:
        """The other indices of the comprehension."""
        return [each for each in self.around.indices if each is not self.index]


def rows_of(loop: CountedLoop, facts: Facts) -> Rows | None:
    """The rows, if they read parts of arrays of their own and their steps only combine values."""
    around = loop.op.parent_op()
    indices = facts.free.of(loop.start) | facts.free.of(loop.end)
    terms = terms_of(loop)
    if not isinstance(around, phi.ArrayOp) or len(indices) != 1 or terms is None:
        return None
    (index,) = indices
    if index.block is not around.body.block or not all(map(_is_cheap, around.body.block.ops)):
        return None
    if not _have_parts_of_their_own(loop, index, facts):
        return None
    return Rows(loop, around, index, terms)


def _have_parts_of_their_own(loop: CountedLoop, index: BlockArgument, facts: Facts) -> bool:
    """Whether a row reads elements from a place on that varies with it, as ``a[start[i] + k]``.

    The sequence of all steps is about as long as such an array. It may be much longer than arrays
    that all rows read.
    """
    if index in facts.free.of(loop.start):
        return True
    gets = (op for op in operations_in(loop.op) if isinstance(op, phi.GetOp))
    for position in (position for get in gets for position in get.positions):
        atoms = facts.forms.form(position).coefficients
        others = [atom for atom in atoms if loop.path_of(atom) != loop.counter]
        if len(others) < len(atoms) and any(index in facts.free.of(atom) for atom in others):
            return True
    return False


def _is_cheap(op: Operation) -> bool:
    """Whether an operation may be done again: it has no body, or is a loop, which is not copied."""
    return not op.regions or isinstance(op, phi.WhileOp)


def flat(rows: Rows, facts: Facts) -> None:
    """All steps of all rows, one after another, as values that accumulate in their rows.

    ``array (i < m) { while (k < n_i) { acc + x } }  -->  accumulate (p < sum n) { row_p, x }``
    """
    index = rows.index
    build = facts.before(rows.around)
    size = rows.around.sizes[index.index]
    steps = _known_rows(build, rows, size).steps(build)
    kept = [rows.around.sizes[other.index] for other in rows.others]

    def contributions(inner: Builder, at: Sequence[SSAValue]) -> Contributions:
        row, step = steps.place(inner, at[0])
        known: dict[SSAValue, SSAValue] = dict(zip(rows.others, at[1:], strict=True))
        terms = _summands(inner, rows, {**known, rows.index: row}, step)
        others = [inner.as_int(each) for each in at[1:]]
        order = iter(others)
        positions = [row if each is index else next(order) for each in rows.around.indices]
        return [(positions, term) for term in terms]

    into = [(term.kind, list(rows.around.sizes)) for term in rows.terms]
    combined = accumulation(build, [steps.count, *kept], into, contributions)
    _read(rows, combined, facts)


def _known_rows(build: Builder, rows: Rows, size: SSAValue) -> KnownRows:
    """The rows by their numbers of steps."""

    def length(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        wanted = [rows.loop.start, rows.loop.end]
        values: dict[SSAValue, SSAValue] = {rows.index: indices[0]}
        start, end = copied(inner, rows.around.body.block, wanted, values)
        steps = inner.sub(end, start)
        return inner.select(inner.compare(start, "slt", end), steps, 0)

    lengths = comprehension(build, [size], length, [rows.index])
    return KnownRows.of(build, lengths, size, checked=False)


def _summands(
    build: Builder, rows: Rows, known: dict[SSAValue, SSAValue], step: SSAValue
) -> list[SSAValue]:
    """The values of the terms in a step, given the indices; that of the row may be an Int."""

    def value_at(value: SSAValue) -> SSAValue:
        return recomputed(build, value, known, lambda each: is_within(each, rows.around))

    counter = build.add(value_at(rows.loop.start), step)
    for op in operations_in(rows.loop.op):
        known.update((x, counter) for x in op.results if rows.loop.path_of(x) == rows.loop.counter)
    return [value_at(term.value) for term in rows.terms]


def _read(rows: Rows, combined: SSAValue, facts: Facts) -> None:
    """Replace the loop by the initial values, combined with those that were accumulated."""
    build = facts.before(rows.loop.op)
    final = list[SSAValue]()
    for number, term in enumerate(rows.terms):
        each = combined
        if len(rows.terms) > 1:
            each = build.proj(combined, number)
        found = build.get(each, list(rows.around.indices))
        final.append(build.emit(same_operation(term.combine, term.initial, found)))
    replace(rows.loop, build, final, facts)
