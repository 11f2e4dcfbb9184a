"""Names of values and source locations of operations in diagnostics."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, FileLineColLoc, StringAttr
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import around

PARAMETERS = "ein.parameters"
"""The attribute of a function with the names of its parameters, where some have no name hint.

xDSL removes the end of a name hint such as ``array_1``: it is that of a second ``array``.
"""


def name_parameters(function: func.FuncOp, names: Sequence[str | None]) -> None:
    """Give parameters their names, so that `parameter_names` finds them."""
    for argument, name in zip(function.args, names, strict=False):
        if name is not None and SSAValue.is_valid_name(name):
            argument.name_hint = name
    hints = [argument.name_hint for argument in function.args]
    if any(name is not None and name != hint for name, hint in zip(names, hints, strict=False)):
        full = [*names, *hints[len(names) :]]
        function.attributes[PARAMETERS] = ArrayAttr(StringAttr(name or "") for name in full)


def parameter_names(function: func.FuncOp) -> list[str | None]:
    """The names of the parameters of a function: those of the user, or else the name hints."""
    hints = [argument.name_hint for argument in function.args]
    names = function.attributes.get(PARAMETERS)
    if not isa(names, ArrayAttr[StringAttr]) or len(names) != len(hints):
        return hints
    return [name.data or hint for name, hint in zip(names, hints, strict=True)]


def location_of(op: Operation) -> FileLineColLoc | None:
    """The source location of the innermost operation around ``op`` that has one."""
    locations = (each.location for each in around(op))
    return next((each for each in locations if isinstance(each, FileLineColLoc)), None)


def where_written(op: Operation) -> str:
    """The source location as `` (at file:line:column)``; an empty string without one.

    A column of 0 is unknown: a traced program has lines only.
    """
    location = location_of(op)
    if location is None:
        return ""
    column = f":{location.column.data}" if location.column.data else ""
    return f" (at {location.filename.data}:{location.line.data}{column})"


_IN_PHI = {
    "scf.for": "phi.fold",
    "scf.while": "phi.while",
    "scf.if": "arith.select of the values of both branches",
    "scf.parallel": "phi.array",
    "linalg.generic": "phi.array",
    "tensor.generate": "phi.array",
    "tensor.extract": "phi.get",
    "tensor.insert": "phi.update",
    "tensor.dim": "phi.size",
    "memref.load": "phi.get",
    "memref.store": "phi.update",
    "memref.dim": "phi.size",
}
"""Operations of other dialects -> those that have their meaning in phi."""


def no_rule(flag: str, op: Operation) -> str:
    """The message of a conversion for an operation that it does not know."""
    instead = f": write {_IN_PHI[op.name]}" if op.name in _IN_PHI else ""
    return (
        f"{flag} has no rule for '{op.name}'{where_written(op)}{instead}; "
        f"to reproduce: ein-opt -p {flag} FILE"
    )


def index_name(value: SSAValue) -> str:
    """The name of an index or variable in a diagnostic: its name hint, or its position."""
    if value.name_hint:
        return f"%{value.name_hint}"
    if isinstance(value, BlockArgument):
        return f"#{value.index}"
    return "an unnamed value"


ONE_BLOCK = "has branches between blocks; a function that is compiled has one block"
"""What is wrong with a function of several blocks."""


def check_blocks(function: func.FuncOp, by: str) -> None:
    """Raise PassFailedException for branches between the blocks of a function."""
    if len(function.body.blocks) > 1:
        name = function.sym_name.data
        raise PassFailedException(f"{by}: '{name}' {ONE_BLOCK}{where_written(function)}")
