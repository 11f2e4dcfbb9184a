"""The cost rule of loops: whether an element is computed where it is read, or stored.

An element is computed where it is read

- if each element is read at most once; or
- if it is cheap: the cost of one element is at most ``CHEAP``; or
- if it is read a few times: the cost of all its further computations is at most ``FEW_READS``.

Otherwise it is computed once and stored. The unit is an addition, or a load from a near cache.
Conditions on indices are free: loops are split where they change. So are sums of indices and
numbers, and their clips: they are parts of addresses. Conditions on such sums cost as much as two:
where a window is read, they change in other steps for each index.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.divided_indices import wraps_around
from ein_mlir.dialects import phi, sigma

CHEAP = 4
"""The most that an element may cost that is computed in each step of another loop."""

FEW_READS = 24
"""The most that the second and further computations of an element may cost, at all its reads."""

DIVISION, FUNCTION = 8, 30
"""The costs of a division or a root, and of a function such as ``exp``."""

SHORT = 16
"""The most steps of a fold that is unrolled."""

_FREE = (arith.ConstantOp, arith.IndexCastOp, phi.TupleOp, phi.ProjOp, phi.YieldOp, phi.SizeOp)
_LOGIC = (arith.AndIOp, arith.OrIOp, arith.XOrIOp)
_OF_ADDRESSES = (arith.AddiOp, arith.SubiOp, arith.MaxSIOp, arith.MinSIOp)
_DIVISIONS = (
    arith.DivfOp,
    arith.DivSIOp,
    arith.DivUIOp,
    arith.RemSIOp,
    arith.RemUIOp,
    arith.FloorDivSIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    math.SqrtOp,
    math.RsqrtOp,
    sigma.FloorModOp,
)
_SIMPLE_FUNCTIONS = (
    math.AbsFOp,
    math.AbsIOp,
    math.CeilOp,
    math.CopySignOp,
    math.FloorOp,
    math.FmaOp,
    math.RoundEvenOp,
    math.RoundOp,
    math.TruncOp,
)


def cost(op: Operation) -> int | None:
    """The cost of an operation of an element; None for a loop, or an operation on arrays."""
    if isinstance(op, _FREE) or _is_condition(op) or _is_address(op):
        return 0
    if isinstance(op, phi.PhiOp):
        is_load = isinstance(op, phi.GetOp) and phi.is_scalar_type(op.result.type)
        return 1 if is_load else None
    if not all(phi.is_scalar_type(result.type) for result in op.results):
        return None
    if isinstance(op, sigma.FloorModOp) and wraps_around(op):
        return 1
    if isinstance(op, arith.CmpiOp) and any(_is_address(value.owner) for value in op.operands):
        return 2
    if isinstance(op, _DIVISIONS):
        return 1 if _is_shift(op) else DIVISION
    return FUNCTION if is_function(op) else 1


def total_cost(ops: Iterable[Operation]) -> float:
    """The cost of some operations; infinite if there are loops among them."""
    costs = map(cost, ops)
    return sum(inf if each is None else each for each in costs)


def _is_shift(op: Operation) -> bool:
    """Whether a division of Ints, or its remainder, is by a power of two."""
    divisor = known_int(op.operands[-1])
    return divisor is not None and divisor > 0 and divisor.bit_count() == 1


def _is_condition(op: Operation) -> bool:
    """Whether an operation compares an index, or combines conditions."""
    if isinstance(op, arith.CmpiOp):
        return any(map(_is_index, op.operands))
    return isinstance(op, _LOGIC) and op.results[0].type == i1


def _is_address(op: Operation | Block, depth: int = 3) -> bool:
    """Whether an operation adds numbers and sizes to an index, or clips that, a few times."""
    return isinstance(op, _OF_ADDRESSES) and all(
        _is_index(value)
        or isinstance(value.owner, arith.ConstantOp | phi.SizeOp)
        or (depth > 0 and _is_address(value.owner, depth - 1))
        for value in op.operands
    )


def _is_index(value: SSAValue) -> bool:
    return phi.is_comprehension_index(phi.uncast(value))


def is_function(op: Operation) -> bool:
    """Whether an operation is a function such as ``exp``, which takes many instructions."""
    return op.name.startswith("math.") and not isinstance(op, (*_SIMPLE_FUNCTIONS, *_DIVISIONS))


def short_count(op: phi.FoldOp) -> int | None:
    """The number of steps of a fold that has some, and few enough to be unrolled."""
    count = known_int(op.count)
    return count if count is not None and 0 < count <= SHORT else None


def is_profitable(element: float, reads: int, is_repeated: bool) -> bool:
    """The rule above, for an element of a cost that is read at some places, once each or more."""
    if reads == 1 and not is_repeated:
        return True
    return element <= CHEAP if is_repeated else element * (reads - 1) <= FEW_READS
