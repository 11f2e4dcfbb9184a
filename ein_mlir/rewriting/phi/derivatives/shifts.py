"""Shifts: contributions at the index of a loop plus a number from outside of the loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.phi.inverse_positions import Inverse
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.builders import all_of, linear_value
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
from ein_mlir.rewriting.phi.derivatives.scalars import constant
from ein_mlir.rewriting.phi.derivatives.sums import Sums
from ein_mlir.rewriting.phi.derivatives.tangents import at_end
from ein_mlir.rewriting.phi.insertion import Inserter


class Shifts:
    """Finds shifts, and makes arrays of them."""

    def __init__(self, sums: Sums):
        self._sums, self._copies, self._forms = sums, sums.copies, sums.forms
        self._proofs = SizeProofs(sums.copies.sizes)

    def found(self, site: Site) -> tuple[Loop, Inverse] | None:
        """The loop of ``a[i + c] += x`` or ``a[c - i] += x``, if it moves no other axis."""
        for axis, position in enumerate(site.positions):
            form = self._forms.form(position)
            others = [*site.positions[:axis], *site.positions[axis + 1 :]]
            for loop in site.loops if site.axes[axis] is None else ():
                sign, rest = form.coefficients.get(loop.variable, 0), form.without([loop.variable])
                # Twice the number is an Int: its sums with sizes do not wrap.
                is_exact = all(map(self._forms.is_exact, (form, rest * 2)))
                is_constant = all(is_fixed(atom, site.home) for atom in rest.coefficients)
                if abs(sign) == 1 and is_exact and is_constant and not moves(others, loop):
                    return loop, Inverse(axis, loop.variable, sign, rest)
        return None

    def parts(self, loop: Loop, shift: Inverse, site: Site, array: SSAValue) -> list[Part]:
        """``a[i + c] += x[i]`` for ``i < n``  -->  ``select(0 <= q - c < n, x[q - c], 0)``

        The steps with positions beyond the ends of ``a`` count for the elements there, as
        ``phi.get`` clips: most often there are none.
        """
        axis, home, build = shift.axis, site.home, at_end(site.home)
        sizes = [self._copies.size(build, term, home) for term in site.terms]
        others = [*sizes[:axis], *sizes[axis + 1 :]]
        steps, scalar = self._sums.count(loop, home), phi.scalar_of(array.type)
        zero = build.emit(constant(0.0, scalar))
        is_same = shift.sign == 1 and shift.rest.known() == 0

        def inside(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
            form = shift.solution(LinearForm.of(indices[axis]))
            step = indices[axis] if is_same else self._value(inner, form, home)
            tests = is_step(inner, inner.as_int(step), steps, first=is_same)
            found = inner.get(array, [*indices[:axis], step, *indices[axis + 1 :]])
            return inner.select(all_of(inner, tests), found, zero)

        def beyond(first: SSAValue | None, count: SSAValue) -> SSAValue:
            def total(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
                def at(step: Inserter, place: SSAValue) -> SSAValue:
                    return step.get(array, [*indices[:axis], place, *indices[axis:]])

                return sum_from(inner, first, count, scalar, at)

            return self._copies.comprehension(build, others, total) if others else total(build, ())

        found: list[Part] = [self._copies.comprehension(build, sizes, inside)]
        for first, count, place in self._beyond_ends(shift, sizes[axis], steps, site):
            found.append(Placed({axis: place}, beyond(first, count)))
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
        return linear_value(build, form, lambda atom: self._copies.copied(build, atom, {}, home))
