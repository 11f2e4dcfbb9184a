"""``forward-copies``: elements are stored where a copy of their buffer would put them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import TypeGuard

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.index_bounds import Bounds, IndexBounds, counter_range
from ein_mlir.analysis.loops.memory_roots import share_no_memory
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.scopes import (
    innermost_first,
    is_known_at,
    is_within,
    operations_in,
    operations_of,
)
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass


@dataclass(frozen=True)
class Copy:
    """A nest that does nothing but copy a buffer, or a part of it, into the whole of another."""

    nest: scf.ParallelOp
    source: memref.AllocOp
    target: memref.AllocOp
    axes: Sequence[tuple[int, int]]
    """For each index of the nest, the axis of the source, and the positions between."""
    leading: Sequence[SSAValue]
    """The positions of the row of the target that the nest writes; none for all of it."""


# Analysis ---------------------------------------------------------------------------------------


def _copied_element(nest: scf.ParallelOp) -> tuple[memref.LoadOp, memref.StoreOp] | None:
    """The load and the store of a nest whose only effect is to copy an element in each step."""
    *body, _ = nest.body.block.ops
    match [op for op in body if not op.has_trait(Pure)]:
        case [memref.LoadOp() as load, memref.StoreOp() as store] if store.value is load.res:
            return load, store
        case _:
            return None


def copy_of_buffer(nest: scf.ParallelOp) -> Copy | None:
    """The copy that a nest is, of a buffer of its block that nothing else reads."""
    if (element := _copied_element(nest)) is None:
        return None
    load, store = element
    source, target = load.memref.owner, store.memref.owner
    if not _is_of_block(source, nest.parent) or not isinstance(target, memref.AllocOp):
        return None
    axes, leading = _axes(load.indices, nest.body.block.args), _leading(store, nest)
    is_known = all(isinstance(x, BlockArgument) and not is_within(x, nest) for x in leading)
    is_whole = is_known and _is_at_indices(store, nest) and _covers(nest, target)
    is_legal = is_whole and _is_only_reader(load, nest) and _is_first_use(target.memref, nest)
    return Copy(nest, source, target, axes, leading) if axes is not None and is_legal else None


def _is_of_block(owner: Operation | Block, block: Block | None) -> TypeGuard[memref.AllocOp]:
    """Whether a buffer is allocated in a block, with sizes that are values."""
    return (
        isinstance(owner, memref.AllocOp)
        and owner.parent is block
        and len(owner.dynamic_sizes) == len(owner.memref.type.get_shape())
    )


def _axes(
    positions: Sequence[SSAValue], indices: Sequence[SSAValue]
) -> list[tuple[int, int]] | None:
    """For each index the axis whose position it is, and what is added to it."""
    found = dict[SSAValue, tuple[int, int]]()
    for axis, position in enumerate(positions):
        index, more = _shifted(position)
        found[index] = axis, more
    is_permutation = len(positions) == len(indices) and found.keys() == set(indices)
    return [found[index] for index in indices] if is_permutation else None


def _shifted(position: SSAValue) -> tuple[SSAValue, int]:
    """The value that a position is, and what is added to it."""
    more = 0
    while isinstance(op := position.owner, arith.IndexCastOp | arith.AddiOp):
        number = 0 if isinstance(op, arith.IndexCastOp) else known_int(op.operands[1])
        if number is None:
            break
        position, more = op.operands[0], more + number
    return position, more


def _covers(nest: scf.ParallelOp, target: memref.AllocOp) -> bool:
    """Whether the indices of a nest are all positions along the last axes of a buffer."""
    return (
        all(known_int(lower) == 0 for lower in nest.lowerBound)
        and all(known_int(step) == 1 for step in nest.step)
        and tuple(nest.upperBound) == tuple(target.dynamic_sizes[-len(nest.upperBound) :])
    )


def _is_only_reader(load: memref.LoadOp, nest: scf.ParallelOp) -> bool:
    """Whether a buffer has no uses but stores before a nest, and the load in it."""
    for use in load.memref.uses:
        op = use.operation
        is_store = isinstance(op, memref.StoreOp) and op.memref is load.memref
        if (
            op is not load
            and not isinstance(op, memref.DeallocOp)
            and not (is_store and _is_before(op, nest))
        ):
            return False
    return True


def _is_first_use(buffer: SSAValue, nest: scf.ParallelOp) -> bool:
    return not any(_is_before(use.operation, nest) for use in buffer.uses)


def _is_before(op: Operation, nest: Operation) -> bool:
    block = nest.parent
    above = block.find_ancestor_op_in_block(op) if block is not None else None
    return above is not None and above is not nest and above.is_before_in_block(nest)


def new_places(copy: Copy) -> Mapping[memref.StoreOp, Sequence[SSAValue]] | None:
    """The positions of each store in the copy; no positions if its element is not copied."""
    found = dict[memref.StoreOp, Sequence[SSAValue]]()
    for use in copy.source.memref.uses:
        if isinstance(store := use.operation, memref.StoreOp):
            places = _places(copy, store)
            if places is None:
                return None
            found[store] = places
    return found


def _places(copy: Copy, store: memref.StoreOp) -> Sequence[SSAValue] | None:
    """The positions in the copy; none if the element is not copied; None if they are not known."""
    places = list[SSAValue]()
    for (axis, start), size in zip(copy.axes, copy.nest.upperBound, strict=True):
        if start == 0 and copy.source.dynamic_sizes[axis] is size:
            places.append(store.indices[axis])
            continue
        number = known_int(store.indices[axis])
        if number is not None and number < start:
            return ()
        counter, more = _shifted(store.indices[axis])
        bounds = counter_range(counter)
        if more != start or bounds is None or known_int(bounds[0]) != 0 or bounds[1] is not size:
            return None
        places.append(counter)
    return places


# Rows -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RowCopy:
    """A nest that copies a buffer, which a nest before it computes, into a part of an array."""

    nest: scf.ParallelOp
    store: memref.StoreOp
    producer: scf.ParallelOp
    element: memref.StoreOp
    """The store of the producer to the buffer."""
    between: Sequence[Operation]


def copy_of_row(nest: scf.ParallelOp) -> RowCopy | None:
    """The copy that a nest is, of elements that may be stored as soon as they are computed.

    The nest before it has the same indices, and accesses the array at these, or in other rows: then
    its step reads no element that another step writes.
    """
    if (copied := _copied_element(nest)) is None:
        return None
    load, store = copied
    users = [use.operation for use in load.memref.uses]
    others = [op for op in users if op is not load and not isinstance(op, memref.DeallocOp)]
    element = others[0] if len(others) == 1 else None
    producer = element.parent_op() if element is not None else None
    if not isinstance(element, memref.StoreOp) or not isinstance(producer, scf.ParallelOp):
        return None
    between = _between(producer, nest)
    copy = RowCopy(nest, store, producer, element, between or ())
    is_own = _is_of_block(load.memref.owner, nest.parent) and element.memref is load.memref
    is_legal = (
        is_own
        and between is not None
        and store.memref.owner not in between
        and tuple(load.indices) == nest.body.block.args
        and tuple(element.indices) == producer.body.block.args
        and [*nest.operands] == [*producer.operands]
        and _is_at_indices(store, nest)
        and not any(is_within(each, nest) for each in (store.memref, *_leading(store, nest)))
        and _accesses_own_elements(producer, store)
    )
    return copy if is_legal else None


def _between(first: Operation, last: Operation) -> Sequence[Operation] | None:
    """The operations between two of a block, if these access no memory, nor describe fresh one."""
    found, op = list[Operation](), first.next_op
    while op is not None and op is not last:
        is_of_fresh = any(isinstance(value.owner, memref.AllocOp) for value in op.operands)
        if not isinstance(op, memref.AllocOp | memref.DeallocOp) and (
            is_of_fresh or not op.has_trait(Pure)
        ):
            return None
        found.append(op)
        op = op.next_op
    return found if op is last else None


def _leading(op: memref.LoadOp | memref.StoreOp, nest: scf.ParallelOp) -> Sequence[SSAValue]:
    """The positions of an access before those for the indices of a nest."""
    return op.indices[: len(op.indices) - len(nest.body.block.args)]


def _is_at_indices(op: memref.LoadOp | memref.StoreOp, nest: scf.ParallelOp) -> bool:
    """Whether the last positions of an access are the indices of a nest."""
    return tuple(op.indices[-len(nest.body.block.args) :]) == nest.body.block.args


def _accesses_own_elements(nest: scf.ParallelOp, store: memref.StoreOp) -> bool:
    """Whether no step of a nest accesses an element of a row that another step is to store."""
    return all(
        (op.memref is store.memref and (_is_at_indices(op, nest) or _is_of_other_row(op, store)))
        or share_no_memory(op.memref, store.memref)
        if isinstance(op, memref.LoadOp | memref.StoreOp)
        else not isinstance(op, func.CallOp)
        for op in operations_in(nest)
    )


def _is_of_other_row(op: memref.LoadOp | memref.StoreOp, store: memref.StoreOp) -> bool:
    """Whether a position of an access is one of the row of a store and a number other than 0."""
    nest = store.parent_op()
    assert isinstance(nest, scf.ParallelOp)
    bounds = _bounds_around(nest)
    pairs = zip(op.indices, _leading(store, nest), strict=False)
    return any(_are_different(*map(bounds.of, pair)) for pair in pairs)


def _are_different(one: Bounds | None, other: Bounds | None) -> bool:
    """Whether two positions of known forms differ by a number other than 0."""
    if one is None or other is None or not (one.is_fixed and other.is_fixed):
        return False
    return (one.least - other.least).known() not in (None, 0)


def _bounds_around(nest: scf.ParallelOp) -> IndexBounds:
    """The bounds of indices in a nest, where the loop around it is at one step."""
    block = nest.parent
    home = block.parent_op() if block is not None else None
    assert block is not None
    assert home is not None
    return IndexBounds(home, block.args)


def _rows(copy: RowCopy) -> list[SSAValue]:
    """The positions of the row: those that the nest reads the array at, if they are equal.

    The nest is a function of its own in machine code, where equal values are not seen to be equal,
    and vectors of a row are stored only if no other row overlaps with it.
    """
    read = [
        each.indices
        for each in operations_in(copy.producer)
        if isinstance(each, memref.LoadOp) and each.memref is copy.store.memref
    ]
    bounds = _bounds_around(copy.nest)

    def known(axis: int, place: SSAValue) -> SSAValue:
        found = bounds.of(place)
        others = dict.fromkeys(places[axis] for places in read)
        if found is None or not found.is_fixed:
            return place
        return next((each for each in others if bounds.of(each) == found), place)

    return [known(axis, place) for axis, place in enumerate(_leading(copy.store, copy.nest))]


def forward_row(copy: RowCopy) -> None:
    """Let the nest store its elements in the array, last in each step."""
    for op in copy.between:
        if op.has_trait(Pure):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(copy.producer))
    old, new = copy.nest.body.block.args, copy.producer.body.block.args
    places = [*_rows(copy), *new[: len(old)]]
    last = copy.producer.body.block.last_op
    assert last is not None
    store = memref.StoreOp.get(copy.element.value, copy.store.memref, places)
    Rewriter.insert_op(store, InsertPoint.before(last))
    buffer = copy.element.memref.owner
    Rewriter.erase_op(copy.nest)
    for use in list(copy.element.memref.uses):
        Rewriter.erase_op(use.operation)
    assert isinstance(buffer, Operation)
    Rewriter.erase_op(buffer)


# Rewriting --------------------------------------------------------------------------------------


def forward(copy: Copy, places: Mapping[memref.StoreOp, Sequence[SSAValue]]) -> None:
    """Let stores to a buffer write to its copy, and leave out the copying."""
    if not copy.leading:
        copy.target.detach()
        Rewriter.insert_op(copy.target, InsertPoint.before(copy.source))
    for store, at in places.items():
        element = store.value, copy.target.memref, [*copy.leading, *at]
        new = [memref.StoreOp.get(*element)] if at else []
        Rewriter.replace_op(store, new, [])
    Rewriter.erase_op(copy.nest)
    for use in list(copy.source.memref.uses):
        Rewriter.erase_op(use.operation)
    Rewriter.erase_op(copy.source)


def forget_buffers_in_place(op: scf.ForOp) -> None:
    """``for iter_args(%a = %b) { .. yield %a }  -->  for { .. %b .. }``, for buffers

    A step that overwrites a buffer passes it on.
    """
    last = op.body.block.last_op
    assert last is not None
    variables, results = op.body.block.args[1:], list(last.operands)
    kept = [
        not isinstance(variable.type, MemRefType) or variable is not result
        for variable, result in zip(variables, results, strict=True)
    ]
    if all(kept):
        return
    for variable, init, is_kept in zip(variables, op.iter_args, kept, strict=True):
        if not is_kept:
            variable.replace_all_uses_with(init)
            op.body.block.erase_arg(variable)
    Rewriter.replace_op(last, scf.YieldOp(*compress(results, kept)))
    inits = list(compress(op.iter_args, kept))
    new = scf.ForOp(op.lb, op.ub, op.step, inits, op.detach_region(0))
    new.location = op.location
    after = iter(new.res)
    found = [
        next(after) if is_kept else init for init, is_kept in zip(op.iter_args, kept, strict=True)
    ]
    Rewriter.replace_op(op, new, found)


class ForwardCopiesPass(FunctionPass):
    """Stores elements where a copy of their buffer would put them, and leaves out the copy.

    Before (a scan, whose first element is not read)::

        %b = memref.alloc(%more) : memref<?xf64>
        memref.store %start, %b[%zero] : memref<?xf64>
        scf.for %k = %zero to %n step %one iter_args(%acc = %start) -> (f64) {
          ..
          %after = arith.addi %k, %one : index
          memref.store %next, %b[%after] : memref<?xf64>
          scf.yield %next : f64
        }
        %c = memref.alloc(%n) : memref<?xf64>
        scf.parallel (%i) = (%zero) to (%n) step (%one) {
          %after_1 = arith.addi %i, %one : index
          %x = memref.load %b[%after_1] : memref<?xf64>
          memref.store %x, %c[%i] : memref<?xf64>
          scf.reduce
        }
        memref.dealloc %b : memref<?xf64>

    After::

        %c = memref.alloc(%n) : memref<?xf64>
        scf.for %k = %zero to %n step %one iter_args(%acc = %start) -> (f64) {
          ..
          memref.store %next, %c[%k] : memref<?xf64>
          scf.yield %next : f64
        }

    The copy may be a row of an array at the indices around it, such as the values of the steps of a
    loop for each element, and a loop does not carry a buffer that its steps overwrite. The axes of
    the copy may have another order. Elements that are copied into a row of an array, such as the
    two rows of a rotation, are stored there by the loop that computes them, if it reads the array
    at its own indices or in other rows alone. A copy stays if anything else reads the buffer, or if
    the place of an element in the copy is not known.
    """

    name = "forward-copies"
    looks_for = (scf.ParallelOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for loop in innermost_first(function, scf.ForOp):
            forget_buffers_in_place(loop)
        for op in operations_of(function, scf.ParallelOp):
            if (row := copy_of_row(op)) is not None:
                analyses.note(op, f"{name_of(row.store.memref)} is written without a copy")
                forward_row(row)
                continue
            if (copy := copy_of_buffer(op)) is None:
                continue
            places = new_places(copy)
            moved = () if copy.leading else copy.target.dynamic_sizes
            if places is None or not all(is_known_at(size, copy.source) for size in moved):
                continue
            analyses.note(op, f"{name_of(copy.target.memref)} is written without a copy")
            forward(copy, places)
