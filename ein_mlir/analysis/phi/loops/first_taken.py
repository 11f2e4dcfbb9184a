"""Carried scalars that take one value: that of the first step in which conditions hold.

``where((x < 0) & c[k], k, x)`` from -1 on takes the first k with ``c[k]``: x is not negative then.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import SSAValue
from xdsl.traits import ConstantLike

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.predicates import Relation, relation_of
from ein_mlir.analysis.scopes import dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class First:
    """The initial value, or from the first step with conditions on, a value of that step."""

    tests: Sequence[Test]
    """The conditions of the step, which depend on no value before."""

    before: Sequence[Test]
    """The conditions of the value before: they hold up to the first step, and in none after it."""

    value: SSAValue | IntegerAttr

    choice: Test | None
    """The condition that is the conjunction of all, if there is one."""

    @property
    def parts(self) -> list[SSAValue]:
        """The values of a step that the next value depends on."""
        conditions = [test.condition for test in self.tests]
        return [*conditions, self.value] if isinstance(self.value, SSAValue) else conditions

    def __str__(self) -> str:
        return "taken from the first step that selects a value"


def first_taken(
    op: phi.FoldOp,
    init: SSAValue | None,
    step: SSAValue,
    previous: Collection[SSAValue],
    forms: IndexForms,
) -> First | None:
    """The value of the first step that a field takes; None for other fields."""
    choice = _choice(step, previous)
    if init is None or choice is None:
        return None
    (tests, value, condition), varying = choice, dependents(op.body.block, *previous)
    own = [test for test in tests if test.condition not in varying]
    before = [test for test in tests if test.condition in varying]
    if isinstance(value, SSAValue) and value in varying:
        return None
    changing = dependents(op.body.block, op.counter, op.accumulator)
    is_first = all(
        _truth(test, previous, init, changing, forms) is True
        and _truth(test, previous, value, changing, forms) is False
        for test in before
    )
    return First(own, before, value, condition) if before and is_first else None


def _choice(
    step: SSAValue, previous: Collection[SSAValue]
) -> tuple[Sequence[Test], SSAValue | IntegerAttr, Test | None] | None:
    """The tests under which a step takes a value, the value, and the condition of all tests.

    ``x | c`` takes true if ``~x & c``, and ``x & c`` false if ``x & ~c``. Choices may be nested.
    """
    op = step.owner
    if isinstance(op, arith.SelectOp):
        for kept, value, expected in ((op.rhs, op.lhs, True), (op.lhs, op.rhs, False)):
            if kept in previous:
                test = Test(op.cond, expected)
                tests = list(conjuncts(test))
                if (inner := _choice(value, previous)) is not None:
                    return [*tests, *inner[0]], inner[1], None
                return tests, value, test
    if isinstance(op, arith.OrIOp | arith.AndIOp) and step.type == i1:
        truth = isinstance(op, arith.OrIOp)
        for kept, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if kept in previous:
                tests = [Test(kept, not truth), *conjuncts(Test(other, truth))]
                return tests, IntegerAttr.from_bool(truth), None
    return None


def _truth(
    test: Test,
    previous: Collection[SSAValue],
    value: SSAValue | IntegerAttr,
    changing: Collection[SSAValue],
    forms: IndexForms,
) -> bool | None:
    """Whether a test of the previous value holds for another value; None if that is unknown.

    The previous value is compared with one that is not among the ``changing`` ones of a step.
    """
    if test.condition in previous:
        is_value = isinstance(value, SSAValue)
        known = ConstantLike.get_constant_value(value) if is_value else value
        return None if known is None else known == IntegerAttr.from_bool(test.expected)
    found = relation_of(test.condition, expected=test.expected)
    if found is None or not isinstance(value, SSAValue):
        return None
    for each in found.readings:
        if each.lhs in previous and each.rhs not in changing:
            return forms.holds(Relation(value, each.predicate, each.rhs))
    return None


def only_step_of(tests: Iterable[Test], op: phi.FoldOp) -> SSAValue | None:
    """The value p from before a fold of a test ``k == p`` of its counter; None without one."""
    for test in tests:
        found = relation_of(test.condition, expected=test.expected)
        for each in found.readings if found is not None and found.predicate == "eq" else ():
            if each.lhs is op.counter and not is_within(each.rhs, op):
                return each.rhs
    return None
