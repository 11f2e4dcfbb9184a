"""The choice between clipping positions out of bounds and an error."""

from __future__ import annotations

import os

from ein_mlir.errors import EinValueError

BOUNDS_VARIABLE = "EIN_BOUNDS"
"""The environment variable with the choice for programs that make none."""

CHOICES = ("clip", "check")


def check_bounds(given: str | None, name: str = "bounds") -> None:
    """Raise EinValueError for a choice that does not exist; None is no choice."""
    if given is not None and given not in CHOICES:
        raise EinValueError(f"{name}: expected {' or '.join(map(repr, CHOICES))}, got {given!r}")


def chosen_bounds(given: str | None) -> str:
    """The choice of a program; by default that of the environment, which is ``clip`` by default."""
    check_bounds(given)
    chosen = given or os.environ.get(BOUNDS_VARIABLE) or "clip"
    check_bounds(chosen, BOUNDS_VARIABLE)
    return chosen
