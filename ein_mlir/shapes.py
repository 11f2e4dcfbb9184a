"""The shapes of the results of a program, found without its elements.

The program is replaced by one that computes sizes (``rewriting.phi.demanded``), which the reference
interpreter runs: it has a few Ints and no array, unless a size depends on elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, TupleType
from xdsl.ir import Attribute

from ein_mlir.analysis.diagnostics import parameter_names
from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.phi.shape_demand import Need
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of
from ein_mlir.errors import EinTypeError, EinValueError
from ein_mlir.host.arrays import ShapedArray, library_of
from ein_mlir.host.elements import HOST_DTYPES, numpy_dtype
from ein_mlir.host.locations import at
from ein_mlir.interpreters.reference import run
from ein_mlir.pipelines import run_pipeline
from ein_mlir.rewriting.phi.demanded import Part, keep_demanded

_BEFORE = ("inline-calls", "struct-of-arrays")
_PRIVATE = StringAttr("private")


class SizeProgram:
    """The sizes of the results of a function of a module of phi."""

    def __init__(
        self, module: ModuleOp, name: str, externs: Mapping[str, Callable[..., Any]] | None = None
    ):
        self.module = run_pipeline(_only(module, name), _BEFORE)
        function = _named(self.module, name)
        self._name = name
        self._externs = externs or {}
        self._results = tuple(map(phi.struct_of_arrays, phi.host_types(function)[1]))
        self._parameters = [n or f"#{k}" for k, n in enumerate(parameter_names(function))]
        self.inputs = keep_demanded(self.module, Need.SIZES)[name]

    def __call__(self, arguments: Sequence[Any]) -> Any:
        """The shape and dtype of each result, in nested tuples for records.

        An argument is an array, a number, a `ShapedArray`, or a tuple of these. Raises EinTypeError
        for a placeholder whose elements the sizes depend on, EinValueError for an error that the
        program raises before it has its sizes.
        """
        values = [self._value(each, arguments[each.number]) for each in self.inputs]
        try:
            found: Any = run(self.module, self._name, values, self._externs)
        except ValueError as error:
            raise EinValueError(f"{self._name}: {error}") from error
        results = cast("tuple[Any, ...]", found if isinstance(found, tuple) else (found,))
        sizes = iter([int(size) for size in results])
        shapes = [_shaped(type_, sizes) for type_ in self._results]
        return shapes[0] if len(shapes) == 1 else tuple(shapes)

    def _value(self, each: Part, argument: Any) -> Any:
        """The size that an input is, or its elements."""
        for field in each.path:
            argument = _field(argument, field)
        if each.axis is not None:
            return _shape(argument)[each.axis]
        if isinstance(argument, ShapedArray):
            name = self._parameters[each.number]
            raise EinTypeError(
                f"{self._name}: the sizes of the result depend on the elements of {name}: give its "
                f"value instead of {argument}{at()}"
            )
        if library_of(argument) == "torch":
            argument = argument.detach().cpu()
        return np.asarray(argument) if library_of(argument) else argument


def _field(argument: Any, number: int) -> Any:
    """A field of a record; a part of complex numbers, of which placeholders have none."""
    if isinstance(argument, tuple):
        return cast("tuple[Any, ...]", argument)[number]
    if isinstance(argument, ShapedArray):
        return argument
    return argument.imag if number else argument.real


def _only(module: ModuleOp, name: str) -> ModuleOp:
    """A copy of a module with one public function."""
    module = copy_of(module)
    for op in module.ops:
        if isinstance(op, func.FuncOp) and op.sym_name.data != name:
            op.properties["sym_visibility"] = _PRIVATE
    return module


def _named(module: ModuleOp, name: str) -> func.FuncOp:
    functions = (op for op in module.ops if isinstance(op, func.FuncOp))
    return next(function for function in functions if function.sym_name.data == name)


def _shape(argument: Any) -> tuple[int, ...]:
    return tuple(map(int, argument.shape))


def _shaped(type_: Attribute, sizes: Iterator[int]) -> Any:
    if isa(type_, TupleType):
        return tuple(_shaped(field, sizes) for field in type_.types)
    shape = tuple(next(sizes) for _ in range(phi.rank_of(type_)))
    if phi.is_complex(type_):
        for _ in shape:  # those of the imaginary parts
            next(sizes)
    if min(shape, default=0) < 0:
        raise EinValueError(f"a size of the result is negative: {min(shape)}")
    return ShapedArray(shape, numpy_dtype(HOST_DTYPES[str(phi.scalar_of(type_))]))
