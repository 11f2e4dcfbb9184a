"""``transpose-operands``: arrays that neighbouring results read at a distance are transposed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, NoneAttr
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.memory_roots import are_apart
from ein_mlir.analysis.loops.neighbours import (
    has_scalar_loops,
    has_uniform_loops,
    is_simple,
    loads_in_loops,
    near_axis,
    reads_neighbours,
    varying,
    writes_neighbours,
)
from ein_mlir.analysis.loops.reductions import is_reduction
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.scopes import (
    around,
    dependents,
    is_within,
    operations_in,
    operations_of,
    reached,
    sources,
)
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.loops.index_values import IndexValues
from ein_mlir.rewriting.passes import FunctionPass

LEAST_READS = 4
"""The least number of reads of an element for which a copy pays."""

LEAST_RESULTS = 8
"""The least number of neighbouring results for which it does."""

LINE = 8
"""The elements that are written next to each other: about a line of the cache."""

INDEX = IndexType()

_PLAIN = (scf.ForOp, scf.IfOp, scf.ParallelOp, memref.DimOp)
"""Operations that write no array, other than scalar ones and the bodies that they have."""


# Analysis ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Transposition:
    """An array, and the axis along which neighbouring results read it."""

    array: SSAValue
    axis: int

    @property
    def order(self) -> Sequence[int]:
        """The axes of the copy, as those of the array: the axis is the last."""
        rank = len(_type_of(self.array).get_shape())
        return [*(axis for axis in range(rank) if axis != self.axis), self.axis]


def _type_of(array: SSAValue) -> MemRefType:
    assert isa(array.type, MemRefType)
    return array.type


@dataclass(frozen=True)
class Reads:
    """The reads of an array in a nest."""

    loops: Sequence[tuple[SSAValue, SSAValue]]
    """The bounds of the loops in which an element is read again."""
    fixed: Sequence[tuple[SSAValue, int]]
    """The array and an axis, for each along which few elements are read: at fixed positions."""


@dataclass(frozen=True)
class Found:
    """The loads of a nest that read transposed arrays."""

    loads: Mapping[memref.LoadOp, Transposition]
    reads: Sequence[Reads]
    """Those of each array."""

    @property
    def is_repeated(self) -> bool:
        """Whether all arrays are read again."""
        return all(each.loops for each in self.reads)


def transposable(op: scf.ParallelOp) -> Found | None:
    """The transpositions after which all loads in the loops of a nest are of neighbours.

    For neighbouring results, or else for neighbouring steps of the reductions in the nest. In a
    nest without loops, all loads are.
    """
    vary, results = varying(op), known_int(op.upperBound[-1])
    if results is not None and results < LEAST_RESULTS:
        return None
    index, body = op.body.block.args[-1], operations_in(op)[1:]
    has_loops = any(each.regions for each in body)
    if not has_loops or (has_uniform_loops(op, vary) and writes_neighbours(op, vary)):
        reading = loads_in_loops(op) if has_loops else _loads(body)
        far = [x for x in reading if not reads_neighbours(x, index, vary)]
        found = _transposed_for(op, far, index, vary)
        if found is not None and found.is_repeated:
            return found if found.loads else None
    return _for_steps(op)


def _loads(ops: Iterable[Operation]) -> list[memref.LoadOp]:
    return [op for op in ops if isinstance(op, memref.LoadOp)]


def _transposed_for(
    nest: scf.ParallelOp, far: Iterable[memref.LoadOp], index: SSAValue, vary: set[SSAValue]
) -> Found | None:
    """The transpositions for loads at a distance along an index; None if one stays so."""
    written = _written(nest)
    loads = dict[memref.LoadOp, Transposition]()
    reads = dict[Transposition, Reads]()
    for load in far:
        axis = near_axis(load, index, vary)
        if axis is None or any(_is_clipped(each, nest) for each in load.indices):
            return None
        is_row_major = isinstance(_type_of(load.memref).layout, NoneAttr)
        is_before = not is_within(load.memref, nest)
        if not (is_row_major and is_before and are_apart([load.memref], written)):
            return None
        loads[load] = wanted = Transposition(load.memref, axis)
        if wanted not in reads or not reads[wanted].loops:
            reads[wanted] = _reads_of(nest, load)
    return Found(loads, [*reads.values()])


def _for_steps(nest: scf.ParallelOp) -> Found | None:
    """The transpositions after which the steps of reductions read neighbours.

    In a nest whose branches are the same for all of its results.
    """
    inside = operations_in(nest)[1:]
    if not all(is_simple(op) or isinstance(op, _PLAIN) for op in inside):
        return None
    if any(_variables([op.cond], nest) for op in inside if isinstance(op, scf.IfOp)):
        return None
    loads = dict[memref.LoadOp, Transposition]()
    reads = list[Reads]()
    for loop in operations_of(nest, scf.ForOp):
        if not is_reduction(loop) or any(op.regions for op in loop.body.block.ops):
            continue
        counter = loop.body.block.args[0]
        vary = dependents(loop.body.block, counter)
        varied = [x for x in _loads(loop.body.block.ops) if not vary.isdisjoint(x.indices)]
        far = [x for x in varied if near_axis(x, counter, vary) != len(x.indices) - 1]
        found = _transposed_for(nest, far, counter, vary)
        if found is not None and found.is_repeated:
            loads |= found.loads
            reads += found.reads
    return Found(loads, reads) if loads else None


def _is_clipped(position: SSAValue, nest: scf.ParallelOp) -> bool:
    """Whether a position that varies in a nest is clipped: this is a version that rarely runs."""
    is_clip = isinstance(position.owner, arith.MinSIOp | arith.MaxSIOp)
    return is_clip and bool(_variables([position], nest))


def _written(op: Operation) -> Sequence[SSAValue]:
    return [each.memref for each in operations_of(op, memref.StoreOp)]


def _reads_of(nest: scf.ParallelOp, load: memref.LoadOp) -> Reads:
    """The reads of an array, with the bounds of the loops around a load, known before the nest,
    that its positions do not depend on.
    """
    used = _variables(load.indices, nest)
    found = list[tuple[SSAValue, SSAValue]]()
    for loop in around(load.parent_op()):
        if isinstance(loop, scf.ForOp) and loop.body.block.args[0] not in used:
            bounds = loop.lb, loop.ub
            if not any(is_within(bound, nest) for bound in bounds):
                found.append(bounds)
        if loop is nest:
            break
    block = nest.body.block
    found.extend(
        (nest.lowerBound[number], nest.upperBound[number])
        for number, variable in enumerate(block.args)
        if variable not in used
    )
    axes = range(len(load.indices))
    fixed = [(load.memref, k) for k in axes if not _variables([load.indices[k]], nest)]
    return Reads(found, fixed)


def _variables(values: Iterable[SSAValue], nest: Operation) -> set[SSAValue]:
    """The indices and counters in a nest that values depend on."""
    inside = reached(values, lambda value: sources(value) if is_within(value, nest) else ())
    return {x for x in inside if isinstance(x, BlockArgument) and is_within(x, nest)}


# Rewriting --------------------------------------------------------------------------------------


class _Emitter(IndexValues):
    """Builds transposed copies, and the test whether they pay."""

    def size(self, array: SSAValue, axis: int) -> SSAValue:
        return self.value(memref.DimOp(array, self.integer(axis)))

    def pays(self, op: scf.ParallelOp, found: Found) -> SSAValue:
        """Whether there are enough results, and enough reads of each element."""
        tests = [self.compared(op.upperBound[-1], "sge", LEAST_RESULTS)]
        for loops, fixed in dict.fromkeys((tuple(x.loops), tuple(x.fixed)) for x in found.reads):
            reads = self.integer(1)
            for lower, upper in loops:
                reads = self.combined(reads, "*", self.combined(upper, "-", lower))
            least = self.integer(LEAST_READS)
            for array, axis in fixed:
                least = self.combined(least, "*", self.size(array, axis))
            tests.append(self.value(arith.CmpiOp(reads, least, "sge")))
        return self.all(tests)

    def transposed(self, wanted: Transposition) -> SSAValue:
        """A copy of an array whose last axis is another one, written by lines."""
        array, order = wanted.array, wanted.order
        sizes = [self.size(array, axis) for axis in order]
        type_ = _type_of(array)
        copy = self.build.insert(
            memref.AllocOp.get(
                type_.element_type, shape=[DYNAMIC_INDEX] * len(order), dynamic_sizes=sizes
            )
        ).memref
        zero, one, line = map(self.integer, (0, 1, LINE))
        body = Block(arg_types=[INDEX])
        inside = Builder(InsertPoint.at_end(body))
        left = inside.insert(arith.SubiOp(sizes[-1], body.args[0])).result
        width = inside.insert(arith.MinSIOp(left, line)).result

        def element(build: Builder, at: Sequence[SSAValue]) -> None:
            *outer, place = at
            last = build.insert(arith.AddiOp(body.args[0], place)).result
            target = [*outer, last]
            source = [target[order.index(axis)] for axis in range(len(order))]
            value = build.insert(memref.LoadOp.get(array, source)).res
            build.insert(memref.StoreOp.get(value, copy, target))

        _nest(inside, zero, one, [*sizes[:-1], width], element)
        body.add_op(scf.ReduceOp())
        self.build.insert(scf.ParallelOp([zero], [sizes[-1]], [line], Region(body)))
        return copy


def _nest(
    build: Builder,
    zero: SSAValue,
    one: SSAValue,
    sizes: Sequence[SSAValue],
    emit: Callable[[Builder, Sequence[SSAValue]], None],
    at: Sequence[SSAValue] = (),
) -> None:
    """Loops inside each other, from 0 to some sizes."""
    if not sizes:
        emit(build, at)
        return
    body = Block(arg_types=[INDEX])
    inside = Builder(InsertPoint.at_end(body))
    _nest(inside, zero, one, sizes[1:], emit, [*at, body.args[0]])
    body.add_op(scf.YieldOp())
    build.insert(scf.ForOp(zero, sizes[0], one, [], Region(body)))


def transpose(op: scf.ParallelOp, found: Found) -> None:
    """``nest  -->  if it pays { copies; nest of the copies } else { nest }``"""
    condition = _Emitter(Builder(InsertPoint.before(op))).pays(op, found)
    then, otherwise = Block(), Block()
    Rewriter.insert_op(
        scf.IfOp(condition, [], Region(then), Region(otherwise)), InsertPoint.before(op)
    )
    emit = _Emitter(Builder(InsertPoint.at_end(then)))
    copies = {each: emit.transposed(each) for each in dict.fromkeys(found.loads.values())}
    values = dict[SSAValue, SSAValue]()
    emit.build.insert(copy_of(op, values))
    for load, wanted in found.loads.items():
        clone = values[load.res].owner
        assert isinstance(clone, memref.LoadOp)
        places = [clone.indices[axis] for axis in wanted.order]
        Rewriter.replace_op(clone, memref.LoadOp.get(copies[wanted], places))
    for copy in copies.values():
        emit.build.insert(memref.DeallocOp.get(copy))
    op.detach()
    otherwise.add_op(op)
    for block in (then, otherwise):
        block.add_op(scf.YieldOp())


class TransposeOperandsPass(FunctionPass):
    """Copies arrays so that neighbouring results of a reduction read neighbouring elements.

    Before::

        scf.parallel (%i, %j) = (0, 0) to (%n, %m) step (1, 1) {
          %s = scf.for %k = 0 to %l step 1 iter_args(%acc = %zero) -> (f64) {
            %x = memref.load %a[%i, %k] : memref<?x?xf64>
            %y = memref.load %b[%j, %k] : memref<?x?xf64>
            ...

    After, if each element is read at least ``LEAST_READS`` times, here for each ``%i``::

        %copy = memref.alloc(%l, %m) : memref<?x?xf64>
        .. %copy[%k, %j] = %b[%j, %k] ..
        scf.parallel (%i, %j) = (0, 0) to (%n, %m) step (1, 1) {
          %s = scf.for %k = 0 to %l step 1 iter_args(%acc = %zero) -> (f64) {
            %x = memref.load %a[%i, %k] : memref<?x?xf64>
            %y = memref.load %copy[%k, %j] : memref<?x?xf64>
            ...

    ``interchange-loops`` then runs the reductions of a block of results at once. A nest stays if a
    load would still be of elements at a distance, if it writes to the array, or if no loop reads an
    element again: then the copy takes as long as the loop. A nest with clips stays, too: it is the
    version that rarely runs.

    A nest without loops is transposed for neighbouring results, too. Where the loads of a reduction
    are not of neighbours for neighbouring results, they are for its neighbouring steps: columns
    ``%b[%k, %c]`` of points, read for each ``%i``. Where %c is the same in all steps, there must be
    enough reads for all columns.
    """

    name = "transpose-operands"
    looks_for = (scf.ParallelOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if type(op) is scf.ParallelOp:
                found = transposable(op) if has_scalar_loops(op) else _for_steps(op)
                if found is not None:
                    names = ", ".join(name_of(each.array) for each in found.loads.values())
                    analyses.note(
                        op, f"{names} is transposed: neighbouring results read neighbours"
                    )
                    transpose(op, found)
