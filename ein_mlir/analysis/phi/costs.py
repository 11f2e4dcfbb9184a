"""The cost of the slow parts on a library: loops of calls, and gathered elements.

A cost is a product of sizes and counts, as an expression of the arguments, and as a number where
the arguments are known. The time is an estimate that serves to order costs:

    steps of a loop * operations of a step * 1,000 ns,   elements * 5 ns
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from operator import add, mul, sub
from typing import Any, TypeAlias

from xdsl.dialects import arith, func
from xdsl.ir import BlockArgument, Operation, SSAValue

from ein_mlir.analysis.constants import known_int
from ein_mlir.analysis.phi.free_indices import FreeIndices
from ein_mlir.analysis.scopes import around, nesting, reached, sources
from ein_mlir.dialects import phi
from ein_mlir.host.arrays import as_int
from ein_mlir.host.dataclass import dataclass

Fold: TypeAlias = phi.FoldOp | phi.WhileOp

CALL, ELEMENT = 1000, 5
"""The time of a call in a loop and of a gathered element, in nanoseconds."""
UNKNOWN = 1000
"""A size that is not known, for the order of costs."""

DEPTH = 4
"""The most operations above each other in the expression of a size."""

_SYMBOLS: Mapping[type[Operation], str] = {
    arith.AddiOp: "+",
    arith.SubiOp: "-",
    arith.MuliOp: "*",
    arith.FloorDivSIOp: "//",
}


@dataclass(frozen=True)
class Size:
    """A size or a count as an expression of the arguments, and as a number if it is known."""

    text: str
    number: int | None = None

    def __str__(self) -> str:
        return self.text if self.number is None else str(self.number)


@dataclass(frozen=True)
class Cost:
    """How often something happens, and an estimate of its time in nanoseconds.

    Without a limit it happens so often for each step of a fold that only its condition ends.
    """

    times: Size
    time: int
    limited: bool = True


class Costs:
    """The costs of operations of a function, for arguments if they are given."""

    def __init__(self, function: func.FuncOp, arguments: Sequence[Any] | None = None):
        self._free = FreeIndices(function)
        self._entry = function.body.block
        self._arguments = arguments

    def of_loop(self, op: Fold) -> Cost:
        """The cost of a fold that is a loop: its steps, in all steps of the folds around it."""
        calls = sum(1 for inner in op.body.block.ops if not isinstance(inner, arith.ConstantOp))
        return self._repeated(_folds_around(op), [], calls * CALL)

    def of_elements(self, op: phi.GetOp) -> Cost:
        """The cost of an indexing that gathers: its elements, in all steps of the folds around."""
        indices = sorted(self._free.of(op.result), key=nesting)
        return self._repeated(_folds_around(op), [*map(phi.size_of_index, indices)], ELEMENT)

    def _repeated(self, folds: Sequence[Fold], sizes: Sequence[SSAValue], time: int) -> Cost:
        """The cost of something that happens for all indices, in all steps of folds."""
        unlimited = [
            fold for fold in folds if isinstance(fold, phi.WhileOp) and fold.is_unlimited()
        ]
        limited = [fold.count for fold in reversed(folds) if fold not in unlimited]
        times = self._product([*limited, *sizes])
        estimate = _or_unknown(times) * UNKNOWN ** len(unlimited) * time
        return Cost(times, estimate, not unlimited)

    def _product(self, values: Iterable[SSAValue]) -> Size:
        sizes = [size for size in map(self._size, values) if size.number != 1]
        numbers = [size.number for size in sizes]
        known = prod(n for n in numbers if n is not None) if None not in numbers else None
        return Size(" * ".join(size.text for size in sizes) or "1", known)

    def _size(self, value: SSAValue, depth: int = 0) -> Size:
        """A size, count or Int; one that is computed in many operations has a name alone.

        A loop that tests of sizes may leave without steps counts as one with steps.
        """
        number = known_int(value)
        if number is not None:
            return Size(str(number), number)
        match value.owner:
            case phi.SizeOp(array=array, axis=axis):
                return self._size_of_axis(array, axis.value.data)
            case phi.AssertEqOp(lhs=lhs):
                return self._size(lhs, depth)
            case arith.SelectOp(lhs=lhs, rhs=rhs) if 0 in (known_int(lhs), known_int(rhs)):
                return self._size(rhs if known_int(lhs) == 0 else lhs, depth)
            case Operation() as op if type(op) in _SYMBOLS and depth < DEPTH:
                operands = [self._size(operand, depth + 1) for operand in op.operands]
                return _combined(_SYMBOLS[type(op)], *operands)
            case _:
                name, given = self._named(value)
                return Size(name, as_int(given))

    def _size_of_axis(self, array: SSAValue, axis: int) -> Size:
        name, given = self._named(array)
        shape = getattr(given, "shape", None)
        return Size(f"{name}.shape[{axis}]", None if shape is None else int(shape[axis]))

    def _named(self, value: SSAValue) -> tuple[str, Any]:
        """The name of a value, and the argument that it is, or a field of it."""
        if isinstance(value.owner, phi.ProjOp):
            name, given = self._named(value.owner.record)
            field = value.owner.field.value.data
            return f"{name}[{field}]", None if given is None else given[field]
        given = None
        if isinstance(value, BlockArgument) and value.block is self._entry and self._arguments:
            given = self._arguments[value.index]
        return value.name_hint or "?", given


def _combined(symbol: str, x: Size, y: Size) -> Size:
    text = f"({x.text} {symbol} {y.text})"
    if x.number is None or y.number is None:
        return Size(text)
    return Size(text, _COMPUTED[symbol](x.number, y.number))


def _quotient(x: int, y: int) -> int:
    """Division by zero of Ints is 0."""
    return x // y if y else 0


_COMPUTED: Mapping[str, Callable[[int, int], int]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "//": _quotient,
}


def _or_unknown(times: Size) -> int:
    if times.number is not None:
        return times.number
    return UNKNOWN ** (times.text.count(" * ") + 1)


def _folds_around(op: Operation) -> list[Fold]:
    """The folds whose steps an operation belongs to, innermost first, itself included."""
    return [each for each in around(op) if isinstance(each, Fold)]


def is_computed(op: phi.GetOp) -> bool:
    """Whether the positions of an indexing are computed from indices alone, and not read."""
    owners = (value.owner for value in reached(op.positions, sources))
    return not any(
        isinstance(owner, Operation) and (owner.regions or isinstance(owner, phi.GetOp))
        for owner in owners
    )
