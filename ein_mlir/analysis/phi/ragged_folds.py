"""Reductions in the steps of a fold that read rows of several lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile

from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.phi.demand import sizes_in
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.selections import Step, is_neutral, reduction, step_of
from ein_mlir.analysis.phi.speculation import body_may_fail, may_fail_first
from ein_mlir.analysis.scopes import (
    around,
    captured,
    dependents,
    inputs_of,
    is_within,
    of_kinds,
    operations_in,
    operations_within,
    reached,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import takes_any_order
from ein_mlir.dialects.reductions import SCAN_KINDS, kind_of
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class RaggedFold:
    """``fold (i < m) { .. fold (k < length[i], b) { b + a[start[i] + k] } .. }``"""

    outer: phi.FoldOp
    inner: phi.FoldOp
    step: Step
    """The step of the inner fold: its terms depend on no accumulator."""

    @property
    def is_continued(self) -> bool:
        """Whether each step of the outer fold adds all terms of its row to the accumulator."""
        outer, inner, found = self.outer, self.inner, reduction(self.outer)
        if outer.yielded() is inner.result:
            return inner.init is outer.accumulator and outer.accumulator.has_one_use()
        if found is None or found[1] is not inner.result or not inner.result.has_one_use():
            return False
        return found[0].name == self.step.combine.name and is_neutral(inner.init, self.step.neutral)


def has_regular_steps(inner: phi.FoldOp, *folds: phi.FoldOp) -> bool:
    """Whether no size or count in a step varies with the steps of some folds: that one or others.

    Then steps of those are elements of arrays, and contributions of an accumulation.
    """
    sizes = list(sizes_in(operations_within(inner.body.block)))
    return all(dependents(fold.body.block, fold.counter).isdisjoint(sizes) for fold in folds)


def ragged_fold(inner: phi.FoldOp, forms: Callable[[], IndexForms]) -> RaggedFold | None:
    """A fold in the step of another one, if that step alone decides which part of arrays it reads.

    The steps of all rows are then about as many as such an array has elements. Those of a triangle,
    whose count is computed from the counter alone, are more.
    """
    outer, step = inner.parent_op(), step_of(inner)
    if not isinstance(outer, phi.FoldOp) or step is None or not takes_any_order(step.combine.name):
        return None
    block = outer.body.block
    if not (read := _elements_behind(inner.count, block)):
        return None
    varying, carried = (dependents(block, each) for each in (outer.counter, outer.accumulator))
    used = {inner.count, *captured(inner)} - {inner.init}
    if not carried.isdisjoint(used) or varying.isdisjoint(read):
        return None
    cheap = all(not op.regions for op in slice_of(block, list(used)))
    return (
        RaggedFold(outer, inner, step) if cheap and _reads_rows(inner, varying, forms()) else None
    )


@dataclass(frozen=True)
class PrefixesOfRows:
    """``fold (i < m) { .. fold (l < n) { fold (k < length[i, l], b) { b + a[l, k] } } .. }``"""

    nest: Sequence[phi.FoldOp]
    """The folds whose steps decide the count, outermost first."""
    columns: Sequence[phi.FoldOp]
    """Those of them that the steps vary with: not the outermost one."""
    inner: phi.FoldOp
    step: Step


def prefixes_of_rows(inner: phi.FoldOp) -> PrefixesOfRows | None:
    """A fold over a prefix of the same steps in each step of the folds around it.

    Data decide on the prefixes: those that counters decide on are known to other passes.
    """
    step = step_of(inner)
    if step is None or kind_of(step.combine.name) not in SCAN_KINDS or body_may_fail(inner):
        return None
    folds = list(takewhile(lambda op: isinstance(op, phi.FoldOp), around(inner.parent_op())))
    nests = (of_kinds(reversed(folds[:size]), phi.FoldOp) for size in range(len(folds), 0, -1))
    found = ((nest, _columns(nest, inner)) for nest in nests)
    return next((PrefixesOfRows(x, y, inner, step) for x, y in found if y is not None), None)


def _columns(nest: Sequence[phi.FoldOp], inner: phi.FoldOp) -> Sequence[phi.FoldOp] | None:
    """The folds of a nest that the steps of a fold vary with, if data and counters decide them.

    None if the outermost one is among these, or does not decide the count.
    """
    outermost = nest[0]

    def varying(values: Iterable[SSAValue]) -> list[SSAValue]:
        return [each for each in values if is_within(each, outermost)]

    def behind(values: Iterable[SSAValue]) -> set[SSAValue]:
        return set(reached(varying(values), lambda value: varying(inputs_of(value))))

    of_count = behind([inner.count])
    of_steps = behind(set(captured(inner)) - {inner.init, inner.count})
    if outermost.counter in of_steps or outermost.counter not in of_count:
        return None
    counters = {fold.counter for fold in nest}
    owners = [each.owner for each in (of_count | of_steps) - counters]
    ops = [op for owner in owners if isinstance(owner, Operation) for op in operations_in(owner)]
    has_data = any(isinstance(op, phi.GetOp) for op in ops)
    is_carried = any(isinstance(each, Block) for each in owners)
    if not has_data or is_carried or varying(fold.count for fold in nest[1:]):
        return None
    may_fail = any(may_fail_first(op, outermost) for op in ops)
    columns = [fold for fold in nest if fold.counter in of_steps]
    return None if may_fail or not has_regular_steps(inner, inner, *columns) else columns


def _elements_behind(count: SSAValue, block: Block) -> Sequence[SSAValue]:
    """The elements of arrays that a step reads to compute a count."""
    needed = slice_of(block, [count]) if is_within(count, block) else ()
    return [op.result for op in needed if isinstance(op, phi.GetOp)]


def _reads_rows(inner: phi.FoldOp, varying: set[SSAValue], forms: IndexForms) -> bool:
    """Whether a step reads an element at its counter, and at a place that is that of its row.

    Or none that varies with its counter, as in ``log(p[i] + float(k))``.
    """
    own = dependents(inner.body.block, inner.counter, inner.accumulator)
    of_rows = varying - own
    is_function = not any(each.regions for each in inner.body.block.ops) and not any(
        isinstance(each, phi.GetOp) and each.result in own for each in inner.body.block.ops
    )
    return is_function or reads_rows(
        inner, lambda atom: atom is inner.counter, of_rows.__contains__, forms
    )


def reads_rows(
    loop: Operation,
    is_counter: Callable[[SSAValue], bool],
    is_of_row: Callable[[SSAValue], bool],
    forms: IndexForms,
) -> bool:
    """Whether a loop reads an element at its counter, and at a place that is that of a row."""
    for op in operations_in(loop):
        positions = op.positions if isinstance(op, phi.GetOp) else ()
        atoms = {atom for each in positions for atom in forms.form(each).coefficients}
        if any(map(is_counter, atoms)) and any(map(is_of_row, atoms)):
            return True
    return False
