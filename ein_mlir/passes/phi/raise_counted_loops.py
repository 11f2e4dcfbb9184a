"""``raise-counted-loops``: loops whose numbers of steps vary with an index become regular."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import MOST, LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.counted_loops import CountedLoop, counted
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices, leaf_paths
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.scopes import (
    innermost_first,
    is_within,
    operands_within,
    operations_in,
    outermost_without,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.reductions import is_reduction, kind_of
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import (
    Contributions,
    accumulation,
    comprehension,
    copied,
    integer,
    linear_value,
    packed,
    record_of,
    same_operation,
    unpacked,
)


@dataclass(frozen=True)
class Facts:
    """The facts about a function, which new operations are added to."""

    forms: IndexForms
    free: FreeIndices

    def before(self, op: Operation) -> Builder:
        """A builder of operations before another one."""
        return Builder(InsertPoint.before(op), operation_insertion_handler=[self.forms.add])


# Rectangles -------------------------------------------------------------------------------------


def _longest(loop: CountedLoop, facts: Facts) -> LinearForm | None:
    """The most steps over all indices; None if their number is no linear function of these.

    A sum of linear functions of single indices is largest at their first or last values.
    """
    forms = facts.forms
    length = forms.form(loop.end) - forms.form(loop.start)
    longest = LinearForm.number(length.constant)
    for atom, factor in length.coefficients.items():
        if phi.is_comprehension_index(atom):
            if factor > 0:
                longest += (forms.form(phi.size_of_index(atom)) - 1) * factor
        elif facts.free.of(atom):
            return None
        else:
            longest += LinearForm.of(atom) * factor
    return longest


def rectangular(loop: CountedLoop, longest: LinearForm, facts: Facts) -> None:
    """``while (k < n) { e }  -->  fold (d < m) { where(d < n - p, e, acc) }``

    with ``p + d`` for k, where k starts at p and m is the most steps. A sum ``acc + x`` adds
    ``where(d < n - p, x, 0)``: that remains a reduction, whose terms have a mask.
    """
    op, build = loop.op, facts.before(loop.op)
    count = _count(loop, longest, facts)
    length = build.insert(arith.SubiOp(loop.end, loop.start)).result
    initial = [loop.initial(path) for path in loop.fields]
    init = packed(build, initial)
    block = Block(arg_types=(i64, init.type))
    block.args[0].name_hint, block.args[1].name_hint = op.counter.name_hint, "acc"
    inner = Builder(InsertPoint.at_end(block))
    before = unpacked(inner, block.args[1], len(initial))
    place = inner.insert(arith.AddiOp(loop.start, block.args[0])).result
    values = _step(inner, loop, place, before)
    is_inside = inner.insert(arith.CmpiOp(block.args[0], length, "slt")).result
    after = [values.get(value, value) for value in map(loop.next, loop.fields)]
    chosen = [_guarded(inner, is_inside, new, old) for new, old in zip(after, before, strict=True)]
    inner.insert(phi.YieldOp(packed(inner, chosen)))
    erase_unused(block)
    fold = build.insert(phi.FoldOp(count, init, Region(block)))
    _replace(loop, build, unpacked(build, fold.result, len(initial)), facts)


def _count(loop: CountedLoop, longest: LinearForm, facts: Facts) -> SSAValue:
    """The most steps, before all loops that do not define a value that it depends on.

    Passes that compute arrays before these loops then know their sizes.
    """
    build = facts.before(outermost_without(loop.op, longest.coefficients))
    return build.insert(arith.MaxSIOp(linear_value(build, longest), integer(build, 0))).result


def _guarded(build: Builder, test: SSAValue, new: SSAValue, old: SSAValue) -> SSAValue:
    """``where(test, new, old)``; ``where(test, old + x, old)`` as ``old + where(test, x, 0)``."""
    combine = new.owner
    if isinstance(combine, Operation) and is_reduction(combine.name, new.type):
        neutral = identity(combine.name, new.type)
        if neutral is not None and old in combine.operands:
            default = build.insert(arith.ConstantOp(neutral)).result
            terms = [
                each if each is old else build.insert(arith.SelectOp(test, each, default)).result
                for each in combine.operands
            ]
            return build.insert(same_operation(combine, *terms)).results[0]
    return build.insert(arith.SelectOp(test, new, old)).result


def _step(
    build: Builder, loop: CountedLoop, counter: SSAValue, fields: Sequence[SSAValue]
) -> dict[SSAValue, SSAValue]:
    """Copies of the operations of a step, for a counter and the other fields.

    Passes that look at positions find them without the record.
    """
    values: dict[SSAValue, SSAValue] = {
        loop.op.accumulator: _record(build, loop, counter, fields, value_of_condition=True)
    }
    for each in loop.op.body.block.ops:
        made = values.get(each.record, each.record).owner if isinstance(each, phi.ProjOp) else None
        if isinstance(each, phi.ProjOp) and isinstance(made, phi.TupleOp):
            values[each.result] = made.fields[each.field.value.data]
        elif not isinstance(each, phi.YieldOp):
            build.insert(each.clone(values))
    return values


def _record(
    build: Builder,
    loop: CountedLoop,
    counter: SSAValue,
    fields: Sequence[SSAValue],
    *,
    value_of_condition: bool,
) -> SSAValue:
    """The accumulator with given fields."""
    condition = build.insert(arith.ConstantOp.from_int_and_width(value_of_condition, 1)).result
    known = {(0,): condition, loop.counter: counter}
    known |= dict(zip(loop.fields, fields, strict=True))
    type_ = loop.op.init.type
    return record_of(build, type_, [known[path] for path in leaf_paths(type_)])


def _replace(loop: CountedLoop, build: Builder, fields: Sequence[SSAValue], facts: Facts) -> None:
    """Replace a loop, given the final values of its fields; the counter ends at ``max(p, n)``."""
    end = build.insert(arith.MaxSIOp(loop.start, loop.end)).result
    result = _record(build, loop, end, fields, value_of_condition=False)
    facts.free.inherit(result, loop.op.result)
    Rewriter.replace_op(loop.op, (), (result,))


# Segments ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Term:
    """A field of a loop whose steps combine it with a value that depends on no such field."""

    combine: Operation
    initial: SSAValue
    value: SSAValue

    @property
    def kind(self) -> str:
        return kind_of(self.combine.name)


def _terms(loop: CountedLoop) -> list[Term] | None:
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
    pending, seen = [value], set[SSAValue]()
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        path = loop.path_of(current)
        if path == loop.counter:
            continue
        if path is not None or current is loop.op.counter:
            return False
        if isinstance(owner := current.owner, Operation) and owner.parent is loop.op.body.block:
            pending.extend(operands_within(owner))
    return True


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


def _rows(loop: CountedLoop, facts: Facts) -> Rows | None:
    around = loop.op.parent_op()
    indices = facts.free.of(loop.start) | facts.free.of(loop.end)
    terms = _terms(loop)
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
    total = _size(build, build.insert(phi.GetOp(starts, [size])).result)
    numbers = _rows_of_steps(build, starts, size, total)
    kept = [rows.around.sizes[other.index] for other in rows.others]

    def contributions(inner: Builder, at: Sequence[SSAValue]) -> Contributions:
        row = inner.insert(phi.GetOp(numbers, [at[0]])).result
        values = _values_in(rows, row, at[1:])
        first = inner.insert(phi.GetOp(starts, [row])).result
        place = inner.insert(arith.IndexCastOp(at[0], i64)).result
        step = inner.insert(arith.SubiOp(place, first)).result
        terms = _summands(inner, rows, values, step)
        others = [inner.insert(arith.IndexCastOp(each, i64)).result for each in at[1:]]
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
        steps = inner.insert(arith.SubiOp(end, start)).result
        some = inner.insert(arith.CmpiOp(start, end, "slt")).result
        return inner.insert(arith.SelectOp(some, steps, integer(inner, 0))).result

    lengths = comprehension(build, [size], length, [rows.index])
    return build.insert(phi.ScanOp("add", lengths)).result


def _size(build: Builder, steps: SSAValue) -> SSAValue:
    """A number of steps as a size, so that arrays of this size may leave a loop.

    No run takes more steps than that, and no memory holds them.
    """
    most, zero = integer(build, MOST), integer(build, 0)
    is_negative = build.insert(arith.CmpiOp(steps, zero, "slt")).result
    steps = build.insert(arith.SelectOp(is_negative, most, steps)).result
    at_most = build.insert(arith.MinSIOp(steps, most)).result
    return build.insert(arith.MaxSIOp(at_most, zero)).result


def _rows_of_steps(build: Builder, starts: SSAValue, size: SSAValue, total: SSAValue) -> SSAValue:
    """The row of each step: how many rows have started, less one."""

    def mark(inner: Builder, at: Sequence[SSAValue]) -> Contributions:
        return [([inner.insert(phi.GetOp(starts, [at[0]])).result], integer(inner, 1))]

    marks = accumulation(build, [size], [("add", [total])], mark)
    started = build.insert(phi.ScanOp("add", marks)).result

    def row(inner: Builder, at: Sequence[SSAValue]) -> SSAValue:
        one = integer(inner, 1)
        place = inner.insert(arith.IndexCastOp(at[0], i64)).result
        behind = inner.insert(arith.AddiOp(place, one)).result
        number = inner.insert(phi.GetOp(started, [behind])).result
        return inner.insert(arith.SubiOp(number, one)).result

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
    counter = build.insert(arith.AddiOp(values.get(loop.start, loop.start), step)).result
    for op in operations_in(loop.op):
        for result in op.results:
            if loop.path_of(result) == loop.counter:
                values[result] = counter
    for op in needed:
        if op.parent is block and not any(result in values for result in op.results):
            build.insert(op.clone(values))
    return [values.get(value, value) for value in wanted]


def _needed(
    loop: CountedLoop, wanted: Sequence[SSAValue], values: dict[SSAValue, SSAValue]
) -> Iterator[Operation]:
    """The operations of the loop's body that values depend on, in order."""
    block, needed = loop.op.body.block, set[Operation]()
    pending = list(wanted)
    while pending:
        current = pending.pop()
        owner = current.owner
        if not isinstance(owner, Operation) or owner.parent is not block or owner in needed:
            continue
        if current in values or loop.path_of(current) is not None:
            continue
        needed.add(owner)
        pending.extend(operands_within(owner))
    return (op for op in block.ops if op in needed)


def _read(rows: Rows, combined: SSAValue, facts: Facts) -> None:
    """Replace the loop by the initial values, combined with those that were accumulated."""
    build = facts.before(rows.loop.op)
    final = list[SSAValue]()
    for number, term in enumerate(rows.terms):
        each = combined
        if len(rows.terms) > 1:
            each = build.insert(phi.ProjOp(combined, number)).result
        found = build.insert(phi.GetOp(each, list(rows.around.indices))).result
        final.append(build.insert(same_operation(term.combine, term.initial, found)).results[0])
    _replace(rows.loop, build, final, facts)


# The pass ---------------------------------------------------------------------------------------


def raise_counted_loops(
    function: func.FuncOp, analyses: AnalysisManager, *, static: bool = False
) -> None:
    """Make the counted loops of a function regular, innermost first."""
    facts = Facts(analyses.get(index_forms, function), analyses.get(free_indices, function))
    for op in innermost_first(function, phi.WhileOp):
        loop = counted(op)
        if loop is None or not _is_of_scalars(loop):
            continue
        longest = _longest(loop, facts)
        rows = None if static or longest is not None else _rows(loop, facts)
        if longest is not None and not _may_fail(op):
            rectangular(loop, longest, facts)
        elif rows is not None:
            flat(rows, facts)


def _is_of_scalars(loop: CountedLoop) -> bool:
    return bool(loop.fields) and all(
        phi.is_scalar_type(loop.initial(path).type) for path in loop.fields
    )


def _may_fail(op: phi.WhileOp) -> bool:
    """Whether a step may be an error, which one that the loop does not take is not."""
    return any(isinstance(each, phi.PhiOp) and each.may_fail() for each in operations_in(op))


@dataclass(frozen=True)
class RaiseCountedLoopsPass(FunctionPass):
    """Makes loops by a condition that count regular: folds, or accumulations of all their steps.

    Before::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          %end = arith.index_cast %i : index to i64
          %some = arith.cmpi slt, %zero, %end : i64
          %init = phi.tuple (%some, %zero, %one) : tuple<i1, i64, f64>
          %s = phi.while (%steps < %limit, %state = %init) -> tuple<i1, i64, f64> {
            %k = phi.proj %state, 1 : tuple<i1, i64, f64> -> i64
            %acc = phi.proj %state, 2 : tuple<i1, i64, f64> -> f64
            %next = arith.addi %k, %one_more : i64
            %more = arith.cmpi slt, %next, %end : i64
            %x = phi.get %a[%k] : !phi.vec<f64>[i64]
            %y = arith.mulf %acc, %x : f64
            %after = phi.tuple (%more, %next, %y) : tuple<i1, i64, f64>
            phi.yield %after : tuple<i1, i64, f64>
          }
          %t = phi.proj %s, 2 : tuple<i1, i64, f64> -> f64
          phi.yield %t : f64
        }

    After (``%most`` is ``max(n - 1, 0)``)::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          %end = arith.index_cast %i : index to i64
          %t = phi.fold (%k < %most, %acc = %one) -> f64 {
            %x = phi.get %a[%k] : !phi.vec<f64>[i64]
            %is_inside = arith.cmpi slt, %k, %end : i64
            %factor = arith.select %is_inside, %x, %one : f64
            %next = arith.mulf %acc, %factor : f64
            phi.yield %next : f64
          }
          phi.yield %t : f64
        }

    The number of steps is a linear function of indices here, so that the longest row is known:
    rectangles are little larger. If it is another function of one index of the comprehension around
    the loop, each row reads a part of an array of its own, and steps only combine values, all steps
    of all rows make one sequence: the values accumulate in their rows. The work is that of the
    steps. With the option ``static``, for backends whose sizes do not depend on data, these loops
    remain.
    """

    static: bool = False

    name = "raise-counted-loops"
    looks_for = (phi.WhileOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        raise_counted_loops(function, analyses, static=self.static)
