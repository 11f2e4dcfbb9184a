"""Statements: stores, errors, deletions."""

from __future__ import annotations

import string
from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryWriteEffect

from ein_mlir.dialects.emitpy.base import EmitPyOp
from ein_mlir.dialects.emitpy.names import AUGMENTED_OPERATORS, EXCEPTIONS
from ein_mlir.dialects.emitpy.types import VALUE, unknown
from ein_mlir.dialects.operation import op_definition


@op_definition
class AugmentOp(EmitPyOp):
    """``a += b``: an operator whose result overwrites its left operand, an array.

    The result is that array with its new elements. No other alias may have a later use.

    Example:
    ```mlir
    %c = emitpy.augment %a "+" %b : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    ```
    """

    name = "emitpy.augment"

    target = operand_def(TensorType)
    operator = prop_def(StringAttr)
    value = operand_def(VALUE)
    result = result_def(TensorType)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$target $operator $value attr-dict `:` functional-type(operands, results)"

    def __init__(self, target: SSAValue | Operation, operator: str, value: SSAValue | Operation):
        super().__init__(
            operands=[target, value],
            result_types=[SSAValue.get(target).type],
            properties={"operator": StringAttr(operator)},
        )

    def verify_(self) -> None:
        if self.operator.data not in AUGMENTED_OPERATORS:
            raise self.fail(unknown("augmented operator", self.operator.data))
        if self.target.type != self.result.type:
            raise self.fail(f"a '{self.target.type}' cannot become a '{self.result.type}'")

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        return (self.target,)


@op_definition
class StoreOp(EmitPyOp):
    """``a[i, :] = x``: elements of an array are overwritten, if an optional condition holds.

    The result is that array with its new elements. No other alias may have a later use, except the
    array itself, if the target is its memory, ``a.data``.

    Example:
    ```mlir
    %b = emitpy.store %a[%i, %all : !emitpy.object, !emitpy.object], %x if %c : !emitpy.object
      : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
    ```
    """

    name = "emitpy.store"

    target = operand_def(VALUE)
    indices = var_operand_def(VALUE)
    value = operand_def(VALUE)
    condition = opt_operand_def(VALUE)
    result = result_def(VALUE)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$target `[` $indices `:` type($indices) `]` `,` $value "
        "(`if` $condition^ `:` type($condition))? attr-dict `:` "
        "`(` type($target) `,` type($value) `)` `->` type($result)"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    def __init__(
        self,
        target: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        value: SSAValue | Operation,
        condition: SSAValue | Operation | None = None,
    ):
        super().__init__(
            operands=[target, indices, value, condition],
            result_types=[SSAValue.get(target).type],
        )

    def verify_(self) -> None:
        if not self.indices:
            raise self.fail("at least one index is needed")
        if self.target.type != self.result.type:
            raise self.fail(f"a '{self.target.type}' cannot become a '{self.result.type}'")

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        return (self.target,)


@op_definition
class RaiseIfOp(EmitPyOp):
    """Raises an exception if a condition holds. In the text, ``{}`` is replaced by a value.

    Braces of the text itself are doubled, as in ``str.format``.

    Example:
    ```mlir
    emitpy.raise_if %c, "ValueError", "sizes differ: {} != {}"(%n, %m)
      : !emitpy.object, !emitpy.object, !emitpy.object
    ```
    """

    name = "emitpy.raise_if"

    condition = operand_def(VALUE)
    exception = prop_def(StringAttr)
    message = prop_def(StringAttr)
    arguments = var_operand_def(VALUE)

    assembly_format = (
        "$condition `,` $exception `,` $message `` `(` $arguments `)` attr-dict `:` type(operands)"
    )

    def __init__(
        self,
        condition: SSAValue | Operation,
        message: str,
        arguments: Sequence[SSAValue | Operation] = (),
        exception: str = "ValueError",
    ):
        super().__init__(
            operands=[condition, arguments],
            properties={"message": StringAttr(message), "exception": StringAttr(exception)},
        )

    def verify_(self) -> None:
        if self.exception.data not in EXCEPTIONS:
            raise self.fail(unknown("exception", self.exception.data))
        try:
            pieces = message_pieces(self.message.data)
        except ValueError as error:
            raise self.fail(f"message: {error}") from error
        if len(pieces) - 1 != len(self.arguments):
            raise self.fail(
                f"the message has {len(pieces) - 1} places for {len(self.arguments)} values"
            )


def message_pieces(message: str) -> list[str]:
    """The texts between the places ``{}`` of a message.

    Raises ValueError if the braces are not as in ``str.format``.

    >>> message_pieces("{{n}}: {} != {}")
    ['{n}: ', ' != ', '']
    """
    pieces = [""]
    for text, field, spec, conversion in string.Formatter().parse(message):
        pieces[-1] += text
        if field is None:
            continue
        if field or spec or conversion:
            raise ValueError(f"'{{{field}}}' must be '{{}}'")
        pieces.append("")
    return pieces


@op_definition
class DelOp(EmitPyOp):
    """``del x, y``: the values have no later use, so their memory is released.

    Example:
    ```mlir
    emitpy.del %x : tensor<?xf64>
    ```
    """

    name = "emitpy.del"

    values = var_operand_def(VALUE)

    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, *values: SSAValue | Operation):
        super().__init__(operands=[values])

    def verify_(self) -> None:
        if not self.values:
            raise self.fail("at least one value is needed")
