"""Tiles: blocks of neighbouring rows, whose innermost loops are one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.idle_steps import idle_conditions
from ein_mlir.analysis.scopes import dependents
from ein_mlir.backends.native import abi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.passes.loops.interchange_loops.rows import INDEX, Position, RowBlock, Values

STEPS = 4
"""The steps of an innermost loop that are taken with the accumulators in registers."""

MOST_OPERATIONS = 32
"""The most operations of a step that is unrolled."""

LISTED = 128
"""The steps of a chunk, of which those that change something are listed."""

_Counter: TypeAlias = Callable[[Builder, SSAValue, int], SSAValue]
"""The counter of a step that comes a number of steps after a place."""


class Tile:
    """Blocks of neighbouring rows: their innermost loops are one."""

    def __init__(self, rows: Sequence[RowBlock]):
        self._rows = rows
        self._first = rows[0]

    def body(
        self,
        ops: Iterable[Operation],
        build: Builder,
        loop: scf.ForOp | None = None,
    ) -> None:
        """Distribute operations; those of a loop end with its carried values."""
        run, vary = list[Operation](), self._first.vary
        frees = list[memref.DeallocOp]()
        for op in ops:
            if isinstance(op, scf.YieldOp | scf.ReduceOp):
                continue
            if isinstance(op, memref.DeallocOp):
                frees.append(op)
                continue
            if isinstance(op, scf.ForOp):
                self._run(run, build)
                run = []
                self._loop(op, build)
            elif not any(v in vary for v in op.operands) and op.results:
                for row in self._rows:
                    row.uniform(op, build, row.values)
            else:
                run.append(op)
        self._run(run, build, loop)
        for op in frees:
            for row in self._rows:
                row.uniform(op, build, row.values)

    def _run(self, ops: Sequence[Operation], build: Builder, loop: scf.ForOp | None = None) -> None:
        for row in self._rows:
            row.run(ops, build, _finals(loop, row.buffers) if loop is not None else ())

    def _loop(self, op: scf.ForOp, build: Builder) -> None:
        """A loop around the positions, whose carried values are in buffers."""
        for row in self._rows:
            row.start_values(op, build)
        if any(isinstance(inner, scf.ForOp) for inner in op.body.block.ops):
            self._outer(op, build)
        else:
            self._innermost(op, build)

    def _bounds(self, op: scf.ForOp) -> tuple[SSAValue, SSAValue, SSAValue]:
        values = self._first.values
        return values.get(op.lb, op.lb), values.get(op.ub, op.ub), values.get(op.step, op.step)

    def _outer(self, op: scf.ForOp, build: Builder) -> None:
        block, inner = op.body.block, Block(arg_types=[INDEX])
        for row in self._rows:
            row.values[block.args[0]] = inner.args[0]
        self.body(block.ops, Builder(InsertPoint.at_end(inner)), op)
        inner.add_op(scf.YieldOp())
        build.insert(scf.ForOp(*self._bounds(op), [], Region(inner)))

    def _innermost(self, op: scf.ForOp, build: Builder) -> None:
        """Several steps at a time, then the rest."""
        lower, upper, step = self._bounds(op)
        is_short = len(list(op.body.block.ops)) <= MOST_OPERATIONS and not _is_search(op)
        idle = next(idle_conditions(op, self._is_same), None)
        if idle is not None:
            self._chosen(op, build, *idle, is_short)
        elif is_short and is_one(op.step) and is_zero(op.lb):
            self._several(op, build, upper, step, shifted)
        else:
            self._steps(op, build, (lower, upper, step), 1, shifted)

    def _several(
        self,
        op: scf.ForOp,
        build: Builder,
        count: SSAValue,
        one: SSAValue,
        counter: _Counter,
        known: Values | None = None,
    ) -> None:
        """Steps from 0 on, several at a time, then the rest."""
        steps = build.insert(arith.ConstantOp(IntegerAttr(STEPS, INDEX))).result
        rest = build.insert(arith.RemSIOp(count, steps)).result
        middle = build.insert(arith.SubiOp(count, rest)).result
        lower = self._first.zero if known is not None else op.lb
        self._steps(op, build, (lower, middle, steps), STEPS, counter, known)
        self._steps(op, build, (middle, count, one), 1, counter, known)

    def _is_same(self, condition: SSAValue) -> bool:
        """Whether a condition is computed, and the same for all results of a block."""
        return condition not in self._first.vary and isinstance(condition.owner, Operation)

    def _chosen(
        self, op: scf.ForOp, build: Builder, condition: SSAValue, idle: bool, is_short: bool
    ) -> None:
        """The steps in which a condition has another value than in idle ones, for some row.

        The steps of a chunk are listed first, so that several are taken at a time.
        """
        first, (lower, upper, step) = self._first, self._bounds(op)
        chunk, known = Block(arg_types=[INDEX]), Values()
        inside = Builder(InsertPoint.at_end(chunk))
        size = build.insert(arith.ConstantOp(IntegerAttr(LISTED, INDEX))).result
        extent = size if is_one(op.step) else build.insert(arith.MuliOp(size, step)).result
        after = inside.insert(arith.AddiOp(chunk.args[0], extent)).result
        end = inside.insert(arith.MinSIOp(after, upper)).result
        listed = first.allocas.insert(memref.AllocaOp.get(INDEX, shape=[LISTED])).memref
        bounds = (chunk.args[0], end, step)
        count = self._listed(op, inside, bounds, (condition, idle), listed)
        if len(self._rows) == 1:
            known[condition] = _truth(build, not idle)

        def counter(build: Builder, place: SSAValue, number: int) -> SSAValue:
            at = shifted(build, place, number)
            return build.insert(memref.LoadOp.get(listed, [at])).res

        if is_short:
            self._several(op, inside, count, first.one, counter, known)
        else:
            self._steps(op, inside, (first.zero, count, first.one), 1, counter, known)
        chunk.add_op(scf.YieldOp())
        build.insert(scf.ForOp(lower, upper, extent, [], Region(chunk)))

    def _listed(
        self,
        op: scf.ForOp,
        build: Builder,
        bounds: tuple[SSAValue, SSAValue, SSAValue],
        idle: tuple[SSAValue, bool],
        listed: SSAValue,
    ) -> SSAValue:
        """List the steps that change something for some row; their number."""
        body = Block(arg_types=[INDEX, INDEX])
        inside = Builder(InsertPoint.at_end(body))
        counter, found = body.args
        is_active = self._is_active(op, inside, counter, *idle)
        inside.insert(memref.StoreOp.get(counter, listed, [found]))
        more = inside.insert(arith.AddiOp(found, self._first.one)).result
        following = inside.insert(arith.SelectOp(is_active, more, found)).result
        inside.insert(scf.YieldOp(following))
        return build.insert(scf.ForOp(*bounds, [self._first.zero], Region(body))).results[0]

    def _is_active(
        self, op: scf.ForOp, build: Builder, counter: SSAValue, condition: SSAValue, idle: bool
    ) -> SSAValue:
        """Whether a condition has another value than in idle steps, for some row."""
        found: SSAValue | None = None
        for row in self._rows:
            values = {**row.values, op.body.block.args[0]: counter}
            _emit_with_operands(condition, op.body.block, build, values)
            value = values.get(condition, condition)
            if found is None:
                found = value
            elif found is not value:
                combine = arith.AndIOp if idle else arith.OrIOp
                found = build.insert(combine(found, value, i1)).result
        assert found is not None
        return build.insert(arith.XOrIOp(found, _truth(build, True), i1)).result if idle else found

    def _steps(
        self,
        op: scf.ForOp,
        build: Builder,
        bounds: tuple[SSAValue, SSAValue, SSAValue],
        count: int,
        counter: _Counter,
        known: Values | None = None,
    ) -> None:
        """A loop whose steps are several steps of a loop, for all rows."""
        outer = Block(arg_types=[INDEX])
        inside = Builder(InsertPoint.at_end(outer))
        counters = [counter(inside, outer.args[0], number) for number in range(count)]
        copies = [row.copies(op, inside, counters, known or {}) for row in self._rows]
        inner = Block(arg_types=[INDEX])
        place, steps = Builder(InsertPoint.at_end(inner)), inner.args[0]
        step = {each for each in op.body.block.ops if each.results}
        positions = [Position(row, place, steps, dict(row.values), step) for row in self._rows]
        for each, row, values in zip(positions, self._rows, copies, strict=True):
            row.unrolled(each, op, values)
        for each in positions:
            each.store()
        inner.add_op(scf.YieldOp())
        first = self._first
        lanes = scf.ForOp(first.zero, first.count, first.one, [], Region(inner))
        lanes.attributes[abi.RESULTS] = UnitAttr()
        inside.insert(lanes)
        outer.add_op(scf.YieldOp())
        build.insert(scf.ForOp(*bounds, [], Region(outer)))


def shifted(build: Builder, counter: SSAValue, distance: int) -> SSAValue:
    """A position at a distance from another one."""
    if distance == 0:
        return counter
    constant = build.insert(arith.ConstantOp(IntegerAttr(distance, INDEX)))
    return build.insert(arith.AddiOp(counter, constant)).result


def _truth(build: Builder, value: bool) -> SSAValue:
    return build.insert(arith.ConstantOp(IntegerAttr(int(value), i1))).result


def _emit_with_operands(value: SSAValue, block: Block, build: Builder, values: Values) -> None:
    """Emit the operation of a value in a block, after those of its operands."""
    op = value.owner
    if value in values or not isinstance(op, Operation) or op.parent is not block:
        return
    for operand in op.operands:
        _emit_with_operands(operand, block, build, values)
    build.insert(copy_of(op, values))


def _is_search(op: scf.ForOp) -> bool:
    """Whether a step reads where the one before it says, so that it waits for its loads."""
    carried = dependents(op.body.block, *op.body.block.args[1:])
    loads = (each for each in op.body.block.ops if isinstance(each, memref.LoadOp))
    return any(position in carried for load in loads for position in load.indices)


def _finals(op: scf.ForOp, buffers: Values) -> list[tuple[SSAValue, SSAValue]]:
    """The values that a step yields, and the buffers that they go to."""
    terminator = op.body.block.last_op
    assert terminator is not None
    variables = op.body.block.args[1:]
    return [(v, buffers[a]) for v, a in zip(terminator.operands, variables, strict=True)]


def is_one(value: SSAValue) -> bool:
    """Whether a value is the constant 1."""
    return known_int(value) == 1


def is_zero(value: SSAValue) -> bool:
    """Whether a value is the constant 0."""
    return known_int(value) == 0
