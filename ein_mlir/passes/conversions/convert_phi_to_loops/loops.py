"""Rules for folds and general reductions: loops in order that carry values.

A scalar is carried as a value, an array as the buffer that it is in. If no step changes the sizes
of the array, a step writes into its buffer where the old value is dead, and else into a second one:
the two alternate. If a step may change them, each step allocates its result. A loop in a step that
goes on with the array takes its buffer over, and the step yields that of its result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i64
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.last_uses import is_last_use
from ein_mlir.analysis.phi.records import origin
from ein_mlir.analysis.phi.replaced_rows import field_of, is_read_by
from ein_mlir.analysis.phi.size_equivalence import Term
from ein_mlir.dialects import phi
from ein_mlir.passes.conversions.convert_phi_to_loops.carried import (
    Carried,
    new_buffer,
    next_values,
)
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import (
    Conversion,
    Destination,
    name_of,
)
from ein_mlir.passes.conversions.convert_phi_to_loops.emission import INDEX
from ein_mlir.passes.conversions.convert_phi_to_loops.indexing import is_row_inside, row_of
from ein_mlir.passes.conversions.convert_phi_to_loops.overwriting import (
    origin_of_updates,
    overwritten,
)
from ein_mlir.passes.conversions.convert_phi_to_loops.values import (
    Array,
    Buffer,
    Leaf,
    paths,
)

Loop = phi.FoldOp | phi.ReduceOp | phi.WhileOp


def fold(conversion: Conversion, op: phi.FoldOp) -> None:
    """A loop over the counter."""
    (count,) = conversion.loop_sizes(op)

    def bind(at: SSAValue, carried: Sequence[Leaf]) -> None:
        conversion.bind(op.counter, [conversion.cast(at, i64)])
        conversion.bind(op.accumulator, carried)

    _loop(conversion, op, count, bind)


def while_(conversion: Conversion, op: phi.WhileOp) -> None:
    """A loop over the counter while leaf 0 of the accumulator is true."""
    limit = conversion.loop_size(op.count, f"{op.limit_name} {name_of(op.counter)}")

    def bind(at: SSAValue, carried: Sequence[Leaf]) -> None:
        conversion.bind(op.counter, [conversion.cast(at, i64)])
        conversion.bind(op.accumulator, carried)

    _loop(conversion, op, limit, bind)


def reduce(conversion: Conversion, op: phi.ReduceOp) -> None:
    """A loop over the elements of a vector, or over the records of a record of vectors."""
    vectors = [leaf for leaf in conversion.leaves(op.vec) if isinstance(leaf, Array)]
    for number, path in enumerate(paths(op.vec.type)):
        first = Term(op.vec, next(paths(op.vec.type)), 0)
        if not conversion.sizes.same(Term(op.vec, path, 0), first, op):
            message = "reduce: sizes along axis 0 differ"
            conversion.check_equal(vectors[0].sizes[0], vectors[number].sizes[0], message)
    before, element = op.body.block.args

    def bind(at: SSAValue, carried: Sequence[Leaf]) -> None:
        parts = [vector.at([at]).borrowed() for vector in vectors]
        conversion.bind(before, carried)
        conversion.bind(element, [part if part.sizes else conversion.load(part) for part in parts])

    _loop(conversion, op, vectors[0].sizes[0], bind)


_REASSOCIATED = arith.FastMathFlagsAttr([FastMathFlag.REASSOC, FastMathFlag.ALLOW_CONTRACT])
_CONTRACTED = arith.FastMathFlagsAttr([FastMathFlag.ALLOW_CONTRACT])


def _relax(before: SSAValue, after: SSAValue) -> None:
    """Let a sum of floats be regrouped, and its summands be rounded with it.

    The accumulator has no other use, so the operation is a reduction. Products keep their order: a
    partial product in another one may overflow.
    """
    op = after.owner
    is_difference = isinstance(op, arith.SubfOp) and op.lhs is before
    if not is_difference and not (isinstance(op, arith.AddfOp) and before in op.operands):
        return
    assert isinstance(op, arith.AddfOp | arith.SubfOp)
    if before.has_one_use() and after.has_one_use():
        op.properties["fastmath"] = _REASSOCIATED
        for operand in op.operands:
            if isinstance(operand.owner, arith.MulfOp):
                operand.owner.properties["fastmath"] = _CONTRACTED


def relax_loop(result: SSAValue) -> None:
    """Let the sum of floats that a loop carries alone be regrouped."""
    assert isinstance(result.owner, scf.ForOp)
    block = result.owner.body.block
    assert block.last_op is not None
    _relax(block.args[1], block.last_op.operands[0])


def _loop(
    conversion: Conversion,
    op: Loop,
    count: SSAValue,
    bind: Callable[[SSAValue, Sequence[Leaf]], None],
) -> None:
    """A loop that carries the accumulator of a fold or reduction."""
    is_conditional = isinstance(op, phi.WhileOp)
    body = Block(arg_types=[INDEX])
    initial = [_initial(conversion, op, leaf) for leaf in range(len(conversion.leaves(op.start)))]
    kept = _kept_sizes(conversion, op)
    outer = conversion.leaves(op.start)
    with conversion.emitting_into(body) as frame:
        carried = [
            _carry(conversion, body, value, old, is_kept)
            for value, old, is_kept in zip(initial, outer, kept, strict=True)
        ]
        lent = _lend(op, carried)
        frame.allocated.extend(lent)
        bind(body.args[0], [each.value for each in carried])
        _direct(conversion, op, body, carried)
        _lend_spares(conversion, op, body, carried, lent)
        conversion.block(op.body.block)
        left = [buffer for buffer in lent if buffer in frame.allocated]
        frame.allocated[:] = [value for value in frame.allocated if value not in left]
        gone = set(lent).difference(left)
        after = conversion.leaves(op.yielded())
        if is_conditional:
            _check_sizes(conversion, carried, after)
        results = next_values(conversion, body, carried, after, gone)
        counted = [_following(conversion, body.args[0])] if is_conditional else []
        conversion.emit(scf.YieldOp(*counted, *results))
    if not is_conditional:
        for each, result in zip(carried, results, strict=False):
            _relax(each.argument, result)
    spares = sorted(
        (each for each in carried if each.spare is not None), key=Carried.place_of_spare
    )
    inits = [*initial, *(new_buffer(conversion, each) for each in spares)]
    build = _conditional if is_conditional else _counted
    found = build(conversion, count, inits, body)
    finals = [
        _final(conversion, result, each) for result, each in zip(found, carried, strict=False)
    ]
    for result in found[len(carried) :]:
        conversion.adopt(result, ())
    conversion.bind(op.result, finals)


def _counted(
    conversion: Conversion, count: SSAValue, inits: Sequence[SSAValue], body: Block
) -> Sequence[SSAValue]:
    """A loop over all steps; its results."""
    zero, one = conversion.index(0), conversion.index(1)
    return conversion.emit(scf.ForOp(zero, count, one, inits, Region(body))).res


def _conditional(
    conversion: Conversion, limit: SSAValue, inits: Sequence[SSAValue], body: Block
) -> Sequence[SSAValue]:
    """A loop that ends when the first carried value is false; its results."""
    zero = conversion.index(0)
    types = [zero.type, *(init.type for init in inits)]
    before = Block(arg_types=types)
    with conversion.emitting_into(before):
        counter, more, *_ = before.args
        if known_int(limit) != MOST:
            below = conversion.compare(counter, limit, "slt")
            more = conversion.value_of(arith.AndIOp(below, more))
        conversion.emit(scf.ConditionOp(more, *before.args))
    loop = scf.WhileOp([zero, *inits], types, Region(before), Region(body))
    return conversion.emit(loop).res[1:]


def _following(conversion: Conversion, counter: SSAValue) -> SSAValue:
    return conversion.value_of(arith.AddiOp(counter, conversion.index(1)))


def _check_sizes(conversion: Conversion, carried: Sequence[Carried], after: Sequence[Leaf]) -> None:
    """Assert that a step keeps the sizes of the arrays for which that is not proven."""
    for each, result in zip(carried, after, strict=True):
        if each.sizes is None and isinstance(each.value, Array) and isinstance(result, Array):
            for axis, (m, n) in enumerate(zip(each.value.sizes, result.sizes, strict=True)):
                conversion.check_equal(m, n, f"while: a step changes the size along axis {axis}")


def _initial(conversion: Conversion, op: Loop, leaf: int) -> SSAValue:
    """The initial value of a leaf; an array in memory that the loop may overwrite."""
    value = conversion.leaves(op.start)[leaf]
    if isinstance(value, SSAValue):
        return value
    if conversion.is_speculative or not is_last_use(op.start, leaf, op):
        value = conversion.copied(value, conversion.loan(op.result, leaf))
    return conversion.owned_copy(value)


def _kept_sizes(conversion: Conversion, op: Loop) -> list[bool]:
    """For each leaf, whether all steps keep its sizes."""
    kept, type_, before = list[bool](), op.result.type, None
    for path, leaf in zip(paths(type_), leaf_types(type_), strict=True):
        is_kept = path != before and all(
            conversion.sizes.same(Term(op.result, path, axis), Term(op.start, path, axis))
            for axis in range(phi.rank_of(leaf))
        )
        kept.append(is_kept)
        before = path
    return kept


def _carry(
    conversion: Conversion, body: Block, initial: SSAValue, outer: Leaf, is_kept: bool
) -> Carried:
    """Add an argument to a loop for a leaf of the accumulator."""
    argument = body.insert_arg(initial.type, len(body.args))
    if not isinstance(outer, Array):
        return Carried(argument, initial, argument)
    if is_kept:
        first = outer.buffer if outer.is_whole else None
        array = Array(Buffer(argument, tuple(outer.sizes), body, outer=first), own=True)
        return Carried(argument, initial, array, outer.sizes)
    sizes = conversion.dimensions(argument)
    home = sizes[-1].owner
    return Carried(argument, initial, Array(Buffer(argument, tuple(sizes), home), own=True))


def _lend(op: Loop, carried: Sequence[Carried]) -> list[SSAValue]:
    """The buffers that loops in a step may take over.

    The step yields results of such loops, also with elements that it updates after them.
    """
    origins = [origin_of_updates(op.yielded(), leaf) for leaf in range(len(carried))]
    times = Counter(origins)
    return [
        each.argument
        for each, (source, leaf) in zip(carried, origins, strict=True)
        if each.sizes is not None
        and times[source, leaf] == 1
        and isinstance(source.owner, Loop)
        and source.owner.parent is op.body.block
    ]


def _lend_spares(
    conversion: Conversion,
    op: Loop,
    body: Block,
    carried: Sequence[Carried],
    lent: list[SSAValue],
) -> None:
    """Let loops in a step that start from an array of the step begin in the second buffer.

    ``fold (i < n, row = ..) { r = array { .. }; fold (j < m, a = r) { .. row[j] .. } }``
    """
    allocated = conversion.frame.allocated

    def claim(each: Carried) -> Array:
        spare = each.second(body)
        if spare.buffer.memref not in lent:
            lent.append(spare.buffer.memref)
            allocated.append(spare.buffer.memref)
        return spare

    for leaf, each in enumerate(carried):
        if each.sizes is not None:
            _lend_spare(conversion, op, leaf, partial(claim, each), partial(_same, each))


def _lend_spare(
    conversion: Conversion, op: Loop, leaf: int, claim: Destination, own: Destination
) -> None:
    """Let the loops that a leaf of the next value results from, one after another, take it over.

    The array that the first starts from overwrites the old value, if it may.
    """
    source, number = origin_of_updates(op.yielded(), leaf)
    while (
        isinstance(loop := source.owner, Loop)
        and loop.parent is op.body.block
        and _kept_sizes(conversion, loop)[number]
    ):
        conversion.lend(source, number, claim)
        if not is_last_use(loop.start, number, loop):
            return
        source, first = origin_of_updates(loop.start, number)
        if source is not op.variables()[0]:
            bounds = None if conversion.is_speculative else conversion.bounds
            is_own = overwritten(op, leaf, (), bounds, (loop.start, number)) is not None
            conversion.direct(loop.start, op.body.block, {number: own if is_own else claim})
        number = first


def _direct(conversion: Conversion, op: Loop, body: Block, carried: Sequence[Carried]) -> None:
    """Let the steps write the arrays of the accumulator where they belong."""
    destinations = dict[int, Destination]()
    found = set[int | None]()
    for leaf, each in enumerate(carried):
        if each.sizes is not None:
            others = _exchangeable(conversion, op, carried, leaf)
            free = [number for number in others if number not in found]
            old = overwritten(
                op, leaf, free, None if conversion.is_speculative else conversion.bounds
            )
            found.add(old)
            destinations[leaf] = lambda each=each, old=old: (
                each.second(body) if old is None else _same(carried[old])
            )
    conversion.direct(op.yielded(), op.body.block, destinations)
    _direct_rows(conversion, op)


def _direct_rows(conversion: Conversion, op: Loop) -> None:
    """Let the steps write rows where they belong in an array that nothing reads in the loop.

    ``fold (k < n, a = ..) { r = array { .. }; update a[k], r }``
    """
    block, accumulator = op.body.block, op.variables()[0]
    for path in dict.fromkeys(paths(op.start.type)):
        update = field_of(op.yielded(), path)
        if (
            isinstance(update, phi.UpdateOp)
            and is_read_by(accumulator, path, update)
            and _is_known_before(update, block)
            and is_row_inside(conversion, update)
        ):
            leaves = range(len(leaf_types(update.value.type)))
            rows = {leaf: partial(row_of, conversion, update, leaf) for leaf in leaves}
            conversion.direct(update.value, block, rows)


def _is_known_before(update: phi.UpdateOp, block: Block) -> bool:
    """Whether the array and the positions of an update in a block are known before its value is
    computed.
    """
    first, array = origin(update.value, 0)[0].owner, origin(update.array, 0)[0]
    if isinstance(array.owner, phi.ArrayOp):
        return False  # it may be computed, or stored, later
    owners = [value.owner for value in (*update.positions, array)]
    return (
        isinstance(first, Operation)
        and first.parent is update.parent is block
        and all(
            isinstance(owner, Block) or owner.parent is not block or owner.is_before_in_block(first)
            for owner in owners
        )
    )


def _exchangeable(
    conversion: Conversion, op: Loop, carried: Sequence[Carried], leaf: int
) -> list[int]:
    """The other arrays of the accumulator that have the type and the sizes of an array."""
    type_, rank = carried[leaf].argument.type, phi.rank_of(leaf_types(op.start.type)[leaf])
    terms = [[Term(op.start, path, axis) for axis in range(rank)] for path in paths(op.start.type)]
    return [
        number
        for number, each in enumerate(carried)
        if number != leaf and each.sizes is not None and each.argument.type == type_
        if all(map(conversion.sizes.same, terms[leaf], terms[number]))
    ]


def _same(each: Carried) -> Array:
    assert isinstance(each.value, Array)
    return each.value


def _final(conversion: Conversion, result: SSAValue, each: Carried) -> Leaf:
    """A leaf of the result; an array belongs to the block around the loop."""
    if not isinstance(each.value, Array):
        return result
    final = conversion.adopt(result, each.sizes)
    final.buffer.outer = each.value.buffer.outer
    return final
