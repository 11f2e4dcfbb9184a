"""emitpy: Python code as IR; it is to Python what MLIR's ``emitc`` is to C.

A value keeps its builtin ``tensor`` type where it is an array or a NumPy scalar of exactly that
element type, and builtin ``tuple`` types are records: passes know rank and element type. Any other
Python object, such as an int, a slice or a tuple of axes, is an ``!emitpy.object``. Each operation
is one expression or statement of Python; functions are ``func.func``. How expressions nest, and
what the variables are called, is left to the printer.

What operations can name is a closed vocabulary (``emitpy_names``): text that is IR never becomes
arbitrary Python. The row sums of a matrix, added to each row, read::

    func.func @f(%a: tensor<?x?xf64>) -> tensor<?x?xf64> {
      %axis = emitpy.literal 1 : i64
      %s = emitpy.method %a "sum"(axis = %axis)
        : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
      %all = emitpy.slice
      %none = emitpy.literal unit
      %c = emitpy.subscript %s[%all, %none]
        : (tensor<?xf64>, !emitpy.object, !emitpy.object) -> tensor<?x1xf64>
      %r = emitpy.binary %a "+" %c
        : (tensor<?x?xf64>, tensor<?x1xf64>) -> tensor<?x?xf64>
      func.return %r : tensor<?x?xf64>
    }

and are printed as::

    def f(a):
        return a + a.sum(axis=1)[:, None]
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import (
    Attribute,
    BlockArgument,
    Dialect,
    Operation,
    ParametrizedAttribute,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OperandVariable,
    OptionalOperandVariable,
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    MemoryWriteEffect,
    Pure,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ein_mlir.dialects.assembly import (
    parse_bound_arguments,
    print_bound_argument,
    resolve_arguments,
)
from ein_mlir.dialects.emitpy_names import (
    ATTRIBUTES,
    AUGMENTED_OPERATORS,
    BINARY_OPERATORS,
    BUILTINS,
    EXCEPTIONS,
    METHODS,
    UNARY_OPERATORS,
    is_identifier,
    is_library_name,
)
from ein_mlir.dialects.phi import where_written

# Types and attributes -------------------------------------------------------------------------


@irdl_attr_definition
class ObjectType(ParametrizedAttribute, TypeAttribute):
    """A Python object that is no array: an int, a float, a slice, a tuple of axes, a dtype."""

    name = "emitpy.object"


OBJECT = ObjectType()
"""``!emitpy.object``"""

_VALUE = base(TensorType) | base(TupleType) | base(ObjectType)
_OBJECT = base(ObjectType)


@irdl_attr_definition
class DecoratorAttr(ParametrizedAttribute):
    """A call that decorates a function: ``#emitpy.decorator<"np.errstate", {all = "ignore"}>``.

    A function has them as the array ``emitpy.decorators`` among its attributes.
    """

    name = "emitpy.decorator"

    callee: StringAttr
    keywords: DictionaryAttr

    def verify(self) -> None:
        if not is_library_name(self.callee.data):
            raise VerifyException(f"emitpy.decorator: {_unknown('function', self.callee.data)}")
        for keyword, value in self.keywords.data.items():
            if not is_identifier(keyword):
                raise VerifyException(f"emitpy.decorator: '{keyword}' is not a Python name")
            if not isinstance(value, StringAttr):
                raise VerifyException(
                    f"emitpy.decorator: '{keyword}' must be a string, not '{value}'"
                )


DECORATORS = "emitpy.decorators"
"""The attribute of a function that holds its decorators."""

STATIC_ARGUMENTS = "emitpy.static_arguments"
"""The attribute of a function that holds the arguments which must be known when it is traced, or
which may be numbers of Python.
"""


def _unknown(kind: str, name: str) -> str:
    return f"'{name}' is no {kind} that emitpy knows (see emitpy_names)"


def float_literal(value: float) -> FloatAttr[Float64Type]:
    """The attribute of a Python float."""
    return FloatAttr(value, f64)


# Directives -----------------------------------------------------------------------------------


@irdl_custom_directive
class Arguments(CustomDirective):
    """``(%a, %b, axis = %k)``: positional operands, then keyword ones."""

    arguments: VariadicOperandVariable
    keywords: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        operands, keywords = list[UnresolvedOperand](), list[StringAttr]()

        def parse_argument() -> None:
            keyword = parser.parse_optional_identifier()
            if keyword is not None:
                parser.parse_punctuation("=")
                keywords.append(StringAttr(keyword))
            elif keywords:
                parser.raise_error("a positional argument cannot follow a keyword")
            operands.append(parser.parse_unresolved_operand())

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)
        self.arguments.set(state, operands)
        if keywords:
            self.keywords.set(state, ArrayAttr(keywords))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, CallLikeOp)
        printer.print_string("(")
        printer.print_list(op.positional, printer.print_ssa_value)
        for number, (keyword, value) in enumerate(op.keyword_arguments.items()):
            printer.print_string(", " if number or op.positional else "")
            printer.print_string(f"{keyword} = ")
            printer.print_ssa_value(value)
        printer.print_string(")")
        state.should_emit_space = True
        state.last_was_punctuation = False


@irdl_custom_directive
class Iteration(CustomDirective):
    """``(%k < %n step %b, %acc = %init, ...) : type of %n -> types { body }``."""

    count: OperandVariable
    count_type: TypeDirective
    step: OptionalOperandVariable
    inits: VariadicOperandVariable
    init_types: TypeDirective
    results: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("(")
        counter = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("<")
        self.count.set(state, parser.parse_unresolved_operand())
        step = None
        if parser.parse_optional_keyword("step") is not None:
            step = parser.parse_unresolved_operand()
        self.step.set(state, step)
        names, inits = list[Parser.UnresolvedArgument](), list[UnresolvedOperand]()
        if parser.parse_optional_punctuation(",") is not None:
            names, inits = parse_bound_arguments(parser, "=")
        parser.parse_punctuation(")")
        parser.parse_punctuation(":")
        self.count_type.set(state, (parser.parse_type(),))
        types: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        self.inits.set(state, inits)
        self.init_types.set(state, types)
        self.results.set(state, types)
        arguments = resolve_arguments((counter, *names), (OBJECT, *types), parser)
        self.body.set(state, parser.parse_region(arguments))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, ForOp)
        printer.print_string(" (")
        print_bound_argument(printer, op.counter, "<", op.count)
        if op.step is not None:
            printer.print_string(" step ")
            printer.print_ssa_value(op.step)
        for accumulator, init in zip(op.accumulators, op.inits, strict=True):
            printer.print_string(", ")
            print_bound_argument(printer, accumulator, "=", init)
        printer.print_string(") : ")
        printer.print_attribute(op.count.type)
        if op.res:
            printer.print_string(" -> ")
            printer.print_list((r.type for r in op.res), printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(op.body, print_entry_block_args=False)


# Expressions ----------------------------------------------------------------------------------


class EmitPyOp(IRDLOperation):
    """Diagnostics that the operations share."""

    def _fail(self, message: str) -> VerifyException:
        return VerifyException(f"{self.name}: {message}{where_written(self)}")


@irdl_op_definition
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
    result = result_def(_OBJECT)

    traits = traits_def(Pure())

    assembly_format = "$value attr-dict"

    def __init__(self, value: Attribute | str | float | bool | Sequence[int] | None):
        super().__init__(result_types=[OBJECT], properties={"value": _literal_attribute(value)})

    @property
    def data(self) -> str | float | bool | tuple[int, ...] | None:
        """The Python value."""
        if isa(self.value, DenseArrayBase[IntegerType]):
            return self.value.get_values()
        match self.value:
            case IntegerAttr(value=value, type=type_):
                return bool(value.data) if type_ == i1 else value.data
            case FloatAttr(value=value):
                return value.data
            case StringAttr(data=text):
                return text
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
        raise self._fail(f"'{value}' is not an i64, f64, i1, string, array<i64> or unit")


def _literal_attribute(
    value: Attribute | str | float | bool | Sequence[int] | None,
) -> Attribute:
    match value:
        case Attribute():
            return value
        case None:
            return UnitAttr()
        case bool():
            return IntegerAttr(int(value), i1)
        case int():
            return IntegerAttr(value, i64)
        case float():
            return float_literal(value)
        case str():
            return StringAttr(value)
        case _:
            return DenseArrayBase.from_list(i64, value)


@irdl_op_definition
class NameOp(EmitPyOp):
    """A name of a library that is no call: ``np.float32``, ``np.inf``.

    Example:
    ```mlir
    %dtype = emitpy.name "np.float32"
    ```
    """

    name = "emitpy.name"

    target = prop_def(StringAttr)
    result = result_def(_OBJECT)

    traits = traits_def(Pure())

    assembly_format = "$target attr-dict"

    def __init__(self, target: str):
        super().__init__(result_types=[OBJECT], properties={"target": StringAttr(target)})

    def verify_(self) -> None:
        if not is_library_name(self.target.data):
            raise self._fail(_unknown("name", self.target.data))


CALL_FORMAT = (
    "$callee `` custom<Arguments>($arguments, $keywords) (`view` $view^)? "
    "(`read_only` $read_only^)? attr-dict `:` functional-type($arguments, $result)"
)
"""How calls of functions are written, whatever says which function."""


class CallLikeOp(EmitPyOp):
    """What calls share: positional operands, then as many keyword operands as ``keywords`` names.

    ``view`` says that the result may share memory with an operand; ``read_only`` says besides that
    its elements may overlap and must not be written. Without them the result is fresh.
    """

    arguments = var_operand_def(_VALUE)
    keywords = opt_prop_def(ArrayAttr[StringAttr])
    view = opt_prop_def(UnitAttr)
    read_only = opt_prop_def(UnitAttr)
    result = result_def(_VALUE)

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
            raise self._fail(f"{len(names)} keywords for {len(self.arguments)} arguments")
        for name in names:
            if not is_identifier(name):
                raise self._fail(f"keyword '{name}' is not a Python name")
        if len(set(names)) < len(names):
            raise self._fail(f"keywords {', '.join(names)} repeat")


@irdl_op_definition
class CallOp(CallLikeOp):
    """A call of a function of a library, or of a builtin function.

    Example:
    ```mlir
    %r = emitpy.call "np.take"(%a, %p, axis = %k, mode = %clip)
      : (tensor<?x?xf64>, tensor<?xi64>, !emitpy.object, !emitpy.object) -> tensor<?x?xf64>
    ```
    """

    name = "emitpy.call"

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
            raise self._fail(_unknown("function", self.callee.data))


@irdl_op_definition
class MethodOp(CallLikeOp):
    """A call of a method.

    Example:
    ```mlir
    %s = emitpy.method %a "sum"(axis = %k) : (tensor<?x?xf64>, !emitpy.object) -> tensor<?xf64>
    ```
    """

    name = "emitpy.method"

    receiver = operand_def(_VALUE)
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
            raise self._fail(_unknown("method", self.method.data))


@irdl_op_definition
class HelperOp(CallLikeOp):
    """A call of a function of a library's prelude, whose source the printer puts in front.

    ``np.fill_empty`` is the function ``fill_empty`` of ``ein_mlir/backends/numpy_prelude.py``.

    Example:
    ```mlir
    %r = emitpy.helper "np.fill_empty"(%a, %k) view
      : (tensor<?x?xf64>, !emitpy.object) -> tensor<?x?xf64>
    ```
    """

    name = "emitpy.helper"

    callee = prop_def(StringAttr)

    traits = traits_def(Pure())

    assembly_format = CALL_FORMAT

    def __init__(
        self,
        callee: str,
        operands: Sequence[SSAValue | Operation],
        result_type: Attribute,
        *,
        view: bool = False,
    ):
        super().__init__({"callee": StringAttr(callee)}, operands, result_type, view=view)

    def verify_(self) -> None:
        super().verify_()
        library, _, name = self.callee.data.partition(".")
        if not is_identifier(library) or not is_identifier(name):
            raise self._fail(f"'{self.callee.data}' is not of the form 'np.helper'")


@irdl_op_definition
class ExternOp(CallLikeOp):
    """A call of a function that the embedding program provides as a global of that name.

    Example:
    ```mlir
    %s = emitpy.extern @sort(%v) : (tensor<?xf64>) -> tensor<?xf64>
    ```
    """

    name = "emitpy.extern"

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
            raise self._fail(f"'{name}' is not a Python name")


@irdl_op_definition
class AttrOp(EmitPyOp):
    """An attribute of an object; a view where the result is an array.

    Example:
    ```mlir
    %shape = emitpy.attr %a "shape" : tensor<?x?xf64> -> !emitpy.object
    ```
    """

    name = "emitpy.attr"

    object = operand_def(_VALUE)
    attribute = prop_def(StringAttr)
    result = result_def(_VALUE)

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
            raise self._fail(_unknown("attribute", self.attribute.data))


@irdl_op_definition
class SliceOp(EmitPyOp):
    """A slice between brackets: ``:``, ``start:stop`` or ``start:stop:step``; None leaves one out.

    Example:
    ```mlir
    %s = emitpy.slice(%start, %stop : !emitpy.object, !emitpy.object)
    ```
    """

    name = "emitpy.slice"

    bounds = var_operand_def(_VALUE)
    result = result_def(_OBJECT)

    traits = traits_def(Pure())

    assembly_format = "(`(` $bounds^ `:` type($bounds) `)`)? attr-dict"

    def __init__(self, *bounds: SSAValue | Operation):
        super().__init__(operands=[bounds], result_types=[OBJECT])

    def verify_(self) -> None:
        if len(self.bounds) not in (0, 2, 3):
            raise self._fail(f"a slice has 0, 2 or 3 bounds, not {len(self.bounds)}")
        for use in self.result.uses:
            if not isinstance(use.operation, CallIntoOp | StoreOp | SubscriptOp) or use.index == 0:
                raise self._fail("a slice can only stand between the brackets of a subscript")


@irdl_op_definition
class SubscriptOp(EmitPyOp):
    """``a[i, :, None]``: a view where the result is an array and no index is.

    Example:
    ```mlir
    %c = emitpy.subscript %a[%all, %k]
      : (tensor<?x?xf64>, !emitpy.object, !emitpy.object) -> tensor<?xf64>
    ```
    """

    name = "emitpy.subscript"

    object = operand_def(_VALUE)
    indices = var_operand_def(_VALUE)
    result = result_def(_VALUE)

    traits = traits_def(Pure())

    assembly_format = "$object `[` $indices `]` attr-dict `:` functional-type(operands, results)"

    def __init__(
        self,
        object: SSAValue | Operation,
        indices: Sequence[SSAValue | Operation],
        result_type: Attribute,
    ):
        super().__init__(operands=[object, indices], result_types=[result_type])

    def verify_(self) -> None:
        if not self.indices:
            raise self._fail("at least one index is needed")


@irdl_op_definition
class TupleOp(EmitPyOp):
    """A tuple: a record, or an argument such as a shape.

    Example:
    ```mlir
    %shape = emitpy.tuple(%n, %m) : (!emitpy.object, !emitpy.object) -> !emitpy.object
    ```
    """

    name = "emitpy.tuple"

    fields = var_operand_def(_VALUE)
    result = result_def(_VALUE)

    traits = traits_def(Pure())

    assembly_format = "`(` $fields `)` attr-dict `:` functional-type($fields, $result)"

    def __init__(self, fields: Sequence[SSAValue | Operation], result_type: Attribute = OBJECT):
        super().__init__(operands=[fields], result_types=[result_type])

    def verify_(self) -> None:
        result = self.result.type
        if isa(result, TupleType) and tuple(result.types) != tuple(self.fields.types):
            raise self._fail(f"the fields do not make a '{result}'")


@irdl_op_definition
class UnpackOp(EmitPyOp):
    """``x, y = t``: the fields of a tuple, by name.

    Example:
    ```mlir
    %x, %y = emitpy.unpack %carry : !emitpy.object -> tensor<?xf64>, tensor<i64>
    ```
    """

    name = "emitpy.unpack"

    record = operand_def(_VALUE)
    fields = var_result_def(_VALUE)

    traits = traits_def(Pure())

    assembly_format = "$record attr-dict `:` type($record) `->` type($fields)"

    def __init__(self, record: SSAValue | Operation, types: Sequence[Attribute]):
        super().__init__(operands=[record], result_types=[types])

    def verify_(self) -> None:
        if not self.fields:
            raise self._fail("at least one field is needed")


@irdl_op_definition
class BinaryOp(EmitPyOp):
    """An operator between two operands, arithmetic, comparing or logical.

    Example:
    ```mlir
    %c = emitpy.binary %a "+" %b : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    ```
    """

    name = "emitpy.binary"

    lhs = operand_def(_VALUE)
    operator = prop_def(StringAttr)
    rhs = operand_def(_VALUE)
    result = result_def(_VALUE)

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
            raise self._fail(_unknown("binary operator", self.operator.data))


@irdl_op_definition
class UnaryOp(EmitPyOp):
    """An operator in front of one operand.

    Example:
    ```mlir
    %m = emitpy.unary "-" %a : (tensor<?xf64>) -> tensor<?xf64>
    ```
    """

    name = "emitpy.unary"

    operator = prop_def(StringAttr)
    operand = operand_def(_VALUE)
    result = result_def(_VALUE)

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
            raise self._fail(_unknown("unary operator", self.operator.data))


@irdl_op_definition
class ConditionalOp(EmitPyOp):
    """``a if c else b``: the condition is one truth value, both values are computed before.

    Example:
    ```mlir
    %r = emitpy.conditional %c, %a, %b
      : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
    ```
    """

    name = "emitpy.conditional"

    condition = operand_def(_VALUE)
    if_true = operand_def(_VALUE)
    if_false = operand_def(_VALUE)
    result = result_def(_VALUE)

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


# Statements -----------------------------------------------------------------------------------


@irdl_op_definition
class AugmentOp(EmitPyOp):
    """``a += b``: an operator whose result overwrites its left operand, an array.

    The result is that array with its new elements; no value that shares its memory may be read
    afterwards in another way.

    Example:
    ```mlir
    %c = emitpy.augment %a "+" %b : (tensor<?xf64>, !emitpy.object) -> tensor<?xf64>
    ```
    """

    name = "emitpy.augment"

    target = operand_def(TensorType)
    operator = prop_def(StringAttr)
    value = operand_def(_VALUE)
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
            raise self._fail(_unknown("augmented operator", self.operator.data))
        if self.target.type != self.result.type:
            raise self._fail(f"a '{self.target.type}' cannot become a '{self.result.type}'")


@irdl_op_definition
class CallIntoOp(CallLikeOp):
    """``np.abs(a, out=b)``: a call whose result overwrites an array, which may be an argument.

    With indices it overwrites a part, ``np.abs(a, out=b[i:j])``, and with the keyword ``where``
    those elements for which a mask holds. The result is the array with its new elements; no value
    that shares its memory may be read afterwards in another way, but for an array that it is a view
    of.

    Example:
    ```mlir
    %c = emitpy.call_into %b "np.abs"(%a) : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    %e = emitpy.call_into %d[%part : !emitpy.object] "np.abs"(%a)
      : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xf64>
    ```
    """

    name = "emitpy.call_into"

    target = operand_def(TensorType)
    indices = var_operand_def(_VALUE)
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
        if not is_library_name(self.callee.data):
            raise self._fail(_unknown("function", self.callee.data))
        if self.target.type != self.result.type:
            raise self._fail(f"a '{self.target.type}' cannot become a '{self.result.type}'")


@irdl_op_definition
class StoreOp(EmitPyOp):
    """``a[i, :] = x``: elements of an array are overwritten, if a condition holds that it may have.

    The result is that array with its new elements; no value that shares its memory may be read
    afterwards in another way.

    Example:
    ```mlir
    %b = emitpy.store %a[%i, %all : !emitpy.object, !emitpy.object], %x if %c : !emitpy.object
      : (tensor<?x?xf64>, tensor<?xf64>) -> tensor<?x?xf64>
    ```
    """

    name = "emitpy.store"

    target = operand_def(TensorType)
    indices = var_operand_def(_VALUE)
    value = operand_def(_VALUE)
    condition = opt_operand_def(_VALUE)
    result = result_def(TensorType)

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
            raise self._fail("at least one index is needed")
        if self.target.type != self.result.type:
            raise self._fail(f"a '{self.target.type}' cannot become a '{self.result.type}'")


@irdl_op_definition
class YieldOp(EmitPyOp):
    """Ends a body: a loop's next values of its accumulators, or what a local function returns."""

    name = "emitpy.yield"

    values = var_operand_def(_VALUE)

    traits = lazy_traits_def(lambda: (IsTerminator(), Pure(), HasParent(DefOp, ForOp)))

    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, *values: SSAValue | Operation):
        super().__init__(operands=[values])


@irdl_op_definition
class ForOp(EmitPyOp):
    """``for k in range(n):`` with accumulators, which are variables that each step assigns.

    With a step it is ``for k in range(0, n, step):``.

    Example:
    ```mlir
    %s = emitpy.for (%k < %n, %acc = %init) : !emitpy.object -> tensor<f64> {
      %0 = emitpy.binary %acc "+" %k : (tensor<f64>, !emitpy.object) -> tensor<f64>
      emitpy.yield %0 : tensor<f64>
    }
    ```
    """

    name = "emitpy.for"

    count = operand_def(_VALUE)
    inits = var_operand_def(_VALUE)
    step = opt_operand_def(_OBJECT)
    res = var_result_def(_VALUE)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect())

    custom_directives = (Iteration,)
    assembly_format = (
        "custom<Iteration>($count, type($count), $step, $inits, type($inits), type($res), $body) "
        "attr-dict"
    )
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        count: SSAValue | Operation,
        inits: Sequence[SSAValue | Operation],
        body: Region,
        step: SSAValue | Operation | None = None,
    ):
        types = [SSAValue.get(init).type for init in inits]
        super().__init__(operands=[count, inits, step], result_types=[types], regions=[body])

    @property
    def counter(self) -> BlockArgument:
        """The number of the step, from 0."""
        return self.body.block.args[0]

    @property
    def accumulators(self) -> Sequence[BlockArgument]:
        """The values that the steps hand on."""
        return self.body.block.args[1:]

    def verify_(self) -> None:
        types = [init.type for init in self.inits]
        if [arg.type for arg in self.body.block.args] != [OBJECT, *types]:
            raise self._fail("the body must take an !emitpy.object and the accumulators")
        terminator = self.body.block.last_op
        if not isinstance(terminator, YieldOp):
            raise self._fail("the body must end in emitpy.yield")
        if list(terminator.values.types) != types or [r.type for r in self.res] != types:
            raise self._fail("initial values, yielded values and results must have the same types")


@irdl_op_definition
class DefOp(EmitPyOp):
    """A local function, which may read the variables around it: what libraries loop with.

    Example:
    ```mlir
    %step = emitpy.def {
    ^bb0(%k: tensor<i64>, %acc: tensor<f64>):
      %x = emitpy.subscript %a[%k] : (tensor<?xf64>, tensor<i64>) -> tensor<f64>
      %0 = emitpy.binary %acc "+" %x : (tensor<f64>, tensor<f64>) -> tensor<f64>
      emitpy.yield %0 : tensor<f64>
    }
    %s = emitpy.helper "jnp.fold"(%n, %step, %init)
      : (!emitpy.object, !emitpy.object, tensor<f64>) -> tensor<f64>
    ```
    """

    name = "emitpy.def"

    body = region_def("single_block")
    result = result_def(_OBJECT)

    traits = traits_def(Pure())

    assembly_format = "$body attr-dict"

    def __init__(self, body: Region):
        super().__init__(result_types=[OBJECT], regions=[body])

    @property
    def returned(self) -> SSAValue:
        """What a call of the function gives."""
        terminator = self.body.block.last_op
        assert isinstance(terminator, YieldOp)
        return terminator.values[0]

    def verify_(self) -> None:
        terminator = self.body.block.last_op
        if not isinstance(terminator, YieldOp) or len(terminator.values) != 1:
            raise self._fail("the body must end in emitpy.yield of one value")


@irdl_op_definition
class RaiseIfOp(EmitPyOp):
    """Raises an exception if a condition holds. In the text, ``{}`` stands for a value.

    Braces of the text itself are doubled, as in ``str.format``.

    Example:
    ```mlir
    emitpy.raise_if %c, "ValueError", "sizes differ: {} != {}"(%n, %m)
      : !emitpy.object, !emitpy.object, !emitpy.object
    ```
    """

    name = "emitpy.raise_if"

    condition = operand_def(_VALUE)
    exception = prop_def(StringAttr)
    message = prop_def(StringAttr)
    arguments = var_operand_def(_VALUE)

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
            raise self._fail(_unknown("exception", self.exception.data))
        try:
            pieces = message_pieces(self.message.data)
        except ValueError as error:
            raise self._fail(f"message: {error}") from error
        if len(pieces) - 1 != len(self.arguments):
            raise self._fail(
                f"the message has {len(pieces) - 1} places for {len(self.arguments)} values"
            )


def message_pieces(message: str) -> list[str]:
    """The texts between the places ``{}`` of a message.

    Raises ValueError where the braces are not as in ``str.format``.

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


@irdl_op_definition
class DelOp(EmitPyOp):
    """``del x, y``: the values are not used afterwards, so their memory can be.

    Example:
    ```mlir
    emitpy.del %x : tensor<?xf64>
    ```
    """

    name = "emitpy.del"

    values = var_operand_def(_VALUE)

    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, *values: SSAValue | Operation):
        super().__init__(operands=[values])

    def verify_(self) -> None:
        if not self.values:
            raise self._fail("at least one value is needed")


EmitPy = Dialect(
    "emitpy",
    [
        AttrOp,
        AugmentOp,
        BinaryOp,
        CallIntoOp,
        CallOp,
        ConditionalOp,
        DefOp,
        DelOp,
        ExternOp,
        ForOp,
        HelperOp,
        LiteralOp,
        MethodOp,
        NameOp,
        RaiseIfOp,
        SliceOp,
        StoreOp,
        SubscriptOp,
        TupleOp,
        UnaryOp,
        UnpackOp,
        YieldOp,
    ],
    [DecoratorAttr, ObjectType],
)
