"""``interchange-comprehensions``: arrays of sums over offsets become sums of shifted arrays."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.phi.free_indices import free_indices
from ein_mlir.analysis.phi.index_forms import index_forms
from ein_mlir.analysis.phi.selections import Test, step_of
from ein_mlir.analysis.phi.speculation import may_fail_first
from ein_mlir.analysis.predicates import relation_of
from ein_mlir.analysis.scopes import (
    captured,
    innermost_first,
    is_within,
    operations_in,
    reached,
    slice_within,
    sources,
)
from ein_mlir.dialects import phi
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.interchange import iterate


class _Interchange:
    """Interchanges the comprehensions of a function with the folds in them."""

    def __init__(self, function: func.FuncOp, analyses: AnalysisManager):
        self._free = analyses.get(free_indices, function)
        self._forms = analyses.get(index_forms, function)

    def applies(self, array: phi.ArrayOp, fold: phi.FoldOp) -> bool:
        """Whether each step of a fold reads a part of an array, shifted by an offset that it reads,
        and whether all elements take the same steps, which raise no error.
        """
        step = step_of(fold)
        return (
            step is not None
            and any(self._is_shifted(array, fold, test) for test in step.tests)
            and not is_within(fold.count, array)
            and self._free.of(fold.result) <= set(array.indices)
            and not any(op.regions for op in _shared(array, fold))
            and not any(
                may_fail_first(op, array) for op in (*_shared(array, fold), *operations_in(fold))
            )
        )

    def _is_shifted(self, array: phi.ArrayOp, fold: phi.FoldOp, test: Test) -> bool:
        """Whether a test bounds an index with an offset, and both give a position."""
        found = relation_of(test.condition)
        if found is None:
            return False
        form = (self._forms.form(found.lhs) - self._forms.form(found.rhs)).reduced()
        indices = [atom for atom in form.coefficients if atom in array.indices]
        offsets = [atom for atom in form.coefficients if self._is_offset(atom, fold)]
        reads = (op for op in operations_in(fold) if isinstance(op, phi.GetOp))
        places = [set(reached([at], sources)) for op in reads for at in op.positions]
        return len(indices) == 1 and any(
            indices[0] in place and offset in place for place in places for offset in offsets
        )

    def _is_offset(self, value: SSAValue, fold: phi.FoldOp) -> bool:
        """Whether a value is an element that a step reads, the same for all indices."""
        is_element = isinstance(value.owner, phi.GetOp) and is_within(value, fold)
        return is_element and not self._free.of(value)


def _shared(array: phi.ArrayOp, fold: phi.FoldOp) -> list[Operation]:
    """The operations of an element, outside of the fold, that the fold depends on."""
    return slice_within(array, [fold.init, *captured(fold)])


class InterchangeComprehensionsPass(FunctionPass):
    """Turns arrays of sums over a table of offsets into sums of shifted arrays.

    Before::

        %y = phi.array (%i < %n) -> !phi.vec<f64> {
          phi.fold (%q < %m, %acc = %zero) -> f64 {
            %d = phi.get %delays[%q] : !phi.vec<i64>[i64]
            phi.yield %acc + select (%i >= %d), %x[%i - %d], 0 : f64
          }
        }

    After::

        %start = phi.array (%i < %n) -> !phi.vec<f64> { %zero }
        %s = phi.fold (%q < %m, %acc = %start) -> !phi.vec<f64> {
          %d = phi.get %delays[%q] : !phi.vec<i64>[i64]
          phi.array (%i < %n) -> !phi.vec<f64> { %acc[%i] + select (%i >= %d), %x[%i - %d], 0 }
        }
        %y = phi.array (%i < %n) -> !phi.vec<f64> { %s[%i] }

    The step then adds a slice to a slice of the accumulator (``raise-updates{parts=true}``), where
    an element alone would be selected by masks from elements at clipped positions. It is the
    reverse of ``interchange-folds``, for steps with ranges of elements. A test must compare an
    index with an element that the step reads, and both must give a position: other folds are sums
    of windows, or scans. The fold must be a reduction whose count is the same for all elements, and
    a step may raise no error.
    """

    name = "interchange-comprehensions"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        found = _Interchange(function, analyses)
        for fold in innermost_first(function, phi.FoldOp):
            array = fold.parent_op()
            if isinstance(array, phi.ArrayOp) and found.applies(array, fold):
                analyses.note(fold, f"the fold over {name_of(fold.counter)} adds shifted arrays")
                iterate(fold, array, analyses.get(free_indices, function))
