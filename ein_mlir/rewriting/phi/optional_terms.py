"""Optional terms: ``x + where(c, y, 0)`` is ``where(c, x + y, x)``, except for the sign of zero.

A comparison is a term of Bools: ``x | c`` is ``where(c, true, x)``, and ``x & c`` is
``where(c, x, false)``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from xdsl.dialects import arith
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
            return build.emit(type(combine)(base, term))  # pyright: ignore[reportCallIssue]
        if isinstance(op, arith.SelectOp):
            sides = [self._over(build, combine, base, side) for side in (op.lhs, op.rhs)]
            return build.select(op.cond, *sides)
        if isinstance(op, arith.ConstantOp):
            return base
        if isinstance(op, arith.CmpiOp):
            sides = (term, base) if _is_or(self.algebra) else (base, term)
            return build.select(term, *sides)
        assert isinstance(op, Operation)
        first, second = op.operands
        return self._over(build, combine, base, self._over(build, op, second, first))


def optional_term(operation: Operation) -> OptionalTerm | None:
    """The optional term of a sum, product, .. of two values, or of a difference, if any."""
    algebra = algebra_of(SUM_OF.get(operation.name, operation.name))
    if algebra is None or len(operation.results) != 1:
        return None
    for place in (1, 0) if operation.name == algebra.name else (1,):
        tests = _tests(operation.operands[place], algebra)
        if tests:
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
            case arith.CmpiOp() if algebra.name in ("arith.andi", "arith.ori"):
                return [Test(value, _is_or(algebra))]
            case Operation(name=algebra.name) as op:
                first, second = map(found, op.operands)
                return None if first is None or second is None else [*first, *second]
            case _:
                return None

    return found(value)


def _is_or(algebra: Algebra) -> bool:
    return algebra.name == "arith.ori"
