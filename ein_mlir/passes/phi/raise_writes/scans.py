"""Folds that compute each element from one that an earlier step has written, as scans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import INTS
from ein_mlir.analysis.phi.int_bounds import IntBounds
from ein_mlir.analysis.phi.loops.combinations import Reset, Weighted
from ein_mlir.analysis.phi.loops.dependence import Walk
from ein_mlir.analysis.phi.loops.summary import Recurrence
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_writes.elements import Values
from ein_mlir.passes.phi.raise_writes.lines import Edges, Lines, Source
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import scan_after
from ein_mlir.rewriting.phi.weighted_scans import WeightedScan, weighted_values


def is_scan(found: Recurrence) -> bool:
    """Whether a scan may replace a recurrence. Ints with costs must not wrap, too."""
    step = found.step
    if not isinstance(step, Weighted):
        return True
    has_ints = step.links[0].other.type == i64 and not any(link.tests for link in step.links)
    return found.distance == 1 and (step.is_of_floats or step.is_exact or has_ints)


def is_of_windows(found: Recurrence) -> bool:
    """Whether a scan with weights combines windows of 1, 2, 4, .. steps."""
    match found.step:
        case Reset() as step:
            return not step.is_invertible
        case Weighted() as step:
            return step.is_of_floats or step.is_exact
        case _:
            return False


def has_small_totals(op: phi.FoldOp, recurrence: Recurrence, bounds: IntBounds) -> bool:
    """Whether elements, and the costs of all steps together, provably are small Ints."""
    firsts = [bounds.magnitude(first) for _, first in recurrence.first.values()]
    cost, limit = 0, max((found for found in firsts if found is not None), default=0)
    if None in firsts:
        return False
    for link in recurrence.step.links:
        found = bounds.magnitude(link.other)
        if found is None:
            return False
        if link.kind == "add":
            cost += found
        else:
            limit = max(limit, found)
    found = bounds.magnitude(op.init)
    largest = INTS.high // 4  # sums of three such numbers are no-wrap
    total = cost * bounds.most(op.count)
    return found is not None and max(found, limit + cost, total) <= largest


def chain(found: Recurrence) -> Walk:
    """The walk over the elements of all chains: initial ones, then the written ones.

    A chain whose first step depends on no element has no initial one.
    """
    walk = found.walk
    if found.first:
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

    def __init__(self, op: phi.FoldOp, found: Recurrence, edges: Edges, *, is_exact: bool):
        """With ``is_exact`` the elements of the array are those of the chain."""
        super().__init__(op, found, edges)
        self._walk = chain(found)
        self._step = found.step
        self._later = found.first
        self._distance = found.distance
        self._is_exact = is_exact

    def _count(self, build: Builder) -> SSAValue:
        if self._later:
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

            scanned = build.comprehension(sizes, scans, row.indices)

        def element(inner: Builder, number: SSAValue, own: Sequence[SSAValue]) -> SSAValue:
            return inner.get(scanned, [*own, *self._in_chain(inner, number)])

        def source(inner: Builder, number: SSAValue, at: Sequence[SSAValue]) -> SSAValue:
            if row is None:
                return element(inner, number, [])
            sizes = [self._size(inner, len(at) + k) for k in range(len(row.indices))]
            return inner.comprehension(
                sizes, lambda deep, own: element(deep, number, own), row.indices
            )

        return source

    def _in_chain(self, build: Builder, number: SSAValue) -> list[SSAValue]:
        """The number of the chain that has an element, if there are several, and its place."""
        if isinstance(self._step, Weighted | Reset):
            return [number]
        one = build.integer(1)
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

        return build.comprehension([build.integer(self._distance)], one)

    def _chain(self, build: Builder, chain: _Chain) -> SSAValue:
        """The scan of one chain, with its initial element if it has one."""
        step = self._step
        if isinstance(step, Weighted) and self._later:
            values = WeightedScan(self._op, step, self._values, chain.values, are_small=True)
            return values.after_steps(build, self._at_first(build, chain.values))
        if isinstance(step, Weighted | Reset):
            first, size = self._first(build, chain), self._chain_size(build, chain)
            values = weighted_values(self._op, step, self._values, chain.values, are_small=True)
            return values.build(build, first, size)
        if self._later:
            elements = self._elements(build, chain.values, chain.which)
            return build.scan(step.kind, elements)
        first = self._first(build, chain)
        elements = self._elements(build, chain.values, chain.which)
        return scan_after(build, step.kind, first, elements, self._chain_size(build, chain))

    def _chain_size(self, build: Builder, chain: _Chain) -> SSAValue:
        """The number of elements of a chain."""
        if self._is_exact:
            return self._size(build, len(chain.before))
        return build.add(self._length(build), 1)

    def _first(self, build: Builder, chain: _Chain) -> SSAValue:
        """The initial element; an empty accumulator has none, and the result is empty."""
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

    def _elements(self, build: Builder, values: Values, which: SSAValue | None) -> SSAValue:
        """The scanned elements after the first one."""

        def element(inner: Builder, number: SSAValue) -> SSAValue:
            step = self._step_of(inner, number, which)
            known = {**values, self._op.counter: step}
            total = self._values.terms(inner, self._step.links, known).total()
            return self._from(inner, step, total, values) if self._later else total

        return self._values.over_steps(build, element, self._length(build))

    def _from(self, build: Builder, step: SSAValue, total: SSAValue, values: Values) -> SSAValue:
        """The element of the first step, and the terms of the others."""
        is_first = build.compare(step, "eq", 0)
        return build.select(is_first, self._at_first(build, values), total)

    def _at_first(self, build: Builder, values: Values) -> SSAValue:
        """The element of the first step, which depends on no other."""
        step, element = build.integer(0), self._write.element
        assert element is not None
        firsts = [first for _, first in self._later.values()]
        known = {**values, self._op.counter: step}
        copies = self._values.computed(build, firsts, known)
        chosen = dict(zip(self._later, copies, strict=True))
        return self._values.value(build, element, step, {**values, **chosen})

    def _step_of(self, build: Builder, number: SSAValue, which: SSAValue | None) -> SSAValue:
        """The step that computes an element of a chain."""
        if which is None:
            return number
        return build.add(build.mul(number, self._distance), which)
