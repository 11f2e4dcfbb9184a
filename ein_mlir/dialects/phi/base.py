"""What the operations with a body share."""

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
        terminator = self.regions[0].block.last_op
        assert isinstance(terminator, YieldOp)
        return terminator.value

    @abstractmethod
    def flow_of_step(self) -> Iterable[Flow]:
        """What depends on the value that the body yields, and how."""

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
    """A fold or a reduction: its body runs any number of times, also none, and hands a value on.

    The result is what the loop starts with or what a step yields; so are the variables of the body
    that hold such a value.
    """

    @property
    @abstractmethod
    def start(self) -> SSAValue:
        """The result if the body never runs."""

    def size_of_result(self, path: Path, axis: int | None) -> Term | None:
        """Unknown: that a step keeps a size is for an analysis to prove."""

    def flow(self, operand: int) -> Iterable[Flow]:
        """What the loop starts with and what it reduces; a count depends on no index."""
        return () if self.size_or_count(operand) is not None else self.flow_of_step()

    def flow_of_step(self) -> Iterable[Flow]:
        return [Flow(target) for target in (*self.results, *self.variables())]

    @abstractmethod
    def variables(self) -> Sequence[BlockArgument]: ...


BODIES = "phi.array, phi.fold and phi.reduce"


@op_definition
class YieldOp(PhiOp):
    """Ends a body: the element of a comprehension, the next accumulator, the combined value.

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
