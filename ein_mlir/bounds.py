"""Positions out of bounds: the choice between clipping and an error, and the text of the error."""

from __future__ import annotations

import os
from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.phi.indexing import ACCESSES
from ein_mlir.errors import EinValueError

BOUNDS_VARIABLE = "EIN_BOUNDS"
"""The environment variable with the choice for programs that make none."""

CHOICES = ("clip", "check")


def chosen_bounds(given: str | None) -> str:
    """The choice of a program; by default that of the environment, which is ``clip`` by default."""
    name = "bounds" if given else BOUNDS_VARIABLE
    chosen = given or os.environ.get(BOUNDS_VARIABLE) or "clip"
    if chosen not in CHOICES:
        raise EinValueError(f"{name}: expected {' or '.join(map(repr, CHOICES))}, got {chosen!r}")
    return chosen


def described(located: func.FuncOp, mark: Sequence[int]) -> str:
    """The message for a position that a function located, given its last results."""
    number, position, size, *steps = mark
    accesses = located.attributes[ACCESSES]
    assert isa(accesses, ArrayAttr[DictionaryAttr])
    access = accesses.data[number - 1].data
    array, axis, place = access["array"], access["axis"], access["place"]
    loops = access["loops"]
    assert isinstance(array, StringAttr)
    assert isinstance(axis, IntegerAttr)
    assert isinstance(place, StringAttr)
    assert isa(loops, ArrayAttr[StringAttr])
    values = ", ".join(
        f"{name.data} = {step}" for name, step in zip(loops.data, steps, strict=False)
    )
    where = f", where {values}" if values else ""
    return (
        f"position {position} is out of bounds for axis {axis.value.data} of {array.data}, "
        f"whose size is {size}{where}{place.data}"
    )
