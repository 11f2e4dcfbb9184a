"""The linearisation of loops: folds of tangents, and the values that they need of each step.

A fold of a linear step needs the accumulators before its steps. With ``saves``, the original fold
saves them in arrays, so that the derivative is linear in all it carries and can be transposed;
otherwise the derivative carries them along with their tangents.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.scopes import captured, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.builders import copied, packed, unpacked
from ein_mlir.rewriting.phi.derivatives.checkpoints import chunk_length, in_chunks, is_in_chunks
from ein_mlir.rewriting.phi.derivatives.decisions import decisions, sizes_of_decisions
from ein_mlir.rewriting.phi.derivatives.residuals import (
    costly_values,
    elements_read,
    in_arrays,
    is_shared,
    keeps_size,
    replace_record,
)
from ein_mlir.rewriting.phi.derivatives.searches import extreme
from ein_mlir.rewriting.phi.derivatives.sizes import has_sizes, home_of, size_at, sizes_at
from ein_mlir.rewriting.phi.derivatives.tangents import (
    Leaf,
    Linearization,
    at_end,
    cloned,
    filled,
    is_differentiable,
    set_yielded,
    sizes_of,
    zeros,
)
from ein_mlir.rewriting.phi.derivatives.written_once import read_result
from ein_mlir.rewriting.phi.fields import drop_unused_fields, used_fields
from ein_mlir.rewriting.phi.insertion import Builder, Emitter, Inserter


@dataclass(frozen=True)
class _Step:
    """The linearised step of a loop: a body of its counter, accumulator and further variables."""

    block: Block
    leaves: Sequence[SSAValue]
    """The leaves of the accumulator."""
    active: Sequence[int]
    """The numbers of the leaves with tangents."""
    tangents: Sequence[SSAValue]
    """The variables for the tangents before the step."""
    after: Sequence[SSAValue]
    """The tangents after the step."""
    costly: Mapping[SSAValue, Leaf]
    """Variables for leaves of costly results, and these leaves in the original step."""
    sizes: Mapping[SSAValue, tuple[SSAValue, int]]
    """Sizes before the loop that are those of variables along an axis."""
    parts: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Variables that a step needs instead of arrays: Bools, arrays of them, and elements."""
    results: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """Arrays after the loop that are read instead of these variables, which they equal there."""

    def needed(self) -> list[int]:
        """The leaves of the accumulator that the tangents after a step depend on."""
        return [number for number, leaf in enumerate(self.leaves) if leaf in self._used()]

    def saved(self) -> dict[SSAValue, Leaf]:
        """The leaves of costly results that the tangents after a step depend on."""
        used = self._used()
        return {variable: leaf for variable, leaf in self.costly.items() if variable in used}

    def used_parts(self) -> dict[SSAValue, SSAValue]:
        """The Bools and elements of the step that the tangents after it depend on."""
        used = self._used()
        return {variable: value for variable, value in self.parts.items() if variable in used}

    def is_saving(self, shared: Collection[SSAValue] = ()) -> bool:
        """Whether the loop saves values of its steps, except for shared ones."""
        return bool(self.needed() or self.used_parts() or self.saved().keys() - set(shared))

    def _used(self) -> set[SSAValue]:
        ops = slice_of(self.block, self.after)
        return {value for op in ops for value in operands_within(op)} | set(self.after)


def _linear_step(lin: Linearization, op: phi.FoldOp | phi.WhileOp, active: Sequence[int]) -> _Step:
    """The linearised step, with tangents of some leaves of the accumulator.

    The original step has linear operations, too, and variables for tangents: see `_restore`.
    """
    original, types = op.body.block, leaf_types(op.init.type)
    given = {k: original.insert_arg(types[k], len(original.args)) for k in active}
    lin.define(op.accumulator, [given.get(k) for k in range(len(types))])
    lin.block(original)
    found, end = lin.of_yielded(original), at_end(original)
    likes = end.leaves(op.accumulator)
    after = [found[k] or zeros(end, likes[k]) for k in active]
    costly = list[SSAValue]()
    if lin.saves and isinstance(op, phi.FoldOp):
        costly = [
            value
            for value in costly_values(original, after, lin.linear)
            if has_sizes(value, home_of(op.result))
        ]
    body, copies = cloned(op.body, [*after, *costly, *given.values()])
    block, rest = body.block, iter(copies)
    after = [next(rest) for _ in after]
    variables = dict[SSAValue, Leaf]()
    for value in costly:
        for number, variable in enumerate(_split(block, next(rest))):
            variables[variable] = (value, number)
    tangents = list(rest)
    leaves = _split(block, block.args[1]) if isa(op.init.type, TupleType) else [block.args[1]]
    sizes = _read_sizes_before(op, leaves, variables) if isinstance(op, phi.FoldOp) else {}
    step = _Step(block, leaves, active, tangents, after, variables, sizes)
    if isinstance(op, phi.FoldOp) and lin.saves:
        _save_parts(lin, op, step)
    return step


def _save_parts(lin: Linearization, op: phi.FoldOp, step: _Step) -> None:
    """Let a linear step read Bools, or elements, in place of arrays that they are taken from."""
    step.results.update(read_result(op, step.block, step.after, step.leaves))
    trial = Emitter()
    roots: dict[SSAValue, Leaf] = {leaf: (op.init, k) for k, leaf in enumerate(step.leaves)}
    for variable, leaf in step.costly.items():
        if lin.checkpoint is not None or not is_shared(op, leaf[0]):
            roots[variable] = leaf
    sizes = {
        variable: partial(sizes_at, trial, *leaf, home_of(op.result))
        for variable, leaf in roots.items()
    }
    found = decisions(step.block, step.after, {*step.tangents, *lin.linear}, sizes)
    trial.discard()
    _replace_by_variables(step, found)
    _replace_by_variables(step, elements_read(step.block, step.after, step.leaves))


def _replace_by_variables(step: _Step, values: Sequence[SSAValue]) -> None:
    for value in values:
        variable = step.block.insert_arg(value.type, len(step.block.args))
        value.replace_all_uses_with(variable)
        step.parts[variable] = value


def _read_sizes_before(
    op: phi.FoldOp, leaves: Sequence[SSAValue], costly: Mapping[SSAValue, Leaf]
) -> dict[SSAValue, tuple[SSAValue, int]]:
    """Let sizes in a linear step be those of values before the loop: they need no saved arrays."""
    build, found = Builder.before(op), dict[SSAValue, tuple[SSAValue, int]]()
    terms: list[tuple[SSAValue, int, Term]] = []
    for leaf, path, type_ in zip(
        leaves, leaf_paths(op.init.type), leaf_types(op.init.type), strict=True
    ):
        for axis in range(phi.rank_of(type_)):
            if keeps_size(op, path, axis):
                terms.append((leaf, axis, Term(op.init, path, axis)))
    for variable, (value, number) in costly.items():
        path = leaf_paths(value.type)[number]
        for axis in range(phi.rank_of(variable.type)):
            terms.append((variable, axis, Term(value, path, axis)))
    for variable, axis, term in terms:
        for use in list(variable.uses):
            size = use.operation
            if isinstance(size, phi.SizeOp) and size.axis.value.data == axis:
                before = size_at(build, term, home_of(op.result))
                assert before is not None
                Rewriter.replace_op(size, (), (before,))
                found[before] = variable, axis
    return found


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


def _split(block: Block, record: SSAValue) -> list[SSAValue]:
    """Replace a value of a body by its leaves, which are arguments of the body."""
    leaves: list[SSAValue] = [
        block.insert_arg(type_, len(block.args)) for type_ in leaf_types(record.type)
    ]
    build = Builder.at_start(block)
    replace_record(record, build.record(record.type, leaves))
    return leaves


def fold(lin: Linearization, op: Operation, build: Inserter) -> None:
    """A fold of tangents, with the accumulators that the steps need."""
    assert isinstance(op, phi.FoldOp | phi.WhileOp)
    if isinstance(op, phi.FoldOp) and extreme(lin, op, build):
        return
    if isinstance(op, phi.WhileOp) and lin.saves:
        return  # It counts the steps of a fold: see `whiles_as_folds`.
    active = _active_leaves(lin, op)
    if not active:
        return
    step = _linear_step(lin, op, active)
    if isinstance(op, phi.FoldOp) and (length := _chunk_length(lin, op, step)) is not None:
        _region(step.block).drop_all_references()
        _restore(op)
        fold(lin, in_chunks(op, length), build)
        return
    start = lin.of(op.init)
    leaves = build.leaves(op.init)
    init = [start[k] or zeros(build, leaves[k]) for k in step.active]
    if isinstance(op, phi.WhileOp) or (step.needed() and not lin.saves):
        value, tangents = _mixed_loop(op, build, step, init)
    else:
        value, arrays = op.result, _shared(lin, op, step.saved())
        if step.is_saving(arrays):
            value, saved = _saved(op, step, arrays)
            arrays.update(saved)
        _restore(op)
        tangents = _linear_fold(op, build, step, init, arrays)
    result: list[SSAValue | None] = [None] * len(step.leaves)
    for number, tangent in zip(step.active, tangents, strict=True):
        result[number] = tangent
    lin.define(value, result)
    if value is not op.result:
        op.result.replace_all_uses_with(value)
        Rewriter.erase_op(op)


def _chunk_length(lin: Linearization, op: phi.FoldOp, step: _Step) -> SSAValue | None:
    """The steps of a chunk, if a loop saves values and is to be in chunks."""
    if lin.checkpoint is None or not lin.saves or not step.is_saving() or is_in_chunks(op):
        return None
    build = Builder.before(op)
    saved = list(_kinds(build, op, step).values())
    return chunk_length(build, op.count, saved, lin.checkpoint)


def _linear_fold(
    op: phi.FoldOp,
    build: Inserter,
    step: _Step,
    init: Sequence[SSAValue],
    arrays: Mapping[SSAValue, SSAValue],
) -> list[SSAValue]:
    """``fold (k < n, da = ..) { de }``, where some variables are element ``k`` of arrays."""
    block = step.block
    set_yielded(block, step.after)
    at_start = Builder.at_start(block)
    for variable, array in arrays.items():
        element = at_start.get(array, [block.args[0]])
        variable.replace_all_uses_with(element)
    first = packed_argument(block, step.tangents)
    for arg in reversed(block.args[1:]):
        if arg is not first:
            block.erase_arg(arg)
    start = packed(build, init)
    result = build.emit(phi.FoldOp(op.count, start, _region(block)))
    return unpacked(build, result, len(init))


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

    values = [
        value
        for value in dict.fromkeys(value for value, _ in costly.values())
        if is_shared(op, value) and is_stored(value)
    ]
    if not values:
        return {}
    leaves = [(value, number) for value in values for number in range(len(leaf_types(value.type)))]
    arrays = dict(zip(leaves, in_arrays(op, [op.count], [op.counter], values), strict=True))
    return {variable: arrays[leaf] for variable, leaf in costly.items() if leaf in arrays}


def _kinds(
    build: Inserter, op: phi.FoldOp, step: _Step, shared: Collection[SSAValue] = ()
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
            found[variable] = phi.scalar_of(variable.type), sizes
    for variable, value in step.used_parts().items():
        sizes = sizes_of_decisions(value)
        found[variable] = phi.scalar_of(variable.type), copied(build, step.block, sizes, {})
    return found


def _saved(
    op: phi.FoldOp, step: _Step, shared: Collection[SSAValue]
) -> tuple[SSAValue, dict[SSAValue, SSAValue]]:
    """The result of a fold that saves values of each step, and their arrays over the steps.

    The arrays are those of variables of the linear step, except for shared ones.
    """
    build = Builder.before(op)
    kinds = _kinds(build, op, step, shared)
    start = [op.init]
    for scalar, sizes in kinds.values():
        start.append(filled(build, [op.count, *sizes], scalar))
    body, copies = cloned(op.body, [value for value, _ in step.costly.values()])
    block = body.block
    arrays = [block.insert_arg(value.type, len(block.args)) for value in start[1:]]
    record = packed_argument(block, [block.args[1], *arrays])
    inner = Builder.at_start(block)
    carried = [inner.proj(record, k) for k in range(len(start))]
    leaves = inner.leaves(carried[0])
    terminator = block.last_op
    assert isinstance(terminator, phi.YieldOp)
    end = at_end(block)
    known = dict(zip(step.leaves, leaves, strict=True))
    for copy, (variable, (_, number)) in zip(copies, step.costly.items(), strict=True):
        known[variable] = end.leaves(copy)[number]
    known.update({result: known[leaf] for result, leaf in step.results.items()})
    known[step.block.args[0]] = block.args[0]
    for size, (variable, axis) in step.sizes.items():
        known[size] = end.size(known[variable], axis)
    for variable, part in _in_order(step):
        (known[variable],) = copied(end, step.block, [part], known)
    after = [terminator.value]
    for array, variable in zip(carried[1:], kinds, strict=True):
        value = known[variable]
        after.append(end.emit(phi.UpdateOp(array, [block.args[0]], value)))
    Rewriter.replace_op(terminator, phi.YieldOp(end.tuple(after)), ())
    erase_unused(block)
    for arg in reversed(block.args[1:]):
        if arg is not record:
            block.erase_arg(arg)
    fold = build.insert(phi.FoldOp(op.count, build.tuple(start), body))
    fold.attributes.update(op.attributes)
    fold.location = op.location
    value, *found = unpacked(build, fold.result, len(start))
    return value, dict(zip(kinds, found, strict=True))


def _in_order(step: _Step) -> list[tuple[SSAValue, SSAValue]]:
    """The parts of a step with their variables: each after those that its position depends on."""
    place: dict[SSAValue, int] = {
        value: n for n, op in enumerate(step.block.ops) for value in op.results
    }
    return sorted(step.parts.items(), key=lambda each: place[each[1]])


def history(build: Inserter, count: SSAValue, like: SSAValue) -> SSAValue:
    """An array for a value of each step."""
    return filled(build, [count, *sizes_of(build, like)], phi.scalar_of(like.type))


def _mixed_loop(
    op: phi.FoldOp | phi.WhileOp, build: Inserter, step: _Step, init: Sequence[SSAValue]
) -> tuple[SSAValue, list[SSAValue]]:
    """``fold (k < n, (acc, da) = ..) { (e, de) }``, or ``while .. (on, acc, da) = ..``."""
    block = step.block
    terminator = block.last_op
    assert isinstance(terminator, phi.YieldOp)
    is_while = isinstance(op, phi.WhileOp)

    def whole(inserter: Inserter, value: SSAValue, tangents: Sequence[SSAValue]) -> SSAValue:
        condition = [inserter.proj(value, 0)] if is_while else []
        return inserter.tuple([*condition, value, *tangents])

    end = at_end(block)
    after = whole(end, terminator.value, step.after)
    Rewriter.replace_op(terminator, phi.YieldOp(after), ())
    record = block.insert_arg(after.type, len(block.args))
    inner = Builder.at_start(block)
    first = int(is_while)
    old = inner.proj(record, first)
    for leaf, value in zip(step.leaves, inner.leaves(old), strict=True):
        leaf.replace_all_uses_with(value)
    for number, tangent in enumerate(step.tangents):
        new = inner.proj(record, first + 1 + number)
        tangent.replace_all_uses_with(new)
    for arg in reversed(block.args[1:-1]):
        block.erase_arg(arg)
    erase_unused(block)
    start = whole(build, op.init, init)
    loop = build.insert(type(op)(op.count, start, _region(block)))
    loop.location = op.location
    fields = range(first, first + 1 + len(init))
    found: list[SSAValue] = [build.proj(loop.result, k) for k in fields]
    return found[0], found[1:]
