"""Names for emitted Python: the names of the user, made valid and unique."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable

from ein_mlir.dialects.emitpy.names import LIBRARIES

RESERVED = frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *LIBRARIES, "_"))
"""Names that a variable must not hide."""


class Names:
    """The names taken in a scope.

    >>> names = Names(["sort"])
    >>> [names.fresh(hint) for hint in ("x", "x", "lambda", "sort", "0", "a.b", None, None)]
    ['x', 'x_1', 'lambda_', 'sort_1', 'v0', 'a_b', 't0', 't1']
    """

    def __init__(self, taken: Iterable[str] = ()):
        self._outer, self._taken = frozenset(taken), set[str]()
        self._next = dict[str, int]()

    def fresh(self, hint: str | None) -> str:
        """A new name like the hint; ``t0``, ``t1``, ... without one."""
        return self._numbered("t", "", 0) if hint is None else self._like(valid_name(hint))

    def _like(self, name: str) -> str:
        if self._is_taken(name):
            return self._numbered(name, "_", 1)
        self._taken.add(name)
        return name

    def _is_taken(self, name: str) -> bool:
        return name in self._taken or name in self._outer

    def _numbered(self, stem: str, separator: str, first: int) -> str:
        number = self._next.get(stem, first)
        while self._is_taken(name := f"{stem}{separator}{number}"):
            number += 1
        self._next[stem] = number + 1
        self._taken.add(name)
        return name


def valid_name(hint: str) -> str:
    """An identifier that hides no name of Python, as close to a hint as possible."""
    name = re.sub(r"[^0-9A-Za-z_]", "_", hint).lstrip("_") or "v"
    if name[0].isdigit():
        name = f"v{name}"
    return f"{name}_" if name in RESERVED else name
