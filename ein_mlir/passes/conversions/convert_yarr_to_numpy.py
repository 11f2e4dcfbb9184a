"""``convert-yarr-to-numpy``: whole-array operations become calls of NumPy."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DictionaryAttr,
    Float32Type,
    Float64Type,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.passes import ModulePass

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.yarr.memory_layout import is_reread_with_gaps
from ein_mlir.backends.forms import Call, Operator
from ein_mlir.backends.numpy import tables
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import DecoratorAttr
from ein_mlir.dialects.reductions import identity
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object
from ein_mlir.rewriting.yarr_to_emitpy.lowering import convert_module
from ein_mlir.rewriting.yarr_to_emitpy.scalars import Scalars, ScalarTables
from ein_mlir.rewriting.yarr_to_emitpy.scheduling import write_last
from ein_mlir.rewriting.yarr_to_emitpy.slicing import SlicingLowering
from ein_mlir.rewriting.yarr_to_emitpy.tiling import TilingLowering


class NumpyScalars(Scalars):
    """Scalar operations: the ufuncs of NumPy take long for one number."""

    def call(
        self, function: str, operands: Sequence[SSAValue], type: TensorType[Attribute]
    ) -> SSAValue:
        """``min(x, y)`` on two ints, a helper on two floats, of which one may be NaN."""
        if function not in tables.SCALAR_EXTREMES or type.get_num_dims():
            return super().call(function, operands, type)
        operands = self.all_typed(operands, type.element_type)
        if isinstance(type.element_type, IntegerType):
            builtin = tables.SCALAR_EXTREMES[function]
            return self.build.call(builtin, *operands, type=type)
        return self.build.helper(
            f"np.float_{tables.SCALAR_EXTREMES[function]}", *operands, type=type
        )


Combination: TypeAlias = yarr.ScanOp | yarr.SegmentReduceOp
"""What has a kind of combination."""


class NumpyLowering(SlicingLowering):
    """What NumPy does in its own way, and every library that has its functions under its names."""

    pass_name = "convert-yarr-to-numpy"
    tables = ScalarTables(
        prefix="np",
        dtypes=tables.DTYPES,
        unsigned_dtypes=tables.UNSIGNED_DTYPES,
        scalars=tables.SCALARS,
        comparisons=tables.COMPARISONS,
        float_comparisons=tables.FLOAT_COMPARISONS,
    )
    scalar_rules = NumpyScalars
    groups_axes = True
    """Whether einsum of the library leaves it to us to make one axis of those that go together."""
    decorators = (
        DecoratorAttr(StringAttr("np.errstate"), DictionaryAttr({"all": StringAttr("ignore")})),
    )

    def __init__(self, source: Block):
        super().__init__(source)
        self._segments: dict[tuple[Block | SSAValue, ...], SSAValue] = {}

    def name(self, function: str) -> str:
        """``np.take``: what emitted code calls a function of the library."""
        return f"{self.tables.prefix}.{function}"

    # New arrays

    def full(self, shape: SSAValue, value: SSAValue, type: TensorType[Attribute]) -> SSAValue:
        """``np.zeros((n, m))``, ``np.full((n, m), x)``"""
        keywords = dict[str, SSAValue]()
        if is_object(value) and not self.scalars.is_default(type.element_type):
            keywords["dtype"] = self.scalars.dtype(type.element_type)
        function = filling(value)
        if function is None:
            full = self.name("full")
            return self.build.call(full, shape, value, type=type, keywords=keywords)
        if type.element_type != f64:
            keywords["dtype"] = self.scalars.dtype(type.element_type)
        return self.build.call(self.name(function), shape, type=type, keywords=keywords)

    def constant_array(self, numbers: Sequence[SSAValue], type: TensorType[Attribute]) -> SSAValue:
        """``np.array((1, 2, 3))``"""
        dtype = self.scalars.dtype(type.element_type)
        flat = yarr.tensor(type.element_type, [len(numbers)])
        array = self.build.call(
            self.name("array"), self.build.tuple(numbers), type=flat, keywords={"dtype": dtype}
        )
        if type.get_num_dims() == 1:
            return array
        shape = self.build.literal(type.get_shape())
        return self.build.method(array, "reshape", shape, type=type, view=True)

    def range(self, op: yarr.RangeOp) -> None:
        """``np.arange(n)``"""
        self.bind(
            op.result,
            self.build.call(self.name("arange"), self.value(op.size), type=op.result.type),
        )

    def copy(self, value: SSAValue) -> SSAValue:
        """``a.copy()``; a scalar becomes a NumPy scalar, which nobody can change."""
        if yarr.rank_of(value):
            return self.build.method(value, "copy", type=value.type)
        dtype = self.tables.dtypes[str(yarr.element_of(value))]
        return self.build.call(dtype, value, type=value.type)

    # Shapes

    def broadcast_shape(self, arrays: Sequence[SSAValue]) -> SSAValue:
        """``np.broadcast_shapes(a.shape, b.shape)``"""
        shapes = [self.build.attribute(array, "shape") for array in arrays]
        return (
            shapes[0]
            if len(shapes) == 1
            else self.build.call(self.name("broadcast_shapes"), *shapes)
        )

    def broadcast_to(
        self, value: SSAValue, shape: SSAValue, type: TensorType[Attribute]
    ) -> SSAValue:
        """``np.broadcast_to(a, shape)``"""
        return self.build.call(self.name("broadcast_to"), value, shape, type=type, read_only=True)

    def transpose(self, op: yarr.TransposeOp) -> None:
        """``a.T``, ``np.transpose(a, (0, 2, 1))``"""
        array, type_ = self.value(op.array), op.result.type
        if self.is_scalar(array) or op.axes == tuple(range(len(op.axes))):
            self.bind(op.result, array)
        elif op.axes == tuple(reversed(range(len(op.axes)))):
            self.bind(op.result, self.build.attribute(array, "T", type_))
        else:
            axes = self.build.literal(op.axes)
            self.bind(
                op.result,
                self.build.call(self.name("transpose"), array, axes, type=type_, view=True),
            )

    # Indexing

    def take(self, op: yarr.TakeOp) -> None:
        """``a[:, k]``, ``np.take(a, p, axis=1, mode="clip")``"""
        array, axis = self.array(op.array), op.axis.value.data
        if not yarr.rank_of(op.position):
            index = self.value(op.position)
            if op.in_bounds is None:
                index = self.clipped(index, array, axis)
            self.bind(op.result, self.build.at(array, axis, index, op.result.type))
            return
        positions, in_bounds = self.array(op.position), op.in_bounds is not None
        self.bind(op.result, self.taken(array, axis, positions, _type(op.result), in_bounds))

    def taken(
        self,
        array: SSAValue,
        axis: int,
        positions: SSAValue,
        type: TensorType[Attribute],
        in_bounds: bool,
    ) -> SSAValue:
        """``np.take(a, p, axis=1, mode="clip")``"""
        keywords = {"axis": self.build.literal(axis)}
        if not in_bounds:
            keywords["mode"] = self.build.literal("clip")
        return self.build.call(self.name("take"), array, positions, type=type, keywords=keywords)

    def gather(self, op: yarr.GatherOp) -> None:
        """``a[np.clip(p, 0, a.shape[0] - 1), q]``"""
        array = self.array(op.array)
        if len(op.positions) == 1 and yarr.rank_of(op.positions[0]):
            positions, in_bounds = self.array(op.positions[0]), op.in_bounds is not None
            self.bind(op.result, self.taken(array, 0, positions, _type(op.result), in_bounds))
            return
        indices = [
            self._gather_index(op, array, axis, position)
            for axis, position in enumerate(op.positions)
        ]
        self.bind(op.result, self.build.subscript(array, indices, op.result.type))

    def _gather_index(
        self, op: yarr.GatherOp, array: SSAValue, axis: int, position: SSAValue
    ) -> SSAValue:
        if not yarr.rank_of(position):
            index = self.value(position)
            return index if op.in_bounds is not None else self.clipped(index, array, axis)
        index = self.array(position)
        if op.in_bounds is not None:
            return index
        zero, last = self.build.literal(0), self.last(array, axis)
        return self.build.call(self.name("clip"), index, zero, last, type=index.type)

    def update(self, op: yarr.UpdateOp) -> None:
        """``b = a.copy()``, then ``b[:, p] = x``, if ``p`` is in bounds."""
        array = self.array(op.array)
        positions = dict(zip(op.axes, map(self.value, op.positions), strict=True))
        condition = None if op.in_bounds else self._all_in_bounds(positions, array)
        indices = [
            positions[axis] if axis in positions else self.build.slice()
            for axis in range(max(positions) + 1)
        ]
        store = emitpy.StoreOp(self.copy(array), indices, self.value(op.value), condition)
        self.bind(op.result, self.build.insert(store).result)

    def _all_in_bounds(self, positions: dict[int, SSAValue], array: SSAValue) -> SSAValue:
        """``0 <= p and p < a.shape[1]``, for the position along each of some axes."""
        zero = self.build.literal(0)
        checks = [
            self.build.binary(zero, "<=", position)
            for position in dict.fromkeys(positions.values())
            if position not in self.counters
        ]
        checks += [
            self.build.binary(position, "<", self.size_of(array, axis))
            for axis, position in positions.items()
        ]
        return functools.reduce(lambda a, b: self.build.binary(a, "and", b), checks)

    # Joining and extending

    def concatenate(self, arrays: SSAValue, axis: int, type: TensorType[Attribute]) -> SSAValue:
        """``np.concatenate((a, b), axis=1)``"""
        keywords = {"axis": self.build.literal(axis)} if axis else {}
        return self.build.call(self.name("concatenate"), arrays, type=type, keywords=keywords)

    def pad(self, op: yarr.PadOp) -> None:
        """``np.pad(a, ((0, 0), (low, high)), mode="edge")``"""
        array, rank = self.array(op.array), yarr.rank_of(op.array)
        width = self.build.tuple([self.value(op.low), self.value(op.high)])
        if rank > 1:
            widths = [
                width if axis == op.axis.value.data else self.build.literal((0, 0))
                for axis in range(rank)
            ]
            width = self.build.tuple(widths)
        mode = {"mode": self.build.literal("edge")}
        self.bind(
            op.result,
            self.build.call(self.name("pad"), array, width, type=op.result.type, keywords=mode),
        )

    def pad_by_helper(self, op: yarr.PadOp) -> None:
        """``pad_edges(a, ((0, 0), (low, high)))``: pads along several axes are one call."""
        widths, base = dict[int, SSAValue](), op.result
        while isinstance(base.owner, yarr.PadOp) and base.owner.axis.value.data not in widths:
            width = [self.value(base.owner.low), self.value(base.owner.high)]
            widths[base.owner.axis.value.data] = self.build.tuple(width)
            base = base.owner.array
        while isinstance(base.owner, yarr.FillEmptyOp) and base.owner.axis.value.data in widths:
            base = base.owner.array
        axes = range(yarr.rank_of(op.array))
        every = self.build.tuple([widths.get(d) or self.build.literal((0, 0)) for d in axes])
        name, type_ = self.name("pad_edges"), op.result.type
        self.bind(op.result, self.build.helper(name, self.array(base), every, type=type_))

    def fill_empty(self, op: yarr.FillEmptyOp) -> None:
        """A helper: NumPy has no such function."""
        axis = self.build.literal(op.axis.value.data)
        array = self.array(op.array)
        filled = self.build.helper(
            self.name("fill_empty"), array, axis, type=op.result.type, view=True
        )
        self.bind(op.result, filled)

    # Reductions

    def reduce(self, op: yarr.ReduceOp) -> None:
        """``a.sum(axis=1)``, ``a.min(axis=0, initial=np.inf)``"""
        element, rank = yarr.element_of(op.array), yarr.rank_of(op.array)
        method = tables.REDUCTIONS[op.combine]
        if (element == i1) != (method in ("all", "any")):
            raise self.no_lowering(op, f" by '{op.combine}' on '{element}'")
        array = self.array(op.array)
        keywords = dict[str, SSAValue]()
        if len(op.axes) < rank:
            keywords["axis"] = self.build.axes(op.axes)
        if method in ("min", "max"):
            keywords["initial"] = self._identity(method, element)
        if method in ("sum", "prod") and str(element) in ("i8", "i32"):
            keywords["dtype"] = self.scalars.dtype(element)
        self.bind(
            op.result, self.build.method(array, method, type=op.result.type, keywords=keywords)
        )

    def _identity(self, method: str, element: Attribute) -> SSAValue:
        """What a minimum or maximum of nothing is."""
        if isinstance(element, Float32Type | Float64Type):
            infinity = self.build.name(self.name("inf"))
            return infinity if method == "min" else self.build.unary("-", infinity)
        limits = self.build.call(self.name("iinfo"), self.scalars.dtype(element))
        return self.build.attribute(limits, "max" if method == "min" else "min")

    def scan(self, op: yarr.ScanOp) -> None:
        """``np.add.accumulate(a, 1)``, or a helper around it for the combination of nothing."""
        if op.inclusive is not None:
            self.bind(op.result, self.inclusive_scan(op))
            return
        array, axis = self.array(op.array), self.build.literal(op.axis.value.data)
        function = self.combining_function(op)
        suffixes = self.build.literal(op.suffixes is not None)
        arguments = (*function, array, axis, suffixes)
        self.bind(op.result, self.build.helper(self.name("scan"), *arguments, type=op.result.type))

    def inclusive_scan(self, op: yarr.ScanOp) -> SSAValue:
        """A scan from the front; for suffixes, of the elements in reverse."""
        array, axis, type_ = self.array(op.array), op.axis.value.data, _type(op.result)
        if op.suffixes is None:
            return self.accumulate(op, array)
        backwards = self.accumulate(op, self.reversed(array, axis, type_))
        return self.reversed(backwards, axis, type_)

    def accumulate(self, op: yarr.ScanOp, array: SSAValue) -> SSAValue:
        """``np.add.accumulate(a, 1)``; NumPy widens narrow Ints, if they are not asked for."""
        function, _ = self.combining_function(op)
        arguments = [array, self.build.literal(op.axis.value.data)]
        if yarr.element_of(array) == i32:
            arguments.append(self.scalars.dtype(i32))
        return self.build.method(function, "accumulate", *arguments, type=op.result.type)

    def segment_reduce(self, op: yarr.SegmentReduceOp) -> None:
        """A helper, around ``np.bincount`` for counts and sums of floats, ``np.add.at`` else."""
        sizes = self.build.tuple([self.value(size) for size in op.sizes])
        segments = self.segments(op)
        if self.is_count(op):
            arguments = (segments, sizes, self.scalars.dtype(yarr.element_of(op.array)))
            helper = self.name("segment_count")
        else:
            arguments = (*self.combining_function(op), self.array(op.array), segments, sizes)
            helper = self.name("segment_reduce")
        self.bind(op.result, self.build.helper(helper, *arguments, type=_type(op.result)))

    def segments(self, op: yarr.SegmentReduceOp) -> SSAValue:
        """The numbers of the segments that keys select; once for all reductions by them.

        A single key may be that number itself.
        """
        keys = [self.array(key) for key in op.keys]
        sizes = [self.value(size) for size in op.sizes]
        place = (self.build.block, *keys, *sizes)
        if place not in self._segments:
            shape = yarr.broadcast_shapes([yarr.shape_of(key) for key in op.keys])
            assert shape is not None
            type_ = yarr.tensor(i64, shape)
            arguments = self.build.tuple(keys), self.build.tuple(sizes)
            helper = self.name("segment_numbers")
            self._segments[place] = self.build.helper(helper, *arguments, type=type_, view=True)
        return self._segments[place]

    def correlate(self, op: yarr.CorrelateOp) -> None:
        """A helper around the library's convolution, or around products of matrices."""
        arrays = self.array(op.array), self.array(op.filters)
        sizes = self.build.tuple([self.value(size) for size in op.sizes])
        name, type_ = self.name("correlate"), _type(op.result)
        self.bind(op.result, self.build.helper(name, *arrays, sizes, type=type_))

    def is_count(self, op: yarr.SegmentReduceOp) -> bool:
        """Whether the values are all one number 1, and added up."""
        array = self.value(op.array)
        is_one = isinstance(array.owner, emitpy.LiteralOp) and array.owner.data == 1
        return op.kind.data == "add" and is_one and yarr.rank_of(op.array) == op.positions

    def combining_function(self, op: Combination) -> Sequence[SSAValue]:
        """What combines two elements, and its identity."""
        form = self.tables.scalars[op.combine]
        if isinstance(form, Operator):
            return self.build.name(tables.OPERATOR_UFUNCS[form.symbol]), self.neutral(op)
        assert isinstance(form, Call)
        return self.build.name(form.function), self.neutral(op)

    def neutral(self, op: Combination) -> SSAValue:
        """The identity of a kind of combination."""
        element = yarr.element_of(op.array)
        value = identity(op.combine, element)
        assert value is not None
        number = value.value.data
        if number in (math.inf, -math.inf):
            infinity = self.build.name(self.name("inf"))
            return infinity if number > 0 else self.build.unary("-", infinity)
        return self.build.literal(bool(number) if element == i1 else number)

    def einsum(self, op: yarr.EinsumOp) -> None:
        """``a @ b`` for a product of matrices, ``np.einsum("ij,j->i", a, b)`` otherwise."""
        if yarr.element_of(op.result) == i1:
            raise self.no_lowering(op, " on 'i1'")
        arrays = [self.array(array) for array in op.arrays]
        text, type_ = op.subscripts.data, _type(op.result)
        inputs, output = yarr.split_subscripts(text)
        product = matrix_product(inputs, output)
        if product is not None:
            lhs, rhs = (
                self._matrix_transpose(array) if is_transposed else array
                for array, is_transposed in zip(arrays, product, strict=True)
            )
            self.bind(op.result, self.matrix_multiply(lhs, rhs, type_))
            return
        grouped = grouped_product(inputs, output) if self.groups_axes else None
        if grouped is not None:
            lhs, rhs = (arrays[side] for side in grouped.sides)
            if grouped.is_transposed:
                lhs = self._matrix_transpose(lhs)
            groups = map(self.build.literal, (grouped.rows, grouped.summed, grouped.columns))
            helper = self.name("grouped_matmul")
            self.bind(op.result, self.build.helper(helper, lhs, rhs, *groups, type=type_))
            return
        result = self.build.call(
            self.name("einsum"),
            self.build.literal(text),
            *arrays,
            type=type_,
            keywords=self.einsum_keywords(op),
            view=len(arrays) == 1 and set(inputs[0]) == set(output),
        )
        self.bind(op.result, result)

    def _reordered(self, array: SSAValue, letters: str, order: str) -> SSAValue:
        """An array whose axes have letters, with its axes in another order."""
        if letters == order:
            return array
        axes = [letters.index(letter) for letter in order]
        shape = yarr.shape_of(array)
        type_ = yarr.tensor(yarr.element_of(array), [shape[axis] for axis in axes])
        literal = self.build.literal(tuple(axes))
        return self.build.call(self.name("transpose"), array, literal, type=type_, view=True)

    def matrix_multiply(
        self, lhs: SSAValue, rhs: SSAValue, type: TensorType[Attribute]
    ) -> SSAValue:
        """``a @ b``"""
        return self.build.binary(lhs, "@", rhs, type)

    def einsum_keywords(self, op: yarr.EinsumOp) -> dict[str, SSAValue]:
        """``optimize=True`` where the order of products is a choice, or a matrix product helps.

        Two arrays over the same axes are multiplied element by element: to look for a product of
        matrices takes longer than small blocks do. But all their products are summed by BLAS.
        """
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        is_elementwise = len(inputs) == 2 and set(inputs[0]) == set(inputs[1]) and output != ""
        if len(inputs) == 1 or is_elementwise:
            return {}
        return {"optimize": self.build.literal(True)}

    def _matrix_transpose(self, array: SSAValue) -> SSAValue:
        """The last two axes exchanged."""
        *batch, rows, columns = yarr.shape_of(array)
        type_ = yarr.tensor(yarr.element_of(array), (*batch, columns, rows))
        if not batch:
            return self.build.attribute(array, "T", type_)
        axes = self.build.literal(-1), self.build.literal(-2)
        return self.build.method(array, "swapaxes", *axes, type=type_, view=True)


def filling(value: SSAValue) -> str | None:
    """The function that makes arrays of a literal 0 or 1."""
    number = value.owner.data if isinstance(value.owner, emitpy.LiteralOp) else None
    return {"0": "zeros", "0.0": "zeros", "1": "ones", "1.0": "ones"}.get(str(number))


def _type(value: SSAValue) -> TensorType[Attribute]:
    assert isa(value.type, TensorType)
    return value.type


def matrix_product(inputs: Sequence[str], output: str) -> tuple[bool, bool] | None:
    """Whether each side of a product of vectors and matrices is transposed; None for no product.

    Matrices may have leading axes that both sides and the result share.

    >>> matrix_product(["ij", "jk"], "ik"), matrix_product(["ij", "kj"], "ik")
    ((False, False), (False, True))
    >>> matrix_product(["i", "ij"], "j"), matrix_product(["ij", "ij"], "ij")
    ((False, False), None)
    >>> matrix_product(["bij", "bkj"], "bik"), matrix_product(["bi", "bi"], "b")
    ((False, True), None)
    """
    if len(inputs) != 2 or not all(0 < len(set(side)) == len(side) for side in inputs):
        return None
    lhs, rhs = inputs
    triples = enumerate(zip(lhs, rhs, output, strict=False))
    batch = next(
        (k for k, letters in triples if len(set(letters)) > 1), min(map(len, (lhs, rhs, output)))
    )
    lhs, rhs, output = lhs[batch:], rhs[batch:], output[batch:]
    if not all(len(side) == 2 or (len(side) == 1 and not batch) for side in (lhs, rhs)):
        return None
    summed = (set(lhs) & set(rhs)) - set(output)
    if len(summed) != 1 or set(lhs) & set(rhs) != summed:
        return None
    (letter,) = summed
    if lhs.replace(letter, "") + rhs.replace(letter, "") != output:
        return None
    return lhs[-1] != letter, rhs[0] != letter


def batched_product(inputs: Sequence[str], output: str) -> tuple[str, str, str] | None:
    """A contraction as a product of stacked matrices: the order of axes of both, and of the result.

    None where it is no such product, or where an axis of the stack is the last of a side: BLAS
    wants one of the axes of a matrix to be contiguous.

    >>> batched_product(["ikjm", "iljm"], "ijkl")
    ('ijkm', 'ijml', 'ijkl')
    >>> batched_product(["ikb", "kjb"], "ijb"), batched_product(["ij", "ij"], "ij")
    (None, None)
    """
    if len(inputs) != 2 or not all(len(set(side)) == len(side) for side in (*inputs, output)):
        return None
    lhs, rhs = inputs
    batch = "".join(letter for letter in output if letter in lhs and letter in rhs)
    summed = set(lhs) & set(rhs) - set(output)
    rows, columns = set(lhs) - set(rhs), set(rhs) - set(lhs)
    if any(len(letters) != 1 for letters in (summed, rows, columns)):
        return None
    if not rows | columns <= set(output) or lhs[-1] in batch or rhs[-1] in batch:
        return None
    (k,), (i,), (j,) = summed, rows, columns
    return batch + i + k, batch + k + j, batch + i + j


class WritingNumpyLowering(TilingLowering, NumpyLowering):
    """What NumPy alone does: its arrays can be written to, and views of any strides multiplied."""

    def einsum(self, op: yarr.EinsumOp) -> None:
        """``np.transpose(a, ...) @ np.transpose(b, ...)`` for a product of stacked matrices.

        ``np.einsum`` may copy both sides first.
        """
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        product = batched_product(inputs, output)
        if product is None or matrix_product(inputs, output) or yarr.element_of(op.result) == i1:
            super().einsum(op)
            return
        *sides, stacked = product
        lhs, rhs = (
            self._reordered(self.array(array), letters, order)
            for array, letters, order in zip(op.arrays, inputs, sides, strict=True)
        )
        shape = yarr.shape_of(op.result)
        type_ = yarr.tensor(
            yarr.element_of(op.result), [shape[output.index(letter)] for letter in stacked]
        )
        self.bind(
            op.result, self._reordered(self.matrix_multiply(lhs, rhs, type_), stacked, output)
        )

    def unsqueeze(self, op: yarr.UnsqueezeOp) -> None:
        """``np.ascontiguousarray(a[:, k])[None, :]``, where that is read for each row of a result.

        Reading it once costs what going through one row does.
        """
        array = self._values[op.array]
        if is_reread_with_gaps(op):
            function = self.name("ascontiguousarray")
            packed = self.build.call(function, array, type=array.type, view=True)
            self._values[op.array] = packed
        super().unsqueeze(op)
        self._values[op.array] = array

    def empty(self, shape: SSAValue, type: TensorType[Attribute]) -> SSAValue:
        """``np.empty((n, m))``"""
        keywords = dict[str, SSAValue]()
        if type.element_type != f64:
            keywords["dtype"] = self.scalars.dtype(type.element_type)
        return self.build.call(self.name("empty"), shape, type=type, keywords=keywords)

    def pad(self, op: yarr.PadOp) -> None:
        """A helper: NumPy's own is slow for small arrays."""
        self.pad_by_helper(op)


@dataclass(frozen=True)
class GroupedProduct:
    """A product of matrices of groups of axes: ``result = sides[0] @ sides[1]``."""

    sides: tuple[int, int]
    """Which operand is the left one, which the right one."""
    is_transposed: bool
    """Whether the left one, a matrix then, has its columns first."""
    rows: int
    summed: int
    columns: int


def grouped_product(inputs: Sequence[str], output: str) -> GroupedProduct | None:
    """How two arrays are multiplied as matrices, without moving an axis of the larger one.

    The result has the leading axes of both sides, or of the right one, then the rows, then the
    columns.

    >>> grouped_product(["bchw", "oc"], "bohw")
    GroupedProduct(sides=(1, 0), is_transposed=False, rows=1, summed=1, columns=2)
    >>> grouped_product(["co", "bchw"], "bohw")
    GroupedProduct(sides=(0, 1), is_transposed=True, rows=1, summed=1, columns=2)
    >>> grouped_product(["bijk", "bjkl"], "bil")
    GroupedProduct(sides=(0, 1), is_transposed=False, rows=1, summed=2, columns=1)
    >>> grouped_product(["ij", "kj"], "ki"), grouped_product(["ij", "ij"], "ij")
    (None, None)
    """
    if len(inputs) != 2 or not all(len(set(side)) == len(side) for side in (*inputs, output)):
        return None
    for sides in ((0, 1), (1, 0)):
        lhs, rhs = (inputs[side] for side in sides)
        summed = "".join(letter for letter in rhs if letter in lhs and letter not in output)
        if not summed or set(lhs + rhs) != set(output + summed):
            continue
        front, _, columns = rhs.partition(summed)
        if not columns or not output.startswith(front) or not output.endswith(columns):
            continue
        rows = output[len(front) : len(output) - len(columns)]
        own = lhs.removeprefix(front)
        if rows and own == rows + summed:
            return GroupedProduct(sides, False, len(rows), len(summed), len(columns))
        if len(rows) == len(summed) == 1 and lhs == summed + rows:
            return GroupedProduct(sides, True, 1, 1, len(columns))
    return None


class ConvertYarrToNumpyPass(ModulePass):
    """Translates yarr to emitpy that calls NumPy.

    Before::

        func.func @outer(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?x?xf64> {
          %x = yarr.unsqueeze %a, [1] : tensor<?xf64> -> tensor<?x1xf64>
          %y = yarr.unsqueeze %b, [0] : tensor<?xf64> -> tensor<1x?xf64>
          %c = yarr.elementwise { arith.mulf } %x, %y
            : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
          func.return %c : tensor<?x?xf64>
        }

    After (the slices, Nones and the decorator are left out)::

        func.func @outer(%a: tensor<?xf64>, %b: tensor<?xf64>) -> tensor<?x?xf64> {
          %x = emitpy.subscript %a[%0, %1] : ... -> tensor<?x1xf64>
          %y = emitpy.subscript %b[%2, %3] : ... -> tensor<1x?xf64>
          %c = emitpy.binary %x "*" %y : (tensor<?x1xf64>, tensor<1x?xf64>) -> tensor<?x?xf64>
          func.return %c : tensor<?x?xf64>
        }

    which ``-t python`` prints as::

        @np.errstate(all="ignore")
        def outer(a, b):
            c = a[:, None] * b[None, :]
            return c
    """

    name = "convert-yarr-to-numpy"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        write_last(op)
        convert_module(op, WritingNumpyLowering)
