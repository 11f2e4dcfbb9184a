"""``store-terms``: values of the steps of a fold that no other step affects are computed before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AnyFloat, TupleType
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.arithmetic import INTS
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.element_cost import FUNCTION, cost, is_function
from ein_mlir.analysis.phi.fold_components import fold_components
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices, is_alone, leaf_types
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.index_ranges import SHORT_ROW, is_thin
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts
from ein_mlir.analysis.phi.selections import reduction
from ein_mlir.analysis.phi.speculation import may_fail
from ein_mlir.analysis.scopes import (
    dependents,
    innermost_first,
    is_defined_in,
    nested,
    operands_within,
    operations_in,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.phi.store_terms.ragged_loops import (
    check_count,
    loop_by_condition,
    ragged_loops,
)
from ein_mlir.passes.phi.store_terms.recurrences import Recurrence, recurrence_of
from ein_mlir.passes.phi.store_terms.step_terms import StepTerms, compute_in_blocks
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.stored_terms import needed_for, never_fail, raise_none, store


def terms_of(op: phi.FoldOp) -> list[SSAValue]:
    """The scalars of a step that are computed by loops, and that no other step affects.

    There are none if a size or a count varies with the step: those of a comprehension may not.
    """
    found = _looped(op)
    return found if is_regular(op) and never_fail(op, found) else []


def _looped(op: phi.FoldOp) -> list[SSAValue]:
    looped = _from_loops(op)
    return [x for x in _unaffected(op) if x in looped and phi.is_scalar_type(x.type)]


def sequences_of(op: phi.FoldOp, free: FreeIndices) -> list[SSAValue]:
    """The terms of a step that are computed by loops whose steps wait for each other, likewise.

    There are none if what such a loop carries, for all steps, would be larger than the arrays that
    are read. The elements of reductions may: those are computed in blocks.
    """
    loops = (each for each in nested(op.body.block) if isinstance(each, phi.FoldOp))
    if all(map(reduction, loops)):
        return []
    found = terms_of(op)
    return found if may_materialise_parts(op, found, free, reduced=INTS.high) else []


def rows_of(op: phi.FoldOp) -> list[SSAValue]:
    """The terms of a reduction that are computed by loops of as many steps as each row has.

    These become loops by a condition, whose counts elements of a comprehension may have.
    """
    loops = ragged_loops(op)
    if not loops or any(len(group) > 1 for group in fold_components(op)):
        return []
    found = _looped(op)
    others = [each for each in needed_for(op, found) if each not in loops]
    if not found or not raise_none(op, others):
        return []
    for loop, nest in loops.items():
        loop_by_condition(loop, check_count(loop, nest))
    return _looped(op)


def functions_of(op: phi.FoldOp, free: FreeIndices) -> list[SSAValue]:
    """The scalars and vectors of a step that are computed by calls of functions, likewise.

    In a loop of numbers, all terms are, if they take as long together as a function. There are none
    if they would take more memory than the arrays that they are computed from.
    """
    is_wanted = _is_arithmetic if _takes_long(op) else is_function
    called = _computed_from(op, lambda each: any(map(is_wanted, operations_in(each))))
    if not called:
        return []
    called &= dependents(op.body.block, op.counter)
    found = [x for x in _unaffected(op) if x in called and not isa(x.type, TupleType)]
    is_small = not found or may_materialise_parts(op, found, free)
    return found if is_small and never_fail(op, found) else []


def _takes_long(op: phi.FoldOp) -> bool:
    """Whether the terms of a step of a loop of numbers take as long as a function."""
    if not all(map(phi.is_scalar_type, leaf_types(op.init.type))):
        return False
    block = op.body.block
    terms = dependents(block, op.counter) - dependents(block, op.accumulator)
    own = (each for each in block.ops if not terms.isdisjoint(each.results))
    return sum(cost(each) or 0 for each in own if _is_arithmetic(each)) >= FUNCTION


def _is_arithmetic(op: Operation) -> bool:
    """Whether an operation computes a Float from others."""
    is_read = isinstance(op, phi.PhiOp | arith.SelectOp | arith.ConstantOp)
    return len(op.results) == 1 and isa(op.results[0].type, AnyFloat) and not is_read


def elements_of(op: phi.FoldOp, found: Recurrence, free: FreeIndices) -> list[SSAValue]:
    """The scalars of a step that the element it writes is computed from, and no other step affects.

    There are none if they would take more memory than the arrays that are read.
    """
    affected = found.affected()
    wanted = [x for x in _frontier(op, affected, found.users()) if found.is_term(x)]
    needed = needed_for(op, wanted)
    if not wanted or not may_materialise_parts(op, wanted, free) or any(map(may_fail, needed)):
        return []
    return wanted


def _frontier(
    op: phi.FoldOp, affected: Set[SSAValue], users: Iterable[Operation]
) -> Iterator[SSAValue]:
    """The unaffected values of a step that some affected ones are computed from."""
    seen, last = set[SSAValue](), op.body.block.last_op
    for each in users:
        if each is not last and not any(result in affected for result in each.results):
            continue
        for value in operands_within(each):
            is_own = is_defined_in(value, op.body.block) and value not in affected
            if is_own and value not in seen:
                seen.add(value)
                yield value


def _unaffected(op: phi.FoldOp) -> Iterator[SSAValue]:
    """The values of a step that its other ones are computed from, unaffected by other steps."""
    block = op.body.block
    return _frontier(op, dependents(block, op.accumulator), block.ops)


def _from_loops(op: phi.FoldOp) -> set[SSAValue]:
    """The values of a step that are computed by loops that vary with the step."""
    counted = dependents(op.body.block, op.counter)
    loops = phi.FoldOp | phi.WhileOp
    return _computed_from(op, lambda each: isinstance(each, loops) and each.results[0] in counted)


def _computed_from(op: phi.FoldOp, is_source: Callable[[Operation], bool]) -> set[SSAValue]:
    """The results of some operations of a step, and the values that are computed from them."""
    found = set[SSAValue]()
    for each in op.body.block.ops:
        if is_source(each) or not found.isdisjoint(operands_within(each)):
            found.update(each.results)
    return found


@dataclass(frozen=True)
class StoreTermsPass(FunctionPass):
    """Computes the terms of a fold that are results of loops before it, in parallel.

    Before::

        %r = phi.fold (%p < %n, %acc = %zero) -> f64 {
          %s = phi.fold (%t < %m, %x = %one) -> f64 { .. %z[%t, %p] .. }
          phi.yield %acc + sqrt %s : f64
        }

    After::

        %0 = phi.array (%p < %n) -> !phi.vec<f64> {
          %s = phi.fold (%t < %m, %x = %one) -> f64 { .. %z[%t, %p] .. }
          phi.yield sqrt %s : f64
        }
        %r = phi.fold (%p < %n, %acc = %zero) -> f64 { %acc + %0[%p] }

    The order of the steps is unchanged. The elements of the comprehension are independent: they run
    on threads, and ``interchange-loops`` runs the inner loops of neighbouring ones at once, as a
    fold cannot. A fold in a comprehension stays, since the elements of that are independent
    already. So does a term that may raise an error, except for a negative count that is the same in
    all steps: the comprehension has that count only if the fold has steps. A step whose counts vary
    with the counter stays, since those of a comprehension may not.

    With the option ``sequences``, the terms are those of loops whose steps wait for each other, for
    libraries that take a step of all such loops at once.

    With the option ``functions``, the terms are scalars and vectors that call functions such as
    ``exp``, for libraries that compute many of them faster than a few in each step. In a loop of
    numbers they are all terms, if these take as long together. They are not larger than what they
    are computed from.

    With the option ``elements``, they are the values of a loop that writes one element in each
    step, and waits for an earlier one: of ``v[k + 1] := (v[k + 1] + v[k] + b[k]) / 3`` in the array
    ``v = a``, the sums ``a[k + 1] + b[k]``. A read of the carried array is that of its initial
    value if no earlier step has written the element. Terms of sums, minima and other reductions are
    grouped so that the last one is the element that a step waits for. The loop then has a few
    operations on numbers in each step, and all others are on arrays. Nothing moves if an array of
    it would be larger than the arrays that are read, or if it may raise an error.

    With the option ``blocks``, they are the scalars and vectors of a step that take several calls
    of a library, in comprehensions too, or tests of several operations in a loop of numbers. Steps
    take them in blocks if those of all steps would be larger than the arrays that are read: the
    fold of ``array (i < m) { s[i] * (x @ w)[t, i] }`` over t is one over blocks of
    ``max(min(131072 // m, n), 1)`` steps, which computes the elements of the product for a block
    before it takes the steps of that. Matrices, values that positions are computed from, and
    reductions stay.

    With the option ``rows``, they are the terms of reductions that loops compute which take as many
    steps as each row has, and wait for each other. Those become loops by a condition: libraries
    take a step of all rows that have it at once. That no row has a negative number of steps is
    checked as the count of a fold.
    """

    sequences: bool = False
    functions: bool = False
    elements: bool = False
    blocks: bool = False
    rows: bool = False

    name = "store-terms"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in innermost_first(function, phi.FoldOp):
            if is_thin(op.count):
                continue
            if self.blocks:
                self._compute_in_blocks(op, function, analyses)
                continue
            if terms := self._terms(op, function, analyses):
                names = ", ".join(map(name_of, terms))
                analyses.note(op, f"the terms {names} are computed in parallel before it")
                store(op, terms)

    def _compute_in_blocks(
        self, op: phi.FoldOp, function: func.FuncOp, analyses: AnalysisManager
    ) -> None:
        free = analyses.get(free_indices, function)
        if terms := StepTerms(op, free).found():
            names = ", ".join(name_of(term.value) for term in terms)
            analyses.note(op, f"the terms {names} are computed for many steps at once")
            compute_in_blocks(op, terms, free)
            analyses.invalidate(function)

    def _terms(
        self, op: phi.FoldOp, function: func.FuncOp, analyses: AnalysisManager
    ) -> list[SSAValue]:
        if self.elements:
            forms = analyses.get(index_forms, function)
            found = recurrence_of(op, forms)
            if found is None or forms.range(op.count).high < SHORT_ROW:
                return []
            return elements_of(op, found, analyses.get(free_indices, function))
        if not is_alone(op):
            return []
        if self.rows:
            return rows_of(op)
        if self.sequences:
            return sequences_of(op, analyses.get(free_indices, function))
        if self.functions:
            return functions_of(op, analyses.get(free_indices, function))
        return terms_of(op)
