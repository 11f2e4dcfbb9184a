"""Loops, branches, calls and assertions, as blocks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf, func, scf
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.analysis.loops.unrolled import is_unrolled
from ein_mlir.backends.native import abi
from ein_mlir.passes.conversions.convert_loops_to_llvm.apart import call_apart, is_apart
from ein_mlir.passes.conversions.convert_loops_to_llvm.build import known_integer
from ein_mlir.passes.conversions.convert_loops_to_llvm.conversion import (
    FLAG,
    Conversion,
    Rule,
    types_of,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.interrupts import (
    STEPS,
    ask,
    ask_after,
    count_down,
    depth_of,
    is_unlimited,
    steps_between,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.late import late_branch
from ein_mlir.passes.conversions.convert_loops_to_llvm.nests import (
    add_block,
    end_of_vectors,
    whole_vectors,
)
from ein_mlir.passes.conversions.convert_loops_to_llvm.products import clears_a_product
from ein_mlir.passes.conversions.convert_loops_to_llvm.ranges import parallel_function
from ein_mlir.passes.conversions.convert_loops_to_llvm.runs import nest_of, run_of, write
from ein_mlir.passes.conversions.convert_loops_to_llvm.slots import (
    Slots,
    read_results,
    write_arguments,
)


def for_loop(c: Conversion, op: scf.ForOp) -> None:
    """The loop of a range, and perhaps one of its steps after whole vectors."""
    if is_apart(c, op):
        call_apart(c, op)
        return
    build = c.build
    lower, upper, step = c.scalar(op.lb), c.scalar(op.ub), c.scalar(op.step)
    if (run := run_of(op)) is not None:
        c.bind(op.body.block.args[0], lower)
        write(c, run, build.nonnegative(build.difference(upper, lower)))
        return
    parts = c.all_parts(op.iter_args)
    if (vectors := whole_vectors(op)) is not None:
        middle = end_of_vectors(c, lower, upper, vectors)
        parts = steps_of(c, op, (lower, middle, step), parts)
        parts = steps_of(c, op, (middle, upper, step), parts, is_masked=True)
    else:
        parts = steps_of(c, op, (lower, upper, step), parts)
    c.bind_parts(op.res, parts)


def steps_of(
    c: Conversion,
    op: scf.ForOp,
    bounds: tuple[SSAValue, SSAValue, SSAValue],
    start: Sequence[SSAValue],
    *,
    is_masked: bool = False,
) -> Sequence[SSAValue]:
    """A block that decides, the body, and a jump back; the carried values are its arguments."""
    (lower, upper, step), build, body = bounds, c.build, op.body.block
    counter, *carried = body.args
    types = [counter_type(op), *(part for value in carried for part in types_of(value.type))]
    depth = depth_of(op.body)
    initial, limit, part = (lower, *start), upper, None
    if c.may_stop and not depth and types[0] == i64 and is_unlimited(op):
        part = build.new_block(types)
        build.branch(part, initial)
        build.block = part
        initial, limit = part.args, end_of_part(c, part.args[0], upper, step)
    head, inside, after = build.new_block(types), build.new_block(), Block()
    build.branch(head, initial)
    build.block = head
    position, *parts = head.args
    build.branch_if(build.compare("slt", position, limit), inside, (), after, ())
    build.block = inside
    c.bind(counter, position)
    c.bind_parts(carried, parts)
    with build.scope():
        last = c.run(body)
        following = build.sum(position, step)
        arguments = (following, *c.all_parts(last.operands))
        if depth:
            ask_after(c, following, step, depth)
        build.repeat(
            head,
            arguments,
            unroll=not depth,
            few_steps=abi.FEW_STEPS in op.attributes,
            as_a_whole=abi.UNROLLED in op.attributes or is_unrolled(op),
            is_masked=is_masked,
        )
    add_block(c, after)
    if part is not None:
        go_on(c, part, head.args, upper)
    return parts


def end_of_part(c: Conversion, position: SSAValue, upper: SSAValue, step: SSAValue) -> SSAValue:
    """The upper bound of a loop, or, if that comes first, the position after `STEPS`."""
    build = c.build
    most = build.product(step, build.integer(STEPS[0]))
    return build.sum(
        position, build.intrinsic("llvm.smin.i64", (build.difference(upper, position), most), i64)
    )


def go_on(c: Conversion, part: Block, values: Sequence[SSAValue], upper: SSAValue) -> None:
    """After a part of the steps of a loop: take the next ones, if there are more."""
    build = c.build
    more, after = build.new_block(), build.new_block()
    build.branch_if(build.compare("slt", values[0], upper), more, (), after, ())
    build.block = more
    with build.scope():
        ask(c)
        build.branch(part, values)
    build.block = after


def counter_type(op: scf.ForOp) -> Attribute:
    """The type of the counter of a loop."""
    type_ = op.lb.type
    return i64 if isinstance(type_, IndexType) else type_


def while_loop(c: Conversion, op: scf.WhileOp) -> None:
    """The block that decides, and the block before the jump back; it counts its steps."""
    if is_apart(c, op):
        call_apart(c, op)
        return
    build, before, body = c.build, op.before_region.block, op.after_region.block
    types = [part for value in before.args for part in types_of(value.type)]
    head, inside, after = build.new_block([i64, *types]), Block(), Block()
    build.branch(head, (steps_between(c, op), *c.all_parts(op.arguments)))
    build.block = head
    steps, *parts = head.args
    c.bind_parts(before.args, parts)
    with build.scope():
        decision = c.run(before)
        if not isinstance(decision, scf.ConditionOp):
            found = decision.name
            raise PassFailedException(f"{FLAG}: scf.while: expected scf.condition, got {found}")
        carried = c.all_parts(decision.args)
        build.branch_if(c.scalar(decision.condition), inside, (), after, ())
        add_block(c, inside)
        steps = count_down(c, steps, op)
        c.bind_parts(body.args, carried)
        build.branch(head, (steps, *c.all_parts(c.run(body).operands)))
    add_block(c, after)
    c.bind_parts(op.res, carried)


def parallel(c: Conversion, op: scf.ParallelOp) -> None:
    """Loops inside each other; the outermost become functions of a range of steps.

    A loop that clears the sums of a product is a part of that.
    """
    if op.initVals:
        raise PassFailedException(
            f"{FLAG}: scf.parallel: expected a loop without reductions{where_written(op)}"
        )
    if clears_a_product(op):
        return
    if c.loop is None:
        parallel_function(c, op)
        return
    if is_apart(c, op):
        call_apart(c, op)
        return
    bounds = [
        (c.scalar(lower), c.scalar(upper), c.scalar(step))
        for lower, upper, step in zip(op.lowerBound, op.upperBound, op.step, strict=True)
    ]
    nest_of(c, op, bounds, lambda indices: indices)


def branch(c: Conversion, op: scf.IfOp) -> None:
    """A block for each branch; their values are the arguments of the block after both.

    A size that is the same constant in both stays a constant.
    """
    build = c.build
    types = [part for value in op.output for part in types_of(value.type)]
    then, after = build.new_block(), Block(arg_types=types)
    other = build.new_block() if op.false_region.blocks else after
    is_likely = abi.LIKELY in op.attributes
    build.branch_if(c.scalar(op.cond), then, (), other, (), is_likely=is_likely)
    branches = list[Sequence[SSAValue]]()
    for block, region in ((then, op.true_region), (other, op.false_region)):
        if block is not after:
            build.block = block
            with build.scope(), late_branch(c, op, is_first=block is then):
                branches.append(c.all_parts(c.run(region.block).operands))
                build.branch(after, branches[-1])
    add_block(c, after)
    parts = list[SSAValue]()
    for part, *values in zip(after.args, *branches, strict=True):
        known = {known_integer(value) for value in values}
        number = known.pop() if len(known) == 1 else None
        parts.append(part if number is None else build.integer(number))
    c.bind_parts(op.output, parts)


def assertion(c: Conversion, op: cf.AssertOp) -> None:
    """Return the code of the message unless the condition holds."""
    c.fail_unless(c.scalar(op.arg), c.build.integer(c.program.code(op.msg.data)))


def call(c: Conversion, op: func.CallOp) -> None:
    """A call of a function of the module, or of the host program: in slots on the stack."""
    name = op.callee.root_reference.data
    callee = c.program.functions[name]
    if abi.PURE in callee.attributes:
        value = c.build.call(name, [*map(c.scalar, op.arguments)], op.res[0].type)
        assert value is not None
        c.bind(op.res[0], value)
        return
    slots = Slots(c, c.build.words(Slots.count(callee)))
    write_arguments(slots, op.arguments)
    if callee.is_declaration:
        number = c.build.integer(c.program.extern(name))
        code = c.library(abi.EXTERN, (c.call, number, slots.memory), i64)
    else:
        code = c.build.call(abi.PREFIX + name, (c.call, slots.memory), i64)
    assert code is not None
    c.fail_unless(c.build.compare("eq", code, c.build.integer(0)), code)
    read_results(slots, op.res)


RULES: dict[type[Operation], Rule] = {
    cf.AssertOp: assertion,
    func.CallOp: call,
    scf.ForOp: for_loop,
    scf.IfOp: branch,
    scf.ParallelOp: parallel,
    scf.WhileOp: while_loop,
}
