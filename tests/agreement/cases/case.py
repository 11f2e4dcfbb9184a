"""The class of cases: a program, and the implementations that it is compared with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import DTypeLike

from ein_mlir import Function

Arguments: TypeAlias = tuple[Any, ...]
Implementation: TypeAlias = Callable[..., Any]

prange = range
"""Numba's parallel ``range`` in versions for it: they are plain Python until they are compiled."""


@dataclass(frozen=True)
class Case:
    """A program as a user of Ein writes it, and other implementations.

    All implementations take the arguments that ``inputs`` makes, NumPy arrays and Python numbers,
    as arrays of their library, and change none of them. They return arrays of the same shapes: an
    array, a scalar, or a record of them (a tuple, or a dataclass, in the order of its fields).
    """

    name: str
    about: str
    """One line: its result, and its origin."""
    program: Function
    inputs: Callable[[int, DTypeLike, np.random.Generator], Arguments]
    """Arguments for a size, a float dtype and a random generator; sizes from 0 on are valid.

    A size is that of one axis, or another measure of the run time.
    """
    large: int
    """A size at which idiomatic NumPy takes 20 ms or more, and no more than about a second."""
    sweep: tuple[int, ...]
    """Increasing sizes, for plots, some factor apart; the last is ``large``."""
    oracle: Implementation
    """Python loops over indices: slow, and obviously correct. Takes NumPy arrays."""
    idiomatic: Implementation
    """The first version of a NumPy programmer."""
    jax: Implementation
    """Hand-written JAX, to be jitted; imports jax in its body."""
    torch: Implementation
    """Hand-written eager PyTorch; imports torch in its body."""
    numba: Implementation | None = None
    """Loops for Numba, as its experts write them; they run in plain Python, too. Every case has
    them; a program of the second set may do without.
    """
    expert: Implementation | None = None
    """A NumPy expert's version, fast and with little memory: temporaries reused, no Numba.

    Every case has one; a program of the second set may do without.
    """
    static: tuple[int, ...] = ()
    """Arguments that are static for ``jax.jit``: they determine shapes."""
    memory_bound: bool = False
    """Whether idiomatic NumPy spends its time on memory traffic between whole-array operations."""
    small: tuple[int, ...] = (0, 1, 2, 5)
    """Sizes at which the tests compare with the reference interpreter and the oracle; the last is
    the one at which the hand-written implementations are compared.
    """
    variants: tuple[Function, ...] = ()
    """The same program written in other ways: operands in another order, loops swapped, terms
    grouped differently. They are held to the same results, and to the same speed.
    """
    tolerance: dict[str, float] = field(default_factory=lambda: {"float64": 1e-9, "float32": 1e-4})
    """Relative and absolute tolerance by dtype."""
