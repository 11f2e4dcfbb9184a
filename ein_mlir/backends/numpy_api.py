"""NumPy's functions by their bare names: tables for each library that has them.

>>> scalars("jnp")["math.sin"]
Call(function='jnp.sin')
"""

from __future__ import annotations

from ein_mlir.backends.forms import Call, Division, Form, Helper, Operator, Unary, Unsigned


def scalars(library: str) -> dict[str, Form]:
    """The form of each scalar operation that is one operator, one call or one helper."""
    return {name: _of_library(library, form) for name, form in SCALARS.items()}


def _of_library(library: str, form: Form) -> Form:
    match form:
        case Call(function):
            return Call(f"{library}.{function}")
        case Helper(function):
            return Helper(f"{library}.{function}")
        case Unsigned(Call(function)):
            return Unsigned(Call(f"{library}.{function}"))
        case Operator() | Unary() | Unsigned() | Division():
            return form


SCALARS: dict[str, Form] = {
    "arith.addf": Operator("+"),
    "arith.addi": Operator("+"),
    "arith.andi": Operator("&"),
    "arith.divf": Operator("/"),
    "arith.divsi": Helper("truncated_divide"),
    "arith.divui": Unsigned(Operator("//")),
    "arith.floordivsi": Operator("//"),
    "arith.maximumf": Call("maximum"),
    "arith.maxnumf": Call("fmax"),
    "arith.maxsi": Call("maximum"),
    "arith.maxui": Unsigned(Call("maximum")),
    "arith.minimumf": Call("minimum"),
    "arith.minnumf": Call("fmin"),
    "arith.minsi": Call("minimum"),
    "arith.minui": Unsigned(Call("minimum")),
    "arith.mulf": Operator("*"),
    "arith.muli": Operator("*"),
    "arith.negf": Unary("-"),
    "arith.ori": Operator("|"),
    "arith.remsi": Call("fmod"),
    "arith.remui": Unsigned(Operator("%")),
    "arith.shli": Operator("<<"),
    "arith.shrsi": Operator(">>"),
    "arith.shrui": Unsigned(Operator(">>")),
    "arith.subf": Operator("-"),
    "arith.subi": Operator("-"),
    "arith.xori": Operator("^"),
    "math.absf": Call("abs"),
    "math.absi": Call("abs"),
    "math.acos": Call("arccos"),
    "math.acosh": Call("arccosh"),
    "math.asin": Call("arcsin"),
    "math.asinh": Call("arcsinh"),
    "math.atan": Call("arctan"),
    "math.atan2": Call("arctan2"),
    "math.atanh": Call("arctanh"),
    "math.cbrt": Call("cbrt"),
    "math.ceil": Call("ceil"),
    "math.copysign": Call("copysign"),
    "math.cos": Call("cos"),
    "math.cosh": Call("cosh"),
    "math.ctlz": Helper("leading_zeros"),
    "math.erf": Helper("erf"),
    "math.exp": Call("exp"),
    "math.exp2": Call("exp2"),
    "math.expm1": Call("expm1"),
    "math.floor": Call("floor"),
    "math.log": Call("log"),
    "math.log10": Call("log10"),
    "math.log1p": Call("log1p"),
    "math.log2": Call("log2"),
    "math.powf": Operator("**"),
    "math.round": Helper("round_half_away"),
    "math.roundeven": Call("rint"),
    "math.sin": Call("sin"),
    "math.sinh": Call("sinh"),
    "math.sqrt": Call("sqrt"),
    "math.tan": Call("tan"),
    "math.tanh": Call("tanh"),
    "math.trunc": Call("trunc"),
    "sigma.floormod": Operator("%"),
    "sigma.sign": Call("sign"),
}
"""The form of each scalar operation that is one operator or one call."""

COMPARISONS: dict[str, Form] = {
    "eq": Operator("=="),
    "ne": Operator("!="),
    "slt": Operator("<"),
    "sle": Operator("<="),
    "sgt": Operator(">"),
    "sge": Operator(">="),
    "ult": Unsigned(Operator("<")),
    "ule": Unsigned(Operator("<=")),
    "ugt": Unsigned(Operator(">")),
    "uge": Unsigned(Operator(">=")),
}
"""The form of each predicate of ``arith.cmpi``."""

REDUCTIONS: dict[str, str] = {
    "arith.addf": "sum",
    "arith.addi": "sum",
    "arith.andi": "all",
    "arith.maximumf": "max",
    "arith.maxsi": "max",
    "arith.minimumf": "min",
    "arith.minsi": "min",
    "arith.mulf": "prod",
    "arith.muli": "prod",
    "arith.ori": "any",
}
"""The method that reduces with each operation: Bools by ``and`` and ``or``."""

BITWISE: dict[str, str] = {
    "arith.andi": "bitwise_and",
    "arith.ori": "bitwise_or",
    "arith.xori": "bitwise_xor",
}
"""The function, in each library, that combines the bits of Ints."""
