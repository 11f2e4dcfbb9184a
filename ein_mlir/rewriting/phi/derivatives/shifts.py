"""Shifts: contributions at the index of a loop plus a number from outside of the loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.arithmetic.inverses import Inverse
from ein_mlir.dialects import phi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.derivatives.contributions import (
    Loop,
    Part,
    Placed,
    Site,
    SizeProofs,
    is_fixed,
    is_step,
    moves,
    sum_from,
)
from ein_mlir.rewriting.phi.derivatives.sums import Sums
from ein_mlir.rewriting.phi.derivatives.tangents import at_end
from ein_mlir.rewriting.phi.insertion import Inserter

FARTHEST = 2**45
"""Numbers of a larger absolute value, which are not near to any index, may wrap around."""


@dataclass(frozen=True)
class _Wrapping:
    """Positions ``c + i`` or ``c - i``, which may wrap around."""

    sign: int
    number: SSAValue

    def is_near(self, build: Inserter) -> SSAValue:
        """Whether none wraps around: otherwise all are beyond an end."""
        low = build.compare(self.number, "sge", -FARTHEST)
        return build.and_(low, build.compare(self.number, "sle", FARTHEST))

    def is_at(self, build: Inserter, step: SSAValue, side: str) -> SSAValue:
        """Whether the position of a step is on a side of 0."""
        combine = build.add if self.sign == 1 else build.sub
        return build.compare(combine(self.number, step), side, 0)


class Shifts:
    """Finds shifts, and makes arrays of them."""

    def __init__(self, sums: Sums, *, by_any: bool):
        """With ``by_any``, also those by Ints that are not known to be near to an index."""
        self._by_any = by_any
        self._sums, self._copies, self._forms = sums, sums.copies, sums.forms
        self._sizes, self._proofs = sums.copies.sizes, SizeProofs(sums.copies.sizes)

    def found(self, site: Site) -> tuple[Loop, Inverse] | None:
        """The loop of ``a[i + c] += x`` or ``a[c - i] += x``, if it moves no other axis."""
        for axis, position in enumerate(site.positions):
            form = self._forms.form(position)
            others = [*site.positions[:axis], *site.positions[axis + 1 :]]
            term = site.terms[axis]
            for loop in site.loops if site.axes[axis] is None else ():
                sign, rest = form.split(loop.variable)
                is_constant = all(is_fixed(atom, site.home) for atom in rest.coefficients)
                if abs(sign) == 1 and is_constant and not moves(others, loop):
                    shift = Inverse(axis, loop.variable, sign, rest)
                    is_whole = self._by_any and self._sizes.same(term, loop.size, site.at)
                    if is_whole or self._is_exact(shift):
                        return loop, shift
        return None

    def _is_exact(self, shift: Inverse) -> bool:
        """Whether positions, and sums of twice the number with sizes, do not wrap."""
        position = LinearForm.of(shift.variable) * shift.sign + shift.rest
        return all(map(self._forms.is_exact, (position, shift.rest * 2)))

    def parts(self, loop: Loop, shift: Inverse, site: Site, array: SSAValue) -> list[Part]:
        """``a[i + c] += x[i]`` for ``i < n``  -->  ``select(0 <= q - c < n, x[q - c], 0)``

        The steps with positions beyond the ends of ``a`` count for the elements there, as
        ``phi.get`` clips: most often there are none. Where the number ``c`` is so large that
        positions may wrap around, all steps are beyond one of the ends.
        """
        axis, home, build = shift.axis, site.home, at_end(site.home)
        sizes = [self._copies.size(build, term, home) for term in site.terms]
        others = [*sizes[:axis], *sizes[axis + 1 :]]
        steps, scalar = self._sums.count(loop, home), phi.scalar_of(array.type)
        zero, wrapping, far = build.number(0.0, scalar), None, steps
        if not self._is_exact(shift):
            wrapping = _Wrapping(shift.sign, self._value(build, shift.rest, home))
            is_near = wrapping.is_near(build)
            steps, far = build.select(is_near, steps, 0), build.select(is_near, 0, steps)
        is_same = shift.sign == 1 and shift.rest.known() == 0

        def inside(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            form = shift.solution(LinearForm.of(indices[axis]))
            step = indices[axis] if is_same else self._value(inner, form, home)
            tests = is_step(inner, inner.as_int(step), steps, first=is_same)
            found = inner.get(array, [*indices[:axis], step, *indices[axis + 1 :]])
            return inner.select(inner.all_of(tests), found, zero)

        def beyond(first: SSAValue | None, count: SSAValue, side: str | None = None) -> SSAValue:
            def total(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
                def at(step: Inserter, place: SSAValue) -> SSAValue:
                    found = step.get(array, [*indices[:axis], place, *indices[axis:]])
                    if wrapping is None or side is None:
                        return found
                    return step.select(wrapping.is_at(step, place, side), found, zero)

                return sum_from(inner, first, count, scalar, at)

            return self._copies.comprehension(build, others, total) if others else total(build, ())

        found: list[Part] = [self._copies.comprehension(build, sizes, inside)]
        for first, count, place in self._beyond_ends(shift, sizes[axis], steps, site):
            found.append(Placed({axis: place}, beyond(first, count)))
        if wrapping is not None:
            last = build.sub(sizes[axis], 1)
            found.append(Placed({axis: build.integer(0)}, beyond(None, far, "slt")))
            found.append(Placed({axis: last}, beyond(None, far, "sge")))
        return found

    def _beyond_ends(
        self, shift: Inverse, size: SSAValue, steps: SSAValue, site: Site
    ) -> Iterator[tuple[SSAValue | None, SSAValue, SSAValue]]:
        """The first step beyond an end of an axis, their number, and the position at the end.

        They are the first steps of the loop, with None, or the last ones. There are none where a
        selection makes the contribution zero, as ``0 <= k - i``.
        """
        home, build = site.home, at_end(site.home)
        position = LinearForm.of(shift.variable) * shift.sign + shift.rest
        limits = [limit for limit, _ in self._sums.limits(site.value, home)]
        for is_below in (True, False):
            end = -shift.rest if is_below else LinearForm.of(size) - shift.rest
            # The number of steps before the end, or with it.
            number = end if shift.sign == 1 else -end + 1
            is_start = is_below == (shift.sign == 1)
            left = -number if is_start else number - LinearForm.of(steps)
            excess = -position if is_below else position - LinearForm.of(size) + 1
            known = [(excess - limit).known() for limit in limits]
            if any(number is not None and number <= 0 for number in known):
                continue
            if self._proofs.is_nonnegative(self._proofs.canonical(left)):
                continue
            limit = self._value(build, number, home)
            first = None if is_start else build.max(limit, 0)
            count = build.min(limit, steps) if first is None else build.sub(steps, first)
            place = build.integer(0) if is_below else build.sub(size, 1)
            yield first, build.max(count, 0), place

    def _value(self, build: Inserter, form: LinearForm, home: Block) -> SSAValue:
        return build.linear_value(form, lambda atom: self._copies.copied(build, atom, {}, home))
