"""Remainders of sums of indices, and of quotients, and quotients by products, in a plain form."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import Integers, LinearForm
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


def reduce_remainder(op: sigma.FloorModOp, forms: Integers) -> None:
    """``(i + n - 1) mod n  -->  (i - 1) mod n``, also of an i that is ``(k + 2) mod n`` itself.

    No sum may wrap around.
    """
    moved, modulus = forms.form(op.lhs), forms.form(op.rhs)
    terms = moved.coefficients.items()
    plain = sum((_around(atom, modulus, forms) * times for atom, times in terms), moved)
    atom, factor = next(iter(modulus.coefficients.items()), (op.rhs, 1))
    rest = plain - modulus * (plain.coefficients.get(atom, 0) // factor)
    exact = all(map(forms.is_exact, (moved, modulus, rest)))
    if rest != moved and op.result.type == i64 and exact:
        value = Builder.before(op).linear_value(rest)
        if _is_index(rest, modulus, forms):
            Rewriter.replace_op(op, [], [value])
        else:
            op.operands[0] = value


def _around(atom: SSAValue, modulus: LinearForm, forms: Integers) -> LinearForm:
    """``(i + 2) - (i + 2) mod n``, if the atom is the remainder, and i an index below n; or 0."""
    op = atom.owner
    if isinstance(op, sigma.FloorModOp) and forms.form(op.rhs) == modulus:
        moved = forms.form(op.lhs)
        if forms.is_exact(moved) and _is_index(moved - moved.constant, modulus, forms):
            return moved - LinearForm.of(atom)
    return LinearForm.number(0)


def _is_index(form: LinearForm, size: LinearForm, forms: Integers) -> bool:
    return forms.is_nonnegative(form) and forms.is_below(form, size)
