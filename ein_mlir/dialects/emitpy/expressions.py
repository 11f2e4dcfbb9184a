"""Expressions: attributes, subscripts, operators, tuples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, TensorType, TupleType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.emitpy.base import EmitPyOp, has_memory, rank_of
from ein_mlir.dialects.emitpy.calls import CallIntoOp
from ein_mlir.dialects.emitpy.literals import LiteralOp
from ein_mlir.dialects.emitpy.names import ATTRIBUTES, BINARY_OPERATORS, UNARY_OPERATORS
from ein_mlir.dialects.emitpy.statements import StoreOp
from ein_mlir.dialects.emitpy.types import OBJECT, OBJECT_VALUE, VALUE, unknown
from ein_mlir.dialects.operation import op_definition, subscripted


@op_definition
class AttrOp(EmitPyOp):
    """An attribute of an object; a view if the result is an array, or the memory of one.

    Example:
    ```mlir
    %shape = emitpy.attr %a "shape" : tensor<?x?xf64> -> !emitpy.object
    ```
    """

    name = "emitpy.attr"

    NAMED_BY: ClassVar = "attribute"

    object = operand_def(VALUE)
    attribute = prop_def(StringAttr)
    result = result_def(VALUE)

    traits = traits_def(Pure())

    assembly_format = "$object $attribute attr-dict `:` type($object) `->` type($result)"

    def __init__(self, object: SSAValue | Operation, attribute: str, result_type: Attribute):
        super().__init__(
            operands=[object],
            result_types=[result_type],
            properties={"attribute": StringAttr(attribute)},
        )

    def verify_(self) -> None:
        if self.attribute.data not in ATTRIBUTES:
            raise self.fail(unknown("attribute", self.attribute.data))

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        is_memory = has_memory(result.type) or self.attribute.data == "data"
        return (self.object,) if is_memory else ()


@op_definition
class SliceOp(EmitPyOp):
    """A slice between brackets: ``:``, ``start:stop`` or ``start:stop:step``; None leaves one out.

    Example:
    ```mlir
    %s = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
    ```
    """

    name = "emitpy.slice"

    bounds = var_operand_def(VALUE)
    result = result_def(OBJECT_VALUE)

    traits = traits_def(Pure())

    assembly_format = "(`(` $bounds^ `:` type($bounds) `)`)? attr-dict"

    def __init__(self, *bounds: SSAValue | Operation):
        super().__init__(operands=[bounds], result_types=[OBJECT])

    def literal(self) -> str | None:
        owners = [bound.owner for bound in self.bounds]
        literals = [owner for owner in owners if isinstance(owner, LiteralOp)]
        if len(literals) < len(owners):
            return None
        return ":".join(each.literal().replace("None", "") for each in literals) or ":"

    def verify_(self) -> None:
        if len(self.bounds) not in (0, 2, 3):
            raise self.fail(f"a slice has 0, 2 or 3 bounds, not {len(self.bounds)}")
        for use in self.result.uses:
            if not isinstance(use.operation, CallIntoOp | StoreOp | SubscriptOp) or use.index == 0:
                raise self.fail("a slice is only valid as an index of a subscript")


@op_definition
class SubscriptOp(EmitPyOp):
    """``a[i, :, None]``: a view if the result is an array and no index is one.

    Example:
    ```mlir
    %c = emitpy.subscript %a[%all, %k]
      : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    ```
    """

    name = "emitpy.subscript"

    object = operand_def(VALUE)
    indices = var_operand_def(VALUE)
    result = result_def(VALUE)

    traits = traits_def(Pure())

    assembly_format = "$object `[` $indices `]` attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        object: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        result_type: Attribute,
    ):
        super().__init__(operands=[object, indices], result_types=[result_type])

    def label(self, terms: Sequence[str]) -> str:
        return subscripted(terms)

    def verify_(self) -> None:
        if not self.indices:
            raise self.fail("at least one index is needed")

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        # An array as an index copies; ints that leave no axis give a scalar; others give views.
        if any(rank_of(index.type) for index in self.indices):
            return None
        is_element = isa(result.type, TensorType) and not isa(self.object.type, TupleType)
        if is_element and not scalars_are_views and not rank_of(result.type):
            return ()
        return (self.object,) if has_memory(result.type) else ()


@op_definition
class TupleOp(EmitPyOp):
    """A tuple: a record, or an argument such as a shape.

    Example:
    ```mlir
    %shape = emitpy.tuple(%n, %m) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    ```
    """

    name = "emitpy.tuple"

    fields = var_operand_def(VALUE)
    result = result_def(VALUE)

    traits = traits_def(Pure())

    assembly_format = "`(` $fields `)` attr-dict `:` functional-type($fields, $result)"

    def __init__(self, fields: Sequence[SSAValue | Operation], result_type: Attribute = OBJECT):
        super().__init__(operands=[fields], result_types=[result_type])

    def label(self, terms: Sequence[str]) -> str:
        return f"({', '.join(terms)})"

    def verify_(self) -> None:
        result = self.result.type
        if isa(result, TupleType) and tuple(result.types) != tuple(self.fields.types):
            raise self.fail(f"the fields do not make a '{result}'")

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        return self.fields


@op_definition
class UnpackOp(EmitPyOp):
    """``x, y = t``: the fields of a tuple, by name.

    Example:
    ```mlir
    %x, %y = emitpy.unpack %carry : !emitpy.object -> tensor<?xf64>, tensor<i64>
    ```
    """

    name = "emitpy.unpack"

    record = operand_def(VALUE)
    fields = var_result_def(VALUE)

    traits = traits_def(Pure())

    assembly_format = "$record attr-dict `:` type($record) `->` type($fields)"

    def __init__(self, record: SSAValue | Operation, types: Sequence[Attribute]):
        super().__init__(operands=[record], result_types=[types])

    def verify_(self) -> None:
        if not self.fields:
            raise self.fail("at least one field is needed")

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        return (self.record,) if has_memory(result.type) else ()


@op_definition
class BinaryOp(EmitPyOp):
    """An operator between two operands: arithmetic, comparison or logical.

    Example:
    ```mlir
    %c = emitpy.binary %a "+" %b : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    ```
    """

    name = "emitpy.binary"

    NAMED_BY: ClassVar = "operator"

    lhs = operand_def(VALUE)
    operator = prop_def(StringAttr)
    rhs = operand_def(VALUE)
    result = result_def(VALUE)

    traits = traits_def(Pure())

    assembly_format = "$lhs $operator $rhs attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        lhs: SSAValue | Operation,
        operator: str,
        rhs: SSAValue | Operation,
        result_type: Attribute,
    ):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[result_type],
            properties={"operator": StringAttr(operator)},
        )

    def verify_(self) -> None:
        if self.operator.data not in BINARY_OPERATORS:
            raise self.fail(unknown("binary operator", self.operator.data))

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        """``a or b`` is one of its operands."""
        return self.operands if self.operator.data in ("or", "and") else None


@op_definition
class UnaryOp(EmitPyOp):
    """An operator before one operand.

    Example:
    ```mlir
    %m = emitpy.unary "-" %a : (tensor<?xf64>) -> tensor<?xf64>
    ```
    """

    name = "emitpy.unary"

    NAMED_BY: ClassVar = "operator"

    operator = prop_def(StringAttr)
    operand = operand_def(VALUE)
    result = result_def(VALUE)

    traits = traits_def(Pure())

    assembly_format = "$operator $operand attr-dict `:` functional-type(operands, results)"

    def __init__(self, operator: str, operand: SSAValue | Operation, result_type: Attribute):
        super().__init__(
            operands=[operand],
            result_types=[result_type],
            properties={"operator": StringAttr(operator)},
        )

    def verify_(self) -> None:
        if self.operator.data not in UNARY_OPERATORS:
            raise self.fail(unknown("unary operator", self.operator.data))


@op_definition
class ConditionalOp(EmitPyOp):
    """``a if c else b``: the condition is one truth value; both branches are evaluated before.

    Example:
    ```mlir
    %r = emitpy.conditional %c, %a, %b
      : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
    ```
    """

    name = "emitpy.conditional"

    condition = operand_def(VALUE)
    if_true = operand_def(VALUE)
    if_false = operand_def(VALUE)
    result = result_def(VALUE)

    traits = traits_def(Pure())

    assembly_format = (
        "$condition `,` $if_true `,` $if_false attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        condition: SSAValue | Operation,
        if_true: SSAValue | Operation,
        if_false: SSAValue | Operation,
        result_type: Attribute,
    ):
        super().__init__(operands=[condition, if_true, if_false], result_types=[result_type])

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        return self.if_true, self.if_false
