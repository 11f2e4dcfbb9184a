"""Bounds of the elements of programs that become loops on a library, by their arguments.

They are known before any pass: they choose the version of a program that a call compiles first.
Nothing but time depends on them. A fold becomes a loop in two cases:

- a step computes more than ``acc + x`` for an ``x`` that does not depend on the accumulator;
- the terms of a sum take more elements than an array has that is read there, and are not products,
  which are contractions: ``fold (k < n, acc) { acc + |a[i, k] - a[j, k]| }`` at each ``i, j``;
  products with windows of vectors, ``a[i + k]``, are contractions of blocks.

The elements at all indices around an operation, and in all steps of sums, count as computed at
once. Steps of a loop are taken to keep the sizes of accumulators.
"""

from __future__ import annotations

from typing import TypeAlias

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import IndexType, IntegerType, bf16, f64
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.phi.extents import Extents
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.dialects import phi
from ein_mlir.host.extents import Bounds, Number

Around: TypeAlias = tuple[Number, ...]
"""The sizes of the indices and the sums around an operation."""

FUNCTION = 2
"""The elements that a function such as ``exp`` counts as: arithmetic takes less time."""

SLOW_FUNCTION = 8
"""Those that a function counts as that NumPy computes slower than PyTorch: ``sin`` of ``f64``."""

_COMBINED = (
    arith.AddfOp,
    arith.AddiOp,
    arith.AndIOp,
    arith.MaximumfOp,
    arith.MaxSIOp,
    arith.MinimumfOp,
    arith.MinSIOp,
    arith.MulfOp,
    arith.MuliOp,
    arith.OrIOp,
)
_OF_PRODUCTS = (
    arith.ConstantOp,
    arith.MulfOp,
    arith.SelectOp,
    phi.FoldOp,
    phi.GetOp,
    phi.ProjOp,
    phi.TupleOp,
    phi.YieldOp,
)
_UNKNOWN = (func.CallOp, phi.DerivativeOp, phi.ExternOp)


class _UnknownError(Exception):
    """A size is not known, or the program has an operation that says nothing of its elements."""


def bounds_of_loops(function: func.FuncOp) -> Bounds | None:
    """The bounds of what a program computes at once, if some fold becomes a loop.

    None if none does, if a size does not follow from the arguments, and for calls, derivatives
    and ``bf16``, which NumPy does not have.
    """
    elements = _Elements(function.body.block)
    try:
        elements.visit(function.body.block, ())
    except _UnknownError:
        return None
    return tuple(elements.bounds) if elements.has_loops else None


class _Elements:
    """The numbers of elements of the operations of a function."""

    def __init__(self, entry: Block):
        self.bounds = dict[Around, None]()
        self.has_loops = False
        self._extents = Extents(entry)

    def visit(self, block: Block, around: Around) -> None:
        """Note the elements of the operations of a block."""
        self.bounds[around] = None
        for op in block.ops:
            if is_function(op):
                self.bounds[*around, SLOW_FUNCTION if _is_slow(op) else FUNCTION] = None
            if isinstance(op, _UNKNOWN) or any(
                phi.scalar_of(type_) == bf16 for type_ in op.result_types
            ):
                raise _UnknownError
            if op.regions:
                self.visit(op.regions[0].block, (*around, *self._sizes(op, around)))

    def _sizes(self, op: Operation, around: Around) -> Around:
        """The sizes that an operation adds to those around its body."""
        if isinstance(op, phi.ArrayOp | phi.AccumulateOp):
            return tuple(map(self._known, op.sizes))
        if not isinstance(op, phi.FoldOp) or not _is_sum(op):
            self.has_loops |= isinstance(op, phi.FoldOp | phi.WhileOp)
            return ()
        self.has_loops |= _is_spread(op, len(around) + 1)
        return (self._known(op.count),)

    def _known(self, size: SSAValue) -> Number:
        number = self._extents.number(size)
        if number is None:
            raise _UnknownError
        return number


def _is_slow(op: Operation) -> bool:
    return isinstance(op, math.SinOp | math.CosOp) and op.result.type == f64


def _is_sum(fold: phi.FoldOp) -> bool:
    """Whether each step combines the fields of the accumulator with values that read none."""
    steps = [step.owner for step in leaf_values(fold.yielded())]
    fields: list[SSAValue] = [fold.accumulator]
    for field in fields:
        for use in field.uses:
            if isinstance(use.operation, phi.ProjOp):
                fields.append(use.operation.result)
            elif use.operation not in steps:
                return False
    return all(isinstance(step, _COMBINED) and step.parent is fold.body.block for step in steps)


def _reads_window(op: Operation) -> bool:
    """Whether an operation reads an element of a vector at a sum or a difference of Ints."""
    return (
        isinstance(op, phi.GetOp)
        and len(op.positions) == 1
        and isinstance(op.positions[0].owner, arith.AddiOp | arith.SubiOp)
    )


def _is_spread(fold: phi.FoldOp, rank: int) -> bool:
    """Whether the terms of a sum have more indices than the arrays in it, and are no products."""
    is_product, steps = True, [step.owner for step in leaf_values(fold.yielded())]
    for op in fold.body.block.ops:
        if isinstance(op, phi.GetOp) and len(op.positions) >= rank:
            return False
        is_number = all(isinstance(each, IndexType | IntegerType) for each in op.result_types)
        is_product &= is_number or isinstance(op, _OF_PRODUCTS) or op in steps
        is_product &= not _reads_window(op)
    return not is_product
