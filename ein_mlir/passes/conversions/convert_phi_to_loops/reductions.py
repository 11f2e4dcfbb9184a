"""Rules for searches and scans: loops in order over the elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import Float32Type, Float64Type, i1, i64
from xdsl.ir import Attribute, SSAValue

from ein_mlir.dialects import phi
from ein_mlir.dialects.algebra import OPERATIONS, identity
from ein_mlir.dialects.reductions import WEIGHTS, combination, worst
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.indexing import clipped
from ein_mlir.passes.conversions.convert_phi_to_loops.values import Array

_PREDICATES = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def argreduce(conversion: Conversion, op: phi.ArgreduceOp) -> None:
    """A loop that carries the best element and its position."""
    at = _search(conversion, conversion.array(op.vec), op.predicate.data)
    conversion.bind(op.result, [conversion.cast(at, i64)])


def _search(conversion: Conversion, vector: Array, predicate: str) -> SSAValue:
    """The final position of a search, as an index."""
    start = _worst(conversion, predicate, vector.element)

    def step(k: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        best, at = carried
        element = conversion.load(vector.at([k]))
        is_better = is_(conversion, element, _PREDICATES[predicate], best)
        return [
            conversion.value_of(arith.SelectOp(is_better, element, best)),
            conversion.value_of(arith.SelectOp(is_better, k, at)),
        ]

    return conversion.sequential(vector.sizes[0], [start, conversion.index(0)], step)[1]


def _worst(conversion: Conversion, predicate: str, type_: Attribute) -> SSAValue:
    start = worst(predicate, type_)
    assert start is not None
    return conversion.constant(start)


def is_(conversion: Conversion, lhs: SSAValue, comparison: str, rhs: SSAValue) -> SSAValue:
    """A comparison of two elements: ``lt``, ``le``, ``gt`` or ``ge``; false for NaN."""
    if isinstance(lhs.type, Float32Type | Float64Type):
        return conversion.value_of(arith.CmpfOp(lhs, rhs, f"o{comparison}"))
    return conversion.compare(lhs, rhs, f"s{comparison}")


def scan(conversion: Conversion, op: phi.ScanOp) -> None:
    """A loop that carries the combination so far and writes it after each element."""
    type_ = phi.scalar_of(op.vec.type)
    size, one = conversion.sizes_of(op.vec)[0], conversion.index(1)
    combine, start = _combination(conversion, op.kind.data, type_)
    longer = conversion.value_of(arith.AddiOp(size, one))
    target = conversion.target(op.result, 0, type_, [longer])
    first = size if op.suffixes else conversion.index(0)
    conversion.store(start, target.at([first]))

    def step(k: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        if op.suffixes:
            last = conversion.value_of(arith.SubiOp(size, one))
            source = place = conversion.value_of(arith.SubiOp(last, k))
        else:
            source, place = k, conversion.value_of(arith.AddiOp(k, one))
        new = combine(carried[0], _elements(conversion, [op.vec], [source])[0])
        conversion.store(new, target.at([place]))
        return [new]

    conversion.sequential(size, [start], step)
    conversion.bind(op.result, [target])


def weighted_scan(conversion: Conversion, op: phi.WeightedScanOp) -> None:
    """A loop that carries the combination so far, and weighs it before each element."""
    vector, type_ = conversion.array(op.vec), phi.scalar_of(op.vec.type)
    size, zero = vector.sizes[0], conversion.index(0)
    combine, neutral = _combination(conversion, op.kind.data, type_)
    target = conversion.target(op.result, 0, type_, [size])
    is_counted = phi.scalar_of(op.weights.type) == i1

    def weight(k: SSAValue) -> SSAValue:
        if not isinstance(op.weights.type, phi.VecType):
            return conversion.scalar(op.weights)
        return _read(conversion, vector, conversion.array(op.weights), [k])

    def weighed(value: SSAValue, k: SSAValue) -> SSAValue:
        if is_counted:
            return conversion.value_of(arith.SelectOp(weight(k), value, neutral))
        weigh, _ = _combination(conversion, WEIGHTS[op.kind.data], type_)
        return weigh(value, weight(k))

    def step(k: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        element = conversion.load(vector.at([k]))
        new = combine(weighed(carried[0], k), element)
        is_first = conversion.compare(k, zero, "eq")
        new = conversion.value_of(arith.SelectOp(is_first, element, new))
        conversion.store(new, target.at([k]))
        return [new]

    conversion.sequential(size, [neutral], step)
    conversion.bind(op.result, [target])


def _combination(
    conversion: Conversion, kind: str, type_: Attribute
) -> tuple[Callable[[SSAValue, SSAValue], SSAValue], SSAValue]:
    """The scalar operation of a kind, and its identity."""
    name = combination(kind, type_)
    neutral = identity(name, type_) if name is not None else None
    assert name is not None
    assert neutral is not None
    operation = OPERATIONS[name]

    def combine(lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return conversion.value_of(operation(lhs, rhs))  # pyright: ignore[reportCallIssue]

    return combine, conversion.constant(neutral)


def propagate_nan(conversion: Conversion, op: phi.PropagateNanOp) -> None:
    """A count of the positions that are not finite; then NaN where there is another one."""
    vector, others = conversion.array(op.vec), conversion.array(op.others)
    size, element = vector.sizes[0], vector.element
    zero, one = conversion.index(0), conversion.index(1)
    filled = others.borrowed(reads_filled=True)

    def unbounded(k: SSAValue) -> SSAValue:
        """1 if the element is infinite or NaN, else 0."""
        place = clipped(conversion, k, others.sizes[0], is_above=False)
        value = conversion.load(filled.at([place]))
        difference = conversion.value_of(arith.SubfOp(value, value))
        is_nan = conversion.value_of(arith.CmpfOp(difference, difference, "uno"))
        return conversion.value_of(arith.SelectOp(is_nan, one, zero))

    def step(k: SSAValue, carried: Sequence[SSAValue]) -> list[SSAValue]:
        return [conversion.value_of(arith.AddiOp(carried[0], unbounded(k)))]

    (total,) = conversion.sequential(size, [zero], step)
    target = conversion.target(op.result, 0, element, [size])
    nan = conversion.number(float("nan"), element)

    def write(at: Sequence[SSAValue]) -> None:
        is_clear = conversion.compare(unbounded(at[0]), total, "eq")
        own = conversion.load(vector.at(at))
        conversion.store(conversion.value_of(arith.SelectOp(is_clear, own, nan)), target.at(at))

    conversion.parallel([size], write)
    conversion.bind(op.result, [target])


def _elements(
    conversion: Conversion, vectors: Sequence[SSAValue], at: Sequence[SSAValue]
) -> list[SSAValue]:
    """The elements of arrays at a position; the positions of the first are those of the loop."""
    if conversion.is_deferred(vectors[0]):
        found = conversion.elements(vectors, at)
        return [found[vector] for vector in vectors]
    arrays = [conversion.array(vector) for vector in vectors]
    return [_read(conversion, arrays[0], array, at) for array in arrays]


def _read(conversion: Conversion, leader: Array, array: Array, at: Sequence[SSAValue]) -> SSAValue:
    """The element at positions of another array, clipped if its sizes may differ."""
    if array is leader:
        return conversion.load(array.at(at))
    places, reads_filled = list[SSAValue](), False
    for place, size, own in zip(at, leader.sizes, array.sizes, strict=True):
        if size is not own:
            place, reads_filled = clipped(conversion, place, own), True
        places.append(place)
    return conversion.load(array.at(places).borrowed(reads_filled=reads_filled))
