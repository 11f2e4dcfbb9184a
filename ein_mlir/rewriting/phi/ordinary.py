"""Copies of a comprehension for Ints at the ends of the range, where sums with them may wrap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from xdsl.dialects.builtin import TupleType
from xdsl.ir import SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.index_ranges import ORDINARY
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.rewriting.phi.builders import fold_over
from ein_mlir.rewriting.phi.insertion import Builder, Inserter


class Others:
    """A copy of a comprehension for Ints at the ends of the range, where sums with them may wrap.

    ``array (i < n) { e }`` becomes ``array (i < m) { e }``, which is cut, and the copy
    ``array (i < n - m) { e }``, where m is n if all of some Ints are ordinary, else 0.
    """

    def __init__(self, array: phi.ArrayOp, wide: Iterable[SSAValue]):
        build, self.size = Builder.before(array), array.sizes[0]
        are_ordinary, zero = _are_ordinary(build, wide), build.integer(0)
        self._copy = copy_of(array)
        self._copy.operands[0] = build.select(are_ordinary, zero, self.size)
        array.operands[0] = build.select(are_ordinary, self.size, zero)

    def insert(self, build: Builder) -> SSAValue:
        """Add the copy."""
        return build.emit(self._copy)


def _are_ordinary(build: Builder, wide: Iterable[SSAValue]) -> SSAValue:
    bounds = ("sge", ORDINARY.low), ("sle", ORDINARY.high)
    first, *more = (build.compare(atom, *bound) for atom in wide for bound in bounds)
    return reduce(build.and_, more, first)


def _limited(build: Builder, atom: SSAValue) -> SSAValue:
    return build.min(build.max(atom, ORDINARY.low), ORDINARY.high)


def concat(build: Inserter, lhs: SSAValue, rhs: SSAValue, size: SSAValue | None) -> SSAValue:
    """The concatenation of two arrays; those of a record of arrays field by field."""
    if not isa(lhs.type, TupleType):
        return build.emit(phi.ConcatOp(lhs, rhs, size))
    return build.tuple(
        [
            concat(build, build.proj(lhs, k), build.proj(rhs, k), size)
            for k in range(len(lhs.type.types))
        ]
    )


def limit_to_ordinary(array: phi.ArrayOp, wide: Sequence[SSAValue]) -> None:
    """Let some Ints be provably ordinary in a comprehension, and add its copy for others.

    ``array (i < n) { e }  -->  array (i < m) { e[r := clip(r)] } ++ array (i < n - m) { e }``
    """
    others = Others(array, wide)
    before, behind = Builder.before(array), Builder.after(array)
    for atom in wide:
        limited = _limited(before, atom)
        atom.replace_uses_with_if(limited, lambda use: array.is_ancestor(use.operation))
    uses = list(array.result.uses)
    joined = concat(behind, array.result, others.insert(behind), others.size)
    for use in uses:
        use.operation.operands[use.index] = joined


def step_if_ordinary(
    build: Builder, array: phi.ArrayOp, old: SSAValue, wide: Sequence[SSAValue]
) -> SSAValue:
    """The new value of an accumulator, in a step for ordinary Ints or in one for others::

    array { e }  -->  %y = fold (k < m, x = old) { array { e[old := x, r := clip(r)] } }
                      fold (k < 1 - m, x = y) { array { e[old := x] } }
    """
    are_ordinary, one, zero = _are_ordinary(build, wide), build.integer(1), build.integer(0)
    limited = {atom: _limited(build, atom) for atom in wide}

    def taken(count: SSAValue, init: SSAValue, values: Mapping[SSAValue, SSAValue]) -> SSAValue:
        def step(inner: Builder, _: SSAValue, carried: SSAValue) -> SSAValue:
            carried.name_hint = old.name_hint
            return inner.emit(copy_of(array, {**values, old: carried}))

        return fold_over(build, count, init, step)

    first = taken(build.select(are_ordinary, one, zero), old, limited)
    return taken(build.select(are_ordinary, zero, one), first, {})
