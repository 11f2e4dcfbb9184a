"""The value of a fold, where another one that takes fewer steps may not be that of the program."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from functools import partial

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Block, BlockArgument, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.selections import Step, Test
from ein_mlir.analysis.scopes import block_of, is_within, of_kinds
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.float_tests import is_finite, is_infinite
from ein_mlir.rewriting.phi.insertion import Builder, Inserter
from ein_mlir.rewriting.phi.range_reductions import RecomputedValues
from ein_mlir.rewriting.phi.ranges import largest
from ein_mlir.rewriting.phi.replacement import Replacement
from ein_mlir.rewriting.phi.step_values import Known, with_start


def replace_unless_rare(
    build: Replacement,
    op: phi.FoldOp,
    step: Step,
    values: RecomputedValues,
    result: Callable[[Builder, Sequence[SSAValue]], tuple[SSAValue, list[SSAValue]]],
    free: FreeIndices,
    *,
    static: bool,
    is_guarded: bool = True,
    others: SSAValue | None = None,
) -> None:
    """Replace a fold by a ``result`` at the indices of ``values``, but for rare indices.

    Those of a result of floats that is not finite, or for which another of its conditions holds:
    the fold computes all elements then, and has no steps otherwise. There are none that are rare if
    it is not guarded. Where a test for ``others`` holds, the fold computes all elements, too, and
    nothing else does: one fold, for a backend that chooses between loops when a program runs.
    """
    indices, is_rare = values.indices, None
    shared = others if is_guarded and indices and not static else None

    def flagged(inner: Builder, own: Sequence[SSAValue]) -> list[SSAValue]:
        value, rare = result(inner, own)
        if isa(value.type, AnyFloat):
            rare = [is_infinite(inner, value), *rare]
        return [value, inner.select(inner.any_of(rare), 1, 0)]

    if not is_guarded:
        value, _ = result(build, indices)
    elif not indices:
        value, flag = flagged(build, ())
        is_rare = build.compare(flag, "sgt", 0)
    else:
        sizes = list(map(phi.size_of_index, indices))
        results, flags = build.comprehensions(sizes, flagged, indices)
        if shared is not None:
            arrays = build.packed([results, flags])
            zeros = build.packed(
                [build.zeros(sizes, phi.scalar_of(array.type)) for array in (results, flags)]
            )
            steps = build.steps_if(Test(shared, False))
            results, flags = build.unpacked(
                build.fold_over(steps, zeros, lambda _inner, _k, _acc: arrays), 2
            )
        value = build.get(results, indices)
        if len(indices) == 1:
            is_rare = build.compare(largest(build, flags), "sgt", 0)
        else:
            is_rare = build.is_as_expected(build.all_hold(sizes, partial(_is_zero, flags)), False)
    value = with_start(build, op, step, value)
    erase_unused(op.body.block)
    if is_rare is not None:
        if shared is not None:
            is_rare = build.or_(shared, is_rare)
        value = terms_if(build, op, is_rare, value, free, static=static)
    if others is not None and shared is None:
        value = build.select(others, build.insert(copy_of(op)).result, value)
    build.finish(value, free)


def _is_zero(flags: SSAValue, build: Inserter, at: Sequence[SSAValue]) -> SSAValue:
    return build.compare(build.get(flags, at), "eq", 0)


def terms_if(
    build: Builder,
    op: phi.FoldOp,
    test: SSAValue,
    otherwise: SSAValue,
    free: FreeIndices,
    *,
    static: bool,
) -> SSAValue:
    """The value of a fold if a test holds; another value otherwise."""
    if static:
        return _at_indices_if(build, op, test, otherwise, free)
    return steps_if(build, op, test, otherwise)


def _at_indices_if(
    build: Builder, op: phi.FoldOp, test: SSAValue, otherwise: SSAValue, free: FreeIndices
) -> SSAValue:
    """The same as `steps_if`, with the value of one index after the other: loops of numbers.

    These compile in a fraction of the time of loops of arrays. Their count is that of the index.
    """
    values = RecomputedValues(op, free.of(op.result), free)
    if len(values.indices) != 1 or not values.can_have([op.result]):
        return _steps_while(build, op, test, otherwise)
    (index,) = values.indices
    size, zero = phi.size_of_index(index), build.number(0, op.result.type)
    zeros = build.comprehension([size], lambda _, __: zero)

    def step(inner: Builder, k: SSAValue, before: SSAValue) -> SSAValue:
        total = values.at(inner, [k])(op.result)
        return inner.tuple([test, inner.update(inner.leaves(before)[1], [k], total)])

    loop = build.fold_over(size, build.tuple([test, zeros]), step, loop=phi.WhileOp)
    return build.select(test, build.get(build.leaves(loop)[1], [index]), otherwise)


def _steps_while(build: Builder, op: phi.FoldOp, test: SSAValue, otherwise: SSAValue) -> SSAValue:
    """The same as `steps_if`, as a loop by a condition, whose limit is the count of the fold."""
    init = build.select(test, op.init, otherwise)

    def step(inner: Builder, k: SSAValue, before: SSAValue) -> SSAValue:
        known: Known = {op.counter: k, op.accumulator: inner.leaves(before)[1]}
        return inner.tuple([test, *inner.copied(op.body.block, [op.yielded()], known)])

    loop = build.fold_over(
        op.count, build.tuple([test, init]), step, [op.counter], loop=phi.WhileOp
    )
    return build.leaves(loop)[1]


def steps_if(build: Builder, op: phi.FoldOp, test: SSAValue, otherwise: SSAValue) -> SSAValue:
    """A fold if a test holds; another value and no steps otherwise.

    Folds in its steps have none then, either, so that a table of theirs has no elements.
    """
    count, init = build.select(test, op.count, 0), build.select(test, op.init, otherwise)
    body = op.body.clone()
    for inner in of_kinds(body.block.ops, phi.FoldOp):
        if not is_within(inner.count, body.block) and known_int(inner.count) is None:
            inner.operands[0] = build.select(test, inner.count, 0)
    return build.insert(phi.FoldOp(count, init, body)).result


def failures(build: Builder, value: SSAValue, indices: Sequence[BlockArgument]) -> SSAValue:
    """Whether a value in front of a fold is not finite at some of the indices around."""

    def test(inner: Inserter, at: Sequence[SSAValue]) -> SSAValue:
        known = dict[SSAValue, SSAValue](zip(indices, at, strict=True))
        is_around = partial(_is_around, {*known}, block_of(value))
        return is_finite(inner, inner.recomputed(value, known, is_around))

    are_finite = build.all_hold(list(map(phi.size_of_index, indices)), test, indices)
    return build.is_as_expected(are_finite, False)


def _is_around(known: Set[SSAValue], block: Block | None, value: SSAValue) -> bool:
    """Whether a value is in a block, or in a comprehension over one of some indices."""
    if not known:
        return False
    arrays = (index.owner.parent_op() for index in known if isinstance(index.owner, Block))
    return block_of(value) is block or any(
        array is not None and is_within(value, array) for array in arrays
    )
