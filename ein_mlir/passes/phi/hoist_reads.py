"""``hoist-reads``: an array is read before an update of it, or a loop that starts from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.demand import counts_of
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.last_uses import aliases, forwarded
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import home_of, operands_within, operations_in, reached
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder

_Writer: TypeAlias = phi.UpdateOp | phi.UpdateSliceOp | phi.FoldOp | phi.WhileOp | phi.ArrayOp


def hoist_reads(writer: _Writer, *, values: bool = True) -> bool:
    """``b = update a[p], x; y = a[q]  -->  y = a[q]; b = update a[p], x``

    Whether reads moved. The read is an element, or a comprehension or a loop over elements, whose
    result has memory of its own. Operations that it needs move with it; a read that depends on the
    writer stays. With ``values``, those of a comprehension that stays are computed before, if all
    other reads move or are computed so, too.
    """
    block = home_of(writer)
    found = map(block.find_ancestor_op_in_block, _readers(writer))
    readers = [op for op in found if op is not None and op is not writer]
    order = {op: number for number, op in enumerate(block.ops)} if readers else {}
    late = list(dict.fromkeys(op for op in readers if order[op] > order[writer]))
    needed = {op: _needed(op, writer, order) for op in late}
    moved = {each for ops in needed.values() for each in ops or ()}
    Builder.before(writer).move(*sorted(moved, key=order.__getitem__))
    left = [op for op in late if needed[op] is None] if values else []
    computed = [_reading_values(op, writer, order) for op in left]
    is_last = bool(computed) and all(computed)
    for each in computed if is_last else ():
        _compute_before(each, writer)
    return bool(moved) or is_last


def _readers(writer: _Writer) -> Iterator[Operation]:
    """The operations that read elements of the arrays that an operation may overwrite.

    Of an update of a row, these are all that read the array of rows.
    """
    start = _overwritten(writer)
    if start is None:
        return
    if isinstance(writer, phi.UpdateOp) and isinstance(row := start.owner, phi.GetOp):
        start = row.array
    for leaf, type_ in enumerate(leaf_types(start.type)):
        if phi.rank_of(type_) > 0:
            for value, number in aliases(start, leaf):
                for use in value.uses:
                    if forwarded(use.operation, use.index, number) is None:
                        yield use.operation


def _overwritten(writer: _Writer) -> SSAValue | None:
    """The array that an operation may overwrite, also that whose rows a comprehension updates:
    ``array (i) { update a[i], p, x }``.
    """
    if not isinstance(writer, phi.ArrayOp):
        return writer.start if isinstance(writer, phi.LoopOp) else writer.array
    element = writer.yielded()
    for row in element.owner.fields if isinstance(element.owner, phi.TupleOp) else [element]:
        while isinstance(row.owner, phi.UpdateOp):
            row = row.owner.array
            if isinstance(get := row.owner, phi.GetOp) and get.is_at(writer.indices):
                return get.array
    return None


def _needed(
    reader: Operation, writer: _Writer, order: Mapping[Operation, int]
) -> set[Operation] | None:
    """A read and the operations after a writer that it needs; None if it stays."""

    def later(op: Operation) -> Iterator[Operation]:
        owners = (value.owner for value in operands_within(op))
        return (x for x in owners if isinstance(x, Operation) and order.get(x, -1) >= order[writer])

    found = set(reached([reader], later))
    return None if writer in found or not all(map(_may_move, found)) else found


def _reading_values(
    reader: Operation, writer: _Writer, order: Mapping[Operation, int]
) -> list[SSAValue]:
    """The scalars of a comprehension that read the arrays that a writer may overwrite, or the
    elements of them that a fold reads.

    They need nothing that is computed after the writer, and have fewer indices than the arrays: a
    copy of these would take longer. None if there are others.
    """
    if not isinstance(reader, phi.ArrayOp | phi.FoldOp):
        return []
    sizes, indices = counts_of(reader), reader.counters()
    body, inside = reader.body.block, [op for op in _readers(writer) if reader.is_ancestor(op)]
    found = dict.fromkeys(map(body.find_ancestor_op_in_block, inside))
    ranks = [phi.rank_of(op.array.type) for op in inside if isinstance(op, phi.GetOp)]
    if len(ranks) < len(inside) or not all(rank > len(indices) for rank in ranks):
        return []
    values = list[SSAValue](op.result for op in found if isinstance(op, phi.FoldOp | phi.GetOp))
    if len(values) < len(found) or not all(phi.is_scalar_type(each.type) for each in values):
        return []
    needed = slice_of(body, values)
    if isinstance(reader, phi.FoldOp) and not (
        is_size(reader.count) and all(isinstance(op, phi.GetOp) for op in needed)
    ):
        return []
    outer = [*sizes, *(x for op in needed for x in operands_within(op))]
    is_late = any(
        isinstance(x.owner, Operation) and order.get(x.owner, -1) >= order[writer] for x in outer
    )
    has_others = any(op.regions and op not in found for op in needed)
    fails = any(may_fail(each) for op in needed for each in operations_in(op))
    return [] if is_late or has_others or fails else values


def _compute_before(values: Sequence[SSAValue], writer: _Writer) -> None:
    """``b = update a[p], x; array (i) { f(a, i) }``: the elements ``f(a, i)`` before the update."""
    assert isinstance(values[0].owner, Operation)
    reader = values[0].owner.parent_op()
    assert isinstance(reader, phi.ArrayOp | phi.FoldOp)
    sizes, variables = counts_of(reader), reader.counters()
    body = reader.body.block

    def elements(inner: Builder, indices: Sequence[SSAValue]) -> Sequence[SSAValue]:
        known = dict[SSAValue, SSAValue](zip(variables, indices, strict=True))
        return inner.copied(body, values, known)

    arrays = Builder.before(writer).comprehensions(sizes, elements, variables)
    for value, array in zip(values, arrays, strict=True):
        assert isinstance(value.owner, Operation)
        new = Builder.before(value.owner).get(array, variables)
        Rewriter.replace_op(value.owner, (), (new,))


def _may_move(op: Operation) -> bool:
    """Whether an operation computes scalars, or an array or view without an update; no calls."""
    has_memory = isinstance(op, phi.ArrayOp) or _is_view(op)
    leaves = (leaf for result in op.results for leaf in leaf_types(result.type))
    is_scalar = bool(op.results) and all(map(phi.is_scalar_type, leaves))
    return (has_memory or is_scalar) and not any(
        isinstance(each, phi.ExternOp) for each in operations_in(op)
    )


def _is_view(op: Operation) -> bool:
    """Whether the result of an operation shares the memory of an array."""
    is_part = isinstance(op, phi.GetOp | phi.ProjOp)
    return is_part and not phi.is_scalar_type(op.result.type)


@dataclass(frozen=True)
class HoistReadsPass(FunctionPass):
    """Moves reads of an array before an update of it, which then overwrites it.

    Before::

        %y = phi.update %x[%j], %a : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
        %z = phi.update %y[%j + 1], %x[%j + 1] : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

    After::

        %b = phi.get %x[%j + 1] : !phi.vec<f64>[i64]
        %y = phi.update %x[%j], %a : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>
        %z = phi.update %y[%j + 1], %b : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

    So exchanges of two elements, and steps that update elements or rows of several arrays from
    their old values, are in place: a comprehension that computes a row moves, too. An update of a
    row comes after reads of other rows. The update may be a loop that starts from the array. A row
    that is read as a whole shares the memory of the array, so it stays. If a comprehension reads
    the old array and the new one, as where an element and then a column are replaced, what it reads
    of the old one, also in loops, is computed before, if that is an array of fewer axes. So are the
    elements of the old one that a fold reads. The update may be one of each row by a comprehension.

    With the option ``steps``, only in the steps of loops: what stands before them may be copied.
    Comprehensions then stay as they are.
    """

    steps: bool = False

    name = "hoist-reads"
    looks_for = (phi.UpdateOp, phi.UpdateSliceOp, phi.FoldOp, phi.WhileOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        writers = [op for op in operations_in(function) if isinstance(op, _Writer)]
        for op in writers:
            is_there = op.parent is not None  # loops in elements that were computed before are not
            is_in_step = isinstance(op.parent_op(), phi.FoldOp | phi.WhileOp)
            is_wanted = is_there and (not self.steps or is_in_step)
            if is_wanted and hoist_reads(op, values=not self.steps):
                analyses.invalidate(function)
