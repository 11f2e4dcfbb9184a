"""Emitted Python as data: its source, and the facts about its functions that calls need.

A process that has these needs neither emitpy nor a pass: they are kept on disk for other processes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.extents import Bounds

Path: TypeAlias = tuple[int, ...]
"""An argument by its number; fields of records by theirs."""


@dataclass(frozen=True)
class EmittedFunction:
    """A function of emitted source."""

    name: str
    """Its name in the source."""
    static: tuple[Path, ...] = ()
    """The arguments, and fields of arguments, that are static when a library compiles."""
    uses_f64: bool = False
    """Whether it computes in f64."""
    has_small_steps: bool = False
    """Whether it has loops whose steps do little work for PyTorch: see `small_steps`."""
    has_scalar_steps: bool = False
    """Whether such steps compute scalars alone."""
    has_temporaries: bool = False
    """Whether a version for PyTorch that overwrites tensors would allocate fewer of them, or select
    without branches.
    """
    extents: tuple[Bounds, Bounds] | None = None
    """The bounds of the arrays that its loops compute, and of others, if they are known."""
    stages: tuple[EmittedFunction, ...] = ()
    """The functions that it calls, if there are two: that of its sizes, and that of the rest."""


@dataclass(frozen=True)
class Emitted:
    """Emitted source, with its functions and those of the embedding program by their symbols."""

    source: str
    functions: Mapping[str, EmittedFunction]
    externs: Mapping[str, str]
    """The names of functions that the source takes from its globals."""


def packed(program: Emitted) -> bytes:
    """An emitted program as bytes."""
    functions = {symbol: _facts(function) for symbol, function in program.functions.items()}
    return json.dumps([program.source, functions, dict(program.externs)]).encode()


def unpacked(contents: bytes) -> Emitted:
    """An emitted program from its bytes."""
    facts: Sequence[Any] = json.loads(contents)
    source, functions, externs = facts
    return Emitted(
        source, {symbol: _function(*parts) for symbol, parts in functions.items()}, externs
    )


def _facts(function: EmittedFunction) -> list[Any]:
    stages = list(map(_facts, function.stages))
    small = function.has_small_steps, function.has_scalar_steps
    facts = function.uses_f64, *small, function.has_temporaries
    return [function.name, function.static, *facts, function.extents, stages]


def _function(
    name: str,
    static: Sequence[Sequence[int]],
    uses_f64: bool,
    has_small_steps: bool,
    has_scalar_steps: bool,
    has_temporaries: bool,
    extents: Sequence[Any] | None,
    stages: Sequence[Any],
) -> EmittedFunction:
    paths, parts = map(tuple, static), (_function(*facts) for facts in stages)
    flags = uses_f64, has_small_steps, has_scalar_steps, has_temporaries
    return EmittedFunction(name, tuple(paths), *flags, _bounds(extents), tuple(parts))


def _bounds(extents: Sequence[Any] | None) -> tuple[Bounds, Bounds] | None:
    if extents is None:
        return None
    inside, outside = extents
    return tuple(map(tuple, inside)), tuple(map(tuple, outside))
