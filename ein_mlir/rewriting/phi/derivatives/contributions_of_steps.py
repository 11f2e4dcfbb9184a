"""What the steps of a loop contribute to values outside, and what a parallel loop needs for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.phi.records import origin
from ein_mlir.analysis.scopes import dependents, home_of, is_within, operands_within, values_behind
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.derivatives.contributions import (
    Contribution,
    Loop,
    added,
    is_fixed,
    loops_around,
    moves,
    place_of,
)
from ein_mlir.rewriting.phi.derivatives.residuals import is_element, is_result_of_costly
from ein_mlir.rewriting.phi.derivatives.sizes import has_sizes, is_visible
from ein_mlir.rewriting.phi.derivatives.tangents import Leaf, at_end

if TYPE_CHECKING:
    from ein_mlir.rewriting.phi.derivatives.transposition import Transposition

LEAST_WORK = 4
"""The operations that are computed again in a parallel loop, unless the loop saves its results."""

Place: TypeAlias = tuple[Leaf, tuple[SSAValue, ...]]
"""An element of a linear value, by its positions."""


def add_single_steps(t: Transposition, op: phi.GetOp, block: Block) -> None:
    """Contribute to an element of an array what single steps of loops do, by ``p == k``.

    The sum over all steps, of what else its cotangent has, leaves these out.
    """
    leaf, home = (op.result, 0), home_of(origin(op.array)[0])
    found, rest = t.contributions.get(leaf, ()), list[Contribution]()
    loops = [each for each in loops_around(block, home) if not moves(op.positions, each)]
    if len(found) < 2 or not loops:
        return
    for each in found:
        is_here = each.block is block and not each.positions
        if is_here and t.collector.sums.solved(loops, t.copies.now(each.value), home)[0]:
            t.add(block, op.array, each.value, op.positions)
        else:
            rest.append(each)
    t.contributions[leaf] = rest


def are_elementwise(t: Transposition, op: phi.FoldOp, leaves: Iterable[Leaf]) -> bool:
    """Whether the contributions of a step take no more room than its arrays: no contractions.

    Contractions are computed for all steps at once, and so are contributions of steps without
    arrays, and those to other elements in each step, or for each index around the loop.
    """
    body, is_found = op.body.block, False
    found = ((leaf[0], each) for leaf in leaves for each in t.contributions[leaf])
    for value, each in found:
        if not op.is_ancestor(each.block):
            continue
        around = each.block.parent_op()
        loops = (Loop(op.counter, op.count), *loops_around(place_of(op)[0], home_of(value)))
        if any(moves(each.positions, loop) for loop in loops):
            return False
        if isinstance(around, phi.ArrayOp) and around.parent is body:
            is_found = True
        elif each.block is not body:
            return False
    return is_found


def sums_of_step(t: Transposition, op: phi.FoldOp) -> dict[Place, SSAValue]:
    """The Floats that a step contributes to the same elements as all steps, which are summed.

    They are no contributions of the step any more.
    """
    body, home = op.body.block, place_of(op)[0]
    found = dict[object, tuple[Place, list[SSAValue]]]()
    for leaf in t.escaped(op):
        terms, left = t.terms(leaf), list[Contribution]()
        for each in t.contributions[leaf]:
            is_element = each.block is body and len(each.positions) == len(terms)
            if is_element and all(is_fixed(position, home) for position in each.positions):
                key = leaf, *(t.forms.form(position) for position in each.positions)
                values = found.setdefault(key, ((leaf, each.positions), []))[1]
                values.append(t.copies.now(each.value))
            else:
                left.append(each)
        t.contributions[leaf] = left
    return {place: added(at_end(body), values) for place, values in found.values()}


def values_of_step(t: Transposition, op: phi.FoldOp) -> list[SSAValue]:
    """The values of one step that its contributions to values outside are computed from.

    They are variables, results of loops, and arrays that depend on variables; their sizes are
    known before the loop. Elements stand for a variable of which nothing else is read.
    """
    return _Needed(t, op).by(t.contributions)


def saved_values(t: Transposition, op: phi.FoldOp) -> list[SSAValue]:
    """The values of each step that a loop saves: the same, or the Floats themselves that a step
    contributes to elements of its own, if these take no more room and are not computed by a few
    operations: then a parallel loop does not compute values of the steps again.
    """
    needed = _Needed(t, op)
    found = needed.by(t.contributions)
    own, rest = _own_elements(t, op, needed.varying)
    if not own:
        return found
    others = needed.by(rest)
    more = _more_room(Counter(map(_rank, others)) + Counter({0: len(own)}), found)
    contributions = [each.value for _, group in own.values() for each in group]
    if more > 0 or (more == 0 and needed.work(contributions, found) < LEAST_WORK):
        return found
    values = list[SSAValue]()
    for (leaf, positions), group in own.values():
        values.append(added(at_end(op.body.block), [_in_step(t, op, each) for each in group]))
        rest[leaf].append(Contribution(op.body.block, positions, values[-1]))
    t.contributions.update(rest)
    return [*others, *(value for value in values if value not in others)]


def _rank(value: SSAValue) -> int:
    return phi.rank_of(value.type)


def _more_room(ranks: Mapping[int, int], values: Sequence[SSAValue]) -> int:
    """How many more arrays some numbers of values of each rank take than others, of the largest."""
    others = Counter(map(_rank, values))
    most = max((*ranks, *others), default=0)
    more = (ranks.get(k, 0) - others[k] for k in range(most, -1, -1))
    return next((number for number in more if number), 0)


_Own: TypeAlias = dict[object, tuple[Place, list[Contribution]]]


def _own_elements(
    t: Transposition, op: phi.FoldOp, varying: Set[SSAValue]
) -> tuple[_Own, dict[Leaf, list[Contribution]]]:
    """The Floats that a step contributes to elements that depend on it, and other contributions."""
    body, found, rest = op.body.block, _Own(), dict[Leaf, list[Contribution]]()
    for leaf in t.escaped(op):
        terms, rest[leaf] = t.terms(leaf), list[Contribution]()
        for each in t.contributions[leaf]:
            is_own = (
                op.is_ancestor(each.block)
                and len(each.positions) == len(terms)
                and all(is_visible(at, body) and at not in varying for at in each.positions)
                and all(is_visible(loop.size, body) for loop in loops_around(each.block, body))
                and (each.block is not body or t.copies.now(each.value) in varying)
            )
            if is_own:
                key = leaf, *(t.forms.form(position) for position in each.positions)
                found.setdefault(key, ((leaf, each.positions), []))[1].append(each)
            else:
                rest[leaf].append(each)
    return found, rest


def _in_step(t: Transposition, op: phi.FoldOp, each: Contribution) -> SSAValue:
    """What a step contributes to an element: a value, or the sum of those of loops in the step."""
    body, value = op.body.block, t.copies.now(each.value)
    if each.block is body:
        return value
    sums = t.collector.sums
    loops = [(loop, sums.count(loop, body)) for loop in loops_around(each.block, body)]
    return sums.over(at_end(body), loops, {}, value, (), body)


class _Needed:
    """Finds the values of one step that contributions are computed from."""

    def __init__(self, t: Transposition, op: phi.FoldOp):
        self._t, self._op = t, op
        block = op.body.block
        self.varying = {value for arg in block.args[1:] for value in dependents(block, arg)}

    def by(self, contributions: Mapping[Leaf, Sequence[Contribution]]) -> list[SSAValue]:
        """The values for some contributions."""
        pending = [
            value
            for leaf in self._t.escaped(self._op)
            for each in contributions[leaf]
            if self._op.is_ancestor(each.block)
            for value in (each.value, *each.positions)
        ]
        found = self._behind(pending, set())
        found = self._behind(pending, {each for each in found if isinstance(each.owner, Block)})
        return [value for value in found if value is not self._op.counter]

    def work(self, values: Sequence[SSAValue], saved: Sequence[SSAValue]) -> int:
        """The operations of a step that take its variables, and compute values from saved ones."""
        now, known = self._t.copies.now, set(saved)
        behind = values_behind(map(now, values), lambda each: each in self.varying - known)
        return sum(isinstance(each.owner, Operation) for each in behind)

    def _behind(self, values: Sequence[SSAValue], whole: Set[SSAValue]) -> list[SSAValue]:
        """The values, without elements of some variables."""
        op, block = self._op, self._op.body.block
        pending, seen, found = list(values), set[SSAValue](), list[SSAValue]()
        while pending:
            value = self._t.copies.now(pending.pop())
            if value in seen or not is_within(value, op):
                continue
            seen.add(value)
            owner = value.owner
            if isinstance(owner, Block):
                found += [value] if owner is block else []
                continue
            is_kept = (
                (isinstance(owner, phi.ArrayOp | phi.UpdateOp) and value in self.varying)
                or is_result_of_costly(value)
                or is_element(value, block, whole)
            )
            is_kept = is_kept and owner.parent is block
            is_leaf = not isinstance(value.type, TupleType)
            home = place_of(op)[0]
            if is_kept and is_leaf and has_sizes(value, home, self._t.copies.sized_like):
                found.append(value)
            else:
                pending += operands_within(owner)
        return found
