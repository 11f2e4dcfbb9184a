"""Arrays that a loop writes once: an element before a step is that of the result, or the first one.

A loop that computes an array element by element, such as a recurrence, a table, or the columns of a
matrix, needs no copy of the array for each step in its derivative.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.analysis.arithmetic.scalars import indices_below
from ein_mlir.analysis.phi.loops.writes import Write, last_write
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.records import origin
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.selections import Test, tests_around
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import PhiLevel
from ein_mlir.rewriting.phi.derivatives.tangents import Leaf, yielded_value
from ein_mlir.rewriting.phi.insertion import Builder


def read_result(
    op: phi.FoldOp,
    block: Block,
    wanted: Sequence[SSAValue],
    leaves: Sequence[SSAValue],
    costly: Mapping[SSAValue, Leaf],
) -> dict[SSAValue, SSAValue]:
    """``get acc[q]``  -->  ``select(q < k + c, get result[q], get init[q])``

    for an array of which step ``k`` writes at ``k + c`` only, along some axis. ``block`` is a copy
    of the body of a fold, with variables for the leaves of its accumulator, and for ``costly``
    values of it. If a loop in the step writes, its result is such a variable: an element of that is
    one with ``q <= k + c``. Returns the results with their variables.
    """
    replaced = dict[SSAValue, SSAValue]()
    needed = {each for outer in slice_of(block, wanted) for each in outer.walk()}
    for number, (leaf, after) in enumerate(
        zip(leaves, leaf_values(yielded_value(block)), strict=False)
    ):
        is_loop = after in costly
        found = {array: _reads(array, needed) for array in (leaf, *([after] if is_loop else []))}
        if not any(found.values()):
            continue
        counter, base = (
            (op.counter, (op.accumulator, number)) if is_loop else (block.args[0], (leaf, 0))
        )
        ints = Integers(PhiLevel())
        ints = ints.assuming(
            {x: indices_below(ints.range(op.count)) for x in (counter, block.args[0])}
        )
        place = _place_written(ints, counter, costly.get(after, (after, 0)), base)
        if place is None:
            continue
        axis, offset = place
        for later, (array, reads) in enumerate(found.items()):
            gets = [x for x in reads if isinstance(x, phi.GetOp) and x.array is array]
            if gets and len(gets) == len(reads) and all(len(x.positions) > axis for x in gets):
                first = Builder.before(op).leaves(op.init)[number]
                last = Builder.after(op).leaves(op.result)[number]
                replaced[last] = array
                for get in gets:
                    _read(ints, get, axis, block.args[0], offset + later, first, last)
    return replaced


def _reads(array: SSAValue, needed: Container[Operation]) -> list[Operation]:
    users = (use.operation for use in array.uses)
    return [user for user in users if user in needed and not isinstance(user, phi.SizeOp)]


def _place_written(
    ints: Integers, counter: SSAValue, after: Leaf, base: Leaf
) -> tuple[int, int] | None:
    """The axis along which a step writes at one position only, and its distance to the counter."""
    writes = _writes_behind(after, base)
    if not writes:
        return None
    first, *others = (_distances(ints, counter, write) for write in writes)
    return min((each for each in first if all(each in other for other in others)), default=None)


def _writes_behind(after: Leaf, base: Leaf) -> list[Write] | None:
    """The writes that a leaf is made by from another one, also in loops; None for other values."""
    found = list[Write]()
    while (leaf := origin(*after)) != base:
        value, number = leaf
        op = value.owner
        if isinstance(op, phi.FoldOp):
            inside = _writes_behind((op.yielded(), number), (op.accumulator, number))
            if inside is None:
                return None
            found += inside
            after = op.init, number
        elif isinstance(op, Operation) and op.parent and (write := last_write(value, op.parent)):
            found.append(write)
            after = write.base, 0
        else:
            return None
    return found


def _distances(ints: Integers, counter: SSAValue, write: Write) -> set[tuple[int, int]]:
    """The axes whose positions in a write are some steps from the counter, with their number."""
    found = set[tuple[int, int]]()
    for number, position in enumerate(write.positions):
        form = ints.form(position)
        distance = (form - LinearForm.of(counter)).known()
        if distance is not None and ints.is_exact(form):
            found.add((len(write.indices) + number, distance))
    return found


def _read(
    ints: Integers,
    get: phi.GetOp,
    axis: int,
    counter: SSAValue,
    offset: int,
    first: SSAValue,
    last: SSAValue,
) -> None:
    """Replace the array that an element is read from."""
    position = ints.integer(get.positions[axis])
    end = LinearForm.of(counter) + offset
    is_inside = (
        ints.is_nonnegative(position)
        or ints.is_at_most(LinearForm.number(1), end)
        or any(_implies_nonnegative(ints, test, position) for test in tests_around(get.result))
    )
    if ints.is_below(position, end) and is_inside:
        get.operands[0] = last
        return
    build = Builder.before(get)
    at = build.as_int(get.positions[axis])
    clipped = build.max(build.min(at, build.sub(build.size(first, axis), 1)), 0)
    is_written = build.compare(clipped, "slt", build.add(counter, offset))
    elements = [build.get(array, get.positions) for array in (last, first)]
    get.result.replace_all_uses_with(build.select(is_written, *elements))


def _implies_nonnegative(ints: Integers, test: Test, position: LinearForm) -> bool:
    """Whether a position is not negative where a test of Ints holds."""
    found = relation_of(test.condition, expected=test.expected)
    if found is None:
        return False
    sides = ints.form(found.lhs), ints.form(found.rhs)
    limit = found.nonpositive(*sides) if all(map(ints.is_exact, sides)) else None
    excess = None if limit is None else (-position - limit).known()
    return excess is not None and excess <= 0
