"""Bodies in bodies: the tools read and print them with more frames than is usual in Python."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager

FRAMES = 20_000
"""The limit of recursion in a tool: 1,000 bodies in each other take 11 frames each.

Even a stack of 1 MiB holds them: most calls are of Python by Python, which take none of it.
"""


@contextmanager
def deep_recursion() -> Generator[None]:
    """Permit deep recursion. It is a setting of the process, so that only tools change it."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
