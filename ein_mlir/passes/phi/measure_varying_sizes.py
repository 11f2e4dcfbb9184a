"""``measure-varying-sizes``: sizes that vary with loops are checked and bounded before them."""

from __future__ import annotations

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import LinearForm
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.varying_sizes import UnprovedSize, varying_sizes
from ein_mlir.analysis.scopes import around, home_of, inputs_of, is_defined_in, is_within, reached
from ein_mlir.dialects import phi
from ein_mlir.rewriting.dead_code import erase_unused
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.bounds import bound_value, place_of
from ein_mlir.rewriting.phi.fields import Parts, extended, fields_behind
from ein_mlir.rewriting.phi.insertion import Builder


def largest_size(op: phi.ComprehensionOp | phi.CountedOp, size: SSAValue) -> SSAValue | None:
    """The largest value of a size that an operation in loops requires, by loops before these.

    ::

        phi.fold (%k < %n, %acc = %x) {               phi.fold (%k < %n, %most = %zero) {
          %m = arith.subi %p, %k                        %m = arith.subi %p, %k
          %v = phi.array (%i < %m) { .. }     -->       %v = phi.array (%i < %m) { %i }
          ..                                            %next = arith.maxsi %most, %m
        }                                             }

    They fail where the other loops would. None if a step needs an index of a comprehension.
    """
    place, copies = place_of(op.results[0]), dict[SSAValue, SSAValue]()
    before = Builder.before(place)
    zero, copy = before.integer(0), before.copy(place, copies)
    own, size = copies[op.results[0]].owner, copies.get(size, size)
    inside = around(own.parent_op())
    loops = [each for each in inside if isinstance(each, phi.FoldOp | phi.WhileOp)]
    largest = [loop.body.block.insert_arg(i64, len(loop.body.block.args)) for loop in loops]
    blocks = [*(loop.body.block for loop in loops), place.parent]
    builders = [*(Builder.before_end(loop.body.block) for loop in loops), before]
    following = _computed(builders[0], size, blocks[0])
    if following is not None:
        following = _checked(builders[0], own, size, following, largest[0])
    for k, loop in enumerate(loops):
        if following is not None:
            first = largest[k + 1] if k + 1 < len(loops) else zero
            following = _last_field(extended(loop, largest[k : k + 1], [first], [following]))
            largest[k].replace_all_uses_with(zero)  # the loop may remain, for its other results
            loop.body.block.erase_arg(largest[k])
            following = _computed(builders[k + 1], following, blocks[k + 1])
    Rewriter.erase_op(copy)
    return following


def _computed(build: Builder, value: SSAValue, block: Block | None) -> SSAValue | None:
    """A value of a body inside of a block, in the block; None if it varies with an index."""

    def is_inside(each: SSAValue) -> bool:
        return block is not None and is_within(each, block) and not is_defined_in(each, block)

    found = reached([value], lambda each: inputs_of(each) if is_inside(each) else ())
    if any(is_inside(x) and isinstance(x.owner, Block) for x in found):
        return None
    return build.recomputed(value, {}, is_inside)


def _last_field(loop: phi.FoldOp | phi.WhileOp) -> SSAValue:
    """The last field of the accumulator after a loop, by one of the fields that it depends on."""
    build = Builder.before(loop)
    inits = build.leaves(loop.init)
    parts, last = Parts(loop, inits), len(inits) - 1
    needed = sorted(fields_behind(loop, {last, *((0,) if isinstance(loop, phi.WhileOp) else ())}))
    result = parts.finals(needed, parts.inserted(needed)[1])[last]
    Rewriter.erase_op(loop)
    return result


def _checked(
    build: Builder, op: Operation | Block, size: SSAValue, value: SSAValue, largest: SSAValue
) -> SSAValue:
    """The larger one of a size and the largest before, from an operation that requires it.

    A pass may drop an error together with its value, so the value is used.
    """
    if isinstance(op, phi.CountedOp):
        largest = build.fold_over(value, largest, lambda _, counter, most: most, [op.counter])
        return build.max(largest, value)
    assert isinstance(op, phi.ComprehensionOp)
    names = [index for index, own in zip(op.indices, op.sizes, strict=True) if own is size]
    array = build.comprehension([value], lambda _, own: value, names)
    return build.max(largest, build.get(array, [build.integer(0)]))


def measure(found: UnprovedSize) -> bool:
    """Replace a size by an equal one that is a size and bounded; False if that is impossible."""
    largest = largest_size(found.op, found.size)
    if largest is None:
        return False
    tests, size = _tests_of(found), _measured(found, largest)
    for number, operand in enumerate(found.op.operands):
        if operand is found.size and found.op.size_or_count(number) is not None:
            found.op.operands[number] = size
    for op in tests:
        op.operands[1] = size
    return True


def _tests_of(found: UnprovedSize) -> list[arith.CmpiOp]:
    """The comparisons ``.. < m`` after an operation, so that they are seen to test its size."""
    block = home_of(found.op)
    behind = set(list(block.ops)[block.get_operation_index(found.op) + 1 :])
    users = [use.operation for use in found.size.uses if use.index == 1]
    return [
        op
        for op in users
        if isinstance(op, arith.CmpiOp) and any(each in behind for each in around(op))
    ]


def _measured(found: UnprovedSize, largest: SSAValue) -> SSAValue:
    """``m = max(min(m, N), 0)``, for the largest one, ``N``."""
    build = Builder.before(place_of(found.op.results[0]))
    bound = bound_value(build, LinearForm.of(largest))
    build = Builder.before(found.op)
    return build.max(build.min(found.size, bound), 0)


class MeasureVaryingSizesPass(FunctionPass):
    """Checks sizes and counts that vary from step to step before the loop, and bounds them.

    Before::

        %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
          phi.fold (%j < %counts[%k], %s = %acc) -> f64 { .. }
        }

    After::

        %largest = phi.fold (%k < %n, %most = %none) -> i64 {
          %checked = phi.fold (%j < %counts[%k], %s = %most) -> i64 { %s }
          phi.yield max(%most, %counts[%k]) : i64
        }
        %N = ..                                          // %largest, as the size of an array
        %r = phi.fold (%k < %n, %acc = %zero) -> f64 {
          phi.fold (%j < max(min(%counts[%k], %N), 0), %s = %acc) -> f64 { .. }
        }

    The first loop computes numbers only, and a library that compiles loops runs it before it
    compiles. That of a loop by a condition carries the condition, too. Proved sizes stay.
    """

    name = "measure-varying-sizes"
    looks_for = (phi.FoldOp, phi.WhileOp)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        # One after the other, since the bound of one may bound others.
        ops = [each.op for each in analyses.get(varying_sizes, function).unproved]
        for op in dict.fromkeys(ops):
            for _ in op.operands:
                varying = analyses.get(varying_sizes, function)
                found = next((each for each in varying.unproved if each.op is op), None)
                if found is None or not measure(found):
                    break
                analyses.note(op, "a size that varies is computed before the loop")
                analyses.invalidate(function)
        if ops:
            erase_unused(function.body.block)
            analyses.invalidate(function)
