"""Loops over rows, in parts with a product for each: see `split_rows`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field

from xdsl.builder import Builder
from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, IntegerType, MemRefType
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import is_within, operands_within, operations_in, slice_within
from ein_mlir.backends.native import abi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.loops.raise_products.raising import Emitter, Raiser, hoist, result_of
from ein_mlir.passes.loops.raise_products.recognition import INDEX, Product, products

ELEMENTS = 2**16
"""The elements of an array of the rows of a part: about a half of a near cache."""
LEAST_ROWS = 64
"""The rows of a part that a product needs to be fast: it copies its other factor for each part."""
MOST_PARTS = 16
"""The parts of more rows than that: work for as many threads."""


@dataclass(frozen=True)
class Rows:
    """The steps of one index of a nest, each of which computes a row of products."""

    nest: scf.ParallelOp
    index: BlockArgument
    found: Sequence[Product]

    @property
    def size(self) -> SSAValue:
        """The number of rows."""
        return self.nest.upperBound[self.index.index]

    @property
    def others(self) -> list[BlockArgument]:
        """The other indices of the nest."""
        return [each for each in self.nest.body.block.args if each is not self.index]

    def segments(self) -> list[list[Operation]]:
        """The operations of a step, cut before each that multiplies rows of this nest."""
        cuts = {product.loops[1] for product in self.found if product.reads_rows}
        segments = [list[Operation]()]
        for op in self.nest.body.block.ops:
            if op in cuts:
                segments.append([])
            if not isinstance(op, scf.ReduceOp):
                segments[-1].append(op)
        return segments


def rows_of(nest: scf.ParallelOp) -> Rows | None:
    """The rows that a nest computes, if sums of its inner loops are products of matrices."""
    found = [product for product in products(nest, rows=True) if _row_of(product) is not None]
    if not found:
        return None
    index = _row_of(found[0])
    assert index is not None
    return Rows(nest, index, [product for product in found if _row_of(product) is index])


def _row_of(product: Product) -> BlockArgument | None:
    """The index of the nest that is a row of a product; its columns are those of an inner loop."""
    own = [each for each in product.indices[-2:] if each in product.nest.body.block.args]
    is_large = product.left.is_large or product.right.is_large
    return own[0] if len(product.loops) > 1 and len(own) == 1 and not is_large else None


def split_rows(nest: scf.ParallelOp) -> bool:
    """Compute products of the rows of a nest for a part of its rows at once.

    A nest whose steps compute a row, and multiply it by a matrix::

        parallel (i < n) { u = alloc; S1(u); parallel (f < m) { s = sum(j) u[j] * v[j, f] .. } S2 }

    becomes loops over a part of the rows, one up to each product. An array or a number of a step
    that a later loop reads has an element for each row of the part::

        parallel (p < parts) {
          u = alloc;
          parallel (i < count) { S1(u[i]) }
          t = u * v
          parallel (i < count) { parallel (f < m) { s = t[i, f] .. } S2 }
        }

    Parts run on threads, and their arrays stay in a cache. Small products stay as they are.
    """
    rows = rows_of(nest)
    plan = _plan(rows) if rows is not None else None
    if rows is None or plan is None:
        return False
    for product in rows.found:
        hoist(product)
    then = Block()
    emit = Emitter(Builder(InsertPoint.before(nest)))
    condition = is_worth_calls(emit, rows.found)
    new = _Parts(rows, plan, then).run()
    otherwise = Block()
    choice = scf.IfOp(condition, [], Region(then), Region(otherwise))
    Rewriter.insert_op(choice, InsertPoint.before(nest))
    nest.detach()
    then.add_op(scf.YieldOp())
    otherwise.add_ops((nest, scf.YieldOp()))
    for each in new:
        raise_all(each)
    return True


def raise_all(nest: scf.ParallelOp) -> None:
    """Raise all products of a nest."""
    for product in list(products(nest)):
        hoist(product)
        Raiser(product, result_of(product)).run()


def is_worth_calls(emit: Emitter, found: Iterable[Product]) -> SSAValue:
    """Whether all products are large enough for a call of the library."""
    worth: SSAValue | None = None
    for product in found:
        counts = [*product.indices[-2:], *product.counters]
        work = emit.product(product.size(variable) for variable in counts)
        enough = emit.value(arith.CmpiOp(work, emit.integer(abi.LEAST_PRODUCT), "sge"))
        worth = enough if worth is None else emit.value(arith.AndIOp(worth, enough))
    assert worth is not None
    return worth


# Values of a step that later loops read ---------------------------------------------------------


@dataclass
class _Plan:
    """The replacements of the values of a step that operations after a cut read."""

    arrays: list[memref.AllocOp] = field(default_factory=list[memref.AllocOp])
    """Arrays of a step: they get an axis for the rows."""
    numbers: list[SSAValue] = field(default_factory=list[SSAValue])
    """Numbers of a step, which are stored."""
    repeated: list[list[Operation]] = field(default_factory=list[list[Operation]])
    """For each segment the operations of earlier ones that it repeats."""


def _plan(rows: Rows) -> _Plan | None:
    """The plan for the values that cross a cut, or None if there is no place for one of them."""
    plan, nest, segments = _Plan(), rows.nest, rows.segments()
    number_of = {op: number for number, ops in enumerate(segments) for op in ops}
    for number, ops in enumerate(segments):
        repeated = dict[Operation, None]()
        for value in dict.fromkeys(v for op in ops for v in operands_within(op)):
            owner = value.owner
            if not isinstance(owner, Operation) or number_of.get(owner, number) == number:
                continue
            if isinstance(owner, memref.AllocOp) and _may_have_rows(owner, nest):
                if owner not in plan.arrays:
                    plan.arrays.append(owner)
            elif (again := _operations_of(value, nest)) is not None:
                repeated.update(dict.fromkeys(again))
            elif isinstance(value.type, AnyFloat | IntegerType):
                if value not in plan.numbers:
                    plan.numbers.append(value)
            else:
                return None
        plan.repeated.append([*repeated])
    return plan


def _may_have_rows(array: memref.AllocOp, nest: scf.ParallelOp) -> bool:
    """Whether an array of a step is only read and written by its elements."""
    return not any(is_within(size, nest) for size in array.dynamic_sizes) and all(
        isinstance(use.operation, memref.LoadOp | memref.DeallocOp)
        or (isinstance(use.operation, memref.StoreOp) and use.index == 1)
        for use in array.memref.uses
    )


def _operations_of(value: SSAValue, nest: scf.ParallelOp) -> list[Operation] | None:
    """The arithmetic of integers that computes a value from the indices of a nest, in order."""
    needed = slice_within(nest, [value])
    return needed if all(map(_may_be_repeated, needed)) else None


def _may_be_repeated(op: Operation) -> bool:
    """Whether an operation is arithmetic of integers, or a literal."""
    is_float = any(isinstance(result.type, AnyFloat) for result in op.results)
    return op.dialect_name() == arith.Arith.name and not (is_float and op.operands)


# The loops over parts ---------------------------------------------------------------------------


class _Parts:
    """Writes the loop over parts of the rows of a nest to a block."""

    def __init__(self, rows: Rows, plan: _Plan, block: Block):
        self._rows = rows
        self._plan = plan
        self._emit = Emitter(Builder(InsertPoint.at_end(block)))
        self._values = dict[SSAValue, SSAValue]()
        self._stored = dict[SSAValue, SSAValue]()
        """Arrays of a step, and numbers: the array with an element for each row."""

    def run(self) -> list[scf.ParallelOp]:
        """The loops over the rows of a part, one for each segment."""
        rows, nest, emit = self._rows, self._rows.nest, self._emit
        step = self._step()
        one, zero = emit.integer(1), emit.integer(0)
        most = emit.plus(rows.size, emit.value(arith.SubiOp(step, one)))
        parts = emit.value(arith.DivSIOp(most, step))
        others = rows.others
        sizes = [parts, *(nest.upperBound[each.index] for each in others)]
        body = Block(arg_types=[INDEX] * len(sizes))
        bounds = [zero] * len(sizes), sizes, [one] * len(sizes)
        emit.build.insert(scf.ParallelOp(*bounds, Region(body)))
        self._values.update(zip(others, body.args[1:], strict=True))
        self._emit = inside = Emitter(Builder(InsertPoint.at_end(body)))
        start = inside.times(body.args[0], step)
        rest = inside.value(arith.SubiOp(rows.size, start))
        count = inside.value(arith.MinSIOp(rest, step))
        self._allocate(count)
        loops = [
            self._loop(number, ops, start, count) for number, ops in enumerate(rows.segments())
        ]
        for array in self._stored.values():
            inside.build.insert(memref.DeallocOp.get(array))
        inside.build.insert(scf.ReduceOp())
        return loops

    def _step(self) -> SSAValue:
        """The number of rows of a part."""
        emit, rows = self._emit, self._rows
        elements = emit.integer(1)
        for product in rows.found:
            indices = [v for v in product.indices if v not in rows.nest.body.block.args]
            for variables in (indices, product.counters):
                own = emit.product(product.size(variable) for variable in variables)
                elements = emit.value(arith.MaxSIOp(elements, own))
        step = emit.value(arith.DivSIOp(emit.integer(ELEMENTS), elements))
        even = emit.value(arith.DivSIOp(rows.size, emit.integer(MOST_PARTS)))
        most = emit.value(arith.MaxSIOp(even, emit.integer(LEAST_ROWS)))
        step = emit.value(arith.MinSIOp(step, most))
        return emit.value(arith.MaxSIOp(step, emit.integer(1)))

    def _allocate(self, count: SSAValue) -> None:
        for array in self._plan.arrays:
            type_ = array.memref.type
            assert isa(type_, MemRefType)
            shape = [DYNAMIC_INDEX, *type_.get_shape()]
            sizes = [count, *array.dynamic_sizes]
            new = memref.AllocOp.get(type_.element_type, None, shape, sizes)
            self._stored[array.memref] = self._emit.value(new)
        for number in self._plan.numbers:
            new = memref.AllocOp.get(number.type, None, [DYNAMIC_INDEX], [count])
            self._stored[number] = self._emit.value(new)

    def _loop(
        self, number: int, ops: Sequence[Operation], start: SSAValue, count: SSAValue
    ) -> scf.ParallelOp:
        """The loop over the rows of a part that runs a segment of a step."""
        block = Block(arg_types=[INDEX])
        inside = Emitter(Builder(InsertPoint.at_end(block)))
        row, values = block.args[0], dict(self._values)
        values[self._rows.index] = inside.plus(start, row)
        for op in self._plan.repeated[number]:
            inside.build.insert(copy_of(op, values))
        own = set(ops)
        for each in self._plan.numbers:
            if each.owner not in own:
                values[each] = inside.value(memref.LoadOp.get(self._stored[each], [row]))
        for op in ops:
            if not self._is_replaced(op):
                inside.build.insert(copy_of(op, values))
        for each in self._plan.numbers:
            if each.owner in own:
                store = memref.StoreOp.get(values[each], self._stored[each], [row])
                inside.build.insert(store)
        inside.build.insert(scf.ReduceOp())
        zero, one = self._emit.integer(0), self._emit.integer(1)
        loop = scf.ParallelOp([zero], [count], [one], Region(block))
        self._emit.build.insert(loop)
        self._read_rows(loop, row)
        return loop

    def _is_replaced(self, op: Operation) -> bool:
        """Whether an operation allocates or releases an array that the part has for all rows."""
        if isinstance(op, memref.DeallocOp):
            return op.memref in self._stored
        return isinstance(op, memref.AllocOp) and op.memref in self._stored

    def _read_rows(self, loop: scf.ParallelOp, row: SSAValue) -> None:
        """Read and write elements of the arrays of all rows in place of those of one."""
        for op in operations_in(loop):
            if isinstance(op, memref.LoadOp | memref.StoreOp) and op.memref in self._stored:
                array, at = self._stored[op.memref], [row, *op.indices]
                if isinstance(op, memref.LoadOp):
                    Rewriter.replace_op(op, memref.LoadOp.get(array, at))
                else:
                    Rewriter.replace_op(op, memref.StoreOp.get(op.value, array, at), ())
