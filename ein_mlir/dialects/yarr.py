"""Yarr: the point-free array calculus (dissertation, section 3.6.1).

Values are builtin tensors: a scalar is a ``tensor<f64>``, a matrix a ``tensor<?x?xf64>``, a size a
``tensor<i64>``. No index survives: programs are written with whole-array operations, as one writes
NumPy. Scalar operators appear in the region of ``yarr.elementwise``, as ``arith``, ``math`` and
``sigma`` operations. The distances between all pairs of rows of a matrix read::

    %d = yarr.fold (%k < %m, %acc = %zeros) -> tensor<?x?xf64> {
      %c = yarr.take %a, 1, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
      %x = yarr.unsqueeze %c, [1] : tensor<?xf64> -> tensor<?x1xf64>
      %y = yarr.unsqueeze %c, [0] : tensor<?xf64> -> tensor<1x?xf64>
      %0 = yarr.elementwise { arith.subf } %x, %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> ...
      ...
    }
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    TupleType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import (
    Attribute,
    Block,
    BlockArgument,
    Dialect,
    Operation,
    Region,
    SSAValue,
    TypeAttribute,
)
from xdsl.irdl import (
    AnyAttr,
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    eq,
    irdl_op_definition,
    lazy_traits_def,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    OperandVariable,
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.pattern_rewriter import RewritePattern
from xdsl.printer import Printer
from xdsl.traits import (
    HasCanonicalizationPatternsTrait,
    HasParent,
    IsTerminator,
    Pure,
    RecursiveMemoryEffect,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ein_mlir.dialects.assembly import (
    parse_bound_arguments,
    parse_function_type,
    parse_single_operation,
    print_bound_argument,
    resolve_arguments,
    single_operation,
)
from ein_mlir.dialects.phi import is_scalar_type, where_written
from ein_mlir.dialects.reductions import REDUCTIONS

DYNAMIC = DYNAMIC_INDEX
"""The size of an axis that is not known statically."""

SIZE_TYPE: TensorType[Attribute] = TensorType(i64, [])
"""The type of a size, a count or a position: a scalar Int."""

_TENSOR = base(TensorType)
_SIZE = eq(SIZE_TYPE)


def tensor(element: Attribute, shape: Iterable[int]) -> TensorType[Attribute]:
    """A tensor type; ``DYNAMIC`` stands for a size that is not known."""
    return TensorType(element, list(shape))


def constant(value: IntegerAttr | FloatAttr) -> arith.ConstantOp:
    """A scalar constant, as a tensor."""
    if isinstance(value, FloatAttr):
        floats = TensorType(value.type, [])
        return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(floats, [value.value.data]))
    integers = TensorType(value.type, [])
    return arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(integers, [value.value.data]))


def shape_of(value: SSAValue | Attribute) -> tuple[int, ...]:
    """The static shape of a tensor value or type."""
    type_ = value.type if isinstance(value, SSAValue) else value
    assert isa(type_, TensorType)
    return type_.get_shape()


def rank_of(value: SSAValue | Attribute) -> int:
    """The number of axes of a tensor value or type."""
    return len(shape_of(value))


def element_of(value: SSAValue | Attribute) -> Attribute:
    """The element type of a tensor value or type."""
    type_ = value.type if isinstance(value, SSAValue) else value
    assert isa(type_, TensorType)
    return type_.element_type


def broadcast_shapes(shapes: Sequence[Sequence[int]]) -> tuple[int, ...] | None:
    """The shape that arrays of equal rank broadcast to; None if two static sizes cannot agree."""
    result: list[int] = []
    for sizes in zip(*shapes, strict=True):
        known = {size for size in sizes if size not in (1, DYNAMIC)}
        if len(known) > 1:
            return None
        if known:
            result.append(known.pop())
        else:
            result.append(DYNAMIC if DYNAMIC in sizes else 1)
    return tuple(result)


def compatible(actual: Sequence[int], expected: Sequence[int]) -> bool:
    """Whether two static shapes can be the same shape at run time."""
    return len(actual) == len(expected) and all(
        a == e or DYNAMIC in (a, e) for a, e in zip(actual, expected, strict=True)
    )


def show(shape: Sequence[int]) -> str:
    """A shape as in a tensor type, ``?x3``; ``[]`` for a scalar."""
    return "x".join("?" if size == DYNAMIC else str(size) for size in shape) or "[]"


# Directives -----------------------------------------------------------------------------------


@irdl_custom_directive
class Mapping(CustomDirective):
    """``{ arith.addf } %a, %b : types`` or ``(%x = %a, %y = %b) : types { body }``."""

    arguments: VariadicOperandVariable
    argument_types: TypeDirective
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        name, names = None, list[Parser.UnresolvedArgument]()
        opening = parser.pos
        if parser.parse_optional_punctuation("{") is not None:
            name = parser.parse_identifier()
            parser.parse_punctuation("}")
            operands = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_unresolved_operand
            )
        else:
            parser.parse_punctuation("(")
            operands = list[UnresolvedOperand]()
            if parser.parse_optional_punctuation(")") is None:
                names, operands = parse_bound_arguments(parser, "=")
                parser.parse_punctuation(")")
        parser.parse_punctuation(":")
        start = parser.pos
        inputs, outputs = parse_function_type(parser)
        if len(outputs) != 1 or not all(isa(t, TensorType) for t in (*inputs, *outputs)):
            parser.raise_error("expected tensor types and one result", start)
        scalars = [element_of(t) for t in inputs]
        if name is not None:
            body = parse_single_operation(
                parser, scalars, [element_of(outputs[0])], name, lambda v: YieldOp(*v), opening
            )
        else:
            body = parser.parse_region(resolve_arguments(names, scalars, parser))
        self.arguments.set(state, operands)
        self.argument_types.set(state, inputs)
        self.result.set(state, outputs)
        self.body.set(state, body)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, ElementwiseOp)
        single = single_operation(op.body)
        if single is not None:
            printer.print_string(f" {{ {single.name} }} ")
            printer.print_list(op.arguments, printer.print_ssa_value)
        else:
            printer.print_string(" (")
            printer.print_list(
                zip(op.body.block.args, op.arguments, strict=True),
                lambda pair: print_bound_argument(printer, pair[0], "=", pair[1]),
            )
            printer.print_string(")")
        printer.print_string(" : (")
        printer.print_list(op.arguments.types, printer.print_attribute)
        printer.print_string(") -> ")
        printer.print_attribute(op.result.type)
        if single is None:
            printer.print_string(" ")
            printer.print_region(op.body, print_entry_block_args=False)


@irdl_custom_directive
class Combiner(CustomDirective):
    """``{ arith.addf }`` or ``(%x, %y) { body }``: how a reduction combines two scalars."""

    argument_type: TypeDirective
    result: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        name, names = None, list[Parser.UnresolvedArgument]()
        opening = parser.pos
        if parser.parse_optional_punctuation("{") is not None:
            name = parser.parse_identifier()
            parser.parse_punctuation("}")
        else:
            names = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
            )
        parser.parse_punctuation(":")
        start = parser.pos
        type_ = parser.parse_type()
        parser.parse_punctuation("->")
        result = parser.parse_type()
        if not isa(type_, TensorType) or not isa(result, TensorType):
            parser.raise_error("expected tensor types", start)
        scalar = element_of(type_)
        if name is not None:
            body = parse_single_operation(
                parser, (scalar, scalar), (scalar,), name, lambda v: YieldOp(*v), opening
            )
        else:
            body = parser.parse_region(resolve_arguments(names, (scalar, scalar), parser))
        self.argument_type.set(state, (type_,))
        self.result.set(state, (result,))
        self.body.set(state, body)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, ReduceOp)
        single = single_operation(op.body)
        if single is not None:
            printer.print_string(f" {{ {single.name} }}")
        else:
            printer.print_string(" (")
            printer.print_list(op.body.block.args, printer.print_ssa_value)
            printer.print_string(")")
        printer.print_string(" : ")
        printer.print_attribute(op.array.type)
        printer.print_string(" -> ")
        printer.print_attribute(op.result.type)
        if single is None:
            printer.print_string(" ")
            printer.print_region(op.body, print_entry_block_args=False)


@irdl_custom_directive
class Loop(CustomDirective):
    """``(%k < %n, %acc = %init, ...) -> types { body }``: a counter and accumulators."""

    count: OperandVariable
    inits: VariadicOperandVariable
    init_types: TypeDirective
    results: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parser.parse_punctuation("(")
        counter = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("<")
        self.count.set(state, parser.parse_unresolved_operand())
        names, inits = list[Parser.UnresolvedArgument](), []
        if parser.parse_optional_punctuation(",") is not None:
            names, inits = parse_bound_arguments(parser, "=")
        parser.parse_punctuation(")")
        types: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        self.inits.set(state, inits)
        self.init_types.set(state, types)
        self.results.set(state, types)
        arguments = resolve_arguments((counter, *names), (SIZE_TYPE, *types), parser)
        self.body.set(state, parser.parse_region(arguments))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        assert isinstance(op, FoldOp)
        printer.print_string(" (")
        print_bound_argument(printer, op.counter, "<", op.count)
        for accumulator, init in zip(op.accumulators, op.inits, strict=True):
            printer.print_string(", ")
            print_bound_argument(printer, accumulator, "=", init)
        printer.print_string(")")
        if op.res:
            printer.print_string(" -> ")
            printer.print_list((r.type for r in op.res), printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(op.body, print_entry_block_args=False)


# Operations -----------------------------------------------------------------------------------


class _Canonical(HasCanonicalizationPatternsTrait):
    """The laws of an operation stand in a table, under its class."""

    def get_patterns(self, op: type[Operation]) -> tuple[RewritePattern, ...]:
        from ein_mlir.passes.canonicalization_patterns import yarr

        return yarr.PATTERNS.get(op, ())

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from ein_mlir.passes.canonicalization_patterns import yarr

        return tuple(pattern for patterns in yarr.PATTERNS.values() for pattern in patterns)


class _YarrOp(IRDLOperation):
    """Diagnostics that the operations share."""

    def _fail(self, message: str) -> VerifyException:
        return VerifyException(f"{self.name}: {message}" + where_written(self))

    def _verify_result(
        self,
        result: SSAValue,
        element: Attribute,
        shape: Sequence[int],
        what: str = "the result",
    ) -> None:
        """Check a result against the type that the operands give it."""
        expected = tensor(element, shape)
        if element_of(result) != element or not compatible(shape_of(result), shape):
            raise self._fail(f"{what} must be a '{expected}', not a '{result.type}'")

    def _verify_axis(self, axis: int, rank: int, what: str = "axis") -> None:
        if not 0 <= axis < rank:
            raise self._fail(f"{what} {axis} is not an axis of an array of rank {rank}")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends the body of an elementwise operation, a reduction or a fold.

    Example:
    ```mlir
    yarr.yield %x, %y : tensor<?xf64>, tensor<i64>
    ```
    """

    name = "yarr.yield"

    values = var_operand_def(AnyAttr())

    traits = lazy_traits_def(
        lambda: (
            IsTerminator(),
            Pure(),
            HasParent(ElementwiseOp, ReduceOp, FoldOp, TreeReduceOp),
        )
    )

    assembly_format = "($values^ `:` type($values))? attr-dict"

    def __init__(self, *values: SSAValue | Operation):
        super().__init__(operands=[values])


@irdl_op_definition
class RangeOp(_YarrOp):
    """The Ints from 0 up to a size: ``[0, 1, ..., n-1]``.

    Example:
    ```mlir
    %r = yarr.range %n : tensor<?xi64>
    ```
    """

    name = "yarr.range"

    size = operand_def(_SIZE)
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$size attr-dict `:` type($result)"

    def __init__(self, size: SSAValue | Operation, static_size: int = DYNAMIC):
        super().__init__(operands=[size], result_types=[tensor(i64, [static_size])])

    def verify_(self) -> None:
        self._verify_result(self.result, i64, (DYNAMIC,))


@irdl_op_definition
class SizeOp(_YarrOp):
    """The size of an array along an axis.

    Example:
    ```mlir
    %n = yarr.size %a, 0 : tensor<?x?xf64>
    ```
    """

    name = "yarr.size"

    array = operand_def(_TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(_SIZE)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$array `,` $axis attr-dict `:` type($array)"

    def __init__(self, array: SSAValue | Operation, axis: int):
        super().__init__(
            operands=[array], result_types=[SIZE_TYPE], properties={"axis": IntegerAttr(axis, i64)}
        )

    def verify_(self) -> None:
        self._verify_axis(self.axis.value.data, rank_of(self.array))


@irdl_op_definition
class TransposeOp(_YarrOp):
    """Axes in another order: axis ``d`` of the result is axis ``permutation[d]`` of the operand.

    Example:
    ```mlir
    %t = yarr.transpose %a, [1, 0] : tensor<?x3xf64> -> tensor<3x?xf64>
    ```
    """

    name = "yarr.transpose"

    array = operand_def(_TENSOR)
    permutation = prop_def(DenseArrayBase.constr(i64))
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$array `,` $permutation attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, permutation: Sequence[int]):
        array = SSAValue.get(array)
        shape = shape_of(array)
        super().__init__(
            operands=[array],
            result_types=[tensor(element_of(array), [shape[axis] for axis in permutation])],
            properties={"permutation": DenseArrayBase.from_list(i64, permutation)},
        )

    @property
    def axes(self) -> tuple[int, ...]:
        """The permutation as integers."""
        return self.permutation.get_values()

    def verify_(self) -> None:
        shape = shape_of(self.array)
        if sorted(self.axes) != list(range(len(shape))):
            raise self._fail(
                f"{list(self.axes)} is not a permutation of the {len(shape)} axes of "
                f"'{self.array.type}'"
            )
        self._verify_result(
            self.result, element_of(self.array), [shape[axis] for axis in self.axes]
        )


@irdl_op_definition
class SqueezeOp(_YarrOp):
    """Axes of size 1 removed. Axes are those of the operand, in increasing order.

    Example:
    ```mlir
    %s = yarr.squeeze %a, [0] : tensor<1x?xf64> -> tensor<?xf64>
    ```
    """

    name = "yarr.squeeze"

    array = operand_def(_TENSOR)
    axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="axes")
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$array `,` $axes attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, axes: Sequence[int]):
        array = SSAValue.get(array)
        shape = [size for d, size in enumerate(shape_of(array)) if d not in axes]
        super().__init__(
            operands=[array],
            result_types=[tensor(element_of(array), shape)],
            properties={"axes": DenseArrayBase.from_list(i64, axes)},
        )

    @property
    def axes(self) -> tuple[int, ...]:
        """The removed axes of the operand."""
        return self.axes_attr.get_values()

    def verify_(self) -> None:
        shape = shape_of(self.array)
        _verify_increasing(self, self.axes, len(shape))
        for axis in self.axes:
            if shape[axis] not in (1, DYNAMIC):
                raise self._fail(f"axis {axis} has size {shape[axis]}, only size 1 can go")
        self._verify_result(
            self.result,
            element_of(self.array),
            [size for d, size in enumerate(shape) if d not in self.axes],
        )


@irdl_op_definition
class UnsqueezeOp(_YarrOp):
    """Axes of size 1 added. Axes are those of the result, in increasing order.

    Example:
    ```mlir
    %u = yarr.unsqueeze %a, [0] : tensor<?xf64> -> tensor<1x?xf64>
    ```
    """

    name = "yarr.unsqueeze"

    array = operand_def(_TENSOR)
    axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="axes")
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$array `,` $axes attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, axes: Sequence[int]):
        array = SSAValue.get(array)
        super().__init__(
            operands=[array],
            result_types=[tensor(element_of(array), _insert_ones(shape_of(array), axes))],
            properties={"axes": DenseArrayBase.from_list(i64, axes)},
        )

    @property
    def axes(self) -> tuple[int, ...]:
        """The new axes of the result."""
        return self.axes_attr.get_values()

    def verify_(self) -> None:
        rank = rank_of(self.array) + len(self.axes)
        _verify_increasing(self, self.axes, rank)
        self._verify_result(
            self.result, element_of(self.array), _insert_ones(shape_of(self.array), self.axes)
        )


def _insert_ones(shape: Sequence[int], axes: Sequence[int]) -> list[int]:
    result, rest = list[int](), iter(shape)
    for axis in range(len(shape) + len(axes)):
        result.append(1 if axis in axes else next(rest))
    return result


def _except(axis: int, shape: Sequence[int]) -> list[int]:
    """The shape with the size of one axis forgotten."""
    return [DYNAMIC if d == axis else size for d, size in enumerate(shape)]


def _verify_increasing(op: _YarrOp, axes: Sequence[int], rank: int) -> None:
    if any(a >= b for a, b in pairwise(axes)):
        raise VerifyException(f"{op.name}: axes {list(axes)} must increase" + where_written(op))
    for axis in axes:
        op._verify_axis(axis, rank)  # pyright: ignore[reportPrivateUsage]


@irdl_op_definition
class RepeatOp(_YarrOp):
    """An axis of size 1 repeated to a size; a negative size is an error.

    Example:
    ```mlir
    %r = yarr.repeat %a, 0, %n : tensor<1x3xf64> -> tensor<?x3xf64>
    ```
    """

    name = "yarr.repeat"

    array = operand_def(_TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    size = operand_def(_SIZE)
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$array `,` $axis `,` $size attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, axis: int, size: SSAValue | Operation):
        array = SSAValue.get(array)
        shape = _except(axis, shape_of(array))
        super().__init__(
            operands=[array, size],
            result_types=[tensor(element_of(array), shape)],
            properties={"axis": IntegerAttr(axis, i64)},
        )

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        self._verify_axis(axis, len(shape))
        if shape[axis] not in (1, DYNAMIC):
            raise self._fail(f"axis {axis} has size {shape[axis]}, only size 1 can be repeated")
        self._verify_result(self.result, element_of(self.array), _except(axis, shape))


@irdl_op_definition
class GatherOp(_YarrOp):
    """Elements at positions along the leading axes: ``r[b, t] = a[p(b), q(b), t]``.

    The position arrays have one rank and broadcast against each other; as many leading axes of the
    array are indexed as there are position arrays. Positions clip into bounds, unless ``in_bounds``
    says that none needs it. The array must not be empty along an indexed axis where a position is
    read (see ``yarr.fill_empty``).

    Example:
    ```mlir
    %r = yarr.gather %a[%p, %q] : (tensor<?x?x3xf64>, tensor<?x1xi64>, tensor<1x?xi64>)
                                -> tensor<?x?x3xf64>
    ```
    """

    name = "yarr.gather"

    array = operand_def(_TENSOR)
    positions = var_operand_def(_TENSOR)
    in_bounds = opt_prop_def(UnitAttr)
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = (
        "$array `[` $positions `]` (`in_bounds` $in_bounds^)? attr-dict `:` "
        "functional-type(operands, results)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        positions: Sequence[SSAValue | Operation],
        *,
        in_bounds: bool = False,
    ):
        array = SSAValue.get(array)
        values = [SSAValue.get(position) for position in positions]
        shape = broadcast_shapes([shape_of(position) for position in values])
        if shape is None:
            raise ValueError("the positions of yarr.gather do not broadcast")
        super().__init__(
            operands=[array, values],
            result_types=[tensor(element_of(array), (*shape, *shape_of(array)[len(values) :]))],
            properties={"in_bounds": UnitAttr() if in_bounds else None},
        )

    def verify_(self) -> None:
        rank, count = rank_of(self.array), len(self.positions)
        if not 1 <= count <= rank:
            raise self._fail(f"{count} positions do not fit an array of rank {rank}")
        _verify_positions(self, self.positions)
        shape = broadcast_shapes([shape_of(position) for position in self.positions])
        if shape is None:
            shapes = ", ".join(show(shape_of(position)) for position in self.positions)
            raise self._fail(f"positions of shapes {shapes} do not broadcast")
        self._verify_result(
            self.result, element_of(self.array), (*shape, *shape_of(self.array)[count:])
        )


def _verify_positions(op: _YarrOp, positions: Sequence[SSAValue]) -> None:
    ranks = {rank_of(position) for position in positions}
    if len(ranks) > 1:
        raise VerifyException(
            f"{op.name}: positions must have one rank, got {sorted(ranks)}" + where_written(op)
        )
    for position in positions:
        if element_of(position) != i64:
            raise VerifyException(
                f"{op.name}: positions must be i64, got '{position.type}'" + where_written(op)
            )


@irdl_op_definition
class TakeOp(_YarrOp):
    """Elements at positions along one axis, which the axes of the positions replace.

    Positions clip into bounds, unless ``in_bounds`` says that none needs it. With a scalar position
    the axis disappears.

    Example:
    ```mlir
    %r = yarr.take %a, 1, %p : (tensor<?x?xf64>, tensor<?xi64>) -> tensor<?x?xf64>
    ```
    """

    name = "yarr.take"

    array = operand_def(_TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    position = operand_def(_TENSOR)
    in_bounds = opt_prop_def(UnitAttr)
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = (
        "$array `,` $axis `,` $position (`in_bounds` $in_bounds^)? attr-dict `:` "
        "functional-type(operands, results)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        axis: int,
        position: SSAValue | Operation,
        *,
        in_bounds: bool = False,
    ):
        array, position = SSAValue.get(array), SSAValue.get(position)
        shape = shape_of(array)
        super().__init__(
            operands=[array, position],
            result_types=[
                tensor(element_of(array), (*shape[:axis], *shape_of(position), *shape[axis + 1 :]))
            ],
            properties={
                "axis": IntegerAttr(axis, i64),
                "in_bounds": UnitAttr() if in_bounds else None,
            },
        )

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        self._verify_axis(axis, len(shape))
        _verify_positions(self, (self.position,))
        self._verify_result(
            self.result,
            element_of(self.array),
            (*shape[:axis], *shape_of(self.position), *shape[axis + 1 :]),
        )


@irdl_op_definition
class SliceOp(_YarrOp):
    """``size`` elements of an axis from ``start``, ``step`` apart: ``r[k] = a[start + k*step]``.

    The step is a non-zero constant and may be negative. All positions must be in bounds, unless
    ``clip`` says that those which are not clip into bounds (and read zero where the axis is empty).

    Example:
    ```mlir
    %r = yarr.slice %a, 0, %start, %size step 2 : tensor<?xf64> -> tensor<?xf64>
    %s = yarr.slice %a, 0, %start, %size step 1 clip : tensor<?xf64> -> tensor<?xf64>
    ```
    """

    name = "yarr.slice"

    array = operand_def(_TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    start = operand_def(_SIZE)
    size = operand_def(_SIZE)
    step = prop_def(IntegerAttr.constr(I64))
    clip = opt_prop_def(UnitAttr)
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = (
        "$array `,` $axis `,` $start `,` $size `step` $step (`clip` $clip^)? attr-dict `:` "
        "type($array) `->` type($result)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        axis: int,
        start: SSAValue | Operation,
        size: SSAValue | Operation,
        step: int = 1,
        *,
        clip: bool = False,
    ):
        array = SSAValue.get(array)
        shape = _except(axis, shape_of(array))
        super().__init__(
            operands=[array, start, size],
            result_types=[tensor(element_of(array), shape)],
            properties={
                "axis": IntegerAttr(axis, i64),
                "step": IntegerAttr(step, i64),
                "clip": UnitAttr() if clip else None,
            },
        )

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        self._verify_axis(axis, len(shape))
        if self.step.value.data == 0:
            raise self._fail("the step must not be 0")
        self._verify_result(self.result, element_of(self.array), _except(axis, shape))


@irdl_op_definition
class PadOp(_YarrOp):
    """An axis extended at both ends by copies of its first and last element.

    The axis must not be empty where a copy is made.

    Example:
    ```mlir
    %r = yarr.pad %a, 0, %low, %high : tensor<?xf64> -> tensor<?xf64>
    ```
    """

    name = "yarr.pad"

    array = operand_def(_TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    low = operand_def(_SIZE)
    high = operand_def(_SIZE)
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = (
        "$array `,` $axis `,` $low `,` $high attr-dict `:` type($array) `->` type($result)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        axis: int,
        low: SSAValue | Operation,
        high: SSAValue | Operation,
    ):
        array = SSAValue.get(array)
        shape = _except(axis, shape_of(array))
        super().__init__(
            operands=[array, low, high],
            result_types=[tensor(element_of(array), shape)],
            properties={"axis": IntegerAttr(axis, i64)},
        )

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        self._verify_axis(axis, len(shape))
        self._verify_result(self.result, element_of(self.array), _except(axis, shape))


@irdl_op_definition
class FillEmptyOp(_YarrOp):
    """The array itself, or where an axis is empty, one zero along that axis instead.

    This makes reading from an empty axis total: it gives zero.

    Example:
    ```mlir
    %r = yarr.fill_empty %a, 0 : tensor<?x3xf64> -> tensor<?x3xf64>
    ```
    """

    name = "yarr.fill_empty"

    array = operand_def(_TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$array `,` $axis attr-dict `:` type($array) `->` type($result)"

    def __init__(self, array: SSAValue | Operation, axis: int):
        array = SSAValue.get(array)
        super().__init__(
            operands=[array],
            result_types=[tensor(element_of(array), _filled(axis, shape_of(array)))],
            properties={"axis": IntegerAttr(axis, i64)},
        )

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        self._verify_axis(axis, len(shape))
        self._verify_result(self.result, element_of(self.array), _filled(axis, shape))


def _filled(axis: int, shape: Sequence[int]) -> list[int]:
    """The shape with an axis of size 0 grown to 1."""
    return [1 if d == axis and size == 0 else size for d, size in enumerate(shape)]


@irdl_op_definition
class ConcatOp(_YarrOp):
    """Arrays end to end along an axis; their other sizes must agree.

    Example:
    ```mlir
    %r = yarr.concat %a, %b axis 0 : (tensor<?xf64>, tensor<3xf64>) -> tensor<?xf64>
    ```
    """

    name = "yarr.concat"

    arrays = var_operand_def(_TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$arrays `axis` $axis attr-dict `:` functional-type($arrays, $result)"

    def __init__(self, arrays: Sequence[SSAValue | Operation], axis: int):
        values = [SSAValue.get(array) for array in arrays]
        shape = _except(axis, shape_of(values[0]))
        super().__init__(
            operands=[values],
            result_types=[tensor(element_of(values[0]), shape)],
            properties={"axis": IntegerAttr(axis, i64)},
        )

    def verify_(self) -> None:
        if not self.arrays:
            raise self._fail("at least one array is needed")
        axis, first = self.axis.value.data, self.arrays[0]
        self._verify_axis(axis, rank_of(first))
        common = _except(axis, shape_of(first))
        for array in self.arrays[1:]:
            shape = shape_of(array)
            if (
                element_of(array) != element_of(first)
                or len(shape) != rank_of(first)
                or not compatible(_except(axis, shape), common)
            ):
                raise self._fail(
                    f"'{array.type}' does not continue '{first.type}' along axis {axis}"
                )
            common = [
                new if old == DYNAMIC else old
                for old, new in zip(common, _except(axis, shape), strict=True)
            ]
        self._verify_result(self.result, element_of(first), common)


@irdl_op_definition
class ElementwiseOp(_YarrOp):
    """A scalar function applied at each position of arrays that broadcast.

    The arrays have one rank; an axis of static size 1 is repeated against the others. The region
    holds ``arith``, ``math`` and ``sigma`` operations on scalars.

    Example:
    ```mlir
    %c = yarr.elementwise { arith.addf } %a, %b
      : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
    %d = yarr.elementwise (%x = %c) : (tensor<?x?xf64>) -> tensor<?x?xf64> {
      %0 = arith.mulf %x, %x : f64
      yarr.yield %0 : f64
    }
    ```
    """

    name = "yarr.elementwise"

    arguments = var_operand_def(_TENSOR)
    result = result_def(_TENSOR)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), _Canonical())

    custom_directives = (Mapping,)
    assembly_format = (
        "custom<Mapping>($arguments, type($arguments), type($result), $body) attr-dict"
    )

    def __init__(self, arguments: Sequence[SSAValue | Operation], body: Region):
        values = [SSAValue.get(argument) for argument in arguments]
        shape = broadcast_shapes([shape_of(value) for value in values])
        terminator = body.block.last_op
        if shape is None or not isinstance(terminator, YieldOp):
            raise ValueError("the operands of yarr.elementwise do not broadcast")
        super().__init__(
            operands=[values],
            result_types=[tensor(terminator.values[0].type, shape)],
            regions=[body],
        )

    def verify_(self) -> None:
        ranks = {rank_of(argument) for argument in self.arguments}
        if len(ranks) > 1:
            raise self._fail(f"operands must have one rank, got {sorted(ranks)}")
        shape = broadcast_shapes([shape_of(argument) for argument in self.arguments])
        if shape is None:
            shapes = ", ".join(show(shape_of(argument)) for argument in self.arguments)
            raise self._fail(f"shapes {shapes} do not broadcast")
        _verify_scalar_body(
            self,
            self.body.block,
            [element_of(argument) for argument in self.arguments],
            [element_of(self.result)],
        )
        self._verify_result(self.result, element_of(self.result), shape)


def _verify_scalar_body(
    op: _YarrOp, block: Block, arguments: Sequence[Attribute], results: Sequence[Attribute]
) -> None:
    if [arg.type for arg in block.args] != list(arguments):
        raise VerifyException(
            f"{op.name}: the body must take ({_join(arguments)}), "
            f"not ({_join(a.type for a in block.args)})" + where_written(op)
        )
    terminator = block.last_op
    if not isinstance(terminator, YieldOp):
        raise VerifyException(f"{op.name}: the body must end in yarr.yield" + where_written(op))
    if list(terminator.values.types) != list(results):
        raise VerifyException(
            f"{op.name}: the body must yield ({_join(results)}), "
            f"not ({_join(terminator.values.types)})" + where_written(op)
        )
    for inner in block.ops:
        if any(_block_of(operand) is not block for operand in inner.operands):
            raise VerifyException(
                f"{op.name}: '{inner.name}' in the body uses a value from outside; make it an "
                "operand" + where_written(op)
            )
        if inner is not terminator and (
            inner.name.partition(".")[0] not in ("arith", "math", "sigma")
            or not all(is_scalar_type(r.type) for r in inner.results)
        ):
            raise VerifyException(
                f"{op.name}: the body works on scalars with arith, math and sigma operations, "
                f"'{inner.name}' is none of them" + where_written(op)
            )


def _block_of(value: SSAValue) -> Block | None:
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


@irdl_op_definition
class ReduceOp(_YarrOp):
    """Axes reduced by an associative operation on scalars; the identity where an axis is empty.

    The reduced axes disappear. The body is one of the operations that libraries reduce with (see
    ``REDUCTIONS``), so the identity is known and not written.

    Example:
    ```mlir
    %s = yarr.reduce %a, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
    ```
    """

    name = "yarr.reduce"

    array = operand_def(_TENSOR)
    axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="axes")
    result = result_def(_TENSOR)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), _Canonical())

    custom_directives = (Combiner,)
    assembly_format = (
        "$array `,` $axes `by` custom<Combiner>(type($array), type($result), $body) attr-dict"
    )

    def __init__(self, array: SSAValue | Operation, axes: Sequence[int], combine: type[Operation]):
        array = SSAValue.get(array)
        element = element_of(array)
        block = Block(arg_types=(element, element))
        block.add_op(op := combine(*block.args))
        block.add_op(YieldOp(op))
        shape = [size for d, size in enumerate(shape_of(array)) if d not in axes]
        super().__init__(
            operands=[array],
            result_types=[tensor(element, shape)],
            properties={"axes": DenseArrayBase.from_list(i64, axes)},
            regions=[Region(block)],
        )

    @property
    def axes(self) -> tuple[int, ...]:
        """The reduced axes."""
        return self.axes_attr.get_values()

    @property
    def combine(self) -> str:
        """The name of the operation that combines two elements."""
        op = self.body.block.first_op
        assert op is not None
        return op.name

    def verify_(self) -> None:
        shape, element = shape_of(self.array), element_of(self.array)
        if not self.axes:
            raise self._fail("at least one axis must be reduced")
        _verify_increasing(self, self.axes, len(shape))
        _verify_scalar_body(self, self.body.block, (element, element), (element,))
        single = single_operation(self.body)
        if single is None or single.name not in REDUCTIONS:
            raise self._fail(
                "the body must be one of " + ", ".join(sorted(REDUCTIONS)) + "; "
                "other reductions are yarr.tree_reduce"
            )
        if single.name in ("arith.andi", "arith.ori") and element != i1:
            raise self._fail(f"{single.name} reduces arrays of i1, not a '{self.array.type}'")
        self._verify_result(
            self.result, element, [s for d, s in enumerate(shape) if d not in self.axes]
        )


@irdl_op_definition
class TreeReduceOp(_YarrOp):
    """Reduction of the leading axis by an arbitrary associative function on arrays.

    The body combines two halves at once: its first arguments hold left elements, the others right
    elements, along a leading axis; it yields their combinations along that axis. The order of
    elements is kept. An empty axis gives the identities, which have no leading axis.

    Example:
    ```mlir
    %r = yarr.tree_reduce %a identity %e : tensor<?xf64> identity tensor<f64> -> tensor<f64> {
    ^bb0(%x: tensor<?xf64>, %y: tensor<?xf64>):
      %z = yarr.elementwise { arith.mulf } %x, %y : ...
      yarr.yield %z : tensor<?xf64>
    }
    ```
    """

    name = "yarr.tree_reduce"

    arrays = var_operand_def(_TENSOR)
    identities = var_operand_def(_TENSOR)
    res = var_result_def(_TENSOR)
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(RecursiveMemoryEffect(), _Canonical())

    assembly_format = (
        "$arrays `identity` $identities `:` type($arrays) `identity` type($identities) "
        "`->` type($res) $body attr-dict"
    )

    def __init__(
        self,
        arrays: Sequence[SSAValue | Operation],
        identities: Sequence[SSAValue | Operation],
        body: Region,
    ):
        types = [SSAValue.get(identity).type for identity in identities]
        super().__init__(operands=[arrays, identities], result_types=[types], regions=[body])

    def verify_(self) -> None:
        if not len(self.arrays) == len(self.identities) == len(self.res) != 0:
            raise self._fail("as many identities and results are needed as arrays")
        for array, identity, result in zip(self.arrays, self.identities, self.res, strict=True):
            if rank_of(array) == 0:
                raise self._fail(f"'{array.type}' has no axis to reduce")
            self._verify_result(identity, element_of(array), shape_of(array)[1:], "the identity")
            self._verify_result(result, element_of(array), shape_of(array)[1:])
        sizes = {shape_of(array)[0] for array in self.arrays} - {DYNAMIC}
        if len(sizes) > 1:
            raise self._fail(f"arrays must have one size to reduce, got {sorted(sizes)}")
        block = self.body.block
        expected = [*self.arrays, *self.arrays]
        if len(block.args) != len(expected) or any(
            element_of(arg) != element_of(array) or rank_of(arg) != rank_of(array)
            for arg, array in zip(block.args, expected, strict=True)
        ):
            raise self._fail(
                f"the body must take left and right elements, ({_join(a.type for a in expected)}), "
                f"not ({_join(a.type for a in block.args)})"
            )
        if not isinstance(block.last_op, YieldOp) or len(block.last_op.values) != len(self.res):
            raise self._fail(f"the body must end in yarr.yield of {len(self.res)} arrays")
        for value, array in zip(block.last_op.values, self.arrays, strict=True):
            if element_of(value) != element_of(array) or rank_of(value) != rank_of(array):
                raise self._fail(f"the body must yield a '{array.type}', not a '{value.type}'")


@irdl_op_definition
class EinsumOp(_YarrOp):
    """Generalised Einstein summation: letters for axes, those not in the result are summed.

    Example:
    ```mlir
    %c = yarr.einsum "ij,jk->ik" %a, %b
      : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    ```
    """

    name = "yarr.einsum"

    subscripts = prop_def(StringAttr)
    arrays = var_operand_def(_TENSOR)
    result = result_def(_TENSOR)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$subscripts $arrays attr-dict `:` functional-type($arrays, $result)"

    def __init__(self, subscripts: str, arrays: Sequence[SSAValue | Operation]):
        values = [SSAValue.get(array) for array in arrays]
        inputs, output = split_subscripts(subscripts)
        sizes: dict[str, int] = {}
        for letters, value in zip(inputs, values, strict=True):
            for letter, size in zip(letters, shape_of(value), strict=True):
                if sizes.get(letter, DYNAMIC) == DYNAMIC:
                    sizes[letter] = size
        super().__init__(
            operands=[values],
            result_types=[tensor(element_of(values[0]), [sizes[x] for x in output])],
            properties={"subscripts": StringAttr(subscripts)},
        )

    def verify_(self) -> None:
        text = self.subscripts.data
        if re.fullmatch(r"[a-zA-Z]*(,[a-zA-Z]*)*->[a-zA-Z]*", text) is None:
            raise self._fail(f"'{text}' is not of the form 'ij,jk->ik'")
        inputs, output = split_subscripts(text)
        if len(inputs) != len(self.arrays):
            raise self._fail(f"'{text}' has {len(inputs)} operands, not {len(self.arrays)}")
        sizes: dict[str, int] = {}
        for letters, array in zip(inputs, self.arrays, strict=True):
            if element_of(array) != element_of(self.arrays[0]):
                raise self._fail(
                    f"operands must have one element type, got '{self.arrays[0].type}' and "
                    f"'{array.type}'"
                )
            if len(letters) != rank_of(array):
                raise self._fail(f"'{letters}' does not name the axes of a '{array.type}'")
            for letter, size in zip(letters, shape_of(array), strict=True):
                known = sizes.get(letter, DYNAMIC)
                if DYNAMIC not in (known, size) and known != size:
                    raise self._fail(f"axis '{letter}' has sizes {known} and {size}")
                sizes[letter] = size if known == DYNAMIC else known
        if len(set(output)) != len(output) or not set(output) <= set(sizes):
            raise self._fail(f"the result '{output}' must name axes of operands, each once")
        self._verify_result(
            self.result, element_of(self.arrays[0]), [sizes[letter] for letter in output]
        )


def split_subscripts(text: str) -> tuple[list[str], str]:
    """``"ij,jk->ik"`` as ``(["ij", "jk"], "ik")``."""
    left, _, right = text.partition("->")
    return left.split(","), right


@irdl_op_definition
class FoldOp(_YarrOp):
    """A loop over whole arrays: accumulators start as the initial values, a step yields the next.

    Example:
    ```mlir
    %s = yarr.fold (%k < %n, %acc = %init) -> tensor<?xf64> {
      %x = yarr.take %a, 0, %k : (tensor<?x?xf64>, tensor<i64>) -> tensor<?xf64>
      %0 = yarr.elementwise { arith.addf } %acc, %x : ...
      yarr.yield %0 : tensor<?xf64>
    }
    ```
    """

    name = "yarr.fold"

    count = operand_def(_SIZE)
    inits = var_operand_def(_TENSOR)
    res = var_result_def(_TENSOR)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), _Canonical())

    custom_directives = (Loop,)
    assembly_format = "custom<Loop>($count, $inits, type($inits), type($res), $body) attr-dict"

    def __init__(
        self, count: SSAValue | Operation, inits: Sequence[SSAValue | Operation], body: Region
    ):
        types = [SSAValue.get(init).type for init in inits]
        super().__init__(operands=[count, inits], result_types=[types], regions=[body])

    @property
    def counter(self) -> BlockArgument:
        """The number of the step, from 0."""
        return self.body.block.args[0]

    @property
    def accumulators(self) -> Sequence[BlockArgument]:
        """The values that the steps hand on."""
        return self.body.block.args[1:]

    def verify_(self) -> None:
        block = self.body.block
        types = [init.type for init in self.inits]
        if [arg.type for arg in block.args] != [SIZE_TYPE, *types]:
            raise self._fail(
                f"the body must take ({_join((SIZE_TYPE, *types))}), "
                f"not ({_join(a.type for a in block.args)})"
            )
        if not isinstance(block.last_op, YieldOp):
            raise self._fail("the body must end in yarr.yield")
        if list(block.last_op.values.types) != types:
            raise self._fail(
                f"the body must yield ({_join(types)}), not ({_join(block.last_op.values.types)})"
            )
        if [r.type for r in self.res] != types:
            raise self._fail(f"results must have the types of the initial values: {_join(types)}")


@irdl_op_definition
class TupleOp(_YarrOp):
    """A record of arrays, as a function takes and returns it.

    Example:
    ```mlir
    %t = yarr.tuple %a, %b
      : (tensor<?xf64>, tensor<i64>) -> tuple<tensor<?xf64>, tensor<i64>>
    ```
    """

    name = "yarr.tuple"

    fields = var_operand_def(AnyAttr())
    result = result_def(TupleType)

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$fields attr-dict `:` functional-type($fields, $result)"

    def __init__(self, fields: Sequence[SSAValue | Operation]):
        types = tuple(SSAValue.get(field).type for field in fields)
        result = TupleType(cast(tuple[TypeAttribute, ...], types))
        super().__init__(operands=[fields], result_types=[result])

    def verify_(self) -> None:
        types = tuple(self.fields.types)
        if isa(self.result.type, TupleType) and tuple(self.result.type.types) != types:
            raise self._fail(f"({_join(types)}) does not make a '{self.result.type}'")


@irdl_op_definition
class ProjOp(_YarrOp):
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

    traits = traits_def(Pure(), _Canonical())

    assembly_format = "$record `,` $field attr-dict `:` type($record) `->` type($result)"

    def __init__(self, record: SSAValue | Operation, field: int):
        record = SSAValue.get(record)
        assert isa(record.type, TupleType)
        super().__init__(
            operands=[record],
            result_types=[record.type.types.data[field]],
            properties={"field": IntegerAttr(field, i64)},
        )

    def verify_(self) -> None:
        assert isa(self.record.type, TupleType)
        types, field = self.record.type.types.data, self.field.value.data
        if not 0 <= field < len(types):
            raise self._fail(f"'{self.record.type}' has {len(types)} fields, and no field {field}")
        if types[field] != self.result.type:
            raise self._fail(
                f"field {field} of '{self.record.type}' is a '{types[field]}', "
                f"not a '{self.result.type}'"
            )


@irdl_op_definition
class AssertEqOp(_YarrOp):
    """The size that both operands are; an error with the message and both numbers otherwise.

    An assertion is never dropped, even if its result is unused.

    Example:
    ```mlir
    %n = yarr.assert_eq %n0, %n1, "index i: size of a along axis 0, size of b along axis 0"
    ```
    """

    name = "yarr.assert_eq"

    lhs = operand_def(_SIZE)
    rhs = operand_def(_SIZE)
    message = prop_def(StringAttr)
    result = result_def(_SIZE)

    traits = traits_def(_Canonical())

    assembly_format = "$lhs `,` $rhs `,` $message attr-dict"

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation, message: str):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[SIZE_TYPE],
            properties={"message": StringAttr(message)},
        )


@irdl_op_definition
class AssertSizeOp(_YarrOp):
    """The operand, which must not be negative; an error with the message and the number otherwise.

    An assertion is never dropped, even if its result is unused.

    Example:
    ```mlir
    %m = yarr.assert_size %n, "size of index i"
    ```
    """

    name = "yarr.assert_size"

    size = operand_def(_SIZE)
    message = prop_def(StringAttr)
    result = result_def(_SIZE)

    traits = traits_def(_Canonical())

    assembly_format = "$size `,` $message attr-dict"

    def __init__(self, size: SSAValue | Operation, message: str):
        super().__init__(
            operands=[size],
            result_types=[SIZE_TYPE],
            properties={"message": StringAttr(message)},
        )


@irdl_op_definition
class ExternOp(_YarrOp):
    """A call of a registered backend function, which broadcasts over leading axes.

    ``batch`` is the number of leading axes of each operand and of the results that the function
    must carry through.

    Example:
    ```mlir
    %s = yarr.extern @sort(%v) batch 1 : (tensor<?x?xf64>) -> tensor<?x?xf64>
    ```
    """

    name = "yarr.extern"

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
            properties={"callee": callee, "batch": IntegerAttr(batch, i64)},
        )

    def verify_(self) -> None:
        if self.callee.nested_references.data:
            raise self._fail(f"'{self.callee}' is not a plain symbol")
        batch = self.batch.value.data
        if batch < 0:
            raise self._fail(f"the number of batch axes must not be negative, got {batch}")
        for value in (*self.arguments, self.result):
            for array in _arrays_in(value.type):
                if rank_of(array) < batch:
                    raise self._fail(f"a '{array}' does not have {batch} batch axes")


def _arrays_in(type_: Attribute) -> Iterable[Attribute]:
    """The tensor types in the type of an array or a record."""
    if isa(type_, TensorType):
        yield type_
    elif isa(type_, TupleType):
        for field in type_.types:
            yield from _arrays_in(field)


def _join(types: Iterable[Attribute]) -> str:
    return ", ".join(str(t) for t in types)


Yarr = Dialect(
    "yarr",
    [
        AssertEqOp,
        AssertSizeOp,
        ConcatOp,
        EinsumOp,
        ElementwiseOp,
        ExternOp,
        FillEmptyOp,
        FoldOp,
        GatherOp,
        PadOp,
        ProjOp,
        RangeOp,
        ReduceOp,
        RepeatOp,
        SizeOp,
        SliceOp,
        SqueezeOp,
        TakeOp,
        TransposeOp,
        TreeReduceOp,
        TupleOp,
        UnsqueezeOp,
        YieldOp,
    ],
    [],
)
