"""Folds whose steps write one element each, and read none of the last ones: blocks, or chains."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import INTS, LinearForm
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.element_cost import short_count
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.dependence import MOST
from ein_mlir.analysis.phi.loops.writes import Write, readers_of, writes_of
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.speculation import body_may_fail
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import is_reduction, kind_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.ranges import checked_count

LEAST = 32
"""The least number of steps of a block for which its calls take less time than they do."""

LEAST_OF_CHAIN = 64
"""The least number of steps of a chain for which its calls take less time than they do."""


@dataclass(frozen=True)
class Lags:
    """A fold whose step k writes element ``k + offset``, and reads those at lags before it."""

    op: phi.FoldOp
    write: Write
    offset: LinearForm
    lags: Sequence[LinearForm]
    reads: Collection[Operation]
    """The operations that read an element at a lag."""
    within: Mapping[SSAValue, bool]
    """The truth of comparisons in the steps that have an element at each lag."""
    before: Mapping[SSAValue, bool]
    """The truth of comparisons in the steps before these."""


@dataclass(frozen=True)
class Lagging:
    """A fold whose step k writes element ``offset + stride * k``, and reads those at lags."""

    write: Write
    offset: LinearForm
    stride: int
    reads: Mapping[phi.GetOp, LinearForm]
    """The lag of each read, the same in all steps and for all indices."""


def lagging(op: phi.FoldOp, forms: IndexForms) -> Lagging | None:
    """The fold as one of reads at lags, if it is one."""
    is_vector = isa(op.result.type, phi.VecType) and phi.rank_of(op.result.type) == 1
    if not is_vector or isa(phi.scalar_of(op.result.type), TupleType) or op.irregular is not None:
        return None
    writes = None if short_count(op) else writes_of(op)
    if not writes or len(writes) > 1 or body_may_fail(op):
        return None
    (write,), reads = writes, list(readers_of(op, writes))
    if write.around is not None or not reads:
        return None
    position = forms.form(write.positions[0])
    stride, offset = position.split(op.counter)
    size = forms.size(op.init, 0)
    found = {
        read: position - forms.form(forms.unclipped(read.positions[0], size))
        for read in reads
        if isinstance(read, phi.GetOp) and read.array is op.accumulator
    }
    atoms = [atom for each in (offset, *found.values()) for atom in each.coefficients]
    if len(found) < len(reads) or any(is_within(atom, op) or forms.free.of(atom) for atom in atoms):
        return None
    return Lagging(write, offset, stride, found)


def lags_of(op: phi.FoldOp, forms: IndexForms) -> Lags | None:
    """The fold as one of lags that are known at run time, if it is one."""
    own = lagging(op, forms)
    if own is None or own.stride != 1:
        return None
    found = {read: lag for read, lag in own.reads.items() if lag.known() != 0}
    lags = list(dict.fromkeys(found.values()))
    known = [lag.known() for lag in lags]
    if not lags or any(each is not None and each < LEAST for each in known):
        return None
    size, end = forms.size(op.init, 0), forms.integer(op.count) + own.offset
    is_inside = (
        size is not None and forms.is_at_most(end, size) and forms.is_nonnegative(own.offset)
    )
    if not is_inside:
        return None
    position = own.offset + LinearForm.of(op.counter)
    within = _guards(op, position, lags, forms)
    longest = [lag for lag in lags if all(_is_longest(lag, other) for other in lags)]
    last = _guards(op, position, longest, forms)
    before = {each: not holds for each, holds in last.items()}
    return Lags(op, own.write, own.offset, lags, found.keys(), within, before)


def _is_longest(lag: LinearForm, other: LinearForm) -> bool:
    number = (lag - other).known()
    return number is not None and 0 <= number <= MOST


def _guards(
    op: phi.FoldOp, position: LinearForm, lags: Sequence[LinearForm], forms: IndexForms
) -> dict[SSAValue, bool]:
    """The comparisons that tell whether there is an element at a lag, with their truth if so."""
    found = dict[SSAValue, bool]()
    firsts = [position - lag for lag in lags if _is_plain(lag, forms)]
    for each in op.body.block.ops:
        relation = relation_of(each.results[0]) if isinstance(each, arith.CmpiOp) else None
        for reading in relation.readings if relation is not None else ():
            if reading.predicate in _LEAST:
                least, holds = _LEAST[reading.predicate]
                if forms.integer(reading.lhs) - forms.integer(reading.rhs) - least in firsts:
                    found[each.results[0]] = holds
    return found


_LEAST: Mapping[str, tuple[int, bool]] = {
    "sge": (0, True),
    "sgt": (1, True),
    "slt": (0, False),
    "sle": (1, False),
}
"""Predicate -> the least difference of its operands for which it has a truth value that it has not
for lesser ones.
"""


def _is_plain(lag: LinearForm, forms: IndexForms) -> bool:
    """Whether a lag that is at least 1 as an Int is that as an integer."""
    factors = list(lag.coefficients.values())
    return forms.is_exact(lag) or (factors == [1] and 0 <= lag.constant <= MOST)


@dataclass(frozen=True)
class _Chain:
    """The value of a step with an element at its lag, which is combined with another value."""

    operation: Operation
    lagged: SSAValue
    other: SSAValue


def _chain_of(found: Lags) -> _Chain | None:
    """The only lag of a fold as that of a scan, if all steps that have it write."""
    tests = found.write.tests
    is_written = all(found.within.get(x.condition) == x.expected for x in tests)
    if len(found.lags) > 1 or not is_written:
        return None
    operation = _taken(found.write.update.value, found.within).owner
    if not isinstance(operation, Operation) or not is_reduction(
        operation.name, phi.scalar_of(found.op.result.type)
    ):
        return None
    sides = [_taken(side, found.within) for side in operation.operands]
    for lagged, other in (sides, sides[::-1]):
        if lagged.owner in found.reads and not _reads_any(found, other):
            return _Chain(operation, lagged, other)
    return None


def _reads_any(found: Lags, value: SSAValue) -> bool:
    needed = slice_of(found.op.body.block, [value])
    return any(op in found.reads for op in needed)


def _taken(value: SSAValue, truths: Mapping[SSAValue, bool]) -> SSAValue:
    """The side of selections that is taken."""
    while isinstance(choice := value.owner, arith.SelectOp) and choice.cond in truths:
        value = choice.lhs if truths[choice.cond] else choice.rhs
    return value


def _are_idle_before(found: Lags) -> bool:
    """Whether the steps without an element at the longest lag write nothing."""
    return any(found.before.get(x.condition) == (not x.expected) for x in found.write.tests)


class _Blocks:
    """Folds over blocks of the steps of a fold, before it."""

    def __init__(self, found: Lags):
        self._found, self._op = found, found.op
        self._build = build = Builder.before(found.op)
        lags = [build.linear_value(lag) for lag in found.lags]
        self._offset = build.linear_value(found.offset)
        self._shortest = functools.reduce(build.min, lags)
        self._is_long = build.compare(self._shortest, "sge", LEAST)
        self._length = build.min(build.max(self._shortest, 1), build.max(self._op.count, 1))
        self._chain = _chain_of(found)
        self._is_chain = self._is_short() if self._chain is not None else None
        self._are_at_once = self._is_long
        if self._is_chain is not None:
            self._are_at_once = build.or_(self._is_long, self._is_chain)
        before = build.max(build.sub(functools.reduce(build.max, lags), self._offset), 0)
        before = build.select(self._are_at_once, before, 0)
        self._first = build.min(before, build.max(self._op.count, 0))
        """The steps that read elements before the first one."""

    def replace(self) -> None:
        """Replace the fold by blocks of its first steps, and of the others, and itself."""
        op, build = self._op, self._build
        carried = self._before(op.init)
        count = build.select(self._is_long, build.sub(op.count, self._first), 0)
        total = build.add(build.max(count, 0), build.sub(self._length, 1))
        blocks = checked_count(build, op.count, build.floordiv(total, self._length))

        def block(inner: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
            first = inner.add(self._first, inner.mul(counter, self._length))
            number = inner.max(inner.min(self._length, inner.sub(op.count, first)), 0)
            return self._written(inner, carried, first, number, self._found.within)

        carried = build.fold_over(blocks, carried, block, op.body.block.args)
        if self._chain is not None and self._is_chain is not None:
            carried = self._chained(self._chain, self._is_chain, carried)
        op.operands[0] = build.min(op.count, build.select(self._are_at_once, 0, INTS.high))
        op.operands[1] = carried

    def _before(self, init: SSAValue) -> SSAValue:
        """The array after the first steps; step 0 alone if reads clip to the first element."""
        op, build, before = self._op, self._build, self._found.before
        if _are_idle_before(self._found):
            return init
        others = build.floordiv(build.add(build.sub(self._first, 2), self._length), self._length)
        blocks = build.select(self._are_at_once, build.max(build.add(others, 1), 0), 0)

        def block(inner: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
            is_first, last = inner.compare(counter, "eq", 0), inner.max(inner.sub(counter, 1), 0)
            first = inner.select(is_first, 0, inner.add(inner.mul(last, self._length), 1))
            most = inner.select(is_first, 1, self._length)
            number = inner.max(inner.min(most, inner.sub(self._first, first)), 0)
            return self._written(inner, carried, first, number, before)

        return build.fold_over(blocks, init, block, op.body.block.args)

    def _is_short(self) -> SSAValue:
        """Whether the lag is short, and there are many steps for each chain."""
        build, lag = self._build, self._shortest
        is_short = build.and_(build.compare(lag, "sge", 1), build.compare(lag, "slt", LEAST))
        least = build.mul(build.select(is_short, lag, LEAST), LEAST_OF_CHAIN)
        return build.and_(is_short, build.compare(least, "sle", self._op.count))

    def _chained(self, chain: _Chain, is_chain: SSAValue, init: SSAValue) -> SSAValue:
        """The array after a scan for each element before the steps that read elements, if so."""
        op, build, lag = self._op, self._build, self._shortest

        def scan(inner: Builder, residue: SSAValue, carried: SSAValue) -> SSAValue:
            start = inner.add(self._first, residue)
            rounded = inner.add(inner.sub(op.count, start), inner.sub(lag, 1))
            number = inner.max(inner.floordiv(rounded, lag), 0)
            place = inner.add(start, self._offset)
            before = inner.get(carried, [inner.sub(place, lag)])

            def element(body: Builder, own: Sequence[SSAValue]) -> SSAValue:
                index = body.as_int(own[0])
                step = body.add(start, body.mul(index, lag))
                known: dict[SSAValue, SSAValue] = {op.counter: step, op.accumulator: carried}
                truths = self._found.within.items()
                known.update({value: body.truth(truth) for value, truth in truths})
                (other,) = body.copied(op.body.block, [chain.other], known)
                total = body.same(chain.operation, before, other)
                return body.select(body.compare(index, "eq", 0), total, other)

            terms = inner.comprehension([number], element, [op.counter])
            sums = inner.scan(kind_of(chain.operation.name), terms)
            new = inner.comprehension(
                [number],
                lambda body, own: body.get(sums, [body.add(body.as_int(own[0]), 1)]),
            )
            return inner.emit(phi.UpdateSliceOp(carried, place, lag, new))

        residues = build.select(is_chain, lag, 0)
        return build.fold_over(residues, init, scan, op.body.block.args)

    def _written(
        self,
        build: Builder,
        carried: SSAValue,
        first: SSAValue,
        number: SSAValue,
        truths: Mapping[SSAValue, bool],
    ) -> SSAValue:
        """The array after a number of steps from a first one on, with known truths."""
        op, write = self._op, self._found.write

        def element(body: Builder, own: Sequence[SSAValue]) -> SSAValue:
            step = body.add(first, body.as_int(own[0]))
            known: dict[SSAValue, SSAValue] = {op.counter: step, op.accumulator: carried}
            known.update({value: body.truth(truth) for value, truth in truths.items()})
            tests = body.copied_tests(op.body.block, write.tests, known)
            (value,) = body.copied(op.body.block, [write.update.value], known)
            old = body.get(carried, [body.add(step, self._offset)]) if tests else value
            return body.chosen(tests, value, old)

        new = build.comprehension([number], element, [op.counter])
        start = build.add(first, self._offset)
        return build.emit(phi.UpdateSliceOp(carried, start, build.integer(1), new))


def replace_by_blocks(found: Lags) -> None:
    """``fold (k < n, v) { v[k] := e(v[k - d]) }
    -->  fold (b < m, v) { v[p .. p + l] := array (j < l) { e(v[p + j - d]) } }``

    for blocks of as many steps as the least d: first for the steps that read before the first
    element, which clips, or where a comparison of k with d fails, and then for the others, where it
    holds. Where d is small, elements that are combined with e are scans of d chains. Where it is
    negative, or chains are short, all steps are taken one by one.
    """
    _Blocks(found).replace()
