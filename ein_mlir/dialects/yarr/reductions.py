"""Reductions, scans and segment reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    Float32Type,
    Float64Type,
    IntegerAttr,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    VarConstraint,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import Pure, RecursiveMemoryEffect

from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.creation import int_array, integer_attribute, ints_of
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.reductions import (
    ACCUMULATION_KINDS,
    REDUCTIONS,
    SCAN_KINDS,
    combination,
    is_reduction,
    unweighable,
)
from ein_mlir.dialects.yarr.assembly import Combiner
from ein_mlir.dialects.yarr.base import (
    BodyOp,
    Size,
    YarrOp,
    YieldOp,
    remaining,
    verify_increasing,
)
from ein_mlir.dialects.yarr.elementwise import verify_scalar_body
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
from ein_mlir.errors import counted


@op_definition
class ReduceOp(BodyOp):
    """Axes reduced by an associative operation on scalars; the identity if an axis is empty.

    The reduced axes are removed. The body is one of the library reductions (see ``REDUCTIONS``), so
    the identity is known and not written.

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

    traits = traits_def(RecursiveMemoryEffect(), Canonical())

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
            properties={"axes": int_array(axes)},
            regions=[Region(block)],
        )

    @property
    def axes(self) -> tuple[int, ...]:
        """The reduced axes."""
        return ints_of(self.axes_attr)

    @property
    def combine(self) -> str:
        """The name of the operation that combines two elements."""
        op = self.body.block.first_op
        assert op is not None
        return op.name

    def size_of_result(self, axis: int) -> Size:
        return self.array, remaining(self.array, self.axes, axis)

    def scalar_operation(self) -> Operation | None:
        return single_operation(self.body)

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
        if not is_reduction(single.name, element):
            raise self.fail(f"{single.name} does not reduce a '{self.array.type}'")
        self.verify_result(
            self.result, element, [s for d, s in enumerate(shape) if d not in self.axes]
        )


@op_definition
class TreeReduceOp(BodyOp):
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
    traits = traits_def(RecursiveMemoryEffect(), Canonical())

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
            raise self.fail("expected one identity and one result for each array")
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


@op_definition
class ScanOp(YarrOp):
    """The combinations of all prefixes along an axis: cumulative sums, products, minima, ..

    Position ``j`` of the axis has the combination of the first ``j`` elements; the axis grows by
    one, and begins with the identity. With ``suffixes``, position ``j`` has the combination of all
    elements from ``j`` on, and the axis ends with the identity. With ``inclusive``, the identity is
    omitted, and the axis does not grow.

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

    traits = traits_def(Pure(), Canonical())

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
                "axis": integer_attribute(axis, i64),
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

    def size_of_result(self, axis: int) -> Size | None:
        is_grown = axis == self.axis.value.data and self.inclusive is None
        return None if is_grown else (self.array, axis)

    def verify_(self) -> None:
        kind, element, axis = self.kind.data, element_of(self.array), self.axis.value.data
        if kind not in SCAN_KINDS or combination(kind, element) is None:
            raise self.fail(f"'{kind}' does not combine elements of type '{element}'")
        self.verify_axis(axis, rank_of(self.array))
        shape = shape_of(self.array)
        if self.inclusive is None:
            shape = scanned_shape(axis, shape)
        self.verify_result(self.result, element, shape)


@op_definition
class WeightedScanOp(YarrOp):
    """The combinations of all prefixes along an axis, where each step weighs the one before it.

    The first element of the result is that of the array. Element ``j`` combines element ``j`` of
    the array with element ``j - 1`` of the result and its weight, as `phi.weighted_scan` does.
    Weights have the axes of the array. Those of size 1 are repeated.

    Example:
    ```mlir
    %best = yarr.weighted_scan "max" %x by %cost, 0 : tensor<?xf64> by tensor<1xf64>
    ```
    """

    name = "yarr.weighted_scan"

    T: ClassVar = VarConstraint("type of the array", TENSOR)

    kind = prop_def(StringAttr)
    array = operand_def(T)
    weights = operand_def(TENSOR)
    axis = prop_def(IntegerAttr.constr(I64))
    result = result_def(T)

    traits = traits_def(Pure())

    assembly_format = (
        "$kind $array `by` $weights `,` $axis attr-dict `:` type($array) `by` type($weights)"
    )

    def __init__(
        self, kind: str, array: SSAValue | Operation, weights: SSAValue | Operation, axis: int
    ):
        super().__init__(
            operands=[array, weights],
            result_types=[SSAValue.get(array).type],
            properties={"kind": StringAttr(kind), "axis": integer_attribute(axis, i64)},
        )

    @property
    def combine(self) -> str:
        """The name of the operation that combines two elements."""
        name = combination(self.kind.data, element_of(self.array))
        assert name is not None
        return name

    def size_of_result(self, axis: int) -> Size:
        return self.array, axis

    def verify_(self) -> None:
        element, weight = element_of(self.array), element_of(self.weights)
        if (message := unweighable(self.kind.data, element, weight)) is not None:
            raise self.fail(message)
        shape, weights = shape_of(self.array), shape_of(self.weights)
        self.verify_axis(self.axis.value.data, len(shape))
        if len(weights) != len(shape) or not all(
            own == 1 or compatible([own], [size]) for own, size in zip(weights, shape, strict=True)
        ):
            raise self.fail(f"a '{self.weights.type}' has no weights for a '{self.array.type}'")


@op_definition
class AccumulateOp(YarrOp):
    """The reductions of the segments that keys assign values to: scatter-add, scatter-minimum etc.

    The leading axes of the values are positions, and keys are arrays over these axes. With one
    key, ``result[c, ...]`` combines the ``values[p, ...]`` of all positions ``p`` with
    ``keys[p] == c``; an empty segment gives the identity of the kind. Each of several keys gives a
    leading axis of the result. Values whose keys are out of bounds are ignored. Axes of static size
    1 are repeated, in values and in keys.

    Example:
    ```mlir
    %sums = yarr.accumulate "add" %x by %key into %n
      : tensor<?x3xf64> by tensor<?xi64> -> tensor<?x3xf64>
    ```
    """

    name = "yarr.accumulate"

    kind = prop_def(StringAttr)
    array = operand_def(TENSOR)
    keys = var_operand_def(TENSOR)
    sizes = var_operand_def(SIZE)
    result = result_def(TENSOR)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), Canonical())

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

    def size_of_result(self, axis: int) -> Size:
        count = len(self.keys)
        return self.sizes[axis] if axis < count else (self.array, axis - count + self.positions)

    def verify_(self) -> None:
        kind, element, shape = self.kind.data, element_of(self.array), shape_of(self.array)
        if kind not in ACCUMULATION_KINDS or combination(kind, element) is None:
            raise self.fail(f"'{kind}' does not combine values of type '{element}'")
        if not len(self.keys) == len(self.sizes) != 0:
            keys, sizes = counted(len(self.keys), "key"), counted(len(self.sizes), "size")
            raise self.fail(f"{keys} for {sizes}")
        count = self.positions
        if any(element_of(key) != i64 or rank_of(key) != count for key in self.keys):
            raise self.fail(f"keys must be of i64 and of one rank, got {listed(self.keys.types)}")
        if not 0 < count <= len(shape):
            raise self.fail(f"a '{self.array.type}' has no values at {count} positions")
        if broadcast_shapes([shape[:count], *map(shape_of, self.keys)]) is None:
            raise self.fail(f"'{self.array.type}' does not fit keys {listed(self.keys.types)}")
        self.verify_result(self.result, element, [*(DYNAMIC for _ in self.keys), *shape[count:]])


@op_definition
class PropagateNanOp(YarrOp):
    """The array, with NaN where another array is not finite at any other position along an axis.

    The last axes of ``others`` are those of the array; along all except the axis of the operation
    it may have size 1, and is then repeated. An element of the result is NaN if ``others`` is
    infinite or NaN at any place that differs in the position along the axis, for all positions
    along the additional leading axes of ``others``.

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

    traits = traits_def(Pure(), Canonical())

    assembly_format = (
        "$array `from` $others `,` $axis attr-dict `:` type($array) `from` type($others)"
    )

    def __init__(self, array: SSAValue | Operation, others: SSAValue | Operation, axis: int):
        super().__init__(
            operands=[array, others],
            result_types=[SSAValue.get(array).type],
            properties={"axis": integer_attribute(axis, i64)},
        )

    def size_of_result(self, axis: int) -> Size:
        return self.array, axis

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
