"""``raise-accumulations``: accumulations at their own indices become comprehensions and folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, equal_sizes
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.scopes import innermost_first
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, identity
from ein_mlir.dialects.creation import made
from ein_mlir.dialects.phi.integers import is_size
from ein_mlir.dialects.reductions import combination
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import comprehensions, copied, fold_over, packed, unpacked
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class _Part:
    """An accumulator, and its values in the body."""

    accumulator: phi.Accumulator
    positions: Sequence[SSAValue]
    value: SSAValue

    @property
    def operation(self) -> str:
        """The operation that combines scalars."""
        name = combination(self.accumulator.kind, self.value.type)
        assert name is not None
        return name

    def identity(self, build: Builder) -> SSAValue:
        """The value of an element without values."""
        neutral = identity(self.operation, self.value.type)
        assert neutral is not None
        return build.constant(neutral)

    def combined(self, build: Builder, old: SSAValue, value: SSAValue) -> SSAValue:
        """An element and another value of it."""
        return build.emit(made(OPERATIONS[self.operation], [old, value], [old.type]))


def _parts(op: phi.AccumulateOp) -> list[_Part]:
    """The accumulators of an operation; none if the body does not build their records itself."""
    yielded, several = op.yielded(), len(op.accumulators) > 1
    records = [yielded] if not several else getattr(yielded.owner, "fields", ())
    found = list[_Part]()
    for record, each in zip(records, op.accumulators, strict=False):
        if isinstance(record.owner, phi.TupleOp):
            *positions, value = record.owner.fields
            found.append(_Part(each, positions, value))
    return found if len(found) == len(op.accumulators) else []


class _Raiser:
    """Raises the accumulators of one operation."""

    def __init__(self, op: phi.AccumulateOp, sizes: SizeEquivalence):
        self._op, self._sizes = op, sizes
        self._parts = _parts(op)

    def order(self) -> list[int] | None:
        """The numbers of the indices that are the positions of all accumulators; None if others
        are. Values are combined over the other indices by folds, if they may be.
        """
        orders = [self._order(part) for part in self._parts]
        order = orders[0] if orders else None
        if order is None or any(each != order for each in orders):
            return None
        others = self._others(order)
        return order if not others or self._may_fold(others) else None

    def _order(self, part: _Part) -> list[int] | None:
        """The indices that are the positions, each once and in bounds; None for others."""
        indices, found = list[SSAValue](self._op.indices), list[int]()
        for position, extent in zip(part.positions, part.accumulator.extents, strict=True):
            index = phi.uncast(position)
            if index not in indices or index is position:
                return None
            number = indices.index(index)
            if number in found or not self._sizes.same(extent, self._op.sizes[number]):
                return None
            found.append(number)
        return found

    def _others(self, order: Sequence[int]) -> list[int]:
        return [number for number in range(len(self._op.sizes)) if number not in order]

    def _may_fold(self, others: Sequence[int]) -> bool:
        """Whether folds may combine values: they are scalars, nothing in them fails, and no size of
        a fold is negative.
        """
        is_scalar = all(phi.is_scalar_type(part.value.type) for part in self._parts)
        is_counted = all(is_size(self._op.sizes[number]) for number in others)
        return is_scalar and is_counted and not body_may_fail(self._op)

    def raised(self, order: Sequence[int]) -> SSAValue:
        """The result of the operation: arrays over some indices, or numbers."""
        op, build, others = self._op, Builder.before(self._op), self._others(order)
        indices = [op.indices[number] for number in order]

        def elements(inner: Builder, own: Sequence[SSAValue]) -> list[SSAValue]:
            known = dict[SSAValue, SSAValue](zip(indices, own, strict=True))
            if not others:
                return self._values(inner, known)
            start = packed(inner, [part.identity(inner) for part in self._parts])
            total = self._folded(inner, others, known, start)
            return unpacked(inner, total, len(self._parts))

        if not order:
            return packed(build, elements(build, ()))
        sizes = [op.sizes[number] for number in order]
        return packed(build, comprehensions(build, sizes, elements, indices))

    def _values(self, build: Builder, known: Mapping[SSAValue, SSAValue]) -> list[SSAValue]:
        return copied(build, self._op.body.block, [part.value for part in self._parts], dict(known))

    def _folded(
        self,
        build: Builder,
        others: Sequence[int],
        known: Mapping[SSAValue, SSAValue],
        before: SSAValue,
    ) -> SSAValue:
        """The accumulators before the step, combined with the values at other indices."""
        if not others:
            olds = unpacked(build, before, len(self._parts))
            pairs = zip(self._parts, olds, self._values(build, known), strict=True)
            return packed(build, [part.combined(build, *both) for part, *both in pairs])
        first, *rest = others
        index = self._op.indices[first]

        def step(inner: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
            return self._folded(inner, rest, {**known, index: counter}, accumulator)

        return fold_over(build, self._op.sizes[first], before, step, [index])


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
    is that of a comprehension. This must hold for all positions; folds combine the values over the
    other indices. All accumulators of an operation have the same positions. The translation to
    array operations has the same law (``convert-phi-to-yarr``); loops have it from here.
    """

    name = "raise-accumulations"
    looks_for = (phi.AccumulateOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        sizes = analyses.get(equal_sizes, function)
        for op in innermost_first(function, phi.AccumulateOp):
            raiser = _Raiser(op, sizes)
            order = raiser.order()
            if order is not None:
                names = " and ".join(name_of(op.indices[number]) for number in order)
                form = f"an array over {names}" if names else "a number"
                analyses.note(op, f"an accumulation is {form}")
                Rewriter.replace_op(op, (), (raiser.raised(order),))
