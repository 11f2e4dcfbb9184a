"""``unroll-short-loops``: elements of a short row, and triangles, are computed without a loop."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import product
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.neighbours import has_scalar_loops, is_simple
from ein_mlir.analysis.loops.unrolled import known_range
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.scopes import is_within, operations_in
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.passes import FunctionPass

MOST = 8
"""The most steps of a loop that is unrolled."""

MOST_OPERATIONS = 512
"""The most operations of all steps of a triangle, or of a row of it."""


def short_loops(op: scf.ParallelOp) -> Sequence[scf.ParallelOp] | None:
    """The short loops in a body of nothing else but scalars; None for others.

    It has loops over scalars, or functions, which LLVM computes by vectors if no loop is with them.
    """
    short, has_work = list[scf.ParallelOp](), False
    for each in op.body.block.ops:
        if isinstance(each, scf.ParallelOp):
            if not _is_short(each):
                return None
            short.append(each)
        elif isinstance(each, scf.ForOp):
            has_work = True
            if not _carries_scalars(each):
                return None
        elif not is_simple(each):
            return None
        has_work |= is_function(each)
    return short if has_work else None


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
    counter, inner = op.body.block.args[0], operations_in(op)[1:]
    bounds = [bound for each in inner for bound in _bounds(each) if known_int(bound) is None]
    return (
        _is_brief(op, least=2)
        and any(is_within(bound, op) for bound in bounds)
        and all(_is_function_of(bound, counter) for bound in bounds)
    )


def is_row(op: scf.ForOp) -> bool:
    """Whether a loop of few steps has loops: LLVM may find it too long to unroll."""
    inner = operations_in(op)[1:]
    return _is_brief(op) and any(isinstance(each, scf.ForOp | scf.ParallelOp) for each in inner)


def _is_brief(op: scf.ForOp, least: int = 0) -> bool:
    """Whether a loop has few steps and all steps few operations."""
    steps, operations = known_range(op), len(operations_in(op)) - 1
    if steps is None or not least <= len(steps) <= MOST:
        return False
    return len(steps) * operations <= MOST_OPERATIONS


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
    """``scf.for %k = 0 to 2 { scf.for %t = 0 to %k { .. } }``, as a copy of the body for each k.

    The loops in it whose bounds are known then are unrolled, too, if they have loops.
    """
    build, last = Builder(InsertPoint.before(op)), op.body.block.last_op
    assert last is not None
    carried, copies = list[SSAValue](op.iter_args), list[Operation]()
    for number in known_range(op) or ():
        counter = build.insert(arith.ConstantOp(IntegerAttr(number, _INDEX))).result
        values = dict[SSAValue, SSAValue](zip(op.body.block.args, (counter, *carried), strict=True))
        for each in op.body.block.ops:
            if each is not last:
                copies.append(build.insert(copy_of(each, values)))
        carried = [values.get(value, value) for value in last.operands]
    rows = {each for copy in copies for each in operations_in(copy) if _fold_bounds(each)}
    Rewriter.replace_op(op, (), carried)
    unroll_triangles(copies, rows)


def _fold_bounds(op: Operation) -> bool:
    """Compute the bounds of a loop that are functions of constants; whether there are some."""
    bounds = _bounds(op)
    places = [k for k, each in enumerate(op.operands) if each in bounds and known_int(each) is None]
    for place in places:
        constant = arith.ConstantOp(IntegerAttr(_number(op.operands[place]), _INDEX))
        Rewriter.insert_op(constant, InsertPoint.before(op))
        op.operands[place] = constant.result
    return bool(places)


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


def unroll_triangles(ops: Iterable[Operation], rows: Container[Operation] = ()) -> None:
    """Unroll the triangles among some operations and in their bodies, outermost first.

    The rows are loops in a triangle whose bounds varied with its counter.
    """
    for op in ops:
        if type(op) is scf.ForOp and (is_triangle(op) or (op in rows and is_row(op))):
            unroll_triangle(op)
        else:
            for region in op.regions:
                for block in region.blocks:
                    unroll_triangles(list(block.ops), rows)


class UnrollShortLoopsPass(FunctionPass):
    """Computes the elements of a short row one after the other, after loops or functions.

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
    results; or functions and scalars alone, and LLVM computes vectors of functions. Other bodies
    stay: LLVM unrolls such loops, too.

    It unrolls inner loops first, whose counts must be known. So a loop of few steps is unrolled
    here if bounds of loops in it depend on its counter. Before::

        %x = scf.for %k = %zero to %two step %one iter_args(%u = %a) -> (f64) {
          %y = scf.for %t = %zero to %k step %one iter_args(%v = %u) -> (f64) { .. }
          scf.yield %y : f64
        }

    After::

        %y = scf.for %t = %zero to %zero step %one iter_args(%v = %a) -> (f64) { .. }
        %x = scf.for %t = %zero to %one step %one iter_args(%v = %y) -> (f64) { .. }

    A loop whose bounds are known then is unrolled, too, if it has loops itself. Small matrices that
    are decomposed in each step of a loop are in registers then.
    """

    name = "unroll-short-loops"
    looks_for = (scf.ParallelOp, scf.ForOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if isinstance(op, scf.ParallelOp) and op.parent is not None:
                for each in short_loops(op) or ():
                    unroll(each)
        unroll_triangles([function])
