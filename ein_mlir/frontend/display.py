"""The text of a staged value for ``print`` and ``repr``: its type, its rank and its program."""

from __future__ import annotations

import html
from itertools import islice
from typing import TYPE_CHECKING

from ein_mlir.frontend.expr import Argument, Expr, Variable, operands_first
from ein_mlir.frontend.types import VectorType, describe, rank_of, resolve
from ein_mlir.host.notebook import tabs

if TYPE_CHECKING:
    from xdsl.ir import Operation

MOST_NODES = 300
"""The largest number of operations of a program that is shown."""

MOST_LINES = 60
"""The largest number of lines that are shown."""


def program_of(expr: Expr) -> str:
    """The description of a value; its free variables are shown as arguments."""
    head = head_of(expr)
    nodes = _some_nodes(expr)
    if nodes is None:
        return f"{head} with a program of more than {MOST_NODES} operations"
    if isinstance(expr, Argument | Variable):
        return f"{head} {expr.name}"
    return f"{head}\n{_program(expr, nodes)}"


def html_of(expr: Expr) -> str:
    """The description as tabs of a notebook: the program and its graph, if it is not too large."""
    nodes = _some_nodes(expr)
    if nodes is None or isinstance(expr, Argument | Variable):
        return f"<pre>{html.escape(program_of(expr))}</pre>"
    from ein_mlir.drawing import draw

    graph = draw(_lowered(expr, nodes)).picture_or_text()
    return tabs(head_of(expr), {"program": _program(expr, nodes), "graph": graph})


def head_of(expr: Expr) -> str:
    """The type of a value."""
    rank = f", rank {rank_of(expr.type)}" if isinstance(resolve(expr.type), VectorType) else ""
    return f"<{describe(expr.type)}{rank}>"


def _some_nodes(expr: Expr) -> list[Expr] | None:
    """The distinct nodes of a program, or None if there are too many to show."""
    nodes = list(islice(operands_first(expr), MOST_NODES + 1))
    return nodes if len(nodes) <= MOST_NODES else None


def _lowered(expr: Expr, nodes: list[Expr]) -> Operation:
    """The function whose arguments are those of a program, and its free variables."""
    from ein_mlir.frontend.lowering import lower

    arguments = [node for node in nodes if isinstance(node, Argument)]
    variables = sorted(expr.free, key=lambda variable: variable.serial)
    function = lower(expr, [*arguments, *variables], "program").module.body.block.first_op
    assert function is not None
    return function


def _program(expr: Expr, nodes: list[Expr]) -> str:
    lines = str(_lowered(expr, nodes)).splitlines()
    if len(lines) > MOST_LINES:
        cut = len(lines) - MOST_LINES
        lines = [*lines[:MOST_LINES], f"  ... ({cut} more lines)"]
    return "\n".join(lines)
