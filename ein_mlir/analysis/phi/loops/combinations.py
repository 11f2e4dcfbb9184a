"""Combinations of a carried value with values of a step: the algebra of a recurrence.

A step that computes ``min(x + c, limit)`` from the value ``x`` before it is a chain of two links.
``where(t, x + c, x)`` is one link under a test, and ``where(t, x + c, x - d)`` are two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.scopes import dependents_among
from ein_mlir.dialects.algebra import algebra_for
from ein_mlir.dialects.fastmath import takes_any_order
from ein_mlir.dialects.reductions import REDUCTIONS, SCAN_KINDS, kind_of


@dataclass(frozen=True)
class Link:
    """An operation between a value and the next one, if tests hold."""

    operation: Operation
    other: SSAValue
    """The operand that does not depend on the previous value."""
    tests: tuple[Test, ...] = ()

    @property
    def kind(self) -> str:
        """The kind of the operation: ``"add"``, also for differences, ``"mul"`` and so on."""
        return "add" if self.is_difference else kind_of(self.operation.name)

    @property
    def is_difference(self) -> bool:
        """Whether the other operand is subtracted."""
        return isinstance(self.operation, arith.SubiOp | arith.SubfOp)

    @property
    def parts(self) -> list[SSAValue]:
        """The values of the step that the link needs."""
        return [self.other, *(test.condition for test in self.tests)]


def links_of(value: SSAValue, previous: Sequence[SSAValue], block: Block) -> list[Link] | None:
    """The operations from a previous value to a value of the same block; None if there are others.

    ``previous`` are all values of the block that are equal to the previous one.
    """
    varying = dependents_among(block.ops, *previous)
    return _Chain(frozenset(previous), varying, block).links(value)


def extremum_of(links: Sequence[Link]) -> Link | None:
    """A minimum or maximum of links that add values, too: ``max(x + c, e)``.

    Sums distribute over it. None if there are links of other kinds.
    """
    kinds = {link.kind for link in links}
    if len(kinds) != 2 or "add" not in kinds or not may_be_grouped(links):
        return None
    found = next(link for link in links if link.kind != "add")
    return found if found.kind in ("min", "max") else None


@dataclass(frozen=True)
class Reset:
    """``where(t, x + e, r)``: links of one kind, or another value if a test holds."""

    test: Test
    """The test under which the other value is taken."""
    value: SSAValue
    links: Sequence[Link]

    @property
    def parts(self) -> list[SSAValue]:
        """The values of the step that the next value depends on."""
        linked = [part for link in self.links for part in link.parts]
        return [self.test.condition, self.value, *linked]

    @property
    def kind(self) -> str:
        """The kind of the links."""
        return self.links[0].kind

    @property
    def is_invertible(self) -> bool:
        """Whether the combination since a reset is a difference of prefixes: of sums of Ints."""
        algebra = algebra_for(self.kind, self.value.type)
        return algebra is not None and algebra.is_invertible


def reset_of(value: SSAValue, previous: Sequence[SSAValue], block: Block) -> Reset | None:
    """A choice between combinations with a previous value and a value of the step."""
    select = value.owner
    if not isinstance(select, arith.SelectOp) or select.parent is not block:
        return None
    varying = dependents_among(block.ops, *previous)
    if select.cond in varying:
        return None
    for carried, other, expected in (
        (select.lhs, select.rhs, False),
        (select.rhs, select.lhs, True),
    ):
        links = None if other in varying else links_of(carried, previous, block)
        kinds = {link.kind for link in links or ()}
        if links and len(kinds) == 1 and kinds <= {*SCAN_KINDS} and may_be_grouped(links):
            return Reset(Test(select.cond, expected), other, links)
    return None


def may_be_grouped(links: Sequence[Link]) -> bool:
    """Whether the terms of links of one kind may be combined with each other first.

    Not those of products of floats, unless the program permits it: a partial product may overflow.
    """
    return len(links) == 1 or all(
        link.is_difference or takes_any_order(link.operation) for link in links
    )


class _Chain:
    """The search for the links of one chain."""

    def __init__(self, previous: frozenset[SSAValue], varying: set[SSAValue], block: Block):
        self._previous = previous
        self._varying = varying
        self._block = block

    def links(self, value: SSAValue) -> list[Link] | None:
        if value in self._previous:
            return []
        op = value.owner
        if not isinstance(op, Operation) or op.parent is not self._block:
            return None
        if isinstance(op, arith.SelectOp):
            return self._choice(op)
        if op.name not in REDUCTIONS and not isinstance(op, arith.SubiOp | arith.SubfOp):
            return None
        sides = [side for side in op.operands if side in self._varying]
        if len(sides) != 1:
            return None
        (side,) = sides
        other = op.operands[1] if side is op.operands[0] else op.operands[0]
        link = Link(op, other)
        if link.is_difference and side is not op.operands[0]:
            return None
        before = self.links(side)
        return None if before is None else [*before, link]

    def _choice(self, op: arith.SelectOp) -> list[Link] | None:
        """``where(t, f(x), g(x))``: the links of f if t holds, and those of g if not."""
        if op.cond in self._varying:
            return None
        found = list[Link]()
        for branch, expected in ((op.lhs, True), (op.rhs, False)):
            links = self.links(branch)
            if links is None:
                return None
            test = Test(op.cond, expected)
            found += [replace(link, tests=(*link.tests, test)) for link in links]
        return found
