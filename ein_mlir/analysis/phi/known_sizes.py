"""Sizes that are known before the loops of a function run, and in steps that are written out.

A library that compiles loops needs the same sizes in each step. Sizes that double or halve from
step to step, as in the stages of a Fourier transform, would have bounds far above most of them. A
loop of few steps in which an index is divided by such a size is unrolled instead: there are
logarithmically many stages, and each is a program of its own by hand, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from xdsl.dialects import arith, math
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.singularities import is_scalar_operator
from ein_mlir.analysis.phi.size_bounds import counted_by
from ein_mlir.analysis.scopes import around, reached, sources
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi.integers import range_of

MOST_STAGES = 62
"""The most steps that are written out: the powers of two of the next ones, or twice these, are no
Ints."""


def is_invariant_size(value: SSAValue) -> bool:
    """Whether an Int is known wherever sizes are, and no step of a fold computes it."""
    if isinstance(value.owner, phi.SizeOp):
        return True
    return not _is_in_a_fold(value) and all(map(_is_given, _leaves(value, _is_given)))


def varies_by_powers(value: SSAValue) -> bool:
    """Whether an Int is a function of sizes and powers ``2 ** k``, where k counts few steps."""
    leaves = list(_leaves(value, _is_power))
    return any(map(_is_power, leaves)) and all(_is_power(v) or _is_given(v) for v in leaves)


def is_power_of(value: SSAValue, counter: SSAValue) -> bool:
    """Whether an Int is a function of a power of a constant with a counter in the exponent."""
    return any(
        isinstance(each.owner, _POWERS) and counter in reached([each.owner.operands[1]], sources)
        for each in reached([value], sources)
    )


def has_few_steps(op: phi.FoldOp) -> bool:
    """Whether a fold has a known count of at most `MOST_STAGES`."""
    return range_of(op.count).high <= MOST_STAGES and all(
        _is_given(each) or _counts_few(each) for each in _leaves(op.count, _is_given)
    )


_POWERS = (math.IPowIOp, arith.ShLIOp)


def _is_power(value: SSAValue) -> bool:
    """Whether an Int is a power of a constant, and the exponent a function of few steps."""
    op = value.owner
    if not isinstance(op, _POWERS) or known_int(op.operands[0]) is None:
        return False
    leaves = list(_leaves(op.operands[1], _is_given))
    is_counted = all(_is_given(each) or _counts_few(each) for each in leaves)
    return is_counted and any(map(_counts_few, leaves))


def _counts_few(value: SSAValue) -> bool:
    """Whether an Int counts the steps of a fold that `has_few_steps`."""
    fold = counted_by(value)
    return isinstance(fold, phi.FoldOp) and has_few_steps(fold)


def _is_given(value: SSAValue) -> bool:
    """Whether an Int is a size, a number, or one that decides a size outside of all folds."""
    if isinstance(value.owner, phi.SizeOp | arith.ConstantOp):
        return True
    return not _is_in_a_fold(value) and _decides_size(value)


def _is_in_a_fold(value: SSAValue) -> bool:
    place = value.owner if isinstance(value.owner, Block) else value.owner.parent
    op = None if place is None else place.parent_op()
    return any(isinstance(each, phi.FoldOp) for each in around(op))


def _leaves(value: SSAValue, is_leaf: Callable[[SSAValue], bool]) -> Iterator[SSAValue]:
    """The Ints that an Int is a function of: the first that are leaves, or not computed."""

    def operands(value: SSAValue) -> tuple[SSAValue, ...]:
        op = value.owner
        is_computed = isinstance(op, Operation) and (
            is_scalar_operator(op) or isinstance(op, phi.AssertEqOp)
        )
        return tuple(sources(value)) if is_computed and not is_leaf(value) else ()

    return (each for each in reached([value], operands) if not operands(each))


def _decides_size(value: SSAValue) -> bool:
    """Whether a size or count is an Int or a function of it."""

    def functions(value: SSAValue) -> Iterator[SSAValue]:
        users = (use.operation for use in value.uses)
        return (result for op in users if is_scalar_operator(op) for result in op.results)

    return any(
        isinstance(op := use.operation, phi.PhiOp) and op.size_or_count(use.index) is not None
        for each in reached([value], functions)
        for use in each.uses
    )
