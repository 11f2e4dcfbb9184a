"""The base of passes that replace folds by operations on all steps at once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from xdsl.dialects import func
from xdsl.ir import SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import FreeIndices, free_indices
from ein_mlir.analysis.phi.index_forms import IndexForms, index_forms
from ein_mlir.analysis.phi.memory_cost import may_materialise_parts, slice_of
from ein_mlir.analysis.phi.singularities import is_singular
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence, equal_sizes
from ein_mlir.analysis.phi.speculation import may_fail_first
from ein_mlir.analysis.scopes import innermost_first, operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.reductions import raise_reductions
from ein_mlir.rewriting.phi.replacement import Raising

PassT = TypeVar("PassT", bound="FoldPass")


class MayRunAtOnce(Protocol):
    """The question whether arrays of parts of all steps may replace a loop."""

    def __call__(
        self,
        op: phi.FoldOp,
        parts: Sequence[SSAValue],
        *,
        written: frozenset[SSAValue] = frozenset(),
        is_guarded: bool = False,
        reduced: int = 0,
    ) -> bool: ...


class FoldRaiser(ABC, Generic[PassT]):
    """Replaces folds of one function, with the options of a pass."""

    has_new_folds = False
    """Whether there are new folds, which may be reductions."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager, options: PassT):
        """With an option ``differentiable``, a value whose derivative may be infinite needs its
        guard.
        """
        self._function, self._analyses = function, analyses
        self._note = analyses.note
        self._options = options
        self._differentiable = bool(getattr(options, "differentiable", False))

    # Analyses, each made for the first fold that needs it

    @cached_property
    def _free(self) -> FreeIndices:
        return self._analyses.get(free_indices, self._function)

    @cached_property
    def _sizes(self) -> SizeEquivalence:
        return self._analyses.get(equal_sizes, self._function)

    @cached_property
    def _forms(self) -> IndexForms:
        return self._analyses.get(index_forms, self._function)

    def _note_fold(self, op: phi.FoldOp, what: str) -> None:
        """Report a decision about a fold: ``what`` it is, or does."""
        self._note(op, f"the fold over {name_of(op.counter)} {what}")

    def _raising(self, rule: Callable[[phi.FoldOp], bool]) -> Raising:
        """A rule for folds that take the place of others."""
        return Raising(rule, self._forms, self._free)

    @abstractmethod
    def fold(self, op: phi.FoldOp) -> None:
        """Replace a fold, if that is legal and profitable."""

    def loop(self, op: phi.WhileOp) -> None:
        """Replace a loop by a condition, for passes that look for these."""

    def _may_run_at_once(
        self,
        op: phi.FoldOp,
        parts: Sequence[SSAValue],
        *,
        written: frozenset[SSAValue] = frozenset(),
        is_guarded: bool = False,
        reduced: int = 0,
    ) -> bool:
        """Whether arrays of parts of all steps may replace a loop.

        A fold without steps raises no error, so no part may. A part must be computed in the steps
        alone that take it, if its derivative may be infinite, unless the arrays are guarded
        likewise. Memory allows them if they are no larger than arrays that the steps read, or the
        array with the ``written`` axes. Reductions of at most ``reduced`` elements do not count.
        An array of steps whose number varies with an index would have irregular sizes.
        """
        if op.irregular is not None and self._free.of(op.count):
            return False
        needed = [x for each in slice_of(op.body.block, parts) for x in operations_in(each)]
        if any(may_fail_first(each, op) for each in needed):
            return False
        if self._differentiable and not is_guarded and any(map(is_singular, needed)):
            return False
        return may_materialise_parts(op, parts, self._free, written, reduced=reduced)


class FoldPass(FunctionPass):
    """A pass that replaces the folds of a function, innermost first."""

    looks_for = (phi.FoldOp,)

    raiser: ClassVar[type[FoldRaiser[Any]]]
    """The raiser of the folds of a function."""

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        raiser = self.raiser(function, analyses, self)
        for op in innermost_first(function, phi.LoopOp):
            if op.parent is None:
                continue  # the outer fold of a nest that the inner one replaced
            if isinstance(op, phi.FoldOp):
                raiser.fold(op)
            elif isinstance(op, phi.WhileOp):
                raiser.loop(op)
        if raiser.has_new_folds:
            analyses.invalidate(function)
            raise_reductions(function, analyses)
