"""The scope of each expression: where its variables are bound, and as far out as is legal."""

from __future__ import annotations

from xdsl.ir import Block

from ein_mlir.frontend.expr import (
    Accumulation,
    Array,
    Binder,
    Constant,
    Expr,
    Fold,
)
from ein_mlir.frontend.graph import Graph


class Scope:
    """The body of a binder, or of the function; ``parent`` is the scope of the binder."""

    __slots__ = ("binder", "block", "depth", "parent")

    def __init__(self, parent: Scope | None, binder: Binder | None):
        self.parent = parent
        self.binder = binder
        self.depth: int = parent.depth + 1 if parent is not None else 0
        self.block = Block()


def _common(lhs: Scope, rhs: Scope) -> Scope:
    """The innermost scope that encloses both."""
    while lhs is not rhs:
        if lhs.depth < rhs.depth:
            lhs, rhs = rhs, lhs
        assert lhs.parent is not None
        lhs = lhs.parent
    return lhs


def _where_written(scope: Scope, node: Expr) -> Scope:
    """The scope in which a node was written: outside all bodies that were bound after it.

    Constants remain in the scope of their use.
    """
    while (
        scope.binder is not None
        and scope.parent is not None
        and node.serial < scope.binder.variables[0].serial
        and not isinstance(node, Constant)
    ):
        scope = scope.parent
    return scope


def _outermost(scope: Scope, size: Expr) -> Scope:
    """The scope of a size used in a scope: outside all bodies whose variables it does not need.

    So sizes are compared once, before the computation that relies on them.
    """
    while (
        scope.parent is not None
        and scope.binder is not None
        and size.free.isdisjoint(scope.binder.variables)
    ):
        scope = scope.parent
    return scope


def place(graph: Graph, top: Scope) -> tuple[dict[Expr, Scope], dict[Binder, Scope]]:
    """The scope in which each node is defined, and the scope of each body."""
    places: dict[Expr, Scope] = {graph.result: top}
    bodies: dict[Binder, Scope] = {}

    def use(node: Expr, scope: Scope) -> None:
        known = places.get(node)
        places[node] = scope if known is None else _common(known, scope)

    for node in reversed(graph.order):
        scope = places[node] = _where_written(places[node], node)
        sizes = _size_operands(node)
        for position, operand in enumerate(graph.operands[node]):
            outer = _outermost(scope, operand) if position < sizes else scope
            use(operand, outer)
        if isinstance(node, Binder):
            bodies[node] = Scope(scope, node)
            use(graph.bodies[node], bodies[node])
    return places, bodies


def _size_operands(node: Expr) -> int:
    """The number of leading operands of a node that are sizes or counts."""
    if isinstance(node, Array | Accumulation):
        return len(node.operands)
    return 1 if isinstance(node, Fold) else 0
