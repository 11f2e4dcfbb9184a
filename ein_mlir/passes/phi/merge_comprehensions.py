"""``merge-comprehensions``: comprehensions over the same sizes become one of records."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import block_of, operands_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass


class Merger:
    """Merges the comprehensions of one block."""

    def __init__(self, block: Block):
        self._block = block
        self._order = {op: number for number, op in enumerate(block.ops)}

    def merge(self) -> None:
        """Merge the comprehensions of each group."""
        for group in self._groups():
            if len(group) > 1:
                merge(group)

    def _groups(self) -> list[list[phi.ArrayOp]]:
        """Comprehensions of the same sizes that may all be computed in the place of the first."""
        groups = list[list[phi.ArrayOp]]()
        last = dict[tuple[SSAValue, ...], list[phi.ArrayOp]]()
        for op in self._block.ops:
            if isinstance(op, phi.ArrayOp) and not _fails(op):
                group = last.get(tuple(op.sizes))
                if group and all(self._is_before(v, group[0]) for v in operands_within(op)):
                    group.append(op)
                else:
                    groups.append([op])
                    last[tuple(op.sizes)] = groups[-1]
        return groups

    def _is_before(self, value: SSAValue, place: Operation) -> bool:
        """Whether a value is not defined in the block from an operation on."""
        owner = value.owner
        if block_of(value) is not self._block or not isinstance(owner, Operation):
            return True
        return self._order[owner] < self._order[place]


def _fails(op: phi.ArrayOp) -> bool:
    """Whether a comprehension may raise an error, which the other one would raise, too."""
    return any(map(may_fail, operations_in(op)))


def merge(group: Sequence[phi.ArrayOp]) -> None:
    """``array (i < n) { e }, array (j < n) { f }  -->  array (i < n) { (e, f[i/j]) }``"""
    leader = group[0]
    merged = merged_comprehension(group)
    fields = [phi.ProjOp(merged.result, number) for number in range(len(group))]
    Rewriter.insert_op((merged, *fields), InsertPoint.before(leader))
    for old, field in zip(group, fields, strict=True):
        field.location = old.location
        field.result.name_hint = old.result.name_hint
        Rewriter.replace_op(old, (), (field.result,))


def merged_comprehension(group: Sequence[phi.ArrayOp]) -> phi.ArrayOp:
    """The comprehension of the record of the elements."""
    sizes = list(group[0].sizes)
    body = Block(arg_types=[IndexType()] * len(sizes))
    results = list[SSAValue]()
    for op in group:
        values = dict[SSAValue, SSAValue](zip(op.indices, body.args, strict=True))
        for new, old in zip(body.args, op.indices, strict=True):
            new.name_hint = new.name_hint or old.name_hint
        for inner in list(op.body.block.ops)[:-1]:
            body.add_op(inner.clone(values))
        results.append(values.get(op.yielded(), op.yielded()))
    record = phi.TupleOp(results)
    body.add_ops([record, phi.YieldOp(record.result)])
    type_ = phi.tuple_of([op.result.type for op in group])
    merged = phi.ArrayOp(sizes, Region(body), type_)
    merged.location = group[0].location
    return merged


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

    The values that the second one uses must be defined before the first, so neither reads the
    other. Comprehensions that may raise an error stay apart.
    """

    name = "merge-comprehensions"
    looks_for = (phi.ArrayOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        blocks = [
            block
            for op in operations_in(function)
            for region in op.regions
            for block in region.blocks
        ]
        for block in reversed(blocks):
            Merger(block).merge()
