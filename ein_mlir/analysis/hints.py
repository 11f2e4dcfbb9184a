"""Whether a value is of a type, at the speed of ``isinstance`` where the type is a plain class."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.utils import hints

if TYPE_CHECKING:
    from xdsl.utils.hints import isa as isa
else:

    def isa(value, hint):
        """XDSL's ``isa``, which takes generic types such as ``DenseArrayBase[IntegerType]`` too."""
        return isinstance(value, hint) if isinstance(hint, type) else hints.isa(value, hint)
