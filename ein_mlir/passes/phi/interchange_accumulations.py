"""``interchange-accumulations``: comprehensions of accumulations accumulate rows."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import dependents_among, innermost_first, is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder, Contributions


@dataclass(frozen=True)
class Columns:
    """A comprehension whose element at each index is an accumulation at the same positions."""

    array: phi.ArrayOp
    inner: phi.AccumulateOp
    before: Sequence[Operation]
    """The scalar operations before the accumulation."""
    positions: Sequence[SSAValue]
    value: SSAValue
    reads: Sequence[phi.GetOp]
    """The reads of single elements, which are all uses."""


def columns_of(array: phi.ArrayOp) -> Columns | None:
    """The parts of a comprehension of accumulations that may be exchanged with it."""
    inner = array.yielded().owner
    if not isinstance(inner, phi.AccumulateOp) or inner.parent is not array.body.block:
        return None
    *before, _, _ = array.body.block.ops
    extents = inner.accumulators[0].extents
    fields = leaf_values(inner.yielded())
    reads = [use.operation for use in array.result.uses]
    rank = len(array.indices) + len(extents)
    elements = [op for op in reads if isinstance(op, phi.GetOp) and len(op.positions) == rank]
    found = Columns(array, inner, before, fields[:-1], fields[-1], elements)
    is_single = len(inner.accumulators) == 1 and len(fields) == len(extents) + 1
    is_read = bool(extents) and len(elements) == len(reads)
    return found if is_single and is_read and _may_exchange(found) else None


def _may_exchange(found: Columns) -> bool:
    """Whether sizes and positions are the same for all indices, and nothing raises an error."""
    array, inner = found.array, found.inner
    if any(is_within(size, array) for size in inner.operands):
        return False
    if any(may_fail(op) or op.regions for op in (*found.before, *inner.body.block.ops)):
        return False
    return not any(place in _varying(found) for place in found.positions)


def _varying(found: Columns) -> set[SSAValue]:
    """The values that vary with an index of the comprehension."""
    ops = operations_in(found.array)[1:]
    return {value for index in found.array.indices for value in dependents_among(ops, index)}


def is_profitable(found: Columns) -> bool:
    """Whether neighbours are read for neighbouring elements, in order of the last index."""
    last = found.array.indices[-1]
    inner = dependents_among(operations_in(found.array)[1:], last)
    reads = [op for op in operations_in(found.array) if isinstance(op, phi.GetOp)]
    varying = [op for op in reads if any(place in inner for place in op.positions)]
    return bool(varying) and all(
        op.positions[-1] in inner and not any(place in inner for place in op.positions[:-1])
        for op in varying
    )


def exchange(found: Columns) -> None:
    """``array (j < m) { accumulate (i < n) into k (l) { p, e } }[j, c]``  -->
    ``accumulate (i < n, j < m) into k (l, m) { p, j, e }[c, j]``
    """
    array, inner = found.array, found.inner
    (accumulator,) = inner.accumulators
    build = Builder.before(array)

    def contributions(body: Builder, indices: Sequence[SSAValue]) -> Contributions:
        olds = (*inner.indices, *array.indices)
        values = dict[SSAValue, SSAValue](zip(olds, indices, strict=True))
        for op in (*found.before, *list(inner.body.block.ops)[:-1]):
            if op is not inner.yielded().owner:
                body.copy(op, values)
        own = indices[len(inner.indices) :]
        places = [values.get(place, place) for place in found.positions]
        places += [body.as_int(index) for index in own]
        return [(places, values.get(found.value, found.value))]

    sizes, extents = [*inner.sizes, *array.sizes], [*accumulator.extents, *array.sizes]
    names = [*inner.indices, *array.indices]
    rows = build.accumulation(sizes, [(accumulator.kind, extents)], contributions, names)
    rows.name_hint = array.result.name_hint
    for read in found.reads:
        own, rest = (read.positions[: len(array.indices)], read.positions[len(array.indices) :])
        element = phi.GetOp(rows, [*rest, *own])
        element.result.name_hint = read.result.name_hint
        Rewriter.replace_op(read, element)
    Rewriter.erase_op(array)


class InterchangeAccumulationsPass(FunctionPass):
    """Exchanges comprehensions and the accumulations in them, which then accumulate rows.

    Before::

        %a = phi.array (%j < %m) -> !phi.vec<!phi.vec<f64>> {
          phi.accumulate (%i < %n) into "add" (%l) -> !phi.vec<f64> { (%keys[%i], %data[%i, %j]) }
        }
        %e = phi.get %a[%j, %c] : !phi.vec<!phi.vec<f64>>[index, index]

    After::

        %a = phi.accumulate (%i < %n, %j < %m) into "add" (%l, %m) -> !phi.vec<!phi.vec<f64>> {
          (%keys[%i], %j, %data[%i, %j])
        }
        %e = phi.get %a[%c, %j] : !phi.vec<!phi.vec<f64>>[index, index]

    That is one pass over the data, and neighbours are added to neighbours. It needs positions that
    do not vary with the index, reads at its last axis only, and uses that read single elements.
    """

    name = "interchange-accumulations"
    looks_for = (phi.AccumulateOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for array in innermost_first(function, phi.ArrayOp):
            found = columns_of(array)
            if found is not None and is_profitable(found):
                analyses.note(found.inner, "rows are accumulated, in one pass")
                exchange(found)
