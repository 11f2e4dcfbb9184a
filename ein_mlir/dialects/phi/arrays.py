"""Arrays from indices, and from parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, IndexType
from xdsl.ir import Attribute, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    VarConstraint,
    base,
    operand_def,
    opt_operand_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import NoMemoryEffect, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.arithmetic import Range
from ein_mlir.analysis.arithmetic.scalars import RangeOf, indices_below
from ein_mlir.analysis.diagnostics import index_name, where_written
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.phi.assembly import Comprehension
from ein_mlir.dialects.phi.base import BodyOp, YieldOp
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.dialects.phi.interface import Flow, OnRecords, Path, PhiOp, Term
from ein_mlir.dialects.phi.types import ARRAY, VecType, has_arrays, row_of, too_many, vec_of
from ein_mlir.dialects.phi.verification import irregularities


class ComprehensionOp(BodyOp):
    """An operation whose body has a value at each index: its first operands are their sizes."""

    sizes = var_operand_def(I64)
    body = region_def("single_block")

    @property
    def indices(self) -> Sequence[BlockArgument]:
        """The indices that the operation binds, outermost first."""
        return self.regions[0].first_block.args  # pyright: ignore[reportOptionalMemberAccess]

    @property
    def index_types(self) -> Sequence[Attribute]:
        """The types of the indices."""
        return (IndexType(),) * len(self.sizes)

    def counters(self) -> Sequence[BlockArgument]:
        return self.indices

    def size_or_count(self, operand: int) -> str | None:
        return f"the size of {index_name(self.indices[operand])}"

    def range_of(self, value: SSAValue, range_of: RangeOf) -> Range | None:
        size = self.limit(value)
        return None if size is None else indices_below(range_of(size))

    def limit(self, value: SSAValue) -> SSAValue | None:
        return self.sizes[value.index] if isinstance(value, BlockArgument) else None

    def verify(self, verify_nested_ops: bool = True) -> None:
        super().verify(verify_nested_ops)
        if verify_nested_ops:
            self._verify_regularity()

    def _verify_regularity(self) -> None:
        """Check that no size or count in the body depends on an index; report the one that does."""
        for irregularity in irregularities(self):
            op = irregularity.op
            message = f"{irregularity}{where_written(op)}"
            op.emit_error(f"Operation does not verify: {message}", VerifyException(message))


@op_definition
class ArrayOp(ComprehensionOp):
    """Array comprehension: the vector (of vectors, for several indices) of the body's values.

    ``phi.array (%i < %n) { e }`` is the calculus's ``Phi i[n]. e``; with several indices it is the
    nest of comprehensions over them, the first index outermost. Sizes are Ints that depend on no
    index; a negative size is an error.

    If the body yields a record, the result is an array of records or the record of arrays that
    represents it, depending on its type. ``struct-of-arrays`` converts all to the latter.

    Example:
    ```mlir
    %t = phi.array (%i < %n, %j < %m) -> !phi.vec<!phi.vec<f64>> {
      %x = phi.get %a[%j, %i] : !phi.vec<!phi.vec<f64>>[index, index]
      phi.yield %x : f64
    }
    %xs_and_ys = phi.array (%i < %n) -> tuple<!phi.vec<f64>, !phi.vec<f64>> {
      %xy = phi.get %points[%i] : !phi.vec<tuple<f64, f64>>[index]
      phi.yield %xy : tuple<f64, f64>
    }
    ```
    """

    name = "phi.array"

    BINDS_OPERANDS: ClassVar = True

    result = result_def(ARRAY)

    traits = traits_def(RecursiveMemoryEffect(), Canonical())

    custom_directives = (Comprehension,)
    assembly_format = "custom<Comprehension>($sizes, type($result), $body) attr-dict"

    def __init__(
        self,
        sizes: Sequence[SSAValue | Operation],
        body: Region,
        result_type: Attribute | None = None,
    ):
        terminator = body.block.last_op
        if not isinstance(terminator, YieldOp):
            raise ValueError("the body of phi.array must end in phi.yield")
        super().__init__(
            operands=[sizes],
            result_types=[result_type or vec_of(terminator.value.type, len(sizes))],
            regions=[body],
        )

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.array (i < n) { e }|0 == n`` and ``|phi.array (i < n) { e }|k+1 == |e|k``"""
        if axis is None:
            return None
        depth = len(self.sizes)
        return Term(self.sizes[axis]) if axis < depth else Term(self.yielded(), path, axis - depth)

    def flow_of_step(self) -> Iterable[Flow]:
        return [Flow(self.result, without=frozenset(self.indices))]

    def may_fail(self) -> bool:
        return not all(map(is_nonnegative, self.sizes))

    def verify_(self) -> None:
        if not self.sizes:
            raise self.fail("a comprehension needs at least one index")
        element = row_of(self.result.type, len(self.sizes))
        if element is None:
            raise self.fail(too_many(len(self.sizes), "indices", self.result.type))
        self.verify_body(self.index_types, element)


@op_definition
class ConcatOp(PhiOp):
    """Two vectors end to end. If elements are vectors themselves, their sizes must agree.

    ``of %n`` promises that the result has ``%n`` elements. Passes that split an array into parts
    keep its size in this way, as the sizes of the parts do not show it.

    Example:
    ```mlir
    %c = phi.concat %a, %b : !phi.vec<f64>
    %d = phi.concat %low, %high of %n : !phi.vec<f64>
    ```
    """

    name = "phi.concat"

    ON_RECORDS: ClassVar = OnRecords.EACH_FIELD

    T: ClassVar = VarConstraint("type of both vectors", base(VecType))

    lhs = operand_def(T)
    rhs = operand_def(T)
    size = opt_operand_def(I64)
    result = result_def(T)

    traits = traits_def(NoMemoryEffect(), Canonical())

    assembly_format = "$lhs `,` $rhs (`of` $size^)? attr-dict `:` type($result)"

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        size: SSAValue | Operation | None = None,
    ):
        super().__init__(operands=[lhs, rhs, size], result_types=[SSAValue.get(lhs).type])

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.concat a, b of n|0 == n`` and ``|phi.concat a, b|k+1 == |a|k+1``"""
        if axis == 0:
            return Term(self.size) if self.size is not None else None
        return Term(self.lhs, path, axis)

    def size_or_count(self, operand: int) -> str | None:
        return "the size" if operand == 2 else None

    def flow(self, operand: int) -> Iterable[Flow]:
        return [Flow(self.result)] if operand < 2 else ()

    def may_fail(self) -> bool:
        """Whether its elements have sizes, which may disagree."""
        assert isinstance(self.result.type, VecType)
        return has_arrays(self.result.type.element_type)
