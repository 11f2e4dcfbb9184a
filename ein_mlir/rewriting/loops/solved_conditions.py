"""Conditions on sums with an index, as comparisons of the index with limits that loops may have."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.loops.index_bounds import (
    IndexBounds,
    counter_range,
    is_negative,
    is_size,
    is_sum_of_sizes,
    uncast,
)
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.rewriting.loops.index_values import IndexValues


def solve_condition(nest: scf.ParallelOp, condition: SSAValue) -> None:
    """``k - j <u n  -->  (j <= k) & (j > k - n)``, for an index j of a nest, if no sum may wrap.

    The limits are computed before the nest, or where its other indices are known.
    """
    op = condition.owner
    forms = _nonnegative(nest, op) if isinstance(op, arith.CmpiOp) else ()
    indices = [_index_of(form, nest) for form in forms]
    if isinstance(op, arith.CmpiOp) and indices and None not in indices:
        emit = IndexValues(Builder(InsertPoint.before(op)))
        solved = zip(forms, indices, strict=True)
        parts = [_compared(emit, form, index) for form, index in solved if index is not None]
        Rewriter.replace_op(op, (), (emit.all(parts),))


def _is_small(value: SSAValue, at: Operation) -> bool:
    """Whether a value is a size, or a counter that is less than a sum of some."""
    if is_size(value, at):
        return True
    low, high = counter_range(value) or (value, value)
    return is_size(low, at) and is_sum_of_sizes(uncast(high).owner)


def _index_of(form: LinearForm, nest: scf.ParallelOp) -> BlockArgument | None:
    """The last index in a form, if that can be solved for it."""
    own = [index for index in nest.body.block.args if index in form.coefficients]
    return own[-1] if own and abs(form.coefficients[own[-1]]) == 1 else None


def _compared(emit: IndexValues, form: LinearForm, index: BlockArgument) -> SSAValue:
    """``j + c >= 0`` as ``j >= -c``, and ``c - j >= 0`` as ``j <= c``."""
    nest, sign = index.block.parent_op(), form.coefficients[index]
    rest = form.without([index])
    varies = not rest.coefficients.keys().isdisjoint(index.block.args)
    assert nest is not None
    place = InsertPoint.at_start(index.block) if varies else InsertPoint.before(nest)
    limit = IndexValues(Builder(place)).form(rest * -sign)
    return emit.build.insert(arith.CmpiOp(index, limit, "sge" if sign > 0 else "sle")).result


def _nonnegative(nest: scf.ParallelOp, op: arith.CmpiOp) -> Sequence[LinearForm]:
    """The forms that are non-negative where a comparison holds, if one side is a sum."""
    indices, bounds = nest.body.block.args, IndexBounds(nest, nest.body.block.args)
    lhs, rhs = bounds.of(op.lhs), bounds.of(op.rhs)
    if lhs is None or rhs is None or not lhs.is_fixed or not rhs.is_fixed:
        return ()
    atoms = [atom for form in (lhs.least, rhs.least) for atom in form.coefficients]
    is_plain = any(uncast(side) in indices for side in op.operands)
    if is_plain or not all(atom in indices or _is_small(atom, nest) for atom in atoms):
        return ()
    more = lhs.least - rhs.least
    match predicate_of(op):
        case "sge":
            return (more,)
        case "sgt":
            return (more - 1,)
        case "sle":
            return (-more,)
        case "slt":
            return (-more - 1,)
        case "ult" if is_negative(-rhs.least):
            return lhs.least, -more - 1
        case _:
            return ()
