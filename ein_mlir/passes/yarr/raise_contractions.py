"""``raise-contractions``: sums of products become Einstein summations."""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from ein_mlir.analysis.contraction_plans import MOST_FACTORS, Node, Order, Plan, Planner
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import yarr
from ein_mlir.dialects.algebra import OPERATIONS, algebra_for, is_sum, terms_of
from ein_mlir.dialects.assembly import single_operation
from ein_mlir.dialects.fastmath import permits
from ein_mlir.dialects.yarr.constants import is_zero, literal_float
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.yarr.builders import elementwise

Letters = tuple[str | None, ...]
"""The name of each axis of an array; None for an axis of size 1 that is broadcast."""

LETTERS = tuple(string.ascii_lowercase[8:] + string.ascii_lowercase[:8] + string.ascii_uppercase)
"""Names for axes, from i on."""


@dataclass(frozen=True)
class Factor:
    """An array and the names of its axes.

    Of Bools it is a mask: the product is 0 where it is false, or true if it is ``negated``. A
    factor that ``divides`` is a divisor of the product.
    """

    array: SSAValue
    letters: Letters
    negated: bool = False
    divides: bool = False

    @property
    def is_mask(self) -> bool:
        """Whether the elements are Bools."""
        return yarr.element_of(self.array) == i1


_SINGLE = Order((0,))


@dataclass(frozen=True)
class Term:
    """A product of arrays in an order, with a sign."""

    factors: tuple[Factor, ...]
    order: Order = _SINGLE
    negative: bool = False


class _Names:
    """A supply of fresh names of axes."""

    def __init__(self, used: Letters):
        self._free = [letter for letter in LETTERS if letter not in used]

    def fresh(self) -> str | None:
        """A fresh name; None if all are in use."""
        return self._free.pop(0) if self._free else None


def sum_of_products(
    value: SSAValue, letters: Letters, names: _Names, *, nests: bool = True
) -> list[Term]:
    """The normal form of an array: a sum of products of arrays over named axes.

    Closed under addition, negation and nested summation, under products of terms that are no sums,
    and under quotients of such a term. Transpositions and added axes are absorbed into the names.
    Looks through an operation only if its result has no other user, or is larger than the operands;
    through a contraction only if the normal form ``nests``.
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
        case yarr.ElementwiseOp() if value.has_one_use() or _is_outer(op):
            return _elementwise(op, letters, names, nests) or [Term((Factor(value, letters),))]
        case yarr.EinsumOp() | yarr.InOrderOp() if (
            nests and value.has_one_use() and None not in letters
        ):
            return [_nested(op, letters, names) or Term((Factor(value, letters),))]
        case _:
            return [Term((Factor(value, letters),))]


def _is_outer(op: yarr.ElementwiseOp) -> bool:
    """Whether the result is larger than each operand, which are broadcast."""
    return all(yarr.shape_of(x) != yarr.shape_of(op.result) for x in op.arguments)


def _elementwise(
    op: yarr.ElementwiseOp, letters: Letters, names: _Names, nests: bool
) -> list[Term] | None:
    body = op.body.block.first_op
    if body is None or body.next_op is not op.body.block.last_op:
        return None
    if isinstance(body, arith.SelectOp):
        masked = _masked(op, body, letters, names, nests)
        if masked is None and nests:
            masked = _masked(op, body, letters, names, False)
        return masked or _masked(op, body, letters, names, False, _is_spread)
    element = yarr.element_of(op.result)
    product, sum_ = (algebra_for(kind, element) for kind in ("mul", "add"))
    if product is None or sum_ is None:
        return None
    if body.name not in (product.name, product.quotient, *terms_of(sum_.name)):
        return None
    operands = [op.arguments[op.body.block.args.index(o)] for o in body.operands]
    if body.name == product.quotient:
        return _quotient(op, operands, letters, names, nests)
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
    names: _Names,
    nests: bool,
) -> list[Term] | None:
    """The factors of the dividend, and the divisor; None for a divisor that is a diagonal."""
    value, by = (Factor(operand, _named(operand, op.result, letters)) for operand in operands)
    axes = [letter for letter in by.letters if letter is not None]
    if len(set(axes)) < len(axes):
        return None
    dividend = sum_of_products(value.array, value.letters, names, nests=nests)
    (term,) = dividend if len(dividend) == 1 else [Term((value,))]
    parts = (*_parts(term.order, is_first=True), len(term.factors))
    factors = (*term.factors, replace(by, divides=True))
    return [replace(term, factors=factors, order=Order(parts))]


def _are_clearable(factors: Sequence[Factor]) -> bool:
    """Whether masks are those of a product, of which a factor has all axes of each."""
    are_several = sum(not factor.is_mask for factor in factors) > 1
    return are_several and all(list(_clearable(f, factors)) for f in factors if f.is_mask)


def _masked(
    op: yarr.ElementwiseOp,
    body: arith.SelectOp,
    letters: Letters,
    names: _Names,
    nests: bool,
    is_product: Callable[[Sequence[Factor]], bool] = _are_clearable,
) -> list[Term] | None:
    """``where(c & d, x, 0)`` as a product whose last factors are the masks c and d.

    None if these factors are no product.
    """
    condition, value, other = (op.arguments[op.body.block.args.index(o)] for o in body.operands)
    is_negated = is_zero(value)
    if is_negated:
        value, other = other, value
    if not is_zero(other):
        return None
    terms = sum_of_products(value, _named(value, op.result, letters), names, nests=nests)
    if len(terms) > 1:
        return None
    (term,) = terms
    mask = Factor(condition, _named(condition, op.result, letters), is_negated)
    masks = list(_conjuncts(mask))
    factors = (*term.factors, *masks)
    if not is_product(factors):
        return None
    numbers = range(len(term.factors), len(factors))
    parts = (*_parts(term.order, is_first=True), *numbers)
    return [replace(term, factors=factors, order=Order(parts))]


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
    axes = [frozenset(letter for letter in f.letters if letter is not None) for f in factors]
    return frozenset[str]().union(*axes) not in axes


def _clearable(mask: Factor, factors: Sequence[Factor]) -> Iterator[int]:
    """The numbers of the factors that have all axes of a mask."""
    axes = {letter for letter in mask.letters if letter is not None}
    return (
        k for k, f in enumerate(factors) if not f.is_mask and not f.divides and axes <= {*f.letters}
    )


def _is_zero(term: Term) -> bool:
    """Whether a term is the literal 0: it changes only the sign of a zero, which no sum keeps."""
    return len(term.factors) == 1 and is_zero(term.factors[0].array)


def _product(op: yarr.ElementwiseOp, letters: Letters, sides: list[list[Term]]) -> Term:
    """A product of two terms; a side that is a sum is one factor, and is not expanded."""
    body = op.body.block.first_op
    assert body is not None
    factors, parts = list[Factor](), list[int | Order]()
    negative = False
    for operand, terms in zip(body.operands, sides, strict=True):
        term = terms[0]
        if len(terms) > 1:
            argument = op.arguments[op.body.block.args.index(operand)]
            term = Term((Factor(argument, _named(argument, op.result, letters)),))
        parts.extend(_parts(term.order.shifted(len(factors)), is_first=not factors))
        factors.extend(term.factors)
        negative ^= term.negative
    return Term(tuple(factors), Order(tuple(parts)), negative)


def _parts(order: Order, *, is_first: bool) -> tuple[int | Order, ...]:
    """The parts of a product as parts of a longer one, which multiplies from left to right."""
    return order.parts if not order.summed and (is_first or len(order.parts) == 1) else (order,)


def _nested(op: yarr.EinsumOp | yarr.InOrderOp, letters: Letters, names: _Names) -> Term | None:
    """The factors of a contraction, whose summed axes get names of their own."""
    output, parts = _products_of(op)
    arrays = op.arrays if isinstance(op, yarr.EinsumOp) else op.factors
    if len(arrays) > MOST_FACTORS - 1:
        return None
    inputs = list(yarr.letters_of_factors(parts))
    renamed: dict[str, str | None] = dict(zip(output, letters, strict=True))
    for letter in "".join(inputs):
        if letter not in renamed:
            renamed[letter] = names.fresh()
    if None in renamed.values():
        return None
    factors = tuple(
        Factor(array, tuple(renamed[letter] for letter in text))
        for array, text in zip(arrays, inputs, strict=True)
    )
    order = _order_of((output, parts), renamed, count())
    assert isinstance(order, Order)
    return Term(factors, order)


def _products_of(op: yarr.EinsumOp | yarr.InOrderOp) -> yarr.Products:
    return yarr.ordered_products(op.subscripts.data)


def _order_of(
    products: yarr.Products, renamed: Mapping[str, str | None], numbers: Iterator[int]
) -> int | Order:
    """The order of nested products, whose axes get other names and whose factors get numbers."""
    letters, parts = products
    if parts is None:
        return next(numbers)
    summed = {name for part, _ in parts for letter in part if (name := renamed[letter])}
    kept = {renamed[letter] for letter in letters}
    inner = tuple(_order_of(part, renamed, numbers) for part in parts)
    return Order(inner, frozenset(summed - kept))


def _named(argument: SSAValue, result: SSAValue, letters: Letters) -> Letters:
    """The names of an operand's axes: None for an axis that is broadcast against the others."""
    sizes = zip(yarr.shape_of(argument), yarr.shape_of(result), letters, strict=True)
    return tuple(None if a == 1 and r != 1 else letter for a, r, letter in sizes)


def _negated(term: Term) -> Term:
    return replace(term, negative=not term.negative)


class _Emitter:
    """Emits the contraction of terms before an operation."""

    def __init__(
        self,
        rewriter: PatternRewriter,
        reduced: frozenset[str],
        kept: Sequence[str],
        *,
        is_guarded: bool,
    ):
        self.rewriter = rewriter
        self.reduced = reduced
        self.kept = tuple(kept)
        self.is_guarded = is_guarded
        self._values: dict[Node, Factor] = {}
        self._squeezed: dict[Hashable, SSAValue] = {}

    def emit(self, op: Operation) -> SSAValue:
        self.rewriter.insert(op)
        return op.results[0]

    def _without_ones(self, factor: Factor) -> Factor:
        ones = [d for d, letter in enumerate(factor.letters) if letter is None]
        if not ones:
            return factor
        key, letters = (factor.array, *ones), tuple(filter(None, factor.letters))
        if key not in self._squeezed:
            self._squeezed[key] = self.emit(yarr.SqueezeOp(factor.array, ones))
        array = self._squeezed[key]
        return replace(factor, array=array, letters=letters)

    def _node(self, node: Node, factors: Sequence[Factor], output: Letters | None = None) -> Factor:
        """The value of a node of a plan; ``output`` is the order of its axes, if it matters."""
        if node not in self._values:
            self._values[node] = self._emit(node, factors, output)
        return self._values[node]

    def _emit(self, node: Node, factors: Sequence[Factor], output: Letters | None) -> Factor:
        if node.parts is None:
            (number,) = node.factors
            return self._summed(factors[number], node.letters if output is None else output)
        sides = [self._node(part, factors) for part in node.parts]
        if node.is_quotient:
            return self._quotient(sides, node.letters if output is None else output)
        if node.summed or any(len(set(side.letters)) < len(side.letters) for side in sides):
            return self._einsum(sides, node.letters if output is None else output)
        lhs, rhs = (side.letters for side in sides)
        output = output or tuple(
            dict.fromkeys((*lhs, *rhs) if len(lhs) >= len(rhs) else (*rhs, *lhs))
        )
        arrays = [self._spread(side, output) for side in sides]
        return Factor(self.combine(_class_of("mul", arrays[0]), *arrays), output)

    def _quotient(self, sides: Sequence[Factor], output: Letters) -> Factor:
        """One array divided by another one, summed along the axes that ``output`` lacks."""
        value, by = sides
        if len(set(value.letters)) < len(value.letters):
            value = self._einsum([value], tuple(dict.fromkeys(value.letters)))
        axes = tuple(dict.fromkeys((*value.letters, *by.letters)))
        arrays = [self._spread(side, axes) for side in (value, by)]
        return self._summed(Factor(self.combine(arith.DivfOp, *arrays), axes), output)

    def _einsum(self, sides: Sequence[Factor], output: Letters) -> Factor:
        text = ",".join(_joined(side.letters) for side in sides)
        arrays = [side.array for side in sides]
        return Factor(self.emit(yarr.EinsumOp(f"{text}->{_joined(output)}", arrays)), output)

    def _summed(self, factor: Factor, output: Letters) -> Factor:
        """A factor without the axes that no other factor and no result has."""
        if len(set(factor.letters)) < len(factor.letters):
            return self._einsum([factor], output) if set(factor.letters) > {*output} else factor
        axes = [d for d, letter in enumerate(factor.letters) if letter not in output]
        letters = tuple(letter for letter in factor.letters if letter in output)
        array = factor.array
        if axes:
            array = self.emit(yarr.ReduceOp(array, axes, _class_of("add", array)))
        return Factor(array, letters)

    def _spread(self, factor: Factor, output: Letters) -> SSAValue:
        """The array with axes in an order; those that it lacks have size 1."""
        own = [letter for letter in output if letter in factor.letters]
        order = [factor.letters.index(letter) for letter in own]
        array = factor.array
        if order != sorted(order):
            array = self.emit(yarr.TransposeOp(array, order))
        missing = [d for d, letter in enumerate(output) if letter not in factor.letters]
        return self.emit(yarr.UnsqueezeOp(array, missing)) if missing else array

    def combine(self, name: type[Operation], *values: SSAValue) -> SSAValue:
        """One scalar operation on arrays with the kept axes."""
        return self.emit(elementwise(name, *values))

    def term(self, term: Term) -> SSAValue:
        """The sum of products, with all kept axes; those that no factor has are of size 1."""
        factors = [self._without_ones(factor) for factor in term.factors]
        present = {letter for factor in factors for letter in factor.letters}
        output = tuple(letter for letter in self.kept if letter in present)
        order = _summed_order(term, self.reduced)
        cleared, numbers = self._cleared(factors)
        scales = frozenset(k for k, factor in enumerate(cleared) if _is_scale(factor))
        divisors = frozenset(k for k, factor in enumerate(cleared) if factor.divides)
        letters = [tuple(x for x in factor.letters if x) for factor in cleared]
        arrays = [factor.array for factor in cleared]
        plan = Planner(letters, output, order.numbered(numbers), scales, arrays, divisors).plan()
        self._values.clear()
        result = self._node(plan.root, cleared, output)
        needs_test = not plan.is_in_order or _may_multiply_zero(factors, cleared)
        if needs_test and self.is_guarded and _is_float(result.array):
            result = self._guarded(result, plan, order, factors)
        return self._spread(result, self.kept)

    def _cleared(self, factors: Sequence[Factor]) -> tuple[list[Factor], dict[int, int]]:
        """The factors without masks, one of which is 0 where a mask is false; their numbers.

        A mask clears the smallest factor with all of its axes. If there is none, it is a factor of
        zeros and ones, or of zeros and a number that is a factor.
        """
        masks = {k: f for k, f in enumerate(factors) if f.is_mask}
        rest = [k for k, mask in masks.items() if not list(_clearable(mask, factors))]
        values = {k: f for k, f in enumerate(factors) if not f.is_mask}
        if rest:
            scalars = [k for k, f in values.items() if not f.letters and not f.divides]
            one = self._neutral("mul", next(iter(values.values())))
            first = values.pop(scalars[0]) if scalars else one
            values |= {k: self._clear(masks[k], one) for k in rest[1:]}
            values[rest[0]] = self._clear(masks[rest[0]], first)
        numbers = {number: k for k, number in enumerate(sorted(values))}
        cleared = [values[number] for number in numbers]
        for k in (k for k in masks if k not in rest):
            place = min(_clearable(masks[k], cleared), key=lambda k: len(cleared[k].letters))
            cleared[place] = self._clear(masks[k], cleared[place])
        return cleared, numbers

    def _clear(self, mask: Factor, factor: Factor) -> Factor:
        """``where(mask, factor, 0)``, of a number with the axes of the mask"""
        letters = factor.letters or mask.letters
        condition, value = (self._spread(each, letters) for each in (mask, factor))
        zero = self._spread(self._neutral("add", factor), letters)
        branches = (zero, value) if mask.negated else (value, zero)
        return Factor(self.combine(arith.SelectOp, condition, *branches), letters)

    def _neutral(self, kind: str, factor: Factor) -> Factor:
        """The identity of an operation on the elements of a factor."""
        element = yarr.element_of(factor.array)
        algebra = algebra_for(kind, element)
        neutral = None if algebra is None else algebra.identity(element)
        assert neutral is not None
        return Factor(self.emit(yarr.constant(neutral)), ())

    def _condition(self, mask: Factor) -> SSAValue:
        """The Bools that are true where a product is not cleared."""
        true = self.emit(yarr.constant(IntegerAttr.from_bool(True)))
        return self.combine(arith.XOrIOp, mask.array, self._spread(Factor(true, ()), mask.letters))

    def _guarded(
        self, result: Factor, plan: Plan, order: Order, factors: Sequence[Factor]
    ) -> Factor:
        """The value of a plan, unless that may differ from the program by more than rounding."""
        text, _ = _text_of(order, dict(enumerate(factors)), result.letters)
        finite, normal = (
            [self._values[node].array for node in nodes if not self._is_constant(node)]
            for nodes in (plan.finite, plan.normal)
        )
        arrays = [self._condition(factor) if factor.negated else factor.array for factor in factors]
        guarded = self.emit(yarr.InOrderOp(text, result.array, arrays, finite, normal))
        return Factor(guarded, result.letters)

    def _is_constant(self, node: Node) -> bool:
        return literal_float(self._values[node].array) is not None

    def total(self, terms: Sequence[Term]) -> SSAValue:
        """The sum of terms, with their signs; positive terms first, so that few are negated."""
        ordered = sorted(terms, key=lambda term: term.negative)
        result = self.term(ordered[0])
        if ordered[0].negative:
            result = self._negate(result)
        for term in ordered[1:]:
            combine = _class_of("sub" if term.negative else "add", result)
            result = self.combine(combine, result, self.term(term))
        return result

    def _negate(self, value: SSAValue) -> SSAValue:
        return self.combine(arith.NegfOp, value)


def _may_multiply_zero(factors: Sequence[Factor], cleared: Sequence[Factor]) -> bool:
    """Whether a zero of a mask is multiplied by a factor, which may be infinite or NaN."""
    arrays = [f for f in factors if not f.is_mask and literal_float(f.array) is None]
    return bool(arrays) and len(cleared) > 1 and any(factor.is_mask for factor in factors)


def _summed_order(term: Term, summed: frozenset[str]) -> Order:
    """The order of a term, whose product is summed along some axes."""
    parts = (term.order,) if term.order.summed else term.order.parts
    return Order(parts, summed)


def _is_float(value: SSAValue) -> bool:
    return str(yarr.element_of(value)).startswith("f")


def _class_of(kind: str, array: SSAValue) -> type[Operation]:
    """The operation of a kind, or the difference, on the elements of an array."""
    algebra = algebra_for("add" if kind == "sub" else kind, yarr.element_of(array))
    assert algebra is not None
    name = algebra.difference if kind == "sub" else algebra.name
    assert name is not None
    return OPERATIONS[name]


def _is_scale(factor: Factor) -> bool:
    """Whether a factor is a literal that makes no number smaller.

    A sum that overflows then does so with that factor, too.
    """
    number = literal_float(factor.array)
    if number is None:
        return False
    return 0 < abs(number) <= 1 if factor.divides else 1 <= abs(number) < math.inf


def _joined(letters: Letters) -> str:
    return "".join(letter for letter in letters if letter is not None)


def _text_of(
    part: int | Order, factors: Mapping[int, Factor], output: Letters | None = None
) -> tuple[str, Letters]:
    """The subscripts of an order, and the axes of its value."""
    if isinstance(part, int):
        factor = factors[part]
        sign = yarr.DIVIDES if factor.divides else ""
        return sign + _joined(factor.letters), factor.letters
    inner = [_text_of(each, factors) for each in part.parts]
    texts = [f"({text})" if "->" in text else text for text, _ in inner]
    every = dict.fromkeys(letter for _, letters in inner for letter in letters)
    letters = output or tuple(letter for letter in every if letter not in part.summed)
    return f"{','.join(texts)}->{_joined(letters)}", letters


def raise_contraction(op: yarr.ReduceOp, fused: bool) -> None:
    """``reduce(+, A1 * ... * An + ...)  -->  einsum(A1, ..., An) + ...``"""
    if not is_sum(op.combine) or yarr.rank_of(op.array) > len(LETTERS):
        return
    letters = LETTERS[: yarr.rank_of(op.array)]
    summed = frozenset(letters[axis] for axis in op.axes)
    terms = sum_of_products(op.array, letters, _Names(letters))
    present = {x for term in terms for factor in term.factors for x in factor.letters if x}
    if not all(_worthwhile(term, summed) for term in terms) or not present >= set(letters):
        return
    kept = [letter for letter in letters if letter not in summed]
    if fused and not all(_is_shorter(term, summed, kept) for term in terms):
        return
    combine = single_operation(op.body)
    is_guarded = combine is None or not permits(combine, "reassoc")
    rewriter = PatternRewriter(op)
    result = _Emitter(rewriter, summed, kept, is_guarded=is_guarded).total(terms)
    result.name_hint = op.result.name_hint
    rewriter.replace(op, (), [result])


def _worthwhile(term: Term, summed: frozenset[str]) -> bool:
    """Whether a term is a product in which each summed axis is an axis of some factor.

    The quotient of one factor is if the divisor leaves the sum.
    """
    factors = [factor for factor in term.factors if not factor.divides]
    divisors = [factor for factor in term.factors if factor.divides]
    present = {letter for factor in factors for letter in factor.letters}
    is_product = len(factors) > 1 or any(summed.isdisjoint(by.letters) for by in divisors)
    return is_product and summed <= present and not _integer_negation(term)


def _is_shorter(term: Term, summed: frozenset[str], kept: Sequence[str]) -> bool:
    """Whether the contraction of a term reads arrays with fewer axes than the program's product.

    One pass over all axes takes no longer, and needs no test, where sums of products are fused;
    longer than a product of matrices, for which there are libraries.
    """
    letters = [tuple(x for x in factor.letters if x) for factor in term.factors]
    if len(set(map(frozenset, letters))) == 1:
        return False
    arrays = [factor.array for factor in term.factors]
    divisors = frozenset(k for k, factor in enumerate(term.factors) if factor.divides)
    order = _summed_order(term, summed)
    plan = Planner(letters, kept, order, same=arrays, divisors=divisors).plan()
    is_in_order = plan.is_in_order and not any(factor.is_mask for factor in term.factors)
    is_short = _most_axes(plan) < len({x for each in letters for x in each})
    return is_in_order or is_short or plan.has_matrix_product


def _most_axes(plan: Plan) -> int:
    """The number of axes of the largest pass, or if there are any, of the largest quotient.

    A quotient takes as long as many products.
    """
    divided = plan.most_divided_axes
    return plan.most_axes if divided is None else divided


def _integer_negation(term: Term) -> bool:
    return term.negative and not _is_float(term.factors[0].array)


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

    A divisor, ``a * b / c``, divides the smallest factor or sum with its axes. A mask of a product,
    ``where(c, a * b, 0)``, clears the smallest factor with its axes, or is a factor of zeros and
    ones; ``c & d`` is two masks if neither has all of its axes. A test of the result finds
    products of 0 and infinity (``yarr.in_order``).

    Sums distribute over addition and negation, and contractions nest; factors that share no summed
    axis are contracted separately and multiplied, so a sum of separable terms costs no more than
    its factors. With ``fused``, for libraries that fuse products with their sum, a sum stays as it
    is if all factors have the same axes, or if another order has as many and no product of
    matrices.
    """

    name = "raise-contractions"

    fused: bool = False

    looks_for = (yarr.ReduceOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        for op in operations_in(function):
            if isinstance(op, yarr.ReduceOp):
                raise_contraction(op, self.fused)
