"""Whether the given identity of a reduction is provably one: a symbolic run of its body.

The body is run with the identity as one argument. It must give the other argument back::

    %i = (1, 0)                                 // proved: 1 * g0 = g0 and 0 * g0 + g1 = g1
    phi.reduce %v identity %i by (%f, %g) { (f0 * g0, f1 * g0 + g1) }

An identity that is not proved may be none; it is then one more element, before all others.
"""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.reductions import REDUCTIONS
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class _Element:
    """The other argument, or a field of it."""

    path: tuple[int, ...] = ()


_Term: TypeAlias = "Attribute | _Element | tuple[_Term, ...] | None"
"""A constant, a part of the second argument, a record, or an unknown value."""


def has_identity(op: phi.ReduceOp) -> bool:
    """Whether combining the identity of a reduction with an element is provably the element."""
    left, right = op.body.block.args
    return _is_neutral(op, left, right)


def is_identity_on_both_sides(op: phi.ReduceOp) -> bool:
    """Whether that holds in both orders: the identity may be between elements and after them.

    ``f(x, y) = y`` has every value as an identity before the elements, and none behind them.
    """
    left, right = op.body.block.args
    return _is_neutral(op, left, right) and _is_neutral(op, right, left)


def may_be_filled(op: phi.ReduceOp) -> bool:
    """Whether elements behind those of an array leave its reduction as it is, if they are chosen.

    They are the identity, or that of the operation.
    """
    combine = op.scalar_operation()
    return is_identity_on_both_sides(op) or (
        combine is not None and identity(combine.name, op.identity.type) is not None
    )


def unfound(
    op: phi.ArgreduceOp | phi.TopKOp | phi.SortOp | phi.ArgsortOp,
) -> FloatAttr | IntegerAttr:
    """An element that no search finds among others: NaN, or the last Int or Bool in the order.

    The Int ties with elements that are equal to it. It is behind them, and they come first.
    """
    is_greatest = isinstance(op, phi.SortOp | phi.ArgsortOp) or op.predicate.data[0] == "<"
    type_ = phi.scalar_of(op.vec.type)
    if not isa(type_, IntegerType):
        assert isa(type_, AnyFloat)
        return FloatAttr(float("nan"), type_)
    if type_ == i1:
        return IntegerAttr.from_bool(is_greatest)
    half = 1 << (type_.width.data - 1)
    return IntegerAttr(half - 1 if is_greatest else -half, type_)


def _is_neutral(op: phi.ReduceOp, identity: SSAValue, element: SSAValue) -> bool:
    """Whether the body gives an argument back, if the other one is the identity."""
    known: dict[SSAValue, _Term] = {identity: _constant(op.identity), element: _Element()}
    for inner in op.body.block.ops:
        if isinstance(inner, phi.YieldOp):
            return _is_element(known.get(inner.value), ())
        for result in inner.results:
            known[result] = _term(inner, known)
    return False


def _constant(value: SSAValue) -> _Term:
    match value.owner:
        case arith.ConstantOp(value=constant):
            return constant
        case phi.TupleOp(fields=fields):
            return tuple(map(_constant, fields))
        case _:
            return None


def _is_element(term: _Term, path: tuple[int, ...]) -> bool:
    if isinstance(term, tuple):
        return all(_is_element(field, (*path, k)) for k, field in enumerate(term))
    return term == _Element(path)


def _term(op: Operation, known: dict[SSAValue, _Term]) -> _Term:
    match op:
        case arith.ConstantOp():
            return op.value
        case phi.TupleOp():
            return tuple(known.get(field) for field in op.fields)
        case phi.ProjOp():
            return _field(known.get(op.record), op.field.value.data)
        case arith.SelectOp():
            return _selected(*(known.get(operand) for operand in op.operands))
        case Operation() if op.name in REDUCTIONS:
            return _combined(op, *(known.get(operand) for operand in op.operands))
        case _:
            return None


def _field(term: _Term, field: int) -> _Term:
    if isinstance(term, tuple):
        return term[field]
    return _Element((*term.path, field)) if isinstance(term, _Element) else None


def _selected(condition: _Term, a: _Term, b: _Term) -> _Term:
    if isinstance(condition, IntegerAttr):
        return a if condition.value.data else b
    return a if a == b else None


def _combined(op: Operation, a: _Term, b: _Term) -> _Term:
    """``1 * x = x``, ``min(inf, x) = x``, and for Ints ``0 * x = 0``, in either order."""
    neutral = identity(op.name, op.results[0].type)
    for term, other in ((a, b), (b, a)):
        if neutral is not None and term == neutral:
            return other
        if op.name == "arith.muli" and isinstance(term, IntegerAttr) and term.value.data == 0:
            return a if term is a else b
    return None
