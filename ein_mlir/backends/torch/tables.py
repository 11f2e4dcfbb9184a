"""The PyTorch function for each operation: tables for ``convert-yarr-to-torch``."""

from __future__ import annotations

from ein_mlir.backends.forms import (
    Call,
    Division,
    Form,
    Helper,
    Operator,
    ScalarTables,
    Unary,
    dtypes,
)

DTYPES = dtypes("torch")
"""The dtype of each scalar type."""

INT_FLOORMOD = Division(Operator("%"), Helper("torch.floor_modulo"))
"""``sigma.floormod`` on ints; on floats it is the operator."""

SCALARS: dict[str, Form] = {
    "arith.addf": Operator("+"),
    "arith.addi": Operator("+"),
    "arith.andi": Operator("&"),
    "arith.ceildivsi": Helper("torch.ceil_divide"),
    "arith.divf": Operator("/"),
    "arith.divsi": Helper("torch.truncated_divide"),
    "arith.divui": Helper("torch.unsigned_divide"),
    "arith.floordivsi": Division(Operator("//"), Helper("torch.floor_divide")),
    "arith.maximumf": Call("torch.maximum"),
    "arith.maxnumf": Call("torch.fmax"),
    "arith.maxsi": Call("torch.maximum"),
    "arith.maxui": Helper("torch.unsigned_maximum"),
    "arith.minimumf": Call("torch.minimum"),
    "arith.minnumf": Call("torch.fmin"),
    "arith.minsi": Call("torch.minimum"),
    "arith.minui": Helper("torch.unsigned_minimum"),
    "arith.mulf": Operator("*"),
    "arith.muli": Operator("*"),
    "arith.negf": Unary("-"),
    "arith.ori": Operator("|"),
    "arith.remsi": Helper("torch.truncated_modulo"),
    "arith.remui": Helper("torch.unsigned_modulo"),
    "arith.shli": Operator("<<"),
    "arith.shrsi": Operator(">>"),
    "arith.shrui": Helper("torch.unsigned_shift_right"),
    "arith.subf": Operator("-"),
    "arith.subi": Operator("-"),
    "arith.xori": Operator("^"),
    "math.absf": Call("torch.abs"),
    "math.absi": Call("torch.abs"),
    "math.acos": Call("torch.acos"),
    "math.acosh": Call("torch.acosh"),
    "math.asin": Call("torch.asin"),
    "math.asinh": Call("torch.asinh"),
    "math.atan": Call("torch.atan"),
    "math.atan2": Call("torch.atan2"),
    "math.atanh": Call("torch.atanh"),
    "math.cbrt": Helper("torch.cbrt"),
    "math.ceil": Call("torch.ceil"),
    "math.copysign": Call("torch.copysign"),
    "math.cos": Call("torch.cos"),
    "math.cosh": Call("torch.cosh"),
    "math.ctlz": Helper("torch.leading_zeros"),
    "math.erf": Call("torch.erf"),
    "math.exp": Call("torch.exp"),
    "math.exp2": Call("torch.exp2"),
    "math.expm1": Call("torch.expm1"),
    "math.floor": Call("torch.floor"),
    "math.log": Call("torch.log"),
    "math.log10": Call("torch.log10"),
    "math.log1p": Call("torch.log1p"),
    "math.log2": Call("torch.log2"),
    "math.powf": Operator("**"),
    "math.round": Helper("torch.round_half_away"),
    "math.roundeven": Call("torch.round"),
    "math.rsqrt": Call("torch.rsqrt"),
    "math.sin": Call("torch.sin"),
    "math.sinh": Call("torch.sinh"),
    "math.sqrt": Call("torch.sqrt"),
    "math.tan": Call("torch.tan"),
    "math.tanh": Call("torch.tanh"),
    "math.trunc": Call("torch.trunc"),
    "sigma.sign": Helper("torch.sign_of"),
}
"""The form of each scalar operation that is one operator or one call."""

ELEMENTWISE = frozenset(
    (
        "torch.relu",
        "torch.where",
        *(form.function for form in SCALARS.values() if isinstance(form, Call)),
    )
)
"""The functions of PyTorch that work element by element."""

WITH_OUT = ELEMENTWISE - {"torch.relu", "torch.where"} | {"torch.addcmul"}
"""The elementwise functions that take ``out=``, and numbers nowhere."""

OPERATORS: dict[str, str] = {
    "+": "torch.add",
    "-": "torch.sub",
    "*": "torch.mul",
    "/": "torch.div",
    "&": "torch.bitwise_and",
    "|": "torch.bitwise_or",
    "^": "torch.bitwise_xor",
}
"""The function that an operator calls on tensors, for operators with results of one type."""

UNARY_OPERATORS: dict[str, str] = {"-": "torch.neg", "~": "torch.bitwise_not"}
"""The function that each prefix operator calls on tensors."""

COMPARISONS: dict[str, Form] = {
    "eq": Operator("=="),
    "ne": Operator("!="),
    "slt": Operator("<"),
    "sle": Operator("<="),
    "sgt": Operator(">"),
    "sge": Operator(">="),
    "ult": Helper("torch.unsigned_less"),
    "ule": Helper("torch.unsigned_less_equal"),
    "ugt": Helper("torch.unsigned_greater"),
    "uge": Helper("torch.unsigned_greater_equal"),
}
"""The form of each predicate of ``arith.cmpi``."""

TABLES = ScalarTables(
    prefix="torch",
    dtypes=DTYPES,
    scalars=SCALARS,
    comparisons=COMPARISONS,
    make_complex=Call("torch.complex"),
)
"""The forms of scalars and scalar operations."""

BOUNDS: dict[str, str] = {"torch.maximum": "min", "torch.minimum": "max"}
"""The equivalent keyword of ``clamp``, for a bound that is a Python number."""

REDUCTIONS: dict[str, str] = {
    "arith.addf": "sum",
    "arith.addi": "sum",
    "arith.andi": "all",
    "arith.maximumf": "amax",
    "arith.maxsi": "amax",
    "arith.minimumf": "amin",
    "arith.minsi": "amin",
    "arith.mulf": "prod",
    "arith.muli": "prod",
    "arith.ori": "any",
}
"""The method, or the helper, that reduces with each operation: Bools by ``and`` and ``or``."""
