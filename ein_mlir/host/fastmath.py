"""The laws of real numbers that a program may permit on floats, by their names in LLVM."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, cast

from ein_mlir.errors import EinValueError

Fastmath: TypeAlias = bool | str | Iterable[str]
"""All laws (true or ``"fast"``), none, or the names of some."""

LAWS = {
    "reassoc": "sums and products may be regrouped, also where that may overflow or underflow",
    "nnan": "no argument and no result is NaN",
    "ninf": "no argument and no result is infinite",
    "nsz": "the sign of a zero does not matter",
    "arcp": "a quotient may be a product with the reciprocal",
    "contract": "a product and a sum may be rounded once",
    "afn": "a function may be replaced by an approximation",
}
"""Name of a law -> the law."""


def laws_of(fastmath: Fastmath | None) -> tuple[str, ...]:
    """The names of the laws that an option permits, in order.

    >>> laws_of(False), laws_of({"nsz", "reassoc"}), len(laws_of(True))
    ((), ('reassoc', 'nsz'), 7)

    Raises EinValueError for a name that is no law.
    """
    if fastmath is None or fastmath is False:
        return ()
    if fastmath is True:
        return tuple(LAWS)
    names = [fastmath] if isinstance(fastmath, str) else _listed(fastmath)
    for name in names:
        if name != "fast" and name not in LAWS:
            known = ", ".join(("fast", *LAWS))
            raise EinValueError(f"fastmath: {name!r} is not a law; there are {known}")
    return tuple(LAWS) if "fast" in names else tuple(law for law in LAWS if law in names)


def _listed(fastmath: object) -> list[object]:
    if not isinstance(fastmath, Iterable):
        raise EinValueError(f"fastmath: expected True, False or names of laws, got {fastmath!r}")
    return list(cast(Iterable[object], fastmath))
