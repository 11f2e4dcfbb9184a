"""Records, and calls of registered functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I64,
    IntegerAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    i64,
)
from xdsl.ir import (
    Attribute,
    Operation,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AnyAttr,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import (
    Pure,
)

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.creation import integer_attribute
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.yarr.base import YarrOp
from ein_mlir.dialects.yarr.types import listed, rank_of


@op_definition
class TupleOp(YarrOp):
    """A record of arrays, as an argument or result of a function.

    Example:
    ```mlir
    %t = yarr.tuple %a, %b
      : (tensor<?xf64>, tensor<i64>) -> tuple<tensor<?xf64>, tensor<i64>>
    ```
    """

    name = "yarr.tuple"

    fields = var_operand_def(AnyAttr())
    result = result_def(TupleType)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$fields attr-dict `:` functional-type($fields, $result)"

    def __init__(self, fields: Sequence[SSAValue | Operation]):
        types = tuple(SSAValue.get(field).type for field in fields)
        result = TupleType(cast(tuple[TypeAttribute, ...], types))
        super().__init__(operands=[fields], result_types=[result])

    def label(self, terms: Sequence[str]) -> str:
        return f"({', '.join(terms)})"

    def verify_(self) -> None:
        types = tuple(self.fields.types)
        if isa(self.result.type, TupleType) and tuple(self.result.type.types) != types:
            raise self.fail(f"({listed(types)}) does not make a '{self.result.type}'")


@op_definition
class ProjOp(YarrOp):
    """A field of a record, by its position from 0.

    Example:
    ```mlir
    %a = yarr.proj %t, 0 : tuple<tensor<?xf64>, tensor<i64>> -> tensor<?xf64>
    ```
    """

    name = "yarr.proj"

    record = operand_def(TupleType)
    field = prop_def(IntegerAttr.constr(I64))
    result = result_def(AnyAttr())

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$record `,` $field attr-dict `:` type($record) `->` type($result)"

    def __init__(self, record: SSAValue | Operation, field: int):
        record = SSAValue.get(record)
        assert isa(record.type, TupleType)
        super().__init__(
            operands=[record],
            result_types=[record.type.types.data[field]],
            properties={"field": integer_attribute(field, i64)},
        )

    def label(self, terms: Sequence[str]) -> str:
        return f"{terms[0]}.{self.field.value.data}"

    def verify_(self) -> None:
        assert isa(self.record.type, TupleType)
        types, field = self.record.type.types.data, self.field.value.data
        if not 0 <= field < len(types):
            raise self.fail(f"'{self.record.type}' has {len(types)} fields, and no field {field}")
        if types[field] != self.result.type:
            raise self.fail(
                f"field {field} of '{self.record.type}' is a '{types[field]}', "
                f"not a '{self.result.type}'"
            )


@op_definition
class ExternOp(YarrOp):
    """A call of a registered backend function, which broadcasts over leading axes.

    ``batch`` is the number of leading axes of each operand and of the results over which the
    function must broadcast.

    Example:
    ```mlir
    %s = yarr.extern @sort(%v) batch 1 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    ```
    """

    name = "yarr.extern"

    NAMED_BY: ClassVar = "callee"

    callee = prop_def(SymbolRefAttr)
    arguments = var_operand_def(AnyAttr())
    batch = prop_def(IntegerAttr.constr(I64))
    result = result_def(AnyAttr())

    traits = traits_def(Pure())

    assembly_format = (
        "$callee `(` $arguments `)` `batch` $batch attr-dict `:` "
        "functional-type($arguments, $result)"
    )

    def __init__(
        self,
        callee: SymbolRefAttr,
        arguments: Sequence[SSAValue | Operation],
        result_type: Attribute,
        batch: int = 0,
    ):
        super().__init__(
            operands=[arguments],
            result_types=[result_type],
            properties={"callee": callee, "batch": integer_attribute(batch, i64)},
        )

    def verify_(self) -> None:
        if self.callee.nested_references.data:
            raise self.fail(f"'{self.callee}' is not a plain symbol")
        batch = self.batch.value.data
        if batch < 0:
            raise self.fail(f"the number of batch axes must not be negative, got {batch}")
        for value in (*self.arguments, self.result):
            for array in _arrays_in(value.type):
                if rank_of(array) < batch:
                    raise self.fail(f"a '{array}' does not have {batch} batch axes")


def _arrays_in(type_: Attribute) -> Iterable[Attribute]:
    """The tensor types in the type of an array or a record."""
    if isa(type_, TensorType):
        yield type_
    elif isa(type_, TupleType):
        for field in type_.types:
            yield from _arrays_in(field)
