"""Emitted Python as data: its source, and the facts about its functions that calls need.

A process that has these needs neither emitpy nor a pass: they are kept on disk for other processes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

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


@dataclass(frozen=True)
class Emitted:
    """Emitted source, with its functions and those of the embedding program by their symbols."""

    source: str
    functions: Mapping[str, EmittedFunction]
    externs: Mapping[str, str]
    """The names of functions that the source takes from its globals."""


def packed(program: Emitted) -> bytes:
    """An emitted program as bytes."""
    functions = {
        symbol: [f.name, f.static, f.uses_f64, f.has_small_steps]
        for symbol, f in program.functions.items()
    }
    return json.dumps([program.source, functions, dict(program.externs)]).encode()


def unpacked(contents: bytes) -> Emitted:
    """An emitted program from its bytes."""
    facts: Sequence[Any] = json.loads(contents)
    source, functions, externs = facts
    return Emitted(
        source, {symbol: _function(*parts) for symbol, parts in functions.items()}, externs
    )


def _function(name: str, static: Sequence[Sequence[int]], *facts: bool) -> EmittedFunction:
    return EmittedFunction(name, tuple(map(tuple, static)), *facts)
