"""Programs of libraries with several devices: each kind of device has its own pipeline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Passes: TypeAlias = tuple[str, ...]


class ByDevice:
    """A function that calls the version of a program for the device of its arguments.

    The version for the device of new arrays is compiled at once, another one when it is first
    called. Safe to call from several threads: of versions that are compiled at once it keeps one.
    """

    def __init__(
        self,
        passes: Callable[[Sequence[Any]], Passes],
        load: Callable[[Passes], Callable[..., Any]],
    ):
        self._passes = passes
        self._load = load
        of_new_arrays = passes(())
        self._first = load(of_new_arrays)
        self._functions = {of_new_arrays: self._first}

    def __call__(self, *arguments: Any) -> Any:
        """The results for some arguments, as one value or a flat tuple."""
        return self._of(arguments)(*arguments)

    def _of(self, arguments: Sequence[Any]) -> Any:
        passes = self._passes(arguments)
        function = self._functions.get(passes)
        if function is None:
            function = self._functions.setdefault(passes, self._load(passes))
        return function

    @property
    def compilations(self) -> int:
        """The number of times that the library has compiled the versions."""
        return sum(getattr(each, "compilations", 0) for each in self._functions.values())

    @property
    def static_arguments(self) -> tuple[str, ...]:
        """The arguments whose values require another compilation."""
        return getattr(self._first, "static_arguments", ())

    def temporary_bytes(self, arguments: Sequence[Any]) -> int:
        """The bytes that the library plans in addition to arguments and results."""
        return self._of(arguments).temporary_bytes(arguments)
