"""Loops around reductions that memory forbids, with a version for sizes that need little of it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.phi.searches import fold_search
from ein_mlir.analysis.phi.selections import reduction
from ein_mlir.analysis.scopes import innermost_first, is_within
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.step_blocks import steps_of_size
from ein_mlir.rewriting.phi.versions import Versions


class SmallNests:
    """``r = nest  -->  first = fold (_ < t, r) { nest }; r = fold (_ < 1 - t, first) { copy }``

    where t is 1 if the arrays of all steps of some reductions in the nest are small. Each step of a
    nest runs them anew, so that calls for each of their steps take longer than their arithmetic.
    """

    def __init__(self, free: FreeIndices):
        self._free = free
        self._versions: dict[phi.FoldOp, Versions] = {}
        self._tests = set[tuple[SSAValue, ...]]()
        self._others = set[Operation]()
        self.copies: dict[phi.FoldOp, phi.FoldOp] = {}
        """A fold of a nest -> that in the version for other sizes."""

    def fit(self, op: phi.FoldOp, lengths: Sequence[SSAValue], elements: int) -> bool:
        """Let the nest of a reduction run only where an array of all its steps has few elements.

        ``lengths`` are the sizes of a step. Whether there is such a nest.
        """
        nest = _nest_around(op)
        if nest is None or nest in self._others:
            return False
        if any(is_within(each, nest) for each in (op.count, *lengths)):
            return False
        versions = self._versions.get(nest) or self._version(nest)
        if (test := (versions.result, op.count, *lengths)) not in self._tests:
            self._tests.add(test)
            new = versions.where(
                lambda build: [
                    build.compare(steps_of_size(build, elements, lengths), "sge", op.count)
                ]
            )
            self._free.add(*new)
        return True

    def _version(self, nest: phi.FoldOp) -> Versions:
        folds = innermost_first(nest, phi.FoldOp)
        versions = Versions(nest)
        rest = versions.ops[-1]
        self._versions[versions.first] = versions
        self._others.add(rest)
        self.copies.update(zip(folds, innermost_first(rest, phi.FoldOp), strict=False))
        self._free.replace(nest.result, versions.result)
        self._free.add(*versions.ops)
        return versions


def _nest_around(op: phi.FoldOp) -> phi.FoldOp | None:
    """The outermost fold around a fold; None if a loop between is a reduction, or there is none."""
    nest, outer = None, op.parent_op()
    while isinstance(outer, phi.ArrayOp | phi.FoldOp | phi.WhileOp):
        if isinstance(outer, phi.FoldOp):
            if reduction(outer) is not None or fold_search(outer) is not None:
                return None
            nest = outer
        outer = outer.parent_op()
    return nest
