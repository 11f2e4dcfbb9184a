"""Predicates of comparisons of Ints, by symbols and by the names of ``arith.cmpi``."""

from __future__ import annotations

from collections.abc import Mapping

_NEGATED = (("<", ">="), (">", "<="), ("==", "!="), ("slt", "sge"), ("sgt", "sle"), ("eq", "ne"))

NEGATED: Mapping[str, str] = {
    **dict(_NEGATED),
    **{negated: predicate for predicate, negated in _NEGATED},
}
"""For each predicate the one that holds where it does not."""

_SWAPPED = (("<", ">"), ("<=", ">="), ("slt", "sgt"), ("sle", "sge"))

SWAPPED: Mapping[str, str] = {
    **dict(_SWAPPED),
    **{swapped: predicate for predicate, swapped in _SWAPPED},
    **{symmetric: symmetric for symmetric in ("==", "!=", "eq", "ne")},
}
"""For each predicate of ``a`` and ``b`` the same of ``b`` and ``a``."""
