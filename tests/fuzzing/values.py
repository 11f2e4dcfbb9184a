"""Random arguments of types of phi."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute

from ein_mlir.dialects import phi
from ein_mlir.host.elements import HOST_DTYPES, numpy_dtype

FLOATS = (0.0, 1.0, -1.0, 2.0, 3.0, -2.0, 5.0, 0.5, 1.5)
"""Sums and products of a few of them are exact."""
ODD_FLOATS = (np.nan, np.inf, -np.inf, -0.0)
INTS = (0, 1, 2, 3, -1, 4, -2, 7)
ODD_INTS = (2**63 - 1, -(2**63), 2**62)
SIZES = (3, 3, 2, 1, 0, 4, 5, 7)


def numbers(rng: random.Random, dtype: DTypeLike, count: int) -> list[Any]:
    """Random numbers: small, and sometimes with NaN, infinities or the ends of the range."""
    kind, is_odd = np.dtype(dtype).kind, rng.random() < 0.25
    if kind == "b":
        return rng.choices((False, True), k=count)
    if kind == "f":
        return rng.choices((*FLOATS, *(ODD_FLOATS if is_odd else ())), k=count)
    odd = ODD_INTS if is_odd and np.dtype(dtype).itemsize == 8 else ()
    return rng.choices((*INTS, *INTS, *odd), k=count)


def sizes(rng: random.Random) -> list[int]:
    """The sizes from which those of axes are chosen: often there is only one."""
    size = rng.choice(SIZES)
    return [size] if rng.random() < 0.6 else [size, size, size, *rng.choices(SIZES, k=2)]


def make_value(
    type_: Attribute, rng: random.Random, options: Sequence[int], shape: tuple[int, ...] = ()
) -> Any:
    """A value of a type, under some axes; a record of arrays for an array of records."""
    if isinstance(type_, phi.VecType):
        return make_value(type_.element_type, rng, options, (*shape, rng.choice(options)))
    if isinstance(type_, TupleType):
        fields: Any = type_.types
        return tuple(make_value(field, rng, options, shape) for field in fields)
    dtype = numpy_dtype(HOST_DTYPES[str(type_)])
    values = np.array(numbers(rng, dtype, int(np.prod(shape))), dtype).reshape(shape)
    return values if shape else values[()]


def make_arguments(types: Sequence[Attribute], rng: random.Random) -> tuple[Any, ...]:
    """Arguments of some types."""
    options = sizes(rng)
    return tuple(make_value(type_, rng, options) for type_ in types)
