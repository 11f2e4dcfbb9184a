"""``split-loops``: loops are split where positions near a border need a clip."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import func, scf

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.reductions import is_reduction
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.notes import name_of
from ein_mlir.analysis.scopes import around, operations_in
from ein_mlir.passes.loops.split_loops.interior import Finder, index_of
from ein_mlir.passes.loops.split_loops.rewriting import split, split_steps
from ein_mlir.passes.loops.split_loops.settled import continued, recurrences
from ein_mlir.rewriting.passes import FunctionPass

MOST_OPERATIONS = 400
"""A larger body is not copied."""

MOST_FEW = 8
"""The most steps, if their number is known, that stay: LLVM unrolls these."""


def nests(function: func.FuncOp) -> Iterator[scf.ParallelOp]:
    """The parallel loops without others inside that count from 0 in steps of 1."""
    for op in operations_in(function):
        if type(op) is scf.ParallelOp and not op.initVals:
            body = operations_in(op)[1:]
            is_innermost = not any(type(each) is scf.ParallelOp for each in body)
            counts = known_int(op.lowerBound[-1]) == 0 and known_int(op.step[-1]) == 1
            is_row = (known_int(op.upperBound[-1]) or MOST_FEW + 1) > MOST_FEW
            if is_innermost and counts and is_row and len(body) <= MOST_OPERATIONS:
                yield op


def sums(function: func.FuncOp) -> Iterator[scf.ForOp]:
    """The sums outside of parallel loops that count from 0 in steps of 1.

    Those in parallel loops run for many of their steps at a time.
    """
    for op in operations_in(function):
        if type(op) is scf.ForOp and op.iter_args and is_reduction(op):
            body = operations_in(op)[1:]
            is_innermost = not any(each.regions for each in body)
            counts = known_int(op.lb) == 0 and known_int(op.step) == 1
            is_parallel = any(isinstance(each, scf.ParallelOp) for each in around(op))
            if is_innermost and counts and not is_parallel and len(body) <= MOST_OPERATIONS:
                yield op


class SplitLoopsPass(FunctionPass):
    """Splits loops into an interior, where positions are plain, and the steps at the borders.

    Before::

        scf.parallel (%i, %j) = (0, 0) to (%n, %m) step (1, 1) {
          %p = arith.subi %j, %c1 : index
          %q = arith.maxsi %p, %c0 : index
          %x = memref.load %a[%i, %q] : memref<?x?xf64>
          ...

    After, where the interior is from ``%low`` on and has ``%inside`` steps::

        scf.parallel (%i) = (0) to (%n) step (1) {
          scf.parallel (%k) = (0) to (%inside) step (1) {
            %j = arith.addi %low, %k : index
            %p = arith.subi %j, %c1 : index
            %x = memref.load %a[%i, %p] : memref<?x?xf64>
            ...
          }
          scf.parallel (%k) = (0) to (%outside) step (1) {
            %before = arith.cmpi slt, %k, %low : index
            %after = arith.addi %k, %inside : index
            %j = arith.select %before, %k, %after : index
            .. as before ..

    Vectors of neighbours are loaded from plain positions, and elements one by one from others. The
    bounds of the interior follow from the clips and the comparisons of the last index, as linear
    forms; a comparison counts if it changes near an end. Nests with loops are split as a whole, if
    most of their steps are inside. A loop stays if no position of an innermost axis is simpler.

    A sum outside of such nests becomes three sequential loops, one after the other, so that LLVM
    adds vectors of terms in the interior. So does a recurrence that goes on in a range of its steps
    alone, as along the rows of a table with a band::

        %r = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %a) -> (f64) {
          %c = arith.cmpi sge, %j, %p : index
          ...
          %y = arith.select %c, %f, %x : f64
          scf.yield %y : f64
        }

    The steps before ``%p`` need none of those before them, since ``%x`` is from outside.
    """

    name = "split-loops"
    looks_for = (scf.ParallelOp, scf.ForOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for loop in [*nests(function), *sums(function)]:
            found = Finder(loop).interior()
            if found is not None:
                note = f"{name_of(index_of(loop))} is split into its borders and the interior"
                analyses.note(loop, note)
                if isinstance(loop, scf.ForOp):
                    split_steps(loop, found)
                else:
                    split(loop, found)
        for loop in list(recurrences(function)):
            found = continued(loop)
            if found is not None:
                analyses.note(loop, "a recurrence is split where no step needs the one before")
                split_steps(loop, found)
