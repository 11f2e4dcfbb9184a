"""Steps of folds that combine the accumulator with a value if tests hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.traits import ConstantLike

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import dependents, reached
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity, is_product, is_sum, neutral_of, terms_of
from ein_mlir.dialects.reductions import REDUCTIONS
from ein_mlir.host.dataclass import dataclass

MOST_OPERATIONS = 64
"""The most operations between a value and a choice that may leave it out."""


@dataclass(frozen=True)
class Test:
    """A Bool, and the value of it that selects."""

    condition: SSAValue
    expected: bool


@dataclass(frozen=True)
class Step:
    """``acc = combine(acc, value) if all tests hold else acc``: a step of a fold."""

    combine: Operation
    tests: Sequence[Test]
    value: SSAValue | IntegerAttr | FloatAttr
    """A value of the program, or a literal that is not in the program."""

    @property
    def neutral(self) -> IntegerAttr | FloatAttr:
        """The identity of the operation of the step."""
        return neutral_of(self.combine)

    def parts(self, tests: Sequence[Test]) -> list[SSAValue]:
        """The conditions of some tests and the value, unless it is a literal."""
        conditions = [test.condition for test in tests]
        return [*conditions, self.value] if isinstance(self.value, SSAValue) else conditions


def conjuncts(test: Test) -> Iterator[Test]:
    """The tests that a test is the conjunction of: ``a & b`` needs both, as does ``~(a | b)``.

    Conditions may share parts: each test is found once.
    """
    return (each for each in reached([test], _parts_of) if not _parts_of(each))


def _parts_of(test: Test) -> Sequence[Test]:
    """The tests that a conjunction has, last one first; those of a negation; none of others."""
    op = test.condition.owner
    if isinstance(op, arith.AndIOp if test.expected else arith.OrIOp):
        return [Test(side, test.expected) for side in reversed(op.operands)]
    if isinstance(op, arith.XOrIOp) and (inverted := _inverted(op)) is not None:
        return [Test(inverted, not test.expected)]
    return ()


def tests_around(value: SSAValue) -> Sequence[Test]:
    """The tests without which no choice takes what is computed from a value."""
    known = dict[SSAValue, Sequence[Test]]()

    def around(value: SSAValue, room: int) -> Sequence[Test]:
        if value not in known:
            found = tests_of(use, room) if (use := next(iter(value.uses), None)) else []
            for use in value.uses if found else ():
                others = tests_of(use, room)
                found = [test for test in found if test in others]
            known[value] = found
        return known[value]

    def tests_of(use: Use, room: int) -> list[Test]:
        op = use.operation
        if op.regions or isinstance(op, phi.PhiOp) or not op.results or not room:
            return []
        found = around(op.results[0], room - 1)
        if isinstance(op, arith.SelectOp) and use.index > 0:
            return [*conjuncts(Test(op.cond, use.index == 1)), *found]
        return [*found]

    return around(value, MOST_OPERATIONS)


def is_equation(test: Test) -> bool:
    """Whether values are equal wherever a test holds: one of its conditions is an equation."""
    relations = (relation_of(x.condition, expected=x.expected) for x in conjuncts(test))
    return any(each is not None and each.predicate == "eq" for each in relations)


def _inverted(op: arith.XOrIOp) -> SSAValue | None:
    """``a`` of ``a ^ true``."""
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if ConstantLike.get_constant_value(other) == IntegerAttr.from_bool(True):
            return value
    return None


def step_of(op: phi.FoldOp) -> Step | None:
    """``where(t, acc + where(u, x, 0), acc)``, in any order and nesting, as ``t & u`` and ``x``.

    Only reductions of ``REDUCTIONS`` are found, and only if the accumulator has no other user.
    """
    tests, current = list[Test](), op.yielded()
    reads = 1
    while isinstance(choice := current.owner, arith.SelectOp) and current.has_one_use():
        if choice.rhs is op.accumulator:
            tests.extend(conjuncts(Test(choice.cond, True)))
            current = choice.lhs
        elif choice.lhs is op.accumulator:
            tests.extend(conjuncts(Test(choice.cond, False)))
            current = choice.rhs
        else:
            return None
        reads += 1
    combine = current.owner
    if not isinstance(combine, Operation) or combine.name not in REDUCTIONS:
        return None
    if op.accumulator not in combine.operands or not current.has_one_use():
        return None
    if len(list(op.accumulator.uses)) != reads:
        return None
    lhs, rhs = combine.operands
    neutral = identity(combine.name, op.result.type)
    if neutral is None:
        return None
    chosen, value = selected(rhs if lhs is op.accumulator else lhs, neutral)
    return Step(combine, list(dict.fromkeys([*tests, *chosen])), value)


def invariant_tests(op: phi.FoldOp, tests: Sequence[Test]) -> list[Test]:
    """The tests that are the same in all steps of a fold."""
    varying = dependents(op.body.block, op.counter, op.accumulator) if tests else ()
    return [test for test in tests if test.condition not in varying]


def reduction(op: phi.FoldOp) -> tuple[Operation, SSAValue] | None:
    """``acc + e`` or ``e + acc``, where the sum is the only user of the accumulator, as (+, e).

    A step that reads the accumulator twice is no reduction.
    """
    combine = op.yielded().owner
    if not isinstance(combine, Operation) or combine.name not in REDUCTIONS:
        return None
    if not op.accumulator.has_one_use() or not combine.results[0].has_one_use():
        return None
    if op.accumulator not in combine.operands:
        return None
    lhs, rhs = combine.operands
    return combine, rhs if lhs is op.accumulator else lhs


def summed(op: phi.FoldOp) -> SSAValue | None:
    """``e`` of a fold that is a sum, ``acc + e``."""
    found = reduction(op)
    return None if found is None or not is_sum(found[0].name) else found[1]


def factor_pairs(value: SSAValue | None) -> Sequence[tuple[SSAValue, SSAValue]]:
    """The factors of a value that is a product, in both orders; none of another value."""
    product = None if value is None else value.owner
    if not isinstance(product, Operation) or not is_product(product.name):
        return ()
    lhs, rhs = product.operands
    return (lhs, rhs), (rhs, lhs)


@dataclass(frozen=True)
class Summand:
    """A term of a sum, or of a difference."""

    value: SSAValue
    is_negative: bool


def summands(total: SSAValue, combine: str, block: Block) -> list[Summand]:
    """The terms of nested sums, differences and negations of a body, from left to right."""
    names = {combine, *terms_of(combine)}
    found, pending = list[Summand](), [Summand(total, False)]
    while pending:
        term = pending.pop()
        op = term.value.owner
        is_last = term.value.has_one_use()
        if is_last and isinstance(op, Operation) and op.parent is block and op.name in names:
            *first, last = op.operands
            is_opposite = term.is_negative != (op.name != combine)
            pending.append(Summand(last, is_opposite))
            pending.extend(Summand(value, term.is_negative) for value in first)
        else:
            found.append(term)
    return found


def selected(
    value: SSAValue, neutral: IntegerAttr | FloatAttr
) -> tuple[list[Test], SSAValue | IntegerAttr | FloatAttr]:
    """``where(t, where(u, x, 0), 0)`` as ``t & u`` and ``x``, where 0 is neutral.

    ``0.5 * float(t)`` is ``where(t, 0.5, 0)``, but for the sign of a zero.
    """
    tests = list[Test]()
    while True:
        match value.owner:
            case arith.SelectOp() as op if is_neutral(op.rhs, neutral):
                tests.extend(conjuncts(Test(op.cond, True)))
                value = op.lhs
            case arith.SelectOp() as op if is_neutral(op.lhs, neutral):
                tests.extend(conjuncts(Test(op.cond, False)))
                value = op.rhs
            case arith.ExtUIOp() | arith.UIToFPOp() as op if op.input.type == i1:
                if not _is_zero(neutral):
                    return tests, value
                tests.extend(conjuncts(Test(op.input, True)))
                return tests, _one(neutral)
            case arith.MulfOp() | arith.MuliOp() as op if _is_zero(neutral) and (
                found := _multiple(op)
            ):
                truth, literal = found
                tests.extend(conjuncts(Test(truth, True)))
                return tests, literal
            case _ if neutral.type == i1:
                expected = not neutral.value.data
                tests.extend(conjuncts(Test(value, expected)))
                return tests, IntegerAttr.from_bool(expected)
            case _:
                return tests, value


def _multiple(
    product: arith.MulfOp | arith.MuliOp,
) -> tuple[SSAValue, IntegerAttr | FloatAttr] | None:
    """The Bool and the finite literal of ``0.5 * float(c)``."""
    for truth, factor in (product.operands, product.operands[::-1]):
        literal = ConstantLike.get_constant_value(factor)
        number = truth.owner
        if not isinstance(number, arith.ExtUIOp | arith.UIToFPOp) or number.input.type != i1:
            continue
        if isa(literal, IntegerAttr) or (isa(literal, FloatAttr) and isfinite(literal.value.data)):
            return number.input, literal
    return None


def is_neutral(value: SSAValue, neutral: IntegerAttr | FloatAttr) -> bool:
    """Whether a value is a literal identity; ``-0.0`` is one of sums, too."""
    literal = ConstantLike.get_constant_value(value)
    if isa(literal, FloatAttr) and isa(neutral, FloatAttr):
        return literal.value.data == neutral.value.data
    return literal == neutral


def is_constant(value: SSAValue, expected: Attribute) -> bool:
    """Whether a value is a given constant."""
    return isinstance(value.owner, arith.ConstantOp) and value.owner.value == expected


def is_zero(value: SSAValue) -> bool:
    """Whether a value is a literal zero."""
    literal = ConstantLike.get_constant_value(value)
    return (isa(literal, IntegerAttr) or isa(literal, FloatAttr)) and _is_zero(literal)


def _is_zero(literal: IntegerAttr | FloatAttr) -> bool:
    return literal.value.data == 0


def _one(like: IntegerAttr | FloatAttr) -> IntegerAttr | FloatAttr:
    if isinstance(like, FloatAttr):
        return FloatAttr(1.0, like.type)
    return IntegerAttr(1, like.type)
