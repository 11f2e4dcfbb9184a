"""Which part of NumPy stands for which operation: tables, for ``convert-yarr-to-numpy``."""

from __future__ import annotations

from ein_mlir.backends.forms import Call, Form, Helper, Operator, Unary, Unsigned

DTYPES: dict[str, str] = {
    "i1": "np.bool",
    "i8": "np.int8",
    "i32": "np.int32",
    "i64": "np.int64",
    "f32": "np.float32",
    "f64": "np.float64",
}
"""The dtype of each scalar type."""

UNSIGNED_DTYPES: dict[str, str] = {
    "i8": "np.uint8",
    "i32": "np.uint32",
    "i64": "np.uint64",
}
"""The dtype that reads the bits of an integer as an unsigned one."""

SCALARS: dict[str, Form] = {
    "arith.addf": Operator("+"),
    "arith.addi": Operator("+"),
    "arith.andi": Operator("&"),
    "arith.divf": Operator("/"),
    "arith.divsi": Helper("np.truncated_divide"),
    "arith.divui": Unsigned(Operator("//")),
    "arith.floordivsi": Operator("//"),
    "arith.maximumf": Call("np.maximum"),
    "arith.maxnumf": Call("np.fmax"),
    "arith.maxsi": Call("np.maximum"),
    "arith.maxui": Unsigned(Call("np.maximum")),
    "arith.minimumf": Call("np.minimum"),
    "arith.minnumf": Call("np.fmin"),
    "arith.minsi": Call("np.minimum"),
    "arith.minui": Unsigned(Call("np.minimum")),
    "arith.mulf": Operator("*"),
    "arith.muli": Operator("*"),
    "arith.negf": Unary("-"),
    "arith.ori": Operator("|"),
    "arith.remsi": Call("np.fmod"),
    "arith.remui": Unsigned(Operator("%")),
    "arith.shli": Operator("<<"),
    "arith.shrsi": Operator(">>"),
    "arith.shrui": Unsigned(Operator(">>")),
    "arith.subf": Operator("-"),
    "arith.subi": Operator("-"),
    "arith.xori": Operator("^"),
    "math.absf": Call("np.abs"),
    "math.absi": Call("np.abs"),
    "math.acos": Call("np.arccos"),
    "math.acosh": Call("np.arccosh"),
    "math.asin": Call("np.arcsin"),
    "math.asinh": Call("np.arcsinh"),
    "math.atan": Call("np.arctan"),
    "math.atan2": Call("np.arctan2"),
    "math.atanh": Call("np.arctanh"),
    "math.cbrt": Call("np.cbrt"),
    "math.ceil": Call("np.ceil"),
    "math.copysign": Call("np.copysign"),
    "math.cos": Call("np.cos"),
    "math.cosh": Call("np.cosh"),
    "math.erf": Helper("np.erf"),
    "math.exp": Call("np.exp"),
    "math.exp2": Call("np.exp2"),
    "math.expm1": Call("np.expm1"),
    "math.floor": Call("np.floor"),
    "math.log": Call("np.log"),
    "math.log10": Call("np.log10"),
    "math.log1p": Call("np.log1p"),
    "math.log2": Call("np.log2"),
    "math.powf": Operator("**"),
    "math.round": Helper("np.round_half_away"),
    "math.roundeven": Call("np.rint"),
    "math.sin": Call("np.sin"),
    "math.sinh": Call("np.sinh"),
    "math.sqrt": Call("np.sqrt"),
    "math.tan": Call("np.tan"),
    "math.tanh": Call("np.tanh"),
    "math.trunc": Call("np.trunc"),
    "sigma.floormod": Operator("%"),
    "sigma.sign": Call("np.sign"),
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

FLOAT_COMPARISONS: dict[str, Form] = {
    "oeq": Operator("=="),
    "ogt": Operator(">"),
    "oge": Operator(">="),
    "olt": Operator("<"),
    "ole": Operator("<="),
    "une": Operator("!="),
}
"""The form of each predicate of ``arith.cmpf`` that is one operator."""

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
"""The method that reduces with each operation."""

SCALAR_EXTREMES: dict[str, str] = {"np.minimum": "min", "np.maximum": "max"}
"""The builtin function that does on two ints what a function does on arrays."""

OPERATOR_UFUNCS: dict[str, str] = {
    "+": "np.add",
    "-": "np.subtract",
    "*": "np.multiply",
    "/": "np.divide",
    "//": "np.floor_divide",
    "%": "np.remainder",
    "**": "np.power",
    "<<": "np.left_shift",
    ">>": "np.right_shift",
    "&": "np.bitwise_and",
    "|": "np.bitwise_or",
    "^": "np.bitwise_xor",
    "==": "np.equal",
    "!=": "np.not_equal",
    "<": "np.less",
    "<=": "np.less_equal",
    ">": "np.greater",
    ">=": "np.greater_equal",
}
"""The function that each elementwise operator calls on arrays."""

UNARY_UFUNCS: dict[str, str] = {"-": "np.negative", "~": "np.invert"}
"""The function that each operator in front of an array calls."""

UFUNCS: frozenset[str] = frozenset(
    ("np.clip", *(form.function for form in SCALARS.values() if isinstance(form, Call)))
)
"""The functions that work element by element and take ``out=``."""
