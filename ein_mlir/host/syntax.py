"""Python's syntax trees, made by one thread at a time.

CPython counts the depth of a tree for all threads together, before 3.13: where two threads make one
at once, as in a search for garbage amid it, the count is wrong, which is a SystemError.
"""

from __future__ import annotations

import ast
import threading
from types import CodeType

_LOCK = threading.RLock()


def parse(text: str, filename: str = "<unknown>") -> ast.Module:
    """The syntax tree of a text; as ``ast.parse``."""
    with _LOCK:
        return ast.parse(text, filename)


def parse_expression(text: str) -> ast.expr:
    """The syntax tree of an expression."""
    with _LOCK:
        return ast.parse(text, mode="eval").body


def compiled(program: ast.Module | str, filename: str) -> CodeType:
    """The code of a program; as ``compile``."""
    with _LOCK:
        return compile(program, filename, "exec")
