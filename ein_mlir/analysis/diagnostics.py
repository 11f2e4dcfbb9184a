"""Names of values and source locations of operations in diagnostics."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import BlockArgument, Operation, SSAValue


def where_written(op: Operation) -> str:
    """The source location as `` (at file:line:column)``; an empty string without one.

    A column of 0 is unknown: a traced program has lines only.
    """
    location = op.location
    if not isinstance(location, FileLineColLoc):
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
