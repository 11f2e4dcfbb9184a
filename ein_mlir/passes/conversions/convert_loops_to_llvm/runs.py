"""Loops that fill or copy neighbouring elements, as calls that set or copy memory.

::

    scf.for %j = %low to %high step %one {
      memref.store %zero, %a[%i, %j] : memref<?x?xf64>
    }

is ``llvm.memset(address of %a[%i, %low], 0, (%high - %low) * 8)``. LLVM finds such loops too, after
it has spent more time on each than on all the code around it. Other values of 64 bits have a
function of the runtime.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations

from xdsl.dialects import arith, llvm, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    i1,
    i8,
    i64,
)
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.loops.memory_roots import are_apart, share_no_memory
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.backends.native import abi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import known_integer
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import Conversion, is_row_major
from ein_mlir.passes.conversions.convert_loops_to_llvm.interrupts import depth_of
from ein_mlir.passes.conversions.convert_loops_to_llvm.memory import address
from ein_mlir.passes.conversions.convert_loops_to_llvm.nests import loops

_ARITHMETIC = (arith.AddiOp, arith.SubiOp, arith.MuliOp)
_SCALAR = (arith.ConstantOp, arith.IndexCastOp, memref.DimOp, *_ARITHMETIC)
"""The operations on positions: any of them may be computed where the loop has no steps."""
_OPERATIONS = frozenset((memref.LoadOp, memref.StoreOp, *_SCALAR))


@dataclass(frozen=True)
class Run:
    """The operations of a loop of which neighbouring steps write neighbouring elements."""

    positions: Sequence[Operation]
    """The operations that compute positions."""
    stores: Sequence[memref.StoreOp]
    """Each stores the same value in each step, or a loaded element."""


def run_of(op: scf.ForOp | scf.ParallelOp) -> Run | None:
    """The fill or copy along the innermost counter of a loop or nest; None if it does more."""
    body, bounds = op.body.block, op.operands
    if op.results or not isinstance(bounds[-1].type, IndexType) or known_int(bounds[-1]) != 1:
        return None
    *inner, _ = body.ops
    if not all(type(each) in _OPERATIONS for each in inner):  # most loops: the first one tells
        return None
    stores = [each for each in inner if isinstance(each, memref.StoreOp)]
    loads = [each for each in inner if isinstance(each, memref.LoadOp)]
    positions = [each for each in inner if isinstance(each, _SCALAR)]
    if not stores:
        return None
    if any(value.owner in loads for each in positions for value in each.operands):
        return None
    varying = _varying(body.args[-1], inner)
    if not all(_follows(each, body.args[-1], varying) for each in (*stores, *loads)):
        return None
    is_long = abi.FEW_STEPS not in op.attributes
    is_written = all(
        each.value.owner in loads
        or byte_of(each.value) is not None
        or (is_long and _is_filled(each, varying))
        for each in stores
    )
    return Run(positions, stores) if is_written and _are_independent(stores, loads) else None


def _is_filled(store: memref.StoreOp, varying: set[SSAValue]) -> bool:
    """Whether a loop sets memory to one value, for which the runtime has a function."""
    type_ = store.memref.type
    assert isa(type_, MemRefType)
    is_wide = isinstance(type_.element_type, Float64Type) or type_.element_type == i64
    return is_wide and store.value not in varying and DYNAMIC_INDEX in type_.get_shape()


def _varying(counter: SSAValue, body: Sequence[Operation]) -> set[SSAValue]:
    """The values of a body that may vary with a counter."""
    found = {counter}
    for op in body:
        if not found.isdisjoint(op.operands):
            found.update(op.results)
    return found


def _follows(op: memref.LoadOp | memref.StoreOp, counter: SSAValue, varying: set[SSAValue]) -> bool:
    """Whether an access goes to the next element in memory when a counter takes a step."""
    type_, (*others, last) = op.memref.type, op.indices or (None,)
    return (
        last is not None
        and isa(type_, MemRefType)
        and is_row_major(type_)
        and varying.isdisjoint(others)
        and op.memref not in varying
        and _steps_with(last, counter, varying)
    )


def _steps_with(position: SSAValue, counter: SSAValue, varying: set[SSAValue]) -> bool:
    """Whether a position grows by one with a counter: it is the counter plus what stays."""
    if position is counter:
        return True
    match position.owner:
        case arith.AddiOp() as op:
            terms = [each for each in op.operands if each in varying]
            return len(terms) == 1 and _steps_with(terms[0], counter, varying)
        case arith.SubiOp() as op:
            return op.rhs not in varying and _steps_with(op.lhs, counter, varying)
        case _:
            return False


def _are_independent(stores: Sequence[memref.StoreOp], loads: Sequence[memref.LoadOp]) -> bool:
    """Whether no element that one store writes is read, or written by another."""
    written = [each.memref for each in stores]
    return all(share_no_memory(a, b) for a, b in combinations(written, 2)) and are_apart(
        written, [load.memref for load in loads]
    )


def byte_of(value: SSAValue) -> int | None:
    """The byte that all bytes of a constant are in memory."""
    owner = value.owner
    number = owner.value if isinstance(owner, arith.ConstantOp) else None
    if isa(number, FloatAttr):
        is_zero = number.value.data == 0 and math.copysign(1, number.value.data) > 0
        return 0 if is_zero else None
    if not isa(number, IntegerAttr):
        return None
    known = number.value.data
    if number.type == i1:
        return known & 1
    return known & 0xFF if number.type == i8 or known in (0, -1) else None


def runs_in(op: Operation) -> Sequence[bool]:
    """For each loop in an operation whether it fills or copies: where it does depends on arrays."""
    return [
        run_of(each) is not None
        for each in operations_in(op)
        if type(each) is scf.ForOp or type(each) is scf.ParallelOp
    ]


def write(c: Conversion, run: Run, steps: SSAValue) -> None:
    """Do what a loop does in some steps; its counters have the values of the first."""
    build = c.build
    for op in run.positions:
        c.rules[type(op)](c, op)
    for store in run.stores:
        target, load = c.memref(store.memref), store.value.owner
        to = address(c, target, [*map(c.scalar, store.indices)])
        size, volatile = build.product(steps, build.integer(target.width)), build.integer(0, i1)
        if isinstance(load, memref.LoadOp) and load.parent is store.parent:
            source = address(c, c.memref(load.memref), [*map(c.scalar, load.indices)])
            build.run("llvm.memcpy.p0.p0.i64", (to, source, size, volatile))
        elif (byte := byte_of(store.value)) is not None:
            build.run("llvm.memset.p0.i64", (to, build.integer(byte, i8), size, volatile))
        else:
            value = c.scalar(store.value)
            bits = value if value.type == i64 else build.add(llvm.BitcastOp, (value,), i64)
            c.library(abi.FILL, (to, bits, steps))


def nest_of(
    c: Conversion,
    op: scf.ParallelOp,
    bounds: Sequence[tuple[SSAValue, SSAValue, SSAValue]],
    positions: Callable[[Sequence[SSAValue]], Sequence[SSAValue]],
) -> None:
    """The loops of a nest with some bounds, given the values of its counters at some steps."""
    body, run = op.body.block, run_of(op)
    if run is None:

        def step(indices: Sequence[SSAValue]) -> None:
            c.bind_parts(body.args, positions(indices))
            c.run(body)

        few_steps, is_costly = (flag in op.attributes for flag in (abi.FEW_STEPS, abi.COSTLY))
        depth = depth_of(op.body)
        loops(c, bounds, step, depth=depth, few_steps=few_steps, is_costly=is_costly)
        return
    *outer, (first, last, _) = bounds
    steps = c.build.nonnegative(c.build.difference(last, first))

    def row(indices: Sequence[SSAValue]) -> None:
        c.bind_parts(body.args, positions((*indices, first)))
        write(c, run, steps)

    loops(c, outer, row, depth=int(known_integer(steps) is None))
