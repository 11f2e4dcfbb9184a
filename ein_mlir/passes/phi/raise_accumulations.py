"""``raise-accumulations``: accumulations at their own indices become comprehensions and folds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, equal_sizes
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.scopes import innermost_first
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, identity
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.dialects.reductions import combination
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import comprehension, contributed, copied, packed, unpacked
from ein_mlir.rewriting.phi.insertion import Builder

Order: TypeAlias = tuple[int, ...]
"""The numbers of the indices that are the positions of an accumulator, in order."""


@dataclass(frozen=True)
class _Part:
    """An accumulator, and its values in the body."""

    number: int
    accumulator: phi.Accumulator
    positions: Sequence[SSAValue]
    value: SSAValue


def _parts(op: phi.AccumulateOp) -> list[_Part]:
    """The accumulators of an operation; none if the body does not build their records itself."""
    yielded, several = op.yielded(), len(op.accumulators) > 1
    records = [yielded] if not several else getattr(yielded.owner, "fields", ())
    found = list[_Part]()
    for number, (record, each) in enumerate(zip(records, op.accumulators, strict=False)):
        if isinstance(record.owner, phi.TupleOp):
            *positions, value = record.owner.fields
            found.append(_Part(number, each, positions, value))
    return found if len(found) == len(op.accumulators) else []


class _Raiser:
    """Raises the accumulators of one operation."""

    def __init__(self, op: phi.AccumulateOp, sizes: SizeEquivalence):
        self._op, self._sizes = op, sizes
        self._build = Builder.before(op)
        self._is_pure = not body_may_fail(op)

    def groups(self) -> dict[Order, list[_Part]]:
        """The accumulators that are comprehensions or folds, by the indices of their positions."""
        found = defaultdict[Order, list[_Part]](list)
        for part in _parts(self._op):
            order = self._order(part)
            if order is not None:
                found[order].append(part)
        return found

    def _order(self, part: _Part) -> Order | None:
        """The indices that are the positions, each once and in bounds; None for others.

        The other indices become counters of folds, whose sizes cannot be negative.
        """
        found = list[int]()
        for position, extent in zip(part.positions, part.accumulator.extents, strict=True):
            index = phi.uncast(position)
            if index not in self._op.indices or index is position:
                return None
            number = list[SSAValue](self._op.indices).index(index)
            if number in found or not self._sizes.same(extent, self._op.sizes[number]):
                return None
            found.append(number)
        others = [k for k in range(len(self._op.sizes)) if k not in found]
        if others and not self._may_fold(part, others):
            return None
        return tuple(found)

    def _may_fold(self, part: _Part, others: Sequence[int]) -> bool:
        """Whether values may be combined by folds: they are scalars, and nothing in them fails."""
        if not phi.is_scalar_type(part.value.type) or not self._is_pure:
            return False
        casts = [cast for number in others for cast in _casts(self._op.indices[number])]
        is_counted = all(is_size(self._op.sizes[number]) for number in others)
        return is_counted and all(cast.type == i64 for cast in casts)

    def raised(self, order: Order, parts: Sequence[_Part]) -> list[SSAValue]:
        """The arrays or numbers of accumulators at some indices."""
        op, names = self._op, [self._op.indices[number] for number in order]
        others = [number for number in range(len(op.sizes)) if number not in order]
        for number in others:
            _cast_once(op, number)
        numbers = [part.number for part in parts]
        parts = [part for part in _parts(op) if part.number in numbers]

        def element(build: Builder, own: Sequence[SSAValue]) -> SSAValue:
            known = dict[SSAValue, SSAValue](zip(names, own, strict=True))
            return self._folded(build, parts, others, known)

        if not order:
            result = element(self._build, ())
        else:
            sizes = [op.sizes[number] for number in order]
            result = comprehension(self._build, sizes, element, names)
            type_ = phi.struct_of_arrays(result.type)
            if type_ != result.type:
                result = Rewriter.replace_value_with_new_type(result, type_)
        return unpacked(self._build, result, len(parts))

    def _folded(
        self,
        build: Builder,
        parts: Sequence[_Part],
        others: Sequence[int],
        known: dict[SSAValue, SSAValue],
        before: Sequence[SSAValue] | None = None,
    ) -> SSAValue:
        """The values of accumulators, combined over the other indices by folds, in order."""
        if not others:
            values = copied(build, self._op.body.block, [part.value for part in parts], known)
            if before is not None:
                pairs = zip(parts, before, values, strict=True)
                values = [build.emit(_combine(part, *both)) for part, *both in pairs]
            return packed(build, values)
        first, *rest = others
        if before is None:
            before = [build.emit(_identity(part)) for part in parts]
        start = packed(build, before)
        index = self._op.indices[first]
        body = Block(arg_types=[i64, start.type])
        counter, accumulator = body.args
        counter.name_hint = index.name_hint
        inner = Builder.at_end(body)
        carried = unpacked(inner, accumulator, len(parts))
        inside = {**known, index: counter}
        inside.update((cast, counter) for cast in _casts(index))
        inner.yield_(self._folded(inner, parts, rest, inside, carried))
        return build.emit(phi.FoldOp(self._op.sizes[first], start, Region(body)))

    def replace(self, results: dict[int, SSAValue]) -> None:
        """Replace accumulators by values; those without one stay."""
        op, accumulators = self._op, self._op.accumulators
        left = [k for k in range(len(accumulators)) if k not in results]
        if left:
            parts = [part for part in _parts(op) if part.number in left]
            new = self._rest(parts)
            kept = unpacked(self._build, new, len(left))
            results.update(zip(left, kept, strict=True))
        found = [results[k] for k in range(len(accumulators))]
        Rewriter.replace_op(op, (), (packed(self._build, found),))

    def _rest(self, parts: Sequence[_Part]) -> SSAValue:
        """The accumulation of the other accumulators."""
        terminator = self._op.body.block.last_op
        assert isinstance(terminator, phi.YieldOp)
        inside = Builder.before(terminator)
        pairs = [(part.positions, part.value) for part in parts]
        terminator.operands[0] = contributed(inside, pairs)
        into = [(part.accumulator.kind, part.accumulator.extents) for part in parts]
        new = phi.AccumulateOp(self._op.sizes, into, self._op.detach_region(0))
        new.location = self._op.location
        self._op.add_region(Region(Block()))
        return self._build.emit(new)


def _cast_once(op: phi.AccumulateOp, number: int) -> None:
    """Let one operation of a body cast an index, and operations in it use that one."""
    index = op.indices[number]
    old = _casts(index)
    cast = arith.IndexCastOp(index, i64)
    for each in old:
        each.replace_all_uses_with(cast.result)
        assert isinstance(each.owner, Operation)
        Rewriter.erase_op(each.owner)
    Rewriter.insert_op(cast, InsertPoint.at_start(op.body.block))


def _casts(index: SSAValue) -> list[SSAValue]:
    """The casts of an index to an Int."""
    users = [use.operation for use in index.uses]
    return [user.result for user in users if isinstance(user, arith.IndexCastOp)]


def _operation(part: _Part) -> str:
    name = combination(part.accumulator.kind, part.value.type)
    assert name is not None
    return name


def _combine(part: _Part, old: SSAValue, value: SSAValue) -> Operation:
    return OPERATIONS[_operation(part)](old, value)  # pyright: ignore[reportCallIssue]


def _identity(part: _Part) -> arith.ConstantOp:
    neutral = identity(_operation(part), part.value.type)
    assert neutral is not None
    return arith.ConstantOp(neutral)


class RaiseAccumulationsPass(FunctionPass):
    """Turns accumulations at their own indices into comprehensions, and total ones into folds.

    Before::

        %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
        %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
        %t = phi.accumulate (%i < %n, %j < %m) into "add" (%m) -> !phi.vec<f64> {
          %q = arith.index_cast %j : index to i64
          %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[index, index]
          %at = phi.tuple (%q, %x) : tuple<i64, f64>
          phi.yield %at : tuple<i64, f64>
        }

    After::

        %t = phi.array (%j < %m) -> !phi.vec<f64> {
          %zero = arith.constant 0.0 : f64
          %s = phi.fold (%i < %n, %acc = %zero) -> f64 {
            %x = phi.get %a[%i, %j] : !phi.vec<!phi.vec<f64>>[i64, index]
            %next = arith.addf %acc, %x : f64
            phi.yield %next : f64
          }
          phi.yield %s : f64
        }

    No two values meet at a position that is an index, in bounds and in no other position: its axis
    is that of a comprehension. This holds for an accumulator if it does for all of its positions;
    folds combine the values over the other indices. Accumulators at the same indices share a
    comprehension, and those with other positions stay.
    """

    name = "raise-accumulations"
    looks_for = (phi.AccumulateOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        sizes = analyses.get(equal_sizes, function)
        for op in innermost_first(function, phi.AccumulateOp):
            raiser = _Raiser(op, sizes)
            results = dict[int, SSAValue]()
            for order, parts in raiser.groups().items():
                names = " and ".join(name_of(op.indices[number]) for number in order)
                form = f"an array over {names}" if names else "a number"
                analyses.note(op, f"an accumulation is {form}")
                numbers = [part.number for part in parts]
                results.update(zip(numbers, raiser.raised(order, parts), strict=True))
            if results:
                raiser.replace(results)
