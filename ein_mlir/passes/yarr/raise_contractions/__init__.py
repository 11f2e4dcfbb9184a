"""``raise-contractions``: sums of products become Einstein summations."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.pattern_rewriter import PatternRewriter

from ein_mlir.analysis.contraction_plans import Plan
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import dependents, operations_in
from ein_mlir.dialects import yarr
from ein_mlir.dialects.algebra import is_sum
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.fastmath import permits
from ein_mlir.host.dataclass import dataclass
from ein_mlir.passes.yarr.raise_contractions.emission import Emitter, summed_order
from ein_mlir.passes.yarr.raise_contractions.terms import (
    LETTERS,
    Names,
    Term,
    are_weights,
    is_float,
    needs_reciprocal,
    only_array,
    plan_of,
    selects_terms,
    sum_of_products,
    with_reciprocal,
)
from ein_mlir.rewriting.passes import FunctionPass


def raise_contraction(op: yarr.ReduceOp, fused: bool) -> None:
    """``reduce(+, A1 * ... * An + ...)  -->  einsum(A1, ..., An) + ...``"""
    if not is_sum(op.combine) or yarr.rank_of(op.array) > len(LETTERS):
        return
    letters = LETTERS[: yarr.rank_of(op.array)]
    summed = frozenset(letters[axis] for axis in op.axes)
    terms = sum_of_products(op.array, letters, Names(letters, op.parent))
    present = {x for term in terms for factor in term.factors for x in factor.letters if x}
    if not all(_worthwhile(term, summed) for term in terms) or not present >= set(letters):
        return
    kept = [letter for letter in letters if letter not in summed]
    if fused and not all(
        _is_shorter(term, summed, kept) or _is_masked_once(op, term) for term in terms
    ):
        return
    combine = single_operation(op.body)
    is_guarded = combine is None or not permits(combine, "reassoc")
    rewriter = PatternRewriter(op)
    result = Emitter(rewriter, summed, kept, is_guarded=is_guarded).total(terms)
    result.name_hint = op.result.name_hint
    rewriter.replace(op, (), [result])


def _worthwhile(term: Term, summed: frozenset[str]) -> bool:
    """Whether a term is a product in which each summed axis is an axis of some factor.

    The quotient of one factor is if the divisor leaves the sum, or is a factor as its reciprocal.
    """
    is_reciprocal = needs_reciprocal(term.factors)
    factors = [factor for factor in term.factors if is_reciprocal or not factor.divides]
    divisors = [factor for factor in term.factors if factor.divides]
    present = {letter for factor in factors for letter in factor.letters}
    is_product = len(factors) > 1 or any(summed.isdisjoint(by.letters) for by in divisors)
    is_sum = is_product and summed <= present and not _integer_negation(term)
    return is_sum and not _is_elementwise(term, summed) and _selects(term, summed)


def _selects(term: Term, summed: frozenset[str]) -> bool:
    """Whether the masks of a single array, if it has any, select the terms of several sums.

    A matrix of zeros and ones is the factor of one vector along all axes of the sum.
    """
    array, masks = only_array(term.factors), [f for f in term.factors if f.is_mask]
    if are_weights(term.factors):
        summands = [f for f in term.factors if not f.is_mask and not summed.isdisjoint(f.axes)]
        return len(summands) == 1 and summands[0].axes <= summed
    if array is None or not all(mask.axes < array.axes for mask in masks):
        return True
    return all(selects_terms(mask, term.factors, summed) for mask in masks)


def _is_elementwise(term: Term, summed: frozenset[str]) -> bool:
    """Whether a term has masks or divisors, and arrays with the same axes, of which all are summed.

    A contraction would have as many steps, and a test, for masks of products that are not finite,
    such as those of ``where(p > 0, p * log(p), 0)``, and for another order. But ``einsum`` adds up
    short rows of products faster: with axes that are not summed, the same holds for one array.
    """
    arrays = [f for f in term.factors if any(f.letters)]
    axes = {tuple(filter(None, f.letters)) for f in arrays}
    if len(axes) != 1 or not any(f.is_mask or f.divides for f in arrays):
        return False
    return summed >= {*axes.pop()} or sum(not f.is_mask for f in arrays) == 1


def _is_shorter(term: Term, summed: frozenset[str], kept: Sequence[str]) -> bool:
    """Whether the contraction of a term reads arrays with fewer axes than the program's product.

    One pass over all axes takes no longer, and needs no test, where sums of products are fused;
    longer than a product of matrices, or of a matrix and a vector that costs little to test, for
    which there are libraries.
    """
    if needs_reciprocal(term.factors):
        term = with_reciprocal(term, term.factors[0].array)  # of any array: this is but a plan
    axes = {factor.axes for factor in term.factors}
    if len(axes) == 1:
        return False
    plan = plan_of(term.factors, kept, summed_order(term, summed))
    is_in_order = plan.is_in_order and not any(factor.is_mask for factor in term.factors)
    is_short = _most_axes(plan) < len(frozenset[str]().union(*axes))
    return is_in_order or is_short or plan.has_matrix_product or plan.is_vector_product


def _is_masked_once(op: yarr.ReduceOp, term: Term) -> bool:
    """Whether steps of a loop sum the products of vectors and a matrix, whose masks stay the same.

    Then the matrix is cleared before the loop.
    """
    step = op.parent_op()
    if not isinstance(step, yarr.FoldOp | yarr.WhileOp) or op.parent is None:
        return False
    varying = dependents(op.parent, *op.parent.args)
    vectors = [f for f in term.factors if f.array in varying]
    fixed = [f for f in term.factors if f.array not in varying]
    matrices = [{*f.letters} for f in fixed if not f.is_mask]
    return (
        len(matrices) == 1
        and not any(f.divides for f in term.factors)
        and all({*f.letters} <= matrices[0] for f in term.factors)
        and bool(vectors)
        and all(len(f.letters) == 1 and not f.is_mask for f in vectors)
    )


def _most_axes(plan: Plan) -> int:
    """The number of axes of the largest pass, or if there are any, of the largest quotient.

    A quotient takes as long as many products.
    """
    divided = plan.most_divided_axes
    return plan.most_axes if divided is None else divided


def _integer_negation(term: Term) -> bool:
    return term.negative and not is_float(term.factors[0].array)


@dataclass(frozen=True)
class RaiseContractionsPass(FunctionPass):
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

    A divisor, ``a * b / c``, divides the smallest factor or sum with its axes, or 1 if there is
    none, as in ``a[j] / c[i, k]``: the product with its reciprocal. A mask of a product,
    ``where(c, a * b, 0)``, clears the product of the factors with its axes, one of which may be NaN
    or infinite there, or is a factor of zeros and ones, as one that selects the terms of several
    sums of an array, ``where(c[j], a[i, j], 0)``, or has the axes of all factors,
    ``where(c[i, j], x[j], 0)``; ``c & d`` is two masks if neither has all of its axes. A test of
    the result finds products of 0 and infinity (``yarr.in_order``).

    Sums distribute over addition and negation, and contractions nest; factors that share no summed
    axis are contracted separately and multiplied, so a sum of separable terms costs no more than
    its factors. With ``fused``, for libraries that fuse products with their sum, a sum stays as it
    is if all factors have the same axes, or if another order has as many and no product of
    matrices; in the steps of a loop, products of vectors and a matrix with the same masks are none.
    """

    name = "raise-contractions"

    fused: bool = False

    looks_for = (yarr.ReduceOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if isinstance(op, yarr.ReduceOp):
                raise_contraction(op, self.fused)
