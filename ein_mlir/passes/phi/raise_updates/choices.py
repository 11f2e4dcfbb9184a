"""Choices between two arrays that are updates of one, and choices inside of elements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.size_equivalence import is_asserted
from ein_mlir.analysis.scopes import dependents_among
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_updates.recognition import Recogniser, is_in_step, is_reduced
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.optional_terms import optional_term


@dataclass(frozen=True)
class Choice:
    """``where(c, a, b)`` of two arrays that are a base with updates, the first one first."""

    condition: SSAValue
    base: SSAValue
    branches: tuple[Sequence[phi.UpdateOp], Sequence[phi.UpdateOp]]


def _updates_of(array: SSAValue) -> list[phi.UpdateOp]:
    """The updates that an array is the result of, the last one first, if they have no other use."""
    updates = list[phi.UpdateOp]()
    while isinstance(update := array.owner, phi.UpdateOp) and array.has_one_use():
        updates.append(update)
        array = update.array
    return updates


def choice_of(op: phi.ArrayOp, recogniser: Recogniser) -> Choice | None:
    """The choice between two arrays that a comprehension makes element by element."""
    select = op.yielded().owner
    if not isinstance(select, arith.SelectOp) or not recogniser.is_fixed(op, select.cond):
        return None
    branches = list[list[phi.UpdateOp]]()
    arrays = list[list[SSAValue]]()
    for side in (select.lhs, select.rhs):
        get = side.owner
        if not isinstance(get, phi.GetOp) or list(get.positions) != list(op.indices):
            return None
        updates = _updates_of(get.array)
        branches.append(updates)
        arrays.append([get.array, *(update.array for update in updates)])
    base = next((array for array in arrays[0] if array in arrays[1]), None)
    if base is None or any(map(is_asserted, op.sizes)) or not recogniser.is_over(op, base):
        return None
    first, second = (
        updates[: found.index(base)][::-1] for updates, found in zip(branches, arrays, strict=True)
    )
    return Choice(select.cond, base, (first, second)) if first or second else None


def updated_if(op: phi.ArrayOp, choice: Choice) -> SSAValue:
    """``where(c, update(a, p, x), a)  -->  update(a, where(c, p, -1), x)``

    and ``where(c, update(a, p, x), update(a, p, y))  -->  update(a, p, where(c, x, y))``.
    """
    build, (first, second) = Builder.before(op), choice.branches

    def chosen(a: SSAValue, b: SSAValue) -> SSAValue:
        return build.select(choice.condition, a, b)

    if len(first) == len(second) == 1 and not phi.rank_of(first[0].value.type):
        (one,), (other,) = first, second
        if list(one.positions) == list(other.positions):
            value = chosen(one.value, other.value)
            return build.update(choice.base, one.positions, value)
    array, nowhere = choice.base, build.integer(-1)
    for updates, expected in ((first, True), (second, False)):
        for update in updates:
            place, *rest = update.positions
            place = chosen(place, nowhere) if expected else chosen(nowhere, place)
            array = build.update(array, [place, *rest], update.value)
    return array


MOST_COPIES = 12
"""The most operations that are copied for the elements at a position: each is a call there, and a
choice among all elements takes three calls."""

MOST_CHOICES = 4
"""The most positions of a comprehension: the elements at each are computed apart."""


def lift_choices(op: phi.ArrayOp, recogniser: Recogniser) -> bool:
    """``array (i) { f(where(i == p, x, y)) }  -->  array (i) { where(i == p, f(x), f(y)) }``.

    Indices with bounds are left to ``split-index-ranges``: the bounds cut their axes. Choices in an
    array of which elements are replaced keep derivatives of these elements finite.
    """
    if not is_in_step(op) or is_reduced(op.result):
        return False
    if any(isinstance(use.operation, phi.UpdateOp) for use in op.result.uses):
        return False
    needed = slice_of(op.body.block, [op.yielded()])
    if recogniser.is_bounded(op, (value for each in needed for value in each.results)):
        return False
    is_inner = _choose_terms(op, recogniser)
    lifting = _Lifting(op, recogniser)
    while lifting.lift():
        is_inner |= lifting.is_inner
    if is_inner:
        lifting.finish()
    return is_inner


class _Lifting:
    """The elements at positions, which are computed apart, and the element at other indices."""

    def __init__(self, op: phi.ArrayOp, recogniser: Recogniser):
        self.is_inner = False
        self._op = op
        self._recogniser = recogniser
        self._build = Builder.before_end(op.body.block, recogniser.free.add)
        self._element = op.yielded()
        self._choices = list[tuple[Test, SSAValue]]()
        self._places = list[tuple[BlockArgument, LinearForm]]()
        """The positions at which all elements are computed apart."""

    def lift(self) -> bool:
        """Compute the elements at another position apart, if there is one."""
        found = self._choice() if len(self._choices) < MOST_CHOICES else None
        if found is None:
            return False
        choice, test, place = found
        self.is_inner |= choice.result is not self._element
        if place not in self._places:
            self._choices.append((test, self._element_if(test.condition, test.expected)))
            if len([*conjuncts(test)]) == 1:
                self._places.append(place)
        self._element = self._element_if(test.condition, not test.expected)
        return True

    def finish(self) -> None:
        """Let the comprehension choose between the elements."""
        element = self._element
        for test, taken in reversed(self._choices):
            sides = (taken, element) if test.expected else (element, taken)
            element = self._build.select(test.condition, *sides)
        self._op.yield_instead(element)

    def _element_if(self, condition: SSAValue, truth: bool) -> SSAValue:
        """The element at indices at which a condition has a value."""
        known = {condition: self._build.truth(truth)}
        return self._build.copied(self._op.body.block, [self._element], known)[0]

    def _choice(self) -> tuple[arith.SelectOp, Test, tuple[BlockArgument, LinearForm]] | None:
        """The last choice by whether an index is at a position."""
        needed = slice_of(self._op.body.block, [self._element])
        for choice in reversed(needed):
            if not isinstance(choice, arith.SelectOp):
                continue
            for test in (Test(choice.cond, True), Test(choice.cond, False)):
                place = self._recogniser.exception(self._op, test)
                if place is not None and _is_cheap(needed, choice.cond):
                    return choice, test, place
        return None


def _choose_terms(op: phi.ArrayOp, recogniser: Recogniser) -> bool:
    """Write optional terms at positions as choices, if there are any."""
    found = False
    for inner in list(op.body.block.ops):
        term = optional_term(inner, partial(recogniser.exception, op))
        if term is not None:
            Rewriter.replace_op(inner, (), (term.chosen(recogniser.free.add),))
            found = True
    return found


def _is_cheap(ops: Sequence[Operation], condition: SSAValue) -> bool:
    """Whether few operations, and no loops, depend on a condition."""
    varying = dependents_among(ops, condition)
    copies = [op for op in ops if not varying.isdisjoint(op.results)]
    return len(copies) <= MOST_COPIES and not any(op.regions for op in copies)
