"""``merge-comprehensions``: comprehensions over equal sizes become one of records.

Accumulations over equal sizes become one into several accumulators, and folds that compute the
same values become one of a record.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, equal_sizes
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import operands_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder, Contributions
from ein_mlir.rewriting.phi.sibling_comprehensions import Merger, common_sizes, space_of
from ein_mlir.rewriting.phi.sibling_folds import (
    blocks_of_several,
    merge_folds_within,
    move_before_loops,
)

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
        key, ready = space_of(op, sizes), max(needed, default=-1)
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

    merged = build.accumulation(common_sizes(build, group), into, contributions, first.indices)
    fields = iter([build.proj(merged, k) for k in range(len(into))])
    results = [build.packed([next(fields) for _ in op.accumulators]) for op in group]
    for op, result in zip(group, results, strict=True):
        result.name_hint = op.result.name_hint
        Rewriter.replace_op(op, (), (result,))


def _contributions(
    op: phi.AccumulateOp, build: Builder, indices: Sequence[SSAValue]
) -> Contributions:
    """Copy the body of an accumulation; the positions and the value for each accumulator."""
    values = dict[SSAValue, SSAValue](zip(op.indices, indices, strict=True))
    build.copy_all(list(op.body.block.ops)[:-1], values)
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

        %a = phi.array (%i < %n) -> !phi.vec<f64> { sin %u[%i] }
        %b = phi.array (%j < %n) -> !phi.vec<f64> { cos %u[%j] }

    After, and after ``outline``::

        %r = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
          %x = phi.get %u[%i] : !phi.vec<f64>[index]
          phi.yield (sin %x, cos %x) : tuple<f64, f64>
        }
        %a = phi.proj %r, 0 : ..
        %b = phi.proj %r, 1 : ..

    The values that the second one uses must be defined before the first. If neither has loops, it
    may read the first at its own indices, ``%a[%j]``: that is the value ``%y``. Comprehensions that
    may raise an error stay apart.

    So may one that loops over the same row as the first, or a comprehension of rows, which are in
    the cache then: ``array (i, j) { u[i, j] - m[i] }`` after ``m = array (i) { max of u[i] }`` is
    one comprehension of rows, and if nothing else reads ``m``, it is no array. Bodies with other
    loops, such as products of matrices, stay apart from those that they read.

    Accumulations over the same sizes become one into several accumulators, after the last operation
    that they depend on, if nothing before it depends on them. Sizes that may be negative must be
    the same.

    Folds of scalars in one body become one, if they compute a common value that is no product, such
    as an exponential function of elements. Folds that compute other values from equal recurrences,
    of arrays too, are one that carries these once: those of cotangents, for several values that a
    loop captures.

    Sums, extremes and the like become one, too, if they read the same element in each step, and
    their terms are no products of elements at several positions, as in products of matrices.

    The differences ``%x[%i] - %x[%k]`` and ``%x[%k] - %x[%i]`` in sums are a common value, too,
    where only an odd or even function of them is added.

    With ``work``, only comprehensions with such folds are merged, and those with equal recurrences,
    and no accumulations: then a backend that computes arrays one after the other has one loop for
    several sums, too, and for several ends of a recurrence. With ``derivatives`` it is for
    functions that have some, before they are expanded: the cotangents of a value that several sums
    need are added where it is computed, and go through it once. So are those of elements that
    several comprehensions compute the same functions of, such as ``min(%x[%i], %x[%i + 1])``.
    """

    name = "merge-comprehensions"
    looks_for = (phi.ArrayOp, phi.AccumulateOp, phi.FoldOp)

    work: bool = False
    derivatives: bool = False

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if not any(blocks_of_several(function, kind) for kind in self.looks_for):
            return
        sizes = analyses.get(equal_sizes, function)
        for block in reversed(blocks_of_several(function, phi.ArrayOp)):
            rows = not (self.work or self.derivatives)
            if self.derivatives:
                move_before_loops(block)
            merger = Merger(block, sizes, rows=rows, failing=self.work)
            if self.work:
                merger.merge_by_work(neighbours=self.derivatives)
            else:
                merger.merge()
        if self.work:
            return
        merge_folds_within(function, sizes, by_reads=True)
        for block in blocks_of_several(function, phi.AccumulateOp):
            merge_accumulations(block, sizes)
