"""``copy-slices``: a comprehension that reads slices of an array that it overwrites copies them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import block_of, is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import comprehension
from ein_mlir.rewriting.phi.insertion import Builder


def _replaced(fold: phi.FoldOp) -> Iterator[tuple[phi.ArrayOp, SSAValue]]:
    """Comprehensions of scalars in a step, or of records of scalars, with arrays to overwrite.

    These are the old values of arrays of the accumulator, or arrays of the step that a
    comprehension reads at its own indices.
    """
    loops = [op for op in fold.body.block.ops if isinstance(op, phi.ArrayOp)]
    pairs = [*_next_values(fold), *((op.result, old) for op in loops for old in _read_in_place(op))]
    for value, old in pairs:
        loop = value.owner
        if isinstance(loop, phi.ArrayOp) and loop.parent is fold.body.block:
            element = loop.yielded()
            fields = element.owner.fields if isinstance(element.owner, phi.TupleOp) else (element,)
            if all(phi.is_scalar_type(field.type) for field in fields):
                yield loop, old


def _next_values(fold: phi.FoldOp) -> list[tuple[SSAValue, SSAValue]]:
    """The next and the old value of each array of the accumulator."""
    accumulator, yielded = fold.accumulator, fold.yielded()
    if isinstance(accumulator.type, phi.VecType):
        return [(yielded, accumulator)]
    fields = yielded.owner.fields if isinstance(yielded.owner, phi.TupleOp) else None
    arrays = _arrays(accumulator)
    return [(fields[p.field.value.data] if fields else yielded, p.result) for p in arrays]


def _read_in_place(loop: phi.ArrayOp) -> Iterable[SSAValue]:
    """The results of operations before a comprehension that it reads at its own indices."""
    gets = (op for op in loop.body.block.ops if isinstance(op, phi.GetOp))
    own = (get.array for get in gets if [*map(phi.uncast, get.positions)] == [*loop.indices])
    return dict.fromkeys(
        array
        for array in own
        if block_of(array) is loop.parent and not isinstance(array.owner, Block | phi.ProjOp)
    )


def _arrays(record: SSAValue) -> list[phi.ProjOp]:
    """The projections of a record that are arrays; none if it is also used as a whole."""
    projections = list[phi.ProjOp]()
    for use in record.uses:
        if not isinstance(use.operation, phi.ProjOp):
            return []
        projections.append(use.operation)
    return [each for each in projections if isinstance(each.result.type, phi.VecType)]


def _slices(fold: phi.FoldOp, loop: phi.ArrayOp, old: SSAValue) -> list[phi.GetOp]:
    """The accesses to slices, if a comprehension otherwise reads only the element at its indices.

    All other uses of the old array are before it.
    """
    slices = list[phi.GetOp]()
    for use in old.uses:
        user = use.operation
        outer = fold.body.block.find_ancestor_op_in_block(user)
        if isinstance(user, phi.SizeOp) or (
            outer is not None and outer is not loop and outer.is_before_in_block(loop)
        ):
            continue
        if outer is not loop or not isinstance(user, phi.GetOp) or use.index != 0:
            return []
        positions = [*map(phi.uncast, user.positions)]
        if positions == list(loop.indices):
            continue
        if not phi.is_scalar_type(user.result.type) or not _is_slice(positions, loop):
            return []
        slices.append(user)
    return slices


def _is_slice(positions: Sequence[SSAValue], loop: phi.ArrayOp) -> bool:
    """Whether each position is an index of a comprehension or does not vary, and one is missing."""
    varying = [position for position in positions if is_within(position, loop)]
    return (
        set(varying) < set(loop.indices)
        and len(set(varying)) == len(varying)
        and not any(isinstance(p.owner, Operation) for p in varying)
    )


def _copy(loop: phi.ArrayOp, get: phi.GetOp) -> None:
    """``array(i, j) { x[i, k] }  -->  y = array(i) { x[i, k] }; array(i, j) { y[i] }``"""
    used = [index for index in loop.indices if index in map(phi.uncast, get.positions)]
    sizes = [loop.sizes[loop.indices.index(index)] for index in used]
    if not used:
        invariant = phi.GetOp(get.array, [*map(phi.uncast, get.positions)])
        Rewriter.insert_op(invariant, InsertPoint.before(loop))
        Rewriter.replace_op(get, [], [invariant.result])
        return

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        known = dict[SSAValue, SSAValue](zip(used, own, strict=True))
        return inner.get(get.array, [known.get(p, p) for p in map(phi.uncast, get.positions)])

    copy = comprehension(Builder.before(loop), sizes, element, used)
    Rewriter.replace_op(get, phi.GetOp(copy, used))


class CopySlicesPass(FunctionPass):
    """Copies the slices of an accumulator that the comprehension of its next value reads.

    Before::

        %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
          %next = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
            %0 = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
            %1 = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
            ...

    After::

        %r = phi.fold (%k < %n, %x = %a) -> !phi.vec<!phi.vec<f64>> {
          %column = phi.array (%i < %n) -> !phi.vec<f64> {
            %0 = phi.get %x[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
            phi.yield %0 : f64
          }
          %next = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> {
            %0 = phi.get %x[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
            %1 = phi.get %column[%i] : !phi.vec<f64>[index]
            ...

    Otherwise the comprehension reads only the element that it computes: the loops overwrite the
    array, which takes half the memory. So elimination of rows, and shortest paths, are in place.
    An array of the step is overwritten like the accumulator.
    """

    name = "copy-slices"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for fold in list(operations_in(function)):
            if isinstance(fold, phi.FoldOp):
                for loop, old in list(_replaced(fold)):
                    slices = _slices(fold, loop, old)
                    for get in slices:
                        _copy(loop, get)
                    if slices:
                        analyses.note(loop, "slices of the old array are copied: it is overwritten")
                        analyses.invalidate(function)
