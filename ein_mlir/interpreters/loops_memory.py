"""The memory that loops take: their buffers in order, with sizes in place of elements.

Ints that sizes depend on are computed from arguments. The body of a loop is visited for its first
and its last step, if there are buffers in it; a body that runs on several threads has its buffers
once for each, and keeps those whose sizes are the same in all steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.lasting_buffers import LastingBuffers, lasting_buffers
from ein_mlir.analysis.scopes import around
from ein_mlir.interpreters.sizes_only import SizesOnly, UnknownSizeError
from ein_mlir.interpreters.values import DTYPES


class BufferMemory(SizesOnly):
    """A run of loops on a number of threads, with the bytes of its buffers."""

    def __init__(self, module: ModuleOp, threads: int):
        super().__init__(module)
        self._threads = threads
        self._live = 0
        self._most = 0
        self._left_out = set[Operation]()
        """The allocations and releases of buffers that threads keep for all steps of a loop."""

    def block(self, block: Block) -> int:
        """The most bytes so far, after the operations of a block."""
        for op in block.ops:
            self._operation(op)
        return self._most

    def _operation(self, op: Operation) -> None:
        match op:
            case memref.AllocOp():
                self._shapes[op.memref] = self._shape(op)
                if op not in self._left_out:
                    self._add(self._bytes(op.memref))
            case memref.DeallocOp():
                if op not in self._left_out:
                    self._live -= self._bytes(op.memref)
            case scf.IfOp():
                self._choice(op)
            case scf.ForOp() | scf.WhileOp() | scf.ParallelOp():
                self._loop(op)
            case _:
                self._compute(op)

    def _add(self, count: int) -> None:
        self._live += count
        self._most = max(self._most, self._live)

    def _shape(self, op: memref.AllocOp) -> tuple[int, ...]:
        assert isa(op.memref.type, MemRefType)
        sizes = iter([max(0, int(self._value(size))) for size in op.dynamic_sizes])
        shape = op.memref.type.get_shape()
        return tuple(next(sizes) if size == DYNAMIC_INDEX else size for size in shape)

    def _bytes(self, buffer: SSAValue) -> int:
        assert isa(buffer.type, MemRefType)
        if buffer not in self._shapes:
            raise UnknownSizeError(f"the shape of a '{buffer.type}'")
        return prod(self._shapes[buffer]) * np.dtype(DTYPES[buffer.type.element_type]).itemsize

    # Control flow

    def _choice(self, op: scf.IfOp) -> None:
        """The branch that is taken; the larger one if that is unknown."""
        if op.cond in self._values:
            self._branch(op, op.true_region if self._values[op.cond] else op.false_region)
        elif _has_buffers(op) or op.results:
            before, most = self._live, self._live
            for region in (op.true_region, op.false_region):
                self._live = before
                self._branch(op, region)
                most = max(most, self._live)
            self._live = most

    def _branch(self, op: scf.IfOp, region: Any) -> None:
        if not region.blocks:
            return
        self.block(region.block)
        if op.results:
            self._pass_on(region.block.last_op.operands, op.results)

    def _pass_on(self, given: Sequence[SSAValue], taken: Sequence[SSAValue]) -> None:
        """Let values have the shapes and numbers of others."""
        for old, new in zip(given, taken, strict=True):
            if old in self._shapes:
                self._shapes[new] = self._shapes[old]
            if old in self._values:
                self._values[new] = self._values[old]

    def _loop(self, op: scf.ForOp | scf.WhileOp | scf.ParallelOp) -> None:
        if _has_buffers(op):
            kept = _buffers_of_threads(op)
            self._left_out.update(kept.operations())
            for last in (False, True):
                self._step(op, kept, last=last)
        if not isinstance(op, scf.ParallelOp) and op.results:
            self._pass_shapes(tuple(op.operands)[-len(op.results) :], op.results)

    def _step(
        self, op: scf.ForOp | scf.WhileOp | scf.ParallelOp, kept: LastingBuffers, *, last: bool
    ) -> None:
        live, most = self._live, self._most
        with self._body():
            self._most = self._live
            self._bind(op, last=last)
            for buffer in kept.allocations:
                self._shapes[buffer.memref] = self._shape(buffer)
                self._add(self._bytes(buffer.memref))
            for region in op.regions:
                for block in region.blocks:
                    self.block(block)
            inside = self._most - live
        if isinstance(op, scf.ParallelOp):
            inside *= min(self._threads, self._positions(op))
        self._live, self._most = live, max(most, live + inside)

    def _bind(self, op: scf.ForOp | scf.WhileOp | scf.ParallelOp, *, last: bool) -> None:
        """Bind counters to their first or last value, and accumulators to shapes."""
        if isinstance(op, scf.ForOp):
            self._count(op.body.block.args[0], op.lb, op.ub, op.step, last=last)
            self._pass_shapes(op.iter_args, op.body.block.args[1:])
        elif isinstance(op, scf.ParallelOp):
            bounds = zip(op.body.block.args, op.lowerBound, op.upperBound, op.step, strict=True)
            for counter, low, high, step in bounds:
                self._count(counter, low, high, step, last=last)
        else:
            for region in op.regions:
                self._pass_shapes(op.arguments, region.block.args)

    def _pass_shapes(self, given: Sequence[SSAValue], taken: Sequence[SSAValue]) -> None:
        for old, new in zip(given, taken, strict=False):
            if old in self._shapes:
                self._shapes[new] = self._shapes[old]

    def _count(
        self, counter: SSAValue, low: SSAValue, high: SSAValue, step: SSAValue, *, last: bool
    ) -> None:
        if all(value in self._values for value in (low, high, step)):
            first, end, by = (int(self._values[value]) for value in (low, high, step))
            final = first + max(0, (end - first - 1) // by) * by
            self._values[counter] = np.int64(final if last else first)

    def _positions(self, op: scf.ParallelOp) -> int:
        sizes = (
            int(self._value(high)) - int(self._value(low))
            for low, high in zip(op.lowerBound, op.upperBound, strict=True)
        )
        return max(0, next(sizes))

    # Numbers

    def _value(self, value: SSAValue) -> Any:
        if value not in self._values:
            raise UnknownSizeError(value.name_hint or f"a '{value.type}'")
        return self._values[value]

    def _compute(self, op: Operation) -> None:
        """The number that an operation computes, if those of its operands are known."""
        if isinstance(op, memref.DimOp):
            axis = self._values.get(op.index)
            if op.source in self._shapes and axis is not None:
                self._values[op.result] = np.int64(self._shapes[op.source][int(axis)])
        elif isinstance(op, memref.LoadOp):
            self._load(op)
        elif op.dialect_name() in ("arith", "math") and all(
            each in self._values for each in op.operands
        ):
            operands = tuple(self._values[each] for each in op.operands)
            with np.errstate(all="ignore"):
                self._values[op.results[0]] = self._interpreter.run_op(op, operands)[0]

    def _load(self, op: memref.LoadOp) -> None:
        """An element of an argument."""
        if op.memref in self._values and all(each in self._values for each in op.indices):
            position = tuple(int(self._values[each]) for each in op.indices)
            array = self._values[op.memref]
            if all(0 <= k < size for k, size in zip(position, array.shape, strict=True)):
                self._values[op.res] = array[position]


def _buffers_of_threads(op: Operation) -> LastingBuffers:
    """The buffers that threads keep for all steps of an outermost parallel loop."""
    if not isinstance(op, scf.ParallelOp):
        return LastingBuffers()
    is_inner = any(isinstance(each, scf.ParallelOp) for each in around(op.parent_op()))
    return LastingBuffers() if is_inner else lasting_buffers(op)


def _has_buffers(op: Operation) -> bool:
    return any(isinstance(each, memref.AllocOp | memref.DeallocOp) for each in op.walk())
