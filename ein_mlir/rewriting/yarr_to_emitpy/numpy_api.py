"""The rules for libraries that have NumPy's functions under NumPy's names: NumPy and JAX."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import Float32Type, Float64Type, TensorType, f64
from xdsl.ir import Attribute, SSAValue

from ein_mlir.backends import numpy_api
from ein_mlir.dialects import yarr
from ein_mlir.dialects.reductions import combines_bits
from ein_mlir.rewriting.yarr_to_emitpy.builder import is_object
from ein_mlir.rewriting.yarr_to_emitpy.lowering import filling, tensor_type
from ein_mlir.rewriting.yarr_to_emitpy.rules import LibraryLowering


class NumpyApiLowering(LibraryLowering):
    """The rules of NumPy, by functions of the library that ``tables`` names.

    The lowerings of other libraries override the differences.
    """

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

    # Axes, joining and extending

    def transpose(self, op: yarr.TransposeOp) -> None:
        """``a.T``, ``a.transpose((0, 2, 1))``"""
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

    # Indexing

    def take(self, op: yarr.TakeOp) -> None:
        """``a[:, k]``, ``a.take(p, axis=1, mode="clip")``"""
        array, axis = self.array(op.array), op.axis.value.data
        if not yarr.rank_of(op.position):
            is_clipped = op.in_bounds is None
            place = op.position
            index = self.clipped(place, array, axis) if is_clipped else self.value(place)
            self.bind(op.result, self.element(array, axis, [index], op.result.type))
            return
        positions, in_bounds = self.array(op.position), op.in_bounds is not None
        self.bind(op.result, self.taken(array, axis, positions, tensor_type(op.result), in_bounds))

    def element(
        self, array: SSAValue, axis: int, indices: Sequence[SSAValue], type: Attribute
    ) -> SSAValue:
        """``a[:, k]``, at numbers along an axis and those behind it."""
        before = [self.build.slice() for _ in range(axis)]
        return self.build.subscript(array, [*before, *indices], type)

    def taken(
        self,
        array: SSAValue,
        axis: int,
        positions: SSAValue,
        type: TensorType[Attribute],
        in_bounds: bool,
    ) -> SSAValue:
        """``a.take(p, axis=1, mode="clip")``"""
        keywords = {"axis": self.build.literal(axis)}
        if not in_bounds:
            keywords["mode"] = self.build.literal("clip")
        return self.build.call(self.name("take"), array, positions, type=type, keywords=keywords)

    def gather(self, op: yarr.GatherOp) -> None:
        """``a[np.clip(p, 0, a.shape[0] - 1), q]``"""
        array = self.array(op.array)
        if len(op.positions) == 1 and yarr.rank_of(op.positions[0]):
            positions, in_bounds = self.array(op.positions[0]), bool(op.in_bounds)
            self.bind(op.result, self.taken(array, 0, positions, tensor_type(op.result), in_bounds))
            return
        indices = [
            self._gather_index(op, array, axis, position)
            for axis, position in enumerate(op.positions)
        ]
        if any(map(yarr.rank_of, op.positions)):
            self.bind(op.result, self.build.subscript(array, indices, op.result.type))
        else:
            self.bind(op.result, self.element(array, 0, indices, op.result.type))

    def _gather_index(
        self, op: yarr.GatherOp, array: SSAValue, axis: int, position: SSAValue
    ) -> SSAValue:
        if not yarr.rank_of(position):
            is_clipped = axis not in op.in_bounds
            return self.clipped(position, array, axis) if is_clipped else self.value(position)
        index = self.array(position)
        if axis in op.in_bounds:
            return index
        return self.clip(index, self.build.literal(0), self.last(array, axis))

    def clip(self, index: SSAValue, low: SSAValue, high: SSAValue) -> SSAValue:
        """``np.clip(p, 0, n - 1)``"""
        return self.build.call(self.name("clip"), index, low, high, type=index.type)

    # Reductions

    def reduce(self, op: yarr.ReduceOp) -> None:
        """``a.sum(axis=1)``, ``a.min(axis=0, initial=np.inf)``"""
        element, rank = yarr.element_of(op.array), yarr.rank_of(op.array)
        array = self.array(op.array)
        if combines_bits(op.combine, element):
            self.bind(op.result, self._reduced_bits(op, array))
            return
        method = numpy_api.REDUCTIONS[op.combine]
        keywords = dict[str, SSAValue]()
        if len(op.axes) < rank:
            keywords["axis"] = self.build.axes(op.axes)
        if method in ("min", "max"):
            keywords["initial"] = self._identity(method, element)
        if method in ("sum", "prod") and str(element) in ("i8", "i16", "i32"):
            keywords["dtype"] = self.scalars.dtype(element)
        self.bind(
            op.result, self.build.method(array, method, type=op.result.type, keywords=keywords)
        )

    def _reduced_bits(self, op: yarr.ReduceOp, array: SSAValue) -> SSAValue:
        """``np.bitwise_xor.reduce(a, (0, 1))``"""
        function = self.build.name(self.name(numpy_api.BITWISE[op.combine]))
        axes = self.build.axes(op.axes)
        return self.build.method(function, "reduce", array, axes, type=op.result.type)

    def _identity(self, method: str, element: Attribute) -> SSAValue:
        """The minimum or maximum of an empty axis."""
        if isinstance(element, Float32Type | Float64Type):
            infinity = self.build.name(self.name("inf"))
            return infinity if method == "min" else self.build.unary("-", infinity)
        return self.limit(element, "max" if method == "min" else "min")

    def limit(self, element: Attribute, which: str) -> SSAValue:
        """The least or the largest integer of a type: ``jnp.iinfo(jnp.int64).min``."""
        limits = self.build.call(self.name("iinfo"), self.scalars.dtype(element))
        return self.build.attribute(limits, which)
