"""Remainders of sums of indices, and of remainders, in a plain form."""

from __future__ import annotations

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import Integers, LinearForm
from ein_mlir.dialects import sigma
from ein_mlir.rewriting.phi.insertion import Builder


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
