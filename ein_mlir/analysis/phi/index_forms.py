"""Normal forms of positions: affine in one index, clipped at the bounds of the array.

Positions are brought into normal form by evaluation, not by syntax (dissertation, 3.3.1): an Int is
evaluated to a linear form ``c*i + x + ... + b`` in an index ``i`` with a constant coefficient,
Ints that vary with no index, and a constant. So ``a*i + b``, ``b + i*a`` and
``(i + b') + (i + b'')`` are the same. ``min`` and ``max`` at or beyond the bounds of the array are
dropped, because positions are clipped anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term, equal_sizes
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.phi.nonnegative import is_nonnegative


@dataclass(frozen=True)
class LinearForm:
    """``sum of coefficient * atom, plus constant``; atoms are Ints of the program or indices."""

    coefficients: Mapping[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    constant: int = 0

    def __add__(self, other: LinearForm) -> LinearForm:
        total = dict(self.coefficients)
        for atom, coefficient in other.coefficients.items():
            total[atom] = total.get(atom, 0) + coefficient
        return LinearForm(
            {atom: c for atom, c in total.items() if c}, self.constant + other.constant
        )

    def __mul__(self, factor: int) -> LinearForm:
        if factor == 0:
            return LinearForm()
        return LinearForm(
            {atom: c * factor for atom, c in self.coefficients.items()}, self.constant * factor
        )

    def __sub__(self, other: LinearForm) -> LinearForm:
        return self + other * -1

    def without(self, atoms: Iterable[SSAValue]) -> LinearForm:
        """The form without the terms of some atoms."""
        dropped = set(atoms)
        return LinearForm(
            {atom: c for atom, c in self.coefficients.items() if atom not in dropped},
            self.constant,
        )


LARGEST = 2**31
"""The largest coefficient or constant of an analysed form: larger ones could overflow."""

MOST_BOUNDS = 64
"""The most bounds of a linear form that are tried in a proof that it is non-negative."""

MOST_NEIGHBOURS = 8
"""The most elements of one end of an axis that are repeated individually at the other end."""

Beyond: TypeAlias = Callable[[LinearForm], bool]
"""Whether a bound lies at or beyond a bound of the array."""


@dataclass(frozen=True)
class AffinePosition:
    """A position ``step * index + start``, with a start that varies with no index."""

    index: BlockArgument
    step: int
    start: LinearForm


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


class IndexForms:
    """Linear forms of the Ints of a program, and positions in normal form."""

    def __init__(self, root: Operation, sizes: SizeEquivalence, free: FreeIndices):
        self._sizes = sizes
        self._free = free
        self._forms: dict[SSAValue, LinearForm] = {}
        self._classes: dict[object, LinearForm] = {}
        self._ends: dict[tuple[SSAValue, int], tuple[int, int]] = {}
        for op in operations_in(root):
            if isinstance(op, phi.SizeOp | phi.AssertEqOp):
                self._register(op.result)
            elif isinstance(op, phi.ArrayOp):
                for size in op.sizes:
                    self._register(size)
            elif isinstance(op, phi.ConcatOp) and op.size is not None:
                self._register(op.size)
            elif isinstance(op, phi.ScanOp):
                self._register_scan(op)

    def _register(self, size: SSAValue) -> None:
        """Record the form that represents all sizes that are provably equal to this one."""
        representative = self._sizes.representative(Term(size))
        if representative not in self._classes:
            self._classes[representative] = self.canonical(self.linear(size))

    def _register_scan(self, op: phi.ScanOp) -> None:
        """``|scan v| = |v| + 1``"""
        size = self.size(op.vec, 0)
        if size is not None:
            representative = self._sizes.representative(Term(op.result, (), 0))
            self._classes.setdefault(representative, size + LinearForm({}, 1))

    def linear(self, value: SSAValue) -> LinearForm:
        """The linear form of an Int or index, in atoms that dominate it."""
        pending = [value]
        while pending:
            current = pending[-1]
            parts = [part for part in _parts(current) if part not in self._forms]
            if parts:
                pending.extend(parts)
            else:
                self._forms[current] = self._evaluate(current)
                pending.pop()
        return self._forms[value]

    def _evaluate(self, value: SSAValue) -> LinearForm:
        op = value.owner
        match op:
            case arith.ConstantOp() if isa(op.value, IntegerAttr):
                return LinearForm({}, op.value.value.data)
            case arith.IndexCastOp():
                return LinearForm({op.input: 1})
            case arith.AddiOp():
                return self._forms[op.lhs] + self._forms[op.rhs]
            case arith.SubiOp():
                return self._forms[op.lhs] - self._forms[op.rhs]
            case arith.MuliOp():
                lhs, rhs = self._forms[op.lhs], self._forms[op.rhs]
                if not lhs.coefficients:
                    return rhs * lhs.constant
                if not rhs.coefficients:
                    return lhs * rhs.constant
            case _:
                pass
        return LinearForm({value: 1})

    def canonical(self, form: LinearForm) -> LinearForm:
        """The form with one atom for all Ints that are provably equal: for proofs."""
        result = LinearForm({}, form.constant)
        for atom, coefficient in form.coefficients.items():
            known = None
            if not self._free.of(atom):
                known = self._classes.get(self._sizes.representative(Term(atom)))
            result += (known or LinearForm({atom: 1})) * coefficient
        return result

    def size(self, array: SSAValue, axis: int) -> LinearForm | None:
        """The canonical form of an array's size, if the program has an Int equal to it."""
        return self._classes.get(self._sizes.representative(Term(array, (), axis)))

    def affine(self, position: SSAValue, size: LinearForm | None) -> AffinePosition | None:
        """A position in an axis of a size in affine form, if it is affine in one index.

        Clipping at or beyond the bounds of the axis is dropped.
        """
        return self._affine(self.linear(self._unclipped(position, size)))

    def rotation(self, position: SSAValue, size: LinearForm | None) -> Rotation | None:
        """A position ``x mod n`` in an axis of size n, for x affine in one index below ``n + d``.

        ``d`` is a constant. Ints of the program other than sizes and counters are excluded, because
        ``x`` could overflow with them.
        """
        op = position.owner
        if not isinstance(op, sigma.FloorModOp) or size is None:
            return None
        affine = self._affine(self.linear(op.lhs))
        if affine is None or affine.step != 1 or not self._is_plain(affine.start):
            return None
        extent = self.extent(phi.size_of_index(affine.index))
        modulus = self.canonical(self.linear(op.rhs))
        beyond = extent - modulus
        if modulus != size or beyond.coefficients or beyond.constant < 0:
            return None
        return Rotation(affine.index, affine.start, beyond.constant)

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
        if not _is_small(form):
            return None
        varying = [atom for atom in form.coefficients if self._free.of(atom)]
        if len(varying) != 1 or not phi.is_comprehension_index(varying[0]):
            return None
        (index,) = varying
        assert isinstance(index, BlockArgument)
        return AffinePosition(index, form.coefficients[index], form.without(varying))

    def _unclipped(self, position: SSAValue, size: LinearForm | None) -> SSAValue:
        """``max(p, l) = p`` if ``l <= 0``, and ``min(p, u) = p`` if ``u >= size - 1``."""
        last = LinearForm() if size is None else size + LinearForm({}, -1)
        while True:
            op = position.owner
            kept = None
            if isinstance(op, arith.MaxSIOp):
                kept = self._strip(op, lambda bound: is_nonnegative_form(bound * -1))
            elif isinstance(op, arith.MinSIOp) and size is not None:
                kept = self._strip(op, lambda bound: is_nonnegative_form(bound - last))
            if kept is None:
                return position
            position = kept

    def _strip(self, op: arith.MaxSIOp | arith.MinSIOp, beyond: Beyond) -> SSAValue | None:
        for kept, bound in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            form = self.canonical(self.linear(bound))
            if not any(self._free.of(atom) for atom in form.coefficients) and beyond(form):
                return kept
        return None

    def in_bounds(self, position: AffinePosition, array_size: LinearForm | None) -> bool:
        """Whether all positions are provably in bounds on an axis of a size."""
        if array_size is None:
            return False
        extent = self.extent(phi.size_of_index(position.index))
        first = self.canonical(position.start)
        last = first + (extent + LinearForm({}, -1)) * position.step
        lowest, highest = (first, last) if position.step > 0 else (last, first)
        highest = self._bound_counters(highest)
        return self.is_nonnegative(lowest) and self.is_nonnegative(
            array_size + LinearForm({}, -1) - highest
        )

    def extent(self, size: SSAValue) -> LinearForm:
        """The size of a comprehension that is not empty: ``e`` for ``max(e, 0)``.

        For ``max(e, f)`` it is ``e`` if that is provably the larger one.
        """
        if isinstance(size.owner, arith.MaxSIOp):
            lhs, rhs = (self.canonical(self.linear(bound)) for bound in size.owner.operands)
            for kept, bound in ((lhs, rhs), (rhs, lhs)):
                if bound == LinearForm() or is_nonnegative_form(kept - bound):
                    return kept
        return self.canonical(self.linear(size))

    def is_nonnegative(self, form: LinearForm) -> bool:
        """Whether a linear form is provably non-negative, also by ``max(a, b) >= a`` and such."""
        pending = [self.canonical(form)]
        for _ in range(MOST_BOUNDS):
            if not pending:
                return False
            current = pending.pop(0)
            if is_nonnegative_form(current):
                return True
            pending.extend(self._lower_bounds(current))
        return False

    def _lower_bounds(self, form: LinearForm) -> Iterator[LinearForm]:
        """The forms with an operand in place of an added maximum or a subtracted minimum."""
        for atom, coefficient in form.coefficients.items():
            extremum = arith.MaxSIOp if coefficient > 0 else arith.MinSIOp
            if isinstance(atom.owner, extremum):
                for operand in atom.owner.operands:
                    bound = self.canonical(self.linear(operand)) * coefficient
                    yield form.without([atom]) + bound

    def is_above(self, position: SSAValue) -> bool:
        """Whether a position that varies with no index is provably non-negative."""
        op = position.owner
        match op:
            case arith.MaxSIOp():
                return self.is_above(op.lhs) or self.is_above(op.rhs)
            case arith.MinSIOp():
                return self.is_above(op.lhs) and self.is_above(op.rhs)
            case _:
                form = self.canonical(self.linear(position))
                return _is_small(form) and is_nonnegative_form(self._bound_counters(form * -1) * -1)

    def is_below(self, position: SSAValue, size: LinearForm | None) -> bool:
        """Whether a position that varies with no index is provably less than a size."""
        op = position.owner
        match op:
            case arith.MaxSIOp():
                return self.is_below(op.lhs, size) and self.is_below(op.rhs, size)
            case arith.MinSIOp():
                return self.is_below(op.lhs, size) or self.is_below(op.rhs, size)
            case _:
                form = self.canonical(self.linear(position))
                if size is None or not _is_small(form):
                    return False
                return is_nonnegative_form(size + LinearForm({}, -1) - self._bound_counters(form))

    def is_positive(self, size: LinearForm | None, op: Operation) -> bool:
        """Whether a size is provably at least 1 when an operation runs, also in a step of a fold.

        A fold over ``k < n`` has no step if n is 0.
        """
        if size is None:
            return False
        counts = [self.canonical(self.linear(fold.count)) for fold in _folds_around(op)]
        return any(is_nonnegative_form(size - count) for count in (LinearForm({}, 1), *counts))

    def is_plain(self, position: SSAValue) -> bool:
        """Whether a position is computed from sizes and counters alone, by sums and multiples."""
        return self._is_plain(self.linear(position))

    @staticmethod
    def _is_plain(form: LinearForm) -> bool:
        return all(
            _count(atom) is not None or isinstance(atom.owner, phi.SizeOp)
            for atom in form.coefficients
        )

    def _bound_counters(self, form: LinearForm) -> LinearForm:
        """An upper bound: ``k <= count - 1`` for the counter of a fold."""
        for atom, coefficient in list(form.coefficients.items()):
            count = _count(atom)
            if coefficient > 0 and count is not None:
                highest = self.canonical(self.linear(count)) + LinearForm({}, -1)
                form = form.without([atom]) + highest * coefficient
        return form


def _is_small(form: LinearForm) -> bool:
    """Whether arithmetic on sizes and counters with these numbers is no-wrap."""
    return max(map(abs, (form.constant, *form.coefficients.values()))) <= LARGEST


def _folds_around(op: Operation) -> Iterator[phi.FoldOp]:
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, phi.FoldOp):
            yield parent
        parent = parent.parent_op()


def _count(value: SSAValue) -> SSAValue | None:
    """The count of the fold whose counter is a value."""
    if isinstance(value, BlockArgument) and value.index == 0:
        fold = value.block.parent_op()
        if isinstance(fold, phi.FoldOp):
            return fold.count
    return None


def _parts(value: SSAValue) -> tuple[SSAValue, ...]:
    if isinstance(value.owner, arith.AddiOp | arith.SubiOp | arith.MuliOp):
        return tuple(value.owner.operands)
    return ()


def is_nonnegative_form(form: LinearForm) -> bool:
    """Whether a linear form is provably non-negative, by sizes and floored quotients."""
    form = _bound_quotients(form)
    return form.constant >= 0 and all(
        c > 0 and (is_nonnegative(atom) or _count(atom) is not None)
        for atom, c in form.coefficients.items()
    )


def _bound_quotients(form: LinearForm) -> LinearForm:
    """A lower bound: ``-k*m * (x // k) >= -m * x`` for ``x >= 0``."""
    for atom, coefficient in list(form.coefficients.items()):
        op = atom.owner
        if coefficient < 0 and isinstance(op, arith.FloorDivSIOp):
            divisor = op.rhs.owner
            if isinstance(divisor, arith.ConstantOp) and isa(divisor.value, IntegerAttr):
                k = divisor.value.value.data
                if k > 0 and coefficient % k == 0:
                    form = form.without([atom]) + LinearForm({op.lhs: coefficient // k})
    return form


def index_forms(function: func.FuncOp, analyses: AnalysisManager) -> IndexForms:
    """An analysis: the positions of a function as linear forms."""
    return IndexForms(
        function, analyses.get(equal_sizes, function), analyses.get(free_indices, function)
    )
