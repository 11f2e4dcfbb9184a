"""The expressions that a result depends on: each once, operands first, equal ones merged."""

from __future__ import annotations

from collections.abc import Hashable

from ein_mlir.frontend.expr import (
    Apply,
    Binder,
    Constant,
    Expr,
    Get,
    Op,
    Role,
    Size,
    Variable,
    operands_first,
)
from ein_mlir.frontend.types import I64, settled
from ein_mlir.host.elements import ScalarType


class Cast(Expr):
    """An index read as an Int."""

    __slots__ = ()


class Graph:
    """The distinct nodes of the program of a result, operands first, and the operands of each.

    Nodes that compute nothing are omitted, equal constants and sizes are merged, and an index that
    is not used as a position gets one cast.
    """

    def __init__(self, result: Expr):
        self.order: list[Expr] = []
        self.operands: dict[Expr, tuple[Expr, ...]] = {}
        self.bodies: dict[Binder, Expr] = {}
        self._same: dict[Expr, Expr] = {}
        self._merged: dict[Hashable, Expr] = {}
        for node in operands_first(result):
            self._add(node)
        self.result = self._number(result)

    def _add(self, node: Expr) -> None:
        if isinstance(node, Get):
            array, *positions = (self._same[operand] for operand in node.operands)
            operands = (array, *positions)
        else:
            operands = tuple(self._number(operand) for operand in node.operands)
        if _computes_nothing(node):
            self._same[node] = operands[0]
            return
        key = _merge_key(node, operands)
        same = self._merged.setdefault(key, node) if key is not None else node
        self._same[node] = same
        if same is node:
            if isinstance(node, Binder):
                self.bodies[node] = self._number(node.body)
            self.operands[node] = operands
            self.order.append(node)

    def _number(self, node: Expr) -> Expr:
        """The node to use for a number: an index is cast."""
        node = self._same[node]
        if not (isinstance(node, Variable) and node.role is Role.INDEX):
            return node
        cast = self._merged.get(("cast", node))
        if cast is None:
            cast = self._merged["cast", node] = Cast(I64, (node,))
            cast.location = node.location
            self.operands[cast] = (node,)
            self.order.append(cast)
        return cast


def _computes_nothing(node: Expr) -> bool:
    """Whether a node converts to the same type or rounds an Int; weak types must be decided."""
    if not isinstance(node, Apply):
        return False
    operand = settled(node.operands[0].type)
    if node.op is Op.CONVERT:
        assert isinstance(operand, ScalarType)
        to = settled(node.type)
        return isinstance(to, ScalarType) and operand.storage == to.storage
    assert isinstance(operand, ScalarType)
    return node.op in (Op.FLOOR, Op.CEIL, Op.ROUND) and operand.kind == "int"


def _merge_key(node: Expr, operands: tuple[Expr, ...]) -> Hashable | None:
    """A key that is equal for equal values; None unless a node is cheap and placed at its uses."""
    if isinstance(node, Constant):
        return ("constant", settled(node.type), repr(node.value))
    if isinstance(node, Size):
        return ("size", operands, node.axis)
    return None
