"""Loops whose accumulators change their sizes: in the linear loop their tangents have one size.

That is the largest size of all steps; the elements from the size at a step on repeat the last one,
which is what clipped positions read::

    fold (k < n, a = x) {                 fold (k < n, da = dx, then its last element up to m) {
      array (i < size a + 1) { a[i] }  -->  r = array (i < s[k] + 1) { da[i] }
    }                                       r, then its last element up to m
                                          }

where the original loop saves its sizes ``s``, and ``m`` is the largest of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.phi.size_equivalence import terms_of
from ein_mlir.analysis.phi.speculation import any_may_fail
from ein_mlir.analysis.scopes import (
    around,
    blocks_around,
    captured,
    dependents,
    is_within,
    needed_within,
)
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Path, Term
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.rewriting.phi.carried_sizes import Place, carrying_sizes, size_of, size_reads
from ein_mlir.rewriting.phi.derivatives.checkpoints import is_recomputed
from ein_mlir.rewriting.phi.derivatives.sizes import made_of, number_of
from ein_mlir.rewriting.phi.fields import Parts, fields_behind
from ein_mlir.rewriting.phi.insertion import Builder, Inserter


def keeps_size(op: phi.FoldOp, path: Path, axis: int, seen: Set[Term] = frozenset()) -> bool:
    """Whether each step of a fold plainly keeps a size of its accumulator.

    It may become that of another field, which starts with the same size and keeps it.
    """
    before = Term(op.accumulator, path, axis)
    if before in seen:
        return True
    known = seen | {before}
    start = _origin(op, Term(op.init, path, axis), known)
    after = _origin(op, Term(op.yielded(), path, axis), known)
    if (number := number_of(start)) is not None and number == number_of(after):
        return True
    if after in (before, start) or after.value is not op.accumulator or after.axis is None:
        return after in (before, start)
    is_same = start == _origin(op, Term(op.init, after.path, after.axis), known)
    return is_same and keeps_size(op, after.path, after.axis, known)


def _origin(op: phi.FoldOp, term: Term, known: Set[Term]) -> Term:
    """The size or Int that a size is, by the operations that make arrays, and keep their sizes."""
    while term.value is not op.accumulator and (found := made_of(term)) is not None:
        loop, axis = _loop_of(term.value), term.axis
        if loop is not None and axis is not None and not keeps_size(loop, term.path, axis, known):
            break
        term = found
    return term


def _loop_of(value: SSAValue) -> phi.FoldOp | None:
    """The fold whose accumulator or result a value is."""
    op = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    return op if isinstance(op, phi.FoldOp) else None


def has_one_size(op: phi.FoldOp, path: Path, axis: int) -> bool:
    """Whether an accumulator has its first size before all steps of a fold.

    Each step keeps it, or asserts that it is a size that all steps have.
    """
    own = Term(op.accumulator, path, axis)
    return keeps_size(op, path, axis) or any(
        _asserts(op, each, own) for each in _run_in_each_step(op.body.block)
    )


def _run_in_each_step(block: Block) -> Iterator[Operation]:
    """The operations of a body in no loop that may have no step, but for comprehensions."""
    for op in block.ops:
        yield op
        if isinstance(op, phi.ArrayOp):
            yield from _run_in_each_step(op.body.block)


def _asserts(op: phi.FoldOp, each: Operation, own: Term) -> bool:
    """Whether an operation, or each step of a chunk, compares a size with one of all steps."""
    if isinstance(each, phi.AssertEqOp):
        ends = [_origin(op, Term(value), frozenset()) for value in each.operands]
        return own in ends and any(_is_fixed(op, end) for end in ends)
    if isinstance(each, phi.FoldOp) and is_recomputed(each) and own.axis is not None:
        start = Term(each.init, own.path, own.axis)
        return start == own and has_one_size(each, own.path, own.axis)
    return False


def _is_fixed(op: phi.FoldOp, end: Term) -> bool:
    """Whether a size or an Int is from outside of a fold, or of an accumulator that keeps it."""
    if end.value is op.accumulator and end.axis is not None:
        return keeps_size(op, end.path, end.axis)
    return not is_within(end.value, op)


def size_after(op: phi.FoldOp, path: Path, axis: int) -> Term | None:
    """The size that an accumulator has after each step, if an array from outside has it.

    So has another accumulator that keeps its size.
    """
    found = _origin(op, Term(op.yielded(), path, axis), frozenset())
    if found.value is op.accumulator and found.axis is not None:
        other, own = found.path, found.axis
        found = Term(op.init, other, own) if keeps_size(op, other, own) else found
    return None if found.axis is None or is_within(found.value, op) else found


def count_of_one_size(build: Inserter, op: phi.FoldOp, leaves: Iterable[int]) -> SSAValue:
    """The number of steps, asserted to be 0 if accumulators do not start with their later sizes."""
    paths, types, same = leaf_paths(op.init.type), leaf_types(op.init.type), list[SSAValue]()
    for leaf in leaves:
        for axis in range(phi.rank_of(types[leaf])):
            after = size_after(op, paths[leaf], axis)
            if after is not None and not has_one_size(op, paths[leaf], axis):
                first = build.size(build.field(op.init, paths[leaf]), axis)
                later = build.size(build.field(after.value, after.path), after.axis or 0)
                same.append(build.compare(first, "eq", later))
    if not same:
        return op.count
    steps = build.select(build.all_of(same), op.count, 0)
    return build.emit(phi.AssertEqOp(op.count, steps, _CHANGED))


_CHANGED = "accumulator of another size after a step: number of steps and number with a derivative"


def changing_axes(op: phi.FoldOp) -> dict[int, list[int]]:
    """The axes of leaves of an accumulator whose sizes differ between steps, as far as is known."""
    paths, found = leaf_paths(op.init.type), dict[int, list[int]]()
    for leaf, (path, type_) in enumerate(zip(paths, leaf_types(op.init.type), strict=True)):
        axes = [
            axis
            for axis in range(phi.rank_of(type_))
            if not has_one_size(op, path, axis) and size_after(op, path, axis) is None
        ]
        if axes:
            found[leaf] = axes
    return found


def sizes_change(
    op: phi.FoldOp, changing: Mapping[int, Sequence[int]]
) -> Callable[[SSAValue], bool]:
    """A predicate: whether sizes of a value of a step depend on changing ones of the accumulator.

    Those of a loop in the steps of another may be others in each of these, and so may be those of
    a loop in the step that changes them.
    """
    places, paths = _places(changing), leaf_paths(op.accumulator.type)
    reads = size_reads(op, places)
    behind = {each for read in reads for each in dependents(op.body.block, read)}
    changed = {(paths[leaf], axis) for leaf, axis in places}
    is_inner = any(isinstance(block.parent_op(), phi.LoopOp) for block in blocks_around(op))

    def changes(value: SSAValue) -> bool:
        own = value.owner
        is_kept = not is_inner and isinstance(own, phi.FoldOp) and not changing_axes(own)
        ends = (_origin(op, term, frozenset()) for term in terms_of(value) if term.axis is not None)
        return any(
            end.value in behind
            or (
                end.value is op.accumulator
                and not has_one_size(op, end.path, end.axis or 0)
                and (not is_kept or (end.path, end.axis) in changed)
            )
            for end in ends
        )

    return changes


def largest_sizes(
    op: phi.FoldOp, changing: Mapping[int, Sequence[int]]
) -> dict[int, dict[int, SSAValue]]:
    """The largest sizes of axes of leaves of the accumulator, by a loop before a fold.

    It carries the sizes next to the accumulator: where they are all that it needs, it is before the
    loops around that they do not depend on, too. So a sum over many such loops has arrays of one
    size, and takes their steps together.
    """
    build, places = Builder.before(op), _places(changing)
    start = build.leaves(op.init)
    loop = carrying_sizes(op, places, [size_of(build, start[leaf], axis) for leaf, axis in places])
    found = build.leaves(loop.result)[-2 * len(places) :]
    found = _of_sizes_alone(loop, len(start), len(places)) or found
    sizes = dict(zip(places, found, strict=False))
    return {leaf: {axis: sizes[leaf, axis] for axis in axes} for leaf, axes in changing.items()}


def _of_sizes_alone(loop: phi.FoldOp, arrays: int, count: int) -> list[SSAValue]:
    """The largest sizes by a loop that carries no arrays; empty if they depend on some."""
    wanted = range(arrays, arrays + count)
    fields = sorted(fields_behind(loop, wanted))
    if not fields or fields[0] < arrays:
        return []
    parts = Parts(loop, Builder.before(loop).leaves(loop.init))
    fold, ops = parts.inserted(fields)
    if not is_nonnegative(fold.count):  # then the loop itself fails, if it runs
        fold.operands[0] = Builder.before(fold).max(fold.count, 0)
    finals = parts.finals(fields, ops)
    found, place = [finals[field] for field in wanted], _place_of(fold)
    if place is fold:
        return found
    build, known = Builder.before(place), dict[SSAValue, SSAValue]()
    return [build.recomputed(each, known, lambda value: is_within(value, place)) for each in found]


def _place_of(fold: phi.FoldOp) -> Operation:
    """The outermost loop around a fold that it does not depend on."""
    place: Operation = fold
    for loop in around(fold.parent_op()):
        if not isinstance(loop, phi.FoldOp | phi.ComprehensionOp):
            break
        needed = needed_within(loop, fold.results)
        inputs = (value for op in needed for value in (*op.operands, *captured(op)))
        varies = any(isinstance(value.owner, Block) and is_within(value, loop) for value in inputs)
        if varies or any(map(any_may_fail, needed)):
            break
        place = loop
    return place


def _places(changing: Mapping[int, Sequence[int]]) -> list[Place]:
    return [(leaf, axis) for leaf, axes in changing.items() for axis in axes]
