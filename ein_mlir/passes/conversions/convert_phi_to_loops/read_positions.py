"""The number of leading elements of a sorted vector that a program reads: only these are sorted."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.strided_positions import is_variable, size_of_variable
from ein_mlir.analysis.scopes import is_known_at
from ein_mlir.dialects import phi
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.indexing import clipped

MOST_CHOICES = 4
"""The most choices in each other of a position whose bound is sought."""


def number_read(
    conversion: Conversion, op: phi.ArgsortOp | phi.SortOp, size: SSAValue
) -> SSAValue | None:
    """The number of leading elements that are read, from 1 to the size; None if any may be."""
    number = conversion.index(1)
    for use in op.result.uses:
        get = use.operation
        if isinstance(get, phi.SizeOp):
            continue
        if not isinstance(get, phi.GetOp) or get.array is not op.result:
            return None
        last = _greatest(conversion, op, get.positions[0], MOST_CHOICES)
        if last is None:
            return None
        last = clipped(conversion, last, size)
        following = conversion.value_of(arith.AddiOp(last, conversion.index(1)))
        number = conversion.value_of(arith.MaxSIOp(number, following))
    return number


def _greatest(
    conversion: Conversion, op: Operation, position: SSAValue, choices: int
) -> SSAValue | None:
    """A bound of a position that is known before an operation: of ``min(t, 9)`` with t < k, k - 1.

    None if there is none, or if more choices than some depend on each other.
    """
    position = phi.uncast(position)
    owner = position.owner
    if (literal := known_int(position)) is not None:
        return conversion.index(literal)
    if is_known_at(position, op) and conversion.is_known(position):
        return conversion.position(position)
    if is_variable(position):
        steps = _greatest(conversion, op, size_of_variable(position), choices)
        return steps and conversion.value_of(arith.SubiOp(steps, conversion.index(1)))
    if not choices or not isinstance(owner, arith.MinSIOp | arith.MaxSIOp | arith.SelectOp):
        return None
    bounds = [_greatest(conversion, op, each, choices - 1) for each in owner.operands[-2:]]
    known = [each for each in bounds if each is not None]
    is_least = isinstance(owner, arith.MinSIOp)
    if len(known) < (1 if is_least else len(bounds)):
        return None
    first, last = known[0], known[-1]
    return conversion.value_of(
        arith.MinSIOp(first, last) if is_least else arith.MaxSIOp(first, last)
    )
