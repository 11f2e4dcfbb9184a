"""Sizes, and assertions about them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, IntegerAttr, StringAttr, i64
from xdsl.ir import IRNode, Operation, SSAValue
from xdsl.irdl import (
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import NoMemoryEffect, Pure

from ein_mlir.analysis.arithmetic import SIZES, Range
from ein_mlir.analysis.arithmetic.scalars import RangeOf
from ein_mlir.dialects.creation import integer_attribute
from ein_mlir.dialects.operation import Canonical, op_definition, shortened
from ein_mlir.dialects.phi.interface import OnRecords, Path, PhiOp, Term
from ein_mlir.dialects.phi.types import VecType, rank_of


@op_definition
class SizeOp(PhiOp):
    """The size of an array along an axis, counted from the outermost, as an Int.

    Example:
    ```mlir
    %m = phi.size %a, 1 : !phi.vec<!phi.vec<f64>>
    ```
    """

    name = "phi.size"

    ON_RECORDS: ClassVar = OnRecords.ANY_FIELD

    array = operand_def(VecType)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(I64)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$array `,` $axis attr-dict `:` type($array)"

    def __init__(self, array: SSAValue | Operation, axis: int = 0):
        super().__init__(
            operands=[array],
            result_types=[i64],
            properties={"axis": integer_attribute(axis, i64)},
        )

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``phi.size a, k == |a|k``"""
        return Term(self.array, path, self.axis.value.data)

    def flow(self, operand: int) -> tuple[()]:
        """None: a size depends on no index, by regularity: ``|e[p]|k == |e|k+1``"""
        return ()

    def may_fail(self) -> bool:
        return False

    def range_of(self, value: SSAValue, range_of: RangeOf) -> Range:
        return SIZES

    def verify_(self) -> None:
        rank, axis = rank_of(self.array.type), self.axis.value.data
        if not 0 <= axis < rank:
            raise self.fail(f"'{self.array.type}' has rank {rank}, and no axis {axis}")


@op_definition
class AssertEqOp(PhiOp):
    """``assert a = b``: the Int that both operands are equal to; an error if they differ.

    The message describes the compared sizes; both numbers are added to it. Users that rely on the
    assertion must use its result: an assertion whose result is unused is removed.

    Example:
    ```mlir
    %n = phi.assert_eq %n0, %n1, "index i: size of a along axis 0, size of b along axis 0"
    ```
    """

    name = "phi.assert_eq"

    ON_RECORDS: ClassVar = OnRecords.NEVER

    lhs = operand_def(I64)
    rhs = operand_def(I64)
    message = prop_def(StringAttr)
    result = result_def(I64)

    traits = traits_def(NoMemoryEffect(), Canonical())

    assembly_format = "$lhs `,` $rhs `,` $message attr-dict"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, message: str):
        super().__init__(
            operands=[lhs, rhs], result_types=[i64], properties={"message": StringAttr(message)}
        )

    def is_structurally_equivalent(
        self, other: IRNode, context: dict[IRNode | SSAValue, IRNode | SSAValue] | None = None
    ) -> bool:
        """Whether another assertion compares the same: messages may differ."""
        known = {} if context is None else context
        if not isinstance(other, AssertEqOp) or not (
            self.parent is None or other.parent is None or known.get(self.parent) is other.parent
        ):
            return False
        pairs = zip(self.operands, other.operands, strict=True)
        is_same = all(known.get(own, own) is their for own, their in pairs)
        if is_same:
            known[self.result] = other.result
        return is_same

    def may_fail(self) -> bool:
        return self.lhs is not self.rhs

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``phi.assert_eq m, n == m``, and also ``n`` if assertions count"""
        return Term(self.lhs)

    def size_or_count(self, operand: int) -> str | None:
        """None: Ints that depend on an index may be compared."""

    def range_of(self, value: SSAValue, range_of: RangeOf) -> Range:
        """That of both operands."""
        return range_of(self.lhs) & range_of(self.rhs)

    def label(self, terms: Sequence[str]) -> str:
        return f"assert {' == '.join(terms)}\n{shortened(self.message.data)}"
