"""The order in which a product of several factors is contracted, two at a time.

The program multiplies its factors in an order, and sums some axes on the way. A plan may take
another order if that is cheaper. The plan says where it leaves the order of the program: such
products may overflow or underflow where the program does not, and such sums are distributed, which
is wrong for an empty sum of infinite factors, and where a partial sum overflows. A factor may be a
divisor: a plan divides by it one at a time.

The cost of a plan is counted for axes of equal sizes: the number of steps over four axes, over
three, and so on. A sum of products takes one pass over the axes of both factors; a product without
a sum writes an array, and takes three, as does a quotient. The test of an intermediate array takes
two, and with tests each factor is stored, for the order of the program.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property

from ein_mlir.host.dataclass import dataclass

Letters = tuple[str, ...]
"""The names of the axes of an array; an array may have an axis twice, its diagonal is then read."""

MOST_FACTORS = 5
"""The most factors whose orders are compared; a longer product is contracted from left to right."""


@dataclass(frozen=True)
class Order:
    """The order of a program: a factor, or a product from left to right, and the axes summed then.

    ``(a * b).sum(k) * c`` is ``Order((Order((0, 1), {"k"}), 2))``.
    """

    parts: tuple[int | Order, ...]
    summed: frozenset[str] = frozenset()

    def shifted(self, distance: int) -> Order:
        """The same order of factors whose numbers are larger."""
        parts = tuple(
            part + distance if isinstance(part, int) else part.shifted(distance)
            for part in self.parts
        )
        return Order(parts, self.summed)

    def numbered(self, numbers: Mapping[int, int]) -> Order:
        """The same order of those factors that have a number, which are these."""
        parts = list[int | Order]()
        for part in self.parts:
            if isinstance(part, Order):
                inner = part.numbered(numbers)
                parts.append(inner)
            elif part in numbers:
                parts.append(numbers[part])
        return Order(tuple(parts), self.summed)

    @cached_property
    def leaves(self) -> frozenset[int]:
        """The numbers of the factors."""
        return frozenset(leaf for part in self.parts for leaf in leaves_of(part))

    def products(self) -> Iterator[frozenset[int]]:
        """The factors of each partial product of the program."""
        done = frozenset[int]()
        for part in self.parts:
            if isinstance(part, Order):
                yield from part.products()
            done |= leaves_of(part)
            yield done

    def sums(self) -> Iterator[tuple[str, frozenset[int]]]:
        """Each summed axis, and the factors that it is summed with."""
        for part in self.parts:
            if isinstance(part, Order):
                yield from part.sums()
        for letter in self.summed:
            yield letter, self.leaves


def leaves_of(part: int | Order) -> frozenset[int]:
    """The numbers of the factors of a part of an order."""
    return frozenset((part,)) if isinstance(part, int) else part.leaves


@dataclass(frozen=True)
class Node:
    """A factor, summed along axes of its own, or a product of two nodes, summed along axes."""

    factors: frozenset[int]
    letters: Letters
    """The axes of the value."""
    summed: frozenset[str]
    parts: tuple[Node, Node] | None = None
    is_quotient: bool = False
    """Whether the second node is a divisor of the first one."""
    value: Hashable = None
    """The key of a value: nodes with equal keys are computed once."""

    @property
    def is_matrix_product(self) -> bool:
        """Whether a common axis is summed, and each factor has an axis that the other lacks."""
        if self.parts is None or not self.summed or self.is_quotient:
            return False
        first, second = (frozenset(part.letters) for part in self.parts)
        return self.summed <= first & second and bool(first - second) and bool(second - first)

    @property
    def is_vector_product(self) -> bool:
        """Whether a factor is a matrix, one axis of which is summed with a vector."""
        if self.parts is None or self.is_quotient or len(self.axes) != 2 or len(self.summed) != 1:
            return False
        vector, matrix = sorted(self.parts, key=lambda part: len(part.letters))
        return len(vector.letters) == 1 and matrix.is_leaf

    @property
    def is_leaf(self) -> bool:
        """Whether the node is a single factor."""
        return self.parts is None

    @property
    def axes(self) -> frozenset[str]:
        """The axes of the pass that computes the value."""
        return self.summed.union(self.letters)

    def walk(self) -> Iterator[Node]:
        """The nodes below, and this one."""
        for part in self.parts or ():
            yield from part.walk()
        yield self


@dataclass(frozen=True)
class Plan:
    """A tree of products, and the tests that it needs."""

    root: Node
    normal: tuple[Node, ...]
    """Products that the program does not compute: they may underflow."""
    is_distributed: bool
    """Whether a sum is taken of fewer, or more, factors than in the program."""

    @property
    def is_in_order(self) -> bool:
        """Whether the plan computes the same products and sums as the program."""
        return not self.normal and not self.is_distributed

    @property
    def finite(self) -> tuple[Node, ...]:
        """Nodes whose values are finite only if all products and sums below them are.

        The product of two finite values overflows only if the sum of the program does. A quotient
        by zero is not finite.
        """
        if self.root.parts is None or self.root.summed or self.root.is_quotient:
            return (self.root,)
        return self.root.parts

    @property
    def most_axes(self) -> int:
        """The number of axes of the largest pass."""
        return max(len(node.axes) for node in self.root.walk())

    @property
    def most_divided_axes(self) -> int | None:
        """The number of axes of the largest quotient; None if there is none."""
        return max((len(node.axes) for node in self.root.walk() if node.is_quotient), default=None)

    @property
    def has_matrix_product(self) -> bool:
        """Whether some pass is a product of matrices."""
        return any(node.is_matrix_product for node in self.root.walk())

    @property
    def is_matrix_product(self) -> bool:
        """Whether each of the largest passes is a product of matrices."""
        return all(
            node.is_matrix_product for node in self.root.walk() if len(node.axes) == self.most_axes
        )

    def leads_like(self, other: Plan) -> bool:
        """Whether the plan has as many passes as another over the most axes that one of them has.

        The passes over fewer axes take little of the time of products of matrices.
        """
        place = -1 - min(max(self.most_axes, other.most_axes), 8)
        return self.cost()[place] == other.cost()[place]

    @property
    def is_vector_product(self) -> bool:
        """Whether each pass over two axes or more is a product of a matrix and a vector.

        Then tests are of vectors alone.
        """
        passes = [node for node in self.root.walk() if len(node.axes) > 1 and not node.is_leaf]
        are_products = all(node.is_vector_product for node in passes)
        return bool(passes) and are_products and all(len(node.letters) < 2 for node in self.normal)

    def cost(self) -> tuple[int, ...]:
        """The number of passes over 8, 7, .. and no axes, to be compared in this order."""
        passes = [0] * 9
        for node in {node.value: node for node in self.root.walk()}.values():
            if node.parts is not None or node.summed:
                is_written = node.parts is not None and not node.summed
                own = 4 if node.is_quotient and node.summed else 3 if is_written else 1
                passes[-1 - min(len(node.axes), 8)] += own
        tested = [node for node in self.normal for _ in range(2)]
        if not self.is_in_order:
            leaves = (node for node in self.root.walk() if node.is_leaf)
            tested.extend((*self.finite, *leaves))
        for node in tested:
            passes[-1 - min(len(node.letters), 8)] += 1
        return tuple(passes)


class Planner:
    """Finds the cheapest plan for factors with named axes, some of which are kept in the result.

    ``scales`` are factors that make no sum smaller: literals from 1 on, which may leave a sum.
    ``same`` has a key for each factor, which is that of others if they are the same array.
    ``divisors`` divide the product, of which the first factor is none.
    """

    def __init__(
        self,
        factors: Sequence[Letters],
        kept: Sequence[str],
        order: Order,
        scales: frozenset[int] = frozenset(),
        same: Sequence[Hashable] | None = None,
        divisors: frozenset[int] = frozenset(),
    ):
        self._factors = factors
        self._kept = kept
        self._scales = scales
        self._divisors = divisors
        self._same = range(len(factors)) if same is None else same
        self._products = frozenset(order.products())
        self._sums = {letter: factors - scales for letter, factors in order.sums()}
        self._all = frozenset(range(len(factors)))

    def plan(self) -> Plan:
        """The cheapest plan; of several, the first one from the left."""
        leaves = [self._leaf(number) for number in range(len(self._factors))]
        if len(leaves) > MOST_FACTORS:
            root = leaves[0]
            for leaf in leaves[1:]:
                root = self._pair(root, leaf)
            return self._judged(root)
        plans = sorted(map(self._judged, self._trees(leaves)), key=Plan.cost)
        best = plans[0]
        if best.is_in_order or not best.is_matrix_product:
            return best
        return next((plan for plan in plans if plan.is_in_order and plan.leads_like(best)), best)

    def _trees(self, nodes: Sequence[Node]) -> Iterator[Node]:
        """All binary trees over nodes, the leftmost first."""
        if len(nodes) == 1:
            yield nodes[0]
            return
        first, *others = nodes
        for chosen in range(2 ** len(others) - 1):
            left = [first, *(node for k, node in enumerate(others) if chosen >> k & 1)]
            right = [node for k, node in enumerate(others) if not chosen >> k & 1]
            if self._are_divisors(left):
                left, right = right, left
            if self._are_divisors(left) or (len(right) > 1 and self._are_divisors(right)):
                continue
            for lhs in self._trees(left):
                for rhs in self._trees(right):
                    yield self._pair(lhs, rhs)

    def _are_divisors(self, nodes: Sequence[Node]) -> bool:
        """Whether nodes have no factor but divisors."""
        return all(node.factors <= self._divisors for node in nodes)

    def _leaf(self, number: int) -> Node:
        letters, outside = self._factors[number], self._outside(frozenset((number,)))
        if number in self._divisors:  # a sum of quotients is no quotient of a sum
            outside.update(letters)
        rest = tuple(dict.fromkeys(letter for letter in letters if letter in outside))
        value = (self._same[number], letters, rest)
        return Node(frozenset((number,)), rest, frozenset(letters) - {*rest}, value=value)

    def _pair(self, lhs: Node, rhs: Node) -> Node:
        factors = lhs.factors | rhs.factors
        every = dict.fromkeys((*lhs.letters, *rhs.letters))
        outside = self._outside(factors)
        rest = [letter for letter in self._kept if letter in every]
        rest += [letter for letter in every if letter in outside and letter not in rest]
        is_quotient = rhs.factors <= self._divisors
        value = (lhs.value, rhs.value, frozenset(rest), is_quotient)
        summed = frozenset(every) - {*rest}
        return Node(factors, tuple(rest), summed, (lhs, rhs), is_quotient, value)

    def _outside(self, factors: frozenset[int]) -> set[str]:
        """The axes that are needed after a product: those of the result, and of other factors."""
        others = self._all - factors
        return {*self._kept, *(letter for k in others for letter in self._factors[k])}

    def _judged(self, root: Node) -> Plan:
        inner = [node for node in root.walk() if not node.is_leaf and node is not root]
        normal = tuple(node for node in inner if node.factors not in self._products)
        is_distributed = any(
            node.factors - self._scales != self._sums[letter]
            for node in root.walk()
            for letter in node.summed
        )
        return Plan(root, normal, is_distributed)
