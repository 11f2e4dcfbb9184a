"""The first of the marks of a comprehension, and the vectors of marks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import IndexType, TupleType
from xdsl.ir import Block, Operation, Region, SSAValue

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi
from ein_mlir.passes.phi.check_bounds.marks import Mark, Marking
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
        body = Block(arg_types=[IndexType()])
        body.args[0].name_hint = named[number].name_hint
        inner = Builder.at_end(body)
        found = over(inner, rest, (*values, body.args[0]))
        vectors = vectors_of(build, sizes[number], body, found)
        step, first = marking.first(build, sizes[number], vectors)
        return first if step is None else marking.at_step(first, depth + number, step)

    return over(build, list(named), ())


def first_in(build: Builder, op: phi.ArrayOp, vectors: Mark, marking: Marking, depth: int) -> Mark:
    """The first of the marks in vectors of all indices of a comprehension."""

    def element(build: Builder, values: Sequence[SSAValue]) -> Mark:
        return [build.get(vector, values) for vector in vectors]

    named = dict(enumerate(op.indices))
    return first_of(build, op.sizes, named, element, marking, depth)


def vectors_of(build: Builder, size: SSAValue, body: Block, values: Mark) -> Mark:
    """The vectors of values of a body, which lacks its terminator."""
    if len(values) == 1:
        body.add_op(phi.YieldOp(values[0]))
        return (build.emit(phi.ArrayOp([size], Region(body))),)
    record = phi.TupleOp(values)
    type_ = phi.struct_of_arrays(phi.vec_of(record.result.type))
    body.add_ops((record, phi.YieldOp(record)))
    vectors = build.emit(phi.ArrayOp([size], Region(body), type_))
    return [build.emit(each) for each in fields_of(vectors)]


def repeated(build: Builder, size: SSAValue, value: SSAValue) -> SSAValue:
    """``array (i < n) { value }``"""
    body = Block([phi.YieldOp(value)], arg_types=[IndexType()])
    return build.emit(phi.ArrayOp([size], Region(body)))


def fields_of(record: SSAValue) -> list[phi.ProjOp]:
    """The reads of all fields of a record, outside of the program."""
    assert isa(record.type, TupleType)
    return [phi.ProjOp(record, number) for number in range(len(record.type.types))]


def block_of(op: Operation) -> Block:
    """The block of an operation."""
    assert op.parent is not None
    return op.parent


def at_end(block: Block) -> Builder:
    """A builder before the terminator of a block."""
    assert block.last_op is not None
    return Builder.before(block.last_op)
