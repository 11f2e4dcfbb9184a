"""The extrinsic contract, checked wherever a compiled program calls a function of its embedder.

A function called by ``phi.extern`` is pure, broadcasts over leading axes of its arguments, and
returns a shape that depends on shapes only (dissertation, 3.7.4). Inside of comprehensions it is
called once for all indices, with a batch axis for each of them; the reference interpreter calls it
without any. What it returns is checked against the types of the call and the batch axes of its
arguments, so that a function that breaks the contract is named, and not a place where its result
is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from ein_mlir.dialects import phi
from ein_mlir.errors import EinError, EinTypeError, EinValueError

Function: TypeAlias = Callable[..., Any]
Shape: TypeAlias = tuple[int, ...]

DTYPES: dict[str, np.dtype[Any]] = {
    "i1": np.dtype(np.bool_),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
"""The NumPy dtype of each scalar type; those of other libraries have the same names."""


def checked(module: ModuleOp, externs: Mapping[str, Function]) -> dict[str, Function]:
    """The functions that a module calls, by symbol, each with checks of what it returns."""
    calls = dict[str, list[Call]]()
    for op in module.walk():
        if isinstance(op, phi.ExternOp):
            call = Call(tuple(op.arguments.types), op.result.type)
            known = calls.setdefault(op.callee.root_reference.data, [])
            if call not in known:
                known.append(call)
    return {name: CheckedExtern(name, externs[name], tuple(of)) for name, of in calls.items()}


@dataclass(frozen=True)
class Call:
    """The types of a call, without batch axes."""

    arguments: tuple[Attribute, ...]
    result: Attribute

    def batch_of(self, arguments: Sequence[Any]) -> Shape | None:
        """The sizes of the leading axes of some arguments; None if they are of another call."""
        leaves = list(_leaves(self.arguments, arguments))
        if not leaves:
            return ()
        batches = {_shape(value)[: max(len(_shape(value)) - rank, 0)] for rank, _, value in leaves}
        if len(batches) != 1 or any(_dtype(value) != dtype for _, dtype, value in leaves):
            return None
        return batches.pop()


@dataclass(frozen=True)
class CheckedExtern:
    """A function with the name of its symbol, and all calls of it that a program makes."""

    name: str
    function: Function
    calls: tuple[Call, ...]

    def __call__(self, *arguments: Any) -> Any:
        """What the function returns; EinTypeError or EinValueError if it must not return that."""
        try:
            result = self.function(*arguments)
        except Exception as error:
            error.add_note(f"raised by the extrinsic @{self.name}")
            raise
        errors: list[EinError] = []
        for call in self.calls:
            batch = call.batch_of(arguments)
            if batch is None:
                continue
            try:
                _check(f"the result of the extrinsic @{self.name}", call.result, result, batch)
                _check_library(self.name, arguments, result)
            except EinError as error:
                errors.append(error)
            else:
                return result
        raise errors[0] if errors else AssertionError(f"@{self.name} is called as it is nowhere")


# Results ----------------------------------------------------------------------------------------


def _check(what: str, type_: Attribute, value: Any, leading: Shape) -> None:
    """Check a value of a type under leading axes of known sizes."""
    rank, element = phi.rank_of(type_), phi.scalar_of(type_)
    if not isa(element, TupleType):
        return _check_array(what, rank, DTYPES[str(element)], value, leading)
    fields = cast(tuple[object, ...], value) if isinstance(value, tuple) else ()
    if len(fields) != len(element.types):
        got = f"{len(fields)}" if isinstance(value, tuple) else _described(value)
        raise EinTypeError(f"{what}: expected a tuple of {len(element.types)} fields, got {got}")
    if rank and (first := next(_arrays(value), None)) is not None:
        leading += _shape(first)[len(leading) : len(leading) + rank]
    for k, (field, part) in enumerate(zip(element.types, fields, strict=True)):
        columns = phi.vec_of(field, rank - _missing(leading, rank)) if False else field
        _check(f"{what}, field {k}", columns, part, leading)


def _check_array(what: str, rank: int, dtype: np.dtype[Any], value: Any, leading: Shape) -> None:
    shape = _shape(value)
    expected = f"an array of {dtype} and rank {rank + len(leading)}"
