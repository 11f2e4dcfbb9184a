"""``emitpy-free-early``: arrays are released after their last use, not when the function ends."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.emitpy.nesting import nests_in_use
from ein_mlir.analysis.emitpy.shared_memory import Memory, Roots, memory_of
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.base import is_array
from ein_mlir.rewriting.passes import FunctionPass


def free_early(block: Block, memory: Memory, *, allocates_later: bool = False) -> None:
    """Insert ``emitpy.del`` in a block, and in the loops in it.

    ``allocates_later``: whether arrays are allocated after the block.
    """
    operations = list(block.ops)
    positions = {op: position for position, op in enumerate(operations)}
    last_allocation = max(
        (positions[op] for op in operations if _allocates(op, memory)), default=-1
    )
    is_step = isinstance(block.parent_op(), emitpy.ForOp)
    if is_step and (allocates_later or last_allocation >= 0):
        last_allocation = len(operations) - 1  # the next step, or a later operation, allocates
    for op in operations:
        if isinstance(op, emitpy.ForOp):
            later = positions[op] < last_allocation
            free_early(op.body.block, memory, allocates_later=later)
    lifetimes = _Lifetimes(block, positions, memory)
    dead = dict[int, list[SSAValue]]()
    for op in operations:
        for result in op.results:
            place = lifetimes.end(result)
            if place is not None and place < last_allocation:
                dead.setdefault(place, []).append(result)
    for place, values in dead.items():
        Rewriter.insert_op(emitpy.DelOp(*values), InsertPoint.after(operations[place]))


class _Lifetimes:
    """The live ranges of the arrays of a block."""

    def __init__(self, block: Block, positions: dict[Operation, int], memory: Memory):
        self._block, self._positions, self._memory = block, positions, memory
        self._last_use = dict[SSAValue, int]()
        self._last_read = dict[SSAValue, int]()
        self._last_start = dict[SSAValue, int]()
        self._continued = set[SSAValue]()
        for op, position in reversed(positions.items()):
            for result in op.results:
                self._note(result)
            if isinstance(op, emitpy.ForOp):
                for root in Roots().union(*map(memory.roots, op.inits)):
                    self._last_start.setdefault(root, position)
        # Sizes of an array that has been overwritten since are read from the same variable.
        for op in positions:
            if isinstance(op, _IN_PLACE) and op.target in self._last_read:
                read = self._last_read[op.target]
                self._last_read[op.result] = max(read, self._last_read[op.result])

    def _note(self, result: OpResult) -> None:
        """Record the reads of a value, also after operations in place, and the uses of an array
        that is allocated in the block, also through views.
        """
        read = self._positions[result.op]
        for use in result.uses:
            op = use.operation
            read = max(read, self._positions[_ancestor(op, self._block)])
            if isinstance(op, emitpy.ForOp) and use.index > 0:
                self._continued.add(result)
            elif isinstance(op, _IN_PLACE) and op.target is result and op in self._positions:
                read = max(read, self._last_read[op.result])
                if op.result in self._continued:
                    self._continued.add(result)
        self._last_read[result] = read
        for root in self._memory.roots(result):
            if isinstance(root, OpResult) and is_within(root, self._block):
                self._last_use[root] = max(read, self._last_use.get(root, -1))

    def end(self, result: OpResult) -> int | None:
        """The position where a value can be deleted: the last use of its memory and of its aliases.

        An accumulator lives on, but a view of it keeps the memory that it has in this step. An
        array is free after the first step of a loop whose initial value is a view of it.
        """
        if _is_left_over(result):
            return self._positions[result.op]
        roots = self._memory.roots(result)
        if not roots or not _is_variable(result):
            return None
        read = self._last_read[result]
        if all(root in self._last_use for root in roots):
            starts = any(self._last_start.get(root, -1) > read for root in roots)
            if starts and result not in self._continued:
                return read
            return max(self._last_use[root] for root in roots)
        is_own = all(root.owner is self._block for root in roots)
        return read if is_own and not isinstance(result.op, _VARIABLES) else None


def _ancestor(op: Operation, block: Block) -> Operation:
    while op.parent is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


def _allocates(op: Operation, memory: Memory) -> bool:
    """Whether an operation allocates an array."""
    return isinstance(op, emitpy.ForOp) or any(
        is_array(result) and result in memory.roots(result) for result in op.results
    )


def _is_left_over(result: OpResult) -> bool:
    """Whether an array is in a variable after a loop, and is unused."""
    is_unused = result.first_use is None
    return is_unused and isinstance(result.op, emitpy.ForOp) and is_array(result)


def _is_variable(result: OpResult) -> bool:
    """Whether an array will be held by a variable, as it would not be inside an expression."""
    if not is_array(result) or result.first_use is None:
        return False
    return isinstance(result.op, _VARIABLES) or not nests_in_use(result)


_IN_PLACE = (emitpy.AugmentOp, emitpy.CallIntoOp, emitpy.StoreOp)
"""Operations whose results are the arrays that they overwrite."""

_VARIABLES = (*_IN_PLACE, emitpy.ForOp)
"""Operations whose results are always in variables."""


class EmitpyFreeEarlyPass(FunctionPass):
    """Deletes arrays after their last use if the function allocates other arrays later.

    Before::

        def f(a):
            big = np.exp(a)
            s = (big * big).sum(axis=0)
            return np.outer(s, s)

    After::

        def f(a):
            big = np.exp(a)
            s = (big * big).sum(axis=0)
            del big
            return np.outer(s, s)

    in IR, with ``emitpy.del %big`` after the last operation that reads ``%big`` or a view of it. If
    the initial value of a loop is a view, the array is deleted before the loop, and its memory is
    released with the view. Unused results of loops are deleted, too. The next step of a loop
    allocates its arrays anew, so all arrays that are not carried are deleted. Values without a name
    that are read once have no variable: there is nothing to delete.
    """

    name = "emitpy-free-early"
    preserves = (memory_of,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        free_early(function.body.block, analyses.get(memory_of, function))
