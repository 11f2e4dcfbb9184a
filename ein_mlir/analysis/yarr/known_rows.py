"""Known rows: vectors that follow from sizes alone, which NumPy computes when JAX traces a program.

XLA computes the elements of a vector again wherever it reads them: in a table of all pairs of rows
and columns, those of a row once for each row. A vector of known numbers is a constant instead::

    %i = yarr.range %n : tensor<?xi64>                                   // n is static
    %x = yarr.elementwise { arith.sitofp } %i : ..
    %y = yarr.elementwise { math.sin } %x : (tensor<?xf64>) -> tensor<?xf64>
    %z = yarr.unsqueeze %y, [0] : tensor<?xf64> -> tensor<1x?xf64>       // y is a known row
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import bf16
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.scopes import of_kinds, operations_within, reached, sources
from ein_mlir.analysis.yarr.static_values import StaticValues
from ein_mlir.dialects import sigma, yarr

_CHEAP = (math.AbsFOp, math.CopySignOp)

_COSTLY = (
    arith.DivfOp,
    arith.DivSIOp,
    arith.FloorDivSIOp,
    arith.FPToSIOp,
    arith.RemSIOp,
    sigma.FloorModOp,
)
"""Operations that take longer than a read of their result, beside functions."""


def known_rows(block: Block, static: StaticValues) -> set[SSAValue]:
    """The values that compute the known rows of a function, which are computed before it.

    A row is costly to compute, and is read along another axis.
    """
    rows = _Rows(static)
    read = (op.array for op in of_kinds(operations_within(block), yarr.UnsqueezeOp))
    return set(rows.behind(row for row in read if rows.is_known(row) and rows.is_costly(row)))


class _Rows:
    """Which values follow from sizes, and which of them are costly."""

    def __init__(self, static: StaticValues):
        self._static = static
        self._known = dict[SSAValue, bool]()

    def is_known(self, value: SSAValue) -> bool:
        """Whether a number or vector follows from static values."""
        if value not in self._known:
            self._known[value] = value in self._static or self._follows(value.owner)
        return self._known[value]

    def _follows(self, op: Operation | Block) -> bool:
        match op:
            case arith.ConstantOp() | yarr.SizeOp():
                return True
            case yarr.ElementwiseOp() | yarr.RangeOp() | yarr.UnsqueezeOp():
                (result,) = op.results
                if yarr.rank_of(result) > 1 or yarr.element_of(result) == bf16:  # not in NumPy
                    return False
                return all(map(self.is_known, op.operands))
            case _:
                return False

    def is_costly(self, value: SSAValue) -> bool:
        """Whether an operation on each element of a known vector is costly."""
        return any(yarr.rank_of(v) == 1 and _is_costly(v.owner) for v in self.behind([value]))

    def behind(self, values: Iterable[SSAValue]) -> Iterable[SSAValue]:
        """Some known values and those that compute them, up to static ones and sizes."""

        def operands(value: SSAValue) -> Sequence[SSAValue]:
            is_first = value in self._static or isinstance(value.owner, yarr.SizeOp)
            return () if is_first else sources(value)

        return reached(values, operands)


def _is_costly(op: Operation | Block) -> bool:
    if not isinstance(op, yarr.ElementwiseOp):
        return False
    return any(
        isinstance(inner, _COSTLY)
        or (inner.name.startswith("math.") and not isinstance(inner, _CHEAP))
        for inner in op.body.block.ops
    )
