"""Searches as ``phi.argreduce`` and reads at its position; these and reductions as folds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.effects import is_pure
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import Search, leaf_values
from ein_mlir.analysis.phi.selections import is_constant
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import is_defined_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, algebra_for
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.dialects.reductions import worst
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder, Emitter, Inserter
from ein_mlir.rewriting.phi.step_values import array_of_steps

LEAST_LEFT = 4
"""The number of operations for each step from which it takes less time to keep its counter."""


def never_better(predicate: str, start: FloatAttr | IntegerAttr) -> FloatAttr | IntegerAttr | None:
    """An element that is better than no other: the worst one, or NaN where that would be as good.

    No Int is.
    """
    if not predicate.endswith("="):
        return start
    return FloatAttr(math.nan, start.type) if isa(start, FloatAttr) else None


def as_extreme(op: phi.FoldOp, search: Search) -> tuple[Operation, SSAValue]:
    """``where(g & (e < best), e, best)  -->  min(best, where(g, e, most))``, for Ints.

    The extreme, in the step of the fold, and the element that it combines with the best one.
    """
    element = _guarded_element(op, search, worst(search.predicate, op.result.type))
    extreme = arith.MinSIOp if search.predicate.startswith("<") else arith.MaxSIOp
    combined = Builder.before_end(op.body.block).insert(extreme(op.accumulator, element))
    op.yield_instead(combined.result)
    return combined, element


def found_in_fold(op: phi.FoldOp, search: Search) -> list[Operation]:
    """The replacement of a fold that is a search.

    The elements become an array, which is read at the found position; the other values that vary
    with the counter are computed there. An element whose guards are false is never better.
    """
    emitter, body = Emitter(), op.body.block
    start = worst(search.predicate, search.candidates[search.best].type)
    assert start is not None
    element = _guarded_element(op, search, never_better(search.predicate, start))
    others = [value for k, value in enumerate(search.candidates) if k != search.best]
    stored = list(dict.fromkeys((element, *(each for each in others if _has_loop(body, each)))))
    later = slice_of(body, [each for each in others if each not in stored])
    elements = array_of_steps(op, stored)
    arrays = emitter.leaves(emitter.emit(elements))
    position = emitter.emit(phi.ArgreduceOp(arrays[0], search.predicate))
    columns = dict(zip(stored, arrays, strict=True))
    found = {value: emitter.get(column, [position]) for value, column in columns.items()}
    counter = elements.body.block.first_op
    assert counter is not None
    found |= {op.counter: position, counter.results[0]: position}
    emitter.copy_all(later, found)
    values = [element if k == search.best else each for k, each in enumerate(search.candidates)]
    candidates = [found.get(value, value) for value in values]
    _found(emitter, search, position, candidates, op.count, op.init)
    return emitter.ops


def found_after_fold(op: phi.FoldOp, search: Search) -> list[Operation] | None:
    """The replacement of a search that stays a loop, whose other values are computed after it.

    It keeps the counter of the best element, and they are computed there once. So is the element
    that they read, which is a number where none is better, as the best one so far may not be:
    derivatives flow through it. None if they take few operations that the element does not.
    """
    body, element = op.body.block, search.candidates[search.best]
    needed = slice_of(body, [element, *search.guards])
    others = [value for k, value in enumerate(search.candidates) if k != search.best]
    later = slice_of(body, others)
    left = [each for each in later if each not in needed and not isinstance(each, phi.GetOp)]
    reads = [each for each in later if isinstance(each, phi.GetOp)]
    if len(left) < LEAST_LEFT + 2 * len(reads) or not all(map(is_pure, later)):
        return None
    emitter = Emitter()
    starts = emitter.leaves(op.init)

    def step(inner: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
        values = inner.copied(body, [element, *search.guards], {op.counter: counter})
        best, at = inner.fields(accumulator)
        better = inner.all_of([*values[1:], inner.compare(values[0], search.predicate, best)])
        return inner.tuple(
            [inner.select(better, values[0], best), inner.select(better, counter, at)]
        )

    init = emitter.tuple([starts[search.best], emitter.integer(-1)])
    names = op.counter, op.accumulator
    best, at = emitter.fields(emitter.fold_over(op.count, init, step, names))
    found: dict[SSAValue, SSAValue] = {op.counter: at}
    emitter.copy_all(later, found)
    is_found = emitter.compare(at, ">=", emitter.integer(0))
    leaves = [
        best if k == search.best else emitter.select(is_found, found.get(value, value), starts[k])
        for k, value in enumerate(search.candidates)
    ]
    emitter.record(op.init.type, iter(leaves))
    return emitter.ops


@dataclass(frozen=True)
class SearchedRows:
    """A step that searches a row, ``p = argreduce (array (j < m) { e })``."""

    elements: phi.ArrayOp
    at: SSAValue


def searched_rows(op: phi.FoldOp, search: Search) -> SearchedRows | None:
    """The rows of which a search finds the best of the best elements; None if it has no rows.

    Nothing else may read the rows, and nothing but their size may be a guard.
    """
    match search.candidates[search.best].owner:
        case phi.GetOp(array=array, positions=[at]) if isinstance(at.owner, phi.ArgreduceOp):
            row, found = array.owner, at.owner
        case _:
            return None
    if not isinstance(row, phi.ArrayOp) or row.parent is not op.body.block or len(row.sizes) > 1:
        return None
    users = {use.operation for use in row.result.uses}
    is_same = found.vec is array and found.predicate.data == search.predicate and len(users) == 2
    is_guarded = any(not _is_positive(guard, row.sizes[0]) for guard in search.guards)
    if (
        not is_same
        or is_guarded
        or is_defined_in(row.sizes[0], op.body.block)
        or not is_regular(op)
    ):
        return None
    return SearchedRows(row, at)


def _is_positive(condition: SSAValue, size: SSAValue) -> bool:
    """Whether a condition is ``size > 0``."""
    found = relation_of(condition)
    if found is None or found.lhs is not size or found.predicate != "sgt":
        return False
    return known_int(found.rhs) == 0


def found_in_rows(op: phi.FoldOp, search: Search, rows: SearchedRows) -> list[Operation]:
    """The replacement of a search in rows, by one in all elements, row by row.

    Of equal elements both find the first, or both the last.
    """
    emitter, body, size = Emitter(), op.body.block, rows.elements.sizes[0]
    best = search.candidates[search.best]
    places = [value for value in search.candidates if _is_place(value, op.counter, size, rows.at)]
    others = [value for value in search.candidates if value is not best and value not in places]
    later = slice_of(body, others, [rows.at, best])
    count = emitter.mul(op.count, size)
    tables = array_of_steps(op, [rows.elements.result])
    table, index = emitter.emit(tables), tables.body.block.first_op
    assert index is not None

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        place = inner.as_int(own[0])
        return inner.get(table, [inner.floordiv(place, size), inner.floormod(place, size)])

    flat = emitter.comprehension([count], element, [op.counter])
    position = emitter.emit(phi.ArgreduceOp(flat, search.predicate))
    found = dict.fromkeys(places, position) | {best: emitter.get(flat, [position])}
    if others:
        found[op.counter] = found[index.results[0]] = emitter.floordiv(position, size)
        found[rows.at] = emitter.floormod(position, size)
    emitter.copy_all(later, found)
    candidates = [found.get(value, value) for value in search.candidates]
    _found(emitter, replace(search, guards=()), position, candidates, count, op.init)
    return emitter.ops


def _is_place(value: SSAValue, row: SSAValue, size: SSAValue, column: SSAValue) -> bool:
    """Whether an Int is ``row * size + column``."""
    if not isinstance(value.owner, arith.AddiOp) or column not in value.owner.operands:
        return False
    product = next((each for each in value.owner.operands if each is not column), column)
    return isinstance(product.owner, arith.MuliOp) and {*product.owner.operands} == {row, size}


def _has_loop(body: Block, value: SSAValue) -> bool:
    """Whether a value of a body depends on comprehensions or loops in it."""
    return any(inner.regions for inner in slice_of(body, [value]))


def _guarded_element(
    op: phi.FoldOp, search: Search, never: FloatAttr | IntegerAttr | None
) -> SSAValue:
    """``where(guard, element, never)``, emitted at the end of the body of the fold."""
    element = search.candidates[search.best]
    if not search.guards or never is None:
        return element
    build = Builder.before_end(op.body.block)
    guard = build.all_of(search.guards)
    return build.select(guard, element, build.constant(never))


def reduction_as_fold(
    op: phi.ReduceOp, *added: Callable[[Operation], None], computes: bool = False
) -> phi.FoldOp:
    """``reduce v identity z by { e }  -->  fold (k < size v, acc = z) { e(acc, v[k]) }``

    which ``computes`` the elements of a comprehension itself. The fold.
    """
    build, array, block = Builder.before(op, *added), op.vec.owner, op.body.block
    columns, indices, counters = build.leaves(op.vec), (), set[SSAValue]()
    if isinstance(array, phi.ArrayOp):
        indices, fields = array.indices[:1], leaf_values(array.yielded())
        pairs = zip(columns, fields, strict=False)
        counters = {column for column, field in pairs if phi.uncast(field) in indices}

    def step(inner: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
        accumulator.name_hint = "acc"
        if computes and isinstance(array, phi.ArrayOp):
            element = _computed(inner, array, counter)
        else:
            elements = [
                counter if column in counters else inner.get(column, [counter])
                for column in columns
            ]
            element = inner.record(op.identity.type, elements)
        known = dict[SSAValue, SSAValue](zip(block.args, (accumulator, element), strict=True))
        return inner.copied(block, [op.yielded()], known)[0]

    size = array.sizes[0] if isinstance(array, phi.ArrayOp) else build.size(columns[0])
    fold = build.fold_over(size, op.identity, step, indices)
    Rewriter.replace_op(op, (), (fold,))
    return phi.FoldOp.of(fold)


def scan_as_fold(op: phi.ScanOp) -> None:
    """``scan v  -->  fold (k < size v, (acc = z, s = array { z })) { e = acc * v[k] }``

    where a step writes ``e`` at ``k + 1``; that of suffixes goes backwards.
    """
    build, algebra = Builder.before(op), algebra_for(op.kind.data, phi.scalar_of(op.vec.type))
    assert algebra is not None
    neutral = algebra.identity(phi.scalar_of(op.vec.type))
    assert neutral is not None
    count, first = build.size(op.vec, 0), build.constant(neutral)
    sizes = [build.add(count, 1)]

    def step(inner: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
        before, scanned = inner.fields(accumulator)
        at, end = counter, inner.add(counter, 1)
        if op.suffixes is not None:
            at = end = inner.sub(inner.sub(count, 1), counter)
        operands = [before, inner.get(op.vec, [at])]
        combine = OPERATIONS[algebra.name].create(operands=operands, result_types=[before.type])
        new = inner.emit(combine)
        return inner.tuple([new, inner.update(scanned, [end], new)])

    start = build.comprehension(sizes, lambda inner, _: inner.constant(neutral))
    found = build.fold_over(count, build.tuple([first, start]), step)
    Rewriter.replace_op(op, (), (build.proj(found, 1),))


def search_as_fold(op: phi.ArgreduceOp) -> None:
    """``argreduce (array (k < n) { e })  -->  fold (k < n, (best, at)) { .. }``

    The fold computes the elements if nothing else reads the array.
    """
    array = op.vec.owner
    if not isinstance(array, phi.ArrayOp):
        return
    predicate, build = op.predicate.data, Builder.before(op)
    start = worst(predicate, phi.scalar_of(op.vec.type))
    assert start is not None
    init = build.tuple([build.constant(start), build.integer(0)])

    def step(inner: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
        accumulator.name_hint = "best"
        element = _element_of(inner, array, op, counter)
        best, at = inner.fields(accumulator)
        is_better = inner.compare(element, predicate, best)
        pairs = ((element, best), (counter, at))
        return inner.tuple([inner.select(is_better, *pair) for pair in pairs])

    fold = build.fold_over(array.sizes[0], init, step, array.indices)
    Rewriter.replace_op(op, (), (build.proj(fold, 1),))
    if array.result.first_use is None:
        Rewriter.erase_op(array)


def _element_of(
    build: Inserter, array: phi.ArrayOp, search: phi.ArgreduceOp, counter: SSAValue
) -> SSAValue:
    """An element of a comprehension: computed if that is no more often."""
    if array.parent is not search.parent or not array.result.has_one_use():
        return build.get(array.result, [counter])
    return _computed(build, array, counter)


def _computed(build: Inserter, array: phi.ArrayOp, counter: SSAValue) -> SSAValue:
    known: dict[SSAValue, SSAValue] = {array.indices[0]: counter}
    return build.copied(array.body.block, [array.yielded()], known)[0]


def _found(
    emitter: Emitter,
    search: Search,
    position: SSAValue,
    candidates: Sequence[SSAValue],
    count: SSAValue,
    init: SSAValue,
) -> None:
    """Emit the candidates at a position, or the initial value if that is no worse.

    A search that starts from the worst value at 0 needs no selection for its position: it is 0 if
    no element is better.
    """
    starts = emitter.leaves(init)
    start = worst(search.predicate, starts[search.best].type)
    assert start is not None
    from_worst = is_constant(starts[search.best], start)
    zero = IntegerAttr(0, i64)
    plain = [
        candidate is position and from_worst and is_constant(initial, zero)
        for candidate, initial in zip(candidates, starts, strict=True)
    ]
    better = emitter.compare(candidates[search.best], search.predicate, starts[search.best])
    nothing = emitter.integer(0)
    better = emitter.and_(emitter.compare(count, ">", nothing), better)
    leaves = [
        candidate if is_plain else emitter.select(better, candidate, initial)
        for candidate, initial, is_plain in zip(candidates, starts, plain, strict=True)
    ]
    emitter.record(init.type, iter(leaves))
