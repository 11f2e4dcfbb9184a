"""``interchange-folds``: elementwise sums of arrays become arrays of sums."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.equality import difference
from ein_mlir.analysis.phi.exceptional_terms import exceptional
from ein_mlir.analysis.phi.fold_components import separate_fields
from ein_mlir.analysis.phi.index_forms import IndexForms
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts
from ein_mlir.analysis.phi.ragged_folds import ragged_fold
from ein_mlir.analysis.phi.segment_keys import keys_of
from ein_mlir.analysis.phi.selections import reduction, step_of
from ein_mlir.analysis.phi.window_products import is_window_product
from ein_mlir.analysis.predicates import conjoined, predicate_of
from ein_mlir.analysis.scopes import is_within, reached, slice_within, sources
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import is_sum, takes_any_order
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.fields import raise_fields
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.guarded_counts import guard, unguarded
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.interchange import interchanged, pointwise
from ein_mlir.rewriting.phi.ranges import only_step
from ein_mlir.rewriting.phi.replacement import erase_all, insert_before, replace, replace_record
from ein_mlir.rewriting.phi.step_values import combine_once

_MOST_BEYOND = 16
"""The most elements that no step fills: they are computed, too."""


class Interchange(FoldRaiser["InterchangeFoldsPass"]):
    """Interchanges the folds of a function."""

    def fold(self, op: phi.FoldOp) -> None:
        """Interchange a fold, or fields of its accumulator that depend on no other."""
        if isinstance(op.result.type, phi.VecType):
            if _is_continued(op, ragged=self._options.ragged):
                _read_own_elements(op, self._forms)
            self._raise(op)
            return
        if groups := separate_fields(op, phi.ArrayOp):
            record = raise_fields(op, groups, self._raise, self._free, self._sizes)
            if record is not None:
                replace_record(record, record)

    def _raise(self, op: phi.FoldOp) -> bool:
        """Replace a fold by its interchange, if there is one."""
        new = self._try(op)
        if new is not None:
            self._replace(op, new)
        return new is not None

    def _try(self, op: phi.FoldOp) -> SSAValue | None:
        """Insert the interchange of a fold before it, if its folds are reductions; its result."""
        found = pointwise(op, self._sizes)
        if found is None:
            return None
        new = interchanged(op, found, self._sizes)
        if new is None:
            return None
        array = phi.ArrayOp.of(new[-1])
        fold = phi.FoldOp.of(array.yielded())
        combine_once(fold)
        insert_before(op, new, self._free, self._sizes)
        failing = unguarded(fold, besides=self._ragged(fold))
        if failing is None or not self._is_reduction(fold):
            erase_all(new)
            return None
        guard(fold, failing, Builder.before(array, self._free.add, self._sizes.add))
        self._note_fold(op, "combines each element independently")
        return array.result

    def _ragged(self, op: phi.FoldOp) -> phi.FoldOp | None:
        """The fold in a step whose count varies, if ``coalesce-folds`` makes both one."""
        if self._options.static:
            return None
        folds = (inner for inner in op.body.block.ops if isinstance(inner, phi.FoldOp))
        found = (ragged_fold(inner, lambda: self._forms) for inner in folds)
        return next((each.inner for each in found if each is not None and each.is_continued), None)

    def _is_reduction(self, op: phi.FoldOp) -> bool:
        """Whether a fold over elements is a reduction, of all values or of those of a key.

        Its steps may be folds that go on with the element, and are such reductions of as many
        values each: others are no accumulation together, but one for each step and element. A step
        may have other tests if the reduction correlates two vectors.
        """
        inner = op.yielded().owner
        if isinstance(inner, phi.FoldOp) and inner.init is op.accumulator:
            is_regular = op.counter not in reached([inner.count], sources)
            is_one = is_regular or self._ragged(op) is inner
            return is_one and op.accumulator.has_one_use() and self._is_reduction(inner)
        if self._is_filled(op):
            return True
        step = step_of(op)
        if step is None or not step.tests:
            return reduction(op) is not None and (
                not any(_compared_indices(op)) or exceptional(op, self._forms) is not None
            )
        if is_sum(step.combine.name) and any(
            is_window_product(op, value, self._forms) for value in step.parts(())
        ):
            return True
        keys, others = keys_of(op, step, self._forms)
        return (
            bool(keys)
            and takes_any_order(step.combine.name)
            and may_materialise_parts(
                op, [*(p for key in keys for p in key.parts), *step.parts(others)], self._free
            )
        )

    def _is_filled(self, op: phi.FoldOp) -> bool:
        """Whether each element has a step of its own, the value of which a loop computes.

        The comprehension has no more elements than there are steps, but for a few.
        """
        if not any(isinstance(each, phi.FoldOp) for each in op.body.block.ops):
            return False
        found, array = only_step(op, self._forms), op.parent_op()
        if found is None or not isinstance(array, phi.ArrayOp):
            return False
        places = [index for index in array.indices if index in found[1].coefficients]
        sizes = [array.sizes[array.indices.index(index)] for index in places]
        steps = self._forms.integer(op.count)
        beyond = [(self._forms.integer(size) - steps).known() for size in sizes]
        is_one = len(beyond) == len(list(_compared_indices(op))) == 1
        return is_one and beyond[0] is not None and 0 <= beyond[0] <= _MOST_BEYOND

    def _replace(self, op: phi.FoldOp, new: SSAValue) -> None:
        """Replace a fold by an array."""
        self._free.replace(op.result, new)
        replace(op, new, self._sizes)


def _is_continued(op: phi.FoldOp, *, ragged: bool) -> bool:
    """Whether a fold goes on with the accumulator of a fold around it, which does so, too.

    If not ``ragged``, the count must be the same in all steps of that one.
    """
    outer = op.parent_op()
    return (
        isinstance(outer, phi.FoldOp)
        and op.init is outer.accumulator
        and outer.yielded() is op.result
        and (ragged or not is_within(op.count, outer))
    )


def _compared_indices(op: phi.FoldOp) -> Iterator[SSAValue]:
    """The indices of its element that a fold over elements compares.

    Its comprehension may then update an array at one position in a step.
    """
    for inner in op.body.block.ops:
        if isinstance(inner, arith.CmpiOp) and predicate_of(inner) in ("eq", "ne"):
            yield from filter(phi.is_comprehension_index, map(phi.uncast, inner.operands))


def _read_own_elements(op: phi.FoldOp, forms: IndexForms) -> None:
    """``where(i == p, f(acc[p]), acc[i])  -->  where(i == p, f(acc[i]), acc[i])``

    in the comprehension of a step of a fold, if the step reads no other elements.
    """
    step = op.yielded().owner
    if not isinstance(step, phi.ArrayOp) or step.parent is not op.body.block:
        return
    choice = step.yielded().owner
    if not isinstance(choice, arith.SelectOp) or choice.parent is not step.body.block:
        return
    users = {use.operation for use in op.accumulator.uses}
    reads = [user for user in users if isinstance(user, phi.GetOp) and user.parent is step.parent]
    if not all(_is_own(read, step, choice, forms) for read in reads):
        return
    values = list(reached([read.result for read in reads], _results_of_users))
    if not reads or not all(_is_only_for(choice, value) for value in values):
        return
    build = Builder.before(choice, forms.add)
    own = build.get(op.accumulator, step.indices)
    known = dict[SSAValue, SSAValue]({read.result: own for read in reads})
    for each in slice_within(op, [choice.lhs]):
        if not known.keys() >= {*each.results} and not {*each.results}.isdisjoint(values):
            build.copy(each, known)
    choice.operands[1] = known[choice.lhs]
    erase_unused(op.body.block)


def _is_own(read: phi.GetOp, step: phi.ArrayOp, choice: arith.SelectOp, forms: IndexForms) -> bool:
    """Whether a choice takes its first value only at the positions of a read element."""
    found = (forms.equation(each) for each in conjoined(choice.cond))
    equations = [form for each in found if each is not None for form in (each, -each)]
    distances = [
        (forms.form(index) - forms.form(position)).reduced()
        for index, position in zip(step.indices, read.positions, strict=False)
    ]
    return len(read.positions) == len(step.indices) and all(
        any(difference(form, distance).known() == 0 for form in equations) for distance in distances
    )


def _results_of_users(value: SSAValue) -> Sequence[SSAValue]:
    """The values of the same body that an operation computes from a value."""
    users = (use.operation for use in value.uses)
    return [result for user in users if _is_beside(user, value) for result in user.results]


def _is_beside(user: Operation, value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and user.parent is value.owner.parent


def _is_only_for(choice: arith.SelectOp, value: SSAValue) -> bool:
    """Whether a value is only used for the first value of a choice."""
    return all(
        (use.operation is choice and use.index == 1)
        or (_is_beside(use.operation, value) and not use.operation.regions)
        for use in value.uses
    )


@dataclass(frozen=True)
class InterchangeFoldsPass(FoldPass):
    """Turns folds that combine arrays element by element into arrays of folds of the elements.

    Before, where ``%m`` is the size of ``%acc``::

        %s = phi.fold (%k < %n, %acc = %a) -> !phi.vec<f64> {
          phi.array (%i < %m) -> !phi.vec<f64> { %acc[%i] + %b[%k, %i] }
        }

    After, where it is that of ``%a``::

        %s = phi.array (%i < %m) -> !phi.vec<f64> {
          phi.fold (%k < %n, %acc = %a[%i]) -> f64 { %acc + %b[%k, %i] }
        }

    The folds of elements are then raised to sums along an axis, contractions or segment sums.
    Folds in a step that go on with the element are interchanged with it; what they read where they
    update, ``where(i == p, f(acc[p]), acc[i])``, is the element at the index. Comprehensions in a
    step that are read at the same index are evaluated at it. All other values of a step do not vary
    with the index, and are computed once for all elements, as before. A fold is not interchanged

    - if a step reads an element of the accumulator at another index, or the array as a whole;
    - if its step is no reduction: an array that is updated at one position in a step is better
      updated in place (``raise-updates``), also by a loop in the step whose count varies, unless
      each step has a row of its own: ``coalesce-folds`` makes these one fold; or if another loop
      computes the value, and the array has as many elements as there are steps;
    - if a step has a range of elements alone, unless it adds a multiple of a vector from a position
      on that moves with the step: the sum of these is a convolution;
    - if a step may raise an error other than that of a negative count, which is 0 without steps;
    - if its size is not provably that of the accumulator.

    Fields of a record that depend on no other are treated separately.
    """

    name = "interchange-folds"
    runs_again_after = ("raise-running-values", "raise-writes")
    raiser = Interchange

    static: bool = False
    """Whether sizes may not depend on data: then folds in a step take as many steps in each."""

    ragged: bool = True
    """Whether rows of several lengths may update an array at positions as sums by keys, too."""
