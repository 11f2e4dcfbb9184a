"""The rules for NumPy itself, for all programs and for the static values of others."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerType, i8, i16, i32
from xdsl.ir import Attribute, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.backends.forms import Call, Operator
from ein_mlir.backends.numpy import tables
from ein_mlir.dialects import emitpy, yarr
from ein_mlir.rewriting.yarr_to_emitpy.numpy_api import NumpyApiLowering
from ein_mlir.rewriting.yarr_to_emitpy.rules import Combination
from ein_mlir.rewriting.yarr_to_emitpy.rules.reductions import AccumulatingRules
from ein_mlir.rewriting.yarr_to_emitpy.rules.updates import StoredUpdates


class NumpyArraysLowering(StoredUpdates, AccumulatingRules, NumpyApiLowering):
    """Mutable arrays, and functions that reduce and accumulate."""

    tables = tables.TABLES
    groups_axes = True

    def limit(self, element: Attribute, which: str) -> SSAValue:
        """A literal: ``np.iinfo(np.int64).min`` takes longer than a reduction of a small array."""
        assert isa(element, IntegerType)
        half = 1 << (element.width.data - 1)
        return self.build.literal(half - 1 if which == "max" else -half)

    # Memory

    def copy(self, value: SSAValue) -> SSAValue:
        """``a.copy()``; a scalar becomes a NumPy scalar, which is immutable."""
        if yarr.rank_of(value):
            return self.build.method(value, "copy", type=value.type)
        dtype = self.tables.dtypes[str(yarr.element_of(value))]
        return self.build.call(dtype, value, type=value.type)

    # Reductions and contractions

    def accumulate(self, op: yarr.ScanOp, array: SSAValue) -> SSAValue:
        """``np.add.accumulate(a, 1)``; NumPy widens narrow Ints, unless a dtype is given."""
        function, _ = self.combining_function(op)
        arguments = [array, self.build.literal(op.axis.value.data)]
        element = yarr.element_of(array)
        if element in (i8, i16, i32):
            arguments.append(self.scalars.dtype(element))
        return self.build.method(function, "accumulate", *arguments, type=op.result.type)

    def combining_function(self, op: Combination) -> Sequence[SSAValue]:
        """``np.add``, and its identity"""
        form = self.tables.scalars[op.combine]
        if isinstance(form, Operator):
            function = tables.OPERATOR_UFUNCS[form.symbol]
        else:
            assert isinstance(form, Call)
            function = form.function
        return self.build.name(function), self.neutral(op)

    def is_count(self, op: yarr.AccumulateOp) -> bool:
        """Whether the reduction is a sum of values that are all 1: for ``np.bincount``."""
        array = self.value(op.array)
        is_one = isinstance(array.owner, emitpy.LiteralOp) and array.owner.data == 1
        return op.kind.data == "add" and is_one and yarr.rank_of(op.array) == op.positions

    def einsum_keywords(self, op: yarr.EinsumOp) -> dict[str, SSAValue]:
        """``optimize=True`` if the order of products matters, or a matrix product is profitable.

        Arrays with a common axis that the result has, one of which has all axes of the other, are
        multiplied element by element, such as the matrices and the vectors of a batch: the search
        for a product of matrices takes longer than small ones do.
        """
        inputs, output = yarr.split_subscripts(op.subscripts.data)
        if len(inputs) == 1:
            return {}
        if len(inputs) == 2:
            fewer, more = sorted(map(set, inputs), key=len)
            if fewer <= more and not fewer.isdisjoint(output):
                return {}
        return {"optimize": self.build.literal(True)}
