"""The rules of the operations of rho."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f64, i1, i64
from xdsl.ir import Operation, SSAValue

from ein_mlir.dialects import phi, rho
from ein_mlir.passes.conversions.convert_rho_to_phi.conversion import (
    Conversion,
    Numbers,
    Rules,
    Value,
    failure,
    parts_of,
)

_INTS: dict[str, Callable[..., Operation]] = {
    "+": arith.AddiOp,
    "-": arith.SubiOp,
    "*": arith.MuliOp,
}
_FLOATS: dict[str, Callable[..., Operation]] = {
    "+": arith.AddfOp,
    "-": arith.SubfOp,
    "*": arith.MulfOp,
    "/": arith.DivfOp,
}
_PREDICATES = {
    "=": ("eq", "oeq"),
    "!=": ("ne", "une"),
    ">": ("sgt", "ogt"),
    ">=": ("sge", "oge"),
    "<": ("slt", "olt"),
    "<=": ("sle", "ole"),
}


def _operands(c: Conversion, op: rho.BinaryOp) -> tuple[list[Value], list[SSAValue]]:
    """The operands, and the sizes that both have."""
    lhs, rhs = c.of(op.lhs), c.of(op.rhs)
    if rhs.rank == 0:
        return [lhs, rhs], c.sizes(lhs)
    if lhs.rank != rhs.rank:
        raise failure(op, f"operands of ranks {lhs.rank} and {rhs.rank}")
    what = f"{op.operator.data}: the sizes of both operands"
    pairs = zip(c.sizes(lhs), c.sizes(rhs), strict=True)
    return [lhs, rhs], [c.equal_sizes(a, b, what) for a, b in pairs]


def _arith(c: Conversion, op: rho.ArithOp) -> Value:
    operator = op.operator.data

    def one(values: Sequence[Value]) -> Value:
        if operator in _INTS and all(value.integer is not None for value in values):
            return Value(0, integer=c.emit(_INTS[operator](*map(c.integer, values))))
        return Value(0, c.emit(_FLOATS[operator](*map(c.number, values))))

    lhs, rhs = c.of(op.lhs), c.of(op.rhs)
    if lhs.parts is not None and (rhs.rank == 0 or rhs.parts is not None):
        others = rhs.parts if rhs.parts is not None else (rhs,) * len(lhs.parts)
        if len(others) != len(lhs.parts):
            raise failure(op, f"vectors of {len(lhs.parts)} and {len(others)} elements")
        return Value(1, parts=tuple(one(pair) for pair in zip(lhs.parts, others, strict=True)))
    values, sizes = _operands(c, op)
    return c.mapped(values, sizes, one)


def _compare(c: Conversion, op: rho.CompareOp) -> Value:
    ints, floats = _PREDICATES[op.operator.data]
    values, sizes = _operands(c, op)

    def holds(index: Sequence[Value]) -> SSAValue:
        found = [c.at(value, index) if value.rank else value for value in values]
        if all(value.integer is not None for value in found):
            lhs, rhs = map(c.integer, found)
            return c.compared(ints, lhs, rhs)
        left, right = map(c.number, found)
        return c.emit(arith.CmpfOp(left, right, floats))

    return _truth(c, _all(c, sizes, (), holds))


def _all(
    c: Conversion,
    sizes: Sequence[SSAValue],
    index: Sequence[Value],
    holds: Callable[[Sequence[Value]], SSAValue],
) -> SSAValue:
    """Whether a condition holds at all indices."""
    if not sizes:
        return holds(index)

    def step(k: SSAValue, so_far: SSAValue) -> SSAValue:
        inner = _all(c, sizes[1:], (*index, Value(0, integer=k)), holds)
        return c.emit(arith.AndIOp(so_far, inner))

    return c.fold(sizes[0], c.emit(arith.ConstantOp(IntegerAttr(1, i1))), step)


def _truth(c: Conversion, condition: SSAValue) -> Value:
    return Value(0, integer=c.emit(arith.ExtUIOp(condition, i64)))


def _is_true(c: Conversion, value: Value) -> SSAValue:
    if value.integer is not None:
        return c.compared("ne", value.integer, c.int_constant(0))
    zero = c.emit(arith.ConstantOp(FloatAttr(0.0, f64)))
    return c.emit(arith.CmpfOp(c.number(value), zero, "une"))


def _not(c: Conversion, op: rho.NotOp) -> Value:
    value = c.of(op.operand)
    one = c.emit(arith.ConstantOp(IntegerAttr(1, i1)))

    def holds(index: Sequence[Value]) -> SSAValue:
        return c.emit(arith.XOrIOp(_is_true(c, c.at(value, index)), one))

    return _truth(c, _all(c, c.sizes(value), (), holds))


def _each(c: Conversion, op: rho.UnaryOp, one: Callable[[Value], Value]) -> Value:
    """An operator on each element."""
    value = c.of(op.operand)
    if value.parts is not None:
        return Value(1, parts=tuple(map(one, value.parts)))
    return c.mapped([value], c.sizes(value), lambda values: one(values[0]))


def _negate(c: Conversion, op: rho.NegateOp) -> Value:
    def one(value: Value) -> Value:
        if value.integer is not None:
            return Value(0, integer=c.emit(arith.SubiOp(c.int_constant(0), value.integer)))
        return Value(0, c.emit(arith.NegfOp(c.number(value))))

    return _each(c, op, one)


def _abs(c: Conversion, op: rho.AbsOp) -> Value:
    def one(value: Value) -> Value:
        if value.integer is not None:
            return Value(0, integer=c.emit(math.AbsIOp(value.integer)))
        return Value(0, c.emit(math.AbsFOp(c.number(value))))

    return _each(c, op, one)


def _stack(c: Conversion, op: rho.StackOp) -> Value:
    parts = [c.of(part) for part in op.parts]
    if any(part.rank != parts[0].rank for part in parts):
        raise failure(op, "the parts have different ranks")
    if not parts or parts[0].rank == 0:
        return Value(1, parts=tuple(parts))
    one, rank = c.int_constant(1), parts[0].rank + 1
    rows = [c.comprehension([one], lambda _, part=part: part) for part in parts]
    total = rows[0]
    for row in rows[1:]:
        total = c.emit(phi.ConcatOp(total, row))
    return Value(rank, total)


def _shape(c: Conversion, op: rho.ShapeOp) -> Value:
    value = c.of(op.operand)
    if value.parts is not None:
        return Value(1, parts=(c.literal(float(len(value.parts))),))
    return Value(1, parts=tuple(Value(0, integer=size) for size in c.sizes(value)))


def _select(c: Conversion, op: rho.SelectOp) -> Value:
    array, index = c.of(op.array), c.of(op.index)
    if index.rank != 1:
        raise failure(op, f"an index of rank {index.rank}: expected a vector")
    positions = parts_of(op, index, "the index")
    if len(positions) > array.rank:
        raise failure(op, f"{len(positions)} indices are too many for rank {array.rank}")
    return c.at(array, positions)


def _rest(c: Conversion, op: rho.RestOp) -> Value:
    array, start = c.of(op.array), c.of(op.start)
    if array.parts is not None and start.constant is not None:
        return Value(1, parts=array.parts[int(start.constant) :])
    first = c.integer(start)
    size = c.guarded_size(c.emit(arith.SubiOp(c.size(array, 0), first)))
    vector = Value(1, c.array(array))

    def element(index: Sequence[Value]) -> Value:
        position = c.emit(arith.AddiOp(c.integer(index[0]), first))
        return c.at(vector, [Value(0, integer=position)])

    return Value(1, c.comprehension([size], element))


def _concat(c: Conversion, op: rho.ConcatOp) -> Value:
    lhs, rhs = c.of(op.lhs), c.of(op.rhs)
    if lhs.rank != rhs.rank or lhs.rank == 0:
        raise failure(op, f"ranks {lhs.rank} and {rhs.rank}: expected arrays of one rank")
    if lhs.parts is not None and rhs.parts is not None:
        return Value(1, parts=(*lhs.parts, *rhs.parts))
    return Value(lhs.rank, c.emit(phi.ConcatOp(c.array(lhs), c.array(rhs))))


def _generated(c: Conversion, op: rho.FillOp | rho.GenOp, element: Numbers) -> Value:
    """The array of a shape, of elements or parts that have the shape of the default."""
    sizes, default = parts_of(op, c.of(op.shape), "the shape"), c.of(op.default)
    axes = len(sizes) - default.rank
    if axes < 0:
        raise failure(op, f"a shape of {len(sizes)} axes for a default of rank {default.rank}")
    if axes == 0:
        return element(())
    outer = [c.guarded_size(c.integer(size)) for size in sizes[:axes]]
    return Value(len(sizes), c.comprehension(outer, element))


def _fill(c: Conversion, op: rho.FillOp) -> Value:
    return _generated(c, op, lambda _: c.of(op.default))


def _gen(c: Conversion, op: rho.GenOp) -> Value:
    lower, upper, default = c.of(op.lower), c.of(op.upper), c.of(op.default)
    low, high = parts_of(op, lower, "the lower bound"), parts_of(op, upper, "the upper bound")
    if default.rank:
        default = Value(default.rank, c.array(default))
    inner = c.sizes(default)

    def element(index: Sequence[Value]) -> Value:
        if not len(index) == len(low) == len(high):
            raise failure(op, f"bounds of {len(low)} and {len(high)} axes for {len(index)}")
        inside = c.emit(arith.ConstantOp(IntegerAttr(1, i1)))
        for position, start, end in zip(map(c.integer, index), low, high, strict=True):
            for test in (
                c.compared("sge", position, c.integer(start)),
                c.compared("slt", position, c.integer(end)),
            ):
                inside = c.emit(arith.AndIOp(inside, test))
        c.bind(op.index, index[0] if lower.rank == 0 else Value(1, parts=tuple(index)))
        value = c.body(op.body.block)
        if value.rank != default.rank:
            raise failure(op, f"a value of rank {value.rank} for rank {default.rank}")
        return c.chosen(inside, value, default, inner)

    return _generated(c, op, element)


def _if(c: Conversion, op: rho.IfOp) -> Value:
    condition = c.of(op.condition)
    if condition.rank:
        raise failure(op, f"a condition of rank {condition.rank}")
    taken = _is_true(c, condition)
    with c.guard(taken):
        then = c.body(op.then.block)
    with c.guard(c.emit(arith.XOrIOp(taken, c.emit(arith.ConstantOp(IntegerAttr(1, i1)))))):
        otherwise = c.body(op.otherwise.block)
    if then.rank != otherwise.rank:
        raise failure(op, f"the branches have ranks {then.rank} and {otherwise.rank}")
    return c.chosen(taken, then, otherwise)


RULES: Rules = {
    rho.AbsOp: _abs,
    rho.ArithOp: _arith,
    rho.CallOp: Conversion.inlined,
    rho.CompareOp: _compare,
    rho.ConcatOp: _concat,
    rho.DimOp: lambda c, op: c.literal(float(c.of(op.operand).rank)),
    rho.FillOp: _fill,
    rho.GenOp: _gen,
    rho.IfOp: _if,
    rho.NegateOp: _negate,
    rho.NotOp: _not,
    rho.RestOp: _rest,
    rho.ScalarOp: lambda c, op: c.literal(op.number),
    rho.SelectOp: _select,
    rho.ShapeOp: _shape,
    rho.StackOp: _stack,
}
"""Operation -> its rule."""
