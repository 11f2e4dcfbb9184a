"""Which operations have effects: found by their class, where their traits say enough."""

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
    """Whether running an operation has no effect besides its results.

    It is what xDSL's ``is_side_effect_free`` answers, in less time.
    """
    own, nested = _effects(type(op))
    if own:
        return is_side_effect_free(op)
    return not nested or all(
        is_pure(inner) for region in op.regions for block in region.blocks for inner in block.ops
    )


def is_dead(op: Operation) -> bool:
    """Whether nothing uses an operation, which has no effect and ends no block."""
    return (
        all(result.first_use is None for result in op.results)
        and not is_kept(type(op))
        and is_pure(op)
    )


@cache
def is_kept(op: type[Operation]) -> bool:
    """Whether the operations of a class stay where nothing uses them: terminators, symbols."""
    return op.has_trait(IsTerminator, value_if_unregistered=True) or op.has_trait(
        SymbolOpInterface, value_if_unregistered=True
    )


@cache
def _effects(op: type[Operation]) -> tuple[bool, bool]:
    """Whether operations of a class may have effects of their own, and those of their regions."""
    effects = op.get_traits_of_type(MemoryEffect)
    nested = any(isinstance(effect, RecursiveMemoryEffect) for effect in effects)
    own = not effects or any(
        not isinstance(effect, NoMemoryEffect | Pure | RecursiveMemoryEffect) for effect in effects
    )
    return own, nested
