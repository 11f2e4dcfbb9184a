"""Sequential folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, i64
from xdsl.ir import BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    VarConstraint,
    operand_def,
    region_def,
    result_def,
    traits_def,
)
from xdsl.traits import RecursiveMemoryEffect

from ein_mlir.analysis.arithmetic import Range
from ein_mlir.analysis.arithmetic.integers import RangeOf, indices_below
from ein_mlir.analysis.diagnostics import index_name
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.phi.assembly import Iteration
from ein_mlir.dialects.phi.base import LoopOp
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.dialects.phi.types import VALUE


@op_definition
class FoldOp(LoopOp):
    """Indexed fold: ``%acc`` starts as the initial value and becomes the body's value, count times.

    The counter ``%k`` runs from 0 to count-1 and is an Int variable, not an index. The accumulator
    may have any type, the same before and after a step. A negative count is an error.

    Example:
    ```mlir
    %sum = phi.fold (%k < %n, %acc = %zero) -> f64 {
      %x = phi.get %a[%k] : !phi.vec<f64>[i64]
      %next = arith.addf %acc, %x : f64
      phi.yield %next : f64
    }
    ```
    """

    name = "phi.fold"

    BINDS_OPERANDS: ClassVar = True

    T: ClassVar = VarConstraint("type of the accumulator", VALUE)

    count = operand_def(I64)
    init = operand_def(T)
    result = result_def(T)
    body = region_def("single_block")

    traits = traits_def(RecursiveMemoryEffect(), Canonical())

    custom_directives = (Iteration,)
    assembly_format = "custom<Iteration>($count, $init, type($result), $body) attr-dict"

    def __init__(self, count: SSAValue | Operation, init: SSAValue | Operation, body: Region):
        super().__init__(
            operands=[count, init], result_types=[SSAValue.get(init).type], regions=[body]
        )

    @property
    def counter(self) -> BlockArgument:
        """The number of the step, from 0."""
        return self.body.block.args[0]

    @property
    def accumulator(self) -> BlockArgument:
        """The carried value."""
        return self.body.block.args[1]

    @property
    def start(self) -> SSAValue:
        return self.init

    def counters(self) -> Sequence[BlockArgument]:
        return (self.counter,)

    def variables(self) -> Sequence[BlockArgument]:
        return (self.accumulator,)

    def size_or_count(self, operand: int) -> str | None:
        return f"the count of {index_name(self.counter)}" if operand == 0 else None

    def may_fail(self) -> bool:
        return not is_nonnegative(self.count)

    def range_of(self, value: SSAValue, range_of: RangeOf) -> Range | None:
        return indices_below(range_of(self.count)) if value is self.counter else None

    def limit(self, value: SSAValue) -> SSAValue | None:
        return self.count if value is self.counter else None

    def verify_(self) -> None:
        self.verify_body((i64, self.init.type), self.init.type)
