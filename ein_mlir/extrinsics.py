"""The extrinsic contract, checked at each call of a function of the host program.

A function called by ``phi.extern`` is pure, broadcasts over leading axes of its arguments, and
returns a shape that depends on shapes only (dissertation, 3.7.4). Inside of comprehensions it is
called once for all indices, with a batch axis for each of them; the reference interpreter calls it
without any. Its result is checked against the types of the call and the batch axes of its
arguments, so an error names the function that breaks the contract, and not a use of its result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.dialects import phi
from ein_mlir.errors import EinError, EinTypeError, EinValueError
from ein_mlir.host.arrays import library_of
from ein_mlir.host.dataclass import dataclass
from ein_mlir.host.elements import BY_HOST

Function: TypeAlias = Callable[..., Any]
Shape: TypeAlias = tuple[int, ...]

_DTYPES = {name: type_.dtype for name, type_ in BY_HOST.items()}
"""The name of the dtype of each scalar type, the same in all libraries."""


def checked(module: ModuleOp, externs: Mapping[str, Function]) -> dict[str, CheckedExtern]:
    """The functions that a module calls, by symbol, each with checks of its results."""
    calls = dict[str, list[Call]]()
    for op in operations_in(module):
        if isinstance(op, phi.ExternOp):
            call = Call(tuple(operand.type for operand in op.arguments), op.result.type)
            known = calls.setdefault(op.callee.root_reference.data, [])
            if call not in known:
                known.append(call)
    return {name: CheckedExtern(name, externs[name], tuple(of)) for name, of in calls.items()}


@dataclass(frozen=True)
class Call:
    """The types of a call, without batch axes."""

    arguments: tuple[Attribute, ...]
    result: Attribute

    @cached_property
    def leaves(self) -> tuple[tuple[str, int], ...]:
        """The dtype and rank of each array among the arguments."""
        return tuple(leaf for type_ in self.arguments for leaf in _leaf_types(type_))

    def batch(self, leaves: Sequence[Any]) -> Shape | None:
        """The sizes of the batch axes of arguments; None if the arguments do not fit this call."""
        if len(leaves) != len(self.leaves):
            return None
        extra = set[int]()
        for leaf, (dtype, rank) in zip(leaves, self.leaves, strict=True):
            if _dtype(leaf) != dtype:
                return None
            extra.add(len(_shape(leaf)) - rank)
        axes = extra.pop() if extra else 0
        return None if extra or axes < 0 else _shape(leaves[0])[:axes] if leaves else ()

    def check(self, what: str, result: Any, batch: Shape) -> None:
        """Raise EinTypeError or EinValueError for a result that breaks the contract."""
        _check(what, phi.struct_of_arrays(self.result), result, batch)
        _check_columns(what, self.result, result, len(batch))


@dataclass(frozen=True)
class CheckedExtern:
    """A function with the name of its symbol, and its distinct calls in a program."""

    name: str
    function: Function
    calls: tuple[Call, ...]

    def __call__(self, *arguments: Any) -> Any:
        """The checked result of the function."""
        try:
            result = self.function(*arguments)
        except Exception as error:
            error.add_note(f"raised by the extrinsic @{self.name}")
            raise
        what, leaves = f"the result of the extrinsic @{self.name}", list(_arrays(arguments))
        _check_library(what, leaves, result)
        errors = list[EinError]()
        for call in self.calls:
            batch = call.batch(leaves)
            if batch is not None:
                try:
                    call.check(what, result, batch)
                except EinError as error:
                    errors.append(error)
                else:
                    return result
        raise errors[0]


# Results ----------------------------------------------------------------------------------------


def _check(what: str, type_: Attribute, value: Any, batch: Shape) -> None:
    """Check a value of a type without arrays of records: fields, dtypes, ranks and batch axes."""
    if isa(type_, TupleType):
        fields = cast(tuple[object, ...], value) if isinstance(value, tuple) else None
        if fields is None or len(fields) != len(type_.types):
            expected = f"a tuple of {len(type_.types)}"
            raise EinTypeError(f"{what}: expected {expected}, got {_described(value)}")
        for k, (field, part) in enumerate(zip(type_.types, fields, strict=True)):
            _check(f"{what}, field {k}", field, part, batch)
        return
    ((dtype, rank),) = _leaf_types(type_)
    rank += len(batch)
    if not hasattr(value, "shape") or (_dtype(value), len(_shape(value))) != (dtype, rank):
        expected = f"an array of {dtype} and rank {rank}" if rank else f"a scalar of {dtype}"
        axes = f", of which {len(batch)} batch axes" if batch else ""
        raise EinTypeError(f"{what}: expected {expected}{axes}, got {_described(value)}")
    if _shape(value)[: len(batch)] != batch:
        raise EinValueError(
            f"{what}: its shape {_shape(value)} does not start with the batch axes {batch} of the "
            f"arguments; an extrinsic broadcasts over leading axes"
        )


def _check_columns(what: str, type_: Attribute, value: Any, axes: int = 0) -> None:
    """Raise EinValueError if the fields of an array of records differ in size.

    ``value`` is the (nested) tuple of arrays that represents it, with ``axes`` leading axes.
    """
    element = phi.scalar_of(type_)
    if not isa(element, TupleType):
        return
    rank = phi.rank_of(type_)
    shapes = sorted({_shape(array)[axes : axes + rank] for array in _arrays(value)})
    if len(shapes) > 1:
        raise EinValueError(
            f"{what}: the fields of an array of records have different sizes: "
            f"{' and '.join(map(str, shapes))}"
        )
    for k, (field, part) in enumerate(zip(element.types, value, strict=True)):
        _check_columns(f"{what}, field {k}", field, part, axes + rank)


def _check_library(what: str, leaves: Sequence[Any], result: Any) -> None:
    """Raise EinTypeError if a call on tensors returned an array of another library."""
    if any(library_of(leaf) == "torch" for leaf in leaves):
        for array in _arrays(result):
            if library_of(array) != "torch":
                raise EinTypeError(f"{what}: expected a tensor of PyTorch, got {_described(array)}")


# Arrays of any library --------------------------------------------------------------------------


def _leaf_types(type_: Attribute) -> Iterator[tuple[str, int]]:
    """The dtype and rank of each array in the representation of a type."""
    type_ = phi.struct_of_arrays(type_)
    if isa(type_, TupleType):
        for field in type_.types:
            yield from _leaf_types(field)
    else:
        yield _DTYPES[str(phi.scalar_of(type_))], phi.rank_of(type_)


def _arrays(value: Any) -> Iterator[Any]:
    """The arrays of a nested tuple."""
    if isinstance(value, tuple):
        for field in cast(tuple[object, ...], value):
            yield from _arrays(field)
    else:
        yield value


def _shape(array: Any) -> Shape:
    return tuple(getattr(array, "shape", ()))


def _dtype(array: Any) -> str:
    """The name of a dtype: that of PyTorch's float64 is ``torch.float64``."""
    dtype = getattr(array, "dtype", None)
    if dtype is None:
        return np.result_type(type(array)).name if isinstance(array, int | float) else "object"
    return str(dtype).rpartition(".")[2]


def _described(value: Any) -> str:
    """The description of a given value in a message.

    >>> _described(np.ones((2, 3))), _described(np.int32(1)), _described((1, 2)), _described("x")
    ('an array of float64 and rank 2', 'a scalar of int32', 'a tuple of 2', "str 'x'")
    """
    if isinstance(value, tuple):
        return f"a tuple of {len(cast(tuple[object, ...], value))}"
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        rank = len(_shape(value))
        return (
            f"an array of {_dtype(value)} and rank {rank}"
            if rank
            else f"a scalar of {_dtype(value)}"
        )
    return f"{type(value).__name__} {value!r}"
