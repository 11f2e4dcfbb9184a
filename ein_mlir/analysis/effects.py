"""Side effects of operations: a property of their class if its traits suffice."""

from __future__ import annotations

from functools import cache

from xdsl.ir import Operation
from xdsl.traits import (
    IsTerminator,
    MemoryEffect,
    NoMemoryEffect,
    Pure,
    RecursiveMemoryEffect,
    SymbolOpInterface,
    is_side_effect_free,
)


def is_pure(op: Operation) -> bool:
    """Whether an operation has no side effect.

    The result of xDSL's ``is_side_effect_free``, in less time.
    """
    own, nested = _effects(type(op))
    if own:
        return is_side_effect_free(op)
    return not nested or all(
        is_pure(inner) for region in op.regions for block in region.blocks for inner in block.ops
    )


def is_dead(op: Operation) -> bool:
    """Whether an operation is dead code: unused, pure, and no terminator."""
    for result in op.results:
        if result.first_use is not None:
            return False
    return not is_kept(type(op)) and is_pure(op)


@cache
def is_kept(op: type[Operation]) -> bool:
    """Whether unused operations of a class are kept: terminators and symbols."""
    return op.has_trait(IsTerminator, value_if_unregistered=True) or op.has_trait(
        SymbolOpInterface, value_if_unregistered=True
    )


@cache
def _effects(op: type[Operation]) -> tuple[bool, bool]:
    """Whether operations of a class may have effects of their own, and effects of their regions."""
    effects = op.get_traits_of_type(MemoryEffect)
    nested = any(isinstance(effect, RecursiveMemoryEffect) for effect in effects)
    own = not effects or any(
        not isinstance(effect, NoMemoryEffect | Pure | RecursiveMemoryEffect) for effect in effects
    )
    return own, nested
