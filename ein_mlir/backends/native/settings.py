"""Settings of the process: the memory that is kept for later calls."""

from __future__ import annotations

from ein_mlir.errors import EinValueError


def set_memory_bound(bytes: int | None = None) -> None:
    """Set how many bytes of released arrays native programs may keep for later ones.

    By default, an eighth of the memory of the machine. With 0, all memory goes back to the system.
    """
    from ein_mlir.backends.native.support import default_bound, support

    if bytes is not None and (not isinstance(bytes, int) or bytes < 0):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise EinValueError(f"the bound of memory: expected an int from 0, got {bytes!r}")
    support().set_bound(default_bound() if bytes is None else bytes)


def release_memory() -> None:
    """Return the memory that native programs keep for later calls to the system."""
    from ein_mlir.backends.native.support import support

    support().trim(0)


def kept_memory() -> int:
    """The number of bytes that native programs keep for later calls."""
    from ein_mlir.backends.native.support import support

    return support().kept()
