"""``narrow-accumulators``: folds compute only elements that later steps or users read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.arithmetic import INTS, MOST, LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term, equal_sizes
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Builder

MOST_AHEAD = INTS.high // (2 * MOST)
"""The most positions that a step may read ahead: those of all steps together are no-wrap."""


@dataclass(frozen=True)
class Reach:
    """The extent to which an axis of an accumulator is read.

    Users of the result read its first ``result`` positions; a step reads up to ``step`` positions
    more than it computes.
    """

    axis: int
    result: int
    step: int

    def extent(self, steps_left: SSAValue, build: Builder) -> SSAValue:
        """``steps_left * step + result``, without terms that are zero."""
        extent = build.integer(self.result)
        if not self.step:
            return extent
        return build.add(build.mul(steps_left, self.step), extent)


def reaches(fold: phi.FoldOp, forms: IndexForms, equal: SizeEquivalence) -> list[Reach]:
    """The reach of each axis of a fold's accumulator that is read only up to some position.

    Rows of which few elements are updated, in place, would be copied.
    """
    step = fold.yielded().owner
    if (
        not isinstance(step, phi.ArrayOp)
        or step.parent is not fold.body.block
        or not step.result.has_one_use()
        or isinstance(step.yielded().owner, phi.UpdateOp)
    ):
        return []
    found = (
        _reach(fold, step, axis, forms)
        for axis in range(len(step.indices))
        if _keeps_size(fold, step, axis, equal)
    )
    return [reach for reach in found if reach is not None]


def _reach(fold: phi.FoldOp, step: phi.ArrayOp, axis: int, forms: IndexForms) -> Reach | None:
    last = _largest(fold.result, LinearForm(), axis, forms)
    ahead = _largest(fold.accumulator, LinearForm.of(step.indices[axis]), axis, forms)
    if last is None or ahead is None:
        return None
    return Reach(axis, last + 1, ahead)


def _keeps_size(fold: phi.FoldOp, step: phi.ArrayOp, axis: int, equal: SizeEquivalence) -> bool:
    """Whether a step runs over an axis of its accumulator, and is the only user of its size."""
    sizes = [
        use.operation
        for use in fold.accumulator.uses
        if isinstance(use.operation, phi.SizeOp) and use.operation.axis.value.data == axis
    ]
    size = step.sizes[axis]
    is_kept = size.owner in sizes or equal.same(Term(size), Term(fold.init, (), axis))
    return is_kept and all(
        use.operation is step and use.index == axis for op in sizes for use in op.result.uses
    )


def _largest(array: SSAValue, base: LinearForm, axis: int, forms: IndexForms) -> int | None:
    """The largest non-negative offset from a form at which an array is read along an axis.

    None if it is read at other positions, or has users other than reads of elements and of other
    sizes.
    """
    largest = 0
    for use in array.uses:
        match use.operation:
            case phi.SizeOp() as op if op.axis.value.data != axis:
                pass
            case phi.SizeOp() if isinstance(array, BlockArgument):
                pass  # see _keeps_size
            case phi.GetOp() as op if use.index == 0 and axis < len(op.positions):
                offset = (forms.form(op.positions[axis]) - base).known()
                if offset is None or abs(offset) > MOST_AHEAD:
                    return None
                largest = max(largest, offset)
            case _:
                return None
    return largest


def narrow(fold: phi.FoldOp, found: Sequence[Reach]) -> None:
    """Cut the initial value of a fold, and the array of each step, to the elements read."""
    before, step = Builder.before(fold), phi.ArrayOp.of(fold.yielded())
    count = before.max(fold.count, 0)
    extents = {reach.axis: reach.extent(count, before) for reach in found}
    fold.operands[1] = _first(fold.init, extents, before)
    inside = Builder.before(step)
    left = inside.sub(count, inside.add(fold.counter, 1))
    for reach in found:
        size = inside.min(step.sizes[reach.axis], reach.extent(left, inside))
        step.operands[reach.axis] = size


def _first(array: SSAValue, extents: Mapping[int, SSAValue], build: Builder) -> SSAValue:
    """The first elements of an array along some axes."""
    sizes = list[SSAValue]()
    for axis in range(max(extents) + 1):
        size = build.size(array, axis)
        if axis in extents:
            size = build.min(size, extents[axis])
        sizes.append(size)
    return build.comprehension(sizes, lambda inner, own: inner.get(array, own))


class NarrowAccumulatorsPass(FunctionPass):
    """Removes the ends of accumulators that no later step and no user of the result reads.

    If the result of a fold is read at its first positions only, and a step reads its accumulator at
    most c positions further than it computes it, the last step has to compute only these first
    positions, the one before it c more, and so on. A tree that is folded from its leaves to its
    root (prices of options, dynamic programs, stencils of which a part is needed) takes half the
    work.

    Before, where ``%n`` is the size of ``%v``::

        %r = phi.fold (%k < %count, %v = %leaves) -> !phi.vec<f64> {
          phi.array (%i < %n) -> !phi.vec<f64> { .. %v[%i + 1] .. }
        }
        %root = phi.get %r[%zero] : !phi.vec<f64>[i64]

    After, with ``%first`` the first ``count + 1`` elements of ``%leaves``::

        %r = phi.fold (%k < %count, %v = %first) -> !phi.vec<f64> {
          phi.array (%i < min(%n, %count - (%k + 1) + 1)) -> !phi.vec<f64> { .. %v[%i + 1] .. }
        }

    Positions still clip as before: an accumulator is cut only after the elements that are read.
    Steps then have different sizes, which JAX does not allow in a loop.
    """

    name = "narrow-accumulators"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        equal, forms = analyses.get(equal_sizes, function), analyses.get(index_forms, function)
        for fold in [op for op in operations_in(function) if isinstance(op, phi.FoldOp)]:
            if found := reaches(fold, forms, equal):
                narrow(fold, found)
