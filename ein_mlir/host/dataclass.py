"""`dataclass` of the standard library, with methods that are compiled when they are first called.

The compilation of ``__init__``, ``__eq__`` and ``__hash__`` takes a third of the time of a first
program: a pass defines several classes, of which most programs need none.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        eq: bool = True,
        slots: bool = False,
    ) -> Any:
        """`dataclasses.dataclass` with some of its options."""

        def decorated(cls: type) -> type:
            if slots or "__init__" in _own(cls):
                return dataclasses.dataclass(cls, frozen=frozen, eq=eq, slots=slots)
            return _with_late_methods(cls, frozen, eq)

        return decorated if cls is None else decorated(cls)


def late_if_simple(
    cls: type,
    /,
    *,
    init: bool = True,
    repr: bool = True,
    eq: bool = True,
    frozen: bool = False,
    **others: bool,
) -> type:
    """A dataclass of another package; with late methods unless it has slots or ``field(..)``."""
    if others or any(isinstance(each, dataclasses.Field) for each in _own(cls).values()):
        return _STANDARD(cls, init=init, repr=repr, eq=eq, frozen=frozen, **others)
    return _with_late_methods(cls, frozen, eq, init and "__init__" not in _own(cls), repr)


_STANDARD: Any = dataclasses.dataclass
_PARAMETERS = {
    frozen: _STANDARD(type("Base", (), {}), frozen=frozen).__dataclass_params__
    for frozen in (False, True)
}
"""What the standard library asks about the bases of a dataclass."""


def _with_late_methods(
    cls: Any, frozen: bool, eq: bool, init: bool = True, repr: bool = True
) -> Any:
    """A class whose fields are found, and whose methods are compiled, when they are needed."""
    own = _own(cls)
    has_hash = own.get("__hash__") is not None
    cls.__dataclass_fields__ = _LateFields(cls, "__dataclass_fields__")
    cls.__dataclass_params__ = _PARAMETERS[frozen]
    if "__match_args__" not in own:
        cls.__match_args__ = _LateFields(cls, "__match_args__")
    if init:
        cls.__init__ = _late(cls, "__init__", _source_of_init)
    if repr and "__repr__" not in own:
        cls.__repr__ = _repr
    if eq and "__eq__" not in own:
        cls.__eq__ = _late(cls, "__eq__", _source_of_eq)
    if eq and not has_hash:
        cls.__hash__ = _late(cls, "__hash__", _source_of_hash) if frozen else None
    if frozen:
        cls.__setattr__, cls.__delattr__ = _frozen(cls)
    return cls


def _own(cls: Any) -> Mapping[str, Any]:
    """The attributes of a class that it does not inherit."""
    return cast(Mapping[str, Any], vars(cls))


class _LateFields:
    """An attribute of a class that is found when it is first read."""

    def __init__(self, cls: Any, name: str):
        self._class, self._name = cls, name

    def __get__(self, instance: object, owner: Any) -> Any:
        with _LOCK:
            if isinstance(_own(self._class)["__dataclass_fields__"], _LateFields):
                _find_fields(self._class)
        return _own(self._class)[self._name]


_LOCK = threading.RLock()


def _find_fields(cls: Any) -> None:
    """The fields of the bases, and those that the standard library finds in a class."""
    own = _own(cls)
    names = ("__annotations__", "__module__", *own.get("__annotations__", ()))
    given = {name: own[name] for name in names if name in own}
    alone = type(cls.__name__, (), {"__doc__": "documented", **given})
    found: Any = _STANDARD(init=False, repr=False, eq=False)(alone)
    fields: dict[str, Any] = {}
    for base in cls.__mro__[:0:-1]:
        fields |= getattr(base, "__dataclass_fields__", {})
    for name, field in found.__dataclass_fields__.items():
        fields[name] = field
        if isinstance(own.get(name), dataclasses.Field):
            _set_default(cls, name, field.default)
    cls.__dataclass_fields__ = fields
    cls.__match_args__ = tuple(each.name for each in dataclasses.fields(cls) if each.init)


def _set_default(cls: Any, name: str, default: object) -> None:
    """The attribute of a class for a field: its default in the place of ``field(..)``, if any."""
    if default is dataclasses.MISSING:
        delattr(cls, name)
    else:
        setattr(cls, name, default)


def _late(cls: Any, name: str, source: Callable[[Any], str]) -> Callable[..., Any]:
    """A method that compiles itself, and takes its own place."""

    def method(*arguments: Any, **named: Any) -> Any:
        compiled = _compiled(cls, name, source(cls))
        if _own(cls)[name] is method:
            setattr(cls, name, compiled)
        return compiled(*arguments, **named)

    return method


def _compiled(cls: Any, name: str, source: str) -> Callable[..., Any]:
    namespace: dict[str, Any] = {"_set": object.__setattr__, "_missing": dataclasses.MISSING}
    for field in dataclasses.fields(cls):
        namespace[f"_{field.name}_default"] = field.default
        namespace[f"_{field.name}_factory"] = field.default_factory
    exec(compile(source, __file__, "exec"), namespace)  # a frame of the package, for locations
    function = namespace[name]
    function.__qualname__ = f"{cls.__qualname__}.{name}"
    function.__module__ = cls.__module__
    return function


def _source_of_init(cls: Any) -> str:
    is_frozen = getattr(cls, "__setattr__", None) is not object.__setattr__
    parameters, lines = ["self"], list[str]()
    for field in dataclasses.fields(cls):
        name, value = field.name, field.name
        if field.default_factory is not dataclasses.MISSING:
            made = f"_{name}_factory()"
            value = f"{made} if {name} is _missing else {name}" if field.init else made
            parameters += [f"{name}=_missing"] * field.init
        elif field.init:
            has_default = field.default is not dataclasses.MISSING
            parameters.append(f"{name}=_{name}_default" if has_default else name)
        else:
            continue
        lines.append(f"_set(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n    ".join(lines or ["pass"])
    return f"def __init__({', '.join(parameters)}):\n    {body}\n"


def _source_of_eq(cls: Any) -> str:
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    return (
        "def __eq__(self, other):\n"
        "    if other.__class__ is not self.__class__:\n"
        "        return NotImplemented\n"
        f"    return {_tuple('self', names)} == {_tuple('other', names)}\n"
    )


def _source_of_hash(cls: Any) -> str:
    names = [
        field.name
        for field in dataclasses.fields(cls)
        if (field.compare if field.hash is None else field.hash)
    ]
    return f"def __hash__(self):\n    return hash({_tuple('self', names)})\n"


def _tuple(record: str, names: list[str]) -> str:
    return "(" + "".join(f"{record}.{name}, " for name in names) + ")"


def _repr(self: Any) -> str:
    shown = ", ".join(_shown(self))
    return f"{self.__class__.__qualname__}({shown})"


def _shown(self: Any) -> Iterator[str]:
    for field in dataclasses.fields(self):
        if field.repr:
            yield f"{field.name}={getattr(self, field.name)!r}"


def _frozen(cls: Any) -> tuple[Callable[..., None], Callable[..., None]]:
    """The methods that raise errors for assignments to fields, and deletions."""

    def set_attribute(self: Any, name: str, value: object) -> None:
        if type(self) is cls or name in cls.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        object.__setattr__(self, name, value)

    def delete_attribute(self: Any, name: str) -> None:
        if type(self) is cls or name in cls.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        object.__delattr__(self, name)

    return set_attribute, delete_attribute
