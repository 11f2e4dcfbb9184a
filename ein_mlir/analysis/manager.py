"""The analysis manager: it keeps analyses until their IR changes, as in MLIR."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar, cast

from xdsl.ir import Operation

T = TypeVar("T")
Analysis = Callable[[Any], Any]
"""A function or class that computes an analysis of an operation."""


class AnalysisManager:
    """The analyses of the functions of a module.

    A pass requests an analysis by its function or class. The analysis is computed once and is valid
    until a pass changes the function without preserving it.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[Analysis, Operation], object] = {}

    def get(self, analysis: Callable[[Any], T], root: Operation) -> T:
        """The analysis of an operation, computed now if none is kept."""
        key = analysis, root
        if key not in self._kept:
            self._kept[key] = analysis(root)
        return cast(T, self._kept[key])

    def invalidate(
        self, root: Operation | None = None, preserved: Collection[Analysis] = ()
    ) -> None:
        """Drop the analyses of an operation (of all without one) that are not preserved."""
        for analysis, op in list(self._kept):
            if (root is None or op is root) and analysis not in preserved:
                del self._kept[analysis, op]


def classes_of(root: Operation) -> frozenset[type[Operation]]:
    """An analysis: the classes of the operations inside an operation."""
    return frozenset(map(type, root.walk()))
