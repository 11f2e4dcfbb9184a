"""What the array library of a backend does when a compiled program is called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from xdsl.dialects.func import FuncOp


class Runtime(Protocol):
    """The modules ``numpy_runtime``, ``jax_runtime``, ... have these functions.

    They import their library, so they are loaded when a program is compiled for it.
    """

    def as_array(self, dtype: np.dtype[Any], rank: int, value: object) -> Any:
        """An argument as an array of a dtype and rank; None where it is no such array."""
        ...

    def as_scalar(self, dtype: np.dtype[Any], value: object) -> Any:
        """An argument as a scalar of a dtype; None where it is no such scalar."""
        ...

    def describe(self, value: object) -> str:
        """How an error names what was given."""
        ...

    def scalar_result(self, dtype: np.dtype[Any]) -> Callable[[Any], Any]:
        """What is done to a scalar that the emitted function returns."""
        ...

    def prepare(
        self, function: Callable[..., Any], emitted: FuncOp, names: Sequence[str]
    ) -> Callable[..., Any]:
        """What is called for an emitted function, given its emitpy and its arguments' names."""
        ...
