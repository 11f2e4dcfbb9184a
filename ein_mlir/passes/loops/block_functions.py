"""``block-functions``: functions beside loops are computed for a block of steps at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.effects import only_reads, read_by, written_by
from ein_mlir.analysis.loops.memory_roots import are_apart
from ein_mlir.analysis.loops.reductions import is_reduction
from ein_mlir.analysis.loops.unrolled import is_unrolled, known_range
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.scopes import (
    is_defined_in,
    makers,
    operands_within,
    operations_in,
    reached,
    sources_within,
)
from ein_mlir.backends.native import abi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass

BLOCK = 32
"""The steps of a block: some vectors, and no more, since rows of a parallel loop are its threads'
work.
"""

FEW = 8
"""Loops of fewer steps stay as they are."""

Loop: TypeAlias = scf.ForOp | scf.ParallelOp
_LOOPS = (scf.ForOp, scf.WhileOp, scf.ParallelOp)
_INDEX = IndexType()


# Parts of a step --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parts:
    """The operations of a step, in parts that run for all steps of a block, one after another."""

    loop: Loop
    first: Sequence[Sequence[Operation]]
    """Functions and loops that no other step affects; each part takes results of those before."""
    last: Sequence[Operation]
    """Those that others affect, that write, and functions that are vectorised with these."""


def parts_of(loop: Loop) -> Parts | None:
    """The parts of a step, if functions are vectorised in these alone."""
    block = loop.body.block
    late = _late(loop) if any(map(is_function, block.ops)) else None
    if late is None or any(isinstance(each, _LOOPS) for op in late for each in operations_in(op)):
        return None
    early = [op for op in block.ops if op not in late]
    functions = [op for op in early if is_function(op)]
    is_sequential = isinstance(loop, scf.ForOp) and not is_reduction(loop)
    if not functions or not (is_sequential or any(map(_is_long, early))):
        return None
    levels = _levels(early)
    needed = _needed((op for op in early if op.regions), block)
    parts = [list[Operation]() for _ in range(max(levels.values()) + 1)]
    free = list[Operation]()
    for op in early:
        if op.regions or not needed.isdisjoint(op.results):
            parts[levels[op]].append(op)
        elif is_function(op):
            free.append(op)
    parts = [[op for op in part if op.regions or is_function(op)] for part in parts]
    if is_sequential:
        return Parts(loop, [part for part in (*parts, free) if part], late)
    return Parts(loop, [part for part in parts if part], [*free, *late])


def _late(loop: Loop) -> list[Operation] | None:
    """The operations of a step that others may affect, or that write; None if that is unknown."""
    written = written_by(loop)
    if written is None:
        return None
    block = loop.body.block
    affected = set[SSAValue](block.args[1:] if isinstance(loop, scf.ForOp) else ())
    found = list[Operation]()
    for op in block.ops:
        if not (
            affected.isdisjoint(operands_within(op))
            and (isinstance(op, arith.ConstantOp) or only_reads(op))
            and op is not block.last_op
            and are_apart(read_by(op), written)
            and not any(isinstance(result.type, MemRefType) for result in op.results)
        ):
            affected.update(op.results)
            found.append(op)
    return found


def _is_long(op: Operation) -> bool:
    """Whether LLVM does not vectorise a loop around an operation."""
    return any(isinstance(each, _LOOPS) and not is_unrolled(each) for each in operations_in(op))


def _levels(ops: Sequence[Operation]) -> dict[Operation, int]:
    """The part that each operation belongs to: functions to even ones, loops to odd ones."""
    levels = dict[Operation, int]()
    for op in ops:
        before = makers(operands_within(op), op.parent)
        level = max((levels[each] for each in before if each in levels), default=0)
        is_other = level % 2 == 0 if op.regions else is_function(op) and level % 2 == 1
        levels[op] = level + is_other
    return levels


def _needed(
    ops: Iterable[Operation], block: Block, known: Collection[SSAValue] = ()
) -> set[SSAValue]:
    """The values of a step that some of its operations need, and what these need unless known."""
    needed = (value for op in ops for value in operands_within(op))

    def behind(value: SSAValue) -> Iterable[SSAValue]:
        is_own = is_defined_in(value, block) and value not in known
        return sources_within(value) if is_own else ()

    return {value for value in reached(needed, behind) if is_defined_in(value, block)}


# Rewriting --------------------------------------------------------------------------------------


def divide(parts: Parts) -> None:
    """Run a loop in blocks of steps, and the parts of a block one after another."""
    loop = parts.loop
    before = Builder(InsertPoint.before(loop))
    size = before.insert(arith.ConstantOp(IntegerAttr(BLOCK, _INDEX))).result
    if isinstance(loop, scf.ForOp):
        body = Block(arg_types=[_INDEX, *(value.type for value in loop.iter_args)])
        block = _BlockOfSteps(parts, body, 0, loop.ub)
        results = block.emit(body.args[1:])
        body.add_op(scf.YieldOp(*results))
        outer = scf.ForOp(loop.lb, loop.ub, size, list(loop.iter_args), Region(body))
    else:
        body = Block(arg_types=[_INDEX] * len(loop.body.block.args))
        block = _BlockOfSteps(parts, body, len(body.args) - 1, loop.upperBound[-1])
        block.emit(())
        body.add_op(scf.ReduceOp())
        steps = [*list(loop.step)[:-1], size]
        outer = scf.ParallelOp(loop.lowerBound, loop.upperBound, steps, Region(body))
    Rewriter.replace_op(loop, outer)


class _BlockOfSteps:
    """The emission of a block of steps."""

    def __init__(self, parts: Parts, body: Block, axis: int, end: SSAValue):
        self._parts = parts
        self._old = parts.loop.body.block
        self._counter = self._old.args[axis]
        self._build = Builder(InsertPoint.at_end(body))
        self._start = body.args[axis]
        self._outer = dict[SSAValue, SSAValue](zip(self._old.args, body.args, strict=False))
        self._buffers = dict[SSAValue, SSAValue]()
        numbers = [arith.ConstantOp(IntegerAttr(number, _INDEX)) for number in (0, 1, BLOCK)]
        self._zero, self._one, most = (self._build.insert(op).result for op in numbers)
        left = self._build.insert(arith.SubiOp(end, self._start)).result
        self._count = self._build.insert(arith.MinSIOp(left, most)).result

    def emit(self, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        """Emit the parts; returns the values that the steps of the block carry on."""
        stages = [*self._parts.first, self._parts.last]
        for number, stage in enumerate(self._parts.first):
            kept = self._kept(stage, stages[number + 1 :])
            self._steps((), partial(self._store, stage, kept))
        return self._steps(carried, self._finish)

    def _kept(
        self, stage: Sequence[Operation], later: Iterable[Sequence[Operation]]
    ) -> list[SSAValue]:
        """The values of a part that later ones need."""
        known = {value for part in self._parts.first for op in part for value in op.results}
        needed = set[SSAValue]()
        for part in later:
            own = {value for op in part for value in op.results}
            needed |= _needed(part, self._old, known - own)
        return [value for op in stage for value in op.results if value in needed]

    def _steps(
        self,
        carried: Sequence[SSAValue],
        emit: Callable[[Builder, dict[SSAValue, SSAValue], Block], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """A loop over the steps of the block."""
        inner = Block(arg_types=[_INDEX, *(value.type for value in carried)])
        build = Builder(InsertPoint.at_end(inner))
        values = dict(self._outer)
        values[self._counter] = build.insert(arith.AddiOp(self._start, inner.args[0])).result
        build.insert(scf.YieldOp(*emit(build, values, inner)))
        loop = scf.ForOp(self._zero, self._count, self._one, list(carried), Region(inner))
        return self._build.insert(loop).res

    def _store(
        self,
        stage: Sequence[Operation],
        kept: Sequence[SSAValue],
        build: Builder,
        values: dict[SSAValue, SSAValue],
        inner: Block,
    ) -> Sequence[SSAValue]:
        """Compute a part, and store what later ones need."""
        for op in stage:
            self._add(op, build, values, inner)
        for value in kept:
            buffer = memref.AllocaOp.get(value.type, shape=[BLOCK])
            self._buffers[value] = self._build.insert(buffer).memref
            build.insert(memref.StoreOp.get(values[value], buffer, [inner.args[0]]))
        return ()

    def _finish(
        self, build: Builder, values: dict[SSAValue, SSAValue], inner: Block
    ) -> Sequence[SSAValue]:
        """Compute the last part, on the values that are carried."""
        if isinstance(self._parts.loop, scf.ForOp):
            values.update(zip(self._old.args[1:], inner.args[1:], strict=True))
        *ops, last = self._parts.last
        for op in ops:
            self._add(op, build, values, inner)
        self._add_needed(last, build, values, inner)
        return [values.get(value, value) for value in last.operands]

    def _add(
        self, op: Operation, build: Builder, values: dict[SSAValue, SSAValue], inner: Block
    ) -> None:
        """Emit an operation after those that it needs, if it is not there yet."""
        if not op.results or op.results[0] not in values:
            self._add_needed(op, build, values, inner)
            build.insert(copy_of(op, values))

    def _add_needed(
        self, op: Operation, build: Builder, values: dict[SSAValue, SSAValue], inner: Block
    ) -> None:
        for value in list(operands_within(op)):
            if value in values:
                continue
            if value in self._buffers:
                load = memref.LoadOp.get(self._buffers[value], [inner.args[0]])
                values[value] = build.insert(load).res
                values[value].name_hint = value.name_hint
            elif isinstance(value.owner, Operation) and value.owner.parent is self._old:
                self._add(value.owner, build, values, inner)


class BlockFunctionsPass(FunctionPass):
    """Computes functions beside loops for a block of steps at once.

    Before::

        %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
          %s = scf.for %k = %c0 to %m step %c1 iter_args(%x = %zero) -> (f64) { .. }
          %y = math.log %s : f64
          %next = arith.addf %acc, %y fastmath<reassoc> : f64
          scf.yield %next : f64
        }

    After, where ``%count`` is the number of steps of a block::

        %r = scf.for %j = %c0 to %n step %c32 iter_args(%acc = %zero) -> (f64) {
          %sums = memref.alloca() : memref<32xf64>
          scf.for %p = %c0 to %count step %c1 { .. store the sum of %j + %p in %sums[%p] .. }
          %0 = scf.for %p = %c0 to %count step %c1 iter_args(%acc_1 = %acc) -> (f64) {
            %s = memref.load %sums[%p] : memref<32xf64>
            %y = math.log %s : f64
            %next = arith.addf %acc_1, %y fastmath<reassoc> : f64
            scf.yield %next : f64
          }
          scf.yield %0 : f64
        }

    LLVM vectorises no loop with loops in it that it does not unroll. Nor does it a loop whose steps
    wait for each other: functions that no step affects are computed before those of the block::

        %next = a * %acc + exp %x[%k]    // all exp of a block first

    Functions that loops need are computed before these. Loops stay if their own loops write, or
    need what they carry: rows that are written one after another would leave the cache in between.
    """

    name = "block-functions"
    looks_for = (scf.ForOp, scf.ParallelOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for loop in operations_in(function, bodies_first=True):
            if isinstance(loop, scf.ForOp | scf.ParallelOp) and _is_regular(loop):
                parts = parts_of(loop)
                if parts is not None:
                    analyses.note(loop, "functions are computed for a block of steps at once")
                    divide(parts)


def _is_regular(loop: Loop) -> bool:
    """Whether a loop counts by 1, to no small number."""
    if abi.FEW_STEPS in loop.attributes:
        return False
    if isinstance(loop, scf.ForOp):
        known = known_range(loop)
        return known_int(loop.step) == 1 and (known is None or len(known) >= FEW)
    most = known_int(loop.upperBound[-1])
    return known_int(loop.step[-1]) == 1 and (most is None or most >= FEW)
