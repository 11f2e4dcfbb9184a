"""`function`: a Python function of staged values as a compiled function of arrays; evaluation."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

import numpy as np

from ein_mlir.errors import EinTypeError, ScopeError
from ein_mlir.frontend.annotations import (
    annotations_of,
    check_annotation,
    type_of,
    type_of_annotation,
    type_of_argument,
)
from ein_mlir.frontend.combinators import wrap
from ein_mlir.frontend.expr import Argument, Expr
from ein_mlir.frontend.host import is_array, is_numpy_scalar
from ein_mlir.frontend.locations import at
from ein_mlir.frontend.records import parts_of, rebuild
from ein_mlir.frontend.types import (
    RecordType,
    Type,
    VectorType,
    WeakType,
    resolve,
    settle,
)
from ein_mlir.frontend.values import Value, decode, encode

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ein_mlir.compiler import CompiledFunction
    from ein_mlir.frontend.lowering import Lowered

P = ParamSpec("P")
R = TypeVar("R")


# Evaluation -----------------------------------------------------------------------------------


def evaluate(value: Any, backend: str = "numpy") -> Any:
    """Run the program that computes a staged value, or a record of staged values.

    An array of records gives the record of arrays. A result never shares memory with an input.

    >>> from ein_mlir import array, wrap
    >>> a = wrap([3, 1, 2])
    >>> evaluate({"first": a[0], "twice": array(lambda i: 2 * a[i])}, backend="naive")
    {'first': np.int64(3), 'twice': array([6, 2, 4])}
    """
    from ein_mlir.compiler import compile
    from ein_mlir.frontend.lowering import lower

    expr = encode(value)
    lowered = lower(expr)
    compiled = compile(lowered.module, "main", backend)
    return _restore(expr.type, compiled(*(node.array for node in lowered.inputs)))


def _restore(type_: Type, result: Any) -> Any:
    """The records of a type around the arrays that a compiled function returned as tuples."""
    type_ = _under_vectors(type_)
    if not isinstance(type_, RecordType):
        return result
    fields = [_restore(field, part) for field, part in zip(type_.fields, result, strict=True)]
    return rebuild(type_.container, type_.names, fields)


def _under_vectors(type_: Type) -> Type:
    type_ = resolve(type_)
    while isinstance(type_, VectorType):
        type_ = resolve(type_.element)
    return type_


# function -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Program:
    """A function traced for some types: its IR, and what a call needs besides compiled code."""

    lowered: Lowered
    result: Type
    passed: tuple[bool, ...]
    """Which parameters are passed at run time; the others were fixed while tracing."""
    has_records: bool

    def compile(self, name: str, backend: str) -> _Compiled:
        """Compile for a backend."""
        from ein_mlir.compiler import compile

        compiled = compile(self.lowered.module, name, backend)
        return _Compiled(self, compiled, tuple(node.array for node in self.lowered.inputs))


@dataclass(frozen=True)
class _Compiled:
    """Compiled code, and the wrapped arrays that the function refers to."""

    program: _Program
    code: CompiledFunction
    captured: tuple[Any, ...]

    def __call__(self, values: Sequence[Any]) -> Any:
        program = self.program
        if not program.has_records and all(program.passed):
            return self.code(*values, *self.captured)
        passed = [
            _flatten(value)
            for value, is_passed in zip(values, program.passed, strict=True)
            if is_passed
        ]
        return _restore(program.result, self.code(*passed, *self.captured))


def _flatten(value: Any) -> Any:
    """A record as nested tuples."""
    parts = parts_of(value)
    return value if parts is None else tuple(map(_flatten, parts.values))


class _Staged(Exception):
    """There is a staged value among the arguments."""


def _key(value: Any) -> Any:
    """What of an argument decides the program: equal for arguments that one program serves."""
    cls = value.__class__
    if cls is np.ndarray:
        return value.dtype, value.ndim
    if cls is int or cls is float or cls is bool:
        return cls
    if isinstance(value, Value):
        raise _Staged
    if is_array(value):
        return value.dtype, value.ndim
    if is_numpy_scalar(value):
        return value.dtype
    if value is None or cls is str:
        return cls, value
    parts = parts_of(value)
    if parts is None:
        raise EinTypeError(
            f"{value!r} is not an argument that Ein knows: expected NumPy arrays, numbers, staged "
            f"values, and tuples, dicts or dataclasses of them{at()}"
        )
    return parts.container, parts.names, tuple(map(_key, parts.values))


class Function(Generic[P, R]):
    """A function of arrays that is traced and compiled once for each combination of types.

    Made by `function`. Called with NumPy arrays and Python numbers it runs compiled code; called
    with staged values it is the Python function that it was made from. Compiled code is kept for
    each combination of element types, ranks and kinds of records, whatever the shapes.
    """

    __name__: str

    def __init__(self, f: Callable[P, R], backend: str = "numpy"):
        update_wrapper(self, f)
        self._function = f
        self._backend = backend
        self._signature = inspect.signature(f)
        self._parameters = tuple(self._signature.parameters.values())
        for parameter in self._parameters:
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise EinTypeError(
                    f"{self._name}: a function to compile names its parameters, and *"
                    f"{parameter.name} stands for any number{at()}"
                )
        self._by_position = all(p.kind is not p.KEYWORD_ONLY for p in self._parameters)
        self._annotations = annotations_of(f)
        self._compiled: dict[Any, _Compiled] = {}
        self._lock = threading.RLock()

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function on arrays, or apply it to staged values."""
        values = self._values(args, kwargs)
        try:
            return self._code(values, self._backend)(values)
        except _Staged:
            return self._inline(values)

    def eval(self, *args: Any, backend: str | None = None, **kwargs: Any) -> Any:
        """Run the function on a backend."""
        values = self._values(args, kwargs)
        backend = backend or self._backend
        try:
            return self._code(values, backend)(values)
        except _Staged:
            return evaluate(self._inline(values), backend)

    def numpy(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function with NumPy; staged arguments are evaluated too."""
        return self.eval(*args, backend="numpy", **kwargs)

    def phi(self, *types: Any, **named: Any) -> ModuleOp:
        """The phi module of the function for arguments of some types.

        Types are given as phi types (`vector_type(float)`), dtypes, annotations (``Vec[Float]``) or
        by example; without any, they are those that the parameters are annotated with.
        """
        return self._program_for(types, named).lowered.module

    def ir(self, stage: str, *types: Any, **named: Any) -> str:
        """The program for some types as text, at a stage: ``phi``, ``yarr`` or ``emitpy``."""
        program = self._program_for(types, named)
        return program.compile(self._name, self._backend).code.ir(stage)

    def source(self, *types: Any, **named: Any) -> str:
        """The Python source that is run for arguments of some types."""
        return self._program_for(types, named).compile(self._name, self._backend).code.source

    def explain(self, *types: Any, **named: Any) -> str:
        """Which form each indexing and each fold takes for arguments of some types, and why."""
        return self._program_for(types, named).compile(self._name, self._backend).code.explain()

    def __repr__(self) -> str:
        return f"<function {self._name}{self._signature} for {self._backend}>"

    @property
    def _name(self) -> str:
        name = getattr(self._function, "__name__", "main")
        return name if name.isidentifier() else "main"

    # Arguments

    def _values(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
        """The value of each parameter, in order."""
        if not kwargs and len(args) == len(self._parameters) and self._by_position:
            return args
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise EinTypeError(f"{self._name}{self._signature}: {error}{at()}") from None
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def _call(self, values: Sequence[Any]) -> Any:
        """Call the Python function."""
        if self._by_position:
            return self._function(*values)  # pyright: ignore[reportCallIssue]
        bound = inspect.BoundArguments(self._signature, dict(self._named(values)))
        return self._function(*bound.args, **bound.kwargs)

    def _named(self, values: Sequence[Any]) -> Sequence[tuple[str, Any]]:
        return [(p.name, value) for p, value in zip(self._parameters, values, strict=True)]

    def _inline(self, values: Sequence[Any]) -> Any:
        """Apply the function to staged values; arrays among them are wrapped."""
        for name, value in self._named(values):
            if (type_ := type_of_argument(value)) is not None:
                self._check(name, type_)
        return self._call([_wrapped(value, name) for name, value in self._named(values)])

    def _check(self, name: str, type_: Type) -> None:
        if name in self._annotations:
            what = f"what {self._name} returns" if name == "return" else f"the argument {name}"
            check_annotation(f"{self._name}: {what}", self._annotations[name], type_)

    # Tracing

    def _code(self, values: Sequence[Any], backend: str) -> _Compiled:
        """The compiled code for some arguments; traced and compiled if there is none yet."""
        key = (backend, *map(_key, values))
        compiled = self._compiled.get(key)
        if compiled is None:
            with self._lock:
                compiled = self._compiled.get(key)
                if compiled is None:
                    types = [type_of_argument(value) for value in values]
                    compiled = self._trace(types, values).compile(self._name, backend)
                    self._compiled[key] = compiled
        return compiled

    def _trace(self, types: Sequence[Type | None], values: Sequence[Any]) -> _Program:
        """The program for arguments of some types; a value stands for one without a type."""
        from ein_mlir.frontend.lowering import lower

        staged: list[Any] = []
        arguments: list[Argument] = []
        for parameter, type_, value in zip(self._parameters, types, values, strict=True):
            if type_ is not None:
                self._check(parameter.name, type_)
                arguments.append(Argument(type_, parameter.name))
                value = decode(arguments[-1])
            staged.append(value)
        result = encode(self._call(staged))
        self._check("return", result.type)
        weak = [leaf for argument in arguments for leaf in _weak_leaves(argument.type)]
        settle(weak)
        try:
            lowered = lower(result, arguments, self._name)
        except ScopeError as error:
            raise ScopeError(f"{self._name}: {error}") from None
        return _Program(
            lowered,
            result.type,
            tuple(type_ is not None for type_ in types),
            any(isinstance(_under_vectors(t), RecordType) for t in _types(arguments, result)),
        )

    def _program_for(self, types: Sequence[Any], named: Mapping[str, Any]) -> _Program:
        """The program for types that the user gave."""
        if not types and not named and self._parameters:
            return self._annotated_program()
        values = self._values(types, named)
        given = [None if value is None else type_of(value) for value in values]
        return self._trace(given, values)

    def _annotated_program(self) -> _Program:
        types: list[Type | None] = []
        for parameter in self._parameters:
            type_ = type_of_annotation(self._annotations.get(parameter.name))
            if type_ is None and parameter.default is not parameter.empty:
                type_ = type_of_argument(parameter.default)
            elif type_ is None:
                raise EinTypeError(
                    f"{self._name}: the type of the argument {parameter.name} is not known; give "
                    f"the types of all arguments, as in .phi(vector_type(float)), or annotate "
                    f"them{at()}"
                )
            types.append(type_)
        return self._trace(types, [parameter.default for parameter in self._parameters])


def _types(arguments: Sequence[Expr], result: Expr) -> list[Type]:
    return [argument.type for argument in (*arguments, result)]


def _weak_leaves(type_: Type) -> list[WeakType]:
    type_ = resolve(type_)
    if isinstance(type_, RecordType):
        return [leaf for field in type_.fields for leaf in _weak_leaves(field)]
    return [type_] if isinstance(type_, WeakType) else []


def _wrapped(value: Any, name: str) -> Any:
    """An argument with its arrays wrapped; numbers stay what they are."""
    if is_array(value):
        return wrap(value, name)
    parts = None if isinstance(value, Value) else parts_of(value)
    if parts is None:
        return value
    fields = [_wrapped(*field) for field in zip(parts.values, parts.names, strict=True)]
    return rebuild(parts.container, parts.names, fields)


@overload
def function(f: Callable[P, R], *, backend: str = "numpy") -> Function[P, R]: ...
@overload
def function(
    f: None = None, *, backend: str = "numpy"
) -> Callable[[Callable[P, R]], Function[P, R]]: ...
def function(f: Any = None, *, backend: str = "numpy") -> Any:
    """Compile a function of staged values into one of NumPy arrays and Python numbers.

    It is traced when it is first called with a new combination of types; annotations of parameters
    and result (``Vec[Float]``) are checked then. ``backend`` is what runs it.

    >>> from ein_mlir import array
    >>> @function(backend="naive")
    ... def scale(a, factor):
    ...     return array(lambda i: factor * a[i])
    >>> scale(np.arange(3.0), 2.0)
    array([0., 2., 4.])
    """
    if f is None:
        return partial(Function, backend=backend)
    return Function(f, backend)
