"""``reuse-buffers``: elementwise operations write into arrays without later uses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, cast

from typing_extensions import TypeIs
from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.emitpy.shapes import NEW_ARRAYS
from ein_mlir.analysis.emitpy.shared_memory import Memory, Roots
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import (
    dependents,
    operands_within,
    operations_in,
    operations_of,
    reached,
)
from ein_mlir.backends.numpy.tables import OPERATOR_UFUNCS
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.emitpy.base import is_array
from ein_mlir.dialects.emitpy.names import AUGMENTED_OPERATORS
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.emitpy.calls import (
    COMMUTATIVE,
    NUMPY,
    TORCH,
    WRITES,
    Forms,
    call_into,
    is_choice,
    is_copy,
    is_elementwise,
    is_empty,
    replace_in_place,
    ufunc_of,
)
from ein_mlir.rewriting.emitpy.parts import compute_into, new_axes_of
from ein_mlir.rewriting.emitpy.reuse import (
    ReusePlan,
    choice_operands,
    memory_by,
    reads_shape,
    steps_to_store,
)
from ein_mlir.rewriting.passes import FunctionPass

FORMS = {"numpy": NUMPY, "torch": TORCH}


def reuse_buffers(function: func.FuncOp, analyses: AnalysisManager, forms: Forms) -> None:
    """Rewrite operations of a function that can overwrite an operand; remove needless copies."""
    if _start_from_carried(function, analyses, forms):
        analyses.invalidate(function)
    if _write_into_parts(function, analyses, forms):
        analyses.invalidate(function)
    _sink_copies(function, analyses.get(memory_by(forms), function))
    _copy_parts(function, analyses, forms)
    copied = set[SSAValue]()
    while _copy_initial_values(function, analyses, forms, copied):
        analyses.invalidate(function)
    for op, operand in ReusePlan(function, analyses, forms).targets.items():
        if is_copy(op):
            Rewriter.replace_op(op, (), (op.operands[operand],))
        elif is_choice(op):
            _choose_in_place(op, operand)
        else:
            replace_in_place(op, _in_place(op, operand, forms))
    _fill_anew(function)


def _fill_anew(function: func.FuncOp) -> None:
    """``a = np.zeros(n); b = a.copy()  -->  b = np.zeros(n)``, in memory that is not read before"""
    for op in operations_in(function):
        fill = op.operands[0].owner if is_copy(op) else None
        if isinstance(fill, emitpy.CallOp) and fill.callee.data in NEW_ARRAYS:
            anew = copy_of(fill, {})
            anew.results[0].name_hint = op.results[0].name_hint
            Rewriter.replace_op(op, anew)
            if fill.result.first_use is None:
                Rewriter.erase_op(fill)


def _start_from_carried(function: func.FuncOp, analyses: AnalysisManager, forms: Forms) -> bool:
    """Let an inner loop that chooses between new elements of an array and old ones replace some.

    ``b = empty; for s: b[s] = where(c, x, a[s])  -->  b = copy(a); for s: ... where(c, x, b[s])``
    for an array ``a`` that an outer loop carries, without later reads.
    """
    memory, has_changed = analyses.get(memory_by(forms), function), False
    for loop in [op for op in operations_in(function) if isinstance(op, emitpy.ForOp)]:
        for number, array in enumerate(loop.accumulators):
            carried = _carried_choice(loop, number)
            reads = None if carried is None else _places_read(loop, number, carried, memory)
            if carried is None or reads is None:
                continue
            has_changed = True
            copy = emitpy.MethodOp(carried, forms.copy, (), carried.type)
            copy.location = loop.location
            Rewriter.insert_op(copy, InsertPoint.before(loop))
            empty = loop.inits[number]
            loop.operands[1 + number] = copy.result
            if empty.first_use is None and isinstance(empty.owner, Operation):
                Rewriter.erase_op(empty.owner)
            for read in reads:
                read.operands[0] = array
    return has_changed


def _carried_choice(loop: emitpy.ForOp, number: int) -> SSAValue | None:
    """The array carried by the loop around, between whose parts and others each step chooses."""
    store, outer = loop.yielded[number].owner, loop.parent_op()
    if not isinstance(store, emitpy.StoreOp) or not isinstance(outer, emitpy.ForOp):
        return None
    choice = store.value.owner
    if store.target is not loop.accumulators[number] or not isinstance(choice, Operation):
        return None
    for operand in choice_operands(choice) if is_choice(choice) else ():
        part = choice.operands[operand].owner
        if isinstance(part, emitpy.SubscriptOp) and part.object in outer.accumulators:
            return part.object if part.object.type == store.target.type else None
    return None


def _places_read(
    loop: emitpy.ForOp, number: int, carried: SSAValue, memory: Memory
) -> list[Operation] | None:
    """The reads of a carried array from a loop on, if all are of the parts that it replaces."""
    init, store = loop.inits[number].owner, loop.yielded[number].owner
    if not isinstance(init, Operation) or not is_empty(init):
        return None
    assert isinstance(store, emitpy.StoreOp)
    places, op = list[Operation](), cast(Operation | None, loop)
    while op is not None:
        for inner in operations_in(op):
            if _is_place(inner, carried, store):
                places.append(inner)
            elif not reads_shape(inner) and any(
                carried in memory.roots(value) and value.owner not in places
                for value in inner.operands
            ):
                return None
        op = op.next_op
    return places


def _write_into_parts(function: func.FuncOp, analyses: AnalysisManager, forms: Forms) -> bool:
    """``a[i:j] = f(x) --> f(x, out=a[i:j])``, for the only use of a ufunc ``f``.

    ``a[i:j] = np.where(c, x, a[i:j])`` is a masked write, as for a whole array. A value that reads
    an accumulator before a store to a copy of it stays: then the copy may be left out. A function
    of PyTorch, which repeats no result in its place, is called by a helper.
    """
    stores = [op for op in operations_in(function) if isinstance(op, emitpy.StoreOp)]
    memory, has_changed = analyses.get(memory_by(forms), function), False
    for store in stores:
        view = None if forms.fills_larger else new_axes_of(store.value)
        op = (store.value if view is None else view.object).owner
        if not isinstance(op, Operation) or not _is_all_of_part(op, store, memory):
            continue
        if _reads_copied(op, store, memory):
            continue
        if is_elementwise(op, forms):
            if not forms.copies_overlaps and _reads_elsewhere(op, store, memory):
                continue
            if view is not None or (not forms.fills_larger and _may_be_smaller(store)):
                call = compute_into(op, store, view)
            else:
                call = call_into(op, store.target, store.indices, forms)
            if call is not None:
                has_changed = True
                unused = [] if view is None else [view]
                replace_in_place(store, call)
                for each in (*unused, op):
                    Rewriter.erase_op(each)
        elif is_choice(op):
            kept = (k for k in choice_operands(op) if _is_overwritten(op.operands[k], store))
            if (operand := next(kept, None)) is not None:
                has_changed = True
                _choose_in_place(op, operand, store)
    return has_changed


def _is_all_of_part(op: Operation, store: emitpy.StoreOp, memory: Memory) -> bool:
    """Whether the only use of the result of an operation is a store to slices of an array."""
    return (
        isa(store.value.type, TensorType)
        and isa(store.target.type, TensorType)
        and store.value.type.element_type == store.target.type.element_type
        and store.value.has_one_use()
        and store.condition is None
        and all(isinstance(index.owner, emitpy.SliceOp) for index in store.indices)
        and _directly_before(op, store, memory)
    )


def _may_be_smaller(store: emitpy.StoreOp) -> bool:
    """Whether a stored array may be repeated in its place, along an axis of size 1 or a new one."""
    value, target = store.value.type, store.target.type
    assert isa(value, TensorType)
    assert isa(target, TensorType)
    own, whole = value.get_shape(), target.get_shape()
    return len(own) != len(whole) or any(
        size == 1 != other for size, other in zip(own, whole, strict=True)
    )


def _reads_copied(op: Operation, store: emitpy.StoreOp, memory: Memory) -> bool:
    """Whether an operation reads an accumulator that a store has copied, or one before it."""
    copied = store.target
    while isinstance(owner := copied.owner, Operation):
        if not isinstance(owner, emitpy.StoreOp) and not is_copy(owner):
            return False
        copied = owner.operands[0]
    return copied is not store.target and any(
        not memory.roots(copied).isdisjoint(memory.roots(value)) for value in op.operands
    )


def _reads_elsewhere(op: Operation, store: emitpy.StoreOp, memory: Memory) -> bool:
    """Whether an operation reads the array of a store, but for the place that is overwritten."""
    written = memory.roots(store.target)
    return any(
        not _is_overwritten(value, store) and not written.isdisjoint(memory.roots(value))
        for value in op.operands
    )


def _is_overwritten(value: SSAValue, store: emitpy.StoreOp) -> bool:
    """Whether a value is the part of an array that a store overwrites, before the store."""
    op = value.owner
    return isinstance(op, Operation) and _is_place(op, store.target, store)


def _is_place(op: Operation, array: SSAValue, store: emitpy.StoreOp) -> bool:
    """Whether an operation reads the part of an array that a store overwrites in its own."""
    return (
        isinstance(op, emitpy.SubscriptOp)
        and op.object is array
        and op.result.type == store.value.type
        and len(op.indices) == len(store.indices)
        and all(map(_is_same_slice, op.indices, store.indices))
    )


def _is_same_slice(index: SSAValue, other: SSAValue) -> bool:
    slices = index.owner, other.owner
    return index is other or (
        isinstance(slices[0], emitpy.SliceOp)
        and isinstance(slices[1], emitpy.SliceOp)
        and len(slices[0].bounds) == len(slices[1].bounds)
        and all(map(_is_same_bound, slices[0].bounds, slices[1].bounds))
    )


def _is_same_bound(bound: SSAValue, other: SSAValue) -> bool:
    ops = bound.owner, other.owner
    return bound is other or (
        isinstance(ops[0], emitpy.LiteralOp)
        and isinstance(ops[1], emitpy.LiteralOp)
        and ops[0].value == ops[1].value
    )


def _directly_before(op: Operation, later: Operation, memory: Memory | None = None) -> bool:
    """Whether no array is overwritten between an operation and a later one in its block.

    Given the memory of values, no array that the operation reads.
    """
    read = None if memory is None else Roots().union(*map(memory.roots, op.operands))
    current = op.next_op
    while current is not None and current is not later:
        for inner in operations_in(current):
            if isinstance(inner, WRITES) and (
                memory is None or read is None or read & memory.roots(inner.operands[0])
            ):
                return False
        current = current.next_op
    return current is later


def _sink_copies(function: func.FuncOp, memory: Memory) -> None:
    """Copy a carried array, and store to the copy, behind the operations that read the array.

    ``b = a.copy(); b[i] = 0; x = f(a); b[j] = x  -->  x = f(a); b = a.copy(); b[i] = 0; b[j] = x``

    So the copy may be left out.
    """
    for copy in _copies_of_carried(function):
        _sink_copy(copy, memory)


def _copies_of_carried(function: func.FuncOp) -> list[Operation]:
    """The copies that the steps of loops make of arrays that they carry."""
    return [
        op
        for loop in operations_of(function, emitpy.ForOp)
        for op in loop.body.block.ops
        if is_copy(op) and op.operands[0] in loop.accumulators
    ]


def _sink_copy(copy: Operation, memory: Memory) -> None:
    """Move a copy, and what depends on it until then, behind the last read of the array."""
    moved = _dependents_until_read(copy, memory)
    if not any(isinstance(op, emitpy.StoreOp) for op in moved):
        return
    *moved, last = moved
    if last.next_op is None or not all(_directly_before(op, last, memory) for op in moved):
        return
    for op in moved:
        op.detach()
    Rewriter.insert_op(moved, InsertPoint.after(last))


def _dependents_until_read(copy: Operation, memory: Memory) -> Sequence[Operation]:
    """A copy, the operations before the last read of the array that depend on it, and that read;
    none if it does, or one of them has a body.
    """
    assert copy.parent is not None
    uses = _reads_of(copy.operands[0], memory)
    readers = {copy.parent.find_ancestor_op_in_block(use) for use in uses}
    readers = {op for op in readers if op and op is not copy and copy.is_before_in_block(op)}
    found, values, op = [copy], set(copy.results), copy.next_op
    while readers and op is not None:
        if not values.isdisjoint(operands_within(op)):
            if op in readers or op.regions:
                return ()
            found.append(op)
            values.update(op.results)
        elif op in readers:
            readers.discard(op)
            if not readers:
                return [*found, op]
        op = op.next_op
    return ()


def _reads_of(array: SSAValue, memory: Memory) -> set[Operation]:
    """The operations that read an array, also through views."""
    roots = memory.roots(array)

    def views(value: SSAValue) -> list[SSAValue]:
        results = (result for use in value.uses for result in use.operation.results)
        return [result for result in results if memory.roots(result) & roots]

    return {use.operation for view in reached([array], views) for use in view.uses}


def _copy_parts(function: func.FuncOp, analyses: AnalysisManager, forms: Forms) -> None:
    """Copy the rows of a carried array that a step reads after a store, in place of the array.

    ``x = a[i]; b = a.copy(); b[i] = 0; f(x)  -->  x = a[i].copy(); b = a.copy(); b[i] = 0; f(x)``

    where nothing else reads the array then, so that its copy may be left out.
    """
    parts = {
        copy: [_copy_part(view, forms) for view in _parts_read_after(copy)]
        for copy in _copies_of_carried(function)
    }
    if not any(parts.values()):
        return
    analyses.invalidate(function)
    targets = ReusePlan(function, analyses, forms, assume_owned=True).targets
    needless = [part for copy, own in parts.items() if copy not in targets for part in own]
    for part in needless:
        Rewriter.replace_op(part, (), (part.operands[0],))
    if needless:
        analyses.invalidate(function)


def _parts_read_after(copy: Operation) -> Sequence[emitpy.SubscriptOp]:
    """The rows of an array that are read after a store to a copy of it; none if all of it is."""
    if not (until := steps_to_store(copy)):
        return ()
    array, store = copy.operands[0], until[-1]
    rows = list[emitpy.SubscriptOp]()
    for use in array.uses:
        user = use.operation
        if _is_behind(user, store):
            return ()
        readers = [each.operation for result in user.results for each in result.uses]
        if _is_row(user, array) and any(_is_behind(each, store) for each in readers):
            rows.append(user)
    return rows


def _is_row(view: Operation, array: SSAValue) -> TypeIs[emitpy.SubscriptOp]:
    """Whether an operation reads a part of an array with fewer axes, and at least one."""
    if not isinstance(view, emitpy.SubscriptOp):
        return False
    part, whole = view.result.type, array.type
    return (
        view.object is array
        and isa(part, TensorType)
        and isa(whole, TensorType)
        and 0 < len(part.get_shape()) < len(whole.get_shape())
    )


def _is_behind(op: Operation, store: Operation) -> bool:
    """Whether an operation comes after a store, in its block or deeper."""
    assert store.parent is not None
    other = store.parent.find_ancestor_op_in_block(op)
    return other is None or (other is not store and store.is_before_in_block(other))


def _copy_part(view: emitpy.SubscriptOp, forms: Forms) -> Operation:
    """A copy of a part of an array, which its users read instead."""
    copy = emitpy.MethodOp(view.result, forms.copy, (), view.result.type)
    copy.location = view.location
    view.result.replace_all_uses_with(copy.result)
    copy.operands[0] = view.result
    Rewriter.insert_op(copy, InsertPoint.after(view))
    return copy


def _copy_initial_values(
    function: func.FuncOp, analyses: AnalysisManager, forms: Forms, copied: set[SSAValue]
) -> bool:
    """Copy initial values of accumulators before a loop if that saves a copy in each step.

    These are the accumulators with elements that could be updated in place if the loop owned them,
    and that are not copied yet. A copy before an inner loop is one in each step of the outer loop.
    """
    loops = [op for op in operations_in(function) if isinstance(op, emitpy.ForOp)]
    if not any(_may_overwrite_carried(loop, copied) for loop in loops):
        return False
    plan = ReusePlan(function, analyses, forms, assume_owned=True)
    for loop in loops:
        for number, accumulator in enumerate(loop.accumulators):
            if accumulator in plan.not_copied and accumulator not in copied:
                init = loop.inits[number]
                copy = emitpy.MethodOp(init, forms.copy, (), init.type)
                copy.location = loop.location
                copy.result.name_hint = accumulator.name_hint
                Rewriter.insert_op(copy, InsertPoint.before(loop))
                loop.operands[1 + number] = copy.result
    found = plan.not_copied - copied
    copied |= found
    return bool(found)


def _may_overwrite_carried(loop: emitpy.ForOp, copied: Collection[SSAValue]) -> bool:
    """Whether a copy or a selection in a loop reads what steps make of an array that is carried.

    No other one can overwrite an accumulator. Those that are copied already do not count.
    """
    arrays = [each for each in loop.accumulators if is_array(each) and each not in copied]
    if not arrays:
        return False
    carried = dependents(loop.body.block, *arrays)
    return any(
        (is_copy(op) or is_choice(op)) and not carried.isdisjoint(op.operands)
        for op in operations_in(loop)
    )


def _in_place(op: Operation, operand: int, forms: Forms) -> emitpy.AugmentOp | emitpy.CallIntoOp:
    """The operation that overwrites an operand."""
    target = op.operands[operand]
    if isinstance(op, emitpy.BinaryOp):
        operator = op.operator.data
        if operator in AUGMENTED_OPERATORS and (operand == 0 or operator in COMMUTATIVE):
            return emitpy.AugmentOp(target, operator, op.operands[1 - operand])
    return call_into(op, target, (), forms)


def _choose_in_place(op: Operation, operand: int, store: emitpy.StoreOp | None = None) -> None:
    """``np.where(c, x, y) --> np.copyto(y, x, where=c)``, ``np.copyto(x, y, where=~c)``

    If ``x`` is the result of a ufunc ``f``, without other users: ``f(z, out=y, where=c)``. A value
    that is stored in the place of the operand itself is written there.
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
        replace_in_place(op, emitpy.CallIntoOp(target, function, operands, keywords=mask))
    else:
        replace_in_place(
            store, emitpy.CallIntoOp(store.target, function, operands, store.indices, mask)
        )
        Rewriter.erase_op(op)
    if call is not None and isinstance(maker, Operation):
        Rewriter.erase_op(maker)


def _ufunc_call(op: Operation) -> tuple[str, Sequence[SSAValue]] | None:
    """The ufunc that an operation calls, and its operands; None for other operations."""
    match op:
        case emitpy.AugmentOp():
            return OPERATOR_UFUNCS[op.operator.data], (op.target, op.value)
        case emitpy.CallIntoOp() if not op.indices and op.keywords is None:
            return op.callee.data, op.arguments
        case _:
            return (ufunc_of(op), op.operands) if is_elementwise(op) else None


@dataclass(frozen=True)
class ReuseBuffersPass(FunctionPass):
    """Makes elementwise operations overwrite dead operands of the same type.

    A copy of a dead array is removed: stores then write to the array itself. So do blocks of an
    array that a loop carries, if each chooses between new and old elements. A store to a copy of
    such an array comes after the operations that read the array; rows of it that a step reads after
    a store are copied before it, in the place of the array.
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

    Operands of the same type have the same shape, by the meaning of dynamic sizes in the array
    calculus. A pass that merges equal values, such as ``cse``, must run before: two arrays of zeros
    are different once one of them is overwritten.
    """

    name = "reuse-buffers"

    library: Literal["numpy", "torch"] = "numpy"
    """The library whose functions write into arrays."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        reuse_buffers(function, analyses, FORMS[self.library])
