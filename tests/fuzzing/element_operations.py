"""Operations on elements of each type, as templates of `programs`.

Types are F (Float), I (Int), B (Bool), b (u8), i (i32) and C (complex numbers).
"""

from __future__ import annotations

LITERALS = {
    "F": ("N(0.0)", "N(1.0)", "N(0.5)", "N(-1.0)"), "I": ("N(0)", "N(1)", "N(2)", "N(-1)"),
    "B": ("(p > 0)", "(p > 1)"), "b": ("N(1)", "N(200)", "N(0)"), "i": ("N(1)", "N(-2)", "N(7)"),
    "C": ("(s + 1j)", "(1j * s)", "(2.0 * s - 1j)"),
}  # fmt: skip
UNARY = {
    "F": ("-{a}", "abs({a})", "({a}).tanh()", "({a} * {a} + 1).sqrt()", "({a}).clip(-2.0, 2.0)",
          "({a}).exp().min(9.0)", "({a}).floor()", "sin({a})", "{a} * {a}", "1 / (1 + exp(-({a})))",
          "({a}).sign()", "({a} ** 2)"),
    "I": ("-({a})", "abs({a})", "({a}) // 2", "({a}) % 3", "({a}).clip(-5, 5)", "({a}) * ({a})"),
    "B": ("~({a})",),
    "b": ("({a}) // 3", "({a}) % 7", "255 - ({a})", "({a}) >> 1", "({a}) ^ 85"),
    "i": ("-({a})", "({a}) // 2", "({a}) * 3", "({a}) % 5", "abs({a})"),
    "C": ("({a}).conj()", "-({a})", "({a}) * 1j", "({a}) * ({a})"),
}  # fmt: skip
BINARY = {
    "F": ("{a} + {b}", "{a} - {b}", "({a}) * ({b})", "({a}).max({b})", "min({a}, {b})",
          "({a}) / (1 + abs({b}))", "({a}) * ({b}) + {a}"),
    "I": ("{a} + {b}", "{a} - ({b})", "({a}) * ({b})", "max({a}, {b})", "({a}).min({b})",
          "({a}) // ({b})", "({a}) % ({b})", "({a}) & ({b})", "({a}) ^ ({b})"),
    "B": ("({a}) & ({b})", "({a}) | ({b})", "({a}) ^ ({b})", "({a}) == ({b})"),
    "b": ("{a} + {b}", "({a}) * ({b})", "max({a}, {b})", "({a}) | ({b})", "({a}) - ({b})"),
    "i": ("{a} + {b}", "({a}) * ({b})", "min({a}, {b})", "({a}) - ({b})", "({a}) // ({b})"),
    "C": ("{a} + {b}", "({a}) - ({b})", "({a}) * ({b})"),
}  # fmt: skip
CONVERTED = {
    "F": (("I", "({a}).float(DTYPE)"), ("b", "({a}).float(DTYPE)"), ("i", "({a}).float(DTYPE)"),
          ("C", "({a}).real"), ("C", "abs({a})"), ("B", "where({a}, 1.0, s)")),
    "I": (("F", "({a}).clip(-99.0, 99.0).int()"), ("b", "({a}).int()"), ("i", "({a}).int()"),
          ("B", "where({a}, 1, p)")),
    "B": (("F", "({a}) > s"), ("I", "({a}) % 2 == 0"), ("b", "({a}) > 100"), ("i", "({a}) < 2"),
          ("F", "({a}) <= 0.0"), ("I", "({a}) != p")),
    "b": (("I", "({a}).int('u8')"), ("i", "({a}).int('u8')")),
    "i": (("I", "({a}).int('i32')"), ("b", "({a}).int('i32')")),
    "C": (("F", "Complex({a}, s)"), ("F", "({a}) + 1j * s")),
}  # fmt: skip
REDUCTIONS = {
    "F": ("sum", "sum", "max", "min", "prod"), "I": ("sum", "max", "min", "argmax", "argmin"),
    "B": ("any", "all"), "b": ("sum", "max", "min"), "i": ("sum", "max", "min"), "C": ("sum",),
}  # fmt: skip
LEAST = {"F": ("-9.0", "9.0"), "I": ("-9", "9"), "b": ("0", "255"), "i": ("-9", "9")}
"""Ends of extremes, since those of empty axes are infinite."""
