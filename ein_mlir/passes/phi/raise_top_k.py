"""``raise-top-k``: folds that search for the best remaining element become one top-k search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, TupleType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.analysis.phi.size_equivalence import Term
from ein_mlir.analysis.scopes import is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import STRICT, worst
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.insertion import Builder

Scalar: TypeAlias = IntegerAttr | FloatAttr

# Recognition ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Selection:
    """The selection of one of the remaining elements in each step of a fold.

    A step searches the field, or elements that the field masks, and updates the field at the found
    position, so that no later search finds that element.
    """

    field: int
    values: Sequence[SSAValue]
    """The values of the field that the step projects from the accumulator."""
    search: phi.ArgreduceOp
    update: phi.UpdateOp

    @property
    def elements(self) -> phi.ArrayOp | None:
        """The searched comprehension; None if the field itself is searched."""
        owner = self.search.vec.owner
        return owner if isinstance(owner, phi.ArrayOp) else None

    @property
    def lost(self) -> Scalar:
        """The value of an element that no search finds."""
        assert isinstance(self.search.vec.type, phi.VecType)
        lost = worst(self.search.predicate.data, self.search.vec.type.element_type)
        assert lost is not None
        return lost

    def reads(self, arrays: Sequence[SSAValue]) -> list[phi.GetOp]:
        """The reads of arrays at the found position."""
        users = [use.operation for array in arrays for use in array.uses]
        return [op for op in users if isinstance(op, phi.GetOp) and self._is_read(op)]

    def others(self, arrays: Sequence[SSAValue]) -> set[Operation]:
        """The users of arrays, except reads at the found position and of sizes."""
        users = [use.operation for array in arrays for use in array.uses]
        return {op for op in users if not isinstance(op, phi.SizeOp) and not self._is_read(op)}

    def _is_read(self, op: Operation) -> bool:
        return isinstance(op, phi.GetOp) and list(op.positions) == [self.search.result]


def taken_from(record: SSAValue) -> Mapping[int, Sequence[SSAValue]]:
    """The values that have each field of a flattened record: itself, or records that have it."""
    taken, pending = defaultdict[int, list[SSAValue]](list), [record]
    while pending:
        value = pending.pop()
        users = [use.operation for use in value.uses]
        projections = [user.result for user in users if isinstance(user, phi.ProjOp)]
        if not isa(value.type, TupleType) or len(projections) < len(users):
            first = field_of(value, record)
            assert first is not None
            for field in range(first, first + len(leaf_types(value.type))):
                taken[field].append(value)
        pending.extend(projections)
    return taken


class SelectionRaiser(FoldRaiser["RaiseTopKPass"]):
    """Raises the selections in the folds of a function."""

    def fold(self, op: phi.FoldOp) -> None:
        """Raise a fold, if it selects."""
        if (found := self.selection(op)) is not None:
            counter = name_of(op.counter)
            self._note(op, f"the searches of the fold over {counter} are one search before it")
            raise_selection(op, found)

    def selection(self, op: phi.FoldOp) -> Selection | None:
        """The selection of a fold, if there is one and the final remainder is unused."""
        if not isa(op.result.type, TupleType) or self._free.of(op.count):
            return None
        inside, outside = taken_from(op.accumulator), taken_from(op.result)
        for field, step in enumerate(leaf_values(op.yielded())):
            if not any(value.uses for value in outside.get(field, ())):
                found = _selection(field, inside.get(field, ()), step)
                if found is not None and self._is_one(op, found):
                    return found
        return None

    def _is_one(self, op: phi.FoldOp, found: Selection) -> bool:
        """Whether no search finds a position again, as long as there are other elements."""
        new, elements = ConstantLike.get_constant_value(found.update.value), found.elements
        parts: set[Operation] = {found.search, found.update}
        if elements is None:
            if found.search.vec not in found.values or new != found.lost:
                return False
        else:
            own = self._own_reads(elements, found)
            if new is None or _element_where(elements.yielded(), own, new) != found.lost:
                return False
            if not _can_move(elements, op, found.values):
                return False
            if not parts.issuperset(found.others([elements.result])):
                return False
            parts.update(own)
        return parts.issuperset(found.others(found.values))

    def _own_reads(self, elements: phi.ArrayOp, found: Selection) -> set[Operation]:
        """The operations that read the field at the index of a comprehension over all of it."""
        size = Term(found.values[0], (), 0)
        if len(elements.sizes) != 1 or not self._sizes.same(elements.sizes[0], size):
            return set()
        return {
            op
            for op in elements.body.block.ops
            if isinstance(op, phi.GetOp) and op.array in found.values and op.is_at(elements.indices)
        }


def _selection(field: int, values: Sequence[SSAValue], step: SSAValue) -> Selection | None:
    """The selection of a step that updates a field at a found position."""
    update = step.owner
    if not isinstance(update, phi.UpdateOp) or len(update.positions) != 1:
        return None
    if any(isa(value.type, TupleType) for value in values):
        return None
    search = update.positions[0].owner
    if not isinstance(search, phi.ArgreduceOp) or search.parent is not update.parent:
        return None
    if search.predicate.data not in STRICT:
        return None
    if update.array not in values or not update.result.has_one_use():
        return None
    return Selection(field, values, search, update)


def _element_where(value: SSAValue, reads: set[Operation], new: Attribute) -> Attribute | None:
    """The constant value of an element if all reads of some element return ``new``."""
    if value.owner in reads:
        return new
    if isinstance(choice := value.owner, arith.SelectOp) and choice.cond.owner in reads:
        value = choice.lhs if new == IntegerAttr.from_bool(True) else choice.rhs
    return ConstantLike.get_constant_value(value)


def _can_move(elements: phi.ArrayOp, op: phi.FoldOp, values: Sequence[SSAValue]) -> bool:
    """Whether a comprehension in a fold depends on some values of the fold only."""
    return all(
        operand in values or is_within(operand, elements) or not is_within(operand, op)
        for operand in operands_within(elements)
    )


# Rewriting ------------------------------------------------------------------------------------


def raise_selection(op: phi.FoldOp, found: Selection) -> None:
    """Replace the searches of a fold, whose final remainder is unused, by one top-k search."""
    build, elements = Builder.before(op), found.elements
    init = searched = build.leaves(op.init)[found.field]
    if elements is not None:
        searched = build.copy(elements, dict.fromkeys(found.values, init)).results[0]
    positions = build.emit(phi.TopKOp(searched, op.count, found.search.predicate.data))
    positions.name_hint = op.counter.name_hint
    new = ConstantLike.get_constant_value(found.update.value)
    assert isa(new, IntegerAttr | FloatAttr)
    columns = [(found.values, init, new)]
    if elements is not None:
        columns.append(([elements.result], searched, found.lost))
    for arrays, before, after in columns:
        if reads := found.reads(arrays):
            seen = _seen(build, op, positions, before, after)
            for get in reads:
                Rewriter.replace_op(get, phi.GetOp(seen, [op.counter]))
    Rewriter.replace_op(found.update, (), (found.update.array,))
    Rewriter.replace_op(found.search, phi.GetOp(positions, [op.counter]))
    if elements is not None:
        Rewriter.replace_op(elements, (), (searched,))


def _seen(
    build: Builder, op: phi.FoldOp, positions: SSAValue, before: SSAValue, after: Scalar
) -> SSAValue:
    """The elements at the found positions, as the steps read them: original ones, or updated ones.

    If no element remains, searches end at position 0. The element there is the updated one if an
    earlier search has found it, else the original.
    """
    first = build.emit(phi.ArgreduceOp(positions, "<"))
    zero = build.integer(0)
    replacement = build.constant(after)
    is_there = build.compare(zero, "slt", build.size(before))

    def element(build: Builder, own: Sequence[SSAValue]) -> SSAValue:
        step = build.as_int(own[0])
        step.name_hint = op.counter.name_hint
        at = build.get(positions, [step])
        is_first = build.compare(at, "eq", zero)
        has_been = build.compare(first, "slt", step)
        is_again = build.and_(is_first, has_been)
        there = build.get(before, [at])
        return build.select(build.and_(is_again, is_there), replacement, there)

    return build.comprehension([op.count], element, [op.counter])


class RaiseTopKPass(FoldPass):
    """Turns repeated searches for the best remaining element into one search for the best elements.

    Before::

        %found = phi.fold (%r < %k, (%left, %all) = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
          %at = phi.argreduce %left by "<" : !phi.vec<f64>
          phi.yield (phi.update %left[%at], %infinity, phi.update %all[%r], %at)
        }

    After, where ``%first`` is field 0 of ``%init``::

        %best = phi.top_k %first, %k by "<" : !phi.vec<f64>
        %found = phi.fold (%r < %k, (%left, %all) = %init) -> tuple<!phi.vec<f64>, !phi.vec<i64>> {
          phi.yield (%left, phi.update %all[%r], %best[%r])
        }

    where the update sets the element to a value that no search finds, infinity for ``<``, and the
    final remainder is unused. The searched array may also be a comprehension that the field masks:
    ``where(taken[i], infinity, a[i])``, with ``taken[at]`` true from then on. That takes n + k
    sqrt(n) steps instead of n k. The found element may be read; it is infinity if no element
    remains, and the search has ended at position 0 again.
    """

    name = "raise-top-k"
    raiser = SelectionRaiser
