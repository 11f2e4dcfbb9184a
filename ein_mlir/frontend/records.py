"""Records: Python containers of staged values, split into fields and rebuilt.

A record is a tuple, a named tuple, a dict with string keys or a dataclass; its fields are staged
values, Python numbers, or records.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn, cast

from ein_mlir.errors import EinAttributeError, EinKeyError, EinTypeError
from ein_mlir.frontend.evaluable import Evaluable
from ein_mlir.host.arrays import constant_in_traces
from ein_mlir.host.locations import at


class Parts(NamedTuple):
    """The container, names and values of the fields of a record."""

    container: type
    names: tuple[str, ...]
    values: tuple[Any, ...]


def parts_of(value: object) -> Parts | None:
    """The parts of a record; None for other values.

    >>> parts_of({"x": 1, "y": 2.0})
    Parts(container=<class 'dict'>, names=('x', 'y'), values=(1, 2.0))
    >>> parts_of(3) is None
    True
    """
    parts = _parts_of(value)
    if parts is not None and not parts.names:
        raise EinTypeError(f"a record needs at least one field, {value!r} has none{at()}")
    return parts


def _parts_of(value: Any) -> Parts | None:
    if isinstance(value, dict):
        return _parts_of_dict(cast(dict[Any, Any], value))
    if isinstance(value, tuple):
        values: tuple[Any, ...] = cast(Any, value)
        names = field_names(type(values))
        if names is None:
            return Parts(tuple, tuple(map(str, range(len(values)))), values)
        return Parts(type(values), names, tuple(values))
    names = field_names(type(value))
    if names is None:
        return None
    return Parts(type(value), names, tuple(getattr(value, name) for name in names))


def _parts_of_dict(record: dict[Any, Any]) -> Parts:
    for key in record:
        if not isinstance(key, str):
            shown = repr(key).partition("\n")[0]  # a staged value has its program in further lines
            raise EinTypeError(f"the keys of a record are strings, not {shown}{at()}")
    return Parts(dict, tuple(record), tuple(record.values()))


@constant_in_traces
def field_names(container: Any) -> tuple[str, ...] | None:
    """The names of the fields of a dataclass or named tuple; None for other classes."""
    if dataclasses.is_dataclass(container):
        return tuple(field.name for field in dataclasses.fields(container))
    names: tuple[str, ...] | None = getattr(container, "_fields", None)
    return names if issubclass(container, tuple) else None


class _Fields(dict[str, Any]):
    """The staged fields of a record that is a dict."""

    def __missing__(self, name: object) -> NoReturn:
        fields = ", ".join(map(repr, self))
        raise EinKeyError(f"the record has no field {name!r}; its fields: {fields}{at()}")

    def __getattr__(self, name: str) -> NoReturn:
        """Name the fields, which are no attributes."""
        if name.startswith("__"):
            raise AttributeError(name)
        fields = ", ".join(map(repr, self))
        instead = f"record[{name!r}]"
        if hasattr(Evaluable, name) and name not in self:
            backend = "" if name == "eval" else f", {name!r}"
            instead = f"evaluate(record{backend})"
        raise EinAttributeError(
            f"the record is a dict, which has no attribute {name!r}: write {instead}; "
            f"its fields: {fields}{at()}"
        )

    def _no_number(self, *_: object) -> NoReturn:
        fields = ", ".join(map(repr, self))
        raise EinTypeError(
            f"operators act on scalars, not on a record: write them for its fields, {fields}{at()}"
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _no_number
    __truediv__ = __rtruediv__ = __floordiv__ = __mod__ = __pow__ = __matmul__ = _no_number


def rebuild_staged(container: type, names: Sequence[str], values: Sequence[Any]) -> Any:
    """`rebuild` for a program: an unknown name of a dict is reported with those that there are."""
    record = rebuild(container, names, values)
    return _Fields(record) if container is dict else record


def rebuild(container: type, names: Sequence[str], values: Sequence[Any]) -> Any:
    """The record of a container with given fields.

    A dataclass is made without calling its ``__init__``: its fields define it completely, and
    checks of concrete values in ``__post_init__`` would fail on staged ones.

    >>> rebuild(dict, ("x", "y"), (1, 2.0))
    {'x': 1, 'y': 2.0}
    """
    if container is tuple:
        return tuple(values)
    if container is dict:
        return dict(zip(names, values, strict=True))
    make: Any = container
    if issubclass(container, tuple):
        return make(*values)
    instance: Any = object.__new__(make)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(instance, name, value)
    return instance
