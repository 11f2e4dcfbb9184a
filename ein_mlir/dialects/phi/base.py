"""What the operations with a body share."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, traits_def
from xdsl.traits import IsTerminator, Pure

from ein_mlir.dialects.operation import EinOp, EndsBody
from ein_mlir.dialects.phi.types import VALUE, listed


class BodyOp(EinOp):
    """A comprehension, a fold or a reduction: its body ends in ``phi.yield``."""

    def yielded(self) -> SSAValue:
        """The value that the body yields."""
        terminator = self.regions[0].block.last_op
        assert isinstance(terminator, YieldOp)
        return terminator.value

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


BODIES = "phi.array, phi.fold and phi.reduce"


@irdl_op_definition
class YieldOp(EinOp):
    """Ends a body: the element of a comprehension, the next accumulator, the combined value.

    Example:
    ```mlir
    phi.yield %x : f64
    ```
    """

    name = "phi.yield"

    value = operand_def(VALUE)

    traits = traits_def(IsTerminator(), Pure(), EndsBody(BodyOp, BODIES))

    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue | Operation):
        super().__init__(operands=[value])
