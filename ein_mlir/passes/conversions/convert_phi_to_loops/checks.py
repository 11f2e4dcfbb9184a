"""Checks of sizes in the bodies of comprehensions: made once before, if no index matters.

A comprehension evaluates its body at least once, so a check in it that depends on no index is made
before its loop. One in a fold in the body is made before, too, unless that has no steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import SUMS_OF_SIZES
from ein_mlir.analysis.phi.speculation import Sized, may_fail
from ein_mlir.analysis.scopes import around, is_within, operations_in
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import range_of
from ein_mlir.host.dataclass import dataclass

Checked = Sized | phi.AssertEqOp


@dataclass(frozen=True)
class Hoisted:
    """A check that is made before a comprehension."""

    op: Checked
    counts: Sequence[SSAValue]
    """The counts of the folds between: if one has no steps, there is nothing to check."""


def hoisted_checks(function: func.FuncOp) -> Mapping[phi.ComprehensionOp, Sequence[Hoisted]]:
    """The checks of a function to make before comprehensions, each as far out as is legal."""
    found = dict[phi.ComprehensionOp, list[Hoisted]]()
    for op in operations_in(function):
        if isinstance(op, Checked) and _is_checked(op):
            place = _place(op)
            if place is not None:
                found.setdefault(place[0], []).append(Hoisted(op, place[1]))
    return found


def _is_checked(op: Checked) -> bool:
    return may_fail(op) if isinstance(op, phi.AssertEqOp) else bool(checked_sizes(op))


def checked_sizes(op: Sized) -> Sequence[SSAValue]:
    """The sizes and counts of an operation that may be negative, or too large.

    A count of its own for each element is one, too: it is the same for the elements of a row.
    """
    sizes = [op.count] if isinstance(op, phi.FoldOp) else op.sizes_and_counts()
    return [size for size in sizes if range_of(size) not in SUMS_OF_SIZES]


def _place(op: Checked) -> tuple[phi.ComprehensionOp, Sequence[SSAValue]] | None:
    """The outermost comprehension that a check is legal before, and the counts between."""
    needed = list(op.operands) if isinstance(op, phi.AssertEqOp) else list(checked_sizes(op))
    counts, best = list[SSAValue](), None
    for outer in around(op.parent_op()):
        if any(is_within(value, outer) for value in (*needed, *counts)):
            break
        if isinstance(outer, phi.FoldOp):
            counts.append(outer.count)
        elif isinstance(outer, phi.ComprehensionOp):
            best = outer, tuple(counts)
        else:
            break
    return best


def places(
    hoisted: Mapping[phi.ComprehensionOp, Sequence[Hoisted]],
) -> Mapping[Operation, Operation]:
    """For each operation whose check is hoisted the comprehension that it is made before."""
    return {each.op: place for place, checks in hoisted.items() for each in checks}
