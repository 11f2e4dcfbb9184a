"""How diagnostics name values, and where operations were written."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import BlockArgument, Operation, SSAValue


def where_written(op: Operation) -> str:
    """`` (at file:line)`` when the operation knows where it was written, else nothing."""
    location = op.location
    if isinstance(location, FileLineColLoc):
        return f" (at {location.filename.data}:{location.line.data})"
    return ""


def index_name(value: SSAValue) -> str:
    """How a diagnostic names an index or variable: the name that a person gave it, or its place."""
    if value.name_hint:
        return f"%{value.name_hint}"
    if isinstance(value, BlockArgument):
        return f"#{value.index}"
    return "an unnamed value"
