"""Checks of options that only some backends have: they are made before a backend is known."""

from __future__ import annotations

from collections.abc import Mapping

from ein_mlir.errors import EinValueError


def check_options(jit: object, threads: object) -> None:
    """Raise EinValueError for values of ``jit`` and ``threads`` that no backend has."""
    if not isinstance(jit, bool | Mapping | None):
        example = f"jit={{'mode': {jit!r}}}" if isinstance(jit, str) else "jit={'dynamic': True}"
        raise EinValueError(
            f"jit: expected True, False, or options of the library's compiler as in {example}, "
            f"got {jit!r}"
        )
    is_count = isinstance(threads, int) and not isinstance(threads, bool) and threads > 0
    if threads is not None and not is_count:
        raise EinValueError(f"threads: expected a positive int, got {threads!r}")
