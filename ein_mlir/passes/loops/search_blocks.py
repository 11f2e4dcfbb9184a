"""``search-blocks``: the place of the best element is sought in blocks of elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.neighbours import is_near, is_simple
from ein_mlir.analysis.loops.unrolled import known_range
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import dependents, operations_of, slice_within
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass

BLOCK = 512
"""The elements of a block: they stay in the nearest cache between the loops over them."""

LEAST = 64
"""The fewest steps of a loop that is divided: two short loops of vectors would take longer."""

_INDEX = IndexType()

Extreme: TypeAlias = arith.MaximumfOp | arith.MinimumfOp | arith.MaxSIOp | arith.MinSIOp

_EXTREMES: Mapping[str, type[Extreme]] = {
    "ogt": arith.MaximumfOp,
    "olt": arith.MinimumfOp,
    "sgt": arith.MaxSIOp,
    "slt": arith.MinSIOp,
}
"""The comparison by which an element is better -> the best of two."""

_SWAPPED = {"ogt": "olt", "olt": "ogt", "sgt": "slt", "slt": "sgt"}


@dataclass(frozen=True)
class Search:
    """A loop that carries the best element, and what belongs to it."""

    loop: scf.ForOp
    predicate: str
    """How an element compares with the best before it if it is better."""
    element: SSAValue
    number: int
    """The number of the best element among the carried values."""
    found: Sequence[SSAValue]
    """What a step with a better element carries on."""

    @property
    def is_float(self) -> bool:
        """Whether elements are floats, which may be no numbers."""
        return isinstance(self.element.type, AnyFloat)

    @property
    def extreme(self) -> type[Extreme]:
        """The operation for the better of two elements."""
        return _EXTREMES[self.predicate]

    @property
    def worst(self) -> FloatAttr | IntegerAttr:
        """The number that none is worse than."""
        found = identity(self.extreme.name, self.element.type)
        assert found is not None
        return found


# Analysis ---------------------------------------------------------------------------------------


def search_of(loop: scf.ForOp) -> Search | None:
    """A loop that chooses between what it carries and values of the step by one comparison.

    ``if better(x[i], best) { best, place = x[i], i }``, where no ``x[i]`` depends on ``best``.
    """
    block = loop.body.block
    choices = [value.owner for value in block.last_op.operands] if block.last_op else []
    if known_int(loop.step) != 1 or not all(map(_is_read, block.ops)) or _is_short(loop):
        return None
    chosen = [op for op in choices if isinstance(op, arith.SelectOp)]
    kept = [op.rhs for op in chosen]
    if not choices or kept != list(block.args[1:]) or len({op.cond for op in chosen}) > 1:
        return None
    found, late = [op.lhs for op in chosen], dependents(block, *block.args[1:])
    compared = _compared(chosen[0].cond, block)
    if compared is None or not late.isdisjoint([compared[1], *found]) or not _is_dense(loop):
        return None
    predicate, element, number = compared
    search = Search(loop, predicate, element, number, found)
    is_simple_extreme = len(kept) == 1 and not search.is_float  # LLVM has vectors of these
    is_known = identity(search.extreme.name, element.type) is not None
    return search if is_known and not is_simple_extreme else None


def _is_read(op: Operation) -> bool:
    return is_simple(op) and not isinstance(op, memref.StoreOp)


def _is_short(loop: scf.ForOp) -> bool:
    steps = known_range(loop)
    return steps is not None and len(steps) < LEAST


def _compared(condition: SSAValue, block: Block) -> tuple[str, SSAValue, int] | None:
    """The predicate, the element, and the number of the carried value that it is better than."""
    test = condition.owner
    if not isinstance(test, arith.CmpfOp | arith.CmpiOp):
        return None
    names = arith.CMPF_COMPARISON_OPERATIONS
    if isinstance(test, arith.CmpiOp):
        names = arith.CMPI_COMPARISON_OPERATIONS
    predicate = names[test.predicate.value.data]
    if predicate not in _EXTREMES:
        return None
    carried = block.args[1:]
    if test.rhs in carried:
        return predicate, test.lhs, carried.index(test.rhs)
    if test.lhs in carried:
        return _SWAPPED[predicate], test.rhs, carried.index(test.lhs)
    return None


def _is_dense(loop: scf.ForOp) -> bool:
    """Whether steps that follow each other load elements that follow each other, unclipped."""
    block = loop.body.block
    vary = dependents(block, block.args[0])
    clips = [op for op in block.ops if isinstance(op, arith.MinSIOp | arith.MaxSIOp)]
    if any(op.result in vary and op.result.type == _INDEX for op in clips):
        return False
    return all(_is_next(op, block.args[0], vary) for op in block.ops if type(op) is memref.LoadOp)


def _is_next(load: memref.LoadOp, index: SSAValue, vary: AbstractSet[SSAValue]) -> bool:
    *outer, last = load.indices or (load.memref,)
    return vary.isdisjoint(outer) and (last not in vary or is_near(last, index, set(vary), 1))


# Rewriting --------------------------------------------------------------------------------------


def divide(search: Search) -> None:
    """Search in blocks if there are enough steps."""
    loop = search.loop
    build = Builder(InsertPoint.before(loop))
    count = build.insert(arith.SubiOp(loop.ub, loop.lb)).result
    least = build.insert(arith.ConstantOp(IntegerAttr(LEAST, _INDEX))).result
    is_long = build.insert(arith.CmpiOp(count, least, "sge")).result
    blocks = _blocks(search)
    types = [value.type for value in loop.iter_args]
    whole = Block([copy := copy_of(loop), scf.YieldOp(*copy.res)])
    choice = scf.IfOp(is_long, types, Region(blocks), Region(whole))
    Rewriter.replace_op(loop, choice)


def _blocks(search: Search) -> Block:
    """The loop over blocks."""
    loop, block = search.loop, Block()
    build = Builder(InsertPoint.at_end(block))
    size = build.insert(arith.ConstantOp(IntegerAttr(BLOCK, _INDEX))).result
    body = Block(arg_types=[_INDEX, *(value.type for value in loop.iter_args)])
    _search_block(search, Builder(InsertPoint.at_end(body)), body, size)
    outer = build.insert(scf.ForOp(loop.lb, loop.ub, size, list(loop.iter_args), Region(body)))
    build.insert(scf.YieldOp(*outer.res))
    return block


def _search_block(search: Search, build: Builder, body: Block, size: SSAValue) -> None:
    """The best element of a block; if it is better than that before, its place, and its step."""
    first, *before = body.args
    left = build.insert(arith.SubiOp(search.loop.ub, first)).result
    count = build.insert(arith.MinSIOp(left, size)).result
    elements = _elements(search, build, first, count)
    best = _best(search, build, elements, count)
    better = build.insert(_test(search.predicate, best, before[search.number])).result
    then = Block()
    inner = Builder(InsertPoint.at_end(then))
    place = _place(search, inner, elements, best, count)
    counter = inner.insert(arith.AddiOp(first, place)).result
    inner.insert(scf.YieldOp(*_step(search, inner, counter, search.found)))
    kept = Region(Block([scf.YieldOp(*before)]))
    types = [value.type for value in before]
    build.insert(scf.YieldOp(*build.insert(scf.IfOp(better, types, Region(then), kept)).results))


def _step(
    search: Search, build: Builder, counter: SSAValue, values: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """Values of the step of a counter."""
    known: dict[SSAValue, SSAValue] = {search.loop.body.block.args[0]: counter}
    for op in slice_within(search.loop, values):
        build.insert(copy_of(op, known))
    return [known.get(value, value) for value in values]


def _elements(search: Search, build: Builder, first: SSAValue, count: SSAValue) -> SSAValue:
    """The elements of a block in memory; the worst in place of those that are no numbers."""
    elements = build.insert(memref.AllocaOp.get(search.element.type, shape=[BLOCK])).memref
    worst = build.insert(arith.ConstantOp(search.worst)).result
    inner, _, number = _loop_of_block(build, count, ())
    counter = inner.insert(arith.AddiOp(first, number)).result
    (element,) = _step(search, inner, counter, [search.element])
    if search.is_float:
        is_number = inner.insert(arith.CmpfOp(element, element, "ord")).result
        element = inner.insert(arith.SelectOp(is_number, element, worst)).result
    inner.insert(memref.StoreOp.get(element, elements, [number]))
    inner.insert(scf.YieldOp())
    return elements


def _best(search: Search, build: Builder, elements: SSAValue, count: SSAValue) -> SSAValue:
    """The best element of a block."""
    worst = build.insert(arith.ConstantOp(search.worst)).result
    inner, loop, number = _loop_of_block(build, count, [worst])
    element = inner.insert(memref.LoadOp.get(elements, [number])).res
    better = inner.insert(search.extreme(element, loop.body.block.args[1]))
    if search.is_float:
        better.properties["fastmath"] = arith.FastMathFlagsAttr([FastMathFlag.NO_NANS])
    inner.insert(scf.YieldOp(better))
    return loop.results[0]


def _place(
    search: Search, build: Builder, elements: SSAValue, best: SSAValue, count: SSAValue
) -> SSAValue:
    """The first place of the best element of a block."""
    inner, loop, number = _loop_of_block(build, count, [count])
    element = inner.insert(memref.LoadOp.get(elements, [number])).res
    same = inner.insert(_test("oeq" if search.is_float else "eq", element, best)).result
    place = inner.insert(arith.SelectOp(same, number, count)).result
    inner.insert(scf.YieldOp(inner.insert(arith.MinSIOp(place, loop.body.block.args[1])).result))
    return loop.results[0]


def _loop_of_block(
    build: Builder, count: SSAValue, carried: Sequence[SSAValue]
) -> tuple[Builder, scf.ForOp, SSAValue]:
    """A loop over the elements of a block, the builder of its body, and its counter."""
    zero = build.insert(arith.ConstantOp(IntegerAttr(0, _INDEX))).result
    one = build.insert(arith.ConstantOp(IntegerAttr(1, _INDEX))).result
    body = Block(arg_types=[_INDEX, *(value.type for value in carried)])
    loop = build.insert(scf.ForOp(zero, count, one, list(carried), Region(body)))
    return Builder(InsertPoint.at_end(body)), loop, body.args[0]


def _test(predicate: str, lhs: SSAValue, rhs: SSAValue) -> arith.CmpfOp | arith.CmpiOp:
    kind = arith.CmpfOp if predicate.startswith("o") else arith.CmpiOp
    return kind(lhs, rhs, predicate)


class SearchBlocksPass(FunctionPass):
    """Seeks the place of the best element in blocks of elements.

    Before::

        %best, %place = scf.for %i = %c0 to %n step %c1 iter_args(%x = %low, %p = %c0) {
          %y = memref.load %a[%i] : memref<?xf64>
          %better = arith.cmpf ogt, %y, %x : f64
          %0 = arith.select %better, %y, %x : f64
          %1 = arith.select %better, %i, %p : index
          scf.yield %0, %1 : f64, index
        }

    After, if there are at least 64 steps::

        scf.for %block = %c0 to %n step %c512 iter_args(%x = %low, %p = %c0) {
          %elements = memref.alloca() : memref<512xf64>   // filled by a loop
          %most = ..                                      // a loop for the greatest of them
          %better = arith.cmpf ogt, %most, %x : f64
          scf.if %better { .. a loop for its first place, and the step there .. }
          else { .. %x, %p .. }
        }

    A step of the loop waits for the comparison of the step before. LLVM makes vectors of the loops
    for the elements, the extreme and its place, but not of all three together. The step loads
    elements that follow each other, which do not depend on the best one so far. An element that is
    no number is never better, and of equal elements the first is found, as before.
    """

    name = "search-blocks"
    looks_for = (scf.ForOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for loop in operations_of(function, scf.ForOp):
            search = search_of(loop)
            if search is not None:
                analyses.note(search.loop, "the best element is sought in blocks of elements")
                divide(search)
