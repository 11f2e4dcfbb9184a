"""The calls of compiled functions, as type checkers see them."""

from __future__ import annotations

from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")


class Signed(Generic[P, R]):
    """A function with parameters for staged values, which also takes arrays and numbers.

    Of staged values, type checkers see the types of parameters and result. Arrays and numbers are
    the first arguments, by position: their types are not checked, and none of them may be missing.
    """

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(
        self: Signed[Concatenate[Any, Q], Any], a: Any, /, *args: Q.args, **kwargs: Q.kwargs
    ) -> Any: ...
    @overload
    def __call__(
        self: Signed[Concatenate[Any, Any, Q], Any],
        a: Any,
        b: Any,
        /,
        *args: Q.args,
        **kwargs: Q.kwargs,
    ) -> Any: ...
    @overload
    def __call__(
        self: Signed[Concatenate[Any, Any, Any, Q], Any],
        a: Any,
        b: Any,
        c: Any,
        /,
        *args: Q.args,
        **kwargs: Q.kwargs,
    ) -> Any: ...
    @overload
    def __call__(
        self: Signed[Concatenate[Any, Any, Any, Any, Q], Any],
        a: Any,
        b: Any,
        c: Any,
        d: Any,
        /,
        *args: Q.args,
        **kwargs: Q.kwargs,
    ) -> Any: ...
    @overload
    def __call__(
        self: Signed[Concatenate[Any, Any, Any, Any, Any, Q], Any],
        a: Any,
        b: Any,
        c: Any,
        d: Any,
        e: Any,
        /,
        *args: Q.args,
        **kwargs: Q.kwargs,
    ) -> Any: ...
    @overload
    def __call__(
        self: Signed[Concatenate[Any, Any, Any, Any, Any, Any, Q], Any],
        a: Any,
        b: Any,
        c: Any,
        d: Any,
        e: Any,
        f: Any,
        /,
        *args: Q.args,
        **kwargs: Q.kwargs,
    ) -> Any: ...
    @overload
    def __call__(
        self: Signed[Concatenate[Any, Any, Any, Any, Any, Any, Any, Q], Any],
        a: Any,
        b: Any,
        c: Any,
        d: Any,
        e: Any,
        f: Any,
        g: Any,
        /,
        *args: Q.args,
        **kwargs: Q.kwargs,
    ) -> Any: ...
    @overload
    def __call__(
        self: Signed[Concatenate[Any, Any, Any, Any, Any, Any, Any, Any, Q], Any],
        a: Any,
        b: Any,
        c: Any,
        d: Any,
        e: Any,
        f: Any,
        g: Any,
        h: Any,
        /,
        *args: Q.args,
        **kwargs: Q.kwargs,
    ) -> Any: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function."""
        raise NotImplementedError
