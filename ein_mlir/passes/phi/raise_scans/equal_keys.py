"""Folds whose steps equations of elements select: the values of equal keys are combined once.

Several keys are one number for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, i64
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import INTS
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.selections import Step, Test, step_of
from ein_mlir.analysis.phi.variables import variables_around
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of
from ein_mlir.dialects.reductions import kind_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.comparisons import (
    Comparison,
    Selection,
    parts_besides,
    tests_besides,
)
from ein_mlir.passes.phi.raise_scans.sorted_steps import (
    Facts,
    index_of_limits,
    keys_of_steps,
    skip_few,
)
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.index_limits import IndexLimit, index_limit
from ein_mlir.rewriting.phi.insertion import Builder, Contributions
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues, selected
from ein_mlir.rewriting.phi.step_values import step_of_index

MOST_PLACES = 16
"""The most elements of a table for each key: with more of them, the keys are sorted."""


def total_of_equal_keys(
    build: Builder, op: phi.FoldOp, step: Step, selection: Selection, facts: Facts
) -> SSAValue | None:
    """``fold { where(x[k] == y, a + e[k], a) }  -->  sums[place(y)]``

    where ``sums = accumulate (k < n) { place(x[k]), e[k] }``. The place of a key is that of the
    first one in the order of keys: n log n steps in place of n for each y. With ``dense``, Ints
    that are near each other are places themselves, unless there is a table for each index or step:
    their sizes would vary. With ``once``, for backends that compute each element in loops, the sums
    are rows over the indices of the values. A search for a key alone has a table of places only: in
    the order of keys it is found itself.
    """
    found, free, once = selection.equation, facts.free, facts.once
    if found is None or found.tie is not None:
        return None
    others, parts = tests_besides(op, step, selection), parts_besides(op, step, selection)
    if not facts.may_run_at_once(op, [*parts, found.limit]):
        return None
    varying = RecomputedValues(
        op, {i for part in parts for i in free.of(part)} if once else (), free
    )
    if (free.of(found.key) and once) or not varying.can_have(parts, [op.counter]):
        return None
    skip_few(op, [found], parts, facts)
    keys = keys_of_steps(build, op, found.key, is_reversed=False)
    has_rows = bool(free.of(found.key)) or (not once and _may_be_taken_in_blocks(op))
    is_dense = facts.dense and found.key.type == i64 and not has_rows
    places = Places(build, keys, is_dense=is_dense)

    def place_of(inner: Builder, at: Callable[[SSAValue], SSAValue]) -> SSAValue:
        return places.of(inner, inner.get(keys, [at(op.counter)]))

    repeated, count, is_near = None if others else _repeated(step), op.count, places.is_near
    if repeated is not None:
        count = build.integer(0) if is_near is None else build.select(is_near, count, 0)
    given = others, varying
    sums = totals_of_places(build, op, step, given, place_of, places.number, count)
    (limit,) = build.copied(op.body.block, [found.limit], {})
    place = places.of(build, limit)
    is_found = Test(places.has(build, limit, place), True)
    total = build.get(sums, [place, *varying.indices])
    if repeated is not None:
        total = build.select(is_near or build.truth(False), total, repeated)
    return build.chosen([is_found], total, step.neutral)


def _repeated(step: Step) -> IntegerAttr | FloatAttr | None:
    """The literal of a step, if any number of steps combine it to itself."""
    algebra = algebra_of(step.combine.name)
    is_idempotent = algebra is not None and algebra.idempotent
    return step.value if is_idempotent and not isinstance(step.value, SSAValue) else None


def _may_be_taken_in_blocks(op: phi.FoldOp) -> bool:
    """Whether a fold is in the term of a reduction, of which several steps may run at once."""
    outer = op.parent_op()
    if not isinstance(outer, phi.FoldOp) or step_of(outer) is None:
        return False
    block = outer.body.block
    in_step, affected = dependents(block, outer.counter), dependents(block, outer.accumulator)
    return op.result in in_step and op.result not in affected


def totals_of_places(
    build: Builder,
    op: phi.FoldOp,
    step: Step,
    given: tuple[Sequence[Test], RecomputedValues],
    place_of: Callable[[Builder, Callable[[SSAValue], SSAValue]], SSAValue],
    number: SSAValue,
    count: SSAValue | None = None,
) -> SSAValue:
    """``accumulate (k < n) { place(k), e[k] }``: the values of steps, if some tests hold.

    At each place there is a row over the indices of recomputed values. There may be a count of the
    first steps alone.
    """
    others, values = given
    sizes = [phi.size_of_index(index) for index in values.indices]

    def contributions(inner: Builder, own: Sequence[SSAValue]) -> Contributions:
        at = values.at(inner, own[1:], {op.counter: step_of_index(inner, op, own[0])})
        places = [place_of(inner, at), *map(inner.as_int, own[1:])]
        return [(places, selected(inner, step, others, at))]

    into = kind_of(step.combine.name), [number, *sizes]
    names = [op.counter, *values.indices]
    return build.accumulation([count or op.count, *sizes], [into], contributions, names)


class Places:
    """A place for each key, which equal keys have in common."""

    def __init__(self, build: Builder, keys: SSAValue, *, is_dense: bool):
        self.number = build.size(keys, 0)
        """No place is larger than that."""
        self.is_near: SSAValue | None = None
        """Whether keys are places themselves, if they may be."""
        if is_dense:
            self._least, self.is_near, span = _range(build, keys, self.number)
            count = build.select(self.is_near, build.integer(0), self.number)
            self.number = build.select(self.is_near, span, self.number)
            keys = build.comprehension([count], lambda inner, own: inner.get(keys, own))
        self._sorted = build.emit(phi.SortOp(keys))

    def of(self, build: Builder, key: SSAValue) -> SSAValue:
        """The place of a key; of one that there is not, it may be any Int."""
        place = build.emit(phi.SearchsortedOp(self._sorted, key, right=False))
        if self.is_near is None:
            return place
        return build.select(self.is_near, build.sub(key, self._least), place)

    def has(self, build: Builder, key: SSAValue, place: SSAValue) -> SSAValue:
        """Whether a key is one of the keys at its place; NaN is none."""
        is_own = build.compare(build.get(self._sorted, [place]), "==", key)
        if self.is_near is not None:
            is_own = build.or_(self.is_near, is_own)
        return build.and_(build.compare(place, "ult", self.number), is_own)


def _range(build: Builder, keys: SSAValue, number: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """The least key, whether all keys are so near that a table is small, and its size."""
    least = build.reduce(keys, INTS.high, arith.MinSIOp)
    most = build.reduce(keys, INTS.low, arith.MaxSIOp)
    distance = build.sub(most, least)
    is_near = build.compare(distance, "ult", build.mul(number, MOST_PLACES))
    return least, is_near, build.add(distance, 1)


def total_at_index(
    build: Builder, op: phi.FoldOp, step: Step, selection: Selection, facts: Facts
) -> SSAValue | None:
    """``fold (k < m) { where(x[k] <= i + c, a + e[k], a) }  -->  scan(totals)[i]``

    where ``totals = accumulate (k < m) { max(x[k] - c, 0), e[k] }``: m + n steps for all n indices.
    A table for each of the other indices that keys and values vary with is one of more axes for
    backends that compute elements in loops.
    """
    if len(selection.found) != 1 or selection.equations:
        return None
    (found,) = selection.found
    limit = index_limit(found.limit, facts.forms)
    if found.key.type != i64 or found.tie is not None or limit is None:
        return None
    others, parts = tests_besides(op, step, selection), parts_besides(op, step, selection)
    varying = {index for part in parts for index in facts.free.of(part)}
    values = RecomputedValues(op, varying if facts.once else (), facts.free)
    if (
        limit.index in varying
        or facts.free.of(op.count)
        or not facts.may_run_at_once(op, [*parts, found.limit])
        or not values.can_have(parts, [op.counter])
        or (facts.once and _vary_with_steps(op, limit, parts))
    ):
        return None

    def place_of(inner: Builder, at: Callable[[SSAValue], SSAValue]) -> SSAValue:
        return limit.place(inner, at(found.key), found.predicate)

    totals = totals_of_places(build, op, step, (others, values), place_of, limit.size)
    kind = kind_of(step.combine.name)

    def scan(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        column = inner.comprehension([limit.size], lambda at, place: at.get(totals, [*place, *own]))
        return inner.scan(kind, column, suffixes=not found.is_below)

    sizes = [phi.size_of_index(index) for index in values.indices]
    scanned = build.comprehension(sizes, scan, values.indices) if sizes else scan(build, ())
    position = limit.position(build, is_below=found.is_below)
    return build.get(scanned, [*values.indices, position])


def _vary_with_steps(op: phi.FoldOp, limit: IndexLimit, parts: Sequence[SSAValue]) -> bool:
    """Whether parts vary with the steps of a loop in that over an index: each has a table."""
    loop = limit.index.block.parent_op()
    return loop is not None and any(
        loop.is_ancestor(each.block) and not isinstance(each.type, IndexType)
        for each in variables_around(op, parts)
    )


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
    skip_few(op, equations, parts, facts)
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
