"""Searches by halves in loops on numbers of Python, as calls of its own search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy import OBJECT
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.emitpy.use_python_numbers.plan import INT, Plan


def bodies_from_zero(plan: Plan) -> Sequence[Block]:
    """The bodies of loops by a condition that carry two Ints, which start with 0 or more."""
    return [
        op.body.block
        for op in plan.ops
        if isinstance(op, emitpy.ForOp)
        and op is not plan.loop
        and op.conditional is not None
        and [value.type for value in op.accumulators[1:]] == [INT, INT]
        and plan.ranges is not None
        and all(plan.ranges.of(value).low >= 0 for value in op.inits[1:])
    ]


def replace_halvings(bodies: Iterable[Block]) -> None:
    """A search by halves as a call, with the same comparisons::

    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if a[middle] < x else (low, middle)

    for a list or a memoryview, of any elements. The middle is in bounds. Comparisons may be those
    for which NaN is the last one, ``a[middle] < x or x != x and a[middle] == a[middle]``.
    """
    for body in bodies:
        loop = body.parent_op()
        if not isinstance(loop, emitpy.ForOp) or (found := _halving(loop)) is None:
            continue
        operands = [found.elements, found.value, *(_plain(loop.inits[k]) for k in found.ends)]
        name = "np.place_before_nan" if found.is_nan_last else "np.place_by_halves"
        call = emitpy.HelperOp(name, operands, OBJECT)
        place = call.results[0]
        place.name_hint = loop.res[found.ends[0]].name_hint
        Rewriter.insert_op(call, InsertPoint.before(loop))
        loop.res[found.ends[0]].replace_all_uses_with(place)
        condition = loop.inits[0].owner
        Rewriter.erase_op(loop)
        if isinstance(condition, emitpy.BinaryOp) and condition.result.first_use is None:
            Rewriter.erase_op(condition)


@dataclass(frozen=True)
class _Halving:
    """The elements and the value that are compared, and the numbers of the carried ends."""

    elements: SSAValue
    value: SSAValue
    ends: tuple[int, int]
    is_nan_last: bool


def _halving(loop: emitpy.ForOp) -> _Halving | None:
    """The search by halves that a loop is, of which only the lower end is read."""
    yielded = loop.yielded
    test, ends = _binary(yielded[0], "<"), (1, 2)
    if test is None or loop.counter.first_use is not None:
        return None
    if test == (yielded[2], yielded[1]):
        ends = (2, 1)
    low, high = (loop.accumulators[k] for k in ends)
    steps = [yielded[k].owner for k in ends]
    first = _binary(loop.inits[0], "<")
    starts = tuple(loop.inits[k] for k in ends)
    if (
        test != tuple(yielded[k] for k in ends)
        or first is None
        or not all(map(_same, first, starts))
    ):
        return None
    if any(loop.res[k].first_use is not None for k in (0, ends[1])):
        return None
    up, down = steps
    if not isinstance(up, emitpy.ConditionalOp) or not isinstance(down, emitpy.ConditionalOp):
        return None
    middle = down.if_false
    either = _binary(up.condition, "or")
    compared = _binary(up.condition if either is None else either[0], "<")
    if (
        compared is None
        or (either is not None and not _is_nan(*compared, either[1]))
        or up.condition is not down.condition
        or up.if_false is not low
        or down.if_true is not high
        or not _is_sum(up.if_true, middle, 1)
        or not _is_middle(middle, low, high)
    ):
        return None
    key, value = compared
    read = key.owner
    if not isinstance(read, emitpy.SubscriptOp) or list(read.indices) != [middle]:
        return None
    if is_within(read.object, loop) or is_within(value, loop) or read.object.type != OBJECT:
        return None
    return _Halving(read.object, value, ends, either is not None)


def _is_nan(key: SSAValue, value: SSAValue, test: SSAValue) -> bool:
    """Whether a test is ``value != value and key == key``."""
    sides = _binary(test, "and")
    return (
        sides is not None
        and _binary(sides[0], "!=") == (value, value)
        and _binary(sides[1], "==") == (key, key)
    )


def _binary(value: SSAValue, operator: str) -> tuple[SSAValue, SSAValue] | None:
    op = value.owner
    if not isinstance(op, emitpy.BinaryOp) or op.operator.data != operator:
        return None
    return op.lhs, op.rhs


def _same(x: SSAValue, y: SSAValue) -> bool:
    x, y = _plain(x), _plain(y)
    number = emitpy.literal_data(x)
    return x is y or (number is not None and number == emitpy.literal_data(y))


def _plain(value: SSAValue) -> SSAValue:
    """The value of which a number is the conversion to one of Python."""
    op = value.owner
    if isinstance(op, emitpy.CallOp) and op.callee.data == "int":
        return op.operands[0]
    return value


def _is_sum(value: SSAValue, x: SSAValue, number: int) -> bool:
    sides = _binary(value, "+")
    return sides is not None and sides[0] is x and emitpy.literal_data(sides[1]) == number


def _is_middle(value: SSAValue, low: SSAValue, high: SSAValue) -> bool:
    half = _binary(value, "//")
    total = None if half is None or emitpy.literal_data(half[1]) != 2 else _binary(half[0], "+")
    return total is not None and {*total} == {low, high}
