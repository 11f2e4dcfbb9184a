"""``shorten-lifetimes``: an order of operations in which few arrays are live at a time."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.traits import IsTerminator

from ein_mlir.analysis.effects import is_pure
from ein_mlir.analysis.emitpy.evaluation_order import larger_operands_first, peak_bytes
from ein_mlir.analysis.emitpy.shared_memory import Memory, memory_of
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager, classes_of
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.base import has_memory
from ein_mlir.rewriting.emitpy.calls import is_elementwise, shapes_of
from ein_mlir.rewriting.passes import FunctionPass


def shorten_lifetimes(block: Block, memory: Memory) -> None:
    """Reorder the operations of a block, and of the loops in it."""
    for op in block.ops:
        if isinstance(op, emitpy.ForOp):
            shorten_lifetimes(op.body.block, memory)
    runs = list(_runs(block))
    last_runs = cache(lambda: _last_runs(block, runs, memory))
    order = [
        op
        for number, run in enumerate(runs)
        for op in _reordered(run, memory, lambda v, n=number: last_runs().get(v) == n)
    ]
    if order == list(block.ops):
        return
    for op in order:
        op.detach()
    block.add_ops(order)


def _last_runs(
    block: Block, runs: Sequence[Sequence[Operation]], memory: Memory
) -> Mapping[SSAValue, int]:
    """The number of the last run that reads each array that a block makes."""
    last = dict[SSAValue, int]()
    for number, run in enumerate(runs):
        for op in run:
            last.update(dict.fromkeys(_arrays_read(op, memory), number))
    return {x: n for x, n in last.items() if isinstance(x, OpResult) and is_within(x, block)}


def _runs(block: Block) -> Iterator[list[Operation]]:
    """The runs of operations without effects, and each operation with effects alone."""
    for is_movable, group in groupby(block.ops, _is_movable):
        ops = list(group)
        yield from (ops,) if is_movable else ([op] for op in ops)


def _is_movable(op: Operation) -> bool:
    """Whether an operation may be reordered.

    A copy is made to be overwritten; ``reuse-buffers`` removes it if nothing reads the array after
    it.
    """
    if op.regions or not _may_move(type(op)) or not is_pure(op):
        return False
    return type(op) is not emitpy.MethodOp or op.method.data != "copy"


@cache
def _may_move(cls: type[Operation]) -> bool:
    return not issubclass(cls, emitpy.ExternOp) and not cls.has_trait(IsTerminator)


def _arrays_read(op: Operation, memory: Memory) -> Iterator[SSAValue]:
    """The arrays that an operation reads, itself or in its regions."""
    for inner in operations_in(op):
        for operand in inner._operands:
            yield from memory.roots(operand)


def _reordered(
    run: Sequence[Operation], memory: Memory, is_last: Callable[[SSAValue], bool]
) -> Sequence[Operation]:
    """An order of operations without effects: the present one, or one that needs less memory."""
    if len(run) == 1 or not any(has_memory(x.type) for op in run for x in op.results):
        return run
    order = list(_Schedule(run, memory).order())
    other = larger_operands_first(run, memory)
    if other == run:
        return order
    other = list(_Schedule(other, memory).order())
    return min(
        order, other, key=lambda ops: peak_bytes(ops, memory, is_last, _placed_in_results(ops))
    )


def _placed_in_results(ops: Sequence[Operation]) -> set[SSAValue]:
    """Values that ``reuse-buffers`` or ``write-into-results`` may compute where they are stored.

    Of two operands of a stored value, that is the one with the fewer operations, then the one that
    is computed first. Blocks of a result are not in the cache as temporaries are: an order that
    saves memory only by long chains of operations on a result is slower.
    """
    overwrites, costs = dict[SSAValue, SSAValue](), dict[SSAValue, tuple[int, int]]()
    placed = set[SSAValue]()
    for position, op in enumerate(filter(is_elementwise, ops)):
        result = op.results[0]
        dying = [v for v in op.operands if v in costs and v.type == result.type and v.has_one_use()]
        is_stored = any(isinstance(use.operation, emitpy.StoreOp) for use in result.uses)
        length, start = 0, position
        if dying:
            overwrites[result] = min(dying, key=costs.__getitem__) if is_stored else dying[0]
            length, start = costs[overwrites[result]]
        costs[result] = length + 1, start
        if is_stored:
            placed.add(result)
            while result in overwrites:
                result = overwrites[result]
                placed.add(result)
    return placed


class _Schedule:
    """The present order of operations without effects, except that last readers follow at once.

    The last reader of a view of an array from outside of the block frees no memory.
    """

    def __init__(self, ops: Sequence[Operation], memory: Memory):
        self._ops = ops
        self._waiting = set(ops)
        self._readers: dict[SSAValue, dict[Operation, None]] = {
            result: dict.fromkeys(use.operation for use in result.uses)
            for op in ops
            for result in op.results
            if not has_memory(result.type)
            or all(_is_made_in(op.parent, root) for root in memory.roots(result))
        }

    def order(self) -> Iterator[Operation]:
        """The operations, each after its operands."""
        for op in self._ops:
            pending = [op]
            while pending:
                current = pending.pop()
                if current in self._waiting:
                    self._waiting.remove(current)
                    for operand in current._operands:
                        self._readers.get(operand, {}).pop(current, None)
                    yield current
                    pending.extend(filter(self._is_due, self._candidates(current)))

    def _candidates(self, op: Operation) -> Iterator[Operation]:
        """The candidates after an operation: users of its result, last users of its operands."""
        for result in op.results:
            yield from self._readers.get(result, ())
        for operand in op._operands:
            left = self._readers.get(operand, ())
            if len(left) == 1:
                yield from left

    def _is_due(self, op: Operation) -> bool:
        """Whether an operation can follow now: it reads last an array as large as its result."""
        if op not in self._waiting or self._waiting.intersection(map(_producer, op._operands)):
            return False
        return any(
            list(self._readers.get(operand, ())) == [op] and _is_as_large(operand, op)
            for operand in op._operands
        )


def _is_made_in(block: Block | None, root: SSAValue) -> bool:
    """Whether an operation of a block allocates an array."""
    return isinstance(root, OpResult) and root.op.parent is block


def _producer(value: SSAValue) -> Operation | None:
    return value.op if isinstance(value, OpResult) else None


def _is_as_large(value: SSAValue, op: Operation) -> bool:
    """Whether, by its type, an array has as many elements as the results of an operation."""
    return isa(value.type, TensorType) and all(result.type == value.type for result in op.results)


class ShortenLifetimesPass(FunctionPass):
    """Moves the last reader of an array up to the reader before it, which frees the memory earlier.

    Two sums of the same terms, in sequence, are computed term by term: no term outlives its two
    readers.

    Before::

        x = np.exp(a)
        s = x * a
        y = np.exp(b)
        s = s + y * b
        t = x + y

    After::

        x = np.exp(a)
        s = x * a
        y = np.exp(b)
        t = x + y
        s = s + y * b

    in IR. The last reader of an array moves if the array is as large as its result, so no more
    memory is in use.

    Of two operands, the one whose computation needs more memory is computed first (Sethi and
    Ullman, The generation of optimal code for arithmetic expressions, 1970).

    Before::

        x = np.exp(a)
        y = np.sin(b) * np.cos(b)
        z = x - y

    After::

        y = np.sin(b) * np.cos(b)
        x = np.exp(a)
        z = x - y

    in IR, if by an estimate from the types of arrays the peak memory is lower; a value that a loop
    stores counts as computed in place (``write-into-results``).

    Nothing moves past an operation with effects, such as an assertion, past an extrinsic, into a
    loop or out of it.
    """

    name = "shorten-lifetimes"
    preserves = (memory_of, shapes_of, classes_of)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        shorten_lifetimes(function.body.block, analyses.get(memory_of, function))
