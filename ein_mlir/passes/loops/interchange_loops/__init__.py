"""``interchange-loops``: reductions run for a block of neighbouring results at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FixedBitwidthType, IndexType, IntegerAttr, i1
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.neighbours import (
    has_scalar_loops,
    has_uniform_loops,
    loads_in_loops,
    reads_neighbours,
    varying,
    writes_neighbours,
)
from ein_mlir.analysis.loops.rare_steps import has_rare_steps
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects.creation import copy_of
from ein_mlir.passes.loops.interchange_loops.idle_steps import idle_condition
from ein_mlir.rewriting.passes import FunctionPass

BLOCK = 128
"""The results of a block: its buffers stay in the nearest cache."""

LEAST_BYTES = 512
"""A block of shorter elements has more results: rows of a few lines of a cache are read slowly."""

FEWEST = 4
"""Rows with fewer results stay as they are: a block needs enough lanes."""

STEPS = 4
"""The steps of an innermost loop that are taken with the accumulators in registers."""

MOST_OPERATIONS = 32
"""The most operations of a step that is unrolled."""

ROWS = 4
"""The rows of a block: they share the loads that do not vary with the row."""

MOST_OPERATIONS_OF_ROWS = 12
"""The most operations of a step that is unrolled for several rows."""


LISTED = 128
"""The steps of a chunk, of which those that change something are listed."""

INDEX = IndexType()
Values: TypeAlias = dict[SSAValue, SSAValue]
_Counter: TypeAlias = Callable[[Builder, SSAValue, int], SSAValue]
"""The counter of a step that comes a number of steps after a place."""

_AFFINE = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp)


# Profitability -----------------------------------------------------------------------------------


def is_profitable(op: scf.ParallelOp, vary: set[SSAValue]) -> bool:
    """Whether all loads in the loops of a body are of neighbours, or the same, for a block, stores
    are to neighbours, and there may be enough results.
    """
    index, results = op.body.block.args[-1], known_int(op.upperBound[-1])
    if results is not None and results < FEWEST:
        return False
    return (
        has_uniform_loops(op, vary)
        and writes_neighbours(op, vary)
        and all(reads_neighbours(load, index, vary) for load in loads_in_loops(op))
    )


# Distribution -----------------------------------------------------------------------------------


@dataclass
class _Block:
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
        each: _Position,
        ops: Sequence[Operation],
        targets: Sequence[tuple[SSAValue, SSAValue]],
    ) -> None:
        for op in ops:
            each.emit(op)
        values = [(each.value(value), buffer) for value, buffer in targets]
        for value, buffer in values:
            each.build.insert(memref.StoreOp.get(value, buffer, [each.place]))

    def positions(
        self, build: Builder, inside: set[Operation], emit: Callable[[_Position], None]
    ) -> None:
        """A loop over the positions of a block, in which some operations are emitted."""
        inner = Block(arg_types=[INDEX])
        place, values = inner.args[0], dict(self.values)
        emit(_Position(self, Builder(InsertPoint.at_end(inner)), place, values, inside))
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

    def unrolled(self, each: _Position, op: scf.ForOp, copies: Sequence[Values]) -> None:
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


def _shifted(build: Builder, counter: SSAValue, distance: int) -> SSAValue:
    if distance == 0:
        return counter
    constant = build.insert(arith.ConstantOp(IntegerAttr(distance, INDEX)))
    return build.insert(arith.AddiOp(counter, constant)).result


class _Tile:
    """Blocks of neighbouring rows: their innermost loops are one."""

    def __init__(self, rows: Sequence[_Block]):
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
        for op in ops:
            if isinstance(op, scf.YieldOp | scf.ReduceOp):
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
        is_short = len(list(op.body.block.ops)) <= MOST_OPERATIONS
        idle = idle_condition(op, self._first.vary)
        if idle is not None:
            self._chosen(op, build, *idle, is_short)
        elif is_short and _is_one(op.step) and _is_zero(op.lb):
            self._several(op, build, upper, step, _shifted)
        else:
            self._steps(op, build, (lower, upper, step), 1, _shifted)

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
        extent = size if _is_one(op.step) else build.insert(arith.MuliOp(size, step)).result
        after = inside.insert(arith.AddiOp(chunk.args[0], extent)).result
        end = inside.insert(arith.MinSIOp(after, upper)).result
        listed = first.allocas.insert(memref.AllocaOp.get(INDEX, shape=[LISTED])).memref
        bounds = (chunk.args[0], end, step)
        count = self._listed(op, inside, bounds, (condition, idle), listed)
        if len(self._rows) == 1:
            known[condition] = _truth(build, not idle)

        def counter(build: Builder, place: SSAValue, number: int) -> SSAValue:
            at = _shifted(build, place, number)
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
        positions = [_Position(row, place, steps, dict(row.values), step) for row in self._rows]
        for each, row, values in zip(positions, self._rows, copies, strict=True):
            row.unrolled(each, op, values)
        for each in positions:
            each.store()
        inner.add_op(scf.YieldOp())
        first = self._first
        lanes = scf.ForOp(first.zero, first.count, first.one, [], Region(inner))
        inside.insert(lanes)
        outer.add_op(scf.YieldOp())
        build.insert(scf.ForOp(*bounds, [], Region(outer)))


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


# Positions ----------------------------------------------------------------------------------------


@dataclass
class _Position:
    """The emission of operations at one position of a block."""

    of: _Block
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
            index = self.build.insert(arith.AddiOp(self.of.start, self.place))
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
        self.build.insert(copy_of(op, self.values))

    def store(self) -> None:
        """Store the values that are ready."""
        for value, buffer in self.stores:
            self.build.insert(memref.StoreOp.get(value, buffer, [self.place]))


def _finals(op: scf.ForOp, buffers: Values) -> list[tuple[SSAValue, SSAValue]]:
    """The values that a step yields, and the buffers that they go to."""
    terminator = op.body.block.last_op
    assert terminator is not None
    variables = op.body.block.args[1:]
    return [(v, buffers[a]) for v, a in zip(terminator.operands, variables, strict=True)]


def _is_constant(value: SSAValue, number: int) -> bool:
    return known_int(value) == number


def _is_one(value: SSAValue) -> bool:
    return _is_constant(value, 1)


def _is_zero(value: SSAValue) -> bool:
    return _is_constant(value, 0)


# Rewriting --------------------------------------------------------------------------------------


@dataclass
class _Context:
    """A parallel loop that is interchanged, and constants before it."""

    op: scf.ParallelOp
    vary: set[SSAValue]
    zero: SSAValue
    one: SSAValue
    width: int
    """The most results of a block."""
    size: SSAValue
    """The same, as a value."""

    def parallel(
        self, lower: SSAValue | None, upper: SSAValue | None, step: SSAValue | None, count: int
    ) -> scf.ParallelOp:
        """The loop over blocks, with other bounds of the last but one index, for some rows."""
        op = self.op
        body = Block(arg_types=[INDEX] * len(op.body.block.args))
        build = Builder(InsertPoint.at_end(body))
        left = build.insert(arith.SubiOp(op.upperBound[-1], body.args[-1])).result
        width = build.insert(arith.MinSIOp(left, self.size)).result
        assert isinstance(width.owner, Operation)
        allocas = Builder(InsertPoint.before(width.owner))
        _Tile([self._row(body, build, width, allocas, row) for row in range(count)]).body(
            op.body.block.ops, build
        )
        body.add_op(scf.ReduceOp())
        lowers, uppers = list(op.lowerBound), list(op.upperBound)
        steps = [*list(op.step)[:-1], self.size]
        if lower is not None and upper is not None and step is not None:
            lowers[-2], uppers[-2], steps[-2] = lower, upper, step
        return scf.ParallelOp(lowers, uppers, steps, Region(body))

    def _row(
        self, body: Block, build: Builder, width: SSAValue, allocas: Builder, row: int
    ) -> _Block:
        """The state of one row."""
        op, old = self.op, self.op.body.block.args
        written = {each.memref for each in operations_in(op) if isinstance(each, memref.StoreOp)}
        block = _Block(
            body.args[-1],
            width,
            old[-1],
            self.vary,
            self.zero,
            self.one,
            allocas,
            self.width,
            written,
        )
        block.values.update(zip(old[:-1], body.args[:-1], strict=True))
        if len(old) > 1:
            block.values[old[-2]] = _shifted(build, body.args[-2], row)
        return block


def _shares_rows(op: scf.ParallelOp) -> bool:
    """Whether the innermost loops of a body are short, and load elements that rows share.

    Loops of rows with steps of their own, as in ``sum(k <= i) a[i, k] * b[k, j]``, are not one.
    """
    row = op.body.block.args[-2]
    if not has_uniform_loops(op, varying(op, -2)):
        return False
    loops = [each for each in operations_in(op)[1:] if isinstance(each, scf.ForOp)]
    inner = [each for each in loops if not any(isinstance(o, scf.ForOp) for o in each.body.ops)]
    if any(len(list(each.body.block.ops)) > MOST_OPERATIONS_OF_ROWS for each in inner):
        return False
    loads = [o for each in inner for o in each.body.ops if isinstance(o, memref.LoadOp)]
    return any(row not in load.indices for load in loads)


def _width(op: scf.ParallelOp, vary: set[SSAValue]) -> int:
    """The most results of a block, by the widest element that its loops read for each or carry."""
    loads = [each for each in loads_in_loops(op) if not vary.isdisjoint(each.indices)]
    types = [each.res.type for each in loads]
    for loop in operations_in(op)[1:]:
        if isinstance(loop, scf.ForOp):
            types += [arg.type for arg in loop.body.block.args[1:]]
    return max(BLOCK, LEAST_BYTES // max(map(_bytes, types), default=1))


def _bytes(type_: Attribute) -> int:
    """The bytes of an element in memory."""
    return -(-type_.bitwidth // 8) if isinstance(type_, FixedBitwidthType) else 8


def interchange(op: scf.ParallelOp, vary: set[SSAValue]) -> None:
    """Run the loops of a body for a block of the last index at once, if there are enough."""
    before = Builder(InsertPoint.before(op))
    lower, upper, step = op.lowerBound[-1], op.upperBound[-1], op.step[-1]
    most = _width(op, vary)
    constants = [
        before.insert(arith.ConstantOp(IntegerAttr(number, INDEX))).result
        for number in (0, 1, most, FEWEST)
    ]
    zero, one, size, fewest = constants
    results = upper if _is_zero(lower) else before.insert(arith.SubiOp(upper, lower)).result
    is_wide = before.insert(arith.CmpiOp(results, fewest, "sge")).result
    context = _Context(op, vary, zero, one, most, size)
    wide = list[Operation]()
    if len(op.lowerBound) > 1 and _shares_rows(op):
        rows, end = op.lowerBound[-2], op.upperBound[-2]
        tile = Builder(InsertPoint.before(op))
        height = tile.insert(arith.ConstantOp(IntegerAttr(ROWS, INDEX))).result
        extent = tile.insert(arith.SubiOp(end, rows)).result
        left = tile.insert(arith.RemSIOp(extent, height)).result
        middle = tile.insert(arith.SubiOp(end, left)).result
        wide.append(context.parallel(rows, middle, height, ROWS))
        wide.append(context.parallel(middle, end, op.step[-2], 1))
    else:
        wide.append(context.parallel(None, None, None, 1))
    narrow = Block()
    choice = scf.IfOp(is_wide, [], Region(Block([*wide, scf.YieldOp()])), Region(narrow))
    Rewriter.insert_op(choice, InsertPoint.before(op))
    op.detach()
    narrow.add_ops([op, scf.YieldOp()])
    assert _is_one(step)


class InterchangeLoopsPass(FunctionPass):
    """Runs reductions for a block of neighbouring results at once, so that lanes are results.

    Before::

        scf.parallel (%i, %j) = (0, 0) to (%n, %m) step (1, 1) {
          %s = scf.for %k = 0 to %l step 1 iter_args(%acc = %zero) -> (f64) {
            %x = memref.load %a[%i, %k] : memref<?x?xf64>
            %y = memref.load %b[%k, %j] : memref<?x?xf64>
            ...
            scf.yield %next : f64
          }
          memref.store %s, %c[%i, %j] : memref<?x?xf64>
        }

    After, where ``%count`` is the number of results of the block::

        scf.parallel (%i, %j) = (0, 0) to (%n, %m) step (1, 128) {
          %acc = memref.alloca() : memref<128xf64>
          scf.for %p = 0 to %count step 1 { .. store %zero in %acc[%p] .. }
          scf.for %k = 0 to %l step 1 {
            %x = memref.load %a[%i, %k] : memref<?x?xf64>
            scf.for %p = 0 to %count step 1 {
              .. %b[%k, %j + %p], and the next value of %acc[%p] ..
            }
          }
          scf.for %p = 0 to %count step 1 { .. store %acc[%p] in %c[%i, %j + %p] .. }
        }

    Several steps of an innermost loop are taken at once, with the accumulators in registers. The
    order of each sum is unchanged. Where steps change nothing by a condition that is the same for
    all results, the other steps are listed, and the loop runs over the list::

        %count = scf.for %k = %start to %end step 1 iter_args(%found = 0) -> (index) {
          memref.store %k, %listed[%found]
          .. yield %found + 1 if the condition holds for %k, or %found ..
        }
        scf.for %t = 0 to %count step 1 { %k = memref.load %listed[%t] .. }

    Rows with few results run as before. A loop stays if it reads
    elements that are not neighbours for neighbouring results, or does anything but arithmetic.
    Loops that take no steps unless a test fails stay, too: their code is not worth its compilation.
    """

    name = "interchange-loops"
    looks_for = (scf.ParallelOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if type(op) is not scf.ParallelOp or op.parent is None or not has_scalar_loops(op):
                continue
            vary = varying(op)
            if is_profitable(op, vary) and not has_rare_steps(op):
                interchange(op, vary)
