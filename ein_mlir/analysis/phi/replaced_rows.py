"""Arrays of which a loop replaces all rows before any is read: their elements have no use.

So are the arrays that a derivative saves the values of all steps in.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue, Use

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Path
from ein_mlir.dialects.phi.integers import PhiLevel


def is_replaced(op: phi.ArrayOp, sizes: SizeEquivalence) -> bool:
    """Whether a comprehension is the initial value of loops only, which replace all of its rows.

    Its elements are a number, so that no assertion is in them.
    """
    value = op.result
    return (
        isinstance(value.type, phi.VecType)
        and value.first_use is not None
        and is_filled(op)
        and all(_is_replaced_by(use, (), value, sizes) for use in value.uses)
    )


def is_filled(op: phi.ArrayOp) -> bool:
    """Whether all elements of a comprehension are one number."""
    return all(isinstance(each, arith.ConstantOp | phi.YieldOp) for each in op.body.block.ops)


def _is_replaced_by(use: Use, path: Path, value: SSAValue, sizes: SizeEquivalence) -> bool:
    op = use.operation
    if isinstance(op, phi.SizeOp):
        return True
    if isinstance(op, phi.TupleOp):
        inside = (use.index, *path)
        return all(_is_replaced_by(each, inside, value, sizes) for each in op.result.uses)
    return (
        isinstance(op, phi.FoldOp)
        and use.index == 1
        and sizes.same(Term(op.count), Term(value, (), 0), op)
        and _replaces_rows(op, path)
    )


def _replaces_rows(op: phi.FoldOp, path: Path) -> bool:
    """``fold (k < n, a = ..) { update a[p], x }``, where each row is that of a step"""
    update = field_of(op.yielded(), path)
    if not isinstance(update, phi.UpdateOp) or len(update.positions) != 1:
        return False
    return (
        update.result.has_one_use()
        and _is_row_of_step(update.positions[0], op)
        and is_read_by(op.accumulator, path, update)
    )


def field_of(value: SSAValue, path: Path) -> Operation | Block | None:
    """The operation of a field of a record that is made of its fields."""
    for number in path:
        if not isinstance(value.owner, phi.TupleOp):
            return None
        value = value.owner.fields[number]
    return value.owner


def _is_row_of_step(position: SSAValue, op: phi.FoldOp) -> bool:
    """Whether a position is ``k`` or ``n - 1 - k``, the counter from the first or the last row."""
    forms = Integers(PhiLevel())
    counter, count = LinearForm.of(op.counter), forms.form(op.count)
    return forms.form(position) in (counter, count - 1 - counter)


def is_read_by(value: SSAValue, path: Path, update: phi.UpdateOp) -> bool:
    """Whether nothing but an update reads the array at a path, except for its sizes."""
    for use in value.uses:
        op = use.operation
        if isinstance(op, phi.ProjOp) and path:
            field, *rest = path
            if field == op.field.value.data and not is_read_by(op.result, tuple(rest), update):
                return False
        elif not isinstance(op, phi.SizeOp) and (path or op is not update or use.index != 0):
            return False
    return True
