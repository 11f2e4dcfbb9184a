"""What the steps of a loop contribute to values outside, and what a parallel loop needs for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.phi.records import origin
from ein_mlir.analysis.scopes import dependents, is_within, operands_within
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
from ein_mlir.rewriting.phi.derivatives.sizes import has_sizes, home_of
from ein_mlir.rewriting.phi.derivatives.tangents import Leaf, at_end

if TYPE_CHECKING:
    from ein_mlir.rewriting.phi.derivatives.transposition import Transposition

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
    wanted = [
        value
        for leaf in t.escaped(op)
        for each in t.contributions[leaf]
        if op.is_ancestor(each.block)
        for value in (each.value, *each.positions)
    ]
    found = _values_behind(t, op, wanted, set())
    whole = {each for each in found if isinstance(each.owner, Block)}
    found = _values_behind(t, op, wanted, whole)
    return [value for value in found if value is not op.counter]


def _values_behind(
    t: Transposition, op: phi.FoldOp, values: Sequence[SSAValue], whole: Set[SSAValue]
) -> list[SSAValue]:
    """The values that some are computed from, without elements of some variables."""
    block, home = op.body.block, place_of(op)[0]
    varying = {value for arg in block.args[1:] for value in dependents(block, arg)}
    pending, seen, found = list(values), set[SSAValue](), list[SSAValue]()
    while pending:
        value = t.copies.now(pending.pop())
        if value in seen or not is_within(value, op):
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, Block):
            found += [value] if owner is block else []
            continue
        is_kept = (
            (isinstance(owner, phi.ArrayOp | phi.UpdateOp) and value in varying)
            or is_result_of_costly(value)
            or is_element(value, block, whole)
        )
        is_kept = is_kept and owner.parent is block
        is_leaf = not isinstance(value.type, TupleType)
        if is_kept and is_leaf and has_sizes(value, home, t.copies.sized_like):
            found.append(value)
        else:
            pending += operands_within(owner)
    return found
