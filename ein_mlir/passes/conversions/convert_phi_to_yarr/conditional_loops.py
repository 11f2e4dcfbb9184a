"""Rules for loops by a condition: the elements that are done keep their values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.size_equivalence import Term
from ein_mlir.analysis.phi.unobserved_fields import unobserved_fields
from ein_mlir.dialects import phi, yarr
from ein_mlir.passes.conversions.convert_phi_to_yarr.arrays import checked_size
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import Axial, Index, bundle, leaves
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import Conversion


def while_(conversion: Conversion, op: phi.WhileOp) -> None:
    """A loop until the condition fails for all indices that it varies with.

    ``A[while x = a by e] = <axes, while any, X = any(C(A)), align(A) by any(C(E')), E'>`` where
    ``E' = select(C(X), align(E), X)`` and ``C`` is field 0: elements that are done do not change,
    and take no steps of loops inside. Fields that nobody can tell apart go on changing.
    """
    count = checked_size(conversion, op.count, op.counter, op, op.limit_name)
    type_ = op.result.type
    axes = [conversion.axes_of(op.accumulator, leaf) for leaf in range(len(leaf_types(type_)))]
    inits = conversion.align_all_fully(conversion.value(op.init), axes)
    is_masked = bool(axes[0])
    if is_masked:
        inits[0] = _still_on(conversion, Axial(axes[0], inits[0]))
        inits = [_any(conversion, inits[0]), *inits]
    body = Block(arg_types=[yarr.SIZE_TYPE, *(init.type for init in inits)])
    body.args[0].name_hint = op.counter.name_hint
    carried = body.args[2:] if is_masked else body.args[1:]
    for argument in carried:
        argument.name_hint = op.accumulator.name_hint
    body.args[1].name_hint = "more"
    conversion.bind(op.counter, Axial((), body.args[0]))
    conversion.bind(op.accumulator, bundle(type_, axes, carried))
    with conversion.emitting_into(body):
        conversion.masks.extend([Axial(axes[0], carried[0])] * is_masked)
        conversion.block(op.body.block)
        del conversion.masks[len(conversion.masks) - is_masked :]
        _assert_kept_sizes(conversion, op, axes, carried)
        step = conversion.align_all_fully(conversion.value(op.yielded()), axes)
        if is_masked:
            step = _masked_step(conversion, op, axes, carried, step)
            step = [_any(conversion, step[0]), *step]
        conversion.emit(yarr.YieldOp(*step), op)
    result = conversion.emit(yarr.WhileOp(count, inits, Region(body)), op)
    for value in result.res:
        value.name_hint = op.result.name_hint
    conversion.bind(op.result, bundle(type_, axes, result.res[len(result.res) - len(axes) :]))


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


def _any(conversion: Conversion, mask: SSAValue) -> SSAValue:
    """Whether any of the elements of an array of Bools is true."""
    axes = range(yarr.rank_of(mask))
    return conversion.emit(yarr.ReduceOp(mask, list(axes), arith.OrIOp)).result


def _masked_step(
    conversion: Conversion,
    op: phi.WhileOp,
    axes: Sequence[tuple[Index, ...]],
    carried: Sequence[SSAValue],
    step: Sequence[SSAValue],
) -> list[SSAValue]:
    """The fields after a step of the elements that are not done: a number of steps is a sum of
    masks, which has no branches.
    """
    mask, unobserved = Axial(axes[0], carried[0]), unobserved_fields(op)
    found = [conversion.arithmetic(arith.AndIOp, carried[0], step[0])]
    for field in range(1, len(step)):
        if field in unobserved:
            found.append(step[field])
        elif _counts_steps(conversion, op, field):
            one = conversion.align(Axial(mask.axes, _number(conversion, mask.value)), axes[field])
            found.append(conversion.combined(carried[field], "+", one))
        else:
            found.append(_where_on(conversion, mask, axes[field], carried[field], step[field]))
    return found


def _counts_steps(conversion: Conversion, op: phi.WhileOp, field: int) -> bool:
    """Whether a field is an Int before the loop plus the number of steps so far."""
    inits, steps = leaf_values(op.init), leaf_values(op.yielded())
    if len(inits) != len(steps) or steps[field].type != i64:
        return False
    before, counter, after = map(conversion.forms.form, (inits[field], op.counter, steps[field]))
    return (after - counter - before).known() == 1


def _number(conversion: Conversion, mask: SSAValue) -> SSAValue:
    """1 where a mask is true, 0 elsewhere."""

    def number(value: SSAValue) -> Operation:
        return arith.ExtUIOp(value, i64)

    return conversion.arithmetic(number, mask)


def _where_on(
    conversion: Conversion, mask: Axial, axes: tuple[Index, ...], old: SSAValue, new: SSAValue
) -> SSAValue:
    """The next value of an accumulator where the mask is true, and elsewhere the old one."""
    condition = conversion.align(mask, axes)
    own = list(range(len(axes), yarr.rank_of(old)))
    if own:
        condition = conversion.emit(yarr.UnsqueezeOp(condition, own)).result
    return conversion.arithmetic(arith.SelectOp, condition, new, old)


def _assert_kept_sizes(
    conversion: Conversion,
    op: phi.WhileOp,
    axes: Sequence[tuple[Index, ...]],
    carried: Sequence[SSAValue],
) -> None:
    """Assert that a step keeps the sizes of the accumulator, unless that is proven."""
    after = leaves(conversion.value(op.yielded()))
    for number, path in enumerate(leaf_paths(op.result.type)):
        old, new = Axial(axes[number], carried[number]), after[number]
        for axis in range(new.own_rank):
            before, next_ = Term(op.accumulator, path, axis), Term(op.yielded(), path, axis)
            if not conversion.sizes.same(before, next_, op.body.block.last_op):
                m, n = (
                    conversion.emit(yarr.SizeOp(each.value, len(each.axes) + axis)).result
                    for each in (old, new)
                )
                message = f"while: a step changes the size along axis {axis}"
                conversion.emit(yarr.AssertEqOp(m, n, message))
