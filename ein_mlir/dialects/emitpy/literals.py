"""Literals, and library names."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import prop_def, result_def, traits_def
from xdsl.traits import Pure

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.creation import int_array, integer_attribute, ints_of
from ein_mlir.dialects.emitpy.base import EmitPyOp
from ein_mlir.dialects.emitpy.names import is_library_name
from ein_mlir.dialects.emitpy.types import OBJECT, OBJECT_VALUE, float_literal, unknown
from ein_mlir.dialects.operation import op_definition, shortened


@op_definition
class LiteralOp(EmitPyOp):
    """A literal: an int, a float, a bool, a string, a tuple of ints, or ``unit`` for ``None``.

    Example:
    ```mlir
    %axes = emitpy.literal array<i64: 0, 2>
    %none = emitpy.literal unit
    %two = emitpy.literal 2.0 : f64
    ```
    """

    name = "emitpy.literal"

    value = prop_def(Attribute)
    result = result_def(OBJECT_VALUE)

    traits = traits_def(Pure())

    assembly_format = "$value attr-dict"

    def __init__(self, value: Attribute | str | float | bool | Sequence[int] | None):
        super().__init__(result_types=[OBJECT], properties={"value": _literal_attribute(value)})

    def literal(self) -> str:
        return shortened(repr(self.data))

    @property
    def data(self) -> str | float | bool | tuple[int, ...] | None:
        """The Python value."""
        match self.value:
            case IntegerAttr(value=value, type=type_):
                return bool(value.data) if type_ == i1 else value.data
            case FloatAttr(value=value):
                return value.data
            case StringAttr(data=text):
                return text
            case value if isa(value, DenseArrayBase[IntegerType]):
                return ints_of(value)
            case _:
                return None

    def verify_(self) -> None:
        value = self.value
        if isinstance(value, StringAttr | UnitAttr):
            return
        if isa(value, IntegerAttr) and value.type in (i1, i64):
            return
        if isa(value, FloatAttr) and value.type == f64:
            return
        if isa(value, DenseArrayBase[IntegerType]) and value.elt_type == i64:
            return
        raise self.fail(f"'{value}' is not an i64, f64, i1, string, array<i64> or unit")


def _literal_attribute(
    value: Attribute | str | float | bool | Sequence[int] | None,
) -> Attribute:
    match value:
        case bool():
            return integer_attribute(int(value), i1)
        case int():
            return integer_attribute(value, i64)
        case float():
            return float_literal(value)
        case str():
            return StringAttr(value)
        case None:
            return UnitAttr()
        case Attribute():
            return value
        case _:
            return int_array(value)


def literal_data(value: SSAValue) -> str | float | bool | tuple[int, ...] | None:
    """The Python value of a literal; None for other values, as for the literal None."""
    return value.owner.data if isinstance(value.owner, LiteralOp) else None


@op_definition
class NameOp(EmitPyOp):
    """A library name that is no call: ``np.float32``, ``np.inf``.

    Example:
    ```mlir
    %dtype = emitpy.name "np.float32"
    ```
    """

    name = "emitpy.name"

    target = prop_def(StringAttr)
    result = result_def(OBJECT_VALUE)

    traits = traits_def(Pure())

    assembly_format = "$target attr-dict"

    def __init__(self, target: str):
        super().__init__(result_types=[OBJECT], properties={"target": StringAttr(target)})

    def literal(self) -> str:
        return self.target.data

    def verify_(self) -> None:
        if not is_library_name(self.target.data):
            raise self.fail(unknown("name", self.target.data))
