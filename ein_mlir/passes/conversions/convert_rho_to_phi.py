"""``convert-rho-to-phi``: programs of rho whose ranks follow from those of their inputs.

Calls are inlined, and ranks are found on the way. A vector whose length is known, such as a shape
or an index vector, is a list of numbers here, and no array. Integers stay Ints as far as they are
literals, sizes and dimensionalities, and sums, differences and products of these.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.context import Context
from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, ModuleOp, f64, i1, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import PassFailedException, VerifyException

from ein_mlir.analysis.diagnostics import name_parameters, where_written
from ein_mlir.dialects import phi, rho


@dataclass(frozen=True)
class _Value:
    """A value: a number or an array of phi, an Int, or the list of the parts of a vector."""

    rank: int
    ssa: SSAValue | None = None
    integer: SSAValue | None = None
    parts: tuple[_Value, ...] | None = None
    constant: float | None = None


_Numbers: TypeAlias = Callable[[Sequence[_Value]], _Value]


def converted(program: rho.ProgramOp, ranks: Sequence[int]) -> func.FuncOp:
    """The function of phi of a program whose inputs have some ranks.

    Raises PassFailedException for a rank that is decided at run time, and for recursion.
    """
    parameters = program.parameters
    if len(ranks) != len(parameters):
        raise PassFailedException(
            f"rho.program: it has {len(parameters)} input(s), and ranks has {len(ranks)}"
            + where_written(program)
        )
    block = Block(arg_types=[phi.vec_of(f64, rank) for rank in ranks])
    conversion = _Conversion()
    for old, rank, new in zip(parameters, ranks, block.args, strict=True):
        conversion.bind(old, _Value(rank, new))
    value = conversion.body(program.body.block)
    result = conversion.array(value) if value.rank else conversion.number(value)
    conversion.emit(func.ReturnOp(result))
    block.add_ops(conversion.operations)
    function = func.FuncOp("main", ([arg.type for arg in block.args], [result.type]), Region(block))
    name_parameters(function, [parameter.name_hint for parameter in parameters])
    return function


class _Conversion:
    """Makes operations of phi, in the body that is current."""

    def __init__(self) -> None:
        self.operations = list[Operation]()
        self._values = dict[SSAValue, _Value]()
        self._functions = dict[str, rho.FunctionOp]()
        self._active = list[str]()
        self._guards = list[SSAValue]()

    def bind(self, old: SSAValue, value: _Value) -> None:
        """Let a value of rho be a value of phi."""
        self._values[old] = value

    def of(self, old: SSAValue) -> _Value:
        """The value of phi."""
        return self._values[old]

    def body(self, block: Block) -> _Value:
        """The value of a body, whose operations are converted here."""
        for op in block.ops:
            if isinstance(op, rho.YieldOp):
                return self.of(op.value)
            if isinstance(op, rho.FunctionOp):
                self._functions[op.sym_name.data] = op
            else:
                self.bind(op.results[0], _RULES[type(op)](self, op))
        raise AssertionError("a body ends in rho.yield")

    # Operations of phi

    def emit(self, op: Operation) -> Any:
        """Add an operation; its result, if it has one."""
        self.operations.append(op)
        return op.results[0] if op.results else None

    def int_constant(self, number: int) -> SSAValue:
        """An Int."""
        return self.emit(arith.ConstantOp(IntegerAttr(number, i64)))

    def literal(self, number: float) -> _Value:
        """A number, which is an Int if it is an integer."""
        if number.is_integer() and abs(number) < 2**53:
            return _Value(0, integer=self.int_constant(int(number)), constant=number)
        return _Value(0, self.emit(arith.ConstantOp(FloatAttr(number, f64))), constant=number)

    def number(self, value: _Value) -> SSAValue:
        """A scalar as a float."""
        if value.ssa is not None:
            return value.ssa
        return self.emit(arith.SIToFPOp(value.integer, f64))  # pyright: ignore[reportArgumentType]

    def integer(self, value: _Value) -> SSAValue:
        """A scalar as an Int."""
        if value.integer is not None:
            return value.integer
        assert value.ssa is not None
        return self.emit(arith.FPToSIOp(value.ssa, i64))

    def array(self, value: _Value) -> SSAValue:
        """A value that is no scalar as an array."""
        if value.parts is None:
            assert value.ssa is not None
            return value.ssa
        numbers = [self.number(part) for part in value.parts] or [self.number(self.literal(0.5))]

        def element(index: Sequence[_Value]) -> _Value:
            found = numbers[-1]
            for k in reversed(range(len(numbers) - 1)):
                is_here = self.compared("eq", self.integer(index[0]), self.int_constant(k))
                found = self.emit(arith.SelectOp(is_here, numbers[k], found))
            return _Value(0, found)

        return self.comprehension([self.int_constant(len(value.parts))], element)

    def comprehension(self, sizes: Sequence[SSAValue], element: _Numbers) -> SSAValue:
        """``array (i < n, ..) { element([i, ..]) }``"""
        block = Block(arg_types=[IndexType()] * len(sizes))
        with self._in(block):
            index = [self.emit(arith.IndexCastOp(arg, i64)) for arg in block.args]
            value = element([_Value(0, integer=each) for each in index])
            self.emit(phi.YieldOp(self.array(value) if value.rank else self.number(value)))
        return self.emit(phi.ArrayOp(sizes, Region(block)))

    def fold(
        self, count: SSAValue, start: SSAValue, step: Callable[[SSAValue, SSAValue], SSAValue]
    ) -> SSAValue:
        """``fold (k < n, x = start) { step(k, x) }``"""
        block = Block(arg_types=[i64, start.type])
        with self._in(block):
            self.emit(phi.YieldOp(step(*block.args)))
        return self.emit(phi.FoldOp(count, start, Region(block)))

    @contextmanager
    def _in(self, block: Block) -> Generator[None]:
        outer, self.operations = self.operations, list[Operation]()
        yield
        block.add_ops(self.operations)
        self.operations = outer

    def compared(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """A comparison of Ints."""
        return self.emit(arith.CmpiOp(lhs, rhs, predicate))

    def size(self, value: _Value, axis: int) -> SSAValue:
        """A size as an Int."""
        if value.parts is not None:
            return self.int_constant(len(value.parts))
        return self.emit(phi.SizeOp(self.array(value), axis))

    def sizes(self, value: _Value) -> list[SSAValue]:
        """All sizes."""
        return [self.size(value, axis) for axis in range(value.rank)]

    def at(self, value: _Value, index: Sequence[_Value]) -> _Value:
        """The part at an index."""
        if not index:
            return value
        k = index[0].constant
        if value.parts is not None and k is not None and 0 <= k < len(value.parts):
            return value.parts[int(k)]
        positions = [self.integer(position) for position in index]
        found = self.emit(phi.GetOp(self.array(value), positions))
        return _Value(value.rank - len(index), found)

    def guarded_size(self, size: SSAValue) -> SSAValue:
        """A size, and 0 in a branch that is not taken: it may be negative there."""
        for guard in self._guards:
            size = self.emit(arith.SelectOp(guard, size, self.int_constant(0)))
        return size

    def equal_sizes(self, a: SSAValue, b: SSAValue, what: str) -> SSAValue:
        """A size that both are, in a branch that is taken."""
        for guard in self._guards:
            b = self.emit(arith.SelectOp(guard, b, a))
        return self.emit(phi.AssertEqOp(a, b, what))

    @contextmanager
    def guard(self, condition: SSAValue) -> Generator[None]:
        """The operations of a branch."""
        self._guards.append(condition)
        yield
        self._guards.pop()

    def mapped(self, values: Sequence[_Value], sizes: Sequence[SSAValue], each: _Numbers) -> _Value:
        """``each`` of the elements of arrays of some sizes; a scalar is the same for all."""
        rank = len(sizes)
        if rank == 0:
            return each(values)
        arrays = [_Value(v.rank, self.array(v)) if v.rank else v for v in values]

        def element(index: Sequence[_Value]) -> _Value:
            return each([self.at(v, index) if v.rank else v for v in arrays])

        return _Value(rank, self.comprehension(sizes, element))

    def chosen(
        self, condition: SSAValue, a: _Value, b: _Value, sizes: Sequence[SSAValue] | None = None
    ) -> _Value:
        """``a`` or ``b``, whose sizes may differ unless they are given."""

        def one(values: Sequence[_Value]) -> _Value:
            if all(value.integer is not None for value in values):
                ints = [self.integer(value) for value in values]
                return _Value(0, integer=self.emit(arith.SelectOp(condition, *ints)))
            floats = [self.number(value) for value in values]
            return _Value(0, self.emit(arith.SelectOp(condition, *floats)))

        if a.parts is not None and b.parts is not None and len(a.parts) == len(b.parts):
            pairs = zip(a.parts, b.parts, strict=True)
            return _Value(1, parts=tuple(one(pair) for pair in pairs))
        if sizes is None:
            pairs = zip(self.sizes(a), self.sizes(b), strict=True)
            sizes = [self.emit(arith.SelectOp(condition, m, n)) for m, n in pairs]
        return self.mapped([a, b], sizes, one)

    def inlined(self, op: rho.CallOp) -> _Value:
        """The value of a call; raises PassFailedException for recursion."""
        if op.function in self._active:
            raise _failure(op, f"@{op.function} calls itself")
        function = self._functions[op.function]
        arguments = [self.of(argument) for argument in op.arguments]
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            self.bind(parameter, argument)
        self._active.append(op.function)
        value = self.body(function.body.block)
        self._active.pop()
        return value


def _failure(op: Operation, message: str) -> PassFailedException:
    return PassFailedException(f"{op.name}: {message}{where_written(op)}")


def _parts(op: Operation, value: _Value, what: str) -> tuple[_Value, ...]:
    """The parts of a vector whose length is known; a scalar is one part."""
    if value.rank == 0:
        return (value,)
    if value.rank > 1 or value.parts is None:
        raise _failure(op, f"{what} has a length that is decided at run time")
    return value.parts


# Rules ----------------------------------------------------------------------------------------

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


def _operands(c: _Conversion, op: rho.BinaryOp) -> tuple[list[_Value], list[SSAValue]]:
    """The operands, and the sizes that both have."""
    lhs, rhs = c.of(op.lhs), c.of(op.rhs)
    if rhs.rank == 0:
        return [lhs, rhs], c.sizes(lhs)
    if lhs.rank != rhs.rank:
        raise _failure(op, f"operands of ranks {lhs.rank} and {rhs.rank}")
    what = f"{op.operator.data}: the sizes of both operands"
    pairs = zip(c.sizes(lhs), c.sizes(rhs), strict=True)
    return [lhs, rhs], [c.equal_sizes(a, b, what) for a, b in pairs]


def _arith(c: _Conversion, op: rho.ArithOp) -> _Value:
    operator = op.operator.data

    def one(values: Sequence[_Value]) -> _Value:
        if operator in _INTS and all(value.integer is not None for value in values):
            return _Value(0, integer=c.emit(_INTS[operator](*map(c.integer, values))))
        return _Value(0, c.emit(_FLOATS[operator](*map(c.number, values))))

    lhs, rhs = c.of(op.lhs), c.of(op.rhs)
    if lhs.parts is not None and (rhs.rank == 0 or rhs.parts is not None):
        others = rhs.parts if rhs.parts is not None else (rhs,) * len(lhs.parts)
        if len(others) != len(lhs.parts):
            raise _failure(op, f"vectors of {len(lhs.parts)} and {len(others)} elements")
        return _Value(1, parts=tuple(one(pair) for pair in zip(lhs.parts, others, strict=True)))
    values, sizes = _operands(c, op)
    return c.mapped(values, sizes, one)


def _compare(c: _Conversion, op: rho.CompareOp) -> _Value:
    ints, floats = _PREDICATES[op.operator.data]
    values, sizes = _operands(c, op)

    def holds(index: Sequence[_Value]) -> SSAValue:
        found = [c.at(value, index) if value.rank else value for value in values]
        if all(value.integer is not None for value in found):
            lhs, rhs = map(c.integer, found)
            return c.compared(ints, lhs, rhs)
        left, right = map(c.number, found)
        return c.emit(arith.CmpfOp(left, right, floats))

    return _truth(c, _all(c, sizes, (), holds))


def _all(
    c: _Conversion,
    sizes: Sequence[SSAValue],
    index: Sequence[_Value],
    holds: Callable[[Sequence[_Value]], SSAValue],
) -> SSAValue:
    """Whether a condition holds at all indices."""
    if not sizes:
        return holds(index)

    def step(k: SSAValue, so_far: SSAValue) -> SSAValue:
        inner = _all(c, sizes[1:], (*index, _Value(0, integer=k)), holds)
        return c.emit(arith.AndIOp(so_far, inner))

    return c.fold(sizes[0], c.emit(arith.ConstantOp(IntegerAttr(1, i1))), step)


def _truth(c: _Conversion, condition: SSAValue) -> _Value:
    return _Value(0, integer=c.emit(arith.ExtUIOp(condition, i64)))


def _is_true(c: _Conversion, value: _Value) -> SSAValue:
    if value.integer is not None:
        return c.compared("ne", value.integer, c.int_constant(0))
    zero = c.emit(arith.ConstantOp(FloatAttr(0.0, f64)))
    return c.emit(arith.CmpfOp(c.number(value), zero, "une"))


def _not(c: _Conversion, op: rho.NotOp) -> _Value:
    value = c.of(op.operand)
    one = c.emit(arith.ConstantOp(IntegerAttr(1, i1)))

    def holds(index: Sequence[_Value]) -> SSAValue:
        return c.emit(arith.XOrIOp(_is_true(c, c.at(value, index)), one))

    return _truth(c, _all(c, c.sizes(value), (), holds))


def _each(c: _Conversion, op: rho.UnaryOp, one: Callable[[_Value], _Value]) -> _Value:
    """An operator on each element."""
    value = c.of(op.operand)
    if value.parts is not None:
        return _Value(1, parts=tuple(map(one, value.parts)))
    return c.mapped([value], c.sizes(value), lambda values: one(values[0]))


def _negate(c: _Conversion, op: rho.NegateOp) -> _Value:
    def one(value: _Value) -> _Value:
        if value.integer is not None:
            return _Value(0, integer=c.emit(arith.SubiOp(c.int_constant(0), value.integer)))
        return _Value(0, c.emit(arith.NegfOp(c.number(value))))

    return _each(c, op, one)


def _abs(c: _Conversion, op: rho.AbsOp) -> _Value:
    def one(value: _Value) -> _Value:
        if value.integer is not None:
            return _Value(0, integer=c.emit(math.AbsIOp(value.integer)))
        return _Value(0, c.emit(math.AbsFOp(c.number(value))))

    return _each(c, op, one)


def _stack(c: _Conversion, op: rho.StackOp) -> _Value:
    parts = [c.of(part) for part in op.parts]
    if any(part.rank != parts[0].rank for part in parts):
        raise _failure(op, "the parts have different ranks")
    if not parts or parts[0].rank == 0:
        return _Value(1, parts=tuple(parts))
    one, rank = c.int_constant(1), parts[0].rank + 1
    rows = [c.comprehension([one], lambda _, part=part: part) for part in parts]
    total = rows[0]
    for row in rows[1:]:
        total = c.emit(phi.ConcatOp(total, row))
    return _Value(rank, total)


def _shape(c: _Conversion, op: rho.ShapeOp) -> _Value:
    value = c.of(op.operand)
    if value.parts is not None:
        return _Value(1, parts=(c.literal(float(len(value.parts))),))
    return _Value(1, parts=tuple(_Value(0, integer=size) for size in c.sizes(value)))


def _select(c: _Conversion, op: rho.SelectOp) -> _Value:
    array, index = c.of(op.array), c.of(op.index)
    if index.rank != 1:
        raise _failure(op, f"an index of rank {index.rank}: expected a vector")
    positions = _parts(op, index, "the index")
    if len(positions) > array.rank:
        raise _failure(op, f"{len(positions)} indices are too many for rank {array.rank}")
    return c.at(array, positions)


def _rest(c: _Conversion, op: rho.RestOp) -> _Value:
    array, start = c.of(op.array), c.of(op.start)
    if array.parts is not None and start.constant is not None:
        return _Value(1, parts=array.parts[int(start.constant) :])
    first = c.integer(start)
    size = c.guarded_size(c.emit(arith.SubiOp(c.size(array, 0), first)))
    vector = _Value(1, c.array(array))

    def element(index: Sequence[_Value]) -> _Value:
        position = c.emit(arith.AddiOp(c.integer(index[0]), first))
        return c.at(vector, [_Value(0, integer=position)])

    return _Value(1, c.comprehension([size], element))


def _concat(c: _Conversion, op: rho.ConcatOp) -> _Value:
    lhs, rhs = c.of(op.lhs), c.of(op.rhs)
    if lhs.rank != rhs.rank or lhs.rank == 0:
        raise _failure(op, f"ranks {lhs.rank} and {rhs.rank}: expected arrays of one rank")
    if lhs.parts is not None and rhs.parts is not None:
        return _Value(1, parts=(*lhs.parts, *rhs.parts))
    return _Value(lhs.rank, c.emit(phi.ConcatOp(c.array(lhs), c.array(rhs))))


def _generated(c: _Conversion, op: rho.FillOp | rho.GenOp, element: _Numbers) -> _Value:
    """The array of a shape, of elements or parts that have the shape of the default."""
    sizes, default = _parts(op, c.of(op.shape), "the shape"), c.of(op.default)
    axes = len(sizes) - default.rank
    if axes < 0:
        raise _failure(op, f"a shape of {len(sizes)} axes for a default of rank {default.rank}")
    if axes == 0:
        return element(())
    outer = [c.guarded_size(c.integer(size)) for size in sizes[:axes]]
    return _Value(len(sizes), c.comprehension(outer, element))


def _fill(c: _Conversion, op: rho.FillOp) -> _Value:
    return _generated(c, op, lambda _: c.of(op.default))


def _gen(c: _Conversion, op: rho.GenOp) -> _Value:
    lower, upper, default = c.of(op.lower), c.of(op.upper), c.of(op.default)
    low, high = _parts(op, lower, "the lower bound"), _parts(op, upper, "the upper bound")
    if default.rank:
        default = _Value(default.rank, c.array(default))
    inner = c.sizes(default)

    def element(index: Sequence[_Value]) -> _Value:
        if not len(index) == len(low) == len(high):
            raise _failure(op, f"bounds of {len(low)} and {len(high)} axes for {len(index)}")
        inside = c.emit(arith.ConstantOp(IntegerAttr(1, i1)))
        for position, start, end in zip(map(c.integer, index), low, high, strict=True):
            for test in (
                c.compared("sge", position, c.integer(start)),
                c.compared("slt", position, c.integer(end)),
            ):
                inside = c.emit(arith.AndIOp(inside, test))
        c.bind(op.index, index[0] if lower.rank == 0 else _Value(1, parts=tuple(index)))
        value = c.body(op.body.block)
        if value.rank != default.rank:
            raise _failure(op, f"a value of rank {value.rank} for rank {default.rank}")
        return c.chosen(inside, value, default, inner)

    return _generated(c, op, element)


def _if(c: _Conversion, op: rho.IfOp) -> _Value:
    condition = c.of(op.condition)
    if condition.rank:
        raise _failure(op, f"a condition of rank {condition.rank}")
    taken = _is_true(c, condition)
    with c.guard(taken):
        then = c.body(op.then.block)
    with c.guard(c.emit(arith.XOrIOp(taken, c.emit(arith.ConstantOp(IntegerAttr(1, i1)))))):
        otherwise = c.body(op.otherwise.block)
    if then.rank != otherwise.rank:
        raise _failure(op, f"the branches have ranks {then.rank} and {otherwise.rank}")
    return c.chosen(taken, then, otherwise)


_RULES: dict[type[Operation], Callable[[_Conversion, Any], _Value]] = {
    rho.AbsOp: _abs,
    rho.ArithOp: _arith,
    rho.CallOp: _Conversion.inlined,
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


def _check_regular(function: func.FuncOp) -> None:
    """Raise PassFailedException for arrays in a generator whose sizes depend on its index."""
    try:
        function.verify()
    except VerifyException as error:
        raise PassFailedException(f"convert-rho-to-phi: {error}") from error


@dataclass(frozen=True)
class ConvertRhoToPhiPass(ModulePass):
    r"""Translates programs of rho to phi, where ranks follow from those of the inputs.

    Calls are inlined. Run `rewrite-by-demand` before, so that only needed values are translated.
    Both branches of a choice are evaluated: sizes are 0 in the one that is not taken. Positions out
    of bounds clip, and division by zero is infinite, as elsewhere in phi.

    Before, with ``ranks=0,1``::

        \n.\v. gen [n] 0 with [1] <= iv < [n] in v.(iv - 1)

    After, in which ``%n`` and ``%v`` are floats::

        %m = arith.fptosi %n : f64 to i64
        %r = phi.array (%i < %m) -> !phi.vec<f64> {
          ...
          %x = phi.get %v[%p] : !phi.vec<f64>[i64]
          %y = arith.select %inside, %x, %zero : f64
          phi.yield %y : f64
        }
    """

    name = "convert-rho-to-phi"

    ranks: tuple[int, ...] = ()
    """The ranks of the inputs."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for program in op.ops:
            if isinstance(program, rho.ProgramOp):
                new = converted(program, self.ranks)
                _check_regular(new)
                Rewriter.replace_op(program, new, new_results=[])
