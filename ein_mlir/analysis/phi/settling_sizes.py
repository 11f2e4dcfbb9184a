"""Sizes of accumulators that settle: they are the same after each step, but not before the first.

::

    %r = phi.fold (%k < %n, %v = %x) -> !phi.vec<f64> {
      %next = phi.array (%i < %m) -> !phi.vec<f64> { .. }      // %m is a value from outside
      phi.yield %next : !phi.vec<f64>
    }

If ``%x`` has ``%m`` elements, as is usual, the accumulator keeps its size; if not, it does so from
the second step on. Neither can be proved here, but both are seen when the sizes are known.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, loop_of, terms_of
from ein_mlir.analysis.scopes import around, is_within, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term


def settles(op: phi.FoldOp, sizes: SizeEquivalence) -> bool:
    """Whether each array of an accumulator keeps its sizes, or has sizes from outside after a step.

    In folds around it, the sizes before the first step and the count are the same in each step.
    """
    inside = _Invariants(op, sizes)
    arrays = [term for term in terms_of(op.init) if term.axis is not None]
    if not all(inside.has(Term(op.yielded(), term.path, term.axis)) for term in arrays):
        return False
    outer = [
        _Invariants(each, sizes)
        for each in around(op.parent_op())
        if isinstance(each, phi.CountedOp)
    ]
    return all(each.has(term) for each in outer for term in (*arrays, Term(op.count)))


class _Invariants:
    """The sizes and Ints in the body of a fold that are the same in each step."""

    def __init__(self, fold: phi.CountedOp, sizes: SizeEquivalence):
        self._fold = fold
        self._sizes = sizes
        self._known: dict[Term, bool] = {}

    def has(self, term: Term) -> bool:
        """Whether a term does not depend on the counter or the accumulator of the fold.

        Sizes that a loop keeps are those before it. Of equal sizes that an assertion compares, one
        suffices.
        """
        if term not in self._known:
            self._known[term] = False
            self._known[term] = self._is_invariant(term)
        return self._known[term]

    def _is_invariant(self, term: Term) -> bool:
        if term.value is self._fold.accumulator:
            return self._is_kept(term)
        if not is_within(term.value, self._fold):
            return True
        loop = loop_of(term.value)
        if loop is not None:
            start = Term(loop.start, term.path, term.axis)
            return self._sizes.same(term, start) and self.has(start)
        op = term.value.owner
        if not isinstance(op, Operation):
            return False
        if isinstance(op, phi.AssertEqOp):
            return any(map(self.has, map(Term, op.operands)))
        if isinstance(op, phi.SizeOp):
            return self.has(Term(op.array, (), op.axis.value.data))
        if isinstance(op, phi.ConcatOp) and op.size is None and term.axis == 0:
            return all(self.has(Term(part, term.path, 0)) for part in (op.lhs, op.rhs))
        if (source := term.source) is not None:
            return self.has(source)
        return term.axis is None and all(map(self._is_independent, operands_within(op)))

    def _is_independent(self, value: SSAValue) -> bool:
        is_number = phi.is_scalar_type(value.type)
        return not is_within(value, self._fold) or (is_number and self.has(Term(value)))

    def _is_kept(self, term: Term) -> bool:
        if term.axis is None:
            return False
        before, after = (
            Term(value, term.path, term.axis) for value in (self._fold.start, self._fold.yielded())
        )
        return self._sizes.same(term, before) or self._sizes.is_compared(after, before)
