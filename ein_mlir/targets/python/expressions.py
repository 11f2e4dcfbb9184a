"""Python expressions: text with its form and the variables that it reads.

There is no table of precedences: an expression has parentheses if Python's own parser, called once
for each form in each place, reads the text differently without them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from ein_mlir.host import syntax
from ein_mlir.host.dataclass import dataclass

ATOM = "x"
"""The form of expressions that never need parentheses: a name, a call, a subscript."""

CONDITIONAL = "x if x else x"
"""The form of a choice."""

OBJECT = "{}.x"
"""The place before a dot or a bracket."""


@dataclass(frozen=True)
class Expression:
    """The text of an expression."""

    text: str
    form: str = ATOM
    """The expression with short parts, ``x + x``: it determines the parentheses."""
    reads: frozenset[str] = frozenset()
    """The variables in it."""
    trivial: bool = False
    """Whether it has negligible cost: a name, a literal, a size."""

    @property
    def is_variable(self) -> bool:
        """Whether it is a single variable."""
        return self.text in self.reads

    def within(self, place: str) -> str:
        """The text in a place, ``{} * x``, with parentheses if that needs them."""
        if self.form != ATOM and needs_parentheses(self.form, place):
            return f"({self.text})"
        return self.text


Operands = Sequence[Expression]


@cache
def needs_parentheses(form: str, place: str) -> bool:
    """Whether Python reads a form in a place differently without parentheses around it.

    >>> needs_parentheses("x + x", "{} * x"), needs_parentheses("x * x", "{} + x")
    (True, False)
    >>> needs_parentheses("x < x", "{} < x"), needs_parentheses("1", "{}.x")
    (True, True)
    """
    try:
        bare = syntax.parse(place.format(form))
    except SyntaxError:
        return True
    return ast.dump(bare) != ast.dump(syntax.parse(place.format(f"({form})")))


def variable(name: str) -> Expression:
    """The expression that reads a variable."""
    return Expression(name, reads=frozenset((name,)), trivial=True)


def reads_of(expressions: Iterable[Expression]) -> frozenset[str]:
    """The variables in any of some expressions."""
    return frozenset[str]().union(*(expression.reads for expression in expressions))


def listed(expressions: Iterable[Expression]) -> str:
    """``a, b``."""
    return ", ".join([expression.text for expression in expressions])


def literal(value: str | float | bool | tuple[int, ...] | None) -> Expression:
    r"""A literal in the style of formatters.

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
            return Expression(text, "-1" if text.startswith("-") else "1", trivial=True)


def quote(text: str) -> str:
    r"""A string literal, in double quotes if that needs no more backslashes.

    >>> print(quote('a\n'), quote('say "x"'))
    "a\n" 'say "x"'
    """
    quoted = repr(text)
    if quoted.startswith("'") and '"' not in text:
        return f'"{quoted[1:-1]}"'
    return quoted


def format_string(pieces: Sequence[str], values: Operands) -> str:
    """An f-string of texts and the values between them, which have no quotes or backslashes.

    >>> format_string(["{n}: ", ""], [variable("n")])
    'f"{{n}}: {n}"'
    """
    if not values:
        return quote("".join(pieces))
    escaped = [piece.replace("{", "{{").replace("}", "}}") for piece in pieces]
    fields = [f"{{{value.text}}}" for value in values]
    return "f" + quote("".join(a + b for a, b in zip(escaped, [*fields, ""], strict=True)))


def binary(lhs: Expression, operator: str, rhs: Expression) -> Expression:
    """``lhs operator rhs``; a chain of ``and`` or of ``or`` needs no parentheses.

    >>> a, b = variable("a"), variable("b")
    >>> binary(binary(a, "-", b), "-", binary(a, "-", b)).text
    'a - b - (a - b)'
    >>> binary(binary(a, "**", literal(2)), "and", unary("not", b)).text
    'a**2 and not b'
    """
    form = f"x {operator} x"
    is_chain = operator in ("and", "or") and lhs.form == form
    left = lhs.text if is_chain else lhs.within(f"{{}} {operator} x")
    right = rhs.within(f"x {operator} {{}}")
    space = "" if operator == "**" and lhs.trivial and rhs.trivial else " "
    return Expression(f"{left}{space}{operator}{space}{right}", form, lhs.reads | rhs.reads)


def unary(operator: str, operand: Expression) -> Expression:
    """``-operand``, ``not operand``."""
    start = "not " if operator == "not" else operator
    return Expression(f"{start}{operand.within(start + '{}')}", f"{start}x", operand.reads)


def conditional(condition: Expression, if_true: Expression, if_false: Expression) -> Expression:
    """``if_true if condition else if_false``; nested choices have parentheses for readability.

    >>> a, b, c = map(variable, "abc")
    >>> conditional(a, b, conditional(b, a, c)).text
    'b if a else (a if b else c)'
    """
    first, test = if_true.within("{} if x else x"), condition.within("x if {} else x")
    other = f"({if_false.text})" if if_false.form == CONDITIONAL else if_false.text
    reads = reads_of((condition, if_true, if_false))
    return Expression(f"{first} if {test} else {other}", CONDITIONAL, reads)


def call(function: str, arguments: Operands, keywords: Mapping[str, Expression]) -> Expression:
    """``function(argument, keyword=argument)``."""
    parts = [argument.text for argument in arguments]
    parts += [f"{keyword}={argument.text}" for keyword, argument in keywords.items()]
    reads = reads_of((*arguments, *keywords.values()))
    return Expression(f"{function}({', '.join(parts)})", reads=reads)


def method(object_: Expression, called: Expression) -> Expression:
    """``object.name(argument)``, given ``name(argument)``."""
    text = f"{object_.within(OBJECT)}.{called.text}"
    return Expression(text, reads=object_.reads | called.reads)


def attribute(object_: Expression, name: str) -> Expression:
    """``object.name``."""
    text = f"{object_.within(OBJECT)}.{name}"
    return Expression(text, reads=object_.reads, trivial=object_.trivial)


def slice_(bounds: Operands) -> Expression:
    """A slice between brackets, spaced in the style of formatters.

    >>> n = variable("n")
    >>> slice_([]).text, slice_([n, literal(None)]).text
    (':', 'n:')
    >>> slice_([literal(1), binary(n, "+", literal(1)), literal(2)]).text
    '1 : n + 1 : 2'
    """
    if not bounds:
        return Expression(":", trivial=True)
    texts = ["" if bound.text == "None" else bound.text for bound in bounds]
    trivial = all(bound.trivial for bound in bounds)
    text = ":".join(texts) if trivial else " : ".join(texts).strip().replace(":  :", "::")
    return Expression(text, reads=reads_of(bounds), trivial=trivial)


def subscript(object_: Expression, indices: Operands) -> Expression:
    """``object[index, index]``."""
    return Expression(
        f"{object_.within(OBJECT)}[{listed(indices)}]",
        reads=reads_of((object_, *indices)),
        trivial=object_.trivial and all(index.trivial for index in indices),
    )


def tuple_(fields: Operands) -> Expression:
    """``(a, b)``, ``(a,)``."""
    return Expression(f"({listed(fields)}{',' * (len(fields) == 1)})", reads=reads_of(fields))
