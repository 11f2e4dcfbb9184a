"""The derivatives of scalar operations: one table, a formula for each operand."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntegerType, i8
from xdsl.ir import Attribute, Operation, SSAValue

from ein_mlir.analysis.constants import known_float
from ein_mlir.analysis.predicates import FLOAT_PREDICATES
from ein_mlir.dialects import sigma
from ein_mlir.host import syntax
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.phi.insertion import Inserter
from ein_mlir.rewriting.phi.operators import INT_OPERATORS

DERIVATIVES: Mapping[str, Sequence[str]] = {
    # d is the tangent of the operand of the formula; x, y, z are the operands, r is the result.
    "arith.addf": ("d", "d"),
    "arith.subf": ("d", "-d"),
    "arith.mulf": ("d * y", "d * x"),
    "arith.divf": ("d / y", "-d * r / y"),
    "arith.negf": ("-d",),
    "arith.extf": ("convert(d)",),
    "arith.truncf": ("convert(d)",),
    "arith.maximumf": ("d * share(x > y, x >= y)", "d * (1 - share(x > y, x >= y))"),
    "arith.minimumf": ("d * share(x < y, x <= y)", "d * (1 - share(x < y, x <= y))"),
    "arith.maxnumf": ("d * share(x > y, x >= y)", "d * (1 - share(x > y, x >= y))"),
    "arith.minnumf": ("d * share(x < y, x <= y)", "d * (1 - share(x < y, x <= y))"),
    "sigma.floormod": ("d", "-(d * floor(x / y))"),
    "math.absf": ("d * sign(x)",),
    "math.copysign": ("d * (copysign(1, x) * copysign(1, y))", "0"),
    "math.fma": ("d * y", "d * x", "d"),
    "math.sqrt": ("d * (0.5 / r)",),
    "math.rsqrt": ("d * (-0.5 * r / x)",),
    "math.cbrt": ("d / (3 * r * r)",),
    "math.powf": (
        "d * (y * x ** where(y == 0, 1, y - 1))",
        "d * (r * log(where(x == 0, 1, x)))",
    ),
    "math.fpowi": ("d * (float(y) * x ** where(y == 0, 1, y - 1))",),
    "math.exp": ("d * r",),
    "math.exp2": ("d * (0.6931471805599453 * r)",),
    "math.expm1": ("d * (r + 1)",),
    "math.log": ("d / x",),
    "math.log2": ("d / (0.6931471805599453 * x)",),
    "math.log10": ("d / (2.302585092994046 * x)",),
    "math.log1p": ("d / (x + 1)",),
    "math.sin": ("d * cos(x)",),
    "math.cos": ("-(d * sin(x))",),
    "math.tan": ("d * (1 + r * r)",),
    "math.asin": ("d / sqrt(1 - x * x)",),
    "math.acos": ("-(d / sqrt(1 - x * x))",),
    "math.atan": ("d / (1 + x * x)",),
    "math.atan2": ("d * (y / (x * x + y * y))", "-(d * (x / (x * x + y * y)))"),
    "math.sinh": ("d * cosh(x)",),
    "math.cosh": ("d * sinh(x)",),
    "math.tanh": ("d * (1 - r * r)",),
    "math.asinh": ("d / sqrt(x * x + 1)",),
    "math.acosh": ("d / sqrt(x * x - 1)",),
    "math.atanh": ("d / (1 - x * x)",),
    "math.erf": ("d * (1.1283791670955126 * exp(-(x * x)))",),
    "sigma.sign": ("0",),
    "math.floor": ("0",),
    "math.ceil": ("0",),
    "math.trunc": ("0",),
    "math.round": ("0",),
    "math.roundeven": ("0",),
}
"""Operation -> the derivative in each Float operand; a formula ``0`` is no term at all.

``share(a, b)`` is half for each of two comparisons that hold: of two equal numbers each is half of
the extreme. On arrays, such a sum takes a fraction of the time of a selection of literals.
"""

_NAMES = "xyz"


_FUNCTIONS: Mapping[str, Callable[..., Operation]] = {
    "/": arith.DivfOp,
    "**": math.PowFOp,
    "copysign": math.CopySignOp,
    "cos": math.CosOp,
    "cosh": math.CoshOp,
    "exp": math.ExpOp,
    "floor": math.FloorOp,
    "log": math.LogOp,
    "negative": arith.NegfOp,
    "sign": sigma.SignOp,
    "sin": math.SinOp,
    "sinh": math.SinhOp,
    "sqrt": math.SqrtOp,
    "where": arith.SelectOp,
}
_SYMBOLS: Mapping[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
    ast.Eq: "==",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Lt: "<",
    ast.LtE: "<=",
}


@cache
def _parsed(text: str) -> ast.expr:
    return syntax.parse_expression(text)


@dataclass(frozen=True)
class _Formulas:
    """Builds the operations of a formula for one operation."""

    build: Inserter
    names: Mapping[str, SSAValue]
    type: Attribute
    shares: dict[str, SSAValue]
    """The shares of the operands that are known: two formulas have the same."""

    def value(self, node: ast.expr) -> SSAValue | float:
        """The value of an expression; a literal is a number, which takes the type it meets."""
        match node:
            case ast.Constant(value=float() | int() as number):
                return number
            case ast.Name(id=name):
                return self.names[name]
            case ast.UnaryOp(operand=ast.Constant(value=float() | int() as number)):
                return -number
            case ast.UnaryOp(operand=operand):
                return self._apply("negative", [operand])
            case ast.BinOp(left=left, op=op, right=right):
                return self._apply(_SYMBOLS[type(op)], [left, right])
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._apply(_SYMBOLS[type(op)], [left, right])
            case ast.Call(func=ast.Name(id="convert"), args=[operand]):
                return self._converted(self.build.value(self.value(operand), self.type))
            case ast.Call(func=ast.Name(id="float"), args=[operand]):
                target: Any = self.type
                given = self.build.value(self.value(operand), self.type)
                return self.build.emit(arith.SIToFPOp(given, target))
            case ast.Call(func=ast.Name(id="share"), args=[first, second]):
                key = ast.unparse(node)
                if key not in self.shares:
                    self.shares[key] = self._shared(first, second)
                return self.shares[key]
            case ast.Call(func=ast.Name(id=name), args=operands):
                return self._apply(name, operands)
            case _:
                raise AssertionError(ast.dump(node))

    def _apply(self, name: str, operands: Sequence[ast.expr]) -> SSAValue:
        values = [self.value(operand) for operand in operands]
        types = [value.type for value in values[name == "where" :] if isinstance(value, SSAValue)]
        type_ = types[0] if types else self.type
        typed = [self.build.value(value, type_) for value in values]
        if name == "**" and isinstance(typed[1].type, IntegerType):
            return self.build.emit(math.FPowIOp(typed[0], typed[1]))
        if name in INT_OPERATORS:
            return self.build.combined(typed[0], name, typed[1])
        if name in FLOAT_PREDICATES:
            return self.build.compare(typed[0], name, typed[1])
        return self.build.emit(_FUNCTIONS[name](*typed))

    def _shared(self, *comparisons: ast.expr) -> SSAValue:
        """Half for each comparison that holds."""
        held = [self.build.value(self.value(each), self.type) for each in comparisons]
        numbers = [self.build.emit(arith.ExtUIOp(each, i8)) for each in held]
        count = self.build.add(numbers[0], numbers[1])
        target: Any = self.type
        return self.build.mul(self.build.emit(arith.SIToFPOp(count, target)), 0.5)

    def _converted(self, value: SSAValue) -> SSAValue:
        """The tangent in the other width."""
        target: Any = self.type
        wider = arith.ExtFOp if width(value.type) < width(target) else arith.TruncFOp
        return self.build.emit(wider(value, target))


def width(type_: Attribute) -> int:
    """The number of bits of a Float."""
    return getattr(type_, "bitwidth", 0)


def tangent_of(
    build: Inserter, op: Operation, tangents: Sequence[SSAValue | None]
) -> SSAValue | None:
    """The tangent of the result of an operation in the table; None if it is zero.

    ``dr = dx * (dr / dx) + dy * (dr / dy)``, over the operands that have a tangent.
    """
    (result,) = op.results
    total: SSAValue | None = None
    names, shares = dict(zip(_NAMES, op.operands, strict=False)), dict[str, SSAValue]()
    is_root = isinstance(op, math.PowFOp) and known_float(op.rhs) == 0.5
    formulas = DERIVATIVES["math.sqrt" if is_root else op.name]
    for text, tangent in zip(formulas, tangents, strict=False):
        if tangent is None or text == "0":
            continue
        values = {**names, "r": result, "d": tangent}
        term = formula_of(build, text, values, result.type, shares)
        total = term if total is None else build.add(total, term)
    return total


def cotangent_of(build: Inserter, op: Operation, number: int, cotangent: SSAValue) -> SSAValue:
    """The contribution of a linear operation in the table to an operand."""
    values = {**dict(zip(_NAMES, op.operands, strict=False)), "d": cotangent}
    return formula_of(build, DERIVATIVES[op.name][number], values, op.operands[number].type)


def formula_of(
    build: Inserter,
    text: str,
    names: Mapping[str, SSAValue],
    type_: Attribute | None = None,
    shares: dict[str, SSAValue] | None = None,
) -> SSAValue:
    """The value of a formula of Floats of a type, by default that of ``x``."""
    type_ = names["x"].type if type_ is None else type_
    value = _Formulas(build, names, type_, {} if shares is None else shares).value(_parsed(text))
    assert isinstance(value, SSAValue)
    return value
