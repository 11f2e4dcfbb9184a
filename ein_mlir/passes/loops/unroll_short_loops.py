"""``unroll-short-loops``: elements of a short row, and triangles, are computed without a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.neighbours import has_scalar_loops, is_simple
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.passes import FunctionPass

MOST = 8
"""The most steps of a loop that is unrolled."""

MOST_OPERATIONS = 512
"""The most operations of all steps of a triangle."""


def short_loops(op: scf.ParallelOp) -> Sequence[scf.ParallelOp] | None:
    """The short loops in a body that has loops over scalars, and nothing else; None for others."""
    short, loops = list[scf.ParallelOp](), False
    for each in op.body.block.ops:
        if isinstance(each, scf.ParallelOp):
            if not _is_short(each):
                return None
            short.append(each)
        elif isinstance(each, scf.ForOp):
            loops = True
            if not _carries_scalars(each):
                return None
        elif not is_simple(each):
            return None
    return short if loops else None


def steps_of(op: scf.ParallelOp) -> Sequence[range] | None:
    """The steps along each axis of a loop, if they are known."""
    ranges = list[range]()
    for bounds in zip(op.lowerBound, op.upperBound, op.step, strict=True):
        known = [number for bound in bounds if (number := known_int(bound)) is not None]
        if len(known) < len(bounds):
            return None
        ranges.append(range(*known))
    return ranges


def _carries_scalars(op: scf.ForOp) -> bool:
    return has_scalar_loops(op) and not any(isinstance(v.type, MemRefType) for v in op.iter_args)


def _is_short(op: scf.ParallelOp) -> bool:
    steps = steps_of(op)
    is_short = steps is not None and prod(map(len, steps)) <= MOST
    return is_short and not op.initVals and all(map(is_simple, op.body.block.ops))


def unroll(op: scf.ParallelOp) -> None:
    """``scf.parallel (%k) = (0) to (2) { f(%k) }  -->  f(0); f(1)``"""
    build = Builder(InsertPoint.before(op))
    for counters in product(*(steps_of(op) or ())):
        constants = [build.insert(arith.ConstantOp(IntegerAttr(n, _INDEX))) for n in counters]
        values: dict[SSAValue, SSAValue] = dict(
            zip(op.body.block.args, (each.result for each in constants), strict=True)
        )
        for each in _steps(op):
            build.insert(copy_of(each, values))
    op.detach()
    op.erase()


def _steps(op: scf.ParallelOp) -> Sequence[Operation]:
    return [each for each in op.body.block.ops if not isinstance(each, scf.ReduceOp)]


_INDEX = IndexType()


# Triangles --------------------------------------------------------------------------------------


def is_triangle(op: scf.ForOp) -> bool:
    """Whether a loop of few steps has loops whose bounds vary with its counter alone."""
    steps, counter = _range_of(op), op.body.block.args[0]
    if steps is None or not 1 < len(steps) <= MOST:
        return False
    inner = [each for each in operations_in(op) if each is not op]
    bounds = [bound for each in inner for bound in _bounds(each) if known_int(bound) is None]
    return (
        any(is_within(bound, op) for bound in bounds)
        and all(_is_function_of(bound, counter) for bound in bounds)
        and len(steps) * len(inner) <= MOST_OPERATIONS
    )


def _range_of(op: scf.ForOp) -> range | None:
    """The counters of the steps of a loop, if they are known."""
    known = [
        number for bound in (op.lb, op.ub, op.step) if (number := known_int(bound)) is not None
    ]
    return range(*known) if len(known) == 3 else None


def _bounds(op: Operation) -> Sequence[SSAValue]:
    """The bounds of a loop; a loop until a condition fails has none that is known."""
    match op:
        case scf.ForOp():
            return op.lb, op.ub, op.step
        case scf.ParallelOp():
            return *op.lowerBound, *op.upperBound, *op.step
        case scf.WhileOp():
            return op.results
        case _:
            return ()


def _is_function_of(value: SSAValue, counter: SSAValue) -> bool:
    """Whether an integer is computed from a counter and constants."""
    if value is counter or known_int(value) is not None:
        return True
    op = value.owner
    if not isinstance(op, Operation) or type(op) not in _FUNCTIONS:
        return False
    return all(_is_function_of(operand, counter) for operand in op.operands)


def unroll_triangle(op: scf.ForOp) -> None:
    """``scf.for %k = 0 to 2 { scf.for %t = 0 to %k { .. } }``, as a copy of the body for each k."""
    build, last = Builder(InsertPoint.before(op)), op.body.block.last_op
    assert last is not None
    carried = list[SSAValue](op.iter_args)
    for number in _range_of(op) or ():
        counter = build.insert(arith.ConstantOp(IntegerAttr(number, _INDEX))).result
        values = dict[SSAValue, SSAValue](zip(op.body.block.args, (counter, *carried), strict=True))
        copies = [copy_of(each, values) for each in op.body.block.ops if each is not last]
        for each in copies:
            build.insert(each)
        for each in (inner for copy in copies for inner in operations_in(copy)):
            _fold_bounds(each)
        unroll_triangles(each for each in copies)
        carried = [values.get(value, value) for value in last.operands]
    Rewriter.replace_op(op, (), carried)


def _fold_bounds(op: Operation) -> None:
    """Compute the bounds of a loop that are functions of constants."""
    for place, bound in enumerate(op.operands):
        if bound in _bounds(op) and known_int(bound) is None:
            constant = arith.ConstantOp(IntegerAttr(_number(bound), _INDEX))
            Rewriter.insert_op(constant, InsertPoint.before(op))
            op.operands[place] = constant.result


def _number(value: SSAValue) -> int:
    """The number of a function of constants."""
    known = known_int(value)
    if known is not None:
        return known
    op = value.owner
    assert isinstance(op, Operation)
    number = _FUNCTIONS[type(op)](*map(_number, op.operands))
    return (number + 2**63) % 2**64 - 2**63


_FUNCTIONS: Mapping[type[Operation], Callable[..., int]] = {
    arith.IndexCastOp: int,
    arith.AddiOp: int.__add__,
    arith.SubiOp: int.__sub__,
    arith.MaxSIOp: max,
    arith.MinSIOp: min,
}
"""Functions of Ints, before they wrap."""


def unroll_triangles(ops: Iterable[Operation]) -> None:
    """Unroll the triangles among some operations and in their bodies, outermost first."""
    for op in ops:
        if isinstance(op, scf.ForOp) and is_triangle(op):
            unroll_triangle(op)
        else:
            for region in op.regions:
                for block in region.blocks:
                    unroll_triangles(list(block.ops))


class UnrollShortLoopsPass(FunctionPass):
    """Computes the elements of a short row one after the other, if loops compute what they need.

    Before::

        "scf.parallel"(%zero, %n, %one) ({
        ^bb0(%i: index):
          %x, %y = scf.for %t = %zero to %steps step %one iter_args(%u = .., %v = ..) { .. }
          "scf.parallel"(%zero, %two, %one) ({
          ^bb0(%k: index):
            %is_first = arith.cmpi eq, %k, %zero : index
            %element = arith.select %is_first, %x, %y : f64
            memref.store %element, %rows[%i, %k] : memref<?x2xf64>
          ..

    After::

          %x, %y = scf.for %t = %zero to %steps step %one iter_args(%u = .., %v = ..) { .. }
          %is_first = arith.cmpi eq, %zero, %zero : index
          %element = arith.select %is_first, %x, %y : f64
          memref.store %element, %rows[%i, %zero] : memref<?x2xf64>
          ..

    Then the body has loops and scalars alone, and `interchange-loops` runs it for a block of
    results. Other bodies stay: LLVM unrolls such loops, too.

    It unrolls inner loops first, whose counts must be known. So a loop of few steps is unrolled
    here if bounds of loops in it depend on its counter. Before::

        %x = scf.for %k = %zero to %two step %one iter_args(%u = %a) -> (f64) {
          %y = scf.for %t = %zero to %k step %one iter_args(%v = %u) -> (f64) { .. }
          scf.yield %y : f64
        }

    After::

        %y = scf.for %t = %zero to %zero step %one iter_args(%v = %a) -> (f64) { .. }
        %x = scf.for %t = %zero to %one step %one iter_args(%v = %y) -> (f64) { .. }

    Small matrices that are decomposed in each step of a loop are in registers then.
    """

    name = "unroll-short-loops"
    looks_for = (scf.ParallelOp, scf.ForOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if isinstance(op, scf.ParallelOp) and op.parent is not None:
                for each in short_loops(op) or ():
                    unroll(each)
        unroll_triangles([function])
