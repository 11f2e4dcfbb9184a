"""The fields of a loop by a condition that elements may go on computing when they are done."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi

_DIVISIONS = (arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp, arith.DivUIOp, arith.RemUIOp)


def used_fields(record: SSAValue) -> set[int]:
    """The fields of a (nested) record that are used, by their numbers."""
    paths, used = leaf_paths(record.type), set[int]()
    pending: list[tuple[SSAValue, phi.Path]] = [(record, ())]
    while pending:
        value, path = pending.pop()
        for use in value.uses:
            op = use.operation
            if isinstance(op, phi.ProjOp):
                pending.append((op.result, (*path, op.field.value.data)))
            else:
                used |= {k for k, each in enumerate(paths) if each[: len(path)] == path}
    return used


def unobserved_fields(op: phi.WhileOp) -> Collection[int]:
    """The numbers of the fields that no user of the result reads, if steps after the last one of an
    element cannot be told from none.

    The steps of an element that is done compute values of any kind. So they may not address
    arrays, whose positions may be in bounds only where the condition holds. And what is used of
    the result has no derivative: that of a value that overflowed would be NaN times zero.
    """
    types, used = leaf_types(op.result.type), used_fields(op.result)
    if not all(isinstance(types[field], IntegerType) for field in used):
        return ()
    steps = dependents(op.body.block, op.accumulator)
    owners = {value.owner for value in steps}
    if not all(_is_total(each) for each in owners if isinstance(each, Operation)):
        return ()
    return [field for field in range(1, len(types)) if field not in used]


def _is_total(op: Operation) -> bool:
    """Whether an operation on scalars has a value for all operands, whatever the condition says."""
    if isinstance(op, phi.TupleOp | phi.ProjOp):
        return True
    if isinstance(op, arith.FPToSIOp | arith.FPToUIOp):
        return False
    if isinstance(op, _DIVISIONS):
        return bool(known_int(op.operands[1]))
    return op.name.startswith(("arith.", "math.", "complex."))
