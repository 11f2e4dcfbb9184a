"""The linearised steps of loops, and what they need of the original ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial

from xdsl.dialects import func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import ancestors, home_of, operands_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.bounds import resized
from ein_mlir.rewriting.phi.derivatives.changing_sizes import (
    changing_axes,
    has_one_size,
    largest_sizes,
    size_after,
    sizes_change,
)
from ein_mlir.rewriting.phi.derivatives.decisions import decisions
from ein_mlir.rewriting.phi.derivatives.preparation import is_index
from ein_mlir.rewriting.phi.derivatives.residuals import (
    are_shared,
    costly_values,
    elements_read,
    read_through,
    slices_read,
)
from ein_mlir.rewriting.phi.derivatives.sizes import has_sizes, size_at, sizes_at
from ein_mlir.rewriting.phi.derivatives.tangents import Leaf, Linearization, at_end, cloned, zeros
from ein_mlir.rewriting.phi.derivatives.written_once import read_result
from ein_mlir.rewriting.phi.insertion import Builder, Emitter
from ein_mlir.rewriting.phi.replacement import replace_record


@dataclass(frozen=True)
class Step:
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
    largest: dict[SSAValue, Mapping[int, SSAValue]] = field(
        default_factory=dict[SSAValue, Mapping[int, SSAValue]]
    )
    """The largest sizes along axes of the leaves whose sizes change between steps."""
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


def linear_operations(
    lin: Linearization, op: phi.FoldOp | phi.WhileOp, active: Sequence[int]
) -> tuple[list[SSAValue], list[SSAValue]]:
    """Add linear operations to a body, and variables for tangents of leaves of its accumulator.

    The variables, and the tangents after a step.
    """
    block, types = op.body.block, leaf_types(op.init.type)
    given = {k: block.insert_arg(types[k], len(block.args)) for k in active}
    lin.define(op.accumulator, [given.get(k) for k in range(len(types))])
    lin.block(block)
    found, end = lin.of_yielded(block), at_end(block)
    after = [found[k] or zeros(end, end.leaves(op.yielded())[k]) for k in active]
    return list(given.values()), after


def linear_step(lin: Linearization, op: phi.FoldOp, active: Sequence[int]) -> Step:
    """The linearised step, with tangents of some leaves of the accumulator.

    The original step has linear operations, too, and variables for tangents: see `_restore`.
    """
    given, after = linear_operations(lin, op, active)
    original, changing = op.body.block, changing_axes(op)
    changes = sizes_change(op, changing)
    costly = [
        value
        for value in costly_values(original, after, lin.linear)
        if has_sizes(value, home_of(op.result)) and not changes(value)
    ]
    body, copies = cloned(op.body, [*after, *costly, *given])
    block, rest = body.block, iter(copies)
    after = [next(rest) for _ in after]
    variables = dict[SSAValue, Leaf]()
    for value in costly:
        for number, variable in enumerate(_split(block, next(rest))):
            variables[variable] = (value, number)
    tangents = list(rest)
    leaves = _split(block, block.args[1]) if isa(op.init.type, TupleType) else [block.args[1]]
    sizes = _read_sizes_before(op, leaves, active, variables)
    step = Step(block, leaves, active, tangents, after, variables, sizes)
    if changing:
        most = largest_sizes(op, changing)
        step.largest.update({leaves[k]: axes for k, axes in most.items()})
        _read_parts(step)
    _save_parts(lin, op, step)
    return step


def _read_parts(step: Step) -> None:
    """Let arrays that change their sizes be parts of larger ones, where a step reads them whole.

    An element is that of the larger array, whose further elements repeat the last one.
    """
    active = (step.leaves[k] for k in step.active)
    tangents = dict(zip(active, zip(step.tangents, strict=True), strict=True))
    for leaf, axes in step.largest.items():
        sizes = _sizes_as_variables(step, leaf, axes)
        for array in (leaf, *tangents.get(leaf, ())):
            _resize_whole(step.block, array, sizes)


def _resize_whole(block: Block, array: SSAValue, sizes: Mapping[int, SSAValue]) -> None:
    """Let a body read a part of an array, where it reads more than elements of it."""
    uses = [use for use in array.uses if not _reads_element(use.operation, max(sizes))]
    if uses:
        part = resized(Builder.at_start(block), array, sizes, {})
        for use in uses:
            use.operation.operands[use.index] = part


def _reads_element(op: Operation, axis: int) -> bool:
    """Whether an operation reads a size, or elements at positions along axes up to one."""
    return isinstance(op, phi.SizeOp) or (isinstance(op, phi.GetOp) and len(op.positions) > axis)


def _sizes_as_variables(step: Step, array: SSAValue, axes: Iterable[int]) -> dict[int, SSAValue]:
    """Variables of a linear step for the sizes of a leaf of the accumulator along axes."""
    build, found = Builder.at_start(step.block), dict[int, SSAValue]()
    for axis in axes:
        size = build.size(array, axis)
        for use in list(array.uses):
            other = use.operation
            if isinstance(other, phi.SizeOp) and other.axis.value.data == axis:
                other.result.replace_all_uses_with(size)
        (found[axis],) = _replace_by_variables(step, [size])
    return found


def _save_parts(lin: Linearization, op: phi.FoldOp, step: Step) -> None:
    """Let a linear step read Bools, or elements, in place of arrays that they are taken from."""
    step.results.update(read_result(op, step.block, step.after, step.leaves, step.costly))
    trial = Emitter()
    roots: dict[SSAValue, Leaf] = {leaf: (op.init, k) for k, leaf in enumerate(step.leaves)}
    is_shared = are_shared(op)
    for variable, leaf in step.costly.items():
        if lin.checkpoint is not None or not is_shared(leaf[0]):
            roots[variable] = leaf
    sizes = {
        variable: partial(sizes_at, trial, *leaf, home_of(op.result))
        for variable, leaf in roots.items()
    }
    found = decisions(step.block, step.after, {*step.tangents, *lin.linear}, sizes)
    trial.discard()
    _replace_by_variables(step, found)
    _replace_by_variables(step, elements_read(step.block, step.after, step.leaves))
    arrays = _sizes_of_leaves(op, step)
    read_through(step.block, step.after, arrays, _Bounds(op, step.block.args[0]).is_below)
    _replace_by_variables(step, slices_read(step.block, step.after, arrays))


class _Bounds:
    """The bounds of positions in the linear step of a loop."""

    def __init__(self, op: phi.FoldOp, counter: SSAValue):
        self._op, self._counter = op, counter

    @cached_property
    def _sizes(self) -> SizeEquivalence:
        return SizeEquivalence(next(ancestors(self._op, func.FuncOp)))

    def is_below(self, position: SSAValue, size: SSAValue) -> bool:
        """Whether a position is the counter, or an index in the step, of some size."""
        if phi.uncast(position) is self._counter:
            return self._sizes.same(self._op.count, size)
        return is_index(position, size, self._sizes)


def _sizes_of_leaves(op: phi.FoldOp, step: Step) -> dict[SSAValue, Sequence[SSAValue]]:
    """The sizes of the arrays that a linear step needs, if these are the same in all steps."""
    build, found = Builder.before(op), dict[SSAValue, Sequence[SSAValue]]()
    for number in step.needed():
        leaf = step.leaves[number]
        if phi.rank_of(leaf.type) < 2 or leaf in step.largest:
            continue
        if sizes := sizes_at(build, op.init, number, home_of(op.result)):
            found[leaf] = sizes
    return found


def _replace_by_variables(step: Step, values: Sequence[SSAValue]) -> list[SSAValue]:
    variables = list[SSAValue]()
    for value in values:
        variable = step.block.insert_arg(value.type, len(step.block.args))
        value.replace_all_uses_with(variable)
        step.parts[variable] = value
        variables.append(variable)
    return variables


def _read_sizes_before(
    op: phi.FoldOp,
    leaves: Sequence[SSAValue],
    asserted: Collection[int],
    costly: Mapping[SSAValue, Leaf],
) -> dict[SSAValue, tuple[SSAValue, int]]:
    """Let sizes in a linear step be those of values before the loop: they need no saved arrays.

    Some leaves are asserted to have the sizes that they have after a step.
    """
    build, found = Builder.before(op), dict[SSAValue, tuple[SSAValue, int]]()
    terms: list[tuple[SSAValue, int, Term]] = []
    for number, (leaf, path) in enumerate(zip(leaves, leaf_paths(op.init.type), strict=True)):
        for axis in range(phi.rank_of(leaf.type)):
            is_asserted = number in asserted and size_after(op, path, axis) is not None
            if is_asserted or has_one_size(op, path, axis):
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


def _split(block: Block, record: SSAValue) -> list[SSAValue]:
    """Replace a value of a body by its leaves, which are arguments of the body."""
    leaves: list[SSAValue] = [
        block.insert_arg(type_, len(block.args)) for type_ in leaf_types(record.type)
    ]
    build = Builder.at_start(block)
    replace_record(record, build.record(record.type, leaves))
    return leaves
