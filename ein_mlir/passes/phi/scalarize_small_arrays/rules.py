"""The rules of operations of phi on small arrays: each returns what its result becomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1, i64
from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.selections import is_constant
from ein_mlir.analysis.phi.size_equivalence import Term
from ein_mlir.analysis.phi.small_arrays import MOST_ELEMENTS
from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, algebra_for, identity
from ein_mlir.dialects.reductions import worst
from ein_mlir.passes.phi.scalarize_small_arrays.elements import (
    Elements,
    NotSmallError,
    Value,
    joined,
    leaves,
    part,
)
from ein_mlir.passes.phi.scalarize_small_arrays.scalarizer import Rule, Scalarizer


def _constant(to: Scalarizer, op: arith.ConstantOp) -> Value:
    return to.constant(op.value)  # pyright: ignore[reportArgumentType]


def _index_cast(to: Scalarizer, op: arith.IndexCastOp) -> Value:
    """An index is an Int there."""
    if op.result.type != i64:
        raise NotSmallError
    return to.one(op.input)


def _select(to: Scalarizer, op: arith.SelectOp) -> Value:
    return to.choose(to.one(op.cond), to[op.lhs], to[op.rhs])


def _tuple(to: Scalarizer, op: phi.TupleOp) -> Value:
    return tuple(to[field] for field in op.fields)


def _proj(to: Scalarizer, op: phi.ProjOp) -> Value:
    record, field = to[op.record], op.field.value.data
    if not isinstance(record, SSAValue):
        assert isinstance(record, tuple)
        return record[field]
    made = record.owner
    return made.fields[field] if isinstance(made, phi.TupleOp) else to.proj(record, field)


def _size(to: Scalarizer, op: phi.SizeOp) -> Value:
    """A size, which is that of the initial value for an array that the loop carries."""
    array, axis = to[op.array], op.axis.value.data
    if isinstance(array, SSAValue):
        return to.size_before(array, axis)
    assert isinstance(array, Elements)
    if array.is_assumed:
        raise NotSmallError
    if array.start is not None:
        start, first = array.start
        return to.size_before(start, first + axis)
    return to.integer(array.shape[axis])


def _array(to: Scalarizer, op: phi.ArrayOp) -> Value:
    shape = tuple(to.size_of(size, op) for size in op.sizes)
    if prod(shape) > MOST_ELEMENTS:
        raise NotSmallError
    if not prod(shape):
        return _empty(op, shape)
    return joined(shape, list(_elements(to, op, shape)))


def _empty(op: phi.ArrayOp, shape: tuple[int, ...]) -> Elements:
    """The array without elements of a body that computes numbers."""
    if phi.rank_of(op.result.type) != len(shape):
        raise NotSmallError
    return Elements(shape, ())


def _elements(
    to: Scalarizer, op: phi.ArrayOp | phi.AccumulateOp, shape: Sequence[int]
) -> Iterator[Value]:
    """The value of a body at each index."""
    for position in product(*map(range, shape)):
        for index, number in zip(op.indices, position, strict=True):
            to[index] = to.integer(number)
        yield to.block(op.body.block)


def _concat(to: Scalarizer, op: phi.ConcatOp) -> Value:
    parts = [to.elements(each, op) for each in (op.lhs, op.rhs)]
    rows = [row for each in parts if isinstance(each, Elements) for row in each.rows()]
    if not 0 < len(rows) <= MOST_ELEMENTS:
        raise NotSmallError
    return joined((len(rows),), rows)


def _get(to: Scalarizer, op: phi.GetOp) -> Value:
    array, positions = to[op.array], [to.one(p) for p in op.positions]
    if isinstance(array, SSAValue):
        is_known = all(known_int(position) is not None for position in positions)
        found = to.computed(array, op) if is_known else None
        if not isinstance(found, Elements):
            return to.get(array, positions)
        array = found
    assert isinstance(array, Elements)
    return _element(to, array, positions)


def _element(to: Scalarizer, array: Elements, positions: Sequence[SSAValue]) -> Value:
    """``a[0] if p < 1 else a[1] if p < 2 else .. a[n - 1]``, since positions clip"""
    position, *rest = positions
    known = known_int(position)
    rows = array.rows() if known is None else [array.row(known)]
    found = [_element(to, row, rest) if isinstance(row, Elements) and rest else row for row in rows]
    chosen = found[-1]
    for number in reversed(range(len(found) - 1)):
        chosen = to.choose(to.compare(position, "slt", number + 1), found[number], chosen)
    return chosen


def _update(to: Scalarizer, op: phi.UpdateOp) -> Value:
    array, value = to[op.array], to[op.value]
    positions = [to.one(p) for p in op.positions]
    if isinstance(array, SSAValue) and to.is_outside(array):
        array = to.elements(op.array, op)
    if isinstance(array, Elements):
        if array.is_assumed:
            raise NotSmallError
        return _changed(to, array, positions, value)
    assert isinstance(array, SSAValue)
    if isinstance(value, SSAValue):
        return to.update(array, positions, value)
    assert isinstance(value, Elements)
    axes = range(len(positions), len(positions) + len(value.shape))
    shape = [to.sizes.number(Term(op.array, (), axis), op) for axis in axes]
    if shape != list(value.shape):
        raise NotSmallError
    for inner, element in zip(product(*map(range, value.shape)), value.values, strict=True):
        array = to.update(array, [*positions, *map(to.integer, inner)], element)
    return array


def _changed(to: Scalarizer, array: Elements, positions: Sequence[SSAValue], value: Value) -> Value:
    """``where(p == 0, x, a[0]), where(p == 1, x, a[1]), ..``"""
    rank = len(positions)
    new = list[SSAValue]()
    length = prod(array.shape[rank:])
    for place, position in enumerate(product(*map(range, array.shape[:rank]))):
        old = part(array.shape[rank:], array.values[place * length : (place + 1) * length])
        is_here = to.truth(True)
        for own, number in zip(positions, position, strict=True):
            is_here = to.both(is_here, to.equals(own, number))
        new += leaves(to.choose(is_here, value, old))
    return replace(array, values=tuple(new))


def _reduce(to: Scalarizer, op: phi.ReduceOp) -> Value:
    """The elements combined one after the other, without an identity before them."""
    vec = to.elements(op.vec, op)
    rows = _rows(vec)
    if not rows:
        return to[op.identity]
    operation = op.scalar_operation()
    neutral = None if operation is None else identity(operation.name, op.identity.type)
    if neutral is None or not is_constant(op.identity, neutral):
        rows.insert(0, to[op.identity])
    first, *rest = rows
    for row in rest:
        for variable, each in zip(op.body.block.args, (first, row), strict=True):
            to[variable] = each
        first = to.block(op.body.block)
    return first


def _rows(value: Value) -> list[Value]:
    """The rows of a small array, or the records of those of a record of arrays."""
    if isinstance(value, Elements):
        return list(value.rows())
    if isinstance(value, SSAValue):
        raise NotSmallError
    return list(zip(*map(_rows, value), strict=True))


def _argreduce(to: Scalarizer, op: phi.ArgreduceOp) -> Value:
    vec, predicate = to.elements(op.vec, op), op.predicate.data
    assert isinstance(vec, Elements)
    start = worst(predicate, phi.scalar_of(op.vec.type))
    assert start is not None
    best, at = to.constant(start), to.integer(0)
    for number, element in enumerate(vec.values):
        is_better = to.compare(element, predicate, best)
        best = to.select(is_better, element, best)
        at = to.select(is_better, number, at) if number else at
    return at


def _scan(to: Scalarizer, op: phi.ScanOp) -> Value:
    vec = to.elements(op.vec, op)
    assert isinstance(vec, Elements)
    is_of_suffixes = op.suffixes is not None
    values = list(reversed(vec.values)) if is_of_suffixes else list(vec.values)
    sums = [_neutral(to, op.kind.data, phi.scalar_of(op.vec.type))]
    for value in values:
        sums.append(_combined(to, op.kind.data, sums[-1], value) if len(sums) > 1 else value)
    ordered = reversed(sums) if is_of_suffixes else sums
    return Elements((len(sums),), tuple(ordered))


def _accumulate(to: Scalarizer, op: phi.AccumulateOp) -> Value:
    shape = tuple(to.size_of(size, op) for size in op.sizes)
    accumulators = op.accumulators
    extents = [tuple(to.size_of(each, op) for each in own.extents) for own in accumulators]
    if not all(0 < prod(each) <= MOST_ELEMENTS for each in (shape, *extents)):
        raise NotSmallError
    results: list[Elements | None] = [None] * len(accumulators)
    for value in _elements(to, op, shape):
        assert isinstance(value, tuple)
        fields = [value] if len(accumulators) == 1 else value
        for k, field in enumerate(fields):
            assert isinstance(field, tuple)
            *positions, term = field
            results[k] = _added(to, results[k], accumulators[k].kind, extents[k], positions, term)
    found = [each if each.shape else each.values[0] for each in results if each is not None]
    return found[0] if len(found) == 1 else tuple(found)


def _added(
    to: Scalarizer,
    old: Elements | None,
    kind: str,
    extents: tuple[int, ...],
    positions: Sequence[Value],
    term: Value,
) -> Elements:
    """An accumulator with a term at a position; at first, it has the identity everywhere."""
    shape = term.shape if isinstance(term, Elements) else ()
    values = list(leaves(term))
    new = list[SSAValue]()
    for place, position in enumerate(product(*map(range, extents))):
        start = place * len(values)
        olds = (
            [_neutral(to, kind, value.type) for value in values]
            if old is None
            else old.values[start : start + len(values)]
        )
        is_here = to.truth(True)
        for own, number in zip(positions, position, strict=True):
            assert isinstance(own, SSAValue)
            is_here = to.both(is_here, to.equals(own, number))
        for value, before in zip(values, olds, strict=True):
            if kind == "or" and value.type == i1:
                here = to.both(is_here, value)
                new.append(here if old is None else _combined(to, kind, before, here))
                continue
            combined = value if old is None else _combined(to, kind, before, value)
            chosen = to.choose(is_here, combined, before)
            assert isinstance(chosen, SSAValue)
            new.append(chosen)
    return Elements((*extents, *shape), tuple(new))


def _neutral(to: Scalarizer, kind: str, type_: Attribute) -> SSAValue:
    algebra = algebra_for(kind, type_)
    neutral = None if algebra is None else algebra.identity(type_)
    if neutral is None:
        raise NotSmallError
    return to.constant(neutral)


def _combined(to: Scalarizer, kind: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    algebra = algebra_for(kind, lhs.type)
    assert algebra is not None
    operation = OPERATIONS[algebra.name]
    return to.emit(operation.create(operands=[lhs, rhs], result_types=[lhs.type]))


RULES: Mapping[type[Operation], Rule] = {
    arith.ConstantOp: _constant,
    arith.IndexCastOp: _index_cast,
    arith.SelectOp: _select,
    phi.AccumulateOp: _accumulate,
    phi.ArgreduceOp: _argreduce,
    phi.ArrayOp: _array,
    phi.AssertEqOp: Scalarizer.assert_equal,
    phi.ConcatOp: _concat,
    phi.FoldOp: Scalarizer.loop,
    phi.GetOp: _get,
    phi.ProjOp: _proj,
    phi.ReduceOp: _reduce,
    phi.ScanOp: _scan,
    phi.SizeOp: _size,
    phi.TupleOp: _tuple,
    phi.UpdateOp: _update,
    phi.WhileOp: Scalarizer.loop,
}
"""The rule of each class of operations; other operations of phi have none."""
