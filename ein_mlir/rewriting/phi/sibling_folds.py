"""Folds of a block over equal counts that compute the same values become one of a record.

Each of them may be a product that a pass knows as such. So a fold joins another one only for a
value that no product of matrices has, such as a difference or a root. Differences are those of one
order. Where elements are read in loops of their own, a plain reduction joins one that reads the
same element, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.selections import reduction
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.speculation import may_fail, may_fail_first
from ein_mlir.analysis.scopes import dependents, of_kinds, operands_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_product
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.common_subexpressions import eliminate_common_subexpressions
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.oriented_differences import orient_differences
from ein_mlir.rewriting.phi.value_numbers import (
    Numbers,
    is_recurrence,
    may_move,
    needed_fields,
    raises_nothing,
    read,
)

LoopT = TypeVar("LoopT", phi.ArrayOp, phi.FoldOp)


@dataclass
class _Group(Generic[LoopT]):
    """Loops, of which each computes a value of those before it."""

    loops: list[LoopT]
    values: set[int]
    """The numbers of the values that they compute in each step."""


def _add(
    groups: list[_Group[LoopT]],
    loop: LoopT,
    values: set[int],
    may_join: Callable[[LoopT], bool] = lambda _: True,
) -> None:
    """Add a loop to the first group with one of its values, if it may join it by its first loop."""
    for group in groups:
        if not values.isdisjoint(group.values) and may_join(group.loops[0]):
            group.loops.append(loop)
            group.values |= values
            return
    groups.append(_Group([loop], values))


def merge_folds_within(op: Operation, sizes: SizeEquivalence, *, by_reads: bool = False) -> None:
    """Merge the folds of each block of an operation."""
    for block in reversed(blocks_of_several(op, phi.FoldOp)):
        merge_folds(block, sizes, by_reads=by_reads)


def blocks_of_several(op: Operation, kind: type[Operation]) -> list[Block]:
    """The blocks within an operation that have more than one of a kind."""
    ops = operations_in(op)
    counts = Counter(each.parent for each in of_kinds(ops, kind))
    blocks = [region.block for each in ops for region in each.regions]
    return [block for block in blocks if counts[block] > 1]


def merge_folds(block: Block, sizes: SizeEquivalence, *, by_reads: bool = False) -> None:
    """Merge the folds of each group. Values that several of them compute have one derivative."""
    _share_scalars(block)
    move_before_loops(block)
    _normalize_folds(block)
    _merge_recurrences(block, sizes)
    for group in _groups(block, sizes, by_reads):
        if len(group) > 1:
            body = _merge(group, _in_order(group))
            merge_folds(body.block, sizes, by_reads=by_reads)
            eliminate_common_subexpressions(body)


def by_work(
    group: Sequence[phi.ArrayOp], sizes: SizeEquivalence, *, neighbours: bool
) -> Sequence[Sequence[phi.ArrayOp]]:
    """The comprehensions over the same indices, by the values that folds in them compute.

    With ``neighbours``, by functions of several elements of an array as well.
    """
    numbers, groups = Numbers(sizes), list[_Group[phi.ArrayOp]]()
    for op in group:
        _normalize_folds(op.body.block)
        values = set(numbers.of_elements(op, neighbours=neighbours))
        _add(groups, op, values, lambda first, op=op: _fails_no_sooner(op, first))
    return [group.loops for group in groups]


def _fails_no_sooner(op: phi.ArrayOp, first: phi.ArrayOp) -> bool:
    """Whether a comprehension in the place of another one raises only errors that that one does."""
    end = first.body.block.last_op
    return end is not None and not any(may_fail_first(each, end) for each in operations_in(op))


def _share_scalars(block: Block) -> None:
    """Equal scalars that the folds of a block read are one, such as ``a[i], a[cast i]``."""
    known = dict[Hashable, SSAValue]()
    for op in list(block.ops):
        if not op.regions and len(op.results) == 1 and phi.is_scalar_type(op.results[0].type):
            key = (op.name, tuple(op.properties.items()), *read(op), op.results[0].type)
            if (same := known.setdefault(key, op.results[0])) is not op.results[0]:
                Rewriter.replace_op(op, (), (same,))


def _normalize_folds(block: Block) -> None:
    """Positions and differences in the folds of a block have one form each."""
    for fold in block.ops:
        if isinstance(fold, phi.FoldOp) and may_move(fold):
            for op in operations_in(fold):
                if isinstance(op, phi.GetOp):
                    op.operands = list(read(op))
            orient_differences(fold)


def move_before_loops(block: Block) -> None:
    """Move operations that need no loop of a block before its first: all loops may need them.

    An update stays: a loop that reads the old array would make it a copy.
    """
    first, behind = next((op for op in block.ops if op.regions), None), set[Operation | Block]()
    for op in list(block.ops)[:-1]:
        if first is None or not (op is first or behind):
            continue
        stays = op.regions or may_fail(op) or isinstance(op, phi.UpdateOp)
        if stays or any(value.owner in behind for value in op.operands):
            behind.add(op)
        else:
            Builder.before(first).move(op)


def _groups(block: Block, sizes: SizeEquivalence, by_reads: bool) -> Iterator[Sequence[phi.FoldOp]]:
    """Folds of scalars over the same count that compute common values, in the first's place."""
    order = {op: number for number, op in enumerate(block.ops)}
    started = dict[Hashable, list[_Group[phi.FoldOp]]]()
    numbers = Numbers(sizes)
    for op in block.ops:
        if not isinstance(op, phi.FoldOp) or not may_move(op):
            numbers.of(op)
            continue
        computed = numbers.computed(op, set(), set(), sums=not by_reads)
        values, key = set(computed), numbers.count(op)
        if by_reads and _is_plain_reduction(op):
            values.update(numbers.read(op))
        ready = _ready(op, order)
        groups = started.setdefault(key, [])
        _add(groups, op, values, lambda first, ready=ready: ready < order[first])
    yield from (group.loops for groups in started.values() for group in groups)


def _is_plain_reduction(op: phi.FoldOp) -> bool:
    """Whether a fold combines terms without loops, in no product of matrices.

    Such a product has different factors, which vary with the counter at several positions.
    """
    ops, varying = list(op.body.block.ops), dependents(op.body.block, op.counter)
    if reduction(op) is None or any(each.regions for each in ops):
        return False
    factors = [{*each.operands} for each in ops if is_product(each.name)]
    places = {
        tuple(each.positions)
        for each in ops
        if isinstance(each, phi.GetOp) and each.result in varying
    }
    return all(len(each) < 2 or (each <= varying and len(places) == 1) for each in factors)


def _merge_recurrences(block: Block, sizes: SizeEquivalence) -> None:
    """Merge the folds that compute other values from equal recurrences, in the first's place."""
    order = {op: number for number, op in enumerate(block.ops)}
    numbers, groups = Numbers(sizes), list[_Group[phi.FoldOp]]()
    for op in block.ops:
        if not op.regions:
            numbers.of(op)
            continue
        if not isinstance(op, phi.FoldOp) or not is_recurrence(op) or not raises_nothing(op):
            continue
        if (number := numbers.of_recurrence(op)) is not None:
            ready = _ready(op, order)
            _add(groups, op, {number}, lambda first, ready=ready: ready < order[first])
    for group in groups:
        if len(group.loops) > 1:
            eliminate_common_subexpressions(_merge(group.loops, _places(group.loops)))


def _ready(op: Operation, order: Mapping[Operation, int]) -> int:
    """The number of the last operation of a block that another one needs; -1 without any."""
    owners = (value.owner for value in operands_within(op))
    return max((order.get(each, -1) for each in owners if isinstance(each, Operation)), default=-1)


def _places(folds: Sequence[phi.FoldOp]) -> list[list[int]]:
    """The places of the fields of folds in one record, which has those of their recurrence once."""
    first, *others = folds
    own = needed_fields(first)
    places = [list(range(len(leaf_types(first.init.type))))]
    total = len(places[0])
    for op in others:
        shared = dict(zip(needed_fields(op), own, strict=True))
        number = len(leaf_types(op.init.type))
        new = iter(range(total, total + number))
        places.append([shared[k] if k in shared else next(new) for k in range(number)])
        total += number - len(shared)
    return places


def _in_order(folds: Sequence[phi.FoldOp]) -> list[list[int]]:
    """The places of the fields of folds in one record, one after the other."""
    numbers = iter(range(sum(len(leaf_types(op.init.type)) for op in folds)))
    return [[next(numbers) for _ in leaf_types(op.init.type)] for op in folds]


def _merge(folds: Sequence[phi.FoldOp], places: Sequence[Sequence[int]]) -> Region:
    """``fold (k < n, a = x) { e }, fold (k < n, b = y) { f }``  -->
    ``fold (k < n, (a, b) = (x, y)) { (e, f) }``

    The body, which may have folds over the same counts in turn.
    """
    first = folds[0]
    before = Builder.before(first)
    inits = dict[int, SSAValue]()
    for op, own in zip(folds, places, strict=True):
        inits = {**dict(zip(own, before.leaves(op.init), strict=True)), **inits}

    def step(inner: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
        carried, after = inner.leaves(accumulator), dict[int, SSAValue]()
        for op, own in zip(folds, places, strict=True):
            record = inner.record(op.init.type, [carried[place] for place in own])
            values: dict[SSAValue, SSAValue] = {op.counter: counter, op.accumulator: record}
            inner.copy_all(list(op.body.block.ops)[:-1], values)
            steps = inner.leaves(values.get(op.yielded(), op.yielded()))
            after = {**dict(zip(own, steps, strict=True)), **after}
        return inner.tuple([after[place] for place in sorted(after)])

    count = before.common_size([op.count for op in folds])
    start = before.tuple([inits[place] for place in sorted(inits)])
    merged = before.fold_over(count, start, step, [first.counter])
    fields = before.leaves(merged)
    results = [
        before.record(op.init.type, [fields[place] for place in own])
        for op, own in zip(folds, places, strict=True)
    ]
    for op, result in zip(folds, results, strict=True):
        result.name_hint = op.result.name_hint
        Rewriter.replace_op(op, (), (result,))
    return phi.FoldOp.of(merged).body
