"""Folds of a block over equal counts that compute the same values become one of a record.

Each of them may be a product that a pass knows as such. So a fold joins another one only for a
value that no product of matrices has, such as a difference or a root. Differences are those of one
order.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.scopes import dependents, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_product
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.rewriting.phi.builders import common_size, fold_over
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.oriented_differences import orient_differences


@dataclass
class _Group:
    """Folds that may all run in the place of the first."""

    folds: list[phi.FoldOp]
    values: set[int]
    """The numbers of the values that they compute in each step."""


def merge_folds(block: Block, sizes: SizeEquivalence) -> None:
    """Merge the folds of each group."""
    _share_elements(block)
    for op in block.ops:
        if isinstance(op, phi.FoldOp) and _may_move(op):
            orient_differences(op)
    for group in _groups(block, sizes):
        if len(group) > 1:
            _merge(group)


def _share_elements(block: Block) -> None:
    """``a[i], a[cast i]  -->  a[i], a[i]``: equal elements that folds of a block read are one."""
    known = dict[Hashable, SSAValue]()
    for op in list(block.ops):
        if isinstance(op, phi.GetOp):
            key = (op.array, *map(phi.uncast, op.positions))
            if (same := known.setdefault(key, op.result)) is not op.result:
                Rewriter.replace_op(op, (), (same,))


def _groups(block: Block, sizes: SizeEquivalence) -> Iterator[Sequence[phi.FoldOp]]:
    """Folds of scalars over the same count, of which each computes a value of those before it."""
    order = {op: number for number, op in enumerate(block.ops)}
    started = dict[Hashable, list[_Group]]()
    table = dict[Hashable, int]()
    for op in block.ops:
        if not isinstance(op, phi.FoldOp) or not _may_move(op):
            continue
        values, key = set(_values(op, table)), sizes.representative(phi.Term(op.count))
        groups = started.setdefault(key, [])
        owners = (value.owner for value in operands_within(op))
        ready = max(order.get(each, -1) for each in owners if isinstance(each, Operation))
        for group in groups:
            if ready < order[group.folds[0]] and not values.isdisjoint(group.values):
                group.folds.append(op)
                group.values |= values
                break
        else:
            groups.append(_Group([op], values))
    yield from (group.folds for groups in started.values() for group in groups)


def _may_move(op: phi.FoldOp) -> bool:
    """Whether a fold is one of scalars that raises no error."""
    is_scalar = not any(map(phi.rank_of, leaf_types(op.init.type)))
    is_plain = is_scalar and op.irregular is None and is_nonnegative(op.count)
    return is_plain and not any_may_fail(op)


def _values(op: phi.FoldOp, table: dict[Hashable, int]) -> Iterator[int]:
    """The numbers of the Floats that a step computes; equal values of folds have one number.

    A product of factors that are read is no such value.
    """
    block = op.body.block
    varying, carried = dependents(block, op.counter), dependents(block, op.accumulator)
    known: dict[SSAValue, Hashable] = {op.counter: "counter"}
    for inner in block.ops:
        if inner.regions or len(inner.results) != 1 or inner.results[0] in carried:
            continue
        operands = tuple(known.get(each, each) for each in inner.operands)
        key = (inner.name, tuple(inner.properties.items()), operands, inner.results[0].type)
        number = table.setdefault(key, len(table))
        known[inner.results[0]] = number
        is_work = isa(inner.results[0].type, AnyFloat) and not is_product(inner.name)
        if is_work and inner.results[0] in varying and not isinstance(inner, phi.GetOp):
            yield number


def _merge(folds: Sequence[phi.FoldOp]) -> None:
    """``fold (k < n, a = x) { e }, fold (k < n, b = y) { f }``  -->
    ``fold (k < n, (a, b) = (x, y)) { (e, f) }``
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
            for each in list(op.body.block.ops)[:-1]:
                inner.insert(copy_of(each, values))
            after += inner.leaves(values.get(op.yielded(), op.yielded()))
        return inner.tuple(after)

    count = common_size(before, [op.count for op in folds])
    fields = iter(before.leaves(fold_over(before, count, start, step, [first.counter])))
    results = [
        before.record(op.init.type, [next(fields) for _ in range(count)])
        for op, count in zip(folds, counts, strict=True)
    ]
    for op, result in zip(folds, results, strict=True):
        result.name_hint = op.result.name_hint
        Rewriter.replace_op(op, (), (result,))
