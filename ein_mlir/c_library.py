"""Programs as libraries of C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.ir import Attribute

from ein_mlir.analysis.hints import isa
from ein_mlir.arguments import signature_of
from ein_mlir.compiler import compile_loops
from ein_mlir.dialects import phi
from ein_mlir.entry import find_entry
from ein_mlir.native import native_program

if TYPE_CHECKING:
    pass


def export_module(module: ModuleOp, entry: str | None, folder: Path | str) -> Path:
    """Write a function of a module of phi as a shared object with a C header.

    Returns the path of the library. Raises EinValueError for a program that calls functions of the
    host program, MissingBackendError if llvmlite or a C compiler is missing.
    """
    function = find_entry(module, entry)
    loops = compile_loops(module)
    from ein_mlir.backends.native.c_library import Interface, write_library

    signature = signature_of(function)
    interface = Interface(
        signature.name,
        [name for argument in signature.arguments for name in _names(*argument)],
        _result_names(signature.results),
    )
    return write_library(native_program(loops), interface, Path(folder))


def _names(name: str, type: Attribute) -> Iterator[str]:
    """The names of the arrays and scalars of a value: those of fields end in their number."""
    type = phi.struct_of_arrays(type)
    if isa(type, TupleType):
        for number, field in enumerate(type.types):
            yield from _names(f"{name}_{number}", field)
    elif phi.is_complex(type):
        yield from (f"{name}_real", f"{name}_imag")
    else:
        yield name


def _result_names(types: Sequence[Attribute]) -> Sequence[str]:
    names = ["result"] if len(types) == 1 else [f"result{k}" for k in range(len(types))]
    return [leaf for named in zip(names, types, strict=True) for leaf in _names(*named)]
