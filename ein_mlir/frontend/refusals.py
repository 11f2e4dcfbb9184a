"""Errors of Python and of libraries that are given staged values.

A staged value refuses to be a concrete one. Some functions of C drop this error, and others reject
the value themselves. Then the error of the program is the refusal again, or one with the remedy.
"""

from __future__ import annotations

import threading
from types import FrameType

from ein_mlir.errors import EinTypeError
from ein_mlir.host.locations import LIBRARIES, Location, at, calls_of, library_of, place_of


class _Last(threading.local):
    """The last refusal of a thread, and its place."""

    message: str | None = None
    place: Location | None = None


_LAST = _Last()


def note_refusal(message: str, place: Location) -> None:
    """Keep the message of an error that a library may drop."""
    _LAST.message, _LAST.place = message, place


def forget_refusal() -> None:
    """Begin a trace: earlier lines may have had the same place, as those of a prompt have."""
    _LAST.message = None


def refusal_behind(error: Exception, staged: type) -> EinTypeError | None:
    """The refusal of a value of a class, if it is the cause of an error of a traced function.

    JAX names the class in its message, and removes the frames of its calls.
    """
    place = place_of(error)
    if isinstance(error, KeyError) and any(isinstance(key, staged) for key in error.args):
        return EinTypeError(
            f"a dict needs a concrete key, and this one is staged: wrap() the values of the dict "
            f"and index them, or write where(condition, a, b){at(place)}"
        )
    package = staged.__module__.rpartition(".")[0]
    calls = (call for call in calls_of(error) if library_of(call) in LIBRARIES)
    if package in str(error) or any(_is_given(call, staged) for call in calls):
        return EinTypeError(
            f"functions of other libraries need concrete values, and these are staged: write it "
            f"with array(), fold() and functions of ein_mlir, or .eval(){at(place)}"
        )
    return EinTypeError(_LAST.message) if _LAST.message and _LAST.place == place else None


def _is_given(call: FrameType, staged: type) -> bool:
    """Whether a call has an argument of a class."""
    given = list[object]()
    for value in call.f_locals.values():
        given.extend(value if isinstance(value, tuple) else (value,))  # pyright: ignore[reportUnknownArgumentType]
    return any(isinstance(each, staged) for each in given)
