"""`function`: a Python function of staged values as a compiled function of arrays; evaluation."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial, update_wrapper
from pathlib import Path
from types import MethodType, SimpleNamespace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast, overload

import numpy as np

from ein_mlir.errors import EinError, EinTypeError, ScopeError
from ein_mlir.frontend.annotations import (
    annotations_of,
    check_annotation,
    type_of,
    type_of_annotation,
    type_of_argument,
)
from ein_mlir.frontend.calls import Signed
from ein_mlir.frontend.dtypes import type_of_array
from ein_mlir.frontend.evaluation import backend_of, is_empty, numpy_backend, run
from ein_mlir.frontend.expr import Argument, Expr
from ein_mlir.frontend.index_sets import axes_of, note_sizes
from ein_mlir.frontend.inputs import wrap_as
from ein_mlir.frontend.records import parts_of, rebuild
from ein_mlir.frontend.structure import flatten, leaves, restore, under_vectors
from ein_mlir.frontend.types import RecordType, Type, WeakType, describe, settle
from ein_mlir.frontend.values import Value, decode, encode
from ein_mlir.frontend.values.numpy_calls import scalar_advice
from ein_mlir.host.arrays import (
    AnyArray,
    ShapedArray,
    constant_in_traces,
    from_dlpack,
    is_dtype,
    is_foreign,
    is_numpy_scalar,
    library_of,
)
from ein_mlir.host.fastmath import Fastmath, laws_of
from ein_mlir.host.garbage import rare_collections
from ein_mlir.host.locations import at, without_package

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ein_mlir.compiler import CompiledFunction
    from ein_mlir.drawing import Drawing
    from ein_mlir.frontend.lowering import Lowered
    from ein_mlir.memory import Memory
    from ein_mlir.runtimes import Jit

P = ParamSpec("P")
R = TypeVar("R")


# Evaluation -----------------------------------------------------------------------------------


def evaluate(value: Any, backend: str | None = None) -> Any:
    """Run the program that computes a staged value, or a record of staged values.

    ``backend`` is by default that of the wrapped arrays.

    An array of records becomes a record of arrays. A result never aliases an input.

    >>> from ein_mlir import array, wrap
    >>> a = wrap([3, 1, 2])
    >>> evaluate({"first": a[0], "twice": array(lambda i: 2 * a[i])}, backend="naive")
    {'first': np.int64(3), 'twice': array([6, 2, 4])}
    """
    return run(encode(value), backend)


# function -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Options:
    """The options of a function that are for some backends."""

    jit: Jit = None
    threads: int | None = None
    fastmath: tuple[str, ...] = ()
    bounds: str | None = None


@dataclass(frozen=True)
class _Program:
    """A function traced for some types: its IR, and the facts about it that calls need."""

    lowered: Lowered
    result: Type
    passed: tuple[bool, ...]
    """Whether each parameter is passed at run time; the others were fixed while tracing."""
    has_records: bool

    def arguments(self, values: Sequence[Any]) -> Sequence[Any]:
        """The values that are passed at run time, with tuples for records."""
        pairs = zip(values, self.passed, strict=True)
        return [flatten(value) for value, is_passed in pairs if is_passed]

    def compile(self, name: str, backend: str, options: _Options) -> _Compiled:
        """Compile for a backend; options that it does not have are left out."""
        from ein_mlir.compiler import compile_traced, has_jit, has_threads

        jit = options.jit if has_jit(backend) else None
        threads = options.threads if has_threads(backend) else None
        module, externs = self.lowered.module, self.lowered.externs
        laws, bounds = options.fastmath, options.bounds
        compiled = compile_traced(module, name, backend, externs, jit, threads, laws, bounds)
        return _Compiled(self, compiled, tuple(node.array for node in self.lowered.inputs))


@dataclass(frozen=True)
class _Compiled:
    """Compiled code, and the captured wrapped arrays of the function."""

    program: _Program
    code: CompiledFunction
    captured: tuple[Any, ...]

    def __call__(self, values: Sequence[Any]) -> Any:
        program = self.program
        if not program.has_records and all(program.passed):
            return self.code(*values, *self.captured)
        return restore(program.result, self.code(*program.arguments(values), *self.captured))

    def memory(self, values: Sequence[Any]) -> Memory:
        """The bytes of a call."""
        return self.code.memory(*self.program.arguments(values), *self.captured)


class _Staged(Exception):
    """An argument contains a staged value."""


class _Foreign(Exception):
    """An argument contains an array of a library without a backend."""


def _key(value: Any) -> Any:
    """The key of an argument: equal for arguments of the same program.

    A key is made of classes, dtypes, numbers and strings. ``_example`` is its inverse.
    """
    cls = cast("type[Any]", type(value))
    if cls is np.ndarray:
        return "numpy", value.dtype, value.ndim
    if cls is int or cls is float or cls is bool or cls is complex:
        return cls
    if isinstance(value, Value):
        raise _Staged
    library = library_of(value)
    if library is not None:
        if library == "numpy":
            type_of_array(value)
        return library, value.dtype, value.ndim
    if is_numpy_scalar(value):
        return value.dtype
    if value is None or cls is str or is_empty(value):
        return cls, value
    if is_foreign(value):
        raise _Foreign
    parts = parts_of(value)
    if parts is None:
        advice = ": write np.array(...) for a list" if cls is list else ""
        raise EinTypeError(
            f"{value!r} is not a valid argument: expected arrays, numbers, staged "
            f"values, and tuples, dicts or dataclasses of them{advice}{at()}"
        )
    return parts.container, parts.names, tuple(map(_key, parts.values))


def _adopted(value: Any) -> Any:
    """An argument with its foreign arrays converted to arrays of a backend's library."""
    if isinstance(value, Value) or library_of(value) is not None or is_empty(value):
        return value
    if is_foreign(value):
        return from_dlpack(value)
    parts = parts_of(value)
    if parts is None:
        return value
    return rebuild(parts.container, parts.names, tuple(map(_adopted, parts.values)))


def _shaped(value: Any) -> Any:
    """An argument with a `ShapedArray` for each placeholder of another library."""
    if isinstance(value, Value) or library_of(value) is not None or is_numpy_scalar(value):
        return value
    if is_foreign(value):
        return value
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return ShapedArray(tuple(value.shape), value.dtype)
    parts = None if is_empty(value) else parts_of(value)
    if parts is None:
        return value
    return rebuild(parts.container, parts.names, tuple(map(_shaped, parts.values)))


def _each_adopted(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _adopted(value) for name, value in values.items()}


def _example(key: Any) -> Any:
    """A value with a given key: one of its type, or the value itself if the key contains it."""
    if is_dtype(key):
        return key.type()
    if isinstance(key, type):
        return key()
    if isinstance(key[0], str):
        return AnyArray(*key)
    if len(key) == 2:
        return key[1]
    container, names, keys = key
    return rebuild(container, names, tuple(map(_example, keys)))


def _check_function(f: object) -> None:
    """Raise EinTypeError for an object that cannot be traced."""
    shown = getattr(f, "__name__", repr(f))
    if isinstance(f, np.ufunc):
        advice = scalar_advice(shown)
        instead = f": write {advice} in a function of your own" if advice else ""
        raise EinTypeError(f"function: np.{shown} is not a Python function{instead}{at()}")
    if not callable(f) or isinstance(f, type):
        raise EinTypeError(f"function: expected a Python function, not {shown}{at()}")
    try:
        inspect.signature(f)
    except (TypeError, ValueError):
        raise EinTypeError(
            f"function: {shown} is not written in Python, and cannot be traced{at()}"
        ) from None


class Function(Signed[P, R]):
    """A function of arrays that is traced and compiled once for each combination of types.

    Made by `function`. A call with arrays and Python numbers runs compiled code; a call with staged
    values calls the original Python function. Compiled code is cached for each combination of
    element types, ranks and kinds of records; it serves for all shapes.
    """

    __name__: str
    __wrapped__: Callable[P, R]

    def __init__(
        self,
        f: Callable[P, R],
        backend: str | None = None,
        jit: Jit = None,
        threads: int | None = None,
        fastmath: Fastmath = False,
        bounds: str | None = None,
    ):
        _check_function(f)
        update_wrapper(self, f)
        self._function = f
        self._backend = backend
        self._options = _Options(jit, threads, laws_of(fastmath), bounds)
        self._signature = inspect.signature(f)
        self._parameters = tuple(self._signature.parameters.values())
        for parameter in self._parameters:
            if parameter.kind is parameter.VAR_KEYWORD:
                raise EinTypeError(
                    f"{self._name}: a compiled function names its parameters, and **"
                    f"{parameter.name} has no fixed number of them{at()}"
                )
        self._by_position = all(
            p.kind not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL) for p in self._parameters
        )
        self._variadic = {p.name for p in self._parameters if p.kind is p.VAR_POSITIONAL}
        self._annotations = annotations_of(f)
        self._places: dict[Any, str] = {}
        self._compiled = SimpleNamespace()
        self._derived: dict[str, Function[..., Any]] = {}
        self._sized: dict[Any, Callable[[Sequence[Any]], Any]] = {}
        self._lock = threading.RLock()

    def again(self, f: Callable[..., Any]) -> Function[..., Any]:
        """A function with the same options."""
        return Function(f, self._backend, *astuple(self._options))

    def derived(self, name: str, f: Callable[..., Any]) -> Function[..., Any]:
        """A function with the same options, made once for each name."""
        return self._derived.setdefault(name, self.again(f))

    # Copies, as of a Python function: a copy is the function itself, and a pickled one is its name.

    def __copy__(self) -> Function[P, R]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Function[P, R]:
        return self

    def __reduce__(self) -> str | tuple[Any, ...]:
        """Its name where that denotes it, as after ``@function``; else the original function.

        pickle raises an error for functions without a name in a module, such as a lambda.
        """
        name = getattr(self, "__qualname__", "")
        found: Any = sys.modules.get(self.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is self:
            return name
        return Function, (self._function, self._backend, *astuple(self._options))

    def __get__(self, instance: object, owner: type | None = None) -> Function[..., R]:
        """The method of an instance; it is traced anew, since the instance may have changed."""
        if instance is None:
            return self
        bound = MethodType(self._function, instance)
        return Function(bound, self._backend, *astuple(self._options))

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function on arrays, or apply it to staged values."""
        values: Sequence[Any] = ()
        try:
            values = self._values(args, kwargs)
            return self._code(values, self._backend)(values)
        except _Staged:
            return self._inline(tuple(map(_adopted, values)))
        except _Foreign:
            return self._run(*map(_adopted, args), **_each_adopted(kwargs))
        except EinError as error:
            raise without_package(error)  # noqa: B904

    if not TYPE_CHECKING:
        __call__ = _run

    def eval(self, *args: Any, backend: str | None = None, **kwargs: Any) -> Any:
        """Run the function on a backend; by default on that of the arguments."""
        values = self._values(args, kwargs)
        backend = backend or self._backend
        try:
            return self._code(values, backend)(values)
        except _Staged:
            return evaluate(self._inline(tuple(map(_adopted, values))), backend)
        except _Foreign:
            return self.eval(*map(_adopted, args), backend=backend, **_each_adopted(kwargs))
        except EinError as error:
            raise without_package(error)  # noqa: B904

    def numpy(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function with NumPy; staged arguments are evaluated too."""
        return self.eval(*args, backend="numpy", **kwargs)

    def torch(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function with PyTorch; staged arguments are evaluated too."""
        return self.eval(*args, backend="torch", **kwargs)

    def jax(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function with JAX; staged arguments are evaluated too."""
        return self.eval(*args, backend="jax", **kwargs)

    def native(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function as machine code on NumPy arrays; staged arguments are evaluated too."""
        return self.eval(*args, backend="native", **kwargs)

    def phi(self, *types: Any, **named: Any) -> ModuleOp:
        """The phi module of the function for arguments of some types.

        Types are given as phi types (`vector_type(float)`), dtypes, annotations (``Vec[Float]``) or
        by example; by default they are the annotations of the parameters.
        """
        return self._program_for(types, named).lowered.module

    def ir(self, stage: str, *types: Any, backend: str | None = None, **named: Any) -> str:
        """The program for some types as text, at a stage: ``phi``, ``yarr`` or ``emitpy``."""
        return self._code_for(types, named, backend).ir(stage)

    def source(self, *types: Any, backend: str | None = None, **named: Any) -> str:
        """The source for arguments of some types: Python, or the loops of the backend ``native``.

        As in a call, the backend is by default that of the arguments.
        """
        return self._code_for(types, named, backend).source

    def explain(self, *types: Any, backend: str | None = None, **named: Any) -> str:
        """The form of each indexing and each fold for arguments of some types, with reasons.

        Then the loops and the gathered elements that are left, those that take most time first: by
        the sizes of the arguments, if these are arrays and numbers.
        """
        code = self._code_for(types, named, backend)
        values = self._values(types, named) if types or named else ()
        given = [value for value in values if value is not None]
        return code.explain(*given) if all(map(_has_sizes, given)) else code.explain()

    def shapes(self, *args: Any, **kwargs: Any) -> Any:
        """The shape and dtype of each result of a call, without the call.

        Arguments are those of the call, or a `ShapedArray` (or anything else with a shape and a
        dtype, such as ``jax.ShapeDtypeStruct``) for an array. Nothing is computed but sizes: no
        element, unless a size depends on one, and no array is made. An extrinsic is called on zeros
        of the sizes of its arguments. Only errors that the sizes rely on are raised.

        >>> from ein_mlir import ShapedArray, array, fold_sum
        >>> @function
        ... def product(a, b):
        ...     return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))
        >>> product.shapes(ShapedArray((1_000_000, 5)), ShapedArray((5, 2_000_000)))
        ShapedArray((1000000, 2000000), float64)
        """
        values, key = self._shaped_values("shapes", args, kwargs)
        with self._lock:
            if key not in self._sized:
                self._sized[key] = self._size_program(key)
        try:
            return self._sized[key](values)
        except EinError as error:
            raise without_package(error)  # noqa: B904

    def memory(self, *args: Any, backend: str | None = None, **kwargs: Any) -> Memory:
        """The bytes of a call, without the call: its arguments, results and temporaries.

        Arguments are those of `shapes`. The temporaries of native code are its buffers, those of
        JAX what XLA plans; those of NumPy and PyTorch are an estimate from the arrays of the
        program, which may be off by a factor of two. Raises EinValueError if the memory depends on
        elements that the program computes.

        >>> from ein_mlir import ShapedArray, array, fold_sum
        >>> @function
        ... def product(a, b):
        ...     return array(lambda i, j: fold_sum(lambda k: a[i, k] * b[k, j]))
        >>> product.memory(ShapedArray((1_000_000, 5)), ShapedArray((5, 2_000_000)))
        Memory(arguments=120000000, results=16000000000000, temporaries=0)
        """
        values, key = self._shaped_values("memory", args, kwargs)
        compiled = getattr(self._compiled, self._place((backend, numpy_backend(), *key)))
        try:
            return compiled.memory(values)
        except EinError as error:
            raise without_package(error)  # noqa: B904

    def _shaped_values(
        self, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        """The arguments of a call or placeholders for them, and their keys."""
        values = tuple(map(_shaped, self._values(args, kwargs)))
        try:
            return values, tuple(map(_key, values))
        except _Staged:
            raise EinTypeError(
                f"{self._name}.{method}: expected arrays and numbers{at()}"
            ) from None
        except _Foreign:
            values = tuple(map(_adopted, values))
            return values, tuple(map(_key, values))

    def _size_program(self, key: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:
        """The function from arguments with some keys to the shapes of results."""
        from ein_mlir.shapes import SizeProgram

        examples = tuple(map(_example, key))
        types = [self._type_of(name, value) for name, value in self._named(examples)]
        program = self._trace(types, examples)
        lowered = program.lowered
        sizes = SizeProgram(lowered.module, self._name, lowered.externs)
        captured = [node.array for node in lowered.inputs]

        def shapes(values: Sequence[Any]) -> Any:
            return restore(program.result, sizes([*program.arguments(values), *captured]))

        return shapes

    def draw(self, *types: Any, **named: Any) -> Drawing:
        """A drawing of the phi program for arguments of some types, as a notebook shows it."""
        from ein_mlir.drawing import draw

        return draw(self.phi(*types, **named))

    def __repr__(self) -> str:
        return f"<function {self._name}{self._signature} for {self._backend or 'any backend'}>"

    def _repr_html_(self) -> str | None:
        """Tabs for notebooks: of the last call, or of the types of the annotations, if any."""
        code = self._shown()
        return None if code is None else code.html()

    def _shown(self) -> CompiledFunction | None:
        compiled = list(vars(self._compiled).values())
        if compiled:
            return compiled[-1].code
        try:
            return self._code_for((), {}, None)
        except EinError:
            return None

    @property
    def _name(self) -> str:
        name = getattr(self._function, "__name__", "main")
        return name if name.isidentifier() else "main"

    # Arguments

    def _values(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
        """The value of each parameter, in order; that of ``*args`` is a tuple."""
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
        staged: list[Any] = []
        for name, value in self._named(values):
            type_ = self._type_of(name, value)
            if type_ is not None:
                self._check(name, type_)
                value = wrap_as(value, type_, name)
            staged.append(value)
        return self._call(staged)

    def _type_of(self, name: str, value: Any) -> Type | None:
        """The type of an argument; its annotation may make a record an array of records."""
        if name in self._variadic and is_empty(value):
            return None
        return type_of_argument(value, self._annotation(name, value))

    def _check(self, name: str, type_: Type) -> None:
        annotation = self._annotation(name, type_)
        if annotation is not None:
            what = "the result" if name == "return" else f"the argument {name}"
            check_annotation(f"{self._name}: {what}", annotation, type_)

    def _check_given(self, name: str, value: Any) -> None:
        """Raise EinTypeError for a value without a type whose annotation denotes one."""
        annotated = type_of_annotation(self._annotations.get(name))
        if annotated is not None and name not in self._variadic:
            raise EinTypeError(
                f"{self._name}: the argument {name} is annotated {describe(annotated)}, but is "
                f"{value!r}{at()}"
            )

    def _annotation(self, name: str, given: Any) -> Any:
        """The annotation of a parameter, or None.

        That of ``*args`` annotates each element of ``given``, which is a tuple or its type.
        """
        annotation = self._annotations.get(name)
        if annotation is not None and name in self._variadic:
            fields = given.fields if isinstance(given, RecordType) else given
            return tuple[(annotation,) * len(fields)]
        return annotation

    # Tracing

    def _code(self, values: Sequence[Any], backend: str | None) -> _Compiled:
        """The compiled code for some arguments; traced and compiled if there is none yet.

        The backend is by default that of the arrays among the arguments and the captured values.
        """
        name = self._place((backend, numpy_backend(), *map(_key, values)))
        return getattr(self._compiled, name)

    @constant_in_traces
    def _place(self, key: Any) -> str:
        """The name of the attribute that holds the code for a key; traced if there is none yet.

        PyTorch guards names one by one, but a dict as a whole: it would recompile after calls with
        other types.
        """
        place = self._places.get(key)
        if place is None:
            with self._lock:
                place = self._places.get(key)
                if place is None:
                    place = f"code_{len(self._places)}"
                    with rare_collections():
                        setattr(self._compiled, place, self._compile(*key))
                    self._places[key] = place
        return place

    def _compile(self, backend: str | None, for_numpy: str, *keys: Any) -> _Compiled:
        """Compile for arguments with some keys; NumPy arrays run on ``for_numpy`` by default."""
        values = tuple(map(_example, keys))
        types = [self._type_of(name, value) for name, value in self._named(values)]
        program = self._trace(types, values)
        captured = [node.array for node in program.lowered.inputs]
        chosen = backend or backend_of((*values, *captured), for_numpy)
        return program.compile(self._name, chosen, self._options)

    def _trace(self, types: Sequence[Type | None], values: Sequence[Any]) -> _Program:
        """The program for arguments of some types; arguments without a type are given by value."""
        from ein_mlir.frontend.lowering import lower

        staged: list[Any] = []
        arguments: list[Argument] = []
        for parameter, type_, value in zip(self._parameters, types, values, strict=True):
            if type_ is not None:
                self._check(parameter.name, type_)
                axes = axes_of(self._annotations.get(parameter.name))
                arguments.append(Argument(type_, parameter.name, axes))
                value = decode(arguments[-1])
            else:
                self._check_given(parameter.name, value)
            staged.append(value)
        note_sizes(arguments)
        try:
            result = encode(self._call(staged))
        except RecursionError as error:
            raise EinTypeError(
                f"{self._name}: the recursion does not end: where() evaluates both branches, and "
                f"`if` cannot ask a staged value; write fold(init, lambda k, acc: ...){at()}"
            ) from error
        self._check("return", result.type)
        weak = [leaf for argument in arguments for leaf in leaves(argument.type)]
        settle(leaf for leaf in weak if isinstance(leaf, WeakType))
        try:
            lowered = lower(result, arguments, self._name)
        except ScopeError as error:
            raise ScopeError(f"{self._name}: {error}") from None
        return _Program(
            lowered,
            result.type,
            tuple(type_ is not None for type_ in types),
            any(isinstance(under_vectors(t), RecordType) for t in _types(arguments, result)),
        )

    def _program_for(self, types: Sequence[Any], named: Mapping[str, Any]) -> _Program:
        """The program for types given by the user."""
        if not types and not named and self._parameters:
            return self._annotated_program()
        values = self._values(types, named)
        given = [self._given_type(name, value) for name, value in self._named(values)]
        return self._trace(given, values)

    def _given_type(self, name: str, value: Any) -> Type | None:
        """The type that the user names or shows by an example, as a call takes it."""
        from xdsl.ir import Attribute

        if value is None:
            return None
        is_example = not isinstance(value, Attribute) and _is_record_of_arrays(value)
        return self._type_of(name, value) if is_example else type_of(value)

    def _code_for(
        self, types: Sequence[Any], named: Mapping[str, Any], backend: str | None
    ) -> CompiledFunction:
        """The code for types, or examples, given by the user."""
        from xdsl.ir import Attribute

        shown = (*types, *named.values())
        examples = [value for value in shown if not isinstance(value, Attribute)]
        backend = backend or self._backend or backend_of(examples)
        return self._program_for(types, named).compile(self._name, backend, self._options).code

    def _annotated_program(self) -> _Program:
        types: list[Type | None] = []
        for parameter in self._parameters:
            annotated = parameter.name not in self._variadic
            type_ = type_of_annotation(self._annotations.get(parameter.name)) if annotated else None
            if type_ is None and parameter.default is not parameter.empty:
                type_ = self._type_of(parameter.name, parameter.default)
            elif type_ is None:
                raise EinTypeError(
                    f"{self._name}: the type of the argument {parameter.name} is not known; give "
                    f"the types of all arguments, as in .phi(vector_type(float)), or annotate "
                    f"them{at()}"
                )
            types.append(type_)
        return self._trace(types, [parameter.default for parameter in self._parameters])


def _has_sizes(value: Any) -> bool:
    """Whether a value is an array, a number, or a tuple of them, and not a type."""
    if isinstance(value, tuple):
        return all(map(_has_sizes, cast("tuple[Any, ...]", value)))
    return library_of(value) is not None or isinstance(value, int | float)


def _is_record_of_arrays(value: Any) -> bool:
    """Whether a value is a record as a call takes it, and not of types."""
    parts = None if isinstance(value, Value) else parts_of(value)
    if parts is None:
        return library_of(value) is not None
    return all(map(_is_record_of_arrays, parts.values))


def export(f: Function[..., Any], types: Sequence[Any], folder: str | Path) -> Path:
    """Write a function, for arguments of some types, as a library of C: an object and a header.

    Types are given as in `Function.phi`; those of annotations if there are none. The library needs
    neither Python nor this package: its header describes sizes, ownership and codes of errors.
    Returns the path of the shared object.
    """
    from ein_mlir.c_library import export_module

    return export_module(f.phi(*types), None, folder)


def _types(arguments: Sequence[Expr], result: Expr) -> list[Type]:
    return [argument.type for argument in (*arguments, result)]


@overload
def function(
    f: Callable[P, R],
    *,
    backend: str | None = None,
    jit: Jit = None,
    threads: int | None = None,
    fastmath: Fastmath = False,
    bounds: str | None = None,
) -> Function[P, R]: ...
@overload
def function(
    f: None = None,
    *,
    backend: str | None = None,
    jit: Jit = None,
    threads: int | None = None,
    fastmath: Fastmath = False,
    bounds: str | None = None,
) -> Callable[[Callable[P, R]], Function[P, R]]: ...
def function(
    f: Any = None,
    *,
    backend: str | None = None,
    jit: Jit = None,
    threads: int | None = None,
    fastmath: Fastmath = False,
    bounds: str | None = None,
) -> Any:
    """Compile a function of staged values into one of arrays and Python numbers.

    It is traced by the first call with a new combination of types, which also checks the
    annotations of parameters and result (``Vec[Float]``). ``backend`` is by default that of the
    arrays among the arguments. ``jit`` is whether the library compiles the program in turn, with
    ``torch.compile`` or ``jax.jit``; a mapping has options for these. By default JAX does and
    PyTorch does not. ``threads`` is the number of threads that machine code may use, on the native
    backend; by default that of the process. ``fastmath`` permits laws of real numbers on floats, by
    their names in LLVM: ``{"reassoc", "nsz"}``, or all if true. By default only the rounding of
    sums may differ. ``bounds`` is ``check`` for an IndexError where a position that the function
    uses is out of bounds, and ``clip``, the default, for the nearest element; the environment
    variable ``EIN_BOUNDS`` sets another default.

    Python numbers that the function reads from outside, as globals or attributes, are constants of
    the traced program: pass as an argument what changes between calls. Elements of wrapped arrays
    are read by each call.

    Applied to a function made by `function`, it returns the same program with other options.

    >>> from ein_mlir import array
    >>> @function(backend="naive")
    ... def scale(a, factor):
    ...     return array(lambda i: factor * a[i])
    >>> scale(np.arange(3.0), 2.0)
    array([0., 2., 4.])
    """
    if f is None:
        options = {"jit": jit, "threads": threads, "fastmath": fastmath, "bounds": bounds}
        return partial(function, backend=backend, **options)
    if isinstance(f, Function):
        f = cast("Function[..., Any]", f).__wrapped__
    return Function(f, backend, jit, threads, fastmath, bounds)
