"""Sizes that are known before the loops of a function run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.singularities import is_scalar_operator
from ein_mlir.analysis.scopes import around, reached, sources
from ein_mlir.dialects import phi


def is_invariant_size(value: SSAValue) -> bool:
    """Whether an Int is known wherever sizes are, and no step of a fold computes it."""
    if isinstance(value.owner, phi.SizeOp):
        return True
    is_in_a_fold = any(isinstance(op, phi.FoldOp) for op in around(value.owner.parent_op()))
    return not is_in_a_fold and _is_known(value)


def _is_known(value: SSAValue) -> bool:
    """Whether an Int is a function of sizes, and of Ints that decide one."""

    @cache
    def is_given(value: SSAValue) -> bool:
        return isinstance(value.owner, phi.SizeOp | arith.ConstantOp) or _decides_size(value)

    return all(
        is_given(each)
        or isinstance(op := each.owner, phi.AssertEqOp)
        or (isinstance(op, Operation) and is_scalar_operator(op))
        for each in reached([value], lambda each: () if is_given(each) else sources(each))
    )


def _decides_size(value: SSAValue) -> bool:
    """Whether a size or count is an Int or a function of it."""

    def functions(value: SSAValue) -> Iterator[SSAValue]:
        users = (use.operation for use in value.uses)
        return (result for op in users if is_scalar_operator(op) for result in op.results)

    return any(
        isinstance(op := use.operation, phi.PhiOp) and op.size_or_count(use.index) is not None
        for each in reached([value], functions)
        for use in each.uses
    )
