"""Folds of a block over equal counts that compute the same values become one of a record.

Each of them may be a product that a pass knows as such. So a fold joins another one only for a
value that no product of matrices has, such as a difference or a root. Differences are those of one
order. Where elements are read in loops of their own, a plain reduction joins one that reads the
same element, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from typing import Generic, TypeVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.selections import reduction
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.speculation import any_may_fail, may_fail, may_fail_first
from ein_mlir.analysis.scopes import dependents, depth_of, of_kinds, operands_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_product
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.common_subexpressions import eliminate_common_subexpressions
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.oriented_differences import orient_differences

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
        if may_join(group.loops[0]) and not values.isdisjoint(group.values):
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
    for group in _groups(block, sizes, by_reads):
        if len(group) > 1:
            body = _merge(group)
            merge_folds(body.block, sizes, by_reads=by_reads)
            eliminate_common_subexpressions(body)


def by_work(
    group: Sequence[phi.ArrayOp], sizes: SizeEquivalence
) -> Sequence[Sequence[phi.ArrayOp]]:
    """The comprehensions over the same indices, by the values that folds in them compute."""
    numbers, groups = _Numbers(sizes), list[_Group[phi.ArrayOp]]()
    for op in group:
        _normalize_folds(op.body.block)
        values = set(numbers.of_elements(op))
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
            key = (op.name, tuple(op.properties.items()), *_read(op), op.results[0].type)
            if (same := known.setdefault(key, op.results[0])) is not op.results[0]:
                Rewriter.replace_op(op, (), (same,))


def _normalize_folds(block: Block) -> None:
    """Positions and differences in the folds of a block have one form each."""
    for fold in block.ops:
        if isinstance(fold, phi.FoldOp) and _may_move(fold):
            for op in operations_in(fold):
                if isinstance(op, phi.GetOp):
                    op.operands = list(_read(op))
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


def _read(op: Operation) -> Iterable[SSAValue]:
    """The operands of an operation; the positions of an element as indices or counters."""
    return map(phi.uncast, op.operands) if isinstance(op, phi.GetOp) else op.operands


def _groups(block: Block, sizes: SizeEquivalence, by_reads: bool) -> Iterator[Sequence[phi.FoldOp]]:
    """Folds of scalars over the same count that compute common values, in the first's place."""
    order = {op: number for number, op in enumerate(block.ops)}
    started = dict[Hashable, list[_Group[phi.FoldOp]]]()
    numbers = _Numbers(sizes)
    for op in block.ops:
        if not isinstance(op, phi.FoldOp) or not _may_move(op):
            numbers.of(op)
            continue
        values, key = set(numbers.computed(op, set(), set())), numbers.count(op)
        if by_reads and _is_plain_reduction(op):
            values.update(numbers.read(op))
        owners = (value.owner for value in operands_within(op))
        ready = max(order.get(each, -1) for each in owners if isinstance(each, Operation))
        groups = started.setdefault(key, [])
        _add(groups, op, values, lambda first, ready=ready: ready < order[first])
    yield from (group.loops for groups in started.values() for group in groups)


def _may_move(op: phi.FoldOp) -> bool:
    """Whether a fold is one of scalars that raises no error."""
    is_scalar = not any(map(phi.rank_of, leaf_types(op.init.type)))
    is_plain = is_scalar and op.irregular is None and is_nonnegative(op.count)
    return is_plain and not any_may_fail(op)


def _is_recurrence(op: Operation) -> bool:
    """Whether an operation is a loop whose steps need those before, in no reduction."""
    is_loop = isinstance(op, phi.FoldOp) and reduction(op) is None
    return is_loop or isinstance(op, phi.WhileOp)


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


def _is_padded_factor(op: Operation) -> bool:
    """Whether an operation is an element that is read, or a number, and products alone need it."""
    return (
        isinstance(op, arith.SelectOp)
        and all(isinstance(arm.owner, phi.GetOp | arith.ConstantOp) for arm in op.operands[1:])
        and all(is_product(use.operation.name) for use in op.result.uses)
    )


class _Numbers:
    """Numbers of values: equal ones have the same."""

    def __init__(self, sizes: SizeEquivalence):
        self._sizes = sizes
        self._table = dict[Hashable, int]()
        self._known = dict[SSAValue, Hashable]()

    def count(self, op: phi.FoldOp) -> Hashable:
        """The same for equal numbers of steps."""
        return self._sizes.representative(phi.Term(op.count))

    def of(self, op: Operation) -> int | None:
        """The number of the result of an operation; None if it has several, or a body."""
        if op.regions or len(op.results) != 1:
            return None
        operands = tuple(self._known.get(each, each) for each in _read(op))
        key = (op.name, tuple(op.properties.items()), operands, op.results[0].type)
        number = self._known[op.results[0]] = self._table.setdefault(key, len(self._table))
        return number

    def of_elements(self, op: phi.ArrayOp) -> Iterator[int]:
        """The Floats that the folds of an element compute, and the ends of its recurrences."""
        self._known.update((index, ("index", axis)) for axis, index in enumerate(op.indices))
        for inner in op.body.block.ops:
            if not inner.regions:
                self.of(inner)
                continue
            if _is_recurrence(inner) and (number := self._of_loop(inner)) is not None:
                yield number
            if isinstance(inner, phi.FoldOp) and _may_move(inner):
                yield from self.computed(inner, set(), set())

    def _of_loop(self, op: Operation) -> int | None:
        """The number of the result of an operation with bodies, the same for equal bodies.

        None if a body has operations without a number.
        """
        operands = tuple(self._known.get(each, each) for each in op.operands)
        key: Hashable = (op.name, tuple(op.properties.items()), operands)
        ends = list[Hashable]()
        for region in op.regions:
            block = region.block
            self._known.update((each, (key, len(ends), k)) for k, each in enumerate(block.args))
            for inner in block.ops:
                if isinstance(inner, phi.YieldOp):
                    ends.append(self._known.get(inner.value, inner.value))
                elif (self._of_loop(inner) if inner.regions else self.of(inner)) is None:
                    return None
        key = (key, *ends)
        number = self._known[op.results[0]] = self._table.setdefault(key, len(self._table))
        return number

    def read(self, op: phi.FoldOp) -> Iterator[int]:
        """The scalars that a step, whose values have numbers, reads at its counter."""
        varying = dependents(op.body.block, op.counter)
        for inner in op.body.block.ops:
            if isinstance(inner, phi.GetOp) and inner.result in varying:
                yield cast(int, self._known[inner.result])

    def computed(
        self, op: phi.FoldOp, varying: Set[SSAValue], carried: Set[SSAValue]
    ) -> Iterator[int]:
        """The Floats that a step, and the folds in it, compute from their counters.

        A product of factors that are read is none of them, nor is a factor that is padded.
        """
        block = op.body.block
        self._known[op.counter] = self.count(op), depth_of(op)
        varying = varying | dependents(block, op.counter)
        carried = carried | dependents(block, op.accumulator)
        for inner in block.ops:
            if isinstance(inner, phi.FoldOp):
                yield from self.computed(inner, varying, carried)
            elif carried.isdisjoint(inner.results) and (number := self.of(inner)) is not None:
                is_factor = is_product(inner.name) or _is_padded_factor(inner)
                is_work = isa(inner.results[0].type, AnyFloat) and not is_factor
                if is_work and inner.results[0] in varying and not isinstance(inner, phi.GetOp):
                    yield number


def _merge(folds: Sequence[phi.FoldOp]) -> Region:
    """``fold (k < n, a = x) { e }, fold (k < n, b = y) { f }``  -->
    ``fold (k < n, (a, b) = (x, y)) { (e, f) }``

    The body, which may have folds over the same counts in turn.
    """
    first = folds[0]
    before = Builder.before(first)
    counts = [len(leaf_types(op.init.type)) for op in folds]
    start = before.tuple([leaf for op in folds for leaf in before.leaves(op.init)])

    def step(inner: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
        carried, after = iter(inner.leaves(accumulator)), list[SSAValue]()
        for op, count in zip(folds, counts, strict=True):
            own = inner.record(op.init.type, [next(carried) for _ in range(count)])
            values: dict[SSAValue, SSAValue] = {op.counter: counter, op.accumulator: own}
            inner.copy_all(list(op.body.block.ops)[:-1], values)
            after += inner.leaves(values.get(op.yielded(), op.yielded()))
        return inner.tuple(after)

    count = before.common_size([op.count for op in folds])
    merged = before.fold_over(count, start, step, [first.counter])
    fields = iter(before.leaves(merged))
    results = [
        before.record(op.init.type, [next(fields) for _ in range(count)])
        for op, count in zip(folds, counts, strict=True)
    ]
    for op, result in zip(folds, results, strict=True):
        result.name_hint = op.result.name_hint
        Rewriter.replace_op(op, (), (result,))
    return phi.FoldOp.of(merged).body
