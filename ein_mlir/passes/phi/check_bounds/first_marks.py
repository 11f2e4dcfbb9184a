"""The first of the marks of a comprehension."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Block, Operation, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.check_bounds.marks import Mark, Marking
from ein_mlir.rewriting.phi.builders import comprehensions
from ein_mlir.rewriting.phi.insertion import Builder


def first_of(
    build: Builder,
    sizes: Sequence[SSAValue],
    named: Mapping[int, SSAValue],
    element: Callable[[Builder, Sequence[SSAValue]], Mark],
    marking: Marking,
    depth: int,
) -> Mark:
    """The first of the marks of a comprehension over some of its indices, by their numbers."""

    def over(build: Builder, numbers: Sequence[int], values: Sequence[SSAValue]) -> Mark:
        if not numbers:
            return element(build, values)
        number, *rest = numbers
        vectors = comprehensions(
            build,
            [sizes[number]],
            lambda inner, own: over(inner, rest, (*values, *own)),
            [named[number]],
        )
        step, first = marking.first(build, sizes[number], vectors)
        return first if step is None else marking.at_step(first, depth + number, step)

    return over(build, list(named), ())


def first_in(build: Builder, op: phi.ArrayOp, vectors: Mark, marking: Marking, depth: int) -> Mark:
    """The first of the marks in vectors of all indices of a comprehension."""

    def element(build: Builder, values: Sequence[SSAValue]) -> Mark:
        return [build.get(vector, values) for vector in vectors]

    named = dict(enumerate(op.indices))
    return first_of(build, op.sizes, named, element, marking, depth)


def fields_of(record: SSAValue) -> list[phi.ProjOp]:
    """The reads of all fields of a record, outside of the program."""
    assert isa(record.type, TupleType)
    return [phi.ProjOp(record, number) for number in range(len(record.type.types))]


def block_of(op: Operation) -> Block:
    """The block of an operation."""
    assert op.parent is not None
    return op.parent
