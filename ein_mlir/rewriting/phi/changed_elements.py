"""Elements that a comprehension changes, where it keeps others as they were."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.predicates import NEGATED, SWAPPED, predicate_of
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.builders import comprehension
from ein_mlir.rewriting.phi.insertion import Builder


@dataclass(frozen=True)
class _Limits:
    """Elements change only below one of some limits of an index of a comprehension."""

    axis: int
    limits: Sequence[SSAValue]

    def count(self, loop: phi.ArrayOp) -> SSAValue:
        """The number of positions below a limit, before the comprehension."""
        build, most = Builder.before(loop), self.limits[0]
        for limit in self.limits[1:]:
            most = build.max(most, limit)
        return build.min(build.max(most, 0), loop.sizes[self.axis])


def compute_changed(loop: phi.ArrayOp, old: SSAValue, fold: phi.FoldOp) -> bool:
    """Compute the elements that change first, if the others stay as they are in an old array.

    ::

        array(i < n) { select(i < m, f(x, i), x[i]) }

    becomes ::

        y = array(i < min(max(m, 0), n)) { select(i < m, f(x, i), x[i]) }
        array(i < n) { select(i < size of y, y[i], x[i]) }

    which overwrites ``x``, and so leaves most of it alone. The limit varies with the steps of the
    fold, as those of levels that halve an array.
    """
    found = _limits(loop, old, fold)
    if found is None:
        return False
    build, axis, count = Builder.before(loop), found.axis, found.count(loop)
    changed = build.insert(copy_of(loop))
    changed.operands[axis] = count

    def element(inner: Builder, indices: Sequence[SSAValue]) -> SSAValue:
        is_changed = inner.compare(inner.as_int(indices[axis]), "slt", count)
        own, kept = inner.get(changed.result, indices), inner.get(old, indices)
        return inner.select(is_changed, own, kept)

    new = comprehension(build, list(loop.sizes), element, loop.indices)
    Rewriter.replace_op(loop, (), (new,))
    return True


def limit_changes(loop: phi.ArrayOp, old: SSAValue, fold: phi.FoldOp) -> bool:
    """Tell the elements that change by one comparison, in place of those with several limits.

    ``select(i < m, y, select(i < n, z, x[i]))  -->  select(i < max(m, n), .., x[i])``
    """
    found, last = _limits(loop, old, fold), loop.body.block.last_op
    if found is None or len(found.limits) == 1 or last is None:
        return False
    count, inner = found.count(loop), Builder.before(last)
    is_changed = inner.compare(inner.as_int(loop.indices[found.axis]), "slt", count)
    kept = inner.get(old, loop.indices)
    last.operands[0] = inner.select(is_changed, loop.yielded(), kept)
    return True


def _limits(loop: phi.ArrayOp, old: SSAValue, fold: phi.FoldOp) -> _Limits | None:
    """The limits of the elements that change, some of which vary with the steps of a fold."""
    value, limits = loop.yielded(), dict[SSAValue, BlockArgument]()
    while isinstance(choice := value.owner, arith.SelectOp):
        for rest, expected in ((choice.rhs, True), (choice.lhs, False)):
            limit = _limit(choice.cond, loop, expected=expected)
            if limit is not None:
                limits[limit[0]] = limit[1]
                value = rest
                break
        else:
            return None
    kept = value.owner
    if not isinstance(kept, phi.GetOp) or kept.array is not old or not kept.is_at(loop.indices):
        return None
    axes = {index.index for index in limits.values()}
    if len(axes) > 1 or not any(is_within(limit, fold) for limit in limits):
        return None
    return _Limits(axes.pop(), [*limits])


def _limit(
    condition: SSAValue, loop: phi.ArrayOp, *, expected: bool
) -> tuple[SSAValue, BlockArgument] | None:
    """The limit that an index is below just where a condition has a value, and the index."""
    test = condition.owner
    if not isinstance(test, arith.CmpiOp):
        return None
    predicate, (lhs, rhs) = predicate_of(test), test.operands
    if not expected:
        predicate = NEGATED[predicate]
    if phi.uncast(rhs) in loop.indices:
        predicate, lhs, rhs = SWAPPED[predicate], rhs, lhs
    index = phi.uncast(lhs)
    if predicate != "slt" or is_within(rhs, loop) or not isinstance(index, BlockArgument):
        return None
    return (rhs, index) if index in loop.indices else None
