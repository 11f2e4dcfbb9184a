"""Comprehensions that replace elements of an array, as updates: their recognition."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.size_equivalence import Term, is_asserted, unasserted_equal_sizes
from ein_mlir.analysis.scopes import dependents, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.optional_terms import OptionalTerm, optional_term


@dataclass
class Update:
    """``where(i == p & c, x, old)``: the positions of the compared indices, and the rest."""

    positions: dict[BlockArgument, LinearForm]
    conditions: list[Test]
    """Those that vary with none of the indices that are not compared,"""
    choices: list[Test]
    """and those that do."""
    value: SSAValue
    old: SSAValue
    """The value elsewhere."""
    tests: list[Test]
    """The comparisons that give the positions."""


@dataclass
class Updates:
    """Updates of the array of some elements of a comprehension, the last one first."""

    element: SSAValue
    steps: list[Update]
    array: SSAValue | None = None
    """The array of these elements, if there is one."""


class Recogniser:
    """Finds updates in the comprehensions of a function, given the facts about its indices."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager):
        self.free = analyses.get(free_indices, function)
        self.sizes = analyses.get(unasserted_equal_sizes, function)
        self.forms = IndexForms(function, self.sizes, self.free)

    def updates(self, op: phi.ArrayOp, value: SSAValue) -> Updates | None:
        """The updates that the element of a comprehension, or a field of it, selects from.

        Updates of an array do not use the sizes of the compared indices: an assertion among them
        would be lost.
        """
        steps = list[Update]()
        while isinstance(value.owner, arith.SelectOp) and value.owner.parent is op.body.block:
            step = self._update(op, value.owner)
            if step is None:
                break
            steps.append(step)
            value = step.old
        get = value.owner
        compared = {index for step in steps for index in step.positions}
        if (
            steps
            and isinstance(get, phi.GetOp)
            and self._is_element(op, get)
            and not any(is_asserted(op.sizes[index.index]) for index in compared)
        ):
            return Updates(value, steps, get.array)
        if not steps or _is_reduced(op.result) or any(map(_is_edge, steps)):
            return None
        return Updates(value, steps)

    def choose_terms(self, op: phi.ArrayOp, value: SSAValue) -> None:
        """Write optional terms at positions as choices, if they are all that updates an array."""
        terms = list[OptionalTerm]()
        while isinstance(inner := value.owner, Operation) and inner.parent is op.body.block:
            if isinstance(inner, arith.SelectOp):
                step = self._update(op, inner)
                if step is None:
                    return
                value = step.old
                continue
            term = optional_term(inner)
            if term is None or not all(self._has_position(op, test) for test in term.tests):
                break
            terms.append(term)
            value = term.base
        get = value.owner
        if isinstance(get, phi.GetOp) and self._is_element(op, get):
            for term in reversed(terms):
                Rewriter.replace_op(term.operation, (), (term.chosen(),))

    def _has_position(self, op: phi.ArrayOp, test: Test) -> bool:
        """Whether a test compares an index with a position."""
        return any(self._position(op, each, each.condition) is not None for each in conjuncts(test))

    def _is_element(self, op: phi.ArrayOp, get: phi.GetOp) -> bool:
        """Whether an array is read at the indices of a comprehension over all of it."""
        return list(map(phi.uncast, get.positions)) == list(op.indices) and self.is_over(
            op, get.array
        )

    def is_over(self, op: phi.ArrayOp, array: SSAValue) -> bool:
        """Whether a comprehension has the leading axes of an array that does not vary in it."""
        return self.is_fixed(op, array) and all(
            self.sizes.same(size, Term(array, (), axis)) and not _is_asserted_in_steps(size)
            for axis, size in enumerate(op.sizes)
        )

    def is_fixed(self, op: phi.ArrayOp, value: SSAValue) -> bool:
        """Whether a value is the same at all indices of a comprehension."""
        return self.free.of(value).isdisjoint(op.indices) and not is_within(value, op)

    def _update(self, op: phi.ArrayOp, select: arith.SelectOp) -> Update | None:
        """A selection as an update."""
        for negated, new, old in ((False, select.lhs, select.rhs), (True, select.rhs, select.lhs)):
            positions = dict[BlockArgument, LinearForm]()
            tests = list[Test]()
            conditions = list[Test]()
            for test in conjuncts(Test(select.cond, not negated)):
                found = self._position(op, test, new)
                if found is not None and found[0] not in positions:
                    positions[found[0]] = found[1]
                    tests.append(test)
                else:
                    conditions.append(test)
            others = set(op.indices) - positions.keys()
            choices = [c for c in conditions if not self.free.of(c.condition).isdisjoint(others)]
            if positions and self._have_same_sizes(new, old):
                conditions = [c for c in conditions if c not in choices]
                return Update(positions, conditions, choices, new, old, tests)
        return None

    def _have_same_sizes(self, new: SSAValue, old: SSAValue) -> bool:
        """Whether two elements that are vectors provably have the same sizes."""
        return all(
            self.sizes.same(Term(new, (), axis), Term(old, (), axis))
            for axis in range(phi.rank_of(new.type))
        )

    def _position(
        self, op: phi.ArrayOp, test: Test, new: SSAValue
    ) -> tuple[BlockArgument, LinearForm] | None:
        """``i - k == 1`` as ``(i, k + 1)``: the innermost index, and its position."""
        difference = self.forms.equation(test.condition, expected=test.expected)
        if difference is None:
            return None
        own = [
            atom
            for atom in difference.coefficients
            if not self.free.of(atom).isdisjoint(op.indices)
        ]
        if not own or not all(atom in op.indices for atom in own):
            return None
        index = max((atom for atom in op.indices if atom in own), key=lambda atom: atom.index)
        if len(own) > 1 and not _is_costly(op, new, index):
            return None
        position = difference.solved_for(index)
        return None if position is None else (index, position)


def _is_asserted_in_steps(size: SSAValue) -> bool:
    """Whether each step of a loop asserts a size: ``raise-writes`` moves that before the loop."""
    owner = size.owner
    return isinstance(owner, phi.AssertEqOp) and isinstance(owner.parent_op(), phi.LoopOp)


def _is_costly(op: phi.ArrayOp, value: SSAValue, index: BlockArgument) -> bool:
    """Whether a value reads arrays in the body of a comprehension, at positions of an index."""
    varying = dependents(op.body.block, index)
    return any(
        (each.regions or isinstance(each, phi.GetOp))
        and not varying.isdisjoint(operands_within(each))
        for each in slice_of(op.body.block, [value])
    )


def _is_edge(update: Update) -> bool:
    """Whether a position depends on sizes only: an element at an edge is no exception among others.

    Elements next to an edge are better computed apart from the others.
    """
    return any(
        all(isinstance(atom.owner, phi.SizeOp) for atom in form.coefficients)
        for form in update.positions.values()
    )


def _is_reduced(array: SSAValue) -> bool:
    """Whether an array is only reduced: then its elements need no memory."""
    return any(isinstance(use.operation, phi.ReduceOp) for use in array.uses)
