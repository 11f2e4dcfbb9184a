"""Masks of products, as masks of their factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.selections import is_zero, step_of, summed
from ein_mlir.analysis.phi.small_loops import is_on_numbers
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.phi.strided_positions import is_variable, size_of_variable
from ein_mlir.analysis.scopes import innermost_first, is_within, reached, sources
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_product, is_sum
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.passes.phi.pad_windows.windows import Recogniser, Window
from ein_mlir.rewriting.phi.float_tests import is_finite
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.ranges import select_total
from ein_mlir.rewriting.phi.versions import versions


class _WholeArrays:
    """Arrays of which there are two versions: one for all of the masked sums in each."""

    def __init__(self) -> None:
        self._known = dict[phi.ArrayOp, tuple[SSAValue, SSAValue, phi.ArrayOp]]()

    def split(self, build: Builder, array: phi.ArrayOp, finite: SSAValue) -> phi.ArrayOp:
        """Let the first version run only where a test holds, too; the second version."""
        if array not in self._known:
            size = array.operands[0]
            rest = versions(build, array, finite)
        else:
            size, others, rest = self._known[array]
            finite, zero = build.and_(others, finite), build.integer(0)
            array.operands[0] = build.select(finite, size, zero)
            rest.operands[0] = build.select(finite, zero, size)
        self._known[array] = size, finite, rest
        return rest


class _MaskedSum:
    """A fold that sums ``where(c, u * w, 0)``."""

    def __init__(
        self,
        op: phi.FoldOp,
        choice: arith.SelectOp,
        product: Operation,
        *,
        are_tested: bool,
        whole: _WholeArrays | None,
    ):
        self._op, self._choice, self._product = op, choice, product
        self._are_tested, self._whole = are_tested, whole
        self.fallback: phi.ArrayOp | phi.FoldOp | None = None
        """The loop with the old steps, which has none if all factors are finite."""

    def distribute(self, recogniser: Recogniser) -> bool:
        """``sum where(c, u * w, 0)  -->  sum u * where(c, w, 0)``, if w is a window that c guards.

        If c guards both, both are masked: zero times zero is zero. Else, of Ints; of floats if all
        u are finite: if they are, the new sum has all steps, and the old one, which starts from it,
        has none. Where u is not tested, the mask of the product stays. If c guards each by some of
        its conditions, both are masked by theirs if both are finite.
        """
        choices = {
            factor: arith.SelectOp(self._choice.cond, factor, self._choice.rhs)
            for factor in dict.fromkeys(self._product.operands)  # those of a square are one
        }
        places, windows = dict[SSAValue, Operation](), dict[SSAValue, Window]()
        for factor, guarded in choices.items():
            Rewriter.insert_op(guarded, InsertPoint.before(self._choice))
            found = recogniser.window(guarded)
            if found is not None:
                windows[factor] = found
            if found is not None and not found.others:
                places[factor] = found.place
        is_changed = self._guard(choices, places) or self._guard_each(windows)
        for guarded in choices.values():
            if not guarded.result.uses:
                Rewriter.erase_op(guarded)
        return is_changed

    def _guard(
        self, choices: Mapping[SSAValue, arith.SelectOp], places: Mapping[SSAValue, Operation]
    ) -> bool:
        """Use the choices of both factors, or of one of which it is known that it is a window."""
        if len(places) == len(choices):
            guarded = {side: choices[x].result for side, x in enumerate(self._product.operands)}
            self._choice.result.replace_all_uses_with(self._masked(guarded))
            return True
        factors = self._product.operands
        return any(
            self._replace(side, choices[factors[side]].result, factors[1 - side], place)
            for factor, place in places.items()
            for side in range(2)
            if factors[side] is factor
        )

    def _replace(self, side: int, guarded: SSAValue, other: SSAValue, place: Operation) -> bool:
        if not isa(other.type, AnyFloat):
            self._choice.result.replace_all_uses_with(self._masked({side: guarded}))
            return True
        if not self._are_tested:
            self._choice.operands[1] = self._masked({side: guarded})
            return True
        variables = _variables(other, place)
        if variables is None or not self._may_split(place):
            return False
        build = Builder.before(place)
        self._split(build, place, _all_finite(build, other, place, variables))
        self._choice.result.replace_all_uses_with(self._masked({side: guarded}))
        return True

    def _guard_each(self, windows: Mapping[SSAValue, Window]) -> bool:
        """``where(c & d, x[p] * w[q], 0)  -->  where(c, x[p], 0) * where(d, w[q], 0)``"""
        factors = self._product.operands
        if not self._are_tested or len(windows) < 2:
            return False
        found = [windows[factor] for factor in factors]
        first, second = ({test.condition for test in each.others} for each in found)
        place = found[0].place
        are_reads = all(
            window.get.result is factor and window.place is place
            for factor, window in windows.items()
        )
        if not are_reads or not first.isdisjoint(second) or not self._may_split(place):
            return False
        build = Builder.before(place)
        if isa(factors[0].type, AnyFloat):
            tests = [_elements_finite(build, each.get.array) for each in found]
            self._split(build, place, build.all_of(tests))
        build = Builder.before(self._choice)
        zero = self._choice.rhs
        guarded = {
            side: build.select(build.hold(window.tests), factors[side], zero)
            for side, window in enumerate(found)
        }
        self._choice.result.replace_all_uses_with(self._masked(guarded))
        return True

    def _may_split(self, place: Operation) -> bool:
        return isinstance(place, phi.ArrayOp) or self._whole is None

    def _split(self, build: Builder, place: Operation, finite: SSAValue) -> None:
        """Let the old loop run where some factors are not finite: the place, or sums in it."""
        if self._whole is not None and isinstance(place, phi.ArrayOp):
            self.fallback = self._whole.split(build, place, finite)
        else:
            self.fallback = versions(build, _whole_sum(self._op, place), finite)

    def _masked(self, guarded: Mapping[int, SSAValue]) -> SSAValue:
        """The product with guarded factors."""
        product = copy_of(self._product)
        for side, factor in guarded.items():
            product.operands[side] = factor
        Rewriter.insert_op(product, InsertPoint.before(self._choice))
        return product.results[0]


def _with_inner(choice: arith.SelectOp) -> arith.SelectOp:
    """``where(c, where(d, x, 0), 0)  -->  where(c & d, x, 0)``"""
    inner = choice.lhs.owner
    while (
        isinstance(inner, arith.SelectOp)
        and inner.parent is choice.parent
        and inner.result.has_one_use()
        and is_zero(inner.rhs)
    ):
        both = Builder.before(choice).all_of([choice.cond, inner.cond])
        choice.operands[0], choice.operands[1] = both, inner.lhs
        Rewriter.erase_op(inner)
        inner = choice.lhs.owner
    return choice


def _whole_sum(op: phi.FoldOp, place: Operation) -> phi.FoldOp:
    """The outermost of nested sums within a place, each of which adds the results of the next."""
    while isinstance(outer := op.parent_op(), phi.FoldOp) and place.is_ancestor(outer):
        is_part = (
            summed(outer) is op.result
            and op.result.has_one_use()
            and is_zero(op.init)
            and outer.irregular is None
        )
        if not is_part or is_within(outer.count, place):
            break
        op = outer
    return op


def _variables(value: SSAValue, place: Operation) -> list[BlockArgument] | None:
    """The variables of loops in a place that a value is a function of, if it is one.

    Their sizes must be known before the place.
    """
    found = list[BlockArgument]()
    for each in reached([value], lambda x: sources(x) if is_within(x, place) else ()):
        if not is_within(each, place):
            continue
        if isinstance(each, BlockArgument):
            if not is_variable(each) or is_within(size_of_variable(each), place):
                return None
            found.append(each)
        elif isinstance(each.owner, Block) or each.owner.regions or may_fail(each.owner):
            return None
    return found


def _all_finite(
    build: Builder, value: SSAValue, place: Operation, variables: Sequence[BlockArgument]
) -> SSAValue:
    """Whether a value is finite for all values of its variables, before a place."""

    def test(inner: Inserter, at: Sequence[SSAValue]) -> SSAValue:
        known = dict[SSAValue, SSAValue](zip(variables, at, strict=True))
        return is_finite(inner, inner.recomputed(value, known, lambda x: is_within(x, place)))

    counts = [size_of_variable(variable) for variable in variables]
    counts = [each if is_nonnegative(each) else build.max(each, 0) for each in counts]
    return build.all_hold(counts, test, variables)


def _elements_finite(build: Builder, array: SSAValue) -> SSAValue:
    """Whether all elements of an array are finite."""
    return build.all_hold(
        build.sizes_of(array), lambda inner, at: is_finite(inner, inner.get(array, at))
    )


def _sums_around(op: phi.FoldOp) -> list[phi.FoldOp]:
    """The nested sums around a fold, each of which adds the results of the next."""
    found, outer = list[phi.FoldOp](), op.parent_op()
    while isinstance(outer, phi.FoldOp) and (step := step_of(outer)) and step.value is op.result:
        found.append(outer)
        op, outer = outer, outer.parent_op()
    return found


def _select_totals(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """``sum_k where(c & d, u * w, 0)  -->  where(c, sum_k where(d, u * w, 0), 0)``
    for a ``c`` that does not vary in the sums around it that add the result.
    """
    free, is_changed = analyses.get(free_indices, function), False
    for op in innermost_first(function, phi.FoldOp):
        step = step_of(op)
        if step is None or not is_sum(step.combine.name) or op.irregular is not None:
            continue
        term = step.value.owner if isinstance(step.value, SSAValue) else None
        is_total = isinstance(term, phi.FoldOp) and summed(term) is not None
        if is_total or (isinstance(term, Operation) and is_product(term.name)):
            is_changed = select_total(op, step, free, _sums_around(op)) or is_changed
    if is_changed:
        analyses.invalidate(function)


def distribute_masks(
    function: func.FuncOp, analyses: AnalysisManager, *, are_tested: bool, whole: bool
) -> Sequence[phi.ArrayOp | phi.FoldOp]:
    """Distribute the masks of the products that the folds of a function sum.

    The loops that take steps only if some factor is not finite. Those on numbers stay: they are
    unrolled, and then their masks are tests of Python.
    """
    if are_tested:
        _select_totals(function, analyses)
    recogniser = Recogniser(analyses.get(index_forms, function))
    arrays, changed = _WholeArrays() if whole else None, list[_MaskedSum]()
    for op in innermost_first(function, phi.FoldOp):
        term = summed(op)
        choice = None if term is None else term.owner
        if not isinstance(choice, arith.SelectOp) or not is_zero(choice.rhs):
            continue
        choice = _with_inner(choice)
        product = choice.lhs.owner
        if (
            isinstance(product, Operation)
            and is_product(product.name)
            and choice.parent is product.parent is op.body.block
            and choice.result.has_one_use()
            and op.irregular is None
            and not (are_tested and is_on_numbers(op, analyses.get(free_indices, function)))
        ):
            masked = _MaskedSum(op, choice, product, are_tested=are_tested, whole=arrays)
            if masked.distribute(recogniser):
                changed.append(masked)
    if changed:
        analyses.invalidate(function)
    return [each.fallback for each in changed if each.fallback is not None]
