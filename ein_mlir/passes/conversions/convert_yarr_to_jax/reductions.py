"""Prefixes, segments and sorted elements."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, f32, f64
from xdsl.ir import SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.yarr.shift_invariance import is_only_a_shift
from ein_mlir.backends.numpy_api import BITWISE
from ein_mlir.dialects import yarr
from ein_mlir.dialects.reductions import combines_bits
from ein_mlir.rewriting.yarr_to_emitpy.numpy_api import NumpyApiLowering
from ein_mlir.rewriting.yarr_to_emitpy.rules import Combination
from ein_mlir.rewriting.yarr_to_emitpy.started_accumulations import StartedAccumulations

MOST_EXCHANGED = 12
"""The most elements that exchanges sort if one of them is read: XLA computes the exchanges for each
element of the result."""


_EXTREME = (arith.MaximumfOp.name, arith.MinimumfOp.name)


class JaxReductions(StartedAccumulations, NumpyApiLowering):
    """Rules that call helpers with the names of combinations."""

    sorts_bits = True

    def reduce(self, op: yarr.ReduceOp) -> None:
        """``lax.stop_gradient(x.max(axis=1, initial=-jnp.inf))`` of one that only shifts exponents.

        The derivative of an extreme reads all elements again, here for zeros. Sums of rows are
        those of a helper.
        """
        element, axes = yarr.element_of(op.array), list(op.axes)
        is_float = isa(element, AnyFloat)
        is_of_rows = axes == list(range(len(axes))) and len(axes) < yarr.rank_of(op.array)
        if op.combine == arith.AddfOp.name and element in (f32, f64) and is_of_rows:
            arguments = self.array(op.array), self.build.literal(len(axes))
            self.bind(op.result, self.build.helper("jnp.sum_rows", *arguments, type=op.result.type))
            return
        super().reduce(op)
        if is_float and op.combine in _EXTREME and is_only_a_shift(op):
            extreme = self.value(op.result)
            self.bind(op.result, self.build.call("lax.stop_gradient", extreme, type=op.result.type))

    def sort(self, op: yarr.SortOp) -> None:
        """``sort_elements(a, 1)``; with the most elements to exchange if one of them is read."""
        user = op.result.get_user_of_unique_use()
        if (
            isinstance(user, yarr.TakeOp)
            and user.axis == op.axis
            and not yarr.rank_of(user.position)
        ):
            axis, most = map(self.build.literal, (op.axis.value.data, MOST_EXCHANGED))
            found = self.build.helper(
                "jnp.sort_elements", self.array(op.array), axis, most, type=op.result.type
            )
            self.bind(op.result, found)
        else:
            super().sort(op)

    def inclusive_scan(self, op: yarr.ScanOp) -> SSAValue:
        """A helper around ``lax.cumsum``."""
        kind, _ = self.combining_function(op)
        axis, suffixes = op.axis.value.data, op.suffixes is not None
        arguments = kind, self.array(op.array), *map(self.build.literal, (axis, suffixes))
        return self.build.helper(self.name("accumulate"), *arguments, type=op.result.type)

    def segments(self, op: yarr.AccumulateOp) -> SSAValue:
        """The keys themselves."""
        return self.build.tuple([self.array(key) for key in op.keys])

    def accumulation_helper(self, op: yarr.AccumulateOp) -> str:
        """Products of Floats have derivatives."""
        if op.kind.data == "mul" and isa(yarr.element_of(op.array), AnyFloat):
            return "multiply_at"
        return super().accumulation_helper(op)

    def combining_function(self, op: Combination) -> Sequence[SSAValue]:
        """The name of a kind in JAX; Bools are combined by minimum and maximum."""
        if combines_bits(op.combine, yarr.element_of(op.array)):
            return self.build.literal(BITWISE[op.combine]), self.neutral(op)
        names = {"and": "min", "or": "max"}
        kind = op.kind.data
        return self.build.literal(names.get(kind, kind)), self.neutral(op)
