"""``split-loops``: loops are split where positions near a border need a clip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, UnitAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.index_bounds import (
    IndexBounds,
    is_negative,
    is_possible,
    is_size,
    uncast,
)
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.predicates import SWAPPED
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.backends.native import abi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.loops.index_values import IndexValues
from ein_mlir.rewriting.passes import FunctionPass

MOST_OPERATIONS = 400
"""A larger body is not copied."""

WIDEST_BORDER = 64
"""The most steps before or after which a comparison changes that counts as one at a border."""

FEW_STEPS = 8
"""The most steps of a border at which vectors do not pay."""

INDEX = IndexType()


# Analysis ---------------------------------------------------------------------------------------


@dataclass
class Interior:
    """The steps of a loop in which clips do nothing and comparisons are decided."""

    lows: list[LinearForm] = field(default_factory=list[LinearForm])
    """The first of these steps is at least each of these."""
    highs: list[LinearForm] = field(default_factory=list[LinearForm])
    """The last of them is below each of these."""
    values: dict[SSAValue, SSAValue | bool] = field(
        default_factory=dict[SSAValue, "SSAValue | bool"]
    )
    """The clips and comparisons, with their values there."""
    border: int | None = None
    """The most steps that are not in it, if their number is known."""


class _Finder:
    """Finds the interior of the last loop of a nest."""

    def __init__(self, nest: scf.ParallelOp):
        self._nest = nest
        self._index = nest.body.block.args[-1]
        self._bounds = IndexBounds(nest, [self._index])
        self._end = self._bounds.of(nest.upperBound[-1])
        self.found = Interior()

    def interior(self) -> Interior | None:
        """The interior, if some position of an innermost axis, or a count, is simpler there."""
        body = operations_in(self._nest)[1:]
        for op in body:
            match op:
                case arith.MinSIOp():
                    self._add_upper(op)
                case arith.MaxSIOp():
                    self._add_lower(op)
                case arith.CmpiOp():
                    self._add_comparison(op)
                case _:
                    pass
        positions = [
            op.indices[-1]
            for op in body
            if isinstance(op, memref.LoadOp | memref.StoreOp) and op.indices
        ]
        counts = [op.ub for op in body if isinstance(op, scf.ForOp)]
        needed = _operands_within(self._nest, [*positions, *counts])
        self.found.border = self._border()
        is_split = bool(self.found.lows or self.found.highs)
        return self.found if is_split and not needed.isdisjoint(self.found.values) else None

    def _border(self) -> int | None:
        """The most steps outside of the interior; in a shorter loop than that, all are."""
        end = self._end.least if self._end is not None and self._end.is_fixed else None
        starts = [form.known() for form in self.found.lows]
        ends = [None if end is None else (end - form).known() for form in self.found.highs]
        known = [number for number in (*starts, *ends) if number is not None]
        if len(known) < len(starts) + len(ends):
            return None
        return max([0, *known[: len(starts)]]) + max([0, *known[len(starts) :]])

    def _inside(self, value: SSAValue) -> SSAValue:
        """The position that a clipped one is in the interior."""
        position = uncast(value)
        known = self.found.values.get(position)
        return self._inside(known) if isinstance(known, SSAValue) else position

    def _distance(self, value: SSAValue) -> tuple[LinearForm, LinearForm] | None:
        """The least and the greatest ``c`` of a position ``j + c``, for the index j."""
        found = self._bounds.of(value)
        if found is None or not all(map(self._is_known, found.forms())):
            return None
        if any(form.coefficients.get(self._index) != 1 for form in found.forms()):
            return None
        own = LinearForm.of(self._index)
        return found.least - own, found.greatest - own

    def _is_known(self, form: LinearForm) -> bool:
        return all(is_size(atom, self._nest) for atom in form.coefficients)

    def _is_border(self, excess: LinearForm) -> bool:
        """Whether the last step exceeds a limit, by its sizes; `version-loops` tests all others."""
        end = self._end
        return end is not None and end.is_fixed and not is_possible(end.least - 1 + excess)

    def _is_never(self, excess: LinearForm) -> bool:
        """Whether no step exceeds a limit."""
        end = self._end
        return end is not None and end.is_fixed and is_negative(end.least - 1 + excess)

    def _limit(self, value: SSAValue) -> LinearForm | None:
        """A number that is the same in all steps."""
        found = self._bounds.of(value)
        is_same = found is not None and found.is_fixed and self._is_known(found.least)
        if found is None or not is_same or self._index in found.least.coefficients:
            return None
        return found.least

    def _add_upper(self, op: arith.MinSIOp) -> None:
        """``min(j + c, last)`` is ``j + c`` below ``last - c + 1``; a count is the last after."""
        distance, last = self._distance(self._inside(op.lhs)), self._limit(op.rhs)
        if distance is None or last is None:
            return
        if self._is_never(distance[1] - last):
            self._remove(op)
        elif self._is_border(distance[1] - last):
            self.found.highs.append(last - distance[1] + 1)
            self._remove(op)
        elif _is_count(op.result) and distance[0] == distance[1]:
            self.found.lows.append(last - distance[0])
            self.found.values[op.result] = op.rhs

    def _add_lower(self, op: arith.MaxSIOp) -> None:
        """``max(j + c, 0)`` is ``j + c`` from ``-c`` on."""
        distance = self._distance(self._inside(op.lhs))
        if known_int(op.rhs) != 0 or distance is None:
            return
        if is_negative(-distance[0]):
            self._remove(op)
        elif not is_possible(-distance[0]):
            self.found.lows.append(-distance[0])
            self._remove(op)

    def _remove(self, clip: arith.MinSIOp | arith.MaxSIOp) -> None:
        """A clip is its position, which may be a clip itself."""
        self.found.values[clip.result] = self.found.values.get(clip.lhs, clip.lhs)

    def _add_comparison(self, op: arith.CmpiOp) -> None:
        """``j + c < x`` is decided from ``x - c`` on if that is near the start, or before it."""
        lhs, rhs, predicate = op.lhs, op.rhs, _PREDICATES.get(op.predicate.value.data)
        if predicate is None:
            return
        if self._distance(lhs) is None:
            lhs, rhs, predicate = rhs, lhs, SWAPPED[predicate]
        distance, limit = self._distance(lhs), self._limit(rhs)
        if distance is None or limit is None or distance[0] != distance[1]:
            return
        change = limit - distance[0]
        if predicate in ("<=", ">"):
            change, predicate = change + 1, "<" if predicate == "<=" else ">="
        self._decide(op, change, predicate)

    def _decide(self, op: arith.CmpiOp, change: LinearForm, predicate: str) -> None:
        start, end = change.known(), None
        if self._end is not None and self._end.is_fixed:
            end = (change - self._end.least).known()
        if start is not None and abs(start) <= WIDEST_BORDER:
            self.found.lows.append(change + (1 if predicate in ("==", "!=") else 0))
            self.found.values[op.result] = predicate in (">=", "!=")
        elif end is not None and abs(end) <= WIDEST_BORDER:
            self.found.highs.append(change)
            self.found.values[op.result] = predicate in ("<", "!=")


def _is_count(value: SSAValue) -> bool:
    """Whether a value is the upper bound of loops alone: windows at the start are shorter."""
    uses = list(value.uses)
    for use in value.uses:
        if isinstance(use.operation, arith.IndexCastOp):
            uses.remove(use)
            uses += use.operation.result.uses
    return bool(uses) and all(
        isinstance(use.operation, scf.ForOp) and use.index == 1 for use in uses
    )


_PREDICATES = {0: "==", 1: "!=", 2: "<", 3: "<=", 4: ">", 5: ">="}
"""The numbers of the comparisons of signed integers."""


def _operands_within(nest: Operation, values: Sequence[SSAValue]) -> set[SSAValue]:
    """The values in a nest that others are computed from, and these."""
    found, pending = set[SSAValue](), list(values)
    while pending:
        value = pending.pop()
        if value in found or not is_within(value, nest):
            continue
        found.add(value)
        if isinstance(value.owner, Operation) and not isinstance(value.owner, memref.LoadOp):
            pending.extend(value.owner.operands)
    return found


def nests(function: func.FuncOp) -> Iterator[scf.ParallelOp]:
    """The parallel loops without others inside that count from 0 in steps of 1."""
    for op in operations_in(function):
        if type(op) is scf.ParallelOp and not op.initVals:
            body = operations_in(op)[1:]
            is_innermost = not any(type(each) is scf.ParallelOp for each in body)
            counts = known_int(op.lowerBound[-1]) == 0 and known_int(op.step[-1]) == 1
            if is_innermost and counts and len(body) <= MOST_OPERATIONS:
                yield op


# Rewriting --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Ranges:
    """The bounds of the interior of a loop, and the number of its other steps."""

    low: SSAValue
    inside: SSAValue
    outside: SSAValue


def _ranges(nest: scf.ParallelOp, found: Interior) -> _Ranges:
    """``low = min(max(0, ..), n)``, ``high = max(min(n, ..), low)``"""
    emit, end = IndexValues(Builder(InsertPoint.before(nest))), nest.upperBound[-1]
    low, high = emit.integer(0), end
    for form in dict.fromkeys(form for form in found.lows if (form.known() or 0) >= 0):
        low = emit.build.insert(arith.MaxSIOp(low, emit.form(form))).result
    for form in dict.fromkeys(found.highs):
        high = emit.build.insert(arith.MinSIOp(high, emit.form(form))).result
    low = emit.build.insert(arith.MinSIOp(low, end)).result
    high = emit.build.insert(arith.MaxSIOp(high, low)).result
    inside = emit.combined(high, "-", low)
    return _Ranges(low, inside, emit.combined(end, "-", inside))


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
        _copy(nest, build, [*outer.args, index], found if place is _inner else None)
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
        _copy(nest, build, [*list(body.args)[:-1], index], found if place is _inner else None)
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
    """A loop; LLVM does not vectorise one over a border of few steps."""
    loop = scf.ParallelOp(lowers, uppers, steps, Region(body))
    if border is not None and border.border is not None and border.border <= FEW_STEPS:
        loop.attributes[abi.FEW_STEPS] = UnitAttr()
    return loop


def _inner(build: Builder, ranges: _Ranges, number: SSAValue) -> SSAValue:
    """The index of a step of the interior."""
    return build.insert(arith.AddiOp(ranges.low, number)).result


def _border(build: Builder, ranges: _Ranges, number: SSAValue) -> SSAValue:
    """The index of another step: before the interior, or after it."""
    is_before = build.insert(arith.CmpiOp(number, ranges.low, "slt")).result
    after = build.insert(arith.AddiOp(number, ranges.inside)).result
    return build.insert(arith.SelectOp(is_before, number, after)).result


def _copy(
    nest: scf.ParallelOp, build: Builder, indices: Sequence[SSAValue], found: Interior | None
) -> None:
    """Copy the body of a nest; in the interior, with the values that are known there."""
    block = nest.body.block
    values = dict[SSAValue, SSAValue](zip(block.args, indices, strict=True))
    for op in block.ops:
        build.insert(copy_of(op, values))
    if found is None:
        return
    for old, known in found.values.items():
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


class SplitLoopsPass(FunctionPass):
    """Splits loops into an interior, where positions are plain, and the steps at the borders.

    Before::

        scf.parallel (%i, %j) = (0, 0) to (%n, %m) step (1, 1) {
          %p = arith.subi %j, %c1 : index
          %q = arith.maxsi %p, %c0 : index
          %x = memref.load %a[%i, %q] : memref<?x?xf64>
          ...

    After, where the interior is from ``%low`` on and has ``%inside`` steps::

        scf.parallel (%i) = (0) to (%n) step (1) {
          scf.parallel (%k) = (0) to (%inside) step (1) {
            %j = arith.addi %low, %k : index
            %p = arith.subi %j, %c1 : index
            %x = memref.load %a[%i, %p] : memref<?x?xf64>
            ...
          }
          scf.parallel (%k) = (0) to (%outside) step (1) {
            %before = arith.cmpi slt, %k, %low : index
            %after = arith.addi %k, %inside : index
            %j = arith.select %before, %k, %after : index
            .. as before ..

    Vectors of neighbours are loaded from plain positions, and elements one by one from others. The
    bounds of the interior follow from the clips and the comparisons of the last index, as linear
    forms; a comparison counts if it changes near an end. Nests with loops are split as a whole, if
    most of their steps are inside. A loop stays if no position of an innermost axis is simpler.
    """

    name = "split-loops"
    looks_for = (scf.ParallelOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for nest in list(nests(function)):
            found = _Finder(nest).interior()
            if found is not None:
                index = nest.body.block.args[-1]
                analyses.note(nest, f"{name_of(index)} is split into its borders and the interior")
                split(nest, found)
