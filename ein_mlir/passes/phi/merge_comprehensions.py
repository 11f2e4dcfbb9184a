"""``merge-comprehensions``: comprehensions over equal sizes become one of records.

Accumulations over equal sizes become one into several accumulators, and folds that compute the
same values become one of a record.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.derivatives import has_derivatives
from ein_mlir.analysis.phi.replaced_rows import is_filled
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, equal_sizes
from ein_mlir.analysis.phi.speculation import any_may_fail, may_fail
from ein_mlir.analysis.scopes import block_of, operands_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import Contributions, accumulation, common_size, packed
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.sibling_folds import (
    blocks_of_several,
    by_work,
    merge_folds,
    merge_folds_within,
)


class Merger:
    """Merges the comprehensions of one block."""

    def __init__(self, block: Block, sizes: SizeEquivalence):
        self._block = block
        self._sizes = sizes
        self._order = {op: number for number, op in enumerate(block.ops)}

    def merge(self) -> None:
        """Merge the comprehensions of each group."""
        for group in self._groups():
            if len(group) > 1:
                merge(group)

    def merge_by_work(self) -> None:
        """Merge those of each group whose folds compute the same values, and these folds."""
        for group in self._groups():
            for each in by_work(group, self._sizes) if len(group) > 1 else ():
                if len(each) > 1:
                    merge_folds(merge(each).body.block, self._sizes)

    def _groups(self) -> list[list[phi.ArrayOp]]:
        """Comprehensions of the same sizes that may all be computed in the place of the first.

        Each joins the first group that it may, whose members read the same older values, or the
        group of the comprehensions whose elements it reads at its own indices. One of a single
        number shares nothing with others, and a loop that starts from it may replace it.
        """
        groups = list[list[phi.ArrayOp]]()
        started = defaultdict[Hashable, list[list[phi.ArrayOp]]](list)
        homes = defaultdict[Hashable, dict[SSAValue, list[phi.ArrayOp]]](dict)
        looped = set[phi.ArrayOp]()
        for op in self._block.ops:
            if isinstance(op, phi.ArrayOp) and not is_filled(op) and not any_may_fail(op):
                space, last = _space(op, self._sizes), max(operands_within(op), key=self._place)
                known, home = started[space], homes[space]
                first = bisect(known, self._place(last), key=lambda each: self._order[each[0]])
                if first < len(known):
                    group = known[first]
                elif (
                    (own := home.get(_source(last)))
                    and own[0] not in looped
                    and self._continues(op, own, home)
                ):
                    group = own
                else:
                    known.append(group := [])
                    groups.append(group)
                group.append(op)
                home[op.result] = group
                if not _is_plain(op):
                    looped.add(group[0])
        return groups

    def _continues(
        self,
        op: phi.ArrayOp,
        group: Sequence[phi.ArrayOp],
        home: Mapping[SSAValue, Sequence[phi.ArrayOp]],
    ) -> bool:
        """Whether a comprehension reads those of a group at its own indices only.

        Its other operands are known before the group, which has no loops. Bodies with loops stay
        apart: these may be products of matrices.
        """
        place = self._order[group[0]]
        return _is_plain(op) and all(
            self._place(value) < place
            or (home.get(_source(value)) is group and _is_own_element(read, op))
            for read in operations_in(op)
            for value in read.operands
        )

    def _place(self, value: SSAValue) -> int:
        """The number of the operation of the block that defines a value; -1 if there is none.

        A field is known with its record.
        """
        value = _source(value)
        owner = value.owner
        if block_of(value) is not self._block or not isinstance(owner, Operation):
            return -1
        return self._order[owner]


def _is_plain(op: phi.ArrayOp) -> bool:
    """Whether the body of a comprehension has no loops and no comprehensions."""
    return not any(inner.regions for inner in op.body.block.ops)


def _source(value: SSAValue) -> SSAValue:
    """The record of arrays that an array is a field of, or the array itself."""
    return value.owner.record if isinstance(value.owner, phi.ProjOp) else value


def _is_own_element(read: Operation, op: phi.ArrayOp) -> bool:
    """Whether an operation reads a scalar at the indices of a comprehension."""
    return (
        isinstance(read, phi.GetOp)
        and phi.is_scalar_type(read.result.type)
        and tuple(map(phi.uncast, read.positions)) == tuple(op.indices)
    )


def _space(op: phi.ComprehensionOp, sizes: SizeEquivalence) -> Hashable:
    """The common key of operations over the same indices: sizes that are provably equal.

    Sizes that may be negative, which is an error, must be the same.
    """
    axes = tuple(sizes.representative(phi.Term(size)) for size in op.sizes)
    return axes, frozenset(size for size in op.operands if not is_nonnegative(size))


def merge(group: Sequence[phi.ArrayOp]) -> phi.ArrayOp:
    """``array (i < n) { e }, array (j < n) { f }  -->  array (i < n) { (e, f[i/j]) }``"""
    leader = group[0]
    _move_fields(group, leader)
    merged = merged_comprehension(group, _sizes_of_all(Builder.before(leader), group))
    fields = [phi.ProjOp(merged.result, number) for number in range(len(group))]
    Rewriter.insert_op((merged, *fields), InsertPoint.before(leader))
    for old, field in zip(group, fields, strict=True):
        field.location = old.location
        field.result.name_hint = old.result.name_hint
        Rewriter.replace_op(old, (), (field.result,))
    return merged


def _move_fields(group: Sequence[phi.ArrayOp], leader: phi.ArrayOp) -> None:
    """Take the fields that comprehensions read before the first of them, except its own."""
    results = [op.result for op in group]
    for value in dict.fromkeys(value for op in group[1:] for value in operands_within(op)):
        field = value.owner
        if not isinstance(field, phi.ProjOp) or field.record in results:
            continue
        if field.parent is leader.parent and not field.is_before_in_block(leader):
            field.detach()
            Rewriter.insert_op(field, InsertPoint.before(leader))


def _sizes_of_all(build: Builder, group: Sequence[phi.ComprehensionOp]) -> list[SSAValue]:
    """The sizes of the operations of a group."""
    return [common_size(build, axis) for axis in zip(*(op.sizes for op in group), strict=True)]


def merged_comprehension(group: Sequence[phi.ArrayOp], sizes: Sequence[SSAValue]) -> phi.ArrayOp:
    """The comprehension of the record of the elements."""
    body = Block(arg_types=[IndexType()] * len(sizes))
    results = dict[SSAValue, SSAValue]()
    for op in group:
        values = dict[SSAValue, SSAValue](zip(op.indices, body.args, strict=True))
        for new, old in zip(body.args, op.indices, strict=True):
            new.name_hint = new.name_hint or old.name_hint
        for inner in list(op.body.block.ops)[:-1]:
            if isinstance(inner, phi.GetOp) and _source(inner.array) in results:
                values[inner.result] = _element(inner.array, results)
            else:
                body.add_op(copy_of(inner, values))
        results[op.result] = values.get(op.yielded(), op.yielded())
    record = phi.TupleOp(list(results.values()))
    body.add_ops([record, phi.YieldOp(record.result)])
    type_ = phi.tuple_of([op.result.type for op in group])
    merged = phi.ArrayOp(sizes, Region(body), type_)
    merged.location = group[0].location
    return merged


def _element(array: SSAValue, elements: Mapping[SSAValue, SSAValue]) -> SSAValue:
    """The element of an array, or of a field of records, among those of comprehensions."""
    found, field = elements[_source(array)], array.owner
    if not isinstance(field, phi.ProjOp):
        return found
    assert isinstance(found.owner, phi.TupleOp)
    return found.owner.fields[field.field.value.data]


# Accumulations ----------------------------------------------------------------------------------


@dataclass
class _Accumulations:
    """Accumulations over the same sizes that are ready before any of them is used."""

    members: list[phi.AccumulateOp]
    ready: int
    """The number of the last operation of the block that they depend on."""
    used: int
    """The number of the first one that depends on them."""

    def takes(self, op: phi.AccumulateOp, ready: int, used: int) -> bool:
        """Whether another one may be computed in the same place; if so, it joins."""
        ready, used = max(self.ready, ready), min(self.used, used)
        users = (use.operation for member in self.members for use in member.result.uses)
        if ready >= used or any(map(op.is_ancestor, users)):
            return False
        self.members, self.ready, self.used = [*self.members, op], ready, used
        return True


def merge_accumulations(block: Block, sizes: SizeEquivalence) -> None:
    """Merge the accumulations of a block over the same sizes.

    One group after another: what is before it, or after it, changes with the places of others.
    """
    while (found := _accumulations(block, sizes)) is not None:
        first, last = found.members[0], list(block.ops)[max(found.ready, 0)]
        is_late = first.is_before_in_block(last)
        merge_at(Builder.after(last) if is_late else Builder.before(first), found.members)


def _accumulations(block: Block, sizes: SizeEquivalence) -> _Accumulations | None:
    """The first of some accumulations to merge."""
    order: dict[Operation | Block, int] = {op: number for number, op in enumerate(block.ops)}
    latest, every = dict[Hashable, _Accumulations](), list[_Accumulations]()
    for op in block.ops:
        if not isinstance(op, phi.AccumulateOp) or any(map(may_fail, operations_in(op)[1:])):
            continue
        needed = (order.get(v.owner, -1) for v in operands_within(op))
        users = (block.find_ancestor_op_in_block(use.operation) for use in op.result.uses)
        used = min((order[user] for user in users if user is not None), default=len(order))
        key, ready = _space(op, sizes), max(needed, default=-1)
        if key not in latest or not latest[key].takes(op, ready, used):
            latest[key] = _Accumulations([op], ready, used)
            every.append(latest[key])
    return next((group for group in every if len(group.members) > 1), None)


def merge_at(build: Builder, group: Sequence[phi.AccumulateOp]) -> None:
    """``accumulate (i < n) into k (m) { e }, accumulate (j < n) into l (p) { f }``  -->
    ``accumulate (i < n) into k (m), l (p) { (e, f[i/j]) }``
    """
    first = group[0]
    into = [(each.kind, each.extents) for op in group for each in op.accumulators]

    def contributions(inner: Builder, indices: Sequence[SSAValue]) -> Contributions:
        return [found for op in group for found in _contributions(op, inner, indices)]

    merged = accumulation(build, _sizes_of_all(build, group), into, contributions, first.indices)
    fields = iter([build.proj(merged, k) for k in range(len(into))])
    results = [packed(build, [next(fields) for _ in op.accumulators]) for op in group]
    for op, result in zip(group, results, strict=True):
        result.name_hint = op.result.name_hint
        Rewriter.replace_op(op, (), (result,))


def _contributions(
    op: phi.AccumulateOp, build: Builder, indices: Sequence[SSAValue]
) -> Contributions:
    """Copy the body of an accumulation; the positions and the value for each accumulator."""
    values = dict[SSAValue, SSAValue](zip(op.indices, indices, strict=True))
    for inner in list(op.body.block.ops)[:-1]:
        build.insert(copy_of(inner, values))
    yielded = values.get(op.yielded(), op.yielded())
    found = list[tuple[Sequence[SSAValue], SSAValue]]()
    for each in op.accumulators:
        record = build.proj(yielded, each.path[0]) if each.path else yielded
        *at, value = (build.proj(record, k) for k in range(each.rank + 1))
        found.append((at, value))
    return found


@dataclass(frozen=True)
class MergeComprehensionsPass(FunctionPass):
    """Merges comprehensions over the same sizes, which then share loads and values.

    Before::

        %a = phi.array (%i < %n) -> !phi.vec<f64> {
          %x = phi.get %u[%i] : !phi.vec<f64>[index]
          %y = math.sin %x : f64
          phi.yield %y : f64
        }
        %b = phi.array (%j < %n) -> !phi.vec<f64> {
          %x = phi.get %u[%j] : !phi.vec<f64>[index]
          %y = math.cos %x : f64
          phi.yield %y : f64
        }

    After, and after ``outline``::

        %r = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
          %x = phi.get %u[%i] : !phi.vec<f64>[index]
          %y = math.sin %x : f64
          %z = math.cos %x : f64
          %t = phi.tuple (%y, %z) : tuple<f64, f64>
          phi.yield %t : tuple<f64, f64>
        }
        %a = phi.proj %r, 0 : ..
        %b = phi.proj %r, 1 : ..

    The values that the second one uses must be defined before the first. If neither has loops, it
    may read the first at its own indices, ``%a[%j]``: that is the value ``%y``. Comprehensions that
    may raise an error stay apart.

    Accumulations over the same sizes become one into several accumulators::

        %c = phi.accumulate (%i < %n) into "add" (%m) -> !phi.vec<i64> { .. phi.yield %p .. }
        %s = phi.accumulate (%j < %n) into "max" (%l) -> !phi.vec<f64> { .. phi.yield %q .. }

    after the last operation that they depend on, if nothing before it depends on them. Sizes that
    may be negative must be the same::

        %r = phi.accumulate (%i < %n) into "add" (%m), "max" (%l)
            -> tuple<!phi.vec<i64>, !phi.vec<f64>> { .. %t = phi.tuple (%p, %q) .. }
        %c = phi.proj %r, 0 : ..
        %s = phi.proj %r, 1 : ..

    Folds of scalars in one body become one, if they compute a common value that is no product::

        %s = phi.fold (%k < %n, %acc = %zero) -> f64 { .. %e = math.exp %x .. phi.yield %p : f64 }
        %t = phi.fold (%l < %n, %acc = %zero) -> f64 { .. %e = math.exp %x .. phi.yield %q : f64 }

        %r = phi.fold (%k < %n, %acc = %zeros) -> tuple<f64, f64> { .. phi.yield %pq : .. }

    Sums, extremes and the like become one, too, if they read the same element in each step, and
    their terms are no products of elements at several positions, as in products of matrices.

    The differences ``%x[%i] - %x[%k]`` and ``%x[%k] - %x[%i]`` in sums are a common value, too,
    where only an odd or even function of them is added.

    With ``work``, only comprehensions with such folds are merged, and no accumulations: then a
    backend that computes arrays one after the other has one loop for several sums, too. With
    ``derivatives`` it is for functions that have some, before they are expanded: the cotangents of
    a value that several sums need are added where it is computed, and go through it once.
    """

    name = "merge-comprehensions"
    looks_for = (phi.ArrayOp, phi.AccumulateOp, phi.FoldOp)

    work: bool = False
    derivatives: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if self.derivatives and not has_derivatives(function, analyses):
            return
        if not any(blocks_of_several(function, kind) for kind in self.looks_for):
            return
        sizes = analyses.get(equal_sizes, function)
        for block in reversed(blocks_of_several(function, phi.ArrayOp)):
            merger = Merger(block, sizes)
            merger.merge_by_work() if self.work else merger.merge()
        if self.work:
            return
        merge_folds_within(function, sizes, by_reads=True)
        for block in blocks_of_several(function, phi.AccumulateOp):
            merge_accumulations(block, sizes)
