"""The rules of the scalar operators: ``arith``, ``math`` and ``sigma`` on NumPy scalars.

An operation on integers is a function of Python integers, read from the operands as signed or as
unsigned; its result is wrapped to the width of its type. An operation on floats is a function of
NumPy floats, in the precision of their type. ``docs/semantics.md`` has the same tables in words.
"""

from __future__ import annotations

import math as pymath
import operator
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType, i1
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import InterpretationError

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import sigma
from ein_mlir.dialects.reductions import WEIGHTS, identity_of
from ein_mlir.interpreters.values import DTYPES, Float, Scalar, Value, differing_sizes

Integer: TypeAlias = np.bool_ | np.int8 | np.int16 | np.int32 | np.int64
Function: TypeAlias = Callable[[PythonValues], Value]
Rule: TypeAlias = Callable[[Operation], Function]
"""The function of an operation, which maps operands to the result; types are read once."""


# Integers ---------------------------------------------------------------------------------------


def width(dtype: type[Scalar]) -> int:
    """The number of bits of an integer type."""
    return 1 if dtype is np.bool_ else np.dtype(dtype).itemsize * 8


def signed(x: Integer) -> int:
    """The value of the bits of ``x`` in two's complement; true is -1."""
    return -int(x) if isinstance(x, np.bool_) else int(x)


def unsigned(x: Integer) -> int:
    """The value of the bits of ``x`` as an unsigned integer; true is 1."""
    return signed(x) % 2 ** width(type(x))


def wrap(n: int, dtype: type[Scalar]) -> Scalar:
    """The integer of a type that equals ``n`` modulo two to the type's width.

    >>> wrap(2**31, np.int32)
    np.int32(-2147483648)
    """
    if dtype is np.bool_:
        return np.bool_(n % 2)
    half = _HALVES[dtype]
    return dtype(n if -half <= n < half else (n + half) % (2 * half) - half)


_HALVES: dict[type[Scalar], int] = {
    dtype: 2 ** (width(dtype) - 1) for dtype in (np.int8, np.int16, np.int32, np.int64)
}
"""The least number that is too large for an integer type."""


def floor_div(x: int, y: int) -> int:
    """Division that rounds down; by zero, 0."""
    return x // y if y else 0


def floor_mod(x: int, y: int) -> int:
    """The remainder of `floor_div`, with the sign of the divisor; by zero, 0."""
    return x % y if y else 0


def ceil_div(x: int, y: int) -> int:
    """Division that rounds up; by zero, 0."""
    return -(-x // y) if y else 0


def trunc_div(x: int, y: int) -> int:
    """Division that rounds towards zero; by zero, 0."""
    quotient = abs(x) // abs(y) if y else 0
    return quotient if (x < 0) == (y < 0) else -quotient


def trunc_mod(x: int, y: int) -> int:
    """The remainder of `trunc_div`, with the sign of the dividend; by zero, 0."""
    return x - trunc_div(x, y) * y if y else 0


def int_power(x: int, n: int) -> int:
    """``x`` to the ``n``, modulo 2**64; for negative ``n``, 1/x**-n rounded towards zero."""
    if n >= 0:
        return pow(x, n, 2**64)
    if abs(x) == 1:
        return x ** (n % 2)
    return 0


def leading_zeros(x: int, bits: int) -> int:
    """The number of zero bits above the highest one bit."""
    return bits - x.bit_length()


def trailing_zeros(x: int, bits: int) -> int:
    """The number of zero bits below the lowest one bit."""
    return (x & -x).bit_length() - 1 if x else bits


SIGNED: dict[type[Operation], Callable[..., int]] = {
    arith.AddiOp: int.__add__,
    arith.SubiOp: int.__sub__,
    arith.MuliOp: int.__mul__,
    arith.FloorDivSIOp: floor_div,
    arith.CeilDivSIOp: ceil_div,
    arith.DivSIOp: trunc_div,
    arith.RemSIOp: trunc_mod,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
    arith.AndIOp: int.__and__,
    arith.OrIOp: int.__or__,
    arith.XOrIOp: int.__xor__,
    arith.TruncIOp: int,
    arith.ExtSIOp: int,
    arith.IndexCastOp: int,
    math.AbsIOp: int.__abs__,
    math.IPowIOp: int_power,
}
"""Functions of operands that are read as signed integers."""

WRAPPING: dict[Callable[..., int], Callable[[Any, Any], Any]] = {
    int.__add__: operator.add,
    int.__sub__: operator.sub,
    int.__mul__: operator.mul,
}
"""Functions of Python integers, and those of NumPy's integers that wrap: they take less time."""

UNSIGNED: dict[type[Operation], Callable[..., int]] = {
    arith.DivUIOp: floor_div,
    arith.RemUIOp: floor_mod,
    arith.CeilDivUIOp: ceil_div,
    arith.MinUIOp: min,
    arith.MaxUIOp: max,
    arith.ExtUIOp: int,
    math.CtPopOp: int.bit_count,
}
"""Functions of operands that are read as unsigned integers."""

BITS: dict[type[Operation], Callable[[int, int], int]] = {
    math.CountLeadingZerosOp: leading_zeros,
    math.CountTrailingZerosOp: trailing_zeros,
}
"""Functions of an operand that is read as an unsigned integer, and of its width."""

SHIFTS: dict[type[Operation], tuple[Callable[[Integer], int], Callable[[int, int], int]]] = {
    arith.ShLIOp: (unsigned, int.__lshift__),
    arith.ShRUIOp: (unsigned, int.__rshift__),
    arith.ShRSIOp: (signed, int.__rshift__),
}
"""The signedness of a shift's operand, and the shift; a distance beyond the width clears it."""

CMPI: tuple[tuple[Callable[[Integer], int], Callable[[int, int], bool]], ...] = (
    (signed, operator.eq),
    (signed, operator.ne),
    (signed, operator.lt),
    (signed, operator.le),
    (signed, operator.gt),
    (signed, operator.ge),
    (unsigned, operator.lt),
    (unsigned, operator.le),
    (unsigned, operator.gt),
    (unsigned, operator.ge),
)
"""The predicates of ``arith.cmpi`` by number: the signedness of operands, and the comparison."""


# Floats -----------------------------------------------------------------------------------------


def erf(x: Float) -> float:
    """The error function, in double precision."""
    return pymath.erf(float(x))


def multiply_add(x: Float, y: Float, z: Float) -> Float:
    """``x * y + z``; the product is rounded, too."""
    return x * y + z


def rsqrt(x: Float) -> Float:
    """``1 / sqrt(x)``."""
    return type(x)(1) / np.sqrt(x)


def half_away(x: Float) -> Float:
    """The nearest integer; of two, the one farther from zero."""
    whole = np.trunc(x)
    return whole + np.copysign(type(x)(1), x) if abs(x - whole) >= 0.5 else whole


def float_power(x: Float, n: np.int32 | np.int64) -> np.float64:
    """``x`` to an integer; the sign follows the parity of ``n``, also where no float has it."""
    magnitude = np.power(np.abs(np.float64(x)), np.float64(n))
    return -magnitude if np.signbit(x) and int(n) % 2 else magnitude


FLOAT: dict[type[Operation], Callable[..., float | np.floating[Any]]] = {
    arith.AddfOp: operator.add,
    arith.SubfOp: operator.sub,
    arith.MulfOp: operator.mul,
    arith.DivfOp: np.divide,
    arith.NegfOp: np.negative,
    arith.MinimumfOp: np.minimum,
    arith.MaximumfOp: np.maximum,
    arith.MinnumfOp: np.fmin,
    arith.MaxnumfOp: np.fmax,
    arith.ExtFOp: np.positive,
    arith.TruncFOp: np.positive,
    math.AbsFOp: np.abs,
    math.AcosOp: np.arccos,
    math.AcoshOp: np.arccosh,
    math.AsinOp: np.arcsin,
    math.AsinhOp: np.arcsinh,
    math.AtanOp: np.arctan,
    math.Atan2Op: np.arctan2,
    math.AtanhOp: np.arctanh,
    math.CbrtOp: np.cbrt,
    math.CeilOp: np.ceil,
    math.CopySignOp: np.copysign,
    math.CosOp: np.cos,
    math.CoshOp: np.cosh,
    math.ErfOp: erf,
    math.ExpOp: np.exp,
    math.Exp2Op: np.exp2,
    math.ExpM1Op: np.expm1,
    math.FloorOp: np.floor,
    math.FmaOp: multiply_add,
    math.FPowIOp: float_power,
    math.LogOp: np.log,
    math.Log10Op: np.log10,
    math.Log1pOp: np.log1p,
    math.Log2Op: np.log2,
    math.PowFOp: np.power,
    math.RoundOp: half_away,
    math.RoundEvenOp: np.rint,
    math.RsqrtOp: rsqrt,
    math.SinOp: np.sin,
    math.SinhOp: np.sinh,
    math.SqrtOp: np.sqrt,
    math.TanOp: np.tan,
    math.TanhOp: np.tanh,
    math.TruncOp: np.trunc,
}
"""Functions of floats; the result is rounded to the type of the result.

On scalars of NumPy, operators of Python take a tenth of the time of its functions.
"""

CMPF: tuple[Callable[[Float, Float], bool | np.bool_], ...] = (
    lambda x, y: False,
    operator.eq,
    operator.gt,
    operator.ge,
    operator.lt,
    operator.le,
    lambda x, y: x < y or x > y,
    lambda x, y: x == x and y == y,
    lambda x, y: not (x < y or x > y),
    lambda x, y: not x <= y,
    lambda x, y: not x < y,
    lambda x, y: not x >= y,
    lambda x, y: not x > y,
    operator.ne,
    lambda x, y: x != x or y != y,
    lambda x, y: True,
)
"""The predicates of ``arith.cmpf`` by number; exactly those from 8 on hold for NaN."""


# Rules ------------------------------------------------------------------------------------------


def result_dtype(op: Operation) -> type[Scalar]:
    """The dtype of the operation's result."""
    return DTYPES[op.results[0].type]


def integer_rule(read: Callable[[Integer], int], function: Callable[..., int]) -> Rule:
    """The rule that reads the operands, applies the function and wraps the result."""

    def rule(op: Operation) -> Function:
        dtype = result_dtype(op)
        wrapping = WRAPPING.get(function)
        if wrapping is not None and dtype is not np.bool_:
            return lambda args: wrapping(*args)
        types = {DTYPES[operand.type] for operand in op.operands}
        if function is int and types == {dtype}:
            return lambda args: args[0]
        number = int if read is signed and np.bool_ not in types else read
        return lambda args: wrap(function(*map(number, args)), dtype)

    return rule


def bits_rule(function: Callable[[int, int], int]) -> Rule:
    """The rule for a function of the operand's bits and their number."""

    def rule(op: Operation) -> Function:
        dtype = result_dtype(op)
        return lambda args: wrap(function(unsigned(args[0]), width(dtype)), dtype)

    return rule


def shift_rule(read: Callable[[Integer], int], shift: Callable[[int, int], int]) -> Rule:
    """The rule for a shift; the distance is at most the width, as larger ones are equivalent."""

    def rule(op: Operation) -> Function:
        dtype = result_dtype(op)
        bits = width(dtype)
        return lambda args: wrap(shift(read(args[0]), min(unsigned(args[1]), bits)), dtype)

    return rule


def float_rule(function: Callable[..., float | np.floating[Any]]) -> Rule:
    """The rule that applies the function and rounds the result to its type."""

    def rule(op: Operation) -> Function:
        dtype = result_dtype(op)
        if function in OPERATORS:
            operator_: Callable[..., Any] = function
            return lambda args: operator_(*args)
        return lambda args: dtype(function(*args))

    return rule


OPERATORS = (operator.add, operator.sub, operator.mul)
"""Operators of Python: on two scalars of NumPy of one type, the result has this type, too."""

COMBINERS: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
"""The function of each kind of combination (see ``dialects.reductions.KINDS``)."""


def combiner(kind: str, type_: Attribute) -> tuple[Callable[..., Any], Scalar]:
    """The function of a kind on two scalars of a type, and its identity."""
    neutral = identity_of(kind, type_)
    assert neutral is not None
    return COMBINERS[kind], DTYPES[type_](neutral.value.data)


def weigher(kind: str, type_: Attribute, weight: Attribute) -> Callable[[Any, Any], Any]:
    """The function that weighs a prefix: a Bool says whether it counts."""
    if weight != i1:
        return COMBINERS[WEIGHTS[kind]]
    _, neutral = combiner(kind, type_)
    return lambda value, counts: np.where(counts, value, neutral)[()]


def constant(op: Operation) -> Function:
    """The literal."""
    assert isinstance(op, arith.ConstantOp)
    if isa(op.value, IntegerAttr):
        value = wrap(op.value.value.data, result_dtype(op))
    elif isa(op.value, FloatAttr):
        value = result_dtype(op)(op.value.value.data)
    else:
        raise InterpretationError(f"{op.name}: '{op.result.type}' is not a scalar of phi")
    return lambda args: value


def compare_integers(op: Operation) -> Function:
    """The predicate of the operation."""
    assert isinstance(op, arith.CmpiOp)
    read, predicate = CMPI[op.predicate.value.data]
    if read is signed and op.lhs.type != i1:
        compare: Callable[..., Any] = predicate
        return lambda args: compare(*args)
    return lambda args: np.bool_(predicate(*map(read, args)))


def compare_floats(op: Operation) -> Function:
    """The predicate of the operation."""
    assert isinstance(op, arith.CmpfOp)
    predicate = CMPF[op.predicate.value.data]
    return lambda args: np.bool_(predicate(*args))


def select(op: Operation) -> Function:
    """One of two values of the same sizes, which do not depend on the condition."""
    if isinstance(op.results[0].type, IntegerType | IndexType | AnyFloat):
        return lambda args: args[1] if args[0] else args[2]
    return _selected


def _selected(args: PythonValues) -> Value:
    condition, lhs, rhs = args
    for axis, m, n in differing_sizes(lhs, rhs):
        raise ValueError(f"select: sizes along axis {axis} differ: {m} != {n}")
    return lhs if condition else rhs


def float_to_integer(read_minimum: Callable[[int], int]) -> Rule:
    """The rule for the integer part; on overflow, and for NaN, the least integer of the type."""

    def rule(op: Operation) -> Function:
        dtype = result_dtype(op)
        least = read_minimum(width(dtype))

        def converted(args: PythonValues) -> Value:
            fits = np.isfinite(args[0]) and least <= int(args[0]) < least + 2 ** width(dtype)
            return wrap(int(args[0]) if fits else least, dtype)

        return converted

    return rule


def integer_to_float(read: Callable[[Integer], int]) -> Rule:
    """The rule for the nearest float."""

    def rule(op: Operation) -> Function:
        dtype = result_dtype(op)
        return lambda args: _nearest(read(args[0]), dtype)

    return rule


def _nearest(n: int, dtype: type[Scalar]) -> Scalar:
    """Round once: through a 64-bit integer, since Python's floats would round to f64 first."""
    integer = np.int64(n) if n < 2**63 else np.uint64(n)
    return integer.astype(dtype)


def bitcast(op: Operation) -> Function:
    """The same bits as a value of another type of the same width."""
    dtype = result_dtype(op)
    return lambda args: args[0].view(dtype)


INTEGER_MOD = integer_rule(signed, floor_mod)
FLOAT_MOD = float_rule(np.mod)


def floor_mod_any(op: Operation) -> Function:
    """As ``%`` in Python; by zero 0 for integers and NaN for floats."""
    is_integer = isinstance(op.results[0].type, IntegerType | IndexType)
    return (INTEGER_MOD if is_integer else FLOAT_MOD)(op)


def sign(op: Operation) -> Function:
    """-1, 0 or 1; NaN for NaN."""
    dtype = result_dtype(op)
    return lambda args: dtype(np.sign(args[0]))


RULES: dict[type[Operation], Rule] = {
    **{op: integer_rule(signed, function) for op, function in SIGNED.items()},
    **{op: integer_rule(unsigned, function) for op, function in UNSIGNED.items()},
    **{op: bits_rule(function) for op, function in BITS.items()},
    **{op: shift_rule(read, shift) for op, (read, shift) in SHIFTS.items()},
    **{op: float_rule(function) for op, function in FLOAT.items()},
    arith.ConstantOp: constant,
    arith.CmpiOp: compare_integers,
    arith.CmpfOp: compare_floats,
    arith.SelectOp: select,
    arith.FPToSIOp: float_to_integer(lambda bits: -(2 ** (bits - 1))),
    arith.FPToUIOp: float_to_integer(lambda bits: 0),
    arith.SIToFPOp: integer_to_float(signed),
    arith.UIToFPOp: integer_to_float(unsigned),
    arith.BitcastOp: bitcast,
    sigma.FloorModOp: floor_mod_any,
    sigma.SignOp: sign,
}
"""Every scalar operator of the calculus and its rule."""


def _implementation(op_type: type[Operation], rule: Rule) -> object:
    """The rule as a registered method of the interpreter."""

    @impl(op_type)
    def run(
        self: InterpreterFunctions, interpreter: Interpreter, op: Operation, args: PythonValues
    ) -> PythonValues:
        return (rule(op)(args),)

    return run


ScalarFunctions: type[InterpreterFunctions] = register_impls(
    type(
        "ScalarFunctions",
        (InterpreterFunctions,),
        {f"run_{op.name}": _implementation(op, rule) for op, rule in RULES.items()},
    )
)
"""Runs every operation of `RULES`."""
