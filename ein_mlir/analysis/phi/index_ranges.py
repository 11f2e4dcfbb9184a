"""Ranges of comprehension indices: facts about conditions on an index and clipped positions.

A range is symbolic: an index is at least each of some linear forms and less than each of others::

    max(l, ..) <= i < min(u, ..)

A range with contradictory bounds is empty, so bounds may be out of order and out of range. A
condition on an index is a comparison with a *threshold* that varies with no index: ``i < t`` or
``i >= t``. A fact about a range need only hold if the range is not empty.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from xdsl.dialects import func
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import INTS, SUMS_OF_SIZES, LinearForm, Range
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import AffinePosition, IndexForms
from ein_mlir.analysis.predicates import SWAPPED, Relation, relation_of
from ein_mlir.analysis.scopes import (
    around,
    block_of,
    home_of,
    is_defined_in,
    is_known_at,
    is_within,
)
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class IndexRange:
    """The indices from the largest of ``lowers`` up to, and without, the smallest of ``uppers``."""

    lowers: tuple[LinearForm, ...]
    uppers: tuple[LinearForm, ...]


ORDINARY = Range(-(2**58), 2**58)
"""Ints far from the ends of the range: sums of a few of them are no-wrap."""

THIN = 8
"""The largest size of a part that is known to be small."""

SHORT_ROW = 32
"""The least steps on numbers that take more time than calls on rows of these numbers."""

WINDOWED_ROW = 256
"""The least steps on numbers that take more time than the calls of a scan with weights."""


@dataclass(frozen=True)
class Comparison:
    """``index < threshold``, ``>=``, ``==`` or ``!=``, as ``predicate`` says."""

    index: BlockArgument
    predicate: str
    threshold: LinearForm

    def thresholds(self) -> Sequence[LinearForm]:
        """The indices at which the truth of the comparison changes."""
        if self.predicate in ("<", ">="):
            return (self.threshold,)
        return self.threshold, self.threshold + 1


class IndexRanges:
    """The facts about ranges of the indices of a comprehension, or of the counter of a fold, in its
    body.
    """

    def __init__(
        self,
        loop: phi.ArrayOp | phi.FoldOp,
        forms: IndexForms,
        free: FreeIndices | None,
        *,
        sums: bool = True,
    ):
        """With ``sums``, a threshold may be a sum with any Int, as the Int that it wraps to.

        Without ``free``, it may vary with the indices of the loops around this one.
        """
        self._loop = loop
        self._indices = loop.counters()
        self._sizes = loop.sizes if isinstance(loop, phi.ArrayOp) else (loop.count,)
        self._sums = sums
        self._forms = forms.with_sizes(map(forms.form, self._sizes))
        self._free = free
        self._positions: dict[tuple[phi.GetOp, int], tuple[AffinePosition, LinearForm] | None] = {}

    # Ranges

    def whole(self, index: BlockArgument) -> IndexRange:
        """All indices."""
        return IndexRange((LinearForm(),), (self.size(index),))

    def size(self, index: BlockArgument) -> LinearForm:
        """The number of indices."""
        size = self._sizes[index.index]
        exact = self._forms.exact_form(size, SUMS_OF_SIZES)
        return LinearForm.of(size) if exact is None else exact

    def extent(self, index: BlockArgument) -> LinearForm:
        """The number of indices, if possible in values from outside of the loops around this one.

        Values of accumulators have the sizes of their initial values.
        """
        size = self.size(index)
        known = self._forms.canonical(size)
        return known if is_visible(known, self._loop) else size

    def cut(self, range_: IndexRange, at: LinearForm) -> tuple[IndexRange, IndexRange]:
        """The indices below a threshold, and those from it on."""
        uppers = (*(u for u in range_.uppers if not self._at_most(at, u)), at)
        lowers = (*(low for low in range_.lowers if not self._at_most(low, at)), at)
        return IndexRange(range_.lowers, uppers), IndexRange(lowers, range_.uppers)

    def is_below(self, range_: IndexRange, threshold: LinearForm) -> bool:
        """Whether all indices are provably less than a threshold."""
        return any(self._at_most(upper, threshold) for upper in range_.uppers)

    def is_from(self, range_: IndexRange, threshold: LinearForm) -> bool:
        """Whether all indices are provably at least a threshold."""
        return any(self._at_most(threshold, lower) for lower in range_.lowers)

    def _at_most(self, a: LinearForm, b: LinearForm) -> bool:
        return self._forms.is_at_most(a, b)

    def single(self, range_: IndexRange) -> LinearForm | None:
        """The only index of a range, if it has at most one."""
        return next((low for low, width in self._widths(range_) if width == 1), None)

    def is_thin(self, range_: IndexRange) -> bool:
        """Whether a range has at most ``THIN`` indices for all sizes."""
        return any(width <= THIN for _, width in self._widths(range_))

    def _widths(self, range_: IndexRange) -> Iterator[tuple[LinearForm, int]]:
        """The static numbers of indices from each lower bound up to an upper one."""
        for low in range_.lowers:
            for high in range_.uppers:
                width = self._forms.canonical(high - low)
                if not width.coefficients:
                    yield low, width.constant

    def same(self, a: LinearForm, b: LinearForm) -> bool:
        """Whether two forms are provably the same number."""
        return self._forms.equal(a, b)

    # Conditions

    def holds(self, comparison: Comparison, range_: IndexRange) -> bool | None:
        """The value of a comparison for all indices of a range; None if it is not uniform."""
        threshold = comparison.threshold
        match comparison.predicate:
            case "<" | ">=":
                below = self._is_below_or_from(range_, threshold)
                return below if below is None or comparison.predicate == "<" else not below
            case _:
                found = self._is_below_or_from(range_, threshold)
                above = self._is_below_or_from(range_, threshold + 1)
                if found is None and above is None:
                    return None
                if found is True or above is False:
                    return comparison.predicate == "!="
                return comparison.predicate == "==" if (found, above) == (False, True) else None

    def _is_below_or_from(self, range_: IndexRange, threshold: LinearForm) -> bool | None:
        if self.is_below(range_, threshold):
            return True
        return False if self.is_from(range_, threshold) else None

    def comparison(self, value: SSAValue) -> Comparison | None:
        """A condition as the comparison of an index with a form that varies with no index."""
        found = self.relation(value)
        if found is not None and found.predicate in ("<=", ">"):
            predicate = {"<=": "<", ">": ">="}[found.predicate]
            found = Comparison(found.index, predicate, found.threshold + 1)
        return found if found is None or self._forms.is_exact(found.threshold) else None

    def relation(self, value: SSAValue) -> Comparison | None:
        """The same, or ``<=`` or ``>``, where the threshold may be the largest Int."""
        found = relation_of(value)
        predicate = None if found is None else _SYMBOLS.get(found.predicate)
        if found is None or predicate is None:
            return None
        is_equation = predicate in ("==", "!=")
        difference = self._modulo(found) if is_equation else self._as_integers(found)
        index = self._only_index(difference)
        threshold = None if index is None else difference.solved_for(index)
        if index is None or threshold is None:
            return None
        if difference.coefficients[index] == -1:
            predicate = SWAPPED[predicate]
        return Comparison(index, predicate, threshold) if self._may_leave(threshold) else None

    def wide_ints(self, value: SSAValue, *, only_arguments: bool = True) -> Collection[SSAValue]:
        """The Ints that keep a condition from being a `Comparison`: sums with them may wrap.

        With ``only_arguments``, none if there are other such Ints than arguments of the function
        and values of steps of loops: code for both cases is worth the time of calls or steps.
        """
        found = relation_of(value)
        if found is None or found.predicate not in _SYMBOLS or self.comparison(value):
            return ()
        difference = self._modulo(found)
        index = self._only_index(difference)
        rest = difference.without([] if index is None else [index])
        if index is None or not self._may_leave(rest):
            return ()
        wide = [atom for atom in rest.coefficients if self._forms.range(atom) not in ORDINARY]
        return wide if all(map(_may_choose, wide)) or not only_arguments else ()

    def _modulo(self, found: Relation) -> LinearForm:
        """The difference of the operands modulo 2^64, which decides an equation."""
        return (self._forms.form(found.lhs) - self._forms.form(found.rhs)).reduced()

    def _as_integers(self, found: Relation) -> LinearForm:
        """The difference of the operands as integers."""
        operands = (found.lhs, found.rhs)
        exact = [self._forms.exact_form(side) for side in operands]
        if not self._sums and None in exact:
            return LinearForm()
        sides = zip(operands, exact, strict=True)
        lhs, rhs = (form or LinearForm.of(side) for side, form in sides)
        return lhs - rhs

    def _only_index(self, form: LinearForm) -> BlockArgument | None:
        """The only index of the loop in a form, if its coefficient is 1 or -1."""
        found = [atom for atom in form.coefficients if atom in self._indices]
        if len(found) != 1 or abs(form.coefficients[found[0]]) != 1:
            return None
        (index,) = found
        assert isinstance(index, BlockArgument)
        return index

    def _may_leave(self, threshold: LinearForm) -> bool:
        """Whether a form may be computed outside of the loop."""
        return not any(
            is_within(atom, self._loop) or (self._free is not None and self._free.of(atom))
            for atom in threshold.coefficients
        )

    def is_bounded(self, form: LinearForm) -> bool:
        """Whether sums and differences of two forms like this one are no-wrap."""
        return self._forms.range_of(form).magnitude < 2**62

    # Positions

    def position(self, get: phi.GetOp, number: int) -> tuple[AffinePosition, LinearForm] | None:
        """An affine position ``index + start`` in an axis of known size, and that size."""
        key = get, number
        if key not in self._positions:
            self._positions[key] = self._position(get, number)
        return self._positions[key]

    def _position(self, get: phi.GetOp, number: int) -> tuple[AffinePosition, LinearForm] | None:
        size = self._forms.size(get.array, number)
        if size is None:
            return None
        affine = self._forms.affine(get.positions[number], size)
        if affine is None or affine.step != 1 or affine.index not in self._indices:
            return None
        return affine, size

    def clipped(self, get: phi.GetOp, number: int, range_: IndexRange) -> LinearForm | None:
        """The position to which a whole range is clipped, if that is one end of the axis."""
        found = self.position(get, number)
        if found is None or not self._is_exact(range_, found[0].start):
            return None
        affine, size = found
        if any(self._at_most(upper - 1 + affine.start, LinearForm()) for upper in range_.uppers):
            return LinearForm()
        for lower in range_.lowers:
            excess = self._forms.canonical(lower + affine.start - size + 1)
            if not excess.coefficients and excess.constant >= 0:
                return lower + affine.start - excess.constant
        return None

    def _is_exact(self, range_: IndexRange, start: LinearForm) -> bool:
        """Whether ``index + start`` is no-wrap for all indices of a range."""
        range_of, canonical = self._forms.range_of, self._forms.canonical
        lowest = max(range_of(canonical(lower + start)).low for lower in range_.lowers)
        highest = min(range_of(canonical(upper - 1 + start)).high for upper in range_.uppers)
        return INTS.low <= lowest and highest <= INTS.high


def is_visible(form: LinearForm, op: Operation) -> bool:
    """Whether the values of a form are defined at the end of the block of an operation.

    A size may be that of another loop, which is provably equal.
    """
    atoms, block = form.coefficients, home_of(op)
    return all(is_defined_in(atom, block) or is_known_at(atom, op) for atom in atoms)


def _may_choose(value: SSAValue) -> bool:
    """Whether a value is an argument of the function, or varies from step to step of a loop."""
    block = block_of(value)
    parent = None if block is None else block.parent_op()
    return is_argument(value) or any(isinstance(each, phi.FoldOp) for each in around(parent))


def is_thin(size: SSAValue) -> bool:
    """Whether a size or count is known to be at most ``THIN``: such a loop is better unrolled."""
    number = known_int(size)
    return number is not None and number <= THIN


def is_argument(value: SSAValue) -> bool:
    """Whether a value is an argument of the function."""
    owner = value.owner
    return isinstance(owner, Block) and isinstance(owner.parent_op(), func.FuncOp)


_SYMBOLS = {"eq": "==", "ne": "!=", "slt": "<", "sle": "<=", "sgt": ">", "sge": ">="}
"""The symbols of the signed predicates."""


def distinct(forms: Iterable[LinearForm], ranges: IndexRanges) -> list[LinearForm]:
    """The forms that are not provably equal to an earlier one."""
    found: list[LinearForm] = []
    for form in forms:
        if not any(ranges.same(form, other) for other in found):
            found.append(form)
    return found
