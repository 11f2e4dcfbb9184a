"""Reading and replacing elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import I64, IndexType
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import NoMemoryEffect, Pure
from xdsl.utils.exceptions import VerifyException

from ein_mlir.analysis.arithmetic import Range
from ein_mlir.analysis.arithmetic.scalars import RangeOf
from ein_mlir.analysis.diagnostics import index_name, where_written
from ein_mlir.dialects.operation import Canonical, op_definition, subscripted
from ein_mlir.dialects.phi.arrays import ArrayOp, ComprehensionOp
from ein_mlir.dialects.phi.assembly import Indexing
from ein_mlir.dialects.phi.interface import Flow, OnRecords, Path, PhiOp, Term
from ein_mlir.dialects.phi.records import ProjOp, TupleOp
from ein_mlir.dialects.phi.types import POSITION, VALUE, VecType, element_of, has_arrays, too_many
from ein_mlir.errors import counted

ACCESSES = "ein.accesses"
"""The attribute of a function with its accesses that may be out of bounds: see `check-bounds`."""


def uncast(position: SSAValue) -> SSAValue:
    """The comprehension index of a position that is a cast index; other positions unchanged."""
    owner = position.owner
    return owner.input if isinstance(owner, arith.IndexCastOp) else position


@op_definition
class GetOp(PhiOp):
    """Indexing from the outermost axis: ``a[i, j]`` is ``a[i][j]``. Positions are clipped.

    A position is a comprehension index or an Int. An element of an empty axis is zero (of the
    element's type), so that reading it in the branch not taken is harmless.

    Example:
    ```mlir
    %x = phi.get %a[%i, %k] : !phi.vec<!phi.vec<f64>>[index, i64]
    ```
    """

    name = "phi.get"

    ON_RECORDS: ClassVar = OnRecords.EACH_FIELD

    array = operand_def(VecType)
    positions = var_operand_def(POSITION)
    result = result_def(VALUE)

    traits = traits_def(Pure(), Canonical())

    custom_directives = (Indexing,)
    assembly_format = (
        "custom<Indexing>($array, type($array), $positions, type($positions), type($result))"
        " attr-dict"
    )

    def __init__(self, array: SSAValue | Operation, positions: Sequence[SSAValue | Operation]):
        array = SSAValue.get(array)
        element = element_of(array.type, len(positions))
        if element is None:
            raise ValueError(too_many(len(positions), "positions", array.type))
        super().__init__(operands=[array, positions], result_types=[element])

    def is_at(self, indices: Sequence[SSAValue]) -> bool:
        """Whether the positions are some indices, or casts of these, in order."""
        return list(map(uncast, self.positions)) == list(indices)

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|a[p]|k == |a|k+1``"""
        if axis is None or path:
            return None
        return Term(self.array, path, axis + len(self.positions))

    def flow(self, operand: int) -> Iterable[Flow]:
        return [Flow(self.result, mixed=operand > 0)]

    def range_of(self, value: SSAValue, range_of: RangeOf) -> Range | None:
        """That of the elements of a comprehension, and 0: an element of an empty axis."""
        source, fields = self.array, list[int]()
        while isinstance(source.owner, ProjOp):
            fields.append(source.owner.field.value.data)
            source = source.owner.record
        array = source.owner
        if not isinstance(array, ArrayOp) or len(array.sizes) != len(self.positions):
            return None
        element = array.yielded()
        while fields and isinstance(element.owner, TupleOp):
            element = element.owner.fields[fields.pop()]
        return None if fields else range_of(element) | Range(0, 0)

    def may_fail(self) -> bool:
        return False

    def label(self, terms: Sequence[str]) -> str:
        return subscripted(terms)

    def verify_(self) -> None:
        if not self.positions:
            raise self.fail("at least one position is needed")
        element = element_of(self.array.type, len(self.positions))
        if element is None:
            raise self.fail(too_many(len(self.positions), "positions", self.array.type))
        if element != self.result.type:
            positions = counted(len(self.positions), "position")
            raise self.fail(
                f"the element of a '{self.array.type}' under {positions} is a '{element}', "
                f"not a '{self.result.type}'"
            )
        verify_indices(self, self.positions)


@op_definition
class UpdateOp(PhiOp):
    """The array with another element at one position: ``a``, except for ``x`` at ``[i, j]``.

    Positions count from the outermost axis and may be fewer than the axes: then ``x`` is a row,
    with the sizes of the rows of ``a``. If a position is out of bounds nothing is updated: it is
    not clipped.

    Example:
    ```mlir
    %b = phi.update %a[%i, %k], %x
      : (!phi.vec<!phi.vec<f64>>, index, i64, f64) -> !phi.vec<!phi.vec<f64>>
    ```
    """

    name = "phi.update"

    ON_RECORDS: ClassVar = OnRecords.EACH_FIELD

    array = operand_def(VecType)
    positions = var_operand_def(POSITION)
    value = operand_def(VALUE)
    result = result_def(VecType)

    traits = traits_def(NoMemoryEffect())

    assembly_format = (
        "$array `[` $positions `]` `,` $value attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        positions: Sequence[SSAValue | Operation],
        value: SSAValue | Operation,
    ):
        array = SSAValue.get(array)
        super().__init__(operands=[array, positions, value], result_types=[array.type])

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.update a[p], x|k == |a|k``"""
        return Term(self.array, path, axis)

    def flow(self, operand: int) -> Iterable[Flow]:
        is_position = 0 < operand <= len(self.positions)
        return [Flow(self.result, mixed=is_position)]

    def may_fail(self) -> bool:
        return False

    def label(self, terms: Sequence[str]) -> str:
        return f"{subscripted(terms[:-1])} := {terms[-1]}"

    def verify_(self) -> None:
        if not self.positions:
            raise self.fail("at least one position is needed")
        element = element_of(self.array.type, len(self.positions))
        if element != self.value.type:
            raise self.fail(
                f"a '{self.value.type}' is no element of a '{self.array.type}' under "
                f"{counted(len(self.positions), 'position')}"
            )
        if self.result.type != self.array.type:
            raise self.fail(f"the result must be a '{self.array.type}', not a '{self.result.type}'")
        verify_indices(self, self.positions)


@op_definition
class UpdateSliceOp(PhiOp):
    """The array with other elements at ``start``, ``start + step``, ..: one for each of ``x``.

    Positions are those of the outermost axis. The operation promises that all of them are in
    bounds and that ``step`` is at least 1; if it is 1, ``start`` is from 0 up to the size. If the
    elements are vectors, those of both arrays have equal sizes.

    Example:
    ```mlir
    %b = phi.update_slice %a[%start by %step], %x : !phi.vec<f64>
    ```
    """

    name = "phi.update_slice"

    ON_RECORDS: ClassVar = OnRecords.EACH_FIELD

    T: ClassVar = VarConstraint("type of both vectors", base(VecType))

    array = operand_def(T)
    start = operand_def(I64)
    step = operand_def(I64)
    value = operand_def(T)
    result = result_def(T)

    traits = traits_def(NoMemoryEffect())

    assembly_format = "$array `[` $start `by` $step `]` `,` $value attr-dict `:` type($result)"

    def __init__(
        self,
        array: SSAValue | Operation,
        start: SSAValue | Operation,
        step: SSAValue | Operation,
        value: SSAValue | Operation,
    ):
        array = SSAValue.get(array)
        super().__init__(operands=[array, start, step, value], result_types=[array.type])

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.update_slice a[p by s], x|k == |a|k``"""
        return Term(self.array, path, axis)

    def size_or_count(self, operand: int) -> str | None:
        """The start and the step of a slice depend on no index, as its size does not."""
        return {1: "the start", 2: "the step"}.get(operand)

    def flow(self, operand: int) -> Iterable[Flow]:
        return [Flow(self.result)] if operand in (0, 3) else ()

    def may_fail(self) -> bool:
        """Whether its elements have sizes, which may disagree."""
        assert isinstance(self.array.type, VecType)
        return has_arrays(self.array.type.element_type)

    def label(self, terms: Sequence[str]) -> str:
        array, start, step, value = terms
        return f"{array}[{start}::{step}] := {value}"


def verify_indices(op: IRDLOperation, positions: Iterable[SSAValue]) -> None:
    """Check that the positions of type ``index`` are indices of comprehensions."""
    for position in positions:
        if isinstance(position.type, IndexType) and not is_comprehension_index(position):
            raise VerifyException(
                f"{op.name}: the position {index_name(position)} has type 'index' but is not an "
                "index of a comprehension; cast it to i64" + where_written(op)
            )


def is_comprehension_index(value: SSAValue) -> bool:
    """Whether a value is an index that a comprehension binds."""
    return isinstance(value, BlockArgument) and isinstance(value.block.parent_op(), ComprehensionOp)


def size_of_index(index: SSAValue) -> SSAValue:
    """The size of an index that a comprehension binds."""
    assert isinstance(index, BlockArgument)
    comprehension = index.block.parent_op()
    assert isinstance(comprehension, ComprehensionOp)
    return comprehension.sizes[index.index]
