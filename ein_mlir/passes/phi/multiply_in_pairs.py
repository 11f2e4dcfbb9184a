"""``multiply-in-pairs``: sums of products of three and more factors take two factors at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AnyFloat, IndexType, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.arithmetic import MOST
from ein_mlir.analysis.contraction_plans import Node, Plan, Planner
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.manager import AnalysisManager
from ein_mlir.analysis.phi.products import Axis, Factor, Product, has_few_values, product_of
from ein_mlir.analysis.phi.selections import Test, is_neutral
from ein_mlir.dialects import phi, sigma
from ein_mlir.dialects.algebra import identity
from ein_mlir.dialects.fastmath import permits
from ein_mlir.dialects.phi.integers import is_nonnegative
from ein_mlir.rewriting.passes import FunctionPass
from ein_mlir.rewriting.phi.builders import addition, difference, sum_of
from ein_mlir.rewriting.phi.float_tests import (
    LIMITS,
    is_infinite,
    is_large_divisor,
    is_small,
    is_small_factor,
)
from ein_mlir.rewriting.phi.insertion import Builder

Positions = Mapping[str, SSAValue]
"""The Int position on each axis, by name."""

Term = Callable[[Builder, Positions], SSAValue]
"""Builds a scalar at some positions."""

Combine = Callable[[Builder, SSAValue, SSAValue], SSAValue]
"""Builds a sum of two values."""

TestOfFloat = Callable[[Builder, SSAValue], SSAValue]
"""Builds a test of a float."""


def is_profitable(plan: Plan, product: Product) -> bool:
    """Whether a pair takes fewer steps than the whole product, or is a product of matrices.

    The steps are counted without thin axes. A product of matrices takes a small part of the time of
    other loops over the same axes, so three matrices are multiplied in pairs. A quotient takes as
    long as many products, so a divisor with fewer axes is a reason of its own.
    """
    names = {name for axis, name in product.names.items() if not has_few_values(axis)}
    pairs = [node for node in plan.root.walk() if node.parts is not None]
    quotients = [node for node in pairs if node.is_quotient]
    if quotients and not plan.is_in_order:
        return all(len(names & node.axes) < len(names) for node in quotients)
    are_matrices = len(pairs) > 1 and all(
        len({product.names[axis] for axis in factor.axes} & names) > 1 for factor in product.factors
    )
    return all(
        len(names & node.axes) < len(names) or (are_matrices and node.is_matrix_product)
        for node in pairs
    )


class _Loops:
    """Builds loops over the axes of a product."""

    def __init__(self, product: Product, build: Builder):
        self._axes = {name: axis for axis, name in product.names.items()}
        self._sizes = {name: _size(axis, build) for name, axis in self._axes.items()}

    def array(self, build: Builder, names: Sequence[str], term: Term) -> SSAValue:
        """The array of a term over axes; the term itself without any."""
        if not names:
            return term(build, {})

        def element(inner: Builder, own: Sequence[SSAValue]) -> SSAValue:
            return term(inner, dict(zip(names, map(inner.as_int, own), strict=True)))

        sizes, axes = [self._sizes[name] for name in names], [self._axes[name] for name in names]
        return build.comprehension(sizes, element, [axis.variable for axis in axes])

    def sum(
        self,
        build: Builder,
        names: Sequence[str],
        start: SSAValue,
        term: Term,
        combine: Combine,
        at: Positions,
        condition: SSAValue | None = None,
    ) -> SSAValue:
        """``start`` and the sum of a term over axes; only ``start`` where a condition is false."""
        if not names:
            total = combine(build, start, term(build, at))
            return total if condition is None else build.select(condition, total, start)
        name, *others = names
        count = self._sizes[name]
        if condition is not None:
            most = build.select(condition, build.integer(MOST), build.integer(0))
            count = build.min(count, most)

        def step(inner: Builder, counter: SSAValue, total: SSAValue) -> SSAValue:
            return self.sum(inner, others, total, term, combine, {**at, name: counter})

        return build.fold_over(count, start, step, [self._axes[name].variable])


def _size(axis: Axis, build: Builder) -> SSAValue:
    """The number of positions on an axis, at least 0; a last short part has a quotient, too."""
    size = axis.size
    if not is_nonnegative(size):
        size = build.max(size, 0)
    if axis.divisor is None:
        return size
    divisor = build.max(axis.divisor, 1)
    if axis.is_remainder:
        return divisor
    return build.floordiv(build.add(size, build.sub(divisor, 1)), divisor)


class Contraction:
    """Writes a sum of products as sums of pairs of factors."""

    def __init__(self, product: Product, plan: Plan):
        self._product = product
        self._plan = plan
        self._type = product.fold.result.type
        self._build = Builder.before(product.place)
        self._loops = _Loops(product, self._build)
        self._arrays = dict[Node, SSAValue]()

    def write(self) -> None:
        """Replace the sum, and keep it in the order of the program for where that is needed."""
        for node in self._plan.root.walk():
            if not node.is_leaf or node.summed:
                self._arrays[node] = self._array(node)
        if not isa(self._type, AnyFloat) or permits(self._product.combine, "reassoc"):
            self._replace(self._total)
        elif self._plan.root.letters and self._starts_at_zero() and not self._may_fail():
            self._compute_again()
            self._replace(self._total if self._product.is_negative else self._root_at)
        else:
            self._choose()

    # Pairs ------------------------------------------------------------------------------------

    def _array(self, node: Node) -> SSAValue:
        """The array of a node over its axes."""
        summed = [name for name in self._product.names.values() if name in node.summed]

        def term(build: Builder, at: Positions) -> SSAValue:
            return self._product_at(node, build, at)

        def element(build: Builder, at: Positions) -> SSAValue:
            if not summed:
                return term(build, at)
            return self._loops.sum(build, summed, self._zero(build), term, self._added, at)

        return self._loops.array(self._build, node.letters, element)

    def _added(self, build: Builder, x: SSAValue, y: SSAValue) -> SSAValue:
        return build.emit(addition(self._product.combine, x, y))

    def _product_at(self, node: Node, build: Builder, at: Positions) -> SSAValue:
        """The factor of a leaf, or the product of both parts of another node."""
        if node.parts is None:
            (number,) = node.factors
            return self._factor(self._product.factors[number], build, at)
        left, right = (self._value(part, build, at) for part in node.parts)
        multiply = arith.MulfOp if isa(self._type, AnyFloat) else arith.MuliOp
        return build.emit((arith.DivfOp if node.is_quotient else multiply)(left, right))

    def _value(self, node: Node, build: Builder, at: Positions) -> SSAValue:
        """The value of a node at positions: an element of its array, if it has one."""
        if node not in self._arrays:
            return self._product_at(node, build, at)
        if not node.letters:
            return self._arrays[node]
        return build.get(self._arrays[node], [at[x] for x in node.letters])

    def _factor(self, factor: Factor, build: Builder, at: Positions) -> SSAValue:
        """A copy of the operations that compute a factor, for other positions."""
        names = self._product.names
        values = {value: at[names[axis]] for value, axis in factor.positions}
        for op in factor.ops:
            if op.results[0] not in values:
                build.insert_copy(op, values)
        return values.get(factor.value, factor.value)

    # The result -------------------------------------------------------------------------------

    def _root_at(self, build: Builder) -> SSAValue:
        """The sum by pairs at the positions of the loops around."""
        at = {
            name: _position(axis, build)
            for axis, name in self._product.names.items()
            if not axis.is_summed
        }
        return self._value(self._plan.root, build, at)

    def _total(self, build: Builder) -> SSAValue:
        """The same with the initial value."""
        combine = difference if self._product.is_negative else addition
        total = self._root_at(build)
        return build.emit(combine(self._product.combine, self._product.fold.init, total))

    def _replace(self, total_of: Callable[[Builder], SSAValue]) -> None:
        """The sum by pairs for that of the program."""
        fold = self._product.fold
        total = total_of(Builder.before(fold))
        total.name_hint = fold.result.name_hint
        Rewriter.replace_op(fold, (), (total,))

    def _starts_at_zero(self) -> bool:
        zero = identity(self._product.combine.name, self._type)
        return zero is not None and is_neutral(self._product.fold.init, zero)

    def _may_fail(self) -> bool:
        """Whether a sum may have a negative count, which is an error where the sum itself is."""
        sums = (axis for axis in self._product.axes if axis.is_summed)
        return not all(is_nonnegative(axis.size) for axis in sums)

    def _compute_again(self) -> None:
        """``fold (once < where(unsafe, 1, 0), y = y) { array of the sums in order }``"""
        root, build = self._plan.root, self._build
        steps = build.steps_if(Test(self._is_unsafe(), True))

        def sums(inner: Builder, once: SSAValue, old: SSAValue) -> SSAValue:
            return self._loops.array(inner, root.letters, self._in_order)

        self._arrays[root] = build.fold_over(steps, self._arrays[root], sums)

    def _in_order(self, build: Builder, at: Positions) -> SSAValue:
        """The sum in the order of the program, at positions on the axes of the result."""
        total = self._copied(build, at)
        if not self._product.is_negative:
            return total
        return build.emit(difference(self._product.combine, self._zero(build), total))

    def _zero(self, build: Builder) -> SSAValue:
        zero = identity(sum_of(self._product.combine).name, self._type)
        assert zero is not None
        return build.constant(zero)

    def _copied(self, build: Builder, at: Positions) -> SSAValue:
        """A copy of the sum of the program, at positions on the axes of the result."""
        fold, names, factors = self._product.fold, self._product.names, self._product.factors
        values = dict[SSAValue, SSAValue]()
        for axis, name in names.items():
            if axis.divisor is not None and not axis.is_summed:
                part = at[name] if axis.is_remainder else build.mul(at[name], axis.divisor)
                known = values.get(axis.variable)
                values[axis.variable] = part if known is None else build.add(known, part)
        for factor in factors:
            for value, axis in factor.positions:
                if not axis.is_summed:
                    values[value] = at[names[axis]]
        for op in dict.fromkeys(op for factor in factors for op in factor.ops):
            if not fold.is_ancestor(op) and op.results[0] not in values:
                build.insert_copy(op, values)
        build.insert_copy(fold, values)
        return values[fold.result]

    def _choose(self) -> None:
        """``fold (k < min(n, where(unsafe, MOST, 0)), x = where(unsafe, x0, x0 + y))``"""
        fold = self._product.fold
        build = Builder.before(fold)
        unsafe = self._is_unsafe()
        most = build.select(unsafe, build.integer(MOST), build.integer(0))
        count = build.min(fold.count, most)
        start = build.select(unsafe, fold.init, self._total(build))
        fold.operands = (count, start)

    def _is_unsafe(self) -> SSAValue:
        """Whether a product or a sum that the program does not compute may be another number.

        If one overflows, its array is not finite. If one underflows, the array has zeros or small
        numbers. Zeros are no harm if each factor is zero or too large for any underflow, and each
        divisor too small.
        """
        build, plan = self._build, self._plan
        overflows = self._any([(node, is_infinite) for node in plan.finite])
        if not plan.normal:
            return overflows
        underflows = self._any([(node, is_small) for node in plan.normal])
        leaves = [node for node in plan.root.walk() if node.is_leaf]
        small = self._any([(leaf, self._test_of(leaf)) for leaf in leaves], underflows)
        return build.or_(overflows, small)

    def _test_of(self, leaf: Node) -> TestOfFloat:
        """Whether a product may be small because of a factor, or of a divisor."""
        divides = leaf.factors <= self._product.divisors
        test = is_large_divisor if divides else is_small_factor
        return partial(test, factors=len(self._product.factors))

    def _any(
        self, tests: Sequence[tuple[Node, TestOfFloat]], condition: SSAValue | None = None
    ) -> SSAValue:
        """Whether an element of the arrays of nodes passes its test, and a condition holds."""
        build = self._build
        total = zero = build.integer(0)
        for node, test in tests:
            axes = (*node.letters, *node.summed) if node.is_leaf else node.letters

            term = partial(self._tested, node, test)
            total = self._loops.sum(build, axes, total, term, Builder.add, {}, condition)
        return build.compare(total, "ne", zero)

    def _tested(self, node: Node, test: TestOfFloat, build: Builder, at: Positions) -> SSAValue:
        """1 where an element of a node, or a factor before it is summed, passes a test."""
        read = self._product_at if node.is_leaf else self._value
        return build.emit(arith.ExtUIOp(test(build, read(node, build, at)), i64))


def _position(axis: Axis, build: Builder) -> SSAValue:
    """The position on an axis in the loops of the program."""
    variable: SSAValue = axis.variable
    if isa(variable.type, IndexType):
        variable = build.as_int(variable)
    if axis.divisor is None:
        return variable
    divide = sigma.FloorModOp if axis.is_remainder else arith.FloorDivSIOp
    return build.emit(divide(variable, axis.divisor))


class MultiplyInPairsPass(FunctionPass):
    """Takes the factors of a sum of products two at a time, if that takes fewer steps.

    Before::

        %r = phi.array (%i < %n) -> !phi.vec<i64> {
          sum (%j < %m, %k < %l) { %a[%i, %j] * %b[%j, %k] * %c[%k] }
        }

    After, in n*m + m*l steps instead of n*m*l::

        %0 = phi.array (%j < %m) -> !phi.vec<i64> { sum (%k < %l) { %b[%j, %k] * %c[%k] } }
        %1 = phi.array (%i < %n) -> !phi.vec<i64> { sum (%j < %m) { %a[%i, %j] * %0[%j] } }
        %r = phi.array (%i < %n) -> !phi.vec<i64> { %1[%i] }

    A product of floats may overflow or underflow in one order and not in the other. So the new
    arrays are tested, and the sums of the program are computed as well, in a fold of one step or
    none, if a test fails. A sum that is a number, or has an initial value, or a count that may be
    negative, stays, with no steps unless a test fails. A sum of negated products, ``x - a * b``, is
    subtracted. A divisor divides the smallest factor or sum with its axes, if that takes fewer
    quotients. An index r whose uses in a product are ``r // p`` and ``r mod p`` is two axes. A
    product is unchanged if every order has a pair with all axes, and if a factor cannot be computed
    at a position of its own, such as one that has a loop in an outer body. A product of three
    matrices, ``a[i, j] * a[j, k] * a[k, i]``, has such a pair, and is one of two matrices and of
    their elements.
    """

    name = "multiply-in-pairs"
    looks_for = (phi.FoldOp,)

    def run(self, function: func.FuncOp, analyses: AnalysisManager) -> None:
        done = set[phi.FoldOp]()
        for op in list(function.walk()):
            if not isinstance(op, phi.FoldOp) or op in done:
                continue
            product = product_of(op)
            if product is None or (isa(op.result.type, AnyFloat) and op.result.type not in LIMITS):
                continue
            names = [
                tuple(product.names[axis] for axis in factor.axes) for factor in product.factors
            ]
            divisors = product.divisors
            plan = Planner(names, product.kept, product.order, divisors=divisors).plan()
            if is_profitable(plan, product):
                analyses.note(op, "the factors of the product are multiplied in pairs")
                done.update(inner for inner in op.walk() if isinstance(inner, phi.FoldOp))
                Contraction(product, plan).write()
