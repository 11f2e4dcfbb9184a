"""Elements of tables at computed positions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.scopes import captured
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.insertion import Builder


def element_at(
    build: Builder,
    array: SSAValue,
    place: Sequence[SSAValue],
    known: dict[SSAValue, SSAValue] | None = None,
) -> SSAValue:
    """An element at Ints; that of a comprehension of numbers is computed, not read.

    ``known`` are the values that some values of its block have there. The element of positions out
    of bounds is unused.
    """
    values, owner = dict(known or {}), array.owner
    if not isinstance(owner, phi.ArrayOp) or any(op.regions for op in owner.body.block.ops):
        block = array.owner if isinstance(array.owner, Block) else array.owner.parent
        if values and block is not None:
            (array,) = build.copied(block, [array], values)
        return build.get(array, place)
    if values and owner.parent is not None:
        build.copied(owner.parent, list(dict.fromkeys(captured(owner))), values)
    values.update(zip(owner.indices, place, strict=True))
    return build.copied(owner.body.block, [owner.yielded()], values)[0]
