"""Loops whose numbers of steps vary with one index: one sequence of the steps of all rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.phi.counted_loops import CountedLoop
from ein_mlir.analysis.scopes import (
    block_of,
    is_within,
    operands_within,
    operations_in,
    reached,
    sources_within,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.reductions import is_reduction, kind_of
from ein_mlir.passes.phi.raise_counted_loops.steps import Facts, replace
from ein_mlir.rewriting.phi.builders import (
    Contributions,
    accumulation,
    comprehension,
    copied,
    same_operation,
)
from ein_mlir.rewriting.phi.insertion import Builder


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
    if _casts(loop, index) is None or not _have_parts_of_their_own(loop, index, facts):
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


def _casts(loop: CountedLoop, index: BlockArgument) -> list[SSAValue] | None:
    """The Ints of an index; None if one is made in a body inside of the loop."""
    blocks = (index.block, loop.op.body.block)
    casts = [use.operation for use in index.uses if isinstance(use.operation, arith.IndexCastOp)]
    if any(cast.parent not in blocks for cast in casts):
        return None
    return [cast.result for cast in casts]


def flat(rows: Rows, facts: Facts) -> None:
    """All steps of all rows, one after another, as values that accumulate in their rows.

    ``array (i < m) { while (k < n_i) { acc + x } }  -->  accumulate (p < sum n) { row_p, x }``
    """
    index = rows.index
    build = facts.before(rows.around)
    size = rows.around.sizes[index.index]
    starts = _starts(build, rows, size)
    total = _size(build, build.get(starts, [size]))
    numbers = _rows_of_steps(build, starts, size, total)
    kept = [rows.around.sizes[other.index] for other in rows.others]

    def contributions(inner: Builder, at: Sequence[SSAValue]) -> Contributions:
        row = inner.get(numbers, [at[0]])
        values = _values_in(rows, row, at[1:])
        first = inner.get(starts, [row])
        step = inner.sub(inner.as_int(at[0]), first)
        terms = _summands(inner, rows, values, step)
        others = [inner.as_int(each) for each in at[1:]]
        order = iter(others)
        positions = [row if each is index else next(order) for each in rows.around.indices]
        return [(positions, term) for term in terms]

    into = [(term.kind, list(rows.around.sizes)) for term in rows.terms]
    combined = accumulation(build, [total, *kept], into, contributions)
    _read(rows, combined, facts)


def _starts(build: Builder, rows: Rows, size: SSAValue) -> SSAValue:
    """The numbers of steps before each row, and of all."""

    def length(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        wanted = [rows.loop.start, rows.loop.end]
        values: dict[SSAValue, SSAValue] = {rows.index: indices[0]}
        start, end = copied(inner, rows.around.body.block, wanted, values)
        steps = inner.sub(end, start)
        return inner.select(inner.compare(start, "slt", end), steps, 0)

    lengths = comprehension(build, [size], length, [rows.index])
    return build.emit(phi.ScanOp("add", lengths))


def _size(build: Builder, steps: SSAValue) -> SSAValue:
    """A number of steps as a size, so that arrays of this size may leave a loop.

    No run takes more steps than that, and no memory holds them.
    """
    most, zero = build.integer(MOST), build.integer(0)
    is_negative = build.compare(steps, "slt", zero)
    steps = build.select(is_negative, most, steps)
    return build.max(build.min(steps, most), zero)


def _rows_of_steps(build: Builder, starts: SSAValue, size: SSAValue, total: SSAValue) -> SSAValue:
    """The row of each step: how many rows have started, less one."""

    def mark(inner: Builder, at: Sequence[SSAValue]) -> Contributions:
        return [([inner.get(starts, [at[0]])], inner.integer(1))]

    marks = accumulation(build, [size], [("add", [total])], mark)
    started = build.emit(phi.ScanOp("add", marks))

    def row(inner: Builder, at: Sequence[SSAValue]) -> SSAValue:
        one = inner.integer(1)
        return inner.sub(inner.get(started, [inner.add(inner.as_int(at[0]), one)]), one)

    return comprehension(build, [total], row)


def _values_in(rows: Rows, row: SSAValue, others: Sequence[SSAValue]) -> dict[SSAValue, SSAValue]:
    """The values of indices in the body of the accumulation; the row is an Int."""
    values: dict[SSAValue, SSAValue] = dict(zip(rows.others, others, strict=True))
    values[rows.index] = row
    casts = _casts(rows.loop, rows.index)
    assert casts is not None
    return values | dict.fromkeys(casts, row)


def _summands(
    build: Builder, rows: Rows, values: dict[SSAValue, SSAValue], step: SSAValue
) -> list[SSAValue]:
    """The values of the terms in a step."""
    loop, block = rows.loop, rows.loop.op.body.block
    wanted = [term.value for term in rows.terms]
    needed = list(_needed(loop, wanted, values))
    read = [value for op in needed for value in operands_within(op)]
    captured = [value for value in (*read, *wanted) if not is_within(value, loop.op)]
    copied(build, rows.around.body.block, [*captured, loop.start], values)
    counter = build.add(values.get(loop.start, loop.start), step)
    for op in operations_in(loop.op):
        for result in op.results:
            if loop.path_of(result) == loop.counter:
                values[result] = counter
    for op in needed:
        if op.parent is block and not any(result in values for result in op.results):
            build.insert(copy_of(op, values))
    return [values.get(value, value) for value in wanted]


def _needed(
    loop: CountedLoop, wanted: Sequence[SSAValue], values: dict[SSAValue, SSAValue]
) -> Iterator[Operation]:
    """The operations of the loop's body that values depend on, in order."""
    steps = reached(wanted, lambda x: () if x in values else _step_sources(loop, x))
    needed = {x.owner for x in steps if x not in values and loop.path_of(x) is None}
    return (op for op in loop.op.body.block.ops if op in needed)


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
