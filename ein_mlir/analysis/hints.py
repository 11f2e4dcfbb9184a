"""Type tests of attributes, as fast as ``isinstance`` for plain classes."""

from __future__ import annotations

from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, get_args, get_origin

from xdsl.ir import ParametrizedAttribute
from xdsl.irdl import GenericData, VerificationContext, irdl_to_attr_constraint
from xdsl.utils import hints
from xdsl.utils.exceptions import VerifyException

if TYPE_CHECKING:
    from xdsl.utils.hints import isa as isa
else:

    def isa(value, hint):
        """XDSL's ``isa``: generic attributes such as ``DenseArrayBase[IntegerType]`` count too."""
        if isinstance(hint, type):
            return _is_of(hint, value)
        if (classes := _union_of(hint)) is not None:
            return not classes.isdisjoint(type(value).__mro__)
        origin, constraint = _constraint(hint)
        if constraint is None:
            return hints.isa(value, hint)
        return isinstance(value, origin) and _satisfies(value, constraint)

    _is_of = type.__instancecheck__  # classes of attributes have subclasses only

    @cache
    def _union_of(hint):
        """The classes of a union of classes; None for other types."""
        classes = get_args(hint) if isinstance(hint, UnionType) else ()
        is_plain = classes and all(isinstance(each, type) for each in classes)
        return frozenset(classes) if is_plain else None

    @cache
    def _constraint(hint):
        """The class of a generic attribute and its parameter constraint; None for other types."""
        origin = get_origin(hint)
        if isinstance(origin, type) and issubclass(origin, GenericData | ParametrizedAttribute):
            return origin, irdl_to_attr_constraint(hint)
        return origin, None

    def _satisfies(value, constraint):
        try:
            constraint.verify(value, VerificationContext())
        except VerifyException:
            return False
        return True
