"""The state of a linearisation: tangents of values, and the helpers of the rules of operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.scopes import operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of_region
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.derivatives.residuals import share_costly
from ein_mlir.rewriting.phi.insertion import Builder, Inserter

Leaf: TypeAlias = tuple[SSAValue, int]
"""A value, or a field of a record, by its number."""

Tangents: TypeAlias = Sequence[SSAValue | None]
"""The tangent of each leaf of a value; None is zero."""


class NoDerivativeError(PassFailedException):
    """An operation has no derivative."""

    def __init__(self, op: Operation, reason: str):
        super().__init__(f"{op.name}: {reason}{where_written(op)}")


def is_differentiable(type_: Attribute) -> bool:
    """Whether a leaf of a type has a tangent: a Float, or an array of them."""
    return isa(phi.scalar_of(type_), AnyFloat)


def zeros(build: Inserter, like: SSAValue) -> SSAValue:
    """Zero, or an array of zeros with the sizes of another."""
    scalar = phi.scalar_of(like.type)
    if not phi.rank_of(like.type):
        return build.number(0.0, scalar)
    return build.zeros(build.sizes_of(like), scalar)


def at_end(block: Block) -> Builder:
    """A builder before the terminator of a block."""
    last = block.last_op
    is_terminated = isinstance(last, phi.YieldOp)
    return Builder(InsertPoint.before(last) if is_terminated else InsertPoint.at_end(block))


@dataclass
class Linearization:
    """Linearises one block after the other; ``tangents`` grows with them."""

    rule: Callable[[Operation], Rule]
    """The rule of an operation."""
    saves: bool
    tangents: dict[SSAValue, Tangents] = field(default_factory=dict[SSAValue, Tangents])
    linear: set[SSAValue] = field(default_factory=set[SSAValue])
    """The tangents, and linear values that they are computed by."""
    checkpoint: int | None = None
    """The bytes above which the values that a loop saves are computed again; None for never."""

    def block(self, block: Block, build: Inserter | None = None) -> None:
        """Add linear operations for those of a block: each after its original, or at a place."""
        for op in list(block.ops):
            if self._is_active(op):
                self.rule(op)(self, op, Builder.after(op) if build is None else build)

    def of(self, value: SSAValue) -> Tangents:
        """The tangents of a value."""
        found = self.tangents.get(value)
        return (None,) * len(leaf_types(value.type)) if found is None else found

    def of_yielded(self, block: Block) -> Tangents:
        """The tangents of the value that a body yields."""
        terminator = phi.YieldOp.of(block.last_op)
        return self.of(terminator.value)

    def define(self, value: SSAValue, tangents: Tangents) -> None:
        """Set the tangents of a value."""
        found = [tangent for tangent in tangents if tangent is not None]
        if found:
            self.tangents[value] = tangents
            self.linear.update(found)

    def _is_active(self, op: Operation) -> bool:
        """Whether a result of an operation may have a tangent."""
        return not isinstance(op, phi.YieldOp) and (
            any(operand in self.tangents for operand in operands_within(op))
            if op.regions
            else any(operand in self.tangents for operand in op.operands)
        )


Rule: TypeAlias = Callable[[Linearization, Any, Inserter], None]
"""Defines the tangents of the result of an operation, by linear operations."""


def linear_body(lin: Linearization, op: phi.ComprehensionOp) -> Tangents | None:
    """The tangents that a body yields after linear operations are added to it, if there are any."""
    block = op.body.block
    lin.block(block)
    tangents = lin.of_yielded(block)
    found = [tangent for tangent in tangents if tangent is not None]
    if found:
        share_costly(op, found, lin.linear)
        return tangents
    erase_unused(block)
    return None


def cloned(body: Region, values: Sequence[SSAValue]) -> tuple[Region, list[SSAValue]]:
    """A copy of a body, and of values in it."""
    known = dict[SSAValue, SSAValue]()
    return copy_of_region(body, known), [known.get(value, value) for value in values]


def yielded_value(block: Block) -> SSAValue:
    """The value that a body yields."""
    assert isinstance(block.last_op, phi.YieldOp)
    return block.last_op.value


def spread(lin: Linearization, value: SSAValue, like: Tangents, found: Sequence[SSAValue]) -> None:
    """Define the tangents of a value, where ``like`` has some."""
    rest = iter(found)
    lin.define(value, [None if each is None else next(rest) for each in like])


def set_yielded(block: Block, values: Sequence[SSAValue]) -> None:
    """Let a body yield other values, and compute only these."""
    last = block.last_op
    assert last is not None
    value = at_end(block).packed(values)
    Rewriter.replace_op(last, phi.YieldOp(value), ())
    erase_unused(block)


def of_size(build: Inserter, given: SSAValue, like: SSAValue, what: str) -> SSAValue:
    """A tangent or cotangent of a value, with an assertion that it has the sizes of the value."""
    sizes: list[SSAValue] = []
    for axis in range(phi.rank_of(like.type)):
        own, wanted = (build.insert(phi.SizeOp(each, axis)) for each in (given, like))
        message = f"{what}: size of the value along axis {axis}, size of the {what}"
        sizes.append(build.emit(phi.AssertEqOp(wanted, own, message)))

    def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
        return inner.get(given, indices)

    return build.comprehension(sizes, element) if sizes else given
