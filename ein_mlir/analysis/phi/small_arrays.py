"""Small arrays in loops of Python: their sizes, and the cost rule of their elements.

An operation on arrays is a call, which takes the same time for any few elements. An operation on
numbers of Python takes a small part of it. The unit of both is such an operation, 40 ns.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import f64, i1, i64
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.element_cost import DIVISION, FUNCTION, cost
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, Term, loops_around
from ein_mlir.analysis.scopes import operands_within
from ein_mlir.dialects import phi

MOST_ELEMENTS = 16
"""The most elements of an array that becomes numbers."""

CALL = 25
"""The time of a call on arrays: 1 us."""

NUMBER = 3
"""The time of an operation on numbers of NumPy."""

SLOW = 3
"""The time of a function, a division, an extreme or an update on numbers of Python."""

STEPS = 10
"""The steps of an inner loop, if no smaller count is known."""

NUMBERS: Collection[Attribute] = frozenset((f64, i64, i1))
"""The types of numbers that Python has."""

COMPUTED = (phi.AccumulateOp, phi.ArgreduceOp, phi.ArrayOp, phi.ConcatOp, phi.ReduceOp, phi.ScanOp)
"""Operations that are calls, of which a step has one if it is to gain."""

SCALARIZED = (
    *COMPUTED,
    phi.AssertEqOp,
    phi.FoldOp,
    phi.GetOp,
    phi.ProjOp,
    phi.SizeOp,
    phi.TupleOp,
    phi.UpdateOp,
    phi.WhileOp,
    phi.YieldOp,
)
"""The operations on arrays and records that have a rule on elements."""

_SLOW = (arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp, phi.UpdateOp)


class SmallSizes:
    """The sizes that are provably small numbers, in loops also by their assertions."""

    def __init__(self, sizes: SizeEquivalence):
        self._sizes = sizes
        self._numbers = dict[tuple[Operation, ...], Mapping[Term | int, int]]()

    def number(self, size: Term, at: Operation) -> int | None:
        """A size at an operation, if it is a small number."""
        loops = tuple(loops_around(at))
        if loops not in self._numbers:
            numbers = range(MOST_ELEMENTS + 1)
            self._numbers[loops] = {self._class(number, loops): number for number in numbers}
        return self._numbers[loops].get(self._class(size, loops))

    def _class(self, size: Term | int, loops: Sequence[Operation]) -> Term | int:
        return self._sizes.class_in(loops, self._sizes.representative(size))

    def shape(
        self, array: SSAValue, type_: Attribute, at: Operation, path: phi.Path = ()
    ) -> Sequence[int] | None:
        """The sizes of an array, or of such a field of a record, if it has few elements."""
        terms = [Term(array, path, axis) for axis in range(phi.rank_of(type_))]
        shape = [size for term in terms if (size := self.number(term, at)) is not None]
        is_small = len(shape) == len(terms) and 0 < prod(shape) <= MOST_ELEMENTS
        return shape if is_small else None


def time_of_numbers(op: Operation) -> int:
    """The time of an operation on numbers of Python, and of those in its body."""
    if op.regions:
        return _weight(op) * sum(map(time_of_numbers, op.regions[0].block.ops))
    if isinstance(op, _SLOW):
        return SLOW
    known = cost(op)
    return 1 if known is None else SLOW if known >= DIVISION else min(known, 1)


def time_of_calls(op: Operation) -> int:
    """The time of an operation that calls NumPy, and of those in its body."""
    return _time_of_calls(op, set())


def _time_of_calls(op: Operation, indices: set[SSAValue]) -> int:
    """The same, where ``indices`` are those around it, and the values that vary with them."""
    varies = not indices.isdisjoint([*op.operands, *operands_within(op)])
    if varies:
        indices.update(op.results)
    if op.regions and not isinstance(op, phi.ReduceOp):
        arguments = op.regions[0].block.args
        if isinstance(op, phi.ArrayOp | phi.AccumulateOp):
            indices.update(arguments)
        inner = sum(_time_of_calls(each, indices) for each in op.regions[0].block.ops)
        own = 8 * CALL if isinstance(op, phi.AccumulateOp) else 0
        return own + _weight(op) * inner
    known = cost(op)
    if isinstance(op, phi.GetOp):
        is_view = all(isinstance(p, BlockArgument) or p not in indices for p in op.positions)
        return CALL if varies and not is_view else NUMBER * (not varies)
    if known == 0 or isinstance(op, phi.AssertEqOp):
        return 0
    if varies or any(phi.rank_of(value.type) for value in (*op.operands, *op.results)):
        return CALL
    return CALL if known == FUNCTION else NUMBER


def _weight(op: Operation) -> int:
    """The number of times that a body runs, in each step of the loop around it."""
    if not isinstance(op, phi.FoldOp | phi.WhileOp):
        return 1
    count = known_int(op.count)
    return STEPS if count is None else min(max(count, 0), STEPS)
