"""``skip-empty-parts``: of arrays end to end, those without elements are not computed."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.ir import Block, Operation, Region, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.effects import is_pure
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import is_within, operands_within
from ein_mlir.dialects import yarr
from ein_mlir.dialects.yarr.base import Size
from ein_mlir.dialects.yarr.constants import constant_value, is_zero
from ein_mlir.dialects.yarr.known_sizes import size_of
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.yarr.builders import elementwise


def skip_empty_parts(block: Block) -> None:
    """Rewrite the joins of a block, and of the blocks in it, of which one part has no elements."""
    for op in list(block.ops):
        if isinstance(op, yarr.FoldOp) and (choice := _added(op)) is not None:
            _skip_steps(op, choice)
            continue
        for region in op.regions:
            for inner in region.blocks:
                skip_empty_parts(inner)
        if isinstance(op, yarr.ConcatOp) and op.parent is not None:
            for join in _nested(op):
                if (condition := _condition(join)) is not None:
                    _skip(_together(join, condition), condition)


def _added(op: yarr.FoldOp) -> _Choice | None:
    """The choice between 0 and another number of terms of the sum that each step of a fold adds."""
    last = op.body.block.last_op
    assert isinstance(last, yarr.YieldOp)
    if len(last.values) != 1:
        return None
    (accumulator,), step = op.accumulators, last.values[0].owner
    if isinstance(step, yarr.FoldOp):
        return _added(step) if step.inits[0] is accumulator else None
    if not isinstance(step, yarr.ElementwiseOp) or not step.is_binary(arith.AddfOp):
        return None
    terms = [value for value in step.arguments if value is not accumulator]
    return _terms(terms[0]) if len(terms) == 1 else None


def _terms(sum_: SSAValue) -> _Choice | None:
    """The choice between 0 and another number of terms of a sum.

    Its product with a mask is 0 without terms, too, where it is computed in order otherwise.
    """
    while isinstance(sum_.owner, yarr.InOrderOp):
        sum_ = sum_.owner.array
        op = sum_.owner
        if isinstance(op, yarr.ElementwiseOp) and op.is_binary(arith.MulfOp):
            return next(filter(None, map(_terms, op.arguments)), None)
    if isinstance(sum_.owner, yarr.FoldOp):
        return _added(sum_.owner) if is_zero(sum_.owner.inits[0]) else None
    if not isinstance(sum_.owner, yarr.EinsumOp):
        return None
    inputs, output = yarr.split_subscripts(sum_.owner.subscripts.data)
    for array, letters in zip(sum_.owner.arrays, inputs, strict=True):
        for axis, letter in enumerate(letters):
            choice = None if letter in output else _choice(array, axis)
            if choice is not None and 0 in map(constant_value, (choice.lhs, choice.rhs)):
                return choice
    return None


def _skip_steps(op: yarr.FoldOp, choice: _Choice) -> None:
    """``fold (k < n)  -->  fold (k < (c ? 0 : n))`` for steps that add sums of no terms if c."""
    if any(is_within(value, op) for value in (choice.cond, choice.lhs, choice.rhs)):
        return
    zero = yarr.size_constant(0)
    is_empty = (constant_value(side) == 0 for side in (choice.lhs, choice.rhs))
    counts = (zero.result if empty else op.count for empty in is_empty)
    steps = elementwise(arith.SelectOp, choice.cond, *counts)
    Rewriter.insert_op([zero, steps], InsertPoint.before(op))
    op.operands[0] = steps.result


def _nested(op: yarr.ConcatOp) -> list[yarr.ConcatOp]:
    """``x ++ y ++ z of n`` as two joins, if one end has all elements or none; the outer one first.

    ``x ++ (y ++ z of (c ? 0 : n)) of n`` if x has n elements if c, and y and z have none then;
    ``(x ++ y of (c ? n : 0)) ++ z of n`` if z has n elements unless c, and none if c.
    """
    (*firsts, last), size, axis = op.arrays, op.size, op.axis.value.data
    if size is None or len(firsts) < 2:
        return [op]
    start, end = _choice(firsts[0], axis), _choice(last, axis)
    zero = yarr.size_constant(0)
    if end is not None and constant_value(end.lhs) == 0 and end.rhs is size:
        own = elementwise(arith.SelectOp, end.cond, size, zero.result)
        inner = yarr.ConcatOp(firsts, axis, own)
        outer = yarr.ConcatOp([inner, last], axis, size)
    elif start is not None and _is_first(start, op):
        own = elementwise(arith.SelectOp, start.cond, zero.result, size)
        inner = yarr.ConcatOp([*firsts[1:], last], axis, own)
        outer = yarr.ConcatOp([firsts[0], inner], axis, size)
    else:
        return [op]
    Rewriter.insert_op([zero, own, inner], InsertPoint.before(op))
    Rewriter.replace_op(op, outer)
    return [outer, *_nested(inner)]


def _is_first(start: _Choice, op: yarr.ConcatOp) -> bool:
    """Whether the first part has all elements if a condition holds, and the others have none."""
    rest = (_size(each, op.axis.value.data) for each in op.arrays[1:])
    return constant_value(start.rhs) == 0 and all(_is_empty_if(start.cond, each) for each in rest)


def _is_empty_if(condition: SSAValue, size: Size) -> bool:
    """Whether a size is 0 if a condition holds, as a choice or as a choice of such sizes."""
    if not isinstance(size, SSAValue):
        return size == 0
    if not isinstance(op := size.owner, yarr.ElementwiseOp) or not _is_choice(op):
        return constant_value(size) == 0
    choice = _Choice(op)
    if choice.cond is condition:
        return constant_value(choice.lhs) == 0
    return all(_is_empty_if(condition, side) for side in (choice.lhs, choice.rhs))


def _condition(op: yarr.ConcatOp) -> SSAValue | None:
    """The Bool that decides which of two parts has elements: the first one if it is true."""
    if len(op.arrays) != 2 or op.arrays[0].type != op.arrays[1].type:
        return None
    first, second = (_choice(array, op.axis.value.data) for array in op.arrays)
    if first is None or second is None or first.cond is not second.cond:
        return None
    is_empty = constant_value(first.rhs) == constant_value(second.lhs) == 0
    return first.cond if is_empty else None


def _is_choice(op: yarr.ElementwiseOp) -> bool:
    return isinstance(op.scalar_operation(), arith.SelectOp)


class _Choice:
    """The size ``cond ? lhs : rhs``."""

    def __init__(self, op: yarr.ElementwiseOp):
        self.cond, self.lhs, self.rhs = op.arguments


def _choice(array: SSAValue, axis: int) -> _Choice | None:
    """The choice between two Ints that the size of an array along an axis is."""
    match _size(array, axis):
        case SSAValue(owner=yarr.ElementwiseOp() as op) if _is_choice(op):
            return _Choice(op)
        case _:
            return None


def _size(array: SSAValue, axis: int) -> Size:
    """The Int that is the size of an array along an axis, or the array from which it is."""
    while isinstance(op := array.owner, Operation):
        match _size_in_loop(op, array, axis) if isinstance(op, yarr.FoldOp) else size_of(op, axis):
            case (array, axis):
                pass
            case None:
                break
            case size:
                return size
    return array, axis


def _size_in_loop(op: yarr.FoldOp, result: SSAValue, axis: int) -> Size | None:
    """The initial size of a result of a loop, if all steps keep it."""
    number, last = op.results.index(result), op.body.block.last_op
    assert isinstance(last, yarr.YieldOp)
    initial, next_ = _size(op.inits[number], axis), _size(last.values[number], axis)
    return initial if next_ in (initial, (op.accumulators[number], axis)) else None


def _together(join: yarr.ConcatOp, condition: SSAValue) -> list[yarr.ConcatOp]:
    """A join, and the later ones by the same condition that need no result of these.

    Operations that need results move behind the last of these joins.
    """
    joins, known, users = [join], set[SSAValue](join.results), list[Operation]()
    for op in _following(join):
        if not known.isdisjoint(operands_within(op)):
            known.update(op.results)
            users.append(op)
        elif isinstance(op, yarr.ConcatOp) and _condition(op) is condition:
            if not all(map(is_pure, users)):
                break
            for each in reversed(users):
                each.detach()
                Rewriter.insert_op(each, InsertPoint.after(op))
            joins.append(op)
            known.update(op.results)
    return joins


def _following(op: Operation) -> list[Operation]:
    """The operations behind another one in its block."""
    found = list[Operation]()
    while (following := (found[-1] if found else op).next_op) is not None:
        found.append(following)
    return found


def _skip(joins: Sequence[yarr.ConcatOp], condition: SSAValue) -> None:
    """``x ++ y  -->  fold (k < (c ? 0 : 1), acc = x) { y }`` for a y without elements if c."""
    firsts, seconds = zip(*(join.arrays for join in joins), strict=True)
    body = Block(arg_types=[yarr.SIZE_TYPE, *(first.type for first in firsts)])
    for each in reversed(_only_for(joins)):
        each.detach()
        body.add_op(each)
    body.add_op(yarr.YieldOp(*seconds))
    zero, one = yarr.size_constant(0), yarr.size_constant(1)
    steps = elementwise(arith.SelectOp, condition, zero.result, one.result)
    fold = yarr.FoldOp(steps, firsts, Region(body))
    fold.location = joins[0].location
    Rewriter.insert_op([zero, one, steps, fold], InsertPoint.before(joins[-1]))
    for join, result in zip(joins, fold.res, strict=True):
        result.name_hint = join.result.name_hint
        join.result.replace_all_uses_with(result)
        Rewriter.erase_op(join)


def _only_for(joins: Sequence[yarr.ConcatOp]) -> list[Operation]:
    """The pure operations that only the second parts of joins depend on, the last one first."""
    block, found = joins[0].parent, dict[Operation, None]()
    assert block is not None

    def is_inside(use: Use) -> bool:
        is_part = use.operation in joins and use.index == 1
        return is_part or block.find_ancestor_op_in_block(use.operation) in found

    before = joins[-1].prev_op
    while before is not None:
        uses = [use for result in before.results for use in result.uses]
        if uses and all(map(is_inside, uses)) and is_pure(before):
            found[before] = None
        before = before.prev_op
    return list(found)


class SkipEmptyPartsPass(FunctionPass):
    """Computes of two arrays end to end only the one that has elements.

    Before, where ``%c`` is a Bool and ``%n`` a size::

        %p = yarr.elementwise { arith.select } %c, %n, %0 : ..
        %q = yarr.elementwise { arith.select } %c, %0, %n : ..
        %x = yarr.slice %a, 0, %0, %p step 1 : tensor<?xf64> -> tensor<?xf64>
        %i = yarr.range %q : tensor<?xi64>
        %y = yarr.take %a, 0, %i : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
        %r = yarr.concat %x, %y axis 0 of %n : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>

    After::

        %x = yarr.slice %a, 0, %0, %p step 1 : tensor<?xf64> -> tensor<?xf64>
        %k = yarr.elementwise { arith.select } %c, %0, %1 : ..
        %r = yarr.fold (%step < %k, %acc = %x) -> tensor<?xf64> {
          %i = yarr.range %q : tensor<?xi64>
          %y = yarr.take %a, 0, %i : (tensor<?xf64>, tensor<?xi64>) -> tensor<?xf64>
          yarr.yield %y : tensor<?xf64>
        }

    A loop that adds contractions over an axis of the size ``%p`` has no steps where that is 0.

    A loop of at most one step is a condition. The first part is the array if the second one has no
    elements, and the other way round: neither is copied. Arrays that the same Bool joins are
    one such loop, which also computes the values that several second parts share. Of several parts
    one end may have all elements or none: the others are joined by themselves. Such parts are made
    by `delinearize-indices`, and by `split-index-ranges` for Ints with which sums may wrap.
    """

    name = "skip-empty-parts"
    looks_for = (yarr.ConcatOp, yarr.FoldOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        skip_empty_parts(function.body.block)
