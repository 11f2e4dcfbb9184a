"""Sums of products: the factors of arrays, in an order, with masks and divisors."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.contraction_plans import MOST_FACTORS, Order, Plan, Planner
from ein_mlir.analysis.scopes import reached, sources
from ein_mlir.dialects import yarr
from ein_mlir.dialects.algebra import algebra_for, is_product, is_quotient, terms_of
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.yarr.constants import is_zero
from ein_mlir.host.dataclass import dataclass

Letters = tuple[str | None, ...]
"""The name of each axis of an array; None for an axis of size 1 that is broadcast."""

LETTERS = tuple(string.ascii_lowercase[8:] + string.ascii_lowercase[:8] + string.ascii_uppercase)
"""Names for axes, from i on."""


@dataclass(frozen=True)
class Factor:
    """An array and the names of its axes.

    Of Bools it is a mask: the product of the factors in its ``scope`` is 0 where it is false, or
    true if it is ``negated``. A factor that ``divides`` is a divisor of the product.
    """

    array: SSAValue
    letters: Letters
    negated: bool = False
    divides: bool = False
    scope: frozenset[SSAValue] = frozenset()

    @property
    def is_mask(self) -> bool:
        """Whether the elements are Bools."""
        return yarr.element_of(self.array) == i1

    @property
    def axes(self) -> frozenset[str]:
        """The names of the axes that are not broadcast."""
        return frozenset(letter for letter in self.letters if letter is not None)


_SINGLE = Order((0,))


@dataclass(frozen=True)
class Term:
    """A product of arrays in an order, with a sign."""

    factors: tuple[Factor, ...]
    order: Order = _SINGLE
    negative: bool = False


class Names:
    """A supply of fresh names of axes, for a sum in a block."""

    def __init__(self, used: Letters, block: Block | None):
        self.block = block
        self._free = [letter for letter in LETTERS if letter not in used]

    def fresh(self) -> str | None:
        """A fresh name; None if all are in use."""
        return self._free.pop(0) if self._free else None


def sum_of_products(
    value: SSAValue, letters: Letters, names: Names, *, nests: bool = True
) -> list[Term]:
    """The normal form of an array: a sum of products of arrays over named axes.

    Closed under addition, negation and nested summation, under products of terms that are no sums,
    and under quotients of such a term. Transpositions and added axes are absorbed into the names.
    Looks through an operation only if its result has no other user, is larger than the operands,
    or is a negation; through a contraction only if the normal form ``nests``. Of an operation
    before the loop that the sum is in, the result is computed once, and stays a factor.
    """
    op = value.owner
    match op:
        case yarr.TransposeOp():
            inner: list[str | None] = [None] * len(letters)
            for axis, letter in zip(op.axes, letters, strict=True):
                inner[axis] = letter
            return sum_of_products(op.array, tuple(inner), names, nests=nests)
        case yarr.UnsqueezeOp():
            rest = tuple(x for d, x in enumerate(letters) if d not in op.axes)
            return sum_of_products(op.array, rest, names, nests=nests)
        case yarr.ElementwiseOp() if (
            _is_part(op, value, names) or _is_outer(op) or _is_negation(op)
        ):
            return _elementwise(op, letters, names, nests) or [Term((Factor(value, letters),))]
        case yarr.EinsumOp() | yarr.InOrderOp() if (
            nests and _is_part(op, value, names) and None not in letters
        ):
            return [_nested(op, letters, names) or Term((Factor(value, letters),))]
        case _:
            return [Term((Factor(value, letters),))]


def _is_part(op: Operation, value: SSAValue, names: Names) -> bool:
    """Whether only the sum needs the result of an operation, each time that it is computed."""
    return op.parent is names.block and _has_one_user(value)


def _has_one_user(value: SSAValue) -> bool:
    """Whether one operation needs a value; those that only order axes or negate do not count."""
    while (user := value.get_user_of_unique_use()) is not None:
        orders = isinstance(user, yarr.TransposeOp | yarr.UnsqueezeOp)
        if not orders and not (isinstance(user, yarr.ElementwiseOp) and _is_negation(user)):
            return True
        value = user.results[0]
    return False


def _is_negation(op: yarr.ElementwiseOp) -> bool:
    """Whether each element is one of the operand with the other sign."""
    body, sum_ = single_operation(op.body), algebra_for("add", yarr.element_of(op.result))
    return body is not None and sum_ is not None and body.name == sum_.negation


def _is_square(op: Operation | Block) -> bool:
    """Whether an operation on elements combines an operand with itself."""
    body = op.body.block.first_op if isinstance(op, yarr.ElementwiseOp) else None
    return body is not None and len(set(body.operands)) < len(body.operands)


def _has_square(value: SSAValue) -> bool:
    """Whether a value is computed from a square that has no other user: its factors double."""
    factors = reached([value], lambda x: sources(x) if x.has_one_use() else ())
    return any(_is_square(factor.owner) for factor in factors if factor.has_one_use())


def _is_outer(op: yarr.ElementwiseOp) -> bool:
    """Whether the result is larger than each factor: broadcast operands, or products of such."""
    body = single_operation(op.body)
    multiplies = body is not None and (is_product(body.name) or is_quotient(body.name))

    def is_broadcast(value: SSAValue) -> bool:
        if yarr.shape_of(value) != yarr.shape_of(op.result):
            return True
        made = value.owner
        return multiplies and isinstance(made, yarr.ElementwiseOp) and _is_outer(made)

    return all(map(is_broadcast, op.arguments))


def _elementwise(
    op: yarr.ElementwiseOp, letters: Letters, names: Names, nests: bool
) -> list[Term] | None:
    body = op.body.block.first_op
    if body is None or body.next_op is not op.body.block.last_op:
        return None
    if isinstance(body, arith.SelectOp):
        masked = _masked(op, body, letters, names, True, _are_clearable) if nests else None
        return masked or _masked(op, body, letters, names, False, _are_product)
    element = yarr.element_of(op.result)
    product, sum_ = (algebra_for(kind, element) for kind in ("mul", "add"))
    if product is None or sum_ is None:
        return None
    if body.name not in (product.name, product.quotient, *terms_of(sum_.name)):
        return None
    operands = [op.arguments[op.body.block.args.index(o)] for o in body.operands]
    if body.name == product.quotient:
        return _quotient(op, operands, letters, names, nests)
    if _is_square(op) and _has_square(operands[0]):
        return None
    sides = [
        sum_of_products(operand, _named(operand, op.result, letters), names, nests=nests)
        for operand in operands
    ]
    if body.name == sum_.negation:
        return [_negated(term) for term in sides[0]]
    if body.name == sum_.name:
        return [term for side in sides for term in side if not _is_zero(term)] or sides[0]
    if body.name == sum_.difference:
        return [*sides[0], *(_negated(term) for term in sides[1])]
    return [_product(op, letters, sides)]


def _quotient(
    op: yarr.ElementwiseOp,
    operands: Sequence[SSAValue],
    letters: Letters,
    names: Names,
    nests: bool,
) -> list[Term] | None:
    """The factors of the dividend, and the divisor; None for a divisor that is a diagonal."""
    value, by = (Factor(operand, _named(operand, op.result, letters)) for operand in operands)
    if _is_diagonal(by):
        return None
    dividend = sum_of_products(value.array, value.letters, names, nests=nests)
    (term,) = dividend if len(dividend) == 1 else [Term((value,))]
    parts = (*_parts(term.order, is_first=True), len(term.factors))
    factors = (*term.factors, replace(by, divides=True))
    return [replace(term, factors=factors, order=Order(parts))]


def needs_reciprocal(factors: Sequence[Factor]) -> bool:
    """Whether a divisor and each factor that it may divide have an axis that the other lacks.

    Then a factor of the product with its reciprocal is smaller than any quotient.
    """
    dividends = [f.axes for f in factors if not f.is_mask and not f.divides]
    divisors = [f.axes for f in factors if f.divides and f.axes]
    return any(not any(d <= by or by <= d for d in dividends) for by in divisors)


def with_reciprocal(term: Term, one: SSAValue) -> Term:
    """The product with 1 as its first factor, which a divisor may divide: it changes no value."""
    parts = (0, *_parts(term.order.shifted(1), is_first=True))
    return replace(term, factors=(Factor(one, ()), *term.factors), order=Order(parts))


def plan_of(
    factors: Sequence[Factor],
    kept: Sequence[str],
    order: Order,
    scales: frozenset[int] = frozenset(),
) -> Plan:
    """The cheapest plan for the product of some factors."""
    letters = [tuple(x for x in factor.letters if x) for factor in factors]
    arrays = [factor.array for factor in factors]
    divisors = frozenset(k for k, factor in enumerate(factors) if factor.divides)
    return Planner(letters, kept, order, scales, arrays, divisors).plan()


def _are_clearable(factors: Sequence[Factor]) -> bool:
    """Whether masks are those of a product, of which a factor has all axes of each."""
    are_several = sum(not factor.is_mask for factor in factors) > 1
    return are_several and all(list(clearable(f, factors)) for f in factors if f.is_mask)


def _are_product(factors: Sequence[Factor]) -> bool:
    """Whether masks are those of a product, or factors of one."""
    return (
        _are_clearable(factors)
        or _is_spread(factors)
        or _are_selected(factors)
        or are_weights(factors)
    )


def are_weights(factors: Sequence[Factor]) -> bool:
    """Whether one mask has the axes of all factors, and each float array fewer: a matrix of zeros
    and ones, and vectors.
    """
    masks = [f for f in factors if f.is_mask]
    arrays = [f for f in factors if f.axes and not f.is_mask]
    return (
        len(masks) == 1
        and bool(arrays)
        and all(is_float(f.array) and f.axes < masks[0].axes and not f.divides for f in arrays)
    )


def _are_selected(factors: Sequence[Factor]) -> bool:
    """Whether masks select from one array along some of its axes."""
    array = only_array(factors)
    return array is not None and all(f.axes < array.axes for f in factors if f.is_mask)


def only_array(factors: Sequence[Factor]) -> Factor | None:
    """The only factor that is no mask and no number; None if there are several."""
    arrays = [factor for factor in factors if factor.axes and not factor.is_mask]
    return arrays[0] if len(arrays) == 1 and not arrays[0].divides else None


def _masked(
    op: yarr.ElementwiseOp,
    body: arith.SelectOp,
    letters: Letters,
    names: Names,
    nests: bool,
    is_product: Callable[[Sequence[Factor]], bool],
) -> list[Term] | None:
    """``where(c & d, x + y, 0)`` as products whose last factors are the masks c and d.

    None if these factors are no product.
    """
    condition, value, other = (op.arguments[op.body.block.args.index(o)] for o in body.operands)
    is_negated = is_zero(value)
    if is_negated:
        value, other = other, value
    if not is_zero(other):
        return None
    terms = sum_of_products(value, _named(value, op.result, letters), names, nests=nests)
    masks = list(_conjuncts(Factor(condition, _named(condition, op.result, letters), is_negated)))
    if not all(is_product((*term.factors, *masks)) for term in terms):
        return None
    return [_with_masks(term, masks) for term in terms]


def _with_masks(term: Term, masks: Sequence[Factor]) -> Term:
    scope = frozenset(factor.array for factor in term.factors)
    factors = (*term.factors, *(replace(mask, scope=scope) for mask in masks))
    numbers = range(len(term.factors), len(factors))
    parts = (*_parts(term.order, is_first=True), *numbers)
    return replace(term, factors=factors, order=Order(parts))


def _conjuncts(mask: Factor) -> Iterator[Factor]:
    """The masks c and d of the mask ``c & d``, or of ``not (c | d)``, if neither has all axes."""
    op = mask.array.owner
    body = single_operation(op.body) if isinstance(op, yarr.ElementwiseOp) else None
    parts = list[Factor]()
    joined = arith.OrIOp if mask.negated else arith.AndIOp
    if isinstance(op, yarr.ElementwiseOp) and isinstance(body, joined):
        arguments = [op.arguments[op.body.block.args.index(o)] for o in body.operands]
        names = [_named(x, op.result, mask.letters) for x in arguments]
        parts = [replace(mask, array=x, letters=y) for x, y in zip(arguments, names, strict=True)]
    if not parts or not _is_spread(parts):
        yield mask
        return
    for part in parts:
        yield from _conjuncts(part)


def _is_spread(factors: Sequence[Factor]) -> bool:
    """Whether no factor has the axes of all."""
    axes = [factor.axes for factor in factors]
    return frozenset[str]().union(*axes) not in axes


def clearable(mask: Factor, factors: Sequence[Factor]) -> Iterator[int]:
    """The numbers of the factors that have all axes of a mask, one of which may be a reciprocal."""
    divides = needs_reciprocal(factors)
    return (
        k
        for k, f in enumerate(factors)
        if not f.is_mask and (divides or not f.divides) and mask.axes <= f.axes
    )


def selects_terms(mask: Factor, factors: Sequence[Factor], summed: frozenset[str]) -> bool:
    """Whether a mask selects the terms of several sums of the floats of one array.

    These are products of the array and a vector of zeros and ones.
    """
    array = only_array(factors)
    if array is None or not is_float(array.array):
        return False
    return mask.axes <= summed & array.axes and not array.axes <= summed


def is_float(value: SSAValue) -> bool:
    """Whether the elements of an array are floats."""
    return str(yarr.element_of(value)).startswith("f")


def _is_zero(term: Term) -> bool:
    """Whether a term is the literal 0: it changes only the sign of a zero, which no sum keeps."""
    return len(term.factors) == 1 and is_zero(term.factors[0].array)


def _product(op: yarr.ElementwiseOp, letters: Letters, sides: list[list[Term]]) -> Term:
    """A product of two terms; a side that is a sum is one factor, and is not expanded.

    So is a contraction, if there are more factors than those whose orders are compared.
    """
    body = op.body.block.first_op
    assert body is not None
    factors, parts = list[Factor](), list[int | Order]()
    negative = False
    is_long = sum(len(side[0].factors) for side in sides) > MOST_FACTORS
    for operand, terms in zip(body.operands, sides, strict=True):
        term = terms[0]
        if len(terms) > 1 or (is_long and any(term.order.sums())):
            argument = op.arguments[op.body.block.args.index(operand)]
            term = Term((Factor(argument, _named(argument, op.result, letters)),))
        parts.extend(_parts(term.order.shifted(len(factors)), is_first=not factors))
        factors.extend(term.factors)
        negative ^= term.negative
    return Term(tuple(factors), Order(tuple(parts)), negative)


def _parts(order: Order, *, is_first: bool) -> tuple[int | Order, ...]:
    """The parts of a product as parts of a longer one, which multiplies from left to right."""
    return order.parts if not order.summed and (is_first or len(order.parts) == 1) else (order,)


def _nested(op: yarr.EinsumOp | yarr.InOrderOp, letters: Letters, names: Names) -> Term | None:
    """The factors of a contraction, whose summed axes get names of their own."""
    output, parts = _products_of(op)
    arrays = op.arrays if isinstance(op, yarr.EinsumOp) else op.factors
    if len(arrays) > MOST_FACTORS - 1:
        return None
    inputs = list(yarr.letters_of_factors(parts))
    renamed: dict[str, str | None] = dict(zip(output, letters, strict=True))
    for letter in "".join(inputs).replace(yarr.DIVIDES, ""):
        if letter not in renamed:
            renamed[letter] = names.fresh()
    factors = tuple(
        _renamed(array, text, renamed) for array, text in zip(arrays, inputs, strict=True)
    )
    if None in renamed.values() or any(by.divides and _is_diagonal(by) for by in factors):
        return None
    order = _order_of((output, parts), renamed, count())
    assert isinstance(order, Order)
    return Term(factors, order)


def _renamed(array: SSAValue, text: str, renamed: Mapping[str, str | None]) -> Factor:
    """A factor of a contraction, whose axes get other names."""
    axes = text.removeprefix(yarr.DIVIDES)
    return Factor(array, tuple(renamed[letter] for letter in axes), divides=axes != text)


def _is_diagonal(factor: Factor) -> bool:
    """Whether two axes have one name."""
    axes = [letter for letter in factor.letters if letter is not None]
    return len(set(axes)) < len(axes)


def _products_of(op: yarr.EinsumOp | yarr.InOrderOp) -> yarr.Products:
    return yarr.ordered_products(op.subscripts.data)


def _order_of(
    products: yarr.Products, renamed: Mapping[str, str | None], numbers: Iterator[int]
) -> int | Order:
    """The order of nested products, whose axes get other names and whose factors get numbers."""
    letters, parts = products
    if parts is None:
        return next(numbers)
    axes = "".join(part.removeprefix(yarr.DIVIDES) for part, _ in parts)
    summed = {name for letter in axes if (name := renamed[letter])}
    kept = {renamed[letter] for letter in letters}
    inner = tuple(_order_of(part, renamed, numbers) for part in parts)
    return Order(inner, frozenset(summed - kept))


def _named(argument: SSAValue, result: SSAValue, letters: Letters) -> Letters:
    """The names of an operand's axes: None for an axis that is broadcast against the others."""
    sizes = zip(yarr.shape_of(argument), yarr.shape_of(result), letters, strict=True)
    return tuple(None if a == 1 and r != 1 else letter for a, r, letter in sizes)


def _negated(term: Term) -> Term:
    return replace(term, negative=not term.negative)
