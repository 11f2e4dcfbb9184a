"""Sequential folds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, UnitAttr, i64
from xdsl.ir import BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    VarConstraint,
    operand_def,
    opt_prop_def,
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
from ein_mlir.dialects.phi.interface import Flow
from ein_mlir.dialects.phi.types import VALUE


@op_definition
class FoldOp(LoopOp):
    """Indexed fold: ``%acc`` starts as the initial value and becomes the body's value, count times.

    The counter ``%k`` runs from 0 to count-1 and is an Int variable, not an index. The accumulator
    may have any type, the same before and after a step. A negative count is an error.

    The count does not depend on the indices of comprehensions around the fold, so that whole arrays
    take each step together. That of an ``irregular`` fold may: it becomes a loop over memory.

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
    irregular = opt_prop_def(UnitAttr)

    traits = traits_def(RecursiveMemoryEffect(), Canonical())

    custom_directives = (Iteration,)
    assembly_format = (
        "(`irregular` $irregular^)? custom<Iteration>($count, $init, type($result), $body) "
        "attr-dict"
    )

    def __init__(
        self,
        count: SSAValue | Operation,
        init: SSAValue | Operation,
        body: Region,
        *,
        irregular: bool = False,
    ):
        super().__init__(
            operands=[count, init],
            result_types=[SSAValue.get(init).type],
            regions=[body],
            properties={"irregular": UnitAttr() if irregular else None},
        )

    def again(self, init: SSAValue | Operation, body: Region) -> FoldOp:
        """A fold of another body over the same steps."""
        return FoldOp(self.count, init, body, irregular=self.irregular is not None)

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
        is_count = operand == 0 and self.irregular is None
        return f"the count of {index_name(self.counter)}" if is_count else None

    def flow(self, operand: int) -> Iterable[Flow]:
        """The flows from the initial value; an irregular count decides which step's value it is."""
        if operand == 0 and self.irregular is not None:
            return [Flow(target, mixed=True) for target in (self.result, self.accumulator)]
        return super().flow(operand)

    def may_fail(self) -> bool:
        return not is_nonnegative(self.count)

    def range_of(self, value: SSAValue, range_of: RangeOf) -> Range | None:
        return indices_below(range_of(self.count)) if value is self.counter else None

    def limit(self, value: SSAValue) -> SSAValue | None:
        return self.count if value is self.counter else None

    def verify_(self) -> None:
        self.verify_body((i64, self.init.type), self.init.type)
