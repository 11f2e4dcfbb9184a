"""Copies of a comprehension for Ints at the ends of the range, where sums with them may wrap."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.ir import SSAValue

from ein_mlir.analysis.phi.index_ranges import ORDINARY
from ein_mlir.dialects import phi
from ein_mlir.rewriting.phi.insertion import Builder
from ein_mlir.rewriting.phi.versions import versions


def copy_for_others(array: phi.ArrayOp, wide: Iterable[SSAValue]) -> None:
    """Let a comprehension be one for ordinary Ints alone, and add its copy for others.

    ``array (i < n) { e }  -->  array (i < m) { e } ++ array (i < n - m) { e }``

    where m is n if all of some Ints are ordinary, else 0.
    """
    build = Builder.before(array)
    versions(build, array, _are_ordinary(build, wide))


def _are_ordinary(build: Builder, wide: Iterable[SSAValue]) -> SSAValue:
    bounds = ("sge", ORDINARY.low), ("sle", ORDINARY.high)
    return build.all_of([build.compare(atom, *bound) for atom in wide for bound in bounds])


def _limited(build: Builder, atom: SSAValue) -> SSAValue:
    return build.min(build.max(atom, ORDINARY.low), ORDINARY.high)


def limit_to_ordinary(array: phi.ArrayOp, wide: Sequence[SSAValue]) -> None:
    """Let some Ints be provably ordinary in a comprehension, and add its copy for others.

    ``array (i < n) { e }  -->  array (i < m) { e[r := clip(r)] } ++ array (i < n - m) { e }``
    """
    copy_for_others(array, wide)
    before = Builder.before(array)
    for atom in wide:
        limited = _limited(before, atom)
        atom.replace_uses_with_if(limited, lambda use: array.is_ancestor(use.operation))


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
            return inner.copy(array, {**values, old: carried}).results[0]

        return build.fold_over(count, init, step)

    first = taken(build.select(are_ordinary, one, zero), old, limited)
    return taken(build.select(are_ordinary, zero, one), first, {})
