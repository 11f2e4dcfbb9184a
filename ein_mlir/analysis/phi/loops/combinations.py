"""Combinations of a carried value with values of a step: the algebra of a recurrence.

A step that computes ``min(x + c, limit)`` from the value ``x`` before it is a chain of two links.
``where(t, x + c, x)`` is one link under a test, and ``where(t, x + c, x - d)`` are two.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby, takewhile

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, i1, i64
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.selections import Test
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import dependents, is_defined_in
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.algebra import EXACT, algebra_for, hazards_of_distribution
from ein_mlir.dialects.fastmath import takes_any_order
from ein_mlir.dialects.reductions import (
    REDUCTIONS,
    SCAN_KINDS,
    WEIGHTS,
    combination,
    kind_of,
    unweighable,
)
from ein_mlir.host.dataclass import dataclass


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


class Later(dict[SSAValue, tuple[SSAValue, SSAValue]]):
    """Choices of which one side is the value in the first step, and the other in later ones.

    They map to the value in later steps, and to that in the first.
    """


MOST_FIRST = 32
"""The most steps in which a choice may take another side than in later ones."""


def later_choices(op: phi.FoldOp) -> tuple[Later, int]:
    """The choices between scalars of a step that settle after some first steps, by the counter.

    With them, the number of these steps.
    """
    found, first = Later(), 0
    for choice in op.body.block.ops:
        if isinstance(choice, arith.SelectOp) and phi.is_scalar_type(choice.result.type):
            relation = relation_of(choice.cond)
            for each in relation.readings if relation is not None else ():
                settled = each.settled if each.lhs is op.counter else None
                if settled is not None and settled[0] <= MOST_FIRST:
                    sides = (choice.lhs, choice.rhs) if settled[1] else (choice.rhs, choice.lhs)
                    found[choice.result] = sides
                    first = max(first, settled[0])
    return found, first


def links_of(
    value: SSAValue, previous: Sequence[SSAValue], block: Block, first: Later | None = None
) -> list[Link] | None:
    """The operations from a previous value to a value of the same block; None if there are others.

    ``previous`` are all values of the block that are equal to the previous one. Of the choices
    ``first`` the value in later steps counts.
    """
    varying = dependents(block, *previous)
    return _Chain(frozenset(previous), varying, block, first or Later()).links(value)


@dataclass(frozen=True)
class Combined:
    """The value before, combined with values of the step by links of one kind."""

    links: Sequence[Link]

    def __str__(self) -> str:
        return f"combined with a value of each step: {self.kind}"

    @property
    def kind(self) -> str:
        """The kind of the links."""
        return self.links[0].kind

    @property
    def parts(self) -> list[SSAValue]:
        """The values of a step that the next value depends on."""
        return [part for link in self.links for part in link.parts]


@dataclass(frozen=True)
class Weighted(Combined):
    """A value of the step combined with the value before, which others weigh: ``max(x + c, e)``.

    The operation that weighs distributes over the other: products of Ints over sums, and sums over
    minima and maxima, those of Ints if they do not wrap.
    """

    @property
    def kind(self) -> str:
        """The kind of the links that do not weigh."""
        kind = _weighed({link.kind for link in self.links})
        assert kind is not None
        return kind

    def __str__(self) -> str:
        return f"combined with values of each step: {self.weight}, {self.kind}"

    @property
    def weight(self) -> str:
        """The kind of the links that weigh."""
        return WEIGHTS[self.kind]

    @property
    def is_of_floats(self) -> bool:
        """Whether the values are floats."""
        return isa(self.links[0].other.type, AnyFloat)

    @property
    def is_exact(self) -> bool:
        """Whether weights distribute for all values."""
        type_ = self.links[0].other.type
        weight, kind = (combination(each, type_) for each in (self.weight, self.kind))
        assert weight is not None
        assert kind is not None
        return hazards_of_distribution(weight, kind) == EXACT

    @property
    def is_testable(self) -> bool:
        """Whether a test of the values of steps can show that the weights distribute.

        Of Ints with one sum in each step, since sums beside a minimum may wrap and cancel.
        """
        if self.is_exact:
            return True
        sums = [kind for kind, _ in groupby(link.kind for link in self.links) if kind == "add"]
        has_tests = any(link.tests for link in self.links)
        is_int = self.links[0].other.type == i64
        return self.is_of_floats or (is_int and not has_tests and len(sums) == 1)


def combination_by(links: Sequence[Link]) -> Combined | None:
    """The form of the steps of links, whose terms may be combined first; None for other links."""
    kinds, type_ = {link.kind for link in links}, links[0].other.type
    has_scans = all(kind in SCAN_KINDS and algebra_for(kind, type_) for kind in kinds)
    if not may_be_grouped(links) or not has_scans:
        return None
    if len(kinds) == 1:
        return Combined(links)
    kind = _weighed(kinds)
    return None if kind is None or unweighable(kind, type_, type_) else Weighted(links)


def _weighed(kinds: Collection[str]) -> str | None:
    """The kind of two that the other one weighs."""
    return next((kind for kind in kinds if kinds == {kind, WEIGHTS.get(kind)}), None)


@dataclass(frozen=True)
class Reset(Combined):
    """``where(t, x + e, r)``: links of one kind, or another value if a test holds."""

    test: Test
    """The test under which the other value is taken."""
    value: SSAValue

    def __str__(self) -> str:
        return f"combined since the last reset: {self.kind}"

    @property
    def parts(self) -> list[SSAValue]:
        """The values of the step that the next value depends on."""
        return [self.test.condition, self.value, *super().parts]

    @property
    def is_invertible(self) -> bool:
        """Whether the combination since a reset is a difference of prefixes: of sums of Ints."""
        algebra = algebra_for(self.kind, self.value.type)
        return algebra is not None and algebra.is_invertible


@dataclass(frozen=True)
class Modular(Combined):
    """``(x + e) % m``: sums of Ints modulo a number that is the same in all steps."""

    modulus: SSAValue

    def __str__(self) -> str:
        return "combined with a value of each step: add, modulo"

    @property
    def parts(self) -> list[SSAValue]:
        """The values of the step that the next value depends on."""
        return [self.modulus, *super().parts]


def modular_of(value: SSAValue, previous: Sequence[SSAValue], block: Block) -> Modular | None:
    """A remainder of the sum of a previous value and values of the step."""
    op = value.owner
    if not isinstance(op, sigma.FloorModOp) or op.parent is not block or value.type != i64:
        return None
    if is_defined_in(op.rhs, block) and known_int(op.rhs) is None:
        return None
    links = links_of(op.lhs, previous, block)
    is_sum = links and all(link.kind == "add" and not link.tests for link in links)
    return Modular(links, op.rhs) if links and is_sum else None


def reset_of(value: SSAValue, previous: Sequence[SSAValue], block: Block) -> Reset | None:
    """A choice between combinations with a previous value and a value of the step."""
    select = value.owner
    if not isinstance(select, arith.SelectOp) or select.parent is not block:
        return None
    varying = dependents(block, *previous)
    if select.cond in varying:
        return None
    for carried, other, expected in (
        (select.lhs, select.rhs, False),
        (select.rhs, select.lhs, True),
    ):
        links = None if other in varying else links_of(carried, previous, block)
        found = combination_by(links) if links else None
        if found is None or isinstance(found, Weighted):
            continue
        if unweighable(found.kind, value.type, i1) is None:
            return Reset(found.links, Test(select.cond, expected), other)
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

    def __init__(
        self, previous: frozenset[SSAValue], varying: set[SSAValue], block: Block, first: Later
    ):
        self._previous = previous
        self._varying = varying
        self._block = block
        self._first = first
        self._known = dict[SSAValue, list[Link] | None]()

    def links(self, value: SSAValue) -> list[Link] | None:
        """The links to a value, found once: both sides of a choice may read it."""
        if value not in self._known:
            self._known[value] = self._links(value)
        return self._known[value]

    def _links(self, value: SSAValue) -> list[Link] | None:
        value, _ = self._first.get(value, (value, None))
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
        """``where(t, f(x), g(x))``: the links of x, of f if t holds, and of g if not."""
        if op.cond in self._varying:
            return None
        lhs, rhs = self.links(op.lhs), self.links(op.rhs)
        if lhs is None or rhs is None:
            return None
        pairs = zip(lhs, rhs, strict=False)
        found = [link for link, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
        rest = len(found)
        for links, expected in ((lhs[rest:], True), (rhs[rest:], False)):
            test = Test(op.cond, expected)
            found += [replace(link, tests=(*link.tests, test)) for link in links]
        return found
