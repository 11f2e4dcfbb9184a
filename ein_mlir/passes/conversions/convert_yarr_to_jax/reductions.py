"""Prefixes and segments."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from ein_mlir.dialects import yarr
from ein_mlir.rewriting.yarr_to_emitpy.numpy_api import NumpyApiLowering
from ein_mlir.rewriting.yarr_to_emitpy.rules import Combination


class JaxReductions(NumpyApiLowering):
    """Rules that call helpers with the names of combinations."""

    def inclusive_scan(self, op: yarr.ScanOp) -> SSAValue:
        """A helper around ``lax.cumsum``."""
        kind, _ = self.combining_function(op)
        axis, suffixes = op.axis.value.data, op.suffixes is not None
        arguments = kind, self.array(op.array), *map(self.build.literal, (axis, suffixes))
        return self.build.helper(self.name("accumulate"), *arguments, type=op.result.type)

    def segments(self, op: yarr.AccumulateOp) -> SSAValue:
        """The keys themselves."""
        return self.build.tuple([self.array(key) for key in op.keys])

    def combining_function(self, op: Combination) -> Sequence[SSAValue]:
        """The name of a kind in JAX; Bools are combined by minimum and maximum."""
        names = {"and": "min", "or": "max"}
        kind = op.kind.data
        return self.build.literal(names.get(kind, kind)), self.neutral(op)
