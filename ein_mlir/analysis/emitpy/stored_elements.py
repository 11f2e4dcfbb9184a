"""The arrays whose elements a loop of emitpy reads and stores, and their elements before it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import SSAValue

from ein_mlir.analysis.arithmetic.ranges import SIZES, Range
from ein_mlir.analysis.emitpy.shared_memory import Memory, array_before
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import emitpy
from ein_mlir.host.dataclass import dataclass


def unfilled(array: SSAValue) -> SSAValue:
    """The ``a`` of ``fill_empty(a, 0)``"""
    op = array.owner
    if not isinstance(op, emitpy.HelperOp) or op.callee.data != "np.fill_empty":
        return array
    return op.operands[0] if op.operands[0].type == array.type else array


def stores_of(loop: emitpy.ForOp) -> dict[SSAValue, list[emitpy.StoreOp]]:
    """The arrays from before a loop that its steps write, each with the stores."""
    found = dict[SSAValue, list[emitpy.StoreOp]]()
    for op in operations_in(loop):
        if isinstance(op, emitpy.StoreOp):
            found.setdefault(array_before(loop, op.target), []).append(op)
    return found


@dataclass(frozen=True)
class Stored:
    """The range of the Ints of an array before a loop, and what its steps store."""

    first: Range
    values: Sequence[SSAValue]


def stores_to_made_arrays(loop: emitpy.ForOp) -> dict[SSAValue, Stored]:
    """The arrays of Ints that a call has made before a loop and only its stores of Ints change."""
    if any(isinstance(op, emitpy.AugmentOp | emitpy.CallIntoOp) for op in operations_in(loop)):
        return {}
    found, memory, stores = dict[SSAValue, Stored](), Memory(), stores_of(loop)
    for array, ops in stores.items():
        first = _range_of_made(array)
        others = stores.keys() - {array}
        if (
            first is not None
            and isa(array.type, TensorType)
            and array.type.element_type == i64
            and all(memory.roots(array).isdisjoint(memory.roots(other)) for other in others)
        ):
            found[array] = Stored(first, [op.value for op in ops])
    return found


def _range_of_made(array: SSAValue) -> Range | None:
    """The range of the Ints of an array that a call has made: positions, or one number."""
    match array.owner:
        case emitpy.CallOp(callee=callee) if callee.data == "np.zeros":
            return Range.of(0)
        case emitpy.CallOp(callee=callee) if callee.data == "np.ones":
            return Range.of(1)
        case emitpy.CallOp(callee=callee) as op if callee.data == "np.arange":
            return SIZES if len(op.positional) == 1 else None
        case emitpy.CallOp(callee=callee) as op if callee.data == "np.full":
            number = emitpy.literal_data(op.positional[1])
            return Range.of(number) if isinstance(number, int) else None
        case _:
            return None
