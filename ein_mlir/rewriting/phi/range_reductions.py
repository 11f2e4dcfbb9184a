"""Combinations of the elements between two positions, for all pairs of positions at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from xdsl.dialects import arith, math
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.phi.speculation import may_fail_first
from ein_mlir.analysis.scopes import blocks_around, inputs_of, is_within, operations_in, reached
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.ranges import largest

_NOTHING: Mapping[SSAValue, SSAValue] = MappingProxyType({})

RangeBuilder = Callable[[Builder, Sequence[SSAValue]], tuple[SSAValue, SSAValue]]
"""Builds the first position and the length of a range at some indices."""


class RecomputedValues:
    """Values at other indices of the comprehensions around a fold, from copies of operations."""

    def __init__(
        self,
        op: phi.FoldOp,
        indices: Collection[BlockArgument],
        free: FreeIndices,
        *,
        copies_body: bool = True,
    ):
        """``copies_body`` for a place out of the fold: all values of its body are copied."""
        self._op = op
        self._copies_body = copies_body
        self._free = free
        arguments = (index for block in blocks_around(op) for index in block.args)
        self.indices = [index for index in arguments if index in indices]

    def can_have(self, values: Iterable[SSAValue], known: Iterable[SSAValue] = ()) -> bool:
        """Whether values raise no error, and nothing else in them varies with the indices.

        Some of them are ``known`` at other indices.
        """
        given = {*self.indices, *known}

        def varying(values: Iterable[SSAValue]) -> Iterator[SSAValue]:
            return (each for each in values if each not in given and self.varies(each))

        return all(
            isinstance(owner := value.owner, Operation)
            and not any(may_fail_first(each, self._op) for each in operations_in(owner))
            for value in reached(varying(values), lambda value: varying(inputs_of(value)))
        )

    def varies(self, value: SSAValue) -> bool:
        """Whether a value is another one at other indices, or is copied in any case."""
        if self._copies_body and is_within(value, self._op):
            return True
        leaves = range(len(leaf_types(value.type)))
        return any(not self._free.of(value, leaf).isdisjoint(self.indices) for leaf in leaves)

    def at(
        self,
        build: Inserter,
        own: Sequence[SSAValue],
        known: Mapping[SSAValue, SSAValue] = _NOTHING,
    ) -> Callable[[SSAValue], SSAValue]:
        """The values at given indices, some of which are ``known`` there."""
        values = {**known, **dict(zip(self.indices, own, strict=True))}
        return lambda value: build.recomputed(value, values, self.varies)


def selected(
    build: Builder, step: Step, tests: Iterable[Test], at: Callable[[SSAValue], SSAValue]
) -> SSAValue:
    """What a step combines, ``at`` other indices; the identity if a test fails."""
    copies = [replace(test, condition=at(test.condition)) for test in tests]
    value = at(step.value) if isinstance(step.value, SSAValue) else step.value
    return build.chosen(copies, value, step.neutral)


def bit_length(build: Builder, size: SSAValue) -> SSAValue:
    """The number of bits of a size: the least b with ``size < 2^b``."""
    return build.sub(64, build.emit(math.CountLeadingZerosOp(size)))


def number_by_halves(
    build: Builder,
    bits: SSAValue,
    size: SSAValue,
    is_before: Callable[[Builder, SSAValue], SSAValue],
) -> SSAValue:
    """The number of positions below a size, of so many bits, before the first one that is not:

    ``fold (j < b, p = 0) { where(is_before(p + 2^(b - 1 - j) - 1), p + 2^(b - 1 - j), p) }``
    """

    def halve(inner: Builder, counter: SSAValue, position: SSAValue) -> SSAValue:
        one = inner.integer(1)
        bit = inner.sub(inner.sub(bits, one), counter)
        further = inner.add(position, inner.emit(arith.ShLIOp(one, bit)))
        found = is_before(inner, inner.sub(further, one))
        is_step = inner.compare(further, "sle", size)
        return inner.select(inner.and_(is_step, found), further, position)

    return build.fold_over(bits, build.integer(0), halve)


def combined_ranges(
    build: Builder,
    step: Step,
    elements: SSAValue,
    indices: Sequence[BlockArgument],
    range_at: RangeBuilder,
    *,
    static: bool,
) -> SSAValue:
    """The combination of the elements in the range of each index, at these indices.

    ``fold (j < bits(n), s = elements, t = ..) { s[k] . s[k + 2^j], t . s[p] if len has bit j }``

    s has the combination of 2^j elements from each position on, as long as there are so many. Those
    of different j make up a range, which takes log n steps. A combination has elements of its range
    alone, so the rounding of a sum is relative to these. Ranges are in bounds. With ``static``, the
    number of steps depends on sizes alone.
    """
    size = build.size(elements, 0)
    sizes = [phi.size_of_index(index) for index in indices]
    ranges = build.comprehensions(sizes, range_at, indices)
    longest = size if static or len(indices) > 1 else largest(build, ranges[1])
    nothing = build.comprehension(sizes, lambda inner, _: inner.constant(step.neutral), indices)

    def longer(inner: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
        sums, totals = inner.fields(carried)
        width = inner.power_of_two(counter)
        below = inner.sub(width, 1)

        def doubled(body: Builder, own: Sequence[SSAValue]) -> SSAValue:
            pair = [
                body.get(sums, [each]) for each in (own[0], body.add(body.as_int(own[0]), width))
            ]
            return body.same(step.combine, *pair)

        def extended(body: Builder, own: Sequence[SSAValue]) -> SSAValue:
            total = body.get(totals, own)
            start, length = (body.get(each, own) for each in ranges)
            is_part = body.compare(body.and_(length, width), "ne", 0)
            part = body.get(sums, [body.add(start, body.and_(length, below))])
            return body.select(is_part, body.same(step.combine, total, part), total)

        after = (
            inner.comprehension([size], doubled),
            inner.comprehension(sizes, extended, indices),
        )
        return inner.tuple(after)

    init = build.tuple([elements, nothing])
    found = build.fold_over(bit_length(build, longest), init, longer)
    return build.get(build.proj(found, 1), indices)
