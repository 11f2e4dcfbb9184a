"""Transposition: the cotangents of the arguments of a linear program, from that of its result.

The operations of a block that depend on its linear arguments are visited in reverse. Each
contributes to the cotangents of its linear operands::

    y = x * c            x += y' * c
    y = select c, x, z   x += select c, y', 0;  z += select c, 0, y'
    y = a[p]             a[p] += y'
    y = array (i < n) { e }         e += y'[i], for each i
    y = fold (k < n, x = z) { e }   e += x', and x' becomes that of x, for each k backwards

A contribution is a value in a body. Around that body are loops: in the end it is collected over
them, into an array for the positions that are indices of loops, as sums over the other loops, and
by a ``phi.accumulate`` for all other positions. So the gradient of a contraction is a contraction,
and that of a gather is an accumulation.

The transposed operations of a body are inserted in the linear body, which holds all values that
they need. Collecting copies the operations that a contribution depends on. The linear program is
erased afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, TupleType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ein_mlir.analysis.phi.element_cost import cost, is_profitable
from ein_mlir.analysis.phi.float_ranges import FloatRanges
from ein_mlir.analysis.phi.free_indices import leaf_types
from ein_mlir.analysis.phi.records import origin
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import home_of, is_within, operands_within, sources_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term
from ein_mlir.dialects.phi.verification import is_regular
from ein_mlir.rewriting.phi.derivatives.collection import Collector
from ein_mlir.rewriting.phi.derivatives.contributions import (
    Contribution,
    SizeForms,
    bound_variable,
    leaf_type,
    loops_around,
    place_of,
)
from ein_mlir.rewriting.phi.derivatives.contributions_of_steps import add_single_steps
from ein_mlir.rewriting.phi.derivatives.copies import Copies
from ein_mlir.rewriting.phi.derivatives.residuals import is_result_of_costly
from ein_mlir.rewriting.phi.derivatives.sizes import is_visible
from ein_mlir.rewriting.phi.derivatives.tangents import Leaf, NoDerivativeError, at_end, zeros
from ein_mlir.rewriting.phi.derivatives.values import linear_values
from ein_mlir.rewriting.phi.insertion import Builder, Inserter

Place: TypeAlias = tuple[Leaf, tuple[SSAValue, ...]]
"""An element of a linear value, by its positions."""

Rule: TypeAlias = Callable[["Transposition", Any, Sequence[SSAValue | None]], None]
"""Contributes to the linear operands of an operation, given the cotangents of its result."""


class Transposition:
    """Transposes one ``phi.transpose``."""

    def __init__(
        self,
        op: phi.TransposeOp,
        sizes: SizeEquivalence,
        rules: Mapping[type[Operation], Rule],
        *,
        shifts: bool,
    ):
        self._rules = rules
        self._op = op
        self.linear = linear_values(op.body.block, op.body.block.args)
        self.contributions: dict[Leaf, list[Contribution]] = {}
        self.sums = set[Operation | None]()
        """The folds around the current block whose steps all have the cotangents of the results."""
        self.chosen, self.whole = set[SSAValue](), set[SSAValue]()
        """Cotangents that are known to be zero by some selections, and others."""
        self.tested = set[SSAValue]()
        """Cotangents that are multiples of one that is not zero where they are chosen."""
        self.regular = set[SSAValue]()
        """Values that are known to be finite where those that they are computed from are."""
        self._elements = dict[SSAValue, Set[phi.GetOp]]()
        """The reads of elements behind values, of those that were asked for."""
        self._steps = dict[phi.GetOp, tuple[object, Sequence[int]]]()
        """The array and the positions without numbers, and the numbers beside variables."""
        self.ranges = FloatRanges()
        like = dict[SSAValue, SSAValue](zip(op.body.block.args, op.like, strict=True))
        self.copies = Copies(sizes, self.linear, like)
        self.forms = SizeForms(sizes)
        self.collector = Collector(self.copies, self.forms, shifts=shifts)
        sizes.add(op)
        for each in op.body.walk():
            if isinstance(each, phi.FoldOp) and each.accumulator in self.linear:
                sizes.inherit(each.accumulator, each.init)
        self._read_sizes_elsewhere()

    def expand(self) -> None:
        """Replace the operation by the cotangents of its arguments."""
        op, block = self._op, self._op.body.block
        build = at_end(block)
        self.transpose(block, self.fields(build, op.cotangent, len(leaf_types(op.cotangent.type))))
        totals = [self.total((argument, 0)) for argument in block.args]
        results = [
            zeros(build, like) if total is None else total
            for total, like in zip(totals, op.like, strict=True)
        ]
        record = build.tuple(results)
        op.result.replace_all_uses_with(record)
        for each in reversed(list(block.ops)):
            if isinstance(each, phi.YieldOp) or self.is_linear(each):
                Rewriter.erase_op(each)
        Rewriter.inline_block(block, InsertPoint.before(op), op.like)
        Rewriter.erase_op(op)

    # Linear values

    def _read_sizes_elsewhere(self) -> None:
        """Let sizes of linear values be those of others."""
        for size in list(self._op.body.walk()):
            if isinstance(size, phi.SizeOp) and size.array in self.linear:
                term = Term(size.array, (), size.axis.value.data)
                build = Builder.before(size)
                Rewriter.replace_op(size, (), (self.copies.size(build, term, home_of(size)),))

    def is_linear(self, op: Operation) -> bool:
        """Whether a result of an operation depends on the arguments."""
        return any(result in self.linear for result in op.results)

    def factor(self, op: Operation, number: int) -> SSAValue | None:
        """An operand that is not linear; None if it is."""
        operand = op.operands[number]
        return None if operand in self.linear else operand

    def leaves_behind(self, op: phi.FoldOp, leaf: int) -> set[int]:
        """The leaves of the accumulator that a leaf of the next one depends on."""
        return self.leaves_before(op, origin(op.yielded(), leaf))

    def leaves_before(self, op: phi.FoldOp, start: Leaf) -> set[int]:
        """The leaves of the accumulator that a value of a step depends on."""
        pending = [start]
        known, found = set[Leaf](), set[int]()
        while pending:
            value, number = each = pending.pop()
            if value is op.accumulator:
                found.add(number)
            elif each not in known and value in self.linear and is_within(value, op):
                known.add(each)
                owner = value.owner
                assert isinstance(owner, Operation)
                for operand in operands_within(owner):
                    if operand in self.linear and not is_within(operand, owner):
                        leaves = range(len(leaf_types(operand.type)))
                        pending += [origin(operand, k) for k in leaves]
        return found

    # Blocks

    def transpose(self, block: Block, cotangents: Sequence[SSAValue | None]) -> None:
        """Transpose a body, given the cotangents of the leaves that it yields."""
        terminator = phi.YieldOp.of(block.last_op)
        for leaf, cotangent in enumerate(cotangents):
            if cotangent is not None:
                self.add(block, terminator.value, cotangent, leaf=leaf)
        stored, instead = self._stored_for_shifts(block)
        for op in reversed(list(block.ops)):
            if self.is_linear(op) and not isinstance(op, phi.TupleOp | phi.ProjOp):
                result = op.results[0]
                if isinstance(op, phi.GetOp):
                    add_single_steps(self, op, block)
                leaves = [(result, k) for k in range(len(leaf_types(result.type)))]
                elements = set[phi.GetOp]()
                if len(leaves) == 1 and op not in instead:
                    elements = self._elements_added(op)
                is_shifted = op in stored
                totals = [self._total_once(leaf, block, elements, is_shifted) for leaf in leaves]
                if any(total is not None for total in totals):
                    self._rule(op)(self, op, totals)

    def _rule(self, op: Operation) -> Rule:
        if type(op) not in self._rules:
            raise NoDerivativeError(op, "it is not linear, or has no transpose")
        return self._rules[type(op)]

    def add(
        self,
        block: Block,
        value: SSAValue,
        cotangent: SSAValue,
        positions: Sequence[SSAValue] = (),
        leaf: int = 0,
    ) -> None:
        """Contribute to the cotangent of a linear value; nothing for zero, which is not linear."""
        root = origin(value, leaf)
        if root[0] in self.linear:
            found = self.contributions.setdefault(root, [])
            found.append(Contribution(block, tuple(positions), cotangent))
            self.collector.axes.note(found[-1])

    def total(self, leaf: Leaf) -> SSAValue | None:
        """The cotangent of a linear value, at the end of its block; None if it is zero."""
        return self._total(leaf, self.contributions.pop(leaf, ()), home_of(leaf[0]))

    def _stored_for_shifts(self, block: Block) -> tuple[Set[Operation], Set[Operation]]:
        """The operations whose cotangents are arrays, since they are read some steps apart.

        ``min(a[i], a[i + 1])`` has one cotangent for both elements. Where more such operations
        depend on the same elements than there are elements, as in a network that sorts them, the
        cotangents of these are stored, and not those of the operations, which are the second set.
        """
        groups = list[tuple[set[Operation], set[phi.GetOp]]]()
        for op in block.ops:
            is_single = self.is_linear(op) and not isinstance(op.results[0].type, TupleType)
            if is_single and self._are_shifted(elements := self._elements_added(op)):
                ops, reads = {op}, set(elements)
                for group in [each for each in groups if each[1] & elements]:
                    groups.remove(group)
                    ops |= group[0]
                    reads |= group[1]
                groups.append((ops, reads))
        stored, instead = set[Operation](), set[Operation]()
        for ops, reads in groups:
            is_fewer = len(reads) < len(ops) and all(each.parent is block for each in reads)
            stored |= reads if is_fewer else ops
            instead |= ops if is_fewer else set[Operation]()
        return stored, instead

    def _total_once(
        self, leaf: Leaf, block: Block, elements: Set[phi.GetOp], is_shifted: bool
    ) -> SSAValue | None:
        """The cotangent of a linear value; one that takes a loop is computed once for all uses.

        So is one that is a contribution to some elements.
        """
        total = self.total(leaf)
        if total is None:
            return None
        value = self.copies.now(total)
        if is_result_of_costly(value):
            return self.shared(leaf, total, block)
        home, outside = _outside(block), self._outside_sums(block)
        # Native code takes longer to store those of comprehensions than to compute them again.
        loops = [loop.variable.type for loop in loops_around(block, outside)]
        is_pair = len(loops) <= 2 and IndexType() not in loops
        if is_shifted or (is_pair and self._is_stored(value, elements, outside)):
            home = outside
        elif isinstance(leaf[0].owner, phi.FoldOp):
            return total
        is_read = not (is_shifted or elements) or self.collector.sums.is_read(value)
        if not is_read and not self.collector.sums.is_selected(value, home):
            return self.shared(leaf, total, block, home)
        return total

    def _is_stored(self, value: SSAValue, elements: Set[phi.GetOp], home: Block) -> bool:
        """``f(a[i] - a[j])``: whether it takes long to compute a cotangent for each element."""
        reads = max(Counter(each.array for each in elements).values(), default=1)
        return reads > 1 and not is_profitable(self._cost(value, home), reads, is_repeated=False)

    def _cost(self, value: SSAValue, home: Block) -> int:
        """The cost of the scalar operations in bodies of a block that a value is computed by."""
        pending, known = [value], dict[Operation, int]()
        while pending:
            each = self.copies.now(pending.pop())
            op = each.owner
            if isinstance(op, Operation) and op not in known and not is_visible(each, home):
                known[op] = cost(op) or 0
                pending += () if isinstance(op, phi.PhiOp) else op.operands
        return sum(known.values())

    def _outside_sums(self, block: Block) -> Block:
        """The block around the comprehensions and sums that a block is a body of.

        The steps of sums of sizes that vary are not those of a comprehension.
        """
        home = _outside(block)
        while (op := home.parent_op()) in self.sums:
            assert op is not None
            home = _outside(home_of(op))
        if all(is_visible(loop.size, home) for loop in loops_around(block, home)):
            return home
        return _outside(block)

    def _are_shifted(self, elements: Set[phi.GetOp]) -> bool:
        """``a[i] + a[i + 1]``: whether elements of an array are some numbers of steps apart."""
        known = dict[object, Sequence[int]]()
        for each in elements:
            if each not in self._steps:
                forms = [self.forms.form_of(position) for position in each.positions]
                alike = tuple(form - form.constant for form in forms)
                steps = [form.constant for form in forms if form.coefficients]
                self._steps[each] = (each.array, alike), steps
            alike, steps = self._steps[each]
            if known.setdefault(alike, steps) != steps:
                return True
        return False

    def _elements_added(self, op: Operation) -> Set[phi.GetOp]:
        """``a[p] + b[q]``: the elements of arrays, if each of two linear operands has some.

        Those that a loop reads, too.
        """
        if isinstance(op, phi.FoldOp):
            return self._elements_behind(op.result)
        if not isinstance(op, arith.AddfOp | arith.SubfOp):
            return set[phi.GetOp]()
        lhs, rhs = (self._elements_behind(each) for each in op.operands)
        return lhs | rhs if lhs and rhs and len(lhs | rhs) > 1 else set[phi.GetOp]()

    def _elements_behind(self, value: SSAValue) -> Set[phi.GetOp]:
        """The reads of elements in a body that a linear scalar of it depends on.

        Each value is asked for once: sums of a long chain share what is behind them.
        """
        known, pending = self._elements, [value]
        while pending:
            each = pending[-1]
            if each in known or each not in self.linear:
                known.setdefault(each, frozenset())
            elif isinstance(op := each.owner, phi.GetOp):
                known[each] = {op}
            else:
                behind = tuple(sources_within(each))
                if left := [source for source in behind if source not in known]:
                    pending += left
                    continue
                known[each] = set[phi.GetOp]().union(*(known[source] for source in behind))
            pending.pop()
        return known[value]

    def _total(
        self,
        leaf: Leaf,
        contributions: Iterable[Contribution],
        home: Block,
        start: SSAValue | None = None,
    ) -> SSAValue | None:
        """The sum of contributions to a value, and of another total; None if there are none."""
        op, terms = home.parent_op(), self.terms(leaf)
        in_place = start is not None and isinstance(op, phi.FoldOp) and not is_regular(op)
        parts = [
            part
            for each in contributions
            for part in self.collector.collected(terms, each, home, in_place=in_place)
        ]
        return self.collector.joined(terms, parts, home, start) if parts else start

    def terms(self, leaf: Leaf) -> list[Term]:
        """The sizes of a leaf."""
        return [self.copies.term(leaf, axis) for axis in range(phi.rank_of(leaf_type(leaf)))]

    def escaped(self, op: Operation) -> list[Leaf]:
        """The values outside of an operation that its body contributes to."""
        return [
            leaf
            for leaf, found in self.contributions.items()
            if not is_within(leaf[0], op) and any(op.is_ancestor(each.block) for each in found)
        ]

    def over_steps(
        self, build: Inserter, op: phi.FoldOp, values: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """The arrays of values of all steps, which do not depend on each other."""
        home = place_of(op)[0]

        def step(inner: Inserter, indices: Sequence[SSAValue]) -> list[SSAValue]:
            known: dict[SSAValue, SSAValue] = {op.counter: inner.as_int(indices[0])}
            return [self.copies.copied(inner, value, known, home) for value in values]

        return self.copies.comprehensions(build, [op.count], step) if values else []

    def totals_of_step(
        self, op: phi.FoldOp, start: Mapping[Leaf, SSAValue]
    ) -> dict[Leaf, SSAValue]:
        """The cotangents of values outside after a step, at the end of the body.

        ``start`` has those before the step.
        """
        totals: dict[Leaf, SSAValue] = {}
        for leaf, before in start.items():
            inside, outside = list[Contribution](), list[Contribution]()
            for each in self.contributions.pop(leaf):
                (inside if op.is_ancestor(each.block) else outside).append(each)
            if outside:
                self.contributions[leaf] = outside
            total = self._total(leaf, inside, op.body.block, before)
            assert total is not None
            totals[leaf] = total
        return totals

    def fields(self, build: Inserter, value: SSAValue, count: int) -> list[SSAValue]:
        """The values of a record of several."""
        found = build.unpacked(value, count)
        if count > 1:
            owners = (each.owner for each in found)
            self.copies.sizes.add(*(each for each in owners if isinstance(each, Operation)))
        return found

    # Cotangents of several blocks

    def shared(
        self, leaf: Leaf, value: SSAValue, block: Block, home: Block | None = None
    ) -> SSAValue:
        """``e  -->  g[i]`` with ``g = array (i < n) { e }``, in the bodies of comprehensions.

        Many steps of a loop in the body read the value, for other indices.
        """
        home = home or _outside(block)
        value = self.copies.now(value)
        if home is block or is_visible(value, home) or isinstance(value.owner, phi.GetOp):
            return value
        loops = list(loops_around(block, home))
        terms = [*(Term(loop.size) for loop in loops), *self.terms(leaf)]
        array = self.collector.gathered(terms, loops, (), value, home)
        variables = [loop.variable for loop in loops]
        return at_end(block).get(array, variables)

    def shared_histories(self, values: Sequence[SSAValue], block: Block) -> list[SSAValue]:
        """The same for arrays that a loop computes, which runs once for all of them."""
        home = _outside(block)
        if home is block or not values:
            return list(values)
        loops, build = list(loops_around(block, home)), at_end(home)
        variables = [loop.variable for loop in loops]

        def element(inner: Inserter, indices: Sequence[SSAValue]) -> list[SSAValue]:
            known = bound_variable(inner, variables, indices)
            return [self.copies.copied(inner, value, known, home) for value in values]

        sizes = [self.copies.int_of(build, loop.size, home) for loop in loops]
        arrays = self.copies.comprehensions(build, sizes, element)
        return [at_end(block).get(array, variables) for array in arrays]

    def copy(
        self, build: Inserter, value: SSAValue, values: dict[SSAValue, SSAValue], op: Operation
    ) -> SSAValue:
        """A copy of a value of the body of an operation, outside of the operation."""
        return self.copies.copied(build, value, values, place_of(op)[0])


def _outside(block: Block) -> Block:
    """The block around the comprehensions that a block is a body of."""
    while isinstance(op := block.parent_op(), phi.ComprehensionOp):
        block = home_of(op)
    return block
