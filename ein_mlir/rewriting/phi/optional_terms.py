"""Optional terms: ``x + where(c, y, 0)`` is ``where(c, x + y, x)``, except for the sign of zero.

A test is a term of Bools: ``x | c`` is ``where(c, true, x)``, ``x & c`` is ``where(c, x, false)``,
and ``x ^ c`` is ``where(c, ~x, x)``. As a number it is a term, too: ``x + c.float()`` is
``where(c, x + 1, x)``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.selections import Test, is_neutral
from ein_mlir.dialects.algebra import SUM_OF, Algebra, algebra_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Builder

MOST_TESTS = 16
"""The most tests of a term: each makes another choice, and another copy of the operation."""


@dataclass(frozen=True)
class OptionalTerm:
    """``x . t`` of an operation, where t is the identity unless one of some tests holds."""

    operation: Operation
    algebra: Algebra
    place: int
    """The number of the operand that is the term."""
    tests: list[Test]

    @property
    def base(self) -> SSAValue:
        """The other operand."""
        return self.operation.operands[1 - self.place]

    def chosen(self, *added: Callable[[Operation], None]) -> SSAValue:
        """The same value as a choice between the base and others, in place of the operation."""
        build = Builder.before(self.operation, *added)
        return self._over(build, self.operation, self.base, self.operation.operands[self.place])

    def _over(self, build: Builder, combine: Operation, base: SSAValue, term: SSAValue) -> SSAValue:
        """``base . term`` as choices that end in the base."""
        op = term.owner
        if _tests(term, self.algebra) is None:
            return build.same(combine, base, term)
        if isinstance(op, arith.SelectOp):
            sides = [self._over(build, combine, base, side) for side in (op.lhs, op.rhs)]
            return build.select(op.cond, *sides)
        if isinstance(op, arith.ConstantOp):
            return base
        if (test := _test(term, self.algebra)) is not None:
            other = build.number(test.expected, base.type)
            if base.type != i1 or not self.algebra.idempotent:
                other = build.same(combine, base, other)
            sides = (other, base) if test.expected else (base, other)
            return build.select(test.condition, *sides)
        assert isinstance(op, Operation)
        first, second = op.operands
        return self._over(build, combine, base, self._over(build, op, second, first))


def optional_term(operation: Operation, may_test: Callable[[Test], object]) -> OptionalTerm | None:
    """The optional term of a sum, product, .. of two values, or of a difference, if any.

    ``may_test`` accepts each of its tests.
    """
    algebra = algebra_of(SUM_OF.get(operation.name, operation.name))
    if algebra is None or len(operation.results) != 1:
        return None
    for place in (1, 0) if operation.name == algebra.name else (1,):
        tests = _tests(operation.operands[place], algebra)
        if tests and all(map(may_test, tests)):
            return OptionalTerm(operation, algebra, place, tests)
    return None


def _tests(value: SSAValue, algebra: Algebra) -> list[Test] | None:
    """The tests of which one holds where a value is not the identity; None for other values."""

    @cache
    def found(value: SSAValue) -> list[Test] | None:
        tests = of_operation(value)
        return None if tests is None or len(tests) > MOST_TESTS else tests

    def of_operation(value: SSAValue) -> list[Test] | None:
        match value.owner:
            case arith.ConstantOp():
                neutral = algebra.identity(value.type)
                return [] if neutral is not None and is_neutral(value, neutral) else None
            case arith.SelectOp() as op:
                for rest, expected in ((op.rhs, True), (op.lhs, False)):
                    tests = found(rest)
                    if tests is not None:
                        return [Test(op.cond, expected), *tests]
                return None
            case Operation(name=algebra.name) as op:
                first, second = map(found, op.operands)
                return None if first is None or second is None else [*first, *second]
            case _:
                test = _test(value, algebra)
                return None if test is None else [test]

    return found(value)


def _test(value: SSAValue, algebra: Algebra) -> Test | None:
    """The test without which a term, that test as a Bool or as a number, is the identity."""
    op = value.owner
    if isinstance(op, arith.UIToFPOp | arith.ExtUIOp):
        condition, numbers = op.operands[0], {0, 1}
    elif isinstance(op, arith.CmpiOp | arith.AndIOp | arith.OrIOp | arith.XOrIOp):
        condition, numbers = value, {0, -1}
    else:
        return None
    neutral = algebra.identity(value.type)
    if condition.type != i1 or neutral is None or neutral.value.data not in numbers:
        return None
    return Test(condition, neutral.value.data == 0) if op.name != algebra.name else None
