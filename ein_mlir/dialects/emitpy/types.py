"""Types, and attributes of functions."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    DictionaryAttr,
    Float64Type,
    FloatAttr,
    StringAttr,
    TensorType,
    TupleType,
    f64,
)
from xdsl.ir import ParametrizedAttribute, TypeAttribute
from xdsl.irdl import base, irdl_attr_definition
from xdsl.utils.exceptions import VerifyException

from ein_mlir.dialects.emitpy.names import is_identifier, is_library_name


@irdl_attr_definition
class ObjectType(ParametrizedAttribute, TypeAttribute):
    """A Python object that is no array: an int, a float, a slice, a tuple of axes, a dtype."""

    name = "emitpy.object"


OBJECT = ObjectType()
"""``!emitpy.object``"""


VALUE = base(TensorType) | base(TupleType) | base(ObjectType)


OBJECT_VALUE = base(ObjectType)


@irdl_attr_definition
class DecoratorAttr(ParametrizedAttribute):
    """A call that decorates a function: ``#emitpy.decorator<"np.errstate", {all = "ignore"}>``.

    A function has them as the array ``emitpy.decorators`` among its attributes.
    """

    name = "emitpy.decorator"

    callee: StringAttr
    keywords: DictionaryAttr

    def verify(self) -> None:
        if not is_library_name(self.callee.data):
            raise VerifyException(f"emitpy.decorator: {unknown('function', self.callee.data)}")
        for keyword, value in self.keywords.data.items():
            if not is_identifier(keyword):
                raise VerifyException(f"emitpy.decorator: '{keyword}' is not a Python name")
            if not isinstance(value, StringAttr):
                raise VerifyException(
                    f"emitpy.decorator: '{keyword}' must be a string, not '{value}'"
                )


DECORATORS = "emitpy.decorators"
"""The attribute of a function that holds its decorators."""


STATIC_ARGUMENTS = "emitpy.static_arguments"
"""The attribute of a function that holds the arguments that must be static when it is traced, or
that may be Python numbers.
"""


STAGES = "emitpy.stages"
"""The attribute of a function that names two others, which it calls: of its arguments, one that
returns sizes, and of these and the sizes, one that returns its results.
"""

STATIC_RESULTS = "emitpy.static_results"
"""The attribute of a function of which the results are static when another one is traced."""


def unknown(kind: str, name: str) -> str:
    """The message about a name that is not in the vocabulary."""
    return f"'{name}' is no {kind} that emitpy knows (see emitpy/names.py)"


def float_literal(value: float) -> FloatAttr[Float64Type]:
    """The attribute of a Python float."""
    return FloatAttr(value, f64)
