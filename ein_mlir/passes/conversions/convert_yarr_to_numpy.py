"""``convert-yarr-to-numpy``: whole-array operations become calls of NumPy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import (
    DictionaryAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.passes import ModulePass

from ein_mlir.analysis.yarr.counted_conditions import counted_condition
from ein_mlir.analysis.yarr.extremes import extremes_beside, search_beside
from ein_mlir.analysis.yarr.masked_rows import masked_rows, masked_steps
from ein_mlir.analysis.yarr.memory_layout import is_reread_with_gaps
from ein_mlir.analysis.yarr.shifted_keys import Shift, separate_factors
from ein_mlir.analysis.yarr.sorted_reads import read_positions
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.dialects.emitpy import OBJECT, DecoratorAttr
from ein_mlir.dialects.yarr.constants import constant_value
from ein_mlir.rewriting.yarr_to_emitpy.functions import convert_module
from ein_mlir.rewriting.yarr_to_emitpy.numpy_arrays import NumpyArraysLowering
from ein_mlir.rewriting.yarr_to_emitpy.numpy_scalars import NumpyScalars
from ein_mlir.rewriting.yarr_to_emitpy.parts import has_sizes
from ein_mlir.rewriting.yarr_to_emitpy.rules.contractions import matrix_product
from ein_mlir.rewriting.yarr_to_emitpy.scheduling import position_first, write_last
from ein_mlir.rewriting.yarr_to_emitpy.shifted import ShiftedRules
from ein_mlir.rewriting.yarr_to_emitpy.started_accumulations import StartedAccumulations
from ein_mlir.rewriting.yarr_to_emitpy.tiling import TilingLowering

_FUNCTIONS_OF_ROWS: Mapping[str, tuple[str, bool | float | None]] = {
    "arith.addf": ("add", 0.0),
    "arith.addi": ("add", 0),
    "arith.andi": ("logical_and", True),
    "arith.maximumf": ("maximum", None),
    "arith.maxsi": ("maximum", None),
    "arith.minimumf": ("minimum", None),
    "arith.minsi": ("minimum", None),
    "arith.mulf": ("multiply", 1.0),
    "arith.muli": ("multiply", 1),
    "arith.ori": ("logical_or", False),
}
"""The functions that reduce rows by each operation, and their identity; None for a limit."""


class NumpyLowering(TilingLowering, StartedAccumulations, ShiftedRules, NumpyArraysLowering):
    """The rules of NumPy alone: its arrays are mutable, and products take views of any strides."""

    pass_name = "convert-yarr-to-numpy"
    scalar_rules = NumpyScalars
    decorators = (
        DecoratorAttr(StringAttr("np.errstate"), DictionaryAttr({"all": StringAttr("ignore")})),
    )

    def einsum(self, op: yarr.EinsumOp) -> None:
        """``np.transpose(a, ...) @ np.transpose(b, ...)`` for a product of stacked matrices.

        A helper for products of the elements of two arrays, all added up. Steps that a mask leaves
        out are not taken, if few are left.

        ``np.einsum`` may copy both sides first.
        """
        masked = masked_steps(op)
        if masked is None:
            self._einsum_of_steps(op)
            return
        all_steps = {factor: self.values[factor] for factor in masked.axes}
        self.values |= self.at_kept_steps(masked)
        self._einsum_of_steps(op)
        self.values |= all_steps

    def _einsum_of_steps(self, op: yarr.EinsumOp) -> None:
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        if (windows := windows_of(op)) is not None:
            self.bind(op.result, self._window_product(op, *windows))
            return
        if inputs[1:] == inputs[:1] and not output and len(set(inputs[0])) == len(inputs[0]) > 1:
            sides = map(self.array, op.arrays)
            helper = self.name("inner_product")
            self.bind(op.result, self.build.helper(helper, *sides, type=op.result.type))
            return
        product = batched_product(inputs, output)
        if product is None or matrix_product(inputs, output) or yarr.element_of(op.result) == i1:
            super().einsum(op)
            return
        *sides, stacked = product
        lhs, rhs = (
            self.reordered(self.array(array), letters, order)
            for array, letters, order in zip(op.arrays, inputs, sides, strict=True)
        )
        shape = yarr.shape_of(op.result)
        type_ = yarr.tensor(
            yarr.element_of(op.result), [shape[output.index(letter)] for letter in stacked]
        )
        self.bind(op.result, self.reordered(self.matrix_multiply(lhs, rhs, type_), stacked, output))

    def accumulate_shifted(self, op: yarr.AccumulateOp, shifts: Sequence[Shift]) -> None:
        """A helper that takes slices; for products, a convolution."""
        parts = separate_factors(op.array, shifts) if op.kind.data == "add" else None
        if parts is None:
            super().accumulate_shifted(op, shifts)
            return
        arguments, helper = self.shifted_arguments(op, shifts, parts), self.name("shifted_products")
        self.bind(op.result, self.build.helper(helper, *arguments, type=op.result.type))

    def is_stored_in_parts(self, concat: yarr.ConcatOp) -> bool:
        """Whether a joined array replaces a row, and all parts but one keep what is there."""
        if not has_sizes(concat, self.sizes):
            return False
        kept = [self.is_kept(part, concat, k) for k, part in enumerate(concat.arrays)]
        return 0 < sum(kept) == len(kept) - 1

    def concat(self, op: yarr.ConcatOp) -> None:
        if not self.is_stored_in_parts(op):
            super().concat(op)

    def changed_part(self, op: yarr.UpdateOp) -> tuple[Mapping[int, SSAValue], SSAValue]:
        """The changed part of a row: ``b[k:, p] = x``."""
        concat = op.value.owner
        if not isinstance(concat, yarr.ConcatOp) or not self.is_stored_in_parts(concat):
            return super().changed_part(op)
        axes = [axis for axis in range(yarr.rank_of(op.array)) if axis not in op.axes]
        (number,) = (k for k, p in enumerate(concat.arrays) if not self.is_kept(p, concat, k))
        place = self.place_in(concat, number)
        return {axes[concat.axis.value.data]: place}, self.stored(concat.arrays[number])

    def scatter(self, op: yarr.ScatterOp) -> None:
        """``b = a.copy()``, then ``b[keys] = values``: NumPy stores the last of equal keys last."""
        array, values = self.array(op.array), self.array(op.values)
        keys = list(map(self.array, op.keys))
        sizes = [self.size_of(array, axis) for axis in range(len(keys))]
        given = self.build.helper(
            self.name("placed_values"),
            *map(self.build.tuple, (keys, sizes)),
            values,
            type=OBJECT,
        )
        *places, placed = self.build.unpack(given, [*(key.type for key in keys), values.type])
        store = emitpy.StoreOp(self.copy(array), places, placed)
        self.bind(op.result, self.build.insert(store).result)

    def _window_product(
        self, op: yarr.EinsumOp, weights: SSAValue, windows: yarr.StridedOp, step: int
    ) -> SSAValue:
        """``window_product(u, a, start, n, 1)``"""
        letters, _ = yarr.split_subscripts(op.subscripts.data)
        strided = letters[op.arrays.index(windows.result)]
        size = windows.sizes[strided.index(yarr.split_subscripts(op.subscripts.data)[1])]
        arguments = self.array(weights), self.array(windows.array), self.integer(windows.start)
        helper, rest = self.name("window_product"), (self.value(size), self.build.literal(step))
        return self.build.helper(helper, *arguments, *rest, type=op.result.type)

    def argreduce(self, op: yarr.ArgreduceOp) -> None:
        """A helper, with the extremes if the program has a use for them, too."""
        if op.result in self.values:
            return
        extremes = extremes_beside(op)
        if extremes is None or masked_rows(extremes) is not None:
            super().argreduce(op)
        else:
            self._search(op, extremes)

    def _search(self, op: yarr.ArgreduceOp, extremes: yarr.ReduceOp) -> None:
        """``best, positions = largest(a, 0)``"""
        helper = self.name("largest" if op.predicate.data == ">" else "smallest")
        axis = self.build.literal(op.axis.value.data)
        found = self.build.helper(helper, self.array(op.array), axis, type=OBJECT)
        best, positions = self.build.unpack(found, [extremes.result.type, op.result.type])
        self.bind(extremes.result, best)
        self.bind(op.result, positions)

    def reduce(self, op: yarr.ReduceOp) -> None:
        """``a[mask].any(axis=0)`` for rows that a mask selects: the others are not read.

        A sum of ones is ``np.count_nonzero(mask)``, or along an axis a helper; the first position
        of a true element is a helper.
        """
        if op.result in self.values:
            return
        search = search_beside(op)
        if search is not None and masked_rows(op) is None:
            self._search(search, op)
            return
        condition = counted_condition(op)
        if condition is not None:
            self.bind(op.result, self._count(op, self.array(condition)))
            return
        if self.find_position(op):
            return
        found = masked_rows(op)
        if found is None:
            if not self._reduce_rows(op):
                super().reduce(op)
            return
        mask = self.array(found.mask)
        if not found.expected:
            mask = self.build.unary("~", mask, mask.type)
        shape = list(yarr.shape_of(op.array))
        shape[op.axes[0]] = yarr.DYNAMIC
        type_ = yarr.tensor(yarr.element_of(op.array), shape)
        all_rows = self.values[op.array]
        self.values[op.array] = self.build.at(self.array(found.rows), op.axes[0], mask, type_)
        super().reduce(op)
        self.values[op.array] = all_rows

    def _reduce_rows(self, op: yarr.ReduceOp) -> bool:
        """``reduce_rows(np.add, a, 0.0)`` along a last axis, which may be short; whether it is."""
        element, rank = yarr.element_of(op.array), yarr.rank_of(op.array)
        function, identity = _FUNCTIONS_OF_ROWS.get(op.combine, ("", None))
        is_bool = function.startswith("logical")
        if not function or element not in ((i1,) if is_bool else (f32, f64, i64)):
            return False
        if list(op.axes) != [rank - 1] or rank < 2 or yarr.shape_of(op.array)[-1] > 64:
            return False
        none = self.build.literal(identity)
        if identity is None:
            none = self._identity(function[:3], element)
        arguments = self.build.name(self.name(function)), self.array(op.array), none
        found = self.build.helper(self.name("reduce_rows"), *arguments, type=op.result.type)
        self.bind(op.result, found)
        return True

    def _count(self, op: yarr.ReduceOp, mask: SSAValue) -> SSAValue:
        element = yarr.element_of(op.result)
        if yarr.rank_of(op.result):
            arguments = mask, self.build.literal(op.axes[0]), self.scalars.dtype(element)
            return self.build.helper(self.name("count_true"), *arguments, type=op.result.type)
        count = self.build.call(self.name("count_nonzero"), mask)
        return self.build.call(self.tables.dtypes[str(element)], count, type=op.result.type)

    def unsqueeze(self, op: yarr.UnsqueezeOp) -> None:
        """``np.ascontiguousarray(a[:, k])[None, :]``, if that is read again along a new axis.

        The copy is as small as one position along that axis of the result.
        """
        array = self.values[op.array]
        if is_reread_with_gaps(op):
            function = self.name("ascontiguousarray")
            packed = self.build.call(function, array, type=array.type, view=True)
            self.values[op.array] = packed
        super().unsqueeze(op)
        self.values[op.array] = array

    def empty(
        self, shape: SSAValue, type: TensorType[Attribute], *, zeros: bool = False
    ) -> SSAValue:
        """``np.empty((n, m))``, or ``np.zeros((n, m))``"""
        keywords = dict[str, SSAValue]()
        if type.element_type != f64:
            keywords["dtype"] = self.scalars.dtype(type.element_type)
        name = self.name("zeros" if zeros else "empty")
        return self.build.call(name, shape, type=type, keywords=keywords)

    def searchsorted(self, op: yarr.SearchsortedOp) -> None:
        """A helper with the order of the values, which searches on both sides share."""
        array, values = self.array(op.array), self.array(op.values)
        type_ = yarr.tensor(i64, [yarr.DYNAMIC])
        order = self.build.helper(self.name("order_of_search"), array, values, type=type_)
        side = self.build.literal("left" if op.right is None else "right")
        helper, arguments = self.name("place_in_order"), (array, values, side, order)
        self.bind(op.result, self.build.helper(helper, *arguments, type=op.result.type))

    def sort(self, op: yarr.SortOp) -> None:
        """A helper that is given the only positions that are read, if they are known by then."""
        positions = read_positions(op)
        if positions is None or not all(position in self.values for position in positions):
            super().sort(op)
            return
        places = [self.integer(position) for position in dict.fromkeys(positions)]
        arguments = self.array(op.array), self.build.literal(op.axis.value.data), *places
        helper = self.name("sort_at")
        self.bind(op.result, self.build.helper(helper, *arguments, type=op.result.type))

    def take(self, op: yarr.TakeOp) -> None:
        """``rotated(a, (1, n, n, s))``, else as always."""
        if (found := self.rotated_axis(op)) is None:
            super().take(op)
        else:
            self.bind(op.result, found)

    def gather(self, op: yarr.GatherOp) -> None:
        """``take_grid(a, p, q)``, ``gathered(a, p, q)``, else as always."""
        found = self.grid(op)
        are_several = len(op.positions) > 1 and yarr.rank_of(op.positions[0]) > 0
        if found is None and are_several and len(op.in_bounds) < len(op.positions):
            arguments = self.array(op.array), *map(self.array, op.positions)
            found = self.build.helper(self.name("gathered"), *arguments, type=op.result.type)
        if found is None:
            super().gather(op)
        else:
            self.bind(op.result, found)

    def pad(self, op: yarr.PadOp) -> None:
        """A helper: NumPy's own is slow for small arrays."""
        self.pad_by_helper(op)


def windows_of(op: yarr.EinsumOp) -> tuple[SSAValue, yarr.StridedOp, int] | None:
    """The weights, the windows and the step of ``sum_j u[j] * a[start + i + step * j]``.

    The step is 1 or -1. None for other contractions.
    """
    inputs, output = yarr.split_subscripts(op.subscripts.data)
    if sorted(map(len, inputs)) != [1, 2] or len(output) != 1 or yarr.element_of(op.result) == i1:
        return None
    vector = inputs.index(min(inputs, key=len))
    letters, windows = inputs[1 - vector], op.arrays[1 - vector].owner
    if set(letters) != {inputs[vector], output} or not isinstance(windows, yarr.StridedOp):
        return None
    if yarr.rank_of(windows.array) != 1:
        return None
    steps = dict(zip(letters, map(constant_value, windows.steps), strict=True))
    step = steps[inputs[vector]]
    if steps[output] != 1 or step not in (1, -1):
        return None
    return op.arrays[vector], windows, step


def batched_product(inputs: Sequence[str], output: str) -> tuple[str, str, str] | None:
    """A contraction as a product of stacked matrices: the order of axes of both, and of the result.

    None for other contractions, and if an axis of the stack is the last of a side: BLAS requires
    one of the axes of a matrix to be contiguous.

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

    After (without the slices, Nones and the decorator)::

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
        position_first(op)
        convert_module(op, NumpyLowering)
