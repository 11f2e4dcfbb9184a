"""Sequential folds, and loops that end by a condition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import I64, TupleType, UnitAttr, i1, i64
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

from ein_mlir.analysis.arithmetic import MOST, Range
from ein_mlir.analysis.arithmetic.scalars import RangeOf, indices_below
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.diagnostics import index_name
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.operation import Canonical, op_definition
from ein_mlir.dialects.phi.assembly import Iteration
from ein_mlir.dialects.phi.base import LoopOp
from ein_mlir.dialects.phi.indexing import UpdateOp
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.dialects.phi.interface import Flow, Path
from ein_mlir.dialects.phi.records import ProjOp, TupleOp
from ein_mlir.dialects.phi.types import VALUE, has_arrays, is_scalar_type


class CountedOp(LoopOp):
    """A loop that counts its steps and carries one value: a count, and the initial value."""

    BINDS_OPERANDS: ClassVar = True

    @property
    def counter(self) -> BlockArgument:
        """The number of the step, from 0."""
        return self.regions[0].first_block.args[0]  # pyright: ignore[reportOptionalMemberAccess]

    @property
    def accumulator(self) -> BlockArgument:
        """The carried value."""
        return self.regions[0].first_block.args[1]  # pyright: ignore[reportOptionalMemberAccess]

    @property
    def start(self) -> SSAValue:
        return self._operands[1]

    def counters(self) -> Sequence[BlockArgument]:
        return (self.counter,)

    def variables(self) -> Sequence[BlockArgument]:
        return (self.accumulator,)

    def range_of(self, value: SSAValue, range_of: RangeOf) -> Range | None:
        return indices_below(range_of(self._operands[0])) if value is self.counter else None

    def limit(self, value: SSAValue) -> SSAValue | None:
        return self.operands[0] if value is self.counter else None


@op_definition
class FoldOp(CountedOp):
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
        """A fold of another body over the same steps, with the same attributes."""
        fold = FoldOp(self.count, init, body, irregular=self.irregular is not None)
        fold.attributes.update(self.attributes)
        return fold

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

    def verify_(self) -> None:
        self.verify_body((i64, self.init.type), self.init.type)


@op_definition
class WhileOp(CountedOp):
    """A fold that ends as soon as a condition fails: field 0 of the accumulator, a Bool.

    A step runs if that field of the accumulator before it is true and the counter is below the
    limit. The arrays of the accumulator keep their sizes. A negative limit is an error.

    The condition may depend on the indices of comprehensions around the loop: then each element
    takes its own number of steps. The limit may not. That of a ``counted`` loop is the count of a
    fold that it replaces, and messages call it so.

    Example:
    ```mlir
    %r = phi.while (%k < %limit, %acc = %init) -> tuple<i1, f64> {
      %x = phi.proj %acc, 1 : tuple<i1, f64> -> f64
      %next = math.sqrt %x : f64
      %more = arith.cmpf ogt, %next, %two : f64
      %after = phi.tuple (%more, %next) : tuple<i1, f64>
      phi.yield %after : tuple<i1, f64>
    }
    ```
    """

    name = "phi.while"

    T: ClassVar = VarConstraint("type of the accumulator", VALUE)

    count = operand_def(I64)
    init = operand_def(T)
    result = result_def(T)
    body = region_def("single_block")
    counted = opt_prop_def(UnitAttr)

    traits = traits_def(RecursiveMemoryEffect(), Canonical())

    custom_directives = (Iteration,)
    assembly_format = (
        "(`counted` $counted^)? custom<Iteration>($count, $init, type($result), $body) attr-dict"
    )

    def __init__(
        self,
        count: SSAValue | Operation,
        init: SSAValue | Operation,
        body: Region,
        *,
        counted: bool = False,
    ):
        super().__init__(
            operands=[count, init],
            result_types=[SSAValue.get(init).type],
            regions=[body],
            properties={"counted": UnitAttr() if counted else None},
        )

    def again(self, init: SSAValue | Operation, body: Region) -> WhileOp:
        """A loop of another body with the same limit and attributes."""
        loop = WhileOp(self.count, init, body, counted=self.counted is not None)
        loop.attributes.update(self.attributes)
        return loop

    def is_unlimited(self) -> bool:
        """Whether only the condition ends it: its limit is a number of steps that no run has."""
        limit = known_int(self.count)
        return limit is not None and limit >= MOST

    def size_or_count(self, operand: int) -> str | None:
        noun = "limit" if self.counted is None else "count"
        return f"the {noun} of {index_name(self.counter)}" if operand == 0 else None

    @property
    def limit_name(self) -> str:
        """The limit in messages, before the name of the counter."""
        return "limit of" if self.counted is None else "size of index"

    def flow_of_step(self) -> Iterable[Flow]:
        """The flows of a step; the condition decides which step's value each field has."""
        targets = self.result, self.accumulator
        condition: Path = (0,)
        return [
            *(Flow(target) for target in targets),
            *(Flow(target, taken=condition, mixed=True) for target in targets),
        ]

    def may_fail(self) -> bool:
        """Whether the limit may be negative, or an array of the accumulator change its sizes."""
        return not is_nonnegative(self.count) or (
            has_arrays(self.init.type) and not self._keeps_sizes()
        )

    def _keeps_sizes(self) -> bool:
        """Whether a step carries each array on, apart from elements that it updates."""
        step = self.yielded().owner
        return isinstance(step, TupleOp) and all(
            not has_arrays(value.type) or self._is_carried(number, value)
            for number, value in enumerate(step.fields)
        )

    def _is_carried(self, number: int, value: SSAValue) -> bool:
        while isinstance(value.owner, UpdateOp) and is_scalar_type(value.owner.value.type):
            value = value.owner.array
        field = value.owner
        return isinstance(field, ProjOp) and (field.record, field.field.value.data) == (
            self.accumulator,
            number,
        )

    def verify_(self) -> None:
        type_ = self.init.type
        if not isa(type_, TupleType) or not type_.types.data or type_.types.data[0] != i1:
            raise self.fail(
                f"the accumulator must be a record whose field 0 is an i1, not a '{type_}'"
            )
        self.verify_body((i64, type_), type_)
