"""Where the loops of an accumulation take positions and values from: computed, or from memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.predicates import conjoined
from ein_mlir.analysis.scopes import operands_within
from ein_mlir.dialects import phi
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.values import Leaf


class Source:
    """The positions and values of an accumulation at its indices, level by level."""

    def depth(self, leaf: int) -> int:
        """The number of outer indices that a field of the yielded value is known at."""
        raise NotImplementedError

    def enter(self, depth: int, at: Sequence[SSAValue]) -> None:
        """Compute all that depends on a number of outer indices, inside of their loops."""
        raise NotImplementedError

    def leaf(self, number: int, at: Sequence[SSAValue]) -> Leaf:
        """A field of the yielded value."""
        raise NotImplementedError

    def tests(self, leaf: int, depth: int) -> Sequence[SSAValue]:
        """The conditions that select a field, or else another value, at a number of indices."""
        return ()

    def is_optional(self, leaf: int) -> bool:
        """Whether a field is selected by a condition, or else a negative number."""
        return False


class Computed(Source):
    """Positions and values that are computed in the loop."""

    def __init__(self, conversion: Conversion, op: phi.AccumulateOp, indices: Sequence[SSAValue]):
        self._c, self._op, self._indices = conversion, op, indices
        block = op.body.block
        self._depths: dict[SSAValue, int] = {index: k + 1 for k, index in enumerate(indices)}
        self._levels: list[list[Operation]] = [[] for _ in range(len(block.args) + 1)]
        for each in block.ops:
            if each is not block.last_op:
                depths = (self._depths.get(value, 0) for value in operands_within(each))
                level = max(depths, default=0)
                self._depths.update((result, level) for result in each.results)
                self._levels[level].append(each)
        self._fields = leaf_values(op.yielded())
        if len(self._fields) != len(leaf_types(op.yielded().type)):
            self._fields = list[SSAValue]()

    def depth(self, leaf: int) -> int:
        value = self._fields[leaf] if self._fields else self._op.yielded()
        return self._depths.get(value, 0)

    def enter(self, depth: int, at: Sequence[SSAValue]) -> None:
        if depth > 0:
            self._c.bind(self._indices[depth - 1], [at[depth - 1]])
        self._c.operations(self._levels[depth])

    def leaf(self, number: int, at: Sequence[SSAValue]) -> Leaf:
        if not self._fields:
            return self._c.leaves(self._op.yielded())[number]
        return self._c.leaves(self._fields[number])[0]

    def tests(self, leaf: int, depth: int) -> Sequence[SSAValue]:
        select = self._fields[leaf].owner if self._fields else None
        if not isinstance(select, arith.SelectOp) or self._op in self._c.ordered:
            return ()
        conditions = conjoined(select.cond)
        return [each for each in conditions if self._depths.get(each, 0) == depth]

    def is_optional(self, leaf: int) -> bool:
        select = self._fields[leaf].owner if self._fields else None
        return isinstance(select, arith.SelectOp) and (known_int(select.rhs) or 0) < 0


class Stored(Source):
    """Positions and values of a block of the first index, in memory; equal ones are stored once."""

    def __init__(
        self,
        conversion: Conversion,
        op: phi.AccumulateOp,
        sizes: Sequence[SSAValue],
        rows: Mapping[int, Sequence[SSAValue]],
    ):
        """``rows`` are the sizes of the fields that are arrays."""
        self._c, self._op, self._sizes, self._low = conversion, op, sizes, conversion.index(0)
        types, values = leaf_types(op.yielded().type), leaf_values(op.yielded())
        leaves = range(len(types))
        firsts = leaves if len(values) != len(types) else [values.index(each) for each in values]
        arrays = {
            leaf: conversion.allocate(phi.scalar_of(types[leaf]), [*sizes, *rows.get(leaf, ())])
            for leaf in leaves
            if firsts[leaf] == leaf
        }
        self._distinct, self._arrays = arrays, [arrays[first] for first in firsts]

    def compute(self, low: SSAValue, high: SSAValue) -> None:
        """A parallel loop that computes the fields at a range of the first index."""
        c, self._low = self._c, low

        def body(at: Sequence[SSAValue]) -> None:
            first = c.value_of(arith.AddiOp(low, at[0]))
            for index, place in zip(self._op.indices, [first, *at[1:]], strict=True):
                c.bind(index, [place])
            c.block(self._op.body.block)
            leaves = c.leaves(self._op.yielded())
            for leaf, array in self._distinct.items():
                c.put(leaves[leaf], array.at(at))

        c.parallel([c.value_of(arith.SubiOp(high, low)), *self._sizes[1:]], body)

    def depth(self, leaf: int) -> int:
        return len(self._sizes)

    def enter(self, depth: int, at: Sequence[SSAValue]) -> None:
        """Nothing: all is computed."""

    def leaf(self, number: int, at: Sequence[SSAValue]) -> Leaf:
        row = self._c.value_of(arith.SubiOp(at[0], self._low))
        part = self._arrays[number].at([row, *at[1:]])
        return part if part.sizes else self._c.load(part)
