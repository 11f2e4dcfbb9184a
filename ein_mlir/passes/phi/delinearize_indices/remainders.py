"""Remainders of sums of indices, and of quotients, and quotients by products, in a plain form."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.divided_indices import DIVISIONS, division, is_product_of_sizes
from ein_mlir.dialects import sigma
from ein_mlir.rewriting.phi.insertion import Builder


def exchange(op: sigma.FloorModOp) -> None:
    """``(p // d) mod e  -->  (p mod d*e) // d`` for positive constants."""
    inner = op.lhs.owner
    if not isinstance(inner, arith.FloorDivSIOp) or division(inner.result) is None:
        return
    part, count = known_int(inner.rhs), known_int(op.rhs)
    if part is None or count is None or min(part, count) <= 0:
        return
    build = Builder.before(op)
    rest = build.floormod(inner.lhs, part * count)
    Rewriter.replace_op(op, arith.FloorDivSIOp(rest, inner.rhs))


def divide_by_factors(op: arith.FloorDivSIOp) -> None:
    """``p // (b*c)  -->  (p // c) // b`` for sizes b and c, if the program divides p by c."""
    product = op.rhs.owner
    if not isinstance(product, arith.MuliOp):
        return
    users = [use.operation for use in op.lhs.uses if use.index == 0]
    divisors = {each.operands[1] for each in users if isinstance(each, DIVISIONS)}
    for part, other in (product.operands, reversed(product.operands)):
        if part in divisors and is_product_of_sizes(part) and is_product_of_sizes(other):
            inner = Builder.before(op).floordiv(op.lhs, part)
            Rewriter.replace_op(op, arith.FloorDivSIOp(inner, other))
            return
