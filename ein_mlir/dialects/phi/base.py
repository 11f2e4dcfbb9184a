"""The base classes of operations with a body."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.irdl import operand_def, traits_def
from xdsl.traits import IsTerminator, Pure

from ein_mlir.dialects.operation import EndsBody, op_definition
from ein_mlir.dialects.phi.interface import Flow, OnRecords, Path, PhiOp, Term
from ein_mlir.dialects.phi.types import VALUE, listed


class BodyOp(PhiOp):
    """A comprehension, a fold or a reduction: its body ends in ``phi.yield``."""

    ON_RECORDS: ClassVar = OnRecords.WHOLE

    def yielded(self) -> SSAValue:
        """The value that the body yields."""
        terminator = self.regions[0].first_block.last_op  # pyright: ignore[reportOptionalMemberAccess]
        assert isinstance(terminator, YieldOp)
        return terminator.value

    def yield_instead(self, value: SSAValue) -> None:
        """Let the body yield another value."""
        terminator = self.regions[0].block.last_op
        assert isinstance(terminator, YieldOp)
        terminator.operands[0] = value

    @abstractmethod
    def flow_of_step(self) -> Iterable[Flow]:
        """The flows from the yielded value of the body."""

    def verify_body(self, expected: Sequence[Attribute], result: Attribute) -> None:
        block = self.regions[0].block
        types = tuple(arg.type for arg in block.args)
        if types != tuple(expected):
            raise self.fail(f"the body must take ({listed(expected)}), not ({listed(types)})")
        if not isinstance(block.last_op, YieldOp):
            raise self.fail("the body must end in phi.yield")
        if block.last_op.value.type != result:
            raise self.fail(
                f"the body must yield '{result}', but yields '{block.last_op.value.type}'"
            )


class LoopOp(BodyOp):
    """A fold or a reduction: its body runs any number of times, also none, and carries a value.

    The result is the initial value or the value of a step, and so are the accumulators in the body.
    """

    @property
    @abstractmethod
    def start(self) -> SSAValue:
        """The result if the body never runs."""

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """None: the proof that a step keeps a size is up to an analysis."""

    def flow(self, operand: int) -> Iterable[Flow]:
        """The flows from the initial value and the reduced value; none from a count."""
        return () if self.size_or_count(operand) is not None else self.flow_of_step()

    def flow_of_step(self) -> Iterable[Flow]:
        return [Flow(target) for target in (*self.results, *self.variables())]

    @abstractmethod
    def variables(self) -> Sequence[BlockArgument]: ...


BODIES = "phi.accumulate, phi.array, phi.fold, phi.reduce and phi.while"


@op_definition
class YieldOp(PhiOp):
    """The terminator of a body: it yields an element, the next accumulator or a combination.

    Example:
    ```mlir
    phi.yield %x : f64
    ```
    """

    name = "phi.yield"

    ON_RECORDS: ClassVar = OnRecords.WHOLE

    value = operand_def(VALUE)

    traits = traits_def(IsTerminator(), Pure(), EndsBody(BodyOp, BODIES))

    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue | Operation):
        super().__init__(operands=[value])

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """None: it has no result."""

    def flow(self, operand: int) -> Iterable[Flow]:
        parent = self.parent_op()
        return parent.flow_of_step() if isinstance(parent, BodyOp) else ()

    def may_fail(self) -> bool:
        return False
