"""The sizes of values of bodies, computed from values that are visible in another block."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import Block, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.free_indices import leaf_paths, leaf_types
from ein_mlir.analysis.phi.size_equivalence import equal_arguments
from ein_mlir.analysis.scopes import home_of, is_within
from ein_mlir.dialects import phi
from ein_mlir.dialects.phi import Term
from ein_mlir.rewriting.phi.insertion import Emitter, Inserter


def is_visible(value: SSAValue, home: Block) -> bool:
    """Whether a value is defined in a block or around it."""
    return home_of(value).is_ancestor(home)


def made_of(term: Term) -> Term | None:
    """The size or Int that a size is, by the operation that makes the array.

    An accumulator has the size that the loop starts with, and a choice that of either value: an Int
    that a loop computes is not its first one. An argument has that of the first one that is equal
    in each call of a version.
    """
    value, path, axis = term.value, term.path, term.axis
    match op := value.owner:
        case phi.SizeOp():
            return Term(op.array, (), op.axis.value.data)
        case phi.AssertEqOp():
            return Term(op.lhs)
        case phi.LoopOp():
            return None if axis is None else Term(op.start, path, axis)
        case arith.SelectOp() if axis is not None:
            return Term(op.lhs, path, axis)
        case phi.PhiOp():
            return op.size_of_result(path, axis)
        case Block() if isinstance(loop := op.parent_op(), phi.FoldOp) and axis is not None:
            return Term(loop.init, path, axis) if value is loop.accumulator else None
        case Block() if isinstance(derivative := op.parent_op(), phi.DerivativeOp):
            given = (other for own, other in derivative.arguments() if own is value)
            return next((Term(other, path, axis) for other in given), None)
        case Block() if isinstance(function := op.parent_op(), func.FuncOp):
            groups = equal_arguments(function)
            return next((first for first, *others in groups if term in others), None)
        case _:
            return None


def number_of(size: Term) -> int | None:
    """The number that a size is: of a literal, or of an argument that is known to have it."""
    if size.axis is None:
        return None if size.path else known_int(size.value)
    known = phi.known_sizes(size.value)
    return known[size.axis] or None if known else None


Like: TypeAlias = Callable[[SSAValue], SSAValue | None]
"""A value with the sizes of another one, which they are read from; None if there is none."""


def size_at(
    build: Inserter, term: Term, home: Block, like: Like = lambda value: value
) -> SSAValue | None:
    """A size or an Int, from values that are visible in a block; None if it varies in a body."""
    while term.axis is not None or not is_visible(term.value, home):
        known = like(term.value)
        if term.axis is not None and known is not None and is_visible(known, home):
            for field in term.path:
                known = build.proj(known, field)
            return build.size(known, term.axis)
        if (settled := _settled(build, term, home, like)) is not None:
            return settled
        found = made_of(term)
        if found is None:
            return _computed(build, term, home, like)
        term = found
    return term.value


def _settled(build: Inserter, term: Term, home: Block, like: Like) -> SSAValue | None:
    """``where(n > 0, m, size of the start)``, for the result of a fold that has size m in steps.

    None if that is not known around the fold, or if it is plainly the size of the start.
    """
    op = term.value.owner
    if not isinstance(op, phi.FoldOp) or term.axis is None:
        return None
    start, after = Term(op.init, term.path, term.axis), Term(op.yielded(), term.path, term.axis)
    after, first = _source(after, op.accumulator), _source(start)
    if (number := number_of(after)) is not None and number == number_of(first):
        return build.integer(number)
    if after == first or is_within(after.value, op):
        return None
    terms = (Term(op.count), after, start)
    count, own, other = (size_at(build, each, home, like) for each in terms)
    if count is None or own is None or other is None:
        return None
    return build.select(build.compare(count, "sgt", 0), own, other)


def _source(term: Term, end: SSAValue | None = None) -> Term:
    """The size or Int that a size is, by the operations that make arrays."""
    while term.value is not end and (found := made_of(term)) is not None:
        term = found
    return term


def _computed(build: Inserter, term: Term, home: Block, like: Like) -> SSAValue | None:
    """The sum of the sizes of two arrays, that of a scan, or arithmetic on Ints."""
    op = term.value.owner
    if isinstance(op, phi.ScanOp):
        size = size_at(build, Term(op.vec, term.path, term.axis), home, like)
        return None if size is None else build.add(size, 1)
    if isinstance(op, Block) or (not isinstance(op, phi.ConcatOp) and op.dialect_name() != "arith"):
        return None
    parts = [Term(operand, term.path, term.axis) for operand in op.operands]
    known = {part.value: size_at(build, part, home, like) for part in parts}
    values = {each: size for each, size in known.items() if size is not None}
    if len(values) < len(known):
        return None
    if isinstance(op, phi.ConcatOp):
        return build.add(values[op.lhs], values[op.rhs])
    return build.copy(op, values).results[0]


def sizes_at(
    build: Inserter, value: SSAValue, leaf: int, home: Block, like: Like = lambda value: value
) -> list[SSAValue] | None:
    """The sizes of a leaf of a value, from values that are visible in a block."""
    path, type_ = leaf_paths(value.type)[leaf], leaf_types(value.type)[leaf]
    axes = range(phi.rank_of(type_))
    sizes = [size_at(build, Term(value, path, axis), home, like) for axis in axes]
    known = [size for size in sizes if size is not None]
    return known if len(known) == len(sizes) else None


def has_sizes(value: SSAValue, home: Block, like: Like = lambda value: value) -> bool:
    """Whether the sizes of a value are known in a block."""
    trial, leaves = Emitter(), range(len(leaf_types(value.type)))
    found = [sizes_at(trial, value, leaf, home, like) for leaf in leaves]
    trial.discard()
    return None not in found
