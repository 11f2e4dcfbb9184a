"""Loops by a condition over whole arrays: the elements that are done keep their values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.analysis.phi.free_indices import leaf_paths
from ein_mlir.analysis.phi.searches import leaf_values
from ein_mlir.analysis.phi.size_equivalence import Term
from ein_mlir.analysis.phi.unobserved_fields import unobserved_fields
from ein_mlir.dialects import phi, yarr
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.conversions.convert_phi_to_yarr.axial import Axial, Index, bundle, leaves
from ein_mlir.passes.conversions.convert_phi_to_yarr.conversion import Conversion

Ending: TypeAlias = Callable[[SSAValue, Sequence[SSAValue]], Sequence[SSAValue]]
"""Whether a loop takes another step, by the mask of the elements that are not done and the Ints
that the loop carries; and these Ints after the step.
"""


@dataclass(frozen=True)
class MaskedLoop:
    """A loop by a condition, whose fields have the given axes; those of field 0 are its mask's."""

    op: phi.WhileOp
    axes: Sequence[tuple[Index, ...]]

    def emit(
        self, conversion: Conversion, count: SSAValue, inits: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """The fields after at most ``count`` steps, which end when all elements are done."""
        more = any_of(conversion, inits[0]) if self.axes[0] else None

        def ending(mask: SSAValue, numbers: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return [any_of(conversion, mask)]

        return self.emit_until(conversion, count, more, inits, ending)

    def emit_until(
        self,
        conversion: Conversion,
        count: SSAValue,
        more: SSAValue | None,
        inits: Sequence[SSAValue],
        ending: Ending,
        numbers: Sequence[SSAValue] = (),
        *,
        is_counted: bool = False,
    ) -> list[SSAValue]:
        """The fields after at most ``count`` steps, and Ints that the loop carries beside them.

        If the steps are counted, the last Int is the number of the step.
        """
        op, axes = self.op, self.axes
        first = [] if more is None else [more]
        carried = [*first, *inits, *numbers]
        body = Block(arg_types=[yarr.SIZE_TYPE, *(each.type for each in carried)])
        body.args[0].name_hint = op.counter.name_hint
        start, end = 1 + len(first), 1 + len(first) + len(inits)
        fields, after = body.args[start:end], body.args[end:]
        for argument in fields:
            argument.name_hint = op.accumulator.name_hint
        body.args[1].name_hint = "more"
        conversion.bind(op.counter, Axial((), after[-1] if is_counted else body.args[0]))
        conversion.bind(op.accumulator, bundle(op.result.type, axes, fields))
        with conversion.emitting_into(body):
            conversion.masks.extend([Axial(axes[0], fields[0])] * len(first))
            conversion.block(op.body.block)
            del conversion.masks[len(conversion.masks) - len(first) :]
            _assert_kept_sizes(conversion, op, axes, fields)
            step = conversion.align_all_fully(conversion.value(op.yielded()), axes)
            if first:
                step = _masked_step(conversion, op, axes, fields, step)
                more, *rest = ending(step[0], after)
                step = [more, *step, *rest]
            conversion.emit(yarr.YieldOp(*step), op)
        result = conversion.emit(yarr.WhileOp(count, carried, Region(body)), op)
        for value in result.res:
            value.name_hint = op.result.name_hint
        return list(result.res[len(first) :])


def any_of(conversion: Conversion, mask: SSAValue) -> SSAValue:
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
            one = conversion.align(Axial(mask.axes, number_of(conversion, mask.value)), axes[field])
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


def number_of(conversion: Conversion, mask: SSAValue) -> SSAValue:
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
