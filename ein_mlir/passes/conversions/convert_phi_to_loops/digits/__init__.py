"""Indices that a body divides, as the counters of several loops.

``array (p < n) { x[p // m, p mod m] }`` is a loop over p, or over ``q < n / m`` and ``r < m`` if m
divides n: then positions are linear, and neighbours are loaded as vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from itertools import product
from typing import TypeVar

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.effects import READS, is_scalar
from ein_mlir.analysis.phi.digits import FEW_PARTS, divided_indices
from ein_mlir.analysis.predicates import SIGNED, predicate_of
from ein_mlir.dialects import phi
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.digits.counters import Counters
from ein_mlir.passes.conversions.convert_phi_to_loops.emission import INDEX

T = TypeVar("T")


def comprehend(
    conversion: Conversion,
    op: phi.ArrayOp,
    sizes: Sequence[SSAValue],
    body: Callable[[Sequence[SSAValue]], None],
) -> None:
    """A loop over the indices of a comprehension, or over the counters that they are::

        if n mod m == 0 and m >= LEAST_ROW { for q < n / m, r < m { .. } } else { for p < n { .. } }

    A remainder that is divided again is small if all divisors are positive, and then divided as a
    float: such a loop has a third version.
    """
    divided = {} if op in conversion.ordered else divided_indices(op, conversion.bounds.forms)
    if not divided:
        conversion.comprehend(op, sizes, body)
        return
    split = Counters(conversion, op)
    counts = [
        count
        for number, size in enumerate(sizes)
        for count in (
            split.counts(divided[number], size, op.sizes[number]) if number in divided else [size]
        )
    ]
    conversion.note(op, "divided indices are several counters, if their divisors divide the sizes")

    def inner(counters: Sequence[SSAValue]) -> None:
        rest, at = list(counters), list[SSAValue]()
        for number in range(len(sizes)):
            if number in divided:
                at.append(conversion.cast(split.number(divided[number], rest), INDEX))
            else:
                at.append(rest.pop(0))
        with _added(conversion.skipped, split.operations):
            body(at)

    def flat() -> None:
        conversion.parallel(sizes, body)

    def with_small_digits() -> None:
        with _added(conversion.small, split.divided_remainders):
            flat()

    def otherwise() -> None:
        if split.divided_remainders:
            conversion.choose(split.is_positive(), with_small_digits, flat)
        else:
            flat()

    def whole() -> None:
        _with_parts_together(conversion, counts, inner)

    conversion.choose(split.is_whole(), whole, otherwise)


def _with_parts_together(
    conversion: Conversion,
    counts: Sequence[SSAValue],
    body: Callable[[Sequence[SSAValue]], None],
) -> None:
    """A parallel loop in whose steps the few values of digits before the last are taken in turn::

        for q < n, t < 2, r < m { e(q, t, r) }  -->  for q < n, r < m { e(q, 0, r); e(q, 1, r) }

    The elements of a butterfly share what they read and compute.
    """
    numbers = enumerate(map(known_int, counts[:-1]))
    few = {k: range(n) for k, n in numbers if n is not None and n in FEW_PARTS}
    rest = [count for k, count in enumerate(counts) if k not in few]

    def together(counters: Sequence[SSAValue]) -> None:
        for numbers in product(*few.values()):
            own, others = (
                dict(zip(few, map(conversion.index, numbers), strict=True)),
                iter(counters),
            )
            body([own[k] if k in own else next(others) for k in range(len(counts))])
        if few:
            _simplify(conversion)

    conversion.parallel(rest, together)


def _simplify(conversion: Conversion) -> None:
    """Decide choices by known digits; let stores be after all loads, which read other elements."""
    build = conversion.frame.builder
    block = build.insertion_point.block
    for op in list(block.ops):
        match op:
            case arith.CmpiOp(lhs=lhs, rhs=rhs):
                test, x, y = SIGNED.get(predicate_of(op)), known_int(lhs), known_int(rhs)
                if test is not None and x is not None and y is not None:
                    Rewriter.replace_op(op, (), [conversion.number(test(x, y), i1)])
            case arith.SelectOp(cond=condition, lhs=lhs, rhs=rhs):
                if (truth := known_int(condition)) is not None:
                    Rewriter.replace_op(op, (), [lhs if truth else rhs])
            case _:
                pass
    ops = list(block.ops)
    if not all(is_scalar(op) or isinstance(op, (*READS, memref.StoreOp)) for op in ops):
        return
    for op in reversed(ops):
        if isinstance(op, memref.StoreOp):
            continue
        if all(result.first_use is None for result in op.results):
            Rewriter.erase_op(op)
    for op in [op for op in ops if isinstance(op, memref.StoreOp)]:
        op.detach()
        build.insert(op)


@contextmanager
def _added(known: set[T], values: Iterable[T]) -> Generator[None]:
    """A set with more elements, in one translation of a body."""
    new = set(values) - known
    known.update(new)
    try:
        yield
    finally:
        known.difference_update(new)
