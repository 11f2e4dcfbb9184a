"""Scalar operators: instructions, intrinsics of LLVM, and functions of the C library."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from xdsl.dialects import arith, llvm, math
from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IndexType,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.hints import isa
from ein_mlir.backends.native import abi
from ein_mlir.dialects.creation import integer_attribute
from ein_mlir.dialects.machine import FPToSIOp, FPToUIOp, FreezeOp
from ein_mlir.dialects.remainder import RemFOp
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import (
    NO_WRAP,
    machine_type,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import FLAG, Conversion, Rule

_MAY_WRAP: Mapping[type[Operation], type[Operation]] = {
    arith.AddiOp: llvm.AddOp,
    arith.SubiOp: llvm.SubOp,
    arith.MuliOp: llvm.MulOp,
    arith.ShLIOp: llvm.ShlOp,
}

_BINARY: Mapping[type[Operation], type[Operation]] = {
    arith.AddfOp: llvm.FAddOp,
    arith.SubfOp: llvm.FSubOp,
    arith.MulfOp: llvm.FMulOp,
    arith.DivfOp: llvm.FDivOp,
    arith.DivSIOp: llvm.SDivOp,
    arith.DivUIOp: llvm.UDivOp,
    arith.RemSIOp: llvm.SRemOp,
    arith.RemUIOp: llvm.URemOp,
    arith.AndIOp: llvm.AndOp,
    arith.OrIOp: llvm.OrOp,
    arith.XOrIOp: llvm.XOrOp,
    arith.ShRUIOp: llvm.LShrOp,
    arith.ShRSIOp: llvm.AShrOp,
    RemFOp: llvm.FRemOp,
}

_CASTS: Mapping[type[Operation], type[Operation]] = {
    arith.ExtSIOp: llvm.SExtOp,
    arith.ExtUIOp: llvm.ZExtOp,
    arith.TruncIOp: llvm.TruncOp,
    arith.SIToFPOp: llvm.SIToFPOp,
    arith.ExtFOp: llvm.FPExtOp,
    arith.FPToSIOp: FPToSIOp,
    arith.FPToUIOp: FPToUIOp,
    arith.TruncFOp: llvm.FPTruncOp,
    arith.BitcastOp: llvm.BitcastOp,
}

_INTRINSICS: Mapping[type[Operation], str] = {
    arith.MinSIOp: "smin",
    arith.MaxSIOp: "smax",
    arith.MinUIOp: "umin",
    arith.MaxUIOp: "umax",
    math.AbsFOp: "fabs",
    math.CeilOp: "ceil",
    math.CopySignOp: "copysign",
    math.CosOp: "cos",
    math.CtPopOp: "ctpop",
    math.ExpOp: "exp",
    math.Exp2Op: "exp2",
    math.FloorOp: "floor",
    math.FmaOp: "fma",
    math.LogOp: "log",
    math.Log2Op: "log2",
    math.Log10Op: "log10",
    math.PowFOp: "pow",
    math.RoundOp: "round",
    math.RoundEvenOp: "roundeven",
    math.SinOp: "sin",
    math.SqrtOp: "sqrt",
    math.TruncOp: "trunc",
}
"""Operators that are intrinsics on operands and a result of one type."""

_WITH_A_FLAG: Mapping[type[Operation], str] = {
    math.AbsIOp: "abs",
    math.CountLeadingZerosOp: "ctlz",
    math.CountTrailingZerosOp: "cttz",
}
"""Intrinsics with a flag that makes some operands undefined; it is off."""

_LIBRARY: Mapping[type[Operation], str] = {
    math.AcosOp: "acos",
    math.AcoshOp: "acosh",
    math.AsinOp: "asin",
    math.AsinhOp: "asinh",
    math.AtanOp: "atan",
    math.Atan2Op: "atan2",
    math.AtanhOp: "atanh",
    math.CbrtOp: "cbrt",
    math.CosOp: "cos",
    math.CoshOp: "cosh",
    math.ErfOp: "erf",
    math.ExpM1Op: "expm1",
    math.Log1pOp: "log1p",
    math.PowFOp: "pow",
    math.SinOp: "sin",
    math.SinhOp: "sinh",
    math.TanOp: "tan",
    math.TanhOp: "tanh",
}
"""Functions of the C library; those on f32 have an ``f`` after the name."""


def suffix(type: Attribute) -> str:
    """The type in the name of an intrinsic function: ``f64``.

    >>> suffix(f64), suffix(i64)
    ('f64', 'i64')
    """
    assert isinstance(type, FixedBitwidthType)
    return f"{'i' if isinstance(type, IntegerType) else 'f'}{type.bitwidth}"


def constant(c: Conversion, op: arith.ConstantOp) -> None:
    """A scalar constant."""
    value = op.value
    if isa(value, IntegerAttr) and isinstance(value.type, IndexType):
        value = integer_attribute(value.value.data, i64)
    c.bind(op.result, c.build.constant(value, machine_type(op.result.type)))


def may_wrap(c: Conversion, op: Operation) -> None:
    """An operation on integers, which wraps; the promises of a program count for positions only."""
    lhs, rhs = map(c.scalar, op.operands)
    cls, result = _MAY_WRAP[type(op)], op.results[0]
    flags = op.properties.get("overflowFlags")
    if isinstance(result.type, IndexType) and _promises_no_wrap(flags):
        c.bind(result, c.build.add(cls, (lhs, rhs), lhs.type, {"overflowFlags": NO_WRAP}))
    else:
        c.bind(result, c.build.wrapping(cls, lhs, rhs))


def _promises_no_wrap(flags: Attribute | None) -> bool:
    return isinstance(flags, arith.IntegerOverflowAttr) and (
        arith.IntegerOverflowFlag.NSW in flags.data
    )


def binary(c: Conversion, op: Operation) -> None:
    """An instruction on two operands; those on floats keep their promises."""
    lhs, rhs = map(c.scalar, op.operands)
    flags, properties = op.properties.get("fastmath"), dict[str, Attribute]()
    if isinstance(flags, arith.FastMathFlagsAttr):
        properties["fastmathFlags"] = _promises(flags)
    c.bind(op.results[0], c.build.add(_BINARY[type(op)], (lhs, rhs), lhs.type, properties))


@lru_cache(64)
def _promises(flags: arith.FastMathFlagsAttr) -> llvm.FastMathAttr:
    return llvm.FastMathAttr(flags.data)


def cast(c: Conversion, op: Operation) -> None:
    """A conversion to the type of the result."""
    (operand,), result = map(c.scalar, op.operands), op.results[0]
    c.bind(result, c.build.add(_CASTS[type(op)], (operand,), machine_type(result.type)))


def index_cast(c: Conversion, op: Operation) -> None:
    """An index is an integer of 64 bits: one of the two types is ``index``."""
    (operand,), type_ = map(c.scalar, op.operands), machine_type(op.results[0].type)
    if operand.type == type_:
        c.bind(op.results[0], operand)
    else:
        resize = llvm.SExtOp if type_ == i64 else llvm.TruncOp
        c.bind(op.results[0], c.build.add(resize, (operand,), type_))


def intrinsic(c: Conversion, op: Operation) -> None:
    """A function of LLVM on operands of one type.

    In a function that is also for several numbers, some stand for the C library.
    """
    if type(op) in _LIBRARY and abi.PURE in c.program.functions[c.function].attributes:
        library(c, op)
        return
    operands, type_ = [*map(c.scalar, op.operands)], machine_type(op.results[0].type)
    name = f"llvm.{_INTRINSICS[type(op)]}.{suffix(type_)}"
    c.bind(op.results[0], marked(op, c.build.intrinsic(name, operands, type_)))


def number(c: Conversion, op: Operation) -> None:
    """The smaller or the larger operand, or the only one that is a number.

    Written as comparisons: LLVM's vectorizer aborts on reductions by the intrinsics where its two
    models of costs differ.
    """
    x, y = map(c.scalar, op.operands)
    is_better = c.build.compare_floats("olt" if isinstance(op, arith.MinnumfOp) else "ogt", x, y)
    is_only = c.build.compare_floats("uno", y, y)
    c.bind(op.results[0], c.build.select(is_only, x, c.build.select(is_better, x, y)))


def marked(op: Operation, value: SSAValue) -> SSAValue:
    """A choice, which LLVM does not guess if a pass has marked it."""
    if abi.UNPREDICTABLE in op.attributes and isinstance(value.owner, Operation):
        value.owner.attributes[abi.UNPREDICTABLE] = UnitAttr()
    return value


def with_a_flag(c: Conversion, op: Operation) -> None:
    """A function of LLVM that is defined for all operands."""
    (operand,) = map(c.scalar, op.operands)
    name = f"llvm.{_WITH_A_FLAG[type(op)]}.{suffix(operand.type)}"
    flag = c.build.integer(0, i1)
    c.bind(op.results[0], c.build.intrinsic(name, (operand, flag), operand.type))


def library(c: Conversion, op: Operation) -> None:
    """A function of the C library."""
    name, type_ = _LIBRARY[type(op)], op.results[0].type
    if type_ not in (f32, f64):
        raise PassFailedException(f"{FLAG}: {op.name}: expected f32 or f64, got {type_}")
    value = c.library(name + ("f" if type_ == f32 else ""), [*map(c.scalar, op.operands)], type_)
    assert value is not None
    c.bind(op.results[0], value)


def compare_integers(c: Conversion, op: arith.CmpiOp) -> None:
    """A comparison, with the same predicates."""
    predicate = llvm.ICmpPredicateFlag.from_int(op.predicate.value.data)
    c.bind(op.result, c.build.compare(predicate.value, c.scalar(op.lhs), c.scalar(op.rhs)))


def compare_floats(c: Conversion, op: arith.CmpfOp) -> None:
    """A comparison, with the same predicates."""
    predicate = llvm.FCmpPredicateFlag.from_int(op.predicate.value.data)
    c.bind(op.result, c.build.compare_floats(predicate.value, c.scalar(op.lhs), c.scalar(op.rhs)))


def select(c: Conversion, op: arith.SelectOp) -> None:
    """A choice between scalars.

    One that a pass has marked stays as it is: LLVM does not combine it with comparisons of it.
    """
    if not isinstance(machine_type(op.result.type), FixedBitwidthType):
        raise PassFailedException(
            f"{FLAG}: arith.select: expected scalars, got {op.result.type}{where_written(op)}"
        )
    condition, x, y = map(c.scalar, op.operands)
    chosen = marked(op, c.build.select(condition, x, y))
    if abi.UNPREDICTABLE in op.attributes:
        chosen = c.build.add(FreezeOp, (chosen,), chosen.type)
    c.bind(op.result, chosen)


def negate(c: Conversion, op: arith.NegfOp) -> None:
    """``-x``"""
    operand = c.scalar(op.operand)
    c.bind(op.result, c.build.add(llvm.FNegOp, (operand,), operand.type))


def reciprocal_root(c: Conversion, op: math.RsqrtOp) -> None:
    """``1 / sqrt(x)``, rounded twice."""
    (operand,) = map(c.scalar, op.operands)
    root = c.build.intrinsic(f"llvm.sqrt.{suffix(operand.type)}", (operand,), operand.type)
    one = c.build.number(1.0, operand.type)
    c.bind(op.results[0], c.build.add(llvm.FDivOp, (one, root), operand.type))


def unsigned_to_float(c: Conversion, op: arith.UIToFPOp) -> None:
    """A narrow integer is a positive one of more bits; the half of a large one, twice.

    The lowest bit of the half is set if any bit is lost, so that the half rounds as the whole.
    """
    operand, type_, build = c.scalar(op.input), op.result.type, c.build
    if operand.type != i64:
        is_short = isa(operand.type, IntegerType) and operand.type.width.data < 32
        wide = build.add(llvm.ZExtOp, (operand,), i32 if is_short else i64)
        c.bind(op.result, build.add(llvm.SIToFPOp, (wide,), type_))
        return
    one = build.integer(1)
    lost = build.add(llvm.AndOp, (operand, one), i64)
    half = build.add(llvm.OrOp, (build.add(llvm.LShrOp, (operand, one), i64), lost), i64)
    large = build.add(llvm.SIToFPOp, (half,), type_)
    twice = build.add(llvm.FAddOp, (large, large), type_)
    small = build.add(llvm.SIToFPOp, (operand,), type_)
    negative = build.compare("slt", operand, build.integer(0))
    c.bind(op.result, build.select(negative, twice, small))


def integer_power(c: Conversion, op: math.FPowIOp) -> None:
    """``x ** n`` for an integer: the power of a float, which is exact for small ones."""
    base, exponent, type_ = c.scalar(op.lhs), c.scalar(op.rhs), op.result.type
    wide = c.build.add(llvm.SIToFPOp, (exponent,), type_)
    c.bind(op.result, c.build.intrinsic(f"llvm.pow.{suffix(type_)}", (base, wide), type_))


RULES: dict[type[Operation], Rule] = {
    arith.ConstantOp: constant,
    arith.CmpiOp: compare_integers,
    arith.CmpfOp: compare_floats,
    arith.SelectOp: select,
    arith.NegfOp: negate,
    arith.IndexCastOp: index_cast,
    arith.UIToFPOp: unsigned_to_float,
    math.FPowIOp: integer_power,
    math.RsqrtOp: reciprocal_root,
    arith.MinnumfOp: number,
    arith.MaxnumfOp: number,
    **dict.fromkeys(_MAY_WRAP, may_wrap),
    **dict.fromkeys(_BINARY, binary),
    **dict.fromkeys(_CASTS, cast),
    **dict.fromkeys(_LIBRARY, library),
    **dict.fromkeys(_INTRINSICS, intrinsic),
    **dict.fromkeys(_WITH_A_FLAG, with_a_flag),
}
