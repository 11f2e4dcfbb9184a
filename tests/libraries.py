"""PyTorch, JAX and llvmlite, which may be missing: tests that need a missing one are skipped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])

OPTIONAL = {"torch": "torch", "jax": "jax", "native": "llvmlite"}
"""The backends that need a library, with the package."""
INSTALLED = ("numpy", *(name for name, package in OPTIONAL.items() if find_spec(package)))
"""The backends with an installed library."""


def missing(*names: str) -> list[str]:
    """The names of libraries that are not installed."""
    return [name for name in names if name in OPTIONAL and name not in INSTALLED]


def skips(*libraries: str) -> list[pytest.MarkDecorator]:
    """The marks of tests that need some libraries: none if all are installed."""
    return [
        pytest.mark.skip(reason=f"{OPTIONAL[name]} is not installed")
        for name in missing(*libraries)
    ]


def needs(*libraries: str) -> Callable[[Test], Test]:
    """Skip a test if one of the libraries is not installed."""

    def marked(test: Test) -> Test:
        for mark in skips(*libraries):
            test = mark(test)
        return test

    return marked


def on(*names: str) -> list[Any]:
    """The values of a parameter that names the library of a test."""
    return [pytest.param(name, marks=skips(name)) for name in names]


BACKENDS = on("numpy", "torch", "jax", "native")
"""The values of a parameter that names a backend."""


def library_for(backend: str) -> str:
    """The library of the results of a backend."""
    return "numpy" if backend == "native" else backend


def in_64_bits(backend: str) -> AbstractContextManager[Any]:
    """A context in which arrays of JAX have 64 bits, too."""
    if backend != "jax":
        return nullcontext()
    import jax

    return jax.enable_x64(True)
