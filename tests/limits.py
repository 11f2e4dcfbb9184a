"""A limit on the time that a piece of code takes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooLong(BaseException):
    """The code takes longer than its limit. Not an Exception, so that the code does not
    catch it.
    """


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raise TooLong after some seconds. For the main thread, and not nested."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong(f"no result after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
