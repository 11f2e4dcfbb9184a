"""``settle-sizes``: folds start with an array of the sizes that it has after each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.ir import SSAValue, Use

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import leaf_paths
from ein_mlir.analysis.phi.position_bounds import PositionBounds, position_bounds
from ein_mlir.analysis.phi.selections import tests_around
from ein_mlir.analysis.phi.size_equivalence import (
    Path,
    SizeEquivalence,
    Term,
    followed,
    terms_of,
    unasserted_equal_sizes,
)
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import all_of, comprehension
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class _Carried:
    """An array that nested folds carry, until a comprehension of the innermost step replaces it."""

    folds: Sequence[tuple[phi.FoldOp, Path]]
    """The folds, outermost first, with the array's place in their accumulators."""
    last: phi.ArrayOp

    def uses(self) -> Iterator[Use]:
        """The uses of the array in the steps, but for those that pass it on to the next fold."""
        inner = {fold for fold, _ in self.folds[1:]}
        for fold, path in self.folds:
            for use, _ in _uses(fold.accumulator, path):
                op = use.operation
                if isinstance(op, phi.TupleOp) and op.result.has_one_use():
                    (op,) = (each.operation for each in op.result.uses)
                if op not in inner:
                    yield use


def _carried(op: phi.FoldOp, path: Path, sizes: SizeEquivalence) -> _Carried | None:
    """An array of a fold's accumulator; None if another operation computes it.

    Other folds of a step may change the array, if they keep its sizes.
    """
    folds = [(op, path)]
    value, place = followed(op.yielded(), path)
    while isinstance(fold := value.owner, phi.FoldOp):
        before = followed(fold.init, place)
        if before == (folds[-1][0].accumulator, folds[-1][1]):
            folds.append((fold, place))
            value, place = followed(fold.yielded(), place)
        elif all(
            sizes.same(term, Term(*before, term.axis))
            for term in terms_of(fold.result)
            if term.path == place
        ):
            value, place = before
        else:
            return None
    last = value.owner
    return _Carried(folds, last) if isinstance(last, phi.ArrayOp) and not place else None


def _uses(value: SSAValue, path: Path) -> Iterator[tuple[Use, Path]]:
    """The uses of a field of a value, or of records with it, and its place in these."""
    for use in value.uses:
        if path and isinstance(op := use.operation, phi.ProjOp):
            if op.field.value.data == path[0]:
                yield from _uses(op.result, path[1:])
        else:
            yield use, path


class _Settler:
    """Lets the folds of a function start with arrays of the sizes after a step."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager):
        self._function, self._analyses = function, analyses
        self._sizes: SizeEquivalence = analyses.get(unasserted_equal_sizes, function)
        self._settled = set[tuple[phi.FoldOp, Path]]()

    @property
    def _bounds(self) -> PositionBounds:
        """Proofs about positions: few programs need them."""
        return self._analyses.get(position_bounds, self._function)

    def settle(self, op: phi.FoldOp, path: Path) -> None:
        """Settle an array that a fold carries, if no step can tell the difference."""
        found = _carried(op, path, self._sizes)
        if found is None or not self._settled.isdisjoint(found.folds):
            return
        axes = {
            axis: size
            for axis, size in enumerate(found.last.sizes)
            if not self._is_kept(found, axis, size)
        }
        if not axes:
            return
        counts = list(self._counts(found))
        if (
            len(found.last.sizes) == phi.rank_of(found.last.result.type)
            and all(self._is_size(size, op) for size in axes.values())
            and not any(is_within(count, op) for count in counts)
            and all(self._is_inside(use, axes) for use in found.uses())
        ):
            self._settled.update(found.folds)
            self._replace(op, path, axes, counts)

    def _is_kept(self, found: _Carried, axis: int, size: SSAValue) -> bool:
        """Whether an axis has the same size before and after a step."""
        return any(
            self._sizes.same(Term(value, path, axis), Term(size))
            for fold, path in found.folds
            for value in (fold.init, fold.accumulator)
        )

    def _is_size(self, size: SSAValue, op: phi.FoldOp) -> bool:
        forms = self._bounds.forms
        return not is_within(size, op) and forms.is_nonnegative(forms.integer(size))

    def _counts(self, found: _Carried) -> Iterator[SSAValue]:
        """The counts that must be positive for the innermost step to run."""
        forms = self._bounds.forms
        for number, (fold, _) in enumerate(found.folds):
            if not number or not forms.is_positive(forms.integer(fold.count), fold):
                yield fold.count

    def _is_inside(self, use: Use, axes: dict[int, SSAValue]) -> bool:
        """Whether a use is a read whose positions are in bounds where its result is needed."""
        op = use.operation
        if isinstance(op, phi.SizeOp):
            return op.axis.value.data not in axes
        if not isinstance(op, phi.GetOp) or use.index or len(op.positions) <= max(axes):
            return False
        known = self._bounds.where(tests_around(op.result), ())
        return all(
            known.is_above(op.positions[axis]) and known.is_less(op.positions[axis], size)
            for axis, size in axes.items()
        )

    def _replace(
        self, op: phi.FoldOp, path: Path, axes: dict[int, SSAValue], counts: Sequence[SSAValue]
    ) -> None:
        build = Builder.before(op)
        start = build.field(*followed(op.init, path))
        sizes = [axes.get(k) or build.size(start, k) for k in range(phi.rank_of(start.type))]
        settled = comprehension(build, sizes, lambda inner, own: inner.get(start, own))
        op.operands[1] = _with_field(build, op.init, path, settled)
        others = [
            (use, rest) for use, rest in _uses(op.result, path) if not self._is_inside(use, axes)
        ]
        if others:
            build = Builder.after(op)
            has_step = all_of(build, [build.compare(count, "sgt", 0) for count in counts])
            sizes = [
                build.select(has_step, size, build.size(start, axis)) if axis in axes else size
                for axis, size in enumerate(sizes)
            ]
            result = _chosen(build, has_step, sizes, build.field(op.result, path), start)
            for use, rest in others:
                old = use.operation.operands[use.index]
                new = _with_field(Builder.before(use.operation), old, rest, result)
                use.operation.operands[use.index] = new


def _chosen(
    build: Builder, test: SSAValue, sizes: Sequence[SSAValue], lhs: SSAValue, rhs: SSAValue
) -> SSAValue:
    return comprehension(
        build,
        sizes,
        lambda inner, own: inner.select(test, inner.get(lhs, own), inner.get(rhs, own)),
    )


def _with_field(build: Builder, record: SSAValue, path: Path, value: SSAValue) -> SSAValue:
    """A record with another value of a field."""
    leaves, paths = build.leaves(record), leaf_paths(record.type)
    leaves[paths.index(path)] = value
    return build.record(record.type, leaves)


class SettleSizesPass(FunctionPass):
    """Gives an array the sizes of each step's result before the first step.

    Before::

        %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
        %r = phi.fold (%k < %n, %v = %a) -> !phi.vec<!phi.vec<f64>> {
          %w = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> { .. %v[%i, %k] .. }
          phi.yield %w : !phi.vec<!phi.vec<f64>>
        }

    After::

        %n = phi.size %a, 0 : !phi.vec<!phi.vec<f64>>
        %b = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> { .. %a[%i, %j] .. }
        %r = phi.fold (%k < %n, %v = %b) -> !phi.vec<!phi.vec<f64>> {
          %w = phi.array (%i < %n, %j < %n) -> !phi.vec<!phi.vec<f64>> { .. %v[%i, %k] .. }
          phi.yield %w : !phi.vec<!phi.vec<f64>>
        }

    The program uses one size for both axes of a matrix that need not be square; so does it with
    ``update`` in nested folds. Later passes then see that the array keeps its sizes: positions are
    in bounds, and elements are written in place. Steps must read elements that both arrays have.
    Users of the result that may read others get the initial array if there is no step.
    """

    name = "settle-sizes"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        settler = _Settler(function, analyses)
        for op in operations_in(function):
            if isinstance(op, phi.FoldOp):
                for path in leaf_paths(op.result.type):
                    settler.settle(op, path)
