"""Combinations of the elements between two positions, for all pairs of positions at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from xdsl.builder import Builder
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.selections import Step
from ein_mlir.analysis.phi.speculation import may_fail_first
from ein_mlir.analysis.scopes import blocks_around, captured, is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.phi.builders import (
    comprehension,
    comprehensions,
    integer,
    packed,
    same_operation,
    unpacked,
)
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

    def can_have(self, values: Iterable[SSAValue]) -> bool:
        """Whether values raise no error, and nothing else in them varies with the indices."""
        pending, seen = list(values), set[SSAValue](self.indices)
        while pending:
            value = pending.pop()
            if value in seen or not self.varies(value):
                continue
            seen.add(value)
            if not isinstance(owner := value.owner, Operation):
                return False
            if any(may_fail_first(each, self._op) for each in operations_in(owner)):
                return False
            pending.extend(inputs_of(owner))
        return True

    def varies(self, value: SSAValue) -> bool:
        """Whether a value is another one at other indices, or is copied in any case."""
        if self._copies_body and is_within(value, self._op):
            return True
        leaves = range(len(leaf_types(value.type)))
        return any(not self._free.of(value, leaf).isdisjoint(self.indices) for leaf in leaves)

    def at(
        self,
        build: Builder,
        own: Sequence[SSAValue],
        known: Mapping[SSAValue, SSAValue] = _NOTHING,
    ) -> Callable[[SSAValue], SSAValue]:
        """The values at given indices, some of which are ``known`` there."""
        known = {**known, **dict(zip(self.indices, own, strict=True))}
        for index, value in zip(self.indices, own, strict=True):
            uses = (use.operation for use in index.uses if value.type == i64)
            casts = (each.result for each in uses if isinstance(each, arith.IndexCastOp))
            known.update(dict.fromkeys(casts, value))

        def value_of(value: SSAValue) -> SSAValue:
            if value in known or not self.varies(value):
                return known.get(value, value)
            assert isinstance(value.owner, Operation)
            for operand in inputs_of(value.owner):
                value_of(operand)
            build.insert(copy_of(value.owner, known))
            return known[value]

        return value_of


def inputs_of(op: Operation) -> Sequence[SSAValue]:
    """The values that an operation and its body depend on."""
    return [*op.operands, *(captured(op) if op.regions else ())]


def bit_length(build: Builder, size: SSAValue) -> SSAValue:
    """The number of bits of a size: the least b with ``size < 2^b``."""
    zeros = build.insert(math.CountLeadingZerosOp(size)).result
    return build.insert(arith.SubiOp(integer(build, 64), zeros)).result


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
    size = build.insert(phi.SizeOp(elements, 0)).result
    sizes = [phi.size_of_index(index) for index in indices]
    ranges = comprehensions(build, sizes, range_at, indices)
    longest = size if static or len(indices) > 1 else largest(build, ranges[1])
    nothing = comprehension(build, sizes, lambda inner, _: _neutral(inner, step), indices)
    init = packed(build, [elements, nothing])
    block = Block(arg_types=(i64, init.type))
    inner = Builder(InsertPoint.at_end(block))
    sums, totals = unpacked(inner, block.args[1], 2)
    width = inner.insert(arith.ShLIOp(integer(inner, 1), block.args[0])).result
    below = inner.insert(arith.SubiOp(width, integer(inner, 1))).result

    def doubled(body: Builder, own: Sequence[SSAValue]) -> SSAValue:
        place = body.insert(arith.IndexCastOp(own[0], i64)).result
        place = body.insert(arith.AddiOp(place, width)).result
        pair = [body.insert(phi.GetOp(sums, [each])).result for each in (own[0], place)]
        return body.insert(same_operation(step.combine, *pair)).results[0]

    def extended(body: Builder, own: Sequence[SSAValue]) -> SSAValue:
        total = body.insert(phi.GetOp(totals, own)).result
        start, length = (body.insert(phi.GetOp(each, own)).result for each in ranges)
        bit = body.insert(arith.AndIOp(length, width)).result
        is_part = body.insert(arith.CmpiOp(bit, integer(body, 0), "ne")).result
        done = body.insert(arith.AndIOp(length, below)).result
        place = body.insert(arith.AddiOp(start, done)).result
        part = body.insert(phi.GetOp(sums, [place])).result
        longer = body.insert(same_operation(step.combine, total, part)).results[0]
        return body.insert(arith.SelectOp(is_part, longer, total)).result

    after = [
        comprehension(inner, [size], doubled),
        comprehension(inner, sizes, extended, indices),
    ]
    inner.insert(phi.YieldOp(packed(inner, after)))
    fold = build.insert(phi.FoldOp(bit_length(build, longest), init, Region(block)))
    return build.insert(phi.GetOp(unpacked(build, fold.result, 2)[1], indices)).result


def _neutral(build: Builder, step: Step) -> SSAValue:
    return build.insert(arith.ConstantOp(step.neutral)).result
