"""``delay-carried-operands``: the carried value of a loop is combined last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType, UnitAttr, i1
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.index_bounds import IndexBounds
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.analysis.scopes import dependents, operations_of
from ein_mlir.backends.native.abi import UNPREDICTABLE
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass

EXTREMES = (
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.MaxUIOp,
    arith.MinUIOp,
)
"""The operations that may be regrouped: the least of several values is the same in every order."""

_OF_INTS = (arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp)


def combine_always(op: arith.SelectOp) -> bool:
    """``select c, min(x, y), x  -->  min(x, select(c, y, infinity))``: whether it was one."""
    for number, (chosen, other) in enumerate(((op.lhs, op.rhs), (op.rhs, op.lhs))):
        extreme = chosen.owner
        if not isinstance(extreme, EXTREMES) or not chosen.has_one_use():
            continue
        neutral = identity(extreme.name, chosen.type)
        if neutral is None or other not in extreme.operands or extreme.lhs is extreme.rhs:
            continue
        value = extreme.operands[1 - extreme.operands.index(other)]
        never = arith.ConstantOp(neutral)
        pair = (value, never.result) if number == 0 else (never.result, value)
        optional = arith.SelectOp(op.cond, *pair)
        new = copy_of(extreme, {value: optional.result})
        Rewriter.insert_op([never, optional, new], InsertPoint.before(op))
        Rewriter.replace_op(op, (), (new.results[0],))
        extreme.detach()
        extreme.erase()
        return True
    return False


def carried_values(loop: scf.ForOp) -> set[SSAValue]:
    """The values of a body that depend on the step before: by a value or by an array."""
    return _depending(loop, loop.body.block.args[1:])


def _recurrent_values(loop: scf.ForOp) -> set[SSAValue]:
    """Those that depend on steps before that one, too: others are known early in a step."""
    last = loop.body.block.last_op
    assert last is not None
    pairs = list(zip(loop.body.block.args[1:], last.operands, strict=True))
    while True:
        found = _depending(loop, [argument for argument, _ in pairs])
        kept = [pair for pair in pairs if pair[1] in found]
        if len(kept) == len(pairs):
            return found
        pairs = kept


def _depending(loop: scf.ForOp, carried: Sequence[SSAValue]) -> set[SSAValue]:
    """The values of a body that depend on carried ones, or on an element that the loop writes."""
    found = set[SSAValue](carried)
    stores = operations_of(loop, memref.StoreOp)
    counter = loop.body.block.args[0]
    bounds = IndexBounds(loop, [counter])
    for op in loop.body.block.ops:
        is_read = isinstance(op, memref.LoadOp) and any(
            op.memref is store.memref and not _reads_elsewhere(op, store, counter, bounds)
            for store in stores
        )
        if is_read or any(operand in found for operand in op.operands):
            found.update(op.results)
    return found


def _reads_elsewhere(
    load: memref.LoadOp, store: memref.StoreOp, counter: SSAValue, bounds: IndexBounds
) -> bool:
    """Whether a load is of no element that a step before has stored: another row, or ahead."""
    for read, written in zip(load.indices, store.indices, strict=True):
        position, place = bounds.of(read), bounds.of(written)
        if position and place and position.is_fixed and place.is_fixed:
            ahead = (position.least - place.least).known()
            step = place.least.coefficients.get(counter, 0)
            if ahead is not None and (ahead * step >= 0 if step else ahead != 0):
                return True
    return False


def _combine_always(loop: scf.ForOp) -> None:
    """Combine values that a step combines under a condition in every step."""
    for op in list(loop.body.block.ops):
        if isinstance(op, arith.SelectOp):
            combine_always(op)


@dataclass(frozen=True)
class _Late:
    """``select (y <= limit), value, y``: what waits for a carried ``y`` is a test and a choice."""

    carried: SSAValue
    limit: SSAValue
    value: SSAValue
    predicate: str


def _late(value: SSAValue, carried: set[SSAValue]) -> _Late | None:
    """The choice between a carried value and others that a value is: an extreme, or a choice."""
    op = value.owner
    if isinstance(op, arith.MaxSIOp | arith.MinSIOp):
        early, late = op.operands if op.rhs in carried else reversed(op.operands)
        predicate = "sle" if isinstance(op, arith.MaxSIOp) else "sge"
        is_one = late in carried and early not in carried
        return _Late(late, early, early, predicate) if is_one else None
    if isinstance(op, arith.SelectOp) and isinstance(test := op.cond.owner, arith.CmpiOp):
        predicate = predicate_of(test)
        is_late = op.rhs is test.lhs and op.rhs in carried
        if is_late and predicate in _HIGHEST and carried.isdisjoint((test.rhs, op.lhs)):
            return _Late(op.rhs, test.rhs, op.lhs, predicate)
    return None


def select_last(op: arith.SelectOp, carried: set[SSAValue]) -> bool:
    """``select c, v, max(x, y)  -->  select (y <= select c, highest, x), (select c, v, x), y``

    Two operations in place of three wait for the carried ``y``. No number is above the highest
    one, so that ``v`` is chosen where ``c`` holds. A choice like the result, of ``y <= a`` and
    ``x`` and ``y``, is one for another condition, too. Whether it was one.
    """
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if not other.has_one_use() or (found := _late(other, carried)) is None:
            continue
        bound = identity(_HIGHEST[found.predicate], value.type)
        if carried.isdisjoint((op.cond, value)) and bound is not None:
            _put_choice_last(op, value, other, found, arith.ConstantOp(bound))
            carried.add(op.result)
            return True
    return False


def _put_choice_last(
    op: arith.SelectOp, value: SSAValue, other: SSAValue, found: _Late, bound: arith.ConstantOp
) -> None:
    """Choose between two values, one of them a choice with a carried value, by its test alone."""
    limits = copy_of(op, {value: bound.result, other: found.limit})
    values = copy_of(op, {other: found.value})
    test = arith.CmpiOp(found.carried, limits.results[0], found.predicate)
    limits.attributes[UNPREDICTABLE] = op.attributes[UNPREDICTABLE] = UnitAttr()
    Rewriter.insert_op([bound, limits, values, test], InsertPoint.before(op))
    op.operands = (test.result, values.results[0], found.carried)
    inner = other.owner
    assert isinstance(inner, Operation)
    unused = [inner, inner.operands[0].owner] if isinstance(inner, arith.SelectOp) else [inner]
    for each in unused:
        if isinstance(each, Operation) and not any(each.results[0].uses):
            each.detach()
            each.erase()


_HIGHEST: Mapping[str, str] = {"sle": arith.MinSIOp.name, "sge": arith.MaxSIOp.name}
"""A comparison -> the operation whose identity it holds for, whatever is compared with that."""


def _is_part(op: Operation) -> bool:
    """Whether an operation is used once, by one of its kind next to it."""
    users = [use.operation for use in op.results[0].uses]
    return len(users) == 1 and type(users[0]) is type(op) and users[0].parent is op.parent


def _parts(op: Operation) -> Iterator[Operation]:
    """The operations of a combination but the last, users first."""
    for operand in op.operands:
        inner = operand.owner
        if isinstance(inner, EXTREMES) and type(inner) is type(op) and _is_part(inner):
            yield inner
            yield from _parts(inner)


def _leaves(op: Operation, parts: Sequence[Operation]) -> Iterator[SSAValue]:
    """The values that an operation combines."""
    for operand in op.operands:
        inner = operand.owner
        if isinstance(inner, EXTREMES) and inner in parts:
            yield from _leaves(inner, parts)
        else:
            yield operand


def delay(op: Operation, carried: set[SSAValue]) -> bool:
    """Combine the operands that a loop carries last; whether anything changed."""
    parts = list(_parts(op))
    leaves = list(_leaves(op, parts))
    late = [leaf for leaf in leaves if leaf in carried]
    early = [leaf for leaf in leaves if leaf not in carried]
    is_last = len(late) == 1 and late[0] in op.operands
    if not parts or not late or not early or is_last:
        return False
    _combine(op, [*early, *late])
    for part in parts:
        part.detach()
        part.erase()
    return True


def _combine(op: Operation, leaves: Sequence[SSAValue]) -> None:
    """Replace an operation by the combination of some values, one after the other."""
    first, *others = leaves
    for other in others:
        new = copy_of(op, {op.operands[0]: first, op.operands[1]: other})
        Rewriter.insert_op(new, InsertPoint.before(op))
        first = new.results[0]
    Rewriter.replace_op(op, (), (first,))


def _choose_last(loop: scf.ForOp, carried: set[SSAValue]) -> None:
    """Choose between what a loop carries and all else last."""
    for op in list(loop.body.block.ops):
        if isinstance(op, arith.SelectOp):
            select_last(op, carried)


def _mark(op: Operation, carried: set[SSAValue]) -> None:
    """Mark an extreme of Ints that the step before decides.

    A loop that carries an extreme alone seldom changes it, which a processor guesses well.
    """
    if not isinstance(op, _OF_INTS):
        return
    users = [use.operation for use in op.results[0].uses]
    if not carried.isdisjoint(op.operands) and not all(isinstance(u, scf.YieldOp) for u in users):
        op.attributes[UNPREDICTABLE] = UnitAttr()


def mark_search(loop: scf.ForOp) -> None:
    """Mark the choices of Ints in a search by halves: half of all guesses would be wrong.

    They depend on an element at a position that is half of what the loop carries.
    """
    halves = [op.result for op in loop.body.block.ops if isinstance(op, arith.ShRSIOp)]
    if not halves:
        return
    carried = carried_values(loop)
    places = dependents(loop.body.block, *(half for half in halves if half in carried))
    loads = (op for op in loop.body.block.ops if isinstance(op, memref.LoadOp))
    found = dependents(
        loop.body.block, *(op.res for op in loads if not places.isdisjoint(op.indices))
    )
    for op in loop.body.block.ops:
        if isinstance(op, arith.SelectOp) and op.cond in found and is_integer(op.result):
            op.attributes[UNPREDICTABLE] = UnitAttr()


def is_integer(value: SSAValue) -> bool:
    """Whether a value is an Int or an index."""
    return (isa(value.type, IntegerType) and value.type != i1) or isinstance(value.type, IndexType)


def _delay_in(loop: scf.ForOp) -> bool:
    """Combine what a loop carries last; whether any operation has changed."""
    if len(_extremes(loop)) > 1:
        _combine_always(loop)
    extremes = _extremes(loop)
    if not extremes:
        return False
    carried, recurrent = carried_values(loop), _recurrent_values(loop)
    roots = [op for op in extremes if not _is_part(op)] if len(extremes) > 1 else []
    changed = [delay(op, recurrent) for op in roots]
    _choose_last(loop, recurrent)
    for op in _extremes(loop):
        _put_last(op, recurrent)
        _mark(op, carried)
    return any(changed)


def _extremes(loop: scf.ForOp) -> list[Operation]:
    return [op for op in loop.body.block.ops if type(op) in EXTREMES]


def _put_last(op: Operation, carried: set[SSAValue]) -> None:
    """``max(carried, x)  -->  max(x, carried)``: processors test the first operand for NaN.

    Of two Ints LLVM tests whether the first is greater: a branch that is seldom taken, also where
    many of them are equal.
    """
    first, second = op.operands
    if first in carried and second not in carried:
        op.operands = (second, first)


class DelayCarriedOperandsPass(FunctionPass):
    """Combines the operands of minima and maxima that a loop carries after all others.

    Before::

        scf.for %j = %c0 to %m step %c1 {
          %left = memref.load %row[%j] : memref<?xf64>
          %0 = arith.minimumf %up, %left : f64
          %1 = arith.minimumf %0, %diagonal : f64
          ...
          memref.store %next, %row[%k] : memref<?xf64>
        }

    After::

          %left = memref.load %row[%j] : memref<?xf64>
          %0 = arith.minimumf %up, %diagonal : f64
          %1 = arith.minimumf %0, %left : f64

    A step waits for the result of the step before: a value, or an element of an array that the loop
    writes. Operations on other values run meanwhile. Extremes are the same in every order, up to
    the sign of a zero.

    Extremes of Ints that depend on the step before, and the choices of a search by halves, are
    marked: LLVM makes no branches of them, which processors would guess wrong.
    """

    name = "delay-carried-operands"
    looks_for = (scf.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for loop in operations_of(function, scf.ForOp):
            mark_search(loop)
            if _delay_in(loop):
                analyses.note(loop, "what the loop carries is combined last")
