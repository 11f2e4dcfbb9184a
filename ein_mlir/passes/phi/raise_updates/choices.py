"""Choices between two arrays that are updates of one."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.size_equivalence import is_asserted
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_updates.recognition import Recogniser
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class Choice:
    """``where(c, a, b)`` of two arrays that are a base with updates, the first one first."""

    condition: SSAValue
    base: SSAValue
    branches: tuple[Sequence[phi.UpdateOp], Sequence[phi.UpdateOp]]


def _updates_of(array: SSAValue) -> list[phi.UpdateOp]:
    """The updates that an array is the result of, the last one first, if they have no other use."""
    updates = list[phi.UpdateOp]()
    while isinstance(update := array.owner, phi.UpdateOp) and array.has_one_use():
        updates.append(update)
        array = update.array
    return updates


def choice_of(op: phi.ArrayOp, recogniser: Recogniser) -> Choice | None:
    """The choice between two arrays that a comprehension makes element by element."""
    select = op.yielded().owner
    if not isinstance(select, arith.SelectOp) or not recogniser.is_fixed(op, select.cond):
        return None
    branches = list[list[phi.UpdateOp]]()
    arrays = list[list[SSAValue]]()
    for side in (select.lhs, select.rhs):
        get = side.owner
        if not isinstance(get, phi.GetOp) or list(get.positions) != list(op.indices):
            return None
        updates = _updates_of(get.array)
        branches.append(updates)
        arrays.append([get.array, *(update.array for update in updates)])
    base = next((array for array in arrays[0] if array in arrays[1]), None)
    if base is None or any(map(is_asserted, op.sizes)) or not recogniser.is_over(op, base):
        return None
    first, second = (
        updates[: found.index(base)][::-1] for updates, found in zip(branches, arrays, strict=True)
    )
    return Choice(select.cond, base, (first, second)) if first or second else None


def updated_if(op: phi.ArrayOp, choice: Choice) -> SSAValue:
    """``where(c, update(a, p, x), a)  -->  update(a, where(c, p, -1), x)``

    and ``where(c, update(a, p, x), update(a, p, y))  -->  update(a, p, where(c, x, y))``.
    """
    build, (first, second) = Builder.before(op), choice.branches

    def chosen(a: SSAValue, b: SSAValue) -> SSAValue:
        return build.select(choice.condition, a, b)

    if len(first) == len(second) == 1 and not phi.rank_of(first[0].value.type):
        (one,), (other,) = first, second
        if list(one.positions) == list(other.positions):
            value = chosen(one.value, other.value)
            return build.emit(phi.UpdateOp(choice.base, one.positions, value))
    array, nowhere = choice.base, build.integer(-1)
    for updates, expected in ((first, True), (second, False)):
        for update in updates:
            place, *rest = update.positions
            place = chosen(place, nowhere) if expected else chosen(nowhere, place)
            array = build.emit(phi.UpdateOp(array, [place, *rest], update.value))
    return array
