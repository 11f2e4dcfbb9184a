"""Loops by a condition that count up, or down, to the first position where it fails: searches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.counted_loops import made, path_of
from ein_mlir.analysis.phi.free_indices import leaf_paths
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import is_made_of_fields
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.phi.unobserved_fields import used_fields
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Raising, replace

_AT_MOST = {"slt": -1, "sle": 0}
_AT_LEAST = {"sgt": 1, "sge": 0}
"""The predicates of a position and a number, and the last position relative to the number."""


@dataclass(frozen=True)
class _Search:
    """``while ((j <= last) & c(j), j = start) { j + 1 }``, or ``(j >= last)`` and ``j - 1``."""

    op: phi.WhileOp
    path: phi.Path
    """The field of j,"""
    step: int
    """and what a step adds to it."""
    last: LinearForm
    tests: Sequence[Test]
    """The conjuncts of c."""
    values: dict[SSAValue, int]
    """The values of a step that are at a distance from j."""

    @property
    def number(self) -> int:
        """The number of the field."""
        return leaf_paths(self.op.init.type).index(self.path)

    @property
    def start(self) -> SSAValue:
        """The first position."""
        return made(self.op.init, self.path)


def replace_by_search(op: phi.WhileOp, raising: Raising) -> bool:
    """``while ((j < n) & c(j), j = i) { j + 1 }
    -->  where((i < n) & c(i), max(i + 1, fold_min (k < n) { where((k > i) & ~c(k), k, n) }), i)``

    Likewise for ``j - 1`` down to a number that is at least 0. If ``raising`` replaces the fold;
    whether it does. A limit of steps is one of positions, ``i + limit``. A loop whose other fields
    are read remains.
    """
    found = _search(op, raising.forms)
    if found is None or body_may_fail(op) or not used_fields(op.result) <= {found.number}:
        return False
    count, reach = _count(found, raising.forms), _reach(found, raising.forms)
    if count is None or (reach is not None and not raising.forms.is_exact(reach)):
        return False
    before = Builder.before(op, raising.forms.add)
    first = before.add(found.start, found.step)
    steps = phi.FoldOp.of(_fold(before, found, first, before.linear_value(count)))
    steps.detach()
    position = raising.value(op, steps)
    if position is None:
        return False
    after = Builder.before(op, raising.free.add)
    nearer, further = (after.min, after.max) if found.step > 0 else (after.max, after.min)
    position = further(first, position)
    if reach is not None:
        position = nearer(position, after.linear_value(reach))
    is_taken = made(op.init, (0,))
    fields = {path: made(op.init, path) for path in leaf_paths(op.init.type)}
    fields[found.path] = after.select(is_taken, position, found.start)
    replace(op, after.record(op.init.type, fields.values()), raising.free)
    return True


def _fold(build: Builder, found: _Search, first: SSAValue, count: SSAValue) -> SSAValue:
    """The first position from another one on where the condition fails, or one behind the last."""
    is_up = found.step > 0
    extreme = arith.MinSIOp if is_up else arith.MaxSIOp
    behind = build.linear_value(found.last + found.step)

    def nearer(inner: Builder, k: SSAValue, best: SSAValue) -> SSAValue:
        known = {value: inner.add(k, d) if d else k for value, d in found.values.items()}
        conditions = inner.copied(found.op.body.block, [x.condition for x in found.tests], known)
        tests = [Test(c, x.expected) for c, x in zip(conditions, found.tests, strict=True)]
        fails = tests[0] if len(tests) == 1 else Test(inner.hold(tests), True)
        is_behind = inner.compare(k, "sge" if is_up else "sle", first)
        neutral = inner.integer(2**63 - 1 if is_up else -(2**63))
        taken = [Test(is_behind, True), Test(fails.condition, not fails.expected)]
        return inner.emit(extreme(best, inner.chosen(taken, k, neutral)))

    return build.fold_over(count, behind, nearer)


def _search(op: phi.WhileOp, forms: IndexForms) -> _Search | None:
    """The search that a loop is, if its condition depends on one field alone, which counts."""
    if not all(map(is_made_of_fields, (op.init, op.yielded()))):
        return None
    condition = Test(made(op.yielded(), (0,)), True)
    for path, step in _counters(op, forms):
        position = forms.form(made(op.yielded(), path))
        tests = list(conjuncts(condition))
        ends = [(test, end) for test in tests if (end := _end(op, test, position, step, forms))]
        others = [test for test in tests if not ends or test is not ends[0][0]]
        values = dict(_at_distances(op, position, forms))
        needed = slice_of(op.body.block, [test.condition for test in others], values)
        read = {operand for each in needed for operand in operands_within(each)} - {*values}
        if ends and others and read.isdisjoint({op.counter, op.accumulator}):
            return _Search(op, path, step, ends[0][1], others, values)
    return None


def _counters(op: phi.WhileOp, forms: IndexForms) -> Iterator[tuple[phi.Path, int]]:
    """The fields that each step increases by 1, or decreases."""
    for path in leaf_paths(op.init.type)[1:]:
        after, reads = made(op.yielded(), path), _reads(op, path)
        if after.type != i64:
            continue
        numbered = forms.form(made(op.init, path)) + LinearForm.of(op.counter)
        for before in (numbered, *map(forms.form, reads)):
            step = (forms.form(after) - before).known()
            if step in (1, -1):
                yield path, step
                break


def _end(
    op: phi.WhileOp, test: Test, position: LinearForm, step: int, forms: IndexForms
) -> LinearForm | None:
    """The last position for which a comparison with a number of all steps holds, as an integer."""
    found = relation_of(test.condition, expected=test.expected)
    for each in () if found is None else found.readings:
        distance = (forms.form(each.lhs) - position).known()
        if distance is None or is_within(each.rhs, op):
            continue
        if distance and not forms.is_exact(forms.form(each.lhs)):
            continue
        offset = (_AT_MOST if step > 0 else _AT_LEAST).get(each.predicate)
        last = None if offset is None else forms.integer(each.rhs) + offset - distance
        if last is not None and forms.is_exact(last) and forms.is_exact(last + step):
            return last
    return None


def _at_distances(
    op: phi.WhileOp, position: LinearForm, forms: IndexForms
) -> Iterator[tuple[SSAValue, int]]:
    """The values of a step that are at a known distance from the position after it."""
    for each in op.body.block.ops:
        for value in each.results:
            distance = (forms.form(value) - position).known() if value.type == i64 else None
            if distance is not None:
                yield value, distance


def _count(found: _Search, forms: IndexForms) -> LinearForm | None:
    """The number of positions from 0 on that the loop may end at, if it is at none before."""
    start = forms.integer(found.start)
    if found.step > 0:
        count = found.last + 1
        is_possible = forms.is_nonnegative(start + 1) and forms.is_nonnegative(count)
        is_fixed = not any(map(forms.free.of, count.coefficients))
        return count if is_possible and is_fixed and forms.is_exact(start + 1) else None
    if not forms.is_nonnegative(found.last) or not forms.is_exact(start - 1):
        return None
    sizes = [
        forms.integer(phi.size_of_index(atom))
        for atom in filter(phi.is_comprehension_index, start.coefficients)
    ]
    return next((size for size in sizes if forms.is_at_most(start, size)), None)


def _reach(found: _Search, forms: IndexForms) -> LinearForm | None:
    """The position that all steps of a limit reach, as an integer; None if the loop ends before."""
    if found.op.is_unlimited():
        return None
    start, limit = forms.integer(found.start), forms.integer(found.op.count)
    reach, behind = start + limit * found.step, found.last + found.step
    is_before = forms.is_at_most(*((behind, reach) if found.step > 0 else (reach, behind)))
    return None if is_before and forms.is_exact(reach) else reach


def _reads(op: phi.WhileOp, path: phi.Path) -> list[SSAValue]:
    """The reads of a field of the accumulator in a step."""
    return [
        each.result
        for each in op.body.block.ops
        if isinstance(each, phi.ProjOp) and path_of(each.result, op) == path
    ]
