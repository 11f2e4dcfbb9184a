"""Ranges of comprehension indices: facts about conditions on an index and clipped positions.

A range is symbolic: an index is at least each of some linear forms and less than each of others::

    max(l, ..) <= i < min(u, ..)

A range with contradictory bounds is empty, so bounds may be out of order and out of range. A
condition on an index is a comparison with a *threshold* that varies with no index: ``i < t`` or
``i >= t``. A fact about a range need only hold if the range is not empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import AffinePosition, IndexForms, LinearForm
from ein_mlir.analysis.scopes import is_within
from ein_mlir.dialects import phi

ONE = LinearForm({}, 1)


@dataclass(frozen=True)
class IndexRange:
    """The indices from the largest of ``lowers`` up to, and without, the smallest of ``uppers``."""

    lowers: tuple[LinearForm, ...]
    uppers: tuple[LinearForm, ...]


THIN = 8
"""The largest size of a part that is known to be small."""


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
        return self.threshold, self.threshold + ONE


class IndexRanges:
    """The facts about ranges of the indices of a comprehension, in its body."""

    def __init__(self, array: phi.ArrayOp, forms: IndexForms, free: FreeIndices):
        self._array = array
        self._forms = forms
        self._free = free
        self._bounded = {atom for size in array.sizes for atom in forms.linear(size).coefficients}

    # Ranges

    def whole(self, index: BlockArgument) -> IndexRange:
        """All indices."""
        return IndexRange((LinearForm(),), (self.size(index),))

    def size(self, index: BlockArgument) -> LinearForm:
        """The number of indices."""
        return self._forms.linear(self._array.sizes[index.index])

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
        return self._forms.is_nonnegative(b - a)

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
        return self._forms.canonical(a - b) == LinearForm()

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
                above = self._is_below_or_from(range_, threshold + ONE)
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
        op = value.owner
        if not isinstance(op, arith.CmpiOp) or op.lhs.type != i64:
            return None
        predicate = _PREDICATES.get(op.predicate.value.data)
        difference = self._forms.linear(op.lhs) - self._forms.linear(op.rhs)
        index = self._only_index(difference)
        if predicate is None or index is None:
            return None
        rest = difference.without([index])
        if difference.coefficients[index] == 1:
            threshold = rest * -1
        else:
            predicate, threshold = _MIRRORED[predicate], rest
        if predicate in ("<=", ">"):
            predicate, threshold = {"<=": "<", ">": ">="}[predicate], threshold + ONE
        if not self._is_exact(threshold):
            return None
        return Comparison(index, predicate, threshold)

    def _only_index(self, form: LinearForm) -> BlockArgument | None:
        """The only index of the comprehension in a form, if its coefficient is 1 or -1."""
        found = [atom for atom in form.coefficients if atom in self._array.indices]
        if len(found) != 1 or abs(form.coefficients[found[0]]) != 1:
            return None
        (index,) = found
        assert isinstance(index, BlockArgument)
        return index

    def _is_exact(self, threshold: LinearForm) -> bool:
        """Whether a form may be computed outside of the comprehension, and is no-wrap.

        Sums of sizes and counters are far from the largest Int; any other Int may be close to it.
        """
        atoms = threshold.coefficients
        if not all(not is_within(atom, self._array) and not self._free.of(atom) for atom in atoms):
            return False
        if max(map(abs, (threshold.constant, *atoms.values()))) > LARGEST:
            return False
        is_alone = list(atoms.values()) == [1] and not threshold.constant
        return is_alone or self.is_bounded(threshold)

    def is_bounded(self, form: LinearForm) -> bool:
        """Whether a form consists of sizes and counters, so that sums with it are no-wrap."""
        return all(self._is_bounded(atom) for atom in form.coefficients)

    def _is_bounded(self, atom: SSAValue) -> bool:
        op = atom.owner
        if isinstance(atom, BlockArgument):
            fold = atom.block.parent_op()
            return atom in self._bounded or (isinstance(fold, phi.FoldOp) and atom is fold.counter)
        while isinstance(op, phi.AssertEqOp):
            op = op.lhs.owner
        return isinstance(op, phi.SizeOp) or atom in self._bounded

    # Positions

    def position(self, get: phi.GetOp, number: int) -> tuple[AffinePosition, LinearForm] | None:
        """An affine position ``index + start`` in an axis of known size, and that size."""
        size = self._forms.size(get.array, number)
        if size is None:
            return None
        affine = self._forms.affine(get.positions[number], size)
        if affine is None or affine.step != 1 or affine.index not in self._array.indices:
            return None
        return affine, size

    def clipped(self, get: phi.GetOp, number: int, range_: IndexRange) -> LinearForm | None:
        """The position to which a whole range is clipped, if that is one end of the axis."""
        found = self.position(get, number)
        if found is None:
            return None
        affine, size = found
        last = size - ONE
        if any(self._at_most(upper - ONE + affine.start, LinearForm()) for upper in range_.uppers):
            return LinearForm()
        for lower in range_.lowers:
            excess = self._forms.canonical(lower + affine.start - last)
            if not excess.coefficients and excess.constant >= 0:
                return lower + affine.start - LinearForm({}, excess.constant)
        return None


LARGEST = 2**31
"""The largest coefficient or constant of an analysed threshold."""

_PREDICATES = {0: "==", 1: "!=", 2: "<", 3: "<=", 4: ">", 5: ">="}
"""The signed predicates of ``arith.cmpi`` by number."""

_MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
"""``a < b`` is ``b > a``."""


def distinct(forms: Iterable[LinearForm], ranges: IndexRanges) -> list[LinearForm]:
    """The forms that are not provably equal to an earlier one."""
    found: list[LinearForm] = []
    for form in forms:
        if not any(ranges.same(form, other) for other in found):
            found.append(form)
    return found
