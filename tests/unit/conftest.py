"""Shared fixtures of all tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def calls() -> Callable[[Callable[[], Any]], int]:
    """A function that counts the function calls of an action.

    It replaces time in tests of the growth of time: the count is the same on every machine.
    """

    def count(run: Callable[[], Any]) -> int:
        total = 0

        def on_event(frame: Any, event: str, argument: Any) -> None:
            nonlocal total
            total += event in ("call", "c_call")

        sys.setprofile(on_event)
        try:
            run()
        finally:
            sys.setprofile(None)
        return total

    return count
