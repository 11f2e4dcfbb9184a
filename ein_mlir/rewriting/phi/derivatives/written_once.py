"""Arrays that a loop writes once: an element before a step is that of the result, or the first one.

A loop that computes an array element by element, such as a recurrence, a table, or the columns of a
matrix, needs no copy of the array for each step in its derivative.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.analysis.arithmetic.scalars import indices_below
from ein_mlir.analysis.phi.loops.writes import Write, writes_behind
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.selections import Test, tests_around
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import PhiLevel
from ein_mlir.rewriting.phi.derivatives.tangents import yielded_value
from ein_mlir.rewriting.phi.insertion import Builder


def read_result(
    op: phi.FoldOp, block: Block, wanted: Sequence[SSAValue], leaves: Sequence[SSAValue]
) -> dict[SSAValue, SSAValue]:
    """``get acc[q]``  -->  ``select(q < k + c, get result[q], get init[q])``

    for an array of which step ``k`` writes at ``k + c`` only, along some axis. ``block`` is a copy
    of the body of a fold, with variables for the leaves of its accumulator. Returns the results
    with their variables.
    """
    replaced = dict[SSAValue, SSAValue]()
    ints = Integers(PhiLevel())
    ints = ints.assuming({block.args[0]: indices_below(ints.range(op.count))})
    needed = {each for outer in slice_of(block, wanted) for each in outer.walk()}
    for number, (leaf, after) in enumerate(
        zip(leaves, leaf_values(yielded_value(block)), strict=False)
    ):
        reads = [use.operation for use in leaf.uses if use.operation in needed]
        reads = [read for read in reads if not isinstance(read, phi.SizeOp)]
        found = _place_written(ints, block, leaf, after) if reads else None
        if found is None:
            continue
        axis, offset = found
        gets = [each for each in reads if isinstance(each, phi.GetOp) and each.array is leaf]
        if len(gets) == len(reads) and all(len(get.positions) > axis for get in gets):
            first = Builder.before(op).leaves(op.init)[number]
            last = Builder.after(op).leaves(op.result)[number]
            replaced[last] = leaf
            for get in gets:
                _read(ints, get, axis, block.args[0], offset, first, last)
    return replaced


def _place_written(
    ints: Integers, block: Block, leaf: SSAValue, after: SSAValue
) -> tuple[int, int] | None:
    """The axis along which a step writes at one position only, and its distance to the counter."""
    writes = writes_behind(after, block, lambda value: value is leaf)
    if not writes:
        return None
    first, *others = (_distances(ints, block.args[0], write) for write in writes)
    return min((each for each in first if all(each in other for other in others)), default=None)


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
