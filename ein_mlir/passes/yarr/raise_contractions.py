"""``raise-contractions``: sums of products become Einstein summations."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ein_mlir.dialects import yarr
from ein_mlir.dialects.algebra import algebra_for, is_sum, terms_of
from ein_mlir.dialects.yarr.constants import is_zero
from ein_mlir.rewriting.yarr.builders import elementwise

Letters = tuple[str | None, ...]
"""The name of each axis of an array; None for an axis of size 1 that is broadcast."""

LETTERS = tuple(string.ascii_lowercase[8:] + string.ascii_lowercase[:8] + string.ascii_uppercase)
"""Names for axes, from i on."""


@dataclass(frozen=True)
class Factor:
    """An array and the names of its axes."""

    array: SSAValue
    letters: Letters


@dataclass(frozen=True)
class Term:
    """A product of arrays, with a sign."""

    factors: tuple[Factor, ...]
    negative: bool = False


class _Names:
    """A supply of fresh names of axes."""

    def __init__(self, used: Letters):
        self._free = [letter for letter in LETTERS if letter not in used]

    def fresh(self) -> str | None:
        """A fresh name; None if all are in use."""
        return self._free.pop(0) if self._free else None


def sum_of_products(value: SSAValue, letters: Letters, names: _Names) -> list[Term]:
    """The normal form of an array: a sum of products of arrays over named axes.

    Closed under addition, negation and nested summation, and under products of terms that are no
    sums. Transpositions and added axes are absorbed into the names. Looks through an operation only
    if its result has no other user.
    """
    op = value.owner
    match op:
        case yarr.TransposeOp():
            inner: list[str | None] = [None] * len(letters)
            for axis, letter in zip(op.axes, letters, strict=True):
                inner[axis] = letter
            return sum_of_products(op.array, tuple(inner), names)
        case yarr.UnsqueezeOp():
            rest = tuple(x for d, x in enumerate(letters) if d not in op.axes)
            return sum_of_products(op.array, rest, names)
        case yarr.ElementwiseOp() if value.has_one_use():
            return _elementwise(op, letters, names) or [Term((Factor(value, letters),))]
        case yarr.EinsumOp() if value.has_one_use() and None not in letters:
            return [_nested(op, letters, names) or Term((Factor(value, letters),))]
        case _:
            return [Term((Factor(value, letters),))]


def _elementwise(op: yarr.ElementwiseOp, letters: Letters, names: _Names) -> list[Term] | None:
    body = op.body.block.first_op
    if body is None or body.next_op is not op.body.block.last_op:
        return None
    element = yarr.element_of(op.result)
    product, sum_ = (algebra_for(kind, element) for kind in ("mul", "add"))
    if product is None or sum_ is None or body.name not in (product.name, *terms_of(sum_.name)):
        return None
    sides = [
        sum_of_products(operand, _named(operand, op.result, letters), names)
        for operand in (op.arguments[op.body.block.args.index(o)] for o in body.operands)
    ]
    if body.name == sum_.negation:
        return [_negated(term) for term in sides[0]]
    if body.name == sum_.name:
        return [term for side in sides for term in side if not _is_zero(term)] or sides[0]
    if body.name == sum_.difference:
        return [*sides[0], *(_negated(term) for term in sides[1])]
    return [_product(op, letters, sides)]


def _is_zero(term: Term) -> bool:
    """Whether a term is the literal 0: it changes only the sign of a zero, which no sum keeps."""
    return len(term.factors) == 1 and is_zero(term.factors[0].array)


def _product(op: yarr.ElementwiseOp, letters: Letters, sides: list[list[Term]]) -> Term:
    """A product of two terms; a side that is a sum is one factor, and is not expanded."""
    body = op.body.block.first_op
    assert body is not None
    factors = list[Factor]()
    negative = False
    for operand, terms in zip(body.operands, sides, strict=True):
        if len(terms) == 1:
            factors.extend(terms[0].factors)
            negative ^= terms[0].negative
        else:
            argument = op.arguments[op.body.block.args.index(operand)]
            factors.append(Factor(argument, _named(argument, op.result, letters)))
    return Term(tuple(factors), negative)


def _nested(op: yarr.EinsumOp, letters: Letters, names: _Names) -> Term | None:
    """The factors of a contraction, whose summed axes get names of their own."""
    inputs, output = yarr.split_subscripts(op.subscripts.data)
    renamed: dict[str, str | None] = dict(zip(output, letters, strict=True))
    for letter in "".join(inputs):
        if letter not in renamed:
            renamed[letter] = names.fresh()
    if None in renamed.values():
        return None
    return Term(
        tuple(
            Factor(array, tuple(renamed[letter] for letter in text))
            for array, text in zip(op.arrays, inputs, strict=True)
        )
    )


def _named(argument: SSAValue, result: SSAValue, letters: Letters) -> Letters:
    """The names of an operand's axes: None for an axis that is broadcast against the others."""
    sizes = zip(yarr.shape_of(argument), yarr.shape_of(result), letters, strict=True)
    return tuple(None if a == 1 and r != 1 else letter for a, r, letter in sizes)


def _negated(term: Term) -> Term:
    return replace(term, negative=not term.negative)


class _Emitter:
    """Emits the contraction of terms before an operation."""

    def __init__(self, rewriter: PatternRewriter, summed: frozenset[str], kept: Sequence[str]):
        self.rewriter = rewriter
        self.summed = summed
        self.kept = tuple(kept)

    def emit(self, op: Operation) -> SSAValue:
        self.rewriter.insert(op)
        return op.results[0]

    def contract(self, factors: Sequence[Factor]) -> Factor:
        """One array for factors that share summed axes."""
        present = {letter for factor in factors for letter in factor.letters}
        output = [letter for letter in self.kept if letter in present]
        squeezed = self._multiplied([self._without_ones(factor) for factor in factors])
        text = ",".join("".join(x or "" for x in factor.letters) for factor in squeezed)
        if len(factors) == 1:
            return self._reduced(squeezed[0], output)
        arrays = [factor.array for factor in squeezed]
        result = self.emit(yarr.EinsumOp(f"{text}->{''.join(output)}", arrays))
        return Factor(result, tuple(output))

    def _multiplied(self, factors: Sequence[Factor]) -> Sequence[Factor]:
        """The factors; of more than two, those with equal axes as one product, which is no larger.

        Libraries contract two arrays at a time, and are slow for products without a sum.
        """
        remaining = list(factors)
        by_axes: dict[Letters, Factor] = {}
        for factor in factors:
            other = by_axes.get(factor.letters)
            if other is not None and len(remaining) > 2:
                multiply = arith.MulfOp if _is_float(factor.array) else arith.MuliOp
                array = self.combine(multiply, other.array, factor.array)
                product = Factor(array, factor.letters)
                remaining = [product if f is other else f for f in remaining if f is not factor]
                factor = product
            by_axes[factor.letters] = factor
        return remaining

    def _without_ones(self, factor: Factor) -> Factor:
        ones = [d for d, letter in enumerate(factor.letters) if letter is None]
        if not ones:
            return factor
        array = self.emit(yarr.SqueezeOp(factor.array, ones))
        return Factor(array, tuple(letter for letter in factor.letters if letter is not None))

    def _reduced(self, factor: Factor, output: Sequence[str]) -> Factor:
        axes = [d for d, letter in enumerate(factor.letters) if letter in self.summed]
        letters = tuple(letter for letter in factor.letters if letter not in self.summed)
        array = factor.array
        if axes:
            combine = arith.AddfOp if _is_float(array) else arith.AddiOp
            array = self.emit(yarr.ReduceOp(array, axes, combine))
        order = [letters.index(letter) for letter in output]
        if order != sorted(order):
            array = self.emit(yarr.TransposeOp(array, order))
        return Factor(array, tuple(output))

    def aligned(self, factor: Factor) -> SSAValue:
        """The array with all kept axes; those that it lacks have size 1."""
        missing = [d for d, letter in enumerate(self.kept) if letter not in factor.letters]
        return self.emit(yarr.UnsqueezeOp(factor.array, missing)) if missing else factor.array

    def combine(self, name: type[Operation], *values: SSAValue) -> SSAValue:
        """One scalar operation on arrays with the kept axes."""
        return self.emit(elementwise(name, *values))

    def term(self, term: Term) -> SSAValue:
        """The product of the contractions of factors that are connected through summed axes."""
        parts = [self.contract(group) for group in _connected(term.factors, self.summed)]
        multiply = arith.MulfOp if _is_float(parts[0].array) else arith.MuliOp
        result = self.aligned(parts[0])
        for part in parts[1:]:
            result = self.combine(multiply, result, self.aligned(part))
        return result

    def total(self, terms: Sequence[Term]) -> SSAValue:
        """The sum of terms, with their signs; positive terms first, so that few are negated."""
        ordered = sorted(terms, key=lambda term: term.negative)
        result = self.term(ordered[0])
        floats = _is_float(result)
        if ordered[0].negative:
            result = self._negate(result)
        for term in ordered[1:]:
            add = arith.AddfOp if floats else arith.AddiOp
            subtract = arith.SubfOp if floats else arith.SubiOp
            result = self.combine(subtract if term.negative else add, result, self.term(term))
        return result

    def _negate(self, value: SSAValue) -> SSAValue:
        return self.combine(arith.NegfOp, value)


def _is_float(value: SSAValue) -> bool:
    return str(yarr.element_of(value)).startswith("f")


def _connected(factors: Sequence[Factor], summed: frozenset[str]) -> list[list[Factor]]:
    """Factors in groups that are connected by summed axes."""
    groups: list[tuple[set[str], list[Factor]]] = []
    for factor in factors:
        letters = {x for x in factor.letters if x is not None and x in summed}
        members = [factor]
        apart: list[tuple[set[str], list[Factor]]] = []
        for group in groups:
            if letters & group[0]:
                letters |= group[0]
                members = [*group[1], *members]
            else:
                apart.append(group)
        groups = [*apart, (letters, members)]
    return [members for _, members in groups]


class RaiseContraction(RewritePattern):
    """``reduce(+, A1 * ... * An + ...)  -->  einsum(A1, ..., An) + ...``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: yarr.ReduceOp, rewriter: PatternRewriter) -> None:
        if not is_sum(op.combine) or yarr.rank_of(op.array) > len(LETTERS):
            return
        letters = LETTERS[: yarr.rank_of(op.array)]
        summed = frozenset(letters[axis] for axis in op.axes)
        terms = sum_of_products(op.array, letters, _Names(letters))
        present = {x for term in terms for factor in term.factors for x in factor.letters if x}
        if not all(_worthwhile(term, summed) for term in terms) or not present >= set(letters):
            return
        kept = [letter for letter in letters if letter not in summed]
        summed = frozenset(present - set(kept))
        result = _Emitter(rewriter, summed, kept).total(terms)
        result.name_hint = op.result.name_hint
        rewriter.replace(op, (), [result])


def _worthwhile(term: Term, summed: frozenset[str]) -> bool:
    """Whether a term is a product in which each summed axis is an axis of some factor."""
    present = {letter for factor in term.factors for letter in factor.letters}
    return len(term.factors) > 1 and summed <= present and not _integer_negation(term)


def _integer_negation(term: Term) -> bool:
    return term.negative and not _is_float(term.factors[0].array)


class RaiseContractionsPass(ModulePass):
    """Turns sums of products into Einstein summations, without the array of products.

    Before::

        %x = yarr.unsqueeze %a, [1] : tensor<?x?xf64> -> tensor<?x1x?xf64>
        %t = yarr.transpose %b, [1, 0] : tensor<?x?xf64> -> tensor<?x?xf64>
        %y = yarr.unsqueeze %t, [0] : tensor<?x?xf64> -> tensor<1x?x?xf64>
        %p = yarr.elementwise { arith.mulf } %x, %y : ... -> tensor<?x?x?xf64>
        %c = yarr.reduce %p, [2] by { arith.addf } : tensor<?x?x?xf64> -> tensor<?x?xf64>

    After::

        %c = yarr.einsum "ik,kj->ij" %a, %b
          : (tensor<?x?xf64>, tensor<?x?xf64>) -> tensor<?x?xf64>

    Sums distribute over addition and negation, and contractions nest; factors that share no summed
    axis are contracted separately and multiplied, so a sum of separable terms costs no more than
    its factors.
    """

    name = "raise-contractions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(
            GreedyRewritePatternApplier([RaiseContraction()]), apply_recursively=False
        ).rewrite_module(op)
