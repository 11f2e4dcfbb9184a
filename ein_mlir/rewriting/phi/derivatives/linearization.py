"""Linearisation: the derivative of a program at a point, as a program that is linear in tangents.

A value has a tangent for each of its leaves, the fields of a (nested) record; that of an Int, a
Bool, or a value that does not depend on a parameter is None, which is zero. An operation gets a
linear operation next to it. Both share everything else: the bodies of linear loops compute again
the values of the original bodies that they need, and `erase_unused` removes the others.

A fold of a linear step needs the accumulators before its steps. With ``saves``, the original fold
saves them in arrays, so that the derivative is linear in all it carries and can be transposed;
otherwise the derivative carries them along with their tangents.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, TupleType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.element_cost import is_function
from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.scopes import captured, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.phi import Term
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.builders import (
    Emitter,
    Inserter,
    comprehension,
    integer,
    leaves_of,
    packed,
    record_of,
    unpacked,
)
from ein_mlir.rewriting.phi.derivatives.checkpoints import chunk_length, in_chunks, is_in_chunks
from ein_mlir.rewriting.phi.derivatives.residuals import (
    costly_values,
    keeps_size,
    share_costly,
    size_before,
)
from ein_mlir.rewriting.phi.derivatives.scalars import DERIVATIVES, constant, tangent_of
from ein_mlir.rewriting.phi.fields import drop_unused_fields

Leaf: TypeAlias = tuple[SSAValue, int]
"""A value, or a field of a record, by its number."""

Tangents: TypeAlias = Sequence[SSAValue | None]
"""The tangent of each leaf of a value; None is zero."""


class NoDerivativeError(PassFailedException):
    """An operation has no derivative."""

    def __init__(self, op: Operation, reason: str):
        super().__init__(f"{op.name}: {reason}{where_written(op)}")


def is_differentiable(type_: Attribute) -> bool:
    """Whether a leaf of a type has a tangent: a Float, or an array of them."""
    return isa(phi.scalar_of(type_), AnyFloat)


def zeros(build: Inserter, like: SSAValue) -> SSAValue:
    """Zero, or an array of zeros with the sizes of another."""
    scalar = phi.scalar_of(like.type)
    if not phi.rank_of(like.type):
        return build.insert(constant(0.0, scalar)).result
    return filled(build, sizes_of(build, like), scalar)


def sizes_of(build: Inserter, array: SSAValue) -> list[SSAValue]:
    """The sizes of an array."""
    return [build.insert(phi.SizeOp(array, k)).result for k in range(phi.rank_of(array.type))]


def filled(build: Inserter, sizes: Sequence[SSAValue], scalar: Attribute) -> SSAValue:
    """An array of zeros."""
    return comprehension(build, sizes, lambda inner, _: inner.insert(constant(0.0, scalar)).result)


def at_end(block: Block) -> Builder:
    """A builder before the terminator of a block."""
    last = block.last_op
    is_terminated = isinstance(last, phi.YieldOp)
    return Builder(InsertPoint.before(last) if is_terminated else InsertPoint.at_end(block))


@dataclass
class Linearization:
    """Linearises one block after the other; ``tangents`` grows with them."""

    saves: bool
    tangents: dict[SSAValue, Tangents] = field(default_factory=dict[SSAValue, Tangents])
    linear: set[SSAValue] = field(default_factory=set[SSAValue])
    """The tangents, and linear values that they are computed by."""
    checkpoint: int | None = None
    """The bytes above which the values that a loop saves are computed again; None for never."""

    def block(self, block: Block, build: Inserter | None = None) -> None:
        """Add linear operations for those of a block: each after its original, or at a place."""
        for op in list(block.ops):
            if self._is_active(op):
                _rule(op)(self, op, Builder(InsertPoint.after(op)) if build is None else build)

    def of(self, value: SSAValue) -> Tangents:
        """The tangents of a value."""
        found = self.tangents.get(value)
        return (None,) * len(leaf_types(value.type)) if found is None else found

    def of_yielded(self, block: Block) -> Tangents:
        """The tangents of the value that a body yields."""
        terminator = block.last_op
        assert isinstance(terminator, phi.YieldOp)
        return self.of(terminator.value)

    def define(self, value: SSAValue, tangents: Tangents) -> None:
        """Set the tangents of a value."""
        found = [tangent for tangent in tangents if tangent is not None]
        if found:
            self.tangents[value] = tangents
            self.linear.update(found)

    def _is_active(self, op: Operation) -> bool:
        """Whether a result of an operation may have a tangent."""
        return not isinstance(op, phi.YieldOp) and (
            any(operand in self.tangents for operand in operands_within(op))
            if op.regions
            else any(operand in self.tangents for operand in op.operands)
        )


Rule: TypeAlias = Callable[[Linearization, Operation, Inserter], None]
"""Defines the tangents of the result of an operation, by linear operations."""


def _rule(op: Operation) -> Rule:
    rule = RULES.get(type(op))
    if rule is None and op.name in DERIVATIVES:
        return _scalar
    if rule is None and not any(
        is_differentiable(leaf) for result in op.results for leaf in leaf_types(result.type)
    ):
        return _nothing
    if rule is None:
        raise NoDerivativeError(op, "it has no derivative")
    return rule


def _nothing(_: Linearization, op: Operation, build: Inserter) -> None:
    """Ints and Bools have no tangents."""


def _scalar(lin: Linearization, op: Operation, build: Inserter) -> None:
    """The table: ``sin x  -->  dx * cos x``"""
    tangents = [lin.of(operand)[0] for operand in op.operands]
    lin.define(op.results[0], (tangent_of(build, op, tangents),))


def _select(lin: Linearization, op: Operation, build: Inserter) -> None:
    """``select c, x, y  -->  select c, dx, dy``"""
    assert isinstance(op, arith.SelectOp)
    tangents: list[SSAValue | None] = []
    leaves = leaves_of(build, op.result)
    for leaf, lhs, rhs in zip(leaves, lin.of(op.lhs), lin.of(op.rhs), strict=True):
        tangent = None
        if lhs is not None or rhs is not None:
            branches = (lhs or zeros(build, leaf), rhs or zeros(build, leaf))
            tangent = build.insert(arith.SelectOp(op.cond, *branches)).result
        tangents.append(tangent)
    lin.define(op.result, tangents)


def _get(lin: Linearization, op: Operation, build: Inserter) -> None:
    """``a[p]  -->  da[p]``"""
    assert isinstance(op, phi.GetOp)
    (tangent,) = lin.of(op.array)
    if tangent is not None:
        lin.define(op.result, (build.insert(phi.GetOp(tangent, op.positions)).result,))


def _sort(lin: Linearization, op: Operation, build: Inserter) -> None:
    """``sort a  -->  array (i < size a) { da[(argsort a)[i]] }``"""
    assert isinstance(op, phi.SortOp)
    (tangent,) = lin.of(op.vec)
    if tangent is None:
        return
    order = build.insert(phi.ArgsortOp(op.vec)).result
    size = build.insert(phi.SizeOp(op.vec, 0)).result

    def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
        position = inner.insert(phi.GetOp(order, indices)).result
        return inner.insert(phi.GetOp(tangent, [position])).result

    lin.define(op.result, (comprehension(build, [size], element),))


def _tuple(lin: Linearization, op: Operation, build: Inserter) -> None:
    lin.define(op.results[0], [each for operand in op.operands for each in lin.of(operand)])


def _proj(lin: Linearization, op: Operation, build: Inserter) -> None:
    assert isinstance(op, phi.ProjOp)
    paths, number = leaf_paths(op.record.type), op.field.value.data
    tangents = zip(paths, lin.of(op.record), strict=True)
    lin.define(op.result, [tangent for path, tangent in tangents if path[0] == number])


def _concat(lin: Linearization, op: Operation, build: Inserter) -> None:
    """``concat a, b  -->  concat da, db``"""
    assert isinstance(op, phi.ConcatOp)
    parts = [lin.of(part)[0] or zeros(build, part) for part in (op.lhs, op.rhs)]
    lin.define(op.result, (build.insert(phi.ConcatOp(parts[0], parts[1], op.size)).result,))


def _update(lin: Linearization, op: Operation, build: Inserter) -> None:
    """``update a[p], x  -->  update da[p], dx``"""
    assert isinstance(op, phi.UpdateOp)
    array, value = (lin.of(part)[0] or zeros(build, part) for part in (op.array, op.value))
    lin.define(op.result, (build.insert(phi.UpdateOp(array, op.positions, value)).result,))


def _array(lin: Linearization, op: Operation, build: Inserter) -> None:
    """``array (i < n) { e }  -->  array (i < n) { de }``"""
    assert isinstance(op, phi.ArrayOp)
    tangents = _linear_body(lin, op)
    if tangents is None:
        return
    values = leaves_of(at_end(op.body.block), op.yielded())
    kept = [(value, k) for k, value in enumerate(values) if _is_function(value)]
    given = [tangent for tangent in tangents if tangent is not None]
    body, copies = _cloned(op.body, [*(value for value, _ in kept), *given])
    found = copies[len(kept) :]
    _yield(body.block, found)
    arrays = leaves_of(build, op.result)
    for copy, (_, k) in zip(copies, kept, strict=False):
        _read_element(copy, body.block, arrays[k])
    erase_unused(op.body.block)
    type_ = phi.struct_of_arrays(phi.vec_of(_yielded_value(body.block).type, len(op.sizes)))
    result = build.insert(phi.ArrayOp(op.sizes, body, type_)).result
    _spread(lin, op.result, tangents, unpacked(build, result, len(found)))


def _is_function(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and is_function(value.owner)


def _read_element(value: SSAValue, block: Block, array: SSAValue) -> None:
    """Let a value of a body be the element of an array that was computed before."""
    if value.first_use is not None:
        build = Builder(InsertPoint.at_start(block))
        value.replace_all_uses_with(build.insert(phi.GetOp(array, block.args)).result)
        erase_unused(block)


def _linear_body(lin: Linearization, op: phi.ComprehensionOp) -> Tangents | None:
    """The tangents that a body yields after linear operations are added to it, if there are any."""
    block = op.body.block
    lin.block(block)
    tangents = lin.of_yielded(block)
    found = [tangent for tangent in tangents if tangent is not None]
    if found:
        share_costly(op, found, lin.linear)
        return tangents
    erase_unused(block)
    return None


def _cloned(body: Region, values: Sequence[SSAValue]) -> tuple[Region, list[SSAValue]]:
    """A copy of a body, and of values in it."""
    copy, known = Region(), dict[SSAValue, SSAValue]()
    body.clone_into(copy, None, known)
    return copy, [known.get(value, value) for value in values]


def _accumulate(lin: Linearization, op: Operation, build: Inserter) -> None:
    """``accumulate (i < n) into "add" { p, x }  -->  accumulate (i < n) into "add" { p, dx }``"""
    assert isinstance(op, phi.AccumulateOp)
    tangents = _linear_body(lin, op)
    if tangents is None:
        return
    numbers = [number for number, tangent in enumerate(tangents) if tangent is not None]
    body, copies = _cloned(op.body, [each for each in tangents if each is not None])
    erase_unused(op.body.block)
    block, found = body.block, dict(zip(numbers, copies, strict=True))
    end = at_end(block)
    fields = leaves_of(end, _yielded_value(block))
    kept: list[tuple[str, Sequence[SSAValue]]] = []
    records: list[SSAValue] = []
    result: list[SSAValue | None] = []
    first = 0
    for each in op.accumulators:
        tangent = found.get(first + each.rank)
        result.append(tangent)
        if tangent is not None:
            if each.kind != "add":
                raise NoDerivativeError(op, f'"{each.kind}" has no derivative, only "add" has')
            positions = fields[first : first + each.rank]
            records.append(end.insert(phi.TupleOp([*positions, tangent])).result)
            kept.append((each.kind, each.extents))
        first += each.rank + 1
    _yield(block, records)
    sums = build.insert(phi.AccumulateOp(op.sizes, kept, body)).result
    _spread(lin, op.result, result, unpacked(build, sums, len(kept)))


def _yielded_value(block: Block) -> SSAValue:
    assert isinstance(block.last_op, phi.YieldOp)
    return block.last_op.value


def _spread(lin: Linearization, value: SSAValue, like: Tangents, found: Sequence[SSAValue]) -> None:
    """Define the tangents of a value, where ``like`` has some."""
    rest = iter(found)
    lin.define(value, [None if each is None else next(rest) for each in like])


def _yield(block: Block, values: Sequence[SSAValue]) -> None:
    """Let a body yield other values, and compute only these."""
    last = block.last_op
    assert last is not None
    value = packed(at_end(block), values)
    Rewriter.replace_op(last, phi.YieldOp(value), ())
    erase_unused(block)


# Folds ----------------------------------------------------------------------------------------


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

    def needed(self) -> list[int]:
        """The leaves of the accumulator that the tangents after a step depend on."""
        return [number for number, leaf in enumerate(self.leaves) if leaf in self._used()]

    def saved(self) -> dict[SSAValue, Leaf]:
        """The leaves of costly results that the tangents after a step depend on."""
        used = self._used()
        return {variable: leaf for variable, leaf in self.costly.items() if variable in used}

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
    likes = leaves_of(end, op.accumulator)
    after = [found[k] or zeros(end, likes[k]) for k in active]
    costly = list[SSAValue]()
    if lin.saves and isinstance(op, phi.FoldOp):
        costly = [
            value
            for value in costly_values(original, after, lin.linear)
            if _has_fixed_sizes(value, op)
        ]
    body, copies = _cloned(op.body, [*after, *costly, *given.values()])
    block, rest = body.block, iter(copies)
    after = [next(rest) for _ in after]
    variables = dict[SSAValue, Leaf]()
    for value in costly:
        for number, variable in enumerate(_split(block, next(rest))):
            variables[variable] = (value, number)
    tangents = list(rest)
    leaves = _split(block, block.args[1]) if isa(op.init.type, TupleType) else [block.args[1]]
    if isinstance(op, phi.FoldOp):
        _read_sizes_before(op, leaves, variables)
    return _Step(block, leaves, active, tangents, after, variables)


def _read_sizes_before(
    op: phi.FoldOp, leaves: Sequence[SSAValue], costly: Mapping[SSAValue, Leaf]
) -> None:
    """Let sizes in a linear step be those of values before the loop: they need no saved arrays."""
    build = Builder(InsertPoint.before(op))
    terms: list[tuple[SSAValue, Term]] = []
    for leaf, path, type_ in zip(
        leaves, leaf_paths(op.init.type), leaf_types(op.init.type), strict=True
    ):
        for axis in range(phi.rank_of(type_)):
            if keeps_size(op, path, axis):
                terms.append((leaf, Term(op.init, path, axis)))
    for variable, (value, number) in costly.items():
        path = leaf_paths(value.type)[number]
        for axis in range(phi.rank_of(variable.type)):
            terms.append((variable, Term(value, path, axis)))
    for variable, term in terms:
        for use in list(variable.uses):
            size = use.operation
            if isinstance(size, phi.SizeOp) and size.axis.value.data == term.axis:
                before = size_before(build, term, op)
                assert before is not None
                Rewriter.replace_op(size, (), (before,))


def _has_fixed_sizes(value: SSAValue, op: phi.FoldOp) -> bool:
    """Whether the sizes of a value of a step can be computed before the loop."""
    trial = Emitter()
    leaves = range(len(leaf_types(value.type)))
    found = [_sizes_before(trial, value, number, op) for number in leaves]
    trial.discard()
    return None not in found


def _sizes_before(
    build: Inserter, value: SSAValue, leaf: int, op: phi.FoldOp
) -> list[SSAValue] | None:
    """The sizes of a leaf of a value of a step, computed before the loop; None if they vary."""
    path, type_ = leaf_paths(value.type)[leaf], leaf_types(value.type)[leaf]
    axes = range(phi.rank_of(type_))
    sizes = [size_before(build, Term(value, path, axis), op) for axis in axes]
    known = [size for size in sizes if size is not None]
    return known if len(known) == len(sizes) else None


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
    build = Builder(InsertPoint.at_start(block))
    replace_record(record, record_of(build, record.type, leaves))
    return leaves


def replace_record(old: SSAValue, new: SSAValue) -> None:
    """Replace a record by a ``phi.tuple``, and its projections by the fields."""
    for use in list(old.uses):
        op = use.operation
        if isinstance(op, phi.ProjOp) and isinstance(new.owner, phi.TupleOp):
            replace_record(op.result, new.owner.fields[op.field.value.data])
            Rewriter.erase_op(op)
        else:
            op.operands[use.index] = new


def _fold(lin: Linearization, op: Operation, build: Inserter) -> None:
    """A fold of tangents, with the accumulators that the steps need."""
    assert isinstance(op, phi.FoldOp | phi.WhileOp)
    if isinstance(op, phi.FoldOp) and _extreme(lin, op, build):
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
        _fold(lin, in_chunks(op, length), build)
        return
    start = lin.of(op.init)
    leaves = leaves_of(build, op.init)
    init = [start[k] or zeros(build, leaves[k]) for k in step.active]
    needed, costly = step.needed(), step.saved()
    if isinstance(op, phi.WhileOp) or (needed and not lin.saves):
        value, tangents = _mixed_loop(op, build, step, init)
    else:
        value, arrays = op.result, list[SSAValue]()
        if needed or costly:
            value, arrays = _saved(op, needed, list(costly.values()))
        _restore(op)
        variables = [*(step.leaves[k] for k in needed), *costly]
        tangents = _linear_fold(op, build, step, init, variables, arrays)
    result: list[SSAValue | None] = [None] * len(step.leaves)
    for number, tangent in zip(step.active, tangents, strict=True):
        result[number] = tangent
    lin.define(value, result)
    if value is not op.result:
        op.result.replace_all_uses_with(value)
        Rewriter.erase_op(op)


def _chunk_length(lin: Linearization, op: phi.FoldOp, step: _Step) -> SSAValue | None:
    """The steps of a chunk, if a loop saves values and is to be in chunks."""
    needed, costly = step.needed(), list(step.saved().values())
    if lin.checkpoint is None or not lin.saves or not (needed or costly) or is_in_chunks(op):
        return None
    build = Builder(InsertPoint.before(op))
    leaves = leaves_of(build, op.init)
    saved = [(phi.scalar_of(leaves[k].type), sizes_of(build, leaves[k])) for k in needed]
    for value, number in costly:
        sizes = _sizes_before(build, value, number, op)
        assert sizes is not None
        saved.append((phi.scalar_of(leaf_types(value.type)[number]), sizes))
    return chunk_length(build, op.count, saved, lin.checkpoint)


def _linear_fold(
    op: phi.FoldOp,
    build: Inserter,
    step: _Step,
    init: Sequence[SSAValue],
    variables: Sequence[SSAValue],
    arrays: Sequence[SSAValue],
) -> list[SSAValue]:
    """``fold (k < n, da = ..) { de }``, where some variables are element ``k`` of arrays."""
    block, rest = step.block, iter(arrays)
    _yield(block, step.after)
    at_start = Builder(InsertPoint.at_start(block))
    for variable in variables:
        element = at_start.insert(phi.GetOp(next(rest), [block.args[0]])).result
        variable.replace_all_uses_with(element)
    first = packed_argument(block, step.tangents)
    for arg in reversed(block.args[1:]):
        if arg is not first:
            block.erase_arg(arg)
    start = packed(build, init)
    result = build.insert(phi.FoldOp(op.count, start, _region(block))).result
    return unpacked(build, result, len(init))


def packed_argument(block: Block, arguments: Sequence[SSAValue]) -> SSAValue:
    """An argument of a body for several: a record of them, which replaces them."""
    if len(arguments) == 1:
        return arguments[0]
    record = block.insert_arg(phi.tuple_of(arg.type for arg in arguments), len(block.args))
    build = Builder(InsertPoint.at_start(block))
    for number, argument in enumerate(arguments):
        argument.replace_all_uses_with(build.insert(phi.ProjOp(record, number)).result)
    return record


def _region(block: Block) -> Region:
    """The region of a body that no operation has yet."""
    assert block.parent is not None
    return block.parent


def _saved(
    op: phi.FoldOp, needed: Sequence[int], costly: Sequence[Leaf]
) -> tuple[SSAValue, list[SSAValue]]:
    """The result of a fold that saves values of each step, and their arrays over the steps.

    These are leaves of its accumulator before a step, and values of the step.
    """
    build = Builder(InsertPoint.before(op))
    before = leaves_of(build, op.init)
    start = [op.init, *(history(build, op.count, before[k]) for k in needed)]
    for value, number in costly:
        sizes = _sizes_before(build, value, number, op)
        assert sizes is not None
        scalar = phi.scalar_of(leaf_types(value.type)[number])
        start.append(filled(build, [op.count, *sizes], scalar))
    body, copies = _cloned(op.body, [value for value, _ in costly])
    block = body.block
    arrays = [block.insert_arg(value.type, len(block.args)) for value in start[1:]]
    record = packed_argument(block, [block.args[1], *arrays])
    inner = Builder(InsertPoint.at_start(block))
    carried = [inner.insert(phi.ProjOp(record, k)).result for k in range(len(start))]
    leaves = leaves_of(inner, carried[0])
    terminator = block.last_op
    assert isinstance(terminator, phi.YieldOp)
    end = at_end(block)
    saved = [leaves[k] for k in needed]
    for value, (_, number) in zip(copies, costly, strict=True):
        saved.append(leaves_of(end, value)[number])
    after = [terminator.value]
    for array, value in zip(carried[1:], saved, strict=True):
        after.append(end.insert(phi.UpdateOp(array, [block.args[0]], value)).result)
    Rewriter.replace_op(terminator, phi.YieldOp(end.insert(phi.TupleOp(after))), ())
    erase_unused(block)
    for arg in reversed(block.args[1:]):
        if arg is not record:
            block.erase_arg(arg)
    fold = build.insert(phi.FoldOp(op.count, build.insert(phi.TupleOp(start)), body))
    fold.attributes.update(op.attributes)
    fold.location = op.location
    value, *found = unpacked(build, fold.result, len(start))
    return value, found


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
        condition = [inserter.insert(phi.ProjOp(value, 0)).result] if is_while else []
        return inserter.insert(phi.TupleOp([*condition, value, *tangents])).result

    end = at_end(block)
    after = whole(end, terminator.value, step.after)
    Rewriter.replace_op(terminator, phi.YieldOp(after), ())
    record = block.insert_arg(after.type, len(block.args))
    inner = Builder(InsertPoint.at_start(block))
    first = int(is_while)
    old = inner.insert(phi.ProjOp(record, first)).result
    for leaf, value in zip(step.leaves, leaves_of(inner, old), strict=True):
        leaf.replace_all_uses_with(value)
    for number, tangent in enumerate(step.tangents):
        new = inner.insert(phi.ProjOp(record, first + 1 + number)).result
        tangent.replace_all_uses_with(new)
    for arg in reversed(block.args[1:-1]):
        block.erase_arg(arg)
    erase_unused(block)
    start = whole(build, op.init, init)
    loop = build.insert(type(op)(op.count, start, _region(block)))
    loop.location = op.location
    fields = range(first, first + 1 + len(init))
    found: list[SSAValue] = [build.insert(phi.ProjOp(loop.result, k)).result for k in fields]
    return found[0], found[1:]


_SEARCHES: Mapping[type[Operation], tuple[str, str]] = {
    arith.MaximumfOp: (">", "ogt"),
    arith.MaxnumfOp: (">", "ogt"),
    arith.MinimumfOp: ("<", "olt"),
    arith.MinnumfOp: ("<", "olt"),
}


def _extreme(lin: Linearization, op: phi.FoldOp, build: Inserter) -> bool:
    """``fold { max acc, e(k) }  -->  de(p)`` for the first ``p`` with the largest ``e(p)``.

    The initial value has the tangent if it is at least as large, or if there are no steps.
    """
    combine = op.yielded().owner
    if (
        not isinstance(combine, Operation)
        or type(combine) not in _SEARCHES
        or op.accumulator not in combine.operands
        or len(list(op.accumulator.uses)) != 1
        or not is_regular(op)
    ):
        return False
    others = [value for value in combine.operands if value is not op.accumulator]
    if len(others) != 1:
        return False
    better, predicate = _SEARCHES[type(combine)]
    number = list(combine.operands).index(others[0])

    def element(inner: Inserter, counter: SSAValue) -> SSAValue:
        return _at(op, inner, counter, number)

    def at_index(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
        return element(inner, inner.insert(arith.IndexCastOp(indices[0], i64)).result)

    values = comprehension(build, [op.count], at_index, [op.counter])
    position = build.insert(phi.ArgreduceOp(values, better)).result
    block = Block(arg_types=[i64])
    inner = Builder(InsertPoint.at_end(block))
    terminator = inner.insert(phi.YieldOp(element(inner, block.args[0])))
    lin.block(block)
    (tangent,) = lin.of_yielded(block)
    Rewriter.erase_op(terminator)
    for each in list(block.ops):
        each.detach()
        build.insert(each)
    block.args[0].replace_all_uses_with(position)
    (initial,) = lin.of(op.init)
    if tangent is None and initial is None:
        return True
    best = build.insert(phi.GetOp(values, [position])).result
    is_found = build.insert(arith.CmpfOp(best, op.init, predicate)).result
    some = build.insert(arith.CmpiOp(op.count, integer(build, 0), "sgt")).result
    is_found = build.insert(arith.AndIOp(is_found, some)).result
    branches = [each or zeros(build, op.result) for each in (tangent, initial)]
    lin.define(op.result, (build.insert(arith.SelectOp(is_found, *branches)).result,))
    return True


def _at(op: phi.FoldOp, build: Inserter, counter: SSAValue, number: int) -> SSAValue:
    """An operand of the last operation of a step, for another counter."""
    combine = op.yielded().owner
    assert isinstance(combine, Operation)
    values: dict[SSAValue, SSAValue] = {op.counter: counter}
    operand = combine.operands[number]
    for each in slice_of(op.body.block, [operand], [op.counter]):
        build.insert(copy_of(each, values))
    return values.get(operand, operand)


RULES: dict[type[Operation], Rule] = {
    arith.SelectOp: _select,
    phi.AccumulateOp: _accumulate,
    phi.ArrayOp: _array,
    phi.ConcatOp: _concat,
    phi.FoldOp: _fold,
    phi.GetOp: _get,
    phi.ProjOp: _proj,
    phi.SortOp: _sort,
    phi.TupleOp: _tuple,
    phi.UpdateOp: _update,
    phi.WhileOp: _fold,
}
"""The rules of operations that are not in the table of scalar operations."""


# Derivative operations ------------------------------------------------------------------------


def of_size(build: Inserter, given: SSAValue, like: SSAValue, what: str) -> SSAValue:
    """A tangent or cotangent of a value, with an assertion that it has the sizes of the value."""
    sizes: list[SSAValue] = []
    for axis in range(phi.rank_of(like.type)):
        own, wanted = (build.insert(phi.SizeOp(each, axis)) for each in (given, like))
        message = f"{what}: size of the value along axis {axis}, size of the {what}"
        sizes.append(build.insert(phi.AssertEqOp(wanted, own, message)).result)

    def element(inner: Inserter, indices: Sequence[SSAValue]) -> SSAValue:
        return inner.insert(phi.GetOp(given, indices)).result

    return comprehension(build, sizes, element) if sizes else given


def expand_jvp(op: phi.JvpOp) -> None:
    """Replace a ``phi.jvp`` by its body, and the linear operations after each of the body."""
    block, before = op.body.block, Builder(InsertPoint.before(op))
    lin = Linearization(saves=False)
    pairs = zip(leaves_of(before, op.tangent), leaves_of(before, op.point), strict=True)
    given = [of_size(before, tangent, point, "tangent") for tangent, point in pairs]
    lin.define(op.parameter, [leaf if is_differentiable(leaf.type) else None for leaf in given])
    lin.block(block)
    value, tangents = op.yielded(), lin.of_yielded(block)
    end = at_end(block)
    leaves = leaves_of(end, value)
    found = [each or zeros(end, leaf) for each, leaf in zip(tangents, leaves, strict=True)]
    result = end.insert(phi.TupleOp([value, record_of(end, value.type, found)]))
    _replace(op, block, result.result)


def linearize_vjp(op: phi.VjpOp, checkpoint: int | None) -> None:
    """Replace a ``phi.vjp`` by its body, and a ``phi.transpose`` of its derivative."""
    block, end = op.body.block, at_end(op.body.block)
    likes = [leaf for leaf in leaves_of(end, op.point) if is_differentiable(leaf.type)]
    linear = Block(arg_types=[like.type for like in likes])
    for argument in linear.args:
        argument.name_hint = f"d{op.parameter.name_hint}" if op.parameter.name_hint else None
    lin, arguments = Linearization(saves=True, checkpoint=checkpoint), iter(linear.args)
    types = leaf_types(op.point.type)
    lin.define(op.parameter, [next(arguments) if is_differentiable(t) else None for t in types])
    lin.block(block, Builder(InsertPoint.at_end(linear)))
    value, end = op.yielded(), at_end(block)
    triples = zip(lin.of(value), leaves_of(end, op.cotangent), leaves_of(end, value), strict=True)
    found = [
        (tangent, of_size(end, leaf, result, "cotangent"))
        for tangent, leaf, result in triples
        if tangent is not None
    ]
    gradients = iter(_transposed(end, linear, likes, found))
    points = leaves_of(end, op.point)
    cotangents = [
        next(gradients) if is_differentiable(point.type) else zeros(end, point) for point in points
    ]
    result = end.insert(phi.TupleOp([value, record_of(end, op.point.type, cotangents)]))
    _replace(op, block, result.result)


def _transposed(
    build: Inserter,
    linear: Block,
    likes: Sequence[SSAValue],
    results: Sequence[tuple[SSAValue, SSAValue]],
) -> list[SSAValue]:
    """The cotangents of the arguments of a linear block, given those of its results."""
    if not results:
        return [zeros(build, like) for like in likes]
    tangents, cotangents = zip(*results, strict=True)
    inner = Builder(InsertPoint.at_end(linear))
    inner.insert(phi.YieldOp(packed(inner, tangents)))
    erase_unused(linear)
    op = build.insert(phi.TransposeOp(likes, packed(build, cotangents), Region(linear)))
    return [build.insert(phi.ProjOp(op.result, k)).result for k in range(len(likes))]


def _replace(op: phi.JvpOp | phi.VjpOp, block: Block, result: SSAValue) -> None:
    """Replace a derivative by the operations of its body, with the point as its argument."""
    terminator = block.last_op
    assert terminator is not None
    Rewriter.erase_op(terminator)
    op.result.replace_all_uses_with(result)
    Rewriter.inline_block(block, InsertPoint.before(op), [op.point])
    Rewriter.erase_op(op)
