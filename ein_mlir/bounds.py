"""Positions out of bounds, and wrong sizes: the texts of the errors."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.indexing import ACCESSES
from ein_mlir.errors import EinValueError


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
    if access["from_end"] == IntegerAttr.from_bool(True):
        position -= size
    assert isa(loops, ArrayAttr[StringAttr])
    values = ", ".join(
        f"{name.data} = {step}" for name, step in zip(loops.data, steps, strict=False)
    )
    where = f", where {values}" if values else ""
    return (
        f"position {position} is out of bounds for axis {axis.value.data} of {array.data}, "
        f"whose size is {size}{where}{place.data}"
    )


def with_place(error: Exception, program: ModuleOp) -> Exception:
    """An error about sizes, with the lines of the program that need them; another as it is.

    The code of a backend has no lines: they are found by the text, after the error. If operations
    of several lines have the same text, all are named.
    """
    if type(error) is not ValueError:
        return error
    text = str(error)
    needing = [op for op in operations_in(program) if _is_about(text, op)]
    places = " or".join(dict.fromkeys(map(where_written, needing)))
    if all(isinstance(op, phi.FoldOp) for op in needing):
        text = text.replace("size of index", "count of", 1)
    found = EinValueError(f"{text}{places}")
    found.__suppress_context__ = True
    return found if needing else error


def _is_about(text: str, op: Operation) -> bool:
    """Whether an error says that the sizes of an operation are wrong."""
    if isinstance(op, phi.AssertEqOp):
        return text.startswith(f"{op.message.data}: ")
    if isinstance(op, phi.AccumulateOp) and " of the accumulation is " in text:
        return True
    if not isinstance(op, phi.PhiOp):
        return False
    names = [each.name_hint for each in op.counters()]
    counts = (f"{kind} {name} is " for name in names for kind in ("size of index", "limit of"))
    subject = _SUBJECTS.get(type(op)) or op.name.removeprefix("phi.")
    return text.startswith((f"{subject}: ", *counts))


_SUBJECTS: dict[type[Operation], str] = {phi.JvpOp: "tangent", phi.VjpOp: "cotangent"}
"""What the messages of an operation begin with, unless that is its name, as in ``concat: ..``."""
