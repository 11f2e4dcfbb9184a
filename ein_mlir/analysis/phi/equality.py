"""Values that are equal because the same operations compute them."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import IRNode, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.dialects import phi

_NO_NAMES: Mapping[SSAValue, SSAValue] = {}


def computes_same(
    value: SSAValue, other: SSAValue, renamed: Mapping[SSAValue, SSAValue] = _NO_NAMES
) -> bool:
    """Whether operations alike compute two values from the same ones, or from ``renamed`` ones.

    ``x[k] + 1`` is ``x[i] + 1`` with i for k. Casts between an index and an Int count as no
    operations. What bodies capture must be the same value, or renamed itself.
    """
    pending, seen = [(value, other)], set[tuple[SSAValue, SSAValue]]()
    while pending:
        one, other = pending.pop()
        ours, theirs = pair = phi.uncast(one), phi.uncast(other)
        if ours is theirs or pair in seen or renamed.get(ours) is theirs:
            continue
        seen.add(pair)
        one, another = ours.owner, theirs.owner
        if not isinstance(one, Operation) or not isinstance(another, Operation):
            return False
        if not _is_alike(one, another, renamed):
            return False
        pending += zip(one.operands, another.operands, strict=True)
    return True


def _is_alike(one: Operation, other: Operation, renamed: Mapping[SSAValue, SSAValue]) -> bool:
    """Whether operations have the same name, properties, number of operands, and bodies."""
    known: dict[IRNode | SSAValue, IRNode | SSAValue] = {**renamed}
    pairs = zip(one.regions, other.regions, strict=False)
    return (
        len(one.operands) == len(other.operands)
        and (one.name, one.properties) == (other.name, other.properties)
        and len(one.regions) == len(other.regions)
        and all(ours.is_structurally_equivalent(theirs, known) for ours, theirs in pairs)
    )


def difference(form: LinearForm, other: LinearForm) -> LinearForm:
    """The difference of forms, whose atoms are the same if operations alike compute them."""
    for atom in form.coefficients:
        for own in other.coefficients:
            if own is not atom and computes_same(own, atom):
                other = other.substituted(own, LinearForm.of(atom))
    return form - other
