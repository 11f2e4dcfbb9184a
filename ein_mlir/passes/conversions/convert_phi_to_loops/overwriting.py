"""Whether the next value of an array that a loop carries may overwrite an old one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, SSAValue, Use

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import field_with, fields_at, leaf_types
from ein_mlir.analysis.phi.last_uses import is_last_use
from ein_mlir.analysis.phi.loops.writes import unconditional
from ein_mlir.analysis.phi.position_bounds import PositionBounds
from ein_mlir.analysis.phi.records import origin
from ein_mlir.analysis.phi.selections import tests_around
from ein_mlir.analysis.scopes import block_of, is_within, operations_in
from ein_mlir.dialects import phi

Loop = phi.FoldOp | phi.ReduceOp | phi.WhileOp


def overwritten(
    op: Loop,
    leaf: int,
    others: Sequence[int],
    bounds: PositionBounds | None = None,
    of: tuple[SSAValue, int] | None = None,
) -> int | None:
    """The array of the accumulator that the comprehension of a next value may overwrite, if any;
    or that of the leaf of a value which loops of the step make the next one of.

    It is the old value, or one of some others that is dead after the comprehension: then its next
    value is another array of the accumulator, as in ``(a, b) = (f(a, b), a)``. Facts about
    positions prove that no step reads an element that another one replaces.
    """
    loop, element = _comprehension(*origin_of_updates(*(of or (op.yielded(), leaf))))
    while loop is not None and (source := _source_of(loop, element)) is not None:
        loop, element = _comprehension(*origin_of_updates(source, 0))
    if loop is None or loop.parent is not op.body.block:
        return None
    row = _update_of_row(element, loop)
    if row is None and any(map(phi.rank_of, leaf_types(element.type))):
        return None
    accumulator = op.variables()[0]
    if _is_pointwise(accumulator, leaf, loop, row, bounds):
        return leaf
    dead = (other for other in others if row is None and _is_exchanged(op, other))
    return next((other for other in dead if _is_pointwise(accumulator, other, loop, None)), None)


def origin_of_updates(value: SSAValue, leaf: int) -> tuple[SSAValue, int]:
    """The leaf that a leaf of a value is, apart from elements that are updated in place."""
    source, leaf = origin(value, leaf)
    while isinstance(op := source.owner, phi.UpdateOp) and is_last_use(op.array, leaf, op):
        source, leaf = origin(op.array, leaf)
    return source, leaf


def source_of(loop: phi.ArrayOp, leaf: int) -> SSAValue | None:
    """The array that a leaf of a comprehension may overwrite, if any, apart from accumulators.

    It is a result of the same block that nothing else reads, except for operations before it. The
    comprehension updates its rows, as in ``array (i < n) { update a[i], p, x }``, or it computes
    scalars without loops from the elements at its own indices. An array that a loop carries is
    rather overwritten than a second one of a step.
    """
    element, _ = _origin(loop.yielded(), leaf)
    return _source_of(loop, element)


def _source_of(loop: phi.ArrayOp, element: SSAValue) -> SSAValue | None:
    dead = [get.array for get, update in _sources(loop, element) if _is_dead(loop, get, update)]
    if any(isinstance(origin(array, 0)[0].owner, Block) for array in dead):
        return None
    return next(iter(dead), None)


def _sources(
    loop: phi.ArrayOp, element: SSAValue
) -> Iterator[tuple[phi.GetOp, phi.UpdateOp | None]]:
    """Reads of arrays at the indices of a comprehension: of rows that it updates, or elements.

    A field of a record is a row that is no other field.
    """
    block, is_field = loop.body.block, element is not loop.yielded()
    update = _update_of_row(element, loop)
    if is_field and (update is None or not element.has_one_use()):
        return
    if update is not None:
        row = update.array.owner
        if isinstance(row, phi.GetOp) and row.is_at(loop.indices):
            yield row, update
    elif phi.is_scalar_type(element.type) and not any(op.regions for op in block.ops):
        for op in block.ops:
            if isinstance(op, phi.GetOp) and _is_at(op, loop) and op.result.type == element.type:
                yield op, None


def _update_of_row(element: SSAValue, loop: phi.ArrayOp) -> phi.UpdateOp | None:
    """The first of the updates that an element of a comprehension is made by, one of the other."""
    first = None
    while isinstance(op := element.owner, phi.UpdateOp) and op.parent is loop.body.block:
        if first is not None and not op.result.has_one_use():
            break
        first, element = op, op.array
    return first


def _is_dead(loop: phi.ArrayOp, get: phi.GetOp, update: phi.UpdateOp | None) -> bool:
    """Whether a comprehension may overwrite the array of a read, which is one of its block."""
    source, leaf = origin(get.array, 0)
    is_own = block_of(source) is loop.parent
    return is_own and _is_pointwise(source, leaf, loop, update)


def _is_exchanged(op: Loop, leaf: int) -> bool:
    """Whether the next value of an array of the accumulator is an array of it."""
    source, _ = origin(op.yielded(), leaf)
    return source is op.variables()[0]


def _is_pointwise(
    array: SSAValue,
    leaf: int,
    loop: phi.ArrayOp,
    row: phi.UpdateOp | None,
    bounds: PositionBounds | None = None,
) -> bool:
    """Whether a comprehension reads a leaf of a value, an array, only where it may overwrite it.

    It reads the array at the position whose element it computes only, and only operations before
    it read other elements. Or its elements are rows, each an update of one of the array, and it
    reads the row at its index, or elements that no step replaces.
    """
    pending = [(array, leaf)]
    rows = set[SSAValue]()
    while pending:
        value, number = pending.pop()
        for use in value.uses:
            user = use.operation
            if isinstance(user, phi.ProjOp):
                fields = fields_at(user.record.type, (user.field.value.data,))
                if number in fields:
                    pending.append((user.result, fields.index(number)))
            elif isinstance(user, phi.GetOp) and not phi.is_scalar_type(user.result.type):
                if loop.is_ancestor(user) and (value in rows or not _is_at(user, loop)):
                    return False
                rows.add(user.result)
                pending.append((user.result, number))
            elif not (
                isinstance(user, phi.SizeOp)
                or _reads_old(use, loop, row, is_row=value in rows)
                or (row is not None and bounds is not None and _is_apart(use, loop, row, bounds))
            ):
                return False
    return True


def _reads_old(use: Use, loop: phi.ArrayOp, row: phi.UpdateOp | None, *, is_row: bool) -> bool:
    """Whether a use of an array, or of a row of it, reads it before it is overwritten.

    In the comprehension, only the row at its indices is read.
    """
    user, block = use.operation, loop.parent
    assert block is not None
    outer = block.find_ancestor_op_in_block(user)
    if not isinstance(user, phi.GetOp | phi.UpdateOp) or use.index != 0 or outer is None:
        return False
    if outer is not loop:
        return isinstance(user, phi.GetOp) and outer.is_before_in_block(loop)
    is_own = loop.is_ancestor(user.array.owner) if is_row else _is_at(user, loop)
    if row is None or user is row:
        return is_own and (is_row or user is not row)
    inner = loop.body.block.find_ancestor_op_in_block(user)
    is_read = isinstance(user, phi.GetOp)
    return is_own and is_read and inner is not None and inner.is_before_in_block(row)


def _is_apart(use: Use, loop: phi.ArrayOp, row: phi.UpdateOp, bounds: PositionBounds) -> bool:
    """Whether a step reads an element, before it updates its row, that no step replaces."""
    get = use.operation
    if not isinstance(get, phi.GetOp) or use.index != 0 or not loop.is_ancestor(get):
        return False
    inner = loop.body.block.find_ancestor_op_in_block(get)
    is_before = inner is not None and inner.is_before_in_block(row)
    is_table = len(loop.indices) == len(row.positions) == 1 < len(get.positions)
    return (
        is_before
        and is_table
        and _is_last(row, loop)
        and not any(map(_may_not_end, operations_in(loop)))
        and _is_never_replaced(get, loop, row, bounds)
    )


def _is_last(row: phi.UpdateOp, loop: phi.ArrayOp) -> bool:
    """Whether a comprehension yields a row, or a record of it, after an update."""
    element = loop.yielded()
    fields = element.owner.fields if isinstance(element.owner, phi.TupleOp) else [element]
    return row.result in fields


def _may_not_end(op: Operation) -> bool:
    """Whether an operation may fail, or run for ever, by the elements that it reads."""
    return isinstance(op, phi.WhileOp | phi.AssertEqOp | phi.ExternOp)


def _is_never_replaced(
    get: phi.GetOp, loop: phi.ArrayOp, row: phi.UpdateOp, bounds: PositionBounds
) -> bool:
    """Whether ``a[p, q]`` is none of the elements ``a[i, w(i)]`` of other steps i: ``q != w(p)``.

    Positions clip, so each is a position in bounds, or one at an end. The tests around the read
    hold, and those of the write at p, which is in bounds. So is that of the step, and its tests
    hold, if only this write needs the element.
    """
    forms, array, index = bounds.forms, get.array, loop.indices[0]
    place, tests = unconditional(row.positions[0])
    written, rows, columns = forms.integer(place), forms.size(array, 0), forms.size(array, 1)
    if rows is None or columns is None or _varies(written, loop):
        return False
    sizes = rows, columns
    p, q = (forms.integer(forms.unclipped(*at)) for at in zip(get.positions, sizes, strict=False))
    writes = [form for test in tests for form in bounds.bounds_by(test) if not _varies(form, loop)]
    writes += [written, columns - 1 - written]
    around = bounds.where(tests_around(get.result), [])

    def is_apart(p: LinearForm, q: LinearForm, known: Sequence[LinearForm]) -> bool:
        def at(form: LinearForm) -> LinearForm:
            return form.substituted(index, p)

        own, other = p - LinearForm.of(index), at(written) - q
        all_known = [*known, *map(at, writes)]
        facts = around.knowing(all_known)
        return (
            all(map(facts.is_nonnegative, (own, -own)))
            or any(facts.is_nonnegative(side - 1) for side in (other, -other))
            or any(facts.is_nonnegative(-a - b - 1) for a, b in combinations(all_known, 2))
        )

    inside = writes if _is_for_write(get.result, row) else []
    return all(
        is_apart(x, y, [*inside, *known, *more])
        for x, known in _clipped(p, sizes[0])
        for y, more in _clipped(q, sizes[1])
    )


def _varies(form: LinearForm, loop: phi.ArrayOp) -> bool:
    """Whether a form has other values of a step than its index."""
    atoms = form.without(loop.indices).coefficients
    return any(is_within(atom, loop) for atom in atoms)


def _clipped(
    position: LinearForm, size: LinearForm
) -> list[tuple[LinearForm, Sequence[LinearForm]]]:
    """The positions that one clips to, with forms that are non-negative then."""
    zero, last = LinearForm(), size - 1
    return [
        (position, [position, last - position]),
        (zero, [-position - 1]),
        (last, [position - size]),
    ]


def _is_for_write(value: SSAValue, row: phi.UpdateOp) -> bool:
    """Whether a value in a step is only used for what an update writes."""
    pending, seen = [value], set[SSAValue]()
    while pending:
        for use in pending.pop().uses:
            op = use.operation
            if op is row and use.index == len(op.operands) - 1:
                continue
            outer = op.parent_op() if isinstance(op, phi.YieldOp) else op
            if outer is None or outer is row or outer.is_ancestor(row):
                return False
            pending += [each for each in outer.results if each not in seen]
            seen.update(outer.results)
    return True


def _is_at(op: Operation, loop: phi.ArrayOp) -> bool:
    """Whether an operation reads a part of an array at the indices of a comprehension."""
    return isinstance(op, phi.GetOp) and tuple(map(phi.uncast, op.positions))[
        : len(loop.indices)
    ] == tuple(loop.indices)


def _comprehension(value: SSAValue, leaf: int) -> tuple[phi.ArrayOp | None, SSAValue]:
    """The comprehension that computes a leaf of a record, and its element."""
    source, number = _origin(value, leaf)
    path = list[int]()
    while isinstance(source.owner, phi.ProjOp):
        path.insert(0, source.owner.field.value.data)
        source = source.owner.record
    loop = source.owner
    if not isinstance(loop, phi.ArrayOp):
        return None, source
    first = fields_at(source.type, tuple(path))[0] if path else 0
    element, _ = _origin(loop.yielded(), first + number)
    return loop, element


def _origin(value: SSAValue, leaf: int) -> tuple[SSAValue, int]:
    """The value that a leaf of a record is built from."""
    while isinstance(op := value.owner, phi.TupleOp):
        assert isa(op.result.type, TupleType)
        number, leaf = field_with(op.result.type, leaf)
        value = op.fields[number]
    return value, leaf
