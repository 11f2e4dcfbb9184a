"""Averages by the weights of a softmax, whose sum divides the products with values."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from ein_mlir.dialects import emitpy
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.emitpy.fuse_torch_calls.matching import (
    are_equal,
    factors_of,
    order_of_axes,
    reduced,
    repeated_along,
    sliced,
    uses_beside_conditions,
)
from ein_mlir.passes.emitpy.fuse_torch_calls.normalisation import powers_below_the_largest


class Average(RewritePattern):
    """``e @ v / e.sum(dim=1)[:, None]  -->  average(w @ v, "ij,jk->ik", x, 1, v)``

    for ``e = torch.exp(x - amax(x, (1,))[:, None])`` without other users but in conditions, and
    ``w = torch.softmax(x, 1)``. The contraction may be any of two factors, also with the axes of e
    in another order, or with a slice of e, and then of the sums. The helper computes the quotient
    where a weight or its product may underflow and the power does not.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: emitpy.BinaryOp, rewriter: PatternRewriter) -> None:
        if op.operator.data != "/" or not op.lhs.has_one_use():
            return
        for factor in _factors(op.lhs):
            exponents = powers_below_the_largest(factor.powers)
            if exponents is not None and factor.is_divided(op.rhs, exponents[1]):
                x, axis = exponents
                _average(rewriter, op, factor, factor.sliced(rewriter, x), axis)
                return


@dataclass(frozen=True)
class _Factor:
    """A factor of a contraction, as powers whose axes may be in another order in the factor."""

    powers: SSAValue
    letters: str
    """The letters of the axes of the powers."""
    values: SSAValue
    """The other factor."""
    subscripts: str
    """``"ij,jk->ik"``, with the powers first."""
    users: tuple[Operation, ...]
    """The operations from the powers, or their slice, to the contraction."""
    part: emitpy.HelperOp | None = None
    """The slice of the powers that is the factor."""

    @property
    def weights(self) -> SSAValue:
        """The powers that are multiplied, in the order of their axes."""
        return self.powers if self.part is None else self.part.result

    def is_divided(self, divisor: SSAValue, axis: int) -> bool:
        """Whether the divisor is the sum of the powers along an axis that the contraction sums."""
        output = self.subscripts.partition("->")[2]
        kept = self.letters[:axis] + self.letters[axis + 1 :]
        if self.letters[axis] in output or not {*kept} <= {*output}:
            return False
        inner = repeated_along(divisor, sorted(map(output.find, kept)), len(output))
        if inner is None:
            return False
        total, order = order_of_axes(inner)
        if [kept[k] for k in order] != sorted(kept, key=output.find):
            return False
        whole = total if self.part is None else self._sliced_sum(total, axis)
        is_sum = whole is not None and reduced(whole, "sum") == (self.powers, axis)
        return is_sum and uses_beside_conditions(self.powers) == 2

    def _sliced_sum(self, total: SSAValue, axis: int) -> SSAValue | None:
        """The array whose slice a value is, if it is that of the powers without an axis."""
        found = sliced(total)
        if found is None or self.part is None:
            return None
        (_, along, *bounds), (whole, place, *others) = self.part.positional, found.positional
        number = emitpy.literal_data(along)
        if not isinstance(number, int) or number == axis:
            return None
        is_same = emitpy.literal_data(place) == number - (number > axis)
        return whole if is_same and all(map(are_equal, bounds, others)) else None

    def sliced(self, rewriter: PatternRewriter, x: SSAValue) -> SSAValue:
        """The same slice of the exponents, whose powers are not numbers if there are none."""
        if self.part is None:
            return x
        operands = (x, *self.part.positional[1:])
        slice_ = emitpy.HelperOp("torch.sliced_exponents", operands, self.weights.type, view=True)
        return rewriter.insert(slice_).result


def _factors(product: SSAValue) -> Iterator[_Factor]:
    """Each factor of a contraction of two."""
    for each in factors_of(product):
        term, value, owner, (other, values) = each.letters, each.value, each.owner, each.other
        powers, order = order_of_axes(value)
        if powers is value or value.has_one_use():
            letters = "".join(term[order.index(axis)] for axis in range(len(term)))
            ops = (*(() if powers is value else (value.owner,)), owner, product.owner)
            users = tuple(op for op in dict.fromkeys(ops) if isinstance(op, Operation))
            part = sliced(powers) if powers.has_one_use() else None
            powers = powers if part is None else part.positional[0]
            subscripts = f"{letters},{other}->{each.output}"
            yield _Factor(powers, letters, values, subscripts, users, part)


def _average(
    rewriter: PatternRewriter, op: emitpy.BinaryOp, factor: _Factor, x: SSAValue, axis: int
) -> None:
    """The contraction with the weights in place of the powers, and its test."""
    dim = rewriter.insert(emitpy.LiteralOp(axis)).result
    weights = rewriter.insert(emitpy.CallOp("torch.softmax", (x, dim), x.type)).result
    clones: dict[SSAValue, SSAValue] = {factor.weights: weights}
    for user in factor.users:
        rewriter.insert(user.clone(clones))
    subscripts = rewriter.insert(emitpy.LiteralOp(factor.subscripts)).result
    arguments = clones[op.lhs], subscripts, x, dim, factor.values
    type_ = op.result.type
    rewriter.replace(op, emitpy.HelperOp("torch.average", arguments, type_, view=True, first=True))
