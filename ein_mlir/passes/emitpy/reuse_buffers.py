"""``reuse-buffers``: elementwise operations write into arrays that nobody needs any more."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from typing import TypeGuard

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from ein_mlir.analysis.emitpy.shared_memory import Memory, Roots
from ein_mlir.backends.numpy.tables import OPERATOR_UFUNCS, UFUNCS, UNARY_UFUNCS
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.names import AUGMENTED_OPERATORS

WRITES = (emitpy.AugmentOp, emitpy.CallIntoOp, emitpy.StoreOp)
"""Operations that overwrite an array."""

COMMUTATIVE = frozenset("+*&|^")
"""Operators whose operands may change places."""


def reuse_buffers(function: func.FuncOp) -> None:
    """Rewrite the operations of a function that can overwrite an operand; drop needless copies."""
    _write_into_parts(function)
    _copy_initial_values(function)
    for op, operand in ReusePlan(function).targets.items():
        if _is_copy(op):
            Rewriter.replace_op(op, (), (op.operands[operand],))
        elif is_choice(op):
            _choose_in_place(op, operand)
        else:
            _replace(op, _in_place(op, operand))


def _replace(op: Operation, replacement: emitpy.AugmentOp | emitpy.CallIntoOp) -> None:
    replacement.location = op.location
    replacement.result.name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, replacement)


def drop_copies(function: func.FuncOp) -> None:
    """Drop the copies of arrays that nothing needs any more."""
    for op, operand in ReusePlan(function).targets.items():
        if _is_copy(op):
            Rewriter.replace_op(op, (), (op.operands[operand],))


def _write_into_parts(function: func.FuncOp) -> None:
    """``a[i:j] = f(x) --> f(x, out=a[i:j])``, where ``f`` calls a ufunc that nothing else needs.

    ``a[i:j] = np.where(c, x, a[i:j])`` replaces elements, as it does for all of an array.
    """
    for store in [op for op in function.walk() if isinstance(op, emitpy.StoreOp)]:
        op = store.value.owner
        if not isinstance(op, Operation) or not _is_all_of_part(op, store):
            continue
        if is_elementwise(op):
            _replace(store, call_into(op, store.target, store.indices))
            Rewriter.erase_op(op)
        elif is_choice(op):
            kept = (k for k in _choice_operands(op) if _is_place(op.operands[k], store))
            if (operand := next(kept, None)) is not None:
                _choose_in_place(op, operand, store)


def _is_all_of_part(op: Operation, store: emitpy.StoreOp) -> bool:
    """Whether the result of an operation is what slices of an array become, and nothing else."""
    return (
        isa(store.value.type, TensorType)
        and isa(store.target.type, TensorType)
        and store.value.type.element_type == store.target.type.element_type
        and store.value.has_one_use()
        and store.condition is None
        and all(isinstance(index.owner, emitpy.SliceOp) for index in store.indices)
        and _directly_before(op, store)
    )


def _is_place(value: SSAValue, store: emitpy.StoreOp) -> bool:
    """Whether a value is the part of an array that is stored to, with its elements before."""
    op = value.owner
    return (
        isinstance(op, emitpy.SubscriptOp)
        and op.object is store.target
        and value.type == store.value.type
        and len(op.indices) == len(store.indices)
        and all(map(_is_same_slice, op.indices, store.indices))
    )


def _is_same_slice(index: SSAValue, other: SSAValue) -> bool:
    slices = index.owner, other.owner
    return index is other or (
        isinstance(slices[0], emitpy.SliceOp)
        and isinstance(slices[1], emitpy.SliceOp)
        and list(slices[0].bounds) == list(slices[1].bounds)
    )


def _directly_before(op: Operation, later: Operation) -> bool:
    """Whether no array is overwritten between an operation and a later one in its block."""
    current = op.next_op
    while current is not None and current is not later:
        if any(isinstance(inner, WRITES) for inner in current.walk()):
            return False
        current = current.next_op
    return current is later


def _copy_initial_values(function: func.FuncOp) -> None:
    """Copy what accumulators start as, before a loop, where that saves a copy in each step.

    These are the accumulators of which some elements could be replaced in place, if they were the
    loop's alone.
    """
    loops = [op for op in function.walk() if isinstance(op, emitpy.ForOp)]
    if not any(_replaces_some(op) for loop in loops for op in loop.body.walk()):
        return
    plan = ReusePlan(function, assume_owned=True)
    for loop in loops:
        for number, accumulator in enumerate(loop.accumulators):
            if accumulator in plan.not_copied:
                init = loop.inits[number]
                copy = emitpy.MethodOp(init, "copy", (), init.type)
                copy.location = loop.location
                copy.result.name_hint = accumulator.name_hint
                Rewriter.insert_op(copy, InsertPoint.before(loop))
                loop.operands[1 + number] = copy.result


def _replaces_some(op: Operation) -> bool:
    is_part = isinstance(op, emitpy.CallIntoOp) and bool(op.indices)
    return is_part or isinstance(op, emitpy.StoreOp) or is_choice(op)


# What can be overwritten ----------------------------------------------------------------------


class _MemoryAtLoops(Memory):
    """Takes the results of a loop for new arrays, until it is known what they share."""

    def _compute(self, value: SSAValue) -> Roots:
        return Roots((value,)) if isinstance(value.owner, emitpy.ForOp) else super()._compute(value)


class ReusePlan:
    """Decides, in the order of execution, which operand each operation may overwrite.

    A block owns the arrays that are made in it, also in loops in it, and the accumulators of its
    loop that are its alone (see ``_own_accumulators``). An operation may overwrite an array that
    its block owns, whole, and that nobody reads afterwards, directly or through a view. Its result
    then stands for the same memory.

    A choice replaces elements of an accumulator, or where positions tell which: such masks have
    long runs. For masks of elements like ``x > 0``, NumPy takes longer than for a new array.
    """

    def __init__(self, function: func.FuncOp, *, assume_owned: bool = False):
        self.targets: dict[Operation, int] = {}
        """The operand that each operation is to overwrite; for a copy, the one that it is to be."""
        self.not_copied = set[SSAValue]()
        """The accumulators of which an operation makes a new array and need not."""
        self._assume_owned = assume_owned
        self._memory, self._memory_at_loops = Memory(), _MemoryAtLoops()
        self._parts = _parts(function, self._memory, assume_owned=assume_owned)
        self._positional = _positional(function)
        self._shared: dict[SSAValue, Roots] = {}
        self._owned = set[SSAValue]()
        self._last_reads = list[dict[SSAValue, int]]()
        self._block(function.body.block)

    def _block(self, block: Block) -> None:
        """Decide for the operations of a block, and of the loops in it."""
        self._last_reads.append(self._reads_of(block))
        for position, op in enumerate(block.ops):
            if isinstance(op, emitpy.ForOp):
                self._own_accumulators(op, position)
                self._block(op.body.block)
                for result in op.res:
                    self._share(result, self._roots(result))
            elif _can_overwrite(op) and op.results[0].first_use is not None:
                self._choose(op, position)
        self._last_reads.pop()

    def _roots(self, value: SSAValue) -> Roots:
        """The arrays that a value may be, or be part of, given what was decided so far."""
        return self._resolve(self._memory.roots(value))

    def _resolve(self, roots: Roots) -> Roots:
        return Roots().union(*(self._shared.get(root, (root,)) for root in roots))

    def _share(self, value: SSAValue, roots: Roots) -> None:
        """Note that a value stands for other arrays, so that reading it is reading them."""
        self._shared[value] = roots
        for last in self._last_reads:
            read = last.get(value, -1)
            last.update({root: max(read, last.get(root, -1)) for root in roots})

    def _reads_of(self, block: Block) -> dict[SSAValue, int]:
        """The last operation of a block that reads each array, itself or in its regions.

        What a local function reads may be read until the block ends. Sizes stay when elements are
        overwritten.
        """
        last = dict[SSAValue, int]()
        for position, op in enumerate(block.ops):
            at = sys.maxsize if isinstance(op, emitpy.DefOp) else position
            for inner in op.walk():
                for operand in () if _reads_shape(inner) else inner.operands:
                    for root in self._resolve(self._memory_at_loops.roots(operand)):
                        last[root] = max(at, last.get(root, -1))
        return last

    def _choose(self, op: Operation, position: int) -> None:
        """Let an operation overwrite an operand, an accumulator first."""
        operands = _choice_operands(op) if is_choice(op) else range(len(op.operands))
        choices = [k for k in operands if self._is_free(op, k, position)]
        if is_choice(op) and op.operands[0] not in self._positional:
            choices = [k for k in choices if self._roots(op.operands[k]) & self._owned]
        if not choices:
            return
        operand = min(choices, key=lambda k: self._roots(op.operands[k]).isdisjoint(self._owned))
        roots = self._roots(op.operands[operand])
        self.targets[op] = operand
        if _is_copy(op) or is_choice(op):
            self.not_copied |= roots & self._owned
        self._share(op.results[0], roots)

    def _is_free(self, op: Operation, operand: int, position: int) -> bool:
        """Whether an operation may overwrite an operand."""
        target = op.operands[operand]
        roots = self._roots(target)
        return (
            target.type == op.results[0].type
            and self._is_owned(target, position, op.parent)
            and all(v is target or roots.isdisjoint(self._roots(v)) for v in op.operands)
        )

    def _is_owned(self, value: SSAValue, position: int, block: Block | None) -> bool:
        """Whether a value is an array that a block owns and does not read after a position."""
        last = self._last_reads[-1]
        return (
            _is_array(value)
            and value not in self._parts
            and all(
                last.get(root, -1) <= position
                and (root in self._owned if _is_argument_of(root, block) else _within(root, block))
                for root in self._roots(value)
            )
        )

    def _own_accumulators(self, loop: emitpy.ForOp, position: int) -> None:
        """Note the accumulators whose memory no other value shares, in any step.

        Before the loop its initial value is owned, and is not read any more. In each step the next
        value is an array made in that step, or what an accumulator of this kind was; and nothing
        else that the step hands on shares its memory.
        """
        inits, steps = self._counted(loop.inits), self._counted(yielded(loop))
        read_inside = self._counted([v for op in loop.body.block.walk() for v in op.operands])
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
                for accumulator, step in zip(loop.accumulators, yielded(loop), strict=True)
                if accumulator in before
                and step not in self._parts
                and all(
                    steps[root] == 1 and (root in before or _is_made_within(root, loop.body.block))
                    for root in self._roots(step)
                )
            }
        self._owned |= owned

    def _counted(self, values: Sequence[SSAValue]) -> Counter[SSAValue]:
        """How many of some values each array is part of."""
        return Counter(root for value in values for root in self._roots(value))


def _parts(function: func.FuncOp, memory: Memory, *, assume_owned: bool) -> set[SSAValue]:
    """The values that may be part of an array, or belong to the caller, in any step of a loop.

    Initial values do not count where accumulators are taken to own them.
    """
    becomes = dict[SSAValue, list[SSAValue]]()
    work = list[SSAValue](function.body.block.args)
    for op in function.walk():
        if isinstance(op, emitpy.ForOp):
            accumulators = zip(op.inits, yielded(op), op.accumulators, op.res, strict=True)
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
    for op in function.walk():
        arrays = [operand for operand in op.operands if isa(operand.type, TensorType)]
        is_range = isinstance(op, emitpy.CallOp) and op.callee.data == "np.arange"
        if is_range or (arrays and not op.regions and found.issuperset(arrays)):
            found.update(op.results)
    return found


def yielded(loop: emitpy.ForOp) -> Sequence[SSAValue]:
    """What a step of a loop hands on."""
    terminator = loop.body.block.last_op
    assert isinstance(terminator, emitpy.YieldOp)
    return terminator.values


def _is_array(value: SSAValue) -> bool:
    return isa(value.type, TensorType) and value.type.get_num_dims() > 0


def _is_argument_of(root: SSAValue, block: Block | None) -> bool:
    return isinstance(root, BlockArgument) and root.block is block


def _is_made_within(root: SSAValue, block: Block) -> bool:
    """Whether an array is made by an operation of a block, or of a loop in it."""
    return not _is_argument_of(root, block) and _within(root, block)


def _within(root: SSAValue, block: Block | None) -> bool:
    current = root.block if isinstance(root, BlockArgument) else root.owner.parent
    while current is not None and current is not block:
        current = current.parent_block()
    return current is not None


# The operations -------------------------------------------------------------------------------


def _can_overwrite(op: Operation) -> bool:
    """Whether an operation could put its result where an operand is."""
    return _is_copy(op) or is_elementwise(op) or is_choice(op)


def _reads_shape(op: Operation) -> bool:
    """``a.shape``"""
    return isinstance(op, emitpy.AttrOp) and op.attribute.data == "shape"


def _is_copy(op: Operation) -> bool:
    """``a.copy()``"""
    return isinstance(op, emitpy.MethodOp) and op.method.data == "copy"


def is_choice(op: Operation) -> bool:
    """``np.where(c, x, y)``"""
    return isinstance(op, emitpy.CallOp) and op.callee.data == "np.where" and len(op.operands) == 3


def is_clipped_take(op: Operation) -> TypeGuard[emitpy.CallOp]:
    """``np.take(a, p, axis=0, mode="clip")``: without the mode, NumPy copies before it writes."""
    return (
        isinstance(op, emitpy.CallOp)
        and op.callee.data == "np.take"
        and op.keyword_arguments.keys() == {"axis", "mode"}
    )


def _choice_operands(op: Operation) -> Sequence[int]:
    """The operands of which a choice can replace elements, the better one first.

    For the other one the mask must be negated: it must be an array.
    """
    return (2, 1) if isa(op.operands[0].type, TensorType) else (2,)


def is_elementwise(op: Operation) -> bool:
    """Whether an operation is a ufunc of NumPy, in one form or another."""
    match op:
        case emitpy.BinaryOp():
            return op.operator.data in OPERATOR_UFUNCS
        case emitpy.UnaryOp():
            return op.operator.data in UNARY_UFUNCS
        case emitpy.CallOp():
            return op.callee.data in UFUNCS and op.keywords is None
        case _:
            return False


def _in_place(op: Operation, operand: int) -> emitpy.AugmentOp | emitpy.CallIntoOp:
    """The operation that overwrites an operand."""
    target = op.operands[operand]
    if isinstance(op, emitpy.BinaryOp):
        operator = op.operator.data
        if operator in AUGMENTED_OPERATORS and (operand == 0 or operator in COMMUTATIVE):
            return emitpy.AugmentOp(target, operator, op.operands[1 - operand])
    return call_into(op, target)


def call_into(
    op: Operation, target: SSAValue, indices: Sequence[SSAValue] = ()
) -> emitpy.CallIntoOp:
    """The call that puts the result of an operation into an array, or a part of one.

    The operation is elementwise, or ``np.take`` with ``mode="clip"``.
    """
    if is_clipped_take(op):
        keywords = op.keyword_arguments
        return emitpy.CallIntoOp(target, op.callee.data, op.positional, indices, keywords)
    return emitpy.CallIntoOp(target, _function(op), op.operands, indices)


def _function(op: Operation) -> str:
    """The ufunc that an elementwise operation calls."""
    match op:
        case emitpy.BinaryOp():
            return OPERATOR_UFUNCS[op.operator.data]
        case emitpy.UnaryOp():
            return UNARY_UFUNCS[op.operator.data]
        case emitpy.CallOp():
            return op.callee.data
        case _:
            raise AssertionError(op.name)


def _choose_in_place(op: Operation, operand: int, store: emitpy.StoreOp | None = None) -> None:
    """``np.where(c, x, y) --> np.copyto(y, x, where=c)``, ``np.copyto(x, y, where=~c)``

    Where ``x`` is what a ufunc ``f`` gives, and nothing else needs it: ``f(z, out=y, where=c)``.
    What is stored in the place of the operand itself is written there.
    """
    condition, if_true, if_false = op.operands
    target, value = (if_false, if_true) if operand == 2 else (if_true, if_false)
    if operand == 1:
        negation = emitpy.UnaryOp("~", condition, condition.type)
        negation.location = op.location
        Rewriter.insert_op(negation, InsertPoint.before(op))
        condition = negation.result
    maker = value.owner
    call = None
    if isinstance(maker, Operation) and value.has_one_use() and value.type == target.type:
        call = _ufunc_call(maker) if _directly_before(maker, op) else None
    function, operands = call or ("np.copyto", (value,))
    mask = {"where": condition}
    if store is None:
        _replace(op, emitpy.CallIntoOp(target, function, operands, keywords=mask))
    else:
        _replace(store, emitpy.CallIntoOp(store.target, function, operands, store.indices, mask))
        Rewriter.erase_op(op)
    if call is not None and isinstance(maker, Operation):
        Rewriter.erase_op(maker)


def _ufunc_call(op: Operation) -> tuple[str, Sequence[SSAValue]] | None:
    """The ufunc whose result an operation is, and its operands; None if it is no such."""
    match op:
        case emitpy.AugmentOp():
            return OPERATOR_UFUNCS[op.operator.data], (op.target, op.value)
        case emitpy.CallIntoOp() if not op.indices and op.keywords is None:
            return op.callee.data, op.arguments
        case _:
            return (_function(op), op.operands) if is_elementwise(op) else None


class ReuseBuffersPass(ModulePass):
    """Lets elementwise operations of NumPy overwrite operands of the same type that are dead.

    A copy of an array that is dead is dropped, so that what is stored to is the array itself.
    ``np.where(c, f(x), y)`` becomes ``f(x, out=y, where=c)``, or a masked copy into ``y``.

    Before::

        func.func @f(%a: tensor<?xf64>) -> tensor<?xf64> {
          %b = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
          %c = emitpy.binary %b "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
          %d = emitpy.call "np.abs"(%c) : (tensor<?xf64>) -> tensor<?xf64>
          func.return %d : tensor<?xf64>
        }

    After::

        func.func @f(%a: tensor<?xf64>) -> tensor<?xf64> {
          %b = emitpy.call "np.exp"(%a) : (tensor<?xf64>) -> tensor<?xf64>
          %c = emitpy.augment %b "+" %a : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
          %d = emitpy.call_into %c "np.abs"(%c) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
          func.return %d : tensor<?xf64>
        }

    Operands of the same type have the same shape: that is what sizes that are not written mean in
    the array calculus. A pass that merges equal values, such as ``cse``, must run before: two
    arrays of zeros are different once one of them is overwritten.
    """

    name = "reuse-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.ops:
            if isinstance(function, func.FuncOp) and not function.is_declaration:
                reuse_buffers(function)
