"""The signature of a compiled function: checks of arguments, and types of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, TupleType
from xdsl.ir import Attribute

from ein_mlir.analysis.diagnostics import parameter_names
from ein_mlir.analysis.hints import isa
from ein_mlir.dialects import phi
from ein_mlir.errors import EinTypeError, with_article
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.elements import HOST_DTYPES, numpy_dtype
from ein_mlir.runtimes import Runtime

Converter: TypeAlias = Callable[[Any], Any]
"""A function from a given argument to the one that the program takes."""


@dataclass(frozen=True)
class Signature:
    """The types of a compiled function as the host sees them, with the names of its arguments."""

    name: str
    arguments: tuple[tuple[str, Attribute], ...]
    results: tuple[Attribute, ...]

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}: {type_}" for name, type_ in self.arguments)
        return f"{self.name}({arguments}) -> {', '.join(map(str, self.results))}"

    def by_position(self, args: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """All arguments of a call in order; raises EinTypeError for a name that has no place."""
        rest = [name for name, _ in self.arguments[len(args) :]]
        if unknown := [name for name in named if name not in rest]:
            raise EinTypeError(f"{self.name} takes no further argument '{unknown[0]}': {self}")
        return (*args, *(named[name] for name in rest if name in named))


def signature_of(function: func.FuncOp) -> Signature:
    """The names and types of a function as the host sees them."""
    inputs, outputs = phi.host_types(function)
    names = [name or f"arg{k}" for k, name in enumerate(parameter_names(function))]
    return Signature(function.sym_name.data, tuple(zip(names, inputs, strict=True)), outputs)


def has_scalars(type_: Attribute) -> bool:
    """Whether an argument of a type has scalars, which Python's numbers are."""
    type_ = phi.struct_of_arrays(type_)
    if isa(type_, TupleType):
        return any(map(has_scalars, type_.types))
    return not isinstance(type_, phi.VecType)


def _dtype(seen: Attribute) -> np.dtype[Any]:
    """The NumPy dtype of a scalar type that the host sees."""
    return numpy_dtype(HOST_DTYPES[str(seen)])


def checker(runtime: Runtime, name: str, type_: Attribute) -> Converter:
    """A function that checks a given argument and converts it for the program."""
    if isa(type_, TupleType):
        fields = [checker(runtime, f"{name}[{k}]", field) for k, field in enumerate(type_.types)]
        expected = f"a tuple of {len(fields)}"
        convert = partial(_as_record, fields)
    elif isa(phi.scalar_of(type_), TupleType):
        return checker(runtime, name, phi.struct_of_arrays(type_))
    elif phi.rank_of(type_):
        dtype, rank = _dtype(phi.scalar_of(type_)), phi.rank_of(type_)
        expected = f"an array of {dtype} and rank {rank}"
        convert = partial(runtime.as_array, dtype, rank)
    else:
        dtype = _dtype(type_)
        expected = f"{with_article(str(dtype))} scalar"
        convert = partial(runtime.as_scalar, dtype)

    def check(value: object) -> Any:
        converted = convert(value)
        if converted is None:
            given = runtime.describe(value)
            raise EinTypeError(f"argument {name}: expected {expected}, got {given}")
        return converted

    return check


def conversion(
    runtime: Runtime, check: Converter, type_: Attribute, key: Any, library: str
) -> Converter | None:
    """The conversion of arguments with a key; None where they are taken as they are.

    These are arrays of NumPy, and of the library, and records of them, unless its runtime has a
    conversion for arrays.

    The key of an array has its element type and rank (see ``argument_keys``), and that of Python's
    floats says that they are floats: then there is nothing to check.
    """
    if runtime.conversion is not None:
        if not isinstance(type_, phi.VecType) or isa(phi.scalar_of(type_), TupleType):
            return check
        return runtime.conversion(check, _dtype(phi.scalar_of(type_)), phi.rank_of(type_), key)
    if key is float and isa(type_, AnyFloat):
        return _dtype(type_).type
    return None if _is_taken(phi.struct_of_arrays(type_), key, library) else check


def _is_taken(type_: Attribute, key: Any, library: str) -> bool:
    """Whether values with a key are taken as they are, as records are if all their fields are."""
    if isa(type_, TupleType):
        parts = cast("tuple[Any, ...]", key) if isinstance(key, tuple) else ()
        fields = parts[2] if len(parts) == 3 and isinstance(parts[0], type) else ()
        return len(fields) == len(type_.types) and all(
            _is_taken(field, own, library) for field, own in zip(type_.types, fields, strict=True)
        )
    dtype, rank = _dtype(phi.scalar_of(type_)), phi.rank_of(type_)
    libraries = {"numpy", library} if rank else {library} - {"numpy"}  # whose scalars are no arrays
    return dtype.kind != "c" and any(key == (each, dtype, rank) for each in libraries)


def converting(
    function: Callable[[Sequence[Any]], Any], conversions: Sequence[Converter | None]
) -> Callable[[Sequence[Any]], Any]:
    """A function that first converts those of its arguments that have a conversion."""
    needed = [(k, convert) for k, convert in enumerate(conversions) if convert is not None]
    if not needed:
        return function

    def call(arguments: Sequence[Any]) -> Any:
        converted = list(arguments)
        for k, convert in needed:
            converted[k] = convert(converted[k])
        return function(converted)

    return call


def _as_record(fields: Sequence[Callable[[object], Any]], value: object) -> Any:
    if not isinstance(value, tuple):
        return None
    values = cast(tuple[object, ...], value)
    if len(values) != len(fields):
        return None
    return tuple(check(field) for check, field in zip(fields, values, strict=True))


def finisher(runtime: Runtime, results: Sequence[Attribute]) -> Callable[[Any], Any]:
    """A function that converts the value of the emitted function: scalars get their types."""
    finishers = [_result(runtime, phi.struct_of_arrays(type_)) for type_ in results]
    return finishers[0] if len(finishers) == 1 else _of_fields(finishers)


def _of_fields(finishers: Sequence[Converter]) -> Converter:
    """A function that finishes the values of a tuple."""
    if all(finish is _as_it_is for finish in finishers):
        return _as_it_is
    return lambda values: tuple([f(v) for f, v in zip(finishers, values, strict=True)])


def _as_it_is(value: Any) -> Any:
    return value


def _result(runtime: Runtime, type_: Attribute) -> Converter:
    if isa(type_, TupleType):
        return _of_fields([_result(runtime, field) for field in type_.types])
    if phi.rank_of(type_) or runtime.finish_scalar is None:
        return _as_it_is
    return partial(runtime.finish_scalar, _dtype(type_))
