"""``version-loops``: positions are clipped only if a test before the loop says so."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, func, memref, scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.arithmetic import MOST, LinearForm
from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.index_bounds import (
    IndexBounds,
    is_negative,
    is_possible,
    is_size,
    uncast,
)
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.analysis.scopes import around, is_within, operations_in, operations_of
from ein_mlir.dialects.creation import copy_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.loops.guarded import clip_in_branches, hold, leave_out_of_bounds
from ein_mlir.rewriting.loops.index_values import IndexValues
from ein_mlir.rewriting.loops.rows import has_common_loops, has_rows, split_rows
from ein_mlir.rewriting.passes import FunctionPass

MOST_TESTS = 24
"""A nest that needs more tests stays."""

Loop = scf.ParallelOp | scf.ForOp


# Analysis -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clip:
    """``max(min(p, last), 0)``, or a part of it: a position that may be in bounds by itself."""

    value: SSAValue
    position: SSAValue
    excess: Sequence[LinearForm]
    """Forms that are at most 0 if the position is in bounds in all steps."""


@dataclass(frozen=True)
class Guard:
    """``p < size``, without sign: a condition of a store that may hold by itself."""

    test: arith.CmpiOp
    excess: Sequence[LinearForm]
    """Forms that are at most 0 if it holds in all steps."""


_NEVER = LinearForm.number(0)
"""The excess of a clip that is not there."""


class Clips:
    """Finds the clipped positions of a nest, and the tests that they are not needed."""

    def __init__(self, nest: Loop):
        self._nest = nest
        self._bounds = IndexBounds(nest)

    def found(self) -> list[Clip]:
        """The clips of the positions of loads and stores that a test may prove superfluous."""
        values = dict.fromkeys(
            index
            for op in operations_in(self._nest)
            if isinstance(op, memref.LoadOp | memref.StoreOp)
            for index in op.indices
        )
        clips = (self._clip(value) for value in values if is_within(value, self._nest))
        return [clip for clip in clips if clip is not None]

    def _clip(self, value: SSAValue) -> Clip | None:
        """The clip that an index is, unless the test is known to fail, or likely to.

        Of ``max(min(p, last), 0)`` it may be ``min(p, last)`` alone: `split-loops` finds the steps
        in which p is negative, if that is all that is left.
        """
        outer = value.owner
        is_from_zero = isinstance(outer, arith.MaxSIOp) and known_int(outer.rhs) == 0
        inner = outer.lhs if isinstance(outer, arith.MaxSIOp) and is_from_zero else value
        op = inner.owner
        position = op.lhs if isinstance(op, arith.MinSIOp) else inner
        above = self._beyond(position, op.rhs) if isinstance(op, arith.MinSIOp) else _NEVER
        below = self._below_zero(position) if is_from_zero else _NEVER
        if position is value or above is None or not is_possible(above):
            return None
        if below is not None and is_possible(below):
            return Clip(value, position, [above, below])
        return Clip(inner, position, [above]) if position is not inner else None

    def guards(self) -> list[Guard]:
        """The conditions that positions are in bounds which a test may prove."""
        tests = operations_of(self._nest, arith.CmpiOp)
        guards = (self._guard(op) for op in tests if predicate_of(op) == "ult")
        return [guard for guard in guards if guard is not None]

    def _guard(self, op: arith.CmpiOp) -> Guard | None:
        found, size = self._bounds.of(op.lhs), self._bounds.of(op.rhs)
        if found is None or size is None or not size.is_fixed:
            return None
        excess = [found.greatest - size.least + 1, -found.least]
        return Guard(op, excess) if all(map(is_possible, excess)) else None

    def is_element(
        self, load: memref.LoadOp, size: SSAValue, known: Collection[LinearForm]
    ) -> bool:
        """Whether a position of a load is below a size, by forms that are known to be at most 0.

        The atoms of these are known to be sizes.
        """
        atoms = {atom for form in known for atom in form.coefficients}
        end = self._bounds.of(size)
        for found in map(self._bounds.of, load.indices):
            if found is not None and end is not None and end.is_fixed:
                excess = (found.greatest - end.least + 1, -found.least)
                are_sizes = all(
                    atom in atoms or is_size(atom) for form in excess for atom in form.coefficients
                )
                if are_sizes and all(form in known or is_negative(form) for form in excess):
                    return True
        return False

    def _below_zero(self, position: SSAValue) -> LinearForm | None:
        found = self._bounds.of(position)
        return None if found is None else -found.least

    def _beyond(self, position: SSAValue, last: SSAValue) -> LinearForm | None:
        found, end = self._bounds.of(position), self._bounds.of(last)
        if found is None or end is None or not end.is_fixed:
            return None
        return found.greatest - end.least

    def matters(self, clip: Clip) -> bool:
        """Whether a clip is in an inner loop, or varies with the nest."""
        found = self._bounds.of(clip.position)
        return found is not None and not found.is_fixed


def nests(function: func.FuncOp) -> Iterator[Loop]:
    """The outermost parallel loops, and other loops that have none and are in none."""
    seen = set[Operation]()
    for op in operations_in(function):
        if not isinstance(op, scf.ParallelOp | scf.ForOp) or op in seen:
            continue
        inner = operations_in(op)
        if isinstance(op, scf.ParallelOp) or not any(isinstance(o, scf.ParallelOp) for o in inner):
            seen.update(inner)
            yield op


def irregular_loops(nest: Operation) -> Iterator[Loop]:
    """The innermost loops of a nest whose numbers of steps vary in it.

    If a parallel loop in the nest has one that takes the same steps for all its indices, such as a
    sum for each element of a row, it is the parallel loop.
    """
    found = dict[Loop, None]()
    for op in operations_in(nest)[1:]:
        if type(op) is not scf.ForOp or not is_within(uncast(op.ub), nest):
            continue
        if not any(type(each) is scf.ForOp for each in operations_in(op)[1:]):
            found[_of_equal_steps(op, nest)] = None
    yield from found


def _of_equal_steps(loop: scf.ForOp, nest: Operation) -> Loop:
    """The parallel loop around a loop whose count does not vary with it, or the loop itself."""
    above = loop.parent_op()
    if not isinstance(above, scf.ParallelOp) or above is nest:
        return loop
    return loop if is_within(uncast(loop.ub), above) else above


# Rewriting ----------------------------------------------------------------------------------------


def version(nest: Loop, clips: Sequence[Clip], guards: Sequence[Guard] = ()) -> Operation | None:
    """``nest  -->  if tests { nest without clips } else { nest }``; the loop without, if any."""
    forms = dict.fromkeys(form for each in (*clips, *guards) for form in each.excess)
    atoms = dict.fromkeys(atom for form in forms for atom in form.coefficients)
    sizes = [atom for atom in atoms if not is_size(atom)]
    tested = [form for form in forms if not is_negative(form)]
    if len(sizes) + len(tested) > MOST_TESTS:
        return None
    fast = _without(nest, clips, guards)
    _read_arrays(fast, forms)
    if not sizes and not tested:
        Rewriter.replace_op(nest, fast)
        return fast
    emit = IndexValues(Builder(InsertPoint.before(nest)))
    tests = [emit.compared(emit.index(size), "ule", MOST) for size in sizes]
    tests += [emit.compared(emit.form(form), "sle", 0) for form in tested]
    condition = emit.all(tests)
    types = [result.type for result in nest.results]
    then, otherwise = Block([fast]), Block()
    _bound(fast, sizes)
    choice = scf.IfOp(condition, types, Region(then), Region(otherwise))
    Rewriter.insert_op(choice, InsertPoint.before(nest))
    for new, old in zip(choice.results, nest.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    nest.detach()
    otherwise.add_op(nest)
    for block, op in ((then, fast), (otherwise, nest)):
        block.add_op(scf.YieldOp(*op.results))
    return fast


def _bound(nest: Operation, sizes: Sequence[SSAValue]) -> None:
    """Let a nest read tested sizes as ``min(size, MOST)``, which other passes know to be sizes."""
    emit = IndexValues(Builder(InsertPoint.before(nest)))
    for size in sizes:
        most = emit.integer(MOST)
        bounded = emit.build.insert(arith.MinUIOp(emit.index(size), most)).result
        values: dict[Attribute, SSAValue] = {bounded.type: bounded}
        for op in operations_in(nest):
            for place, operand in enumerate(op.operands):
                if operand is size or _is_cast_of(operand, size):
                    if operand.type not in values:
                        cast = arith.IndexCastOp(bounded, operand.type)
                        values[operand.type] = emit.build.insert(cast).result
                    op.operands[place] = values[operand.type]


def _is_cast_of(value: SSAValue, size: SSAValue) -> bool:
    return isinstance(value.owner, arith.IndexCastOp) and value.owner.input is size


def _without(nest: Loop, clips: Sequence[Clip], guards: Sequence[Guard]) -> Loop:
    """A copy of a nest that does not clip, and whose stores are not guarded."""
    values = dict[SSAValue, SSAValue]()
    copy = copy_of(nest, values)
    for clip in clips:
        position = values.get(clip.position, clip.position)
        values[clip.value].replace_all_uses_with(position)
    for guard in guards:
        hold(values[guard.test.result])
    for region in copy.regions:
        erase_unused(region.block)
    return copy


def _read_arrays(nest: Loop, known: Collection[LinearForm]) -> None:
    """``if a is empty { zeros } else { a }  -->  a``, where a load is of an element of it."""
    clips = Clips(nest)
    for load in operations_of(nest, memref.LoadOp):
        choice = load.memref.owner
        if isinstance(choice, scf.IfOp) and (sizes := _sizes_of_zero(choice.cond)):
            last = choice.false_region.block.last_op
            assert last is not None
            array = last.operands[choice.results.index(load.memref)]
            is_visible = not is_within(array, choice)
            if is_visible and all(clips.is_element(load, size, known) for size in sizes):
                load.operands[0] = array
    for region in nest.regions:
        erase_unused(region.block)


def _sizes_of_zero(condition: SSAValue) -> Sequence[SSAValue]:
    """The sizes one of which is 0 if a condition holds; none if they are not known."""
    op = condition.owner
    if isinstance(op, arith.OrIOp):
        parts = [_sizes_of_zero(operand) for operand in op.operands]
        return [size for part in parts for size in part] if all(parts) else ()
    if not isinstance(op, arith.CmpiOp) or predicate_of(op) != "eq" or known_int(op.rhs) != 0:
        return ()
    return [op.lhs]


def version_loops(function: func.FuncOp, analyses: AnalysisManager) -> None:
    """Version the nests of a function that clip positions, and irregular loops in these."""
    for op in operations_of(function, scf.ParallelOp):
        leave_out_of_bounds(op)
        if has_rows(op) or has_common_loops(op):
            split_rows(op)
    for nest in list(nests(function)):
        found, fast = Clips(nest), None
        clips = found.found()
        if any(_is_inner(clip, nest) or found.matters(clip) for clip in clips):
            fast = version(nest, clips, found.guards())
        if fast is not None:
            analyses.note(fast, "positions are clipped only if a test says so")
        for loop in list(irregular_loops(nest if fast is None else fast)):
            found = Clips(loop)
            clips = [clip for clip in found.found() if found.matters(clip)]
            if clips and version(loop, clips) is not None:
                analyses.note(loop, "positions are clipped only if a test before it says so")
    for loop in operations_in(function):
        if isinstance(loop, scf.WhileOp | scf.ForOp):
            clip_in_branches(loop)


def _is_inner(clip: Clip, nest: Loop) -> bool:
    """Whether a clip is in a loop inside a nest."""
    op = clip.value.owner
    return isinstance(op, Operation) and any(
        isinstance(each, scf.ForOp) and each is not nest
        for each in around(op.parent_op())
        if nest.is_ancestor(each)
    )


class VersionLoopsPass(FunctionPass):
    """Tests before a nest of loops whether positions are in bounds, and clips them only if not.

    Before::

        scf.parallel (%i) = (%c0) to (%n) step (%c1) {
          %p = arith.minsi %i, %last : index
          %q = arith.maxsi %p, %c0 : index
          %x = memref.load %a[%q] : memref<?xf64>
          ...

    After::

        %0 = arith.subi %n, %last : index
        ...
        %in_bounds = arith.cmpi sle, .. : index
        scf.if %in_bounds {
          scf.parallel (%i) = (%c0) to (%n) step (%c1) {
            %x = memref.load %a[%i] : memref<?xf64>
            ...
        } else {
          scf.parallel (%i) = (%c0) to (%n) step (%c1) { .. as before .. }
        }

    A test compares the bounds of a position, as linear forms in values from outside of the nest,
    with those of the axis. The nests are the outermost parallel loops, and other loops without any.
    A clip stays in both if its position is no linear form, or the test is likely to fail, as at the
    border of a stencil. Loops of products are plain then, for ``raise-products``. Stores that are
    guarded by such a position, unsigned below the size of the axis, are tested likewise. An array
    whose elements are read needs no zeros in its place in case that it is empty.

    A parallel loop whose steps do nothing where ``i + k`` is out of bounds, for a sum k of sizes,
    ends before these: the rows of a table over intervals, for those of one length.

    A loop by a condition, such as one that follows links, is no loop of vectors, nor is one over a
    counter that carries a position. The positions are clipped in a branch that is seldom taken, so
    that loads need not wait for the clip::

        %p = scf.if %in_bounds -> (index) { yield %i } else { .. yield %q } {ein.likely}

    An inner loop whose number of steps varies in the nest, such as one over the elements of a
    sparse row, has a test of its own before it, for positions that vary with its counter alone.
    If the elements of a row are such loops, with one count, and read neighbours, the row is a loop
    in the nest, and the count and the test are before the row: `interchange-loops` then runs the
    loops for a block of the row. So is a row that shares a loop, such as the last state of a
    trajectory: the loop runs once for it.
    """

    name = "version-loops"
    looks_for = (scf.ParallelOp, scf.ForOp, scf.WhileOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        version_loops(function, analyses)
