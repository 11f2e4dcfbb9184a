"""Stabilizers: values that a program subtracts, or divides by, for the range of floats alone.

``m + log (sum of exp (x[k] - m))`` is the same for all ``m``, and so is ``exp (x - m) / sum of exp
(x[k] - m)``: the derivative in ``m`` is zero, and needs no operation. How values change with ``m``
follows a law, where ``d`` is a change of ``m``, or of its logarithm::

    x(m + d) = x(m) + w * d             a shift with the weight w, as of m itself
    x(m + d) = x(m) * exp (w * d)       a scale with the weight w, as of exp m

Sums of shifts, products of scales, ``exp`` of a shift, ``log`` of a scale, and sums of scales with
one weight have such laws. If all that leaves a program has the weight 0, it does not depend on m.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from heapq import heappop, heappush
from math import isfinite
from typing import TypeAlias

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_float, known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

_Factors: TypeAlias = frozenset[tuple[SSAValue, int]]
"""Values that a weight is a product of, with their exponents."""
_Key: TypeAlias = tuple[tuple[SSAValue, ...], _Factors]
"""The indices of the loops around a stabilizer at which it is read, and factors of its weight."""
_Weights: TypeAlias = Mapping[_Key, Fraction]
_Conditions: TypeAlias = frozenset[tuple[SSAValue, bool]]


@dataclass(frozen=True)
class _Law:
    """How a value changes with a stabilizer; as an element at some indices, if it is an array."""

    is_scale: bool
    weights: _Weights
    indices: tuple[SSAValue, ...] = ()
    conditions: _Conditions = frozenset()
    """Bools that must have a value: else the law is another one, since a guard is chosen."""


_MOST_FACTORS = 16
"""The most factors that a product is taken apart into: one may have more than operations."""

_Record: TypeAlias = "_Law | tuple[_Record, ...] | None"
"""The law of each field of a record; None does not depend on the stabilizer."""


class _NoLawError(Exception):
    """A value depends on the stabilizer in another way."""


def stabilizers(op: phi.DerivativeAtPointOp, candidates: Iterable[Operation]) -> list[Operation]:
    """The candidates in the body of an operation whose value does not depend on their results."""
    candidates = list(candidates)
    order = {each: n for n, each in enumerate(operations_in(op))} if candidates else {}
    return [
        each
        for each in candidates
        if any(_Propagation(op, order).is_invariant(each, kind) for kind in (False, True))
    ]


@dataclass
class _Propagation:
    """Finds the laws of the values of a body in order, as far as they depend on a stabilizer."""

    op: phi.DerivativeAtPointOp
    order: Mapping[Operation, int]
    laws: dict[SSAValue, _Record] = field(default_factory=dict[SSAValue, _Record])
    pending: list[tuple[int, Operation]] = field(default_factory=list[tuple[int, Operation]])
    visited: set[Operation] = field(default_factory=set[Operation])

    def is_invariant(self, root: Operation, is_scale: bool) -> bool:
        """Whether the body does not depend on the result of an operation in it."""
        indices, parent = list[SSAValue](), root.parent_op()
        while parent is not None and parent is not self.op:
            if isinstance(parent, phi.FoldOp):
                indices.append(parent.counter)
            elif isinstance(parent, phi.ComprehensionOp):
                indices.extend(parent.indices)
            parent = parent.parent_op()
        key: _Key = (tuple(indices), frozenset())
        self.define(root.results[0], _Law(is_scale, {key: Fraction(1)}))
        try:
            while self.pending:
                self._visit(heappop(self.pending)[1])
        except _NoLawError:
            return False
        return True

    def define(self, value: SSAValue, law: _Record) -> None:
        """Set the law of a value, and look at its users after all that they depend on."""
        if not _is_any(law):
            return
        self.laws[value] = law
        for use in value.uses:
            if use.operation not in self.visited:
                self.visited.add(use.operation)
                heappush(self.pending, (self.order[use.operation], use.operation))

    def _visit(self, op: Operation) -> None:
        if isinstance(op, phi.YieldOp):
            self._leave(op)
        elif isinstance(op, phi.TupleOp):
            self.define(op.result, tuple(self.laws.get(each) for each in op.fields))
        elif isinstance(op, phi.ProjOp):
            laws = self.laws[op.record]
            assert isinstance(laws, tuple)
            self.define(op.result, laws[op.field.value.data])
        elif isinstance(op, phi.GetOp):
            self.define(op.result, self._element(op))
        elif any(isa(result.type, AnyFloat) for result in op.results) and not op.regions:
            self.define(op.results[0], self._scalar(op))
        elif any(not _is_discrete(result) for result in op.results):
            raise _NoLawError

    def _scalar(self, op: Operation) -> _Record:
        rule = _RULES.get(type(op))
        if rule is None:
            raise _NoLawError
        return rule(op, [self._law(operand) for operand in op.operands])

    def _law(self, value: SSAValue) -> _Law | None:
        found = self.laws.get(value)
        if isinstance(found, tuple):
            raise _NoLawError
        return found

    def _element(self, op: phi.GetOp) -> _Law:
        """``a[p]`` for ``a = array (i < n) { e }`` has the law of ``e`` at ``p``."""
        law = self._law(op.array)
        if law is None:
            raise _NoLawError
        positions = list(map(phi.uncast, op.positions))
        known = dict(zip(law.indices, positions, strict=False))
        weights = {
            (tuple(known.get(each, each) for each in indices), factors): weight
            for (indices, factors), weight in law.weights.items()
        }
        return _Law(law.is_scale, weights, law.indices[len(positions) :])

    def _leave(self, op: phi.YieldOp) -> None:
        """The law of the result of a loop whose body yields a value with one."""
        loop, law = op.parent_op(), self.laws[op.value]
        if isinstance(loop, phi.ArrayOp):
            self.define(loop.result, _of_array(law, loop))
        elif isinstance(loop, phi.FoldOp):
            self.define(loop.result, self._sum(loop, law))
        else:
            raise _NoLawError

    def _sum(self, loop: phi.FoldOp, law: _Record) -> _Law:
        """A sum of scales of one weight; `_scalar` found that of the next value of it."""
        if not isinstance(law, _Law) or not _is_sum(loop.yielded().owner):
            raise _NoLawError
        _check_outside(law, loop, ())
        return law


def _is_any(law: _Record) -> bool:
    """Whether a value depends on the stabilizer: not if all weights are zero."""
    if isinstance(law, tuple):
        return any(map(_is_any, law))
    return law is not None and (any(law.weights.values()) or bool(law.conditions))


def _is_discrete(value: SSAValue) -> bool:
    """Whether a value has no derivative, such as an Int, a Bool, or the positions of a search."""
    return not any(isa(phi.scalar_of(leaf), AnyFloat) for leaf in leaf_types(value.type))


def _of_array(law: _Record, loop: phi.ArrayOp) -> _Record:
    if isinstance(law, tuple):
        return tuple(_of_array(each, loop) for each in law)
    if law is None:
        return None
    _check_outside(law, loop, (*loop.indices, *law.indices))
    return _Law(law.is_scale, law.weights, (*loop.indices, *law.indices))


def _check_outside(law: _Law, loop: Operation, inside: Sequence[SSAValue]) -> None:
    """Raise an error if a law depends on values of a body other than some."""
    if law.conditions:
        raise _NoLawError
    for indices, factors in law.weights:
        values = (*indices, *(value for value, _ in factors))
        if any(is_within(each, loop) and each not in inside for each in values):
            raise _NoLawError


# Scalar operations ----------------------------------------------------------------------------

_Laws: TypeAlias = Sequence[_Law | None]
_Rule: TypeAlias = Callable[[Operation, _Laws], _Law]


def _total(is_scale: bool, terms: Iterable[tuple[_Law | None, Fraction]]) -> _Law:
    """The law whose weights are a sum of multiples of others, all of them shifts, or scales."""
    weights, conditions = dict[_Key, Fraction](), _Conditions()
    for law, factor in terms:
        if law is None:
            continue
        if law.is_scale != is_scale:
            raise _NoLawError
        conditions |= law.conditions
        for key, weight in law.weights.items():
            weights[key] = weights.get(key, Fraction(0)) + factor * weight
    kept = {key: weight for key, weight in weights.items() if weight}
    return _Law(is_scale, kept, conditions=conditions)


def _sum_or_difference(op: Operation, laws: _Laws) -> _Law:
    """``x + y``, ``x - y``: of shifts, or of scales with one weight, or of a scale and zero"""
    if _is_sum(op):  # the next value of a sum: that of the term
        (law,) = [law for law in laws if law is not None]
        if not law.is_scale:
            raise _NoLawError
        return law
    if any(law is not None and law.is_scale for law in laws):
        return _alike(op.operands, laws)
    sign = Fraction(-1 if isinstance(op, arith.SubfOp) else 1)
    return _total(False, zip(laws, (Fraction(1), sign), strict=True))


def _is_sum(op: object) -> bool:
    """Whether an operation yields the next value of ``fold (k < n, s = 0) { s + x }``."""
    if not isinstance(op, arith.AddfOp) or not isinstance(loop := op.parent_op(), phi.FoldOp):
        return False
    accumulator = loop.accumulator
    return (
        loop.yielded() is op.result
        and accumulator in op.operands
        and accumulator.has_one_use()
        and op.result.has_one_use()
        and known_float(loop.init) == 0
    )


def _alike(values: Sequence[SSAValue], laws: _Laws) -> _Law:
    """The law of values that follow the same one; zero follows that of any scale."""
    first, *others = [law for law in laws if law is not None]
    is_zero = [first.is_scale and known_float(value) == 0 for value in values]
    missing = any(law is None and not zero for law, zero in zip(laws, is_zero, strict=True))
    if missing or any(law != first for law in others):
        raise _NoLawError
    return first


def _select(op: Operation, laws: _Laws) -> _Law:
    """``where(c, x, y)``: a choice of values with one law, or of one law where ``c`` holds"""
    condition, *values = op.operands
    sides = True, False
    laws = [_under(law, condition, side) for law, side in zip(laws[1:], sides, strict=True)]
    for law, other, value, side in zip(laws, reversed(laws), reversed(values), sides, strict=True):
        if law is not None and other is None and not (law.is_scale and known_float(value) == 0):
            return replace(law, conditions=law.conditions | {(condition, side)})
    return _alike(values, laws)


def _under(law: _Law | None, condition: SSAValue, side: bool) -> _Law | None:
    """The law of a value that is chosen where a condition holds, or where it does not."""
    return law and replace(law, conditions=law.conditions - {(condition, side)})


def _product(op: Operation, laws: _Laws) -> _Law:
    """``x * y``, ``x / y``: of scales, or of a shift and a factor of its weight"""
    sign = -1 if isinstance(op, arith.DivfOp) else 1
    lhs, rhs = laws
    if all(law is None or law.is_scale for law in laws):
        return _total(True, ((lhs, Fraction(1)), (rhs, Fraction(sign))))
    if lhs is not None and rhs is None:
        return _times(lhs, op.operands[1], sign)
    if rhs is not None and lhs is None and sign == 1:
        return _times(rhs, op.operands[0], 1)
    raise _NoLawError


def _times(law: _Law, value: SSAValue, exponent: int) -> _Law:
    """A shift times a value, or divided by it."""
    number, powers = Fraction(1), dict[SSAValue, int]()
    for factor, power in _factors(value, exponent):
        known = known_float(factor)
        if known is None:
            powers[factor] = powers.get(factor, 0) + power
        elif known == 0 or not isfinite(known):
            raise _NoLawError
        else:
            number *= Fraction(known) ** power
    weights = {
        (indices, _times_powers(factors, powers)): weight * number
        for (indices, factors), weight in law.weights.items()
    }
    return replace(law, weights=weights)


def _times_powers(factors: _Factors, powers: Mapping[SSAValue, int]) -> _Factors:
    total = dict(factors)
    for value, power in powers.items():
        total[value] = total.get(value, 0) + power
    return frozenset((value, power) for value, power in total.items() if power)


def _factors(value: SSAValue, exponent: int) -> Iterator[tuple[SSAValue, int]]:
    """The factors that a value is a product of, with their exponents."""
    pending, left = [(value, exponent)], _MOST_FACTORS
    while pending:
        value, exponent = pending.pop()
        op = value.owner
        if isinstance(op, arith.MulfOp | arith.DivfOp) and left:
            left -= 1
            sign = -1 if isinstance(op, arith.DivfOp) else 1
            pending += [(op.lhs, exponent), (op.rhs, sign * exponent)]
        else:
            yield value, exponent


def _power(op: Operation, laws: _Laws) -> _Law:
    """``x ** n``: a scale to a known power"""
    exponent = op.operands[1]
    number = known_int(exponent) if isinstance(op, math.FPowIOp) else known_float(exponent)
    if number is None or not isfinite(number) or laws[1] is not None:
        raise _NoLawError
    return _total(True, [(laws[0], Fraction(number))])


def _root(power: Fraction) -> _Rule:
    return lambda op, laws: _total(True, [(laws[0], power)])


def _negative(op: Operation, laws: _Laws) -> _Law:
    (law,) = laws
    assert law is not None
    return law if law.is_scale else _total(False, [(law, Fraction(-1))])


def _function(is_scale: bool) -> _Rule:
    """``exp`` of a shift is a scale, ``log`` of a scale is a shift."""

    def rule(op: Operation, laws: _Laws) -> _Law:
        (law,) = laws
        if law is None or law.is_scale == is_scale:
            raise _NoLawError
        return replace(law, is_scale=is_scale)

    return rule


def _same(op: Operation, laws: _Laws) -> _Law:
    (law,) = laws
    assert law is not None
    return law


_RULES: Mapping[type[Operation], _Rule] = {
    arith.AddfOp: _sum_or_difference,
    arith.SubfOp: _sum_or_difference,
    arith.MulfOp: _product,
    arith.DivfOp: _product,
    arith.NegfOp: _negative,
    arith.SelectOp: _select,
    arith.ExtFOp: _same,
    math.AbsFOp: _root(Fraction(1)),
    math.CbrtOp: _root(Fraction(1, 3)),
    math.ExpOp: _function(True),
    math.FPowIOp: _power,
    math.LogOp: _function(False),
    math.PowFOp: _power,
    math.RsqrtOp: _root(Fraction(-1, 2)),
    math.SqrtOp: _root(Fraction(1, 2)),
}
