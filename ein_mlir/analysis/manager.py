"""The analysis manager: it keeps analyses until their IR changes, as in MLIR."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import cache, lru_cache
from typing import Any, TypeAlias, TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.notes import Note, no_note
from ein_mlir.analysis.scopes import operations_in

T = TypeVar("T")
Analysis: TypeAlias = Callable[[func.FuncOp, "AnalysisManager"], Any]
"""Makes an analysis of a function, from other analyses if it needs any."""


class AnalysisManager:
    """The analyses of functions, each made once and kept until its function changes.

    A pass asks for an analysis by the function that makes it. ``note`` receives the decisions of
    passes, for ``CompiledFunction.explain``.
    """

    def __init__(self, note: Note = no_note) -> None:
        self.note = note
        self._kept = defaultdict[func.FuncOp, dict[Analysis, Any]](dict)
        self._settled = dict[object, Collection[str]]()

    def get(
        self, analysis: Callable[[func.FuncOp, AnalysisManager], T], function: func.FuncOp
    ) -> T:
        """The analysis of a function, made now if none is kept."""
        kept = self._kept[function]
        if analysis not in kept:
            kept[analysis] = analysis(function, self)
        return kept[analysis]

    def keep(self, analysis: Analysis, function: func.FuncOp, result: object) -> None:
        """Keep an analysis that was made anew."""
        self._kept[function][analysis] = result

    def invalidate(
        self,
        function: func.FuncOp | None = None,
        preserved: Collection[Analysis] = (),
        by: str = "",
    ) -> None:
        """Drop the analyses of a function (of all without one), except those preserved.

        ``by`` is the flag of the pass that has changed it, if it is known.
        """
        stale = [
            work for work, until in self._settled.items() if not by or not until or by in until
        ]
        for work in stale:
            del self._settled[work]
        for kept in self._kept.values() if function is None else (self._kept[function],):
            for analysis in kept.keys() - preserved:
                del kept[analysis]

    def settle(self, work: object, until: Collection[str] = ()) -> None:
        """Note that some work finds nothing more to do, until a function changes.

        ``until`` are the flags of the passes whose changes make new work, if not those of all do.
        """
        self._settled[work] = until

    def is_settled(self, work: object) -> bool:
        """Whether some work was done before, and no function has made new work."""
        return work in self._settled


def functions_of(module: ModuleOp) -> Sequence[func.FuncOp]:
    """The functions of a module that have a body."""
    found, block = list[func.FuncOp](), module.regions[0].first_block
    op = None if block is None else block.first_op
    while op is not None:
        if type(op) is func.FuncOp and op.regions[0].first_block is not None:
            found.append(op)
        op = op.next_op
    return found


def classes_of(function: func.FuncOp, analyses: AnalysisManager) -> frozenset[type]:
    """An analysis: the classes of the operations in a function, and the bases of these."""
    ops, _ = analyses.get(structure_of, function)
    return _with_bases(frozenset(map(type, ops)))


def names_of(function: func.FuncOp, analyses: AnalysisManager) -> frozenset[str]:
    """An analysis: the names of these classes, after that of their dialect: ``phi.FoldOp``."""
    return _names(analyses.get(classes_of, function))


@cache
def name_of_class(cls: type) -> str:
    """The name of a class of operations, ``phi.FoldOp``."""
    return f"{cls.__module__.split('.')[2]}.{cls.__name__}" if cls.__module__.count(".") > 1 else ""


@lru_cache(1024)
def _with_bases(classes: frozenset[type]) -> frozenset[type]:
    return frozenset(base for cls in classes for base in cls.__mro__)


@lru_cache(1024)
def _names(classes: frozenset[type]) -> frozenset[str]:
    return frozenset(map(name_of_class, classes))


def structure_of(
    function: func.FuncOp, analyses: AnalysisManager
) -> tuple[list[Operation], list[tuple[SSAValue, ...]]]:
    """An analysis: the operations of a function in order, and the operands of each.

    Two structures are equal if nothing was moved, replaced or rewired in between.
    """
    ops = operations_in(function)
    return ops, [op._operands for op in ops]  # pyright: ignore[reportPrivateUsage]
