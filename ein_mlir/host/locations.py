"""Source locations in the user's code: the innermost line outside this package."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from pathlib import Path
from types import FrameType, TracebackType
from typing import NamedTuple, ParamSpec, TypeVar

from ein_mlir.errors import EinError

P = ParamSpec("P")
R = TypeVar("R")

_PACKAGE = str(Path(__file__).parents[1]) + "/"
LIBRARIES = ("numpy", "torch", "jax")
"""The libraries that users call with values of their programs."""
_CALLED = {*LIBRARIES, "functools", "typing"}
"""The modules whose code runs for a line of the user's: ``Generic[T](..)`` is a call of typing."""


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
    frame = frame_of_user()
    location = Location(frame.f_code.co_filename, frame.f_lineno)
    return _INTERNED.setdefault(location, location)


def frame_of_user() -> FrameType:
    """The innermost call of user code that is running."""
    frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None:
        file = frame.f_code.co_filename
        skipped = _SKIPPED.get(file)
        if skipped is None:
            skipped = _is_skipped(frame)
            if file.endswith(".py"):
                _SKIPPED[file] = skipped
        if not skipped:
            break
        frame = frame.f_back
    return frame


_SKIPPED = dict[str, bool]()
"""Whether the code of a file is skipped, once it was seen: most frames are of few files."""


def _is_skipped(frame: FrameType) -> bool:
    """Whether code belongs to this package, or to a library that the user calls."""
    file = frame.f_code.co_filename
    return is_internal(file) or library_of(frame) in _CALLED or _is_generated(frame)


def library_of(frame: FrameType) -> str:
    """The package that code belongs to."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _is_generated(frame: FrameType) -> bool:
    """Whether code is a method that ``dataclass`` or ``namedtuple`` wrote."""
    return frame.f_code.co_filename == "<string>" and (
        frame.f_code.co_name.startswith("__") or library_of(frame).startswith("namedtuple_")
    )


def at(location: Location | None = None) -> str:
    """The end of an error message: the source location of the error (or ``here()``)."""
    return f" (at {location or here()})"


TRACEBACK_VARIABLE = "EIN_TRACEBACK"
"""The environment variable that keeps the frames of this package: ``full``."""


def without_package(error: BaseException) -> BaseException:
    """An error whose traceback has the frames of the user's code alone, without this package's.

    An error that this package raises, and that is none about a program, keeps all of them.
    """
    if type(error) is TypeError and "'method'" in str(error) and not hasattr(error, "__notes__"):
        error.add_note("a method is called, as in a.size()")
    if os.environ.get(TRACEBACK_VARIABLE) == "full" or _is_unexpected(error):
        return error
    shown: TracebackType | None = None
    for step in reversed(_steps_of_user(error)):
        shown = TracebackType(shown, step.tb_frame, step.tb_lasti, step.tb_lineno)
    return error.with_traceback(shown)


def _is_unexpected(error: BaseException) -> bool:
    """Whether an error is raised outside of the user's code, and not about it."""
    if isinstance(error, EinError):
        return False
    *_, last = _steps(error)
    return _is_skipped(last.tb_frame)


def reported(f: Callable[P, R]) -> Callable[P, R]:
    """A function whose errors about a program have the frames of the user's code alone."""

    @wraps(f)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return f(*args, **kwargs)
        except Exception as error:
            raise without_package(error)  # noqa: B904

    return call


def place_of(error: BaseException) -> Location:
    """The innermost line of user code that an error passed."""
    *_, step = _steps_of_user(error)
    return Location(step.tb_frame.f_code.co_filename, step.tb_lineno)


def calls_of(error: BaseException) -> Iterator[FrameType]:
    """The calls that an error passed, outer ones first."""
    return (step.tb_frame for step in _steps(error))


def _steps_of_user(error: BaseException) -> Sequence[TracebackType]:
    return [step for step in _steps(error) if not _is_skipped(step.tb_frame)]


def _steps(error: BaseException) -> Iterator[TracebackType]:
    step = error.__traceback__
    while step is not None:
        yield step
        step = step.tb_next


def is_internal(file: str) -> bool:
    """Whether a file belongs to this package."""
    return file.startswith(_PACKAGE)
