"""Names of values and source locations of operations in diagnostics."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.scopes import around


def where_written(op: Operation) -> str:
    """The source location as `` (at file:line:column)``; an empty string without one.

    It is that of the innermost operation around ``op`` that has one. A column of 0 is unknown: a
    traced program has lines only.
    """
    locations = (each.location for each in around(op))
    location = next((each for each in locations if isinstance(each, FileLineColLoc)), None)
    if location is None:
        return ""
    column = f":{location.column.data}" if location.column.data else ""
    return f" (at {location.filename.data}:{location.line.data}{column})"


def index_name(value: SSAValue) -> str:
    """The name of an index or variable in a diagnostic: its name hint, or its position."""
    if value.name_hint:
        return f"%{value.name_hint}"
    if isinstance(value, BlockArgument):
        return f"#{value.index}"
    return "an unnamed value"
