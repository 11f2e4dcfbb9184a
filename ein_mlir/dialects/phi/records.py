"""Records, and calls of registered functions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, cast

from xdsl.dialects.builtin import I64, IntegerAttr, SymbolRefAttr, TupleType, i64
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.irdl import (
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import NoMemoryEffect, Pure

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.creation import integer_attribute
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.phi.assembly import Fields
from ein_mlir.dialects.phi.interface import Flow, OnRecords, Path, PhiOp, Term
from ein_mlir.dialects.phi.types import VALUE, listed


@op_definition
class TupleOp(PhiOp):
    """A record of its operands.

    Example:
    ```mlir
    %t = phi.tuple (%x, %n) : tuple<f64, i64>
    ```
    """

    name = "phi.tuple"

    ON_RECORDS: ClassVar = OnRecords.WHOLE

    fields = var_operand_def(VALUE)
    result = result_def(TupleType)

    traits = traits_def(Pure(), Canonical())

    custom_directives = (Fields,)
    assembly_format = "custom<Fields>($fields, type($fields), type($result)) attr-dict"

    def __init__(self, fields: Sequence[SSAValue | Operation]):
        types = tuple(cast(TypeAttribute, SSAValue.get(field).type) for field in fields)
        super().__init__(operands=[fields], result_types=[TupleType(tuple(types))])

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.tuple (x, y)|`` has the sizes of x in field 0, and those of y in field 1"""
        return Term(self.fields[path[0]], path[1:], axis) if path else None

    def flow(self, operand: int) -> Iterable[Flow]:
        return [Flow(self.result, put=(operand,))]

    def may_fail(self) -> bool:
        return False

    def label(self, terms: Sequence[str]) -> str:
        return f"({', '.join(terms)})"

    def verify_(self) -> None:
        types = tuple(self.fields.types)
        if isa(self.result.type, TupleType) and tuple(self.result.type.types) != types:
            raise self.fail(f"fields of types ({listed(types)}) do not make a '{self.result.type}'")


@op_definition
class ProjOp(PhiOp):
    """A field of a record, by its position from 0.

    Example:
    ```mlir
    %x = phi.proj %t, 0 : tuple<f64, i64> -> f64
    ```
    """

    name = "phi.proj"

    ON_RECORDS: ClassVar = OnRecords.WHOLE

    record = operand_def(TupleType)
    field = prop_def(IntegerAttr.constr(I64))
    result = result_def(VALUE)

    traits = traits_def(Pure(), Canonical())

    assembly_format = "$record `,` $field attr-dict `:` type($record) `->` type($result)"

    def __init__(self, record: SSAValue | Operation, field: int):
        record = SSAValue.get(record)
        if not isa(record.type, TupleType) or not 0 <= field < len(record.type.types):
            raise ValueError(f"'{record.type}' has no field {field}")
        super().__init__(
            operands=[record],
            result_types=[record.type.types.data[field]],
            properties={"field": integer_attribute(field, i64)},
        )

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """``|phi.proj t, 0|`` has the sizes that t has in field 0"""
        return Term(self.record, (self.field.value.data, *path), axis)

    def flow(self, operand: int) -> Iterable[Flow]:
        return [Flow(self.result, taken=(self.field.value.data,))]

    def may_fail(self) -> bool:
        return False

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
class ExternOp(PhiOp):
    """A call of a backend function that the host program registered under a symbol.

    The function must be pure, broadcast over leading axes of its arguments, and return a shape that
    depends only on argument shapes (the extrinsic contract, dissertation 3.7.4).

    Functions of the module may be its derivatives. The arguments of both are those of the call, its
    result, and directions: for ``jvp`` the tangents of arguments with Floats, for the tangent of
    the result; for ``vjp`` the cotangent of the result, for the record of those of the arguments.

    Example:
    ```mlir
    %s = phi.extern @sort(%v) : (!phi.vec<f64>) -> !phi.vec<f64>
    %y = phi.extern @erf(%x) jvp @erf_jvp : (f64) -> f64
    ```
    """

    name = "phi.extern"

    ON_RECORDS: ClassVar = OnRecords.WHOLE
    NAMED_BY: ClassVar = "callee"

    callee = prop_def(SymbolRefAttr)
    arguments = var_operand_def(VALUE)
    result = result_def(VALUE)
    jvp = opt_prop_def(SymbolRefAttr)
    vjp = opt_prop_def(SymbolRefAttr)

    traits = traits_def(NoMemoryEffect())

    assembly_format = (
        "$callee `(` $arguments `)` (`jvp` $jvp^)? (`vjp` $vjp^)? attr-dict `:` "
        "functional-type($arguments, $result)"
    )

    def __init__(
        self,
        callee: str,
        arguments: Sequence[SSAValue | Operation],
        result_type: Attribute,
        *,
        jvp: str | None = None,
        vjp: str | None = None,
    ):
        symbols = {"callee": callee, "jvp": jvp, "vjp": vjp}
        super().__init__(
            operands=[arguments],
            result_types=[result_type],
            properties={
                k: None if name is None else SymbolRefAttr(name) for k, name in symbols.items()
            },
        )

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """None: the function determines the size."""

    def verify_(self) -> None:
        for symbol in (self.callee, self.jvp, self.vjp):
            if symbol is not None and symbol.nested_references.data:
                raise self.fail(f"'{symbol}' is not a plain symbol")
