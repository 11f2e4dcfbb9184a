"""The rule for loops by a condition."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.dialects import phi, yarr
from ein_mlir.passes.conversions.convert_phi_to_yarr.arrays import checked_size
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import Axial, bundle
from ein_mlir.passes.conversions.convert_phi_to_yarr.compaction import compacted, is_worth_it
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_yarr.masked_loops import MaskedLoop


def while_(conversion: Conversion, op: phi.WhileOp) -> None:
    """A loop until the condition fails for all indices that it varies with.

    ``A[while x = a by e] = <axes, while any, X = any(C(A)), align(A) by any(C(E')), E'>`` where
    ``E' = select(C(X), align(E), X)`` and ``C`` is field 0: elements that are done do not change,
    and take no steps of loops inside. Fields that nobody can tell apart go on changing. If many
    elements are done, the others may be packed.
    """
    count = checked_size(conversion, op.count, op.counter, op, op.limit_name)
    number = len(leaf_types(op.result.type))
    axes = [conversion.axes_of(op.accumulator, leaf) for leaf in range(number)]
    inits = conversion.align_all_fully(conversion.value(op.init), axes)
    if axes[0]:
        inits[0] = _still_on(conversion, Axial(axes[0], inits[0]))
    loop = MaskedLoop(op, axes)
    if is_worth_it(conversion, loop):
        results = compacted(conversion, loop, count, inits)
    else:
        results = loop.emit(conversion, count, inits)
    conversion.bind(op.result, bundle(op.result.type, axes, results))


def _still_on(conversion: Conversion, condition: Axial) -> SSAValue:
    """A condition that is false, too, where no step of a loop around has an effect.

    Without it, a loop might never end for elements that never run it. The elements of the condition
    have the axes of the mask; along those that it lacks, any will do.
    """
    for mask in conversion.masks:
        kept = [index for index in mask.axes if index in condition.axes]
        if not kept:
            continue  # then the loop is the same for those elements that run it
        gone = [d for d, index in enumerate(mask.axes) if index not in kept]
        value = mask.value
        if gone:
            value = conversion.emit(yarr.ReduceOp(value, gone, arith.OrIOp)).result
        aligned = conversion.align(Axial(tuple(kept), value), condition.axes)
        both = conversion.arithmetic(arith.AndIOp, condition.value, aligned)
        condition = Axial(condition.axes, both)
    return condition.value
