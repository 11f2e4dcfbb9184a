"""Where comprehensions are cut: the parts of each index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.index_ranges import Comparison, IndexRange, IndexRanges, distinct
from ein_mlir.analysis.phi.known_sizes import is_invariant_size
from ein_mlir.analysis.scopes import reached, sources
from ein_mlir.dialects import phi

MOST_CUTS = 4
"""The maximal number of cuts of the range of an index; with more thresholds it is left whole."""

MOST_OPERATIONS = 2000
"""The maximal number of operations of all parts of a comprehension together."""


class Cuts:
    """The parts into which each index of a comprehension is cut."""

    def __init__(self, array: phi.ArrayOp, ranges: IndexRanges, *, static: bool):
        self._ranges = ranges
        body = list(islice(array.body.walk(), MOST_OPERATIONS))
        self.operations = len(body)
        self.thresholds: dict[BlockArgument, list[LinearForm]] = {}
        middle = list[Comparison]()
        for value in chosen_by(body):
            comparison = ranges.comparison(value)
            if comparison is None:
                continue
            if static and not all(map(is_invariant_size, comparison.threshold.coefficients)):
                continue
            if _cuts_ends(comparison, ranges):
                known = self.thresholds.setdefault(comparison.index, [])
                known.extend(comparison.thresholds())
            else:
                middle.append(comparison)
        self.thresholds = {index: distinct(t, ranges) for index, t in self.thresholds.items()}
        for comparison in middle:
            self._add_beside(comparison)
        self.are_too_many = False
        """Whether an index is left whole, since its range would be cut too often."""
        self.parts = [self._parts(index) for index in array.indices]

    def count(self, axis: int = 0) -> int:
        """The number of copies of the body: small parts are not cut along further axes."""
        if axis == len(self.parts):
            return 1
        return sum(1 if self._ranges.is_thin(p) else self.count(axis + 1) for p in self.parts[axis])

    def _add_beside(self, comparison: Comparison) -> None:
        """Cut off the single inner element that a comparison selects, next to another cut.

        The successor of an Int that is neither a size nor a counter may overflow.
        """
        known = self.thresholds.get(comparison.index, [])
        if len(known) < MOST_CUTS and self._ranges.is_bounded(comparison.threshold):
            both = distinct([*known, *comparison.thresholds()], self._ranges)
            if len(both) == len(known) + 1:
                self.thresholds[comparison.index] = both

    def _parts(self, index: BlockArgument) -> list[IndexRange]:
        """The parts of an index in order; provably small parts are not cut further."""
        ranges, whole = self._ranges, self._ranges.whole(index)
        found = self.thresholds.get(index, ())
        cuts = [t for t in found if not ranges.is_from(whole, t) and not ranges.is_below(whole, t)]
        if len(cuts) > MOST_CUTS:
            self.are_too_many = True
            return [whole]
        parts = [whole]
        for at in sorted(cuts, key=lambda t: (len(t.coefficients), t.constant)):
            parts = [
                piece
                for part in parts
                for piece in (
                    (part,)
                    if ranges.is_thin(part) or ranges.is_from(part, at) or ranges.is_below(part, at)
                    else ranges.cut(part, at)
                )
            ]
        return parts


def chosen_by(body: Sequence[Operation]) -> Iterator[SSAValue]:
    """The Bools that conditions of selections of scalars, and elements of arrays, combine.

    They are combined by and, or, exclusive or and selection. A condition of a Bool that depends on
    what is read, ``c & x[i]``, is that of the selection ``select(c, x[i], false)``.
    """
    selections = [op for op in body if isinstance(op, arith.SelectOp)]
    pending = [op.cond for op in selections if phi.is_scalar_type(op.result.type)]
    pending.extend(
        value
        for op in body
        if isinstance(op, phi.YieldOp) and isinstance(op.parent_op(), phi.ArrayOp)
        for value in op.operands
        if value.type == i1
    )
    pending.extend(
        side
        for op in body
        if isinstance(op, arith.AndIOp | arith.OrIOp)
        for side, other in ((op.lhs, op.rhs), (op.rhs, op.lhs))
        if side.type == i1 and _is_read(other)
    )
    values = reached(
        pending[::-1], lambda value: sources(value) if isinstance(value.owner, LOGICAL) else ()
    )
    return (value for value in values if not isinstance(value.owner, LOGICAL))


def _is_read(value: SSAValue) -> bool:
    """Whether a Bool is read, or compares Floats, or an Int that is read."""
    op = value.owner
    if isinstance(op, arith.CmpiOp):
        return any(isinstance(side.owner, phi.GetOp) for side in op.operands)
    return isinstance(op, phi.GetOp | arith.CmpfOp)


def _cuts_ends(comparison: Comparison, ranges: IndexRanges) -> bool:
    """Whether a cut at this comparison is profitable on its own.

    An equation of an index and an Int is so only at an end: elsewhere its part is one inner
    element.
    """
    if comparison.predicate in ("<", ">="):
        return True
    pieces = ranges.cut(ranges.whole(comparison.index), comparison.thresholds()[1])
    return any(map(ranges.is_thin, pieces))


LOGICAL = (arith.AndIOp, arith.OrIOp, arith.XOrIOp, arith.SelectOp)
