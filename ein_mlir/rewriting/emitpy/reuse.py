"""The operations that may overwrite an operand without later uses."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.emitpy.shared_memory import (
    Memory,
    Roots,
    memory_of,
    memory_with_scalars_of,
)
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import is_within, operations_in, operations_within
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.base import is_array
from ein_mlir.rewriting.emitpy.calls import (
    NUMPY,
    TORCH,
    WRITES,
    Forms,
    is_choice,
    is_copy,
    is_elementwise,
)
from ein_mlir.rewriting.emitpy.choices import choices_by_data


class _MemoryAtLoops(Memory):
    """Treats the results of a loop as fresh arrays, until their aliases are known."""

    def _aliased(self, value: SSAValue) -> Sequence[SSAValue] | None:
        return None if isinstance(value.owner, emitpy.ForOp) else super()._aliased(value)


def _memory_at_loops(function: func.FuncOp, analyses: AnalysisManager) -> Memory:
    return _MemoryAtLoops()


def _views_at_loops(function: func.FuncOp, analyses: AnalysisManager) -> Memory:
    return _MemoryAtLoops(scalars_are_views=True)


def memory_by(forms: Forms) -> Callable[[func.FuncOp, AnalysisManager], Memory]:
    """The analysis of memory for a library."""
    return memory_with_scalars_of if forms.scalars_are_views else memory_of


class ReusePlan:
    """Decides, in the order of execution, which operand each operation may overwrite.

    A block owns the arrays that are allocated in it, also in loops in it, and the accumulators of
    its loop that have no aliases (see ``_own_accumulators``). An operation may overwrite a whole
    array that its block owns and that has no later use, directly or through a view. Its result then
    has the same memory. A copy that is made for a store may take an array that the store reads.

    A selection overwrites elements only of an accumulator, or by a mask computed from positions:
    such masks have long runs. For masks of elements like ``x > 0``, NumPy is slower than with a new
    array.
    """

    def __init__(
        self,
        function: func.FuncOp,
        analyses: AnalysisManager,
        forms: Forms = NUMPY,
        *,
        assume_owned: bool = False,
    ):
        self.targets: dict[Operation, int] = {}
        """The operand that each operation is to overwrite; for a copy, the one that replaces it."""
        self.not_copied = set[SSAValue]()
        """The accumulators that a copy or a selection is to overwrite, which saves a new array."""
        self._assume_owned = assume_owned
        self._forms = forms
        self._memory = analyses.get(memory_by(forms), function)
        at_loops = _views_at_loops if forms.scalars_are_views else _memory_at_loops
        self._memory_at_loops = analyses.get(at_loops, function)
        self._parts = _parts(function, self._memory, assume_owned=assume_owned)
        self._function = function
        self._shared: dict[SSAValue, Roots] = {}
        self._owned = set[SSAValue]()
        self._last_reads = list[dict[SSAValue, int]]()
        self._block(function.body.block)

    @cached_property
    def _positional(self) -> set[SSAValue]:
        """The masks of positions, which are needed where there is a selection."""
        return _positional(self._function)

    def _block(self, block: Block) -> None:
        """Decide for the operations of a block, and of the loops in it."""
        self._last_reads.append(self._reads_of(block))
        for position, op in enumerate(block.ops):
            if isinstance(op, emitpy.ForOp):
                self._own_accumulators(op, position)
                self._block(op.body.block)
                for result in op.res:
                    self._share(result, self._roots(result))
            elif self._can_overwrite(op) and op.results[0].first_use is not None:
                self._choose(op, position)
        self._last_reads.pop()

    def _roots(self, value: SSAValue) -> Roots:
        """The arrays that a value may be, or be part of, given the decisions so far."""
        return self._resolve(self._memory.roots(value))

    def _resolve(self, roots: Roots) -> Roots:
        if self._shared.keys().isdisjoint(roots):
            return roots
        return Roots().union(*(self._shared.get(root, (root,)) for root in roots))

    def _share(self, value: SSAValue, roots: Roots) -> None:
        """Record that a value aliases other arrays, so that a read of it reads them."""
        self._shared[value] = roots
        for last in self._last_reads:
            read = last.get(value, -1)
            last.update({root: max(read, last.get(root, -1)) for root in roots})

    def _reads_of(self, block: Block) -> dict[SSAValue, int]:
        """The last operation of a block that reads each array, directly or in its regions.

        The captured values of a local function may be read until the block ends. Reads of sizes do
        not count: overwriting elements does not change sizes.
        """
        last = dict[SSAValue, int]()
        for position, op in enumerate(block.ops):
            at = sys.maxsize if isinstance(op, emitpy.DefOp) else position
            for inner in operations_in(op):
                for operand in () if reads_shape(inner) else inner._operands:
                    roots = self._memory_at_loops.roots(operand)
                    for root in self._resolve(roots) if roots else ():
                        last[root] = max(at, last.get(root, -1))
        return last

    def _can_overwrite(self, op: Operation) -> bool:
        """Whether an operation could write its result into an operand."""
        if isinstance(op, emitpy.CallOp) and op.callee.data in self._forms.into_others:
            return False
        return is_copy(op) or is_elementwise(op, self._forms) or is_choice(op)

    def _choose(self, op: Operation, position: int) -> None:
        """Choose the operand that an operation overwrites, preferably an accumulator."""
        operands = choice_operands(op) if is_choice(op) else range(len(op.operands))
        choices = [k for k in operands if self._is_free(op, k, position)]
        if is_choice(op) and op.operands[0] not in self._positional:
            choices = [k for k in choices if self._roots(op.operands[k]) & self._owned]
        if not choices:
            return
        operand = min(choices, key=lambda k: self._roots(op.operands[k]).isdisjoint(self._owned))
        roots = self._roots(op.operands[operand])
        self.targets[op] = operand
        if is_copy(op) or is_choice(op):
            self.not_copied |= roots & self._owned
        self._share(op.results[0], roots)

    def _is_free(self, op: Operation, operand: int, position: int) -> bool:
        """Whether an operation may overwrite an operand."""
        target = op.operands[operand]
        roots = self._roots(target)
        return (
            target.type == op.results[0].type
            and self._is_owned(target, position + self._steps_to_store(op), op.parent)
            and all(v is target or roots.isdisjoint(self._roots(v)) for v in op.operands)
        )

    def _steps_to_store(self, op: Operation) -> int:
        """The number of operations from a copy to a store to it, which may read the array.

        A store evaluates its value before it writes. 0 for other operations, and for libraries
        whose stores may not read what they overwrite.
        """
        if not (is_copy(op) and self._forms.copies_overlaps):
            return 0
        return len(steps_to_store(op))

    def _is_owned(self, value: SSAValue, position: int, block: Block | None) -> bool:
        """Whether a value is an array that a block owns and does not read after a position."""
        last = self._last_reads[-1]
        return (
            is_array(value)
            and value not in self._parts
            and all(
                last.get(root, -1) <= position
                and (
                    root in self._owned if _is_argument_of(root, block) else _is_within(root, block)
                )
                for root in self._roots(value)
            )
        )

    def _own_accumulators(self, loop: emitpy.ForOp, position: int) -> None:
        """Record the accumulators without aliases in any step.

        The block of the loop owns the initial value, which has no later use. In each step the next
        value is an array allocated in that step, or the previous value of such an accumulator; and
        no other carried value aliases it.
        """
        inits, steps = self._counted(loop.inits), self._counted(loop.yielded)
        read_inside = self._counted(
            [v for op in operations_within(loop.body.block) for v in op._operands]
        )
        owned = {
            accumulator
            for accumulator, init in zip(loop.accumulators, loop.inits, strict=True)
            if self._assume_owned
            or (
                self._is_owned(init, position, loop.parent)
                and all(inits[root] == 1 and root not in read_inside for root in self._roots(init))
            )
        }
        before = set[BlockArgument]()
        while owned != before:
            before = owned
            owned = {
                accumulator
                for accumulator, step in zip(loop.accumulators, loop.yielded, strict=True)
                if accumulator in before
                and step not in self._parts
                and all(
                    steps[root] == 1 and (root in before or _is_made_within(root, loop.body.block))
                    for root in self._roots(step)
                )
            }
        self._owned |= owned

    def _counted(self, values: Sequence[SSAValue]) -> Counter[SSAValue]:
        """The number of values, among some, that each array is part of."""
        return Counter(root for value in values for root in self._roots(value))


def _parts(function: func.FuncOp, memory: Memory, *, assume_owned: bool) -> set[SSAValue]:
    """The values that may be part of an array, or belong to the caller, in any step of a loop.

    Initial values do not count if accumulators are assumed to own them.
    """
    becomes = dict[SSAValue, list[SSAValue]]()
    work = list[SSAValue](function.body.block.args)
    for op in operations_in(function):
        if isinstance(op, emitpy.ForOp):
            accumulators = zip(op.inits, op.yielded, op.accumulators, op.res, strict=True)
            for init, step, accumulator, result in accumulators:
                for value in (step,) if assume_owned else (init, step):
                    becomes.setdefault(value, []).extend((accumulator, result))
        elif isinstance(op, emitpy.AugmentOp | emitpy.CallIntoOp | emitpy.StoreOp):
            becomes.setdefault(op.target, []).append(op.result)
        else:
            work += (result for result in op.results if not memory.is_fresh(result))
    found = set[SSAValue]()
    while work:
        value = work.pop()
        if value not in found:
            found.add(value)
            work += becomes.get(value, ())
    return found


def _positional(function: func.FuncOp) -> set[SSAValue]:
    """The arrays that are computed from positions and sizes alone."""
    found = set[SSAValue]()
    for op in operations_in(function):
        arrays = [operand for operand in op.operands if isa(operand.type, TensorType)]
        is_range = isinstance(op, emitpy.CallOp) and op.callee.data == "np.arange"
        if is_range or (arrays and not op.regions and found.issuperset(arrays)):
            found.update(op.results)
    return found


def _is_argument_of(root: SSAValue, block: Block | None) -> bool:
    return isinstance(root, BlockArgument) and root.block is block


def _is_made_within(root: SSAValue, block: Block) -> bool:
    """Whether an operation of a block, or of a loop in it, allocates an array."""
    return not _is_argument_of(root, block) and is_within(root, block)


def _is_within(root: SSAValue, block: Block | None) -> bool:
    return block is not None and is_within(root, block)


def steps_to_store(copy: Operation) -> Sequence[Operation]:
    """The operations behind a copy up to the first store to it, if nothing is written between."""
    found, later = list[Operation](), copy.next_op
    while later is not None and not later.regions:
        found.append(later)
        if isinstance(later, WRITES):
            is_store = isinstance(later, emitpy.StoreOp) and later.target is copy.results[0]
            return found if is_store else ()
        later = later.next_op
    return ()


def reads_shape(op: Operation | Block) -> bool:
    """``a.shape``"""
    return isinstance(op, emitpy.AttrOp) and op.attribute.data == "shape"


def choice_operands(op: Operation) -> Sequence[int]:
    """The operands that a selection can overwrite elements of, the better one first.

    For the other one the mask is negated, and must be an array.
    """
    return (2, 1) if isa(op.operands[0].type, TensorType) else (2,)


def drop_copies(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Remove the copies of arrays without later uses."""
    if not any(map(is_copy, operations_in(function))):
        return
    for op, operand in ReusePlan(function, analyses).targets.items():
        if is_copy(op):
            Rewriter.replace_op(op, (), (op.operands[operand],))


def has_temporaries(function: func.FuncOp) -> bool:
    """Whether operations of PyTorch could overwrite operands, or loops parts of accumulators, or
    selections read bits.
    """
    memory = Memory(scalars_are_views=True)
    return next(choices_by_data(function), None) is not None or any(
        _joins_in_loop(op)
        or (
            is_elementwise(op, TORCH)
            and any(
                value.type == op.results[0].type
                and value.has_one_use()
                and is_array(value)
                and memory.is_fresh(value)
                and not isinstance(value, BlockArgument)
                for value in op.operands
            )
        )
        for op in operations_in(function)
    )


def _joins_in_loop(op: Operation) -> bool:
    """Whether an operation joins arrays, or replaces a part of one, in a step of a loop."""
    return isinstance(op.parent_op(), emitpy.ForOp) and (
        isinstance(op, emitpy.StoreOp)
        or (
            isinstance(op, emitpy.CallOp | emitpy.HelperOp)
            and op.callee.data
            in ("torch.cat", "torch.joined", "torch.update", "torch.update_slice")
        )
    )
