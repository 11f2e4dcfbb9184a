"""Loops that are split into an interior and borders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, UnitAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.backends.native import abi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.loops.split_loops.interior import Interior, Loop, end_of
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.loops.index_values import IndexValues

FEW_STEPS = 8
"""The most steps of a border at which vectors do not pay."""

INDEX = IndexType()


@dataclass(frozen=True)
class _Ranges:
    """The bounds of the interior of a loop, and the number of its other steps."""

    low: SSAValue
    inside: SSAValue
    outside: SSAValue
    has_end: bool
    """Whether other steps may be after the interior."""


def _ranges(nest: Loop, found: Interior) -> _Ranges:
    """``low = min(max(0, ..), n)``, ``high = max(min(n, ..), low)``"""
    emit, end = IndexValues(Builder(InsertPoint.before(nest))), end_of(nest)
    low, high = emit.integer(0), end
    for form in dict.fromkeys(form for form in found.lows if (form.known() or 0) >= 0):
        low = emit.build.insert(arith.MaxSIOp(low, emit.form(form))).result
    for form in dict.fromkeys(found.highs):
        high = emit.build.insert(arith.MinSIOp(high, emit.form(form))).result
    if known_int(low) is None:
        low = emit.build.insert(arith.MinSIOp(low, end)).result
    high = emit.build.insert(arith.MaxSIOp(high, low)).result
    inside = emit.combined(high, "-", low)
    return _Ranges(low, inside, emit.combined(end, "-", inside), bool(found.highs))


def split(nest: scf.ParallelOp, found: Interior) -> None:
    """Run the interior of a nest, then its borders; rows are run at a time.

    A nest with loops may gain more from an order in which it runs as a whole, if it is mostly
    border.
    """
    ranges = _ranges(nest, found)
    if not any(isinstance(op, scf.ForOp) for op in nest.body.block.ops):
        new = _rows(nest, found, ranges)
        Rewriter.replace_op(nest, new)
        return
    emit = IndexValues(Builder(InsertPoint.before(nest)))
    is_most = emit.build.insert(arith.CmpiOp(ranges.inside, ranges.outside, "sge")).result
    then = Block([*_whole(nest, found, ranges), scf.YieldOp()])
    otherwise = Block()
    choice = scf.IfOp(is_most, [], Region(then), Region(otherwise))
    Rewriter.insert_op(choice, InsertPoint.before(nest))
    nest.detach()
    otherwise.add_ops([nest, scf.YieldOp()])


def split_steps(loop: scf.ForOp, found: Interior) -> None:
    """Run the steps before the interior, those of the interior, and those after it."""
    ranges = _ranges(loop, found)
    emit = IndexValues(Builder(InsertPoint.before(loop)))
    high = emit.combined(ranges.low, "+", ranges.inside)
    carried: Sequence[SSAValue] = loop.iter_args
    parts = [(ranges.low, high)]
    if any(form.known() != 0 for form in found.lows):
        parts.insert(0, (loop.lb, ranges.low))
    if found.highs:
        parts.append((high, loop.ub))
    for first, last in parts:
        body = Block(arg_types=[each.type for each in loop.body.block.args])
        is_border = first is not ranges.low
        known = found.outside if is_border else found.values
        _copy(loop, Builder(InsertPoint.at_end(body)), body.args, known)
        part = scf.ForOp(first, last, loop.step, carried, Region(body))
        _mark_border(part, found if is_border else None)
        emit.build.insert(part)
        carried = part.results
    Rewriter.replace_op(loop, (), carried)


def _rows(nest: scf.ParallelOp, found: Interior, ranges: _Ranges) -> Sequence[Operation]:
    """``for i { for j inside { .. }; for j outside { .. } }``"""
    rank = len(nest.lowerBound)
    if rank == 1:
        return _whole(nest, found, ranges)
    outer = Block(arg_types=[INDEX] * (rank - 1))
    for new, old in zip(outer.args, nest.body.block.args, strict=False):
        new.name_hint = old.name_hint
    zero, one = nest.lowerBound[-1], nest.step[-1]
    for count, place in ((ranges.inside, _inner), (ranges.outside, _border)):
        body = Block(arg_types=[INDEX])
        build = Builder(InsertPoint.at_end(body))
        index = place(build, ranges, body.args[0])
        _copy(nest, build, [*outer.args, index], found.values if place is _inner else found.outside)
        outer.add_op(_loop([zero], [count], [one], body, found if place is _border else None))
    outer.add_op(scf.ReduceOp())
    lowers, uppers, steps = (
        list(bounds)[:-1] for bounds in (nest.lowerBound, nest.upperBound, nest.step)
    )
    return [scf.ParallelOp(lowers, uppers, steps, Region(outer))]


def _whole(nest: scf.ParallelOp, found: Interior, ranges: _Ranges) -> Sequence[Operation]:
    """``for i, j inside { .. }; for i, j outside { .. }``"""
    new = list[Operation]()
    for count, place in ((ranges.inside, _inner), (ranges.outside, _border)):
        body = Block(arg_types=[INDEX] * len(nest.body.block.args))
        build = Builder(InsertPoint.at_end(body))
        index = place(build, ranges, body.args[-1])
        known = found.values if place is _inner else found.outside
        _copy(nest, build, [*list(body.args)[:-1], index], known)
        uppers = [*list(nest.upperBound)[:-1], count]
        border = found if place is _border else None
        new.append(_loop(list(nest.lowerBound), uppers, list(nest.step), body, border))
    return new


def _loop(
    lowers: Sequence[SSAValue],
    uppers: Sequence[SSAValue],
    steps: Sequence[SSAValue],
    body: Block,
    border: Interior | None,
) -> scf.ParallelOp:
    loop = scf.ParallelOp(lowers, uppers, steps, Region(body))
    _mark_border(loop, border)
    return loop


def _mark_border(loop: Loop, border: Interior | None) -> None:
    """LLVM does not vectorise a loop over a border of few steps."""
    if border is not None and border.border is not None and border.border <= FEW_STEPS:
        loop.attributes[abi.FEW_STEPS] = UnitAttr()


def _inner(build: Builder, ranges: _Ranges, number: SSAValue) -> SSAValue:
    """The index of a step of the interior."""
    return build.insert(arith.AddiOp(ranges.low, number)).result


def _border(build: Builder, ranges: _Ranges, number: SSAValue) -> SSAValue:
    """The index of another step: before the interior, or after it."""
    if not ranges.has_end:
        return number
    after = build.insert(arith.AddiOp(number, ranges.inside)).result
    if known_int(ranges.low) == 0:
        return after
    is_before = build.insert(arith.CmpiOp(number, ranges.low, "slt")).result
    return build.insert(arith.SelectOp(is_before, number, after)).result


def _copy(
    nest: Loop,
    build: Builder,
    indices: Sequence[SSAValue],
    known_values: Mapping[SSAValue, SSAValue | bool],
) -> None:
    """Copy the body of a nest, with values that are known in these steps."""
    block = nest.body.block
    values = dict[SSAValue, SSAValue](zip(block.args, indices, strict=True))
    for op in block.ops:
        build.insert(copy_of(op, values))
    if not known_values:
        return
    for old, known in known_values.items():
        new = values[old]
        if isinstance(known, bool):
            assert isinstance(new.owner, Operation)
            before = Builder(InsertPoint.before(new.owner))
            known = before.insert(arith.ConstantOp(IntegerAttr(int(known), i1))).result
            new.replace_all_uses_with(known)
        else:
            new.replace_all_uses_with(values.get(known, known))
    copied = build.insertion_point.block
    for op in [each for top in copied.ops for each in operations_in(top)]:
        simplified = _simplified(op)
        if simplified is not None:
            op.results[0].replace_all_uses_with(simplified)
    erase_unused(copied)


def _simplified(op: Operation) -> SSAValue | None:
    """The operand that a choice, or an operation on truth values, is, if a condition is known."""
    match op:
        case arith.SelectOp():
            known = known_int(op.cond)
            return None if known is None else op.lhs if known else op.rhs
        case arith.AndIOp() | arith.OrIOp() if op.result.type == i1:
            neutral = isinstance(op, arith.AndIOp)
            for one, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                known = known_int(one)
                if known is not None:
                    return other if bool(known) is neutral else one
            return None
        case _:
            return None
