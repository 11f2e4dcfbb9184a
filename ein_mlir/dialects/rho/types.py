"""The type of all values, and levels of demand."""

from __future__ import annotations

from enum import IntEnum
from typing import TypeAlias

from xdsl.ir import ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition


@irdl_attr_definition
class ArrayType(ParametrizedAttribute, TypeAttribute):
    """An array of numbers, of any rank: a scalar has rank 0. The rank is decided at run time."""

    name = "rho.array"


ARRAY = ArrayType()


class Level(IntEnum):
    """A level of information about a value, from nothing to all of it."""

    NONE = 0
    DIM = 1
    SHAPE = 2
    FULL = 3


Vector: TypeAlias = tuple[Level, Level, Level, Level]
"""The level of an operand that is needed for each level of the result: a propagation vector."""


def vector(*levels: int) -> Vector:
    """A propagation vector from numbers."""
    none, dim, shape, full = map(Level, levels)
    return none, dim, shape, full


NOTHING = vector(0, 0, 0, 0)
IDENTITY = vector(0, 1, 2, 3)
ONLY_FULL = vector(0, 0, 0, 3)
CONDITION = vector(0, 3, 3, 3)
