"""Demand: the conditions under which the values of a body are used.

A value is used by each user that is used itself. A selection uses its branches under its condition
only. ``p & q`` uses ``q`` where ``p`` is true, ``p | q`` where it is false, as Python's ``and`` and
``or`` do, unless ``p`` is an accumulator: all steps of a loop are executed. A body uses its
captured values in some step: a loop without steps uses none. The size of an array uses none of its
elements.

The demand of a value is a condition in the block that defines it, where later values are visible,
too. Each operand is visited once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import IsTerminator

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.phi.variables import is_carried
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

MOST_FACTS = 32
"""The most facts of a kind that are kept about a condition: the innermost ones."""


@dataclass(frozen=True, eq=False)
class Condition:
    """A condition of a block, and some facts that hold where it does."""

    tests: tuple[Test, ...] = ()
    counts: tuple[SSAValue, ...] = ()
    """Sizes and counts that are positive."""


ALWAYS = Condition()
"""The condition of a value that is used whenever its block is executed."""


@dataclass(frozen=True, eq=False)
class Both(Condition):
    """A condition, and a test."""

    outer: Condition = ALWAYS
    test: Test | None = None


@dataclass(frozen=True, eq=False)
class Either(Condition):
    """The disjunction of conditions."""

    parts: tuple[Condition, ...] = ()


@dataclass(frozen=True, eq=False)
class InSomeStep(Condition):
    """The condition ``outer``, and a step of a loop in which ``inner`` holds."""

    outer: Condition = ALWAYS
    loop: phi.BodyOp | None = None
    inner: Condition = ALWAYS


def both(outer: Condition, test: Test) -> Condition:
    """A condition, and a test."""
    tests = (*outer.tests, *conjuncts(test))
    return Both(tests[-MOST_FACTS:], outer.counts, outer, test)


def either(parts: Iterable[Condition]) -> Condition | None:
    """The disjunction of conditions; None if there are none.

    ``a & t | a & ~t`` is ``a``.
    """
    found = dict[Hashable, Condition]()
    pending = list(parts)[::-1]
    while pending:
        part = pending.pop()
        if isinstance(part, Both) and found.pop(_key(_opposite(part)), None) is not None:
            pending.append(part.outer)
        else:
            found[_key(part)] = part
    distinct = tuple(found.values())
    if ALWAYS in distinct:
        return ALWAYS
    if len(distinct) < 2:
        return distinct[0] if distinct else None
    first, *others = distinct
    tests = (test for test in first.tests if all(test in other.tests for other in others))
    counts = (count for count in first.counts if all(count in other.counts for other in others))
    return Either(tuple(tests), tuple(counts), distinct)


def _opposite(condition: Both) -> Both:
    """The same condition with the opposite test."""
    assert condition.test is not None
    test = Test(condition.test.condition, not condition.test.expected)
    return replace(condition, test=test)


def _key(condition: Condition) -> Hashable:
    """Equal for conditions that make the same test."""
    return (condition.outer, condition.test) if isinstance(condition, Both) else condition


def in_some_step(loop: phi.BodyOp, inner: Condition, outer: Condition) -> Condition:
    """A condition in the body of a loop, as a condition around it."""
    visible = (test for test in inner.tests if not is_within(test.condition, loop))
    counts = (count for count in inner.counts if not is_within(count, loop))
    return InSomeStep(
        (*outer.tests, *visible)[-MOST_FACTS:],
        (*outer.counts, *counts, *counts_of(loop))[-MOST_FACTS:],
        outer,
        loop,
        inner,
    )


def counts_of(loop: Operation | None) -> Sequence[SSAValue]:
    """The sizes of a comprehension, or the count of a fold: they are positive in its body."""
    if isinstance(loop, phi.ComprehensionOp):
        return loop.sizes
    return (loop.count,) if isinstance(loop, phi.FoldOp) else ()


def sizes_in(ops: Iterable[Operation]) -> Iterator[SSAValue]:
    """The sizes and counts that operations require: they fail if one is negative."""
    for op in ops:
        if isinstance(op, phi.PhiOp):
            yield from op.sizes_and_counts()


class Demand:
    """The demand of the values of a function."""

    def __init__(self, function: func.FuncOp):
        self._of: dict[Block, Mapping[SSAValue, Condition]] = {}
        self._visit(function.body.block)

    def of(self, op: Operation) -> Condition | None:
        """The condition under which the result of an operation is used; None if it is unused."""
        demand = None if op.parent is None else self._of.get(op.parent)
        return demand.get(op.results[0]) if demand and op.results else None

    def _visit(self, block: Block) -> Mapping[SSAValue, Condition]:
        """The demand of the values of a block, and of those that it captures."""
        uses, found = _Uses(), dict[SSAValue, Condition]()
        for op in reversed(list(block.ops)):
            demand = ALWAYS if op.has_trait(IsTerminator) else uses.of_any(op.results)
            if demand is None:
                continue
            found.update((result, demand) for result in op.results)
            uses.add(op, demand)
            if isinstance(op, phi.BodyOp):
                for value, inner in self._visit(op.regions[0].block).items():
                    if not is_within(value, op):
                        uses.whole[value].append(in_some_step(op, inner, demand))
        for value in (*uses.whole, *uses.fields):
            demand = uses.of_any([value])
            if value not in found and demand is not None:
                found[value] = demand
        self._of[block] = found
        return found


class _Uses:
    """The conditions of the uses of values, and of the fields of records."""

    def __init__(self) -> None:
        self.whole = defaultdict[SSAValue, list[Condition]](list)
        self.fields = defaultdict[SSAValue, dict[int, list[Condition]]](dict)

    def of_any(self, values: Iterable[SSAValue]) -> Condition | None:
        """The condition under which one of some values, or a field of it, is used."""
        found = list[Condition]()
        for value in values:
            found.extend(self.whole.get(value, ()))
            found.extend(chain.from_iterable(self.fields.get(value, {}).values()))
        return either(found)

    def add(self, op: Operation, demand: Condition) -> None:
        """Record the uses of the operands of an operation that is used under a condition."""
        if isinstance(op, phi.ProjOp):
            field = op.field.value.data
            self.fields[op.record].setdefault(field, []).append(demand)
            return
        for value, condition in self._operands(op, demand):
            self.whole[value].append(condition)

    def _operands(self, op: Operation, demand: Condition) -> Iterable[tuple[SSAValue, Condition]]:
        match op:
            case phi.SizeOp():
                return ()
            case phi.TupleOp():
                return self._fields(op)
            case arith.SelectOp():
                branches = (both(demand, Test(op.cond, taken)) for taken in (True, False))
                return zip(op.operands, (demand, *branches), strict=True)
            case arith.AndIOp() | arith.OrIOp() if op.result.type == i1 and not is_carried(op.lhs):
                evaluated = Test(op.lhs, isinstance(op, arith.AndIOp))
                return (op.lhs, demand), (op.rhs, both(demand, evaluated))
            case _:
                return ((operand, demand) for operand in op.operands)

    def _fields(self, op: phi.TupleOp) -> Iterator[tuple[SSAValue, Condition]]:
        whole, fields = self.whole.get(op.result, []), self.fields.get(op.result, {})
        for number, value in enumerate(op.fields):
            demand = either([*whole, *fields.get(number, [])])
            if demand is not None:
                yield value, demand


def demand_of(function: func.FuncOp, analyses: AnalysisManager) -> Demand:
    """An analysis: the demand of the values of a function."""
    return Demand(function)
