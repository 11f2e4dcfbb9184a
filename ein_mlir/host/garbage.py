"""Garbage collection of the host program while the compiler runs."""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager

_RARE = (250_000, 50, 50)
"""A first program makes 150,000 objects, most of them those of modules."""


@contextmanager
def rare_collections() -> Generator[None]:
    """A context in which Python searches for garbage rarely, and then as before.

    The compiler makes many objects and drops few. A search visits all objects of the process, also
    those of its libraries, and may take as long as the compilation. Contexts may be nested and may
    overlap in several threads: the one that changes the thresholds also restores them, unless the
    host program has changed them in between.
    """
    before = gc.get_threshold()
    if before[0] == 0 or before[0] >= _RARE[0]:
        yield
        return
    gc.set_threshold(*_RARE)
    modules = len(sys.modules)
    try:
        yield
    finally:
        if gc.get_threshold() == _RARE:
            if len(sys.modules) > modules:
                _age_all()
            gc.set_threshold(*before)


def _age_all() -> None:
    """Let the next searches leave out all objects: those of loaded modules, which live on.

    To freeze objects and unfreeze them makes them old without a look at each. Those that the host
    program has frozen stay so.
    """
    if gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()
