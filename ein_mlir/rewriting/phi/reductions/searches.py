"""Folds and reductions that are searches, as ``phi.argreduce`` and reads at its position."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, i64
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.memory_cost import slice_of
from ein_mlir.analysis.phi.searches import Search, leaf_values
from ein_mlir.analysis.phi.selections import is_constant
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.dialects.reductions import worst
from ein_mlir.rewriting.phi.insertion import Emitter, Inserter
from ein_mlir.rewriting.phi.step_arrays import array_of_steps

_INT_PREDICATES = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge"}
_FLOAT_PREDICATES = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge"}


def never_better(predicate: str, start: FloatAttr | IntegerAttr) -> FloatAttr | IntegerAttr | None:
    """An element that is better than no other: NaN, or the initial value of a search for Ints.

    An Int may be as good as that.
    """
    if isa(start, FloatAttr):
        return FloatAttr(math.nan, start.type)
    return None if predicate.endswith("=") else start


def found_in_fold(op: phi.FoldOp, search: Search) -> list[Operation]:
    """The replacement of a fold that is a search.

    The elements become an array, which is read at the found position; the other values that vary
    with the counter are computed there. An element whose guards are false is never better.
    """
    emitter, body = Emitter(), op.body.block
    element = _guarded_element(op, search)
    others = [value for k, value in enumerate(search.candidates) if k != search.best]
    stored = list(dict.fromkeys((element, *(each for each in others if _has_loop(body, each)))))
    later = slice_of(body, [each for each in others if each not in stored])
    elements = array_of_steps(op, stored)
    arrays = emitter.leaves(emitter.emit(elements))
    position = emitter.emit(phi.ArgreduceOp(arrays[0], search.predicate))
    columns = dict(zip(stored, arrays, strict=True))
    found = {value: emitter.get(column, [position]) for value, column in columns.items()}
    counter = elements.body.block.first_op
    assert counter is not None
    found |= {op.counter: position, counter.results[0]: position}
    for each in later:
        emitter.emit(copy_of(each, found))
    values = [element if k == search.best else each for k, each in enumerate(search.candidates)]
    candidates = [found.get(value, value) for value in values]
    _found(emitter, search, position, candidates, op.count, op.init)
    return emitter.ops


def _has_loop(body: Block, value: SSAValue) -> bool:
    """Whether a value of a body depends on comprehensions or loops in it."""
    return any(inner.regions for inner in slice_of(body, [value]))


def _guarded_element(op: phi.FoldOp, search: Search) -> SSAValue:
    """``where(guard, element, never)``, emitted at the end of the body of the fold."""
    element = search.candidates[search.best]
    start = worst(search.predicate, element.type)
    assert start is not None
    never = never_better(search.predicate, start)
    if not search.guards or never is None:
        return element
    emitter = Emitter()
    guard = search.guards[0]
    for other in search.guards[1:]:
        guard = emitter.and_(guard, other)
    constant = emitter.constant(never)
    element = emitter.select(guard, element, constant)
    terminator = op.body.block.last_op
    assert terminator is not None
    op.body.block.insert_ops_before(emitter.ops, terminator)
    return element


def found_in_vector(op: phi.ReduceOp, search: Search) -> list[Operation] | None:
    """The replacement of a reduction that is a search, of a comprehension or of arrays.

    Arrays that are combined to a record may differ in size; that is diagnosed elsewhere.
    """
    elements, emitter = op.vec.owner, Emitter()
    if isinstance(elements, phi.ArrayOp):
        columns = emitter.leaves(op.vec)
        index, count = elements.indices[0], elements.sizes[0]
        fields = leaf_values(elements.yielded())
        if len(columns) != len(fields):
            return None
    else:
        columns = fields = leaf_values(op.vec)
        if not all(isa(each.type, phi.VecType) for each in columns):
            return None
        index, count = None, emitter.size(columns[0])
    position = emitter.emit(phi.ArgreduceOp(columns[search.best], search.predicate))
    candidates = [
        position
        if isinstance(field.owner, arith.IndexCastOp) and field.owner.input is index
        else emitter.get(column, [position])
        for column, field in zip(columns, fields, strict=True)
    ]
    _found(emitter, search, position, candidates, count, op.identity)
    return emitter.ops


def compared(build: Inserter, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """Whether an element is better than another one."""
    if isa(lhs.type, IntegerType):
        return build.compare(lhs, _INT_PREDICATES[predicate], rhs)
    return build.emit(arith.CmpfOp(lhs, rhs, _FLOAT_PREDICATES[predicate]))


def _found(
    emitter: Emitter,
    search: Search,
    position: SSAValue,
    candidates: Sequence[SSAValue],
    count: SSAValue,
    init: SSAValue,
) -> None:
    """Emit the candidates at a position, or the initial value if that is no worse.

    A search that starts from the worst value at 0 needs no selection for its position: it is 0 if
    no element is better.
    """
    starts = emitter.leaves(init)
    start = worst(search.predicate, starts[search.best].type)
    assert start is not None
    from_worst = is_constant(starts[search.best], start)
    zero = IntegerAttr(0, i64)
    plain = [
        candidate is position and from_worst and is_constant(initial, zero)
        for candidate, initial in zip(candidates, starts, strict=True)
    ]
    better = compared(emitter, search.predicate, candidates[search.best], starts[search.best])
    nothing = emitter.integer(0)
    better = emitter.and_(compared(emitter, ">", count, nothing), better)
    leaves = [
        candidate if is_plain else emitter.select(better, candidate, initial)
        for candidate, initial, is_plain in zip(candidates, starts, plain, strict=True)
    ]
    emitter.record(init.type, iter(leaves))
