"""Normal forms of positions: affine in one index, clipped at the bounds of the array.

Positions are brought into normal form by evaluation, not by syntax (dissertation, 3.3.1): an Int is
evaluated to a linear form ``c*i + x + ... + b`` in an index ``i`` with a constant coefficient,
Ints that vary with no index, and a constant. So ``a*i + b``, ``b + i*a`` and
``(i + b') + (i + b'')`` are the same. ``min`` and ``max`` at or beyond the bounds of the array are
dropped, because positions are clipped anyway.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Self, TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.arithmetic import (
    INTS,
    SIZES,
    SUMS_OF_SIZES,
    Integers,
    LinearForm,
    Range,
    ranges_of_sizes,
)
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.demand import counts_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term, equal_sizes, loops_around
from ein_mlir.analysis.predicates import Relation, relation_of
from ein_mlir.analysis.scopes import (
    ancestors,
    around,
    dependents,
    is_within,
    of_kinds,
    operations_in,
)
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.phi.integers import PhiLevel
from ein_mlir.host.dataclass import dataclass

LARGEST_STEP = 2**31
"""The largest distance between successive elements of a slice."""

MOST_NEIGHBOURS = 8
"""The most elements of one end of an axis that are repeated individually at the other end."""


@dataclass(frozen=True)
class AffinePosition:
    """A position ``step * index + start``, with a start that varies with no index."""

    index: BlockArgument
    step: int
    start: LinearForm

    @property
    def form(self) -> LinearForm:
        """The position as a linear form."""
        return LinearForm({self.index: self.step}) + self.start


@dataclass(frozen=True)
class Rotation:
    """A position ``(index + start) mod n`` for an index below ``n + beyond``."""

    index: BlockArgument
    start: LinearForm
    beyond: int

    @property
    def neighbours(self) -> tuple[int, int] | None:
        """The numbers of elements read before the first and after the last; None if too many."""
        before, behind = -self.start.constant, self.start.constant + self.beyond
        if self.start.coefficients or max(before, behind) > MOST_NEIGHBOURS:
            return None
        return max(before, 0), max(behind, 0)


_Terms: TypeAlias = tuple[frozenset[tuple[SSAValue, int]], int]
"""A form as an integer: its terms and its constant."""


@dataclass
class _Found:
    """The answers to questions, as long as the same sizes are known to be equal."""

    changes: int
    integers: dict[tuple[SSAValue, Range], LinearForm] = field(
        default_factory=dict[tuple[SSAValue, Range], LinearForm]
    )
    extents: dict[SSAValue, LinearForm] = field(default_factory=dict[SSAValue, LinearForm])
    canonical: dict[SSAValue, LinearForm] = field(default_factory=dict[SSAValue, LinearForm])
    nonnegative: dict[tuple[_Terms, ...], bool] = field(
        default_factory=dict["tuple[_Terms, ...]", bool]
    )
    forms_in: dict[phi.LoopOp, Mapping[Term | int, list[LinearForm]]] = field(
        default_factory=dict[phi.LoopOp, Mapping[Term | int, "list[LinearForm]"]]
    )


class IndexForms(Integers):
    """Linear forms of the Ints of a program, and positions in normal form.

    Each question about an Int or a form is answered once, until more sizes are known to be equal.
    """

    def __init__(self, root: Operation, sizes: SizeEquivalence, free: FreeIndices):
        super().__init__(PhiLevel())
        self._sizes = sizes
        self._found = _Found(sizes.changes)
        self.free = free
        self._classes: dict[Term | int, LinearForm] = {}
        self._classes_in: dict[Operation, dict[Term | int, LinearForm]] = {}
        self._varying: dict[phi.FoldOp, set[SSAValue]] = {}
        self._ends: dict[tuple[SSAValue, int], tuple[int, int]] = {}
        self._in_steps = dict[phi.FoldOp, Self]()
        self._register_sizes(root)

    def add(self, *ops: Operation) -> None:
        """Analyse operations that were added to the program, including their bodies."""
        self._sizes.add(*ops)
        self.free.add(*ops)
        for op in ops:
            self._register_sizes(op)
        self._found = _Found(self._sizes.changes)

    def renew(self, op: phi.FoldOp) -> None:
        """Analyse a fold again whose steps were changed in place: their values have new forms."""
        self.free.add(op)
        self.forget(result for inner in operations_in(op) for result in inner.results)
        self._found = _Found(self._sizes.changes)
        self._in_steps.clear()
        self._varying.clear()
        self._ends.clear()

    def assuming(self, known: Mapping[SSAValue, Range]) -> Self:
        """The same facts where the ranges of some atoms are known: questions are asked anew."""
        other = super().assuming(known)
        other._found = _Found(self._sizes.changes)
        return other

    def bounded(self) -> Self:
        """The same facts, to which bounds of atoms may be added."""
        other = super().bounded()
        other._found, other._in_steps = _Found(self._sizes.changes), {}
        return other

    def bound(
        self, value: SSAValue, limits: Iterable[tuple[int, LinearForm]], every: Range = INTS
    ) -> None:
        """Add bounds of an atom: questions are asked anew."""
        super().bound(value, limits, every)
        self._found = _Found(self._sizes.changes)

    def _answers(self) -> _Found:
        """The answers that hold now."""
        if self._found.changes != self._sizes.changes:
            self._found = _Found(self._sizes.changes)
        return self._found

    def integer(self, value: SSAValue, known: Range = INTS) -> LinearForm:
        """A canonical form that is equal to an Int as an integer."""
        answers = self._answers().integers
        if (value, known) not in answers:
            answers[value, known] = super().integer(value, known)
        return answers[value, known]

    def extent(self, size: SSAValue) -> LinearForm:
        """The size of a comprehension that is not empty, as an integer."""
        answers = self._answers().extents
        if size not in answers:
            answers[size] = super().extent(size)
        return answers[size]

    def is_nonnegative(self, form: LinearForm, *known: LinearForm) -> bool:
        """Whether a form, as an integer, is provably non-negative."""
        answers = self._answers().nonnegative
        terms = tuple(
            (frozenset(each.coefficients.items()), each.constant) for each in (form, *known)
        )
        if terms not in answers:
            answers[terms] = super().is_nonnegative(form, *known)
        return answers[terms]

    def holds(
        self, relation: Relation, at: Mapping[SSAValue, LinearForm] | None = None
    ) -> bool | None:
        """Whether a relation of Ints provably holds, or provably does not.

        Some of the values of which they are sums may be known, as integers, ``at`` a place.
        """
        lhs, rhs = map(self.integer, (relation.lhs, relation.rhs))
        for value, known in (at or {}).items():
            lhs, rhs = (side.substituted(value, known) for side in (lhs, rhs))
        if relation.predicate in ("eq", "ne"):
            if lhs == rhs:
                return relation.predicate == "eq"
            if self.is_below(lhs, rhs) or self.is_below(rhs, lhs):
                return relation.predicate == "ne"
            return None
        excess = relation.nonpositive(lhs, rhs)
        if excess is None:
            return None
        if self.is_nonnegative(-excess):
            return True
        return False if self.is_nonnegative(excess - 1) else None

    def equation(self, condition: SSAValue, *, expected: bool = True) -> LinearForm | None:
        """The form that is 0, modulo 2^64, just where an equation of Ints has a truth value."""
        found = relation_of(condition, expected=expected)
        if found is None or found.predicate != "eq":
            return None
        return (self.form(found.lhs) - self.form(found.rhs)).reduced()

    def _register_sizes(self, root: Operation) -> None:
        """Record the sizes that an operation and those in it read, or result in."""
        kinds = (phi.SizeOp, phi.AssertEqOp, phi.ComprehensionOp, phi.ConcatOp, phi.ScanOp)
        for op in of_kinds(operations_in(root), *kinds):
            if isinstance(op, phi.SizeOp | phi.AssertEqOp):
                self._register(op.result)
                for operand in op.operands:
                    if known_int(operand) is not None:
                        self._register(operand)
            elif isinstance(op, phi.ComprehensionOp):
                for size in op.operands:
                    self._register(size)
            elif isinstance(op, phi.ScanOp):
                self._register_scan(op)
            elif op.size is not None:
                self._register(op.size)

    def _register(self, size: SSAValue) -> None:
        """Record the integer that represents all sizes that are provably equal to this one."""
        representative = self._sizes.representative(Term(size))
        if representative not in self._classes:
            self._classes[representative] = super().integer(size, SUMS_OF_SIZES)
            self._found.canonical.clear()

    def _register_scan(self, op: phi.ScanOp) -> None:
        """``|scan v| = |v| + 1``"""
        size = self._classes.get(self._sizes.representative(Term(op.vec, (), 0)))
        if size is not None:
            representative = self._sizes.representative(Term(op.result, (), 0))
            self._classes.setdefault(representative, size + 1)
            self._found.canonical.clear()

    def canonical(self, form: LinearForm) -> LinearForm:
        """The form with one integer for all Ints that are provably equal."""
        known = {atom: self._canonical_atom(atom) for atom in form.coefficients}
        if all(own.is_atom(atom) for atom, own in known.items()):
            return form
        terms = (known[atom] * coefficient for atom, coefficient in form.coefficients.items())
        return sum(terms, LinearForm.number(form.constant))

    def _canonical_atom(self, atom: SSAValue) -> LinearForm:
        """The integer that represents an Int."""
        answers = self._answers().canonical
        if atom not in answers:
            known = None if self.free.of(atom) else self._form_of(Term(atom))
            if known is not None and not all(
                _is_in_reach(each, atom) for each in known.coefficients
            ):
                known = None
            answers[atom] = known or LinearForm.of(atom)
        return answers[atom]

    def size(self, array: SSAValue, axis: int) -> LinearForm | None:
        """The canonical form of an array's size, if the program has an Int equal to it."""
        return self._form_of(Term(array, (), axis))

    def asserted_sizes(self, array: SSAValue, axis: int) -> list[LinearForm]:
        """The sizes outside of a fold that its assertions prove equal to that of an array in it.

        The array depends on the accumulator of the fold.
        """
        folds = self._folds_of(array)
        if not folds:
            return []
        own = self._sizes.class_in(folds, self._sizes.representative(Term(array, (), axis)))
        return [
            form
            for each, form in self._classes.items()
            if self._sizes.class_in(folds, each) == own and not is_of_loop(folds[0], form)
        ]

    def sizes_at(self, array: SSAValue, axis: int, at: Operation) -> Sequence[LinearForm]:
        """The forms of an array's size where an operation runs.

        There may be several: those that assertions in the loops around the operation compare.
        """
        size = self.size(array, axis)
        known = [] if size is None else [size]
        loops = list(loops_around(at))
        if not loops:
            return known
        own = self._sizes.class_in(loops, self._sizes.representative(Term(array, (), axis)))
        return list(dict.fromkeys([*known, *self._forms_in(loops).get(own, ())]))

    def _forms_in(self, loops: Sequence[phi.LoopOp]) -> Mapping[Term | int, list[LinearForm]]:
        """The forms of each class of sizes that the assertions of nested loops make."""
        answers = self._answers().forms_in
        if loops[0] not in answers:
            found = answers[loops[0]] = defaultdict[Term | int, list[LinearForm]](list)
            for each, form in self._classes.items():
                found[self._sizes.class_in(loops, each)].append(form)
        return answers[loops[0]]

    def _form_of(self, term: Term) -> LinearForm | None:
        """The form of a class of equal sizes.

        The assertions of a fold hold for the values that depend on its accumulator: no pass moves
        their users out of the fold, which may have no step.
        """
        representative = self._sizes.representative(term)
        known = self._classes.get(representative)
        if known is None and isinstance(representative, int):
            return LinearForm.number(representative)
        folds = self._folds_of(term.value)
        if not folds or (known is not None and not is_of_loop(folds[0], known)):
            return known
        if folds[0] not in self._classes_in:
            self._classes_in[folds[0]] = self._merged_classes(folds)
        own = self._sizes.class_in(folds, representative)
        return self._classes_in[folds[0]].get(own, known)

    def _merged_classes(self, folds: Sequence[phi.LoopOp]) -> dict[Term | int, LinearForm]:
        """The classes in the innermost of some folds, if possible in values from outside."""
        merged: dict[Term | int, LinearForm] = {}
        for each, form in self._classes.items():
            own = self._sizes.class_in(folds, each)
            known = merged.get(own)
            if known is None or (is_of_loop(folds[0], known) and not is_of_loop(folds[0], form)):
                merged[own] = form
        return merged

    def _folds_of(self, value: SSAValue) -> Sequence[phi.LoopOp]:
        """The loops from the innermost fold on whose accumulator a value depends, outwards."""
        op = value.owner if isinstance(value.owner, Operation) else value.owner.parent_op()
        loops = [each for each in around(op) if isinstance(each, phi.LoopOp)]
        for depth, loop in enumerate(loops):
            if isinstance(loop, phi.FoldOp) and value in self._dependents(loop):
                return loops[depth:]
        return ()

    def _dependents(self, fold: phi.FoldOp) -> set[SSAValue]:
        """The values in a fold that depend on its accumulator."""
        if fold not in self._varying:
            self._varying[fold] = dependents(fold.body.block, fold.accumulator)
        return self._varying[fold]

    def with_sizes(self, sizes: Iterable[LinearForm]) -> Self:
        """The same facts in a body or after an operation that requires some Ints to be sizes."""
        return self.assuming(ranges_of_sizes(sizes))

    def in_step(self, op: Operation) -> Self:
        """The same facts in a step of the folds around an operation, whose counts are sizes."""
        folds = list(ancestors(op, phi.FoldOp))
        if all(self.range(fold.count) in SIZES for fold in folds):
            return self
        if folds[0] not in self._in_steps:
            counts = (self.form(fold.count) for fold in folds)
            self._in_steps[folds[0]] = self.with_sizes(counts)
        return self._in_steps[folds[0]]

    def last_steps(self, op: Operation) -> list[LinearForm]:
        """The last counters of the folds around an operation: not negative when it runs."""
        return [self.extent(fold.count) - 1 for fold in ancestors(op, phi.FoldOp)]

    def is_in_step(self, position: SSAValue, size: LinearForm, op: Operation) -> bool:
        """Whether a position is provably in bounds of a size when an operation runs.

        Then all folds around it have a step.
        """
        forms = self.in_step(op)
        lasts = forms.last_steps(op)
        integer = forms.integer(position)
        return all(
            forms.is_nonnegative(side) or forms.is_nonnegative(side, *lasts)
            for side in (integer, size - integer - 1)
        )

    def affine(self, position: SSAValue, size: LinearForm | None) -> AffinePosition | None:
        """A position in an axis of a size in affine form, if it is affine in one index.

        Clipping at or beyond the bounds of the axis is dropped.
        """
        return self._affine(self.form(self.unclipped(position, size)))

    def rotation(self, position: SSAValue, size: LinearForm | None) -> Rotation | None:
        """A position ``x mod n`` in an axis of size n, for x affine in one index below ``n + d``.

        ``d`` is a constant, and ``x`` must be no-wrap.
        """
        op = position.owner
        if not isinstance(op, sigma.FloorModOp) or size is None:
            return None
        affine = self._affine(self.form(op.lhs))
        if affine is None or affine.step != 1 or not self.is_exact(affine.form):
            return None
        beyond = (self.extent(phi.size_of_index(affine.index)) - size).known()
        if not self.equal(self.form(op.rhs), size) or beyond is None or beyond < 0:
            return None
        return Rotation(affine.index, affine.start, beyond)

    def ends(self, array: SSAValue, axis: int) -> tuple[int, int]:
        """The numbers of elements beyond each end of an axis that its rotations read, if small.

        Both are 0 for a single rotation: a concatenation of two parts is better there.
        """
        if (array, axis) not in self._ends:
            self._ends[array, axis] = self._find_ends(array, axis)
        return self._ends[array, axis]

    def _find_ends(self, array: SSAValue, axis: int) -> tuple[int, int]:
        found, is_longer = set[tuple[int, int]](), False
        for use in array.uses:
            op = use.operation
            if isinstance(op, phi.GetOp) and op.array is array and axis < len(op.positions):
                rotation = self.rotation(op.positions[axis], self.size(array, axis))
                if rotation is not None and rotation.neighbours is not None:
                    found.add(rotation.neighbours)
                    is_longer |= rotation.beyond > 0
        if not is_longer and len(found - {(0, 0)}) < 2:
            return 0, 0
        return max(before for before, _ in found), max(behind for _, behind in found)

    def _affine(self, form: LinearForm) -> AffinePosition | None:
        """A form as an affine position, if it is affine in one index."""
        varying = [atom for atom in form.coefficients if self.free.of(atom)]
        if len(varying) != 1 or not phi.is_comprehension_index(varying[0]):
            return None
        (index,) = varying
        assert isinstance(index, BlockArgument)
        step = form.coefficients[index]
        if abs(step) > LARGEST_STEP:
            return None
        return AffinePosition(index, step, form.without(varying))

    def unclipped(self, position: SSAValue, size: LinearForm | None) -> SSAValue:
        """A position in an axis of a size without clips at its bounds, or beyond them."""
        last = None if size is None else size - 1
        return self.without_bounds(position, LinearForm(), last, last)

    def without_bounds(
        self,
        position: SSAValue,
        low: LinearForm,
        high: LinearForm | None,
        last: LinearForm | None = None,
    ) -> SSAValue:
        """The ``p`` of ``max(p, l)`` with ``l <= low``, and of ``min(p, u)`` with ``u >= high``.

        Also where p is provably at least l, or at most u. A bound u of the form ``last``, which is
        known to be an Int, is equal to it.
        """
        while isinstance(op := position.owner, arith.MaxSIOp | arith.MinSIOp):
            is_max = isinstance(op, arith.MaxSIOp)
            limit, sign = (low, 1) if is_max else (high, -1)
            kept = next((p for p in op.operands if self._is_kept(p, op, limit, sign)), None)
            if kept is None and last is not None and not is_max:
                pairs = (op.operands, (op.rhs, op.lhs))
                kept = next((p for p, bound in pairs if self.form(bound) == last), None)
            if kept is None:
                break
            position = kept
        return position

    def _is_kept(
        self, position: SSAValue, op: Operation, limit: LinearForm | None, sign: int
    ) -> bool:
        """Whether the other operand of an extreme is a bound without an effect on a position."""
        bound = next((x for x in op.operands if x is not position), position)
        limits = [x for x in (limit, self.integer(position)) if x is not None]
        return not self.free.of(bound) and any(
            self.is_nonnegative((x - self.integer(bound)) * sign) for x in limits
        )

    def in_bounds(self, position: AffinePosition, size: LinearForm | None) -> bool:
        """Whether all positions are provably in bounds on an axis of a size."""
        form = position.form
        return (
            size is not None
            and self.is_nonnegative(form, size)
            and self.is_nonnegative(size - form - 1, size)
        )

    def is_within(self, position: AffinePosition, array: SSAValue, axis: int) -> bool:
        """Whether all positions are provably in bounds of an array."""
        return self.in_bounds(position, self.size(array, axis)) or any(
            self.in_bounds(position, size) for size in self.asserted_sizes(array, axis)
        )

    def is_positive(
        self, size: LinearForm | None, op: Operation, *, elements: bool = False
    ) -> bool:
        """Whether a size is provably at least 1 when an operation runs, also in a step of a fold.

        A fold over ``k < n`` has no step if n is 0. With ``elements``, an operation of an element
        runs if there is one: operations on whole arrays run for none, too.
        """
        if size is None:
            return False
        loops = (
            each for each in around(op.parent_op()) if elements or isinstance(each, phi.FoldOp)
        )
        counts = (self.integer(count) for each in loops for count in counts_of(each))
        return any(self.is_at_most(count, size) for count in (LinearForm.number(1), *counts))


def is_of_loop(loop: phi.LoopOp, form: LinearForm) -> bool:
    """Whether an atom of a form is defined in a loop."""
    return any(is_within(atom, loop) for atom in form.coefficients)


def _is_in_reach(value: SSAValue, other: SSAValue) -> bool:
    """Whether a value is in no body of a derivative that another one is outside of."""
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    derivative = next((each for each in around(op) if isinstance(each, phi.DerivativeOp)), None)
    return derivative is None or is_within(other, derivative)


def index_forms(function: func.FuncOp, analyses: AnalysisManager) -> IndexForms:
    """An analysis: the positions of a function as linear forms."""
    return IndexForms(
        function, analyses.get(equal_sizes, function), analyses.get(free_indices, function)
    )
