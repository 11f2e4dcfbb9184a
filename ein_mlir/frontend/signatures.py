"""The number and the names of the parameters of a user's function, and the keywords of ours."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np

from ein_mlir.errors import EinError, EinTypeError, counted
from ein_mlir.host.locations import at, without_package

F = TypeVar("F", bound=Callable[..., Any])

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def parameter_names(f: Any, what: str, example: str, count: int | None = None) -> tuple[str, ...]:
    """The names of the parameters that are bound when ``f`` is called.

    Parameters with defaults are the user's own (``lambda i, n=n: ...``). ``count`` is the required
    number; None for any positive number. ``what`` and ``example`` are for errors.
    """
    if not callable(f):
        raise EinTypeError(
            f"{what} is a function, as in {example}, not {type(f).__name__}{_advice(f)}{at()}"
        )
    names = _of_plain_function(f) if isinstance(f, FunctionType) else None
    if names is None:
        names = _of_signature(f, what, example, count)
    if not names if count is None else len(names) != count:
        expected = "at least one parameter" if count is None else counted(count, "parameter")
        shown = f"({', '.join(names)})" if names else "none"
        raise EinTypeError(f"{what} has {expected}, as in {example}; this one has {shown}{at()}")
    return names


def _advice(values: Any) -> str:
    is_data = isinstance(values, (list, tuple, np.ndarray))
    return ": for an array of given values, write wrap(..)" if is_data else ""


def _of_plain_function(f: FunctionType) -> tuple[str, ...] | None:
    """The names in the common case, without the cost of ``inspect``; None in other cases."""
    code = f.__code__
    if code.co_kwonlyargcount or code.co_flags & inspect.CO_VARARGS or hasattr(f, "__wrapped__"):
        return None
    return code.co_varnames[: code.co_argcount - len(f.__defaults__ or ())]


def _of_signature(f: Any, what: str, example: str, count: int | None) -> tuple[str, ...]:
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    required = [p for p in parameters if p.default is inspect.Parameter.empty]
    names = tuple(p.name for p in required if p.kind in _POSITIONAL)
    variadic = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in required) or not parameters
    if any(p.kind is inspect.Parameter.KEYWORD_ONLY for p in required):
        raise EinTypeError(f"{what} takes its parameters by position, as in {example}{at()}")
    if not variadic or (count is not None and len(names) == count):
        return names
    if count is None:
        raise EinTypeError(f"{what} names each of its parameters, as in {example}{at()}")
    return (*names, "x", "y")[:count]


_INSTEAD = {
    "axis": "for each row i write array(lambda i: {}(.. a[i] ..))",
    "reverse": "the order is that of a key, as in sort(a, key=lambda x: -x)",
    "descending": "the order is that of a key, as in sort(a, key=lambda x: -x)",
    "dtype": "convert the elements, as in array(lambda i: a[i].float())",
}
"""Arguments of other libraries -> what to write in their place."""


def names_its_arguments(f: F) -> F:
    """A function whose errors for unknown and missing arguments name those that it has.

    Folds have a ``count`` and arrays a ``size``: one is easily given in place of the other.
    """
    names = tuple(name for name in inspect.signature(f).parameters if name != "self")
    has = f"it has {', '.join(names)}"

    @wraps(f)
    def call(*args: Any, **keywords: Any) -> Any:
        for name in keywords:
            if name not in names:
                advice = _INSTEAD.get(name, has).format(f.__name__)
                raise EinTypeError(f"{f.__name__}() has no argument {name!r}; {advice}{at()}")
        try:
            return f(*args, **keywords)
        except EinError as error:
            raise without_package(error)  # noqa: B904
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                raise
            problem = str(error)
        raise EinTypeError(f"{problem}; {has}{at()}")

    return cast(F, call)
