"""``shorten-lifetimes``: what reads an array last comes early, so that its memory is free again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator, is_side_effect_free
from xdsl.utils.hints import isa

from ein_mlir.dialects import emitpy


def shorten_lifetimes(block: Block) -> None:
    """Reorder the operations of a block, and of the loops in it."""
    order, run = list[Operation](), list[Operation]()
    for op in list(block.ops):
        if isinstance(op, emitpy.ForOp):
            shorten_lifetimes(op.body.block)
        if is_side_effect_free(op) and not op.regions and not op.has_trait(IsTerminator):
            run.append(op)
        else:
            order.extend((*_Schedule(run).order(), op))
            run = []
    order.extend(_Schedule(run).order())
    for op in order:
        op.detach()
    block.add_ops(order)


class _Schedule:
    """An order of operations without effects: theirs, but that last readers follow at once."""

    def __init__(self, ops: Sequence[Operation]):
        self._ops = ops
        self._waiting = set(ops)
        self._readers: dict[SSAValue, dict[Operation, None]] = {
            result: dict.fromkeys(use.operation for use in result.uses)
            for op in ops
            for result in op.results
        }

    def order(self) -> Iterator[Operation]:
        """The operations, each behind what it reads."""
        for op in self._ops:
            pending = [op]
            while pending:
                current = pending.pop()
                if current in self._waiting:
                    self._waiting.remove(current)
                    for operand in current.operands:
                        self._readers.get(operand, {}).pop(current, None)
                    yield current
                    pending.extend(filter(self._is_due, self._candidates(current)))

    def _candidates(self, op: Operation) -> Iterator[Operation]:
        """What may be due behind an operation: readers of its result, the last of its operands."""
        for result in op.results:
            yield from self._readers[result]
        for operand in op.operands:
            left = self._readers.get(operand, ())
            if len(left) == 1:
                yield from left

    def _is_due(self, op: Operation) -> bool:
        """Whether an operation can follow now, the last to read an array as large as its own."""
        if op not in self._waiting or self._waiting.intersection(map(_producer, op.operands)):
            return False
        return any(
            list(self._readers.get(operand, ())) == [op] and _is_as_large(operand, op)
            for operand in op.operands
        )


def _producer(value: SSAValue) -> Operation | None:
    return value.op if isinstance(value, OpResult) else None


def _is_as_large(value: SSAValue, op: Operation) -> bool:
    """Whether the types tell that an array has as many elements as the results of an operation."""
    return isa(value.type, TensorType) and all(result.type == value.type for result in op.results)


class ShortenLifetimesPass(ModulePass):
    """Moves what reads an array last to where it was read before, so that its memory is free.

    Two sums of the same terms, one behind the other, are added up side by side: no term outlives
    its two readers.

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

    in IR. A reader moves that is the last one of an array as large as what it makes itself, so that
    no more memory is in use. Nothing moves past an operation that has effects, as an assertion has,
    nor into a loop or out of it.
    """

    name = "shorten-lifetimes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                shorten_lifetimes(function.body.block)
