"""Python expressions as text that knows how tightly it binds and which variables it reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ein_mlir.dialects.emitpy.names import PRECEDENCE

CONDITIONAL = 0
COMPARISON = PRECEDENCE["=="]
UNARY = PRECEDENCE["u-"]
POWER = PRECEDENCE["**"]
NUMBER = POWER + 1
ATOM = NUMBER + 1
"""Precedences beside those of the operators: a number is an atom, except before a dot."""


@dataclass(frozen=True)
class Expression:
    """The text of an expression."""

    text: str
    precedence: int = ATOM
    reads: frozenset[str] = frozenset()
    """The variables in it."""
    trivial: bool = False
    """Whether it costs next to nothing: a name, a literal, a size."""

    def within(self, precedence: int) -> str:
        """The text, in parentheses where it binds less tightly than its place demands."""
        return self.text if self.precedence >= precedence else f"({self.text})"


def variable(name: str) -> Expression:
    """The expression that reads a variable."""
    return Expression(name, reads=frozenset((name,)), trivial=True)


def reads_of(expressions: Iterable[Expression]) -> frozenset[str]:
    """The variables in any of some expressions."""
    return frozenset[str]().union(*(expression.reads for expression in expressions))


def literal(value: str | float | bool | tuple[int, ...] | None) -> Expression:
    r"""A literal as a formatter would leave it.

    >>> [literal(value).text for value in (-1, 2.5, (0,), "it's", True, None, float("inf"))]
    ['-1', '2.5', '(0,)', '"it\'s"', 'True', 'None', 'float("inf")']
    """
    match value:
        case str():
            return Expression(quote(value), trivial=True)
        case float() if value - value != 0.0:
            return Expression(f'float("{value}")', trivial=True)
        case None | bool() | tuple():
            return Expression(repr(value), trivial=True)
        case _:
            text = repr(value)
            return Expression(text, UNARY if text.startswith("-") else NUMBER, trivial=True)


def quote(text: str) -> str:
    r"""A string literal, in double quotes where that needs no more backslashes.

    >>> print(quote('a\n'), quote('say "x"'))
    "a\n" 'say "x"'
    """
    quoted = repr(text)
    if quoted.startswith("'") and '"' not in text:
        return f'"{quoted[1:-1]}"'
    return quoted


def format_string(pieces: Sequence[str], values: Sequence[Expression]) -> str:
    """An f-string of texts and the values between them, which hold no quotes and backslashes.

    >>> format_string(["{n}: ", ""], [variable("n")])
    'f"{{n}}: {n}"'
    """
    if not values:
        return quote("".join(pieces))
    escaped = [piece.replace("{", "{{").replace("}", "}}") for piece in pieces]
    fields = [f"{{{value.text}}}" for value in values]
    return "f" + quote("".join(a + b for a, b in zip(escaped, [*fields, ""], strict=True)))


def binary(lhs: Expression, operator: str, rhs: Expression) -> Expression:
    """``lhs operator rhs``, with the parentheses that it needs."""
    precedence = PRECEDENCE[operator]
    if operator == "**":
        left, right = lhs.within(POWER + 1), rhs.within(UNARY)
        space = "" if lhs.trivial and rhs.trivial else " "
    else:
        left = lhs.within(precedence + (precedence == COMPARISON))
        right, space = rhs.within(precedence + 1), " "
    return Expression(f"{left}{space}{operator}{space}{right}", precedence, lhs.reads | rhs.reads)


def unary(operator: str, operand: Expression) -> Expression:
    """``operator operand``, with the parentheses that it needs."""
    precedence = PRECEDENCE["not"] if operator == "not" else UNARY
    space = " " if operator == "not" else ""
    return Expression(f"{operator}{space}{operand.within(precedence)}", precedence, operand.reads)


def conditional(condition: Expression, if_true: Expression, if_false: Expression) -> Expression:
    """``if_true if condition else if_false``."""
    inner = CONDITIONAL + 1
    return Expression(
        f"{if_true.within(inner)} if {condition.within(inner)} else {if_false.within(inner)}",
        CONDITIONAL,
        reads_of((condition, if_true, if_false)),
    )


def call(
    function: str, arguments: Sequence[Expression], keywords: Mapping[str, Expression]
) -> Expression:
    """``function(argument, keyword=argument)``."""
    parts = [argument.text for argument in arguments]
    parts += [f"{keyword}={argument.text}" for keyword, argument in keywords.items()]
    reads = reads_of((*arguments, *keywords.values()))
    return Expression(f"{function}({', '.join(parts)})", reads=reads)


def attribute(object_: Expression, name: str) -> Expression:
    """``object.name``."""
    return Expression(f"{object_.within(ATOM)}.{name}", reads=object_.reads)


def slice_(bounds: Sequence[Expression]) -> Expression:
    """What stands between brackets, spaced as formatters do.

    >>> n = variable("n")
    >>> slice_([]).text, slice_([n, literal(None)]).text
    (':', 'n:')
    >>> slice_([literal(1), binary(n, "+", literal(1)), literal(2)]).text
    '1 : n + 1 : 2'
    """
    if not bounds:
        return Expression(":", trivial=True)
    texts = ["" if bound.text == "None" else bound.text for bound in bounds]
    simple = all(bound.precedence >= UNARY and bound.trivial for bound in bounds)
    separator = ":" if simple else " : "
    text = separator.join(texts)
    if not simple:
        text = text.strip().replace(":  :", "::")
    return Expression(text, CONDITIONAL, reads_of(bounds), trivial=simple)


def subscript(object_: Expression, indices: Sequence[Expression]) -> Expression:
    """``object[index, index]``."""
    inside = ", ".join(index.text for index in indices)
    return Expression(f"{object_.within(ATOM)}[{inside}]", reads=reads_of((object_, *indices)))


def tuple_(fields: Sequence[Expression]) -> Expression:
    """``(a, b)``, ``(a,)``."""
    inside = ", ".join(field.text for field in fields) + ("," if len(fields) == 1 else "")
    return Expression(f"({inside})", reads=reads_of(fields))
