"""Loops whose condition tests what steps count or add up: searches for the last step, in blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import TupleType, i8
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.counted_loops import end_of
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import field_of, is_made_of_fields, leaf_values
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.predicates import conjoined
from ein_mlir.analysis.scopes import dependents, is_within, operations_in, operations_of
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import SUM_OF
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.dialects.reductions import is_reduction, kind_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import StepBuilder, running_total

FEWEST_STEPS, MOST_STEPS = 256, 2**16
"""The steps of a block: as many as all before it, but not fewer or more than these."""

MOST_LOOPS = 2**12
"""The most steps of a block whose conditions have loops; the first block then has one step, since
those after the last step may take long.
"""


@dataclass(frozen=True)
class Search:
    """A loop that ends where a test of the number of the step, and of sums so far, first fails.

    The fields of its record are numbered over the flattened record.
    """

    op: phi.WhileOp
    counts: Mapping[int, Operation]
    """Fields to which each step adds the same number, or subtracts it."""
    sums: Mapping[int, Operation]
    """Other fields that the condition reads, and their combination with a term."""
    end: tuple[SSAValue, SSAValue, SSAValue] | None
    """A part of the condition, ``k < n`` of a counter k: that, the first k, and n."""
    has_loops: bool
    """Whether the condition has comprehensions or loops."""


def search_of(op: phi.WhileOp) -> Search | None:
    """The search that an outermost loop is, if tests after its end do no harm."""
    is_made = all(map(is_made_of_fields, (op.init, op.yielded())))
    has_limit = not op.is_unlimited() and (not is_nonnegative(op.count) or _reads_condition(op))
    reads = _reads(op)
    if not isinstance(op.parent_op(), func.FuncOp) or not is_made or has_limit or reads is None:
        return None
    block, condition = op.body.block, leaf_values(op.yielded())[0]
    counts = dict(_counts(op, reads))
    varying = {value: k for value, k in reads.items() if k not in counts}
    sums = {
        k: combine
        for k, combine in _sums(op, reads, dependents(block, *varying))
        if condition in dependents(block, *(x for x in varying if varying[x] == k))
    }
    inputs = slice_of(block, [condition])
    if (
        condition in dependents(block, *(x for x in varying if varying[x] not in sums))
        or condition not in dependents(block, op.counter, op.accumulator)
        or any(map(any_may_fail, inputs))
        or not _is_regular(op, inputs)
    ):
        return None
    has_loops = any(len(operations_in(each)) > 1 for each in inputs)
    return Search(op, counts, sums, _end(op, counts), has_loops)


def _reads_condition(op: phi.WhileOp) -> bool:
    users = [use.operation for use in op.result.uses]
    return not all(isinstance(x, phi.ProjOp) and x.field.value.data for x in users)


def _reads(op: phi.WhileOp) -> dict[SSAValue, int] | None:
    """The fields that the body reads; None if it takes records for more than their fields."""
    reads, records = dict[SSAValue, int](), list[SSAValue]([op.accumulator])
    for each in operations_of(op, phi.ProjOp):
        field = field_of(each.result, op.accumulator)
        if field is not None and isa(each.result.type, TupleType):
            records.append(each.result)
        elif field is not None:
            reads[each.result] = field
    users = (use.operation for record in records for use in record.uses)
    return reads if all(isinstance(user, phi.ProjOp) for user in users) else None


def _counts(op: phi.WhileOp, reads: Mapping[SSAValue, int]) -> Iterator[tuple[int, Operation]]:
    """The fields ``k + c`` and ``k - c`` for numbers c from before the loop."""
    for field, value in enumerate(leaf_values(op.yielded())):
        after = value.owner
        if isinstance(after, arith.AddiOp | arith.SubiOp):
            others = _terms(after, field, reads)
            is_first = reads.get(after.lhs) == field or isinstance(after, arith.AddiOp)
            if is_first and len(others) == 1 and not _varies(op, others[0]):
                yield field, after


def _varies(op: phi.WhileOp, value: SSAValue) -> bool:
    return is_within(value, op) and known_int(value) is None


def _terms(combine: Operation, field: int, reads: Mapping[SSAValue, int]) -> list[SSAValue]:
    """The operands that do not read a field."""
    return [each for each in combine.operands if reads.get(each) != field]


def _sums(
    op: phi.WhileOp, reads: Mapping[SSAValue, int], dependent: set[SSAValue]
) -> Iterator[tuple[int, Operation]]:
    """The fields that each step combines with a term, which depends on no such field."""
    for field, value in enumerate(leaf_values(op.yielded())):
        after = value.owner
        if not isinstance(after, Operation) or after.parent is not op.body.block:
            continue
        is_difference = after.name in SUM_OF and reads.get(after.operands[0]) == field
        if is_difference or is_reduction(after.name, value.type):
            terms = _terms(after, field, reads)
            if len(terms) == 1 and terms[0] not in dependent:
                yield field, after


def _is_regular(op: phi.WhileOp, inputs: Sequence[Operation]) -> bool:
    """Whether a block of steps takes operations at once: loops in them take the same steps."""
    ops = [inner for each in inputs for inner in operations_in(each)]
    loops = [each for each in ops if isinstance(each, phi.FoldOp | phi.WhileOp)]
    varying = dependents(op.body.block, *op.body.block.args) if loops else ()
    return all(isinstance(each, phi.FoldOp) and each.count not in varying for each in loops)


def _end(
    op: phi.WhileOp, counts: Mapping[int, Operation]
) -> tuple[SSAValue, SSAValue, SSAValue] | None:
    for field, after in counts.items():
        start = leaf_values(op.init)[field]
        first = known_int(start)
        if isinstance(after, arith.AddiOp) and first is not None and first >= 0:
            for part in conjoined(leaf_values(op.yielded())[0]):
                end = end_of(part, after.result)
                if (
                    end is not None
                    and not is_within(end, op)
                    and 1 in map(known_int, after.operands)
                ):
                    return part, start, end
    return None


def search_in_blocks(found: Search) -> None:
    """``while (c(s), x = p) { e(s, x) }  -->  fold (s < n, x = p) { e(s, x) }``

    where n is the number of the first step after which the condition fails::

        while (is_on, n = c) {
          m = min(max(256, n), 65536, most - n)
          holds = array (k < m) { condition after step n - 1 + k }
          first = argmin holds
          .. holds[first] & n + m < most, n + where(holds[first], m, first) ..
        }
    """
    op, build = found.op, Builder.before(found.op)
    most, initial = _most_steps(build, found), leaf_values(op.init)
    is_on = initial[0]
    if not op.is_unlimited():
        is_on = build.and_(is_on, build.compare(op.count, "sgt", 0))
    init = build.tuple([is_on, build.select(is_on, 1, 0), *(initial[k] for k in found.sums)])

    def block(inner: Builder, _: SSAValue, state: SSAValue) -> SSAValue:
        return _block(inner, found, inner.leaves(state)[1:], most)

    steps = build.proj(build.fold_over(build.integer(MOST), init, block, (), phi.WhileOp), 1)
    fields = {0: build.truth(False), **_folded(build, found, steps)}
    fields |= {field: _count_after(build, found, field, steps) for field in found.counts}
    result = build.record(op.result.type, [fields[k] for k in range(len(initial))])
    Rewriter.replace_op(op, (), (result,))


def _most_steps(build: Builder, found: Search) -> SSAValue:
    """The limit of the steps; a counter from p on that ends below n takes at most ``n - p``."""
    if found.end is None:
        return found.op.count
    _, start, end = found.end
    most = build.max(build.sub(end, start), 1)
    return most if found.op.is_unlimited() else build.min(found.op.count, most)


def _count_after(build: Builder, found: Search, field: int, steps: SSAValue) -> SSAValue:
    """``p + c * s``, a field that counts, after s steps"""
    combine, start = found.counts[field], leaf_values(found.op.init)[field]
    (change,) = (x for x in combine.operands if field_of(x, found.op.accumulator) != field)
    known = known_int(change)
    total = steps if known == 1 else build.mul(steps, change if known is None else known)
    return build.sub(start, total) if isinstance(combine, arith.SubiOp) else build.add(start, total)


def _known(
    build: Builder, found: Search, number: SSAValue, fields: Mapping[int, SSAValue]
) -> dict[SSAValue, SSAValue]:
    """The counter and the record before a step, given its number and some fields."""
    op = found.op
    leaves = dict(enumerate(leaf_values(op.init)))
    leaves |= {field: _count_after(build, found, field, number) for field in found.counts}
    record = build.record(op.init.type, {**leaves, **fields}.values())
    return {op.counter: number, op.accumulator: record}


def _block(build: Builder, found: Search, state: Sequence[SSAValue], most: SSAValue) -> SSAValue:
    """The state after a block: whether steps go on, their number, and the sums before the last."""
    steps, *starts = state
    fewest, most_of_block = (1, MOST_LOOPS) if found.has_loops else (FEWEST_STEPS, MOST_STEPS)
    usual = build.min(build.max(steps, fewest), most_of_block)
    size = build.min(usual, build.max(build.sub(most, steps), 0))
    first, names = build.sub(steps, 1), found.op.body.block.args[:1]
    totals = {
        field: _running_sum(build, found, field, start, first, size)
        for field, start in zip(found.sums, starts, strict=True)
    }

    def holds(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        k = inner.as_int(own[0])
        before = {field: total(inner, k) for field, total in totals.items()}
        known = _known(inner, found, inner.add(first, k), before)
        for field, total in totals.items():
            known[found.sums[field].results[0]] = total(inner, inner.add(k, 1))
        if found.end is not None:
            known[found.end[0]] = inner.truth(True)
        return inner.copied(found.op.body.block, leaf_values(found.op.yielded())[:1], known)[0]

    goes_on = build.comprehension([size], holds, names)
    numbers = build.comprehension(
        [size], lambda inner, k: inner.emit(arith.ExtUIOp(inner.get(goes_on, k), i8)), names
    )
    place = build.emit(phi.ArgreduceOp(numbers, "<"))
    is_whole = build.get(goes_on, [place])
    taken = build.select(is_whole, size, place)
    number = build.add(steps, taken)
    is_on = build.and_(is_whole, build.compare(number, "slt", most))
    return build.tuple([is_on, number, *(total(build, taken) for total in totals.values())])


def _running_sum(
    build: Builder, found: Search, field: int, start: SSAValue, first: SSAValue, size: SSAValue
) -> StepBuilder:
    """The sum after some steps of a block."""
    combine, accumulator = found.sums[field], found.op.accumulator
    wanted = [x for x in combine.operands if field_of(x, accumulator) != field]

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        known = _known(inner, found, inner.add(first, inner.as_int(own[0])), {})
        term = inner.copied(found.op.body.block, wanted, known)[0]
        return inner.negated(term) if combine.name in SUM_OF else term

    terms = build.comprehension([size], element, found.op.body.block.args[:1])
    kind = kind_of(SUM_OF.get(combine.name, combine.name))
    return running_total(build, kind, start, terms, build.add(size, 1))


def _folded(build: Builder, found: Search, steps: SSAValue) -> dict[int, SSAValue]:
    """The fields that do not count after all steps, by a fold."""
    block, initial = found.op.body.block, leaf_values(found.op.init)
    others = [k for k in range(1, len(initial)) if k not in found.counts]
    if not others:
        return {}

    def step(inner: Builder, number: SSAValue, acc: SSAValue) -> SSAValue:
        fields = dict(zip(others, inner.unpacked(acc, len(others)), strict=True))
        wanted = [leaf_values(found.op.yielded())[k] for k in others]
        return inner.packed(inner.copied(block, wanted, _known(inner, found, number, fields)))

    init = build.packed([initial[k] for k in others])
    after = build.fold_over(steps, init, step, block.args)
    return dict(zip(others, build.unpacked(after, len(others)), strict=True))
