"""Folds whose steps a comparison of an Int with an index selects: a scan of a table of totals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.selections import Step
from ein_mlir.analysis.phi.variables import variables_around
from ein_mlir.dialects import phi
from ein_mlir.dialects.reductions import kind_of
from ein_mlir.passes.phi.raise_scans.comparisons import Selection, parts_besides, tests_besides
from ein_mlir.passes.phi.raise_scans.equal_keys import totals_of_places
from ein_mlir.passes.phi.raise_scans.sorted_steps import Facts
from ein_mlir.rewriting.phi.index_limits import IndexLimit, index_limit
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues


def total_at_index(
    build: Builder, op: phi.FoldOp, step: Step, selection: Selection, facts: Facts
) -> SSAValue | None:
    """``fold (k < m) { where(x[k] <= i + c, a + e[k], a) }  -->  scan(totals)[i]``

    where ``totals = accumulate (k < m) { max(x[k] - c, 0), e[k] }``: m + n steps for all n indices.
    A table for each of the other indices that keys and values vary with is one of more axes for
    backends that compute elements in loops.
    """
    if len(selection.found) != 1 or selection.equations:
        return None
    (found,) = selection.found
    limit = index_limit(found.limit, facts.forms)
    if found.key.type != i64 or found.tie is not None or limit is None:
        return None
    others, parts = tests_besides(op, step, selection), parts_besides(op, step, selection)
    varying = {index for part in parts for index in facts.free.of(part)}
    values = RecomputedValues(op, varying if facts.once else (), facts.free)
    if (
        limit.index in varying
        or facts.free.of(op.count)
        or not facts.may_run_at_once(op, [*parts, found.limit])
        or not values.can_have(parts, [op.counter])
        or (facts.once and _vary_with_steps(op, limit, parts))
    ):
        return None

    def place_of(inner: Builder, at: Callable[[SSAValue], SSAValue]) -> SSAValue:
        return limit.place(inner, at(found.key), found.predicate)

    totals = totals_of_places(build, op, step, (others, values), place_of, limit.size)
    kind = kind_of(step.combine.name)

    def scan(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        column = inner.comprehension([limit.size], lambda at, place: at.get(totals, [*place, *own]))
        return inner.scan(kind, column, suffixes=not found.is_below)

    sizes = [phi.size_of_index(index) for index in values.indices]
    scanned = build.comprehension(sizes, scan, values.indices) if sizes else scan(build, ())
    position = limit.position(build, is_below=found.is_below)
    return build.get(scanned, [*values.indices, position])


def _vary_with_steps(op: phi.FoldOp, limit: IndexLimit, parts: Sequence[SSAValue]) -> bool:
    """Whether parts vary with the steps of a loop in that over an index: each has a table."""
    loop = limit.index.block.parent_op()
    return loop is not None and any(
        loop.is_ancestor(each.block) and not isinstance(each.type, IndexType)
        for each in variables_around(op, parts)
    )
