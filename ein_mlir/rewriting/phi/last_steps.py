"""The values of the last step that tests select, from the largest counter of such steps."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.searches import SelectedSearch
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import chosen, copied_tests, folded
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.replacement import Replacement, raised
from ein_mlir.rewriting.phi.selected_searches import Candidates


def take_last(
    op: phi.FoldOp,
    found: SelectedSearch,
    raise_: Callable[[phi.FoldOp], bool],
    free: FreeIndices,
    *,
    differentiable: bool,
) -> None:
    """``fold (acc = x) { where(t, e, acc) }  -->  where(k >= 0, e[k], x)``

    where ``k = fold_max(where(t, k, -1))``, if ``raise_`` replaces that. If the program is
    differentiable, a value whose derivative may be infinite needs its guard.
    """
    if any_may_fail(op) or (differentiable and any(map(is_singular, operations_in(op)))):
        return
    none = arith.ConstantOp(IntegerAttr(-1, i64))
    position = raised(op, _last_step(op, found, none), raise_, free, [none])
    if position is None:
        return
    build = Replacement(op)
    result = Candidates(op, found, ()).result(build, position, position)
    build.finish(result, free)


def _last_step(op: phi.FoldOp, found: SelectedSearch, none: arith.ConstantOp) -> phi.FoldOp:
    """The fold to the largest counter for which tests hold."""

    def step(build: Builder, counter: SSAValue, last: SSAValue) -> SSAValue:
        tests = copied_tests(build, op.body.block, found.tests, {op.counter: counter})
        return chosen(build, tests, build.max(last, counter), last)

    return folded(op, none, step)
