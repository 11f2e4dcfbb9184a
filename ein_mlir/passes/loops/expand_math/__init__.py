"""``expand-math``: functions of ``math`` become arithmetic, which vectorises.

- `exponentials`, `logarithms`, `powers`, `circular`, `inverse_circular`, `error_function`: the
  formulas; docs/backends.md has their errors
- `numbers`: formulas with the operators of Python
"""

from __future__ import annotations

import math as python_math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from xdsl.builder import Builder
from xdsl.dialects import arith, func, math, scf
from xdsl.dialects.builtin import FloatAttr, IndexType, ModuleOp, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.constants import known_float, known_int
from ein_mlir.analysis.loops.reductions import is_reduction
from ein_mlir.analysis.loops.single_steps import in_single_steps
from ein_mlir.analysis.loops.unrolled import is_unrolled
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.backends.native import abi
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.loops.expand_math import (
    circular,
    error_function,
    exponentials,
    inverse_circular,
    logarithms,
    powers,
)
from ein_mlir.passes.loops.expand_math.numbers import FORMATS, Formula, Number
from ein_mlir.rewriting.passes import FunctionPass

FORMULAS: dict[type[Operation], Callable[[Formula, Number], Number]] = {
    math.AcosOp: inverse_circular.acos,
    math.AsinOp: inverse_circular.asin,
    math.AtanOp: inverse_circular.atan,
    math.CbrtOp: powers.cbrt,
    math.CoshOp: exponentials.cosh,
    math.ErfOp: error_function.erf,
    math.ExpOp: exponentials.exp,
    math.Exp2Op: exponentials.exp2,
    math.ExpM1Op: exponentials.expm1,
    math.LogOp: logarithms.log,
    math.Log10Op: logarithms.log10,
    math.Log1pOp: logarithms.log1p,
    math.Log2Op: logarithms.log2,
    math.SinhOp: exponentials.sinh,
    math.TanhOp: exponentials.tanh,
}
"""Class of an operation -> its formula; functions without one stay calls of the C library."""

MOST_REPEATED = 40
"""The most operations of a loop whose last steps are a loop of their own."""

MOST_COPIES = 4
"""The most copies of a formula in a loop over a border: more take longer to compile than to run."""


@dataclass(frozen=True)
class Partial:
    """A formula that is not for all numbers."""

    formula: Callable[..., Number]
    is_rare: Callable[..., SSAValue]
    """Whether the formula is not for some numbers."""


PARTIAL: dict[type[Operation], Partial] = {
    math.Atan2Op: Partial(inverse_circular.atan2, inverse_circular.is_rare),
    math.CosOp: Partial(circular.cos, circular.is_rare),
    math.PowFOp: Partial(powers.pow, powers.is_rare),
    math.SinOp: Partial(circular.sin, circular.is_rare),
    math.TanOp: Partial(circular.tan, circular.is_rare),
}
"""Class of an operation -> its formula."""

POWERS: dict[float | None, Partial] = {
    1.5: Partial(powers.three_halves, powers.is_beyond),
    -1.5: Partial(powers.inverse_three_halves, powers.is_beyond),
}
"""Exponent -> the formula of this power."""


_WHOLE = Partial(powers.whole, powers.is_no_small_int)
"""The formula of powers whose exponents are Ints."""

_OF_SOME = (math.Atan2Op, math.PowFOp)
_OF_ANY_NUMBER = frozenset((*FORMULAS, *PARTIAL)).difference(_OF_SOME)
_EXACT_CALLS = frozenset((*FORMULAS, *PARTIAL)).difference(
    (math.CbrtOp, math.CoshOp, math.Log10Op, math.SinhOp, math.TanhOp)
)
"""Functions that C libraries compute within 1 unit."""
_LOOPS = (scf.ForOp, scf.ParallelOp)


class ExpandMathPass(FunctionPass):
    """Functions become arithmetic without branches, within 1 unit in the last place.

    Before::

        %y = math.tanh %x : f64
        %z = math.sin %x : f64

    After::

        %0 = math.absf %x : f64
        ...
        %8 = math.fma %1, %6, %7 : f64
        ...
        %y = math.copysign %40, %x : f64
        %z = func.call @math.sin.f64(%x) : (f64) -> f64

    A call of the C library is not vectorised, and takes longer than the operations. Results of f32
    are within 2 units. Infinities, NaN, -0.0 and subnormal numbers have their results.

    Powers of 0.5 and -0.5 are roots and their inverses, the latter within 1.5 units. Those of 1.5
    and -1.5, as in laws of gravity, are products with roots. Those with the base 2 are ``exp2``,
    which is exact for whole numbers. Powers that are marked as those of Ints are products if the
    exponent is at most 63, with the rounding of each.

    Some formulas are not for all numbers: those of sine and cosine not for huge ones, that of a
    power not for a negative base. These are left to the C library. This branch is in a function of
    its own, which `convert-loops-to-llvm` also makes for several numbers at a time: there it is
    taken if any of them is rare.

    So are formulas that are repeated in loops over few steps at a border, which are not vectorised:
    a call takes a little longer there, and much less time to compile.

    Functions for which the steps of a loop wait, or beside loops, are not vectorised either. They
    stay calls, which take half the time of a formula there, if C libraries compute them as exactly.

    A loop over the elements of a row that computes formulas is marked, ``ein.costly``: its steps
    after the last whole vector will be a vector with a mask. So is one of few known steps that is
    unrolled, ``ein.unrolled``, which its operations would not tell any more.
    """

    name = "expand-math"
    looks_for = (*FORMULAS, *PARTIAL)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        if abi.PURE not in function.attributes:
            ops = [of_base_two(op) or op for op in operations_in(function)]
            called = {
                op for loop in ops if abi.FEW_STEPS in loop.attributes for op in repeated(loop)
            }
            for op in ops:
                if isinstance(op, _LOOPS) and is_costly(op):
                    op.attributes[abi.COSTLY] = UnitAttr()
                if is_unrolled(op):
                    op.attributes[abi.UNROLLED] = UnitAttr()
            single = set(in_single_steps(op for op in ops if is_exact_call(op)))
            for op in ops:
                if op in single:
                    continue
                if op.results and op.results[0].type in FORMATS:
                    if isinstance(op, math.PowFOp) and known_float(op.rhs) in (0.5, -0.5):
                        expand_root(op)
                    elif type(op) in PARTIAL or op in called:
                        call_function(op, function)
                    elif type(op) in FORMULAS:
                        expand(op)


def is_exact_call(op: Operation) -> bool:
    """Whether the C library computes a function within a unit, one number in less time."""
    power = isinstance(op, math.PowFOp) and (
        abi.WHOLE in op.attributes or known_float(op.rhs) in (0.5, -0.5, *POWERS)
    )
    return type(op) in _EXACT_CALLS and not power


def is_costly(loop: scf.ForOp | scf.ParallelOp) -> bool:
    """Whether a loop in others is vectorised, and computes functions: so are its last steps then.

    A function of one number takes as long as that of a vector, and rows may be short. A loop of a
    known number of steps has no others, and one of many operations would take long to compile
    twice. The lanes beyond the end are zeros, which are rare for powers.
    """
    body = loop.body.block
    if isinstance(loop, scf.ForOp):
        outer, upper, step = [], loop.ub, loop.step
        if not is_reduction(loop):
            return False
    else:
        (*outer, upper), step = loop.upperBound, loop.step[-1]
    return (
        (bool(outer) or isinstance(loop.parent_op(), _LOOPS))
        and isinstance(step.type, IndexType)
        and known_int(step) == 1
        and known_int(upper) is None
        and any(type(op) in _OF_ANY_NUMBER for op in body.ops)
        and not any(isinstance(op, (*_LOOPS, scf.WhileOp, *_OF_SOME)) for op in body.ops)
        and len(operations_in(loop)) <= MOST_REPEATED
    )


def repeated(loop: Operation) -> Iterator[Operation]:
    """The operations of a loop whose formula would be in it more than `MOST_COPIES` times."""
    ops = [op for op in operations_in(loop) if type(op) in FORMULAS]
    times = Counter(map(type, ops))
    return (op for op in ops if times[type(op)] > MOST_COPIES)


def expand(op: Operation) -> None:
    """Replace an operation by its formula."""
    result = op.results[0]
    formula = Formula(FORMATS[result.type])  # pyright: ignore[reportArgumentType]
    value = FORMULAS[type(op)](formula, Number(formula, op.operands[0])).value
    block = op.parent
    assert block is not None
    block.insert_ops_before(formula.ops, op)
    value.name_hint = result.name_hint
    result.replace_all_uses_with(value)
    op.detach()
    op.erase()


def of_base_two(op: Operation) -> Operation | None:
    """``2.0 ** x --> exp2 x``, in place; None for others."""
    if not isinstance(op, math.PowFOp) or known_float(op.lhs) != 2.0:
        return None
    power = math.Exp2Op(op.rhs)
    Rewriter.replace_op(op, power)
    return power


def expand_root(op: math.PowFOp) -> None:
    """``x ** 0.5 --> select(x == -inf, inf, sqrt x + 0.0)``, and its inverse for ``x ** -0.5``

    A root of -0.0 is -0.0, and that of minus infinity is NaN; powers are 0.0 and infinity.
    """
    build = Builder(InsertPoint.before(op))

    def number(value: float) -> SSAValue:
        return build.insert(arith.ConstantOp(FloatAttr(value, op.lhs.type))).result  # pyright: ignore

    root = build.insert(math.SqrtOp(op.lhs)).result
    infinity = number(python_math.inf)
    is_least = build.insert(arith.CmpfOp(op.lhs, number(-python_math.inf), "oeq")).result
    positive = build.insert(arith.AddfOp(root, number(0.0))).result
    power: Operation = arith.SelectOp(is_least, infinity, positive)
    if known_float(op.rhs) == -0.5:
        power = arith.DivfOp(number(1.0), build.insert(power).results[0])
    Rewriter.replace_op(op, power)


def call_function(op: Operation, function: func.FuncOp) -> None:
    """Replace an operation by a call of the function of its formula, which is added if needed."""
    module = function.parent_op()
    assert isinstance(module, ModuleOp)
    name = f"{op.name}.{op.results[0].type}"
    partial = partial_formula(op)
    if partial is not None and partial is not PARTIAL.get(type(op)):
        name = f"{name}.{partial.formula.__name__}"
    known = {each.sym_name.data for each in module.ops if isinstance(each, func.FuncOp)}
    if name not in known:
        module.body.block.add_op(function_of(op, name))
    call = func.CallOp(name, op.operands, [op.results[0].type])
    call.results[0].name_hint = op.results[0].name_hint
    Rewriter.replace_op(op, call)


def partial_formula(op: Operation) -> Partial | None:
    """The formula of an operation that is not for all numbers."""
    if isinstance(op, math.PowFOp) and (power := POWERS.get(known_float(op.rhs))):
        return power
    return _WHOLE if abi.WHOLE in op.attributes else PARTIAL.get(type(op))


def function_of(op: Operation, name: str) -> func.FuncOp:
    """The function of a formula; one for all numbers is for loops that are not vectorised."""
    type_ = op.results[0].type
    block = Block(arg_types=[type_] * len(op.operands))
    partial = partial_formula(op)
    value = _partial(op, partial, block) if partial else _whole(op, block)
    block.add_op(func.ReturnOp(value))
    inputs = [argument.type for argument in block.args]
    function = func.FuncOp(name, (inputs, [type_]), Region([block]), visibility="private")
    function.attributes[abi.PURE] = UnitAttr()
    if not partial:
        function.attributes[abi.FEW_STEPS] = UnitAttr()
    return function


def _whole(op: Operation, block: Block) -> SSAValue:
    """The value of a formula for all numbers."""
    formula = Formula(FORMATS[op.results[0].type])  # pyright: ignore[reportArgumentType]
    value = FORMULAS[type(op)](formula, Number(formula, block.args[0])).value
    block.add_ops(formula.ops)
    return value


def _partial(op: Operation, partial: Partial, block: Block) -> SSAValue:
    """The value of a formula that is not for all numbers."""
    block.add_ops(_branch(op, partial, block.args))
    assert block.last_op is not None
    return block.last_op.results[0]


def _branch(op: Operation, partial: Partial, numbers: Sequence[SSAValue]) -> list[Operation]:
    """``is_rare(x) ? library(x) : formula(x)``; large Ints have the formula of all exponents."""
    type_ = op.results[0].type
    condition = Formula(FORMATS[type_])  # pyright: ignore[reportArgumentType]
    rare = partial.is_rare(condition, *(Number(condition, each) for each in numbers))
    formula = Formula(condition.format)
    value = partial.formula(formula, *(Number(formula, each) for each in numbers)).value
    others: list[Operation] = [type(op).create(operands=numbers, result_types=[type_])]
    if partial is _WHOLE:
        others = _branch(op, PARTIAL[type(op)], numbers)
    branch = scf.IfOp(
        rare,
        [type_],
        Region([Block([*others, scf.YieldOp(others[-1].results[0])])]),
        Region([Block([*formula.ops, scf.YieldOp(value)])]),
    )
    return [*condition.ops, branch]
