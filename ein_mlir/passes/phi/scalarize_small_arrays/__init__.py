"""``scalarize-small-arrays``: in loops of Python, elements of small arrays are numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from xdsl.dialects import func
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.size_equivalence import equal_sizes
from ein_mlir.analysis.phi.small_arrays import COMPUTED, SmallSizes, time_of_calls, time_of_numbers
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.scalarize_small_arrays.elements import Elements, NotSmallError, Value
from ein_mlir.passes.phi.scalarize_small_arrays.rules import RULES
from ein_mlir.passes.phi.scalarize_small_arrays.scalarizer import Loop, Scalarizer
from ein_mlir.rewriting.common_subexpressions import eliminate_common_subexpressions
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.insertion import Emitter
from ein_mlir.rewriting.phi.replacement import insert_before, replace


def _scalarize(block: Block, sizes: SmallSizes) -> None:
    """Replace the loops of a block, or else those in their bodies."""
    for op in list(block.ops):
        if isinstance(op, Loop) and not _is_scalarized(op, sizes):
            _scalarize(op.body.block, sizes)


def _is_scalarized(op: Loop, sizes: SmallSizes) -> bool:
    """Replace a loop by one on numbers, if that takes less time."""
    if not any(isinstance(each, COMPUTED) for each in operations_in(op)):
        return False
    emitter = Emitter()
    scalarizer = Scalarizer(sizes, emitter, RULES)
    try:
        result = scalarizer.loop(op)
    except NotSmallError:
        scalarizer.discard()
        return False
    (loop,) = (each for each in emitter.ops if isinstance(each, Loop))
    eliminate_common_subexpressions(loop.body)
    erase_unused(loop.body.block)
    if time_of_numbers(loop) > time_of_calls(op):
        emitter.discard()
        return False
    value = _value(emitter, result, op.init, op.count)
    insert_before(op, emitter.ops)
    replace(op, value)
    return True


def _value(build: Emitter, found: Value, init: SSAValue, count: SSAValue) -> SSAValue:
    """A result of the original type: arrays are their initial value with all elements updated.

    That changes nothing if there was no step. Else the sizes are those of the elements.
    """
    if isinstance(found, SSAValue):
        return found
    if not isinstance(found, Elements):
        pairs = zip(found, build.fields(init), strict=True)
        return build.tuple([_value(build, each, field, count) for each, field in pairs])
    value = _resized(build, init, found.shape, count) if found.is_assumed else init
    for position, element in zip(product(*map(range, found.shape)), found.values, strict=True):
        value = build.update(value, list(map(build.integer, position)), element)
    return value


def _resized(build: Emitter, init: SSAValue, shape: Sequence[int], count: SSAValue) -> SSAValue:
    """An initial value with other sizes, if there was a step."""
    is_stepped = build.compare(count, "sgt", 0)
    sizes = [build.select(is_stepped, size, build.size(init, k)) for k, size in enumerate(shape)]
    return build.comprehension(sizes, lambda inner, own: inner.get(init, own))


class ScalarizeSmallArraysPass(FunctionPass):
    """Computes elements of small arrays as numbers, in loops that then compute numbers only.

    Before::

        %r = phi.fold (%k < %n, %v = %init) -> !phi.vec<f64> {
          phi.array (%i < %two) -> !phi.vec<f64> { %v[%i] * %v[%one] }
        }

    After::

        %0 = phi.tuple (%init[%zero], %init[%one]) : tuple<f64, f64>
        %1 = phi.fold (%k < %n, (%x, %y) = %0) -> tuple<f64, f64> { (%x * %y, %y * %y) }
        ...
        %r = phi.update %3[%one], %2 : (!phi.vec<f64>, i64, f64) -> !phi.vec<f64>

    An operation on an array is a call of the library, which takes as long as many operations on
    numbers of Python. The cost rule is in ``ein_mlir.analysis.phi.small_arrays``.

    A loop stays if a step computes an array that is not small, or has an operation without a rule,
    such as a sort; if it is in a comprehension; or if numbers would take longer. Arrays that a step
    only reads, or updates at positions that vary, stay arrays. Sizes that steps assert are checked
    before the loop, if it has a step.
    """

    name = "scalarize-small-arrays"
    looks_for = (phi.FoldOp, phi.WhileOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        _scalarize(function.body.block, SmallSizes(analyses.get(equal_sizes, function)))
