"""The steps of a nest of loops that change an array which they overwrite in place.

A step that stores an element where it was read from keeps it ::

    %old = memref.load %a[%i, %j] : memref<?x?xf64>
    %is_below = arith.cmpi sgt, %i, %k : i64
    %new = arith.select %is_below, %x, %old : f64
    memref.store %new, %a[%i, %j] : memref<?x?xf64>   // %a changes from %k + 1 on
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import Pure

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.idle_steps import is_zero
from ein_mlir.analysis.loops.memory_roots import share_no_memory
from ein_mlir.analysis.loops.spans import Conditions, Span, number_of, union
from ein_mlir.analysis.scopes import around, is_within, operations_in, values_behind

MOST_CHOICES = 64
"""The most selections that a stored element is followed through."""


def span_changed(nest: scf.ParallelOp, store: memref.StoreOp, number: int) -> Span:
    """The range of an index of a nest in which a store may change the array."""
    if not _is_alone(nest, store):
        return Span()
    index = nest.body.block.args[number]
    conditions = Conditions(index, partial(_is_limit, nest, index))
    span = _Changes(store, conditions).span(store.value) or Span()
    for op in around(store):
        above = op.parent_op()
        if above is nest:
            break
        if isinstance(above, scf.IfOp):
            span &= conditions.where(above.cond, op.parent is above.true_region.block)
    return span


def _is_alone(nest: scf.ParallelOp, store: memref.StoreOp) -> bool:
    """Whether nothing else in a nest writes the array of a store."""
    stores = [op for op in operations_in(nest) if type(op) is memref.StoreOp and op is not store]
    return all(
        is_within(op.memref, nest) or share_no_memory(op.memref, store.memref) for op in stores
    )


def _is_limit(nest: scf.ParallelOp, index: SSAValue, value: SSAValue) -> bool:
    """Whether a value limits an index of a nest: it varies, and is known before its loop.

    Before the innermost loop, the other indices are.
    """
    *outer, last = nest.body.block.args
    behind = list(values_behind([value], partial(is_within, scope=nest)))
    return known_int(value) is None and all(
        index is last and (each in outer or _is_pure(each.owner)) for each in behind
    )


def _is_pure(owner: Operation | Block) -> bool:
    return isinstance(owner, Operation) and not owner.regions and owner.has_trait(Pure)


class _Changes:
    """Finds the span of a position in which a store changes an element."""

    def __init__(self, store: memref.StoreOp, conditions: Conditions):
        self._store = store
        self._conditions = conditions
        self._choices = 0

    def span(self, value: SSAValue) -> Span | None:
        """The range in which a value is not the stored element itself; None if it always is."""
        op, self._choices = value.owner, self._choices + 1
        if self._choices > MOST_CHOICES:
            return Span()
        if isinstance(op, memref.LoadOp) and self._is_own(op):
            return None
        if isinstance(op, arith.SelectOp):
            return self._either(op.cond, op.lhs, op.rhs, self.span)
        if isinstance(op, scf.IfOp):
            then, otherwise = (_yielded(region, op.results.index(value)) for region in op.regions)
            return self._either(op.cond, then, otherwise, self.span)
        if isinstance(op, arith.AddfOp):
            first, second = self._sum(op.lhs, op.rhs), self._sum(op.rhs, op.lhs)
            return first and second and first & second
        return Span()

    def _nonzero(self, value: SSAValue) -> Span | None:
        """The range in which a value may not be the literal 0; None if it always is."""
        op, self._choices = value.owner, self._choices + 1
        if isinstance(op, arith.SelectOp) and self._choices <= MOST_CHOICES:
            return self._either(op.cond, op.lhs, op.rhs, self._nonzero)
        return None if is_zero(value) else Span()

    def facts(self, value: SSAValue, nest: scf.ParallelOp) -> list[Fact] | None:
        """Facts of all steps where a value is not the stored element itself; None for no step."""
        op, self._choices = value.owner, self._choices + 1
        if self._choices > MOST_CHOICES:
            return []
        if isinstance(op, memref.LoadOp) and self._is_own(op):
            return None
        if isinstance(op, arith.SelectOp):
            condition, *values = op.operands
        elif isinstance(op, scf.IfOp):
            number = op.results.index(value)
            condition, values = op.cond, [_yielded(region, number) for region in op.regions]
        else:
            return []
        found = [
            [*facts, *_parts(condition, expected, nest)]
            for expected, each in zip((True, False), values, strict=True)
            if (facts := self.facts(each, nest)) is not None
        ]
        return _common(found) if found else None

    def _sum(self, kept: SSAValue, added: SSAValue) -> Span | None:
        """The same for a sum, which is its first term where the other one is 0."""
        return _union((self.span(kept), self._nonzero(added)))

    def _either(
        self,
        condition: SSAValue,
        then: SSAValue,
        otherwise: SSAValue,
        find: Callable[[SSAValue], Span | None],
    ) -> Span | None:
        return _union(
            None if found is None else found & self._conditions.where(condition, expected)
            for expected, value in ((True, then), (False, otherwise))
            for found in [find(value)]
        )

    def _is_own(self, load: memref.LoadOp) -> bool:
        positions = zip(load.indices, self._store.indices, strict=True)
        return load.memref is self._store.memref and all(
            number_of(a) is number_of(b) for a, b in positions
        )


def _union(spans: Iterable[Span | None]) -> Span | None:
    """The positions in one of some spans; None if there are none."""
    found = [span for span in spans if span is not None]
    return union(found) if found else None


def _yielded(region: Region, number: int) -> SSAValue:
    last = region.block.last_op
    assert last is not None
    return last.operands[number]


# Conditions of changes ----------------------------------------------------------------------------

Fact: TypeAlias = tuple[SSAValue, bool]
"""A condition, and whether it holds."""


def facts_of_changes(nest: scf.ParallelOp, stores: Sequence[memref.StoreOp]) -> list[Fact]:
    """The facts of each step of a nest in which any of some stores changes an array."""
    found = list[list[Fact]]()
    for store in stores:
        facts = _facts(nest, store)
        if not facts or not _is_alone(nest, store):
            return []
        found.append(facts)
    return _common(found)


def _common(found: Sequence[list[Fact]]) -> list[Fact]:
    """The facts in all of some lists."""
    first, *others = found
    return [fact for fact in first if all(fact in each for each in others)]


def _facts(nest: scf.ParallelOp, store: memref.StoreOp) -> list[Fact]:
    changes = _Changes(store, Conditions(nest.body.block.args[0], lambda _: False))
    facts = changes.facts(store.value, nest) or []
    for op in around(store):
        above = op.parent_op()
        if above is nest:
            break
        if isinstance(above, scf.IfOp):
            facts.extend(_parts(above.cond, op.parent is above.true_region.block, nest))
    return facts


def _parts(condition: SSAValue, holds: bool, nest: scf.ParallelOp) -> Iterator[Fact]:
    """The facts that a condition is made of in a nest, if it is the conjunction of several."""
    op = condition.owner
    if not is_within(condition, nest):
        yield condition, holds
    elif isinstance(op, arith.AndIOp if holds else arith.OrIOp):
        yield from _parts(op.lhs, holds, nest)
        yield from _parts(op.rhs, holds, nest)
    elif isinstance(op, arith.XOrIOp) and known_int(op.rhs) in (1, -1):
        yield from _parts(op.lhs, not holds, nest)
    else:
        yield condition, holds
