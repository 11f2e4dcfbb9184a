"""Folds whose steps equations of several keys select: one equation of a number for all keys."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, i64
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.selections import Step
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.comparisons import Comparison, Selection, parts_besides
from ein_mlir.passes.phi.raise_scans.equal_keys import Places
from ein_mlir.passes.phi.raise_scans.sorted_steps import (
    Facts,
    index_of_limits,
    keys_of_steps,
    skip_few,
)
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class _Key:
    """The keys of all steps, and the limit that those of selected steps are equal to."""

    keys: SSAValue
    limit: SSAValue


def join_keys(op: phi.FoldOp, step: Step, selection: Selection, facts: Facts) -> bool:
    """``(x[k] == p) & (y[k] == q)  -->  z[k] == place(p) * n + place(q)``

    where z has these numbers for the keys of each step, and n is the number of places of the second
    key. Of more keys, the number for the first ones is a key. It is -1 for a limit that is no key.
    Whether there are several equations.
    """
    equations = _equations(selection)
    if len(equations) < 2:
        return False
    parts, limits = parts_besides(op, step, selection), selection.parts
    if not facts.may_store(op, limits, parts):
        return False
    build = Builder.before(op, facts.forms.add)
    skip_few(build, op, equations, parts, facts.least)
    own = index_of_limits(op, equations, facts.forms)
    are_ints = not any(isa(each.key.type, AnyFloat) for each in equations)
    index = own[0] if own is not None and not own[1] and are_ints else None
    dense = facts.dense and not any(map(facts.free.of, parts))  # no table for each index
    first, *others = (_key(build, op, each) for each in equations)
    for other in others:
        first = _joined(build, op, (first, other), index, dense=dense)
    body = Builder.at_start(op.body.block)
    is_equal = body.compare(body.get(first.keys, [op.counter]), "eq", first.limit)
    for each in equations:
        condition = each.test.condition
        condition.replace_all_uses_with(body.is_as_expected(is_equal, each.test.expected))
    erase_unused(op.body.block)
    facts.forms.add(op)
    return True


def _equations(selection: Selection) -> list[Comparison]:
    """A comparison of each equation, which has two of them."""
    found = [*selection.found, *selection.equations]
    tests = [each.test for each in found]
    return [each for k, each in enumerate(found) if each.test in tests[:k]]


def _key(build: Builder, op: phi.FoldOp, equation: Comparison) -> _Key:
    (limit,) = build.copied(op.body.block, [equation.limit], {})
    return _Key(keys_of_steps(build, op, equation.key, is_reversed=False), limit)


def _joined(
    build: Builder,
    op: phi.FoldOp,
    both: tuple[_Key, _Key],
    index: BlockArgument | None,
    *,
    dense: bool,
) -> _Key:
    """The number of two keys; that of the limits is that of a step, given its index."""
    first, second = (
        Places(build, each.keys, is_dense=dense and each.limit.type == i64) for each in both
    )

    def number(inner: Builder, keys: Sequence[SSAValue]) -> SSAValue:
        places = [each.of(inner, key) for each, key in zip((first, second), keys, strict=True)]
        return inner.add(inner.mul(places[0], second.number), places[1])

    def own(inner: Builder, place: Sequence[SSAValue]) -> SSAValue:
        return number(inner, [inner.get(each.keys, place) for each in both])

    numbers = build.comprehension([op.count], own, [op.counter])
    if index is not None:
        return _Key(numbers, build.get(numbers, [index]))
    limits = [each.limit for each in both]
    are_keys = build.and_(
        *(
            places.has(build, limit, places.of(build, limit))
            for places, limit in zip((first, second), limits, strict=True)
        )
    )
    return _Key(numbers, build.select(are_keys, number(build, limits), -1))
