"""The insertion of operations, and the replacement of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder


def insert_before(
    place: Operation, ops: Sequence[Operation], *known: FreeIndices | SizeEquivalence
) -> None:
    """Insert operations before another, with its location; the ``known`` analyses are updated."""
    for new in ops:
        new.location = place.location
    Rewriter.insert_op(ops, InsertPoint.before(place))
    for each in known:
        each.add(*ops)


def replace(op: Operation, value: SSAValue, *known: FreeIndices | SizeEquivalence) -> None:
    """Replace an operation by a value, which takes its name; ``known`` facts carry over to it."""
    (result,) = op.results
    value.name_hint = result.name_hint
    for each in known:
        each.inherit(value, result)
    result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def replace_record(old: SSAValue, new: SSAValue) -> None:
    """Replace a record by a ``phi.tuple``, and its projections by the fields.

    Fields without a name take those of the projections.
    """
    for use in list(old.uses):
        op = use.operation
        if isinstance(op, phi.ProjOp) and isinstance(new.owner, phi.TupleOp):
            field = new.owner.fields[op.field.value.data]
            field.name_hint = field.name_hint or op.result.name_hint
            replace_record(op.result, field)
            Rewriter.erase_op(op)
        else:
            op.operands[use.index] = new


class Replacement(Builder):
    """Builds the value that replaces an operation, of operations that move before it at the end."""

    def __init__(self, op: Operation):
        self._op = op
        self._block = Block()
        super().__init__(InsertPoint.at_end(self._block))

    def finish(self, value: SSAValue, *known: FreeIndices | SizeEquivalence) -> None:
        """Replace the operation by a value."""
        ops = list(self._block.ops)
        for each in ops:
            each.detach()
        insert_before(self._op, ops, *known)
        replace(self._op, value, *known)


def read_instead(uses: Sequence[Use], value: SSAValue) -> None:
    """Let some uses of an index be of an Int, which replaces the casts among them."""
    for use in uses:
        if isinstance(use.operation, arith.IndexCastOp):
            Rewriter.replace_op(use.operation, (), (value,))
        else:
            use.operation.operands[use.index] = value


def erase_all(ops: Sequence[Operation]) -> None:
    """Erase operations that only later ones among them use."""
    for op in reversed(ops):
        Rewriter.erase_op(op)


@dataclass(frozen=True)
class Raising:
    """A rule that replaces folds, for folds that take the place of others, and the known facts."""

    rule: Callable[[phi.FoldOp], bool]
    """Replaces a fold, if it can; whether it did."""
    forms: IndexForms
    free: FreeIndices

    def value(
        self, place: Operation, fold: phi.FoldOp, *, always: bool = False, fewer: bool = False
    ) -> SSAValue | None:
        """The value that replaces a new fold, if the rule replaces that before a place.

        If it does not, the fold is erased, with its initial value if that is new, too, and there is
        no value; ``always`` leaves the fold there, and ``fewer`` one that has fewer indices.
        """
        holder, start = phi.TupleOp([fold.result]), fold.init.owner
        new: list[Operation] = [fold, holder]
        if isinstance(start, Operation) and start.parent is None:
            new.insert(0, start)
        insert_before(place, new, self.free)
        if not self.rule(fold) and not (
            always or (fewer and self.free.of(fold.result) < self.free.of(place.results[0]))
        ):
            erase_all(new)
            return None
        (result,) = holder.fields
        erase_all([holder])
        return result

    def replace(self, op: Operation, fold: phi.FoldOp) -> bool:
        """Replace an operation by the value of a new fold, if there is one; whether there is."""
        value = self.value(op, fold)
        if value is not None:
            replace(op, value, self.free)
        return value is not None


def erase_unused_among(ops: Sequence[Operation]) -> None:
    """Erase those operations that only later ones among them use, if any: others may be read."""
    for op in reversed(ops):
        if all(result.first_use is None for result in op.results):
            Rewriter.erase_op(op)
