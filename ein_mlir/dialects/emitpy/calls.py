"""Calls of functions, methods and helpers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, StringAttr, SymbolRefAttr, TensorType, UnitAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryWriteEffect, Pure

from ein_mlir.dialects.emitpy.assembly import Arguments
from ein_mlir.dialects.emitpy.base import EmitPyOp
from ein_mlir.dialects.emitpy.names import (
    BUILTINS,
    METHODS,
    WRITING_HELPERS,
    is_identifier,
    is_library_name,
)
from ein_mlir.dialects.emitpy.types import VALUE, unknown
from ein_mlir.dialects.operation import op_definition

CALL_FORMAT = (
    "$callee `` custom<Arguments>($arguments, $keywords) (`view` $view^)? "
    "(`read_only` $read_only^)? attr-dict `:` functional-type($arguments, $result)"
)
"""The assembly format of function calls after the callee."""


class CallLikeOp(EmitPyOp):
    """A call: positional operands, then one keyword operand for each name of ``keywords``.

    With ``view`` the result may alias an operand. With ``read_only`` its elements may also overlap
    and must not be overwritten. Without them the result is a fresh array.
    """

    arguments = var_operand_def(VALUE)
    keywords = opt_prop_def(ArrayAttr[StringAttr])
    view = opt_prop_def(UnitAttr)
    read_only = opt_prop_def(UnitAttr)
    result = result_def(VALUE)

    custom_directives = (Arguments,)

    def __init__(
        self,
        target: Mapping[str, Attribute],
        operands: Sequence[SSAValue | Operation],
        result_type: Attribute,
        keywords: Mapping[str, SSAValue] | None = None,
        *,
        fixed_operands: Sequence[SSAValue | Operation | Sequence[SSAValue | Operation]] = (),
        view: bool = False,
        read_only: bool = False,
    ):
        keywords = keywords or {}
        super().__init__(
            operands=[*fixed_operands, [*operands, *keywords.values()]],
            result_types=[result_type],
            properties={
                **target,
                "keywords": ArrayAttr(map(StringAttr, keywords)) if keywords else None,
                "view": UnitAttr() if view else None,
                "read_only": UnitAttr() if read_only else None,
            },
        )

    @property
    def positional(self) -> Sequence[SSAValue]:
        """The operands that are given by position."""
        count = len(self.keywords.data) if self.keywords else 0
        return self.arguments[: len(self.arguments) - count]

    @property
    def keyword_arguments(self) -> dict[str, SSAValue]:
        """The operands that are given by keyword."""
        names = [keyword.data for keyword in self.keywords.data] if self.keywords else []
        return dict(zip(names, self.arguments[len(self.positional) :], strict=True))

    def verify_(self) -> None:
        names = [keyword.data for keyword in self.keywords.data] if self.keywords else []
        if len(names) > len(self.arguments):
            raise self.fail(f"{len(names)} keywords for {len(self.arguments)} arguments")
        for name in names:
            if not is_identifier(name):
                raise self.fail(f"keyword '{name}' is not a Python name")
        if len(set(names)) < len(names):
            raise self.fail(f"keywords {', '.join(names)} repeat")

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        return self.arguments if self.view is not None else None


@op_definition
class CallOp(CallLikeOp):
    """A call of a function of a library, or of a builtin function.

    Example:
    ```mlir
    %r = emitpy.call "np.take"(%a, %p, axis = %k, mode = %clip)
      : (tensor<?x?xf64>, tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
    ```
    """

    name = "emitpy.call"

    NAMED_BY: ClassVar = "callee"

    callee = prop_def(StringAttr)

    traits = traits_def(Pure())

    assembly_format = CALL_FORMAT

    def __init__(
        self,
        callee: str,
        operands: Sequence[SSAValue | Operation],
        result_type: Attribute,
        keywords: Mapping[str, SSAValue] | None = None,
        *,
        view: bool = False,
        read_only: bool = False,
    ):
        target = {"callee": StringAttr(callee)}
        super().__init__(target, operands, result_type, keywords, view=view, read_only=read_only)

    def verify_(self) -> None:
        super().verify_()
        if not is_library_name(self.callee.data) and self.callee.data not in BUILTINS:
            raise self.fail(unknown("function", self.callee.data))


@op_definition
class MethodOp(CallLikeOp):
    """A call of a method.

    Example:
    ```mlir
    %s = emitpy.method %a "sum"(axis = %k) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    ```
    """

    name = "emitpy.method"

    NAMED_BY: ClassVar = "method"

    receiver = operand_def(VALUE)
    method = prop_def(StringAttr)

    traits = traits_def(Pure())

    assembly_format = (
        "$receiver $method `` custom<Arguments>($arguments, $keywords) (`view` $view^)? "
        "(`read_only` $read_only^)? attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        receiver: SSAValue | Operation,
        method: str,
        operands: Sequence[SSAValue | Operation],
        result_type: Attribute,
        keywords: Mapping[str, SSAValue] | None = None,
        *,
        view: bool = False,
    ):
        target = {"method": StringAttr(method)}
        super().__init__(
            target, operands, result_type, keywords, fixed_operands=(receiver,), view=view
        )

    def verify_(self) -> None:
        super().verify_()
        if self.method.data not in METHODS:
            raise self.fail(unknown("method", self.method.data))

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        return (self.receiver, *self.arguments) if self.view is not None else None


@op_definition
class HelperOp(CallLikeOp):
    """A call of a function of a library's prelude; the printer adds its source to the program.

    ``np.fill_empty`` is the function ``fill_empty`` of ``ein_mlir/backends/numpy/prelude/``. With
    ``view first`` the result may alias the first operand, but no other one.

    Example:
    ```mlir
    %r = emitpy.helper "np.fill_empty"(%a, %k) view
      : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    ```
    """

    name = "emitpy.helper"

    NAMED_BY: ClassVar = "callee"

    callee = prop_def(StringAttr)
    first = opt_prop_def(UnitAttr)

    traits = traits_def(Pure())

    assembly_format = CALL_FORMAT.replace("$view^)?", "$view^)? (`first` $first^)?")

    def __init__(
        self,
        callee: str,
        operands: Sequence[SSAValue | Operation],
        result_type: Attribute,
        *,
        view: bool = False,
        first: bool = False,
        read_only: bool = False,
    ):
        target = {"callee": StringAttr(callee)}
        super().__init__(target, operands, result_type, view=view, read_only=read_only)
        if first:
            self.properties["first"] = UnitAttr()

    def verify_(self) -> None:
        super().verify_()
        library, _, name = self.callee.data.partition(".")
        if not is_identifier(library) or not is_identifier(name):
            raise self.fail(f"'{self.callee.data}' is not of the form 'np.helper'")
        if self.first is not None and (self.view is None or not self.arguments):
            raise self.fail("'first' needs 'view', and an operand")

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        found = super().aliased(result, scalars_are_views)
        return found if found is None or self.first is None else found[:1]


@op_definition
class ExternOp(CallLikeOp):
    """A call of a function that the host program provides as a global of that name.

    Example:
    ```mlir
    %s = emitpy.extern @sort(%v) : (tensor<?xf64>) -> tensor<?xf64>
    ```
    """

    name = "emitpy.extern"

    NAMED_BY: ClassVar = "callee"

    callee = prop_def(SymbolRefAttr)

    traits = traits_def(Pure())

    assembly_format = CALL_FORMAT

    def __init__(
        self,
        callee: SymbolRefAttr,
        operands: Sequence[SSAValue | Operation],
        result_type: Attribute,
        *,
        view: bool = False,
    ):
        super().__init__({"callee": callee}, operands, result_type, view=view)

    def verify_(self) -> None:
        super().verify_()
        if not is_identifier(name := self.callee.string_value()):
            raise self.fail(f"'{name}' is not a Python name")


@op_definition
class CallIntoOp(CallLikeOp):
    """``np.abs(a, out=b)``: a call whose result overwrites an array, which may be an argument.

    With indices it overwrites a part, ``np.abs(a, out=b[i:j])``, and with the keyword ``where`` the
    elements for which a mask holds. The result is the array with its new elements. No other alias
    may have a later use, except an array that the result is a view of. Some functions of preludes
    may be called, too.

    Example:
    ```mlir
    %c = emitpy.call_into %b "np.abs"(%a) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %e = emitpy.call_into %d[%part : !emitpy.object] "np.abs"(%a)
      : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    ```
    """

    name = "emitpy.call_into"

    target = operand_def(TensorType)
    indices = var_operand_def(VALUE)
    callee = prop_def(StringAttr)

    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$target (`[` $indices^ `:` type($indices) `]`)? $callee `` "
        "custom<Arguments>($arguments, $keywords) attr-dict "
        "`:` `(` type($target) `,` type($arguments) `)` `->` type($result)"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True), ParsePropInAttrDict())

    def __init__(
        self,
        target: SSAValue | Operation,
        callee: str,
        operands: Sequence[SSAValue | Operation],
        indices: Sequence[SSAValue | Operation] = (),
        keywords: Mapping[str, SSAValue] | None = None,
    ):
        result_type = SSAValue.get(target).type
        properties = {"callee": StringAttr(callee)}
        super().__init__(
            properties, operands, result_type, keywords, fixed_operands=(target, indices)
        )

    def verify_(self) -> None:
        super().verify_()
        if self.callee.data not in WRITING_HELPERS and not is_library_name(self.callee.data):
            raise self.fail(unknown("function", self.callee.data))
        if self.target.type != self.result.type:
            raise self.fail(f"a '{self.target.type}' cannot become a '{self.result.type}'")

    def aliased(self, result: SSAValue, scalars_are_views: bool) -> Sequence[SSAValue] | None:
        return (self.target,)
