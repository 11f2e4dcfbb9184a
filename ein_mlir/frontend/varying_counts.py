"""Counts that vary with an index by way of the accumulator of a loop around them.

A count that is a function of an index is seen when its fold is traced. One that is a function of an
accumulator is known to vary once the whole step is: a part of the accumulator varies if its initial
value does, or its value after a step, which may read other parts. Then the outermost loop around it
is traced again, and takes what its loops were found to have: in a nest, each step is traced twice.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from ein_mlir.frontend.expr import Expr, Field, Role, Size, Variable, children, field_of
from ein_mlir.frontend.types import RecordType, Type, resolve

Path = tuple[int, ...]


class TracedLoop:
    """A loop that is traced: whether it has varying counts, and the loops in its step, in order."""

    def __init__(self, around: TracedLoop | None = None) -> None:
        self.has_varying_counts = False
        self.is_outermost = around is None
        self._outermost: TracedLoop = self if around is None else around._outermost
        self._has_news = False
        self._inner: list[TracedLoop] = []
        self._next = 0

    @classmethod
    def current(cls) -> TracedLoop:
        """The next loop in the step that is traced; the same as when it was traced before."""
        around = _AROUND.get()
        if around is None:
            return cls()
        if around._next == len(around._inner):
            around._inner.append(cls(around))
        around._next += 1
        return around._inner[around._next - 1]

    @contextmanager
    def step(self) -> Generator[None]:
        """A context in which its step is traced."""
        self._next, self._has_news = 0, False
        token = _AROUND.set(self)
        try:
            yield
        finally:
            _AROUND.reset(token)

    def varies(self) -> None:
        """Note that it has varying counts."""
        self.has_varying_counts = self._outermost._has_news = True

    def is_traced_again(self) -> bool:
        """Whether its step is traced again: it, or a loop in it, was found to have such counts."""
        return self.is_outermost and self._has_news


_AROUND: ContextVar[TracedLoop | None] = ContextVar("_AROUND", default=None)
"""The loop whose step is traced."""


def note_count(count: Expr) -> None:
    """Record a count, or a value that decides counts, at the accumulators that it reads."""
    for variable in count.free:
        if variable.role is Role.ACCUMULATOR and not variable.may_vary:
            variable.counts = (*variable.counts, count)


def decides_varying_counts(accumulator: Variable, start: Expr, body: Expr) -> bool:
    """Whether a count in a step varies with an index, since the accumulator does.

    If it does not, it may vary with the accumulator of a loop around this one.
    """
    if not accumulator.counts or accumulator.may_vary:
        return False
    varying = _varying_parts(accumulator, start, body)
    if any(_varies(count, accumulator, varying) for count in accumulator.counts):
        return True
    note_count(start)
    note_count(body)
    return False


def _varying_parts(accumulator: Variable, start: Expr, body: Expr) -> set[Path]:
    """The parts of an accumulator that vary with an index: the least fixed point."""
    paths = [*_paths(accumulator.type)]
    found = {path for path in paths if _varies(_part(start, path), accumulator, set())}
    while True:
        more = {
            path
            for path in paths
            if path not in found and _varies(_part(body, path), accumulator, found)
        }
        if not more:
            return found
        found |= more


def _paths(type_: Type, path: Path = ()) -> Iterator[Path]:
    """The fields of fields of a record, down to values that are no records."""
    record = resolve(type_)
    if not isinstance(record, RecordType):
        yield path
        return
    for k, field in enumerate(record.fields):
        yield from _paths(field, (*path, k))


def _part(record: Expr, path: Sequence[int]) -> Expr:
    for index in path:
        record = field_of(record, index)
    return record


def _varies(value: Expr, accumulator: Variable, varying: set[Path]) -> bool:
    """Whether a value depends on an index other than by a size, if some parts do."""
    free = value.free
    pending: list[tuple[Expr, Path]] = [(value, ())]
    visited = set[tuple[Expr, Path]]()
    while pending:
        part = expr, path = pending.pop()
        if part in visited or isinstance(expr, Size):
            continue
        visited.add(part)
        if expr is accumulator:
            if any(_overlap(path, other) for other in varying):
                return True
        elif isinstance(expr, Variable):
            if expr in free and (expr.role is Role.INDEX or expr.may_vary):
                return True
        elif isinstance(expr, Field):
            pending.append((expr.operands[0], (expr.index, *path)))
        else:
            pending.extend((child, ()) for child in children(expr))
    return False


def _overlap(one: Path, other: Path) -> bool:
    """Whether one of two parts contains the other."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]
