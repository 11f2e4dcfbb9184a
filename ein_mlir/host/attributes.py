"""Attributes that objects lack: errors that name a similar one, or the place of an option."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from ein_mlir.errors import EinAttributeError
from ein_mlir.host.locations import at

_OPTIONS = frozenset({"backend", "jit", "threads", "fastmath", "bounds"})


def similar_attribute(name: str, owner: type) -> str:
    """The hint at the attribute of a class that a mistyped name resembles most."""
    near = difflib.get_close_matches(
        name, [n for n in dir(owner) if n[0] != "_" and n != "expr"], 1
    )
    return f"; did you mean '{near[0]}'?" if near else ""


class OfCompiled:
    """The attributes of a compiled function. Its options are fixed when it is made."""

    _MADE_BY: ClassVar[str] = "function(f, {}=..)"
    """The call that takes the options."""

    if not TYPE_CHECKING:  # a type checker knows the attributes that there are

        def __getattr__(self, name: str) -> NoReturn:
            """Name the expression for an attribute of other libraries' functions."""
            if name.startswith("_"):
                raise AttributeError(name)
            advice = self._MADE_BY.format(name) if name in _OPTIONS else self._advice(name)
            hint = f": write {advice}" if advice else similar_attribute(name, type(self))
            raise EinAttributeError(f"a compiled function has no attribute '{name}'{hint}{at()}")

        def __setattr__(self, name: str, value: Any) -> None:
            """Refuse options, which would have no effect."""
            if name in _OPTIONS:
                raise EinAttributeError(
                    f"the option '{name}' of a function is fixed when it is made: write "
                    f"{self._MADE_BY.format(name)}{at()}"
                )
            super().__setattr__(name, value)

    @staticmethod
    def _advice(name: str) -> str | None:
        """The expression for an attribute that compiled functions lack; None if there is none."""
        del name
        return None
