"""Reductions and contractions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    Float32Type,
    Float64Type,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    i1,
    i64,
)
from xdsl.ir import (
    Block,
    Operation,
    Region,
    SSAValue,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
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
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    Pure,
    RecursiveMemoryEffect,
)
from xdsl.utils.hints import isa

from ein_mlir.dialects.assembly import (
    parse_single_operation,
    resolve_arguments,
    single_operation,
)
from ein_mlir.dialects.reductions import (
    REDUCTIONS,
    SCAN_KINDS,
    SEGMENT_KINDS,
    combination,
    unsearchable,
    unselectable,
)
from ein_mlir.dialects.yarr.base import CanonicalOp, YarrOp, verify_increasing
from ein_mlir.dialects.yarr.elementwise import YieldOp, verify_scalar_body
from ein_mlir.dialects.yarr.types import (
    DYNAMIC,
    SIZE,
    TENSOR,
    broadcast_shapes,
    compatible,
    element_of,
    listed,
    rank_of,
    scanned_shape,
    shape_of,
    tensor,
)


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


@irdl_op_definition
class ReduceOp(YarrOp):
    """Axes reduced by an associative operation on scalars; the identity where an axis is empty.

    The reduced axes disappear. The body is one of the operations that libraries reduce with (see
    ``REDUCTIONS``), so the identity is known and not written.

    Example:
    ```mlir
    %s = yarr.reduce %a, [1] by { arith.addf } : tensor<?x?xf64> -> tensor<?xf64>
    ```
    """

    name = "yarr.reduce"

    array = operand_def(TENSOR)
    axes_attr = prop_def(DenseArrayBase.constr(i64), prop_name="axes")
    result = result_def(TENSOR)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), CanonicalOp())

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
            raise self.fail("at least one axis must be reduced")
        verify_increasing(self, self.axes, len(shape))
        verify_scalar_body(self, self.body.block, (element, element), (element,))
        single = single_operation(self.body)
        if single is None or single.name not in REDUCTIONS:
            raise self.fail(
                "the body must be one of " + ", ".join(sorted(REDUCTIONS)) + "; "
                "other reductions are yarr.tree_reduce"
            )
        if single.name in ("arith.andi", "arith.ori") and element != i1:
            raise self.fail(f"{single.name} reduces arrays of i1, not a '{self.array.type}'")
        self.verify_result(
            self.result, element, [s for d, s in enumerate(shape) if d not in self.axes]
        )


@irdl_op_definition
class ArgreduceOp(YarrOp):
    """The position along an axis where a search for the smallest or largest element ends.

    The search starts at position 0 with infinity, or the largest Int, as the best element so far.
    It goes to each element in turn for which ``element PREDICATE best`` holds: ``"<"`` finds the
    first of the smallest elements, ``"<="`` the last of them, ``">"`` and ``">="`` the largest. NaN
    is passed over. The axis disappears; where it is empty the position is 0.

    Example:
    ```mlir
    %k = yarr.argreduce %a, 1 by "<" : tensor<?x?xf64> -> tensor<?xi64>
    ```
    """

    name = "yarr.argreduce"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    predicate = prop_def(StringAttr)
    result = result_def(TENSOR)

    traits = traits_def(Pure())

    assembly_format = (
        "$array `,` $axis `by` $predicate attr-dict `:` type($array) `->` type($result)"
    )

    def __init__(self, array: SSAValue | Operation, axis: int, predicate: str):
        array = SSAValue.get(array)
        shape = [size for d, size in enumerate(shape_of(array)) if d != axis]
        super().__init__(
            operands=[array],
            result_types=[tensor(i64, shape)],
            properties={"axis": IntegerAttr(axis, i64), "predicate": StringAttr(predicate)},
        )

    def verify_(self) -> None:
        shape, axis = shape_of(self.array), self.axis.value.data
        problem = unsearchable(element_of(self.array), self.predicate.data)
        if problem is not None:
            raise self.fail(problem)
        self.verify_axis(axis, len(shape))
        self.verify_result(self.result, i64, [s for d, s in enumerate(shape) if d != axis])


@irdl_op_definition
class TopKOp(YarrOp):
    """The positions along an axis of the first elements in order: of the smallest, or the largest.

    Each position is where a search by the predicate ends, as of ``yarr.argreduce``, in what the
    positions before it have left; where nothing is left, it is 0. The axis has as many positions in
    the result as the count says, which must not be negative.

    Example:
    ```mlir
    %p = yarr.top_k %a, 1, %k by "<" : tensor<?x?xf64> -> tensor<?x?xi64>
    ```
    """

    name = "yarr.top_k"

    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    count = operand_def(SIZE)
    predicate = prop_def(StringAttr)
    result = result_def(TENSOR)

    traits = traits_def(Pure())

    assembly_format = (
        "$array `,` $axis `,` $count `by` $predicate attr-dict `:` type($array) `->` type($result)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        axis: int,
        count: SSAValue | Operation,
        predicate: str,
    ):
        array = SSAValue.get(array)
        super().__init__(
            operands=[array, count],
            result_types=[tensor(i64, _selected_shape(array, axis))],
            properties={"axis": IntegerAttr(axis, i64), "predicate": StringAttr(predicate)},
        )

    def verify_(self) -> None:
        axis = self.axis.value.data
        problem = unselectable(element_of(self.array), self.predicate.data)
        if problem is not None:
            raise self.fail(problem)
        self.verify_axis(axis, rank_of(self.array))
        self.verify_result(self.result, i64, _selected_shape(self.array, axis))


def _selected_shape(array: SSAValue, axis: int) -> list[int]:
    return [DYNAMIC if d == axis else size for d, size in enumerate(shape_of(array))]


@irdl_op_definition
class ScanOp(YarrOp):
    """The combinations of all prefixes along an axis: cumulative sums, products, minima, maxima.

    Position ``j`` of the axis has the combination of the first ``j`` elements; the axis grows by
    one, and begins with the identity. With ``suffixes``, position ``j`` has the combination of all
    elements from ``j`` on, and the axis ends with the identity. With ``inclusive``, the combination
    of no elements is left out, and the axis does not grow.

    Example:
    ```mlir
    %sums = yarr.scan "add" %x, 1 : tensor<?x?xf64> -> tensor<?x?xf64>
    %same = yarr.scan "add" %x, 1 inclusive : tensor<?x?xf64> -> tensor<?x?xf64>
    ```
    """

    name = "yarr.scan"

    kind = prop_def(StringAttr)
    array = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    suffixes = opt_prop_def(UnitAttr)
    inclusive = opt_prop_def(UnitAttr)
    result = result_def(TENSOR)

    traits = traits_def(Pure(), CanonicalOp())

    assembly_format = (
        "$kind $array `,` $axis (`suffixes` $suffixes^)? (`inclusive` $inclusive^)? attr-dict "
        "`:` type($array) `->` type($result)"
    )

    def __init__(
        self,
        kind: str,
        array: SSAValue | Operation,
        axis: int,
        *,
        suffixes: bool = False,
        inclusive: bool = False,
    ):
        array = SSAValue.get(array)
        shape = shape_of(array) if inclusive else scanned_shape(axis, shape_of(array))
        super().__init__(
            operands=[array],
            result_types=[tensor(element_of(array), shape)],
            properties={
                "kind": StringAttr(kind),
                "axis": IntegerAttr(axis, i64),
                "suffixes": UnitAttr() if suffixes else None,
                "inclusive": UnitAttr() if inclusive else None,
            },
        )

    @property
    def combine(self) -> str:
        """The name of the operation that combines two elements."""
        name = combination(self.kind.data, element_of(self.array))
        assert name is not None
        return name

    def verify_(self) -> None:
        kind, element, axis = self.kind.data, element_of(self.array), self.axis.value.data
        if kind not in SCAN_KINDS or combination(kind, element) is None:
            raise self.fail(f"'{kind}' does not combine elements of type '{element}'")
        self.verify_axis(axis, rank_of(self.array))
        shape = shape_of(self.array)
        if self.inclusive is None:
            shape = scanned_shape(axis, shape)
        self.verify_result(self.result, element, shape)


@irdl_op_definition
class PropagateNanOp(YarrOp):
    """The array, but NaN where another array is not finite at any other position along an axis.

    The last axes of ``others`` are those of the array; along all but the axis of the operation it
    may have size 1, and is then repeated. An element of the result is NaN if ``others`` is infinite
    or NaN at any of the places that differ in the position along the axis, whatever the positions
    along further axes that ``others`` has before.

    Example:
    ```mlir
    %r = yarr.propagate_nan %a from %b, 1 : tensor<?x?xf64> from tensor<?x?xf64>
    %c = yarr.propagate_nan %s from %b, 0 : tensor<?xf64> from tensor<?x?xf64>
    ```
    """

    name = "yarr.propagate_nan"

    T: ClassVar = VarConstraint("type of the array", TENSOR)

    array = operand_def(T)
    others = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(T)

    traits = traits_def(Pure(), CanonicalOp())

    assembly_format = (
        "$array `from` $others `,` $axis attr-dict `:` type($array) `from` type($others)"
    )

    def __init__(self, array: SSAValue | Operation, others: SSAValue | Operation, axis: int):
        super().__init__(
            operands=[array, others],
            result_types=[SSAValue.get(array).type],
            properties={"axis": IntegerAttr(axis, i64)},
        )

    def verify_(self) -> None:
        for operand in self.operands:
            if not isinstance(element_of(operand), Float32Type | Float64Type):
                raise self.fail(f"a '{operand.type}' is no array of floats")
        shape, axis = shape_of(self.array), self.axis.value.data
        self.verify_axis(axis, len(shape))
        others = shape_of(self.others)
        last = others[len(others) - len(shape) :]
        if len(others) < len(shape) or not all(
            compatible([size], [expected]) or (size == 1 and d != axis)
            for d, (size, expected) in enumerate(zip(last, shape, strict=True))
        ):
            raise self.fail(
                f"the last axes of a '{self.others.type}' are not those of a '{self.array.type}'"
            )


@irdl_op_definition
class SegmentReduceOp(YarrOp):
    """The values of each segment combined: a scatter-add, or scatter-minimum and so on.

    The leading axes of the values are positions, and keys are arrays over these axes. With one
    key, ``result[c, ...]`` combines the ``values[p, ...]`` of all positions ``p`` with
    ``keys[p] == c``; it is the identity of the kind where there are none. Each of several keys
    gives a leading axis of the result. Values whose keys are out of bounds are left out. Axes of
    static size 1 are repeated, in values and in keys.

    Example:
    ```mlir
    %sums = yarr.segment_reduce "add" %x by %key into %n
      : tensor<?x3xf64> by tensor<?xi64> -> tensor<?x3xf64>
    ```
    """

    name = "yarr.segment_reduce"

    kind = prop_def(StringAttr)
    array = operand_def(TENSOR)
    keys = var_operand_def(TENSOR)
    sizes = var_operand_def(SIZE)
    result = result_def(TENSOR)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), CanonicalOp())

    assembly_format = (
        "$kind $array `by` $keys `into` $sizes attr-dict "
        "`:` type($array) `by` type($keys) `->` type($result)"
    )

    def __init__(
        self,
        kind: str,
        array: SSAValue | Operation,
        keys: Sequence[SSAValue | Operation],
        sizes: Sequence[SSAValue | Operation],
    ):
        array = SSAValue.get(array)
        rest = shape_of(array)[rank_of(SSAValue.get(keys[0])) :]
        super().__init__(
            operands=[array, keys, sizes],
            result_types=[tensor(element_of(array), [*(DYNAMIC for _ in keys), *rest])],
            properties={"kind": StringAttr(kind)},
        )

    @property
    def positions(self) -> int:
        """The number of axes that are positions."""
        return rank_of(self.keys[0])

    @property
    def combine(self) -> str:
        """The name of the operation that combines two elements."""
        name = combination(self.kind.data, element_of(self.array))
        assert name is not None
        return name

    def verify_(self) -> None:
        kind, element, shape = self.kind.data, element_of(self.array), shape_of(self.array)
        if kind not in SEGMENT_KINDS or combination(kind, element) is None:
            raise self.fail(f"'{kind}' does not combine values of type '{element}'")
        if not len(self.keys) == len(self.sizes) != 0:
            raise self.fail(f"{len(self.keys)} key(s) do not fit {len(self.sizes)} size(s)")
        count = self.positions
        if any(element_of(key) != i64 or rank_of(key) != count for key in self.keys):
            raise self.fail(f"keys must be of i64 and of one rank, got {listed(self.keys.types)}")
        if not 0 < count <= len(shape):
            raise self.fail(f"a '{self.array.type}' has no values at {count} positions")
        if broadcast_shapes([shape[:count], *map(shape_of, self.keys)]) is None:
            raise self.fail(f"'{self.array.type}' does not fit keys {listed(self.keys.types)}")
        self.verify_result(self.result, element, [*(DYNAMIC for _ in self.keys), *shape[count:]])


@irdl_op_definition
class TreeReduceOp(YarrOp):
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

    arrays = var_operand_def(TENSOR)
    identities = var_operand_def(TENSOR)
    res = var_result_def(TENSOR)
    body = region_def("single_block")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(RecursiveMemoryEffect(), CanonicalOp())

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
            raise self.fail("as many identities and results are needed as arrays")
        for array, identity, result in zip(self.arrays, self.identities, self.res, strict=True):
            if rank_of(array) == 0:
                raise self.fail(f"'{array.type}' has no axis to reduce")
            self.verify_result(identity, element_of(array), shape_of(array)[1:], "the identity")
            self.verify_result(result, element_of(array), shape_of(array)[1:])
        sizes = {shape_of(array)[0] for array in self.arrays} - {DYNAMIC}
        if len(sizes) > 1:
            raise self.fail(f"arrays must have one size to reduce, got {sorted(sizes)}")
        block = self.body.block
        expected = [*self.arrays, *self.arrays]
        if len(block.args) != len(expected) or any(
            element_of(arg) != element_of(array) or rank_of(arg) != rank_of(array)
            for arg, array in zip(block.args, expected, strict=True)
        ):
            raise self.fail(
                f"the body must take left and right elements, "
                f"({listed(a.type for a in expected)}), "
                f"not ({listed(a.type for a in block.args)})"
            )
        if not isinstance(block.last_op, YieldOp) or len(block.last_op.values) != len(self.res):
            raise self.fail(f"the body must end in yarr.yield of {len(self.res)} arrays")
        for value, array in zip(block.last_op.values, self.arrays, strict=True):
            if element_of(value) != element_of(array) or rank_of(value) != rank_of(array):
                raise self.fail(f"the body must yield a '{array.type}', not a '{value.type}'")


@irdl_op_definition
class EinsumOp(YarrOp):
    """Generalised Einstein summation: letters for axes, those not in the result are summed.

    Example:
    ```mlir
    %c = yarr.einsum "ij,jk->ik" %a, %b
      : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>
    ```
    """

    name = "yarr.einsum"

    subscripts = prop_def(StringAttr)
    arrays = var_operand_def(TENSOR)
    result = result_def(TENSOR)

    traits = traits_def(Pure(), CanonicalOp())

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
            raise self.fail(f"'{text}' is not of the form 'ij,jk->ik'")
        inputs, output = split_subscripts(text)
        if len(inputs) != len(self.arrays):
            raise self.fail(f"'{text}' has {len(inputs)} operands, not {len(self.arrays)}")
        sizes: dict[str, int] = {}
        for letters, array in zip(inputs, self.arrays, strict=True):
            if element_of(array) != element_of(self.arrays[0]):
                raise self.fail(
                    f"operands must have one element type, got '{self.arrays[0].type}' and "
                    f"'{array.type}'"
                )
            if len(letters) != rank_of(array):
                raise self.fail(f"'{letters}' does not name the axes of a '{array.type}'")
            for letter, size in zip(letters, shape_of(array), strict=True):
                known = sizes.get(letter, DYNAMIC)
                if DYNAMIC not in (known, size) and known != size:
                    raise self.fail(f"axis '{letter}' has sizes {known} and {size}")
                sizes[letter] = size if known == DYNAMIC else known
        if len(set(output)) != len(output) or not set(output) <= set(sizes):
            raise self.fail(f"the result '{output}' must name axes of operands, each once")
        self.verify_result(
            self.result, element_of(self.arrays[0]), [sizes[letter] for letter in output]
        )


@irdl_op_definition
class CorrelateOp(YarrOp):
    """Sums of products of filters with the windows of arrays: what deep learning calls convolution.

    The array has the axes ``(batch, channel, place ..)``, the filters have
    ``(output, channel, offset ..)``, and::

        result[b, o, i, ..] = sum over c, p, .. of array[b, c, i + p, ..] * filters[o, c, p, ..]

    for ``i`` below the size that is given for each axis of places. All these elements must be
    there: the axis has at least as many as the sizes of the result and of the filters together,
    less one, where neither is 0.

    Example:
    ```mlir
    %r = yarr.correlate %images, %filters into %n, %m
      : tensor<?x3x?x?xf64>, tensor<?x3x5x5xf64> -> tensor<?x?x?x?xf64>
    ```
    """

    name = "yarr.correlate"

    array = operand_def(TENSOR)
    filters = operand_def(TENSOR)
    sizes = var_operand_def(SIZE)
    result = result_def(TENSOR)

    traits = traits_def(Pure(), CanonicalOp())

    assembly_format = (
        "$array `,` $filters `into` $sizes attr-dict "
        "`:` type($array) `,` type($filters) `->` type($result)"
    )

    def __init__(
        self,
        array: SSAValue | Operation,
        filters: SSAValue | Operation,
        sizes: Sequence[SSAValue | Operation],
    ):
        array, filters = SSAValue.get(array), SSAValue.get(filters)
        shape = [shape_of(array)[0], shape_of(filters)[0], *(DYNAMIC for _ in sizes)]
        super().__init__(
            operands=[array, filters, sizes], result_types=[tensor(element_of(array), shape)]
        )

    def verify_(self) -> None:
        array, filters = shape_of(self.array), shape_of(self.filters)
        element, rank = element_of(self.array), len(self.sizes) + 2
        if element != element_of(self.filters) or not isinstance(
            element, Float32Type | Float64Type
        ):
            types = listed((self.array.type, self.filters.type))
            raise self.fail(f"operands must have one type of floats, got {types}")
        if not len(array) == len(filters) == rank > 2:
            raise self.fail(
                f"for {len(self.sizes)} size(s), a '{self.array.type}' and a "
                f"'{self.filters.type}' do not have batches, channels and places"
            )
        if not compatible(array[1:2], filters[1:2]):
            raise self.fail(f"there are {array[1]} channels, and filters for {filters[1]}")
        places = [DYNAMIC] * len(self.sizes)
        self.verify_result(self.result, element, [array[0], filters[0], *places])


def split_subscripts(text: str) -> tuple[list[str], str]:
    """``"ij,jk->ik"`` as ``(["ij", "jk"], "ik")``."""
    left, _, right = text.partition("->")
    return left.split(","), right
