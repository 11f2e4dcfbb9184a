"""Compaction: loops whose elements take different numbers of steps leave out those that are done.

A loop over whole arrays computes elements that are done, too. When it has wasted as much time on
them as it takes to leave them out, rounds follow: loops over arrays of the live elements alone,
which end in the same way::

    M, X = while (any(M) and waste(M) is small, M, X = ..) { .. }
    P, R = range(n), X
    while (any(M), P, M, X, R) {
      Q = the positions where M is true
      P, X = P[Q], X[Q]
      M, X = while (any(M) and waste(M) is small, M = true, X = X) { .. }    captured values at P
      R[P] = X
    }

A step takes as long for one element as for a few, so a few are never left out. All elements are at
the same step, so errors and counters are those of a loop without compaction.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.notes import no_note
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.unobserved_fields import used_fields
from ein_mlir.analysis.scopes import captured
from ein_mlir.dialects import phi, sigma, yarr
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import (
    Axial,
    Index,
    Value,
    leaves,
    map_leaves,
)
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_yarr.masked_loops import (
    Ending,
    MaskedLoop,
    any_of,
    number_of,
)
from ein_mlir.rewriting.phi.fields import fields_behind

FEW = 1024
"""The most elements of which none is left out: calls take longer than arithmetic."""
FEW_ROWS = 32
"""The same for elements that are, or compute, arrays."""
ROUND = 2
"""The steps of all elements in whose time the live ones are packed, and results written back."""
LEAST_STEPS = 8
"""The least steps, if their number is known, that are worth it."""


def is_worth_it(conversion: Conversion, loop: MaskedLoop) -> bool:
    """Whether a loop may leave out elements, of which there may be many, and takes many steps.

    Within another loop that masks its steps, the elements of that one are left out.
    """
    if not conversion.compacts or not loop.axes[0] or conversion.pairs or conversion.masks:
        return False
    limit = known_int(loop.op.count)
    if limit is not None and limit < LEAST_STEPS:
        return False
    indices = conversion.free.of(loop.op.accumulator)
    sizes = [known_int(phi.size_of_index(index)) for index in indices]
    return None in sizes or prod(filter(None, sizes)) > _few(loop.op)


def _few(op: phi.WhileOp) -> int:
    """The most elements of which none is left out."""
    is_of_rows = any(map(phi.rank_of, leaf_types(op.init.type))) or any(
        each.regions for each in op.body.block.ops
    )
    return FEW_ROWS if is_of_rows else FEW


def compacted(
    conversion: Conversion, loop: MaskedLoop, count: SSAValue, inits: Sequence[SSAValue]
) -> list[SSAValue]:
    """The fields after a loop that compacts its elements."""
    conversion.note(loop.op, "elements that are done leave the loop, once they are many")
    return _Compaction(conversion, loop, count).results(inits)


@dataclass(frozen=True)
class _Compaction:
    conversion: Conversion
    loop: MaskedLoop
    count: SSAValue

    def results(self, inits: Sequence[SSAValue]) -> list[SSAValue]:
        """The fields after the loop over whole arrays, and after the rounds."""
        conversion, loop = self.conversion, self.loop
        size = reduce(self._times, (index.size for index in loop.axes[0]))
        numbers = [conversion.integer(0)] * (1 + self.is_counted)
        more, ending = any_of(conversion, inits[0]), self._ending(size)
        found = loop.emit_until(conversion, self.count, more, inits, ending, numbers)
        fields, numbers = found[: len(inits)], found[len(inits) + 1 :]
        observed = sorted(used_fields(loop.op.result))
        needed = sorted(fields_behind(loop.op, [0, *observed])) or list(range(len(fields)))
        current = [fields[k] if k in needed else init for k, init in enumerate(inits)]
        before = [fields[field] for field in observed]
        body = Block(arg_types=[yarr.SIZE_TYPE, *(each.type for each in before)])
        rounds = self._number(self._more(fields[0], numbers))
        outside = self._outside()
        with conversion.emitting_into(body):
            after = self._rounds(size, outside, current, numbers, needed, observed)
            conversion.emit(yarr.YieldOp(*after))
        result = conversion.emit(yarr.FoldOp(rounds, before, Region(body)), loop.op)
        for field, value in zip(observed, result.res, strict=True):
            fields[field] = value
        return fields

    @property
    def is_counted(self) -> bool:
        """Whether a step depends on its number, or a limit of steps ends the loop."""
        op = self.loop.op
        return bool(op.counter.uses.get_length()) or not op.is_unlimited()

    def _rounds(
        self,
        size: SSAValue,
        outside: Mapping[SSAValue, Value],
        fields: Sequence[SSAValue],
        numbers: Sequence[SSAValue],
        needed: Sequence[int],
        observed: Sequence[int],
    ) -> list[SSAValue]:
        """The fields that are used, after all rounds; no others but the needed ones are carried."""
        conversion, loop = self.conversion, self.loop
        whole = {value: map_leaves(self._joined, each) for value, each in outside.items()}
        flat = list(map(self._flat, fields, loop.axes))
        places = conversion.emit(yarr.RangeOp(size)).result
        true = conversion.emit(yarr.constant(IntegerAttr(1, i1))).result
        carried = [true, places, *(flat[k] for k in needed), *numbers, *(flat[k] for k in observed)]
        body = Block(arg_types=[yarr.SIZE_TYPE, *(each.type for each in carried)])
        split = 3 + len(needed) + len(numbers)
        with conversion.emitting_into(body):
            arrays = dict(enumerate(flat)) | dict(zip(needed, body.args[3:], strict=False))
            numbers = body.args[3 + len(needed) : split]
            live, fields, numbers = self._round(whole, body.args[2], list(arrays.values()), numbers)
            after = [fields[k] for k in needed]
            results = [
                conversion.emit(yarr.ScatterOp(old, [live], after[needed.index(field)])).result
                for old, field in zip(body.args[split:], observed, strict=True)
            ]
            more = self._more(after[0], numbers)
            conversion.emit(yarr.YieldOp(more, live, *after, *numbers, *results))
        most = conversion.integer(MOST)
        rounds = conversion.emit(yarr.WhileOp(most, carried, Region(body)), loop.op)
        results = rounds.res[split - 1 :]
        return [
            self._whole(result, loop.axes[field])
            for field, result in zip(observed, results, strict=True)
        ]

    def _round(
        self,
        outside: Mapping[SSAValue, Value],
        places: SSAValue,
        fields: Sequence[SSAValue],
        numbers: Sequence[SSAValue],
    ) -> tuple[SSAValue, list[SSAValue], list[SSAValue]]:
        """The places of the live elements, their fields after more steps, and the steps in all."""
        conversion, loop = self.conversion, self.loop
        mask, *others = fields
        count = self._count(mask)
        order = conversion.emit(yarr.ArgsortOp(self._not(mask), 0)).result
        zero = conversion.integer(0)
        first = conversion.emit(yarr.SliceOp(order, 0, zero, count)).result
        live = self._take(places, first)
        inits = [self._take(each, first) for each in others]
        live.name_hint = "live"
        true = conversion.emit(yarr.constant(IntegerAttr(1, i1))).result
        one = conversion.emit(yarr.UnsqueezeOp(true, [0])).result
        inits = [conversion.emit(yarr.RepeatOp(one, 0, count)).result, *inits]
        limit = self.count
        if not loop.op.is_unlimited():
            limit = conversion.combined(limit, "-", numbers[0])
        range_ = conversion.emit(yarr.RangeOp(count)).result
        own = Index(loop.axes[0][0].order, count, None, range_)
        with self._packed(own, live, outside):
            packed = MaskedLoop(loop.op, [(own, *self._others(each)) for each in loop.axes])
            ending, is_counted = self._ending(count), self.is_counted
            found = packed.emit_until(
                conversion, limit, true, inits, ending, [zero, *numbers], is_counted=is_counted
            )
        return live, found[: len(fields)], found[len(fields) + 1 :]

    @contextmanager
    def _packed(
        self, own: Index, live: SSAValue, outside: Mapping[SSAValue, Value]
    ) -> Generator[None]:
        """Translate the body of the loop for the live elements alone."""
        conversion, axes = self.conversion, self.loop.axes[0]
        at = dict(zip(axes, self._positions(live), strict=True))
        before = {value: conversion.value(value) for value in outside}
        indices, positions = dict(conversion.indices), dict(conversion.positions)
        note, conversion.note = conversion.note, no_note
        for value, whole in outside.items():
            packed = partial(self._of_live, own=own, live=live, at=at)
            conversion.bind(value, map_leaves(packed, whole))
        for argument, index in indices.items():
            if index in at:
                conversion.indices[argument] = own
                conversion.positions[argument] = Axial((own,), at[index])
        yield
        conversion.note = note
        conversion.indices.clear()
        conversion.indices.update(indices)
        conversion.positions.clear()
        conversion.positions.update(positions)
        for value, whole in before.items():
            conversion.bind(value, whole)

    def _outside(self) -> dict[SSAValue, Value]:
        """The captured values that vary with an index of the mask."""
        conversion, axes = self.conversion, set(self.loop.axes[0])
        found = dict[SSAValue, Value]()
        for value in captured(self.loop.op):
            whole = conversion.known(value)
            if whole is not None and any(axes & set(leaf.axes) for leaf in leaves(whole)):
                found[value] = whole
        return found

    def _joined(self, leaf: Axial) -> Axial:
        """An Axial with the axes of the mask first, as one axis if it has all of them."""
        if set(self.loop.axes[0]) <= set(leaf.axes):
            return Axial(leaf.axes, self._flat(leaf.value, leaf.axes))
        own = [index for index in self.loop.axes[0] if index in leaf.axes]
        axes = (*own, *self._others(leaf.axes))
        return Axial(axes, self.conversion.reorder(leaf, axes))

    def _of_live(
        self, leaf: Axial, *, own: Index, live: SSAValue, at: Mapping[Index, SSAValue]
    ) -> Axial:
        """The live elements of an Axial."""
        shared = [index for index in self.loop.axes[0] if index in leaf.axes]
        if not shared:
            return leaf
        axes = (own, *self._others(leaf.axes))
        if len(shared) == len(at):
            return Axial(axes, self._take(leaf.value, live))
        if len(shared) == 1:
            return Axial(axes, self._take(leaf.value, at[shared[0]]))
        keys = [at[index] for index in shared]
        gathered = yarr.GatherOp(leaf.value, keys, in_bounds=range(len(keys)))
        return Axial(axes, self.conversion.emit(gathered).result)

    def _positions(self, live: SSAValue) -> list[SSAValue]:
        """The position of each live element along each axis of the mask."""
        conversion, found = self.conversion, list[SSAValue]()
        for index in reversed(self.loop.axes[0][1:]):
            size = conversion.emit(yarr.UnsqueezeOp(index.size, [0])).result
            found.append(conversion.arithmetic(sigma.FloorModOp, live, size))
            live = conversion.arithmetic(arith.FloorDivSIOp, live, size)
        return [live, *reversed(found)]

    def _others(self, axes: Sequence[Index]) -> list[Index]:
        return [index for index in axes if index not in self.loop.axes[0]]

    def _flat(self, value: SSAValue, axes: tuple[Index, ...]) -> SSAValue:
        """The axes of the mask first, and as one."""
        own = self.loop.axes[0]
        value = self.conversion.reorder(Axial(axes, value), [*own, *self._others(axes)])
        for _ in own[1:]:
            value = self.conversion.emit(yarr.FlattenOp(value, 0)).result
        return value

    def _whole(self, value: SSAValue, axes: tuple[Index, ...]) -> SSAValue:
        """The inverse of ``_flat``."""
        conversion, own = self.conversion, self.loop.axes[0]
        if len(own) > 1:
            sizes, steps = [index.size for index in own], [conversion.integer(1)]
            for size in reversed(sizes[1:]):
                steps.insert(0, self._times(size, steps[0]))
            zero = conversion.integer(0)
            value = conversion.emit(yarr.StridedOp(value, 0, zero, sizes, steps)).result
        return conversion.reorder(Axial((*own, *self._others(axes)), value), axes)

    def _ending(self, size: SSAValue) -> Ending:
        """A loop ends if no element is live, or if it has wasted a round on those that are not."""
        conversion = self.conversion
        most = self._times(size, conversion.integer(ROUND))
        many = self._is_less(conversion.integer(_few(self.loop.op)), size)
        most = conversion.arithmetic(arith.SelectOp, many, most, conversion.integer(MOST))

        def ending(mask: SSAValue, numbers: Sequence[SSAValue]) -> Sequence[SSAValue]:
            wasted, *taken = numbers
            live = self._count(mask)
            wasted = conversion.combined(wasted, "+", conversion.combined(size, "-", live))
            is_live = self._is_less(conversion.integer(0), live)
            more = conversion.arithmetic(arith.AndIOp, is_live, self._is_less(wasted, most))
            one = conversion.integer(1)
            return [more, wasted, *(conversion.combined(each, "+", one) for each in taken)]

        return ending

    def _more(self, mask: SSAValue, numbers: Sequence[SSAValue]) -> SSAValue:
        """Whether an element is live, and the loop may take another step."""
        conversion, more = self.conversion, any_of(self.conversion, mask)
        if numbers and not self.loop.op.is_unlimited():
            goes_on = self._is_less(numbers[0], self.count)
            more = conversion.arithmetic(arith.AndIOp, more, goes_on)
        return more

    def _count(self, mask: SSAValue) -> SSAValue:
        """The number of elements that are true."""
        ones = number_of(self.conversion, mask)
        axes = list(range(yarr.rank_of(mask)))
        return self.conversion.emit(yarr.ReduceOp(ones, axes, arith.AddiOp)).result

    def _number(self, condition: SSAValue) -> SSAValue:
        """How often a branch runs."""
        one, none = map(self.conversion.integer, (1, 0))
        return self.conversion.arithmetic(arith.SelectOp, condition, one, none)

    def _is_less(self, x: SSAValue, y: SSAValue) -> SSAValue:
        def is_less(x: SSAValue, y: SSAValue) -> Operation:
            return arith.CmpiOp(x, y, "slt")

        return self.conversion.arithmetic(is_less, x, y)

    def _not(self, mask: SSAValue) -> SSAValue:
        block = Block(arg_types=[i1])
        block.add_op(true := arith.ConstantOp(IntegerAttr(1, i1)))
        block.add_op(other := arith.XOrIOp(block.args[0], true))
        block.add_op(yarr.YieldOp(other))
        return self.conversion.emit(yarr.ElementwiseOp([mask], Region(block))).result

    def _take(self, array: SSAValue, places: SSAValue) -> SSAValue:
        return self.conversion.emit(yarr.TakeOp(array, 0, places, in_bounds=True)).result

    def _times(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.conversion.combined(x, "*", y)
