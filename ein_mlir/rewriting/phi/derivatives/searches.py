"""The linearisation of loops that search an extreme: the tangent is that of the element found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from math import inf, isfinite

from xdsl.dialects import arith
from xdsl.dialects.builtin import UnitAttr, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_float
from ein_mlir.analysis.phi.deviations import stationary_deviations
from ein_mlir.analysis.phi.searches import field_of, is_made_of_fields, leaf_values
from ein_mlir.analysis.phi.selections import Test, is_equation
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.stabilizers import stabilizers
from ein_mlir.analysis.phi.variables import is_carried
from ein_mlir.analysis.scopes import dependents
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.derivatives.tangents import Linearization, Tangents, zeros
from ein_mlir.rewriting.phi.fields import extended
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.reductions.searches import search_as_fold

_SEARCHES: Mapping[type[Operation], tuple[str, str]] = {
    arith.MaximumfOp: (">", "ogt"),
    arith.MaxnumfOp: (">", "ogt"),
    arith.MinimumfOp: ("<", "olt"),
    arith.MinnumfOp: ("<", "olt"),
}

STABILIZER, DEVIATION = "stabilizer", "deviation"
"""The marks of operations whose derivative is zero, or that of their first operand."""


def extreme(lin: Linearization, op: phi.FoldOp, build: Inserter) -> bool:
    """``fold { max acc, e(k) }  -->  de(p)`` for the first ``p`` with the largest ``e(p)``.

    The initial value has the tangent if it is at least as large, or if there are no steps. The
    elements of a segment have it before a number that others have in their place.
    """
    combine = op.yielded().owner
    if not isinstance(combine, Operation) or not _is_extreme(op):
        return False
    better, predicate = _SEARCHES[type(combine)]
    (operand,) = (each for each in combine.operands if each is not op.accumulator)

    segment = _segment_of(operand)

    def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
        known: dict[SSAValue, SSAValue] = {op.counter: inner.as_int(indices[0])}
        if segment is None:
            return inner.copied(op.body.block, [operand], known)[0]
        test, value = segment
        condition, own = inner.copied(op.body.block, [test.condition, value], known)
        least = -inf if better == ">" else inf
        return inner.select(condition, *((own, least) if test.expected else (least, own)))

    values = build.comprehension([op.count], element, [op.counter])
    position = build.emit(phi.ArgreduceOp(values, better))
    (tangent,) = _tangents_at(lin, op, [operand], position, build)
    if segment is not None and tangent is not None:
        is_own = build.compare(element(build, [position]), "==", op.result)
        tangent = build.select(is_own, tangent, 0.0)
    (initial,) = lin.of(op.init)
    if tangent is None and initial is None:
        return True
    is_found = build.compare(op.result, predicate, op.init)
    branches = [each or zeros(build, op.result) for each in (tangent, initial)]
    lin.define(op.result, (build.select(is_found, *branches),))
    return True


def _segment_of(element: SSAValue) -> tuple[Test, SSAValue] | None:
    """``key[k] == i`` and ``x[k]`` of ``where(key[k] == i, x[k], -1e9)``, for a finite number.

    Such a number is no element of the segment i: the extremes of all segments are one pass without.
    """
    op = element.owner
    if not isinstance(op, arith.SelectOp):
        return None
    for value, other, expected in ((op.lhs, op.rhs, True), (op.rhs, op.lhs, False)):
        number, test = known_float(other), Test(op.cond, expected)
        if number is not None and isfinite(number) and is_equation(test):
            return test, value
    return None


def last_replacements(
    lin: Linearization, op: phi.FoldOp, active: Sequence[int], build: Inserter
) -> bool:
    """``fold { where(c(acc, k), e(k), acc) }  -->  de(p)`` for the last step ``p`` that replaces.

    The fold also carries ``p``, for all Floats that the same steps replace. If none does, the
    tangents are those of the initial values.
    """
    found = _replacements(op, active)
    if found is None:
        return False
    body, counter = op.body.block, op.counter
    last = [body.insert_arg(i64, len(body.args)) for _ in found]
    end, before = Builder.before_end(body), Builder.before(op)
    after = [end.chosen(each.tests, counter, old) for each, old in zip(found, last, strict=True)]
    new = extended(op, last, [before.integer(-1) for _ in found], after)
    leaves, initial = before.leaves(new.result), lin.of(op.init)
    result = before.record(op.result.type, leaves)
    tangents: list[SSAValue | None] = [None] * len(initial)
    for each, position in zip(found, leaves[len(initial) :], strict=True):
        is_found = before.compare(position, "sge", 0)
        at = _tangents_at(lin, op, each.values, before.max(position, 0), build)
        for number, tangent in zip(each.numbers, at, strict=True):
            branches = [t or zeros(build, leaves[number]) for t in (tangent, initial[number])]
            tangents[number] = build.select(is_found, *branches)
    lin.define(result, tangents)
    op.result.replace_all_uses_with(result)
    Rewriter.erase_op(op)
    return True


@dataclass(frozen=True)
class _Replacement:
    """Floats that a loop carries, and that the same steps replace."""

    numbers: Sequence[int]
    tests: Sequence[Test]
    values: Sequence[SSAValue]
    """Their new values, which no earlier step affects."""


def _replacements(op: phi.FoldOp, active: Sequence[int]) -> Sequence[_Replacement] | None:
    """The replacements of Floats by tests, some of what the loop carries; None if one is not so."""
    if not is_made_of_fields(op.yielded()):
        return None
    steps, groups = leaf_values(op.yielded()), defaultdict[SSAValue | None, list[int]](list)
    for number in active:
        select = steps[number].owner
        groups[select.cond if isinstance(select, arith.SelectOp) else None].append(number)
    varying = dependents(op.body.block, op.accumulator)
    found = [_replacement(op, steps, numbers, varying) for numbers in groups.values()]
    known = [each for each in found if each is not None]
    is_search = any(test.condition in varying for each in known for test in each.tests)
    return known if is_search and len(known) == len(found) else None


def _replacement(
    op: phi.FoldOp, steps: Sequence[SSAValue], numbers: Sequence[int], varying: Set[SSAValue]
) -> _Replacement | None:
    """The choices between scalars that are kept and others, one in the other."""

    def are_kept(values: Sequence[SSAValue]) -> bool:
        return [field_of(each, op.accumulator) for each in values] == list(numbers)

    values, tests = [steps[k] for k in numbers], list[Test]()
    while not varying.isdisjoint(values):
        selects = [each.owner for each in values if isinstance(each.owner, arith.SelectOp)]
        if len(selects) < len(values) or len({each.cond for each in selects}) > 1:
            return None
        new, old = [each.lhs for each in selects], [each.rhs for each in selects]
        if not (is_expected := are_kept(old)):
            new, old = old, new
        if not are_kept(old):
            return None
        tests.append(Test(selects[0].cond, is_expected))
        values = new
    is_scalar = all(phi.is_scalar_type(each.type) for each in values)
    return _Replacement(numbers, tests, values) if is_scalar else None


def _tangents_at(
    lin: Linearization,
    op: phi.FoldOp,
    values: Sequence[SSAValue],
    position: SSAValue,
    build: Inserter,
) -> Tangents:
    """The tangents of values of a step, which depend on the counter alone, at a position."""
    block = Block(arg_types=[i64])
    inner = Builder.at_end(block)
    own = inner.copied(op.body.block, values, {op.counter: block.args[0]})
    terminator = inner.insert(phi.YieldOp(inner.packed(own)))
    lin.block(block)
    tangents = lin.of_yielded(block)  # loops among the values may have been replaced
    Rewriter.erase_op(terminator)
    build.move(*block.ops)
    block.args[0].replace_all_uses_with(position)
    return tangents


def searches_as_folds(op: Operation) -> None:
    """Searches for positions become folds, as those of programs are.

    A search for the extremes of all segments of a key is then one pass.
    """
    for each in list(op.walk()):
        if isinstance(each, phi.ArgreduceOp):
            search_as_fold(each)


def _is_extreme(op: phi.FoldOp) -> bool:
    """``fold { max acc, e(k) }``"""
    combine = op.yielded().owner
    return (
        type(combine) in _SEARCHES
        and [use.operation for use in op.accumulator.uses] == [combine]
        and is_regular(op)
    )


def is_running(op: Operation) -> bool:
    """``max acc, e``, where a fold carries ``acc``: the value before is one operand only."""
    return type(op) in _SEARCHES and sum(map(is_carried, op.operands)) == 1


def running(lin: Linearization, op: Operation, build: Inserter) -> None:
    """``max acc, e  -->  select e > acc, de, dacc``: of equal elements the first one is found."""
    before, element = sorted(op.operands, key=is_carried, reverse=True)
    tangents = [lin.of(each)[0] or zeros(build, each) for each in (element, before)]
    is_found = build.compare(element, _SEARCHES[type(op)][1], before)
    lin.define(op.results[0], (build.select(is_found, *tangents),))


def mark_stabilizers(op: phi.DerivativeAtPointOp) -> None:
    """Mark the extremes whose derivative is zero, since they only keep floats in range.

    ``m = fold { max acc, x[k] }`` in ``m + log (fold { acc + exp (x[k] - m) })``
    """
    extremes = [
        each
        for each in op.walk()
        if type(each) in _SEARCHES or (isinstance(each, phi.FoldOp) and _is_extreme(each))
    ]
    for each in stabilizers(op, extremes):
        each.attributes[STABILIZER] = UnitAttr()


def mark_deviations(op: phi.DerivativeAtPointOp, sizes: SizeEquivalence) -> None:
    """Mark the differences from means on which a variance does not depend by these means."""
    for each in stationary_deviations(op, sizes):
        each.attributes[DEVIATION] = UnitAttr()


def is_deviation(op: Operation) -> bool:
    """Whether an operation is marked as a difference from a mean without a derivative in it."""
    return DEVIATION in op.attributes


def deviation(lin: Linearization, op: Operation, build: Inserter) -> None:
    """``x - m  -->  dx``, in a sum that is stationary in ``m``"""
    lin.define(op.results[0], lin.of(op.operands[0]))


def is_stabilizer(op: Operation) -> bool:
    """Whether an operation is marked as one whose derivative is zero."""
    return STABILIZER in op.attributes
