"""Loops of PyTorch programs whose steps do little work: calls or copies take most of their time.

Such a step does one of two things:

- It computes only scalars, and reads and updates elements of arrays. PyTorch takes microseconds for
  an operation on a tensor without axes, where Python takes a tenth of one.
- It replaces a part of an accumulator: an update, or arrays joined with a kept part whose extent
  varies from step to step. PyTorch returns a new array, and so copies all of it.

``a[:1]`` and ``a[-1:]`` around a computed interior are kept parts of fixed extents: the step
computes almost all of the array, and a copy costs little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType, bf16
from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.analysis.emitpy.extents import bounds_of_computed, leaves_of
from ein_mlir.analysis.emitpy.shared_memory import Memory
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.dialects.emitpy.base import rank_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.extents import Bounds

MOST_ELEMENTS = 16
"""The largest number of elements of an array that costs as much as a scalar."""


@dataclass(frozen=True)
class Steps:
    """What the steps of the loops of a PyTorch program do."""

    are_small: bool = False
    """Whether the steps of some loop do little work."""
    are_scalar: bool = False
    """Whether those of some loop compute scalars alone."""
    extents: tuple[Bounds, Bounds] | None = None
    """The bounds of the arrays that steps compute, and of others, if they are known."""

    @classmethod
    def of(cls, function: func.FuncOp) -> Steps:
        """Those of a function; the extents are known only if NumPy has all of its functions."""
        if _needs_torch(function):
            return cls()
        loops, memory = _loops(function), Memory()
        are_scalar = any(_is_on_scalars(loop, memory) for loop in loops)
        are_small = are_scalar or any(_replaces_part(loop, memory) for loop in loops)
        return cls(are_small, are_scalar, bounds_of_computed(function))


def loops_with_small_steps(function: func.FuncOp) -> Sequence[emitpy.ForOp]:
    """The loops of a PyTorch program whose steps do little work.

    Empty if the program calls functions that PyTorch alone has, such as convolutions: elsewhere
    they are slow.
    """
    loops, memory = _loops(function), Memory()
    if not loops or _needs_torch(function):
        return ()
    return [loop for loop in loops if _is_on_scalars(loop, memory) or _replaces_part(loop, memory)]


def _loops(function: func.FuncOp) -> Sequence[emitpy.ForOp]:
    return [op for op in operations_in(function) if isinstance(op, emitpy.ForOp)]


def _needs_torch(function: func.FuncOp) -> bool:
    """Whether a function calls some that PyTorch alone has."""
    return any(map(_is_special, operations_in(function)))


def _is_special(op: Operation) -> bool:
    """Whether an operation needs a function or a type that NumPy has no equal of."""
    if any(_is_bf16(value.type) for value in (*op.operands, *op.results)):
        return True
    callee = _callee(op)
    return callee == "torch.correlate" or callee.startswith("torch.nn.functional.")


def _is_bf16(type_: Attribute) -> bool:
    return isa(type_, TensorType) and type_.element_type == bf16


def _callee(op: Operation) -> str:
    return op.callee.data if isinstance(op, emitpy.CallOp | emitpy.HelperOp) else ""


def _is_update(op: Operation) -> bool:
    """Whether an operation replaces a part of an array, or puts a row into a list."""
    return isinstance(op, emitpy.StoreOp) or _callee(op) in ("torch.update", "torch.update_slice")


# Scalars


def _is_on_scalars(loop: emitpy.ForOp, memory: Memory) -> bool:
    """Whether the steps of a loop compute scalars, and no arrays."""
    results = [result for op in _inside(loop) for result in op.results]
    return any(map(_is_scalar, results)) and not any(_is_computed(v, memory) for v in results)


def _inside(loop: emitpy.ForOp) -> Iterator[Operation]:
    for op in loop.body.block.ops:
        yield from operations_in(op)


def _is_scalar(value: SSAValue) -> bool:
    """Whether a value is a tensor without axes that is computed, and not only read."""
    is_read = isinstance(value.owner, emitpy.SubscriptOp)
    return isa(value.type, TensorType) and not rank_of(value.type) and not is_read


def _is_computed(value: SSAValue, memory: Memory) -> bool:
    """Whether a value is an array that its operation fills with elements, of which many change."""
    op = value.owner
    if not rank_of(value.type) or _is_small(value.type) or isinstance(op, emitpy.ForOp):
        return False
    if isinstance(op, emitpy.SubscriptOp):
        return any(rank_of(index.type) and not _is_small(index.type) for index in op.indices)
    return isinstance(op, Operation) and not _is_update(op) and memory.is_fresh(value)


def _is_small(type_: Attribute) -> bool:
    """Whether an array is known to have few elements."""
    if not isa(type_, TensorType):
        return False
    shape = type_.get_shape()
    return all(size >= 0 for size in shape) and prod(shape) <= MOST_ELEMENTS


# Parts


def _replaces_part(loop: emitpy.ForOp, memory: Memory) -> bool:
    """Whether a step of a loop replaces a part of an accumulator."""
    varying = _varying(loop)
    return any(
        _is_update(op) or _keeps_part(op, loop, varying, memory) for op in loop.body.block.ops
    )


def _varying(loop: emitpy.ForOp) -> set[SSAValue]:
    """The numbers and slices of Python that depend on the counter of a loop."""
    found = set[SSAValue]((loop.counter,))
    for op in loop.body.block.ops:
        if not found.isdisjoint(op.operands):
            found.update(r for r in op.results if not isa(r.type, TensorType))
    return found


def _keeps_part(op: Operation, loop: emitpy.ForOp, varying: set[SSAValue], memory: Memory) -> bool:
    """Whether an operation joins arrays with a part of an accumulator, whose extent varies."""
    if _callee(op) not in ("torch.cat", "torch.joined"):
        return False
    return any(
        isinstance(leaf.owner, emitpy.SubscriptOp)
        and any(_is_slice(index) and index in varying for index in leaf.owner.indices)
        and not memory.roots(leaf).isdisjoint(loop.accumulators)
        for leaf in leaves_of(op.operands[:1])
    )


def _is_slice(value: SSAValue) -> bool:
    return isinstance(value.owner, emitpy.SliceOp)
