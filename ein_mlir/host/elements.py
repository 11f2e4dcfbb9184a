"""The element types: one table, which all levels and backends read.

A new element type is a row here. It has a storage type in the IR, whose operators then need a
meaning and a lowering (`docs/semantics.md`).

IR has signless integers, as in MLIR: an operator says whether it reads bits as a signed number. So
``u8`` and ``i8`` are both stored as ``i8``, and only the host program sees the difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal

import numpy as np

from ein_mlir.host.dataclass import dataclass

Kind = Literal["bool", "int", "float"]


@dataclass(frozen=True, slots=True, eq=False)
class ScalarType:
    """An element type: a Bool, an Int or a Float of some bits."""

    name: str
    """Its name in Ein: ``u8``. The host sees it as ``ui8``, and operators as ``i8``."""
    kind: Kind
    bits: int
    dtype: str
    """The name of the dtype in NumPy, PyTorch and JAX."""
    c: str
    """The type in C."""
    is_signed: bool = True
    """Whether numbers of the type may be negative."""

    @property
    def host(self) -> str:
        """The type in the signature that the host program sees."""
        return self.storage if self.is_signed else f"u{self.storage}"

    @property
    def storage(self) -> str:
        """The type of its values in IR: the signed one of the same width."""
        return self.name if self.is_signed else f"i{self.bits}"

    @property
    def least(self) -> int:
        """The least number of an integer type."""
        return -(2 ** (self.bits - 1)) if self.is_signed else 0

    @property
    def most(self) -> int:
        """The largest number of an integer type."""
        return 2 ** (self.bits - self.is_signed) - 1

    @property
    def is_default(self) -> bool:
        """Whether a Python number has this type if no partner decides."""
        return self in DEFAULTS.values()

    @property
    def python_name(self) -> str:
        """The name of the Python class of its values."""
        return self.kind.capitalize()

    def __str__(self) -> str:
        return self.python_name if self.is_default else f"{self.python_name} ({self.name})"

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is the type itself: there is one object for each scalar."""
        return _scalar_type, (self.name,)


SCALARS: Final = (
    ScalarType("i1", "bool", 1, "bool", "bool"),
    ScalarType("u8", "int", 8, "uint8", "uint8_t", is_signed=False),
    ScalarType("i8", "int", 8, "int8", "int8_t"),
    ScalarType("u16", "int", 16, "uint16", "uint16_t", is_signed=False),
    ScalarType("i16", "int", 16, "int16", "int16_t"),
    ScalarType("u32", "int", 32, "uint32", "uint32_t", is_signed=False),
    ScalarType("i32", "int", 32, "int32", "int32_t"),
    ScalarType("i64", "int", 64, "int64", "int64_t"),
    ScalarType("bf16", "float", 16, "bfloat16", "__bf16"),
    ScalarType("f16", "float", 16, "float16", "_Float16"),
    ScalarType("f32", "float", 32, "float32", "float"),
    ScalarType("f64", "float", 64, "float64", "double"),
)
"""All scalars; of two, the earlier one is converted to the later one."""

SMALL_FLOATS: Final = ("bf16", "f16")
"""The floats of 16 bits, which are stored; their arithmetic is that of f32, rounded."""

BY_NAME: Final[Mapping[str, ScalarType]] = {type_.name: type_ for type_ in SCALARS}
"""The scalars by their names in Ein."""

BY_HOST: Final[Mapping[str, ScalarType]] = {type_.host: type_ for type_ in SCALARS}
"""The scalars by the types that the host program sees."""


@dataclass(frozen=True, slots=True)
class ComplexType:
    """Complex numbers: records of two Floats in Ein and in IR, single numbers for the host."""

    part: ScalarType
    """The type of the real and of the imaginary part."""
    dtype: str
    """The name of the dtype in NumPy, PyTorch and JAX."""

    @property
    def host(self) -> str:
        """The type in the signature that the host program sees."""
        return f"complex<{self.part.host}>"


COMPLEX: Final = (
    ComplexType(BY_NAME["f32"], "complex64"),
    ComplexType(BY_NAME["f64"], "complex128"),
)
"""The complex numbers."""

HOST_DTYPES: Final[Mapping[str, str]] = {type_.host: type_.dtype for type_ in (*SCALARS, *COMPLEX)}
"""The dtypes of the types that the host program sees."""

STORAGE: Final[tuple[str, ...]] = tuple(type_.storage for type_ in SCALARS if type_.is_signed)
"""The types of scalars in IR."""

DEFAULTS: Final[Mapping[Kind, ScalarType]] = {
    "bool": BY_NAME["i1"],
    "int": BY_NAME["i64"],
    "float": BY_NAME["f64"],
}
"""The type of a number of each kind that no partner decides."""


@cache
def numpy_dtype(name: str) -> np.dtype[Any]:
    """The dtype of NumPy of a name; without ml_dtypes, one of 16 bits without meaning for bf16."""
    if name != "bfloat16":
        return np.dtype(name)
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        return np.dtype("V2")
    return np.dtype(bfloat16)


def _scalar_type(name: str) -> ScalarType:
    return BY_NAME[name]
