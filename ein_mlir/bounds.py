"""Positions out of bounds: the text of the error."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.phi.indexing import ACCESSES


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
