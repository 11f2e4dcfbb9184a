"""Derivatives of programs of phi, in two steps: linearisation and transposition.

- `scalars`: the table of rules for scalar operations.
- `values`: the value of a derivative instead of an equal one before it.
- `preparation`: loops as folds, and elements that are computed from indices alone.
- `linearization`: a program and its derivative, a linear program; `tangents`: its state;
  `unit_tangents`: those with one element that is not zero.
- `accumulations`, `extrinsics`, `folds`, `searches`: the linearisation of these operations.
- `checkpoints`: loops of which the derivative computes most steps again.
- `transposition`: the transpose of a linear program, from `contributions` to cotangents.
- `collection`, `windows`, `shifts`, `sums`, `added_accumulations`: contributions as arrays of
  their sums.
- `transposes`: the table of rules for operations; `guarded_products`: zero times infinity.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import ancestors, innermost_first, operations_in
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.derivatives.checkpoints import CHUNK, LOOP
from ein_mlir.rewriting.phi.derivatives.few_elements import compute_few_elements
from ein_mlir.rewriting.phi.derivatives.linearization import expand_jvp, linearize_vjp
from ein_mlir.rewriting.phi.derivatives.preparation import (
    compute_elements,
    lengthen_reductions,
    read_rows,
    unroll_recurrences,
    whiles_as_folds,
)
from ein_mlir.rewriting.phi.derivatives.residuals import merge_reads, share_invariants
from ein_mlir.rewriting.phi.derivatives.searches import (
    DEVIATION,
    STABILIZER,
    mark_deviations,
    mark_stabilizers,
    searches_as_folds,
)
from ein_mlir.rewriting.phi.derivatives.tangents import NoDerivativeError
from ein_mlir.rewriting.phi.derivatives.transposes import RULES
from ein_mlir.rewriting.phi.derivatives.transposition import Transposition
from ein_mlir.rewriting.phi.derivatives.values import share_value
from ein_mlir.rewriting.phi.reductions.searches import reduction_as_fold, scan_as_fold
from ein_mlir.rewriting.phi.sibling_folds import merge_folds_within

__all__ = ["forget_marks", "innermost", "linearize", "searches_as_folds", "transpose"]


def innermost(function: func.FuncOp) -> Sequence[phi.DerivativeOp]:
    """The derivatives of a function without derivatives in their bodies.

    A transpose within another one is a linear operation of it, by a rule of an extrinsic.
    """
    found = [
        op
        for op in operations_in(function)
        if isinstance(op, phi.DerivativeOp)
        and not (
            isinstance(op, phi.TransposeOp) and isinstance(_derivative_around(op), phi.TransposeOp)
        )
    ]
    around = {parent for op in found if (parent := _derivative_around(op)) is not None}
    return [op for op in found if op not in around]


def _derivative_around(op: phi.DerivativeOp) -> phi.DerivativeOp | None:
    return next(ancestors(op, phi.DerivativeOp), None)


def linearize(op: phi.DerivativeOp, function: func.FuncOp, checkpoint: int | None = None) -> None:
    """Expand a ``phi.jvp``, or replace a ``phi.vjp`` by its value and a ``phi.transpose``.

    ``checkpoint`` is that of a ``phi.vjp`` without one. One without a use is erased.

    Raises NoDerivativeError for arrays of records in it.
    """
    assert isinstance(op, phi.JvpOp | phi.VjpOp)
    if not op.result.uses:
        Rewriter.erase_op(op)
        return
    _require_arrays_of_scalars(op)
    if isinstance(op, phi.VjpOp):
        share_value(op)
    for each in innermost_first(op, phi.ReduceOp):
        reduction_as_fold(each)
    for each in innermost_first(op, phi.ScanOp):
        if each.kind.data != "add":
            scan_as_fold(each)
    mark_stabilizers(op)
    if isinstance(op, phi.JvpOp):
        mark_deviations(op, SizeEquivalence(function))
        expand_jvp(op, function)
    else:
        whiles_as_folds(op, function)
        merge_reads(operations_in(op))
        lengthen_reductions(op, function)
        unroll_recurrences(op)
        merge_folds_within(op, SizeEquivalence(function))
        compute_elements(op, SizeEquivalence(function))
        read_rows(op)
        share_invariants(op, function)
        mark_deviations(op, SizeEquivalence(function))
        own = op.checkpoint
        linearize_vjp(op, checkpoint if own is None else own.value.data)
    forget_marks(function, [DEVIATION])  # Those in the derivative of a variance have other uses.


def _require_arrays_of_scalars(op: phi.DerivativeOp) -> None:
    for inner in operations_in(op):
        for value in (*inner.operands, *inner.results):
            if phi.struct_of_arrays(value.type) != value.type:
                reason = f"'{value.type}' has arrays of records; run 'struct-of-arrays' before"
                raise NoDerivativeError(inner, reason)


def forget_marks(function: func.FuncOp, marks: Sequence[str] = (LOOP, CHUNK, STABILIZER)) -> None:
    """Remove marks, as those that linearisation leaves on loops."""
    for op in operations_in(function):
        for mark in marks:
            op.attributes.pop(mark, None)


def transpose(op: phi.TransposeOp, function: func.FuncOp, *, shifts: bool = False) -> None:
    """Replace a ``phi.transpose`` by the cotangents; with ``shifts``, also by any Ints."""
    sizes = SizeEquivalence(function)
    compute_few_elements(op, sizes)
    Transposition(op, sizes, RULES, shifts=shifts).expand()
