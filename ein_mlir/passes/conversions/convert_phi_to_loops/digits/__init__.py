"""Indices that a body divides, as the counters of several loops.

``array (p < n) { x[p // m, p mod m] }`` is a loop over p, or over ``q < n / m`` and ``r < m`` if m
divides n: then positions are linear, and neighbours are loaded as vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from typing import TypeVar

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.loops.effects import READS, is_scalar
from ein_mlir.analysis.predicates import SIGNED, predicate_of
from ein_mlir.dialects import phi
from ein_mlir.passes.conversions.convert_phi_to_loops.conversion import Conversion
from ein_mlir.passes.conversions.convert_phi_to_loops.digits.counters import Counters
from ein_mlir.passes.conversions.convert_phi_to_loops.digits.recognition import (
    FEW_PARTS,
    Digits,
    divided_indices,
)
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
    split = _Split(conversion, op, divided, sizes)
    conversion.note(op, "divided indices are several counters, if their divisors divide the sizes")

    def flat() -> None:
        conversion.parallel(sizes, body)

    def with_small_digits() -> None:
        with _added(conversion.small, split.counters.divided_remainders):
            flat()

    def otherwise() -> None:
        if split.counters.divided_remainders:
            conversion.choose(split.counters.is_positive(), with_small_digits, flat)
        else:
            flat()

    def whole() -> None:
        rest, step = split.together(body)

        def elements(counters: Sequence[SSAValue]) -> None:
            if step(counters):
                _store_last(conversion)

        conversion.parallel(rest, elements)

    conversion.choose(split.counters.is_whole(), whole, otherwise)


def accumulated(
    conversion: Conversion,
    op: phi.AccumulateOp,
    sizes: Sequence[SSAValue],
    start: Callable[[], None],
    body: Callable[[Sequence[SSAValue]], None],
    otherwise: Callable[[], None],
) -> None:
    """The same for an accumulation, which starts before its loops: these are in order, since its
    values meet at elements.
    """
    divided = {} if op in conversion.ordered else divided_indices(op, conversion.bounds.forms)
    if not divided:
        otherwise()
        return
    split = _Split(conversion, op, divided, sizes)

    def whole() -> None:
        rest, step = split.together(body)

        def combine(counters: Sequence[SSAValue]) -> None:
            step(counters)

        start()
        conversion.nest(rest, combine)

    conversion.choose(split.counters.is_whole(), whole, otherwise)


class _Split:
    """The loops over the counters that divided indices are."""

    def __init__(
        self,
        conversion: Conversion,
        op: phi.ArrayOp | phi.AccumulateOp,
        divided: Mapping[int, Digits],
        sizes: Sequence[SSAValue],
    ):
        self._c, self._divided, self._rank = conversion, divided, len(sizes)
        self.counters = split = Counters(conversion, op)
        self._counts = [
            count
            for number, size in enumerate(sizes)
            for count in (
                split.counts(divided[number], size, op.sizes[number])
                if number in divided
                else [size]
            )
        ]

    def together(
        self, body: Callable[[Sequence[SSAValue]], None]
    ) -> tuple[list[SSAValue], Callable[[Sequence[SSAValue]], bool]]:
        """The numbers of steps of loops, and their step, in which the few values of digits before
        the last are taken in turn; it says whether there are such::

            for q < n, t < 2, r < m { e(q, t, r) }  -->  for q < n, r < m { e(q, 0, r); e(q, 1, r) }

        The elements of a butterfly share what they read and compute.
        """
        numbers = enumerate(map(known_int, self._counts[:-1]))
        few = {k: range(n) for k, n in numbers if n is not None and n in FEW_PARTS}

        def step(counters: Sequence[SSAValue]) -> bool:
            for numbers in product(*few.values()):
                own = dict(zip(few, map(self._c.index, numbers), strict=True))
                others = iter(counters)
                at = [own[k] if k in own else next(others) for k in range(len(self._counts))]
                self._at(at, body)
            if few:
                _decide_choices(self._c)
            return bool(few)

        return [count for k, count in enumerate(self._counts) if k not in few], step

    def _at(self, counters: Sequence[SSAValue], body: Callable[[Sequence[SSAValue]], None]) -> None:
        rest, at, split = list(counters), list[SSAValue](), self.counters
        for number in range(self._rank):
            if number in self._divided:
                at.append(self._c.cast(split.number(self._divided[number], rest), INDEX))
            else:
                at.append(rest.pop(0))
        with _added(self._c.skipped, split.operations):
            body(at)


def _decide_choices(conversion: Conversion) -> None:
    """Decide choices by known digits."""
    for op in list(conversion.frame.builder.insertion_point.block.ops):
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


def _store_last(conversion: Conversion) -> None:
    """Let stores be after all loads, which read other elements."""
    build = conversion.frame.builder
    block = build.insertion_point.block
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
