"""Runs of a program in which an array has a shape, and elements only if they are an argument's."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import Interpreter
from xdsl.ir import Block, SSAValue

from ein_mlir.errors import EinValueError
from ein_mlir.interpreters.scalars import ScalarFunctions


class UnknownSizeError(Exception):
    """A size depends on elements that the program computes."""


class SizesOnly:
    """The shapes and the known elements of the values of a module."""

    def __init__(self, module: ModuleOp):
        self._module = module
        self._interpreter = Interpreter(module)
        self._interpreter.register_implementations(ScalarFunctions())
        self._shapes = dict[SSAValue, Any]()
        self._values = dict[SSAValue, Any]()

    def peak_bytes(self, name: str, arguments: Sequence[Any]) -> int:
        """The most bytes that a function takes at once, without its arguments.

        Arguments are numbers, arrays, tuples of these, or anything with a shape in place of an
        array; those that the compiler adds are left out. Raises EinValueError if a size depends on
        elements that the program computes.
        """
        function = next(
            op
            for op in self._module.ops
            if isinstance(op, func.FuncOp) and op.sym_name.data == name
        )
        for argument, value in zip(function.args, arguments, strict=False):
            self.give(argument, value)
        try:
            return self.block(function.body.block)
        except UnknownSizeError as error:
            raise EinValueError(
                f"{name}: the memory depends on elements that the program computes: {error}"
            ) from None

    def block(self, block: Block) -> int:
        """The most bytes, up to the end of a block."""
        raise NotImplementedError

    def give(self, argument: SSAValue, value: Any) -> None:
        """Let a parameter have the shape of an argument, and its elements if there are any."""
        self._shapes[argument] = shape_of_argument(value)
        if isinstance(value, np.ndarray | np.generic | int | float):
            self._values[argument] = np.asarray(value)

    @contextmanager
    def _body(self) -> Generator[None]:
        """Forget the facts about one step of a body."""
        shapes, values = dict(self._shapes), dict(self._values)
        yield
        self._shapes, self._values = shapes, values


def shape_of_argument(value: Any) -> Any:
    """The shape of an array, of a number, or of each field of a record."""
    if isinstance(value, tuple):
        return tuple(map(shape_of_argument, cast("tuple[Any, ...]", value)))
    return tuple(map(int, value.shape if hasattr(value, "shape") else np.shape(value)))
