"""Comparisons of a distance from the counter as bounds of the counter."""

from __future__ import annotations

from collections.abc import Container

from xdsl.dialects import math
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm, Range
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.predicates import Relation, relation_of
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.builders import is_as_expected, linear_value
from ein_mlir.rewriting.phi.insertion import Builder

FAR = 2**60
"""A distance beyond those of all positions; its sum with a position does not wrap."""

_INSIDE = {"sle": (0, True), "slt": (1, True), "sgt": (0, False), "sge": (1, False)}
"""For each predicate of a distance and r: the number to subtract from r, and if it holds within."""


def expand_magnitudes(op: phi.FoldOp, forms: IndexForms) -> bool:
    """``abs(k - p) <= r  -->  (k >= p - r) & (k < p + r + 1)``, for the counter k of a fold.

    Likewise for ``<``, and for ``>`` and ``>=`` by the complement. Whether anything changed.
    """
    block, found = op.body.block, False
    if not any(isinstance(each, math.AbsIOp) for each in block.ops):
        return False
    varying = dependents(block, op.counter, op.accumulator)
    for each in list(block.ops):
        relation = relation_of(each.results[0]) if each.results else None
        readings = () if relation is None else relation.readings
        found |= any(_expand(op, each, reading, varying, forms) for reading in readings)
    if found:
        erase_unused(block)
    return found


def _expand(
    op: phi.FoldOp,
    compare: Operation,
    found: Relation,
    varying: Container[SSAValue],
    forms: IndexForms,
) -> bool:
    """Replace a comparison of a distance from the counter, if the other number is invariant."""
    distance, predicate, radius = found.lhs.owner, found.predicate, found.rhs
    if not isinstance(distance, math.AbsIOp) or radius in varying:
        return False
    form = forms.exact_form(distance.operand)
    if form is None or forms.range_of(form) not in Range(-FAR, FAR) or predicate not in _INSIDE:
        return False
    factor, rest = form.coefficients.get(op.counter, 0), form.without([op.counter])
    if abs(factor) != 1 or any(atom in varying for atom in rest.coefficients):
        return False
    build = Builder.before(compare, forms.add)
    inside = _within(build, op.counter, rest * -factor, _radius(build, radius, predicate))
    inside = is_as_expected(build, inside, _INSIDE[predicate][1])
    Rewriter.replace_op(compare, (), (inside,))
    return True


def _radius(build: Builder, radius: SSAValue, predicate: str) -> SSAValue | int:
    """The largest distance within, cut to those that exist; -1 if there is none."""
    less, _ = _INSIDE[predicate]
    known = known_int(radius)
    if known is not None:
        return min(max(known, less - 1), FAR) - less
    return build.sub(build.min(build.max(radius, less - 1), FAR), less)


def _within(
    build: Builder, counter: SSAValue, centre: LinearForm, radius: SSAValue | int
) -> SSAValue:
    """``(k >= p - r) & (k < p + r + 1)``"""
    far = LinearForm.number(radius) if isinstance(radius, int) else LinearForm.of(radius)
    first = linear_value(build, centre - far)
    behind = linear_value(build, centre + far + 1)
    is_late = build.compare(counter, "sge", first)
    is_early = build.compare(counter, "slt", behind)
    return build.and_(is_late, is_early)
