"""Signals during a call: machine code asks now and then whether one has raised an exception.

Python handles signals between its own instructions, on its main thread, so a loop would keep an
interrupt waiting until it ends. ``ein_ask`` (``support.ll``) has the interpreter handle them in
between, and keeps an exception of a handler in the watch of the call.
"""

from __future__ import annotations

import ctypes
import os
import sys
from threading import get_ident, main_thread

from ein_mlir.backends.native import abi

WATCH_BYTES = 8 * abi.WATCH_WORDS

_FUNCTIONS = ("PyGILState_Ensure", "PyErr_CheckSignals", "PyErr_Fetch", "PyGILState_Release")
"""The functions of the interpreter that ``ein_ask`` calls."""

_CPYTHON = sys.implementation.name == "cpython"


def addresses() -> tuple[int | None, ...]:
    """The addresses of the functions of the interpreter."""
    if not _CPYTHON:
        return (None,) * len(_FUNCTIONS)
    found = (getattr(ctypes.pythonapi, name) for name in _FUNCTIONS)
    return tuple(ctypes.cast(each, ctypes.c_void_p).value for each in found)


def exception_in(watch: int) -> BaseException | None:
    """The exception in a watch, which is empty then."""
    words = (ctypes.c_void_p * abi.WATCH_WORDS).from_address(watch)
    _, _, *parts = words
    if parts[0] is None:
        return None
    words[2] = None
    restore = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 3)(("PyErr_Restore", ctypes.pythonapi))
    try:
        restore(*parts)
    except BaseException as error:
        return error
    return None


def _main() -> int:
    return (main_thread().ident or 0) if _CPYTHON else 0


class _MainThread:
    """The thread that handles signals: in a forked process, the one that has forked it."""

    def __init__(self) -> None:
        self.number = _main()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self.number = get_ident() if _CPYTHON else 0


_MAIN = _MainThread()


def watch_words(watch: int) -> tuple[int, int]:
    """The words of a call with a watch: none on a thread that handles no signals."""
    thread = get_ident()
    return (watch, thread) if thread == _MAIN.number else (0, 0)
