"""Nested expressions: Python parses them as built, without redundant parentheses."""

import ast
from collections.abc import Callable, Sequence

import pytest

from ein_mlir.dialects.emitpy.names import BINARY_OPERATORS, UNARY_OPERATORS
from ein_mlir.targets.python import expressions as py
from ein_mlir.targets.python.expressions import Expression

Build = Callable[[Sequence[Expression]], Expression]

A, B, C = map(py.variable, "abc")

UNARY: dict[str, Build] = {
    **{operator: lambda v, o=operator: py.unary(o, v[0]) for operator in UNARY_OPERATORS},
    ".shape": lambda v: py.attribute(v[0], "shape"),
    ".sum": lambda v: py.method(v[0], py.call("sum", [], {})),
    "[0]": lambda v: py.subscript(v[0], [py.literal(0)]),
}
BINARY: dict[str, Build] = {
    operator: lambda v, o=operator: py.binary(v[0], o, v[1]) for operator in BINARY_OPERATORS
}
CONDITIONAL: dict[str, Build] = {"if": lambda v: py.conditional(*v)}
CONSTRUCTS = {
    **{name: (build, 1) for name, build in UNARY.items()},
    **{name: (build, 2) for name, build in BINARY.items()},
    **{name: (build, 3) for name, build in CONDITIONAL.items()},
}
LITERALS = {text: py.literal(value) for text, value in (("2", 2), ("-2", -2), ("-0.5", -0.5))}
INNER = {name: build((A, B, C)[:count]) for name, (build, count) in CONSTRUCTS.items()} | LITERALS
PLACES = [(name, slot) for name, (_, count) in CONSTRUCTS.items() for slot in range(count)]
CHAINS = {(name, 0, name) for name in ("and", "or")}
"""Operations that are one in Python, and several in the calculus."""


def tree(text: str) -> str:
    """The expression as Python parses it."""
    return ast.dump(ast.parse(text, mode="eval"))


def nested(outer: str, slot: int, inner: Expression) -> str:
    """The text of a construct with an expression in one of its places."""
    build, count = CONSTRUCTS[outer]
    operands = [C] * count
    operands[slot] = inner
    return build(operands).text


@pytest.mark.parametrize(("outer", "slot"), sorted(PLACES))
def test_python_reads_what_was_built(outer: str, slot: int):
    for inner, expression in INNER.items():
        if (outer, slot, inner) not in CHAINS:
            atom = Expression(f"({expression.text})")
            assert tree(nested(outer, slot, expression)) == tree(nested(outer, slot, atom))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (py.binary(py.binary(A, "and", B), "and", C), "a and b and c"),
        (py.binary(A, "and", py.binary(B, "and", C)), "a and (b and c)"),
        (py.binary(py.binary(A, "<", B), "<", C), "(a < b) < c"),
        (py.binary(A, "**", py.unary("-", B)), "a ** -b"),
        (py.binary(py.unary("-", A), "**", py.literal(2)), "(-a) ** 2"),
        (py.unary("-", py.binary(A, "**", py.literal(2))), "-a**2"),
        (py.binary(py.literal(-2), "**", A), "(-2)**a"),
        (py.attribute(py.literal(2), "shape"), "(2).shape"),
        (py.conditional(A, B, py.conditional(C, A, B)), "b if a else (a if c else b)"),
        (py.conditional(A, py.binary(B, "or", C), B), "b or c if a else b"),
        (py.unary("not", py.unary("not", A)), "not not a"),
    ],
)
def test_text(expression: Expression, text: str):
    assert expression.text == text


@pytest.mark.parametrize("value", ["", "a", "it's", 'say "x"', "a\\b\n", "'\"", "é\0"])
def test_strings_are_read_as_they_are(value: str):
    assert ast.literal_eval(py.literal(value).text) == value
