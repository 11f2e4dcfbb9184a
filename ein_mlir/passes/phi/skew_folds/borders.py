"""The first row and column of a table, where they are cases of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.loops.nests import Nest
from ein_mlir.analysis.phi.selections import Test, conjuncts
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.skew_folds.elements import element_at
from ein_mlir.rewriting.phi.builders import all_of, comprehension, skip_steps
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.step_values import Known, StepValues


@dataclass(frozen=True)
class Border:
    """``where(i == 0 | j == 0, e, x)``, where e depends on no element."""

    choice: arith.SelectOp
    value: SSAValue
    rest: SSAValue
    rows: bool
    """Whether the first step of the outer fold takes it, and which one of the inner fold does."""
    columns: bool


def separate_border(nest: Nest, forms: IndexForms) -> bool:
    """Compute the first row and column of a table before the nest, which writes the other elements.

    Whether there is such a border. A step reads elements of earlier steps only, so that it does not
    matter when those of the border are written.
    """
    if nest.carries_rows or any(distance <= (0, 0) for distance in nest.reads.values()):
        return False
    folds = (nest.outer, nest.inner)
    if not all(forms.range(f.count).low >= 0 or _is_whole(nest, f, forms) for f in folds):
        return False
    borders = _borders(nest)
    if not borders:
        return False
    _without_bounds(nest, forms)
    _start_with(nest, borders, forms)
    _skip_first(nest, borders)
    return True


def _borders(nest: Nest) -> list[Border]:
    """The cases of the first row and column, outermost first."""
    found, value = list[Border](), nest.value
    while (border := _border(nest, value)) is not None:
        found.append(border)
        value = border.rest
    return found


def _border(nest: Nest, value: SSAValue) -> Border | None:
    choice = value.owner
    if not isinstance(choice, arith.SelectOp) or not value.has_one_use():
        return None
    varying = dependents(nest.outer.body.block, nest.outer.accumulator)
    varying |= dependents(nest.inner.body.block, nest.line.array)
    for expected, rest, border in ((False, choice.rhs, choice.lhs), (True, choice.lhs, choice.rhs)):
        axes = [_axis(nest, test) for test in conjuncts(Test(choice.cond, expected))]
        if None not in axes and border not in varying:
            return Border(choice, border, rest, 0 in axes, 1 in axes)
    return None


def _axis(nest: Nest, test: Test) -> int | None:
    """The axis of which a test leaves out the first step; None for other tests."""
    found = relation_of(test.condition, expected=test.expected)
    if found is None or not found.after_first:
        return None
    counters = (nest.outer.counter, nest.inner.counter)
    return counters.index(found.lhs) if found.lhs in counters else None


def _start_with(nest: Nest, borders: Sequence[Border], forms: IndexForms) -> None:
    """Let the table start with its border."""
    outer, inner = nest.outer, nest.inner
    build, values = Builder.before(outer), StepValues(outer, [inner.body.block])
    sizes = [build.size(outer.init, axis) for axis in range(2)]
    is_whole = [_is_whole(nest, fold, forms) for fold in (outer, inner)]

    def element(body: Builder, own: Sequence[SSAValue]) -> SSAValue:
        place = [body.as_int(index) for index in own]
        value = old = element_at(body, outer.init, place)
        steps = [body.sub(p, d) if d else p for p, d in zip(place, nest.first, strict=True)]
        known: Known = {outer.counter: steps[0], inner.counter: steps[1]}
        for border in reversed(borders):
            wanted = [border.choice.cond, border.value]
            condition, new = values.computed(body, wanted, dict(known))
            is_first = border.value is border.choice.lhs
            value = body.select(condition, *((new, value) if is_first else (value, new)))
        tests = list[SSAValue]()
        for fold, step, whole in zip((outer, inner), steps, is_whole, strict=True):
            if not whole:
                tests.append(body.compare(step, "sge", 0))
                tests.append(body.compare(step, "slt", fold.count))
        return body.select(all_of(body, tests), value, old) if tests else value

    outer.operands[1] = comprehension(build, sizes, element)


def _is_whole(nest: Nest, fold: phi.FoldOp, forms: IndexForms) -> bool:
    """Whether the steps of a fold provably write all rows or columns of a table."""
    axis = int(fold is nest.inner)
    size = forms.size(nest.outer.init, axis)
    return nest.first[axis] == 0 and size is not None and forms.equal(forms.form(fold.count), size)


def _skip_first(nest: Nest, borders: Sequence[Border]) -> None:
    """Leave the first steps out, and the choices of the border."""
    nest.value.replace_all_uses_with(borders[-1].rest)
    build = Builder.before(nest.outer)
    if any(border.rows for border in borders):
        skip_steps(build, nest.outer, 1)
    if any(border.columns for border in borders):
        skip_steps(build, nest.inner, 1)


def _without_bounds(nest: Nest, forms: IndexForms) -> None:
    """Drop the extremes of positions that have no effect."""
    sizes = [forms.size(nest.outer.init, axis) for axis in range(2)]
    for value in nest.reads:
        read = value.owner
        assert isinstance(read, phi.GetOp)
        for axis, position in enumerate(map(forms.unclipped, read.positions, sizes)):
            read.operands[1 + axis] = position
