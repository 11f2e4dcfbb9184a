"""Folds of some fields of an accumulator, their replacements, and the removal of unused fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Generic, TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.fold_components import fields_read
from ein_mlir.analysis.phi.free_indices import FreeIndices, leaf_types
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import field_of, leaf_values
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.phi.unobserved_fields import used_fields
from ein_mlir.analysis.scopes import operations_in, reached
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.phi.builders import fold_body
from ein_mlir.rewriting.phi.insertion import Builder, Emitter
from ein_mlir.rewriting.phi.replacement import (
    erase_all,
    erase_unused_among,
    insert_before,
    replace,
    replace_record,
)

LoopT = TypeVar("LoopT", bound=phi.FoldOp | phi.WhileOp)

_NOTHING: Mapping[SSAValue, SSAValue] = MappingProxyType({})


def raise_fields(
    op: phi.FoldOp,
    groups: Iterable[Sequence[int]],
    raise_: Callable[[phi.FoldOp], bool],
    *known: FreeIndices | SizeEquivalence,
) -> SSAValue | None:
    """``fold (k < n, (x, y) = ..) { .. }  -->  (raised x, fold (k < n, y = ..) { .. })``

    ``groups`` are fields to be tried together, which depend on no others; ``raise_`` replaces the
    fold of a group, or returns False; it may compute values before the fold in any case. The other
    fields stay in one fold, whose steps share common subexpressions. The ``known`` analyses are
    updated.

    Returns the record that replaces the fold; None if no field is raised.
    """
    emitter = Emitter()
    parts = Parts(op, emitter.leaves(op.init))
    insert_before(op, emitter.ops, *known)
    values = dict[int, SSAValue]()
    for fields in groups:
        values.update(raised(parts, fields, raise_, known))
    if not values:
        erase_unused_among(emitter.ops)
        return None
    return _with_rest(parts, values, known)[0]


def replace_fields(
    op: phi.FoldOp,
    inits: Sequence[SSAValue],
    values: dict[int, SSAValue],
    *known: FreeIndices | SizeEquivalence,
) -> phi.FoldOp | None:
    """Replace a fold, given the final values of some fields; the fold of the others, if any.

    ``inits`` are the initial values of all fields, before the fold.
    """
    return _with_rest(Parts(op, inits), values, known)[1]


def _with_rest(
    parts: Parts[phi.FoldOp],
    values: dict[int, SSAValue],
    known: Sequence[FreeIndices | SizeEquivalence],
) -> tuple[SSAValue, phi.FoldOp | None]:
    """Replace a fold by the values of some fields, and a fold of the others; record and fold."""
    op, fold = parts.op, None
    if rest := [field for field in range(parts.count) if field not in values]:
        fold, ops = parts.inserted(rest, *known)
        values.update(parts.finals(rest, ops))
    build = Builder.before(op, *(each.add for each in known))
    result = build.record(op.result.type, (values[field] for field in range(parts.count)))
    replace_record(op.result, result)
    replace(op, result, *known)
    return result, fold


def raised(
    parts: Parts[phi.FoldOp],
    fields: Sequence[int],
    raise_: Callable[[phi.FoldOp], bool],
    known: Sequence[FreeIndices | SizeEquivalence],
) -> dict[int, SSAValue]:
    """The replacement of each of some fields; empty if their fold is not raised."""
    fold, ops = parts.inserted(fields, *known)
    if not raise_(fold):
        erase_unused_among(ops)
        return {}
    return parts.finals(fields, ops)


class Parts(Generic[LoopT]):
    """Builds loops of some fields of the accumulator of a loop."""

    def __init__(self, op: LoopT, inits: Sequence[SSAValue]):
        """``inits`` are the initial values of the fields of the (nested) record in order."""
        self.op = op
        self._inits = inits
        self._steps = leaf_values(op.yielded())
        self.count = len(leaf_types(op.result.type))

    def inserted(
        self, fields: Sequence[int], *known: FreeIndices | SizeEquivalence
    ) -> tuple[LoopT, Sequence[Operation]]:
        """The loop of fields that depend on no others, and all operations before the whole one.

        Its body has the operations of the whole body that the fields depend on.
        """
        emitter = Emitter()
        init = emitter.packed([self._inits[k] for k in fields])
        body = fold_body(self.op, init.type)
        self.fill(body, fields)
        fold = self.op.again(init, Region(body))
        assert isinstance(fold, type(self.op))
        fold.result.name_hint = self.op.result.name_hint
        emitter.tuple(emitter.leaves(emitter.emit(fold)))
        insert_before(self.op, emitter.ops, *known)
        return fold, emitter.ops

    @staticmethod
    def finals(fields: Sequence[int], ops: Sequence[Operation]) -> dict[int, SSAValue]:
        """The final value of each field, of which the last of some operations makes a record."""
        values = dict(zip(fields, ops[-1].operands, strict=True))
        erase_all(ops[-1:])
        return values

    def fill(
        self, body: Block, fields: Sequence[int], known: Mapping[SSAValue, SSAValue] = _NOTHING
    ) -> None:
        """Add a step of fields that depend on no others, with ``known`` copies of other values."""
        build, steps = Builder.at_end(body), [self._steps[k] for k in fields]
        fields_before = dict(zip(fields, build.leaves(body.args[1]), strict=True))
        values: dict[SSAValue, SSAValue] = {**known, self.op.counter: body.args[0]}
        for inner in slice_of(self.op.body.block, steps):
            field = field_of(inner.results[0], self.op.accumulator)
            if field is None:
                build.copy(inner, values)
            elif field in fields_before:
                values[inner.results[0]] = fields_before[field]
        build.yield_(build.packed([values.get(step, step) for step in steps]))


def field_reads(op: phi.FoldOp | phi.WhileOp) -> Iterator[tuple[SSAValue, int]]:
    """The reads of single fields of an accumulator, and their numbers."""
    for value in (op.accumulator, *(each.results[0] for each in op.body.block.ops if each.results)):
        if not isa(value.type, TupleType):
            number = field_of(value, op.accumulator)
            if number is not None:
                yield value, number


def extended(
    op: phi.FoldOp | phi.WhileOp,
    values: Sequence[SSAValue],
    first: Sequence[SSAValue],
    following: Sequence[SSAValue],
) -> phi.FoldOp | phi.WhileOp:
    """A loop before a loop, which also carries values, given their first and next ones.

    The values are those of a step, or arguments that were added to the body.
    """
    build = Builder.before(op)
    inits = build.leaves(op.init)
    start = build.tuple([*inits, *(leaf for value in first for leaf in build.leaves(value))])
    body = fold_body(op, start.type)
    inner = Builder.at_end(body)
    leaves = inner.leaves(body.args[1])
    rest = iter(leaves[len(inits) :])
    known = {value: inner.record(value.type, rest) for value in values}
    names = (*known.items(), *((value, leaves[number]) for value, number in field_reads(op)))
    for value, leaf in names:
        leaf.name_hint = leaf.name_hint or value.name_hint
    known[op.counter] = body.args[0]
    known[op.accumulator] = inner.record(op.init.type, leaves)
    after = inner.copied(op.body.block, [op.yielded(), *following], known)
    inner.yield_(inner.tuple([leaf for value in after for leaf in inner.leaves(value)]))
    erase_unused(body)  # records, by which arrays would seem to be read
    return build.insert(op.again(start, Region(body)))


def with_histories(
    build: Builder,
    op: phi.FoldOp,
    fields: Sequence[int],
    inits: Mapping[int, SSAValue],
    stored: Sequence[tuple[SSAValue, SSAValue]],
    *,
    count: SSAValue,
    read: Mapping[int, SSAValue] = MappingProxyType({}),
    known: Mapping[SSAValue, SSAValue] = _NOTHING,
) -> list[SSAValue]:
    """``fold (k < n, (x, a) = ..) { (f(x, b[k]), update a[k], y) }``: some fields of a fold, and
    arrays a, in which each step stores a value of its own.

    Other fields are ``read`` from arrays b, and some values are ``known``. The results of both.
    """
    steps = leaf_values(op.yielded())
    wanted = [*(steps[field] for field in fields), *(value for _, value in stored)]

    def step(inner: Builder, counter: SSAValue, carried: SSAValue) -> SSAValue:
        own = inner.unpacked(carried, len(wanted))
        before = dict(zip(fields, own, strict=False))
        before |= {field: inner.get(array, [counter]) for field, array in read.items()}
        values = {x: before[field] for x, field in field_reads(op) if field in before}
        after = inner.copied(op.body.block, wanted, {**known, **values, op.counter: counter})
        rows = zip(own[len(fields) :], after[len(fields) :], strict=True)
        updated = [inner.update(row, [counter], value) for row, value in rows]
        return inner.packed([*after[: len(fields)], *updated])

    init = build.packed([*(inits[field] for field in fields), *(array for array, _ in stored)])
    result = build.fold_over(count, init, step, op.body.block.args)
    erase_unused(phi.FoldOp.of(result.owner).body.block)
    return build.unpacked(result, len(wanted))


def carried(
    op: phi.FoldOp | phi.WhileOp,
    values: Sequence[SSAValue],
    first: Sequence[SSAValue],
    following: Sequence[SSAValue],
) -> phi.FoldOp | phi.WhileOp:
    """``fold (x = a) { .. y .. }  -->  fold (x = a, y = first) { .. y .. }``, with the next y."""
    new, build = extended(op, values, first, following), Builder.before(op)
    result = build.record(op.result.type, build.leaves(new.result))
    Rewriter.replace_op(op, [], [result])
    return new


def read_fields_of_tuples(function: func.FuncOp) -> None:
    """``t = (a, b); f(t.1)  -->  f(b)``"""
    for op in operations_in(function):
        if isinstance(op, phi.ProjOp) and isinstance(record := op.record.owner, phi.TupleOp):
            Rewriter.replace_op(op, (), (record.fields[op.field.value.data],))


def drop_unused_fields(block: Block) -> None:
    """``fold (k < n, (x, y) = ..) { (f(x), g(x, y)) }``, of which only x is used  -->
    ``fold (k < n, x = ..) { f(x) }``, for all folds of a block and of the bodies in it.
    """
    for op in list(block.ops):
        fold = _without_unused(op) if isinstance(op, phi.FoldOp) else op
        for region in fold.regions:
            drop_unused_fields(region.block)


def _without_unused(op: phi.FoldOp) -> phi.FoldOp:
    """A fold of the fields whose results are used, or that these depend on, in its place."""
    types = leaf_types(op.result.type)
    count = len(types)
    used = used_fields(op.result) if count > 1 else {0}
    used = fields_behind(op, used) if used and len(used) < count else used
    if not used or len(used) == count:
        return op
    inits = Builder.before(op).leaves(op.init)
    unused = {field: init for field, init in enumerate(inits) if field not in used}
    fold = replace_fields(op, inits, unused)
    assert fold is not None
    erase_unused(fold.body.block)
    return fold


def fields_behind(op: phi.FoldOp | phi.WhileOp, fields: Iterable[int]) -> set[int]:
    """Some fields of an accumulator, and those that their next values depend on.

    Empty if a step uses a record as a whole.
    """
    read, steps = fields_read(op), leaf_values(op.yielded())
    if read is None or tuple(step.type for step in steps) != leaf_types(op.result.type):
        return set()
    return set(reached(fields, lambda field: read.get(steps[field], frozenset())))
