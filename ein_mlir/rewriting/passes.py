"""Passes that run on one function at a time, and share analyses."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from ein_mlir.analysis.diagnostics import check_blocks
from ein_mlir.analysis.manager import (
    Analysis,
    AnalysisManager,
    classes_of,
    functions_of,
    structure_of,
)
from ein_mlir.analysis.phi.derivatives import has_derivatives


class FunctionPass(ModulePass, ABC):
    """A pass that runs on each function of a module independently.

    It only checks the kinds of operations of a function that has none of those that it looks for.
    Functions of several blocks are left alone, and are no input of conversions.
    """

    looks_for: ClassVar[tuple[type[Operation], ...]] = ()
    """The classes of operations that the pass runs for; if empty, it always runs."""
    beside: ClassVar[tuple[type[Operation], ...]] = ()
    """The classes of operations of which the function must have one, too; if empty, none."""
    preserves: ClassVar[tuple[Analysis, ...]] = ()
    """The analyses that are still valid after the pass."""
    is_idempotent: ClassVar[bool] = False
    """Whether a second run would change nothing.

    In a pipeline the pass does not run again before another pass has changed the module.
    """
    runs_again_after: ClassVar[tuple[str, ...]] = ()
    """The flags of the passes whose changes make new work for a second run, if no others do."""
    derivatives = False
    """Whether the pass is for functions with derivatives alone, an option of some passes."""

    @abstractmethod
    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        """Rewrite a function that has a body."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.run_on_module(op, AnalysisManager())

    def run_on_module(self, module: ModuleOp, analyses: AnalysisManager) -> None:
        """Rewrite the functions of a module, with the valid analyses of earlier passes."""
        may_settle = self.is_idempotent or bool(self.runs_again_after)
        if may_settle and analyses.is_settled(self):
            return
        for function in functions_of(module):
            if self._has_work(function, analyses):
                before = analyses.get(structure_of, function)
                self.run(function, analyses)
                after = structure_of(function, analyses)
                if after != before:
                    analyses.invalidate(function, self.preserves, self.name)
                    analyses.keep(structure_of, function, after)
        if may_settle:
            analyses.settle(self, self.runs_again_after)

    def _has_work(self, function: func.FuncOp, analyses: AnalysisManager) -> bool:
        if len(function.body.blocks) > 1:
            if self.name.startswith("convert-"):
                check_blocks(function, self.name)
            return False
        if self.derivatives and not has_derivatives(function, analyses):
            return False
        if not self.looks_for and not self.beside:
            return True
        classes = analyses.get(classes_of, function)
        if self.looks_for and classes.isdisjoint(self.looks_for):
            return False
        return not self.beside or not classes.isdisjoint(self.beside)


class FixpointPass(ModulePass, ABC):
    """A pass on a whole module that rewrites until it finds nothing more to rewrite.

    In a pipeline it does not run again before another pass has changed the module.
    """

    @abstractmethod
    def rewrite(self, ctx: Context, module: ModuleOp) -> bool:
        """Rewrite a module; whether anything changed."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        self.rewrite(ctx, op)

    def run_on_module(self, ctx: Context, module: ModuleOp, analyses: AnalysisManager) -> None:
        """Rewrite a module, unless it is still as an earlier run has left it."""
        if analyses.is_settled(self):
            return
        if self.rewrite(ctx, module):
            analyses.invalidate(by=self.name)
        analyses.settle(self)
