"""``add-in-place``: what a step adds to few elements of an array is added in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test, is_zero
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, equal_sizes
from ein_mlir.analysis.phi.variables import element_read
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import (
    block_of,
    dependents,
    home_of,
    is_within,
    operands_within,
    operations_in,
    operations_of,
)
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import folded
from ein_mlir.rewriting.phi.derivatives.contributions import SizeForms
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.replacement import replace

# Several terms -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Placed:
    """``select (q == place, value, ..)`` for the last index q of a comprehension."""

    place: SSAValue
    value: SSAValue


@dataclass
class Terms:
    """``array(p, q: select (q == w(p), v(p), a[p, q]) + s[p, q] + select (q == c(p), x(p), 0))``"""

    op: phi.ArrayOp
    starts: list[SSAValue]
    """The array a;"""
    replaced: list[Placed]
    """what replaces elements of it;"""
    added: list[Placed]
    """terms at positions;"""
    fields: dict[SSAValue, tuple[phi.AccumulateOp, int]]
    """and accumulations, each with the number of a field."""

    @property
    def sizes(self) -> list[Sequence[SSAValue]]:
        """The sizes of the loops that add in place."""
        rows = len(self.replaced) + len(self.added)
        own = [
            [*inner.sizes, *self.op.sizes[inner.accumulators[number].rank :]]
            for inner, number in self.fields.values()
        ]
        return [*own, *[self.op.sizes[:-1]] * rows]


def terms_of(op: phi.ArrayOp, sizes: SizeEquivalence) -> Terms | None:
    """A comprehension in a step of a fold as a sum of an array and of terms for few elements."""
    if not isinstance(op.parent_op(), phi.FoldOp):
        return None
    found, pending = Terms(op, [], [], [], {}), [op.yielded()]
    while pending:
        value = pending.pop()
        if isinstance(value.owner, arith.AddfOp) and value.has_one_use():
            pending.extend(value.owner.operands)
        elif not _add_term(found, value, sizes):
            return None
    is_sum = len(found.starts) == 1 and bool(found.fields or found.added)
    return found if is_sum and not _places_read(found) else None


def _add_term(found: Terms, value: SSAValue, sizes: SizeEquivalence) -> bool:
    """Whether a value is a term, which is added to those found."""
    op, choice = found.op, value.owner
    if isinstance(choice, arith.SelectOp) and len(op.indices) > 1:
        place = _place(op, choice.cond)
        if place is None or _varies(op, choice.lhs):
            return False
        if is_zero(choice.rhs):
            found.added.append(Placed(place, choice.lhs))
            return True
        found.replaced.append(Placed(place, choice.lhs))
        value = choice.rhs
    read = value.owner
    is_whole = isinstance(read, phi.GetOp) and read.is_at(op.indices)
    if not isinstance(read, phi.GetOp) or not is_whole or not sizes.may_stand_for(read.array, op):
        return False
    field, source, number = read.array.owner, read.array, 0
    if isinstance(field, phi.ProjOp):
        source, number = field.record, field.field.value.data
    if not isinstance(source.owner, phi.AccumulateOp):
        found.starts.append(read.array)
        return True
    found.fields[read.array] = source.owner, number
    return isinstance(choice, phi.GetOp) and _is_only_added(op, source)


def _place(op: phi.ArrayOp, condition: SSAValue) -> SSAValue | None:
    """The position that a condition compares the last index with, if that does not vary with it."""
    relation = relation_of(condition)
    if relation is None or relation.predicate != "eq":
        return None
    for each in relation.readings:
        if phi.uncast(each.lhs) is op.indices[-1] and not _varies(op, each.rhs):
            return each.rhs
    return None


def _varies(op: phi.ArrayOp, value: SSAValue) -> bool:
    """Whether a value of a comprehension depends on its last index."""
    return value in dependents(op.body.block, op.indices[-1])


def _is_only_added(op: phi.ArrayOp, source: SSAValue) -> bool:
    """Whether a comprehension alone reads the arrays of an accumulation in its block."""
    inner = phi.AccumulateOp.of(source)
    users = [use.operation for use in source.uses]
    reads = [use.operation for each in users for x in each.results for use in x.uses]
    inside = reads if isinstance(users[0], phi.ProjOp) else users
    are_sums = all(each.kind == "add" for each in inner.accumulators)
    return are_sums and inner.parent is op.parent and all(map(op.is_ancestor, inside))


def _places_read(found: Terms) -> bool:
    """Whether positions of terms depend on the array."""
    places = [each.place for each in (*found.replaced, *found.added)]
    needed = slice_of(found.op.body.block, places)
    return any(found.starts[0] in operands_within(op) for op in needed)


def _is_computed_before(found: Terms, each: Placed) -> bool:
    """Whether the value of a term reads an array that the step may overwrite, but for the element
    that it replaces: as ``a[p, c]`` does, where it is added to ``a[p, w]``.
    """
    op, (start,) = found.op, found.starts
    own = [*op.indices[:-1], phi.uncast(each.place)] if each in found.replaced else None
    needed = slice_of(op.body.block, [each.value])
    return any(
        phi.rank_of(read.array.type) >= len(op.indices)
        and block_of(read.array) is op.parent
        and not (read.array is start and list(map(phi.uncast, read.positions)) == own)
        for outer in needed
        for read in operations_in(outer)
        if isinstance(read, phi.GetOp)
    )


def _compute_before(build: Builder, found: Terms) -> None:
    """Compute the values of terms that read such arrays before the comprehension."""
    op = found.op
    terms = [each for each in (*found.replaced, *found.added) if _is_computed_before(found, each)]
    values = list(dict.fromkeys(each.value for each in terms))
    if not values:
        return

    def elements(inner: Builder, own: Sequence[SSAValue]) -> Sequence[SSAValue]:
        known = dict[SSAValue, SSAValue](zip(op.indices, own, strict=False))
        return inner.copied(op.body.block, values, known)

    arrays = build.comprehensions(op.sizes[:-1], elements, op.indices)
    new = dict[SSAValue, SSAValue]()
    for value, array in zip(values, arrays, strict=True):
        assert isinstance(value.owner, Operation)
        new[value] = Builder.before(value.owner).get(array, op.indices[:-1])
        value.replace_all_uses_with(new[value])
    erase_unused(op.body.block)
    for placed in (found.replaced, found.added):
        placed[:] = [Placed(each.place, new.get(each.value, each.value)) for each in placed]


def add_terms(found: Terms, sizes: SizeEquivalence) -> None:
    """Replace elements of the array, and add the terms to it, if that takes fewer steps."""
    op, (start,) = found.op, found.starts
    build = Builder.before(op, sizes.add)
    _compute_before(build, found)
    steps = reduce(build.add, [reduce(build.mul, each) for each in found.sizes])
    are_few = build.compare(steps, "slt", reduce(build.mul, op.sizes))

    def over(
        body: Inserter, loops: Sequence[_Loop], array: SSAValue, step: _Step, *at: SSAValue
    ) -> SSAValue:
        if not loops:
            return step(body, at, array)
        (size, index), *rest = loops
        count = body.select(are_few, size, 0) if not at else size
        return body.fold_over(
            count, array, lambda inner, k, now: over(inner, rest, now, step, *at, k), [index]
        )

    array, rows = start, list(zip(op.sizes, op.indices, strict=True))[:-1]
    for each in (*found.replaced, *found.added):
        step = partial(_put, found, each, adds=each in found.added)
        array = over(build, rows, array, step)
    for inner, number in found.fields.values():
        loops = list(zip(inner.sizes, inner.indices, strict=True))
        array = over(build, loops, array, partial(_accumulate, inner, number))

    def all_at_once(body: Inserter, _: SSAValue, array: SSAValue) -> SSAValue:
        known: dict[SSAValue, SSAValue] = {start: array}
        for inner in dict.fromkeys(inner for inner, _ in found.fields.values()):
            body.copy(inner, known)
        for each in found.fields:
            if isinstance(each.owner, phi.ProjOp):
                body.copy(each.owner, known)
        return body.copy(op, known).result

    array = build.fold_over(build.steps_if(Test(are_few, False)), array, all_at_once)
    replace(op, array, sizes)
    for each in found.fields:
        if isinstance(each.owner, phi.ProjOp):
            Rewriter.erase_op(each.owner)
    for inner in dict.fromkeys(inner for inner, _ in found.fields.values()):
        if not list(inner.result.uses):
            Rewriter.erase_op(inner)


_Loop: TypeAlias = tuple[SSAValue, SSAValue]
"""The size and the index of a loop."""
_Step: TypeAlias = Callable[[Inserter, Sequence[SSAValue], SSAValue], SSAValue]
"""The array after a step, by the counters around."""


def _put(
    found: Terms,
    each: Placed,
    body: Inserter,
    at: Sequence[SSAValue],
    array: SSAValue,
    *,
    adds: bool,
) -> SSAValue:
    """``a[p, w(p)] := v(p)``, or what it was and ``v(p)``."""
    known = dict[SSAValue, SSAValue](zip(found.op.indices, at, strict=False))
    known[found.starts[0]] = array
    place, value = body.copied(found.op.body.block, [each.place, each.value], known)
    if adds:
        value = body.add(body.get(array, [*at, place]), value)
    return body.update(array, [*at, place], value)


def _accumulate(
    inner: phi.AccumulateOp, number: int, body: Inserter, at: Sequence[SSAValue], array: SSAValue
) -> SSAValue:
    """``a[p] += x`` for a step of an accumulation; x may be a row."""
    record, known = inner.yielded(), dict[SSAValue, SSAValue](zip(inner.indices, at, strict=True))
    if len(inner.accumulators) > 1:
        record = phi.TupleOp.of(record).fields[number]
    (record,) = body.copied(inner.body.block, [record], known)
    *places, term = body.leaves(record)
    before = body.get(array, places)
    if phi.is_scalar_type(term.type):
        return body.update(array, places, body.add(before, term))
    row = body.comprehension(
        body.sizes_of(before),
        lambda deeper, own: deeper.add(deeper.get(before, own), deeper.get(term, own)),
    )
    return body.update(array, places, row)


# Folds ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sum:
    """``array(i: a[i] + b[i])``, of arrays of the same sizes, in a step of a fold."""

    op: phi.ArrayOp
    start: SSAValue
    other: SSAValue
    """An array that the sum alone reads."""


def sums_of(op: phi.ArrayOp, sizes: SizeEquivalence) -> Iterator[Sum]:
    """A comprehension as a sum of two arrays, of which it alone reads the second."""
    add = op.yielded().owner
    if not isinstance(op.parent_op(), phi.FoldOp) or not isinstance(add, arith.AddfOp):
        return
    arrays = [each for x in add.operands if (each := element_read(x.owner, op)) is not None]
    if len(arrays) == 2 and all(sizes.may_stand_for(each, op) for each in arrays):
        for start, other in (arrays, arrays[::-1]):
            if other.has_one_use() and other.owner.parent is op.parent:
                yield Sum(op, start, other)


def total_of(found: Sum) -> tuple[phi.FoldOp, int] | None:
    """The fold, and the field of it, that the other array of a sum is, from zeros on."""
    field = found.other.owner
    if not isinstance(field, phi.ProjOp) or not isinstance(field.record.owner, phi.FoldOp):
        return None
    fold, number = field.record.owner, field.field.value.data
    users = [use.operation for use in fold.result.uses]
    are_late = all(
        isinstance(each, phi.ProjOp)
        and each.parent is fold.parent
        and _is_read_from(each, found.op)
        for each in users
    )
    is_total = are_late and _starts_with_zeros(fold, number) and _is_added_to(fold, number)
    return (fold, number) if is_total else None


def _is_read_from(value: phi.ProjOp, op: Operation) -> bool:
    """Whether no operation before another one uses a value."""
    block = home_of(op)
    users = (block.find_ancestor_op_in_block(use.operation) for use in value.result.uses)
    return all(user is op or (user is not None and op.is_before_in_block(user)) for user in users)


def _starts_with_zeros(fold: phi.FoldOp, number: int) -> bool:
    record = fold.init.owner
    if not isinstance(record, phi.TupleOp):
        return False
    array = record.fields[number].owner
    return isinstance(array, phi.ArrayOp) and is_zero(array.yielded())


def _is_added_to(fold: phi.FoldOp, number: int) -> bool:
    """Whether steps only add to elements or rows of a field, and read it for nothing else."""
    own, record = _fields(fold.accumulator, number), fold.yielded().owner
    if own is None or not isinstance(record, phi.TupleOp):
        return False
    value = record.fields[number]
    if not value.has_one_use():
        return False
    while value not in own:
        before = _before(value, own)
        if before is None:
            return False
        value = before
    return True


def _before(value: SSAValue, own: Sequence[SSAValue]) -> SSAValue | None:
    """The array that an update adds to, if nothing else reads it."""
    op = value.owner
    if not isinstance(op, phi.UpdateOp):
        return None
    old = op.array
    reads = [use.operation for each in (own if old in own else [old]) for use in each.uses]
    rest = [each for each in reads if each is not op]
    read = _term(op.value, old, op.positions)
    return old if read is not None and rest == [read] and len(reads) == 2 else None


def _term(value: SSAValue, array: SSAValue, places: Sequence[SSAValue]) -> Operation | None:
    """The read of an element, or of those of a row at their indices, that is a term of a sum."""
    row = value.owner
    if isinstance(row, phi.ArrayOp):
        return _term(row.yielded(), array, [*places, *row.indices])
    pending = [value]
    while pending:
        op = pending.pop().owner
        if isinstance(op, arith.AddfOp):
            pending += op.operands
        elif isinstance(op, phi.GetOp) and op.array is array:
            is_here = list(map(phi.uncast, op.positions)) == list(map(phi.uncast, places))
            return op if is_here and op.result.has_one_use() else None
    return None


def start_from(found: Sum, fold: phi.FoldOp, number: int, sizes: SizeEquivalence) -> None:
    """``array(i: a[i] + fold (k < m, v = 0) { v[p] += x }[i])  -->  fold (k < m, v = a) { .. }``"""
    op = found.op
    projs = [use.operation for use in fold.result.uses]
    Builder.before(op).move(fold, *projs)
    record = phi.TupleOp.of(fold.init)
    start = [found.start if k == number else each for k, each in enumerate(record.fields)]
    fold.operands[1] = Builder.before(fold, sizes.add).tuple(start)
    replace(op, found.other, sizes)


# Histories ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class History:
    """An array with a row for each step of a fold, of which only sums over the steps are read."""

    fold: phi.FoldOp
    number: int
    init: phi.TupleOp
    after: phi.TupleOp
    zeros: phi.ArrayOp
    """The array before the fold."""
    update: phi.UpdateOp
    reads: Sequence[phi.GetOp]
    """The terms of sums over the steps."""


def history_of(fold: phi.FoldOp, sizes: SizeEquivalence) -> History | None:
    """An array that a fold carries with a row for each step, and of which only sums are read."""
    init, after = fold.init.owner, fold.yielded().owner
    if not isinstance(init, phi.TupleOp) or not isinstance(after, phi.TupleOp):
        return None
    forms = SizeForms(sizes)
    steps, step = forms.form_of(fold.count), forms.form_of(fold.counter)
    for number, (start, value) in enumerate(zip(init.fields, after.fields, strict=True)):
        zeros, update = start.owner, value.owner
        if not isinstance(zeros, phi.ArrayOp) or not isinstance(update, phi.UpdateOp):
            continue
        reads = _summed(fold, number) if len(zeros.indices) > 1 else None
        if (
            reads
            and is_zero(zeros.yielded())
            and all(forms.form_of(count) == steps for count in (zeros.sizes[0], *reads.values()))
            and len(update.positions) == 1
            and forms.form_of(update.positions[0]) in (step, steps - 1 - step)
            and update.array.has_one_use()
            and _fields(fold.accumulator, number) == [update.array]
        ):
            return History(fold, number, init, after, zeros, update, list(reads))
    return None


def _fields(record: SSAValue, number: int) -> list[SSAValue] | None:
    """The values that are a field of a record; None if it is used as a whole."""
    users = [use.operation for use in record.uses]
    projs = [each for each in users if isinstance(each, phi.ProjOp)]
    own: list[SSAValue] = [each.result for each in projs if each.field.value.data == number]
    return own if len(projs) == len(users) else None


def _summed(fold: phi.FoldOp, number: int) -> dict[phi.GetOp, SSAValue] | None:
    """The reads of a field of a fold, with the counts of sums over rows whose terms they are."""
    found = dict[phi.GetOp, SSAValue]()
    for field in _fields(fold.result, number) or ():
        for use in field.uses:
            read, loop = use.operation, use.operation.parent_op()
            if not isinstance(loop, phi.FoldOp) or not isinstance(read, phi.GetOp):
                return None
            if not _is_summed(read, loop):
                return None
            found[read] = loop.count
    return found


def _is_summed(read: phi.GetOp, loop: phi.FoldOp) -> bool:
    """Whether an element is the term of ``fold (k < n, acc = 0) { acc + a[k, ..] }``."""
    first, *rest = read.positions
    add, is_element = loop.yielded().owner, len(rest) + 1 == phi.rank_of(read.array.type)
    is_sum = isinstance(add, arith.AddfOp) and set(add.operands) == {loop.accumulator, read.result}
    is_fixed = not any(is_within(each, loop) for each in rest)
    return first is loop.counter and is_element and is_sum and is_fixed and is_zero(loop.init)


def carry_total(found: History, sizes: SizeEquivalence) -> phi.FoldOp:
    """Let a fold carry the sum of the rows in place of all of them; the new fold."""
    fold, number, row = found.fold, found.number, found.update.value
    build, extents = Builder.before(fold, sizes.add), found.zeros.sizes[1:]
    start = list(found.init.fields)
    start[number] = build.zeros(extents, phi.scalar_of(row.type))

    def step(inner: Builder, counter: SSAValue, record: SSAValue) -> SSAValue:
        before, known = inner.fields(record), dict[SSAValue, SSAValue]({fold.counter: counter})
        for proj in map(phi.ProjOp.of, (use.operation for use in fold.accumulator.uses)):
            known[proj.result] = own = before[proj.field.value.data]
            own.name_hint = proj.result.name_hint
        others = [each for k, each in enumerate(found.after.fields) if k != number]
        own, *after = inner.copied(fold.body.block, [row, *others], known)
        total = inner.comprehension(
            extents,
            lambda deeper, at: deeper.add(deeper.get(before[number], at), deeper.get(own, at)),
        )
        return inner.tuple([*after[:number], total, *after[number:]])

    new = build.insert(folded(fold, build.tuple(start), step))
    results = build.fields(new.result)
    for read in found.reads:
        loop = phi.FoldOp.of(read.parent_op())
        replace(loop, Builder.before(loop).get(results[number], read.positions[1:]))
    for proj in [phi.ProjOp.of(use.operation) for use in fold.result.uses]:
        replace(proj, results[proj.field.value.data])
    Rewriter.erase_op(fold)
    return new


class AddInPlacePass(FunctionPass):
    """Lets a step add to few elements of an array in place, without an array of what it adds.

    Before, where ``%a`` is an array that the steps of a fold carry::

        %s = phi.accumulate (%k < %m) into "add" (%n) -> !phi.vec<f64> { .. %p, %x .. }
        %b = phi.array (%i < %n) -> !phi.vec<f64> { %a[%i] + %s[%i] }

    After, if ``%m`` is less than ``%n``, which a test decides::

        %b = phi.fold (%k < %m, %v = %a) -> !phi.vec<f64> { phi.update %v[%p], %v[%p] + %x }

    So the derivative of a step that reads the elements of a sparse row takes as many steps as the
    row has. Several terms are added one after the other, and before them elements are replaced:
    ``select (j == p, x, a[i, j]) + s[i, j] + select (j == q, y, 0)``, as in derivatives of tables
    that are filled by diagonals. A fold that only adds to the elements or rows of an array of
    zeros, as the derivative of a row in a table does, starts from ``%a`` in its place. A fold that
    stores a row for each step, of which only the sum over all steps is read, carries the sum.
    """

    name = "add-in-place"
    looks_for = (phi.AccumulateOp, phi.UpdateOp, arith.SelectOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        sizes = analyses.get(equal_sizes, function)
        for fold in operations_of(function, phi.FoldOp):
            while (history := history_of(fold, sizes)) is not None:
                analyses.note(fold, "the sum over all steps is carried")
                fold = carry_total(history, sizes)
                sizes = SizeEquivalence(function)
        for op in operations_of(function, phi.ArrayOp):
            for found in sums_of(op, sizes):
                if (total := total_of(found)) is not None:
                    analyses.note(op, "a loop adds to the array in place")
                    start_from(found, *total, sizes)
                    break
            else:
                if (terms := terms_of(op, sizes)) is not None:
                    analyses.note(op, "few values are added in place")
                    add_terms(terms, sizes)
