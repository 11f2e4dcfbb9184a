"""Dependences between the accesses of different steps to one array.

A write at ``a * j + w`` in step j and an access at ``b * k + r`` in step k meet if these positions
are equal along each axis. Each axis with positions that are linear in the counter restricts the
*distance* ``k - j`` at which they may meet; other positions restrict nothing.

Writes out of bounds have no effect, and reads clip. A position is a number modulo 2^64; where a
write has an effect it is in bounds, and so are small differences to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import INTS, LinearForm
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.predicates import SIGNED, relation_of
from ein_mlir.analysis.scopes import dependents, is_within
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass

MOST = 2**20
"""The largest stride and distance of positions; multiples by steps are no-wrap."""


@dataclass(frozen=True)
class Walk:
    """A position ``start + stride * k`` in step k, along an axis of a write."""

    number: int
    """The number of the position."""
    start: LinearForm
    stride: int


@dataclass(frozen=True)
class Distances:
    """The steps from a write to another access of the same element: from ``low`` to ``high``."""

    low: int | None = None
    high: int | None = None
    is_empty: bool = False
    """Whether the two never meet."""

    def meet(self, other: Distances) -> Distances:
        """The distances that are in both."""
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        low, high = max(lows, default=None), min(highs, default=None)
        is_empty = low is not None and high is not None and low > high
        return Distances(low, high, self.is_empty or other.is_empty or is_empty)

    @property
    def may_be_positive(self) -> bool:
        """Whether a step may access an element that an earlier one has written."""
        return not self.is_empty and (self.high is None or self.high > 0)

    @property
    def may_be_zero(self) -> bool:
        """Whether both may be in the same step."""
        return (
            not self.is_empty
            and (self.low is None or self.low <= 0)
            and (self.high is None or self.high >= 0)
        )

    @property
    def may_be_negative(self) -> bool:
        """Whether a step may access an element that a later one writes."""
        return not self.is_empty and (self.low is None or self.low < 0)

    @property
    def only(self) -> int | None:
        """The distance, if there is only one."""
        return self.low if self.low == self.high and not self.is_empty else None

    def __str__(self) -> str:
        if self.is_empty:
            return "none"
        if self.only is not None:
            return str(self.only)
        low = "" if self.low is None else str(self.low)
        return f"{low}..{'' if self.high is None else self.high}"


NEVER = Distances(is_empty=True)


class Dependences:
    """The dependences between the steps of a fold over an array."""

    def __init__(self, op: phi.FoldOp, forms: IndexForms):
        """The counts of the fold and of those around it are sizes where a step runs."""
        block = op.body.block
        assert block.last_op is not None
        self._op, self._forms = op, forms.in_step(block.last_op)
        self._lasts = self._forms.last_steps(block.last_op)
        self._varying = dependents(block, op.counter, op.accumulator)

    def walk(self, positions: Sequence[SSAValue], indices: Sequence[SSAValue]) -> Walk | None:
        """The first position that moves by a constant in each step: no two steps meet there.

        ``indices`` may occur in it.
        """
        for number, position in enumerate(positions):
            form = self._forms.form(position)
            stride, start = self._stride(form), form.without([self._op.counter])
            if 0 < abs(stride) <= MOST and self._is_invariant(start, indices):
                return Walk(number, start, stride)
        return None

    def step_at(self, walk: Walk, position: SSAValue, size: LinearForm | None) -> LinearForm | None:
        """The step in which a walk would meet a position, if that is one element for all steps."""
        place = self._forms.form(position)
        is_one = self._is_invariant(place) and self._is_in_bounds(place, size)
        if abs(walk.stride) != 1 or not is_one or not self._is_invariant(walk.start):
            return None
        return (place - walk.start) * walk.stride

    def is_fixed(self, position: SSAValue) -> bool:
        """Whether a position is the same in each step."""
        return position not in self._varying

    def truth_by_step(self, condition: SSAValue) -> tuple[bool, bool] | None:
        """The value of a condition in the first step, and in all others, if it is known.

        A comparison with a constant changes its value at most twice.
        """
        compare = relation_of(condition)
        if compare is None or compare.predicate not in SIGNED:
            return None
        form = self._forms.form(compare.lhs) - self._forms.form(compare.rhs)
        start = form.without([self._op.counter]).known()
        if abs(self._stride(form)) != 1 or start is None or abs(start) > 1:
            return None
        holds = SIGNED[compare.predicate]
        first, *others = (holds(start + self._stride(form) * k, 0) for k in (0, 1, 2, 3 * MOST))
        return (first, others[0]) if len(set(others)) == 1 else None

    def same(self, a: Sequence[SSAValue], b: Sequence[SSAValue]) -> bool:
        """Whether positions are provably equal in each step."""
        pairs = zip(map(phi.uncast, a), map(phi.uncast, b), strict=True)
        return all(x is y or self._forms.form(x) == self._forms.form(y) for x, y in pairs)

    def distances(
        self,
        write: Sequence[SSAValue],
        access: Sequence[SSAValue],
        *,
        sizes: Sequence[LinearForm | None] | None,
        strictly: bool = False,
        later: tuple[Operation, int] | None = None,
    ) -> Distances:
        """The distances at which a write and another access may meet, by their common positions.

        ``sizes`` are those of the axes, for a read, which clips; None for another write. They are
        the distances to earlier writes; with ``later``, the read and the first step that writes, to
        those of the same and of later steps; with ``strictly`` to all.
        """

        def is_unclipped(ours: LinearForm, theirs: LinearForm, size: LinearForm | None) -> bool:
            if later is None:
                return self._is_unclipped(ours, theirs, size)
            return self._is_unclipped_later(ours, theirs, size, *later)

        found, steps = Distances(), list[tuple[int | None, int | None]]()
        for axis, (p, q) in enumerate(zip(write, access, strict=False)):
            ours, theirs = self._forms.form(p), self._forms.form(q)
            if not self._is_known(ours):
                continue
            if (
                sizes is None
                or self._is_in_bounds(theirs, sizes[axis])
                or (not strictly and is_unclipped(ours, theirs, sizes[axis]))
            ):
                found = found.meet(self._along(ours, theirs))
                steps.append(self._only_steps(ours, theirs))
        write_steps = {j for j, _ in steps if j is not None}
        access_steps = {k for _, k in steps if k is not None}
        if (
            len(write_steps) > 1
            or len(access_steps) > 1
            or min(write_steps | access_steps | {0}) < 0
        ):
            return NEVER
        for j in write_steps:
            for k in access_steps:
                found = found.meet(Distances(k - j, k - j))
        return found

    def _along(self, ours: LinearForm, theirs: LinearForm) -> Distances:
        """``a * j + w = b * k + r`` along one axis."""
        a, b = self._stride(ours), self._stride(theirs)
        ahead = theirs - ours
        if a == b:
            offset = self._constant(ahead)
            if offset is not None:
                if a == 0:
                    return Distances() if offset == 0 else NEVER
                distance, rest = divmod(-offset, a)
                return NEVER if rest else Distances(distance, distance)
            apart = self._forms.extent(self._op.count) * abs(a) if a else LinearForm.number(1)
            if any(self._is_nonnegative(ahead * sign - apart) for sign in (1, -1)):
                return NEVER
        found = Distances()
        for stride, form in ((a, ahead), (b, ahead * -1)):
            """a * (j - k) = theirs - ours in step k;  b * (k - j) = ours - theirs in step j"""
            if stride == 0 or (form is not ahead and not self._is_known(theirs)):
                continue
            for side in (1, -1):
                towards = form * (side if stride > 0 else -side)
                if self._is_nonnegative(towards):
                    least = int(self._is_nonnegative(towards - 1))
                    found = found.meet(_at_least(least, -side if form is ahead else side))
        return found

    def _only_steps(self, ours: LinearForm, theirs: LinearForm) -> tuple[int | None, int | None]:
        """The only step of the write, and of the access, if the other position is fixed.

        A negative number if there is no such step.
        """
        a, b = self._stride(ours), self._stride(theirs)
        offset = self._constant((theirs - ours).without([self._op.counter]))
        if offset is None or (a == 0) == (b == 0):
            return None, None
        if b == 0:
            step, rest = divmod(offset, a)
            return (-1 if rest else step), None
        step, rest = divmod(-offset, b)
        return None, (-1 if rest else step)

    def _is_unclipped(self, write: LinearForm, read: LinearForm, size: LinearForm | None) -> bool:
        """Whether clipping makes no read meet an earlier write that it does not meet without it.

        A read ahead of the write of its step clips to an element that no step up to it has written,
        if its write is in bounds. The first read after the write may be out of bounds.
        """
        stride = self._stride(write)
        ahead = (read - write) * (1 if stride >= 0 else -1)
        if stride != 0 and self._is_nonnegative(ahead):
            return True
        if stride != 0 and stride == self._stride(read):
            second = read.without([self._op.counter]) + stride
            if stride > 0:
                return self._is_nonnegative(second)
            return size is not None and self._is_nonnegative(size - 1 - second)
        return False

    def _is_unclipped_later(
        self,
        write: LinearForm,
        read: LinearForm,
        size: LinearForm | None,
        at: Operation,
        from_step: int,
    ) -> bool:
        """The same for the write of the step of a read, and later ones.

        If a read behind these is out of bounds at the end that they move to, so are they. At the
        other end it clips to an element that none writes if the first one writes another.
        """
        stride = self._stride(write)
        if stride == 0 or not self._is_nonnegative((write - read) * (1 if stride > 0 else -1)):
            return False
        first = write.without([self._op.counter]) + stride * from_step
        if stride > 0:
            is_other = self._is_nonnegative(first - 1) or self._is_nonnegative(read)
            return is_other or self._forms.is_positive(write, at, elements=True)
        if size is None:
            return False
        return self._is_nonnegative(size - 1 - read) or self._is_nonnegative(size - 2 - first)

    def _is_in_bounds(self, read: LinearForm, size: LinearForm | None) -> bool:
        """Whether a read never clips, in a fold with steps."""
        stride, steps = self._stride(read), self._forms.extent(self._op.count)
        first = read.without([self._op.counter])
        last = first + (steps - 1) * stride
        low, high = (first, last) if stride >= 0 else (last, first)
        return size is not None and all(
            self._is_nonnegative(side) or self._is_nonnegative(side, *self._lasts)
            for side in map(self._forms.canonical, (low, size - 1 - high))
        )

    def _stride(self, form: LinearForm) -> int:
        return form.coefficients.get(self._op.counter, 0)

    def _is_known(self, form: LinearForm) -> bool:
        """Whether a position is linear in the counter, with a small stride."""
        return abs(self._stride(form)) <= MOST and self._is_invariant(
            form.without([self._op.counter])
        )

    def _is_invariant(self, form: LinearForm, indices: Sequence[SSAValue] = ()) -> bool:
        return not any(
            is_within(atom, self._op) and atom not in indices for atom in form.coefficients
        )

    def _constant(self, form: LinearForm) -> int | None:
        """The constant that a form is equal to, if it is small."""
        value = self._forms.canonical(form).known()
        return value if value is not None and abs(value) <= MOST else None

    def _is_nonnegative(self, form: LinearForm, *known: LinearForm) -> bool:
        """Whether a form, added to a position, is provably non-negative, if others are."""
        is_exact = self._forms.range_of(form).magnitude <= INTS.high // 2
        return is_exact and self._forms.is_nonnegative(form, *known)


def _at_least(least: int, sign: int) -> Distances:
    """``k - j >= least`` for the sign 1, and ``j - k >= least`` for -1."""
    return Distances(low=least) if sign > 0 else Distances(high=-least)
