"""Tests of a step that select by a key: ``key == index``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.scopes import around, is_defined_in
from ein_mlir.dialects import phi


@dataclass(frozen=True)
class Key:
    """``key == index``, where the key varies with the counter and not with the index."""

    index: BlockArgument
    key: SSAValue


def keys_of(op: phi.FoldOp, step: Step, free: FreeIndices) -> tuple[list[Key], list[Test]]:
    """The tests of a step that select by a key, and the other ones.

    No other value of the step may vary with the index of a key.
    """
    varying = Counter(index for test in step.tests for index in free.of(test.condition))
    if isinstance(step.value, SSAValue):
        varying.update(free.of(step.value))
    keys, others = list[Key](), list[Test]()
    for test in step.tests:
        found = [key for key in _equation(test, free) if varying[key.index] == 1]
        if found and is_defined_in(found[0].key, op.body.block):
            keys.append(found[0])
        else:
            others.append(test)
    return sorted(keys, key=lambda key: _nesting(key.index)), others


def _nesting(index: BlockArgument) -> tuple[int, int]:
    """A sort key that increases from outer indices to inner ones."""
    return len(list(around(index.block.parent_op()))), index.index


def _equation(test: Test, free: FreeIndices) -> Iterator[Key]:
    """``key == index`` or ``index == key``, where the key does not vary with the index."""
    op = test.condition.owner
    if not isinstance(op, arith.CmpiOp) or op.lhs.type != i64:
        return
    predicate = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
    if predicate != ("eq" if test.expected else "ne"):
        return
    for key, side in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        cast = side.owner
        if isinstance(cast, arith.IndexCastOp) and isinstance(cast.input, BlockArgument):
            index = cast.input
            if phi.is_comprehension_index(index) and index not in free.of(key):
                yield Key(index, key)
