"""`function`: a Python function of staged values as a compiled function of arrays; evaluation."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from functools import partial, update_wrapper
from pathlib import Path
from types import MethodType, SimpleNamespace
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast, overload

from ein_mlir.errors import EinError, EinTypeError, ScopeError
from ein_mlir.frontend.argument_keys import (
    Foreign,
    Staged,
    adopted,
    each_adopted,
    example_of,
    has_sizes,
    key_of,
    shaped,
)
from ein_mlir.frontend.calls import Signed
from ein_mlir.frontend.complex_numbers import Complex
from ein_mlir.frontend.evaluation import backend_of, numpy_backend, run
from ein_mlir.frontend.signatures import names_its_arguments
from ein_mlir.frontend.structure import restore
from ein_mlir.frontend.tracing import Compiled, Options, Tracer, is_tracing
from ein_mlir.frontend.values import encode
from ein_mlir.frontend.values.library_calls import function_advice
from ein_mlir.host.arrays import constant_in_traces
from ein_mlir.host.attributes import OfCompiled
from ein_mlir.host.fastmath import Fastmath, laws_of
from ein_mlir.host.garbage import rare_collections
from ein_mlir.host.late_xdsl import load_xdsl
from ein_mlir.host.locations import at, reported, without_package

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ein_mlir.compiler import CompiledFunction
    from ein_mlir.drawing import Drawing
    from ein_mlir.memory import Memory
    from ein_mlir.runtimes import Jit

P = ParamSpec("P")
R = TypeVar("R")


# Evaluation -----------------------------------------------------------------------------------


@reported
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


Complex.evaluate = evaluate


# function -------------------------------------------------------------------------------------


class Function(OfCompiled, Signed[P, R]):
    """A function of arrays that is traced and compiled once for each combination of types.

    Made by `function`. A call with arrays and Python numbers runs compiled code; a call with staged
    values calls the original Python function. Compiled code is cached for each combination of
    element types, ranks and kinds of records; it serves for all shapes.
    """

    __name__: str
    __wrapped__: Callable[P, R]
    _advice = staticmethod(function_advice)

    def __init__(
        self,
        f: Callable[P, R],
        backend: str | None = None,
        jit: Jit = None,
        threads: int | None = None,
        fastmath: Fastmath = False,
        bounds: str | None = None,
    ):
        tracer = Tracer(f)
        update_wrapper(self, f)
        self._tracer = tracer
        self._backend = backend
        self._options = Options(jit, threads, laws_of(fastmath), bounds)
        self._places: dict[Any, str] = {}
        self._compiled = SimpleNamespace()
        self._derived: dict[str, Function[..., Any]] = {}
        self.made: partial[Function[P, R]] | None = None
        """The call that made a derivative."""
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

        A derivative is that of the pickled function.

        pickle raises an error for functions without a name in a module, such as a lambda.
        """
        name = getattr(self, "__qualname__", "")
        found: Any = sys.modules.get(self.__module__)
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is self:
            return name
        if self.made is not None:
            return partial(self.made.func, **self.made.keywords), self.made.args
        return Function, (self._tracer.function, self._backend, *astuple(self._options))

    def __get__(self, instance: object, owner: type | None = None) -> Function[..., R]:
        """The method of an instance; it is traced anew, since the instance may have changed."""
        if instance is None:
            return self
        bound = MethodType(self._tracer.function, instance)
        return Function(bound, self._backend, *astuple(self._options))

    def _run(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function on arrays, or apply it to staged values."""
        values: Sequence[Any] = ()
        code: Compiled | None = None
        try:
            values = self._tracer.values(args, kwargs)
            code = self._code(values, self._backend)
            return code.call(values)
        except Staged:
            inline = True
        except Foreign:
            inline = False
        except Exception as error:
            # In a traced function, one of numbers may read staged values of the other.
            inline = isinstance(error, ScopeError) and is_tracing()
            if not inline:
                raise without_package(code.placed(error) if code else error)  # noqa: B904
        # Out of the handlers: errors of these calls have no context.
        if inline:
            return self._tracer.inline(tuple(map(adopted, values)))
        return self._run(*map(adopted, args), **each_adopted(kwargs))

    if not TYPE_CHECKING:
        __call__ = _run

    def eval(self, *args: Any, backend: str | None = None, **kwargs: Any) -> Any:
        """Run the function on a backend; by default on that of the arguments."""
        values = self._tracer.values(args, kwargs)
        backend = backend or self._backend
        code: Compiled | None = None
        try:
            code = self._code(values, backend)
            return code.call(values)
        except Staged:
            inline = True
        except Foreign:
            inline = False
        except Exception as error:
            raise without_package(code.placed(error) if code else error)  # noqa: B904
        if inline:
            return evaluate(self._tracer.inline(tuple(map(adopted, values))), backend)
        return self.eval(*map(adopted, args), backend=backend, **each_adopted(kwargs))

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

    @reported
    def phi(self, *types: Any, **named: Any) -> ModuleOp:
        """The phi module of the function for arguments of some types.

        Types are given as phi types (`vector_type(float)`), dtypes, annotations (``Vec[Float]``) or
        by example; by default they are the annotations of the parameters.
        """
        return self._tracer.program_for(types, named).lowered.module

    @reported
    def ir(self, stage: str, *types: Any, backend: str | None = None, **named: Any) -> str:
        """The program for some types as text, at a stage: ``phi``, ``yarr`` or ``emitpy``."""
        if not isinstance(stage, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise EinTypeError(f"{self._tracer.name}.ir: the stage comes first, as 'phi'{at()}")
        return self._code_for(types, named, backend).ir(stage)

    @reported
    def source(self, *types: Any, backend: str | None = None, **named: Any) -> str:
        """The source for arguments of some types: Python, or the loops of the backend ``native``.

        As in a call, the backend is by default that of the arguments. Of a program with a version
        for square matrices it is that of a call with the arguments, or the one for square matrices.
        """
        return self._code_for(types, named, backend).source

    @reported
    def explain(self, *types: Any, backend: str | None = None, **named: Any) -> str:
        """The form of each indexing and each fold for arguments of some types, with reasons.

        Then the loops and the gathered elements that are left, those that take most time first: by
        the sizes of the arguments, if these are arrays and numbers.
        """
        values = self._with_sizes(types, named) or ()
        code = self._code_for(types, named, backend)
        return code.explain(*(value for value in values if value is not None))

    @reported
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
        return self._sized[key](values)

    @reported
    def memory(self, *args: Any, backend: str | None = None, **kwargs: Any) -> Memory:
        """The bytes of a call, without the call: its arguments, results and temporaries.

        Arguments are those of `shapes`. The temporaries of native code are its buffers, those of
        JAX those that XLA plans; those of NumPy and PyTorch are an estimate from the arrays of the
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
        return compiled.memory(values)

    def _shaped_values(
        self, method: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Sequence[Any]]:
        """The arguments of a call or placeholders for them, and their keys."""
        values = tuple(map(shaped, self._tracer.values(args, kwargs)))
        try:
            return values, tuple(map(key_of, values))
        except Staged:
            raise EinTypeError(
                f"{self._tracer.name}.{method}: expected arrays and numbers{at()}"
            ) from None
        except Foreign:
            values = tuple(map(adopted, values))
            return values, tuple(map(key_of, values))

    def _size_program(self, key: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:
        """The function from arguments with some keys to the shapes of results."""
        from ein_mlir.shapes import SizeProgram

        examples = tuple(map(example_of, key))
        program = self._tracer.program_of(examples)
        lowered = program.lowered
        sizes = SizeProgram(lowered.module, self._tracer.name, lowered.externs)

        def shapes(values: Sequence[Any]) -> Any:
            return restore(program.result, sizes(program.all_arguments(values)))

        return shapes

    @reported
    def draw(self, *types: Any, **named: Any) -> Drawing:
        """A drawing of the phi program for arguments of some types, as a notebook shows it."""
        from ein_mlir.drawing import draw

        return draw(self.phi(*types, **named))

    def __repr__(self) -> str:
        name, signature = self._tracer.name, self._tracer.signature
        return f"<function {name}{signature} for {self._backend or 'any backend'}>"

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

    # Tracing

    def _code(self, values: Sequence[Any], backend: str | None) -> Compiled:
        """The compiled code for some arguments; traced and compiled if there is none yet.

        The backend is by default that of the arrays among the arguments and the captured values.
        """
        name = self._place((backend, numpy_backend(), *map(key_of, values)))
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

    def _compile(self, backend: str | None, for_numpy: str, *keys: Any) -> Compiled:
        """Compile for arguments with some keys; NumPy arrays run on ``for_numpy`` by default."""
        values = tuple(map(example_of, keys))
        program = self._tracer.program_of(values)
        captured = [node.array for node in program.lowered.inputs]
        chosen = backend or backend_of((*values, *captured), for_numpy)
        code = program.compile(self._tracer.name, chosen, self._options)
        return Compiled(program, code, keys)

    def _code_for(
        self, types: Sequence[Any], named: Mapping[str, Any], backend: str | None
    ) -> CompiledFunction:
        """The code for types, or examples, given by the user."""
        load_xdsl()
        from xdsl.ir import Attribute

        shown = (*types, *named.values())
        examples = [value for value in shown if not isinstance(value, Attribute)]
        backend = backend or self._backend or backend_of(examples)
        program = self._tracer.program_for(types, named)
        code = program.compile(self._tracer.name, backend, self._options)
        values = self._with_sizes(types, named)
        return code if values is None else code.for_sizes_of(program.all_arguments(values))

    def _with_sizes(self, types: Sequence[Any], named: Mapping[str, Any]) -> Sequence[Any] | None:
        """The values of the parameters if the user gave arrays and numbers, not types."""
        values = self._tracer.values(types, named) if types or named else ()
        given = [value for value in values if value is not None]
        return values if given and all(map(has_sizes, given)) else None


@reported
def export(f: Function[..., Any], types: Sequence[Any], folder: str | Path) -> Path:
    """Write a function, for arguments of some types, as a library of C: an object and a header.

    Types are given as in `Function.phi`; those of annotations if there are none. The library needs
    neither Python nor this package: its header describes sizes, ownership and codes of errors.
    Returns the path of the shared object.
    """
    from ein_mlir.c_library import export_module

    if not isinstance(f, Function):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise EinTypeError(f"export: expected a compiled function: write function(f){at()}")
    if not isinstance(types, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise EinTypeError(f"export: expected a list of types, not {types!r}{at()}")
    return export_module(f.phi(*types), None, folder)


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
@names_its_arguments
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
    the traced program: pass values that change between calls as arguments. Elements of wrapped
    arrays are read by each call.

    Applied to a function made by `function`, it returns the same program with other options.

    >>> import numpy as np
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
