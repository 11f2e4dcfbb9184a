"""``split-sums``: a sum with one exceptional term becomes that term and two running sums.

Or that term alone, if the others are zeros, and the one step with an effect, if there is only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce

from typing_extensions import TypeIs
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.constants import known_float
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.exceptional_terms import (
    Conditions,
    Exceptional,
    exceptional,
    zeros_among,
)
from ein_mlir.analysis.phi.known_sizes import has_few_steps
from ein_mlir.analysis.phi.memory_cost import may_materialise_array, may_materialise_parts
from ein_mlir.analysis.phi.selections import is_neutral, reduction, step_of
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.predicates import CHOICES
from ein_mlir.analysis.scopes import dependents, reached
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import STRICT_IN_NAN
from ein_mlir.dialects.fastmath import permits
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.builders import folded
from ein_mlir.rewriting.phi.fold_passes import FoldPass, FoldRaiser
from ein_mlir.rewriting.phi.insertion import Builder, Emitter, Inserter
from ein_mlir.rewriting.phi.ranges import only_step
from ein_mlir.rewriting.phi.replacement import erase_all, insert_before, replace
from ein_mlir.rewriting.phi.step_values import Known, step_of_index


class Splitter(FoldRaiser["SplitSumsPass"]):
    """Splits the sums of a function."""

    def fold(self, op: phi.FoldOp) -> None:
        """``fold (k < n, acc = x) { acc + where(k == p, e, f) }`` as x, e[k := p] and two sums."""
        if self._single(op):
            return
        found = exceptional(op, self._forms)
        if found is None:
            return
        emitter = Emitter()
        position = _position(op, found.position, emitter, {})
        own = self._propagated(op, found, position, emitter)
        parts = [] if is_neutral(op.init, found.neutral) else [op.init]
        if own is None and has_few_steps(op):
            erase_all(emitter.ops)
            return
        if own is not None:
            # The sum of zeros is positive also if its only term is a negative zero.
            parts = [*(parts or [emitter.constant(found.neutral)]), own]
        else:
            parts.append(self._own_term(op, found, position, emitter))
            parts += (
                emitter.emit(_sum(op, found, position, side, emitter)) for side in ("slt", "sgt")
            )
        total = reduce(partial(emitter.same, found.combine), parts)
        insert_before(op, emitter.ops, self._free)
        if all(self._may_materialise(each) and self._is_guarded(each) for each in emitter.ops):
            replace(op, total, self._free)
        else:
            erase_all(emitter.ops)

    def _single(self, op: phi.FoldOp) -> bool:
        """``fold (k < n, acc = x) { where(k == p, e, acc) }  -->  where(0 <= p < n, e[k := p], x)``

        Whether a fold had only one step with an effect.
        """
        found = only_step(op, self._forms)
        if found is None:
            return False
        (test, position), build = found, Builder.before(op, self._free.add)
        values: dict[SSAValue, SSAValue] = {op.accumulator: _start(op, build)}
        place = _position(op, position, build, values)
        values[op.counter] = place
        values[test.condition] = build.truth(test.expected)
        (result,) = build.copied(op.body.block, [op.yielded()], values)
        if not self._is_in_range(position, op):
            inside = build.compare(place, "ult", op.count)
            result = build.select(inside, result, op.init)
        replace(op, result, self._free)
        return True

    def _is_in_range(self, position: LinearForm, op: phi.FoldOp) -> bool:
        """Whether a position is provably a step of a fold."""
        forms = self._forms
        return (
            forms.is_exact(position)
            and forms.is_nonnegative(position)
            and forms.is_below(position, forms.integer(op.count))
        )

    def _propagated(
        self, op: phi.FoldOp, found: Exceptional, position: SSAValue, emitter: Inserter
    ) -> SSAValue | None:
        """The exceptional term, or NaN, if the other terms are zeros or NaN.

        ``0.0 * y[k]`` is NaN if ``y[k]`` is not finite, so the sum is the element at the position
        of ``propagate_nan (array (k < n) { e }) from y``, except for the sign of a zero. If ``e``
        is NaN where ``y`` is, that is ``e`` with ``propagate_nan y from y`` for ``y``.
        """
        if not self._is_step(position, op):
            return None
        conditions = _conditions(op, found)
        if conditions is None:
            return None
        if permits(found.combine, "nnan", "ninf"):
            conditions = ()
        if all(_is_nan_with(condition, op, found) for condition in conditions):
            values: dict[SSAValue, SSAValue] = {op.counter: position}
            for condition in conditions:
                values[condition] = _checked(op, found, condition, position, emitter)
            return _copy(op, found, found.term, values, emitter, exceptional=True)
        terms = _array(op, found, found.term, emitter, exceptional=True)
        for condition in conditions:
            others = _array(op, found, condition, emitter, exceptional=False)
            terms = emitter.emit(phi.PropagateNanOp(terms, others))
        return emitter.get(terms, [position])

    def _is_guarded(self, op: Operation) -> bool:
        """Whether no derivative is infinite in a step that the sum does not have.

        Such a step is in a loop. The exceptional term is chosen only if there is a step of it.
        """
        return not (self._differentiable and op.regions and any(map(is_singular, op.walk())))

    def _may_materialise(self, op: Operation) -> bool:
        """Whether memory allows a running sum of the terms that a fold selects, or an array."""
        if isinstance(op, phi.ArrayOp):
            return may_materialise_array(op, self._free)
        return not isinstance(op, phi.FoldOp) or self._may_scan(op)

    def _may_scan(self, op: phi.FoldOp) -> bool:
        step = step_of(op)
        return step is not None and may_materialise_parts(op, step.parts([]), self._free)

    def _own_term(
        self, op: phi.FoldOp, found: Exceptional, position: SSAValue, emitter: Inserter
    ) -> SSAValue:
        """The exceptional term; zero if no step equals the position."""
        values: dict[SSAValue, SSAValue] = {op.counter: position}
        term = _copy(op, found, found.term, values, emitter, exceptional=True)
        if self._is_step(position, op):
            return term
        inside = emitter.compare(position, "ult", op.count)
        return emitter.select(inside, term, emitter.constant(found.neutral))

    def _is_step(self, position: SSAValue, op: phi.FoldOp) -> bool:
        """Whether a position is an index whose size is the count of a fold."""
        cast = position.owner
        if not isinstance(cast, arith.IndexCastOp) or not phi.is_comprehension_index(cast.input):
            return False
        owner = cast.input.owner
        array = phi.ArrayOp.of(owner.parent_op() if isinstance(owner, Block) else None)
        return self._sizes.same(array.sizes[array.indices.index(cast.input)], op.count)


def _start(op: phi.FoldOp, build: Builder) -> SSAValue:
    """The value that the first step reads: -0 for a sum from 0, whose zeros have either sign."""
    found, type_ = reduction(op), op.result.type
    is_sum = found is not None and isinstance(found[0], arith.AddfOp)
    if is_sum and known_float(op.init) == 0.0 and isa(type_, AnyFloat):
        return build.constant(FloatAttr(-0.0, type_))
    return op.init


def _position(
    op: phi.FoldOp, position: LinearForm, emitter: Inserter, values: dict[SSAValue, SSAValue]
) -> SSAValue:
    """A position outside of a fold; copied values are added to ``values``."""
    emitter.copied(op.body.block, list(position.coefficients), values)
    return emitter.linear_value(position, lambda atom: values.get(atom, atom))


def _sum(
    op: phi.FoldOp, found: Exceptional, position: SSAValue, predicate: str, outside: Emitter
) -> phi.FoldOp:
    """The sum of the terms at the steps before a position, or after it."""
    zero = outside.constant(found.neutral)

    def step(build: Builder, counter: SSAValue, accumulator: SSAValue) -> SSAValue:
        term = _copy(op, found, found.term, {op.counter: counter}, build, exceptional=False)
        chosen = build.select(build.compare(counter, predicate, position), term, zero)
        return build.same(found.combine, accumulator, chosen)

    fold = folded(op, zero, step)
    erase_unused(fold.body.block)
    return fold


def _array(
    op: phi.FoldOp, found: Exceptional, value: SSAValue, build: Inserter, *, exceptional: bool
) -> SSAValue:
    """The array of a value of the body at each step, as if that were the exceptional one.

    Or as if it were one of the others.
    """

    def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
        values: Known = {op.counter: step_of_index(inner, op, own[0])}
        return _copy(op, found, value, values, inner, exceptional=exceptional)

    array = build.comprehension([op.count], element, [op.counter])
    erase_unused(phi.ArrayOp.of(array).body.block)
    return array


def _conditions(op: phi.FoldOp, found: Exceptional) -> Conditions | None:
    """The values that must be finite for the other terms to be zeros; None if they may not be."""
    emitter, values = Emitter(), dict[SSAValue, SSAValue]()
    term = _copy(op, found, found.term, values, emitter, exceptional=False)
    conditions = zeros_among(emitter.ops).get(term)
    originals = {new: old for old, new in values.items() if not _is_choice(old.owner, found)}
    erase_all(emitter.ops)
    return None if conditions is None else tuple(originals.get(x, x) for x in conditions)


def _is_choice(op: Operation | Block, found: Exceptional) -> TypeIs[arith.SelectOp]:
    return isinstance(op, arith.SelectOp) and op.cond is found.condition


def _is_nan_with(value: SSAValue, op: phi.FoldOp, found: Exceptional) -> bool:
    """Whether the exceptional term is NaN if a value that it depends on is."""

    def strict(current: SSAValue) -> Sequence[SSAValue]:
        inner = current.owner
        if _is_choice(inner, found):
            return (inner.lhs if found.equal else inner.rhs,)
        return inner.operands if _is_strict(inner) and inner.parent is op.body.block else ()

    return value in reached([found.term], strict)


def _is_strict(op: Operation | Block) -> TypeIs[Operation]:
    return isinstance(op, Operation) and op.name in STRICT_IN_NAN


def _checked(
    op: phi.FoldOp, found: Exceptional, value: SSAValue, position: SSAValue, emitter: Inserter
) -> SSAValue:
    """A value at the exceptional step, or NaN if it is not finite at another step.

    For a loop-invariant value it suffices that there is another step.
    """
    if value in dependents(op.body.block, op.counter):
        arrays = (
            _array(op, found, value, emitter, exceptional=exceptional)
            for exceptional in (True, False)
        )
        return emitter.get(emitter.emit(phi.PropagateNanOp(*arrays)), [position])
    (value,) = emitter.copied(op.body.block, [value], {})
    assert isa(value.type, AnyFloat)
    zero = emitter.constant(FloatAttr(0.0, value.type))
    one = emitter.integer(1)
    has_others = emitter.compare(op.count, "sgt", one)
    part = emitter.add(value, emitter.mul(value, zero))
    return emitter.select(has_others, part, value)


def _copy(
    op: phi.FoldOp,
    found: Exceptional,
    value: SSAValue,
    values: dict[SSAValue, SSAValue],
    build: Inserter,
    *,
    exceptional: bool,
) -> SSAValue:
    """A copy of a value of a step, given whether it is the exceptional one."""
    values[found.condition] = build.truth(found.equal == exceptional)
    return build.copied(op.body.block, [value], values)[0]


@dataclass(frozen=True)
class SplitSumsPass(FoldPass):
    """Splits the one term that differs from the others off a sum.

    Before::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          phi.fold (%k < %n, %acc = %x) -> f64 { %acc + %w[%k] * select (%k == %i), %one, %half }
        }

    After, with the sum of ``w[k] * half`` over the steps k > i in %behind likewise::

        %r = phi.array (%i < %n) -> !phi.vec<f64> {
          %before = phi.fold (%k < %n, %acc = %zero) -> f64 {
            %acc + select (%k < %i), %w[%k] * %half, 0
          }
          ..
          phi.yield %x + %w[%i] * %one + %before + %behind : f64
        }

    The sums are then scans (``raise-scans``), so that n sums take n steps and not n times n. A sum
    is unchanged if the other terms vary with the index, too, if their array would need more memory
    than the arrays that are read, or if it has few terms, which a product with a matrix adds.

    Such sums arise from unit vectors, as in derivatives by each of many variables. A product with a
    mask is no selection, since zero times NaN is NaN. But the only relevant fact about the other
    terms is whether one of them is NaN. So with ``%zero`` for ``%half``, as if the exceptional term
    had a factor that is NaN then::

        %0 = phi.propagate_nan %w from %w : !phi.vec<f64> from !phi.vec<f64>
        ..
        phi.yield %x + %0[%i] * %one : f64

    A fold of scalars in which one step only has an effect, ``where(k == p, e, acc)``, is that step,
    if it is a step of the fold: ``where(0 <= p < n, e[k := p], x)``.
    """

    name = "split-sums"
    beside = CHOICES
    raiser = Splitter

    differentiable: bool = False
    """Whether sums of other terms whose derivative may be infinite stay whole."""
