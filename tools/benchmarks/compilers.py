"""The compilers that hand-written programs are given to: Numba and ``torch.compile``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from types import FunctionType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from tests.agreement.cases.case import Implementation
from tests.limits import TooLong, limited

MOST_OPERATIONS = 500
"""The most operations of PyTorch that ``torch.compile`` is given: it unrolls loops, and takes about
half a minute for as many.
"""

LONGEST_COMPILE = 90
"""The seconds that ``torch.compile`` gets: fusing a long chain of selections may take it hours."""


@cache
def unavailable() -> dict[str, str]:
    """The ways that do not work here, with reasons."""
    reasons = {
        "Ein native": "" if find_spec("llvmlite") else "llvmlite is not installed",
        "numba": "" if find_spec("numba") else "Numba is not installed",
        "torch.compile": _failure_of_torch(),
    }
    return {way: reason for way, reason in reasons.items() if reason}


def _failure_of_torch() -> str:
    """The reason why PyTorch does not compile, such as a missing compiler of C++."""
    try:
        torch.compile(lambda x: x.sin() + 1)(torch.ones(3))
    except Exception as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return ""


@cache
def by_numba(version: Implementation) -> Callable[..., Any]:
    """A version for Numba, compiled by its first call: parallel, without fastmath."""
    import numba

    assert isinstance(version, FunctionType)
    names = {**version.__globals__, "prange": numba.prange}
    loops = FunctionType(version.__code__, names, version.__name__)
    return numba.njit(loops, parallel="prange" in version.__code__.co_names)


class _Counter(TorchDispatchMode):
    """Counts operations of PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.count += 1
        return function(*args, **(kwargs or {}))


def by_torch(version: Implementation, arguments: Sequence[Any]) -> Callable[..., Any] | str:
    """A version for PyTorch, compiled; or the reason why ``torch.compile`` is left out."""
    with _Counter() as counter:
        version(*arguments)
    if counter.count > MOST_OPERATIONS:
        return f"{counter.count} operations"
    torch.compiler.reset()
    compiled = torch.compile(version)
    try:
        with limited(LONGEST_COMPILE):
            compiled(*arguments)
    except (Exception, TooLong) as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return compiled
