"""PyTorch and JAX, which need not be installed: tests that run on one that is not are skipped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])

OPTIONAL = ("torch", "jax")
INSTALLED = ("numpy", *filter(find_spec, OPTIONAL))
"""The backends whose library is installed."""


def missing(*names: str) -> list[str]:
    """Which of some names are libraries that are not installed."""
    return [name for name in names if name in OPTIONAL and name not in INSTALLED]


def skips(*libraries: str) -> list[pytest.MarkDecorator]:
    """The marks of what needs some libraries: none where all are installed."""
    return [pytest.mark.skip(reason=f"{name} is not installed") for name in missing(*libraries)]


def needs(*libraries: str) -> Callable[[Test], Test]:
    """Skip a test where one of the libraries is not installed."""

    def marked(test: Test) -> Test:
        for mark in skips(*libraries):
            test = mark(test)
        return test

    return marked


def on(*names: str) -> list[Any]:
    """Values of a parameter that name what a test runs on."""
    return [pytest.param(name, marks=skips(name)) for name in names]


BACKENDS = on("numpy", "torch", "jax")
"""The values of a parameter that names a backend."""


def in_64_bits(backend: str) -> AbstractContextManager[Any]:
    """What is made inside has 64 bits on JAX, too."""
    if backend != "jax":
        return nullcontext()
    import jax

    return jax.enable_x64(True)
