"""``hoist-reciprocals``: terms of sums are multiplied by the reciprocal of a fixed divisor."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile

from xdsl.builder import Builder
from xdsl.dialects import arith, func, math, scf
from xdsl.dialects.builtin import Float32Type, Float64Type, FloatAttr, f32, f64
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue, Use
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.loops.rare_steps import is_often_zero
from ein_mlir.analysis.loops.unrolled import known_range
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import around, block_of, is_known_at, operations_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.rewriting.passes import FunctionPass

LEAST_STEPS = 8
"""The least known steps of a loop that repay a reciprocal."""


@dataclass(frozen=True)
class _Format:
    """Numbers of a type of floats."""

    least: float
    """The least normal one."""
    scale: float
    """A factor by which those below are multiplied."""
    below_one: float
    """The greatest one below 1."""


_FORMATS: Mapping[Attribute, _Format] = {
    f64: _Format(2.0**-1022, 2.0**100, 1 - 2.0**-53),
    f32: _Format(2.0**-126, 2.0**60, 1 - 2.0**-24),
}

_CONTRACTED = arith.FastMathFlagsAttr([FastMathFlag.ALLOW_CONTRACT])


# Analysis ---------------------------------------------------------------------------------------


class _Terms:
    """Finds factors, numerators and summands of terms of sums."""

    def __init__(self):
        self._known = dict[SSAValue, bool]()

    def include(self, value: SSAValue) -> bool:
        """Whether a value is only that: an error of rounding is then one of the sum."""
        if value not in self._known:
            self._known[value] = value.first_use is not None and all(map(self._takes, value.uses))
        return self._known[value]

    def _takes(self, use: Use) -> bool:
        user = use.operation
        match user:
            case arith.AddfOp() | arith.SubfOp() if FastMathFlag.REASSOC in user.fastmath.data:
                return True
            case arith.AddfOp() | arith.SubfOp() | arith.MulfOp() | arith.NegfOp():
                return self.include(user.results[0])
            case arith.DivfOp():
                return use.index == 0 and self.include(user.result)
            case arith.SelectOp():
                return use.index > 0 and self.include(user.result)
            case scf.YieldOp() if isinstance(branch := user.parent_op(), scf.IfOp):
                return self.include(branch.results[use.index])
            case _:
                return False


def _is_repaid(op: arith.DivfOp) -> bool:
    """Whether a loop around a quotient, which may take many steps, does not change its divisor."""
    block = block_of(op.rhs)
    place = None if block is None else block.find_ancestor_op_in_block(op)
    if place is None or place is op:
        return False
    loops = takewhile(lambda each: each.parent is not block, around(op))
    return any(map(_may_be_long, (*loops, place))) and not is_known_at(op.lhs, place)


def _may_be_long(loop: Operation) -> bool:
    """Whether an operation is a loop that may take many steps, and seldom takes none."""
    if not isinstance(loop, scf.ForOp):
        return isinstance(loop, scf.ParallelOp | scf.WhileOp)
    steps = known_range(loop)
    return (steps is None or len(steps) >= LEAST_STEPS) and not is_often_zero(loop.ub)


# Rewriting --------------------------------------------------------------------------------------


def _reciprocal(divisor: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The scale of a divisor, and the reciprocal of their product, rounded towards zero.

    So no product with the reciprocal is larger than the quotient. The reciprocal of a number below
    the least normal one could be infinite, so these are scaled, and numerators like them.
    """
    type_ = divisor.type
    assert isinstance(type_, Float32Type | Float64Type)
    format_, owner = _FORMATS[type_], divisor.owner
    place = InsertPoint.at_start(owner) if isinstance(owner, Block) else InsertPoint.after(owner)
    builder = Builder(place)

    def number(value: float) -> SSAValue:
        return builder.insert(arith.ConstantOp(FloatAttr(value, type_))).result

    zero, one = number(0.0), number(1.0)
    size = builder.insert(math.AbsFOp(divisor)).result
    is_small = builder.insert(arith.CmpfOp(size, number(format_.least), "olt")).result
    scale = builder.insert(arith.SelectOp(is_small, number(format_.scale), one)).result
    scaled = builder.insert(arith.MulfOp(divisor, scale)).result
    nearest = builder.insert(arith.DivfOp(one, scaled)).result
    error = builder.insert(math.FmaOp(nearest, scaled, number(-1.0))).result
    is_above = builder.insert(arith.CmpfOp(error, zero, "ogt")).result
    less = builder.insert(arith.MulfOp(nearest, number(format_.below_one))).result
    return scale, builder.insert(arith.SelectOp(is_above, less, nearest)).result


def hoist_reciprocals(function: func.FuncOp) -> int:
    """Multiply where quotients are terms of sums; the number of divisors."""
    terms, found = _Terms(), dict[SSAValue, tuple[SSAValue, SSAValue]]()
    for op in operations_of(function, arith.DivfOp):
        divisor = op.rhs
        if op.result.type not in _FORMATS or not (_is_repaid(op) and terms.include(op.result)):
            continue
        if divisor not in found:
            found[divisor] = _reciprocal(divisor)
        scale, reciprocal = found[divisor]
        scaled = arith.MulfOp(op.lhs, scale)
        Rewriter.insert_op(scaled, InsertPoint.before(op))
        Rewriter.replace_op(op, arith.MulfOp(scaled.result, reciprocal, _CONTRACTED))
    return len(found)


class HoistReciprocalsPass(FunctionPass):
    """Multiplies terms of sums by reciprocals where a loop does not change their divisors.

    Before::

        %s = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
          %w = memref.load %weights[%j] : memref<?xf64>
          %q = arith.divf %w, %z : f64
          %next = arith.addf %acc, %q fastmath<reassoc,contract> : f64
          scf.yield %next : f64
        }

    After, with a %scale that is 1 unless %z is below the least normal number::

        %scaled = arith.mulf %z, %scale : f64
        %nearest = arith.divf %one, %scaled : f64
        %reciprocal = .. %nearest, or the number below it ..
        %s = scf.for %j = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f64) {
          %w = memref.load %weights[%j] : memref<?xf64>
          %0 = arith.mulf %w, %scale : f64
          %q = arith.mulf %0, %reciprocal : f64
          %next = arith.addf %acc, %q fastmath<reassoc,contract> : f64
          scf.yield %next : f64
        }

    A quotient takes as long as some 16 products. A sum of quotients may be rounded in another way;
    values that are stored, compared or arguments of functions are divided. The reciprocal is
    rounded towards zero, so no product overflows where the quotient does not.
    """

    name = "hoist-reciprocals"
    looks_for = (arith.DivfOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if number := hoist_reciprocals(function):
            analyses.note(function, f"{number} divisors of terms of sums are reciprocals")
