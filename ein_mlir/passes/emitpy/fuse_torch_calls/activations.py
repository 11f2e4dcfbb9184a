"""Activation functions of neural networks."""

from __future__ import annotations

import math
from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue, Use
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.dialects import emitpy
from ein_mlir.dialects.fastmath import permits
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import (
    called,
    contracted,
    either_way,
    negated,
    number,
    operands,
    with_number,
)


class Sigmoid(RewritePattern):
    """``1.0 / (1.0 + torch.exp(-x))  -->  torch.sigmoid(x)``

    Of another numerator it is a factor, if the sum is a divisor alone.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        is_whole = number(op.lhs) == 1.0
        if op.operator.data != "/" or not (is_whole or all(map(_divides, op.rhs.uses))):
            return
        match with_number(op.rhs, "+"):
            case (1.0, power):
                exponent = called(power, "torch.exp")
            case _:
                return
        if exponent is None:
            return
        x = negated(exponent)
        if x is None:
            x = rewriter.insert(emitpy.UnaryOp("-", exponent, exponent.type)).result
        if is_whole:
            rewriter.replace(op, emitpy.CallOp("torch.sigmoid", (x,), op.result.type))
        else:
            factor = rewriter.insert(emitpy.CallOp("torch.sigmoid", (x,), op.rhs.type)).result
            rewriter.replace(op, emitpy.BinaryOp(op.lhs, "*", factor, op.result.type))


def _divides(use: Use) -> bool:
    user = use.operation
    return isinstance(user, emitpy.BinaryOp) and user.operator.data == "/" and use.index == 1


class Silu(RewritePattern):
    """``x / (1.0 + torch.exp(-x))  -->  torch.nn.functional.silu(x)``, also ``x * sigmoid(x)``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        if any(x is y for x, y in _logistic_factors(op)):
            x = next(x for x, y in _logistic_factors(op) if x is y)
            name = "torch.nn.functional.silu"
            rewriter.replace(op, emitpy.CallOp(name, (x,), op.result.type))


def _logistic_factors(op: emitpy.BinaryOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The ``(x, y)`` of ``x * torch.sigmoid(y)`` and ``x / (1.0 + torch.exp(-y))``."""
    for side, other in either_way(op.result, "*"):
        y = called(other, "torch.sigmoid")
        if y is not None and other.has_one_use():
            yield side, y
    match with_number(op.rhs, "+") if op.operator.data == "/" else None:
        case (1.0, power) if power.has_one_use():
            exponent = called(power, "torch.exp")
            y = None if exponent is None else negated(exponent)
            if y is not None:
                yield op.lhs, y
        case _:
            pass


class LeakyRelu(RewritePattern):
    """``torch.where(x < 0.0, 0.01 * x, x)  -->  torch.nn.functional.leaky_relu(x, 0.01)``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.CallOp, rewriter: PatternRewriter) -> None:
        if op.callee.data != "torch.where" or op.keywords is not None:
            return
        condition, if_true, if_false = op.positional
        for operator, below, x in (
            ("<", if_true, if_false),
            ("<=", if_true, if_false),
            (">", if_false, if_true),
            (">=", if_false, if_true),
        ):
            slope = with_number(below, "*")
            if slope is not None and slope[1] is x and _compares(condition, operator, x):
                break
        else:
            return
        if 0.0 < slope[0] < math.inf:
            arguments = x, rewriter.insert(emitpy.LiteralOp(slope[0])).result
            function = "torch.nn.functional.leaky_relu"
            rewriter.replace(op, emitpy.CallOp(function, arguments, op.result.type))


def _compares(condition: SSAValue, operator: str, x: SSAValue) -> bool:
    """Whether a condition compares x with zero."""
    sides = operands(condition, operator)
    return bool(sides) and sides[0] is x and number(sides[1]) == 0.0


class Gelu(RewritePattern):
    """``x * (1.0 + torch.erf(x * sqrt(1 / 2)))  -->  2.0 * torch.nn.functional.gelu(x)``

    and the same with the approximation of the error function by ``torch.tanh``. A power of two in
    either factor is factored out.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        for side, other in either_way(op.result, "*"):
            (factor, x), (scale, sum_) = _scaled(side), _scaled(other)
            match with_number(sum_, "+"):
                case (1.0, term) if (approximate := _error_function(term, x)) is not None:
                    break
                case _:
                    pass
        else:
            return
        keywords = dict[str, SSAValue]()
        if approximate != "none":
            keywords["approximate"] = rewriter.insert(emitpy.LiteralOp(approximate)).result
        function, type_ = "torch.nn.functional.gelu", op.result.type
        result = rewriter.insert(emitpy.CallOp(function, (x,), type_, keywords)).result
        coefficient = 2.0 * factor * scale
        if coefficient != 1.0:
            coefficient = rewriter.insert(emitpy.LiteralOp(coefficient)).result
            result = rewriter.insert(emitpy.BinaryOp(coefficient, "*", result, type_)).result
        rewriter.replace(op, (), (result,))


def _scaled(value: SSAValue) -> tuple[float, SSAValue]:
    """The power of two among the factors of a value, and the other factor."""
    match with_number(value, "*"):
        case (factor, other) if is_power_of_two(factor):
            return factor, other
        case _:
            return 1.0, value


def is_power_of_two(number: float) -> bool:
    """Whether multiplication by a number, and by its inverse, does not round.

    >>> [is_power_of_two(x) for x in (0.5, 2.0, 3.0, 0.0, -1.0)]
    [True, True, False, False, False]
    """
    return math.frexp(number)[0] == 0.5


def _error_function(value: SSAValue, x: SSAValue) -> str | None:
    """The name in PyTorch of ``erf(x * sqrt(1 / 2))`` or its approximation; None for others."""
    exact = called(value, "torch.erf")
    if exact is not None:
        return "none" if with_number(exact, "*") == (math.sqrt(0.5), x) else None
    approximate = called(value, "torch.tanh")
    if approximate is None:
        return None
    match with_number(approximate, "*"):
        case (factor, sum_) if factor == math.sqrt(2 / math.pi) and _cubic(sum_, x):
            return "tanh"
        case _:
            return None


def _cubic(value: SSAValue, x: SSAValue) -> bool:
    """Whether a value is ``x + 0.044715 * (x * x * x)``."""
    for side, other in either_way(value, "+"):
        match with_number(other, "*"):
            case (0.044715, cube) if side is x and _is_cube(cube, x):
                return True
            case _:
                pass
    return False


def _is_cube(value: SSAValue, x: SSAValue) -> bool:
    """Whether a value is ``x * (x * x)`` or ``(x * x) * x``."""
    return any(
        side is x and [*operands(other, "*")] == [x, x] for side, other in either_way(value, "*")
    )


class InverseFactors(RewritePattern):
    """``0.5 * (2.0 * x)  -->  x``, ``0.5 * ((2.0 * x) @ y)  -->  x @ y``, with ``reassoc``

    ``2.0 * x`` may overflow, which ``x`` does not.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        match with_number(op.result, "*"):
            case (factor, product) if is_power_of_two(factor) and permits(op, "reassoc"):
                pass
            case _:
                return
        inner = with_number(product, "*")
        if inner is not None and inner[0] * factor == 1.0:
            rewriter.replace(op, (), (inner[1],))
            return
        contraction = _contraction(product) if product.has_one_use() else None
        if contraction is None:
            return
        for place, operand in enumerate(contraction.operands):
            inner = with_number(operand, "*")
            if inner is not None and inner[0] * factor == 1.0 and operand.has_one_use():
                contraction.operands[place] = inner[1]
                rewriter.replace(op, (), (product,))
                return


def _contraction(value: SSAValue) -> Operation | None:
    """The operation of which some operands are the factors of a contraction."""
    op, found = value.owner, contracted(value)
    if isinstance(op, emitpy.BinaryOp) and op.operator.data == "@":
        return op
    return None if found is None else found[1]
