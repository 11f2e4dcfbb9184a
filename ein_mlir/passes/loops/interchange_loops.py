"""``interchange-loops``: reductions run for a block of neighbouring results at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, i1
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import ConstantLike

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.neighbours import (
    has_scalar_loops,
    has_uniform_loops,
    loads_in_loops,
    reads_neighbours,
    varying,
)
from ein_mlir.analysis.loops.rare_steps import has_rare_steps
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.passes import FunctionPass

BLOCK = 128
"""The results of a block: its buffers stay in the nearest cache."""

FEWEST = 8
"""Rows with fewer results stay as they are: a block needs enough lanes."""

STEPS = 4
"""The steps of an innermost loop that are taken with the accumulators in registers."""

MOST_OPERATIONS = 32
"""The most operations of a step that is unrolled."""

ROWS = 4
"""The rows of a block: they share the loads that do not vary with the row."""

MOST_OPERATIONS_OF_ROWS = 12
"""The most operations of a step that is unrolled for several rows."""


INDEX = IndexType()
Values: TypeAlias = dict[SSAValue, SSAValue]

_AFFINE = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.MinSIOp, arith.MaxSIOp)


# Profitability -----------------------------------------------------------------------------------


def is_profitable(op: scf.ParallelOp, vary: set[SSAValue]) -> bool:
    """Whether all loads in the loops of a body are of neighbours, or the same, for a block, and
    there may be enough results.
    """
    index, results = op.body.block.args[-1], known_int(op.upperBound[-1])
    if results is not None and results < FEWEST:
        return False
    return has_uniform_loops(op, vary) and all(
        reads_neighbours(load, index, vary) for load in loads_in_loops(op)
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
    written: set[SSAValue]
    """The buffers that the loop writes to: elements of others may be read again."""
    values: Values = field(default_factory=dict[SSAValue, SSAValue])
    """The values that do not vary with the position."""
    buffers: Values = field(default_factory=dict[SSAValue, SSAValue])
    """The buffer of a value at all positions."""

    def buffer(self, type_: Attribute) -> SSAValue:
        """A new buffer for a value at all positions."""
        op = memref.AllocaOp.get(type_, shape=[BLOCK])
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

    def copies(self, op: scf.ForOp, build: Builder, counter: SSAValue, count: int) -> list[Values]:
        """The values of successive steps that do not vary with the position."""
        block = op.body.block
        copies = list[Values]()
        for number in range(count):
            values = dict(self.values)
            values[block.args[0]] = _shifted(build, counter, number)
            for each in block.ops:
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
                if inner.results and any(v in self.vary for v in inner.operands):
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
        if is_short and _is_one(op.step) and _is_zero(op.lb):
            steps = build.insert(arith.ConstantOp(IntegerAttr(STEPS, INDEX))).result
            rest = build.insert(arith.RemSIOp(upper, steps)).result
            middle = build.insert(arith.SubiOp(upper, rest)).result
            self._steps(op, build, (lower, middle, steps), STEPS)
            lower = middle
        self._steps(op, build, (lower, upper, step), 1)

    def _steps(
        self,
        op: scf.ForOp,
        build: Builder,
        bounds: tuple[SSAValue, SSAValue, SSAValue],
        count: int,
    ) -> None:
        """A loop whose steps are several steps of a loop, for all rows."""
        outer = Block(arg_types=[INDEX])
        inside = Builder(InsertPoint.at_end(outer))
        copies = [row.copies(op, inside, outer.args[0], count) for row in self._rows]
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
        guard = self._guard(op, inside, [values for row in copies for values in row])
        inside.insert(lanes if guard is None else _only_if(guard, lanes))
        outer.add_op(scf.YieldOp())
        build.insert(scf.ForOp(*bounds, [], Region(outer)))

    def _guard(self, op: scf.ForOp, build: Builder, copies: Sequence[Values]) -> SSAValue | None:
        """Whether some step of several, for some row, changes a carried value; None if unknown."""
        found = idle_condition(op, self._first.vary)
        if found is None:
            return None
        condition, is_idle = found
        first, *rest = (values.get(condition, condition) for values in copies)
        combine = arith.AndIOp if is_idle else arith.OrIOp
        for other in rest:
            first = build.insert(combine(first, other, i1)).result
        if is_idle:
            true = build.insert(arith.ConstantOp(IntegerAttr(1, i1))).result
            first = build.insert(arith.XOrIOp(first, true, i1)).result
        return first


def _only_if(condition: SSAValue, op: Operation) -> Operation:
    return scf.IfOp(condition, [], Region(Block([op, scf.YieldOp()])))


# Idle steps -------------------------------------------------------------------------------------


def idle_condition(op: scf.ForOp, vary: set[SSAValue]) -> tuple[SSAValue, bool] | None:
    """A condition that is the same for all results, and its value in steps that change nothing.

    ``acc + where(c, x, 0)`` and ``acc or (c and x)`` are ``acc`` if c is false.
    """
    block = op.body.block
    last = block.last_op
    assert last is not None
    used = dict.fromkeys(v for each in block.ops for v in each.operands if v.type == i1)
    for condition in used:
        if condition not in vary and isinstance(condition.owner, Operation):
            for value in (False, True):
                known: dict[SSAValue, SSAValue | bool] = {condition: value}
                results = [_reduced(each, known, block) for each in last.operands]
                if all(new is old for new, old in zip(results, block.args[1:], strict=True)):
                    return condition, value
    return None


def _reduced(
    value: SSAValue, known: dict[SSAValue, SSAValue | bool], block: Block
) -> SSAValue | bool:
    """The value, or the truth value, that one is equal to if the values of some are known."""
    op = value.owner
    if value not in known and isinstance(op, Operation) and op.parent is block:
        operands = [_reduced(each, known, block) for each in op.operands]
        known[value] = _folded(op, operands)
    return known.get(value, value)


def _folded(op: Operation, operands: Sequence[SSAValue | bool]) -> SSAValue | bool:
    """The result of an operation on reduced operands."""
    match op, operands:
        case arith.SelectOp(), [bool() as condition, value, otherwise]:
            return value if condition else otherwise
        case arith.AndIOp(), [False, _] | [_, False]:
            return False
        case arith.AndIOp(), [True, other] | [other, True]:
            return other
        case arith.OrIOp(), [False, other] | [other, False]:
            return other
        case arith.OrIOp(), [True, _] | [_, True]:
            return True
        case arith.AddfOp() | arith.AddiOp(), [other, SSAValue() as zero] if is_zero(zero):
            return other
        case arith.AddfOp() | arith.AddiOp(), [SSAValue() as zero, other] if is_zero(zero):
            return other
        case _:
            return op.results[0] if op.results else False


def is_zero(value: SSAValue) -> bool:
    """Whether a value is the constant 0; the sign of a zero of a sum is unspecified."""
    number = ConstantLike.get_constant_value(value)
    if isinstance(number, FloatAttr):
        return number.value.data == 0
    return isinstance(number, IntegerAttr) and number.value.data == 0


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
    size: SSAValue

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
            body.args[-1], width, old[-1], self.vary, self.zero, self.one, allocas, written
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


def interchange(op: scf.ParallelOp, vary: set[SSAValue]) -> None:
    """Run the loops of a body for a block of the last index at once, if there are enough."""
    before = Builder(InsertPoint.before(op))
    lower, upper, step = op.lowerBound[-1], op.upperBound[-1], op.step[-1]
    constants = [
        before.insert(arith.ConstantOp(IntegerAttr(number, INDEX))).result
        for number in (0, 1, BLOCK, FEWEST)
    ]
    zero, one, size, fewest = constants
    results = upper if _is_zero(lower) else before.insert(arith.SubiOp(upper, lower)).result
    is_wide = before.insert(arith.CmpiOp(results, fewest, "sge")).result
    context = _Context(op, vary, zero, one, size)
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
    order of each sum is unchanged. Steps that change nothing, by a condition that is the same for
    all results, are skipped. Rows with few results run as before. A loop stays if it reads
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
