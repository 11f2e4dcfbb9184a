"""The linearisation of loops: folds of tangents, and the values that they need of each step.

A fold of a linear step needs the accumulators before its steps. With ``saves``, the original fold
saves them in arrays, so that the derivative is linear in all it carries and can be transposed;
otherwise the derivative carries them along with their tangents.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.phi.unobserved_fields import used_fields
from ein_mlir.analysis.scopes import captured, home_of
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.bounds import resized
from ein_mlir.rewriting.phi.derivatives.changing_sizes import count_of_one_size
from ein_mlir.rewriting.phi.derivatives.checkpoints import chunk_length, in_chunks, is_in_chunks
from ein_mlir.rewriting.phi.derivatives.decisions import sizes_of_decisions
from ein_mlir.rewriting.phi.derivatives.residuals import are_shared, in_arrays
from ein_mlir.rewriting.phi.derivatives.searches import extreme, last_replacements
from ein_mlir.rewriting.phi.derivatives.sizes import sizes_at
from ein_mlir.rewriting.phi.derivatives.steps import Step, linear_operations, linear_step
from ein_mlir.rewriting.phi.derivatives.tangents import (
    Leaf,
    Linearization,
    at_end,
    is_differentiable,
    set_yielded,
    zeros,
)
from ein_mlir.rewriting.phi.fields import drop_unused_fields, extended
from ein_mlir.rewriting.phi.insertion import Builder, Inserter


def _restore(op: phi.FoldOp | phi.WhileOp) -> None:
    """Remove the linear operations and variables from the body of a loop."""
    block = op.body.block
    erase_unused(block)
    drop_unused_fields(block)
    erase_unused(block)
    for arg in reversed(block.args[2:]):
        block.erase_arg(arg)


def _active_leaves(lin: Linearization, op: phi.FoldOp | phi.WhileOp) -> list[int]:
    """The leaves of an accumulator that a parameter may reach, by the flow of data."""
    types, paths = leaf_types(op.init.type), leaf_paths(op.init.type)
    pending: list[tuple[SSAValue, phi.Path]] = []
    for number, tangent in enumerate(lin.of(op.init)):
        if tangent is not None:
            pending.append((op.accumulator, paths[number]))
    for value in set(captured(op)):
        for path, tangent in zip(leaf_paths(value.type), lin.of(value), strict=True):
            if tangent is not None:
                pending.append((value, path))
    reached = set(pending)
    while pending:
        value, path = pending.pop()
        for use in value.uses:
            if use.operation is op or not op.is_ancestor(use.operation):
                continue
            for flow in phi.flow(use.operation, use.index):
                followed = flow.follow(path)
                if followed is not None:
                    new = {
                        (flow.target, leaf)
                        for leaf, type_ in zip(
                            leaf_paths(flow.target.type), leaf_types(flow.target.type), strict=True
                        )
                        if leaf[: len(followed)] == followed and is_differentiable(type_)
                    }
                    pending.extend(new - reached)
                    reached |= new
    return [
        k
        for k, path in enumerate(paths)
        if (op.accumulator, path) in reached and is_differentiable(types[k])
    ]


def fold(lin: Linearization, op: phi.FoldOp | phi.WhileOp, build: Inserter) -> None:
    """A fold of tangents, with the accumulators that the steps need."""
    if isinstance(op, phi.FoldOp) and extreme(lin, op, build):
        return
    if isinstance(op, phi.WhileOp) and lin.saves:
        return  # It counts the steps of a fold: see `whiles_as_folds`.
    active = _active_leaves(lin, op)
    if not active:
        return
    if isinstance(op, phi.FoldOp) and last_replacements(lin, op, active, build):
        return
    if isinstance(op, phi.WhileOp) or not lin.saves:
        given, after = linear_operations(lin, op, active)
        init = _initial(lin, Builder.before(op), op, active)
        value, tangents = _extended(op, given, init, after)
    else:
        step = linear_step(lin, op, active)
        if (length := _chunk_length(lin, op, step)) is not None:
            _region(step.block).drop_all_references()
            _restore(op)
            fold(lin, in_chunks(op, length), build)
            return
        value, arrays = op.result, _shared(lin, op, step.saved())
        if step.is_saving(arrays):
            value, saved = _saved(op, step, arrays)
            arrays.update(saved)
        _restore(op)
        init = _initial(lin, build, op, active)
        count = count_of_one_size(build, op, sorted({*active, *step.needed()}))
        tangents = _with_largest_sizes(build, step, count, init, arrays, value)
    result: list[SSAValue | None] = [None] * len(leaf_types(value.type))
    for number, tangent in zip(active, tangents, strict=True):
        result[number] = tangent
    lin.define(value, result)
    if value is not op.result:
        op.result.replace_all_uses_with(value)
        Rewriter.erase_op(op)


def _initial(
    lin: Linearization, build: Inserter, op: phi.FoldOp | phi.WhileOp, active: Sequence[int]
) -> list[SSAValue]:
    """The tangents before the first step."""
    leaves, given = build.leaves(op.init), lin.of(op.init)
    return [given[k] or zeros(build, leaves[k]) for k in active]


def _extended(
    op: phi.FoldOp | phi.WhileOp,
    values: Sequence[SSAValue],
    first: Sequence[SSAValue],
    following: Sequence[SSAValue],
) -> tuple[SSAValue, list[SSAValue]]:
    """The results of a loop that also carries values, and of these."""
    build = Builder.before(op)
    loop = extended(op, values, first, following)
    loop.location = op.location
    leaves = build.leaves(loop.result)
    own = len(leaves) - len(first)
    return build.record(op.result.type, leaves[:own]), leaves[own:]


def _chunk_length(lin: Linearization, op: phi.FoldOp, step: Step) -> SSAValue | None:
    """The steps of a chunk, if a loop saves values and is to be in chunks."""
    if lin.checkpoint is None or not lin.saves or not step.is_saving() or is_in_chunks(op):
        return None
    build = Builder.before(op)
    saved = list(_kinds(build, op, step).values())
    return chunk_length(build, op.count, saved, lin.checkpoint)


def _with_largest_sizes(
    build: Inserter,
    step: Step,
    count: SSAValue,
    init: Sequence[SSAValue],
    arrays: Mapping[SSAValue, SSAValue],
    value: SSAValue,
) -> list[SSAValue]:
    """The linear fold, whose tangents have the largest sizes of the leaves in all steps."""
    start, after, end = list(init), list(step.after), at_end(step.block)
    likes = build.leaves(value)
    for number, leaf in enumerate(step.active):
        if most := step.largest.get(step.leaves[leaf]):
            start[number] = resized(build, start[number], most, {})
            after[number] = resized(end, after[number], most, {})
    found = _linear_fold(build, step, count, start, after, arrays)
    return [
        resized(build, tangent, dict(enumerate(build.sizes_of(likes[leaf]))), {})
        if step.leaves[leaf] in step.largest
        else tangent
        for leaf, tangent in zip(step.active, found, strict=True)
    ]


def _linear_fold(
    build: Inserter,
    step: Step,
    count: SSAValue,
    init: Sequence[SSAValue],
    after: Sequence[SSAValue],
    arrays: Mapping[SSAValue, SSAValue],
) -> list[SSAValue]:
    """``fold (k < n, da = ..) { de }``, where some variables are element ``k`` of arrays."""
    block = step.block
    set_yielded(block, after)
    at_start = Builder.at_start(block)
    for variable, array in arrays.items():
        element = at_start.get(array, [block.args[0]])
        variable.replace_all_uses_with(element)
    first = packed_argument(block, step.tangents)
    for arg in reversed(block.args[1:]):
        if arg is not first:
            block.erase_arg(arg)
    start = build.packed(init)
    result = build.emit(phi.FoldOp(count, start, _region(block)))
    return build.unpacked(result, len(init))


def packed_argument(block: Block, arguments: Sequence[SSAValue]) -> SSAValue:
    """An argument of a body for several: a record of them, which replaces them."""
    if len(arguments) == 1:
        return arguments[0]
    record = block.insert_arg(phi.tuple_of(arg.type for arg in arguments), len(block.args))
    build = Builder.at_start(block)
    for number, argument in enumerate(arguments):
        argument.replace_all_uses_with(build.proj(record, number))
    return record


def _region(block: Block) -> Region:
    """The region of a body that no operation has yet."""
    assert block.parent is not None
    return block.parent


def _shared(
    lin: Linearization, op: phi.FoldOp, costly: Mapping[SSAValue, Leaf]
) -> dict[SSAValue, SSAValue]:
    """Arrays of costly values that depend on no accumulator, which are computed before a fold.

    The derivative needs all arrays among their leaves that are read. With checkpoints, the fold
    saves values in chunks.
    """
    if lin.checkpoint is not None:
        return {}

    def is_stored(value: SSAValue) -> bool:
        types, saved = leaf_types(value.type), set(costly.values())
        return all(
            phi.is_scalar_type(types[number]) or (value, number) in saved
            for number in used_fields(value)
        )

    is_shared = are_shared(op)
    values = [
        value
        for value in dict.fromkeys(value for value, _ in costly.values())
        if is_shared(value) and is_stored(value)
    ]
    if not values:
        return {}
    leaves = [(value, number) for value in values for number in range(len(leaf_types(value.type)))]
    arrays = dict(zip(leaves, in_arrays(op, [op.count], [op.counter], values), strict=True))
    return {variable: arrays[leaf] for variable, leaf in costly.items() if leaf in arrays}


def _kinds(
    build: Inserter, op: phi.FoldOp, step: Step, shared: Collection[SSAValue] = ()
) -> dict[SSAValue, tuple[Attribute, Sequence[SSAValue]]]:
    """The variables of a linear step for values of each step, with their scalar types and sizes.

    These are leaves of the accumulator before a step, values of the step, and parts of them.
    """
    leaves = [(step.leaves[k], (op.init, k)) for k in step.needed()]
    found = dict[SSAValue, tuple[Attribute, Sequence[SSAValue]]]()
    for variable, leaf in (*leaves, *step.saved().items()):
        if variable not in shared:
            sizes = sizes_at(build, *leaf, home_of(op.result))
            assert sizes is not None
            most = step.largest.get(variable, {})
            sizes = [most.get(axis, size) for axis, size in enumerate(sizes)]
            found[variable] = phi.scalar_of(variable.type), sizes
    for variable, value in step.used_parts().items():
        sizes = sizes_of_decisions(value)
        found[variable] = phi.scalar_of(variable.type), build.copied(step.block, sizes, {})
    return found


def _saved(
    op: phi.FoldOp, step: Step, shared: Collection[SSAValue]
) -> tuple[SSAValue, dict[SSAValue, SSAValue]]:
    """The result of a fold that saves values of each step, and their arrays over the steps.

    The arrays are those of variables of the linear step, except for shared ones.
    """
    build, block = Builder.before(op), op.body.block
    kinds = _kinds(build, op, step, shared)
    start = [build.zeros([op.count, *sizes], scalar) for scalar, sizes in kinds.values()]
    arrays = [block.insert_arg(value.type, len(block.args)) for value in start]
    end = at_end(block)
    known = dict(zip(step.leaves, end.leaves(op.accumulator), strict=True))
    known.update({variable: end.leaves(x)[k] for variable, (x, k) in step.costly.items()})
    known.update({result: known[leaf] for result, leaf in step.results.items()})
    known[step.block.args[0]] = op.counter
    for size, (variable, axis) in step.sizes.items():
        known[size] = end.size(known[variable], axis)
    for variable, part in _in_order(step):
        (known[variable],) = end.copied(step.block, [part], known)
    after = list[SSAValue]()
    for array, variable in zip(arrays, kinds, strict=True):
        value = known[variable]
        if most := step.largest.get(variable):
            value = resized(end, value, most, {})
        after.append(end.update(array, [op.counter], value))
    value, found = _extended(op, arrays, start, after)
    return value, dict(zip(kinds, found, strict=True))


def _in_order(step: Step) -> list[tuple[SSAValue, SSAValue]]:
    """The parts of a step with their variables: each after those that its position depends on."""
    place: dict[SSAValue, int] = {
        value: n for n, op in enumerate(step.block.ops) for value in op.results
    }
    return sorted(step.parts.items(), key=lambda each: place[each[1]])


def history(build: Inserter, count: SSAValue, like: SSAValue) -> SSAValue:
    """An array for a value of each step."""
    return build.zeros([count, *build.sizes_of(like)], phi.scalar_of(like.type))
