"""Folds whose steps a comparison of elements selects, in the order of these elements."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import BlockArgument, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.equality import computes_same
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.selections import Step
from ein_mlir.analysis.phi.strided_positions import is_variable, size_of_variable
from ein_mlir.analysis.phi.variables import variables_around
from ein_mlir.analysis.predicates import SWAPPED
from ein_mlir.analysis.scopes import blocks_around, captured
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.raise_scans.comparisons import (
    Comparison,
    Selection,
    parts_besides,
    tests_of,
)
from ein_mlir.passes.phi.raise_scans.selection import is_stored_once, position_of
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.fold_passes import MayRunAtOnce
from ein_mlir.rewriting.phi.insertion import Builder, Contributions
from ein_mlir.rewriting.phi.range_reductions import bit_length, number_by_halves
from ein_mlir.rewriting.phi.ranges import all_steps_unless, copies_of
from ein_mlir.rewriting.phi.step_values import StepValues

FEW = 16
"""So many limits or keys are compared with each other in less time than the keys are sorted."""


@dataclass(frozen=True)
class Least:
    """The numbers of limits, and of their pairs with keys, for which keys are sorted.

    Fewer pairs are compared faster than each limit is found by halves.
    """

    limits: int = 0
    pairs: int = 0
    compiled: bool = False
    """Whether programs are compiled: there is a choice for each order then, also in loops."""


@dataclass(frozen=True)
class Facts:
    """The analyses of a function, and the conditions under which steps are taken in order."""

    forms: IndexForms
    free: FreeIndices
    may_run_at_once: MayRunAtOnce
    least: Least
    once: bool
    """Whether what is stored must serve all limits, for backends that compute elements in loops."""
    dense: bool
    """Whether tables may have a place for each Int between the keys, as is tested at run time."""

    def may_store(
        self, op: phi.FoldOp, limits: Sequence[SSAValue], parts: Sequence[SSAValue]
    ) -> bool:
        """Whether parts of all steps may be stored, and need not be for each limit."""
        return self.may_run_at_once(op, [*parts, *limits]) and self.serves_all(op, limits, parts)

    def serves_all(
        self, op: phi.FoldOp, limits: Sequence[SSAValue], parts: Sequence[SSAValue]
    ) -> bool:
        """Whether stored parts serve all limits, if they must."""
        return not self.once or is_stored_once(op, limits, parts, self.forms)


def sort_steps(op: phi.FoldOp, step: Step, selection: Selection, facts: Facts) -> bool:
    """``where(x[k] < y, e[k], acc)  -->  where(k < p, e[order[k]], acc)``

    where ``order = argsort x``, and p is the number of elements of x below y. That is a prefix, for
    each index that y varies with: n log n steps in place of n times their number. Indices that x
    varies with, too, have an order each. Equations and a bound of steps,
    ``(x[k] == x[i]) & (k < i)``, are a range of this order. A number of steps needs no order of
    them, and sorts x itself. The steps before another one in the stable order,
    ``(x[k] < y) | ((x[k] == y) & (k < i))``, are a prefix of it. So equations of other keys take
    orders of that order: ``(z[k] == z[i]) & (x[k] < y)`` is a bound of steps, and then a range.
    NaN is less than nothing, and the last one. If there are few limits or keys, which may be tested
    at run time, the steps stay as they are.
    """
    found, forms, parts = selection.found, facts.forms, parts_besides(op, step, selection)
    needs_guard = not facts.may_run_at_once(op, [*parts, *selection.parts])
    if needs_guard and not _may_be_guarded(op, selection, parts, facts):
        return False
    if not facts.serves_all(op, selection.parts, parts):
        return False
    key = found[0].key
    is_reversed = _is_reversed(found, key)
    if is_reversed:
        found = [replace(each, predicate=SWAPPED[each.predicate]) for each in found]
    if any(map(_is_against_order, found)) or (
        all(each.selects_nan for each in found) and any(each.is_below for each in found)
    ):
        return False
    skip_few(op, found, parts, facts)
    build = Builder.before(op, forms.add)
    keys = keys_of_steps(build, op, key, is_reversed=is_reversed)
    needs_order = len(parts) > 1 or any(each.tie is not None for each in found)
    order = build.emit(phi.ArgsortOp(keys)) if needs_order else None
    in_order = _ordered(build, op, keys, order)
    indices = [index_of_tie(op, each, forms) for each in found]
    body = Builder.at_start(op.body.block)
    _take_in_order(body, op, order)
    sides = dict[bool, SSAValue]()
    for is_below in (True, False):
        positions = [
            _place(build, op, each, in_order, order, index, is_reversed=is_reversed)
            for each, index in zip(found, indices, strict=True)
            if each.is_below == is_below
        ]
        if positions:
            sides[is_below] = _is_inside(build, body, op, positions, is_below=is_below)
    here = body.get(in_order, [op.counter]) if isa(key.type, AnyFloat) and needs_guard else None
    _replace_tests(body, found, sides, here)
    erase_unused(op.body.block)
    forms.add(op)
    return True


def _may_be_guarded(
    op: phi.FoldOp, selection: Selection, parts: Sequence[SSAValue], facts: Facts
) -> bool:
    """Whether values whose derivative may be infinite are those of steps that some limit selects.

    That is the limit with the same key.
    """
    return (
        not selection.equations
        and not any(each.selects_nan for each in selection.found)
        and _selects_each(op, selection.found, facts.forms)
        and facts.may_run_at_once(op, [*parts, *selection.parts], is_guarded=True)
    )


def _is_reversed(found: Sequence[Comparison], key: SSAValue) -> bool:
    """Whether the order is that of the opposites of the keys: then all sides are prefixes.

    NaN is the last key: a suffix of floats would have it, as that of ``~(x[k] < y)`` should. Of
    equal keys the first comes first.
    """
    if all(each.selects_nan for each in found):
        return all(each.is_below for each in found)
    if any(each.is_below for each in found):
        return False
    return isa(key.type, AnyFloat) or any(map(_is_against_order, found))


def _replace_tests(
    body: Builder,
    found: Sequence[Comparison],
    sides: Mapping[bool, SSAValue],
    here: SSAValue | None,
) -> None:
    """Replace each test by those of the sides that it selects, and of a key ``here`` for NaN."""
    for test in dict.fromkeys(tests_of(found)):
        own = dict.fromkeys(each.is_below for each in found if each.test is test)
        sides_of_test = [sides[is_below] for is_below in own]
        if here is not None:
            sides_of_test.append(body.compare(here, "ord", here))
        selected = body.is_as_expected(body.all_of(sides_of_test), test.expected)
        test.condition.replace_all_uses_with(selected)


def _is_against_order(comparison: Comparison) -> bool:
    """Whether the steps with the limit as their key that are selected come last among these."""
    return comparison.tie is not None and comparison.tie.suffix == comparison.is_below


def index_of_tie(
    op: phi.FoldOp, comparison: Comparison, forms: IndexForms, *, one_more: bool = False
) -> tuple[BlockArgument, int] | None:
    """The index i if the limit is the key of step i, and the bound i or i + 1; their distance.

    With ``one_more``, the last index may be that behind all steps, if these are before the bound.
    """
    if comparison.tie is None:
        return None
    own, position = index_of_limits(op, [comparison], forms), comparison.tie.form(forms)
    if own is None or position is None:
        return None
    index, is_beyond = own
    distance = (position - forms.form(index)).known()
    if distance not in (0, 1):
        return None
    may_be_beyond = one_more and distance == 0 and not comparison.tie.suffix
    return None if is_beyond and not may_be_beyond else (index, distance)


def _selects_each(op: phi.FoldOp, found: Sequence[Comparison], forms: IndexForms) -> bool:
    """Whether limits are the keys: then each step is among those that its own key selects.

    That of NaN selects none.
    """
    if any(each.tie is not None or each.predicate not in ("<=", ">=") for each in found):
        return False
    own = index_of_limits(op, found, forms)
    return own is not None and not own[1]


def index_of_limits(
    op: phi.FoldOp, found: Sequence[Comparison], forms: IndexForms
) -> tuple[BlockArgument, bool] | None:
    """The only variable that limits depend on, if they are the keys of steps with its values.

    But for those that the keys depend on, too. And whether it has one value more than steps.
    """
    taken = variables_around(op, [each.key for each in found])
    loops = [v for v in _variables(op, [each.limit for each in found]) if v not in taken]
    if len(loops) != 1:
        return None
    (variable,) = loops
    size = forms.integer(size_of_variable(variable))
    is_beyond = size == forms.extent(op.count) + 1
    is_own = (is_beyond or size == forms.integer(op.count)) and all(
        computes_same(each.key, each.limit, {op.counter: variable}) for each in found
    )
    return (variable, is_beyond) if is_own else None


def skip_few(
    op: phi.FoldOp, found: Sequence[Comparison], parts: Sequence[SSAValue], facts: Facts
) -> None:
    """Let another fold take all steps where there are few limits, or pairs of these with keys.

    One of numbers is chosen. Others have no steps where they are not needed.
    """
    if not (facts.least.pairs and facts.least.compiled):
        return
    build = Builder.before(op, facts.forms.add)
    limits = [part for each in found for part in each.parts]
    is_few = are_few_pairs(build, op, limits, parts, facts.least)
    around = variables_around(op, [*op.operands, *captured(op)])
    if not phi.is_scalar_type(op.result.type) or not all(map(phi.is_comprehension_index, around)):
        all_steps_unless(build, op, is_few, expected=False)
        return
    all_steps = build.insert(copy_of(op)).result
    choice = Builder.after(op, facts.forms.add).select(is_few, all_steps, op.result)
    op.result.replace_uses_with_if(choice, lambda use: use.operation is not choice.owner)


def are_few_pairs(
    build: Builder,
    op: phi.FoldOp,
    limits: Sequence[SSAValue],
    parts: Sequence[SSAValue],
    least: Least,
) -> SSAValue:
    """Whether there are few limits of each order of the steps, or few pairs of these with keys.

    There is an order for each of the variables that some parts of the steps vary with.
    """
    number, pairs, taken = build.integer(1), build.max(op.count, 0), variables_around(op, parts)
    for variable in _variables(op, limits):
        size = size_of_variable(variable)
        pairs = build.mul(pairs, size)
        number = number if variable in taken else build.mul(number, size)
    is_few = build.compare(number, "slt", least.limits)
    return build.or_(is_few, build.compare(pairs, "slt", least.pairs))


def are_few(op: phi.FoldOp, step: Step, selection: Selection) -> bool:
    """Whether there are few limits of each order, or keys, for all arguments."""
    parts = parts_besides(op, step, selection)
    numbers = [known_int(size) for size in _numbers_of_limits(op, selection.found, parts)]
    limits = FEW + 1 if None in numbers else math.prod(n for n in numbers if n is not None)
    keys = known_int(op.count)
    return limits <= FEW or (keys is not None and keys <= FEW)


def _numbers_of_limits(
    op: phi.FoldOp, found: Sequence[Comparison], parts: Sequence[SSAValue]
) -> Iterator[SSAValue]:
    """The sizes of the indices that limits vary with, and the counts of these folds.

    Without those that the keys and the values of steps vary with: there is an order for each.
    """
    taken = variables_around(op, parts)
    for variable in _variables(op, [part for each in found for part in each.parts]):
        if variable not in taken:
            yield size_of_variable(variable)


def _variables(op: phi.FoldOp, limits: Sequence[SSAValue]) -> list[BlockArgument]:
    """The indices and counters around a fold that limits depend on."""
    variables = variables_around(op, limits)
    arguments = (each for block in blocks_around(op) for each in block.args)
    return [each for each in arguments if each in variables and is_variable(each)]


def keys_of_steps(
    build: Builder,
    op: phi.FoldOp,
    key: SSAValue,
    *,
    is_reversed: bool,
    count: SSAValue | None = None,
) -> SSAValue:
    """The keys of all steps, or in order to reverse the order, their opposites."""
    values = StepValues(op)

    def element(inner: Builder, step: SSAValue) -> SSAValue:
        value = values.value(inner, key, step)
        return _reversed(inner, value) if is_reversed else value

    return values.over_steps(build, element, count)


def _reversed(build: Builder, key: SSAValue) -> SSAValue:
    """``-x``, or ``~x`` for an Int, which does not overflow."""
    if isa(key.type, AnyFloat):
        return build.negated(key)
    return build.emit(arith.XOrIOp(key, build.number(-1, key.type)))


def _ordered(build: Builder, op: phi.FoldOp, keys: SSAValue, order: SSAValue | None) -> SSAValue:
    """The keys in increasing order."""
    if order is None:
        return build.emit(phi.SortOp(keys))

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        return inner.get(keys, [inner.get(order, own)])

    return build.comprehension([op.count], element, [op.counter])


def inverted(build: Builder, op: phi.FoldOp, order: SSAValue, count: SSAValue) -> SSAValue:
    """The number of steps that an order has before each step."""

    def place(inner: Builder, own: Sequence[SSAValue]) -> Contributions:
        return [([inner.get(order, own)], inner.as_int(own[0]))]

    return build.accumulation([count], [("add", [count])], place, [op.counter])


def _place(
    build: Builder,
    op: phi.FoldOp,
    comparison: Comparison,
    keys: SSAValue,
    order: SSAValue | None,
    index: tuple[SSAValue, int] | None,
    *,
    is_reversed: bool,
) -> SSAValue:
    """The number of ordered keys before a limit; of one that is NaN, none is selected."""
    tie = comparison.tie
    (limit,) = build.copied(op.body.block, [comparison.limit], {})
    limit = _reversed(build, limit) if is_reversed else limit
    if tie is None or order is None:
        is_right = comparison.predicate in ("<=", ">")
        place = build.emit(phi.SearchsortedOp(keys, limit, right=is_right))
    elif index is not None:
        place = build.add(build.get(inverted(build, op, order, op.count), [index[0]]), index[1])
    else:
        bound = position_of(build, op.count, tie, copies_of(build, op, tie.parts))
        place = position_by_halves(build, keys, order, limit, bound)
    if not isa(limit.type, AnyFloat):
        return place
    has_none = comparison.is_below != comparison.selects_nan
    at_nan = build.integer(0) if has_none else build.size(keys, 0)
    return build.select(build.compare(limit, "une", limit), at_nan, place)


def position_by_halves(
    build: Builder, keys: SSAValue, order: SSAValue, limit: SSAValue, step: SSAValue
) -> SSAValue:
    """The number of keys before a limit, or equal to it and of a step before another one."""
    size = build.size(keys, 0)

    def is_before(inner: Builder, place: SSAValue) -> SSAValue:
        key = inner.get(keys, [place])
        is_first = inner.compare(inner.get(order, [place]), "slt", step)
        is_tie = inner.and_(inner.compare(key, "==", limit), is_first)
        return inner.or_(inner.compare(key, "<", limit), is_tie)

    return number_by_halves(build, bit_length(build, size), size, is_before)


def _take_in_order(build: Builder, op: phi.FoldOp, order: SSAValue | None) -> None:
    """Let the steps be those of an order."""
    if order is not None:
        place = build.insert(phi.GetOp(order, [op.counter]))
        op.counter.replace_all_uses_with(place.result)
        place.operands[1] = op.counter


def _is_inside(
    build: Builder, body: Builder, op: phi.FoldOp, positions: Sequence[SSAValue], *, is_below: bool
) -> SSAValue:
    """Whether a step is below all of some positions, or below none."""
    nearest, *others = positions
    for other in others:
        extremum = arith.MinSIOp if is_below else arith.MaxSIOp
        nearest = build.emit(extremum(nearest, other))
    predicate = "slt" if is_below else "sge"
    return body.compare(op.counter, predicate, nearest)
