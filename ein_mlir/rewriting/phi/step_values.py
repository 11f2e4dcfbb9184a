"""Copies of the values of a step, at any step and any elements, and their combinations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, i1
from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.analysis.arithmetic import INTS
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.loops.combinations import Link, links_of, may_be_grouped
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.selections import Step, Test, is_neutral
from ein_mlir.analysis.scopes import is_defined_in, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, algebra_for
from ein_mlir.dialects.creation import same_operation
from ein_mlir.dialects.reductions import combination, identity_of
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.builders import addition, folded
from ein_mlir.rewriting.phi.fields import field_reads
from ein_mlir.rewriting.phi.insertion import Builder, Contributions, Inserter

Known: TypeAlias = dict[SSAValue, SSAValue]
"""Values of a step, its counter and indices, mapped to their copies."""

StepBuilder: TypeAlias = Callable[[Builder, SSAValue], SSAValue]
"""Builds a value of a step, or of a number of steps."""

_NOTHING: Mapping[SSAValue, SSAValue] = MappingProxyType({})


class StepValues:
    """Copies values of a step, with reads of the initial value for those of the accumulator.

    The copies are added to the ``known`` values of a place.
    """

    def __init__(self, op: phi.FoldOp, bodies: Sequence[Block] = ()):
        """``bodies`` are those around a value in the body of the fold, outermost first."""
        self._op = op
        self._blocks = [op.body.block, *bodies]

    def over_steps(
        self, build: Builder, element: StepBuilder, count: SSAValue | None = None
    ) -> SSAValue:
        """``array (k < n) { element }``: a value for each step, or for another number of them."""
        return build.comprehension(
            [self._op.count if count is None else count],
            lambda inner, own: element(inner, step_of_index(inner, self._op, own[0])),
            [self._op.counter],
        )

    def accumulated(
        self,
        build: Builder,
        kind: str,
        sizes: Sequence[SSAValue],
        contribution: Callable[[Builder, SSAValue], tuple[Sequence[SSAValue], SSAValue]],
    ) -> SSAValue:
        """``accumulate (k < n) into kind (sizes) { positions, value }``, given those of a step."""

        def at(inner: Builder, own: Sequence[SSAValue]) -> Contributions:
            return [contribution(inner, step_of_index(inner, self._op, own[0]))]

        return build.accumulation([self._op.count], [(kind, sizes)], at, [self._op.counter])

    def last_steps(
        self, build: Builder, test: Callable[[Builder, SSAValue], Test], none: int = -1
    ) -> SSAValue:
        """The last of the first j steps for which a test holds, for each j; less for none."""
        return build.scan("max", self._numbers(build, test, none))

    def next_steps(self, build: Builder, test: Callable[[Builder, SSAValue], Test]) -> SSAValue:
        """The first step from the j-th on for which a test holds, for each j; 2^63 - 1 for none."""
        return build.scan("min", self._numbers(build, test, INTS.high), suffixes=True)

    def last_step(self, build: Builder, test: Callable[[Builder, SSAValue], Test]) -> SSAValue:
        """The last step for which a test holds; -1 if there is none."""
        none = build.integer(-1)
        return build.reduce(self._numbers(build, test), none, arith.MaxSIOp)

    def _numbers(
        self, build: Builder, test: Callable[[Builder, SSAValue], Test], none: int = -1
    ) -> SSAValue:
        """The number of each step for which a test holds, and another one for the others."""

        def number(inner: Builder, step: SSAValue) -> SSAValue:
            return inner.chosen([test(inner, step)], step, none)

        return self.over_steps(build, number)

    def value(
        self,
        build: Inserter,
        value: SSAValue,
        step: SSAValue,
        known: Mapping[SSAValue, SSAValue] = _NOTHING,
    ) -> SSAValue:
        """A copy of a value, in a step."""
        return self.computed(build, [value], {**known, self._op.counter: step})[0]

    def selected(
        self, build: Builder, found: Step, tests: Sequence[Test], known: Known
    ) -> SSAValue:
        """The value that a step combines with the accumulator; the identity if a test fails.

        The tests are on values of the place.
        """
        value = found.value
        if isinstance(value, SSAValue):
            (value,) = self.computed(build, [value], known)
        return build.chosen(tests, value, found.neutral)

    def computed(self, build: Inserter, wanted: Sequence[SSAValue], known: Known) -> list[SSAValue]:
        """Copies of values in the body of the fold, or in those around a written element."""
        known[self._op.accumulator] = self._op.init
        needed = list(wanted)
        for block in reversed(self._blocks[1:]):
            own = slice_of(block, needed, known)
            needed += [value for each in own for value in operands_within(each)]
        for block in self._blocks:
            build.copied(block, [value for value in needed if is_defined_in(value, block)], known)
        return [known.get(value, value) for value in wanted]

    def tests(self, build: Builder, tests: Sequence[Test], known: Known) -> list[Test]:
        """The tests of a step on copies of their conditions."""
        conditions = self.computed(build, [test.condition for test in tests], known)
        return [replace(test, condition=c) for test, c in zip(tests, conditions, strict=True)]

    def terms(self, build: Builder, links: Sequence[Link], known: Known) -> Terms:
        """The values that copies of links combine with the previous one."""
        copies = list[Link]()
        for link in links:
            (other,) = self.computed(build, [link.other], known)
            tests = self.tests(build, link.tests, known)
            copies.append(replace(link, other=other, tests=tuple(tests)))
        return Terms(build, copies)


def step_of_index(build: Builder, op: phi.FoldOp, index: SSAValue) -> SSAValue:
    """The number of a step, by the index of an array of all of them."""
    step = build.as_int(index)
    step.name_hint = op.counter.name_hint
    return step


def scan_after(
    build: Builder, kind: str, first: SSAValue, elements: SSAValue, size: SSAValue
) -> SSAValue:
    """The scan of a first element and others, ``size`` in all."""
    return build.scan(kind, after_first(build, first, elements, size))


def running_total(
    build: Builder, kind: str, first: SSAValue, elements: SSAValue, size: SSAValue
) -> StepBuilder:
    """``first + sums[k]``: the value after k steps, ``size`` numbers of steps in all.

    Products of floats are taken in order: ``sums[k + 1]`` of the first element and the others.
    """
    algebra = algebra_for(kind, first.type)
    assert algebra is not None
    if not algebra.takes_any_order:
        scanned = scan_after(build, kind, first, elements, size)
        return lambda inner, steps: inner.get(scanned, [inner.add(steps, 1)])
    sums, neutral = build.scan(kind, elements), algebra.identity(first.type)
    if neutral is not None and is_neutral(first, neutral):
        return lambda inner, steps: inner.get(sums, [steps])
    combine = OPERATIONS[algebra.name]
    return lambda inner, steps: inner.emit(
        combine.create(operands=[first, inner.get(sums, [steps])], result_types=[first.type])
    )


def after_first(
    build: Inserter, first: SSAValue, elements: SSAValue, size: SSAValue | None = None
) -> SSAValue:
    """The array of a first element and others, ``size`` in all."""
    head = build.comprehension([build.integer(1)], lambda inner, _: first)
    return build.emit(phi.ConcatOp(head, elements, size))


def fold_of_selected(
    op: phi.FoldOp,
    combine: Callable[[SSAValue, SSAValue], Operation],
    neutral: IntegerAttr | FloatAttr,
    tests: Sequence[Test],
    value: SSAValue | IntegerAttr | FloatAttr,
) -> phi.FoldOp:
    """``fold (k < n, acc = 0) { acc + where(tests, value, 0) }`` for a sum and its neutral element

    over the steps of a fold, in which the tests and the value are.
    """
    block = op.body.block

    def step(build: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
        known: Known = {op.counter: counter}
        copies = build.copied_tests(block, tests, known)
        new = build.chosen(copies, build.copied_value(block, value, known), neutral)
        return build.emit(combine(total, new))

    return folded(op, arith.ConstantOp(neutral), step)


def fold_of_step(op: phi.FoldOp, step: Step) -> phi.FoldOp:
    """The same for what a step combines."""
    combine = partial(same_operation, step.combine)
    return fold_of_selected(op, combine, step.neutral, step.tests, step.value)


def with_start(build: Builder, op: phi.FoldOp, step: Step, total: SSAValue) -> SSAValue:
    """``x + total``: the initial value of a fold, combined with the values of all steps."""
    if is_neutral(op.init, step.neutral):
        return total
    return build.same(step.combine, op.init, total)


def combined(build: Builder, link: Link, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """The combination of two values by the kind of a link: a sum for a difference."""
    return build.emit(addition(link.operation, lhs, rhs))


def neutral_of(build: Builder, link: Link) -> SSAValue:
    """The identity of the operation of a link."""
    neutral = identity_of(link.kind, link.other.type)
    assert neutral is not None
    return build.constant(neutral)


class Terms:
    """The values that the links of a step combine with the previous one."""

    def __init__(self, build: Builder, links: Sequence[Link]):
        self._build = build
        self._terms = [(link, self._term(link)) for link in links]

    def _term(self, link: Link) -> SSAValue:
        """The other operand of a link, or the identity if a test fails."""
        if not link.tests:
            return link.other
        return self._build.chosen(link.tests, link.other, neutral_of(self._build, link))

    def total(self) -> SSAValue:
        """The combination of all terms, of links of one kind."""
        return self.cost() if self._terms[0][0].kind == "add" else self.limit()

    def applied_to(self, value: SSAValue) -> SSAValue:
        """The next value after a previous one, by the operations of the step."""
        for link, other in self._terms:
            value = self._insert(link, value, other)
        return value

    def limit(self, weight: str = "add") -> SSAValue:
        """``min(a + c, b)`` for the steps ``min(x, a)``, ``x + c`` and ``min(x, b)``."""
        limit: SSAValue | None = None
        for link, other in self._terms:
            if limit is not None:
                limit = self._insert(link, limit, other)
            elif link.kind != weight:
                limit = _negated(self._build, other) if link.is_difference else other
        assert limit is not None
        return limit

    def cost(self, weight: str = "add") -> SSAValue:
        """The sum of the values that are added, without those that are subtracted.

        For another operation that weighs, the combination of the weights by that.
        """
        sums = [(link, other) for link, other in self._terms if link.kind == weight]
        sums.sort(key=lambda term: term[0].is_difference)
        (first, cost), *rest = sums
        if first.is_difference and first.tests and not rest:
            negative = _negated(self._build, first.other)
            return self._build.chosen(first.tests, negative, neutral_of(self._build, first))
        for link, other in rest:
            if first.is_difference:
                cost = combined(self._build, link, cost, other)
            else:
                cost = self._insert(link, cost, other)
        return _negated(self._build, cost) if first.is_difference else cost

    def _insert(self, link: Link, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self._build.same(link.operation, lhs, rhs)


def combine_once(op: phi.FoldOp) -> bool:
    """``where(t, acc + e, acc) - f  -->  acc + (where(t, e, 0) - f)``, for sums, minima, ..

    Sums of floats may be rounded differently; products of floats are not regrouped. Whether
    anything changed.
    """
    block = op.body.block
    links = links_of(op.yielded(), [op.accumulator], block)
    if not links or len({link.kind for link in links}) != 1 or not may_be_grouped(links):
        return False
    first, *others = links
    name = combination(first.kind, op.result.type)
    is_simple = not others and not first.tests and not first.is_difference
    if name is None or is_simple:
        return False
    build = Builder.before_end(block)
    total = Terms(build, links).total()
    op.yield_instead(combined(build, first, op.accumulator, total))
    erase_unused(block)
    return True


def combine_truths_once(op: phi.FoldOp) -> None:
    """``(s & a) & b  -->  s & (a & b)``, for the Bools s that a fold carries."""
    block, previous = op.body.block, defaultdict[int, list[SSAValue]](list)
    for value, number in field_reads(op):
        previous[number].append(value)
    for number, value in enumerate(leaf_values(op.yielded())):
        if value.type != i1 or number not in previous:
            continue
        links = links_of(value, previous[number], block)
        if links and len(links) > 1 and len({link.kind for link in links}) == 1:
            assert isinstance(value.owner, Operation)
            build = Builder.after(value.owner)
            terms = Terms(build, links).total()
            once = combined(build, links[0], previous[number][0], terms)
            value.replace_all_uses_with(once)


def _negated(build: Builder, value: SSAValue) -> SSAValue:
    if isa(value.type, IntegerType):
        zero = build.constant(IntegerAttr(0, value.type))
        return build.sub(zero, value)
    return build.negated(value)


def array_of_steps(op: phi.FoldOp, values: Sequence[SSAValue]) -> phi.ArrayOp:
    """``array (k < n) { (x, y) }`` of values in the body of a fold, which move into it.

    The index replaces the counter of the fold, which may be a value, too.
    """
    body = Block(arg_types=(IndexType(),))
    body.args[0].name_hint = op.counter.name_hint
    build = Builder.at_end(body)
    build.move(*slice_of(op.body.block, values))
    element = build.packed(values)
    build.yield_(element)
    cast = Builder.at_start(body).emit(arith.IndexCastOp(body.args[0], op.counter.type))
    cast.name_hint = op.counter.name_hint
    op.counter.replace_all_uses_with(cast)
    type_ = phi.struct_of_arrays(phi.vec_of(element.type))
    return phi.ArrayOp([op.count], Region(body), type_)
