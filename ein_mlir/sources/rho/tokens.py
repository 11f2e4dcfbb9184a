"""The tokens of the language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span

from ein_mlir.host.dataclass import dataclass

KEYWORDS = frozenset(("let", "in", "if", "then", "else", "gen", "with", "shape", "dim", "sel"))

_TOKEN = re.compile(
    r"(?P<space>(?:\s+|#[^\n]*)+)"
    r"|(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<mark>\+\+|<=|>=|!=|[-+*/=<>!|\\.,:()\[\]])"
)


@dataclass(frozen=True)
class Token:
    """A token: its kind is ``name``, ``number`` or ``end``, or the text of a keyword or mark."""

    kind: str
    text: str
    span: Span

    def __str__(self) -> str:
        return "the end of the text" if self.kind == "end" else f"'{self.text}'"


def reject(span: Span, message: str) -> NoReturn:
    """Raise ParseError for a place in the text."""
    raise ParseError(span, message)


def tokens_of(text: Input) -> Iterator[Token]:
    """The tokens of a text, and one for its end."""
    position = 0
    while position < len(text):
        match = _TOKEN.match(text.content, position)
        if match is None:
            span = Span(position, position + 1, text)
            reject(span, f"'{text.content[position]}' is not part of the language")
        if match.lastgroup != "space":
            yield Token(_kind(match), match[0], Span(position, match.end(), text))
        position = match.end()
    yield Token("end", "", Span(max(len(text) - 1, 0), len(text), text))


def _kind(match: re.Match[str]) -> str:
    if match.lastgroup == "mark" or match[0] in KEYWORDS:
        return match[0]
    assert match.lastgroup is not None
    return match.lastgroup
