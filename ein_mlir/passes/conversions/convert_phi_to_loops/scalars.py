"""Rules for scalar operators: those that upstream dialects define otherwise are expanded.

Upstream, these are undefined: a division by zero or of the least Int by -1, a shift beyond the
width, and the integer of a float that does not fit. ``docs/semantics.md`` defines them all.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    UnitAttr,
    f16,
    f32,
    f64,
    i1,
    i32,
)
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from ein_mlir.analysis.diagnostics import where_written
from ein_mlir.backends.native.abi import UNPREDICTABLE
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.creation import copy_of
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.divisions import (
    ceildivsi,
    ceildivui,
    divsi,
    divui,
    floordivsi,
    floormod,
    remsi,
    remui,
)
from ein_mlir.passes.conversions.convert_phi_to_loops.expander import Expander
from ein_mlir.passes.conversions.convert_phi_to_loops.powers import (
    fpowi,
    ipowi,
    powf,
    shifted,
    shrsi,
)
from ein_mlir.passes.conversions.convert_phi_to_loops.values import checked


def constant(conversion: Conversion, op: arith.ConstantOp) -> None:
    """A literal."""
    value = op.value
    if not isinstance(value, IntegerAttr | FloatAttr) or not phi.is_scalar_type(op.result.type):
        raise PassFailedException(
            f"arith.constant: '{op.result.type}' is not a scalar of the phi dialect"
            + where_written(op)
        )
    conversion.bind(op.result, [conversion.constant(value)])


def index_cast(conversion: Conversion, op: arith.IndexCastOp) -> None:
    """An index as an Int."""
    conversion.bind(op.result, [conversion.cast(conversion.scalar(op.input), op.result.type)])


def scalar_operator(conversion: Conversion, op: Operation) -> None:
    """The same operator, or its expansion."""
    for value in (*op.operands, *op.results):
        if not phi.is_scalar_type(value.type):
            raise PassFailedException(
                f"{op.name}: operates on scalars, not on '{value.type}'; use phi.array to apply it "
                "to each element" + where_written(op)
            )
    operands = [conversion.scalar(operand) for operand in op.operands]
    expansion = EXPANSIONS.get(type(op))
    if expansion is None:
        mapper = dict(zip(op.operands, operands, strict=True))
        result = conversion.emit(copy_of(op, mapper), op).results[0]
    else:
        result = expansion(Expander(conversion, op), *operands)
        result.name_hint = result.name_hint or op.results[0].name_hint
    conversion.bind(op.results[0], [result])


def sign(build: Expander, x: SSAValue) -> SSAValue:
    """-1, 0 or 1; NaN for NaN."""
    zero, one = build.number(0), build.number(1)
    if isinstance(build.type, Float32Type | Float64Type):
        # The sum is 0 for both zeros.
        same, other = build.do(arith.AddfOp, x, zero), build.do(math.CopySignOp, one, x)
        return build.choose(build.is_(x, "one", zero), other, same)
    negative = build.choose(build.is_(x, "slt", zero), build.number(-1), zero)
    return build.choose(build.is_(x, "sgt", zero), one, negative)


# Conversion of floats ---------------------------------------------------------------------------


def _to_integer(
    operation: Callable[..., Operation], *, signed: bool
) -> Callable[[Expander, SSAValue], SSAValue]:
    def expand(build: Expander, x: SSAValue) -> SSAValue:
        """The integer part; the least integer if it does not fit, and for NaN.

        The test leaves out floats whose integer part is the least integer: that is chosen for them.
        """
        magnitude = build.do(math.AbsFOp, x) if signed else x
        limit = build.number(2.0 ** (build.width - signed), x.type)
        fits = build.is_(magnitude, "olt", limit)
        if not signed:
            fits = build.do(arith.AndIOp, build.is_(x, "oge", build.number(0.0, x.type)), fits)
        lowest = build.number(-(2 ** (build.width - 1)) if signed else 0)
        chosen = build.choose(fits, build.do(operation, x, build.type), lowest)
        assert isinstance(chosen.owner, arith.SelectOp)
        # A branch takes longer, if always taken.
        chosen.owner.attributes[UNPREDICTABLE] = UnitAttr()
        return chosen

    return expand


def sitofp(build: Expander, x: SSAValue) -> SSAValue:
    """An Int as a float; a count of two Bools is a sum of chosen numbers.

    Vectors of Bools are masks, which choose in one instruction and become Ints in several.
    """
    counted = x.owner.operands if isinstance(x.owner, arith.AddiOp) else (x,)
    bools = [each.owner.operands[0] for each in counted if isinstance(each.owner, arith.ExtUIOp)]
    if len(bools) < len(counted) or any(each.type != i1 for each in bools):
        return build.do(arith.SIToFPOp, x, build.type)
    numbers = [build.choose(each, build.number(1), build.number(0)) for each in bools]
    return reduce(lambda a, b: build.do(arith.AddfOp, a, b), numbers)


def truncf(build: Expander, x: SSAValue) -> SSAValue:
    """The nearest float of fewer bits.

    From f64 to f16 by way of an f32 whose last digit is odd if it is not exact: so the second
    rounding never starts from a false tie. Processors have no instruction for both at once.
    """
    if checked(build.type) != f16 or x.type != f64:
        return build.do(arith.TruncFOp, x, build.type)
    near = build.do(arith.TruncFOp, x, f32)
    back = build.do(arith.ExtFOp, near, f64)
    is_away = build.is_(build.do(math.AbsFOp, back), "ogt", build.do(math.AbsFOp, x))
    bits = build.do(arith.BitcastOp, near, i32)
    towards_zero = build.do(arith.SubiOp, bits, build.do(arith.ExtUIOp, is_away, i32))
    is_inexact = build.do(arith.ExtUIOp, build.is_(back, "une", x), i32)
    odd = build.do(arith.BitcastOp, build.do(arith.OrIOp, towards_zero, is_inexact), f32)
    return build.do(arith.TruncFOp, odd, build.type)


EXPANSIONS: dict[type[Operation], Callable[..., SSAValue]] = {
    arith.FloorDivSIOp: floordivsi,
    arith.CeilDivSIOp: ceildivsi,
    arith.CeilDivUIOp: ceildivui,
    arith.DivSIOp: divsi,
    arith.RemSIOp: remsi,
    arith.DivUIOp: divui,
    arith.RemUIOp: remui,
    arith.ShLIOp: shifted(arith.ShLIOp),
    arith.ShRUIOp: shifted(arith.ShRUIOp),
    arith.ShRSIOp: shrsi,
    arith.FPToSIOp: _to_integer(arith.FPToSIOp, signed=True),
    arith.FPToUIOp: _to_integer(arith.FPToUIOp, signed=False),
    arith.SIToFPOp: sitofp,
    arith.TruncFOp: truncf,
    math.IPowIOp: ipowi,
    math.FPowIOp: fpowi,
    math.PowFOp: powf,
    sigma.FloorModOp: floormod,
    sigma.SignOp: sign,
}
"""The operators whose meaning differs upstream."""
