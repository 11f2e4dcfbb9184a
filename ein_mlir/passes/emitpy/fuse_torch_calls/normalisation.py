"""Functions of all elements along one axis: softmax, and layer normalisation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from xdsl.dialects import func
from xdsl.dialects.builtin import TensorType
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.analysis.emitpy.shapes import PythonShapes, Size
from ein_mlir.analysis.hints import isa
from ein_mlir.backends.torch import tables
from ein_mlir.dialects import emitpy
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import (
    as_row,
    called,
    contracted,
    either_way,
    extreme,
    length,
    negated,
    number,
    operands,
    rank,
    reduced,
    repeated,
    repeated_along_last,
    summed_along_last,
    with_number,
)

LAYER_NORM = "torch.layer_norm"
RMS_NORM = "torch.rms_norm"
LOG_SUM_EXP = "torch.log_sum_exp"


class PatternOfSizes(RewritePattern):
    """A pattern that asks for the sizes of the arrays of a function."""

    def __init__(self, function: func.FuncOp):
        self._function = function

    @cached_property
    def _shapes(self) -> PythonShapes:
        return PythonShapes(self._function, tables.ELEMENTWISE)


class Softmax(RewritePattern):
    """``e / e.sum(dim=1)[:, None]  -->  torch.softmax(x, 1)``

    for ``e = torch.exp(x - amax(x, (1,))[:, None])`` without other users; also for
    ``e * (1.0 / e.sum(dim=1))[:, None]``, since the sum is at least 1.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        for powers, axis, total in _divided(op):
            shifted = powers_below_the_largest(powers)
            is_sum = reduced(total, "sum") == (powers, axis) and powers.uses.get_length() == 2
            if is_sum and shifted is not None and shifted[1] == axis:
                _call_along(rewriter, op, "torch.softmax", *shifted)
                return


def _call_along(
    rewriter: PatternRewriter, op: emitpy.BinaryOp, function: str, x: SSAValue, axis: int
) -> None:
    """``torch.softmax(x, 1)``"""
    dim = rewriter.insert(emitpy.LiteralOp(axis)).result
    rewriter.replace(op, emitpy.CallOp(function, (x, dim), op.result.type))


def _divided(op: emitpy.BinaryOp) -> Iterator[tuple[SSAValue, int, SSAValue]]:
    """The ``(x, 1, s)`` of ``x / s[:, None]`` and ``x * (1.0 / s)[:, None]``."""
    axes = rank(op.result)
    for axis in range(axes):
        if op.operator.data == "/" and (column := repeated(op.rhs, axis, axes)) is not None:
            yield op.lhs, axis, column
        for side, other in either_way(op.result, "*"):
            column = repeated(other, axis, axes)
            sides = () if column is None else operands(column, "/")
            if sides and number(sides[0]) == 1.0:
                yield side, axis, sides[1]


class LogSoftmax(RewritePattern):
    """``d - torch.log(torch.exp(d).sum(dim=1))[:, None]  -->  torch.log_softmax(x, 1)``

    for ``d = x - m[:, None]`` and ``m = amax(x, (1,))``; also for
    ``x - (m + torch.log(torch.exp(d).sum(dim=1)))[:, None]``, which is ``x - log_sum_exp(x, 1)``.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        if op.operator.data != "-":
            return
        for axis in range(rank(op.result)):
            column = repeated(op.rhs, axis, rank(op.result))
            if column is None:
                continue
            if extreme(column, LOG_SUM_EXP) == (op.lhs, axis):
                _call_along(rewriter, op, "torch.log_softmax", op.lhs, axis)
                return
            shifted = _less_its_largest(op.lhs)
            is_sum = shifted is not None and _summed_powers(column, axis) is op.lhs
            if shifted is not None and is_sum and shifted[1] == axis:
                _call_along(rewriter, op, "torch.log_softmax", *shifted)
                return


class LogSumExp(RewritePattern):
    """``m + torch.log(torch.exp(x - m[:, None]).sum(dim=1))  -->  log_sum_exp(x, 1)``

    for ``m = amax(x, (1,))``, where the powers have no other user.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        for largest, logarithm in either_way(op.result, "+"):
            found = extreme(largest, "torch.amax")
            d = None if found is None else _summed_powers(logarithm, found[1])
            if found is not None and d is not None and _less_its_largest(d) == found:
                x, axis = found
                dim = rewriter.insert(emitpy.LiteralOp(axis)).result
                rewriter.replace(op, emitpy.HelperOp(LOG_SUM_EXP, (x, dim), op.result.type))
                return


class LogAddExp(RewritePattern):
    """``m + torch.log(torch.exp(x - m) + torch.exp(y - m))  -->  log_add_exp(x, y)``

    for ``m = torch.maximum(x, y)``; also ``z + m + torch.log(..)``, and for more than two arrays.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        for logarithm, rest in either_way(op.result, "+"):
            total = called(logarithm, "torch.log")
            if total is None:
                continue
            for largest, added in ((rest, None), *either_way(rest, "+")):
                exponents = _leaves(largest, "torch.maximum")
                if len(exponents) > 1 and _are_powers(_terms(total), exponents, largest):
                    type_ = logarithm.type
                    fused = emitpy.HelperOp("torch.log_add_exp", exponents, type_)
                    if added is not None:
                        fused = emitpy.BinaryOp(added, "+", rewriter.insert(fused), op.result.type)
                    rewriter.replace(op, fused)
                    return


def _leaves(value: SSAValue, function: str) -> Sequence[SSAValue]:
    """The x, y and z of ``f(f(x, y), z)``."""
    op = value.owner
    if isinstance(op, emitpy.CallOp) and op.callee.data == function and len(op.arguments) == 2:
        return [leaf for each in op.arguments for leaf in _leaves(each, function)]
    return [value]


def _terms(value: SSAValue) -> Sequence[SSAValue]:
    """The x, y and z of ``x + y + z``."""
    sides = operands(value, "+")
    return [term for side in sides for term in _terms(side)] if sides else [value]


def _are_powers(terms: Sequence[SSAValue], exponents: Sequence[SSAValue], m: SSAValue) -> bool:
    """Whether terms are ``torch.exp(x - m)`` for each exponent, in any order."""
    rest = list(exponents)
    for term in terms:
        exponent = called(term, "torch.exp")
        sides = () if exponent is None else operands(exponent, "-")
        if not sides or sides[1] is not m or sides[0] not in rest:
            return False
        rest.remove(sides[0])
    return not rest and all(isa(x.type, TensorType) for x in exponents)


def _summed_powers(value: SSAValue, axis: int) -> SSAValue | None:
    """The d of ``torch.log(torch.exp(d).sum(dim=1))``."""
    total = called(value, "torch.log")
    match None if total is None else reduced(total, "sum"):
        case (powers, summed) if summed == axis and powers.has_one_use():
            return called(powers, "torch.exp")
        case _:
            return None


def powers_below_the_largest(value: SSAValue) -> tuple[SSAValue, int] | None:
    """The x and the axis of ``torch.exp(x - amax(x, (1,))[:, None])``."""
    exponent = called(value, "torch.exp")
    return None if exponent is None else _less_its_largest(exponent)


def _less_its_largest(value: SSAValue) -> tuple[SSAValue, int] | None:
    """The x and the axis of ``x - amax(x, (1,))[:, None]``, also with a negated operand."""
    difference = negated(value)
    sides = operands(value, "-") if difference is None else operands(difference, "-")[::-1]
    if not sides:
        return None
    x, largest = sides
    for axis in range(rank(x)):
        column = repeated(largest, axis, rank(x))
        if column is not None and extreme(column, "torch.amax") == (x, axis):
            return x, axis
    return None


class Standardise(PatternOfSizes):
    """``d * torch.rsqrt(v + 1e-5)[:, None]  -->  torch.layer_norm(x, (n,), eps=1e-5)``

    for ``d = x - (x.sum(dim=1) / n)[:, None]`` and ``v = torch.einsum("ij,ij->i", d, d) / n``,
    where n is the size of x along its last axis. For another d, it is ``torch.rms_norm(d, ..)``.
    Likewise along several last axes, where n is the product of their sizes.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        for deviation, squared, count in standardised(op):
            epsilon, variance = with_number(squared, "+") or (0.0, squared)
            sizes = self.mean(variance, sum_of_squares, deviation, count)
            if sizes is not None:
                break
        else:
            return
        x = self.centred(deviation, count)
        function, array = (RMS_NORM, deviation) if x is None else (LAYER_NORM, x)
        shape = rewriter.insert(emitpy.TupleOp(sizes, emitpy.OBJECT)).result
        eps = rewriter.insert(emitpy.LiteralOp(epsilon)).result
        type_ = op.result.type
        rewriter.replace(op, emitpy.CallOp(function, (array, shape), type_, {"eps": eps}))

    def centred(self, deviation: SSAValue, count: int) -> SSAValue | None:
        """The x of ``x - (x.sum(dim=1) / n)[:, None]``."""
        sides = operands(deviation, "-")
        if not sides:
            return None
        x, column = sides
        mean = repeated_along_last(column, count, rank(x)) if rank(x) >= count else None
        if mean is None or self.mean(mean, summed_along_last, x, count) is None:
            return None
        return x

    def mean(
        self,
        value: SSAValue,
        sum_of: Callable[[SSAValue], tuple[SSAValue, int] | None],
        array: SSAValue,
        count: int,
    ) -> Sequence[SSAValue] | None:
        """The n of ``total / n`` or ``total * (1.0 / n)``, for a sum along n elements of rows.

        If rows have several axes, these are their sizes, and their product is the divisor.
        """
        for total, divisor in quotients(value):
            if sum_of(total) == (array, count):
                sizes = self._in_order(factors(as_int(divisor)), self._shapes.of(array)[-count:])
                if sizes is not None:
                    return sizes
        return None

    def _in_order(
        self, factors: Sequence[SSAValue], sizes: Sequence[Size]
    ) -> Sequence[SSAValue] | None:
        """The factors that are some sizes in order, if each is one of them."""
        rest, found = list(factors), list[SSAValue]()
        for size in sizes:
            here = next((k for k, each in enumerate(rest) if self._shapes.number(each) == size), -1)
            if here < 0:
                return None
            found.append(rest.pop(here))
        return None if rest else found


def factors(value: SSAValue) -> list[SSAValue]:
    """The x, y and z of ``wrapped(x * y) * z``: no product of sizes of an array wraps around."""
    op = value.owner
    if isinstance(op, emitpy.HelperOp) and op.callee.data == "torch.wrapped":
        return factors(op.positional[0])
    sides = operands(value, "*")
    return [factor for side in sides for factor in factors(side)] if sides else [value]


def quotients(value: SSAValue) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The ``(x, n)`` of ``x / n`` and of ``x * (1.0 / n)``."""
    if sides := operands(value, "/"):
        yield sides[0], sides[1]
    for side, other in either_way(value, "*"):
        sides = operands(other, "/") or _divided_numbers(other)
        if sides and number(as_int(sides[0])) == 1.0:
            yield side, sides[1]


def _divided_numbers(value: SSAValue) -> Sequence[SSAValue]:
    """The ``(x, n)`` of ``divide_floats(x, n)``; nothing for other forms."""
    op = value.owner
    if not isinstance(op, emitpy.HelperOp) or op.callee.data != "torch.divide_floats":
        return ()
    return op.positional


def standardised(op: emitpy.BinaryOp) -> Iterator[tuple[SSAValue, SSAValue, int]]:
    """The ``(d, v)`` of ``d * torch.rsqrt(v)[:, None]`` or ``d / torch.sqrt(v)[:, None]``.

    And the number of last axes that v lacks.
    """
    axes = rank(op.result)
    if op.operator.data == "/":
        pairs, function = [(op.lhs, op.rhs)], "torch.sqrt"
    else:
        pairs, function = either_way(op.result, "*"), "torch.rsqrt"
    for side, other in pairs if axes else ():
        for count in range(1, axes + 1):
            column = repeated_along_last(other, count, axes)
            squared = None if column is None else called(column, function)
            if squared is not None:
                yield side, squared, count


def sum_of_squares(value: SSAValue) -> tuple[SSAValue, int] | None:
    """The d of ``torch.einsum("ij,ij->i", d, d)``, ``d @ d`` or ``(d * d).sum(dim=1)``.

    And the number of last axes that are summed.
    """
    summed, count = summed_along_last(value), 1
    if summed is not None:
        pair, count = operands(summed[0], "*"), summed[1]
    elif (contraction := contracted(value)) is not None:
        text, owner = contraction
        pair, count = owner.operands[-2:], _axes_of_squares(text)
    else:
        return None
    if not count:
        return None
    return (pair[0], count) if len(pair) == 2 and pair[0] is pair[1] else None


def _axes_of_squares(text: str) -> int:
    """The number of last axes that ``"ijk,ijk->i"`` sums; 0 for other subscripts."""
    letters, _, kept = text.partition(",")[0], *text.partition("->")[1:]
    is_square = text == f"{letters},{letters}->{kept}" and letters.startswith(kept)
    return len(letters) - len(kept) if is_square and len({*letters}) == len(letters) else 0


def as_int(value: SSAValue) -> SSAValue:
    """The n of ``torch.tensor(n, ...)``, ``torch.tensor(n, ...).to(...)`` or ``float(n)``."""
    op = value.owner
    if isinstance(op, emitpy.MethodOp) and op.method.data == "to":
        return as_int(op.receiver)
    if isinstance(op, emitpy.CallOp) and op.callee.data in ("torch.tensor", "float"):
        return op.positional[0]
    return value


class Affine(RewritePattern):
    """``torch.layer_norm(x, (n,)) * a[None, :] + b[None, :]``  -->
    ``torch.layer_norm(x, (n,), weight=a, bias=b)``
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        keyword = {"*": "weight", "+": "bias"}.get(op.operator.data, "")
        for side, other in either_way(op.result, op.operator.data) if keyword else ():
            call, row = side.owner, as_row(other, rank(side))
            if (
                isinstance(call, emitpy.CallOp)
                and call.callee.data in (LAYER_NORM, RMS_NORM if keyword == "weight" else "")
                and call.keyword_arguments.keys().isdisjoint((keyword, "bias"))
                and side.has_one_use()
                and row is not None
                and length(row, 0) == length(side, -1)
            ):
                keywords = {**call.keyword_arguments, keyword: row}
                fused = emitpy.CallOp(call.callee.data, call.positional, op.result.type, keywords)
                rewriter.replace(op, fused)
                return
