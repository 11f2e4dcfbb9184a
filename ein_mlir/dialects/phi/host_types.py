"""The types of a function as the host program sees them: ``ui8`` for an ``i8`` that has no sign.

Integers of the calculus are signless, and a complex number is a record of two floats. The
attribute ``ein.host_type`` of a function says which arguments and results the host gives and takes
as unsigned or complex numbers ::

    func.func @brightest(%image: !phi.vec<i8>) -> i8
        attributes {ein.host_type = (!phi.vec<ui8>) -> ui8} { .. }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ComplexType,
    Float32Type,
    Float64Type,
    FunctionType,
    IntegerType,
    Signedness,
    TupleType,
)
from xdsl.ir import Attribute, TypeAttribute

from ein_mlir.analysis.hints import isa
from ein_mlir.dialects.phi.types import (
    SCALAR_TYPES,
    VecType,
    rank_of,
    scalar_of,
    struct_of_arrays,
    tuple_of,
    vec_of,
)
from ein_mlir.host.elements import COMPLEX, SCALARS

HOST_TYPE = "ein.host_type"
"""The attribute of a function with its type as the host sees it, where that is another one."""


def _host_types() -> Iterator[tuple[str, TypeAttribute]]:
    storage = {str(type_): type_ for type_ in SCALAR_TYPES}
    for scalar in SCALARS:
        if scalar.is_signed:
            yield scalar.host, storage[scalar.storage]
        else:
            yield scalar.host, IntegerType(scalar.bits, Signedness.UNSIGNED)
    for number in COMPLEX:
        part = storage[number.part.storage]
        assert isinstance(part, Float32Type | Float64Type)
        yield number.host, ComplexType(part)


HOST_TYPES: Mapping[str, TypeAttribute] = dict(_host_types())
"""The scalars that the host sees, by name."""


def stored(type_: Attribute) -> Attribute:
    """The phi type of a type that the host sees: ``!phi.vec<i8>`` for ``!phi.vec<ui8>``."""
    if isinstance(type_, VecType):
        return VecType(stored(type_.element_type))
    if isa(type_, TupleType):
        return tuple_of(map(stored, type_.types))
    if isa(type_, ComplexType):
        return tuple_of([type_.element_type] * 2)
    return IntegerType(type_.width.data) if isa(type_, IntegerType) else type_


def set_host_type(
    function: func.FuncOp, inputs: Sequence[Attribute], outputs: Sequence[Attribute]
) -> None:
    """Note the types that the host sees, if they are not those of the function."""
    types = FunctionType.from_lists(inputs, outputs)
    if types != function.function_type:
        function.attributes[HOST_TYPE] = types


def host_types(function: func.FuncOp) -> tuple[tuple[Attribute, ...], tuple[Attribute, ...]]:
    """The types of the arguments and results of a function as the host sees them.

    Results that a pass has added have their own types.
    """
    own = function.function_type
    seen = function.attributes.get(HOST_TYPE)
    if not isinstance(seen, FunctionType):
        return own.inputs.data, own.outputs.data
    return seen.inputs.data, (*seen.outputs, *own.outputs.data[len(seen.outputs) :])


def wrong_host_type(function: func.FuncOp) -> str | None:
    """The reason why the host cannot see a function of phi as it says; None if it can."""
    seen = function.attributes.get(HOST_TYPE)
    if seen is None:
        return None
    if not isinstance(seen, FunctionType):
        return f"'{HOST_TYPE}' is a function type, not '{seen}'"
    own = function.function_type
    expected = FunctionType.from_lists(
        *(list(map(stored, part)) for part in (seen.inputs, seen.outputs))
    )
    if own not in (expected, _of_arrays(expected)):
        return f"'{HOST_TYPE}' stands for the type '{expected}', and the function has '{own}'"
    return None


def _of_arrays(type_: FunctionType) -> FunctionType:
    """The type of a function after ``struct-of-arrays``."""
    parts = (type_.inputs, type_.outputs)
    return FunctionType.from_lists(*(list(map(struct_of_arrays, part)) for part in parts))


def is_complex(type_: Attribute) -> bool:
    """Whether a type that the host sees is that of complex numbers, or of arrays of them."""
    return isinstance(scalar_of(type_), ComplexType)


def part_of(type_: Attribute) -> Attribute:
    """The type of the real parts of complex numbers: ``!phi.vec<f64>``."""
    element = scalar_of(type_)
    assert isa(element, ComplexType)
    return vec_of(element.element_type, rank_of(type_))


def leaves(type_: Attribute) -> Iterator[Attribute]:
    """The arrays and scalars that represent a type that the host sees: a complex number is two."""
    type_ = struct_of_arrays(type_)
    if is_complex(type_):
        yield from (part_of(type_), part_of(type_))
        return
    if isa(type_, TupleType):
        for field in type_.types:
            yield from leaves(field)
    else:
        yield type_
