"""Emitted programs with the facts that calls need, from emitpy or from the cache on disk."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerType,
    ModuleOp,
    SymbolRefAttr,
    TensorType,
    f64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.utils.exceptions import DiagnosticException

from ein_mlir.analysis.hints import isa
from ein_mlir.analysis.scopes import operations_in
from ein_mlir.backends.disk_cache import disk_cache, key_of, package_state, version_of_xdsl
from ein_mlir.backends.emitted import Emitted, EmittedFunction, Path, packed, unpacked
from ein_mlir.errors import CompilationError


def kept_program(
    module: ModuleOp, backend: str, passes: Sequence[str], emit: Callable[[], ModuleOp]
) -> Emitted:
    """The emitted program of a module for a backend: of an earlier process, or emitted now.

    ``emit`` makes its emitpy by some passes, if it is not on disk.
    """
    disk = disk_cache()
    if disk is None:
        return emitted_program(emit(), backend)
    key = _key(module, backend, passes)
    kept = disk.read(key)
    if kept is not None:
        return unpacked(kept)
    program = emitted_program(emit(), backend)
    disk.write(key, packed(program))
    return program


def _key(module: ModuleOp, backend: str, passes: Sequence[str]) -> str:
    """The key of a program: with all that emission depends on."""
    library = import_module(backend)
    versions = f"{sys.version} {package_state()} {version_of_xdsl()} {library.__version__}"
    return key_of("python", versions, backend, " ".join(passes), str(module))


def emitted_program(module: ModuleOp, backend: str) -> Emitted:
    """The source and the facts of a module in emitpy.

    Raises CompilationError for a program that Python cannot express.
    """
    from ein_mlir.targets.python.printer import extern_names, function_names, python_source

    try:
        source = python_source(module)
    except DiagnosticException as error:
        raise CompilationError(str(error)) from error
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    names = function_names(module)
    facts = {symbol: _function(symbol, names, functions, backend) for symbol in names}
    return Emitted(source, facts, extern_names(module))


def _function(
    symbol: str, names: Mapping[str, str], functions: Mapping[str, FuncOp], backend: str
) -> EmittedFunction:
    from ein_mlir.analysis.emitpy.small_steps import Steps
    from ein_mlir.rewriting.emitpy.reuse import has_temporaries

    function = functions[symbol]
    uses_f64 = any(
        isa(type_, TensorType) and type_.element_type == f64 for type_ in _types(function)
    )
    steps = Steps.of(function) if backend == "torch" else Steps()
    stages = (_function(stage, names, functions, backend) for stage in _stages(function))
    static = _static_arguments(function)
    flags = steps.are_small, steps.are_scalar, backend == "torch" and has_temporaries(function)
    return EmittedFunction(names[symbol], static, uses_f64, *flags, steps.extents, tuple(stages))


def _stages(function: FuncOp) -> list[str]:
    """The functions of the sizes and of the rest; none if this one is not divided."""
    from ein_mlir.dialects.emitpy import STAGES

    stages = function.attributes.get(STAGES)
    if not isa(stages, ArrayAttr[SymbolRefAttr]):
        return []
    return [stage.string_value() for stage in stages]


def _types(function: FuncOp) -> Iterator[Attribute]:
    """The types of all values of a function."""
    for op in operations_in(function):
        yield from op.result_types
        for region in op.regions:
            for block in region.blocks:
                yield from block.arg_types


def _static_arguments(function: FuncOp) -> tuple[Path, ...]:
    """The arguments, and fields of arguments, that are static when a library compiles."""
    from ein_mlir.dialects.emitpy import STATIC_ARGUMENTS

    paths = function.attributes.get(STATIC_ARGUMENTS)
    if not isa(paths, ArrayAttr[DenseArrayBase[IntegerType]]):
        return ()
    return tuple(tuple(path.get_values()) for path in paths)
