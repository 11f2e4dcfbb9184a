"""Minima and maxima with a value in place of the elements that a test leaves out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.selections import is_constant, reduction
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import algebra_of, identity, neutral_of
from ein_mlir.rewriting.phi.builders import copied, folded, same_operation
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Replacement, raised


def replace_by_selected(
    op: phi.FoldOp, raise_: Callable[[phi.FoldOp], bool], free: FreeIndices
) -> None:
    """``max_k where(t, e, c)  -->  max(max_k where(t, e, -inf), c if t fails in some step)``

    for a loop-invariant c, if ``raise_`` replaces the folds of the selected elements, and of their
    number: t fails in some step if fewer than all are selected.
    """
    found = _sentinel(op)
    if found is None:
        return
    most = raised(op, _selected(op, found), raise_, free)
    count = None if most is None else raised(op, _number(op, found), raise_, free, always=True)
    if most is None or count is None:
        return
    after = Replacement(op)
    (sentinel,) = copied(after, op.body.block, [found.sentinel], {})
    fails = after.compare(count, "slt", op.count)
    both = after.emit(same_operation(found.combine, most, sentinel))
    result = after.select(fails, both, most)
    if not is_constant(op.init, found.neutral):
        result = after.emit(same_operation(found.combine, op.init, result))
    after.finish(result, free)


@dataclass(frozen=True)
class _Sentinel:
    """``combine(acc, where(t, e, c))``, for a loop-invariant c."""

    combine: Operation
    select: arith.SelectOp
    is_selected: bool
    """Whether the elements are those where the condition holds."""

    @property
    def neutral(self) -> FloatAttr | IntegerAttr:
        """The identity of the combination."""
        return neutral_of(self.combine)

    @property
    def sentinel(self) -> SSAValue:
        """The loop-invariant value."""
        return self.select.rhs if self.is_selected else self.select.lhs

    def chosen(
        self, build: Builder, condition: SSAValue, value: SSAValue, other: SSAValue
    ) -> SSAValue:
        """``value`` for the elements, and ``other`` for the rest."""
        sides = (value, other) if self.is_selected else (other, value)
        return build.emit(arith.SelectOp(condition, *sides))


def _selected(op: phi.FoldOp, found: _Sentinel) -> phi.FoldOp:
    """The fold of the elements without the sentinel."""
    element = found.select.lhs if found.is_selected else found.select.rhs

    def step(build: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
        wanted = [found.select.cond, element]
        condition, value = copied(build, op.body.block, wanted, {op.counter: counter})
        value = found.chosen(build, condition, value, build.constant(found.neutral))
        return build.emit(same_operation(found.combine, accumulator, value))

    return folded(op, arith.ConstantOp(found.neutral), step)


def _number(op: phi.FoldOp, found: _Sentinel) -> phi.FoldOp:
    """The fold of the number of these elements."""

    def step(build: Builder, counter: SSAValue, number: SSAValue) -> SSAValue:
        (condition,) = copied(build, op.body.block, [found.select.cond], {op.counter: counter})
        one = found.chosen(build, condition, build.integer(1), build.integer(0))
        return build.add(number, one)

    return folded(op, arith.ConstantOp(IntegerAttr(0, i64)), step)


def _sentinel(op: phi.FoldOp) -> _Sentinel | None:
    """The selection between elements and a sentinel in each step, if a fold combines them."""
    found = reduction(op)
    if found is None or any_may_fail(op):
        return None
    combine, select = found[0], found[1].owner
    algebra = algebra_of(combine.name)
    if algebra is None or not algebra.idempotent:
        return None
    if identity(combine.name, op.result.type) is None or not isinstance(select, arith.SelectOp):
        return None
    varying = dependents(op.body.block, op.counter)
    if select.parent is not op.body.block or select.cond not in varying:
        return None
    fixed = [side not in varying for side in (select.lhs, select.rhs)]
    return None if fixed[0] == fixed[1] else _Sentinel(combine, select, fixed[1])
