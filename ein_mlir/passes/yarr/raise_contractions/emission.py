"""Contractions of terms: the operations of a plan, and its tests."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from ein_mlir.analysis.contraction_plans import Node, Order, Plan
from ein_mlir.analysis.predicates import predicate_of
from ein_mlir.dialects import yarr
from ein_mlir.dialects.algebra import OPERATIONS, algebra_for
from ein_mlir.dialects.yarr.constants import literal_float
from ein_mlir.passes.yarr.raise_contractions.terms import (
    Factor,
    Letters,
    Term,
    is_float,
    needs_reciprocal,
    plan_of,
    selects_terms,
    with_reciprocal,
)
from ein_mlir.rewriting.yarr.builders import elementwise


class Emitter:
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
        self._masks: dict[Hashable, list[Factor]] = {}
        self._unmasked: dict[Node, Factor] = {}
        self._beyond: list[int] = []
        """The numbers of the factors that a mask clears beyond its scope: these must be finite."""
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
        masks = self._masks.get(node.value, ())
        if node.parts is None:
            (number,) = node.factors
            factor = self._cleared(factors[number], masks)
            return self._summed(factor, node.letters if output is None else output)
        value = self._combined(node, node.parts, factors, output)
        self._unmasked[node] = value
        return self._cleared(value, masks)

    def _combined(
        self, node: Node, parts: Sequence[Node], factors: Sequence[Factor], output: Letters | None
    ) -> Factor:
        """The product or quotient of two nodes."""
        sides = [self._node(part, factors) for part in parts]
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
        value, by = map(self._diagonal, sides)
        axes = tuple(dict.fromkeys((*value.letters, *by.letters)))
        arrays = [self._spread(side, axes) for side in (value, by)]
        return self._summed(Factor(self.combine(arith.DivfOp, *arrays), axes), output)

    def _einsum(self, sides: Sequence[Factor], output: Letters) -> Factor:
        text = ",".join(_joined(side.letters) for side in sides)
        arrays = [side.array for side in sides]
        return Factor(self.emit(yarr.EinsumOp(f"{text}->{_joined(output)}", arrays)), output)

    def _diagonal(self, factor: Factor) -> Factor:
        """A factor with each of its axes once."""
        axes = tuple(dict.fromkeys(factor.letters))
        return factor if len(axes) == len(factor.letters) else self._einsum([factor], axes)

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
        if needs_reciprocal(term.factors):
            term = with_reciprocal(term, self._neutral("mul", term.factors[0]).array)
        factors = [self._without_ones(factor) for factor in term.factors]
        present = {letter for factor in factors for letter in factor.letters}
        output = tuple(letter for letter in self.kept if letter in present)
        order = summed_order(term, self.reduced)
        plan, arrays = self._planned(factors, output, order, _scopes(term))
        self._values.clear()
        self._unmasked.clear()
        result = self._node(plan.root, arrays, output)
        needs_test = not plan.is_in_order or _may_multiply_zero(factors, arrays) or self._beyond
        if needs_test and self.is_guarded and is_float(result.array):
            result = self._guarded(result, plan, order, factors)
        return self._spread(result, self.kept)

    def _planned(
        self,
        factors: Sequence[Factor],
        output: tuple[str, ...],
        order: Order,
        scopes: Mapping[int, Set[int]],
    ) -> tuple[Plan, list[Factor]]:
        """The plan of a product, and its factors without masks; those are for nodes of the plan.

        A mask clears the largest product among the nodes with the fewest axes that have all of its
        own: factors of it may be infinite or NaN where the mask is false. Nodes that have quotients
        by elements, of which 0 may be one there, come first. The mask ``x != 0`` of a factor x
        clears nothing: it is 0 there, as in the derivative of a branch that is not taken. If there
        is no such node, or only a larger one, along whose other axes sums are left, a mask is a
        factor of zeros and ones, or of zeros and a number that is a factor. Factors that a mask
        clears beyond its scope, as y in ``where(c, x, 0) * y``, are tested to be finite.
        """
        masks = [k for k, factor in enumerate(factors) if factor.is_mask]
        spread = [k for k in masks if selects_terms(factors[k], factors, self.reduced)]
        while True:
            arrays, numbers = self._without_masks(factors, spread)
            scales = frozenset(k for k, factor in enumerate(arrays) if _is_scale(factor))
            plan = plan_of(arrays, output, order.numbered(numbers), scales)
            places = {
                k: _place(factors[k], plan, arrays)
                for k in masks
                if k not in spread and not any(_is_nonzero(factors[k], x) for x in arrays)
            }
            unplaced = [k for k, place in places.items() if place is None]
            if not unplaced:
                break
            spread = sorted((*spread, *unplaced))
        self._masks.clear()
        beyond, originals = set[int](), list(numbers)
        for k, place in places.items():
            if place is not None:
                self._masks.setdefault(place.value, []).append(factors[k])
                beyond |= {originals[number] for number in place.factors} - scopes[k] - {*masks}
        self._beyond = [k for k in sorted(beyond) if literal_float(factors[k].array) is None]
        return plan, arrays

    def _without_masks(
        self, factors: Sequence[Factor], spread: Sequence[int]
    ) -> tuple[list[Factor], dict[int, int]]:
        """The factors without masks but those that are factors of zeros and ones; their numbers."""
        values = {k: factor for k, factor in enumerate(factors) if not factor.is_mask}
        if spread:
            scalars = [k for k, f in values.items() if not f.letters and not f.divides]
            one = self._neutral("mul", next(iter(values.values())))
            first = values.pop(scalars[0]) if scalars else one
            values |= {k: self._clear(factors[k], one) for k in spread[1:]}
            values[spread[0]] = self._clear(factors[spread[0]], first)
        numbers = {number: k for k, number in enumerate(sorted(values))}
        return [values[number] for number in numbers], numbers

    def _cleared(self, factor: Factor, masks: Sequence[Factor], kind: str = "add") -> Factor:
        """A factor with the identity of an operation where a mask is false."""
        for mask in masks:
            factor = self._clear(mask, factor, kind)
        return factor

    def _clear(self, mask: Factor, factor: Factor, kind: str = "add") -> Factor:
        """``where(mask, factor, 0)``, of a number with the axes of the mask"""
        factor = self._diagonal(factor)
        letters = factor.letters or mask.letters
        condition, value = (self._spread(each, letters) for each in (mask, factor))
        other = self._spread(self._neutral(kind, factor), letters)
        branches = (other, value) if mask.negated else (value, other)
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
        finite = [self._values[node].array for node in plan.finite if not self._is_constant(node)]
        finite += [factors[k].array for k in self._beyond]
        normal = [self._tested(node).array for node in plan.normal if not self._is_constant(node)]
        arrays = [self._condition(factor) if factor.negated else factor.array for factor in factors]
        guarded = self.emit(yarr.InOrderOp(text, result.array, arrays, finite, normal))
        return Factor(guarded, result.letters)

    def _tested(self, node: Node) -> Factor:
        """The value of a product that may underflow: where a mask clears it, the zeros prove
        nothing, and are ones.
        """
        masks = self._masks.get(node.value, ())
        return self._cleared(self._unmasked[node], masks, "mul") if masks else self._values[node]

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


def _scopes(term: Term) -> dict[int, Set[int]]:
    """The numbers of the factors in the scope of each mask, by its number."""
    return {
        k: {number for number, factor in enumerate(term.factors) if factor.array in mask.scope}
        for k, mask in enumerate(term.factors)
        if mask.is_mask
    }


def _place(mask: Factor, plan: Plan, arrays: Sequence[Factor]) -> Node | None:
    """The node of a plan that a mask clears: not its result, which has a test, nor a sum.

    If there are quotients by elements among the factors, it has such: 0 may be a divisor where the
    mask is false.
    """
    found = list[tuple[bool, int, int, Node]]()
    for node in plan.root.walk():
        of_node = [arrays[k] for k in node.factors]
        axes = of_node[0].axes if node.is_leaf else frozenset(node.letters)
        is_product = node.is_leaf or not (node.summed or node is plan.root)
        if is_product and mask.axes <= axes and not all(f.divides for f in of_node):
            is_finite = not any(_has_quotient(f.array) for f in of_node)
            found.append((is_finite, len(axes), -len(node.factors), node))
    return min(found, key=lambda each: each[:3])[3] if found else None


MOST_VALUES = 32
"""The most values behind a factor among which quotients are sought."""


def _has_quotient(array: SSAValue) -> bool:
    """Whether elementwise operations that an array depends on divide by the elements of one."""
    pending, seen = [array], set[SSAValue]()
    while pending and len(seen) < MOST_VALUES:
        value = pending.pop(0)
        op = value.owner
        if value in seen or not isinstance(
            op, yarr.ElementwiseOp | yarr.SqueezeOp | yarr.UnsqueezeOp | yarr.TransposeOp
        ):
            continue
        seen.add(value)
        pending += op.operands
        if isinstance(op, yarr.ElementwiseOp) and any(map(_is_array, _divisors(op))):
            return True
    return False


def _divisors(op: yarr.ElementwiseOp) -> Iterator[SSAValue]:
    block = op.body.block
    divisors = (each.rhs for each in block.ops if isinstance(each, arith.DivfOp))
    return (op.arguments[block.args.index(each)] for each in divisors if each in block.args)


def _is_array(value: SSAValue) -> bool:
    return any(size != 1 for size in yarr.shape_of(value))


def _is_nonzero(mask: Factor, factor: Factor) -> bool:
    """Whether a mask is that of the elements of a factor that are not zero, or NaN: ``x != 0``."""
    op = _with_ones(mask.array).owner
    test = op.body.block.first_op if isinstance(op, yarr.ElementwiseOp) else None
    if mask.negated or factor.divides or mask.letters != factor.letters:
        return False
    if not isinstance(test, arith.CmpfOp) or predicate_of(test) != "une":
        return False
    assert isinstance(op, yarr.ElementwiseOp)
    block = op.body.block
    if op.body.block.last_op is not test.next_op or not all(o in block.args for o in test.operands):
        return False
    tested, zero = (op.arguments[block.args.index(o)] for o in test.operands)
    return tested is _with_ones(factor.array) and literal_float(zero) == 0.0


def _with_ones(array: SSAValue) -> SSAValue:
    """An array before its axes of size 1 are removed."""
    return array.owner.array if isinstance(array.owner, yarr.SqueezeOp) else array


def _may_multiply_zero(factors: Sequence[Factor], cleared: Sequence[Factor]) -> bool:
    """Whether a zero of a mask is multiplied by a factor, which may be infinite or NaN."""
    arrays = [f for f in factors if not f.is_mask and literal_float(f.array) is None]
    return bool(arrays) and len(cleared) > 1 and any(factor.is_mask for factor in factors)


def summed_order(term: Term, summed: frozenset[str]) -> Order:
    """The order of a term, whose product is summed along some axes."""
    parts = (term.order,) if term.order.summed else term.order.parts
    return Order(parts, summed)


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
