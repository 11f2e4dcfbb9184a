"""Programs of loops as machine code: the code of the native backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from ein_mlir.analysis.hints import isa
from ein_mlir.backends.native import abi
from ein_mlir.backends.native.program import (
    Assembled,
    Binary,
    Function,
    Program,
    function_of,
)
from ein_mlir.code_cache import Code
from ein_mlir.dialects import phi
from ein_mlir.dialects.creation import copy_of, discard
from ein_mlir.extrinsics import Call, CheckedExtern
from ein_mlir.host.arrays import joined
from ein_mlir.host.elements import HOST_DTYPES
from ein_mlir.host.garbage import rare_collections
from ein_mlir.pipelines import LOOPS, TO_LLVM, TO_LLVM_LATE, run_pipeline
from ein_mlir.short_axes import ByShortAxes, Sizes, matrices, with_known_sizes


class NativeCode(Code):
    """A program of phi, its loops, and its machine code."""

    def __init__(self, module: ModuleOp, emit: Callable[[], ModuleOp]):
        super().__init__(module, "native", LOOPS, emit)

    @property
    def source(self) -> str:
        """The loops."""
        return str(self.emitted)

    @property
    def assembly(self) -> str:
        """The machine code as assembly."""
        from ein_mlir.backends.native.machine import host

        return "\n".join(map(host().assembly, native_program(copy_of(self.emitted)).texts))

    @cached_property
    def _binary(self) -> Binary:
        """The machine code: of this process, of an earlier one, or compiled now."""
        from ein_mlir.backends.native.binary import compiled

        def assembled() -> Assembled:
            return native_program(self._own_loops(), late=True)

        return compiled(lambda: str(self._module), assembled)

    def _own_loops(self) -> ModuleOp:
        """The loops, for a caller that changes them: not kept if nobody has asked for them."""
        return copy_of(self.emitted) if "emitted" in vars(self) else self._emit()

    @cached_property
    def _library(self) -> Any:
        from ein_mlir.backends.native.runtime import library_of

        return library_of(self._binary)

    def load(
        self,
        name: str,
        arguments: Sequence[Attribute],
        results: Sequence[Attribute],
        externs: Mapping[str, CheckedExtern],
        threads: int | None,
    ) -> Callable[..., Any]:
        """A function of checked arguments of some types, with results of some types.

        Calls with short axes have versions of their own (`ein_mlir.short_axes`).

        The number of threads is by default that of the process.
        """
        places = matrices(arguments)
        if not places:
            return self._loaded(name, arguments, results, externs, threads)

        def version(sizes: Sizes) -> Callable[..., Any]:
            code = self
            if sizes:
                module = with_known_sizes(self._module, name, sizes)
                code = NativeCode(module, lambda: run_pipeline(copy_of(module), LOOPS))
            with rare_collections():
                return code._loaded(name, arguments, results, externs, threads)

        return ByShortAxes(places, version)

    def _loaded(
        self,
        name: str,
        arguments: Sequence[Attribute],
        results: Sequence[Attribute],
        externs: Mapping[str, CheckedExtern],
        threads: int | None,
    ) -> Callable[..., Any]:
        """The function of the program as it is."""
        from ein_mlir.backends.native.runtime import NativeFunction, flat

        program = self._binary.program
        callbacks = {extern.name: _flat_extern(extern, externs) for extern in program.externs}
        function = NativeFunction(program, name, self._library, callbacks, threads).call
        if not _are_leaves(list(map(phi.struct_of_arrays, arguments))):
            of_leaves = function

            def function(*values: Any) -> Any:
                return of_leaves(*flat(values))

        types = [phi.struct_of_arrays(type_) for type_ in results]
        if _are_leaves(types) or (len(types) == 1 and _is_record_of_leaves(types[0])):
            return function
        nest = [_nester(type_) for type_ in types]

        def call(*arguments: Any) -> Any:
            values = iter(_leaves(function(*arguments)))
            nested = [each(values) for each in nest]
            return tuple(nested) if len(nested) > 1 else nested[0]

        return call


def _leaves(value: Any) -> Sequence[Any]:
    return value if isinstance(value, tuple) else (value,)  # pyright: ignore[reportUnknownVariableType]


def _are_leaves(types: Sequence[Attribute]) -> bool:
    """Whether values are arrays and scalars of the program."""
    return not any(isa(type_, TupleType) or phi.is_complex(type_) for type_ in types)


def _is_record_of_leaves(type: Attribute) -> bool:
    """Whether a value is the tuple of several arrays and scalars of the program."""
    return isa(type, TupleType) and len(type.types) > 1 and _are_leaves(type.types.data)


def _nester(type: Attribute) -> Callable[[Iterator[Any]], Any]:
    """A function that makes a value without arrays of records from its leaves in order."""
    if isa(type, TupleType):
        fields = [_nester(field) for field in type.types]
        return lambda leaves: tuple([field(leaves) for field in fields])
    if phi.is_complex(type):
        dtype = HOST_DTYPES[str(phi.scalar_of(type))]
        return lambda leaves: joined(next(leaves), next(leaves), dtype)
    return next


# Functions of the host program ------------------------------------------------------------------


def _flat_extern(extern: Function, externs: Mapping[str, CheckedExtern]) -> Callable[..., Any]:
    """A function of the host program on the arrays and scalars of its arguments in order.

    The symbol of a function that has several signatures ends in a number: ``f``, ``f.1``.
    """
    function = externs.get(extern.name) or externs[extern.name.rpartition(".")[0]]
    types = next(call for call in function.calls if _fits(call, extern))
    arguments = [_nester(phi.struct_of_arrays(type_)) for type_ in types.arguments]

    def call(*leaves: Any) -> Any:
        rest = iter(leaves)
        return function(*[nest(rest) for nest in arguments])

    return call


def _fits(call: Call, extern: Function) -> bool:
    """Whether a call has the arrays and scalars of a signature."""
    given = [(leaf.numpy.name, leaf.rank) for leaf in extern.arguments]
    return list(call.leaves) == given and len(extern.results) == len(
        Call((call.result,), call.result).leaves
    )


# Loops to LLVM ----------------------------------------------------------------------------------


def native_program(loops: ModuleOp, late: bool = False) -> Assembled:
    """The program of a module of loops, as texts for LLVM; the module is used up.

    Loops that only some sizes need may be parts that are compiled late.
    """
    from ein_mlir.targets.llvm_ir.parts import all_parts

    functions = {op.sym_name.data: function_of(op) for op in loops.ops if isinstance(op, FuncOp)}
    defined = [op.sym_name.data for op in loops.ops if isinstance(op, FuncOp) and op.body.blocks]
    module = run_pipeline(loops, TO_LLVM_LATE if late else TO_LLVM)
    program = Program(
        tuple(functions[name] for name in defined),
        tuple(functions[name] for name in _strings(module, abi.EXTERNS)),
        _strings(module, abi.MESSAGES),
    )
    texts, parts = all_parts(module)
    discard(module.body, module.body.block)
    return Assembled(program, texts, parts)


def _strings(module: ModuleOp, attribute: str) -> tuple[str, ...]:
    """The strings in an attribute of a module; none without the attribute."""
    value = module.attributes.get(attribute)
    if not isa(value, ArrayAttr[StringAttr]):
        return ()
    return tuple(string.data for string in value)
