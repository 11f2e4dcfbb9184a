"""``narrow-loops``: elements that are not read, or that stay as they are, are not computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, UnitAttr, i1
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

from ein_mlir.analysis.arithmetic import Integers
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.kept_elements import Fact, facts_of_changes, span_changed
from ein_mlir.analysis.loops.memory_roots import share_no_memory
from ein_mlir.analysis.loops.read_ranges import span_read
from ein_mlir.analysis.loops.spans import Conditions, Span, chosen_place, union
from ein_mlir.analysis.loops.unrolled import FEW_STEPS
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import is_within, operations_in, slice_within
from ein_mlir.backends.native import abi
from ein_mlir.dialects.phi.integers import PhiLevel
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.loops.conditions import all_of
from ein_mlir.rewriting.loops.few_steps import FewSteps, is_worth_numbering, number_steps
from ein_mlir.rewriting.loops.index_values import IndexValues
from ein_mlir.rewriting.loops.solved_conditions import solve_condition
from ein_mlir.rewriting.passes import FunctionPass

_HARMLESS = {
    *(memref.LoadOp, memref.StoreOp, memref.AllocOp, memref.AllocaOp, memref.DeallocOp),
    *(memref.DimOp, scf.ForOp, scf.IfOp, scf.ParallelOp, scf.WhileOp),
    *(scf.YieldOp, scf.ConditionOp, scf.ReduceOp),
}
"""Operations of steps that may be left out, as pure ones may: nothing reads their elements."""


# Analysis ---------------------------------------------------------------------------------------


def spans(nest: scf.ParallelOp) -> Iterator[tuple[int, Span, bool]]:
    """The loops of a nest of which steps may be left out, each with those that are needed.

    And whether these are all that change an element: limits of others are positions that are read,
    which clip.
    """
    stores = _stores(nest)
    for number, lower in enumerate(nest.lowerBound):
        if known_int(lower) == 0 and known_int(nest.step[number]) == 1:
            changed = [span_changed(nest, store, number) for store in stores]
            read = [_read(nest, store, number) for store in stores]
            found = union(a & b for a, b in zip(changed, read, strict=True))
            if found.lows or found.highs:
                yield number, found, not any(each.lows or each.highs for each in read)


@dataclass(frozen=True)
class _Guard:
    """Facts of all changes of what a nest overwrites, which vary with as many first indices."""

    depth: int
    facts: Sequence[Fact]


def _guards(nest: scf.ParallelOp) -> Iterator[_Guard]:
    """The guards of the loops of a nest, from the outside in."""
    stores, facts = _stores(nest), dict[int, list[Fact]]()
    for fact in facts_of_changes(nest, stores) if stores else ():
        depth = _depth(nest, fact[0], stores)
        if depth is not None:
            facts.setdefault(depth, []).append(fact)
    for depth, same in sorted(facts.items()):
        if not _is_short(nest, depth) and (depth == 0 or not _has_loops(nest)):
            yield _Guard(depth, same)


def _depth(
    nest: scf.ParallelOp, condition: SSAValue, stores: Sequence[memref.StoreOp]
) -> int | None:
    """The number of first indices that a condition varies with, if it is known after these.

    A condition on indices alone is a limit of one of them.
    """
    needed, indices = slice_within(nest, [condition]), nest.body.block.args
    if not all(_is_known_before(op, nest, stores) for op in needed):
        return None
    depth = 1 + max(
        (indices.index(x) for op in needed for x in op.operands if x in indices), default=-1
    )
    is_limit = depth > 0 and not any(isinstance(op, memref.LoadOp) for op in needed)
    return None if is_limit or depth == len(indices) else depth


def _is_known_before(op: Operation, nest: scf.ParallelOp, stores: Sequence[memref.StoreOp]) -> bool:
    """Whether an operation of a step may be computed before the steps, unless there are none."""
    if op.parent is not nest.body.block:
        return False
    if isinstance(op, memref.LoadOp):
        return not is_within(op.memref, nest) and all(
            share_no_memory(op.memref, store.memref) for store in stores
        )
    return not op.regions and op.has_trait(Pure)


def _has_loops(nest: scf.ParallelOp) -> bool:
    return any(op.regions for op in nest.body.block.ops)


def _is_short(nest: scf.ParallelOp, depth: int) -> bool:
    """Whether a nest has few steps for the same first indices: a branch takes longer."""
    sizes = [known_int(size) for size in nest.upperBound[depth:]]
    known = [size for size in sizes if size is not None]
    return known == sizes and prod(known) <= FEW_STEPS


def _stores(nest: scf.ParallelOp) -> list[memref.StoreOp]:
    """The stores of a nest to other memory than its own; none if its steps do anything else."""
    body = operations_in(nest)[1:]
    if nest.initVals or not all(map(_is_harmless, body)):
        return []
    return [op for op in body if type(op) is memref.StoreOp and not is_within(op.memref, nest)]


def _read(nest: scf.ParallelOp, store: memref.StoreOp, number: int) -> Span:
    """The steps in which a store writes an element that is read."""
    written = _written(store, nest.body.block.args[number], nest.upperBound[number])
    return span_read(*written) if written and _is_of_a_step(store) else Span()


def _is_of_a_step(op: memref.StoreOp) -> bool:
    """Whether a store is to a buffer of a body, where limits vary."""
    buffer = op.memref.owner
    return type(buffer) is memref.AllocOp and type(buffer.parent_op()) is not func.FuncOp


def _is_harmless(op: Operation) -> bool:
    return type(op) in _HARMLESS or op.has_trait(Pure)


def _written(
    op: memref.StoreOp, index: SSAValue, size: SSAValue
) -> tuple[memref.AllocOp, int] | None:
    """The buffer of a store, and its axis of a size along which an index is the position."""
    buffer = op.memref.owner
    if not isinstance(buffer, memref.AllocOp) or len(buffer.dynamic_sizes) != len(op.indices):
        return None
    pairs = zip(op.indices, buffer.dynamic_sizes, strict=True)
    return next(((buffer, axis) for axis, pair in enumerate(pairs) if pair == (index, size)), None)


def solve(nest: scf.ParallelOp) -> None:
    """Write the conditions of all stores of a nest as limits of an index."""
    stores = _stores(nest)
    for condition, _ in facts_of_changes(nest, stores) if stores else ():
        if is_within(condition, nest):
            solve_condition(nest, condition)


# Rewriting --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Narrowed:
    """A loop that takes the steps of a span, which end before another value."""

    index: BlockArgument
    span: Span
    end: SSAValue

    @property
    def nest(self) -> scf.ParallelOp:
        """The nest of the loop, which changes where its last loop becomes one of its own."""
        nest = self.index.block.parent_op()
        assert isinstance(nest, scf.ParallelOp)
        return nest


def narrow(nest: scf.ParallelOp, number: int, span: Span, exact: bool) -> _Narrowed:
    """Let a loop take the steps of a span alone.

    Limits that are not exact are clipped to the steps, as positions are; a sum that wraps leaves
    out none.
    """
    limits = [*span.lows, *span.highs]
    if any(is_within(limit, nest) for limit in limits):
        nest, number = _last_loop(nest, limits), 0
    emit, rank = IndexValues(Builder(InsertPoint.before(nest))), len(nest.lowerBound)
    low, high = nest.lowerBound[number], nest.upperBound[number]
    zero, end, last = low, high, emit.combined(high, "-", emit.integer(1))

    def clipped(value: SSAValue, more: int, least: SSAValue, most: SSAValue) -> SSAValue:
        position = _plus(emit, emit.index(value), more)
        return _insert(emit, arith.MaxSIOp(_insert(emit, arith.MinSIOp(position, most)), least))

    def limit(value: SSAValue, more: int) -> SSAValue:
        """``value + more``, from zero to the end: a sum with 1 is clipped before it may wrap."""
        if not more:
            return clipped(value, 0, zero, end)
        return _plus(emit, clipped(value, 0, emit.integer(-1), last), 1)

    for value, more in span.lows.items():
        first = limit(value, more) if exact else clipped(value, more, zero, last)
        low = _insert(emit, arith.MaxSIOp(low, first))
    for value, more in span.highs.items():
        after = (
            limit(value, more) if exact else _plus(emit, clipped(value, more - 1, zero, last), 1)
        )
        high = _insert(emit, arith.MinSIOp(high, after))
    if span.lows and span.highs:
        high = _insert(emit, arith.MaxSIOp(high, low))
    nest.operands[number], nest.operands[rank + number] = low, high
    return _Narrowed(nest.body.block.args[number], span, end)


def simplify(found: Sequence[_Narrowed]) -> None:
    """Make use of the exact limits of loops, which no other loop needs in conditions any more."""
    few = dict[scf.ParallelOp, list[FewSteps]]()
    for each in found:
        _assume_limits(each)
        if steps := _few_steps(each.span, each.end):
            few.setdefault(each.nest, []).append(steps)
            if each.index is each.nest.body.block.args[-1]:
                each.nest.attributes[abi.FEW_STEPS] = UnitAttr()
    for nest, loops in few.items():
        if is_worth_numbering(nest, loops):
            number_steps(nest, loops)


def _assume_limits(found: _Narrowed) -> None:
    """Replace comparisons of an index with its limits by what they are in all steps."""
    conditions = Conditions(found.index, lambda _: True)
    for op in operations_in(found.nest)[1:]:
        if isinstance(op, arith.CmpiOp) and chosen_place(op) is None:
            for expected in (True, False):
                if conditions.where(op.result, expected).holds_in(found.span):
                    _assume([(op.result, expected)], found.nest)


def _few_steps(span: Span, end: SSAValue) -> FewSteps | None:
    """The steps of a span whose limits have a small distance: vectors would take longer."""
    ints = Integers(PhiLevel())
    for low, least in span.lows.items():
        for high, most in span.highs.items():
            distance = ints.distance(high, low)
            if distance is not None and 0 < distance + most - least <= FEW_STEPS:
                return FewSteps(low, least, distance + most - least, end)
    return None


def _last_loop(nest: scf.ParallelOp, limits: Sequence[SSAValue]) -> scf.ParallelOp:
    """Make the last loop of a nest one of its own, after limits that vary with the other indices.

    ``for i, j { k = f(i); .. }  -->  for i { k = f(i); for j { .. } }``
    """
    needed = slice_within(nest, limits)
    for op in needed:
        op.detach()
    if len(nest.lowerBound) == 1:  # the limits vary with nothing
        Rewriter.insert_op(needed, InsertPoint.before(nest))
        return nest
    return _split(nest, len(nest.lowerBound) - 1, needed)


def _split(nest: scf.ParallelOp, count: int, needed: Sequence[Operation]) -> scf.ParallelOp:
    """Make the loops of a nest but for some first ones a nest of their own, after operations."""
    block, last = nest.body.block, nest.body.block.args[count:]
    inner = Block(arg_types=[IndexType()] * len(last))
    for new, old in zip(inner.args, last, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for old in reversed(last):
        block.erase_arg(old)
    for op in list(block.ops):
        op.detach()
        inner.add_op(op)
    lows, highs, steps = nest.lowerBound, nest.upperBound, nest.step
    loop = scf.ParallelOp(lows[count:], highs[count:], steps[count:], Region(inner))
    block.add_ops([*needed, loop, scf.ReduceOp()])
    region = nest.detach_region(nest.body)
    outer = scf.ParallelOp(lows[:count], highs[:count], steps[:count], region)
    Rewriter.replace_op(nest, outer)
    return loop


def skip(nest: scf.ParallelOp, guard: _Guard) -> Sequence[scf.ParallelOp]:
    """``for i, j { a[i, j] = select(c(i), x, a[i, j]) }  -->  for i { if c(i) { for j { .. } } }``

    What a condition loads may exist only if the loops have steps. Returns the nests that are made.
    """
    ops = slice_within(nest, [condition for condition, _ in guard.facts])
    for op in ops:
        op.detach()
    nests = [nest]
    if guard.depth:
        nest = _split(nest, guard.depth, ())
        outer = nest.parent_op()
        assert isinstance(outer, scf.ParallelOp)
        nests = [outer, nest]
    _assume(guard.facts, nest)
    reads = any(isinstance(op, memref.LoadOp) for op in ops)
    branch = scf.IfOp(all_of([_test(*fact, ops) for fact in guard.facts], ops), [], Region(Block()))
    ops.append(branch)
    if reads:
        pairs = zip(nest.lowerBound, nest.upperBound, strict=True)
        sizes = list[Operation](arith.CmpiOp(low, high, "slt") for low, high in pairs)
        exist = all_of([op.results[0] for op in sizes], sizes)
        ops = [*sizes, scf.IfOp(exist, [], Region(Block([*ops, scf.YieldOp()])))]
    Rewriter.insert_op(ops, InsertPoint.before(nest))
    nest.detach()
    branch.true_region.block.add_ops([nest, scf.YieldOp()])
    return nests


def _assume(facts: Sequence[Fact], nest: scf.ParallelOp) -> None:
    """Replace conditions in a nest by what they are."""
    for condition, holds in facts:
        known = arith.ConstantOp(IntegerAttr(int(holds), i1))
        Rewriter.insert_op(known, InsertPoint.at_start(nest.body.block))
        condition.replace_uses_with_if(known.result, lambda use: nest.is_ancestor(use.operation))


def _test(condition: SSAValue, holds: bool, ops: list[Operation]) -> SSAValue:
    """Whether a fact holds, by operations that are added to others."""
    if holds:
        return condition
    always = arith.ConstantOp(IntegerAttr(1, i1))
    ops.extend([always, negation := arith.XOrIOp(condition, always.result)])
    return negation.result


def _plus(emit: IndexValues, value: SSAValue, more: int) -> SSAValue:
    return emit.combined(value, "+", emit.integer(more)) if more else value


def _insert(emit: IndexValues, op: Operation) -> SSAValue:
    return emit.build.insert(op).results[0]


class NarrowLoopsPass(FunctionPass):
    """Leaves out steps of parallel loops that compute elements which are not read, or keep them.

    Before (the elements of %b from %j on are read)::

        %b = memref.alloc(%n) : memref<?xf64>
        "scf.parallel"(%zero, %n, %one) ({
        ^bb0(%i: index):
          %x = .. : f64
          memref.store %x, %b[%i] : memref<?xf64>
        })
        "scf.parallel"(%zero, %n, %one) ({
        ^bb0(%i: index):
          %y = memref.load %b[%i] : memref<?xf64>
          %is_below = arith.cmpi sge, %i, %j : index
          %z = arith.select %is_below, %y, %other : f64
          ..

    After::

        %b = memref.alloc(%n) : memref<?xf64>
        %last = arith.subi %n, %one : index
        %first = arith.minsi %j, %last : index
        %low = arith.maxsi %first, %zero : index
        "scf.parallel"(%low, %n, %one) ({
        ^bb0(%i: index):
          ..

    So a column of a triangular matrix is computed from the diagonal on. A limit is a position that
    is read, a bound of a loop that reads, or what a comparison that selects compares with. It must
    vary with a loop, and be known where the buffer is allocated
    (`ein_mlir/analysis/loops/read_ranges.py`).

    A loop that overwrites an array takes the steps alone that change it: in ``where(i > k, x, a[i,
    j])`` or ``a[i, j] + where(i > k, x, 0)``, at the same place, those from ``k + 1`` on. The last
    index may be limited by the others, as in ``j <= i``: then its loop is one of its own, in that
    of the others (`ein_mlir/analysis/loops/kept_elements.py`). Conditions of all stores on sums,
    such as ``0 <= k - i < n`` for an element of a diagonal, are solved for the index. So an
    elimination in place takes a third of the steps of that of whole matrices. If such a condition
    does not vary with the last indices, their loops are in a branch: in ``where(better, x[i],
    best[i])``, and rows in ``where(c[i], x[i, j], a[i, j])``.

    Conditions that hold in all steps that are left are true. Few steps, as in ``(i >= p) & (i < p +
    2)``, are no vector, and are numbered from p on if all of them are in bounds.

    Loops stay if they write anything else, or if a step may fail.
    """

    name = "narrow-loops"
    looks_for = (scf.ParallelOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        narrowed = list[_Narrowed]()
        for op in reversed(operations_in(function)):
            if type(op) is scf.ParallelOp and op.parent is not function.body.block:
                solve(op)
                nests: Sequence[scf.ParallelOp] = [op]
                for guard in list(_guards(op)):
                    nests = skip(nests[-1], guard)
                for nest in nests:
                    for number, span, exact in list(spans(nest)):
                        found = narrow(nest, number, span, exact)
                        if exact:
                            narrowed.append(found)
        simplify(narrowed)
