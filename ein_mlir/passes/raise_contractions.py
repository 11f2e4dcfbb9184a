"""``raise-contractions``: sums of products become Einstein summations."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from ein_mlir.dialects import yarr
from ein_mlir.dialects.assembly import single_operation

Letters = tuple[str | None, ...]
"""What each axis of an array is called; None for an axis of size 1 that is repeated."""

LETTERS = tuple(string.ascii_lowercase[8:] + string.ascii_lowercase[:8] + string.ascii_uppercase)
"""Names for axes, from i on."""

MOST_TERMS = 8
"""A product of sums is multiplied out up to this many terms."""

PRODUCTS = ("arith.mulf", "arith.muli")
SUMS = ("arith.addf", "arith.addi")
DIFFERENCES = ("arith.subf", "arith.subi")
NEGATIONS = ("arith.negf",)


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


def sum_of_products(value: SSAValue, letters: Letters) -> list[Term]:
    """The normal form of an array: a sum of products of arrays over named axes.

    Closed under addition, negation and multiplication; transpositions and added axes are absorbed
    into the names. Looks through an operation only where nothing else needs its result.
    """
    op = value.owner
    match op:
        case yarr.TransposeOp():
            inner: list[str | None] = [None] * len(letters)
            for axis, letter in zip(op.axes, letters, strict=True):
                inner[axis] = letter
            return sum_of_products(op.array, tuple(inner))
        case yarr.UnsqueezeOp():
            return sum_of_products(
                op.array, tuple(x for d, x in enumerate(letters) if d not in op.axes)
            )
        case yarr.ElementwiseOp() if value.has_one_use():
            return _elementwise(op, letters) or [Term((Factor(value, letters),))]
        case _:
            return [Term((Factor(value, letters),))]


def _elementwise(op: yarr.ElementwiseOp, letters: Letters) -> list[Term] | None:
    single = single_operation(op.body)
    if single is None:
        return None
    sides = [sum_of_products(arg, _named(arg, op.result, letters)) for arg in op.arguments]
    if single.name in NEGATIONS:
        return [_negated(term) for term in sides[0]]
    if single.name in SUMS:
        return [*sides[0], *sides[1]]
    if single.name in DIFFERENCES:
        return [*sides[0], *(_negated(term) for term in sides[1])]
    if single.name in PRODUCTS and len(sides[0]) * len(sides[1]) <= MOST_TERMS:
        return [
            Term((*a.factors, *b.factors), a.negative != b.negative)
            for a in sides[0]
            for b in sides[1]
        ]
    return None


def _named(argument: SSAValue, result: SSAValue, letters: Letters) -> Letters:
    """The names of an operand's axes: none for an axis that is repeated against the others."""
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
        squeezed = [self._without_ones(factor) for factor in factors]
        text = ",".join("".join(x or "" for x in factor.letters) for factor in squeezed)
        if len(factors) == 1:
            return self._reduced(squeezed[0], output)
        arrays = [factor.array for factor in squeezed]
        result = self.emit(yarr.EinsumOp(f"{text}->{''.join(output)}", arrays))
        return Factor(result, tuple(output))

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
        block = Block(arg_types=[yarr.element_of(value) for value in values])
        block.add_op(body := name(*block.args))
        block.add_op(yarr.YieldOp(body))
        return self.emit(yarr.ElementwiseOp(values, Region(block)))

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
    """Factors grouped so that those that share a summed axis stand together."""
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
        if op.combine not in SUMS or yarr.rank_of(op.array) > len(LETTERS):
            return
        letters = LETTERS[: yarr.rank_of(op.array)]
        summed = frozenset(letters[axis] for axis in op.axes)
        terms = sum_of_products(op.array, letters)
        if not all(_worthwhile(term, summed) for term in terms):
            return
        kept = [letter for letter in letters if letter not in summed]
        if {x for term in terms for f in term.factors for x in f.letters if x} < set(letters):
            return
        result = _Emitter(rewriter, summed, kept).total(terms)
        result.name_hint = op.result.name_hint
        rewriter.replace(op, (), [result])


def _worthwhile(term: Term, summed: frozenset[str]) -> bool:
    """A product, each of whose summed axes some factor has."""
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

    Sums distribute over addition and negation; factors that share no summed axis are contracted
    apart and multiplied, so that a sum of separable terms costs what its factors cost.
    """

    name = "raise-contractions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(
            GreedyRewritePatternApplier([RaiseContraction()]), apply_recursively=False
        ).rewrite_module(op)
