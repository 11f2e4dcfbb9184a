"""Values ``x[j + 1] = max(x[j] + cost[j], limit[j])`` for all j, without a loop over j.

A window of steps maps x to ``max(x + c, l)``, and the maps of two windows in order compose to one
of the kind: sums distribute over minima and maxima. So windows of 1, 2, 4, .. steps take log n
steps. Costs are added in another order, and never subtracted.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Region, SSAValue

from ein_mlir.analysis.phi.loops.combinations import Link
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.reductions import combination
from ein_mlir.rewriting.phi.builders import comprehension, number_as, same_operation
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.range_reductions import bit_length
from ein_mlir.rewriting.phi.step_values import Known, StepBuilder, StepValues, Terms, combined


class WeightedScan:
    """The construction of the values of a field, or of elements, after each number of steps.

    ``fold (k < bits(n), x = .., c = ..) { x[j] = max(x[j - h] + c[j], x[j]), c[j] + c[j - h] }``,
    for h = 2^k and all j from h on. ``c[j]`` is the cost of the h steps up to j, one number if all
    steps have the same.

    Sums distribute over maxima unless a sum of costs is infinite: added to the limit of nothing,
    minus infinity, it is NaN. If there may be such a sum, a loop over the steps runs instead.
    """

    def __init__(self, op: phi.FoldOp, links: Sequence[Link], values: StepValues, known: Known):
        self._op = op
        self._links = links
        self._values = values
        self._known = known
        self._sums = [link for link in links if link.kind == "add"]
        self._extremum = next(link for link in links if link.kind != "add")
        parts = [part for link in self._sums for part in link.parts]
        self._is_constant = dependents(op.body.block, op.counter).isdisjoint(parts)

    def build(self, build: Builder, first: SSAValue) -> SSAValue:
        """The array of the values after 0, 1, .. steps."""
        count, size = self._op.count, build.add(self._op.count, 1)
        values = self._after(build, first, size, self._limit)
        if self._is_constant:
            costs = self._cost(build, build.integer(0))
        else:
            zero = build.number(0.0, first.type)
            costs = self._after(build, zero, size, self._cost)
        is_plain = self._is_plain(build, costs)
        doublings = build.select(is_plain, bit_length(build, count), 0)
        doubled = self._doubled(build, doublings, build.tuple([values, costs]), size)
        steps = build.select(is_plain, build.integer(0), count)
        return self._stepped(build, steps, doubled, first)

    def _after(
        self, build: Builder, first: SSAValue, size: SSAValue, element: StepBuilder
    ) -> SSAValue:
        """An element, and one for each step behind it."""
        head = comprehension(build, [build.integer(1)], lambda inner, _: first)
        steps = self._values.over_steps(build, element)
        return build.emit(phi.ConcatOp(head, steps, size))

    def _limit(self, build: Builder, step: SSAValue) -> SSAValue:
        return self._terms(build, self._links, step).limit()

    def _cost(self, build: Builder, step: SSAValue) -> SSAValue:
        return self._terms(build, self._sums, step).cost()

    def _terms(self, build: Builder, links: Sequence[Link], step: SSAValue) -> Terms:
        return self._values.terms(build, links, {**self._known, self._op.counter: step})

    def _is_plain(self, build: Builder, costs: SSAValue) -> SSAValue:
        """Whether no sum of costs is infinite, but for costs that are worse than all limits."""
        type_ = self._extremum.other.type
        name = combination(self._extremum.kind, type_)
        infinity = None if name is None else identity(name, type_)
        assert infinity is not None
        worst, zero = build.constant(infinity), build.number(0.0, type_)

        def magnitude(inner: Builder, cost: SSAValue) -> SSAValue:
            is_worst = inner.emit(arith.CmpfOp(cost, worst, "oeq"))
            return inner.select(is_worst, zero, inner.emit(math.AbsFOp(cost)))

        if self._is_constant:
            largest = magnitude(build, costs)
        else:
            block = Block(arg_types=(i64, type_))
            inner = Builder.at_end(block)
            cost = magnitude(inner, inner.get(costs, [block.args[0]]))
            inner.yield_(inner.emit(arith.MaximumfOp(block.args[1], cost)))
            largest = build.emit(phi.FoldOp(build.size(costs), zero, Region(block)))
        total = build.emit(arith.MulfOp(largest, number_as(build, self._op.count, type_)))
        return build.emit(arith.CmpfOp(total, build.number(float("inf"), type_), "olt"))

    def _doubled(self, build: Builder, count: SSAValue, init: SSAValue, size: SSAValue) -> SSAValue:
        """The values after steps from windows of ``2^k`` steps to those of twice as many."""
        block = Block(arg_types=(i64, init.type))
        inner = Builder.at_end(block)
        values, costs = (inner.proj(block.args[1], number) for number in range(2))
        width = inner.emit(arith.ShLIOp(inner.integer(1), block.args[0]))
        width = inner.max(0, inner.min(width, size))  # bounds that prove slices to be in bounds

        def value(deep: Builder, own: Sequence[SSAValue]) -> SSAValue:
            old = deep.get(values, own)
            before = deep.get(values, [deep.sub(deep.as_int(own[0]), width)])
            cost = costs if self._is_constant else deep.get(costs, own)
            moved = combined(deep, self._sums[0], before, cost)
            new = deep.emit(same_operation(self._extremum.operation, moved, old))
            return deep.select(deep.compare(deep.as_int(own[0]), "sge", width), new, old)

        def longer_cost(deep: Builder, own: Sequence[SSAValue]) -> SSAValue:
            old = deep.get(costs, own)
            before = deep.get(costs, [deep.sub(deep.as_int(own[0]), width)])
            new = combined(deep, self._sums[0], before, old)
            return deep.select(deep.compare(deep.as_int(own[0]), "sge", width), new, old)

        longer = comprehension(inner, [size], value)
        if self._is_constant:
            sums = combined(inner, self._sums[0], costs, costs)
        else:
            sums = comprehension(inner, [size], longer_cost)
        inner.yield_(inner.tuple([longer, sums]))
        return build.proj(build.emit(phi.FoldOp(count, init, Region(block))), 0)

    def _stepped(
        self, build: Builder, count: SSAValue, values: SSAValue, first: SSAValue
    ) -> SSAValue:
        """``fold (k < n, x = first, v = a) { x' = max(x + c, e); v[k + 1] := x' }``"""
        init = build.tuple([first, values])
        block = Block(arg_types=(i64, init.type))
        inner = Builder.at_end(block)
        before, array = (inner.proj(block.args[1], number) for number in range(2))
        place = inner.add(block.args[0], 1)
        new = self._terms(inner, self._links, block.args[0]).applied_to(before)
        inner.yield_(inner.tuple([new, inner.emit(phi.UpdateOp(array, [place], new))]))
        return build.proj(build.emit(phi.FoldOp(count, init, Region(block))), 1)
