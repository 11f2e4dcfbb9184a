"""The memory of a call, found before it runs.

On native code it is that of the buffers of the loops, and on JAX the plan of XLA. On NumPy and
PyTorch it is estimated from the arrays of the program: libraries may copy operands, and passes on
emitted code share buffers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from ein_mlir.host.dataclass import dataclass


@dataclass(frozen=True)
class Memory:
    """The bytes of a call: of its arguments, of its results, and of all else at its peak."""

    arguments: int
    results: int
    temporaries: int

    @property
    def total(self) -> int:
        """The most bytes that the call takes at once, with its arguments."""
        return self.arguments + self.results + self.temporaries


def leaves_of(value: Any) -> Iterator[Any]:
    """The arrays and numbers in nested tuples."""
    if isinstance(value, tuple):
        fields = cast("tuple[Any, ...]", value)
        for each in fields:
            yield from leaves_of(each)
    else:
        yield value


def bytes_of(value: Any) -> int:
    """The bytes of arrays, placeholders and numbers in nested tuples."""
    leaves = leaves_of(value)
    return sum(
        int(each.nbytes if hasattr(each, "nbytes") else np.asarray(each).nbytes) for each in leaves
    )
