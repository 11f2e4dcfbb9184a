"""Copies of the values of bodies for other indices, and the sizes of values in other blocks."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.phi.free_indices import leaf_paths
from ein_mlir.analysis.phi.size_equivalence import SizeEquivalence
from ein_mlir.analysis.scopes import home_of, values_behind
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term
from ein_mlir.rewriting.phi.derivatives.contributions import leaf_type, no_size
from ein_mlir.rewriting.phi.derivatives.sizes import is_visible, size_at
from ein_mlir.rewriting.phi.derivatives.tangents import Leaf
from ein_mlir.rewriting.phi.insertion import Builder, ElementBuilder, Emitter, Inserter


class Copies:
    """Copies of values outside of the bodies of a program, for other indices.

    ``linear`` are the values that depend on the arguments of the program, which no size is read
    from; ``like`` has a value of the same sizes for each argument.
    """

    def __init__(
        self, sizes: SizeEquivalence, linear: set[SSAValue], like: dict[SSAValue, SSAValue]
    ):
        self.sizes = sizes
        self._linear, self._like = linear, like
        self._replaced: dict[SSAValue, SSAValue] = {}

    def now(self, value: SSAValue) -> SSAValue:
        """The value that a value was replaced by; itself if it was not."""
        return self._replaced.get(value, value)

    def substitute(self, placeholder: SSAValue, value: SSAValue) -> None:
        """Replace a value that stands for a cotangent, also in contributions."""
        placeholder.replace_all_uses_with(value)
        self._replaced[placeholder] = value

    def copied(
        self, build: Inserter, value: SSAValue, values: dict[SSAValue, SSAValue], home: Block
    ) -> SSAValue:
        """A copy of a value of a body for other indices, given in ``values``, outside of it."""

        def is_another(each: SSAValue) -> bool:
            return not isinstance(each.owner, Block) and not is_visible(each, home)

        return build.recomputed(self.now(value), values, is_another)

    def bodies_behind(
        self, value: SSAValue, known: Container[SSAValue], home: Block
    ) -> list[Operation]:
        """The operations with bodies that a value is computed by in bodies of a block."""
        behind = values_behind(
            [self.now(value)], lambda each: each not in known and not is_visible(each, home)
        )
        owners = (each.owner for each in behind)
        return [op for op in owners if isinstance(op, Operation) and op.regions]

    def sized(self, build: Inserter, op: phi.PhiOp) -> SSAValue:
        """Add an operation whose sizes are of interest."""
        build.insert(op)
        self.sizes.add(op)
        return op.results[0]

    def inherit(self, new: SSAValue, old: SSAValue) -> None:
        """Give a value the sizes of another."""
        self.sizes.inherit(new, old)
        self._like[new] = self._like.get(old, old)

    def comprehension(
        self, build: Inserter, sizes: Sequence[SSAValue], element: ElementBuilder
    ) -> SSAValue:
        return self.comprehensions(build, sizes, lambda inner, own: [element(inner, own)])[0]

    def comprehensions(
        self,
        build: Inserter,
        sizes: Sequence[SSAValue],
        elements: Callable[[Builder, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> list[SSAValue]:
        emitter = Emitter()
        results = emitter.comprehensions(sizes, elements)
        for op in emitter.ops:
            build.insert(op)
        self.sizes.add(*emitter.ops)
        return results

    def term(self, leaf: Leaf, axis: int) -> Term:
        value, number = leaf
        return Term(value, leaf_paths(value.type)[number], axis)

    def sizes_of(self, build: Inserter, leaf: Leaf, home: Block | None = None) -> list[SSAValue]:
        """The sizes of a linear value, in its block or another one."""
        home = home_of(leaf[0]) if home is None else home
        rank = phi.rank_of(leaf_type(leaf))
        return [self.size(build, self.term(leaf, axis), home) for axis in range(rank)]

    def size(self, build: Inserter, term: Term, home: Block) -> SSAValue:
        """The size of a value, from values that are visible in a block and not linear."""
        found = size_at(build, term, home, self.sized_like)
        if found is None:
            raise no_size(term.value)
        return found

    def int_of(self, build: Inserter, value: SSAValue, home: Block) -> SSAValue:
        """An Int that is visible in a block: the value, or a copy that reads no index."""
        return self.size(build, Term(value), home)

    def sized_like(self, value: SSAValue) -> SSAValue | None:
        """The value that has the sizes of another one, and is not linear."""
        found = self._like.get(value, value)
        return None if found in self._linear else found
