"""Folds that compute each element from one that an earlier step has written, as scans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import AnyFloat, i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import INTS
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.int_bounds import IntBounds
from ein_mlir.analysis.phi.loops.combinations import Link, may_be_grouped
from ein_mlir.analysis.phi.loops.dependence import Walk
from ein_mlir.analysis.phi.loops.summary import Recurrence
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import SCAN_KINDS, combination
from ein_mlir.passes.phi.raise_writes.elements import Values
from ein_mlir.passes.phi.raise_writes.lines import Edges, Lines, Source
from ein_mlir.rewriting.phi.builders import comprehension
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.resets import ResetScan
from ein_mlir.rewriting.phi.step_values import Terms, neutral_of, scan_after
from ein_mlir.rewriting.phi.weighted_scans import WeightedScan


def scanned_kind(op: phi.FoldOp, found: Recurrence) -> str | None:
    """The kind of the scan that may replace a recurrence.

    For elements ``min(x + cost, limit)`` of Ints, the costs of all steps so far are subtracted
    before the scan, and added after it. For floats that would cause cancellation, and a scan of
    windows is built instead. Ints must not overflow: the caller asks `has_small_totals`.
    """
    if found.reset is not None:
        return found.reset.kind
    kinds = {link.kind for link in found.links}
    kind = next(iter(kinds - {"add"}), "add")
    if kind not in SCAN_KINDS or combination(kind, phi.scalar_of(op.result.type)) is None:
        return None
    if len(kinds - {"add"}) > 1 or not may_be_grouped(found.links):
        return None
    if len(kinds) > 1 and not (
        found.first is None
        and kind in ("min", "max")
        and found.distance == 1
        and (is_of_windows(found) or not any(link.tests for link in found.links))
        and (is_of_windows(found) or phi.scalar_of(op.result.type) == i64)
    ):
        return None
    return kind


def is_weighted(found: Recurrence) -> bool:
    """Whether sums and extrema alternate in the steps."""
    return found.reset is None and len({link.kind for link in found.links}) > 1


def is_of_windows(found: Recurrence) -> bool:
    """Whether a scan with weights combines windows of 1, 2, 4, .. steps."""
    if found.reset is not None:
        return not found.reset.is_invertible
    return is_weighted(found) and isa(found.links[0].other.type, AnyFloat)


def has_small_totals(op: phi.FoldOp, links: Sequence[Link], bounds: IntBounds) -> bool:
    """Whether elements, and the costs of all steps together, provably are small Ints."""
    cost, limit = 0, 0
    for link in links:
        found = bounds.of(link.other)
        if found is None:
            return False
        if link.kind == "add":
            cost += found.magnitude
        else:
            limit = max(limit, found.magnitude)
    found = bounds.of(op.init)
    largest = INTS.high // 4  # sums of three such numbers are no-wrap
    total = cost * bounds.most(op.count)
    return found is not None and max(found.magnitude, limit + cost, total) <= largest


def chain(found: Recurrence) -> Walk:
    """The walk over the elements of all chains: initial ones, then the written ones.

    A chain whose first step depends on no element has no initial one.
    """
    walk = found.walk
    if found.first is not None:
        return walk
    return Walk(walk.number, walk.start - walk.stride * found.distance, walk.stride)


@dataclass(frozen=True)
class _Chain:
    """The place of a chain of elements: its line, its index in rows, and its number."""

    before: Sequence[SSAValue]
    start: SSAValue | None
    values: Values
    own: Sequence[SSAValue] = ()
    which: SSAValue | None = None


class Scanned(Lines):
    """Elements that are scans of the steps before them.

    With a distance d there are d chains of elements, each with an initial one.
    """

    def __init__(
        self, op: phi.FoldOp, found: Recurrence, edges: Edges, kind: str, *, is_exact: bool
    ):
        """With ``is_exact`` the elements of the array are those of the chain."""
        super().__init__(op, found, edges)
        self._walk = chain(found)
        self._links = found.links
        self._start = found.first
        self._reset = found.reset
        self._is_weighted = is_weighted(found)
        self._distance = found.distance
        self._kind = kind
        self._is_exact = is_exact

    def _count(self, build: Builder) -> SSAValue:
        if self._start is not None:
            return self._op.count
        return build.add(self._op.count, self._distance)

    def _source(
        self, build: Builder, before: Sequence[SSAValue], values: Values, start: SSAValue | None
    ) -> Source:
        row = self._write.row
        if row is None:
            scanned = self._chains(build, _Chain(before, start, values))
        else:
            sizes = [self._size(build, self._write.depth + k) for k in range(len(row.indices))]

            def scans(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
                known = {**values, **dict(zip(row.indices, own, strict=True))}
                chain = _Chain(before, start, known, own)
                return self._chains(inner, chain)

            scanned = comprehension(build, sizes, scans, row.indices)

        def element(inner: Builder, number: SSAValue, own: Sequence[SSAValue]) -> SSAValue:
            return inner.get(scanned, [*own, *self._in_chain(inner, number)])

        def source(inner: Builder, number: SSAValue, at: Sequence[SSAValue]) -> SSAValue:
            if row is None:
                return element(inner, number, [])
            sizes = [self._size(inner, len(at) + k) for k in range(len(row.indices))]
            return comprehension(
                inner, sizes, lambda deep, own: element(deep, number, own), row.indices
            )

        return source

    def _in_chain(self, build: Builder, number: SSAValue) -> list[SSAValue]:
        """The number of the chain that has an element, if there are several, and its place."""
        if self._reset is not None or self._is_weighted:
            return [number]
        one = build.integer(1 if self._start is None else 2)
        if self._distance == 1:
            return [build.add(number, one)]
        distance = build.integer(self._distance)
        which = build.floormod(number, distance)
        return [which, build.add(build.floordiv(number, distance), one)]

    def _chains(self, build: Builder, chain: _Chain) -> SSAValue:
        """The scans of all chains."""
        if self._distance == 1:
            return self._chain(build, chain)

        def one(inner: Builder, number: Sequence[SSAValue]) -> SSAValue:
            which = inner.as_int(number[0])
            return self._chain(inner, replace(chain, which=which))

        return comprehension(build, [build.integer(self._distance)], one)

    def _chain(self, build: Builder, chain: _Chain) -> SSAValue:
        """The scan of one chain, with its initial element."""
        first = self._first(build, chain)
        if self._reset is not None:
            scan = ResetScan(self._op, self._reset, self._values, chain.values)
            return scan.build(build, first)
        if self._is_weighted:
            weighted = WeightedScan(self._op, self._links, self._values, chain.values)
            return weighted.build(build, first, self._chain_size(build, chain))
        elements = self._elements(build, chain.values, chain.which)
        return scan_after(build, self._kind, first, elements, self._chain_size(build, chain))

    def _chain_size(self, build: Builder, chain: _Chain) -> SSAValue:
        """The number of elements of a chain."""
        if self._is_exact:
            return self._size(build, len(chain.before))
        return build.add(self._length(build), 1)

    def _first(self, build: Builder, chain: _Chain) -> SSAValue:
        """The initial element; an empty accumulator has none, and the result is empty."""
        if self._start is not None:
            return neutral_of(build, self._links[0])
        init = self._op.init.owner
        if isinstance(init, phi.ArrayOp) and not is_within(init.yielded(), init):
            return init.yielded()
        number = chain.which or build.integer(0)
        place = None if chain.which is not None else chain.start
        place = place or self._position(build, number, chain.start)
        at = [*chain.before, place, *self._behind(build, number, chain.values), *chain.own]
        return build.get(self._op.init, at)

    # Elements

    def _length(self, build: Builder) -> SSAValue:
        """The number of steps in each chain, rounded up."""
        if self._distance == 1:
            return self._op.count
        return build.floordiv(build.add(self._op.count, self._distance - 1), self._distance)

    def _terms(self, build: Builder, step: SSAValue, values: Values) -> Terms:
        return self._values.terms(build, self._links, {**values, self._op.counter: step})

    def _elements(self, build: Builder, values: Values, which: SSAValue | None) -> SSAValue:
        """The scanned elements after the first one."""

        def element(inner: Builder, number: SSAValue) -> SSAValue:
            step = self._step(inner, number, which)
            total = self._terms(inner, step, values).total()
            return total if self._start is None else self._from(inner, step, total, values)

        return self._values.over_steps(build, element, self._length(build))

    def _from(self, build: Builder, step: SSAValue, total: SSAValue, values: Values) -> SSAValue:
        """The element of the first step, and the terms of the others."""
        assert self._start is not None
        first = self._values.value(build, self._start, step, values)
        is_first = build.compare(step, "eq", 0)
        return build.select(is_first, first, total)

    def _step(self, build: Builder, number: SSAValue, which: SSAValue | None) -> SSAValue:
        """The step that computes an element of a chain."""
        if which is None:
            return number
        return build.add(build.mul(number, self._distance), which)
