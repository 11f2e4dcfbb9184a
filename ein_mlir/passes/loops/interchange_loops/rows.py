"""Blocks of neighbouring results: operations run at all their positions, one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.loops.neighbours import reads_neighbours
from ein_mlir.dialects.creation import copy_of, made_like
from ein_mlir.host.dataclass import dataclass

INDEX = IndexType()
Values: TypeAlias = dict[SSAValue, SSAValue]

_AFFINE = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp)


@dataclass
class RowBlock:
    """The state of the distribution of a body over the positions of a block."""

    start: SSAValue
    count: SSAValue
    index: BlockArgument
    vary: set[SSAValue]
    zero: SSAValue
    one: SSAValue
    allocas: Builder
    width: int
    """The most results of a block."""
    written: set[SSAValue]
    """The buffers that the loop writes to: elements of others may be read again."""
    own: set[SSAValue]
    """The buffers of the body, which are those of all positions, side by side."""
    values: Values = field(default_factory=dict[SSAValue, SSAValue])
    """The values that do not vary with the position."""
    buffers: Values = field(default_factory=dict[SSAValue, SSAValue])
    """The buffer of a value at all positions."""

    def buffer(self, type_: Attribute) -> SSAValue:
        """A new buffer for a value at all positions."""
        op = memref.AllocaOp.get(type_, shape=[self.width])
        return self.allocas.insert(op).memref

    # Runs

    def is_again(self, op: Operation) -> bool:
        """Whether a value is computed again where it is needed, rather than stored.

        A load of elements at a distance takes longer than one of stored neighbours.
        """
        if isinstance(op, memref.LoadOp):
            is_near = reads_neighbours(op, self.index, self.vary)
            return is_near and op.memref not in self.written
        return isinstance(op, (arith.IndexCastOp, arith.ConstantOp, *_AFFINE))

    @staticmethod
    def uniform(op: Operation, build: Builder, values: Values) -> None:
        """Emit an operation that is the same at all positions."""
        build.insert(copy_of(op, values))

    def run(
        self,
        ops: Sequence[Operation],
        build: Builder,
        finals: Sequence[tuple[SSAValue, SSAValue]] = (),
    ) -> None:
        """A loop over the positions of a block that runs operations in order."""
        inside = set(ops)
        stored = [op for op in ops if op.results and self._is_needed(op, inside)]
        finals = [(v, b) for v, b in finals if self.buffers.get(v) is not b]
        kept = [op for op in ops if not op.results]
        if not stored and not finals and not kept:
            return
        for op in stored:
            self.buffers[op.results[0]] = self.buffer(op.results[0].type)
        targets = [*((op.results[0], self.buffers[op.results[0]]) for op in stored), *finals]
        self.positions(build, inside, lambda each: self._run_at(each, ops, targets))

    def _is_needed(self, op: Operation, inside: set[Operation]) -> bool:
        """Whether a value is stored for operations outside of its run."""
        return not self.is_again(op) and any(
            use.operation not in inside for use in op.results[0].uses
        )

    def _run_at(
        self,
        each: Position,
        ops: Sequence[Operation],
        targets: Sequence[tuple[SSAValue, SSAValue]],
    ) -> None:
        for op in ops:
            each.emit(op)
        values = [(each.value(value), buffer) for value, buffer in targets]
        for value, buffer in values:
            each.build.insert(memref.StoreOp.get(value, buffer, [each.place]))

    def positions(
        self, build: Builder, inside: set[Operation], emit: Callable[[Position], None]
    ) -> None:
        """A loop over the positions of a block, in which some operations are emitted."""
        inner = Block(arg_types=[INDEX])
        place, values = inner.args[0], dict(self.values)
        emit(Position(self, Builder(InsertPoint.at_end(inner)), place, values, inside))
        inner.add_op(scf.YieldOp())
        build.insert(scf.ForOp(self.zero, self.count, self.one, [], Region(inner)))

    # Loops

    def start_values(self, op: scf.ForOp, build: Builder) -> None:
        """Put the carried values of a loop into buffers; those of a loop around it stay there."""
        starts = list[tuple[SSAValue, SSAValue]]()
        variables = op.body.block.args[1:]
        for start, variable, result in zip(op.iter_args, variables, op.res, strict=True):
            buffer = self.buffers.get(start)
            is_own = isinstance(start, BlockArgument) and start.has_one_use()
            if buffer is None or not is_own:
                buffer = self.buffer(variable.type)
                starts.append((start, buffer))
            self.buffers[variable] = self.buffers[result] = buffer
        if starts:
            self.positions(build, set(), lambda each: self._run_at(each, (), starts))

    def copies(
        self, op: scf.ForOp, build: Builder, counters: Iterable[SSAValue], known: Values
    ) -> list[Values]:
        """The values of some steps that do not vary with the position; some are known."""
        block = op.body.block
        copies = list[Values]()
        for counter in counters:
            values = {**self.values, **known, block.args[0]: counter}
            for each in block.ops:
                if each.results and each.results[0] in known:
                    continue
                if each.results and not any(v in self.vary for v in each.operands):
                    self.uniform(each, build, values)
            copies.append(values)
        return copies

    def unrolled(self, each: Position, op: scf.ForOp, copies: Sequence[Values]) -> None:
        """Successive steps at a position, with the carried values in registers."""
        block = op.body.block
        variables, terminator = block.args[1:], block.last_op
        assert terminator is not None
        carried = [each.value(variable) for variable in variables]
        outside = dict(each.values)
        for values in copies:
            each.values = {**outside, **values}
            each.values.update(zip(variables, carried, strict=True))
            for inner in block.ops:
                if inner is not terminator and any(v in self.vary for v in inner.operands):
                    each.emit(inner)
            carried = [each.value(value) for value in terminator.operands]
        each.stores.extend(
            (value, self.buffers[variable])
            for variable, value in zip(variables, carried, strict=True)
        )


@dataclass
class Position:
    """The emission of operations at one position of a block."""

    of: RowBlock
    build: Builder
    place: SSAValue
    """The position in the block."""
    values: Values
    inside: set[Operation]
    """The operations that are emitted here; other values are loaded."""
    stores: list[tuple[SSAValue, SSAValue]] = field(default_factory=list[tuple[SSAValue, SSAValue]])
    """Values, and the buffers that they go to."""

    def value(self, value: SSAValue) -> SSAValue:
        """A value at the position: computed here, loaded from its buffer, or the same for all."""
        if value in self.values or value not in self.of.vary:
            return self.values.get(value, value)
        op = value.owner
        if value is self.of.index:
            index = self.build.insert(made_like(arith.AddiOp, self.of.start, self.place))
            self.values[value] = index.result
        elif isinstance(op, Operation) and op in self.inside:
            self.emit(op)
        elif value in self.of.buffers:
            load = memref.LoadOp.get(self.of.buffers[value], [self.place])
            self.values[value] = self.build.insert(load).res
        else:
            assert isinstance(op, Operation)
            self.emit(op)
        return self.values[value]

    def emit(self, op: Operation) -> None:
        """Emit an operation, after the values that it needs."""
        if op.results and op.results[0] in self.values:
            return
        for operand in op.operands:
            self.value(operand)
        copy = copy_of(op, self.values)
        if isinstance(op, memref.LoadOp | memref.StoreOp) and op.memref in self.of.own:
            copy.operands[len(copy.operands) - 1] = self.place
        self.build.insert(copy)

    def store(self) -> None:
        """Store the values that are ready."""
        for value, buffer in self.stores:
            self.build.insert(memref.StoreOp.get(value, buffer, [self.place]))
