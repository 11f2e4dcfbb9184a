"""What tests of all parts share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def calls() -> Callable[[Callable[[], Any]], int]:
    """The function that counts the calls of functions that running something takes.

    It stands for time where the growth of time is tested, and is the same on every machine.
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
