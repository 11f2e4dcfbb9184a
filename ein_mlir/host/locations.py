"""Source locations in the user's code: the innermost line outside this package."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

_PACKAGE = str(Path(__file__).parents[1]) + "/"


class Location(NamedTuple):
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


_INTERNED: dict[Location, Location] = {}
"""One object for each traced line: an expression holds a reference, not a copy."""


def here() -> Location:
    """The line of user code that is running."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame = frame.f_back
    location = Location(frame.f_code.co_filename, frame.f_lineno)
    return _INTERNED.setdefault(location, location)


def at(location: Location | None = None) -> str:
    """The end of an error message: the source location of the error (or ``here()``)."""
    return f" (at {location or here()})"
